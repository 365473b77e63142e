// Binds the loops of a stage to the threads of a team. A vectorised loop of n iterations
// becomes two loops: one over n / V chunks that the threads share, each chunk V adjacent
// iterations in one access, and one over the remainder. V is the largest width for which every
// access is either adjacent in memory and aligned, or the same for the whole chunk. If the
// number of iterations is a small constant, the loop is unrolled, and the values that the stage
// keeps of a row stay in registers. That is safe because all loops of a stage distribute
// iterations to threads in the same way: each thread reads back the elements that it wrote.
// Cost: linear in the code, times the number of widths tried.
#include "loop_verify.h"
#include "vectorise.h"

typedef struct binder {
  vectoriser z;
  int width;    // iterations of a chunk, in all loops of the stage
  bool keeps;   // the stage has rows in scratch
  bool failed;  // there is one that no thread can keep
} binder;

// ---- the body at another place

typedef struct move {
  loop_module *m;
  const loop_var *var;
  loop_expr *by;     // takes the place of var
  loop_expr *local;  // index of the chunk's values that the thread keeps
} move;

static loop_expr *move_expr(const move *t, loop_expr *e) {
  if (!e || !pir_loop_mentions(e, t->var))
    return e;
  if (e->kind == LOOP_VAR)
    return t->by;
  if (e->kind == LOOP_LOAD && e->buffer->space == LOOP_LOCAL)
    return pir_loop_load(t->m, e->buffer, t->local, 1, NULL);
  loop_expr *a = move_expr(t, e->a), *b = move_expr(t, e->b), *c = move_expr(t, e->c),
            *mask = move_expr(t, e->mask);
  return pir_loop_rebuild(t->m, e, a, b, c, mask);
}

static void move_block(const move *t, loop_block *out, const loop_block *in) {
  *out = (loop_block){0};
  for (const loop_stmt *s = in->first; s; s = s->next) {
    loop_stmt *copy = pir_loop_alloc(t->m, sizeof *copy);
    *copy = *s;
    copy->next = NULL;
    loop_operands operands = pir_loop_operands(copy);
    loop_blocks inside = pir_loop_blocks(copy);
    for (int i = 0; i < operands.count; i++)
      *operands.at[i] = move_expr(t, *operands.at[i]);
    if (s->kind == LOOP_STORE && s->store.buffer->space == LOOP_LOCAL)
      copy->store.index = t->local;
    for (int i = 0; i < inside.count; i++) {
      loop_block here = *inside.at[i];
      move_block(t, inside.at[i], &here);
    }
    if (out->last)
      out->last->next = copy;
    else
      out->first = copy;
    out->last = copy;
  }
}

// ---- how wide

typedef struct probe {
  loop_module *m;
  const loop_stmt *loop;
  loop_var *chunk, *lane;
  loop_expr *at;  // begin + chunk * width + lane
  int width;
  bool fits, adjacent;
} probe;

static bool is_bound_in(const loop_block *block, const loop_expr *e) {
  for (const loop_stmt *s = block->first; s; s = s->next) {
    loop_blocks inside = pir_loop_blocks(s);
    if (s->kind == LOOP_LET && pir_loop_mentions(e, s->let.var))
      return true;
    for (int i = 0; i < inside.count; i++)
      if (is_bound_in(inside.at[i], e))
        return true;
  }
  return false;
}

static void probe_access(probe *p, const loop_buffer *buffer, loop_expr *index) {
  int64_t stride;
  if (buffer->space != LOOP_ARG || !p->fits)
    return;
  if (is_bound_in(&p->loop->loop.body, index)) {
    p->fits = false;
    return;
  }
  if (!pir_loop_mentions(index, p->loop->loop.var))
    return;
  loop_expr *e = pir_loop_substitute(p->m, index, p->loop->loop.var, p->at);
  if (!pir_loop_stride(e, p->lane, &stride) || stride < 0 || stride > 1)
    p->fits = false;
  if (!p->fits || !stride)
    return;
  p->adjacent = true;
  loop_expr *first = pir_loop_substitute(p->m, e, p->lane, pir_loop_int(p->m, 0));
  p->fits = pir_loop_multiple(first) % p->width == 0;
}

static void probe_expr(probe *p, const loop_expr *e) {
  if (!e || !p->fits)
    return;
  if (e->kind == LOOP_LOAD || e->kind == LOOP_GATHER)
    probe_access(p, e->buffer, e->a);
  probe_expr(p, e->a);
  probe_expr(p, e->b);
  probe_expr(p, e->c);
  probe_expr(p, e->mask);
}

