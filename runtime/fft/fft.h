// The only function of libpir_fft.so, a separate library so that only transforms depend on it.
#ifndef PIR_FFT_H
#define PIR_FFT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PIR_FFT_LIBRARY "libpir_fft.so." PIR_SONAME
#define PIR_FFT_SYMBOL "pir_fft_lines"

// Transforms `lines` rows of n complex numbers each, unscaled; `in` and `out` must not overlap.
// Cost for each line: n times the sum of the prime factors of n. Returns nonzero if memory runs
// out.
typedef int (*pir_fft_lines_fn)(size_t n, int inverse, size_t lines, const double *in,
                                double *out);

#ifdef __cplusplus
}
#endif
#endif
