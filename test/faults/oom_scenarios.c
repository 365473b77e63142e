// What oom.c runs: each scenario uses a part of the library from its start to its end, and
// gives a digest of the results.
#include "oom.h"

#include "../../tools/ports.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pir/compiler/compare.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/dot.h>
#include <pir/compiler/legacy.h>
#include <pir/compiler/load.h>
#include <pir/engine/async.h>
#include <pir/engine/compiled.h>
#include <pir/engine/dlpack.h>
#include <pir/engine/metadata.h>
#include <pir/engine/weights.h>
#include <pir/compiler/params.h>
#include <pir/compiler/pass.h>
#include <pir/compiler/formats.h>
#include <pir/compiler/serialize.h>
#include <pir/compiler/text.h>
#include <pir/compiler/verify.h>

const char *folder;
char cache[64] = "/tmp/pir-oom-XXXXXX";

// ---- messages

char last_error[sizeof(pir_message)];

static void keep_error(void *user, const pir_diag *diag) {
  if (diag->severity != PIR_ERROR)
    return;
  int size = diag->message.size < sizeof last_error ? (int)diag->message.size
                                                    : (int)sizeof last_error - 1;
  memcpy(last_error, diag->message.data, (size_t)size);
  last_error[size] = 0;
}

static const pir_diag_sink sink = {keep_error, NULL};

// Notes what a function that returns NULL could tell nobody; also a session's message.
static void note_error(const char *text) {
  snprintf(last_error, sizeof last_error, "%s", text);
}

// NULL: no memory.
static pir_context *create_context(void) {
  pir_context *ctx = pir_context_create(NULL);
  if (ctx)
    pir_context_set_sink(ctx, sink);
  else
    note_error("no context");
  return ctx;
}

// ---- digests

static uint64_t mix(uint64_t digest, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++)
    digest = (digest ^ bytes[i]) * 0x100000001B3u;
  return digest;
}

static bool take_digest(void *user, const char *data, size_t size) {
  uint64_t *digest = user;
  *digest = mix(*digest, data, size);
  return true;
}

// Text on its way from a writer to a reader: no memory is taken for it.
typedef struct page {
  char text[1 << 20];
  size_t size;
} page;

static bool take_page(void *user, const char *data, size_t size) {
  page *p = user;
  if (size > sizeof p->text - p->size)
    return false;
  memcpy(p->text + p->size, data, size);
  p->size += size;
  return true;
}

static pir_str read_whole(const char *path, page *out) {
  int fd = open(path, O_RDONLY);
  ssize_t size = fd < 0 ? -1 : read(fd, out->text, sizeof out->text);
  if (fd >= 0)
    close(fd);
  return (pir_str){out->text, size < 0 ? 0 : (size_t)size};
}

static void model_path(const scenario *s, const char *file, char out[512]) {
  snprintf(out, 512, "%s/%s/%s", folder, s->model, file);
}

// ---- texts

typedef pir_status (*step)(pir_program *program, uint64_t *digest);

static pir_status print_all(pir_program *program, uint64_t *digest) {
  pir_writer out = {take_digest, digest};
  PIR_TRY(pir_verify(pir_program_module(program), NULL));
  PIR_TRY(pir_program_print(program, NULL, out));
  PIR_TRY(pir_program_print(
      program, &(pir_print_options){.size = sizeof(pir_print_options), .form = PIR_TEXT_TYPED},
      out));
  return pir_program_print_dot(program, NULL, out);
}

// Writes in one form and reads back; the two must be the same program.
static pir_status round_trip(pir_program *program, pir_format format, uint64_t *digest) {
  static page text;
  pir_context *ctx = pir_program_context(program);
  pir_program *back = NULL;
  bool same = false;
  pir_writer out = {take_page, &text};
  text.size = 0;
  PIR_TRY(format == PIR_FORMAT_JSON ? pir_program_write_json(program, NULL, out)
                                    : pir_program_write_pdmodel(program, out));
  PIR_TRY(pir_program_read(ctx, (pir_str){text.text, text.size}, PIR_STR("written"), &back));
  pir_status status = pir_program_compare(program, back, NULL, (pir_writer){0}, &same);
  *digest = mix(mix(*digest, text.text, text.size), &same, sizeof same);
  pir_program_destroy(back);
  return status;
}

