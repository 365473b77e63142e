// Copies between tensors of any strides. The plan drops unit axes, merges axes that are
// contiguous in both tensors and puts the axis with the smallest destination stride innermost:
// a dense copy is one memcpy. When another axis is innermost in the source (a transposition),
// squares of 16 by 16 elements are read in whole cache lines, transposed, and written in whole
// cache lines. Cost: one pass over the elements, at the speed of memory.
#include <string.h>

#include "convert.h"
#include "copy.h"

enum { SIDE = 16, AHEAD = 4 * SIDE, SERIAL_BYTES = 1 << 16, RUN_UNIT = 4096 };

typedef struct copy_run {
  copy_loops loops;
  const pir_tensor *from;
  pir_tensor *to;
} copy_run;

// ---- squares

typedef uint32_t four __attribute__((vector_size(16)));

// out[i][j] = in[j][i] for four by four words of two squares.
static void transpose_four(const uint32_t *in, uint32_t *out) {
  four r[4];
  for (int i = 0; i < 4; i++)
    memcpy(&r[i], in + i * SIDE, sizeof r[i]);
  four a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
  four b = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
  four c = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
  four d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
  r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  r[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  r[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
  for (int i = 0; i < 4; i++)
    memcpy(out + i * SIDE, &r[i], sizeof r[i]);
}

// Transposes a whole square of 4-byte elements. Steps count bytes.
static void transpose_words(const char *in, int64_t in_step, char *out, int64_t out_step) {
  uint32_t read[SIDE * SIDE], turned[SIDE * SIDE];
  for (int j = 0; j < SIDE; j++)
    memcpy(read + j * SIDE, in + j * in_step, SIDE * sizeof *read);
  for (int j = 0; j < SIDE; j += 4)
    for (int i = 0; i < SIDE; i += 4)
      transpose_four(read + j * SIDE + i, turned + i * SIDE + j);
  for (int i = 0; i < SIDE; i++)
    memcpy(out + i * out_step, turned + i * SIDE, SIDE * sizeof *turned);
}

// Transposes a part of a square: `rows` of `out` by `columns`. Steps count bytes.
#define TRANSPOSE(bytes)                                                                       \
  static void transpose_##bytes(const char *in, int64_t in_step, char *out, int64_t out_step,  \
                                int rows, int columns) {                                       \
    for (int i = 0; i < rows; i++)                                                             \
      for (int j = 0; j < columns; j++)                                                        \
        memcpy(out + i * out_step + j * (bytes), in + j * in_step + i * (bytes), bytes);       \
  }
TRANSPOSE(1)
TRANSPOSE(2)
TRANSPOSE(4)
TRANSPOSE(8)
TRANSPOSE(16)
#undef TRANSPOSE

static void transpose_square(size_t size, const char *in, int64_t in_step, char *out,
                             int64_t out_step, int rows, int columns) {
  switch (size) {
    case 1: transpose_1(in, in_step, out, out_step, rows, columns); break;
    case 2: transpose_2(in, in_step, out, out_step, rows, columns); break;
    case 8: transpose_8(in, in_step, out, out_step, rows, columns); break;
    case 16: transpose_16(in, in_step, out, out_step, rows, columns); break;
    default:
      if (rows == SIDE && columns == SIDE)
        transpose_words(in, in_step, out, out_step);
      else
        transpose_4(in, in_step, out, out_step, rows, columns);
  }
}

// Runs the last two loops of a transposition: rows are contiguous in `from`, columns in `to`.
static void transpose_last_loops(const copy_loops *l, size_t size, const char *in, char *out) {
  int64_t rows = l->extent[l->rank - 2];
  int64_t columns = l->extent[l->rank - 1];
  int64_t bytes = (int64_t)size;
  int64_t out_step = l->to[l->rank - 2] * bytes;
  int64_t in_step = l->from[l->rank - 1] * bytes;
  for (int64_t i = 0; i < rows; i += SIDE)
    for (int64_t j = 0; j < columns; j += SIDE) {
      // The source rows lie too far apart for the hardware prefetcher.
      for (int k = 0; k < SIDE && j + k < columns; k++)
        __builtin_prefetch(in + (i + AHEAD) * bytes + (j + k) * in_step);
      int64_t rows_here = rows - i < SIDE ? rows - i : SIDE;
      int64_t columns_here = columns - j < SIDE ? columns - j : SIDE;
      transpose_square(size, in + i * bytes + j * in_step, in_step,
                       out + i * out_step + j * bytes, out_step, (int)rows_here,
                       (int)columns_here);
    }
}

// ---- loops

static int64_t absolute_stride(int64_t x) {
  return x < 0 ? -x : x;
}

// Moves loop `at` inwards to place `to`; the loops between them move out by one.
static void move_copy_loop(copy_loops *l, int at, int to) {
  copy_loops old = *l;
  for (int i = at; i < to; i++) {
    l->extent[i] = old.extent[i + 1];
    l->from[i] = old.from[i + 1];
    l->to[i] = old.to[i + 1];
  }
  l->extent[to] = old.extent[at];
  l->from[to] = old.from[at];
  l->to[to] = old.to[at];
}

// Marks a transposition: another loop than the last one is contiguous in the source.
static void find_transposition(copy_loops *l) {
  int last = l->rank - 1;
  if (last < 1 || l->to[last] != 1)
    return;
  if (l->from[last] == 1 || l->from[last] == 0)
    return;
  for (int i = 0; i < last; i++)
    if (l->from[i] == 1) {
      move_copy_loop(l, i, last - 1);
      l->transposes = true;
      return;
    }
}

copy_loops pir_copy_plan(int rank, const int64_t *extent, const int64_t *from,
                         const int64_t *to, bool same) {
  copy_loops l = {0};
  for (int i = 0; i < rank; i++) {
    if (extent[i] == 1)
      continue;
    int at = l.rank++;
    int64_t stride = absolute_stride(to[i]);
    for (; at > 0 && absolute_stride(l.to[at - 1]) < stride; at--) {
      l.extent[at] = l.extent[at - 1];
      l.from[at] = l.from[at - 1];
      l.to[at] = l.to[at - 1];
    }
    l.extent[at] = extent[i];
    l.from[at] = from[i];
    l.to[at] = to[i];
  }
  int kept = 0;
  for (int i = 1; i < l.rank; i++) {
    bool merges = l.from[kept] == l.from[i] * l.extent[i];
    merges &= l.to[kept] == l.to[i] * l.extent[i];
    if (merges)
      l.extent[i] *= l.extent[kept];
    else
      kept++;
    l.extent[kept] = l.extent[i];
    l.from[kept] = l.from[i];
    l.to[kept] = l.to[i];
  }
  if (l.rank)
    l.rank = kept + 1;
  if (same)
    find_transposition(&l);
  return l;
}

void pir_copy_run(const copy_loops *loops, pir_dtype to_dtype, char *to, pir_dtype from_dtype,
                  const char *from) {
  const copy_loops *l = loops;
  int64_t from_size = (int64_t)pir_dtype_size(from_dtype);
  int64_t to_size = (int64_t)pir_dtype_size(to_dtype);
  int64_t index[PIR_MAX_RANK] = {0};
  int64_t run = 1;
  int64_t from_step = 1;
  int64_t to_step = 1;
  int outer = l->rank - (l->transposes ? 2 : l->rank > 0);
  if (l->rank) {
    run = l->extent[l->rank - 1];
    from_step = l->from[l->rank - 1];
    to_step = l->to[l->rank - 1];
  }
  for (;;) {
    if (l->transposes)
      transpose_last_loops(l, (size_t)to_size, from, to);
    else
      pir_convert(to_dtype, to, to_step, from_dtype, from, from_step, run);
    int d = outer - 1;
    for (; d >= 0; d--) {
      from += l->from[d] * from_size;
      to += l->to[d] * to_size;
      if (++index[d] < l->extent[d])
        break;
      from -= l->from[d] * l->extent[d] * from_size;
      to -= l->to[d] * l->extent[d] * to_size;
      index[d] = 0;
    }
    if (d < 0)
      return;
  }
}

// How many iterations of the outermost loop one parallel unit takes: a whole square where that
// loop is part of a transposition, a run worth a call where it is the only loop.
static int64_t copy_unit_of(const copy_loops *l) {
  if (l->transposes && l->rank == 2)
    return SIDE;
  return l->rank == 1 ? RUN_UNIT : 1;
}

static void copy_units(void *user, int64_t begin, int64_t end, int thread) {
  const copy_run *r = user;
  copy_loops l = r->loops;
  int64_t unit = copy_unit_of(&l);
  int64_t first = begin * unit;
  int64_t stop = end * unit;
  if (stop > l.extent[0])
    stop = l.extent[0];
  l.extent[0] = stop - first;
  int64_t to_size = (int64_t)pir_dtype_size(r->to->dtype);
  int64_t from_size = (int64_t)pir_dtype_size(r->from->dtype);
  char *to = (char *)r->to->data + first * l.to[0] * to_size;
  const char *from = (const char *)r->from->data + first * l.from[0] * from_size;
  pir_copy_run(&l, r->to->dtype, to, r->from->dtype, from);
}

pir_status pir_copy_parallel(const pir_tensor *from, pir_tensor *to,
                             const pir_parallel *parallel) {
  if (from->rank != to->rank)
    return PIR_INVALID;
  for (int32_t i = 0; i < to->rank; i++)
    if (from->shape[i] != to->shape[i])
      return PIR_INVALID;
  bool same = from->dtype == to->dtype, strings = same && to->dtype == PIR_PSTRING;
  if (!strings && (!pir_converts(from->dtype) || !pir_converts(to->dtype)))
    return PIR_UNSUPPORTED;
  int64_t n = pir_tensor_numel(to);
  if (n <= 0)
    return n < 0 ? PIR_INVALID : PIR_OK;
  copy_run r = {.from = from, .to = to};
  r.loops = pir_copy_plan(to->rank, to->shape, from->strides, to->strides, same);
  int64_t bytes = n * (int64_t)pir_dtype_size(to->dtype);
  bool threaded = parallel && parallel->threads > 1;
  if (!threaded || !r.loops.rank || bytes <= SERIAL_BYTES) {
    pir_copy_run(&r.loops, to->dtype, to->data, from->dtype, from->data);
    return PIR_OK;
  }
  int64_t unit = copy_unit_of(&r.loops);
  int64_t units = (r.loops.extent[0] + unit - 1) / unit;
  parallel->parallel_for(parallel->pool, units, copy_units, &r);
  return PIR_OK;
}

pir_status pir_tensor_copy(const pir_tensor *from, pir_tensor *to) {
  if (!from || !to)
    return PIR_INVALID;
  return pir_copy_parallel(from, to, NULL);
}
