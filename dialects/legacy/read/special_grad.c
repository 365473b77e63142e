// Gradients that a table row cannot describe. Where the forward op kept only the shape of its
// input (XShape, with a leading 0), the gradient gets that input. If it is out of reach, a
// pd_op.data of its shape takes its place, because only the shape is read.
#include "special.h"

static pir_value *shaped_value(const translator *t, const char *name) {
  pir_value *value = pir_map_get(&t->shaped, pir_name_get(t->ctx, pir_str_from(name)));
  const pir_block *home = value ? pir_value_block(value) : NULL;
  const pir_block *block = t->builder.block;
  while (home && block && block != home) {
    const pir_op *parent = pir_block_parent_op(block);
    block = parent ? pir_op_block(parent) : NULL;
  }
  return home && block ? value : NULL;
}

// Returns the input whose shape `XShape` keeps, or a stand-in.
static pir_value *input_of_shape(translator *t, const op_desc *op) {
  const char *name = input_var(t, op, "XShape");
  pir_value *input = name ? shaped_value(t, name) : NULL;
  if (input)
    return input;
  const pir_type *type = name ? name_type(t, name) : NULL;
  pir_shape shape = pir_type_shape(type);
  if (!type)
    return NULL;
  if (!shape.rank) {
    (void)FAIL(t, "variable '%s' of slot 'XShape' has rank 0", name);
    return NULL;
  }
  shape = (pir_shape){shape.dims + 1, shape.rank - 1};
  type = pir_type_tensor(t->ctx, pir_type_dtype(type), shape);
  pir_named_attr attrs[] = {
      named(t, "name", pir_attr_str(t->ctx, PIR_ATTR_STR, pir_str_from(name))),
      named(t, "shape", pir_attr_int_array(t->ctx, shape.dims, shape.rank)),
      named(t, "dtype", pir_attr_dtype(t->ctx, pir_type_dtype(type))),
      named(t, "place", pir_attr_place(t->ctx, (pir_place){0}))};
  pir_value *value = pir_op_result(emit(t, "pd_op.data", NULL, 0, &type, 1, attrs, 4), 0);
  bind(t, name, value, -1);
  return value;
}

pir_status translate_xshape_grad(translator *t, const op_desc *op) {
  draft d;
  PIR_TRY(draft_start(&d, t, op));
  d.operands[0] = input_of_shape(t, op);
  if (!d.operands[0])
    return PIR_INVALID;
  for (size_t i = 1; i < d.def->operand_count; i++)
    PIR_TRY(draft_operand(&d, i));
  PIR_TRY(draft_types(&d));
  if (d.types[0])
    d.types[0] = pir_value_type(d.operands[0]);
  PIR_TRY(draft_attrs(&d));
  draft_create(&d);
  return PIR_OK;
}

pir_status translate_tril_triu_grad(translator *t, const op_desc *op) {
  draft d;
  PIR_TRY(draft_start_as(&d, t, op,
                         op_bool(op, "lower", true) ? "pd_op.tril_grad" : "pd_op.triu_grad"));
  d.row = d.def->legacy;
  return draft_finish(&d);
}

pir_status translate_repeat_interleave_grad(translator *t, const op_desc *op) {
  draft d;
  if (!fed_input(op, "RepeatsTensor"))
    return translate_generic(t, op);
  PIR_TRY(draft_start_as(&d, t, op, "pd_op.repeat_interleave_with_tensor_index_grad"));
  d.row = d.def->legacy;
  return draft_finish(&d);
}

// Returns the only variable of an output slot; NULL if nobody reads it.
static const char *wanted_output(const op_desc *op, const char *slot) {
  const slot_desc *s = desc_output(op, slot);
  return s && s->n_arguments == 1 ? s->arguments[0] : NULL;
}

// Reshapes a matrix to the shape of its variable.
static pir_status reshape_result(translator *t, pir_value *value, const char *name) {
  const pir_type *type = name_type(t, name);
  if (!type)
    return PIR_INVALID;
  pir_shape shape = pir_type_shape(type);
  bind(t, name, value, -1);
  bind(t, name,
       emit_reshape(t, value, emit_ints(t, shape.dims, shape.rank), shape.dims, shape.rank),
       -1);
  return PIR_OK;
}

pir_status translate_mul_grad(translator *t, const op_desc *op) {
  int64_t xd[2], yd[2], od[2];
  const char *results[2] = {wanted_output(op, "X@GRAD"), wanted_output(op, "Y@GRAD")};
  pir_value *operands[3] = {input_value(t, op, "X"), NULL, NULL};
  operands[1] = operands[0] ? input_value(t, op, "Y") : NULL;
  operands[2] = operands[1] ? input_value(t, op, "Out@GRAD") : NULL;
  if (!operands[2])
    return PIR_INVALID;
  int64_t x_rows = op_int(op, "x_num_col_dims", 1), y_rows = op_int(op, "y_num_col_dims", 1);
  operands[0] = emit_matrix(t, operands[0], x_rows, xd);
  operands[1] = operands[0] ? emit_matrix(t, operands[1], y_rows, yd) : NULL;
  operands[2] = operands[1] ? emit_matrix(t, operands[2], x_rows, od) : NULL;
  if (!operands[2])
    return PIR_INVALID;
  const pir_type *types[2] = {results[0] ? name_type(t, results[0]) : NULL,
                              results[1] ? name_type(t, results[1]) : NULL};
  if ((results[0] && !types[0]) || (results[1] && !types[1]))
    return PIR_INVALID;
  pir_named_attr attrs[] = {named(t, "transpose_x", pir_attr_bool(t->ctx, false)),
                            named(t, "transpose_y", pir_attr_bool(t->ctx, false))};
  pir_op *grad = emit(t, "pd_op.matmul_grad", operands, 3, types, 2, attrs, 2);
  for (size_t i = 0; i < 2; i++)
    if (results[i])
      PIR_TRY(reshape_result(t, pir_op_result(grad, i), results[i]));
  return PIR_OK;
}

// Starts, ends and steps are given as for set_value itself.
pir_status translate_set_value_grad(translator *t, const op_desc *op) {
  static const char *const slots[] = {"Input@GRAD", "ValueTensor@GRAD"};
  draft plain, d;
  PIR_TRY(draft_start_as(&d, t, op, "pd_op.set_value_with_tensor_grad"));
  plain = d;
  plain.def = pir_context_opdef(t->ctx, PIR_STR("pd_op.set_value"));
  plain.row = pir_legacy_find(PIR_STR("set_value"));
  if (!plain.row || plain.def->operand_count != 4 || d.def->operand_count != 5 ||
      d.def->result_count != 2)
    return UNSUPPORTED(t, "op '%s'", op->type);
  d.operands[0] = input_value(t, op, "ValueTensor");
  d.operands[1] = d.operands[0] ? input_value(t, op, "Out@GRAD") : NULL;
  if (!d.operands[1])
    return PIR_INVALID;
  for (size_t i = 1; i < 4; i++) {
    PIR_TRY(draft_operand(&plain, i));
    d.operands[i + 1] = plain.operands[i];
  }
  PIR_TRY(draft_attrs(&d));
  for (size_t i = 0; i < 2; i++) {
    const char *name = wanted_output(op, slots[i]);
    d.types[i] = name ? name_type(t, name) : NULL;
    if (name && !d.types[i])
      return PIR_INVALID;
  }
  pir_op *grad = draft_create(&d);
  for (size_t i = 0; i < 2; i++)
    if (d.types[i])
      bind(t, wanted_output(op, slots[i]), pir_op_result(grad, i), -1);
  return PIR_OK;
}
