// Each primitive finds the loop's place, checks (access.c), and rewrites statements;
// expressions are never changed in place. Splitting, fusing and unrolling keep the order of
// iterations and are always right. Reordering needs one of the two loops to carry nothing,
// parallel and vectorised loops the loop itself, caching that what is copied is one run of
// elements, compute-at that iterations match. Cost: linear in the statements, and the checks.
#include "schedule.h"

#include "access.h"
#include "loop_impl.h"

#include <stdlib.h>

enum { MAX_DEPTH = 8, MAX_CACHED = 1 << 16, MAX_UNROLLED = 256 };

// ---- places and shapes of loops

// The block the statement stands in, below `block`; NULL when it is elsewhere. What stands
// before it in *out_before.
static loop_block *block_of(loop_block *block, const loop_stmt *stmt, loop_stmt **out_before) {
  *out_before = NULL;
  for (loop_stmt *s = block->first; s; *out_before = s, s = s->next)
    if (s == stmt)
      return block;
  for (loop_stmt *s = block->first; s; s = s->next) {
    loop_block *found = block_of(&s->body, stmt, out_before);
    if (!found)
      found = block_of(&s->other, stmt, out_before);
    if (found)
      return found;
  }
  return NULL;
}

static void link_behind(loop_block *block, loop_stmt *before, loop_block inserted) {
  if (!inserted.first)
    return;
  inserted.last->next = before ? before->next : block->first;
  if (before)
    before->next = inserted.first;
  else
    block->first = inserted.first;
  if (!inserted.last->next)
    block->last = inserted.last;
}

static void unlink(loop_block *block, loop_stmt *before, loop_stmt *stmt) {
  if (before)
    before->next = stmt->next;
  else
    block->first = stmt->next;
  if (block->last == stmt)
    block->last = before;
  stmt->next = NULL;
}

static bool steps_by_one(const loop_stmt *s) {
  int64_t step;
  return pir_loop_is_int(s->step, &step) && step == 1;
}

static bool is_serial(const loop_stmt *s) {
  return s->kind == LOOP_FOR && s->for_kind == LOOP_SERIAL;
}

static const char *plain_loop(const loop_stmt *s) {
  if (!is_serial(s))
    return "it is no loop that is run in order";
  return steps_by_one(s) ? NULL : "its step is not 1";
}

static loop_stmt *only_statement(const loop_block *block) {
  return block->first == block->last ? block->first : NULL;
}

static bool known_trips(loop_module *m, const loop_stmt *s, int64_t *out_trips) {
  return pir_loop_is_int(pir_loop_sub(m, s->end, s->begin), out_trips) && *out_trips > 0;
}

// ---- the order of iterations is kept

const char *pir_schedule_split(loop_fn *fn, loop_stmt *loop, int64_t factor, loop_expr *parts,
                               loop_stmt **out_outer) {
  loop_module *m = fn->module;
  loop_stmt *before;
  loop_block *block = block_of(&fn->body, loop, &before), made = {0};
  const char *why = plain_loop(loop);
  int64_t n;
  if (why)
    return why;
  if (!block || factor < 1)
    return "it is no loop of the function, or the factor is below 1";
  loop_expr *count = pir_loop_sub(m, loop->end, loop->begin), *by = pir_loop_int(m, factor);
  if (!parts)
    parts = pir_loop_floordiv(m, pir_loop_add(m, count, pir_loop_int(m, factor - 1)), by);
  loop_var *o = pir_loop_var_create(fn, "b", LOOP_INDEX, 1);
  loop_block *body = pir_loop_for(fn, &made, LOOP_SERIAL, o, pir_loop_int(m, 0), parts, NULL);
  bool known = pir_loop_is_int(count, &n);
  loop_expr *begin = loop->begin, *end = loop->end;
  if (!known || n > factor) {  // else the one part is the loop
    begin = pir_loop_add(m, begin, pir_loop_mul(m, pir_loop_use(m, o), by));
    begin = pir_loop_let(fn, body, "begin", begin);
    end = pir_loop_add(m, begin, by);
    if (!known || n % factor)
      end = pir_loop_let(fn, body, "end", pir_loop_min(m, end, loop->end));
  }
  made.first->apart = loop->apart;
  unlink(block, before, loop);
  loop->begin = begin;
  loop->end = end;
  link_behind(body, body->last, (loop_block){loop, loop});
  link_behind(block, before, made);
  *out_outer = made.first;
  return NULL;
}

