// Kernels that write values into slices of a copy of a tensor, or repeat a tensor along axes.
// The place to write is a strided view, and the values are a view with stride 0 along axes
// where they repeat, so one strided copy suffices.
#include <string.h>

#include "convert.h"
#include "kernels.h"

// Views `values` in the shape of `place`, repeated along axes where they have extent 1 or none.
static pir_status broadcast_to_place(const pir_kernel_call *call, const pir_tensor *values,
                                     const pir_tensor *place, pir_tensor *out) {
  *out = *values;
  out->rank = place->rank;
  int extra = values->rank - place->rank;
  for (int d = 0; d < extra; d++)
    if (values->shape[d] != 1)
      return pir_kernel_fail(call, PIR_INVALID, "%s: the values have too many dimensions",
                             call->op);
  for (int d = 0; d < place->rank; d++) {
    int64_t extent = d + extra < 0 ? 1 : values->shape[d + extra];
    if (extent != 1 && extent != place->shape[d])
      return pir_kernel_fail(call, PIR_INVALID, "%s: values of extent %lld do not fill %lld",
                             call->op, (long long)extent, (long long)place->shape[d]);
    out->shape[d] = place->shape[d];
    out->strides[d] = extent == 1 ? 0 : values->strides[d + extra];
  }
  return PIR_OK;
}

// The result starts as a copy of x, unless it is x.
static pir_status copy_to_result(const pir_kernel_call *call, const pir_tensor *x,
                                 pir_tensor *out) {
  if (!x || !out)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  pir_status status = x->data == out->data ? PIR_OK : pir_tensor_copy(x, out);
  if (status)
    return pir_kernel_fail(call, status, "%s: the result has not the shape of its operand",
                           call->op);
  return PIR_OK;
}

// ---- set_value

// Reads element i of operand k, which is a list tensor, or a list of one-element tensors.
static pir_status read_list_element(const pir_kernel_call *call, int k, int64_t i,
                                    int64_t *out) {
  int members = call->in_members[k];
  int64_t member = members == 1 ? 0 : i;
  int64_t at = members == 1 ? i : 0;
  const pir_tensor *t = member < members ? call->in[call->in_first[k] + member] : NULL;
  if (!t || at >= pir_tensor_numel(t))
    return pir_kernel_fail(call, PIR_INVALID, "%s: a list is too short", call->op);
  *out = pir_tensor_int_at(t, at);
  return PIR_OK;
}

// Narrows the view along an axis to the elements from, from + step, .. before `to`. Bounds
// below 0 count from the end.
static pir_status slice_axis(const pir_kernel_call *call, pir_tensor *view, int64_t axis,
                             int64_t from, int64_t to, int64_t step) {
  if (axis < 0)
    axis += view->rank;
  if (axis < 0 || axis >= view->rank || step == 0)
    return pir_kernel_fail(call, PIR_INVALID, "%s: axis %lld with step %lld", call->op,
                           (long long)axis, (long long)step);
  int64_t n = view->shape[axis];
  step = pir_clamp_index(step, -n - 1, n + 1);
  from = from < 0 ? from + n : from;
  to = to < 0 && to >= -n ? to + n : to;
  from = step > 0 ? pir_clamp_index(from, 0, n) : pir_clamp_index(from, -1, n - 1);
  to = step > 0 ? pir_clamp_index(to, 0, n) : pir_clamp_index(to, -1, n);
  int64_t distance = step > 0 ? to - from : from - to;
  int64_t stride = step > 0 ? step : -step;
  int64_t extent = (distance + stride - 1) / stride;
  int64_t size = (int64_t)pir_dtype_size(view->dtype);
  view->data = (char *)view->data + from * view->strides[axis] * size;
  view->shape[axis] = extent > 0 ? extent : 0;
  view->strides[axis] *= step;
  return PIR_OK;
}

static bool list_has_axis(pir_int_list list, int64_t x, int rank) {
  for (size_t i = 0; i < list.count; i++)
    if ((list.ints[i] < 0 ? list.ints[i] + rank : list.ints[i]) == x)
      return true;
  return false;
}

// Removes the axes in `gone` from the view, and inserts axes of extent 1 before the axes in
// `added`.
static pir_status reshape_slice_view(const pir_kernel_call *call, pir_tensor *view,
                                     pir_int_list gone, pir_int_list added) {
  pir_tensor old = *view;
  size_t next = 0;
  view->rank = 0;
  for (int d = 0; d <= old.rank; d++) {
    for (; next < added.count && (added.ints[next] <= d || d == old.rank); next++) {
      if (view->rank == PIR_MAX_RANK)
        return pir_kernel_fail(call, PIR_INVALID, "%s: too many dimensions", call->op);
      view->shape[view->rank] = 1;
      view->strides[view->rank++] = 0;
    }
    if (d == old.rank)
      continue;
    if (list_has_axis(gone, d, old.rank)) {
      if (old.shape[d] == 1)
        continue;
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: axis %d goes, and has extent %lld where 1 is expected",
                             call->op, d, (long long)old.shape[d]);
    }
    if (view->rank == PIR_MAX_RANK)
      return pir_kernel_fail(call, PIR_INVALID, "%s: too many dimensions", call->op);
    view->shape[view->rank] = old.shape[d];
    view->strides[view->rank++] = old.strides[d];
  }
  return PIR_OK;
}

// In Paddle the last entry of an axis holds, unless any is empty; its gradient has other rules.
static pir_status refuse_repeated_axis(const pir_kernel_call *call, pir_int_list axes, size_t i,
                                       int rank) {
  int64_t axis = axes.ints[i] < 0 ? axes.ints[i] + rank : axes.ints[i];
  if (!list_has_axis((pir_int_list){axes.ints, i}, axis, rank))
    return PIR_OK;
  return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s: axis %lld is named twice",
                         call->op, (long long)axis);
}

