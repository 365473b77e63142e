// quantised_contractions_pass: turns a contraction of dequantised values into an integer
// contraction whose sums are scaled.
//
//   contract(x * s / top, w * t / top')
//     ->  f32(contract(i32(i8(x)), i32(i8(w)))) * (s * t / (top * top'))
//
// The integer sums are exact, so results differ from the float program by rounding only. x must
// be a result of quantize_linear, which yields 8-bit integers: with a sign, or, of 9 bits and a
// value that is shown not to be negative (choose_sign.c), without one (u8). w is another
// such result, a parameter of floats, whose values are checked, or the cast of a parameter of
// bytes. The scale
// of w may be per channel if the channel is an axis of the result. build_cinn_pass moves the
// widening casts into the contraction's group (lower_rounded), whose kernel multiplies bytes.
// The scale, a bias, an activation and the next quantisation become its epilogue, so tensors
// between layers are stored as bytes.
//
// Pipelines run the pass twice: before parameters are folded, because folding removes the
// scales, and afterwards, when folding has widened a weight's bytes to i32. Linear in the
// program and in the bytes of quantised parameters.
#include "choose.h"
#include "contract_lower.h"
#include "group.h"

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/integer_form.h>
#include <pir/layer/lower.h>
#include <pir/compiler/pass.h>

#include <map.h>
#include <string.h>

typedef struct quantising {
  pir_pass_run *run;
  pir_facts *facts;
  pir_context *ctx;
  pir_arena arena;
  pir_map bytes;  // value -> it as i8
  uint64_t made;
  pir_op *at;  // new ops are made before this one
} quantising;

// One operand of a quantised contraction: integers, their scale and divisor, and the axis of a
// per-channel scale (-1: none).
typedef struct levels {
  pir_value *numbers, *scale;
  pir_dtype bytes;  // that hold them
  double top;
  int64_t axis;
} levels;

// ---- whole numbers of 8 bits

// Returns the parameter; NULL if the program lacks its bytes or the type differs.
static const pir_param *stored(const quantising *q, const pir_value *v, pir_dtype dtype) {
  const pir_op *op = pir_value_op(v);
  if (!op || !pir_op_has(op, PIR_PARAMETER))
    return NULL;
  pir_str name = pir_attr_as_str(pir_op_attr_at(op, BUILTIN_PARAMETER_ATTR_PARAMETER_NAME));
  const pir_param *param = pir_program_param(q->run->program, name);
  return param && param->dtype == dtype ? param : NULL;
}

static bool are_bytes(const pir_param *param) {
  for (size_t i = 0; i < param->size / 4; i++) {
    const char *at = (const char *)param->data + 4 * i;
    int32_t n;
    float x;
    memcpy(&n, at, 4);
    memcpy(&x, at, 4);
    if (param->dtype == PIR_F32 ? !(x >= INT8_MIN && x <= INT8_MAX) || x != (float)(int)x
                                : n != (int8_t)n)
      return false;
  }
  return true;
}

// Returns the bytes that hold all results of a quantize_linear, PIR_I8 or PIR_U8;
// PIR_UNDEFINED: none do, or the op is another one.
static pir_dtype quantised_bytes(const quantising *q, const pir_op *op) {
  if (!pir_op_is(op, PD_QUANTIZE_LINEAR) || !pir_op_bool(op, PD_QUANTIZE_LINEAR_ATTR_IS_TEST) ||
      pir_op_bool(op, PD_QUANTIZE_LINEAR_ATTR_ONLY_OBSERVER))
    return PIR_UNDEFINED;
  int64_t most = pir_op_int(op, PD_QUANTIZE_LINEAR_ATTR_QMAX);
  if (most < 1 || most > UINT8_MAX)
    return PIR_UNDEFINED;
  if (most <= INT8_MAX)
    return PIR_I8;
  const pir_value *x = pir_op_operand(op, PD_QUANTIZE_LINEAR_IN_X);
  return pir_value_has_no_negative(x, q->facts) ? PIR_U8 : PIR_UNDEFINED;
}

// Returns the parameter of bytes of which the value is a cast; NULL if it is not one.
static pir_value *byte_parameter(const quantising *q, const pir_value *v) {
  const pir_op *op = pir_value_op(v);
  pir_value *bytes = op && pir_op_is(op, PD_CAST) ? pir_op_operand(op, PD_CAST_IN_X) : NULL;
  return bytes && stored(q, bytes, PIR_I8) ? bytes : NULL;
}

