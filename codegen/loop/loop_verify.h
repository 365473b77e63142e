// The verifier of loop IR: checks that every field of every node has a meaning that loop.h
// defines. Generators emit correct loops or none, so a fault is a defect of a generator or a
// rewrite, or of a text that was read.
#ifndef PIR_LOOP_VERIFY_H
#define PIR_LOOP_VERIFY_H

#include "loop.h"

#include <pir/diag.h>

enum {
  LOOP_MOST_FAULTS = 20,   // reported of one function; the next ones are not looked at then
  LOOP_MOST_LANES = 256,   // of a vector
  LOOP_MOST_NESTED = 256,  // expressions in each other, and statements
  LOOP_MOST_REGISTERS = 1 << 16,
  LOOP_MOST_GROUPS = 63  // of copies that a thread does not wait for
};

// Receives faults: where the node stands in the text that the module was read from, and a
// sentence that names the node.
typedef struct loop_faults {
  // May be NULL.
  void (*report)(void *user, pir_loc place, const char *message);
  void *user;
} loop_faults;

// Returns the number of faults, 0 when there is none. Cost: linear in the expressions of each
// statement.
size_t pir_loop_verify(const loop_module *m, loop_faults faults);
size_t pir_loop_verify_fn(const loop_fn *fn, loop_faults faults);

// After a rewrite of the function, in a module that asks for it: keeps the first fault in
// m->fault.
void pir_loop_verify_after(loop_fn *fn, const char *rewrite);
void pir_loop_keep_fault(loop_module *m, const char *rewrite, const char *message);

#endif
