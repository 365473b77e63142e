// horizontal_fuse_pass: three or more products of one value with different matrices become one
// product with the joined matrix and a split of its result. The matrices are parameters,
// constants or inputs, so folding joins them once; the value is read once. Members of a group
// are the same op with the same attributes, in the block of the value; the extents along which
// the matrices are joined must be known. As in Paddle, the last member comes first. Unlike in
// Paddle, members with different attributes (an activation) form separate groups, and a matrix
// that is defined after the first product is excluded. Each value is visited once, and each of
// its readers once for every group.
#include <pir/compiler/dialect/builtin.h>
#include <pass_list.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/lower.h>
#include <pir/compiler/pass.h>
#include <pir/compiler/walk.h>
#include <effects.h>
#include <vec.h>

#include <stdlib.h>

enum { FEWEST = 3, MOST = PIR_FACT_CONTENTS };

// A product with its operands by role.
typedef struct member {
  pir_op *op;
  pir_value *weight, *bias;  // no bias: NULL
  int64_t extent;            // extent of the weight along the joined axis
} member;

typedef struct horizontal {
  pir_pass_run *run;
  pir_facts *facts;
  pir_arena *arena;
  PIR_VEC(pir_value *) values;
  PIR_VEC(member) members;
  bool shared_left;  // the value that all read is operand 0
  uint64_t fused;
} horizontal;

static int64_t extent_of(const horizontal *h, const pir_value *value, int32_t axis) {
  const pir_fact *fact = pir_facts_of(h->facts, value);
  int64_t extent;
  return pir_dim_is_const(pir_facts_dims(h->facts), fact->shape[axis], &extent) ? extent : -1;
}

// ---- members

static bool is_source(const pir_value *value) {
  const pir_op *op = pir_value_op(value);
  return op && (pir_op_has(op, PIR_PARAMETER) || pir_op_is(op, PD_DATA));
}

static bool has_rank(const horizontal *h, const pir_value *value, int32_t rank) {
  const pir_fact *fact = pir_facts_of(h->facts, value);
  return fact->known && fact->rank == rank;
}

static bool is_product(const pir_op *op) {
  if (pir_op_is(op, PD_MATMUL))
    return !pir_op_bool(op, PD_MATMUL_ATTR_TRANSPOSE_X) &&
           !pir_op_bool(op, PD_MATMUL_ATTR_TRANSPOSE_Y);
  return pir_op_is(op, PD_FC) || pir_op_is(op, PD_GEMM_EPILOGUE);
}

// Reads a use of the shared value as a product that may be fused: the other factor must be a
// matrix that folding can join (a parameter, constant or input), of known extent along the
// joined axis.
static bool read_member(const horizontal *h, const pir_value *shared, const pir_use *use,
                        member *out) {
  pir_op *op = pir_use_owner(use);
  size_t place = pir_use_operand_index(use);
  if (!is_product(op) || place > 1 || pir_op_operand(op, 1 - place) == shared)
    return false;
  bool with_bias = pir_op_operands(op) > 2 && pir_op_operand(op, 2);
  *out =
      (member){op, pir_op_operand(op, 1 - place), with_bias ? pir_op_operand(op, 2) : NULL, 0};
  if (!is_source(out->weight) || !has_rank(h, out->weight, 2))
    return false;
  if (place && !pir_op_is(op, PD_MATMUL))
    return false;
  out->extent = extent_of(h, out->weight, place ? 0 : 1);
  if (out->extent <= 0)
    return false;
  const pir_fact *fact = pir_facts_of(h->facts, pir_op_result(op, 0));
  if (!fact->known || fact->rank < (place ? 2 : 1))
    return false;
  if (!with_bias)
    return true;
  return is_source(out->bias) && has_rank(h, out->bias, 1) &&
         extent_of(h, out->bias, 0) == out->extent;
}

static bool is_there(const pir_value *value, const pir_op *at) {
  return !value || pir_value_dominates(value, at);
}

