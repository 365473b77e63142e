// Contractions for tests and benchmarks: products and convolutions by their sizes, compiled,
// packed and ready to be called; and their expected results, by plain loops.
#ifndef CONTRACTION_CASES_H
#define CONTRACTION_CASES_H

#include "code.h"
#include "contract.h"
#include "loop_verify.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct conv_case {
  int64_t n, c, h, w, o, kh, kw, stride, pad, dilation, groups;
  bool row_major;  // a in NCHW instead of channels-last
  bool out_row_major;
  bool varying;       // n, h, w are known at run time only
  bool batch_varies;  // n is
  bool same;          // padded by half of the taps along each axis instead of `pad`
} conv_case;

// A case in one line; SAME_CASE is padded by half of the taps.
#define CONV_CASE(n_, c_, h_, w_, o_, kh_, kw_, stride_, pad_, dilation_, groups_)             \
  {.n = n_,                                                                                    \
   .c = c_,                                                                                    \
   .h = h_,                                                                                    \
   .w = w_,                                                                                    \
   .o = o_,                                                                                    \
   .kh = kh_,                                                                                  \
   .kw = kw_,                                                                                  \
   .stride = stride_,                                                                          \
   .pad = pad_,                                                                                \
   .dilation = dilation_,                                                                      \
   .groups = groups_}
#define SAME_CASE(n_, c_, h_, w_, o_, kh_, kw_, stride_, dilation_, groups_)                   \
  {.n = n_,                                                                                    \
   .c = c_,                                                                                    \
   .h = h_,                                                                                    \
   .w = w_,                                                                                    \
   .o = o_,                                                                                    \
   .kh = kh_,                                                                                  \
   .kw = kw_,                                                                                  \
   .stride = stride_,                                                                          \
   .dilation = dilation_,                                                                      \
   .groups = groups_,                                                                          \
   .same = true}

typedef struct matmul_case {
  int64_t batch, m, n, k;
  bool transpose_b, constant_b, varying;
} matmul_case;

static inline int64_t conv_pad(const conv_case *s, int64_t k) {
  return s->same ? k / 2 : s->pad;
}

static inline int64_t conv_out(int64_t in, int64_t k, const conv_case *s) {
  int64_t span = in + 2 * conv_pad(s, k) - (s->dilation * (k - 1) + 1);
  return span < 0 ? 0 : span / s->stride + 1;
}

static inline pir_dim case_dim(pir_dims *dims, bool varying, int64_t value) {
  return varying ? pir_dim_symbol(dims, 0) : pir_dim_const(dims, value);
}

static inline int case_var(contraction *c, const char *name, pir_dim extent, bool reduced) {
  c->vars[c->var_count] = (contract_var){name, extent, reduced};
  return c->var_count++;
}

static inline void case_axis(contract_tensor *t, pir_dim extent) {
  t->order[t->rank] = (uint8_t)t->rank;
  t->room[t->rank] = extent;
  t->shape[t->rank++] = extent;
}

// Symbols, when sizes vary, are numbered in the order batch, m, n, k.
static inline contraction make_matmul(pir_dims *dims, const matmul_case *s) {
  contraction c = {.dims = dims, .b_constant = s->constant_b};
  c.a = (contract_tensor){.dtype = PIR_F32, .slot = 0, .align = 4};
  c.b = (contract_tensor){.dtype = PIR_F32, .slot = 1, .align = 4};
  c.out = (contract_tensor){.dtype = PIR_F32, .slot = 2, .align = 4};
  bool vb = s->varying && !s->constant_b;
  pir_dim batch = case_dim(dims, s->varying, s->batch), m = case_dim(dims, s->varying, s->m);
  pir_dim n = case_dim(dims, vb, s->n), k = case_dim(dims, vb, s->k);
  int vg = case_var(&c, "b", batch, false), vm = case_var(&c, "m", m, false),
      vn = case_var(&c, "n", n, false);
  int vk = case_var(&c, "k", k, true);
  case_axis(&c.a, batch);
  case_axis(&c.a, m);
  case_axis(&c.a, k);
  c.a.map[0].factor[vg] = c.a.map[1].factor[vm] = c.a.map[2].factor[vk] = 1;
  int at = 0;
  if (!s->constant_b) {
    case_axis(&c.b, batch);
    c.b.map[at++].factor[vg] = 1;
  }
  case_axis(&c.b, s->transpose_b ? n : k);
  case_axis(&c.b, s->transpose_b ? k : n);
  c.b.map[at].factor[s->transpose_b ? vn : vk] =
      c.b.map[at + 1].factor[s->transpose_b ? vk : vn] = 1;
  case_axis(&c.out, batch);
  case_axis(&c.out, m);
  case_axis(&c.out, n);
  c.out.map[0].factor[vg] = c.out.map[1].factor[vm] = c.out.map[2].factor[vn] = 1;
  return c;
}

