// auto_mixed_precision_pass: replaces f32 by f16 or bf16 where that is safe, with casts at the
// boundaries. This file decides which ops compute in 16-bit floats; precision_casts.c changes
// the program. Options: precision=f16 or bf16; allow= and deny= list ops (a|b); io=true
// converts inputs and outputs too.
//
// An op computes in 16-bit floats under three conditions: its meaning is a clause or a lower
// block (these compute in f32 and round each result), it is not declared `precise`, and no
// constant it reads exceeds the range. Ops with C kernels, control flow, and values that cross
// a region keep f32. Ops that only move elements follow their neighbours, so that they cause no
// casts. A list cannot be cast, so its producers and readers have one precision. A value that
// is overwritten in place and read by others keeps its type, and so do they. Linear in the
// program.
#include <precision.h>
#include <pass_list.h>

#include <effects.h>

#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>

#include <math.h>

// ---- values

bool precision_is_list(const pir_value *value) {
  return pir_type_kind_of(pir_value_type(value)) == PIR_TYPE_VECTOR;
}

pir_dtype precision_dtype(const precision *p, const pir_value *value) {
  const pir_fact *fact = pir_facts_of(p->facts, value);
  if (!fact->known)
    return PIR_UNDEFINED;
  if (pir_type_is_tensor(pir_value_type(value)))
    return fact->dtype;
  if (!precision_is_list(value) || !fact->member_count)
    return PIR_UNDEFINED;
  for (size_t i = 0; i < fact->member_count; i++)
    if (!fact->members[i]->known || fact->members[i]->dtype != fact->members[0]->dtype)
      return PIR_UNDEFINED;
  return fact->members[0]->dtype;
}

bool precision_keeps_operand(const pir_op *op, size_t i) {
  const pir_opdef *def = pir_op_def(op);
  enum { KEEPS = PIR_OPERAND_PRECISE | PIR_OPERAND_SCALAR | PIR_OPERAND_INTARRAY };
  return i < def->operand_count && def->operands[i].flags & KEEPS;
}

// ---- one op by itself

static bool is_wide(pir_dtype dtype) {
  return dtype == PIR_F64 || dtype == PIR_C64 || dtype == PIR_C128;
}

static bool only_moves(const pir_op *op) {
  const pir_clause *clause = pir_op_def(op)->clause;
  if (pir_op_has(op, PIR_STRUCTURAL))
    return true;
  if (!clause)
    return false;
  if (clause->kind == PIR_CLAUSE_POINTWISE)
    return clause->nodes[clause->body].op == PIR_V_LOAD;
  return clause->kind == PIR_CLAUSE_VIEW || clause->kind == PIR_CLAUSE_JOIN ||
         clause->kind == PIR_CLAUSE_SPLIT;
}

// Whether the meaning of the op is a clause or a lower block: these compute in f32 and round
// each result, whatever the type of its operands. A C kernel may have no code for 16-bit
// floats.
static bool is_said(const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  enum {
    OUTSIDE =
        PIR_TERMINATOR | PIR_CONSTANT | PIR_PARAMETER | PIR_INPUT | PIR_OUTPUT | PIR_CONTROL
  };
  if (def->traits & OUTSIDE || pir_op_regions(op) || pir_op_is(op, PD_CAST))
    return false;
  if (!(def->traits & (PIR_PURE | PIR_INPLACE | PIR_RANDOM | PIR_STRUCTURAL)))
    return false;
  return def->clause || def->lower_count || def->hooks.expand || def->traits & PIR_STRUCTURAL;
}

