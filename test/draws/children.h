// Draws in child processes: one that crashes or hangs costs only itself, and the next child
// goes on behind it.
#ifndef PIR_TEST_DRAWS_CHILDREN_H
#define PIR_TEST_DRAWS_CHILDREN_H

#include "noise.h"

typedef struct draw_batch {
  long count;        // draws 0 to count are made
  long per_context;  // so many of them share a context
  long *at;          // in memory that the children share: `one` writes the draw that it makes
  pir_context *(*context_create)(void);
  draw_noise *noise;
  void (*one)(void *user, pir_context *ctx, long i);
  void (*crashed)(void *user, long i, int status);  // of waitpid
  void *user;
} draw_batch;

// Returns how many draws ended their process.
long draw_in_children(const draw_batch *b);

#endif
