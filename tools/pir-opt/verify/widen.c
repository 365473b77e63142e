// The program in float64 of one in narrower floats (widen.h).
#include "widen.h"
#include "cli.h"

#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/pass.h>
#include <pir/compiler/walk.h>

#include <stdlib.h>

pir_dtype widened_dtype(pir_dtype dtype) {
  if (dtype == PIR_F16 || dtype == PIR_BF16 || dtype == PIR_F32)
    return PIR_F64;
  return dtype == PIR_C64 ? PIR_C128 : dtype;
}

typedef struct widening {
  pir_context *ctx;
  pir_name *stop_gradient;
  pir_status status;
} widening;

static const pir_type *widened_type(widening *w, const pir_type *type);

static const pir_type *widened_list(widening *w, const pir_type *type) {
  size_t count = pir_type_elements(type);
  const pir_type **members = calloc(count + 1, sizeof *members), *list = type;
  if (!members)
    w->status = PIR_EXHAUSTED;
  for (size_t i = 0; i < count && members; i++)
    members[i] = pir_type_is_tensor(pir_type_element(type, i))
                     ? widened_type(w, pir_type_element(type, i))
                     : pir_type_element(type, i);
  if (members)
    list = pir_type_vector(w->ctx, members, count);
  free(members);
  return list;
}

static const pir_type *widened_type(widening *w, const pir_type *type) {
  if (pir_type_kind_of(type) == PIR_TYPE_VECTOR)
    return widened_list(w, type);
  if (!pir_type_is_tensor(type))
    return type;
  pir_dtype dtype = pir_type_dtype(type);
  return dtype == widened_dtype(dtype)
             ? type
             : pir_type_with_dtype(w->ctx, type, widened_dtype(dtype));
}

static void widen_value(widening *w, pir_value *value) {
  if (pir_value_type(value))
    pir_value_set_type(value, widened_type(w, pir_value_type(value)));
}

static void widen_attrs(widening *w, pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  for (size_t i = 0; i < def->attr_count; i++) {
    const pir_attr *value = pir_op_attr_at(op, i);
    if (value && pir_attr_kind_of(value) == PIR_ATTR_DTYPE)
      pir_op_set_attr_at(op, i,
                         pir_attr_dtype(w->ctx, widened_dtype(pir_attr_as_dtype(value))));
  }
}

static bool holds_floats(const pir_value *value) {
  const pir_type *type = pir_value_type(value);
  pir_dtype dtype = pir_type_dtype(type);
  return !type || !pir_type_is_tensor(type) || pir_dtype_is_float(dtype) ||
         pir_dtype_is_complex(dtype);
}

// Gradients stop at constants and integers.
static void state_stops(widening *w, pir_op *op) {
  size_t count = pir_op_results(op);
  const pir_attr **stops = calloc(count + 1, sizeof *stops);
  if (!stops)
    w->status = PIR_EXHAUSTED;
  for (size_t i = 0; i < count && stops; i++)
    stops[i] = pir_attr_bool(w->ctx, pir_op_has(op, PIR_CONSTANT) ||
                                         !holds_floats(pir_op_result(op, i)));
  if (stops)
    pir_op_set_attr(op, w->stop_gradient, count ? pir_attr_array(w->ctx, stops, count) : NULL);
  free(stops);
}

// As in Paddle the variables of a loop stop gradients if those do with which it begins. They
// depend on parameters all the same, from the second step on.
static void let_flow(widening *w, const pir_op *loop) {
  for (size_t i = 1; i < pir_op_operands(loop); i++) {
    pir_op *first = pir_op_operand_op(loop, i);
    if (first && pir_op_has(first, PIR_CONSTANT) && holds_floats(pir_op_operand(loop, i)))
      pir_op_set_attr(first, w->stop_gradient, pir_attr_flag(w->ctx, false));
  }
}