// Writes values into a slice. Operand `first` holds the starts; ends and steps follow it.
// attributes: axes, decrease_axes, none_axes
static pir_status set_slice(const pir_kernel_call *call, int first, const pir_tensor *values) {
  pir_tensor *out = pir_kernel_out(call, 0), place, from;
  pir_int_list axes = pir_kernel_ints(call, 0);
  PIR_TRY(copy_to_result(call, pir_kernel_in(call, 0), out));
  place = *out;
  for (size_t i = 0; i < axes.count; i++) {
    int64_t bounds[3];
    for (int j = 0; j < 3; j++)
      PIR_TRY(read_list_element(call, first + j, (int64_t)i, &bounds[j]));
    PIR_TRY(refuse_repeated_axis(call, axes, i, place.rank));
    PIR_TRY(slice_axis(call, &place, axes.ints[i], bounds[0], bounds[1], bounds[2]));
  }
  if (pir_tensor_numel(out) == 0)
    return PIR_OK;
  PIR_TRY(reshape_slice_view(call, &place, pir_kernel_ints(call, 1), pir_kernel_ints(call, 2)));
  PIR_TRY(broadcast_to_place(call, values, &place, &from));
  return pir_tensor_copy(&from, &place);
}

pir_status pir_kernel_set_value_with_tensor(const pir_kernel_call *call) {
  const pir_tensor *values = pir_kernel_in(call, 1);
  if (!values)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  return set_slice(call, 2, values);
}

// further attributes: shape, values
pir_status pir_kernel_set_value(const pir_kernel_call *call) {
  pir_int_list shape = pir_kernel_ints(call, 3);
  pir_tensor values = {0};
  if (shape.count > PIR_MAX_RANK)
    return pir_kernel_fail(call, PIR_INVALID, "%s: too many dimensions", call->op);
  size_t count = pir_kernel_numbers(call, 4, &values);
  pir_tensor_set_dense(&values, values.dtype, shape.ints, (int)shape.count);
  if (pir_tensor_numel(&values) != (int64_t)count)
    return pir_kernel_fail(call, PIR_INVALID, "%s: %zu values do not fill their shape",
                           call->op, count);
  return set_slice(call, 1, &values);
}

// ---- one tensor along many axes

pir_status pir_kernel_meshgrid(const pir_kernel_call *call) {
  int n = call->in_members[0];
  if (call->out_members[0] != n)
    return pir_kernel_fail(call, PIR_INVALID, "%s: %d inputs, %d results", call->op, n,
                           call->out_members[0]);
  for (int i = 0; i < n; i++) {
    const pir_tensor *x = call->in[call->in_first[0] + i];
    pir_tensor *out = call->out[call->out_first[0] + i];
    pir_tensor view = *x;
    if (x->rank > 1 || out->rank != n || out->shape[i] != pir_tensor_numel(x))
      return pir_kernel_fail(call, PIR_INVALID, "%s: input %d of rank %d", call->op, i,
                             x->rank);
    view.rank = n;
    for (int d = 0; d < n; d++) {
      view.shape[d] = out->shape[d];
      view.strides[d] = d == i && x->rank ? x->strides[0] : 0;
    }
    PIR_TRY(pir_tensor_copy(&view, out));
  }
  return PIR_OK;
}

pir_status pir_kernel_broadcast_tensors(const pir_kernel_call *call) {
  int n = call->in_members[0];
  if (call->out_members[0] != n)
    return pir_kernel_fail(call, PIR_INVALID, "%s: %d inputs, %d results", call->op, n,
                           call->out_members[0]);
  for (int i = 0; i < n; i++) {
    pir_tensor *out = call->out[call->out_first[0] + i];
    pir_tensor view;
    PIR_TRY(broadcast_to_place(call, call->in[call->in_first[0] + i], out, &view));
    PIR_TRY(pir_tensor_copy(&view, out));
  }
  return PIR_OK;
}

// ---- multiplex

// Views row i of a tensor, without its first axis.
static pir_tensor view_row(const pir_tensor *x, int64_t i) {
  pir_tensor row = *x;
  row.data = (char *)x->data + i * x->strides[0] * (int64_t)pir_dtype_size(x->dtype);
  row.rank = x->rank - 1;
  memmove(row.shape, x->shape + 1, (size_t)row.rank * sizeof *row.shape);
  memmove(row.strides, x->strides + 1, (size_t)row.rank * sizeof *row.strides);
  return row;
}

pir_status pir_kernel_multiplex(const pir_kernel_call *call) {
  const pir_tensor *index = pir_kernel_in(call, 1);
  pir_tensor *out = pir_kernel_out(call, 0);
  int64_t rows = out && out->rank ? out->shape[0] : 0;
  if (!index || !out || !out->rank || pir_tensor_numel(index) < rows)
    return pir_kernel_fail(call, PIR_INVALID, "%s: there is not an index a row", call->op);
  for (int64_t i = 0; i < rows; i++) {
    int64_t member = pir_tensor_int_at(index, i);
    if (member < 0 || member >= call->in_members[0])
      return pir_kernel_fail(call, PIR_INVALID, "%s: tensor %lld of %d", call->op,
                             (long long)member, call->in_members[0]);
    const pir_tensor *x = call->in[call->in_first[0] + member];
    if (x->rank != out->rank || x->shape[0] != rows)
      return pir_kernel_fail(call, PIR_INVALID, "%s: the tensors differ in shape", call->op);
    pir_tensor from = view_row(x, i), to = view_row(out, i);
    PIR_TRY(pir_tensor_copy(&from, &to));
  }
  return PIR_OK;
}
