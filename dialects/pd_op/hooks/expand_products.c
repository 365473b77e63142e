// Expands products of several tensors into products of two: einsum by its subscripts, chains of
// matrices in the order of least cost.
//
// einsum: a label that occurs twice in an operand takes the diagonal; a label that occurs
// nowhere else is summed. Then operands are joined from the left. Each pair is brought to
// [shared, own, summed] and [shared, summed, own] and multiplied as stacks of matrices. If no
// label is summed, or the extents of several own labels are dynamic, both are aligned with axes
// of extent 1 and multiplied element by element. Cost: the cost of the products.
#include "products.h"
#include <pd_op_hooks.h>

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>

#include <pir/diag.h>

#include <string.h>

// ---- building

typedef struct setting {
  const char *name;
  const pir_attr *value;
} setting;

static pir_value *build_value(pir_expand *e, uint32_t id, pir_value *const *in, size_t count,
                              const setting *settings, size_t setting_count) {
  pir_named_attr attrs[4];
  for (size_t i = 0; i < setting_count; i++)
    attrs[i] = (pir_named_attr){
        pir_name_get(pir_op_context(e->op), pir_str_from(settings[i].name)), settings[i].value};
  return pir_expand_value(e, id, in, count, attrs, setting_count);
}

static const pir_attr *bool_attr(pir_expand *e, bool value) {
  return pir_attr_bool(pir_op_context(e->op), value);
}

static const pir_attr *int_attr(pir_expand *e, int64_t value) {
  return pir_attr_int(pir_op_context(e->op), PIR_ATTR_I32, value);
}

static pir_value *matmul(pir_expand *e, pir_value *x, pir_value *y) {
  return build_value(
      e, PD_MATMUL, (pir_value *[]){x, y}, 2,
      (setting[]){{"transpose_x", bool_attr(e, false)}, {"transpose_y", bool_attr(e, false)}},
      2);
}

static pir_value *with_ints(pir_expand *e, uint32_t id, pir_value *x, const int64_t *values,
                            size_t count) {
  return build_value(e, id, (pir_value *[]){x, pir_expand_ints(e, values, count)}, 2, NULL, 0);
}

static pir_value *flatten(pir_expand *e, pir_value *x, int first, int count) {
  if (count == 0)
    return with_ints(e, PD_UNSQUEEZE, x, &(int64_t){first}, 1);
  if (count == 1)
    return x;
  return build_value(e, PD_FLATTEN, &x, 1,
                     (setting[]){{"start_axis", int_attr(e, first)},
                                 {"stop_axis", int_attr(e, first + count - 1)}},
                     2);
}

// ---- terms

typedef struct term {
  pir_value *value;
  labels l;
} term;

static void sum_axes(pir_expand *e, term *t, uint32_t axes) {
  int64_t list[PIR_MAX_RANK];
  size_t count = 0;
  labels left = {.count = 0};
  for (int i = 0; i < t->l.count; i++) {
    if (axes >> i & 1)
      list[count++] = i;
    else
      left.at[left.count++] = t->l.at[i];
  }
  if (!count)
    return;
  pir_value *in[] = {t->value, pir_expand_ints(e, list, count)};
  const pir_attr *same = pir_attr_dtype(pir_op_context(e->op), PIR_UNDEFINED);
  t->value = build_value(e, PD_SUM, in, 2,
                         (setting[]){{"dtype", same}, {"keepdim", bool_attr(e, false)}}, 2);
  t->l = left;
}

// Replaces the first two axes with the same label by their diagonal, as the last axis, until no
// label occurs twice.
static void take_diagonals(pir_expand *e, term *t) {
  for (int i = 0; i < t->l.count; i++)
    for (int k = i + 1; k < t->l.count; k++) {
      if (t->l.at[i] != t->l.at[k])
        continue;
      t->value = build_value(e, PD_DIAGONAL, &t->value, 1,
                             (setting[]){{"offset", int_attr(e, 0)},
                                         {"axis1", int_attr(e, i)},
                                         {"axis2", int_attr(e, k)}},
                             3);
      int label = t->l.at[i];
      memmove(t->l.at + k, t->l.at + k + 1, (size_t)(t->l.count - k - 1) * sizeof(int));
      memmove(t->l.at + i, t->l.at + i + 1, (size_t)(t->l.count - i - 2) * sizeof(int));
      t->l.at[--t->l.count - 1] = label;
      i = -1;
      break;
    }
}

