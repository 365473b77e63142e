// Whether two programs are the same up to the names of values, parameters and constants and the
// order of ops that do not depend on each other.
#ifndef PIR_COMPARE_H
#define PIR_COMPARE_H

#include <pir/program.h>

PIR_BEGIN

typedef struct pir_compare_options {
  size_t max_report;  // differing ops written of each program; 0 means 10
} pir_compare_options;

// Both programs belong to one context. What differs is written to `out` (its write function may
// be NULL), a line an op: `- a.pir:3:5: (%0) = ..` for ops of `a` without a partner, `+` for
// those of `b`. Attributes that only tell where an op came from (struct_name, op_callstack,
// sym_shape_str, op_namescope, origin_id) do not count. When either program was read from
// Paddle's text, numbers are compared as that text shows them: by six digits, whatever their
// kind. PIR_IO when the writer stops.
PIR_API PIR_NODISCARD pir_status pir_program_compare(const pir_program *a, const pir_program *b,
                                                     const pir_compare_options *options,
                                                     pir_writer out, bool *out_same);

PIR_END
#endif
