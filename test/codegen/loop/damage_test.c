// The verifier of loop IR against nodes whose fields are changed: every kind of statement and
// of buffer, in a stage of a processor and in one of a device. verify_test.c has the structure.
#include "loop_verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// A statement of every kind, and an expression of every kind that the statements hold.
typedef struct program {
  loop_module *m;
  loop_fn *fn, *other;
  loop_buffer *a, *out, *scratch, *more, *registers, *numbers, *shared, *local;
  loop_var *i, *lane;
  loop_block *body;
  loop_stmt *loop, *unrolled, *branch, *let, *store, *scatter, *accumulate, *prefetch, *trap,
      *tile, *mma, *take, *copy, *wait;
  loop_expr *at, *cast, *bits, *ramp, *gather, *fold, *zip, *dot, *fused, *number;
} program;

static loop_stmt *last_of(const loop_block *block) {
  return block->last;
}

static loop_expr *load_f32(program *p) {
  return pir_loop_load(p->m, p->a, p->at, 1, NULL);
}

static void make_buffers(program *p) {
  p->a = pir_loop_arg(p->fn, "a", PIR_F32, 0, 4, true);
  p->out = pir_loop_arg(p->fn, "out", PIR_F32, 1, 4, false);
  p->scratch = pir_loop_scratch(p->fn, "s", PIR_F32, 8);
  p->more = pir_loop_scratch(p->fn, "t", PIR_F32, 8);
  p->registers = pir_loop_registers(p->fn, "r", PIR_F32, 1, 2);
  p->numbers = pir_loop_registers(p->fn, "n", LOOP_INDEX, 1, 1);
}

static void make_loop(program *p) {
  loop_module *m = p->m;
  p->i = pir_loop_var_create(p->fn, "i", LOOP_INDEX, 1);
  p->body = pir_loop_for(p->fn, &p->fn->body, LOOP_SERIAL, p->i, pir_loop_int(m, 0),
                         pir_loop_int(m, 8), NULL);
  p->loop = last_of(&p->fn->body);
  p->at = pir_loop_use(m, p->i);
}

static void make_elements(program *p) {
  loop_module *m = p->m;
  loop_expr *x = load_f32(p), *eight = pir_loop_broadcast(m, x, 8);
  p->cast = pir_loop_cast(m, x, PIR_BF16);
  p->bits = pir_loop_bitcast(m, x, PIR_I32);
  p->number = pir_loop_const_int(m, PIR_BOOL, 1);
  p->ramp = pir_loop_ramp(m, p->at, pir_loop_int(m, 1), 8);
  p->gather = pir_loop_gather(m, p->scratch, p->ramp, NULL);
  p->fold = pir_loop_fold(m, PIR_COMBINE_ADD, eight);
  p->zip = pir_loop_zip(m, eight, eight, false);
  loop_expr *words = pir_loop_broadcast(m, p->bits, 8);
  p->dot = pir_loop_dot(m, LOOP_DOT_U8S8, words, words, words);
  p->fused = pir_loop_fma(m, x, x, x);
}

static void make_statements(program *p) {
  loop_module *m = p->m;
  loop_fn *fn = p->fn;
  pir_loop_let(fn, p->body, "t", p->fused);
  p->let = last_of(p->body);
  pir_loop_store(fn, p->body, p->out, p->at, p->fold, NULL);
  p->store = last_of(p->body);
  pir_loop_scatter(fn, p->body, p->scratch, p->ramp, p->gather, NULL);
  p->scatter = last_of(p->body);
  pir_loop_let(fn, p->body, "z", p->zip);
  pir_loop_let(fn, p->body, "d", p->dot);
  pir_loop_let(fn, p->body, "c", p->cast);
  pir_loop_let(fn, p->body, "b", p->bits);
  p->lane = pir_loop_var_create(fn, "k", LOOP_INDEX, 1);
  loop_block *copies = pir_loop_for(fn, p->body, LOOP_UNROLLED, p->lane, pir_loop_int(m, 0),
                                    pir_loop_int(m, 2), NULL);
  p->unrolled = last_of(p->body);
  pir_loop_accumulate(fn, copies, p->registers, pir_loop_use(m, p->lane), PIR_COMBINE_ADD,
                      load_f32(p));
  p->accumulate = last_of(copies);
  pir_loop_if(fn, p->body, pir_loop_lt(m, p->at, pir_loop_int(m, 4)), NULL);
  p->branch = last_of(p->body);
  pir_loop_prefetch(fn, p->body, p->a, p->at, false);
  p->prefetch = last_of(p->body);
  pir_loop_trap(fn, p->body, 1, pir_loop_lt(m, p->at, pir_loop_int(m, 0)));
  p->trap = last_of(p->body);
}

