// Gradients through branches and loops. What a region computes goes onto a stack, and the
// region that computes the gradients takes it from there: in the order in which a loop ran
// backwards. Lists and arrays go onto it too.
//
// A branch has a gradient op with the same condition, whose results are the gradients of the
// values from outside. They include what other ops added before, so the terms of these values
// begin anew. A loop has one that runs as long as the stack holds something; its variables are
// the gradients of the loop's variables, and of the values from outside, which add up.
#include "autodiff.h"

#include <effects.h>
#include <pir/compiler/dialect/cf.h>
#include <pir/compiler/dialect/pd_op.h>
#include <string.h>

enum { MOST_DEPTH = 64 };

typedef struct pipe {
  pir_op *stack, *push, *pop;
  value_list pushed;
} pipe;

// ---- creation. Facts of an op with regions are derived when the regions are there.
static pir_op *create_with_regions(diff_block *b, const pir_op_spec *spec) {
  pir_builder builder = pir_builder_before(b->at);
  pir_op *op = pir_build(&builder, spec);
  pir_vec_push(b->d->arena, &b->d->made, op);
  for (size_t i = 0; i < spec->region_count; i++)
    pir_region_append_block(pir_op_region(op, i));
  return op;
}

// The result of a write into an array states nothing, unlike the array.
static const pir_attr *stops_of(diff *d, const value_list *values) {
  PIR_VEC(const pir_attr *) each = {0};
  for (size_t i = 0; i < values->count; i++) {
    const pir_value *value = values->items[i];
    bool stops = !value || diff_array(d, value) != value || diff_states_stop(d, value);
    pir_vec_push(d->arena, &each, pir_attr_bool(d->ctx, stops));
  }
  return pir_attr_array(d->ctx, each.items, each.count);
}

static pir_op *begin_block(diff *d, pir_block *block) {
  pir_op *end = pir_op_create(d->ctx, &(pir_op_spec){.def = pir_context_op(d->ctx, CF_YIELD)});
  pir_block_append(block, end);
  return end;
}

// Ends the block, in place of the op that marked its end.
static void end_block(diff_block *b, const value_list *values) {
  pir_builder builder = pir_builder_before(b->at);
  pir_build(&builder, &(pir_op_spec){.def = pir_context_op(b->d->ctx, CF_YIELD),
                                     .operands = values->items,
                                     .operand_count = values->count});
  pir_op_erase(b->at);
}

static pir_value *has_elements(diff_block *b, const pipe *p) {
  pir_value *stack = pir_op_result(p->stack, CF_STACK_CREATE_OUT_STACK);
  const int64_t shape[] = {1};
  const pir_type *type = pir_type_tensor(b->d->ctx, PIR_BOOL, (pir_shape){shape, 1});
  pir_op_spec spec = {.def = pir_context_op(b->d->ctx, CF_HAS_ELEMENTS),
                      .operands = &stack,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1};
  return pir_op_result(diff_create(b, &spec), 0);
}

// ---- the pipe between a region and its gradient
static void lay_stack(diff *d, pipe *p) {
  const pir_type *types[] = {pir_type_marker(d->ctx, PIR_TYPE_STACK),
                             pir_type_marker(d->ctx, PIR_TYPE_INLET),
                             pir_type_marker(d->ctx, PIR_TYPE_OUTLET)};
  pir_op_spec spec = {
      .def = pir_context_op(d->ctx, CF_STACK_CREATE), .result_types = types, .result_count = 3};
  pir_builder front = pir_builder_before(pir_block_first(pir_program_block(d->run->program)));
  p->stack = pir_build(&front, &spec);
}

// Whether an argument of a loop is read by no step and begins with a tensor of another rank, as
// Paddle makes it for a variable that is first set in the loop.
static bool is_placeholder(const diff *d, const pir_value *argument) {
  return pir_value_unused(argument) && !diff_is_array(argument) &&
         pir_facts_of(d->facts, argument)->rank < 0;
}

