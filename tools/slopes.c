// Derivatives of a program by differences (slopes.h).
#include "slopes.h"

#include "cli.h"
#include "ports.h"

#include <pir/compiler/backward.h>
#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/infer.h>
#include <pir/engine/model.h>
#include <pir/layer/lower.h>
#include <pir/layer/named_values.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 48, STEPS = 3 };

static const double steps[STEPS] = {1e-3, 1e-5, 1e-7};
// An error of the derivative that is larger than this, relative to L and to the derivative,
// tells of a place that is not smooth.
static const double smooth = 1e-7;

// A program that runs, and its outputs.
typedef struct slope_run {
  pir_model *model;
  pir_session *session;
  size_t input_count, output_count;
} slope_run;

// An input that is differentiated.
typedef struct slope_input {
  pir_value *value, *gradient;
  pir_str name;
  bool constant;
  pir_tensor *at;     // its numbers, one of slope_work.inputs
  pir_tensor result;  // its gradient at this point
  bool done;
  slope answer;
} slope_input;

typedef struct slope_work {
  const slopes_request *request;
  pir_program *program;
  pir_context *ctx;
  slope_run forward, backward;
  pir_tensor *inputs;  // of the forward program, in the order of its ports
  pir_value **losses, **seeds;
  pir_tensor *weights, *before, *behind;  // of each loss
  size_t loss_count;
  slope_input *wanted;
  size_t wanted_count;
  size_t first_seed;  // the number of the seeds that earlier orders have
  char refusal[240];  // why a run refused the numbers of the last point; else empty
  double size;        // sum of |w y| at this point
} slope_work;

// ---- tensors

static bool is_counted(pir_dtype dtype) {
  return dtype == PIR_F32 || dtype == PIR_F64 || dtype == PIR_C64 || dtype == PIR_C128;
}

// Fills with multiples of 1/64 whose magnitude is from 1/2 to 1: exact in every type.
static void fill_weights(pir_tensor *t, uint64_t seed) {
  for (int64_t i = 0; i < tensor_parts(t); i++) {
    uint64_t bits = cli_random(&seed);
    double d = (double)(32 + (bits >> 40) % 33) / 64 * (bits >> 63 ? 1 : -1);
    float f = (float)d;
    if (t->dtype == PIR_F32 || t->dtype == PIR_C64)
      memcpy((char *)t->data + i * 4, &f, 4);
    else
      memcpy((char *)t->data + i * 8, &d, 8);
  }
}

// ---- the program

static pir_status slopes_fail(const slope_work *w, pir_status status, const char *text) {
  return pir_report(w->ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "%s", text);
}

// A loss may be of any of the types; an input that moves is an array of doubles.
static bool is_of_doubles(const pir_value *value) {
  const pir_type *type = value ? pir_value_type(value) : NULL;
  return type && pir_type_is_tensor(type) &&
         (pir_type_dtype(type) == PIR_F64 || pir_type_dtype(type) == PIR_C128);
}

static bool is_of_floats(const pir_value *value) {
  const pir_type *type = value ? pir_value_type(value) : NULL;
  return type && pir_type_is_tensor(type) && is_counted(pir_type_dtype(type));
}

static bool step_reads_value(const pir_lower *block, const pir_lower_step *step, int number) {
  for (int i = 0; i < step->arg_count; i++) {
    const pir_lower_arg *arg = &block->args[step->first_arg + i];
    if ((arg->kind == PIR_LOWER_VALUE || arg->kind == PIR_LOWER_REST) && arg->value == number)
      return true;
    for (int k = 0; arg->kind == PIR_LOWER_VALUES && k < arg->count; k++)
      if (block->pool[arg->first + k] == number)
        return true;
  }
  return false;
}

static bool block_reads_value(const pir_lower *block, int number) {
  for (int i = 0; i < block->step_count; i++)
    if (step_reads_value(block, &block->steps[i], number))
      return true;
  return false;
}

