// Combined parameter files. A record is: u32 version 0; u64 number of LoD levels, and each
// level as a length and bytes; u32 version 0; i32 length of a TensorDesc protobuf (dtype,
// dims); then the elements. Records carry no names. So the file is read as a whole first
// (headers only: the cost depends on the number of records, not bytes) and compared with the
// declarations. The first difference shows whether a record is missing, superfluous or changed.
// All parameters share one reference on the bytes. The count is atomic, because programs and
// models on several threads may release theirs.
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <pir/compiler/build.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/params.h>
#include <pir/layer/param_record.h>

#include <map.h>
#include <strbuf.h>
#include <vec.h>

#include "wire.h"
#include "mapping.h"
#include "parts.h"
#include <sized.h>

typedef struct claim {
  atomic_size_t users;
  pir_borrowed bytes;
} claim;

typedef struct record {
  uint64_t offset;  // offset of its first byte
  pir_dtype dtype;
  int64_t dims[PIR_MAX_RANK];
  size_t rank;
  const void *data;
  uint64_t size;
} record;

static void release_claim(void *user) {
  claim *c = user;
  if (atomic_fetch_sub_explicit(&c->users, 1, memory_order_acq_rel) != 1)
    return;
  pir_borrowed_release(c->bytes);
  free(c);
}

// A cursor over the file; `error` states the fault at `at`.
typedef struct cursor {
  const uint8_t *start, *at, *end;
  const char *error;
} cursor;

static bool fail_record(cursor *in, const char *why) {
  in->error = why;
  return false;
}

static bool take_bytes(cursor *in, void *out, size_t size) {
  if ((size_t)(in->end - in->at) < size)
    return fail_record(in, "the file ends inside a record");
  memcpy(out, in->at, size);
  in->at += size;
  return true;
}

static bool skip_bytes(cursor *in, uint64_t size) {
  if ((uint64_t)(in->end - in->at) < size)
    return fail_record(in, "the file ends inside a record");
  in->at += size;
  return true;
}

static bool add_dim(cursor *in, record *r, uint64_t dim) {
  if (r->rank == PIR_MAX_RANK)
    return fail_record(in, "a tensor of more than 16 dimensions");
  if (dim > INT64_MAX)
    return fail_record(in, "a negative extent");
  r->dims[r->rank++] = (int64_t)dim;
  return true;
}

static bool read_dims(cursor *in, record *r, const wire_field *field) {
  wire_reader packed = {field->bytes, field->bytes + field->size, NULL};
  if (field->kind == WIRE_VARINT)
    return add_dim(in, r, field->value);
  if (field->kind != WIRE_BYTES)
    return fail_record(in, "a malformed tensor description");
  while (packed.at < packed.end) {
    uint64_t dim;
    if (!wire_varint(&packed, &dim))
      return fail_record(in, "a malformed tensor description");
    if (!add_dim(in, r, dim))
      return false;
  }
  return true;
}

static bool read_description(cursor *in, record *r, size_t size) {
  wire_reader desc = {in->at, in->at + size, NULL};
  wire_field field;
  int code = -1;
  while (wire_next(&desc, &field)) {
    if (field.number == 1 && field.kind == WIRE_VARINT && field.value < 256)
      code = (int)field.value;
    if (field.number == 2 && !read_dims(in, r, &field))
      return false;
  }
  if (desc.error)
    return fail_record(in, "a malformed tensor description");
  r->dtype = code < 0 ? PIR_DTYPE_NONE : pir_dtype_from_var_type(code);
  if (r->dtype == PIR_DTYPE_NONE || !pir_dtype_is_number(r->dtype))
    return fail_record(in, "an unknown element type");
  in->at += size;
  return true;
}

static bool data_size(cursor *in, record *r) {
  uint64_t size = pir_dtype_size(r->dtype);
  for (size_t i = 0; i < r->rank; i++)
    if (__builtin_mul_overflow(size, (uint64_t)r->dims[i], &size))
      return fail_record(in, "a tensor of 2^64 bytes or more");
  r->size = size;
  return true;
}