static void push_all(diff *d, pipe *p, pir_block *body) {
  value_list operands = {0};
  pir_op *last = pir_block_last(body);
  for (size_t i = 0; i < pir_block_arguments(body); i++)
    if (!is_placeholder(d, pir_block_argument(body, i)))
      pir_vec_push(d->arena, &p->pushed, pir_block_argument(body, i));
  for (const pir_op *op = pir_block_first(body); op != last; op = pir_op_next(op))
    for (size_t i = 0; i < pir_op_results(op); i++)
      if (pir_value_type(pir_op_result(op, i)))
        pir_vec_push(d->arena, &p->pushed, pir_op_result(op, i));
  pir_vec_push(d->arena, &operands, pir_op_result(p->stack, CF_STACK_CREATE_OUT_INLET));
  for (size_t i = 0; i < p->pushed.count; i++)
    pir_vec_push(d->arena, &operands, p->pushed.items[i]);
  pir_op_spec spec = {.def = pir_context_op(d->ctx, CF_TUPLE_PUSH),
                      .operands = operands.items,
                      .operand_count = operands.count};
  p->push = pir_rewriter_create(d->run->rewriter, last, &spec);
}

static void pop_all(diff_block *b, pipe *p) {
  diff *d = b->d;
  PIR_VEC(const pir_type *) types = {0};
  for (size_t i = 0; i < p->pushed.count; i++)
    pir_vec_push(d->arena, &types, pir_value_type(p->pushed.items[i]));
  pir_value *outlet = pir_op_result(p->stack, CF_STACK_CREATE_OUT_OUTLET);
  pir_op_spec spec = {.def = pir_context_op(d->ctx, CF_TUPLE_POP),
                      .operands = &outlet,
                      .operand_count = 1,
                      .result_types = types.items,
                      .result_count = types.count};
  p->pop = diff_create(b, &spec);
  if (d->states_stops)
    pir_op_set_attr(p->pop, d->stop_gradient, stops_of(d, &p->pushed));
  for (size_t i = 0; i < p->pushed.count; i++)
    pir_map_put(d->arena, &b->copies, p->pushed.items[i],
                (uint64_t)(uintptr_t)pir_op_result(p->pop, i));
}

static void forget_made(diff *d, const pir_op *op) {
  for (size_t i = d->made.count; i-- > 0;)
    if (d->made.items[i] == op) {
      memmove(d->made.items + i, d->made.items + i + 1,
              (d->made.count - i - 1) * sizeof *d->made.items);
      d->made.count--;
      return;
    }
}

// Takes out a pipe from which nothing is read.
static void remove_unused(diff *d, const pipe *p) {
  if (!pir_op_unused(p->pop))
    return;
  forget_made(d, p->pop);
  pir_rewriter_erase(d->run->rewriter, p->pop);
  pir_rewriter_erase(d->run->rewriter, p->push);
  pir_rewriter_erase(d->run->rewriter, p->stack);
}

// ---- a region
static diff_block inner_block(diff_block *b, pir_block *block) {
  return (diff_block){
      .d = b->d, .up = b, .at = begin_block(b->d, block), .depth = b->depth + 1};
}

// Adds the gradients of the ops of a forward region to `b`. The values that the region hands
// out, but for the first `skipped`, are the results of `op`, whose gradients are theirs.
static pir_status diff_region(diff_block *b, pir_op *op, pir_block *body, const pipe *p,
                              size_t skipped) {
  op_list ops = {0}, order = {0};
  const pir_op *last = pir_block_last(body);
  for (size_t i = skipped; i < pir_op_operands(last); i++)
    if (!diff_is_array(pir_op_result(op, i - skipped)))
      diff_add(b, pir_op_operand(last, i), diff_sum(b, pir_op_result(op, i - skipped)));
  for (pir_op *at = pir_block_first(body); at != last; at = pir_op_next(at))
    if (at != p->push)
      pir_vec_push(b->d->arena, &ops, at);
  diff_inverse_order(b->d, &ops, &order);
  return diff_ops(b, &order);
}

static pir_value *sum_or_zeros(diff_block *b, pir_value *value) {
  pir_value *sum = diff_sum(b, value);
  return sum ? sum : diff_full_like(b, diff_copy(b, value), 0);
}

