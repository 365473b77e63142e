// backward_pass: adds the gradients of some values of the program to its end.
//   loss=A|B     the values that are differentiated: %12 as the text prints it, or a name;
//                without it the outputs of the program
//   seeds=G|H    inputs that hold the gradients of these values, made where they are missing;
//                without them a value has one element, and its gradient is 1
//   ones         the gradients of values of any shape begin with ones
//   wrt=X|Y      the values whose gradients are wanted; without it every parameter that may be
//                trained
//   no_grad=X|Y  values to which no gradient flows, besides those that say stop_gradient
//   prim         primitive ops, where an op declares its gradient in them
//   fetch=false  the values and the gradients are not made outputs, called fetch0, fetch1, ..
// As Paddle's append_backward does it. A failure leaves ops behind, and ends the run. O(ops and
// operands).
#include "autodiff.h"

#include <effects.h>
#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/named_values.h>

#include <strbuf.h>

#include "program_ports.h"

typedef struct backward {
  diff d;
  value_list losses, seeds, inputs;
  bool named_inputs;
  bool minimizes;  // minimize_pass: the parameters take a step
} backward;

static pir_status refuse_value(const backward *w, pir_status status, const char *what,
                               pir_str name) {
  return pir_report(w->d.ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "backward: %s \"%.*s\"", what,
                    (int)name.size, name.data);
}

static pir_status find_tensor(const backward *w, pir_str name, pir_value **out_value) {
  const pir_program *program = w->d.run->program;
  pir_status status = pir_find_named_value(program, name, out_value, NULL);
  if (status == PIR_NOT_FOUND)
    return refuse_value(w, PIR_INVALID, "the program has no value", name);
  PIR_TRY(status);
  const pir_type *type = pir_value_type(*out_value);
  if (!pir_value_op(*out_value) || pir_value_block(*out_value) != pir_program_block(program))
    return refuse_value(w, PIR_UNSUPPORTED, "unsupported: a value inside of a region,", name);
  if (!type || !pir_type_is_tensor(type))
    return refuse_value(w, PIR_INVALID, "expects one tensor, not", name);
  return PIR_OK;
}

static pir_status find_tensors(const backward *w, const char *key, value_list *out) {
  pir_str list = pir_run_option(w->d.run, key), name;
  while (pass_next_name(&list, &name)) {
    pir_value *value;
    PIR_TRY(find_tensor(w, name, &value));
    pir_vec_push(w->d.arena, out, value);
  }
  return PIR_OK;
}

static bool may_be_trained(const diff *d, const pir_op *op) {
  return pir_op_has(op, PIR_PARAMETER) && !diff_stops(d, pir_op_result(op, 0));
}

static pir_walk_result note_stop(pir_op *op, void *user) {
  diff *d = user;
  d->states_stops |= pir_op_attr(op, d->stop_gradient) != NULL;
  return d->states_stops ? PIR_WALK_STOP : PIR_WALK_CONTINUE;
}

static pir_status find_all(backward *w) {
  value_list excluded = {0};
  const pir_block *block = pir_program_block(w->d.run->program);
  PIR_TRY(find_tensors(w, "loss", &w->losses));
  bool named = w->losses.count;
  for (const pir_op *op = pir_block_first(block); op && !named; op = pir_op_next(op))
    if (pir_op_has(op, PIR_OUTPUT))
      pir_vec_push(w->d.arena, &w->losses, pir_op_operand(op, 0));
  PIR_TRY(find_tensors(w, "wrt", &w->inputs));
  PIR_TRY(find_tensors(w, "no_grad", &excluded));
  for (size_t i = 0; i < excluded.count; i++)
    pir_map_put(w->d.arena, &w->d.stopped, excluded.items[i], 1);
  w->named_inputs = w->inputs.count > 0;
  for (const pir_op *op = pir_block_first(block); op && !w->named_inputs; op = pir_op_next(op))
    if (may_be_trained(&w->d, op))
      pir_vec_push(w->d.arena, &w->inputs, pir_op_result(op, 0));
  return PIR_OK;
}

// ---- the gradients to begin with
static bool is_scalar(const pir_type *type) {
  pir_shape shape = pir_type_shape(type);
  for (size_t i = 0; i < shape.rank; i++)
    if (shape.dims[i] != 1)
      return false;
  return true;
}

static pir_status find_seed(backward *w, pir_str name, const pir_value *loss,
                            pir_value **out_seed) {
  pir_program *program = w->d.run->program;
  const pir_type *type = pir_value_type(loss);
  pir_status status = pir_find_named_value(program, name, out_seed, NULL);
  if (status == PIR_NOT_FOUND) {
    *out_seed =
        program_add_input(w->d.run, pir_block_first(pir_program_block(program)), name, type);
    if (w->d.states_stops)
      pir_op_set_attr(pir_value_op(*out_seed), w->d.stop_gradient,
                      pir_attr_flag(w->d.ctx, true));
    return PIR_OK;
  }
  PIR_TRY(status);
  return pir_value_type(*out_seed) == type
             ? PIR_OK
             : refuse_value(w, PIR_INVALID,
                            "a value and its gradient have the same type, unlike", name);
}

