// A graph that is being drawn.
#ifndef PIR_TEST_GRAPH_GROWTH_H
#define PIR_TEST_GRAPH_GROWTH_H

#include "graph.h"

typedef struct growth {
  graph *g;
  const graph_menu *menu;
  uint64_t random;
  int block;             // where ops go
  uint32_t weights[16];  // of families
  uint32_t favour;       // percent of ops that are common ones
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
// Draws one op; false when none was found.
bool growth_add_op(growth *w);

#endif
