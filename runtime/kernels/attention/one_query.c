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

enum { LANES = 16, PART = 256, STEP = 4, MOST_CHUNK = 8 };

typedef float lanes __attribute__((vector_size(64)));
typedef int32_t bits __attribute__((vector_size(64)));
typedef lanes near_lanes __attribute__((aligned(4), may_alias));
typedef uint16_t halves __attribute__((vector_size(32)));
typedef halves near_halves __attribute__((aligned(2), may_alias));

// Results of the parts: of each head and part, the greatest score, the sum of the exponentials
// relative to it, and the weighted sum of the values.
typedef struct one_query_run {
  const one_query_job *job;
  int64_t parts, group;  // queries that share a key
  float *most, *sums, *values;
  bool exhausted;
} one_query_run;

// Memory of a thread.
typedef struct one_query_room {
  float *query;   // [group, width], scaled
  float *lanes;   // [group, PART * MOST_CHUNK]
  float *scores;  // [group, PART], then the weights
  size_t bytes;
} one_query_room;

// ---- elements

// An f16 number is widened by the exact product with 2^112, which moves its exponent; an
// exponent of all ones stays one.
INLINE void widen_f16(const bits *half, lanes *out) {
  bits magnitude = (*half & 0x7fff) << 13;
  lanes scaled = (lanes)magnitude * 0x1p112f;
  bits special = magnitude >= 0x0f800000;
  *out = (lanes)((bits)scaled | (special & 0x7f800000) | ((*half & 0x8000) << 16));
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

INLINE float element(pir_dtype dtype, const char *from, int64_t at) {
  if (dtype == PIR_F32)
    return ((const float *)from)[at];
  uint16_t half = ((const uint16_t *)from)[at];
  return dtype == PIR_BF16 ? pir_bf16_to_f32(half) : pir_f16_to_f32(half);
}

INLINE void fetch_ahead(pir_dtype dtype, const char *from, int64_t at) {
  __builtin_prefetch(from + at * (dtype == PIR_F32 ? 4 : 2));
}

// Sums pairs of lanes, then pairs of these sums, and so on.
INLINE float sum_of(const lanes *x) {
  float t[LANES];
  memcpy(t, x, sizeof t);
  for (int n = LANES / 2; n; n /= 2)
    for (int i = 0; i < n; i++)
      t[i] += t[i + n];
  return t[0];
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
    sum += query[i] * element(dtype, rows->keys,
                              i / rows->chunk * rows->chunk_step + place * rows->chunk +
                                  i % rows->chunk);
  return sum;
}

// Keys that lie in one piece each.
INLINE void score_rows(pir_dtype dtype, const cache_rows *rows, int64_t width, int64_t n,
                       const float *query, int64_t group, float *scores) {
  for (int64_t p = 0; p < n; p++)
    for (int64_t g = 0; g < group; g++) {
      const float *q = query + g * width;
      lanes sum = {0}, x;
      int64_t i = 0;
      for (; i + LANES <= width; i += LANES) {
        load_lanes(dtype, rows->keys, p * width + i, &x);
        sum += x * *(const near_lanes *)(q + i);
      }
      float score = sum_of(&sum);
      for (; i < width; i++)
        score += q[i] * element(dtype, rows->keys, p * width + i);
      scores[g * PART + p] = score;
    }
}

// Adds the products of one chunk of all places to the sums of `lanes`: `chunk` for each place.
// The next chunk is fetched meanwhile, because chunks are far from each other.
INLINE void add_chunk(pir_dtype dtype, const char *keys, int64_t at, int64_t step,
                      int64_t count, const lanes *factors, int64_t group, bool first,
                      float *sums) {
  for (int64_t v = 0; v < count; v += LANES) {
    lanes x;
    load_lanes(dtype, keys, at + v, &x);
    fetch_ahead(dtype, keys, at + step + v);
    for (int64_t g = 0; g < group; g++) {
      near_lanes *to = (near_lanes *)(sums + g * PART * MOST_CHUNK + v);
      lanes product = x * factors[g];
      if (!first)
        product += *to;
      *to = product;
    }
  }
}

enum { MOST_GROUP = 8 };  // queries whose factors fit a chunk's loop; more go in turns

// Keys whose chunks lie apart: chunk after chunk of all places.
INLINE void score_chunks(pir_dtype dtype, const cache_rows *rows, int64_t width, int64_t n,
                         const float *query, int64_t group, float *sums, float *scores) {
  int64_t chunk = rows->chunk, whole = n * chunk / LANES * LANES;
  for (int64_t c = 0; c < width / chunk; c++) {
    lanes factors[MOST_GROUP];
    for (int64_t g = 0; g < group; g++)
      for (int l = 0; l < LANES; l++)
        factors[g][l] = query[g * width + c * chunk + l % chunk];
    add_chunk(dtype, rows->keys, c * rows->chunk_step, rows->chunk_step, whole, factors, group,
              c == 0, sums);
  }
  for (int64_t g = 0; g < group; g++)
    for (int64_t p = 0; p < n; p++) {
      const float *of = sums + g * PART * MOST_CHUNK + p * chunk;
      float score = 0;
      for (int64_t i = 0; i < chunk; i++)
        score += of[i];
      scores[g * PART + p] = (p + 1) * chunk <= whole
                                 ? score
                                 : dot_one(dtype, rows, width, p, query + g * width);
    }
}

INLINE void score_some(pir_dtype dtype, const cache_rows *rows, int64_t width, int64_t n,
                       const one_query_room *room, int64_t group, float *scores) {
  if (rows->chunk == width) {
    score_rows(dtype, rows, width, n, room->query, group, scores);
    return;
  }
  for (int64_t g = 0; g < group; g += MOST_GROUP) {
    int64_t some = group - g < MOST_GROUP ? group - g : MOST_GROUP;
    score_chunks(dtype, rows, width, n, room->query + g * width, some, room->lanes,
                 scores + g * PART);
  }
}

// ---- values

// Adds the value of one place. A weight of 0 hides whatever is there.
INLINE void add_value(pir_dtype dtype, const char *values, int64_t width, int64_t place,
                      float weight, float *to) {
  for (int64_t i = 0; i < width && weight != 0; i++)
    to[i] += weight * element(dtype, values, place * width + i);
}

// Adds the values of STEP places, of which no weight is 0.
INLINE void add_step(pir_dtype dtype, const char *values, int64_t width, int64_t place,
                     const float *weights, int64_t group, float *to) {
  int64_t at = place * width, i = 0;
  for (; i + LANES <= width; i += LANES) {
    lanes x[STEP];
    for (int s = 0; s < STEP; s++)
      load_lanes(dtype, values, at + s * width + i, &x[s]);
    for (int64_t g = 0; g < group; g++) {
      const float *w = weights + g * PART;
      near_lanes *sum = (near_lanes *)(to + g * width + i);
      *sum += (x[0] * w[0] + x[1] * w[1]) + (x[2] * w[2] + x[3] * w[3]);
    }
  }
  for (; i < width; i++)
    for (int64_t g = 0; g < group; g++)
      for (int s = 0; s < STEP; s++)
        to[g * width + i] += weights[g * PART + s] * element(dtype, values, at + s * width + i);
}

INLINE bool any_hidden(const float *weights, int64_t group) {
  bool any = false;
  for (int64_t g = 0; g < group; g++)
    for (int s = 0; s < STEP; s++)
      any |= weights[g * PART + s] == 0;
  return any;
}

INLINE void add_values(pir_dtype dtype, const char *values, int64_t width, int64_t n,
                       const float *weights, int64_t group, float *to) {
  int64_t p = 0;
  for (; p + STEP <= n; p += STEP) {
    if (!any_hidden(weights + p, group)) {
      add_step(dtype, values, width, p, weights + p, group, to);
      continue;
    }
    for (int64_t g = 0; g < group; g++)
      for (int s = 0; s < STEP; s++)
        add_value(dtype, values, width, p + s, weights[g * PART + p + s], to + g * width);
  }
  for (; p < n; p++)
    for (int64_t g = 0; g < group; g++)
      add_value(dtype, values, width, p, weights[g * PART + p], to + g * width);
}

// ---- parts

// Makes weights of the scores of `n` places; *out_most is the greatest score.
INLINE float weigh(float *scores, int64_t n, float *out_most) {
  float most = -INFINITY;
  lanes sum = {0};
  for (int64_t p = 0; p < n; p++)
    most = scores[p] > most || isnan(scores[p]) ? scores[p] : most;
  *out_most = most;
  for (int64_t p = n; p % LANES; p++)
    scores[p] = -INFINITY;
  for (int64_t p = 0; p < n; p += LANES) {
    near_lanes *at = (near_lanes *)(scores + p);
    lanes x = *at - (most > -INFINITY ? most : 0);
    bits odd = x != x;
    exponential(&x);
    *at = (lanes)((bits)x | odd);  // NaN stays NaN
    sum += *at;
  }
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

static void load_queries(const one_query_job *job, int64_t head, int64_t group, float *to) {
  for (int64_t i = 0; i < group * job->width; i++)
    to[i] = (float)(job->query[head * job->width + i] * job->scale);
}

INLINE void run_part(const one_query_run *run, pir_dtype dtype, int64_t unit,
                     const one_query_room *room) {
  const one_query_job *job = run->job;
  int64_t key_head = unit / run->parts, part = unit % run->parts, group = run->group;
  int64_t first = part * PART, width = job->width;
  int64_t n = job->keys - first < PART ? job->keys - first : PART;
  int64_t place = unit * group;  // of the part's results
  float *out = run->values + place * width;
  cache_rows rows;
  load_queries(job, key_head * group, group, room->query);
  for (int64_t p = 0, some; p < n; p += some) {
    job->find(job->user, key_head, first + p, &rows);
    some = rows.places < n - p ? rows.places : n - p;
    score_some(dtype, &rows, width, some, room, group, room->scores + p);
  }
  for (int64_t g = 0; g < group; g++) {
    float *scores = room->scores + g * PART;
    if (job->bias.tensor)
      add_bias(job, key_head * group + g, first, n, scores);
    run->sums[place + g] = weigh(scores, n, &run->most[place + g]);
  }
  memset(out, 0, (size_t)(group * width) * sizeof *out);
  for (int64_t p = 0, some; p < n; p += some) {
    job->find(job->user, key_head, first + p, &rows);
    some = rows.places < n - p ? rows.places : n - p;
    add_values(dtype, rows.values, width, some, room->scores + p, group, out);
  }
}

INLINE void run_parts(const one_query_run *run, int64_t first, int64_t end,
                      const one_query_room *room) {
  for (int64_t unit = first; unit < end; unit++)
    switch (run->job->dtype) {
      case PIR_F16: run_part(run, PIR_F16, unit, room); break;
      case PIR_BF16: run_part(run, PIR_BF16, unit, room); break;
      default: run_part(run, PIR_F32, unit, room); break;
    }
}

typedef void (*parts_fn)(const one_query_run *run, int64_t first, int64_t end,
                         const one_query_room *room);

static void parts_plain(const one_query_run *run, int64_t first, int64_t end,
                        const one_query_room *room) {
  run_parts(run, first, end, room);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx512f"))) static void
parts_512(const one_query_run *run, int64_t first, int64_t end, const one_query_room *room) {
  run_parts(run, first, end, room);
}

__attribute__((target("avx2"))) static void
parts_256(const one_query_run *run, int64_t first, int64_t end, const one_query_room *room) {
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

static void run_units(void *user, int64_t first, int64_t end, int thread) {
  one_query_run *run = user;
  const one_query_job *job = run->job;
  one_query_room room = {.bytes = (size_t)run->group * sizeof(float) *
                                  ((size_t)job->width + PART * (MOST_CHUNK + 1))};
  room.query = pir_kernel_alloc(job->call, room.bytes);
  if (!room.query) {
    __atomic_store_n(&run->exhausted, true, __ATOMIC_RELAXED);
    return;
  }
  room.scores = room.query + run->group * job->width;
  room.lanes = room.scores + run->group * PART;
  find_parts_fn()(run, first, end, &room);
  pir_kernel_free(job->call, room.query, room.bytes);
}

// ---- the whole

// Puts the parts of a head together, in their order.
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
    if (factor == 0)
      continue;
    sum += factor * (double)run->sums[at];
    for (int64_t i = 0; i < width; i++)
      out[i] += factor * (double)run->values[at * width + i];
  }
  for (int64_t i = 0; i < width && sum != 0; i++)
    out[i] /= sum;
}

static bool take_results(one_query_run *run, size_t *out_bytes) {
  const one_query_job *job = run->job;
  int64_t n, bytes;
  if (__builtin_mul_overflow(run->parts, job->heads, &n) ||
      __builtin_mul_overflow(n, (job->width + 2) * (int64_t)sizeof(float), &bytes))
    return false;
  *out_bytes = (size_t)bytes;
  run->most = pir_kernel_alloc(job->call, *out_bytes);
  if (!run->most)
    return false;
  run->sums = run->most + n;
  run->values = run->sums + n;
  return true;
}

pir_status pir_attend_one(const one_query_job *job) {
  one_query_run run = {.job = job,
                       .parts = (job->keys + PART - 1) / PART,
                       .group = job->heads / job->key_heads};
  size_t bytes;
  if (!take_results(&run, &bytes))
    return pir_kernel_fail(job->call, PIR_EXHAUSTED, "%s: out of memory", job->call->op);
  pir_kernel_each(job->call, job->key_heads * run.parts, run_units, &run);
  for (int64_t head = 0; head < job->heads && !run.exhausted; head++)
    combine(&run, head);
  pir_kernel_free(job->call, run.most, bytes);
  if (run.exhausted)
    return pir_kernel_fail(job->call, PIR_EXHAUSTED, "%s: out of memory", job->call->op);
  return PIR_OK;
}
