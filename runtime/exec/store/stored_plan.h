// A plan as bytes.
#ifndef PIR_EXEC_STORED_H
#define PIR_EXEC_STORED_H

#include "plan.h"

#include <archive.h>

// Writes or reads a plan; a->failed tells whether it failed. `compiler` has the code of its
// groups. Reading allocates from the plan, which is empty except for its allocator. Plans with custom ops or kernels are not written. Data for loading weights
// (parameters, packings) is omitted.
void pir_plan_store(pir_archive *a, plan *p, const pir_compiler *compiler);

#endif