const char *pir_schedule_fuse(loop_fn *fn, loop_stmt *outer, int depth) {
  loop_module *m = fn->module;
  loop_stmt *loops[MAX_DEPTH] = {outer};
  int64_t zero;
  if (depth < 1 || depth > MAX_DEPTH)
    return "so many loops cannot be fused";
  for (int i = 0; i < depth; i++) {
    if (i)
      loops[i] = only_statement(&loops[i - 1]->body);
    if (!loops[i])
      return "a loop is not the only statement of the one around it";
    const char *why = plain_loop(loops[i]);
    if (why)
      return why;
    if (!pir_loop_is_int(loops[i]->begin, &zero) || zero)
      return "a loop does not begin at 0";
    for (int k = 0; k < i; k++)
      if (pir_loop_mentions(loops[i]->end, loops[k]->var))
        return "the extent of a loop depends on another one";
  }
  if (depth == 1)
    return NULL;
  loop_block body = {0}, inner = loops[depth - 1]->body;
  loop_var *fused = pir_loop_var_create(fn, "u", LOOP_INDEX, 1);
  loop_expr *rest = pir_loop_use(m, fused), *total = pir_loop_int(m, 1);
  for (int i = depth - 1; i >= 0; i--) {
    loop_expr *n = loops[i]->end;
    pir_loop_bind(fn, &body, loops[i]->var, i ? pir_loop_mod(m, rest, n) : rest);
    if (i)
      rest = pir_loop_floordiv(m, rest, n);
    total = pir_loop_mul(m, n, total);
    outer->apart &= loops[i]->apart;
  }
  link_behind(&body, body.last, inner);
  outer->var = fused;
  outer->end = total;
  outer->body = body;
  return NULL;
}

const char *pir_schedule_unroll(loop_fn *fn, loop_stmt *loop) {
  int64_t n, begin;
  if (!is_serial(loop))
    return "it is no loop that is run in order";
  if (!pir_loop_is_int(loop->begin, &begin) || !known_trips(fn->module, loop, &n) ||
      n > MAX_UNROLLED)
    return "its iterations are not known, or too many";
  loop->for_kind = LOOP_UNROLLED;
  return NULL;
}

// ---- the order changes

const char *pir_schedule_reorder(loop_fn *fn, loop_stmt *outer) {
  loop_stmt *inner = is_serial(outer) ? only_statement(&outer->body) : NULL;
  if (!inner || !is_serial(inner))
    return "the loop does not consist of another one";
  if (pir_loop_mentions(inner->begin, outer->var) || pir_loop_mentions(inner->end, outer->var))
    return "the bounds of the inner loop depend on the outer one";
  const char *why = loop_access_carried(fn, outer, false);
  if (why && loop_access_carried(fn, inner, false))
    return why;
  loop_stmt swapped = *outer;
  outer->var = inner->var;
  outer->begin = inner->begin;
  outer->end = inner->end;
  outer->step = inner->step;
  outer->apart = inner->apart;
  outer->unroll = inner->unroll;
  inner->var = swapped.var;
  inner->begin = swapped.begin;
  inner->end = swapped.end;
  inner->step = swapped.step;
  inner->apart = swapped.apart;
  inner->unroll = swapped.unroll;
  return NULL;
}

static const char *unit_loop(const loop_fn *fn, const loop_stmt *loop) {
  int64_t zero;
  const char *why = plain_loop(loop);
  if (!why && (!pir_loop_is_int(loop->begin, &zero) || zero))
    why = "it does not begin at 0";
  return why ? why : loop_access_carried(fn, loop, true);
}

