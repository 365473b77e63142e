// Loads a file by its content: maps it, recognises its format, calls the reader of that format,
// verifies the program, and attaches the declared parameters. A .pdmodel also declares
// parameters that no op reads but its file holds; its reader lists them (legacy/read/read.h).
#include <pir/compiler/load.h>

#include <errno.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <pir/compiler/params.h>
#include <pir/compiler/verify.h>
#include <pir/layer/nearest.h>

#include <heap.h>
#include <pir/compiler/block.h>
#include <report_progress.h>

#include "formats_impl.h"
#include "mapping.h"
#include <sized.h>

static pir_status list_declared(const pir_program *program, pir_param_list *out) {
  size_t capacity = pir_program_param_decls(program, NULL, 0);
  out->decls = calloc(capacity ? capacity : 1, sizeof *out->decls);
  if (!out->decls)
    return PIR_EXHAUSTED;
  out->count = pir_program_param_decls(program, out->decls, capacity);
  return PIR_OK;
}

// Reads a program of any format; `out` (may be NULL) gets the parameters of its file.
static pir_status read_any(pir_context *ctx, pir_str bytes, pir_str file,
                           pir_program **out_program, pir_param_list *out) {
  pir_read_options options = {.size = sizeof options, .file = file};
  PIR_TRY(format_read(ctx, bytes, &options, out, out_program));
  size_t ops = pir_block_count(pir_program_block(*out_program));
  pir_progress_report(pir_context_progress(ctx), PIR_STAGE_READ, NULL, ops, ops);
  return out && !out->decls ? list_declared(*out_program, out) : PIR_OK;
}

static pir_str text_of_bytes(pir_borrowed bytes) {
  return (pir_str){bytes.data, bytes.size};
}

static pir_status missing(pir_context *ctx, pir_str file, const pir_param_list *want) {
  enum { SHOWN = 80 };
  pir_str name = want->decls[0].name;
  return pir_report(ctx, PIR_NOT_FOUND, PIR_ERROR, pir_loc_text(ctx, file, 0, 0),
                    "the program has %zu parameters ('%.*s', ...) and no parameter file was "
                    "given (--params) or found beside it",
                    want->count, (int)(name.size < SHOWN ? name.size : SHOWN), name.data);
}

// Attaches the parameters; `out_params` gets their path.
static pir_status attach(pir_program *program, const pir_param_list *want, const char *path,
                         const char *params, char **out_params) {
  pir_context *ctx = pir_program_context(program);
  if (!want->count && !params)
    return PIR_OK;
  if (params) {
    *out_params = strdup(params);
    if (!*out_params)
      return PIR_EXHAUSTED;
  } else {
    pir_status status = params_choose(ctx, path, want->decls, want->count, out_params);
    if (status)
      return status == PIR_NOT_FOUND ? missing(ctx, pir_str_from(path), want) : status;
  }
  return pir_program_map_params(program, want->decls, want->count, *out_params);
}

// Verifies ops against their declarations; ops of older text may lack parts that upgrading
// adds.
static pir_status verify(const pir_program *program) {
  pir_verify_options options = {
      .size = sizeof options, .untyped = true, .old_forms = pir_program_is_older(program)};
  return pir_verify(pir_program_module(program), &options);
}

// Upgrades and verifies a program that was read.
static pir_status complete(pir_program *program) {
  if (pir_program_is_older(program))
    PIR_TRY(pir_program_upgrade(program));
  return verify(program);
}

// ---- calls

// A program being loaded, and everything to free if loading fails.
typedef struct loading {
  pir_context *ctx;
  const char *path, *given_params;
  char *file, *params;  // that were found; free them with free
  pir_str name;         // file name, for messages
  pir_borrowed bytes, param_bytes;
  pir_param_list want;
  pir_program *program;
} loading;

static void give_back(pir_borrowed *bytes) {
  if (bytes->release)
    bytes->release(bytes->user);
  *bytes = (pir_borrowed){0};
}

static void drop_loading(void *user) {
  loading *l = user;
  give_back(&l->bytes);
  give_back(&l->param_bytes);
  free(l->want.decls);
  free(l->file);
  free(l->params);
  pir_program_destroy(l->program);
  *l = (loading){0};
}

// Runs `body`, where memory may run out. If the status is good, the caller owns the program
// and, unless `out_params` is NULL, the path of its parameters; everything else is freed.
static pir_status enter_loading(loading *l, pir_status (*body)(void *user),
                                pir_program **out_program, char **out_params) {
  pir_guard guard;
  *out_program = NULL;
  pir_heap *heap = pir_context_heap(l->ctx);
  pir_guard_open(heap, &guard, drop_loading, l);
  pir_status status = pir_context_enter(l->ctx, body, l);
  pir_guard_close(&guard);
  if (!status) {
    *out_program = l->program;
    l->program = NULL;
  }
  if (!status && out_params) {
    *out_params = l->params;
    l->params = NULL;
  }
  drop_loading(l);
  return status;
}

