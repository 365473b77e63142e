// Results: compared element by element, printed, written.
#include "run.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct difference {
  double max_abs, max_rel;
  int64_t wrong, worst;  // how many, and which is furthest out of tolerance
  double worst_excess;
} difference;

static const pir_str *string_at(const pir_tensor *tensor, int64_t i) {
  const pir_str *at = tensor->data;
  for (int d = tensor->rank; d-- > 0; i /= tensor->shape[d])
    at += i % tensor->shape[d] * tensor->strides[d];
  return at;
}

static double largest(const pir_tensor *tensor, int64_t count) {
  double most = 0;
  if (tensor->dtype == PIR_PSTRING)
    return 0;
  for (int64_t i = 0; i < count; i++) {
    double value = fabs(pir_tensor_float_at(tensor, i));
    if (isfinite(value) && value > most)
      most = value;
  }
  return most;
}

static void take_difference(difference *d, int64_t i, double got, double want, double allowed) {
  if (got == want || (isnan(got) && isnan(want)))
    return;
  double abs = fabs(got - want), rel = want != 0 ? abs / fabs(want) : 0;
  if (!(abs <= allowed)) {  // also when one of them is NaN
    double excess = isnan(abs) ? INFINITY : abs - allowed;
    if (!d->wrong++ || excess > d->worst_excess) {
      d->worst = i;
      d->worst_excess = excess;
    }
  }
  if (!(abs <= d->max_abs))
    d->max_abs = abs;
  if (rel > d->max_rel)
    d->max_rel = rel;
}

// Complex elements count as two numbers.
static pir_tensor as_real(const pir_tensor *tensor) {
  pir_tensor real = *tensor;
  if (!pir_dtype_is_complex(tensor->dtype) || tensor->rank >= PIR_MAX_RANK)
    return real;
  real.dtype = tensor->dtype == PIR_C64 ? PIR_F32 : PIR_F64;
  for (int i = 0; i < real.rank; i++)
    real.strides[i] *= 2;
  real.shape[real.rank] = 2;
  real.strides[real.rank++] = 1;
  return real;
}

static double signed_gap(double a, double b) {
  return a == b || (isnan(a) && isnan(b)) ? 0 : a - b;
}

// Both parts of a complex number at once: |a - b| against |b|.
static void take_complex(difference *d, int64_t i, const pir_tensor *a, const pir_tensor *b,
                         double base, double rtol) {
  double re = pir_tensor_float_at(b, i), im = pir_tensor_float_at(b, i + 1),
         size = hypot(re, im);
  double off = hypot(signed_gap(pir_tensor_float_at(a, i), re),
                     signed_gap(pir_tensor_float_at(a, i + 1), im));
  if (off == 0)
    return;
  if (!isfinite(size))
    size = 0;
  take_difference(d, i, size + off, size, base + rtol * size);
}

static difference differ(const pir_tensor *got, const pir_tensor *want,
                         const tolerance *allowed) {
  difference d = {0};
  pir_tensor a = as_real(got), b = as_real(want);
  int64_t count = pir_tensor_numel(&b);
  bool floats = pir_dtype_is_float(b.dtype), complex = pir_dtype_is_complex(want->dtype);
  double base = floats ? allowed->atol + allowed->rtol_max * largest(&b, count) : 0;
  for (int64_t i = 0; i < count; i++) {
    if (b.dtype == PIR_PSTRING) {
      take_difference(&d, i, pir_str_equal(*string_at(&a, i), *string_at(&b, i)), 1, 0);
    } else if (complex) {
      take_complex(&d, i++, &a, &b, base, allowed->rtol);
    } else if (floats) {
      double value = pir_tensor_float_at(&b, i);
      take_difference(&d, i, pir_tensor_float_at(&a, i), value,
                      base + allowed->rtol * fabs(value));
    } else {
      int64_t x = pir_tensor_int_at(&a, i), y = pir_tensor_int_at(&b, i);
      if (x != y)
        take_difference(&d, i, (double)x, (double)y == (double)x ? (double)y + 1 : (double)y,
                        0);
    }
  }
  return d;
}

