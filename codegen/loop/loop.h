// Loop IR: the body of a stage, as loops over buffers. Lowering and the contraction generator
// build it, schedules rewrite it, the LLVM and CUDA emitters read it.
//
// A module is an arena of functions; nothing in it is freed alone. A function is one stage: it
// runs its body for units [begin, end). Expressions are immutable, typed by (dtype, lanes), and
// may be shared. Index arithmetic is i64 and folded while it is built. bool is one bit in a
// register and one byte in memory. f16 and bf16 can only be loaded, cast and stored.
#ifndef PIR_LOOP_H
#define PIR_LOOP_H

#include "loop_nodes.h"

// ---- modules, functions

loop_module *pir_loop_module_create_in(pir_heap *heap);
loop_module *pir_loop_module_create(void);  // owns a heap; NULL when out of memory
void pir_loop_module_destroy(loop_module *m);
void *pir_loop_alloc(loop_module *m, size_t size);  // zeroed, lives as long as the module
const char *pir_loop_name(loop_module *m, const char *stem,
                          int64_t n);  // "stemN"; "stem" if n is negative

// Appends a group; functions created from now on are its own.
loop_group *pir_loop_group(loop_module *m, const char *name, const char *ops);
loop_fn *pir_loop_fn_create(loop_module *m, const char *name);  // appended
loop_buffer *pir_loop_arg(loop_fn *fn, const char *name, pir_dtype dtype, uint16_t slot,
                          uint32_t align, bool read_only);
loop_buffer *pir_loop_scratch(loop_fn *fn, const char *name, pir_dtype dtype,
                              int64_t count);  // 64-byte aligned
// A buffer of `count` elements or registers in any space but LOOP_ARG.
loop_buffer *pir_loop_buffer(loop_fn *fn, const char *name, loop_space space, pir_dtype dtype,
                             int64_t count);
loop_buffer *pir_loop_shared(loop_fn *fn, const char *name, pir_dtype dtype, int64_t count);
loop_buffer *pir_loop_registers(loop_fn *fn, const char *name, pir_dtype dtype, uint16_t lanes,
                                int64_t count);
loop_var *pir_loop_var_create(loop_fn *fn, const char *name, pir_dtype dtype, uint16_t lanes);

// ---- expressions. Integer operations fold; a scalar meeting a vector is broadcast.

loop_expr *pir_loop_int(loop_module *m, int64_t i);  // an index
loop_expr *pir_loop_const_int(loop_module *m, pir_dtype dtype, int64_t i);
loop_expr *pir_loop_const_float(loop_module *m, pir_dtype dtype, double f);
loop_expr *pir_loop_use(loop_module *m, loop_var *var);
loop_expr *pir_loop_dim(loop_module *m, int64_t k);
loop_expr *pir_loop_op(loop_module *m, pir_node_op fn, loop_expr *a, loop_expr *b,
                       loop_expr *c);  // unused ones NULL
loop_expr *pir_loop_add(loop_module *m, loop_expr *a, loop_expr *b);
loop_expr *pir_loop_sub(loop_module *m, loop_expr *a, loop_expr *b);
loop_expr *pir_loop_mul(loop_module *m, loop_expr *a, loop_expr *b);
loop_expr *pir_loop_floordiv(loop_module *m, loop_expr *a, loop_expr *b);
loop_expr *pir_loop_mod(loop_module *m, loop_expr *a, loop_expr *b);
loop_expr *pir_loop_min(loop_module *m, loop_expr *a, loop_expr *b);
loop_expr *pir_loop_max(loop_module *m, loop_expr *a, loop_expr *b);
loop_expr *pir_loop_lt(loop_module *m, loop_expr *a, loop_expr *b);
loop_expr *pir_loop_select(loop_module *m, loop_expr *cond, loop_expr *a, loop_expr *b);
loop_expr *pir_loop_fma(loop_module *m, loop_expr *a, loop_expr *b, loop_expr *c);
loop_expr *pir_loop_dot(loop_module *m, loop_dot fn, loop_expr *a, loop_expr *b, loop_expr *c);
loop_expr *pir_loop_cast(loop_module *m, loop_expr *a, pir_dtype dtype);
// The bits of all lanes as lanes of another type, which may be of another size.
loop_expr *pir_loop_bitcast(loop_module *m, loop_expr *a, pir_dtype dtype);
loop_expr *pir_loop_broadcast(loop_module *m, loop_expr *a, uint16_t lanes);
loop_expr *pir_loop_ramp(loop_module *m, loop_expr *base, loop_expr *stride, uint16_t lanes);
loop_expr *pir_loop_load(loop_module *m, loop_buffer *buffer, loop_expr *index, uint16_t lanes,
                         loop_expr *mask);
