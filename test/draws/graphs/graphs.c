// draws --graphs=N: random programs of many ops, each compared as compiled under one drawn
// setup (or all) with kernels and float64. Graph i of --seed=S has seed S + i. A child process
// makes the graphs: one that crashes or hangs costs only itself.
#include "graphs.h"
#include "../child.h"
#include "../children.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SECONDS = 120, REDUCING = 900, PER_CONTEXT = 16 };

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

// Returns the setups for a graph: all, the one that was asked for, or a drawn one.
static size_t setups_of(const run *r, uint64_t seed, const draw_setup **out) {
  size_t count = graph_setups(out);
  if (r->o->all)
    return count;
  if (r->o->setup >= 0)
    *out += r->o->setup < (int)count ? r->o->setup : 0;
  if (r->o->setup >= 0)
    return 1;
  // Every second graph has the first setup, the one that compiles the most.
  uint64_t state = seed * 0x8CB92BA72F3D8DD7u;
  uint32_t at = (uint32_t)(draw_random(&state) >> 33) % (2 * (uint32_t)count);
  *out += at < count ? at : 0;
  return 1;
}

static void print_again(const run *r, uint64_t seed) {
  printf("  again: draws --graphs=1 --seed=%llu --ops=%u..%u", (unsigned long long)seed,
         r->o->least, r->o->most);
  if (r->o->setup >= 0)
    printf(" --setup=%d", r->o->setup);
  printf("%s\n", r->o->all ? " --all-options" : "");
  fflush(stdout);
}

static bool make_graph(const run *r, pir_context *ctx, uint64_t seed, graph *g, char *text) {
  graph_wish wish = {seed, r->o->least, r->o->most};
  return graph_create(g, ctx, r->noise) && graph_grow(g, r->menu, &wish, text) &&
         graph_settle(g, 1, text);
}

static void reduce_one(const run *r, graph *g, const draw_setup *setup) {
  draw_setup reduced = *setup;
  if (!r->o->reduce)
    return;
  draw_limit_time(REDUCING);
  if (!graph_reduce(g, &reduced))
    printf("// The graph does not fail again.\n");
  graph_print_test(g, &reduced);
  fflush(stdout);
}

static void judge_one(void *user, pir_context *ctx, long i) {
  run *r = user;
  static graph_report report;
  const draw_setup *setups;
  graph g;
  uint64_t seed = r->o->seed + (uint64_t)i;
  size_t count = setups_of(r, seed, &setups);
  r->t->at = i;
  draw_limit_time(SECONDS);
  report = (graph_report){.verdict = DRAW_UNFIT};
  bool made = make_graph(r, ctx, seed, &g, report.text);
  if (made && r->o->print)
    graph_print(&g);
  if (made)
    graph_judge(&g, setups, count, &report);
  bool unfit = report.verdict == DRAW_UNFIT;
  bool wrong = report.verdict == DRAW_DIFFERENT || report.verdict == DRAW_FAILED;
  r->t->unfit += unfit;
  r->t->drawn += !unfit;
  r->t->ops += unfit ? 0 : (long)graph_live_ops(&g);
  r->t->compiled += report.compiled;
  r->t->different += report.verdict == DRAW_DIFFERENT;
  r->t->failed += report.verdict == DRAW_FAILED;
  if (wrong || (r->o->verbose && unfit)) {
    printf("%s: %s\n", unfit ? "unfit" : "different", report.text);
    print_again(r, seed);
  }
  if (wrong)
    reduce_one(r, &g, &setups[report.setup]);
  graph_destroy(&g);
}

typedef struct crashed_graph {
  const run *run;
  long i;
} crashed_graph;

// Makes a graph that ended its process, and reduces it.
static int reduce_crashed(void *user) {
  const run *r = ((const crashed_graph *)user)->run;
  uint64_t seed = r->o->seed + (uint64_t)((const crashed_graph *)user)->i;
  const draw_setup *setups;
  char text[DRAW_TEXT];
  graph g;
  pir_context *ctx = r->o->context_create();
  size_t count = setups_of(r, seed, &setups);
  draw_limit_time(REDUCING);
  if (!draw_noise_register(r->noise, ctx) && make_graph(r, ctx, seed, &g, text))
    for (size_t k = 0; k < count; k++)
      reduce_one(r, &g, &setups[k]);
  return 0;
}

static void report_crash(void *user, long i, int status) {
  run *r = user;
  printf("crashed: %s\n", child_end(status));
  print_again(r, r->o->seed + (uint64_t)i);
  if (r->o->reduce)
    (void)child_run(reduce_crashed, &(crashed_graph){r, i});
}

int graphs_main(const graphs_options *o, const pir_opdef *const *ops, size_t count,
                draw_noise *noise) {
  run r = {.o = o, .noise = noise, .menu = graph_menu_create(ops, count)};
  r.t = mmap(NULL, sizeof *r.t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (r.t == MAP_FAILED || !r.menu)
    return 70;
  r.t->crashed = draw_in_children(&(draw_batch){.count = o->graphs,
                                                .per_context = PER_CONTEXT,
                                                .at = &r.t->at,
                                                .context_create = o->context_create,
                                                .noise = noise,
                                                .one = judge_one,
                                                .crashed = report_crash,
                                                .user = &r});
  printf(
      "seed %llu: %ld graphs of %ld ops: %ld compiled; %ld unfit; %ld different, %ld failed, "
      "%ld crashed\n",
      (unsigned long long)o->seed, r.t->drawn, r.t->ops, r.t->compiled, r.t->unfit,
      r.t->different, r.t->failed, r.t->crashed);
  return r.t->different || r.t->failed || r.t->crashed ? 4 : 0;
}
