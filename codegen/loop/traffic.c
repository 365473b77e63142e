// Counts the bytes that a kernel of a device moves, without running it: its loops are walked
// for some of its blocks, and the place of every access to memory is computed. Places that
// depend on the contents of tensors are taken to differ, and of threads among which such
// contents decide one is taken to go on.
//
// The threads of a block read together at one point of the loops. Bytes that they read again
// later come from the cache of the multiprocessor, if all that the block reads has
// room there; copies into shared memory pass by it. A small tensor stays there from block to
// block.
#include "loop.h"

#include <map.h>
#include <string.h>

enum { MOST_BLOCKS = 16 };                       // that are walked
enum { MOST_KEYS = 1 << 21, ENOUGH = 1 << 19 };  // accesses to elements: of a block, of all

typedef struct number {
  bool known;
  int64_t value;
} number;

typedef struct key_set {
  uint64_t *keys;  // 0: free
  size_t capacity, count;
} key_set;

// Bytes by buffer: read by loads, at any point and in all; copied; written.
typedef struct sums {
  uint64_t *loaded, *touched, *copied, *stored;
} sums;

typedef struct walk {
  const loop_fn *fn;
  const loop_traffic_of *of;
  pir_arena arena;
  number *vars, **registers;  // by variable; by buffer and register
  const loop_expr **vectors;  // values of variables of several lanes
  pir_map loads;              // statement -> load_list
  pir_map active;             // block -> whether there is something to see
  uint64_t point;             // where the loops are
  int doubts;                 // conditions around that contents decide
  key_set seen, touched;
  sums block, all;
  size_t accesses;
  bool failed;
  int64_t unit, units;  // of the block
  int64_t done;         // units of all
} walk;

typedef struct load_list {
  const loop_expr **items;
  size_t count;
} load_list;

// ---- values

static bool is_whole(uint8_t dtype) {
  return dtype == LOOP_INDEX || dtype == PIR_BOOL || dtype == PIR_I32 || dtype == PIR_I64 ||
         dtype == PIR_U8 || dtype == PIR_I8 || dtype == PIR_I16;
}

static number known(int64_t value) {
  return (number){true, value};
}

static number evaluate(walk *w, const loop_expr *e, int lane);

static number combine(pir_node_op op, int64_t a, int64_t b) {
  int64_t quotient = b && b != -1 ? a / b - (a % b != 0 && (a < 0) != (b < 0)) : 0;
  switch (op) {
    case PIR_V_ADD: return known((int64_t)((uint64_t)a + (uint64_t)b));
    case PIR_V_SUB: return known((int64_t)((uint64_t)a - (uint64_t)b));
    case PIR_V_MUL: return known((int64_t)((uint64_t)a * (uint64_t)b));
    case PIR_V_DIV: return b && b != -1 ? known(a / b) : (number){0};
    case PIR_V_FLOORDIV: return b && b != -1 ? known(quotient) : (number){0};
    case PIR_V_FLOORMOD: return b && b != -1 ? known(a - quotient * b) : (number){0};
    case PIR_V_MIN: return known(a < b ? a : b);
    case PIR_V_MAX: return known(a > b ? a : b);
    case PIR_V_EQ: return known(a == b);
    case PIR_V_NE: return known(a != b);
    case PIR_V_LT: return known(a < b);
    case PIR_V_LE: return known(a <= b);
    case PIR_V_AND: return known(a & b);
    case PIR_V_OR: return known(a | b);
    default: return (number){0};
  }
}

static number evaluate_op(walk *w, const loop_expr *e, int lane) {
  number a = evaluate(w, e->a, lane), b = e->b ? evaluate(w, e->b, lane) : a;
  if (e->op == PIR_V_SELECT && a.known)
    return a.value ? b : evaluate(w, e->c, lane);
  if (e->op == PIR_V_SELECT)
    return a;
  if (e->op == PIR_V_NOT && e->dtype == PIR_BOOL)
    return (number){a.known, !a.value};
  // One side decides whether both hold.
  if (e->op == PIR_V_AND && ((a.known && !a.value) || (b.known && !b.value)))
    return known(0);
  return a.known && b.known ? combine(e->op, a.value, b.value) : (number){0};
}

