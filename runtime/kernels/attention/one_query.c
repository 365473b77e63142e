// Attention of one query over a long cache. A unit is a part of the keys of one head; it reads
// them, and then the values, for all queries that share the head. Vectors hold 16 floats, which
// the compiler maps to the processor's registers. O(keys * width) for each head.
#include "one_query.h"

#include <convert.h>
#include <math.h>
#include <string.h>

// The functions that work on vectors must be inlined, so that they are compiled for the
// caller's target. They take vectors by reference, because the calling convention for vectors
// depends on the processor.
#define INLINE static inline __attribute__((always_inline))

// Loops of constant length over vectors, which then stay in registers.
#define UNROLLED _Pragma("GCC unroll 8")

enum {
  LANES = 16,
  PART = 512,       // keys of a part
  STEP = 4,         // chunks, and values, that are added at a time
  SHARED = 4,       // queries for which keys and values are read at a time
  LEAST_CHUNK = 4,  // of keys that lie in chunks
  WIDEST = 8,       // vectors of a value that are added at a time for one query
  REPEATED = LANES / LEAST_CHUNK,
  SUMS = PART * 2 * LEAST_CHUNK + LANES,  // lanes of a query's sums
  FETCHED = 4 * LANES                     // elements of a chunk that are fetched
};

typedef float lanes __attribute__((vector_size(64)));
typedef int32_t bits __attribute__((vector_size(64)));
typedef lanes near_lanes __attribute__((aligned(4), may_alias));
typedef int16_t halves __attribute__((vector_size(32)));
typedef halves near_halves __attribute__((aligned(2), may_alias));

// Results of the parts: of each head and part, the greatest score, the sum of the exponentials
// relative to it, and the weighted sum of the values.
typedef struct one_query_run {
  const one_query_job *job;
  int64_t parts, group;  // queries that share a key
  float *queries, *factors;
  float *most, *sums, *values;
  bool exhausted;
} one_query_run;

// What a unit works with.
typedef struct one_query_room {
  const float *query;    // [group, width], scaled
  const float *factors;  // [group, width / chunk, LANES]: the queries' chunks, repeated
  float *scores;         // [group, PART], then the weights; of the thread, as the sums
  float *sums;           // [SHARED, SUMS]
} one_query_room;

// ---- elements

// Widens f16 numbers, which `half` holds with their signs extended, by the exact product with
// 2^112, which moves the exponent; an exponent of all ones stays one.
INLINE void widen_f16(const bits *half, lanes *out) {
  lanes scaled = (lanes)((*half << 13) & (int32_t)0x8fffffff) * 0x1p112f;
  bits special = (*half & 0x7c00) == 0x7c00;
  *out = (lanes)((bits)scaled | (special & 0x7f800000));
}

INLINE void load_lanes(pir_dtype dtype, const char *from, int64_t at, lanes *out) {
  if (dtype == PIR_F32) {
    *out = *(const near_lanes *)(from + 4 * at);
    return;
  }
  bits wide = __builtin_convertvector(*(const near_halves *)(from + 2 * at), bits);
  if (dtype == PIR_BF16)
    *out = (lanes)(wide << 16);
  else
    widen_f16(&wide, out);
}

// Elements of a chunk, where keys lie in chunks.
INLINE int64_t chunk_of(pir_dtype dtype) {
  return dtype == PIR_F32 ? LEAST_CHUNK : 2 * LEAST_CHUNK;
}

INLINE float cached_number(pir_dtype dtype, const char *from, int64_t at) {
  if (dtype == PIR_F32)
    return ((const float *)from)[at];
  uint16_t half = ((const uint16_t *)from)[at];
  return dtype == PIR_BF16 ? pir_bf16_to_f32(half) : pir_f16_to_f32(half);
}

INLINE void fetch_ahead(pir_dtype dtype, const char *from, int64_t at) {
  __builtin_prefetch(from + at * (dtype == PIR_F32 ? 4 : 2));
}

// Sums neighbouring lanes, then neighbouring sums, and so on.
INLINE float sum_of(const lanes *x) {
  float t[LANES];
  memcpy(t, x, sizeof t);
  for (int n = LANES / 2; n; n /= 2)
    for (int i = 0; i < n; i++)
      t[i] = t[2 * i] + t[2 * i + 1];
  return t[0];
}

