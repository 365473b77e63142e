// Attention over a cache in blocks: `block_multihead_attention_`. A sequence brings all tokens
// of its prompt, or one new token; a table names the blocks that hold its past.
#include "cached.h"

#include <convert.h>
#include <math.h>
#include <string.h>

enum {
  QKV,
  KEY_CACHE,
  VALUE_CACHE,
  ENCODER,
  DECODER,
  THIS_TIME,
  PADDING,
  CUM,
  CU_Q,
  CU_K,
  TABLES
};
enum { PRE_KEY = TABLES + 1, PRE_VALUE, ROPE, MASK, TARGET_MASK, FIRST_CACHE_SCALE };
enum { QKV_SCALE = FIRST_CACHE_SCALE + 4, QKV_BIAS, SHIFT, SMOOTH };
enum { MAX_LENGTH, BLOCK_SIZE, NEOX, DYNAMIC, ROUND_TYPE, HIGH, LOW, OUT_SCALE };
enum { OUT, QKV_OUT, KEY_OUT, VALUE_OUT };

// Everything about a call.
typedef struct run {
  const pir_kernel_call *call;
  token_rows rows;
  pir_tensor queries, out, rope, tables;  // dense; queries of a prompt and results as doubles
  turn how;
  int64_t tokens, sequences, blocks, block_size, table_size, before;
  double *room;  // two rows
} run;

// The past of a sequence in one of the caches.
typedef struct past {
  const pir_tensor *cache;
  const int32_t *table;
  int64_t heads, block_size, width;
} past;

static int64_t place_in_cache(const past *p, int64_t head, int64_t place) {
  int64_t block = p->table[place / p->block_size];
  return ((block * p->heads + head) * p->block_size + place % p->block_size) * p->width;
}

static char *cache_row(const past *p, int64_t head, int64_t place) {
  size_t size = pir_dtype_size(p->cache->dtype);
  return (char *)p->cache->data + place_in_cache(p, head, place) * (int64_t)size;
}

static void load_past(const void *user, int64_t head, int64_t place, double *to) {
  const past *p = user;
  pir_convert(PIR_F64, to, 1, p->cache->dtype, cache_row(p, head, place), 1, p->width);
}

static past past_of(const run *r, int64_t sequence, int result) {
  return (past){pir_kernel_out(r->call, result),
                (const int32_t *)r->tables.data + sequence * r->table_size, r->rows.key_heads,
                r->block_size, r->rows.width};
}

// ---- checks

static pir_status check_caches(run *r) {
  const pir_kernel_call *call = r->call;
  const pir_tensor *qkv = pir_kernel_in(call, QKV);
  const pir_tensor *keys = pir_kernel_in(call, KEY_CACHE);
  bool rounded = !pir_dtype_is_float(keys ? keys->dtype : PIR_F32);
  for (int i = FIRST_CACHE_SCALE; i < QKV_SCALE; i++)
    rounded |= pir_kernel_in(call, i) != NULL;
  if (rounded)
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s with a cache of 8 bits",
                           call->op);
  PIR_TRY(pir_kernel_expect_rank(call, QKV, "qkv", 2));
  PIR_TRY(pir_kernel_expect_rank(call, KEY_CACHE, "key_cache", 4));
  PIR_TRY(pir_kernel_expect_shape(call, VALUE_CACHE, "value_cache", keys->shape, 4));
  PIR_TRY(pir_kernel_expect_rank(call, TABLES, "block_tables", 2));
  int64_t width = keys->shape[3], heads = keys->shape[1];
  int64_t rows = width > 0 ? qkv->shape[1] / width : 0;
  bool fits = heads > 0 && width > 0 && width % 2 == 0 && qkv->shape[1] == rows * width &&
              rows > 2 * heads && keys->shape[2] > 0;
  if (!fits)
    return pir_kernel_fail(call, PIR_INVALID, "%s: qkv and key_cache do not fit together",
                           call->op);
  r->rows = (token_rows){qkv,
                         pir_kernel_in(call, QKV_SCALE),
                         pir_kernel_in(call, QKV_BIAS),
                         rows - 2 * heads,
                         heads,
                         width};
  bool listed = (!r->rows.scale || pir_tensor_numel(r->rows.scale) == qkv->shape[1]) &&
                (!r->rows.bias || pir_tensor_numel(r->rows.bias) == qkv->shape[1]);
  if (!listed || !pir_tensor_is_dense(qkv))
    return pir_kernel_fail(call, PIR_INVALID, "%s: expects a number for each column of qkv",
                           call->op);
  r->tokens = qkv->shape[0];
  r->blocks = keys->shape[0];
  r->block_size = keys->shape[2];
  return PIR_OK;
}

