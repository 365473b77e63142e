// The interface of libpir_codegen_llvm: one struct of functions, found by one symbol. It is
// opened when something must be compiled for the first time, and never for code from the cache:
// by the compile server, or, where the host asks for that, in its own process.
#ifndef PIR_LLVM_BACKEND_H
#define PIR_LLVM_BACKEND_H

#include "loop.h"
#include <pir/layer/codegen.h>
#include <pir/layer/watch.h>

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

// The entry symbol of libpir_codegen_llvm.so. Returns NULL if the caller was built from other
// sources, because loop IR may differ between them.
#define PIR_LLVM_BACKEND_SYMBOL "pir_llvm_backend_of"
PIR_API const pir_llvm_backend *pir_llvm_backend_of(const char *sources);

// The limits of each compilation by a server; LLVM in this process knows none.
typedef struct pir_emit_limits {
  pir_watch watch;
  uint64_t max_bytes;  // 0: any
} pir_emit_limits;

// One of two ways to LLVM: the library in this process, or a server.
typedef struct pir_llvm_library {
  void *handle;
  const pir_llvm_backend *backend;  // NULL: not in this process
  struct compile_server *server;    // NULL: no server
  pir_emit_limits limits;           // none, unless set after it was opened
} pir_llvm_library;

// Opens the library beside libpir, or where the loader finds it, in this process.
// PIR_UNAVAILABLE, with a sentence in `message`, if it is missing or belongs to another libpir;
// PIR_EXHAUSTED if memory is the reason.
pir_status pir_llvm_load(pir_llvm_library *out, char *message, size_t capacity);
// Starts a compile server (compile_server.h); loads the library if there is none, or if the
// host asks for that.
pir_status pir_llvm_open(bool in_process, pir_llvm_library *out, char *message,
                         size_t capacity);
// Starts a server, if there is one, without waiting for it: *out is then open, and the first
// modules wait. If that fails it is not open, and pir_llvm_open says why.
void pir_llvm_begin(pir_llvm_library *out);
bool pir_llvm_is_open(const pir_llvm_library *library);
// Compiles a module as pir_llvm_backend.emit does, from any thread. PIR_CANCELLED: the work had
// to end.
pir_status pir_llvm_emit_code(const pir_llvm_library *library, const loop_module *module,
                              const pir_target *target, pir_code_form form, pir_emitted *out,
                              char *message, size_t capacity);
// Ends the processes that only further modules would need.
void pir_llvm_rest(pir_llvm_library *library);
void pir_llvm_close(pir_llvm_library *library);
// Writes the identity of the library, installed or not: a part of cache keys, so that code may
// be compiled elsewhere.
const char *pir_llvm_identity(void);

#endif