// The loop at the end of another one, behind nothing but variables.
static loop_stmt *loop_at_end(const loop_stmt *loop) {
  loop_stmt *s = loop->body.first;
  while (s && s->kind == LOOP_LET)
    s = s->next;
  return s == loop->body.last ? s : NULL;
}

// Units [begin, end) of two loops: the rows that they lie in, and of the first and the last row
// a part.
static const char *share_rows(loop_fn *fn, loop_stmt *loop) {
  loop_module *m = fn->module;
  loop_stmt *inner = loop_at_end(loop);
  if (!inner)
    return "the loop does not consist of another one";
  const char *why = unit_loop(fn, inner);
  if (!why && pir_loop_mentions(inner->end, loop->var))
    why = "the extent of a loop depends on another one";
  if (why)
    return why;
  loop_expr *begin = pir_loop_use(m, fn->begin), *end = pir_loop_use(m, fn->end),
            *extent = inner->end;
  loop_expr *one = pir_loop_int(m, 1),
            *last = pir_loop_floordiv(m, pir_loop_sub(m, end, one), extent);
  loop_block made = {0};
  loop_expr *first =
      pir_loop_let(fn, &made, "first", pir_loop_mul(m, pir_loop_use(m, loop->var), extent));
  loop->begin = pir_loop_floordiv(m, begin, extent);
  loop->end = pir_loop_add(m, last, one);
  link_behind(&loop->body, NULL, made);
  inner->begin = pir_loop_max(m, pir_loop_sub(m, begin, first), pir_loop_int(m, 0));
  inner->end = pir_loop_min(m, pir_loop_sub(m, end, first), extent);
  return NULL;
}

const char *pir_schedule_parallel(loop_fn *fn, loop_stmt *loop, int depth) {
  if (only_statement(&fn->body) != loop)
    return "it is not all that the function does";
  const char *why = unit_loop(fn, loop);
  if (!why && depth > 1)
    why = share_rows(fn, loop);
  if (why)
    return why;
  if (depth == 1) {
    loop->begin = pir_loop_use(fn->module, fn->begin);
    loop->end = pir_loop_use(fn->module, fn->end);
  }
  loop->for_kind = LOOP_PARALLEL;
  return NULL;
}

const char *pir_schedule_vectorise(loop_fn *fn, loop_stmt *loop) {
  const char *why = plain_loop(loop);
  if (!why)
    why = loop_access_carried(fn, loop, false);
  if (!why)
    loop->for_kind = LOOP_VECTORISED;
  return why;
}

// ---- copies in scratch

typedef struct caching {
  loop_fn *fn;
  loop_buffer *buffer, *copy;
  loop_expr *first;  // index of the first element of the copy
  int64_t count;
} caching;

static loop_expr *redirect_expr(const caching *c, loop_expr *e) {
  loop_module *m = c->fn->module;
  if (!e)
    return NULL;
  loop_expr *x = redirect_expr(c, e->a), *y = redirect_expr(c, e->b),
            *z = redirect_expr(c, e->c);
  loop_expr *mask = redirect_expr(c, e->mask);
  if (e->kind == LOOP_LOAD && e->buffer == c->buffer)
    return pir_loop_load(m, c->copy, pir_loop_sub(m, x, c->first), e->lanes, mask);
  bool same = x == e->a && y == e->b && z == e->c && mask == e->mask;
  return same ? e : pir_loop_rebuild(m, e, x, y, z, mask);
}

static void redirect(const caching *c, loop_block *block) {
  for (loop_stmt *s = block->first; s; s = s->next) {
    s->index = redirect_expr(c, s->index);
    s->value = redirect_expr(c, s->value);
    s->mask = redirect_expr(c, s->mask);
    s->begin = redirect_expr(c, s->begin);
    s->end = redirect_expr(c, s->end);
    if (s->buffer == c->buffer) {
      s->index = pir_loop_sub(c->fn->module, s->index, c->first);
      s->buffer = c->copy;
    }
    redirect(c, &s->body);
    redirect(c, &s->other);
  }
}

