#include "children.h"

#include <stdio.h>

#include "child.h"

typedef struct remaining {
  const draw_batch *batch;
  long from;
} remaining;

static int make_draws(void *user) {
  const draw_batch *b = ((const remaining *)user)->batch;
  long from = ((const remaining *)user)->from;
  pir_context *ctx = NULL;
  for (long i = from; i < b->count; i++) {
    if (!ctx) {
      ctx = b->context_create();
      if (draw_noise_register(b->noise, ctx))
        return 70;
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
  return 0;
}

long draw_in_children(const draw_batch *b) {
  long crashed = 0;
  remaining r = {b, 0};
  while (r.from < b->count) {
    *b->at = r.from;
    int status = child_run(make_draws, &r);
    if (!status)
      break;
    b->crashed(b->user, *b->at, status);
    crashed++;
    r.from = *b->at + 1;
  }
  return crashed;
}
