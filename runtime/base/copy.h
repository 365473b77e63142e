// Strided copies: planning the loops, and running them on one thread or on many.
#ifndef PIR_COPY_H
#define PIR_COPY_H

#include <pir/engine/parallel.h>
#include <pir/engine/tensor.h>

// The loops of a copy, outermost first. Strides count elements.
typedef struct copy_loops {
  int rank;
  int64_t extent[PIR_MAX_RANK], from[PIR_MAX_RANK], to[PIR_MAX_RANK];
  // The copy transposes: the last loop is contiguous in `to`, the one before it in `from`.
  bool transposes;
} copy_loops;

// Orders and merges `rank` loops of these extents and strides. `same` says that both dtypes are
// equal, so that elements are moved as bytes.
copy_loops pir_copy_plan(int rank, const int64_t *extent, const int64_t *from,
                         const int64_t *to, bool same);

// Runs the loops on the calling thread, converting from `from_dtype` to `to_dtype`.
void pir_copy_run(const copy_loops *loops, pir_dtype to_dtype, char *to, pir_dtype from_dtype,
                  const char *from);

// Copies as pir_tensor_copy does, on several threads where the tensor is large enough.
// `parallel` may be NULL.
pir_status pir_copy_parallel(const pir_tensor *from, pir_tensor *to,
                             const pir_parallel *parallel);

#endif
