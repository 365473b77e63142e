// Attention over a cache in blocks: `block_multihead_attention_`. A sequence brings all tokens
// of its prompt, or one new token; a table names the blocks that hold its past.
#include "cached.h"
#include "one_query.h"

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
enum { QKV_SCALE = FIRST_CACHE_SCALE + 4, QKV_BIAS, SHIFT, SMOOTH, NO_OPERAND = INT32_MAX };
enum { MAX_LENGTH, BLOCK_SIZE, NEOX, DYNAMIC, ROUND_TYPE, HIGH, LOW, OUT_SCALE };
enum { OUT, QKV_OUT, KEY_OUT, VALUE_OUT };

// Scales of caches of 8 bits, in the order of the operands.
enum { KEY_FACTORS, VALUE_FACTORS, KEY_STEPS, VALUE_STEPS, SCALES };

// Everything about a call.
typedef struct run {
  const pir_kernel_call *call;
  token_rows rows;
  pir_tensor queries, out, rope, tables;  // dense; queries of a prompt and results as doubles
  pir_tensor scales[SCALES];              // dense; for each head of keys, or without data
  pir_tensor exact[2];  // keys and values of this call as doubles, beside caches of 8 bits
  turn how;
  int64_t tokens, sequences, blocks, block_size, table_size, before;
  double *room;  // two rows
} run;

// A sequence's part of a call.
typedef struct part {
  int64_t sequence;
  int64_t token, count;  // its tokens in `qkv`
  bool prompt;
  int64_t first;  // the position of its first token
} part;

// The keys or the values of a sequence.
typedef struct past {
  const run *run;
  const part *part;
  const pir_tensor *cache;
  const int32_t *table;
  int which;  // 0: keys, 1: values
} past;

static past past_of(const run *r, const part *p, int which) {
  return (past){r, p, pir_kernel_out(r->call, KEY_OUT + which),
                (const int32_t *)r->tables.data + p->sequence * r->table_size, which};
}

static char *cache_row(const past *p, int64_t head, int64_t place) {
  const run *r = p->run;
  int64_t block = p->table[place / r->block_size];
  int64_t row = (block * r->rows.key_heads + head) * r->block_size + place % r->block_size;
  return (char *)p->cache->data +
         row * r->rows.width * (int64_t)pir_dtype_size(p->cache->dtype);
}

static double *exact_row(const past *p, int64_t head, int64_t place) {
  const run *r = p->run;
  int64_t token = p->part->token + place - r->before - p->part->first;
  return (double *)r->exact[p->which].data + (token * r->rows.key_heads + head) * r->rows.width;
}

static void load_before(const past *p, int64_t head, int64_t place, double *to) {
  const pir_tensor *pre = pir_kernel_in(p->run->call, PRE_KEY + p->which);
  int64_t at =
      p->part->sequence * pre->strides[0] + head * pre->strides[1] + place * pre->strides[2];
  pir_convert(PIR_F64, to, 1, pre->dtype,
              (const char *)pre->data + at * (int64_t)pir_dtype_size(pre->dtype),
              pre->strides[3], p->run->rows.width);
}

// Beside a cache of 8 bits, what a call brings is read as it came.
static void load_past(const void *user, int64_t head, int64_t place, double *to) {
  const past *p = user;
  const run *r = p->run;
  const float *steps = r->scales[KEY_STEPS + p->which].data;
  if (steps && place >= r->before + p->part->first) {
    memcpy(to, exact_row(p, head, place), (size_t)r->rows.width * sizeof *to);
    return;
  }
  if (steps && p->part->prompt) {
    load_before(p, head, place, to);
    return;
  }
  pir_convert(PIR_F64, to, 1, p->cache->dtype, cache_row(p, head, place), 1, r->rows.width);
  for (int64_t i = 0; i < r->rows.width && steps; i++)
    to[i] = (to[i] - 128) * steps[head];
}

// Bytes are rounded as the attributes say in a prompt, and to even, within 127, in an answer.
static double byte_of(const past *p, double v) {
  const pir_kernel_call *call = p->run->call;
  bool prompt = p->part->prompt;
  double high = prompt ? pir_kernel_float(call, HIGH) : 127;
  double low = prompt ? pir_kernel_float(call, LOW) : -127;
  v = prompt && pir_kernel_int(call, ROUND_TYPE) != 0 ? round(v) : rint(v);
  return fmin(fmax(fmax(fmin(v, high), low) + 128, 0), 255);
}

// Puts a row into the cache. Changes it, if the cache has 8 bits.
static void store_past(const past *p, int64_t head, int64_t place, double *row) {
  const run *r = p->run;
  const float *factors = r->scales[KEY_FACTORS + p->which].data;
  for (int64_t i = 0; i < r->rows.width && factors; i++)
    row[i] = byte_of(p, row[i] * factors[head]);
  pir_convert(p->cache->dtype, cache_row(p, head, place), 1, PIR_F64, row, 1, r->rows.width);
}

