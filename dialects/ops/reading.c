// Memory, files and errors of one reading of `.ops` files, and its expressions.
#include "ops_stages.h"

#include <string.h>

void *ops_take(ops_reading *in, size_t size) {
  pir_heap_poll(in->memory->heap);
  return pir_arena_zalloc(in->memory, size);
}

void *ops_grow(ops_reading *in, void *array, int count, size_t size) {
  if (count & (count - 1))
    return array;
  void *grown = ops_take(in, (count ? 2 * (size_t)count : 1) * size);
  if (count)
    memcpy(grown, array, (size_t)count * size);
  return grown;
}

const char *ops_text(ops_reading *in, const char *data, size_t size) {
  char *copy = ops_take(in, size + 1);
  memcpy(copy, data, size);
  return copy;
}

const char *ops_format(ops_reading *in, const char *format, ...) {
  char buffer[1024];
  va_list args;
  va_start(args, format);
  size_t n = pir_text_vformat(buffer, sizeof buffer, format, args);
  va_end(args);
  return ops_text(in, buffer, n < sizeof buffer ? n : sizeof buffer - 1);
}

// ---- files
const ops_file *ops_file_of(ops_reading *in, const char *path, const char *text, size_t size) {
  if (in->file_count == OPS_MOST_FILES)
    return NULL;
  ops_file *file = ops_take(in, sizeof *file);
  *file = (ops_file){in, in->file_count, path, text};
  in->files[in->file_count++] = file;
  const char *nul = memchr(text, 0, size);
  if (nul) {
    source_loc loc = {file, 1, 1, 2};
    for (const char *c = text; c < nul; c++) {
      loc.column = *c == '\n' ? 1 : loc.column + 1;
      loc.line += *c == '\n';
    }
    loc.end_column = loc.column + 1;
    ops_error(loc, "a NUL byte");
  }
  return file;
}

const ops_file *ops_file_read(ops_reading *in, const char *path) {
  size_t size = 0;
  const char *text =
      in->read && in->file_count < OPS_MOST_FILES ? in->read(in, path, &size) : NULL;
  return text ? ops_file_of(in, path, text, size) : NULL;
}

pir_str ops_line(source_loc loc) {
  const char *line = loc.file->text;
  for (int i = 1; i < loc.line && line; i++) {
    line = strchr(line, '\n');
    if (line)
      line++;
  }
  return line ? (pir_str){line, strcspn(line, "\n")} : (pir_str){"", 0};
}

// ---- errors
static bool same_place(source_loc a, source_loc b) {
  return a.file == b.file && a.line == b.line && a.column == b.column &&
         a.end_column == b.end_column;
}

// Errors are kept and told in the order of the source, because the checks make several passes.
void ops_error(source_loc loc, const char *format, ...) {
  ops_reading *in = loc.file->in;
  char buffer[512];
  va_list args;
  va_start(args, format);
  pir_text_vformat(buffer, sizeof buffer, format, args);
  va_end(args);
  for (int i = 0; i < in->error_count; i++)
    if (same_place(in->errors[i].loc, loc) && !strcmp(in->errors[i].text, buffer))
      return;
  if (in->error_count == OPS_MOST_ERRORS) {
    in->errors_dropped++;
    return;
  }
  const char *text = ops_text(in, buffer, strlen(buffer));
  APPEND(in, in->errors, in->error_count, (ops_message){loc, text});
}

static bool before(const ops_message *a, const ops_message *b) {
  if (a->loc.file != b->loc.file)
    return a->loc.file->number < b->loc.file->number;
  return a->loc.line != b->loc.line ? a->loc.line < b->loc.line : a->loc.column < b->loc.column;
}

void ops_sort_errors(ops_reading *in) {
  for (int i = 1; i < in->error_count; i++) {
    ops_message m = in->errors[i];
    int j = i;
    for (; j && before(&m, &in->errors[j - 1]); j--)
      in->errors[j] = in->errors[j - 1];
    in->errors[j] = m;
  }
}

// ---- expressions
expr *ops_expr(expr_kind kind, source_loc loc) {
  expr *e = ops_take(loc.file->in, sizeof *e);
  e->kind = (uint8_t)kind;
  e->loc = loc;
  return e;
}

int64_t ops_int_of(const expr *e) {
  if (e->kind == EXPR_INT)
    return e->i;
  if (e->f >= 0x1p63)
    return INT64_MAX;
  return e->f > -0x1p63 ? (int64_t)e->f : -INT64_MAX;  // INT64_MIN is no literal in C
}

// The depth of the tree below a node; children that are chains count with all their members.
static int depth_below(const expr *e) {
  int most = 0;
  const expr *children[] = {e->a, e->b, e->c};
  for (int i = 0; i < 3; i++) {
    const expr *child = children[i];
    int depth = child && child->depth > child->chain_depth ? child->depth : 0;
    if (child && !depth)
      depth = child->chain_depth;
    most = depth > most ? depth : most;
  }
  return most;
}

expr *ops_finished(expr *e) {
  e->depth = 1 + depth_below(e);
  if (e->depth <= OPS_MOST_DEPTH)
    return e;
  if (!e->loc.file->in->too_deep)
    ops_error(e->loc, "an expression that is nested more than %d deep", OPS_MOST_DEPTH);
  e->loc.file->in->too_deep = true;
  return ops_expr(EXPR_INT, e->loc);
}

expr *ops_parent(expr_kind kind, source_loc loc, const char *name, expr *a) {
  expr *e = ops_expr(kind, loc);
  e->name = name;
  e->a = a;
  return ops_finished(e);
}

expr *ops_chain(expr *list, expr *item) {
  if (!list)
    return item;
  if (item->depth > list->chain_depth)
    list->chain_depth = item->depth;
  expr *last = list->last ? list->last : list;
  last->next = item;
  list->last = item;
  return list;
}
