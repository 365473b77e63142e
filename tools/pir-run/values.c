// Intermediate values: written to a folder, compared with such a folder, or between two
// pipelines. The values become outputs of the program, so ops are put together as far as each
// result is still there. A value is called by its number in the program's text and its op:
// 110.relu.
#include "run.h"

#include <pir/layer/named_values.h>
#include <pir/layer/value_names.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NAME = 160 };

typedef struct run_value {
  char name[MOST_NAME];
  uint64_t number;
  size_t op;  // position of its op in the program
  pir_value *value;
} run_value;

typedef struct run_values {
  run_value *items;
  size_t count, capacity;
  const pir_block *block;  // values of regions are not outputs
  bool failed;             // memory ran out
} run_values;

// ---- the list

// Whether something reads the value. What an op writes in place is read through its operand.
static bool is_used(const pir_op *op, const pir_value *value) {
  return !pir_value_unused(value) ||
         (pir_op_has(op, PIR_INPLACE) && pir_op_result(op, 0) == value);
}

static bool is_wanted(const run_values *v, const pir_value *value) {
  const pir_op *op = pir_value_op(value);
  const pir_type *type = pir_value_type(value);
  return op && pir_value_block(value) == v->block && type && pir_type_is_tensor(type) &&
         is_used(op, value) && !pir_op_has_any(op, PIR_PARAMETER | PIR_INPUT | PIR_OUTPUT);
}

static void note_value(void *user, uint64_t number, pir_value *value) {
  run_values *v = user;
  if (!is_wanted(v, value) || v->failed)
    return;
  if (v->count == v->capacity) {
    size_t capacity = v->capacity ? v->capacity * 2 : 256;
    run_value *grown = realloc(v->items, capacity * sizeof *grown);
    v->failed = !grown;
    if (!grown)
      return;
    v->items = grown;
    v->capacity = capacity;
  }
  run_value *item = &v->items[v->count++];
  pir_str name = pir_op_name(pir_value_op(value));
  const char *dot = memchr(name.data, '.', name.size);
  size_t skip = dot ? (size_t)(dot - name.data) + 1 : 0;
  *item = (run_value){.number = number, .value = value};
  snprintf(item->name, sizeof item->name, "%llu.%.*s", (unsigned long long)number,
           (int)(name.size - skip), name.data + skip);
  for (char *c = item->name; *c; c++)
    if (*c == '/')
      *c = '_';
}

