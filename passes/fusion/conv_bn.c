// Batch norm behind a convolution goes into the convolution's weights. As Paddle's pass does, the arithmetic on the
// parameters is emitted as ops and left to constant folding:
//
//   k = scale / sqrt(variance + epsilon)     filter' = filter * k per output channel     bias' = bias - mean * k
//
// Only with fixed statistics, when nothing else reads the convolution or the statistics, and for epsilon up to 1e-3
// (Paddle's bound). Unlike Paddle's, the pass puts the bias on the last axis of channels-last data and also takes
// depthwise convolutions.

#include <pir/pass.h>

#include <pir/dialect/pd_op.h>

#include <string.h>

typedef struct fusion {
  pir_facts *facts;
  uint64_t fused;
} fusion;

// What a match found.
typedef struct conv_bn {
  pir_rewriter *rewriter;
  pir_context *ctx;
  pir_op *conv, *norm;
  pir_value *filter, *mean, *variance, *scale, *bias;
  pir_dtype dtype;
  int64_t channels;
  size_t rank;
  bool channels_last;
} conv_bn;

// ---- emitting

static const pir_type *tensor_of(const conv_bn *m, pir_dtype dtype, const int64_t *dims, size_t rank) {
  return pir_type_tensor(m->ctx, dtype, (pir_shape){dims, rank});
}

static pir_value *emit(const conv_bn *m, uint32_t id, pir_value *const *operands, size_t n, const pir_type *type,
                       const pir_attr *const *attrs) {
  const pir_opdef *def = pir_context_op(m->ctx, id);
  pir_named_attr named[16];
  size_t count = 0;
  for (size_t i = 0; attrs && i < def->attr_count; i++)
    named[count++] = (pir_named_attr){pir_name_get(m->ctx, pir_str_from(def->attrs[i].name)), attrs[i]};
  pir_op_spec spec = {.def = def,
                      .operands = operands,
                      .operand_count = n,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = named,
                      .attr_count = count};
  return pir_op_result(pir_rewriter_create(m->rewriter, m->norm, &spec), 0);
}

static pir_value *emit_binary(const conv_bn *m, uint32_t id, pir_value *a, pir_value *b) {
  return emit(m, id, (pir_value *[]){a, b}, 2, pir_value_type(a), NULL);
}

static const pir_attr *cpu(const conv_bn *m) { return pir_attr_place(m->ctx, (pir_place){.kind = 1}); }

static pir_value *emit_epsilon(const conv_bn *m) {
  const pir_attr *value = pir_attr_float(m->ctx, PIR_ATTR_F64, pir_op_float(m->norm, PD_BATCH_NORM_ATTR_EPSILON));
  const pir_attr *attrs[] = {
      [PD_FULL_ATTR_SHAPE] = pir_attr_int_array(m->ctx, &m->channels, 1),
      [PD_FULL_ATTR_VALUE] = pir_attr_scalar(m->ctx, PIR_F64, value),
      [PD_FULL_ATTR_DTYPE] = pir_attr_dtype(m->ctx, m->dtype),
      [PD_FULL_ATTR_PLACE] = cpu(m),
  };
  return emit(m, PD_FULL, NULL, 0, tensor_of(m, m->dtype, &m->channels, 1), attrs);
}

// A channel vector as a tensor with the channels on `axis`.
static pir_value *emit_along(const conv_bn *m, pir_value *vector, size_t axis) {
  int64_t dims[PIR_MAX_RANK], rank = (int64_t)m->rank;
  const pir_attr *items[PIR_MAX_RANK];
  for (size_t i = 0; i < m->rank; i++) {
    dims[i] = i == axis ? m->channels : 1;
    items[i] = pir_attr_int(m->ctx, PIR_ATTR_I64, dims[i]);
  }
  const pir_attr *attrs[] = {
      [PD_FULL_INT_ARRAY_ATTR_VALUE] = pir_attr_array(m->ctx, items, m->rank),
      [PD_FULL_INT_ARRAY_ATTR_DTYPE] = pir_attr_dtype(m->ctx, PIR_I64),
      [PD_FULL_INT_ARRAY_ATTR_PLACE] = cpu(m),
  };
  pir_value *shape = emit(m, PD_FULL_INT_ARRAY, NULL, 0, tensor_of(m, PIR_I64, &rank, 1), attrs);
  return emit(m, PD_RESHAPE, (pir_value *[]){vector, shape}, 2, tensor_of(m, m->dtype, dims, m->rank), NULL);
}

static pir_value *emit_conv(const conv_bn *m, pir_value *filter) {
  const pir_attr *attrs[16];
  for (size_t i = 0; i < pir_op_def(m->conv)->attr_count; i++) attrs[i] = pir_op_attr_at(m->conv, i);
  pir_value *operands[] = {pir_op_operand(m->conv, PD_CONV2D_IN_INPUT), filter};
  return emit(m, pir_op_def(m->conv)->id, operands, 2, pir_value_type(pir_op_result(m->conv, 0)), attrs);
}

