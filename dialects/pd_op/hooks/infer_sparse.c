// Facts of sparse tensors: lists of values, extents (a tensor whose contents are the shape),
// and indices or rows and columns. The number of entries is known only at run time, unless it
// follows from the operand.
#include "infer_impl.h"
#include <pd_op_hooks.h>

#include <pir/compiler/dialect/pd_op.h>

#include <string.h>

enum { VALUES, EXTENTS, INDICES, COO_PARTS, CSR_PARTS };

// The known parts of a sparse tensor; rank -1 if nothing is known.
typedef struct sparse_shape {
  pir_dtype dtype;
  int32_t rank, axes;
  pir_dim extents[PIR_MAX_RANK];
} sparse_shape;

// Reads the shape of operand k; false unless it is a sparse tensor with `parts` parts.
static bool sparse_shape_of(const pir_infer *infer, int k, size_t parts, sparse_shape *out) {
  const pir_fact *x = (size_t)k < infer->operand_count ? infer->operands[k] : NULL;
  *out = (sparse_shape){.rank = -1};
  if (!x || !x->members || x->member_count != parts)
    return false;
  const pir_fact *values = x->members[VALUES], *extents = x->members[EXTENTS],
                 *indices = x->members[INDICES];
  out->dtype = values->dtype;
  if (!extents->contents || extents->content_count > PIR_MAX_RANK)
    return false;
  int64_t axes = (int64_t)extents->content_count;
  if (parts == COO_PARTS &&
      (!fact_has_rank(indices, 2) || !pir_dim_is_const(infer->dims, indices->shape[0], &axes)))
    return false;
  if (axes > (int64_t)extents->content_count || axes < 1)
    return false;
  out->rank = (int32_t)extents->content_count;
  out->axes = (int32_t)axes;
  memcpy(out->extents, extents->contents, extents->content_count * sizeof *out->extents);
  return true;
}

static const pir_fact **new_parts(pir_infer *infer, size_t count, pir_fact **out_facts) {
  pir_fact *facts = INFER_NEW(infer, pir_fact, count);
  const pir_fact **members = INFER_NEW(infer, const pir_fact *, count);
  for (size_t i = 0; i < count; i++) {
    facts[i] =
        (pir_fact){.known = true, .dtype = PIR_I64, .rank = 1, .shape = {PIR_DIM_UNKNOWN}};
    members[i] = &facts[i];
  }
  *out_facts = facts;
  return members;
}

// Sets result 0 to that shape, with `parts` parts.
static void put_sparse(pir_infer *infer, const sparse_shape *s, size_t parts) {
  pir_fact *facts;
  const pir_fact **members = new_parts(infer, parts, &facts);
  pir_dim *contents = INFER_NEW(infer, pir_dim, (size_t)s->rank);
  memcpy(contents, s->extents, (size_t)s->rank * sizeof *contents);
  facts[VALUES].dtype = s->dtype;
  facts[VALUES].rank = 1 + s->rank - s->axes;
  memcpy(facts[VALUES].shape + 1, s->extents + s->axes,
         (size_t)(s->rank - s->axes) * sizeof *contents);
  facts[EXTENTS].shape[0] = s->rank;
  facts[EXTENTS].contents = contents;
  facts[EXTENTS].content_count = (size_t)s->rank;
  if (parts == COO_PARTS)
    fact_put_shape(&facts[INDICES], 2, s->axes, PIR_DIM_UNKNOWN, 0, 0);
  else {
    pir_dim rows = pir_dim_add(infer->dims, s->extents[s->rank - 2], 1);
    facts[INDICES].shape[0] =
        s->rank == 3 ? pir_dim_mul(infer->dims, s->extents[0], rows) : rows;
  }
  infer->results[0] = (pir_fact){
      .known = true, .dtype = s->dtype, .rank = -1, .members = members, .member_count = parts};
}

static pir_status not_sparse(pir_infer *infer, int k, const char *kind) {
  pir_ignore(pir_infer_fail(
      infer, "unsupported: %s: expects a sparse tensor of %s with extents known before the run",
      infer->def->operands[k].name, kind));
  return PIR_UNSUPPORTED;
}

