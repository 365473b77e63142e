// The options that a pass takes: declared ones, and those that its rules read.
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

PIR_END
#endif