static void order_axes(pir_expand *e, term *t, const labels *order) {
  const pir_attr *perm[PIR_MAX_RANK];
  bool moved = false;
  for (int i = 0; i < order->count; i++) {
    int at = products_find_label(&t->l, order->at[i]);
    perm[i] = int_attr(e, at);
    moved |= at != i;
  }
  if (moved)
    t->value = build_value(e, PD_TRANSPOSE, &t->value, 1,
                           (setting[]){{"perm", pir_attr_array(pir_op_context(e->op), perm,
                                                               (size_t)order->count)}},
                           1);
  t->l = *order;
}

static void append_labels(labels *to, const labels *from) {
  for (int i = 0; i < from->count && to->count < PIR_MAX_RANK; i++)
    to->at[to->count++] = from->at[i];
}

// How two terms share labels.
typedef struct sharing {
  labels shared, summed, a, b;
} sharing;

static sharing sharing_of(const term *a, const term *b, const labels *needed) {
  sharing s = {0};
  for (int i = 0; i < a->l.count; i++) {
    int label = a->l.at[i];
    labels *to = products_find_label(needed, label) >= 0 ? &s.shared : &s.summed;
    if (products_find_label(&b->l, label) < 0)
      to = &s.a;
    to->at[to->count++] = label;
  }
  for (int i = 0; i < b->l.count; i++)
    if (products_find_label(&a->l, b->l.at[i]) < 0)
      s.b.at[s.b.count++] = b->l.at[i];
  return s;
}

// Inserts axes of extent 1 for the labels that the term lacks.
static pir_value *align(pir_expand *e, term *t, const labels *all) {
  labels own = {0};
  int64_t missing[PIR_MAX_RANK];
  size_t count = 0;
  for (int i = 0; i < all->count; i++) {
    if (products_find_label(&t->l, all->at[i]) >= 0)
      own.at[own.count++] = all->at[i];
    else
      missing[count++] = i;
  }
  order_axes(e, t, &own);
  return count ? with_ints(e, PD_UNSQUEEZE, t->value, missing, count) : t->value;
}

static term by_element(pir_expand *e, term *a, term *b, const sharing *s) {
  term out = {.l = s->shared};
  append_labels(&out.l, &s->a);
  append_labels(&out.l, &s->b);
  int kept = out.l.count;
  append_labels(&out.l, &s->summed);
  pir_value *x = align(e, a, &out.l), *y = align(e, b, &out.l);
  out.value = build_value(e, PD_MULTIPLY, (pir_value *[]){x, y}, 2, NULL, 0);
  sum_axes(e, &out, (uint32_t)((UINT64_C(1) << out.l.count) - (UINT64_C(1) << kept)));
  return out;
}

// Writes the entries for a term's own labels into the list of a reshape; counts those that need
// -1.
static int own_extents(pir_expand *e, const term *t, const labels *own, int64_t *out) {
  const pir_fact *fact = pir_facts_of(e->facts, t->value);
  int open = 0;
  for (int i = 0; i < own->count; i++)
    if (!pir_dim_is_const(pir_facts_dims(e->facts),
                          fact->shape[products_find_label(&t->l, own->at[i])], &out[i]) ||
        !out[i]) {
      out[i] = -1;
      open++;
    }
  return open;
}

