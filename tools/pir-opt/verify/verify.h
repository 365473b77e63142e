// --verify-numerics: runs the program before and after every pass, on the same random inputs.
#ifndef PIR_OPT_VERIFY_H
#define PIR_OPT_VERIFY_H

#include <pir/compiler/pass.h>

#include "../../cli.h"
#include "numbers.h"

typedef struct verifying {
  cli_run *cli;
  uint64_t seed;
  numbers want;  // numbers of the program before the first pass
  bool started, differs;
  pir_program *before;  // copy of the program before the current pass
} verifying;

pir_pass_instrument verify_instrument(verifying *v);
void verify_free(verifying *v);

#endif
