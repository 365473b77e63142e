// The interface of libpir_codegen_llvm: one struct of functions, found by one symbol. libpir
// opens the library when something must be compiled for the first time, and never for code from
// the cache.
#ifndef PIR_LLVM_BACKEND_H
#define PIR_LLVM_BACKEND_H

#include "loop.h"
#include <pir/codegen.h>

// Bytes from malloc, NUL-terminated beyond `size`.
typedef struct pir_emitted {
  char *data;
  size_t size;
} pir_emitted;

typedef struct pir_llvm_backend {
  const char *llvm_version;  // "19.1.7"
  // Compiles one module. May be called from several threads at once: every call has its own
  // LLVM context. On failure `message` (of `capacity` bytes) states the reason;
  // PIR_UNSUPPORTED: the loops contain something that it cannot emit. It supports every form
  // except PIR_CODE_LOOPS.
  pir_status (*emit)(const loop_module *module, const pir_target *target, pir_code_form form,
                     pir_emitted *out, char *message, size_t capacity);
} pir_llvm_backend;

// The entry symbol of libpir_codegen_llvm.so.0. Returns NULL if the caller was built from other
// sources, because loop IR may differ between them.
#define PIR_LLVM_BACKEND_SYMBOL "pir_llvm_backend_of"
PIR_API const pir_llvm_backend *pir_llvm_backend_of(const char *sources);

// Opens the library beside libpir, or where the loader finds it. PIR_UNAVAILABLE, with a
// sentence in `message`, if it is missing or belongs to another libpir.
typedef struct pir_llvm_library {
  void *handle;
  const pir_llvm_backend *backend;
} pir_llvm_library;

pir_status pir_llvm_open(pir_llvm_library *out, char *message, size_t capacity);
void pir_llvm_close(pir_llvm_library *library);
// Writes the identity of the library, installed or not: a part of cache keys, so that code may
// be compiled elsewhere.
const char *pir_llvm_identity(void);

#endif
