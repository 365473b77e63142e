// Discrete Fourier transforms along axes, in complex double, one axis after the other: lines
// are gathered, transformed by a library that is opened when first needed, and written back. A
// length with a large prime factor becomes a convolution whose length is a power of two
// (Bluestein), so that any length costs O(n log n).
#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "fft.h"
#include "kernels.h"
#include <pir/layer/beside.h>

#define LARGE_PRIME 64  // from this prime factor on, the convolution is faster
#define LINES 16        // gathered together, because neighbours share cache lines

typedef struct transform {
  pir_fft_lines_fn lines;
  int64_t n;               // length of a line
  int64_t given;           // numbers read of a line; the others mirror them
  int64_t padded;          // length of the convolution, or 0
  double sign;             // sign of the exponent
  double *chirp, *kernel;  // n and `padded` numbers of the convolution
  double *in, *out;        // LINES x n complex numbers each
  double *work;            // 2 x padded complex numbers
  size_t bytes;            // total size of all arrays, which start at `in`
} transform;

// ---- the library

static pir_status refuse_without_library(const pir_kernel_call *call, pir_status status) {
  if (status == PIR_EXHAUSTED)
    return pir_kernel_fail(call, status, "%s: memory ran out while %s was opened", call->op,
                           PIR_FFT_LIBRARY);
  return pir_kernel_fail(
      call, PIR_UNAVAILABLE,
      "%s: unavailable: transforms need %s, built where libkissfft-dev is installed", call->op,
      PIR_FFT_LIBRARY);
}

static pir_status open_fft_library(const pir_kernel_call *call, pir_fft_lines_fn *out) {
  char path[4096];
  // The loader keeps the library and finds it again by name, so nothing is kept between calls.
  int flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
  bool beside = pir_path_beside(PIR_FFT_LIBRARY, path, sizeof path) && !access(path, R_OK);
  void *library = dlopen(beside ? path : PIR_FFT_LIBRARY, flags);
  if (!library)
    return refuse_without_library(call, pir_loader_status(dlerror(), beside ? path : NULL));
  void *symbol = dlsym(library, PIR_FFT_SYMBOL);
  dlclose(library);
  if (!symbol)
    return refuse_without_library(call, PIR_UNAVAILABLE);
  memcpy(out, &symbol, sizeof symbol);
  return PIR_OK;
}

// ---- one axis

static int64_t largest_prime(int64_t n) {
  int64_t largest = 1;
  for (int64_t p = 2; p * p <= n; p++)
    while (n % p == 0) {
      n /= p;
      largest = p;
    }
  return n > largest ? n : largest;
}

// a *= b, of n complex numbers.
static void multiply_complex(double *a, const double *b, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    double re = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
    a[2 * i + 1] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
    a[2 * i] = re;
  }
}

// Bluestein's method: chirp[j] = exp(sign pi i j^2 / n); the transform of its conjugates, which
// are placed around 0, is the kernel. Returns nonzero when memory runs out.
static int prepare_convolution(transform *t) {
  const double pi = 3.14159265358979323846;
  double *around = t->work;
  memset(around, 0, (size_t)t->padded * 2 * sizeof *around);
  for (int64_t j = 0; j < t->n; j++) {
    int64_t square = (int64_t)((__int128)j * j % (2 * t->n));
    double angle = pi * (double)square / (double)t->n;
    t->chirp[2 * j] = cos(angle);
    t->chirp[2 * j + 1] = t->sign * sin(angle);
    int64_t mirrored = j ? t->padded - j : 0;
    around[2 * j] = around[2 * mirrored] = t->chirp[2 * j];
    around[2 * j + 1] = around[2 * mirrored + 1] = -t->chirp[2 * j + 1];
  }
  return t->lines((size_t)t->padded, 0, 1, around, t->kernel);
}

// Transforms one line as a convolution. Returns nonzero when memory runs out.
static int transform_by_convolution(const transform *t, const double *in, double *out) {
  double *a = t->work;
  double *b = t->work + 2 * t->padded;
  memset(a, 0, (size_t)t->padded * 2 * sizeof *a);
  memcpy(a, in, (size_t)t->n * 2 * sizeof *a);
  multiply_complex(a, t->chirp, t->n);
  if (t->lines((size_t)t->padded, 0, 1, a, b))
    return 1;
  multiply_complex(b, t->kernel, t->padded);
  if (t->lines((size_t)t->padded, 1, 1, b, a))
    return 1;
  multiply_complex(a, t->chirp, t->n);
  for (int64_t i = 0; i < 2 * t->n; i++)
    out[i] = a[i] / (double)t->padded;
  return 0;
}

