// One dist_op.reshard that is being replaced: the tensor as far as it is laid out, and the ops
// that lay it out further. Private to passes/dist.
#ifndef PIR_RESHARD_H
#define PIR_RESHARD_H

#include "dist.h"

typedef struct reshard {
  dist_state *d;
  pir_op *op;  // the reshard; new ops go in front of it
  pir_value *value;
  dist_tensor now;  // how `value` lies
  int64_t chunk;    // of the op that made it
} reshard;

// ---- collectives.c: steps along one mesh dimension
// Each process gets what all along the mesh dimension hold of a dimension of the tensor.
pir_status reshard_gather(reshard *r, size_t axis);
// Each process keeps its part of a dimension of the tensor.
pir_status reshard_cut(reshard *r, size_t axis, size_t mesh_dim);
// The tensors along a partial mesh dimension are combined.
void reshard_reduce(reshard *r, size_t mesh_dim);
// They are summed, and each process keeps its part of a dimension of the tensor.
pir_status reshard_reduce_cut(reshard *r, size_t mesh_dim, size_t axis);
// Equal tensors become tensors that combine to one of them.
void reshard_make_partial(reshard *r, size_t mesh_dim, int64_t type);
// On a mesh of one dimension the part of one dimension is exchanged for the
// part of another one.
pir_status reshard_exchange(reshard *r, size_t from, size_t to);

// ---- meshes.c: steps from one mesh to another one
pir_status reshard_move(reshard *r, const dist_tensor *to);

// ---- reshard.c
// Lays the tensor out otherwise on its mesh.
pir_status reshard_on_mesh(reshard *r, const dist_tensor *to);

// ---- make.c: ops
// An op to make: its result and what its op_dist_attr says. Without `mesh` it gets none.
typedef struct made_op {
  uint32_t id;
  pir_value *operands[3];
  size_t operand_count;
  const pir_type *type;  // NULL: no result
  const pir_named_attr *attrs;
  size_t attr_count;
  const pir_attr *mesh, *wanted[2], *given;
  size_t wanted_count;
} made_op;
// The op_dist_attr of a constant: its mesh, its distribution, and, where Paddle states it, the
// distribution of the tensor that it stands for; else NULL.
typedef struct full_sides {
  const pir_attr *mesh, *given, *wanted;
} full_sides;
pir_op *reshard_make(reshard *r, const made_op *m);
pir_named_attr reshard_int(const reshard *r, const char *name, int64_t value);
pir_named_attr reshard_flag(const reshard *r, const char *name, bool value);
pir_named_attr reshard_ints(const reshard *r, const char *name, pir_attr_kind kind,
                            const int64_t *values, size_t count);
// Makes a list of integers that lies whole on the mesh of the tensor.
pir_value *reshard_list(reshard *r, const int64_t *values, size_t count);
// Makes a number of one element for an axis operand.
pir_value *reshard_axis(reshard *r, int64_t axis);
// Makes a tensor of `type` that is one number everywhere.
pir_op *reshard_full(reshard *r, const pir_type *type, int64_t number, int place,
                     const full_sides *sides);
// Makes a second name of the value, of another distribution.
void reshard_rename(reshard *r, const pir_attr *mesh, const pir_attr *from, const pir_attr *to,
                    const pir_type *type);
// Leaves the rest to other ranks: the value becomes the result of a reshard to how it lies now.
void reshard_leave(reshard *r);
// Makes reshape or transpose of the value.
void reshard_reshape(reshard *r, const int64_t *dims, size_t rank, const pir_type *type,
                     const dist_tensor *wanted, const dist_tensor *given);
void reshard_transpose(reshard *r, const int64_t *perm, size_t rank);
// Returns the extents of the whole tensor, and its present type.
pir_shape reshard_shape(const reshard *r);
const pir_type *reshard_type(const reshard *r);
// Returns the mesh of one dimension along `mesh_dim` through the rank.
dist_mesh reshard_line(const reshard *r, size_t mesh_dim, size_t *out_place);

#endif
