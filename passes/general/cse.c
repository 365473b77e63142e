// Merges ops that compute the same value from the same operands. Blocks are walked in order
// with one table. Leaving a block removes its entries, so an op sees exactly the ops that
// dominate it, and 10,000 sibling regions cost as much as their ops. As in Paddle, an op stays
// if a reader may overwrite its result (in-place ops, loop variables, yields). Attributes that
// an op does not declare may differ if they say where it comes from, or that its result is
// kept: the op that stays has its own. Option max-ops=N bounds the number of merges; ignore=A|B
// names further ones.

#include <pir/compiler/pass.h>
#include <pir/layer/origin.h>
#include <pass_list.h>

#include <effects.h>
#include <hash.h>
#include <map.h>
#include <vec.h>

typedef struct frame {
  pir_op *next;    // op of the block to go on with
  size_t entries;  // length of the log before the block
  uint64_t floor;  // scopes below this number are hidden (an isolated op is around)
} frame;

typedef struct entry {
  uint64_t hash;
  pir_op *op;
} entry;

typedef struct cse {
  pir_pass_run *run;
  pir_arena *arena;
  pir_set table;  // pir_op; its mark is the scope it was found in
  PIR_VEC(entry) log;
  PIR_VEC(frame) frames;
  uint64_t merged;
  int64_t limit;
  bool ignores;  // option ignore names some attributes
} cse;

// The key of a search in the table.
typedef struct wanted {
  const cse *c;
  const pir_op *op;
} wanted;

// ---- what may be merged

static bool is_plain(const pir_type *type) {
  if (!type || pir_type_is_tensor(type))
    return true;
  if (pir_type_kind_of(type) != PIR_TYPE_VECTOR)
    return false;
  for (size_t i = 0; i < pir_type_elements(type); i++)
    if (pir_type_element(type, i) && !pir_type_is_tensor(pir_type_element(type, i)))
      return false;
  return true;
}

static bool is_mergeable(const pir_op *op) {
  uint32_t traits = pir_op_def(op)->traits;
  if (!(traits & PIR_PURE) ||
      traits & (PIR_INPLACE | PIR_RANDOM | PIR_INPUT | PIR_PARAMETER | PIR_TERMINATOR))
    return false;
  if (pir_op_regions(op) || !pir_op_results(op))
    return false;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    const pir_value *result = pir_op_result(op, i);
    if (!is_plain(pir_value_type(result)) || pir_value_may_be_overwritten(result))
      return false;
  }
  return true;
}

// ---- equality of ops

// Orders operands 0 and 1 of a commutative op by address; no output depends on the order.
static pir_value *operand(const pir_op *op, size_t i) {
  if (i < 2 && pir_op_has(op, PIR_COMMUTATIVE) &&
      (uintptr_t)pir_op_operand(op, 0) > (uintptr_t)pir_op_operand(op, 1))
    i = 1 - i;
  return pir_op_operand(op, i);
}

static uint64_t hash_op(const pir_op *op) {
  uint64_t hash = (uintptr_t)pir_op_def(op);
  for (size_t i = 0; i < pir_op_operands(op); i++)
    hash = pir_hash_join(hash, (uintptr_t)operand(op, i));
  for (size_t i = 0; i < pir_op_def(op)->attr_count; i++)
    hash = pir_hash_join(hash, (uintptr_t)pir_op_attr_at(op, i));
  for (size_t i = 0; i < pir_op_results(op); i++)
    hash = pir_hash_join(hash, (uintptr_t)pir_value_type(pir_op_result(op, i)));
  return hash;
}

static bool may_vary(const cse *c, pir_str name) {
  return pir_attr_says_origin(name) || pir_str_equal(name, PIR_STR("persistable")) ||
         (c->ignores && pir_run_option_lists(c->run, "ignore", name));
}

// Moves on to the next attribute at or behind `i` that has to be equal.
static size_t next_extra(const cse *c, const pir_op *op, size_t i) {
  while (i < pir_op_extra_attrs(op) && may_vary(c, pir_name_str(pir_op_extra_attr(op, i).name)))
    i++;
  return i;
}

static bool same_extras(const cse *c, const pir_op *a, const pir_op *b) {
  size_t i = next_extra(c, a, 0), j = next_extra(c, b, 0);
  while (i < pir_op_extra_attrs(a) && j < pir_op_extra_attrs(b)) {
    pir_named_attr x = pir_op_extra_attr(a, i), y = pir_op_extra_attr(b, j);
    if (x.name != y.name || x.value != y.value)
      return false;
    i = next_extra(c, a, i + 1);
    j = next_extra(c, b, j + 1);
  }
  return i == pir_op_extra_attrs(a) && j == pir_op_extra_attrs(b);
}

