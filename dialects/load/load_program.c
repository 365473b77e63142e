// Loads a file by its content: maps it, recognises its format, calls the reader of that format,
// verifies the program, and attaches the declared parameters. A .pdmodel also declares
// parameters that no op reads but its file holds; its reader lists them (legacy/read/read.h).
#include <pir/load.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <pir/legacy.h>
#include <pir/params.h>
#include <pir/serialize.h>
#include <pir/text.h>
#include <pir/verify.h>

#include "read.h"
#include "mapping.h"

// The parameters in a program's parameter file.
typedef struct wanted {
  pir_param_decl *decls;
  size_t count;
} wanted;

static pir_status want_declared(const pir_program *program, wanted *out) {
  size_t capacity = pir_program_param_decls(program, NULL, 0);
  out->decls = calloc(capacity ? capacity : 1, sizeof *out->decls);
  if (!out->decls)
    return PIR_EXHAUSTED;
  out->count = pir_program_param_decls(program, out->decls, capacity);
  return PIR_OK;
}

// Reads a program of any format; `out` (may be NULL) gets the parameters of its file.
static pir_status read_any(pir_context *ctx, pir_str bytes, pir_str file,
                           pir_program **out_program, wanted *out) {
  pir_status status;
  *out_program = NULL;
  switch (pir_detect_format(bytes)) {
    case PIR_FORMAT_JSON: status = pir_program_read_json(ctx, bytes, file, out_program); break;
    case PIR_FORMAT_TEXT: {
      pir_parse_options options = {.file = file};
      status = pir_program_parse(ctx, bytes, &options, out_program);
      break;
    }
    case PIR_FORMAT_PDMODEL:
      return legacy_read(ctx, bytes, file, out_program, out ? &out->decls : NULL,
                         out ? &out->count : NULL);
    case PIR_FORMAT_PARAMS:
      return pir_report(ctx, PIR_INVALID, PIR_ERROR, pir_loc_offset(ctx, file, 0),
                        "not a program: parameters; the program is in a file of its own");
    default:
      return pir_report(ctx, PIR_INVALID, PIR_ERROR, pir_loc_offset(ctx, file, 0),
                        "not a program: neither PIR JSON, nor PIR text, nor a .pdmodel");
  }
  if (!status && out)
    status = want_declared(*out_program, out);
  return status;
}

static pir_status map_program(pir_context *ctx, const char *path, pir_borrowed *out_bytes) {
  int error = map_file(AT_FDCWD, path, true, out_bytes);
  if (!error)
    return PIR_OK;
  return pir_report(ctx, error == ENOENT ? PIR_NOT_FOUND : PIR_IO, PIR_ERROR,
                    pir_loc_text(ctx, pir_str_from(path), 0, 0), "%s", strerror(error));
}

static void give_back(pir_borrowed bytes) {
  if (bytes.release)
    bytes.release(bytes.user);
}

static pir_str text_of_bytes(pir_borrowed bytes) {
  return (pir_str){bytes.data, bytes.size};
}

static pir_status missing(pir_context *ctx, pir_str file, const wanted *want) {
  return pir_report(ctx, PIR_NOT_FOUND, PIR_ERROR, pir_loc_text(ctx, file, 0, 0),
                    "the program has %zu parameters ('%.*s', ...) and no parameter file was "
                    "given or found beside it",
                    want->count, (int)want->decls[0].name.size, want->decls[0].name.data);
}

