// Messages of the command-line tools: diagnostics as text with the line and a caret, or as
// JSON; colours on terminals alone.
#include "cli.h"

#include <pir/layer/nearest.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- terminals

bool cli_is_terminal(int descriptor) {
  const char *kind = getenv("TERM");
  return isatty(descriptor) && !(kind && strcmp(kind, "dumb") == 0);
}

const char *cli_colour(FILE *out, cli_paint paint) {
  static const char *const codes[] = {"\033[0m",    "\033[1m",    "\033[1;31m",
                                      "\033[1;35m", "\033[1;36m", "\033[1;32m"};
  const char *refused = getenv("NO_COLOR");
  bool colours = !(refused && *refused) && cli_is_terminal(fileno(out));
  return colours ? codes[paint] : "";
}

// ---- JSON

static void print_json_string(FILE *out, pir_str text) {
  fputc('"', out);
  for (size_t i = 0; i < text.size; i++) {
    unsigned char c = (unsigned char)text.data[i];
    if (c == '"' || c == '\\')
      fprintf(out, "\\%c", c);
    else if (c < 0x20)
      fprintf(out, "\\u%04x", c);
    else
      fputc(c, out);
  }
  fputc('"', out);
}

// ---- text

static const char *severity_name(pir_severity severity) {
  static const char *const names[] = {"error", "warning", "note", "remark"};
  return names[severity];
}

static void print_json_diag(const pir_diag *diag) {
  fputs("{\"severity\":\"", stderr);
  fputs(severity_name(diag->severity), stderr);
  fputc('"', stderr);
  if (diag->place.file.size) {
    fputs(",\"file\":", stderr);
    print_json_string(stderr, diag->place.file);
    if (diag->place.is_offset)
      fprintf(stderr, ",\"offset\":%llu", (unsigned long long)diag->place.offset);
    else
      fprintf(stderr, ",\"line\":%u,\"column\":%u", diag->place.line, diag->place.column);
  }
  if (diag->op_path.size) {
    fputs(",\"op\":", stderr);
    print_json_string(stderr, diag->op_path);
  }
  fputs(",\"message\":", stderr);
  print_json_string(stderr, diag->message);
  fputs("}\n", stderr);
}

// The line of `text` with the given number, or an empty string.
static pir_str line_of(pir_str text, uint32_t first_line, uint32_t line) {
  const char *at = text.data, *end = text.data + text.size;
  for (uint32_t n = first_line ? first_line : 1; n < line && at; n++) {
    at = memchr(at, '\n', (size_t)(end - at));
    if (at)
      at++;
  }
  if (!at || line < first_line || at >= end)
    return (pir_str){0};
  const char *stop = memchr(at, '\n', (size_t)(end - at));
  return (pir_str){at, (size_t)((stop ? stop : end) - at)};
}

// Whether the file was named on the command line: a text may name any file as its place.
static bool is_given(const cli_run *cli, pir_str file) {
  for (size_t i = 0; i < cli->file_count; i++)
    if (pir_str_equal(file, pir_str_from(cli->files[i])))
      return true;
  return false;
}

// Reads that line of a file of PIR text that the library read itself. The caller frees it.
static char *read_line_of(const pir_loc_parts *place) {
  char begin[64], *line = NULL, *path = strndup(place->file.data, place->file.size);
  FILE *file = path ? fopen(path, "r") : NULL;
  size_t capacity = 0, size = file ? fread(begin, 1, sizeof begin, file) : 0;
  bool is_text = size && pir_detect_format((pir_str){begin, size}) == PIR_FORMAT_TEXT;
  if (is_text)
    rewind(file);
  bool found = is_text;
  for (uint32_t n = 0; found && n < place->line; n++)
    found = getline(&line, &capacity, file) >= 0;
  if (file)
    fclose(file);
  free(path);
  if (found)
    return line;
  free(line);
  return NULL;
}

// Prints a window of at most 160 bytes around the column, and the caret below it.
static void print_caret(pir_str line, uint32_t column) {
  if (!line.size || !column || column > line.size + 1)
    return;
  size_t at = column - 1, from = at > 100 ? at - 100 : 0;
  while (from && ((unsigned char)line.data[from] & 0xC0) == 0x80)
    from--;
  size_t count = line.size - from < 160 ? line.size - from : 160;
  fputs("  ", stderr);
  fwrite(line.data + from, 1, count, stderr);
  fputs("\n  ", stderr);
  for (size_t i = from; i < at; i++)
    if (((unsigned char)line.data[i] & 0xC0) != 0x80)
      fputc(line.data[i] == '\t' ? '\t' : ' ', stderr);
  fprintf(stderr, "%s^%s\n", cli_colour(stderr, CLI_GREEN), cli_colour(stderr, CLI_PLAIN));
}

