// A dialect: a name, a number and the constant table of its ops.
#ifndef PIR_DIALECT_H
#define PIR_DIALECT_H

#include <pir/opdef.h>

PIR_BEGIN

struct pir_dialect {
  const char *name;       // "pd_op"
  int json_id;            // number in JSON op names ("1.matmul"); -128 when it has none
  const char *json_name;  // name in JSON's table when it differs ("pd_dist"); else NULL
  const pir_opdef *ops;
  size_t op_count;
  // Attributes that ops may carry without declaring them, those that ops of every dialect may
  // carry first. They have no defaults.
  const pir_attr_def *carried;
  size_t carried_count, carried_by_all;
};

// Makes the ops of a dialect known. The table must outlive the context.
PIR_API pir_status pir_context_register(pir_context *ctx, const pir_dialect *dialect);
PIR_API size_t pir_context_dialects(const pir_context *ctx);
PIR_API const pir_dialect *pir_context_dialect(const pir_context *ctx, size_t i);

PIR_END
#endif
