// Tensors packed into one buffer, and lookups in tables of 8-bit codes.
#include <math.h>
#include <string.h>

#include "kernels.h"

// Copies the members of operand 0 to the members of result 0, and one after the other into
// result 1, each at the next multiple of the alignment. attributes: dtype, copy_data,
// set_constant, persist_output, constant, use_align, align_size, size_of_dtype
pir_status pir_kernel_coalesce_tensor(const pir_kernel_call *call) {
  pir_tensor *all = pir_kernel_out(call, 1);
  pir_dtype dtype = pir_kernel_dtype(call, 0);
  int64_t at = 0;
  int64_t size =
      pir_kernel_int(call, 7) > 0 ? pir_kernel_int(call, 7) : (int64_t)pir_dtype_size(dtype);
  int64_t align_bytes = pir_kernel_int(call, 6) > 0 ? pir_kernel_int(call, 6) : 256;
  int64_t align = pir_kernel_int(call, 5) ? align_bytes / size : 1;
  double constant = pir_kernel_float(call, 4);
  pir_tensor number = {.data = &constant, .dtype = PIR_F64, .rank = 1};
  bool fills = pir_kernel_int(call, 2) &&
               !pir_kernel_int(call, 1);  // copy_data has precedence over set_constant
  if (align < 1)
    align = 1;
  if (all) {
    number.shape[0] = all->shape[0];
    double zero = 0;
    pir_tensor nothing = number;
    nothing.data = &zero;
    PIR_TRY(pir_tensor_copy(fills ? &number : &nothing, all));
  }
  for (int i = 0; i < call->in_members[0]; i++) {
    const pir_tensor *x = call->in[call->in_first[0] + i];
    const pir_tensor *from = x;
    pir_tensor *out = i < call->out_members[0] ? call->out[call->out_first[0] + i] : NULL;
    pir_tensor part;
    pir_tensor each = *x;
    int64_t n = pir_tensor_numel(x);
    if (fills) {
      each.data = &constant;
      each.dtype = PIR_F64;
      memset(each.strides, 0, sizeof each.strides);
      from = &each;
    }
    if (out)
      PIR_TRY(pir_tensor_copy(from, out));
    if (!all)
      continue;
    if (n < 0 || n > all->shape[0] - at)
      return pir_kernel_fail(call, PIR_INVALID, "%s: fused_output: has room for %lld elements",
                             call->op, (long long)all->shape[0]);
    pir_tensor_set_dense(&part, all->dtype, x->shape, x->rank);
    part.data = (char *)all->data + at * (int64_t)pir_dtype_size(all->dtype);
    PIR_TRY(pir_tensor_copy(from, &part));
    at += (n + align - 1) / align * align;
  }
  return PIR_OK;
}

// A row of w holds its least and its largest number, then 8-bit codes, four in the space of a
// float. operands: w [rows, 2 + n], ids [.., 1]; attribute: padding_idx
pir_status pir_kernel_lookup_table_dequant(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F32, PIR_I64}, out[] = {PIR_F32};
  PIR_TRY(pir_kernel_expect_rank(call, 0, "w", 2));
  const pir_tensor *w = pir_kernel_in(call, 0);
  const pir_tensor *ids = pir_kernel_in(call, 1);
  if (!ids || w->dtype != PIR_F32 || w->shape[1] < 3)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: w: expects float32 rows of at least 3 numbers", call->op);
  int64_t rows = w->shape[0];
  int64_t wide = 4 * (w->shape[1] - 2);
  if (pir_tensor_numel(pir_kernel_out(call, 0)) != pir_tensor_numel(ids) * wide)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: ids: expects rank 2 or more with a last extent of 1", call->op);
  pir_tensor t[3];
  pir_status status = pir_kernel_open(call, in, 2, out, 1, t);
  for (int64_t i = 0, n = pir_tensor_numel(ids); i < n && !status; i++) {
    int64_t id = ((const int64_t *)t[1].data)[i];
    float *to = (float *)t[2].data + i * wide;
    if (id == pir_kernel_int(call, 0) && id != -1)
      continue;
    if (id < 0 || id >= rows) {
      status = pir_kernel_fail(call, PIR_INVALID, "%s: ids: %lld of %lld rows", call->op,
                               (long long)id, (long long)rows);
      break;
    }
    const float *row = (const float *)t[0].data + id * w->shape[1];
    const unsigned char *codes = (const unsigned char *)(row + 2);
    float scale = (row[1] - row[0]) / 256;
    for (int64_t k = 0; k < wide; k++)
      to[k] = scale * (float)codes[k] + row[0];
  }
  return pir_kernel_close(call, status, 2, 1, t);
}
