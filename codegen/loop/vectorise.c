// Vectorises marked loops. The loop variable becomes a ramp. Expressions that do not depend on
// it stay scalar and are broadcast where they meet a vector. Indices of stride 1 become
// contiguous accesses, all others gathers and scatters. A loop of n iterations becomes three: a
// main loop over `unroll` vectors at a time (several partial results hide the latency of a
// sum), a loop over single vectors, and a masked last step. Parts that constant bounds rule out
// are not emitted. Cost: linear in the emitted code.
#include "vectorise.h"

#include "loop_verify.h"

#include <string.h>

// ---- expressions

static loop_expr *widen(vectoriser *z, loop_expr *e);

static loop_expr *mask_of(vectoriser *z, loop_expr *own) {
  if (!own)
    return z->mask;
  loop_expr *m = pir_loop_broadcast(z->m, own, z->lanes);
  return z->mask ? pir_loop_op(z->m, PIR_V_AND, m, z->mask, NULL) : m;
}

// Whether the value of e differs between lanes.
static bool varies(const vectoriser *z, const loop_expr *e) {
  if (!e)
    return false;
  if (e->kind == LOOP_VAR)
    return e->var == z->var || (e->var->id < z->value_count && z->values[e->var->id]);
  if (e->kind == LOOP_LOAD && e->buffer->space == LOOP_REGISTER &&
      e->buffer->id < z->private_count && z->private_regs[e->buffer->id])
    return true;
  return varies(z, e->a) || varies(z, e->b) || varies(z, e->c) || varies(z, e->mask);
}

// Rewrites a conditional inside an index whose condition is the same in all lanes, so that the
// lanes' stride becomes visible.
static loop_expr *uniform_choice(const vectoriser *z, loop_expr *e) {
  if (!e || !varies(z, e))
    return NULL;
  if (e->kind == LOOP_OP && e->op == PIR_V_SELECT && !varies(z, e->a))
    return e;
  loop_expr *found = uniform_choice(z, e->a);
  if (!found)
    found = uniform_choice(z, e->b);
  return found ? found : uniform_choice(z, e->c);
}

static loop_expr *replace_node(loop_module *m, loop_expr *e, const loop_expr *node,
                               loop_expr *by) {
  if (!e || e == node)
    return e ? by : NULL;
  if (e->kind != LOOP_OP)
    return e;
  loop_expr *a = replace_node(m, e->a, node, by), *b = replace_node(m, e->b, node, by),
            *c = replace_node(m, e->c, node, by);
  return a == e->a && b == e->b && c == e->c ? e : pir_loop_op(m, e->op, a, b, c);
}

static loop_expr *widen_load(vectoriser *z, loop_expr *e);

// Whether lanes are adjacent in memory: the index steps by 1, and nothing else in it differs
// between lanes.
static bool is_contiguous(vectoriser *z, loop_expr *index) {
  int64_t stride;
  if (!pir_loop_stride(index, z->var, &stride) || stride != 1)
    return false;
  return !varies(z, pir_loop_substitute(z->m, index, z->var, pir_loop_int(z->m, 0)));
}

// Lowers one side of a conditional. Values that all lanes share are loaded without a guard: at
// their index, or at index 0 if the other side is taken.
static loop_expr *widen_way(vectoriser *z, const loop_expr *e, const loop_expr *choice,
                            loop_expr *by, loop_expr *taken) {
  loop_module *m = z->m;
  loop_expr *at = replace_node(m, e->a, choice, by);
  if (!varies(z, at)) {
    loop_expr *x = pir_loop_load(m, e->buffer,
                                 pir_loop_select(m, taken, at, pir_loop_int(m, 0)), 1, e->mask);
    return varies(z, x) ? widen_load(z, x) : x;
  }
  loop_expr *mask = e->mask ? pir_loop_op(m, PIR_V_AND, e->mask, taken, NULL) : taken;
  return widen_load(z, pir_loop_load(m, e->buffer, at, 1, mask));
}