static term by_matrices(pir_expand *e, term *a, term *b, const sharing *s,
                        const int64_t *extents) {
  labels left = s->shared, right = s->shared;
  int n = s->shared.count;
  append_labels(&left, &s->a);
  append_labels(&left, &s->summed);
  append_labels(&right, &s->summed);
  append_labels(&right, &s->b);
  order_axes(e, a, &left);
  order_axes(e, b, &right);
  pir_value *x = flatten(e, flatten(e, a->value, n, s->a.count), n + 1, s->summed.count);
  pir_value *y = flatten(e, flatten(e, b->value, n, s->summed.count), n + 1, s->b.count);
  term out = {matmul(e, x, y), s->shared};
  append_labels(&out.l, &s->a);
  append_labels(&out.l, &s->b);
  if (s->a.count == 1 && s->b.count == 1)
    return out;
  int64_t list[PIR_MAX_RANK] = {0};  // 0: as before
  memcpy(list + n, extents, (size_t)(s->a.count + s->b.count) * sizeof *list);
  out.value = with_ints(e, PD_RESHAPE, out.value, list, (size_t)out.l.count);
  return out;
}

static term join_terms(pir_expand *e, term *a, term *b, const labels *needed) {
  sharing s = sharing_of(a, b, needed);
  int64_t extents[2 * PIR_MAX_RANK];
  int open = own_extents(e, a, &s.a, extents) + own_extents(e, b, &s.b, extents + s.a.count);
  bool keeps = s.a.count == 1 && s.b.count == 1;
  if (!s.summed.count || (open > 1 && !keeps))
    return by_element(e, a, b, &s);
  return by_matrices(e, a, b, &s, extents);
}

// Returns the members of a list operand; -1 if they are unknown.
static int list_members(const pir_op *op, pir_value **out, int capacity) {
  pir_op *list = pir_op_operand_op(op, 0);
  if (!list || pir_op_def(list)->id != BUILTIN_COMBINE ||
      pir_op_operands(list) > (size_t)capacity)
    return -1;
  for (size_t i = 0; i < pir_op_operands(list); i++)
    out[i] = pir_op_operand(list, i);
  return (int)pir_op_operands(list);
}

static pir_status no_members(const pir_op *op) {
  return pir_report_op(
      op, PIR_UNSUPPORTED, PIR_ERROR,
      "unsupported: \"%s\" of a list that no combine makes, or of more than %d tensors",
      pir_op_def(op)->name, MAX_TERMS);
}

static pir_str text_attr(const pir_op *op, const char *name) {
  return pir_attr_as_str(pir_op_attr(op, pir_name_get(pir_op_context(op), pir_str_from(name))));
}

// Collects the labels of the result and of terms from `first` on.
static labels needed_from(const subscripts *s, int first, const labels *of) {
  labels needed = {0};
  for (int i = 0; i < of->count; i++) {
    bool wanted = products_find_label(&s->out, of->at[i]) >= 0;
    for (int t = first; t < s->count; t++)
      wanted |= products_find_label(&s->terms[t], of->at[i]) >= 0;
    if (wanted && products_find_label(&needed, of->at[i]) < 0)
      needed.at[needed.count++] = of->at[i];
  }
  return needed;
}

// Reduces a term: takes diagonals of repeated labels and sums labels that occur nowhere else.
static term simplify(pir_expand *e, const subscripts *s, int k, pir_value *value) {
  term t = {value, s->terms[k]};
  uint32_t lonely = 0;
  take_diagonals(e, &t);
  for (int i = 0; i < t.l.count; i++) {
    bool wanted = products_find_label(&s->out, t.l.at[i]) >= 0;
    for (int o = 0; o < s->count; o++)
      wanted |= o != k && products_find_label(&s->terms[o], t.l.at[i]) >= 0;
    if (!wanted)
      lonely |= 1u << i;
  }
  sum_axes(e, &t, lonely);
  return t;
}