static void print_shape(const pir_tensor *tensor) {
  printf("%s[", pir_dtype_name(tensor->dtype));
  for (int i = 0; i < tensor->rank; i++)
    printf(i ? ",%" PRId64 : "%" PRId64, tensor->shape[i]);
  printf("]");
}

static void print_index(const pir_tensor *tensor, int64_t linear) {
  int64_t index[PIR_MAX_RANK];
  for (int i = tensor->rank; i-- > 0;) {
    index[i] = linear % tensor->shape[i];
    linear /= tensor->shape[i];
  }
  printf("[");
  for (int i = 0; i < tensor->rank; i++)
    printf(i ? ",%" PRId64 : "%" PRId64, index[i]);
  printf("]");
}

static bool same_shape(const pir_tensor *a, const pir_tensor *b) {
  return a->rank == b->rank && a->dtype == b->dtype &&
         !memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape);
}

// In quotes, with the escapes of JSON; bytes that are not ASCII are written as they are.
static void print_string(const pir_str *text) {
  putchar('"');
  for (size_t i = 0; i < text->size; i++) {
    unsigned char c = (unsigned char)text->data[i];
    if (c == '"' || c == '\\')
      printf("\\%c", c);
    else if (c < 0x20 || c == 0x7f)
      printf("\\u%04x", c);
    else
      putchar(c);
  }
  putchar('"');
}

// Prints the elements of two arrays at one place.
static void print_pair(const pir_tensor *expected, const pir_tensor *got, int64_t i) {
  if (expected->dtype == PIR_PSTRING) {
    printf(": expected ");
    print_string(string_at(expected, i));
    printf(", got ");
    print_string(string_at(got, i));
    return;
  }
  printf(": expected %.9g, got %.9g", pir_tensor_float_at(expected, i),
         pir_tensor_float_at(got, i));
}

bool run_compare(run *r, size_t i, const pir_tensor *expected, const char *label, bool quiet) {
  pir_tensor got;
  if (pir_session_output(r->session, i, &got))
    return false;
  if (!same_shape(&got, expected)) {
    printf("%soutput %zu: expected ", label, i);
    print_shape(expected);
    printf(", got ");
    print_shape(&got);
    printf("\n");
    return false;
  }
  difference d = differ(&got, expected, &r->tolerance);
  double most = largest(expected, pir_tensor_numel(expected)),
         error = most > 0 ? d.max_abs / most : d.max_abs;
  if (!(error <= r->max_rel_error))
    r->max_rel_error = error;
  if (quiet && !d.wrong)
    return true;
  cli_progress_erase();
  printf("%soutput %zu: max abs %.3g, max rel %.3g", label, i, d.max_abs, d.max_rel);
  if (d.wrong) {
    pir_tensor a = as_real(&got), b = as_real(expected);
    printf("; %" PRId64 " of %" PRId64 " differ, worst at ", d.wrong, pir_tensor_numel(&b));
    print_index(&b, d.worst);
    print_pair(&b, &a, d.worst);
  }
  printf("\n");
  return !d.wrong;
}

static void print_values(const pir_tensor *tensor, int axis, int64_t at) {
  if (axis == tensor->rank) {
    if (tensor->dtype == PIR_PSTRING)
      print_string(string_at(tensor, at));
    else if (pir_dtype_is_float(tensor->dtype))
      printf("%.8g", pir_tensor_float_at(tensor, at));
    else
      printf("%" PRId64, pir_tensor_int_at(tensor, at));
    return;
  }
  int64_t below = 1;
  for (int i = axis + 1; i < tensor->rank; i++)
    below *= tensor->shape[i];
  bool last = axis == tensor->rank - 1;
  printf("[");
  for (int64_t i = 0; i < tensor->shape[axis]; i++) {
    if (i)
      printf(last ? ", " : ",\n%*s", axis + 1, "");
    print_values(tensor, axis + 1, at + i * below);
  }
  printf("]");
}

