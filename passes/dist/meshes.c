// Steps of a reshard from one mesh to another one. Between meshes of the same extents a tensor
// that lies alike goes from each process to the one in the same place. To some of its processes
// it goes without an op. Else the processes that have it send it to those that lack it: as it
// is, if their mesh is a slice of the other one, or as a whole.
#include "reshard.h"

#include <pir/compiler/dialect/pd_op.h>

#include <stdlib.h>

static const pir_attr *mesh_of(const pir_attr *dist) {
  return pir_attr_element(dist, 0);
}

// ---- from place to place

// The op that reads the result may belong to a part of a pipeline, and so does the op that
// receives.
static int64_t chunk_of_readers(const pir_value *value) {
  PIR_EACH_USE(use, value) {
    dist_of_op of;
    if (dist_of(pir_use_owner(use), &of) && of.chunk >= 0)
      return of.chunk;
  }
  return -1;
}

static pir_op *make_transfer(reshard *r, made_op m, const int64_t *pair, int64_t peer,
                             const pir_named_attr *more, size_t count) {
  pir_named_attr attrs[8];
  for (size_t i = 0; i < count; i++)
    attrs[i] = more[i];
  attrs[count++] = reshard_int(r, "ring_id", dist_ring_id(r->d, pair, 2));
  attrs[count++] = reshard_int(r, "peer", peer);
  attrs[count++] = reshard_flag(r, "use_calc_stream", true);
  attrs[count++] = reshard_flag(r, "dynamic_shape", false);
  m.attrs = attrs;
  m.attr_count = count;
  return reshard_make(r, &m);
}

static void send_value(reshard *r, const int64_t *pair) {
  made_op m = {.id = PD_SEND_V2,
               .operands = {r->value},
               .operand_count = 1,
               .mesh = r->now.mesh.attr,
               .wanted = {dist_tensor_attr(r->d->ctx, &r->now)},
               .wanted_count = 1};
  make_transfer(r, m, pair, 1, NULL, 0);
}

static pir_status receive_value(reshard *r, const dist_tensor *to, const int64_t *pair,
                                pir_value **out) {
  pir_context *ctx = r->d->ctx;
  const pir_type *type = dist_type_of(ctx, pir_type_inner(pir_value_type(r->value)), to);
  pir_shape local = pir_type_local_shape(type);
  if (!pir_shape_is_known(local))
    return pir_error(r->op, "unsupported: a tensor of unknown extents is received");
  for (size_t i = 0; i < local.rank; i++)
    if (local.dims[i] > INT32_MAX)
      return pir_error(r->op, "unsupported: a dimension of %lld is received",
                       (long long)local.dims[i]);
  pir_named_attr attrs[] = {
      reshard_ints(r, "out_shape", PIR_ATTR_I32, local.dims, local.rank),
      {pir_name_get(ctx, PIR_STR("dtype")), pir_attr_dtype(ctx, pir_type_dtype(type))}};
  made_op m = {
      .id = PD_RECV_V2, .type = type, .mesh = to->mesh.attr, .given = pir_type_dist_attr(type)};
  int64_t chunk = r->chunk;
  pir_value *value = r->value;
  r->chunk = chunk_of_readers(pir_op_result(r->op, 0));
  *out = pir_op_result(make_transfer(r, m, pair, 0, attrs, 2), 0);
  r->chunk = chunk;
  r->value = value;
  return PIR_OK;
}

// A rank that sends in one place and receives in another one does so in the order of the
// places, as all do: nobody waits in a circle.
static pir_status go_from_place_to_place(reshard *r, const dist_tensor *to) {
  pir_value *got = NULL;
  for (size_t i = 0; i < to->mesh.count; i++) {
    const int64_t pair[2] = {r->now.mesh.ids[i], to->mesh.ids[i]};
    if (pair[0] != pair[1])
      dist_ring_id(r->d, pair, 2);
    if (pair[0] == pair[1] && pair[0] == r->d->rank)
      got = r->value;
    else if (pair[0] == r->d->rank)
      send_value(r, pair);
    else if (pair[1] == r->d->rank)
      PIR_TRY(receive_value(r, to, pair, &got));
  }
  if (got == r->value) {
    const pir_type *type = dist_type_of(r->d->ctx, pir_type_inner(pir_value_type(got)), to);
    reshard_rename(r, to->mesh.attr, dist_tensor_attr(r->d->ctx, &r->now),
                   pir_type_dist_attr(type), type);
    r->now = *to;
    return PIR_OK;
  }
  r->now = *to;
  if (got)
    r->value = got;
  else
    reshard_leave(r);
  return PIR_OK;
}

// ---- to some of the processes
static bool is_part_of_mesh(const dist_mesh *part, const dist_mesh *whole) {
  for (size_t i = 0; i < part->count; i++)
    if (dist_mesh_place(whole, part->ids[i]) == whole->count)
      return false;
  return true;
}