pir_status pd_expand_einsum(pir_expand *e) {
  pir_value *members[MAX_TERMS];
  int ranks[MAX_TERMS], count = list_members(e->op, members, MAX_TERMS);
  subscripts s;
  if (count < 1)
    return no_members(e->op);
  for (int i = 0; i < count; i++) {
    const pir_fact *fact = pir_facts_of(e->facts, members[i]);
    if (!fact->known || fact->rank < 0)
      return pir_report_op(
          e->op, PIR_UNSUPPORTED, PIR_ERROR,
          "unsupported: \"%s\" of operand %d, whose rank shows only in the run",
          pir_op_def(e->op)->name, i);
    ranks[i] = fact->rank;
  }
  const char *wrong = products_read(text_attr(e->op, "equation"), ranks, count, &s);
  if (wrong)
    return pir_error(e->op, "equation: %s", wrong);
  term all = simplify(e, &s, 0, members[0]);
  for (int k = 1; k < count && all.value; k++) {
    term next = simplify(e, &s, k, members[k]);
    labels of = all.l;
    if (all.l.count + next.l.count > PIR_MAX_RANK)
      return pir_error(e->op, "equation: more than %d axes", PIR_MAX_RANK);
    append_labels(&of, &next.l);
    labels needed = needed_from(&s, k + 1, &of);
    all = join_terms(e, &all, &next, &needed);
  }
  if (all.value)
    order_axes(e, &all, &s.out);
  e->results[0] = all.value;
  for (size_t i = 1; i < pir_op_results(e->op); i++)
    e->results[i] = pir_op_operand(e->op, 0);
  return all.value ? PIR_OK : PIR_INVALID;
}

// ---- chains

// remain; unknown extents count as 256.
typedef struct chain {
  pir_expand *e;
  pir_value *members[MAX_TERMS];
  double extents[MAX_TERMS + 1], cost[MAX_TERMS][MAX_TERMS];
  int cut[MAX_TERMS][MAX_TERMS];
} chain;

static double extent_of(const pir_expand *e, const pir_fact *fact, int axis) {
  int64_t n = 256;
  (void)pir_dim_is_const(pir_facts_dims(e->facts), fact->shape[axis], &n);
  return (double)n;
}

static void plan_chain(chain *c, int count) {
  for (int length = 2; length <= count; length++)
    for (int i = 0; i + length <= count; i++) {
      int j = i + length - 1;
      c->cost[i][j] = -1;
      for (int k = i; k < j; k++) {
        double cost = c->cost[i][k] + c->cost[k + 1][j] +
                      c->extents[i] * c->extents[k + 1] * c->extents[j + 1];
        if (c->cost[i][j] < 0 || cost < c->cost[i][j]) {
          c->cost[i][j] = cost;
          c->cut[i][j] = k;
        }
      }
    }
}

// Recurses to at most the length of the chain.
static pir_value *multiply_chain(const chain *c, int i, int j) {
  if (i == j)
    return c->members[i];
  pir_value *left = multiply_chain(c, i, c->cut[i][j]),
            *right = multiply_chain(c, c->cut[i][j] + 1, j);
  return matmul(c->e, left, right);
}

pir_status pd_expand_multi_dot(pir_expand *e) {
  chain c = {.e = e};
  int count = list_members(e->op, c.members, MAX_TERMS);
  if (count < 1)
    return no_members(e->op);
  for (int i = 0; i < count; i++) {
    const pir_fact *fact = pir_facts_of(e->facts, c.members[i]);
    bool matrix = fact->known && fact->rank == 2;
    // A vector is a row at the start of the chain and a column at its end.
    double rows = i ? extent_of(e, fact, 0) : 1, columns = i ? 1 : extent_of(e, fact, 0);
    if (matrix) {
      rows = extent_of(e, fact, 0);
      columns = extent_of(e, fact, 1);
    }
    c.extents[i] = rows;
    c.extents[i + 1] = columns;
  }
  plan_chain(&c, count);
  e->results[0] = multiply_chain(&c, 0, count - 1);
  return e->results[0] ? PIR_OK : PIR_INVALID;
}

// ---- gradient of einsum

// The gradient of operand k: a product of the result's gradient with the other operands, with
// the labels of operand k.
static subscripts other_terms(const subscripts *s, int k, pir_value *const *members,
                              pir_value *grad, pir_value **out_values) {
  subscripts other = {.count = 1};
  other.terms[0] = s->out;
  out_values[0] = grad;
  for (int i = 0; i < s->count; i++) {
    if (i == k)
      continue;
    other.terms[other.count] = s->terms[i];
    out_values[other.count++] = members[i];
  }
  for (int i = 0; i < s->terms[k].count; i++) {
    int label = s->terms[k].at[i];
    bool there = products_find_label(&other.out, label) >= 0, known = false;
    for (int t = 0; t < other.count; t++)
      known |= products_find_label(&other.terms[t], label) >= 0;
    if (known && !there)
      other.out.at[other.out.count++] = label;
  }
  return other;
}

