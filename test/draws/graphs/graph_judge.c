// Compares a graph's compiled code, its kernels and its float64 evaluation. The bound of a
// number is that of composed ops (judge.c): it grows with how far noise in every input and
// every rounding moves the number.
#include "../../../tools/ports.h"
#include "graph.h"
#include "../noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 4, MORE_TRIES = 64, TRIES_A_PROGRAM = 8, COMPOSED = 32 };

#define COMPILE(group) "ungrouped," group ",dce,bind"

static const draw_setup drawn[] = {
    {.pipeline = COMPILE("group{few=0}"), .threads = 1},
    {.pipeline = COMPILE("group{few=0}"), .target = "x86-64-v3", .threads = 1},
    {.pipeline = COMPILE("group{few=0}"), .target = "x86-64", .threads = 1},
    {.pipeline = COMPILE("group{few=0}"), .threads = 2},
    {.pipeline = "compile", .threads = 1, .served = true},
    {.pipeline = COMPILE("group{few=0}"), .target = "x86-64-v4", .threads = 1},
    {.pipeline = COMPILE("group{few=0}"), .target = "x86-64-v2", .threads = 2},
    {.pipeline = "writes,dce,check,expand,group{few=0},dce,bind", .threads = 1},
    {.pipeline = "compile", .target = "x86-64-v3", .threads = 2, .served = true},
    {.pipeline = COMPILE("group{few=0,refuse=emit,every=2}"), .threads = 1},
    {.pipeline = COMPILE("group{few=0,refuse=plan,every=3}"),
     .target = "x86-64-v3",
     .threads = 2},
    {.pipeline = COMPILE("group{few=16}"), .threads = 2},
};

size_t graph_setups(const draw_setup **out_setups) {
  *out_setups = drawn;
  return sizeof drawn / sizeof *drawn;
}

// ---- runs

static pir_status start(const graph *g, draw_width width, graph_outputs outputs,
                        const draw_setup *setup, draw_run *run) {
  *run = (draw_run){.status = PIR_INVALID};
  pir_program *program = graph_program(g, width, outputs, GRAPH_NONE, run->text);
  if (!program)
    return PIR_INVALID;
  return draw_start_program(g->ctx, program, setup, run);
}

static pir_status run_by(const graph *g, draw_width width, graph_outputs outputs,
                         const draw_setup *setup, double u, uint64_t noise, draw_run *run) {
  pir_status status = start(g, width, outputs, setup, run);
  if (!status)
    status = draw_feed_with(run, graph_find, g, u, noise);
  return status;
}

static const draw_setup by_kernels = {.pipeline = "kernels", .threads = 1};

bool graph_run_op(const graph *g, int op, draw_run *out_run) {
  *out_run = (draw_run){.status = PIR_INVALID};
  pir_program *program = graph_program(g, DRAW_AS_IS, GRAPH_OF_OP, op, out_run->text);
  return program && !draw_start_program(g->ctx, program, &by_kernels, out_run) &&
         !draw_feed_with(out_run, graph_find, g, 0, 0);
}

// The unit of the widest-spaced float type among the values.
static double unit_of(const graph *g) {
  double unit = 0;
  for (size_t i = 0; i < g->value_count; i++) {
    const graph_value *v = &g->values[i];
    bool gone = v->source == GRAPH_RESULT && g->ops[v->op].kind == GRAPH_GONE;
    if (!gone && (pir_dtype_is_float(v->type.dtype) || pir_dtype_is_complex(v->type.dtype)))
      unit = fmax(unit, draw_unit(v->type.dtype));
  }
  return fmax(unit, 0x1p-50);
}

static pir_walk_result note_unit(pir_op *op, void *user) {
  double *unit = user;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    const pir_type *type = pir_value_type(pir_op_result(op, i));
    bool tensor = pir_type_kind_of(type) == PIR_TYPE_TENSOR;
    pir_dtype dtype = tensor ? pir_type_dtype(type) : PIR_UNDEFINED;
    if (pir_dtype_is_float(dtype))
      *unit = fmax(*unit, draw_unit(dtype));
  }
  return PIR_WALK_CONTINUE;
}

