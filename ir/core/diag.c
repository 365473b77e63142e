// Diagnostics and locations. A location is 64 bits: 14 for the file, then line (29) and column
// (20), or an offset (49); the top bit tells which. Numbers too large for their field are
// clamped to its maximum.

#include <pir/diag.h>

#include <op_impl.h>
#include <pir/layer/origin.h>
#include <sized.h>
#include <strbuf.h>

#include <stdarg.h>
#include <string.h>

enum {
  FILE_BITS = 14,
  LINE_BITS = 29,
  COLUMN_BITS = 20,
  OFFSET_BITS = LINE_BITS + COLUMN_BITS
};
#define OFFSET_FLAG ((uint64_t)1 << 63)

static uint64_t fit(uint64_t value, int bits) {
  uint64_t most = ((uint64_t)1 << bits) - 1;
  return value < most ? value : most;
}

typedef struct file_call {
  pir_context *ctx;
  pir_str file;
  uint64_t number;  // 0: there are too many files
} file_call;

static pir_status number_file(void *user) {
  file_call *call = user;
  pir_context *ctx = call->ctx;
  size_t n = ctx->files.count;
  pir_name *name = pir_name_get(ctx, call->file);
  for (size_t i = 0; i < n && !call->number; i++)
    if (ctx->files.items[i] == name)
      call->number = i + 1;
  if (call->number || n + 1 >= (size_t)1 << FILE_BITS)
    return PIR_OK;
  pir_vec_push(&ctx->arena, &ctx->files, name);
  call->number = n + 1;
  return PIR_OK;
}

// Returns the number of a file name, from 1; 0 if there are too many, or memory ran out: a
// place is not worth more than that.
static uint64_t file_number(pir_context *ctx, pir_str file) {
  size_t n = ctx->files.count;
  if (n && pir_str_equal(pir_name_str(ctx->files.items[n - 1]), file))
    return n;
  file_call call = {ctx, file, 0};
  pir_ignore(pir_heap_catch(&ctx->heap, number_file, &call, NULL));
  return call.number;
}

pir_loc pir_loc_text(pir_context *ctx, pir_str file, uint32_t line, uint32_t column) {
  uint64_t number = file_number(ctx, file);
  if (!number)
    return PIR_LOC_UNKNOWN;
  return number << OFFSET_BITS | fit(line, LINE_BITS) << COLUMN_BITS | fit(column, COLUMN_BITS);
}

pir_loc pir_loc_offset(pir_context *ctx, pir_str file, uint64_t offset) {
  uint64_t number = file_number(ctx, file);
  return number ? OFFSET_FLAG | number << OFFSET_BITS | fit(offset, OFFSET_BITS)
                : PIR_LOC_UNKNOWN;
}

pir_loc_parts pir_loc_unpack(const pir_context *ctx, pir_loc loc) {
  pir_loc_parts parts = {.file = {"", 0}};
  uint64_t number = (loc & ~OFFSET_FLAG) >> OFFSET_BITS;
  if (!number || number > ctx->files.count)
    return parts;
  parts.file = pir_name_str(ctx->files.items[number - 1]);
  parts.is_offset = loc & OFFSET_FLAG;
  if (parts.is_offset) {
    parts.offset = loc & (((uint64_t)1 << OFFSET_BITS) - 1);
  } else {
    parts.line = (uint32_t)(loc >> COLUMN_BITS & ((1u << LINE_BITS) - 1));
    parts.column = (uint32_t)(loc & ((1u << COLUMN_BITS) - 1));
  }
  return parts;
}

void pir_context_set_sink(pir_context *ctx, pir_diag_sink sink) {
  ctx->sink = sink;
}
void pir_context_set_log_level(pir_context *ctx, pir_log_level level) {
  ctx->log_level = level == PIR_LOG_DEFAULT ? PIR_LOG_WARNINGS : level;
  ctx->note_heard = ctx->log_level >= PIR_LOG_WARNINGS;
}
void pir_context_set_remarks(pir_context *ctx, bool wanted) {
  if (wanted || pir_context_remarks(ctx))
    pir_context_set_log_level(ctx, wanted ? PIR_LOG_REMARKS : PIR_LOG_WARNINGS);
}
bool pir_context_remarks(const pir_context *ctx) {
  return ctx->log_level >= PIR_LOG_REMARKS;
}

// Whether the level admits a diagnostic that is reported now; of a note the one before decides.
static bool is_heard(pir_context *ctx, pir_severity severity) {
  if (severity == PIR_NOTE)
    return ctx->note_heard;
  ctx->note_heard = severity == PIR_ERROR ||
                    (severity == PIR_WARNING && ctx->log_level >= PIR_LOG_WARNINGS) ||
                    ctx->log_level >= PIR_LOG_REMARKS;
  return ctx->note_heard;
}

