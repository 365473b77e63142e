// Contractions for tests and benchmarks, compiled, packed and ready to be called; and their
// expected results, by plain loops.
#ifndef CONTRACTION_CASES_H
#define CONTRACTION_CASES_H

#include "contraction_shapes.h"

// ---- compiled

enum { RUN_THREADS = 16 };

typedef struct contract_run {
  pir_dims *dims;
  pir_math math;
  contract_code code;
  pir_stage_fn packing, stages[3];
  const pir_image *image;
  pir_dim asked[64];
  int asked_count;
  pir_dim temporaries[2];  // bytes of each
  int temporary_count;
  loop_module *module;
  int64_t values[64];
  void *buffers[5];  // a, b (packed where it is), out, temporaries
  char *scratch;     // of each of RUN_THREADS threads
  size_t scratch_bytes;
} contract_run;

static inline loop_expr *run_extent(void *user, pir_dim dim) {
  contract_run *r = user;
  int at = 0;
  while (at < r->asked_count && r->asked[at] != dim)
    at++;
  assert(at < 64);
  if (at == r->asked_count)
    r->asked[r->asked_count++] = dim;
  return pir_loop_dim(r->module, at);
}

static inline uint16_t run_temporary(void *user, pir_dim bytes) {
  contract_run *r = user;
  assert(r->temporary_count < 2);
  r->temporaries[r->temporary_count] = bytes;
  return (uint16_t)(3 + r->temporary_count++);
}

static inline pir_stage_fn run_symbol(const contract_run *r, const loop_fn *fn) {
  pir_stage_fn stage = NULL;
  void *at = pir_image_symbol(r->image, fn->name);
  memcpy(&stage, &at, sizeof stage);
  return stage;
}

static inline pir_status run_compile(contract_run *r, pir_code_store *store,
                                     const pir_target *target, const contraction *c) {
  r->dims = c->dims;
  r->module = pir_loop_module_create();
  contract_env env = {.module = r->module,
                      .target = target,
                      .math = r->math,
                      .user = r,
                      .extent = run_extent,
                      .temporary = run_temporary};
  pir_status status = pir_contract_emit(c, &env, "contract", &r->code);
  const loop_module *modules[] = {r->module};
  if (!status && pir_loop_verify(r->module, (loop_faults){0}))
    status = PIR_INTERNAL;
  if (!status)
    status = pir_code_store_build(store, modules, NULL, 1, 1, &r->image);
  if (status)
    return status;
  if (r->code.packing.fn)
    r->packing = run_symbol(r, r->code.packing.fn);
  for (int i = 0; i < r->code.stage_count; i++)
    r->stages[i] = run_symbol(r, r->code.stages[i].fn);
  return PIR_OK;
}

static inline int64_t run_value(const contract_run *r, pir_dim d, const int64_t *symbols) {
  int64_t value = 0;
  bool known = pir_dim_evaluate(r->dims, d, symbols, &value);
  assert(known);
  (void)known;
  return value;
}

// Packs b and readies the arguments; `symbols` are the values of what varies.
static inline void run_bind(contract_run *r, void *a, void *b, void *out,
                            const int64_t *symbols) {
  r->buffers[0] = a;
  r->buffers[1] = b;
  r->buffers[2] = out;
  for (int i = 0; i < r->asked_count; i++)
    r->values[i] = run_value(r, r->asked[i], symbols);
  if (r->packing) {
    void *packed = aligned_alloc(64, ((size_t)r->code.packed_bytes + 63) / 64 * 64 + 64);
    void *buffers[] = {b, packed};
    r->packing(&(pir_group_args){.buffers = buffers, .dims = r->values}, 0,
               run_value(r, r->code.packing.units, symbols), NULL);
    r->buffers[1] = packed;
  }
  for (int i = 0; i < r->code.stage_count; i++) {
    size_t bytes = ((size_t)r->code.stages[i].fn->scratch_bytes + 63) / 64 * 64;
    if (bytes > r->scratch_bytes)
      r->scratch_bytes = bytes;
  }
  r->scratch = aligned_alloc(64, r->scratch_bytes * RUN_THREADS + 64);
  for (int i = 0; i < r->temporary_count; i++) {
    size_t bytes = (size_t)run_value(r, r->temporaries[i], symbols);
    r->buffers[3 + i] = aligned_alloc(64, (bytes + 127) / 64 * 64);
  }
}

static inline int64_t run_units(const contract_run *r, int stage, const int64_t *symbols) {
  return run_value(r, r->code.stages[stage].units, symbols);
}

static inline void run_call(const contract_run *r, int stage, int64_t begin, int64_t end,
                            int thread) {
  assert(thread < RUN_THREADS);
  r->stages[stage](&(pir_group_args){.buffers = r->buffers, .dims = r->values}, begin, end,
                   r->scratch + (size_t)thread * r->scratch_bytes);
}

static inline void run_free(contract_run *r) {
  if (r->packing)
    free(r->buffers[1]);
  for (int i = 0; i < r->temporary_count; i++)
    free(r->buffers[3 + i]);
  free(r->scratch);
  pir_loop_module_destroy(r->module);
}

// ---- expected

static inline void plain_matmul(const matmul_case *s, const float *a, const float *b,
                                float *out) {
  for (int64_t g = 0; g < s->batch; g++)
    for (int64_t m = 0; m < s->m; m++)
      for (int64_t n = 0; n < s->n; n++) {
        double sum = 0;
        const float *bg = b + (s->constant_b ? 0 : g * s->n * s->k);
        for (int64_t k = 0; k < s->k; k++)
          sum += (double)a[(g * s->m + m) * s->k + k] *
                 bg[s->transpose_b ? n * s->k + k : k * s->n + n];
        out[(g * s->m + m) * s->n + n] = (float)sum;
      }
}

static inline int64_t image_at(bool row_major, int64_t channels, int64_t h, int64_t w,
                               int64_t n, int64_t c, int64_t y, int64_t x) {
  return row_major ? ((n * channels + c) * h + y) * w + x
                   : ((n * h + y) * w + x) * channels + c;
}

static inline double plain_pixel(const conv_case *s, const float *a, const float *b, int64_t n,
                                 int64_t o, int64_t y, int64_t x) {
  int64_t cg = s->c / s->groups, g = o / (s->o / s->groups);
  double sum = 0;
  for (int64_t kh = 0; kh < s->kh; kh++)
    for (int64_t kw = 0; kw < s->kw; kw++) {
      int64_t iy = y * s->stride + kh * s->dilation - conv_pad(s, s->kh),
              ix = x * s->stride + kw * s->dilation - conv_pad(s, s->kw);
      if (iy < 0 || iy >= s->h || ix < 0 || ix >= s->w)
        continue;
      for (int64_t c = 0; c < cg; c++)
        sum += (double)a[image_at(s->row_major, s->c, s->h, s->w, n, g * cg + c, iy, ix)] *
               b[((o * cg + c) * s->kh + kh) * s->kw + kw];
    }
  return sum;
}

static inline void plain_conv(const conv_case *s, const float *a, const float *b, float *out) {
  int64_t oh = conv_out(s->h, s->kh, s), ow = conv_out(s->w, s->kw, s);
  for (int64_t n = 0; n < s->n; n++)
    for (int64_t o = 0; o < s->o; o++)
      for (int64_t y = 0; y < oh; y++)
        for (int64_t x = 0; x < ow; x++)
          out[image_at(s->out_row_major, s->o, oh, ow, n, o, y, x)] =
              (float)plain_pixel(s, a, b, n, o, y, x);
}

#endif