static pir_status check_region(const diff_block *b, const pir_op *op, size_t region,
                               pir_block **out_body) {
  *out_body = pir_op_body(op, region);
  if (!*out_body)
    return pir_error(op, "expects regions of one block that end with a terminator");
  if (b->depth >= MOST_DEPTH)
    return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                         "unsupported: gradients through more than %d nested regions",
                         MOST_DEPTH);
  return PIR_OK;
}

// Lists what gradients flow to: tensors, and arrays once, under their first name.
static void wanted_of(const diff *d, const value_list *read, size_t from, value_list *out) {
  pir_map arrays = {0};
  for (size_t i = from; i < read->count; i++) {
    pir_value *value = read->items[i];
    const pir_type *type = value ? pir_value_type(value) : NULL;
    if (!type || diff_stops(d, value))
      continue;
    pir_value *array = diff_is_array(value) ? diff_array(d, value) : NULL;
    if (array && diff_has_numbers(type) && !pir_map_find(&arrays, array)) {
      pir_map_put(d->arena, &arrays, array, 1);
      pir_vec_push(d->arena, out, array);
    } else if (!array && pir_type_is_tensor(type)) {
      pir_vec_push(d->arena, out, value);
    }
  }
  pir_map_free(d->arena, &arrays);
}

// ---- a branch
// Creates the op whose regions compute the gradients: a branch with the same condition, or an
// op that runs its region once and belongs to no function of the user.
static pir_op *create_gradient(diff_block *b, const pir_op *op, const value_list *wanted) {
  PIR_VEC(const pir_type *) types = {0};
  value_list operands = {0};
  bool chooses = pir_op_is_choice(op);
  for (size_t i = 0; i < wanted->count; i++)
    pir_vec_push(b->d->arena, &types, pir_value_type(wanted->items[i]));
  if (chooses)
    pir_vec_push(b->d->arena, &operands, diff_copy(b, pir_op_operand(op, 0)));
  for (size_t i = 0; i < pir_op_results(op) && !chooses; i++)
    if (diff_has_terms(b, pir_op_result(op, i)))
      pir_vec_push(b->d->arena, &operands, diff_sum(b, pir_op_result(op, i)));
  pir_named_attr own = pir_declared_attr(b->d->ctx, pir_op_def(op), 0,
                                         pir_attr_int(b->d->ctx, PIR_ATTR_I32, -1));
  pir_op_spec spec = {.def = pir_op_def(op),
                      .loc = pir_op_loc(op),
                      .operands = operands.items,
                      .operand_count = operands.count,
                      .result_types = types.items,
                      .result_count = types.count,
                      .attrs = &own,
                      .attr_count = !chooses,
                      .region_count = chooses ? 2 : 1};
  return create_with_regions(b, &spec);
}

static pir_status diff_side(diff_block *b, pir_op *op, pir_op *gradient, size_t region, pipe *p,
                            const value_list *wanted) {
  pir_block *body = pir_op_body(op, region);
  value_list gradients = {0};
  diff_block in = inner_block(b, pir_region_first(pir_op_region(gradient, region)));
  push_all(b->d, p, body);
  pop_all(&in, p);
  PIR_TRY(diff_region(&in, op, body, p, 0));
  for (size_t i = 0; i < wanted->count; i++)
    pir_vec_push(b->d->arena, &gradients, sum_or_zeros(&in, wanted->items[i]));
  end_block(&in, &gradients);
  remove_unused(b->d, p);
  return PIR_OK;
}

// A gradient flows from the op if it flows from one of its regions.
static void state_flowing(diff *d, pir_op *gradient) {
  value_list flowing = {0};
  const pir_op *first = pir_block_last(pir_op_body(gradient, 0));
  for (size_t i = 0; i < pir_op_results(gradient); i++) {
    pir_value *value = pir_op_operand(first, i);
    for (size_t k = 1; k < pir_op_regions(gradient) && diff_states_stop(d, value); k++)
      value = pir_op_operand(pir_block_last(pir_op_body(gradient, k)), i);
    pir_vec_push(d->arena, &flowing, value);
  }
  pir_op_set_attr(gradient, d->stop_gradient, stops_of(d, &flowing));
}

