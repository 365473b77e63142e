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

// Takes room for a * b or c * d numbers.
static REAL *LAYER(take_larger)(LAYER(memory) * m, int64_t a, int64_t b, int64_t c, int64_t d) {
  int64_t first = 0, other = 0;
  m->over |= __builtin_mul_overflow(a, b, &first);
  m->over |= __builtin_mul_overflow(c, d, &other);
  return LAYER(take)(m, first > other ? first : other, 1);
}

static int64_t LAYER(largest)(int64_t a, int64_t b) {
  return a > b ? a : b;
}

// ---- packing and multiplying

// Packs `some` rows of one block of tile.rows rows.
static inline void LAYER(pack_some)(int64_t rows, int64_t some, LAYER(matrix) m,
                                    const REAL *from, REAL *to) {
  for (int64_t k = 0; k < m.columns; k++, to += rows, from += m.column)
#pragma GCC unroll 8
    for (int64_t r = 0; r < some; r++)
      to[r] = from[r * m.row];
}

// Packs one block of tile.rows rows, of which `some` exist; the others are zeros.
static void LAYER(pack_block)(int64_t rows, int64_t some, LAYER(matrix) m, const REAL *from,
                              REAL *to) {
  enum { MOST = 8 };  // rows of the widest tile: a number that is known makes vectors of them
  if (some == MOST && m.row == 1) {
    for (int64_t k = 0; k < m.columns; k++)
      memcpy(to + k * rows, from + k * m.column, MOST * sizeof *to);
  } else if (some == MOST) {
    LAYER(pack_some)(rows, MOST, m, from, to);
  } else {
    memset(to, 0, (size_t)(some < rows ? rows * m.columns : 0) * sizeof *to);
    LAYER(pack_some)(rows, some, m, from, to);
  }
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

// Adds a row of sums.
static void LAYER(add_row_of_sums)(const LAYER(product) * p, int64_t row, int64_t column,
                                   const REAL *restrict sums) {
  int64_t left = p->columns - column;
  int64_t wide = left < p->tile->columns ? left : p->tile->columns;
  REAL *restrict to = p->out + row * p->columns + column;
  const REAL *restrict bias = p->bias ? p->bias + column : NULL;
  if (p->add)
    for (int64_t c = 0; c < wide; c++)
      to[c] += sums[c];
  else if (bias)
    for (int64_t c = 0; c < wide; c++)
      to[c] = bias[c] + sums[c];
  else
    memcpy(to, sums, (size_t)wide * sizeof *to);
}

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
      for (int r = 0; r < t->rows && row + r < p->rows; r++)
        LAYER(add_row_of_sums)(p, row + r, j, sums + r * t->columns);
    }
}

static void LAYER(multiply)(const pir_kernel_call *call, LAYER(product) * p) {
  int64_t blocks = (p->rows + p->tile->rows - 1) / p->tile->rows;
  pir_kernel_each(call, blocks, LAYER(multiply_row_blocks), p);
}
