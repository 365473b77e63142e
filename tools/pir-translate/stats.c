// Statistics of a program: one walk counts ops by definition and parameters by element type. A
// table or JSON is then written from the same counts. Linear in the ops times the number of
// different ones.
#include "stats.h"

#include <pir/layer/kernel.h>
#include <pir/compiler/walk.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Why an op does not run here.
typedef enum ability { RUNS, NO_KERNEL, DECLARED_ONLY, UNKNOWN, ABILITIES } ability;

static const char *const ability_texts[] = {"", "no kernel in this build", "declared only",
                                            "unknown operator"};
static const char *const ability_keys[] = {"", "no_kernel", "declared_only", "unknown"};

typedef struct op_count {
  const pir_opdef *def;
  size_t count;
} op_count;

typedef struct parameter_count {
  uint64_t count, elements, bytes;
} parameter_count;

typedef struct stats {
  pir_writer out;
  bool failed, fresh;  // nothing stands yet behind the last opening bracket
  const pir_program *program;
  op_count *counts;
  size_t count_count, ops, depth;
  const pir_op *at;  // current position of the walk
  size_t level;
  parameter_count parameters[PIR_DTYPE_COUNT];
} stats;

static void put_text(stats *s, const char *text, size_t size) {
  if (!s->failed)
    s->failed = !s->out.write(s->out.user, text, size);
}

PIR_PRINTF(2, 3) static void putf(stats *s, const char *format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  int size = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  put_text(s, line, size < (int)sizeof line ? (size_t)size : sizeof line - 1);
}

// ---- counting

static void count_parameter(stats *s, const pir_op *op) {
  const pir_type *type = pir_op_results(op) ? pir_value_type(pir_op_result(op, 0)) : NULL;
  if (!pir_type_is_tensor(type))
    return;
  pir_shape shape = pir_type_shape(type);
  uint64_t elements = 1, bytes;
  for (size_t i = 0; i < shape.rank; i++)
    if (shape.dims[i] < 0 ||
        __builtin_mul_overflow(elements, (uint64_t)shape.dims[i], &elements))
      return;
  if (__builtin_mul_overflow(elements, pir_dtype_size(pir_type_dtype(type)), &bytes))
    return;
  parameter_count *p = &s->parameters[pir_type_dtype(type)];
  p->count++;
  p->elements += elements;
  p->bytes += bytes;
}

// Follows the walk down and up, which together cost no more than the walk.
static void follow(stats *s, const pir_op *op) {
  const pir_op *parent = pir_op_parent(op);
  for (; s->at != parent && pir_op_parent(s->at) != parent; s->level--)
    s->at = pir_op_parent(s->at);
  if (s->at == parent)
    s->level++;
  s->at = op;
  if (pir_op_regions(op) && s->level > s->depth)
    s->depth = s->level;
}

static pir_walk_result count_op(pir_op *op, void *user) {
  stats *s = user;
  if (!pir_op_block(op)) {  // the module
    s->at = op;
    return PIR_WALK_CONTINUE;
  }
  follow(s, op);
  s->ops++;
  if (pir_op_has(op, PIR_PARAMETER))
    count_parameter(s, op);
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
  if (x->count != y->count)
    return x->count < y->count ? 1 : -1;
  return strcmp(x->def->name, y->def->name);
}

static ability ability_of(const pir_opdef *def) {
  const uint32_t no_computation = PIR_STRUCTURAL | PIR_CONTROL | PIR_INPUT | PIR_OUTPUT |
                                  PIR_PARAMETER | PIR_TERMINATOR | PIR_CONSTANT;
  if (!(def->traits & PIR_REGISTERED))
    return UNKNOWN;
  if ((def->traits & no_computation) || def->clause || def->lower_count || def->hooks.expand)
    return RUNS;
  if (!def->kernel)
    return DECLARED_ONLY;
  return pir_kernel_find(pir_str_from(def->kernel)) ? RUNS : NO_KERNEL;
}

// ---- what both forms say

// The producer of the program, as far as its file states it: a .pdmodel holds the version of
// Paddle as one number.
static void producer_of(const stats *s, char *text, size_t capacity) {
  pir_program_info info = pir_program_info_of(s->program);
  long long v = (long long)info.version;
  if (pir_str_equal(info.format, PIR_STR("pdmodel"))) {
    if (v > 0)
      snprintf(text, capacity, "Paddle %lld.%lld.%lld", v / 1000000, v / 1000 % 1000, v % 1000);
    else
      snprintf(text, capacity, "Paddle, a build without version");
  } else if (pir_str_equal(info.format, PIR_STR("json"))) {
    snprintf(text, capacity, "Paddle 3, PIR version %lld", v);
  } else {
    const char *const years[] = {"Paddle 3 (T3), or the typed form",
                                 "Paddle of 2023 (T0 or T1)", "Paddle of 2024 (T2)"};
    snprintf(text, capacity, "%s", years[v >= 0 && v <= 2 ? v : 0]);
  }
}