static void probe_block(probe *p, const loop_block *block) {
  for (const loop_stmt *s = block->first; s && p->fits; s = s->next) {
    loop_operands operands = pir_loop_operands(s);
    if (s->kind == LOOP_STORE)
      probe_access(p, s->store.buffer, s->store.index);
    if (s->kind == LOOP_SCATTER || s->kind == LOOP_IF)
      p->fits = false;
    for (int i = 0; i < operands.count; i++)
      probe_expr(p, *operands.at[i]);
    if (s->kind == LOOP_FOR)
      probe_block(p, &s->loop.body);
  }
}

static bool width_fits(binder *b, const loop_stmt *loop, int width) {
  loop_module *m = b->z.m;
  probe p = {.m = m, .loop = loop, .width = width, .fits = true};
  int64_t n;
  bool known = pir_loop_is_int(pir_loop_sub(m, loop->loop.end, loop->loop.begin), &n);
  if ((known && n < width) || (b->keeps && (!known || n % width)) ||
      pir_loop_multiple(loop->loop.begin) % width)
    return false;
  p.chunk = pir_loop_var_create(b->z.fn, "c", LOOP_INDEX, 1);
  p.lane = pir_loop_var_create(b->z.fn, "j", LOOP_INDEX, 1);
  if (known)
    p.chunk->extent = pir_loop_int(m, n / width);
  p.lane->extent = pir_loop_int(m, width);
  p.at = pir_loop_add(m, pir_loop_mul(m, pir_loop_use(m, p.chunk), pir_loop_int(m, width)),
                      pir_loop_use(m, p.lane));
  p.at = pir_loop_add(m, loop->loop.begin, p.at);
  probe_block(&p, &loop->loop.body);
  return p.fits && p.adjacent;
}

static void find_width(binder *b, const loop_block *block) {
  for (const loop_stmt *s = block->first; s; s = s->next) {
    if (s->kind == LOOP_FOR && s->loop.kind == LOOP_VECTORISED) {
      size_t widest = 1;
      vectorise_widest_of(&s->loop.body, &widest);
      int most = b->z.target->vector_bytes / (int)widest;
      if (most < b->width)
        b->width = most > 1 ? most : 1;
      while (b->width > 1 && !width_fits(b, s, b->width))
        b->width /= 2;
      continue;
    }
    loop_blocks inside = pir_loop_blocks(s);
    for (int i = 0; i < inside.count; i++)
      find_width(b, inside.at[i]);
  }
}

// ---- loops

// Emits the body for the chunk that begins at `first`.
static void put_chunk(binder *b, loop_block *out, const loop_stmt *s, loop_expr *first,
                      int width, loop_expr *local) {
  vectoriser *z = &b->z;
  loop_var *lane = pir_loop_var_create(z->fn, "j", LOOP_INDEX, 1);
  loop_expr *j = pir_loop_use(z->m, lane);
  loop_block body;
  lane->extent = pir_loop_int(z->m, width);
  if (width == 1)
    j = pir_loop_int(z->m, 0);
  move to = {z->m, s->loop.var, pir_loop_add(z->m, first, j),
             local ? pir_loop_add(z->m, local, j) : NULL};
  move_block(&to, &body, &s->loop.body);
  z->lanes = (uint16_t)width;
  z->var = lane;
  z->base = pir_loop_int(z->m, 0);
  vectorise_block_body(z, out, &body);
}

static loop_expr *open_threads(binder *b, loop_block **block, loop_expr *begin,
                               loop_expr *end) {
  loop_var *v = pir_loop_var_create(b->z.fn, "t", LOOP_INDEX, 1);
  *block = pir_loop_for(b->z.fn, *block, LOOP_THREADS, v, begin, end, NULL);
  return pir_loop_use(b->z.m, v);
}

// Emits the loop for a constant number of chunks: one copy of the body for each chunk that a
// thread takes.
static void put_unrolled(binder *b, loop_block *out, const loop_stmt *s, int64_t chunks) {
  loop_module *m = b->z.m;
  int64_t threads = b->z.fn->threads, copies = (chunks + threads - 1) / threads;
  loop_var *copy = pir_loop_var_create(b->z.fn, "k", LOOP_INDEX, 1);
  loop_block *block = pir_loop_for(b->z.fn, out, LOOP_UNROLLED, copy, pir_loop_int(m, 0),
                                   pir_loop_int(m, copies), NULL);
  loop_expr *k = pir_loop_use(m, copy), *zero = pir_loop_int(m, 0),
            *width = pir_loop_int(m, b->width);
  if (copies == 1)
    k = zero;
  loop_expr *t = open_threads(b, &block, zero, pir_loop_int(m, threads));
  loop_expr *chunk = pir_loop_add(m, pir_loop_mul(m, k, pir_loop_int(m, threads)), t);
  if (chunks % threads)
    block = pir_loop_if(b->z.fn, block, pir_loop_lt(m, chunk, pir_loop_int(m, chunks)), NULL);
  // The form of the chunk's number hides its bound, which removes guards; so the number gets a
  // variable with an extent.
  loop_var *bounded = pir_loop_var_create(b->z.fn, "c", LOOP_INDEX, 1);
  bounded->extent = pir_loop_int(m, chunks);
  pir_loop_bind(b->z.fn, block, bounded, chunk);
  loop_expr *first =
      pir_loop_add(m, s->loop.begin, pir_loop_mul(m, pir_loop_use(m, bounded), width));
  put_chunk(b, block, s, first, b->width, pir_loop_mul(m, k, width));
}

