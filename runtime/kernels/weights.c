// Weights of products as 8-bit integers with a scale a column: the largest magnitude over 127, rounded half away from
// zero. For products on the fly they come transposed and in the order that 16-bit matrix units read them.
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"

enum {
  TILE = 64,
  MMA_ROWS = 16,
  REGISTER = 4
};  // rows of a tile, of one matrix instruction, and elements of a register

// Which of 16 rows a matrix unit reads at the place of row r.
static int64_t unit_row(int64_t r) {
  int64_t in_unit = r % MMA_ROWS;
  return r - in_unit + 8 * (r % REGISTER / 2) + r % 2 + 2 * (in_unit / REGISTER);
}

// Where element (row, column) of the permuted matrix goes: two columns share a line, tile by tile, and the middle two
// of every four elements change places.
static int64_t place(int64_t rows, int64_t row, int64_t column) {
  static const int64_t within[REGISTER] = {0, 2, 1, 3};
  int64_t vector = row / REGISTER, per_tile = TILE / REGISTER, tile = vector / per_tile * per_tile;
  int64_t line = column / 2 * (rows / REGISTER) * 2 + 2 * tile + per_tile * (column % 2) + vector % per_tile;
  return line * REGISTER + within[row % REGISTER];
}

static int8_t quantised(double x, float scale) {
  float q = scale != 0 ? roundf((float)x / scale) : 0;
  return (int8_t)fminf(fmaxf(q, -128), 127);
}

// operand: x [rows, columns]; attributes: algo, arch, group_size; results: out [columns, rows], scale [columns]
pir_status pir_kernel_weight_quantize(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64}, out[] = {PIR_I8, PIR_F64};
  PIR_TRY(pir_kernel_expect_rank(call, 0, "x", 2));
  const pir_tensor *x = pir_kernel_in(call, 0), *scale_out = pir_kernel_out(call, 1);
  int64_t rows = x->shape[0], columns = x->shape[1];
  bool plain = pir_str_equal(call->attrs[0].text, PIR_STR("llm.int8"));
  if (!plain && !pir_str_equal(call->attrs[0].text, PIR_STR("weight_only_int8")))
    return pir_kernel_fail(call, PIR_UNSUPPORTED,
                           "unsupported: %s with another algo than llm.int8 and weight_only_int8", call->op);
  if (call->attrs[2].i != -1)
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s in groups of %lld", call->op,
                           (long long)call->attrs[2].i);
  if (!plain && call->attrs[1].i == 70)
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s for arch 70, whose weights are not permuted",
                           call->op);
  if (!plain && (rows % TILE || columns % 2))
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects multiples of 64 rows and 2 columns, found [%lld, %lld]",
                           call->op, (long long)rows, (long long)columns);
  pir_tensor t[3];
  pir_status status = pir_kernel_open(call, in, 1, out, 2, t);
  if (!status) status = pir_kernel_need(call, PIR_F64, &columns, 1, &t[2]);
  const double *from = t[0].data;
  int8_t *to = t[1].data;
  for (int64_t c = 0; c < columns && !status; c++) {
    double top = 0;
    for (int64_t r = 0; r < rows; r++) top = fmax(top, fabs(from[r * columns + c]));
    float scale = (float)top / 127.0f;
    if (!plain && scale_out && scale_out->dtype == PIR_F16) scale = pir_f16_to_f32(pir_f32_to_f16(scale));
    if (!plain && scale_out && scale_out->dtype == PIR_BF16) scale = pir_bf16_to_f32(pir_f32_to_bf16(scale));
    ((double *)t[2].data)[c] = scale;
    for (int64_t r = 0; r < rows; r++) {
      int64_t source = plain ? r : unit_row(r);
      int8_t q = quantised(from[source * columns + c], scale);
      to[plain ? c * rows + r : place(rows, r, c)] = plain ? q : (int8_t)(uint8_t)(q + 128);
    }
  }
  return pir_kernel_close(call, status, 1, 2, t);
}
