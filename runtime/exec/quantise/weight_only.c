// weight_only_pass: the large weights of products become whole numbers of 8 or 4 bits, with the
// arithmetic of weight_quantize (docs/quantise.md). Three steps:
//
//   weights   a program that quantizes the weights, and nothing else, runs once
//   change    the products become weight_only_linear of parameters
//   errors    with samples: every product beside its quantized form, on the same inputs, then
//             the outputs of both programs
//
// The pass keeps the quantized weights and, during the first step, the dequantized ones in
// memory.
#include "quantise.h"

#include <pir/compiler/build.h>
#include <pir/compiler/dialect/pd_op.h>

#include <string.h>

enum { ARCH = 80, TILE_ROWS = 64, LEAST_ELEMENTS = 1 << 16 };
enum { SHOWN_FLOATS, SHOWN_BYTES, SHOWN_SCALES, SHOWN_EACH };  // of a weight

// ---- layers

static bool attr_holds(const pir_op *op, const char *name) {
  int64_t set;
  return pir_attr_as_int(pir_op_attr_str(op, name), &set) && set;
}

static const char *refuse_weight(const quantising *q, const pir_op *op,
                                 const pir_param *param) {
  const few_bits *few = q->few;
  int64_t columns_of_unit = 16 / few->bits;
  if (!param)
    return "its right factor is no parameter with data (constant_folding_pass may make one)";
  if (param->dtype != PIR_F32 ||
      pir_facts_of(pir_run_facts(q->run), pir_op_operand(op, PD_MATMUL_IN_X))->dtype != PIR_F32)
    return "its factors are not f32";
  if (param->shape.rank != 2)
    return "its weights are no matrix";
  if (attr_holds(op, "transpose_x") || attr_holds(op, "transpose_y"))
    return "a factor is transposed";
  int64_t rows = param->shape.dims[0], columns = param->shape.dims[1];
  if (rows * columns < pir_run_option_int(q->run, "least", LEAST_ELEMENTS))
    return "its weights are few";
  if (rows % TILE_ROWS)
    return "the rows of its weights are no multiple of 64";
  if (columns % columns_of_unit)
    return few->bits == 4 ? "the columns of its weights are no multiple of 4"
                          : "the columns of its weights are no multiple of 2";
  if (value_is_overwritten(pir_op_operand(op, PD_MATMUL_IN_Y)))
    return "its weights are overwritten";
  if (pir_run_option_lists(q->run, "deny", pir_op_name(op)))
    return "the options deny it";
  return weight_is_finite(param) ? NULL : "its weights are not finite";
}

static size_t note_weight(quantising *q, pir_value *value, const pir_param *param) {
  for (size_t i = 0; i < q->weights.count; i++)
    if (q->weights.items[i].param == param)
      return i;
  byte_weight w = {.value = value, .param = param};
  w.name = pir_arena_text(&q->arena, param->name);
  pir_vec_push(&q->arena, &q->weights, w);
  return q->weights.count - 1;
}

static pir_status find_products(quantising *q) {
  size_t position = 0, usable = 0;
  PIR_EACH_OP(op, pir_program_block(q->run->program)) {
    layer l = {.op = op, .position = position++, .x = PD_MATMUL_IN_X, .w = PD_MATMUL_IN_Y};
    pir_heap_poll(q->heap);
    if (!pir_op_is(op, PD_MATMUL))
      continue;
    pir_value *value = pir_op_operand(op, l.w);
    const pir_param *param = layers_parameter(q, value);
    l.why = refuse_weight(q, op, param);
    if (!l.why)
      l.weight = note_weight(q, value, param);
    usable += !l.why;
    pir_vec_push(&q->arena, &q->layers, l);
  }
  if (usable)
    return PIR_OK;
  pir_status status = pir_report(q->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                                 "weight_only_pass: the program has no product whose weights "
                                 "can be quantized");
  report_layers(q);
  return status;
}

// ---- the ops

static const pir_attr *text(quantising *q, const char *s) {
  return pir_attr_str(q->ctx, PIR_ATTR_STR, pir_str_from(s));
}

static const pir_attr *number(quantising *q, int64_t n) {
  return pir_attr_int(q->ctx, PIR_ATTR_I32, n);
}

static pir_shape matrix(int64_t dims[2], int64_t rows, int64_t columns) {
  dims[0] = rows;
  dims[1] = columns;
  return (pir_shape){dims, 2};
}

static pir_shape shape_of_bytes(const quantising *q, const byte_weight *w, int64_t dims[2]) {
  const int64_t *of = w->param->shape.dims;
  return matrix(dims, of[1] * q->few->bits / 8, of[0]);
}

