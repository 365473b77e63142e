// Names the first pass after which an output differs, and the first op. To find the op, values
// of both programs are paired by their source locations, which the rewriter keeps, made
// outputs, and compared in program order.
#include "verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>

// ---- the first op that differs

enum { MAX_PAIRS = 4096 };

static bool is_plain(const pir_op *op) {
  return pir_op_results(op) &&
         !pir_op_has_any(op, PIR_INPUT | PIR_OUTPUT | PIR_PARAMETER | PIR_CONSTANT) &&
         pir_op_result(op, 0) && pir_type_is_tensor(pir_value_type(pir_op_result(op, 0)));
}

// Returns the last op of the block that has location `loc`.
static pir_op *counterpart(const pir_program *program, pir_loc loc) {
  pir_op *found = NULL;
  PIR_EACH_OP(op, pir_program_block(program))
  if (pir_op_loc(op) == loc && is_plain(op))
    found = op;
  return found;
}

static void add_output(pir_program *program, pir_value *value, int column) {
  pir_context *ctx = pir_program_context(program);
  pir_builder b = pir_builder_at_end(pir_program_block(program));
  char name[32];
  size_t n = (size_t)snprintf(name, sizeof name, "verify.%d", column);
  const pir_type *type = pir_value_type(value);
  pir_named_attr attrs[] = {
      {pir_name_get(ctx, PIR_STR("name")), pir_attr_str(ctx, PIR_ATTR_STR, (pir_str){name, n})},
      {pir_name_get(ctx, PIR_STR("col")), pir_attr_int(ctx, PIR_ATTR_I32, column)},
  };
  pir_op_spec spec = {.def = pir_context_op(ctx, PD_FETCH),
                      .operands = &value,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = 2};
  pir_build(&b, &spec);
}

typedef struct pairs {
  pir_str names[MAX_PAIRS];  // names of ops before the pass
  pir_loc places[MAX_PAIRS];
  int count;
} pairs;

static void pair_values(pir_program *before, pir_program *after, pairs *p) {
  pir_op *last = pir_block_last(pir_program_block(before)),
         *op = pir_block_first(pir_program_block(before));
  for (; op && p->count < MAX_PAIRS; op = op == last ? NULL : pir_op_next(op)) {
    pir_op *other = is_plain(op) && pir_op_loc(op) ? counterpart(after, pir_op_loc(op)) : NULL;
    if (!other)
      continue;
    p->names[p->count] = pir_op_name(op);
    p->places[p->count] = pir_op_loc(op);
    add_output(before, pir_op_result(op, 0), p->count);
    add_output(after, pir_op_result(other, 0), p->count++);
  }
}

// A value of another shape represents something else, not a wrong number.
static int first_difference(const numbers *before, const numbers *after, int count, char *text,
                            size_t size) {
  for (int i = 0; i < count; i++) {
    char name[32];
    double largest = 0;
    snprintf(name, sizeof name, "verify.%d", i);
    const pir_tensor *b = numbers_find(before, name), *a = numbers_find(after, name);
    if (!a || !b || a->rank != b->rank ||
        memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape))
      continue;
    if (a->dtype == b->dtype && !numbers_agree(a, b, 0, &largest, text, size))
      return i;
  }
  return -1;
}

static void name_first_op(verifying *v, const pir_program *program) {
  pir_context *ctx = pir_program_context(program);
  pir_program *before = pir_program_clone(v->before), *after = pir_program_clone(program);
  pairs *p = calloc(1, sizeof *p);
  numbers b = {0}, a = {0};
  char text[256];
  if (p)
    pair_values(before, after, p);
  if (p && !numbers_run(before, v->seed, cli_sink(v->cli), &b) &&
      !numbers_run(after, v->seed, cli_sink(v->cli), &a)) {
    int first = first_difference(&b, &a, p->count, text, sizeof text);
    if (first >= 0)
      pir_ignore(pir_report(ctx, PIR_OK, PIR_NOTE, p->places[first],
                            "\"%.*s\" is the first op that differs: %s",
                            (int)p->names[first].size, p->names[first].data, text));
  }
  numbers_free(&a);
  numbers_free(&b);
  free(p);
  pir_program_destroy(before);
  pir_program_destroy(after);
}

// ---- around passes

static pir_status start(verifying *v, pir_program *program) {
  pir_context *ctx = pir_program_context(program);
  PIR_TRY(numbers_fill_params(program, v->seed, false));
  pir_status status = numbers_run(program, v->seed, cli_sink(v->cli), &v->want);
  v->started = true;
  if (!status)
    return PIR_OK;
  return pir_report(ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN,
                    "--verify-numerics: the program does not run: %s", v->want.message);
}

static pir_status keep_before_pass(void *user, const pir_pass *pass, pir_program *program) {
  verifying *v = user;
  if (!v->started)
    PIR_TRY(start(v, program));
  if (v->before)
    pir_program_destroy(v->before);
  v->before = pir_program_clone(program);
  return PIR_OK;
}

static pir_status compare_outputs(verifying *v, const pir_pass *pass,
                                  const pir_program *program, const numbers *got) {
  char text[256];
  for (size_t i = 0; i < v->want.count; i++) {
    const pir_tensor *want = &v->want.tensors[i], *is = numbers_find(got, v->want.names[i]);
    double largest = 0;
    if (!is && i < got->count)
      is = &got->tensors[i];
    if (is && numbers_agree(is, want, 0, &largest, text, sizeof text))
      continue;
    v->differs = true;
    pir_status status = pir_report(pir_program_context(program), PIR_INVALID, PIR_ERROR,
                                   PIR_LOC_UNKNOWN, "%s changes numbers: output %s: %s",
                                   pass->name, v->want.names[i], is ? text : "is gone");
    if (is)
      name_first_op(v, program);
    return status;
  }
  return PIR_OK;
}

static pir_status after_pass(void *user, const pir_pass *pass, pir_program *program) {
  verifying *v = user;
  numbers got;
  pir_status status = PIR_OK;
  if (numbers_run(program, v->seed, cli_sink(v->cli), &got))
    pir_ignore(pir_report(pir_program_context(program), PIR_OK, PIR_WARNING, PIR_LOC_UNKNOWN,
                          "--verify-numerics: after %s the program does not run: %s",
                          pass->name, got.message));
  else
    status = compare_outputs(v, pass, program, &got);
  numbers_free(&got);
  return status;
}

pir_pass_instrument verify_instrument(verifying *v) {
  return (pir_pass_instrument){keep_before_pass, after_pass, v};
}

void verify_free(verifying *v) {
  if (v->before)
    pir_program_destroy(v->before);
  numbers_free(&v->want);
}
