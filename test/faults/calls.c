// System calls that fail. Only calls through libc's functions are seen; those that libc makes
// itself (fopen, the dynamic loader) are not. A close that fails has closed the file, as in
// Linux.
#include "fail.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

static const int errors[] = {
#define KIND(name, text, error) error,
    FAIL_KINDS(KIND)
#undef KIND
};
static const char *const names[] = {
#define KIND(name, text, error) text,
    FAIL_KINDS(KIND)
#undef KIND
};
static const char *const ways[] = {"once", "always", "interrupted", "short", "killed"};

static atomic_size_t seen, wanted;
static atomic_uint kinds;
static atomic_int how;

API void fail_arm_calls(unsigned which, size_t n, fail_how way) {
  atomic_store(&seen, 0);
  atomic_store(&kinds, which);
  atomic_store(&how, (int)way);
  atomic_store(&wanted, n);
}

API size_t fail_disarm_calls(void) {
  atomic_store(&wanted, 0);
  return atomic_load(&seen);
}

// Counts a call; whether it is the one, or one of those, that are meant.
static bool is_meant(fail_kind kind) {
  if (!(atomic_load(&kinds) >> kind & 1))
    return false;
  size_t number = atomic_fetch_add(&seen, 1) + 1, n = atomic_load(&wanted);
  if (n == number && atomic_load(&how) == FAIL_KILLED)
    kill(getpid(), SIGKILL);
  return n && (atomic_load(&how) == FAIL_ALWAYS ? number >= n : number == n);
}

static bool refuse(fail_kind kind) {
  fail_show_place();
  errno = atomic_load(&how) == FAIL_INTERRUPTED ? EINTR : errors[kind];
  return true;
}

bool fail_this_call(fail_kind kind) {
  return is_meant(kind) && atomic_load(&how) != FAIL_SHORT && refuse(kind);
}

// Whether a transfer fails; else `*size` may have become less.
static bool fail_transfer(fail_kind kind, size_t *size) {
  if (!is_meant(kind))
    return false;
  if (atomic_load(&how) != FAIL_SHORT)
    return refuse(kind);
  *size = *size > 1 ? *size / 2 : *size;
  return false;
}

// ---- what processes are started with

static unsigned kinds_of(const char *text) {
  unsigned which = 0;
  for (unsigned k = 0; k < FAIL_KIND_COUNT; k++) {
    const char *at = strstr(text, names[k]);
    if (at || !strncmp(text, "all", 3))
      which |= 1u << k;
  }
  return which;
}

static void report_count(void) {
  const char *path = getenv("PIR_FAIL_REPORT");
  char text[32];
  if (!path)
    return;
  int n = snprintf(text, sizeof text, "%zu\n", atomic_load(&seen));
  long fd = syscall(SYS_open, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  (void)!syscall(SYS_write, fd, text, n);
}

__attribute__((constructor)) static void read_calls(void) {
  const char *text = getenv("PIR_FAIL_CALLS"), *in = getenv("PIR_FAIL_IN");
  char which[128] = "", way[16] = "";
  size_t n = 0;
  if (!text || (in && strcmp(in, program_invocation_short_name) != 0) ||
      sscanf(text, "%127[^:]:%zu:%15s", which, &n, way) != 3)
    return;
  for (int i = 0; i <= FAIL_KILLED; i++)
    if (!strcmp(way, ways[i]))
      fail_arm_calls(kinds_of(which), n, (fail_how)i);
  atexit(report_count);
}

// ---- the calls

static int mode_of(int flags, va_list rest) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0;
}

static int open_at(int folder, const char *path, int flags, int mode) {
  if (fail_this_call(FAIL_OPEN))
    return -1;
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define DEFINE_OPEN(name)                                                                      \
  API int name(const char *path, int flags, ...) {                                             \
    va_list rest;                                                                              \
    va_start(rest, flags);                                                                     \
    int mode = mode_of(flags, rest);                                                           \
    va_end(rest);                                                                              \
    return open_at(AT_FDCWD, path, flags, mode);                                               \
  }
#define DEFINE_OPENAT(name)                                                                    \
  API int name(int folder, const char *path, int flags, ...) {                                 \
    va_list rest;                                                                              \
    va_start(rest, flags);                                                                     \
    int mode = mode_of(flags, rest);                                                           \
    va_end(rest);                                                                              \
    return open_at(folder, path, flags, mode);                                                 \
  }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

API ssize_t read(int fd, void *data, size_t size) {
  return fail_transfer(FAIL_READ, &size) ? -1 : syscall(SYS_read, fd, data, size);
}
API ssize_t pread(int fd, void *data, size_t size, off_t at) {
  return fail_transfer(FAIL_READ, &size) ? -1 : syscall(SYS_pread64, fd, data, size, at);
}
API ssize_t pread64(int fd, void *data, size_t size, off64_t at) {
  return pread(fd, data, size, at);
}
API ssize_t write(int fd, const void *data, size_t size) {
  return fail_transfer(FAIL_WRITE, &size) ? -1 : syscall(SYS_write, fd, data, size);
}
API ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  return fail_transfer(FAIL_WRITE, &size) ? -1 : syscall(SYS_pwrite64, fd, data, size, at);
}
API ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  return pwrite(fd, data, size, at);
}

