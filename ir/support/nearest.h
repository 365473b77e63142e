// Finds the known name that is most similar to an unknown one, for "did you mean".
#ifndef PIR_SUPPORT_NEAREST_H
#define PIR_SUPPORT_NEAREST_H

#include <pir/base.h>

typedef struct pir_nearest {
  pir_str name;      // the unknown one
  const char *best;  // NULL while none is near
  size_t edits;      // distance from `name` to `best`; while there is no `best`, the smallest
                     // distance that is too large
} pir_nearest;

pir_nearest pir_nearest_begin(pir_str name);
void pir_nearest_try(pir_nearest *nearest, const char *known);

#endif
