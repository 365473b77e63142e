// The verifier of loop IR: expressions. Each kind must have its operands and no others, with
// types that fit the node's. A node that statements share is visited once for each statement.
// Nesting is bounded, and a node below itself is a fault, so cycles end.
#include "loop_verify_impl.h"

#include <string.h>

static bool verify_nested(verifier *v, const loop_expr *e, const char *role, int nested);

bool verify_is_element(uint8_t dtype) {
  return dtype == PIR_BOOL || (pir_dtype_is_integer(dtype) && dtype != PIR_INDEX) ||
         dtype == PIR_F16 || dtype == PIR_BF16 || dtype == PIR_F32 || dtype == PIR_F64;
}

static bool is_value_type(uint8_t dtype) {
  return dtype == LOOP_INDEX || verify_is_element(dtype);
}

const char *verify_type_text(uint8_t dtype, uint16_t lanes, char out[TYPE_TEXT]) {
  const char *name = is_value_type(dtype) ? pir_loop_type_text(dtype) : "no type";
  if (lanes == 1)
    pir_text_format(out, TYPE_TEXT, "%s", name);
  else
    pir_text_format(out, TYPE_TEXT, "%sx%u", name, lanes);
  return out;
}

// ---- what several kinds ask

static void expect_type(verifier *v, const loop_expr *at, const loop_expr *e, const char *role,
                        uint8_t dtype, uint16_t lanes) {
  char is[TYPE_TEXT], wanted[TYPE_TEXT];
  if (e->dtype != dtype || e->lanes != lanes)
    verify_fault(v, at, "%s has type %s, not %s", role,
                 verify_type_text(e->dtype, e->lanes, is),
                 verify_type_text(dtype, lanes, wanted));
}

// The number of lanes in bits of the element type.
static int64_t bits_of_lanes(const loop_expr *e) {
  return (int64_t)pir_loop_type_size(e->dtype) * 8 * e->lanes;
}

static unsigned takes_of(uint8_t dtype) {
  if (dtype == LOOP_INDEX)
    return LOOP_TAKES_INDEX;
  if (dtype == PIR_BOOL)
    return LOOP_TAKES_BOOL;
  if (dtype == PIR_F16 || dtype == PIR_BF16)
    return LOOP_TAKES_HALVES;
  return pir_dtype_is_float(dtype) ? LOOP_TAKES_REALS : LOOP_TAKES_INTEGERS;
}

bool verify_declared(verifier *v, const loop_expr *e, const loop_buffer *buffer) {
  if (!buffer)
    verify_fault(v, e, "no buffer");
  else if (buffer->id >= v->fn->buffer_count || v->fn->buffers[buffer->id] != buffer)
    verify_fault(v, e, "buffer '%s' is not declared in the function", buffer->name);
  else
    return true;
  return false;
}

bool verify_is_fixed(const verifier *v, const loop_expr *e) {
  if (!e)
    return true;
  switch ((loop_kind)e->kind) {
    case LOOP_CONST: return true;
    case LOOP_VAR: return e->var->id < v->fn->var_count && v->vars[e->var->id].fixed;
    case LOOP_OP:
    case LOOP_CAST:
      return verify_is_fixed(v, e->a) && verify_is_fixed(v, e->b) && verify_is_fixed(v, e->c);
    default: return false;
  }
}

void verify_register(verifier *v, const loop_buffer *buffer, const loop_expr *index) {
  int64_t i;
  if (!verify_is_fixed(v, index))
    verify_fault(v, index, "the number of a register varies while the stage runs");
  else if (pir_loop_is_int(index, &i) && (i < 0 || i >= buffer->count))
    verify_fault(v, index, "b%u has %lld registers", buffer->id, (long long)buffer->count);
}

// ---- kinds

static void verify_const(verifier *v, const loop_expr *e) {
  int64_t i = e->constant.i;
  double f = e->constant.f;
  if (e->dtype == PIR_BOOL && i != 0 && i != 1)
    verify_fault(v, e, "a bool is 0 or 1");
  else if (pir_dtype_is_integer(e->dtype) && i != pir_loop_wrap(e->dtype, i))
    verify_fault(v, e, "the number does not fit its type");
  else if (pir_dtype_is_float(e->dtype) && f == f && f != pir_loop_round(e->dtype, f))
    verify_fault(v, e, "the number is no f32");
}

