// New ops of a quantised program, in the form of the programs that Paddle quantises after
// training: quantize_linear and dequantize_linear of inference with all five operands, which
// are parameters. Paddle's executor needs the statistics of training (in_accum, in_state) too,
// though inference reads none; all ops share one zero for them. Paddle stores the whole numbers
// of a weight as f32; here they are bytes with a cast to f32 unless the options ask for that. A
// value that several layers read is quantised once.
#include "quantise.h"

#include <pir/compiler/build.h>
#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>

#include <stdlib.h>
#include <string.h>

static const char shown[] = "quantise@";

void emission_open(quantising *q, pir_program *program, pir_rewriter *rewriter,
                   emission *out_emission) {
  *out_emission = (emission){
      .q = q,
      .program = program,
      .rewriter = rewriter,
      .top = pir_block_first(pir_program_block(program)),
      .inputs = pir_arena_zalloc(&q->arena, q->inputs.count * sizeof(pir_value *)),
      .scales = pir_arena_zalloc(&q->arena, q->weights.count * sizeof(pir_value *)),
      .weights = pir_arena_zalloc(&q->arena, q->weights.count * sizeof(pir_value *))};
}

pir_op *emission_op(const emission *e, pir_op *at, const pir_op_spec *spec) {
  pir_builder b = pir_builder_before(at);
  return e->rewriter ? pir_rewriter_create(e->rewriter, at, spec) : pir_build(&b, spec);
}

typedef struct op_list {
  pir_arena *arena;
  PIR_VEC(pir_op *) ops;
} op_list;

static pir_walk_result list_op(pir_op *op, void *user) {
  op_list *list = user;
  pir_vec_push(list->arena, &list->ops, op);
  return PIR_WALK_CONTINUE;
}

pir_op **quantise_ops_of(quantising *q, const pir_program *program) {
  op_list list = {.arena = &q->arena};
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, list_op, &list);
  pir_vec_push(&q->arena, &list.ops, NULL);
  return list.ops.items;
}

// ---- parameters

pir_str emission_name(emission *e, pir_str stem, const char *ending) {
  pir_arena *arena = &e->q->arena;
  size_t size = stem.size + strlen(ending) + 24;
  char *room = pir_arena_alloc(arena, size);
  pir_str name = {room, 0};
  name.size = pir_text_format(room, size, "%.*s%s", (int)stem.size, stem.data, ending);
  while (pir_program_param(e->program, name))
    name.size = pir_text_format(room, size, "%.*s%s_%zu", (int)stem.size, stem.data, ending,
                                e->serial++);
  return name;
}

pir_named_attr quantise_attr(const quantising *q, const char *name, const pir_attr *value) {
  return (pir_named_attr){pir_name_get(q->ctx, pir_str_from(name)), value};
}

// Makes the op of a parameter, whose bytes the program takes over.
static pir_value *emit_adopted(emission *e, const pir_param *param) {
  pir_context *ctx = e->q->ctx;
  const pir_type *type = pir_type_tensor(ctx, param->dtype, param->shape);
  pir_program_adopt_param(e->program, param);
  pir_named_attr attrs[] = {
      quantise_attr(e->q, "parameter_name", pir_attr_str(ctx, PIR_ATTR_STR, param->name)),
      quantise_attr(e->q, "persistable", pir_attr_flag(ctx, true)),
      quantise_attr(e->q, "stop_gradient", pir_attr_flag(ctx, true)),
      quantise_attr(e->q, "trainable", pir_attr_flag(ctx, false)),
  };
  pir_op_spec spec = {.def = pir_context_op(ctx, BUILTIN_PARAMETER),
                      .loc = pir_op_loc(e->top),
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = sizeof attrs / sizeof *attrs};
  return pir_op_result(emission_op(e, e->top, &spec), 0);
}