// A branch, or an op whose region runs once. Operands from `from` on have gradients.
static pir_status diff_branch(diff_block *b, pir_op *op, size_t from) {
  diff *d = b->d;
  value_list read = {0}, wanted = {0};
  pipe pipes[2] = {{0}};
  pir_block *body;
  size_t regions = pir_op_is_choice(op) ? 2 : 1;
  diff_inputs(d, op, &read);
  wanted_of(d, &read, from, &wanted);
  if (!wanted.count)
    return PIR_OK;
  for (size_t i = 0; i < regions; i++) {
    PIR_TRY(check_region(b, op, i, &body));
    if (pir_op_operands(pir_block_last(body)) != pir_op_results(op))
      return pir_error(op, "expects regions that hand out %zu values", pir_op_results(op));
  }
  for (size_t i = 0; i < regions; i++)
    lay_stack(d, &pipes[i]);
  pir_op *gradient = create_gradient(b, op, &wanted);
  for (size_t i = 0; i < regions; i++)
    PIR_TRY(diff_side(b, op, gradient, i, &pipes[i], &wanted));
  if (d->states_stops)
    state_flowing(d, gradient);
  for (size_t i = 0; i < wanted.count; i++) {
    diff_clear(b, wanted.items[i]);
    diff_add(b, wanted.items[i], pir_op_result(gradient, i));
  }
  return pir_facts_update(d->facts, gradient);
}

// ---- a pylayer, whose gradient is a function of the user's
static pir_status diff_pylayer(diff_block *b, pir_op *op) {
  int64_t function = pir_op_int(op, PD_PYLAYER_ATTR_BACKWARD_FUNCTION_ID);
  const pir_block *body = pir_op_body(op, 0);
  if (function >= 0)
    return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                         "unsupported: gradients through a pylayer, whose backward function "
                         "(backward_function_id %lld) is not part of the program",
                         (long long)function);
  if (body && pir_block_arguments(body))
    return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                         "unsupported: gradients through a region with arguments of this op");
  return diff_branch(b, op, 0);
}

// ---- a loop inside of a loop gets a variable that is false in the first step of each run
static bool is_nested(const pir_op *op) {
  for (const pir_op *at = pir_op_parent(op); at; at = pir_op_parent(at))
    if (pir_op_is_loop(at))
      return true;
  return false;
}

static pir_value *truth(diff *d, pir_op *at, bool value) {
  diff_number number;
  diff_describe_number(d, PIR_BOOL, value, &number);
  number.spec.loc = pir_op_loc(at);
  return pir_op_result(pir_rewriter_create(d->run->rewriter, at, &number.spec), 0);
}

// Creates a loop without a body that has one variable more than `op`.
static pir_op *widened_loop(diff *d, const pir_op *op, pir_value *first) {
  value_list operands = {0};
  PIR_VEC(const pir_type *) types = {0};
  size_t count = pir_op_attrs(op);
  pir_named_attr *attrs = pir_arena_alloc(d->arena, (count + 1) * sizeof *attrs);
  pir_op_attrs_sorted(op, attrs, count);
  for (size_t i = 0; i < pir_op_operands(op); i++)
    pir_vec_push(d->arena, &operands, pir_op_operand(op, i));
  for (size_t i = 0; i < pir_op_results(op); i++)
    pir_vec_push(d->arena, &types, pir_value_type(pir_op_result(op, i)));
  pir_vec_push(d->arena, &operands, first);
  pir_vec_push(d->arena, &types, pir_value_type(first));
  pir_op_spec spec = {.def = pir_op_def(op),
                      .loc = pir_op_loc(op),
                      .operands = operands.items,
                      .operand_count = operands.count,
                      .result_types = types.items,
                      .result_count = types.count,
                      .attrs = attrs,
                      .attr_count = count,
                      .region_count = 1};
  pir_builder builder = pir_builder_before((pir_op *)op);
  pir_op *wide = pir_build(&builder, &spec);
  pir_region_append_block(pir_op_region(wide, 0));
  return wide;
}

