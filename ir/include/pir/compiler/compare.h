// Whether two programs are the same up to the names of values, parameters and constants and the
// order of ops that do not depend on each other.
#ifndef PIR_COMPARE_H
#define PIR_COMPARE_H

#include <pir/compiler/program.h>

PIR_BEGIN

// How programs are compared. Zero, but for `size`, means defaults.
typedef struct pir_compare_options {
  // sizeof(pir_compare_options) (pir/base.h).
  size_t size;
  // Differing ops that are written of each program; 0 means 10.
  size_t max_report;
} pir_compare_options;

// Compares two programs of one context and sets *out_same. The differences are written to `out`
// (whose write function may be NULL), a line for each op: `- a.pir:3:5: (%0) = ..` for an op of
// `a` without a partner, `+` for an op of `b`. `options` may be NULL.
//
// Attributes that only say where an op came from (struct_name, op_callstack, sym_shape_str,
// op_namescope, origin_id) do not count. When either program was read from Paddle's text,
// numbers are compared as that text shows them: by six digits, whatever their kind. Different
// programs are taken for equal with the probability of a collision of 64-bit hashes.
//
// Returns PIR_IO when the writer stops. Cost: O(ops log ops).
PIR_API PIR_NODISCARD pir_status pir_program_compare(const pir_program *a, const pir_program *b,
                                                     const pir_compare_options *options,
                                                     pir_writer out, bool *out_same);

PIR_END
#endif
