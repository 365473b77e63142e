// What kernels of attention over a cache share: rows of queries, keys and values that one
// tensor holds, turned by the angles of their positions, and results that are rounded to 8
// bits.
#ifndef PIR_KERNELS_CACHED_H
#define PIR_KERNELS_CACHED_H

#include "attend.h"

// How a row is turned: which elements turn together, and which entry of the tables belongs to
// element i.
typedef enum turn_table {
  TURN_EACH,        // entry i
  TURN_PAIRS,       // entry i / 2
  TURN_FIRST_HALF,  // entry i, counted within a half
} turn_table;

typedef struct turn {
  bool halves;     // an element and the one half a block further; else two neighbours
  int64_t blocks;  // blocks of a row whose elements turn so
  turn_table table;
} turn;

// Turns a row of `width` elements by tables of cosines and sines. `room` holds `width` doubles.
void pir_turn_row(const turn *how, double *row, double *room, int64_t width,
                  const float *cosines, const float *sines);

// The rows of one token: queries of all heads, then keys, then values.
typedef struct token_rows {
  const pir_tensor *tensor;        // [tokens, (heads + 2 * key_heads) * width]
  const pir_tensor *scale, *bias;  // for each column, or NULL
  int64_t heads, key_heads, width;
} token_rows;

// Loads row `row` of a token (a head of queries, keys or values, in this order) as doubles.
void pir_load_token_row(const token_rows *rows, int64_t token, int64_t row, double *to);

// Divides the columns of x [.., columns] into queries, keys and values, of which there are
// `heads`; *out has no scale and no bias. Refuses x, by this name, if that leaves no queries of
// a multiple of the heads.
pir_status pir_split_token_rows(const pir_kernel_call *call, const pir_tensor *x,
                                const char *name, int64_t heads, int64_t width,
                                token_rows *out);

// Refuses operand `operand`, which may be absent, unless it has `n` elements.
pir_status pir_expect_numbers(const pir_kernel_call *call, int operand, const char *name,
                              int64_t n);

// Writes `from` [tokens, columns] as result 0: moved and scaled by operands `shift` and
// `smooth` if they are present, and rounded to 8 bits if attribute `out_scale` is positive. The
// attributes after it are the rounding, the upper bound and the lower bound.
pir_status pir_write_rounded(const pir_kernel_call *call, const pir_tensor *from, int shift,
                             int smooth, double out_scale, int first_attr);

// Copies an operand to the result that continues it, unless they share memory.
pir_status pir_continue_operand(const pir_kernel_call *call, int operand, int result);

#endif
