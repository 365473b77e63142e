// Helpers that kernels share: operands by position, memory, and dense copies in the type that a
// kernel computes in.
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

const pir_tensor *pir_kernel_in(const pir_kernel_call *call, int k) {
  if (k >= call->operand_count || call->in_members[k] <= 0)
    return NULL;
  return call->in[call->in_first[k]];
}

pir_tensor *pir_kernel_out(const pir_kernel_call *call, int k) {
  if (k >= call->result_count || call->out_members[k] <= 0)
    return NULL;
  return call->out[call->out_first[k]];
}

void *pir_kernel_alloc(const pir_kernel_call *call, size_t size) {
  if (size > SIZE_MAX - 127 || (call->most_bytes && size > call->most_bytes))
    return NULL;
  size = (size + 127) / 64 * 64;
  if (call->allocator && call->allocator->alloc)
    return call->allocator->alloc(call->allocator->user, size, 64);
  return aligned_alloc(64, size);
}

void pir_kernel_free(const pir_kernel_call *call, void *memory, size_t size) {
  size = (size + 127) / 64 * 64;
  if (!memory)
    return;
  if (call->allocator && call->allocator->alloc)
    call->allocator->release(call->allocator->user, memory, size);
  else
    free(memory);
}

void *pir_kernel_alloc_kept(const pir_kernel_call *call, size_t size) {
  if (call->most_bytes && size > call->most_bytes)
    return NULL;
  if (call->allocator && call->allocator->alloc)
    return call->allocator->alloc(call->allocator->user, size, 64);
  return malloc(size);
}

pir_status pir_kernel_shape_result(const pir_kernel_call *call, pir_tensor *out,
                                   pir_dtype dtype, const int64_t *shape, int rank) {
  size_t bytes;
  if (pir_shape_bytes(shape, rank, dtype, &bytes))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  if (bytes == 0)
    bytes = 1;
  if (call->most_bytes && bytes > call->most_bytes)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: a result of %zu bytes, more than allowed",
                           call->op, bytes);
  out->data = pir_kernel_alloc_kept(call, bytes);
  if (!out->data)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  pir_tensor_set_dense(out, dtype, shape, rank);
  return PIR_OK;
}

pir_status pir_kernel_dense(const pir_kernel_call *call, const pir_tensor *from,
                            pir_dtype dtype, const int64_t *shape, int rank, pir_tensor *out) {
  size_t bytes;
  pir_tensor view;
  *out = (pir_tensor){0};
  if (!from)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  if (pir_shape_bytes(shape, rank, dtype, &bytes))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  pir_tensor_set_dense(&view, from->dtype, shape, rank);
  view.data = from->data;
  for (int d = 0; d < rank; d++) {
    int at = d - (rank - from->rank);
    int64_t extent = at < 0 ? 1 : from->shape[at];
    if (extent != 1 && extent != shape[d])
      return pir_kernel_fail(call, PIR_INVALID, "%s: operands do not broadcast", call->op);
    view.strides[d] = extent == 1 ? 0 : from->strides[at];
  }
  pir_tensor_set_dense(out, dtype, shape, rank);
  out->data = pir_kernel_alloc(call, bytes);
  if (!out->data)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  pir_status status = pir_tensor_copy(&view, out);
  if (status)
    pir_kernel_drop(call, out);
  return status ? pir_kernel_fail(call, status, "%s: cannot convert an operand", call->op)
                : PIR_OK;
}

void pir_kernel_drop(const pir_kernel_call *call, pir_tensor *tensor) {
  size_t bytes;
  if (tensor->data && !pir_shape_bytes(tensor->shape, tensor->rank, tensor->dtype, &bytes))
    pir_kernel_free(call, tensor->data, bytes);
  tensor->data = NULL;
}

pir_status pir_kernel_zeros(const pir_kernel_call *call, pir_dtype dtype, const int64_t *shape,
                            int rank, pir_tensor *out) {
  size_t bytes;
  *out = (pir_tensor){0};
  if (pir_shape_bytes(shape, rank, dtype, &bytes))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  pir_tensor_set_dense(out, dtype, shape, rank);
  out->data = pir_kernel_alloc(call, bytes);
  if (!out->data)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  memset(out->data, 0, bytes);
  return PIR_OK;
}