static void make_base(program *p) {
  *p = (program){.m = pir_loop_module_create()};
  p->fn = pir_loop_fn_create(p->m, "stage0");
  make_buffers(p);
}

static void make_processor(program *p) {
  make_base(p);
  make_loop(p);
  make_elements(p);
  make_statements(p);
  pir_loop_tile(p->fn, p->body, LOOP_TILE_LOAD, p->scratch, pir_loop_int(p->m, 0),
                pir_loop_int(p->m, 64), 0, 0, 0);
  p->tile = last_of(p->body);
  p->other = pir_loop_fn_create(p->m, "stage1");
}

static void make_copies(program *p) {
  loop_module *m = p->m;
  loop_buffer *to = pir_loop_shared(p->fn, "c", PIR_F32, 64);
  loop_expr *at = pir_loop_mul(m, p->at, pir_loop_int(m, 4));
  pir_loop_copy(p->fn, p->body, to, at, pir_loop_load(m, p->a, at, 4, NULL));
  p->copy = last_of(p->body);
  pir_loop_commit(p->fn, p->body);
  pir_loop_wait(p->fn, p->body, 0);
  p->wait = last_of(p->body);
}

static void make_device(program *p) {
  make_base(p);
  p->fn->threads = 32;
  p->shared = pir_loop_shared(p->fn, "h", PIR_F16, 1024);
  p->local = pir_loop_buffer(p->fn, "l", LOOP_LOCAL, PIR_F32, 4);
  loop_buffer *sums = pir_loop_registers(p->fn, "m", PIR_F32, 2, 4);
  make_loop(p);
  loop_expr *tile = pir_loop_load(p->m, p->shared, pir_loop_int(p->m, 0), 1, NULL);
  loop_fragment rows = {tile, 1, 8, 1, 8};
  pir_loop_mma(p->fn, p->body, sums, pir_loop_int(p->m, 0), rows, rows);
  p->mma = last_of(p->body);
  loop_buffer *entries = pir_loop_arg(p->fn, "e", PIR_I64, 7, 8, false);
  loop_expr *zero = pir_loop_int(p->m, 0), *rank = pir_loop_const_int(p->m, PIR_I64, 1);
  pir_loop_take(p->fn, p->body, entries, zero, 2, pir_loop_int(p->m, 9), p->at, rank);
  p->take = last_of(p->body);
  make_copies(p);
  p->fold = pir_loop_team(p->m, PIR_COMBINE_ADD, 0, load_f32(p));
  pir_loop_store(p->fn, p->body, p->out, p->at, p->fold, NULL);
  p->store = last_of(p->body);
  p->other = pir_loop_fn_create(p->m, "stage1");
}