static pir_status run_passes(pir_program *program, const char *pipeline, uint64_t *digest) {
  pir_pass_options options = {
      .size = sizeof options, .verify_each = true, .stats = true, .log = {take_digest, digest}};
  options.timing = false;
  pir_pass_manager *manager = pir_pass_manager_create(pir_program_context(program), &options);
  if (!manager) {
    note_error("no pass manager");
    return PIR_EXHAUSTED;
  }
  pir_status status = pir_pass_manager_parse(manager, pir_str_from(pipeline));
  if (!status)
    status = pir_pass_manager_run(manager, program);
  pir_pass_manager_destroy(manager);
  return status;
}

static pir_status run_text(const scenario *s, uint64_t *digest) {
  static page text;
  char path[512];
  pir_program *program = NULL;
  model_path(s, "model.pir", path);
  pir_context *ctx = create_context();
  if (!ctx)
    return PIR_EXHAUSTED;
  pir_status status = pir_dialects_load_all(ctx);
  if (!status)
    status = pir_program_parse(ctx, read_whole(path, &text), NULL, &program);
  if (!status)
    status = print_all(program, digest);
  if (!status)
    status = round_trip(program, PIR_FORMAT_JSON, digest);
  if (!status)
    status = round_trip(program, PIR_FORMAT_PDMODEL, digest);
  if (!status && s->pipeline)
    status = run_passes(program, s->pipeline, digest);
  if (!status)
    status = print_all(program, digest);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return status;
}

// ---- files

static pir_status write_params(pir_program *program, uint64_t *digest) {
  const pir_param **params = NULL;
  size_t count = 0;
  pir_status status = pir_program_saved_params(program, PIR_FORMAT_JSON, &params, &count);
  for (size_t i = 0; i < count && !status; i++)
    status = pir_param_write(params[i], (pir_writer){take_digest, digest});
  free(params);
  return status;
}

static pir_status load_program(const scenario *s, const char *file, pir_context **out_ctx,
                               pir_program **out_program) {
  char path[512];
  model_path(s, file, path);
  *out_program = NULL;
  *out_ctx = create_context();
  if (!*out_ctx)
    return PIR_EXHAUSTED;
  pir_status status = pir_dialects_load_all(*out_ctx);
  return status ? status : pir_program_load_file(*out_ctx, path, NULL, out_program);
}

static pir_status load_file(const scenario *s, const char *file, uint64_t *digest) {
  pir_context *ctx;
  pir_program *program;
  pir_status status = load_program(s, file, &ctx, &program);
  if (!status)
    status = write_params(program, digest);
  if (!status && s->pipeline)
    status = run_passes(program, s->pipeline, digest);
  if (!status)
    status = print_all(program, digest);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return status;
}

// Calibrates the program on the recorded case, and writes its new parameters.
static pir_status run_quantise(const scenario *s, uint64_t *digest) {
  char path[512], pipeline[640];
  pir_context *ctx;
  pir_program *program;
  model_path(s, "case0", path);
  snprintf(pipeline, sizeof pipeline, "quantise{data=%s}", path);
  pir_status status = load_program(s, "model.json", &ctx, &program);
  if (!status)
    status = run_passes(program, pipeline, digest);
  if (!status)
    status = write_params(program, digest);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return status;
}

static pir_status run_json_file(const scenario *s, uint64_t *digest) {
  return load_file(s, "model.json", digest);
}
static pir_status run_pdmodel_file(const scenario *s, uint64_t *digest) {
  return load_file(s, "model.pdmodel", digest);
}

// ---- models

static pir_status bind_inputs(pir_session *session, const pir_model *model) {
  static char zeros[1 << 22];
  for (size_t i = 0; i < pir_model_inputs(model); i++) {
    pir_port port = input_port(model, i);
    pir_tensor tensor = {.data = zeros};
    for (int d = 0; d < port.rank; d++)
      if (port.shape[d] < 0)
        port.shape[d] = 2;
    pir_tensor_set_dense(&tensor, port.dtype, port.shape, port.rank);
    PIR_TRY(pir_session_bind_input(session, i, &tensor));
  }
  return PIR_OK;
}

