// The verifier of loop IR: functions, buffers and statements. Scopes follow blocks: a variable
// is visible from the statement that binds it to the end of the block. A copy of a body may
// bind its variables again in the same block. A nested block may not rebind a visible variable,
// because code after it would read the inner value. Each statement is visited once, so cyclic
// lists and blocks are found.
#include "loop_verify_impl.h"

#include <hash.h>

#include <string.h>

static void verify_block(verifier *v, const loop_block *block);

// ---- faults

// Where the innermost node stands in the text that the module was read from.
static pir_loc place_of(const verifier *v, const loop_expr *e) {
  const void *nodes[] = {e, v->stmt, v->fn};
  const pir_map *places = v->fn->module->places;
  const uint64_t *found = NULL;
  for (int i = 0; i < 3 && places && !found; i++)
    found = nodes[i] ? pir_map_find(places, nodes[i]) : NULL;
  return found ? *found : PIR_LOC_UNKNOWN;
}

void verify_fault(verifier *v, const loop_expr *e, const char *format, ...) {
  char node[96], why[160], text[320];
  va_list args;
  if (++v->count > LOOP_MOST_FAULTS || !v->faults.report)
    return;
  va_start(args, format);
  pir_text_vformat(why, sizeof why, format, args);
  va_end(args);
  pir_loop_describe(v->stmt, e, node, sizeof node);
  pir_text_format(text, sizeof text, "in %s%s%s: %s", v->fn->name, *node ? ", " : "", node,
                  why);
  v->faults.report(v->faults.user, place_of(v, e), text);
}

// ---- variables

static void open_scope(verifier *v) {
  v->depth++;
}

static void close_scope(verifier *v) {
  while (v->scope.count && v->vars[v->scope.items[v->scope.count - 1]].depth == v->depth)
    v->vars[pir_vec_pop(&v->scope)].depth = 0;
  v->depth--;
}

static void verify_facts(verifier *v, const loop_var *var) {
  if (var->dtype != LOOP_INDEX && (var->extent || var->multiple || var->given))
    verify_fault(v, NULL, "v%u is no index, and is said to have an extent or factors", var->id);
  if (var->multiple < 0)
    verify_fault(v, NULL, "v%u is a multiple of a negative number", var->id);
  if (var->extent)
    verify_expr_of(v, var->extent, "the extent", LOOP_INDEX, 1);
}

static void bind_var(verifier *v, const loop_var *var, bool fixed) {
  if (var->id >= v->fn->var_count) {
    verify_fault(v, NULL, "v%u is a variable of another function", var->id);
    return;
  }
  verified_var *known = &v->vars[var->id];
  if (known->var && known->var != var)
    verify_fault(v, NULL, "two variables are v%u", var->id);
  if (known->depth && known->depth != v->depth)
    verify_fault(v, NULL, "v%u is bound in a block around this one", var->id);
  if (!known->depth)
    pir_vec_push(&v->arena, &v->scope, var->id);
  *known = (verified_var){var, v->depth, fixed};
}

// ---- statements

static void verify_step(verifier *v, const loop_stmt *s) {
  int64_t step;
  verify_expr_of(v, s->loop.begin, "the beginning of the loop", LOOP_INDEX, 1);
  verify_expr_of(v, s->loop.end, "the end of the loop", LOOP_INDEX, 1);
  verify_expr_of(v, s->loop.step, "the step of the loop", LOOP_INDEX, 1);
  if (s->loop.step && pir_loop_is_int(s->loop.step, &step) && step < 1)
    verify_fault(v, s->loop.step, "the step of the loop is not positive");
}

static void verify_for(verifier *v, const loop_stmt *s) {
  bool unrolled = s->loop.kind == LOOP_UNROLLED;
  if (!loop_for_text(s->loop.kind)) {
    verify_fault(v, NULL, "no such kind of loop");
    return;
  }
  verify_step(v, s);
  if (unrolled && !(verify_is_fixed(v, s->loop.begin) && verify_is_fixed(v, s->loop.end) &&
                    verify_is_fixed(v, s->loop.step)))
    verify_fault(v, NULL, "the bounds of a loop that is unrolled vary");
  if (s->loop.kind == LOOP_PARALLEL && v->loops)
    verify_fault(v, NULL, "units are shared within another loop");
  if (s->loop.kind == LOOP_THREADS && !v->fn->threads)
    verify_fault(v, NULL, "a processor has no team of threads");
  if (!s->loop.var) {
    verify_fault(v, NULL, "the loop has no variable");
    return;
  }
  if (s->loop.var->dtype != LOOP_INDEX || s->loop.var->lanes != 1)
    verify_fault(v, NULL, "the variable of a loop is an index");
  open_scope(v);
  v->loops++;
  verify_facts(v, s->loop.var);
  bind_var(v, s->loop.var, unrolled);
  verify_block(v, &s->loop.body);
  v->loops--;
  close_scope(v);
}