// Whether the product can be computed together with the first one, at the first one's position.
static bool goes_with(const horizontal *h, const member *first, const member *m) {
  const pir_op *a = first->op, *b = m->op;
  if (pir_op_def(a) != pir_op_def(b) || !first->bias != !m->bias)
    return false;
  for (size_t i = 0; i < pir_op_def(a)->attr_count; i++)
    if (pir_op_attr_at(a, i) != pir_op_attr_at(b, i))
      return false;
  int32_t common = h->shared_left ? 0 : 1;
  const pir_fact *x = pir_facts_of(h->facts, first->weight),
                 *y = pir_facts_of(h->facts, m->weight);
  if (x->dtype != y->dtype ||
      !pir_dim_equal(pir_facts_dims(h->facts), x->shape[common], y->shape[common]))
    return false;
  return is_there(m->weight, a) && is_there(m->bias, a);
}

// ---- the rewrite

// New ops are inserted before the first product.
typedef struct maker {
  pir_rewriter *rewriter;
  pir_op *at;
} maker;

static pir_op *create_before_group(void *user, const pir_op_spec *spec) {
  const maker *m = user;
  return pir_rewriter_create(m->rewriter, m->at, spec);
}

static pir_value *concat_values(pir_expand *e, pir_value *const *values, size_t count,
                                int64_t axis) {
  pir_value *operands[] = {pir_expand_value(e, BUILTIN_COMBINE, values, count, NULL, 0),
                           pir_expand_number(e, PIR_I32, (double)axis)};
  return pir_expand_value(e, PD_CONCAT, operands, 2, NULL, 0);
}

static pir_value *multiply(pir_expand *e, const member *like, pir_value *left, pir_value *right,
                           pir_value *bias) {
  enum { ATTRS = 8 };  // more than a product declares
  const pir_opdef *def = pir_op_def(like->op);
  pir_named_attr attrs[ATTRS];
  for (size_t i = 0; i < def->attr_count; i++)
    attrs[i] = pir_declared_attr(pir_op_context(like->op), def, i, pir_op_attr_at(like->op, i));
  pir_value *operands[] = {left, right, bias};
  return pir_expand_value(e, def->id, operands, bias ? 3 : 2, attrs, def->attr_count);
}

static pir_op *parts_of(horizontal *h, pir_op *at, pir_value *list) {
  const pir_type *types[MOST], *type = pir_value_type(list);
  size_t count = pir_type_elements(type);
  for (size_t i = 0; i < count; i++)
    types[i] = pir_type_element(type, i);
  pir_op_spec spec = {.def = pir_context_op(pir_op_context(at), BUILTIN_SPLIT),
                      .loc = pir_op_loc(at),
                      .operands = &list,
                      .operand_count = 1,
                      .result_types = types,
                      .result_count = count};
  return pir_rewriter_create(h->run->rewriter, at, &spec);
}

// Fuses products, given in program order; the last one comes first in the joined matrix.
static pir_status fuse(horizontal *h, pir_value *shared, const member *group, size_t count) {
  pir_value *weights[MOST], *biases[MOST];
  int64_t sections[MOST];
  for (size_t i = 0; i < count; i++) {
    const member *m = &group[count - 1 - i];
    weights[i] = m->weight;
    biases[i] = m->bias;
    sections[i] = m->extent;
  }
  maker m = {h->run->rewriter, group[0].op};
  pir_lower_target target = {create_before_group, &m};
  pir_expand e = {.op = group[0].op, .facts = h->facts, .target = &target};
  int32_t rank = pir_facts_of(h->facts, pir_op_result(group[0].op, 0))->rank;
  pir_value *weight = concat_values(&e, weights, count, h->shared_left ? 1 : 0);
  pir_value *bias = group[0].bias ? concat_values(&e, biases, count, 0) : NULL;
  pir_value *all = multiply(&e, group, h->shared_left ? shared : weight,
                            h->shared_left ? weight : shared, bias);
  pir_value *pieces[] = {all, pir_expand_ints(&e, sections, count),
                         pir_expand_number(&e, PIR_I32, h->shared_left ? rank - 1 : rank - 2)};
  pir_value *list = pir_expand_value(&e, PD_SPLIT, pieces, 3, NULL, 0);
  if (!list)
    return PIR_INTERNAL;
  pir_op *parts = parts_of(h, group[0].op, list);
  for (size_t i = 0; i < count; i++) {
    pir_value *piece = pir_op_result(parts, count - 1 - i);
    pir_rewriter_replace(h->run->rewriter, group[i].op, &piece);
  }
  h->fused += count;
  return PIR_OK;
}

