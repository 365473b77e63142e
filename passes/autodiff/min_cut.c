// Dinic's algorithm: flows along shortest paths only, all of one length before the next. Walks
// keep their path in an array, so that the depth of a graph costs no stack.
#include "min_cut.h"

#include <string.h>

enum { SOURCE = 0, SINK = 1 };

void cut_begin(cut_graph *g, pir_arena *arena, uint32_t nodes) {
  *g = (cut_graph){.arena = arena, .nodes = nodes};
  uint32_t **each[] = {&g->first, &g->at, &g->level, &g->queue, &g->path};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++)
    *each[i] = pir_arena_alloc(arena, pir_arena_size(arena, nodes, sizeof **each[i]));
  memset(g->first, 0xff, nodes * sizeof *g->first);
}

void cut_free(cut_graph *g) {
  uint32_t *each[] = {g->first, g->at, g->level, g->queue, g->path};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++)
    pir_arena_free(g->arena, each[i], g->nodes * sizeof *each[i]);
  pir_vec_free(g->arena, &g->edges);
}

static void add_half(cut_graph *g, uint32_t from, uint32_t to, int64_t capacity) {
  pir_vec_push(g->arena, &g->edges, ((cut_edge){to, g->first[from], capacity}));
  g->first[from] = (uint32_t)g->edges.count - 1;
}

void cut_add(cut_graph *g, uint32_t from, uint32_t to, int64_t capacity) {
  add_half(g, from, to, capacity > 0 ? capacity : 0);
  add_half(g, to, from, 0);
}

// Numbers the nodes by their distance from the source; false if no path leads to the sink.
static bool find_levels(cut_graph *g) {
  uint32_t done = 0, count = 0;
  memset(g->level, 0xff, g->nodes * sizeof *g->level);
  g->level[SOURCE] = 0;
  g->queue[count++] = SOURCE;
  while (done < count) {
    uint32_t node = g->queue[done++];
    for (uint32_t e = g->first[node]; e != CUT_NONE; e = g->edges.items[e].next) {
      const cut_edge *edge = &g->edges.items[e];
      if (edge->left <= 0 || g->level[edge->to] != CUT_NONE)
        continue;
      g->level[edge->to] = g->level[node] + 1;
      g->queue[count++] = edge->to;
    }
  }
  return g->level[SINK] != CUT_NONE;
}

// Sends as much as the path of `length` edges takes, and returns how many of its edges lead to
// the first that is full.
static uint32_t send(cut_graph *g, uint32_t length) {
  int64_t least = INT64_MAX;
  for (uint32_t i = 0; i < length; i++)
    if (g->edges.items[g->path[i]].left < least)
      least = g->edges.items[g->path[i]].left;
  uint32_t full = length;
  for (uint32_t i = length; i-- > 0;) {
    cut_edge *edge = &g->edges.items[g->path[i]], *back = &g->edges.items[g->path[i] ^ 1];
    edge->left -= least;
    back->left += least;
    if (!edge->left)
      full = i;
  }
  return full;
}

// Saturates all shortest paths.
static void send_all(cut_graph *g) {
  uint32_t node = SOURCE, length = 0;
  memcpy(g->at, g->first, g->nodes * sizeof *g->at);
  for (;;) {
    if (node == SINK) {
      length = send(g, length);
      node = g->edges.items[g->path[length] ^ 1].to;
      continue;
    }
    uint32_t e = g->at[node];
    while (e != CUT_NONE && (g->edges.items[e].left <= 0 ||
                             g->level[g->edges.items[e].to] != g->level[node] + 1))
      e = g->edges.items[e].next;
    g->at[node] = e;
    if (e != CUT_NONE) {
      g->path[length++] = e;
      node = g->edges.items[e].to;
    } else if (!length) {
      return;
    } else {
      node = g->edges.items[g->path[--length] ^ 1].to;
      g->at[node] = g->edges.items[g->at[node]].next;
    }
  }
}

void cut_solve(cut_graph *g) {
  while (find_levels(g))
    send_all(g);
}

bool cut_has_source(const cut_graph *g, uint32_t node) {
  return g->level[node] != CUT_NONE;
}
