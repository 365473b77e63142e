// Rings whose ranks are threads of one process. The ranks of a collective call meet, read each
// other's tensors where they lie, and meet again before any of them returns. So data is copied
// once, and a sum is the same on all ranks: each combines a part of it, in the order of the
// ranks, which the others copy.
//
// A rank that waits gives up when the ring is broken, when a rank that it waits for has ended,
// when every rank waits in vain, at the time limit, or when it is cancelled. It breaks the ring
// then, with the reason that all ranks report.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "combine.h"
#include "comm_fail.h"
#include "mail.h"
#include "comm_request.h"

enum {
  MAX_RANKS = 1024,
  POLL_NS = 20 * 1000 * 1000,  // how often a flag of cancellation is looked at
};
static const uint64_t SECOND_NS = 1000000000, DEFAULT_TIMEOUT_NS = 60 * SECOND_NS;

typedef enum state { WORKING, MEETING, RECEIVING, ENDED } state;

typedef struct member {
  state state;
  comm_request ask;    // of the collective call in which it is
  uint64_t meeting;    // the number of the meeting that it came to
  int32_t peer;        // from which it receives
  struct ring *made;   // by split, for the members of its part
  const void **reads;  // room for the operands of all ranks
} member;

typedef struct ring {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint64_t timeout_ns;
  int32_t ranks, holders, arrived;
  uint64_t meetings;  // that took place
  pir_status broken;  // PIR_OK: it is not
  pir_message why;
  comm_mail *mail;
  member members[];
} ring;

typedef struct thread_comm {
  pir_comm base;
  ring *ring;
} thread_comm;

// ---- rings

static void destroy_ring(ring *g) {
  pthread_cond_destroy(&g->changed);
  pthread_mutex_destroy(&g->lock);
  pir_comm_drop_mail(&g->mail);
  free(g->members[0].reads);
  free(g);
}

static bool init_condition(pthread_cond_t *condition) {
  pthread_condattr_t how;
  if (pthread_condattr_init(&how))
    return false;
  bool good =
      !pthread_condattr_setclock(&how, CLOCK_MONOTONIC) && !pthread_cond_init(condition, &how);
  pthread_condattr_destroy(&how);
  return good;
}

// A ring that `ranks` communicators hold; NULL without memory.
static ring *create_ring(int32_t ranks, uint64_t timeout_ns) {
  size_t n = (size_t)ranks;
  ring *g = calloc(1, sizeof *g + n * sizeof *g->members);
  const void **reads = calloc(n * n, sizeof *reads);
  if (!g || !reads || pthread_mutex_init(&g->lock, NULL)) {
    free(reads);
    free(g);
    return NULL;
  }
  if (!init_condition(&g->changed)) {
    pthread_mutex_destroy(&g->lock);
    free(reads);
    free(g);
    return NULL;
  }
  g->timeout_ns = timeout_ns;
  g->ranks = g->holders = ranks;
  for (size_t r = 0; r < n; r++)
    g->members[r].reads = reads + r * n;
  return g;
}

static void leave_ring(ring *g, int32_t rank) {
  pthread_mutex_lock(&g->lock);
  bool last = --g->holders == 0;
  g->members[rank].state = ENDED;
  pthread_cond_broadcast(&g->changed);
  pthread_mutex_unlock(&g->lock);
  if (last)
    destroy_ring(g);
}

// ---- waiting; all with the lock held

static pir_status break_ring(ring *g, pir_status status) {
  g->broken = status;
  pthread_cond_broadcast(&g->changed);
  return status;
}

// The first reason stays.
#define BREAK(g, status, ...)                                                                  \
  ((g)->broken ? (g)->broken                                                                   \
               : (pir_text_format((g)->why.text, sizeof(g)->why.text, __VA_ARGS__),            \
                  break_ring((g), (status))))

static bool has_mail(const ring *g, comm_address address) {
  for (const comm_mail *mail = g->mail; mail; mail = mail->next)
    if (mail->address.from == address.from && mail->address.to == address.to)
      return true;
  return false;
}

static bool waits_in_vain(const ring *g, int32_t rank) {
  const member *m = &g->members[rank];
  if (m->state == MEETING)
    return m->meeting == g->meetings;
  return m->state == RECEIVING && !has_mail(g, (comm_address){m->peer, rank});
}

