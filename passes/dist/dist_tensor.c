// Meshes and distributions are lists underneath (docs/reference/formats.md): a mesh is
// (extents, process ids, names of dimensions), a distribution (mesh, mapping, partial
// dimensions). Equal lists of numbers are equal pointers, so two meshes are compared without
// looking at them.
#include "dist_tensor.h"

#include <map.h>
#include <vec.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ---- checks
static bool is_numbers(const pir_attr *attr) {
  return attr && pir_attr_kind_of(attr) == PIR_ATTR_INT_ARRAY;
}

static bool is_repeated(pir_context *ctx, const int64_t *ids, size_t count) {
  pir_arena *arena = pir_context_arena(ctx);
  pir_map seen = {0};
  for (size_t i = 0; i < count; i++)
    pir_map_put(arena, &seen, (const void *)(uintptr_t)(ids[i] + 1), 1);
  bool repeated = seen.count < count;
  pir_map_free(arena, &seen);
  return repeated;
}

const char *dist_mesh_fault(pir_context *ctx, const pir_attr *mesh) {
  if (!mesh || pir_attr_kind_of(mesh) != PIR_ATTR_PROCESS_MESH || pir_attr_elements(mesh) < 3)
    return "there is no mesh of processes";
  const pir_attr *shape = pir_attr_element(mesh, 0), *ids = pir_attr_element(mesh, 1);
  if (!is_numbers(shape) || !is_numbers(ids))
    return "a mesh has extents and process ids that are numbers";
  size_t ndims = pir_attr_elements(shape), count = pir_attr_elements(ids);
  if (!ndims || ndims > PIR_MAX_RANK)
    return "a mesh has 1 to 16 dimensions";
  uint64_t places = 1;
  for (size_t i = 0; i < ndims; i++) {
    int64_t extent = pir_attr_int_array_data(shape)[i];
    if (extent < 1 || (uint64_t)extent > count || (places *= (uint64_t)extent) > count)
      return "a mesh has another number of places than of process ids";
  }
  if (places != count)
    return "a mesh has another number of places than of process ids";
  for (size_t i = 0; i < count; i++)
    if (pir_attr_int_array_data(ids)[i] < 0 || pir_attr_int_array_data(ids)[i] > INT32_MAX)
      return "a process id is not a number from 0 to 2147483647";
  return is_repeated(ctx, pir_attr_int_array_data(ids), count) ? "a mesh has a process twice"
                                                               : "";
}

static const char *partial_fault(const pir_attr *partials, size_t ndims, bool *used) {
  for (size_t i = 0; i < pir_attr_elements(partials); i++) {
    int64_t dim, type;
    const pir_attr *pair = pir_attr_element(partials, i);
    if (!pir_attr_int_at(pair, 0, &dim) || !pir_attr_int_at(pair, 1, &type))
      return "a partial dimension is a mesh dimension and a reduce type";
    if (dim < 0 || (uint64_t)dim >= ndims || type < 0 || type >= DIST_REDUCE_TYPES)
      return "the mesh has no such partial dimension, or there is no such reduce type";
    if (used[dim])
      return "a mesh dimension is used twice";
    used[dim] = true;
  }
  return "";
}

const char *dist_tensor_fault(pir_context *ctx, const pir_attr *dist, size_t rank) {
  if (!dist || pir_attr_kind_of(dist) != PIR_ATTR_TENSOR_DIST || pir_attr_elements(dist) < 3)
    return "there is no distribution";
  const char *fault = dist_mesh_fault(ctx, pir_attr_element(dist, 0));
  if (*fault)
    return fault;
  const pir_attr *mapping = pir_attr_element(dist, 1), *partials = pir_attr_element(dist, 2);
  size_t ndims = pir_attr_elements(pir_attr_element(pir_attr_element(dist, 0), 0));
  bool used[PIR_MAX_RANK] = {false};
  if (!is_numbers(mapping) || pir_attr_elements(mapping) > PIR_MAX_RANK ||
      (rank <= PIR_MAX_RANK && pir_attr_elements(mapping) != rank))
    return "dims_mappings has another number of entries than the tensor has dimensions";
  for (size_t i = 0; i < pir_attr_elements(mapping); i++) {
    int64_t along = pir_attr_int_array_data(mapping)[i];
    if (along < -1 || along >= (int64_t)ndims)
      return "dims_mappings names a dimension that the mesh lacks";
    if (along >= 0 && used[along])
      return "a mesh dimension is used twice";
    if (along >= 0)
      used[along] = true;
  }
  return partial_fault(partials, ndims, used);
}