static void verify_if(verifier *v, const loop_stmt *s) {
  verify_expr_of(v, s->branch.condition, "the condition", PIR_BOOL, 1);
  open_scope(v);
  verify_block(v, &s->branch.body);
  close_scope(v);
  open_scope(v);
  verify_block(v, &s->branch.other);
  close_scope(v);
}

static void verify_let(verifier *v, const loop_stmt *s) {
  if (!s->let.var) {
    verify_fault(v, NULL, "no variable");
    return;
  }
  verify_expr_of(v, s->let.value, "the value", s->let.var->dtype, s->let.var->lanes);
  verify_facts(v, s->let.var);
  bind_var(v, s->let.var, s->let.value && verify_is_fixed(v, s->let.value));
}

static bool is_memory(const loop_buffer *b) {
  return b->space != LOOP_REGISTER;
}

static void verify_store(verifier *v, const loop_stmt *s) {
  const loop_buffer *b = s->store.buffer;
  bool scatters = s->kind == LOOP_SCATTER;
  uint16_t lanes = s->store.value ? s->store.value->lanes : 1;
  verify_expr_of(v, s->store.value, "the value", b->dtype, is_memory(b) ? lanes : b->lanes);
  verify_expr_of(v, s->store.index, "the index", LOOP_INDEX, scatters ? lanes : 1);
  verify_mask(v, s->store.mask, lanes);
  if (b->space == LOOP_ARG && b->read_only)
    verify_fault(v, NULL, "b%u is only read", b->id);
  if (s->store.nontemporal && (scatters || b->space != LOOP_ARG))
    verify_fault(v, NULL, "only stores to arguments pass by the caches");
  if (is_memory(b))
    return;
  if (scatters || s->store.mask)
    verify_fault(v, NULL, "registers are stored whole");
  if (s->store.index)
    verify_register(v, b, s->store.index);
}

static void verify_accumulate(verifier *v, const loop_stmt *s) {
  const loop_buffer *b = s->accumulate.buffer;
  verify_expr_of(v, s->accumulate.value, "the value", b->dtype, b->lanes);
  verify_expr_of(v, s->accumulate.index, "the index", LOOP_INDEX, 1);
  if (is_memory(b))
    verify_fault(v, NULL, "results are accumulated in registers");
  else if (s->accumulate.index)
    verify_register(v, b, s->accumulate.index);
  if (!loop_combine_text(s->accumulate.combine))
    verify_fault(v, NULL, "elements are not combined so");
}

static void verify_prefetch(verifier *v, const loop_stmt *s) {
  verify_expr_of(v, s->prefetch.index, "the index", LOOP_INDEX, 1);
  if (!is_memory(s->prefetch.buffer))
    verify_fault(v, NULL, "registers are in no memory");
}

static void verify_team(verifier *v) {
  if (!v->fn->threads)
    verify_fault(v, NULL, "a processor has no team of threads");
}

static void verify_fragment(verifier *v, const loop_fragment *f, const char *role) {
  const loop_expr *e = f->at;
  if (!verify_expr(v, e, role))
    return;
  if (f->row < 1 || f->eight < 1 || f->term < 1 || f->half < 1)
    verify_fault(v, e, "elements of %s lie in one place", role);
  bool fits = e->dtype == PIR_F16 || e->dtype == PIR_BF16 || e->dtype == PIR_F32;
  if (e->kind != LOOP_LOAD || e->buffer->space != LOOP_SHARED || !fits)
    verify_fault(v, e, "%s is no load of 16-bit floats or f32 in shared memory", role);
}

