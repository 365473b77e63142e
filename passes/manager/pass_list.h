// The functions of the built-in passes, as passes.def lists them. Private to passes/.
#ifndef PIR_PASS_LIST_H
#define PIR_PASS_LIST_H

#include <pir/compiler/rules.h>

// The number of threads that may compute constants.
int pir_run_threads(const pir_pass_run *run);

// Returns an option of the run; NULL: it was not given.
const pir_pass_option *pass_option(const pir_pass_run *run, const char *key);

// Takes the next name off the list of an option, with `|` between; false: there is none.
bool pass_next_name(pir_str *list, pir_str *out_name);

#define PASS(name, short_name, fn, level, summary, ...) pir_status fn(pir_pass_run *run);
#define RULES(name) extern const pir_pass pir_pass_of_##name;
#define RULES_BY(name, short_name, fn, level, summary, ...)                                    \
  pir_status fn(pir_pass_run *run);                                                            \
  extern const pir_rule_pass pir_rules_of_##name;
#include <passes.def>

#endif
