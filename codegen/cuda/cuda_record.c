// The code generation record of CUDA devices; NVRTC is the compiler.
#include "cuda.h"
#include "nvrtc.h"

#include <stdlib.h>

static pir_status open_compiler(void **out_compiler, char *message, size_t capacity) {
  nvrtc *library = malloc(sizeof *library);
  *out_compiler = NULL;
  if (!library) {
    pir_text_format(message, capacity, "no memory for NVRTC");
    return PIR_EXHAUSTED;
  }
  pir_status status = nvrtc_open(library, message, capacity);
  if (status)
    free(library);
  else
    *out_compiler = library;
  return status;
}

static void close_compiler(void *compiler) {
  nvrtc_close(compiler);
  free(compiler);
}

static void identify_compiler(const void *compiler, char *out, size_t capacity) {
  const nvrtc *library = compiler;
  pir_text_format(out, capacity, "NVRTC %d.%d %s", library->major, library->minor,
                  nvrtc_options());
}

static pir_status compile_source(const void *compiler, const char *text,
                                 const pir_target *target, pir_emitted *out, char *message,
                                 size_t capacity) {
  return nvrtc_compile(compiler, text, target->name, NVRTC_CUBIN, out, message, capacity);
}

const device_codegen device_codegen_cuda = {
    .name = "cuda",
    .emit = cuda_emit,
    .open = open_compiler,
    .close = close_compiler,
    .identify = identify_compiler,
    .compile = compile_source,
    .write = cuda_write,
};
