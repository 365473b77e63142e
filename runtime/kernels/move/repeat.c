// Slices along an axis, each repeated as often as a list states, and the row and column numbers
// of a triangle's elements. One pass.
#include <string.h>

#include "kernels.h"

// operands: x, repeats; attributes: axis, output_size (0 and below: not stated)
pir_status pir_kernel_repeat_interleave_with_tensor_index(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *repeats = pir_kernel_in(call, 1);
  pir_tensor *out = pir_kernel_out(call, 0);
  int64_t shape[PIR_MAX_RANK];
  int64_t total = 0;
  int64_t axis = pir_kernel_int(call, 0);
  int64_t said = pir_kernel_int(call, 1);
  if (!x || !repeats || !out)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  if (axis < 0)
    axis += x->rank;
  if (axis < 0 || axis >= x->rank)
    return pir_kernel_fail(call, PIR_INVALID, "%s: axis: expects one of rank %d, found %lld",
                           call->op, x->rank, (long long)pir_kernel_int(call, 0));
  int64_t n = x->shape[axis], given = pir_tensor_numel(repeats);
  if (given != n && given != 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: repeats: expects %lld numbers, found %lld",
                           call->op, (long long)n, (long long)given);
  for (int64_t i = 0; i < n; i++) {
    int64_t times = pir_tensor_int_at(repeats, given == 1 ? 0 : i);
    if (times < 0 || __builtin_add_overflow(total, times, &total))
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: repeats: expects no negative number, found %lld", call->op,
                             (long long)times);
  }
  if (said > 0 && said != total)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: output_size: expects %lld, the sum of repeats, found %lld",
                           call->op, (long long)total, (long long)said);
  memcpy(shape, x->shape, sizeof shape);
  shape[axis] = total;
  PIR_TRY(pir_kernel_shape_result(call, out, x->dtype, shape, x->rank));
  int64_t size = (int64_t)pir_dtype_size(x->dtype), at = 0;
  for (int64_t i = 0; i < n; i++) {
    pir_tensor from = *x, to = *out;
    int64_t times = pir_tensor_int_at(repeats, given == 1 ? 0 : i);
    from.data = (char *)x->data + i * x->strides[axis] * size;
    to.data = (char *)out->data + at * out->strides[axis] * size;
    from.shape[axis] = to.shape[axis] = times;
    from.strides[axis] = 0;
    if (times)
      PIR_TRY(pir_tensor_copy(&from, &to));
    at += times;
  }
  return PIR_OK;
}

// attributes: rows, columns, offset
static pir_status write_triangle_indices(const pir_kernel_call *call, bool upper) {
  int64_t rows = pir_kernel_int(call, 0);
  int64_t columns = pir_kernel_int(call, 1);
  int64_t offset = pir_kernel_int(call, 2);
  int64_t at = 0;
  pir_tensor *out = pir_kernel_out(call, 0);
  pir_tensor zero = {.data = &(int64_t){0}, .dtype = PIR_I64};
  pir_tensor all;
  PIR_TRY(pir_kernel_dense(call, &zero, PIR_I64, out->shape, out->rank, &all));
  int64_t *to = all.data, count = out->shape[1];
  // Rows without elements are at the beginning of the lower triangle, or at the end of either.
  int64_t begin = upper || offset > 0 ? 0 : -offset;
  for (int64_t r = begin; r < rows && at < count; r++) {
    int64_t middle = pir_clamp_index(r + offset + !upper, 0, columns);
    int64_t end = upper ? columns : middle;
    for (int64_t c = upper ? middle : 0; c < end && at < count; c++, at++) {
      to[at] = r;
      to[count + at] = c;
    }
  }
  pir_status status = pir_tensor_copy(&all, out);
  pir_kernel_drop(call, &all);
  return status;
}

pir_status pir_kernel_tril_indices(const pir_kernel_call *call) {
  return write_triangle_indices(call, false);
}

pir_status pir_kernel_triu_indices(const pir_kernel_call *call) {
  return write_triangle_indices(call, true);
}