// Loads lanes of a tensor that may be broadcast: one element, or adjacent ones, decided at run
// time.
static loop_expr *widen_choice(vectoriser *z, const loop_expr *e, const loop_expr *choice) {
  loop_expr *not = pir_loop_op(z->m, PIR_V_NOT, choice->a, NULL, NULL);
  return pir_loop_select(z->m, choice->a, widen_way(z, e, choice, choice->b, choice->a),
                         widen_way(z, e, choice, choice->c, not));
}

static loop_expr *widen_load(vectoriser *z, loop_expr *e) {
  loop_expr *choice = e->buffer->space == LOOP_REGISTER ? NULL : uniform_choice(z, e->a);
  if (choice)
    return widen_choice(z, e, choice);
  loop_expr *own = e->mask ? widen(z, e->mask) : NULL;
  if (e->buffer->space == LOOP_REGISTER)  // a private one, since it varies
    return pir_loop_load(z->m, z->private_regs[e->buffer->id], e->a, z->lanes, NULL);
  if (is_contiguous(z, e->a))
    return pir_loop_load(z->m, e->buffer, pir_loop_substitute(z->m, e->a, z->var, z->base),
                         z->lanes, mask_of(z, own));
  int64_t stride;
  if (pir_loop_stride(e->a, z->var, &stride) &&
      stride == 2) {  // the emitter reads runs of these
    loop_expr *at = pir_loop_substitute(z->m, e->a, z->var, z->base);
    if (!varies(z, pir_loop_substitute(z->m, e->a, z->var, pir_loop_int(z->m, 0))))
      return pir_loop_gather(z->m, e->buffer,
                             pir_loop_ramp(z->m, at, pir_loop_int(z->m, 2), z->lanes),
                             mask_of(z, own));
  }
  if (!varies(z, e->a)) {  // one element under a mask of lanes
    loop_expr *all = pir_loop_broadcast(z->m, e->a, z->lanes);
    return pir_loop_gather(z->m, e->buffer, all, mask_of(z, own));
  }
  return pir_loop_gather(z->m, e->buffer, pir_loop_broadcast(z->m, widen(z, e->a), z->lanes),
                         mask_of(z, own));
}

static loop_expr *widen(vectoriser *z, loop_expr *e) {
  if (!varies(z, e))
    return e;
  if (e->kind == LOOP_VAR)
    return e->var == z->var ? pir_loop_ramp(z->m, z->base, pir_loop_int(z->m, 1), z->lanes)
                            : z->values[e->var->id];
  if (e->kind == LOOP_LOAD)
    return widen_load(z, e);
  loop_expr *a = widen(z, e->a), *b = e->b ? widen(z, e->b) : NULL,
            *c = e->c ? widen(z, e->c) : NULL;
  switch ((loop_kind)e->kind) {
    case LOOP_OP: return pir_loop_op(z->m, e->op, a, b, c);
    case LOOP_FMA: return pir_loop_fma(z->m, a, b, c);
    case LOOP_CAST: return pir_loop_cast(z->m, a, e->dtype);
    case LOOP_BITCAST: return pir_loop_bitcast(z->m, a, e->dtype);
    default: z->failed = true; return e;  // vectors inside a loop to be vectorised
  }
}

// ---- statements

static void widen_let(vectoriser *z, loop_block *out, const loop_stmt *s) {
  loop_var *var = s->let.var;
  loop_expr *value = widen(z, s->let.value);
  if (value->lanes == 1) {
    pir_loop_bind(z->fn, out, var, value);
    return;
  }
  z->values[var->id] = pir_loop_let(z->fn, out, var->name, value);
}

static void widen_store(vectoriser *z, loop_block *out, const loop_stmt *s) {
  loop_buffer *buffer = s->store.buffer;
  loop_expr *index = s->store.index, *value = widen(z, s->store.value),
            *own = s->store.mask ? widen(z, s->store.mask) : NULL;
  value = pir_loop_broadcast(z->m, value, z->lanes);
  if (buffer->space == LOOP_REGISTER) {
    pir_loop_store(z->fn, out, z->private_regs[buffer->id], index, value, NULL);
    return;
  }
  if (is_contiguous(z, index)) {
    pir_loop_store(z->fn, out, buffer, pir_loop_substitute(z->m, index, z->var, z->base), value,
                   mask_of(z, own));
    out->last->store.nontemporal = s->store.nontemporal;
    return;
  }
  if (!varies(z, index) && z->lanes > 1)
    z->failed = true;  // all lanes would write one element
  pir_loop_scatter(z->fn, out, buffer, pir_loop_broadcast(z->m, widen(z, index), z->lanes),
                   value, mask_of(z, own));
}