static void verify_mma(verifier *v, const loop_stmt *s) {
  const loop_buffer *b = s->mma.sums;
  const loop_expr *left = s->mma.left.at, *right = s->mma.right.at;
  verify_fragment(v, &s->mma.left, "the left fragment");
  verify_fragment(v, &s->mma.right, "the right fragment");
  verify_expr_of(v, s->mma.index, "the index", LOOP_INDEX, 1);
  if (left && right && left->dtype != right->dtype)
    verify_fault(v, NULL, "fragments of two types");
  if (is_memory(b) || b->dtype != PIR_F32 || b->lanes != 2)
    verify_fault(v, NULL, "sums of fragments are registers of f32x2");
  else if (s->mma.index)
    verify_register(v, b, s->mma.index);
  verify_team(v);
}

static void verify_take(verifier *v, const loop_stmt *s) {
  const loop_buffer *b = s->take.buffer;
  verify_expr_of(v, s->take.index, "the index", LOOP_INDEX, 1);
  verify_expr_of(v, s->take.count, "the number of elements", LOOP_INDEX, 1);
  if (b->space != LOOP_ARG || b->dtype != PIR_I64 || b->read_only)
    verify_fault(v, NULL, "entries are an argument of i64 that is written");
  if (s->take.kept < 1)
    verify_fault(v, NULL, "a selection of no elements");
  if (!s->take.at != !s->take.rank)
    verify_fault(v, NULL, "an element without a position or a rank");
  if (s->take.at && s->take.rank) {
    verify_expr_of(v, s->take.at, "the position", LOOP_INDEX, 1);
    verify_expr_of(v, s->take.rank, "the rank", PIR_I64, 1);
  }
  verify_team(v);
}

static void verify_tile(verifier *v, const loop_stmt *s) {
  enum { REGISTERS = 8 };
  if (!loop_tile_text(s->tile.op)) {
    verify_fault(v, NULL, "no such operation on tiles");
    return;
  }
  bool place = loop_tile_has_place(s->tile.op), rows = loop_tile_has_rows(s->tile.op);
  for (int i = 0; i < loop_tile_registers(s->tile.op); i++)
    if (s->tile.tiles[i] >= REGISTERS)
      verify_fault(v, NULL, "there are %d tile registers", REGISTERS);
  if ((s->tile.buffer != NULL) != place || (s->tile.index != NULL) != place ||
      (s->tile.stride != NULL) != rows)
    verify_fault(v, NULL, "a place or the distance of rows is missing, or one too many");
  if (s->tile.buffer && !is_memory(s->tile.buffer))
    verify_fault(v, NULL, "registers are in no memory");
  if (s->tile.index)
    verify_expr_of(v, s->tile.index, "the index", LOOP_INDEX, 1);
  if (s->tile.stride)
    verify_expr_of(v, s->tile.stride, "the distance of rows", LOOP_INDEX, 1);
}

static void verify_trap(verifier *v, const loop_stmt *s) {
  const loop_expr *where = s->trap.where;
  verify_expr_of(v, where, "the condition", PIR_BOOL, where ? where->lanes : 1);
  if (s->trap.number < 1 || s->trap.number > INT32_MAX)
    verify_fault(v, NULL, "the number of a trap is from 1 on");
  if (!v->fn->traps)
    verify_fault(v, NULL, "the function is not said to have a trap");
  v->traps = true;
}

static void verify_copy(verifier *v, const loop_stmt *s) {
  const loop_buffer *b = s->copy.buffer;
  const loop_expr *from = s->copy.from, *index = s->copy.index;
  verify_team(v);
  verify_expr_of(v, index, "the index", LOOP_INDEX, 1);
  if (!verify_expr(v, from, "the source") || !index)
    return;
  if (from->kind != LOOP_LOAD || from->buffer->space != LOOP_ARG || b->space != LOOP_SHARED) {
    verify_fault(v, from, "copies go from an argument to shared memory");
    return;
  }
  size_t bytes = pir_loop_type_size(from->dtype) * from->lanes;
  if (from->dtype != b->dtype)
    verify_fault(v, from, "b%u has elements of %s", b->id, pir_loop_type_text(b->dtype));
  if (bytes != 4 && bytes != 8 && bytes != 16)
    verify_fault(v, from, "a copy has 4, 8 or 16 bytes, not %zu", bytes);
  if (from->mask && from->mask->lanes != 1)
    verify_fault(v, from, "a copy has one mask for all its bytes");
  if (pir_loop_multiple(index) % from->lanes || pir_loop_multiple(from->a) % from->lanes)
    verify_fault(v, from, "the places of a copy are not known to be aligned");
}

