#include "child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// An instrumented build (mk/coverage.mk) writes its counts at exit.
static _Noreturn void end(int code) {
#ifdef PIR_INSTRUMENTED
  exit(code);
#else
  _exit(code);
#endif
}

int child_run(int (*work)(void *user), void *user) {
  int status = 0;
  fflush(stdout);
  pid_t pid = fork();
  if (pid < 0)
    exit(70);
  if (!pid)
    end(work(user));
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  return status;
}

const char *child_end(int status) {
  return WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "ended its process";
}