loop_expr *pir_loop_gather(loop_module *m, loop_buffer *buffer, loop_expr *index,
                           loop_expr *mask);
loop_expr *pir_loop_fold(loop_module *m, pir_combine combine, loop_expr *a);
loop_expr *pir_loop_zip(loop_module *m, loop_expr *a, loop_expr *b, bool upper);
// Processors have it for vectors of f32 that fill a register (vpermps).
loop_expr *pir_loop_lookup(loop_module *m, loop_expr *table, loop_expr *at);
// Combines the values of `group` neighbouring threads; 0: of the whole team.
loop_expr *pir_loop_team(loop_module *m, pir_combine combine, int group, loop_expr *a);
// Combines the values of the team's threads up to this one.
loop_expr *pir_loop_prefix(loop_module *m, pir_combine combine, loop_expr *a);
// A mask whose first n lanes are true.
loop_expr *pir_loop_tail_mask(loop_module *m, loop_expr *n, uint16_t lanes);
// The neutral element of `combine` in `dtype`.
loop_expr *pir_loop_neutral(loop_module *m, pir_combine combine, pir_dtype dtype);
loop_expr *pir_loop_combine(loop_module *m, pir_combine combine, loop_expr *a, loop_expr *b);

bool pir_loop_is_int(const loop_expr *e,
                     int64_t *out_value);  // a scalar integer constant
// Returns the factor of `var` if e = factor * var + rest, with a rest without `var`; else
// false.
bool pir_loop_stride(const loop_expr *e, const loop_var *var, int64_t *out_factor);
bool pir_loop_nonnegative(
    const loop_expr *e);  // whether it is known for all values of the loop variables
bool pir_loop_mentions(const loop_expr *e, const loop_var *var);
int64_t pir_loop_multiple(const loop_expr *e);  // a known divisor of all its values; at least 1
loop_expr *
pir_loop_bound(loop_module *m,
               const loop_expr *e);       // an exclusive upper bound of its values if they
                                          // start from 0, else NULL
bool pir_loop_small(const loop_expr *e);  // all its values are known to be from 0 to INT32_MAX
// Returns e with `var` replaced.
loop_expr *pir_loop_substitute(loop_module *m, loop_expr *e, const loop_var *var,
                               loop_expr *by);

// ---- statements: each is appended to `block`; those with a body return it

loop_block *pir_loop_for(loop_fn *fn, loop_block *block, loop_for_kind kind, loop_var *var,
                         loop_expr *begin, loop_expr *end, loop_expr *step);  // step NULL: 1
// Returns the extent of the loop variable if nothing else states one; NULL: there is none.
loop_expr *pir_loop_usual_extent(loop_for_kind kind, const loop_expr *begin, loop_expr *end);
loop_block *pir_loop_if(loop_fn *fn, loop_block *block, loop_expr *cond,
                        loop_block **out_else);  // out_else may be NULL
void pir_loop_bind(loop_fn *fn, loop_block *block, loop_var *var,
                   loop_expr *value);  // a let of an existing variable
loop_expr *pir_loop_let(loop_fn *fn, loop_block *block, const char *name,
                        loop_expr *value);  // a use of the variable
// Transposes a square of `lanes` (a power of two, at most 64) vectors of so many lanes.
void pir_loop_turn_square(loop_fn *fn, loop_block *block, loop_expr **rows, int lanes);
void pir_loop_store(loop_fn *fn, loop_block *block, loop_buffer *buffer, loop_expr *index,
                    loop_expr *value, loop_expr *mask);
void pir_loop_scatter(loop_fn *fn, loop_block *block, loop_buffer *buffer, loop_expr *index,
                      loop_expr *value, loop_expr *mask);
void pir_loop_accumulate(loop_fn *fn, loop_block *block, loop_buffer *buffer, loop_expr *index,
                         pir_combine combine, loop_expr *value);
