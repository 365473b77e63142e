// index_put: replaces slices of a tensor, or adds to them, at the places that index tensors
// name. The index tensors are broadcast together; each names positions along one of the leading
// axes. A single mask names positions along as many axes as its rank. Cost: one pass over the
// values.
#include <string.h>

#include "kernels.h"

typedef struct places {
  // Positions along each leading axis: dense 64-bit integers of one shape.
  pir_tensor lists[PIR_MAX_RANK];
  int axes;  // number of lists
  int rank;  // rank of the shape
  int64_t shape[PIR_MAX_RANK], count;
} places;

// Broadcasts the shape of an index tensor into the shape of the places.
static pir_status broadcast_index_shape(const pir_kernel_call *call, places *p,
                                        const pir_tensor *index) {
  int grow = index->rank - p->rank;
  if (grow > 0) {
    memmove(p->shape + grow, p->shape, (size_t)p->rank * sizeof *p->shape);
    for (int d = 0; d < grow; d++)
      p->shape[d] = 1;
    p->rank = index->rank;
  }
  for (int d = 0; d < index->rank; d++) {
    int64_t *to = &p->shape[p->rank - index->rank + d];
    int64_t extent = index->shape[d];
    if (*to != 1 && extent != 1 && *to != extent)
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: indices: extents %lld and %lld do not broadcast", call->op,
                             (long long)*to, (long long)extent);
    if (*to == 1)
      *to = extent;
  }
  return PIR_OK;
}

static pir_status list_integer_places(const pir_kernel_call *call, places *p) {
  int first = call->in_first[1];
  int members = call->in_members[1];
  for (int i = 0; i < members; i++) {
    const pir_tensor *index = call->in[first + i];
    if (!index || !pir_dtype_is_integer(index->dtype) || index->dtype == PIR_BOOL)
      return pir_kernel_fail(call, PIR_UNSUPPORTED,
                             "unsupported: %s by a mask beside other indices", call->op);
    PIR_TRY(broadcast_index_shape(call, p, index));
  }
  for (; p->axes < members; p->axes++)
    PIR_TRY(pir_kernel_dense(call, call->in[first + p->axes], PIR_I64, p->shape, p->rank,
                             &p->lists[p->axes]));
  return PIR_OK;
}

// Lists the positions at which a mask is true, in order.
static pir_status list_mask_places(const pir_kernel_call *call, places *p,
                                   const pir_tensor *mask) {
  pir_tensor dense;
  PIR_TRY(pir_kernel_dense(call, mask, PIR_I64, mask->shape, mask->rank, &dense));
  const int64_t *holds = dense.data, n = pir_tensor_numel(mask);
  p->rank = 1;
  for (int64_t i = 0; i < n; i++)
    p->shape[0] += holds[i] != 0;
  pir_status status = PIR_OK;
  for (; !status && p->axes < mask->rank; p->axes++) {
    pir_tensor *list = &p->lists[p->axes];
    pir_tensor_set_dense(list, PIR_I64, p->shape, 1);
    list->data = pir_kernel_alloc(call, (size_t)p->shape[0] * sizeof(int64_t));
    if (!list->data)
      status = pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  }
  for (int64_t i = 0, at = 0; !status && i < n; i++) {
    if (!holds[i])
      continue;
    int64_t rest = i;
    for (int d = mask->rank - 1; d >= 0; d--) {
      ((int64_t *)p->lists[d].data)[at] = rest % mask->shape[d];
      rest /= mask->shape[d];
    }
    at++;
  }
  pir_kernel_drop(call, &dense);
  return status;
}

// Views the slice of t that starts at element `offset` and has the axes behind the first
// `axes`.
static pir_tensor view_slice(const pir_tensor *t, int64_t offset, int axes) {
  pir_tensor slice = {.dtype = t->dtype, .rank = t->rank - axes};
  slice.data = (char *)t->data + offset * (int64_t)pir_dtype_size(t->dtype);
  for (int d = 0; d < slice.rank; d++) {
    slice.shape[d] = t->shape[axes + d];
    slice.strides[d] = t->strides[axes + d];
  }
  return slice;
}

