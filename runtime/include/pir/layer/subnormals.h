// Subnormal numbers as zeros. Arithmetic on a subnormal number takes over a hundred cycles on
// many processors; a processor can be told to read and write 0 in its place.
#ifndef PIR_LAYER_SUBNORMALS_H
#define PIR_LAYER_SUBNORMALS_H

#include <pir/engine/parallel.h>

PIR_BEGIN

// Whether the processor can be told.
PIR_API bool pir_subnormals_can_flush(void);
// Tells the processor, for the calling thread. Returns what pir_subnormals_restore needs.
PIR_API uint64_t pir_subnormals_flush(void);
// Undoes it for the calling thread.
PIR_API void pir_subnormals_restore(uint64_t before);

// Returns the way that runs loops by `*inner` and tells the processor for each range. Valid as
// long as `inner`.
PIR_API pir_parallel pir_parallel_flushing(pir_parallel *inner);

PIR_END
#endif
