// Parameters on disk: lists the parameters that a program needs, and maps them. A folder is
// opened once, and its files are opened relative to it, so a name from a model cannot leave the
// folder.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pir/layer/nearest.h>
#include <pir/compiler/dialect/builtin.h>
#include <pir/layer/new_file.h>
#include <pir/compiler/params.h>
#include <pir/compiler/walk.h>

#include <heap.h>

#include "mapping.h"
#include "parts.h"
#include <sized.h>

typedef struct decl_list {
  pir_param_decl *items;
  size_t count, capacity;
} decl_list;

static bool has_record(const pir_op *op) {
  const pir_attr *persistable = pir_op_attr_str(op, "persistable");
  int64_t value = 1;
  if (persistable && pir_attr_kind_of(persistable) == PIR_ATTR_ARRAY) {
    if (!pir_attr_elements(persistable))
      return true;
    persistable = pir_attr_element(persistable, 0);
  }
  return !persistable || !pir_attr_as_int(persistable, &value) || value != 0;
}

pir_str params_name(const pir_op *op) {
  const pir_attr *name =
      pir_op_attr_str(op, pir_op_is(op, BUILTIN_CONSTANT) ? "value" : "parameter_name");
  return name ? pir_attr_as_str(name) : PIR_STR("");
}

// A file holds the whole of a parameter that is a part, but for zeros at its end. One that is
// wrong is refused when it is read.
static pir_shape shape_in_file(const pir_op *op, const pir_type *type) {
  const pir_attr *whole = pir_op_attr_str(op, "file_shape");
  if (!whole && params_is_part(op))
    whole = pir_op_attr_str(op, "whole_shape");
  if (!whole || pir_attr_kind_of(whole) != PIR_ATTR_INT_ARRAY)
    return pir_type_shape(type);
  return (pir_shape){pir_attr_int_array_data(whole), pir_attr_elements(whole)};
}

static pir_walk_result add_decl(pir_op *op, void *user) {
  decl_list *list = user;
  if (!pir_op_has(op, PIR_PARAMETER) || pir_op_results(op) != 1 || !has_record(op))
    return PIR_WALK_CONTINUE;
  pir_str name = params_name(op);
  const pir_type *type = pir_value_type(pir_op_result(op, 0));
  if (!name.size || !type)
    return PIR_WALK_CONTINUE;
  if (list->count < list->capacity)
    list->items[list->count] =
        (pir_param_decl){name, pir_type_dtype(type), shape_in_file(op, type), pir_op_loc(op)};
  list->count++;
  return PIR_WALK_CONTINUE;
}

static int compare_decl_names(const void *a, const void *b) {
  const pir_param_decl *x = a, *y = b;
  return pir_str_compare(x->name, y->name);
}

size_t pir_program_param_decls(const pir_program *program, pir_param_decl *out_decls,
                               size_t capacity) {
  decl_list list = {out_decls, 0, capacity};
  size_t kept = 0;
  (void)pir_walk(pir_program_module(program), PIR_PRE_ORDER, add_decl, &list);  // never stops
  if (list.count > capacity)
    return list.count;
  if (list.count)
    qsort(out_decls, list.count, sizeof *out_decls, compare_decl_names);
  for (size_t i = 0; i < list.count; i++)
    if (!kept || compare_decl_names(&out_decls[kept - 1], &out_decls[i]))
      out_decls[kept++] = out_decls[i];
  return kept;
}

static pir_status report_errno(pir_context *ctx, int error, const char *path,
                               const char *what) {
  return pir_report(ctx, status_of_errno(error), PIR_ERROR, PIR_LOC_UNKNOWN,
                    "%s: cannot open the %s: %s%s", path, what,
                    error == ELOOP ? "a symbolic link" : strerror(error),
                    error == ENOENT ? pir_hint_file(path).text : "");
}

// Reports why a parameter's file could not be mapped.
static const char *describe_error(int error) {
  if (error == ENOENT)
    return "the folder has no file of that name";
  return error == ELOOP ? "its file is a symbolic link" : strerror(error);
}

static pir_status map_separate(pir_program *program, const param_parts *parts, int folder,
                               const pir_param_decl *decl, const char *path) {
  pir_context *ctx = pir_program_context(program);
  char name[NAME_MAX + 1];
  pir_borrowed bytes;
  int error;
  if (!pir_is_file_name(decl->name))
    return pir_report(ctx, PIR_INVALID, PIR_ERROR, decl->loc,
                      "parameter name '%.*s' is no file name inside a folder",
                      (int)decl->name.size, decl->name.data);
  memcpy(name, decl->name.data, decl->name.size);
  name[decl->name.size] = 0;
  error = map_file(folder, name, false, &bytes);
  if (!error)
    return records_adopt(program, parts, decl, 1, bytes, decl->name);
  return pir_report(ctx, status_of_errno(error), PIR_ERROR,
                    pir_loc_text(ctx, pir_str_from(path), 0, 0), "parameter '%s': %s", name,
                    describe_error(error));
}

