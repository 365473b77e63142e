// Minimal filters: compute `outputs` results of a filter with `taps` taps and stride `stride`
// with fewer than taps * outputs products.
//
//   out = A [ (G g) * (B d) ]      g: the taps, d: the inputs, *: element by element
//
// For stride 1 this is the transposed Toom-Cook polynomial product, evaluated at points of
// which one is infinity (S. Winograd, "Arithmetic Complexity of Computations", 1980). The
// points 0, 1, -1 need additions and divisions by two only. Two more points, here 5/8, -5/8,
// 3/2, -3/2, lose a few bits (B. Barabasz et al., "Error Analysis and Improving the Accuracy of
// Winograd Convolution for Deep Neural Networks", 2018). A filter with a larger stride is a sum
// of stride-1 filters, one for each phase: every stride-th tap meets every stride-th input. A
// phase with a single tap is computed by plain products.
#include "contract_words.h"

// The finite interpolation points of a filter with the given number of products (one point is
// infinity); NULL if no such filter exists.
static const double *finite_points(int count, pir_math math) {
  static const double few[] = {0, 1, -1}, many[] = {0, 0.625, -0.625, 1.5, -1.5};
  if (count <= 3)
    return few;
  return count == 5 && math != PIR_MATH_STRICT ? many : NULL;
}

// Computes the coefficients, constant term first, of the product of (x - p) over all points p
// except point number `without`.
static void monic(const double *points, int count, int without, double *out) {
  int degree = 0;
  out[0] = 1;
  for (int i = 0; i < count; i++) {
    if (i == without)
      continue;
    out[degree + 1] = 0;
    for (int k = degree + 1; k >= 0; k--)
      out[k] = (k ? out[k - 1] : 0) - points[i] * out[k];
    degree++;
  }
}

static double power(double x, int n) {
  double y = 1;
  for (; n > 0; n--)
    y *= x;
  return y;
}

// Adds the rows of one phase, with inputs and taps first, first + stride, .., and products
// `at`, at + 1, ..
static bool add_phase(contract_filter *f, int first, int taps, int at, pir_math math) {
  int products = f->outputs + taps - 1, finite = products - 1;
  if (taps == 1) {
    for (int i = 0; i < f->outputs; i++) {
      f->inward.at[at + i][first + i * f->stride] = 1;
      f->kernel.at[at + i][first] = 1;
      f->outward.at[i][at + i] = 1;
    }
    return true;
  }
  const double *points = finite_points(finite, math);
  double coefficients[CONTRACT_MAX_POINTS + 1];
  if (!points)
    return false;
  for (int p = 0; p < products; p++) {
    double scale = 1;
    bool last = p == finite;  // infinity
    for (int q = 0; q < finite && !last; q++)
      scale *= q == p ? 1 : points[p] - points[q];
    monic(points, finite, p, coefficients);
    for (int j = 0; j < products - !last; j++)
      f->inward.at[at + p][first + j * f->stride] = coefficients[j];
    for (int k = 0; k < taps; k++)
      f->kernel.at[at + p][first + k * f->stride] =
          last ? k == taps - 1 : power(points[p], k) / scale;
    for (int i = 0; i < f->outputs; i++)
      f->outward.at[i][at + p] = last ? i == f->outputs - 1 : power(points[p], i);
  }
  return true;
}

bool contract_filter_make(int outputs, int taps, int stride, pir_math math,
                          contract_filter *out) {
  contract_filter *f = out;
  int products = 0;
  *f = (contract_filter){.taps = taps,
                         .stride = stride,
                         .outputs = outputs,
                         .inputs = (outputs - 1) * stride + taps};
  for (int first = 0; first < stride && first < taps; first++)
    products += outputs + (taps - first - 1) / stride;
  if (products > CONTRACT_MAX_POINTS || f->inputs > CONTRACT_MAX_POINTS)
    return false;
  f->points = products;
  f->inward = (contract_matrix){.rows = products, .columns = f->inputs};
  f->kernel = (contract_matrix){.rows = products, .columns = taps};
  f->outward = (contract_matrix){.rows = outputs, .columns = products};
  for (int first = 0, at = 0; first < stride && first < taps; first++) {
    int own = (taps - first - 1) / stride + 1;
    if (!add_phase(f, first, own, at, math))
      return false;
    at += outputs + own - 1;
  }
  return true;
}

// ---- transforms

// Emits the transforms of minimal filtering: products of a filter's matrices with vectors of
// loop values. Rows that are the sum and the difference of the same two parts share the parts.
// Columns that every row uses with equal or opposite factors are replaced by their sum and
// difference. So the transforms need few additions.

static loop_expr *name_value(const contract_emission *e, loop_block *block, loop_expr *value) {
  return contract_let(e, block, "w", value);
}

// Returns sum + by * x. A `sum` of NULL counts as 0.
static loop_expr *add_scaled(const contract_emission *e, double by, loop_expr *x,
                             loop_expr *sum) {
  if (by == 1)
    return sum ? contract_add(e, sum, x) : x;
  if (by == -1 && sum)
    return contract_sub(e, sum, x);
  loop_expr *factor = pir_loop_const_float(e->m, (pir_dtype)x->dtype, by);
  factor = contract_broadcast(e, factor, x->lanes);
  return sum ? contract_product(e, x, factor, sum) : contract_mul(e, x, factor);
}

