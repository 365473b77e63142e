// Kernels whose data decide the size of their results: they count first, then allocate and fill
// the result.
#include <string.h>

#include "convert.h"
#include "kernels.h"

// Makes a dense bool copy of a tensor in the shape of `like`, and counts the true elements.
static pir_status copy_truths(const pir_kernel_call *call, const pir_tensor *from,
                              const pir_tensor *like, pir_tensor *out, int64_t *out_count) {
  PIR_TRY(pir_kernel_dense(call, from, PIR_BOOL, like->shape, like->rank, out));
  const uint8_t *flags = out->data;
  int64_t n = pir_tensor_numel(out), count = 0;
  for (int64_t i = 0; i < n; i++)
    count += flags[i];
  *out_count = count;
  return PIR_OK;
}

pir_status pir_kernel_nonzero(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  pir_tensor *out = pir_kernel_out(call, 0), flags;
  int64_t count;
  if (!x || !out)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  PIR_TRY(copy_truths(call, x, x, &flags, &count));
  const int64_t shape[] = {count, x->rank};
  pir_status status = pir_kernel_shape_result(call, out, PIR_I64, shape, 2);
  int64_t index[PIR_MAX_RANK] = {0};
  int64_t *to = out->data;
  int64_t n = pir_tensor_numel(x);
  for (int64_t i = 0; !status && i < n; i++) {
    if (((const uint8_t *)flags.data)[i]) {
      memcpy(to, index, (size_t)x->rank * sizeof *to);
      to += x->rank;
    }
    for (int d = x->rank - 1; d >= 0 && ++index[d] == x->shape[d]; d--)
      index[d] = 0;
  }
  pir_kernel_drop(call, &flags);
  return status;
}

// Copies the `count` elements whose flag is true. It has no branch on the flag: it writes every
// element, and the next one overwrites an element that is not taken.
static void copy_true_elements(const uint8_t *flags, const char *values, size_t size,
                               int64_t count, char *to) {
#define TAKE(bytes)                                                                            \
  case bytes:                                                                                  \
    for (int64_t i = 0, k = 0; k < count; i++) {                                               \
      memcpy(to + k * (bytes), values + i * (bytes), bytes);                                   \
      k += flags[i];                                                                           \
    }                                                                                          \
    break
  switch (size) {
    TAKE(1);
    TAKE(2);
    TAKE(4);
    TAKE(8);
    TAKE(16);
    default: break;
  }
#undef TAKE
}

// x and mask broadcast against each other.
pir_status pir_kernel_masked_select(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *mask = pir_kernel_in(call, 1);
  pir_tensor *out = pir_kernel_out(call, 0);
  pir_tensor flags, values;
  pir_tensor space = {0};
  int64_t count;
  if (!x || !mask || !out)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  space.rank = x->rank > mask->rank ? x->rank : mask->rank;
  for (int d = 0; d < space.rank; d++) {
    int at = d - (space.rank - x->rank);
    int other = d - (space.rank - mask->rank);
    int64_t extent = at < 0 ? 1 : x->shape[at];
    int64_t second = other < 0 ? 1 : mask->shape[other];
    space.shape[d] = extent == 1 ? second : extent;
  }
  PIR_TRY(copy_truths(call, mask, &space, &flags, &count));
  pir_status status = pir_kernel_dense(call, x, x->dtype, space.shape, space.rank, &values);
  if (!status)
    status = pir_kernel_shape_result(call, out, x->dtype, &count, 1);
  if (!status)
    copy_true_elements(flags.data, values.data, pir_dtype_size(x->dtype), count, out->data);
  pir_kernel_drop(call, &values);
  pir_kernel_drop(call, &flags);
  return status;
}

// The reverse: writes the selected elements back to their places, and zeros elsewhere.
pir_status pir_kernel_masked_select_grad(const pir_kernel_call *call) {
  const pir_tensor *mask = pir_kernel_in(call, 1);
  const pir_tensor *selected = pir_kernel_in(call, 2);
  pir_tensor *out = pir_kernel_out(call, 0), flags, values;
  int64_t count, n = out ? pir_tensor_numel(out) : 0;
  if (!mask || !selected || !out)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  PIR_TRY(copy_truths(call, mask, out, &flags, &count));
  int64_t given = pir_tensor_numel(selected);
  pir_status status = PIR_OK;
  if (count == given)
    status =
        pir_kernel_dense(call, selected, out->dtype, selected->shape, selected->rank, &values);
  else
    status = pir_kernel_fail(call, PIR_INVALID, "%s: expected %lld elements, found %lld",
                             call->op, (long long)count, (long long)given);
  size_t size = pir_dtype_size(out->dtype), at = 0;
  if (!status)
    memset(out->data, 0, (size_t)n * size);
  for (int64_t i = 0; !status && i < n; i++)
    if (((const uint8_t *)flags.data)[i]) {
      const char *from = (const char *)values.data + at++ * size;
      memcpy((char *)out->data + (size_t)i * size, from, size);
    }
  if (!status)
    pir_kernel_drop(call, &values);
  pir_kernel_drop(call, &flags);
  return status;
}
