// Reads a text of ops at run time: the front end of opsc, the checks that only a file of a user
// needs, and the tables.
#include "dialect_tables.h"
#include "user_ops_impl.h"

#include <pir/layer/user_ops.h>

#include <string.h>

enum { NO_JSON_ID = -128, CUSTOM_JSON_ID = 3 };

// ---- files

static const char *read_included(ops_reading *in, const char *path, size_t *out_size) {
  const pir_user_ops_text *text = in->user;
  pir_str found;
  if (!text->read || text->read(text->user, pir_str_from(path), &found))
    return NULL;
  if (found.size > PIR_USER_OPS_BYTES)
    return NULL;
  *out_size = found.size;
  return ops_text(in, found.data, found.size);
}

// ---- checks of files of users

// The numbers that Paddle's format gives to dialects.
static bool is_number_of_format(int json_id) {
  return (json_id >= 0 && json_id <= 4) || json_id == -1 || json_id == -2;
}

static const pir_dialect *library_dialect(const char *name) {
#define PIR_IS_DIALECT(dialect)                                                                \
  if (!strcmp(pir_##dialect##_dialect.name, name))                                             \
    return &pir_##dialect##_dialect;
  PIR_EACH_DIALECT(PIR_IS_DIALECT)
#undef PIR_IS_DIALECT
  return NULL;
}

static void check_dialect(const dialect *d) {
  bool framework = !strcmp(d->name, pir_pd_op_dialect.name),
       custom = !strcmp(d->name, "custom_op");
  if (!framework && library_dialect(d->name))
    ops_error(d->loc,
              "ops of '%s' are libpir's own; users add to 'pd_op', 'custom_op' or a "
              "dialect of their own",
              d->name);
  if ((framework || custom) && d->json_id != NO_JSON_ID)
    ops_error(d->loc, "the number of '%s' in JSON is given by the format", d->name);
  else if (d->json_id != NO_JSON_ID && is_number_of_format(d->json_id))
    ops_error(d->loc, "number %d in JSON belongs to another dialect", d->json_id);
  if (d->json_name)
    ops_error(d->loc, "a dialect of a user has one name");
}

static void check_user_op(const op *o) {
  if (o->operand_count > PIR_USER_OP_PARTS || o->attr_count > PIR_USER_OP_PARTS ||
      o->result_count > PIR_USER_OP_PARTS)
    ops_error(o->loc, "'%s' has more than %d operands, attributes or results", o->name,
              PIR_USER_OP_PARTS);
  if (!o->result_count)
    ops_error(o->loc, "'%s' has no result", o->name);
  if (o->traits & PIR_COMMUTATIVE && o->operand_count < 2)
    ops_error(o->loc, "'%s' is commutative, and has no two operands", o->name);
  if (o->traits & (PIR_IDEMPOTENT | PIR_INVOLUTION) &&
      (o->operand_count != 1 || o->result_count != 1))
    ops_error(o->loc, "an op with this trait has one operand and one result");
}

static void check_new(const dialect *d, const op *o, const char *name) {
  const char *full = ops_format(d->in, "%s.%s", d->name, name);
  if (user_known_def(d->in, full))
    ops_error(o->loc, "'%s' is declared already", full);
}

// An op, and the twin of another, may have one name.
static void check_twin_names(const dialect *d, const op *o) {
  size_t size = strlen(o->name);
  for (int i = 0; i < d->op_count; i++) {
    const op *other = &d->ops[i];
    if (!other->is_form && strlen(other->name) == size + 1 &&
        !memcmp(other->name, o->name, size) && other->name[size] == '_')
      ops_error(other->loc, "'%s' is declared already: it is the variant in place of '%s'",
                other->name, o->name);
  }
}

static void check_ops(const dialect *d) {
  int count = 0;
  for (int i = 0; i < d->op_count; i++) {
    const op *o = &d->ops[i];
    if (o->is_form)
      continue;
    count++;
    check_user_op(o);
    check_new(d, o, o->name);
    if (o->has_twin)
      check_new(d, o, ops_format(d->in, "%s_", o->name));
    if (o->has_twin)
      check_twin_names(d, o);
  }
  if (!count)
    ops_error((source_loc){d->in->files[0], 1, 1, 2}, "the file declares no op");
}

// ---- reading

static void tell_errors(const pir_user_ops_text *text, ops_reading *in, pir_message *message) {
  ops_sort_errors(in);
  for (int i = 0; i < in->error_count; i++) {
    const ops_message *m = &in->errors[i];
    pir_loc_parts place = {.file = pir_str_from(m->loc.file->path),
                           .line = (uint32_t)m->loc.line,
                           .column = (uint32_t)m->loc.column};
    pir_diag diag = {.size = sizeof diag,
                     .severity = PIR_ERROR,
                     .place = place,
                     .message = pir_str_from(m->text),
                     .source_line = ops_line(m->loc)};
    if (text->sink.report)
      text->sink.report(text->sink.user, &diag);
    if (!i)
      pir_text_format(message->text, sizeof message->text, "%s:%d:%d: %s", m->loc.file->path,
                      m->loc.line, m->loc.column, m->text);
  }
}

static bool read_user_text(const pir_user_ops_text *text, ops_reading *in, dialect *d) {
  pir_str file = text->file.size ? text->file : PIR_STR("ops");
  const char *path = ops_text(in, file.data, file.size),
             *copy = ops_text(in, text->text.data, text->text.size);
  const ops_file *first = ops_file_of(in, path, copy, text->text.size);
  if (!ops_parse(first, d))
    return false;
  if (!d->name) {
    d->name = "custom_op";
    d->loc = (source_loc){first, 1, 1, 2};
  }
  check_dialect(d);
  ops_check(d);
  check_ops(d);
  return !in->error_count;
}

pir_status pir_user_ops_read(const pir_user_ops_text *text, pir_arena *memory,
                             pir_dialect *out_dialect, pir_message *message) {
  ops_reading in = {.memory = memory,
                    .read = read_included,
                    .find = user_known_op,
                    .user = (void *)(uintptr_t)text};
  dialect d = {0};
  if (text->text.size > PIR_USER_OPS_BYTES) {
    pir_text_format(message->text, sizeof message->text, "a file of ops has at most %d bytes",
                    PIR_USER_OPS_BYTES);
    return PIR_EXHAUSTED;
  }
  if (!read_user_text(text, &in, &d)) {
    tell_errors(text, &in, message);
    return PIR_INVALID;
  }
  const pir_dialect *whole = library_dialect(d.name);
  bool custom = !strcmp(d.name, "custom_op");
  *out_dialect = (pir_dialect){.name = d.name,
                               .json_id = custom ? CUSTOM_JSON_ID : d.json_id,
                               .carried = user_carried_attrs(&d),
                               .carried_count = (size_t)d.carried_count};
  if (whole)
    out_dialect->json_id = whole->json_id;
  out_dialect->ops = user_op_table(&d, text->dialect, &out_dialect->op_count);
  return PIR_OK;
}
