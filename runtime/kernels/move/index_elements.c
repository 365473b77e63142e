// Elements of a tensor that a list of indices names, as an eager tensor is indexed: element p
// of the result lies where its position, by strides in elements, and the indices, by strides
// in bytes, lead from an offset in bytes. index_dims holds the extents that are indexed, then
// -1, and the shape that the indices have when they are broadcast to the result.
#include <string.h>

#include "kernels.h"

enum { MOST_INDICES = 16 };

// The places of one call. Attributes from number `first` on: input_dims, input_strides,
// index_dims, index_strides, slice_offset.
typedef struct places {
  const pir_kernel_call *call;
  pir_int_list dims, steps, sizes, index_steps;
  int64_t offset, room, count;  // elements of the tensor, and of the result
  size_t size;                  // bytes of an element
  pir_tensor index[MOST_INDICES];
  int indices;
} places;

static void drop_places(places *p) {
  for (int i = 0; i < p->indices; i++)
    pir_kernel_drop(p->call, &p->index[i]);
}

// Adds a dense index, broadcast to the result. Its shape follows the -1 after `count` extents.
static pir_status broadcast_index(places *p, const pir_tensor *index, size_t count) {
  const pir_kernel_call *call = p->call;
  pir_tensor dense = {0};
  if (index->dtype == PIR_BOOL)
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s by a mask", call->op);
  PIR_TRY(pir_kernel_dense(call, index, PIR_I64, index->shape, index->rank, &dense));
  pir_tensor view = {.data = dense.data, .dtype = PIR_I64};
  int64_t elements = 1;
  for (size_t d = count + 1; d < p->sizes.count && p->sizes.ints[d] >= 0; d++)
    if (view.rank < PIR_MAX_RANK)
      view.shape[view.rank++] = p->sizes.ints[d];
  for (int d = view.rank - 1; d >= 0; d--) {
    view.strides[d] = elements;
    if (__builtin_mul_overflow(elements, view.shape[d], &elements))
      elements = -1;
  }
  pir_status status = PIR_OK;
  if (elements != pir_tensor_numel(index))
    status = pir_kernel_fail(call, PIR_INVALID, "%s: index_dims: expects the indices' shape",
                             call->op);
  if (!status)
    status = pir_kernel_dense(call, &view, PIR_I64, p->dims.ints, (int)p->dims.count,
                              &p->index[p->indices]);
  pir_kernel_drop(call, &dense);
  return status;
}

// Reads the places in a tensor like `x`; the list of indices is operand `list`.
static pir_status take_places(const pir_kernel_call *call, int list, int first,
                              const pir_tensor *x, places *p) {
  *p = (places){.call = call,
                .dims = pir_kernel_ints(call, first),
                .steps = pir_kernel_ints(call, first + 1),
                .sizes = pir_kernel_ints(call, first + 2),
                .index_steps = pir_kernel_ints(call, first + 3),
                .offset = pir_kernel_int(call, first + 4),
                .room = pir_tensor_numel(x),
                .count = 1,
                .size = pir_dtype_size(x->dtype)};
  int64_t indices = call->in_members[list];
  bool fits = p->dims.count <= PIR_MAX_RANK && p->steps.count == p->dims.count &&
              indices <= MOST_INDICES && (int64_t)p->sizes.count > indices &&
              p->sizes.ints[indices] == -1 && (int64_t)p->index_steps.count >= indices;
  for (size_t d = 0; fits && d < p->dims.count; d++)
    fits =
        p->dims.ints[d] >= 0 && !__builtin_mul_overflow(p->count, p->dims.ints[d], &p->count);
  if (!fits)
    return pir_kernel_fail(call, PIR_INVALID, "%s: its dims, strides and indices do not fit",
                           call->op);
  pir_status status = PIR_OK;
  for (int64_t i = 0; i < indices && !status; i++) {
    status = broadcast_index(p, call->in[call->in_first[list] + i], (size_t)indices);
    p->indices += !status;
  }
  if (status)
    drop_places(p);
  return status;
}

