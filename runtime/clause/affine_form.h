// Index nodes as affine forms, start + sum of step[c] * coordinate c, and the maps of loads and
// stores as one form for each axis. A clause that is moved (clause_move.c) or contracted
// (contraction_affine.c) is found by its forms. Private to runtime/.
#ifndef PIR_AFFINE_FORM_H
#define PIR_AFFINE_FORM_H

#include "clause_impl.h"

#include <pir/compiler/index_nodes.h>

enum { AFFINE_COORDS = 40 };

typedef struct affine_form {
  int64_t start, step[AFFINE_COORDS];
} affine_form;

// The coordinates that forms are over, and who reads the nodes that depend on them.
typedef struct affine_space affine_space;
struct affine_space {
  const clause_bind *bind;
  int coords;
  const int64_t *extent;  // extent of each coordinate
  const int *first;       // coordinate of each variable of the clause
  int64_t d;              // PIR_I_D
  bool overflow;          // some arithmetic did, so forms are wrong
  void *user;
  // The form of a node that shared rules do not give: variables, axes of the result. `out` is
  // 0.
  pir_index_step (*own)(affine_space *s, pir_index_reader *r, int node, affine_form *out);
};

// sum += x * by
void pir_affine_add(affine_space *s, affine_form *sum, const affine_form *x, int64_t by);
void pir_affine_range(affine_space *s, const affine_form *x, int64_t *out_low,
                      int64_t *out_high);
bool pir_affine_is_number(const affine_space *s, const affine_form *x);
// False: the node has no form. Ranges decide comparisons, conditionals and remainders.
bool pir_affine_read(affine_space *s, int node, affine_form *out);

// Takes the index along one axis of a tensor; `index` is NULL where `node` has no form. An
// index of a pack has no node (-1).
typedef bool affine_axis_fn(affine_space *s, const pir_tensor *t, int axis, int node,
                            const affine_form *index);
// Gives a map of kind LIST or EACH axis by axis; false when an axis is refused, or the map does
// not fit the tensor.
bool pir_affine_map(affine_space *s, const pir_tensor *t, int map_kind, int map, int count,
                    affine_axis_fn *take_axis);

#endif