static void verify_wait(verifier *v, const loop_stmt *s) {
  verify_team(v);
  if (s->wait.groups > LOOP_MOST_GROUPS)
    verify_fault(v, NULL, "up to %d groups of copies are not waited for", LOOP_MOST_GROUPS);
}

static void verify_stmt(verifier *v, const loop_stmt *s) {
  bool places = s->kind == LOOP_STORE || s->kind == LOOP_SCATTER ||
                s->kind == LOOP_ACCUMULATE || s->kind == LOOP_PREFETCH || s->kind == LOOP_MMA ||
                s->kind == LOOP_COPY || s->kind == LOOP_TAKE;
  const loop_buffer *touched = pir_loop_touched(s);
  if ((places || touched) && !verify_declared(v, NULL, touched))
    return;
  switch ((loop_stmt_kind)s->kind) {
    case LOOP_FOR: verify_for(v, s); return;
    case LOOP_IF: verify_if(v, s); return;
    case LOOP_LET: verify_let(v, s); return;
    case LOOP_STORE:
    case LOOP_SCATTER: verify_store(v, s); return;
    case LOOP_ACCUMULATE: verify_accumulate(v, s); return;
    case LOOP_PREFETCH: verify_prefetch(v, s); return;
    case LOOP_MMA: verify_mma(v, s); return;
    case LOOP_TILE: verify_tile(v, s); return;
    case LOOP_TAKE: verify_take(v, s); return;
    case LOOP_TRAP: verify_trap(v, s); return;
    case LOOP_COPY: verify_copy(v, s); return;
    case LOOP_WAIT: verify_wait(v, s); return;
    case LOOP_COMMIT:
    case LOOP_BARRIER: verify_team(v); return;
  }
  verify_fault(v, NULL, "no such kind of statement");
}

static void verify_block(verifier *v, const loop_block *block) {
  const loop_stmt *last = NULL, *around = v->stmt;
  if (v->depth > LOOP_MOST_NESTED) {
    verify_fault(v, NULL, "statements stand in more than %d others", LOOP_MOST_NESTED);
    return;
  }
  for (const loop_stmt *s = block->first; s; last = s, s = s->next) {
    v->stmt = s;
    if (pir_map_find(&v->statements, s)) {
      verify_fault(v, NULL, "the statement stands in two places");
      return;
    }
    pir_map_put(&v->arena, &v->statements, s, 1);
    v->number++;
    verify_stmt(v, s);
  }
  v->stmt = around;
  if (block->last != last)
    verify_fault(v, NULL, "the last statement of a block is not the last of its list");
}

// ---- buffers

static void verify_scratch(verifier *v, const loop_buffer *b) {
  int64_t size = (int64_t)pir_dtype_size(b->dtype), most = v->fn->scratch_bytes;
  if (b->offset < 0 || b->offset % 64 || b->offset > most ||
      b->count > (most - b->offset) / size)
    verify_fault(v, NULL, "b%u lies outside of the scratch memory", b->id);
  for (unsigned i = 0; i < b->id; i++) {
    const loop_buffer *other = v->fn->buffers[i];
    if (other->space == LOOP_SCRATCH && other->offset < b->offset + b->count * size &&
        b->offset < other->offset + other->count * (int64_t)pir_dtype_size(other->dtype))
      verify_fault(v, NULL, "b%u and b%u share scratch memory", other->id, b->id);
  }
}

static void verify_registers(verifier *v, const loop_buffer *b) {
  if (b->count > LOOP_MOST_REGISTERS || b->lanes < 1 || b->lanes > LOOP_MOST_LANES)
    verify_fault(v, NULL, "b%u has too many registers or lanes", b->id);
  if (b->multiple < 0 || (b->multiple && b->dtype != LOOP_INDEX))
    verify_fault(v, NULL, "b%u holds no multiples", b->id);
}

