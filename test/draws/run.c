// Numbers for a draw, and one run of its program by a pipeline.
#include "../../tools/ports.h"
#include "draws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

// ---- numbers

typedef enum manner { AROUND, POSITIVE, UNIT, WIDE, TIES, SMALL, EXTREME } manner;

static double uniform(uint64_t *state) {
  return (double)(draw_random(state) >> 11) * 0x1p-53;
}

static double number(const draw_tensor *t, uint64_t *state) {
  static const double extremes[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0, 1, -1, 0.5, 3, 1e4};
  double d = uniform(state);
  switch ((manner)t->manner) {
    case AROUND: return 4 * d - 2;
    case POSITIVE: return 0.25 + 1.5 * d;
    case UNIT: return d;
    case WIDE: return 16 * d - 8;
    case TIES: return floor(7 * d) - 3;
    case SMALL: return (2 * d - 1) * pow(2, -12 * uniform(state));
    default: return uniform(state) < 0.7 ? 4 * d - 2 : extremes[draw_random(state) % 10];
  }
}

// Copies one element from a type to another.
static void convert_element(pir_dtype to, void *out, pir_dtype from, const void *in) {
  pir_tensor source = {.data = (void *)(uintptr_t)in}, target = {.data = out};
  pir_tensor_set_dense(&source, from, NULL, 0);
  pir_tensor_set_dense(&target, to, NULL, 0);
  pir_ignore(pir_tensor_copy(&source, &target));
}

static double rounded_to(pir_dtype dtype, double d) {
  uint8_t byte;
  switch (dtype) {
    case PIR_F8E4M3:
    case PIR_F8E5M2:
      convert_element(dtype, &byte, PIR_F64, &d);
      convert_element(PIR_F64, &d, dtype, &byte);
      return d;
    case PIR_F16: return pir_f16_to_f32(pir_f32_to_f16((float)d));
    case PIR_BF16: return pir_bf16_to_f32(pir_f32_to_bf16((float)d));
    case PIR_F32:
    case PIR_C64: return (float)d;
    default: return d;
  }
}

static void store(pir_dtype dtype, double d, void *at) {
  float f = (float)d;
  uint16_t half;
  switch (dtype) {
    case PIR_F8E4M3:
    case PIR_F8E5M2: convert_element(dtype, at, PIR_F64, &d); break;
    case PIR_F32:
    case PIR_C64: memcpy(at, &f, 4); break;
    case PIR_F16:
      half = pir_f32_to_f16(f);
      memcpy(at, &half, 2);
      break;
    case PIR_BF16:
      half = pir_f32_to_bf16(f);
      memcpy(at, &half, 2);
      break;
    default: memcpy(at, &d, 8); break;
  }
}

// A number of pir-run's =random:SEED: uniform in [-1, 1), exact in f32 where it is one.
static double command_number(const draw_tensor *t, uint64_t *state) {
  uint64_t bits = draw_random(state);
  if (t->dtype == PIR_F64 || t->dtype == PIR_C128)
    return (double)(bits >> 11) * 0x1p-52 - 1;
  return (double)(bits >> 40) * 0x1p-23 - 1;
}

// Both ends of an integer type, as far as 64 bits with a sign tell them.
static void ends_of(pir_dtype dtype, int64_t *out_least, int64_t *out_most) {
  unsigned bits = 8 * (unsigned)pir_dtype_size(dtype);
  bool has_sign = dtype == PIR_I8 || dtype == PIR_I16 || dtype == PIR_I32 || dtype == PIR_I64;
  *out_most = (int64_t)(UINT64_MAX >> (64 - bits + (has_sign || bits == 64)));
  *out_least = has_sign ? -*out_most - 1 : 0;
}

static int64_t integer(const draw_tensor *t, pir_dtype dtype, uint64_t *state) {
  enum { NEAR = 4 };
  int64_t least, most;
  uint64_t span = (uint64_t)(t->to - t->from) + 1, r = draw_random(state);
  if (dtype == PIR_BOOL)
    return (t->from + (int64_t)(r % span)) & 1;
  if (!t->ends || r % 3 == 0)
    return t->from + (int64_t)(r / 3 % span);
  ends_of(dtype, &least, &most);
  int64_t off = (int64_t)(r / 3 % NEAR);
  return r % 3 == 1 ? least + off : most - off;
}

void draw_fill(const draw_tensor *t, pir_dtype dtype, double u, uint64_t noise, void *out) {
  size_t size = pir_dtype_size(dtype);
  uint64_t state = t->seed, moved = noise * 0x9FB21C651E98DF25u + t->seed;
  int64_t numel = 1;
  for (int32_t i = 0; i < t->rank; i++)
    numel *= t->shape[i];
  if (t->data) {
    memcpy(out, t->data, (size_t)numel * size);
    return;
  }
  bool complex = pir_dtype_is_complex(dtype);
  if (complex) {
    size /= 2;
    numel *= 2;
  }
  for (int64_t i = 0; i < numel; i++) {
    char *at = (char *)out + (size_t)i * size;
    if (complex || pir_dtype_is_float(dtype)) {
      double d = t->command ? command_number(t, &state) : number(t, &state);
      d = rounded_to(t->dtype, d);
      if (noise)
        d += d * u * (draw_random(&moved) & 1 ? 1 : -1) * (0.5 + 0.5 * uniform(&moved));
      store(dtype, d, at);
    } else {
      int64_t v = t->command ? (int64_t)(draw_random(&state) >> 63) : integer(t, dtype, &state);
      memcpy(at, &v, size);
    }
  }
}