static pir_status hand_argument_over(diff *d, pir_block *to, pir_value *from) {
  pir_value *argument = pir_block_add_argument(to, pir_value_type(from));
  for (size_t i = 0; i < pir_block_argument_attrs(from); i++) {
    pir_named_attr attr = pir_block_argument_attr(from, i);
    pir_block_argument_set_attr(argument, attr.name, attr.value);
  }
  pir_rewriter_replace_value(d->run->rewriter, from, argument);
  return pir_facts_copy(d->facts, argument, from);
}

static pir_status widen_loop(diff *d, pir_op *op) {
  value_list results = {0}, yielded = {0};
  pir_block *body = pir_loop_body(op);
  pir_op *wide = widened_loop(d, op, truth(d, op, false));
  pir_block *block = pir_region_first(pir_op_region(wide, 0));
  for (size_t i = 0; i < pir_block_arguments(body); i++)
    PIR_TRY(hand_argument_over(d, block, pir_block_argument(body, i)));
  pir_value *more = pir_block_add_argument(
      block, pir_value_type(pir_op_operand(wide, pir_op_operands(wide) - 1)));
  if (d->states_stops)
    pir_block_argument_set_attr(more, d->stop_gradient, pir_attr_bool(d->ctx, true));
  PIR_TRY(pir_facts_state_type(d->facts, more));
  pir_block_splice(block, NULL, body);
  pir_op *end = pir_block_last(block);
  for (size_t i = 0; i < pir_op_operands(end); i++)
    pir_vec_push(d->arena, &yielded, pir_op_operand(end, i));
  pir_vec_push(d->arena, &yielded, truth(d, end, true));
  pir_builder builder = pir_builder_before(end);
  pir_build(&builder, &(pir_op_spec){.def = pir_op_def(end),
                                     .loc = pir_op_loc(end),
                                     .operands = yielded.items,
                                     .operand_count = yielded.count});
  pir_op_erase(end);
  for (size_t i = 0; i < pir_op_results(op); i++)
    pir_vec_push(d->arena, &results, pir_op_result(wide, i));
  pir_rewriter_replace(d->run->rewriter, op, results.items);
  pir_map_put(d->arena, &d->nested, wide, 1);
  return pir_facts_update(d->facts, wide);
}

typedef struct nested_loops {
  diff *d;
  op_list found;
} nested_loops;

static pir_walk_result find_nested(pir_op *op, void *user) {
  nested_loops *n = user;
  if (pir_loop_body(op) && is_nested(op))
    pir_vec_push(n->d->arena, &n->found, op);
  return PIR_WALK_CONTINUE;
}

pir_status diff_widen_loops(diff *d, const op_list *ops) {
  nested_loops n = {d, {0}};
  for (size_t i = 0; i < ops->count; i++)
    if (pir_op_regions(ops->items[i]))
      pir_walk(ops->items[i], PIR_PRE_ORDER, find_nested, &n);
  for (size_t i = 0; i < n.found.count; i++)
    PIR_TRY(widen_loop(d, n.found.items[i]));
  return PIR_OK;
}

// ---- a loop
typedef struct loop_diff {
  diff_block *b;
  pir_op *op, *gradient;
  pir_block *body;
  bool nested;  // in another loop: its last variable tells the first step
  pipe p;
  value_list results;   // whose gradients the loop carries
  value_list outer;     // values from outside, whose gradients add up
  value_list operands;  // of the gradient loop
  pir_map reached;      // the values of the body that have a gradient
} loop_diff;

// ---- gradients in the steps of a loop that begins with tensors to which none flows
static bool let_flow(diff *d, const pir_value *value) {
  const pir_type *type = pir_value_type(value);
  bool list = type && pir_type_kind_of(type) == PIR_TYPE_VECTOR;
  bool numbers = list || (type && pir_type_is_tensor(type) && diff_has_numbers(type));
  if (!numbers || pir_map_find(&d->flowing, value))
    return false;
  pir_map_put(d->arena, &d->flowing, value, 1);
  return true;
}

// Whether an op states that it stops only because its operands did: an op without a gradient
// stops by itself.
static bool stops_by_operands(const diff *d, const pir_op *op) {
  bool stops = pir_op_meaning(op)->grad_count || pir_op_has(op, PIR_STRUCTURAL), some = false;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_value *value = pir_op_operand(op, i);
    bool flows = value && pir_map_find(&d->flowing, value);
    some |= flows;
    stops &= !value || flows || diff_states_stop(d, value);
  }
  return stops && some;
}

