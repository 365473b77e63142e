// Writes parameters record by record, directly from the bytes in memory (mostly mapped files),
// so memory use does not grow with their size.
#include <stdlib.h>
#include <string.h>

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/params.h>
#include <pir/compiler/walk.h>

#include <arena.h>

#include "mapping.h"
#include "parts.h"
#include <sized.h>

enum { CHUNK = 1 << 24, DESCRIPTION_MAX = 11 * (PIR_MAX_RANK + 1) };

// ---- which

typedef struct name_list {
  pir_str *items;
  size_t count, capacity;
} name_list;

static void add_name(name_list *list, pir_str name) {
  if (!name.size)
    return;
  if (list->count < list->capacity)
    list->items[list->count] = name;
  list->count++;
}

static pir_walk_result add_other(pir_op *op, void *user) {
  if (pir_op_is(op, BUILTIN_SET_PARAMETER))
    add_name(user, params_name(op));
  return PIR_WALK_CONTINUE;
}

static int compare_names(const void *a, const void *b) {
  return pir_str_compare(*(const pir_str *)a, *(const pir_str *)b);
}

// Lists the names of `program` that belong in a file of `format`, in the arena.
static pir_str *list_names(const pir_program *program, pir_format format, pir_arena *arena,
                           size_t *out_count) {
  size_t declared = pir_program_param_decls(program, NULL, 0), kept = 0;
  name_list others = {0};
  const pir_format_def *def = pir_format_find(format);
  if (def && def->written_variables)
    (void)pir_walk(pir_program_module(program), PIR_PRE_ORDER, add_other, &others);
  size_t most = declared + others.count + 1;
  pir_param_decl *decls = pir_arena_zalloc(arena, pir_arena_size(arena, most, sizeof *decls));
  pir_str *names = pir_arena_zalloc(arena, pir_arena_size(arena, most, sizeof *names));
  declared = pir_program_param_decls(program, decls, declared);
  for (size_t i = 0; i < declared; i++)
    names[i] = decls[i].name;
  others = (name_list){names + declared, 0, others.count};
  if (others.capacity)
    (void)pir_walk(pir_program_module(program), PIR_PRE_ORDER, add_other, &others);
  declared += others.count;
  if (declared)
    qsort(names, declared, sizeof *names, compare_names);
  for (size_t i = 0; i < declared; i++)
    if (!kept || compare_names(&names[kept - 1], &names[i]))
      names[kept++] = names[i];
  *out_count = kept;
  return names;
}

static pir_status find_values(const pir_program *program, const pir_str *names, size_t count,
                              const pir_param **out_params) {
  pir_status status = PIR_OK;
  for (size_t i = 0; i < count; i++) {
    out_params[i] = pir_program_param(program, names[i]);
    if (!out_params[i])
      status =
          pir_report(pir_program_context(program), PIR_NOT_FOUND, PIR_ERROR, PIR_LOC_UNKNOWN,
                     "parameter '%.*s' has no value: the program was read without it",
                     (int)names[i].size, names[i].data);
  }
  return status;
}

typedef struct saved_call {
  const pir_program *program;
  pir_format format;
  const pir_param **params;
  size_t count;
} saved_call;

static void free_saved(void *user) {
  saved_call *call = user;
  free(call->params);
  call->params = NULL;
}

// A file of a part would not be the one that the program reads.
static pir_walk_result refuse_saved_part(pir_op *op, void *user) {
  if (!params_is_part(op))
    return PIR_WALK_CONTINUE;
  pir_str name = params_name(op);
  *(pir_status *)user = pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                                      "unsupported: parameter '%.*s' is a part of the one that "
                                      "a file holds, and is not written",
                                      (int)name.size, name.data);
  return PIR_WALK_STOP;
}

static pir_status list_saved(void *user) {
  saved_call *call = user;
  pir_arena arena;
  pir_guard guard;
  pir_arena_init(&arena, pir_context_heap(pir_program_context(call->program)));
  pir_guard_open(arena.heap, &guard, free_saved, call);
  pir_str *names = list_names(call->program, call->format, &arena, &call->count);
  call->params = calloc(call->count + 1, sizeof *call->params);
  if (!call->params)
    pir_heap_fail(arena.heap);
  pir_status status = find_values(call->program, names, call->count, call->params);
  if (!status)
    pir_walk(pir_program_module(call->program), PIR_PRE_ORDER, refuse_saved_part, &status);
  pir_guard_close(&guard);
  pir_arena_destroy(&arena);
  if (status)
    free_saved(call);
  return status;
}

pir_status pir_program_saved_params(const pir_program *program, pir_format format,
                                    const pir_param ***out_params, size_t *out_count) {
  if (!program || !out_params || !out_count)
    return pir_refuse_null(program ? pir_program_context(program) : NULL, __func__);
  saved_call call = {.program = program, .format = format};
  pir_status status = pir_context_enter(pir_program_context(program), list_saved, &call);
  *out_params = call.params;
  *out_count = call.count;
  return status;
}

// ---- records

static size_t put_varint(uint8_t *at, uint64_t value) {
  size_t n = 0;
  for (; value >= 0x80; value >>= 7)
    at[n++] = (uint8_t)(value | 0x80);
  at[n++] = (uint8_t)value;
  return n;
}

// The TensorDesc message: field 1 the element type, field 2 each extent.
static size_t put_description(uint8_t *at, int code, pir_shape shape) {
  size_t n = 0;
  at[n++] = 0x08;
  n += put_varint(at + n, (uint64_t)code);
  for (size_t i = 0; i < shape.rank; i++) {
    at[n++] = 0x10;
    n += put_varint(at + n, (uint64_t)shape.dims[i]);
  }
  return n;
}

pir_status pir_param_write(const pir_param *param, pir_writer out) {
  if (!param || !out.write)
    return PIR_INVALID;
  // u32 version, u64 levels of detail, u32 version of the tensor, i32 size of its description
  uint8_t head[20 + DESCRIPTION_MAX] = {0};
  int code = pir_dtype_var_type(param->dtype);
  const char *at = param->data, *end = at + param->size;
  if (code < 0 || !pir_dtype_is_number(param->dtype) || param->shape.rank > PIR_MAX_RANK)
    return PIR_UNSUPPORTED;
  size_t description = put_description(head + 20, code, param->shape);
  for (size_t i = 0; i < 4; i++)
    head[16 + i] = (uint8_t)(description >> 8 * i);
  if (!out.write(out.user, (const char *)head, 20 + description))
    return PIR_IO;
  for (size_t n; at < end; at += n) {
    n = (size_t)(end - at) < CHUNK ? (size_t)(end - at) : CHUNK;
    if (!out.write(out.user, at, n))
      return PIR_IO;
  }
  return PIR_OK;
}
