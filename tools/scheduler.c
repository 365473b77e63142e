// A random scheduler. Threads are started for one loop and end with it: a loop costs more than
// in a pool, but runs on more threads than the machine has processors.
#include "scheduler.h"
#include "cli.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PIECES = 64, MOST_THREADS = 16 };

// ---- loops

typedef struct random_loop {
  pir_range_fn fn;
  void *user;
  int64_t begins[MOST_PIECES + 1];  // of the pieces, and the end of the last one
  int order[MOST_PIECES];           // the pieces in the order in which they start
  int threads[MOST_PIECES];         // where one thread runs all pieces: the number each runs as
  int pieces, workers;
  atomic_int next;
} random_loop;

typedef struct loop_worker {
  random_loop *loop;
  int thread;
  pthread_t handle;
} loop_worker;

static uint64_t draw_below(uint64_t *state, uint64_t bound) {
  return cli_random(state) % bound;
}

// Cuts [0, n) into pieces of random length, at most MOST_PIECES.
static void cut_loop(random_loop *loop, int64_t n, uint64_t *state) {
  int64_t wanted = 1 + (int64_t)draw_below(state, MOST_PIECES / 2), at = 0;
  int64_t longest = 2 * (n / wanted) + 1;
  loop->pieces = 0;
  while (at < n && loop->pieces < MOST_PIECES - 1) {
    loop->begins[loop->pieces++] = at;
    at += 1 + (int64_t)draw_below(state, (uint64_t)longest);
  }
  if (at < n)
    loop->begins[loop->pieces++] = at;
  loop->begins[loop->pieces] = n;
}

static void shuffle(int *numbers, int count, uint64_t *state) {
  for (int i = 0; i < count; i++)
    numbers[i] = i;
  for (int i = count; i > 1; i--) {
    int k = (int)draw_below(state, (uint64_t)i), last = numbers[i - 1];
    numbers[i - 1] = numbers[k];
    numbers[k] = last;
  }
}

static void *run_pieces(void *argument) {
  loop_worker *self = argument;
  random_loop *loop = self->loop;
  for (;;) {
    int i = atomic_fetch_add(&loop->next, 1);
    if (i >= loop->pieces)
      return NULL;
    int piece = loop->order[i], thread = loop->workers > 1 ? self->thread : loop->threads[i];
    loop->fn(loop->user, loop->begins[piece], loop->begins[piece + 1], thread);
  }
}

// One of two loops runs on the calling thread alone, so that a difference that the order makes
// shows each time.
static void run_at_random(void *pool, int64_t n, pir_range_fn fn, void *user) {
  scheduler *s = pool;
  uint64_t state = s->seed + atomic_fetch_add(&s->loops, 1) * 0x9e3779b97f4a7c15u;
  int numbers[MOST_THREADS];
  loop_worker workers[MOST_THREADS];
  random_loop loop = {.fn = fn, .user = user, .workers = 1};
  if (n <= 0)
    return;
  cut_loop(&loop, n, &state);
  shuffle(loop.order, loop.pieces, &state);
  shuffle(numbers, s->threads, &state);
  for (int i = 0; i < loop.pieces; i++)
    loop.threads[i] = (int)draw_below(&state, (uint64_t)s->threads);
  if (draw_below(&state, 2))
    loop.workers = 1 + (int)draw_below(&state, (uint64_t)s->threads);
  int started = 1;
  for (int i = 0; i < loop.workers; i++)
    workers[i] = (loop_worker){.loop = &loop, .thread = numbers[i]};
  while (started < loop.workers &&
         !pthread_create(&workers[started].handle, NULL, run_pieces, &workers[started]))
    started++;
  run_pieces(&workers[0]);
  for (int i = 1; i < started; i++)
    pthread_join(workers[i].handle, NULL);
}

void scheduler_start(scheduler *s, uint64_t seed, uint64_t turn) {
  uint64_t state = seed + turn * 0xd1342543de82ef95u;
  s->seed = cli_random(&state);
  s->threads = 1 + (int)draw_below(&state, MOST_THREADS);
  atomic_init(&s->loops, 0);
}

pir_parallel scheduler_parallel(scheduler *s) {
  return (pir_parallel){run_at_random, s, s->threads};
}

// ---- bits

// Copies the tensor's elements to memory that the caller frees; NULL without memory.
static char *copy_elements(const pir_tensor *tensor, size_t *out_bytes) {
  pir_tensor dense;
  if (pir_shape_bytes(tensor->shape, tensor->rank, tensor->dtype, out_bytes))
    return NULL;
  char *data = malloc(*out_bytes + 1);
  if (!data)
    return NULL;
  pir_tensor_set_dense(&dense, tensor->dtype, tensor->shape, tensor->rank);
  dense.data = data;
  if (!pir_tensor_copy(tensor, &dense))
    return data;
  free(data);
  return NULL;
}

static bool same_type(const pir_tensor *a, const pir_tensor *b) {
  return a->dtype == b->dtype && a->rank == b->rank &&
         (!a->rank || !memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape));
}

// Elements of strings are equal where their bytes are, wherever these lie.
static bool same_element(pir_dtype dtype, const char *x, const char *y) {
  pir_str a, b;
  if (dtype != PIR_PSTRING)
    return !memcmp(x, y, pir_dtype_size(dtype));
  memcpy(&a, x, sizeof a);
  memcpy(&b, y, sizeof b);
  return pir_str_equal(a, b);
}

bool scheduler_same_bits(const pir_tensor *a, const pir_tensor *b, int64_t *out_at) {
  size_t bytes, at = 0;
  *out_at = -1;
  if (!same_type(a, b))
    return false;
  char *x = copy_elements(a, &bytes), *y = copy_elements(b, &bytes);
  size_t size = pir_dtype_size(a->dtype);
  bool same = x && y;
  while (same && at < bytes && same_element(a->dtype, x + at, y + at))
    at += size;
  if (same && at < bytes) {
    *out_at = (int64_t)(at / size);
    same = false;
  }
  free(x);
  free(y);
  return same;
}
