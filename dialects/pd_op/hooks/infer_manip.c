// Facts of ops that move elements, if an extent follows from contents (reshape, expand, slice,
// split) or the number of results from an attribute.
#include "infer_impl.h"
#include <pd_op_hooks.h>

#include <pir/compiler/dialect/pd_op.h>

#include <string.h>

// The fact of an array's element: programs state the type even of an empty array.
pir_status pd_infer_popped(pir_infer *infer) {
  infer->results[PD_ARRAY_POP_OUT_OUT] = (pir_fact){.unstated = true, .rank = -1};
  return PIR_OK;
}

static bool infer_constant(const pir_infer *infer, pir_dim dim, int64_t *out) {
  return pir_dim_is_const(infer->dims, dim, out);
}

static bool infer_count(const pir_infer *infer, const pir_fact *list, int64_t *out) {
  pir_dim count;
  return fact_count(list, &count) && infer_constant(infer, count, out);
}

// ---- one tensor to another shape
static bool asks_to_infer(const pir_infer *infer, pir_dim dim) {
  int64_t extent;
  return infer_constant(infer, dim, &extent) && extent == -1;
}

// Returns the extent for -1: the elements of x divided by the given extents. Common extents
// cancel first, so that a possibly empty batch does not cause a division by 0.
static pir_dim open_extent(pir_infer *infer, const pir_fact *x, const pir_fact *out,
                           int32_t open) {
  pir_dim all = 1, given = 1;
  bool taken[PIR_MAX_RANK] = {0};
  int64_t known;
  for (int32_t i = 0; i < out->rank; i++) {
    int32_t same = 0;
    if (i == open)
      continue;
    while (same < x->rank && (taken[same] || x->shape[same] != out->shape[i]))
      same++;
    if (same < x->rank)
      taken[same] = true;
    else
      given = pir_dim_mul(infer->dims, given, out->shape[i]);
  }
  for (int32_t i = 0; i < x->rank; i++)
    if (!taken[i])
      all = pir_dim_mul(infer->dims, all, x->shape[i]);
  if (infer_constant(infer, given, &known) && known == 0)
    return 0;
  return pir_dim_floordiv(infer->dims, all, given);
}

// Whether `total` elements can fill a shape whose known extents have the product `rest`.
static bool fills_shape(int64_t total, int64_t rest, bool open) {
  if (!open)
    return total == rest;
  return rest ? total % rest == 0 : total == 0;
}

pir_status pd_infer_reshape(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_RESHAPE_IN_X],
                 *shape = infer->operands[PD_RESHAPE_IN_SHAPE];
  pir_fact *out = infer_begin(infer, 0);
  int64_t n, total, rest;
  int32_t open = -1;
  if (!infer_count(infer, shape, &n))
    return PIR_OK;
  if (n > PIR_MAX_RANK)
    return pir_infer_fail(infer, "rank %lld is over %d", (long long)n, PIR_MAX_RANK);
  out->rank = (int32_t)n;
  pir_dim product = 1;
  for (int32_t i = 0; i < out->rank; i++) {
    pir_dim dim = fact_element(shape, i);
    int64_t extent;
    if (infer_constant(infer, dim, &extent) && extent == 0)
      dim = fact_has_shape(x) && i < x->rank ? x->shape[i] : PIR_DIM_UNKNOWN;
    if (asks_to_infer(infer, dim)) {
      if (open >= 0)
        return pir_infer_fail(infer, "two extents are -1");
      open = i;
      dim = PIR_DIM_UNKNOWN;
    } else if (dim == PIR_DIM_UNKNOWN || product == PIR_DIM_UNKNOWN) {
      product = PIR_DIM_UNKNOWN;
    } else {
      product = pir_dim_mul(infer->dims, product, dim);
    }
    out->shape[i] = dim;
  }
  if (!fact_has_shape(x) || product == PIR_DIM_UNKNOWN)
    return PIR_OK;
  bool both = infer_constant(infer, fact_numel(infer->dims, x), &total) &&
              infer_constant(infer, product, &rest);
  if (both && !fills_shape(total, rest, open >= 0))
    return pir_infer_fail(infer, "%lld elements do not fit the shape of %lld", (long long)total,
                          (long long)rest);
  if (open >= 0)
    out->shape[open] = open_extent(infer, x, out, open);
  else
    infer_require(infer, PIR_EQUAL, fact_numel(infer->dims, x), product);
  return PIR_OK;
}