static pir_status fail_out_of_memory(const pir_kernel_call *call) {
  return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
}

// Allocates and fills the arrays of a transform of length n; free `t->in`.
static pir_status prepare_transform(const pir_kernel_call *call, pir_fft_lines_fn lines,
                                    int64_t n, bool forward, transform *t) {
  *t = (transform){.lines = lines, .n = n, .sign = forward ? -1 : 1};
  if (n > INT64_MAX / 4096)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  if (largest_prime(n) >= LARGE_PRIME)
    for (t->padded = 1; t->padded < 2 * n;)
      t->padded *= 2;
  int64_t numbers = n * (2 * LINES + 1) + 3 * t->padded;
  t->bytes = (size_t)numbers * 2 * sizeof(double);
  t->in = pir_kernel_alloc(call, t->bytes);
  if (!t->in)
    return fail_out_of_memory(call);
  t->out = t->in + 2 * n * LINES;
  t->chirp = t->out + 2 * n * LINES;
  t->kernel = t->chirp + 2 * n;
  t->work = t->kernel + 2 * t->padded;
  return t->padded && prepare_convolution(t) ? fail_out_of_memory(call) : PIR_OK;
}

static int run_transform(const transform *t, int64_t lines) {
  if (!t->padded)
    return t->lines((size_t)t->n, t->sign > 0, (size_t)lines, t->in, t->out);
  for (int64_t i = 0; i < lines; i++)
    if (transform_by_convolution(t, t->in + 2 * i * t->n, t->out + 2 * i * t->n))
      return 1;
  return 0;
}

// An axis of a row-major tensor: `outer` blocks of `extent` rows of `inner` numbers.
typedef struct axis {
  int64_t outer, extent, inner;
} axis;

static axis measure_axis(const pir_tensor *t, int d) {
  axis a = {1, t->shape[d], 1};
  for (int i = 0; i < d; i++)
    a.outer *= t->shape[i];
  for (int i = d + 1; i < t->rank; i++)
    a.inner *= t->shape[i];
  return a;
}

// Gathers a line of n numbers. Those behind the first `given` are conjugates of their mirror
// images.
static void gather_line(const double *from, int64_t stride, int64_t given, int64_t n,
                        double *to) {
  for (int64_t j = 0; j < n; j++) {
    bool mirrored = j >= given;
    const double *x = from + 2 * stride * (mirrored ? n - j : j);
    to[2 * j] = x[0];
    to[2 * j + 1] = mirrored ? -x[1] : x[1];
  }
}

// Transforms the lines of `from` along axis d, and writes the first numbers of each, scaled by
// `factor`, to the lines of `to`, which may be shorter.
static pir_status transform_along_axis(const pir_kernel_call *call, const transform *t,
                                       const pir_tensor *from, const pir_tensor *to, int d,
                                       double factor) {
  axis a = measure_axis(from, d), b = measure_axis(to, d);
  const double *x = from->data;
  double *y = to->data;
  for (int64_t o = 0; o < a.outer; o++)
    for (int64_t first = 0; first < a.inner; first += LINES) {
      int64_t lines = a.inner - first < LINES ? a.inner - first : LINES;
      for (int64_t i = 0; i < lines; i++) {
        const double *line = x + 2 * (o * a.extent * a.inner + first + i);
        gather_line(line, a.inner, t->given, t->n, t->in + 2 * i * t->n);
      }
      if (run_transform(t, lines))
        return fail_out_of_memory(call);
      for (int64_t i = 0; i < lines; i++)
        for (int64_t j = 0; j < b.extent; j++) {
          double *at = y + 2 * ((o * b.extent + j) * b.inner + first + i);
          double *from_line = t->out + 2 * (i * t->n + j);
          at[0] = from_line[0] * factor;
          at[1] = from_line[1] * factor;
        }
    }
  return PIR_OK;
}

// ---- all axes

typedef struct request {
  int axes[PIR_MAX_RANK], count;
  bool forward;
  int power;  // the results are scaled by 1 / sqrt(n) to this power: 0, 1 or 2
  pir_fft_lines_fn lines;
} request;

