// Refuses two kinds of ops: those whose verify hook refuses their attributes, and those with an
// operand of an element type that the op does not take. The accepted types are a list in the
// op's declaration, or the type of another operand. Facts decide, not stated types. A 16-bit
// float may be combined with f32, because statistics and weights of 16-bit layers are stored in
// f32. The lists are the types of Paddle's CPU kernels; the caller can also admit the 16-bit
// floats that Paddle computes on GPUs only (any_float). One sweep over the original program;
// the ops of an expansion are not checked.
#include <pir/compiler/pass.h>
#include <pass_list.h>

#include <arena.h>
#include <effects.h>
#include <pir/compiler/infer.h>
#include <pir/compiler/walk.h>

typedef struct check {
  const pir_facts *facts;
  bool any_float;
  pir_status status;
  pir_arena scratch;
} check;

static pir_dtype operand_dtype(const check *c, const pir_op *op, size_t i) {
  const pir_fact *fact = pir_facts_of(c->facts, pir_op_optional(op, i));
  if (fact->member_count)
    fact = fact->members[0];
  return fact->known ? fact->dtype : PIR_UNDEFINED;
}

static bool is_half(pir_dtype dtype) {
  return dtype == PIR_F16 || dtype == PIR_BF16;
}

static bool accepts_dtype(pir_dtype has, pir_dtype wanted, uint8_t flags) {
  if (has == wanted)
    return true;
  if (flags & PIR_OPERAND_EXACT)
    return false;
  if (flags & PIR_OPERAND_PROMOTED)
    return pir_dtype_is_complex(has) || pir_dtype_is_complex(wanted) ||
           (pir_dtype_is_float(has) && pir_dtype_is_float(wanted));
  return is_half(wanted) && has == PIR_F32;
}

// "int32 or int64"
static void list_types(pir_dtype_set set, char *out, size_t capacity) {
  size_t used = 0;
  for (int t = 0; t < PIR_DTYPE_COUNT; t++)
    if (set >> t & 1)
      used += pir_text_format(out + used, capacity - used, "%s%s", used ? " or " : "",
                              pir_dtype_name((pir_dtype)t));
}

// Members of a list must have one type if the op computes with them; an op that only has an
// effect (print, assert) accepts any, and so does one that only splits the list.
static pir_status check_members(const check *c, const pir_op *op, size_t i, const char *name) {
  const pir_fact *list = pir_facts_of(c->facts, pir_op_operand(op, i));
  for (size_t k = 1; list->known && k < list->member_count; k++) {
    const pir_fact *first = list->members[0], *member = list->members[k];
    if (!first->known || !member->known || accepts_dtype(member->dtype, first->dtype, 0))
      continue;
    return pir_error(op, "operand %s: expects %s as its first member, found %s", name,
                     pir_dtype_name(first->dtype), pir_dtype_name(member->dtype));
  }
  return PIR_OK;
}

static void *allocate(void *user, size_t size) {
  return pir_arena_zalloc(user, size);
}

// Whether the clause selected by these attributes reads the operand as indices.
static bool is_index(check *c, const pir_op *op, const pir_opdef *def, size_t operand) {
  const pir_attr_value *attrs = NULL;
  if (!def->clause || pir_op_attr_values(op, allocate, &c->scratch, &attrs))
    return false;
  for (const pir_clause *clause = def->clause; clause; clause = clause->next)
    if (pir_clause_choose(def->clause, clause->result, attrs) == clause &&
        pir_clause_indexes(clause, operand))
      return true;
  return false;
}

static pir_status check_operand(check *c, const pir_op *op, const pir_opdef *def, size_t i) {
  const pir_operand_def *want = &def->operands[i];
  if (want->literal)
    return PIR_OK;
  if (!pir_op_operand(op, i)) {
    if (want->flags & (PIR_OPERAND_OPTIONAL | PIR_OPERAND_VARIADIC))
      return PIR_OK;
    return pir_error(op, "operand %s: expects a tensor, found none", want->name);
  }
  bool computes = def->traits & PIR_PURE && !(def->traits & PIR_STRUCTURAL);
  if (want->flags & PIR_OPERAND_VARIADIC && computes)
    PIR_TRY(check_members(c, op, i, want->name));
  pir_dtype has = operand_dtype(c, op, i);
  if (has == PIR_UNDEFINED)
    return PIR_OK;
  bool on_gpu = is_half(has) && want->dtypes >> PIR_F32 & 1;
  if (want->dtypes && !(want->dtypes >> has & 1) && !(on_gpu && c->any_float)) {
    char types[PIR_DTYPE_COUNT * sizeof "bfloat16 or bfloat16"] = "";
    list_types(want->dtypes, types, sizeof types);
    return pir_error(
        op, "operand %s: expects %s, found %s%s", want->name, types, pir_dtype_name(has),
        on_gpu ? ", which has no CPU kernel in Paddle (any_float computes it)" : "");
  }
  if (!want->dtypes && !pir_dtype_is_integer(has) && has != PIR_BOOL && is_index(c, op, def, i))
    return pir_error(op, "operand %s: expects integers, found %s", want->name,
                     pir_dtype_name(has));
  pir_dtype other =
      want->same_as >= 0 ? operand_dtype(c, op, (size_t)want->same_as) : PIR_UNDEFINED;
  if (other == PIR_UNDEFINED || accepts_dtype(has, other, want->flags))
    return PIR_OK;
  return pir_error(op, "operand %s: expects %s as %s, found %s", want->name,
                   pir_dtype_name(other), def->operands[want->same_as].name,
                   pir_dtype_name(has));
}

static pir_walk_result check_op(pir_op *op, void *user) {
  check *c = user;
  const pir_opdef *def = pir_op_meaning(op);
  for (size_t i = 0; i < def->operand_count && i < pir_op_operands(op); i++)
    if (check_operand(c, op, def, i))
      c->status = PIR_INVALID;
  if (def->hooks.verify && def->hooks.verify(op))
    c->status = PIR_INVALID;
  return PIR_WALK_CONTINUE;
}

pir_status pir_pass_check(pir_pass_run *run) {
  check c = {.facts = pir_run_facts(run), .any_float = pir_run_any_float(run)};
  if (!c.facts)
    return pir_run_facts_status(run);
  pir_arena_init(&c.scratch, pir_facts_heap(c.facts));
  pir_walk(pir_program_module(run->program), PIR_PRE_ORDER, check_op, &c);
  pir_arena_destroy(&c.scratch);
  return c.status;
}