// Emits iterations [begin, end) of the loop, in whole chunks.
static void put_shared(binder *b, loop_block *out, const loop_stmt *s, loop_expr *begin,
                       loop_expr *chunks, int width) {
  loop_module *m = b->z.m;
  loop_expr *chunk = open_threads(b, &out, pir_loop_int(m, 0), chunks);
  put_chunk(b, out, s, pir_loop_add(m, begin, pir_loop_mul(m, chunk, pir_loop_int(m, width))),
            width, NULL);
}

static void open_part(binder *b, loop_block *out, const loop_stmt *s, int width) {
  vectoriser *z = &b->z;
  z->lanes = (uint16_t)width;
  vectorise_open(z);
  vectorise_find_private(z, &s->loop.body);
  vectorise_find_partials(z, &s->loop.body, 1);
  vectorise_start_partials(z, out, 1);
}

static void close_part(binder *b, loop_block *out, int width) {
  b->z.lanes = (uint16_t)width;
  vectorise_join_partials(&b->z, out, 1);
}

static void bind_loop(binder *b, loop_block *out, const loop_stmt *s) {
  loop_module *m = b->z.m;
  int64_t n;
  loop_expr *count = pir_loop_sub(m, s->loop.end, s->loop.begin),
            *width = pir_loop_int(m, b->width);
  bool known = pir_loop_is_int(count, &n);
  bool unrolled =
      known && n % b->width == 0 && s->loop.unroll != 1 &&
      n / b->width <= b->z.target->machine->device.unrolled_chunks * b->z.fn->threads;
  if (b->keeps && !unrolled)
    b->failed = true;
  loop_expr *chunks = pir_loop_floordiv(m, count, width),
            *whole = pir_loop_mul(m, chunks, width);
  open_part(b, out, s, b->width);
  if (unrolled)
    put_unrolled(b, out, s, n / b->width);
  else
    put_shared(b, out, s, s->loop.begin, chunks, b->width);
  close_part(b, out, b->width);
  if (b->width == 1 || (known && n % b->width == 0))
    return;
  open_part(b, out, s, 1);
  put_shared(b, out, s, pir_loop_add(m, s->loop.begin, whole), pir_loop_sub(m, count, whole),
             1);
  close_part(b, out, 1);
}

static void bind_block(binder *b, loop_block *block) {
  loop_block out = {0};
  for (loop_stmt *s = block->first, *next; s && !b->z.failed; s = next) {
    next = s->next;
    if (s->kind == LOOP_FOR && s->loop.kind == LOOP_VECTORISED) {
      bind_loop(b, &out, s);
      continue;
    }
    loop_blocks inside = pir_loop_blocks(s);
    for (int i = 0; i < inside.count; i++)
      bind_block(b, inside.at[i]);
    s->next = NULL;
    if (out.last)
      out.last->next = s;
    else
      out.first = s;
    out.last = s;
  }
  *block = out;
}

// Counts the elements that a thread keeps of each row.
static void localise(binder *b) {
  loop_fn *fn = b->z.fn;
  for (unsigned i = 0; i < fn->buffer_count; i++) {
    loop_buffer *row = fn->buffers[i];
    if (row->space != LOOP_SCRATCH)
      continue;
    int64_t chunk = (int64_t)fn->threads * b->width;
    row->space = LOOP_LOCAL;
    row->count = (row->count + chunk - 1) / chunk * b->width;
  }
  fn->scratch_bytes = 0;
}

pir_status pir_loop_bind_threads(loop_fn *fn, const pir_target *target) {
  binder b = {.z = {.fn = fn, .m = fn->module, .target = target, .team = true},
              .width = target->vector_bytes};
  if (fn->threads < 1)
    fn->threads = target->machine->device.threads;
  b.keeps = fn->scratch_bytes > 0;
  find_width(&b, &fn->body);
  localise(&b);
  bind_block(&b, &fn->body);
  if (b.z.failed || b.failed)
    return PIR_UNSUPPORTED;
  pir_loop_verify_after(fn, "bind");
  return PIR_OK;
}
