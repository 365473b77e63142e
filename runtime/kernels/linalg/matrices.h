// Stacks of dense row-major matrices for the kernels of linear algebra. Direct methods compute
// in double or complex double, so single-precision results are almost always correctly rounded.
// Where rounding decides the order or the sign of results (eigenvalues, singular vectors),
// kernels compute in the type of the operand.
#ifndef PIR_MATRICES_H
#define PIR_MATRICES_H

#include "kernels.h"
#include "lapack.h"

typedef struct pir_matrices {
  pir_tensor t;  // count x rows x columns
  int64_t count;
  int rows, columns;
} pir_matrices;

// Finds the dtype of the first `operands` operands. Fails when one is not f32, f64, c64 or
// c128, or when two differ.
pir_status pir_matrices_type(const pir_kernel_call *call, const char *const *names,
                             int operands, pir_dtype *out_dtype);
// The type of direct methods: f64 or c128.
static inline pir_dtype pir_matrices_wide(pir_dtype dtype) {
  return pir_dtype_is_complex(dtype) ? PIR_C128 : PIR_F64;
}
// Broadcasts the extents of operand k, without its last `rank` axes, into `batch`. Fails when
// they do not broadcast.
pir_status pir_matrices_batch(const pir_kernel_call *call, int k, int rank, int64_t *batch,
                              int *batch_rank);
// Loads operand k as a stack of `dtype`, repeated over `batch` unless that is NULL. Free it
// with pir_matrices_drop.
pir_status pir_matrices_load(const pir_kernel_call *call, int k, const char *name,
                             pir_dtype dtype, const int64_t *batch, int batch_rank,
                             pir_matrices *out);
// Fails with a message unless the matrices are square.
pir_status pir_matrices_square(const pir_kernel_call *call, const pir_matrices *m,
                               const char *name);
// Makes a stack of zeros. Free it with pir_matrices_drop.
pir_status pir_matrices_make(const pir_kernel_call *call, int64_t count, int rows, int columns,
                             pir_dtype dtype, pir_matrices *out);
// Copies the stack to result k, which may be absent.
pir_status pir_matrices_give(const pir_kernel_call *call, const pir_matrices *m, int k);
void pir_matrices_drop(const pir_kernel_call *call, pir_matrices *m);
// Fails with a message unless all numbers are finite. Iterative methods need that to end.
pir_status pir_matrices_finite(const pir_kernel_call *call, const pir_matrices *m,
                               const char *name);
// Makes matrix i an identity.
void pir_matrix_identity(const pir_matrices *m, int64_t i);

static inline void *pir_matrix_at(const pir_matrices *m, int64_t i) {
  size_t size = pir_dtype_size(m->t.dtype) * (size_t)m->rows * (size_t)m->columns;
  return (char *)m->t.data + (size_t)i * size;
}

#endif