// Breaks the ring when the rank waits for one that has ended, or every rank waits in vain.
static void look_around(ring *g, int32_t rank) {
  const member *me = &g->members[rank];
  bool all = true;
  for (int32_t r = 0; r < g->ranks && !g->broken; r++) {
    const member *other = &g->members[r];
    bool needed = me->state == MEETING || r == me->peer;
    if (other->state == ENDED && needed)
      BREAK(g, PIR_IO, "rank %d has ended", (int)r);
    all = all && waits_in_vain(g, r);
  }
  if (all && !g->broken)
    BREAK(g, PIR_INVALID, "all ranks wait for each other: rank %d receives from rank %d",
          (int)rank, (int)me->peer);
}

static void wait_a_little(ring *g) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += POLL_NS;
  until.tv_sec += until.tv_nsec / (long)SECOND_NS;
  until.tv_nsec %= (long)SECOND_NS;
  pthread_cond_timedwait(&g->changed, &g->lock, &until);
}

static int32_t first_missing(const ring *g, int32_t rank) {
  const member *me = &g->members[rank];
  if (me->state == RECEIVING)
    return me->peer;
  for (int32_t r = 0; r < g->ranks; r++)
    if (g->members[r].state != MEETING || g->members[r].meeting != g->meetings)
      return r;
  return rank;
}

// Waits until the rank, whose state says for what, has it.
static pir_status wait_for_others(ring *g, int32_t rank, const pir_comm_call *call) {
  uint64_t start = pir_comm_now_ns();
  while (!g->broken && waits_in_vain(g, rank)) {
    look_around(g, rank);
    if (g->broken)
      break;
    wait_a_little(g);
    if (g->broken || !waits_in_vain(g, rank))
      break;
    if (pir_comm_is_cancelled(call))
      return BREAK(g, PIR_CANCELLED, "rank %d was cancelled", (int)rank);
    if (pir_comm_now_ns() - start >= g->timeout_ns)
      BREAK(g, PIR_IO, "rank %d did not come within %.3g s", (int)first_missing(g, rank),
            (double)g->timeout_ns / (double)SECOND_NS);
  }
  return waits_in_vain(g, rank) ? g->broken : PIR_OK;
}

// ---- meetings

// All ranks are there: compares their requests.
static pir_status open_call(ring *g) {
  const comm_request *first = &g->members[0].ask;
  for (int32_t r = 1; r < g->ranks; r++) {
    const comm_request *other = &g->members[r].ask;
    char why[300];
    if (pir_comm_same_request(first, other))
      continue;
    pir_comm_describe_difference(first, other, r, why, sizeof why);
    return BREAK(g, PIR_INVALID, "%s", why);
  }
  return PIR_OK;
}

static void advance(ring *g) {
  g->arrived = 0;
  g->meetings++;
  pthread_cond_broadcast(&g->changed);
}

// The first meeting of a call. A failure is for all ranks: none of them goes on.
static pir_status begin_call(thread_comm *c, const pir_comm_call *call, comm_request ask) {
  ring *g = c->ring;
  member *me = &g->members[c->base.rank];
  PIR_TRY(pir_comm_check_request(call, &ask, g->ranks));
  pthread_mutex_lock(&g->lock);
  pir_status status = g->broken;
  if (!status) {
    me->ask = ask;
    me->meeting = g->meetings;
    me->state = MEETING;
    if (++g->arrived < g->ranks)
      status = wait_for_others(g, c->base.rank, call);
    else if (!(status = open_call(g)))
      advance(g);
    me->state = WORKING;
  }
  pir_message why = g->why;
  pthread_mutex_unlock(&g->lock);
  return status ? pir_comm_fail(call, status, "%s", why.text) : PIR_OK;
}

// A later meeting: all ranks work on the call, and so come soon. Nobody may leave before the
// last one, since the others may still read its memory.
static void meet_again(thread_comm *c) {
  ring *g = c->ring;
  pthread_mutex_lock(&g->lock);
  uint64_t number = g->meetings;
  if (++g->arrived == g->ranks)
    advance(g);
  while (g->meetings == number)
    pthread_cond_wait(&g->changed, &g->lock);
  pthread_mutex_unlock(&g->lock);
}

