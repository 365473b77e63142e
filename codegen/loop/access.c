// Dependences between iterations of a loop. Indices have the form k * i + outer + inner: i is
// the loop's variable, `outer` is invariant in the loop, and `inner` depends on inner loops and
// lies in a known interval. Two iterations cannot touch the same element if k exceeds the
// largest difference of their `inner` parts. Registers that an iteration writes before it reads
// them are private to it. Quadratic in the accesses of a body.
#include "access.h"

#include "loop_impl.h"

enum { MAX_ACCESSES = 128, MAX_NAMES = 64, MAX_INNER = 16 };

typedef struct loop_access {
  loop_buffer *buffer;  // memory
  loop_expr *index;     // over variables from outside and of loops inside, these counted from 0
  bool writes;
} loop_access;

typedef enum loop_use {
  REGISTER_UNUSED,
  REGISTER_SET,
  REGISTER_ACCUMULATED,
  REGISTER_READ
} loop_use;

typedef struct loop_accesses {
  loop_module *m;
  loop_access items[MAX_ACCESSES];
  size_t count;
  struct {
    const loop_var *var;
    loop_expr *value;
  } names[MAX_NAMES];  // that the body binds, in order
  size_t name_count;
  struct {
    const loop_var *var;
    int64_t trips;     // upper bound of the number of iterations; -1: unknown
  } inner[MAX_INNER];  // loops inside
  size_t inner_count;
  struct {
    const loop_buffer *buffer;
    loop_use first;  // how the body begins with it
    uint8_t combine;
    bool mixed;  // accumulated into, and read or set too
  } registers[MAX_INNER];
  size_t register_count;
  const char *why;  // it could not be told
} loop_accesses;

// ---- collecting

static void refuse_access(loop_accesses *a, const char *why) {
  if (!a->why)
    a->why = why;
}

static loop_expr *resolve_names(const loop_accesses *a, loop_expr *e) {
  for (size_t i = a->name_count; i-- > 0;)
    e = pir_loop_substitute(a->m, e, a->names[i].var, a->names[i].value);
  return e;
}

static void name(loop_accesses *a, const loop_var *var, loop_expr *value) {
  if (a->name_count == MAX_NAMES)
    refuse_access(a, "its body is too large");
  else {
    a->names[a->name_count].var = var;
    a->names[a->name_count++].value = value;
  }
}

static void add_memory(loop_accesses *a, loop_buffer *buffer, loop_expr *index, bool writes) {
  if (a->count == MAX_ACCESSES)
    refuse_access(a, "its body is too large");
  else if (index->lanes > 1)
    refuse_access(a, "it gathers or scatters");
  else
    a->items[a->count++] = (loop_access){buffer, resolve_names(a, index), writes};
}

static void add_register(loop_accesses *a, const loop_buffer *buffer, loop_use use,
                         uint8_t combine) {
  size_t i = 0;
  while (i < a->register_count && a->registers[i].buffer != buffer)
    i++;
  if (i == MAX_INNER) {
    refuse_access(a, "its body is too large");
    return;
  }
  if (i == a->register_count) {
    a->registers[a->register_count].buffer = buffer;
    a->registers[a->register_count].first = use;
    a->registers[a->register_count++].combine = combine;
  } else if (a->registers[i].first == REGISTER_ACCUMULATED) {
    a->registers[i].mixed |= use != REGISTER_ACCUMULATED || combine != a->registers[i].combine;
  } else {
    a->registers[i].mixed |= a->registers[i].first == REGISTER_READ && use != REGISTER_READ;
  }
}

static void read_expr(loop_accesses *a, loop_expr *e) {
  if (!e)
    return;
  if (e->kind == LOOP_TEAM)
    refuse_access(a, "a team of threads runs it");
  if (e->kind == LOOP_GATHER)
    refuse_access(a, "it gathers or scatters");
  if (e->kind == LOOP_LOAD && e->buffer->space == LOOP_REGISTER)
    add_register(a, e->buffer, REGISTER_READ, 0);
  else if (e->kind == LOOP_LOAD)
    add_memory(a, e->buffer, e->a, false);
  read_expr(a, e->a);
  read_expr(a, e->b);
  read_expr(a, e->c);
  read_expr(a, e->mask);
}

