// Communicators over MPI. Everything is a message of bytes between two ranks, and each rank
// combines its part in the order of the ranks, so that sums have the bits of other
// communicators, for types that MPI does not know too. Messages do not block: a rank looks at
// the time and at flags of cancellation while it waits.
//
// A collective call begins with a header from each rank to each, by which ranks that disagree
// notice it. A rank that leaves sends a header that says so.
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "combine.h"
#include "comm_fail.h"
#include "comm_request.h"
#include "mail.h"
#include "mpi_module.h"

PIR_API pir_status pir_mpi_open(uint64_t timeout_ns, const pir_comm_call *call,
                                pir_comm **out_comm);

enum { TAG_HEADER = 1, TAG_DATA, TAG_MESSAGE };
// The most bytes of one message: MPI counts them as int.
static const size_t PIECE = (size_t)1 << 30;

// Of a collective call, or in front of a message.
typedef struct header {
  int64_t kind, count, dtype, how, root;
} header;
enum { LEAVING = -1, MESSAGE = -2, FAILED = -3 };

// A message under way, and its bytes.
typedef struct posted {
  struct posted *next;
  MPI_Request request;
  char bytes[];
} posted;

typedef struct mpi_comm {
  pir_comm base;
  MPI_Comm comm;
  uint64_t timeout_ns;
  bool is_world, finalizes;
  pir_status broken;
  pir_message why;
  header *headers;        // of all ranks, and this rank's behind them
  MPI_Request *requests;  // two for each rank
  posted *posted;
} mpi_comm;

// Bytes to and from one rank.
typedef struct part {
  const char *from;
  char *to;
  size_t sent, received;
} part;

static pir_status fail_ring(mpi_comm *c, const pir_comm_call *call, pir_status status,
                            const char *why) {
  if (!c->broken) {
    c->broken = status;
    pir_text_format(c->why.text, sizeof c->why.text, "%s", why);
  }
  return pir_comm_fail(call, c->broken, "%s", c->why.text);
}

// ---- waiting

// The first rank from which nothing came, by the requests of receives.
static pir_status fail_late(mpi_comm *c, const pir_comm_call *call, int receives) {
  char why[100];
  int late = 0, done = 1;
  for (; late < receives; late++)
    if (c->requests[late] != MPI_REQUEST_NULL &&
        (MPI_Request_get_status(c->requests[late], &done, MPI_STATUS_IGNORE) || !done))
      break;
  if (receives == 1)
    pir_text_format(why, sizeof why, "nothing came within %.3g s", (double)c->timeout_ns / 1e9);
  else
    pir_text_format(why, sizeof why, "rank %d did not come within %.3g s", late,
                    (double)c->timeout_ns / 1e9);
  return fail_ring(c, call, PIR_IO, why);
}

// Waits for the first `n` requests, of which the first `receives` are receives. After a failure
// they are given up: the memory of their bytes should not be used until the process ends.
static pir_status wait_all(mpi_comm *c, const pir_comm_call *call, int n, int receives) {
  uint64_t start = pir_comm_now_ns();
  for (uint32_t turn = 1;; turn++) {
    int done = 0;
    if (MPI_Testall(n, c->requests, &done, MPI_STATUSES_IGNORE))
      return fail_ring(c, call, PIR_IO, "MPI reports a failure: a rank may have ended");
    if (done)
      return PIR_OK;
    if (turn % 64)
      continue;
    sched_yield();
    if (pir_comm_is_cancelled(call))
      return fail_ring(c, call, PIR_CANCELLED, "cancelled");
    if (pir_comm_now_ns() - start >= c->timeout_ns)
      return fail_late(c, call, receives);
  }
}