// The op that made the tensor gives it to those processes, if nobody else reads it.
static pir_status leave_on_part(reshard *r, const dist_tensor *to) {
  dist_state *d = r->d;
  pir_value *origin = r->value;
  dist_tensor whole = dist_replicated(&r->now.mesh, r->now.rank);
  PIR_TRY(reshard_on_mesh(r, &whole));
  const pir_type *type = dist_type_of(d->ctx, pir_type_inner(pir_value_type(r->value)), to);
  pir_op *made = pir_value_op(r->value);
  dist_of_op of;
  if (r->value == origin && pir_value_single_use(origin) && made && dist_of(made, &of)) {
    pir_value_set_type(origin, type);
    pir_rewriter_set_attr(
        d->rewriter, made, d->op_dist,
        dist_with_result(d->ctx, &of, pir_value_index(origin), pir_type_dist_attr(type)));
  } else {
    reshard_rename(r, r->now.mesh.attr, dist_tensor_attr(d->ctx, &r->now),
                   pir_type_dist_attr(type), type);
  }
  r->now = *to;
  return PIR_OK;
}

// ---- to processes that lack it

// Whether mesh `part`, with or without a dimension of 1, is a slice of `mesh` across `dim`.
static bool is_slice(const dist_mesh *part, const dist_mesh *mesh, size_t dim, bool without) {
  size_t stride = dist_mesh_stride(mesh, dim), k = 0, at = 0;
  if (part->ndims != mesh->ndims - without ||
      part->count != mesh->count / (size_t)mesh->shape[dim])
    return false;
  for (size_t i = 0; i < part->ndims; i++)
    if (part->shape[i] != (!without && i == dim ? 1 : mesh->shape[i + (without && i >= dim)]))
      return false;
  at = dist_mesh_place(mesh, part->ids[0]) / stride % (size_t)mesh->shape[dim];
  for (size_t i = 0; i < mesh->count; i++)
    if (i / stride % (size_t)mesh->shape[dim] == at && mesh->ids[i] != part->ids[k++])
      return false;
  return true;
}

// Whether the tensor lies on a slice as it shall lie on every slice across `dim`.
static bool lies_alike(const dist_tensor *part, const dist_tensor *to, size_t dim,
                       bool without) {
  dist_tensor raised = dist_replicated(&to->mesh, part->rank);
  for (size_t i = 0; i < part->rank; i++)
    if (to->mapping[i] == (int64_t)dim)
      return false;
  for (size_t i = 0; i < part->rank; i++)
    raised.mapping[i] = part->mapping[i] + (without && part->mapping[i] >= (int64_t)dim);
  for (size_t i = 0; i < part->mesh.ndims; i++)
    raised.partial[i + (without && i >= dim)] = part->partial[i];
  return raised.partial[dim] < 0 && dist_same_places(&raised, to);
}

// Finds the dimension across which the mesh of the tensor is a slice of the other one.
static bool find_slice(const dist_tensor *from, const dist_tensor *to, size_t *out_dim) {
  for (size_t dim = 0; dim < to->mesh.ndims; dim++)
    for (int without = 0; without < 2; without++)
      if (is_slice(&from->mesh, &to->mesh, dim, without) &&
          lies_alike(from, to, dim, without)) {
        *out_dim = dim;
        return true;
      }
  return false;
}

// For each process of the mesh `to`, the place of the one in `from` that it gets the tensor
// from.
static void choose_sources(const dist_mesh *from, const dist_mesh *to, const size_t *dim,
                           size_t *out) {
  size_t turn = 0;
  for (size_t i = 0; i < to->count; i++) {
    out[i] = dist_mesh_place(from, to->ids[i]);
    if (out[i] < from->count)
      continue;
    if (!dim) {
      out[i] = turn++ % from->count;
      continue;
    }
    size_t stride = dist_mesh_stride(to, *dim), extent = (size_t)to->shape[*dim];
    out[i] = i / (stride * extent) * stride + i % stride;
  }
}

