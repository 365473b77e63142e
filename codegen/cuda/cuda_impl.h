// Types and functions that the CUDA C printers share.
#ifndef PIR_CUDA_IMPL_H
#define PIR_CUDA_IMPL_H

#include "architecture.h"
#include "cuda.h"
#include "machine.h"

#include <strbuf.h>

enum { WARP = 32 };  // threads

typedef struct cuda_emitter {
  pir_arena arena;  // memory of notes and texts
  pir_strbuf text;  // the statements of the function so far
  const loop_fn *fn;
  const pir_machine *machine;
  const device_architecture *architecture;
  loop_module *m;
  int depth;         // nesting of blocks, for indentation
  int shared_out;    // loops that share their iterations among threads around this place
  uint32_t temps;    // names given so far
  bool *narrow;      // by the number of a variable: it is declared as an i32
  uint64_t dims[4];  // run-time extents that the function reads: a bit each
  const char *why;   // the first thing that has no CUDA form
} cuda_emitter;

// Returns the C name of an element type: in a register, or in memory (where bool is a byte).
const char *cuda_type(pir_dtype dtype);
const char *cuda_memory_type(pir_dtype dtype);
void cuda_text(cuda_emitter *e, const char *text);
void cuda_indent(cuda_emitter *e);
// Starts a statement. cuda_settle counts the uses in an expression, so that a node used twice
// is computed once.
void cuda_begin(cuda_emitter *e);
void cuda_count(cuda_emitter *e, loop_expr *x);
// Writes the variables that the expression needs before the statement; then cuda_put prints one
// of its lanes.
void cuda_settle(cuda_emitter *e, loop_expr *x);
void cuda_put(cuda_emitter *e, const loop_expr *x, unsigned lane);
// Prints the element of a buffer at `index` + lane, as an lvalue.
void cuda_put_place(cuda_emitter *e, const loop_buffer *buffer, const loop_expr *index,
                    unsigned lane);
// Whether `lanes` elements starting at `index` can be one aligned access.
bool cuda_is_wide(const loop_buffer *buffer, const loop_expr *index, unsigned lanes);

// The text at the start of every module: types, 16-bit floats, functions that CUDA lacks, team
// reductions.
extern const char cuda_prelude[];

#endif