#define COORDINATES(k, shape)                                                                  \
  sparse_shape shape;                                                                          \
  if (!sparse_shape_of(infer, k, COO_PARTS, &shape))                                           \
  return not_sparse(infer, k, "coordinates")

pir_status pd_infer_sparse_dense(pir_infer *infer) {
  COORDINATES(0, s);
  pir_fact *out = infer_begin(infer, 0);
  out->dtype = s.dtype;
  out->rank = s.rank;
  memcpy(out->shape, s.extents, sizeof out->shape);
  return PIR_OK;
}

pir_status pd_infer_sparse_same(pir_infer *infer) {
  COORDINATES(0, s);
  put_sparse(infer, &s, COO_PARTS);
  return PIR_OK;
}

pir_status pd_infer_sparse_pair(pir_infer *infer) {
  COORDINATES(0, a);
  COORDINATES(1, b);
  int64_t n, m;
  bool fits = a.rank == b.rank && a.axes == b.axes && a.dtype == b.dtype;
  for (int32_t i = 0; i < a.rank && fits; i++)
    fits = !pir_dim_is_const(infer->dims, a.extents[i], &n) ||
           !pir_dim_is_const(infer->dims, b.extents[i], &m) || n == m;
  if (!fits)
    return pir_infer_fail(infer, "x and y: expects one shape and type, found others");
  put_sparse(infer, &a, COO_PARTS);
  return PIR_OK;
}

pir_status pd_infer_sparse_from_dense(pir_infer *infer) {
  const pir_fact *x = infer->operands[0];
  int64_t axes = infer->attrs[0].i;
  if (!x || !x->known || x->members || x->rank < 0)
    return not_sparse(infer, 0, "no kind, but a dense one");
  if (axes < 1 || axes > x->rank)
    return pir_infer_fail(infer, "sparse_dim: expects 1 to %d, found %lld", x->rank,
                          (long long)axes);
  sparse_shape s = {.dtype = x->dtype, .rank = x->rank, .axes = (int32_t)axes};
  memcpy(s.extents, x->shape, sizeof s.extents);
  put_sparse(infer, &s, COO_PARTS);
  return PIR_OK;
}

pir_status pd_infer_sparse_to_rows(pir_infer *infer) {
  COORDINATES(0, s);
  if ((s.rank != 2 && s.rank != 3) || s.axes != s.rank)
    return not_sparse(infer, 0, "two or three coordinates");
  put_sparse(infer, &s, CSR_PARTS);
  return PIR_OK;
}

pir_status pd_infer_sparse_from_rows(pir_infer *infer) {
  sparse_shape s;
  bool known = sparse_shape_of(infer, 0, CSR_PARTS, &s);
  if (!known || (s.rank != 2 && s.rank != 3))
    return not_sparse(infer, 0, "rows");
  put_sparse(infer, &s, COO_PARTS);
  return PIR_OK;
}

pir_status pd_infer_sparse_transpose(pir_infer *infer) {
  COORDINATES(0, s);
  const pir_attr_value *perm = &infer->attrs[0];
  sparse_shape to = s;
  if (perm->count != (size_t)s.rank)
    return pir_infer_fail(infer, "perm: expects %d axes, found %zu", s.rank, perm->count);
  for (int32_t i = 0; i < s.rank; i++) {
    int64_t axis = perm->ints[i] < 0 ? perm->ints[i] + s.rank : perm->ints[i];
    if (axis < 0 || axis >= s.rank)
      return pir_infer_fail(infer, "perm: expects axes of rank %d, found %lld", s.rank,
                            (long long)perm->ints[i]);
    to.extents[i] = s.extents[axis];
  }
  put_sparse(infer, &to, COO_PARTS);
  return PIR_OK;
}

