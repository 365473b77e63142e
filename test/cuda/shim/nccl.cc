// NCCL for tests, on the stand-in for the driver. The ranks of a ring are threads or processes that share a file, whose
// path is the ring's name. A call is work of a stream: it waits until all ranks have come, and no thread waits in a call.
// f16 and bf16 are rounded after every addition, as NCCL does.
//
// PIR_SHIM_NCCL=old: a version that is too old; absent:R: rank R does not join a ring; lost:R: its calls never
// come; error:R: its exchanges fail; busy: calls inside of a group answer that they are in progress.
#include "device.h"

#include <atomic>
#include <dlfcn.h>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <stdio.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {
enum { SUCCESS, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4, INVALID_USAGE = 5, REMOTE_ERROR = 6, IN_PROGRESS = 7 };
enum { MOST_RANKS = 16 };
enum kind { ALL_REDUCE, REDUCE, REDUCE_SCATTER, ALL_GATHER, BROADCAST, PARTS };
const size_t ROOM = 1 << 30;  // of a rank's elements; what is not written takes no memory
const size_t HEAD = 1 << 16;  // of the file, before the rooms

struct seat {
  std::atomic<uint64_t> arrived, finished;  // the numbers of calls
  uint64_t at[MOST_RANKS], bytes[MOST_RANKS];  // of PARTS: where the part for each rank is
};
struct table {
  std::atomic<int> there;
  seat seats[MOST_RANKS];
};
static_assert(sizeof(table) <= HEAD);

struct config {
  size_t size;
  unsigned magic, version;
  int blocking;
};
struct id {
  char path[128];
};

struct ring {
  table *shared;
  int file;
  std::string path;
  int rank, ranks;
  uint64_t calls = 0;
  bool leaves = false, aborted = false, fails = false;  // `leaves`: until the state is asked for
  ~ring() { munmap(shared, sizeof *shared), close(file); }
};
using handle = std::shared_ptr<ring> *;

// The first bytes of a rank's room, mapped as long as a call looks at them.
struct room {
  char *at = nullptr;
  size_t bytes;
  room(const ring &r, int rank, size_t n) : bytes(n) {
    off_t from = (off_t)(HEAD + (size_t)rank * ROOM);
    void *p = n ? mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_SHARED, r.file, from) : nullptr;
    if (p == MAP_FAILED) abort();
    at = static_cast<char *>(p);
  }
  room(room &&other) noexcept : at(other.at), bytes(other.bytes) { other.at = nullptr; }
  ~room() {
    if (at) munmap(at, bytes);
  }
};

struct part {
  bool sends;
  void *at;
  size_t bytes;
  int peer;
};

struct call {
  std::shared_ptr<ring> of;
  kind what;
  const char *in;
  char *out;
  size_t count;
  int type, op, root;
  std::vector<part> parts;
  uint64_t number = 0;
  bool sent = false;
};

size_t size_of(int type) {
  static const size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return sizes[type];
}

bool is(const char *what, int rank) {
  const char *given = getenv("PIR_SHIM_NCCL");
  return given && std::string(given) == what + std::string(":") + std::to_string(rank);
}

bool says_busy() {
  const char *given = getenv("PIR_SHIM_NCCL");
  return given && std::string(given) == "busy";
}

// ---- reductions

