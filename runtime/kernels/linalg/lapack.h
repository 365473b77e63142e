// The routines of LAPACK and BLAS that kernels use, on row-major matrices of f32, f64, c64 or
// c128. The library is opened when a kernel first needs it, so nothing else depends on it.
#ifndef PIR_LAPACK_H
#define PIR_LAPACK_H

#include <pir/layer/kernel.h>

// Name here, name of the LAPACKE routine without its type letter for real and for complex
// numbers (NULL: it does not exist), parameters after the layout. Routines that end in _work do
// not search for NaN, and allocate memory only for a column-major copy. Routines with a double
// among their parameters exist for f64 and c128 alone.
// clang-format off
#define PIR_LAPACK_ROUTINES(X)                                                                 \
  X(singular, "gesdd", "gesdd",                                                                \
    char job, int m, int n, void *a, int lda, void *s, void *u, int ldu, void *vt, int ldvt)   \
  X(hermitian, "syevd", "heevd",                                                               \
    char job, char uplo, int n, void *a, int lda, void *w)                                     \
  X(real_eigen, "geev", NULL,                                                                  \
    char left, char right, int n, void *a, int lda, void *wr, void *wi, void *vl, int ldvl,    \
    void *vr, int ldvr)                                                                        \
  X(complex_eigen, NULL, "geev",                                                               \
    char left, char right, int n, void *a, int lda, void *w, void *vl, int ldvl, void *vr,     \
    int ldvr)                                                                                  \
  X(triangle_and_rotations, "geqrf", "geqrf",                                                  \
    int m, int n, void *a, int lda, void *tau)                                                 \
  X(rotations, "orgqr", "ungqr",                                                               \
    int m, int n, int k, void *a, int lda, const void *tau)                                    \
  X(lu, "getrf_work", "getrf_work",                                                            \
    int m, int n, void *a, int lda, int *pivots)                                               \
  X(lu_solve, "getrs_work", "getrs_work",                                                      \
    char trans, int n, int columns, const void *a, int lda, const int *pivots, void *b,        \
    int ldb)                                                                                   \
  X(cholesky, "potrf_work", "potrf_work",                                                      \
    char uplo, int n, void *a, int lda)                                                        \
  X(cholesky_solve, "potrs_work", "potrs_work",                                                \
    char uplo, int n, int columns, const void *a, int lda, void *b, int ldb)                   \
  X(least_full, "gels", "gels",                                                                \
    char trans, int m, int n, int columns, void *a, int lda, void *b, int ldb)                 \
  X(least_pivoted, "gelsy", "gelsy",                                                           \
    int m, int n, int columns, void *a, int lda, void *b, int ldb, int *pivots,                \
    double rcond, int *rank)                                                                   \
  X(least_divided, "gelsd", "gelsd",                                                           \
    int m, int n, int columns, void *a, int lda, void *b, int ldb, double *s, double rcond,    \
    int *rank)                                                                                 \
  X(least_singular, "gelss", "gelss",                                                          \
    int m, int n, int columns, void *a, int lda, void *b, int ldb, double *s, double rcond,    \
    int *rank)
// clang-format on

enum { PIR_BY_ROWS = 101, PIR_BY_COLUMNS = 102 };  // the layouts of LAPACKE and CBLAS

typedef struct pir_lapack {
  void *library;
  pir_dtype dtype;
#define PIR_LAPACK_POINTER(name, real_name, complex_name, ...)                                 \
  int (*name)(int layout, __VA_ARGS__);
  PIR_LAPACK_ROUTINES(PIR_LAPACK_POINTER)
#undef PIR_LAPACK_POINTER
  void (*real_triangle)(int order, int side, int uplo, int trans, int diag, int m, int n,
                        double alpha, const void *a, int lda, void *b, int ldb);
  void (*complex_triangle)(int order, int side, int uplo, int trans, int diag, int m, int n,
                           const void *alpha, const void *a, int lda, void *b, int ldb);
} pir_lapack;

// Opens the library, or finds it open, in some microseconds. Fails with PIR_UNAVAILABLE and a
// message when it is not installed.
pir_status pir_lapack_open(const pir_kernel_call *call, pir_dtype dtype, pir_lapack *out);
// Closes the library, which stays in memory.
void pir_lapack_close(pir_lapack *lapack);
// Turns a routine's `info` into a status with a message. `positive` is the message for info >
// 0.
pir_status pir_lapack_status(const pir_kernel_call *call, int info, const char *positive);
// Solves a x = b in place: a is a triangular m x m matrix, b is m x n and becomes x. For f64
// and c128.
void pir_lapack_triangle(const pir_lapack *lapack, bool upper, bool transpose, bool unit, int m,
                         int n, const void *a, void *b);

#endif
