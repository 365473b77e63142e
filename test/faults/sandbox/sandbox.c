// Runs a command and writes down all that it and its children ask of the system: each path that
// they open, look at, change or execute, and each other call that reaches beyond their own
// memory and open descriptors.
//
//   sandbox LOG [--read=PATH]... [--write=PATH]... COMMAND...
//
// A line of LOG is a word, a tab and a path: read (or take, which follows no link), write,
// look, change or run; or `call` and a number. A seccomp filter stops the process in each such
// call, before it happens; calls on the list below pass. With --read or --write Landlock
// refuses everything outside of these files and folders too, and all TCP. Ends with the
// command's exit status; 125 and a reason on standard error: the kernel offers no such thing.
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_OFFERED = 125, MOST_FILTER = 512 };

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#else
#define THIS_ARCH 0
#endif

// ---- the filter

// Calls on a process's own memory, threads, signals, clocks and open descriptors.
static const int harmless[] = {
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_pwrite64,
    SYS_lseek,
    SYS_close,
    SYS_close_range,
    SYS_fstat,
    SYS_fstatfs,
    SYS_fchmod,
    SYS_fsync,
    SYS_fdatasync,
    SYS_ftruncate,
    SYS_fallocate,
    SYS_getdents64,
    SYS_dup,
    SYS_dup3,
    SYS_fcntl,
    SYS_flock,
    SYS_ppoll,
    SYS_pipe2,
    SYS_socketpair,
    SYS_sendto,
    SYS_recvfrom,
    SYS_sendmsg,
    SYS_recvmsg,
    SYS_shutdown,
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_madvise,
    SYS_msync,
    SYS_brk,
    SYS_memfd_create,
    SYS_futex,
    SYS_set_robust_list,
    SYS_set_tid_address,
    SYS_rseq,
    SYS_membarrier,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_clone,
    SYS_clone3,
    SYS_wait4,
    SYS_waitid,
    SYS_exit,
    SYS_exit_group,
    SYS_setpgid,
    SYS_getpid,
    SYS_getppid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getcwd,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrandom,
    SYS_getrusage,
    SYS_prlimit64,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_setitimer,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sched_setaffinity,  // of a thread of the probes that measure the machine
    SYS_restart_syscall,
    SYS_times,
#ifdef SYS_dup2
    SYS_dup2,
    SYS_poll,
    SYS_pipe,
    SYS_fork,
    SYS_vfork,
    SYS_arch_prctl,
    SYS_time,
    SYS_alarm,
#endif
};

static bool install_filter(void) {
  struct sock_filter code[MOST_FILTER];
  unsigned short n = 0;
  code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                           offsetof(struct seccomp_data, arch));
  code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0);
  code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  code[n++] =
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
    code[n++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)harmless[i], 0, 1);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  // Of ioctl, the question alone whether an open descriptor is a terminal.
  code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3);
  code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                           offsetof(struct seccomp_data, args[1]));
  code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TCGETS, 0, 1);
  code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
  struct sock_fprog program = {n, code};
  return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
         !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

// ---- calls

typedef enum manner { LOOK, OPEN, CHANGE, RUN } manner;

// Which argument is a path, and which the folder that it is relative to; -1: the current one.
typedef struct path_call {
  int number;
  manner manner;
  int8_t folder, path, flags;
} path_call;

static const path_call path_calls[] = {
    {SYS_openat, OPEN, 0, 1, 2},       {SYS_newfstatat, LOOK, 0, 1, -1},
    {SYS_statx, LOOK, 0, 1, -1},       {SYS_faccessat, LOOK, 0, 1, -1},
    {SYS_faccessat2, LOOK, 0, 1, -1},  {SYS_readlinkat, LOOK, 0, 1, -1},
    {SYS_statfs, LOOK, -1, 0, -1},     {SYS_mkdirat, CHANGE, 0, 1, -1},
    {SYS_unlinkat, CHANGE, 0, 1, -1},  {SYS_renameat2, CHANGE, 2, 3, -1},
    {SYS_fchmodat, CHANGE, 0, 1, -1},  {SYS_utimensat, CHANGE, 0, 1, -1},
    {SYS_linkat, CHANGE, 2, 3, -1},    {SYS_symlinkat, CHANGE, 1, 2, -1},
    {SYS_truncate, CHANGE, -1, 0, -1}, {SYS_execve, RUN, -1, 0, -1},
    {SYS_execveat, RUN, 0, 1, -1},
#ifdef SYS_open
    {SYS_open, OPEN, -1, 0, 1},        {SYS_stat, LOOK, -1, 0, -1},
    {SYS_lstat, LOOK, -1, 0, -1},      {SYS_access, LOOK, -1, 0, -1},
    {SYS_readlink, LOOK, -1, 0, -1},   {SYS_mkdir, CHANGE, -1, 0, -1},
    {SYS_rmdir, CHANGE, -1, 0, -1},    {SYS_unlink, CHANGE, -1, 0, -1},
    {SYS_rename, CHANGE, -1, 1, -1},   {SYS_renameat, CHANGE, 2, 3, -1},
    {SYS_chmod, CHANGE, -1, 0, -1},    {SYS_link, CHANGE, -1, 1, -1},
    {SYS_symlink, CHANGE, -1, 1, -1},  {SYS_creat, CHANGE, -1, 0, -1},
#endif
};

