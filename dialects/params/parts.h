// Parameters that are parts of the ones that a file holds (whole_shape and part_first of
// builtin.parameter): a rank's program names its parts of one file.
#ifndef PIR_PARAMS_PARTS_H
#define PIR_PARAMS_PARTS_H

#include <pir/compiler/params.h>

// A part: its extents, and its first element along each dimension of the whole.
typedef struct param_part {
  pir_shape whole, local;
  const int64_t *first;
} param_part;

// Whether the op's parameter is a part.
bool params_is_part(const pir_op *op);
// Returns the part that builtin.parameter states. Reports one that is no part at the op.
pir_status params_part(const pir_op *op, param_part *out);
// Takes a part of a record, `whole`, whose bytes it consumes. Elements that lie together are a
// view; others are copied row by row, and the pages of a mapped file that were read are let go,
// so that the whole is never in memory. Returns PIR_EXHAUSTED without memory.
pir_status params_take_part(const param_part *part, bool mapped, pir_param *whole);

#endif