static bool read_record(cursor *in, record *r) {
  uint32_t version, tensor_version;
  uint64_t levels, bytes;
  int32_t description;
  r->offset = (uint64_t)(in->at - in->start);
  r->rank = 0;
  if (!take_bytes(in, &version, 4))
    return false;
  if (version)
    return fail_record(in, "not a tensor record: its version is not 0");
  if (!take_bytes(in, &levels, 8))
    return false;
  for (; levels; levels--)
    if (!take_bytes(in, &bytes, 8) || !skip_bytes(in, bytes))
      return false;
  if (!take_bytes(in, &tensor_version, 4))
    return false;
  if (tensor_version)
    return fail_record(in, "not a tensor record: its tensor version is not 0");
  if (!take_bytes(in, &description, 4))
    return false;
  if (description < 0 || description > in->end - in->at)
    return fail_record(in, "a description longer than the file");
  if (!read_description(in, r, (size_t)description) || !data_size(in, r))
    return false;
  r->data = in->at;
  return skip_bytes(in, r->size);
}

// "float32 [2, 3]"
static void put_tensor(pir_strbuf *out, pir_dtype dtype, pir_shape shape) {
  pir_strbuf_format(out, "%s [", pir_dtype_name(dtype));
  for (size_t i = 0; i < shape.rank; i++)
    pir_strbuf_format(out, "%s%" PRId64, i ? ", " : "", shape.dims[i]);
  pir_strbuf_char(out, ']');
}

static pir_str record_text(pir_arena *arena, const record *r) {
  pir_strbuf out;
  pir_strbuf_init(&out, arena);
  put_tensor(&out, r->dtype, (pir_shape){r->dims, r->rank});
  return pir_strbuf_view(&out);
}

static bool has_dims(const record *r, pir_shape shape) {
  bool same = r->rank == shape.rank;
  for (size_t i = 0; i < r->rank && same; i++)
    same = shape.dims[i] < 0 || shape.dims[i] == r->dims[i];
  return same;
}

// Whether the extents are the same but for some that are 1.
static bool has_extents(const record *r, pir_shape shape) {
  size_t i = 0, k = 0;
  for (;; i++, k++) {
    while (i < r->rank && r->dims[i] == 1)
      i++;
    while (k < shape.rank && shape.dims[k] == 1)
      k++;
    if (i == r->rank || k == shape.rank)
      return i == r->rank && k == shape.rank;
    if (r->dims[i] != shape.dims[k])
      return false;
  }
}

static bool is_exact(const record *r, const pir_param_decl *decl) {
  return r->dtype == decl->dtype && has_dims(r, decl->shape);
}

// Paddle's quantisation after training changes tensors and leaves their declarations: weights
// become bytes, and scales get or lose extents of 1.
static bool is_narrower(const record *r, const pir_param_decl *decl) {
  return r->dtype == PIR_I8 && decl->dtype == PIR_F32;
}

static bool is_near(const record *r, const pir_param_decl *decl) {
  return (r->dtype == decl->dtype || is_narrower(r, decl)) &&
         (has_dims(r, decl->shape) || has_extents(r, decl->shape));
}

static bool reads_level(const pir_use *use, bool narrower) {
  const pir_op *op = pir_use_owner(use);
  if (pir_op_is(op, PD_DEQUANTIZE_LINEAR))
    return !narrower || pir_use_operand_index(use) == PD_DEQUANTIZE_LINEAR_IN_X;
  return !narrower && pir_op_is(op, PD_QUANTIZE_LINEAR);
}

static bool is_read_as_levels(const pir_op *op, pir_dtype dtype, bool narrower) {
  const pir_value *value = pir_op_result(op, 0);
  const pir_type *type = pir_value_type(value);
  if (!pir_type_is_tensor(type) || pir_type_dtype(type) != dtype || pir_value_unused(value))
    return false;
  PIR_EACH_USE(use, value)
  if (!reads_level(use, narrower))
    return false;
  return true;
}

// Whether the record is what the program declares, or near it and read by nothing that minds.
static bool record_matches(const param_parts *parts, const record *r,
                           const pir_param_decl *decl) {
  if (is_exact(r, decl))
    return true;
  const param_ops *ops = is_near(r, decl) ? params_ops_of(parts, decl->name) : NULL;
  bool matches = ops && ops->op && !ops->is_set;
  for (; ops && matches; ops = ops->next)
    matches = is_read_as_levels(ops->op, decl->dtype, is_narrower(r, decl));
  return matches;
}

// Says why a tensor does not match that is near its declaration.
static void note_readers(const param_parts *parts, const record *r,
                         const pir_param_decl *decl) {
  const pir_op *op = is_near(r, decl) ? params_op_of(parts, decl->name) : NULL;
  if (!op || !pir_type_is_tensor(pir_value_type(pir_op_result(op, 0))))
    return;
  pir_note(op, is_narrower(r, decl)
                   ? "has bytes for float32 in the file, so it has to be used by "
                     "dequantize_linear alone, as its 'x'"
                   : "has other extents in the file, so it has to be used by quantize_linear "
                     "and dequantize_linear alone");
}

