// What runs once, when weights are loaded, because it depends on constants alone.
#ifndef PIR_ONCE_H
#define PIR_ONCE_H

#include <stdbool.h>
#include <stdint.h>

// Whether results of `out` bytes, computed of constants of `in` bytes, are kept for as long as
// the model lives: they are small, or no larger than the constants.
static inline bool pir_once_is_worthwhile(int64_t in, int64_t out) {
  return out <= 1 << 20 || out <= in;
}

#endif