static void verify_use(verifier *v, const loop_expr *e) {
  const loop_var *var = e->var;
  if (!var) {
    verify_fault(v, e, "no variable");
    return;
  }
  if (var->id >= v->fn->var_count || (v->vars[var->id].var && v->vars[var->id].var != var))
    verify_fault(v, e, "v%u is a variable of another function", var->id);
  else if (!v->vars[var->id].depth)
    verify_fault(v, e, "v%u is %s", var->id,
                 v->vars[var->id].var ? "out of scope" : "not defined before");
  expect_type(v, e, e, "the use", var->dtype, var->lanes);
}

static void verify_dim(verifier *v, const loop_expr *e) {
  expect_type(v, e, e, "an extent", LOOP_INDEX, 1);
  if (e->dim.number < 0 || e->dim.number > UINT16_MAX)
    verify_fault(v, e, "no such extent");
}

static void verify_operation(verifier *v, const loop_expr *e) {
  const loop_operation *op = loop_operation_of(e->op);
  bool selects = e->op == PIR_V_SELECT;
  const loop_expr *first = selects ? e->b : e->a, *operands[] = {e->a, e->b, e->c};
  if (!(op->takes & takes_of(first->dtype)))
    verify_fault(v, e, "'%s' does not take %s", op->name, pir_loop_type_text(first->dtype));
  for (int i = 0; i < op->operands; i++) {
    char role[16];
    pir_text_format(role, sizeof role, "operand %d", i + 1);
    expect_type(v, e, operands[i], role, selects && !i ? PIR_BOOL : first->dtype, first->lanes);
  }
  expect_type(v, e, e, "the result", op->compares ? PIR_BOOL : first->dtype, first->lanes);
}

static void verify_fused(verifier *v, const loop_expr *e) {
  if (takes_of(e->dtype) != LOOP_TAKES_REALS)
    verify_fault(v, e, "'fused' does not take %s", pir_loop_type_text(e->dtype));
  expect_type(v, e, e->a, "operand 1", e->dtype, e->lanes);
  expect_type(v, e, e->b, "operand 2", e->dtype, e->lanes);
  expect_type(v, e, e->c, "operand 3", e->dtype, e->lanes);
}

static void verify_dot(verifier *v, const loop_expr *e) {
  if (!loop_dot_text(e->dot)) {
    verify_fault(v, e, "no such product");
    return;
  }
  expect_type(v, e, e->a, "operand 1", PIR_I32, e->lanes);
  expect_type(v, e, e->b, "operand 2", PIR_I32, e->lanes);
  expect_type(v, e, e->c, "operand 3", e->dot == LOOP_DOT_BF16 ? PIR_F32 : PIR_I32, e->lanes);
}

static void verify_cast(verifier *v, const loop_expr *e) {
  if (e->a->lanes != e->lanes)
    verify_fault(v, e, "%u lanes of %u", e->lanes, e->a->lanes);
  if (e->flushes && (e->a->dtype != PIR_F32 || e->dtype != PIR_BF16))
    verify_fault(v, e, "denormals become 0 where f32 becomes bf16 alone");
}

static void verify_bits(verifier *v, const loop_expr *e) {
  char is[TYPE_TEXT], wanted[TYPE_TEXT];
  bool numbers = verify_is_element(e->dtype) && verify_is_element(e->a->dtype) &&
                 e->dtype != PIR_BOOL && e->a->dtype != PIR_BOOL;
  if (!numbers || bits_of_lanes(e) != bits_of_lanes(e->a))
    verify_fault(v, e, "the bits of %s are not those of %s",
                 verify_type_text(e->a->dtype, e->a->lanes, is),
                 verify_type_text(e->dtype, e->lanes, wanted));
}

static void verify_lanes(verifier *v, const loop_expr *e) {
  expect_type(v, e, e->a, "operand 1", e->dtype, 1);
  if (e->kind == LOOP_RAMP)
    expect_type(v, e, e->b, "operand 2", e->dtype, 1);
  if (e->kind == LOOP_RAMP && !pir_dtype_is_integer(e->dtype) && e->dtype != LOOP_INDEX)
    verify_fault(v, e, "a ramp of %s", pir_loop_type_text(e->dtype));
  if (e->lanes < 2)
    verify_fault(v, e, "a vector has 2 lanes or more");
}

