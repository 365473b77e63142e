// batched_gemm: products of groups of rows, each with a matrix of its own.
#include "kernels.h"

// One product of batched_gemm: rows of `a` by a matrix, or the transpose of rows by rows.
typedef struct group_product {
  const double *a, *b;
  double *out;
  int64_t rows, width, columns;
  bool transposed_a, transposed_b;
} group_product;

static void multiply_group(const group_product *g) {
  int64_t high = g->transposed_a ? g->width : g->rows;
  int64_t deep = g->transposed_a ? g->rows : g->width;
  for (int64_t i = 0; i < high; i++)
    for (int64_t j = 0; j < g->columns; j++) {
      double sum = 0;
      for (int64_t k = 0; k < deep; k++) {
        double a = g->transposed_a ? g->a[k * g->width + i] : g->a[i * g->width + k];
        sum += a * (g->transposed_b ? g->b[j * deep + k] : g->b[k * g->columns + j]);
      }
      g->out[i * g->columns + j] = sum;
    }
}

// operands: lhs, rhs; attributes: batch_sizes, trans_lhs, trans_rhs. Rows of lhs come in groups
// of these sizes. Each group is multiplied by its matrix of rhs; with trans_lhs the transpose
// of a group by the same rows of rhs, which gives a matrix for each group.
pir_status pir_kernel_batched_gemm(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64, PIR_F64}, out[] = {PIR_F64};
  pir_tensor t[3];
  bool outer = pir_kernel_int(call, 1) != 0, turned = pir_kernel_int(call, 2) != 0;
  pir_int_list sizes = pir_kernel_ints(call, 0);
  PIR_TRY(pir_kernel_expect_rank(call, 0, "lhs", 2));
  PIR_TRY(pir_kernel_expect_rank(call, 1, "rhs", outer ? 2 : 3));
  pir_status status = pir_kernel_open(call, in, 2, out, 1, t);
  const int64_t *l = t[0].shape, *r = t[1].shape;
  int64_t rows = 0;
  for (size_t i = 0; i < sizes.count; i++)
    rows += sizes.ints[i] < 0 || sizes.ints[i] > l[0] ? l[0] + 1 : sizes.ints[i];
  int64_t deep = turned ? 2 : 1;
  bool fits = r[0] == (outer ? l[0] : (int64_t)sizes.count);
  fits &= outer ? !turned : r[deep] == l[1];
  if (!status && (!fits || rows != l[0]))
    status =
        pir_kernel_fail(call, PIR_INVALID, "%s: lhs, rhs and batch_sizes do not fit", call->op);
  group_product g = {.a = t[0].data, .b = t[1].data, .out = t[2].data};
  g.width = l[1];
  g.columns = outer || turned ? r[1] : r[2];
  g.transposed_a = outer;
  g.transposed_b = turned;
  for (size_t i = 0; !status && i < sizes.count; i++) {
    g.rows = sizes.ints[i];
    multiply_group(&g);
    g.a += g.rows * g.width;
    g.b += outer ? g.rows * g.columns : g.width * g.columns;
    g.out += (outer ? g.width : g.rows) * g.columns;
  }
  return pir_kernel_close(call, status, 2, 1, t);
}
