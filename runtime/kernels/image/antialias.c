// Resizing without aliasing: where a result covers several elements of x, their mean weighted
// by the filter stretched as far. One axis after the other, with weights worked out once an
// axis. Cost: elements times the width of the filter.
#include <math.h>
#include <string.h>

#include "kernels.h"

enum { WIDEST = 4 };  // of the filters, at their own scale

static float linear(float x) {
  return fabsf(x) < 1 ? 1 - fabsf(x) : 0;
}

// Keys' cubic with a = -0.5.
static float cubic(float x) {
  x = fabsf(x);
  if (x < 1)
    return (1.5f * x - 2.5f) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * -0.5f : 0;
}

typedef struct axis {
  int64_t in, out, inner, outer;  // extents; elements after and before the axis
  int64_t width;                  // most elements a result covers
  int64_t *first;                 // one a result
  float *weights;                 // `width` a result, 0 where fewer
  size_t bytes;
} axis;

static float ratio_of(int64_t in, int64_t out, bool corners, double scale) {
  if (corners)
    return out > 1 ? (float)(in - 1) / (float)(out - 1) : 0;
  return scale > 0 ? (float)(1 / scale) : (float)in / (float)out;
}

static pir_status weigh(const pir_kernel_call *call, bool is_cubic, bool corners, double scale,
                        axis *a) {
  float ratio = ratio_of(a->in, a->out, corners, scale);
  float stretch = ratio >= 1 ? ratio : 1;
  float support = (is_cubic ? WIDEST : WIDEST / 2) * 0.5f * stretch;
  a->width = 2 * (int64_t)ceilf(support) + 1;
  int64_t rows[] = {a->out, a->width};
  size_t bytes;
  if (pir_shape_bytes(rows, 2, PIR_F32, &bytes))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  a->bytes = bytes + (size_t)a->out * sizeof *a->first;
  a->first = pir_kernel_alloc(call, a->bytes);
  if (!a->first)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  a->weights = (float *)(a->first + a->out);
  for (int64_t i = 0; i < a->out; i++) {
    float *w = a->weights + i * a->width;
    float total = 0;
    float center = ratio * ((float)i + 0.5f);
    int64_t begin = (int64_t)(center - support + 0.5f);
    int64_t end = (int64_t)(center + support + 0.5f);
    begin = begin > 0 ? begin : 0;
    end = end < a->in ? end : a->in;
    a->first[i] = begin;
    for (int64_t k = 0; k < a->width; k++) {
      float x = ((float)(k + begin) - center + 0.5f) / stretch;
      w[k] = begin + k < end ? (is_cubic ? cubic(x) : linear(x)) : 0;
      total += w[k];
    }
    for (int64_t k = 0; total != 0 && k < a->width; k++)
      w[k] /= total;
  }
  return PIR_OK;
}

static void resize(const axis *a, const float *x, float *y) {
  for (int64_t o = 0; o < a->outer; o++)
    for (int64_t i = 0; i < a->out; i++) {
      float *to = y + (o * a->out + i) * a->inner;
      const float *w = a->weights + i * a->width;
      memset(to, 0, (size_t)a->inner * sizeof *to);
      for (int64_t k = 0; k < a->width && a->first[i] + k < a->in; k++) {
        const float *from = x + (o * a->in + a->first[i] + k) * a->inner;
        for (int64_t c = 0; w[k] != 0 && c < a->inner; c++)
          to[c] += w[k] * from[c];
      }
    }
}

// Bytes are rounded after each axis.
static void round_bytes(float *x, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    x[i] = fminf(fmaxf(rintf(x[i]), 0), 255);
}

// The last axis first: rows of the plane, then columns.
static pir_status both_axes(const pir_kernel_call *call, const pir_tensor *x, int64_t rows,
                            int64_t columns, bool is_cubic, float *out) {
  bool corners = call->attrs[6].i;
  const pir_attr_value *scale = &call->attrs[4];
  double by[2] = {0, 0};
  for (size_t i = 0; i < 2 && scale->count; i++)
    by[i] = scale->floats ? scale->floats[i < scale->count ? i : 0] : 0;
  int64_t planes = x->shape[0] * x->shape[1];
  int64_t h = x->shape[2];
  int64_t w = x->shape[3];
  axis across = {w, columns, 1, planes * h, 0, NULL, NULL, 0};
  axis down = {h, rows, columns, planes, 0, NULL, NULL, 0};
  int64_t shape[] = {planes, h, columns};
  size_t bytes = 0;
  float *between =
      pir_shape_bytes(shape, 3, PIR_F32, &bytes) ? NULL : pir_kernel_alloc(call, bytes);
  pir_status status =
      between ? PIR_OK : pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  if (!status)
    status = weigh(call, is_cubic, corners, by[1], &across);
  if (!status)
    status = weigh(call, is_cubic, corners, by[0], &down);
  bool bytes_only = pir_kernel_in(call, 0)->dtype == PIR_U8;
  if (!status)
    resize(&across, x->data, between);
  if (!status && bytes_only)
    round_bytes(between, planes * h * columns);
  if (!status)
    resize(&down, between, out);
  if (!status && bytes_only)
    round_bytes(out, planes * rows * columns);
  pir_kernel_free(call, between, bytes);
  pir_kernel_free(call, across.first, across.bytes);
  pir_kernel_free(call, down.first, down.bytes);
  return status;
}

static pir_tensor channels_first(const pir_tensor *t) {
  pir_tensor view = *t;
  static const int order[] = {0, 3, 1, 2};
  for (int d = 0; d < 4; d++) {
    view.shape[d] = t->shape[order[d]];
    view.strides[d] = t->strides[order[d]];
  }
  return view;
}

// attributes: data_format, out_d, out_h, out_w, scale, interp_method, align_corners, align_mode
pir_status pir_kernel_interp_antialias(const pir_kernel_call *call) {
  const pir_tensor *given = pir_kernel_in(call, 0);
  pir_str method = call->attrs[5].text;
  bool is_cubic = pir_str_equal(method, PIR_STR("bicubic"));
  bool last = !pir_str_equal(call->attrs[0].text, PIR_STR("NCHW"));
  if (!given || given->rank != 4)
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects rank 4, found %d", call->op,
                           given ? given->rank : 0);
  if (!is_cubic && !pir_str_equal(method, PIR_STR("bilinear")))
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: interp_method: expects bilinear or bicubic, found '%.*s'",
                           call->op, (int)method.size, method.data);
  pir_tensor from = last ? channels_first(given) : *given;
  pir_tensor x;
  pir_tensor y = {0};
  pir_tensor *result = pir_kernel_out(call, 0);
  pir_tensor out = last ? channels_first(result) : *result;
  pir_tensor zero = {.data = &(float){0}, .dtype = PIR_F32};
  PIR_TRY(pir_kernel_dense(call, &from, PIR_F32, from.shape, from.rank, &x));
  pir_status status = pir_kernel_dense(call, &zero, PIR_F32, out.shape, out.rank, &y);
  if (!status && pir_tensor_numel(&y))
    status = both_axes(call, &x, out.shape[2], out.shape[3], is_cubic, y.data);
  if (!status)
    status = pir_tensor_copy(&y, &out);
  pir_kernel_drop(call, &x);
  pir_kernel_drop(call, &y);
  return status;
}
