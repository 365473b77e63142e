// weight_only_pass: the large weights of products become whole numbers of 8 or 4 bits, with the
// arithmetic of weight_quantize, or bf16 (docs/explain/quantise.md). Three steps:
//
//   weights   each is narrowed by columns in parallel, and its errors are found (narrow.c)
//   change    the products become weight_only_linear of parameters; of bf16, they read a cast
//   errors    with samples: every product beside its new form, on the same inputs, then the
//             outputs of both programs
//
// The pass keeps the narrow weights in memory, once.
#include "model_impl.h"
#include "quantise.h"

#include <pir/compiler/build.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/integer_form.h>

#include <math.h>
#include <string.h>

enum { ARCH = 80, TILE_ROWS = 64, LEAST_ELEMENTS = 1 << 16 };

// The least number that becomes infinite as bf16: half a step above the largest.
static const float bf16_bound = 0x1.ffp127f;

// ---- layers

static bool attr_holds(const pir_op *op, const char *name) {
  int64_t set;
  return pir_attr_as_int(pir_op_attr_str(op, name), &set) && set;
}

static bool is_turned(const pir_op *op) {
  return attr_holds(op, "transpose_y");
}

// The form of few bits is a matrix [rows, columns] by which rows are multiplied.
static const char *refuse_form(const few_bits *few, const pir_op *op, const pir_param *param) {
  int64_t rows = param->shape.dims[is_turned(op)], columns = param->shape.dims[!is_turned(op)];
  if (few->bits == BITS_BF16)
    return NULL;
  if (attr_holds(op, "transpose_x"))
    return "its left factor is transposed";
  if (rows % TILE_ROWS)
    return "the rows of its weights are no multiple of 64";
  if (columns % (16 / few->bits))
    return few->bits == 4 ? "the columns of its weights are no multiple of 4"
                          : "the columns of its weights are no multiple of 2";
  return NULL;
}

static const char *refuse_weight(quantising *q, const pir_op *op, const pir_param *param) {
  if (!param)
    return "its right factor is no parameter with data (constant_folding_pass may make one)";
  if (param->dtype != PIR_F32 ||
      pir_facts_of(pir_run_facts(q->run), pir_op_operand(op, PD_MATMUL_IN_X))->dtype != PIR_F32)
    return "its factors are not f32";
  if (pir_op_block(pir_value_op(pir_op_operand(op, PD_MATMUL_IN_Y))) !=
      pir_program_block(q->run->program))
    return "its weights are a parameter of a region";
  if (param->shape.rank != 2)
    return "its weights are no matrix";
  if (param->shape.dims[0] * param->shape.dims[1] <
      pir_run_option_int(q->run, "least", LEAST_ELEMENTS))
    return "its weights are few";
  const char *why = refuse_form(q->few, op, param);
  if (why)
    return why;
  if (pir_value_is_overwritten(pir_op_operand(op, PD_MATMUL_IN_Y)))
    return "its weights are overwritten";
  if (pir_run_option_lists(q->run, "deny", pir_op_name(op)))
    return "the options deny it";
  float most = weight_largest(q, param);
  if (!isfinite(most))
    return "its weights are not finite";
  bool narrow = q->few->bits != BITS_BF16 || most < bf16_bound;
  return narrow ? NULL : "its weights are not finite as bf16";
}

// Of bf16 the matrix keeps its order, and products their transposes.
static size_t note_weight(quantising *q, const pir_op *op, const pir_param *param) {
  bool turned = is_turned(op) && q->few->bits != BITS_BF16;
  for (size_t i = 0; i < q->weights.count; i++)
    if (q->weights.items[i].param == param && q->weights.items[i].turned == turned)
      return i;
  byte_weight w = {
      .value = pir_op_operand(op, PD_MATMUL_IN_Y), .param = param, .turned = turned};
  w.name = pir_arena_text(&q->arena, param->name);
  pir_vec_push(&q->arena, &q->weights, w);
  return q->weights.count - 1;
}

