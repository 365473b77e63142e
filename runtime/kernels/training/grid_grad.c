// Gradients of grid_sample, which reads an image at the positions of a grid. Every position
// adds its gradient to the elements that it read, and takes the slope of the interpolation as
// its own. Images run in parallel. Computes in double, but positions in the element type,
// because they decide which elements are read.
#include <math.h>
#include <string.h>

#include "kernels.h"

enum { IN_X, IN_GRID, IN_OUT_GRAD, INS };
enum { MODE, PADDING_MODE, ALIGN_CORNERS };

typedef struct grid_grad {
  int64_t channels, height, width, places;
  bool nearest, align, single;
  enum { OUTSIDE_ZERO, OUTSIDE_BORDER, OUTSIDE_REFLECTED } outside;
  const double *x, *grid, *out_grad;
  double *x_grad, *grid_grad;
} grid_grad;

// A position along an axis, and its derivative by the grid's coordinate.
typedef struct spot {
  double at, rate;
} spot;

static double round_position(const grid_grad *g, double v) {
  return pir_round_single(g->single, v);
}

static spot clip_spot(spot s, double most) {
  if (s.at <= 0)
    return (spot){0, 0};
  return s.at >= most ? (spot){most, 0} : s;
}

// Reflects the position at both ends of an axis of extent n, until it lies between them.
static spot reflect_spot(const grid_grad *g, spot s, double n) {
  double low = g->align ? 0 : -0.5;
  double span = g->align ? n - 1 : n;
  if (span <= 0)
    return (spot){0, 0};
  double v = s.at - low, sign = v < 0 ? -1 : 1;
  v = fabs(v);
  double turns = floor(v / span), rest = v - turns * span;
  bool back = fmod(turns, 2) != 0;
  double distance = back ? span - rest : rest;
  return (spot){round_position(g, distance + low), s.rate * sign * (back ? -1 : 1)};
}

// The position in an axis of extent n that the grid's coordinate v in [-1, 1] stands for.
static spot find_spot(const grid_grad *g, double v, int64_t n) {
  double most = (double)(n - 1), extent = (double)n;
  double at = g->align ? (v + 1) * 0.5 * most : ((v + 1) * extent - 1) * 0.5;
  spot s = {round_position(g, at), (g->align ? most : extent) * 0.5};
  if (g->outside == OUTSIDE_BORDER)
    return clip_spot(s, most);
  if (g->outside == OUTSIDE_REFLECTED)
    return clip_spot(reflect_spot(g, s, extent), most);
  return s;
}

static bool is_inside_image(double v, int64_t n) {
  return v >= 0 && v < (double)n;
}

static void add_nearest_gradient(const grid_grad *g, int64_t image, int64_t p, spot x, spot y) {
  double column = rint(x.at), row = rint(y.at);
  if (!is_inside_image(column, g->width) || !is_inside_image(row, g->height))
    return;
  for (int64_t c = 0; c < g->channels; c++) {
    int64_t plane = image * g->channels + c;
    int64_t at = (plane * g->height + (int64_t)row) * g->width + (int64_t)column;
    g->x_grad[at] += g->out_grad[plane * g->places + p];
  }
}

static void add_bilinear_gradient(const grid_grad *g, int64_t image, int64_t p, spot x, spot y,
                                  double *to) {
  double left = floor(x.at);
  double top = floor(y.at);
  double fx = x.at - left;
  double fy = y.at - top;
  for (int k = 0; k < 4; k++) {
    double column = left + k % 2, row = top + k / 2;
    if (!is_inside_image(column, g->width) || !is_inside_image(row, g->height))
      continue;
    double wx = k % 2 ? fx : 1 - fx;
    double wy = k / 2 ? fy : 1 - fy;
    double sum = 0;
    for (int64_t c = 0; c < g->channels; c++) {
      int64_t plane = image * g->channels + c;
      int64_t at = (plane * g->height + (int64_t)row) * g->width + (int64_t)column;
      double grad = g->out_grad[plane * g->places + p];
      if (g->x_grad)
        g->x_grad[at] += grad * wx * wy;
      sum += grad * g->x[at];
    }
    if (!to)
      continue;
    to[0] += sum * (k % 2 ? wy : -wy) * x.rate;
    to[1] += sum * (k / 2 ? wx : -wx) * y.rate;
  }
}

static void add_image_gradients(void *user, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const grid_grad *g = user;
  for (int64_t image = begin; image < end; image++)
    for (int64_t p = 0; p < g->places; p++) {
      int64_t at = (image * g->places + p) * 2;
      spot x = find_spot(g, g->grid[at], g->width);
      spot y = find_spot(g, g->grid[at + 1], g->height);
      if (!g->nearest)
        add_bilinear_gradient(g, image, p, x, y, g->grid_grad ? g->grid_grad + at : NULL);
      else if (g->x_grad)
        add_nearest_gradient(g, image, p, x, y);
    }
}

pir_status pir_kernel_grid_sample_grad(const pir_kernel_call *call) {
  static const uint8_t in[INS] = {PIR_F64, PIR_F64, PIR_F64}, out[2] = {PIR_F64, PIR_F64};
  pir_tensor room[INS + 2];
  PIR_TRY(pir_kernel_expect_rank(call, IN_X, "x", 4));
  PIR_TRY(pir_kernel_expect_rank(call, IN_GRID, "grid", 4));
  PIR_TRY(pir_kernel_expect_rank(call, IN_OUT_GRAD, "out_grad", 4));
  const pir_tensor *x = pir_kernel_in(call, IN_X);
  const pir_tensor *grid = pir_kernel_in(call, IN_GRID);
  const pir_tensor *grad = pir_kernel_in(call, IN_OUT_GRAD);
  const int64_t shape[4] = {x->shape[0], x->shape[1], grid->shape[1], grid->shape[2]};
  bool fits = grid->shape[0] == x->shape[0] && grid->shape[3] == 2;
  if (!fits || memcmp(grad->shape, shape, sizeof shape))
    return pir_kernel_fail(call, PIR_INVALID, "%s: x, grid and out_grad do not fit", call->op);
  pir_status status = pir_kernel_open(call, in, INS, out, 2, room);
  if (!status) {
    grid_grad g = {.channels = x->shape[1],
                   .height = x->shape[2],
                   .width = x->shape[3],
                   .places = grid->shape[1] * grid->shape[2],
                   .nearest = pir_kernel_text_is(call, MODE, "nearest"),
                   .align = pir_kernel_int(call, ALIGN_CORNERS) != 0,
                   .single = x->dtype != PIR_F64,
                   .x = room[IN_X].data,
                   .grid = room[IN_GRID].data,
                   .out_grad = room[IN_OUT_GRAD].data,
                   .x_grad = room[INS].data,
                   .grid_grad = room[INS + 1].data};
    if (pir_kernel_text_is(call, PADDING_MODE, "border"))
      g.outside = OUTSIDE_BORDER;
    else if (pir_kernel_text_is(call, PADDING_MODE, "reflection"))
      g.outside = OUTSIDE_REFLECTED;
    pir_kernel_each(call, x->shape[0], add_image_gradients, &g);
  }
  return pir_kernel_close(call, status, INS, 2, room);
}
