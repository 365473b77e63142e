// The rare kernels are part of libpir, in its archive too: this call takes them out of it.
#include "rare.h"

const pir_kernel *rare_kernels(size_t *out_count) { return pir_rare_kernels(out_count); }