static pir_status find_products(quantising *q) {
  size_t usable = 0;
  pir_op **ops = quantise_ops_of(q, q->run->program);
  for (size_t i = 0; ops[i]; i++) {
    layer l = {.op = ops[i], .position = i, .x = PD_MATMUL_IN_X, .w = PD_MATMUL_IN_Y};
    pir_heap_poll(q->heap);
    if (!pir_op_is(l.op, PD_MATMUL))
      continue;
    const pir_param *param = layers_parameter(q, pir_op_operand(l.op, l.w));
    l.nested = pir_op_block(l.op) != pir_program_block(q->run->program);
    l.why = refuse_weight(q, l.op, param);
    if (!l.why)
      l.weight = note_weight(q, l.op, param);
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

// Makes the parameters of a weight.
static void make_parameters(emission *e, const byte_weight *w, pir_value **out_narrow,
                            pir_value **out_scales) {
  quantising *q = e->q;
  int64_t dims[2];
  char ending[16];
  pir_text_format(ending, sizeof ending, ".%s", q->few->dtype);
  *out_narrow = emit_shared(e, emission_name(e, w->name, ending), w->narrow);
  if (w->scales)
    *out_scales = emit_parameter(e, emission_name(e, w->name, ".scale"), PIR_F32,
                                 weight_scales_shape(q, w, dims), w->scales,
                                 (size_t)w->channels * sizeof(float));
}

// The same product of a widened weight.
static pir_value *make_wide_product(emission *e, const layer *l, pir_op *at,
                                    pir_value *narrow) {
  const pir_type *type = pir_value_type(pir_op_result(at, 0));
  pir_value *operands[] = {pir_op_operand(at, l->x), emit_cast(e, at, narrow, PIR_F32)};
  pir_named_attr attrs[] = {
      quantise_attr(e->q, "transpose_x", pir_op_attr_str(at, "transpose_x")),
      quantise_attr(e->q, "transpose_y", pir_op_attr_str(at, "transpose_y")),
  };
  pir_op_spec spec = {.def = pir_context_op(e->q->ctx, PD_MATMUL),
                      .loc = pir_op_loc(at),
                      .operands = operands,
                      .operand_count = 2,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = 2};
  return pir_op_result(emission_op(e, at, &spec), 0);
}

static pir_value *make_product(emission *e, const layer *l, pir_op *at) {
  quantising *q = e->q;
  pir_value **made = &e->weights[l->weight], **scales = &e->scales[l->weight];
  if (!*made)
    make_parameters(e, &q->weights.items[l->weight], made, scales);
  if (q->few->bits == BITS_BF16)
    return make_wide_product(e, l, at, *made);
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
  static const char *const dtypes[] = {"int4", "int8", "bf16"};
  bool small = pir_str_equal(algo, PIR_STR("weight_only_int4"));
  bool eight = pir_str_equal(algo, PIR_STR("weight_only_int8"));
  few->bits = pir_run_option_int(q->run, "bits", small ? 4 : 8);
  few->group = pir_run_option_int(q->run, "group", -1);
  if (few->bits != 4 && few->bits != 8 && few->bits != BITS_BF16)
    return pir_run_bad_option(q->run, "bits", "4, 8 or 16");
  if (few->bits == BITS_BF16 && few->group != -1)
    return pir_run_bad_option(q->run, "group", "-1 with bits=16, which have no scales");
  if (few->group != -1 && few->group != TILE_ROWS && few->group != 2 * TILE_ROWS)
    return pir_run_bad_option(q->run, "group", "-1, 64 or 128");
  if (algo.size && !(small && few->bits == 4) && !(eight && few->bits == 8))
    return pir_run_bad_option(q->run, "algo",
                              "weight_only_int8 or weight_only_int4, as the bits are");
  few->algo = few->bits == 4 ? "weight_only_int4" : "weight_only_int8";
  few->dtype = dtypes[few->bits / 8];
  return PIR_OK;
}

static pir_status weight_only(quantising *q) {
  few_bits few;
  pir_str data = pir_run_option(q->run, "data");
  PIR_TRY(read_weight_options(q, &few));
  q->few = &few;
  if (data.size)
    PIR_TRY(samples_find(q, data, pir_run_option_int(q->run, "samples", 0)));
  // Without threads the weights are narrowed by this one.
  if (pir_thread_pool_create(pir_model_threads(0), NULL, &q->pool))
    q->pool = NULL;
  PIR_TRY(find_products(q));
  narrow_weights(q);
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