size_t pir_context_error_count(const pir_context *ctx) {
  return ctx->errors;
}

void pir_diag_emit(pir_context *ctx, const pir_diag *given) {
  pir_diag diag;
  sized_text why;
  if (pir_sized_read("pir_diag", &diag, sizeof diag, given, &why))
    diag = (pir_diag){.severity = PIR_ERROR, .message = pir_str_from(why.text)};
  diag.size = sizeof diag;
  ctx->errors += diag.severity == PIR_ERROR;
  if (is_heard(ctx, diag.severity) && ctx->sink.report)
    ctx->sink.report(ctx->sink.user, &diag);
}

// The name of the first parameter that the op reads: of several like ops it tells which.
pir_str pir_op_parameter(const pir_op *op) {
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_value *value = pir_op_operand(op, i);
    const pir_op *source = value ? pir_value_op(value) : NULL;
    if (source && pir_op_has(source, PIR_PARAMETER)) {
      const pir_attr *name = pir_op_attr_str(source, "parameter_name");
      return name ? pir_attr_as_str(name) : (pir_str){"", 0};
    }
  }
  return (pir_str){"", 0};
}

// The levels of a path from inside to outside: the INNER innermost ops, then the OUTER
// outermost as a ring.
enum { INNER = 4, OUTER = 4, LEVELS = INNER + OUTER };

typedef struct op_level {
  size_t block, position;
  pir_str name;
} op_level;

typedef struct op_path {
  op_level levels[LEVELS];
  size_t count;
} op_path;

static void add_level(op_path *path, size_t block, size_t position, pir_str name) {
  size_t n = path->count++;
  path->levels[n < INNER ? n : INNER + (n - INNER) % OUTER] = (op_level){block, position, name};
}

// Writes "block 0, op 17 conv2d" for each level from the outside in. Of many levels the middle
// ones are omitted and counted.
static void print_path(pir_strbuf *out, const op_path *path) {
  size_t n = path->count;
  for (size_t i = n; i-- > 0;) {
    if (i + 1 < n)
      pir_strbuf_lit(out, ", ");
    if (n > LEVELS && i == n - OUTER - 1) {
      pir_strbuf_format(out, ".. %zu levels ..", n - LEVELS);
      i = INNER;
      continue;
    }
    const op_level *level = &path->levels[i < INNER ? i : INNER + (i - INNER) % OUTER];
    pir_strbuf_format(out, "block %zu, op %zu %.*s", level->block, level->position,
                      (int)level->name.size, level->name.data);
  }
}

static void print_parameter(pir_strbuf *out, pir_str parameter) {
  if (parameter.size)
    pir_strbuf_format(out, " of %.*s", (int)parameter.size, parameter.data);
}

// An op as its file has it.
static void describe_origin(pir_strbuf *out, const pir_context *ctx,
                            const pir_origin_entry *origin) {
  op_path path = {.count = 0};
  const pir_origin_entry *level = origin;
  for (;;) {
    add_level(&path, level->block, level->position, pir_name_str(level->name));
    if (!level->parent)
      break;
    level = &ctx->origins.items[level->parent - 1];
  }
  print_path(out, &path);
  if (origin->parameter)
    print_parameter(out, pir_name_str(origin->parameter));
  if (!origin->line)
    return;
  pir_str file = pir_name_str(origin->file);
  const char *slash = memrchr(file.data, '/', file.size);
  pir_strbuf_format(out, ", %s:%u", slash ? slash + 1 : file.data, origin->line);
}

// The op of the user that a pass made this op of, as far as is known: the attribute by which
// expansions tell it, or NULL.
static const pir_attr *expanded_op(const pir_op *op) {
  const pir_attr *name = pir_op_attr_str(op, "comp_op_name");
  return name && !pir_str_equal(pir_attr_as_str(name), pir_op_name(op)) ? name : NULL;
}

// Tells the op of the user: where it stands if no line shows that, and its kind if passes made
// another one of it.
static void describe_op(pir_strbuf *out, pir_context *ctx, const pir_op *op, bool has_line) {
  const pir_attr *expanded = expanded_op(op);
  pir_str kind = expanded ? pir_attr_as_str(expanded) : pir_op_name(op);
  const pir_origin_entry *origin = pir_origin_find(ctx, op->loc, kind);
  if (origin) {
    describe_origin(out, ctx, origin);
  } else if (!has_line) {
    op_path path = {.count = 0};
    for (const pir_op *at = op; at->block; at = pir_op_parent(at))
      add_level(&path, at->block->number, pir_op_position(at), pir_op_name(at));
    print_path(out, &path);
    print_parameter(out, pir_op_parameter(op));
  } else if (expanded) {
    pir_strbuf_format(out, "in the expansion of %.*s", (int)kind.size, kind.data);
  }
}