// The unit of the widest-spaced float type between the ops that the float64 program is made
// of: some ops compute in f32 whatever they are given.
static double unit_inside(const graph *g, graph_outputs outputs) {
  char text[DRAW_TEXT];
  double unit = 0;
  pir_program *program = graph_program(g, DRAW_WIDE, outputs, GRAPH_NONE, text);
  if (program && draw_run_passes(g->ctx, program, "expand"))
    pir_walk(pir_program_module(program), PIR_PRE_ORDER, note_unit, &unit);
  pir_program_destroy(program);
  return unit;
}

typedef struct reference {
  draw_run kernels, wide;
  draw_moves moves;
  uint64_t tries;  // that the moves are the largest of
  double unit;
} reference;

// Notes the moves of a few more tries, up to `tries` in all. One session makes them: the
// evaluator reads the constants of the noise when it runs.
static bool try_program(const graph *g, graph_outputs outputs, double far, uint64_t tries,
                        reference *r) {
  draw_run *run = calloc(1, sizeof *run);
  draw_noise_set(g->noise, far, r->tries + 1);
  bool whole = run && !start(g, DRAW_NOISY, outputs, &by_kernels, run);
  for (int i = 0; whole && i < TRIES_A_PROGRAM && r->tries < tries; i++) {
    uint64_t t = ++r->tries;
    draw_noise_set(g->noise, far, t);
    draw_feed_with(run, graph_find, g, far, t);
    draw_moves_note(&r->wide, run, r->unit / far, &r->moves);
  }
  if (run)
    draw_stop(run);
  free(run);
  return whole;
}

// Measures how far noise of `times` units moves the outputs, until there were `tries` tries.
// Every second program's noise is twice as large, and its moves count half: a number may lie
// nearly as far from a step as it is rounded.
static bool try_noise(const graph *g, graph_outputs outputs, double times, uint64_t tries,
                      reference *r) {
  double far = fmin(times * r->unit, 0x1p-6);
  bool whole = true;
  while (whole && r->tries < tries)
    whole = try_program(g, outputs, r->tries / TRIES_A_PROGRAM % 2 ? 2 * far : far, tries, r);
  return whole;
}

// Runs in float64; the outputs move only as far as try_noise will say.
static bool refer(const graph *g, graph_outputs outputs, reference *r) {
  r->unit = fmax(unit_of(g), unit_inside(g, outputs));
  return !run_by(g, DRAW_WIDE, outputs, &by_kernels, 0, 0, &r->wide) &&
         draw_moves_create(&r->wide, &r->moves);
}

static void forget(reference *r) {
  draw_stop(&r->kernels);
  draw_stop(&r->wide);
  draw_moves_destroy(&r->moves);
}

// ---- the verdict

static void fail(graph_report *r, draw_verdict verdict, const draw_setup *setup) {
  size_t n = strlen(r->text);
  r->verdict = verdict;
  if (setup)
    snprintf(r->text + n, sizeof r->text - n, " [%s%s%s, %d threads]", setup->pipeline,
             setup->target ? " for " : "", setup->target ? setup->target : "", setup->threads);
}

static bool agree_so_far(const char *name, const draw_run *got, const draw_run *want,
                         const reference *r, graph_report *out) {
  draw_comparison c = {.name = name,
                       .got = got,
                       .want = want,
                       .kernels = &r->kernels,
                       .moves = &r->moves,
                       .allowance = {.ulps = COMPOSED, .composed = true, .unit = r->unit},
                       .wide = want == &r->wide,
                       .linked = true};
  return draw_compare(&c, out->text, sizeof out->text);
}

// Most graphs agree before any noise is tried. A few tries may miss a move: at a step such as
// floor(x / x), half of all noise moves nothing. So a difference counts only when it is beyond
// the moves of many tries.
static bool agree(const graph *g, const char *name, const draw_run *got, const draw_run *want,
                  reference *r, graph_report *out) {
  static const uint64_t tries[] = {TRIES, MORE_TRIES};
  bool same = agree_so_far(name, got, want, r, out);
  for (size_t i = 0; !same && i < sizeof tries / sizeof *tries; i++)
    same = try_noise(g, GRAPH_FETCHED, 1, tries[i], r) && agree_so_far(name, got, want, r, out);
  return same;
}