#define DAMAGES(X)                                                                             \
  X(facts_of_an_element, p->let->let.var->multiple = 4,                                        \
    "is no index, and is said to have an extent or factors")                                   \
  X(extent_of_an_element, p->let->let.var->extent = pir_loop_int(p->m, 3), "is no index")      \
  X(given_element, p->let->let.var->given = true, "is no index")                               \
  X(negative_multiple, p->i->multiple = -2, "is a multiple of a negative number")              \
  X(extent_of_a_float, p->i->extent = load_f32(p), "the extent has type f32, not index")       \
  X(loop_of_another, p->loop->loop.var = pir_loop_var_create(p->other, "x", LOOP_INDEX, 1);    \
    p->loop->loop.var->id = 99, "v99 is a variable of another function")                       \
  X(numbered_twice, p->lane->id = p->i->id, "two variables are v2")                            \
  X(let_without_variable, p->let->let.var = NULL, "no variable")                               \
  X(let_without_value, p->let->let.value = NULL, "the value is missing")                       \
  X(step_of_nothing, p->loop->loop.step = pir_loop_int(p->m, 0), "is not positive")            \
  X(step_missing, p->loop->loop.step = NULL, "the step of the loop is missing")                \
  X(float_loop, p->loop->loop.var->dtype = PIR_I32, "the variable of a loop is an index")      \
  X(wide_loop, p->loop->loop.var->lanes = 8, "the variable of a loop is an index")             \
  X(unrolled_end, p->unrolled->loop.end = p->at, "the bounds of a loop that is unrolled vary") \
  X(unrolled_begin, p->unrolled->loop.begin = p->at, "that is unrolled vary")                  \
  X(unrolled_step, p->unrolled->loop.step = pir_loop_add(p->m, p->at, pir_loop_int(p->m, 1)),  \
    "that is unrolled vary")                                                                   \
  X(units_within, p->unrolled->loop.kind = LOOP_PARALLEL, "units are shared within another")   \
  X(team_of_a_processor, p->unrolled->loop.kind = LOOP_THREADS, "has no team of threads")      \
  X(condition_missing, p->branch->branch.condition = NULL, "the condition is missing")         \
  X(scatter_past_caches, p->scatter->store.nontemporal = true, "pass by the caches")           \
  X(store_of_lanes, p->store->store.index = p->ramp, "the index has type indexx8, not index")  \
  X(store_to_read_only, p->store->store.buffer = p->a, "b0 is only read")                      \
  X(register_scattered, p->scatter->store.buffer = p->registers, "registers are stored whole") \
  X(register_masked, p->store->store.buffer = p->registers;                                    \
    p->store->store.mask = p->number, "registers are stored whole")                            \
  X(register_somewhere, p->store->store.buffer = p->registers,                                 \
    "the number of a register varies")                                                         \
  X(register_nowhere, p->store->store.buffer = p->registers;                                   \
    p->store->store.index = NULL, "the index is missing")                                      \
  X(sums_in_memory, p->accumulate->accumulate.buffer = p->scratch,                             \
    "results are accumulated in registers")                                                    \
  X(sums_nowhere, p->accumulate->accumulate.index = NULL, "the index is missing")              \
  X(register_below, p->accumulate->accumulate.index = pir_loop_int(p->m, -1),                  \
    "has 2 registers")                                                                         \
  X(prefetch_of_registers, p->prefetch->prefetch.buffer = p->registers,                        \
    "registers are in no memory")                                                              \
  X(trap_of_nothing, p->trap->trap.where = NULL, "the condition is missing")                   \
  X(trap_numbered, p->trap->trap.number = 0, "the number of a trap is from 1 on")              \
  X(trap_far, p->trap->trap.number = 1u << 31, "the number of a trap is from 1 on")            \
  X(trap_unsaid, p->fn->traps = false, "is not said to have a trap")                           \
  X(trap_said, p->trap->kind = LOOP_BARRIER, "is said to have a trap, and has none")           \
  X(tile_register, p->tile->tile.tiles[0] = 8, "there are 8 tile registers")                   \
  X(tile_place, p->tile->tile.index = NULL, "a place or the distance of rows is missing")      \
  X(tile_buffer, p->tile->tile.buffer = NULL, "a place or the distance of rows is missing")    \
  X(tile_rows, p->tile->tile.stride = NULL, "a place or the distance of rows is missing")      \
  X(tile_in_registers, p->tile->tile.buffer = p->registers, "registers are in no memory")      \
  X(deep,                                                                                      \
    for (int k = 0; k < 300; k++) p->body = pir_loop_if(p->fn, p->body, p->number, NULL),      \
    "statements stand in more than")                                                           \
  X(scratch_negative, p->scratch->offset = -64, "lies outside of the scratch memory")          \
  X(scratch_crooked, p->scratch->offset = 4, "lies outside of the scratch memory")             \
  X(scratch_far, p->scratch->offset = 1 << 20, "lies outside of the scratch memory")           \
  X(scratch_long, p->more->count = 1 << 20, "lies outside of the scratch memory")              \
  X(scratch_shared, p->more->offset = 0, "b2 and b3 share scratch memory")                     \
  X(registers_many, p->registers->count = 1 << 20, "has too many registers or lanes")          \
  X(registers_narrow, p->registers->lanes = 0, "has too many registers or lanes")              \
  X(registers_wide, p->registers->lanes = 1000, "has too many registers or lanes")             \
  X(multiple_of_floats, p->registers->multiple = 4, "holds no multiples")                      \
  X(multiple_below, p->numbers->multiple = -4, "holds no multiples")                           \
  X(memory_of_indices, p->scratch->dtype = LOOP_INDEX, "b2 has no such kind or no such type")  \
  X(elements_none, p->scratch->count = 0, "b2 has no elements")                                \
  X(alignment_none, p->a->align = 0, "the alignment of b0 is no power of two")                 \
  X(alignment_odd, p->a->align = 12, "the alignment of b0 is no power of two")                 \
  X(memory_of_lanes, p->a->lanes = 8, "b0 has lanes or factors in memory")                     \
  X(memory_of_factors, p->a->multiple = 8, "b0 has lanes or factors in memory")                \
  X(memory_of_a_device, p->scratch->space = LOOP_LOCAL, "b2 is memory of a device")            \
  X(memory_of_a_team, p->scratch->space = LOOP_SHARED, "b2 is memory of a device")             \
  X(past_caches_inside, p->scratch->large = p->number, "is not written past the caches")       \
  X(past_caches_read, p->a->large = p->number, "is not written past the caches")               \
  X(past_caches_if, p->out->large = pir_loop_int(p->m, 1), "the condition has type index")     \
  X(threads_below, p->fn->threads = -1, "a team of -1 threads")                                \
  X(threads_many, p->fn->threads = 2048, "a team of 2048 threads")                             \
  X(threads_odd, p->fn->threads = 24, "a team of 24 threads")                                  \
  X(range_of_one, p->fn->end = p->fn->begin, "the range of units has one variable")            \
  X(range_open, p->fn->end = NULL, "the function has no range of units")                       \
  X(half_true, p->number->constant.i = 2;                                                      \
    p->store->store.mask = p->number, "a bool is 0 or 1")                                      \
  X(float_of_f64, p->fused->a = pir_loop_const_float(p->m, PIR_F32, 0);                        \
    p->fused->a->constant.f = 0.1, "the number is no f32")                                     \
  X(byte_of_300, p->bits->a = pir_loop_const_int(p->m, PIR_I32, 1);                            \
    p->bits->a->constant.i = INT64_MAX, "the number does not fit its type")                    \
  X(use_elsewhere, p->at->var = pir_loop_var_create(p->other, "x", LOOP_INDEX, 1);             \
    p->at->var->id = 98, "v98 is a variable of another function")                              \
  X(use_before, p->at->var = pir_loop_var_create(p->fn, "x", LOOP_INDEX, 1),                   \
    "is not defined before")                                                                   \
  X(dot_unknown, p->dot->dot = (loop_dot)9, "no such product")                                 \
  X(dot_of_floats, p->dot->a = p->gather, "operand 1 has type f32x8, not i32x8")               \
  X(flushes_wrongly, p->cast->dtype = PIR_F16;                                                 \
    p->cast->flushes = true, "where f32 becomes bf16 alone")                                   \
  X(cast_of_lanes, p->cast->lanes = 8, "8 lanes of 1")                                         \
  X(bits_of_a_bool, p->bits->a = p->number, "the bits of b are not those of i32")              \
  X(bits_of_an_index, p->bits->a = p->at, "are not those of i32")                              \
  X(bits_to_a_bool, p->bits->dtype = PIR_BOOL, "are not those of b")                           \
  X(bits_to_an_index, p->bits->dtype = LOOP_INDEX, "are not those of index")                   \
  X(bits_halved, p->bits->dtype = PIR_I16, "the bits of f32 are not those of i16")             \
  X(gathered_registers, p->gather->buffer = p->registers, "registers are read whole")          \
  X(masked_registers,                                                                          \
    p->fused->a = pir_loop_load(p->m, p->registers, pir_loop_int(p->m, 0), 1, NULL);           \
    p->fused->a->mask = p->number, "registers are read whole")                                 \
  X(wide_registers,                                                                            \
    p->fused->a = pir_loop_load(p->m, p->registers, pir_loop_int(p->m, 0), 1, NULL);           \
    p->fused->a->lanes = 4, "registers of b4 have 1 lanes")                                    \
  X(load_of_another, p->fused->a = load_f32(p);                                                \
    p->fused->a->dtype = PIR_I32, "b0 has elements of f32")                                    \
  X(fold_unknown, p->fold->combine = PIR_COMBINE_ASSIGN, "elements are not combined so")       \
  X(zip_odd, p->zip->lanes = 7, "halves of 7 lanes")                                           \
  X(zip_alone, p->zip->lanes = 1, "halves of 1 lanes")                                         \
  X(lookup_odd, (p->zip->kind = LOOP_LOOKUP, p->zip->lanes = 7), "a table of 7 lanes")         \
  X(fused_integers, p->fused->dtype = PIR_I32, "'fused' does not take i32")                    \
  X(vector_of_one, p->ramp->lanes = 1, "a vector has 2 lanes or more")                         \
  X(ramp_of_floats, p->ramp->dtype = PIR_F32, "a ramp of f32")                                 \
  X(extent_below, p->at = pir_loop_dim(p->m, 1); p->at->dim.number = -1;                       \
    p->loop->loop.end = p->at, "no such extent")                                               \
  X(extent_far, p->at = pir_loop_dim(p->m, 1); p->at->dim.number = 1 << 20;                    \
    p->loop->loop.end = p->at, "no such extent")                                               \
  X(said_to_wrap, p->loop->loop.end = pir_loop_add(p->m, p->at, p->at);                        \
    p->loop->loop.end->given = true, "its sums may wrap, and those of its operands do not")