static void verify_load(verifier *v, const loop_expr *e) {
  if (!verify_declared(v, e, e->buffer))
    return;
  const loop_buffer *b = e->buffer;
  bool gathers = e->kind == LOOP_GATHER, registers = b->space == LOOP_REGISTER;
  if (e->dtype != b->dtype)
    verify_fault(v, e, "b%u has elements of %s", b->id, pir_loop_type_text(b->dtype));
  expect_type(v, e, e->a, "the index", LOOP_INDEX, gathers ? e->lanes : 1);
  if (registers) {
    verify_register(v, b, e->a);
    if (gathers || e->mask)
      verify_fault(v, e, "registers are read whole");
    if (e->lanes != b->lanes)
      verify_fault(v, e, "registers of b%u have %u lanes", b->id, b->lanes);
  } else {
    verify_mask(v, e->mask, e->lanes);
  }
}

static void verify_fold(verifier *v, const loop_expr *e) {
  bool team = e->kind == LOOP_TEAM;
  if (!loop_combine_text(e->combine))
    verify_fault(v, e, "elements are not combined so");
  expect_type(v, e, e, "the result", e->a->dtype, 1);
  if (takes_of(e->dtype) == LOOP_TAKES_HALVES)
    verify_fault(v, e, "arithmetic on 16-bit floats");
  if (team && !v->fn->threads)
    verify_fault(v, e, "a processor has no team of threads");
  if (team && e->a->lanes != 1)
    verify_fault(v, e, "a team combines scalars");
  bool whole = e->group > 1 && e->group <= 32 && e->group <= v->fn->threads;
  if (team && e->prefix && e->group)
    verify_fault(v, e, "a part of a team up to each thread");
  if (team && e->group && (!whole || e->group & (e->group - 1)))
    verify_fault(v, e, "%d threads of a team of %d", e->group, v->fn->threads);
}

static void verify_zip(verifier *v, const loop_expr *e) {
  if (e->lanes < 2 || e->lanes % 2)
    verify_fault(v, e, "halves of %u lanes", e->lanes);
  expect_type(v, e, e->a, "operand 1", e->dtype, e->lanes);
  expect_type(v, e, e->b, "operand 2", e->dtype, e->lanes);
}

static void verify_lookup(verifier *v, const loop_expr *e) {
  if (e->lanes < 2 || (e->lanes & (e->lanes - 1)))
    verify_fault(v, e, "a table of %u lanes", e->lanes);
  expect_type(v, e, e->a, "operand 1", e->dtype, e->lanes);
  expect_type(v, e, e->b, "operand 2", PIR_I32, e->lanes);
}

// ---- any

static int operands_of(const loop_expr *e) {
  switch ((loop_kind)e->kind) {
    case LOOP_CONST:
    case LOOP_VAR:
    case LOOP_DIM: return 0;
    case LOOP_OP: return loop_operation_of(e->op) ? loop_operation_of(e->op)->operands : -1;
    case LOOP_FMA:
    case LOOP_DOT: return 3;
    case LOOP_RAMP:
    case LOOP_ZIP:
    case LOOP_LOOKUP: return 2;
    case LOOP_CAST:
    case LOOP_BITCAST:
    case LOOP_BROADCAST:
    case LOOP_LOAD:
    case LOOP_GATHER:
    case LOOP_FOLD:
    case LOOP_TEAM: return 1;
  }
  return -1;
}

static void verify_given(verifier *v, const loop_expr *e) {
  bool known = e->kind != LOOP_VAR || e->var;
  if (known && e->given != pir_loop_may_wrap(e))
    verify_fault(v, e, "its sums %s wrap, and those of its operands %s",
                 e->given ? "may" : "do not", e->given ? "do not" : "may");
}

