// Opens NVRTC under the library names of its versions, newest first, and compiles with it.
// Products are fused with sums only where the source says so, so results equal those on other
// targets.
#include "nvrtc.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const char *const options[] = {"--fmad=false", "--std=c++17",
                                      "--device-as-default-execution-space",
                                      "--extra-device-vectorization"};
enum { OPTIONS = sizeof options / sizeof *options };

const char *nvrtc_options(void) {
  return "--fmad=false --std=c++17 1";
}

// Returns the name of a function that the library lacks, or NULL.
static const char *resolve_library(nvrtc *n) {
  static const struct {
    const char *name;
    size_t at;
  } functions[] = {
#define NVRTC_SYMBOL(name, parameters) {#name, offsetof(nvrtc, name)},
#include "nvrtc_syms.def"
#undef NVRTC_SYMBOL
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *symbol = dlsym(n->library, functions[i].name);
    if (!symbol)
      return functions[i].name;
    memcpy((char *)n + functions[i].at, &symbol, sizeof symbol);
  }
  return NULL;
}

pir_status nvrtc_open(nvrtc *out, char *message, size_t capacity) {
  static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  *out = (nvrtc){0};
  for (size_t i = 0; i < sizeof names / sizeof *names && !out->library; i++)
    // It stays: each time that it is taken out of the process it leaves memory behind.
    out->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!out->library) {
    pir_text_format(
        message, capacity,
        "compiling for a CUDA device needs NVRTC (libnvrtc.so.12 or .13), which cannot be "
        "opened; install the "
        "CUDA toolkit or the wheel nvidia-cuda-nvrtc and name its folder in LD_LIBRARY_PATH");
    return PIR_UNAVAILABLE;
  }
  const char *missing = resolve_library(out);
  if (!missing && !out->nvrtcVersion(&out->major, &out->minor))
    return PIR_OK;
  pir_text_format(message, capacity,
                  "the NVRTC library that was found is too old: it has no %s",
                  missing ? missing : "version");
  nvrtc_close(out);
  return PIR_UNAVAILABLE;
}

void nvrtc_close(nvrtc *n) {
  if (n->library)
    dlclose(n->library);
  *n = (nvrtc){0};
}

static pir_status report_log(const nvrtc *n, nvrtc_program program, char *message,
                             size_t capacity) {
  size_t size = 0;
  char *log = n->nvrtcGetProgramLogSize(program, &size) ? NULL : malloc(size + 1);
  if (log && (n->nvrtcGetProgramLog(program, log), log[size] = 0, true))
    pir_text_format(message, capacity, "NVRTC refuses the generated code: %.*s",
                    (int)(capacity < 400 ? capacity : 400), log);
  else
    pir_text_format(message, capacity, "NVRTC refuses the generated code");
  free(log);
  return PIR_INTERNAL;
}

static pir_status take(const nvrtc *n, nvrtc_program program, nvrtc_form form,
                       pir_emitted *out) {
  size_t size = 0;
  int failed = form == NVRTC_PTX ? n->nvrtcGetPTXSize(program, &size)
                                 : n->nvrtcGetCUBINSize(program, &size);
  if (failed || !size)
    return PIR_INTERNAL;
  char *data = malloc(size + 1);
  if (!data)
    return PIR_EXHAUSTED;
  failed = form == NVRTC_PTX ? n->nvrtcGetPTX(program, data) : n->nvrtcGetCUBIN(program, data);
  if (failed) {
    free(data);
    return PIR_INTERNAL;
  }
  data[size] = 0;
  *out = (pir_emitted){data, form == NVRTC_PTX ? strlen(data) : size};
  return PIR_OK;
}

pir_status nvrtc_compile(const nvrtc *n, const char *text, const char *arch, nvrtc_form form,
                         pir_emitted *out, char *message, size_t capacity) {
  nvrtc_program program = NULL;
  char target[40];
  const char *all[OPTIONS + 1] = {target};
  *out = (pir_emitted){0};
  memcpy(all + 1, options, sizeof options);
  pir_text_format(target, sizeof target, "--gpu-architecture=%s", arch);
  if (n->nvrtcCreateProgram(&program, text, "pir.cu", 0, NULL, NULL)) {
    pir_text_format(message, capacity, "NVRTC does not take the generated code");
    return PIR_INTERNAL;
  }
  pir_status status = n->nvrtcCompileProgram(program, OPTIONS + 1, all)
                          ? report_log(n, program, message, capacity)
                          : take(n, program, form, out);
  if (status && !*message)
    pir_text_format(message, capacity, "NVRTC gives no code");
  n->nvrtcDestroyProgram(&program);
  return status;
}