#define DEVICE_DAMAGES(X)                                                                      \
  X(fragment_missing, p->mma->mma.left.at = NULL, "the left fragment is missing")              \
  X(fragment_alone, p->mma->mma.right.at = NULL, "the right fragment is missing")              \
  X(fragment_of_memory, p->mma->mma.left.at = load_f32(p),                                     \
    "is no load of 16-bit floats or f32")                                                      \
  X(fragment_of_f64,                                                                           \
    p->mma->mma.left.at = pir_loop_load(p->m, pir_loop_shared(p->fn, "g", PIR_F64, 1024),      \
                                        pir_loop_int(p->m, 0), 1, NULL),                       \
    "is no load of 16-bit floats or f32")                                                      \
  X(fragment_number, p->mma->mma.left.at = pir_loop_const_float(p->m, PIR_F16, 1),             \
    "is no load of 16-bit floats")                                                             \
  X(fragment_outside, p->shared->space = LOOP_LOCAL, "is no load of 16-bit floats or f32")     \
  X(fragments_differ,                                                                          \
    p->mma->mma.right.at = pir_loop_load(p->m, pir_loop_shared(p->fn, "g", PIR_BF16, 1024),    \
                                         pir_loop_int(p->m, 0), 1, NULL),                      \
    "fragments of two types")                                                                  \
  X(sums_of_memory, p->mma->mma.sums = p->local, "sums of fragments are registers of f32x2")   \
  X(sums_of_one, p->mma->mma.sums = p->registers, "sums of fragments are registers of f32x2")  \
  X(sums_of_indices, p->mma->mma.sums = p->numbers, "sums of fragments are registers")         \
  X(sums_nowhere_else, p->mma->mma.index = NULL, "the index is missing")                       \
  X(rows_together, p->mma->mma.left.row = 0, "elements of the left fragment lie in one place") \
  X(halves_together, p->mma->mma.right.half = 0, "elements of the right fragment lie in one")  \
  X(entries_elsewhere, p->take->take.buffer = p->local, "entries are an argument of i64")      \
  X(entries_of_none, p->take->take.kept = 0, "a selection of no elements")                     \
  X(entry_without_rank, p->take->take.rank = NULL, "without a position or a rank")             \
  X(entry_of_an_index, p->take->take.rank = p->at, "the rank has type index, not i64")         \
  X(entries_uncounted, p->take->take.count = NULL, "the number of elements is missing")        \
  X(team_alone, p->fn->threads = 0, "a processor has no team of threads")                      \
  X(copy_missing, p->copy->copy.from = NULL, "the source is missing")                          \
  X(copy_nowhere, p->copy->copy.index = NULL, "the index is missing")                          \
  X(copy_of_a_number, p->copy->copy.from = pir_loop_const_float(p->m, PIR_F32, 1),             \
    "copies go from an argument to shared memory")                                             \
  X(copy_of_shared_memory, p->copy->copy.from->buffer = p->copy->copy.buffer,                  \
    "copies go from an argument to shared memory")                                             \
  X(copy_to_local_memory, p->copy->copy.buffer = p->local,                                     \
    "copies go from an argument to shared memory")                                             \
  X(copy_of_halves, p->copy->copy.buffer = p->shared, "b6 has elements of f16")                \
  X(copy_of_lines, p->copy->copy.from->lanes = 8, "a copy has 4, 8 or 16 bytes, not 32")       \
  X(copy_by_lanes, p->copy->copy.from->mask = pir_loop_const_int(p->m, PIR_BOOL, 1);           \
    p->copy->copy.from->mask->lanes = 4, "a copy has one mask for all its bytes")              \
  X(copy_to_odd_places, p->copy->copy.index = p->at,                                           \
    "the places of a copy are not known to be aligned")                                        \
  X(copy_of_odd_places, p->copy->copy.from->a = p->at,                                         \
    "the places of a copy are not known to be aligned")                                        \
  X(groups_many, p->wait->wait.groups = 64, "up to 63 groups of copies are not waited for")    \
  X(copies_alone, p->fn->threads = 0, "copy b10[(v2 * 4)] = b0.f32x4((v2 * 4)): a processor")  \
  X(wait_alone, p->fn->threads = 0, "wait 0: a processor has no team of threads")              \
  X(team_of_three, p->fold->group = 3, "3 threads of a team of 32")                            \
  X(team_of_vectors, p->fold->a = pir_loop_broadcast(p->m, load_f32(p), 8),                    \
    "a team combines scalars")                                                                 \
  X(mask_of_numbers, p->store->store.mask = pir_loop_int(p->m, 1), "the mask has type index")

