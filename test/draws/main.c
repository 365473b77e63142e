// draws: random programs of one op, drawn from the op declarations. Each is run by kernels, as
// compiled code and in float64, and the numbers are compared (judge.c). A draw is a function of
// its seed: draw i of --seed=S has seed S + i, and its op is the seed's entry in the list of
// ops, so as many draws as there are ops cover each op once.
//
// A child process makes the draws: one that crashes or hangs costs only itself and is named,
// and the next child continues after it.
#include "children.h"
#include "gradients.h"
#include "graphs/graphs.h"

#include <pir/compiler/text.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_OPS = 4096, SECONDS = 60, PER_CONTEXT = 64 };
// As many ops are drawn at least, and of their draws no more may find no program, or none in
// float64, in percent.
enum { LEAST_OPS = 830, MOST_UNFIT = 8, MOST_ALONE = 8, LEAST_DRAWS = 200, OF_EACH = 20 };

typedef struct options {
  uint64_t seed;
  long draws;
  const char *op, *list;
  bool verbose, print, chains, extremes, schedules;
  bool clauses;    // ops of clauses.ops
  bool gradients;  // of ops, beside derivatives
  draw_verdict (*judge)(draw *d, draw_report *out_report);
  graphs_options g;
} options;

// Ops that are not drawn although they compute, with the reason.
typedef struct exception {
  const char *op, *reason;
} exception;

static const exception exceptions[] = {
#include "tables/not_drawn.inc"
};
// Ops with more than one right result: gradients of what one kernel gives are drawn.
static const exception several[] = {
#include "tables/not_unique.inc"
};
// Ops whose numbers differ with the element type, with the reason: kernels and compiled code
// are compared alone.
static const exception typed[] = {
#include "tables/not_widened.inc"
};

typedef struct tally {
  uint32_t drawn, compiled, alone, refused, different, failed, unfit, exact, extreme;
} tally;

// The report of a child process to its parent.
typedef struct shared {
  long at;       // the draw that is being made
  char op[128];  // its op
  tally ops[MAX_OPS];
} shared;

typedef struct run {
  options o;
  const pir_opdef *ops[MAX_OPS];
  size_t op_count;
  draw_noise *noise;
  shared *s;
} run;

extern const pir_dialect pir_draw_dialect;  // of clauses.ops
static bool with_clauses;

static pir_context *context_create(void) {
  pir_context *ctx = pir_context_create(NULL);
  bool loaded = ctx && !pir_dialects_load_all(ctx);
  if (loaded && (!with_clauses || !pir_context_register(ctx, &pir_draw_dialect)))
    return ctx;
  fprintf(stderr, "draws: the dialects do not load\n");
  exit(70);
}

static bool is_typed(const pir_opdef *def) {
  for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
    if (!strcmp(typed[i].op, def->name))
      return true;
  return false;
}

// ---- the list of ops

static const char *why_not(const options *o, const pir_opdef *def) {
  const char *reason = draw_refusal(def);
  for (size_t i = 0; !reason && i < sizeof exceptions / sizeof *exceptions; i++)
    if (!strcmp(exceptions[i].op, def->name))
      reason = exceptions[i].reason;
  for (size_t i = 0; !reason && !o->gradients && i < sizeof several / sizeof *several; i++)
    if (!strcmp(several[i].op, def->name))
      reason = several[i].reason;
  return !reason && o->gradients ? draw_excuse(def) : reason;
}

static void list_ops(run *r, pir_context *ctx) {
  for (size_t k = 0; k < pir_context_dialects(ctx); k++) {
    const pir_dialect *dialect = pir_context_dialect(ctx, k);
    for (size_t i = 0; i < dialect->op_count && r->op_count < MAX_OPS; i++) {
      const pir_opdef *def = &dialect->ops[i];
      const char *reason = why_not(&r->o, def);
      char bound[64];
      if ((r->o.op && strcmp(r->o.op, def->name)) || (r->o.gradients && !def->grad_count))
        continue;
      draw_bound_text(def, bound, sizeof bound);
      if (r->o.list)
        printf("%s\t%s\t%s\n", def->name, reason ? "not drawn" : "drawn",
               reason ? reason : bound);
      bool mine = r->o.clauses == (dialect == &pir_draw_dialect);
      bool graphs = r->o.g.graphs && is_typed(def);
      bool floats = r->o.extremes && draw_is_of_floats(def);
      if (!reason && mine && !graphs && !floats &&
          (!r->o.chains || (draw_chains(def) && !is_typed(def))))
        r->ops[r->op_count++] = def;
    }
  }
}

// ---- draws

static bool to_stdout(void *user, const char *data, size_t size) {
  return fwrite(data, 1, size, user) == size;
}

static void print_program(void *user, const draw *d) {
  char why[DRAW_TEXT];
  pir_program *program = draw_program(d, DRAW_AS_IS, why);
  if (program)
    pir_ignore(pir_program_print(program, NULL, (pir_writer){to_stdout, stdout}));
  pir_program_destroy(program);
  fflush(stdout);
  (void)user;
}

