// Graph message passing: rows travel along edges and are combined where they arrive
// (segment_pool, send_u_recv, send_ue_recv). Rows are widened to f64 or i64 once, combined in
// that type, and narrowed by the copy to the result. Cost: edges times features.
#include <string.h>

#include "convert.h"
#include "kernels.h"

typedef enum arrival { ARRIVE_SUM, ARRIVE_MEAN, ARRIVE_MAX, ARRIVE_MIN } arrival;

typedef struct edges {
  const int64_t *from, *to;  // `from` NULL: edge e carries row e
  int64_t count, width;
  const void *x, *y;  // y has one row for each edge, or is NULL
  bool floats;        // rows are f64, else i64
  bool single;        // every step rounds to f32
  bool multiply;      // x and y are multiplied, else added
  arrival how;
} edges;

static double round_row_value(const edges *g, double v) {
  return pir_round_single(g->single, v);
}

// Combines one row with the row that it arrives at; the `first` one replaces it.
static void arrive_floats(const edges *g, double *to, const double *x, const double *y,
                          bool first) {
  for (int64_t i = 0; i < g->width; i++) {
    double v = x[i];
    if (y)
      v = g->multiply ? v * y[i] : v + y[i];
    v = round_row_value(g, v);
    if (first)
      to[i] = v;
    else if (g->how == ARRIVE_MAX)
      to[i] = v > to[i] || v != v ? v : to[i];
    else if (g->how == ARRIVE_MIN)
      to[i] = v < to[i] || v != v ? v : to[i];
    else
      to[i] = round_row_value(g, to[i] + v);
  }
}

// The same for integers. Sums and products wrap.
static void arrive_integers(const edges *g, int64_t *to, const int64_t *x, const int64_t *y,
                            bool first) {
  for (int64_t i = 0; i < g->width; i++) {
    uint64_t sent = (uint64_t)x[i];
    if (y)
      sent = g->multiply ? sent * (uint64_t)y[i] : sent + (uint64_t)y[i];
    int64_t v = (int64_t)sent;
    if (first)
      to[i] = v;
    else if (g->how == ARRIVE_MAX)
      to[i] = v > to[i] ? v : to[i];
    else if (g->how == ARRIVE_MIN)
      to[i] = v < to[i] ? v : to[i];
    else
      to[i] = (int64_t)((uint64_t)to[i] + (uint64_t)v);
  }
}

// Combines the rows of all edges. `out` and `degree` start as zeros; `degree` counts the edges
// that arrive at each row.
static void combine_arrivals(const edges *g, void *out, int64_t *degree, int64_t targets) {
  const double *fx = g->x;
  const double *fy = g->y;
  const int64_t *ix = g->x;
  const int64_t *iy = g->y;
  double *float_out = out;
  int64_t *int_out = out;
  for (int64_t e = 0; e < g->count; e++) {
    int64_t from = (g->from ? g->from[e] : e) * g->width;
    int64_t along = e * g->width;
    int64_t to = g->to[e];
    bool first = degree[to]++ == 0;
    to *= g->width;
    if (g->floats)
      arrive_floats(g, float_out + to, fx + from, fy ? fy + along : NULL, first);
    else
      arrive_integers(g, int_out + to, ix + from, iy ? iy + along : NULL, first);
  }
  for (int64_t r = 0; g->how == ARRIVE_MEAN && r < targets; r++)
    for (int64_t i = r * g->width; degree[r] > 1 && i < (r + 1) * g->width; i++) {
      if (g->floats)
        float_out[i] /= (double)degree[r];
      else
        int_out[i] /= degree[r];
    }
}

static pir_status read_arrival(const pir_kernel_call *call, int attr, arrival *out) {
  static const char *const names[] = {"SUM", "MEAN", "MAX", "MIN"};
  for (int i = 0; i < 4; i++)
    if (pir_kernel_text_is(call, attr, names[i])) {
      *out = (arrival)i;
      return PIR_OK;
    }
  return pir_kernel_fail(call, PIR_INVALID, "%s: rows are combined by SUM, MEAN, MAX or MIN",
                         call->op);
}

