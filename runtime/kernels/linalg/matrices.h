// Stacks of matrices for kernels of linear algebra: dense, by rows. Direct methods work in
// double or complex double, so that single precision comes out correctly rounded almost always.
// Where the order or the sign of results depends on the way rounding goes (eigenvalues,
// singular vectors), kernels work in the type of the operand.
#ifndef PIR_MATRICES_H
#define PIR_MATRICES_H

#include "kernels.h"
#include "lapack.h"

typedef struct pir_matrices {
  pir_tensor t;  // count x rows x columns
  int64_t count;
  int rows, columns;
} pir_matrices;

// The type of the first `operands` operands. Fails where it is not f32 f64 c64 c128, or where
// two differ.
pir_status pir_matrices_type(const pir_kernel_call *call, const char *const *names,
                             int operands, pir_dtype *out_dtype);
// f64 or c128.
static inline pir_dtype pir_matrices_wide(pir_dtype dtype) {
  return pir_dtype_is_complex(dtype) ? PIR_C128 : PIR_F64;
}
// The extents of a stack without the last `rank` axes, broadcast with those in `batch`; fails
// where they do not fit.
pir_status pir_matrices_batch(const pir_kernel_call *call, int k, int rank, int64_t *batch,
                              int *batch_rank);
// Operand k. Repeated over `batch` when there is one.
pir_status pir_matrices_load(const pir_kernel_call *call, int k, const char *name,
                             pir_dtype dtype, const int64_t *batch, int batch_rank,
                             pir_matrices *out);
pir_status pir_matrices_square(const pir_kernel_call *call, const pir_matrices *m,
                               const char *name);
pir_status pir_matrices_make(const pir_kernel_call *call, int64_t count, int rows, int columns,
                             pir_dtype dtype,
                             pir_matrices *out);  // zeros
// Copies to result k, which may be absent.
pir_status pir_matrices_give(const pir_kernel_call *call, const pir_matrices *m, int k);
void pir_matrices_drop(const pir_kernel_call *call, pir_matrices *m);
// Iterations need finite numbers to end.
pir_status pir_matrices_finite(const pir_kernel_call *call, const pir_matrices *m,
                               const char *name);
void pir_matrix_identity(const pir_matrices *m, int64_t i);

static inline void *pir_matrix_at(const pir_matrices *m, int64_t i) {
  size_t size = pir_dtype_size(m->t.dtype) * (size_t)m->rows * (size_t)m->columns;
  return (char *)m->t.data + (size_t)i * size;
}

#endif
