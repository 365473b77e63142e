// The narrow forms of weights, and their errors. Of each weight, columns (of bf16 blocks of
// numbers) are narrowed in parallel, directly into the bytes that the program will hold; a
// second pass over their tile, which the caches still hold, finds the errors. These are added
// in the order of the columns, so that the report does not depend on the threads.
#include "quantise.h"
#include "report_progress.h"

#include <pir/layer/packed_weights.h>
#include <pir/layer/param_record.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = PIR_PACKED_TILE, BLOCK = TILE * TILE };

static int64_t parts_of(int64_t n, int64_t size) {
  return n / size + (n % size > 0);
}

static void each_part(const quantising *q, int64_t n, pir_range_fn fn, void *user) {
  pir_parallel parallel = q->pool ? pir_thread_pool_parallel(q->pool) : pir_parallel_serial();
  if (n > 0)
    parallel.parallel_for(parallel.pool, n, fn, user);
}

// ---- the largest magnitude

typedef struct largest {
  const pir_param *param;
  float *parts;
} largest;

static size_t read_block(const pir_param *param, int64_t block, float *out) {
  size_t first = (size_t)block * BLOCK, n = param->size / sizeof(float) - first;
  n = n < BLOCK ? n : BLOCK;
  memcpy(out, (const char *)param->data + first * sizeof(float), n * sizeof(float));
  return n;
}

static void find_block_largest(void *user, int64_t begin, int64_t end, int thread) {
  const largest *l = user;
  float block[BLOCK];
  (void)thread;
  for (int64_t i = begin; i < end; i++) {
    float most = 0;
    size_t n = read_block(l->param, i, block);
    for (size_t k = 0; k < n; k++)
      most = fabsf(block[k]) <= most ? most : fabsf(block[k]);  // NaN stays
    l->parts[i] = isnan(most) ? INFINITY : most;
  }
}

float weight_largest(quantising *q, const pir_param *param) {
  int64_t n = parts_of((int64_t)(param->size / sizeof(float)), BLOCK);
  size_t bytes = pir_arena_size(&q->arena, (size_t)n, sizeof(float));
  largest l = {param, pir_arena_alloc(&q->arena, bytes)};
  float most = 0;
  each_part(q, n, find_block_largest, &l);
  for (int64_t i = 0; i < n; i++)
    most = l.parts[i] > most ? l.parts[i] : most;
  pir_arena_free(&q->arena, l.parts, bytes);
  return most;
}

// ---- forms

static pir_shape matrix(int64_t dims[2], int64_t rows, int64_t columns) {
  dims[0] = rows;
  dims[1] = columns;
  return (pir_shape){dims, 2};
}

pir_shape weight_narrow_shape(const quantising *q, const byte_weight *w, int64_t dims[2]) {
  const int64_t *of = w->param->shape.dims;
  if (q->few->bits == BITS_BF16)
    return matrix(dims, of[0], of[1]);
  return matrix(dims, of[!w->turned] * q->few->bits / 8, of[w->turned]);
}

pir_shape weight_scales_shape(const quantising *q, const byte_weight *w, int64_t dims[2]) {
  const int64_t *of = w->param->shape.dims;
  int64_t group = q->few->group;
  if (group > 0)
    return matrix(dims, parts_of(of[w->turned], group), of[!w->turned]);
  dims[0] = of[!w->turned];
  return (pir_shape){dims, 1};
}

// ---- one weight

typedef struct narrowing {
  const pir_param *param;
  pir_packed_form form;
  pir_float_matrix floats;
  uint8_t *bytes;
  float *scales;
  number_errors *parts;  // of tiles of columns, or of blocks
} narrowing;

static void add_tile_errors(const narrowing *n, const pir_packed_part *part,
                            number_errors *errors) {
  float was[BLOCK], is[TILE];
  int8_t levels[BLOCK];
  const float *scales = n->scales + part->row / n->form.group * n->form.columns + part->column;
  pir_packed_floats(&n->floats, part, was);
  pir_packed_levels(&n->form, n->bytes, part, levels, TILE);
  for (int r = 0; r < part->height; r++) {
    for (int c = 0; c < part->width; c++)
      is[c] = (float)levels[r * TILE + c] * scales[c];
    errors_add_floats(errors, was + r * TILE, is, (size_t)part->width);
  }
}