static bool same_bits(const draw_run *a, const draw_run *b) {
  for (size_t i = 0; i < a->output_count; i++) {
    const pir_tensor *x = &a->outputs[i], *y = &b->outputs[i];
    size_t bytes = (size_t)pir_tensor_numel(x) * pir_dtype_size(x->dtype);
    if (pir_tensor_numel(x) != pir_tensor_numel(y) ||
        (bytes && memcmp(x->data, y->data, bytes) != 0))
      return false;
  }
  return true;
}

// The second run of a session begins with the memory that the first one left.
static bool repeats(const graph *g, draw_run *run, graph_report *out) {
  draw_run *first = calloc(1, sizeof *first);
  if (!first)
    return true;
  memcpy(first->outputs, run->outputs, sizeof first->outputs);
  first->output_count = run->output_count;
  memset(run->outputs, 0, sizeof run->outputs);
  bool same = !draw_feed_with(run, graph_find, g, 0, 0) && same_bits(first, run);
  if (!same)
    snprintf(out->text, sizeof out->text, "compiled code: the second run differs %s",
             run->text);
  draw_stop(first);
  free(first);
  return same;
}

static void judge_setup(const graph *g, const draw_setup *setup, reference *r,
                        graph_report *out) {
  draw_run *run = calloc(1, sizeof *run);
  if (!run)
    return;
  pir_status status = run_by(g, DRAW_AS_IS, GRAPH_FETCHED, setup, 0, 0, run);
  if (status) {
    snprintf(out->text, sizeof out->text, "kernels: run; compiled code: %s", run->text);
    fail(out, DRAW_FAILED, setup);
  } else if (!agree(g, "compiled code and float64", run, &r->wide, r, out) ||
             !agree(g, "compiled code and kernels", run, &r->kernels, r, out) ||
             !repeats(g, run, out)) {
    fail(out, DRAW_DIFFERENT, setup);
  }
  if (run->model)
    out->compiled |= model_stats(run->model).kernels_compiled > 0;
  draw_stop(run);
  free(run);
}

void graph_judge(const graph *g, const draw_setup *setups, size_t count,
                 graph_report *out_report) {
  reference *r = calloc(1, sizeof *r);
  *out_report = (graph_report){.verdict = DRAW_AGREES};
  if (!r)
    return;
  pir_status status = run_by(g, DRAW_AS_IS, GRAPH_FETCHED, &by_kernels, 0, 0, &r->kernels);
  if (status) {
    snprintf(out_report->text, sizeof out_report->text, "kernels: %s", r->kernels.text);
    out_report->verdict = status == PIR_INTERNAL ? DRAW_FAILED : DRAW_UNFIT;
  } else if (!refer(g, GRAPH_FETCHED, r)) {
    snprintf(out_report->text, sizeof out_report->text, "float64: %s", r->wide.text);
    out_report->verdict = DRAW_UNFIT;
  } else if (!agree(g, "kernels and float64", &r->kernels, &r->wide, r, out_report)) {
    fail(out_report, DRAW_DIFFERENT, NULL);
  }
  for (size_t i = 0; i < count && out_report->verdict == DRAW_AGREES; i++) {
    out_report->setup = i;
    judge_setup(g, &setups[i], r, out_report);
  }
  forget(r);
  free(r);
}

// ---- what is fit for a comparison

// Whether noise moves a value so far that only gross errors would show, or an integer at all.
static bool is_moved(const pir_tensor *t, const double *moves, double unit) {
  double share = fmin(4096 * unit, 0x1p-6);
  int64_t far = 0, count = pir_tensor_numel(t);
  double most = 0;
  bool whole = draw_is_exact(t->dtype);
  if (pir_dtype_is_complex(t->dtype))
    return false;
  for (int64_t i = 0; i < count; i++)
    most = fmax(most, fabs(pir_tensor_float_at(t, i)));
  for (int64_t i = 0; i < count; i++)
    far += whole ? moves[i] > 0 : !(moves[i] <= share * most);
  return whole ? far > 0 : far * 20 > count;
}