// Whether some gradient of the op that makes a value reads the gradient of that value.
static bool passes_gradients(const pir_value *value) {
  const pir_op *op = pir_value_op(value);
  if (op && pir_op_is(op, BUILTIN_SPLIT)) {
    value = pir_op_operand(op, 0);
    op = pir_value_op(value);
  }
  const pir_opdef *def = op ? pir_op_meaning(op) : NULL;
  bool reads = !def || !def->grad_count || pir_op_has(op, PIR_STRUCTURAL);
  for (size_t i = 0; !reads && i < def->grad_count; i++)
    reads = block_reads_value(&def->grad[i], def->operand_count + def->result_count +
                                                 (int)pir_value_index(value));
  return reads;
}

// Whether no op that reads a value declares a gradient of that operand.
static bool is_taken_as_constant(const pir_value *value) {
  PIR_EACH_USE(use, value) {
    const pir_op *op = pir_use_owner(use);
    const pir_opdef *def = pir_op_meaning(op);
    size_t at = pir_use_operand_index(use);
    bool passes = pir_op_has_any(op, PIR_STRUCTURAL | PIR_OUTPUT) || pir_op_regions(op);
    for (size_t i = 0; i < def->grad_count && at < def->operand_count; i++)
      passes |= def->grad[i].results[at] >= 0;
    if (passes)
      return false;
  }
  return true;
}

static bool is_in_sum(const slope_work *w, const pir_op *output) {
  const pir_attr *name = pir_op_attr_str(output, "output_name");
  bool (*counts)(void *, pir_str) = w->request->counts;
  return !counts || !name || counts(w->request->user, pir_attr_as_str(name));
}

static void free_values(slope_work *w) {
  for (size_t i = 0; w->weights && i < 3 * w->loss_count; i++)
    free(w->weights[i].data);
  for (size_t i = 0; i < w->wanted_count; i++)
    free(w->wanted[i].result.data);
  free(w->weights);
  free(w->losses);
  free(w->seeds);
  free(w->wanted);
  w->weights = NULL;
  w->losses = w->seeds = NULL;
  w->wanted = NULL;
  w->loss_count = w->wanted_count = 0;
}

// Takes the inputs and outputs out of the program.
static pir_status collect_values(slope_work *w) {
  pir_block *block = pir_program_block(w->program);
  free_values(w);
  size_t most = pir_block_count(block) + 1;
  w->losses = calloc(most, sizeof *w->losses);
  w->seeds = calloc(most, sizeof *w->seeds);
  w->wanted = calloc(most, sizeof *w->wanted);
  if (!w->losses || !w->seeds || !w->wanted)
    return PIR_EXHAUSTED;
  for (pir_op *op = pir_block_first(block), *next; op; op = next) {
    next = pir_op_next(op);
    if (pir_op_has(op, PIR_INPUT) && is_of_doubles(pir_op_result(op, 0)))
      w->wanted[w->wanted_count++] =
          (slope_input){.value = pir_op_result(op, 0),
                        .constant = is_taken_as_constant(pir_op_result(op, 0)),
                        .name = pir_attr_as_str(pir_op_attr_str(op, "name"))};
    if (!pir_op_has(op, PIR_OUTPUT))
      continue;
    pir_value *value = pir_op_operands(op) ? pir_op_operand(op, 0) : NULL;
    if (is_of_floats(value) && passes_gradients(value) && is_in_sum(w, op))
      w->losses[w->loss_count++] = value;
    if (pir_op_unused(op))
      pir_op_erase(op);
  }
  w->weights = calloc(3 * w->loss_count + 1, sizeof *w->weights);
  if (!w->weights)
    return PIR_EXHAUSTED;
  w->before = w->weights + w->loss_count;
  w->behind = w->before + w->loss_count;
  if (!w->loss_count || !w->wanted_count)
    return slopes_fail(w, PIR_NOT_FOUND,
                       w->loss_count ? "no input holds floats" : "no output holds floats");
  return PIR_OK;
}

static pir_str slope_name(char text[NAME], const char *what, size_t i) {
  return (pir_str){text, pir_text_format(text, NAME, "slopes.%s.%zu", what, i)};
}