static void rewrite(const conv_bn *m) {
  pir_value *root = emit_binary(m, PD_ADD, m->variance, emit_epsilon(m));
  root = emit(m, PD_SQRT, &root, 1, pir_value_type(root), NULL);
  pir_value *k = emit_binary(m, PD_DIVIDE, m->scale, root);
  pir_value *conv = emit_conv(m, emit_binary(m, PD_MULTIPLY, m->filter, emit_along(m, k, 0)));
  pir_value *shift = emit_binary(m, PD_SUBTRACT, m->bias, emit_binary(m, PD_MULTIPLY, m->mean, k));
  pir_value *out = emit_binary(m, PD_ADD, conv, emit_along(m, shift, m->channels_last ? m->rank - 1 : 1));
  pir_op *old = m->conv;
  pir_rewriter_replace_value(m->rewriter, pir_op_result(m->norm, PD_BATCH_NORM_OUT_OUT), out);
  pir_rewriter_erase(m->rewriter, m->norm);
  pir_rewriter_erase(m->rewriter, old);
}

// ---- matching

static bool has_fixed_statistics(const pir_op *norm) {
  bool test =
      pir_op_bool(norm, PD_BATCH_NORM_ATTR_IS_TEST) && !pir_op_bool(norm, PD_BATCH_NORM_ATTR_TRAINABLE_STATISTICS);
  return test || pir_op_bool(norm, PD_BATCH_NORM_ATTR_USE_GLOBAL_STATS);
}

static bool reads_only_output(const pir_op *norm) {
  for (size_t i = 0; i < pir_op_results(norm); i++)
    if (i != PD_BATCH_NORM_OUT_OUT && !pir_value_unused(pir_op_result(norm, i))) return false;
  return true;
}

// The shape facts that the emitted ops need: constant channels, a filter whose first axis they are.
static bool read_shapes(const fusion *f, conv_bn *m) {
  const pir_fact *filter = pir_facts_of(f->facts, m->filter), *mean = pir_facts_of(f->facts, m->mean);
  const pir_dims *dims = pir_facts_dims(f->facts);
  int64_t first;
  if (!filter->known || !mean->known || filter->rank < 3 || mean->rank != 1) return false;
  if (!pir_dim_is_const(dims, mean->shape[0], &m->channels) || !pir_dim_is_const(dims, filter->shape[0], &first))
    return false;
  m->dtype = filter->dtype;
  m->rank = (size_t)filter->rank;
  return first == m->channels && mean->dtype == m->dtype && (m->dtype == PIR_F32 || m->dtype == PIR_F64);
}

static bool read_layout(conv_bn *m) {
  bool depthwise = pir_op_is(m->conv, PD_DEPTHWISE_CONV2D);
  pir_str conv = pir_op_text(m->conv, depthwise ? PD_DEPTHWISE_CONV2D_ATTR_DATA_FORMAT : PD_CONV2D_ATTR_DATA_FORMAT);
  pir_str norm = pir_op_text(m->norm, PD_BATCH_NORM_ATTR_DATA_FORMAT);
  m->channels_last = pir_str_equal(conv, PIR_STR("NHWC"));
  return pir_str_equal(norm, PIR_STR("NHWC")) == m->channels_last;
}

static bool match(const fusion *f, pir_op *norm, conv_bn *m) {
  if (!pir_op_is(norm, PD_BATCH_NORM) && !pir_op_is(norm, PD_BATCH_NORM_)) return false;
  m->norm = norm;
  m->conv = pir_op_operand(norm, PD_BATCH_NORM_IN_X) ? pir_op_operand_op(norm, PD_BATCH_NORM_IN_X) : NULL;
  if (!m->conv || (!pir_op_is(m->conv, PD_CONV2D) && !pir_op_is(m->conv, PD_DEPTHWISE_CONV2D))) return false;
  if (!pir_value_single_use(pir_op_result(m->conv, 0)) || !has_fixed_statistics(norm) || !reads_only_output(norm))
    return false;
  double epsilon = pir_op_float(norm, PD_BATCH_NORM_ATTR_EPSILON);
  m->filter = pir_op_operand(m->conv, PD_CONV2D_IN_FILTER);
  m->mean = pir_op_operand(norm, PD_BATCH_NORM_IN_MEAN);
  m->variance = pir_op_operand(norm, PD_BATCH_NORM_IN_VARIANCE);
  m->scale = pir_op_operand(norm, PD_BATCH_NORM_IN_SCALE);
  m->bias = pir_op_operand(norm, PD_BATCH_NORM_IN_BIAS);
  if (!(epsilon >= 0 && epsilon <= 1.0001e-3) || !m->scale || !m->bias) return false;
  return read_shapes(f, m) && read_layout(m);
}

static bool match_and_rewrite(pir_op *op, pir_rewriter *rewriter, void *user) {
  fusion *f = user;
  conv_bn m = {.rewriter = rewriter, .ctx = pir_rewriter_context(rewriter)};
  if (!match(f, op, &m)) return false;
  rewrite(&m);
  f->fused++;
  return true;
}

pir_status pir_pass_conv_bn(pir_pass_run *run) {
  fusion f = {.facts = pir_run_facts(run)};
  if (!f.facts) return pir_run_facts_status(run);
  const pir_pattern pattern = {"conv_bn", 0, 1, match_and_rewrite, &f};
  pir_status status = pir_rewrite_greedy(run->rewriter, run->program, &pattern, 1, NULL, NULL);
  pir_run_count(run, "batch norms fused", f.fused);
  return status;
}
