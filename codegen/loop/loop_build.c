// Builds loop IR. All nodes are bump-allocated in the module. Builders keep two invariants.
// Operands of an operation have equal lanes (scalars are broadcast). Scalar index arithmetic
// has passed the rules of simplify.c, so equal indices tend to be equal trees.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loop_impl.h"
#include "loop_names.h"
#include "loop_verify.h"

loop_module *pir_loop_module_create_in(pir_heap *heap) {
  loop_module *m = pir_heap_take_zeroed(heap, sizeof *m);
  pir_arena_init(&m->arena, heap);
  return m;
}

loop_module *pir_loop_module_create(void) {
  loop_module *m = calloc(1, sizeof *m);
  if (!m)
    return NULL;
  pir_heap_init(&m->own, NULL);
  pir_arena_init(&m->arena, &m->own);
  return m;
}

void pir_loop_module_destroy(loop_module *m) {
  if (!m)
    return;
  pir_heap *heap = m->arena.heap;
  pir_arena_destroy(&m->arena);
  if (heap == &m->own)
    free(m);
  else
    pir_heap_give(heap, m);
}

const char *pir_loop_type_text(uint8_t type) {
  return type == LOOP_INDEX ? "index" : pir_dtype_text(type);
}

void *pir_loop_alloc(loop_module *m, size_t size) {
  return pir_arena_zalloc(&m->arena, size);
}

const char *pir_loop_name(loop_module *m, const char *stem, int64_t n) {
  char digits[20];
  size_t count = 0, size = strlen(stem);
  if (n >= 0)
    do
      digits[count++] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
  char *name = pir_loop_alloc(m, size + count + 1);
  memcpy(name, stem, size);
  while (count)
    name[size++] = digits[--count];
  return name;
}

// ---- functions

loop_group *pir_loop_group(loop_module *m, const char *name, const char *ops) {
  loop_group *group = pir_loop_alloc(m, sizeof *group);
  group->name = pir_loop_name(m, name, -1);
  group->ops = pir_loop_name(m, ops, -1);
  if (m->last_group)
    m->last_group->next = group;
  else
    m->groups = group;
  m->last_group = group;
  return group;
}

loop_fn *pir_loop_fn_create(loop_module *m, const char *name) {
  loop_fn *fn = pir_loop_alloc(m, sizeof *fn);
  fn->module = m;
  fn->group = m->last_group;
  if (fn->group && !fn->group->first)
    fn->group->first = fn;
  fn->name = pir_loop_name(m, name, -1);
  fn->begin = pir_loop_var_create(fn, "begin", LOOP_INDEX, 1);
  fn->end = pir_loop_var_create(fn, "end", LOOP_INDEX, 1);
  if (m->last)
    m->last->next = fn;
  else
    m->first = fn;
  m->last = fn;
  m->fn_count++;
  return fn;
}

static loop_buffer *add_buffer(loop_fn *fn, const char *name, loop_space space,
                               pir_dtype dtype) {
  if (fn->buffer_count == fn->buffer_capacity) {
    uint16_t capacity = fn->buffer_capacity ? fn->buffer_capacity * 2 : 8;
    loop_buffer **grown = pir_loop_alloc(fn->module, capacity * sizeof *grown);
    if (fn->buffer_count)
      memcpy(grown, fn->buffers, fn->buffer_count * sizeof *grown);
    fn->buffers = grown;
    fn->buffer_capacity = capacity;
  }
  loop_buffer *b = pir_loop_alloc(fn->module, sizeof *b);
  *b = (loop_buffer){.name = pir_loop_name(fn->module, name, -1),
                     .space = space,
                     .dtype = dtype,
                     .lanes = 1,
                     .id = fn->buffer_count,
                     .align = 1};
  fn->buffers[fn->buffer_count++] = b;
  return b;
}

