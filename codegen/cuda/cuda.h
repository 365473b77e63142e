// The CUDA back end: binds loop modules to threads, prints CUDA C, compiles it to a CUBIN. The
// printed source has no #include. A kernel is
// `extern "C" __global__ void NAME(buffers.., extents.., [report, launch,] long long end)`.
#ifndef PIR_CODEGEN_CUDA_H
#define PIR_CODEGEN_CUDA_H

#include "device_codegen.h"

// The functions of the record.
pir_status cuda_emit(const loop_module *module, const pir_target *target, pir_heap *heap,
                     device_source *out, char *message, size_t capacity);
pir_status cuda_write(const loop_module *module, const pir_target *target, pir_code_form form,
                      pir_writer out, char *message, size_t capacity);

#endif
