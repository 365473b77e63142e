// Arrangements of ops that ops drawn one after the other rarely meet in: an op again, perhaps
// with its operands exchanged, and one of both results overwritten; values of one group that
// broadcast with each other; a value with its own reduction, or with its own elements moved;
// constants that rules of algebra know; quotients of integers of both signs; integers compared
// with those before they wrapped.
#include "graph_growth.h"

#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/lower.h>

#include <string.h>

static bool is_one_tensor(const draw *d, size_t k) {
  return k < d->def->operand_count && d->operands[k].form == DRAW_TENSOR;
}

// Begins an op whose operands are values: the draw and what it reads.
static bool start_call(growth *w, const char *name, const int *values, size_t count,
                       int16_t *reads) {
  const pir_opdef *def = pir_context_opdef(w->g->ctx, pir_str_from(name));
  draw_start_op(&w->draw, w->g->ctx, w->g->noise, def, draw_random(&w->random));
  for (size_t i = 0; i < GRAPH_READS; i++)
    reads[i] = GRAPH_NONE;
  for (size_t k = 0; k < def->operand_count; k++)
    w->draw.operands[k] = (draw_operand){.form = DRAW_ABSENT};
  for (size_t k = 0; k < count && k < def->operand_count; k++) {
    pir_dtype dtype = w->g->values[values[k]].type.dtype;
    if (def->operands[k].dtypes && !(def->operands[k].dtypes >> dtype & 1))
      return false;
    reads[k * DRAW_MEMBERS] = (int16_t)values[k];
    w->draw.operands[k] = (draw_operand){
        .form = DRAW_TENSOR, .count = 1, .members = {w->g->values[values[k]].type}};
  }
  for (size_t i = 0; i < def->attr_count; i++)
    w->draw.attrs[i] = pir_attr_default(w->g->ctx, &def->attrs[i]);
  return def->operand_count >= count;
}

// A value that the current block may read, mostly a late one; GRAPH_NONE: none was found.
static int pick_value(growth *w) {
  enum { TRIES = 20 };
  for (int i = 0; i < TRIES && w->g->value_count; i++) {
    uint32_t n = (uint32_t)w->g->value_count, a = growth_below(w, n), b = growth_below(w, n);
    int at = (int)(a > b ? a : b);
    const graph_value *v = &w->g->values[at];
    if (growth_sees(w, v) && !pir_dtype_is_complex(v->type.dtype))
      return at;
  }
  return GRAPH_NONE;
}

// ---- an op again

// Whether the current block may read all that an op reads.
static bool may_repeat(const growth *w, const graph_op *op) {
  bool may = op->kind == GRAPH_CALL;
  for (size_t i = 0; may && i < GRAPH_READS; i++)
    may = op->reads[i] < 0 || growth_sees(w, &w->g->values[op->reads[i]]);
  return may;
}

static const graph_op *pick_repeated(growth *w) {
  enum { TRIES = 20 };
  for (int i = 0; i < TRIES && w->g->op_count; i++) {
    const graph_op *op = &w->g->ops[growth_below(w, (uint32_t)w->g->op_count)];
    if (may_repeat(w, op))
      return op;
  }
  return NULL;
}

static void swap_operands(draw *d, int16_t *reads) {
  draw_operand operand = d->operands[0];
  int16_t read = reads[0];
  if (!is_one_tensor(d, 0) || !is_one_tensor(d, 1))
    return;
  d->operands[0] = d->operands[1];
  d->operands[1] = operand;
  reads[0] = reads[DRAW_MEMBERS];
  reads[DRAW_MEMBERS] = read;
}

// Lets one operand be another value of its type.
static void change_operand(growth *w, draw *d, int16_t *reads) {
  size_t k = growth_below(w, 2);
  if (!is_one_tensor(d, k))
    return;
  int other = growth_find_type(w, &d->operands[k].members[0], 0);
  if (other < 0)
    return;
  reads[k * DRAW_MEMBERS] = (int16_t)other;
  d->operands[k].members[0] = w->g->values[other].type;
}

// Writes over a result.
static void overwrite(growth *w, int value) {
  static const char *const names[] = {"pd_op.relu_", "pd_op.square_", "pd_op.abs_",
                                      "pd_op.tanh_", "pd_op.add_",    "pd_op.multiply_"};
  int16_t reads[GRAPH_READS];
  uint32_t n = growth_below(w, 6);
  const graph_value *v = &w->g->values[value];
  const int values[] = {value, n < 4 ? value : growth_find_type(w, &v->type, 0)};
  bool may = v->block == w->block && !v->written && v->member == GRAPH_NONE;
  if (may && values[1] >= 0 && start_call(w, names[n], values, n < 4 ? 1 : 2, reads))
    growth_take_op(w, &w->draw, reads);
}

