// The options that a pass takes: declared ones, and those that its rules read. The check of the
// options of a manager that name passes.
#ifndef PIR_LAYER_PASS_OPTIONS_H
#define PIR_LAYER_PASS_OPTIONS_H

#include <pir/compiler/pass.h>

PIR_BEGIN

// An option as people are told of it. Texts live as long as the pass, but `otherwise`.
typedef struct pir_taken_option {
  // The name in pipeline text.
  const char *key;
  // The values that it takes.
  pir_option_kind kind;
  // One line, with the default where the pass states it.
  const char *summary;
  // The default of an option that a rule reads, else empty.
  char otherwise[32];
} pir_taken_option;

// Sets option i of a pass, declared ones first, each key once. False beyond the last.
PIR_API bool pir_pass_taken_option(const pir_pass *pass, size_t i, pir_taken_option *out);

// Reports the first name of `print_before` and `print_after` that no pass has: PIR_INVALID. A
// run does so, too; a tool asks earlier, because a wrong name is no fault of the program.
PIR_API PIR_NODISCARD pir_status pir_pass_manager_check_prints(const pir_pass_manager *manager);

PIR_END
#endif