// Symbols, when sizes vary: n, h, w, out h, out w.
static inline contraction make_conv(pir_dims *dims, const conv_case *s) {
  contraction c = {.dims = dims, .b_constant = true};
  c.a = (contract_tensor){.dtype = PIR_F32, .slot = 0, .align = 4};
  c.b = (contract_tensor){.dtype = PIR_F32, .slot = 1, .align = 4};
  c.out = (contract_tensor){.dtype = PIR_F32, .slot = 2, .align = 4};
  pir_dim n = case_dim(dims, s->varying || s->batch_varies, s->n),
          h = case_dim(dims, s->varying, s->h), w = case_dim(dims, s->varying, s->w);
  pir_dim oh = case_dim(dims, s->varying, conv_out(s->h, s->kh, s)),
          ow = case_dim(dims, s->varying, conv_out(s->w, s->kw, s));
  int64_t cg = s->c / s->groups, og = s->o / s->groups;
  int vn = case_var(&c, "n", n, false), vg = case_var(&c, "g", s->groups, false),
      vo = case_var(&c, "o", og, false);
  int vy = case_var(&c, "y", oh, false), vx = case_var(&c, "x", ow, false);
  int vc = case_var(&c, "c", cg, true), vkh = case_var(&c, "kh", s->kh, true),
      vkw = case_var(&c, "kw", s->kw, true);
  case_axis(&c.a, n);
  case_axis(&c.a, s->c);
  case_axis(&c.a, h);
  case_axis(&c.a, w);
  c.a.map[0].factor[vn] = c.a.map[1].factor[vc] = 1;
  c.a.map[1].factor[vg] = cg;
  c.a.map[2].offset = -conv_pad(s, s->kh);
  c.a.map[3].offset = -conv_pad(s, s->kw);
  c.a.map[2].factor[vy] = c.a.map[3].factor[vx] = s->stride;
  c.a.map[2].factor[vkh] = c.a.map[3].factor[vkw] = s->dilation;
  case_axis(&c.b, s->o);
  case_axis(&c.b, cg);
  case_axis(&c.b, s->kh);
  case_axis(&c.b, s->kw);
  c.b.map[0].factor[vo] = c.b.map[1].factor[vc] = c.b.map[2].factor[vkh] =
      c.b.map[3].factor[vkw] = 1;
  c.b.map[0].factor[vg] = og;
  case_axis(&c.out, n);
  case_axis(&c.out, s->o);
  case_axis(&c.out, oh);
  case_axis(&c.out, ow);
  c.out.map[0].factor[vn] = c.out.map[1].factor[vo] = c.out.map[2].factor[vy] =
      c.out.map[3].factor[vx] = 1;
  c.out.map[1].factor[vg] = og;
  static const uint8_t channels_last[] = {0, 2, 3, 1};
  if (!s->row_major)
    memcpy(c.a.order, channels_last, 4);
  if (!s->out_row_major)
    memcpy(c.out.order, channels_last, 4);
  return c;
}

// ---- compiled

enum { RUN_THREADS = 16 };

typedef struct contract_run {
  pir_dims *dims;
  pir_math math;
  contract_code code;
  pir_stage_fn packing, stages[2];
  const pir_image *image;
  pir_dim asked[64];
  int asked_count;
  pir_dim temporary;  // bytes, or 0
  loop_module *module;
  int64_t values[64];
  void *buffers[4];  // a, b (packed where it is), out, temporary
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
  ((contract_run *)user)->temporary = bytes;
  return 3;
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
  if (r->temporary)
    r->buffers[3] =
        aligned_alloc(64, ((size_t)run_value(r, r->temporary, symbols) + 127) / 64 * 64);
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
  free(r->buffers[3]);
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