static int order_numbers(const void *a, const void *b) {
  const run_value *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

// Right behind the value, which a later op may overwrite.
static void expose(pir_program *program, const run_value *v) {
  pir_op *output = pir_append_output(program, pir_str_from(v->name), v->value);
  pir_op *next = pir_op_next(pir_value_op(v->value));
  if (next && next != output)
    pir_op_move_before(output, next);
}

bool run_wants_values(const run *r) {
  return r->exposes || cli_has(r->cli, OPT_DUMP);
}

pir_status run_expose_values(run *r, pir_program *program) {
  run_values *v = calloc(1, sizeof *v);
  r->values = v;
  if (!v)
    return PIR_EXHAUSTED;
  v->block = pir_program_block(program);
  PIR_TRY(pir_program_each_number(program, note_value, v));
  if (v->failed)
    return PIR_EXHAUSTED;
  if (v->count)
    qsort(v->items, v->count, sizeof *v->items, order_numbers);
  const pir_op *at = pir_block_first(v->block);
  for (size_t i = 0, position = 0; i < v->count; i++) {
    for (; at && at != pir_value_op(v->items[i].value); at = pir_op_next(at))
      position++;
    v->items[i].op = position;
  }
  for (size_t i = 0; i < v->count; i++)
    expose(program, &v->items[i]);
  return PIR_OK;
}

void run_drop_values(run *r) {
  if (r->values)
    free(r->values->items);
  free(r->values);
  r->values = NULL;
}

// ---- the other outputs

// The name of a value begins with its number, by which the list is sorted.
static bool is_value(const run_values *v, pir_str name) {
  const run_value key = {.number = strtoull(name.data, NULL, 10)};
  const run_value *found =
      v->count ? bsearch(&key, v->items, v->count, sizeof key, order_numbers) : NULL;
  return found && pir_str_equal(name, pir_str_from(found->name));
}

size_t run_own_output(const run *r, size_t k) {
  size_t count = pir_model_outputs(r->model);
  for (size_t i = 0; r->values && i < count; i++)
    if (!is_value(r->values, output_port(r->model, i).name) && !k--)
      return i;
  return r->values || k > count ? count : k;
}

// Sets *at to the output of a value. It begins where it stands: outputs have the order of the
// list, so that all of them together cost one scan.
static bool find_output(const run *r, const run_value *v, size_t *at) {
  size_t count = pir_model_outputs(r->model);
  pir_str name = pir_str_from(v->name);
  for (size_t i = 0; i < count; i++) {
    size_t k = *at + i < count ? *at + i : *at + i - count;
    if (pir_str_equal(output_port(r->model, k).name, name)) {
      *at = k;
      return true;
    }
  }
  return false;
}

// ---- a folder of values

int run_dump(const run *r, const char *folder) {
  int code = 0;
  size_t output = 0;
  if (mkdir(folder, 0777) && errno != EEXIST)
    return cli_fail(r->cli, CLI_INVALID, "%s: cannot be made: %s", folder, strerror(errno));
  for (size_t i = 0; i < r->values->count && !code; i++) {
    const run_value *v = &r->values->items[i];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.npy", folder, v->name);
    cli_stage(r->cli, "dump", v->name, i, r->values->count);
    if (find_output(r, v, &output))
      code = run_write_outputs(r, path, NULL, (long)output);
  }
  cli_stage_end(r->cli);
  cli_progress_erase();
  if (!code)
    fprintf(stderr, "%zu values are in %s\n", r->values->count, folder);
  return code;
}

// ---- comparisons

static void describe(const run_value *v, char *out, size_t size) {
  snprintf(out, size, "%%%s, op %zu: ", v->name, v->op);
}

static int say_first(const run *r, const char *label) {
  size_t n = strlen(label);
  return cli_fail(r->cli, CLI_DIFFERENT, "the first value that differs is %.*s",
                  (int)(n < 2 ? n : n - 2), label);
}

static int say_equal(size_t count) {
  printf("%zu values agree\n", count);
  return 0;
}

int run_compare_folder(run *r, const char *folder) {
  size_t compared = 0, output = 0;
  for (size_t i = 0; i < r->values->count; i++) {
    const run_value *v = &r->values->items[i];
    char path[4096], label[MOST_NAME + 40];
    pir_npy_set set;
    snprintf(path, sizeof path, "%s/%s.npy", folder, v->name);
    if (access(path, R_OK) || !find_output(r, v, &output))
      continue;
    int code = run_read_arrays(r->cli, path, &set);
    if (code)
      return code;
    describe(v, label, sizeof label);
    cli_stage(r->cli, "compare", v->name, i, r->values->count);
    bool same = set.count == 1 && run_compare(r, output, &set.arrays[0].tensor, label, true);
    pir_npy_set_release(&set);
    if (!same)
      return say_first(r, label);
    compared++;
  }
  if (!compared)
    return cli_fail(r->cli, CLI_INVALID, "%s has no value of this program (--dump=DIR)",
                    folder);
  return say_equal(compared);
}

// Compares the outputs of two runs of a program, in order; `values`: those in between.
static int compare_runs(run *expected, run *r, const run_values *values) {
  size_t from = 0, to = 0;
  for (size_t i = 0; values && i < values->count; i++) {
    const run_value *v = &values->items[i];
    char label[MOST_NAME + 40];
    pir_tensor tensor;
    if (!find_output(expected, v, &from) || !find_output(r, v, &to) ||
        pir_session_output(expected->session, from, &tensor))
      continue;
    describe(v, label, sizeof label);
    if (!run_compare(r, to, &tensor, label, true))
      return say_first(r, label);
  }
  for (size_t i = 0; !values && i < pir_model_outputs(r->model); i++) {
    pir_tensor tensor;
    if (!pir_session_output(expected->session, i, &tensor) &&
        !run_compare(r, i, &tensor, "", true))
      return cli_fail(r->cli, CLI_DIFFERENT,
                      "the outputs differ, but no value in between where each of them is kept: "
                      "see --explain for the ops that are put together");
  }
  return 0;
}

// Opens and runs the model by one pipeline.
static int run_by(run *r, const char *pipeline, const char *path, const pir_npy_set *extra) {
  r->chosen = pipeline;
  int code = run_open(r, path, cli_value(r->cli, OPT_PARAMS, NULL), extra);
  const char *folder = r->case_folder ? r->case_folder : cli_value(r->cli, OPT_CASE, NULL);
  if (!code)
    code = run_take_inputs(r, folder);
  if (!code)
    code = run_bind(r, folder);
  return code ? code : run_once(r);
}

// Runs both pipelines with or without the values in between as outputs.
static int compare_once(const run *r, const char *first, const char *second, const char *path,
                        const pir_npy_set *extra, bool exposes, size_t *out_count) {
  run a = *r, b = *r;
  a.exposes = b.exposes = exposes;
  int code = run_by(&a, first, path, extra);
  if (!code)
    code = run_by(&b, second, path, extra);
  if (!code)
    code = compare_runs(&a, &b, b.values);
  if (b.values)
    *out_count = b.values->count;
  run_close(&a);
  run_close(&b);
  return code;
}

int run_compare_pipelines(const run *r, const char *text, const char *path,
                          const pir_npy_set *extra) {
  char *first = strdup(text), *comma = first ? strchr(first, ',') : NULL;
  size_t values = 0;
  if (!first)
    return cli_fail(r->cli, CLI_LIMIT, "out of memory");
  *comma = 0;
  int code = cli_check_pipeline(r->cli, first);
  if (!code)
    code = cli_check_pipeline(r->cli, comma + 1);
  if (!code)
    code = compare_once(r, first, comma + 1, path, extra, true, &values);
  if (!code)
    code = compare_once(r, first, comma + 1, path, extra, false, &values);
  free(first);
  return code ? code : say_equal(values);
}

bool run_is_case(const char *folder) {
  pir_npy_set set;
  char message[256];
  bool found = false;
  if (pir_case_read(folder, false, &set, message))
    return false;
  for (size_t i = 0; i < set.count && !found; i++)
    found = !strncmp(set.arrays[i].name, "in", 2) || !strncmp(set.arrays[i].name, "out", 3);
  pir_npy_set_release(&set);
  return found;
}

int run_compare_case(run *r, const char *folder, const char *path, const pir_npy_set *extra) {
  int code = run_open(r, path, cli_value(r->cli, OPT_PARAMS, NULL), extra);
  if (!code)
    code = run_case(r, folder, true);
  if (!code)
    printf("the outputs agree with %s\n", folder);
  if (code != CLI_DIFFERENT)
    return code;
  run_close(r);
  r->case_folder = folder;
  code = run_compare_pipelines(r, "kernels,compile", path, extra);
  if (!code)
    cli_note(r->cli, "called kernels and compiled code agree: the program or the case differs "
                     "from what was recorded");
  return code ? code : CLI_DIFFERENT;
}
