// Failures on request, for a whole process. libpir_fail.so stands in for the allocations
// (memory.c) and the system calls (calls.c) of libc. A test arms it by these functions; a
// process that is started with it preloaded arms it by its environment:
//   PIR_FAIL_AT=N            the N-th allocation fails
//   PIR_FAIL_CALLS=KINDS:N:HOW  of these kinds of system calls (names with commas, or "all")
//                            the N-th fails; HOW as in fail_how
//   PIR_FAIL_IN=NAME         only in processes of this name
//   PIR_FAIL_TRACE=1         the place of the failure is printed
//   PIR_FAIL_REPORT=FILE     at its end the process writes how many of the calls there were
#ifndef PIR_TEST_FAIL_H
#define PIR_TEST_FAIL_H

#include <stdbool.h>
#include <stddef.h>

// ---- allocations

// The n-th allocation from now on fails (0: none), and with `sticky` all that follow.
void fail_arm(size_t n, bool sticky);
size_t fail_disarm(void);  // how many there were since
// Blocks, mappings and threads there are now.
long fail_live(void);

// ---- system calls

// The kinds of calls, and the error by which each fails.
#define FAIL_KINDS(X)                                                                          \
  X(OPEN, "open", EMFILE)                                                                      \
  X(READ, "read", EIO)                                                                         \
  X(WRITE, "write", ENOSPC)                                                                    \
  X(FSYNC, "fsync", EIO)                                                                       \
  X(RENAME, "rename", EACCES)                                                                  \
  X(MMAP, "mmap", ENOMEM)                                                                      \
  X(MPROTECT, "mprotect", ENOMEM)                                                              \
  X(CLOSE, "close", EIO)                                                                       \
  X(MKDIR, "mkdir", ENOSPC)                                                                    \
  X(FTRUNCATE, "ftruncate", ENOSPC)                                                            \
  X(STAT, "stat", EIO)                                                                         \
  X(RANDOM, "getrandom", ENOSYS)                                                               \
  X(SOCKETS, "socketpair", EMFILE)                                                             \
  X(SEND, "send", EPIPE)                                                                       \
  X(RECEIVE, "receive", ECONNRESET)                                                            \
  X(SPAWN, "spawn", ENOMEM)                                                                    \
  X(WAIT, "wait", ECHILD)

typedef enum fail_kind {
#define KIND(name, text, error) FAIL_##name,
  FAIL_KINDS(KIND)
#undef KIND
      FAIL_KIND_COUNT
} fail_kind;

typedef enum fail_how {
  FAIL_ONCE,         // "once"
  FAIL_ALWAYS,       // "always": this call and all that follow, as on a full disk
  FAIL_INTERRUPTED,  // "interrupted": EINTR, once
  FAIL_SHORT,        // "short": a read or write of several bytes does half of them
  FAIL_KILLED        // "killed": the process ends by SIGKILL before this call
} fail_how;

// The n-th call of the kinds (bits 1 << kind) from now on fails; 0: none.
void fail_arm_calls(unsigned kinds, size_t n, fail_how how);
size_t fail_disarm_calls(void);  // how many there were since
// Whether this call fails now, with errno set. For memory.c, which stands in for mmap.
bool fail_this_call(fail_kind kind);
// Prints the place of a failure if that was asked for, once.
void fail_show_place(void);

#endif
