// Finds files beside the library that this code was linked into, so that an installed library
// and one in its build folder each open the modules that were built with them.
#include <pir/layer/beside.h>

#include <dlfcn.h>
#include <string.h>

bool pir_path_beside(const char *file, char *out, size_t capacity) {
  Dl_info info;
  if (!dladdr((const void *)(uintptr_t)pir_version, &info) || !info.dli_fname)
    return false;
  const char *slash = strrchr(info.dli_fname, '/');
  int folder = slash ? (int)(slash - info.dli_fname + 1) : 0;
  return pir_text_format(out, capacity, "%.*s%s", folder, info.dli_fname, file) + 1 < capacity;
}
