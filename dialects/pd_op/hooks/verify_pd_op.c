// Conditions on attributes that the tables cannot express.
#include <pir/diag.h>
#include <pd_op_hooks.h>
#include <pir/compiler/ir.h>

#include <pir/compiler/dialect/pd_op.h>

// Every element of attribute `name`, where the op has it, is 1 or more.
static pir_status positive(const pir_op *op, const char *name) {
  const pir_attr *attr = pir_op_attr(op, pir_name_get(pir_op_context(op), pir_str_from(name)));
  int64_t value;
  if (!attr)
    return PIR_OK;
  if (pir_attr_as_int(attr, &value))
    return value > 0 ? PIR_OK
                     : pir_error(op, "attribute %s: expects 1 or more, found %lld", name,
                                 (long long)value);
  for (size_t i = 0; pir_attr_int_at(attr, i, &value); i++)
    if (value <= 0)
      return pir_error(op, "attribute %s: expects 1 or more, found %lld", name,
                       (long long)value);
  return PIR_OK;
}

pir_status pd_verify_convolution(const pir_op *op) {
  PIR_TRY(positive(op, "groups"));
  PIR_TRY(positive(op, "strides"));
  return positive(op, "dilations");
}
