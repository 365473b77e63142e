// Delta debugging over ops. Ops are removed in runs, long runs first; a value that other ops
// still read becomes an operand of the same type or an input. Then attributes that no
// definition declares are removed. Candidates are verified before the command sees them. The
// number of runs is O(n log n) if few ops are needed, O(n^2) in the worst case, and bounded.
#include "reduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/text.h>
#include <pir/compiler/verify.h>
#include <pir/compiler/walk.h>

enum { MAX_RUNS = 4000 };

typedef struct reduction {
  const cli_run *cli;
  const char *command;
  char path[1024];
  pir_program *best;
  int runs;
} reduction;

// ---- is it still failing

static bool write_to(void *user, const char *data, size_t size) {
  return fwrite(data, 1, size, user) == size;
}

static bool write_candidate(const reduction *r, const pir_program *program) {
  FILE *file = fopen(r->path, "w");
  if (!file)
    return false;
  pir_status status = pir_program_print(program, NULL, (pir_writer){write_to, file});
  return !(fclose(file) || status);
}

static bool fails(reduction *r, const pir_program *program) {
  char line[8192];
  if (r->runs >= MAX_RUNS || !write_candidate(r, program))
    return false;
  int n = snprintf(line, sizeof line, "%s '%s' >/dev/null 2>&1", r->command, r->path);
  if (n < 0 || n >= (int)sizeof line)
    return false;
  cli_stage(r->cli, "reduce", r->command, (uint64_t)r->runs++, 0);
  int status = system(line);
  return status != -1 && !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// ---- ops by number

typedef struct op_list {
  pir_op **items;
  size_t count, capacity;
} op_list;

static pir_walk_result collect_op(pir_op *op, void *user) {
  op_list *list = user;
  if (!pir_op_parent(op))
    return PIR_WALK_CONTINUE;  // the module
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? 2 * list->capacity : 256;
    pir_op **grown = realloc(list->items, capacity * sizeof *grown);
    if (!grown)
      return PIR_WALK_STOP;
    list->items = grown;
    list->capacity = capacity;
  }
  list->items[list->count++] = op;
  return PIR_WALK_CONTINUE;
}

static op_list ops_of(const pir_program *program) {
  op_list list = {0};
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, collect_op, &list);
  return list;
}

// ---- changing a copy

static pir_value *make_input(pir_program *program, const pir_type *type, int number) {
  pir_context *ctx = pir_program_context(program);
  pir_op *first = pir_block_first(pir_program_block(program));
  pir_builder b =
      first ? pir_builder_before(first) : pir_builder_at_end(pir_program_block(program));
  char name[32];
  size_t n = (size_t)snprintf(name, sizeof name, "cut.%d", number);
  pir_shape shape = pir_type_shape(type);
  pir_named_attr attrs[] = {
      {pir_name_get(ctx, PIR_STR("name")), pir_attr_str(ctx, PIR_ATTR_STR, (pir_str){name, n})},
      {pir_name_get(ctx, PIR_STR("shape")), pir_attr_int_array(ctx, shape.dims, shape.rank)},
      {pir_name_get(ctx, PIR_STR("dtype")), pir_attr_dtype(ctx, pir_type_dtype(type))},
      {pir_name_get(ctx, PIR_STR("place")), pir_attr_place(ctx, (pir_place){.kind = 1})},
  };
  pir_op_spec spec = {.def = pir_context_op(ctx, PD_DATA),
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = 4};
  return pir_op_result(pir_build(&b, &spec), 0);
}

static pir_value *same_typed_operand(const pir_op *op, const pir_value *result) {
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    pir_value *value = pir_op_operand(op, i);
    if (value && pir_value_type(value) == pir_value_type(result))
      return value;
  }
  return NULL;
}

// Removes an op; false if nothing can replace its results for other readers.
static bool take_out(pir_program *program, pir_op *op, bool bypass, int *number) {
  if (pir_op_has(op, PIR_TERMINATOR))
    return false;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_value *result = pir_op_result(op, i);
    if (!result || pir_value_unused(result))
      continue;
    pir_value *by = bypass ? same_typed_operand(op, result) : NULL;
    if (!by && pir_type_is_tensor(pir_value_type(result)) && !pir_op_has(op, PIR_INPUT))
      by = make_input(program, pir_value_type(result), (*number)++);
    if (!by)
      return false;
    pir_value_replace_uses(result, by);
  }
  pir_op_erase(op);
  return true;
}

static bool is_inside(const pir_op *op, pir_op *const *gone, size_t count) {
  for (const pir_op *up = pir_op_parent(op); up; up = pir_op_parent(up))
    for (size_t i = 0; i < count; i++)
      if (gone[i] == up)
        return true;
  return false;
}

