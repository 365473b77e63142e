// Expected diagnostics. Comments are found by their marker. Each diagnostic takes the first
// expectation of the same severity and line whose text it contains. A remaining diagnostic or
// expectation is an error.
#include "expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const severities[] = {"error", "warning", "note", "remark"};

static bool contains(pir_str text, pir_str part) {
  return part.size == 0 || memmem(text.data, text.size, part.data, part.size) != NULL;
}

static void intercept(void *user, const pir_diag *diag) {
  expectations *e = user;
  for (size_t i = 0; i < e->count; i++) {
    expectation *x = &e->items[i];
    bool here = x->line == 0 ||
                (x->line == diag->place.line && pir_str_equal(diag->place.file, e->file));
    if (x->met || x->severity != diag->severity || !here || !contains(diag->message, x->text))
      continue;
    x->met = true;
    return;
  }
  if (diag->severity == PIR_NOTE || diag->severity == PIR_REMARK)
    return;  // these may be left unsaid
  e->failures++;
  fprintf(stderr, "%.*s:%u:%u: unexpected %s: %.*s\n", (int)diag->place.file.size,
          diag->place.file.data, diag->place.line, diag->place.column,
          severities[diag->severity], (int)diag->message.size, diag->message.data);
}

// Reads the part between "expected-error" and "{{", which gives the line.
static bool read_move(const char *at, const char *end, uint32_t own_line, uint32_t *out_line) {
  while (end > at && end[-1] == ' ')
    end--;
  *out_line = own_line;
  if (at == end)
    return true;
  if (*at++ != '@' || at == end)
    return false;
  size_t size = (size_t)(end - at);
  if (size == 1 && *at == '*')
    *out_line = 0;
  else if (size == 5 && memcmp(at, "above", 5) == 0)
    *out_line = own_line - 1;
  else if (size == 5 && memcmp(at, "below", 5) == 0)
    *out_line = own_line + 1;
  else {
    if ((*at != '+' && *at != '-') || size > 6)
      return false;
    char digits[8] = {0};
    memcpy(digits, at + 1, size - 1);
    uint64_t move;
    if (!cli_parse_u64(digits, &move))
      return false;
    *out_line = *at == '+' ? own_line + (uint32_t)move : own_line - (uint32_t)move;
  }
  return true;
}

// Reads one expectation at "expected-"; false when it is malformed or none.
static bool read_expectation(const char *at, const char *end, uint32_t line, expectation *out) {
  at += strlen("expected-");
  for (int i = 0; i < 4; i++) {
    size_t size = strlen(severities[i]);
    if ((size_t)(end - at) < size || memcmp(at, severities[i], size) != 0)
      continue;
    at += size;
    const char *open = memmem(at, (size_t)(end - at), "{{", 2);
    const char *close = open ? memmem(open, (size_t)(end - open), "}}", 2) : NULL;
    if (!close)
      return false;
    *out = (expectation){.severity = (pir_severity)i,
                         .own_line = line,
                         .text = {open + 2, (size_t)(close - open) - 2}};
    return read_move(at, open, line, &out->line);
  }
  return false;
}

static int add_line(expectations *e, pir_str line, uint32_t number) {
  const char *comment = memmem(line.data, line.size, "//", 2), *end = line.data + line.size;
  const char *at = comment ? memmem(comment, (size_t)(end - comment), "expected-", 9) : NULL;
  if (!at)
    return 0;
  expectation *grown = realloc(e->items, (e->count + 1) * sizeof *grown);
  if (!grown)
    return cli_fail(e->cli, CLI_LIMIT, "out of memory");
  e->items = grown;
  if (!read_expectation(at, end, number, &e->items[e->count]))
    return cli_fail(e->cli, CLI_USAGE,
                    "%.*s:%u: malformed expectation; write expected-error@+1 {{text}}",
                    (int)e->file.size, e->file.data, number);
  e->count++;
  return 0;
}

int expect_begin(cli_run *cli, pir_str file, pir_str text, uint32_t first_line,
                 expectations *out_expect) {
  *out_expect = (expectations){.cli = cli, .file = file};
  const char *at = text.data, *end = at + text.size;
  for (uint32_t line = first_line; at < end; line++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop)
      stop = end;
    int code = add_line(out_expect, (pir_str){at, (size_t)(stop - at)}, line);
    if (code)
      return code;
    at = stop + 1;
  }
  cli->intercept = intercept;
  cli->intercept_user = out_expect;
  return 0;
}

int expect_end(cli_run *cli, expectations *expect) {
  cli->intercept = NULL;
  for (size_t i = 0; i < expect->count; i++) {
    const expectation *x = &expect->items[i];
    if (x->met)
      continue;
    expect->failures++;
    fprintf(stderr, "%.*s:%u: expected %s was not reported: %.*s\n", (int)expect->file.size,
            expect->file.data, x->own_line, severities[x->severity], (int)x->text.size,
            x->text.data);
  }
  free(expect->items);
  return expect->failures ? CLI_INVALID : CLI_OK;
}