// Returns the sum of row[j] * in[j] over all j with use[j]. The first term has factor 1 if any
// has, which saves a multiplication.
static loop_expr *weighted_sum(const contract_emission *e, loop_block *block, const double *row,
                               const bool *use, int count, loop_expr *const *in) {
  int begin = -1;
  for (int j = 0; j < count; j++) {
    bool better = begin < 0 || (row[j] == 1 && row[begin] != 1);
    if (use[j] && row[j] != 0 && better)
      begin = j;
  }
  loop_expr *sum = add_scaled(e, row[begin], in[begin], NULL);
  for (int j = 0; j < count; j++)
    if (use[j] && row[j] != 0 && j != begin)
      sum = add_scaled(e, row[j], in[j], sum);
  return name_value(e, block, sum);
}

typedef struct columns {
  bool use[CONTRACT_MAX_POINTS];
} columns;

// Whether rows i and k have the forms x + y and x - y; `even` and `odd` mark the columns of x
// and y. Such rows share both parts.
static bool is_sum_and_difference(const contract_matrix *m, int i, int k, columns *even,
                                  columns *odd) {
  int evens = 0, odds = 0;
  for (int j = 0; j < m->columns; j++) {
    double a = m->at[i][j], b = m->at[k][j];
    even->use[j] = a != 0 && a == b;
    odd->use[j] = a != 0 && a == -b;
    if (a != b && a != -b)
      return false;
    evens += even->use[j];
    odds += odd->use[j];
  }
  return evens && odds;
}

static void multiply_rows(const contract_emission *e, loop_block *block,
                          const contract_matrix *m, loop_expr *const *in, loop_expr **out,
                          int step) {
  static const columns all = {{true, true, true, true, true, true, true}};
  columns even, odd;
  bool done[CONTRACT_MAX_POINTS] = {false};
  for (int i = 0; i < m->rows; i++) {
    int k = i + 1;
    if (done[i])
      continue;
    while (k < m->rows && (done[k] || !is_sum_and_difference(m, i, k, &even, &odd)))
      k++;
    if (k == m->rows) {
      out[i * step] = weighted_sum(e, block, m->at[i], all.use, m->columns, in);
      continue;
    }
    loop_expr *x = weighted_sum(e, block, m->at[i], even.use, m->columns, in);
    loop_expr *y = weighted_sum(e, block, m->at[i], odd.use, m->columns, in);
    out[i * step] = name_value(e, block, contract_add(e, x, y));
    out[k * step] = name_value(e, block, contract_sub(e, x, y));
    done[k] = true;
  }
}

// Whether every row uses columns j and k with equal or opposite factors, some with equal and
// some with opposite ones, and enough rows use them to pay for a sum and a difference.
static bool are_joinable(const contract_matrix *m, int j, int k) {
  int same = 0, opposite = 0;
  for (int i = 0; i < m->rows; i++) {
    double a = m->at[i][j], b = m->at[i][k];
    if (a == 0 && b == 0)
      continue;
    if (a != b && a != -b)
      return false;
    same += a == b;
    opposite += a != b;
  }
  return same && opposite && same + opposite >= 3;
}

// Replaces all such pairs of columns by their sum and their difference.
static void join_columns(const contract_emission *e, loop_block *block, contract_matrix *m,
                         loop_expr **in) {
  for (int j = 0; j < m->columns; j++)
    for (int k = j + 1; k < m->columns; k++) {
      if (!are_joinable(m, j, k))
        continue;
      loop_expr *sum = name_value(e, block, contract_add(e, in[j], in[k]));
      in[k] = name_value(e, block, contract_sub(e, in[j], in[k]));
      in[j] = sum;
      for (int i = 0; i < m->rows; i++) {
        double a = m->at[i][j];
        bool alike = a == m->at[i][k];
        m->at[i][j] = alike ? a : 0;
        m->at[i][k] = alike ? 0 : a;
      }
    }
}

// out = m in, for vectors that are `step` and `out_step` apart.
static void multiply_vectors(const contract_emission *e, loop_block *block,
                             const contract_matrix *m, loop_expr *const *in, int step,
                             loop_expr **out, int out_step) {
  contract_matrix left = *m;
  loop_expr *x[CONTRACT_MAX_POINTS];
  for (int j = 0; j < m->columns; j++)
    x[j] = in[j * step];
  join_columns(e, block, &left, x);
  multiply_rows(e, block, &left, x, out, out_step);
}

void contract_transform(const contract_emission *e, loop_block *block, const contract_matrix *m,
                        const contract_matrix *n, loop_expr *const *in, loop_expr **out) {
  loop_expr *half[CONTRACT_MAX_POINTS * CONTRACT_MAX_POINTS];
  for (int j = 0; j < n->columns; j++)
    multiply_vectors(e, block, m, in + j, n->columns, half + j, n->columns);
  for (int i = 0; i < m->rows; i++)
    multiply_vectors(e, block, n, half + i * n->columns, 1, out + i * n->rows, 1);
}