pir_status pd_infer_sparse_reshape(pir_infer *infer) {
  COORDINATES(0, s);
  pir_dims *dims = infer->dims;
  const pir_fact *shape = infer->operands[1];
  pir_dim count, all = 1, rest = 1;
  int64_t n, value;
  int32_t open = -1;
  if (!fact_count(shape, &count) || !pir_dim_is_const(dims, count, &n) || n < 1 ||
      n > PIR_MAX_RANK)
    return pir_infer_fail(infer, "shape: expects a list of known length");
  sparse_shape to = {.dtype = s.dtype, .rank = (int32_t)n, .axes = (int32_t)n};
  for (int32_t i = 0; i < s.rank; i++)
    all = pir_dim_mul(dims, all, s.extents[i]);
  for (int32_t i = 0; i < to.rank; i++) {
    to.extents[i] = fact_element(shape, i);
    if (to.extents[i] == PIR_DIM_UNKNOWN)
      return not_sparse(infer, 0, "coordinates, and a shape");
    if (pir_dim_is_const(dims, to.extents[i], &value) && value == 0 && i < s.rank)
      to.extents[i] = s.extents[i];
    if (pir_dim_is_const(dims, to.extents[i], &value) && value == -1)
      open = i;
    else
      rest = pir_dim_mul(dims, rest, to.extents[i]);
  }
  if (open >= 0)
    to.extents[open] = pir_dim_floordiv(dims, all, rest);
  put_sparse(infer, &to, COO_PARTS);
  return PIR_OK;
}

pir_status pd_infer_sparse_slice(pir_infer *infer) {
  COORDINATES(0, s);
  const pir_attr_value *axes = &infer->attrs[0];
  for (size_t i = 0; i < axes->count; i++) {
    int64_t axis = axes->ints[i] < 0 ? axes->ints[i] + s.rank : axes->ints[i], bound[2], n;
    if (axis < 0 || axis >= s.rank)
      return pir_infer_fail(infer, "axes: expects axes of rank %d, found %lld", s.rank,
                            (long long)axes->ints[i]);
    bool known = pir_dim_is_const(infer->dims, s.extents[axis], &n);
    for (int b = 0; b < 2 && known; b++) {
      pir_dim element = fact_element(infer->operands[1 + b], (int64_t)i);
      known = element != PIR_DIM_UNKNOWN && pir_dim_is_const(infer->dims, element, &bound[b]);
      if (known && bound[b] < 0)
        bound[b] += n;
      if (known)
        bound[b] = clamp(bound[b], 0, n);
    }
    if (!known)
      return not_sparse(infer, 0, "coordinates, starts and ends");
    s.extents[axis] = bound[1] > bound[0] ? bound[1] - bound[0] : 0;
  }
  put_sparse(infer, &s, COO_PARTS);
  return PIR_OK;
}

pir_status pd_infer_sparse_sum(pir_infer *infer) {
  COORDINATES(0, s);
  pir_dim count;
  int64_t n, axis = -1;
  bool keep = infer->attrs[1].i != 0;
  if (!fact_count(infer->operands[1], &count) || !pir_dim_is_const(infer->dims, count, &n) ||
      n > 1)
    return not_sparse(infer, 0, "coordinates and one axis");
  if (n == 1) {
    pir_dim element = fact_element(infer->operands[1], 0);
    if (element == PIR_DIM_UNKNOWN || !pir_dim_is_const(infer->dims, element, &axis))
      return not_sparse(infer, 0, "coordinates and an axis");
    if (axis < 0)
      axis += s.rank;
    if (axis < 0 || axis >= s.rank)
      return pir_infer_fail(infer, "axis: expects an axis of rank %d, found %lld", s.rank,
                            (long long)axis);
  }
  pir_dtype asked = (pir_dtype)infer->attrs[0].i;
  sparse_shape to = {.dtype = pir_dtype_is_float(s.dtype) ? s.dtype : PIR_I64};
  if (asked != PIR_UNDEFINED)
    to.dtype = asked;
  for (int32_t i = 0; i < s.rank; i++) {
    bool gone = axis < 0 || i == axis;
    if (gone && !keep)
      continue;
    to.extents[to.rank++] = gone ? 1 : s.extents[i];
    to.axes += i < s.axes;
  }
  if (!to.rank) {
    to.extents[to.rank++] = 1;
    to.axes = 1;
  }
  put_sparse(infer, &to, COO_PARTS);
  return PIR_OK;
}

