// Expands all layers of a transformer (`fused_multi_transformer_`) as Paddle's kernel for GPUs
// computes them (fused_multi_transformer_kernel.cu): a norm, the projections, attention over a
// cache, a projection and the residual, a norm, two layers and the residual. A prompt is
// attended causally, whatever the mask, and is then written to the cache; one new token is
// masked_multihead_attention_. Tokens past the end of a sequence are computed too, and become
// zeros at last.
#include <pd_op_hooks.h>

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>

#include <pir/diag.h>

#include <math.h>

enum { MOST_LAYERS = 512, MOST_GIVEN = 4, PACK_BYTES = 16 };

// The operands by their positions in the definition.
enum {
  X,
  LN_SCALES,
  LN_BIASES,
  QKV_WEIGHTS,
  QKV_BIASES,
  CACHES,
  PRE_CACHES,
  ROTARY,
  BEAMS,
  TIME_STEP,
  LENGTHS,
  MASK,
  OUT_WEIGHTS,
  OUT_BIASES,
  FFN_LN_SCALES,
  FFN_LN_BIASES,
  FFN1_WEIGHTS,
  FFN1_BIASES,
  FFN2_WEIGHTS,
  FFN2_BIASES,
  OPERANDS
};

typedef struct model {
  pir_expand *e;
  const pir_op *lists[OPERANDS];  // that make the list operands; NULL: absent
  int64_t layers, heads, key_heads, width, embed;
  int64_t turned_blocks;  // 0: positions turn nothing
  pir_dtype dtype;
  bool normed_first, by_mean, neighbours;
  pir_value *lengths;  // of a new token: how many come before it; of a prompt: NULL: all
  pir_value *inside;   // [batch, length, 1]: the tokens of the sequences; NULL: all
  bool failed;
} model;

// ---- building

typedef struct given {
  const char *name;
  const pir_attr *value;
} given;

// Makes an op with these attributes, and defaults for the others. NULL after a failure.
static pir_op *make(model *m, uint32_t id, pir_value *const *in, size_t count,
                    const given *attrs, size_t attr_count) {
  pir_context *ctx = pir_op_context(m->e->op);
  pir_named_attr named[MOST_GIVEN];
  for (size_t i = 0; i < attr_count; i++)
    named[i] = (pir_named_attr){pir_name_get(ctx, pir_str_from(attrs[i].name)), attrs[i].value};
  pir_op *op = m->failed ? NULL : pir_expand_defaulted(m->e, id, in, count, named, attr_count);
  m->failed |= !op;
  return op;
}

static pir_value *built_value(model *m, uint32_t id, pir_value *const *in, size_t count,
                              const given *attrs, size_t attr_count) {
  pir_op *op = make(m, id, in, count, attrs, attr_count);
  return op ? pir_op_result(op, 0) : NULL;
}

// Lists in place, with their lengths.
#define COUNTED(type, ...) (type[]){__VA_ARGS__}, sizeof(type[]){__VA_ARGS__} / sizeof(type)
#define VALUES(...) COUNTED(pir_value *, __VA_ARGS__)
#define GIVEN(...) COUNTED(given, __VA_ARGS__)
#define INTS(...) COUNTED(const int64_t, __VA_ARGS__)

static const pir_attr *yes(model *m, bool value) {
  return pir_attr_bool(pir_op_context(m->e->op), value);
}

static const pir_attr *whole(model *m, int64_t value) {
  return pir_attr_int(pir_op_context(m->e->op), PIR_ATTR_I32, value);
}

static const pir_attr *wholes(model *m, pir_attr_kind kind, const int64_t *values, size_t n) {
  pir_context *ctx = pir_op_context(m->e->op);
  const pir_attr *elements[PIR_MAX_RANK];
  for (size_t i = 0; i < n; i++)
    elements[i] = pir_attr_int(ctx, kind, values[i]);
  return pir_attr_array(ctx, elements, n);
}

static pir_value *reshaped(model *m, pir_value *x, const int64_t *shape, size_t n) {
  return built_value(m, PD_RESHAPE, VALUES(x, pir_expand_ints(m->e, shape, n)), NULL, 0);
}

