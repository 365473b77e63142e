// Activations of a run of n numbers, in place.
#ifndef PIR_KERNELS_ACTIVATIONS_H
#define PIR_KERNELS_ACTIVATIONS_H

#include <stdint.h>

void pir_sigmoid_f32(float *x, int64_t n);
void pir_tanh_f32(float *x, int64_t n);
void pir_sigmoid_f64(double *x, int64_t n);
void pir_tanh_f64(double *x, int64_t n);

#endif
