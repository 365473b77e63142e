// The verifier: checks ops against the tables of their definitions; it knows no op by name.
#ifndef PIR_VERIFY_H
#define PIR_VERIFY_H

#include <pir/compiler/program.h>

PIR_BEGIN

// How strictly ops are checked. Zero, but for `size`, is the usual check.
typedef struct pir_verify_options {
  // sizeof(pir_verify_options) (pir/base.h).
  size_t size;
  // Unregistered ops, and stated types that contradict declarations, are errors.
  bool strict;
  // Warnings are left out, because they were given when the program was read.
  bool errors_only;
  // A difference that is due to an older Paddle (see pir_program_upgrade) is a warning: the
  // program may be looked at and printed.
  bool old_forms;
  // The outermost block is a piece of others, so its terminators may stand anywhere, and its
  // last op may be cut off inside of a region.
  bool fragment;
  // Warnings about stated element types are left out: the reader computes its own.
  bool untyped;
} pir_verify_options;

// Checks counts, kinds of attributes, lists and absent results, dominance, terminators and
// each op's verify hook for all ops below `root`. Reports every finding; returns PIR_INVALID
// when one of them is an error. `options` may be NULL. Cost: O(ops + operands), without the
// hooks.
PIR_API PIR_NODISCARD pir_status pir_verify(const pir_op *root,
                                            const pir_verify_options *options);
// Checks one op alone against its definition: counts, kinds of attributes, lists and absent
// results, element types and the verify hook. Scope, position and ops in its regions are left
// out, so the op may be detached. Reports and returns as pir_verify does. Cost: O(operands +
// attributes).
PIR_API PIR_NODISCARD pir_status pir_verify_op(const pir_op *op,
                                               const pir_verify_options *options);

PIR_END
#endif