static void append_losses(slope_work *w) {
  char name[NAME];
  for (size_t i = 0; i < w->loss_count; i++)
    pir_append_output(w->program, slope_name(name, "loss", i), w->losses[i]);
}

// An input of the type of a loss.
static pir_value *put_seed(slope_work *w, size_t i) {
  pir_context *ctx = w->ctx;
  const pir_type *type = pir_value_type(w->losses[i]);
  pir_shape shape = pir_type_shape(type);
  char name[NAME];
  pir_named_attr attrs[] = {
      {pir_name_get(ctx, PIR_STR("name")),
       pir_attr_str(ctx, PIR_ATTR_STR, slope_name(name, "seed", w->first_seed + i))},
      {pir_name_get(ctx, PIR_STR("shape")), pir_attr_int_array(ctx, shape.dims, shape.rank)},
      {pir_name_get(ctx, PIR_STR("dtype")), pir_attr_dtype(ctx, pir_type_dtype(type))},
      {pir_name_get(ctx, PIR_STR("place")), pir_attr_place(ctx, (pir_place){0})}};
  pir_builder b = pir_builder_at_end(pir_program_block(w->program));
  pir_op *op = pir_build(&b, &(pir_op_spec){.def = pir_context_op(ctx, PD_DATA),
                                            .result_types = &type,
                                            .result_count = 1,
                                            .attrs = attrs,
                                            .attr_count = 4});
  return pir_op_result(op, 0);
}

static pir_status append_gradients(slope_work *w) {
  pir_value **inputs = calloc(2 * w->wanted_count, sizeof *inputs);
  if (!inputs)
    return PIR_EXHAUSTED;
  for (size_t i = 0; i < w->loss_count; i++)
    w->seeds[i] = put_seed(w, i);
  for (size_t i = 0; i < w->wanted_count; i++)
    inputs[i] = w->wanted[i].value;
  pir_backward_options options = {
      .size = sizeof options, .seeds = w->seeds, .primitive = w->request->primitive};
  pir_value **gradients = inputs + w->wanted_count;
  pir_status status = pir_append_backward(w->program, w->losses, w->loss_count, inputs,
                                          w->wanted_count, &options, gradients);
  for (size_t i = 0; i < w->wanted_count && !status; i++) {
    char name[NAME];
    w->wanted[i].gradient = gradients[i];
    if (gradients[i])
      pir_append_output(w->program, slope_name(name, "gradient", i), gradients[i]);
  }
  free(inputs);
  return status;
}

// ---- runs

static pir_status open_slope_run(const slope_work *w, slope_run *run) {
  pir_model_options options = {.size = sizeof options,
                               .pipeline = "kernels",
                               .any_float = true,
                               .sink = w->request->sink};
  pir_session_options session = {
      .size = sizeof session, .threads = 1, .max_bytes = (size_t)1 << 31};
  PIR_TRY(pir_model_create(w->program, &options, &run->model));
  PIR_TRY(pir_session_create(run->model, &session, &run->session));
  run->input_count = pir_model_inputs(run->model);
  run->output_count = pir_model_outputs(run->model);
  return PIR_OK;
}

// Numbers may be refused, as an index beyond a table: another point has others.
static pir_status run_slopes(slope_work *w, const slope_run *run) {
  pir_status status = pir_session_run(run->session);
  w->refusal[0] = 0;
  if (status == PIR_INVALID)
    snprintf(w->refusal, sizeof w->refusal, "%s", pir_session_message(run->session));
  else if (status)
    return slopes_fail(w, status, pir_session_message(run->session));
  return status;
}