// Exchanges pieces of all parts until every byte is there. The own part is copied.
static pir_status exchange(mpi_comm *c, const pir_comm_call *call, part *parts) {
  int ranks = c->base.ranks, own = c->base.rank;
  pir_comm_move(parts[own].to, parts[own].from, parts[own].received);
  parts[own].sent = parts[own].received = 0;
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < 2 * ranks; i++) {
      part *p = &parts[i % ranks];
      size_t *left = i < ranks ? &p->received : &p->sent;
      size_t n = *left < PIECE ? *left : PIECE;
      int failed = 0;
      c->requests[i] = MPI_REQUEST_NULL;
      if (n && i < ranks)
        failed = MPI_Irecv(p->to, (int)n, MPI_BYTE, i, TAG_DATA, c->comm, &c->requests[i]);
      else if (n)
        failed =
            MPI_Isend(p->from, (int)n, MPI_BYTE, i % ranks, TAG_DATA, c->comm, &c->requests[i]);
      if (failed)
        return fail_ring(c, call, PIR_IO, "MPI refuses a message");
      p->to += n && i < ranks ? n : 0;
      p->from += n && i >= ranks ? n : 0;
      *left -= n;
      more = more || *left;
    }
    PIR_TRY(wait_all(c, call, 2 * ranks, ranks));
  }
  return PIR_OK;
}

// ---- headers

// Whether no message of its rank follows.
static bool is_last(const header *h) {
  return h->kind == LEAVING || h->kind == FAILED;
}

static pir_status fail_last(mpi_comm *c, const pir_comm_call *call, const header *h,
                            int32_t rank) {
  char why[60];
  pir_text_format(why, sizeof why, "rank %d %s", (int)rank,
                  h->kind == LEAVING ? "has ended" : "failed");
  return fail_ring(c, call, PIR_IO, why);
}

static pir_status compare_headers(mpi_comm *c, const pir_comm_call *call) {
  char why[300], texts[2][100];
  const header *first = &c->headers[0];
  for (int r = 0; r < c->base.ranks; r++) {
    const header *h = &c->headers[r];
    if (is_last(h))
      return fail_last(c, call, h, r);
  }
  for (int r = 1; r < c->base.ranks; r++) {
    const header *h = &c->headers[r];
    if (!memcmp(h, first, sizeof *h))
      continue;
    for (int k = 0; k < 2; k++) {
      const header *of = k ? h : first;
      comm_request ask = {(comm_kind)of->kind,
                          (size_t)of->count,
                          (pir_dtype)of->dtype,
                          (pir_reduction)of->how,
                          (int32_t)of->root,
                          NULL,
                          0,
                          0};
      pir_comm_describe_request(&ask, texts[k], sizeof texts[k]);
    }
    pir_text_format(why, sizeof why, "ranks disagree: rank 0 calls %s, and rank %d calls %s",
                    texts[0], r, texts[1]);
    return fail_ring(c, call, PIR_INVALID, why);
  }
  return PIR_OK;
}

static header header_of(const comm_request *ask) {
  return (header){ask->kind, (int64_t)ask->count, ask->dtype, ask->how, ask->root};
}

// Begins a collective call: every rank hears every request.
static pir_status begin_exchange(mpi_comm *c, const pir_comm_call *call, comm_request ask) {
  int ranks = c->base.ranks;
  PIR_TRY(pir_comm_check_request(call, &ask, ranks));
  if (c->broken)
    return fail_ring(c, call, c->broken, "");
  header *own = &c->headers[ranks];
  *own = header_of(&ask);
  for (int r = 0; r < ranks; r++)
    if (MPI_Irecv(&c->headers[r], sizeof *own, MPI_BYTE, r, TAG_HEADER, c->comm,
                  &c->requests[r]) ||
        MPI_Isend(own, sizeof *own, MPI_BYTE, r, TAG_HEADER, c->comm, &c->requests[ranks + r]))
      return fail_ring(c, call, PIR_IO, "MPI refuses a message");
  PIR_TRY(wait_all(c, call, 2 * ranks, ranks));
  return compare_headers(c, call);
}

// ---- collective calls

static part *new_parts(const mpi_comm *c) {
  return calloc((size_t)c->base.ranks, sizeof(part));
}

static pir_status exchange_parts(mpi_comm *c, const pir_comm_call *call, part *parts) {
  pir_status status =
      parts ? exchange(c, call, parts) : fail_ring(c, call, PIR_EXHAUSTED, "out of memory");
  free(parts);
  return status;
}

// The elements of rank r's part of `count`.
static size_t part_count(const mpi_comm *c, size_t count, int32_t r) {
  size_t n = (size_t)c->base.ranks;
  return count / n + ((size_t)r < count % n);
}

