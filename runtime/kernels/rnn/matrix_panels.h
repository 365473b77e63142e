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
    if (m.column == 1 && some == 16) {
      memcpy(to, from, 16 * sizeof *to);
    } else if (m.column == 1) {
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

// Panels of tile.columns columns, each [rows][columns], the last one filled up with zeros.
typedef struct LAYER(column_panels) {
  const contract_tile *tile;
  LAYER(matrix) from;
  REAL *to;
} LAYER(column_panels);

static int64_t LAYER(panel_count)(const contract_tile *t, int64_t columns) {
  return (columns + t->columns - 1) / t->columns;
}

static void LAYER(pack_some_panels)(void *user, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const LAYER(column_panels) *p = user;
  const LAYER(matrix) *m = &p->from;
  int64_t wide = p->tile->columns;
  for (int64_t first = begin * wide; first < end * wide; first += wide) {
    int64_t left = m->columns - first;
    LAYER(pack_panel)(wide, left < wide ? left : wide, *m, m->data + first * m->column,
                      p->to + first * m->rows);
  }
}
