// Reduces a graph that fails: leaves out outputs and ops, puts inputs in place of results,
// shrinks extents, drops what is not needed of attributes and of the setup, as long as the
// graph fails in the same way. Every candidate is judged in a process of its own, which may
// crash. What is left is printed as a text test.
#include "graph.h"

#include <pir/layer/lower.h>
#include <pir/compiler/text.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "../child.h"

enum { SECONDS = 30, CANDIDATES = 1500, LEAST_FAILURE = 10 };

typedef struct reduction {
  graph g;      // fails
  graph trial;  // a candidate
  draw_setup setup;
  int failure;
  int left;  // candidates
} reduction;

// ---- how a graph fails

static int failure_of(const graph_report *r) {
  if (r->verdict != DRAW_DIFFERENT && r->verdict != DRAW_FAILED)
    return 0;
  return LEAST_FAILURE + 2 * (r->verdict == DRAW_FAILED) + !strncmp(r->text, "kernels", 7);
}

typedef struct candidate {
  graph *g;
  const draw_setup *setup;
} candidate;

static int judge_candidate(void *user) {
  static graph_report report;
  const candidate *c = user;
  draw_limit_time(SECONDS);
  graph_judge(c->g, c->setup, 1, &report);
  return failure_of(&report);
}

static int failure_in_child(graph *g, const draw_setup *setup) {
  int status = child_run(judge_candidate, &(candidate){g, setup});
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Takes the trial when it fails like the graph; destroys it otherwise.
static bool accept(reduction *r) {
  bool same = r->left-- > 0 && graph_live_ops(&r->trial) > 0 &&
              failure_in_child(&r->trial, &r->setup) == r->failure;
  if (same) {
    graph_destroy(&r->g);
    r->g = r->trial;
  } else {
    graph_destroy(&r->trial);
  }
  r->trial = (graph){0};
  return same;
}

static bool begin(reduction *r) {
  return r->left > 0 && graph_copy(&r->g, &r->trial);
}

// ---- candidates

static bool keep_one_output(reduction *r) {
  size_t fetched = 0;
  for (size_t i = 0; i < r->g.value_count; i++)
    fetched += r->g.values[i].fetched;
  for (size_t i = 0; fetched > 1 && i < r->g.value_count; i++) {
    if (!r->g.values[i].fetched || !begin(r))
      continue;
    for (size_t k = 0; k < r->trial.value_count; k++)
      r->trial.values[k].fetched = k == i;
    graph_sweep(&r->trial);
    if (accept(r))
      return true;
  }
  return false;
}

static bool drop_outputs(reduction *r) {
  bool changed = false;
  for (size_t i = r->g.value_count; i-- > 0;) {
    if (!r->g.values[i].fetched || !begin(r))
      continue;
    r->trial.values[i].fetched = false;
    graph_sweep(&r->trial);
    changed |= accept(r);
  }
  return changed;
}

// Makes inputs of the results of an op.
static void make_inputs(graph *g, size_t op) {
  for (size_t i = 0; i < g->value_count; i++) {
    graph_value *v = &g->values[i];
    if (v->source != GRAPH_RESULT || (size_t)v->op != op)
      continue;
    v->source = GRAPH_INPUT;
    v->block = 0;
    v->member = GRAPH_NONE;
    v->fetched = false;
    v->written = false;
  }
  g->ops[op].kind = GRAPH_GONE;
  graph_sweep(g);
}

// From the first op on, because an early one may stand for many.
static bool drop_ops(reduction *r) {
  bool changed = false;
  for (size_t i = 0; i < r->g.op_count; i++) {
    if (r->g.ops[i].kind == GRAPH_GONE || !begin(r))
      continue;
    make_inputs(&r->trial, i);
    changed |= accept(r);
  }
  return changed;
}

// Lets the readers of an op's result read one of its operands of the same type.
static bool bypass_ops(reduction *r) {
  bool changed = false;
  for (size_t i = 0; i < r->g.value_count; i++) {
    const graph_value *v = &r->g.values[i];
    if (v->source != GRAPH_RESULT || r->g.ops[v->op].kind != GRAPH_CALL)
      continue;
    int by = graph_first_alike(&r->g, (int)i);
    if (by < 0 || !begin(r))
      continue;
    graph_replace(&r->trial, (int)i, by);
    graph_sweep(&r->trial);
    changed |= accept(r);
  }
  return changed;
}

static bool plain_inputs(reduction *r) {
  bool changed = false;
  for (size_t i = 0; i < r->g.value_count; i++) {
    const draw_tensor *t = &r->g.values[i].type;
    bool plain = t->command && !t->parameter && !t->unknown;
    if (r->g.values[i].source != GRAPH_INPUT || plain)
      continue;
    for (int what = 0; what < 3 && begin(r); what++) {
      draw_tensor *to = &r->trial.values[i].type;
      if (what == 0)
        to->unknown = 0;
      if (what == 1)
        to->parameter = false;
      if (what == 2) {
        to->command = true;
        to->data = NULL;
        to->seed = i;
      }
      changed |= accept(r);
    }
  }
  return changed;
}

static bool plain_attrs(reduction *r) {
  bool changed = false;
  for (size_t i = 0; i < r->g.op_count; i++)
    for (size_t a = 0; r->g.ops[i].kind == GRAPH_CALL; a++) {
      const draw *d = r->g.ops[i].call;
      if (a >= d->def->attr_count)
        break;
      const pir_attr *plain = pir_attr_default(d->ctx, &d->def->attrs[a]);
      if (!plain || d->attrs[a] == plain || !begin(r))
        continue;
      r->trial.ops[i].call->attrs[a] = plain;
      if (graph_refresh(&r->trial))
        changed |= accept(r);
      else
        graph_destroy(&r->trial);
    }
  return changed;
}

static bool shrink_extents(reduction *r) {
  static const int64_t smaller[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33};
  bool changed = false;
  for (int64_t extent = 64 + 1; extent > 1; extent--)
    for (size_t k = 0; k < sizeof smaller / sizeof *smaller && smaller[k] < extent; k++) {
      if (!graph_has_extent(&r->g, extent) || !begin(r))
        break;
      graph_set_extent(&r->trial, extent, smaller[k]);
      if (!graph_refresh(&r->trial)) {
        graph_destroy(&r->trial);
        continue;
      }
      if (accept(r)) {
        changed = true;
        break;
      }
    }
  return changed;
}

static bool plain_setup(reduction *r) {
  const draw_setup *all;
  draw_setup old = r->setup;
  graph_setups(&all);
  for (int what = 0; what < 3; what++) {
    draw_setup before = r->setup;
    if (what == 0)
      r->setup.threads = 1;
    if (what == 1)
      r->setup.target = NULL;
    if (what == 2)
      r->setup.pipeline = all[0].pipeline;
    if (failure_in_child(&r->g, &r->setup) != r->failure)
      r->setup = before;
  }
  return memcmp(&old, &r->setup, sizeof old) != 0;
}

bool graph_reduce(graph *g, draw_setup *setup) {
  reduction r = {.setup = *setup, .left = CANDIDATES};
  if (!graph_copy(g, &r.g))
    return false;
  r.failure = failure_in_child(&r.g, &r.setup);
  bool fails = r.failure >= LEAST_FAILURE;
  for (bool changed = fails; changed && r.left > 0;) {
    changed = keep_one_output(&r);
    changed |= drop_outputs(&r);
    changed |= drop_ops(&r);
    changed |= bypass_ops(&r);
    changed |= plain_setup(&r);
    changed |= plain_inputs(&r);
    changed |= shrink_extents(&r);
    changed |= plain_attrs(&r);
  }
  graph_destroy(g);
  *g = r.g;
  *setup = r.setup;
  return fails;
}

// ---- the text test

static const char *type_text(const draw_tensor *t, char *out, size_t size) {
  size_t n = 0;
  for (int32_t i = 0; i < t->rank; i++)
    n += pir_text_format(out + n, size - n, "%lldx", (long long)t->shape[i]);
  pir_text_format(out + n, size - n, "%s", pir_dtype_text(t->dtype));
  return out;
}

static void print_inputs(const graph *g) {
  bool read[GRAPH_VALUES];
  char type[96];
  graph_mark_read(g, read);
  for (size_t i = 0; i < g->value_count; i++) {
    const graph_value *v = &g->values[i];
    if (v->source == GRAPH_INPUT && read[i] && !v->type.parameter)
      printf(" --input=v%zu=%s=random:%llu", i, type_text(&v->type, type, sizeof type),
             (unsigned long long)v->type.seed);
  }
}

static bool has_own_numbers(const graph *g) {
  bool read[GRAPH_VALUES], own = false;
  graph_mark_read(g, read);
  for (size_t i = 0; i < g->value_count; i++) {
    const graph_value *v = &g->values[i];
    own |= v->source == GRAPH_INPUT && read[i] && (!v->type.command || v->type.parameter);
  }
  return own;
}

static bool to_stdout(void *user, const char *data, size_t size) {
  return fwrite(data, 1, size, user) == size;
}

void graph_print(const graph *g) {
  char why[DRAW_TEXT];
  pir_program *program = graph_program(g, DRAW_AS_IS, GRAPH_FETCHED, 0, why);
  if (program)
    pir_ignore(pir_program_print(program, NULL, (pir_writer){to_stdout, stdout}));
  pir_program_destroy(program);
  fflush(stdout);
}

void graph_print_test(const graph *g, const draw_setup *setup) {
  if (has_own_numbers(g))
    printf("// The failure needs other numbers than the command's.\n");
  printf("// RUN: pir-run %%s");
  print_inputs(g);
  printf(" --pipeline=kernels --output-dir=%%t\n// RUN: pir-run %%s");
  print_inputs(g);
  printf(" --pipeline='%s' --expect-dir=%%t", setup->pipeline);
  if (setup->target)
    printf(" --target=%s", setup->target);
  if (setup->threads > 1)
    printf(" --threads=%d", setup->threads);
  printf("\n");
  graph_print(g);
}
