// Writes ops that only change a shape. Their legacy forms have a second result `XShape`: an
// empty tensor with a 0 and then the input's extents. Their gradients take XShape in place of
// the input, because they need only its shape. If a gradient's input is available, the gradient
// gets the XShape of an op that read the same input, or of an added `unsqueeze2`. If the
// gradient was read from a .pdmodel, a pd_op.data with the variable's name takes the input's
// place. It stands for the XShape of the last earlier op of the same kind and type whose XShape
// no other gradient has taken.
#include <string.h>

#include <pir/compiler/dialect/pd_op.h>

#include "export.h"

static const pir_type *kept_type(exporter *x, const pir_type *type) {
  pir_shape shape = pir_type_shape(type);
  int64_t dims[PIR_MAX_RANK + 1] = {0};
  if (shape.rank)
    memcpy(dims + 1, shape.dims, shape.rank * sizeof *dims);
  return pir_type_tensor(x->ctx, pir_type_dtype(type), (pir_shape){dims, shape.rank + 1});
}

// Returns the forward op of a gradient that takes XShape; 0 for other ops.
static uint32_t forward_of(const pir_op *op) {
  switch (pir_op_def(op)->id) {
    case PD_RESHAPE_GRAD: return PD_RESHAPE;
    case PD_FLATTEN_GRAD: return PD_FLATTEN;
    case PD_SQUEEZE_GRAD: return PD_SQUEEZE;
    case PD_UNSQUEEZE_GRAD: return PD_UNSQUEEZE;
    default: return 0;
  }
}

const pir_type *input_type(exporter *x, const pir_value *value) {
  const pir_type *type = pir_value_type(value);
  if (pir_value_unused(value) || pir_type_shape(type).rank >= PIR_MAX_RANK)
    return type;
  PIR_EACH_USE(u, (pir_value *)(uintptr_t)value)
  if (!forward_of(pir_use_owner(u)) || pir_use_operand_index(u))
    return type;
  return kept_type(x, type);
}

static uint32_t plain_id(const pir_op *op) {
  return pir_op_def(op)->base ? pir_op_def(op)->base->id : pir_op_def(op)->id;
}

// Finds the op whose XShape the input `data` stands for.
static void claim(exporter *x, const pir_op *data) {
  const pir_value *value = pir_op_result(data, 0);
  uint32_t kind = forward_of(pir_use_owner(pir_value_first_use(value)));
  for (const pir_op *op = pir_op_prev(data); op; op = pir_op_prev(op)) {
    const pir_value *from = pir_op_operands(op) ? pir_op_operand(op, 0) : NULL;
    if (plain_id(op) != kind || !from || pir_value_type(from) != pir_value_type(value))
      continue;
    if (pir_map_find(&x->claims, op))
      continue;
    pir_map_put(&x->arena, &x->claims, op, (uint64_t)(uintptr_t)value);
    return;
  }
}

void find_kept_shapes(exporter *x) {
  PIR_EACH_OP(op, pir_program_block(x->program))
  if (pir_op_is(op, PD_DATA) &&
      input_type(x, pir_op_result(op, 0)) != pir_value_type(pir_op_result(op, 0)))
    claim(x, op);
}

// Names and declares the XShape of `op` (NULL: of one made here).
static out_var *kept_var(exporter *x, const pir_op *op, const pir_value *from,
                         const char *stem) {
  const pir_value *value = op ? pir_map_get(&x->claims, op) : NULL;
  const pir_attr *name = value ? pir_op_attr_at(pir_value_op(value), PD_DATA_ATTR_NAME) : NULL;
  const char *text = name ? copy_text(x, pir_attr_as_str(name)) : name_make(x, stem, 1);
  out_var *kept = var_declare(x, text, kept_type(x, pir_value_type(from)));
  if (!kept)
    return NULL;
  if (value) {
    holder_set_var(x, value, kept);
    var_set_stop(kept, pir_value_op(value), 0);
  }
  pir_map_put(&x->arena, &x->kept_shapes, from, (uint64_t)(uintptr_t)kept);
  return kept;
}

// Adds the XShape output, unless it would have too many dims.
static pir_status keep_shape(exporter *x, const pir_op *op, const pir_value *from, out_op *o,
                             const char *stem) {
  out_var *kept;
  if (!pir_type_is_tensor(pir_value_type(from)) ||
      pir_type_shape(pir_value_type(from)).rank >= PIR_MAX_RANK)
    return PIR_OK;
  kept = kept_var(x, op, from, stem);
  if (!kept)
    return PIR_UNSUPPORTED;
  op_output(x, o, "XShape", &kept, 1);
  return PIR_OK;
}

pir_status export_reshaping(exporter *x, const pir_op *op) {
  out_op *o;
  PIR_TRY(export_as(x, op, row_of(op)->name, &o));
  PIR_TRY(keep_shape(x, op, pir_op_operand(op, 0), o, row_of(op)->name));
  op_close(x, o);
  return PIR_OK;
}

// Writes an op only for its XShape.
static out_var *kept_anew(exporter *x, const pir_value *value) {
  static const int64_t axis = 0;
  const pir_type *type = kept_type(x, pir_value_type(value));
  out_var *from = value_var(x, value),
          *out = from ? var_declare(x, name_make(x, "unsqueeze2", 0), type) : NULL;
  out_op *o = op_open(x, "unsqueeze2");
  if (!out || keep_shape(x, NULL, value, o, "unsqueeze2"))
    return NULL;
  op_input(x, o, "X", &from, 1);
  (void)op_set_ints(x, o, "axes", PIR_ATTR_I32, &axis, 1);
  op_output(x, o, "Out", &out, 1);
  op_close(x, o);
  return pir_map_get(&x->kept_shapes, value);
}

static out_var *shape_of_input(exporter *x, const pir_value *value) {
  out_var *kept = value ? pir_map_get(&x->kept_shapes, value) : NULL;
  const pir_op *op = value ? pir_value_op(value) : NULL;
  if (kept && (kept->home == x->block || !kept->home->parent))
    return kept;
  if (op && pir_op_is(op, PD_DATA) && input_type(x, value) != pir_value_type(value))
    return value_var(x, value);
  return value ? kept_anew(x, value) : NULL;
}

pir_status export_reshaping_grad(exporter *x, const pir_op *op) {
  out_var *kept = shape_of_input(x, pir_op_operand(op, 0));
  out_op *o = op_open(x, row_of(op)->name);
  if (!kept)
    return export_unsupported(x, "a gradient of something without a shape");
  op_input(x, o, "XShape", &kept, 1);
  for (size_t i = 1; i < pir_op_operands(op); i++)
    PIR_TRY(export_operand(x, op, i, o));
  PIR_TRY(export_results(x, op, o));
  PIR_TRY(export_attrs(x, op, o));
  op_close(x, o);
  return PIR_OK;
}
