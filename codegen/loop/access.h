// What the iterations of a loop read and write, and whether they get into each other's way.
#ifndef PIR_ACCESS_H
#define PIR_ACCESS_H

#include "loop.h"

enum { MAX_ACCESSES = 128, MAX_NAMES = 64, MAX_INNER = 16 };

typedef struct loop_access {
  loop_buffer *buffer;  // memory
  loop_expr *index;     // over variables from outside and of loops inside, these counted from 0
  bool writes, masked;
} loop_access;

typedef enum loop_use {
  REGISTER_UNUSED,
  REGISTER_SET,
  REGISTER_ACCUMULATED,
  REGISTER_READ
} loop_use;

typedef struct loop_accesses {
  loop_module *m;
  loop_access items[MAX_ACCESSES];
  size_t count;
  struct {
    const loop_var *var;
    loop_expr *value;
  } names[MAX_NAMES];  // that the body binds, in order
  size_t name_count;
  struct {
    const loop_var *var;
    int64_t trips;     // at most; -1: not known
    bool exact;        // just as many
  } inner[MAX_INNER];  // loops inside
  size_t inner_count;
  struct {
    const loop_buffer *buffer;
    loop_use first;  // how the body begins with it
    uint8_t combine;
    bool mixed;  // accumulated into, and read or set too
  } registers[MAX_INNER];
  size_t register_count;
  const char *why;  // it could not be told
} loop_accesses;

// Of the statements; a loop itself is told by its statement alone.
void loop_access_collect(loop_module *m, const loop_block *block, loop_accesses *out);

// An index as outer + [low, high]: what comes from outside, and what loops inside add. False
// when it is no such form.
bool loop_access_span(const loop_accesses *a, loop_expr *index, loop_expr **out_outer,
                      int64_t *out_low, int64_t *out_high);

// Why iterations of `loop` cannot be run in any order, or NULL. Accumulations can, unless
// `alone` asks that iterations share nothing.
const char *loop_access_carried(const loop_fn *fn, const loop_stmt *loop, bool alone);

// Why iteration i of `second` could need what another iteration of `first` does, or NULL; both
// are over one variable.
const char *loop_access_between(const loop_fn *fn, const loop_stmt *first,
                                const loop_stmt *second);

#endif
