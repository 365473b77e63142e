// Registration of compiled code with GDB and perf.
#ifndef PIR_RUN_WATCH_CODE_H
#define PIR_RUN_WATCH_CODE_H

#include "run.h"

// Registers the code of models that are made in a context from now on, as the options --gdb and
// --perf-map ask. PIR_IO, reported, when the map cannot be written.
pir_status watch_code(run *r, pir_context *ctx);
// Closes the map; the file stays for perf.
void watch_code_end(void);

#endif
