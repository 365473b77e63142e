// The table of dimension expressions, shared by dims.c (which makes them) and dims_query.c
// (which reads them).
#ifndef PIR_DIMS_IMPL_H
#define PIR_DIMS_IMPL_H

#include <pir/compiler/dims.h>

#include <map.h>
#include <vec.h>

// An expression; its operands are created before it. A sum holds terms, the constant last. A
// product holds the constant factor first, then atoms (symbols, quotients, ...) in the order of
// their handles.
typedef struct dim_node {
  uint8_t kind;
  uint32_t count;     // operands
  uint32_t weight;    // nodes of the tree it stands for
  int64_t value;      // symbol: number; negative: the constant
  int64_t min;        // symbol: lower bound
  pir_dim bound;      // the expression it was unified with, or itself
  pir_dim canonical;  // cache, good for `generation`
  uint64_t generation;
  pir_dim operands[];
} dim_node;

struct pir_dims {
  pir_heap own;  // unless it is made in another one
  pir_arena arena;
  pir_set set;
  PIR_VEC(dim_node *) nodes;
  size_t symbols;
  uint64_t generation;  // grows with every unification
};

// Handles start at -2, because -1 means "unknown" in shapes.
static inline pir_dim dim_handle(size_t index) {
  return -2 - (pir_dim)index;
}
static inline bool dim_is_plain(pir_dim dim) {
  return dim >= 0;
}

static inline dim_node *dim_node_of(const pir_dims *dims, pir_dim dim) {
  return dims->nodes.items[(size_t)(-2 - dim)];
}

#endif
