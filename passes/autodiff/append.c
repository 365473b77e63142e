// Adds gradients to a program: the part that the pass and callers in C share, and the function
// for the latter.
#include "request.h"

#include <pir/compiler/backward.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>
#include <rewriter_impl.h>
#include <sized.h>

#include "recompute.h"

static pir_walk_result note_stop(pir_op *op, void *user) {
  diff *d = user;
  d->states_stops |= pir_op_attr(op, d->stop_gradient) != NULL;
  return d->states_stops ? PIR_WALK_STOP : PIR_WALK_CONTINUE;
}

pir_status backward_begin(diff *d) {
  d->ctx = pir_program_context(d->run->program);
  d->arena = pir_context_arena(d->ctx);
  d->stop_gradient = pir_name_get(d->ctx, PIR_STR("stop_gradient"));
  pir_walk(pir_program_module(d->run->program), PIR_PRE_ORDER, note_stop, d);
  d->facts = pir_rewriter_facts(d->run->rewriter);
  return d->facts ? PIR_OK : pir_rewriter_facts_status(d->run->rewriter);
}

static bool is_scalar(const pir_type *type) {
  pir_shape shape = pir_type_shape(type);
  for (size_t i = 0; i < shape.rank; i++)
    if (shape.dims[i] != 1)
      return false;
  return true;
}

pir_status backward_check(diff *d, const backward_request *request) {
  (void)d;
  for (size_t i = 0; i < request->losses.count && !request->ones && !request->seeds.count; i++)
    if (!is_scalar(pir_value_type(request->losses.items[i])))
      return pir_report_op(pir_value_op(request->losses.items[i]), PIR_INVALID, PIR_ERROR,
                           "backward: the loss has one element, or its gradient is given "
                           "(seeds=..)");
  return PIR_OK;
}

pir_status backward_add(diff_block *b, const backward_request *request) {
  diff *d = b->d;
  op_list ops = {0}, order = {0};
  diff_effective_ops(d, pir_program_block(d->run->program), &request->inputs, &request->losses,
                     &ops);
  PIR_TRY(diff_widen_loops(d, &ops));
  diff_note_arrays(d);
  diff_note_overwrites(d);
  for (size_t i = 0; i < request->losses.count; i++) {
    pir_value *loss = request->losses.items[i];
    diff_add(b, loss,
             request->seeds.count ? request->seeds.items[i] : diff_full_like(b, loss, 1));
  }
  diff_inverse_order(d, &ops, &order);
  return diff_ops(b, &order);
}

pir_status backward_at_end(diff *d, pir_status (*work)(diff_block *b, void *user), void *user) {
  // New ops go in front of an op that is taken out again.
  pir_op *end = pir_op_create(d->ctx, &(pir_op_spec){.def = pir_context_op(d->ctx, PD_FULL)});
  pir_block_append(pir_program_block(d->run->program), end);
  diff_block b = {.d = d, .at = end};
  pir_status status = work(&b, user);
  pir_op_erase(end);
  return status;
}

// ---- for callers in C
typedef struct append_call {
  pir_program *program;
  pir_value *const *losses, *const *inputs;
  size_t loss_count, input_count;
  const pir_backward_options *given;
  pir_backward_options options;
  pir_value **out_gradients;
  backward_request request;
  recompute_request again;
} append_call;

// `what` says in messages what the values are for.
static pir_status take_values(diff *d, const char *what, pir_value *const *values, size_t count,
                              value_list *out) {
  const pir_block *block = pir_program_block(d->run->program);
  for (size_t i = 0; i < count; i++) {
    const pir_type *type = values[i] ? pir_value_type(values[i]) : NULL;
    if (!type || !pir_value_op(values[i]) || pir_value_block(values[i]) != block ||
        !pir_type_is_tensor(type))
      return pir_report(d->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                        "backward: %s %zu is no tensor of the program's block", what, i);
    pir_vec_push(d->arena, out, values[i]);
  }
  return PIR_OK;
}

