// The ops that reshards become: their attributes, in the kinds that Paddle gives them.
#include "reshard.h"

#include <pir/compiler/dialect/pd_op.h>

#include <string.h>

static pir_name *attr_name(const reshard *r, const char *name) {
  return pir_name_get(r->d->ctx, (pir_str){name, strlen(name)});
}

pir_named_attr reshard_int(const reshard *r, const char *name, int64_t value) {
  return (pir_named_attr){attr_name(r, name), pir_attr_int(r->d->ctx, PIR_ATTR_I32, value)};
}

pir_named_attr reshard_flag(const reshard *r, const char *name, bool value) {
  return (pir_named_attr){attr_name(r, name), pir_attr_bool(r->d->ctx, value)};
}

pir_named_attr reshard_ints(const reshard *r, const char *name, pir_attr_kind kind,
                            const int64_t *values, size_t count) {
  if (kind == PIR_ATTR_INT_ARRAY)
    return (pir_named_attr){attr_name(r, name), pir_attr_int_array(r->d->ctx, values, count)};
  const pir_attr *entries[PIR_MAX_RANK + 1];
  for (size_t i = 0; i < count; i++)
    entries[i] = pir_attr_int(r->d->ctx, kind, values[i]);
  return (pir_named_attr){attr_name(r, name), pir_attr_array(r->d->ctx, entries, count)};
}

pir_op *reshard_make(reshard *r, const made_op *m) {
  dist_state *d = r->d;
  pir_named_attr attrs[10];
  size_t count = 0;
  while (count < m->attr_count) {
    attrs[count] = m->attrs[count];
    count++;
  }
  if (m->mesh)
    attrs[count++] =
        (pir_named_attr){d->op_dist, dist_op_attr(d->ctx, m->mesh, m->wanted, m->wanted_count,
                                                  &m->given, m->given != NULL, r->chunk)};
  if (!m->type && pir_op_attr(r->op, d->stop_gradient))
    attrs[count++] = (pir_named_attr){d->stop_gradient, pir_attr_array(d->ctx, NULL, 0)};
  pir_op_spec spec = {.def = pir_context_op(d->ctx, m->id),
                      .operands = m->operands,
                      .operand_count = m->operand_count,
                      .result_types = &m->type,
                      .result_count = m->type != NULL,
                      .attrs = attrs,
                      .attr_count = count};
  pir_op *op = pir_rewriter_create(d->rewriter, r->op, &spec);
  if (m->type)
    r->value = pir_op_result(op, 0);
  return op;
}

pir_shape reshard_shape(const reshard *r) {
  return pir_type_shape(pir_value_type(r->value));
}

const pir_type *reshard_type(const reshard *r) {
  return dist_type_of(r->d->ctx, pir_type_inner(pir_value_type(r->value)), &r->now);
}

dist_mesh reshard_line(const reshard *r, size_t mesh_dim, size_t *out_place) {
  const dist_mesh *mesh = &r->now.mesh;
  size_t place = dist_mesh_place(mesh, r->d->rank);
  *out_place = place < mesh->count ? place : 0;
  return dist_mesh_line(r->d->ctx, mesh, mesh_dim, *out_place);
}

static const pir_type *whole_on_mesh(const reshard *r, pir_dtype dtype, int64_t extent) {
  dist_tensor whole = dist_replicated(&r->now.mesh, 1);
  return dist_type_of(r->d->ctx, pir_type_tensor(r->d->ctx, dtype, (pir_shape){&extent, 1}),
                      &whole);
}

// Makes an op beside the tensor, which stays the same.
static pir_op *make_beside(reshard *r, const made_op *m) {
  pir_value *value = r->value;
  pir_op *op = reshard_make(r, m);
  r->value = value;
  return op;
}

pir_value *reshard_list(reshard *r, const int64_t *values, size_t count) {
  pir_context *ctx = r->d->ctx;
  pir_named_attr attrs[] = {
      reshard_ints(r, "value", PIR_ATTR_I64, values, count),
      {attr_name(r, "dtype"), pir_attr_dtype(ctx, PIR_I64)},
      {attr_name(r, "place"), pir_attr_place(ctx, (pir_place){.kind = 1})}};
  made_op m = {.id = PD_FULL_INT_ARRAY,
               .type = whole_on_mesh(r, PIR_I64, (int64_t)count),
               .attrs = attrs,
               .attr_count = sizeof attrs / sizeof *attrs};
  return pir_op_result(make_beside(r, &m), 0);
}

