// Right sides of products, packed for the register tiles of contractions, in the type REAL;
// rnn.c and rnn_grad.c include this file for float and for double. It has no include guard,
// because it defines other names each time.

// Element [i][j] is data[i * row + j * column].
typedef struct LAYER(matrix) {
  const REAL *data;
  int64_t rows, columns, row, column;
} LAYER(matrix);

static LAYER(matrix) LAYER(transposed)(const REAL *data, int64_t rows, int64_t columns) {
  return (LAYER(matrix)){data, columns, rows, 1, columns};
}

// Packs panels of tile.columns columns, each [rows][columns], the last one filled up with
// zeros.
static void LAYER(pack_column_panels)(const contract_tile *t, LAYER(matrix) m, REAL *to) {
  for (int64_t first = 0; first < m.columns; first += t->columns)
    for (int64_t k = 0; k < m.rows; k++, to += t->columns) {
      const REAL *from = m.data + k * m.row + first * m.column;
      int64_t left = m.columns - first;
      for (int64_t j = 0; j < t->columns; j++)
        to[j] = j < left ? from[j * m.column] : 0;
    }
}
