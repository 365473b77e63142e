// Steps of a reshard along one mesh dimension: a line of processes, which is a ring. Collective
// ops join and cut along the first dimension of a tensor, so other dimensions are moved there.
// What ops want and give is stated as Paddle states it: of the line for collective ops, of the
// whole mesh for the others.
#include "reshard.h"

#include <pir/compiler/dialect/pd_op.h>

// A tensor on a line of processes: split along `axis`, or combined by `partial`; -1: not.
static const pir_attr *on_line(const reshard *r, const dist_mesh *line, int64_t axis,
                               int64_t partial) {
  dist_tensor tensor = dist_replicated(line, r->now.rank);
  if (axis >= 0)
    tensor.mapping[axis] = 0;
  tensor.partial[0] = partial;
  return dist_tensor_attr(r->d->ctx, &tensor);
}

static pir_status refuse_uneven(const reshard *r, int64_t extent, size_t parts) {
  return pir_error(r->op, "unsupported: a dimension of %lld split over %zu processes",
                   (long long)extent, parts);
}

// A collective op of the value over a line, with the attributes that all of them have.
typedef struct line_op {
  uint32_t id;
  const dist_mesh *line;
  int64_t ring;
  const pir_attr *wanted, *given;
  const pir_type *type;
} line_op;

static pir_op *make_on_line(reshard *r, const line_op *l, const pir_named_attr *more,
                            size_t count) {
  pir_named_attr attrs[4];
  for (size_t i = 0; i < count; i++)
    attrs[i] = more[i];
  attrs[count] = reshard_int(r, "ring_id", l->ring);
  made_op m = {.id = l->id,
               .operands = {r->value},
               .operand_count = 1,
               .type = l->type,
               .attrs = attrs,
               .attr_count = count + 1,
               .mesh = l->line->attr,
               .wanted = {l->wanted},
               .wanted_count = 1,
               .given = l->given};
  return reshard_make(r, &m);
}

static pir_named_attr on_default_stream(const reshard *r) {
  return (pir_named_attr){pir_name_get(r->d->ctx, PIR_STR("execution_stream")),
                          pir_attr_str(r->d->ctx, PIR_ATTR_STR, PIR_STR("DefaultStream"))};
}

// ---- a dimension that is split becomes whole

// The parts lie one after the other along the first dimension: they are joined along their own.
static void join_along(reshard *r, size_t axis, size_t parts) {
  pir_context *ctx = r->d->ctx;
  pir_arena *arena = r->d->arena;
  dist_tensor whole = dist_replicated(&r->now.mesh, 1), cut = r->now;
  pir_shape shape = reshard_shape(r);
  int64_t dims[PIR_MAX_RANK];
  for (size_t i = 0; i < shape.rank; i++)
    dims[i] = shape.dims[i];
  if (dims[0] > 0)
    dims[0] /= (int64_t)parts;
  for (size_t i = 0; i < PIR_MAX_RANK; i++)
    cut.partial[i] = -1;
  // As Paddle's rules: concat reads partial tensors, but its result is stated as if it were not
  // partial.
  const dist_tensor whole_axis = cut;
  const pir_attr *joined = dist_tensor_attr(ctx, &cut), *number = dist_tensor_attr(ctx, &whole);
  cut.mapping[0] = -1;
  const pir_attr *piece = dist_tensor_attr(ctx, &cut);
  const pir_type *type =
      dist_type_like(ctx, pir_value_type(r->value), (pir_shape){dims, shape.rank}, &r->now);
  dist_attrs pieces = {0}, joins = {0};
  PIR_VEC(const pir_type *) types = {0};
  for (size_t i = 0; i < parts; i++) {
    pir_vec_push(arena, &pieces, piece);
    pir_vec_push(arena, &joins, dist_tensor_attr(ctx, &r->now));
    pir_vec_push(arena, &types, type);
  }
  pir_named_attr num = reshard_int(r, "num", (int64_t)parts);
  made_op split = {.id = PD_SPLIT_WITH_NUM,
                   .operands = {r->value, reshard_axis(r, 0)},
                   .operand_count = 2,
                   .type = pir_type_vector(ctx, types.items, parts),
                   .attrs = &num,
                   .attr_count = 1,
                   .mesh = r->now.mesh.attr,
                   .wanted = {piece, number},
                   .wanted_count = 2,
                   .given = pir_attr_array(ctx, pieces.items, parts)};
  const pir_type *before = pir_value_type(r->value);
  reshard_make(r, &split);
  if (dims[axis] > 0)
    dims[axis] *= (int64_t)parts;
  made_op concat = {.id = PD_CONCAT,
                    .operands = {r->value, reshard_axis(r, (int64_t)axis)},
                    .operand_count = 2,
                    .type =
                        dist_type_like(ctx, before, (pir_shape){dims, shape.rank}, &whole_axis),
                    .mesh = r->now.mesh.attr,
                    .wanted = {pir_attr_array(ctx, joins.items, parts), number},
                    .wanted_count = 2,
                    .given = joined};
  reshard_make(r, &concat);
  pir_vec_free(arena, &pieces);
  pir_vec_free(arena, &joins);
  pir_vec_free(arena, &types);
}

