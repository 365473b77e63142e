// The nodes of loop IR: buffers, expressions, statements, functions and modules (loop.h
// explains them together).
#ifndef PIR_LOOP_NODES_H
#define PIR_LOOP_NODES_H

#include <arena.h>
#include <pir/clause.h>
#include <pir/codegen.h>

typedef struct loop_module loop_module;
typedef struct loop_expr loop_expr;
typedef struct loop_stmt loop_stmt;
typedef struct loop_fn loop_fn;

// ---- types

// Elements of tensors have the IR's types (pir_dtype); their integer arithmetic wraps. Index
// arithmetic (positions, extents, counts) has the separate type LOOP_INDEX: its sums,
// differences and products do not overflow, so they are simplified as mathematical integers.
// Casts convert between both.
#define LOOP_INDEX PIR_DTYPE_COUNT

static inline size_t pir_loop_type_size(uint8_t type) {
  return type == LOOP_INDEX ? 8 : pir_dtype_size(type);
}
const char *pir_loop_type_text(uint8_t type);

// ---- buffers

typedef enum loop_space {
  LOOP_ARG,       // args->buffers[slot]; a buffer that is written does not overlap any other
  LOOP_SCRATCH,   // `count` elements of the thread's scratch
  LOOP_REGISTER,  // `count` values of `lanes` lanes, each an SSA variable: indices must be
                  // constant once unrolled loops are expanded
  LOOP_LOCAL,     // devices: `count` elements of one thread's own
  LOOP_SHARED     // devices: `count` elements that the threads of a block share
} loop_space;

typedef struct loop_buffer {
  const char *name;
  uint8_t space;     // loop_space
  uint8_t dtype;     // pir_dtype; registers: LOOP_INDEX too
  uint16_t lanes;    // registers; 1 for memory
  uint16_t id;       // position in the function
  uint16_t slot;     // LOOP_ARG: index in args->buffers
  uint32_t align;    // LOOP_ARG: alignment of the first element in bytes; 1: unknown
  bool read_only;    // LOOP_ARG: read-only while the stage runs
  int64_t count;     // scratch and registers
  int64_t offset;    // scratch: offset in bytes, set by pir_loop_scratch
  loop_expr *large;  // LOOP_ARG: the condition (over extents) under which the stored data
                     // exceeds the caches; NULL: never
  int64_t multiple;  // registers: all values are multiples of this (0: unknown)
} loop_buffer;

typedef struct loop_var {
  const char *name;
  uint8_t dtype;  // pir_dtype or LOOP_INDEX
  bool given;     // an index of any value, computed from a tensor element (see loop_expr)
  uint16_t lanes;
  uint32_t id;        // unique in the function
  int64_t multiple;   // the value is a multiple of this (0: unknown)
  loop_expr *extent;  // 0 <= value < extent, or NULL; used to simplify index arithmetic
} loop_var;

// ---- expressions

typedef enum loop_kind {
  LOOP_CONST,  // i (integers, bool) or f (floats), in every lane
  LOOP_VAR,    // var
  LOOP_DIM,    // args->dims[i]
  LOOP_OP,     // fn over a, b, c: arithmetic, comparison, select, math, on all lanes
  LOOP_FMA,    // a * b + c, rounded once
  LOOP_DOT,    // c + the packed dot product (loop_dot `fn`) of each lane of a and b
  LOOP_CAST,   // a as `dtype`: float to integer truncates, bool is != 0, f16 and bf16 round to
               // nearest even
  LOOP_BITCAST,    // bitcast of a to `dtype`, in as many lanes as its bits fill
  LOOP_BROADCAST,  // scalar a in every lane
  LOOP_RAMP,       // a + lane * b (integers; a, b scalar)
  LOOP_LOAD,  // memory: buffer[a], ..., buffer[a + lanes - 1]; lanes whose `mask` is false read
              // as 0. registers: the value of register a
  LOOP_GATHER,  // buffer[a] with a vector of indices
  LOOP_FOLD,    // the lanes of a combined into one, by pir_combine `fn`
  LOOP_ZIP,  // interleaves lanes of a and b: of the lower half vectors (fn 0) or the upper ones
             // (fn 1)
  LOOP_TEAM  // devices: scalar a of all threads of the team combined, by pir_combine `fn`
} loop_kind;

// Packed dot products: each 32-bit lane holds several elements, the first in its lowest bits;
// one instruction multiplies them all.
typedef enum loop_dot {
  LOOP_DOT_BF16,  // two bf16 in each of a and b; c is f32. Denormals count as 0
  LOOP_DOT_S16,   // two s16 in each of a and b; c is i32, and wraps
  LOOP_DOT_U8S8   // four u8 in a, four s8 in b; c is i32, and wraps
} loop_dot;

struct loop_expr {
  uint8_t kind;   // loop_kind
  uint8_t dtype;  // pir_dtype or LOOP_INDEX
  bool given;     // an index computed from a tensor element of any size, so its sums may wrap
  uint16_t lanes;
  uint16_t fn;  // LOOP_OP: a pir_node_op of the value sort; LOOP_FOLD, LOOP_TEAM: pir_combine;
                // LOOP_DIM: 1 when it may be negative; LOOP_DOT: loop_dot; LOOP_CAST to bf16: 1
                // where denormals may become 0
  loop_expr *a, *b, *c;
  loop_expr *mask;  // bool lanes, or NULL
  loop_buffer *buffer;
  loop_var *var;
  int64_t i;
  double f;
  void *emitted;  // the emitter's: its value, in statement `emitted_in`
  uint64_t emitted_in;
};