pir_value *emit_parameter(emission *e, pir_str name, pir_dtype dtype, pir_shape shape,
                          const void *bytes, size_t size) {
  void *data = malloc(size ? size : 1);
  if (!data)
    pir_heap_fail(e->q->heap);
  memcpy(data, bytes, size);
  return emit_adopted(e, &(pir_param){name, dtype, shape, data, size, free, data});
}

static void drop_record(void *record) {
  pir_param_release(record);
}

pir_value *emit_shared(emission *e, pir_str name, const pir_param *record) {
  pir_param param = *record;
  pir_param_retain(record);
  param.name = name;
  param.release = drop_record;
  param.user = (void *)(uintptr_t)record;
  return emit_adopted(e, &param);
}

// Makes a scale for each of `count` channels, and zero points; axis -1: a scalar of both.
static pir_value *emit_scale(emission *e, pir_str name, const float *scales, int64_t count,
                             int axis) {
  pir_shape shape = {&count, axis < 0 ? 0 : 1};
  return emit_parameter(e, name, PIR_F32, shape, scales, (size_t)count * sizeof *scales);
}

static pir_value *zero_point(emission *e) {
  static const float zero = 0;
  if (!e->zero)
    e->zero = emit_scale(e, emission_name(e, PIR_STR("quantise"), ".zero_point"), &zero, 1, -1);
  return e->zero;
}

// ---- quantize_linear and dequantize_linear

static pir_value *emit_linear(emission *e, pir_op *at, uint32_t id, pir_value *x,
                              pir_value *scale, pir_value *zeros, int axis, int top) {
  pir_context *ctx = e->q->ctx;
  pir_value *zero = zero_point(e);
  int bits = top > QUANTISE_TOP ? QUANTISE_BITS_UNSIGNED : 8;
  const pir_type *none = pir_value_type(zero), *from = pir_value_type(x);
  const pir_type *types[4] = {pir_type_tensor(ctx, PIR_F32, pir_type_shape(from)), none, none,
                              pir_value_type(scale)};
  pir_value *operands[5] = {x, scale, zeros, zero, zero};
  pir_named_attr attrs[] = {
      quantise_attr(e->q, "quant_axis", pir_attr_int(ctx, PIR_ATTR_I32, axis)),
      quantise_attr(e->q, "bit_length", pir_attr_int(ctx, PIR_ATTR_I32, bits)),
      quantise_attr(e->q, "qmin", pir_attr_int(ctx, PIR_ATTR_I32, -top - 1)),
      quantise_attr(e->q, "qmax", pir_attr_int(ctx, PIR_ATTR_I32, top)),
      quantise_attr(e->q, "round_type", pir_attr_int(ctx, PIR_ATTR_I32, 0)),
      quantise_attr(e->q, "is_test", pir_attr_bool(ctx, true)),
      quantise_attr(e->q, "only_observer", pir_attr_bool(ctx, false)),
  };
  pir_op_spec spec = {.def = pir_context_op(ctx, id),
                      .loc = pir_op_loc(at),
                      .operands = operands,
                      .operand_count = 5,
                      .result_types = types,
                      .result_count = 4,
                      .attrs = attrs,
                      .attr_count = sizeof attrs / sizeof *attrs};
  return pir_op_result(emission_op(e, at, &spec), 0);
}

static pir_value *emit_input(emission *e, const layer *l, pir_op *at) {
  const activation *input = &e->q->inputs.items[l->input];
  if (e->inputs[l->input])
    return e->inputs[l->input];
  float scale = (float)input->scale;
  pir_value *x = pir_op_operand(at, l->x);
  pir_value *scales =
      emit_scale(e, emission_name(e, PIR_STR("quantise"), ".scale"), &scale, 1, -1);
  pir_value *whole =
      emit_linear(e, at, PD_QUANTIZE_LINEAR, x, scales, zero_point(e), -1, input->top);
  e->inputs[l->input] =
      emit_linear(e, at, PD_DEQUANTIZE_LINEAR, whole, scales, zero_point(e), -1, input->top);
  return e->inputs[l->input];
}

