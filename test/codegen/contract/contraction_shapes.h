// Contractions for tests and benchmarks: products and convolutions by their sizes.
#ifndef CONTRACTION_SHAPES_H
#define CONTRACTION_SHAPES_H

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
#define CONV_FIELDS(n_, c_, h_, w_, o_, kh_, kw_, stride_, dilation_, groups_)                 \
  .n = n_, .c = c_, .h = h_, .w = w_, .o = o_, .kh = kh_, .kw = kw_, .stride = stride_,        \
  .dilation = dilation_, .groups = groups_
#define CONV_CASE(n_, c_, h_, w_, o_, kh_, kw_, stride_, pad_, dilation_, groups_)             \
  {CONV_FIELDS(n_, c_, h_, w_, o_, kh_, kw_, stride_, dilation_, groups_), .pad = pad_}
#define SAME_CASE(n_, c_, h_, w_, o_, kh_, kw_, stride_, dilation_, groups_)                   \
  {CONV_FIELDS(n_, c_, h_, w_, o_, kh_, kw_, stride_, dilation_, groups_), .same = true}

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

#endif
