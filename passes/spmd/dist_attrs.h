// Placements as attributes: distributions of tensors in types and in op_dist_attr, read into
// the plain data of placement inference, and made of it.
#ifndef PIR_PASSES_DIST_ATTRS_H
#define PIR_PASSES_DIST_ATTRS_H

#include <pir/compiler/spmd.h>

// The mesh of a TENSOR_DIST attribute.
const pir_attr *dist_mesh(const pir_attr *dist);
// Reads a mesh's extents. Reports at the op: PIR_INVALID for extents that are not positive,
// PIR_UNSUPPORTED for more than PIR_MESH_RANK.
pir_status dist_read_mesh(const pir_op *op, const pir_attr *mesh, pir_spmd *out);
// Reads how a tensor of the type lies; a type without a distribution lies whole. Reports at the
// op a mapping that has another rank than the tensor, and mesh dims that do not exist.
pir_status dist_read_type(const pir_op *op, const pir_type *type, size_t mesh_rank,
                          pir_placement *out);
// The distribution of a type, or of the first member of a list that has one; NULL: none.
const pir_attr *dist_of_any(const pir_type *type);
// Makes a TENSOR_DIST, which states one mesh dim for a dim: the first that splits it.
const pir_attr *dist_make(pir_context *ctx, const pir_attr *mesh, size_t mesh_rank,
                          const pir_placement *placement);
// The distribution of an absent operand: an empty mesh.
const pir_attr *dist_make_empty(pir_context *ctx);
// Makes the type of a whole tensor that lies as `dist` says; `type` may be distributed already.
const pir_type *dist_make_type(pir_context *ctx, const pir_type *type, const pir_attr *dist);

#endif
