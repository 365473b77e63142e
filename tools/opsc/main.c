// opsc: compiles a dialect's `.ops` files to C tables, headers, documentation pages and a
// list.
#include "emit_impl.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

typedef struct outputs {
  const char *tables, *header, *hooks, *list, *doc, *build, *numbers;
} outputs;

static int opsc_usage(void) {
  fputs("usage: opsc FILE.ops [--tables=FILE.c] [--header=FILE.h] [--hooks=FILE.h] "
        "[--list=FILE.tsv] [--doc=FOLDER] [--build=FOLDER] [--numbers=FILE]\n"
        "Checks the dialect that FILE.ops declares and writes what is asked for. Ops have the "
        "numbers that --numbers lists; rows of new ops are appended to it.\n",
        stderr);
  return 2;
}

static bool cannot_write(const char *path) {
  fprintf(stderr, "opsc: cannot write '%s'\n", path);
  return false;
}

static bool finish(FILE *out, const char *path) {
  bool failed = ferror(out);
  if (fclose(out) || failed)
    return cannot_write(path);
  if (opsc_reading()->error_count)
    remove(path);
  return !opsc_reading()->error_count;
}

static bool write_table_file(const dialect *d, const char *path,
                             void (*emit)(const dialect *d, FILE *out)) {
  if (!path)
    return true;
  FILE *out = fopen(path, "w");
  if (!out)
    return cannot_write(path);
  emit(d, out);
  return finish(out, path);
}

// Writes a file for each family that `size` counts, FOLDER/family.ENDING, and FOLDER itself.
static bool write_families(const dialect *d, const char *folder, const char *ending,
                           int (*size)(const dialect *d, int file),
                           void (*emit)(const dialect *d, int file, FILE *out)) {
  if (mkdir(folder, 0777) && errno != EEXIST)
    return cannot_write(folder);
  for (int file = 0; file < opsc_reading()->file_count; file++) {
    if (!size(d, file))
      continue;
    const char *path =
        ops_format(opsc_reading(), "%s/%s.%s", folder, opsc_family(opsc_file(file)), ending);
    FILE *out = fopen(path, "w");
    if (!out)
      return cannot_write(path);
    emit(d, file, out);
    if (!finish(out, path))
      return false;
  }
  return true;
}

// Writes one page for each family, and an index page.
static bool write_doc(const dialect *d, const char *folder) {
  return !folder ||
         (write_families(d, folder, "md", family_size, emit_family) &&
          write_table_file(d, ops_format(opsc_reading(), "%s/README.md", folder), emit_index));
}

// Writes one header for each family, and beside the folder a header that includes them.
static bool write_build(const dialect *d, const char *folder) {
  return !folder ||
         (write_families(d, folder, "h", build_size, emit_build_family) &&
          write_table_file(d, ops_format(opsc_reading(), "%s.h", folder), emit_build_index));
}

static bool compile_dialect(const char *input, const outputs *to) {
  dialect d = {0};
  const ops_file *file = ops_file_read(opsc_reading(), input);
  if (!file)
    fprintf(stderr, "opsc: cannot read '%s'\n", input);
  if (!file || !ops_parse(file, &d))
    return false;
  ops_check(&d);
  return ops_number(&d, to->numbers) && write_table_file(&d, to->header, emit_header) &&
         write_table_file(&d, to->hooks, emit_hooks) &&
         write_table_file(&d, to->tables, emit_tables) &&
         write_table_file(&d, to->list, emit_list) && write_doc(&d, to->doc) &&
         write_build(&d, to->build);
}

int main(int argc, char **argv) {
  const char *input = NULL;
  outputs to = {0};
  for (int i = 1; i < argc; i++) {
    if (!strncmp(argv[i], "--tables=", 9))
      to.tables = argv[i] + 9;
    else if (!strncmp(argv[i], "--header=", 9))
      to.header = argv[i] + 9;
    else if (!strncmp(argv[i], "--hooks=", 8))
      to.hooks = argv[i] + 8;
    else if (!strncmp(argv[i], "--list=", 7))
      to.list = argv[i] + 7;
    else if (!strncmp(argv[i], "--doc=", 6))
      to.doc = argv[i] + 6;
    else if (!strncmp(argv[i], "--build=", 8))
      to.build = argv[i] + 8;
    else if (!strncmp(argv[i], "--numbers=", 10))
      to.numbers = argv[i] + 10;
    else if (*argv[i] == '-' || input)
      return opsc_usage();
    else
      input = argv[i];
  }
  if (!input)
    return opsc_usage();
  opsc_start();
  bool done = compile_dialect(input, &to);
  opsc_report();
  opsc_release();
  return done ? 0 : 1;
}
