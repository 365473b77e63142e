// Matrices of whole numbers of 8 and 4 bits, as the op weight_quantize stores them. The kernels
// of weights work by these functions, and so does weight_only_pass.
#ifndef PIR_PACKED_WEIGHTS_H
#define PIR_PACKED_WEIGHTS_H

#include <pir/engine/tensor.h>

// Rows, and columns, of a tile.
enum { PIR_PACKED_TILE = 64 };

// A form: [columns, rows] bytes, or half as many of two numbers each.
typedef struct pir_packed_form {
  // Extents of the matrix.
  int64_t rows, columns;
  // Rows of a column that share a scale: a multiple of a tile's, or all.
  int64_t group;
  // 8 or 4.
  int bits;
  // Neither biased nor permuted; biased, but not permuted.
  bool plain, in_order;
  // The scales are rounded to this type before numbers are divided by them.
  pir_dtype scale_dtype;
} pir_packed_form;

// Floats of a matrix, of any alignment: element (r, c) has the number
// r * row_step + c * column_step.
typedef struct pir_float_matrix {
  // The first element.
  const void *data;
  // Distances of neighbours, in elements.
  int64_t row_step, column_step;
} pir_float_matrix;

// The part of a matrix that a tile covers, which is smaller at the ends.
typedef struct pir_packed_part {
  // Its first row and column.
  int64_t row, column;
  // Its rows and columns.
  int height, width;
} pir_packed_part;

// Returns the tile that begins at (row, column) and ends before the row `end`.
pir_packed_part pir_packed_part_at(const pir_packed_form *form, int64_t row, int64_t column,
                                   int64_t end);
// Copies the floats of a tile to out[r * PIR_PACKED_TILE + c].
void pir_packed_floats(const pir_float_matrix *from, const pir_packed_part *part, float *out);
// Copies the whole numbers of a tile to out[r * step + c].
void pir_packed_levels(const pir_packed_form *form, const uint8_t *from,
                       const pir_packed_part *part, int8_t *out, int64_t step);
// Quantises the columns of a tile from `column` on into `out`, which was zeros, and writes
// their scales into `scales`, of all columns of all groups. Tiles of columns may be done at the
// same time, unless the form is `in_order`, whose columns share bytes.
void pir_packed_quantise(const pir_packed_form *form, const pir_float_matrix *from,
                         int64_t column, uint8_t *out, float *scales);

#endif
