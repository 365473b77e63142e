// The rare kernels are part of libpir, in its archive too: this reference takes them out of it.
#include "rare.h"

const pir_kernel *(*const rare_kernels)(size_t *) = pir_rare_kernels;