static pir_status try_session(pir_session *session, const pir_model *model, uint64_t *digest) {
  PIR_TRY(bind_inputs(session, model));
  for (int turn = 0; turn < 2; turn++)
    PIR_TRY(pir_session_run(session));
  for (size_t i = 0; i < pir_model_outputs(model); i++) {
    pir_tensor out;
    size_t bytes = 0;
    PIR_TRY(pir_session_output(session, i, &out));
    PIR_TRY(pir_shape_bytes(out.shape, out.rank, out.dtype, &bytes));
    *digest = mix(*digest, out.data, pir_tensor_is_dense(&out) ? bytes : 0);
  }
  return PIR_OK;
}

static pir_status run_session(pir_session *session, const pir_model *model, uint64_t *digest) {
  pir_status status = try_session(session, model, digest);
  if (status)
    note_error(pir_session_message(session));
  return status;
}

void empty_cache(void) {
  DIR *dir = opendir(cache);
  for (struct dirent *e; dir && (e = readdir(dir));)
    (void)unlinkat(dirfd(dir), e->d_name, 0);
  if (dir)
    closedir(dir);
}

static pir_status run_model(const scenario *s, uint64_t *digest) {
  char path[512];
  pir_model *model = NULL;
  pir_session *session = NULL;
  int threads = s->threads ? s->threads : 1;
  pir_model_options how = {.size = sizeof how,
                           .pipeline = s->pipeline,
                           .compile_threads = threads,
                           .cache = s->cached ? cache : NULL,
                           .machine =
                               "table",  // one that is measured again may give other bits
                           .sink = sink};
  pir_session_options session_how = {
      .size = sizeof session_how, .threads = threads, .sink = sink};
  model_path(s, "model.json", path);
  pir_status status = pir_model_load_file(path, NULL, &how, &model);
  if (!status)
    status = pir_session_create(model, &session_how, &session);
  if (!status)
    status = run_session(session, model, digest);
  pir_session_destroy(session);
  pir_model_release(model);
  return status;
}

// ---- compiled models

static pir_status compile_into(const scenario *s, pir_writer weights, pir_writer out) {
  pir_context *ctx;
  pir_program *program;
  pir_model_options how = {.size = sizeof how,
                           .pipeline = s->pipeline,
                           .compile_threads = 1,
                           .replaceable = s->replaceable};
  pir_status status = load_program(s, "model.json", &ctx, &program);
  if (!status)
    status = s->apart
                 ? pir_model_compile_apart(program, &how, NULL, 0, "oom.weights", weights, out)
                 : pir_model_compile(program, &how, NULL, 0, out);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return status;
}

static pir_status run_compile(const scenario *s, uint64_t *digest) {
  return compile_into(s, (pir_writer){take_digest, digest}, (pir_writer){take_digest, digest});
}

static bool write_file(void *user, const char *data, size_t size) {
  return write(*(int *)user, data, size) == (ssize_t)size;
}

static int create_file(const char *name, char path[512]) {
  snprintf(path, 512, "%s/%s", cache, name);
  return open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
}

// The compiled model of a scenario: in memory, or in a file with another one of weights. It is
// made once, in the run that comes before the failures.
static _Alignas(4096) page compiled;
static char compiled_path[512];

static pir_status prepare_compiled(const scenario *s) {
  static const scenario *prepared;
  char weights_path[512];
  if (prepared == s)
    return PIR_OK;
  compiled.size = 0;
  int weights = create_file("oom.weights", weights_path),
      model = create_file("oom.pirm", compiled_path);
  pir_writer out =
      s->apart ? (pir_writer){write_file, &model} : (pir_writer){take_page, &compiled};
  pir_status status = compile_into(s, (pir_writer){write_file, &weights}, out);
  close(weights);
  close(model);
  prepared = status ? NULL : s;
  return status;
}

static pir_status open_compiled(const scenario *s, pir_model **out_model) {
  pir_open_options how = {.size = sizeof how, .sink = sink};
  pir_borrowed bytes = {compiled.text, compiled.size, NULL, NULL};
  return s->apart ? pir_model_open_file(compiled_path, &how, out_model)
                  : pir_model_open(bytes, &how, out_model);
}

