// Code that vectorising a loop and binding it to threads share: the body for several values of
// the loop variable at once, and partial results of accumulations.
#ifndef PIR_VECTORISE_H
#define PIR_VECTORISE_H

#include "loop_impl.h"
#include "machine.h"

#define MAX_PARTS 8  // most copies of the body in the main loop

typedef struct partial {
  loop_buffer *of;  // a register buffer the loop accumulates into
  pir_combine combine;
  loop_buffer *part[MAX_PARTS];  // its vector parts
} partial;

typedef struct vectoriser {
  loop_fn *fn;
  loop_module *m;
  const pir_target *target;
  bool team;  // partial results are combined over the threads of a team
  bool failed;
  // the current loop
  const loop_var *var;
  uint16_t lanes;
  loop_expr *base, *mask;  // first lane; lanes that exist, or NULL for all
  int copy;                // which of the unrolled copies
  loop_expr **values;      // vector forms of variables set in the body, by id
  uint32_t value_count;
  loop_buffer **private_regs;  // vector forms of registers the body sets, by buffer id
  uint16_t private_count;
  partial partials[16];
  int partial_count;
} vectoriser;

// Clears the vector forms of existing variables and registers.
void vectorise_open(vectoriser *z);
// Makes vector registers for the registers that the body sets, which are private to an
// iteration.
void vectorise_find_private(vectoriser *z, const loop_block *block);
void vectorise_find_partials(vectoriser *z, const loop_block *block, int copies);
void vectorise_start_partials(vectoriser *z, loop_block *out, int copies);
void vectorise_join_partials(vectoriser *z, loop_block *out, int copies);
// Appends `in` for the lanes from z->base on.
void vectorise_block_body(vectoriser *z, loop_block *out, const loop_block *in);
// Raises *bytes to the size of the widest element that the block touches.
void vectorise_widest_of(const loop_block *block, size_t *bytes);

#endif