// Whether the process has reported an error.
static bool has_reported;

bool cli_has_reported(void) {
  return has_reported;
}

static void print_place(const cli_run *cli, const pir_diag *diag) {
  const pir_loc_parts *place = &diag->place;
  int size = (int)place->file.size;
  const char *file = place->file.data;
  if (!size)
    fprintf(stderr, "%s: ", cli->tool->name);
  else if (place->is_offset)
    fprintf(stderr, "%.*s:+0x%llx", size, file, (unsigned long long)place->offset);
  else if (place->column)
    fprintf(stderr, "%.*s:%u:%u: ", size, file, place->line, place->column);
  else if (place->line)
    fprintf(stderr, "%.*s:%u: ", size, file, place->line);
  else
    fprintf(stderr, "%.*s: ", size, file);
  if (place->is_offset && diag->op_path.size)
    fprintf(stderr, " (%.*s)", (int)diag->op_path.size, diag->op_path.data);
  if (size && place->is_offset)
    fputs(": ", stderr);
}

static void print_text_diag(const cli_run *cli, const pir_diag *diag) {
  static const cli_paint paints[] = {CLI_RED, CLI_MAGENTA, CLI_CYAN, CLI_CYAN};
  const char *bold = cli_colour(stderr, CLI_BOLD), *plain = cli_colour(stderr, CLI_PLAIN);
  const pir_loc_parts *place = &diag->place;
  fputs(bold, stderr);
  print_place(cli, diag);
  fprintf(stderr, "%s%s%s:%s %.*s", plain, cli_colour(stderr, paints[diag->severity]),
          severity_name(diag->severity), plain, (int)diag->message.size, diag->message.data);
  pir_str line = diag->source_line;
  if (!line.size && place->file.size && pir_str_equal(place->file, cli->source_name))
    line = line_of(cli->source_text, cli->source_first_line, place->line);
  bool in_file = !line.size && place->line && !place->is_offset &&
                 diag->severity <= PIR_WARNING && is_given(cli, place->file);
  char *read = in_file ? read_line_of(place) : NULL;
  if (read)
    line = (pir_str){read, strcspn(read, "\n")};
  bool shows_line = line.size && !place->is_offset;
  // A place in JSON tells little, and a line of text not the op of an expansion: the path does.
  if (!place->is_offset && diag->op_path.size)
    fprintf(stderr, " (%.*s)", (int)diag->op_path.size, diag->op_path.data);
  fputc('\n', stderr);
  if (shows_line)
    print_caret(line, place->column);
  free(read);
}

void cli_print_diag(const cli_run *cli, const pir_diag *diag) {
  has_reported |= diag->severity == PIR_ERROR;
  cli_progress_erase();
  if (cli->json_diagnostics)
    print_json_diag(diag);
  else
    print_text_diag(cli, diag);
}

static void report_diag(void *user, const pir_diag *diag) {
  cli_run *cli = user;
  if (diag->severity == PIR_ERROR)
    cli->errors++;
  if (cli->intercept)
    cli->intercept(cli->intercept_user, diag);
  else
    cli_print_diag(cli, diag);
}

pir_diag_sink cli_sink(cli_run *cli) {
  return (pir_diag_sink){report_diag, cli};
}

static void tell(const cli_run *cli, pir_severity severity, const char *format, va_list args)
    PIR_PRINTF(3, 0);
static void tell(const cli_run *cli, pir_severity severity, const char *format, va_list args) {
  char message[1024];
  vsnprintf(message, sizeof message, format, args);
  pir_diag diag = {.size = sizeof diag, .severity = severity, .message = pir_str_from(message)};
  cli_print_diag(cli, &diag);
}

int cli_fail(const cli_run *cli, int code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tell(cli, PIR_ERROR, format, args);
  va_end(args);
  return code;
}

void cli_note(const cli_run *cli, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tell(cli, PIR_NOTE, format, args);
  va_end(args);
}

// Tries the single words of a list as "text, json or typed".
static void try_words(pir_nearest *near, char *list) {
  char *rest = NULL;
  for (char *part = strtok_r(list, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
    char *last = strstr(part, " or ");
    part += strspn(part, " ");
    if (last)
      *last = 0;
    if (!strchr(part, ' '))
      pir_nearest_try(near, part);
    if (last)
      pir_nearest_try(near, last + 4);
  }
}

int cli_bad_value(const cli_run *cli, const char *option, const char *value,
                  const char *expected) {
  const char *got = value ? value : "";
  char *list = strdup(expected);
  pir_nearest near = pir_nearest_begin(pir_str_from(got));
  if (list)
    try_words(&near, list);
  int code = cli_fail(cli, CLI_USAGE, "--%s: expected %s, got '%s'%s", option, expected, got,
                      pir_nearest_hint(&near).text);
  free(list);
  return code;
}