// The shape is an attribute; one extent may be -1.
pir_status pd_infer_view_shape(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_VIEW_SHAPE_IN_INPUT];
  const pir_attr_value *dims = &infer->attrs[PD_VIEW_SHAPE_ATTR_DIMS];
  pir_fact *out = infer_begin(infer, 0);
  int32_t open = -1;
  if (dims->count > PIR_MAX_RANK)
    return pir_infer_fail(infer, "rank %zu is over %d", dims->count, PIR_MAX_RANK);
  out->rank = (int32_t)dims->count;
  for (int32_t i = 0; i < out->rank; i++) {
    out->shape[i] = dims->ints[i] < 0 ? PIR_DIM_UNKNOWN : dims->ints[i];
    if (dims->ints[i] < 0 && open >= 0)
      return pir_infer_fail(infer, "two extents are -1");
    if (dims->ints[i] < 0)
      open = i;
  }
  if (open >= 0 && fact_has_shape(x))
    out->shape[open] = open_extent(infer, x, out, open);
  return PIR_OK;
}

pir_status pd_infer_flatten(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_FLATTEN_IN_X];
  pir_fact *out = infer_begin(infer, 0);
  int32_t start, stop;
  if (!fact_has_shape(x))
    return PIR_OK;
  if (x->rank == 0) {
    out->rank = 1;
    out->shape[0] = 1;
    return PIR_OK;
  }
  PIR_TRY(infer_wrap_axis(infer, infer->attrs[PD_FLATTEN_ATTR_START_AXIS].i, x->rank, &start));
  PIR_TRY(infer_wrap_axis(infer, infer->attrs[PD_FLATTEN_ATTR_STOP_AXIS].i, x->rank, &stop));
  if (start > stop)
    return pir_infer_fail(infer, "start_axis %d is after stop_axis %d", start, stop);
  out->rank = 0;
  for (int32_t i = 0; i < x->rank; i++) {
    if (i > start && i <= stop)
      out->shape[start] = pir_dim_mul(infer->dims, out->shape[start], x->shape[i]);
    else
      out->shape[out->rank++] = x->shape[i];
  }
  return PIR_OK;
}

// Gives a result unknown extents along `rank` axes, because a tensor holds the axes of the op.
static void forget_extents(pir_fact *out, int32_t rank) {
  out->rank = rank;
  for (int32_t i = 0; i < rank; i++)
    out->shape[i] = PIR_DIM_UNKNOWN;
}

pir_status pd_infer_squeeze(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_SQUEEZE_IN_X],
                 *axes = infer->operands[PD_SQUEEZE_IN_AXIS];
  pir_fact *out = infer_begin(infer, 0);
  int64_t count, axis, extent;
  uint32_t gone = 0;
  if (!fact_has_shape(x) || !infer_count(infer, axes, &count))
    return PIR_OK;
  for (int64_t i = 0; i < count; i++) {
    int32_t at;
    if (!infer_constant(infer, fact_element(axes, i), &axis)) {
      forget_extents(out, count < x->rank ? x->rank - (int32_t)count : 0);
      return PIR_OK;
    }
    if (x->rank == 0 && (axis == 0 || axis == -1))
      continue;
    PIR_TRY(infer_wrap_axis(infer, axis, x->rank, &at));
    // An axis that is not 1 stays.
    if (!infer_constant(infer, x->shape[at], &extent) || extent == 1)
      gone |= 1u << at;
  }
  for (int32_t i = 0; !count && i < x->rank; i++) {
    if (!infer_constant(infer, x->shape[i], &extent)) {
      out->rank = -1;
      return PIR_OK;
    }  // how many go shows only in the run
    if (extent == 1)
      gone |= 1u << i;
  }
  out->rank = 0;
  for (int32_t i = 0; i < x->rank; i++)
    if (!(gone >> i & 1))
      out->shape[out->rank++] = x->shape[i];
  return PIR_OK;
}