loop_buffer *pir_loop_arg(loop_fn *fn, const char *name, pir_dtype dtype, uint16_t slot,
                          uint32_t align, bool read_only) {
  loop_buffer *b = add_buffer(fn, name, LOOP_ARG, dtype);
  b->slot = slot;
  b->align = align;
  b->read_only = read_only;
  return b;
}

static uint32_t usual_alignment(loop_space space) {
  switch (space) {
    case LOOP_SCRATCH:
    case LOOP_LOCAL: return 64;
    case LOOP_SHARED: return 16;
    default: return 1;
  }
}

loop_buffer *pir_loop_buffer(loop_fn *fn, const char *name, loop_space space, pir_dtype dtype,
                             int64_t count) {
  loop_buffer *b = add_buffer(fn, name, space, dtype);
  b->count = count;
  b->align = usual_alignment(space);
  if (space != LOOP_SCRATCH)
    return b;
  b->offset = fn->scratch_bytes;
  fn->scratch_bytes += (count * (int64_t)pir_loop_type_size(dtype) + 63) & ~(int64_t)63;
  return b;
}

loop_buffer *pir_loop_scratch(loop_fn *fn, const char *name, pir_dtype dtype, int64_t count) {
  return pir_loop_buffer(fn, name, LOOP_SCRATCH, dtype, count);
}

loop_buffer *pir_loop_shared(loop_fn *fn, const char *name, pir_dtype dtype, int64_t count) {
  return pir_loop_buffer(fn, name, LOOP_SHARED, dtype, count);
}

loop_buffer *pir_loop_registers(loop_fn *fn, const char *name, pir_dtype dtype, uint16_t lanes,
                                int64_t count) {
  loop_buffer *b = pir_loop_buffer(fn, name, LOOP_REGISTER, dtype, count);
  b->lanes = lanes;
  return b;
}

loop_var *pir_loop_var_create(loop_fn *fn, const char *name, pir_dtype dtype, uint16_t lanes) {
  loop_var *v = pir_loop_alloc(fn->module, sizeof *v);
  *v = (loop_var){.name = pir_loop_name(fn->module, name, -1),
                  .dtype = dtype,
                  .lanes = lanes,
                  .id = fn->var_count++};
  return v;
}

// ---- expressions

loop_expr *pir_loop_node(loop_module *m, loop_kind kind, pir_dtype dtype, uint16_t lanes) {
  loop_expr *e = pir_loop_alloc(m, sizeof *e);
  e->kind = kind;
  e->dtype = dtype;
  e->lanes = lanes;
  return e;
}

bool pir_loop_may_wrap(const loop_expr *e) {
  const loop_expr *operands[] = {e->a, e->b, e->c};
  if (e->dtype != LOOP_INDEX)
    return false;
  if (e->kind == LOOP_CAST)
    return e->a->dtype != PIR_BOOL;
  for (int i = 0; i < 3; i++)
    if (operands[i] && operands[i]->given)
      return true;
  return e->kind == LOOP_DIM ? e->given : e->kind == LOOP_VAR && e->var->given;
}

loop_expr *pir_loop_int(loop_module *m, int64_t i) {
  return pir_loop_const_int(m, LOOP_INDEX, i);
}

int64_t pir_loop_wrap(uint8_t type, int64_t i) {
  switch (type) {
    case PIR_BOOL: return i != 0;
    case PIR_I8: return (int8_t)i;
    case PIR_U8: return (uint8_t)i;
    case PIR_I16: return (int16_t)i;
    case PIR_U16: return (uint16_t)i;
    case PIR_I32: return (int32_t)i;
    case PIR_U32: return (uint32_t)i;
    default: return i;
  }
}

loop_expr *pir_loop_const_int(loop_module *m, pir_dtype dtype, int64_t i) {
  loop_expr *e = pir_loop_node(m, LOOP_CONST, dtype, 1);
  e->constant.i = pir_loop_wrap(dtype, i);
  return e;
}

double pir_loop_round(uint8_t type, double f) {
  return type == PIR_F64 || f != f ? f : (double)(float)f;
}

