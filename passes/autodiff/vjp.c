// The gradient of one op, by the `grad` block of its declaration. A list operand is the list
// that builtin.combine made, and its gradient is split into the gradients of its members; a
// list result is read through builtin.split.
#include "autodiff.h"

#include <effects.h>
#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/cf.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/lower.h>
#include <strbuf.h>

typedef struct op_diff {
  diff_block *b;
  pir_op *op;
  const pir_opdef *def;
  int block;                                // number of the grad block
  pir_value *given[PIR_LOWER_VALUES_MOST];  // its values in front of the steps
  pir_value *gradients[PIR_LOWER_VALUES_MOST];
} op_diff;

static pir_op *create_step(void *user, const pir_op_spec *spec) {
  return diff_create(user, spec);
}

// Returns the op that makes the list of tensors of an operand; NULL if it is no such list.
static pir_op *combine_of(const pir_value *value) {
  pir_op *op = value ? pir_value_op(value) : NULL;
  return op && pir_op_is(op, BUILTIN_COMBINE) ? op : NULL;
}

static pir_op *split_of(const pir_value *value) {
  PIR_EACH_USE(use, value)
  if (pir_op_is(pir_use_owner(use), BUILTIN_SPLIT))
    return pir_use_owner(use);
  return NULL;
}

static bool flows_to(const diff *d, const pir_value *value) {
  const pir_op *list = combine_of(value);
  if (!value || !list)
    return value && !diff_stops(d, value);
  for (size_t i = 0; i < pir_op_operands(list); i++)
    if (!diff_stops(d, pir_op_operand(list, i)))
      return true;
  return false;
}

static bool flows_from(const diff_block *b, pir_value *result) {
  if (diff_has_terms(b, result))
    return true;
  const pir_op *split = split_of(result);
  for (size_t i = 0; split && i < pir_op_results(split); i++)
    if (diff_has_terms(b, pir_op_result(split, i)))
      return true;
  return false;
}

// Sums the terms of the results, whether or not the op has a gradient.
static bool sum_results(diff_block *b, const pir_op *op) {
  bool any = false;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_value *result = pir_op_result(op, i);
    any |= flows_from(b, result);
    diff_sum(b, result);
    const pir_op *split = split_of(result);
    for (size_t k = 0; split && k < pir_op_results(split); k++)
      diff_sum(b, pir_op_result(split, k));
  }
  return any;
}

// ---- what the block is given
static pir_value *copied_list(diff_block *b, const pir_op *list) {
  value_list members = {0};
  for (size_t i = 0; i < pir_op_operands(list); i++)
    pir_vec_push(b->d->arena, &members, diff_copy(b, pir_op_operand(list, i)));
  return diff_combine(b, &members);
}

static pir_value *given_result(diff_block *b, pir_value *result) {
  const pir_op *split = split_of(result);
  value_list members = {0};
  for (size_t i = 0; split && i < pir_op_results(split); i++)
    pir_vec_push(b->d->arena, &members, diff_copy(b, pir_op_result(split, i)));
  return split ? diff_combine(b, &members) : diff_copy(b, result);
}

// The zeros belong to no op's gradient: they name none.
static pir_value *gradient_or_zeros(diff_block *b, pir_value *value) {
  pir_value *sum = diff_sum(b, value);
  const pir_attr *origin = b->d->origin;
  b->d->origin = NULL;
  if (!sum)
    sum = diff_full_like(b, diff_copy(b, value), 0);
  b->d->origin = origin;
  return sum;
}

// Returns the split of a list into its members, made in the backward block.
static pir_op *create_split(diff_block *b, pir_value *list) {
  PIR_VEC(const pir_type *) types = {0};
  const pir_type *type = pir_value_type(list);
  for (size_t i = 0; i < pir_type_elements(type); i++)
    pir_vec_push(b->d->arena, &types, pir_type_element(type, i));
  pir_op_spec spec = {.def = pir_context_op(b->d->ctx, BUILTIN_SPLIT),
                      .operands = &list,
                      .operand_count = 1,
                      .result_types = types.items,
                      .result_count = types.count};
  return diff_create(b, &spec);
}