static size_t part_begin(const mpi_comm *c, size_t count, int32_t r) {
  size_t n = (size_t)c->base.ranks, rest = count % n;
  return count / n * (size_t)r + ((size_t)r < rest ? (size_t)r : rest);
}

// Receives this rank's part of all ranks' elements, and combines them in the order of the
// ranks. `even`: `count` is of one part, and there is one for each rank.
static pir_status combine_part(mpi_comm *c, const pir_comm_call *call, const char *in,
                               char *out, const comm_request *ask, bool even) {
  int32_t ranks = c->base.ranks, own = c->base.rank;
  size_t size = pir_dtype_size(ask->dtype);
  size_t mine = even ? ask->count : part_count(c, ask->count, own);
  char *room = malloc((size_t)ranks * mine * size + 1);
  const void **reads = calloc((size_t)ranks, sizeof *reads);
  part *parts = room && reads ? new_parts(c) : NULL;
  for (int32_t r = 0; parts && r < ranks; r++) {
    size_t at = even ? (size_t)r * ask->count : part_begin(c, ask->count, r);
    size_t n = even ? ask->count : part_count(c, ask->count, r);
    parts[r] = (part){in + at * size, room + (size_t)r * mine * size, n * size, mine * size};
    reads[r] = parts[r].to;
  }
  pir_status status = exchange_parts(c, call, parts);
  if (!status)
    pir_comm_combine(reads, ranks, mine, ask->dtype, ask->how, out);
  free(reads);
  free(room);
  return status;
}

// Sends this rank's combined part to all ranks, or to the root alone (not below 0).
static pir_status share_part(mpi_comm *c, const pir_comm_call *call, const char *mine,
                             char *out, const comm_request *ask, int32_t root) {
  size_t size = pir_dtype_size(ask->dtype);
  part *parts = new_parts(c);
  for (int32_t r = 0; parts && r < c->base.ranks; r++) {
    bool wanted = root < 0 || r == root, wants = root < 0 || c->base.rank == root;
    size_t begin = part_begin(c, ask->count, r) * size;
    parts[r] = (part){.from = mine,
                      .to = wants ? out + begin : NULL,
                      .sent = wanted ? part_count(c, ask->count, c->base.rank) * size : 0,
                      .received = wants ? part_count(c, ask->count, r) * size : 0};
  }
  return exchange_parts(c, call, parts);
}

static pir_status mpi_combine(mpi_comm *c, const pir_comm_call *call, const void *in, void *out,
                              comm_request ask, int32_t root) {
  PIR_TRY(begin_exchange(c, call, ask));
  size_t size = pir_dtype_size(ask.dtype);
  char *mine = malloc(part_count(c, ask.count, c->base.rank) * size + 1);
  if (!mine)
    return fail_ring(c, call, PIR_EXHAUSTED, "out of memory");
  pir_status status = combine_part(c, call, in, mine, &ask, false);
  if (!status)
    status = share_part(c, call, mine, out, &ask, root);
  free(mine);
  return status;
}

static pir_status mpi_all_reduce(pir_comm *comm, const pir_comm_call *call, const void *in,
                                 void *out, size_t count, pir_dtype dtype, pir_reduction how) {
  comm_request ask = {.kind = COMM_ALL_REDUCE, .count = count, .dtype = dtype, .how = how};
  return mpi_combine((mpi_comm *)comm, call, in, out, ask, -1);
}

static pir_status mpi_reduce(pir_comm *comm, const pir_comm_call *call, const void *in,
                             void *out, size_t count, pir_dtype dtype, pir_reduction how,
                             int32_t root) {
  comm_request ask = {
      .kind = COMM_REDUCE, .count = count, .dtype = dtype, .how = how, .root = root};
  return mpi_combine((mpi_comm *)comm, call, in, out, ask, root);
}

static pir_status mpi_reduce_scatter(pir_comm *comm, const pir_comm_call *call, const void *in,
                                     void *out, size_t count, pir_dtype dtype,
                                     pir_reduction how) {
  comm_request ask = {.kind = COMM_REDUCE_SCATTER, .count = count, .dtype = dtype, .how = how};
  PIR_TRY(begin_exchange((mpi_comm *)comm, call, ask));
  return combine_part((mpi_comm *)comm, call, in, out, &ask, true);
}

