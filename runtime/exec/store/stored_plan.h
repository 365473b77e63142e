// A plan as bytes.
#ifndef PIR_EXEC_STORED_H
#define PIR_EXEC_STORED_H

#include "plan.h"

#include <archive.h>

// Writes a plan or reads one; a->failed says whether it could. `compiler` has the code of its
// groups. Reading looks ops up in `ctx` and takes memory from the plan, which is empty and has
// its allocator set. Plans with ops or kernels of the user's own are not written, nor what only
// loading weights needs: parameters, packings.
void pir_plan_store(pir_archive *a, plan *p, const pir_compiler *compiler, pir_context *ctx);

#endif
