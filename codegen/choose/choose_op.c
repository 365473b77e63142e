// Decides whether one op can be compiled: lowers it alone, at a symbolic point, into a
// temporary module. An op that lowers alone also lowers inside a group.
#include "choose.h"
#include "nest.h"

#include <strbuf.h>
#include <string.h>

static void symbolic_index(lowering *l, const pir_fact *fact, loop_expr **out) {
  for (int d = 0; d < fact->rank; d++) {
    loop_var *v = pir_loop_var_create(l->fn, "i", LOOP_INDEX, 1);
    v->extent = lower_dim(l, fact->shape[d]);
    out[d] = pir_loop_use(l->m, v);
  }
}

static bool has_shape(const pir_fact *f) {
  return pir_fact_has_rank(f) && pir_dtype_is_number(f->dtype);
}

// Treats all operands, and the members of list operands, as buffers.
static void take_operand(lowering *l, const pir_value *v) {
  const pir_op *op = pir_value_op(v);
  if (pir_type_kind_of(pir_value_type(v)) == PIR_TYPE_VECTOR) {
    for (size_t i = 0; op && pir_op_has(op, PIR_STRUCTURAL) && i < pir_op_operands(op); i++)
      if (pir_op_operand(op, i))
        take_operand(l, pir_op_operand(op, i));
    return;
  }
  if (op && pir_op_has(op, PIR_CONSTANT))
    return;
  lower_value *entry = lower_add(l, v);
  entry->slot = (int32_t)l->values.count;
  entry->readable = true;
}

// Scans, scatters and kernels are stages of their own, on a device alone.
static bool lowers_as_stages(lowering *l, const pir_op *op) {
  lower_stages stages = {0};
  const pir_clause *clause = pir_op_meaning(op)->clause;
  if (!lower_on_device(l) || (clause && pir_value_unused(pir_op_result(op, 0))))
    return false;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    const pir_value *result = pir_op_result(op, i);
    if (pir_value_unused(result))
      continue;
    if (!pir_value_type(result) || !has_shape(lower_fact(l, result)))
      return false;
    lower_value *v = lower_add(l, result);
    v->slot = (int32_t)l->values.count;
    v->written = true;
  }
  if (!clause)
    lower_kernel(l, op, &stages);
  else if (clause->kind == PIR_CLAUSE_SCAN)
    lower_scan(l, op, &stages);
  else
    lower_updates(l, op, &stages);
  return !l->why;
}

static bool lowers_alone(lowering *l, const pir_op *op) {
  loop_expr *index[PIR_MAX_RANK];
  const pir_clause *clause = pir_op_meaning(op)->clause;
  lower_start(l, "probe", 0);
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (pir_op_operand(op, i))
      take_operand(l, pir_op_operand(op, i));
  if (!clause || clause->kind == PIR_CLAUSE_SCAN || clause->kind == PIR_CLAUSE_SCATTER)
    return lowers_as_stages(l, op);
  for (size_t i = 0; i < pir_op_results(op) && !l->why; i++) {
    const pir_value *result = pir_op_result(op, i);
    if (!pir_value_type(result) || (i && pir_value_unused(result)))
      continue;
    const pir_fact *fact = lower_fact(l, result);
    if (!has_shape(fact))
      return false;
    symbolic_index(l, fact, index);
    lower_element(l, result, index);
  }
  return !l->why;
}

// Whether the source index along each dim is affine in the result's indices, or depends on only
// one of them.
static bool is_tabled(const loop_expr *e, loop_expr *const *index, int rank) {
  int mentioned = 0;
  int64_t step;
  bool affine = true;
  for (int d = 0; d < rank; d++) {
    if (!pir_loop_mentions(e, index[d]->var))
      continue;
    mentioned++;
    affine &= pir_loop_stride(e, index[d]->var, &step);
  }
  return affine || mentioned == 1;
}

// Memory orders of the result and of the moved operand of a group of one op; NULL: row-major.
static void find_orders(lowering *l, const pir_op *group, const pir_fact *source,
                        uint8_t *out_from, uint8_t *out_to) {
  for (int d = 0; d < PIR_MAX_RANK; d++)
    out_from[d] = out_to[d] = (uint8_t)d;
  for (size_t i = 0; group && i < pir_op_operands(group); i++)
    if (lower_fact(l, pir_op_operand(group, i)) == source)
      pir_group_order(group, false, i, out_from);
  if (group)
    pir_group_order(group, true, 0, out_to);
}

