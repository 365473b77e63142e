// Numbers of ops. Programs that were compiled against the header of a dialect name ops by
// number, so the numbers are in a checked-in list to which rows are only appended. An op
// without a row gets the next number; the row is written back. Without a list ops are numbered
// in the order of their declarations.
#include "emit_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct number_row {
  source_loc loc;
  unsigned id;
  const char *name;
  bool retired, met;
} number_row;

typedef struct number_list {
  const char *path;
  const ops_file *file;  // NULL: the list is yet to be made
  number_row *rows;
  int count, read;
} number_list;

static const char *const number_list_head =
    "# Numbers of the ops of %s, by which compiled programs know them. opsc appends the rows "
    "of "
    "new ops.\n# No row is ever changed, moved or removed: the row of an op that goes gets the "
    "word 'retired'.\n";

// ---- reading
static const number_row *find_number(const number_list *l, const char *name) {
  for (int i = 0; i < l->count; i++)
    if (!strcmp(l->rows[i].name, name))
      return &l->rows[i];
  return NULL;
}

static void read_number_row(const dialect *d, number_list *l, const char *text,
                            source_loc loc) {
  char name[256], word[16] = "";
  unsigned id;
  int parts = sscanf(text, "0x%x %255s %15s", &id, name, word);
  unsigned expected = (unsigned)d->id << 16 | (unsigned)(l->count + 1);
  bool retired = !strcmp(word, "retired");
  if (parts < 2 || (parts == 3 && !retired))
    ops_error(loc, "expects a number, the name of an op, and perhaps 'retired'");
  else if (id != expected)
    ops_error(loc, "expects number 0x%x: each is one more than the number before", expected);
  else if (find_number(l, name))
    ops_error(loc, "'%s' has a number already", name);
  if (parts >= 2)
    APPEND(opsc_reading(), l->rows, l->count,
           (number_row){loc, expected, ops_text(opsc_reading(), name, strlen(name)), retired,
                        false});
}

static void read_number_list(const dialect *d, number_list *l) {
  l->file = ops_file_read(opsc_reading(), l->path);
  if (!l->file)
    return;
  source_loc loc = {l->file, 1, 1, 1};
  for (const char *at = l->file->text; *at; loc.line++) {
    size_t length = strcspn(at, "\n");
    loc.end_column = (int)length + 1;
    if (length && *at != '#')
      read_number_row(d, l, ops_text(opsc_reading(), at, length), loc);
    at += length + (at[length] == '\n');
  }
  l->read = l->count;
}

// ---- giving numbers
static int number_op(const dialect *d, number_list *l, const op *o, const char *name) {
  number_row *row = (number_row *)find_number(l, name);
  if (!row) {
    unsigned id = (unsigned)d->id << 16 | (unsigned)(l->count + 1);
    if (l->count == UINT16_MAX)
      ops_error(o->loc, "'%s' has more ops than there are numbers", d->name);
    APPEND(opsc_reading(), l->rows, l->count, (number_row){o->loc, id, name, false, false});
    row = &l->rows[l->count - 1];
  } else if (row->retired) {
    ops_error(o->loc, "'%s' is retired: its number 0x%x was another op's", name, row->id);
  }
  row->met = true;
  return (int)(row->id & UINT16_MAX);
}

static int by_number(const void *a, const void *b) {
  return ((const table_row *)a)->number - ((const table_row *)b)->number;
}

// The table of a dialect lists its ops by number; retired numbers have no place in it.
static void order_table(dialect *d) {
  for (int i = 0; i < d->op_count; i++) {
    op *o = &d->ops[i];
    if (o->is_form)
      continue;
    APPEND(opsc_reading(), d->table, d->table_count, (table_row){o, o->number, false});
    if (o->has_twin)
      APPEND(opsc_reading(), d->table, d->table_count, (table_row){o, o->twin_number, true});
  }
  if (d->table_count)
    qsort(d->table, (size_t)d->table_count, sizeof *d->table, by_number);
  for (int i = 0; i < d->table_count; i++) {
    op *o = d->table[i].o;
    if (d->table[i].twin)
      o->twin_at = i;
    else
      o->at = i;
  }
}

// ---- writing
static bool write_number_list(const dialect *d, const number_list *l) {
  const char *path = ops_format(opsc_reading(), "%s.new.%d", l->path, (int)getpid());
  FILE *out = fopen(path, "w");
  if (!out)
    return false;
  if (!l->file)
    fprintf(out, number_list_head, d->name);
  else
    fputs(l->file->text, out);
  for (int i = l->read; i < l->count; i++)
    fprintf(out, "0x%x %s\n", l->rows[i].id, l->rows[i].name);
  bool failed = ferror(out);
  if (fclose(out) || failed || rename(path, l->path)) {
    remove(path);
    return false;
  }
  return true;
}

bool ops_number(dialect *d, const char *path) {
  number_list l = {.path = path};
  if (path)
    read_number_list(d, &l);
  for (int i = 0; i < d->op_count; i++) {
    op *o = &d->ops[i];
    if (o->is_form)
      continue;
    o->number = number_op(d, &l, o, o->name);
    if (o->has_twin)
      o->twin_number = number_op(d, &l, o, ops_format(opsc_reading(), "%s_", o->name));
  }
  for (int i = 0; i < l.read; i++)
    if (!l.rows[i].met && !l.rows[i].retired)
      ops_error(l.rows[i].loc,
                "no op is '%s': the row of an op that went gets the word 'retired'; a row "
                "that was never published may be removed",
                l.rows[i].name);
  order_table(d);
  if (opsc_reading()->error_count || !path || l.read == l.count)
    return !opsc_reading()->error_count;
  if (!write_number_list(d, &l)) {
    fprintf(stderr, "opsc: cannot write '%s': %s\n", path, strerror(errno));
    return false;
  }
  fprintf(stderr, "opsc: %s has %d new %s\n", path, l.count - l.read,
          l.count - l.read == 1 ? "row" : "rows");
  return true;
}