static bool repeat_op(growth *w) {
  const graph_op *op = pick_repeated(w);
  int16_t reads[GRAPH_READS];
  uint32_t how = growth_below(w, 4);
  if (!op)
    return false;
  int old = GRAPH_NONE, first = (int)w->g->value_count;
  for (int i = 0; i < first && old < 0; i++) {
    const graph_value *v = &w->g->values[i];
    if (v->source == GRAPH_RESULT && &w->g->ops[v->op] == op)
      old = i;
  }
  memcpy(reads, op->reads, sizeof reads);
  w->draw = *op->call;
  if (w->draw.def->base)
    w->draw.def = w->draw.def->base;
  w->draw.random = draw_random(&w->random);
  for (size_t i = 0; i < GRAPH_READS; i++)
    if (reads[i] >= 0)
      w->draw.operands[i / DRAW_MEMBERS].members[i % DRAW_MEMBERS] =
          w->g->values[reads[i]].type;
  if (how == 0)
    swap_operands(&w->draw, reads);
  if (how == 1)
    change_operand(w, &w->draw, reads);
  if (!growth_take_op(w, &w->draw, reads))
    return false;
  if (w->in_place && how > 1 && growth_chance(w, 60))
    overwrite(w, growth_chance(w, 50) && old >= 0 && growth_sees(w, &w->g->values[old])
                     ? old
                     : first);
  return true;
}

// ---- two values that broadcast with each other

static bool broadcasts(const draw_tensor *a, const draw_tensor *b) {
  int32_t rank = a->rank < b->rank ? a->rank : b->rank;
  bool fits = a->dtype == b->dtype;
  for (int32_t i = 1; fits && i <= rank; i++) {
    int64_t x = a->shape[a->rank - i], y = b->shape[b->rank - i];
    fits = x == y || x == 1 || y == 1;
  }
  return fits;
}

// A value that broadcasts with another one, or GRAPH_NONE; other shapes are preferred.
static int pick_partner(growth *w, int value) {
  const draw_tensor *t = &w->g->values[value].type;
  int found = GRAPH_NONE;
  uint32_t count = 0;
  for (size_t i = 0; i < w->g->value_count; i++) {
    const graph_value *v = &w->g->values[i];
    if (!growth_sees(w, v) || !broadcasts(t, &v->type))
      continue;
    uint32_t times =
        v->type.rank != t->rank || memcmp(v->type.shape, t->shape, sizeof t->shape) ? 3 : 1;
    count += times;
    if (growth_below(w, count) < times)
      found = (int)i;
  }
  return found;
}

static bool add_pair_of(growth *w, int a, int b) {
  static const char *const names[] = {
      "pd_op.subtract",  "pd_op.subtract",     "pd_op.multiply",     "pd_op.add",
      "pd_op.add",       "pd_op.divide",       "pd_op.maximum",      "pd_op.minimum",
      "pd_op.less_than", "pd_op.greater_than", "pd_op.floor_divide", "pd_op.remainder",
      "pd_op.equal",     "pd_op.less_equal",   "pd_op.not_equal",    "pd_op.fmax"};
  int16_t reads[GRAPH_READS];
  const int values[] = {a, b};
  return a >= 0 && b >= 0 && start_call(w, names[growth_below(w, 16)], values, 2, reads) &&
         growth_take_op(w, &w->draw, reads);
}

static bool pair_values(growth *w) {
  int a = pick_value(w);
  return a >= 0 && add_pair_of(w, a, pick_partner(w, a));
}

// ---- a value beside its own reduction, or its own elements in other places

static bool read_and_use(growth *w, bool reduce) {
  int value = pick_value(w), first = (int)w->g->value_count;
  if (value < 0 || !w->g->values[value].type.rank || !growth_read(w, value, reduce))
    return false;
  while (first < (int)w->g->value_count && w->g->values[first].source != GRAPH_RESULT)
    first++;
  int with = growth_chance(w, 50) ? value : pick_partner(w, first);
  for (int i = 0; i < 3 && !add_pair_of(w, with, first); i++)
    with = pick_partner(w, first);
  return true;
}

// ---- constants

// A constant of an element type, for the operands of other ops; GRAPH_NONE when none was added.
static int add_constant(growth *w, const draw_tensor *like, double number) {
  int16_t reads[GRAPH_READS];
  pir_context *ctx = w->g->ctx;
  int64_t shape[DRAW_RANK] = {1};
  int first = (int)w->g->value_count;
  uint32_t kind = growth_below(w, 4);
  size_t rank = kind == 0 ? 0 : 1;
  if (kind == 1) {
    rank = (size_t)like->rank;
    memcpy(shape, like->shape, sizeof shape);
  }
  if (!start_call(w, "pd_op.full", NULL, 0, reads))
    return GRAPH_NONE;
  w->draw.attrs[PD_FULL_ATTR_SHAPE] = pir_attr_int_array(ctx, shape, rank);
  w->draw.attrs[PD_FULL_ATTR_VALUE] = pir_attr_float(ctx, PIR_ATTR_F64, number);
  w->draw.attrs[PD_FULL_ATTR_DTYPE] = pir_attr_dtype(ctx, like->dtype);
  w->draw.attrs[PD_FULL_ATTR_PLACE] = pir_attr_place(ctx, (pir_place){.kind = 1});
  w->constant = true;
  bool taken = growth_take_op(w, &w->draw, reads);
  w->constant = false;
  return taken ? first : GRAPH_NONE;
}

