// A dialect: a name, a number and the constant table of its ops.
#ifndef PIR_DIALECT_H
#define PIR_DIALECT_H

#include <pir/compiler/opdef.h>

PIR_BEGIN

// A dialect, as opsc makes it from a `.ops` file. Constant; any thread may read it.
struct pir_dialect {
  // "pd_op".
  const char *name;
  // The number in op names of PIR JSON ("1.matmul"); -128 when it has none.
  int json_id;
  // The name in JSON's table when it is another one ("pd_dist"); else NULL.
  const char *json_name;
  // Definitions, `op_count` of them, in ascending order of their numbers.
  const pir_opdef *ops;
  // Number of definitions.
  size_t op_count;
  // Attributes that ops may carry without declaring them; they have no defaults. The first
  // `carried_by_all` of them are for ops of every dialect, the others for this one's.
  const pir_attr_def *carried;
  // Number of all of them, and of the first ones.
  size_t carried_count, carried_by_all;
};

// Makes the ops of a dialect known to a context. The table must outlive the context.
// Registering the same table again does nothing. Tables may share a name if the dialect numbers
// of their ops differ. Returns PIR_INVALID, reported, when another dialect has the number (or
// the name, for one without ops), an op's name is declared already, or an op lacks the trait
// PIR_REGISTERED or a valid number.
PIR_API PIR_NODISCARD pir_status pir_context_register(pir_context *ctx,
                                                      const pir_dialect *dialect);
// Returns the number of dialects that are registered.
PIR_API size_t pir_context_dialects(const pir_context *ctx);
// Returns dialect i in the order of registration; NULL beyond the last.
PIR_API const pir_dialect *pir_context_dialect(const pir_context *ctx, size_t i);

PIR_END
#endif
