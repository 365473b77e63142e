// Where the buffers of a plan lie in the arena.
#ifndef PIR_EXEC_OFFSETS_H
#define PIR_EXEC_OFFSETS_H

#include "plan.h"

// Computes offsets of the arena buffers for known sizes, each aligned to 64; `sizes` and
// `out_offsets` are indexed by buffer. Device buffers and host buffers get separate arenas.
// `out_alive` is the largest total size live at once, a lower bound for any layout. `scratch`
// is used while planning. Returns false if memory runs out.
bool pir_plan_offsets(const plan *p, bool device, const size_t *sizes, pir_arena *scratch,
                      size_t *out_offsets, size_t *out_total, size_t *out_alive);
// The slow, tighter placement (fit.c); stops when `enough` bytes suffice.
bool pir_plan_fit(const plan *p, bool device, const size_t *sizes, size_t enough,
                  pir_arena *scratch, size_t *out_offsets, size_t *out_total);

#endif
