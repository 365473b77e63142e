// Facts of inputs and constants, and of ops whose results all have an operand's shape.
#include "infer_impl.h"
#include <pd_op_hooks.h>

#include <pir/compiler/dialect/pd_op.h>

#include <math.h>
#include <string.h>

static pir_status shape_from(pir_infer *infer, const pir_attr_value *shape) {
  pir_fact *out = infer_begin(infer, 0);
  if (shape->count > PIR_MAX_RANK)
    return pir_infer_fail(infer, "rank %zu is over %d", shape->count, PIR_MAX_RANK);
  out->rank = (int32_t)shape->count;
  for (int32_t i = 0; i < out->rank; i++)
    out->shape[i] = shape->ints[i] < 0 ? PIR_DIM_UNKNOWN : shape->ints[i];
  return PIR_OK;
}

pir_status pd_infer_data(pir_infer *infer) {
  return shape_from(infer, &infer->attrs[PD_DATA_ATTR_SHAPE]);
}

// full, full_, zeros and ones: the attribute `shape`.
pir_status pd_infer_full(pir_infer *infer) {
  return shape_from(infer, &infer->attrs[pir_opdef_attr(infer->def, PIR_STR("shape"))]);
}

pir_status pd_infer_assign_value(pir_infer *infer) {
  PIR_TRY(shape_from(infer, &infer->attrs[pir_opdef_attr(infer->def, PIR_STR("shape"))]));
  const pir_attr_value *values = &infer->attrs[pir_opdef_attr(infer->def, PIR_STR("values"))];
  if (values->kind != PIR_VALUE_INTS || values->count > PIR_FACT_CONTENTS)
    return PIR_OK;
  pir_dim *contents = INFER_NEW(infer, pir_dim, values->count);
  for (size_t i = 0; i < values->count; i++)
    contents[i] = pir_dim_const(infer->dims, values->ints[i]);
  infer->results[0].contents = contents;
  infer->results[0].content_count = values->count;
  return PIR_OK;
}

pir_status pd_infer_same_shape(pir_infer *infer) {
  const pir_fact *x = infer->operands[0];
  for (int i = 0; i < infer->def->result_count; i++) {
    pir_fact *out = infer_begin(infer, i);
    if (!x || !x->known || x->members) {
      *out = (pir_fact){.rank = -1};
      continue;
    }
    pir_dtype dtype = out->dtype;
    *out = *x;
    out->dtype = dtype;
    out->contents = NULL;
    out->content_count = 0;  // if they equal x's, the clause states it
  }
  return PIR_OK;
}

pir_status pd_infer_like(pir_infer *infer) {
  return pd_infer_same_shape(infer);
}

pir_status pd_infer_real_part(pir_infer *infer) {
  PIR_TRY(pd_infer_same_shape(infer));
  pir_fact *out = &infer->results[0];
  if (out->dtype == PIR_C64)
    out->dtype = PIR_F32;
  if (out->dtype == PIR_C128)
    out->dtype = PIR_F64;
  return PIR_OK;
}

// Functions whose results are floats even for integers.
pir_status pd_infer_float_result(pir_infer *infer) {
  PIR_TRY(pd_infer_same_shape(infer));
  pir_fact *out = &infer->results[0];
  if (pir_dtype_is_integer(out->dtype))
    out->dtype = PIR_F32;
  return PIR_OK;
}

// Functions of floats: Paddle's API converts integers first, and refuses to write the floats
// in place of the integers.
pir_status pd_infer_converted(pir_infer *infer) {
  const pir_fact *x = infer->operands[0];
  PIR_TRY(pd_infer_float_result(infer));
  if (infer->def->traits & PIR_INPLACE && x && pir_dtype_is_integer(x->dtype))
    return pir_infer_fail(infer, "operand x: expects floats, found %s",
                          pir_dtype_name(x->dtype));
  return PIR_OK;
}

pir_status pd_infer_to_double(pir_infer *infer) {
  PIR_TRY(infer_clause(infer, infer->def->clause, infer_begin(infer, 0)));
  if (pir_dtype_is_integer(infer->results[0].dtype))
    infer->results[0].dtype = PIR_F64;
  return PIR_OK;
}

// Of a kernel that broadcasts two operands.
pir_status pd_infer_broadcast(pir_infer *infer) {
  const pir_fact *x = infer->operands[0], *y = infer->operands[1];
  pir_fact *out = infer_begin(infer, 0);
  if (!x || !y || !x->known || !y->known || x->rank < 0 || y->rank < 0)
    return PIR_OK;
  out->rank = x->rank > y->rank ? x->rank : y->rank;
  for (int32_t i = 0; i < out->rank; i++) {
    int32_t a = i - (out->rank - x->rank), b = i - (out->rank - y->rank);
    out->shape[i] =
        pir_dim_broadcast(infer->dims, a < 0 ? 1 : x->shape[a], b < 0 ? 1 : y->shape[b]);
  }
  return PIR_OK;
}

