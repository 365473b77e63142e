// Builds clauses and calls for the tests of the evaluator, as opsc would.
#ifndef TEST_CLAUSE_BUILD_H
#define TEST_CLAUSE_BUILD_H

#include <pir/layer/clause_builder.h>
#include <pir/layer/kernel.h>
#include <stdarg.h>
#include <string.h>

typedef struct build {
  pir_node nodes[128];
  int16_t pool[128];
  pir_clause_var vars[8];
  int node_count, pool_count, var_count;
  pir_clause clause;
  pir_attr_value attrs[8];
  int attr_count;
  const pir_tensor *in[8];
  int32_t members[8], first[8];
  int in_count, operand_count;
  pir_tensor *out[8];
  int32_t out_members[8], out_first[8];
  int out_count, result_count;
  pir_message message;
  pir_parallel parallel;
} build;

static inline build build_of(int kind) {
  build b;
  memset(&b, 0, sizeof b);
  b.clause = pir_clause_blank(kind);
  b.parallel = pir_parallel_serial();
  return b;
}

static inline int16_t put(build *b, pir_node n) {
  b->nodes[b->node_count] = n;
  return (int16_t)b->node_count++;
}

static inline int16_t op3(build *b, int op, int k, int x, int y, int z) {
  pir_node n = pir_node_blank(op);
  n.k = (int16_t)k;
  n.a = (int16_t)x;
  n.b = (int16_t)y;
  n.c = (int16_t)z;
  return put(b, n);
}
static inline int16_t op2(build *b, int op, int x, int y) {
  return op3(b, op, -1, x, y, -1);
}
static inline int16_t op1(build *b, int op, int x) {
  return op3(b, op, -1, x, -1, -1);
}
static inline int16_t ask(build *b, int op, int k, int x) {
  return op3(b, op, k, x, -1, -1);
}

static inline int16_t constant(build *b, int op, int k, int64_t i, double f) {
  pir_node n = pir_node_blank(op);
  n.k = (int16_t)k;
  n.i = i;
  n.f = f;
  return put(b, n);
}
static inline int16_t icon(build *b, int64_t i) {
  return constant(b, PIR_I_CONST, -1, i, 0);
}
static inline int16_t vint(build *b, int64_t i) {
  return constant(b, PIR_V_CONST, PIR_I64, i, (double)i);
}
static inline int16_t vnum(build *b, double f) {
  return constant(b, PIR_V_CONST, PIR_F64, (int64_t)f, f);
}

static inline int16_t load_map(build *b, int op, int kind, int k, int fill, int map,
                               int count) {
  pir_node n = pir_node_blank(op);
  n.map_kind = (uint8_t)kind;
  n.k = (int16_t)k;
  n.a = (int16_t)fill;
  n.map = (int16_t)map;
  n.map_count = (int16_t)count;
  return put(b, n);
}
static inline int16_t load(build *b, int k) {
  return load_map(b, PIR_V_LOAD, PIR_MAP_ALIGNED, k, -1, -1, 0);
}

// Entries of a list map end with -1.
static inline int16_t pool(build *b, int *out_count, va_list entries) {
  int start = b->pool_count, n;
  while ((n = va_arg(entries, int)) >= 0)
    b->pool[b->pool_count++] = (int16_t)n;
  *out_count = b->pool_count - start;
  return (int16_t)start;
}

static inline int16_t load_at(build *b, int op, int k, int fill, ...) {
  va_list entries;
  int count;
  va_start(entries, fill);
  int16_t map = pool(b, &count, entries);
  va_end(entries);
  return load_map(b, op, PIR_MAP_LIST, k, fill, map, count);
}

static inline int16_t load_each(build *b, int op, int kind, int k, int fill, int map) {
  return load_map(b, op, kind, k, fill, map, 0);
}

static inline void store_at(build *b, int first, ...) {
  va_list entries;
  int count;
  b->pool[b->pool_count++] = (int16_t)first;
  va_start(entries, first);
  pool(b, &count, entries);
  va_end(entries);
  b->clause.out_map_kind = PIR_MAP_LIST;
  b->clause.out_map = (int16_t)(b->pool_count - count - 1);
  b->clause.out_map_count = (int16_t)(count + 1);
}

// A variable; extent -1: a pack. Returns its index node.
static inline int16_t var(build *b, int extent, bool reduced) {
  b->vars[b->var_count] = (pir_clause_var){
      .name = "v", .extent = (int16_t)extent, .reduced = reduced, .pack = extent < 0};
  b->clause.var_count = (uint8_t)(b->var_count + 1);
  return ask(b, extent < 0 ? PIR_I_PACK : PIR_I_VAR, b->var_count++, -1);
}

static inline void operand(build *b, const pir_tensor *t) {
  b->members[b->operand_count] = t != NULL;
  b->first[b->operand_count++] = b->in_count;
  if (t)
    b->in[b->in_count++] = t;
}

static inline void result(build *b, pir_tensor *t) {
  b->out_members[b->result_count] = 1;
  b->out_first[b->result_count++] = b->out_count;
  b->out[b->out_count++] = t;
}

static inline int attr_ints(build *b, const int64_t *ints, size_t count) {
  b->attrs[b->attr_count] =
      (pir_attr_value){.kind = PIR_VALUE_INTS, .ints = ints, .count = count};
  return b->attr_count++;
}

static inline pir_status run(build *b) {
  b->clause.nodes = b->nodes;
  b->clause.node_count = (uint16_t)b->node_count;
  b->clause.pool = b->pool;
  b->clause.vars = b->vars;
  pir_kernel_call call = {.op = "test",
                          .in = b->in,
                          .in_members = b->members,
                          .in_first = b->first,
                          .operand_count = b->operand_count,
                          .out = b->out,
                          .out_members = b->out_members,
                          .out_first = b->out_first,
                          .result_count = b->result_count,
                          .attrs = b->attrs,
                          .attr_count = b->attr_count,
                          .clause = &b->clause,
                          .parallel = b->parallel,
                          .message = &b->message};
  return pir_clause_run(&call);
}

static inline pir_tensor dense(void *data, pir_dtype dtype, int rank, ...) {
  pir_tensor t = {.data = data};
  int64_t shape[PIR_MAX_RANK];
  va_list dims;
  va_start(dims, rank);
  for (int i = 0; i < rank; i++)
    shape[i] = va_arg(dims, int);
  va_end(dims);
  pir_tensor_set_dense(&t, dtype, shape, rank);
  return t;
}

#endif