// Whether an attribute is a number out of the range of f16.
static bool is_out_of_range(const precision *p, const pir_op *op) {
  for (size_t i = 0; p->low == PIR_F16 && i < pir_op_def(op)->attr_count; i++) {
    const pir_attr *attr = pir_op_attr_at(op, i);
    double number;
    if (attr && pir_attr_kind_of(attr) == PIR_ATTR_SCALAR)
      attr = pir_attr_element(attr, 0);
    bool is_float = attr && (pir_attr_kind_of(attr) == PIR_ATTR_F32 ||
                             pir_attr_kind_of(attr) == PIR_ATTR_F64);
    if (!is_float)
      continue;
    pir_attr_as_float(attr, &number);
    if (isfinite(number) && fabs(number) > 65504)
      return true;
  }
  return false;
}

static bool reads_out_of_range(const precision *p, const pir_op *op) {
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_op *source = pir_op_operand_op(op, i);
    if (source && pir_op_has(source, PIR_CONSTANT) && is_out_of_range(p, source))
      return true;
  }
  return is_out_of_range(p, op);
}

// Decides for one op without regard to its neighbours. Option allow= overrides the range check
// and `precise`, but not operands whose type is unknown or wider than f32.
static uint64_t choice_of(const precision *p, const pir_op *op) {
  bool allowed = pir_run_option_lists(p->run, "allow", pir_op_name(op)), reads = false,
       gives = false, list = false;
  if (pir_run_option_lists(p->run, "deny", pir_op_name(op)) || !is_said(op))
    return PRECISION_STAYS;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    pir_value *value = pir_op_operand(op, i);
    if (!value || precision_keeps_operand(op, i))
      continue;
    pir_dtype dtype = precision_dtype(p, value);
    if (dtype == PIR_UNDEFINED || is_wide(dtype))
      return PRECISION_STAYS;
    reads |= dtype == PIR_F32;
    list |= dtype == PIR_F32 && precision_is_list(value);
  }
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_value *value = pir_op_result(op, i);
    pir_dtype dtype = precision_dtype(p, value);
    if (dtype == PIR_UNDEFINED && !pir_value_unused(value))
      return PRECISION_STAYS;
    if (is_wide(dtype))
      return PRECISION_STAYS;
    gives |= dtype == PIR_F32;
  }
  if (!reads || (!allowed && reads_out_of_range(p, op)))
    return PRECISION_STAYS;
  if (!gives)
    return list || pir_op_has(op, PIR_INPLACE) ? PRECISION_STAYS : PRECISION_FOLLOWS;
  if (allowed)
    return PRECISION_LOW;
  if (pir_op_has(op, PIR_PRECISE))
    return PRECISION_STAYS;
  return only_moves(op) ? PRECISION_MOVES : PRECISION_LOW;
}

// ---- ops that go together

static bool is_low(const pir_op *op) {
  return op && pir_op_mark(op) == PRECISION_LOW;
}

static bool follows_low_operand(const pir_op *op) {
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (is_low(pir_op_operand_op(op, i)))
      return true;
  return false;
}

static bool has_low_reader(const pir_op *op) {
  for (size_t i = 0; i < pir_op_results(op); i++)
    PIR_EACH_USE(use, pir_op_result(op, i)) if (is_low(pir_use_owner(use))) return true;
  return false;
}

static void settle_moves(precision *p) {
  for (size_t i = 0; i < p->ops.count; i++) {
    pir_op *op = p->ops.items[i];
    if (pir_op_mark(op) == PRECISION_MOVES && follows_low_operand(op))
      pir_op_set_mark(op, PRECISION_LOW);
  }
  for (size_t i = p->ops.count; i-- > 0;) {
    pir_op *op = p->ops.items[i];
    if (pir_op_mark(op) == PRECISION_MOVES)
      pir_op_set_mark(op, has_low_reader(op) ? PRECISION_LOW : PRECISION_STAYS);
  }
}

