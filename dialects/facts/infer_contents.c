// Contents of small integer tensors. Programs compute shapes as tensors (shape, slice, concat,
// arithmetic, reshape), and the results of reshape or expand depend on them. The clause of an
// op that computes such a tensor is evaluated over dims, element by element, for at most
// PIR_FACT_CONTENTS elements.
#include "infer_impl.h"

// Returns the number of elements if the shape is constant and small, else -1.
static int64_t small_count(const pir_infer *infer, const pir_fact *fact) {
  int64_t n = 1, extent;
  if (!fact->known || fact->members || fact->rank < 0)
    return -1;
  for (int32_t i = 0; i < fact->rank; i++) {
    if (!pir_dim_is_const(infer->dims, fact->shape[i], &extent) || extent < 0 ||
        extent > PIR_FACT_CONTENTS)
      return -1;
    n *= extent;
    if (n > PIR_FACT_CONTENTS)
      return -1;
  }
  return n;
}

// Constants of float type keep contents too if they are whole: they become scalars of scale,
// clip, arange.
static bool wanted(const pir_infer *infer, const pir_fact *fact) {
  if (pir_dtype_is_integer(fact->dtype) || fact->dtype == PIR_BOOL)
    return true;
  return infer->def->traits & PIR_CONSTANT;
}

// Concatenates members if all are 1-D or 0-D.
static void join_members(const pir_infer *infer, const pir_clause *c, pir_dim *out,
                         int64_t count) {
  const pir_fact *list = infer->operands[c->nodes[c->body].k];
  int64_t n = 0;
  for (size_t m = 0; list && list->members && m < list->member_count; m++) {
    const pir_fact *member = list->members[m];
    if (!member->known || member->rank > 1 || small_count(infer, member) < 0)
      return;
    int64_t size = small_count(infer, member);
    for (int64_t i = 0; i < size && n < count; i++, n++)
      out[n] = fact_element(member, i);
  }
}

// Reduces all elements to one; other reductions stay unknown.
static void reduce(const pir_infer *infer, const pir_clause *c, symbolic s, pir_dim *out,
                   int64_t count) {
  static const pir_node_op ops[] = {[PIR_COMBINE_ADD] = PIR_I_ADD,
                                    [PIR_COMBINE_MUL] = PIR_I_MUL,
                                    [PIR_COMBINE_MAX] = PIR_I_MAX,
                                    [PIR_COMBINE_MIN] = PIR_I_MIN};
  const pir_fact *x = infer->operand_count ? infer->operands[0] : NULL;
  if (count != 1 || c->then >= 0 || c->combine < PIR_COMBINE_ADD ||
      c->combine > PIR_COMBINE_MIN || !x || x->rank != 1)
    return;
  int64_t size = small_count(infer, x);
  if (size < 1)
    return;
  s.out = x;
  for (int64_t i = 0; i < size; i++) {
    s.at = &i;
    pir_dim element = symbolic_element(&s, c->body);
    out[0] = i ? symbolic_combine(&s, ops[c->combine], out[0], element) : element;
  }
}

// Computes the indices of the result, and of the named variables if the map consists of them
// only.
static void elements(const pir_infer *infer, const pir_clause *c, symbolic s,
                     const pir_fact *fact, pir_dim *out, int64_t count) {
  int64_t at[PIR_MAX_RANK] = {0}, extent;
  pir_dim vars[PIR_MAX_RANK * 2];
  for (int i = 0; i < PIR_MAX_RANK * 2; i++)
    vars[i] = PIR_DIM_UNKNOWN;
  s.at = at;
  s.out = fact;
  s.vars = vars;
  for (int64_t n = 0; n < count; n++) {
    int64_t rest = n;
    for (int32_t d = fact->rank - 1; d >= 0; d--) {
      (void)pir_dim_is_const(infer->dims, fact->shape[d], &extent);
      at[d] = rest % extent;
      rest /= extent;
      const pir_node *entry = c->out_map_kind == PIR_MAP_LIST && d < c->out_map_count
                                  ? &c->nodes[c->pool[c->out_map + d]]
                                  : NULL;
      if (entry && entry->op == PIR_I_VAR)
        vars[entry->k] = at[d];
    }
    out[n] = symbolic_element(&s, c->body);
  }
}

// Keeps the single number of a constant that contents cannot represent.
static void keep_number(const pir_infer *infer, const pir_clause *c, symbolic s,
                        pir_fact *fact) {
  double value;
  bool is_float = fact->dtype == PIR_F32 || fact->dtype == PIR_F64;
  if (!(infer->def->traits & PIR_CONSTANT) || !is_float || small_count(infer, fact) != 1)
    return;
  if (c->kind != PIR_CLAUSE_GATHER && c->kind != PIR_CLAUSE_POINTWISE &&
      c->kind != PIR_CLAUSE_VIEW)
    return;
  if (!symbolic_number(&s, c->body, &value))
    return;
  double *number = INFER_NEW(infer, double, 1);
  *number = fact->dtype == PIR_F32 ? (double)(float)value : value;
  fact->numbers = number;
  fact->number_count = 1;
}

void infer_contents(pir_infer *infer) {
  for (uint8_t i = 0; infer->def->clause && i < infer->result_count; i++) {
    pir_fact *fact = &infer->results[i];
    const pir_clause *c = pir_clause_choose(infer->def->clause, i, infer->attrs);
    int64_t count = c && fact->known && !fact->contents && wanted(infer, fact)
                        ? small_count(infer, fact)
                        : -1;
    if (count < 0)
      continue;
    symbolic s = {.infer = infer, .nodes = c->nodes, .pool = c->pool, .text = c->text};
    keep_number(infer, c, s, fact);
    pir_dim *out = INFER_NEW(infer, pir_dim, (size_t)count);
    for (int64_t k = 0; k < count; k++)
      out[k] = PIR_DIM_UNKNOWN;
    switch ((pir_clause_kind)c->kind) {
      case PIR_CLAUSE_JOIN: join_members(infer, c, out, count); break;
      case PIR_CLAUSE_REDUCE: reduce(infer, c, s, out, count); break;
      case PIR_CLAUSE_POINTWISE:
      case PIR_CLAUSE_VIEW:
      case PIR_CLAUSE_GATHER: elements(infer, c, s, fact, out, count); break;
      default: continue;
    }
    bool any = false;
    for (int64_t k = 0; k < count; k++)
      any |= out[k] != PIR_DIM_UNKNOWN;
    if (any || !count) {
      fact->contents = out;
      fact->content_count = (size_t)count;
    }
  }
}