// Compares the innermost dims in memory: true if neighbours in the result are not neighbours in
// the operand, so that a compiled loop would gather, and the index is simple enough for the
// runtime to copy by squares or tables.
static bool turns_elements(lowering *l, const pir_op *op, const pir_op *group) {
  loop_expr *index[PIR_MAX_RANK], *from[PIR_MAX_RANK];
  uint8_t order[PIR_MAX_RANK], source_order[PIR_MAX_RANK];
  const pir_fact *source;
  lower_site site;
  int64_t step = 0;
  if (pir_op_results(op) != 1 || !lowers_alone(l, op) || !lower_open(l, op, 0, &site))
    return false;
  const pir_fact *fact = lower_fact(l, pir_op_result(op, 0));
  symbolic_index(l, fact, index);
  if (fact->rank < 2 || !lower_moved_index(&site, index, &source, from) ||
      source->dtype != fact->dtype)
    return false;
  find_orders(l, group, source, source_order, order);
  const loop_var *inner = index[order[fact->rank - 1]]->var;
  int last = source->rank ? source_order[source->rank - 1] : 0;
  bool aside = false, moves = false;
  for (int d = 0; d < source->rank; d++) {
    if (!is_tabled(from[d], index, fact->rank))
      return false;
    moves |= pir_loop_mentions(from[d], inner);
    aside |= d != last && pir_loop_mentions(from[d], inner);
  }
  bool runs = source->rank > 0 && pir_loop_stride(from[last], inner, &step) && step == 1;
  return moves && (aside || !runs);
}

// A product of few rows with a computed matrix whose columns are contiguous along the reduced
// axis is not compiled: packing the matrix would cost more than the products. The called kernel
// computes each result as one dot product.
static bool is_scalar_products(const contraction *c, const pir_value *b, int64_t most_rows) {
  const pir_op *source = pir_value_op(b);
  const contract_map *last = c->b.rank ? &c->b.map[c->b.rank - 1] : NULL;
  int64_t rows = 1, extent;
  bool along = false;
  if (!last || c->b.dtype != PIR_F32 ||
      (source && pir_op_has_any(source, PIR_PARAMETER | PIR_CONSTANT)))
    return false;
  for (int v = 0; v < c->var_count; v++) {
    if (c->vars[v].reduced)
      along |= last->factor[v] == 1 && c->a.rank && c->a.map[c->a.rank - 1].factor[v] == 1;
    if (c->vars[v].reduced || contract_mentions(&c->b, v))
      continue;
    if (!pir_dim_is_const(c->dims, c->vars[v].extent, &extent) || extent > most_rows)
      return false;
    rows *= extent;
  }
  return along && rows <= most_rows;
}

static const char *refuse_contraction(const pir_op *op, const pir_facts *facts,
                                      const pir_target *target) {
  contraction c;
  int a, b;
  int64_t most_rows = pir_machine_of(target)->group.scalar_rows;
  if (!pir_contract_match_levels(op, facts, &c, &a, &b))
    return "it is no sum of products whose indices are sums";
  if (!pir_contract_can(&c))
    return "its products have no form in loops";
  return is_scalar_products(&c, pir_op_operand(op, (size_t)b), most_rows)
             ? "it has few rows, for which a computed matrix would be packed"
             : NULL;
}

static const char *state_unsupported(pir_arena *arena, const char *why) {
  pir_message text;
  pir_text_format(text.text, sizeof text.text, "unsupported: %s", why);
  return arena ? pir_arena_text(arena, pir_str_from(text.text)).data : why;
}