// The rows of a table: its extents but the first follow the shape of the numbers, whose last
// extent of 1 goes where the table is the first operand.
pir_status pd_infer_rows_by_number(pir_infer *infer) {
  const pir_fact *first = infer->operands[0];
  int table = first && first->members ? 0 : 1;
  const pir_fact *ids = infer->operands[1 - table];
  COORDINATES(table, s);
  pir_fact *out = infer_begin(infer, 0);
  out->dtype = s.dtype;
  if (!ids || !ids->known || ids->members || ids->rank < 0)
    return PIR_OK;
  int32_t kept = table == 0 && ids->rank > 0 ? ids->rank - 1 : ids->rank;
  if (kept + s.rank - 1 > PIR_MAX_RANK)
    return pir_infer_fail(infer, "expects at most %d axes in all", PIR_MAX_RANK);
  out->rank = kept + s.rank - 1;
  memcpy(out->shape, ids->shape, (size_t)kept * sizeof *out->shape);
  memcpy(out->shape + kept, s.extents + 1, (size_t)(s.rank - 1) * sizeof *out->shape);
  return PIR_OK;
}

// Places of a window over the stored positions: the extents of a dense one. The filter of a
// convolution [taps.., ins, outs] is operand 1; a pooling states its taps in attribute 0.
pir_status pd_infer_sparse_window(pir_infer *infer) {
  COORDINATES(0, s);
  pir_dims *dims = infer->dims;
  bool pools = infer->operand_count < 2;
  const pir_fact *filter = pools ? NULL : infer->operands[1];
  const pir_attr_value *attrs = &infer->attrs[pools];
  bool kept = !pools && attrs[4].i;
  int32_t space = s.rank - 2;
  pir_dim taps = 1;
  bool listed = space > 0 && attrs[0].count >= (size_t)space &&
                attrs[1].count >= (size_t)space && attrs[2].count >= (size_t)space;
  if (!listed || (pools && infer->attrs[0].count < (size_t)space))
    return pir_infer_fail(infer, "expects paddings, dilations and strides of each axis");
  if (!pools && !fact_has_rank(filter, s.rank))
    return not_sparse(infer, 1, "no kind, but a filter");
  for (int32_t a = 0; a < space; a++) {
    pir_dim extent = pools ? infer->attrs[0].ints[a] : filter->shape[a];
    taps = pir_dim_mul(dims, taps, extent);
    if (kept)
      continue;
    if (attrs[0].ints[a] < 0 || attrs[1].ints[a] <= 0 || attrs[2].ints[a] <= 0)
      return pir_infer_fail(infer, "expects paddings, and positive dilations and strides");
    pir_dim reach = pir_dim_mul(dims, pir_dim_sub(dims, extent, 1), attrs[1].ints[a]);
    pir_dim room = pir_dim_add(dims, s.extents[1 + a], 2 * attrs[0].ints[a]);
    pir_dim last = pir_dim_sub(dims, pir_dim_sub(dims, room, reach), 1);
    pir_dim steps = pir_dim_floordiv(dims, last, attrs[2].ints[a]);
    s.extents[1 + a] = pir_dim_add(dims, steps, 1);
  }
  if (!pools)
    s.extents[s.rank - 1] = filter->shape[s.rank - 1];
  put_sparse(infer, &s, COO_PARTS);
  if (infer->result_count > 1)
    fact_put_shape(infer_begin(infer, 1), 2, 3, PIR_DIM_UNKNOWN, 0, 0);
  if (infer->result_count > 2)
    fact_put_shape(infer_begin(infer, 2), 1, taps, 0, 0, 0);
  for (size_t i = 1; i < infer->result_count; i++)
    infer->results[i].dtype = PIR_I32;
  return PIR_OK;
}

// The gradients of a sparse tensor and of a dense one.
pir_status pd_infer_sparse_gradients(pir_infer *infer) {
  COORDINATES(0, s);
  put_sparse(infer, &s, COO_PARTS);
  pir_fact *out = infer_begin(infer, 1);
  const pir_fact *like = infer->operands[1];
  if (!like || !like->known || like->members || like->rank < 0)
    return PIR_OK;
  out->rank = like->rank;
  memcpy(out->shape, like->shape, sizeof out->shape);
  return PIR_OK;
}