static uint64_t mix_port(uint64_t digest, const pir_port *port) {
  digest = mix(digest, port->name.data, port->name.size);
  for (int i = 0; i < port->rank; i++)
    digest = mix(digest, port->dims[i].data, port->dims[i].size);
  return mix(digest, port->shape, (size_t)port->rank * sizeof *port->shape);
}

// Asks everything that a model answers.
static pir_status ask_model(const pir_model *model, uint64_t *digest) {
  pir_model_info info = {.size = sizeof info};
  pir_op_count count = {.size = sizeof count};
  pir_port port = {.size = sizeof port};
  PIR_TRY(pir_model_info_of(model, &info));
  *digest = mix(*digest, info.library_version.data, info.library_version.size);
  for (size_t i = 0; i < info.op_names; i++) {
    PIR_TRY(pir_model_op_count(model, i, &count));
    *digest = mix(*digest, count.name.data, count.name.size);
  }
  for (size_t i = 0; i < pir_model_outputs(model); i++) {
    PIR_TRY(pir_model_output(model, i, &port));
    *digest = mix_port(*digest, &port);
  }
  for (size_t i = 0; i < pir_model_weights(model); i++) {
    PIR_TRY(pir_model_weight(model, i, &port));
    *digest = mix_port(*digest, &port);
  }
  return PIR_OK;
}

// ---- runs of models that are there

typedef pir_status (*session_use)(pir_session *session, const pir_model *model,
                                  uint64_t *digest);

static pir_status use_session(pir_model *model, session_use use, uint64_t *digest) {
  pir_session *session = NULL;
  pir_session_options how = {.size = sizeof how, .sink = sink};
  pir_status status = pir_session_create(model, &how, &session);
  if (!status)
    status = use(session, model, digest);
  pir_session_destroy(session);
  return status;
}

static pir_status run_with_zeros(pir_model *model, uint64_t *digest) {
  static char zeros[1 << 20];
  pir_port port = {.size = sizeof port};
  pir_message message = {{0}};
  pir_weight weight = {.tensor = {.data = zeros}};
  pir_model *made;
  PIR_TRY(pir_model_weight(model, 0, &port));
  weight.name = port.name;
  pir_tensor_set_dense(&weight.tensor, port.dtype, port.shape, port.rank);
  pir_status status = pir_model_replace_weights(model, &weight, 1, &message, &made);
  if (status)
    note_error(message.text);
  else
    status = use_session(made, run_session, digest);
  pir_model_release(made);
  return status;
}

static pir_status run_opened(const scenario *s, uint64_t *digest) {
  pir_model *model = NULL;
  pir_status status = prepare_compiled(s);
  if (!status)
    status = open_compiled(s, &model);
  if (!status)
    status = ask_model(model, digest);
  if (!status)
    status = use_session(model, run_session, digest);
  if (!status && s->replaceable)
    status = run_with_zeros(model, digest);
  pir_model_release(model);
  return status;
}

static pir_status mix_output(pir_session *session, uint64_t *digest) {
  pir_tensor out;
  PIR_TRY(pir_session_output(session, 0, &out));
  *digest = mix(*digest, out.data, 4 * (size_t)pir_tensor_numel(&out));
  return PIR_OK;
}

static pir_status try_async(pir_session *session, const pir_model *model, uint64_t *digest) {
  PIR_TRY(bind_inputs(session, model));
  for (int turn = 0; turn < 2; turn++) {
    PIR_TRY(pir_session_run_async(session, NULL, NULL, NULL));
    PIR_TRY(pir_session_wait(session));
  }
  return mix_output(session, digest);
}

static pir_status async_session(pir_session *session, const pir_model *model,
                                uint64_t *digest) {
  pir_status status = try_async(session, model, digest);
  if (status)
    note_error(pir_session_message(session));
  return status;
}

// The functions that make a managed tensor have no message: memory is all that fails.
static pir_status pass_output(const pir_tensor *out, bool copies, uint64_t *digest) {
  struct DLManagedTensorVersioned *managed;
  pir_tensor seen;
  bool read_only;
  pir_message message;
  pir_status status =
      copies ? pir_dlpack_copy(out, &managed) : pir_dlpack_wrap(out, NULL, NULL, &managed);
  note_error(status == PIR_EXHAUSTED && !managed ? "no managed tensor" : "");
  if (status)
    return status;
  status = pir_dlpack_view(managed, &seen, &read_only, &message);
  if (!status)
    *digest = mix(*digest, seen.data, 4 * (size_t)pir_tensor_numel(&seen));
  pir_dlpack_release(managed);
  return status;
}