static pir_value *moved(model *m, pir_value *x, const int64_t *perm, size_t n) {
  return built_value(m, PD_TRANSPOSE, VALUES(x),
                     GIVEN({"perm", wholes(m, PIR_ATTR_I32, perm, n)}));
}

// The elements of x from `first` to `end` of an axis, which goes if there is one by `drop`.
static pir_value *part(model *m, pir_value *x, int64_t axis, int64_t first, pir_value *end,
                       bool drop) {
  pir_value *in[] = {x, pir_expand_ints(m->e, &first, 1), end};
  int64_t one = 1;
  return built_value(m, PD_SLICE, in, 3,
                     GIVEN({"axes", wholes(m, PIR_ATTR_I64, &axis, 1)},
                           {"infer_flags", wholes(m, PIR_ATTR_I64, &one, 1)},
                           {"decrease_axis", wholes(m, PIR_ATTR_I64, &axis, drop)}));
}

static pir_value *between(model *m, pir_value *x, int64_t axis, int64_t first, int64_t end) {
  return part(m, x, axis, first, pir_expand_ints(m->e, &end, 1), false);
}

static pir_value *joined_value(model *m, pir_value *const *parts, size_t n, int64_t axis) {
  pir_value *list = built_value(m, BUILTIN_COMBINE, parts, n, NULL, 0);
  return built_value(m, PD_CONCAT, VALUES(list, pir_expand_number(m->e, PIR_I32, (double)axis)),
                     NULL, 0);
}

static pir_value *as_type(model *m, pir_value *x, pir_dtype dtype) {
  return built_value(m, PD_CAST, VALUES(x),
                     GIVEN({"dtype", pir_attr_dtype(pir_op_context(m->e->op), dtype)}));
}

static pir_value *sum(model *m, pir_value *x, pir_value *y) {
  return y ? built_value(m, PD_ADD, VALUES(x, y), NULL, 0) : x;
}

static pir_value *product_of_layer(model *m, pir_value *x, pir_value *y, bool turned) {
  return built_value(m, PD_MATMUL, VALUES(x, y),
                     GIVEN({"transpose_x", yes(m, false)}, {"transpose_y", yes(m, turned)}));
}

// ---- the op's own operands and attributes

static pir_value *list_member(const model *m, int list, int64_t layer) {
  return m->lists[list] ? pir_op_operand(m->lists[list], (size_t)layer) : NULL;
}

static pir_value *given_operand(const model *m, int k) {
  return pir_op_operand(m->e->op, (size_t)k);
}

static bool text_is(const model *m, const char *name, const char *text) {
  return pir_str_equal(pir_attr_as_str(pir_op_attr_str(m->e->op, name)), pir_str_from(text));
}

static int64_t number(const model *m, const char *name) {
  int64_t value = 0;
  (void)pir_attr_as_int(pir_op_attr_str(m->e->op, name), &value);
  return value;
}

static pir_status unsupported(const model *m, const char *what) {
  return pir_report_op(m->e->op, PIR_UNSUPPORTED, PIR_ERROR, "unsupported: \"%s\" %s",
                       pir_op_def(m->e->op)->name, what);
}

static int64_t extent(const model *m, const pir_value *x, int axis) {
  const pir_fact *fact = pir_facts_of(m->e->facts, x);
  int64_t n = -1;
  if (fact->known && !fact->members && fact->rank > axis)
    (void)pir_dim_is_const(pir_facts_dims(m->e->facts), fact->shape[axis], &n);
  return n;
}

static pir_status open_lists(model *m) {
  for (int k = LN_SCALES; k < OPERANDS; k++) {
    bool single = k >= ROTARY && k <= MASK;
    pir_op *from = pir_op_operand_op(m->e->op, (size_t)k);
    if (single || !given_operand(m, k))
      continue;
    if (!from || pir_op_def(from)->id != BUILTIN_COMBINE || pir_op_operands(from) > MOST_LAYERS)
      return unsupported(m, "of a list that no combine makes, or of more than 512 layers");
    m->lists[k] = from;
  }
  m->layers = (int64_t)pir_op_operands(m->lists[QKV_WEIGHTS]);
  return PIR_OK;
}

