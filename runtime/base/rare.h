// Where the kernels that few models call are: linked in libpir (rare_linked.c), in a library of
// their own for libpir_rt (rare_opened.c).
#ifndef PIR_RARE_H
#define PIR_RARE_H

#include <pir/layer/kernel.h>

// Returns them in name order and sets their number; NULL and 0 when their library is missing.
extern const pir_kernel *(*const rare_kernels)(size_t *out_count);

#endif
