// The state of a rewriter. Private to passes/.
#ifndef PIR_REWRITER_IMPL_H
#define PIR_REWRITER_IMPL_H

#include <pir/infer.h>
#include <pir/rewrite.h>

enum { PIR_REWRITER_LISTENERS = 8 };

struct pir_rewriter {
  pir_context *ctx;
  pir_program *program;
  pir_facts *facts;   // NULL until someone asks
  pir_status failed;  // facts could not be kept up to date
  bool quiet;         // what is erased now was made for nothing: nobody need look again
  const pir_rewrite_listener *listeners[PIR_REWRITER_LISTENERS];
  size_t listener_count;
  pir_name *stop_gradient, *op_role, *comp_op_name;
  // Told by the greedy driver: a rewrite, by what and of which op (as it was before), and how
  // many there were.
  void (*fired)(void *user, const pir_pattern *pattern, pir_str op, pir_loc loc);
  // Told by rules: why one with that root did not apply. NULL: nobody asks.
  void (*refused)(void *user, const char *rule, const char *origin, const pir_op *op,
                  const char *why);
  void (*counted)(void *user, const pir_pattern *pattern, uint64_t n);
  void *observer;
};

void pir_rewriter_init(pir_rewriter *rewriter, pir_program *program);
// Facts on first use; NULL after a report.
pir_facts *pir_rewriter_facts(pir_rewriter *rewriter);
pir_status pir_rewriter_facts_status(const pir_rewriter *rewriter);
// Erases pure ops that nobody reads, those for whom only such ops did among them.
void pir_rewriter_sweep(pir_rewriter *rewriter, pir_program *program);
void pir_rewriter_drop_facts(pir_rewriter *rewriter);

#endif