// The gradient of a list that no split reads: zeros, shaped like its members. Ops of it that no
// gradient needs are left out afterwards.
static pir_value *list_gradient(diff_block *b, pir_value *list) {
  value_list zeros = {0};
  pir_value *sum = diff_sum(b, list);
  if (sum || pir_type_kind_of(pir_value_type(list)) != PIR_TYPE_VECTOR)
    return sum;
  const pir_op *split = create_split(b, diff_copy(b, list));
  for (size_t i = 0; i < pir_op_results(split); i++)
    pir_vec_push(b->d->arena, &zeros, diff_full_like(b, pir_op_result(split, i), 0));
  return diff_combine(b, &zeros);
}

static pir_value *given_gradient(diff_block *b, pir_value *result) {
  const pir_type *type = pir_value_type(result);
  const pir_op *split = split_of(result);
  if (!type || (!split && !pir_type_is_tensor(type)))
    return type ? list_gradient(b, result) : diff_sum(b, result);
  if (!split)
    return gradient_or_zeros(b, result);
  value_list members = {0};
  for (size_t i = 0; i < pir_op_results(split); i++)
    pir_vec_push(b->d->arena, &members, gradient_or_zeros(b, pir_op_result(split, i)));
  return diff_combine(b, &members);
}

static void give(op_diff *o) {
  size_t n = 0, operands = pir_op_operands(o->op), results = pir_op_results(o->op);
  for (size_t i = 0; i < o->def->operand_count; i++, n++) {
    pir_value *value = i < operands ? pir_op_operand(o->op, i) : NULL;
    const pir_op *list = combine_of(value);
    if (list)
      o->given[n] = copied_list(o->b, list);
    else
      o->given[n] = value ? diff_copy(o->b, value) : NULL;
  }
  for (size_t i = 0; i < o->def->result_count; i++, n++)
    o->given[n] = i < results && pir_value_type(pir_op_result(o->op, i))
                      ? given_result(o->b, pir_op_result(o->op, i))
                      : NULL;
  for (size_t i = 0; i < o->def->result_count; i++, n++)
    o->given[n] = i < results ? given_gradient(o->b, pir_op_result(o->op, i)) : NULL;
}

// ---- what becomes of its gradients
// The gradient has the type that the program states for the value.
static void state_type(diff_block *b, pir_value *gradient, const pir_value *of) {
  if (!pir_value_op(gradient) || !pir_value_unused(gradient))
    return;
  pir_value_set_type(gradient, pir_value_type(of));
  pir_status status = pir_facts_update(b->d->facts, pir_value_op(gradient));
  if (status && !b->d->status)
    b->d->status = status;
}

// A gradient that nobody wants has no type.
static void drop_type(pir_value *gradient) {
  if (pir_value_op(gradient) && pir_value_unused(gradient))
    pir_value_set_type(gradient, NULL);
}

static void take_tensor(diff_block *b, pir_value *operand, pir_value *gradient) {
  if (diff_stops(b->d, operand)) {
    drop_type(gradient);
    return;
  }
  state_type(b, gradient, operand);
  diff_add(b, operand, gradient);
  pir_vec_push(b->d->arena, &b->d->terms, gradient);
}

static void take_list(diff_block *b, const pir_op *list, pir_value *gradient) {
  pir_value_set_type(gradient, pir_value_type(pir_op_result(list, 0)));
  const pir_op *split = create_split(b, gradient);
  for (size_t i = 0; i < pir_op_results(split); i++)
    take_tensor(b, pir_op_operand(list, i), pir_op_result(split, i));
}

static bool step_reads(const pir_lower *block, const pir_lower_step *step, int number,
                       bool shape_too) {
  const pir_opdef *def = pir_lower_step_def(step);
  for (int i = 0; i < step->arg_count; i++) {
    const pir_lower_arg *arg = &block->args[step->first_arg + i];
    bool shape_only = !shape_too && def && i < def->operand_count &&
                      def->operands[i].flags & PIR_OPERAND_SHAPE_ONLY;
    bool listed = false;
    for (int k = 0; arg->kind == PIR_LOWER_VALUES && k < arg->count; k++)
      listed |= block->pool[arg->first + k] == number;
    bool alone = arg->kind == PIR_LOWER_VALUE || arg->kind == PIR_LOWER_REST;
    if (!shape_only && (listed || (alone && arg->value == number)))
      return true;
  }
  return false;
}

static bool block_reads(const pir_lower *block, int number, bool shape_too) {
  for (int i = 0; i < block->step_count; i++)
    if (step_reads(block, &block->steps[i], number, shape_too))
      return true;
  return false;
}