// `far`: into the L2 cache only, for data that is read later.
void pir_loop_prefetch(loop_fn *fn, loop_block *block, loop_buffer *buffer, loop_expr *index,
                       bool far);
void pir_loop_trap(loop_fn *fn, loop_block *block, uint32_t number, loop_expr *where);
void pir_loop_tile(loop_fn *fn, loop_block *block, loop_tile_op op, loop_buffer *buffer,
                   loop_expr *index, loop_expr *stride, int first, int second, int third);
void pir_loop_barrier(loop_fn *fn, loop_block *block);
void pir_loop_copy(loop_fn *fn, loop_block *block, loop_buffer *buffer, loop_expr *index,
                   loop_expr *from);
void pir_loop_commit(loop_fn *fn, loop_block *block);
void pir_loop_wait(loop_fn *fn, loop_block *block, uint32_t groups);
void pir_loop_take(loop_fn *fn, loop_block *block, loop_buffer *buffer, loop_expr *index,
                   int64_t kept, loop_expr *count, loop_expr *at, loop_expr *rank);
void pir_loop_mma(loop_fn *fn, loop_block *block, loop_buffer *sums, loop_expr *index,
                  loop_fragment left, loop_fragment right);

// ---- the parts of a statement, for code that treats all kinds alike

typedef struct loop_operands {
  int count;
  loop_expr **at[4];  // in the order of the text, but an index before a value
} loop_operands;

typedef struct loop_blocks {
  int count;
  loop_block *at[2];
} loop_blocks;

// The expressions that are operands of the statement itself, not of statements inside it.
loop_operands pir_loop_operands(const loop_stmt *s);
// The blocks inside a loop or a conditional.
loop_blocks pir_loop_blocks(const loop_stmt *s);
// The buffer that the statement itself writes, prefetches or moves to tiles, or NULL.
loop_buffer *pir_loop_touched(const loop_stmt *s);

// ---- schedules

// Rewrites every LOOP_VECTORISED loop to vectors: `vector_bytes` wide for the widest element
// type in its body, with a masked last step. Accumulations get vector registers, which are
// folded after the loop.
pir_status pir_loop_vectorise(loop_fn *fn, const pir_target *target);

// Rewrites every LOOP_VECTORISED loop for a device: shares the iterations among the threads of
// the team. Each thread takes as many adjacent iterations as one access of `vector_bytes`
// holds, if all accesses are known to be aligned. Accumulations end in a LOOP_TEAM; scratch
// becomes LOOP_LOCAL.
pir_status pir_loop_bind_threads(loop_fn *fn, const pir_target *target);

// Appends `in`, which is written for one value of `var`, widened to `lanes` values of it
// starting at `base`, under `mask` (NULL: all). The variables `known` of `in` get the vectors
// `values`. With 1 lane the code stays scalar.
pir_status pir_loop_widen(loop_fn *fn, loop_block *out, const loop_block *in, loop_var *var,
                          loop_expr *base, uint16_t lanes, loop_expr *mask,
                          loop_var *const *known, loop_expr *const *values, size_t count);

// The run of a kernel whose bytes are counted: its units, of which a block does so many at
// once, the values of extents, the bytes of each buffer, and of the cache that the block can
// use.
typedef struct loop_traffic_of {
  int64_t units, block_units;
  const int64_t *dims, *sizes;
  size_t buffer_count;
  int64_t cache_bytes;
} loop_traffic_of;

// Counts the bytes that a kernel of a device reads and writes, and how many of them it would if
// it did so once. Returns false if that takes too long or cannot be told.
bool pir_loop_count_traffic(const loop_fn *fn, const loop_traffic_of *of, double *out_moved,
                            double *out_needed);

// ---- text: a stable form, equal for functions that do the same, which loop_parse.c reads
// back. It states all that later code needs (pir-opt --emit=loops, cache keys)

// All functions, with their groups.
pir_status pir_loop_print(const loop_module *m, pir_writer out);
// The functions of one group.
pir_status pir_loop_print_group(const loop_group *group, pir_writer out);
// The text of an expression, or of the first line of a statement, as far as it goes.
void pir_loop_describe(const loop_stmt *s, const loop_expr *e, char *out, size_t size);

#endif