unsigned short to_bf16(float f) {
  unsigned bits;
  memcpy(&bits, &f, 4);
  return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

template <class T> T combined(T a, T b, int op) {
  switch (op) {
    case 1: return a * b;
    case 2: return a > b ? a : b;
    case 3: return a < b ? a : b;
    default: return a + b;
  }
}

template <class T, class From, class To>
void combine(const call &c, size_t first, From from, To to) {
  std::vector<room> rooms;
  for (int r = 0; r < c.of->ranks; r++) rooms.emplace_back(*c.of, r, (first + c.count) * sizeof(T));
  for (size_t i = 0; i < c.count; i++) {
    T sum{};
    for (int r = 0; r < c.of->ranks; r++) {
      T x;
      memcpy(&x, rooms[(size_t)r].at + (first + i) * sizeof x, sizeof x);
      sum = r ? to(combined(from(sum), from(x), c.op)) : x;
    }
    if (c.op == 4) sum = to(from(sum) / static_cast<decltype(from(sum))>(c.of->ranks));
    memcpy(c.out + i * sizeof sum, &sum, sizeof sum);
  }
}
template <class T> void combine(const call &c, size_t first) {
  combine<T>(c, first, [](T x) { return x; }, [](T x) { return x; });
}

void combine(const call &c, size_t first) {
  switch (c.type) {
    case 0: return combine<int8_t>(c, first, [](int8_t x) { return (int)x; }, [](int x) { return (int8_t)x; });
    case 1: return combine<uint8_t>(c, first, [](uint8_t x) { return (unsigned)x; }, [](unsigned x) { return (uint8_t)x; });
    case 2: return combine<int32_t>(c, first);
    case 3: return combine<uint32_t>(c, first);
    case 4: return combine<int64_t>(c, first);
    case 5: return combine<uint64_t>(c, first);
    case 6: return combine<unsigned short>(c, first, pir_shim_from_f16, pir_shim_to_f16);
    case 7: return combine<float>(c, first);
    case 8: return combine<double>(c, first);
    default: return combine<unsigned short>(c, first, pir_shim_from_bf16, to_bf16);
  }
}

// ---- calls

bool all(const ring &r, std::atomic<uint64_t> seat::*what, uint64_t number) {
  for (int i = 0; i < r.ranks; i++)
    if ((r.shared->seats[i].*what).load() < number) return false;
  return true;
}

// The bytes that a rank hands in, or for PARTS also takes.
size_t needed(const call &c) {
  size_t bytes = c.count * size_of(c.type) * (c.what == REDUCE_SCATTER ? (size_t)c.of->ranks : 1);
  for (const part &p : c.parts) bytes += p.bytes;
  return bytes;
}

void hand_in(const call &c) {
  if (c.what == BROADCAST && c.root != c.of->rank) return;
  seat &own = c.of->shared->seats[c.of->rank];
  room mine(*c.of, c.of->rank, needed(c));
  if (c.what != PARTS) memcpy(mine.at, c.in, mine.bytes);
  size_t at = 0;
  for (const part &p : c.parts) {
    if (!p.sends) continue;
    memcpy(mine.at + at, p.at, p.bytes);
    own.at[p.peer] = at, own.bytes[p.peer] = p.bytes;
    at += p.bytes;
  }
}

void take(const call &c) {
  const ring &r = *c.of;
  size_t bytes = c.count * size_of(c.type);
  switch (c.what) {
    case ALL_REDUCE: return combine(c, 0);
    case REDUCE: return c.root == r.rank ? combine(c, 0) : void();
    case REDUCE_SCATTER: return combine(c, c.count * (size_t)r.rank);
    case BROADCAST: memcpy(c.out, room(r, c.root, bytes).at, bytes); return;
    case ALL_GATHER:
      for (int i = 0; i < r.ranks; i++) memcpy(c.out + (size_t)i * bytes, room(r, i, bytes).at, bytes);
      return;
    case PARTS:
      for (const part &p : c.parts) {
        const seat &from = r.shared->seats[p.peer];
        size_t at = from.at[r.rank];
        if (!p.sends && from.bytes[r.rank] == p.bytes) memcpy(p.at, room(r, p.peer, at + p.bytes).at + at, p.bytes);
      }
  }
}

// Does what can be done of a call; true: all of it.
bool step(call &c) {
  seat &own = c.of->shared->seats[c.of->rank];
  if (c.of->aborted) return true;
  if (is("lost", c.of->rank)) return false;
  if (!c.sent) {
    if (!all(*c.of, &seat::finished, c.number - 1)) return false;
    hand_in(c);
    own.arrived = c.number;
    c.sent = true;
  }
  if (!all(*c.of, &seat::arrived, c.number)) return false;
  take(c);
  own.finished = c.number;
  return true;
}

int begin(call c, void *stream) {
  static auto add = reinterpret_cast<void (*)(void *, std::function<bool()>)>(dlsym(RTLD_DEFAULT, "shim_stream_add"));
  if (!add || needed(c) > ROOM) return INVALID_ARGUMENT;
  if (is("error", c.of->rank)) return c.of->fails = true, IN_PROGRESS;
  c.number = ++c.of->calls;
  auto kept = std::make_shared<call>(std::move(c));
  add(stream, [kept] { return step(*kept); });
  return IN_PROGRESS;
}

thread_local struct {
  int depth;
  handle of;
  void *stream;
  std::vector<part> parts;
} group;

int add_part(part p, handle of, void *stream) {
  if (!group.depth) return INVALID_USAGE;
  group.of = of, group.stream = stream;
  return group.parts.push_back(p), says_busy() ? IN_PROGRESS : SUCCESS;
}
}  // namespace

