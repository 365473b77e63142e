// Runs programs on random inputs: floats in [-1, 1) or, for every second name, in [0.25, 1.75);
// integers in [0, 3).
#include "ports.h"
#include "numbers.h"

#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pir/engine/model.h>
#include <pir/compiler/walk.h>

uint64_t numbers_seed(pir_str name, uint64_t seed) {
  for (size_t i = 0; i < name.size; i++)
    seed = (seed ^ (unsigned char)name.data[i]) * 0x100000001B3u;
  return seed;
}

// Rounded to 1/64, so that sums are equal in any order.
static void fill(pir_tensor *tensor, uint64_t seed) {
  int64_t count = pir_tensor_numel(tensor);
  char *to = tensor->data;
  size_t size = pir_dtype_size(tensor->dtype);
  bool positive = cli_random(&seed) & 1;
  for (int64_t i = 0; i < count; i++, to += size) {
    uint64_t bits = cli_random(&seed);
    double d = (double)(bits >> 57) / 64 - 1;
    if (positive)
      d = d * 0.75 + 1;
    float f = (float)d;
    uint16_t half = tensor->dtype == PIR_BF16 ? pir_f32_to_bf16(f) : pir_f32_to_f16(f);
    uint64_t integer = (bits >> 33) % (tensor->dtype == PIR_BOOL ? 2 : 3);
    switch (tensor->dtype) {
      case PIR_F32: memcpy(to, &f, size); break;
      case PIR_F64: memcpy(to, &d, size); break;
      case PIR_F16:
      case PIR_BF16: memcpy(to, &half, size); break;
      case PIR_PSTRING: memset(to, 0, size); break;
      default: memset(to, 0, size); memcpy(to, &integer, size < 8 ? size : 8);
    }
  }
}

// ---- parameters

typedef struct filling {
  pir_program *program;
  uint64_t seed;
  bool all;
  pir_status status;
} filling;

static pir_walk_result fill_param(pir_op *op, void *user) {
  filling *f = user;
  if (!pir_op_has(op, PIR_PARAMETER) || pir_op_results(op) != 1)
    return PIR_WALK_CONTINUE;
  pir_str name = pir_op_text(op, 0);
  const pir_type *type = pir_value_type(pir_op_result(op, 0));
  const pir_param *old = pir_program_param(f->program, name);
  pir_shape shape = old ? old->shape : pir_type_shape(type);
  pir_dtype dtype = old ? old->dtype : pir_type_dtype(type);
  pir_tensor tensor = {0};
  size_t bytes;
  if ((old && !f->all) || shape.rank > PIR_MAX_RANK)
    return PIR_WALK_CONTINUE;
  for (size_t i = 0; i < shape.rank; i++)
    if (shape.dims[i] < 0)
      return PIR_WALK_CONTINUE;
  f->status = take_tensor(&tensor, dtype, shape.dims, (int32_t)shape.rank);
  if (!f->status)
    f->status = pir_shape_bytes(shape.dims, (int32_t)shape.rank, dtype, &bytes);
  if (f->status)
    return PIR_WALK_STOP;
  fill(&tensor, numbers_seed(name, f->seed));
  pir_param param = {name, dtype, shape, tensor.data, bytes, free, tensor.data};
  pir_program_adopt_param(f->program, &param);
  return PIR_WALK_CONTINUE;
}

pir_status numbers_fill_params(pir_program *program, uint64_t seed, bool all) {
  filling f = {program, seed, all, PIR_OK};
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, fill_param, &f);
  return f.status;
}

// ---- running

typedef struct running {
  uint64_t seed;
  numbers_feed *feed;  // NULL: inputs are drawn by `seed`
  void *user;
  int64_t unknown;  // extents that the program does not state
  pir_model *model;
  pir_session *session;
  pir_tensor *inputs;
  size_t input_count;
  numbers *out;
} running;

static void keep_message(void *user, const pir_diag *diag) {
  numbers *n = user;
  if (diag->severity != PIR_ERROR || n->message[0])
    return;
  snprintf(n->message, sizeof n->message, "%.*s", (int)diag->message.size, diag->message.data);
}

static pir_status bind(running *r) {
  r->input_count = pir_model_inputs(r->model);
  r->inputs = calloc(r->input_count + 1, sizeof *r->inputs);
  if (!r->inputs)
    return PIR_EXHAUSTED;
  for (size_t i = 0; i < r->input_count; i++) {
    pir_port port = input_port(r->model, i);
    for (int32_t k = 0; k < port.rank; k++)
      if (port.shape[k] < 0)
        port.shape[k] = r->unknown;
    PIR_TRY(take_tensor(&r->inputs[i], port.dtype, port.shape, port.rank));
    if (r->feed)
      r->feed(r->user, 0, port.name, &r->inputs[i]);
    else
      fill(&r->inputs[i], numbers_seed(port.name, r->seed));
    PIR_TRY(pir_session_bind_input(r->session, i, &r->inputs[i]));
  }
  return PIR_OK;
}

static pir_status take_outputs(running *r) {
  size_t n = pir_model_outputs(r->model);
  r->out->tensors = calloc(n + 1, sizeof *r->out->tensors);
  r->out->names = calloc(n + 1, sizeof *r->out->names);
  if (!r->out->tensors || !r->out->names)
    return PIR_EXHAUSTED;
  for (size_t i = 0; i < n; i++) {
    pir_tensor from;
    pir_port port = output_port(r->model, i);
    PIR_TRY(pir_session_output(r->session, i, &from));
    PIR_TRY(take_tensor(&r->out->tensors[i], from.dtype, from.shape, from.rank));
    r->out->count++;
    snprintf(r->out->names[i], NUMBERS_NAME, "%.*s", (int)port.name.size, port.name.data);
    PIR_TRY(pir_tensor_copy(&from, &r->out->tensors[i]));
  }
  return PIR_OK;
}