static pir_status check_lists(run *r) {
  const pir_kernel_call *call = r->call;
  const pir_tensor *tables = pir_kernel_in(call, TABLES);
  const pir_tensor *pre = pir_kernel_in(call, PRE_KEY);
  static const int lists[] = {ENCODER, DECODER, THIS_TIME};
  r->sequences = tables->shape[0];
  r->table_size = tables->shape[1];
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (pir_tensor_numel(pir_kernel_in(call, lists[i])) < r->sequences)
      return pir_kernel_fail(call, PIR_INVALID, "%s: expects lengths of %lld sequences",
                             call->op, (long long)r->sequences);
  if (pir_tensor_numel(pir_kernel_in(call, CU_Q)) < r->sequences + 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: cu_seqlens_q: expects %lld offsets",
                           call->op, (long long)r->sequences + 1);
  PIR_TRY(pir_kernel_dense(call, tables, PIR_I32, tables->shape, 2, &r->tables));
  if (!pre)
    return PIR_OK;
  PIR_TRY(pir_kernel_expect_rank(call, PRE_KEY, "pre_key_cache", 4));
  r->before = pre->shape[2];
  const int64_t shape[4] = {r->sequences, r->rows.key_heads, r->before, r->rows.width};
  PIR_TRY(pir_kernel_expect_shape(call, PRE_KEY, "pre_key_cache", shape, 4));
  return pir_kernel_expect_shape(call, PRE_VALUE, "pre_value_cache", shape, 4);
}

static pir_status open_rope(run *r) {
  const pir_tensor *rope = pir_kernel_in(r->call, ROPE);
  bool halves = pir_kernel_int(r->call, NEOX);
  if (!rope)
    return PIR_OK;
  PIR_TRY(pir_kernel_expect_rank(r->call, ROPE, "rope_emb", 5));
  int64_t width = halves ? r->rows.width : r->rows.width / 2;
  if (rope->shape[0] != 2 || rope->shape[4] != width || rope->shape[1] < 1)
    return pir_kernel_fail(r->call, PIR_INVALID,
                           "%s: rope_emb: expects cosines and sines of %lld angles",
                           r->call->op, (long long)width);
  r->how = (turn){halves, 1, halves ? TURN_FIRST_HALF : TURN_PAIRS};
  return pir_kernel_dense(r->call, rope, PIR_F32, rope->shape, 5, &r->rope);
}

// Whether the table of a sequence names blocks for its first `places` places.
static bool has_places(const run *r, int64_t sequence, int64_t places) {
  const int32_t *table = (const int32_t *)r->tables.data + sequence * r->table_size;
  int64_t used = (places + r->block_size - 1) / r->block_size;
  for (int64_t i = 0; i < used; i++)
    if (i >= r->table_size || table[i] < 0 || table[i] >= r->blocks)
      return false;
  return true;
}

// ---- tokens

// Turns a row of a query or key by the angles of a position.
static void turn_at(const run *r, double *row, int64_t position) {
  int64_t angles = r->rope.shape[4];
  const float *cosines = (const float *)r->rope.data + position * angles;
  const float *sines = cosines + r->rope.strides[0];
  if (r->rope.data)
    pir_turn_row(&r->how, row, r->room, r->rows.width, cosines, sines);
}