// attributes of all kernels: axes, normalization, forward
static pir_status read_request(const pir_kernel_call *call, const pir_tensor *x, request *r) {
  pir_int_list axes = pir_kernel_ints(call, 0);
  pir_str norm = pir_kernel_text(call, 1);
  uint32_t seen = 0;
  *r = (request){.forward = pir_kernel_int(call, 2)};
  if (pir_str_equal(norm, PIR_STR("ortho")))
    r->power = 1;
  else if (pir_str_equal(norm, PIR_STR("forward")))
    r->power = r->forward ? 2 : 0;
  else if (pir_str_equal(norm, PIR_STR("backward")))
    r->power = r->forward ? 0 : 2;
  else
    return pir_kernel_fail(
        call, PIR_INVALID,
        "%s: normalization: expects forward, backward or ortho, found '%.*s'", call->op,
        (int)norm.size, norm.data);
  for (size_t i = 0; i < axes.count; i++) {
    int64_t d = axes.ints[i] < 0 ? axes.ints[i] + x->rank : axes.ints[i];
    if (d < 0 || d >= x->rank || seen >> d & 1)
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: axes: expects different axes of rank %d, found %lld",
                             call->op, x->rank, (long long)axes.ints[i]);
    seen |= 1u << d;
    r->axes[r->count++] = (int)d;
  }
  return open_fft_library(call, &r->lines);
}

// Transforms axis d from x to y, which may be one tensor when their shapes are equal. Lines
// have `n` numbers, of which `given` are read.
static pir_status transform_one_axis(const pir_kernel_call *call, const request *r, int d,
                                     int64_t n, int64_t given, const pir_tensor *x,
                                     const pir_tensor *y) {
  transform t;
  if (n < 1 || x->shape[d] < given)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: x: expects %lld numbers along axis %d, found %lld", call->op,
                           (long long)(n < 1 ? 1 : given), d, (long long)x->shape[d]);
  if (!pir_tensor_numel(y))
    return PIR_OK;
  pir_status status = prepare_transform(call, r->lines, n, r->forward, &t);
  t.given = given;
  double factor = 1;
  if (r->power == 2)
    factor = 1.0 / (double)n;
  else if (r->power)
    factor = 1 / sqrt((double)n);
  if (!status)
    status = transform_along_axis(call, &t, x, y, d, factor);
  pir_kernel_free(call, t.in, t.bytes);
  return status;
}

// Transforms complex or real numbers to complex or real ones. Half of the last axis in the list
// may stand for the whole of it, in the operand (`from_half`) or in the result; that axis is
// transformed last when it is completed, and first when it is cut.
static pir_status transform_all_axes(const pir_kernel_call *call, bool from_half) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  pir_tensor *out = pir_kernel_out(call, 0);
  pir_tensor a = {0};
  pir_tensor b = {0};
  pir_tensor zero = {.data = &(double[2]){0}, .dtype = PIR_C128};
  request r;
  if (!x)
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects a tensor, found none", call->op);
  PIR_TRY(read_request(call, x, &r));
  PIR_TRY(pir_kernel_dense(call, x, PIR_C128, x->shape, x->rank, &a));
  pir_status status = pir_kernel_dense(call, &zero, PIR_C128, out->shape, out->rank, &b);
  int last = r.count ? r.axes[r.count - 1] : 0;
  int others = r.count - 1;
  if (!status && !r.count)
    status = pir_tensor_copy(&a, &b);
  for (int i = 0; !status && from_half && i < others; i++) {
    int64_t n = a.shape[r.axes[i]];
    status = transform_one_axis(call, &r, r.axes[i], n, n, &a, &a);
  }
  if (!status && r.count) {
    int64_t n = from_half ? out->shape[last] : a.shape[last];
    status = transform_one_axis(call, &r, last, n, from_half ? n / 2 + 1 : n, &a, &b);
  }
  for (int i = 0; !status && !from_half && i < others; i++) {
    int64_t n = b.shape[r.axes[i]];
    status = transform_one_axis(call, &r, r.axes[i], n, n, &b, &b);
  }
  if (!status)
    status = pir_tensor_copy(&b, out);
  pir_kernel_drop(call, &a);
  pir_kernel_drop(call, &b);
  return status;
}

pir_status pir_kernel_fft(const pir_kernel_call *call) {
  return transform_all_axes(call, false);
}

pir_status pir_kernel_fft_from_half(const pir_kernel_call *call) {
  return transform_all_axes(call, true);
}
