// What runs once, when weights are loaded, because it depends on constants alone; and constants
// that are packed then.
#ifndef PIR_ONCE_H
#define PIR_ONCE_H

#include <pir/layer/executable.h>
#include <stdbool.h>

// Whether results of `out` bytes, computed of constants of `in` bytes, are kept for as long as
// the model lives: they are small, or no larger than the constants.
static inline bool pir_once_is_worthwhile(int64_t in, int64_t out) {
  return out <= 1 << 20 || out <= in;
}

// A constant operand that is stored in another order: `fn` runs once at load over all `units`,
// with buffers {source, packed}.
typedef struct pir_packing {
  // Number of the operand.
  uint16_t operand;
  // Size of the packed form.
  size_t bytes;
  // The function that packs.
  pir_stage_fn fn;
  // Number of its units.
  int64_t units;
} pir_packing;

// A constant operand that a device's code reads in another form. It is converted and reordered
// once, on its way to the device.
typedef struct pir_device_packing {
  // Number of the operand.
  uint16_t operand;
  // Type of its elements there.
  uint8_t dtype;
  // Its axes from outermost to innermost in memory.
  uint8_t order[PIR_MAX_RANK];
  // Elements along the innermost of them, of which those behind its extent are 0.
  int64_t room;
} pir_device_packing;

#endif
