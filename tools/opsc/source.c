// The reading of a run of opsc: files come from folders, memory lasts until the end, and its
// lack ends the program.
#include "emit_impl.h"

#include <stdlib.h>
#include <string.h>

static _Noreturn void end_without_memory(void *user) {
  fputs("opsc: out of memory\n", stderr);
  exit(2);
}

static const char *read_source(ops_reading *in, const char *path, size_t *out_size) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  size_t size = 0, room = 1 << 16, got = file != NULL;
  while (got) {
    char *grown = ops_take(in, 2 * room);
    if (size)
      memcpy(grown, text, size);
    text = grown;
    room *= 2;
    got = fread(text + size, 1, room - size - 1, file);
    size += got;
  }
  if (file)
    fclose(file);
  *out_size = size;
  return text;
}

static pir_heap heap;
static pir_arena memory;
static ops_reading reading = {.memory = &memory, .read = read_source, .at_build = true};

void opsc_start(void) {
  pir_heap_init(&heap, NULL);
  heap.out_of_memory = end_without_memory;
  pir_arena_init(&memory, &heap);
}

ops_reading *opsc_reading(void) {
  return &reading;
}

const ops_file *opsc_file(int number) {
  return reading.files[number];
}

const char *opsc_family(const ops_file *file) {
  const char *slash = strrchr(file->path, '/'), *name = slash ? slash + 1 : file->path;
  return ops_text(&reading, name, strcspn(name, "."));
}

static void print_line(source_loc loc) {
  pir_str line = ops_line(loc);
  fprintf(stderr, "%.*s\n", (int)line.size, line.data);
  for (int i = 1; i < loc.column; i++)
    fputc((size_t)i <= line.size && line.data[i - 1] == '\t' ? '\t' : ' ', stderr);
  fputc('^', stderr);
  for (int i = loc.column + 1; i < loc.end_column; i++)
    fputc('~', stderr);
  fputc('\n', stderr);
}

void opsc_report(void) {
  ops_sort_errors(&reading);
  for (int i = 0; i < reading.error_count; i++) {
    const ops_message *m = &reading.errors[i];
    fprintf(stderr, "%s:%d:%d: error: %s\n", m->loc.file->path, m->loc.line, m->loc.column,
            m->text);
    print_line(m->loc);
  }
  if (reading.errors_dropped)
    fprintf(stderr, "opsc: %d more errors\n", reading.errors_dropped);
}

void opsc_release(void) {
  pir_arena_destroy(&memory);
  pir_heap_release(&heap);
}