static loop_buffer *part_of(const vectoriser *z, const loop_buffer *buffer) {
  for (int i = 0; i < z->partial_count; i++)
    if (z->partials[i].of == buffer)
      return z->partials[i].part[z->copy];
  return NULL;
}

static void widen_accumulate(vectoriser *z, loop_block *out, const loop_stmt *s) {
  const loop_buffer *buffer = s->accumulate.buffer;
  pir_combine combine = s->accumulate.combine;
  loop_expr *value = pir_loop_broadcast(z->m, widen(z, s->accumulate.value), z->lanes);
  loop_buffer *b = z->private_regs[buffer->id];
  if (!b) {
    b = part_of(z, buffer);
    if (z->mask)
      value = pir_loop_select(
          z->m, z->mask, value,
          pir_loop_broadcast(z->m, pir_loop_neutral(z->m, combine, buffer->dtype), z->lanes));
  }
  pir_loop_accumulate(z->fn, out, b, s->accumulate.index, combine, value);
}

// Lanes beyond the end are no trap.
static void widen_trap(vectoriser *z, loop_block *out, const loop_stmt *s) {
  loop_expr *where = widen(z, s->trap.where);
  pir_loop_trap(z->fn, out, s->trap.number, z->mask ? mask_of(z, where) : where);
}

static void widen_for(vectoriser *z, loop_block *out, const loop_stmt *s) {
  loop_expr *begin = s->loop.begin, *end = s->loop.end, *step = s->loop.step;
  if (z->lanes > 1 && (varies(z, begin) || varies(z, end) || varies(z, step)))
    z->failed = true;
  loop_block *body = pir_loop_for(z->fn, out, s->loop.kind, s->loop.var, widen(z, begin),
                                  widen(z, end), widen(z, step));
  vectorise_block_body(z, body, &s->loop.body);
}

static void widen_if(vectoriser *z, loop_block *out, const loop_stmt *s) {
  loop_block *other, *body;
  if (z->lanes > 1 && varies(z, s->branch.condition))
    z->failed = true;
  body = pir_loop_if(z->fn, out, widen(z, s->branch.condition), &other);
  vectorise_block_body(z, body, &s->branch.body);
  vectorise_block_body(z, other, &s->branch.other);
}

static void widen_stmt(vectoriser *z, loop_block *out, const loop_stmt *s) {
  switch ((loop_stmt_kind)s->kind) {
    case LOOP_FOR: widen_for(z, out, s); return;
    case LOOP_IF: widen_if(z, out, s); return;
    case LOOP_LET: widen_let(z, out, s); return;
    case LOOP_STORE:
    case LOOP_SCATTER: widen_store(z, out, s); return;
    case LOOP_ACCUMULATE: widen_accumulate(z, out, s); return;
    case LOOP_MMA:
    case LOOP_TILE:
    case LOOP_TAKE:
    case LOOP_COPY:
    case LOOP_COMMIT:
    case LOOP_WAIT:
    case LOOP_BARRIER: z->failed = true; return;
    case LOOP_TRAP: widen_trap(z, out, s); return;
    case LOOP_PREFETCH:
      pir_loop_prefetch(z->fn, out, s->prefetch.buffer,
                        pir_loop_substitute(z->m, s->prefetch.index, z->var, z->base),
                        s->prefetch.far);
      return;
  }
}

void vectorise_block_body(vectoriser *z, loop_block *out, const loop_block *in) {
  for (const loop_stmt *s = in->first; s && !z->failed; s = s->next)
    widen_stmt(z, out, s);
}

// ---- loops

static void widest_of_expr(const loop_expr *e, size_t *bytes) {
  if (!e)
    return;
  // Index arithmetic is not counted, because most of it stays scalar.
  if (e->kind == LOOP_LOAD || e->kind == LOOP_GATHER || e->kind == LOOP_CAST) {
    size_t size = pir_loop_type_size(e->dtype);
    if (size > *bytes)
      *bytes = size;
    if (e->kind != LOOP_CAST)
      return;
  }
  widest_of_expr(e->a, bytes);
  widest_of_expr(e->b, bytes);
  widest_of_expr(e->c, bytes);
}

