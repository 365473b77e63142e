// Other ways to run the rules of a pass. Private to passes/.
#ifndef PIR_RULES_RUN_H
#define PIR_RULES_RUN_H

#include <pir/compiler/rules.h>
#include <pir/layer/pass_options.h>

// Runs rules as expansions: new ops carry the name of the original op, and ops that only it
// read stay, even if unused.
typedef struct rules_mode {
  // Whether rules may be tried at this root.
  bool (*takes)(void *user, const pir_op *root);
  void *user;
} rules_mode;

pir_status rules_run(pir_pass_run *run, const pir_rule_pass *rules, const rules_mode *mode);
// Gives key, kind and default of the i-th option that rules of the file read, each key once.
// False beyond the last.
bool rules_read_option(const pir_rule_pass *rules, size_t i, pir_taken_option *out);
const pir_rule_pass *run_rules(const pir_pass_run *run);  // returns the rules of the running
                                                          // pass

#endif
