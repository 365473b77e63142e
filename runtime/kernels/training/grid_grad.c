// Gradients of grid_sample, which reads an image, or a volume, at the positions of a grid. An
// image is a volume of depth 1. Every position adds its gradient to the elements that it read,
// and takes the slope of the interpolation as its own. Images run in parallel. Computes in
// double, but positions in the element type, because they decide which elements are read.
#include <math.h>
#include <string.h>

#include "kernels.h"

enum { IN_X, IN_GRID, IN_OUT_GRAD, INS };
enum { MODE, PADDING_MODE, ALIGN_CORNERS };

typedef struct grid_grad {
  int64_t channels, depth, height, width, places;
  int axes;  // 2: images, 3: volumes
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

// A position on the border itself still has its slope.
static spot clip_spot(spot s, double most) {
  if (s.at < 0)
    return (spot){0, 0};
  return s.at > most ? (spot){most, 0} : s;
}

// Reflects the position at both ends of an axis of extent n, until it lies between them.
static spot reflect_spot(const grid_grad *g, spot s, double n) {
  double low = g->align ? 0 : -0.5;
  double span = g->align ? n - 1 : n;
  if (span <= 0)
    return (spot){0, 0};
  double v = s.at - low, sign = v < 0 ? -1 : 1;
  v = fabs(v);
  double rest = v - floor(v / (2 * span)) * 2 * span;
  bool back = rest > span;
  double distance = back ? 2 * span - rest : rest;
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

// Where an element of the first channel of an image lies; -1 outside of it.
static int64_t element_at(const grid_grad *g, int64_t image, double x, double y, double z) {
  if (!is_inside_image(x, g->width) || !is_inside_image(y, g->height) ||
      !is_inside_image(z, g->depth))
    return -1;
  int64_t plane = image * g->channels * g->depth + (int64_t)z;
  return (plane * g->height + (int64_t)y) * g->width + (int64_t)x;
}

static void add_nearest_gradient(const grid_grad *g, int64_t image, int64_t p, const spot *s) {
  int64_t at = element_at(g, image, rint(s[0].at), rint(s[1].at), rint(s[2].at));
  int64_t step = g->depth * g->height * g->width;
  for (int64_t c = 0; at >= 0 && c < g->channels; c++)
    g->x_grad[at + c * step] += g->out_grad[(image * g->channels + c) * g->places + p];
}

// Adds the gradient by the elements around a position: two along each axis.
static void add_linear_gradient(const grid_grad *g, int64_t image, int64_t p, const spot *s,
                                double *to) {
  int64_t step = g->depth * g->height * g->width;
  for (int k = 0; k < 1 << g->axes; k++) {
    double places[3], weights[3], sum = 0;
    for (int a = 0; a < 3; a++) {
      double low = floor(s[a].at), part = s[a].at - low;
      places[a] = low + (k >> a & 1);
      weights[a] = k >> a & 1 ? part : 1 - part;
    }
    int64_t at = element_at(g, image, places[0], places[1], places[2]);
    for (int64_t c = 0; at >= 0 && c < g->channels; c++) {
      double grad = g->out_grad[(image * g->channels + c) * g->places + p];
      if (g->x_grad)
        g->x_grad[at + c * step] += grad * weights[0] * weights[1] * weights[2];
      sum += grad * g->x[at + c * step];
    }
    for (int a = 0; to && at >= 0 && a < g->axes; a++) {
      double others = weights[(a + 1) % 3] * weights[(a + 2) % 3];
      to[a] += sum * (k >> a & 1 ? others : -others) * s[a].rate;
    }
  }
}

static void add_image_gradients(void *user, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const grid_grad *g = user;
  const int64_t extents[3] = {g->width, g->height, g->depth};
  for (int64_t image = begin; image < end; image++)
    for (int64_t p = 0; p < g->places; p++) {
      int64_t at = (image * g->places + p) * g->axes;
      spot s[3] = {{0, 0}};
      for (int a = 0; a < g->axes; a++)
        s[a] = find_spot(g, g->grid[at + a], extents[a]);
      if (!g->nearest)
        add_linear_gradient(g, image, p, s, g->grid_grad ? g->grid_grad + at : NULL);
      else if (g->x_grad)
        add_nearest_gradient(g, image, p, s);
    }
}

pir_status pir_kernel_grid_sample_grad(const pir_kernel_call *call) {
  static const uint8_t in[INS] = {PIR_F64, PIR_F64, PIR_F64}, out[2] = {PIR_F64, PIR_F64};
  pir_tensor room[INS + 2];
  int rank = pir_kernel_in(call, IN_X) && pir_kernel_in(call, IN_X)->rank == 5 ? 5 : 4;
  PIR_TRY(pir_kernel_expect_rank(call, IN_X, "x", rank));
  PIR_TRY(pir_kernel_expect_rank(call, IN_GRID, "grid", rank));
  PIR_TRY(pir_kernel_expect_rank(call, IN_OUT_GRAD, "out_grad", rank));
  const pir_tensor *x = pir_kernel_in(call, IN_X);
  const pir_tensor *grid = pir_kernel_in(call, IN_GRID);
  const pir_tensor *grad = pir_kernel_in(call, IN_OUT_GRAD);
  int64_t shape[5] = {x->shape[0], x->shape[1]};
  memcpy(shape + 2, grid->shape + 1, (size_t)(rank - 2) * sizeof *shape);
  bool fits = grid->shape[0] == x->shape[0] && grid->shape[rank - 1] == rank - 2;
  if (!fits || memcmp(grad->shape, shape, (size_t)rank * sizeof *shape))
    return pir_kernel_fail(call, PIR_INVALID, "%s: x, grid and out_grad do not fit", call->op);
  pir_status status = pir_kernel_open(call, in, INS, out, 2, room);
  if (!status) {
    grid_grad g = {.channels = x->shape[1],
                   .depth = rank == 5 ? x->shape[2] : 1,
                   .height = x->shape[rank - 2],
                   .width = x->shape[rank - 1],
                   .places = 1,
                   .axes = rank - 2,
                   .nearest = pir_kernel_text_is(call, MODE, "nearest"),
                   .align = pir_kernel_int(call, ALIGN_CORNERS) != 0,
                   .single = x->dtype != PIR_F64,
                   .x = room[IN_X].data,
                   .grid = room[IN_GRID].data,
                   .out_grad = room[IN_OUT_GRAD].data,
                   .x_grad = room[INS].data,
                   .grid_grad = room[INS + 1].data};
    for (int i = 1; i < rank - 1; i++)
      g.places *= grid->shape[i];
    if (pir_kernel_text_is(call, PADDING_MODE, "border"))
      g.outside = OUTSIDE_BORDER;
    else if (pir_kernel_text_is(call, PADDING_MODE, "reflection"))
      g.outside = OUTSIDE_REFLECTED;
    pir_kernel_each(call, x->shape[0], add_image_gradients, &g);
  }
  return pir_kernel_close(call, status, INS, 2, room);
}
