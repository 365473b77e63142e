// What long work is at: a line on a terminal, which is removed before anything else is printed,
// and with --verbose a note for each stage that has ended, with its time.
#include "cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 79, DRAWINGS_A_SECOND = 10 };

static const uint64_t a_second = 1000000000u;

// The stage that the tool is in. Only the main thread reports.
typedef struct stage_state {
  const char *name;  // a constant; NULL: none
  uint64_t begin_ns, told_ns, drawn_ns;
  uint64_t done;
} stage_state;

static stage_state now_in;
static volatile sig_atomic_t progress_is_drawn;

bool cli_progress_is_drawn(void) {
  return progress_is_drawn;
}

static bool has_line(const cli_run *cli) {
  static int terminal = -1;  // not asked yet
  if (terminal < 0)
    terminal = cli_is_terminal(STDERR_FILENO);
  return terminal && !cli->json_diagnostics;
}

// The parts that a stage counts, for --verbose; NULL: its time says all.
static const char *unit_of(const char *stage) {
  static const char *const units[][2] = {
      {"read", " ops"},          {"compile", " pieces of code"},
      {"weights", " constants"}, {"write", " MB"},
      {"benchmark", NULL},       {"generate", " tokens"},
      {"tune", " models"},       {"dump", " values"},
      {"compare", " values"},    {"reduce", " trials"},
      {"run", " instructions"}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(units[i][0], stage) == 0)
      return units[i][1];
  return "";
}

// ---- the line

// "3 s", "2 min"; nothing can be told of work that has just begun.
static void put_time_left(char *text, size_t size, uint64_t ns, uint64_t done, uint64_t of) {
  *text = 0;
  if (!done || done >= of || ns < a_second / 2)
    return;
  double left = (double)ns / 1e9 * (double)(of - done) / (double)done;
  if (left < 90)
    snprintf(text, size, ", %.0f s left", left);
  else if (left < 5400)
    snprintf(text, size, ", %.0f min left", left / 60);
  else
    snprintf(text, size, ", %.1f h left", left / 3600);
}

static void draw_stage(const stage_state *s, const char *what, uint64_t done, uint64_t of,
                       uint64_t now) {
  char line[LINE + 1], left[32];
  int n = snprintf(line, sizeof line, "%s %llu", s->name, (unsigned long long)done);
  put_time_left(left, sizeof left, now - s->begin_ns, done, of);
  if (of && n < LINE)
    n += snprintf(line + n, sizeof line - (size_t)n, " of %llu, %.0f %%%s",
                  (unsigned long long)of, 100.0 * (double)done / (double)of, left);
  if (what && *what && n < LINE)
    snprintf(line + n, sizeof line - (size_t)n, ": %s", what);
  fprintf(stderr, "\r%s\033[K", line);
  fflush(stderr);
  progress_is_drawn = true;
}

void cli_progress_erase(void) {
  if (!progress_is_drawn)
    return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  progress_is_drawn = false;
}

// ---- stages

void cli_stage_end(const cli_run *cli) {
  stage_state ended = now_in;
  now_in = (stage_state){.told_ns = ended.told_ns};
  if (!ended.name || !cli->verbose)
    return;
  uint64_t end = cli_clock_ns();
  double ms = (double)(end - ended.begin_ns) * 1e-6;
  now_in.told_ns = end;
  const char *unit = unit_of(ended.name);
  if (ended.done && unit)
    cli_note(cli, "%s: %llu%s, %.1f ms", ended.name, (unsigned long long)ended.done, unit, ms);
  else
    cli_note(cli, "%s: %.1f ms", ended.name, ms);
}

// Work of which the first report says that a part is done began when the last one was told of.
static void begin_stage(const cli_run *cli, const char *name, uint64_t done) {
  cli_stage_end(cli);
  uint64_t now = cli_clock_ns();
  now_in.name = name;
  now_in.begin_ns = done && now_in.told_ns ? now_in.told_ns : now;
}

void cli_stage(const cli_run *cli, const char *name, const char *what, uint64_t done,
               uint64_t of) {
  bool shows = has_line(cli);
  if (!shows && !cli->verbose)
    return;
  bool first = !now_in.name || strcmp(now_in.name, name) != 0;
  if (first)
    begin_stage(cli, name, done);
  uint64_t now = cli_clock_ns();
  now_in.told_ns = now;
  if (done > now_in.done)
    now_in.done = done;
  if (!shows || (!first && now - now_in.drawn_ns < a_second / DRAWINGS_A_SECOND))
    return;
  now_in.drawn_ns = now;
  draw_stage(&now_in, what, done, of, now);
}

static void report_progress(void *user, const pir_progress *p) {
  cli_stage(user, pir_stage_name(p->stage), p->what, p->done, p->of);
}

pir_progress_sink cli_progress(cli_run *cli) {
  if (!cli->verbose && !has_line(cli))
    return (pir_progress_sink){0};
  return (pir_progress_sink){report_progress, cli};
}