static void narrow_columns(void *user, int64_t begin, int64_t end, int thread) {
  const narrowing *n = user;
  (void)thread;
  for (int64_t i = begin; i < end; i++) {
    pir_packed_quantise(&n->form, &n->floats, i * TILE, n->bytes, n->scales);
    for (int64_t row = 0; row < n->form.rows; row += TILE) {
      pir_packed_part part = pir_packed_part_at(&n->form, row, i * TILE, n->form.rows);
      add_tile_errors(n, &part, &n->parts[i]);
    }
  }
}

static void narrow_block(void *user, int64_t begin, int64_t end, int thread) {
  const narrowing *n = user;
  float was[BLOCK], is[BLOCK];
  (void)thread;
  for (int64_t i = begin; i < end; i++) {
    size_t count = read_block(n->param, i, was);
    uint16_t *out = (uint16_t *)(void *)n->bytes + (size_t)i * BLOCK;
    for (size_t k = 0; k < count; k++) {
      out[k] = pir_f32_to_bf16(was[k]);
      is[k] = pir_bf16_to_f32(out[k]);
    }
    errors_add_floats(&n->parts[i], was, is, count);
  }
}

// The memory of the narrow form, of zeros. It becomes the program's.
static uint8_t *take_narrow(quantising *q, const byte_weight *w, size_t *out_size) {
  int64_t dims[2];
  pir_shape shape = weight_narrow_shape(q, w, dims);
  *out_size = (size_t)(shape.dims[0] * shape.dims[1]) * (q->few->bits == BITS_BF16 ? 2 : 1);
  pir_heap_charge(q->heap, *out_size);
  q->charged += *out_size;
  q->pending = calloc(*out_size ? *out_size : 1, 1);
  if (!q->pending)
    pir_heap_fail(q->heap);
  return q->pending;
}

static void keep_bytes(quantising *q, byte_weight *w, size_t size) {
  int64_t dims[2];
  pir_param param = {.name = w->name,
                     .dtype = q->few->bits == BITS_BF16 ? PIR_BF16 : PIR_I8,
                     .shape = weight_narrow_shape(q, w, dims),
                     .data = q->pending,
                     .size = size,
                     .release = free,
                     .user = q->pending};
  w->narrow = pir_param_create(&param);
  if (!w->narrow)
    pir_heap_fail(q->heap);
  q->pending = NULL;
}

static void narrow_levels(quantising *q, byte_weight *w, narrowing *n) {
  const int64_t *of = w->param->shape.dims;
  int64_t dims[2];
  pir_shape scales = weight_scales_shape(q, w, dims);
  n->form = (pir_packed_form){.rows = of[w->turned],
                              .columns = of[!w->turned],
                              .bits = (int)q->few->bits,
                              .group = q->few->group > 0 ? q->few->group : of[w->turned],
                              .scale_dtype = PIR_F32};
  n->floats = (pir_float_matrix){w->param->data, w->turned ? 1 : of[1], w->turned ? of[1] : 1};
  w->channels = dims[0] * (scales.rank > 1 ? dims[1] : 1);
  w->scales = n->scales = pir_arena_zalloc(
      &q->arena, pir_arena_size(&q->arena, (size_t)w->channels, sizeof(float)));
}

static void narrow_weight(quantising *q, byte_weight *w) {
  narrowing n = {.param = w->param};
  bool floats = q->few->bits == BITS_BF16;
  size_t size;
  if (!floats)
    narrow_levels(q, w, &n);
  int64_t parts = floats ? parts_of((int64_t)(w->param->size / sizeof(float)), BLOCK)
                         : parts_of(n.form.columns, TILE);
  size_t room = pir_arena_size(&q->arena, (size_t)parts, sizeof *n.parts);
  n.parts = pir_arena_zalloc(&q->arena, room);
  n.bytes = take_narrow(q, w, &size);
  each_part(q, parts, floats ? narrow_block : narrow_columns, &n);
  for (int64_t i = 0; i < parts; i++)
    errors_merge(&w->errors, &n.parts[i]);
  pir_arena_free(&q->arena, n.parts, room);
  keep_bytes(q, w, size);
  pir_param_let_go(w->param);
}

void narrow_weights(quantising *q) {
  pir_progress_sink watcher = pir_context_progress(q->ctx);
  for (size_t i = 0; i < q->weights.count; i++) {
    pir_heap_poll(q->heap);
    pir_progress_report(watcher, PIR_STAGE_WEIGHTS, q->weights.items[i].name.data, i,
                        q->weights.count);
    narrow_weight(q, &q->weights.items[i]);
  }
  pir_progress_report(watcher, PIR_STAGE_WEIGHTS, NULL, q->weights.count, q->weights.count);
}