// Returns the bytes that hold all elements of a value of floats, which are whole numbers;
// PIR_UNDEFINED: none do.
static pir_dtype whole_bytes(const quantising *q, const pir_value *v) {
  const pir_op *op = pir_value_op(v);
  const pir_param *param = stored(q, v, PIR_F32);
  if (!op || pir_value_index(v) != 0)
    return PIR_UNDEFINED;
  if (param)
    return are_bytes(param) ? PIR_I8 : PIR_UNDEFINED;
  return byte_parameter(q, v) ? PIR_I8 : quantised_bytes(q, op);
}

static bool find_levels(const quantising *q, const pir_value *v, levels *out) {
  const pir_op *op = pir_value_op(v);
  if (!op || !pir_op_is(op, PD_DEQUANTIZE_LINEAR) ||
      pir_value_index(v) != PD_DEQUANTIZE_LINEAR_OUT_Y)
    return false;
  if (!pir_op_bool(op, PD_DEQUANTIZE_LINEAR_ATTR_IS_TEST) ||
      pir_op_bool(op, PD_DEQUANTIZE_LINEAR_ATTR_ONLY_OBSERVER))
    return false;
  int64_t bits = pir_op_int(op, PD_DEQUANTIZE_LINEAR_ATTR_BIT_LENGTH);
  *out = (levels){.numbers = pir_op_operand(op, PD_DEQUANTIZE_LINEAR_IN_X),
                  .scale = pir_op_operand(op, PD_DEQUANTIZE_LINEAR_IN_SCALE),
                  .axis = pir_op_int(op, PD_DEQUANTIZE_LINEAR_ATTR_QUANT_AXIS)};
  if (bits < 2 || bits > 16 || !out->scale ||
      pir_facts_of(q->facts, out->scale)->dtype != PIR_F32)
    return false;
  out->top = (double)((INT64_C(1) << (bits - 1)) - 1);
  out->bytes = whole_bytes(q, out->numbers);
  return out->bytes != PIR_UNDEFINED;
}

// ---- scales

int64_t group_scale_extent(const pir_facts *facts, const pir_value *v) {
  const pir_fact *fact = pir_facts_of(facts, v);
  int64_t n = 1, extent;
  for (int d = 0; d < fact->rank; d++) {
    if (!pir_dim_is_const(pir_facts_dims(facts), fact->shape[d], &extent))
      return -1;
    n *= extent;
  }
  return pir_fact_has_rank(fact) ? n : -1;
}

// Returns the axis of the result with the same index as `axis` of the operand; -1 if there is
// none.
static int64_t axis_of_result(const contraction *c, const contract_tensor *t, int64_t axis) {
  for (int d = 0; d < c->out.rank && axis < t->rank; d++)
    if (!memcmp(&c->out.map[d], &t->map[axis], sizeof c->out.map[d]))
      return d;
  return -1;
}

// Returns the axis of the result along which a scale varies; -1 for a single scale, -2 if it is
// not possible.
static int64_t scale_place(const quantising *q, const contraction *c, const contract_tensor *t,
                           const levels *l) {
  int64_t n = group_scale_extent(q->facts, l->scale);
  if (n < 1)
    return -2;
  if (l->axis < 0 || n == 1)
    return n == 1 ? -1 : -2;
  int64_t axis = axis_of_result(c, t, l->axis);
  return axis < 0 ? -2 : axis;
}

// ---- new ops

static pir_op *create(void *user, const pir_op_spec *spec) {
  const quantising *q = user;
  return pir_rewriter_create(q->run->rewriter, q->at, spec);
}

static pir_value *result_of(pir_op *op) {
  return op ? pir_op_result(op, 0) : NULL;
}

static pir_value *cast_to(const quantising *q, pir_expand *e, pir_value *v, pir_dtype dtype) {
  const pir_opdef *def = pir_context_op(q->ctx, PD_CAST);
  pir_named_attr attr = {
      pir_name_get(q->ctx, pir_str_from(def->attrs[PD_CAST_ATTR_DTYPE].name)),
      pir_attr_dtype(q->ctx, dtype)};
  return v ? result_of(pir_expand_op(e, PD_CAST, &v, 1, &attr, 1)) : NULL;
}

static pir_value *product(pir_expand *e, pir_value *a, pir_value *b) {
  return a && b ? result_of(pir_expand_op(e, PD_MULTIPLY, (pir_value *[]){a, b}, 2, NULL, 0))
                : NULL;
}

