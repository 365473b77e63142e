// Schedule primitives. Each one finds the loop's place, checks that the rewrite is legal
// (access.c), and rewrites statements. Expressions are never changed in place. Splitting and
// fusing keep the order of iterations and are always legal. A parallel or vectorised loop must
// carry no dependence. Cost: linear in the statements, plus the checks.
#include "schedule.h"

#include "access.h"
#include "loop_verify.h"

enum { MAX_DEPTH = 8 };

// ---- places and shapes of loops

// Returns the block below `block` that contains the statement, or NULL; *out_before is the
// statement before it.
static loop_block *block_of(loop_block *block, const loop_stmt *stmt, loop_stmt **out_before) {
  *out_before = NULL;
  for (loop_stmt *s = block->first; s; *out_before = s, s = s->next)
    if (s == stmt)
      return block;
  for (loop_stmt *s = block->first; s; s = s->next) {
    loop_blocks inside = pir_loop_blocks(s);
    for (int i = 0; i < inside.count; i++) {
      loop_block *found = block_of(inside.at[i], stmt, out_before);
      if (found)
        return found;
    }
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
  return pir_loop_is_int(s->loop.step, &step) && step == 1;
}

static bool is_serial(const loop_stmt *s) {
  return s->kind == LOOP_FOR && s->loop.kind == LOOP_SERIAL;
}

static const char *plain_loop(const loop_stmt *s) {
  if (!is_serial(s))
    return "it is no loop that is run in order";
  return steps_by_one(s) ? NULL : "its step is not 1";
}

static loop_stmt *only_statement(const loop_block *block) {
  return block->first == block->last ? block->first : NULL;
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
  loop_expr *count = pir_loop_sub(m, loop->loop.end, loop->loop.begin),
            *by = pir_loop_int(m, factor);
  if (!parts)
    parts = pir_loop_floordiv(m, pir_loop_add(m, count, pir_loop_int(m, factor - 1)), by);
  loop_var *o = pir_loop_var_create(fn, "b", LOOP_INDEX, 1);
  loop_block *body = pir_loop_for(fn, &made, LOOP_SERIAL, o, pir_loop_int(m, 0), parts, NULL);
  bool known = pir_loop_is_int(count, &n);
  loop_expr *begin = loop->loop.begin, *end = loop->loop.end;
  if (!known || n > factor) {  // otherwise one part covers the whole loop
    begin = pir_loop_add(m, begin, pir_loop_mul(m, pir_loop_use(m, o), by));
    begin = pir_loop_let(fn, body, "begin", begin);
    end = pir_loop_add(m, begin, by);
    if (!known || n % factor)
      end = pir_loop_let(fn, body, "end", pir_loop_min(m, end, loop->loop.end));
  }
  made.first->loop.apart = loop->loop.apart;
  unlink(block, before, loop);
  loop->loop.begin = begin;
  loop->loop.end = end;
  link_behind(body, body->last, (loop_block){loop, loop});
  link_behind(block, before, made);
  *out_outer = made.first;
  pir_loop_verify_after(fn, "split");
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
      loops[i] = only_statement(&loops[i - 1]->loop.body);
    if (!loops[i])
      return "a loop is not the only statement of the one around it";
    const char *why = plain_loop(loops[i]);
    if (why)
      return why;
    if (!pir_loop_is_int(loops[i]->loop.begin, &zero) || zero)
      return "a loop does not begin at 0";
    for (int k = 0; k < i; k++)
      if (pir_loop_mentions(loops[i]->loop.end, loops[k]->loop.var))
        return "the extent of a loop depends on another one";
  }
  if (depth == 1)
    return NULL;
  loop_block body = {0}, inner = loops[depth - 1]->loop.body;
  loop_var *fused = pir_loop_var_create(fn, "u", LOOP_INDEX, 1);
  // The variables are recovered from the fused one by division, innermost first, so the order
  // of iterations stays.
  loop_expr *rest = pir_loop_use(m, fused), *total = pir_loop_int(m, 1);
  for (int i = depth - 1; i >= 0; i--) {
    loop_expr *n = loops[i]->loop.end;
    pir_loop_bind(fn, &body, loops[i]->loop.var, i ? pir_loop_mod(m, rest, n) : rest);
    if (i)
      rest = pir_loop_floordiv(m, rest, n);
    total = pir_loop_mul(m, n, total);
    outer->loop.apart &= loops[i]->loop.apart;
  }
  link_behind(&body, body.last, inner);
  outer->loop.var = fused;
  outer->loop.end = total;
  outer->loop.body = body;
  pir_loop_verify_after(fn, "fuse");
  return NULL;
}

// ---- units and lanes: iterations that carry nothing

static const char *unit_loop(const loop_fn *fn, const loop_stmt *loop) {
  int64_t zero;
  const char *why = plain_loop(loop);
  if (!why && (!pir_loop_is_int(loop->loop.begin, &zero) || zero))
    why = "it does not begin at 0";
  return why ? why : loop_access_carried(fn, loop, true);
}

// Returns the loop at the end of another loop, if only variables precede it.
static loop_stmt *loop_at_end(const loop_stmt *loop) {
  loop_stmt *s = loop->loop.body.first;
  while (s && s->kind == LOOP_LET)
    s = s->next;
  return s == loop->loop.body.last ? s : NULL;
}

// Rewrites two loops for units [begin, end): full rows between them, and parts of the first and
// the last row.
static const char *share_rows(loop_fn *fn, loop_stmt *loop) {
  loop_module *m = fn->module;
  loop_stmt *inner = loop_at_end(loop);
  if (!inner)
    return "the loop does not consist of another one";
  const char *why = unit_loop(fn, inner);
  if (!why && pir_loop_mentions(inner->loop.end, loop->loop.var))
    why = "the extent of a loop depends on another one";
  if (why)
    return why;
  loop_expr *begin = pir_loop_use(m, fn->begin), *end = pir_loop_use(m, fn->end),
            *extent = inner->loop.end;
  loop_expr *one = pir_loop_int(m, 1),
            *last = pir_loop_floordiv(m, pir_loop_sub(m, end, one), extent);
  loop_block made = {0};
  loop_expr *first = pir_loop_let(fn, &made, "first",
                                  pir_loop_mul(m, pir_loop_use(m, loop->loop.var), extent));
  loop->loop.begin = pir_loop_floordiv(m, begin, extent);
  loop->loop.end = pir_loop_add(m, last, one);
  link_behind(&loop->loop.body, NULL, made);
  inner->loop.begin = pir_loop_max(m, pir_loop_sub(m, begin, first), pir_loop_int(m, 0));
  inner->loop.end = pir_loop_min(m, pir_loop_sub(m, end, first), extent);
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
    loop->loop.begin = pir_loop_use(fn->module, fn->begin);
    loop->loop.end = pir_loop_use(fn->module, fn->end);
  }
  loop->loop.kind = LOOP_PARALLEL;
  pir_loop_verify_after(fn, "parallel");
  return NULL;
}

const char *pir_schedule_vectorise(loop_fn *fn, loop_stmt *loop) {
  const char *why = plain_loop(loop);
  if (!why)
    why = loop_access_carried(fn, loop, false);
  if (!why)
    loop->loop.kind = LOOP_VECTORISED;
  return why;
}