static bool is_lost(const op_diff *o, int number, const pir_value *value) {
  const pir_lower *block = &o->def->grad[o->block];
  const diff *d = o->b->d;
  bool flows = number < o->def->operand_count && block->results[number] >= 0;
  return (flows && !diff_stops(d, value) && diff_reads_stale(d, o->op, value)) ||
         (diff_is_overwritten(d, o->op, value) && block_reads(block, number, false)) ||
         (diff_is_reshaped(d, o->op, value) && block_reads(block, number, true));
}

static bool some_operand_lost(const op_diff *o, int number) {
  pir_value *operand = pir_op_optional(o->op, (size_t)number);
  const pir_op *list = combine_of(operand);
  for (size_t i = 0; list && i < pir_op_operands(list); i++)
    if (is_lost(o, number, pir_op_operand(list, i)))
      return true;
  return operand && !list && is_lost(o, number, operand);
}

static bool some_result_lost(const op_diff *o, int number) {
  size_t at = (size_t)(number - o->def->operand_count);
  pir_value *result = at < pir_op_results(o->op) ? pir_op_result(o->op, at) : NULL;
  const pir_op *split = result ? split_of(result) : NULL;
  for (size_t i = 0; split && i < pir_op_results(split); i++)
    if (is_lost(o, number, pir_op_result(split, i)))
      return true;
  return result && is_lost(o, number, result);
}

pir_status diff_refuse_lost(const pir_op *op, const char *what) {
  pir_str name = pir_op_name(op);
  return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                       "\"%.*s\" is not differentiable, because its gradient reads %s, which "
                       "an op in place overwrites",
                       (int)name.size, name.data, what);
}

// Refuses a gradient that reads elements which an op in place overwrote.
static pir_status check_overwritten(const op_diff *o) {
  const pir_opdef *def = o->def;
  for (int n = 0; o->b->d->memory && n < def->operand_count + def->result_count; n++) {
    bool operand = n < def->operand_count;
    if (!(operand ? some_operand_lost(o, n) : some_result_lost(o, n)))
      continue;
    return diff_refuse_lost(o->op, operand ? def->operands[n].name
                                           : def->results[n - def->operand_count].name);
  }
  return PIR_OK;
}

static pir_status check_arrays(const op_diff *o) {
  for (size_t i = 0; i < pir_op_operands(o->op); i++)
    if (diff_is_array(pir_op_operand(o->op, i)))
      PIR_TRY(diff_check_array(o->b->d, o->op, pir_op_operand(o->op, i)));
  return PIR_OK;
}

static pir_status expand(op_diff *o) {
  pir_lower_target target = {create_step, o->b};
  return pir_grad_expand(o->op, o->block, o->b->d->facts, &target, o->given, o->gradients);
}

// A block that gives one tensor for a list runs for every member of the list.
static pir_status take_each(op_diff *o, size_t at, const pir_op *list) {
  for (size_t i = 0; i < pir_op_operands(list); i++) {
    if (i)
      PIR_TRY(expand(o));
    take_tensor(o->b, pir_op_operand(list, i), o->gradients[at]);
  }
  return PIR_OK;
}

static pir_status take_gradients(op_diff *o) {
  for (size_t i = 0; i < o->def->operand_count; i++) {
    pir_value *operand = pir_op_optional(o->op, i), *gradient = o->gradients[i];
    const pir_op *list = combine_of(operand);
    if (!gradient)
      continue;
    if (!operand)
      drop_type(gradient);
    else if (!list)
      take_tensor(o->b, operand, gradient);
    else if (pir_type_is_tensor(pir_value_type(gradient)))
      PIR_TRY(take_each(o, i, list));
    else if (flows_to(o->b->d, operand))
      take_list(o->b, list, gradient);
  }
  return PIR_OK;
}

// ---- one op
static bool wants_gradient(const op_diff *o) {
  const pir_lower *block = &o->def->grad[o->block];
  for (size_t i = 0; i < o->def->operand_count && i < pir_op_operands(o->op); i++)
    if (block->results[i] >= 0 && flows_to(o->b->d, pir_op_operand(o->op, i)))
      return true;
  return false;
}

static bool some_operand_flows(const diff_block *b, const pir_op *op) {
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (flows_to(b->d, pir_op_operand(op, i)))
      return true;
  return false;
}