// Returns an upper bound of the iterations: end - begin, where `end` may be the smaller of two
// values.
static int64_t trips_of(loop_module *m, const loop_stmt *s) {
  loop_expr *ends[2] = {s->loop.end, s->loop.end};
  int64_t n, step, least = -1;
  if (ends[0]->kind == LOOP_OP && ends[0]->op == PIR_V_MIN) {
    ends[0] = s->loop.end->a;
    ends[1] = s->loop.end->b;
  }
  if (!pir_loop_is_int(s->loop.step, &step) || step < 1)
    return -1;
  for (int i = 0; i < 2; i++)
    if (pir_loop_is_int(pir_loop_sub(m, ends[i], s->loop.begin), &n) &&
        (least < 0 || n < least))
      least = n < 0 ? 0 : n;
  return least;
}

static void collect(loop_accesses *a, const loop_block *block, bool masked);

static void collect_loop(loop_accesses *a, const loop_stmt *s, bool masked) {
  int64_t zero;
  read_expr(a, s->loop.begin);
  read_expr(a, s->loop.end);
  if (a->inner_count == MAX_INNER) {
    refuse_access(a, "its body is too large");
    return;
  }
  loop_module *m = a->m;
  loop_stmt resolved = *s;
  resolved.loop.begin = resolve_names(a, s->loop.begin);
  resolved.loop.end = resolve_names(a, s->loop.end);
  a->inner[a->inner_count].var = s->loop.var;
  a->inner[a->inner_count].trips = trips_of(m, &resolved);
  a->inner_count++;
  if (!pir_loop_is_int(s->loop.begin, &zero) || zero)
    name(a, s->loop.var, pir_loop_add(m, s->loop.begin, pir_loop_use(m, s->loop.var)));
  collect(a, &s->loop.body, masked);
}

// Whether the store sets all registers of the buffer: there is only one, or the enclosing loop
// covers them.
static bool sets_all(const loop_accesses *a, const loop_stmt *s) {
  const loop_buffer *b = s->store.buffer;
  const loop_expr *index = s->store.index;
  if (b->count == 1)
    return true;
  for (size_t i = 0; i < a->inner_count && index->kind == LOOP_VAR; i++)
    if (a->inner[i].var == index->var)
      return a->inner[i].trips == b->count;
  return false;
}

static void collect_store(loop_accesses *a, const loop_stmt *s, bool masked) {
  loop_buffer *b = s->store.buffer;
  read_expr(a, s->store.index);
  read_expr(a, s->store.value);
  read_expr(a, s->store.mask);
  if (b->space != LOOP_REGISTER) {
    add_memory(a, b, s->store.index, true);
    return;
  }
  bool all = !masked && !s->store.mask && sets_all(a, s);
  add_register(a, b, all ? REGISTER_SET : REGISTER_READ, 0);
  if (!all)
    add_register(a, b, REGISTER_SET, 0);  // some keep their value
}

static void collect_accumulate(loop_accesses *a, const loop_stmt *s) {
  read_expr(a, s->accumulate.index);
  read_expr(a, s->accumulate.value);
  add_register(a, s->accumulate.buffer, REGISTER_ACCUMULATED, s->accumulate.combine);
}

static void collect(loop_accesses *a, const loop_block *block, bool masked) {
  for (const loop_stmt *s = block->first; s; s = s->next)
    switch ((loop_stmt_kind)s->kind) {
      case LOOP_FOR: collect_loop(a, s, masked); break;
      case LOOP_IF:
        read_expr(a, s->branch.condition);
        collect(a, &s->branch.body, true);
        collect(a, &s->branch.other, true);
        break;
      case LOOP_LET:
        read_expr(a, s->let.value);
        if (s->let.var->dtype == LOOP_INDEX && s->let.var->lanes == 1)
          name(a, s->let.var, s->let.value);
        break;
      case LOOP_STORE: collect_store(a, s, masked); break;
      case LOOP_ACCUMULATE: collect_accumulate(a, s); break;
      case LOOP_PREFETCH: break;
      case LOOP_TRAP: read_expr(a, s->trap.where); break;
      case LOOP_SCATTER: refuse_access(a, "it gathers or scatters"); break;
      case LOOP_MMA:
      case LOOP_TILE:
      case LOOP_TAKE:
      case LOOP_COPY:
      case LOOP_COMMIT:
      case LOOP_WAIT:
      case LOOP_BARRIER: refuse_access(a, "it uses tiles or a team of threads"); break;
    }
}

// Collects the accesses of the block's statements. A loop is identified by its statement.
static loop_accesses *collect_accesses(loop_module *m, const loop_block *block) {
  loop_accesses *a = pir_loop_alloc(m, sizeof *a);
  a->m = m;
  collect(a, block, false);
  return a;
}

// ---- spans

enum { LARGE = 1 << 30 };  // factors and counts below it cannot overflow

