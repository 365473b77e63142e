// Bounds on what a program may ask for while it is read and compiled.
#ifndef PIR_LIMITS_H
#define PIR_LIMITS_H

#include <pir/base.h>

PIR_BEGIN

// Bounds on the input of readers and on memory. Zero means the default in brackets. A reader
// that meets one returns PIR_EXHAUSTED.
typedef struct pir_limits {
  // Operations of one program [16 M].
  uint64_t max_ops;
  // Nesting of regions [256 k]. Types and attributes nest at most 64 deep.
  uint64_t max_depth;
  // Elements of one array attribute [64 M].
  uint64_t max_attr_items;
  // Bytes that the context and all that is made of its programs may take; of weights only what
  // is computed while a model is made [three quarters of the memory of the machine, of the
  // container or of the process, whichever is least]. UINT64_MAX: any. Beyond it memory has run
  // out.
  uint64_t max_bytes;
  // Zero: room for later versions.
  uint64_t reserved[4];
} pir_limits;

PIR_END
#endif