loop_expr *pir_loop_const_float(loop_module *m, pir_dtype dtype, double f) {
  loop_expr *e = pir_loop_node(m, LOOP_CONST, dtype, 1);
  e->constant.f = pir_loop_round(dtype, f);
  return e;
}

loop_expr *pir_loop_use(loop_module *m, loop_var *var) {
  loop_expr *e = pir_loop_node(m, LOOP_VAR, var->dtype, var->lanes);
  e->var = var;
  e->given = pir_loop_may_wrap(e);
  return e;
}

loop_expr *pir_loop_dim(loop_module *m, int64_t k) {
  loop_expr *e = pir_loop_node(m, LOOP_DIM, LOOP_INDEX, 1);
  e->dim.number = k;
  return e;
}

loop_expr *pir_loop_broadcast(loop_module *m, loop_expr *a, uint16_t lanes) {
  if (a->lanes == lanes)
    return a;
  loop_expr *e = pir_loop_node(m, LOOP_BROADCAST, a->dtype, lanes);
  e->a = a;
  e->given = pir_loop_may_wrap(e);
  return e;
}

loop_expr *pir_loop_ramp(loop_module *m, loop_expr *base, loop_expr *stride, uint16_t lanes) {
  if (lanes == 1)
    return base;
  loop_expr *e = pir_loop_node(m, LOOP_RAMP, base->dtype, lanes);
  e->a = base;
  e->b = stride;
  e->given = pir_loop_may_wrap(e);
  return e;
}

static pir_dtype type_of_op(pir_node_op fn, const loop_expr *a, const loop_expr *b) {
  const loop_operation *op = loop_operation_of(fn);
  if (op && op->compares)
    return PIR_BOOL;
  return fn == PIR_V_SELECT ? b->dtype : a->dtype;
}

loop_expr *pir_loop_op(loop_module *m, pir_node_op fn, loop_expr *a, loop_expr *b,
                       loop_expr *c) {
  pir_dtype dtype = type_of_op(fn, a, b);
  loop_expr *folded = pir_loop_simplify(m, fn, a, b, c);
  if (folded && folded->dtype != dtype && m->verify)
    pir_loop_keep_fault(m, "simplify", "the simpler form has another type");
  if (folded)
    return folded;
  uint16_t lanes = a->lanes;
  if (b && b->lanes > lanes)
    lanes = b->lanes;
  if (c && c->lanes > lanes)
    lanes = c->lanes;
  loop_expr *e = pir_loop_node(m, LOOP_OP, dtype, lanes);
  e->op = fn;
  e->a = pir_loop_broadcast(m, a, lanes);
  e->b = b ? pir_loop_broadcast(m, b, lanes) : NULL;
  e->c = c ? pir_loop_broadcast(m, c, lanes) : NULL;
  e->given = pir_loop_may_wrap(e);
  return e;
}

loop_expr *pir_loop_add(loop_module *m, loop_expr *a, loop_expr *b) {
  return pir_loop_op(m, PIR_V_ADD, a, b, NULL);
}
loop_expr *pir_loop_sub(loop_module *m, loop_expr *a, loop_expr *b) {
  return pir_loop_op(m, PIR_V_SUB, a, b, NULL);
}
loop_expr *pir_loop_mul(loop_module *m, loop_expr *a, loop_expr *b) {
  return pir_loop_op(m, PIR_V_MUL, a, b, NULL);
}
loop_expr *pir_loop_min(loop_module *m, loop_expr *a, loop_expr *b) {
  return pir_loop_op(m, PIR_V_MIN, a, b, NULL);
}
loop_expr *pir_loop_max(loop_module *m, loop_expr *a, loop_expr *b) {
  return pir_loop_op(m, PIR_V_MAX, a, b, NULL);
}
loop_expr *pir_loop_lt(loop_module *m, loop_expr *a, loop_expr *b) {
  return pir_loop_op(m, PIR_V_LT, a, b, NULL);
}