static pir_status take_memory(diff *d, append_call *call) {
  const pir_backward_options *o = &call->options;
  call->again.automatic = !o->checkpoints;
  call->again.share = o->memory_share > 0 ? o->memory_share : 0.5;
  call->again.bytes = o->memory_bytes < INT64_MAX ? (int64_t)o->memory_bytes : INT64_MAX;
  if (!(o->memory_share >= 0 && o->memory_share <= 1))
    return pir_report(d->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "backward: memory_share lies between 0 and 1");
  return o->checkpoints ? take_values(d, "checkpoint", o->checkpoints, o->checkpoint_count,
                                      &call->again.kept)
                        : PIR_OK;
}

static pir_status take_call(diff *d, append_call *call) {
  value_list excluded = {0};
  backward_request *r = &call->request;
  r->ones = call->options.ones;
  PIR_TRY(take_values(d, "loss", call->losses, call->loss_count, &r->losses));
  PIR_TRY(take_values(d, "input", call->inputs, call->input_count, &r->inputs));
  if (call->options.seeds)
    PIR_TRY(take_values(d, "seed", call->options.seeds, call->loss_count, &r->seeds));
  for (size_t i = 0; i < r->seeds.count; i++)
    if (pir_value_type(r->seeds.items[i]) != pir_value_type(r->losses.items[i]))
      return pir_report_op(pir_value_op(r->seeds.items[i]), PIR_INVALID, PIR_ERROR,
                           "backward: a value and its gradient have the same type");
  PIR_TRY(
      take_values(d, "no_grad", call->options.no_grad, call->options.no_grad_count, &excluded));
  for (size_t i = 0; i < excluded.count; i++)
    pir_map_put(d->arena, &d->stopped, excluded.items[i], 1);
  if (call->options.recompute)
    PIR_TRY(take_memory(d, call));
  return backward_check(d, r);
}

static pir_status append_at(diff_block *b, void *user) {
  append_call *call = user;
  value_list gradients = {0}, beside = {0};
  recompute done;
  call->again.before = pir_op_prev(b->at);
  diff_list_beside(b->d, &call->request.inputs, &beside);
  PIR_TRY(backward_add(b, &call->request));
  for (size_t i = 0; i < call->input_count; i++) {
    pir_vec_push(b->d->arena, &gradients, diff_sum(b, call->inputs[i]));
    call->out_gradients[i] = gradients.items[i];
  }
  if (call->input_count)
    diff_erase_unneeded(b, &gradients, &beside);
  return call->options.recompute ? diff_recompute(b, &call->again, &done) : PIR_OK;
}

static pir_status append_call_gradients(void *user) {
  append_call *call = user;
  pir_rewriter rewriter;
  PIR_TRY(PIR_TAKE(pir_program_context(call->program), pir_backward_options, &call->options,
                   call->given));
  pir_rewriter_init(&rewriter, call->program);
  pir_pass_run run = {.program = call->program, .rewriter = &rewriter};
  diff d = {.run = &run, .primitive = call->options.primitive};
  pir_status status = backward_begin(&d);
  if (!status)
    status = take_call(&d, call);
  if (!status)
    status = backward_at_end(&d, append_at, call);
  pir_rewriter_drop_facts(&rewriter);
  return status ? status : rewriter.failed;
}

pir_status pir_append_backward(pir_program *program, pir_value *const *losses,
                               size_t loss_count, pir_value *const *inputs, size_t input_count,
                               const pir_backward_options *options, pir_value **out_gradients) {
  append_call call = {.program = program,
                      .losses = losses,
                      .inputs = inputs,
                      .loss_count = loss_count,
                      .input_count = input_count,
                      .out_gradients = out_gradients};
  call.given = options;
  for (size_t i = 0; i < input_count; i++)
    out_gradients[i] = NULL;
  return pir_context_enter(pir_program_context(program), append_call_gradients, &call);
}
