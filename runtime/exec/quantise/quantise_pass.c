// quantise_pass: calibrates a program of f32 on samples and makes its layers ones of integers
// (docs/explain/quantise.md). Four steps:
//
//   ranges    the program runs on every sample with the inputs of layers as outputs; their
//             magnitudes are counted, and a scale is chosen for each (ranges.c)
//   trial     it runs again with every layer beside its quantised form, on the same inputs;
//             layers with too much noise stay f32
//   change    the other layers read the results of quantize_linear and dequantize_linear
//   outputs   the old program and the new one run on every sample
//
// The pass belongs to this layer because it runs programs: passes may not see the executor. It
// costs four runs for each sample, with one sample and all inputs and results of layers in
// memory.
#include "quantise.h"
#include "report_progress.h"

#include <pir/compiler/walk.h>
#include <pir/layer/integer_form.h>

#include <stdlib.h>

// ---- ranges

pir_status quantise_open_shown(quantising *q, runner *r, size_t **out_outputs, size_t count) {
  *out_outputs =
      pir_arena_zalloc(&q->arena, pir_arena_size(&q->arena, count + 1, sizeof **out_outputs));
  PIR_TRY(runner_open(q, q->programs[0], r));
  return runner_shown(r, *out_outputs, count);
}

void quantise_clone(quantising *q, size_t i) {
  if (q->programs[i])
    pir_program_destroy(q->programs[i]);
  q->programs[i] = NULL;
  q->programs[i] = pir_program_clone(q->run->program);
}

// Makes the inputs of layers outputs, in front of the first layer that reads each.
static void show_inputs(quantising *q) {
  quantise_clone(q, 0);
  pir_op **ops = quantise_ops_of(q, q->programs[0]);
  for (size_t i = q->layers.count; i--;) {
    const layer *l = &q->layers.items[i];
    if (l->why || q->inputs.items[l->input].reader != l->op)
      continue;
    quantise_show(q->programs[0], pir_op_prev(ops[l->position]),
                  pir_op_operand(ops[l->position], l->x), l->input);
  }
}

static pir_status count_sample(quantising *q, runner *r, const size_t *outputs) {
  for (size_t i = 0; i < q->inputs.count; i++) {
    pir_tensor tensor;
    PIR_TRY(pir_session_output(r->session, outputs[i], &tensor));
    magnitudes_add(q->inputs.items[i].seen, &tensor);
  }
  return PIR_OK;
}

static void choose_scales(quantising *q) {
  for (size_t i = 0; i < q->inputs.count; i++) {
    activation *input = &q->inputs.items[i];
    pir_heap_poll(q->heap);
    if (input->seen->most > 0 && !input->seen->infinite)
      input->scale = magnitudes_scale(input->seen, q->choice, input->top);
  }
  for (size_t i = 0; i < q->layers.count; i++) {
    layer *l = &q->layers.items[i];
    const activation *input = l->why ? NULL : &q->inputs.items[l->input];
    if (input && input->seen->infinite)
      l->why = "its input is not finite";
    else if (input && input->scale == 0)
      l->why = "its input is 0 in all samples";
  }
}

pir_status quantise_run_samples(quantising *q, runner *r, const size_t *outputs,
                                pir_status (*take)(quantising *, runner *, const size_t *)) {
  pir_progress_sink watcher = pir_context_progress(q->ctx);
  for (size_t s = 0; s < q->sample_count; s++) {
    pir_progress_report(watcher, PIR_STAGE_SAMPLES, q->samples[s], s, q->sample_count);
    PIR_TRY(sample_read(q, s));
    PIR_TRY(runner_run(q, r, s));
    PIR_TRY(take(q, r, outputs));
  }
  pir_progress_report(watcher, PIR_STAGE_SAMPLES, NULL, q->sample_count, q->sample_count);
  return PIR_OK;
}

static pir_status find_ranges(quantising *q) {
  runner *r = &q->runners[0];
  size_t *outputs;
  show_inputs(q);
  PIR_TRY(quantise_open_shown(q, r, &outputs, q->inputs.count));
  PIR_TRY(quantise_run_samples(q, r, outputs, count_sample));
  runner_close(r);
  choose_scales(q);
  return PIR_OK;
}

// ---- trial

// Puts the quantised form of a layer beside it, and returns its result.
static pir_value *make_quantised(emission *e, const layer *l, pir_op *op) {
  pir_value *operands[2];
  emit_operands(e, l, op, operands);
  pir_op *copy = pir_op_clone(op, NULL);
  pir_op_move_before(copy, op);
  pir_op_set_operand(copy, l->x, operands[0]);
  pir_op_set_operand(copy, l->w, operands[1]);
  return pir_op_result(copy, 0);
}

