// Finds the definitions of ops that a lower block makes, in the tables of all dialects. The
// runtime library has no tables: there a step of a stored block states its definition
// (runtime/exec/store/stored_def.c).
#include "dialect_tables.h"
#include "infer_impl.h"

#include <string.h>

const pir_opdef *pir_lower_step_def(const pir_lower_step *step) {
  if (step->def)
    return step->def;
#define PIR_SEARCH(dialect)                                                                    \
  for (size_t i = 0; i < pir_##dialect##_dialect.op_count; i++)                                \
    if (!strcmp(pir_##dialect##_dialect.ops[i].name, step->op))                                \
      return &pir_##dialect##_dialect.ops[i];
  PIR_EACH_DIALECT(PIR_SEARCH)
#undef PIR_SEARCH
  return NULL;
}