static pir_status take_ports(slope_work *w) {
  slope_run *run = &w->forward;
  w->inputs = calloc(run->input_count + 1, sizeof *w->inputs);
  if (!w->inputs)
    return PIR_EXHAUSTED;
  for (size_t i = 0; i < run->input_count; i++) {
    pir_port port = input_port(run->model, i);
    for (int32_t k = 0; k < port.rank; k++)
      if (port.shape[k] < 0 && !w->request->unknown)
        return slopes_fail(w, PIR_INVALID, "an input of unknown extent");
      else if (port.shape[k] < 0)
        port.shape[k] = w->request->unknown;
    PIR_TRY(take_tensor(&w->inputs[i], port.dtype, port.shape, port.rank));
    for (size_t k = 0; k < w->wanted_count; k++)
      if (pir_str_equal(port.name, w->wanted[k].name))
        w->wanted[k].at = &w->inputs[i];
  }
  return PIR_OK;
}

static const pir_tensor *find_slope_tensor(const slope_work *w, pir_str name) {
  char text[NAME];
  for (size_t i = 0; i < w->forward.input_count; i++)
    if (pir_str_equal(name, input_port(w->forward.model, i).name))
      return &w->inputs[i];
  for (size_t i = 0; i < w->loss_count; i++)
    if (pir_str_equal(name, slope_name(text, "seed", w->first_seed + i)))
      return &w->weights[i];
  return NULL;
}

static pir_status bind_slope_inputs(const slope_work *w, const slope_run *run) {
  for (size_t i = 0; i < run->input_count; i++) {
    const pir_tensor *t = find_slope_tensor(w, input_port(run->model, i).name);
    if (!t)
      return PIR_INTERNAL;
    pir_status status = pir_session_bind_input(run->session, i, t);
    if (status)
      return slopes_fail(w, status, pir_session_message(run->session));
  }
  return PIR_OK;
}

// Copies an output that a run made.
static pir_status copy_output(const slope_run *run, pir_str name, pir_tensor *out) {
  for (size_t i = 0; i < run->output_count; i++) {
    pir_tensor from;
    if (!pir_str_equal(name, output_port(run->model, i).name))
      continue;
    PIR_TRY(pir_session_output(run->session, i, &from));
    PIR_TRY(take_tensor(out, from.dtype, from.shape, from.rank));
    return pir_tensor_copy(&from, out);
  }
  return PIR_INTERNAL;
}

static pir_status run_losses(slope_work *w, pir_tensor *out) {
  char name[NAME];
  PIR_TRY(bind_slope_inputs(w, &w->forward));
  PIR_TRY(run_slopes(w, &w->forward));
  for (size_t i = 0; i < w->loss_count; i++)
    PIR_TRY(copy_output(&w->forward, slope_name(name, "loss", i), &out[i]));
  return PIR_OK;
}

// ---- one point

// Weights have the shapes of the outputs, which a point may change.
static pir_status make_weights(slope_work *w) {
  w->size = 0;
  for (size_t i = 0; i < w->loss_count; i++) {
    const pir_tensor *y = &w->before[i];
    PIR_TRY(take_tensor(&w->weights[i], y->dtype, y->shape, y->rank));
    fill_weights(&w->weights[i], w->request->seed + i);
    for (int64_t k = 0; k < tensor_parts(y); k++)
      w->size += fabs(tensor_part(&w->weights[i], k) * tensor_part(y, k));
  }
  return PIR_OK;
}

static pir_status go_to_point(slope_work *w, int point) {
  char name[NAME];
  for (size_t i = 0; i < w->forward.input_count; i++)
    w->request->feed(w->request->user, point, input_port(w->forward.model, i).name,
                     &w->inputs[i]);
  PIR_TRY(run_losses(w, w->before));
  PIR_TRY(make_weights(w));
  PIR_TRY(bind_slope_inputs(w, &w->backward));
  PIR_TRY(run_slopes(w, &w->backward));
  for (size_t i = 0; i < w->wanted_count; i++)
    if (w->wanted[i].gradient)
      PIR_TRY(copy_output(&w->backward, slope_name(name, "gradient", i), &w->wanted[i].result));
  return PIR_OK;
}

// The move of an input along its direction.
typedef struct slope_move {
  pir_tensor *x;
  pir_tensor v, base;
} slope_move;

