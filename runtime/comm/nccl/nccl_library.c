// Opens NCCL's library and resolves every function of the list, or reports the missing one.
#include "nccl_abi.h"

#include <dlfcn.h>
#include <string.h>

static const char *find_functions(nccl *n) {
  void *symbol;
#define NCCL_SYMBOL(returns, field, name, parameters)                                          \
  symbol = dlsym(n->library, #name);                                                           \
  if (!symbol)                                                                                 \
    return #name;                                                                              \
  memcpy(&n->field, &symbol, sizeof symbol);
#include "nccl_syms.def"
#undef NCCL_SYMBOL
  return NULL;
}

const char *nccl_open(nccl *out) {
  // Its threads and its exit handlers may outlive the last ring, so it stays.
  *out = (nccl){.library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)};
  if (!out->library)
    return "libnccl.so.2";
  const char *missing = find_functions(out);
  if (missing)
    nccl_close(out);
  return missing;
}

void nccl_close(nccl *n) {
  if (n->library)
    dlclose(n->library);
  *n = (nccl){0};
}