// Where the loop's accesses to the buffer lie: elements first to first + count - 1, each access
// within them.
static const char *find_run(caching *c, loop_accesses *a, bool writes) {
  loop_module *m = c->fn->module;
  loop_expr *base = NULL, *outer;
  int64_t low = 0, high = 0, l, h, d;
  for (size_t i = 0; i < a->inner_count; i++)
    if (!a->inner[i].exact || a->inner[i].trips < 1)
      return "how often a loop runs is not known";
  for (size_t i = 0; i < a->count; i++) {
    const loop_access *x = &a->items[i];
    if (x->buffer != c->buffer)
      continue;
    if (x->masked)
      return "not every iteration accesses it";
    if (x->writes && !writes)
      return "the loop writes it";
    if (!loop_access_span(a, x->index, &outer, &l, &h))
      return "how far its index goes is not known";
    if (!base) {
      base = outer;
      low = l;
      high = h;
    }
    if (!pir_loop_is_int(pir_loop_sub(m, outer, base), &d))
      return "it is accessed at places whose distance is not known";
    if (l + d < low)
      low = l + d;
    if (h + d > high)
      high = h + d;
  }
  if (!base)
    return "the loop does not access it";
  if (high - low >= MAX_CACHED)
    return "the part that it accesses is too large";
  c->first = pir_loop_add(m, base, pir_loop_int(m, low));
  c->count = high - low + 1;
  return NULL;
}

// What the loop and those in it bind is not known before it.
static bool known_before(const loop_accesses *a, const loop_expr *e) {
  for (size_t i = 0; i < a->name_count; i++)
    if (pir_loop_mentions(e, a->names[i].var))
      return false;
  return true;
}

static const char *open_cache(caching *c, const loop_stmt *loop, loop_accesses *a,
                              bool writes) {
  loop_block alone = {(loop_stmt *)loop, (loop_stmt *)loop};
  loop_stmt *next = loop->next;
  ((loop_stmt *)loop)->next = NULL;
  loop_access_collect(c->fn->module, &alone, a);
  ((loop_stmt *)loop)->next = next;
  if (a->why)
    return a->why;
  const char *why =
      c->buffer->space == LOOP_REGISTER ? "registers are in no memory" : find_run(c, a, writes);
  if (!why && !known_before(a, c->first))
    why = "where its part begins is not known before the loop";
  if (!why)
    c->copy = pir_loop_scratch(c->fn, "copy", c->buffer->dtype, c->count);
  return why;
}

static loop_block copy_loop(const caching *c, bool out) {
  loop_module *m = c->fn->module;
  loop_block made = {0};
  loop_var *v = pir_loop_var_create(c->fn, "c", LOOP_INDEX, 1);
  loop_expr *zero = pir_loop_int(m, 0), *here = pir_loop_use(m, v),
            *there = pir_loop_add(m, c->first, here);
  loop_block *body =
      pir_loop_for(c->fn, &made, LOOP_SERIAL, v, zero, pir_loop_int(m, c->count), NULL);
  if (out)
    pir_loop_store(c->fn, body, c->buffer, there, pir_loop_load(m, c->copy, here, 1, NULL),
                   NULL);
  else
    pir_loop_store(c->fn, body, c->copy, here, pir_loop_load(m, c->buffer, there, 1, NULL),
                   NULL);
  return made;
}

const char *pir_schedule_cache_read(loop_fn *fn, loop_stmt *loop, loop_buffer *buffer,
                                    loop_buffer **out_copy) {
  loop_accesses *a = pir_loop_alloc(fn->module, sizeof *a);
  caching c = {.fn = fn, .buffer = buffer};
  loop_stmt *before;
  loop_block *block = block_of(&fn->body, loop, &before);
  if (!block || loop->kind != LOOP_FOR)
    return "it is no loop of the function";
  const char *why = open_cache(&c, loop, a, false);
  if (why)
    return why;
  redirect(&c, &loop->body);
  link_behind(block, before, copy_loop(&c, false));
  *out_copy = c.copy;
  return NULL;
}

static int by_size(const void *x, const void *y) {
  int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
  return (a > b) - (a < b);
}

