// Verifier: walks the op tables. Knows no op.
#ifndef PIR_VERIFY_H
#define PIR_VERIFY_H

#include <pir/program.h>

PIR_BEGIN

typedef struct pir_verify_options {
  bool strict;       // unregistered ops and conflicts of stated element types are errors
  bool errors_only;  // no warnings: they were given when the program was read
  bool old_forms;  // what an op may lack because it is of an older Paddle is a warning: enough
                   // to look at or print
  bool
      fragment;  // the outermost block is a piece of others: its terminators may stand anywhere
  bool untyped;  // no warnings of stated element types: what computes takes its own
} pir_verify_options;

// Checks counts, kinds, dominance, terminators and each op's verify hook below `root`. Reports
// every finding. O(ops + operands) but for hooks.
PIR_API pir_status pir_verify(const pir_op *root, const pir_verify_options *options);

PIR_END
#endif