// A value with a number that rules of algebra know, on either side.
static bool use_constant(growth *w) {
  static const double numbers[] = {0, 1, -1, 2, 0.5, 3, -0.0, 4};
  int a = pick_value(w);
  if (a < 0 || w->g->values[a].type.dtype == PIR_BOOL)
    return false;
  int b = add_constant(w, &w->g->values[a].type, numbers[growth_below(w, 8)]);
  return b >= 0 && (growth_chance(w, 70) ? add_pair_of(w, a, b) : add_pair_of(w, b, a));
}

// ---- integers

// An integer that the current block may read, else an input of the shape of another value.
static int pick_integer(growth *w) {
  static const pir_dtype dtypes[] = {PIR_I32, PIR_I64, PIR_I32, PIR_I16, PIR_I8, PIR_U8};
  int found = GRAPH_NONE;
  uint32_t count = 0;
  for (size_t i = 0; i < w->g->value_count; i++) {
    const graph_value *v = &w->g->values[i];
    if (growth_sees(w, v) && pir_dtype_is_integer(v->type.dtype) && !growth_below(w, ++count))
      found = (int)i;
  }
  int like = pick_value(w);
  if (like < 0 || (found >= 0 && growth_chance(w, 80)))
    return found;
  draw_tensor t = {.dtype = dtypes[growth_below(w, 6)],
                   .rank = w->g->values[like].type.rank,
                   .to = 20,
                   .ends = growth_chance(w, 40),
                   .seed = draw_random(&w->random)};
  memcpy(t.shape, w->g->values[like].type.shape, sizeof t.shape);
  t.from = t.dtype == PIR_U8 ? 0 : -20;
  return growth_add_input(w, &t);
}

// A quotient or remainder by numbers of one sign, so that no element is divided by 0. One whose
// divisor is constant is compiled.
static bool divide_integer(growth *w) {
  static const int numbers[] = {2, 3, 4, 7, -2, -3, -8, 10};
  int16_t reads[GRAPH_READS];
  int a = pick_integer(w), from = numbers[growth_below(w, 8)];
  bool constant = growth_chance(w, 60), negative = from < 0;
  if (a < 0 || (negative && w->g->values[a].type.dtype == PIR_U8))
    return false;
  const int values[] = {a, constant ? add_constant(w, &w->g->values[a].type, from) : a};
  const char *name = growth_chance(w, 60) ? "pd_op.floor_divide" : "pd_op.remainder";
  if (values[1] < 0 || !start_call(w, name, values, 2, reads))
    return false;
  draw_tensor *by = &w->draw.operands[1].members[0];
  if (!constant) {
    by->data = NULL;
    by->from = negative ? from : 1;
    by->to = negative ? -1 : from;
    by->seed = draw_random(&w->random);
    by->ends = false;
    reads[DRAW_MEMBERS] = GRAPH_NONE;
  }
  return growth_take_op(w, &w->draw, reads);
}

// The largest number of an integer type that f64 holds, and a small one.
static double wrapping_number(growth *w, pir_dtype dtype) {
  unsigned bits = 8 * (unsigned)pir_dtype_size(dtype);
  double most = bits == 64 ? 0x1p62 : (double)((1ull << (bits - (dtype != PIR_U8))) - 1);
  const double numbers[] = {1, 2, most, most - 1, 3, dtype == PIR_U8 ? 200 : -1};
  return numbers[growth_below(w, 6)];
}

// Integers after an op that may wrap, beside those before it: compared, or converted to a wider
// type.
static bool wrap_integer(growth *w) {
  static const char *const wraps[] = {"pd_op.add", "pd_op.subtract", "pd_op.multiply"};
  int16_t reads[GRAPH_READS];
  int a = pick_integer(w);
  if (a < 0)
    return false;
  const draw_tensor *t = &w->g->values[a].type;
  int b = growth_chance(w, 50) ? add_constant(w, t, wrapping_number(w, t->dtype))
                               : growth_find_type(w, t, 0);
  const int values[] = {a, b < 0 ? a : b};
  int first = (int)w->g->value_count;
  if (!start_call(w, wraps[growth_below(w, 3)], values, 2, reads) ||
      !growth_take_op(w, &w->draw, reads))
    return false;
  const int wrapped[] = {first};
  if (growth_chance(w, 60)) {
    add_pair_of(w, first, values[growth_below(w, 2)]);
  } else if (start_call(w, "pd_op.cast", wrapped, 1, reads)) {
    w->draw.attrs[PD_CAST_ATTR_DTYPE] =
        pir_attr_dtype(w->g->ctx, growth_chance(w, 60) ? PIR_I64 : PIR_F32);
    growth_take_op(w, &w->draw, reads);
  }
  return true;
}

bool growth_add_move(growth *w) {
  switch (growth_below(w, 10)) {
    case 0:
    case 1: return repeat_op(w);
    case 2: return pair_values(w);
    case 3:
    case 4: return read_and_use(w, true);
    case 5:
    case 6: return read_and_use(w, false);
    case 7: return divide_integer(w);
    case 8: return wrap_integer(w);
    default: return use_constant(w);
  }
}