// Finds the element of the tensor that element `n` of the result is.
static pir_status find_place(const places *p, int64_t n, int64_t *out) {
  int64_t at = p->offset, rest = n;
  bool large = false;
  for (size_t d = p->dims.count; d-- > 0; rest /= p->dims.ints[d]) {
    int64_t step;
    large |= __builtin_mul_overflow(p->steps.ints[d], (int64_t)p->size, &step) ||
             __builtin_mul_overflow(step, rest % p->dims.ints[d], &step) ||
             __builtin_add_overflow(at, step, &at);
  }
  for (int i = 0; i < p->indices; i++) {
    int64_t index = ((const int64_t *)p->index[i].data)[n], step;
    int64_t from_end = index < 0 ? p->sizes.ints[i] : 0;
    large |= __builtin_add_overflow(index, from_end, &index) ||
             __builtin_mul_overflow(index, p->index_steps.ints[i], &step) ||
             __builtin_add_overflow(at, step, &at);
  }
  *out = at / (int64_t)p->size;
  if (large || at < 0 || at % (int64_t)p->size || *out >= p->room)
    return pir_kernel_fail(p->call, PIR_INVALID, "%s: index: an element lies outside of x",
                           p->call->op);
  return PIR_OK;
}

// Copies the elements from `x` to `picked`, or the other way. `step` of `picked`: 0 or 1. Where
// `cleared`, the elements that are read become 0.
static pir_status move_elements(const places *p, char *x, char *picked, int64_t step, bool put,
                                bool cleared) {
  for (int64_t n = 0; n < p->count; n++) {
    int64_t at;
    PIR_TRY(find_place(p, n, &at));
    char *own = picked + n * step * (int64_t)p->size;
    char *other = x + at * (int64_t)p->size;
    memcpy(put ? other : own, put ? own : other, p->size);
    if (cleared)
      memset(other, 0, p->size);
  }
  return PIR_OK;
}

// operands: x, index..; attributes: input_dims, input_strides, index_dims, index_stride,
// slice_offset, accumulate, is_combined
pir_status pir_kernel_index_elementwise_get(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  pir_tensor dense = {0}, picked = {0};
  places p;
  PIR_TRY(take_places(call, 1, 0, x, &p));
  pir_status status = pir_kernel_dense(call, x, x->dtype, x->shape, x->rank, &dense);
  if (!status)
    status = pir_kernel_zeros(call, x->dtype, p.dims.ints, (int)p.dims.count, &picked);
  if (!status)
    status = move_elements(&p, dense.data, picked.data, 1, false, false);
  if (!status)
    status = pir_tensor_copy(&picked, pir_kernel_out(call, 0));
  pir_kernel_drop(call, &dense);
  pir_kernel_drop(call, &picked);
  drop_places(&p);
  return status;
}

// Writes `from` with `values`, whose elements are `step` apart, put at the places.
static pir_status put_elements(const places *p, const pir_tensor *from,
                               const pir_tensor *values, int64_t step) {
  pir_tensor dense = {0};
  pir_status status =
      pir_kernel_dense(p->call, from, from->dtype, from->shape, from->rank, &dense);
  if (!status)
    status = move_elements(p, dense.data, values->data, step, true, false);
  if (!status)
    status = pir_tensor_copy(&dense, pir_kernel_out(p->call, 0));
  pir_kernel_drop(p->call, &dense);
  return status;
}

// Puts one number at the places. Its attribute comes before the others, or it is 0.
static pir_status put_one_number(const pir_kernel_call *call, const pir_tensor *from, int list,
                                 int first) {
  double number = first ? pir_kernel_float(call, 0) : 0;
  const pir_tensor given = {.data = &number, .dtype = PIR_F64};
  pir_tensor value = {0};
  places p;
  PIR_TRY(take_places(call, list, first, from, &p));
  pir_status status = pir_kernel_dense(call, &given, from->dtype, NULL, 0, &value);
  if (!status)
    status = put_elements(&p, from, &value, 0);
  pir_kernel_drop(call, &value);
  drop_places(&p);
  return status;
}

// operands: x, index..; attributes: value, input_dims, input_strides, index_dims,
// index_strides, slice_offset
pir_status pir_kernel_index_elementwise_put(const pir_kernel_call *call) {
  return put_one_number(call, pir_kernel_in(call, 0), 1, 1);
}

// operands: x, index.., out_grad; attributes: input_dims, ..
pir_status pir_kernel_index_elementwise_put_grad(const pir_kernel_call *call) {
  return put_one_number(call, pir_kernel_in(call, 2), 1, 0);
}

// operands: x, index.., value; attributes: input_dims, ..
pir_status pir_kernel_index_elementwise_put_with_tensor(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  pir_tensor values = {0};
  places p;
  PIR_TRY(take_places(call, 1, 0, x, &p));
  pir_status status = pir_kernel_dense(call, pir_kernel_in(call, 2), x->dtype, p.dims.ints,
                                       (int)p.dims.count, &values);
  if (!status)
    status = put_elements(&p, x, &values, 1);
  pir_kernel_drop(call, &values);
  drop_places(&p);
  return status;
}

// ---- gradients

