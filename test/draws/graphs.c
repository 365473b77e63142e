// draws --graphs=N: random programs of many ops, each compared as compiled under one drawn
// setup (or all) with kernels and float64. Graph i of --seed=S has seed S + i. A child process
// makes the graphs: one that crashes or hangs costs only itself.
#include "graphs.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 120, PER_CONTEXT = 16 };

typedef struct tally {
  long at;  // the graph that is being made
  long drawn, compiled, ops, unfit, different, failed, crashed;
} tally;

typedef struct run {
  const graphs_options *o;
  graph_menu *menu;
  draw_noise *noise;
  tally *t;
} run;

static bool to_stdout(void *user, const char *data, size_t size) {
  return fwrite(data, 1, size, user) == size;
}

static void print_graph(const graph *g) {
  char why[DRAW_TEXT];
  pir_program *program = graph_program(g, DRAW_AS_IS, GRAPH_FETCHED, 0, why);
  if (program)
    pir_ignore(pir_program_print(program, NULL, (pir_writer){to_stdout, stdout}));
  pir_program_destroy(program);
  fflush(stdout);
}

static int setup_of(const run *r, uint64_t seed) {
  const draw_setup *all;
  size_t count = graph_setups(&all);
  if (r->o->setup >= 0)
    return r->o->setup < (int)count ? r->o->setup : 0;
  // Every second graph has the first setup, the one that compiles the most.
  uint64_t state = seed * 0x8CB92BA72F3D8DD7u;
  uint32_t at = (uint32_t)(draw_random(&state) >> 33) % (2 * (uint32_t)count);
  return at < count ? (int)at : 0;
}

static void judge_one(run *r, pir_context *ctx, long i) {
  static graph_report report;
  graph g;
  uint64_t seed = r->o->seed + (uint64_t)i;
  graph_wish wish = {seed, r->o->least, r->o->most};
  r->t->at = i;
  alarm(SECONDS);
  report = (graph_report){.verdict = DRAW_UNFIT};
  bool grown = graph_create(&g, ctx, r->noise) && graph_grow(&g, r->menu, &wish, report.text) &&
               graph_settle(&g, 1, report.text);
  if (grown && r->o->print)
    print_graph(&g);
  if (grown)
    graph_judge(&g, r->o->all ? -1 : setup_of(r, seed), &report);
  bool wrong = report.verdict == DRAW_DIFFERENT || report.verdict == DRAW_FAILED;
  r->t->unfit += report.verdict == DRAW_UNFIT;
  r->t->drawn += report.verdict != DRAW_UNFIT;
  r->t->ops += report.verdict != DRAW_UNFIT ? (long)graph_live_ops(&g) : 0;
  r->t->compiled += report.compiled;
  r->t->different += report.verdict == DRAW_DIFFERENT;
  r->t->failed += report.verdict == DRAW_FAILED;
  if (wrong || (r->o->verbose && report.verdict == DRAW_UNFIT))
    printf("%s: %s\n  again: draws --graphs=1 --seed=%llu --ops=%u..%u%s\n",
           wrong ? "different" : "unfit", report.text, (unsigned long long)seed, r->o->least,
           r->o->most, r->o->all ? " --all-options" : "");
  if (wrong)
    print_graph(&g);
  graph_destroy(&g);
}

static void child(run *r, long from) {
  pir_context *ctx = NULL;
  for (long i = from; i < r->o->graphs; i++) {
    if (!ctx) {
      ctx = r->o->context_create();
      if (draw_noise_register(r->noise, ctx))
        _exit(70);
    }
    judge_one(r, ctx, i);
    if ((i - from) % PER_CONTEXT == PER_CONTEXT - 1) {
      pir_context_destroy(ctx);
      ctx = NULL;
    }
  }
  if (ctx)
    pir_context_destroy(ctx);
  fflush(stdout);
  _exit(0);
}

static void judge_all(run *r) {
  long from = 0;
  while (from < r->o->graphs) {
    int status = 0;
    r->t->at = from;
    fflush(stdout);
    pid_t pid = fork();
    if (pid < 0)
      exit(70);
    if (!pid)
      child(r, from);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    if (WIFEXITED(status) && !WEXITSTATUS(status))
      break;
    printf("crashed: %s\n  again: draws --graphs=1 --seed=%llu --ops=%u..%u%s\n",
           WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "ended its process",
           (unsigned long long)(r->o->seed + (uint64_t)r->t->at), r->o->least, r->o->most,
           r->o->all ? " --all-options" : "");
    r->t->crashed++;
    from = r->t->at + 1;
  }
}

int graphs_main(const graphs_options *o, const pir_opdef *const *ops, size_t count,
                draw_noise *noise) {
  run r = {.o = o, .noise = noise, .menu = graph_menu_create(ops, count)};
  r.t = mmap(NULL, sizeof *r.t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (r.t == MAP_FAILED || !r.menu)
    return 70;
  judge_all(&r);
  printf(
      "seed %llu: %ld graphs of %ld ops: %ld compiled; %ld unfit; %ld different, %ld failed, "
      "%ld crashed\n",
      (unsigned long long)o->seed, r.t->drawn, r.t->ops, r.t->compiled, r.t->unfit,
      r.t->different, r.t->failed, r.t->crashed);
  return r.t->different || r.t->failed || r.t->crashed ? 4 : 0;
}
