// Weight-only quantisation: weights of products as 8-bit or 4-bit integers, with a scale for
// each column, or for each group of rows of a column. The scale is the largest magnitude over
// 127 or 7; quotients are rounded half away from zero. For kernels that dequantise on the fly,
// the weights are transposed, and permuted into the order in which 16-bit matrix units read
// them. For architecture 70 they keep their order, except that within a word the even ones come
// first.
#include <math.h>
#include <string.h>

#include "kernels.h"

enum {
  TILE = 64,  // rows of a tile
  LANES = 8   // lanes of a matrix unit, each of which reads several rows at once
};

typedef struct packing {
  int bits;
  bool plain;     // neither biased nor permuted
  bool in_order;  // biased, but not permuted
  int64_t group;  // rows that share a scale
} packing;

// The place, counted in elements, of element (row, column). Tile by tile, so many columns share
// a line that 16 bits hold an element of each; the rows of a lane are distributed over the
// tile.
static int64_t packed_place(const packing *p, int64_t rows, int64_t columns, int64_t row,
                            int64_t column) {
  if (p->plain)
    return column * rows + row;
  int64_t wide = 16 / p->bits;
  int64_t at = row * columns + column;
  int64_t word = at % (2 * wide);
  if (p->in_order)
    return at - word + word / 2 + word % 2 * wide;
  int64_t line = column / wide * rows * wide;
  int64_t tile = row / TILE * TILE * wide + column % wide * TILE;
  int64_t in_unit = row % (LANES * wide);
  int64_t unit = row % TILE - in_unit;
  return line + tile + unit + in_unit % LANES * wide + in_unit / LANES;
}

// A quotient that is no number, as in a column of zeros, becomes the greatest integer of 8
// bits, or the smallest of 4, as in Paddle. Its scale is 0.
static int quantise_weight(double x, float scale, int top) {
  float q = roundf((float)x / scale);
  if (isnan(q))
    return top == INT8_MAX ? top : -top;
  return (int)fminf(fmaxf(q, (float)-top - 1), (float)top);
}

static void store_quantised(const packing *p, uint8_t *to, int64_t at, int q) {
  if (p->bits == 8)
    to[at] = (uint8_t)(p->plain ? q : q + 128);
  else
    to[at / 2] |= (uint8_t)((q + 8) << (at % 2 * 4));
}

static int load_quantised(const packing *p, const uint8_t *from, int64_t at) {
  if (p->plain)
    return (int8_t)from[at];
  return p->bits == 8 ? from[at] - 128 : (from[at / 2] >> (at % 2 * 4) & 15) - 8;
}

static bool is_small(const pir_kernel_call *call) {
  return pir_str_equal(pir_kernel_text(call, 0), PIR_STR("weight_only_int4"));
}

static pir_status read_algo(const pir_kernel_call *call, int64_t rows, int64_t columns,
                            packing *p) {
  pir_str algo = pir_kernel_text(call, 0);
  bool small = is_small(call);
  bool plain = pir_str_equal(algo, PIR_STR("llm.int8"));
  *p = (packing){.bits = small ? 4 : 8, .plain = plain};
  if (!plain && !small && !pir_str_equal(algo, PIR_STR("weight_only_int8")))
    return pir_kernel_fail(call, PIR_UNSUPPORTED,
                           "unsupported: %s with another algo than llm.int8, weight_only_int8 "
                           "and weight_only_int4",
                           call->op);
  if (!plain && (rows % TILE || columns % (16 / p->bits)))
    return pir_kernel_fail(
        call, PIR_INVALID,
        "%s: x: expects multiples of 64 rows and %d columns, found [%lld, %lld]", call->op,
        16 / p->bits, (long long)rows, (long long)columns);
  return PIR_OK;
}

static pir_status read_packing(const pir_kernel_call *call, int64_t rows, int64_t columns,
                               packing *p) {
  PIR_TRY(read_algo(call, rows, columns, p));
  p->in_order = !p->plain && pir_kernel_int(call, 1) == 70;
  p->group = pir_kernel_int(call, 2) > 0 ? pir_kernel_int(call, 2) : rows;
  return PIR_OK;
}

// The scale as its dtype holds it.
static float round_to_dtype(float scale, pir_dtype dtype) {
  if (dtype == PIR_F16)
    return pir_f16_to_f32(pir_f32_to_f16(scale));
  return dtype == PIR_BF16 ? pir_bf16_to_f32(pir_f32_to_bf16(scale)) : scale;
}

// operand: x [rows, columns]; attributes: algo, arch, group_size; results: out, scale [columns]
// or [groups, columns]
pir_status pir_kernel_weight_quantize(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64}, out[] = {PIR_I8, PIR_F64};
  PIR_TRY(pir_kernel_expect_rank(call, 0, "x", 2));
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *scale_out = pir_kernel_out(call, 1);
  int64_t rows = x->shape[0];
  int64_t columns = x->shape[1];
  packing p;
  PIR_TRY(read_packing(call, rows, columns, &p));
  int64_t groups = p.group > 0 ? (rows + p.group - 1) / p.group : 0;
  pir_tensor t[3];
  pir_status status = pir_kernel_open(call, in, 1, out, 2, t);
  if (!status)
    status = pir_kernel_need(call, PIR_F64, (int64_t[]){groups, columns}, 2, &t[2]);
  const double *from = t[0].data;
  int top = (1 << (p.bits - 1)) - 1;
  for (int64_t g = 0; g < groups * columns && !status; g++) {
    int64_t c = g % columns;
    int64_t first = g / columns * p.group;
    int64_t end = first + p.group < rows ? first + p.group : rows;
    double most = 0;
    for (int64_t r = first; r < end; r++)
      most = fmax(most, fabs(from[r * columns + c]));
    float scale = (float)most / (float)top;
    if (!p.plain && scale_out)
      scale = round_to_dtype(scale, scale_out->dtype);
    ((double *)t[2].data)[g] = scale;
    for (int64_t r = first; r < end; r++) {
      int q = quantise_weight(from[r * columns + c], scale, top);
      store_quantised(&p, t[1].data, packed_place(&p, rows, columns, r, c), q);
    }
  }
  return pir_kernel_close(call, status, 1, 2, t);
}

// operand: x [columns, rows], or half as many columns of two weights a byte; attribute: algo;
// result: [rows, columns]
pir_status pir_kernel_weight_levels(const pir_kernel_call *call) {
  static const uint8_t types[] = {PIR_I8};
  PIR_TRY(pir_kernel_expect_rank(call, 0, "x", 2));
  const pir_tensor *x = pir_kernel_in(call, 0);
  int64_t rows = x->shape[1], columns = x->shape[0] * (is_small(call) ? 2 : 1);
  packing p;
  PIR_TRY(read_algo(call, rows, columns, &p));
  pir_tensor t[2];
  pir_status status = pir_kernel_open(call, types, 1, types, 1, t);
  if (!status)
    status = pir_kernel_need(call, PIR_I8, (int64_t[]){rows, columns}, 2, &t[1]);
  // Tile by tile: the lines of a tile's rows stay in the caches.
  for (int64_t tile = 0; tile < rows && !status; tile += TILE)
    for (int64_t c = 0; c < columns; c++)
      for (int64_t r = tile; r < tile + TILE && r < rows; r++)
        ((int8_t *)t[1].data)[r * columns + c] =
            (int8_t)load_quantised(&p, t[0].data, packed_place(&p, rows, columns, r, c));
  return pir_kernel_close(call, status, 1, 1, t);
}