static pir_status check_caches(const model *m) {
  int64_t pack =
      PACK_BYTES / (int64_t)(pir_dtype_size(m->dtype) ? pir_dtype_size(m->dtype) : 1);
  for (int64_t i = 0; m->lists[CACHES] && i < m->layers; i++) {
    const pir_value *cache = list_member(m, CACHES, i);
    bool fits = extent(m, cache, 0) == 2 && extent(m, cache, 2) == m->key_heads &&
                extent(m, cache, 4) == m->width && m->width % pack == 0;
    if (!fits)
      return pir_error(m->e->op,
                       "cache_kvs: expect keys and values [2, batch, %lld, places, %lld] of a "
                       "width that is a multiple of %lld; the cache of layer %lld is another",
                       (long long)m->key_heads, (long long)m->width, (long long)pack,
                       (long long)i);
    int64_t places = extent(m, cache, 3), length = extent(m, given_operand(m, X), 1);
    if (places < 1)
      return unsupported(m, "of a cache whose places show only in the run");
    if (length > places)
      return pir_error(m->e->op, "cache_kvs: have %lld places, and the prompt %lld tokens",
                       (long long)places, (long long)length);
  }
  return PIR_OK;
}

// Weights are of the type of x; a norm's may be f32.
static pir_status check_types(const model *m) {
  for (int k = LN_SCALES; k < OPERANDS; k++)
    for (int64_t i = 0; m->lists[k] && i < m->layers; i++) {
      bool norms = k == LN_SCALES || k == LN_BIASES || k == FFN_LN_SCALES || k == FFN_LN_BIASES;
      pir_dtype dtype = pir_facts_of(m->e->facts, list_member(m, k, i))->dtype;
      if (dtype != m->dtype && dtype != PIR_UNDEFINED && !(norms && dtype == PIR_F32))
        return pir_error(m->e->op, "%s: expects %s as x, found %s",
                         pir_op_def(m->e->op)->operands[k].name, pir_dtype_name(m->dtype),
                         pir_dtype_name(dtype));
    }
  return PIR_OK;
}

static pir_status open_model(model *m) {
  PIR_TRY(open_lists(m));
  pir_value *w = list_member(m, QKV_WEIGHTS, 0);
  bool turned = number(m, "trans_qkvw") != 0;
  int64_t groups = number(m, "gqa_group_size");
  int at = !turned + (groups <= 0);
  int64_t rows = extent(m, w, at);
  m->heads = groups > 0 ? rows - 2 * groups : rows;
  m->key_heads = groups > 0 ? groups : rows;
  m->width = extent(m, w, at + 1);
  m->embed = extent(m, w, turned ? at + 2 : 0);
  m->dtype = pir_facts_of(m->e->facts, given_operand(m, X))->dtype;
  m->turned_blocks = number(m, "rotary_emb_dims");
  m->normed_first = number(m, "pre_layer_norm") != 0;
  m->by_mean = text_is(m, "norm_type", "layernorm");
  m->neighbours = !number(m, "use_neox_rotary_style");
  if (rows < 0 || m->width < 0 || m->embed < 0)
    return unsupported(m, "of weights whose extents show only in the run");
  bool fits = m->heads > 0 && m->heads % m->key_heads == 0 && m->width > 0 &&
              (!m->turned_blocks || m->width % (2 * m->turned_blocks) == 0);
  if (!fits)
    return pir_error(m->e->op,
                     "qkv_weights: expect queries of a multiple of %lld heads, whose width "
                     "positions divide; found %lld heads of width %lld",
                     (long long)m->key_heads, (long long)m->heads, (long long)m->width);
  PIR_TRY(check_types(m));
  return check_caches(m);
}

// ---- parts of a layer