static const char *manner(const run *r) {
  if (r->o.clauses)
    return "--clauses ";
  if (r->o.gradients)
    return "--gradients ";
  if (r->o.extremes)
    return "--extremes ";
  return r->o.schedules ? "--schedules " : "";
}

static void show(const run *r, const draw *d, uint64_t seed, const char *what,
                 const char *text) {
  if (r->o.chains)
    printf("%s: ..., %s: %s\n  again: draws --chains --seed=%llu --draws=1\n", what,
           d->def->name, text, (unsigned long long)seed);
  else
    printf("%s: %s: %s\n  again: draws %s--op=%s --seed=%llu --draws=1\n", what, r->s->op, text,
           manner(r), r->s->op, (unsigned long long)seed);
  if (!r->o.print)
    print_program(NULL, d);
  fflush(stdout);
}

static void draw_one(void *user, pir_context *ctx, long i) {
  run *r = user;
  static draw steps[DRAW_STEPS];
  static draw_report report;
  draw *d = steps;
  report = (draw_report){0};
  uint64_t seed = r->o.seed + (uint64_t)i;
  size_t at = (size_t)(seed * 613 % r->op_count);
  tally *t = &r->s->ops[at];
  r->s->at = i;
  snprintf(r->s->op, sizeof r->s->op, "%s", r->ops[at]->name);
  draw_limit_time(SECONDS);
  report.found = r->o.print ? print_program : NULL;
  if (r->o.chains)
    d = draw_chain(steps, ctx, r->noise, r->ops, r->op_count, seed);
  else {
    draw_start_op(d, ctx, r->noise, r->ops[at], seed);
    d->alone = is_typed(d->def);
    d->extremes = r->o.extremes;
    d->large = r->o.schedules;
  }
  draw_verdict verdict = d ? r->o.judge(d, &report) : DRAW_UNFIT;
  t->refused += report.refused;
  if (verdict == DRAW_UNFIT) {
    t->unfit++;
    if (r->o.verbose)
      printf("unfit: %s: %s\n", d ? d->def->name : "a chain", report.text);
    return;
  }
  t->drawn++;
  t->compiled += report.compiled;
  t->exact += report.exact;
  t->extreme += report.extreme;
  if (verdict == DRAW_ALONE)
    t->alone++;
  if (verdict == DRAW_DIFFERENT) {
    t->different++;
    show(r, d, seed, "different", report.text);
  }
  if (verdict == DRAW_FAILED) {
    t->failed++;
    show(r, d, seed, "failed", report.text);
  }
}

static const char *end_of_process(int status) {
  if (!WIFSIGNALED(status))
    return "ended its process";
  bool late = WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM;
  return late ? "takes longer than a minute" : strsignal(WTERMSIG(status));
}

static void report_crash(void *user, long i, int status) {
  const run *r = user;
  printf("crashed: %s: %s\n  again: draws %s--op=%s --seed=%llu --draws=1\n", r->s->op,
         end_of_process(status), manner(r), r->s->op,
         (unsigned long long)(r->o.seed + (uint64_t)i));
}

// Makes all draws; returns how many ended their process.
static long draw_all(run *r) {
  return draw_in_children(&(draw_batch){.count = r->o.draws,
                                        .per_context = PER_CONTEXT,
                                        .at = &r->s->at,
                                        .context_create = context_create,
                                        .noise = r->noise,
                                        .one = draw_one,
                                        .crashed = report_crash,
                                        .user = r});
}

// ---- the end

static tally total(const run *r, size_t *out_met) {
  tally sum = {0};
  *out_met = 0;
  for (size_t i = 0; i < r->op_count; i++) {
    const tally *t = &r->s->ops[i];
    sum.drawn += t->drawn;
    sum.compiled += t->compiled;
    sum.alone += t->alone;
    sum.refused += t->refused;
    sum.different += t->different;
    sum.failed += t->failed;
    sum.unfit += t->unfit;
    sum.exact += t->exact;
    sum.extreme += t->extreme;
    *out_met += t->drawn > 0;
    if (r->o.verbose && (t->unfit || t->refused || t->alone || t->different || t->failed))
      printf(
          "%s: %u drawn, %u unfit, %u refused, %u without float64, %u different, %u failed\n",
          r->ops[i]->name, t->drawn, t->unfit, t->refused, t->alone, t->different, t->failed);
  }
  return sum;
}

// Every op needs a draw.
static int report_gradients(const run *r, long crashed) {
  size_t met;
  tally t = total(r, &met);
  bool enough = r->o.draws < (long)r->op_count || met == r->op_count;
  printf("seed %llu: gradients of %zu ops in %u draws: %u differ, %ld crashed; %u draws fit "
         "nothing\n",
         (unsigned long long)r->o.seed, met, t.drawn, t.different, crashed, t.unfit);
  for (size_t i = 0; i < r->op_count && !enough; i++)
    if (!r->s->ops[i].drawn)
      printf("%s: no draw fits\n", r->ops[i]->name);
  return !enough || t.different || crashed ? 4 : 0;
}