static pir_status start_move(const slope_work *w, const slope_input *input, slope_move *m) {
  m->x = input->at;
  PIR_TRY(take_tensor(&m->v, m->x->dtype, m->x->shape, m->x->rank));
  PIR_TRY(take_tensor(&m->base, m->x->dtype, m->x->shape, m->x->rank));
  memcpy(m->base.data, m->x->data, (size_t)tensor_parts(m->x) * sizeof(double));
  fill_weights(&m->v, ~w->request->seed);
  if (w->request->fit)
    w->request->fit(w->request->user, input->name, &m->v);
  return PIR_OK;
}

static void move_to(const slope_move *m, double t) {
  double *x = m->x->data, *base = m->base.data, *v = m->v.data;
  for (int64_t i = 0; i < tensor_parts(m->x); i++)
    x[i] = base[i] + t * v[i];
}

static void end_move(slope_move *m) {
  if (m->base.data)
    move_to(m, 0);
  free(m->v.data);
  free(m->base.data);
}

// (L(x + b v) - L(x + a v)) / (b - a); NaN where the shapes of outputs change.
static pir_status quotient(slope_work *w, const slope_move *m, double a, double b,
                           double *out) {
  double sum = 0;
  move_to(m, a);
  PIR_TRY(run_losses(w, w->before));
  move_to(m, b);
  PIR_TRY(run_losses(w, w->behind));
  for (size_t i = 0; i < w->loss_count; i++) {
    int64_t parts = tensor_parts(&w->weights[i]);
    bool same = tensor_parts(&w->before[i]) == parts && tensor_parts(&w->behind[i]) == parts;
    for (int64_t k = 0; k < parts && same; k++)
      sum += tensor_part(&w->weights[i], k) *
             (tensor_part(&w->behind[i], k) - tensor_part(&w->before[i], k));
    if (!same)
      sum = NAN;
  }
  *out = sum / (b - a);
  return PIR_OK;
}

static pir_status derive_centrally(slope_work *w, const slope_move *m, double h, slope *out) {
  double d[3];
  for (int i = 0; i < 3; i++, h /= 2)
    PIR_TRY(quotient(w, m, -h, h, &d[i]));
  double first = (4 * d[1] - d[0]) / 3, second = (4 * d[2] - d[1]) / 3;
  out->numeric = (16 * second - first) / 15;
  // Each output is off by some units in the last place, and each difference by two of them;
  // inputs are about 1, and so are numbers on the way to an output that is much less.
  enum { UNITS = 16 };
  out->error = fabs(second - first) + UNITS * 0x1p-52 * fmax(w->size, 1) / (2 * h);
  out->scale = fmax(out->scale, fabs(out->numeric));
  return PIR_OK;
}

// Whether the derivatives from the left and from the right are apart.
static pir_status find_kink(slope_work *w, const slope_move *m, const slope *s, double h,
                            bool *out_apart) {
  double right[2], left[2];
  for (int i = 0; i < 2; i++, h /= 2) {
    PIR_TRY(quotient(w, m, 0, h, &right[i]));
    PIR_TRY(quotient(w, m, -h, 0, &left[i]));
  }
  double apart = fabs(2 * right[1] - right[0] - (2 * left[1] - left[0]));
  *out_apart = !(apart <= fabs(s->numeric - s->adjoint) / 2);
  return PIR_OK;
}

static bool is_smooth(const slope_work *w, const slope *s) {
  return isfinite(s->numeric) && s->error <= smooth * (fabs(s->numeric) + fmax(w->size, 1));
}

// Zeros on both sides agree: no rounding made them.
static slope_verdict verdict_near(const slope *s) {
  return s->scale == 0 || s->error <= SLOPES_MEASURABLE * s->scale ? SLOPE_AGREES : SLOPE_FAINT;
}