pir_status reshard_gather(reshard *r, size_t axis) {
  size_t mesh_dim = (size_t)r->now.mapping[axis], place;
  dist_mesh line = reshard_line(r, mesh_dim, &place);
  const pir_attr *split = on_line(r, &line, (int64_t)axis, -1),
                 *whole = on_line(r, &line, -1, -1);
  pir_shape shape = reshard_shape(r);
  int64_t dims[PIR_MAX_RANK];
  for (size_t i = 0; i < shape.rank; i++)
    dims[i] = shape.dims[i];
  if (dims[axis] > 0 && dims[axis] % (int64_t)line.count)
    return refuse_uneven(r, dims[axis], line.count);
  r->now.mapping[axis] = -1;
  if (line.count == 1) {
    reshard_rename(r, line.attr, split, whole, reshard_type(r));
    return PIR_OK;
  }
  if (dims[axis] > 0)
    dims[axis] /= (int64_t)line.count;
  if (dims[0] > 0)
    dims[0] *= (int64_t)line.count;
  pir_named_attr nranks = reshard_int(r, "nranks", (int64_t)line.count);
  line_op gather = {.id = PD_ALL_GATHER,
                    .line = &line,
                    .ring = dist_ring_of_line(r->d, &r->now.mesh, mesh_dim, place),
                    .wanted = split,
                    .given = whole,
                    .type = dist_type_like(r->d->ctx, pir_value_type(r->value),
                                           (pir_shape){dims, shape.rank}, &r->now)};
  make_on_line(r, &gather, &nranks, 1);
  if (axis)
    join_along(r, axis, line.count);
  return PIR_OK;
}

// ---- a whole dimension is cut
pir_status reshard_cut(reshard *r, size_t axis, size_t mesh_dim) {
  size_t place;
  if (!dist_holds(r->d, r->now.mesh.attr)) {
    r->now.mapping[axis] = (int64_t)mesh_dim;
    reshard_leave(r);
    return PIR_OK;
  }
  dist_mesh line = reshard_line(r, mesh_dim, &place);
  const pir_attr *whole = on_line(r, &line, -1, -1),
                 *part = on_line(r, &line, (int64_t)axis, -1);
  pir_shape shape = reshard_shape(r);
  int64_t extent = shape.dims[axis], parts = (int64_t)line.count;
  r->now.mapping[axis] = (int64_t)mesh_dim;
  if (parts == 1) {
    reshard_rename(r, line.attr, whole, part, reshard_type(r));
    return PIR_OK;
  }
  if (extent < 0)
    return pir_error(r->op, "unsupported: an unknown dimension is cut");
  if (extent % parts)
    return refuse_uneven(r, extent, line.count);
  const int64_t at = dist_mesh_coordinate(&r->now.mesh, place, mesh_dim);
  const int64_t from = at * (extent / parts), to = from + extent / parts, axes = (int64_t)axis,
                yes = 1;
  pir_value *starts = reshard_list(r, &from, 1), *ends = reshard_list(r, &to, 1);
  pir_named_attr attrs[] = {reshard_ints(r, "axes", PIR_ATTR_I64, &axes, 1),
                            reshard_ints(r, "infer_flags", PIR_ATTR_I64, &yes, 1),
                            reshard_ints(r, "decrease_axis", PIR_ATTR_I64, NULL, 0)};
  made_op m = {.id = PD_SLICE,
               .operands = {r->value, starts, ends},
               .operand_count = 3,
               .type = reshard_type(r),
               .attrs = attrs,
               .attr_count = sizeof attrs / sizeof *attrs,
               .mesh = line.attr,
               .wanted = {whole},
               .wanted_count = 1,
               .given = part};
  reshard_make(r, &m);
  return PIR_OK;
}