loop_expr *pir_loop_floordiv(loop_module *m, loop_expr *a, loop_expr *b) {
  return pir_loop_op(m, PIR_V_FLOORDIV, a, b, NULL);
}

loop_expr *pir_loop_mod(loop_module *m, loop_expr *a, loop_expr *b) {
  return pir_loop_op(m, PIR_V_FLOORMOD, a, b, NULL);
}

loop_expr *pir_loop_select(loop_module *m, loop_expr *cond, loop_expr *a, loop_expr *b) {
  return pir_loop_op(m, PIR_V_SELECT, cond, a, b);
}

loop_expr *pir_loop_fma(loop_module *m, loop_expr *a, loop_expr *b, loop_expr *c) {
  uint16_t lanes = a->lanes > b->lanes ? a->lanes : b->lanes;
  if (c->lanes > lanes)
    lanes = c->lanes;
  loop_expr *e = pir_loop_node(m, LOOP_FMA, c->dtype, lanes);
  e->a = pir_loop_broadcast(m, a, lanes);
  e->b = pir_loop_broadcast(m, b, lanes);
  e->c = pir_loop_broadcast(m, c, lanes);
  return e;
}

loop_expr *pir_loop_dot(loop_module *m, loop_dot fn, loop_expr *a, loop_expr *b, loop_expr *c) {
  loop_expr *e = pir_loop_node(m, LOOP_DOT, c->dtype, c->lanes);
  e->dot = fn;
  e->a = pir_loop_broadcast(m, a, c->lanes);
  e->b = pir_loop_broadcast(m, b, c->lanes);
  e->c = c;
  return e;
}

// A constant from a tensor may be used as an index unchanged if index arithmetic cannot
// overflow with it.
static bool is_moderate(int64_t i) {
  return i >= -LOOP_MODERATE && i <= LOOP_MODERATE;
}

// Converts an index to data. The conversion loses nothing, so casts of the result start from
// the index.
static bool is_cast_index(const loop_expr *e) {
  return e->kind == LOOP_CAST && e->dtype == PIR_I64 && e->a->dtype == LOOP_INDEX;
}

static loop_expr *cast_const_int(loop_module *m, const loop_expr *a, uint8_t type) {
  if (type == PIR_BOOL || pir_dtype_is_integer(type))
    return pir_loop_const_int(m, type, a->constant.i);
  if (type == LOOP_INDEX && is_moderate(a->constant.i))
    return pir_loop_int(m, a->constant.i);
  if (a->dtype == PIR_U64)
    return NULL;
  if (type == PIR_F32)
    return pir_loop_const_float(m, type, (double)(float)a->constant.i);
  return type == PIR_F64 ? pir_loop_const_float(m, type, (double)a->constant.i) : NULL;
}

loop_expr *pir_loop_cast(loop_module *m, loop_expr *a, pir_dtype dtype) {
  int64_t known;
  if (a->dtype == dtype)
    return a;
  loop_expr *folded = pir_loop_is_int(a, &known) ? cast_const_int(m, a, dtype) : NULL;
  if (folded)
    return folded;
  if (is_cast_index(a))
    return pir_loop_cast(m, a->a, dtype);
  // Floats of 16 bits come back from f32 as they were.
  if (a->kind == LOOP_CAST && a->dtype == PIR_F32 && a->a->dtype == dtype &&
      (dtype == PIR_BF16 || dtype == PIR_F16))
    return a->a;
  if (a->kind == LOOP_CONST && a->lanes == 1 && a->dtype == PIR_F32 && dtype == PIR_F64)
    return pir_loop_const_float(m, PIR_F64, a->constant.f);
  if (a->kind == LOOP_CONST && a->lanes == 1 && a->dtype == PIR_F64 && dtype == PIR_F32)
    return pir_loop_const_float(m, PIR_F32, (double)(float)a->constant.f);
  loop_expr *e = pir_loop_node(m, LOOP_CAST, dtype, a->lanes);
  e->a = a;
  e->given = pir_loop_may_wrap(e);
  e->flushes = m->flush && a->dtype == PIR_F32 && dtype == PIR_BF16;
  return e;
}