static pir_shape shape_of_scales(const quantising *q, const byte_weight *w, int64_t dims[2]) {
  const int64_t *of = w->param->shape.dims;
  int64_t group = q->few->group;
  if (group > 0)
    return matrix(dims, (of[0] + group - 1) / group, of[1]);
  dims[0] = of[1];
  return (pir_shape){dims, 1};
}

// Makes weight_quantize of a weight and its inverse, and shows their results.
static void show_quantised(quantising *q, size_t i, pir_op *behind, pir_value *value) {
  const byte_weight *w = &q->weights.items[i];
  int64_t dims[2];
  const pir_type *types[] = {
      pir_type_tensor(q->ctx, PIR_I8, shape_of_bytes(q, w, dims)),
      pir_type_tensor(q->ctx, PIR_F32, shape_of_scales(q, w, dims)),
  };
  const pir_type *floats = pir_value_type(value);
  pir_named_attr attrs[] = {
      quantise_attr(q, "algo", text(q, q->few->algo)),
      quantise_attr(q, "group_size", number(q, q->few->group)),
      quantise_attr(q, "arch", number(q, ARCH)),
  };
  pir_op_spec spec = {.def = pir_context_op(q->ctx, PD_WEIGHT_QUANTIZE),
                      .operands = &value,
                      .operand_count = 1,
                      .result_types = types,
                      .result_count = 2,
                      .attrs = attrs,
                      .attr_count = 3};
  pir_builder b = pir_builder_after(behind);
  pir_op *made = pir_build(&b, &spec);
  pir_value *results[] = {pir_op_result(made, 0), pir_op_result(made, 1)};
  pir_op_spec back = {.def = pir_context_op(q->ctx, PD_WEIGHT_DEQUANTIZE),
                      .operands = results,
                      .operand_count = 2,
                      .result_types = &floats,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = 2};
  b = pir_builder_after(made);
  pir_op *inverse = pir_build(&b, &back);
  quantise_show(q->programs[0], inverse, pir_op_result(inverse, 0),
                SHOWN_EACH * i + SHOWN_FLOATS);
  quantise_show(q->programs[0], inverse, results[0], SHOWN_EACH * i + SHOWN_BYTES);
  quantise_show(q->programs[0], inverse, results[1], SHOWN_EACH * i + SHOWN_SCALES);
}

static pir_value *make_product(emission *e, const layer *l, pir_op *at) {
  quantising *q = e->q;
  const byte_weight *w = &q->weights.items[l->weight];
  int64_t dims[2];
  pir_value **made = &e->weights[l->weight], **scales = &e->scales[l->weight];
  if (!*made) {
    char ending[16];
    pir_text_format(ending, sizeof ending, ".%s", q->few->dtype);
    pir_shape bytes = shape_of_bytes(q, w, dims);
    *made = emit_parameter(e, emission_name(e, w->name, ending), PIR_I8, bytes, w->bytes,
                           (size_t)(dims[0] * dims[1]));
    pir_shape shape = shape_of_scales(q, w, dims);
    *scales = emit_parameter(e, emission_name(e, w->name, ".scale"), PIR_F32, shape, w->scales,
                             (size_t)w->channels * sizeof(float));
  }
  const pir_type *type = pir_value_type(pir_op_result(at, 0));
  pir_value *operands[] = {pir_op_operand(at, l->x), *made, NULL, *scales};
  pir_named_attr attrs[] = {
      quantise_attr(q, "weight_dtype", text(q, q->few->dtype)),
      quantise_attr(q, "arch", number(q, ARCH)),
      quantise_attr(q, "group_size", number(q, q->few->group)),
  };
  pir_op_spec spec = {.def = pir_context_op(q->ctx, PD_WEIGHT_ONLY_LINEAR),
                      .loc = pir_op_loc(at),
                      .operands = operands,
                      .operand_count = 4,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = 3};
  return pir_op_result(emission_op(e, at, &spec), 0);
}

// ---- weights

// Erases all ops but the shown results and what leads to them.
static void erase_rest(pir_program *program) {
  pir_op *op = pir_block_last(pir_program_block(program));
  while (op) {
    pir_op *before = pir_op_prev(op);
    const pir_attr *name = pir_op_attr_str(op, "output_name");
    uint64_t unused;
    bool shown = name && quantise_shown_number(pir_attr_as_str(name), &unused);
    if (!shown && pir_op_unused(op))
      pir_op_erase(op);
    op = before;
  }
}

static void *copy_of(quantising *q, const pir_tensor *tensor, size_t size) {
  void *copy = pir_arena_alloc(&q->arena, size ? size : 1);
  memcpy(copy, tensor->data, size);
  return copy;
}