// The attribute that names an input or output.
static pir_str port_name(const pir_op *op) {
  const pir_attr *name = pir_op_attr_str(op, "name");
  if (!name)
    name = pir_op_attr_str(op, "output_name");
  return name && pir_attr_kind_of(name) == PIR_ATTR_STR ? pir_attr_as_str(name) : PIR_STR("");
}

// Returns the next input or output op after `op`, and its value.
static const pir_op *next_port(const pir_op *op, uint32_t trait, const pir_value **out_value) {
  for (; op; op = pir_op_next(op)) {
    if (!pir_op_has(op, trait))
      continue;
    bool input = trait == PIR_INPUT;
    if (input ? pir_op_results(op) == 0 : pir_op_operands(op) == 0)
      continue;
    *out_value = input ? pir_op_result(op, 0) : pir_op_operand(op, 0);
    if (*out_value)
      return op;
  }
  return NULL;
}

// ---- the table

static void put_dims(stats *s, pir_shape shape, const char *between, const char *unknown) {
  for (size_t i = 0; i < shape.rank; i++) {
    if (i)
      putf(s, "%s", between);
    if (shape.dims[i] < 0)
      putf(s, "%s", unknown);
    else
      putf(s, "%lld", (long long)shape.dims[i]);
  }
}

static void table_type(stats *s, const pir_type *type) {
  if (!pir_type_is_tensor(type)) {
    if (!s->failed)
      s->failed = pir_type_print(type, s->out) != PIR_OK;
    return;
  }
  putf(s, "%-9s [", pir_dtype_name(pir_type_dtype(type)));
  put_dims(s, pir_type_shape(type), ", ", "?");
  putf(s, "]");
}

static void table_ports(stats *s, uint32_t trait, const char *title) {
  const pir_value *value = NULL;
  const pir_op *op = pir_block_first(pir_program_block(s->program));
  while ((op = next_port(op, trait, &value))) {
    pir_str name = port_name(op);
    putf(s, "%-11s ", title);
    table_type(s, pir_value_type(value));
    putf(s, "  %.*s\n", name.size > 300 ? 300 : (int)name.size, name.data);
    op = pir_op_next(op);
  }
}

static void table_parameters(stats *s) {
  parameter_count all = {0};
  for (int i = 0; i < PIR_DTYPE_COUNT; i++) {
    all.count += s->parameters[i].count;
    all.elements += s->parameters[i].elements;
    all.bytes += s->parameters[i].bytes;
  }
  putf(s, "parameters  %llu, %llu elements, %llu bytes\n", (unsigned long long)all.count,
       (unsigned long long)all.elements, (unsigned long long)all.bytes);
  for (int i = 0; i < PIR_DTYPE_COUNT; i++)
    if (s->parameters[i].count)
      putf(s, "%12llu bytes of %s in %llu\n", (unsigned long long)s->parameters[i].bytes,
           pir_dtype_name((pir_dtype)i), (unsigned long long)s->parameters[i].count);
}

static void table_ops(stats *s) {
  size_t missing = 0;
  putf(s, "operators   %zu of %zu kinds, regions %zu deep\n", s->ops, s->count_count, s->depth);
  for (size_t i = 0; i < s->count_count; i++) {
    ability able = ability_of(s->counts[i].def);
    missing += able != RUNS;
    putf(s, able == RUNS ? "%12zu  %s\n" : "%12zu  %-40s %s\n", s->counts[i].count,
         s->counts[i].def->name, ability_texts[able]);
  }
  if (missing)
    putf(s, "cannot run: %zu kinds of operator\n", missing);
}

static void write_table(stats *s) {
  char producer[64];
  pir_program_info info = pir_program_info_of(s->program);
  producer_of(s, producer, sizeof producer);
  putf(s, "format      %.*s", (int)info.format.size, info.format.data);
  if (info.version || !pir_str_equal(info.format, PIR_STR("text")))
    putf(s, ", version %lld", (long long)info.version);
  if (info.trainable && pir_str_equal(info.format, PIR_STR("json")))
    putf(s, ", trainable");
  putf(s, "\n");
  putf(s, "producer    %s\n", producer);
  table_ports(s, PIR_INPUT, "input");
  table_ports(s, PIR_OUTPUT, "output");
  table_parameters(s);
  table_ops(s);
}