// The operands of all ranks from byte `offset` on.
static const void *const *operands(const thread_comm *c, size_t offset) {
  const ring *g = c->ring;
  const void **reads = g->members[c->base.rank].reads;
  for (int32_t r = 0; r < g->ranks; r++)
    reads[r] = (const char *)g->members[r].ask.in + (g->members[r].ask.in ? offset : 0);
  return reads;
}

// ---- collective calls

// The bytes of rank r's part of `count` elements.
static size_t part_of_rank(const thread_comm *c, size_t count, size_t size, int32_t r,
                           size_t *out_begin) {
  size_t n = (size_t)c->base.ranks, at = (size_t)r;
  *out_begin = (count / n * at + (at < count % n ? at : count % n)) * size;
  return (count / n + (at < count % n)) * size;
}

// A rank writes its own part of its result first, which no other rank reads of its operand, so
// that both may be the same memory.
static pir_status thread_all_reduce(pir_comm *comm, const pir_comm_call *call, const void *in,
                                    void *out, size_t count, pir_dtype dtype,
                                    pir_reduction how) {
  thread_comm *c = (thread_comm *)comm;
  PIR_TRY(begin_call(c, call,
                     (comm_request){.kind = COMM_ALL_REDUCE,
                                    .count = count,
                                    .dtype = dtype,
                                    .how = how,
                                    .in = in,
                                    .out = out}));
  size_t size = pir_dtype_size(dtype), begin;
  size_t bytes = part_of_rank(c, count, size, comm->rank, &begin);
  if (bytes)
    pir_comm_combine(operands(c, begin), comm->ranks, bytes / size, dtype, how,
                     (char *)out + begin);
  meet_again(c);
  for (int32_t r = 0; r < comm->ranks; r++) {
    bytes = part_of_rank(c, count, size, r, &begin);
    if (r != comm->rank && bytes)
      memcpy((char *)out + begin, (const char *)c->ring->members[r].ask.out + begin, bytes);
  }
  meet_again(c);
  return PIR_OK;
}

static pir_status thread_all_gather(pir_comm *comm, const pir_comm_call *call, const void *in,
                                    void *out, size_t count, pir_dtype dtype) {
  thread_comm *c = (thread_comm *)comm;
  PIR_TRY(begin_call(
      c, call,
      (comm_request){.kind = COMM_ALL_GATHER, .count = count, .dtype = dtype, .in = in}));
  size_t bytes = count * pir_dtype_size(dtype);
  const void *const *reads = operands(c, 0);
  for (int32_t r = 0; r < comm->ranks; r++)
    pir_comm_move((char *)out + (size_t)r * bytes, reads[r], bytes);
  meet_again(c);
  return PIR_OK;
}

static pir_status thread_reduce_scatter(pir_comm *comm, const pir_comm_call *call,
                                        const void *in, void *out, size_t count,
                                        pir_dtype dtype, pir_reduction how) {
  thread_comm *c = (thread_comm *)comm;
  PIR_TRY(begin_call(
      c, call,
      (comm_request){
          .kind = COMM_REDUCE_SCATTER, .count = count, .dtype = dtype, .how = how, .in = in}));
  size_t at = (size_t)comm->rank * count * pir_dtype_size(dtype);
  pir_comm_combine(operands(c, at), comm->ranks, count, dtype, how, out);
  meet_again(c);
  return PIR_OK;
}

static pir_status thread_all_to_all(pir_comm *comm, const pir_comm_call *call, const void *in,
                                    void *out, size_t count, pir_dtype dtype) {
  thread_comm *c = (thread_comm *)comm;
  PIR_TRY(begin_call(
      c, call,
      (comm_request){.kind = COMM_ALL_TO_ALL, .count = count, .dtype = dtype, .in = in}));
  size_t bytes = count * pir_dtype_size(dtype);
  const void *const *reads = operands(c, (size_t)comm->rank * bytes);
  for (int32_t r = 0; r < comm->ranks; r++)
    pir_comm_move((char *)out + (size_t)r * bytes, reads[r], bytes);
  meet_again(c);
  return PIR_OK;
}