// ---- statements

typedef enum loop_stmt_kind {
  LOOP_FOR,      // for var = begin; var < end; var += step: body
  LOOP_IF,       // if value: body else other
  LOOP_LET,      // var = value, visible to the following statements
  LOOP_STORE,    // memory: buffer[index ...] = value where mask; registers: register `index` =
                 // value
  LOOP_SCATTER,  // buffer[index] = value with a vector of indices
  LOOP_ACCUMULATE,  // register `index` = register `index` combined with value; a vectorised
                    // loop may split it into partial results (sums in any order)
  LOOP_PREFETCH,    // prefetch of buffer[index], which may be out of range
  LOOP_TRAP,        // where a lane of value is true, args->trap is set to `index`
  LOOP_MMA,  // devices: a warp multiplies the 16-bit float fragments at `value` (16 x 16) and
             // `right` (8 x 16), which are loads of shared memory with rows `stride` apart, and
             // adds to registers index and index + 1 of 2 lanes
  LOOP_TILE,    // tile registers: loop_tile_op `combine` on `tiles`, `buffer` at `index` with
                // rows `value` bytes apart
  LOOP_BARRIER  // devices: barrier of all threads of the block
} loop_stmt_kind;

// Operations on tile registers, which have 16 rows of 64 bytes each.
typedef enum loop_tile_op {
  LOOP_TILE_SHAPES,   // loads the configuration of all tiles from 64 bytes at buffer[index]
  LOOP_TILE_RELEASE,  // releases all tile registers
  LOOP_TILE_ZERO,
  LOOP_TILE_LOAD,
  LOOP_TILE_STORE,
  LOOP_TILE_BF16,  // the first += the product of the second and third: pairs of bf16
  LOOP_TILE_U8S8,  // fours of bytes
  LOOP_TILE_S8S8
} loop_tile_op;

typedef enum loop_for_kind {
  LOOP_SERIAL,
  LOOP_PARALLEL,    // over the units of the stage; begin and end are the function's
  LOOP_UNROLLED,    // constant bounds; the emitter unrolls it, so var is a constant in each
                    // copy
  LOOP_VECTORISED,  // for pir_loop_vectorise or pir_loop_bind_threads to rewrite; iterations
                    // are independent except for LOOP_ACCUMULATE
  LOOP_THREADS      // devices: shared among the threads of the team; thread t takes begin + t,
                    // begin + t + threads, ..
} loop_for_kind;

// A block: statements in order.
typedef struct loop_block {
  loop_stmt *first, *last;
} loop_block;

struct loop_stmt {
  uint8_t kind;      // loop_stmt_kind
  uint8_t for_kind;  // loop_for_kind
  uint8_t combine;   // LOOP_ACCUMULATE: pir_combine ADD, MUL, MAX, MIN, AND, OR; LOOP_TILE:
                     // loop_tile_op
  bool nontemporal;  // LOOP_STORE: non-temporal if the buffer is large and whole aligned
                     // vectors are stored
  bool apart;  // LOOP_FOR: if two iterations touch one element of memory, neither writes it
  uint8_t tiles[3];  // LOOP_TILE
  uint16_t unroll;   // LOOP_FOR: hint for the unroll factor; 0: none
  loop_stmt *next;
  loop_var *var;
  loop_expr *begin, *end, *step;
  loop_expr *index, *value, *mask, *right;
  int64_t stride;
  loop_buffer *buffer;
  loop_block body, other;
};

// The functions made from one group of a program.
typedef struct loop_group {
  const char *name;  // "g0"
  const char *ops;   // names of the group's ops, for people
  loop_fn *first;    // NULL: it needs no function
  struct loop_group *next;
} loop_group;

struct loop_fn {
  loop_module *module;
  loop_fn *next;
  const char *name;
  loop_group *group;  // NULL: none
  loop_buffer **buffers;
  uint16_t buffer_count, buffer_capacity;
  uint32_t var_count;
  loop_var *begin, *end;
  int64_t scratch_bytes;
  bool traps;   // it holds a LOOP_TRAP
  int threads;  // threads of the team that works on one unit; devices: a power of two up to 32,
                // or a whole block; processors: 0
  loop_block body;
};

struct loop_module {
  loop_fn *first, *last;
  size_t fn_count;
  loop_group *groups, *last_group;
  uint64_t emitted;              // statements emitted so far: numbers for loop_expr.emitted_in
  bool flush;                    // rounding to bf16 may flush denormals to 0
  bool verify;                   // functions are verified after every rewrite (loop_verify.h)
  const char *fault;             // the first fault that was found so, or NULL
  const struct pir_map *places;  // text locations of nodes (pir_loc) if the loops were parsed,
                                 // or NULL
  pir_arena arena;
  pir_heap own;  // unless it is made in another one
};

#endif