// ---- partial tensors
void reshard_reduce(reshard *r, size_t mesh_dim) {
  size_t place;
  dist_mesh line = reshard_line(r, mesh_dim, &place);
  int64_t type = r->now.partial[mesh_dim];
  pir_named_attr reduce = reshard_int(r, "reduce_type", type);
  r->now.partial[mesh_dim] = -1;
  line_op m = {.id = PD_ALL_REDUCE,
               .line = &line,
               .ring = dist_ring_of_line(r->d, &r->now.mesh, mesh_dim, place),
               .wanted = on_line(r, &line, -1, type),
               .given = on_line(r, &line, -1, -1),
               .type = reshard_type(r)};
  make_on_line(r, &m, &reduce, 1);
}

static void swap_with_first(reshard *r, size_t axis) {
  int64_t perm[PIR_MAX_RANK];
  for (size_t i = 0; i < r->now.rank; i++)
    perm[i] = (int64_t)i;
  perm[0] = (int64_t)axis;
  perm[axis] = 0;
  if (axis)
    reshard_transpose(r, perm, r->now.rank);
}

pir_status reshard_reduce_cut(reshard *r, size_t mesh_dim, size_t axis) {
  size_t place;
  dist_mesh line = reshard_line(r, mesh_dim, &place);
  int64_t type = r->now.partial[mesh_dim], extent = reshard_shape(r).dims[axis];
  if (type != DIST_SUM || extent < 0 || extent % (int64_t)line.count) {
    reshard_reduce(r, mesh_dim);
    return reshard_cut(r, axis, mesh_dim);
  }
  swap_with_first(r, axis);
  pir_named_attr attrs[] = {reshard_int(r, "nranks", (int64_t)line.count),
                            on_default_stream(r)};
  r->now.partial[mesh_dim] = -1;
  r->now.mapping[0] = (int64_t)mesh_dim;
  line_op m = {.id = PD_REDUCE_SCATTER,
               .line = &line,
               .ring = dist_ring_of_line(r->d, &r->now.mesh, mesh_dim, place),
               .wanted = on_line(r, &line, -1, type),
               .given = on_line(r, &line, 0, -1),
               .type = reshard_type(r)};
  make_on_line(r, &m, attrs, 2);
  swap_with_first(r, axis);
  return PIR_OK;
}

// The first of a line keeps the tensor; what the others have changes nothing when it is
// combined.
void reshard_make_partial(reshard *r, size_t mesh_dim, int64_t type) {
  size_t place;
  dist_mesh line = reshard_line(r, mesh_dim, &place);
  bool first = line.ids[0] == r->now.mesh.ids[place];
  const pir_attr *whole = on_line(r, &line, -1, -1);
  r->now.partial[mesh_dim] = type;
  if ((type == DIST_SUM || type == DIST_PRODUCT) && !first) {
    const full_sides sides = {line.attr, on_line(r, &line, -1, type), whole};
    r->value =
        pir_op_result(reshard_full(r, reshard_type(r), type == DIST_PRODUCT, 0, &sides), 0);
    return;
  }
  made_op m = {.id = PD_ASSIGN,
               .operands = {r->value},
               .operand_count = 1,
               .type = reshard_type(r),
               .mesh = line.attr,
               .wanted = {whole},
               .wanted_count = 1,
               .given = on_line(r, &line, -1, type)};
  reshard_make(r, &m);
}

// ---- the part of one dimension for the part of another one

static dist_tensor split_at(const reshard *r, size_t rank, int64_t axis) {
  dist_tensor tensor = dist_replicated(&r->now.mesh, rank);
  if (axis >= 0)
    tensor.mapping[axis] = 0;
  return tensor;
}

static const pir_type *type_of_dims(const reshard *r, const int64_t *dims,
                                    const dist_tensor *tensor) {
  return dist_type_like(r->d->ctx, pir_value_type(r->value), (pir_shape){dims, tensor->rank},
                        tensor);
}