// Each rank's `count` elements to each rank: all of them, or its part.
static pir_status move_parts(pir_comm *comm, const pir_comm_call *call, const void *in,
                             void *out, comm_request ask, bool cut) {
  mpi_comm *c = (mpi_comm *)comm;
  PIR_TRY(begin_exchange(c, call, ask));
  size_t bytes = ask.count * pir_dtype_size(ask.dtype);
  part *parts = new_parts(c);
  for (int32_t r = 0; parts && r < comm->ranks; r++)
    parts[r] = (part){(const char *)in + (cut ? (size_t)r * bytes : 0),
                      (char *)out + (size_t)r * bytes, bytes, bytes};
  return exchange_parts(c, call, parts);
}

static pir_status mpi_all_gather(pir_comm *comm, const pir_comm_call *call, const void *in,
                                 void *out, size_t count, pir_dtype dtype) {
  comm_request ask = {.kind = COMM_ALL_GATHER, .count = count, .dtype = dtype};
  return move_parts(comm, call, in, out, ask, false);
}

static pir_status mpi_all_to_all(pir_comm *comm, const pir_comm_call *call, const void *in,
                                 void *out, size_t count, pir_dtype dtype) {
  comm_request ask = {.kind = COMM_ALL_TO_ALL, .count = count, .dtype = dtype};
  return move_parts(comm, call, in, out, ask, true);
}

static pir_status mpi_broadcast(pir_comm *comm, const pir_comm_call *call, const void *in,
                                void *out, size_t count, pir_dtype dtype, int32_t root) {
  mpi_comm *c = (mpi_comm *)comm;
  comm_request ask = {.kind = COMM_BROADCAST, .count = count, .dtype = dtype, .root = root};
  PIR_TRY(begin_exchange(c, call, ask));
  size_t bytes = count * pir_dtype_size(dtype);
  part *parts = new_parts(c);
  for (int32_t r = 0; parts && r < comm->ranks; r++)
    parts[r] = (part){in, out, comm->rank == root ? bytes : 0, r == root ? bytes : 0};
  return exchange_parts(c, call, parts);
}

static pir_status mpi_barrier(pir_comm *comm, const pir_comm_call *call) {
  return begin_exchange((mpi_comm *)comm, call, (comm_request){.kind = COMM_BARRIER});
}

// ---- between two ranks

// Frees the messages that have arrived.
static void drop_posted(mpi_comm *c) {
  for (posted **at = &c->posted; *at;) {
    posted *p = *at;
    int done = 0;
    if (MPI_Test(&p->request, &done, MPI_STATUS_IGNORE) || !done) {
      at = &p->next;
      continue;
    }
    *at = p->next;
    free(p);
  }
}

// Sends a copy of the bytes, without waiting.
static pir_status post(mpi_comm *c, const pir_comm_call *call, const void *bytes, size_t n,
                       int32_t peer, int tag) {
  posted *p = malloc(sizeof *p + n);
  if (!p)
    return fail_ring(c, call, PIR_EXHAUSTED, "out of memory");
  pir_comm_move(p->bytes, bytes, n);
  if (MPI_Isend(p->bytes, (int)n, MPI_BYTE, peer, tag, c->comm, &p->request)) {
    free(p);
    return fail_ring(c, call, PIR_IO, "MPI refuses a message");
  }
  p->next = c->posted;
  c->posted = p;
  return PIR_OK;
}

static pir_status begin_message(mpi_comm *c, const pir_comm_call *call, size_t count,
                                pir_dtype dtype, int32_t peer) {
  comm_request ask = {.kind = COMM_BROADCAST, .count = count, .dtype = dtype, .root = peer};
  PIR_TRY(pir_comm_check_request(call, &ask, c->base.ranks));
  drop_posted(c);
  return c->broken ? fail_ring(c, call, c->broken, "") : PIR_OK;
}