static pir_status thread_broadcast(pir_comm *comm, const pir_comm_call *call, const void *in,
                                   void *out, size_t count, pir_dtype dtype, int32_t root) {
  thread_comm *c = (thread_comm *)comm;
  PIR_TRY(begin_call(
      c, call,
      (comm_request){
          .kind = COMM_BROADCAST, .count = count, .dtype = dtype, .root = root, .in = in}));
  pir_comm_move(out, operands(c, 0)[root], count * pir_dtype_size(dtype));
  meet_again(c);
  return PIR_OK;
}

static pir_status thread_reduce(pir_comm *comm, const pir_comm_call *call, const void *in,
                                void *out, size_t count, pir_dtype dtype, pir_reduction how,
                                int32_t root) {
  thread_comm *c = (thread_comm *)comm;
  PIR_TRY(begin_call(c, call,
                     (comm_request){.kind = COMM_REDUCE,
                                    .count = count,
                                    .dtype = dtype,
                                    .how = how,
                                    .root = root,
                                    .in = in}));
  if (comm->rank == root)
    pir_comm_combine(operands(c, 0), comm->ranks, count, dtype, how, out);
  meet_again(c);
  return PIR_OK;
}

static pir_status thread_barrier(pir_comm *comm, const pir_comm_call *call) {
  thread_comm *c = (thread_comm *)comm;
  PIR_TRY(begin_call(c, call, (comm_request){.kind = COMM_BARRIER}));
  meet_again(c);
  return PIR_OK;
}

// ---- between two ranks

static pir_status check_peer(const thread_comm *c, const pir_comm_call *call, size_t count,
                             pir_dtype dtype, int32_t peer) {
  comm_request ask = {.kind = COMM_BROADCAST, .count = count, .dtype = dtype, .root = peer};
  return pir_comm_check_request(call, &ask, c->base.ranks);
}

static pir_status thread_send(pir_comm *comm, const pir_comm_call *call, const void *in,
                              size_t count, pir_dtype dtype, int32_t peer) {
  thread_comm *c = (thread_comm *)comm;
  ring *g = c->ring;
  PIR_TRY(check_peer(c, call, count, dtype, peer));
  pthread_mutex_lock(&g->lock);
  pir_status status = g->broken;
  if (!status && g->members[peer].state == ENDED)
    status = BREAK(g, PIR_IO, "rank %d has ended", (int)peer);
  pir_message why = g->why;
  if (status)
    status = pir_comm_fail(call, status, "%s", why.text);
  else
    status = pir_comm_post(&g->mail, call, (comm_address){comm->rank, peer}, in, count, dtype);
  pthread_cond_broadcast(&g->changed);
  pthread_mutex_unlock(&g->lock);
  return status;
}

static pir_status thread_recv(pir_comm *comm, const pir_comm_call *call, void *out,
                              size_t count, pir_dtype dtype, int32_t peer) {
  thread_comm *c = (thread_comm *)comm;
  ring *g = c->ring;
  member *me = &g->members[comm->rank];
  comm_mail *mail = NULL;
  PIR_TRY(check_peer(c, call, count, dtype, peer));
  pthread_mutex_lock(&g->lock);
  pir_status status = g->broken;
  if (!status) {
    me->peer = peer;
    me->state = RECEIVING;
    status = wait_for_others(g, comm->rank, call);
    me->state = WORKING;
  }
  if (!status)
    mail = pir_comm_take_mail(&g->mail, (comm_address){peer, comm->rank});
  pir_message why = g->why;
  pthread_mutex_unlock(&g->lock);
  if (status)
    return pir_comm_fail(call, status, "%s", why.text);
  pir_message reason = {""};
  pir_comm_call noting = {.size = sizeof noting, .message = &reason};
  status = pir_comm_open_mail(mail, &noting, out, count, dtype);
  if (!status)
    return PIR_OK;
  pthread_mutex_lock(&g->lock);
  BREAK(g, status, "%s", reason.text);
  pthread_mutex_unlock(&g->lock);
  return pir_comm_fail(call, status, "%s", reason.text);
}

// ---- making and splitting

