// Max unpooling: writes elements back to the places from which a pooling took them. `indices`
// counts within the plane or volume of a channel of the result. One pass over x.
#include <string.h>

#include "kernels.h"

// operands: x, indices. Moves bytes, so any element type works.
pir_status pir_kernel_unpool(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *indices = pir_kernel_in(call, 1);
  pir_tensor *out = pir_kernel_out(call, 0);
  pir_tensor from;
  pir_tensor at = {0};
  pir_tensor to = {0};
  if (!x || !indices || (indices->dtype != PIR_I32 && indices->dtype != PIR_I64))
    return pir_kernel_fail(call, PIR_INVALID, "%s: indices: expects int32 or int64, found %s",
                           call->op, indices ? pir_dtype_name(indices->dtype) : "nothing");
  size_t shape_bytes = (size_t)x->rank * sizeof *x->shape;
  if (indices->rank != x->rank || memcmp(indices->shape, x->shape, shape_bytes) != 0)
    return pir_kernel_fail(call, PIR_INVALID, "%s: indices: expects the shape of x", call->op);
  bool zero = false;
  pir_tensor nothing = {.data = &zero, .dtype = PIR_BOOL};
  PIR_TRY(pir_kernel_dense(call, x, x->dtype, x->shape, x->rank, &from));
  pir_status status = pir_kernel_dense(call, indices, PIR_I64, x->shape, x->rank, &at);
  if (!status)
    status = pir_kernel_dense(call, &nothing, out->dtype, out->shape, out->rank, &to);
  int64_t channels = x->shape[0] * x->shape[1];
  int64_t total = pir_tensor_numel(x);
  int64_t room = pir_tensor_numel(&to);
  int64_t each = channels ? total / channels : 0;
  int64_t space = channels ? room / channels : 0;
  size_t size = pir_dtype_size(x->dtype);
  for (int64_t i = 0; !status && i < total; i++) {
    int64_t place = ((int64_t *)at.data)[i];
    if (place < 0 || place >= space)
      status = pir_kernel_fail(call, PIR_INVALID,
                               "%s: indices: expects numbers below %lld, found %lld", call->op,
                               (long long)space, (long long)place);
    else
      memcpy((char *)to.data + (size_t)(i / each * space + place) * size,
             (char *)from.data + (size_t)i * size, size);
  }
  if (!status)
    status = pir_tensor_copy(&to, out);
  pir_kernel_drop(call, &from);
  pir_kernel_drop(call, &at);
  pir_kernel_drop(call, &to);
  return status;
}
