// Finds and opens the LLVM library: first beside the image that holds this function, then by
// the dynamic loader's rules. So an installed libpir and one in its build folder each open
// their own.
#include "backend_sources.h"
#include "compile_server.h"
#include "llvm_backend.h"

#include <pir/layer/beside.h>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBRARY "libpir_codegen_llvm.so." PIR_SONAME

// LLVM stays in memory in any case, because it defines unique symbols. If the library that
// registers targets with it were unloaded, each opening would register and allocate anew.
enum { OPEN_FLAGS = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };

const char *pir_llvm_identity(void) {
  return BACKEND_SOURCES;
}

typedef struct build_id {
  uintptr_t inside;  // an address of the image
  char text[65];
} build_id;

static bool image_holds(const struct dl_phdr_info *image, uintptr_t address) {
  for (int i = 0; i < image->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &image->dlpi_phdr[i];
    if (p->p_type == PT_LOAD && address - image->dlpi_addr - p->p_vaddr < p->p_memsz)
      return true;
  }
  return false;
}

static int read_build_id(struct dl_phdr_info *image, size_t size, void *user) {
  build_id *id = user;
  if (!image_holds(image, id->inside))
    return 0;
  for (int i = 0; i < image->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &image->dlpi_phdr[i];
    const char *at = (const char *)image->dlpi_addr + p->p_vaddr, *end = at + p->p_memsz;
    while (p->p_type == PT_NOTE && end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
      const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
      size_t name = (note->n_namesz + 3u) & ~3u, data = (note->n_descsz + 3u) & ~3u;
      if ((size_t)(end - at) - sizeof *note < name + data)
        break;
      const unsigned char *bytes = (const unsigned char *)at + sizeof *note + name;
      bool found = note->n_type == NT_GNU_BUILD_ID && name == 4 && !memcmp(note + 1, "GNU", 4);
      for (size_t k = 0; found && k < note->n_descsz && k < 32; k++)
        pir_text_format(id->text + 2 * k, 3, "%x%x", (unsigned)(bytes[k] >> 4),
                        (unsigned)(bytes[k] & 15));
      at += sizeof *note + name + data;
    }
  }
  return 1;
}

// Identifies the image of this function: by the linker's build id if it has one, and by its
// file.
void pir_compiler_identity(char *out, size_t capacity) {
  Dl_info info;
  struct stat st;
  build_id id = {.inside = (uintptr_t)pir_version};
  (void)dl_iterate_phdr(read_build_id, &id);
  bool known =
      dladdr((const void *)id.inside, &info) && info.dli_fname && !stat(info.dli_fname, &st);
  if (!known)
    st = (struct stat){0};
  pir_text_format(out, capacity, "libpir %u %s, %lld %lld.%ld, backend %s", pir_version(),
                  id.text, (long long)st.st_size, (long long)st.st_mtim.tv_sec,
                  st.st_mtim.tv_nsec, BACKEND_SOURCES);
}

pir_status pir_llvm_load(pir_llvm_library *out, char *message, size_t capacity) {
  *out = (pir_llvm_library){0};
  char path[4096];
  bool beside = pir_path_beside(LIBRARY, path, sizeof path) && !access(path, R_OK);
  void *handle = dlopen(beside ? path : LIBRARY, OPEN_FLAGS);
  if (!handle) {
    const char *reason = dlerror();
    pir_text_format(message, capacity, "code generation needs %s, which cannot be opened: %s",
                    LIBRARY, reason);
    return pir_loader_status(reason, beside ? path : NULL);
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
  *out = (pir_llvm_library){.handle = handle, .backend = backend};
  return PIR_OK;
}

pir_status pir_llvm_open(bool in_process, pir_llvm_library *out, char *message,
                         size_t capacity) {
  *out = (pir_llvm_library){0};
  if (in_process || !pir_compile_server_is_installed())
    return pir_llvm_load(out, message, capacity);
  PIR_TRY(pir_compile_server_start(&out->server, message, capacity));
  pir_status status = pir_compile_server_await(out->server, message, capacity);
  if (status)
    pir_llvm_close(out);
  return status;
}

void pir_llvm_begin(pir_llvm_library *out) {
  char message[512];
  *out = (pir_llvm_library){0};
  if (pir_compile_server_is_installed())
    pir_ignore(pir_compile_server_start(&out->server, message, sizeof message));
}

bool pir_llvm_is_open(const pir_llvm_library *library) {
  return library->backend || library->server;
}

pir_status pir_llvm_emit_code(const pir_llvm_library *library, const loop_module *module,
                              const pir_target *target, pir_code_form form, pir_emitted *out,
                              char *message, size_t capacity) {
  if (pir_watch_ended(&library->limits.watch)) {
    pir_text_format(message, capacity, "%s", pir_watch_reason(&library->limits.watch));
    return PIR_CANCELLED;
  }
  if (library->backend)
    return library->backend->emit(module, target, form, out, message, capacity);
  return pir_compile_server_emit(library->server, &library->limits, module, target, form, out,
                                 message, capacity);
}

bool pir_compiler_llvm_version(char *out, size_t capacity) {
  char message[1024];
  pir_llvm_library library;
  if (pir_llvm_load(&library, message, sizeof message))
    return false;
  pir_text_format(out, capacity, "%s", library.backend->llvm_version);
  pir_llvm_close(&library);
  return true;
}

void pir_llvm_rest(pir_llvm_library *library) {
  pir_compile_server_rest(library->server);
}

void pir_llvm_close(pir_llvm_library *library) {
  if (library->handle)
    dlclose(library->handle);
  pir_compile_server_stop(library->server);
  *library = (pir_llvm_library){0};
}