pir_status pd_infer_unsqueeze(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_UNSQUEEZE_IN_X],
                 *axes = infer->operands[PD_UNSQUEEZE_IN_AXIS];
  pir_fact *out = infer_begin(infer, 0);
  int64_t count, axis;
  if (!fact_has_shape(x) || !infer_count(infer, axes, &count))
    return PIR_OK;
  if (x->rank + count > PIR_MAX_RANK)
    return pir_infer_fail(infer, "rank over %d", PIR_MAX_RANK);
  // Axes are inserted one after another; each counts in the shape at that point.
  pir_dim shape[PIR_MAX_RANK];
  int32_t rank = x->rank;
  memcpy(shape, x->shape, sizeof shape);
  for (int64_t i = 0; i < count; i++) {
    int32_t at;
    if (!infer_constant(infer, fact_element(axes, i), &axis)) {
      out->rank = x->rank + (int32_t)count;
      for (int32_t d = 0; d < out->rank; d++)
        out->shape[d] = PIR_DIM_UNKNOWN;
      return PIR_OK;
    }
    PIR_TRY(infer_wrap_axis(infer, axis, rank + 1, &at));
    memmove(shape + at + 1, shape + at, (size_t)(rank - at) * sizeof *shape);
    shape[at] = 1;
    rank++;
  }
  memcpy(out->shape, shape, sizeof shape);
  out->rank = rank;
  return PIR_OK;
}

pir_status pd_infer_expand(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_EXPAND_IN_X],
                 *shape = infer->operands[PD_EXPAND_IN_SHAPE];
  pir_fact *out = infer_begin(infer, 0);
  int64_t n, wanted, extent;
  if (!infer_count(infer, shape, &n))
    return PIR_OK;
  if (n > PIR_MAX_RANK)
    return pir_infer_fail(infer, "rank %lld is over %d", (long long)n, PIR_MAX_RANK);
  if (fact_has_shape(x) && n < x->rank)
    return pir_infer_fail(infer, "a tensor of rank %d cannot have %lld axes", x->rank,
                          (long long)n);
  out->rank = (int32_t)n;
  for (int32_t i = 0; i < out->rank; i++) {
    int32_t from = fact_has_shape(x) ? i - (out->rank - x->rank) : -1;
    pir_dim dim = fact_element(shape, i);
    if (asks_to_infer(infer, dim))
      dim = from >= 0 ? x->shape[from] : PIR_DIM_UNKNOWN;
    if (from >= 0 && infer_constant(infer, dim, &wanted) &&
        infer_constant(infer, x->shape[from], &extent) && extent != 1 && extent != wanted)
      return pir_infer_fail(infer, "extent %lld of axis %d cannot become %lld",
                            (long long)extent, i, (long long)wanted);
    out->shape[i] = dim;
  }
  return PIR_OK;
}

// ---- pieces
// A bound of a slice: counted from the end when negative, kept inside 0 .. n.
static pir_dim slice_bound(pir_infer *infer, pir_dim v, pir_dim n) {
  pir_dims *dims = infer->dims;
  int64_t value, extent;
  if (v == PIR_DIM_UNKNOWN || n == PIR_DIM_UNKNOWN)
    return PIR_DIM_UNKNOWN;
  if (v == n)
    return n;
  if (!infer_constant(infer, v, &value))
    return pir_dim_lower_bound(dims, v) >= 0 ? pir_dim_min(dims, v, n) : PIR_DIM_UNKNOWN;
  if (infer_constant(infer, n, &extent)) {
    if (value < 0)
      value += extent;
    return clamp(value, 0, extent);
  }
  if (value < 0)
    return pir_dim_max(dims, pir_dim_add(dims, n, v), 0);
  if (value == 0)
    return 0;
  return value >= INT32_MAX ? n : pir_dim_min(dims, v, n);
}

