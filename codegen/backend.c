// Finds and opens the LLVM library. It is looked for beside the image this function lives in, then by the
// dynamic loader's rules, so that both an installed and a just built libpir find their own.
#include "backend_sources.h"
#include "llvm_backend.h"

#include <pir/beside.h>

#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>

#define LIBRARY "libpir_codegen_llvm.so.0"

const char *pir_llvm_identity(void) { return BACKEND_SOURCES; }

// The image that this function is in is told by its file, like the other.
void pir_compiler_identity(char *out, size_t capacity) {
  Dl_info info;
  struct stat st;
  bool known = dladdr((const void *)(uintptr_t)pir_version, &info) && info.dli_fname && !stat(info.dli_fname, &st);
  if (!known) st = (struct stat){0};
  pir_text_format(out, capacity, "libpir %u, %lld %lld.%ld, backend %s", pir_version(), (long long)st.st_size,
                  (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, pir_llvm_identity());
}

pir_status pir_llvm_open(pir_llvm_library *out, char *message, size_t capacity) {
  *out = (pir_llvm_library){0};
  char path[4096];
  void *handle = pir_path_beside(LIBRARY, path, sizeof path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!handle) handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    pir_text_format(message, capacity, "code generation needs %s, which cannot be opened: %s", LIBRARY, dlerror());
    return PIR_UNAVAILABLE;
  }
  const pir_llvm_backend *(*get)(const char *) = NULL;
  void *symbol = dlsym(handle, PIR_LLVM_BACKEND_SYMBOL);
  memcpy(&get, &symbol, sizeof get);
  const pir_llvm_backend *backend = get ? get(BACKEND_SOURCES) : NULL;
  if (!backend) {
    pir_text_format(message, capacity, "%s was built from other sources than libpir", LIBRARY);
    dlclose(handle);
    return PIR_UNAVAILABLE;
  }
  *out = (pir_llvm_library){handle, backend};
  return PIR_OK;
}

bool pir_compiler_llvm_version(char *out, size_t capacity) {
  char message[1024];
  pir_llvm_library library;
  if (pir_llvm_open(&library, message, sizeof message)) return false;
  pir_text_format(out, capacity, "%s", library.backend->llvm_version);
  pir_llvm_close(&library);
  return true;
}

void pir_llvm_close(pir_llvm_library *library) {
  if (library->handle) dlclose(library->handle);
  *library = (pir_llvm_library){0};
}