// A copy without ops [first, first + count), or NULL.
static pir_program *without(const pir_program *program, size_t first, size_t count,
                            bool bypass) {
  pir_program *copy = pir_program_clone(program);
  op_list ops = ops_of(copy);
  bool changed = false;
  int number = (int)ops.count;
  // Removes from the end: readers before their operands, nested ops before their parent.
  for (size_t i = first + count; i-- > first;)
    if (i < ops.count && !is_inside(ops.items[i], ops.items + first, count))
      changed |= take_out(copy, ops.items[i], bypass, &number);
  free(ops.items);
  if (changed && !pir_verify(pir_program_module(copy),
                             &(pir_verify_options){.size = sizeof(pir_verify_options),
                                                   .errors_only = true}))
    return copy;
  pir_program_destroy(copy);
  return NULL;
}

static bool keep_if_failing(reduction *r, pir_program *candidate) {
  if (!candidate)
    return false;
  if (!fails(r, candidate)) {
    pir_program_destroy(candidate);
    return false;
  }
  pir_program_destroy(r->best);
  r->best = candidate;
  return true;
}

static size_t op_count(const pir_program *program) {
  op_list ops = ops_of(program);
  free(ops.items);
  return ops.count;
}

// Sweeps once from the end with runs of `size` ops. Replacing an op by an input counts as
// progress only if the program shrinks or earlier ops become unused.
static bool sweep(reduction *r, size_t size, bool bypass) {
  bool any = false;
  for (size_t end = op_count(r->best); end > 0;) {
    size_t first = end > size ? end - size : 0, before = op_count(r->best);
    pir_program *candidate = without(r->best, first, end - first, bypass);
    bool smaller = candidate && op_count(candidate) < before;
    if (candidate && !smaller) {
      pir_program_destroy(candidate);
      candidate = NULL;
    }
    if (keep_if_failing(r, candidate))
      any = true;
    end = first;
    if (end > op_count(r->best))
      end = op_count(r->best);
  }
  return any;
}

// An op with several operands becomes an input, together with all that only it read.
static bool cut(reduction *r) {
  bool any = false;
  for (size_t i = op_count(r->best); i-- > 0;) {
    size_t before = op_count(r->best);
    pir_program *candidate = i < before ? without(r->best, i, 1, false) : NULL;
    while (candidate && op_count(candidate) >= before) {
      // Replacing an op has added an input: drops inputs that are no longer read.
      op_list ops = ops_of(candidate);
      size_t dropped = 0;
      for (size_t k = ops.count; k-- > 0;) {
        bool kept = !pir_op_results(ops.items[k]) || !pir_op_unused(ops.items[k]) ||
                    pir_op_has(ops.items[k], PIR_TERMINATOR | PIR_OUTPUT) ||
                    pir_op_regions(ops.items[k]);
        if (!kept) {
          pir_op_erase(ops.items[k]);
          dropped++;
        }
      }
      free(ops.items);
      if (!dropped)
        break;
    }
    if (candidate && op_count(candidate) >= before) {
      pir_program_destroy(candidate);
      candidate = NULL;
    }
    if (keep_if_failing(r, candidate))
      any = true;
  }
  return any;
}

static void drop_extra_attrs(reduction *r) {
  for (size_t i = 0; i < op_count(r->best); i++) {
    pir_program *copy = pir_program_clone(r->best);
    op_list ops = ops_of(copy);
    bool any = pir_op_extra_attrs(ops.items[i]) > 0;
    while (pir_op_extra_attrs(ops.items[i]))
      pir_op_set_attr(ops.items[i], pir_op_extra_attr(ops.items[i], 0).name, NULL);
    free(ops.items);
    if (any)
      keep_if_failing(r, copy);
    else
      pir_program_destroy(copy);
  }
}

static void shrink(reduction *r) {
  for (bool again = true; again && r->runs < MAX_RUNS;) {
    again = false;
    for (size_t size = op_count(r->best) / 2; size; size /= 2) {
      again |= sweep(r, size, true);
      again |= sweep(r, size, false);
    }
    again |= cut(r);
  }
  drop_extra_attrs(r);
}

int reduce(const cli_run *tool, const char *command, pir_program **inout_program) {
  reduction r = {.cli = tool, .command = command, .best = *inout_program};
  const char *folder = getenv("TMPDIR");
  int n = snprintf(r.path, sizeof r.path, "%s/pir-reduce-XXXXXX", folder ? folder : "/tmp");
  if (n >= (int)sizeof r.path)
    return cli_fail(tool, CLI_INVALID, "--reduce: the name of the folder '%s' is too long",
                    folder);
  int file = mkstemp(r.path);
  if (file < 0)
    return cli_fail(tool, CLI_INVALID, "--reduce: cannot write '%s'", r.path);
  close(file);
  size_t before = op_count(r.best);
  int code = CLI_OK;
  if (fails(&r, r.best))
    shrink(&r);
  else
    code = cli_fail(tool, CLI_INVALID, "--reduce: '%s' does not fail on the whole program",
                    command);
  cli_stage_end(tool);
  cli_progress_erase();
  unlink(r.path);
  *inout_program = r.best;
  if (!code)
    fprintf(stderr, "// %zu of %zu ops left after %d runs\n", op_count(r.best), before, r.runs);
  return code;
}
