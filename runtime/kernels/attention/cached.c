// Attention of new tokens over a cache of keys and values: `masked_multihead_attention_`, whose
// cache has room for each sequence, and helpers for the other caches.
#include "cached.h"
#include "one_query.h"

#include <convert.h>
#include <math.h>
#include <string.h>

void pir_turn_row(const turn *how, double *row, double *room, int64_t width,
                  const float *cosines, const float *sines) {
  int64_t block = how->halves ? width / how->blocks : 2;
  int64_t half = block / 2;
  memcpy(room, row, (size_t)width * sizeof *row);
  for (int64_t i = 0; i < width; i++) {
    bool leads = i % block < half;
    double crossed = leads ? -room[i + half] : room[i - half];
    int64_t at = i;
    if (how->table == TURN_PAIRS)
      at = i / 2;
    if (how->table == TURN_FIRST_HALF)
      at = i % half;
    row[i] = room[i] * cosines[at] + crossed * sines[at];
  }
}

static double number_at(const pir_tensor *t, int64_t i) {
  double value;
  pir_convert(PIR_F64, &value, 1, t->dtype,
              (const char *)t->data + i * (int64_t)pir_dtype_size(t->dtype), 1, 1);
  return value;
}

void pir_load_token_row(const token_rows *rows, int64_t token, int64_t row, double *to) {
  int64_t columns = (rows->heads + 2 * rows->key_heads) * rows->width;
  int64_t first = row * rows->width;
  size_t size = pir_dtype_size(rows->tensor->dtype);
  const char *from =
      (const char *)rows->tensor->data + (token * columns + first) * (int64_t)size;
  pir_convert(PIR_F64, to, 1, rows->tensor->dtype, from, 1, rows->width);
  for (int64_t i = 0; i < rows->width && rows->scale; i++)
    to[i] *= number_at(rows->scale, first + i);
  for (int64_t i = 0; i < rows->width && rows->bias; i++)
    to[i] += number_at(rows->bias, first + i);
}

static double bounded(double v, double low, double high) {
  v = v > high ? high : v;
  return v < low ? low : v;
}

pir_status pir_split_token_rows(const pir_kernel_call *call, const pir_tensor *x,
                                const char *name, int64_t heads, int64_t width,
                                token_rows *out) {
  int64_t columns = x->rank > 1 ? x->shape[x->rank - 1] : 0;
  int64_t queries = columns / width - 2 * heads;
  if (columns % width || queries < 1 || queries % heads || !pir_tensor_is_dense(x))
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: %s: expects queries of a multiple of %lld heads, and as many "
                           "keys and values, of %lld columns each; found %lld columns",
                           call->op, name, (long long)heads, (long long)width,
                           (long long)columns);
  *out = (token_rows){.tensor = x, .heads = queries, .key_heads = heads, .width = width};
  return PIR_OK;
}

pir_status pir_expect_numbers(const pir_kernel_call *call, int operand, const char *name,
                              int64_t n) {
  const pir_tensor *t = pir_kernel_in(call, operand);
  if (!t || pir_tensor_numel(t) == n)
    return PIR_OK;
  return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects %lld numbers, found %lld",
                         call->op, name, (long long)n, (long long)pir_tensor_numel(t));
}

pir_status pir_write_rounded(const pir_kernel_call *call, const pir_tensor *from, int shift,
                             int smooth, double out_scale, int first_attr) {
  const pir_tensor *moves = pir_kernel_in(call, shift);
  const pir_tensor *factors = pir_kernel_in(call, smooth);
  bool away = pir_kernel_int(call, first_attr) != 0;
  double high = pir_kernel_float(call, first_attr + 1);
  double low = pir_kernel_float(call, first_attr + 2);
  int64_t columns = from->shape[from->rank - 1];
  int64_t n = pir_tensor_numel(from);
  double *values = from->data;
  PIR_TRY(pir_expect_numbers(call, shift, "out_shift", columns));
  PIR_TRY(pir_expect_numbers(call, smooth, "out_smooth", columns));
  for (int64_t i = 0; i < n; i++) {
    double v = values[i] + (moves ? number_at(moves, i % columns) : 0);
    v *= factors ? number_at(factors, i % columns) : 1;
    if (out_scale > 0) {
      v *= high * out_scale;
      v = bounded(away ? round(v) : rint(v), low, high);
    }
    values[i] = v;
  }
  return pir_tensor_copy(from, pir_kernel_out(call, 0));
}