static pir_status dlpack_session(pir_session *session, const pir_model *model,
                                 uint64_t *digest) {
  pir_tensor out;
  PIR_TRY(run_session(session, model, digest));
  PIR_TRY(pir_session_output(session, 0, &out));
  PIR_TRY(pass_output(&out, false, digest));
  return pass_output(&out, true, digest);
}

static pir_status run_use(const scenario *s, session_use use, uint64_t *digest) {
  pir_model *model = NULL;
  pir_status status = prepare_compiled(s);
  if (!status)
    status = open_compiled(s, &model);
  if (!status)
    status = use_session(model, use, digest);
  pir_model_release(model);
  return status;
}

static pir_status run_async(const scenario *s, uint64_t *digest) {
  return run_use(s, async_session, digest);
}
static pir_status run_dlpack(const scenario *s, uint64_t *digest) {
  return run_use(s, dlpack_session, digest);
}

static pir_status run_weights(const scenario *s, uint64_t *digest) {
  char path[512];
  pir_model *model = NULL;
  pir_model_options how = {.size = sizeof how,
                           .pipeline = s->pipeline,
                           .compile_threads = 1,
                           .replaceable = true,
                           .sink = sink};
  model_path(s, "model.json", path);
  pir_status status = pir_model_load_file(path, NULL, &how, &model);
  if (!status)
    status = ask_model(model, digest);
  if (!status)
    status = run_with_zeros(model, digest);
  pir_model_release(model);
  return status;
}

// ---- the table

const scenario scenarios[] = {
    {"text", run_text, "digits_cnn", "clean,prepare", .every = 3},
    {"text-loop", run_text, "while_decoder", "clean", .every = 7},
    {"json", run_json_file, "digits_cnn", "clean,prepare", .every = 3},
    {"pdmodel", run_pdmodel_file, "digits_cnn", "clean,paddle-cpu", .every = 1},
    {"quantise-cnn", run_quantise, "digits_cnn", .every = 41},
    {"kernels-cnn", run_model, "digits_cnn", "kernels", .every = 7},
    {"kernels-mlp", run_model, "mlp", "kernels", .every = 3},
    {"kernels-gpt", run_model, "gpt_tiny", "kernels", .every = 37},
    {"kernels-loop", run_model, "while_decoder", "kernels", .every = 17},
    {"cached-cnn", run_model, "digits_cnn", "compile", .cached = true, .every = 5},
    {"storing-cnn", run_model, "digits_cnn", "compile", .cached = true, .emptied = true,
     .every = 41},
    {"compile-cnn", run_model, "digits_cnn", "compile", .every = 41},
    {"compile-mlp", run_model, "mlp", "compile", .every = 17},
    {"compile-gpt", run_model, "gpt_tiny", "compile", .every = 211},
    {"compile-loop", run_model, "while_decoder", "compile", .every = 97},
    {"threads-mlp", run_model, "mlp", "compile", .threads = 2, .every = 31},
    {"store-cnn", run_compile, "digits_cnn", "compile", .every = 97, .apart = true},
    {"store-loop", run_compile, "while_decoder", "kernels", .every = 97, .replaceable = true},
    {"open-cnn", run_opened, "digits_cnn", "compile", .every = 1},
    {"open-apart", run_opened, "digits_cnn", "compile", .every = 1, .apart = true},
    {"open-loop", run_opened, "while_decoder", "kernels", .every = 3},
    {"open-refit", run_opened, "digits_cnn", "compile", .every = 1, .replaceable = true},
    {"weights-cnn", run_weights, "digits_cnn", "kernels", .every = 23},
    {"async-cnn", run_async, "digits_cnn", "compile", .every = 1},
    {"dlpack-cnn", run_dlpack, "digits_cnn", "compile", .every = 1},
};
const size_t scenario_count = sizeof scenarios / sizeof *scenarios;

bool scenario_exists(const scenario *s) {
  char path[512];
  model_path(s, "", path);
  return access(path, R_OK) == 0;
}
