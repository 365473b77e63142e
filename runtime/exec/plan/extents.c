// Extents of a plan: the dims of the facts as binary expressions that need no dim table. Each
// dim is interned once. Values are visited in program order, so an expression usually extends
// earlier ones by few nodes. O(size of the expressions).
#include "plan_build.h"
#include "frame.h"
#include <stdlib.h>

#define DEEPEST 200

static void note_origin(plan_builder *b) {
  plan *p = b->p;
  if (!b->asking || (p->origin_count && p->origins[p->origin_count - 1].op == b->asking))
    return;
  plan_origin *to = ARRAY_PUSH(&p->memory, p->origins, p->origin_count, p->origin_capacity);
  *to = (plan_origin){.op = b->asking, .place = pir_plan_place_now(b), .first = p->expr_count};
}

static uint32_t push_expr(plan_builder *b, plan_expr expr) {
  plan *p = b->p;
  note_origin(b);
  plan_expr *to = ARRAY_PUSH(&p->memory, p->exprs, p->expr_count, p->expr_capacity);
  *to = expr;
  return p->expr_count - 1;
}

uint32_t pir_plan_extent_const(plan_builder *b, int64_t value) {
  uint32_t number;
  if (pir_word_map_find(&b->consts, (uint64_t)value, &number))
    return number;
  number = push_expr(b, (plan_expr){.kind = PIR_DIM_CONST, .value = value});
  pir_word_map_set(&b->scratch, &b->consts, (uint64_t)value, number);
  return number;
}

uint32_t pir_plan_extent_binary(plan_builder *b, pir_dim_kind kind, uint32_t x, uint32_t y) {
  if (x == NONE || y == NONE)
    return NONE;
  const plan_expr *ex = &b->p->exprs[x], *ey = &b->p->exprs[y];
  int64_t value;
  if (ex->kind == PIR_DIM_CONST && ey->kind == PIR_DIM_CONST)
    return pir_plan_combine(kind, ex->value, ey->value, &value)
               ? pir_plan_extent_const(b, value)
               : NONE;
  uint32_t level = ex->level > ey->level ? ex->level : ey->level;
  return push_expr(b, (plan_expr){.kind = kind, .a = x, .b = y, .level = level});
}

// Returns the level at which the extent of `source` is known. A value of the block without a
// slot is a result of the current op.
static uint32_t symbol_level(plan_builder *b, pir_symbol_source source) {
  if (!source.value)
    return LEVEL_NEVER;
  struct slot_list list = pir_plan_slots_of(b, source.value);
  if (!list.count)
    return pir_value_block(source.value) == b->block ? b->p->instr_count + 1 : LEVEL_NEVER;
  if ((uint32_t)source.member >= list.count)
    return LEVEL_NEVER;
  uint32_t slot = b->p->words[list.first + (uint32_t)source.member];
  if (slot == NONE)
    return LEVEL_NEVER;
  return b->defs[slot] == NONE ? 0 : b->defs[slot] + 1;
}

static uint32_t intern(plan_builder *b, pir_dim dim, int depth);

// A symbol of the enclosing plan that is known before the region runs. Recurses from region to
// region, at most PLAN_DEEPEST of them.
static uint32_t import_symbol(plan_builder *b, pir_dim dim) {
  uint32_t outer = intern(b->parent, dim, 0);
  if (outer == NONE || b->parent->p->exprs[outer].level > b->parent->p->instr_count)
    return NONE;
  uint32_t number = push_expr(b, (plan_expr){.kind = PIR_DIM_SYMBOL});
  *ARRAY_PUSH(&b->scratch, b->imports, b->import_count, b->import_capacity) = outer;
  *ARRAY_PUSH(&b->scratch, b->imports, b->import_count, b->import_capacity) = number;
  return number;
}

static uint32_t intern_symbol(plan_builder *b, pir_dim dim) {
  size_t symbol = pir_dim_symbol_index(pir_facts_dims(b->facts), dim);
  pir_symbol_source source = pir_facts_symbol(b->facts, symbol);
  if (b->parent && source.value && pir_value_block(source.value) != b->block)
    return import_symbol(b, dim);
  uint32_t level = symbol_level(b, source);
  uint32_t number = push_expr(b, (plan_expr){.kind = PIR_DIM_SYMBOL, .level = level});
  if (level == LEVEL_NEVER)
    return number;
  struct symbol_use *use =
      ARRAY_PUSH(&b->scratch, b->symbols, b->symbol_count, b->symbol_capacity);
  *use = (struct symbol_use){number, level, source};
  return number;
}

