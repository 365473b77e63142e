// The dialects of the library, and the search over their rows of legacy names.
#include "dialect_tables.h"
#include <pir/compiler/dialects.h>

pir_status pir_dialects_load_all(pir_context *ctx) {
  if (!ctx)
    return PIR_INVALID;
#define PIR_REGISTER_DIALECT(name) PIR_TRY(pir_context_register(ctx, &pir_##name##_dialect));
  PIR_EACH_DIALECT(PIR_REGISTER_DIALECT)
#undef PIR_REGISTER_DIALECT
  return PIR_OK;
}

static const pir_legacy_op *find_legacy_row(const pir_legacy_table *table, pir_str name) {
  size_t low = 0, high = table->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = pir_str_compare(pir_str_from(table->ops[middle].name), name);
    if (!order)
      return &table->ops[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

const pir_legacy_op *pir_legacy_find(pir_str name) {
#define PIR_FIND_LEGACY(dialect)                                                               \
  {                                                                                            \
    const pir_legacy_op *found = find_legacy_row(&pir_##dialect##_legacy, name);               \
    if (found)                                                                                 \
      return found;                                                                            \
  }
  PIR_EACH_DIALECT(PIR_FIND_LEGACY)
#undef PIR_FIND_LEGACY
  return NULL;
}