static bool same_op(const void *item, const void *key) {
  const wanted *w = key;
  const pir_op *a = item, *b = w->op;
  const pir_opdef *def = pir_op_def(a);
  if (def != pir_op_def(b) || pir_op_operands(a) != pir_op_operands(b) ||
      pir_op_results(a) != pir_op_results(b))
    return false;
  for (size_t i = 0; i < pir_op_operands(a); i++)
    if (operand(a, i) != operand(b, i))
      return false;
  for (size_t i = 0; i < def->attr_count; i++)
    if (pir_op_attr_at(a, i) != pir_op_attr_at(b, i))
      return false;
  for (size_t i = 0; i < pir_op_results(a); i++)
    if (pir_value_type(pir_op_result(a, i)) != pir_value_type(pir_op_result(b, i)))
      return false;
  return same_extras(w->c, a, b);
}

// ---- the walk

static void replace_op(cse *c, pir_op *op, pir_op *by) {
  for (size_t i = 0; i < pir_op_results(op); i++)
    pir_rewriter_replace_value(c->run->rewriter, pir_op_result(op, i), pir_op_result(by, i));
  pir_rewriter_erase(c->run->rewriter, op);
  c->merged++;
}

// Merges the op into an equal earlier one; returns whether it did.
static bool merge_op(cse *c, pir_op *op, uint64_t floor) {
  if (!is_mergeable(op))
    return false;
  uint64_t hash = hash_op(op), scope = c->frames.count;
  pir_op *same = pir_set_find(&c->table, hash, same_op, &(wanted){c, op});
  // Under an isolated op an equal outer op is invisible; then the inner one stays.
  if (same && pir_op_mark(same) < floor)
    return false;
  if (same && (int64_t)c->merged < c->limit) {
    replace_op(c, op, same);
    return true;
  }
  if (same)
    return false;
  pir_op_set_mark(op, scope);
  pir_set_add(c->arena, &c->table, hash, op);
  pir_vec_push(c->arena, &c->log, ((entry){hash, op}));
  return false;
}

static void push_blocks(cse *c, pir_op *op, uint64_t floor) {
  size_t first = c->frames.count, n = 0;
  if (pir_op_has(op, PIR_ISOLATED))
    floor = first + 1;
  for (size_t i = 0; i < pir_op_regions(op); i++)
    for (pir_block *b = pir_region_first(pir_op_region(op, i)); b; b = pir_block_next(b), n++)
      pir_vec_push(c->arena, &c->frames, ((frame){pir_block_first(b), c->log.count, floor}));
  // Pushes blocks such that the first is on top.
  for (size_t i = 0; i < n / 2; i++) {
    frame swapped = c->frames.items[first + i];
    c->frames.items[first + i] = c->frames.items[first + n - 1 - i];
    c->frames.items[first + n - 1 - i] = swapped;
  }
}

static void leave_block(cse *c) {
  frame f = pir_vec_pop(&c->frames);
  while (c->log.count > f.entries) {
    entry e = pir_vec_pop(&c->log);
    pir_set_remove(&c->table, e.hash, e.op);
  }
}

static void step(cse *c) {
  frame *f = &c->frames.items[c->frames.count - 1];
  pir_op *op = f->next;
  if (!op) {
    leave_block(c);
    return;
  }
  uint64_t floor = f->floor;
  f->next = pir_op_next(op);
  if (!merge_op(c, op, floor) && pir_op_regions(op))
    push_blocks(c, op, floor);
}

pir_status pir_pass_cse(pir_pass_run *run) {
  cse c = {.run = run, .arena = pir_context_arena(pir_program_context(run->program))};
  c.limit = pir_run_option_int(run, "max-ops", INT64_MAX);
  c.ignores = pir_run_option(run, "ignore").size > 0;
  push_blocks(&c, pir_program_module(run->program), 0);
  while (c.frames.count)
    step(&c);
  pir_set_free(c.arena, &c.table);
  pir_vec_free(c.arena, &c.log);
  pir_vec_free(c.arena, &c.frames);
  pir_run_count(run, "ops merged", c.merged);
  return PIR_OK;
}
