// The CUDA back end: binds loop modules to threads, prints CUDA C, compiles it to a CUBIN.
// Building libpir needs nothing of CUDA: NVRTC is opened when code is first compiled, and the
// printed source has no #include.
#ifndef PIR_CODEGEN_CUDA_H
#define PIR_CODEGEN_CUDA_H

#include "llvm_backend.h"

// One kernel a function of the module: `extern "C" __global__ void NAME(buffers.., extents..,
// long long end)`, run by blocks of cuda_block_threads threads that take cuda_block_units units
// at a time.
typedef struct cuda_kernel {
  const char *name;
  uint16_t *slots, slot_count;  // of the group's buffers, in the order of the parameters
  uint16_t *dims, dim_count;    // likewise of its run-time extents
  int block_threads, block_units;
} cuda_kernel;

typedef struct cuda_source {
  pir_arena arena;  // of all the rest
  char *text;       // NUL-terminated
  size_t size;
  cuda_kernel *kernels;  // one a function, in order
  size_t count;
} cuda_source;

// The source lies in the heap. On failure `message` says why, and there is nothing to release.
pir_status cuda_emit(const loop_module *module, pir_heap *heap, cuda_source *out, char *message,
                     size_t capacity);
void cuda_source_release(cuda_source *source);

// Writes the module in one of the forms of a device.
pir_status cuda_write(const loop_module *module, const pir_target *target, pir_code_form form,
                      pir_writer out, char *message, size_t capacity);

#endif