// Whether the access goes over all elements of the run: its factors are those of a row-major
// array.
static bool fills(const caching *c, const loop_accesses *a, const loop_expr *index) {
  int64_t factors[MAX_INNER], trips[MAX_INNER], expected = 1;
  size_t count = 0;
  for (size_t i = 0; i < a->inner_count; i++)
    if (pir_loop_stride(index, a->inner[i].var, &factors[count]) && factors[count]) {
      if (factors[count] < 0)
        factors[count] = -factors[count];
      count++;
    }
  qsort(factors, count, sizeof *factors, by_size);
  for (size_t i = 0; i < count; i++) {
    if (factors[i] != expected)
      return false;
    for (size_t k = 0; k < a->inner_count; k++) {
      int64_t f;
      if (pir_loop_stride(index, a->inner[k].var, &f) && (f == factors[i] || -f == factors[i]))
        trips[i] = a->inner[k].trips;
    }
    expected *= trips[i];
  }
  return expected == c->count;
}

const char *pir_schedule_cache_write(loop_fn *fn, loop_stmt *loop, loop_buffer *buffer,
                                     loop_buffer **out_copy) {
  loop_accesses *a = pir_loop_alloc(fn->module, sizeof *a);
  caching c = {.fn = fn, .buffer = buffer};
  loop_stmt *before;
  loop_block *block = block_of(&fn->body, loop, &before);
  bool writes = false, reads = false;
  if (!block || loop->kind != LOOP_FOR)
    return "it is no loop of the function";
  const char *why = open_cache(&c, loop, a, true);
  for (size_t i = 0; i < a->count && !why; i++) {
    if (a->items[i].buffer != buffer)
      continue;
    reads |= !a->items[i].writes;
    writes |= a->items[i].writes && fills(&c, a, a->items[i].index);
  }
  if (!why && !writes)
    why = "it does not write all elements of a run";
  if (why)
    return why;
  redirect(&c, &loop->body);
  link_behind(block, loop, copy_loop(&c, true));
  if (reads)
    link_behind(block, before, copy_loop(&c, false));
  *out_copy = c.copy;
  return NULL;
}

// ---- producers and partial results

static void substitute(loop_module *m, loop_block *block, const loop_var *var, loop_expr *by) {
  for (loop_stmt *s = block->first; s; s = s->next) {
    loop_expr **fields[] = {&s->begin, &s->end,  &s->step, &s->index,
                            &s->value, &s->mask, &s->right};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
      if (*fields[i])
        *fields[i] = pir_loop_substitute(m, *fields[i], var, by);
    if (s->var && s->var->extent)
      s->var->extent = pir_loop_substitute(m, s->var->extent, var, by);
    substitute(m, &s->body, var, by);
    substitute(m, &s->other, var, by);
  }
}

const char *pir_schedule_compute_at(loop_fn *fn, loop_stmt *producer, loop_stmt *loop) {
  loop_module *m = fn->module;
  loop_stmt *before;
  loop_block *block = block_of(&fn->body, producer, &before);
  int64_t difference;
  if (!block || producer->next != loop)
    return "the loop does not follow it at once";
  if (!is_serial(producer) || !is_serial(loop))
    return "it is no loop that is run in order";
  if (!pir_loop_is_int(pir_loop_sub(m, producer->begin, loop->begin), &difference) ||
      difference || !pir_loop_is_int(pir_loop_sub(m, producer->end, loop->end), &difference) ||
      difference || !steps_by_one(producer) || !steps_by_one(loop))
    return "the loops have different iterations";
  const char *why = loop_access_between(fn, producer, loop);
  if (why)
    return why;
  unlink(block, before, producer);
  substitute(m, &producer->body, producer->var, pir_loop_use(m, loop->var));
  link_behind(&loop->body, NULL, producer->body);
  return NULL;
}