pir_status pir_continue_operand(const pir_kernel_call *call, int operand, int result) {
  const pir_tensor *from = pir_kernel_in(call, operand);
  pir_tensor *to = pir_kernel_out(call, result);
  if (!from || !to || from->data == to->data)
    return PIR_OK;
  return pir_tensor_copy(from, to);
}

// ---- one new token of each sequence

enum { X, CACHE, BIAS, MASK, CUM_OFFSETS, LENGTHS, ROTARY, BEAMS, X_SCALE, SHIFT, SMOOTH };
enum { SEQ_LEN, ROTARY_DIMS, NEOX, COMPUTE_DTYPE, OUT_SCALE, ROUND_TYPE };
enum { OUT, CACHE_OUT, BEAMS_OUT };

// The cache [2, batch, heads, room, width]. Keys lie as [batch, heads, width / pack, room,
// pack] of 16 bytes each, values as the shape says.
typedef struct packed_cache {
  const pir_tensor *tensor;
  int64_t batch, heads, room, width, pack;
} packed_cache;

static int64_t packed_key(const packed_cache *c, int64_t entry, int64_t head, int64_t place,
                          int64_t i) {
  int64_t first = (entry * c->heads + head) * c->room * c->width;
  return first + (i / c->pack * c->room + place) * c->pack + i % c->pack;
}

static int64_t packed_value(const packed_cache *c, int64_t entry, int64_t head, int64_t place) {
  return (((c->batch + entry) * c->heads + head) * c->room + place) * c->width;
}

// The entry of the cache in which a sequence finds its past, place by place: another one of its
// beams.
typedef struct cache_past {
  const packed_cache *cache;
  const int32_t *beams;  // [room], or NULL
  int64_t entry, first_beam, now;
} cache_past;

static int64_t entry_of(const cache_past *past, int64_t place) {
  bool other = past->beams && place < past->now;
  return other ? past->first_beam + past->beams[place] : past->entry;
}

// Places lie together as long as they are in one entry.
static void find_packed(const void *user, int64_t head, int64_t place, cache_rows *out) {
  const cache_past *past = user;
  const packed_cache *c = past->cache;
  int64_t entry = entry_of(past, place), end = past->beams ? place + 1 : past->now + 1;
  int64_t size = (int64_t)pir_dtype_size(c->tensor->dtype);
  while (end <= past->now && entry_of(past, end) == entry)
    end++;
  const char *data = c->tensor->data;
  *out = (cache_rows){.keys = data + packed_key(c, entry, head, place, 0) * size,
                      .values = data + packed_value(c, entry, head, place) * size,
                      .places = end - place,
                      .chunk = c->pack,
                      .chunk_step = c->room * c->pack,
                      .key_step = c->pack,
                      .value_step = c->width};
}

static void store_element(pir_tensor *t, int64_t i, double value) {
  pir_convert(t->dtype, (char *)t->data + i * (int64_t)pir_dtype_size(t->dtype), 1, PIR_F64,
              &value, 1, 1);
}

// Everything about the tokens of a step.
typedef struct step {
  const pir_kernel_call *call;
  token_rows rows;
  packed_cache cache;
  pir_tensor queries, out, rotary, beams;  // dense; queries and results as doubles
  turn how;
  int64_t batch, beam_width;
} step;

// Finds the heads, the width and the caches.
static pir_status open_rows(const pir_kernel_call *call, step *s) {
  const pir_tensor *x = pir_kernel_in(call, X);
  const pir_tensor *cache = pir_kernel_in(call, CACHE);
  PIR_TRY(pir_kernel_expect_rank(call, CACHE, "cache_kv", 5));
  int64_t width = cache->shape[4], heads = cache->shape[2];
  size_t size = pir_dtype_size(cache->dtype);
  int64_t pack = size ? 16 / (int64_t)size : 1;
  if (cache->shape[0] != 2 || heads < 1 || width < 1 || width % pack)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: cache_kv: expects keys and values of heads with a multiple of "
                           "%lld elements",
                           call->op, (long long)pack);
  PIR_TRY(pir_split_token_rows(call, x, "x", heads, width, &s->rows));
  s->rows.scale = pir_kernel_in(call, X_SCALE);
  s->rows.bias = pir_kernel_in(call, BIAS);
  int64_t columns = x->shape[x->rank - 1];
  s->batch = pir_tensor_numel(x) / columns;
  if (s->batch > cache->shape[1])
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: cache_kv: expects caches of %lld sequences, found %lld",
                           call->op, (long long)s->batch, (long long)cache->shape[1]);
  s->cache = (packed_cache){
      pir_kernel_out(call, CACHE_OUT), cache->shape[1], heads, cache->shape[3], width, pack};
  PIR_TRY(pir_expect_numbers(call, X_SCALE, "qkv_out_scale", columns));
  return pir_expect_numbers(call, BIAS, "bias", columns);
}