// Returns the expression whose elements pass through vector registers; NULL if the statement
// has only index arithmetic, or checks that rarely fail.
static const loop_expr *elements_of(const loop_stmt *s) {
  switch ((loop_stmt_kind)s->kind) {
    case LOOP_IF: return s->branch.condition;
    case LOOP_LET: return s->let.var->dtype == LOOP_INDEX ? NULL : s->let.value;
    case LOOP_STORE:
    case LOOP_SCATTER: return s->store.value;
    case LOOP_ACCUMULATE: return s->accumulate.value;
    default: return NULL;
  }
}

void vectorise_widest_of(const loop_block *block, size_t *bytes) {
  for (const loop_stmt *s = block->first; s; s = s->next) {
    const loop_buffer *touched = pir_loop_touched(s);
    loop_blocks inside = pir_loop_blocks(s);
    size_t size = touched ? pir_loop_type_size(touched->dtype) : 0;
    if (size > *bytes)
      *bytes = size;
    widest_of_expr(elements_of(s), bytes);
    for (int i = 0; i < inside.count; i++)
      vectorise_widest_of(inside.at[i], bytes);
  }
}

// Registers that the body sets are private to an iteration and become vectors.
void vectorise_find_private(vectoriser *z, const loop_block *block) {
  for (const loop_stmt *s = block->first; s; s = s->next) {
    const loop_buffer *b = s->kind == LOOP_STORE ? s->store.buffer : NULL;
    loop_blocks inside = pir_loop_blocks(s);
    if (b && b->space == LOOP_REGISTER && !z->private_regs[b->id])
      z->private_regs[b->id] = pir_loop_registers(z->fn, b->name, b->dtype, z->lanes, b->count);
    for (int i = 0; i < inside.count; i++)
      vectorise_find_private(z, inside.at[i]);
  }
}

static void add_partial(vectoriser *z, const loop_stmt *s, int copies) {
  loop_buffer *b = s->accumulate.buffer;
  if (z->private_regs[b->id] || part_of(z, b))
    return;
  if (z->partial_count == (int)(sizeof z->partials / sizeof *z->partials)) {
    z->failed = true;
    return;
  }
  partial *p = &z->partials[z->partial_count++];
  *p = (partial){.of = b, .combine = s->accumulate.combine};
  for (int i = 0; i < copies; i++)
    p->part[i] = pir_loop_registers(z->fn, b->name, b->dtype, z->lanes, b->count);
}

void vectorise_find_partials(vectoriser *z, const loop_block *block, int copies) {
  for (const loop_stmt *s = block->first; s && !z->failed; s = s->next) {
    loop_blocks inside = pir_loop_blocks(s);
    if (s->kind == LOOP_ACCUMULATE)
      add_partial(z, s, copies);
    for (int i = 0; i < inside.count; i++)
      vectorise_find_partials(z, inside.at[i], copies);
  }
}

static void each_register(vectoriser *z, loop_block *out, int64_t count, loop_block **out_body,
                          loop_expr **out_index) {
  loop_var *r = pir_loop_var_create(z->fn, "r", LOOP_INDEX, 1);
  *out_body = pir_loop_for(z->fn, out, LOOP_UNROLLED, r, pir_loop_int(z->m, 0),
                           pir_loop_int(z->m, count), NULL);
  *out_index = pir_loop_use(z->m, r);
}

void vectorise_start_partials(vectoriser *z, loop_block *out, int copies) {
  for (int i = 0; i < z->partial_count; i++) {
    loop_block *body;
    loop_expr *r;
    partial *p = &z->partials[i];
    each_register(z, out, p->of->count, &body, &r);
    loop_expr *neutral =
        pir_loop_broadcast(z->m, pir_loop_neutral(z->m, p->combine, p->of->dtype), z->lanes);
    for (int c = 0; c < copies; c++)
      pir_loop_store(z->fn, body, p->part[c], r, neutral, NULL);
  }
}