static pir_status check_scalars(const backward *w) {
  for (size_t i = 0; i < w->losses.count; i++)
    if (!is_scalar(pir_value_type(w->losses.items[i])))
      return pir_report_op(pir_value_op(w->losses.items[i]), PIR_INVALID, PIR_ERROR,
                           "backward: the loss has one element, or its gradient is given "
                           "(seeds=..)");
  return PIR_OK;
}

static pir_status seed(backward *w, diff_block *b) {
  pir_str list = pir_run_option(w->d.run, "seeds"), name;
  for (size_t i = 0; i < w->losses.count; i++) {
    pir_value *loss = w->losses.items[i], *gradient;
    if (pass_next_name(&list, &name))
      PIR_TRY(find_seed(w, name, loss, &gradient));
    else
      gradient = diff_full_like(b, loss, 1);
    diff_clear(b, loss);
    diff_add(b, loss, gradient);
  }
  return PIR_OK;
}

// ---- outputs
static void add_fetch(backward *w, diff_block *b, pir_value *value, int64_t column) {
  pir_context *ctx = w->d.ctx;
  const pir_opdef *def = pir_context_op(ctx, PD_FETCH);
  pir_strbuf name;
  pir_strbuf_init(&name, w->d.arena);
  pir_strbuf_format(&name, "fetch%lld", (long long)column);
  pir_named_attr attrs[] = {
      pir_declared_attr(ctx, def, PD_FETCH_ATTR_NAME,
                        pir_attr_str(ctx, PIR_ATTR_STR, (pir_str){name.data, name.size})),
      pir_declared_attr(ctx, def, PD_FETCH_ATTR_COL, pir_attr_int(ctx, PIR_ATTR_I32, column)),
      {pir_name_get(ctx, PIR_STR("persistable")), pir_attr_flag(ctx, true)}};
  const pir_type *type = pir_value_type(value);
  pir_op_spec spec = {.def = def,
                      .operands = &value,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = sizeof attrs / sizeof *attrs};
  diff_create(b, &spec);
}

static bool is_output(const pir_value *value) {
  PIR_EACH_USE(use, value)
  if (pir_op_has(pir_use_owner(use), PIR_OUTPUT))
    return true;
  return false;
}

static void fetch_all(backward *w, diff_block *b, const value_list *gradients) {
  int64_t column = 0;
  const pir_block *block = pir_program_block(w->d.run->program);
  for (const pir_op *op = pir_block_first(block); op; op = pir_op_next(op))
    column += pir_op_is(op, PD_FETCH);
  for (size_t i = 0; i < w->losses.count; i++)
    if (!is_output(w->losses.items[i]))
      add_fetch(w, b, w->losses.items[i], column++);
  for (size_t i = 0; i < gradients->count; i++)
    if (gradients->items[i])
      add_fetch(w, b, gradients->items[i], column++);
}

// ---- the pass
static pir_status add_backward(backward *w, diff_block *b) {
  op_list ops = {0}, order = {0};
  value_list gradients = {0}, none = {0};
  const pir_block *block = pir_program_block(w->d.run->program);
  diff_effective_ops(&w->d, block, w->named_inputs ? &w->inputs : &none, &w->losses, &ops);
  PIR_TRY(seed(w, b));
  diff_inverse_order(&w->d, &ops, &order);
  PIR_TRY(diff_ops(b, &order));
  for (size_t i = 0; i < w->inputs.count; i++)
    pir_vec_push(w->d.arena, &gradients, diff_sum(b, w->inputs.items[i]));
  if (w->named_inputs)
    diff_erase_unused(&w->d, 0, &gradients);
  if (w->minimizes && w->losses.count)
    PIR_TRY(diff_minimize(b, &w->inputs, &gradients));
  if (pir_run_option_bool(w->d.run, "fetch", true))
    fetch_all(w, b, w->minimizes ? &none : &gradients);
  return PIR_OK;
}

static pir_status run_backward(pir_pass_run *run, bool minimizes) {
  backward w = {.d = {.run = run, .ctx = pir_program_context(run->program)},
                .minimizes = minimizes};
  w.d.closed = minimizes;
  w.d.arena = pir_context_arena(w.d.ctx);
  w.d.primitive = pir_run_option_bool(run, "prim", false);
  w.d.stop_gradient = pir_name_get(w.d.ctx, PIR_STR("stop_gradient"));
  pir_walk(pir_program_module(run->program), PIR_PRE_ORDER, note_stop, &w.d);
  PIR_TRY(find_all(&w));
  w.d.facts = pir_run_facts(run);
  if (!w.d.facts)
    return pir_run_facts_status(run);
  if (!pir_run_option(run, "seeds").size && !pir_run_option_bool(run, "ones", false))
    PIR_TRY(check_scalars(&w));
  // New ops go in front of an op that is taken out again.
  pir_op *end = pir_op_create(w.d.ctx, &(pir_op_spec){.def = pir_context_op(w.d.ctx, PD_FULL)});
  pir_block_append(pir_program_block(run->program), end);
  diff_block b = {.d = &w.d, .at = end};
  pir_status status = add_backward(&w, &b);
  pir_op_erase(end);
  pir_run_count(run, "ops made", w.d.made.count);
  return status;
}

pir_status pir_pass_backward(pir_pass_run *run) {
  return run_backward(run, false);
}

pir_status pir_pass_minimize(pir_pass_run *run) {
  return run_backward(run, true);
}
