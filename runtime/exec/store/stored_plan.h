// A plan as bytes.
#ifndef PIR_EXEC_STORED_H
#define PIR_EXEC_STORED_H

#include "plan.h"

#include <archive.h>
#include <pir/layer/saved_code.h>

// Writes or reads a plan; a->failed tells whether it failed. Reading takes
// the code of its groups from `executable` (NULL: it has none) and allocates from the plan,
// which is empty except for its allocator. Plans with custom ops or kernels are not written.
// Data for loading weights (parameters, packings) is omitted.
void pir_plan_store(pir_archive *a, plan *p, const pir_executable *executable);

#endif
