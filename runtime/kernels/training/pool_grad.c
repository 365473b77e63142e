// Gradients of pooling. Each window adds its gradient to its first largest element, to all its
// elements in equal parts, or to all by the slope of a p-norm. Planes run in parallel. Computes
// in float, in double where x is of that type. Cost: windows times their size.
#include <math.h>
#include <string.h>

#include "kernels.h"

enum { IN_X, IN_OUT, IN_OUT_GRAD, INS };
enum {
  STRIDES,
  PADDINGS,
  CEIL_MODE,
  EXCLUSIVE,
  DATA_FORMAT,
  POOLING_TYPE,
  GLOBAL,
  ADAPTIVE,
  PADDING_ALGORITHM,
  NORM
};

typedef enum pooling { POOL_MAX, POOL_AVERAGE, POOL_NORM } pooling;

// One spatial axis.
typedef struct pool_axis {
  int64_t n, count;              // extents of x and out
  int64_t size, stride, before;  // of the windows: size, stride, and padding in front
  bool whole, adaptive;          // one window covers the axis; windows share it evenly
} pool_axis;

typedef struct pool_grad {
  pool_axis axis[3];  // depth (of extent 1 in two dimensions), height, width
  pooling how;
  bool in_range_only;  // an average counts only the elements that exist, not the padding
  double norm;
  bool wide;  // the numbers are doubles, not floats
  const void *x, *out, *out_grad;
  void *x_grad;
} pool_grad;

// Numbers of either type. Callers pass a constant, for which the compiler makes each loop anew.
static inline double load_number(bool wide, const void *numbers, int64_t i) {
  return wide ? ((const double *)numbers)[i] : (double)((const float *)numbers)[i];
}

static inline void add_to_number(bool wide, void *numbers, int64_t i, double more) {
  if (wide)
    ((double *)numbers)[i] += more;
  else
    ((float *)numbers)[i] += (float)more;
}

static int64_t window_start(const pool_axis *a, int64_t p) {
  if (a->whole)
    return 0;
  return a->adaptive ? p * a->n / a->size : p * a->stride - a->before;
}

static int64_t window_end(const pool_axis *a, int64_t p) {
  if (a->whole)
    return a->n;
  if (a->adaptive)
    return ((p + 1) * a->n + a->size - 1) / a->size;
  int64_t end = window_start(a, p) + a->size;
  int64_t most = a->n + a->before;
  return end < most ? end : most;
}

// The elements of one window that exist, from the first position of x on.
typedef struct window {
  int64_t from[3], to[3];
  int64_t width;  // number of positions, padding included
} window;

static void place_window(const pool_grad *g, int axis, int64_t at, window *w, int64_t *width) {
  const pool_axis *a = &g->axis[axis];
  int64_t start = window_start(a, at), end = window_end(a, at);
  *width = end - start;
  w->from[axis] = start < 0 ? 0 : start;
  w->to[axis] = end > a->n ? a->n : end;
}

// The derivative of a p-norm `out` by its element x.
static double norm_slope(const pool_grad *g, double x, double out) {
  return out == 0 ? 0 : pow(x / out, g->norm - 1);
}

static int64_t count_elements(const window *w) {
  int64_t count = 1;
  for (int i = 0; i < 3; i++)
    count *= w->to[i] - w->from[i];
  return count;
}

// Adds the gradient to the first element of a small window that is the largest one. The window
// is searched from its end without leaving the loops: no processor can predict where the
// largest element is.
static inline void add_to_largest(const pool_grad *g, bool wide, const window *w, int64_t first,
                                  double out, double grad) {
  int64_t found = -1, rows = g->axis[1].n, columns = g->axis[2].n;
  const void *x = g->x;
  for (int64_t z = w->to[0] - 1; z >= w->from[0]; z--)
    for (int64_t y = w->to[1] - 1; y >= w->from[1]; y--)
      for (int64_t i = w->to[2] - 1; i >= w->from[2]; i--) {
        int64_t at = first + (z * rows + y) * columns + i;
        found = load_number(wide, x, at) == out ? at : found;
      }
  if (found >= 0)
    add_to_number(wide, g->x_grad, found, grad);
}

