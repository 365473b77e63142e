// opsc: compiles a dialect's `.ops` files to C tables, a header and a documentation page.
#include "model.h"

#include <stdlib.h>
#include <string.h>

static int usage(void) {
  fputs("usage: opsc FILE.ops [--tables=FILE.c] [--header=FILE.h] [--doc=FILE.md]\n"
        "Checks the dialect that FILE.ops declares and writes what is asked for.\n",
        stderr);
  return 2;
}

static bool write_file(const dialect *d, const char *path, void (*emit)(const dialect *d, FILE *out)) {
  if (!path) return true;
  FILE *out = fopen(path, "w");
  if (!out) {
    fprintf(stderr, "opsc: cannot write '%s'\n", path);
    return false;
  }
  emit(d, out);
  bool failed = ferror(out);
  if (fclose(out) || failed) {
    fprintf(stderr, "opsc: cannot write '%s'\n", path);
    return false;
  }
  if (source_errors()) remove(path);
  return !source_errors();
}

static bool compile(const char *input, const char *header, const char *tables, const char *doc) {
  dialect d = {0};
  if (!ops_parse(input, &d)) return false;
  ops_check(&d);
  return !source_errors() && write_file(&d, header, emit_header) && write_file(&d, tables, emit_tables) &&
         write_file(&d, doc, emit_doc);
}

int main(int argc, char **argv) {
  const char *input = NULL, *tables = NULL, *header = NULL, *doc = NULL;
  for (int i = 1; i < argc; i++) {
    if (!strncmp(argv[i], "--tables=", 9)) tables = argv[i] + 9;
    else if (!strncmp(argv[i], "--header=", 9)) header = argv[i] + 9;
    else if (!strncmp(argv[i], "--doc=", 6)) doc = argv[i] + 6;
    else if (*argv[i] == '-' || input) return usage();
    else input = argv[i];
  }
  if (!input) return usage();
  bool done = compile(input, header, tables, doc);
  source_report();
  memory_release();
  return done ? 0 : 1;
}
