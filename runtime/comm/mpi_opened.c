// Opens the module for an MPI on first use. libpir itself has no MPI.
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include <pir/layer/beside.h>

#include "comm_fail.h"
#include "mpi_module.h"

static bool is_plain_name(const char *name) {
  size_t n = strlen(name);
  return n && n < 32 && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789") == n;
}

// Whether the process has opened another module. Two would use the same symbols.
static bool has_other(const char *path) {
  void *same = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  if (same)
    dlclose(same);
  return !same && !access(path, R_OK) && dlsym(RTLD_DEFAULT, PIR_MPI_SYMBOL);
}

pir_status pir_comm_create_mpi(const char *mpi, const pir_comm_options *options,
                               const pir_comm_call *call, pir_comm **out_comm) {
  char file[80], path[4096];
  if (!out_comm)
    return PIR_INVALID;
  *out_comm = NULL;
  if (!mpi || !is_plain_name(mpi) || (options && !options->size))
    return pir_comm_fail(call, PIR_INVALID, "no name of an MPI, as openmpi or mpich");
  pir_text_format(file, sizeof file, "libpir_mpi_%s.so." PIR_SONAME, mpi);
  if (!pir_path_beside(file, path, sizeof path))
    return pir_comm_fail(call, PIR_UNAVAILABLE, "%s: its folder is not known", file);
  if (has_other(path))
    return pir_comm_fail(call, PIR_UNAVAILABLE, "the process has another MPI than %s", mpi);
  // Global, because an MPI opens plugins that look for its symbols.
  void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  const char *reason = module ? NULL : dlerror();
  if (!module)
    return pir_comm_fail(call, pir_loader_status(reason, NULL),
                         "MPI needs %s, which is built where its header is: %s", file,
                         reason ? reason : "it cannot be opened");
  pir_mpi_open_fn open;
  *(void **)&open = dlsym(module, PIR_MPI_SYMBOL);
  if (!open)
    return pir_comm_fail(call, PIR_UNAVAILABLE, "%s has no %s", file, PIR_MPI_SYMBOL);
  uint64_t stated = options && options->size >= sizeof *options ? options->timeout_ns : 0;
  return open(stated ? stated : 60 * (uint64_t)1000000000, call, out_comm);
}