// Adds the errors of the layers: results 2 i in f32 and 2 i + 1.
static pir_status compare_layers(quantising *q, runner *r, const size_t *outputs) {
  for (size_t i = 0; i < q->layers.count; i++) {
    pir_tensor f32, got;
    if (q->layers.items[i].why || q->layers.items[i].nested)
      continue;
    PIR_TRY(pir_session_output(r->session, outputs[2 * i], &f32));
    PIR_TRY(pir_session_output(r->session, outputs[2 * i + 1], &got));
    errors_add(&q->layers.items[i].errors, &f32, &got);
  }
  return PIR_OK;
}

pir_status quantise_try_layers(quantising *q, layer_maker make) {
  runner *r = &q->runners[0];
  size_t *outputs;
  emission e;
  quantise_clone(q, 0);
  pir_op **ops = quantise_ops_of(q, q->programs[0]);
  emission_open(q, q->programs[0], NULL, &e);
  for (size_t i = 0; i < q->layers.count; i++) {
    const layer *l = &q->layers.items[i];
    if (l->why || l->nested)
      continue;
    pir_op *op = ops[l->position];
    pir_value *got = make(&e, l, op);
    quantise_show(q->programs[0], op, pir_op_result(op, 0), 2 * i);
    quantise_show(q->programs[0], op, got, 2 * i + 1);
  }
  PIR_TRY(quantise_open_shown(q, r, &outputs, 2 * q->layers.count));
  PIR_TRY(quantise_run_samples(q, r, outputs, compare_layers));
  runner_close(r);
  return PIR_OK;
}

// Lets layers with too much noise stay.
static void keep_noisy(quantising *q) {
  int64_t least = pir_run_option_int(q->run, "least-snr", 0);
  for (size_t i = 0; i < q->layers.count; i++) {
    layer *l = &q->layers.items[i];
    if (l->why || errors_snr(&l->errors) >= (double)least)
      continue;
    char *why = pir_arena_alloc(&q->arena, 80);
    pir_text_format(why, 80, "SNR %.1f dB is below %lld dB", errors_snr(&l->errors),
                    (long long)least);
    l->why = why;
  }
}

static pir_status try_layers(quantising *q) {
  PIR_TRY(quantise_try_layers(q, make_quantised));
  keep_noisy(q);
  return PIR_OK;
}

// ---- change

static pir_walk_result note_name(pir_op *op, void *user) {
  quantising *q = user;
  const pir_attr *name = pir_op_attr_str(op, "parameter_name");
  if (name)
    pir_map_put(&q->arena, &q->named, pir_name_get(q->ctx, pir_attr_as_str(name)), 1);
  return PIR_WALK_CONTINUE;
}

void quantise_erase_weights(quantising *q) {
  for (size_t i = 0; i < q->weights.count; i++) {
    pir_op *op = pir_value_op(q->weights.items[i].value);
    bool again = false;
    for (size_t k = 0; k < i; k++)
      again |= q->weights.items[k].value == q->weights.items[i].value;
    if (!again && pir_op_unused(op))
      pir_rewriter_erase(q->run->rewriter, op);
  }
  pir_walk(pir_program_module(q->run->program), PIR_PRE_ORDER, note_name, q);
  for (size_t i = 0; i < q->weights.count; i++) {
    pir_name *name = pir_name_get(q->ctx, q->weights.items[i].name);
    if (!pir_map_find(&q->named, name))
      pir_program_drop_param(q->run->program, q->weights.items[i].name);
  }
}

static void change_layers(quantising *q) {
  uint64_t changed = 0;
  emission e;
  emission_open(q, q->run->program, q->run->rewriter, &e);
  for (size_t i = 0; i < q->layers.count; i++) {
    const layer *l = &q->layers.items[i];
    pir_value *operands[2];
    if (l->why)
      continue;
    emit_operands(&e, l, l->op, operands);
    pir_rewriter_set_operand(q->run->rewriter, l->op, l->x, operands[0]);
    pir_rewriter_set_operand(q->run->rewriter, l->op, l->w, operands[1]);
    changed++;
  }
  for (size_t i = 0; i < q->inputs.count && !q->exact_sums; i++)
    if (e.inputs[i])
      pir_share_dequantised(q->run->rewriter, pir_run_facts(q->run), q->inputs.items[i].value,
                            e.inputs[i]);
  report_layers(q);
  quantise_erase_weights(q);
  pir_run_count(q->run, "layers quantised", changed);
  pir_run_count(q->run, "layers kept", q->layers.count + q->in_regions - changed);
}