// Sums neighbouring lanes of two vectors: first the sums of `a`, then of `b`.
INLINE void sum_pairs(const lanes *a, const lanes *b, lanes *out) {
  lanes even = __builtin_shufflevector(*a, *b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24,
                                       26, 28, 30);
  lanes odd = __builtin_shufflevector(*a, *b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27,
                                      29, 31);
  *out = even + odd;
}

// The sums of LANES vectors, which are overwritten, each as by sum_of.
INLINE void sum_each(lanes *x) {
  UNROLLED
  for (int n = LANES / 2; n; n /= 2) {
    UNROLLED
    for (int i = 0; i < n; i++)
      sum_pairs(&x[2 * i], &x[2 * i + 1], &x[i]);
  }
}

// x = exp(x) for numbers that are not positive, within 2 ulp; 0 below -87.
INLINE void exponential(lanes *io) {
  const lanes magic = (lanes){0} + 12582912.0f;
  bits seen = *io >= -87.0f;
  lanes x = (lanes)(seen & (bits)*io);
  lanes shifted = x * 1.44269504f + magic, n = shifted - magic;
  lanes r = x - n * 0.693359375f + n * 2.12194440e-4f;
  lanes p = r * 0x1.694000p-10f + 0x1.125edcp-7f;
  p = p * r + 0x1.555b5ap-5f;
  p = p * r + 0x1.555450p-3f;
  p = p * r + 0x1.fffff6p-2f;
  p = (p * r + 1) * r + 1;
  lanes e = p * (lanes)(((bits)shifted - (0x4b400000 - 127)) << 23);
  *io = (lanes)(seen & (bits)e);
}

// ---- scores

INLINE float dot_one(pir_dtype dtype, const cache_rows *rows, int64_t width, int64_t place,
                     const float *query) {
  float sum = 0;
  for (int64_t i = 0; i < width; i++)
    sum += query[i] * cached_number(dtype, rows->keys,
                                    i / rows->chunk * rows->chunk_step +
                                        place * rows->key_step + i % rows->chunk);
  return sum;
}

// Scores of `count` keys, a constant, which lie in one piece each.
INLINE void score_some_rows(pir_dtype dtype, const cache_rows *rows, int64_t width, int64_t at,
                            int count, const float *query, float *scores) {
  lanes sums[LANES] = {{0}}, x;
  int64_t i = 0;
  for (; i + LANES <= width; i += LANES) {
    _Pragma("GCC unroll 16") for (int p = 0; p < count; p++) {
      load_lanes(dtype, rows->keys, (at + p) * rows->key_step + i, &x);
      sums[p] += x * *(const near_lanes *)(query + i);
    }
  }
  if (count == LANES) {
    sum_each(sums);
    *(near_lanes *)scores = sums[0];
  } else
    scores[0] = sum_of(&sums[0]);
  for (; i < width; i++)
    for (int p = 0; p < count; p++)
      scores[p] += query[i] * cached_number(dtype, rows->keys, (at + p) * rows->key_step + i);
}

// Keys that lie in one piece each. A score is summed alike, whatever keys are beside it.
INLINE void score_rows(pir_dtype dtype, const cache_rows *rows, int64_t width, int64_t n,
                       const float *query, int64_t group, float *scores) {
  for (int64_t p = 0, some; p < n; p += some) {
    some = n - p >= LANES ? LANES : 1;
    for (int64_t g = 0; g < group; g++) {
      const float *q = query + g * width;
      float *to = scores + g * PART + p;
      if (some == LANES)
        score_some_rows(dtype, rows, width, p, LANES, q, to);
      else
        score_some_rows(dtype, rows, width, p, 1, q, to);
    }
  }
}