static pir_status take_weights(quantising *q, const runner *r, const size_t *outputs) {
  for (size_t i = 0; i < q->weights.count; i++) {
    byte_weight *w = &q->weights.items[i];
    pir_tensor floats, bytes, scales, was;
    PIR_TRY(pir_session_output(r->session, outputs[SHOWN_EACH * i + SHOWN_FLOATS], &floats));
    PIR_TRY(pir_session_output(r->session, outputs[SHOWN_EACH * i + SHOWN_BYTES], &bytes));
    PIR_TRY(pir_session_output(r->session, outputs[SHOWN_EACH * i + SHOWN_SCALES], &scales));
    pir_tensor_set_dense(&was, PIR_F32, w->param->shape.dims, 2);
    was.data = (void *)(uintptr_t)w->param->data;
    errors_add(&w->errors, &was, &floats);
    w->channels = pir_tensor_numel(&scales);
    w->bytes = copy_of(q, &bytes, (size_t)pir_tensor_numel(&bytes));
    w->scales = copy_of(q, &scales, (size_t)w->channels * sizeof(float));
  }
  return PIR_OK;
}

static pir_status quantise_weights(quantising *q) {
  runner *r = &q->runners[0];
  size_t *outputs;
  quantise_clone(q, 0);
  pir_op **ops = quantise_ops_of(q, q->programs[0]);
  for (size_t i = 0, next = 0; i < q->layers.count && next < q->weights.count; i++) {
    const layer *l = &q->layers.items[i];
    if (l->why || l->weight != next)
      continue;
    pir_value *value = pir_op_operand(ops[l->position], l->w);
    show_quantised(q, next++, pir_value_op(value), value);
  }
  erase_rest(q->programs[0]);
  PIR_TRY(quantise_open_shown(q, r, &outputs, SHOWN_EACH * q->weights.count));
  pir_status status = pir_session_run(r->session);
  if (status)
    return pir_report(q->ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "weight_only_pass: the weights cannot be quantized: %s",
                      pir_session_message(r->session));
  PIR_TRY(take_weights(q, r, outputs));
  runner_close(r);
  return PIR_OK;
}

// ---- change

static void change_products(quantising *q) {
  uint64_t changed = 0;
  emission e;
  emission_open(q, q->run->program, q->run->rewriter, &e);
  report_layers(q);
  for (size_t i = 0; i < q->layers.count; i++) {
    const layer *l = &q->layers.items[i];
    if (l->why)
      continue;
    pir_value *by = make_product(&e, l, l->op);
    pir_rewriter_replace(q->run->rewriter, l->op, &by);
    changed++;
  }
  quantise_erase_weights(q);
  pir_run_count(q->run, "layers quantised", changed);
  pir_run_count(q->run, "layers kept", q->layers.count - changed);
}

// ---- the pass

static pir_status read_weight_options(quantising *q, few_bits *few) {
  pir_str algo = pir_run_option(q->run, "algo");
  bool small = pir_str_equal(algo, PIR_STR("weight_only_int4"));
  bool eight = pir_str_equal(algo, PIR_STR("weight_only_int8"));
  few->bits = pir_run_option_int(q->run, "bits", small ? 4 : 8);
  few->group = pir_run_option_int(q->run, "group", -1);
  if (few->bits != 4 && few->bits != 8)
    return pir_run_bad_option(q->run, "bits", "4 or 8");
  if (few->group != -1 && few->group != TILE_ROWS && few->group != 2 * TILE_ROWS)
    return pir_run_bad_option(q->run, "group", "-1, 64 or 128");
  if (algo.size && !(small && few->bits == 4) && !(eight && few->bits == 8))
    return pir_run_bad_option(q->run, "algo",
                              "weight_only_int8 or weight_only_int4, as the bits are");
  few->algo = few->bits == 4 ? "weight_only_int4" : "weight_only_int8";
  few->dtype = few->bits == 4 ? "int4" : "int8";
  return PIR_OK;
}

static pir_status weight_only(quantising *q) {
  few_bits few;
  pir_str data = pir_run_option(q->run, "data");
  PIR_TRY(read_weight_options(q, &few));
  q->few = &few;
  if (data.size)
    PIR_TRY(samples_find(q, data, pir_run_option_int(q->run, "samples", 0)));
  PIR_TRY(find_products(q));
  PIR_TRY(quantise_weights(q));
  if (data.size) {
    quantise_clone(q, 1);
    PIR_TRY(quantise_try_layers(q, make_product));
  }
  change_products(q);
  return data.size ? quantise_compare_programs(q) : PIR_OK;
}

pir_status pir_pass_weight_only(pir_pass_run *run) {
  return quantise_run(run, weight_only);
}
