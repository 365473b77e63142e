// Finds the meaning of an op that lowering has bound to a kernel. Ops of the kernel dialect are
// named after their kernel ("relu(phi_kernel)") and keep the name of the original op in an
// attribute.
#include <pir/compiler/infer.h>
#include <string.h>

static const char mark[] = "_kernel)";

const pir_opdef *pir_op_meaning(const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  if (def->traits & PIR_REGISTERED)
    return def;
  pir_str name = pir_op_name(op);
  size_t size = sizeof mark - 1;
  if (name.size < size || memcmp(name.data + name.size - size, mark, size))
    return def;
  const pir_attr *meant = pir_op_attr_str(op, "op_name");
  return meant ? pir_context_opdef(pir_op_context(op), pir_attr_as_str(meant)) : def;
}
