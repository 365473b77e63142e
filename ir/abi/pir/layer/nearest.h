// Finds the known name that is most similar to an unknown one, for "did you mean".
#ifndef PIR_LAYER_NEAREST_H
#define PIR_LAYER_NEAREST_H

#include <pir/base.h>

typedef struct pir_nearest {
  // The unknown name.
  pir_str name;
  // NULL while none is near.
  const char *best;
  // Distance from `name` to `best`; while there is no `best`, the smallest distance that is too
  // large.
  size_t edits;
} pir_nearest;

// Begins to look for a name like this one, whose text lives as long as the result.
PIR_API pir_nearest pir_nearest_begin(pir_str name);
// Compares one known name, whose text lives as long as the result.
PIR_API void pir_nearest_try(pir_nearest *nearest, const char *known);

// Text for the end of a message: "; did you mean 'x'?", or empty.
typedef struct pir_hint {
  // NUL-terminated.
  char text[96];
} pir_hint;

// Returns the hint for the name that was found.
PIR_API pir_hint pir_nearest_hint(const pir_nearest *nearest);

// Returns the hint for a path that names no file: a file of the same folder.
PIR_API pir_hint pir_hint_file(const char *path);

struct pir_context;
// Returns the hint for the name of an op that no dialect of the context declares.
PIR_API pir_hint pir_hint_op(const struct pir_context *ctx, pir_str name);

#endif
