// Ranges of values, from counts of magnitudes. The counts grow with the largest magnitude by
// merging neighbours, so one pass over the samples is enough and memory is bounded.
//
//   absmax       the largest magnitude: nothing is clipped
//   percentile   the magnitude that this share of the elements does not exceed, 99.99 % by
//                default (Wu, Judd, Zhang, Isaev, Micikevicius: Integer Quantization for Deep
//                Learning Inference: Principles and Empirical Evaluation, arXiv:2004.09602)
//   mse          the magnitude with the least sum of squared errors of rounding and clipping
//                (Nagel, Fournarakis, Amjad, Bondarenko, van Baalen, Blankevoort: A White Paper
//                on Neural Network Quantization, arXiv:2106.08295, 3.1)
#include "quantise.h"

#include <math.h>
#include <string.h>

enum { CANDIDATES = 256, LEAST_CANDIDATE = 16 };

// ---- options

// Reads digits with at most one point; false for another text.
static bool read_percent(pir_str text, double *out_percent) {
  double value = 0, digit = 1;
  bool point = false;
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9' || i > 16)
      return false;
    if (point)
      value += (c - '0') * (digit /= 10);
    else
      value = value * 10 + (c - '0');
  }
  *out_percent = value;
  return text.size && value > 0 && value <= 100;
}

bool range_choice_read(pir_str text, range_choice *out_choice) {
  static const char percentile[] = "percentile:";
  size_t prefix = sizeof percentile - 1;
  *out_choice = (range_choice){RANGE_MSE, 99.99};
  if (!text.size || pir_str_equal(text, PIR_STR("mse")))
    return true;
  out_choice->method = RANGE_ABSMAX;
  if (pir_str_equal(text, PIR_STR("absmax")))
    return true;
  out_choice->method = RANGE_PERCENTILE;
  if (pir_str_equal(text, PIR_STR("percentile")))
    return true;
  if (text.size <= prefix || memcmp(text.data, percentile, prefix))
    return false;
  return read_percent((pir_str){text.data + prefix, text.size - prefix}, &out_choice->percent);
}

// ---- counting

// Doubles the span until it is greater than `most`.
static void cover(magnitudes *m, double most) {
  int exponent;
  frexp(most, &exponent);
  double span = ldexp(1, exponent);
  if (m->span == 0)
    m->span = span;
  for (; m->span < span; m->span *= 2)
    for (int i = 0; i < MAGNITUDE_BINS; i++)
      m->bins[i] = i < MAGNITUDE_BINS / 2 ? m->bins[2 * i] + m->bins[2 * i + 1] : 0;
}

void magnitudes_add(magnitudes *m, const pir_tensor *tensor) {
  int64_t n = pir_tensor_numel(tensor);
  bool plain = tensor->dtype == PIR_F32 && pir_tensor_is_dense(tensor);
  const float *data = tensor->data;
  double most = 0;
  for (int64_t i = 0; i < n; i++) {
    double x = fabs(plain ? (double)data[i] : pir_tensor_float_at(tensor, i));
    m->infinite |= !isfinite(x);
    most = x > most ? x : most;
  }
  if (m->infinite)
    return;
  if (most > 0)
    cover(m, most);
  double scale = m->span > 0 ? MAGNITUDE_BINS / m->span : 0;
  for (int64_t i = 0; i < n; i++) {
    double x = fabs(plain ? (double)data[i] : pir_tensor_float_at(tensor, i));
    if (x > 0)
      m->bins[(int)(x * scale)]++;
    else
      m->zeros++;
  }
  m->count += (uint64_t)n;
  m->most = most > m->most ? most : m->most;
}

// ---- choosing

static double find_percentile(const magnitudes *m, double percent) {
  double wanted = (double)m->count * percent / 100, seen = (double)m->zeros;
  for (int i = 0; i < MAGNITUDE_BINS; i++) {
    seen += (double)m->bins[i];
    double edge = m->span * (i + 1) / MAGNITUDE_BINS;
    if (m->bins[i] && seen >= wanted)
      return edge < m->most ? edge : m->most;
  }
  return m->most;
}

static double squared_error(const magnitudes *m, double scale, int top) {
  double width = m->span / MAGNITUDE_BINS, step = scale / top, sum = 0;
  for (int i = 0; i < MAGNITUDE_BINS; i++) {
    if (!m->bins[i])
      continue;
    double x = (i + 0.5) * width, level = nearbyint(x / step);
    double off = x - (level > top ? top : level) * step;
    sum += (double)m->bins[i] * off * off;
  }
  return sum;
}

static double find_least_error(const magnitudes *m, int top) {
  double best = m->most, least = squared_error(m, best, top);
  for (int i = CANDIDATES - 1; i >= LEAST_CANDIDATE; i--) {
    double scale = m->most * i / CANDIDATES, error = squared_error(m, scale, top);
    if (error < least) {
      least = error;
      best = scale;
    }
  }
  return best;
}

double magnitudes_scale(const magnitudes *m, range_choice choice, int top) {
  if (choice.method == RANGE_PERCENTILE)
    return find_percentile(m, choice.percent);
  return choice.method == RANGE_MSE ? find_least_error(m, top) : m->most;
}