static int compare_members(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

typedef struct group {
  int64_t ring, root;  // 0: there is none
  bool inside, sends;
} group;

// Makes a ring of each process that sends with those that it sends to, and finds the rank's.
static group make_groups(reshard *r, const dist_mesh *from, const dist_mesh *to,
                         const size_t *sources) {
  group own = {0};
  size_t bytes = (to->count + 1) * sizeof(int64_t);
  int64_t *ids = pir_arena_alloc(r->d->arena, bytes);
  for (size_t s = 0; s < from->count; s++) {
    size_t count = 0;
    ids[count++] = from->ids[s];
    for (size_t i = 0; i < to->count; i++)
      if (sources[i] == s && to->ids[i] != from->ids[s])
        ids[count++] = to->ids[i];
    if (count == 1)
      continue;
    qsort(ids, count, sizeof *ids, compare_members);
    int64_t ring = dist_ring_id(r->d, ids, count), root = 0;
    while (ids[root] != from->ids[s])
      root++;
    for (size_t i = 0; i < count; i++)
      if (ids[i] == r->d->rank)
        own = (group){ring, root, true, r->d->rank == from->ids[s]};
  }
  pir_arena_free(r->d->arena, ids, bytes);
  return own;
}

// What a process has that receives: memory for the tensor.
static void make_buffer(reshard *r, const dist_mesh *from, const dist_tensor *moved) {
  pir_arena *arena = r->d->arena;
  size_t bytes = moved->mesh.count * sizeof(int64_t), count = 0;
  int64_t *ids = pir_arena_alloc(arena, bytes);
  for (size_t i = 0; i < moved->mesh.count; i++)
    if (dist_mesh_place(from, moved->mesh.ids[i]) == from->count)
      ids[count++] = moved->mesh.ids[i];
  dist_tensor buffer = *moved;
  if (dist_is_replicated(moved)) {
    dist_mesh others = dist_mesh_of(dist_mesh_flat(r->d->ctx, ids, count, "d0"));
    buffer = dist_replicated(&others, moved->rank);
  }
  pir_arena_free(arena, ids, bytes);
  const pir_type *type =
      dist_type_of(r->d->ctx, pir_type_inner(pir_value_type(r->value)), &buffer);
  const pir_attr *given = pir_type_dist_attr(type);
  const full_sides sides = {.mesh = mesh_of(given), .given = given};
  r->value = pir_op_result(reshard_full(r, type, 0, 0, &sides), 0);
}

static pir_status broadcast_value(reshard *r, const dist_tensor *moved, const group *own) {
  pir_context *ctx = r->d->ctx;
  const pir_type *type = dist_type_of(ctx, pir_type_inner(pir_value_type(r->value)), moved);
  const pir_attr *had = dist_tensor_attr(ctx, &r->now), *gets = pir_type_dist_attr(type);
  if (!own->sends && !pir_shape_is_known(pir_type_shape(type)))
    return pir_error(r->op, "unsupported: a tensor of unknown extents is received");
  if (own->sends)
    reshard_rename(r, r->now.mesh.attr, had, had, reshard_type(r));
  else
    make_buffer(r, &r->now.mesh, moved);
  pir_named_attr attrs[] = {reshard_int(r, "ring_id", own->ring),
                            reshard_int(r, "root", own->root)};
  made_op m = {.id = PD_BROADCAST,
               .operands = {r->value},
               .operand_count = 1,
               .type = type,
               .attrs = attrs,
               .attr_count = 2,
               .mesh = moved->mesh.attr,
               .wanted = {had},
               .wanted_count = 1,
               .given = gets};
  if (!dist_holds(r->d, m.mesh))
    m.mesh = dist_mesh_merge(ctx, r->now.mesh.attr, m.mesh);
  reshard_make(r, &m);
  return PIR_OK;
}

static pir_status give_to_others(reshard *r, const dist_tensor *to) {
  dist_state *d = r->d;
  size_t dim;
  dist_tensor moved = *to;
  bool slice = find_slice(&r->now, to, &dim);
  if (!slice) {
    dist_tensor whole = dist_replicated(&r->now.mesh, r->now.rank);
    PIR_TRY(reshard_on_mesh(r, &whole));
    moved = dist_replicated(&to->mesh, to->rank);
  }
  size_t bytes = pir_arena_size(d->arena, to->mesh.count, sizeof(size_t));
  size_t *sources = pir_arena_alloc(d->arena, bytes);
  choose_sources(&r->now.mesh, &to->mesh, slice ? &dim : NULL, sources);
  group own = make_groups(r, &r->now.mesh, &to->mesh, sources);
  pir_arena_free(d->arena, sources, bytes);
  const pir_type *type = dist_type_of(d->ctx, pir_type_inner(pir_value_type(r->value)), &moved);
  if (own.inside)
    PIR_TRY(broadcast_value(r, &moved, &own));
  else if (dist_holds(d, to->mesh.attr))
    reshard_rename(r, to->mesh.attr, dist_tensor_attr(d->ctx, &r->now),
                   pir_type_dist_attr(type), type);
  bool left = !own.inside && !dist_holds(d, to->mesh.attr);
  r->now = moved;
  if (left)
    reshard_leave(r);
  return reshard_on_mesh(r, to);
}

pir_status reshard_move(reshard *r, const dist_tensor *to) {
  if (dist_mesh_alike(&r->now.mesh, &to->mesh) && dist_same_places(&r->now, to))
    return go_from_place_to_place(r, to);
  if (dist_is_replicated(to) && is_part_of_mesh(&to->mesh, &r->now.mesh))
    return leave_on_part(r, to);
  return give_to_others(r, to);
}