// ---- checks

static pir_status check_caches(run *r) {
  const pir_kernel_call *call = r->call;
  const pir_tensor *qkv = pir_kernel_in(call, QKV);
  const pir_tensor *keys = pir_kernel_in(call, KEY_CACHE);
  PIR_TRY(pir_kernel_expect_rank(call, QKV, "qkv", 2));
  PIR_TRY(pir_kernel_expect_rank(call, KEY_CACHE, "key_cache", 4));
  PIR_TRY(pir_kernel_expect_shape(call, VALUE_CACHE, "value_cache", keys->shape, 4));
  PIR_TRY(pir_kernel_expect_rank(call, TABLES, "block_tables", 2));
  int64_t width = keys->shape[3], heads = keys->shape[1], columns = qkv->shape[1];
  if (heads < 1 || width < 1 || width % 2 || keys->shape[2] < 1)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: key_cache: expects blocks of places, of heads with an even "
                           "number of elements",
                           call->op);
  PIR_TRY(pir_split_token_rows(call, qkv, "qkv", heads, width, &r->rows));
  r->rows.scale = pir_kernel_in(call, QKV_SCALE);
  r->rows.bias = pir_kernel_in(call, QKV_BIAS);
  PIR_TRY(pir_expect_numbers(call, QKV_SCALE, "qkv_out_scale", columns));
  PIR_TRY(pir_expect_numbers(call, QKV_BIAS, "qkv_bias", columns));
  r->tokens = qkv->shape[0];
  r->blocks = keys->shape[0];
  r->block_size = keys->shape[2];
  return PIR_OK;
}

static pir_status check_lists(run *r) {
  const pir_kernel_call *call = r->call;
  const pir_tensor *tables = pir_kernel_in(call, TABLES);
  const pir_tensor *pre = pir_kernel_in(call, PRE_KEY);
  static const struct {
    int operand, more;
    const char *name;
  } lists[] = {{ENCODER, 0, "seq_lens_encoder"},
               {DECODER, 0, "seq_lens_decoder"},
               {THIS_TIME, 0, "seq_lens_this_time"},
               {CU_Q, 1, "cu_seqlens_q"}};
  r->sequences = tables->shape[0];
  r->table_size = tables->shape[1];
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    int64_t found = pir_tensor_numel(pir_kernel_in(call, lists[i].operand));
    if (found < r->sequences + lists[i].more)
      return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects %lld numbers, found %lld",
                             call->op, lists[i].name, (long long)(r->sequences + lists[i].more),
                             (long long)found);
  }
  PIR_TRY(pir_kernel_dense(call, tables, PIR_I32, tables->shape, 2, &r->tables));
  if (!pre)
    return PIR_OK;
  PIR_TRY(pir_kernel_expect_rank(call, PRE_KEY, "pre_key_cache", 4));
  r->before = pre->shape[2];
  const int64_t shape[4] = {r->sequences, r->rows.key_heads, r->before, r->rows.width};
  PIR_TRY(pir_kernel_expect_shape(call, PRE_KEY, "pre_key_cache", shape, 4));
  return pir_kernel_expect_shape(call, PRE_VALUE, "pre_value_cache", shape, 4);
}

