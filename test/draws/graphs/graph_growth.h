// A graph that is being drawn.
#ifndef PIR_TEST_GRAPH_GROWTH_H
#define PIR_TEST_GRAPH_GROWTH_H

#include "graph.h"

typedef struct growth {
  graph *g;
  const graph_menu *menu;
  uint64_t random;
  int block;             // where ops go
  int depth;             // of regions
  uint32_t control;      // percent of ops that are branches or loops
  uint32_t weights[16];  // of families
  uint32_t favour;       // percent of ops that are common ones
  uint32_t in_place;     // percent of ops that have one that are their twins
  uint32_t moves;        // percent of ops that are drawn for where they stand
  bool constant;         // an op whose results are one number is worth adding
  draw_near near;
  const draw_tensor *near_tensors[5 * GRAPH_VALUES];
  draw draw;
  draw_run run;
} growth;

uint32_t growth_below(growth *w, uint32_t below);
bool growth_chance(growth *w, uint32_t percent);
// Whether the current block may read a value.
bool growth_sees(const growth *w, const graph_value *v);
// A value of this type among those from number `from` on, or GRAPH_NONE.
int growth_find_type(growth *w, const draw_tensor *type, size_t from);
int growth_add_input(growth *w, const draw_tensor *type);
bool growth_is_plain(growth *w, const pir_tensor *t);
// A copy of the numbers of a tensor, or NULL.
void *growth_copy_data(const draw_tensor *t);
// Takes types and numbers of the values from number `first` on out of a run; false when they
// are not worth it.
bool growth_take_results(growth *w, int first, draw_run *run);
// Draws a branch or loop.
bool growth_add_control(growth *w);
// Draws one op; false when none was found.
bool growth_add_op(growth *w);
// Adds an op whose operands are bound as `reads` says, an input for each that is GRAPH_NONE;
// false when kernels refuse it, or its results are not worth it.
bool growth_take_op(growth *w, draw *d, int16_t *reads);
// Draws a common op that reads a value: a reduction, or one that moves its elements.
bool growth_read(growth *w, int value, bool reduce);
// Adds ops in an arrangement that single ops rarely meet in.
bool growth_add_move(growth *w);

#endif