// The statements once more, accumulations in `part` at 'index * parts + j` instead of `buffer`.
static void copy_block(loop_fn *fn, loop_block *out, const loop_block *in,
                       const loop_buffer *buffer, loop_buffer *part, int parts, loop_expr *j) {
  loop_module *m = fn->module;
  for (const loop_stmt *s = in->first; s; s = s->next) {
    loop_stmt *copy = pir_loop_alloc(m, sizeof *copy);
    *copy = *s;
    copy->next = NULL;
    copy->body = copy->other = (loop_block){0};
    if (s->kind == LOOP_ACCUMULATE && s->buffer == buffer) {
      copy->buffer = part;
      copy->index = pir_loop_add(m, pir_loop_mul(m, s->index, pir_loop_int(m, parts)), j);
    }
    copy_block(fn, &copy->body, &s->body, buffer, part, parts, j);
    copy_block(fn, &copy->other, &s->other, buffer, part, parts, j);
    link_behind(out, out->last, (loop_block){copy, copy});
  }
}

static const char *find_sum(const loop_accesses *a, const loop_buffer *buffer,
                            pir_combine *out_combine) {
  for (size_t i = 0; i < a->register_count; i++) {
    if (a->registers[i].buffer != buffer)
      continue;
    if (a->registers[i].first != REGISTER_ACCUMULATED || a->registers[i].mixed)
      break;
    *out_combine = (pir_combine)a->registers[i].combine;
    return NULL;
  }
  return a->why ? a->why : "the loop does not accumulate in it alone";
}

const char *pir_schedule_rfactor(loop_fn *fn, loop_stmt *loop, loop_buffer *buffer, int parts) {
  loop_module *m = fn->module;
  loop_accesses *a = pir_loop_alloc(m, sizeof *a);
  loop_stmt *before;
  loop_block *block = block_of(&fn->body, loop, &before), front = {0}, back = {0}, *body;
  pir_combine combine;
  const char *why = plain_loop(loop);
  if (why)
    return why;
  if (!block || parts < 2 || parts > MAX_UNROLLED)
    return "it is no loop of the function, or the parts are too few or many";
  loop_access_collect(m, &loop->body, a);
  if ((why = find_sum(a, buffer, &combine)))
    return why;
  loop_buffer *part =
      pir_loop_registers(fn, buffer->name, buffer->dtype, buffer->lanes, buffer->count * parts);
  loop_expr *zero = pir_loop_int(m, 0), *by = pir_loop_int(m, parts);
  loop_var *r = pir_loop_var_create(fn, "r", LOOP_INDEX, 1),
           *v = pir_loop_var_create(fn, loop->var->name, LOOP_INDEX, 1),
           *j = pir_loop_var_create(fn, "j", LOOP_INDEX, 1),
           *s = pir_loop_var_create(fn, "r", LOOP_INDEX, 1);
  body = pir_loop_for(fn, &front, LOOP_UNROLLED, r, zero, pir_loop_int(m, part->count), NULL);
  loop_expr *neutral =
      pir_loop_broadcast(m, pir_loop_neutral(m, combine, buffer->dtype), buffer->lanes);
  pir_loop_store(fn, body, part, pir_loop_use(m, r), neutral, NULL);
  // Whole steps of `parts` iterations; the loop itself does the rest.
  loop_expr *count = pir_loop_sub(m, loop->end, loop->begin);
  loop_expr *whole =
      pir_loop_add(m, loop->begin, pir_loop_mul(m, pir_loop_floordiv(m, count, by), by));
  body = pir_loop_for(fn, &front, LOOP_SERIAL, v, loop->begin, whole, by);
  body = pir_loop_for(fn, body, LOOP_UNROLLED, j, zero, by, NULL);
  pir_loop_bind(fn, body, loop->var, pir_loop_add(m, pir_loop_use(m, v), pir_loop_use(m, j)));
  copy_block(fn, body, &loop->body, buffer, part, parts, pir_loop_use(m, j));
  loop->begin = whole;
  body = pir_loop_for(fn, &back, LOOP_UNROLLED, s, zero, pir_loop_int(m, part->count), NULL);
  loop_expr *here = pir_loop_use(m, s);
  pir_loop_accumulate(fn, body, buffer, pir_loop_floordiv(m, here, by), combine,
                      pir_loop_load(m, part, here, part->lanes, NULL));
  link_behind(block, before, front);
  link_behind(block, loop, back);
  return NULL;
}