static const pir_comm functions;

static pir_comm *create_comm(ring *g, int32_t rank) {
  thread_comm *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  c->base = functions;
  c->base.rank = rank;
  c->base.ranks = g->ranks;
  c->ring = g;
  return &c->base;
}

// The place of a rank among the ranks of its color, and how many these are.
static int32_t place_in_part(const ring *g, int32_t rank, int32_t *out_ranks) {
  const comm_request *mine = &g->members[rank].ask;
  int32_t place = 0;
  *out_ranks = 0;
  for (int32_t r = 0; r < g->ranks; r++) {
    const comm_request *other = &g->members[r].ask;
    if (other->color != mine->color)
      continue;
    ++*out_ranks;
    place += other->key < mine->key || (other->key == mine->key && r < rank);
  }
  return place;
}

// The member that comes first in the part makes its ring.
static const member *maker_of_part(const ring *g, int32_t rank) {
  const comm_request *first = &g->members[rank].ask;
  int32_t at = rank;
  for (int32_t r = 0; r < g->ranks; r++) {
    const comm_request *other = &g->members[r].ask;
    if (other->color != first->color)
      continue;
    if (other->key < first->key || (other->key == first->key && r < at)) {
      first = other;
      at = r;
    }
  }
  return &g->members[at];
}

static pir_status thread_split(pir_comm *comm, const pir_comm_call *call, int32_t color,
                               int32_t key, pir_comm **out_comm) {
  thread_comm *c = (thread_comm *)comm;
  ring *g = c->ring;
  *out_comm = NULL;
  PIR_TRY(begin_call(c, call, (comm_request){.kind = COMM_SPLIT, .color = color, .key = key}));
  int32_t ranks, place = place_in_part(g, comm->rank, &ranks);
  if (color >= 0 && place == 0)
    g->members[comm->rank].made = create_ring(ranks, g->timeout_ns);
  meet_again(c);
  ring *part = color < 0 ? NULL : maker_of_part(g, comm->rank)->made;
  if (part && !(*out_comm = create_comm(part, place)))
    leave_ring(part, place);
  meet_again(c);
  if (color < 0 || *out_comm)
    return PIR_OK;
  return pir_comm_fail(call, PIR_EXHAUSTED, "out of memory");
}

static void thread_fail(pir_comm *comm, const char *reason) {
  ring *g = ((thread_comm *)comm)->ring;
  pthread_mutex_lock(&g->lock);
  BREAK(g, PIR_IO, "rank %d failed: %s", (int)comm->rank, reason ? reason : "");
  pthread_mutex_unlock(&g->lock);
}

static void thread_free(pir_comm *comm) {
  leave_ring(((thread_comm *)comm)->ring, comm->rank);
  free(comm);
}

static const pir_comm functions = {.size = sizeof(pir_comm),
                                   .split = thread_split,
                                   .all_reduce = thread_all_reduce,
                                   .all_gather = thread_all_gather,
                                   .reduce_scatter = thread_reduce_scatter,
                                   .all_to_all = thread_all_to_all,
                                   .broadcast = thread_broadcast,
                                   .reduce = thread_reduce,
                                   .send = thread_send,
                                   .recv = thread_recv,
                                   .barrier = thread_barrier,
                                   .fail = thread_fail,
                                   .free = thread_free};

pir_status pir_comm_create_threads(int32_t ranks, const pir_comm_options *options,
                                   pir_comm **out_comms) {
  if (!out_comms || ranks < 1 || ranks > MAX_RANKS || (options && !options->size))
    return PIR_INVALID;
  bool stated = options && options->size >= sizeof *options && options->timeout_ns;
  ring *g = create_ring(ranks, stated ? options->timeout_ns : DEFAULT_TIMEOUT_NS);
  if (!g)
    return PIR_EXHAUSTED;
  for (int32_t r = 0; r < ranks; r++) {
    out_comms[r] = create_comm(g, r);
    if (out_comms[r])
      continue;
    for (int32_t k = ranks - 1; k >= 0; k--)
      if (k >= r)
        leave_ring(g, k);
      else
        thread_free(out_comms[k]);
    return PIR_EXHAUSTED;
  }
  return PIR_OK;
}