// ---- meshes
dist_mesh dist_mesh_of(const pir_attr *mesh) {
  const pir_attr *shape = pir_attr_element(mesh, 0), *ids = pir_attr_element(mesh, 1);
  return (dist_mesh){.attr = mesh,
                     .ndims = pir_attr_elements(shape),
                     .count = pir_attr_elements(ids),
                     .shape = pir_attr_int_array_data(shape),
                     .ids = pir_attr_int_array_data(ids)};
}

bool dist_mesh_alike(const dist_mesh *a, const dist_mesh *b) {
  return pir_attr_element(a->attr, 0) == pir_attr_element(b->attr, 0);
}

bool dist_mesh_same(const dist_mesh *a, const dist_mesh *b) {
  return dist_mesh_alike(a, b) && pir_attr_element(a->attr, 1) == pir_attr_element(b->attr, 1);
}

size_t dist_mesh_place(const dist_mesh *mesh, int64_t id) {
  size_t i = 0;
  while (i < mesh->count && mesh->ids[i] != id)
    i++;
  return i;
}

size_t dist_mesh_stride(const dist_mesh *mesh, size_t dim) {
  size_t stride = 1;
  for (size_t i = dim + 1; i < mesh->ndims; i++)
    stride *= (size_t)mesh->shape[i];
  return stride;
}

int64_t dist_mesh_coordinate(const dist_mesh *mesh, size_t place, size_t dim) {
  return (int64_t)(place / dist_mesh_stride(mesh, dim)) % mesh->shape[dim];
}

static const pir_attr *make_flat(pir_context *ctx, const int64_t *ids, size_t count,
                                 const pir_attr *name) {
  const int64_t extent = (int64_t)count;
  const pir_attr *parts[3] = {pir_attr_int_array(ctx, &extent, 1),
                              pir_attr_int_array(ctx, ids, count),
                              pir_attr_array(ctx, &name, name ? 1 : 0)};
  return pir_attr_tuple(ctx, PIR_ATTR_PROCESS_MESH, parts, 3);
}

const pir_attr *dist_mesh_flat(pir_context *ctx, const int64_t *ids, size_t count,
                               const char *name) {
  return make_flat(ctx, ids, count,
                   pir_attr_str(ctx, PIR_ATTR_STR, (pir_str){name, strlen(name)}));
}

dist_mesh dist_mesh_line(pir_context *ctx, const dist_mesh *mesh, size_t dim, size_t place) {
  pir_arena *arena = pir_context_arena(ctx);
  size_t stride = dist_mesh_stride(mesh, dim), count = (size_t)mesh->shape[dim];
  size_t first = place - place / stride % count * stride, bytes = count * sizeof(int64_t);
  const pir_attr *names = pir_attr_element(mesh->attr, 2);
  int64_t *ids = pir_arena_alloc(arena, bytes);
  for (size_t i = 0; i < count; i++)
    ids[i] = mesh->ids[first + i * stride];
  const pir_attr *line = make_flat(
      ctx, ids, count, dim < pir_attr_elements(names) ? pir_attr_element(names, dim) : NULL);
  pir_arena_free(arena, ids, bytes);
  return dist_mesh_of(line);
}