void vectorise_join_partials(vectoriser *z, loop_block *out, int copies) {
  for (int i = 0; i < z->partial_count; i++) {
    loop_block *body;
    loop_expr *r;
    partial *p = &z->partials[i];
    each_register(z, out, p->of->count, &body, &r);
    loop_expr *sum = pir_loop_load(z->m, p->part[0], r, z->lanes, NULL);
    for (int c = 1; c < copies; c++)
      sum = pir_loop_combine(z->m, p->combine, sum,
                             pir_loop_load(z->m, p->part[c], r, z->lanes, NULL));
    sum = pir_loop_fold(z->m, p->combine, sum);
    pir_loop_accumulate(z->fn, body, p->of, r, p->combine,
                        z->team ? pir_loop_team(z->m, p->combine, 0, sum) : sum);
  }
}

// Emits one loop from `begin` to `end` with `copies` vectors in each step.
static void make_loop(vectoriser *z, loop_block *out, const loop_stmt *s, loop_expr *begin,
                      loop_expr *end, int copies) {
  loop_var *v = pir_loop_var_create(z->fn, s->loop.var->name, LOOP_INDEX, 1);
  loop_block *body = pir_loop_for(z->fn, out, LOOP_SERIAL, v, begin, end,
                                  pir_loop_int(z->m, (int64_t)z->lanes * copies));
  v->extent = s->loop.var->extent;
  for (z->copy = 0; z->copy < copies; z->copy++) {
    z->base = pir_loop_add(z->m, pir_loop_use(z->m, v),
                           pir_loop_int(z->m, (int64_t)z->lanes * z->copy));
    vectorise_block_body(z, body, &s->loop.body);
  }
  z->copy = 0;
}

static void make_tail(vectoriser *z, loop_block *out, const loop_stmt *s, loop_expr *begin,
                      loop_expr *rest) {
  z->base = begin;
  z->mask = pir_loop_let(z->fn, out, "mask", pir_loop_tail_mask(z->m, rest, z->lanes));
  vectorise_block_body(z, out, &s->loop.body);
  z->mask = NULL;
}

// Clears the vector forms of existing variables and registers.
void vectorise_open(vectoriser *z) {
  z->value_count = z->fn->var_count;
  z->values = pir_loop_alloc(z->m, z->value_count * sizeof *z->values);
  z->private_count = z->fn->buffer_count;
  z->private_regs = pir_loop_alloc(z->m, z->private_count * sizeof *z->private_regs);
  z->partial_count = 0;
}

static bool has_loop(const loop_block *block) {
  for (const loop_stmt *s = block->first; s; s = s->next)
    if (s->kind == LOOP_FOR && s->loop.kind == LOOP_SERIAL)
      return true;
  return false;
}

static uint16_t choose_lanes(vectoriser *z, const loop_stmt *s) {
  size_t widest = 1;
  int64_t begin, end, extent;
  vectorise_widest_of(&s->loop.body, &widest);
  uint16_t lanes = (uint16_t)((size_t)z->target->vector_bytes / widest);
  // Lanes are rows: several vectors run down the rows together, which hides the latency of sums
  // and reads whole cache lines.
  if (has_loop(&s->loop.body) && s->loop.var->extent &&
      pir_loop_is_int(s->loop.var->extent, &extent))
    for (int i = 1; i < z->target->machine->core.rows_side_by_side && lanes < extent; i *= 2)
      lanes *= 2;
  if (pir_loop_is_int(s->loop.begin, &begin) && pir_loop_is_int(s->loop.end, &end))
    while (lanes > 1 && lanes / 2 >= end - begin)
      lanes /= 2;
  return lanes;
}

