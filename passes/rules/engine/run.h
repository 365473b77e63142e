// Other ways to run the rules of a pass. Private to passes/.
#ifndef PIR_RULES_RUN_H
#define PIR_RULES_RUN_H

#include <pir/compiler/rules.h>

// Runs rules as expansions: new ops carry the name of the original op, and ops that only it
// read stay, even if unused.
typedef struct rules_mode {
  // Whether rules may be tried at this root.
  bool (*takes)(void *user, const pir_op *root);
  void *user;
} rules_mode;

pir_status rules_run(pir_pass_run *run, const pir_rule_pass *rules, const rules_mode *mode);
// Whether a rule of the file reads the option; *out_number tells whether its value is a number.
bool rules_read_option(const pir_rule_pass *rules, pir_str key, bool *out_number);
const pir_rule_pass *run_rules(const pir_pass_run *run);  // returns the rules of the running
                                                          // pass

#endif