static pir_status record_mismatch(pir_context *ctx, pir_arena *arena, const record *r,
                                  const pir_param_decl *decl, pir_str file) {
  pir_str held = record_text(arena, r);
  pir_strbuf declared;
  pir_strbuf_init(&declared, arena);
  put_tensor(&declared, decl->dtype, decl->shape);
  return pir_report(ctx, PIR_INVALID, PIR_ERROR, pir_loc_offset(ctx, file, r->offset),
                    "parameter '%.*s' is %.*s in the file, the program declares %.*s",
                    (int)decl->name.size, decl->name.data, (int)held.size, held.data,
                    (int)declared.size, declared.data);
}

// The records of a whole file, whose descriptions share one allocation, and the ops that have
// them.
typedef struct record_list {
  pir_arena *arena;
  const param_parts *parts;
  record *items;
  size_t count, capacity;
} record_list;

static pir_status read_records(pir_context *ctx, pir_borrowed bytes, pir_str file,
                               record_list *list) {
  cursor in = {bytes.data, bytes.data, (const uint8_t *)bytes.data + bytes.size, NULL};
  while (in.at < in.end) {
    pir_vec_reserve(list->arena, list, list->count + 1);
    if (read_record(&in, &list->items[list->count])) {
      list->count++;
      continue;
    }
    return pir_report(ctx, PIR_INVALID, PIR_ERROR,
                      pir_loc_offset(ctx, file, list->items[list->count].offset),
                      "parameter file: record %zu: %s", list->count, in.error);
  }
  return PIR_OK;
}

// Whether records [from, ...) match declarations [decl, ...) to the end of both.
static bool tails_match(const record_list *list, size_t from, const pir_param_decl *decls,
                        size_t count, size_t decl) {
  if (list->count - from != count - decl)
    return false;
  for (; decl < count; from++, decl++)
    if (!record_matches(list->parts, &list->items[from], &decls[decl]))
      return false;
  return true;
}

// Reports differences from record `i` on, only the first few: with another model's parameters
// nearly all differ.
static pir_status report_mismatches(pir_context *ctx, const record_list *list,
                                    const pir_param_decl *decls, size_t count, size_t i,
                                    pir_str file) {
  enum { MOST = 8 };
  size_t differ = 0;
  for (; i < list->count && i < count; i++) {
    if (record_matches(list->parts, &list->items[i], &decls[i]))
      continue;
    if (++differ > MOST)
      continue;
    (void)record_mismatch(ctx, list->arena, &list->items[i], &decls[i], file);
    note_readers(list->parts, &list->items[i], &decls[i]);
  }
  if (differ > MOST)
    pir_ignore(
        pir_report(ctx, PIR_OK, PIR_NOTE, pir_loc_text(ctx, file, 0, 0),
                   "%zu more of the parameters differ; is the file that of another model?",
                   differ - MOST));
  return PIR_INVALID;
}

// Explains how the file differs from the declarations.
static pir_status compare_records(pir_context *ctx, const record_list *list,
                                  const pir_param_decl *decls, size_t count, pir_str file,
                                  uint64_t end) {
  size_t i = 0;
  uint64_t offset;
  while (i < list->count && i < count &&
         record_matches(list->parts, &list->items[i], &decls[i]))
    i++;
  if (i == list->count && i == count)
    return PIR_OK;
  offset = i < list->count ? list->items[i].offset : end;
  if (list->count < count &&
      (i == list->count || tails_match(list, i, decls, count, i + (count - list->count))))
    return pir_report(
        ctx, PIR_INVALID, PIR_ERROR, pir_loc_offset(ctx, file, offset),
        "parameter '%.*s' is missing: the file holds %zu records, the program declares %zu",
        (int)decls[i].name.size, decls[i].name.data, list->count, count);
  if (list->count > count &&
      (i == count || tails_match(list, i + (list->count - count), decls, count, i))) {
    pir_str held = record_text(list->arena, &list->items[i]);
    return pir_report(ctx, PIR_INVALID, PIR_ERROR, pir_loc_offset(ctx, file, offset),
                      "record %zu (%.*s) belongs to no parameter: the file holds %zu records, "
                      "the program declares %zu",
                      i, (int)held.size, held.data, list->count, count);
  }
  if (list->count != count)
    pir_ignore(pir_report(ctx, PIR_INVALID, PIR_ERROR, pir_loc_offset(ctx, file, offset),
                          "the file holds %zu records, the program declares %zu parameters",
                          list->count, count));
  return report_mismatches(ctx, list, decls, count, i, file);
}