static void close_folder(void *folder) {
  close(*(int *)folder);
}

static pir_status map_folder(pir_program *program, const param_parts *parts,
                             const pir_param_decl *decls, size_t count, const char *path) {
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  enum { MOST = 8 };
  pir_guard guard;
  pir_context *ctx = pir_program_context(program);
  pir_status status = PIR_OK;
  size_t failed = 0, i = 0;
  if (folder < 0)
    return report_errno(ctx, errno, path, "parameter folder");
  pir_guard_open(pir_context_heap(ctx), &guard, close_folder, &folder);
  for (; i < count && failed < MOST; i++) {
    pir_status one = map_separate(program, parts, folder, &decls[i], path);
    failed += one != PIR_OK;
    if (one && !status)
      status = one;
  }
  if (i < count)
    pir_ignore(pir_report(ctx, PIR_OK, PIR_NOTE, pir_loc_text(ctx, pir_str_from(path), 0, 0),
                          "%zu more of the parameters were not looked for", count - i));
  pir_guard_close(&guard);
  close(folder);
  return status;
}

// A parameter that is not persistable is state: no file contains it, and a run starts with
// zeros.
static pir_walk_result add_state(pir_op *op, void *user) {
  pir_program *program = user;
  if (!pir_op_has(op, PIR_PARAMETER) || pir_op_results(op) != 1 || has_record(op))
    return PIR_WALK_CONTINUE;
  pir_str name = params_name(op);
  const pir_type *type = pir_value_type(pir_op_result(op, 0));
  if (!name.size || !type || pir_program_param(program, name))
    return PIR_WALK_CONTINUE;
  pir_param param = {.name = name,
                     .dtype = pir_type_dtype(type),
                     .shape = pir_type_shape(type),
                     .release = free};
  bool overflow = false, empty = false;
  param.size = pir_dtype_size(param.dtype);
  for (size_t i = 0; i < param.shape.rank; i++) {
    if (param.shape.dims[i] < 0)
      return PIR_WALK_CONTINUE;
    empty |= param.shape.dims[i] == 0;
    overflow |= __builtin_mul_overflow(param.size, (size_t)param.shape.dims[i], &param.size);
  }
  if (!pir_dtype_is_number(param.dtype) || (!param.size && !empty))
    return PIR_WALK_CONTINUE;
  void *zeros = overflow ? NULL : calloc(param.size + 1, 1);
  if (!zeros)
    return PIR_WALK_STOP;
  param.data = param.user = zeros;
  pir_program_adopt_param(program, &param);
  return PIR_WALK_CONTINUE;
}

typedef struct map_call {
  pir_program *program;
  const pir_param_decl *decls;
  size_t count;
  const char *path;
} map_call;

// The program is searched once for all files.
static pir_status find_in_folder(const map_call *call) {
  pir_arena arena;
  param_parts parts = {.arena = &arena};
  pir_arena_init(&arena, pir_context_heap(pir_program_context(call->program)));
  pir_status status = params_find_parts(call->program, &parts);
  if (!status)
    status = map_folder(call->program, &parts, call->decls, call->count, call->path);
  pir_arena_destroy(&arena);
  return status;
}

static pir_status map_params(void *user) {
  const map_call *call = user;
  pir_program *program = call->program;
  pir_borrowed bytes;
  if (pir_walk(pir_program_module(program), PIR_PRE_ORDER, add_state, program) == PIR_WALK_STOP)
    return PIR_EXHAUSTED;
  int error = map_file(AT_FDCWD, call->path, true, &bytes);
  if (error == EISDIR)
    return find_in_folder(call);
  if (error)
    return report_errno(pir_program_context(program), error, call->path, "parameter file");
  return pir_program_adopt_records(program, call->decls, call->count, bytes,
                                   pir_str_from(call->path));
}

pir_status pir_program_map_params(pir_program *program, const pir_param_decl *decls,
                                  size_t count, const char *path) {
  if (!program || (count && !decls) || !path)
    return pir_refuse_null(program ? pir_program_context(program) : NULL, __func__);
  map_call call = {program, decls, count, path};
  return pir_context_enter(pir_program_context(program), map_params, &call);
}
