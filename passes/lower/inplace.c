// inplace_pass: a kernel writes its result over an operand whose memory is dead afterwards, if
// the op has an in-place twin (relu, relu_). As in Paddle it works on one block at a time, over
// kernels that read and write dense tensors of the same type and size.
//
// Liveness is a property of memory, not of values. Values that share memory form a class:
// values that in-place ops and lists join, and values that loops and branches carry. An operand
// may be overwritten if nobody reads any value of its class later. Memory of inputs,
// parameters, other blocks and stacks is always live. Union-find over the values of a block,
// nearly O(ops + operands).
//
// Excluded: transpose (its twin moves no element), and gradients of sums and differences (the
// kernel reads its operand twice).

#include "kernel_call.h"
#include <pass_list.h>

#include <effects.h>
#include <map.h>
#include <strbuf.h>
#include <vec.h>

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/cf.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>

// A value of the block, and its class of values that share memory.
typedef struct place {
  uint32_t parent;
  uint32_t last;  // position of the last op that reads one of the class; of its representative
  bool held;      // the memory has another owner
} place;

typedef struct in_place {
  pir_pass_run *run;
  pir_context *ctx;
  pir_facts *facts;
  pir_arena *arena;
  pir_block *block;
  pir_map index;  // value -> position in places
  PIR_VEC(place) places;
  pir_name *persistable;
  uint64_t count;
} in_place;

static uint32_t find(in_place *p, uint32_t i) {
  while (p->places.items[i].parent != i)
    i = p->places.items[i].parent = p->places.items[p->places.items[i].parent].parent;
  return i;
}

static uint32_t place_of(in_place *p, const pir_value *value) {
  uint64_t *at = pir_map_place(p->arena, &p->index, value, UINT64_MAX);
  if (*at != UINT64_MAX)
    return find(p, (uint32_t)*at);
  uint32_t n = (uint32_t)p->places.count;
  *at = n;
  const pir_op *op = pir_value_op(value);
  bool held = !op || pir_op_block(op) != p->block || pir_op_has(op, PIR_PARAMETER) ||
              pir_op_meaning(op)->traits & PIR_INPUT;
  place made = {n, 0, held};
  pir_vec_push(p->arena, &p->places, made);
  return n;
}

static void join_places(in_place *p, const pir_value *a, const pir_value *b) {
  if (!a)
    return;
  uint32_t x = place_of(p, a), y = place_of(p, b);
  if (x == y)
    return;
  place *keep = &p->places.items[x], *goes = &p->places.items[y];
  if (goes->last > keep->last)
    keep->last = goes->last;
  keep->held |= goes->held;
  goes->parent = x;
}

// ---- who shares memory, and who reads it last

static void note_reader(in_place *p, const pir_value *value, uint32_t position) {
  uint32_t at = place_of(p, value);
  if (position > p->places.items[at].last)
    p->places.items[at].last = position;
}

static void note_written(in_place *p, const pir_op *op, const pir_opdef *meant) {
  for (size_t i = 0; i < meant->inplace_count && meant->traits & PIR_INPLACE; i++) {
    const pir_inplace_pair *pair = &meant->inplace[i];
    if (pair->operand < pir_op_operands(op) && pair->result < pir_op_results(op))
      join_places(p, pir_op_operand(op, pair->operand), pir_op_result(op, pair->result));
  }
}

static void note_yields(in_place *p, const pir_op *op) {
  for (size_t r = 0; r < pir_op_regions(op); r++) {
    const pir_block *body = pir_region_first(pir_op_region(op, r));
    const pir_op *end = body ? pir_block_last(body) : NULL;
    size_t skip = pir_op_is(op, PD_WHILE);  // a loop yields its condition first
    for (size_t i = skip; end && i < pir_op_operands(end) && i - skip < pir_op_results(op);
         i++) {
      const pir_value *value = pir_op_operand(end, i);
      if (value && pir_value_block(value) == p->block)
        join_places(p, value, pir_op_result(op, i - skip));
    }
  }
  if (!pir_op_is(op, PD_WHILE))
    return;
  for (size_t i = 0; i + 1 < pir_op_operands(op) && i < pir_op_results(op); i++)
    join_places(p, pir_op_operand(op, i + 1), pir_op_result(op, i));
}

// A reader of a list reads its members.
static void note_list(in_place *p, const pir_op *op) {
  const pir_value *list = pir_op_result(op, 0);
  PIR_EACH_USE(use, list) {
    const pir_op *reader = pir_block_ancestor(p->block, pir_use_owner(use));
    for (size_t i = 0; i < pir_op_operands(op); i++)
      note_reader(p, pir_op_operand(op, i), pir_op_mark(reader));
  }
}