static number *register_at(walk *w, const loop_buffer *buffer, const loop_expr *index) {
  number at = evaluate(w, index, 0);
  bool kept = buffer->space == LOOP_REGISTER && buffer->lanes == 1 && is_whole(buffer->dtype);
  if (!kept || !at.known || at.value < 0 || at.value >= buffer->count)
    return NULL;
  return &w->registers[buffer->id][at.value];
}

static number evaluate(walk *w, const loop_expr *e, int lane) {
  number a, b;
  if (!is_whole(e->dtype))
    return (number){0};
  switch (e->kind) {
    case LOOP_CONST: return known(e->constant.i);
    case LOOP_VAR:
      if (e->lanes > 1)
        return w->vectors[e->var->id] ? evaluate(w, w->vectors[e->var->id], lane) : (number){0};
      return w->vars[e->var->id];
    case LOOP_DIM: return known(w->of->dims[e->dim.number]);
    case LOOP_OP: return evaluate_op(w, e, lane);
    case LOOP_CAST: return evaluate(w, e->a, lane);
    case LOOP_BROADCAST: return evaluate(w, e->a, 0);
    case LOOP_RAMP:
      a = evaluate(w, e->a, 0);
      b = evaluate(w, e->b, 0);
      return a.known && b.known ? known(a.value + lane * b.value) : (number){0};
    case LOOP_LOAD: {
      const number *held = register_at(w, e->buffer, e->a);
      return held ? *held : (number){0};
    }
    default: return (number){0};
  }
}

// ---- accesses

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
  return x ^ x >> 32;
}

// Returns whether the key is new.
static bool add_key(walk *w, key_set *set, uint64_t key) {
  key |= !key;
  if (2 * set->count >= set->capacity) {
    key_set grown = {.capacity = set->capacity ? 2 * set->capacity : 1 << 12};
    grown.keys = pir_arena_zalloc(&w->arena, grown.capacity * sizeof *grown.keys);
    for (size_t i = 0; i < set->capacity; i++)
      if (set->keys[i])
        add_key(w, &grown, set->keys[i]);
    *set = grown;
  }
  size_t at = key & (set->capacity - 1);
  for (; set->keys[at]; at = (at + 1) & (set->capacity - 1))
    if (set->keys[at] == key)
      return false;
  set->keys[at] = key;
  set->count++;
  w->failed |= set->count > MOST_KEYS;
  return true;
}

// Counts an element, by the access that `of` stands for.
static void touch(walk *w, const loop_buffer *buffer, number at, const void *of,
                  uint64_t *sum) {
  size_t bytes = pir_loop_type_size(buffer->dtype);
  uint64_t nowhere = w->doubts ? w->point : w->accesses;
  uint64_t place = mix(buffer->slot, at.known ? (uint64_t)at.value : mix(nowhere, 1));
  w->accesses++;
  if (add_key(w, &w->seen, mix(mix(w->point, (uint64_t)(uintptr_t)of), place)))
    sum[buffer->slot] += bytes;
  if (sum == w->block.loaded && add_key(w, &w->touched, place))
    w->block.touched[buffer->slot] += bytes;
}

// Counts the lanes of an access; `gathers`: the index has lanes.
static void touch_lanes(walk *w, const loop_buffer *buffer, const loop_expr *index, int lanes,
                        bool gathers, const loop_expr *mask, const void *of, uint64_t *sum) {
  if (buffer->space != LOOP_ARG)
    return;
  for (int lane = 0; lane < lanes && !w->failed; lane++) {
    int of_mask = mask && mask->lanes > 1 ? lane : 0;
    number on = mask ? evaluate(w, mask, of_mask) : known(1);
    number at = evaluate(w, index, gathers ? lane : 0);
    if (!gathers)
      at.value += lane;
    if (!on.known || on.value)
      touch(w, buffer, at, of, sum);
  }
}

static void list_loads(walk *w, pir_map *met, const loop_expr *e, load_list *out) {
  if (!e || pir_map_get(met, e))
    return;
  pir_map_put(&w->arena, met, e, 1);
  if ((e->kind == LOOP_LOAD || e->kind == LOOP_GATHER) && e->buffer->space == LOOP_ARG) {
    const loop_expr **grown = pir_arena_alloc(&w->arena, (out->count + 1) * sizeof *grown);
    memcpy(grown, out->items, out->count * sizeof *grown);
    grown[out->count++] = e;
    out->items = grown;
  }
  list_loads(w, met, e->a, out);
  list_loads(w, met, e->b, out);
  list_loads(w, met, e->c, out);
  list_loads(w, met, e->mask, out);
}