// Reshapes the exchanged parts to the tensor with its other part.
static void merge_dims(reshard *r, pir_shape shape, size_t from, size_t to, int64_t parts) {
  int64_t dims[PIR_MAX_RANK];
  for (size_t i = 0; i < shape.rank; i++)
    dims[i] = shape.dims[i];
  if (dims[to] > 0)
    dims[to] /= parts;
  if (dims[from] > 0)
    dims[from] *= parts;
  dist_tensor none = split_at(r, shape.rank + 1, -1), flat = split_at(r, shape.rank, -1),
              split = split_at(r, shape.rank, (int64_t)to);
  reshard_reshape(r, dims, shape.rank, type_of_dims(r, shape.dims, &split), &none, &flat);
  r->now = split;
}

// [.. S ..] as [n .. S/n ..]: the part for each process lies together.
static void bring_to_front(reshard *r, pir_shape shape, size_t from, size_t to, int64_t parts) {
  int64_t dims[PIR_MAX_RANK], perm[PIR_MAX_RANK];
  for (size_t i = 0; i < shape.rank + 1; i++) {
    dims[i] = shape.dims[i - (i > to)];
    perm[i] = (int64_t)(i - (i <= to));
  }
  dims[to] = parts;
  perm[0] = (int64_t)to;
  if (dims[to + 1] > 0)
    dims[to + 1] /= parts;
  dist_tensor cut = split_at(r, shape.rank + 1, (int64_t)(from + (from > to)));
  reshard_reshape(r, dims, shape.rank + 1, type_of_dims(r, dims, &cut), &r->now, &cut);
  r->now = cut;
  reshard_transpose(r, perm, shape.rank + 1);
}

// [n B/n ..] of [B ..]: the part from each process.
static void name_sources(reshard *r, pir_shape shape, size_t from, int64_t parts) {
  int64_t dims[PIR_MAX_RANK];
  dims[0] = parts;
  for (size_t i = 0; i < shape.rank; i++)
    dims[i + 1] = shape.dims[i];
  if (dims[1] > 0)
    dims[1] /= parts;
  dist_tensor given = split_at(r, shape.rank + 1, (int64_t)from + 1);
  reshard_reshape(r, dims, shape.rank + 1, type_of_dims(r, dims, &given), &r->now, &given);
  r->now = given;
}

static void bring_in_front_of(reshard *r, size_t rank, size_t axis) {
  int64_t perm[PIR_MAX_RANK];
  for (size_t i = 0; i < rank + 1; i++)
    perm[i] = (int64_t)(i + (i < axis));
  perm[axis] = 0;
  reshard_transpose(r, perm, rank + 1);
}

// Where neither dimension is the first one, the tensors are exchanged with one dimension more.
// (Paddle 3.3.1 divides the first dimension there, which mixes rows.)
pir_status reshard_exchange(reshard *r, size_t from, size_t to) {
  size_t place;
  dist_mesh line = reshard_line(r, 0, &place);
  pir_shape shape = reshard_shape(r);
  int64_t parts = (int64_t)line.count;
  if (shape.rank == PIR_MAX_RANK)
    return pir_error(r->op, "unsupported: an exchange of a tensor of rank %d", PIR_MAX_RANK);
  if (shape.dims[from] % parts || shape.dims[to] % parts)
    return refuse_uneven(r, shape.dims[shape.dims[from] % parts ? from : to], line.count);
  const pir_attr *had = on_line(r, &line, (int64_t)from, -1),
                 *gets = on_line(r, &line, (int64_t)to, -1);
  if (to)
    bring_to_front(r, shape, from, to, parts);
  else
    reshard_rename(r, line.attr, had, had, reshard_type(r));
  if (!from)
    merge_dims(r, shape, from, to, parts);
  pir_named_attr stream = on_default_stream(r);
  line_op m = {.id = PD_ALL_TO_ALL,
               .line = &line,
               .ring = dist_ring_of_line(r->d, &r->now.mesh, 0, place),
               .wanted = had,
               .given = gets,
               .type = reshard_type(r)};
  make_on_line(r, &m, &stream, 1);
  if (!to)
    name_sources(r, shape, from, parts);
  if (from) {
    bring_in_front_of(r, shape.rank, from);
    merge_dims(r, shape, from, to, parts);
  }
  return PIR_OK;
}