// A member taken from a list shares the memory of the value put in. A list that a kernel made
// owns its members' memory, as long as nobody else reads the list.
static void note_member(in_place *p, const pir_op *op, const pir_value *list) {
  const pir_op *made = pir_value_op(list);
  bool put_in = made && pir_op_is(made, BUILTIN_COMBINE);
  bool known =
      put_in && pir_op_is(op, BUILTIN_SPLIT) && pir_op_operands(made) == pir_op_results(op);
  bool own = made && !pir_op_has(made, PIR_STRUCTURAL) && pir_op_is(op, BUILTIN_SPLIT) &&
             pir_value_single_use(list);
  for (size_t i = 0; i < pir_op_results(op); i++) {
    uint32_t at = place_of(p, pir_op_result(op, i));
    if (known)
      join_places(p, pir_op_operand(made, i), pir_op_result(op, i));
    else
      p->places.items[at].held |= !own;
  }
}

static void note_structure(in_place *p, const pir_op *op) {
  if (pir_op_is(op, BUILTIN_COMBINE))
    note_list(p, op);
  else
    note_member(p, op, pir_op_operand(op, 0));
}

static pir_walk_result note_inside(pir_op *op, void *user) {
  in_place *p = user;
  const pir_op *around = pir_block_ancestor(p->block, op);
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (pir_op_operand(op, i))
      note_reader(p, pir_op_operand(op, i), pir_op_mark(around));
  return PIR_WALK_CONTINUE;
}

static void note_readers(in_place *p, pir_op *op) {
  const pir_opdef *meant = pir_op_meaning(op);
  uint32_t position = pir_op_mark(op);
  for (size_t i = 0; i < pir_op_results(op); i++)
    note_reader(p, pir_op_result(op, i), position);
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_value *value = pir_op_operand(op, i);
    if (!value)
      continue;
    note_reader(p, value, position);
    uint32_t at = place_of(p, value);
    p->places.items[at].held |= pir_op_is(op, CF_TUPLE_PUSH);
  }
  note_written(p, op, meant);
  if (pir_op_has(op, PIR_STRUCTURAL))
    note_structure(p, op);
  if (!pir_op_regions(op))
    return;
  note_yields(p, op);
  pir_walk(op, PIR_PRE_ORDER, note_inside, p);
}

// ---- whether a result fits over an operand

static bool is_persistable(const in_place *p, const pir_value *value) {
  const pir_attr *attr = pir_op_attr(pir_value_op(value), p->persistable);
  int64_t yes = 0;
  return attr && pir_attr_int_at(attr, pir_value_index(value), &yes) && yes;
}

static bool tensor_of(const pir_type *type, pir_tensor_spec *out_spec) {
  if (pir_type_kind_of(type) == PIR_TYPE_ALLOCATED)
    type = pir_type_inner(type);
  if (!pir_type_is_tensor(type))
    return false;
  *out_spec = pir_type_spec(type);
  return true;
}

// Computes the stated number of elements; only the first extent may be unknown.
static bool stated_numel(pir_shape shape, int64_t *out) {
  *out = 1;
  for (size_t i = 0; i < shape.rank; i++) {
    if (shape.dims[i] < 0 && (i || shape.rank == 1))
      return false;
    if (__builtin_mul_overflow(*out, shape.dims[i], out))
      return false;
  }
  return true;
}

// Two unknown extents may differ at run time (1 and more), so the facts must prove them equal.
static bool may_differ(const in_place *p, const pir_value *a, const pir_value *b) {
  const pir_fact *x = pir_facts_of(p->facts, a), *y = pir_facts_of(p->facts, b);
  if (!x->known || !y->known || x->rank != y->rank)
    return false;
  for (int32_t i = 0; i < x->rank; i++)
    if (x->shape[i] != y->shape[i] && x->shape[i] != PIR_DIM_UNKNOWN &&
        y->shape[i] != PIR_DIM_UNKNOWN)
      return true;
  return false;
}

static bool keeps_elements(const pir_opdef *meant) {
  return meant->id == PD_RESHAPE || meant->id == PD_SQUEEZE || meant->id == PD_UNSQUEEZE;
}

// The operand's memory must be dead after this op: no value of its class has a later reader or
// another owner. The result must need the same memory, which a reshape does by definition.
static bool may_take_memory(in_place *p, const pir_op *op, const pir_opdef *meant,
                            const pir_inplace_pair *pair) {
  if (pair->operand >= pir_op_operands(op) || pair->result >= pir_op_results(op))
    return false;
  const pir_value *from = pir_op_operand(op, pair->operand),
                  *to = pir_op_result(op, pair->result);
  if (!from || pir_value_is_argument(from) || is_persistable(p, from) || is_persistable(p, to))
    return false;
  uint32_t at = place_of(p, from);
  if (p->places.items[at].held || p->places.items[at].last != pir_op_mark(op))
    return false;
  pir_tensor_spec x, y;
  int64_t a, b;
  if (!tensor_of(pir_value_type(from), &x) || !tensor_of(pir_value_type(to), &y))
    return pir_value_type(from) == pir_value_type(to);
  if (x.dtype != y.dtype)
    return false;
  if (keeps_elements(meant))
    return true;
  return stated_numel(x.shape, &a) && stated_numel(y.shape, &b) && a == b &&
         !may_differ(p, from, to);
}