// A negative length means the largest element of the data, known only at run time.
pir_status pd_infer_sequence_mask(pir_infer *infer) {
  pir_fact *out = infer_begin(infer, 0);
  const pir_fact *x = infer->operands[PD_SEQUENCE_MASK_IN_X];
  int64_t length;
  pir_dim wanted = fact_element(infer->operands[PD_SEQUENCE_MASK_IN_MAX_LEN], 0);
  // A negative value means the largest element of x, known only at run time.
  if (wanted == PIR_DIM_UNKNOWN || !pir_dim_is_const(infer->dims, wanted, &length) ||
      length >= 0)
    return infer_clause(infer, infer->def->clause, out);
  if (!x || !x->known || x->rank < 0)
    return PIR_OK;
  if (x->rank == PIR_MAX_RANK)
    return pir_infer_fail(infer, "rank over %d", PIR_MAX_RANK);
  memcpy(out->shape, x->shape, sizeof out->shape);
  out->rank = x->rank + 1;
  out->shape[x->rank] = PIR_DIM_UNKNOWN;
  return PIR_OK;
}

// The number as an element of the result: Paddle counts the steps in the result's type.
static double as_element(double number, pir_dtype dtype) {
  if (dtype == PIR_F32)
    return (double)(float)number;
  return pir_dtype_is_integer(dtype) ? trunc(number) : number;
}

// The bounds of a count, if they are numbers.
static bool bound_numbers(pir_infer *infer, pir_dtype dtype, double values[3]) {
  for (int i = 0; i < 3; i++) {
    if (!fact_number(infer->dims, infer->operands[i], 0, &values[i]))
      return false;
    values[i] = as_element(values[i], dtype);
  }
  return true;
}

// Counts from start to end by step; `inclusive`: end itself may occur. Whole numbers may be
// symbols.
static pir_dim steps(pir_infer *infer, const pir_fact *const *bounds, bool inclusive) {
  pir_dtype dtype = infer->results[0].dtype;
  double values[3];
  if (bound_numbers(infer, dtype, values)) {
    double length = as_element(values[1] - values[0], dtype), count = length / values[2];
    if (dtype == PIR_F32)
      count = (float)count;
    count = inclusive ? trunc(count) + 1 : ceil(count);
    if (!isfinite(count) || count >= 0x1p62)
      return PIR_DIM_UNKNOWN;
    return count > 0 ? (int64_t)count : 0;
  }
  pir_dim start = fact_element(bounds[0], 0), end = fact_element(bounds[1], 0),
          step = fact_element(bounds[2], 0);
  if (start == PIR_DIM_UNKNOWN || end == PIR_DIM_UNKNOWN || step == PIR_DIM_UNKNOWN)
    return PIR_DIM_UNKNOWN;
  pir_dim length = pir_dim_sub(infer->dims, end, start);
  if (!inclusive)
    return pir_dim_ceildiv(infer->dims, length, step);
  return pir_dim_add(infer->dims, pir_dim_floordiv(infer->dims, length, step), 1);
}

pir_status pd_infer_arange(pir_infer *infer) {
  const pir_fact *const *bounds = infer->operands;
  pir_fact *out = infer_begin(infer, 0);
  double step;
  if (fact_number(infer->dims, bounds[PD_ARANGE_IN_STEP], 0, &step) &&
      as_element(step, out->dtype) == 0)
    return pir_infer_fail(infer, "step: expects a number that is not 0");
  out->rank = 1;
  out->shape[0] = steps(infer, bounds, infer->def->id != PD_ARANGE);
  return PIR_OK;
}

// Counts the elements of a matrix whose column is less than their row plus `offset`: rows with
// none, some and all of them. The kernel counts in 32 bits.
static int64_t below_diagonal(int64_t rows, int64_t columns, int64_t offset) {
  int64_t first = offset < 0 ? -offset : 0, last = columns - offset;
  if (first > rows)
    first = rows;
  last = clamp(last, first, rows);
  int64_t some = last - first, least = first + offset;
  __int128 sum = (__int128)some * least + (__int128)some * (some - 1) / 2 +
                 (__int128)(rows - last) * columns;
  return (int64_t)sum;
}

// The elements of the triangle: one row of row indices, one of column indices.
static pir_status triangle(pir_infer *infer, bool upper) {
  int64_t rows = infer->attrs[PD_TRIL_INDICES_ATTR_ROWS].i,
          columns = infer->attrs[PD_TRIL_INDICES_ATTR_COLS].i;
  int64_t offset = infer->attrs[PD_TRIL_INDICES_ATTR_OFFSET].i, count;
  pir_fact *out = infer_begin(infer, 0);
  if (rows < 0 || columns < 0)
    return pir_infer_fail(infer, "rows, cols: expects no negative number, found %lld and %lld",
                          (long long)rows, (long long)columns);
  count = below_diagonal(rows, columns, offset + !upper);
  if (upper)
    count = rows * columns - count;
  out->rank = 2;
  out->shape[0] = 2;
  out->shape[1] = count;
  return PIR_OK;
}

