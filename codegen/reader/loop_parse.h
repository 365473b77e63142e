// Reads the text of loop IR that loop_print.c writes. The reader simplifies nothing and takes
// the types of variables from the text. It checks names, numbers and nesting; the verifier
// checks the rest.
#ifndef PIR_LOOP_PARSE_H
#define PIR_LOOP_PARSE_H

#include "loop.h"

#include <pir/layer/loops.h>
#include <pir/diag.h>

enum {
  LOOP_MOST_FUNCTIONS = 10000,   // of a module
  LOOP_MOST_VARIABLES = 1 << 20  // of a function
};
#define LOOP_MOST_ELEMENTS ((int64_t)1 << 40)  // of a buffer

// Sets *out to a module in the context's heap, whose nodes have places. The first error is
// reported with its place: PIR_INVALID. Call it where memory may run out (pir_context_enter).
pir_status pir_loop_parse(pir_context *ctx, const pir_loops_source *source, loop_module **out);

// Whether the text begins as loop IR does.
bool pir_loop_is_text(pir_str text);

#endif
