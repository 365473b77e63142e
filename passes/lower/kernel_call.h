// Replaces ops by kernel calls in Paddle's form. Private to passes/lower.
#ifndef PIR_KERNEL_CALL_H
#define PIR_KERNEL_CALL_H

#include <pir/compiler/infer.h>
#include <pir/compiler/pass.h>

typedef struct kernel_calls {
  pir_pass_run *run;
  pir_context *ctx;
  pir_facts *facts;
  pir_named_attr *attrs;  // attributes of the current op, its operands and types
  const pir_type **types;
  pir_value **operands;
  size_t capacity;
} kernel_calls;

// Replaces an op by a call of its kernel: `"NAME(phi_kernel)"` with kernel_key, kernel_name and
// op_name in addition to the op's attributes, and `origin` (NULL: none) as origin_id. Results
// are at the kernel's place.
void kernel_call_replace(kernel_calls *calls, pir_op *op, const pir_attr *origin);
// Replaces a call by the same call of the in-place twin of its op.
void kernel_call_make_inplace(pir_pass_run *run, pir_op *call, const pir_opdef *twin);
void kernel_calls_free(kernel_calls *calls);

// Returns the type at a place; for a list, the types of its members. Types without tensors are
// returned unchanged.
const pir_type *kernel_placed_type(pir_context *ctx, const pir_type *type, pir_str place);

#endif
