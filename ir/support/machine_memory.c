#include <pir/layer/machine_memory.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

// Reads a number from a file of the kernel's; `otherwise` if there is none.
static uint64_t read_number(const char *path, uint64_t otherwise) {
  char text[32];
  uint64_t number = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : -1, i = 0;
  if (fd >= 0)
    close(fd);
  for (; i < n && text[i] >= '0' && text[i] <= '9'; i++)
    if (__builtin_mul_overflow(number, 10, &number) ||
        __builtin_add_overflow(number, (uint64_t)(text[i] - '0'), &number))
      return otherwise;
  return i > 0 ? number : otherwise;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

uint64_t pir_memory_to_use(void) {
  struct rlimit space;
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  uint64_t bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
  bytes = smaller(bytes, read_number("/sys/fs/cgroup/memory.max", bytes));
  bytes = smaller(bytes, read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes", bytes));
  if (!getrlimit(RLIMIT_AS, &space) && space.rlim_cur != RLIM_INFINITY)
    bytes = smaller(bytes, (uint64_t)space.rlim_cur);
  return bytes / 4 * 3;
}
