// Sparse tensors as kernels see them: values [count, dense extents..], extents [rank], and
// indices [sparse axes, count] in coordinate form (COO), or row starts and columns in row form
// (CSR).
#ifndef PIR_KERNELS_SPARSE_H
#define PIR_KERNELS_SPARSE_H

#include "kernels.h"

enum { SPARSE_VALUES, SPARSE_EXTENTS, SPARSE_INDICES, SPARSE_COO_PARTS };
enum { SPARSE_ROWS = SPARSE_INDICES, SPARSE_COLUMNS, SPARSE_CSR_PARTS };

// The row-major position of an entry over the sparse axes, and its number in the operand.
typedef struct sparse_entry {
  int64_t key, at;
} sparse_entry;

typedef struct sparse {
  const pir_kernel_call *call;
  pir_tensor values, indices;  // dense; indices as int64 [axes, count]
  int64_t extents[PIR_MAX_RANK];
  int rank, axes;         // numbers of all axes and of sparse axes
  int64_t count, item;    // number of entries, and of elements in each
  sparse_entry *entries;  // entries in the operand's order
  size_t entry_bytes;
} sparse;

// Checks and loads operand k, in coordinate form. The values are converted to `dtype` unless
// that is PIR_UNDEFINED. pir_sparse_close must follow, also on failure.
pir_status pir_sparse_open(const pir_kernel_call *call, int k, pir_dtype dtype, sparse *out);
void pir_sparse_close(sparse *s);
// Sorts entries by key. Entries of equal keys stay in order.
pir_status pir_sparse_sort(const pir_kernel_call *call, sparse_entry *entries, int64_t count);
// The type in which sums of values are computed: f64 or i64. Fails for other kinds of values.
pir_status pir_sparse_sum_type(const pir_kernel_call *call, pir_dtype dtype, pir_dtype *out);
// Writes result r: `count` entries, whose keys are positions over the first `axes` extents, and
// their values [count, item..], converted to `dtype`.
pir_status pir_sparse_write(const pir_kernel_call *call, int r, pir_dtype dtype,
                            const int64_t *extents, int rank, int axes,
                            const sparse_entry *entries, int64_t count,
                            const pir_tensor *values);
// The product of extents, or -1 when it overflows.
int64_t pir_sparse_span(const int64_t *extents, int count);

#endif