// The loads of a statement, each once.
static const load_list *loads_of(walk *w, const loop_stmt *s) {
  load_list *list = pir_map_get(&w->loads, s);
  if (list)
    return list;
  pir_map met = {0};
  list = pir_arena_zalloc(&w->arena, sizeof *list);
  list->items = pir_arena_zalloc(&w->arena, sizeof *list->items);
  loop_operands operands = pir_loop_operands(s);
  for (int i = 0; i < operands.count; i++)
    list_loads(w, &met, *operands.at[i], list);
  pir_map_put(&w->arena, &w->loads, s, (uint64_t)(uintptr_t)list);
  return list;
}

// ---- statements

// Whether something in the block moves bytes or decides on places.
static bool is_active(walk *w, const loop_block *block) {
  const uint64_t *state = pir_map_find(&w->active, block);
  if (state)
    return *state;
  bool found = false;
  for (loop_stmt *s = block->first; s && !found; s = s->next) {
    const loop_buffer *buffer = pir_loop_touched(s);
    loop_blocks blocks = pir_loop_blocks(s);
    found = loads_of(w, s)->count || (buffer && buffer->space == LOOP_ARG) ||
            (buffer && buffer->space == LOOP_REGISTER && is_whole(buffer->dtype));
    for (int i = 0; i < blocks.count && !found; i++)
      found = is_active(w, blocks.at[i]);
  }
  pir_map_put(&w->arena, &w->active, block, found);
  return found;
}

static void walk_block(walk *w, const loop_block *block);

static void walk_loop(walk *w, const loop_stmt *s) {
  number begin = evaluate(w, s->loop.begin, 0), end = evaluate(w, s->loop.end, 0);
  number step = s->loop.step ? evaluate(w, s->loop.step, 0) : known(1);
  uint64_t before = w->point;
  if (s->loop.kind == LOOP_PARALLEL) {
    begin = known(w->unit);
    end = known(w->unit + w->units);
  }
  if (!is_active(w, &s->loop.body))
    return;
  w->failed |= !begin.known || !end.known || !step.known || step.value <= 0;
  for (int64_t i = begin.value; i < end.value && !w->failed; i += step.value) {
    w->vars[s->loop.var->id] = known(i);
    if (s->loop.kind == LOOP_SERIAL)
      w->point = mix(before, (uint64_t)i);
    walk_block(w, &s->loop.body);
  }
  w->point = before;
}

static void walk_store(walk *w, const loop_stmt *s) {
  const loop_buffer *buffer = s->store.buffer;
  bool gathers = s->kind == LOOP_SCATTER;
  int lanes = gathers ? s->store.index->lanes : s->store.value->lanes;
  number *held = gathers ? NULL : register_at(w, buffer, s->store.index);
  if (held)
    *held = evaluate(w, s->store.value, 0);
  touch_lanes(w, buffer, s->store.index, lanes, gathers, s->store.mask, s, w->block.stored);
}

static void walk_let(walk *w, const loop_stmt *s) {
  if (s->let.var->lanes > 1)
    w->vectors[s->let.var->id] = s->let.value;
  else
    w->vars[s->let.var->id] = evaluate(w, s->let.value, 0);
}

static void walk_statement(walk *w, const loop_stmt *s) {
  const load_list *loads = loads_of(w, s);
  uint64_t *sum = s->kind == LOOP_COPY ? w->block.copied : w->block.loaded;
  for (size_t i = 0; i < loads->count; i++) {
    const loop_expr *e = loads->items[i];
    touch_lanes(w, e->buffer, e->a, e->lanes, e->kind == LOOP_GATHER, e->mask, e, sum);
  }
  if (s->kind == LOOP_FOR) {
    walk_loop(w, s);
  } else if (s->kind == LOOP_IF) {
    number holds = evaluate(w, s->branch.condition, 0);
    w->doubts += !holds.known;
    walk_block(w, !holds.known || holds.value ? &s->branch.body : &s->branch.other);
    w->doubts -= !holds.known;
  } else if (s->kind == LOOP_LET) {
    walk_let(w, s);
  } else if (s->kind == LOOP_STORE || s->kind == LOOP_SCATTER) {
    walk_store(w, s);
  }
}

