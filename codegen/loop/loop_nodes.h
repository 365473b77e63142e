// The nodes of loop IR, which loop.h explains together.
#ifndef PIR_LOOP_NODES_H
#define PIR_LOOP_NODES_H

#include <arena.h>
#include <pir/compiler/clause.h>
#include <pir/layer/codegen.h>

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
  bool stays;        // scratch: no element is held in a register from one access to the next
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
  LOOP_CONST,  // a number, in every lane
  LOOP_VAR,    // a variable
  LOOP_DIM,    // an extent or number that the run gives: args->dims[number]
  LOOP_OP,     // op over a, b, c: arithmetic, comparison, select, math, on all lanes
  LOOP_FMA,    // a * b + c, rounded once
  LOOP_DOT,    // c + the packed dot product of each lane of a and b
  LOOP_CAST,   // a as `dtype`: float to integer truncates, bool is != 0, f16 and bf16 round to
               // nearest even
  LOOP_BITCAST,    // bitcast of a to `dtype`, in as many lanes as its bits fill
  LOOP_BROADCAST,  // scalar a in every lane
  LOOP_RAMP,       // a + lane * b (integers; a, b scalar)
  LOOP_LOAD,  // memory: buffer[a], ..., buffer[a + lanes - 1]; lanes whose `mask` is false read
              // as 0. registers: the value of register a
  LOOP_GATHER,  // buffer[a] with a vector of indices
  LOOP_FOLD,    // the lanes of a combined into one
  LOOP_ZIP,     // interleaves lanes of a and b: of their lower half vectors or their upper ones
  LOOP_LOOKUP,  // lane i is lane b[i] of a, whose lanes are a power of two: of each i32 of b
                // the lowest bits count, which number them
  LOOP_TEAM     // devices: scalar a of all threads of the team combined, or of `group`
                // neighbouring ones; or of those up to the thread itself
} loop_kind;

// Packed dot products: each 32-bit lane holds several elements, the first in its lowest bits;
// one instruction multiplies them all.
typedef enum loop_dot {
  LOOP_DOT_BF16,  // two bf16 in each of a and b; c is f32. Denormals count as 0
  LOOP_DOT_S16,   // two s16 in each of a and b; c is i32, and wraps
  LOOP_DOT_U8S8   // four u8 in a, four s8 in b; c is i32, and wraps
} loop_dot;

// The kind decides which operands there are and which member of the union is valid.
struct loop_expr {
  uint8_t kind;   // loop_kind
  uint8_t dtype;  // pir_dtype or LOOP_INDEX
  bool given;     // an index computed from a tensor element of any size, so its sums may wrap
  uint16_t lanes;
  loop_expr *a, *b, *c;  // operands; NULL where the kind has fewer
  loop_expr *mask;       // LOOP_LOAD, LOOP_GATHER: bool lanes, or NULL; other kinds: NULL
  union {
    union {
      int64_t i;    // integers, bool and indices
      double f;     // floats
    } constant;     // LOOP_CONST
    loop_var *var;  // LOOP_VAR
    struct {
      int64_t number;
      bool is_signed;     // it may be negative
    } dim;                // LOOP_DIM
    pir_node_op op;       // LOOP_OP: of the value sort
    loop_dot dot;         // LOOP_DOT
    bool flushes;         // LOOP_CAST: from f32 to bf16, and denormals may become 0
    loop_buffer *buffer;  // LOOP_LOAD, LOOP_GATHER
    struct {
      pir_combine combine;  // LOOP_FOLD, LOOP_TEAM
      int group;            // LOOP_TEAM: a power of two up to a warp; 0: all threads
      bool prefix;          // LOOP_TEAM: of the threads up to this one, in their order
    };
    bool upper;  // LOOP_ZIP: of the upper half vectors
  };
  void *emitted;  // the emitter's: its value, in statement `emitted_in`
  uint64_t emitted_in;
};

// ---- statements