API int close(int fd) {
  bool fails = fail_this_call(FAIL_CLOSE);
  int error = errno;
  int closed = (int)syscall(SYS_close, fd);
  if (!fails)
    return closed;
  errno = error;
  return -1;
}

API int fsync(int fd) {
  return fail_this_call(FAIL_FSYNC) ? -1 : (int)syscall(SYS_fsync, fd);
}
API int fdatasync(int fd) {
  return fail_this_call(FAIL_FSYNC) ? -1 : (int)syscall(SYS_fdatasync, fd);
}
API int rename(const char *from, const char *to) {
  return fail_this_call(FAIL_RENAME)
             ? -1
             : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
API int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  return fail_this_call(FAIL_RENAME)
             ? -1
             : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
}
API int mprotect(void *at, size_t size, int protection) {
  return fail_this_call(FAIL_MPROTECT) ? -1 : (int)syscall(SYS_mprotect, at, size, protection);
}
API int mkdir(const char *path, mode_t mode) {
  return fail_this_call(FAIL_MKDIR) ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
API int ftruncate(int fd, off_t size) {
  return fail_this_call(FAIL_FTRUNCATE) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}
API ssize_t getrandom(void *data, size_t size, unsigned flags) {
  return fail_this_call(FAIL_RANDOM) ? -1 : syscall(SYS_getrandom, data, size, flags);
}
// A message that is received in part is lost in part: only what is sent becomes shorter.
API ssize_t send(int fd, const void *data, size_t size, int flags) {
  return fail_transfer(FAIL_SEND, &size) ? -1
                                         : syscall(SYS_sendto, fd, data, size, flags, NULL, 0);
}
API ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  return fail_this_call(FAIL_SEND) ? -1 : syscall(SYS_sendmsg, fd, message, flags);
}
API ssize_t recv(int fd, void *data, size_t size, int flags) {
  return fail_this_call(FAIL_RECEIVE)
             ? -1
             : syscall(SYS_recvfrom, fd, data, size, flags, NULL, NULL);
}
API ssize_t recvmsg(int fd, struct msghdr *message, int flags) {
  return fail_this_call(FAIL_RECEIVE) ? -1 : syscall(SYS_recvmsg, fd, message, flags);
}
API int socketpair(int domain, int type, int protocol, int ends[2]) {
  return fail_this_call(FAIL_SOCKETS)
             ? -1
             : (int)syscall(SYS_socketpair, domain, type, protocol, ends);
}
API pid_t waitpid(pid_t child, int *out_status, int flags) {
  return fail_this_call(FAIL_WAIT) ? -1
                                   : (pid_t)syscall(SYS_wait4, child, out_status, flags, NULL);
}
API int posix_spawn(pid_t *out_child, const char *path, const posix_spawn_file_actions_t *files,
                    const posix_spawnattr_t *attributes, char *const arguments[],
                    char *const environment[]) {
  static int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                     const posix_spawnattr_t *, char *const[], char *const[]);
  if (!real)
    *(void **)&real = dlsym(RTLD_NEXT, "posix_spawn");
  return fail_this_call(FAIL_SPAWN)
             ? errno
             : real(out_child, path, files, attributes, arguments, environment);
}
API int fstat(int fd, struct stat *out) {
  static int (*real)(int, struct stat *);
  if (!real)
    *(void **)&real = dlsym(RTLD_NEXT, "fstat");
  return fail_this_call(FAIL_STAT) ? -1 : real(fd, out);
}
API int stat(const char *path, struct stat *out) {
  static int (*real)(const char *, struct stat *);
  if (!real)
    *(void **)&real = dlsym(RTLD_NEXT, "stat");
  return fail_this_call(FAIL_STAT) ? -1 : real(path, out);
}