static pir_status mpi_send(pir_comm *comm, const pir_comm_call *call, const void *in,
                           size_t count, pir_dtype dtype, int32_t peer) {
  mpi_comm *c = (mpi_comm *)comm;
  PIR_TRY(begin_message(c, call, count, dtype, peer));
  header h = {MESSAGE, (int64_t)count, dtype, 0, 0};
  PIR_TRY(post(c, call, &h, sizeof h, peer, TAG_MESSAGE));
  size_t bytes = count * pir_dtype_size(dtype);
  for (size_t at = 0; at < bytes; at += PIECE)
    PIR_TRY(post(c, call, (const char *)in + at, bytes - at < PIECE ? bytes - at : PIECE, peer,
                 TAG_MESSAGE));
  return PIR_OK;
}

static pir_status receive(mpi_comm *c, const pir_comm_call *call, void *to, size_t n,
                          int32_t peer) {
  if (MPI_Irecv(to, (int)n, MPI_BYTE, peer, TAG_MESSAGE, c->comm, &c->requests[0]))
    return fail_ring(c, call, PIR_IO, "MPI refuses a message");
  return wait_all(c, call, 1, 1);
}

static pir_status mpi_recv(pir_comm *comm, const pir_comm_call *call, void *out, size_t count,
                           pir_dtype dtype, int32_t peer) {
  mpi_comm *c = (mpi_comm *)comm;
  header h = {0, 0, 0, 0, 0};
  char why[200];
  PIR_TRY(begin_message(c, call, count, dtype, peer));
  PIR_TRY(receive(c, call, &h, sizeof h, peer));
  if (is_last(&h))
    return fail_last(c, call, &h, peer);
  if (h.count != (int64_t)count || h.dtype != (int64_t)dtype) {
    pir_text_format(why, sizeof why, "rank %d receives %zu x %s, and rank %d sent %lld x %s",
                    (int)comm->rank, count, pir_dtype_text(dtype), (int)peer,
                    (long long)h.count, pir_dtype_text((pir_dtype)h.dtype));
    return fail_ring(c, call, PIR_INVALID, why);
  }
  size_t bytes = count * pir_dtype_size(dtype);
  for (size_t at = 0; at < bytes; at += PIECE)
    PIR_TRY(receive(c, call, (char *)out + at, bytes - at < PIECE ? bytes - at : PIECE, peer));
  return PIR_OK;
}

// ---- making, splitting and leaving

// Takes any message out of the ring. Returns whether a rank says that it has left.
static bool take_any(mpi_comm *c) {
  MPI_Status from;
  header h = {0, 0, 0, 0, 0};
  int there = 0, n = 0;
  if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c->comm, &there, &from) || !there ||
      MPI_Get_count(&from, MPI_BYTE, &n))
    return false;
  char *bytes = malloc((size_t)n + 1);
  bool taken = bytes && !MPI_Recv(bytes, n, MPI_BYTE, from.MPI_SOURCE, from.MPI_TAG, c->comm,
                                  MPI_STATUS_IGNORE);
  if (taken && (size_t)n == sizeof h)
    memcpy(&h, bytes, sizeof h);
  free(bytes);
  return is_last(&h);
}

// Tells all ranks, in the place of the next header of either kind, that none follows.
static void post_last(mpi_comm *c, int64_t kind) {
  header h = {kind, 0, 0, 0, 0};
  for (int32_t r = 0; r < c->base.ranks; r++)
    if (r != c->base.rank && (post(c, NULL, &h, sizeof h, r, TAG_HEADER) ||
                              post(c, NULL, &h, sizeof h, r, TAG_MESSAGE)))
      break;
}

static void mpi_fail(pir_comm *comm, const char *reason) {
  mpi_comm *c = (mpi_comm *)comm;
  char why[300];
  if (c->broken)
    return;
  post_last(c, FAILED);
  pir_text_format(why, sizeof why, "rank %d failed: %s", (int)comm->rank, reason ? reason : "");
  fail_ring(c, NULL, PIR_IO, why);
}