static pir_status open_step(const pir_kernel_call *call, step *s) {
  s->call = call;
  PIR_TRY(open_rows(call, s));
  int64_t width = s->rows.width, heads = s->rows.heads;
  PIR_TRY(pir_kernel_zeros(call, PIR_F64, (int64_t[]){s->batch, heads, width}, 3, &s->queries));
  return pir_kernel_zeros(call, PIR_F64, (int64_t[]){s->batch, heads * width}, 2, &s->out);
}

static pir_status open_tables(const pir_kernel_call *call, step *s) {
  const pir_tensor *rotary = pir_kernel_in(call, ROTARY);
  const pir_tensor *beams = pir_kernel_in(call, BEAMS);
  int64_t dims = pir_kernel_int(call, ROTARY_DIMS);
  s->beam_width = 1;
  if (rotary && dims) {
    int64_t n = s->batch * s->rows.width;
    if (dims < 0 || s->rows.width % (2 * dims) || pir_tensor_numel(rotary) != 2 * n)
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: rotary_tensor: expects cosines and sines of each row",
                             call->op);
    s->how = (turn){pir_kernel_int(call, NEOX), dims, TURN_EACH};
    PIR_TRY(pir_kernel_dense(call, rotary, PIR_F32, rotary->shape, rotary->rank, &s->rotary));
  }
  if (!beams)
    return PIR_OK;
  bool fits = beams->rank == 3 && beams->shape[1] > 0 && beams->shape[2] >= s->cache.room &&
              beams->shape[0] * beams->shape[1] == s->batch;
  if (!fits)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: beam_cache_offset: expects [batch, beams, "
                           "places]",
                           call->op);
  s->beam_width = beams->shape[1];
  return pir_kernel_dense(call, beams, PIR_I32, beams->shape, 3, &s->beams);
}

// Takes the row of a query or key, turned by its position.
static void take_turned(const step *s, int64_t entry, int64_t row, double *to, double *room) {
  pir_load_token_row(&s->rows, entry, row, to);
  const float *tables = s->rotary.data;
  int64_t width = s->rows.width;
  if (tables)
    pir_turn_row(&s->how, to, room, width, tables + entry * width,
                 tables + (s->batch + entry) * width);
}

// Puts the key and the value of a token into the cache, and its queries aside.
static void store_token(step *s, int64_t entry, int64_t place, double *room) {
  int64_t width = s->rows.width;
  pir_tensor *cache = pir_kernel_out(s->call, CACHE_OUT);
  for (int64_t h = 0; h < s->rows.heads; h++)
    take_turned(s, entry, h, (double *)s->queries.data + (entry * s->rows.heads + h) * width,
                room);
  for (int64_t h = 0; h < s->rows.key_heads; h++) {
    double *row = room + width;
    take_turned(s, entry, s->rows.heads + h, row, room);
    for (int64_t i = 0; i < width; i++)
      store_element(cache, packed_key(&s->cache, entry, h, place, i), row[i]);
    pir_load_token_row(&s->rows, entry, s->rows.heads + s->rows.key_heads + h, row);
    for (int64_t i = 0; i < width; i++)
      store_element(cache, packed_value(&s->cache, entry, h, place) + i, row[i]);
  }
}

static pir_status attend_token(step *s, int64_t entry, int64_t place) {
  const pir_tensor *mask = pir_kernel_in(s->call, MASK);
  int64_t width = s->rows.width, heads = s->rows.heads;
  const int32_t *beams = s->beams.data;
  cache_past past = {.cache = &s->cache,
                     .beams = beams ? beams + entry * s->beams.shape[2] : NULL,
                     .entry = entry,
                     .first_beam = entry / s->beam_width * s->beam_width,
                     .now = place};
  for (int64_t t = 0; past.beams && t < place; t++)
    if (past.beams[t] < 0 || past.beams[t] >= s->beam_width)
      return pir_kernel_fail(s->call, PIR_INVALID, "%s: beam_cache_offset: names no beam",
                             s->call->op);
  one_query_job job = {.call = s->call,
                       .query = (const double *)s->queries.data + entry * heads * width,
                       .out = (double *)s->out.data + entry * heads * width,
                       .dtype = s->cache.tensor->dtype,
                       .heads = heads,
                       .key_heads = s->rows.key_heads,
                       .width = width,
                       .keys = place + 1,
                       .scale = 1 / sqrt((double)width),
                       .find = find_packed,
                       .user = &past};
  if (mask) {
    bool each = mask->shape[1] > 1;
    job.bias = (attend_bias){mask, entry * mask->strides[0], each ? mask->strides[1] : 0, 0,
                             mask->strides[3]};
  }
  return pir_attend_one(&job);
}