static void verify_kind(verifier *v, const loop_expr *e) {
  switch ((loop_kind)e->kind) {
    case LOOP_CONST: verify_const(v, e); break;
    case LOOP_VAR: verify_use(v, e); break;
    case LOOP_DIM: verify_dim(v, e); break;
    case LOOP_OP: verify_operation(v, e); break;
    case LOOP_FMA: verify_fused(v, e); break;
    case LOOP_DOT: verify_dot(v, e); break;
    case LOOP_CAST: verify_cast(v, e); break;
    case LOOP_BITCAST: verify_bits(v, e); break;
    case LOOP_BROADCAST:
    case LOOP_RAMP: verify_lanes(v, e); break;
    case LOOP_LOAD:
    case LOOP_GATHER: verify_load(v, e); break;
    case LOOP_FOLD:
    case LOOP_TEAM: verify_fold(v, e); break;
    case LOOP_ZIP: verify_zip(v, e); break;
    case LOOP_LOOKUP: verify_lookup(v, e); break;
  }
  verify_given(v, e);
}

static bool verify_shape(verifier *v, const loop_expr *e) {
  const loop_expr *operands[] = {e->a, e->b, e->c};
  int count = operands_of(e);
  bool loads = e->kind == LOOP_LOAD || e->kind == LOOP_GATHER;
  if (count < 0) {
    verify_fault(v, e, "no such %s", e->kind == LOOP_OP ? "operation" : "kind of expression");
    return false;
  }
  for (int i = 0; i < 3; i++)
    if ((operands[i] != NULL) != (i < count)) {
      verify_fault(v, e, "operand %d is %s", i + 1, operands[i] ? "one too many" : "missing");
      return false;
    }
  if (e->mask && !loads)
    verify_fault(v, e, "only loads have masks");
  if (is_value_type(e->dtype) && e->lanes >= 1 && e->lanes <= LOOP_MOST_LANES)
    return true;
  verify_fault(v, e, "values have a type of elements or are indices, in 1 to %d lanes",
               LOOP_MOST_LANES);
  return false;
}

static bool verify_below(verifier *v, const loop_expr *e, int nested) {
  const loop_expr *operands[] = {e->a, e->b, e->c};
  bool good = true;
  for (int i = 0; i < 3 && operands[i]; i++)
    good &= verify_nested(v, operands[i], "an operand", nested + 1);
  if (e->mask)
    good &= verify_nested(v, e->mask, "the mask", nested + 1);
  return good;
}

// The state of an expression since the statement began.
typedef enum verdict { UNSEEN, OPEN, GOOD, BAD } verdict;

static verdict verdict_of(const verifier *v, const loop_expr *e) {
  const uint64_t *known = pir_map_find(&v->expressions, e);
  return known && *known / 4 == v->number ? (verdict)(*known % 4) : UNSEEN;
}

static void set_verdict(verifier *v, const loop_expr *e, verdict found) {
  pir_map_put(&v->arena, &v->expressions, e, v->number * 4 + found);
}

static bool verify_nested(verifier *v, const loop_expr *e, const char *role, int nested) {
  if (!e) {
    verify_fault(v, NULL, "%s is missing", role);
    return false;
  }
  verdict known = verdict_of(v, e);
  if (known == OPEN)
    verify_fault(v, NULL, "an expression contains itself");
  if (known != UNSEEN)
    return known == GOOD;
  if (nested > LOOP_MOST_NESTED) {
    verify_fault(v, NULL, "expressions stand in more than %d others", LOOP_MOST_NESTED);
    return false;
  }
  set_verdict(v, e, OPEN);
  bool good = verify_shape(v, e) && verify_below(v, e, nested);
  if (good)
    verify_kind(v, e);
  set_verdict(v, e, good ? GOOD : BAD);
  return good;
}

bool verify_expr(verifier *v, const loop_expr *e, const char *role) {
  return verify_nested(v, e, role, 1);
}

void verify_expr_of(verifier *v, const loop_expr *e, const char *role, uint8_t dtype,
                    uint16_t lanes) {
  if (verify_expr(v, e, role))
    expect_type(v, e, e, role, dtype, lanes);
}

// The threads of a device branch on their own: one condition can stand for all lanes.
void verify_mask(verifier *v, const loop_expr *mask, uint16_t lanes) {
  if (mask)
    verify_expr_of(v, mask, "the mask", PIR_BOOL,
                   v->fn->threads && mask->lanes == 1 ? 1 : lanes);
}
