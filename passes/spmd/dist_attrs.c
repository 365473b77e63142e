// Distributions as attributes and types, both ways.
#include "dist_attrs.h"

const pir_attr *dist_mesh(const pir_attr *dist) {
  return pir_attr_element(dist, 0);
}

pir_status dist_read_mesh(const pir_op *op, const pir_attr *mesh, pir_spmd *out) {
  const pir_attr *shape = pir_attr_element(mesh, 0);
  size_t rank = pir_attr_elements(shape);
  if (rank > PIR_MESH_RANK)
    return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                         "unsupported: a mesh of %zu dims; placement knows %d", rank,
                         PIR_MESH_RANK);
  out->mesh_rank = rank;
  for (size_t i = 0; i < rank; i++)
    if (!pir_attr_int_at(shape, i, &out->mesh[i]) || out->mesh[i] < 1)
      return pir_error(op, "dim %zu of the mesh has no processes", i);
  return PIR_OK;
}

static pir_status read_partial(const pir_op *op, const pir_attr *pairs, size_t mesh_rank,
                               pir_placement *out) {
  for (size_t i = 0; i < pir_attr_elements(pairs); i++) {
    int64_t dim = -1, reduction = -1;
    const pir_attr *pair = pir_attr_element(pairs, i);
    bool known = pir_attr_int_at(pair, 0, &dim) && pir_attr_int_at(pair, 1, &reduction);
    if (!known || dim < 0 || (uint64_t)dim >= mesh_rank || reduction < 0 || reduction > 6)
      return pir_error(op, "a tensor is partial over mesh dim %lld of %zu", (long long)dim,
                       mesh_rank);
    out->partial[dim] = (uint8_t)(1 + reduction);
  }
  return PIR_OK;
}

pir_status dist_read_type(const pir_op *op, const pir_type *type, size_t mesh_rank,
                          pir_placement *out) {
  pir_shape shape = pir_type_shape(type);
  const pir_attr *dist = pir_type_dist_attr(type);
  *out = (pir_placement){.rank = (int32_t)shape.rank};
  for (size_t d = 0; d < shape.rank; d++)
    out->shape[d] = shape.dims[d];
  if (!dist)
    return PIR_OK;
  const pir_attr *mapping = pir_attr_element(dist, 1);
  // Paddle gives the rank 1 to the mapping of some tensors without dims.
  if (pir_attr_elements(mapping) != shape.rank &&
      (shape.rank || pir_attr_elements(mapping) > 1))
    return pir_error(op, "a mapping of %zu dims for a tensor of rank %zu",
                     pir_attr_elements(mapping), shape.rank);
  for (size_t d = 0; d < shape.rank; d++) {
    int64_t mesh = -1;
    if (!pir_attr_int_at(mapping, d, &mesh) || mesh < -1 ||
        (mesh >= 0 && (uint64_t)mesh >= mesh_rank))
      return pir_error(op, "dim %zu is split over mesh dim %lld of %zu", d, (long long)mesh,
                       mesh_rank);
    out->split[d].count = mesh >= 0;
    out->split[d].mesh[0] = (uint8_t)(mesh >= 0 ? mesh : 0);
  }
  return read_partial(op, pir_attr_element(dist, 2), mesh_rank, out);
}

const pir_attr *dist_of_any(const pir_type *type) {
  const pir_attr *dist = pir_type_dist_attr(type);
  for (size_t i = 0; !dist && i < pir_type_elements(type); i++)
    dist = pir_type_dist_attr(pir_type_element(type, i));
  return dist;
}

const pir_attr *dist_make(pir_context *ctx, const pir_attr *mesh, size_t mesh_rank,
                          const pir_placement *placement) {
  int64_t mapping[PIR_MAX_RANK];
  const pir_attr *pairs[PIR_MESH_RANK], *parts[3] = {mesh};
  size_t count = 0;
  for (int32_t d = 0; d < placement->rank; d++)
    mapping[d] = placement->split[d].count ? placement->split[d].mesh[0] : -1;
  for (size_t i = 0; i < mesh_rank; i++) {
    int64_t pair[2] = {(int64_t)i, placement->partial[i] - 1};
    if (placement->partial[i])
      pairs[count++] = pir_attr_int_array(ctx, pair, 2);
  }
  parts[1] = pir_attr_int_array(ctx, mapping, (size_t)placement->rank);
  parts[2] = pir_attr_array(ctx, pairs, count);
  return pir_attr_tuple(ctx, PIR_ATTR_TENSOR_DIST, parts, 3);
}

const pir_attr *dist_make_empty(pir_context *ctx) {
  const pir_attr *none = pir_attr_int_array(ctx, NULL, 0),
                 *empty = pir_attr_array(ctx, NULL, 0), *mesh[3] = {none, none, empty};
  const pir_attr *parts[3] = {pir_attr_tuple(ctx, PIR_ATTR_PROCESS_MESH, mesh, 3), none, empty};
  return pir_attr_tuple(ctx, PIR_ATTR_TENSOR_DIST, parts, 3);
}

// The rounded up part of an extent.
static int64_t local_extent(int64_t extent, const pir_attr *dist, size_t d) {
  int64_t mesh = -1, processes = 1;
  if (extent < 0 || !pir_attr_int_at(pir_attr_element(dist, 1), d, &mesh) || mesh < 0)
    return extent;
  if (!pir_attr_int_at(pir_attr_element(dist_mesh(dist), 0), (size_t)mesh, &processes) ||
      processes < 1)
    return extent;
  return extent / processes + (extent % processes != 0);
}

const pir_type *dist_make_type(pir_context *ctx, const pir_type *type, const pir_attr *dist) {
  const pir_type *whole = pir_type_dist_attr(type) ? pir_type_inner(type) : type;
  pir_shape shape = pir_type_shape(whole);
  int64_t local[PIR_MAX_RANK];
  for (size_t d = 0; d < shape.rank; d++)
    local[d] = local_extent(shape.dims[d], dist, d);
  return pir_type_dist(ctx, whole, dist, (pir_shape){local, shape.rank});
}
