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

// The loader has no codes for its failures: "cannot create" and "cannot allocate" are about
// memory, and some of these messages have no reason after them.
pir_status pir_loader_status(const char *reason, const char *path) {
  static const char *const starved[] = {"annot allocate",  "cannot create",
                                        "out of memory",   "map segment",
                                        "zero-fill pages", "oo many open files"};
  bool memory = !reason ||
                (path && !strncmp(reason, path, strlen(path)) && strstr(reason, "cannot open"));
  for (size_t i = 0; !memory && i < sizeof starved / sizeof *starved; i++)
    memory = strstr(reason, starved[i]) != NULL;
  return memory ? PIR_EXHAUSTED : PIR_UNAVAILABLE;
}
