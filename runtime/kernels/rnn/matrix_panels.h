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

// Packs `some` columns of a panel of `columns` columns; the others are zeros.
static void LAYER(pack_panel)(int64_t columns, int64_t some, LAYER(matrix) m, const REAL *from,
                              REAL *to) {
  for (int64_t k = 0; k < m.rows; k++, to += columns, from += m.row) {
    if (m.column == 1) {
      memcpy(to, from, (size_t)some * sizeof *to);
    } else {
#pragma GCC unroll 8
      for (int64_t j = 0; j < some; j++)
        to[j] = from[j * m.column];
    }
    for (int64_t j = some; j < columns; j++)
      to[j] = 0;
  }
}

// Packs panels of tile.columns columns, each [rows][columns], the last one filled up with
// zeros.
static void LAYER(pack_column_panels)(const contract_tile *t, LAYER(matrix) m, REAL *to) {
  for (int64_t first = 0; first < m.columns; first += t->columns, to += m.rows * t->columns) {
    int64_t left = m.columns - first;
    LAYER(pack_panel)(t->columns, left < t->columns ? left : t->columns, m,
                      m.data + first * m.column, to);
  }
}