static const pir_opdef *twin_def(const in_place *p, const pir_opdef *meant) {
  pir_strbuf name;
  pir_strbuf_init(&name, p->arena);
  pir_strbuf_format(&name, "%s_", meant->name);
  const pir_opdef *twin = pir_context_opdef(p->ctx, (pir_str){name.data, name.size});
  pir_strbuf_free(&name);
  return twin->traits & PIR_INPLACE && twin->inplace_count ? twin : NULL;
}

// Returns the op's in-place twin, if the op may become it.
static const pir_opdef *twin_of(in_place *p, const pir_op *op, const pir_opdef *meant) {
  if (meant == pir_op_def(op) || meant->traits & PIR_INPLACE)
    return NULL;
  if (meant->id == PD_TRANSPOSE || meant->id == PD_ADD_GRAD || meant->id == PD_SUBTRACT_GRAD)
    return NULL;
  const pir_opdef *twin = twin_def(p, meant);
  if (!twin)
    return NULL;
  for (size_t i = 0; i < twin->inplace_count; i++)
    if (!may_take_memory(p, op, meant, &twin->inplace[i]))
      return NULL;
  return twin;
}

// ---- a block

// All decisions are made before any change, because new ops would have new facts.
static void take_block(in_place *p) {
  PIR_VEC(pir_op *) taken = {0};
  uint32_t position = 0;
  PIR_EACH_OP(op, p->block) pir_op_set_mark(op, position++);
  PIR_EACH_OP(op, p->block) note_readers(p, op);
  PIR_EACH_OP(op, p->block) {
    const pir_opdef *twin = twin_of(p, op, pir_op_meaning(op));
    if (!twin)
      continue;
    note_written(p, op, twin);
    pir_vec_push(p->arena, &taken, op);
  }
  for (size_t i = 0; i < taken.count; i++)
    kernel_call_make_inplace(p->run, taken.items[i],
                             twin_def(p, pir_op_meaning(taken.items[i])));
  p->count += taken.count;
  pir_vec_free(p->arena, &taken);
  pir_map_clear(&p->index);
  p->places.count = 0;
}

typedef PIR_VEC(pir_block *) block_list;

typedef struct collector {
  pir_arena *arena;
  block_list blocks;
} collector;

static pir_walk_result collect_blocks(pir_op *op, void *user) {
  collector *c = user;
  for (size_t r = 0; r < pir_op_regions(op); r++)
    for (pir_block *b = pir_region_first(pir_op_region(op, r)); b; b = pir_block_next(b))
      pir_vec_push(c->arena, &c->blocks, b);
  return PIR_WALK_CONTINUE;
}

pir_status pir_pass_inplace(pir_pass_run *run) {
  pir_context *ctx = pir_program_context(run->program);
  in_place p = {.run = run,
                .ctx = ctx,
                .facts = pir_run_facts(run),
                .arena = pir_context_arena(ctx),
                .persistable = pir_name_get(ctx, PIR_STR("persistable"))};
  if (!p.facts)
    return pir_run_facts_status(run);
  collector c = {.arena = p.arena};
  pir_walk(pir_program_module(run->program), PIR_PRE_ORDER, collect_blocks, &c);
  for (size_t i = 0; i < c.blocks.count; i++) {
    p.block = c.blocks.items[i];
    take_block(&p);
  }
  pir_vec_free(p.arena, &c.blocks);
  pir_vec_free(p.arena, &p.places);
  pir_map_free(p.arena, &p.index);
  pir_run_count(run, "kernels write over their operands", p.count);
  return PIR_OK;
}

// ---- remove_shadow_feed_pass

static pir_walk_result remove_feed(pir_op *op, void *user) {
  pir_pass_run *run = user;
  bool copies = pir_op_meaning(op)->id == PD_SHADOW_FEED ||
                pir_op_meaning(op)->id == PD_SHADOW_FEED_TENSORS;
  if (!copies || pir_op_operands(op) != 1 || pir_op_results(op) != 1 || !pir_op_operand(op, 0))
    return PIR_WALK_CONTINUE;
  pir_value_set_type(pir_op_operand(op, 0), pir_value_type(pir_op_result(op, 0)));
  pir_rewriter_replace_value(run->rewriter, pir_op_result(op, 0), pir_op_operand(op, 0));
  pir_rewriter_erase(run->rewriter, op);
  pir_run_count(run, "feeds taken as they are", 1);
  return PIR_WALK_CONTINUE;
}

pir_status pir_pass_remove_shadow_feed(pir_pass_run *run) {
  pir_walk(pir_program_module(run->program), PIR_POST_ORDER, remove_feed, run);
  return PIR_OK;
}