// Tells all ranks that this one has left. Unless the ring is broken, takes in what the others
// say until they have left too, for a short time, because an MPI complains about messages that
// nobody took.
static void leave(mpi_comm *c) {
  static const uint64_t SHORT_NS = 2 * (uint64_t)1000000000;
  int left = 0, expected = 2 * (c->base.ranks - 1);
  post_last(c, LEAVING);
  uint64_t start = pir_comm_now_ns(),
           limit = c->timeout_ns < SHORT_NS ? c->timeout_ns : SHORT_NS;
  while ((c->posted || (!c->broken && left < expected)) && pir_comm_now_ns() - start < limit) {
    drop_posted(c);
    if (!c->broken)
      left += take_any(c);
    sched_yield();
  }
}

// A process whose ring is broken does not end MPI in order, so that its launcher ends the
// others.
static void mpi_free(pir_comm *comm) {
  mpi_comm *c = (mpi_comm *)comm;
  leave(c);
  if (c->finalizes && !c->broken)
    MPI_Finalize();
  free(c->headers);
  free(c->requests);
  free(c);
}

static pir_status mpi_split(pir_comm *comm, const pir_comm_call *call, int32_t color,
                            int32_t key, pir_comm **out_comm);

static const pir_comm functions = {.size = sizeof(pir_comm),
                                   .split = mpi_split,
                                   .all_reduce = mpi_all_reduce,
                                   .all_gather = mpi_all_gather,
                                   .reduce_scatter = mpi_reduce_scatter,
                                   .all_to_all = mpi_all_to_all,
                                   .broadcast = mpi_broadcast,
                                   .reduce = mpi_reduce,
                                   .send = mpi_send,
                                   .recv = mpi_recv,
                                   .barrier = mpi_barrier,
                                   .fail = mpi_fail,
                                   .free = mpi_free};

static pir_status wrap(MPI_Comm given, uint64_t timeout_ns, const pir_comm_call *call,
                       mpi_comm **out) {
  mpi_comm *c = calloc(1, sizeof *c);
  int rank = 0, ranks = 0;
  *out = NULL;
  MPI_Comm_set_errhandler(given, MPI_ERRORS_RETURN);
  bool good = c && !MPI_Comm_rank(given, &rank) && !MPI_Comm_size(given, &ranks);
  if (good) {
    c->base = functions;
    c->base.rank = rank;
    c->base.ranks = ranks;
    c->comm = given;
    c->timeout_ns = timeout_ns;
    c->headers = calloc((size_t)ranks + 1, sizeof *c->headers);
    c->requests = calloc(2 * (size_t)ranks, sizeof *c->requests);
  }
  if (good && c->headers && c->requests) {
    *out = c;
    return PIR_OK;
  }
  if (c) {
    free(c->headers);
    free(c->requests);
  }
  free(c);
  return pir_comm_fail(call, PIR_EXHAUSTED, "out of memory");
}

static pir_status mpi_split(pir_comm *comm, const pir_comm_call *call, int32_t color,
                            int32_t key, pir_comm **out_comm) {
  mpi_comm *c = (mpi_comm *)comm, *made;
  MPI_Comm split;
  *out_comm = NULL;
  PIR_TRY(begin_exchange(c, call, (comm_request){.kind = COMM_SPLIT}));
  if (MPI_Comm_split(c->comm, color < 0 ? MPI_UNDEFINED : color, key, &split))
    return fail_ring(c, call, PIR_IO, "MPI cannot split a communicator");
  if (color < 0)
    return PIR_OK;
  PIR_TRY(wrap(split, c->timeout_ns, call, &made));
  *out_comm = &made->base;
  return PIR_OK;
}

pir_status pir_mpi_open(uint64_t timeout_ns, const pir_comm_call *call, pir_comm **out_comm) {
  int there = 0, ended = 0, level, rank = 0;
  MPI_Comm world;
  mpi_comm *made;
  *out_comm = NULL;
  if (MPI_Initialized(&there) || MPI_Finalized(&ended) || ended)
    return pir_comm_fail(call, PIR_UNAVAILABLE, "MPI has ended in this process");
  if (!there && MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level))
    return pir_comm_fail(call, PIR_UNAVAILABLE, "MPI does not start");
  if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) || MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &world))
    return pir_comm_fail(call, PIR_UNAVAILABLE, "MPI has no world");
  PIR_TRY(wrap(world, timeout_ns, call, &made));
  made->finalizes = !there;
  *out_comm = &made->base;
  return PIR_OK;
}
