// A contraction as numbers: out[c] = sum over the reduced coordinates of x[c] * y[c], where
// every position is affine in the coordinates. contraction_affine.c finds it in a clause;
// contraction.c runs it with the tiles of contraction_tile.c.
#ifndef PIR_CONTRACT_H
#define PIR_CONTRACT_H

#include "affine_form.h"

enum { CONTRACT_BOUNDS = 4 };

// An operand: the positions of its elements, and the indices that may leave [0, extent), where
// it counts as 0.
typedef struct contract_operand {
  const pir_tensor *tensor;
  affine_form offset;
  int bounds;
  affine_form index[CONTRACT_BOUNDS];
  int64_t extent[CONTRACT_BOUNDS];
} contract_operand;

typedef struct contract {
  int coords;
  int64_t extent[AFFINE_COORDS];
  bool reduced[AFFINE_COORDS];
  contract_operand x, y;
  affine_form out;  // offset in the result
  pir_dtype
      lanes;  // the type of products and sums: f32 (of f16 and bf16 too), f64, i64, c64 or c128
} contract;

// Finds phase `phase` of a clause that consists of contractions, each with its own results;
// *out_phases is their number. False if the clause has another form.
bool pir_contract_find(const clause_bind *b, int phase, contract *out, int *out_phases);

// A register tile: c[rows][columns] = (add ? c : 0) + x[depth][rows]^T * y[depth][columns], in
// lanes. x and y are packed without gaps; rows of c begin `row` lanes apart.
typedef void contract_tile_run(int64_t depth, const void *x, const void *y, void *c,
                               int64_t row, bool add);
typedef struct contract_tile {
  int rows, columns;
  contract_tile_run *run;
  // Computes the first few_rows rows alone, from the same packed x, which has all rows. NULL:
  // there is none.
  int few_rows;
  contract_tile_run *run_few;
  void (*axpy)(int64_t n, float a, const float *x, float *y);  // y += a * x
  float (*dot)(int64_t n, const float *x, const float *y);
} contract_tile;

enum { TILE_ROWS = 8, TILE_COLUMNS = 32 };  // size of the largest tile

// What computes a tile of which `used` rows are asked for: at least these, *rows of them.
static inline contract_tile_run *contract_run_of(const contract_tile *t, int64_t used,
                                                 int *rows) {
  bool few = t->run_few && used <= t->few_rows;
  *rows = few ? t->few_rows : t->rows;
  return few ? t->run_few : t->run;
}

contract_tile
pir_contract_tile(pir_dtype lanes);  // tile for this processor; axpy and dot only for f32
contract_tile pir_contract_wide_tile(pir_dtype lanes);  // tile for lanes other than f32

#endif