static void store_past(const past *p, int64_t head, int64_t place, const double *row) {
  pir_convert(p->cache->dtype, cache_row(p, head, place), 1, PIR_F64, row, 1, p->width);
}

// Puts keys and values of a token into the caches, and its queries aside. A prompt's rows are
// written to `qkv_out` too.
static void keep_prompt_token(run *r, int64_t sequence, int64_t token, int64_t position,
                              bool prompt) {
  int64_t width = r->rows.width, heads = r->rows.heads;
  past keys = past_of(r, sequence, KEY_OUT), values = past_of(r, sequence, VALUE_OUT);
  pir_tensor *again = pir_kernel_out(r->call, QKV_OUT);
  bool written = prompt && again && pir_dtype_is_float(again->dtype);
  for (int64_t i = 0; i < heads + 2 * r->rows.key_heads; i++) {
    double *row = r->room + width;
    pir_load_token_row(&r->rows, token, i, row);
    if (i < heads + r->rows.key_heads)
      turn_at(r, row, position);
    if (i < heads)
      memcpy((double *)r->queries.data + (token * heads + i) * width, row,
             (size_t)width * sizeof *row);
    else if (i < heads + r->rows.key_heads)
      store_past(&keys, i - heads, r->before + position, row);
    else
      store_past(&values, i - heads - r->rows.key_heads, r->before + position, row);
    size_t size = written ? pir_dtype_size(again->dtype) : 0;
    int64_t at = (token * (heads + 2 * r->rows.key_heads) + i) * width;
    if (written)
      pir_convert(again->dtype, (char *)again->data + at * (int64_t)size, 1, PIR_F64, row, 1,
                  width);
  }
}

// Puts the keys and values that come before the prompt of a sequence into the caches.
static void store_before(run *r, int64_t sequence) {
  static const int from[] = {PRE_KEY, PRE_VALUE}, to[] = {KEY_OUT, VALUE_OUT};
  for (int i = 0; i < 2; i++) {
    const pir_tensor *pre = pir_kernel_in(r->call, from[i]);
    past p = past_of(r, sequence, to[i]);
    for (int64_t n = 0; n < r->before * r->rows.key_heads; n++) {
      int64_t head = n / r->before, place = n % r->before;
      int64_t at =
          sequence * pre->strides[0] + head * pre->strides[1] + place * pre->strides[2];
      const char *row = (const char *)pre->data + at * (int64_t)pir_dtype_size(pre->dtype);
      pir_convert(p.cache->dtype, cache_row(&p, head, place), 1, pre->dtype, row,
                  pre->strides[3], p.width);
    }
  }
}

static pir_status attend_tokens(run *r, int64_t sequence, int64_t token, int64_t count,
                                int64_t keys, const pir_tensor *mask) {
  int64_t width = r->rows.width, heads = r->rows.heads;
  past key_past = past_of(r, sequence, KEY_OUT), value_past = past_of(r, sequence, VALUE_OUT);
  attend_rows rows = {.tensor = &r->queries,
                      .start = token * heads * width,
                      .step = heads * width,
                      .head_step = width};
  attend_job job = {.call = r->call,
                    .query = rows,
                    .key = {.load = load_past, .user = &key_past},
                    .value = {.load = load_past, .user = &value_past},
                    .out = rows,
                    .heads = heads,
                    .key_heads = r->rows.key_heads,
                    .queries = count,
                    .keys = keys,
                    .width = width,
                    .value_width = width,
                    .scale = 1 / sqrt((double)width),
                    .shift = keys - count,
                    .before = -1,
                    .after = mask ? -1 : 0};
  job.out.tensor = &r->out;
  if (!mask)
    return pir_attend(&job);
  bool fits = mask->rank == 4 && mask->shape[0] > sequence && mask->shape[2] >= count &&
              mask->shape[3] >= keys && (mask->shape[1] == 1 || mask->shape[1] == heads);
  if (!fits)
    return pir_kernel_fail(r->call, PIR_INVALID, "%s: a mask is smaller than the scores",
                           r->call->op);
  job.bias = (attend_bias){mask, sequence * mask->strides[0],
                           mask->shape[1] > 1 ? mask->strides[1] : 0, mask->strides[2],
                           mask->strides[3]};
  return pir_attend(&job);
}