// Attaches the parameters; `out_params` gets their path.
static pir_status attach(pir_program *program, const wanted *want, const char *path,
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

// Destroys the program if loading failed.
static pir_status finish(pir_status status, pir_program **out_program) {
  if (!status || !*out_program)
    return status;
  pir_program_destroy(*out_program);
  *out_program = NULL;
  return status;
}

// Verifies ops against their declarations; ops of older text may lack parts that upgrading
// adds.
static pir_status verify(const pir_program *program) {
  pir_verify_options options = {.untyped = true, .old_forms = pir_program_is_older(program)};
  return pir_verify(pir_program_module(program), &options);
}

// Upgrades and verifies a program that was read.
static pir_status complete(pir_program *program) {
  if (pir_program_is_older(program))
    PIR_TRY(pir_program_upgrade(program));
  return verify(program);
}

pir_status pir_program_read(pir_context *ctx, pir_str bytes, pir_str file,
                            pir_program **out_program) {
  pir_status status = read_any(ctx, bytes, file, out_program, NULL);
  if (!status)
    status = verify(*out_program);
  return finish(status, out_program);
}

// The program that a path means, which may be a folder; free it with free.
static pir_status resolve(pir_context *ctx, const char *path, char **out_file) {
  pir_status status = pir_program_find(path, out_file);
  if (!status)
    return PIR_OK;
  pir_loc loc = pir_loc_text(ctx, pir_str_from(path), 0, 0);
  if (status == PIR_NOT_FOUND)
    pir_report(ctx, status, PIR_ERROR, loc, "no program lies in this folder");
  else if (status == PIR_INVALID)
    pir_report(ctx, status, PIR_ERROR, loc, "several programs lie in this folder: %s; name one",
               *out_file);
  free(*out_file);
  return status;
}

static pir_status read_file(pir_context *ctx, const char *path, pir_program **out_program) {
  pir_borrowed bytes;
  PIR_TRY(map_program(ctx, path, &bytes));
  pir_status status =
      pir_program_read(ctx, text_of_bytes(bytes), pir_str_from(path), out_program);
  give_back(bytes);
  return status;
}

pir_status pir_program_read_file(pir_context *ctx, const char *path,
                                 pir_program **out_program) {
  char *file;
  *out_program = NULL;
  PIR_TRY(resolve(ctx, path, &file));
  pir_status status = read_file(ctx, file, out_program);
  free(file);
  return status;
}

static pir_status load_file(pir_context *ctx, const char *path, const char *params,
                            pir_program **out_program, char **out_params) {
  pir_borrowed bytes;
  wanted want = {0};
  PIR_TRY(map_program(ctx, path, &bytes));
  pir_status status =
      read_any(ctx, text_of_bytes(bytes), pir_str_from(path), out_program, &want);
  give_back(bytes);
  if (!status)
    status = complete(*out_program);
  if (!status)
    status = attach(*out_program, &want, path, params, out_params);
  free(want.decls);
  return finish(status, out_program);
}

pir_status pir_program_load_found(pir_context *ctx, const char *path, const char *params,
                                  pir_program **out_program, char **out_params) {
  char *file;
  *out_program = NULL;
  *out_params = NULL;
  PIR_TRY(resolve(ctx, path, &file));
  pir_status status = load_file(ctx, file, params, out_program, out_params);
  free(file);
  if (status) {
    free(*out_params);
    *out_params = NULL;
  }
  return status;
}

pir_status pir_program_load_file(pir_context *ctx, const char *path, const char *params,
                                 pir_program **out_program) {
  char *found;
  pir_status status = pir_program_load_found(ctx, path, params, out_program, &found);
  free(found);
  return status;
}

pir_status pir_program_load(pir_context *ctx, pir_borrowed bytes, pir_borrowed params,
                            pir_str file, pir_program **out_program) {
  wanted want = {0};
  pir_status status = read_any(ctx, text_of_bytes(bytes), file, out_program, &want);
  give_back(bytes);
  if (!status)
    status = complete(*out_program);
  if (!status && !params.data && want.count)
    status = missing(ctx, file, &want);
  if (!status && params.data) {
    status = pir_program_adopt_records(*out_program, want.decls, want.count, params,
                                       PIR_STR("parameters"));
    params.release = NULL;
  }
  give_back(params);
  free(want.decls);
  return finish(status, out_program);
}