// Reshapes a scale with trailing extents of 1, so that it broadcasts along `axis` of a result
// with `rank` dims.
static pir_value *shaped(pir_expand *e, pir_value *scale, int64_t axis, int rank) {
  int64_t shape[PIR_MAX_RANK] = {-1};
  size_t count = axis < 0 ? 1 : (size_t)(rank - axis);
  for (size_t i = 1; i < count; i++)
    shape[i] = 1;
  pir_value *operands[] = {scale, pir_expand_ints(e, shape, count)};
  return operands[1] ? result_of(pir_expand_op(e, PD_RESHAPE, operands, 2, NULL, 0)) : NULL;
}

// Whether the op quantises the largest numbers of windows, which no other op reads, by scales
// that are known in front of them. Integers have the order of the floats that became them. A
// window without elements has the least number of its type: of floats, the least integer.
static bool quantises_largest(const pir_op *op, pir_dtype bytes) {
  const pir_value *x =
      pir_op_is(op, PD_QUANTIZE_LINEAR) ? pir_op_operand(op, PD_QUANTIZE_LINEAR_IN_X) : NULL;
  const pir_op *pool = x ? pir_value_op(x) : NULL;
  if (!pool || !group_is_max_pool(pool) || !pir_value_single_use(x) ||
      (bytes == PIR_I8 && pir_op_int(op, PD_QUANTIZE_LINEAR_ATTR_QMAX) != INT8_MAX))
    return false;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_value *v = pir_op_operand(op, i);
    const pir_op *maker = v && v != x ? pir_value_op(v) : NULL;
    if (maker && !pir_op_is_before(maker, pool))
      return false;
  }
  return true;
}

// Makes an op again in front of q->at, with `n` other operands, whose numbers are in `k`.
static pir_value *again(quantising *q, pir_expand *e, const pir_op *op, const size_t *k,
                        pir_value *const *by, size_t n) {
  enum { MOST = 16 };
  pir_value *operands[MOST];
  pir_named_attr attrs[MOST];
  size_t count = pir_op_operands(op), attr_count = pir_op_attrs_sorted(op, attrs, MOST);
  if (count > MOST || attr_count > MOST)
    return NULL;
  for (size_t i = 0; i < count; i++)
    operands[i] = pir_op_operand(op, i);
  for (size_t i = 0; i < n; i++) {
    if (!by[i])
      return NULL;
    operands[k[i]] = by[i];
  }
  return result_of(pir_expand_op(e, pir_op_def(op)->id, operands, count, attrs, attr_count));
}

// Returns what the op makes as bytes, made at its definition: windows pass bytes on.
static pir_value *make_bytes(quantising *q, pir_expand *e, pir_op *op, const levels *l) {
  if (!quantises_largest(op, l->bytes)) {
    q->at = pir_op_next(op);
    return cast_to(q, e, l->numbers, l->bytes);
  }
  pir_op *pool = pir_value_op(pir_op_operand(op, PD_QUANTIZE_LINEAR_IN_X));
  q->at = pool;
  pir_value *x = pir_op_operand(pool, PD_POOL2D_IN_X);
  static const size_t first = 0;  // the number of x among the operands of both
  pir_value *bytes = cast_to(q, e, again(q, e, op, &first, &x, 1), l->bytes);
  return again(q, e, pool, &first, &bytes, 1);
}

// Returns the numbers as bytes, cast once at their definition, and as i32 for this contraction
// only. The casts of a parameter never run, because packing stores it as bytes.
static pir_value *integers(quantising *q, pir_expand *e, const levels *l) {
  pir_value *v = l->numbers;
  pir_op *at = q->at, *source = pir_value_op(v);
  pir_value *parameter = byte_parameter(q, v);
  if (parameter)
    return cast_to(q, e, parameter, PIR_I32);
  bool stored = pir_op_has(source, PIR_PARAMETER);
  pir_value *bytes = stored ? cast_to(q, e, v, PIR_I8) : pir_map_get(&q->bytes, v);
  if (!bytes) {
    bytes = make_bytes(q, e, source, l);
    q->at = at;
    pir_map_put(&q->arena, &q->bytes, v, (uint64_t)(uintptr_t)bytes);
  }
  return cast_to(q, e, bytes, PIR_I32);
}

// ---- one contraction

static pir_status change(quantising *q, const size_t k[2], const levels l[2],
                         const int64_t place[2], int rank) {
  pir_lower_target target = {create, q};
  pir_expand e = {.op = q->at, .facts = q->facts, .target = &target};
  pir_value *by[2] = {integers(q, &e, &l[0]), integers(q, &e, &l[1])};
  pir_value *sums =
      by[0] && by[1] ? cast_to(q, &e, again(q, &e, q->at, k, by, 2), PIR_F32) : NULL;
  pir_value *scale = pir_expand_number(&e, PIR_F32, 1 / (l[0].top * l[1].top));
  for (int i = 0; i < 2 && scale; i++)
    scale = product(&e, shaped(&e, l[i].scale, place[i], rank), scale);
  pir_value *scaled = scale ? product(&e, sums, scale) : NULL;
  if (!scaled)
    return PIR_INTERNAL;
  pir_rewriter_replace(q->run->rewriter, q->at, &scaled);
  q->made++;
  return PIR_OK;
}

