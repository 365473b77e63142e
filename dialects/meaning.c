// What an op means when lowering renamed it: the kernel dialect keeps the name of the op as an attribute.
#include <pir/infer.h>

const pir_opdef *pir_op_meaning(const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  if (!(def->traits & PIR_BOUND)) return def;
  const pir_attr *name = pir_op_attr_str(op, "op_name");
  return name ? pir_context_opdef(pir_op_context(op), pir_attr_as_str(name)) : def;
}
