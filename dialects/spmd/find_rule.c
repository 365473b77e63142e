// The placement rule of an op, by its id.
#include "dialect_tables.h"

static const pir_spmd_rule *find_row(const pir_spmd_table *table, uint32_t id) {
  size_t low = 0, high = table->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (table->rows[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < table->count && table->rows[low].id == id ? table->rows[low].rule : NULL;
}

const pir_spmd_rule *pir_spmd_rule_of(const pir_opdef *def) {
  static const pir_spmd_table *const tables[] = {
#define TABLE(name) &pir_##name##_spmd,
      PIR_EACH_DIALECT(TABLE)
#undef TABLE
  };
  const pir_spmd_rule *rule = NULL;
  for (size_t i = 0; def->id && !rule && i < sizeof tables / sizeof *tables; i++)
    rule = find_row(tables[i], def->id);
  return rule;
}