#define DEFINE(name, change, text)                                                             \
  static void name(program *p) {                                                               \
    change;                                                                                    \
  }
DAMAGES(DEFINE)
DEVICE_DAMAGES(DEFINE)
#undef DEFINE

typedef struct damage {
  const char *name;
  void (*change)(program *p);
  const char *message;
} damage;

#define ROW(name, change, text) {#name, name, text},
static const damage processor_damages[] = {DAMAGES(ROW)};
static const damage device_damages[] = {DEVICE_DAMAGES(ROW)};
#undef ROW

static void keep_messages(void *user, pir_loc place, const char *message) {
  char *all = user;
  (void)place;
  strncat(all, message, 4000 - strlen(all));
  strncat(all, "\n", 4000 - strlen(all));
}

static void check(const damage *d, void (*make)(program *p)) {
  char message[4096] = "";
  program p;
  make(&p);
  if (pir_loop_verify(p.m, (loop_faults){keep_messages, message}))
    fail_msg("before %s: %s", d->name, message);
  d->change(&p);
  size_t count = pir_loop_verify_fn(p.fn, (loop_faults){keep_messages, message});
  if (!count || !strstr(message, d->message))
    fail_msg("%s: %s", d->name, count ? message : "no fault is found");
  pir_loop_module_destroy(p.m);
}

static void test_processor(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof processor_damages / sizeof *processor_damages; i++)
    check(&processor_damages[i], make_processor);
}

static void test_device(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof device_damages / sizeof *device_damages; i++)
    check(&device_damages[i], make_device);
}

// Faults are counted where nothing takes their messages, and no more than so many are reported.
static void test_unheard(void **state) {
  program p;
  (void)state;
  make_processor(&p);
  p.let->let.var = NULL;
  assert_int_equal(pir_loop_verify(p.m, (loop_faults){0}), 1);
  pir_loop_module_destroy(p.m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_processor),
                                     cmocka_unit_test(test_device),
                                     cmocka_unit_test(test_unheard)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
