// Resizing with anti-aliasing: where a result covers several elements of x, the filter is
// stretched over them, and the result is their weighted mean. One axis is resized after the
// other, with the weights computed once for each axis. Cost: elements times the filter's width.
#include <math.h>
#include <string.h>

#include "kernels.h"

enum { CUBIC_WIDTH = 4, LINEAR_WIDTH = 2 };  // widths of the filters before stretching

static float linear_filter(float x) {
  return fabsf(x) < 1 ? 1 - fabsf(x) : 0;
}

// Keys' cubic filter with a = -0.5.
static float cubic_filter(float x) {
  x = fabsf(x);
  if (x < 1)
    return (1.5f * x - 2.5f) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * -0.5f : 0;
}

typedef struct axis {
  int64_t in, out, inner, outer;  // extents; numbers of elements inside and outside the axis
  int64_t width;                  // most elements that a result covers
  int64_t *first;                 // the first element of each result
  float *weights;                 // `width` for each result; the unused ones are 0
  size_t bytes;                   // total size of `first` and `weights`
} axis;

static float resize_ratio(int64_t in, int64_t out, bool corners, double scale) {
  if (corners)
    return out > 1 ? (float)(in - 1) / (float)(out - 1) : 0;
  return scale > 0 ? (float)(1 / scale) : (float)in / (float)out;
}

// Computes the first elements and the weights of an axis.
static pir_status weigh_axis(const pir_kernel_call *call, bool is_cubic, bool corners,
                             double scale, axis *a) {
  float ratio = resize_ratio(a->in, a->out, corners, scale);
  float stretch = ratio >= 1 ? ratio : 1;
  float support = (is_cubic ? CUBIC_WIDTH : LINEAR_WIDTH) * 0.5f * stretch;
  if (!(support < 0x1p31f))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
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
      float at_x = is_cubic ? cubic_filter(x) : linear_filter(x);
      w[k] = begin + k < end ? at_x : 0;
      total += w[k];
    }
    for (int64_t k = 0; total != 0 && k < a->width; k++)
      w[k] /= total;
  }
  return PIR_OK;
}

static void resize_axis(const axis *a, const float *x, float *y) {
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

// Rounds to whole bytes; done after each axis when x holds bytes.
static void round_to_bytes(float *x, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    x[i] = fminf(fmaxf(rintf(x[i]), 0), 255);
}

// Resizes the last axis first, then the one before it.
static pir_status resize_both_axes(const pir_kernel_call *call, const pir_tensor *x,
                                   int64_t rows, int64_t columns, bool is_cubic, float *out) {
  bool corners = pir_kernel_int(call, 6);
  pir_float_list scale = pir_kernel_floats(call, 4);
  double by[2] = {0, 0};
  for (size_t i = 0; i < 2 && scale.count; i++)
    by[i] = scale.floats[i < scale.count ? i : 0];
  int64_t planes = x->shape[0] * x->shape[1];
  int64_t h = x->shape[2];
  int64_t w = x->shape[3];
  axis across = {.in = w, .out = columns, .inner = 1, .outer = planes * h};
  axis down = {.in = h, .out = rows, .inner = columns, .outer = planes};
  int64_t shape[] = {planes, h, columns};
  size_t bytes = 0;
  float *between = NULL;
  if (!pir_shape_bytes(shape, 3, PIR_F32, &bytes))
    between = pir_kernel_alloc(call, bytes);
  if (!between)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  pir_status status = weigh_axis(call, is_cubic, corners, by[1], &across);
  if (!status)
    status = weigh_axis(call, is_cubic, corners, by[0], &down);
  bool bytes_only = pir_kernel_in(call, 0)->dtype == PIR_U8;
  if (!status)
    resize_axis(&across, x->data, between);
  if (!status && bytes_only)
    round_to_bytes(between, planes * h * columns);
  if (!status)
    resize_axis(&down, between, out);
  if (!status && bytes_only)
    round_to_bytes(out, planes * rows * columns);
  pir_kernel_free(call, between, bytes);
  pir_kernel_free(call, across.first, across.bytes);
  pir_kernel_free(call, down.first, down.bytes);
  return status;
}

static pir_tensor view_channels_first(const pir_tensor *t) {
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
  pir_str method = pir_kernel_text(call, 5);
  bool is_cubic = pir_str_equal(method, PIR_STR("bicubic"));
  bool last = !pir_str_equal(pir_kernel_text(call, 0), PIR_STR("NCHW"));
  if (!given || given->rank != 4)
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects rank 4, found %d", call->op,
                           given ? given->rank : 0);
  if (!is_cubic && !pir_str_equal(method, PIR_STR("bilinear")))
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: interp_method: expects bilinear or bicubic, found '%.*s'",
                           call->op, (int)method.size, method.data);
  pir_tensor from = last ? view_channels_first(given) : *given;
  pir_tensor x;
  pir_tensor y = {0};
  pir_tensor *result = pir_kernel_out(call, 0);
  pir_tensor out = last ? view_channels_first(result) : *result;
  pir_tensor zero = {.data = &(float){0}, .dtype = PIR_F32};
  PIR_TRY(pir_kernel_dense(call, &from, PIR_F32, from.shape, from.rank, &x));
  pir_status status = pir_kernel_dense(call, &zero, PIR_F32, out.shape, out.rank, &y);
  if (!status && pir_tensor_numel(&y))
    status = resize_both_axes(call, &x, out.shape[2], out.shape[3], is_cubic, y.data);
  if (!status)
    status = pir_tensor_copy(&y, &out);
  pir_kernel_drop(call, &x);
  pir_kernel_drop(call, &y);
  return status;
}