static pir_value *norm(model *m, pir_value *x, int scales, int64_t layer) {
  pir_value *scale = list_member(m, scales, layer), *bias = list_member(m, scales + 1, layer);
  const pir_attr *epsilon = pir_op_attr_str(m->e->op, "epsilon");
  if (m->by_mean)
    return built_value(m, PD_LAYER_NORM, VALUES(x, scale, bias),
                       GIVEN({"epsilon", epsilon}, {"begin_norm_axis", whole(m, 2)}));
  double e = 0;
  (void)pir_attr_as_float(epsilon, &e);
  const pir_attr *wide = pir_attr_float(pir_op_context(m->e->op), PIR_ATTR_F64, e);
  pir_value *y = built_value(
      m, PD_RMS_NORM, VALUES(x, scale),
      GIVEN({"epsilon", wide}, {"normalized_shape", wholes(m, PIR_ATTR_I64, &m->embed, 1)}));
  return sum(m, y, bias);
}

// Turns rows [batch, length, rows, width] by the angles of their positions.
static pir_value *turn(model *m, pir_value *x, int64_t rows) {
  int64_t pairs = m->neighbours ? m->width / 2 : m->turned_blocks;
  int64_t reach = m->width / 2 / pairs;
  pir_value *table = given_operand(m, ROTARY), *angles[2];
  for (int i = 0; i < 2; i++) {  // [2, batch, 1, length, width]
    int64_t end = i + 1;
    pir_value *t = part(m, table, 0, i, pir_expand_ints(m->e, &end, 1), true);
    angles[i] = moved(m, t, INTS(0, 2, 1, 3));
  }
  pir_value *f = as_type(m, x, PIR_F32);
  pir_value *p = reshaped(m, f, INTS(0, 0, rows, pairs, 2, reach));
  pir_value *left = between(m, p, 4, 0, 1), *right = between(m, p, 4, 1, 2);
  pir_value *minus =
      built_value(m, PD_SCALE, VALUES(right, pir_expand_number(m->e, PIR_F32, -1)), NULL, 0);
  pir_value *c = joined_value(m, VALUES(minus, left), 4);
  pir_value *crossed = reshaped(m, c, INTS(0, 0, rows, m->width));
  pir_value *a = built_value(m, PD_MULTIPLY, VALUES(f, angles[0]), NULL, 0);
  pir_value *b = built_value(m, PD_MULTIPLY, VALUES(crossed, angles[1]), NULL, 0);
  return as_type(m, sum(m, a, b), m->dtype);
}

// The projections of a layer [batch, length, rows, width], with their bias and the angles of
// their positions.
static pir_value *project(model *m, pir_value *x, int64_t layer) {
  int64_t rows = m->heads + 2 * m->key_heads;
  pir_value *bias = list_member(m, QKV_BIASES, layer);
  pir_value *p = sum(m, x, bias ? reshaped(m, bias, INTS(-1)) : NULL);
  p = reshaped(m, p, INTS(0, 0, rows, m->width));
  if (!m->turned_blocks)
    return p;
  int64_t turned = rows - m->key_heads;
  pir_value *first = turn(m, between(m, p, 2, 0, turned), turned);
  return joined_value(m, VALUES(first, between(m, p, 2, turned, rows)), 2);
}

// Rows [batch, length, rows, width] as f32 [batch, heads, length, width].
static pir_value *heads_first(model *m, pir_value *x) {
  pir_value *h = moved(m, x, INTS(0, 2, 1, 3));
  return m->dtype == PIR_F32 ? h : as_type(m, h, PIR_F32);
}