// Puts sums of `chunk` neighbouring lanes into one score each.
INLINE void fold_lanes(int64_t chunk, const near_lanes *x, float *scores) {
  lanes t = *x;
  t += __builtin_shufflevector(t, t, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
  t += __builtin_shufflevector(t, t, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
  if (chunk == 8)
    t += __builtin_shufflevector(t, t, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
  for (int64_t i = 0; i < LANES; i += chunk)
    scores[i / chunk] = t[i];
}

// Multiplies `some` chunks of `count` elements, which lie `step` elements apart, with `group`
// queries, and adds the products to `sums`. `some` and `group` are constants. The beginning of
// the chunks behind them is fetched, because the processor fetches ahead only within a chunk.
INLINE void add_chunks(pir_dtype dtype, const char *keys, int64_t at, int64_t step, int some,
                       int64_t count, const float *factors, int64_t next, int group,
                       float *sums) {
  lanes f[SHARED][STEP], x[STEP];
  UNROLLED
  for (int g = 0; g < group; g++) {
    UNROLLED
    for (int s = 0; s < some; s++)
      f[g][s] = *(const near_lanes *)(factors + g * next + s * LANES);
  }
  for (int64_t v = 0; v < count; v += LANES) {
    UNROLLED
    for (int s = 0; s < some; s++) {
      load_lanes(dtype, keys, at + s * step + v, &x[s]);
      if (v < FETCHED)
        fetch_ahead(dtype, keys, at + (some + s) * step + v);
    }
    UNROLLED
    for (int g = 0; g < group; g++) {
      near_lanes *to = (near_lanes *)(sums + g * SUMS + v);
      if (some == STEP)
        *to += (x[0] * f[g][0] + x[1] * f[g][1]) + (x[2] * f[g][2] + x[3] * f[g][3]);
      else
        *to += x[0] * f[g][0];
    }
  }
}

// Scores of `group` queries, a constant, for all places that fill a vector; returns their
// number.
INLINE int64_t score_blocks(pir_dtype dtype, const cache_rows *rows, int64_t chunk,
                            int64_t chunks, int64_t n, int group, const float *factors,
                            float *sums, float *scores) {
  int64_t count = n * chunk / LANES * LANES, c = 0, step = rows->chunk_step;
  for (int g = 0; g < group; g++)
    memset(sums + g * SUMS, 0, (size_t)count * sizeof *sums);
  for (; c + STEP <= chunks; c += STEP)
    add_chunks(dtype, rows->keys, c * step, step, STEP, count, factors + c * LANES,
               chunks * LANES, group, sums);
  for (; c < chunks; c++)
    add_chunks(dtype, rows->keys, c * step, step, 1, count, factors + c * LANES, chunks * LANES,
               group, sums);
  for (int g = 0; g < group; g++)
    for (int64_t v = 0; v < count; v += LANES)
      fold_lanes(chunk, (const near_lanes *)(sums + g * SUMS + v),
                 scores + g * PART + v / chunk);
  return count / chunk;
}

// Keys whose chunks lie apart.
INLINE void score_chunks(pir_dtype dtype, const cache_rows *rows, int64_t width, int64_t n,
                         const one_query_room *room, int64_t group, float *scores) {
  int64_t chunk = chunk_of(dtype), chunks = width / chunk;
  for (int64_t g = 0, some, done; g < group; g += some) {
    const float *factors = room->factors + g * chunks * LANES;
    float *to = scores + g * PART;
    some = group - g >= SHARED ? SHARED : 1;
    done = some == SHARED
               ? score_blocks(dtype, rows, chunk, chunks, n, SHARED, factors, room->sums, to)
               : score_blocks(dtype, rows, chunk, chunks, n, 1, factors, room->sums, to);
    for (int64_t q = 0; q < some; q++)
      for (int64_t p = done; p < n; p++)
        to[q * PART + p] = dot_one(dtype, rows, width, p, room->query + (g + q) * width);
  }
}

INLINE void score_some(pir_dtype dtype, const cache_rows *rows, int64_t width, int64_t n,
                       const one_query_room *room, int64_t group, float *scores) {
  if (rows->chunk == width)
    score_rows(dtype, rows, width, n, room->query, group, scores);
  else
    score_chunks(dtype, rows, width, n, room, group, scores);
}

// ---- values

// Adds the value of one place. A weight of 0 hides whatever is there.
INLINE void add_value(pir_dtype dtype, const cache_rows *rows, int64_t width, int64_t place,
                      float weight, float *to) {
  for (int64_t i = 0; i < width && weight != 0; i++)
    to[i] += weight * cached_number(dtype, rows->values, place * rows->value_step + i);
}

// Adds `vectors` vectors of each of `n` places, for `group` queries: constants, so that the
// sums stay in registers. Memory is read in its order.
INLINE void add_strip(pir_dtype dtype, const cache_rows *rows, int64_t width, int64_t at,
                      int64_t n, int vectors, const float *weights, int group, float *to) {
  lanes sums[SHARED][WIDEST], x;
  UNROLLED
  for (int g = 0; g < group; g++) {
    UNROLLED
    for (int v = 0; v < vectors; v++)
      sums[g][v] = *(const near_lanes *)(to + g * width + v * LANES);
  }
  for (int64_t p = 0; p < n; p++, at += rows->value_step) {
    UNROLLED
    for (int v = 0; v < vectors; v++) {
      load_lanes(dtype, rows->values, at + v * LANES, &x);
      UNROLLED
      for (int g = 0; g < group; g++)
        sums[g][v] += x * weights[g * PART + p];
    }
  }
  UNROLLED
  for (int g = 0; g < group; g++) {
    UNROLLED
    for (int v = 0; v < vectors; v++)
      *(near_lanes *)(to + g * width + v * LANES) = sums[g][v];
  }
}

// Adds the values of `n` places, of which no weight is 0, for `group` queries, a constant.
INLINE void add_seen(pir_dtype dtype, const cache_rows *rows, int64_t width, int64_t place,
                     int64_t n, const float *weights, int group, float *to) {
  int64_t at = place * rows->value_step, i = 0;
  for (; group == 1 && i + WIDEST * LANES <= width; i += WIDEST * LANES)
    add_strip(dtype, rows, width, at + i, n, WIDEST, weights, group, to + i);
  for (; i + STEP * LANES <= width; i += STEP * LANES)
    add_strip(dtype, rows, width, at + i, n, STEP, weights, group, to + i);
  for (; i + LANES <= width; i += LANES)
    add_strip(dtype, rows, width, at + i, n, 1, weights, group, to + i);
  for (; i < width; i++)
    for (int g = 0; g < group; g++)
      for (int64_t p = 0; p < n; p++)
        to[g * width + i] += weights[g * PART + p] *
                             cached_number(dtype, rows->values, at + p * rows->value_step + i);
}

INLINE bool is_hidden(const float *weights, int64_t group) {
  bool any = false;
  for (int64_t g = 0; g < group; g++)
    any |= weights[g * PART] == 0;
  return any;
}

// Adds the values of `n` places. `hidden`: some weight of the part may be 0.
INLINE void add_values(pir_dtype dtype, const cache_rows *rows, int64_t width, int64_t n,
                       bool hidden, const float *weights, int64_t group, float *to) {
  for (int64_t p = 0, end; p < n; p = end) {
    int64_t g = 0;
    for (end = p; end < n && !(hidden && is_hidden(weights + end, group));)
      end = hidden ? end + 1 : n;
    for (; g + SHARED <= group; g += SHARED)
      add_seen(dtype, rows, width, p, end - p, weights + g * PART + p, SHARED, to + g * width);
    for (; g < group; g++)
      add_seen(dtype, rows, width, p, end - p, weights + g * PART + p, 1, to + g * width);
    for (; end < n && is_hidden(weights + end, group); end++)
      for (g = 0; g < group; g++)
        add_value(dtype, rows, width, end, weights[g * PART + end], to + g * width);
  }
}

// ---- parts

// Makes weights of the scores of `n` places, and returns their sum; *out_most is the greatest
// score. NaN is no greatest score, and stays NaN. *io_hidden becomes true if a weight is 0.
INLINE float weigh(float *scores, int64_t n, float *out_most, bool *io_hidden) {
  lanes greatest = (lanes){0} - INFINITY, sum = {0};
  bits none = {0};
  float most = -INFINITY;
  for (int64_t p = n; p % LANES; p++)
    scores[p] = -INFINITY;
  for (int64_t p = 0; p < n; p += LANES) {
    lanes x = *(const near_lanes *)(scores + p);
    bits above = x > greatest;
    greatest = (lanes)((above & (bits)x) | (~above & (bits)greatest));
  }
  for (int i = 0; i < LANES; i++)
    most = greatest[i] > most ? greatest[i] : most;
  *out_most = most;
  for (int64_t p = 0; p < n; p += LANES) {
    near_lanes *at = (near_lanes *)(scores + p);
    lanes x = *at - (most > -INFINITY ? most : 0);
    bits odd = x != x;
    exponential(&x);
    *at = (lanes)((bits)x | odd);
    none |= p + LANES <= n ? *at == 0 : none;
    sum += *at;
  }
  for (int i = 0; i < LANES; i++)
    *io_hidden |= none[i] != 0 || (n - n % LANES + i < n && scores[n - n % LANES + i] == 0);
  return sum_of(&sum);
}

// Adds the bias of a head to scores that begin at place `first`.
static void add_bias(const one_query_job *job, int64_t head, int64_t first, int64_t n,
                     float *scores) {
  float added[PART];
  const attend_bias *bias = &job->bias;
  int64_t at = pir_attend_bias_place(bias, head, 0, first);
  size_t size = pir_dtype_size(bias->tensor->dtype);
  pir_convert(PIR_F32, added, 1, bias->tensor->dtype,
              (const char *)bias->tensor->data + at * (int64_t)size, bias->key_step, n);
  for (int64_t p = 0; p < n; p++)
    scores[p] += added[p];
}

// Rounds the queries, scaled, and repeats their chunks as the lanes of keys lie.
static void load_queries(const one_query_job *job, float *queries, float *factors) {
  int64_t chunk = chunk_of(job->dtype);
  int64_t n = job->heads * job->width;
  for (int64_t i = 0; i < n; i++)
    queries[i] = (float)(job->query[i] * job->scale);
  for (int64_t c = 0; c < n / chunk && job->width % chunk == 0; c++)
    for (int64_t i = 0; i < LANES; i += chunk)
      memcpy(factors + c * LANES + i, queries + c * chunk, (size_t)chunk * sizeof(float));
}

INLINE void run_part(const one_query_run *run, pir_dtype dtype, int64_t unit,
                     one_query_room *room) {
  const one_query_job *job = run->job;
  int64_t key_head = unit / run->parts, part = unit % run->parts, group = run->group;
  int64_t first = part * PART, width = job->width;
  int64_t n = job->keys - first < PART ? job->keys - first : PART;
  int64_t place = unit * group;  // of the part's results
  float *out = run->values + place * width;
  bool hidden = false;
  cache_rows rows;
  room->query = run->queries + key_head * group * width;
  room->factors = run->factors + key_head * group * (width / chunk_of(dtype)) * LANES;
  for (int64_t p = 0, some; p < n; p += some) {
    job->find(job->user, key_head, first + p, &rows);
    some = rows.places < n - p ? rows.places : n - p;
    score_some(dtype, &rows, width, some, room, group, room->scores + p);
  }
  for (int64_t g = 0; g < group; g++) {
    float *scores = room->scores + g * PART;
    if (job->bias.tensor)
      add_bias(job, key_head * group + g, first, n, scores);
    run->sums[place + g] = weigh(scores, n, &run->most[place + g], &hidden);
  }
  hidden = hidden && !job->hides_nothing;
  memset(out, 0, (size_t)(group * width) * sizeof *out);
  for (int64_t p = 0, some; p < n; p += some) {
    job->find(job->user, key_head, first + p, &rows);
    some = rows.places < n - p ? rows.places : n - p;
    add_values(dtype, &rows, width, some, hidden, room->scores + p, group, out);
  }
}

INLINE void run_parts(const one_query_run *run, int64_t first, int64_t end,
                      one_query_room *room) {
  for (int64_t unit = first; unit < end; unit++)
    switch (run->job->dtype) {
      case PIR_F16: run_part(run, PIR_F16, unit, room); break;
      case PIR_BF16: run_part(run, PIR_BF16, unit, room); break;
      default: run_part(run, PIR_F32, unit, room); break;
    }
}

typedef void (*parts_fn)(const one_query_run *run, int64_t first, int64_t end,
                         one_query_room *room);

static void parts_plain(const one_query_run *run, int64_t first, int64_t end,
                        one_query_room *room) {
  run_parts(run, first, end, room);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx512f"))) static void
parts_512(const one_query_run *run, int64_t first, int64_t end, one_query_room *room) {
  run_parts(run, first, end, room);
}

__attribute__((target("avx2"))) static void parts_256(const one_query_run *run, int64_t first,
                                                      int64_t end, one_query_room *room) {
  run_parts(run, first, end, room);
}
#endif

static parts_fn find_parts_fn(void) {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f"))
    return parts_512;
  if (__builtin_cpu_supports("avx2"))
    return parts_256;
#endif
  return parts_plain;
}

static void run_some_parts(void *user, int64_t first, int64_t end, int thread) {
  one_query_run *run = user;
  const one_query_job *job = run->job;
  size_t bytes = ((size_t)run->group * PART + SHARED * SUMS) * sizeof(float);
  one_query_room room = {.scores = pir_kernel_alloc(job->call, bytes)};
  if (!room.scores) {
    __atomic_store_n(&run->exhausted, true, __ATOMIC_RELAXED);
    return;
  }
  room.sums = room.scores + run->group * PART;
  find_parts_fn()(run, first, end, &room);
  pir_kernel_free(job->call, room.scores, bytes);
}

// ---- the whole

// Puts the parts of a head together, in their order. A part far below the greatest score adds
// nothing, but for NaN, which has no greatest score, and where nothing is hidden: its values
// may be infinite. There, scores that are all -inf add to 0, and 0 / 0 is NaN.
static void combine(const one_query_run *run, int64_t head) {
  int64_t width = run->job->width, group = run->group;
  int64_t first = head / group * run->parts * group + head % group;  // its first part
  double *out = run->job->out + head * width, most = -INFINITY, sum = 0;
  for (int64_t part = 0; part < run->parts; part++)
    most = fmax(most, run->most[first + part * group]);
  memset(out, 0, (size_t)width * sizeof *out);
  for (int64_t part = 0; part < run->parts && most > -INFINITY; part++) {
    int64_t at = first + part * group;
    double factor = exp((double)run->most[at] - most);
    if (factor == 0 && !isnan(run->sums[at]) && !run->job->hides_nothing)
      continue;
    sum += factor * (double)run->sums[at];
    for (int64_t i = 0; i < width; i++)
      out[i] += factor * (double)run->values[at * width + i];
  }
  for (int64_t i = 0; i < width && (sum != 0 || run->job->hides_nothing); i++)
    out[i] /= sum;
}

// Memory for the queries and the results of the parts.
static bool take_memory(one_query_run *run, size_t *out_bytes) {
  const one_query_job *job = run->job;
  int64_t n, results, bytes, queries = job->heads * job->width;
  if (__builtin_mul_overflow(run->parts, job->heads, &n) ||
      __builtin_mul_overflow(n, job->width + 2, &results) ||
      __builtin_add_overflow(results, queries * (1 + REPEATED), &results) ||
      __builtin_mul_overflow(results, (int64_t)sizeof(float), &bytes))
    return false;
  *out_bytes = (size_t)bytes;
  run->queries = pir_kernel_alloc(job->call, *out_bytes);
  if (!run->queries)
    return false;
  run->factors = run->queries + queries;
  run->most = run->factors + queries * REPEATED;
  run->sums = run->most + n;
  run->values = run->sums + n;
  return true;
}

pir_status pir_attend_one(const one_query_job *job) {
  one_query_run run = {
      .job = job, .parts = (job->keys + PART - 1) / PART, .group = job->heads / job->key_heads};
  size_t bytes;
  if (!take_memory(&run, &bytes))
    return pir_kernel_fail(job->call, PIR_EXHAUSTED, "%s: out of memory", job->call->op);
  load_queries(job, run.queries, run.factors);
  pir_kernel_each(job->call, job->key_heads * run.parts, run_some_parts, &run);
  for (int64_t head = 0; head < job->heads && !run.exhausted; head++)
    combine(&run, head);
  pir_kernel_free(job->call, run.queries, bytes);
  if (run.exhausted)
    return pir_kernel_fail(job->call, PIR_EXHAUSTED, "%s: out of memory", job->call->op);
  return PIR_OK;
}