// ---- JSON

static void put_string(stats *s, pir_str text) {
  put_text(s, "\"", 1);
  for (size_t i = 0; i < text.size; i++) {
    unsigned char c = (unsigned char)text.data[i];
    if (c == '"' || c == '\\')
      put_text(s, "\\", 1);
    if (c < 0x20)
      putf(s, "\\u%04x", c);
    else
      put_text(s, text.data + i, 1);
  }
  put_text(s, "\"", 1);
}

static void item(stats *s) {
  if (!s->fresh)
    put_text(s, ",", 1);
  s->fresh = false;
}

static void key(stats *s, const char *name) {
  item(s);
  putf(s, "\"%s\":", name);
}

static void text_member(stats *s, const char *name, pir_str text) {
  key(s, name);
  put_string(s, text);
}

static void open_bracket(stats *s, const char *bracket) {
  put_text(s, bracket, 1);
  s->fresh = true;
}

static void close_bracket(stats *s, const char *bracket) {
  put_text(s, bracket, 1);
  s->fresh = false;
}

static void json_ports(stats *s, uint32_t trait, const char *name) {
  const pir_value *value = NULL;
  key(s, name);
  open_bracket(s, "[");
  const pir_op *op = pir_block_first(pir_program_block(s->program));
  while ((op = next_port(op, trait, &value))) {
    const pir_type *type = pir_value_type(value);
    item(s);
    open_bracket(s, "{");
    text_member(s, "name", port_name(op));
    text_member(s, "dtype", pir_str_from(pir_dtype_name(pir_type_dtype(type))));
    key(s, "dims");
    open_bracket(s, "[");
    put_dims(s, pir_type_shape(type), ",", "-1");
    close_bracket(s, "]");
    close_bracket(s, "}");
    op = pir_op_next(op);
  }
  close_bracket(s, "]");
}

static void json_parameters(stats *s) {
  key(s, "parameters");
  open_bracket(s, "{");
  for (int i = 0; i < PIR_DTYPE_COUNT; i++) {
    const parameter_count *p = &s->parameters[i];
    if (!p->count)
      continue;
    key(s, pir_dtype_name((pir_dtype)i));
    putf(s, "{\"count\":%llu,\"elements\":%llu,\"bytes\":%llu}", (unsigned long long)p->count,
         (unsigned long long)p->elements, (unsigned long long)p->bytes);
  }
  close_bracket(s, "}");
}

static void json_ops(stats *s) {
  key(s, "operators");
  putf(s, "%zu", s->ops);
  key(s, "depth");
  putf(s, "%zu", s->depth);
  key(s, "histogram");
  open_bracket(s, "{");
  for (size_t i = 0; i < s->count_count; i++) {
    item(s);
    put_string(s, pir_str_from(s->counts[i].def->name));
    putf(s, ":%zu", s->counts[i].count);
  }
  close_bracket(s, "}");
  for (int able = NO_KERNEL; able < ABILITIES; able++) {
    key(s, ability_keys[able]);
    open_bracket(s, "[");
    for (size_t i = 0; i < s->count_count; i++) {
      if ((int)ability_of(s->counts[i].def) != able)
        continue;
      item(s);
      put_string(s, pir_str_from(s->counts[i].def->name));
    }
    close_bracket(s, "]");
  }
}

static void write_json(stats *s) {
  char producer[64];
  pir_program_info info = pir_program_info_of(s->program);
  producer_of(s, producer, sizeof producer);
  open_bracket(s, "{");
  text_member(s, "format", info.format);
  key(s, "version");
  putf(s, "%lld", (long long)info.version);
  key(s, "trainable");
  putf(s, info.trainable ? "true" : "false");
  text_member(s, "producer", pir_str_from(producer));
  json_ports(s, PIR_INPUT, "inputs");
  json_ports(s, PIR_OUTPUT, "outputs");
  json_parameters(s);
  json_ops(s);
  close_bracket(s, "}");
  put_text(s, "\n", 1);
}

pir_status stats_write(const pir_program *program, bool json, pir_writer out) {
  stats s = {.out = out, .program = program};
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, count_op, &s);
  if (s.count_count)
    qsort(s.counts, s.count_count, sizeof *s.counts, by_count);
  if (json)
    write_json(&s);
  else
    write_table(&s);
  free(s.counts);
  return s.failed ? PIR_IO : PIR_OK;
}