static bool flow_through(diff *d, const pir_block *block);

static bool flow_through_regions(diff *d, const pir_op *op) {
  bool more = false;
  size_t loop = pir_op_is_loop(op);
  for (size_t i = 0; i < pir_op_regions(op); i++) {
    const pir_block *body = pir_op_body(op, i);
    if (!body)
      continue;
    for (size_t k = 0; loop && k < pir_block_arguments(body); k++)
      if (pir_map_find(&d->flowing, pir_op_operand(op, k + 1)))
        more |= let_flow(d, pir_block_argument(body, k));
    more |= flow_through(d, body);
    const pir_op *last = pir_block_last(body);
    for (size_t k = 0; k < pir_op_results(op) && k + loop < pir_op_operands(last); k++)
      if (pir_map_find(&d->flowing, pir_op_operand(last, k + loop)))
        more |= let_flow(d, pir_op_result(op, k));
  }
  return more;
}

// Gradients flow through the ops of a block that stop on account of values into which they flow
// now. Returns whether there are more such values.
static bool flow_through(diff *d, const pir_block *block) {
  bool more = false;
  for (const pir_op *op = pir_block_first(block); op; op = pir_op_next(op)) {
    if (pir_op_regions(op)) {
      more |= flow_through_regions(d, op);
      continue;
    }
    for (size_t i = 0; stops_by_operands(d, op) && i < pir_op_results(op); i++)
      more |= let_flow(d, pir_op_result(op, i));
  }
  return more;
}

static bool is_read_once(const pir_value *value) {
  int uses = 0;
  PIR_EACH_USE(use, value)
  uses++;
  return uses == 1;
}

// Whether the steps only add to a tensor: then its gradient is the same in every step.
static bool only_sums(const loop_diff *l, size_t i) {
  const pir_value *argument = pir_block_argument(l->body, i);
  const pir_value *next = pir_op_operand(pir_block_last(l->body), i + 1);
  const pir_op *add = pir_value_op(next);
  return add && pir_op_is(add, PD_ADD) && pir_op_block(add) == l->body &&
         (pir_op_operand(add, 0) == argument) != (pir_op_operand(add, 1) == argument) &&
         is_read_once(argument) && is_read_once(next) &&
         pir_value_type(argument) == pir_value_type(next);
}

// Gradients flow into the arguments that begin with a tensor to which none flows, where the
// value for the next step has one.
static void make_flow(loop_diff *l) {
  diff *d = l->b->d;
  const pir_op *last = pir_block_last(l->body);
  bool more = true;
  while (more) {
    more = false;
    for (size_t i = 0; i < pir_op_results(l->op); i++) {
      const pir_value *argument = pir_block_argument(l->body, i);
      if (diff_states_stop(d, argument) && !diff_states_stop(d, pir_op_operand(last, i + 1)) &&
          !only_sums(l, i))
        more |= let_flow(d, argument);
    }
    more |= flow_through(d, l->body);
  }
}

static pir_walk_result find_write(pir_op *op, void *user) {
  *(bool *)user |= diff_writes_over(op);
  return *(bool *)user ? PIR_WALK_STOP : PIR_WALK_CONTINUE;
}

// Lists the values of the body from which gradients may come: those that become a result with
// one, and those written into arrays.
static void list_sources(const loop_diff *l, value_list *out) {
  const diff *d = l->b->d;
  pir_op *last = pir_block_last(l->body);
  for (size_t i = 0; i < pir_op_results(l->op); i++)
    if (diff_has_terms(l->b, pir_op_result(l->op, i)))
      pir_vec_push(d->arena, out, pir_op_operand(last, i + 1));
  for (pir_op *op = pir_block_first(l->body); op != last; op = pir_op_next(op)) {
    bool writes = false;
    pir_walk(op, PIR_PRE_ORDER, find_write, &writes);
    if (writes)
      diff_inputs(d, op, out);
  }
}

