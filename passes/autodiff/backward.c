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
//   checkpoints=auto|A|B, memory=N
//                values are computed again for the gradients (recompute.h)
//   fetch=false  the values and the gradients are not made outputs, called fetch0, fetch1, ..
// As Paddle's append_backward does it. A failure leaves ops behind, and ends the run. O(ops and
// operands).
#include "request.h"

#include <effects.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/named_values.h>
#include <strbuf.h>

#include "loss_scaling.h"
#include "program_ports.h"
#include "recompute.h"
#include "training_steps.h"

typedef struct backward {
  diff d;
  backward_request request;
  value_list wanted;  // whose gradients are outputs
  bool minimizes;     // minimize_pass: the parameters take a step
  bool recomputes;    // some forward values are computed again
  recompute_request again;
} backward;

static pir_status refuse_name(const backward *w, pir_status status, const char *what,
                              pir_str name) {
  return pir_report(w->d.ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "backward: %s \"%.*s\"", what,
                    (int)name.size, name.data);
}

static pir_status find_tensor(const backward *w, pir_str name, pir_value **out_value) {
  const pir_program *program = w->d.run->program;
  pir_status status = pir_find_named_value(program, name, out_value, NULL);
  if (status == PIR_NOT_FOUND)
    return refuse_name(w, PIR_INVALID, "the program has no value", name);
  PIR_TRY(status);
  const pir_type *type = pir_value_type(*out_value);
  if (!pir_value_op(*out_value) || pir_value_block(*out_value) != pir_program_block(program))
    return refuse_name(w, PIR_UNSUPPORTED, "unsupported: a value inside of a region,", name);
  if (!type || !pir_type_is_tensor(type))
    return refuse_name(w, PIR_INVALID, "expects one tensor, not", name);
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

// A number of bytes, or a share in percent.
static pir_status read_memory(backward *w) {
  pir_str text = pir_run_option(w->d.run, "memory");
  bool share = text.size && text.data[text.size - 1] == '%';
  double number = 50;
  w->again.share = 0.5;
  if (!text.size)
    return PIR_OK;
  pir_str digits = {text.data, text.size - share};
  if (!digits.size || !steps_read_number(digits, &number) || number > (share ? 100 : 1e15) ||
      number <= 0)
    return pir_run_bad_option(w->d.run, "memory", "a number of bytes, or a share such as 50%");
  w->again.share = number / 100;
  w->again.bytes = share ? 0 : (int64_t)number;
  return PIR_OK;
}

static pir_status find_checkpoints(backward *w) {
  pir_str text = pir_run_option(w->d.run, "checkpoints");
  w->recomputes = text.size && !pir_str_equal(text, PIR_STR("all"));
  w->again.automatic = pir_str_equal(text, PIR_STR("auto"));
  PIR_TRY(read_memory(w));
  return w->recomputes && !w->again.automatic ? find_tensors(w, "checkpoints", &w->again.kept)
                                              : PIR_OK;
}

static bool may_be_trained(const diff *d, const pir_op *op) {
  return pir_op_has(op, PIR_PARAMETER) && !diff_stops(d, pir_op_result(op, 0));
}

static pir_status find_all(backward *w) {
  value_list excluded = {0};
  backward_request *r = &w->request;
  const pir_block *block = pir_program_block(w->d.run->program);
  PIR_TRY(find_tensors(w, "loss", &r->losses));
  bool named = r->losses.count;
  for (const pir_op *op = pir_block_first(block); op && !named; op = pir_op_next(op))
    if (pir_op_has(op, PIR_OUTPUT))
      pir_vec_push(w->d.arena, &r->losses, pir_op_operand(op, 0));
  PIR_TRY(find_tensors(w, "wrt", &r->inputs));
  PIR_TRY(find_tensors(w, "no_grad", &excluded));
  PIR_TRY(find_checkpoints(w));
  for (size_t i = 0; i < excluded.count; i++)
    pir_map_put(w->d.arena, &w->d.stopped, excluded.items[i], 1);
  for (size_t i = 0; i < r->inputs.count; i++)
    pir_vec_push(w->d.arena, &w->wanted, r->inputs.items[i]);
  for (const pir_op *op = pir_block_first(block); op && !r->inputs.count; op = pir_op_next(op))
    if (may_be_trained(&w->d, op))
      pir_vec_push(w->d.arena, &w->wanted, pir_op_result(op, 0));
  return PIR_OK;
}

// ---- the gradients to begin with
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
             : refuse_name(w, PIR_INVALID,
                           "a value and its gradient have the same type, unlike", name);
}