// Adds the gradient of one window to the elements of its plane, of which element 0 is `first`.
static inline void add_window_gradient(const pool_grad *g, bool wide, const window *w,
                                       int64_t first, double out, double grad) {
  enum { SMALL = 32 };
  double share = grad;
  if (g->how == POOL_MAX && count_elements(w) <= SMALL) {
    add_to_largest(g, wide, w, first, out, grad);
    return;
  }
  if (g->how == POOL_AVERAGE)
    share /= (double)(g->in_range_only ? count_elements(w) : w->width);
  for (int64_t z = w->from[0]; z < w->to[0]; z++)
    for (int64_t y = w->from[1]; y < w->to[1]; y++)
      for (int64_t i = w->from[2]; i < w->to[2]; i++) {
        int64_t at = first + (z * g->axis[1].n + y) * g->axis[2].n + i;
        if (g->how == POOL_AVERAGE) {
          add_to_number(wide, g->x_grad, at, share);
        } else if (g->how == POOL_NORM) {
          double slope = norm_slope(g, load_number(wide, g->x, at), out);
          add_to_number(wide, g->x_grad, at, grad * slope);
        } else if (load_number(wide, g->x, at) == out) {
          add_to_number(wide, g->x_grad, at, grad);
          return;
        }
      }
}

// Adds the gradients of all windows of a plane.
static inline void add_plane_gradient(const pool_grad *g, bool wide, int64_t plane) {
  const pool_axis *a = g->axis;
  int64_t first = plane * a[0].n * a[1].n * a[2].n;
  int64_t at = plane * a[0].count * a[1].count * a[2].count;
  window w;
  int64_t width[3];
  for (int64_t z = 0; z < a[0].count; z++) {
    place_window(g, 0, z, &w, &width[0]);
    for (int64_t y = 0; y < a[1].count; y++) {
      place_window(g, 1, y, &w, &width[1]);
      for (int64_t x = 0; x < a[2].count; x++, at++) {
        place_window(g, 2, x, &w, &width[2]);
        w.width = width[0] * width[1] * width[2];
        add_window_gradient(g, wide, &w, first, load_number(wide, g->out, at),
                            load_number(wide, g->out_grad, at));
      }
    }
  }
}

static void add_gradients(void *user, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const pool_grad *g = user;
  for (int64_t plane = begin; plane < end; plane++) {
    if (g->wide)
      add_plane_gradient(g, true, plane);
    else
      add_plane_gradient(g, false, plane);
  }
}

// ---- attributes

// Reads the attributes of spatial axis i, whose windows have `size` elements.
static pir_status read_pool_axis(const pir_kernel_call *call, int first, int spatial, int i,
                                 int64_t size, pool_axis *a) {
  pir_int_list strides = pir_kernel_ints(call, first + STRIDES);
  pir_int_list pads = pir_kernel_ints(call, first + PADDINGS);
  int padded = (int)pads.count;
  if ((int)strides.count != spatial || (padded != spatial && padded != 2 * spatial))
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: expects %d strides and as many paddings, or twice", call->op,
                           spatial);
  a->size = size;
  a->stride = strides.ints[i];
  bool adaptive = pir_kernel_int(call, first + ADAPTIVE) != 0;
  a->whole = pir_kernel_int(call, first + GLOBAL) != 0 && !adaptive;
  a->adaptive = adaptive && !pir_kernel_text_is(call, first + POOLING_TYPE, "max");
  if (a->size < 1 || a->stride < 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: windows and strides are at least 1",
                           call->op);
  int64_t windows = (a->n + a->stride - 1) / a->stride;
  int64_t total = (windows - 1) * a->stride + a->size - a->n;
  if (pir_kernel_text_is(call, first + PADDING_ALGORITHM, "SAME"))
    a->before = total > 0 ? total / 2 : 0;
  else if (pir_kernel_text_is(call, first + PADDING_ALGORITHM, "VALID"))
    a->before = 0;
  else
    a->before = pads.ints[padded == spatial ? i : 2 * i];
  if (adaptive || a->whole)
    a->before = 0;
  return PIR_OK;
}