typedef struct place_call {
  const pir_op *op;
  char *text;
  size_t capacity;
} place_call;

static pir_status write_place(void *user) {
  const place_call *call = user;
  pir_context *ctx = op_context(call->op);
  pir_loc_parts place = pir_loc_unpack(ctx, call->op->loc);
  const char *slash = place.file.size ? memrchr(place.file.data, '/', place.file.size) : NULL;
  bool has_line = place.line && !ctx->names_ops;
  pir_strbuf out;
  pir_strbuf_init(&out, &ctx->arena);
  if (has_line)
    pir_strbuf_format(&out, "%s:%u:%u", slash ? slash + 1 : place.file.data, place.line,
                      place.column);
  if (has_line && expanded_op(call->op))
    pir_strbuf_lit(&out, ", ");
  if (has_line || place.file.size)
    describe_op(&out, ctx, call->op, has_line);
  pir_str text = pir_strbuf_view(&out);
  pir_text_format(call->text, call->capacity, "%.*s", (int)text.size, text.data);
  pir_strbuf_free(&out);
  return PIR_OK;
}

void pir_op_place_text(const pir_op *op, char *text, size_t capacity) {
  place_call call = {op, text, capacity};
  *text = 0;
  pir_ignore(pir_heap_catch(&op_context(op)->heap, write_place, &call, NULL));
}

typedef struct report_call {
  pir_context *ctx;
  pir_diag diag;
  const pir_op *op;  // NULL: none
  bool names_op;     // the message begins with its name
  const char *format;
  va_list args;
  bool emitted;
} report_call;

static pir_status emit_report(void *user) {
  report_call *call = user;
  pir_strbuf message, path;
  pir_strbuf_init(&message, &call->ctx->arena);
  pir_strbuf_init(&path, &call->ctx->arena);
  if (call->op && call->names_op) {
    pir_strbuf_char(&message, '"');
    pir_strbuf_str(&message, pir_op_name(call->op));
    pir_strbuf_lit(&message, "\" ");
  }
  if (call->op)
    describe_op(&path, call->ctx, call->op, call->diag.place.line && !call->ctx->names_ops);
  pir_strbuf_vformat(&message, call->format, call->args);
  call->diag.message = pir_strbuf_view(&message);
  call->diag.op_path = pir_strbuf_view(&path);
  call->emitted = true;
  pir_diag_emit(call->ctx, &call->diag);
  pir_strbuf_free(&path);
  pir_strbuf_free(&message);
  return PIR_OK;
}

// Reports come from everywhere, also from functions that nothing guards. So a lack of memory
// ends here: the message is cut to what the stack holds, and the caller's status remains.
static void report(pir_context *ctx, pir_severity severity, pir_loc loc, const pir_op *op,
                   bool names_op, const char *format, va_list args) {
  char text[256];
  if (!is_heard(ctx, severity))
    return;
  report_call call = {.ctx = ctx,
                      .diag = {.size = sizeof(pir_diag),
                               .severity = severity,
                               .place = pir_loc_unpack(ctx, loc)},
                      .op = op,
                      .names_op = names_op,
                      .format = format};
  va_copy(call.args, args);
  pir_ignore(pir_heap_catch(&ctx->heap, emit_report, &call, NULL));
  va_end(call.args);
  if (call.emitted)
    return;
  size_t size = pir_text_vformat(text, sizeof text, format, args);
  call.diag.message = (pir_str){text, size};
  call.diag.op_path = PIR_STR("");
  pir_diag_emit(ctx, &call.diag);
}

pir_status pir_report(pir_context *ctx, pir_status status, pir_severity severity, pir_loc loc,
                      const char *format, ...) {
  va_list args;
  va_start(args, format);
  report(ctx, severity, loc, NULL, false, format, args);
  va_end(args);
  return status;
}

pir_status pir_report_op(const pir_op *op, pir_status status, pir_severity severity,
                         const char *format, ...) {
  va_list args;
  va_start(args, format);
  report(op_context(op), severity, op->loc, op, false, format, args);
  va_end(args);
  return status;
}

pir_status pir_error(const pir_op *op, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report(op_context(op), PIR_ERROR, op->loc, op, true, format, args);
  va_end(args);
  return PIR_INVALID;
}

void pir_note(const pir_op *op, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report(op_context(op), PIR_NOTE, op->loc, op, true, format, args);
  va_end(args);
}

void pir_warning(const pir_op *op, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report(op_context(op), PIR_WARNING, op->loc, op, true, format, args);
  va_end(args);
}

void pir_remark(const pir_op *op, const char *format, ...) {
  if (!pir_context_remarks(op_context(op)))
    return;
  va_list args;
  va_start(args, format);
  report(op_context(op), PIR_REMARK, op->loc, op, true, format, args);
  va_end(args);
}
