// How much memory a process may hope for.
#ifndef PIR_LAYER_MACHINE_MEMORY_H
#define PIR_LAYER_MACHINE_MEMORY_H

#include <pir/base.h>

PIR_BEGIN

// Returns the default limit of memory: three quarters of the memory that the machine, the
// container (its control group) or the process (its address space) has, whichever is least.
PIR_API uint64_t pir_memory_to_use(void);

PIR_END
#endif