static pir_status check_mask(const pir_kernel_call *call, const step *s, int64_t *out_now) {
  const pir_tensor *mask = pir_kernel_in(call, MASK);
  const pir_tensor *lengths = pir_kernel_in(call, LENGTHS);
  *out_now = s->cache.room;
  if (lengths && pir_tensor_numel(lengths) < s->batch)
    return pir_kernel_fail(call, PIR_INVALID, "%s: sequence_lengths: expects %lld numbers",
                           call->op, (long long)s->batch);
  if (!mask)
    return PIR_OK;
  PIR_TRY(pir_kernel_expect_rank(call, MASK, "src_mask", 4));
  bool fits = mask->shape[0] == s->batch && mask->shape[2] == 1 && mask->shape[3] > 0 &&
              (mask->shape[1] == 1 || mask->shape[1] == s->rows.heads);
  if (!fits)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: src_mask: expects [%lld, 1 or heads, 1, "
                           "places]",
                           call->op, (long long)s->batch);
  *out_now = mask->shape[3] - 1;
  return PIR_OK;
}

// The place of the new token of a sequence. Negative: the sequence has ended.
static int64_t place_of(const pir_kernel_call *call, int64_t entry, int64_t now) {
  const pir_tensor *lengths = pir_kernel_in(call, LENGTHS);
  return lengths ? pir_tensor_int_at(lengths, entry) : now;
}

// Refuses places that the cache or the mask lacks, before anything is written.
static pir_status check_places(const pir_kernel_call *call, const step *s, int64_t now) {
  const pir_tensor *mask = pir_kernel_in(call, MASK);
  bool masked = mask && mask->shape[3] < s->cache.room;
  int64_t places = masked ? mask->shape[3] : s->cache.room;
  for (int64_t entry = 0; entry < s->batch; entry++)
    if (place_of(call, entry, now) >= places)
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: %s: has %lld places, and sequence %lld needs place %lld",
                             call->op, masked ? "src_mask" : "cache_kv", (long long)places,
                             (long long)entry, (long long)place_of(call, entry, now));
  return PIR_OK;
}

static pir_status run_step(const pir_kernel_call *call, step *s) {
  int64_t now;
  PIR_TRY(check_mask(call, s, &now));
  PIR_TRY(check_places(call, s, now));
  size_t bytes = 2 * (size_t)s->rows.width * sizeof(double);
  double *room = pir_kernel_alloc(call, bytes);
  pir_status status = PIR_OK;
  if (!room)
    status = pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  for (int64_t entry = 0; entry < s->batch && !status; entry++) {
    int64_t place = place_of(call, entry, now);
    if (place < 0)
      continue;
    store_token(s, entry, place, room);
    status = attend_token(s, entry, place);
  }
  pir_kernel_free(call, room, bytes);
  return status;
}

// operands: x [batch, columns], cache_kv [2, batch, heads, places, width], bias, src_mask,
// cum_offsets, sequence_lengths, rotary_tensor, beam_cache_offset, qkv_out_scale, out_shift,
// out_smooth; attributes: seq_len, rotary_emb_dims, use_neox_rotary_style, compute_dtype,
// out_scale, quant_round_type, quant_max_bound, quant_min_bound
pir_status pir_kernel_masked_multihead_attention(const pir_kernel_call *call) {
  step s = {0};
  pir_status status = open_step(call, &s);
  if (!status)
    status = pir_continue_operand(call, CACHE, CACHE_OUT);
  if (!status)
    status = pir_continue_operand(call, BEAMS, BEAMS_OUT);
  if (!status)
    status = open_tables(call, &s);
  if (!status)
    status = run_step(call, &s);
  if (!status)
    status = pir_write_rounded(call, &s.out, SHIFT, SMOOTH, pir_kernel_float(call, OUT_SCALE),
                               ROUND_TYPE);
  pir_kernel_drop(call, &s.queries);
  pir_kernel_drop(call, &s.out);
  pir_kernel_drop(call, &s.rotary);
  pir_kernel_drop(call, &s.beams);
  return status;
}
