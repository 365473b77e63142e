// The ABI between generated code and the runtime. Generated functions include nothing and call
// nothing but libm; they get everything through these structs.
#ifndef PIR_EXECUTABLE_H
#define PIR_EXECUTABLE_H

#include <pir/base.h>

PIR_BEGIN

// Arguments of one run of a compiled group, in the order of the group's interface
// (pir_compiled_group).
typedef struct pir_group_args {
  // Operands (constants in packed form), results, temporaries.
  void *const *buffers;
  // Values of the group's extents and strides that only the run shows.
  const int64_t *dims;
  // Gets the number of a check that failed, from 1 on, and keeps it; several threads may write
  // it. Set it to 0 before. Used by groups with `traps` alone.
  uint32_t *trap;
} pir_group_args;

// Runs units [begin, end) of a stage. `scratch` has the bytes that the stage asks for, aligned
// to 64, and belongs to the calling thread. Several threads may run ranges of one stage at the
// same time.
typedef void (*pir_stage_fn)(const pir_group_args *args, int64_t begin, int64_t end,
                             void *scratch);

PIR_END
#endif
