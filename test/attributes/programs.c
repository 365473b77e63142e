// Programs of one op that are made from its declaration.
#include "attributes.h"

#include <pir/compiler/build.h>
#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/dialects.h>

#include <stdio.h>

enum { MOST_OPERANDS = 64, MOST_ATTRS = 96 };

typedef struct making {
  pir_context *ctx;
  pir_program *program;
  const pir_type *matrix;  // tensor<2x3xf32>
} making;

static pir_op *put(making *m, const pir_opdef *def, pir_value *const *operands, size_t count,
                   const pir_type *const *types, size_t results, const pir_named_attr *attrs,
                   size_t attr_count) {
  pir_builder builder = pir_builder_at_end(pir_program_block(m->program));
  pir_op_spec spec = {.def = def,
                      .operands = operands,
                      .operand_count = count,
                      .result_types = types,
                      .result_count = results,
                      .attrs = attrs,
                      .attr_count = attr_count};
  return pir_build(&builder, &spec);
}

static pir_named_attr named(making *m, const char *name, const pir_attr *value) {
  return (pir_named_attr){pir_name_get(m->ctx, pir_str_from(name)), value};
}

static pir_value *put_input(making *m, size_t k) {
  const int64_t extents[] = {2, 3};
  char name[16];
  int size = snprintf(name, sizeof name, "x%zu", k);
  pir_named_attr attrs[] = {
      named(m, "name", pir_attr_str(m->ctx, PIR_ATTR_STR, (pir_str){name, (size_t)size})),
      named(m, "shape", pir_attr_int_array(m->ctx, extents, 2)),
      named(m, "dtype", pir_attr_dtype(m->ctx, PIR_F32)),
      named(m, "place", pir_attr_place(m->ctx, (pir_place){0}))};
  return pir_op_result(
      put(m, pir_context_op(m->ctx, PD_DATA), NULL, 0, &m->matrix, 1, attrs, 4), 0);
}

static pir_value *put_list(making *m, size_t k) {
  pir_value *member = put_input(m, k);
  const pir_type *type = pir_type_vector(m->ctx, &m->matrix, 1);
  pir_op *op = put(m, pir_context_op(m->ctx, BUILTIN_COMBINE), &member, 1, &type, 1, NULL, 0);
  return pir_op_result(op, 0);
}

static pir_value *put_constant(making *m) {
  const int64_t one = 1;
  const pir_attr *item = pir_attr_int(m->ctx, PIR_ATTR_I64, 1);
  const pir_type *type = pir_type_tensor(m->ctx, PIR_I64, (pir_shape){&one, 1});
  pir_named_attr attrs[] = {named(m, "value", pir_attr_array(m->ctx, &item, 1)),
                            named(m, "dtype", pir_attr_dtype(m->ctx, PIR_I64)),
                            named(m, "place", pir_attr_place(m->ctx, (pir_place){.kind = 1}))};
  return pir_op_result(
      put(m, pir_context_op(m->ctx, PD_FULL_INT_ARRAY), NULL, 0, &type, 1, attrs, 3), 0);
}

static pir_value *put_operand(making *m, const pir_operand_def *def, size_t k) {
  if (def->flags & (PIR_OPERAND_SCALAR | PIR_OPERAND_INTARRAY))
    return put_constant(m);
  return def->flags & PIR_OPERAND_VARIADIC ? put_list(m, k) : put_input(m, k);
}

static void put_output(making *m, pir_value *value, size_t i) {
  char name[16];
  int size = snprintf(name, sizeof name, "y%zu", i);
  const pir_attr *text = pir_attr_str(m->ctx, PIR_ATTR_STR, (pir_str){name, (size_t)size});
  pir_named_attr attrs[] = {named(m, "output_name", text)};
  put(m, pir_context_op(m->ctx, BUILTIN_SHADOW_OUTPUT), &value, 1, NULL, 0, attrs, 1);
}

static const pir_attr *plain_value(pir_context *ctx, const pir_attr_def *def) {
  const pir_attr *text = pir_attr_str(ctx, PIR_ATTR_STR, PIR_STR("a"));
  const pir_attr *integer = pir_attr_int(ctx, PIR_ATTR_I64, 1);
  const pir_attr *real = pir_attr_float(ctx, PIR_ATTR_F32, 1);
  switch ((pir_attr_kind)def->kind) {
    case PIR_ATTR_BOOL: return pir_attr_bool(ctx, false);
    case PIR_ATTR_I32:
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX: return pir_attr_int(ctx, (pir_attr_kind)def->kind, 1);
    case PIR_ATTR_F32:
    case PIR_ATTR_F64: return pir_attr_float(ctx, (pir_attr_kind)def->kind, 1);
    case PIR_ATTR_SCALAR: return pir_attr_scalar(ctx, PIR_F32, real);
    case PIR_ATTR_STR:
    case PIR_ATTR_TENSOR_NAME: return text;
    case PIR_ATTR_DTYPE: return pir_attr_dtype(ctx, PIR_F32);
    case PIR_ATTR_LAYOUT: return pir_attr_layout(ctx, PIR_LAYOUT_ANY);
    case PIR_ATTR_PLACE: return pir_attr_place(ctx, (pir_place){.kind = 1});
    case PIR_ATTR_ARRAY:
      if (def->element_kind == PIR_ATTR_STR)
        return pir_attr_array(ctx, &text, 1);
      return pir_attr_array(
          ctx, pir_attr_kind_is_float((pir_attr_kind)def->element_kind) ? &real : &integer, 1);
    case PIR_ATTR_INT_ARRAY: return pir_attr_int_array(ctx, (const int64_t[]){1}, 1);
    default: return NULL;
  }
}

pir_program *attribute_program(pir_context *ctx, const pir_opdef *def) {
  const int64_t extents[] = {2, 3};
  making m = {.ctx = ctx, .matrix = pir_type_tensor(ctx, PIR_F32, (pir_shape){extents, 2})};
  pir_value *operands[MOST_OPERANDS];
  const pir_type *types[MOST_OPERANDS];
  pir_named_attr attrs[MOST_ATTRS];
  size_t attr_count = 0;
  bool fits = def->operand_count <= MOST_OPERANDS && def->result_count <= MOST_OPERANDS &&
              def->attr_count <= MOST_ATTRS;
  if (!fits || def->region_count)
    return NULL;
  m.program = pir_program_create(ctx);
  for (size_t k = 0; k < def->operand_count; k++)
    operands[k] = put_operand(&m, &def->operands[k], k);
  for (size_t i = 0; i < def->result_count; i++)
    types[i] = m.matrix;
  for (size_t i = 0; i < def->attr_count; i++) {
    const pir_attr *value = def->attrs[i].required ? plain_value(ctx, &def->attrs[i]) : NULL;
    if (value)
      attrs[attr_count++] = named(&m, def->attrs[i].name, value);
  }
  pir_op *op =
      put(&m, def, operands, def->operand_count, types, def->result_count, attrs, attr_count);
  for (size_t i = 0; i < def->result_count; i++)
    put_output(&m, pir_op_result(op, i), i);
  return m.program;
}