const char *choose_refusal(const pir_op *op, const pir_facts *facts, const pir_target *target,
                           pir_arena *arena) {
  static const char no_form[] = "its clause has no form in loops";
  const uint32_t never = PIR_RANDOM | PIR_PARAMETER | PIR_INPUT | PIR_OUTPUT;
  const pir_opdef *def = pir_op_meaning(op);
  probe p;
  bool kernel = target && target->device && lower_has_kernel(op);
  if ((!def->clause && !kernel) || !pir_op_results(op) || (def->traits & never))
    return no_form;
  const char *refused = NULL;
  if (!kernel && def->clause->kind == PIR_CLAUSE_CONTRACT) {
    refused = refuse_contraction(op, facts, target);
    if (!refused || !target || !target->device)
      return refused;
  }
  probe_open(&p, facts, target, NULL);
  p.l.sums = refused != NULL;
  const char *why = NULL;
  if (!lowers_alone(&p.l, op))
    why = p.l.why ? state_unsupported(arena, p.l.why) : no_form;
  probe_close(&p);
  return why && refused ? refused : why;
}

bool choose_has_generator(const pir_op *op, const pir_facts *facts, const pir_target *target) {
  return !refuse_contraction(op, facts, target);
}

bool choose_can(const pir_op *op, const pir_facts *facts, const pir_target *target) {
  return !choose_refusal(op, facts, target, NULL);
}

bool choose_is_copy(const pir_op *op, const pir_op *group, const pir_facts *facts) {
  probe p;
  probe_open(&p, facts, NULL, NULL);
  bool turns = turns_elements(&p.l, op, group);
  probe_close(&p);
  return turns;
}

const pir_clause *choose_clause(const pir_op *op, const pir_facts *facts) {
  const pir_opdef *def = pir_op_meaning(op);
  const pir_clause *clause = NULL;
  lower_site site;
  probe p;
  if (!def->clause || pir_op_has(op, PIR_STRUCTURAL))
    return NULL;
  probe_open(&p, facts, NULL, NULL);
  if (lower_open(&p.l, op, 0, &site))
    clause = site.clause;
  probe_close(&p);
  return clause;
}

bool choose_reads_elements(const pir_op *op, const pir_facts *facts) {
  const pir_clause *clause = pir_op_has(op, PIR_PURE) ? choose_clause(op, facts) : NULL;
  return clause && clause->kind == PIR_CLAUSE_POINTWISE;
}

bool choose_row_space(const pir_op *op, const pir_facts *facts, lower_space *out_space) {
  lower_site site;
  probe p;
  probe_open(&p, facts, NULL, NULL);
  bool ok = lower_open(&p.l, op, 0, &site) && lower_reduce_space(&site, out_space);
  probe_close(&p);
  return ok;
}

// Returns the rank of the tensor with the joined axis: a join's result or a split's operand.
static int joined_rank(lower_site *site, int operand) {
  if (site->clause->kind == PIR_CLAUSE_JOIN)
    return site->out->rank;
  const pir_value *whole = lower_operand(site, operand, 0);
  return whole ? lower_fact(site->l, whole)->rank : 0;
}

static int find_joined(const pir_op *op, pir_clause_kind kind, bool stacks,
                       const pir_facts *facts, int *out_axis) {
  lower_site site;
  probe p;
  int operand = -1;
  probe_open(&p, facts, NULL, NULL);
  if (lower_open(&p.l, op, 0, &site) && site.clause->kind == kind &&
      (stacks || !site.clause->stack)) {
    operand = site.clause->nodes[site.clause->body].k;
    int rank = joined_rank(&site, operand);
    *out_axis = rank > 0 ? (int)lower_join_axis(&site, rank) : -1;
    if (p.l.why || *out_axis < 0)
      operand = -1;
  }
  probe_close(&p);
  return operand;
}

int choose_joined_operand(const pir_op *op, pir_clause_kind kind, const pir_facts *facts,
                          int *out_axis) {
  return find_joined(op, kind, false, facts, out_axis);
}

int choose_divided_operand(const pir_op *op, const pir_facts *facts, int *out_axis) {
  return find_joined(op, PIR_CLAUSE_SPLIT, true, facts, out_axis);
}

bool choose_find_attention(const pir_op *op, const pir_facts *facts, const pir_target *target,
                           choose_attention *out) {
  probe p;
  probe_open(&p, facts, target, NULL);
  bool found = attention_match(&p.l, op, &out->found);
  if (target && target->device)
    found = found && attention_fits_device(&out->found);
  out->turn = found ? attention_turn(&p.l, pir_op_result(op, 0), out->from) : NULL;
  probe_close(&p);
  return found;
}
