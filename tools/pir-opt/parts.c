// Divides a file into parts by one look at each line, and handles parts that are a single type
// or attribute.
#include "parts.h"

#include <string.h>

#define SEPARATOR "// -----"
#define CASE "//CHECK "
#define CASE_END "//END"

static bool starts(const char *line, const char *end, const char *with) {
  size_t size = strlen(with);
  return (size_t)(end - line) >= size && memcmp(line, with, size) == 0;
}

static const char *line_end(const char *line, const char *end) {
  const char *stop = memchr(line, '\n', (size_t)(end - line));
  return stop ? stop + 1 : end;
}

// The first line from `at` on that starts with the word, or the end.
static const char *find_line(const char *at, const char *end, const char *with) {
  while (at < end && !starts(at, end, with))
    at = line_end(at, end);
  return at;
}

part_walk parts_of(pir_str text) {
  const char *end = text.data + text.size;
  bool cases = text.size && find_line(text.data, end, CASE) < end;
  return (part_walk){.text = text, .at = text.data, .line = 1, .cases = cases, .first = true};
}

// Moves to `to`, counting lines.
static void move(part_walk *walk, const char *to) {
  for (; walk->at < to; walk->at++)
    walk->line += *walk->at == '\n';
}

static bool next_case(part_walk *walk, program_part *out) {
  static const struct {
    const char *begin;
    part_kind kind;
  } kinds[] = {{CASE "program\n", PART_PROGRAM},
               {CASE "type\n", PART_TYPE},
               {CASE "attribute\n", PART_ATTRIBUTE}};
  const char *end = walk->text.data + walk->text.size, *head = find_line(walk->at, end, CASE);
  if (head == end)
    return false;
  *out = (program_part){.kind = PART_PROGRAM, .begin = kinds[0].begin, .end = CASE_END "\n"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (starts(head, end, kinds[i].begin)) {
      out->kind = kinds[i].kind;
      out->begin = kinds[i].begin;
    }
  const char *body = line_end(head, end), *stop = find_line(body, end, CASE_END);
  move(walk, body);
  out->line = walk->line;
  out->text = (pir_str){body, (size_t)(stop - body)};
  move(walk, line_end(stop, end));
  return true;
}

bool next_part(part_walk *walk, program_part *out) {
  if (walk->cases)
    return next_case(walk, out);
  if (walk->done)
    return false;
  const char *end = walk->text.data + walk->text.size,
             *stop = find_line(walk->at, end, SEPARATOR);
  *out = (program_part){.kind = PART_PROGRAM,
                        .text = {walk->at, (size_t)(stop - walk->at)},
                        .line = walk->line,
                        .begin = walk->first ? "" : SEPARATOR "\n",
                        .end = ""};
  walk->first = false;
  walk->done = stop == end;
  move(walk, line_end(stop, end));
  return true;
}

int process_value(cli_run *cli, const program_part *part, const char *file, pir_text_form form,
                  pir_writer out) {
  pir_context *ctx = cli_context_create(cli);
  if (!ctx)
    return CLI_INTERNAL;
  pir_parse_options options = {
      .size = sizeof options, .file = pir_str_from(file), .first_line = part->line};
  const pir_type *type = NULL;
  const pir_attr *attr = NULL;
  bool is_type = part->kind == PART_TYPE;
  pir_status status = is_type ? pir_type_parse(ctx, part->text, &options, &type)
                              : pir_attr_parse(ctx, part->text, &options, &attr);
  if (!status)
    status = is_type ? pir_type_print_as(type, form, out) : pir_attr_print_as(attr, form, out);
  if (!status && !out.write(out.user, "\n", 1))
    status = PIR_IO;
  pir_context_destroy(ctx);
  return cli_exit_code(status);
}
