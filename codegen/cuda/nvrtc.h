// NVRTC, NVIDIA's compiler as a library, opened at run time with our own declarations.
#ifndef PIR_CODEGEN_NVRTC_H
#define PIR_CODEGEN_NVRTC_H

#include "llvm_backend.h"

typedef struct nvrtc_program_opaque *nvrtc_program;

typedef struct nvrtc {
  void *library;
  int major, minor;  // its version
#define NVRTC_SYMBOL(name, parameters) int(*name) parameters;
#include "nvrtc_syms.def"
#undef NVRTC_SYMBOL
} nvrtc;

// Opens NVRTC. PIR_UNAVAILABLE, with a sentence that names the package to install, if it is
// missing or lacks a function.
pir_status nvrtc_open(nvrtc *out, char *message, size_t capacity);
void nvrtc_close(nvrtc *library);

typedef enum nvrtc_form { NVRTC_CUBIN, NVRTC_PTX } nvrtc_form;

// Compiles CUDA C for an architecture ("sm_90a"). May be called from several threads at once.
pir_status nvrtc_compile(const nvrtc *library, const char *text, const char *arch,
                         nvrtc_form form, pir_emitted *out, char *message, size_t capacity);
// Returns the options that NVRTC gets: a part of cache keys.
const char *nvrtc_options(void);

// Resources of a kernel in a CUBIN.
typedef struct cubin_kernel {
  const char *name;  // name in the CUBIN
  uint32_t registers, stack_bytes,
      shared_bytes;  // of a thread; of a thread, spilled registers included; of a block
} cubin_kernel;

// Reads the resources from the CUBIN's sections; fills at most `capacity` entries of `out` and
// returns the number of kernels. Every offset is checked. Returns 0 if the bytes are no CUBIN.
size_t cubin_read(const void *cubin, size_t size, cubin_kernel *out, size_t capacity);

#endif