typedef enum loop_stmt_kind {
  LOOP_FOR,         // loop: for var = begin; var < end; var += step: body
  LOOP_IF,          // branch: if condition: body, else: other
  LOOP_LET,         // let: var = value, visible to the following statements
  LOOP_STORE,       // store: memory: buffer[index ...] = value where mask; registers: register
                    // `index` = value
  LOOP_SCATTER,     // store: buffer[index] = value where mask, with a vector of indices
  LOOP_ACCUMULATE,  // accumulate: register `index` = register `index` combined with value; a
                    // vectorised loop may split it into partial results (sums in any order)
  LOOP_PREFETCH,    // prefetch: of buffer[index], which may be out of range
  LOOP_TRAP,        // trap: where a lane of `where` is true, args->trap is set to `number`
  LOOP_MMA,         // mma: devices: a warp adds a product of fragments to sums
  LOOP_TILE,    // tile: an operation on tile registers, perhaps with memory at buffer[index]
  LOOP_TAKE,    // take: devices: entries are the first elements of a line, in order at last
  LOOP_COPY,    // copy: devices: begins to copy `from` to buffer[index]
  LOOP_COMMIT,  // devices: the copies that a thread began since its last one are a group
  LOOP_WAIT,    // wait: devices: until a thread's groups are copied, but the latest `groups`
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

// An operand of LOOP_MMA in shared memory, and where its other elements are: the distances of
// the next row, of the next eight rows, of the next term of a sum, and of the second half of
// the terms.
typedef struct loop_fragment {
  loop_expr *at;  // a load of the lane's own first element: of 16-bit floats, or of f32, which
                  // are rounded to tf32
  int64_t row, eight, term, half;
} loop_fragment;

// A block: statements in order.
typedef struct loop_block {
  loop_stmt *first, *last;
} loop_block;

// The kind decides which member of the union is valid; LOOP_COMMIT and LOOP_BARRIER have none.
struct loop_stmt {
  uint8_t kind;  // loop_stmt_kind
  loop_stmt *next;
  union {
    struct {
      uint8_t kind;     // loop_for_kind
      bool apart;       // if two iterations touch one element of memory, neither writes it
      uint16_t unroll;  // hint for the unroll factor; 0: none
      loop_var *var;
      loop_expr *begin, *end, *step;
      loop_block body;
    } loop;  // LOOP_FOR
    struct {
      loop_expr *condition;
      loop_block body, other;
    } branch;  // LOOP_IF
    struct {
      loop_var *var;
      loop_expr *value;
    } let;  // LOOP_LET
    struct {
      bool nontemporal;  // LOOP_STORE: if the buffer is large and whole aligned vectors are
                         // stored
      loop_buffer *buffer;
      loop_expr *index, *value;
      loop_expr *mask;  // bool lanes, or NULL
    } store;            // LOOP_STORE, LOOP_SCATTER
    struct {
      pir_combine combine;  // ADD, MUL, MAX, MIN, AND, OR
      loop_buffer *buffer;
      loop_expr *index, *value;
    } accumulate;  // LOOP_ACCUMULATE
    struct {
      bool far;  // into the L2 cache only, for data that is read later
      loop_buffer *buffer;
      loop_expr *index;
    } prefetch;  // LOOP_PREFETCH
    struct {
      uint32_t number;  // from 1
      loop_expr *where;
    } trap;  // LOOP_TRAP
    struct {
      loop_buffer *sums;  // registers of 2 lanes, of which `index` and the next are added to
      loop_expr *index;
      loop_fragment left;   // 16 rows of 16 16-bit floats, or of 8 f32
      loop_fragment right;  // 8 rows of as many
    } mma;                  // LOOP_MMA
    struct {
      loop_tile_op op;
      uint8_t tiles[3];
      loop_buffer *buffer;  // NULL if the operation touches no memory
      loop_expr *index;
      loop_expr *stride;  // bytes from one row to the next
    } tile;               // LOOP_TILE
    struct {
      int64_t kept;         // elements that are selected
      loop_buffer *buffer;  // i64: from buffer[index] on, pairs of a rank and a position
      loop_expr *index, *count, *at, *rank;  // element `at` of `count`; NULL: none is left
    } take;                                  // LOOP_TAKE
    struct {
      loop_buffer *buffer;  // shared memory
      loop_expr *index;
      loop_expr *from;  // a load of 4, 8 or 16 bytes of an argument; both places are aligned to
                        // that size. Where the mask is false, zeros are written
    } copy;             // LOOP_COPY
    struct {
      uint32_t groups;
    } wait;  // LOOP_WAIT
  };
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