// An in-place op may work on a cast copy only if no other op needs its write.
static void pin_overwritten(precision *p, pir_op *op) {
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    pir_value *value = pir_op_operand(op, i);
    if (!value || !pir_op_overwrites(op, i))
      continue;
    pir_op *source = pir_value_op(value);
    bool kept = !source || pir_op_has(source, PIR_PARAMETER) || pir_op_has(source, PIR_INPUT);
    if (!kept && pir_value_single_use(value))
      continue;
    if (source)
      pir_op_set_mark(source, PRECISION_STAYS);
    PIR_EACH_USE(use, value)
    if (!precision_keeps_operand(pir_use_owner(use), pir_use_operand_index(use)))
      pir_op_set_mark(pir_use_owner(use), PRECISION_STAYS);
  }
}

typedef PIR_VEC(pir_op *) op_list;

// If one producer or reader of a list keeps f32, all of them do.
static void pull_along(precision *p, op_list *staying, pir_op *other) {
  if (!is_low(other))
    return;
  pir_op_set_mark(other, PRECISION_STAYS);
  pir_vec_push(p->arena, staying, other);
}

static bool is_f32_list(const precision *p, const pir_value *value) {
  return value && precision_is_list(value) && precision_dtype(p, value) == PIR_F32;
}

static void tie_lists(precision *p) {
  op_list staying = {0};
  for (size_t i = 0; i < p->ops.count; i++)
    if (!is_low(p->ops.items[i]))
      pir_vec_push(p->arena, &staying, p->ops.items[i]);
  while (staying.count) {
    pir_op *op = pir_vec_pop(&staying);
    for (size_t i = 0; i < pir_op_operands(op); i++)
      if (is_f32_list(p, pir_op_operand(op, i)))
        pull_along(p, &staying, pir_op_operand_op(op, i));
    for (size_t i = 0; i < pir_op_results(op); i++)
      if (is_f32_list(p, pir_op_result(op, i)))
        PIR_EACH_USE(use, pir_op_result(op, i)) pull_along(p, &staying, pir_use_owner(use));
  }
  // A list argument has no producer.
  pir_vec_free(p->arena, &staying);
}

// ---- the pass

static pir_walk_result collect_nested_op(pir_op *op, void *user) {
  precision *p = user;
  if (!pir_op_parent(op))
    return PIR_WALK_CONTINUE;
  pir_vec_push(p->arena, &p->ops, op);
  return PIR_WALK_CONTINUE;
}

static pir_status read_precision(precision *p) {
  pir_str name = pir_run_option(p->run, "precision");
  p->low = PIR_F16;
  if (pir_str_equal(name, PIR_STR("bf16")) || pir_str_equal(name, PIR_STR("bfloat16")))
    p->low = PIR_BF16;
  else if (name.size && !pir_str_equal(name, PIR_STR("f16")) &&
           !pir_str_equal(name, PIR_STR("float16")))
    return pir_run_bad_option(p->run, "precision", "f16 or bf16");
  p->io = pir_run_option_bool(p->run, "io", false);
  return PIR_OK;
}

pir_status pir_pass_mixed_precision(pir_pass_run *run) {
  precision p = {.run = run, .arena = pir_context_arena(pir_program_context(run->program))};
  PIR_TRY(read_precision(&p));
  p.facts = pir_run_facts(run);
  if (!p.facts)
    return pir_run_facts_status(run);
  pir_walk(pir_program_module(run->program), PIR_PRE_ORDER, collect_nested_op, &p);
  for (size_t i = 0; i < p.ops.count; i++)
    pir_op_set_mark(p.ops.items[i], choice_of(&p, p.ops.items[i]));
  for (size_t i = 0; i < p.ops.count; i++)
    pin_overwritten(&p, p.ops.items[i]);
  settle_moves(&p);
  tie_lists(&p);
  pir_status status = precision_apply(&p);
  pir_run_allow_any_float(run);
  pir_vec_free(p.arena, &p.ops);
  pir_map_free(p.arena, &p.lowered);
  pir_map_free(p.arena, &p.casts);
  pir_run_count(run, "ops on halves", p.low_ops);
  pir_run_count(run, "casts", p.cast_count);
  return status;
}
