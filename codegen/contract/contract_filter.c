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
#include "contract_impl.h"

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