// Causal attention of a prompt: [batch, length, heads * width].
static pir_value *attend(model *m, pir_value *p) {
  int64_t keys_at = m->heads, values_at = m->heads + m->key_heads;
  pir_value *q = heads_first(m, between(m, p, 2, 0, keys_at));
  pir_value *k = heads_first(m, between(m, p, 2, keys_at, values_at));
  pir_value *v = heads_first(m, between(m, p, 2, values_at, values_at + m->key_heads));
  int64_t shared = m->heads / m->key_heads;
  given often[] = {{"repeats", whole(m, shared)}, {"axis", whole(m, 1)}};
  if (shared > 1) {
    k = built_value(m, PD_REPEAT_INTERLEAVE, VALUES(k), often, 2);
    v = built_value(m, PD_REPEAT_INTERLEAVE, VALUES(v), often, 2);
  }
  pir_value *by = pir_expand_number(m->e, PIR_F32, 1 / sqrt((double)m->width));
  pir_value *s = built_value(m, PD_SCALE, VALUES(product_of_layer(m, q, k, true), by), NULL, 0);
  pir_value *weights = built_value(m, PD_FUSED_SOFTMAX_MASK_UPPER_TRIANGLE, VALUES(s), NULL, 0);
  pir_value *o = moved(m, product_of_layer(m, weights, v, false), INTS(0, 2, 1, 3));
  o = m->dtype == PIR_F32 ? o : as_type(m, o, m->dtype);
  return reshaped(m, o, INTS(0, 0, m->heads * m->width));
}

// Writes rows over the first places along an axis of a cache. Where a sequence has ended, the
// cache stays.
static pir_value *written(model *m, pir_value *cache, pir_value *rows, int64_t axis) {
  pir_value *shape = built_value(m, PD_SHAPE64, VALUES(given_operand(m, X)), NULL, 0);
  pir_value *end = between(m, shape, 0, 1, 2);
  int64_t zero = 0, one = 1;
  if (m->inside) {
    pir_value *there = axis == 3 ? reshaped(m, m->inside, INTS(0, 1, 1, -1, 1))
                                 : reshaped(m, m->inside, INTS(0, 1, -1, 1));
    pir_value *before = part(m, cache, axis, 0, end, false);
    rows = built_value(m, PD_WHERE, VALUES(there, rows, before), NULL, 0);
  }
  return built_value(
      m, PD_SET_VALUE_WITH_TENSOR,
      VALUES(cache, rows, pir_expand_ints(m->e, &zero, 1), end, pir_expand_ints(m->e, &one, 1)),
      GIVEN({"axes", wholes(m, PIR_ATTR_I64, &axis, 1)},
            {"decrease_axes", wholes(m, PIR_ATTR_I64, NULL, 0)},
            {"none_axes", wholes(m, PIR_ATTR_I64, NULL, 0)}));
}

// Puts the keys and values of a prompt into a cache [2, batch, heads, places, width], whose
// keys lie as [batch, heads, width / pack, places, pack]. Returns the cache.
static pir_value *keep_prompt(model *m, pir_value *p, pir_value *cache) {
  int64_t places = extent(m, cache, 3), pack = PACK_BYTES / (int64_t)pir_dtype_size(m->dtype);
  int64_t keys_at = m->heads, values_at = m->heads + m->key_heads, count = m->key_heads;
  pir_value *k = between(m, p, 2, keys_at, values_at);
  pir_value *v = moved(m, between(m, p, 2, values_at, values_at + count), INTS(0, 2, 1, 3));
  k = reshaped(m, k, INTS(0, 0, count, m->width / pack, pack));
  k = moved(m, k, INTS(0, 2, 3, 1, 4));
  pir_value *one = pir_expand_ints(m->e, (const int64_t[]){1}, 1);
  pir_value *two = pir_expand_ints(m->e, (const int64_t[]){2}, 1);
  pir_value *keys = reshaped(m, part(m, cache, 0, 0, one, true),
                             INTS(-1, count, m->width / pack, places, pack));
  pir_value *values = part(m, cache, 0, 1, two, true);
  keys = reshaped(m, written(m, keys, k, 3), INTS(1, -1, count, places, m->width));
  values = reshaped(m, written(m, values, v, 2), INTS(1, -1, count, places, m->width));
  return built_value(m, PD_ASSIGN_OUT_, VALUES(joined_value(m, VALUES(keys, values), 0), cache),
                     NULL, 0);
}

