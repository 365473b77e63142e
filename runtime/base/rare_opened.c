// A program that is linked with libpir_rt has the rare kernels if it is linked with
// libpir_rt_kernels, too; else the library is opened, and stays open.
#include <dlfcn.h>
#include <string.h>

#include "rare.h"
#include <pir/layer/beside.h>

#pragma weak pir_rare_kernels
#define PIR_RARE_LIBRARY "libpir_rt_kernels.so." PIR_SONAME

static const pir_kernel *open_rare_kernels(size_t *out_count) {
  *out_count = 0;
  if (pir_rare_kernels)
    return pir_rare_kernels(out_count);
  char path[4096];
  int flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
  void *library =
      pir_path_beside(PIR_RARE_LIBRARY, path, sizeof path) ? dlopen(path, flags) : NULL;
  if (!library)
    library = dlopen(PIR_RARE_LIBRARY, flags);
  const pir_kernel *(*kernels)(size_t *) = NULL;
  void *symbol = library ? dlsym(library, "pir_rare_kernels") : NULL;
  memcpy(&kernels, &symbol, sizeof kernels);
  return kernels ? kernels(out_count) : NULL;
}

const pir_kernel *(*const rare_kernels)(size_t *) = open_rare_kernels;