loop_expr *pir_loop_bitcast(loop_module *m, loop_expr *a, pir_dtype dtype) {
  size_t bytes = a->lanes * pir_dtype_size(a->dtype);
  loop_expr *e =
      pir_loop_node(m, LOOP_BITCAST, dtype, (uint16_t)(bytes / pir_dtype_size(dtype)));
  e->a = a;
  return e;
}

loop_expr *pir_loop_load(loop_module *m, loop_buffer *buffer, loop_expr *index, uint16_t lanes,
                         loop_expr *mask) {
  loop_expr *e = pir_loop_node(m, LOOP_LOAD, buffer->dtype,
                               buffer->space == LOOP_REGISTER ? buffer->lanes : lanes);
  e->buffer = buffer;
  e->a = index;
  e->mask = mask;
  return e;
}

loop_expr *pir_loop_gather(loop_module *m, loop_buffer *buffer, loop_expr *index,
                           loop_expr *mask) {
  if (index->lanes == 1)
    return pir_loop_load(m, buffer, index, 1, mask);
  loop_expr *e = pir_loop_node(m, LOOP_GATHER, buffer->dtype, index->lanes);
  e->buffer = buffer;
  e->a = index;
  e->mask = mask;
  return e;
}

loop_expr *pir_loop_fold(loop_module *m, pir_combine combine, loop_expr *a) {
  if (a->lanes == 1)
    return a;
  loop_expr *e = pir_loop_node(m, LOOP_FOLD, a->dtype, 1);
  e->combine = combine;
  e->a = a;
  return e;
}

loop_expr *pir_loop_zip(loop_module *m, loop_expr *a, loop_expr *b, bool upper) {
  loop_expr *e = pir_loop_node(m, LOOP_ZIP, a->dtype, a->lanes);
  e->upper = upper;
  e->a = a;
  e->b = b;
  return e;
}

loop_expr *pir_loop_lookup(loop_module *m, loop_expr *table, loop_expr *at) {
  loop_expr *e = pir_loop_node(m, LOOP_LOOKUP, table->dtype, table->lanes);
  e->a = table;
  e->b = at;
  return e;
}

loop_expr *pir_loop_team(loop_module *m, pir_combine combine, int group, loop_expr *a) {
  loop_expr *e = pir_loop_node(m, LOOP_TEAM, a->dtype, 1);
  e->combine = combine;
  e->group = group;
  e->a = a;
  return e;
}

loop_expr *pir_loop_prefix(loop_module *m, pir_combine combine, loop_expr *a) {
  loop_expr *e = pir_loop_team(m, combine, 0, a);
  e->prefix = true;
  return e;
}

loop_expr *pir_loop_tail_mask(loop_module *m, loop_expr *n, uint16_t lanes) {
  loop_expr *lane = pir_loop_ramp(m, pir_loop_const_int(m, PIR_I32, 0),
                                  pir_loop_const_int(m, PIR_I32, 1), lanes);
  return pir_loop_lt(m, lane, pir_loop_cast(m, n, PIR_I32));
}

static int64_t int_limit(pir_dtype dtype, bool highest) {
  int bits = (int)pir_loop_type_size(dtype) * 8;
  if (dtype == PIR_BOOL)
    return highest;
  if (dtype == PIR_U8 || dtype == PIR_U16 || dtype == PIR_U32)
    return highest ? (int64_t)((1ull << bits) - 1) : 0;
  if (dtype == PIR_U64)
    return highest ? -1 : 0;
  return highest ? (int64_t)((1ull << (bits - 1)) - 1)
                 : -(int64_t)((1ull << (bits - 1)) - 1) - 1;
}