pir_status pd_infer_tril_indices(pir_infer *infer) {
  return triangle(infer, false);
}

pir_status pd_infer_triu_indices(pir_infer *infer) {
  return triangle(infer, true);
}

pir_status pd_infer_complex(pir_infer *infer) {
  PIR_TRY(infer_clause(infer, infer->def->clause, infer_begin(infer, 0)));
  infer->results[0].dtype = infer_operand_dtype(infer, 0) == PIR_F64 ? PIR_C128 : PIR_C64;
  return PIR_OK;
}

// Converts pairs to complex numbers and back.
pir_status pd_infer_as_complex(pir_infer *infer) {
  PIR_TRY(infer_clause(infer, infer->def->clause, infer_begin(infer, 0)));
  infer->results[0].dtype = infer_operand_dtype(infer, 0) == PIR_F64 ? PIR_C128 : PIR_C64;
  return PIR_OK;
}

pir_status pd_infer_as_real(pir_infer *infer) {
  PIR_TRY(infer_clause(infer, infer->def->clause, infer_begin(infer, 0)));
  infer->results[0].dtype = infer_operand_dtype(infer, 0) == PIR_C128 ? PIR_F64 : PIR_F32;
  return PIR_OK;
}

// The result has the shape of x; the observed statistics have the shape of their operand.
pir_status pd_infer_quantised(pir_infer *infer) {
  static const int like[] = {PD_QUANTIZE_LINEAR_IN_X, PD_QUANTIZE_LINEAR_IN_IN_STATE,
                             PD_QUANTIZE_LINEAR_IN_IN_ACCUM, PD_QUANTIZE_LINEAR_IN_SCALE};
  for (int i = 0; i < 4; i++) {
    const pir_fact *from = infer->operands[like[i]];
    pir_fact *out = infer_begin(infer, i);
    if (!from || !from->known || from->rank < 0)
      continue;
    pir_dtype dtype = out->dtype;
    *out = *from;
    out->dtype = dtype;
    out->contents = NULL;
    out->content_count = 0;
  }
  return PIR_OK;
}

pir_status pd_infer_equal_all(pir_infer *infer) {
  infer_begin(infer, 0)->rank = 0;
  return PIR_OK;
}

// Sums of booleans and small integers are 64-bit, unless the op states another type.
pir_status pd_infer_sum(pir_infer *infer) {
  PIR_TRY(infer_clause(infer, infer->def->clause, infer_begin(infer, 0)));
  pir_dtype x = infer_operand_dtype(infer, 0);
  int stated = pir_opdef_attr(infer->def, PIR_STR("dtype"));
  if (infer->attrs[stated].i == PIR_UNDEFINED && (x == PIR_BOOL || x == PIR_I32))
    infer->results[0].dtype = PIR_I64;
  return PIR_OK;
}

// The operand that result i is the gradient of: x of x_grad; NULL when there is none.
static const pir_fact *differentiated(const pir_infer *infer, int i) {
  int k = pir_opdef_gradient_of(infer->def, (size_t)i);
  return k >= 0 ? infer->operands[k] : NULL;
}

// A gradient has the shape and element type of its forward operand.
pir_status pd_infer_gradients(pir_infer *infer) {
  for (int i = 0; i < infer->def->result_count; i++) {
    const pir_fact *x = differentiated(infer, i);
    infer->results[i] = (pir_fact){.rank = -1};
    if (!x || !x->known)
      continue;
    infer->results[i] = *x;
    infer->results[i].contents = NULL;
    infer->results[i].content_count = 0;
  }
  return PIR_OK;
}

// Converts between a complex type and its real part's type: c64 and f32, c128 and f64.
pir_status pd_infer_complex_of(pir_infer *infer) {
  PIR_TRY(pd_infer_like(infer));
  pir_fact *out = &infer->results[0];
  if (!out->known)
    return PIR_OK;
  if (out->dtype != PIR_F32 && out->dtype != PIR_F64)
    return pir_infer_fail(infer, "%s: expects float32 or float64, found %s",
                          infer->def->operands[0].name, pir_dtype_name(out->dtype));
  out->dtype = out->dtype == PIR_F32 ? PIR_C64 : PIR_C128;
  return PIR_OK;
}

// A list like the first operand.
pir_status pd_infer_like_list(pir_infer *infer) {
  const pir_fact *list = infer->operands[0];
  infer->results[0] = (pir_fact){.rank = -1};
  if (list && list->known)
    infer->results[0] = *list;
  infer->results[0].contents = NULL;
  infer->results[0].content_count = 0;
  return PIR_OK;
}