// to += from, both of one shape.
static pir_status add_slice(const pir_kernel_call *call, const pir_tensor *from,
                            pir_tensor *to) {
  bool floats = pir_dtype_is_float(to->dtype);
  pir_dtype wide = floats ? PIR_F64 : PIR_I64;
  pir_tensor a = {0}, b = {0};
  pir_status status = pir_kernel_dense(call, from, wide, to->shape, to->rank, &a);
  if (!status)
    status = pir_kernel_dense(call, to, wide, to->shape, to->rank, &b);
  int64_t n = pir_tensor_numel(to);
  for (int64_t i = 0; !status && i < n; i++) {
    if (floats)
      ((double *)b.data)[i] += ((double *)a.data)[i];
    else
      ((uint64_t *)b.data)[i] += ((uint64_t *)a.data)[i];
  }
  if (!status)
    status = pir_tensor_copy(&b, to);
  pir_kernel_drop(call, &a);
  pir_kernel_drop(call, &b);
  return status;
}

// Puts one slice of the values at each place.
static pir_status put_slices(const pir_kernel_call *call, const places *p,
                             const pir_tensor *values) {
  pir_tensor *out = pir_kernel_out(call, 0);
  for (int64_t i = 0; i < p->count; i++) {
    int64_t offset = 0, place = 0, rest = i;
    for (int a = 0; a < p->axes; a++) {
      int64_t at = ((int64_t *)p->lists[a].data)[i];
      int64_t extent = out->shape[a];
      if (at < 0)
        at += extent;
      if (at < 0 || at >= extent)
        return pir_kernel_fail(call, PIR_INVALID,
                               "%s: indices: %lld outside of axis %d with %lld", call->op,
                               (long long)at, a, (long long)extent);
      offset += at * out->strides[a];
    }
    for (int d = p->rank - 1; d >= 0; d--) {
      place += rest % p->shape[d] * values->strides[d];
      rest /= p->shape[d];
    }
    pir_tensor to = view_slice(out, offset, p->axes);
    pir_tensor from = view_slice(values, place, p->rank);
    PIR_TRY(pir_kernel_int(call, 0) ? add_slice(call, &from, &to)
                                    : pir_tensor_copy(&from, &to));
  }
  return PIR_OK;
}

// Checks the operands, lists the places, and puts the values there.
static pir_status put_at_indices(const pir_kernel_call *call, places *p, pir_tensor *values) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *value = pir_kernel_in(call, 2);
  pir_tensor *out = pir_kernel_out(call, 0);
  const pir_tensor *first = call->in_members[1] ? call->in[call->in_first[1]] : NULL;
  if (!x || !value || !first)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  if (pir_dtype_is_complex(x->dtype) && pir_kernel_int(call, 0))
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s that adds complex numbers",
                           call->op);
  bool mask = first->dtype == PIR_BOOL;
  int axes = mask ? first->rank : call->in_members[1];
  if (axes > x->rank)
    return pir_kernel_fail(call, PIR_INVALID, "%s: indices: %d axes of a tensor of rank %d",
                           call->op, axes, x->rank);
  if (mask && call->in_members[1] != 1)
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s with several masks",
                           call->op);
  for (int d = 0; d < axes && mask; d++)
    if (first->shape[d] != x->shape[d])
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: indices: a mask of %lld along axis %d with %lld", call->op,
                             (long long)first->shape[d], d, (long long)x->shape[d]);
  PIR_TRY(mask ? list_mask_places(call, p, first) : list_integer_places(call, p));
  if (p->rank + x->rank - axes > PIR_MAX_RANK)
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s of values with rank over %d",
                           call->op, PIR_MAX_RANK);
  pir_tensor shape = {.rank = p->rank};
  memcpy(shape.shape, p->shape, sizeof shape.shape);
  p->count = pir_tensor_numel(&shape);
  if (p->count < 0)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: indices: too many", call->op);
  shape.rank += x->rank - axes;
  for (int d = axes; d < x->rank; d++)
    shape.shape[p->rank + d - axes] = x->shape[d];
  if (value->rank > shape.rank)
    return pir_kernel_fail(call, PIR_INVALID, "%s: value: expects rank %d, found %d", call->op,
                           shape.rank, value->rank);
  PIR_TRY(pir_kernel_dense(call, value, out->dtype, shape.shape, shape.rank, values));
  if (x->data != out->data)
    PIR_TRY(pir_tensor_copy(x, out));
  return put_slices(call, p, values);
}

// operands: x, indices*, value; attributes: accumulate
pir_status pir_kernel_index_put(const pir_kernel_call *call) {
  places p = {0};
  pir_tensor values = {0};
  pir_status status = put_at_indices(call, &p, &values);
  for (int a = 0; a < p.axes; a++)
    pir_kernel_drop(call, &p.lists[a]);
  pir_kernel_drop(call, &values);
  return status;
}