// Attention of one new token, which is put into the cache: [batch, 1, heads * width].
static pir_value *attend_token(model *m, pir_value *x, int64_t layer, pir_value **cache) {
  pir_value *in[] = {reshaped(m, x, INTS(-1, (m->heads + 2 * m->key_heads) * m->width)),
                     *cache,
                     list_member(m, QKV_BIASES, layer),
                     given_operand(m, MASK),
                     NULL,
                     m->lengths,
                     m->turned_blocks ? given_operand(m, ROTARY) : NULL,
                     given_operand(m, BEAMS),
                     NULL,
                     NULL,
                     NULL};
  pir_op *op =
      make(m, PD_MASKED_MULTIHEAD_ATTENTION_, in, sizeof in / sizeof *in,
           GIVEN({"seq_len", whole(m, 1)}, {"rotary_emb_dims", whole(m, m->turned_blocks)},
                 {"use_neox_rotary_style", yes(m, !m->neighbours)}));
  if (!op)
    return NULL;
  *cache = pir_op_result(op, PD_MASKED_MULTIHEAD_ATTENTION__OUT_CACHE_KV_OUT);
  return reshaped(m, pir_op_result(op, 0), INTS(-1, 1, m->heads * m->width));
}

static pir_value *attention(model *m, pir_value *x, int64_t layer, pir_value **cache) {
  pir_value *w = list_member(m, QKV_WEIGHTS, layer);
  bool turned = number(m, "trans_qkvw") != 0;
  pir_value *flat =
      turned ? reshaped(m, w, INTS(-1, m->embed)) : reshaped(m, w, INTS(m->embed, -1));
  pir_value *projected = product_of_layer(m, x, flat, turned);
  pir_value *out;
  if (given_operand(m, TIME_STEP)) {
    out = attend_token(m, projected, layer, cache);
  } else {
    pir_value *p = project(m, projected, layer);
    out = attend(m, p);
    *cache = *cache ? keep_prompt(m, p, *cache) : NULL;
  }
  return product_of_layer(m, out, list_member(m, OUT_WEIGHTS, layer), false);
}

static pir_value *feed_forward(model *m, pir_value *x, int64_t layer) {
  pir_value *h = product_of_layer(m, x, list_member(m, FFN1_WEIGHTS, layer), false);
  h = sum(m, h, list_member(m, FFN1_BIASES, layer));
  if (text_is(m, "act_method", "gelu")) {
    h = built_value(m, PD_GELU, VALUES(h), NULL, 0);
  } else {
    int64_t wide = extent(m, list_member(m, FFN1_WEIGHTS, layer), 1), half = wide / 2;
    pir_value *a = between(m, h, 2, 0, half), *b = between(m, h, 2, half, wide);
    uint32_t act = text_is(m, "act_method", "geglu") ? PD_GELU : PD_SILU;
    h = built_value(m, PD_MULTIPLY, VALUES(built_value(m, act, VALUES(a), NULL, 0), b), NULL,
                    0);
  }
  return product_of_layer(m, h, list_member(m, FFN2_WEIGHTS, layer), false);
}

static pir_value *run_layer(model *m, pir_value *x, int64_t layer, pir_value **cache) {
  bool first = m->normed_first;
  pir_value *in = first ? norm(m, x, LN_SCALES, layer) : x;
  pir_value *a = sum(m, attention(m, in, layer, cache), x);
  a = sum(m, a, list_member(m, OUT_BIASES, layer));
  pir_value *middle = norm(m, a, first ? FFN_LN_SCALES : LN_SCALES, layer);
  pir_value *f = sum(m, feed_forward(m, middle, layer), first ? a : middle);
  f = sum(m, f, list_member(m, FFN2_BIASES, layer));
  return first ? f : norm(m, f, FFN_LN_SCALES, layer);
}

// ---- the tokens of the sequences

static pir_value *columns_like(model *m, int64_t end, double value, pir_dtype dtype) {
  pir_value *x = between(m, given_operand(m, X), 2, 0, 1);
  if (end)
    x = between(m, x, 1, 0, end);
  return built_value(m, PD_FULL_LIKE, VALUES(x, pir_expand_number(m->e, PIR_F32, value)),
                     GIVEN({"dtype", pir_attr_dtype(pir_op_context(m->e->op), dtype)}));
}