static void state_extents(widening *w, pir_op *op) {
  static const int64_t others[] = {2, 8};
  const pir_type *type = pir_value_type(pir_op_result(op, 0));
  int64_t dims[PIR_MAX_RANK];
  pir_shape shape = pir_type_shape(type);
  bool known = !pir_type_is_tensor(type) || shape.rank > PIR_MAX_RANK;
  for (size_t i = 0; i < shape.rank && !known; i++)
    dims[i] = shape.dims[i] >= 0 ? shape.dims[i] : others[i > 0];
  if (known)
    return;
  shape.dims = dims;
  pir_value_set_type(pir_op_result(op, 0),
                     pir_type_tensor(w->ctx, pir_type_dtype(type), shape));
  if (pir_op_attr_str(op, "shape"))
    pir_op_set_attr(op, pir_name_get(w->ctx, PIR_STR("shape")),
                    pir_attr_int_array(w->ctx, dims, shape.rank));
}

static pir_walk_result widen_op(pir_op *op, void *user) {
  widening *w = user;
  widen_attrs(w, op);
  for (size_t i = 0; i < pir_op_results(op); i++)
    widen_value(w, pir_op_result(op, i));
  if (pir_op_has(op, PIR_INPUT) && pir_op_results(op))
    state_extents(w, op);
  state_stops(w, op);
  if (pir_op_regions(op))
    let_flow(w, op);
  for (size_t r = 0; r < pir_op_regions(op); r++)
    for (pir_block *b = pir_region_first(pir_op_region(op, r)); b; b = pir_block_next(b))
      for (size_t i = 0; i < pir_block_arguments(b); i++) {
        widen_value(w, pir_block_argument(b, i));
        pir_block_argument_set_attr(
            pir_block_argument(b, i), w->stop_gradient,
            pir_attr_bool(w->ctx, !holds_floats(pir_block_argument(b, i))));
      }
  return w->status ? PIR_WALK_STOP : PIR_WALK_CONTINUE;
}

// An input in the place of a parameter.
static void replace_parameter(widening *w, pir_op *op) {
  const pir_type *type = pir_value_type(pir_op_result(op, 0));
  pir_shape shape = pir_type_shape(type);
  pir_named_attr attrs[] = {
      {pir_name_get(w->ctx, PIR_STR("name")),
       pir_attr_str(w->ctx, PIR_ATTR_STR, pir_op_text(op, 0))},
      {pir_name_get(w->ctx, PIR_STR("shape")),
       pir_attr_int_array(w->ctx, shape.dims, shape.rank)},
      {pir_name_get(w->ctx, PIR_STR("dtype")), pir_attr_dtype(w->ctx, pir_type_dtype(type))},
      {pir_name_get(w->ctx, PIR_STR("place")), pir_attr_place(w->ctx, (pir_place){0})},
      {w->stop_gradient, pir_attr_flag(w->ctx, false)}};
  pir_op *input =
      pir_op_create(w->ctx, &(pir_op_spec){.def = pir_context_op(w->ctx, PD_DATA),
                                           .loc = pir_op_loc(op),
                                           .result_types = &type,
                                           .result_count = 1,
                                           .attrs = attrs,
                                           .attr_count = sizeof attrs / sizeof *attrs});
  pir_op_move_before(input, op);
  pir_value_replace_uses(pir_op_result(op, 0), pir_op_result(input, 0));
  pir_op_erase(op);
}

pir_status widen_program(pir_program *program) {
  pir_context *ctx = pir_program_context(program);
  widening w = {.ctx = ctx, .stop_gradient = pir_name_get(ctx, PIR_STR("stop_gradient"))};
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, widen_op, &w);
  for (pir_op *op = pir_block_first(pir_program_block(program)), *next; op; op = next) {
    next = pir_op_next(op);
    const pir_type *type =
        pir_op_has(op, PIR_PARAMETER) ? pir_value_type(pir_op_result(op, 0)) : NULL;
    if (type && (pir_type_dtype(type) == PIR_F64 || pir_type_dtype(type) == PIR_C128))
      replace_parameter(&w, op);
  }
  return w.status ? w.status : cli_run_passes(program, PIR_STR("infer_types_pass,check"), NULL);
}