// Notes which values of the body gradients reach: in the same step, or in one before.
static pir_status note_reached(loop_diff *l) {
  diff *d = l->b->d;
  value_list work = {0};
  list_sources(l, &work);
  for (size_t n = 0; n < work.count; n++) {
    pir_value *value = work.items[n];
    if (!value || pir_map_find(&l->reached, value) || diff_states_stop(d, value))
      continue;
    pir_map_put(d->arena, &l->reached, value, 1);
    const pir_op *op = pir_value_is_argument(value) ? NULL : pir_value_op(value);
    if (op && pir_op_is(op, PD_ASSIGN) && pir_map_find(&d->flowing, value))
      return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                           "unsupported: gradients through this copy of what a loop carries: "
                           "it does not say whether it stops them, or only was made of a "
                           "tensor that does");
    if (op && pir_op_block(op) == l->body)
      diff_inputs(d, op, &work);
    else if (!op && pir_value_block(value) == l->body)
      pir_vec_push(d->arena, &work,
                   pir_op_operand(pir_block_last(l->body), pir_value_index(value) + 1));
  }
  return PIR_OK;
}

static pir_status list_carried(loop_diff *l) {
  diff *d = l->b->d;
  value_list read = {0}, from_outside = {0};
  diff_inputs(d, l->op, &read);
  for (size_t i = 0; i < read.count; i++)
    if (i >= pir_op_operands(l->op) || diff_is_array(read.items[i]))
      pir_vec_push(d->arena, &from_outside, read.items[i]);
  wanted_of(d, &from_outside, 0, &l->outer);
  make_flow(l);
  PIR_TRY(note_reached(l));
  for (size_t i = 0; i < pir_op_results(l->op); i++) {
    pir_value *result = pir_op_result(l->op, i), *argument = pir_block_argument(l->body, i);
    const pir_type *type = pir_value_type(result);
    if (!type || !pir_type_is_tensor(type) || !diff_has_numbers(type))
      continue;
    bool any = diff_has_terms(l->b, result),
         flows = !diff_stops(d, pir_op_operand(l->op, i + 1));
    // The steps carry a gradient even if the tensor that the loop begins with takes none, and
    // the argument therefore says that it stops.
    if (any && !flows && only_sums(l, i))
      continue;
    bool placeholder = is_placeholder(d, argument);
    if (any && placeholder)
      return pir_report_op(l->op, PIR_UNSUPPORTED, PIR_ERROR,
                           "unsupported: gradients through result %zu of this loop, which "
                           "begins with a tensor of another rank",
                           i);
    if (!any && placeholder)
      continue;
    if (!any)
      diff_add(l->b, result, diff_full_like(l->b, diff_copy(l->b, result), 0));
    if (any || flows || pir_map_find(&l->reached, argument))
      pir_vec_push(d->arena, &l->results, result);
  }
  return PIR_OK;
}

// Whether there are steps left. The stack of an inner loop holds the steps of all its runs, so
// there `more`, of the step before, says it.
static pir_value *has_steps(loop_diff *l, diff_block *b, pir_value *more) {
  return l->nested ? diff_copy(b, more) : has_elements(b, &l->p);
}

static void create_loop(loop_diff *l) {
  diff *d = l->b->d;
  PIR_VEC(const pir_type *) types = {0};
  const value_list *lists[] = {&l->results, &l->outer};
  pir_vec_push(d->arena, &l->operands, NULL);
  for (size_t k = 0; k < 2; k++)
    for (size_t i = 0; i < lists[k]->count; i++) {
      pir_value *value = lists[k]->items[i];
      pir_vec_push(d->arena, &l->operands, sum_or_zeros(l->b, value));
      pir_vec_push(d->arena, &types, pir_value_type(value));
    }
  l->operands.items[0] = has_steps(l, l->b, pir_op_result(l->op, pir_op_results(l->op) - 1));
  pir_op_spec spec = {.def = pir_op_def(l->op),
                      .loc = pir_op_loc(l->op),
                      .operands = l->operands.items,
                      .operand_count = l->operands.count,
                      .result_types = types.items,
                      .result_count = types.count,
                      .region_count = 1};
  l->gradient = create_with_regions(l->b, &spec);
}