static pir_status find_seeds(backward *w) {
  pir_str list = pir_run_option(w->d.run, "seeds"), rest = list, name;
  size_t count = 0;
  while (pass_next_name(&rest, &name))
    count++;
  if (list.size && count != w->request.losses.count)
    return pir_run_bad_option(w->d.run, "seeds", "one name for each loss");
  for (size_t i = 0; pass_next_name(&list, &name); i++) {
    pir_value *gradient;
    PIR_TRY(find_seed(w, name, w->request.losses.items[i], &gradient));
    pir_vec_push(w->d.arena, &w->request.seeds, gradient);
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

static bool is_handed_out(const pir_value *value) {
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
  for (size_t i = 0; i < w->request.losses.count; i++)
    if (!is_handed_out(w->request.losses.items[i]))
      add_fetch(w, b, w->request.losses.items[i], column++);
  for (size_t i = 0; i < gradients->count; i++)
    if (gradients->items[i])
      add_fetch(w, b, gradients->items[i], column++);
}

// ---- the pass

static pir_status recompute_at(backward *w, diff_block *b) {
  recompute r;
  PIR_TRY(diff_recompute(b, &w->again, &r));
  pir_run_count(w->d.run, "ops computed again", r.steps.count);
  pir_run_count(w->d.run, "flops added", (uint64_t)r.chosen.flops);
  pir_run_count(w->d.run, "bytes kept", (uint64_t)r.chosen.kept);
  pir_run_count(w->d.run, "bytes kept without", (uint64_t)r.without.kept);
  pir_run_count(w->d.run, "predicted peak", (uint64_t)r.chosen.peak);
  pir_run_count(w->d.run, "predicted peak without", (uint64_t)r.without.peak);
  if (r.chosen.peak <= r.budget)
    return PIR_OK;
  return pir_report(w->d.ctx, PIR_OK, PIR_WARNING, PIR_LOC_UNKNOWN,
                    "backward: no choice of values to compute again fits memory: the predicted "
                    "peak is %lld bytes, %lld more than wanted",
                    (long long)r.chosen.peak, (long long)(r.chosen.peak - r.budget));
}

// Puts scaled losses in the list, a new one: the program fetches the losses themselves.
static pir_status scale_losses(backward *w, diff_block *b, value_list *losses) {
  value_list scaled = {0};
  for (size_t i = 0; i < losses->count; i++)
    pir_vec_push(w->d.arena, &scaled, losses->items[i]);
  *losses = scaled;
  return loss_scaling_begin(b, losses, &w->d.scale);
}

static pir_status run_at(diff_block *b, void *user) {
  backward *w = user;
  value_list gradients = {0}, none = {0}, beside = {0};
  backward_request scaled = w->request;
  if (w->minimizes)
    PIR_TRY(scale_losses(w, b, &scaled.losses));
  w->again.before = pir_op_prev(b->at);
  diff_list_beside(&w->d, &w->wanted, &beside);
  PIR_TRY(backward_add(b, &scaled));
  for (size_t i = 0; i < w->wanted.count; i++)
    pir_vec_push(w->d.arena, &gradients, diff_sum(b, w->wanted.items[i]));
  if (w->request.inputs.count)
    diff_erase_unneeded(b, &gradients, &beside);
  if (w->recomputes)
    PIR_TRY(recompute_at(w, b));
  w->d.early = w->recomputes;
  if (w->minimizes && w->request.losses.count)
    PIR_TRY(diff_minimize(b, &w->wanted, &gradients));
  if (pir_run_option_bool(w->d.run, "fetch", true))
    fetch_all(w, b, w->minimizes ? &none : &gradients);
  return PIR_OK;
}

static pir_status run_backward(pir_pass_run *run, bool minimizes) {
  backward w = {.d = {.run = run, .primitive = pir_run_option_bool(run, "prim", false)},
                .request = {.ones = pir_run_option_bool(run, "ones", false)},
                .minimizes = minimizes};
  w.d.closed = minimizes;
  PIR_TRY(backward_begin(&w.d));
  PIR_TRY(find_all(&w));
  if (!pir_run_option(run, "seeds").size)
    PIR_TRY(backward_check(&w.d, &w.request));
  PIR_TRY(find_seeds(&w));
  PIR_TRY(backward_at_end(&w.d, run_at, &w));
  pir_run_count(run, "ops made", w.d.made.count);
  return PIR_OK;
}

pir_status pir_pass_backward(pir_pass_run *run) {
  return run_backward(run, false);
}

pir_status pir_pass_minimize(pir_pass_run *run) {
  return run_backward(run, true);
}
