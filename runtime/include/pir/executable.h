// The ABI between generated code and the runtime. Generated functions include nothing and call
// nothing but libm; they get everything through these structs.
#ifndef PIR_EXECUTABLE_H
#define PIR_EXECUTABLE_H

#include <pir/base.h>

PIR_BEGIN

// Arguments of one call of a compiled group. The arrays are in the order of the group's
// interface.
typedef struct pir_group_args {
  void *const *buffers;  // inputs, packed constants, outputs, temporaries
  const int64_t *dims;   // values of the group's run-time extents and strides
} pir_group_args;

// Runs units [begin, end) of a stage. `scratch` is this thread's, of the stage's size, 64-byte
// aligned.
typedef void (*pir_stage_fn)(const pir_group_args *args, int64_t begin, int64_t end,
                             void *scratch);

PIR_END
#endif
