// What the files of a device's stages share: points of a space, and stages over them.
#ifndef PIR_STAGES_H
#define PIR_STAGES_H

#include "lowering.h"

// Some axes of a space, outermost first.
typedef struct lower_axes {
  int count;
  pir_dim extent[PIR_MAX_RANK];
  loop_expr *index[PIR_MAX_RANK];  // of the current point
} lower_axes;

// Starts a stage whose units are single points, each with a team of so many threads. Returns
// the block of a unit.
loop_block *lower_open_points(lowering *l, lower_axes *p, int threads, lower_stages *stages);
// Starts a stage that shares the points among threads, several adjacent ones a unit. Returns
// the block of a point.
loop_block *lower_open_lanes(lowering *l, lower_axes *p, lower_stages *stages);

#endif