// Opens the scales of caches of 8 bits, and room for the keys and values of this call.
static pir_status open_scales(run *r) {
  static const char *const names[] = {"cache_k_quant_scales", "cache_v_quant_scales",
                                      "cache_k_dequant_scales", "cache_v_dequant_scales"};
  const int64_t shape[2] = {r->tokens, r->rows.key_heads * r->rows.width};
  if (!pir_kernel_in(r->call, FIRST_CACHE_SCALE))
    return PIR_OK;
  if (pir_kernel_int(r->call, DYNAMIC))
    return pir_kernel_fail(r->call, PIR_UNSUPPORTED,
                           "unsupported: %s with dynamic_cachekv_quant, whose scales are "
                           "written where operands lie that no result continues",
                           r->call->op);
  for (int i = 0; i < SCALES; i++) {
    const pir_tensor *scale = pir_kernel_in(r->call, FIRST_CACHE_SCALE + i);
    PIR_TRY(pir_expect_numbers(r->call, FIRST_CACHE_SCALE + i, names[i], r->rows.key_heads));
    PIR_TRY(
        pir_kernel_dense(r->call, scale, PIR_F32, scale->shape, scale->rank, &r->scales[i]));
  }
  PIR_TRY(pir_kernel_zeros(r->call, PIR_F64, shape, 2, &r->exact[0]));
  return pir_kernel_zeros(r->call, PIR_F64, shape, 2, &r->exact[1]);
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

// A sequence without tokens has `count` 0.
static part part_of(const run *r, int64_t sequence) {
  const pir_kernel_call *call = r->call;
  int64_t prompt = pir_tensor_int_at(pir_kernel_in(call, ENCODER), sequence);
  int64_t earlier = pir_tensor_int_at(pir_kernel_in(call, DECODER), sequence);
  part p = {.sequence = sequence,
            .token = pir_tensor_int_at(pir_kernel_in(call, CU_Q), sequence),
            .count = pir_tensor_int_at(pir_kernel_in(call, THIS_TIME), sequence),
            .prompt = prompt > 0,
            .first = prompt > 0 ? 0 : earlier};
  if (prompt <= 0 && earlier <= 0)
    p.count = 0;
  return p;
}

// Refuses a sequence whose table does not name blocks for its first `places` places.
static pir_status check_blocks(const run *r, int64_t sequence, int64_t places) {
  const int32_t *table = (const int32_t *)r->tables.data + sequence * r->table_size;
  int64_t used = places / r->block_size + (places % r->block_size > 0);
  if (used > r->table_size)
    return pir_kernel_fail(
        r->call, PIR_INVALID, "%s: block_tables: sequence %lld needs %lld blocks, found %lld",
        r->call->op, (long long)sequence, (long long)used, (long long)r->table_size);
  for (int64_t i = 0; i < used; i++)
    if (table[i] < 0 || table[i] >= r->blocks)
      return pir_kernel_fail(
          r->call, PIR_INVALID, "%s: block_tables: sequence %lld names block %d of %lld",
          r->call->op, (long long)sequence, (int)table[i], (long long)r->blocks);
  return PIR_OK;
}

// Refuses lengths that the tokens, the angles or the blocks do not have, before anything is
// written.
static pir_status check_sequence(const run *r, int64_t sequence) {
  const pir_kernel_call *call = r->call;
  part p = part_of(r, sequence);
  if (p.count == 0)
    return PIR_OK;
  if (p.count < 0 || p.token < 0 || p.count > r->tokens || p.token > r->tokens - p.count)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: cu_seqlens_q: sequence %lld has %lld tokens from token %lld "
                           "on, qkv has %lld",
                           call->op, (long long)sequence, (long long)p.count,
                           (long long)p.token, (long long)r->tokens);
  if (!p.prompt && p.count != 1)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: seq_lens_this_time: sequence %lld has %lld new tokens, and no "
                           "prompt",
                           call->op, (long long)sequence, (long long)p.count);
  if (r->rope.data && p.first + p.count > r->rope.shape[2])
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: rope_emb: has %lld positions, and sequence %lld needs %lld",
                           call->op, (long long)r->rope.shape[2], (long long)sequence,
                           (long long)(p.first + p.count));
  return check_blocks(r, sequence, r->before + p.first + p.count);
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

// Puts a row of keys or values of a token into its cache.
static void keep_row(const past *p, int64_t head, int64_t place, double *row) {
  if (p->run->exact[p->which].data)
    memcpy(exact_row(p, head, place), row, (size_t)p->run->rows.width * sizeof *row);
  store_past(p, head, place, row);
}

// Writes a row of a prompt to `qkv_out`.
static void write_again(const run *r, int64_t token, int64_t row_number, const double *row) {
  pir_tensor *again = pir_kernel_out(r->call, QKV_OUT);
  int64_t rows = r->rows.heads + 2 * r->rows.key_heads, width = r->rows.width;
  if (!again || !pir_dtype_is_float(again->dtype))
    return;
  int64_t at = (token * rows + row_number) * width * (int64_t)pir_dtype_size(again->dtype);
  pir_convert(again->dtype, (char *)again->data + at, 1, PIR_F64, row, 1, width);
}

// Puts keys and values of a token into the caches, and its queries aside.
static void keep_token(run *r, const part *p, int64_t number) {
  int64_t width = r->rows.width, heads = r->rows.heads, key_heads = r->rows.key_heads;
  past kept[2] = {past_of(r, p, 0), past_of(r, p, 1)};
  int64_t token = p->token + number, position = p->first + number;
  for (int64_t i = 0; i < heads + 2 * key_heads; i++) {
    double *row = r->room + width;
    pir_load_token_row(&r->rows, token, i, row);
    if (i < heads + key_heads)
      turn_at(r, row, position);
    if (p->prompt)
      write_again(r, token, i, row);
    if (i < heads)
      memcpy((double *)r->queries.data + (token * heads + i) * width, row,
             (size_t)width * sizeof *row);
    else
      keep_row(&kept[i >= heads + key_heads], (i - heads) % key_heads, r->before + position,
               row);
  }
}