pir_status pd_infer_slice(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_SLICE_IN_INPUT],
                 *starts = infer->operands[PD_SLICE_IN_STARTS],
                 *ends = infer->operands[PD_SLICE_IN_ENDS];
  const pir_attr_value *axes = &infer->attrs[PD_SLICE_ATTR_AXES],
                       *drop = &infer->attrs[PD_SLICE_ATTR_DECREASE_AXIS];
  pir_fact *out = infer_begin(infer, 0);
  uint32_t gone = 0;
  int32_t axis;
  if (!fact_has_shape(x))
    return PIR_OK;
  pir_dim shape[PIR_MAX_RANK];
  memcpy(shape, x->shape, sizeof shape);
  for (size_t i = 0; i < drop->count; i++) {
    PIR_TRY(infer_wrap_axis(infer, drop->ints[i], x->rank, &axis));
    gone |= 1u << axis;
  }
  for (size_t i = 0; i < axes->count; i++) {
    PIR_TRY(infer_wrap_axis(infer, axes->ints[i], x->rank, &axis));
    pir_dim start = slice_bound(infer, fact_element(starts, (int64_t)i), x->shape[axis]);
    pir_dim end = slice_bound(infer, fact_element(ends, (int64_t)i), x->shape[axis]);
    bool known = start != PIR_DIM_UNKNOWN && end != PIR_DIM_UNKNOWN;
    shape[axis] = known ? pir_dim_max(infer->dims, pir_dim_sub(infer->dims, end, start), 0)
                        : PIR_DIM_UNKNOWN;
  }
  out->rank = 0;
  for (int32_t i = 0; i < x->rank; i++) {
    int64_t left;
    bool goes = gone >> i & 1;
    if (goes && infer_constant(infer, shape[i], &left) && left > 1)
      return pir_infer_fail(infer, "axis %d goes, and has extent %lld where 1 is expected",
                            (int)i, (long long)left);
    if (!goes)
      out->shape[out->rank++] = shape[i];
  }
  return PIR_OK;
}

// Counts the steps from start to end along an axis of dynamic extent.
static pir_dim steps_between(pir_infer *infer, pir_dim start, pir_dim end, int64_t step,
                             pir_dim n) {
  pir_dims *dims = infer->dims;
  int64_t from, to;
  pir_dim length;
  if (n == PIR_DIM_UNKNOWN)
    return PIR_DIM_UNKNOWN;
  if (step > 0) {
    start = slice_bound(infer, start, n);
    end = slice_bound(infer, end, n);
    if (start == PIR_DIM_UNKNOWN || end == PIR_DIM_UNKNOWN)
      return PIR_DIM_UNKNOWN;
    length = pir_dim_sub(dims, end, start);
  } else {
    pir_dim last = pir_dim_sub(dims, n, 1);
    if (!infer_constant(infer, start, &from) || !infer_constant(infer, end, &to))
      return PIR_DIM_UNKNOWN;
    if (from < 0)
      start = pir_dim_max(dims, pir_dim_add(dims, n, start), pir_dim_const(dims, -1));
    else
      start = from >= INT32_MAX ? last : pir_dim_min(dims, start, last);
    if (to <= -INT32_MAX)
      end = pir_dim_const(dims, -1);
    else if (to < 0)
      end = pir_dim_max(dims, pir_dim_add(dims, n, end), pir_dim_const(dims, -1));
    else
      end = pir_dim_min(dims, end, last);
    length = pir_dim_sub(dims, start, end);
  }
  return pir_dim_max(dims, pir_dim_ceildiv(dims, length, step < 0 ? -step : step), 0);
}

pir_status pd_infer_strided_slice(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_STRIDED_SLICE_IN_X];
  const pir_attr_value *axes = &infer->attrs[PD_STRIDED_SLICE_ATTR_AXES];
  pir_fact *out = infer_begin(infer, 0);
  if (!fact_has_shape(x))
    return PIR_OK;
  out->rank = x->rank;
  memcpy(out->shape, x->shape, sizeof out->shape);
  for (size_t i = 0; i < axes->count; i++) {
    int32_t axis;
    int64_t n, start, end, step;
    PIR_TRY(infer_wrap_axis(infer, axes->ints[i], x->rank, &axis));
    pir_dim first = fact_element(infer->operands[PD_STRIDED_SLICE_IN_STARTS], (int64_t)i),
            stop = fact_element(infer->operands[PD_STRIDED_SLICE_IN_ENDS], (int64_t)i);
    out->shape[axis] = PIR_DIM_UNKNOWN;
    if (!infer_constant(infer,
                        fact_element(infer->operands[PD_STRIDED_SLICE_IN_STRIDES], (int64_t)i),
                        &step))
      continue;
    if (!step || step == INT64_MIN)
      return pir_infer_fail(infer, "a stride is %lld", (long long)step);
    if (!infer_constant(infer, x->shape[axis], &n) || !infer_constant(infer, first, &start) ||
        !infer_constant(infer, stop, &end)) {
      out->shape[axis] = steps_between(infer, first, stop, step, x->shape[axis]);
      continue;
    }
    if (start < 0)
      start += n;
    // -1 - n and below mean "before the first" when going backwards.
    if (end < 0)
      end = end + n < 0 ? -1 : end + n;
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    start = clamp(start, low, high);
    end = clamp(end, low, high);
    int64_t length =
        step > 0 ? (end - start + step - 1) / step : (start - end - step - 1) / -step;
    out->shape[axis] = length < 0 ? 0 : length;
  }
  return PIR_OK;
}

