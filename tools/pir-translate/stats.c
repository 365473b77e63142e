// Statistics of a program: one walk that counts ops by definition, then lists sorted by count and name.
#include "stats.h"

#include <pir/walk.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct op_count {
  const pir_opdef *def;
  size_t count;
} op_count;

typedef struct stats {
  pir_writer out;
  bool failed;
  op_count *counts;
  size_t count_count, ops;
  uint64_t parameter_bytes[PIR_DTYPE_COUNT];
  size_t parameters;
} stats;

PIR_PRINTF(2, 3) static void put(stats *s, const char *format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  int size = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (size >= (int)sizeof line) size = sizeof line - 1;
  if (!s->failed) s->failed = !s->out.write(s->out.user, line, (size_t)size);
}

static void put_type(stats *s, const pir_type *type) {
  if (!s->failed) s->failed = pir_type_print(type, s->out) != PIR_OK;
}

// ---- counting

static void count_parameter(stats *s, const pir_op *op) {
  const pir_type *type = pir_op_results(op) ? pir_value_type(pir_op_result(op, 0)) : NULL;
  if (!pir_type_is_tensor(type)) return;
  pir_shape shape = pir_type_shape(type);
  uint64_t bytes = pir_dtype_size(pir_type_dtype(type));
  for (size_t i = 0; i < shape.rank; i++)
    if (shape.dims[i] < 0 || __builtin_mul_overflow(bytes, (uint64_t)shape.dims[i], &bytes)) return;
  s->parameters++;
  s->parameter_bytes[pir_type_dtype(type)] += bytes;
}

static pir_walk_result count_op(pir_op *op, void *user) {
  stats *s = user;
  if (!pir_op_block(op)) return PIR_WALK_CONTINUE;  // the module
  s->ops++;
  if (pir_op_has(op, PIR_PARAMETER)) count_parameter(s, op);
  for (size_t i = 0; i < s->count_count; i++)
    if (s->counts[i].def == pir_op_def(op)) {
      s->counts[i].count++;
      return PIR_WALK_CONTINUE;
    }
  op_count *grown = realloc(s->counts, (s->count_count + 1) * sizeof *grown);
  if (!grown) {
    s->failed = true;
    return PIR_WALK_STOP;
  }
  s->counts = grown;
  s->counts[s->count_count++] = (op_count){pir_op_def(op), 1};
  return PIR_WALK_CONTINUE;
}

static int by_count(const void *a, const void *b) {
  const op_count *x = a, *y = b;
  if (x->count != y->count) return x->count < y->count ? 1 : -1;
  return strcmp(x->def->name, y->def->name);
}

// ---- writing

// The attribute that names an input or output.
static pir_str port_name(const pir_op *op) {
  const pir_attr *name = pir_op_attr_str(op, "name");
  if (!name) name = pir_op_attr_str(op, "output_name");
  return name ? pir_attr_as_str(name) : PIR_STR("");
}

static void put_ports(stats *s, const pir_program *program, uint32_t trait, const char *title) {
  for (const pir_op *op = pir_block_first(pir_program_block(program)); op; op = pir_op_next(op)) {
    if (!pir_op_has(op, trait)) continue;
    pir_str name = port_name(op);
    bool input = trait == PIR_INPUT;
    if (input ? !pir_op_results(op) : !pir_op_operands(op) || !pir_op_operand(op, 0)) continue;
    put(s, "%s  %.*s  ", title, (int)name.size, name.data);
    put_type(s, pir_value_type(input ? pir_op_result(op, 0) : pir_op_operand(op, 0)));
    put(s, "\n");
  }
}

// Whether something here says what the op computes.
static bool can_run(const pir_opdef *def) {
  const uint32_t no_computation =
      PIR_STRUCTURAL | PIR_CONTROL | PIR_INPUT | PIR_OUTPUT | PIR_PARAMETER | PIR_TERMINATOR | PIR_CONSTANT;
  return (def->traits & no_computation) || def->clause || def->lower_count || def->kernel || def->hooks.expand;
}

static void put_ops(stats *s) {
  if (s->count_count) qsort(s->counts, s->count_count, sizeof *s->counts, by_count);
  put(s, "ops     %zu\n", s->ops);
  for (size_t i = 0; i < s->count_count; i++) put(s, "%8zu  %s\n", s->counts[i].count, s->counts[i].def->name);
  for (size_t i = 0; i < s->count_count; i++)
    if (!can_run(s->counts[i].def)) put(s, "cannot run  %s\n", s->counts[i].def->name);
}

static void put_parameters(stats *s) {
  put(s, "parameters  %zu\n", s->parameters);
  for (int i = 0; i < PIR_DTYPE_COUNT; i++)
    if (s->parameter_bytes[i])
      put(s, "%12llu bytes of %s\n", (unsigned long long)s->parameter_bytes[i], pir_dtype_name((pir_dtype)i));
}

pir_status stats_write(const pir_program *program, pir_writer out) {
  stats s = {.out = out};
  pir_program_info info = pir_program_info_of(program);
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, count_op, &s);
  put(&s, "format  %.*s, version %lld\n", (int)info.format.size, info.format.data, (long long)info.version);
  put_ports(&s, program, PIR_INPUT, "input ");
  put_ports(&s, program, PIR_OUTPUT, "output");
  put_parameters(&s);
  put_ops(&s);
  free(s.counts);
  return s.failed ? PIR_IO : PIR_OK;
}
