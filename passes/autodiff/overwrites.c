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
  size_t writers, counted;  // ops that write over it; increments of `counter` among them
  pir_value *counter;       // that increments in one block change
  const pir_block *block;   // where they are
  bool indexes;             // whether arrays are read or written at it
} place;

struct diff_memory {
  const diff *d;
  pir_map numbers;   // of a value: its place
  pir_map order;     // of an op: its number
  pir_map written;   // of a value: the first op in place that has it as operand
  pir_map reshaped;  // of a value: the last op in place that leaves it with another shape
  pir_map counters;  // of a value that an increment changes or makes: the first of its names
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
  pir_vec_push(m->d->arena, &m->places, ((place){.up = at, .first = first}));
  pir_map_put(m->d->arena, &m->numbers, value, at);
  return at;
}

static void share(diff_memory *m, const pir_value *a, const pir_value *b) {
  if (!a || !b)
    return;
  size_t x = shared_place(m, a), y = shared_place(m, b);
  place *into = &m->places.items[x], *from = &m->places.items[y];
  if (x == y)
    return;
  from->up = x;
  into->writers += from->writers;
  into->counted = into->counter && from->counter ? 0 : into->counted + from->counted;
  if (!into->counter) {
    into->counter = from->counter;
    into->block = from->block;
  }
  into->indexes |= from->indexes;
  into->first = from->first < into->first ? from->first : into->first;
  into->last = from->last > into->last ? from->last : into->last;
}

// An op that gives its operand another shape leaves its elements.
static bool only_reshapes(const pir_op *op) {
  return pir_op_is(op, PD_RESHAPE_) || pir_op_is(op, PD_FLATTEN_) ||
         pir_op_is(op, PD_SQUEEZE_) || pir_op_is(op, PD_UNSQUEEZE_);
}

static pir_dtype dtype_of(const pir_value *value) {
  const pir_type *type = pir_value_type(value);
  return type && pir_type_is_tensor(type) ? pir_type_dtype(type) : PIR_UNDEFINED;
}

static pir_value *counter_of(const diff_memory *m, const pir_value *value) {
  return pir_map_get(&m->counters, value);
}

static void note_increment(diff_memory *m, const pir_op *op, place *set) {
  pir_value *operand = pir_op_operand(op, 0), *counter = counter_of(m, operand);
  const pir_block *block = pir_op_block(op);
  counter = counter ? counter : operand;
  pir_map_put(m->d->arena, &m->counters, operand, (uint64_t)(uintptr_t)counter);
  pir_map_put(m->d->arena, &m->counters, pir_op_result(op, 0), (uint64_t)(uintptr_t)counter);
  if (!set->counter) {
    set->counter = counter;
    set->block = block;
  }
  set->counted += set->counter == counter && set->block == block;
}

static void note_index(diff_memory *m, const pir_op *op) {
  size_t at = pir_op_is(op, PD_ARRAY_READ) ? 1 : 2;
  if (diff_is_array_step(op) && pir_op_operand(op, at))
    m->places.items[shared_place(m, pir_op_operand(op, at))].indexes = true;
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
  place *set = &m->places.items[shared_place(m, operand)];
  set->last = m->ops;
  set->writers++;
  if (pir_op_is(op, PD_INCREMENT_) && pir_dtype_is_integer(dtype_of(operand)))
    note_increment(m, op, set);
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
  note_index(m, op);
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

// The set of a counter, if nothing else writes over it; else NULL.
static const place *counted_set(diff_memory *m, const pir_value *number) {
  const place *set = &m->places.items[shared_place(m, number)];
  bool counts = set->counter && set->counter == counter_of(m, number);
  return counts && set->counted == set->writers ? set : NULL;
}

pir_value *diff_counter(const diff *d, const pir_op *op, pir_value *index) {
  diff_memory *m = d->memory;
  const place *set = m && counter_of(m, index) ? counted_set(m, index) : NULL;
  for (const pir_op *at = op; set && at; at = pir_op_parent(at))
    if (pir_op_block(at) == set->block)
      return set->counter;
  return diff_is_overwritten(d, op, index) ? NULL : index;
}

pir_value *diff_counted(const diff *d, const pir_value *number) {
  diff_memory *m = d->memory;
  const place *set = m && number && counter_of(m, number) ? counted_set(m, number) : NULL;
  return set && set->indexes ? set->counter : NULL;
}

// All states of an array have one name.
bool diff_reads_stale(const diff *d, const pir_op *op, const pir_value *operand) {
  if (diff_is_array(operand))
    return false;
  const uint64_t *written = d->memory ? pir_map_find(&d->memory->written, operand) : NULL;
  return written && *written < number_of_op(d->memory, op);
}

bool diff_is_reshaped(const diff *d, const pir_op *op, const pir_value *value) {
  const uint64_t *last = d->memory ? pir_map_find(&d->memory->reshaped, value) : NULL;
  return last && *last >= number_of_op(d->memory, op);
}