static pir_fact *begin_list(pir_infer *infer, size_t n, const pir_fact *like, pir_dtype dtype) {
  const pir_fact **members = INFER_NEW(infer, const pir_fact *, n);
  pir_fact *facts = INFER_NEW(infer, pir_fact, n);
  for (size_t i = 0; i < n; i++) {
    facts[i] = *like;
    facts[i].dtype = dtype;
    facts[i].contents = NULL;
    facts[i].content_count = 0;
    members[i] = &facts[i];
  }
  infer->results[0] = (pir_fact){
      .known = true, .dtype = dtype, .rank = -1, .members = members, .member_count = n};
  return facts;
}

// A list may be as long as a number says that costs a model nothing.
static pir_status check_members(pir_infer *infer, const char *what, int64_t n) {
  enum { MOST_MEMBERS = 1 << 20 };
  if (n <= MOST_MEMBERS)
    return PIR_OK;
  return pir_infer_fail(infer, "%s: expects at most %d members, found %lld", what, MOST_MEMBERS,
                        (long long)n);
}

pir_status pd_infer_split(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_SPLIT_IN_X],
                 *sections = infer->operands[PD_SPLIT_IN_SECTIONS];
  int64_t n, axis, size;
  int32_t at, open = -1;
  if (!fact_has_shape(x) || !infer_count(infer, sections, &n))
    return PIR_OK;
  PIR_TRY(check_members(infer, "sections", n));
  pir_fact *pieces = begin_list(infer, (size_t)n, x, x->dtype);
  if (!infer_constant(infer, fact_element(infer->operands[PD_SPLIT_IN_AXIS], 0), &axis)) {
    for (int64_t i = 0; i < n; i++)
      forget_extents(&pieces[i], x->rank);
    return PIR_OK;
  }
  PIR_TRY(infer_wrap_axis(infer, axis, x->rank, &at));
  pir_dim rest = x->shape[at];
  for (int32_t i = 0; i < n; i++) {
    pir_dim dim = fact_element(sections, i);
    bool known = infer_constant(infer, dim, &size);
    if (known && (size < -1 || (size < 0 && open >= 0)))
      return pir_infer_fail(infer, size < -1 ? "section %d is %lld" : "section %d is %lld, too",
                            (int)i, (long long)size);
    if (known && size < 0)
      open = i;
    else if (rest != PIR_DIM_UNKNOWN)
      rest = dim == PIR_DIM_UNKNOWN ? PIR_DIM_UNKNOWN : pir_dim_sub(infer->dims, rest, dim);
    pieces[i].shape[at] = dim;
  }
  if (open >= 0)
    pieces[open].shape[at] = rest;
  else
    infer_require(infer, PIR_EQUAL, rest, 0);
  if (open >= 0)
    return PIR_OK;
  if (infer_constant(infer, rest, &size) && size)
    return pir_infer_fail(infer, "the sections do not add up to the extent of axis %d", at);
  return PIR_OK;
}

