// Memory, sources and messages of opsc. A run reads a few hundred kilobytes and ends, so
// nothing is freed before memory_release.
#include "ops_stages.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SOURCES 64
#define MAX_ERRORS 50

static struct {
  const char *path;
  const char *text;
} sources[MAX_SOURCES];
static int source_count;

// Messages are collected and printed in source order, because the checks make several passes.
typedef struct message {
  source_loc loc;
  const char *text;
} message;
static message *messages;
static int message_count;

static void out_of_memory(void) {
  fputs("opsc: out of memory\n", stderr);
  exit(2);
}

typedef struct piece {
  struct piece *next;
  max_align_t data[];
} piece;
static piece *pieces;

void *arena_alloc(size_t size) {
  piece *p = calloc(1, sizeof *p + size);
  if (!p)
    out_of_memory();
  p->next = pieces;
  pieces = p;
  return p->data;
}

void memory_release(void) {
  for (piece *p = pieces, *next; p; p = next) {
    next = p->next;
    free(p);
  }
  pieces = NULL;
  while (source_count)
    free((void *)sources[--source_count].text);
}

void *array_grow(void *array, int count, size_t size) {
  if (count & (count - 1))
    return array;
  void *grown = arena_alloc((count ? 2 * (size_t)count : 1) * size);
  if (count)
    memcpy(grown, array, (size_t)count * size);
  return grown;
}

const char *text_copy(const char *data, size_t size) {
  char *copy = arena_alloc(size + 1);
  memcpy(copy, data, size);
  return copy;
}

const char *text_format(const char *format, ...) {
  char buffer[1024];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(buffer, sizeof buffer, format, args);
  va_end(args);
  return text_copy(buffer, n < (int)sizeof buffer ? (size_t)n : sizeof buffer - 1);
}

int source_add(const char *path) {
  FILE *file = source_count < MAX_SOURCES ? fopen(path, "rb") : NULL;
  if (!file)
    return -1;
  char *text = NULL;
  size_t size = 0, got;
  do {
    text = realloc(text, size + 65537);
    if (!text)
      out_of_memory();
    got = fread(text + size, 1, 65536, file);
    size += got;
  } while (got);
  fclose(file);
  text[size] = 0;
  sources[source_count].path = path;
  sources[source_count].text = text;
  return source_count++;
}

const char *source_text(int file) {
  return sources[file].text;
}
const char *source_path(int file) {
  return sources[file].path;
}
int source_files(void) {
  return source_count;
}

const char *source_family(int file) {
  const char *slash = strrchr(sources[file].path, '/'),
             *name = slash ? slash + 1 : sources[file].path;
  return text_copy(name, strcspn(name, "."));
}

int source_errors(void) {
  return message_count;
}

static void print_line(source_loc loc) {
  const char *line = sources[loc.file].text;
  for (int i = 1; i < loc.line && line; i++) {
    line = strchr(line, '\n');
    if (line)
      line++;
  }
  if (!line)
    return;
  size_t length = strcspn(line, "\n");
  fprintf(stderr, "%.*s\n", (int)length, line);
  for (int i = 1; i < loc.column; i++)
    fputc((size_t)i <= length && line[i - 1] == '\t' ? '\t' : ' ', stderr);
  fputc('^', stderr);
  for (int i = loc.column + 1; i < loc.end_column; i++)
    fputc('~', stderr);
  fputc('\n', stderr);
}

void source_error(source_loc loc, const char *format, ...) {
  char buffer[512];
  va_list args;
  va_start(args, format);
  vsnprintf(buffer, sizeof buffer, format, args);
  va_end(args);
  for (int i = 0; i < message_count; i++)
    if (!memcmp(&messages[i].loc, &loc, sizeof loc) && !strcmp(messages[i].text, buffer))
      return;
  APPEND(messages, message_count, (message){loc, text_copy(buffer, strlen(buffer))});
}

static bool before(const message *a, const message *b) {
  if (a->loc.file != b->loc.file)
    return a->loc.file < b->loc.file;
  return a->loc.line != b->loc.line ? a->loc.line < b->loc.line : a->loc.column < b->loc.column;
}

void source_report(void) {
  for (int i = 1; i < message_count; i++) {
    message m = messages[i];
    int j = i;
    for (; j && before(&m, &messages[j - 1]); j--)
      messages[j] = messages[j - 1];
    messages[j] = m;
  }
  for (int i = 0; i < message_count && i < MAX_ERRORS; i++) {
    const message *m = &messages[i];
    fprintf(stderr, "%s:%d:%d: error: %s\n", sources[m->loc.file].path, m->loc.line,
            m->loc.column, m->text);
    print_line(m->loc);
  }
  if (message_count > MAX_ERRORS)
    fprintf(stderr, "opsc: %d more errors\n", message_count - MAX_ERRORS);
}

expr *expr_new(expr_kind kind, source_loc loc) {
  expr *e = arena_alloc(sizeof *e);
  e->kind = (uint8_t)kind;
  e->loc = loc;
  return e;
}

int64_t expr_int(const expr *e) {
  if (e->kind == EXPR_INT)
    return e->i;
  if (e->f >= 0x1p63)
    return INT64_MAX;
  return e->f > -0x1p63 ? (int64_t)e->f : -INT64_MAX;  // INT64_MIN is no literal in C
}

expr *expr_append(expr *list, expr *item) {
  if (!list)
    return item;
  expr *last = list;
  while (last->next)
    last = last->next;
  last->next = item;
  return list;
}