pir_value *emit_cast(const emission *e, pir_op *at, pir_value *value, pir_dtype to) {
  pir_context *ctx = e->q->ctx;
  const pir_type *type = pir_type_tensor(ctx, to, pir_type_shape(pir_value_type(value)));
  pir_named_attr attr = quantise_attr(e->q, "dtype", pir_attr_dtype(ctx, to));
  pir_op_spec spec = {.def = pir_context_op(ctx, PD_CAST),
                      .loc = pir_op_loc(at),
                      .operands = &value,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = &attr,
                      .attr_count = 1};
  return pir_op_result(emission_op(e, at, &spec), 0);
}

static pir_value *emit_floats(emission *e, const byte_weight *w, pir_str name, size_t count) {
  pir_arena *arena = &e->q->arena;
  size_t size = pir_arena_size(arena, count, sizeof(float));
  float *floats = pir_arena_alloc(arena, size);
  for (size_t i = 0; i < count; i++)
    floats[i] = (float)w->bytes[i];
  pir_value *value = emit_parameter(e, name, PIR_F32, w->param->shape, floats, size);
  pir_arena_free(arena, floats, size);
  return value;
}

static pir_value *emit_weight(emission *e, const layer *l, pir_op *at) {
  const byte_weight *w = &e->q->weights.items[l->weight];
  if (e->weights[l->weight])
    return e->weights[l->weight];
  size_t count = w->param->size / sizeof(float), zeros_size = (size_t)w->channels * 4;
  pir_str name = emission_name(e, w->param->name, ".int8");
  pir_value *whole = e->q->as_floats
                         ? emit_floats(e, w, name, count)
                         : emit_parameter(e, name, PIR_I8, w->param->shape, w->bytes, count);
  float *zeros = pir_arena_zalloc(&e->q->arena, zeros_size);
  pir_value *scales = emit_scale(e, emission_name(e, w->param->name, ".scale"), w->scales,
                                 w->channels, w->axis);
  pir_value *zero = emit_scale(e, emission_name(e, w->param->name, ".zero_point"), zeros,
                               w->channels, w->axis);
  pir_arena_free(&e->q->arena, zeros, zeros_size);
  if (!e->q->as_floats)
    whole = emit_cast(e, at, whole, PIR_F32);
  e->weights[l->weight] =
      emit_linear(e, at, PD_DEQUANTIZE_LINEAR, whole, scales, zero, w->axis, QUANTISE_TOP);
  return e->weights[l->weight];
}

void emit_operands(emission *e, const layer *l, pir_op *at, pir_value *out_operands[2]) {
  out_operands[0] = emit_input(e, l, at);
  out_operands[1] = emit_weight(e, l, at);
}

// ---- outputs

void quantise_show(pir_program *program, pir_op *behind, pir_value *value, size_t k) {
  pir_context *ctx = pir_program_context(program);
  pir_builder b = pir_builder_after(behind);
  char room[32];
  pir_str name = {room, pir_text_format(room, sizeof room, "%s%zu", shown, k)};
  pir_named_attr attr = {pir_name_get(ctx, PIR_STR("output_name")),
                         pir_attr_str(ctx, PIR_ATTR_STR, name)};
  pir_op_spec spec = {.def = pir_context_op(ctx, BUILTIN_SHADOW_OUTPUT),
                      .operands = &value,
                      .operand_count = 1,
                      .attrs = &attr,
                      .attr_count = 1};
  pir_build(&b, &spec);
}

bool quantise_shown_number(pir_str name, uint64_t *out_number) {
  size_t prefix = sizeof shown - 1;
  uint64_t number = 0;
  if (name.size <= prefix || memcmp(name.data, shown, prefix))
    return false;
  for (size_t i = prefix; i < name.size; i++)
    number = number * 10 + (uint64_t)(name.data[i] - '0');
  *out_number = number;
  return true;
}