pir_status pir_kernel_need(const pir_kernel_call *call, pir_dtype dtype, const int64_t *shape,
                           int rank, pir_tensor *entry) {
  return entry->data ? PIR_OK : pir_kernel_zeros(call, dtype, shape, rank, entry);
}

// Whether the tensor is dense, of this element type.
static bool is_dense_of(const pir_tensor *t, pir_dtype dtype) {
  return t->dtype == dtype && t->data && pir_tensor_is_dense(t);
}

pir_status pir_kernel_borrow(const pir_kernel_call *call, int k, pir_dtype dtype,
                             pir_tensor *out) {
  const pir_tensor *t = pir_kernel_in(call, k);
  if (!t || !is_dense_of(t, dtype))
    return pir_kernel_dense(call, t, dtype, t ? t->shape : NULL, t ? t->rank : 0, out);
  *out = *t;
  return PIR_OK;
}

pir_status pir_kernel_open_result(const pir_kernel_call *call, pir_tensor *to, pir_dtype dtype,
                                  pir_tensor *out) {
  if (!is_dense_of(to, dtype))
    return pir_kernel_zeros(call, dtype, to->shape, to->rank, out);
  *out = *to;
  memset(to->data, 0, (size_t)pir_tensor_numel(to) * pir_dtype_size(dtype));
  return PIR_OK;
}

pir_status pir_kernel_open(const pir_kernel_call *call, const uint8_t *in, int ins,
                           const uint8_t *out, int outs, pir_tensor *room) {
  memset(room, 0, (size_t)(ins + outs) * sizeof *room);
  for (int i = 0; i < ins; i++) {
    const pir_tensor *t = pir_kernel_in(call, i);
    if (t && in[i] != PIR_UNDEFINED)
      PIR_TRY(pir_kernel_dense(call, t, (pir_dtype)in[i], t->shape, t->rank, &room[i]));
  }
  for (int i = 0; i < outs; i++) {
    const pir_tensor *t = pir_kernel_out(call, i);
    if (t && out[i] != PIR_UNDEFINED)
      PIR_TRY(pir_kernel_open_result(call, pir_kernel_out(call, i), (pir_dtype)out[i],
                                     &room[ins + i]));
  }
  return PIR_OK;
}

pir_status pir_kernel_close_result(const pir_kernel_call *call, pir_status status,
                                   pir_tensor *result, pir_tensor *entry) {
  if (result && result->data == entry->data)
    return status;
  if (!status && result && entry->data)
    status = pir_tensor_copy(entry, result);
  pir_kernel_drop(call, entry);
  return status;
}

pir_status pir_kernel_close(const pir_kernel_call *call, pir_status status, int ins, int outs,
                            pir_tensor *room) {
  for (int i = 0; i < ins; i++) {
    const pir_tensor *operand = pir_kernel_in(call, i);
    if (!operand || operand->data != room[i].data)
      pir_kernel_drop(call, &room[i]);
  }
  for (int i = 0; i < outs; i++)
    status = pir_kernel_close_result(call, status, pir_kernel_out(call, i), &room[ins + i]);
  return status;
}

pir_status pir_kernel_expect_rank(const pir_kernel_call *call, int operand, const char *name,
                                  int rank) {
  const pir_tensor *t = pir_kernel_in(call, operand);
  if (!t)
    return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects a tensor, found none", call->op,
                           name);
  if (t->rank != rank)
    return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects rank %d, found %d", call->op,
                           name, rank, t->rank);
  return PIR_OK;
}

pir_status pir_kernel_expect_shape(const pir_kernel_call *call, int operand, const char *name,
                                   const int64_t *shape, int rank) {
  PIR_TRY(pir_kernel_expect_rank(call, operand, name, rank));
  const int64_t *found = pir_kernel_in(call, operand)->shape;
  for (int i = 0; i < rank; i++)
    if (found[i] != shape[i])
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: %s: expects %lld along axis %d, found %lld", call->op, name,
                             (long long)shape[i], i, (long long)found[i]);
  return PIR_OK;
}

void pir_kernel_each(const pir_kernel_call *call, int64_t n, pir_range_fn fn, void *user) {
  if (call->parallel.threads > 1 && n > 1)
    call->parallel.parallel_for(call->parallel.pool, n, fn, user);
  else if (n > 0)
    fn(user, 0, n, 0);
}
