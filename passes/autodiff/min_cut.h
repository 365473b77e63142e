// Minimum cuts of directed graphs, by Dinic's algorithm (E. A. Dinic, Algorithm for solution of
// a problem of maximum flow in networks with power estimation, 1970). Private to passes/.
#ifndef PIR_AUTODIFF_MIN_CUT_H
#define PIR_AUTODIFF_MIN_CUT_H

#include <vec.h>

// A capacity that no cut pays.
#define CUT_NEVER (INT64_MAX / 4)

// An edge and its inverse are neighbours: numbers 2 i and 2 i + 1.
typedef struct cut_edge {
  uint32_t to, next;  // `next`: the next edge of the same node, CUT_NONE at the end
  int64_t left;       // capacity that no flow takes
} cut_edge;

typedef struct cut_graph {
  pir_arena *arena;
  uint32_t nodes;
  PIR_VEC(cut_edge) edges;
  uint32_t *first, *at, *level, *queue, *path;  // an entry for each node
} cut_graph;

#define CUT_NONE UINT32_MAX

// Makes a graph without edges: node 0 is the source, node 1 the sink.
void cut_begin(cut_graph *g, pir_arena *arena, uint32_t nodes);
void cut_free(cut_graph *g);
// Adds an edge; a capacity below 0 counts as 0.
void cut_add(cut_graph *g, uint32_t from, uint32_t to, int64_t capacity);
// Finds a cut of the least capacity, and of these the one with the fewest nodes on the source's
// side. cut_has_source tells of each node whether it is there.
void cut_solve(cut_graph *g);
bool cut_has_source(const cut_graph *g, uint32_t node);

#endif