static int compare_ids(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

const pir_attr *dist_mesh_merge(pir_context *ctx, const pir_attr *a, const pir_attr *b) {
  dist_mesh x = dist_mesh_of(a), y = dist_mesh_of(b);
  if (dist_mesh_same(&x, &y))
    return a;
  pir_arena *arena = pir_context_arena(ctx);
  size_t bytes = (x.count + y.count) * sizeof(int64_t), kept = 0;
  int64_t *ids = pir_arena_alloc(arena, bytes);
  memcpy(ids, x.ids, x.count * sizeof *ids);
  memcpy(ids + x.count, y.ids, y.count * sizeof *ids);
  qsort(ids, x.count + y.count, sizeof *ids, compare_ids);
  for (size_t i = 0; i < x.count + y.count; i++)
    if (!kept || ids[kept - 1] != ids[i])
      ids[kept++] = ids[i];
  const pir_attr *merged = dist_mesh_flat(ctx, ids, kept, "merged");
  pir_arena_free(arena, ids, bytes);
  return merged;
}

// ---- distributions
dist_tensor dist_replicated(const dist_mesh *mesh, size_t rank) {
  dist_tensor tensor = {.mesh = *mesh, .rank = rank};
  for (size_t i = 0; i < PIR_MAX_RANK; i++)
    tensor.mapping[i] = tensor.partial[i] = -1;
  return tensor;
}

dist_tensor dist_tensor_of(const pir_attr *dist) {
  const pir_attr *mapping = pir_attr_element(dist, 1), *partials = pir_attr_element(dist, 2);
  dist_mesh mesh = dist_mesh_of(pir_attr_element(dist, 0));
  dist_tensor tensor = dist_replicated(&mesh, pir_attr_elements(mapping));
  for (size_t i = 0; i < tensor.rank; i++)
    tensor.mapping[i] = pir_attr_int_array_data(mapping)[i];
  for (size_t i = 0; i < pir_attr_elements(partials); i++) {
    int64_t dim = 0, type = 0;
    if (pir_attr_int_at(pir_attr_element(partials, i), 0, &dim) &&
        pir_attr_int_at(pir_attr_element(partials, i), 1, &type))
      tensor.partial[dim] = type;
  }
  return tensor;
}

const pir_attr *dist_tensor_attr(pir_context *ctx, const dist_tensor *tensor) {
  const pir_attr *partials[PIR_MAX_RANK];
  size_t count = 0;
  for (size_t i = 0; i < tensor->mesh.ndims; i++)
    if (tensor->partial[i] >= 0) {
      const int64_t pair[2] = {(int64_t)i, tensor->partial[i]};
      partials[count++] = pir_attr_int_array(ctx, pair, 2);
    }
  const pir_attr *parts[3] = {tensor->mesh.attr,
                              pir_attr_int_array(ctx, tensor->mapping, tensor->rank),
                              pir_attr_array(ctx, partials, count)};
  return pir_attr_tuple(ctx, PIR_ATTR_TENSOR_DIST, parts, 3);
}

bool dist_is_partial(const dist_tensor *tensor) {
  for (size_t i = 0; i < tensor->mesh.ndims; i++)
    if (tensor->partial[i] >= 0)
      return true;
  return false;
}

bool dist_is_replicated(const dist_tensor *tensor) {
  for (size_t i = 0; i < tensor->rank; i++)
    if (tensor->mapping[i] >= 0)
      return false;
  return !dist_is_partial(tensor);
}

bool dist_same_places(const dist_tensor *a, const dist_tensor *b) {
  return a->rank == b->rank &&
         memcmp(a->mapping, b->mapping, a->rank * sizeof *a->mapping) == 0 &&
         memcmp(a->partial, b->partial, sizeof a->partial) == 0;
}

bool dist_same(const dist_tensor *a, const dist_tensor *b) {
  return dist_mesh_same(&a->mesh, &b->mesh) && dist_same_places(a, b);
}

static bool has_mesh(const pir_attr *dist) {
  return pir_attr_elements(pir_attr_element(pir_attr_element(dist, 0), 0)) > 0;
}

static bool same_distribution(const pir_attr *a, const pir_attr *b) {
  if (a == b)
    return true;
  if (pir_attr_kind_of(a) != PIR_ATTR_TENSOR_DIST ||
      pir_attr_kind_of(b) != PIR_ATTR_TENSOR_DIST)
    return false;
  // A distribution without a mesh is the same as none but itself.
  if (!has_mesh(a) || !has_mesh(b))
    return false;
  dist_tensor x = dist_tensor_of(a), y = dist_tensor_of(b);
  return dist_same(&x, &y);
}

bool dist_attr_same(const pir_attr *a, const pir_attr *b) {
  if (a == b)
    return true;
  if (!a || !b)
    return false;
  if (pir_attr_kind_of(a) != PIR_ATTR_ARRAY || pir_attr_kind_of(b) != PIR_ATTR_ARRAY)
    return same_distribution(a, b);
  if (pir_attr_elements(a) != pir_attr_elements(b))
    return false;
  for (size_t i = 0; i < pir_attr_elements(a); i++)
    if (!same_distribution(pir_attr_element(a, i), pir_attr_element(b, i)))
      return false;
  return true;
}

// ---- types
const pir_attr *dist_of_type(pir_context *ctx, const pir_type *type) {
  if (!type || pir_type_kind_of(type) != PIR_TYPE_VECTOR)
    return pir_type_dist_attr(type);
  pir_arena *arena = pir_context_arena(ctx);
  PIR_VEC(const pir_attr *) members = {0};
  bool some = false;
  for (size_t i = 0; i < pir_type_elements(type); i++) {
    const pir_attr *dist = pir_type_dist_attr(pir_type_element(type, i));
    some |= dist != NULL;
    pir_vec_push(arena, &members, dist ? dist : pir_attr_none(ctx));
  }
  const pir_attr *list = some ? pir_attr_array(ctx, members.items, members.count) : NULL;
  pir_vec_free(arena, &members);
  return list;
}

int64_t dist_local_extent(const dist_tensor *tensor, size_t i, int64_t whole) {
  int64_t along = i < tensor->rank ? tensor->mapping[i] : -1;
  if (along < 0 || whole < 0)
    return whole;
  return whole / tensor->mesh.shape[along] + (whole % tensor->mesh.shape[along] != 0);
}

const pir_type *dist_type_of(pir_context *ctx, const pir_type *global,
                             const dist_tensor *tensor) {
  pir_shape shape = pir_type_shape(global);
  int64_t local[PIR_MAX_RANK];
  for (size_t i = 0; i < shape.rank; i++)
    local[i] = dist_local_extent(tensor, i, shape.dims[i]);
  return pir_type_dist(ctx, global, dist_tensor_attr(ctx, tensor),
                       (pir_shape){local, shape.rank});
}

const pir_type *dist_type_like(pir_context *ctx, const pir_type *type, pir_shape shape,
                               const dist_tensor *tensor) {
  pir_tensor_spec spec = pir_type_spec(type);
  spec.shape = shape;
  return dist_type_of(ctx, pir_type_tensor_like(ctx, PIR_TYPE_TENSOR, &spec), tensor);
}

// ---- ops
bool dist_of(const pir_op *op, dist_of_op *out) {
  const pir_attr *attr = pir_op_attr_str(op, "op_dist_attr");
  if (!attr || pir_attr_kind_of(attr) != PIR_ATTR_OP_DIST || pir_attr_elements(attr) < 4)
    return false;
  *out = (dist_of_op){.mesh = pir_attr_element(attr, 0),
                      .operands = pir_attr_element(attr, 1),
                      .results = pir_attr_element(attr, 2),
                      .chunk = -1};
  pir_attr_as_int(pir_attr_element(attr, 3), &out->chunk);
  return true;
}

const pir_attr *dist_op_attr(pir_context *ctx, const pir_attr *mesh,
                             const pir_attr *const *operands, size_t operand_count,
                             const pir_attr *const *results, size_t result_count,
                             int64_t chunk) {
  const pir_attr *parts[4] = {mesh, pir_attr_array(ctx, operands, operand_count),
                              pir_attr_array(ctx, results, result_count),
                              pir_attr_int(ctx, PIR_ATTR_I64, chunk)};
  return pir_attr_tuple(ctx, PIR_ATTR_OP_DIST, parts, 4);
}

const pir_attr *dist_with_result(pir_context *ctx, const dist_of_op *of, size_t result,
                                 const pir_attr *dist) {
  pir_arena *arena = pir_context_arena(ctx);
  PIR_VEC(const pir_attr *) results = {0};
  for (size_t i = 0; i < pir_attr_elements(of->results); i++)
    pir_vec_push(arena, &results, i == result ? dist : pir_attr_element(of->results, i));
  const pir_attr *parts[4] = {of->mesh, of->operands,
                              pir_attr_array(ctx, results.items, results.count),
                              pir_attr_int(ctx, PIR_ATTR_I64, of->chunk)};
  pir_vec_free(arena, &results);
  return pir_attr_tuple(ctx, PIR_ATTR_OP_DIST, parts, 4);
}
