// The line that shows the progress of long work: on a terminal only, and removed before
// anything else is printed.
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 79, DRAWINGS_A_SECOND = 10 };

static bool progress_is_drawn;

// Nanoseconds of CLOCK_MONOTONIC.
static uint64_t clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void draw(const pir_progress *p) {
  char line[LINE + 1];
  int n = snprintf(line, sizeof line, "%s %llu", pir_stage_name(p->stage),
                   (unsigned long long)p->done);
  if (p->of && n < LINE)
    n += snprintf(line + n, sizeof line - (size_t)n, " of %llu", (unsigned long long)p->of);
  if (*p->what && n < LINE)
    snprintf(line + n, sizeof line - (size_t)n, ": %s", p->what);
  fprintf(stderr, "\r%s\033[K", line);
  fflush(stderr);
  progress_is_drawn = true;
}

static void report_progress(void *user, const pir_progress *p) {
  cli_run *cli = user;
  uint64_t now = clock_ns();
  bool first = p->stage != cli->progress_stage;
  if (!first && now - cli->progress_ns < 1000000000u / DRAWINGS_A_SECOND)
    return;
  cli->progress_ns = now;
  cli->progress_stage = p->stage;
  draw(p);
}

pir_progress_sink cli_progress(cli_run *cli) {
  if (cli->json_diagnostics || !isatty(STDERR_FILENO))
    return (pir_progress_sink){0};
  cli->progress_stage = (pir_progress_stage)-1;
  return (pir_progress_sink){report_progress, cli};
}

void cli_progress_erase(void) {
  if (!progress_is_drawn)
    return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  progress_is_drawn = false;
}
