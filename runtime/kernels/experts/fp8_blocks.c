// Rounding to 8-bit floats with a scale for each block of a matrix: 1 by 128 or 128 by 128
// elements. Arithmetic is in float, as in Paddle's kernels, because its rounding shows in the
// results.
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels.h"

enum {
  EPSILON,
  ROWS_ALONE,
  TRANSPOSES,
  SCALES_TRANSPOSED,
  ONLY_TRANSPOSED,
  E5M2,
  POWERS,
  UE8M0
};
enum { BLOCK = 128 };

// A matrix that is rounded, perhaps transposed, and where its results go.
typedef struct rounding {
  const float *x;
  int64_t rows, columns, row_step, column_step;
  int64_t block_rows;
  float epsilon, most, top;  // the greatest number of the format, and the greatest factor
  bool powers;
  float *out, *scales;
  int64_t scale_row_step, scale_column_step;
} rounding;

// The factor that brings the greatest magnitude of a block to the greatest number of the
// format.
static float block_factor(const rounding *r, float magnitude) {
  magnitude = fmaxf(magnitude, r->epsilon);
  if (magnitude == 0)
    return 1;
  float factor = r->most / magnitude;
  if (isinf(factor))
    return r->top;
  if (factor == 0 || !r->powers)
    return factor;
  int exponent;
  (void)frexpf(factor, &exponent);
  return ldexpf(1, exponent - 1);
}

static void round_block(const rounding *r, int64_t row, int64_t column) {
  int64_t rows = row + r->block_rows < r->rows ? row + r->block_rows : r->rows;
  int64_t columns = column + BLOCK < r->columns ? column + BLOCK : r->columns;
  float magnitude = 0;
  for (int64_t i = row; i < rows; i++)
    for (int64_t j = column; j < columns; j++)
      magnitude = fmaxf(magnitude, fabsf(r->x[i * r->row_step + j * r->column_step]));
  float factor = block_factor(r, magnitude);
  for (int64_t i = row; i < rows; i++)
    for (int64_t j = column; j < columns; j++)
      r->out[i * r->columns + j] = r->x[i * r->row_step + j * r->column_step] * factor;
  r->scales[row / r->block_rows * r->scale_row_step + column / BLOCK * r->scale_column_step] =
      1 / factor;
}

// Rounds the matrix and writes two results: the numbers, and the scales.
static pir_status round_matrix(const pir_kernel_call *call, rounding *r, int result) {
  pir_tensor *out = pir_kernel_out(call, result), *scale = pir_kernel_out(call, result + 1);
  pir_tensor numbers = {0}, scales = {0};
  int64_t high = (r->rows + r->block_rows - 1) / r->block_rows;
  int64_t wide = (r->columns + BLOCK - 1) / BLOCK;
  bool turned = pir_kernel_int(call, SCALES_TRANSPOSED);
  const int64_t shape[2] = {turned ? wide : high, turned ? high : wide};
  r->scale_row_step = turned ? 1 : wide;
  r->scale_column_step = turned ? high : 1;
  pir_status status =
      pir_kernel_zeros(call, PIR_F32, (int64_t[]){r->rows, r->columns}, 2, &numbers);
  if (!status)
    status = pir_kernel_zeros(call, PIR_F32, shape, 2, &scales);
  r->out = numbers.data;
  r->scales = scales.data;
  for (int64_t i = 0; i < r->rows && !status; i += r->block_rows)
    for (int64_t j = 0; j < r->columns; j += BLOCK)
      round_block(r, i, j);
  if (!status && out)
    status = pir_tensor_copy(&numbers, out);
  if (!status && scale)
    status = pir_tensor_copy(&scales, scale);
  pir_kernel_drop(call, &numbers);
  pir_kernel_drop(call, &scales);
  return status;
}

// operand: x [rows, columns]; attributes: epsilon, using_1x128_vec_quant, input_transpose,
// output_scale_transpose, return_transpose_only, using_e5m2, using_pow2_scale,
// using_ue8m0_scale
pir_status pir_kernel_fp8_quant_blockwise(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  pir_tensor dense = {0};
  bool powers = pir_kernel_int(call, POWERS);
  PIR_TRY(pir_kernel_expect_rank(call, 0, "x", 2));
  if (pir_kernel_int(call, UE8M0) || pir_kernel_int(call, E5M2))
    return pir_kernel_fail(call, PIR_UNSUPPORTED,
                           "unsupported: %s with packed scales or the format e5m2", call->op);
  PIR_TRY(pir_kernel_dense(call, x, PIR_F32, x->shape, 2, &dense));
  rounding r = {.x = dense.data,
                .rows = x->shape[0],
                .columns = x->shape[1],
                .row_step = x->shape[1],
                .column_step = 1,
                .block_rows = pir_kernel_int(call, ROWS_ALONE) ? 1 : BLOCK,
                .epsilon = (float)pir_kernel_float(call, EPSILON),
                .most = 448,
                .top = x->dtype == PIR_BF16 ? 0x1.FEp127f : FLT_MAX,
                .powers = powers};
  if (powers)
    r.top = 0x1.0p127f;
  pir_status status = round_matrix(call, &r, 0);
  bool transposes = pir_kernel_int(call, TRANSPOSES);
  r.rows = x->shape[1];
  r.columns = x->shape[0];
  r.row_step = 1;
  r.column_step = x->shape[1];
  if (!status && transposes)
    status = round_matrix(call, &r, 2);
  pir_kernel_drop(call, &dense);
  return status;
}