static int report(const run *r, long crashed) {
  size_t met;
  tally t = total(r, &met);
  printf("seed %llu: %u draws of %zu ops: %u compiled, %u without float64; %u refused by a "
         "run, %u without a draw that "
         "fits\n",
         (unsigned long long)r->o.seed, t.drawn, met, t.compiled, t.alone, t.refused, t.unfit);
  printf("%zu ops are drawn: %u different, %u failed, %ld crashed\n", r->op_count, t.different,
         t.failed, crashed);
  printf(
      "%u of the draws read integers at the ends of their types; %u are compared with 128-bit "
      "arithmetic\n",
      t.extreme, t.exact);
  unsigned tried = t.unfit + t.drawn;  // a few draws tell no share
  bool enough = r->o.op || r->o.chains || r->o.extremes || r->o.schedules || r->o.clauses ||
                (r->op_count >= LEAST_OPS &&
                 (tried < LEAST_DRAWS || (t.unfit * 100 <= tried * MOST_UNFIT &&
                                          t.alone * 100 <= tried * MOST_ALONE)));
  if (!enough)
    printf("expected are %d ops, and at most %d%% of draws without a program, %d%% without "
           "float64\n",
           LEAST_OPS, MOST_UNFIT, MOST_ALONE);
  return !enough || t.different || t.failed || crashed ? 4 : 0;
}

static bool read_graphs_option(const char *text, graphs_options *g) {
  if (!strncmp(text, "--graphs=", 9))
    g->graphs = strtol(text + 9, NULL, 10);
  else if (!strncmp(text, "--ops=", 6))
    return sscanf(text + 6, "%u..%u", &g->least, &g->most) == 2;
  else if (!strncmp(text, "--setup=", 8))
    g->setup = atoi(text + 8);
  else if (!strcmp(text, "--all-options"))
    g->all = true;
  else if (!strcmp(text, "--as-drawn"))
    g->reduce = false;
  else
    return false;
  return true;
}

static bool read_options(int argc, char **argv, options *o) {
  *o = (options){.seed = 1,
                 .draws = -1,
                 .judge = draw_judge,
                 .g = {.least = 5, .most = 60, .setup = -1, .reduce = true}};
  for (int i = 1; i < argc; i++) {
    if (!strncmp(argv[i], "--seed=", 7))
      o->seed = strtoull(argv[i] + 7, NULL, 10);
    else if (!strncmp(argv[i], "--draws=", 8))
      o->draws = strtol(argv[i] + 8, NULL, 10);
    else if (!strncmp(argv[i], "--op=", 5))
      o->op = argv[i] + 5;
    else if (!strcmp(argv[i], "--list"))
      o->list = argv[i];
    else if (!strcmp(argv[i], "--verbose"))
      o->verbose = true;
    else if (!strcmp(argv[i], "--chains"))
      o->chains = true;
    else if (!strcmp(argv[i], "--extremes"))
      o->extremes = true;
    else if (!strcmp(argv[i], "--schedules"))
      o->schedules = true;
    else if (!strcmp(argv[i], "--clauses"))
      o->clauses = with_clauses = true;
    else if (!strcmp(argv[i], "--gradients"))
      o->gradients = true;
    else if (!strcmp(argv[i], "--print"))
      o->print = true;
    else if (!read_graphs_option(argv[i], &o->g))
      return false;
  }
  if (o->schedules)
    o->judge = draw_judge_schedules;
  if (o->gradients)
    o->judge = draw_judge_gradients;
  o->g.seed = o->seed;
  o->g.print = o->print;
  o->g.verbose = o->verbose;
  o->g.context_create = context_create;
  return o->g.least >= 1 && o->g.least <= o->g.most && o->g.most <= GRAPH_OPS / 2;
}

int main(int argc, char **argv) {
  static run r;
  if (!read_options(argc, argv, &r.o)) {
    fprintf(stderr, "usage: draws [--seed=N] [--draws=N] [--op=NAME | --chains] "
                    "[--extremes | --schedules | --clauses | --gradients] [--list] [--print] "
                    "[--verbose]\n"
                    "       draws --graphs=N [--seed=N] [--ops=MIN..MAX] [--setup=N | "
                    "--all-options] [--as-drawn] [--print] [--verbose]\n");
    return 2;
  }
  pir_context *ctx = context_create();
  list_ops(&r, ctx);
  r.noise = draw_noise_create(ctx);
  pir_context_destroy(ctx);
  if (r.o.list)
    return 0;
  if (r.o.g.graphs)
    return graphs_main(&r.o.g, r.ops, r.op_count, r.noise);
  if (!r.op_count) {
    fprintf(stderr, "draws: no such op\n");
    return 2;
  }
  if (r.o.draws < 0)
    r.o.draws = r.o.gradients ? OF_EACH * (long)r.op_count : 500;
  r.s = mmap(NULL, sizeof *r.s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (r.s == MAP_FAILED)
    return 70;
  long crashed = draw_all(&r);
  return r.o.gradients ? report_gradients(&r, crashed) : report(&r, crashed);
}
