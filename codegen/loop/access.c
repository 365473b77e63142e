// Dependences between iterations of a loop. Indices are brought to the form k * i + outer +
// inner, where i is the loop's variable, `outer` does not change within the loop, and `inner`,
// of loops inside, lies in a known interval. Two iterations cannot meet in a buffer when k is
// larger than what their inner parts can differ by. Registers that an iteration sets before it
// reads them are its own. Cost: quadratic in the accesses of a body, which are few.
#include "access.h"

#include "loop_impl.h"

// ---- collecting

static void refuse(loop_accesses *a, const char *why) {
  if (!a->why)
    a->why = why;
}

static loop_expr *resolve(const loop_accesses *a, loop_expr *e) {
  for (size_t i = a->name_count; i-- > 0;)
    e = pir_loop_substitute(a->m, e, a->names[i].var, a->names[i].value);
  return e;
}

static void name(loop_accesses *a, const loop_var *var, loop_expr *value) {
  if (a->name_count == MAX_NAMES)
    refuse(a, "its body is too large");
  else {
    a->names[a->name_count].var = var;
    a->names[a->name_count++].value = value;
  }
}

static void add_memory(loop_accesses *a, loop_buffer *buffer, loop_expr *index, bool writes,
                       bool masked) {
  if (a->count == MAX_ACCESSES)
    refuse(a, "its body is too large");
  else if (index->lanes > 1)
    refuse(a, "it gathers or scatters");
  else
    a->items[a->count++] = (loop_access){buffer, resolve(a, index), writes, masked};
}