// Stops the run unless a condition holds, with the numbers that it is about.
static void demand(model *m, pir_value *condition, pir_value *shown) {
  pir_value *list = built_value(m, BUILTIN_COMBINE, VALUES(shown), NULL, 0);
  const pir_attr *few = pir_attr_int(pir_op_context(m->e->op), PIR_ATTR_I64, 8);
  (void)make(m, PD_ASSERT, VALUES(condition, list), GIVEN({"summarize", few}));
}

// Lengths [batch, 1, 1], which must be a number for each sequence of x, and fit its tokens.
static pir_value *checked_lengths(model *m, pir_value *lengths) {
  pir_value *column = reshaped(m, lengths, INTS(-1, 1, 1));
  pir_value *twice = joined_value(m, VALUES(column, columns_like(m, 1, 0, PIR_I32)), 2);
  pir_value *each = between(m, twice, 2, 0, 1);
  pir_value *shape = built_value(m, PD_SHAPE64, VALUES(given_operand(m, X)), NULL, 0);
  pir_value *most = as_type(m, between(m, shape, 0, 1, 2), PIR_I32);
  pir_value *least = pir_expand_number(m->e, PIR_I32, 0);
  pir_value *below = built_value(m, PD_LESS_EQUAL, VALUES(each, most), NULL, 0);
  pir_value *above = built_value(m, PD_GREATER_EQUAL, VALUES(each, least), NULL, 0);
  pir_value *both = built_value(m, PD_LOGICAL_AND, VALUES(below, above), NULL, 0);
  demand(m, built_value(m, PD_ALL, VALUES(both), NULL, 0), lengths);
  return each;
}

static void find_tokens(model *m) {
  pir_value *lengths = given_operand(m, LENGTHS), *step = given_operand(m, TIME_STEP);
  if (step) {
    pir_value *none = pir_expand_number(m->e, PIR_I32, 0);
    demand(m, built_value(m, PD_GREATER_THAN, VALUES(step, none), NULL, 0), step);
    pir_value *now = as_type(m, reshaped(m, step, INTS(1, 1, 1)), PIR_I32);
    m->lengths = lengths ? lengths : sum(m, columns_like(m, 1, 0, PIR_I32), now);
  } else if (lengths) {
    pir_value *ones = columns_like(m, 0, 1, PIR_I32);
    pir_value *axis = pir_expand_number(m->e, PIR_I32, 1);
    pir_value *count = built_value(m, PD_CUMSUM, VALUES(ones, axis), NULL, 0);
    m->inside =
        built_value(m, PD_LESS_EQUAL,
                    VALUES(as_type(m, count, PIR_I32), checked_lengths(m, lengths)), NULL, 0);
  }
}

// x where a token belongs to a sequence, else 0.
static pir_value *inside_alone(model *m, pir_value *x) {
  const pir_attr *dtype = pir_attr_dtype(pir_op_context(m->e->op), m->dtype);
  pir_value *zero = built_value(m, PD_FULL_LIKE, VALUES(x, pir_expand_number(m->e, PIR_F32, 0)),
                                GIVEN({"dtype", dtype}));
  return m->inside ? built_value(m, PD_WHERE, VALUES(m->inside, x, zero), NULL, 0) : x;
}

pir_status pd_expand_fused_multi_transformer_(pir_expand *e) {
  model m = {.e = e};
  PIR_TRY(open_model(&m));
  find_tokens(&m);
  pir_value *x = given_operand(&m, X), *caches[MOST_LAYERS];
  for (int64_t i = 0; i < m.layers; i++) {
    caches[i] = list_member(&m, CACHES, i);
    x = run_layer(&m, x, i, &caches[i]);
  }
  x = inside_alone(&m, x);
  if (given_operand(&m, CACHES))
    e->results[PD_FUSED_MULTI_TRANSFORMER__OUT_CACHE_KV_OUTS] =
        built_value(&m, BUILTIN_COMBINE, caches, (size_t)m.layers, NULL, 0);
  e->results[PD_FUSED_MULTI_TRANSFORMER__OUT_OUT] = x;
  return m.failed ? PIR_INVALID : PIR_OK;
}