// The window's extent along axis i: from the first attribute if it is `listed` there, else from
// the operand.
static int64_t kernel_extent(const pir_kernel_call *call, bool listed, int i) {
  pir_int_list list = listed ? pir_kernel_ints(call, 0) : (pir_int_list){0};
  if (listed)
    return (size_t)i < list.count ? list.ints[i] : 0;
  const pir_tensor *operand = pir_kernel_in(call, INS);
  return operand && i < pir_tensor_numel(operand) ? pir_tensor_int_at(operand, i) : 0;
}

// Attribute 0 holds the extents of the windows if they are `listed`, else operand 3. The other
// attributes follow.
static pir_status pool_backward(const pir_kernel_call *call, int spatial, bool listed,
                                pooling how) {
  int first = listed;
  pir_tensor room[INS + 1];
  pool_grad g = {.how = how,
                 .in_range_only = pir_kernel_int(call, first + EXCLUSIVE) ||
                                  pir_kernel_int(call, first + ADAPTIVE)};
  if (how == POOL_NORM)
    g.norm = pir_kernel_float(call, first + NORM);
  static const char *const names[INS] = {"x", "out", "out_grad"};
  for (int i = 0; i < INS; i++)
    PIR_TRY(pir_kernel_expect_rank(call, i, names[i], spatial + 2));
  const pir_tensor *x = pir_kernel_in(call, IN_X);
  const pir_tensor *y = pir_kernel_in(call, IN_OUT);
  const pir_tensor *grad = pir_kernel_in(call, IN_OUT_GRAD);
  for (int d = 0; d < spatial + 2; d++)
    if (grad->shape[d] != y->shape[d] || (d < 2 && y->shape[d] != x->shape[d]))
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: x, out and out_grad do not fit along axis %d", call->op, d);
  for (int i = 0; i < 3; i++) {
    int k = i - (3 - spatial);
    pool_axis *a = &g.axis[i];
    *a = (pool_axis){.n = 1, .count = 1, .size = 1, .stride = 1, .whole = true};
    if (k < 0)
      continue;
    a->n = x->shape[k + 2];
    a->count = y->shape[k + 2];
    bool global = pir_kernel_int(call, first + GLOBAL) != 0;
    int64_t size = global ? a->n : kernel_extent(call, listed, k);
    PIR_TRY(read_pool_axis(call, first, spatial, k, size, a));
  }
  g.wide = x->dtype == PIR_F64;
  static const uint8_t borrowed[INS] = {0};
  uint8_t type = g.wide ? PIR_F64 : PIR_F32;
  pir_status status = pir_kernel_open(call, borrowed, INS, &type, 1, room);
  for (int i = 0; i < INS && !status; i++)
    status = pir_kernel_borrow(call, i, (pir_dtype)type, &room[i]);
  if (!status && room[INS].data) {
    g.x = room[IN_X].data;
    g.out = room[IN_OUT].data;
    g.out_grad = room[IN_OUT_GRAD].data;
    g.x_grad = room[INS].data;
    int64_t planes = x->shape[0] * x->shape[1];
    pir_kernel_each(call, planes, add_gradients, &g);
  }
  return pir_kernel_close(call, status, INS, 1, room);
}

static pooling pooling_of(const pir_kernel_call *call, int attr) {
  return pir_kernel_text_is(call, attr, "max") ? POOL_MAX : POOL_AVERAGE;
}

pir_status pir_kernel_pool2d_grad(const pir_kernel_call *call) {
  return pool_backward(call, 2, false, pooling_of(call, POOLING_TYPE));
}

pir_status pir_kernel_pool3d_grad(const pir_kernel_call *call) {
  return pool_backward(call, 3, true, pooling_of(call, 1 + POOLING_TYPE));
}

pir_status pir_kernel_lp_pool2d_grad(const pir_kernel_call *call) {
  return pool_backward(call, 2, true, POOL_NORM);
}
