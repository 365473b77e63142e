// The state of a rewriter. Private to passes/.
#ifndef PIR_REWRITER_IMPL_H
#define PIR_REWRITER_IMPL_H

#include <pir/compiler/infer.h>
#include <pir/compiler/rewrite.h>

enum { PIR_REWRITER_LISTENERS = 8 };

struct pir_rewriter {
  pir_context *ctx;
  pir_program *program;
  pir_facts *facts;   // NULL until someone asks
  pir_status failed;  // facts could not be kept up to date
  bool quiet;         // ops being erased were created in vain: neighbours need no new visit
  const pir_rewrite_listener *listeners[PIR_REWRITER_LISTENERS];
  size_t listener_count;
  pir_name *stop_gradient, *op_role, *comp_op_name;
  // Called by the greedy driver for each rewrite: the pattern, the root (as it was before), and
  // the number of rewrites.
  void (*fired)(void *user, const pir_pattern *pattern, pir_str op, pir_loc loc);
  // Called by rules with the reason why a rule with this root did not apply. NULL: not wanted.
  void (*refused)(void *user, const char *rule, const char *origin, const pir_op *op,
                  const char *why);
  void (*counted)(void *user, const pir_pattern *pattern, uint64_t n);
  void *observer;
};

void pir_rewriter_init(pir_rewriter *rewriter, pir_program *program);
// Derives facts on first use; NULL after reporting an error.
pir_facts *pir_rewriter_facts(pir_rewriter *rewriter);
pir_status pir_rewriter_facts_status(const pir_rewriter *rewriter);
// Erases pure ops without uses, transitively.
void pir_rewriter_sweep(pir_rewriter *rewriter, pir_program *program);
void pir_rewriter_drop_facts(pir_rewriter *rewriter);

// Creates `op` again in front of itself with the operands and results of `spec`, and with the
// location, the attributes and the number of regions of `op`. The regions are empty. Where the
// number of results differs, stop_gradient is derived as for a new op.
pir_op *pir_rewriter_recreate(pir_rewriter *rewriter, pir_op *op, const pir_op_spec *spec);
// Moves the ops of a block to a new block at the end of `to`, and the arguments for which
// `keep` holds (NULL: all). The other arguments must be unused. The old block stays empty.
pir_block *pir_region_move_block(pir_region *to, pir_block *from, const bool *keep);

#endif