// Lets the contraction read whole numbers through a widening of bytes that it alone reads.
static pir_status widen_operand(quantising *q, size_t k, pir_value *numbers) {
  pir_lower_target target = {create, q};
  pir_expand e = {.op = q->at, .facts = q->facts, .target = &target};
  if (pir_dtype_size(pir_facts_of(q->facts, numbers)->dtype) != 1)
    numbers = cast_to(q, &e, numbers, PIR_I8);
  pir_value *wide = cast_to(q, &e, numbers, PIR_I32);
  if (!wide)
    return PIR_INTERNAL;
  pir_rewriter_set_operand(q->run->rewriter, q->at, k, wide);
  return PIR_OK;
}

// Recognises a byte weight that folding has widened to i32. It is still packed as bytes.
static pir_status store_bytes(quantising *q, size_t k) {
  pir_value *v = pir_op_operand(q->at, k);
  const pir_param *param = stored(q, v, PIR_I32);
  return param && are_bytes(param) ? widen_operand(q, k, v) : PIR_OK;
}

// Gives the contraction its own widening of bytes that others read too.
static pir_status widen_apart(quantising *q, size_t k) {
  pir_value *v = pir_op_operand(q->at, k);
  const pir_op *widening = pir_value_op(v);
  if (!widening || !pir_op_is(widening, PD_CAST) || pir_value_single_use(v))
    return PIR_OK;
  pir_value *bytes = pir_op_operand(widening, PD_CAST_IN_X);
  bool narrow = pir_dtype_size(pir_facts_of(q->facts, bytes)->dtype) == 1;
  return narrow ? widen_operand(q, k, bytes) : PIR_OK;
}

// Counts the columns of the result that only the second operand indexes. A depthwise
// contraction has none; bytes do not pay there.
static bool has_columns(const contraction *c) {
  int64_t extent;
  for (int v = 0; v < c->var_count; v++) {
    bool rows = c->vars[v].reduced ||
                (pir_dim_is_const(c->dims, c->vars[v].extent, &extent) && extent < 2);
    for (int d = 0; d < c->a.rank; d++)
      rows |= c->a.map[d].factor[v] != 0;
    if (!rows)
      return true;
  }
  return false;
}

// ---- other readers

// Returns the floats that the op `at` reads in place of a dequantised value: of bytes, by one
// factor.
static pir_value *widened_bytes(quantising *q, const levels *l, pir_op *at, pir_value *bytes) {
  pir_lower_target target = {create, q};
  pir_expand e = {.op = at, .facts = q->facts, .target = &target};
  q->at = at;
  pir_value *factor = pir_expand_number(&e, PIR_F32, 1 / l->top);
  factor = product(&e, shaped(&e, l->scale, -1, 0), factor);
  return product(&e, cast_to(q, &e, bytes, PIR_F32), factor);
}

// Whether all readers of the value read its elements.
static bool has_elements_read(const quantising *q, const pir_value *v) {
  for (pir_use *u = pir_value_first_use(v); u; u = pir_use_next(u))
    if (!choose_reads_elements(pir_use_owner(u), q->facts))
      return false;
  return true;
}

// Whole numbers that a contraction reads are stored as bytes alone where what else dequantises
// them is one scale, and its readers read elements, as the sum of a residual does. These widen
// the bytes themselves.
static pir_status share_bytes(quantising *q, pir_value *numbers) {
  pir_value *bytes = pir_map_get(&q->bytes, numbers);
  const pir_op *cast = bytes ? pir_value_op(bytes) : NULL;
  for (pir_use *u = cast ? pir_value_first_use(numbers) : NULL; u; u = pir_use_next(u)) {
    pir_op *reader = pir_use_owner(u);
    levels l;
    pir_value *floats = pir_op_results(reader) ? pir_op_result(reader, 0) : NULL;
    if (!floats || !find_levels(q, floats, &l) || group_scale_extent(q->facts, l.scale) != 1 ||
        !has_elements_read(q, floats))
      continue;
    PIR_EACH_USE(read, floats) {
      pir_value *wide = widened_bytes(q, &l, pir_use_owner(read), bytes);
      if (!wide)
        return PIR_INTERNAL;
      pir_rewriter_set_operand(q->run->rewriter, pir_use_owner(read),
                               pir_use_operand_index(read), wide);
    }
  }
  return PIR_OK;
}