// Views the tensor with `rank` axes: its rows stay at axis 0, and axes of extent 1 follow them.
static pir_tensor view_with_rank(const pir_tensor *x, int rank) {
  pir_tensor view = *x;
  view.rank = rank;
  for (int d = rank - 1; d > 0; d--) {
    int at = d - (rank - x->rank);
    view.shape[d] = at > 0 ? x->shape[at] : 1;
    view.strides[d] = at > 0 ? x->strides[at] : 0;
  }
  return view;
}

// Makes a dense list of `count` row numbers, one for each edge.
static pir_status read_row_numbers(const pir_kernel_call *call, const pir_tensor *list,
                                   int64_t count, pir_tensor *out) {
  *out = (pir_tensor){0};
  bool fits = list && pir_tensor_numel(list) == count;
  if (!fits || list->rank < 1 || list->shape[0] != count)
    return pir_kernel_fail(call, PIR_INVALID, "%s: there are %lld edges", call->op,
                           (long long)count);
  pir_tensor flat = view_with_rank(list, 1);
  return pir_kernel_dense(call, &flat, PIR_I64, &count, 1, out);
}

static pir_status check_row_numbers(const pir_kernel_call *call, const pir_tensor *list,
                                    int64_t rows) {
  const int64_t *places = list->data;
  for (int64_t i = 0; places && i < list->shape[0]; i++)
    if (places[i] < 0 || places[i] >= rows)
      return pir_kernel_fail(call, PIR_INVALID, "%s: row %lld of %lld", call->op,
                             (long long)places[i], (long long)rows);
  return PIR_OK;
}

// Shapes and fills result 0, and result 1, unless it is absent, with the number of edges that
// arrive at each row.
static pir_status write_combined_rows(const pir_kernel_call *call, edges *g, pir_dtype dtype,
                                      const int64_t *shape, int rank, int count_rank) {
  pir_tensor wide, counts;
  pir_tensor *out = pir_kernel_out(call, 0);
  pir_tensor *degree = pir_kernel_out(call, 1);
  int64_t column[2] = {shape[0], 1};
  size_t bytes, count_bytes;
  pir_tensor_set_dense(&wide, g->floats ? PIR_F64 : PIR_I64, shape, rank);
  pir_tensor_set_dense(&counts, PIR_I64, column, count_rank);
  if (pir_shape_bytes(shape, rank, wide.dtype, &bytes))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  if (pir_shape_bytes(column, 1, PIR_I64, &count_bytes))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  // The results come first, because the session limits their memory: a row number alone may
  // ask for any amount of it.
  PIR_TRY(pir_kernel_shape_result(call, out, dtype, shape, rank));
  if (degree)
    PIR_TRY(pir_kernel_shape_result(call, degree, degree->dtype, column, count_rank));
  if (!bytes && !degree)
    return PIR_OK;
  wide.data = pir_kernel_alloc(call, bytes);
  counts.data = pir_kernel_alloc(call, count_bytes);
  pir_status status = wide.data && counts.data ? PIR_OK : PIR_EXHAUSTED;
  if (!status) {
    memset(wide.data, 0, bytes);
    memset(counts.data, 0, count_bytes);
    combine_arrivals(g, wide.data, counts.data, shape[0]);
    status = pir_tensor_copy(&wide, out);
  }
  if (!status && degree)
    status = pir_tensor_copy(&counts, degree);
  pir_kernel_free(call, wide.data, bytes);
  pir_kernel_free(call, counts.data, count_bytes);
  if (status)
    return pir_kernel_fail(call, status, "%s: cannot make the result", call->op);
  return PIR_OK;
}

// The type in which rows are combined.
static pir_status choose_wide_type(const pir_kernel_call *call, const pir_tensor *x,
                                   bool *floats, pir_dtype *out) {
  *floats = pir_dtype_is_float(x->dtype);
  *out = *floats ? PIR_F64 : PIR_I64;
  if (!*floats && !pir_dtype_is_integer(x->dtype))
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "%s: unsupported: rows of this element type",
                           call->op);
  if (x->rank < 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: there are no rows", call->op);
  return PIR_OK;
}