loop_expr *pir_loop_neutral(loop_module *m, pir_combine combine, pir_dtype dtype) {
  bool is_float = pir_dtype_is_float(dtype);
  switch (combine) {
    case PIR_COMBINE_MUL:
      return is_float ? pir_loop_const_float(m, dtype, 1) : pir_loop_const_int(m, dtype, 1);
    case PIR_COMBINE_MAX:
      return is_float ? pir_loop_const_float(m, dtype, -INFINITY)
                      : pir_loop_const_int(m, dtype, int_limit(dtype, false));
    case PIR_COMBINE_MIN:
      return is_float ? pir_loop_const_float(m, dtype, INFINITY)
                      : pir_loop_const_int(m, dtype, int_limit(dtype, true));
    case PIR_COMBINE_AND: return pir_loop_const_int(m, dtype, dtype == PIR_BOOL ? 1 : -1);
    default:
      return is_float ? pir_loop_const_float(m, dtype, 0) : pir_loop_const_int(m, dtype, 0);
  }
}

loop_expr *pir_loop_combine(loop_module *m, pir_combine combine, loop_expr *a, loop_expr *b) {
  static const uint8_t fn[] = {[PIR_COMBINE_ADD] = PIR_V_ADD, [PIR_COMBINE_MUL] = PIR_V_MUL,
                               [PIR_COMBINE_MAX] = PIR_V_MAX, [PIR_COMBINE_MIN] = PIR_V_MIN,
                               [PIR_COMBINE_AND] = PIR_V_AND, [PIR_COMBINE_OR] = PIR_V_OR};
  return pir_loop_op(m, fn[combine], a, b, NULL);
}

// ---- statements

static loop_stmt *append(loop_fn *fn, loop_block *block, loop_stmt_kind kind) {
  loop_stmt *s = pir_loop_alloc(fn->module, sizeof *s);
  s->kind = kind;
  if (block->last)
    block->last->next = s;
  else
    block->first = s;
  block->last = s;
  return s;
}

loop_expr *pir_loop_usual_extent(loop_for_kind kind, const loop_expr *begin, loop_expr *end) {
  int64_t first;
  return kind != LOOP_PARALLEL && pir_loop_is_int(begin, &first) && first >= 0 ? end : NULL;
}

loop_block *pir_loop_for(loop_fn *fn, loop_block *block, loop_for_kind kind, loop_var *var,
                         loop_expr *begin, loop_expr *end, loop_expr *step) {
  loop_stmt *s = append(fn, block, LOOP_FOR);
  s->loop.kind = kind;
  s->loop.var = var;
  s->loop.begin = begin;
  s->loop.end = end;
  s->loop.step = step ? step : pir_loop_int(fn->module, 1);
  if (!var->extent)
    var->extent = pir_loop_usual_extent(kind, begin, end);
  return &s->loop.body;
}

loop_block *pir_loop_if(loop_fn *fn, loop_block *block, loop_expr *cond,
                        loop_block **out_else) {
  loop_stmt *s = append(fn, block, LOOP_IF);
  s->branch.condition = cond;
  if (out_else)
    *out_else = &s->branch.other;
  return &s->branch.body;
}

void pir_loop_bind(loop_fn *fn, loop_block *block, loop_var *var, loop_expr *value) {
  loop_stmt *s = append(fn, block, LOOP_LET);
  s->let.var = var;
  s->let.value = value;
}

loop_expr *pir_loop_let(loop_fn *fn, loop_block *block, const char *name, loop_expr *value) {
  if (value->kind == LOOP_CONST || value->kind == LOOP_VAR || value->kind == LOOP_DIM)
    return value;
  if (is_cast_index(value))
    return pir_loop_cast(fn->module, pir_loop_let(fn, block, name, value->a), value->dtype);
  loop_var *var = pir_loop_var_create(fn, name, value->dtype, value->lanes);
  var->given = value->given;
  if (value->dtype == LOOP_INDEX && value->lanes == 1)
    var->multiple = pir_loop_multiple(value);
  if (fn->threads && value->dtype == LOOP_INDEX && value->lanes == 1)
    var->extent = pir_loop_bound(fn->module, value);
  pir_loop_bind(fn, block, var, value);
  return pir_loop_use(fn->module, var);
}

