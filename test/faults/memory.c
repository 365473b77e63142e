// Allocations that fail.
// Counts are atomic, because threads allocate too. Mappings that libc makes itself (stacks, its
// heap) are not intercepted.
#include "fail.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *block);

static atomic_size_t seen, wanted;
static atomic_bool sticks, traced;
static atomic_long live;

API void fail_arm(size_t n, bool sticky) {
  atomic_store(&seen, 0);
  atomic_store(&sticks, sticky);
  atomic_store(&wanted, n);
}

API size_t fail_disarm(void) {
  atomic_store(&wanted, 0);
  return atomic_load(&seen);
}

API long fail_live(void) {
  return atomic_load(&live);
}

void fail_show_place(void) {
  void *frames[40];
  if (!atomic_exchange(&traced, false))
    return;
  int count = backtrace(frames, 40);
  backtrace_symbols_fd(frames, count, STDERR_FILENO);
}

__attribute__((constructor)) static void read_environment(void) {
  const char *n = getenv("PIR_FAIL_AT"), *in = getenv("PIR_FAIL_IN");
  void *frames[1];
  traced = getenv("PIR_FAIL_TRACE") != NULL;
  if (traced)
    (void)backtrace(frames, 1);  // it allocates the first time
  if (n && (!in || strcmp(in, program_invocation_short_name) == 0))
    fail_arm(strtoul(n, NULL, 10), false);
}

static bool is_refused(void) {
  size_t number = atomic_fetch_add(&seen, 1) + 1, n = atomic_load(&wanted);
  if (!n || (atomic_load(&sticks) ? number < n : number != n))
    return false;
  fail_show_place();
  errno = ENOMEM;
  return true;
}

static void *noted(void *block) {
  if (block)
    atomic_fetch_add(&live, 1);
  return block;
}

API void *malloc(size_t size) {
  return is_refused() ? NULL : noted(__libc_malloc(size));
}
API void *calloc(size_t count, size_t size) {
  return is_refused() ? NULL : noted(__libc_calloc(count, size));
}
API void *memalign(size_t align, size_t size) {
  return is_refused() ? NULL : noted(__libc_memalign(align, size));
}
API void *aligned_alloc(size_t align, size_t size) {
  return memalign(align, size);
}

API int posix_memalign(void **out, size_t align, size_t size) {
  void *block = memalign(align, size);
  if (!block)
    return ENOMEM;
  *out = block;
  return 0;
}

API void free(void *block) {
  if (block)
    atomic_fetch_sub(&live, 1);
  __libc_free(block);
}

API void *realloc(void *block, size_t size) {
  if (!block)
    return malloc(size);
  if (is_refused())
    return NULL;
  return __libc_realloc(block, size);
}

API void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
  static void *(*real)(void *, size_t, int, int, int, off_t);
  if (!real)
    *(void **)&real = dlsym(RTLD_NEXT, "mmap");
  if (fail_this_call(FAIL_MMAP) || is_refused())
    return MAP_FAILED;
  void *mapped = real(at, size, protection, flags, fd, offset);
  if (mapped != MAP_FAILED)
    atomic_fetch_add(&live, 1);
  return mapped;
}

API int munmap(void *at, size_t size) {
  static int (*real)(void *, size_t);
  if (!real)
    *(void **)&real = dlsym(RTLD_NEXT, "munmap");
  atomic_fetch_sub(&live, 1);
  return real(at, size);
}

API int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                       void *(*start)(void *), void *user) {
  static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (!real)
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
  return is_refused() ? EAGAIN : real(thread, attributes, start, user);
}