// Whether an op decides on floats: its result is whole.
static bool decides(const graph *g, const graph_value *v) {
  const graph_op *op = &g->ops[v->op];
  bool floats = op->kind != GRAPH_CALL;
  for (size_t k = 0; k < GRAPH_READS; k++)
    floats |= op->reads[k] >= 0 && pir_dtype_is_float(g->values[op->reads[k]].type.dtype);
  return floats && !pir_dtype_is_float(v->type.dtype) && !pir_dtype_is_complex(v->type.dtype);
}

static bool same_integers(const pir_tensor *a, const pir_tensor *b) {
  bool same = pir_tensor_numel(a) == pir_tensor_numel(b);
  for (int64_t i = 0; same && i < pir_tensor_numel(a); i++)
    same = pir_tensor_int_at(a, i) == pir_tensor_int_at(b, i);
  return same;
}

// Whether a number is 0 or infinite in its own type, and not in float64: a step such as floor,
// or a quotient, tells them apart.
static bool leaves_range(const pir_tensor *own, const pir_tensor *wide) {
  bool leaves = false;
  if (draw_is_exact(own->dtype) || tensor_parts(own) != tensor_parts(wide))
    return false;
  for (int64_t i = 0; !leaves && i < tensor_parts(own); i++) {
    double x = tensor_part(own, i), y = tensor_part(wide, i);
    bool gone = x == 0 && y != 0 && pir_dtype_is_float(own->dtype);
    leaves = gone || (!isfinite(x) && isfinite(y));
  }
  return leaves;
}

static void remove_readers(graph *g, int value) {
  for (size_t i = 0; i < g->op_count; i++)
    for (size_t k = 0; k < GRAPH_READS && g->ops[i].kind != GRAPH_GONE; k++)
      if (g->ops[i].reads[k] == value)
        graph_remove_op(g, (int)i);
}

bool graph_settle(graph *g, size_t least, char *text) {
  enum { NOISE = 16 };  // in units: ties show
  reference *r = calloc(1, sizeof *r);
  draw_run *run = &r->kernels;
  if (!r)
    return false;
  if (run_by(g, DRAW_AS_IS, GRAPH_ALL, &by_kernels, 0, 0, run)) {
    graph_forget_unknown(g);
    draw_stop(run);
    run_by(g, DRAW_AS_IS, GRAPH_ALL, &by_kernels, 0, 0, run);
  }
  bool known =
      !run->status && refer(g, GRAPH_ALL, r) && try_noise(g, GRAPH_ALL, NOISE, TRIES, r);
  for (size_t i = 0; known && i < r->wide.output_count; i++) {
    const pir_tensor *wide = &r->wide.outputs[i];
    int v = graph_value_of(g, output_port(r->wide.model, i).name);
    if (v < 0 || g->ops[g->values[v].op].kind == GRAPH_GONE)
      continue;
    // Underflow and overflow decide in f32 but not in float64.
    bool differs = decides(g, &g->values[v]) && !same_integers(wide, &run->outputs[i]);
    if (differs || is_moved(wide, r->moves.of[i], r->unit))
      graph_remove_op(g, g->values[v].op);
    else if (leaves_range(&run->outputs[i], wide))
      remove_readers(g, v);
  }
  const char *why = "noise moves all of it";
  if (!known)
    why = run->status ? run->text : r->wide.text;
  snprintf(text, DRAW_TEXT, "%s", why);
  forget(r);
  free(r);
  graph_fetch_ends(g);
  graph_sweep(g);
  return known && graph_live_ops(g) >= least;
}

bool graph_refresh(graph *g) {
  draw_run *run = calloc(1, sizeof *run);
  bool runs = run && !run_by(g, DRAW_AS_IS, GRAPH_ALL, &by_kernels, 0, 0, run);
  for (size_t i = 0; runs && i < run->output_count; i++) {
    int v = graph_value_of(g, output_port(run->model, i).name);
    void *old = v >= 0 ? g->values[v].data : NULL;
    runs = v >= 0 && graph_take_tensor(&g->values[v], &run->outputs[i]);
    free(old);
  }
  draw_stop(run);
  free(run);
  return runs;
}
