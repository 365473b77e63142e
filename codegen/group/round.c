// round_contractions_pass: writes the rounding that --math=bf16 permits into the program. Each
// operand x of a contraction becomes widen(narrow(x)): x rounded to bf16 and converted back to
// f32. The op and its result keep their types, and every pipeline computes the same numbers.
// build_cinn_pass then moves the narrowing cast into the group that makes x (which stores bf16
// only, if no other op reads x) and the widening cast into the contraction's group, whose
// kernel multiplies pairs of bf16.
//
// A value is narrowed once, at its definition: before the views between it and its readers,
// because views move either type. Three kinds of contractions keep f32: those without adjacent
// pairs along the reduced axes (an image's first layer, depthwise convolutions), small ones,
// and attention over many keys. Linear in the program.
#include "choose.h"
#include "group.h"

#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/pass.h>

#include <map.h>

typedef struct rounding {
  pir_pass_run *run;
  pir_facts *facts;
  pir_context *ctx;
  const pir_machine *machine;  // any: the program is the same for all targets
  pir_arena arena;
  pir_map narrow;  // value -> it as bf16
  pir_map kept;    // contractions that stay
  uint64_t rounded, casts;
} rounding;

// ---- casts

static pir_value *make_cast(rounding *r, pir_op *at, pir_value *value, pir_dtype dtype) {
  r->casts++;
  return pir_rewriter_cast(r->run->rewriter, at, pir_op_loc(at), value, dtype);
}

// ---- views

bool group_is_max_pool(const pir_op *op) {
  return pir_op_is(op, PD_POOL2D) &&
         pir_str_equal(pir_op_text(op, PD_POOL2D_ATTR_POOLING_TYPE), PIR_STR("max"));
}

// Rounding keeps the order of numbers, so the largest number of a window may be found among
// rounded ones, if contractions alone read it.
static bool takes_largest(const pir_op *op) {
  if (!group_is_max_pool(op))
    return false;
  for (pir_use *u = pir_value_first_use(pir_op_result(op, 0)); u; u = pir_use_next(u))
    if (!contract_is_op(pir_use_owner(u)))
      return false;
  return true;
}

// Returns the operand of which the op only moves elements; -1 if the op does anything else.
static int moved_operand(const pir_op *op) {
  const pir_opdef *def = pir_op_meaning(op);
  const pir_clause *c = def->clause;
  if (takes_largest(op))
    return PD_POOL2D_IN_X;
  if (!c || c->next || pir_op_results(op) != 1 || !pir_op_has(op, PIR_PURE) ||
      pir_op_is(op, PD_CAST))
    return -1;
  if (c->kind != PIR_CLAUSE_VIEW && c->kind != PIR_CLAUSE_POINTWISE)
    return -1;
  const pir_node *body = &c->nodes[c->body];
  return body->op == PIR_V_LOAD && body->a < 0 ? body->k : -1;
}

// Creates the same view of another value, with that value's element type; NULL on failure.
static pir_value *view_of(rounding *r, pir_op *view, int k, pir_value *value) {
  enum { MOST = 16 };
  pir_value *operands[MOST];
  pir_named_attr attrs[MOST];
  size_t count = pir_op_operands(view), attr_count = pir_op_attrs_sorted(view, attrs, MOST);
  if (count > MOST || attr_count > MOST)
    return NULL;
  for (size_t i = 0; i < count; i++)
    operands[i] = (int)i == k ? value : pir_op_operand(view, i);
  const pir_type *type =
      pir_type_with_dtype(r->ctx, pir_value_type(pir_op_result(view, 0)), PIR_BF16);
  pir_op_spec copy = {.def = pir_op_def(view),
                      .loc = pir_op_loc(view),
                      .operands = operands,
                      .operand_count = count,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = attr_count};
  return pir_op_result(pir_rewriter_create(r->run->rewriter, view, &copy), 0);
}

// Returns the bf16 that the value was widened from, as are weights that a model holds in it;
// NULL if it was not.
static pir_value *widened_from(const rounding *r, const pir_value *value) {
  const pir_op *op = pir_value_op(value);
  if (!op || !pir_op_is(op, PD_CAST))
    return NULL;
  const pir_fact *fact = pir_facts_of(r->facts, pir_op_operand(op, 0));
  return fact->known && fact->dtype == PIR_BF16 ? pir_op_operand(op, 0) : NULL;
}

// Returns the value rounded to bf16. A view is rounded at its source, and the chain of `views`
// is created again from last to first.
static pir_value *narrowed(rounding *r, pir_value *value) {
  enum { DEPTH = 8 };
  pir_value *views[DEPTH], *low;
  int depth = 0, k = 0;
  while (!(low = pir_map_get(&r->narrow, value)) && depth < DEPTH) {
    pir_op *op = pir_value_op(value);
    if (!op || (k = moved_operand(op)) < 0 || pir_op_attrs(op) > 16 || pir_op_operands(op) > 16)
      break;
    views[depth++] = value;
    value = pir_op_operand(op, (size_t)k);
  }
  if (!low)
    low = widened_from(r, value);
  if (!low)
    low = make_cast(r, pir_rewriter_behind(value), value, PIR_BF16);
  pir_map_put(&r->arena, &r->narrow, value, (uint64_t)(uintptr_t)low);
  while (depth-- > 0 && low) {
    pir_op *view = pir_value_op(views[depth]);
    low = view_of(r, view, moved_operand(view), low);
    if (low)
      pir_map_put(&r->arena, &r->narrow, views[depth], (uint64_t)(uintptr_t)low);
  }
  return low;
}