pir_status pd_infer_split_with_num(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_SPLIT_WITH_NUM_IN_X];
  int64_t n = infer->attrs[PD_SPLIT_WITH_NUM_ATTR_NUM].i, axis, extent;
  int32_t at;
  if (!fact_has_shape(x) ||
      !infer_constant(infer, fact_element(infer->operands[PD_SPLIT_WITH_NUM_IN_AXIS], 0),
                      &axis))
    return PIR_OK;
  PIR_TRY(infer_wrap_axis(infer, axis, x->rank, &at));
  if (n < 1)
    return pir_infer_fail(infer, "num is %lld", (long long)n);
  PIR_TRY(check_members(infer, "num", n));
  if (infer_constant(infer, x->shape[at], &extent) && extent % n)
    return pir_infer_fail(infer, "extent %lld does not divide into %lld", (long long)extent,
                          (long long)n);
  pir_fact *pieces = begin_list(infer, (size_t)n, x, x->dtype);
  for (int64_t i = 0; i < n; i++)
    pieces[i].shape[at] = pir_dim_floordiv(infer->dims, x->shape[at], n);
  return PIR_OK;
}

// unbind and unstack: one result for each index of the axis.
pir_status pd_infer_unstack(pir_infer *infer) {
  const pir_fact *x = infer->operands[0];
  int64_t n;
  int32_t at;
  if (!fact_has_shape(x))
    return PIR_OK;
  PIR_TRY(infer_wrap_axis(infer, infer->attrs[0].i, x->rank, &at));
  int num = pir_opdef_attr(infer->def, PIR_STR("num"));
  if (!infer_constant(infer, x->shape[at], &n))
    n = num >= 0 ? infer->attrs[num].i : 0;
  if (n <= 0)
    return PIR_OK;
  PIR_TRY(check_members(infer, "axis", n));
  pir_fact less = *x;
  less.rank--;
  memmove(less.shape + at, less.shape + at + 1, (size_t)(less.rank - at) * sizeof *less.shape);
  (void)begin_list(infer, (size_t)n, &less, x->dtype);
  return PIR_OK;
}

// ---- the rest
pir_status pd_infer_shape(pir_infer *infer) {
  const pir_fact *x = infer->operands[0];
  pir_fact *out = infer_begin(infer, 0);
  out->rank = 1;
  out->shape[0] = fact_has_shape(x) ? x->rank : PIR_DIM_UNKNOWN;
  return PIR_OK;
}

pir_status pd_infer_gather_nd(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_GATHER_ND_IN_X],
                 *index = infer->operands[PD_GATHER_ND_IN_INDEX];
  pir_fact *out = infer_begin(infer, 0);
  int64_t depth;
  if (!fact_has_shape(x) || !fact_has_shape(index) || index->rank < 1)
    return PIR_OK;
  out->unstated = true;  // Paddle states a rank for a depth it does not know
  if (!infer_constant(infer, index->shape[index->rank - 1], &depth))
    return PIR_OK;
  out->unstated = false;
  if (depth > x->rank)
    return pir_infer_fail(infer, "index rows of %lld for a tensor of rank %d", (long long)depth,
                          x->rank);
  int32_t lead = index->rank - 1;
  if (lead + x->rank - depth > PIR_MAX_RANK)
    return pir_infer_fail(infer, "rank over %d", PIR_MAX_RANK);
  memcpy(out->shape, index->shape, (size_t)lead * sizeof *out->shape);
  memcpy(out->shape + lead, x->shape + depth, (size_t)(x->rank - depth) * sizeof *out->shape);
  out->rank = lead + x->rank - (int32_t)depth;
  return PIR_OK;
}

pir_status pd_infer_topk(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_TOPK_IN_X];
  int32_t at;
  for (int i = 0; i < 2; i++) {
    pir_fact *out = infer_begin(infer, i);
    if (!fact_has_shape(x))
      continue;
    memcpy(out->shape, x->shape, sizeof out->shape);
    out->rank = x->rank;
    if (!x->rank)
      continue;
    PIR_TRY(infer_wrap_axis(infer, infer->attrs[PD_TOPK_ATTR_AXIS].i, x->rank, &at));
    out->shape[at] = fact_element(infer->operands[PD_TOPK_IN_K], 0);
  }
  return PIR_OK;
}

// Uses the clause's rule, also if a lower block computes the op.
pir_status pd_infer_reduce_as(pir_infer *infer) {
  pir_fact *out = infer_begin(infer, 0);
  if (out->dtype == PIR_BOOL || out->dtype == PIR_I32)
    out->dtype = PIR_I64;  // sum widens these types, too
  return infer_clause(infer, infer->def->clause, out);
}
