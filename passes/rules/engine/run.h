// Other ways to run the rules of a pass. Private to passes/.
#ifndef PIR_RULES_RUN_H
#define PIR_RULES_RUN_H

#include <pir/rules.h>

typedef struct rules_mode {
  // Whether rules may be tried with that root. NULL: with all.
  bool (*takes)(void *user, const pir_op *root);
  // New ops carry the name of the op they come from, and what only that op read stays, though
  // nobody reads it now.
  bool expands;
  void *user;
} rules_mode;

pir_status rules_run(pir_pass_run *run, const pir_rule_pass *rules, const rules_mode *mode);
// Whether a rule of the file reads the option; *out_number tells whether it is one.
bool rules_read_option(const pir_rule_pass *rules, pir_str key, bool *out_number);
const pir_rule_pass *run_rules(const pir_pass_run *run);  // of the pass that runs

#endif
