// The rewriter: the only code that changes a program under a pass. It informs listeners,
// derives attributes of new ops (location, op_role, comp_op_name, stop_gradient) and keeps
// facts up to date. The pass manager makes one for each run of a pass. One thread at a time.
#ifndef PIR_REWRITE_H
#define PIR_REWRITE_H

#include <pir/compiler/build.h>
#include <pir/compiler/program.h>

PIR_BEGIN

typedef struct pir_rewriter pir_rewriter;

// Callbacks for changes; NULL for those that the listener does not need. They must not change
// the program.
typedef struct pir_rewrite_listener {
  // Called after an op was inserted.
  void (*inserted)(void *user, pir_op *op);
  // Called after operands or attributes of an op changed.
  void (*changed)(void *user, pir_op *op);
  // Called before the uses of an op's results move to `by`, an entry for each result.
  void (*replaced)(void *user, pir_op *op, pir_value *const *by);
  // Called before an op is destroyed; for ops in regions, before the ops they read.
  void (*erasing)(void *user, pir_op *op);
  // Handed to all of them.
  void *user;
} pir_rewrite_listener;

// Returns the context of the program, in which types and attributes are made.
PIR_API pir_context *pir_rewriter_context(const pir_rewriter *rewriter);
// Adds a listener, which must live until it is removed. At most eight may listen at a time.
PIR_API void pir_rewriter_listen(pir_rewriter *rewriter, const pir_rewrite_listener *listener);
// Removes a listener; one that was not added does nothing.
PIR_API void pir_rewriter_unlisten(pir_rewriter *rewriter,
                                   const pir_rewrite_listener *listener);

// Creates an op in front of `at` and returns it; the block owns it. The op gets the location,
// op_role and comp_op_name of `at` unless the spec has its own; stop_gradient holds when it
// holds for every operand, and is set only where the surroundings state it.
PIR_API pir_op *pir_rewriter_create(pir_rewriter *rewriter, pir_op *at,
                                    const pir_op_spec *spec);
// Moves all uses of an op's results to `by`, an entry for each result (NULL: it has no use),
// and erases the op. A value in `by` without uses takes the stated type of the result it
// replaces.
PIR_API void pir_rewriter_replace(pir_rewriter *rewriter, pir_op *op, pir_value *const *by);
// Moves all uses of one value to `by`. A `by` without uses takes the stated type of `value`.
PIR_API void pir_rewriter_replace_value(pir_rewriter *rewriter, pir_value *value,
                                        pir_value *by);
// Inserts a cast to an element type in front of `at`, with location `loc`, and returns its
// result.
PIR_API pir_value *pir_rewriter_cast(pir_rewriter *rewriter, pir_op *at, pir_loc loc,
                                     pir_value *value, pir_dtype dtype);
// Returns the op directly behind the definition of a value: for an argument the first op of its
// block. NULL when the definition is the last op.
PIR_API pir_op *pir_rewriter_behind(const pir_value *value);
// Destroys an op whose results have no uses.
PIR_API void pir_rewriter_erase(pir_rewriter *rewriter, pir_op *op);
// Makes operand i of an op read `value`; NULL makes it absent.
PIR_API void pir_rewriter_set_operand(pir_rewriter *rewriter, pir_op *op, size_t i,
                                      pir_value *value);
// Sets an attribute of an op by name; NULL removes it.
PIR_API void pir_rewriter_set_attr(pir_rewriter *rewriter, pir_op *op, pir_name *name,
                                   const pir_attr *value);

// ---- patterns

// A pattern in C.
typedef struct pir_pattern {
  // For traces and statistics.
  const char *name;
  // Number of the operator that it is tried on; 0: every op.
  uint32_t root;
  // Patterns of greater benefit are tried first.
  uint32_t benefit;
  // Looks at `op` and changes the program through the rewriter. Returns true when it changed
  // something.
  bool (*match_and_rewrite)(pir_op *op, pir_rewriter *rewriter, void *user);
  // Handed to `match_and_rewrite`.
  void *user;
  // Where a rule is written ("silu.drr:8"); NULL for a pattern in C.
  const char *origin;
} pir_pattern;

// How patterns are applied. Zero, but for `size`, means defaults.
typedef struct pir_greedy_options {
  // sizeof(pir_greedy_options) (pir/base.h).
  size_t size;
  // The most rewrites; 0: a bound that grows with the program.
  uint64_t max_rewrites;
  // Erase pure ops without uses as they are met.
  bool erase_dead;
} pir_greedy_options;

// Applies patterns until none changes anything, in the order of a worklist that gets all ops
// that a rewrite made, changed or freed. Sets *out_changed (may be NULL). `options` may be
// NULL. Returns PIR_EXHAUSTED, reported with the patterns that undo each other, when the bound
// is reached, and the first failure of keeping facts up to date. Cost: O(ops + rewrites).
PIR_API PIR_NODISCARD pir_status pir_rewrite_greedy(pir_rewriter *rewriter,
                                                    pir_program *program,
                                                    const pir_pattern *patterns, size_t count,
                                                    const pir_greedy_options *options,
                                                    bool *out_changed);

PIR_END
#endif