static void append_store(loop_fn *fn, loop_block *block, loop_stmt_kind kind,
                         loop_buffer *buffer, loop_expr *index, loop_expr *value,
                         loop_expr *mask) {
  loop_stmt *s = append(fn, block, kind);
  s->store.buffer = buffer;
  s->store.index = index;
  s->store.value = value;
  s->store.mask = mask;
}

// log2(lanes) rounds, each of which interleaves rows that are half the square apart.
void pir_loop_turn_square(loop_fn *fn, loop_block *block, loop_expr **rows, int lanes) {
  loop_expr *next[64];
  for (int round = 1; round < lanes; round *= 2) {
    for (int i = 0; i < lanes; i++)
      next[i] =
          pir_loop_let(fn, block, "t",
                       pir_loop_zip(fn->module, rows[i / 2], rows[i / 2 + lanes / 2], i % 2));
    memcpy(rows, next, (size_t)lanes * sizeof *rows);
  }
}

void pir_loop_store(loop_fn *fn, loop_block *block, loop_buffer *buffer, loop_expr *index,
                    loop_expr *value, loop_expr *mask) {
  append_store(fn, block, LOOP_STORE, buffer, index, value, mask);
}

void pir_loop_scatter(loop_fn *fn, loop_block *block, loop_buffer *buffer, loop_expr *index,
                      loop_expr *value, loop_expr *mask) {
  append_store(fn, block, LOOP_SCATTER, buffer, index, value, mask);
}

void pir_loop_accumulate(loop_fn *fn, loop_block *block, loop_buffer *buffer, loop_expr *index,
                         pir_combine combine, loop_expr *value) {
  loop_stmt *s = append(fn, block, LOOP_ACCUMULATE);
  s->accumulate.combine = combine;
  s->accumulate.buffer = buffer;
  s->accumulate.index = index;
  s->accumulate.value = value;
}

void pir_loop_prefetch(loop_fn *fn, loop_block *block, loop_buffer *buffer, loop_expr *index,
                       bool far) {
  loop_stmt *s = append(fn, block, LOOP_PREFETCH);
  s->prefetch.far = far;
  s->prefetch.buffer = buffer;
  s->prefetch.index = index;
}

void pir_loop_trap(loop_fn *fn, loop_block *block, uint32_t number, loop_expr *where) {
  loop_stmt *s = append(fn, block, LOOP_TRAP);
  s->trap.number = number;
  s->trap.where = where;
  fn->traps = true;
}

void pir_loop_barrier(loop_fn *fn, loop_block *block) {
  append(fn, block, LOOP_BARRIER);
}

void pir_loop_copy(loop_fn *fn, loop_block *block, loop_buffer *buffer, loop_expr *index,
                   loop_expr *from) {
  loop_stmt *s = append(fn, block, LOOP_COPY);
  s->copy.buffer = buffer;
  s->copy.index = index;
  s->copy.from = from;
}

void pir_loop_commit(loop_fn *fn, loop_block *block) {
  append(fn, block, LOOP_COMMIT);
}

void pir_loop_wait(loop_fn *fn, loop_block *block, uint32_t groups) {
  append(fn, block, LOOP_WAIT)->wait.groups = groups;
}

void pir_loop_tile(loop_fn *fn, loop_block *block, loop_tile_op op, loop_buffer *buffer,
                   loop_expr *index, loop_expr *stride, int first, int second, int third) {
  loop_stmt *s = append(fn, block, LOOP_TILE);
  s->tile.op = op;
  s->tile.tiles[0] = (uint8_t)first;
  s->tile.tiles[1] = (uint8_t)second;
  s->tile.tiles[2] = (uint8_t)third;
  s->tile.buffer = buffer;
  s->tile.index = index;
  s->tile.stride = stride;
}

