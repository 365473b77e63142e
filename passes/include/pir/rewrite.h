// The rewriter: the only code that changes a program under a pass. It tells listeners, keeps
// derived attributes (stop_gradient, op_role, location) and facts up to date.
#ifndef PIR_REWRITE_H
#define PIR_REWRITE_H

#include <pir/build.h>
#include <pir/program.h>

PIR_BEGIN

typedef struct pir_rewriter pir_rewriter;

typedef struct pir_rewrite_listener {
  void (*inserted)(void *user, pir_op *op);
  void (*changed)(void *user, pir_op *op);  // operands or attributes
  void (*replaced)(void *user, pir_op *op, pir_value *const *by);
  void (*erasing)(void *user, pir_op *op);
  void *user;
} pir_rewrite_listener;

PIR_API pir_context *pir_rewriter_context(const pir_rewriter *rewriter);
PIR_API void pir_rewriter_listen(pir_rewriter *rewriter, const pir_rewrite_listener *listener);
PIR_API void pir_rewriter_unlisten(pir_rewriter *rewriter,
                                   const pir_rewrite_listener *listener);

// Creates an op before `at`; derived attributes follow from its operands and `at`.
PIR_API pir_op *pir_rewriter_create(pir_rewriter *rewriter, pir_op *at,
                                    const pir_op_spec *spec);
// Replaces all uses of the results and erases. The new values keep the replaced ones' stated
// types.
PIR_API void pir_rewriter_replace(pir_rewriter *rewriter, pir_op *op, pir_value *const *by);
PIR_API void pir_rewriter_replace_value(pir_rewriter *rewriter, pir_value *value,
                                        pir_value *by);
// The value with other elements: a cast before `at`. pir_rewriter_behind is the op right behind
// a value's definition.
PIR_API pir_value *pir_rewriter_cast(pir_rewriter *rewriter, pir_op *at, pir_loc loc,
                                     pir_value *value, pir_dtype dtype);
PIR_API pir_op *pir_rewriter_behind(const pir_value *value);
PIR_API void pir_rewriter_erase(pir_rewriter *rewriter, pir_op *op);
PIR_API void pir_rewriter_set_operand(pir_rewriter *rewriter, pir_op *op, size_t i,
                                      pir_value *value);
PIR_API void pir_rewriter_set_attr(pir_rewriter *rewriter, pir_op *op, pir_name *name,
                                   const pir_attr *value);

// A pattern in C: tried on ops of definition `root` (NULL: every op).
typedef struct pir_pattern {
  const char *name;
  uint32_t root;  // op id; 0: every op
  uint32_t benefit;
  // True when it changed something.
  bool (*match_and_rewrite)(pir_op *op, pir_rewriter *rewriter, void *user);
  void *user;
  const char *origin;  // where it is written down ("silu.drr:8"); NULL: in C
} pir_pattern;

typedef struct pir_greedy_options {
  uint64_t max_rewrites;  // 0: a bound that grows with the program
  bool erase_dead;
} pir_greedy_options;

// Applies patterns until nothing changes; worklist order, bounded. Reports an oscillation and
// returns PIR_EXHAUSTED when the bound is hit.
PIR_API pir_status pir_rewrite_greedy(pir_rewriter *rewriter, pir_program *program,
                                      const pir_pattern *patterns, size_t count,
                                      const pir_greedy_options *options, bool *out_changed);

PIR_END
#endif