// Operands: x, (y,) src, dst, out_size; y exists when `along` is 1. The last attribute states
// how rows are combined.
static pir_status send_rows(const pir_kernel_call *call, int along) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *y = along ? pir_kernel_in(call, 1) : NULL;
  const pir_tensor *src = pir_kernel_in(call, 1 + along);
  const pir_tensor *size = pir_kernel_in(call, 3 + along);
  if (!x || !src || (along && !y) || src->rank < 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  edges g = {.count = src->shape[0], .multiply = along && pir_kernel_text_is(call, 0, "MUL")};
  pir_dtype wide;
  PIR_TRY(choose_wide_type(call, x, &g.floats, &wide));
  g.single = x->dtype == PIR_F32;
  PIR_TRY(read_arrival(call, along, &g.how));
  int rank = y && y->rank > x->rank ? y->rank : x->rank;
  pir_tensor rows = view_with_rank(x, rank);
  pir_tensor marks = y ? view_with_rank(y, rank) : rows;
  pir_tensor held[4] = {0};
  if (y && (y->rank < 1 || y->shape[0] != g.count))
    return pir_kernel_fail(call, PIR_INVALID, "%s: there are %lld edges", call->op,
                           (long long)g.count);
  int64_t shape[PIR_MAX_RANK] = {0};
  int64_t rows_out = size && pir_tensor_numel(size) ? pir_tensor_int_at(size, 0) : 0;
  for (int d = 1; d < rank; d++)
    shape[d] = rows.shape[d] == 1 ? marks.shape[d] : rows.shape[d];
  shape[0] = x->shape[0];
  pir_status status = pir_kernel_dense(call, &rows, wide, shape, rank, &held[0]);
  shape[0] = g.count;
  if (!status && y)
    status = pir_kernel_dense(call, &marks, wide, shape, rank, &held[1]);
  if (!status)
    status = read_row_numbers(call, src, g.count, &held[2]);
  if (!status)
    status = read_row_numbers(call, pir_kernel_in(call, 2 + along), g.count, &held[3]);
  shape[0] = rows_out > 0 ? rows_out : x->shape[0];
  if (!status)
    status = check_row_numbers(call, &held[2], x->shape[0]);
  if (!status)
    status = check_row_numbers(call, &held[3], shape[0]);
  g.x = held[0].data;
  g.y = held[1].data;
  g.from = held[2].data;
  g.to = held[3].data;
  g.width = 1;
  for (int d = 1; d < rank; d++)
    g.width *= shape[d];
  if (!status)
    status = write_combined_rows(call, &g, x->dtype, shape, rank, 1);
  for (int i = 0; i < 4; i++)
    pir_kernel_drop(call, &held[i]);
  return status;
}

pir_status pir_kernel_send_u_recv(const pir_kernel_call *call) {
  return send_rows(call, 0);
}
pir_status pir_kernel_send_ue_recv(const pir_kernel_call *call) {
  return send_rows(call, 1);
}

pir_status pir_kernel_segment_pool(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  if (!x)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  edges g = {.width = 1};
  pir_dtype wide;
  PIR_TRY(choose_wide_type(call, x, &g.floats, &wide));
  g.single = x->dtype == PIR_F32;
  PIR_TRY(read_arrival(call, 0, &g.how));
  pir_tensor rows = {0}, ids = {0};
  g.count = x->shape[0];
  pir_status status = pir_kernel_dense(call, x, wide, x->shape, x->rank, &rows);
  if (!status)
    status = read_row_numbers(call, pir_kernel_in(call, 1), g.count, &ids);
  int64_t shape[PIR_MAX_RANK];
  memcpy(shape, x->shape, sizeof shape);
  g.x = rows.data;
  g.to = ids.data;
  int64_t last = !status && g.count ? g.to[g.count - 1] : -1;
  shape[0] = last >= 0 && last < INT64_MAX ? last + 1 : 0;
  if (!status)
    status = check_row_numbers(call, &ids, shape[0]);
  for (int d = 1; d < x->rank; d++)
    g.width *= x->shape[d];
  if (!status)
    status = write_combined_rows(call, &g, x->dtype, shape, x->rank, 2);
  pir_kernel_drop(call, &rows);
  pir_kernel_drop(call, &ids);
  return status;
}
