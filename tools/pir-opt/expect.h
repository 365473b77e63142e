// --verify-diagnostics: expectations written as comments next to the line they refer to.
//
//   // expected-error@+1 {{part of the message}}
//
// The severity is error, warning or note. @+N, @-N, @above or @below give the line; @* accepts
// any line.
#ifndef PIR_OPT_EXPECT_H
#define PIR_OPT_EXPECT_H

#include "../cli.h"

typedef struct expectation {
  pir_severity severity;
  uint32_t line;      // line where the diagnostic must be; 0: any
  uint32_t own_line;  // line of the comment
  pir_str text;
  bool met;
} expectation;

typedef struct expectations {
  const cli_run *cli;
  pir_str file;
  expectation *items;
  size_t count;
  size_t failures;  // unexpected or unmet so far
} expectations;

// Finds the expectations of a text, and redirects the tool's diagnostics from now on. Returns
// an exit code, or 0.
int expect_begin(cli_run *cli, pir_str file, pir_str text, uint32_t first_line,
                 expectations *out_expect);
// Reports unmet expectations and restores the diagnostics. Returns an exit code.
int expect_end(cli_run *cli, expectations *expect);

#endif