// Reads which part of the record the op takes, and checks that it is one of this record.
static pir_status find_record_part(const record *r, const pir_op *op, pir_param_part *out) {
  PIR_TRY(params_part(op, out));
  return pir_param_is_whole(op, out->whole, (pir_shape){r->dims, r->rank})
             ? PIR_OK
             : pir_error(op, "the record of the parameter has other extents than whole_shape");
}

// A parameter that is whole may have other extents in the file (`file_shape`). One of a program
// over a mesh may end in zeros, which the file lacks.
static pir_status check_file_shape(const record *r, const pir_op *op) {
  pir_shape whole = pir_type_shape(pir_value_type(pir_op_result(op, 0)));
  return pir_param_is_whole(op, whole, (pir_shape){r->dims, r->rank})
             ? PIR_OK
             : pir_error(op, "file_shape has another number of elements than the parameter");
}

// What the ops state about the file is checked before anything is attached.
static pir_status check_stated(const record_list *list, const pir_param_decl *decls) {
  pir_param_part part;
  for (size_t i = 0; i < list->count; i++) {
    const pir_op *op = params_op_of(list->parts, decls[i].name);
    if (op && params_is_part(op))
      PIR_TRY(find_record_part(&list->items[i], op, &part));
    else if (op && pir_op_attr_str(op, "file_shape"))
      PIR_TRY(check_file_shape(&list->items[i], op));
  }
  return PIR_OK;
}

// The record becomes a user of the claim; one that is copied gives it back.
static pir_status adopt_record(pir_program *program, const record *r,
                               const pir_param_decl *decl, const pir_op *op, claim *shared) {
  bool mapped = is_mapped_file(shared->bytes), is_part = op && params_is_part(op);
  pir_param param = {.name = decl->name,
                     .dtype = r->dtype,
                     .shape =
                         has_dims(r, decl->shape) ? (pir_shape){r->dims, r->rank} : decl->shape,
                     .data = r->data,
                     .size = (size_t)r->size,
                     .release = release_claim,
                     .user = shared};
  pir_param_part part;
  if (is_part)
    PIR_TRY(params_part(op, &part));
  atomic_fetch_add_explicit(&shared->users, 1, memory_order_relaxed);
  if (is_part && params_take_part(&part, mapped, &param))
    return pir_report_op(op, PIR_EXHAUSTED, PIR_ERROR, "no memory for %zu bytes", param.size);
  pir_program_adopt_param(program, &param);
  if (mapped && param.release == release_claim)
    pir_param_set_mapped(pir_program_param(program, decl->name));
  return PIR_OK;
}

// Every record that is adopted is a user of the claim, and so is this function meanwhile.
static pir_status adopt_records(pir_program *program, const record_list *list,
                                const pir_param_decl *decls, pir_borrowed *bytes) {
  if (!list->count)
    return PIR_OK;
  claim *shared = malloc(sizeof *shared);
  if (!shared)
    pir_heap_fail(list->arena->heap);
  pir_guard guard;
  atomic_init(&shared->users, 1);
  shared->bytes = *bytes;
  bytes->release = NULL;
  pir_guard_open(list->arena->heap, &guard, release_claim, shared);
  pir_status status = PIR_OK;
  for (size_t i = 0; i < list->count && !status; i++)
    status = adopt_record(program, &list->items[i], &decls[i],
                          params_op_of(list->parts, decls[i].name), shared);
  pir_guard_close(&guard);
  release_claim(shared);
  return status;
}

bool records_fit(pir_borrowed bytes, const pir_param_decl *decls, size_t count, bool nearly) {
  cursor in = {bytes.data, bytes.data, (const uint8_t *)bytes.data + bytes.size, NULL};
  record r;
  size_t i = 0;
  for (; in.at < in.end; i++)
    if (i == count || !read_record(&in, &r) ||
        !(nearly ? is_near(&r, &decls[i]) : is_exact(&r, &decls[i])))
      return false;
  return i == count;
}