static const char *word_of(const path_call *call, const uint64_t *args) {
  static const char *const words[] = {
      [LOOK] = "look", [OPEN] = "read", [CHANGE] = "change", [RUN] = "run"};
  uint64_t flags = call->manner == OPEN ? args[call->flags] : 0;
  if (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND))
    return "write";
  return flags & O_NOFOLLOW ? "take" : words[call->manner];
}

// Reads a text of the stopped process. It is cut where its memory cannot be read.
static void read_text(pid_t pid, uint64_t from, char *out, size_t size) {
  size_t n = 0;
  while (n + 1 < size) {
    struct iovec mine = {out + n, 1}, its = {(void *)(uintptr_t)(from + n), 1};
    if (process_vm_readv(pid, &mine, 1, &its, 1, 0) != 1 || !out[n])
      break;
    n++;
  }
  out[n] = 0;
}

static void read_folder(pid_t pid, int folder, char *out, size_t size) {
  char link[64];
  if (folder == AT_FDCWD)
    snprintf(link, sizeof link, "/proc/%d/cwd", (int)pid);
  else
    snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)pid, folder);
  ssize_t n = readlink(link, out, size - 1);
  out[n > 0 ? n : 0] = 0;
}

static void log_path(FILE *log, pid_t pid, const path_call *call, const uint64_t *args) {
  char path[PATH_MAX], folder[PATH_MAX] = "";
  read_text(pid, args[call->path], path, sizeof path);
  if (call->manner == LOOK && !*path)
    return;  // of an open descriptor
  if (*path != '/')
    read_folder(pid, call->folder < 0 ? AT_FDCWD : (int)args[call->folder], folder,
                sizeof folder);
  fprintf(log, "%s\t%s%s%s\n", word_of(call, args), folder, *folder ? "/" : "", path);
}

static void log_call(FILE *log, pid_t pid) {
  struct __ptrace_syscall_info info;
  if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0 ||
      info.op != PTRACE_SYSCALL_INFO_SECCOMP)
    return;
  uint64_t args[6];
  for (int i = 0; i < 6; i++)
    args[i] = info.seccomp.args[i];
  for (size_t i = 0; i < sizeof path_calls / sizeof *path_calls; i++)
    if ((uint64_t)path_calls[i].number == info.seccomp.nr)
      return log_path(log, pid, &path_calls[i], args);
  fprintf(log, "call\t%llu\n", (unsigned long long)info.seccomp.nr);
}

// ---- the command

static _Noreturn void not_offered(const char *what) {
  fprintf(stderr, "sandbox: not offered here: %s: %s\n", what, strerror(errno));
  _exit(NOT_OFFERED);
}

static _Noreturn void start(char **command, const rules *allowed) {
  if (ptrace(PTRACE_TRACEME, 0, 0, 0))
    not_offered("ptrace");
  raise(SIGSTOP);
  if (allowed->count && !sandbox_confine(allowed))
    not_offered("Landlock");
  if (!install_filter())
    not_offered("seccomp");
  execv(command[0], command);
  fprintf(stderr, "sandbox: %s: %s\n", command[0], strerror(errno));
  _exit(126);
}

// Goes on with a stopped process, or notes its end. Returns whether it was the command.
static bool follow(FILE *log, pid_t pid, int how) {
  if (!WIFSTOPPED(how))
    return true;
  int event = how >> 16, signal = WSTOPSIG(how);
  if (event == PTRACE_EVENT_SECCOMP)
    log_call(log, pid);
  bool ours = event || signal == SIGTRAP || signal == SIGSTOP;
  ptrace(PTRACE_CONT, pid, 0, ours ? 0 : signal);
  return false;
}

static int trace(FILE *log, pid_t command) {
  int how, result = NOT_OFFERED;
  if (waitpid(command, &how, 0) != command || !WIFSTOPPED(how))
    return WIFEXITED(how) ? WEXITSTATUS(how) : NOT_OFFERED;
  long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                 PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SETOPTIONS, command, 0, options))
    not_offered("ptrace");
  ptrace(PTRACE_CONT, command, 0, 0);
  for (pid_t pid; (pid = waitpid(-1, &how, __WALL)) > 0;)
    if (follow(log, pid, how) && pid == command)
      result = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
  return result;
}

int main(int argc, char **argv) {
  rules allowed = {0};
  int at = 2;
  for (; at < argc && allowed.count < MOST_RULES; at++) {
    bool writes = !strncmp(argv[at], "--write=", 8);
    if (!writes && strncmp(argv[at], "--read=", 7) != 0)
      break;
    allowed.items[allowed.count++] = (rule){argv[at] + (writes ? 8 : 7), writes};
  }
  FILE *log = argc > at && THIS_ARCH != 0 ? fopen(argv[1], "we") : NULL;
  if (!log) {
    fprintf(stderr, "usage: sandbox LOG [--read=PATH]... [--write=PATH]... COMMAND...\n");
    return 2;
  }
  pid_t command = fork();
  if (command < 0)
    not_offered("fork");
  if (!command)
    start(argv + at, &allowed);
  int result = trace(log, command);
  return fclose(log) ? 2 : result;
}
