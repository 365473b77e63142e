// weights_once_pass: divides a program whose weights can be replaced. What depends on weights
// alone is computed when weights are loaded; the other ops read such a value through a
// cinn_op.once, which stands for it as a parameter stands for its bytes. So build_cinn_pass
// treats filters that a batch norm scales as stored ones: they are packed, and choose memory
// orders and pairs. The ops in front are called, never compiled (group_leave_once).
//
// Two scans of the block: forward for the ops all of whose operands depend on weights alone,
// backward for lists, which cannot stand for parameters. Linear in the program.
#include "group.h"

#include <pir/compiler/dialect/cinn.h>
#include <pir/compiler/pass.h>
#include <pir/layer/once.h>

#include <map.h>

typedef struct dividing {
  pir_pass_run *run;
  const pir_facts *facts;
  const pir_dims *dims;
  pir_arena arena;
  pir_map alone;  // op -> it depends on weights alone
  uint64_t values;
} dividing;

static bool is_list(const pir_value *v) {
  return pir_type_kind_of(pir_value_type(v)) == PIR_TYPE_VECTOR;
}

// Adds the bytes of a tensor whose shape is fixed; false for any other.
static bool add_tensor(const dividing *d, const pir_fact *f, int64_t *bytes) {
  if (!f->known || f->dtype == PIR_PSTRING || f->rank < 0)
    return false;
  int64_t size = (int64_t)pir_dtype_size(f->dtype), extent;
  for (int i = 0; i < f->rank; i++)
    if (!pir_dim_is_const(d->dims, f->shape[i], &extent) ||
        __builtin_mul_overflow(size, extent, &size))
      return false;
  return !__builtin_add_overflow(*bytes, size, bytes);
}

// Adds the bytes of a tensor, or of the members of a list.
static bool add_bytes(const dividing *d, const pir_value *v, int64_t *bytes) {
  const pir_fact *f = pir_facts_of(d->facts, v);
  if (pir_type_kind_of(pir_value_type(v)) == PIR_TYPE_TENSOR)
    return add_tensor(d, f, bytes);
  bool known = is_list(v) && f->members;
  for (size_t i = 0; i < f->member_count && known; i++)
    known = add_tensor(d, f->members[i], bytes);
  return known;
}

// Whether all operands are weights, constants or computed of them.
static bool reads_weights_alone(const dividing *d, const pir_op *op) {
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_value *v = pir_op_operand(op, i);
    const pir_op *source = v ? pir_value_op(v) : NULL;
    if (v && (!source || (!pir_op_has_any(source, PIR_PARAMETER | PIR_CONSTANT) &&
                          !pir_map_get(&d->alone, source))))
      return false;
  }
  return pir_op_operands(op) > 0;
}

// Whether the results are worth keeping, and of a kind that a model can keep.
static bool can_keep(const dividing *d, const pir_op *op) {
  int64_t in = 0, out = 0;
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (pir_op_operand(op, i) && !add_bytes(d, pir_op_operand(op, i), &in))
      return false;
  for (size_t i = 0; i < pir_op_results(op); i++)
    if (pir_op_result(op, i) && !add_bytes(d, pir_op_result(op, i), &out))
      return false;
  return pir_once_is_worthwhile(in, out);
}

static bool is_alone(const dividing *d, const pir_op *op) {
  const pir_opdef *def = pir_op_meaning(op);
  const uint32_t never = PIR_RANDOM | PIR_PARAMETER | PIR_CONSTANT | PIR_INPUT | PIR_OUTPUT |
                         PIR_CONTROL | PIR_INPLACE | PIR_TERMINATOR;
  if (!(def->traits & PIR_PURE) || (def->traits & never) || pir_op_regions(op) ||
      !pir_op_results(op))
    return false;
  bool makes_list = pir_op_results(op) == 1 && is_list(pir_op_result(op, 0));
  return reads_weights_alone(d, op) && (makes_list || can_keep(d, op));
}

// A list that another op reads is made in every run.
static bool is_read_by_others(const dividing *d, const pir_value *v) {
  PIR_EACH_USE(u, v)
  if (!pir_map_get(&d->alone, pir_use_owner(u)))
    return true;
  return false;
}

// Lets all readers but those that depend on weights alone read a stand-in.
static void stand_in(dividing *d, pir_op *op, pir_value *v) {
  if (!v || is_list(v) || !is_read_by_others(d, v))
    return;
  const pir_type *type = pir_value_type(v);
  pir_op_spec spec = {.def = pir_context_op(pir_program_context(d->run->program), CINN_ONCE),
                      .operands = &v,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1};
  pir_op *once = pir_rewriter_create(d->run->rewriter, pir_op_next(op), &spec);
  PIR_EACH_USE(u, v)
  if (pir_use_owner(u) != once && !pir_map_get(&d->alone, pir_use_owner(u)))
    pir_rewriter_set_operand(d->run->rewriter, pir_use_owner(u), pir_use_operand_index(u),
                             pir_op_result(once, 0));
  d->values++;
}

pir_status pir_pass_weights_once(pir_pass_run *run) {
  dividing d = {.run = run, .facts = pir_run_facts(run)};
  pir_block *block = pir_program_block(run->program);
  if (!d.facts)
    return pir_run_facts_status(run);
  d.dims = pir_facts_dims(d.facts);
  pir_arena_init(&d.arena, pir_facts_heap(d.facts));
  PIR_EACH_OP(op, block)
  if (is_alone(&d, op))
    pir_map_put(&d.arena, &d.alone, op, 1);
  for (pir_op *op = pir_block_last(block), *before; op; op = before) {
    before = pir_op_prev(op);
    if (!pir_map_get(&d.alone, op))
      continue;
    if (is_list(pir_op_result(op, 0)) && is_read_by_others(&d, pir_op_result(op, 0)))
      pir_map_put(&d.arena, &d.alone, op, 0);
    for (size_t i = 0; i < pir_op_results(op); i++)
      stand_in(&d, op, pir_op_result(op, i));
  }
  pir_arena_destroy(&d.arena);
  pir_run_count(run, "values", d.values);
  return PIR_OK;
}

void group_leave_once(grouping *g) {
  for (uint32_t i = g->count; i-- > 0;) {
    node *n = &g->nodes[i];
    bool once = pir_op_results(n->op) > 0;
    size_t readers = 0;
    for (size_t k = 0; k < pir_op_results(n->op) && once; k++)
      for (pir_use *u = pir_value_first_use(pir_op_result(n->op, k)); u && once;
           u = pir_use_next(u), readers++) {
        const node *reader = group_node_of(g, pir_use_owner(u));
        once = pir_op_is(pir_use_owner(u), CINN_ONCE) || (reader && reader->once);
      }
    n->once = once && readers > 0;
    if (n->once)
      n->clause = NULL;
  }
}