// Lets the readers of a parameter of f32 whose record holds bytes read a cast of them.
static void widen_bytes(pir_op *op) {
  pir_context *ctx = pir_op_context(op);
  pir_value *value = pir_op_result(op, 0);
  const pir_type *wide = pir_value_type(value);
  if (pir_type_dtype(wide) != PIR_F32)
    return;
  const pir_opdef *def = pir_context_op(ctx, PD_CAST);
  pir_op_spec spec = {.def = def,
                      .loc = pir_op_loc(op),
                      .operands = &value,
                      .operand_count = 1,
                      .result_types = &wide,
                      .result_count = 1};
  pir_builder b = pir_builder_after(op);
  pir_op *cast = pir_build(&b, &spec);
  pir_op_set_attr_at(cast, PD_CAST_ATTR_DTYPE, pir_attr_dtype(ctx, PIR_F32));
  pir_value_replace_uses(value, pir_op_result(cast, 0));
  pir_op_set_operand(cast, PD_CAST_IN_X, value);
  pir_value_set_type(value, pir_type_with_dtype(ctx, wide, PIR_I8));
}

static void widen_records(const record_list *list, const pir_param_decl *decls) {
  for (size_t i = 0; i < list->count; i++) {
    if (!is_narrower(&list->items[i], &decls[i]))
      continue;
    for (const param_ops *ops = params_ops_of(list->parts, decls[i].name); ops; ops = ops->next)
      widen_bytes(ops->op);
  }
}

// A record is compared with the type that its op has now: a call that attached another file may
// have changed it since the declarations were listed.
static pir_param_decl *present_decls(pir_arena *arena, const param_parts *parts,
                                     const pir_param_decl *decls, size_t count) {
  pir_param_decl *out = pir_arena_alloc(arena, pir_arena_size(arena, count, sizeof *out));
  for (size_t i = 0; i < count; i++) {
    const pir_op *op = params_op_of(parts, decls[i].name);
    const pir_type *type = op ? pir_value_type(pir_op_result(op, 0)) : NULL;
    out[i] = decls[i];
    if (type)
      out[i].dtype = pir_type_dtype(type);
  }
  return out;
}

static void release_borrowed(void *user) {
  pir_borrowed_release(*(pir_borrowed *)user);
}

pir_status records_adopt(pir_program *program, const param_parts *parts,
                         const pir_param_decl *decls, size_t count, pir_borrowed bytes,
                         pir_str file) {
  pir_context *ctx = pir_program_context(program);
  pir_arena arena;
  pir_guard guard;
  record_list list = {.arena = &arena, .parts = parts};
  pir_arena_init(&arena, pir_context_heap(ctx));
  pir_guard_open(arena.heap, &guard, release_borrowed, &bytes);
  decls = present_decls(&arena, parts, decls, count);
  pir_status status = read_records(ctx, bytes, file, &list);
  if (!status)
    status = compare_records(ctx, &list, decls, count, file, bytes.size);
  if (!status)
    status = check_stated(&list, decls);
  if (!status)
    status = adopt_records(program, &list, decls, &bytes);
  if (!status)
    widen_records(&list, decls);
  pir_guard_close(&guard);
  pir_borrowed_release(bytes);
  pir_arena_destroy(&arena);
  return status;
}

// The records that a program takes from a file.
typedef struct adopt_call {
  pir_program *program;
  const pir_param_decl *decls;
  size_t count;
  pir_borrowed bytes;
  pir_str file;
} adopt_call;

static pir_status find_and_adopt(void *user) {
  adopt_call *call = user;
  pir_arena arena;
  pir_guard guard;
  param_parts parts = {.arena = &arena};
  pir_arena_init(&arena, pir_context_heap(pir_program_context(call->program)));
  pir_guard_open(arena.heap, &guard, release_borrowed, &call->bytes);
  pir_status status = params_find_parts(call->program, &parts);
  pir_guard_close(&guard);
  if (status)
    pir_borrowed_release(call->bytes);
  else
    status =
        records_adopt(call->program, &parts, call->decls, call->count, call->bytes, call->file);
  pir_arena_destroy(&arena);
  return status;
}

pir_status pir_program_adopt_records(pir_program *program, const pir_param_decl *decls,
                                     size_t count, pir_borrowed bytes, pir_str file) {
  if (!program || (count && !decls)) {
    pir_borrowed_release(bytes);
    return pir_refuse_null(program ? pir_program_context(program) : NULL, __func__);
  }
  adopt_call call = {program, decls, count, bytes, file};
  return pir_context_enter(pir_program_context(program), find_and_adopt, &call);
}