static pir_value *like_value(pir_expand *e, uint32_t id, pir_value *x, pir_value *like) {
  return build_value(e, id, (pir_value *[]){x, like}, 2, NULL, 0);
}

// For a label that occurs twice in the operand, only the diagonal receives a gradient.
static pir_value *onto_diagonal(pir_expand *e, const labels *l, pir_value *x, pir_value *grad) {
  for (int i = 0; i < l->count; i++)
    for (int j = i + 1; j < l->count; j++)
      if (l->at[i] == l->at[j])
        return build_value(e, PD_DIAGONAL_GRAD, (pir_value *[]){x, grad}, 2,
                           (setting[]){{"offset", int_attr(e, 0)},
                                       {"axis1", int_attr(e, i)},
                                       {"axis2", int_attr(e, j)}},
                           3);
  return grad;
}

static pir_value *grad_of_term(pir_expand *e, const subscripts *s, int k,
                               pir_value *const *members, pir_value *grad) {
  pir_value *values[MAX_TERMS];
  subscripts other = other_terms(s, k, members, grad, values);
  term all = simplify(e, &other, 0, values[0]), own = {members[k], s->terms[k]};
  for (int i = 1; i < other.count && all.value; i++) {
    pir_value *conjugate = build_value(e, PD_CONJ, &values[i], 1, NULL, 0);
    if (!conjugate)
      return NULL;
    term next = simplify(e, &other, i, conjugate);
    labels of = all.l;
    if (all.l.count + next.l.count > PIR_MAX_RANK)
      return NULL;
    append_labels(&of, &next.l);
    labels needed = needed_from(&other, i + 1, &of);
    all = join_terms(e, &all, &next, &needed);
  }
  take_diagonals(e, &own);
  if (!all.value || !own.value)
    return NULL;
  int found = all.l.count;
  pir_value *value = align(e, &all, &own.l);
  value = found < own.l.count ? like_value(e, PD_EXPAND_AS, value, own.value)
                              : like_value(e, PD_REDUCE_AS, value, own.value);
  return value ? onto_diagonal(e, &s->terms[k], members[k], value) : NULL;
}

pir_status pd_expand_einsum_grad(pir_expand *e) {
  pir_value *members[MAX_TERMS], *grads[MAX_TERMS],
      *grad = pir_op_operand(e->op, PD_EINSUM_GRAD_IN_OUT_GRAD);
  int ranks[MAX_TERMS], count = list_members(e->op, members, MAX_TERMS);
  subscripts s;
  if (count < 1)
    return no_members(e->op);
  for (int i = 0; i < count; i++) {
    const pir_fact *fact = pir_facts_of(e->facts, members[i]);
    ranks[i] = fact->known ? fact->rank : -1;
    if (ranks[i] < 0)
      return pir_report_op(
          e->op, PIR_UNSUPPORTED, PIR_ERROR,
          "unsupported: \"%s\" of operand %d, whose rank shows only in the run",
          pir_op_def(e->op)->name, i);
  }
  const char *wrong = products_read(text_attr(e->op, "equation"), ranks, count, &s);
  if (wrong)
    return pir_error(e->op, "equation: %s", wrong);
  for (int k = 0; k < count; k++) {
    labels seen = {0};
    int twice = 0;
    for (int i = 0; i < s.terms[k].count; i++) {
      twice += products_find_label(&seen, s.terms[k].at[i]) >= 0;
      seen.at[seen.count++] = s.terms[k].at[i];
    }
    grads[k] = twice < 2 ? grad_of_term(e, &s, k, members, grad) : NULL;
    if (!grads[k])
      return pir_report_op(e->op, PIR_UNSUPPORTED, PIR_ERROR,
                           "unsupported: the gradient of operand %d by these subscripts", k);
  }
  e->results[0] = build_value(e, BUILTIN_COMBINE, grads, (size_t)count, NULL, 0);
  return e->results[0] ? PIR_OK : PIR_INVALID;
}