static void verify_buffer(verifier *v, const loop_buffer *b, unsigned id) {
  bool registers = b->space == LOOP_REGISTER;
  if (b->id != id)
    verify_fault(v, NULL, "buffer %u is called b%u", id, b->id);
  if (!loop_space_text(b->space) ||
      !(verify_is_element(b->dtype) || (registers && b->dtype == LOOP_INDEX))) {
    verify_fault(v, NULL, "b%u has no such kind or no such type of elements", id);
    return;
  }
  if (b->space != LOOP_ARG && b->count < 1)
    verify_fault(v, NULL, "b%u has no elements", id);
  if (!b->align || b->align & (b->align - 1))
    verify_fault(v, NULL, "the alignment of b%u is no power of two", id);
  if (!registers && (b->lanes != 1 || b->multiple))
    verify_fault(v, NULL, "b%u has lanes or factors in memory", id);
  if ((b->space == LOOP_LOCAL || b->space == LOOP_SHARED) && !v->fn->threads)
    verify_fault(v, NULL, "b%u is memory of a device", id);
  if (registers)
    verify_registers(v, b);
  if (b->space == LOOP_SCRATCH)
    verify_scratch(v, b);
  if (b->stays && b->space != LOOP_SCRATCH)
    verify_fault(v, NULL, "b%u stays in memory and is no scratch", id);
  if (b->large && (b->space != LOOP_ARG || b->read_only))
    verify_fault(v, NULL, "b%u is not written past the caches", id);
  if (b->large)
    verify_expr_of(v, b->large, "the condition", PIR_BOOL, 1);
}

// ---- functions

static void verify_threads(verifier *v) {
  int threads = v->fn->threads;
  if (threads < 0 || threads > 1024 || threads & (threads - 1))
    verify_fault(v, NULL, "a team of %d threads", threads);
}

static void verify_fn(verifier *v) {
  const loop_fn *fn = v->fn;
  if (!fn->begin || !fn->end) {
    verify_fault(v, NULL, "the function has no range of units");
    return;
  }
  if (fn->begin == fn->end)
    verify_fault(v, NULL, "the range of units has one variable");
  verify_threads(v);
  for (unsigned i = 0; i < fn->buffer_count; i++)
    verify_buffer(v, fn->buffers[i], i);
  open_scope(v);
  verify_facts(v, fn->begin);
  verify_facts(v, fn->end);
  bind_var(v, fn->begin, false);
  bind_var(v, fn->end, false);
  verify_block(v, &fn->body);
  close_scope(v);
  if (fn->traps && !v->traps)
    verify_fault(v, NULL, "the function is said to have a trap, and has none");
}

size_t pir_loop_verify_fn(const loop_fn *fn, loop_faults faults) {
  verifier v = {.fn = fn, .faults = faults};
  pir_arena_init(&v.arena, fn->module->arena.heap);
  v.vars = pir_arena_zalloc(&v.arena, pir_arena_size(&v.arena, fn->var_count, sizeof *v.vars));
  verify_fn(&v);
  pir_arena_destroy(&v.arena);
  return v.count;
}

static bool has_name(const void *item, const void *key) {
  const loop_fn *fn = item;
  return strcmp(fn->name, key) == 0;
}

// Functions are found by their names.
static size_t verify_names(const loop_module *m, loop_faults faults) {
  size_t count = 0;
  pir_arena arena;
  pir_set names = {0};
  pir_arena_init(&arena, m->arena.heap);
  for (loop_fn *fn = m->first; fn && count < LOOP_MOST_FAULTS; fn = fn->next) {
    uint64_t hash = pir_hash_bytes(fn->name, strlen(fn->name));
    verifier v = {.fn = fn, .faults = faults};
    if (pir_set_find(&names, hash, has_name, fn->name))
      verify_fault(&v, NULL, "another function has this name");
    else
      pir_set_add(&arena, &names, hash, fn);
    count += v.count;
  }
  pir_arena_destroy(&arena);
  return count;
}

size_t pir_loop_verify(const loop_module *m, loop_faults faults) {
  size_t count = verify_names(m, faults);
  for (const loop_fn *fn = m->first; fn && count < LOOP_MOST_FAULTS; fn = fn->next)
    count += pir_loop_verify_fn(fn, faults);
  return count;
}

// ---- after rewrites

void pir_loop_keep_fault(loop_module *m, const char *rewrite, const char *message) {
  char text[400];
  if (m->fault)
    return;
  pir_text_format(text, sizeof text, "after %s, %s", rewrite, message);
  m->fault = pir_loop_name(m, text, -1);
}

typedef struct keeping {
  loop_module *m;
  const char *rewrite;
} keeping;

static void keep_fault(void *user, pir_loc place, const char *message) {
  const keeping *k = user;
  pir_loop_keep_fault(k->m, k->rewrite, message);
}

void pir_loop_verify_after(loop_fn *fn, const char *rewrite) {
  keeping keep = {fn->module, rewrite};
  if (fn->module->verify && !fn->module->fault)
    pir_loop_verify_fn(fn, (loop_faults){keep_fault, &keep});
}