static pir_status run_sequence(run *r, int64_t sequence) {
  const pir_kernel_call *call = r->call;
  int64_t count = pir_tensor_int_at(pir_kernel_in(call, THIS_TIME), sequence);
  int64_t prompt = pir_tensor_int_at(pir_kernel_in(call, ENCODER), sequence);
  int64_t earlier = pir_tensor_int_at(pir_kernel_in(call, DECODER), sequence);
  int64_t token = pir_tensor_int_at(pir_kernel_in(call, CU_Q), sequence);
  if (count == 0 || (prompt <= 0 && earlier <= 0))
    return PIR_OK;
  if (prompt > 0)
    earlier = 0;
  int64_t end = earlier + count;
  bool fits = count > 0 && token >= 0 && token <= r->tokens - count &&
              (prompt > 0 || count == 1) && end <= INT32_MAX;
  fits = fits && (!r->rope.data || end <= r->rope.shape[2]);
  if (!fits || !has_places(r, sequence, r->before + end))
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: sequence %lld has no tokens, angles or blocks for its lengths",
                           call->op, (long long)sequence);
  if (prompt > 0)
    store_before(r, sequence);
  for (int64_t i = 0; i < count; i++)
    keep_prompt_token(r, sequence, token + i, earlier + i, prompt > 0);
  const pir_tensor *mask = pir_kernel_in(call, prompt > 0 ? MASK : TARGET_MASK);
  return attend_tokens(r, sequence, token, count, r->before + end, mask);
}

static pir_status run_sequences(run *r) {
  const pir_kernel_call *call = r->call;
  int64_t width = r->rows.width;
  const int64_t shape[2] = {r->tokens, r->rows.heads * width};
  size_t bytes = 2 * (size_t)width * sizeof(double);
  PIR_TRY(pir_kernel_zeros(call, PIR_F64, shape, 2, &r->queries));
  PIR_TRY(pir_kernel_zeros(call, PIR_F64, shape, 2, &r->out));
  r->room = pir_kernel_alloc(call, bytes);
  if (!r->room)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  pir_status status = PIR_OK;
  for (int64_t i = 0; i < r->sequences && !status; i++)
    status = run_sequence(r, i);
  pir_kernel_free(call, r->room, bytes);
  return status;
}

// operands: qkv [tokens, columns], key_cache and value_cache [blocks, heads, block, width],
// lengths of prompts, of the past and of this call, padding_offsets, cum_offsets, cu_seqlens_q,
// cu_seqlens_k, block_tables, pre_key_cache, pre_value_cache, rope_emb, mask, tgt_mask, scales
// of the caches, qkv_out_scale, qkv_bias, out_shift, out_smooth, ..
pir_status pir_kernel_block_multihead_attention(const pir_kernel_call *call) {
  run r = {.call = call};
  pir_status status = check_caches(&r);
  if (!status)
    status = check_lists(&r);
  if (!status)
    status = open_rope(&r);
  for (int i = 0; i < 3 && !status; i++)
    status = pir_continue_operand(call, QKV + i, QKV_OUT + i);
  if (!status)
    status = run_sequences(&r);
  if (!status)
    status = pir_write_rounded(call, &r.out, SHIFT, SMOOTH, pir_kernel_float(call, OUT_SCALE),
                               ROUND_TYPE);
  pir_kernel_drop(call, &r.queries);
  pir_kernel_drop(call, &r.out);
  pir_kernel_drop(call, &r.rope);
  pir_kernel_drop(call, &r.tables);
  return status;
}
