// Checks the requirements of an op: the conditions on operands and attributes (`require` in
// `.ops`), and the tensors that its clauses index with. A condition that is known to be false
// is an error. The message shows the condition as declared and the values of its names. O(nodes
// of the conditions).
#include "infer_impl.h"

enum { CHECKED = 1024 };  // values of `each` at most

typedef struct named {
  uint64_t operands, attrs;  // bits
} named;

static void find_names(const pir_clause *c, int16_t at, named *out) {
  if (at < 0)
    return;
  const pir_node *n = &c->nodes[at];
  switch (n->op) {
    case PIR_I_ATTR:
    case PIR_I_ATTR_AT:
    case PIR_I_ATTR_COUNT:
    case PIR_I_ATTR_DTYPE:
    case PIR_I_ATTR_IS:
    case PIR_V_ATTR_AT:
    case PIR_V_ATTR: out->attrs |= (uint64_t)1 << (n->k & 63); break;
    case PIR_I_DIM:
    case PIR_I_RANK:
    case PIR_I_NUMEL:
    case PIR_I_MEMBERS:
    case PIR_I_PRESENT:
    case PIR_I_DTYPE:
    case PIR_V_SCALAR:
    case PIR_I_OPERAND_AT:
    case PIR_I_OPERAND_COUNT: out->operands |= (uint64_t)1 << (n->k & 63); break;
    default: break;
  }
  find_names(c, n->a, out);
  find_names(c, n->b, out);
  find_names(c, n->c, out);
}

// Formats the condition as declared, the `d` of `each d` for which it fails, and the values of
// its names.
static pir_status fail_requirement(pir_infer *infer, const pir_clause *c, int d) {
  char found[160] = "", at[16] = "";
  size_t used = 0;
  named names = {0};
  find_names(c, c->guard, &names);
  find_names(c, c->out_rank, &names);
  find_names(c, c->out_extent, &names);
  for (size_t k = 0; k < infer->operand_count && k < 64 && used + 48 < sizeof found; k++)
    if (names.operands >> k & 1)
      used += infer_put_operand(infer, k, found + used, sizeof found - used);
  for (size_t k = 0; k < infer->def->attr_count && k < 64 && used + 48 < sizeof found; k++)
    if (names.attrs >> k & 1)
      used += infer_put_attr(infer, k, found + used, sizeof found - used);
  if (used)
    found[used - 1] = 0;
  if (d >= 0)
    pir_text_format(at, sizeof at, ", at %d", d);
  return pir_infer_fail(infer, "expects %s, found%s%s", c->text[c->trap_text], found, at);
}

static bool fails(const symbolic *s, int16_t condition) {
  int64_t holds;
  return pir_dim_is_const(s->infer->dims, symbolic_index(s, condition), &holds) && !holds;
}

static bool reads_index(const pir_clause *c, int16_t at, size_t operand) {
  if (at < 0)
    return false;
  const pir_node *n = &c->nodes[at];
  if (n->op == PIR_I_LOAD && n->k == (int16_t)operand)
    return true;
  bool list = n->map_kind == PIR_MAP_LIST, load = n->op == PIR_I_LOAD || n->op == PIR_V_LOAD;
  for (int16_t i = 0; load && list && i < n->map_count; i++)
    if (reads_index(c, c->pool[n->map + i], operand))
      return true;
  if (load && !list && reads_index(c, n->map, operand))
    return true;
  return reads_index(c, n->a, operand) || reads_index(c, n->b, operand) ||
         reads_index(c, n->c, operand);
}

// Alternatives share their nodes, so only nodes that this one reaches are visited.
bool pir_clause_indexes(const pir_clause *c, size_t operand) {
  const int16_t roots[] = {c->body, c->then, c->init, c->guard, c->trap};
  for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
    if (reads_index(c, roots[i], operand))
      return true;
  bool list = c->out_map_kind == PIR_MAP_LIST;
  for (int16_t i = 0; list && i < c->out_map_count; i++)
    if (reads_index(c, c->pool[c->out_map + i], operand))
      return true;
  return !list && reads_index(c, c->out_map, operand);
}

// Operands that a clause reads as indices must be integers, whatever types are declared. The
// `check` pass checks the ops of a program; this check covers ops of expansions.
static pir_status check_indices(pir_infer *infer, const pir_clause *c) {
  for (size_t k = 0; k < infer->operand_count; k++) {
    const pir_fact *fact = infer->operands[k];
    if (fact && fact->members)
      fact = fact->member_count ? fact->members[0] : NULL;
    if (!fact || !fact->known || pir_dtype_is_integer(fact->dtype) || fact->dtype == PIR_BOOL)
      continue;
    if (pir_clause_indexes(c, k))
      return pir_infer_fail(infer, "%s: expects integers, found %s",
                            infer->def->operands[k].name, pir_dtype_name(fact->dtype));
  }
  return PIR_OK;
}

pir_status infer_requirements(pir_infer *infer) {
  for (const pir_clause *c = infer->def->clause; c && infer->nesting; c = c->next)
    if (pir_clause_choose(infer->def->clause, c->result, infer->attrs) == c)
      PIR_TRY(check_indices(infer, c));

  for (const pir_clause *c = infer->def->require; c; c = c->next) {
    symbolic s = {.infer = infer, .nodes = c->nodes, .pool = c->pool, .text = c->text};
    int64_t count = 0;
    if (c->guard >= 0 && fails(&s, c->guard))
      return fail_requirement(infer, c, -1);
    if (c->out_rank < 0 ||
        !pir_dim_is_const(infer->dims, symbolic_index(&s, c->out_rank), &count))
      continue;
    for (s.d = 0; s.d < count && s.d < CHECKED; s.d++)
      if (fails(&s, c->out_extent))
        return fail_requirement(infer, c, (int)s.d);
  }
  return PIR_OK;
}

static void require_equal(const symbolic *s, pir_infer *infer, int16_t condition) {
  const pir_node *n = condition >= 0 ? &s->nodes[condition] : NULL;
  if (n && n->op == PIR_I_EQ)
    infer_require(infer, PIR_EQUAL, symbolic_index(s, n->a), symbolic_index(s, n->b));
  if (!n || n->op != PIR_I_AND)
    return;
  require_equal(s, infer, n->a);
  require_equal(s, infer, n->b);
}

void pir_infer_equalities(pir_infer *infer) {
  for (const pir_clause *c = infer->def->require; c; c = c->next) {
    symbolic s = {.infer = infer, .nodes = c->nodes, .pool = c->pool, .text = c->text};
    require_equal(&s, infer, c->guard);
  }
}

void infer_require(pir_infer *infer, pir_constraint_kind kind, pir_dim a, pir_dim b) {
  int64_t x, y;
  if (!infer->require || a == b || a == PIR_DIM_UNKNOWN || b == PIR_DIM_UNKNOWN)
    return;
  if (pir_dim_is_const(infer->dims, a, &x) && pir_dim_is_const(infer->dims, b, &y))
    return;
  infer->require(infer, kind, a, b);
}