// Whether a gradient reaches numbers: neither truth values nor integers pass one on.
static bool some_result_flows(const diff_block *b, const pir_op *op) {
  for (size_t i = 0; i < pir_op_results(op); i++) {
    const pir_type *type = pir_value_type(pir_op_result(op, i));
    bool numbers = !type || !pir_type_is_tensor(type) || diff_has_numbers(type);
    if (numbers && flows_from(b, pir_op_result(op, i)))
      return true;
  }
  return false;
}

static int choose_block(op_diff *o) {
  size_t n = 0, results = o->def->result_count;
  for (size_t i = 0; i < o->def->operand_count; i++, n++) {
    pir_value *value = pir_op_optional(o->op, i);
    o->given[n] = value ? diff_copy(o->b, value) : NULL;
  }
  for (size_t i = 0; i < 2 * results; i++, n++)
    o->given[n] = i % results < pir_op_results(o->op)
                      ? diff_copy(o->b, pir_op_result(o->op, i % results))
                      : NULL;
  return pir_grad_choose(o->op, o->b->d->facts, o->b->d->primitive, o->given);
}

static pir_status not_differentiable(const pir_op *op) {
  const char *reason = pir_op_meaning(op)->no_grad;
  pir_str name = pir_op_name(op);
  return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR, "\"%.*s\" is not differentiable%s%s",
                       (int)name.size, name.data,
                       reason ? ", because " : ": no gradient of it is declared",
                       reason ? reason : "");
}

// A member of a list that was only just made is the value of which it was made.
static void forward_members(diff *d, size_t from) {
  for (size_t i = from; i < d->made.count; i++) {
    pir_op *slice = d->made.items[i];
    const pir_op *list =
        pir_op_is(slice, BUILTIN_SLICE) ? combine_of(pir_op_operand(slice, 0)) : NULL;
    if (!list)
      continue;
    size_t at = (size_t)pir_op_int(slice, BUILTIN_SLICE_ATTR_INDEX);
    pir_rewriter_replace_value(d->run->rewriter, pir_op_result(slice, 0),
                               pir_op_operand(list, at));
  }
}

// In primitive mode, as in Paddle, every op of a gradient names the op whose gradient it is.
static const pir_attr *name_of_gradient(const diff *d, const pir_op *op) {
  pir_strbuf name;
  pir_str of = pir_op_name(op);
  pir_strbuf_init(&name, d->arena);
  pir_strbuf_format(&name, "%.*s_grad", (int)of.size, of.data);
  return pir_attr_str(d->ctx, PIR_ATTR_STR, (pir_str){name.data, name.size});
}

static pir_status make_gradients(op_diff *o) {
  give(o);
  PIR_TRY(check_arrays(o));
  PIR_TRY(check_overwritten(o));
  PIR_TRY(expand(o));
  return take_gradients(o);
}

pir_status diff_op(diff_block *b, pir_op *op) {
  op_diff o = {.b = b, .op = op, .def = pir_op_meaning(op)};
  if (pir_op_has(op, PIR_STRUCTURAL))
    return PIR_OK;
  bool any = sum_results(b, op);
  if (pir_op_is(op, PD_INCREMENT_))
    diff_count_back(b, op);
  if (pir_op_regions(op))
    return any || diff_reaches_array(b, op) ? diff_control(b, op) : PIR_OK;
  if (diff_is_array_step(op))
    return any ? diff_array_step(b, op) : PIR_OK;
  if (any && pir_op_is(op, CF_TUPLE_POP))
    return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                         "unsupported: gradients of a gradient through values from a stack");
  if (!any || !pir_op_operands(op) || pir_op_has(op, PIR_FLAT))
    return PIR_OK;
  o.block = choose_block(&o);
  if (o.block < 0)
    return some_operand_flows(b, op) && some_result_flows(b, op) ? not_differentiable(op)
                                                                 : PIR_OK;
  if (!wants_gradient(&o))
    return PIR_OK;
  size_t before = b->d->made.count;
  b->d->terms.count = 0;
  b->d->origin = b->d->primitive ? name_of_gradient(b->d, op) : NULL;
  pir_status status = make_gradients(&o);
  b->d->origin = NULL;
  PIR_TRY(status);
  forward_members(b->d, before);
  diff_erase_unused(b->d, before, &b->d->terms);
  return b->d->status;
}

pir_status diff_ops(diff_block *b, const op_list *ops) {
  for (size_t i = 0; i < ops->count; i++)
    PIR_TRY(diff_op(b, ops->items[i]));
  return PIR_OK;
}
