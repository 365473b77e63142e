// Replaces ops by kernel calls in Paddle's form. Private to passes/lower.
#ifndef PIR_KERNEL_CALL_H
#define PIR_KERNEL_CALL_H

#include <pir/infer.h>
#include <pir/pass.h>

typedef struct kernel_calls {
  pir_pass_run *run;
  pir_context *ctx;
  pir_facts *facts;
  pir_named_attr *attrs;  // of the op at hand, its operands and types
  const pir_type **types;
  pir_value **operands;
  size_t capacity;
} kernel_calls;

// Puts a call of its kernel in the place of an op: `"NAME(phi_kernel)"` with kernel_key,
// kernel_name and op_name beside its own attributes, and `origin` (NULL: none) as origin_id.
// Results lie where the kernel leaves them.
pir_status kernel_call_replace(kernel_calls *calls, pir_op *op, const pir_attr *origin,
                               pir_op **out_call);
// A call like `call`, before it, of what `meant` names: results are taken over, `call` is left
// to be erased.
pir_op *kernel_call_rename(pir_pass_run *run, pir_op *call, const pir_opdef *meant);
void kernel_calls_free(kernel_calls *calls);

// The type at a place, members of a list each; a type that holds no tensor is left as it is.
const pir_type *kernel_placed_type(pir_context *ctx, const pir_type *type, pir_str place);

#endif