// If the number of iterations is constant, loops that would never run are not emitted, and
// there are only as many copies as a single step of the main loop needs.
static void vectorise_loop(vectoriser *z, loop_block *out, const loop_stmt *s) {
  loop_module *m = z->m;
  int64_t n;
  z->lanes = choose_lanes(z, s);
  if (z->lanes == 1) {
    loop_block *body = pir_loop_for(z->fn, out, LOOP_SERIAL, s->loop.var, s->loop.begin,
                                    s->loop.end, s->loop.step);
    *body = s->loop.body;
    return;
  }
  z->var = s->loop.var;
  vectorise_open(z);
  loop_expr *count = pir_loop_sub(m, s->loop.end, s->loop.begin),
            *lanes = pir_loop_int(m, z->lanes);
  bool known = pir_loop_is_int(count, &n);
  int copies = s->loop.unroll < MAX_PARTS ? s->loop.unroll : MAX_PARTS;
  if (copies < 1)
    copies = 1;
  while (known && copies > 1 && n < (int64_t)z->lanes * copies)
    copies--;
  vectorise_find_private(z, &s->loop.body);
  vectorise_find_partials(z, &s->loop.body, copies);
  if (z->failed)
    return;
  vectorise_start_partials(z, out, copies);
  loop_expr *whole = pir_loop_add(m, s->loop.begin,
                                  pir_loop_mul(m, pir_loop_floordiv(m, count, lanes), lanes));
  loop_expr *from = s->loop.begin;
  if (copies > 1) {
    loop_expr *step = pir_loop_int(m, (int64_t)z->lanes * copies);
    loop_expr *to = pir_loop_add(m, s->loop.begin,
                                 pir_loop_mul(m, pir_loop_floordiv(m, count, step), step));
    make_loop(z, out, s, from, to, copies);
    from = to;
  }
  if (!known || n / z->lanes % copies || copies == 1)
    if (!known || n >= z->lanes)
      make_loop(z, out, s, from, whole, 1);
  if (!known) {
    loop_block *tail = pir_loop_if(z->fn, out, pir_loop_lt(m, whole, s->loop.end), NULL);
    make_tail(z, tail, s, whole, pir_loop_sub(m, s->loop.end, whole));
  } else if (n % z->lanes) {
    make_tail(z, out, s, whole, pir_loop_int(m, n % z->lanes));
  }
  vectorise_join_partials(z, out, copies);
}

static void vectorise_block(vectoriser *z, loop_block *block) {
  loop_block out = {0};
  for (loop_stmt *s = block->first, *next; s && !z->failed; s = next) {
    next = s->next;
    if (s->kind == LOOP_FOR && s->loop.kind == LOOP_VECTORISED) {
      vectorise_loop(z, &out, s);
      continue;
    }
    loop_blocks inside = pir_loop_blocks(s);
    for (int i = 0; i < inside.count; i++)
      vectorise_block(z, inside.at[i]);
    s->next = NULL;
    if (out.last)
      out.last->next = s;
    else
      out.first = s;
    out.last = s;
  }
  *block = out;
}

pir_status pir_loop_vectorise(loop_fn *fn, const pir_target *target) {
  vectoriser z = {.fn = fn, .m = fn->module, .target = target};
  vectorise_block(&z, &fn->body);
  if (z.failed)
    return PIR_UNSUPPORTED;
  pir_loop_verify_after(fn, "vectorise");
  return PIR_OK;
}

static void append_block(loop_block *out, const loop_block *in) {
  if (!in->first)
    return;
  if (out->last)
    out->last->next = in->first;
  else
    out->first = in->first;
  out->last = in->last;
}

pir_status pir_loop_widen(loop_fn *fn, loop_block *out, const loop_block *in, loop_var *var,
                          loop_expr *base, uint16_t lanes, loop_expr *mask,
                          loop_var *const *known, loop_expr *const *values, size_t count) {
  vectoriser z = {
      .fn = fn, .m = fn->module, .var = var, .lanes = lanes, .base = base, .mask = mask};
  if (lanes == 1) {
    loop_block *to = mask ? pir_loop_if(fn, out, mask, NULL) : out;
    pir_loop_bind(fn, to, var, base);
    for (size_t i = 0; i < count; i++)
      pir_loop_bind(fn, to, known[i], values[i]);
    append_block(to, in);
    return PIR_OK;
  }
  vectorise_open(&z);
  for (size_t i = 0; i < count; i++)
    z.values[known[i]->id] = values[i];
  vectorise_find_private(&z, in);
  vectorise_find_partials(&z, in, 1);
  if (z.partial_count)
    return PIR_UNSUPPORTED;
  vectorise_block_body(&z, out, in);
  return z.failed ? PIR_UNSUPPORTED : PIR_OK;
}
