// Opens the CUDA driver's library and resolves every function of the list, or reports the
// missing one.
#include "cuda_abi.h"

#include <dlfcn.h>
#include <string.h>

static const char *resolve(cuda *c) {
  void *symbol;
#define CUDA_SYMBOL(field, name, parameters)                                                   \
  symbol = dlsym(c->library, #name);                                                           \
  if (!symbol)                                                                                 \
    return #name;                                                                              \
  memcpy(&c->field, &symbol, sizeof symbol);
#include "cuda_syms.def"
#undef CUDA_SYMBOL
  return NULL;
}

const char *cuda_open(cuda *out) {
  *out = (cuda){.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)};
  if (!out->library)
    return "libcuda.so.1";
  const char *missing = resolve(out);
  if (missing)
    cuda_close(out);
  return missing;
}

void cuda_close(cuda *c) {
  if (c->library)
    dlclose(c->library);
  *c = (cuda){0};
}