static pir_status create_and_run(running *r, const pir_program *program) {
  pir_model_options options = {
      .size = sizeof options, .pipeline = "kernels", .any_float = true};
  pir_session_options session = {
      .size = sizeof session, .threads = 1, .max_bytes = (size_t)1 << 31};
  PIR_TRY(pir_model_create(program, &options, &r->model));
  PIR_TRY(pir_session_create(r->model, &session, &r->session));
  PIR_TRY(bind(r));
  PIR_TRY(pir_session_run(r->session));
  return take_outputs(r);
}

static pir_status run_numbers(const running *made, const pir_program *program,
                              pir_diag_sink sink) {
  running r = *made;
  numbers *out = r.out;
  *out = (numbers){0};
  pir_context_set_sink(pir_program_context(program), (pir_diag_sink){keep_message, out});
  pir_status status = create_and_run(&r, program);
  pir_context_set_sink(pir_program_context(program), sink);
  if (status && r.session && !out->message[0])
    snprintf(out->message, sizeof out->message, "%s", pir_session_message(r.session));
  for (size_t i = 0; i < r.input_count && r.inputs; i++)
    free(r.inputs[i].data);
  free(r.inputs);
  if (r.session)
    pir_session_destroy(r.session);
  if (r.model)
    pir_model_release(r.model);
  return status;
}

pir_status numbers_run(const pir_program *program, uint64_t seed, pir_diag_sink sink,
                       numbers *out) {
  running r = {.seed = seed, .unknown = 2, .out = out};
  return run_numbers(&r, program, sink);
}

pir_status numbers_run_fed(const pir_program *program, numbers_feed *feed, void *user,
                           int64_t unknown, pir_diag_sink sink, numbers *out) {
  running r = {.feed = feed, .user = user, .unknown = unknown, .out = out};
  return run_numbers(&r, program, sink);
}

void numbers_free(numbers *n) {
  for (size_t i = 0; i < n->count; i++)
    free(n->tensors[i].data);
  free(n->tensors);
  free(n->names);
  *n = (numbers){0};
}

const pir_tensor *numbers_find(const numbers *n, const char *name) {
  for (size_t i = 0; i < n->count; i++)
    if (strcmp(n->names[i], name) == 0)
      return &n->tensors[i];
  return NULL;
}

// ---- comparison

bool numbers_all_nan(const pir_tensor *tensor) {
  int64_t count = pir_tensor_numel(tensor);
  if (!pir_dtype_is_float(tensor->dtype))
    return false;
  for (int64_t i = 0; i < count; i++)
    if (!isnan(pir_tensor_float_at(tensor, i)))
      return false;
  return count > 0;
}

static void describe_shape(const pir_tensor *t, char *out, size_t size) {
  size_t n = (size_t)snprintf(out, size, "%s[", pir_dtype_name(t->dtype));
  for (int32_t i = 0; i < t->rank && n < size; i++)
    n += (size_t)snprintf(out + n, size - n, i ? ",%lld" : "%lld", (long long)t->shape[i]);
  if (n < size)
    snprintf(out + n, size - n, "]");
}

// The error that another order of arithmetic may cause: terms as large as the largest result
// may have cancelled in any other element.
static double allowed(pir_dtype dtype, double want, double most) {
  double wide = 1;
  if (dtype == PIR_F16)
    wide = 32;
  if (dtype == PIR_BF16)
    wide = 256;
  return wide * (1e-5 * (1 + most) + 1e-4 * fabs(want));
}

static double magnitude(const pir_tensor *t) {
  double most = 0;
  for (int64_t i = 0; i < pir_tensor_numel(t) && pir_dtype_is_float(t->dtype); i++) {
    double value = fabs(pir_tensor_float_at(t, i));
    if (isfinite(value) && value > most)
      most = value;
  }
  return most;
}

// 0 when the elements agree, else how far they are apart.
static double distance(const pir_tensor *a, const pir_tensor *b, int64_t i, double most,
                       uint32_t within, double *inout_largest) {
  if (!pir_dtype_is_float(b->dtype)) {
    int64_t x = pir_tensor_int_at(a, i), y = pir_tensor_int_at(b, i);
    return x == y ? 0 : fabs((double)x - (double)y);
  }
  double got = pir_tensor_float_at(a, i), want = pir_tensor_float_at(b, i),
         off = fabs(got - want);
  if (got == want || (isnan(got) && isnan(want)))
    return 0;
  if (!(off <= *inout_largest))
    *inout_largest = off;
  return off <= allowed(b->dtype, want, most) + within * 0.01 * most ? 0 : off;
}

bool numbers_agree(const pir_tensor *a, const pir_tensor *b, uint32_t within,
                   double *inout_largest, char *out_text, size_t size) {
  char x[128], y[128];
  bool same = a->rank == b->rank && a->dtype == b->dtype;
  for (int32_t i = 0; same && i < a->rank; i++)
    same = a->shape[i] == b->shape[i];
  describe_shape(a, x, sizeof x);
  describe_shape(b, y, sizeof y);
  if (!same) {
    snprintf(out_text, size, "%s became %s", y, x);
    return false;
  }
  double most = magnitude(b);
  for (int64_t i = 0; i < pir_tensor_numel(b); i++) {
    if (distance(a, b, i, most, within, inout_largest) == 0)
      continue;
    snprintf(out_text, size, "%s: element %lld was %.9g, is %.9g", y, (long long)i,
             pir_tensor_float_at(b, i), pir_tensor_float_at(a, i));
    return false;
  }
  return true;
}