// ---- outputs

static pir_status compare_outputs(quantising *q) {
  for (size_t i = 0; i < pir_model_outputs(q->runners[0].model); i++) {
    pir_tensor f32, got;
    PIR_TRY(pir_session_output(q->runners[0].session, i, &f32));
    PIR_TRY(pir_session_output(q->runners[1].session, i, &got));
    errors_add(&q->outputs[i], &f32, &got);
  }
  return PIR_OK;
}

pir_status quantise_compare_programs(quantising *q) {
  PIR_TRY(runner_open(q, q->programs[1], &q->runners[0]));
  PIR_TRY(runner_open(q, q->run->program, &q->runners[1]));
  size_t outputs = pir_model_outputs(q->runners[0].model);
  q->outputs = pir_arena_zalloc(&q->arena, outputs * sizeof *q->outputs);
  for (size_t s = 0; s < q->sample_count; s++) {
    PIR_TRY(sample_read(q, s));
    PIR_TRY(runner_run(q, &q->runners[0], s));
    PIR_TRY(runner_run(q, &q->runners[1], s));
    PIR_TRY(compare_outputs(q));
  }
  report_outputs(q, &q->runners[0]);
  return PIR_OK;
}

// ---- the pass

static pir_status read_options(quantising *q) {
  pir_str weights = pir_run_option(q->run, "weights");
  if (!pir_run_option(q->run, "data").size)
    return pir_run_bad_option(q->run, "data", "a folder with samples");
  if (!range_choice_read(pir_run_option(q->run, "method"), &q->choice))
    return pir_run_bad_option(q->run, "method", "mse, absmax, percentile or percentile:99.9");
  q->as_floats = pir_str_equal(weights, PIR_STR("f32"));
  if (weights.size && !q->as_floats && !pir_str_equal(weights, PIR_STR("i8")))
    return pir_run_bad_option(q->run, "weights", "i8 or f32");
  pir_str residuals = pir_run_option(q->run, "residuals");
  q->exact_sums = pir_str_equal(residuals, PIR_STR("f32"));
  if (residuals.size && !q->exact_sums && !pir_str_equal(residuals, PIR_STR("i8")))
    return pir_run_bad_option(q->run, "residuals", "i8 or f32");
  pir_str inputs = pir_run_option(q->run, "inputs");
  q->signed_inputs = pir_str_equal(inputs, PIR_STR("i8"));
  if (inputs.size && !q->signed_inputs && !pir_str_equal(inputs, PIR_STR("u8")))
    return pir_run_bad_option(q->run, "inputs", "u8 or i8");
  return PIR_OK;
}

static void drop_quantising(void *user) {
  quantising *q = user;
  for (int i = 0; i < 2; i++) {
    runner_close(&q->runners[i]);
    if (q->programs[i])
      pir_program_destroy(q->programs[i]);
  }
  for (size_t i = 0; i < q->weights.count; i++)
    if (q->weights.items[i].narrow)
      pir_param_release(q->weights.items[i].narrow);
  free(q->pending);
  pir_heap_discharge(q->heap, q->charged);
  pir_thread_pool_destroy(q->pool);
  pir_npy_set_release(&q->set);
  while (q->sample_count)
    free(q->samples[--q->sample_count]);
  free(q->samples);
  pir_arena_destroy(&q->arena);
}

static pir_status quantise(quantising *q) {
  PIR_TRY(read_options(q));
  PIR_TRY(samples_find(q, pir_run_option(q->run, "data"),
                       pir_run_option_int(q->run, "samples", 0)));
  PIR_TRY(layers_find(q));
  quantise_clone(q, 1);
  PIR_TRY(find_ranges(q));
  PIR_TRY(try_layers(q));
  change_layers(q);
  return quantise_compare_programs(q);
}

pir_status quantise_run(pir_pass_run *run, pir_status (*pass)(quantising *)) {
  quantising q = {.run = run, .ctx = pir_program_context(run->program)};
  if (!pir_run_facts(run))
    return pir_run_facts_status(run);
  if (!pir_block_first(pir_program_block(run->program)))
    return PIR_OK;
  q.heap = pir_context_heap(q.ctx);
  pir_arena_init(&q.arena, q.heap);
  pir_guard_open(q.heap, &q.guard, drop_quantising, &q);
  pir_status status = pass(&q);
  pir_guard_close(&q.guard);
  drop_quantising(&q);
  return status;
}

pir_status pir_pass_quantise(pir_pass_run *run) {
  return quantise_run(run, quantise);
}
