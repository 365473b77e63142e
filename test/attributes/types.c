// Changes of the types that an op's results state, and of its operands.
#include "attributes.h"

#include <pir/compiler/build.h>
#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/dialects.h>

#include <stdio.h>

static const char *const result_labels[] = {"without a type", "an empty list", "a list",
                                            "of another element type", "of another rank"};
static const char *const operand_labels[] = {
    "absent", "a list or none", "of another element type", "of rank 0", "with an extent of 0"};
enum { RESULT_CHANGES = 5, OPERAND_CHANGES = 5 };

size_t type_changes(const pir_op *op) {
  return pir_op_results(op) * RESULT_CHANGES + pir_op_operands(op) * OPERAND_CHANGES;
}

static pir_dtype other_dtype(pir_dtype dtype) {
  return pir_dtype_is_integer(dtype) ? PIR_F32 : PIR_I64;
}

// The type with another element type, rank 0, a rank more, or an extent of 0.
static const pir_type *changed_type(pir_context *ctx, const pir_type *type, size_t change) {
  int64_t dims[PIR_MAX_RANK] = {0};
  pir_shape shape = pir_type_shape(type);
  pir_dtype dtype = pir_type_dtype(type);
  for (size_t d = 0; d < shape.rank && d < PIR_MAX_RANK; d++)
    dims[d] = shape.dims[d];
  shape.dims = dims;
  if (change == 2)
    dtype = other_dtype(dtype);
  else if (change == 3)
    shape.rank = 0;
  else if (shape.rank)
    dims[shape.rank - 1] = 0;
  return pir_type_tensor(ctx, dtype, shape);
}

static bool change_result(pir_context *ctx, pir_value *value, size_t change) {
  const pir_type *type = pir_value_type(value);
  bool tensor = type && pir_type_kind_of(type) == PIR_TYPE_TENSOR;
  const pir_type *to = NULL;
  if (change == 1)
    to = pir_type_vector(ctx, NULL, 0);
  else if (change == 2)
    to = pir_type_vector(ctx, &type, 1);
  else if (change > 2 && !tensor)
    return false;
  else if (change > 2)
    to = changed_type(ctx, type, change - 1);
  pir_value_set_type(value, to);
  return to != type;
}

static pir_named_attr entry(pir_context *ctx, const char *name, const pir_attr *value) {
  return (pir_named_attr){pir_name_get(ctx, pir_str_from(name)), value};
}

// Puts an input of this type before the op.
static pir_value *put_feed(pir_context *ctx, pir_op *op, const pir_type *type) {
  pir_shape shape = pir_type_shape(type);
  pir_named_attr attrs[] = {
      entry(ctx, "name", pir_attr_str(ctx, PIR_ATTR_STR, PIR_STR("changed"))),
      entry(ctx, "shape", pir_attr_int_array(ctx, shape.dims, shape.rank)),
      entry(ctx, "dtype", pir_attr_dtype(ctx, pir_type_dtype(type))),
      entry(ctx, "place", pir_attr_place(ctx, (pir_place){0}))};
  pir_op_spec spec = {.def = pir_context_op(ctx, PD_DATA),
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = 4};
  pir_builder before = pir_builder_before(op);
  return pir_op_result(pir_build(&before, &spec), 0);
}

static pir_value *put_combine(pir_context *ctx, pir_op *op, pir_value *member) {
  const pir_type *one = pir_value_type(member), *type = pir_type_vector(ctx, &one, 1);
  pir_op_spec spec = {.def = pir_context_op(ctx, BUILTIN_COMBINE),
                      .operands = &member,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1};
  pir_builder before = pir_builder_before(op);
  return pir_op_result(pir_build(&before, &spec), 0);
}

static bool change_operand(pir_context *ctx, pir_op *op, size_t i, size_t change) {
  pir_value *value = pir_op_operand(op, i);
  const pir_type *type = value ? pir_value_type(value) : NULL;
  if (!type)
    return false;
  bool list = pir_type_kind_of(type) == PIR_TYPE_VECTOR;
  bool tensor = pir_type_kind_of(type) == PIR_TYPE_TENSOR;
  pir_op *definer = pir_op_operand_op(op, i);
  if (change == 0)
    value = NULL;
  else if (change == 1 && list && definer && pir_op_operands(definer))
    value = pir_op_operand(definer, 0);
  else if (change == 1 && tensor)
    value = put_combine(ctx, op, value);
  else if (change > 1 && tensor)
    value = put_feed(ctx, op, changed_type(ctx, type, change));
  else
    return false;
  pir_op_set_operand(op, i, value);
  return true;
}

bool type_change(pir_context *ctx, pir_op *op, size_t number, char label[TYPE_LABEL]) {
  size_t results = pir_op_results(op) * RESULT_CHANGES;
  bool result = number < results;
  size_t at = result ? number : number - results;
  size_t i = at / RESULT_CHANGES, change = at % RESULT_CHANGES;
  snprintf(label, TYPE_LABEL, "%s %zu %s", result ? "result" : "operand", i,
           result ? result_labels[change] : operand_labels[change]);
  return result ? change_result(ctx, pir_op_result(op, i), change)
                : change_operand(ctx, op, i, change);
}
