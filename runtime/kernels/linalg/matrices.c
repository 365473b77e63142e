// Stacks of matrices: loading checks, converts and repeats an operand; giving converts a stack
// into a result. Each costs one copy.
#include "matrices.h"

#include <limits.h>
#include <math.h>
#include <string.h>

pir_status pir_matrices_type(const pir_kernel_call *call, const char *const *names,
                             int operands, pir_dtype *out_dtype) {
  pir_dtype first = PIR_UNDEFINED;
  for (int k = 0; k < operands; k++) {
    const pir_tensor *x = pir_kernel_in(call, k);
    if (!x)
      return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects a tensor, found none",
                             call->op, names[k]);
    bool real = x->dtype == PIR_F32 || x->dtype == PIR_F64;
    if (!real && !pir_dtype_is_complex(x->dtype))
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: %s: expects floats or complex numbers, found %s", call->op,
                             names[k], pir_dtype_name(x->dtype));
    if (k && x->dtype != first)
      return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects %s as %s, found %s", call->op,
                             names[k], pir_dtype_name(first), names[0],
                             pir_dtype_name(x->dtype));
    first = x->dtype;
  }
  *out_dtype = first;
  return PIR_OK;
}

pir_status pir_matrices_batch(const pir_kernel_call *call, int k, int rank, int64_t *batch,
                              int *batch_rank) {
  const pir_tensor *x = pir_kernel_in(call, k);
  int own = x->rank - rank, grow = own - *batch_rank;
  if (grow > 0) {
    memmove(batch + grow, batch, (size_t)*batch_rank * sizeof *batch);
    for (int d = 0; d < grow; d++)
      batch[d] = 1;
    *batch_rank = own;
  }
  for (int d = 0; d < own; d++) {
    int64_t *to = &batch[*batch_rank - own + d];
    if (*to == 1)
      *to = x->shape[d];
    else if (x->shape[d] != 1 && x->shape[d] != *to)
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: operand %d: expects %lld matrices along axis %d, found %lld",
                             call->op, k, (long long)*to, d, (long long)x->shape[d]);
  }
  return PIR_OK;
}

// Takes rows, columns and count from the shape of the tensor.
static pir_status measure_matrices(const pir_kernel_call *call, pir_matrices *m) {
  int64_t rows = m->t.shape[m->t.rank - 2];
  int64_t columns = m->t.shape[m->t.rank - 1];
  if (rows > INT_MAX || columns > INT_MAX)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: matrices of %lld x %lld are too large",
                           call->op, (long long)rows, (long long)columns);
  m->rows = (int)rows;
  m->columns = (int)columns;
  m->count = 1;
  for (int d = 0; d < m->t.rank - 2; d++)
    m->count *= m->t.shape[d];
  return PIR_OK;
}

pir_status pir_matrices_load(const pir_kernel_call *call, int k, const char *name,
                             pir_dtype dtype, const int64_t *batch, int batch_rank,
                             pir_matrices *out) {
  const pir_tensor *x = pir_kernel_in(call, k);
  int64_t shape[PIR_MAX_RANK];
  *out = (pir_matrices){0};
  if (!x || x->rank < 2)
    return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects matrices, found rank %d",
                           call->op, name, x ? x->rank : 0);
  int lead = batch ? batch_rank : x->rank - 2;
  if (lead + 2 > PIR_MAX_RANK)
    return pir_kernel_fail(call, PIR_INVALID, "%s: %s: rank over 16", call->op, name);
  memcpy(shape, batch ? batch : x->shape, (size_t)lead * sizeof *shape);
  shape[lead] = x->shape[x->rank - 2];
  shape[lead + 1] = x->shape[x->rank - 1];
  PIR_TRY(pir_kernel_dense(call, x, dtype, shape, lead + 2, &out->t));
  return measure_matrices(call, out);
}

pir_status pir_matrices_square(const pir_kernel_call *call, const pir_matrices *m,
                               const char *name) {
  if (m->rows == m->columns)
    return PIR_OK;
  return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects square matrices, found %d x %d",
                         call->op, name, m->rows, m->columns);
}

pir_status pir_matrices_make(const pir_kernel_call *call, int64_t count, int rows, int columns,
                             pir_dtype dtype, pir_matrices *out) {
  int64_t shape[] = {count, rows, columns};
  size_t bytes;
  *out = (pir_matrices){.count = count, .rows = rows, .columns = columns};
  if (pir_shape_bytes(shape, 3, dtype, &bytes))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  void *data = pir_kernel_alloc(call, bytes);
  if (!data)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  memset(data, 0, bytes);
  pir_tensor_set_dense(&out->t, dtype, shape, 3);
  out->t.data = data;
  return PIR_OK;
}

pir_status pir_matrices_give(const pir_kernel_call *call, const pir_matrices *m, int k) {
  pir_tensor *out = pir_kernel_out(call, k), from;
  if (!out)
    return PIR_OK;
  if (pir_tensor_numel(out) != pir_tensor_numel(&m->t))
    return pir_kernel_fail(
        call, PIR_INVALID, "%s: result %d: expects %lld elements, found %lld", call->op, k,
        (long long)pir_tensor_numel(&m->t), (long long)pir_tensor_numel(out));
  pir_tensor_set_dense(&from, m->t.dtype, out->shape, out->rank);
  from.data = m->t.data;
  return pir_tensor_copy(&from, out);
}

void pir_matrices_drop(const pir_kernel_call *call, pir_matrices *m) {
  pir_kernel_drop(call, &m->t);
}

pir_status pir_matrices_finite(const pir_kernel_call *call, const pir_matrices *m,
                               const char *name) {
  bool single = m->t.dtype == PIR_F32 || m->t.dtype == PIR_C64;
  int64_t n = pir_tensor_numel(&m->t) * (pir_dtype_is_complex(m->t.dtype) ? 2 : 1);
  for (int64_t i = 0; i < n; i++) {
    double x = single ? (double)((float *)m->t.data)[i] : ((double *)m->t.data)[i];
    if (!isfinite(x))
      return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects finite numbers, found %s",
                             call->op, name, isnan(x) ? "NaN" : "an infinity");
  }
  return PIR_OK;
}

void pir_matrix_identity(const pir_matrices *m, int64_t i) {
  bool single = m->t.dtype == PIR_F32 || m->t.dtype == PIR_C64;
  size_t size = pir_dtype_size(m->t.dtype);
  char *a = pir_matrix_at(m, i);
  memset(a, 0, size * (size_t)m->rows * (size_t)m->columns);
  for (int64_t d = 0; d < m->rows && d < m->columns; d++) {
    if (single)
      *(float *)a = 1;
    else
      *(double *)a = 1;
    a += (size_t)(m->columns + 1) * size;
  }
}