// ---- which contractions

// Whether the extent is n or more, as far as known.
static bool extent_is_at_least(const contraction *c, pir_dim extent, int64_t n) {
  int64_t value;
  return !pir_dim_is_const(c->dims, extent, &value) || value >= n;
}

static bool is_worthwhile(const contraction *c, const pir_machine *machine, bool weights) {
  enum { TAPS = 4 };  // of few channels, which are half a row of a tile register then
  int64_t fewest = machine->group.rounded_products;
  bool pairs = pir_contract_has_neighbours(c, machine->group.rounded_neighbours, weights) ||
               (weights && contract_axis_of_few_channels(c, TAPS) >= 0);
  int64_t extent, summed = 1;
  bool known = true, lanes = false;
  for (int v = 0; v < c->var_count; v++) {
    if (!c->vars[v].reduced) {
      lanes |= !contract_mentions(&c->a, v) &&
               extent_is_at_least(c, c->vars[v].extent, machine->group.rounded_lanes);
      continue;
    }
    if (pir_dim_is_const(c->dims, c->vars[v].extent, &extent))
      summed *= extent < fewest ? extent : fewest;
    else
      known = false;
  }
  return pairs && lanes && (!known || summed >= fewest);
}

static bool is_f32(const rounding *r, const pir_value *v) {
  const pir_fact *fact = pir_facts_of(r->facts, v);
  return fact->known && fact->dtype == PIR_F32 &&
         pir_type_kind_of(pir_value_type(v)) == PIR_TYPE_TENSOR;
}

static bool is_parameter(const pir_value *v) {
  return pir_value_op(v) && pir_op_has(pir_value_op(v), PIR_PARAMETER);
}

// Attention over many keys is left alone: as one group it never stores its scores, which gains
// more than bf16.
static void keep_attention(rounding *r, const pir_op *op) {
  choose_attention choice;
  int64_t keys;
  if (!choose_find_attention(op, r->facts, NULL, &choice))
    return;
  const attention *a = &choice.found;
  pir_dim extent = a->shape[a->key];
  if (pir_dim_is_const(pir_facts_dims(r->facts), extent, &keys) &&
      keys <= r->machine->group.rounded_keys)
    return;
  pir_map_put(&r->arena, &r->kept, a->first, 1);
  pir_map_put(&r->arena, &r->kept, a->second, 1);
}

static void round_operands(rounding *r, pir_op *op) {
  contraction c;
  int k[2];
  if (pir_map_find(&r->kept, op) || !choose_can(op, r->facts, NULL) ||
      !pir_contract_match(op, r->facts, &c, &k[0], &k[1]))
    return;
  pir_value *a = pir_op_operand(op, (size_t)k[0]), *b = pir_op_operand(op, (size_t)k[1]);
  if (!is_f32(r, a) || !is_f32(r, b) || c.out.dtype != PIR_F32 ||
      !is_worthwhile(&c, r->machine, is_parameter(b)))
    return;
  for (int i = 0; i < 2; i++) {
    pir_value *value = i ? b : a;
    if (widened_from(r, value) && pir_value_single_use(value))
      continue;
    // The casts of a weight never run: packing rounds it.
    pir_value *low =
        is_parameter(value) ? make_cast(r, op, value, PIR_BF16) : narrowed(r, value);
    if (!low)
      return;
    pir_rewriter_set_operand(r->run->rewriter, op, (size_t)k[i],
                             make_cast(r, op, low, PIR_F32));
  }
  r->rounded++;
}

// ---- other readers

// A value that is rounded where it is defined is stored as bf16 alone if its other readers read
// the rounded one, too. They do if they read elements, as the sum of a residual does: then half
// as many bytes are written and read.
static void share_rounded(rounding *r, pir_value *value) {
  pir_value *low = pir_map_get(&r->narrow, value);
  const pir_op *cast = low ? pir_value_op(low) : NULL;
  if (!cast || !pir_op_is(cast, PD_CAST) || pir_op_operand(cast, 0) != value)
    return;
  for (pir_use *u = pir_value_first_use(value); u; u = pir_use_next(u))
    if (pir_use_owner(u) != cast && !choose_reads_elements(pir_use_owner(u), r->facts))
      return;
  PIR_EACH_USE(u, value) {
    pir_op *reader = pir_use_owner(u);
    if (reader != cast)
      pir_rewriter_set_operand(r->run->rewriter, reader, pir_use_operand_index(u),
                               make_cast(r, reader, low, PIR_F32));
  }
}

pir_status pir_pass_round(pir_pass_run *run) {
  rounding r = {
      .run = run, .facts = pir_run_facts(run), .ctx = pir_program_context(run->program)};
  r.machine = pir_machine_of(NULL);
  if (!r.facts)
    return pir_run_facts_status(run);
  pir_arena_init(&r.arena, pir_facts_heap(r.facts));
  for (pir_op *op = pir_block_first(pir_program_block(run->program)); op; op = pir_op_next(op))
    if (contract_is_op(op))
      keep_attention(&r, op);
  for (pir_op *op = pir_block_first(pir_program_block(run->program)); op; op = pir_op_next(op))
    if (contract_is_op(op))
      round_operands(&r, op);
  for (pir_op *op = pir_block_first(pir_program_block(run->program)); op; op = pir_op_next(op))
    for (size_t i = 0; i < pir_op_results(op); i++)
      share_rounded(&r, pir_op_result(op, i));
  pir_arena_destroy(&r.arena);
  pir_run_count(run, "contractions", r.rounded);
  pir_run_count(run, "casts", r.casts);
  return PIR_OK;
}
