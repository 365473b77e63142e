// Which values hold at the end of the program, where gradients are computed, the elements that
// an op read or made. An op in place writes over the memory of its operand, in which other
// values may lie: results of other ops in place, of branches and of loops. Values that may
// share memory are one set (union-find), with the last op that writes over it.
#include "autodiff.h"

#include <effects.h>
#include <pir/compiler/dialect/pd_op.h>

// One value. Of the one that stands for its set: the first op that makes one of the set, and
// the last that writes over it. Ops count from 1 in the order of the text.
typedef struct place {
  size_t up;  // another of the set; its own number: it stands for the set
  size_t first, last;
} place;

struct diff_memory {
  const diff *d;
  pir_map numbers;   // of a value: its place
  pir_map order;     // of an op: its number
  pir_map written;   // of a value: the first op in place that has it as operand
  pir_map reshaped;  // of a value: the last op in place that leaves it with another shape
  PIR_VEC(place) places;
  size_t ops;
};

static size_t number_of_op(const diff_memory *m, const pir_op *op) {
  const uint64_t *number = op ? pir_map_find(&m->order, op) : NULL;
  return number ? (size_t)*number : 0;
}

static size_t root_of(diff_memory *m, size_t at) {
  place *places = m->places.items;
  while (places[at].up != at) {
    places[at].up = places[places[at].up].up;
    at = places[at].up;
  }
  return at;
}

static size_t shared_place(diff_memory *m, const pir_value *value) {
  const uint64_t *known = pir_map_find(&m->numbers, value);
  if (known)
    return root_of(m, (size_t)*known);
  const pir_op *maker = pir_value_op(value);
  const pir_block *block = pir_value_block(value);
  size_t at = m->places.count;
  size_t first = number_of_op(m, maker || !block ? maker : pir_block_parent_op(block));
  pir_vec_push(m->d->arena, &m->places, ((place){at, first, 0}));
  pir_map_put(m->d->arena, &m->numbers, value, at);
  return at;
}

static void share(diff_memory *m, const pir_value *a, const pir_value *b) {
  if (!a || !b)
    return;
  size_t x = shared_place(m, a), y = shared_place(m, b);
  place *into = &m->places.items[x], *from = &m->places.items[y];
  from->up = x;
  into->first = from->first < into->first ? from->first : into->first;
  into->last = from->last > into->last ? from->last : into->last;
}

// An op that gives its operand another shape leaves its elements.
static bool only_reshapes(const pir_op *op) {
  return pir_op_is(op, PD_RESHAPE_) || pir_op_is(op, PD_FLATTEN_) ||
         pir_op_is(op, PD_SQUEEZE_) || pir_op_is(op, PD_UNSQUEEZE_);
}

static void note_overwrite(diff_memory *m, const pir_op *op, const pir_inplace_pair *pair) {
  const pir_value *operand = pir_op_optional(op, pair->operand);
  if (!operand || pair->result >= pir_op_results(op))
    return;
  const pir_value *result = pir_op_result(op, pair->result);
  share(m, operand, result);
  if (pir_value_type(operand) != pir_value_type(result))
    pir_map_put(m->d->arena, &m->reshaped, operand, m->ops);
  if (only_reshapes(op))
    return;
  m->places.items[shared_place(m, operand)].last = m->ops;
  if (!pir_map_find(&m->written, operand))
    pir_map_put(m->d->arena, &m->written, operand, m->ops);
}

static void share_yielded(diff_memory *m, const pir_op *end) {
  const pir_op *op = pir_op_parent(end);
  size_t skipped = op && pir_op_is_loop(op);
  for (size_t i = skipped; op && i < pir_op_operands(end); i++) {
    size_t at = i - skipped;
    if (at < pir_op_results(op))
      share(m, pir_op_operand(end, i), pir_op_result(op, at));
    if (skipped && pir_loop_body(op))
      share(m, pir_op_operand(end, i), pir_block_argument(pir_loop_body(op), at));
  }
}

static pir_walk_result note_sharing(pir_op *op, void *user) {
  diff_memory *m = user;
  const pir_opdef *def = pir_op_def(op);
  pir_map_put(m->d->arena, &m->order, op, ++m->ops);
  for (size_t i = 0; i < def->inplace_count && def->traits & PIR_INPLACE; i++)
    note_overwrite(m, op, &def->inplace[i]);
  const pir_block *body = pir_loop_body(op);
  for (size_t i = 0; body && i < pir_block_arguments(body); i++)
    share(m, pir_op_operand(op, i + 1), pir_block_argument(body, i));
  if (pir_op_has(op, PIR_TERMINATOR))
    share_yielded(m, op);
  return PIR_WALK_CONTINUE;
}

static pir_walk_result find_in_place(pir_op *op, void *user) {
  *(bool *)user |= pir_op_has(op, PIR_INPLACE);
  return *(bool *)user ? PIR_WALK_STOP : PIR_WALK_CONTINUE;
}

void diff_note_overwrites(diff *d) {
  bool any = false;
  pir_walk(pir_program_module(d->run->program), PIR_PRE_ORDER, find_in_place, &any);
  if (!any)
    return;
  d->memory = pir_arena_alloc(d->arena, sizeof *d->memory);
  *d->memory = (diff_memory){.d = d};
  pir_walk(pir_program_module(d->run->program), PIR_PRE_ORDER, note_sharing, d->memory);
}

// Whether a step of a loop around the reader writes over memory from before the loop.
static bool next_step_writes(const diff_memory *m, const pir_op *reader, const place *set) {
  for (const pir_op *at = pir_op_parent(reader); at; at = pir_op_parent(at)) {
    size_t number = number_of_op(m, at);
    if (pir_op_is_loop(at) && set->first <= number && set->last > number)
      return true;
  }
  return false;
}

bool diff_is_overwritten(const diff *d, const pir_op *op, const pir_value *value) {
  diff_memory *m = d->memory;
  if (!m || !pir_map_find(&m->numbers, value))
    return false;
  const place *set = &m->places.items[shared_place(m, value)];
  size_t number = number_of_op(m, op);
  bool by_itself = set->last == number && pir_value_op(value) != op;
  return by_itself || set->last > number || (set->last && next_step_writes(m, op, set));
}

bool diff_reads_stale(const diff *d, const pir_op *op, const pir_value *operand) {
  const uint64_t *written = d->memory ? pir_map_find(&d->memory->written, operand) : NULL;
  return written && *written < number_of_op(d->memory, op);
}

bool diff_is_reshaped(const diff *d, const pir_op *op, const pir_value *value) {
  const uint64_t *last = d->memory ? pir_map_find(&d->memory->reshaped, value) : NULL;
  return last && *last >= number_of_op(d->memory, op);
}