// ---- the groups of a value

static int by_place(const void *a, const void *b) {
  const member *x = a, *y = b;
  return pir_op_is_before(y->op, x->op) - pir_op_is_before(x->op, y->op);
}

// Fuses the products that are compatible with the first one, in order, and removes them from
// the list.
static pir_status take_group(horizontal *h, pir_value *shared) {
  member group[MOST];
  size_t count = 1, kept = 0;
  const member first = group[0] = h->members.items[0];
  for (size_t i = 1; i < h->members.count; i++) {
    const member m = h->members.items[i];
    if (count < MOST && goes_with(h, &first, &m))
      group[count++] = m;
    else
      h->members.items[kept++] = m;
  }
  h->members.count = kept;
  return count < FEWEST ? PIR_OK : fuse(h, shared, group, count);
}

static pir_status look_at(horizontal *h, pir_value *shared, const pir_block *block) {
  for (int side = 0; side < 2; side++) {
    h->shared_left = side == 0;
    h->members.count = 0;
    PIR_EACH_USE(use, shared) {
      member m;
      bool mine = pir_op_block(pir_use_owner(use)) == block &&
                  pir_use_operand_index(use) == (size_t)side;
      if (mine && read_member(h, shared, use, &m))
        pir_vec_push(h->arena, &h->members, m);
    }
    if (h->members.count < FEWEST)
      continue;
    qsort(h->members.items, h->members.count, sizeof *h->members.items, by_place);
    while (h->members.count >= FEWEST)
      PIR_TRY(take_group(h, shared));
  }
  return PIR_OK;
}

static bool has_readers(const pir_value *value) {
  size_t count = 0;
  PIR_EACH_USE(use, value) if (is_product(pir_use_owner(use)) && ++count >= FEWEST) return true;
  return false;
}

static pir_walk_result collect_factors(pir_op *op, void *user) {
  horizontal *h = user;
  for (size_t i = 0; i < pir_op_results(op); i++)
    if (has_readers(pir_op_result(op, i)))
      pir_vec_push(h->arena, &h->values, pir_op_result(op, i));
  for (size_t r = 0; r < pir_op_regions(op); r++)
    for (pir_block *b = pir_region_first(pir_op_region(op, r)); b; b = pir_block_next(b))
      for (size_t i = 0; i < pir_block_arguments(b); i++)
        if (has_readers(pir_block_argument(b, i)))
          pir_vec_push(h->arena, &h->values, pir_block_argument(b, i));
  return PIR_WALK_CONTINUE;
}

pir_status pir_pass_horizontal(pir_pass_run *run) {
  horizontal h = {.run = run,
                  .facts = pir_run_facts(run),
                  .arena = pir_context_arena(pir_program_context(run->program))};
  pir_status status = PIR_OK;
  if (!h.facts)
    return pir_run_facts_status(run);
  pir_walk(pir_program_module(run->program), PIR_PRE_ORDER, collect_factors, &h);
  // Goes backwards, because the partners of a fused product were already visited.
  for (size_t i = h.values.count; i-- > 0 && !status;)
    status = look_at(&h, h.values.items[i], pir_value_block(h.values.items[i]));
  pir_vec_free(h.arena, &h.values);
  pir_vec_free(h.arena, &h.members);
  pir_run_count(run, "products fused", h.fused);
  return status;
}