static uint32_t intern(plan_builder *b, pir_dim dim, int depth) {
  const pir_dims *dims = pir_facts_dims(b->facts);
  int64_t value;
  uint32_t number;
  if (dim == PIR_DIM_UNKNOWN || depth > DEEPEST)
    return NONE;
  if (pir_dim_is_const(dims, dim, &value))
    return pir_plan_extent_const(b, value);
  if (pir_word_map_find(&b->dims, (uint64_t)dim, &number))
    return number;
  pir_dim_kind kind = pir_dim_kind_of(dims, dim);
  if (kind == PIR_DIM_SYMBOL) {
    number = intern_symbol(b, dim);
  } else {
    number = intern(b, pir_dim_operand(dims, dim, 0), depth + 1);
    for (size_t i = 1; i < pir_dim_operands(dims, dim); i++)
      number = pir_plan_extent_binary(b, kind, number,
                                      intern(b, pir_dim_operand(dims, dim, i), depth + 1));
  }
  if (number != NONE)
    pir_word_map_set(&b->scratch, &b->dims, (uint64_t)dim, number);
  return number;
}

uint32_t pir_plan_group_extent(plan_builder *b, pir_dim dim) {
  return dim == PIR_DIM_UNKNOWN
             ? NONE
             : intern(b, pir_dim_canonical(pir_facts_dims(b->facts), dim), 0);
}

uint32_t pir_plan_extent(plan_builder *b, pir_dim dim) {
  int64_t value;
  bool by_running = b->parent && !pir_dim_is_const(pir_facts_dims(b->facts), dim, &value);
  return by_running ? NONE : pir_plan_group_extent(b, dim);
}

static void list_known_after(plan_builder *b) {
  plan *p = b->p;
  uint32_t *next = pir_arena_zalloc(&b->scratch, p->expr_count * sizeof *next);
  uint32_t *head = pir_arena_zalloc(&b->scratch, (p->instr_count + 1) * sizeof *head);
  for (uint32_t i = p->expr_count; i-- > 0;) {
    uint32_t level = p->exprs[i].level;
    if (level == 0 || level == LEVEL_NEVER || level > p->instr_count)
      continue;
    next[i] = head[level];
    head[level] = i + 1;
  }
  for (uint32_t level = 1; level <= p->instr_count; level++) {
    plan_instr *instr = &p->instrs[level - 1];
    instr->exprs = p->word_count;
    for (uint32_t i = head[level]; i; i = next[i - 1]) {
      uint32_t *word = ARRAY_PUSH(&p->memory, p->words, p->word_count, p->word_capacity);
      *word = i - 1;
    }
    instr->expr_count = p->word_count - instr->exprs;
  }
}

static int by_level(const void *x, const void *y) {
  const struct symbol_use *a = x, *b = y;
  if (a->level != b->level)
    return a->level < b->level ? -1 : 1;
  return a->expr < b->expr ? -1 : 1;
}

void pir_plan_symbols(plan_builder *b) {
  plan *p = b->p;
  if (b->symbol_count)
    qsort(b->symbols, b->symbol_count, sizeof *b->symbols, by_level);
  for (uint32_t i = 0; i < b->symbol_count; i++) {
    const struct symbol_use *use = &b->symbols[i];
    uint32_t member = (uint32_t)use->source.member;
    struct slot_list list = pir_plan_slots_of(b, use->source.value);
    if (member >= list.count)
      continue;
    plan_symbol symbol = {use->expr, p->words[list.first + member], use->source.axis,
                          (uint32_t)use->source.element};
    if (use->level == 0) {
      if (!b->parent)
        symbol.source = p->buffers[p->slots[symbol.source].buffer].index;
      plan_symbol *to = ARRAY_PUSH(&p->memory, p->symbols, p->symbol_count, p->symbol_capacity);
      *to = symbol;
      continue;
    }
    plan_symbol *to =
        ARRAY_PUSH(&p->memory, p->late_symbols, p->late_symbol_count, p->late_symbol_capacity);
    *to = symbol;
    plan_instr *instr = &p->instrs[use->level - 1];
    if (instr->symbol_count++ == 0)
      instr->symbols = p->late_symbol_count - 1;
  }
  list_known_after(b);
}
