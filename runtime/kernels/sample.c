// grid_sample: x read at the positions of a grid in [-1, 1], nearest or (bi/tri)linear. Positions outside are 0, are
// moved to the border, or are reflected at it. Every output position costs 2^d reads a channel.
#include <math.h>

#include "kernels/kernels.h"

enum { ZEROS, BORDER, REFLECTION };

typedef struct sampler {
  int axes, padding;          // spatial axes
  bool align, nearest;
  int64_t extent[3], step[3]; // of x, first axis outermost
} sampler;

static double reflect(double v, double low, double high) {
  double span = high - low;
  if (span <= 0) return 0;
  double away = fabs(v - low), left = fmod(away, span);
  return fmod(floor(away / span), 2) == 0 ? left + low : span - left + low;
}

// The position along one axis, in elements.
static double place(const sampler *s, float g, int64_t n) {
  double v = s->align ? (g + 1.0) / 2 * (double)(n - 1) : ((g + 1.0) * (double)n - 1) / 2;
  if (s->padding == REFLECTION) v = s->align ? reflect(v, 0, (double)(n - 1)) : reflect(v, -0.5, (double)n - 0.5);
  if (s->padding != ZEROS) v = v < 0 ? 0 : v > (double)(n - 1) ? (double)(n - 1) : v;
  return v;
}

// Reads of one output position: offsets and weights, the ones outside left out. `g` names the last axis first.
static int find_reads(const sampler *s, const float *g, int64_t *offsets, double *weights) {
  int count = 0;
  double v[3];
  for (int a = 0; a < s->axes; a++) v[a] = place(s, g[s->axes - 1 - a], s->extent[a]);
  for (int corner = 0; corner < (s->nearest ? 1 : 1 << s->axes); corner++) {
    double weight = 1;
    int64_t offset = 0;
    for (int a = 0; a < s->axes; a++) {
      double down = s->nearest ? rint(v[a]) : floor(v[a]), part = v[a] - down;
      int up = corner >> a & 1;
      double at = down + up;
      if (!s->nearest) weight *= up ? part : 1 - part;
      if (!(at >= 0 && at < (double)s->extent[a])) weight = 0;
      else offset += (int64_t)at * s->step[a];
    }
    if (weight != 0) offsets[count] = offset, weights[count++] = weight;
  }
  return count;
}

static bool is_text(const pir_attr_value *a, const char *text) { return pir_str_equal(a->text, pir_str_from(text)); }

// attributes: mode, padding_mode, align_corners. x [n, c, spatial], grid [n, spatial', axes]
pir_status pir_kernel_grid_sample(const pir_kernel_call *call) {
  const pir_tensor *in = pir_kernel_in(call, 0), *positions = pir_kernel_in(call, 1);
  pir_tensor *out = pir_kernel_out(call, 0), x, grid, result;
  sampler s = {.align = call->attrs[2].i != 0, .nearest = is_text(&call->attrs[0], "nearest"),
               .padding = is_text(&call->attrs[1], "border") ? BORDER : is_text(&call->attrs[1], "reflection") ? REFLECTION : ZEROS};
  if (!in || !positions) return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  s.axes = in->rank - 2;
  if (s.axes < 1 || s.axes > 3 || positions->rank != in->rank || positions->shape[in->rank - 1] != s.axes ||
      positions->shape[0] != in->shape[0] || out->rank != in->rank)
    return pir_kernel_fail(call, PIR_INVALID, "%s: the grid does not fit a tensor of rank %d", call->op, in->rank);
  int64_t size = 1, channels = in->shape[1], spots = 1;
  for (int a = s.axes - 1; a >= 0; a--) {
    s.extent[a] = in->shape[a + 2];
    s.step[a] = size;
    size *= s.extent[a];
    spots *= out->shape[a + 2];
  }
  PIR_TRY(pir_kernel_dense(call, in, PIR_F32, in->shape, in->rank, &x));
  pir_status status = pir_kernel_dense(call, positions, PIR_F32, positions->shape, positions->rank, &grid);
  pir_tensor_set_dense(&result, PIR_F32, out->shape, out->rank);
  size_t bytes = (size_t)(in->shape[0] * channels * spots) * sizeof(float);
  result.data = status ? NULL : pir_kernel_alloc(call, bytes);
  if (!status && !result.data) status = pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  for (int64_t i = 0; !status && i < in->shape[0] * spots; i++) {
    int64_t offsets[8], n = i / spots;
    double weights[8];
    int reads = find_reads(&s, (const float *)grid.data + i * s.axes, offsets, weights);
    for (int64_t c = 0; c < channels; c++) {
      const float *plane = (const float *)x.data + (n * channels + c) * size;
      double sum = 0;
      for (int r = 0; r < reads; r++) sum += weights[r] * plane[offsets[r]];
      ((float *)result.data)[(n * channels + c) * spots + i % spots] = (float)sum;
    }
  }
  if (!status) status = pir_tensor_copy(&result, out);
  pir_kernel_free(call, result.data, bytes);
  pir_kernel_drop(call, &grid);
  pir_kernel_drop(call, &x);
  return status;
}
