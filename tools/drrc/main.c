// drrc: compiles `.drr` files to constant tables in C, with the front end that also reads rules
// at run time.
#include "drrc.h"

#include <pir/compiler/dialects.h>

#include <stdlib.h>
#include <string.h>

static int drrc_usage(void) {
  fputs("usage: drrc FILE.drr [-I DIR] [-o FILE.c]\n"
        "Checks a file of rules and writes its tables.\n",
        stderr);
  return 2;
}

// ---- files

static char *read_whole(const char *path, size_t *out_size) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  size_t size = 0, got = 1;
  while (file && got) {
    char *grown = realloc(text, size + 65537);
    if (!grown)
      break;
    text = grown;
    got = fread(text + size, 1, 65536, file);
    size += got;
  }
  if (file)
    fclose(file);
  *out_size = size;
  return text;
}

typedef struct imports {
  const char *folder;
  char *texts[64];
  size_t count;
} imports;

static pir_status read_from_folder(void *user, pir_str path, pir_str *out_text) {
  imports *i = user;
  char full[1024];
  int n = snprintf(full, sizeof full, "%s/%.*s", i->folder, (int)path.size, path.data);
  size_t size;
  if (n < 0 || n >= (int)sizeof full || i->count == sizeof i->texts / sizeof *i->texts)
    return PIR_NOT_FOUND;
  char *text = read_whole(full, &size);
  if (!text)
    return PIR_NOT_FOUND;
  i->texts[i->count++] = text;
  *out_text = (pir_str){text, size};
  return PIR_OK;
}

// ---- diagnostics

static void print_diag(void *user, const pir_diag *d) {
  fprintf(stderr, "%.*s:%u:%u: error: %.*s\n", (int)d->place.file.size, d->place.file.data,
          d->place.line, d->place.column, (int)d->message.size, d->message.data);
  if (!d->source_line.size)
    return;
  fprintf(stderr, "%.*s\n%*s^\n", (int)d->source_line.size, d->source_line.data,
          (int)d->place.column - 1, "");
}

static int write_tables(const drr *d, const char *path) {
  FILE *out = path ? fopen(path, "w") : stdout;
  if (!out) {
    fprintf(stderr, "drrc: cannot write '%s'\n", path);
    return 1;
  }
  drrc_emit(d, out);
  bool failed = ferror(out);
  if ((path && fclose(out)) || failed) {
    fprintf(stderr, "drrc: cannot write '%s'\n", path ? path : "standard output");
    if (path)
      remove(path);
    return 1;
  }
  return 0;
}

static int compile_rules(const char *input, const char *folder, const char *output) {
  imports files = {.folder = folder};
  pir_rules_options options = {
      .size = sizeof options, .read = read_from_folder, .user = &files};
  size_t size;
  char *text = read_whole(input, &size);
  if (!text) {
    fprintf(stderr, "drrc: cannot read '%s'\n", input);
    return 1;
  }
  pir_context *ctx = pir_context_create(NULL);
  pir_context_set_sink(ctx, (pir_diag_sink){print_diag, NULL});
  int code = pir_dialects_load_all(ctx) ? 1 : 0;
  drr d;
  drr_init(&d, ctx, &options);
  if (!code && !drr_read(&d, pir_str_from(input), (pir_str){text, size}))
    code = 1;
  if (!code)
    code = write_tables(&d, output);
  drr_free(&d);
  pir_context_destroy(ctx);
  while (files.count)
    free(files.texts[--files.count]);
  free(text);
  return code;
}

int main(int argc, char **argv) {
  const char *input = NULL, *output = NULL, *folder = ".";
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
      output = argv[++i];
    else if (strcmp(argv[i], "-I") == 0 && i + 1 < argc)
      folder = argv[++i];
    else if (argv[i][0] == '-' || input)
      return drrc_usage();
    else
      input = argv[i];
  }
  return input ? compile_rules(input, folder, output) : drrc_usage();
}
