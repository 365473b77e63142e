// Activations by name, for the recurrent networks over sequences and their gradients.
#ifndef PIR_KERNELS_RECURRENT_H
#define PIR_KERNELS_RECURRENT_H

#include "kernels.h"

typedef struct pir_activation {
  double (*run)(double x);
  // The derivative, by the value of the function.
  double (*slope)(double y);
} pir_activation;

// Reads the activation that attribute `attr` names.
pir_status pir_find_activation(const pir_kernel_call *call, int attr, pir_activation *out);

#endif
