// Ops of Paddle's first versions, which later versions replaced and Paddle's translator no
// longer knows.
#include "special.h"

// Reshapes to a matrix whose rows are the dims before `axis`.
pir_status translate_flatten(translator *t, const op_desc *op) {
  const char *out = output_var(t, op, "Out");
  pir_value *x = out ? input_value(t, op, "X") : NULL;
  int64_t axis = op_int(op, "axis", 1), dims[2] = {1, -1};
  if (!x)
    return PIR_INVALID;
  if (axis) {
    x = emit_matrix(t, x, axis, dims);
  } else {
    const pir_type *type = name_type(t, out);
    if (!type)
      return PIR_INVALID;
    pir_shape shape = pir_type_shape(type);
    x = emit_reshape(t, x, emit_ints(t, dims, 2), shape.dims, shape.rank);
  }
  if (!x)
    return PIR_INVALID;
  bind(t, out, x, -1);
  return PIR_OK;
}

// One scale serves both directions; 0 means none.
pir_status translate_interp(translator *t, const op_desc *op) {
  const attr_desc *a = desc_attr(op, "scale");
  const pir_attr *pair[2];
  number scale = {.f = 0};
  draft d;
  PIR_TRY(draft_start(&d, t, op));
  PIR_TRY(draft_operands(&d));
  PIR_TRY(draft_types(&d));
  PIR_TRY(draft_attrs_but(&d, "scale"));
  if (a && !attr_number(a, &scale))
    return FAIL(t, "attribute 'scale' is no number");
  pair[0] = pair[1] = pir_attr_float(t->ctx, PIR_ATTR_F64, scale.f);
  draft_set(&d, "scale", pir_attr_array(t->ctx, pair, scale.f > 0 ? 2 : 0));
  draft_create(&d);
  return PIR_OK;
}
