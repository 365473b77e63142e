// Products of matrices by the register tiles of contractions, in the type REAL; rnn_grad.c
// includes this file for float and for double. It has no include guard, because it defines
// other names each time.

static LAYER(matrix) LAYER(dense)(const REAL *data, int64_t rows, int64_t columns) {
  return (LAYER(matrix)){data, rows, columns, columns, 1};
}

// ---- memory that holds several matrices

typedef struct LAYER(memory) {
  REAL *first;  // NULL: only the sum is asked for
  int64_t used;
  bool over;  // the sum leaves its type
} LAYER(memory);

static REAL *LAYER(take)(LAYER(memory) * m, int64_t a, int64_t b) {
  int64_t size;
  REAL *taken = m->first && !m->over ? m->first + m->used : NULL;
  m->over |= __builtin_mul_overflow(a, b, &size);
  m->over |= m->over || __builtin_add_overflow(m->used, size, &m->used);
  return taken;
}

static int64_t LAYER(largest)(int64_t a, int64_t b) {
  return a > b ? a : b;
}

// ---- packing and multiplying

// Packs one block of tile.rows rows, of which `some` exist, in the order in which they lie.
static void LAYER(pack_block)(int64_t rows, int64_t some, LAYER(matrix) m, const REAL *from,
                              REAL *to) {
  memset(to, 0, (size_t)(some < rows ? rows * m.columns : 0) * sizeof *to);
  if (m.row == 1) {
    for (int64_t k = 0; k < m.columns; k++)
      memcpy(to + k * rows, from + k * m.column, (size_t)some * sizeof *to);
    return;
  }
  for (int64_t r = 0; r < some; r++)
    for (int64_t k = 0; k < m.columns; k++)
      to[k * rows + r] = from[r * m.row + k * m.column];
}

// Packs blocks of tile.rows rows, each [columns][rows], the last one filled up with zeros.
static void LAYER(pack_row_blocks)(const contract_tile *t, LAYER(matrix) m, REAL *to) {
  for (int64_t first = 0; first < m.rows; first += t->rows, to += t->rows * m.columns) {
    int64_t left = m.rows - first;
    LAYER(pack_block)(t->rows, left < t->rows ? left : t->rows, m, m.data + first * m.row, to);
  }
}

// out[i][j] = (add ? out[i][j] : bias ? bias[j] : 0) + the sum over k of a[i][k] * b[k][j].
typedef struct LAYER(product) {
  const contract_tile *tile;
  const REAL *a, *b;  // packed: blocks of rows, and panels of columns
  const REAL *bias;
  bool add;
  REAL *out;
  int64_t rows, columns, depth;
} LAYER(product);

// Computes blocks of rows from `begin` to `end`.
static void LAYER(multiply_row_blocks)(void *user, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const LAYER(product) *p = user;
  const contract_tile *t = p->tile;
  REAL sums[TILE_ROWS * TILE_COLUMNS];
  for (int64_t j = 0; j < p->columns; j += t->columns)
    for (int64_t block = begin; block < end; block++) {
      int64_t row = block * t->rows;
      t->run(p->depth, p->a + row * p->depth, p->b + j * p->depth, sums, false);
      for (int r = 0; r < t->rows && row + r < p->rows; r++) {
        REAL *to = p->out + (row + r) * p->columns + j;
        for (int c = 0; c < t->columns && j + c < p->columns; c++) {
          REAL before = p->bias ? p->bias[j + c] : 0;
          to[c] = (p->add ? to[c] : before) + sums[r * t->columns + c];
        }
      }
    }
}

static void LAYER(multiply)(const pir_kernel_call *call, LAYER(product) * p) {
  int64_t blocks = (p->rows + p->tile->rows - 1) / p->tile->rows;
  pir_kernel_each(call, blocks, LAYER(multiply_row_blocks), p);
}