// ---- the form

// Returns the first axis of `t` that the result has too and `other` has not; -1 if there is
// none.
static int axis_of_channels(const contraction *c, const contract_tensor *t,
                            const contract_tensor *other) {
  for (int d = 0; d < t->rank; d++)
    for (int v = 0; v < c->var_count && axis_of_result(c, t, d) >= 0; v++)
      if (t->map[d].factor[v] && !contract_mentions(other, v))
        return d;
  return -1;
}

static const char *refuse_integers(const contraction *c) {
  if (c->out.dtype != PIR_F32)
    return "its results are not f32";
  return has_columns(c) ? NULL
                        : "products of bytes do not pay where each channel has its own weights";
}

static bool find_form(const pir_op *op, const pir_facts *facts, contraction *c,
                      pir_integer_form *out) {
  int a, b;
  if (pir_op_results(op) != 1 || !pir_contract_match(op, facts, c, &a, &b))
    return false;
  *out = (pir_integer_form){
      .operand = {(size_t)a, (size_t)b},
      .axis = {axis_of_channels(c, &c->a, &c->b), axis_of_channels(c, &c->b, &c->a)},
      .why = refuse_integers(c)};
  return true;
}

bool pir_integer_form_of(const pir_op *op, const pir_facts *facts, pir_integer_form *out_form) {
  contraction c;
  return contract_is_op(op) && find_form(op, facts, &c, out_form);
}

// Whether 32 bits hold every sum of products. An extent that only the run shows may be any.
static bool has_exact_sums(const contraction *c, const levels l[2]) {
  int64_t room = INT32_MAX, extent;
  for (int i = 0; i < 2; i++)
    room /= l[i].bytes == PIR_U8 ? UINT8_MAX : -INT8_MIN;
  for (int v = 0; v < c->var_count; v++) {
    if (!c->vars[v].reduced)
      continue;
    if (!pir_dim_is_const(c->dims, c->vars[v].extent, &extent) || extent > room)
      return false;
    room /= extent > 0 ? extent : 1;
  }
  return true;
}

static pir_status visit_contraction(quantising *q, pir_op *op) {
  contraction c;
  pir_integer_form form;
  levels l[2];
  q->at = op;
  if (!find_form(op, q->facts, &c, &form))
    return PIR_OK;
  if (c.a.dtype == PIR_I32)
    PIR_TRY(widen_apart(q, form.operand[0]));
  if (c.b.dtype == PIR_I32)
    return store_bytes(q, form.operand[1]);
  // An instruction multiplies and adds four bytes. Fewer neighbours take longer than floats,
  // unless they are channels, which get zeros behind them.
  enum { FOUR = 4, TAPS = 2 };
  if (form.why || (!pir_contract_has_neighbours(&c, FOUR, true) &&
                   contract_axis_of_few_channels(&c, TAPS) < 0))
    return PIR_OK;
  const contract_tensor *tensors[2] = {&c.a, &c.b};
  int64_t place[2];
  for (int i = 0; i < 2; i++) {
    if (!find_levels(q, pir_op_operand(op, form.operand[i]), &l[i]))
      return PIR_OK;
    place[i] = scale_place(q, &c, tensors[i], &l[i]);
    if (place[i] < -1)
      return PIR_OK;
  }
  // Instructions multiply bytes with a sign by bytes of either kind.
  if (l[1].bytes != PIR_I8 || !has_exact_sums(&c, l))
    return PIR_OK;
  return change(q, form.operand, l, place, c.out.rank);
}

pir_status pir_pass_quantised(pir_pass_run *run) {
  quantising q = {
      .run = run, .facts = pir_run_facts(run), .ctx = pir_program_context(run->program)};
  pir_status status = PIR_OK;
  if (!q.facts)
    return pir_run_facts_status(run);
  pir_arena_init(&q.arena, pir_facts_heap(q.facts));
  for (pir_op *op = pir_block_first(pir_program_block(run->program)), *next; op && !status;
       op = next) {
    next = pir_op_next(op);
    if (contract_is_op(op))
      status = visit_contraction(&q, op);
  }
  for (pir_op *op = pir_block_first(pir_program_block(run->program)); op && !status;
       op = pir_op_next(op))
    if (pir_op_is(op, PD_QUANTIZE_LINEAR))
      status = share_bytes(&q, pir_op_result(op, 0));
  pir_arena_destroy(&q.arena);
  pir_run_count(run, "contractions", q.made);
  return status;
}