static void walk_block(walk *w, const loop_block *block) {
  for (const loop_stmt *s = block->first; s && !w->failed; s = s->next)
    walk_statement(w, s);
}

// ---- kernels

static sums new_sums(walk *w) {
  size_t bytes = w->of->buffer_count * sizeof(uint64_t);
  return (sums){pir_arena_zalloc(&w->arena, bytes), pir_arena_zalloc(&w->arena, bytes),
                pir_arena_zalloc(&w->arena, bytes), pir_arena_zalloc(&w->arena, bytes)};
}

static void forget_keys(key_set *set) {
  if (set->count)
    memset(set->keys, 0, set->capacity * sizeof *set->keys);
  set->count = 0;
}

static void walk_units(walk *w, int64_t block) {
  uint64_t touched = 0;
  const loop_traffic_of *of = w->of;
  w->unit = block * of->block_units;
  w->units = of->units - w->unit < of->block_units ? of->units - w->unit : of->block_units;
  w->vars[w->fn->begin->id] = known(0);
  w->vars[w->fn->end->id] = known(of->units);
  w->done += w->units;
  w->block = new_sums(w);
  forget_keys(&w->seen);
  forget_keys(&w->touched);
  walk_block(w, &w->fn->body);
  for (size_t i = 0; i < of->buffer_count; i++)
    touched += w->block.touched[i];
  for (size_t i = 0; i < of->buffer_count; i++) {
    bool kept = touched <= (uint64_t)of->cache_bytes;
    w->all.loaded[i] += kept ? w->block.touched[i] : w->block.loaded[i];
    w->all.copied[i] += w->block.copied[i];
    w->all.stored[i] += w->block.stored[i];
  }
}

static void open_walk(walk *w) {
  w->vars = pir_arena_zalloc(&w->arena, (w->fn->var_count + 1) * sizeof *w->vars);
  w->vectors = pir_arena_zalloc(&w->arena, (w->fn->var_count + 1) * sizeof *w->vectors);
  w->registers = pir_arena_zalloc(&w->arena, (w->fn->buffer_count + 1u) * sizeof *w->registers);
  for (uint16_t i = 0; i < w->fn->buffer_count; i++) {
    const loop_buffer *b = w->fn->buffers[i];
    if (b->space == LOOP_REGISTER)
      w->registers[b->id] =
          pir_arena_zalloc(&w->arena, (size_t)b->count * sizeof **w->registers);
  }
  w->all = new_sums(w);
}

bool pir_loop_count_traffic(const loop_fn *fn, const loop_traffic_of *of, double *out_moved,
                            double *out_needed) {
  walk w = {.fn = fn, .of = of};
  int64_t blocks = (of->units + of->block_units - 1) / of->block_units, walked = 0;
  pir_arena_init(&w.arena, fn->module->arena.heap);
  open_walk(&w);
  *out_moved = *out_needed = 0;
  // Multiples of the golden ratio are at even distances, and divide no number of tiles.
  for (; walked < blocks && walked < MOST_BLOCKS && w.accesses < ENOUGH && !w.failed;
       walked++) {
    double turns = (double)walked * 0.6180339887498949;
    int64_t block = (int64_t)((turns - (double)(int64_t)turns) * (double)blocks);
    walk_units(&w, blocks <= MOST_BLOCKS ? walked : block);
  }
  for (size_t i = 0; i < of->buffer_count && walked; i++) {
    double scale = (double)of->units / (double)w.done, size = (double)of->sizes[i];
    double read = scale * (double)(w.all.loaded[i] + w.all.copied[i]);
    double written = scale * (double)w.all.stored[i];
    if (size <= (double)of->cache_bytes && read > size)
      read = size;
    *out_moved += read + written;
    *out_needed += (read < size ? read : size) + (written < size ? written : size);
  }
  pir_arena_destroy(&w.arena);
  return !w.failed;
}
