// The program in float64 of one in narrower floats.
#ifndef PIR_OPT_WIDEN_H
#define PIR_OPT_WIDEN_H

#include <pir/compiler/program.h>

// Returns f64 for f16, bf16 and f32, c128 for c64; another type as it is.
pir_dtype widened_dtype(pir_dtype dtype);
// Makes every float of a program f64: types, element types in attributes; parameters of floats
// become inputs of their names, and extents that are not stated are: 2 along the first axis of
// an input, 8 along others. Gradients flow through every float that is no constant. An op that
// takes no f64 is reported. O(ops).
PIR_NODISCARD pir_status widen_program(pir_program *program);

#endif