// ---- a run

static void listen(void *user, const pir_diag *diag) {
  draw_run *run = user;
  if (diag->severity == PIR_ERROR && !run->text[0])
    snprintf(run->text, sizeof run->text, "%.*s", (int)diag->message.size, diag->message.data);
}

pir_status draw_start_program(pir_context *ctx, pir_program *program, const draw_setup *setup,
                              draw_run *out_run) {
  pir_model_options options = {.size = sizeof options,
                               .pipeline = setup->pipeline,
                               .target = setup->target,
                               .math = setup->math,
                               .compiler = setup->served ? NULL : "process",
                               .compile_threads = 1,
                               .sink = {listen, out_run}};
  pir_session_options session = {.size = sizeof session,
                                 .threads = setup->threads ? setup->threads : 1,
                                 .max_bytes = (size_t)1 << 26};
  pir_context_set_sink(ctx, options.sink);
  out_run->status = pir_model_create(program, &options, &out_run->model);
  pir_context_set_sink(ctx, (pir_diag_sink){0});
  pir_program_destroy(program);
  if (!out_run->status)
    out_run->status = pir_session_create(out_run->model, &session, &out_run->session);
  return out_run->status;
}

pir_status draw_start(const draw *d, draw_width width, const char *pipeline, const char *target,
                      draw_run *out_run) {
  *out_run = (draw_run){.status = PIR_INVALID};
  pir_program *program = draw_program(d, width, out_run->text);
  if (!program)
    return PIR_INVALID;
  draw_setup setup = {.pipeline = pipeline, .target = target};
  return draw_start_program(d->ctx, program, &setup, out_run);
}

const draw_tensor *draw_find_tensor(const void *user, pir_str name) {
  char text[96];
  for (const draw *d = user; d; d = d->before)
    for (size_t k = d->before ? 1 : 0; k < d->def->operand_count; k++) {
      const draw_operand *o = &d->operands[k];
      for (size_t i = 0; i < o->count && (o->form == DRAW_TENSOR || o->form == DRAW_LIST); i++)
        if (pir_str_equal(name, (pir_str){text, draw_name(d, k, i, text, sizeof text)}))
          return &o->members[i];
    }
  return NULL;
}

static pir_status bind(draw_run *run, draw_find *find, const void *user, double u,
                       uint64_t noise) {
  run->input_count = pir_model_inputs(run->model);
  if (run->input_count > DRAW_PORTS)
    return PIR_INTERNAL;
  for (size_t i = 0; i < run->input_count; i++) {
    pir_port port = input_port(run->model, i);
    const draw_tensor *t = find(user, port.name);
    if (!t)
      return PIR_INTERNAL;
    PIR_TRY(take_tensor(&run->inputs[i], port.dtype, t->shape, t->rank));
    draw_fill(t, port.dtype, u, noise, run->inputs[i].data);
    PIR_TRY(pir_session_bind_input(run->session, i, &run->inputs[i]));
  }
  return PIR_OK;
}

static pir_status collect(draw_run *run) {
  run->output_count = pir_model_outputs(run->model);
  if (run->output_count > DRAW_PORTS)
    return PIR_INTERNAL;
  for (size_t i = 0; i < run->output_count; i++) {
    pir_tensor from;
    PIR_TRY(pir_session_output(run->session, i, &from));
    PIR_TRY(take_tensor(&run->outputs[i], from.dtype, from.shape, from.rank));
    PIR_TRY(pir_tensor_copy(&from, &run->outputs[i]));
  }
  return PIR_OK;
}

pir_status draw_feed_with(draw_run *run, draw_find *find, const void *user, double u,
                          uint64_t noise) {
  run->text[0] = 0;
  run->status = bind(run, find, user, u, noise);
  if (!run->status)
    run->status = pir_session_run(run->session);
  if (run->status)
    snprintf(run->text, sizeof run->text, "%s", pir_session_message(run->session));
  else
    run->status = collect(run);
  return run->status;
}

pir_status draw_feed(const draw *d, draw_run *run, double u, uint64_t noise) {
  return draw_feed_with(run, draw_find_tensor, d, u, noise);
}

void draw_limit_time(int seconds) {
  enum { WAITING = 30 };  // times the limit, for one that waits for ever
  struct itimerval limit = {.it_value = {.tv_sec = seconds}};
  setitimer(ITIMER_PROF, &limit, NULL);
  alarm((unsigned)(WAITING * seconds));
}

void draw_stop(draw_run *run) {
  for (size_t i = 0; i < run->input_count && i < DRAW_PORTS; i++)
    free(run->inputs[i].data);
  for (size_t i = 0; i < run->output_count && i < DRAW_PORTS; i++)
    free(run->outputs[i].data);
  if (run->session)
    pir_session_destroy(run->session);
  if (run->model)
    pir_model_release(run->model);
  *run = (draw_run){0};
}
