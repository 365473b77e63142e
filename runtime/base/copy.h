// Copies between memory of any strides.
#ifndef PIR_COPY_H
#define PIR_COPY_H

#include <pir/parallel.h>
#include <pir/tensor.h>

// The loops of a copy, outermost first, strides in elements.
typedef struct copy_loops {
  int rank;
  int64_t extent[PIR_MAX_RANK], from[PIR_MAX_RANK], to[PIR_MAX_RANK];
  bool turns;  // the last loop runs along `to`, the one before it along `from`
} copy_loops;

// The best order for `rank` loops of these extents and strides; `same` elements are copied as
// they are.
copy_loops pir_copy_plan(int rank, const int64_t *extent, const int64_t *from,
                         const int64_t *to, bool same);
void pir_copy_run(const copy_loops *loops, pir_dtype to_dtype, char *to, pir_dtype from_dtype,
                  const char *from);

// pir_tensor_copy, spread over threads where it is long enough.
pir_status pir_copy_parallel(const pir_tensor *from, pir_tensor *to,
                             const pir_parallel *parallel);

#endif