// Splits an index into outer + [low, high]: the part from outside the loop, and the range that
// inner loops add. False if it has another form.
static bool span_of(const loop_accesses *a, loop_expr *index, loop_expr **out_outer,
                    int64_t *out_low, int64_t *out_high) {
  *out_low = *out_high = 0;
  for (size_t i = 0; i < a->inner_count; i++) {
    int64_t k, n = a->inner[i].trips;
    if (!pir_loop_mentions(index, a->inner[i].var))
      continue;
    if (!pir_loop_stride(index, a->inner[i].var, &k) || n < 1 || n > LARGE || k > LARGE ||
        k < -LARGE)
      return false;
    *out_low += k < 0 ? k * (n - 1) : 0;
    *out_high += k < 0 ? 0 : k * (n - 1);
    index = pir_loop_substitute(a->m, index, a->inner[i].var, pir_loop_int(a->m, 0));
  }
  *out_outer = index;
  return true;
}

// Whether an access at `x` in one iteration and at `y` in another, at least `step` apart, can
// never touch the same element.
static bool apart(const loop_accesses *a, const loop_access *x, const loop_access *y,
                  const loop_var *var, int64_t step) {
  loop_module *m = a->m;
  loop_expr *zero = pir_loop_int(m, 0), *outer_x, *outer_y;
  int64_t kx, ky, low_x, high_x, low_y, high_y, d;
  if (!pir_loop_stride(x->index, var, &kx) || !pir_loop_stride(y->index, var, &ky))
    return false;
  if (kx != ky || !kx || kx > LARGE || kx < -LARGE)
    return false;
  loop_expr *at_x = pir_loop_substitute(m, x->index, var, zero),
            *at_y = pir_loop_substitute(m, y->index, var, zero);
  if (!span_of(a, at_x, &outer_x, &low_x, &high_x) ||
      !span_of(a, at_y, &outer_y, &low_y, &high_y) ||
      !pir_loop_is_int(pir_loop_sub(m, outer_x, outer_y), &d))
    return false;
  // The accesses of two iterations are at least |k| * step apart, plus the difference of their
  // inner parts.
  int64_t reach = (kx < 0 ? -kx : kx) * step;
  return low_x - high_y + d > -reach && high_x - low_y + d < reach;
}

// ---- within a loop

static bool reads_register(const loop_expr *e, const loop_buffer *buffer) {
  if (!e)
    return false;
  return (e->kind == LOOP_LOAD && e->buffer == buffer) || reads_register(e->a, buffer) ||
         reads_register(e->b, buffer) || reads_register(e->c, buffer) ||
         reads_register(e->mask, buffer);
}

// Whether any statement except `except` reads the register.
static bool read_elsewhere(const loop_block *block, const loop_stmt *except,
                           const loop_buffer *buffer) {
  for (const loop_stmt *s = block->first; s; s = s->next) {
    if (s == except)
      continue;
    loop_operands operands = pir_loop_operands(s);
    loop_blocks inside = pir_loop_blocks(s);
    bool found = s->kind == LOOP_ACCUMULATE && s->accumulate.buffer == buffer;
    for (int i = 0; i < operands.count && !found; i++)
      found = reads_register(*operands.at[i], buffer);
    for (int i = 0; i < inside.count && !found; i++)
      found = read_elsewhere(inside.at[i], except, buffer);
    if (found)
      return true;
  }
  return false;
}

static const char *carried_in_registers(const loop_fn *fn, const loop_stmt *loop,
                                        const loop_accesses *a, bool alone) {
  for (size_t i = 0; i < a->register_count; i++) {
    if (a->registers[i].mixed)
      return "a register carries a value from one iteration to the next";
    if (a->registers[i].first == REGISTER_ACCUMULATED && alone)
      return "iterations accumulate in one register";
    if (a->registers[i].first == REGISTER_SET &&
        read_elsewhere(&fn->body, loop, a->registers[i].buffer))
      return "the last iteration's value of a register is used behind the loop";
  }
  return NULL;
}

const char *loop_access_carried(const loop_fn *fn, const loop_stmt *loop, bool alone) {
  const loop_accesses *a = collect_accesses(fn->module, &loop->loop.body);
  int64_t step;
  if (a->why && !loop->loop.apart)
    return a->why;
  if (!pir_loop_is_int(loop->loop.step, &step) || step < 1)
    return "its step is not a known positive number";
  for (size_t i = 0; i < a->count && !loop->loop.apart; i++)
    for (size_t k = 0; k < a->count && a->items[i].writes; k++)
      if (a->items[k].buffer == a->items[i].buffer &&
          !apart(a, &a->items[i], &a->items[k], loop->loop.var, step))
        return "iterations may touch one element of a buffer that it writes";
  return carried_in_registers(fn, loop, a, alone);
}
