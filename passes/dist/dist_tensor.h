// How a tensor lies over a mesh of processes: views of the attributes of the dist dialect, and
// the attributes and types made of them. Private to passes/dist.
#ifndef PIR_DIST_TENSOR_H
#define PIR_DIST_TENSOR_H

#include <pir/compiler/op.h>

// A mesh: process ids in row-major order of the coordinates. A view of its attribute, which
// lives as long as the context.
typedef struct dist_mesh {
  const pir_attr *attr;
  size_t ndims, count;  // dimensions; processes
  const int64_t *shape, *ids;
} dist_mesh;

// A tensor over a mesh.
typedef struct dist_tensor {
  dist_mesh mesh;
  size_t rank;
  // Of each dimension of the tensor: the mesh dimension that it is split along; -1: it is not.
  int64_t mapping[PIR_MAX_RANK];
  // Of each mesh dimension: the reduce type (0 sum, 1 max, 2 min, 3 product, 4 average, 5 any,
  // 6 all) by which the tensors along it have to be combined; -1: they are equal.
  int64_t partial[PIR_MAX_RANK];
} dist_tensor;

enum { DIST_SUM = 0, DIST_MAX = 1, DIST_PRODUCT = 3, DIST_REDUCE_TYPES = 7 };

// What op_dist_attr says.
typedef struct dist_of_op {
  const pir_attr *mesh;
  // Arrays with an entry for each operand and result: a distribution, an array of them for a
  // list, or the null attribute.
  const pir_attr *operands, *results;
  int64_t chunk;
} dist_of_op;

// ---- checks
// Returns the fault of a PROCESS_MESH or TENSOR_DIST attribute as a text, empty if it has none.
// `rank` is the rank of the tensor, or PIR_MAX_RANK + 1 if any will do.
const char *dist_mesh_fault(pir_context *ctx, const pir_attr *mesh);
const char *dist_tensor_fault(pir_context *ctx, const pir_attr *dist, size_t rank);

// ---- meshes; the attributes were checked
dist_mesh dist_mesh_of(const pir_attr *mesh);
// Whether two meshes have the same processes in the same places, whatever their names.
bool dist_mesh_same(const dist_mesh *a, const dist_mesh *b);
// Whether two meshes have the same extents.
bool dist_mesh_alike(const dist_mesh *a, const dist_mesh *b);
// Returns the place of a process, or `count` if the mesh lacks it.
size_t dist_mesh_place(const dist_mesh *mesh, int64_t id);
// Returns the number of processes between two that differ by one along a dimension.
size_t dist_mesh_stride(const dist_mesh *mesh, size_t dim);
// Returns the coordinate of the process at a place along a dimension.
int64_t dist_mesh_coordinate(const dist_mesh *mesh, size_t place, size_t dim);
// Returns the processes that differ from the one at `place` along one dimension alone: a mesh
// of one dimension.
dist_mesh dist_mesh_line(pir_context *ctx, const dist_mesh *mesh, size_t dim, size_t place);
// Returns one of two equal meshes, or the processes of both in ascending order.
const pir_attr *dist_mesh_merge(pir_context *ctx, const pir_attr *a, const pir_attr *b);
// Returns a mesh of one dimension.
const pir_attr *dist_mesh_flat(pir_context *ctx, const int64_t *ids, size_t count,
                               const char *name);

// ---- distributions
dist_tensor dist_tensor_of(const pir_attr *dist);
const pir_attr *dist_tensor_attr(pir_context *ctx, const dist_tensor *tensor);
// Returns a tensor that every process of the mesh has as a whole.
dist_tensor dist_replicated(const dist_mesh *mesh, size_t rank);
bool dist_is_replicated(const dist_tensor *tensor);
bool dist_is_partial(const dist_tensor *tensor);
// Whether two tensors lie alike, the mesh left aside, and with it.
bool dist_same_places(const dist_tensor *a, const dist_tensor *b);
bool dist_same(const dist_tensor *a, const dist_tensor *b);
// Whether two attributes are the same distribution, or the same list of distributions.
bool dist_attr_same(const pir_attr *a, const pir_attr *b);

// ---- types
// Returns the distribution of a type: of a list an array; NULL if it has none.
const pir_attr *dist_of_type(pir_context *ctx, const pir_type *type);
// Returns the most that a process holds of dimension `i`, whose extent is `whole`; -1: unknown.
int64_t dist_local_extent(const dist_tensor *tensor, size_t i, int64_t whole);
// Returns the tensor `global` over a mesh.
const pir_type *dist_type_of(pir_context *ctx, const pir_type *global,
                             const dist_tensor *tensor);
// Returns the type with other extents and another distribution.
const pir_type *dist_type_like(pir_context *ctx, const pir_type *type, pir_shape shape,
                               const dist_tensor *tensor);

// ---- ops
// Returns false if the op has no op_dist_attr.
bool dist_of(const pir_op *op, dist_of_op *out);
const pir_attr *dist_op_attr(pir_context *ctx, const pir_attr *mesh,
                             const pir_attr *const *operands, size_t operand_count,
                             const pir_attr *const *results, size_t result_count,
                             int64_t chunk);
// Returns an op_dist_attr with another distribution of one result.
const pir_attr *dist_with_result(pir_context *ctx, const dist_of_op *of, size_t result,
                                 const pir_attr *dist);

#endif
