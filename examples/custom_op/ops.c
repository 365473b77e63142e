// Custom operators for pir-run and pir_model_load: declarations and C functions; nothing to
// link.
//   cc -std=c11 -shared -fPIC ops.c -o ops.so $(pkg-config --cflags pir)
//   pir-run --custom-ops=./ops.so MODEL
#include <pir/engine/custom.h>

// gap: the mean over height and width, [n, c, h, w] to [n, c, 1, 1].
int gap_shape(const pir_tensor *x, pir_tensor *out, const int64_t *marks, size_t mark_count,
              int32_t mark) {
  (void)marks, (void)mark_count, (void)mark;
  if (x->rank != 4)
    return 1;
  out->shape[2] = out->shape[3] = 1;
  return 0;
}

int gap(const pir_tensor *x, pir_tensor *out, const int64_t *marks, size_t mark_count,
        int32_t mark) {
  const float *from = x->data;
  float *to = out->data;
  int64_t area = x->shape[2] * x->shape[3];
  (void)marks, (void)mark_count, (void)mark;
  if (x->dtype != PIR_F32)
    return 2;
  for (int64_t i = 0; i < x->shape[0] * x->shape[1]; i++) {
    double sum = 0;
    for (int64_t k = 0; k < area; k++)
      sum += from[i * area + k];
    to[i] = (float)(sum / (double)area);
  }
  return 0;
}

// weighted_sum: the tensors of a list, each times its weight, plus a bias where there is one.
// Like the first of them.
int weighted_sum(const pir_tensor *const *xs, size_t count, const pir_tensor *bias,
                 pir_tensor *out, const double *weights, size_t weight_count, bool mean) {
  float *to = out->data;
  int64_t n = pir_tensor_numel(out);
  if (weight_count != count)
    return 1;
  for (size_t k = 0; k < count; k++)
    if (xs[k]->dtype != PIR_F32 || pir_tensor_numel(xs[k]) != n)
      return 2;
  for (int64_t i = 0; i < n; i++) {
    double sum = bias ? ((const float *)bias->data)[0] : 0;
    for (size_t k = 0; k < count; k++)
      sum += weights[k] * ((const float *)xs[k]->data)[i];
    to[i] = (float)(mean ? sum / (double)count : sum);
  }
  return 0;
}

const pir_custom_op pir_custom_ops[] = {
    {"gap", "X", "test_attr1: i32[], test_attr2: i32 = 1", "Out", "gap", "gap_shape"},
    {"weighted_sum", "Xs*, Bias?", "weights: f32[], mean: bool = false", "Out", "weighted_sum",
     NULL},
    {NULL, NULL, NULL, NULL, NULL, NULL}};
