#include "children.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void make_draws(const draw_batch *b, long from) {
  pir_context *ctx = NULL;
  for (long i = from; i < b->count; i++) {
    if (!ctx) {
      ctx = b->context_create();
      if (draw_noise_register(b->noise, ctx))
        draw_end_child(70);
    }
    b->one(b->user, ctx, i);
    if ((i - from) % b->per_context == b->per_context - 1) {
      pir_context_destroy(ctx);
      ctx = NULL;
    }
  }
  if (ctx)
    pir_context_destroy(ctx);
  fflush(stdout);
  draw_end_child(0);
}

long draw_in_children(const draw_batch *b) {
  long crashed = 0, from = 0;
  while (from < b->count) {
    int status = 0;
    *b->at = from;
    fflush(stdout);
    pid_t pid = fork();
    if (pid < 0)
      exit(70);
    if (!pid)
      make_draws(b, from);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    if (WIFEXITED(status) && !WEXITSTATUS(status))
      break;
    b->crashed(b->user, *b->at, status);
    crashed++;
    from = *b->at + 1;
  }
  return crashed;
}