static void add_register(loop_accesses *a, const loop_buffer *buffer, loop_use use,
                         uint8_t combine) {
  size_t i = 0;
  while (i < a->register_count && a->registers[i].buffer != buffer)
    i++;
  if (i == MAX_INNER) {
    refuse(a, "its body is too large");
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

static void read_expr(loop_accesses *a, loop_expr *e, bool masked) {
  if (!e)
    return;
  if (e->kind == LOOP_TEAM)
    refuse(a, "a team of threads runs it");
  if (e->kind == LOOP_GATHER)
    refuse(a, "it gathers or scatters");
  if (e->kind == LOOP_LOAD && e->buffer->space == LOOP_REGISTER)
    add_register(a, e->buffer, REGISTER_READ, 0);
  else if (e->kind == LOOP_LOAD)
    add_memory(a, e->buffer, e->a, false, masked || e->mask);
  read_expr(a, e->a, masked);
  read_expr(a, e->b, masked);
  read_expr(a, e->c, masked);
  read_expr(a, e->mask, masked);
}

// At most so many iterations: end - begin, of which `end` may be the smaller of two.
static int64_t trips_of(loop_module *m, const loop_stmt *s, bool *out_exact) {
  loop_expr *ends[2] = {s->end, s->end};
  int64_t n, step, least = -1;
  *out_exact = pir_loop_is_int(s->step, &step) && step == 1 &&
               pir_loop_is_int(pir_loop_sub(m, s->end, s->begin), &n);
  if (s->end->kind == LOOP_OP && s->end->fn == PIR_V_MIN) {
    ends[0] = s->end->a;
    ends[1] = s->end->b;
  }
  if (!pir_loop_is_int(s->step, &step) || step < 1)
    return -1;
  for (int i = 0; i < 2; i++)
    if (pir_loop_is_int(pir_loop_sub(m, ends[i], s->begin), &n) && (least < 0 || n < least))
      least = n < 0 ? 0 : n;
  return least;
}

static void collect(loop_accesses *a, const loop_block *block, bool masked);

static void collect_loop(loop_accesses *a, const loop_stmt *s, bool masked) {
  int64_t zero;
  read_expr(a, s->begin, masked);
  read_expr(a, s->end, masked);
  if (a->inner_count == MAX_INNER) {
    refuse(a, "its body is too large");
    return;
  }
  loop_module *m = a->m;
  loop_stmt resolved = *s;
  resolved.begin = resolve(a, s->begin);
  resolved.end = resolve(a, s->end);
  a->inner[a->inner_count].var = s->var;
  a->inner[a->inner_count].trips = trips_of(m, &resolved, &a->inner[a->inner_count].exact);
  a->inner_count++;
  if (!pir_loop_is_int(s->begin, &zero) || zero)
    name(a, s->var, pir_loop_add(m, s->begin, pir_loop_use(m, s->var)));
  collect(a, &s->body, masked);
}

// Whether the store sets all registers of the buffer: it has one, or the loop around goes over
// them.
static bool sets_all(const loop_accesses *a, const loop_stmt *s) {
  if (s->buffer->count == 1)
    return true;
  for (size_t i = 0; i < a->inner_count && s->index->kind == LOOP_VAR; i++)
    if (a->inner[i].var == s->index->var)
      return a->inner[i].trips == s->buffer->count;
  return false;
}

static void collect_write(loop_accesses *a, const loop_stmt *s, bool masked) {
  read_expr(a, s->index, masked);
  read_expr(a, s->value, masked);
  read_expr(a, s->mask, masked);
  if (s->buffer->space != LOOP_REGISTER) {
    add_memory(a, s->buffer, s->index, true, masked || s->mask);
  } else if (s->kind == LOOP_ACCUMULATE) {
    add_register(a, s->buffer, REGISTER_ACCUMULATED, s->combine);
  } else {
    add_register(a, s->buffer, masked || !sets_all(a, s) ? REGISTER_READ : REGISTER_SET, 0);
    if (masked || !sets_all(a, s))
      add_register(a, s->buffer, REGISTER_SET, 0);  // some keep what they had
  }
}

static void collect(loop_accesses *a, const loop_block *block, bool masked) {
  for (const loop_stmt *s = block->first; s; s = s->next)
    switch ((loop_stmt_kind)s->kind) {
      case LOOP_FOR: collect_loop(a, s, masked); break;
      case LOOP_IF:
        read_expr(a, s->value, masked);
        collect(a, &s->body, true);
        collect(a, &s->other, true);
        break;
      case LOOP_LET:
        read_expr(a, s->value, masked);
        if (s->var->dtype == LOOP_INDEX && s->var->lanes == 1)
          name(a, s->var, s->value);
        break;
      case LOOP_STORE:
      case LOOP_ACCUMULATE: collect_write(a, s, masked); break;
      case LOOP_PREFETCH: break;
      case LOOP_SCATTER: refuse(a, "it gathers or scatters"); break;
      case LOOP_MMA:
      case LOOP_TILE:
      case LOOP_BARRIER: refuse(a, "it uses tiles or a team of threads"); break;
    }
}

void loop_access_collect(loop_module *m, const loop_block *block, loop_accesses *out) {
  out->m = m;
  out->count = out->name_count = out->inner_count = out->register_count = 0;
  out->why = NULL;
  collect(out, block, false);
}

// ---- spans

enum { LARGE = 1 << 30 };  // factors and counts below it cannot overflow

bool loop_access_span(const loop_accesses *a, loop_expr *index, loop_expr **out_outer,
                      int64_t *out_low, int64_t *out_high) {
  *out_low = *out_high = 0;
  for (size_t i = 0; i < a->inner_count; i++) {
    int64_t k, n = a->inner[i].trips;
    if (!pir_loop_mentions(index, a->inner[i].var))
      continue;
    if (!pir_loop_stride(index, a->inner[i].var, &k) || n < 1 || n > LARGE || k > LARGE ||
        k < -LARGE)
      return false;
    *(k < 0 ? out_low : out_high) += k * (n - 1);
    index = pir_loop_substitute(a->m, index, a->inner[i].var, pir_loop_int(a->m, 0));
  }
  *out_outer = index;
  return true;
}

// Whether different iterations cannot meet, one at `x`, one at `y`; `from` is y's variable.
static bool apart(const loop_accesses *a, const loop_access *x, const loop_accesses *b,
                  const loop_access *y, const loop_var *var, const loop_var *from,
                  int64_t step) {
  loop_module *m = a->m;
  loop_expr *zero = pir_loop_int(m, 0), *outer_x, *outer_y;
  int64_t kx, ky, low_x, high_x, low_y, high_y, d;
  if (!pir_loop_stride(x->index, var, &kx) || !pir_loop_stride(y->index, from, &ky) ||
      kx != ky || !kx)
    return false;
  if (kx > LARGE || kx < -LARGE)
    return false;
  if (!loop_access_span(a, pir_loop_substitute(m, x->index, var, zero), &outer_x, &low_x,
                        &high_x) ||
      !loop_access_span(b, pir_loop_substitute(m, y->index, from, zero), &outer_y, &low_y,
                        &high_y) ||
      !pir_loop_is_int(pir_loop_sub(m, outer_x, outer_y), &d))
    return false;
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

// Whether anything but `except` reads the register.
static bool read_elsewhere(const loop_block *block, const loop_stmt *except,
                           const loop_buffer *buffer) {
  for (const loop_stmt *s = block->first; s; s = s->next) {
    if (s == except)
      continue;
    if (reads_register(s->value, buffer) || reads_register(s->index, buffer) ||
        reads_register(s->mask, buffer) ||
        (s->kind == LOOP_ACCUMULATE && s->buffer == buffer) ||
        read_elsewhere(&s->body, except, buffer) || read_elsewhere(&s->other, except, buffer))
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
  loop_accesses *a = pir_loop_alloc(fn->module, sizeof *a);
  int64_t step;
  loop_access_collect(fn->module, &loop->body, a);
  if (a->why && !loop->apart)
    return a->why;
  if (!pir_loop_is_int(loop->step, &step) || step < 1)
    return "its step is not a known positive number";
  for (size_t i = 0; i < a->count && !loop->apart; i++)
    for (size_t k = 0; k < a->count && a->items[i].writes; k++)
      if (a->items[k].buffer == a->items[i].buffer &&
          !apart(a, &a->items[i], a, &a->items[k], loop->var, loop->var, step))
        return "iterations may touch one element of a buffer that it writes";
  return carried_in_registers(fn, loop, a, alone);
}

// ---- between two loops

const char *loop_access_between(const loop_fn *fn, const loop_stmt *first,
                                const loop_stmt *second) {
  loop_accesses *a = pir_loop_alloc(fn->module, sizeof *a),
                *b = pir_loop_alloc(fn->module, sizeof *b);
  int64_t step;
  loop_access_collect(fn->module, &first->body, a);
  loop_access_collect(fn->module, &second->body, b);
  if (a->why || b->why)
    return a->why ? a->why : b->why;
  if (!pir_loop_is_int(first->step, &step) || step < 1)
    return "its step is not a known positive number";
  for (size_t i = 0; i < a->count; i++)
    for (size_t k = 0; k < b->count; k++)
      if (a->items[i].buffer == b->items[k].buffer &&
          (a->items[i].writes || b->items[k].writes) &&
          !apart(a, &a->items[i], b, &b->items[k], first->var, second->var, step))
        return "an iteration may need what another one of the other loop computes";
  for (size_t i = 0; i < a->register_count; i++)
    for (size_t k = 0; k < b->register_count; k++)
      if (a->registers[i].buffer == b->registers[k].buffer)
        return "both loops use one register";
  return NULL;
}