// The program that the path means, which may be a folder.
static pir_status resolve(loading *l) {
  pir_status status = pir_program_find(l->path, &l->file);
  if (!status || status == PIR_EXHAUSTED)
    return status;
  if (status == PIR_NOT_FOUND)
    return pir_report(l->ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "%s: no program lies in this folder", l->path);
  return pir_report(l->ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN,
                    "%s: several programs lie in this folder: %s; name one", l->path, l->file);
}

static pir_status map_program(loading *l) {
  PIR_TRY(resolve(l));
  l->name = pir_str_from(l->file);
  int error = map_file(AT_FDCWD, l->file, true, &l->bytes);
  if (!error)
    return PIR_OK;
  return pir_report(l->ctx, status_of_errno(error), PIR_ERROR, PIR_LOC_UNKNOWN,
                    "%s: cannot open: %s%s", l->file, strerror(error),
                    error == ENOENT ? pir_hint_file(l->file).text : "");
}

static pir_status read_bytes(void *user) {
  loading *l = user;
  PIR_TRY(read_any(l->ctx, text_of_bytes(l->bytes), l->name, &l->program, NULL));
  return verify(l->program);
}

pir_status pir_program_read(pir_context *ctx, pir_str bytes, pir_str file,
                            pir_program **out_program) {
  if (!ctx || !out_program)
    return pir_refuse_null(ctx, __func__);
  loading l = {.ctx = ctx, .name = file, .bytes = {.data = bytes.data, .size = bytes.size}};
  return enter_loading(&l, read_bytes, out_program, NULL);
}

static pir_status read_file(void *user) {
  PIR_TRY(map_program(user));
  return read_bytes(user);
}

pir_status pir_program_read_file(pir_context *ctx, const char *path,
                                 pir_program **out_program) {
  if (!ctx || !path || !out_program)
    return pir_refuse_null(ctx, __func__);
  loading l = {.ctx = ctx, .path = path};
  return enter_loading(&l, read_file, out_program, NULL);
}

// Reads the program and lists its parameters; its bytes are not needed any more then.
static pir_status read_whole(loading *l) {
  PIR_TRY(read_any(l->ctx, text_of_bytes(l->bytes), l->name, &l->program, &l->want));
  give_back(&l->bytes);
  return complete(l->program);
}

static pir_status load_file(void *user) {
  loading *l = user;
  PIR_TRY(map_program(l));
  PIR_TRY(read_whole(l));
  return attach(l->program, &l->want, l->file, l->given_params, &l->params);
}

pir_status pir_program_load_found(pir_context *ctx, const char *path, const char *params,
                                  pir_program **out_program, char **out_params) {
  if (!ctx || !path || !out_program || !out_params)
    return pir_refuse_null(ctx, __func__);
  loading l = {.ctx = ctx, .path = path, .given_params = params};
  *out_params = NULL;
  return enter_loading(&l, load_file, out_program, out_params);
}

pir_status pir_program_load_file(pir_context *ctx, const char *path, const char *params,
                                 pir_program **out_program) {
  if (!ctx || !path || !out_program)
    return pir_refuse_null(ctx, __func__);
  loading l = {.ctx = ctx, .path = path, .given_params = params};
  return enter_loading(&l, load_file, out_program, NULL);
}

static pir_status load_bytes(void *user) {
  loading *l = user;
  PIR_TRY(read_whole(l));
  if (!l->param_bytes.data)
    return l->want.count ? missing(l->ctx, l->name, &l->want) : PIR_OK;
  pir_borrowed bytes = l->param_bytes;
  l->param_bytes = (pir_borrowed){0};  // adopted, whatever happens
  return pir_program_adopt_records(l->program, l->want.decls, l->want.count, bytes,
                                   PIR_STR("parameters"));
}

pir_status pir_program_load(pir_context *ctx, pir_borrowed bytes, pir_borrowed params,
                            pir_str file, pir_program **out_program) {
  if (!ctx || !out_program) {
    give_back(&bytes);
    give_back(&params);
    return pir_refuse_null(ctx, __func__);
  }
  loading l = {.ctx = ctx, .name = file, .bytes = bytes, .param_bytes = params};
  return enter_loading(&l, load_bytes, out_program, NULL);
}
