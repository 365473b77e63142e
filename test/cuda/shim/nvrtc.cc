// NVRTC for tests: compiles CUDA C for the processor, with the C++ compiler of the machine. Its CUBIN is a shared object,
// which the stand-in for the driver loads.
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dlfcn.h>

extern char **environ;

namespace {
struct program {
  std::string text, code, log;
};

std::string read_file(const std::string &path) {
  std::string out;
  if (FILE *f = fopen(path.c_str(), "rb")) {
    char buffer[65536];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;) out.append(buffer, n);
    fclose(f);
  }
  return out;
}

bool write_file(const std::string &path, const std::string &text) {
  FILE *f = fopen(path.c_str(), "wb");
  if (!f) return false;
  bool ok = fwrite(text.data(), 1, text.size(), f) == text.size();
  return fclose(f) == 0 && ok;
}

// The folder this library was built from is where its header is.
std::string include_folder() { return SHIM_SOURCE; }

int run(const std::string &from, const std::string &to, const std::string &log) {
  std::string include = "-I" + include_folder();
  const char *args[] = {SHIM_CXX, "-x",  "c++",          "-std=c++17",   "-O1", "-ffp-contract=off", "-fno-math-errno",
                        "-w",     "-fPIC", "-shared",      "-mfma",         "-fsanitize=alignment", "-fsanitize-undefined-trap-on-error",        include.c_str(),
                        "-include", "device.h", "-o", to.c_str(), from.c_str(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child;
  int status = posix_spawnp(&child, args[0], &actions, nullptr, const_cast<char **>(args), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (status) return status;
  while (waitpid(child, &status, 0) < 0) continue;
  return status;
}
// Behind the text, an entry for each kernel in it.
std::string with_entries(const std::string &text) {
  const std::string mark = "extern \"C\" __global__ void __launch_bounds__(";
  std::string out = text;
  for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
    at = text.find(") ", at) + 2;
    std::string name = text.substr(at, text.find('(', at) - at);
    out += "extern \"C\" void shim_call_" + name + "(void **a) { shim_call(" + name + ", a); }\n";
  }
  return out;
}

long fails_in;
bool fails() { return fails_in > 0 && --fails_in == 0; }
}  // namespace

extern "C" {
// For tests of failures: the n-th call from now on fails; how many calls are left until then.
void shim_nvrtc_fail_in(long n) { fails_in = n; }
long shim_nvrtc_fails_in(void) { return fails_in; }

int nvrtcVersion(int *major, int *minor) {
  if (fails()) return 3;
  return *major = 0, *minor = 1, 0;
}

int nvrtcCreateProgram(program **out, const char *text, const char *, int, const char *const *, const char *const *) {
  if (fails()) return 1;
  *out = new program{text, "", ""};
  return 0;
}

int nvrtcDestroyProgram(program **p) {
  delete *p;
  *p = nullptr;
  return 0;
}

int nvrtcCompileProgram(program *p, int, const char *const *) {
  if (fails()) return 6;
  const char *base = getenv("TMPDIR");
  std::string folder = std::string(base && *base ? base : "/tmp") + "/pir-shim-XXXXXX";
  if (!mkdtemp(folder.data())) return 1;
  std::string from = folder + "/kernel.cu", to = folder + "/kernel.so", log = folder + "/log";
  int failed = !write_file(from, with_entries(p->text)) || run(from, to, log);
  p->log = read_file(log);
  p->code = failed ? "" : read_file(to);
  unlink(from.c_str()), unlink(to.c_str()), unlink(log.c_str()), rmdir(folder.c_str());
  return failed || p->code.empty() ? 6 : 0;
}

int nvrtcGetCUBINSize(program *p, size_t *size) {
  if (fails()) return 1;
  return *size = p->code.size(), 0;
}
int nvrtcGetCUBIN(program *p, char *out) {
  if (fails()) return 1;
  return memcpy(out, p->code.data(), p->code.size()), 0;
}
int nvrtcGetPTXSize(program *, size_t *) { return 5; }
int nvrtcGetPTX(program *, char *) { return 5; }
int nvrtcGetProgramLogSize(program *p, size_t *size) {
  if (fails()) return 1;
  return *size = p->log.size() + 1, 0;
}
int nvrtcGetProgramLog(program *p, char *out) { return memcpy(out, p->log.c_str(), p->log.size() + 1), 0; }
}
