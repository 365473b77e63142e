// The kernels that few models call, as one list (kernel_table.h).
#include "kernels.h"

#define ENTRY(name, shapes) {#name, pir_kernel_##name, shapes},
static const pir_kernel rare[] = {PIR_KERNELS_RARE(ENTRY)};
#undef ENTRY

const pir_kernel *pir_rare_kernels(size_t *out_count) {
  *out_count = sizeof rare / sizeof *rare;
  return rare;
}
