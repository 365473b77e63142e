// The CUDA driver for tests: a device that is the processor. Its memory is host memory, kept apart: what the host may
// not touch is protected between calls, so that a missing transfer is a fault, not a right number. Streams run at
// once, but behind work of the stand-in for NCCL, which waits for other ranks; graphs are lists of launches.
#include "device.h"

#include <atomic>
#include <deque>
#include <dlfcn.h>
#include <functional>
#include <list>
#include <map>
#include <setjmp.h>
#include <stdio.h>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

shim_state shim;

namespace {
enum { SUCCESS, INVALID, OUT_OF_MEMORY, STACK_BYTES = 64 << 10, MOST_THREADS = 1024, NO_SUCH_DEVICE = 101, NOT_READY = 600,
       MISALIGNED = 716, LOST = 719, NOT_AWAITED = 999 };

std::recursive_mutex lock;
std::map<uint64_t, size_t> memory;  // of the device, by address
std::atomic<int> holders;           // of its primary context

// ---- fibers

// A copy into shared memory that a thread began: it is made when the thread waits for it, as late as a device may.
struct copying {
  void *to;
  const void *from;
  size_t bytes;
  bool some;  // else zeros are written
};

// The C library's own jump: a sanitizer's, which has the same name, expects that a thread has one stack.
[[noreturn]] void jump(jmp_buf to) {
  static const auto go = reinterpret_cast<void (*)(jmp_buf, int)>(dlsym(dlopen("libc.so.6", RTLD_NOW), "_longjmp"));
  go(to, 1);
  __builtin_unreachable();
}

struct fiber {
  ucontext_t start;
  jmp_buf here;
  char *stack;
  bool started, ended;
  unsigned waits_for;  // 0: runs; 1: for the block; 2: for the warp lanes in `mask`
  unsigned mask;
  size_t barriers;  // of the block, at which it has been
  std::vector<copying> open;  // copies that are in no group yet
  std::deque<std::vector<copying>> groups;
};

fiber fibers[MOST_THREADS];
jmp_buf scheduler;
unsigned current, block_threads;
void (*body)(void **);
void **body_arguments;

int fault;  // the first one of the launch

[[noreturn]] void stop(int error) {
  if (!fault) fault = error;
  fibers[current].ended = true;
  jump(scheduler);
}

void enter() {
  body(body_arguments);
  fiber &f = fibers[current];
  bool awaited = f.open.empty();
  for (auto &group : f.groups) awaited &= group.empty();
  stop(awaited ? SUCCESS : NOT_AWAITED);
}

void resume(unsigned i) {
  fiber &f = fibers[i];
  current = i;
  shim.thread = {i, 0, 0};
  if (_setjmp(scheduler)) return;
  if (f.started) jump(f.here);
  f.started = true;
  if (!f.stack) f.stack = static_cast<char *>(mmap(nullptr, STACK_BYTES, PROT_READ | PROT_WRITE,
                                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  getcontext(&f.start);
  f.start.uc_stack.ss_sp = f.stack;
  f.start.uc_stack.ss_size = STACK_BYTES;
  f.start.uc_link = nullptr;
  makecontext(&f.start, enter, 0);
  setcontext(&f.start);
}

void pause_for(unsigned what, unsigned mask) {
  fiber &f = fibers[current];
  unsigned me = current;
  f.waits_for = what;
  f.mask = mask;
  if (!_setjmp(f.here)) jump(scheduler);
  current = me;
  shim.thread = {me, 0, 0};
}

// Whether all that thread i waits for wait too. An ended thread never comes: a kernel that waits for one hangs on a
// device, and fails here.
bool arrived(unsigned i) {
  const fiber &f = fibers[i];
  unsigned first = f.waits_for == 1 ? 0 : i / 32 * 32, end = f.waits_for == 1 ? block_threads : first + 32;
  if (end > block_threads) end = block_threads;
  for (unsigned k = first; k < end; k++) {
    if (f.waits_for == 2 && !(f.mask >> k % 32 & 1)) continue;
    if (fibers[k].ended && f.waits_for == 1) continue;
    if (fibers[k].ended || fibers[k].waits_for != f.waits_for || fibers[k].mask != f.mask) return false;
  }
  return true;
}

void release(unsigned i) {
  unsigned what = fibers[i].waits_for, mask = fibers[i].mask;
  unsigned first = what == 1 ? 0 : i / 32 * 32, end = what == 1 ? block_threads : first + 32;
  for (unsigned k = first; k < end && k < block_threads; k++)
    if (what == 1 || mask >> k % 32 & 1) fibers[k].waits_for = 0;
}

// Whether all threads were at as many barriers of the block: on a device one that waits for others hangs.
bool equal_barriers() {
  for (unsigned i = 1; i < block_threads; i++)
    if (fibers[i].barriers != fibers[0].barriers) return false;
  return true;
}

bool run_block() {
  for (unsigned i = 0; i < block_threads; i++) {
    fibers[i].started = fibers[i].ended = false, fibers[i].waits_for = 0, fibers[i].barriers = 0;
    fibers[i].open.clear(), fibers[i].groups.clear();
  }
  for (;;) {
    bool moved = false, left = false;
    for (unsigned i = 0; i < block_threads; i++) {
      if (fibers[i].ended) continue;
      left = true;
      if (fibers[i].waits_for) {
        if (!arrived(i)) continue;
        release(i);
      }
      resume(i);
      moved = true;
    }
    if (!left || fault) return !fault && equal_barriers();
    if (!moved) return false;
  }
}

// ---- device memory that the host cannot touch

void guard(bool open) {
  for (auto &m : memory) mprotect(reinterpret_cast<void *>(m.first), m.second, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

bool inside(uint64_t at, size_t bytes) {
  auto m = memory.upper_bound(at);
  if (m == memory.begin()) return false;
  --m;
  return at - m->first <= m->second && bytes <= m->second - (at - m->first);
}

struct function {
  void (*run)(void **);
};

struct module {
  void *library;
  int file;  // open as long: the loader knows libraries by their path
  std::list<function> functions;
};

struct launch {
  function *f;
  unsigned grid, threads;
  std::vector<uint64_t> values;
};

struct graph {
  std::vector<launch> launches;
};

struct stream {
  graph *capturing = nullptr;
  std::deque<std::function<bool()>> waiting;  // work that is not done: a call tries to do it, and says whether it is
};

// Whether all work of the stream is done.
bool proceed(stream *s) {
  if (s->waiting.empty()) return true;
  guard(true);
  while (!s->waiting.empty() && s->waiting.front()()) s->waiting.pop_front();
  guard(false);
  return s->waiting.empty();
}

size_t launches, graph_launches;

// The call that fails: 1 is the next one, 0 or less is none any more.
long fails_in;
bool fails() { return fails_in > 0 && --fails_in == 0; }

int execute(const launch &l) {
  std::vector<void *> arguments;
  for (auto &v : l.values) arguments.push_back(const_cast<uint64_t *>(&v));
  guard(true);
  body = l.f->run;
  body_arguments = arguments.data();
  block_threads = l.threads;
  shim.block_dim = {l.threads, 1, 1};
  shim.grid_dim = {l.grid, 1, 1};
  bool ok = true;
  fault = SUCCESS;
  for (unsigned b = 0; b < l.grid && ok; b++) {
    shim.block = {b, 0, 0};
    ok = run_block();
  }
  guard(false);
  if (!ok && !fault) fault = LOST;
  return fault;
}
}  // namespace

extern "C" {
// For tests of failures: the n-th call from now on fails; how many calls are left until then; blocks that were not given back; graphs that ran.
void shim_fail_in(long n) { fails_in = n; }
long shim_fails_in(void) { return fails_in; }
size_t shim_blocks(void) { return memory.size(); }
size_t shim_graphs(void) { return graph_launches; }
// Work of the stand-in for NCCL: `step` may touch the device's memory, and says whether it is done.
void shim_stream_add(stream *s, std::function<bool()> step) { s->waiting.push_back(std::move(step)), proceed(s); }

void shim_block_barrier(void) {
  fibers[current].barriers++;
  pause_for(1, 0);
}
void shim_warp_barrier(unsigned mask) { pause_for(2, mask); }

// Until a copy is made, there are NaNs.
void shim_copy(void *to, const void *from, size_t bytes, bool some) {
  if (reinterpret_cast<uintptr_t>(to) % bytes || (some && reinterpret_cast<uintptr_t>(from) % bytes)) stop(MISALIGNED);
  memset(to, 0xff, bytes);
  fibers[current].open.push_back({to, from, bytes, some});
}
void shim_commit(void) {
  fiber &f = fibers[current];
  f.groups.push_back(std::move(f.open));
  f.open.clear();
}
void shim_wait(unsigned groups) {
  for (fiber &f = fibers[current]; f.groups.size() > groups; f.groups.pop_front())
    for (const copying &c : f.groups.front())
      if (c.some) memcpy(c.to, c.from, c.bytes);
      else memset(c.to, 0, c.bytes);
}

int cuInit(unsigned) {
  if (fails()) return INVALID;
  Dl_info self;  // kernels find the state here
  return dladdr(&shim, &self) && dlopen(self.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD) ? SUCCESS : INVALID;
}
int cuDriverGetVersion(int *version) { return *version = 13000, SUCCESS; }
int cuGetErrorString(int error, const char **text) {
  switch (error) {
    case OUT_OF_MEMORY: *text = "out of memory"; break;
    case LOST: *text = "a barrier that not all threads reach"; break;
    case MISALIGNED: *text = "misaligned address"; break;
    case NOT_AWAITED: *text = "a copy that its thread does not wait for"; break;
    default: *text = "invalid value";
  }
  return SUCCESS;
}
// PIR_SHIM_DEVICES says how many devices there are; else one.
static int devices() {
  const char *given = getenv("PIR_SHIM_DEVICES");
  return given ? atoi(given) : 1;
}
int cuDeviceGetCount(int *count) { return *count = devices(), SUCCESS; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, ordinal < devices() ? SUCCESS : NO_SUCH_DEVICE; }
int cuDeviceGetName(char *name, int size, int) { return strncpy(name, "processor", (size_t)size), SUCCESS; }
// For tests of devices that are too old, or too new: PIR_SHIM_ARCH, as 70; else 80.
int cuDeviceGetAttribute(int *value, int attribute, int) {
  const char *given = getenv("PIR_SHIM_ARCH");
  int arch = given ? atoi(given) : 80;
  return *value = attribute == 16 ? 2 : attribute == 75 ? arch / 10 : attribute == 76 ? arch % 10 : 0, SUCCESS;
}
int cuDevicePrimaryCtxRetain(void **context, int) {
  if (fails()) return OUT_OF_MEMORY;
  return holders++, *context = &shim, SUCCESS;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  if (--holders) return SUCCESS;
  if (getenv("PIR_SHIM_COUNTS")) fprintf(stderr, "shim: %zu launches, %zu graphs\n", launches, graph_launches);
  if (!memory.empty()) fprintf(stderr, "shim: %zu blocks of device memory leak\n", memory.size());
  return SUCCESS;
}
int cuCtxPushCurrent_v2(void *) { return lock.lock(), SUCCESS; }
int cuCtxPopCurrent_v2(void **context) { return *context = &shim, lock.unlock(), SUCCESS; }
int cuCtxGetDevice(int *device) { return *device = 0, SUCCESS; }

int cuMemAlloc_v2(uint64_t *out, size_t bytes) {
  if (fails()) return OUT_OF_MEMORY;
  size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (bytes + page - 1) / page * page;
  void *p = bytes ? mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
  if (p == MAP_FAILED) return OUT_OF_MEMORY;
  mprotect(p, size, PROT_READ | PROT_WRITE);
  memset(p, 0xff, size);  // NaN, where nothing was written
  mprotect(p, size, PROT_NONE);
  memory[*out = reinterpret_cast<uint64_t>(p)] = size;
  return SUCCESS;
}
int cuMemFree_v2(uint64_t at) {
  auto m = memory.find(at);
  if (m == memory.end()) return INVALID;
  munmap(reinterpret_cast<void *>(at), m->second);
  memory.erase(m);
  return SUCCESS;
}
int cuMemAllocHost_v2(void **out, size_t bytes) {
  if (fails()) return OUT_OF_MEMORY;
  return (*out = malloc(bytes)) ? SUCCESS : OUT_OF_MEMORY;
}
int cuMemFreeHost(void *p) { return free(p), SUCCESS; }

// Copies between host and device so far.
size_t crossings;
size_t shim_crossings(void) { return crossings; }

static int copy(void *to, const void *from, size_t bytes, uint64_t device, stream *s) {
  if (fails()) return LOST;
  if (s->capturing || !inside(device, bytes)) return INVALID;
  s->waiting.push_back([=] { return memcpy(to, from, bytes), true; });
  return proceed(s), SUCCESS;
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, stream *s) {
  if (!inside(from, bytes)) return INVALID;
  return copy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes, to, s);
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, stream *s) {
  crossings++;
  return copy(reinterpret_cast<void *>(to), from, bytes, to, s);
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, stream *s) {
  crossings++;
  return copy(to, reinterpret_cast<void *>(from), bytes, from, s);
}

int cuStreamCreate(stream **out, unsigned) {
  if (fails()) return OUT_OF_MEMORY;
  return *out = new stream, SUCCESS;
}
int cuStreamDestroy_v2(stream *s) { return delete s, SUCCESS; }
int cuStreamSynchronize(stream *s) {
  if (fails()) return LOST;
  return s->capturing ? 900 : proceed(s) ? SUCCESS : LOST;  // other ranks cannot come while this one waits
}
int cuStreamQuery(stream *s) {
  if (fails()) return LOST;
  return proceed(s) ? SUCCESS : NOT_READY;
}
int cuEventCreate(void **event, unsigned) {
  if (fails()) return OUT_OF_MEMORY;
  return *event = malloc(1), SUCCESS;
}
int cuEventDestroy_v2(void *event) { return free(event), SUCCESS; }
int cuEventRecord(void *, stream *) {
  if (fails()) return LOST;
  return SUCCESS;
}
int cuEventSynchronize(void *) {
  if (fails()) return LOST;
  return SUCCESS;
}
int cuEventElapsedTime(float *ms, void *, void *) {
  if (fails()) return LOST;
  return *ms = 0.5f, SUCCESS;
}

int cuModuleLoadData(module **out, const void *image) {
  if (fails()) return INVALID;
  // A section table ends an ELF file that a linker made.
  const unsigned char *elf = static_cast<const unsigned char *>(image);
  uint64_t table;
  uint16_t entry, count;
  memcpy(&table, elf + 40, 8), memcpy(&entry, elf + 58, 2), memcpy(&count, elf + 60, 2);
  size_t size = table + (size_t)entry * count;
  int fd = memfd_create("kernel", 0);
  if (fd < 0 || write(fd, image, size) != (ssize_t)size) return INVALID;
  std::string path = "/proc/self/fd/" + std::to_string(fd);
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) fprintf(stderr, "shim: %s\n", dlerror());
  if (!library) return close(fd), INVALID;
  *out = new module{library, fd, {}};
  return SUCCESS;
}
int cuModuleUnload(module *m) { return dlclose(m->library), close(m->file), delete m, SUCCESS; }
int cuModuleGetFunction(function **out, module *m, const char *name) {
  if (fails()) return INVALID;
  // A kernel is called through the wrapper that the compiler of the stand-in adds to each.
  void *symbol = dlsym(m->library, (std::string("shim_call_") + name).c_str());
  if (!symbol) return 500;
  m->functions.push_back({reinterpret_cast<void (*)(void **)>(symbol)});
  *out = &m->functions.back();
  return SUCCESS;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, function *, int threads, size_t) {
  return *blocks = 2048 / threads, SUCCESS;
}
int cuLaunchKernel(function *f, unsigned grid, unsigned y, unsigned z, unsigned threads, unsigned by, unsigned bz,
                   unsigned shared, stream *s, void **arguments, void **) {
  if (fails()) return LOST;
  if (!grid || y != 1 || z != 1 || by != 1 || bz != 1 || !threads || threads > MOST_THREADS || shared) return INVALID;
  // The wrapper says how many arguments there are: all of 8 bytes.
  void *count[] = {nullptr};
  f->run(count);
  launch l = {f, grid, threads, {}};
  for (size_t i = 0; i < reinterpret_cast<size_t>(count[0]); i++) l.values.push_back(*static_cast<uint64_t *>(arguments[i]));
  launches++;
  if (s->capturing) return s->capturing->launches.push_back(l), SUCCESS;
  return execute(l);
}

int cuStreamBeginCapture_v2(stream *s, int) {
  if (fails()) return LOST;
  return s->capturing = new graph, SUCCESS;
}
int cuStreamEndCapture(stream *s, graph **out) {
  *out = s->capturing;
  s->capturing = nullptr;
  if (fails()) return delete *out, *out = nullptr, LOST;
  return *out ? SUCCESS : INVALID;
}
int cuGraphInstantiateWithFlags(graph **out, graph *from, unsigned long long) {
  if (fails()) return OUT_OF_MEMORY;
  return *out = new graph(*from), SUCCESS;
}
int cuGraphDestroy(graph *g) { return delete g, SUCCESS; }
int cuGraphExecDestroy(graph *g) { return delete g, SUCCESS; }
int cuGraphLaunch(graph *g, stream *) {
  if (fails()) return LOST;
  graph_launches++;
  for (const launch &l : g->launches)
    if (int failed = execute(l)) return failed;
  return SUCCESS;
}
}