void run_print_tensor(const char *name, const pir_tensor *tensor) {
  printf("%s: ", name);
  print_shape(tensor);
  printf("\n");
  pir_tensor real = as_real(tensor);
  print_values(&real, 0, 0);
  printf("\n");
}

// The place of the largest element of a row that comes behind `last` in descending order, equal
// ones by their places; -1: there is none. NaN has no order and is left out.
static int64_t next_largest(const pir_tensor *t, int64_t begin, int64_t width, int64_t last) {
  int64_t best = -1;
  for (int64_t i = 0; i < width; i++) {
    double value = pir_tensor_float_at(t, begin + i),
           before = last < 0 ? INFINITY : pir_tensor_float_at(t, begin + last);
    bool follows = last < 0 || value < before || (value == before && i > last);
    if (follows && value == value && (best < 0 || value > pir_tensor_float_at(t, begin + best)))
      best = i;
  }
  return best;
}

void run_print_top(const char *name, const pir_tensor *tensor, size_t count) {
  if (tensor->dtype == PIR_PSTRING || pir_dtype_is_complex(tensor->dtype) || !tensor->rank)
    return;
  int64_t width = tensor->shape[tensor->rank - 1], all = pir_tensor_numel(tensor);
  printf("%s: ", name);
  print_shape(tensor);
  printf("\n");
  for (int64_t begin = 0; begin < all; begin += width) {
    int64_t last = -1;
    for (size_t k = 0; k < count; k++) {
      last = next_largest(tensor, begin, width, last);
      if (last < 0)
        break;
      printf("%s%" PRId64 ": %.6g", k ? ", " : "  ", last,
             pir_tensor_float_at(tensor, begin + last));
    }
    printf("\n");
  }
}

static bool has_ending(const char *path, const char *ending) {
  size_t size = strlen(path), tail = strlen(ending);
  return size > tail && !strcasecmp(path + size - tail, ending);
}

int run_check_output_names(const run *r) {
  static const char *const others[] = {".jpg",  ".jpeg", ".gif", ".bmp",  ".tif", ".tiff",
                                       ".webp", ".npz",  ".csv", ".json", ".txt", ".pt"};
  for (size_t i = 0; i < r->cli->match_count; i++)
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
      if (r->cli->matches[i].id == OPT_OUTPUT &&
          has_ending(r->cli->matches[i].value, others[k]))
        return cli_fail(r->cli, CLI_USAGE, "--output=%s: outputs are written as .npy or .png",
                        r->cli->matches[i].value);
  return 0;
}

static int write_output_array(const run *r, size_t i, const char *path) {
  pir_tensor tensor;
  cli_output out;
  if (pir_session_output(r->session, i, &tensor))
    return cli_fail(r->cli, CLI_USAGE, "there is no output %zu", i);
  if (has_ending(path, ".png"))
    return run_write_picture(r, path, output_port(r->model, i).name.data, &tensor);
  int code = cli_output_open(r->cli, path, &out);
  if (code)
    return code;
  if (pir_npy_write(cli_output_writer(&out), &tensor))
    return cli_output_commit(r->cli, &out);
  cli_output_abandon(&out);
  return cli_fail(r->cli, CLI_INVALID, "cannot write %s", path);
}

int run_write_outputs(const run *r, const char *path, const char *folder, long only) {
  if (only >= 0)
    return write_output_array(r, (size_t)only, path);
  int code = 0;
  size_t outputs = pir_model_outputs(r->model);
  for (size_t k = 0, i; !code && (i = run_own_output(r, k)) < outputs; k++) {
    char file[4096];
    snprintf(file, sizeof file, "%s/out_%zu.npy", folder, k);
    code = write_output_array(r, i, file);
  }
  return code;
}
