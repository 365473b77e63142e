// Fourier transforms by kissfft, a template in C++: this is all of the language that there is.
#include "fft.h"

#include <kissfft/kissfft.hh>

extern "C" __attribute__((visibility("default"))) int pir_fft_lines(size_t n, int inverse, size_t lines,
                                                                    const double *in, double *out) {
  typedef kissfft<double>::cpx_t number;
  try {
    const kissfft<double> plan(n, inverse != 0);
    for (size_t i = 0; i < lines; i++)
      plan.transform(reinterpret_cast<const number *>(in) + i * n, reinterpret_cast<number *>(out) + i * n);
  } catch (...) {
    return 1;
  }
  return 0;
}
