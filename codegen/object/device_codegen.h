// The record of a device kind for code generation: from loops that are bound to threads to
// source, and from source to code. A kind is a folder that defines one record, and a row of
// pir/layer/devices.def (docs/steps/add-a-device.md). Building libpir needs nothing of a
// device's compiler: it is opened when code is first compiled.
#ifndef PIR_DEVICE_CODEGEN_H
#define PIR_DEVICE_CODEGEN_H

#include "llvm_backend.h"

// One kernel a function of the module. It has the parameters of pir_stage_kernel; blocks of
// `block_threads` threads take `block_units` units at a time.
typedef struct device_kernel {
  const char *name;
  uint16_t *slots, slot_count;  // buffers of the group, in the order of the parameters
  uint16_t *dims, dim_count;    // run-time extents of the group, in the order of the parameters
  int block_threads, block_units;
  bool reports;  // it has checks that may fail
} device_kernel;

typedef struct device_source {
  pir_arena arena;  // memory of the fields below
  char *text;       // NUL-terminated
  size_t size;
  device_kernel *kernels;  // one for each function, in order
  size_t count;
} device_source;

typedef struct device_codegen {
  const char *name;  // name of the device kind
  // Writes the module as source, which lies in the heap; its arena is the caller's to destroy.
  // On failure `message` says why, and there is nothing to destroy. PIR_UNSUPPORTED: the loops
  // have something that the device has no form for.
  pir_status (*emit)(const loop_module *module, const pir_target *target, pir_heap *heap,
                     device_source *out, char *message, size_t capacity);
  // Opens the compiler; PIR_UNAVAILABLE, with a sentence that names the package to install, if
  // it is missing. The caller closes it.
  pir_status (*open)(void **out_compiler, char *message, size_t capacity);
  void (*close)(void *compiler);
  // Writes a text that tells compilers and their options apart: part of cache keys.
  void (*identify)(const void *compiler, char *out, size_t capacity);
  // Compiles source for an architecture. Callable from several threads at once.
  pir_status (*compile)(const void *compiler, const char *text, const pir_target *target,
                        pir_emitted *out, char *message, size_t capacity);
  // Writes the module in one of the forms of a device.
  pir_status (*write)(const loop_module *module, const pir_target *target, pir_code_form form,
                      pir_writer out, char *message, size_t capacity);
} device_codegen;

#define DEVICE(name, ...) extern const device_codegen device_codegen_##name;
#include <pir/layer/devices.def>
#undef DEVICE

// The record of the target's kind; NULL for a processor.
const device_codegen *device_codegen_of(const pir_target *target);

#endif