pir_op *reshard_full(reshard *r, const pir_type *type, int64_t number, int place,
                     const full_sides *sides) {
  pir_context *ctx = r->d->ctx;
  pir_shape shape = pir_type_shape(type);
  pir_named_attr attrs[] = {
      reshard_ints(r, "shape", PIR_ATTR_INT_ARRAY, shape.dims, shape.rank),
      {attr_name(r, "value"), pir_attr_float(ctx, PIR_ATTR_F64, (double)number)},
      {attr_name(r, "dtype"), pir_attr_dtype(ctx, pir_type_dtype(type))},
      {attr_name(r, "place"), pir_attr_place(ctx, (pir_place){.kind = place})}};
  made_op m = {.id = PD_FULL,
               .type = type,
               .attrs = attrs,
               .attr_count = sizeof attrs / sizeof *attrs,
               .mesh = sides->mesh,
               .wanted = {sides->wanted},
               .wanted_count = sides->wanted != NULL,
               .given = sides->given};
  return make_beside(r, &m);
}

pir_value *reshard_axis(reshard *r, int64_t axis) {
  enum { ON_HOST = 1 };
  const full_sides none = {0};
  return pir_op_result(reshard_full(r, whole_on_mesh(r, PIR_I32, 1), axis, ON_HOST, &none), 0);
}

void reshard_rename(reshard *r, const pir_attr *mesh, const pir_attr *from, const pir_attr *to,
                    const pir_type *type) {
  made_op m = {.id = PD_SHARE_DATA_,
               .operands = {r->value},
               .operand_count = 1,
               .type = type,
               .mesh = mesh,
               .wanted = {from},
               .wanted_count = 1,
               .given = to};
  reshard_make(r, &m);
}

void reshard_leave(reshard *r) {
  const pir_attr *to = dist_tensor_attr(r->d->ctx, &r->now);
  pir_value *result = pir_op_result(r->op, 0);
  bool last = dist_attr_same(pir_type_dist_attr(pir_value_type(result)), to);
  if (!last || r->value != pir_op_operand(r->op, 0))
    result = pir_op_result(dist_make_reshard(r->d, r->op, r->value, to), 0);
  r->value = result;
}

void reshard_reshape(reshard *r, const int64_t *dims, size_t rank, const pir_type *type,
                     const dist_tensor *wanted, const dist_tensor *given) {
  pir_context *ctx = r->d->ctx;
  dist_tensor whole = dist_replicated(&r->now.mesh, 1);
  made_op m = {.id = PD_RESHAPE,
               .operands = {r->value, reshard_list(r, dims, rank)},
               .operand_count = 2,
               .type = type,
               .mesh = r->now.mesh.attr,
               .wanted = {dist_tensor_attr(ctx, wanted), dist_tensor_attr(ctx, &whole)},
               .wanted_count = 2,
               .given = dist_tensor_attr(ctx, given)};
  reshard_make(r, &m);
}

void reshard_transpose(reshard *r, const int64_t *perm, size_t rank) {
  pir_shape shape = reshard_shape(r);
  int64_t dims[PIR_MAX_RANK];
  dist_tensor before = r->now;
  for (size_t i = 0; i < rank; i++) {
    dims[i] = shape.dims[perm[i]];
    r->now.mapping[i] = before.mapping[perm[i]];
  }
  pir_named_attr attr = reshard_ints(r, "perm", PIR_ATTR_I32, perm, rank);
  const pir_attr *given = dist_tensor_attr(r->d->ctx, &r->now);
  made_op m = {.id = PD_TRANSPOSE,
               .operands = {r->value},
               .operand_count = 1,
               .type = dist_type_like(r->d->ctx, pir_value_type(r->value),
                                      (pir_shape){dims, rank}, &r->now),
               .attrs = &attr,
               .attr_count = 1,
               .mesh = r->now.mesh.attr,
               .wanted = {dist_tensor_attr(r->d->ctx, &before)},
               .wanted_count = 1,
               .given = given};
  reshard_make(r, &m);
}