// Makes an argument the only term of the gradient of a value inside of the loop.
// It states what the gradient with which the loop begins states.
static void carry(diff_block *in, pir_block *block, pir_value *value, const pir_value *first) {
  pir_value *argument = pir_block_add_argument(block, pir_value_type(value));
  if (in->d->states_stops)
    pir_block_argument_set_attr(argument, in->d->stop_gradient,
                                pir_attr_bool(in->d->ctx, diff_states_stop(in->d, first)));
  diff_clear(in, value);
  diff_add(in, value, argument);
  pir_status status = pir_facts_state_type(in->d->facts, argument);
  if (status && !in->d->status)
    in->d->status = status;
}

static pir_status fill_loop(loop_diff *l) {
  diff *d = l->b->d;
  value_list gradients = {0};
  pir_block *block = pir_region_first(pir_op_region(l->gradient, 0));
  diff_block in = inner_block(l->b, block);
  for (size_t i = 0; i < l->results.count; i++)
    carry(&in, block, l->results.items[i], l->operands.items[i + 1]);
  for (size_t i = 0; i < l->outer.count; i++)
    carry(&in, block, l->outer.items[i], l->operands.items[l->results.count + i + 1]);
  push_all(d, &l->p, l->body);
  pop_all(&in, &l->p);
  PIR_TRY(diff_region(&in, l->op, l->body, &l->p, 1));
  pir_value *more = pir_block_argument(l->body, pir_block_arguments(l->body) - 1);
  pir_vec_push(d->arena, &gradients, has_steps(l, &in, more));
  for (size_t i = 0; i < l->results.count; i++)
    pir_vec_push(
        d->arena, &gradients,
        sum_or_zeros(&in, pir_block_argument(l->body, pir_value_index(l->results.items[i]))));
  for (size_t i = 0; i < l->outer.count; i++)
    pir_vec_push(d->arena, &gradients, sum_or_zeros(&in, l->outer.items[i]));
  end_block(&in, &gradients);
  // As in Paddle, a gradient that a step makes flows on, whatever the loop begins with.
  for (size_t i = 0; i + 1 < gradients.count; i++)
    if (!diff_states_stop(d, gradients.items[i + 1]))
      let_flow(d, pir_op_result(l->gradient, i));
  return PIR_OK;
}

static pir_status diff_loop(diff_block *b, pir_op *op) {
  loop_diff l = {.b = b, .op = op, .body = pir_loop_body(op)};
  size_t before = b->d->made.count;
  if (!l.body || !pir_op_results(op))
    return pir_error(op, "expects as many operands, arguments and values as results");
  PIR_TRY(check_region(b, op, 0, &l.body));
  l.nested = pir_map_find(&b->d->nested, op) != NULL;
  if (is_nested(op) && !l.nested)
    return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                         "unsupported: gradients through a loop of this form inside of a loop");
  PIR_TRY(list_carried(&l));
  lay_stack(b->d, &l.p);
  create_loop(&l);
  PIR_TRY(fill_loop(&l));
  for (size_t i = 0; i < l.outer.count; i++)
    diff_clear(b, l.outer.items[i]);
  b->d->terms.count = 0;
  for (size_t i = 0; i + 1 < l.operands.count; i++) {
    bool outer = i >= l.results.count;
    pir_value *of = outer ? l.outer.items[i - l.results.count]
                          : pir_op_operand(op, pir_value_index(l.results.items[i]) + 1);
    if (!diff_stops(b->d, of))
      diff_add(b, of, pir_op_result(l.gradient, i));
  }
  diff_erase_unused(b->d, before, &b->d->terms);
  pir_map_free(b->d->arena, &l.reached);
  return pir_facts_update(b->d->facts, l.gradient);
}

pir_status diff_control(diff_block *b, pir_op *op) {
  if (pir_op_is_choice(op))
    return diff_branch(b, op, 1);
  if (pir_op_is_loop(op))
    return diff_loop(b, op);
  if (pir_op_is(op, PD_PYLAYER))
    return diff_pylayer(b, op);
  return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                       "unsupported: gradients through a region of this op");
}