static pir_status measure_input(slope_work *w, const slope_input *input, const slope_move *m,
                                slope *s) {
  const double *v = m->v.data;
  double along = 0, most = 0;
  int step = 0;
  // The gradient of a real input may be complex, as for eigenvalues: its real part counts.
  const pir_tensor *g = &input->result;
  int64_t parts = tensor_parts(&m->v),
          apart = pir_dtype_is_complex(g->dtype) && !pir_dtype_is_complex(m->v.dtype) ? 2 : 1;
  if (input->gradient && tensor_parts(g) != apart * parts) {
    *s = (slope){.name = input->name,
                 .verdict = SLOPE_BEYOND,
                 .has_gradient = true,
                 .numeric = NAN,
                 .adjoint = NAN};
    return PIR_OK;
  }
  for (int64_t i = 0; i < parts && input->gradient; i++) {
    double term = tensor_part(g, i * apart) * v[i];
    along += term;
    most += fabs(term);
  }
  for (; step < STEPS; step++) {
    *s = (slope){.name = input->name,
                 .verdict = SLOPE_ROUGH,
                 .has_gradient = input->gradient,
                 .adjoint = along,
                 .scale = most};
    PIR_TRY(derive_centrally(w, m, steps[step], s));
    if (is_smooth(w, s))
      break;
  }
  if (step == STEPS)
    return PIR_OK;
  bool kink = false, near = fabs(s->numeric - along) <= SLOPES_RELATIVE * s->scale + s->error;
  if (!near)
    PIR_TRY(find_kink(w, m, s, steps[step], &kink));
  if (!kink)
    s->verdict = near ? verdict_near(s) : SLOPE_BEYOND;
  return PIR_OK;
}

static pir_status check_at_point(slope_work *w) {
  for (size_t i = 0; i < w->wanted_count; i++) {
    slope_input *input = &w->wanted[i];
    slope_move move = {0};
    if (input->done || !input->at)
      continue;
    bool constant = input->constant && !input->gradient;
    input->answer = (slope){.name = input->name, .verdict = SLOPE_CONSTANT};
    pir_status status = constant ? PIR_OK : start_move(w, input, &move);
    if (!status && !constant)
      status = measure_input(w, input, &move, &input->answer);
    end_move(&move);
    PIR_TRY(status);
    input->done = input->answer.verdict != SLOPE_ROUGH;
    if (input->done)
      w->request->found(w->request->user, &input->answer);
  }
  return PIR_OK;
}

// ---- the whole

static pir_status check_slopes(slope_work *w) {
  bool open = true;
  PIR_TRY(collect_values(w));
  for (int order = 1; order < w->request->order; order++) {
    PIR_TRY(append_gradients(w));
    w->first_seed += w->loss_count;
    PIR_TRY(collect_values(w));
  }
  append_losses(w);
  PIR_TRY(open_slope_run(w, &w->forward));
  PIR_TRY(append_gradients(w));
  PIR_TRY(open_slope_run(w, &w->backward));
  PIR_TRY(take_ports(w));
  for (int point = 0; point < w->request->points && open; point++) {
    pir_status status = go_to_point(w, point);
    if (!status)
      status = check_at_point(w);
    if (status && (!w->refusal[0] || point == w->request->points - 1))
      return w->refusal[0] ? slopes_fail(w, status, w->refusal) : status;
    open = false;
    for (size_t i = 0; i < w->wanted_count; i++)
      open |= w->wanted[i].at && !w->wanted[i].done;
  }
  for (size_t i = 0; i < w->wanted_count; i++)
    if (w->wanted[i].at && !w->wanted[i].done)
      w->request->found(w->request->user, &w->wanted[i].answer);
  return PIR_OK;
}

static void close_slope_run(slope_run *run) {
  if (run->session)
    pir_session_destroy(run->session);
  if (run->model)
    pir_model_release(run->model);
}

pir_status slopes_check(pir_program *program, const slopes_request *request) {
  slope_work w = {.request = request, .program = program, .ctx = pir_program_context(program)};
  pir_status status = check_slopes(&w);
  for (size_t i = 0; w.inputs && i < w.forward.input_count; i++)
    free(w.inputs[i].data);
  close_slope_run(&w.forward);
  close_slope_run(&w.backward);
  free(w.inputs);
  free_values(&w);
  return status;
}