void pir_loop_take(loop_fn *fn, loop_block *block, loop_buffer *buffer, loop_expr *index,
                   int64_t kept, loop_expr *count, loop_expr *at, loop_expr *rank) {
  loop_stmt *s = append(fn, block, LOOP_TAKE);
  s->take.kept = kept;
  s->take.buffer = buffer;
  s->take.index = index;
  s->take.count = count;
  s->take.at = at;
  s->take.rank = rank;
}

void pir_loop_mma(loop_fn *fn, loop_block *block, loop_buffer *sums, loop_expr *index,
                  loop_fragment left, loop_fragment right) {
  loop_stmt *s = append(fn, block, LOOP_MMA);
  s->mma.sums = sums;
  s->mma.index = index;
  s->mma.left = left;
  s->mma.right = right;
}

// ---- the parts of a statement

static void add_operand(loop_operands *list, loop_expr *const *at) {
  if (*at)
    list->at[list->count++] = (loop_expr **)at;
}

loop_operands pir_loop_operands(const loop_stmt *s) {
  loop_operands list = {0};
  switch ((loop_stmt_kind)s->kind) {
    case LOOP_FOR:
      add_operand(&list, &s->loop.begin);
      add_operand(&list, &s->loop.end);
      add_operand(&list, &s->loop.step);
      break;
    case LOOP_IF: add_operand(&list, &s->branch.condition); break;
    case LOOP_LET: add_operand(&list, &s->let.value); break;
    case LOOP_STORE:
    case LOOP_SCATTER:
      add_operand(&list, &s->store.index);
      add_operand(&list, &s->store.value);
      add_operand(&list, &s->store.mask);
      break;
    case LOOP_ACCUMULATE:
      add_operand(&list, &s->accumulate.index);
      add_operand(&list, &s->accumulate.value);
      break;
    case LOOP_PREFETCH: add_operand(&list, &s->prefetch.index); break;
    case LOOP_TRAP: add_operand(&list, &s->trap.where); break;
    case LOOP_MMA:
      add_operand(&list, &s->mma.index);
      add_operand(&list, &s->mma.left.at);
      add_operand(&list, &s->mma.right.at);
      break;
    case LOOP_TILE:
      add_operand(&list, &s->tile.index);
      add_operand(&list, &s->tile.stride);
      break;
    case LOOP_TAKE:
      add_operand(&list, &s->take.count);
      add_operand(&list, &s->take.index);
      add_operand(&list, &s->take.at);
      add_operand(&list, &s->take.rank);
      break;
    case LOOP_COPY:
      add_operand(&list, &s->copy.index);
      add_operand(&list, &s->copy.from);
      break;
    case LOOP_COMMIT:
    case LOOP_WAIT:
    case LOOP_BARRIER: break;
  }
  return list;
}

loop_blocks pir_loop_blocks(const loop_stmt *s) {
  if (s->kind == LOOP_FOR)
    return (loop_blocks){1, {(loop_block *)&s->loop.body}};
  if (s->kind == LOOP_IF)
    return (loop_blocks){2, {(loop_block *)&s->branch.body, (loop_block *)&s->branch.other}};
  return (loop_blocks){0};
}

loop_buffer *pir_loop_touched(const loop_stmt *s) {
  switch ((loop_stmt_kind)s->kind) {
    case LOOP_STORE:
    case LOOP_SCATTER: return s->store.buffer;
    case LOOP_ACCUMULATE: return s->accumulate.buffer;
    case LOOP_PREFETCH: return s->prefetch.buffer;
    case LOOP_MMA: return s->mma.sums;
    case LOOP_TILE: return s->tile.buffer;
    case LOOP_TAKE: return s->take.buffer;
    case LOOP_COPY: return s->copy.buffer;
    default: return NULL;
  }
}