static pir_dtype sum_type(pir_dtype dtype) {
  if (pir_dtype_is_complex(dtype))
    return PIR_C128;
  return pir_dtype_is_float(dtype) ? PIR_F64 : PIR_I64;
}

// Adds an element of a type that sum_type gives.
static void add_picked(const pir_tensor *to, int64_t at, const pir_tensor *from, int64_t n) {
  if (to->dtype == PIR_I64) {
    uint64_t *sum = (uint64_t *)to->data + at;
    *sum += ((const uint64_t *)from->data)[n];
    return;
  }
  int parts = to->dtype == PIR_C128 ? 2 : 1;
  for (int i = 0; i < parts; i++)
    ((double *)to->data)[at * parts + i] += ((const double *)from->data)[n * parts + i];
}

// operands: x, index.., out_grad; attributes: input_dims, ..
pir_status pir_kernel_index_elementwise_get_grad(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  pir_dtype wide = sum_type(x->dtype);
  pir_tensor sums = {0}, grads = {0};
  places p;
  PIR_TRY(take_places(call, 1, 0, x, &p));
  pir_status status = pir_kernel_zeros(call, wide, x->shape, x->rank, &sums);
  if (!status)
    status = pir_kernel_dense(call, pir_kernel_in(call, 2), wide, p.dims.ints,
                              (int)p.dims.count, &grads);
  for (int64_t n = 0; n < p.count && !status; n++) {
    int64_t at = 0;
    status = find_place(&p, n, &at);
    if (!status)
      add_picked(&sums, at, &grads, n);
  }
  if (!status)
    status = pir_tensor_copy(&sums, pir_kernel_out(call, 0));
  pir_kernel_drop(call, &sums);
  pir_kernel_drop(call, &grads);
  drop_places(&p);
  return status;
}

// The element of a tensor that stands for element `n` of a shape that it is broadcast to.
static int64_t broadcast_place(const pir_tensor *t, const pir_int_list *dims, int64_t n) {
  int64_t at = 0, step = 1, rest = n;
  for (int d = t->rank - 1, e = (int)dims->count - 1; d >= 0 && e >= 0; d--, e--) {
    if (t->shape[d] != 1)
      at += rest % dims->ints[e] * step;
    rest /= dims->ints[e];
    step *= t->shape[d];
  }
  return at;
}

// Adds up what the elements of `value` gave to the places.
static pir_status sum_values(const places *p, const pir_tensor *value,
                             const pir_tensor *picked) {
  const pir_kernel_call *call = p->call;
  pir_dtype wide = sum_type(value->dtype);
  pir_tensor sums = {0}, grads = {0};
  pir_status status = pir_kernel_zeros(call, wide, value->shape, value->rank, &sums);
  if (!status)
    status = pir_kernel_dense(call, picked, wide, picked->shape, picked->rank, &grads);
  for (int64_t n = 0; n < p->count && !status; n++)
    add_picked(&sums, broadcast_place(&sums, &p->dims, n), &grads, n);
  if (!status)
    status = pir_tensor_copy(&sums, pir_kernel_out(call, 1));
  pir_kernel_drop(call, &sums);
  pir_kernel_drop(call, &grads);
  return status;
}

// operands: x, index.., value, out_grad; attributes: input_dims, .. Where places repeat, the
// first one takes the gradient, as in Paddle.
pir_status pir_kernel_index_elementwise_put_with_tensor_grad(const pir_kernel_call *call) {
  const pir_tensor *value = pir_kernel_in(call, 2), *grad = pir_kernel_in(call, 3);
  pir_tensor dense = {0}, picked = {0}, fitted = {0};
  places p;
  PIR_TRY(take_places(call, 1, 0, grad, &p));
  // Refuses a value that is not broadcast to the places.
  pir_status status =
      pir_kernel_dense(call, value, grad->dtype, p.dims.ints, (int)p.dims.count, &fitted);
  if (!status)
    status = pir_kernel_dense(call, grad, grad->dtype, grad->shape, grad->rank, &dense);
  if (!status)
    status = pir_kernel_zeros(call, grad->dtype, p.dims.ints, (int)p.dims.count, &picked);
  if (!status)
    status = move_elements(&p, dense.data, picked.data, 1, false, true);
  if (!status && pir_kernel_out(call, 0))
    status = pir_tensor_copy(&dense, pir_kernel_out(call, 0));
  if (!status && pir_kernel_out(call, 1))
    status = sum_values(&p, value, &picked);
  pir_kernel_drop(call, &fitted);
  pir_kernel_drop(call, &dense);
  pir_kernel_drop(call, &picked);
  drop_places(&p);
  return status;
}
