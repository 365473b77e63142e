// Sparse tensors as kernels see them: a list of values [count, dense extents..], extents
// [rank], and for COO indices [sparse axes, count], for CSR row starts and columns.
#ifndef PIR_KERNELS_SPARSE_H
#define PIR_KERNELS_SPARSE_H

#include "kernels.h"

enum { SPARSE_VALUES, SPARSE_EXTENTS, SPARSE_INDICES, SPARSE_COO_PARTS };
enum { SPARSE_ROWS = SPARSE_INDICES, SPARSE_COLUMNS, SPARSE_CSR_PARTS };

// Position of an entry over the sparse axes, row-major, and the entry of the operand it comes
// from.
typedef struct sparse_entry {
  int64_t key, at;
} sparse_entry;

typedef struct sparse {
  const pir_kernel_call *call;
  pir_tensor values, indices;  // dense; indices as int64 [axes, count]
  int64_t extents[PIR_MAX_RANK];
  int rank, axes;         // all axes, and those that are sparse
  int64_t count, item;    // entries, and elements of one
  sparse_entry *entries;  // of each entry, in its order
  size_t entry_bytes;
} sparse;

// Operand k, checked. `dtype` is what the values are converted to; PIR_UNDEFINED leaves them.
pir_status pir_sparse_open(const pir_kernel_call *call, int k, pir_dtype dtype, sparse *out);
void pir_sparse_close(sparse *s);
// Sorts entries by key; those of one key stay in order.
pir_status pir_sparse_sort(const pir_kernel_call *call, sparse_entry *entries, int64_t count);
// The type sums of values are computed in, or a failure for types that have none.
pir_status pir_sparse_sum_type(const pir_kernel_call *call, pir_dtype dtype, pir_dtype *out);
// Writes result r: `count` entries with their keys over the first `axes` extents, and values
// [count, item..] that are converted to the type the result has by its operand.
pir_status pir_sparse_write(const pir_kernel_call *call, int r, pir_dtype dtype,
                            const int64_t *extents, int rank, int axes,
                            const sparse_entry *entries, int64_t count,
                            const pir_tensor *values);
// Elements of the product of extents, or -1 when they overflow.
int64_t pir_sparse_span(const int64_t *extents, int count);

#endif
