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

typedef REAL LAYER(four)
    __attribute__((vector_size(4 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

// Packs 4 columns of 4 rows, whose elements are adjacent: a square, turned.
static inline void LAYER(pack_square)(int64_t rows, int64_t row, const REAL *from, REAL *to) {
  LAYER(four) r[4];
  LAYER(four) s[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++)
    r[i] = *(const LAYER(four) *)(from + i * row);
#pragma GCC unroll 2
  for (int i = 0; i < 2; i++) {
    s[2 * i] = __builtin_shufflevector(r[i], r[i + 2], 0, 4, 1, 5);
    s[2 * i + 1] = __builtin_shufflevector(r[i], r[i + 2], 2, 6, 3, 7);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; i++) {
    *(LAYER(four) *)(to + 2 * i * rows) = __builtin_shufflevector(s[i], s[i + 2], 0, 4, 1, 5);
    *(LAYER(four) *)(to + (2 * i + 1) * rows) =
        __builtin_shufflevector(s[i], s[i + 2], 2, 6, 3, 7);
  }
}

// Packs 4 columns of 2 rows, whose elements are adjacent.
static inline void LAYER(pack_pair)(int64_t rows, int64_t row, const REAL *from, REAL *to) {
#pragma GCC unroll 4
  for (int64_t k = 0; k < 4; k++) {
    to[k * rows] = from[k];
    to[k * rows + 1] = from[row + k];
  }
}

// Packs `some` rows of one block of tile.rows rows.
static inline void LAYER(pack_some)(int64_t rows, int64_t some, LAYER(matrix) m,
                                    const REAL *from, REAL *to) {
  int64_t k = 0;
  if (m.column == 1 && some % 2 == 0)
    for (; k + 4 <= m.columns; k += 4) {
      int64_t r = 0;
      for (; r + 4 <= some; r += 4)
        LAYER(pack_square)(rows, m.row, from + r * m.row + k, to + k * rows + r);
      if (r < some)
        LAYER(pack_pair)(rows, m.row, from + r * m.row + k, to + k * rows + r);
    }
  for (; k < m.columns; k++)
#pragma GCC unroll 8
    for (int64_t r = 0; r < some; r++)
      to[k * rows + r] = from[r * m.row + k * m.column];
}

// Packs `some` rows that are adjacent in each column.
static inline void LAYER(pack_lines)(int64_t rows, int64_t some, LAYER(matrix) m,
                                     const REAL *from, REAL *to) {
  for (int64_t k = 0; k < m.columns; k++)
    memcpy(to + k * rows, from + k * m.column, (size_t)some * sizeof *to);
}

// Packs one block of tile.rows rows, of which `some` exist; the others are zeros, unless the
// tile of few rows takes exactly these.
static void LAYER(pack_block)(const contract_tile *t, int64_t some, LAYER(matrix) m,
                              const REAL *from, REAL *to) {
  // Rows of the tiles of AVX-512 and AVX2: a number that is known makes vectors of them.
  enum { MOST = 8, MORE = 6 };
  int64_t rows = t->rows;
  int read;
  contract_run_of(t, some, &read);
  if (some < read)
    memset(to, 0, (size_t)(rows * m.columns) * sizeof *to);
  if (some == MOST && m.row == 1)
    LAYER(pack_lines)(rows, MOST, m, from, to);
  else if (some == MORE && m.row == 1)
    LAYER(pack_lines)(rows, MORE, m, from, to);
  else if (some == MOST)
    LAYER(pack_some)(rows, MOST, m, from, to);
  else if (some == MORE)
    LAYER(pack_some)(rows, MORE, m, from, to);
  else
    LAYER(pack_some)(rows, some, m, from, to);
}

// Packs blocks of `rows` rows from `begin` to `end`, each [columns][tile.rows], filled up with
// zeros. Columns are taken a few at a time: where they lie apart, their cache lines are read
// once for all blocks.
static void LAYER(pack_row_blocks)(const contract_tile *t, int64_t rows, LAYER(matrix) m,
                                   int64_t begin, int64_t end, REAL *to) {
  enum { SOME = 8 };
  int64_t step = m.row == 1 ? SOME : m.columns;
  for (int64_t k = 0; k < m.columns; k += step)
    for (int64_t block = begin; block < end; block++) {
      int64_t first = block * rows, left = m.rows - first;
      LAYER(matrix) part = m;
      part.columns = m.columns - k < step ? m.columns - k : step;
      LAYER(pack_block)
      (t, left < rows ? left : rows, part, m.data + first * m.row + k * m.column,
       to + (block * m.columns + k) * t->rows);
    }
}

// out[i][j] = (add ? out[i][j] : bias ? bias[j] : 0) + the sum over k of a[i][k] * b[k][j].
typedef struct LAYER(product) {
  const contract_tile *tile;
  int64_t block;       // rows of a block: the tile's, or its few
  LAYER(matrix) left;  // without data: `a` holds it already
  REAL *a;             // packed blocks of rows
  const REAL *b;       // packed panels of columns
  const REAL *bias;
  bool add;
  REAL *out;
  int64_t rows, columns, depth;
} LAYER(product);

// Computes the part of a tile of `used` rows that lies inside of the result.
static void LAYER(multiply_edge)(const LAYER(product) * p, const REAL *a, int64_t row,
                                 int64_t used, int64_t column) {
  const contract_tile *t = p->tile;
  REAL sums[TILE_ROWS * TILE_COLUMNS];
  int64_t left = p->columns - column, wide = left < t->columns ? left : t->columns;
  int rows;
  contract_run_of(t, used, &rows)(p->depth, a, p->b + column * p->depth, sums, t->columns,
                                  false);
  for (int r = 0; r < used; r++) {
    REAL *restrict to = p->out + (row + r) * p->columns + column;
    for (int64_t c = 0; c < wide; c++) {
      REAL before = p->add ? to[c] : 0;
      if (p->bias && !p->add)
        before = p->bias[column + c];
      to[c] = before + sums[r * t->columns + c];
    }
  }
}

static void LAYER(multiply_tile)(const LAYER(product) * p, int64_t block, int64_t column) {
  const contract_tile *t = p->tile;
  int64_t row = block * p->block, left = p->rows - row;
  int64_t used = left < p->block ? left : p->block;
  const REAL *a = p->a + block * t->rows * p->depth;
  REAL *out = p->out + row * p->columns + column;
  int rows;
  contract_tile_run *run = contract_run_of(t, used, &rows);
  if (rows > used || column + t->columns > p->columns) {
    LAYER(multiply_edge)(p, a, row, used, column);
    return;
  }
  bool biased = p->bias && !p->add;
  size_t line = (size_t)t->columns * sizeof *out;
  for (int r = 0; r < rows && biased; r++)
    memcpy(out + r * p->columns, p->bias + column, line);
  run(p->depth, a, p->b + column * p->depth, out, p->columns, p->add || biased);
}

// Computes blocks of rows from `begin` to `end`.
static void LAYER(multiply_row_blocks)(void *user, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const LAYER(product) *p = user;
  if (p->left.data)
    LAYER(pack_row_blocks)(p->tile, p->block, p->left, begin, end, p->a);
  for (int64_t j = 0; j < p->columns; j += p->tile->columns)
    for (int64_t block = begin; block < end; block++)
      LAYER(multiply_tile)(p, block, j);
}

static void LAYER(multiply)(const pir_kernel_call *call, LAYER(product) * p) {
  pir_kernel_each(call, block_count(p->block, p->rows), LAYER(multiply_row_blocks), p);
}