extern "C" {
int ncclGetVersion(int *version) {
  const char *given = getenv("PIR_SHIM_NCCL");
  return *version = given && std::string(given) == "old" ? 21304 : 21400, SUCCESS;
}
const char *ncclGetErrorString(int result) { return result == REMOTE_ERROR ? "remote process exited" : "invalid usage"; }

int ncclGetUniqueId(id *out) {
  static std::atomic<int> made;
  *out = {};
  snprintf(out->path, sizeof out->path, "/dev/shm/nccl_shim_%d_%d", (int)getpid(), made++);
  return SUCCESS;
}
int ncclCommInitRankConfig(handle *out, int ranks, id named, int rank, const config *how) {
  if (how->size != sizeof *how || how->magic != 0xcafebeef || how->version != 21400 || how->blocking || ranks > MOST_RANKS)
    return INVALID_ARGUMENT;
  int file = open(named.path, O_RDWR | O_CREAT, 0600);
  bool good = file >= 0 && !ftruncate(file, (off_t)(HEAD + MOST_RANKS * ROOM));
  void *p = !good ? MAP_FAILED : mmap(nullptr, sizeof(table), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (p == MAP_FAILED) return file >= 0 ? close(file) : 0, SYSTEM_ERROR;
  auto made = std::make_shared<ring>();
  made->shared = static_cast<table *>(p), made->file = file, made->path = named.path, made->rank = rank, made->ranks = ranks;
  if (!is("absent", rank)) made->shared->there++;
  return *out = new std::shared_ptr<ring>(made), IN_PROGRESS;
}
int ncclCommGetAsyncError(handle h, int *state) {
  ring &r = **h;
  bool there = r.shared->there == r.ranks, left = !r.leaves;
  if (there) unlink(r.path.c_str());
  r.leaves = false;
  return *state = r.fails ? REMOTE_ERROR : there && left ? SUCCESS : IN_PROGRESS, SUCCESS;
}
int ncclCommFinalize(handle h) { return (*h)->leaves = true, IN_PROGRESS; }
int ncclCommDestroy(handle h) { return delete h, SUCCESS; }
int ncclCommAbort(handle h) {
  (*h)->aborted = true;
  unlink((*h)->path.c_str());
  return delete h, SUCCESS;
}

int ncclGroupStart(void) { return group.depth++, says_busy() ? IN_PROGRESS : SUCCESS; }
int ncclGroupEnd(void) {
  if (--group.depth || group.parts.empty()) return SUCCESS;
  call c = {*group.of, PARTS, nullptr, nullptr, 0, 1, 0, 0, group.parts};
  return group.parts.clear(), begin(std::move(c), group.stream);
}
int ncclSend(const void *in, size_t count, int type, int peer, handle h, void *stream) {
  return add_part({true, const_cast<void *>(in), count * size_of(type), peer}, h, stream);
}
int ncclRecv(void *out, size_t count, int type, int peer, handle h, void *stream) {
  return add_part({false, out, count * size_of(type), peer}, h, stream);
}

#define BEGIN(what, op, root)                                                                                             \
  begin({*h, what, static_cast<const char *>(in), static_cast<char *>(out), count, type, op, root, {}}, stream)
int ncclAllReduce(const void *in, void *out, size_t count, int type, int op, handle h, void *stream) {
  return BEGIN(ALL_REDUCE, op, 0);
}
int ncclReduce(const void *in, void *out, size_t count, int type, int op, int root, handle h, void *stream) {
  return BEGIN(REDUCE, op, root);
}
int ncclReduceScatter(const void *in, void *out, size_t count, int type, int op, handle h, void *stream) {
  return BEGIN(REDUCE_SCATTER, op, 0);
}
int ncclAllGather(const void *in, void *out, size_t count, int type, handle h, void *stream) { return BEGIN(ALL_GATHER, 0, 0); }
int ncclBroadcast(const void *in, void *out, size_t count, int type, int root, handle h, void *stream) {
  return BEGIN(BROADCAST, 0, root);
}
}