// Puts the keys and values that come before the prompt of a sequence into the caches.
static void store_before(run *r, const part *p) {
  double *row = r->room + r->rows.width;
  for (int which = 0; which < 2; which++) {
    past to = past_of(r, p, which);
    for (int64_t n = 0; n < r->before * r->rows.key_heads; n++) {
      load_before(&to, n / r->before, n % r->before, row);
      store_past(&to, n / r->before, n % r->before, row);
    }
  }
}

// Places lie together within a block.
static void find_in_block(const void *user, int64_t head, int64_t place, cache_rows *out) {
  const past *both = user;
  const run *r = both->run;
  *out = (cache_rows){.keys = cache_row(&both[0], head, place),
                      .values = cache_row(&both[1], head, place),
                      .places = r->block_size - place % r->block_size,
                      .chunk = r->rows.width,
                      .key_step = r->rows.width,
                      .value_step = r->rows.width};
}

// One token after its past, in caches that hold floats.
static pir_status attend_next(run *r, const part *p, const past *both, const attend_bias *bias,
                              int64_t keys) {
  int64_t at = p->token * r->rows.heads * r->rows.width;
  one_query_job job = {.call = r->call,
                       .query = (const double *)r->queries.data + at,
                       .out = (double *)r->out.data + at,
                       .dtype = both->cache->dtype,
                       .heads = r->rows.heads,
                       .key_heads = r->rows.key_heads,
                       .width = r->rows.width,
                       .keys = keys,
                       .scale = 1 / sqrt((double)r->rows.width),
                       .bias = *bias,
                       .find = find_in_block,
                       .user = both};
  return pir_attend_one(&job);
}

static pir_status attend_tokens(run *r, const part *p) {
  int64_t token = p->token, count = p->count, keys = r->before + p->first + count;
  int64_t sequence = p->sequence;
  bool prompt = p->prompt;
  const pir_tensor *mask = pir_kernel_in(r->call, prompt ? MASK : TARGET_MASK);
  int64_t width = r->rows.width, heads = r->rows.heads;
  past both[2] = {past_of(r, p, 0), past_of(r, p, 1)};
  bool next = count == 1 && !r->scales[KEY_STEPS].data;
  attend_rows rows = {.tensor = &r->queries,
                      .start = token * heads * width,
                      .step = heads * width,
                      .head_step = width};
  attend_job job = {.call = r->call,
                    .query = rows,
                    .key = {.load = load_past, .user = &both[0]},
                    .value = {.load = load_past, .user = &both[1]},
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
    return next ? attend_next(r, p, both, &job.bias, keys) : pir_attend(&job);
  bool fits = mask->rank == 4 && mask->shape[0] > sequence && mask->shape[2] >= count &&
              mask->shape[3] >= keys && (mask->shape[1] == 1 || mask->shape[1] == heads);
  if (!fits)
    return pir_kernel_fail(r->call, PIR_INVALID,
                           "%s: %s: is smaller than the scores of sequence %lld, of %lld "
                           "tokens and %lld places",
                           r->call->op, prompt ? "mask" : "tgt_mask", (long long)sequence,
                           (long long)count, (long long)keys);
  job.bias = (attend_bias){mask, sequence * mask->strides[0],
                           mask->shape[1] > 1 ? mask->strides[1] : 0, mask->strides[2],
                           mask->strides[3]};
  return next ? attend_next(r, p, both, &job.bias, keys) : pir_attend(&job);
}

static pir_status run_sequence(run *r, int64_t sequence) {
  part p = part_of(r, sequence);
  if (p.count == 0)
    return PIR_OK;
  if (p.prompt)
    store_before(r, &p);
  for (int64_t i = 0; i < p.count; i++)
    keep_token(r, &p, i);
  return attend_tokens(r, &p);
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
    status = check_sequence(r, i);
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
    status = open_scales(&r);
  if (!status)
    status = open_rope(&r);
  for (int i = 0; i < 3 && !status; i++)
    status = pir_continue_operand(call, QKV + i, QKV_OUT + i);
  if (!status)
    status = run_sequences(&r);
  double out_scale = pir_kernel_float(call, OUT_SCALE);
  bool moved = out_scale > 0;  // as in Paddle's kernel
  if (!status)
    status = pir_write_rounded(call, &r.out, moved ? SHIFT : NO_OPERAND,
                               moved ? SMOOTH : NO_OPERAND, out_scale, ROUND_TYPE);
  pir_kernel_drop(call, &r.queries);
  pir_kernel_drop(call, &r.out);
  pir_kernel_drop(call, &r.rope);
  pir_kernel_drop(call, &r.tables);
  for (int i = 0; i < SCALES; i++)
    pir_kernel_drop(call, &r.scales[i]);
  pir_kernel_drop(call, &r.exact[0]);
  pir_kernel_drop(call, &r.exact[1]);
  return status;
}
