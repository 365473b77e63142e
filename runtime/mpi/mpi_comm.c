// Communicators over MPI. Everything is a message of bytes between two ranks, and each rank
// combines its part in the order of the ranks, so that sums have the bits of other
// communicators, for types that MPI does not know too. Messages do not block: a rank looks at
// the time and at flags of cancellation while it waits.
//
// A collective call begins with a header from each rank to each, by which ranks that disagree
// notice it. A rank that leaves sends a header that says so.
//
// All rings use one communicator of MPI. A ring knows its ranks' numbers there, and the tags of
// its messages have its own number, on which the headers of the split agree. So making a ring
// waits no longer than other calls, and frees nothing of MPI.
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "combine.h"
#include "comm_fail.h"
#include "comm_request.h"
#include "mail.h"
#include "mpi_module.h"
#include "mpi_room.h"

PIR_API pir_status pir_mpi_open(uint64_t timeout_ns, const pir_comm_call *call,
                                pir_comm **out_comm);

// What a tag has beside the number of the ring.
typedef enum tag_kind { TAG_HEADER, TAG_DATA, TAG_MESSAGE, TAG_MESSAGE_DATA } tag_kind;
enum { TAG_KINDS = 4 };
// The most bytes of one message: MPI counts them as int.
static const size_t PIECE = (size_t)1 << 30;

// Of a collective call, or in front of a message.
typedef struct header {
  int64_t kind, count, dtype, how, root;
  int64_t color, key,
      number;  // of a split, where ranks differ; `number`: the least that is free
} header;
enum { LEAVING = -1, MESSAGE = -2, FAILED = -3 };

// A message under way, and its bytes.
typedef struct posted {
  struct posted *next;
  MPI_Request request;
  char bytes[];
} posted;

// A ring that is broken is never freed: messages that did not come may still use its memory.
typedef struct mpi_comm {
  pir_comm base;
  int64_t number;  // in the tags
  int *places;     // the ranks' numbers in the communicator of MPI
  uint64_t timeout_ns;
  pir_status broken;
  pir_message why;
  header *headers;        // of all ranks, this rank's behind them, and one of a message
  MPI_Request *requests;  // two for each rank: receives, then sends
  MPI_Status *statuses;
  int *sizes;  // bytes that each receive waits for
  mpi_room *rooms;
  posted *posted;
} mpi_comm;

// Of the process, which has one MPI. The lock guards the numbers.
static struct {
  pthread_mutex_t lock;
  MPI_Comm comm;
  bool opened, finalizes;
  int64_t worlds, rings;  // opened so far; alive
  int64_t next_number, most_number;
  atomic_bool broken;  // some ring is, so that the end of MPI might wait for ever
} mpi = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Bytes to and from one rank.
typedef struct part {
  const char *from;
  char *to;
  size_t sent, received;
} part;

static pir_status fail_ring(mpi_comm *c, const pir_comm_call *call, pir_status status,
                            const char *why) {
  if (!c->broken) {
    atomic_store(&mpi.broken, true);
    c->broken = status;
    pir_text_format(c->why.text, sizeof c->why.text, "%s", why);
  }
  return pir_comm_fail(call, c->broken, "%s", c->why.text);
}

static int tag_of(const mpi_comm *c, tag_kind kind) {
  return (int)(c->number * TAG_KINDS + kind);
}

// Ends the memory of a call, but for messages that may still come.
static void drop_rooms(mpi_comm *c) {
  if (!c->broken)
    mpi_room_drop(&c->rooms);
}

// ---- waiting

// The first rank from which nothing came, by the requests of receives, or that took nothing.
static pir_status fail_late(mpi_comm *c, const pir_comm_call *call, int receives) {
  char why[100];
  int late = 0, done = 1, ranks = c->base.ranks;
  for (; late < receives + (receives == ranks ? ranks : 0); late++)
    if (c->requests[late] != MPI_REQUEST_NULL &&
        (MPI_Request_get_status(c->requests[late], &done, MPI_STATUS_IGNORE) || !done))
      break;
  late %= ranks;
  if (receives == 1)
    pir_text_format(why, sizeof why, "nothing came within %.3g s", (double)c->timeout_ns / 1e9);
  else
    pir_text_format(why, sizeof why, "rank %d did not come within %.3g s", late,
                    (double)c->timeout_ns / 1e9);
  return fail_ring(c, call, PIR_IO, why);
}

// Ends receives that no message has met, so that none writes into the caller's memory later.
// One that is under way cannot be ended: the process should end.
static pir_status give_up(mpi_comm *c, int receives, pir_status status) {
  for (int i = 0; i < receives; i++) {
    int done = c->requests[i] == MPI_REQUEST_NULL;
    if (done || MPI_Cancel(&c->requests[i]))
      continue;
    for (int turn = 0; turn < 1000 && !done; turn++)
      if (MPI_Test(&c->requests[i], &done, MPI_STATUS_IGNORE))
        break;
  }
  return status;
}

// All receives have the bytes that they wait for.
static pir_status check_sizes(mpi_comm *c, const pir_comm_call *call, int receives) {
  char why[100];
  for (int i = 0; i < receives; i++) {
    int n = 0;
    if (!MPI_Get_count(&c->statuses[i], MPI_BYTE, &n) && n == c->sizes[i])
      continue;
    pir_text_format(why, sizeof why, "a message has %d bytes, and %d were expected", n,
                    c->sizes[i]);
    return fail_ring(c, call, PIR_INVALID, why);
  }
  return PIR_OK;
}

// Waits for the first `n` requests, of which the first `receives` are receives of `sizes`.
static pir_status wait_all(mpi_comm *c, const pir_comm_call *call, int n, int receives) {
  uint64_t start = pir_comm_now_ns();
  for (uint32_t turn = 1;; turn++) {
    int done = 0;
    if (MPI_Testall(n, c->requests, &done, c->statuses))
      return give_up(
          c, receives,
          fail_ring(c, call, PIR_IO, "MPI reports a failure: a rank may have ended"));
    if (done)
      return check_sizes(c, call, receives);
    if (turn % 64)
      continue;
    sched_yield();
    if (pir_comm_is_cancelled(call))
      return give_up(c, receives, fail_ring(c, call, PIR_CANCELLED, "cancelled"));
    if (pir_comm_now_ns() - start >= c->timeout_ns)
      return give_up(c, receives, fail_late(c, call, receives));
  }
}

// Exchanges pieces of all parts until every byte is there. The own part is copied.
static pir_status exchange(mpi_comm *c, const pir_comm_call *call, part *parts) {
  int ranks = c->base.ranks, own = c->base.rank;
  pir_comm_move(parts[own].to, parts[own].from, parts[own].received);
  parts[own].sent = parts[own].received = 0;
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < 2 * ranks; i++)
      c->requests[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < 2 * ranks; i++) {
      part *p = &parts[i % ranks];
      size_t *left = i < ranks ? &p->received : &p->sent;
      size_t n = *left < PIECE ? *left : PIECE;
      int failed = 0;
      int peer = c->places[i % ranks], tag = tag_of(c, TAG_DATA);
      if (i < ranks)
        c->sizes[i] = (int)n;
      if (n && i < ranks)
        failed = MPI_Irecv(p->to, (int)n, MPI_BYTE, peer, tag, mpi.comm, &c->requests[i]);
      else if (n)
        failed = MPI_Isend(p->from, (int)n, MPI_BYTE, peer, tag, mpi.comm, &c->requests[i]);
      if (failed)
        return give_up(c, ranks, fail_ring(c, call, PIR_IO, "MPI refuses a message"));
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
  char why[60], *how = h->kind == LEAVING ? "has ended" : "failed";
  pir_text_format(why, sizeof why, "rank %d %s", (int)rank, how);
  return fail_ring(c, call, PIR_IO, why);
}

static comm_request request_of(const header *h) {
  return (comm_request){.kind = (comm_kind)h->kind,
                        .count = (size_t)h->count,
                        .dtype = (pir_dtype)h->dtype,
                        .how = (pir_reduction)h->how,
                        .root = (int32_t)h->root};
}

static pir_status compare_headers(mpi_comm *c, const pir_comm_call *call) {
  char why[300];
  for (int r = 0; r < c->base.ranks; r++) {
    const header *h = &c->headers[r];
    if (is_last(h))
      return fail_last(c, call, h, r);
  }
  const comm_request first = request_of(&c->headers[0]);
  for (int r = 1; r < c->base.ranks; r++) {
    const comm_request other = request_of(&c->headers[r]);
    if (pir_comm_same_request(&first, &other))
      continue;
    pir_comm_describe_difference(&first, &other, r, why, sizeof why);
    return fail_ring(c, call, PIR_INVALID, why);
  }
  return PIR_OK;
}

static header header_of(const comm_request *ask) {
  return (header){.kind = ask->kind,
                  .count = (int64_t)ask->count,
                  .dtype = ask->dtype,
                  .how = ask->how,
                  .root = ask->root,
                  .color = ask->color,
                  .key = ask->key};
}

// Whether the ring can make this call. Before it takes memory, which it does before it tells
// others that it has come.
static pir_status check_call(mpi_comm *c, const pir_comm_call *call, const comm_request *ask) {
  PIR_TRY(pir_comm_check_request(call, ask, c->base.ranks));
  return c->broken ? fail_ring(c, call, c->broken, "") : PIR_OK;
}

// Exchanges headers, of which this rank's stands behind the others.
static pir_status exchange_headers(mpi_comm *c, const pir_comm_call *call) {
  int ranks = c->base.ranks, tag = tag_of(c, TAG_HEADER);
  header *own = &c->headers[ranks];
  for (int i = 0; i < 2 * ranks; i++)
    c->requests[i] = MPI_REQUEST_NULL;
  for (int r = 0; r < ranks; r++) {
    c->sizes[r] = sizeof *own;
    if (MPI_Irecv(&c->headers[r], sizeof *own, MPI_BYTE, c->places[r], tag, mpi.comm,
                  &c->requests[r]) ||
        MPI_Isend(own, sizeof *own, MPI_BYTE, c->places[r], tag, mpi.comm,
                  &c->requests[ranks + r]))
      return give_up(c, ranks, fail_ring(c, call, PIR_IO, "MPI refuses a message"));
  }
  PIR_TRY(wait_all(c, call, 2 * ranks, ranks));
  return compare_headers(c, call);
}

// Begins a collective call: every rank hears every request.
static pir_status begin_exchange(mpi_comm *c, const pir_comm_call *call,
                                 const comm_request *ask) {
  c->headers[c->base.ranks] = header_of(ask);
  return exchange_headers(c, call);
}

// ---- collective calls

static part *new_parts(mpi_comm *c) {
  size_t bytes = (size_t)c->base.ranks * sizeof(part);
  part *parts = mpi_room_take(&c->rooms, bytes);
  return parts ? memset(parts, 0, bytes) : NULL;
}

static pir_status fail_memory(mpi_comm *c, const pir_comm_call *call) {
  c->base.fail(&c->base, "out of memory");
  return pir_comm_fail(call, PIR_EXHAUSTED, "out of memory");
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

// What combining takes.
typedef struct combining {
  part *parts;  // of the first exchange
  part *shared;
  const void **reads;
  char *room, *mine;
} combining;

// Takes memory for this rank's part of all ranks' elements. `even`: `count` is of one part, and
// there is one for each rank. `shares`: parts are exchanged then.
static pir_status prepare_combining(mpi_comm *c, const pir_comm_call *call,
                                    const comm_request *ask, bool shares, combining *out) {
  size_t ranks = (size_t)c->base.ranks, size = pir_dtype_size(ask->dtype);
  size_t bytes = size * (shares ? part_count(c, ask->count, c->base.rank) : ask->count);
  *out = (combining){.parts = new_parts(c),
                     .shared = new_parts(c),
                     .reads = mpi_room_take(&c->rooms, ranks * sizeof *out->reads),
                     .room = mpi_room_take(&c->rooms, ranks * bytes + 1),
                     .mine = mpi_room_take(&c->rooms, bytes + 1)};
  return out->parts && out->shared && out->reads && out->room && out->mine
             ? PIR_OK
             : fail_memory(c, call);
}

// Receives this rank's part of all ranks' elements, and combines them in the order of the
// ranks.
static pir_status combine_part(mpi_comm *c, const pir_comm_call *call, const char *in,
                               char *out, const comm_request *ask, bool even,
                               const combining *m) {
  int32_t ranks = c->base.ranks;
  size_t size = pir_dtype_size(ask->dtype);
  size_t mine = even ? ask->count : part_count(c, ask->count, c->base.rank);
  for (int32_t r = 0; r < ranks; r++) {
    size_t at = even ? (size_t)r * ask->count : part_begin(c, ask->count, r);
    size_t n = even ? ask->count : part_count(c, ask->count, r);
    char *to = m->room + (size_t)r * mine * size;
    m->parts[r] = (part){in + at * size, to, n * size, mine * size};
    m->reads[r] = to;
  }
  PIR_TRY(exchange(c, call, m->parts));
  pir_comm_combine(m->reads, ranks, mine, ask->dtype, ask->how, out);
  return PIR_OK;
}

// Sends this rank's combined part to all ranks, or to the root alone (not below 0).
static pir_status share_part(mpi_comm *c, const pir_comm_call *call, const combining *m,
                             char *out, const comm_request *ask, int32_t root) {
  size_t size = pir_dtype_size(ask->dtype);
  for (int32_t r = 0; r < c->base.ranks; r++) {
    bool wanted = root < 0 || r == root, wants = root < 0 || c->base.rank == root;
    size_t begin = part_begin(c, ask->count, r) * size;
    m->shared[r] = (part){.from = m->mine,
                          .to = wants ? out + begin : NULL,
                          .sent = wanted ? part_count(c, ask->count, c->base.rank) * size : 0,
                          .received = wants ? part_count(c, ask->count, r) * size : 0};
  }
  return exchange(c, call, m->shared);
}

static pir_status mpi_combine(mpi_comm *c, const pir_comm_call *call, const void *in, void *out,
                              comm_request ask, int32_t root) {
  combining m;
  PIR_TRY(check_call(c, call, &ask));
  pir_status status = prepare_combining(c, call, &ask, true, &m);
  if (!status)
    status = begin_exchange(c, call, &ask);
  if (!status)
    status = combine_part(c, call, in, m.mine, &ask, false, &m);
  if (!status)
    status = share_part(c, call, &m, out, &ask, root);
  drop_rooms(c);
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
  mpi_comm *c = (mpi_comm *)comm;
  comm_request ask = {.kind = COMM_REDUCE_SCATTER, .count = count, .dtype = dtype, .how = how};
  combining m;
  PIR_TRY(check_call(c, call, &ask));
  pir_status status = prepare_combining(c, call, &ask, false, &m);
  if (!status)
    status = begin_exchange(c, call, &ask);
  if (!status)
    status = combine_part(c, call, in, out, &ask, true, &m);
  drop_rooms(c);
  return status;
}

static pir_status move_all(mpi_comm *c, const pir_comm_call *call, const comm_request *ask,
                           part *parts) {
  pir_status status = parts ? begin_exchange(c, call, ask) : fail_memory(c, call);
  if (!status)
    status = exchange(c, call, parts);
  drop_rooms(c);
  return status;
}

// Each rank's `count` elements to each rank: all of them, or its part.
static pir_status move_parts(pir_comm *comm, const pir_comm_call *call, const void *in,
                             void *out, comm_request ask, bool cut) {
  mpi_comm *c = (mpi_comm *)comm;
  PIR_TRY(check_call(c, call, &ask));
  size_t bytes = ask.count * pir_dtype_size(ask.dtype);
  part *parts = new_parts(c);
  for (int32_t r = 0; parts && r < comm->ranks; r++)
    parts[r] = (part){(const char *)in + (cut ? (size_t)r * bytes : 0),
                      (char *)out + (size_t)r * bytes, bytes, bytes};
  return move_all(c, call, &ask, parts);
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
  PIR_TRY(check_call(c, call, &ask));
  size_t bytes = count * pir_dtype_size(dtype);
  part *parts = new_parts(c);
  for (int32_t r = 0; parts && r < comm->ranks; r++)
    parts[r] = (part){in, out, comm->rank == root ? bytes : 0, r == root ? bytes : 0};
  return move_all(c, call, &ask, parts);
}

static pir_status mpi_barrier(pir_comm *comm, const pir_comm_call *call) {
  mpi_comm *c = (mpi_comm *)comm;
  comm_request ask = {.kind = COMM_BARRIER};
  PIR_TRY(check_call(c, call, &ask));
  return begin_exchange(c, call, &ask);
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
                       int32_t peer, tag_kind kind) {
  posted *p = malloc(sizeof *p + n);
  if (!p)
    return fail_ring(c, call, PIR_EXHAUSTED, "out of memory");
  pir_comm_move(p->bytes, bytes, n);
  if (MPI_Isend(p->bytes, (int)n, MPI_BYTE, c->places[peer], tag_of(c, kind), mpi.comm,
                &p->request)) {
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
  drop_posted(c);
  return check_call(c, call, &ask);
}

static pir_status mpi_send(pir_comm *comm, const pir_comm_call *call, const void *in,
                           size_t count, pir_dtype dtype, int32_t peer) {
  mpi_comm *c = (mpi_comm *)comm;
  PIR_TRY(begin_message(c, call, count, dtype, peer));
  header h = {.kind = MESSAGE, .count = (int64_t)count, .dtype = dtype};
  PIR_TRY(post(c, call, &h, sizeof h, peer, TAG_MESSAGE));
  size_t bytes = count * pir_dtype_size(dtype);
  for (size_t at = 0; at < bytes; at += PIECE)
    PIR_TRY(post(c, call, (const char *)in + at, bytes - at < PIECE ? bytes - at : PIECE, peer,
                 TAG_MESSAGE_DATA));
  return PIR_OK;
}

static pir_status receive(mpi_comm *c, const pir_comm_call *call, void *to, size_t n,
                          int32_t peer, tag_kind kind) {
  c->sizes[0] = (int)n;
  if (MPI_Irecv(to, (int)n, MPI_BYTE, c->places[peer], tag_of(c, kind), mpi.comm,
                &c->requests[0]))
    return fail_ring(c, call, PIR_IO, "MPI refuses a message");
  return wait_all(c, call, 1, 1);
}

static pir_status mpi_recv(pir_comm *comm, const pir_comm_call *call, void *out, size_t count,
                           pir_dtype dtype, int32_t peer) {
  mpi_comm *c = (mpi_comm *)comm;
  header *got = &c->headers[comm->ranks + 1];
  char why[200];
  PIR_TRY(begin_message(c, call, count, dtype, peer));
  PIR_TRY(receive(c, call, got, sizeof *got, peer, TAG_MESSAGE));
  header h = *got;
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
    PIR_TRY(receive(c, call, (char *)out + at, bytes - at < PIECE ? bytes - at : PIECE, peer,
                    TAG_MESSAGE_DATA));
  return PIR_OK;
}

// ---- making, splitting and leaving

// Takes a message out of the ring. Returns whether it says that its rank has left.
static bool take_message(mpi_comm *c, int32_t rank, tag_kind kind) {
  MPI_Status from;
  header h = {.kind = 0};
  int there = 0, n = 0, tag = tag_of(c, kind);
  if (MPI_Iprobe(c->places[rank], tag, mpi.comm, &there, &from) || !there ||
      MPI_Get_count(&from, MPI_BYTE, &n))
    return false;
  char *bytes = malloc((size_t)n + 1);
  bool taken =
      bytes && !MPI_Recv(bytes, n, MPI_BYTE, from.MPI_SOURCE, tag, mpi.comm, MPI_STATUS_IGNORE);
  if (taken && (size_t)n == sizeof h)
    memcpy(&h, bytes, sizeof h);
  free(bytes);
  bool heads = kind == TAG_HEADER || kind == TAG_MESSAGE;
  return heads && is_last(&h);
}

// Takes the messages that are there. Returns how many say that a rank has left.
static int take_messages(mpi_comm *c) {
  int left = 0;
  for (int32_t r = 0; r < c->base.ranks; r++)
    for (int kind = 0; kind < TAG_KINDS; kind++)
      left += take_message(c, r, (tag_kind)kind);
  return left;
}

// Tells all ranks, in the place of the next header of either kind, that none follows.
static void post_last(mpi_comm *c, int64_t kind) {
  header h = {.kind = kind};
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
      left += take_messages(c);
    sched_yield();
  }
}

static void free_memory(mpi_comm *c) {
  free(c->places);
  free(c->headers);
  free(c->requests);
  free(c->statuses);
  free(c->sizes);
  free(c);
}

// The last ring of the process ends MPI, if the first one began it. A process of which a ring
// is broken does not, so that its launcher ends the others.
static void mpi_free(pir_comm *comm) {
  mpi_comm *c = (mpi_comm *)comm;
  leave(c);
  drop_rooms(c);
  if (!c->broken && !c->posted)
    free_memory(c);
  pthread_mutex_lock(&mpi.lock);
  if (--mpi.rings == 0 && mpi.finalizes && !atomic_load(&mpi.broken))
    MPI_Finalize();
  pthread_mutex_unlock(&mpi.lock);
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

// A ring of so many ranks, whose places are still unknown; NULL without memory.
static mpi_comm *make_ring(int32_t rank, int32_t ranks, int64_t number, uint64_t timeout_ns) {
  mpi_comm *c = calloc(1, sizeof *c);
  size_t n = (size_t)ranks;
  if (!c)
    return NULL;
  c->base = functions;
  c->base.rank = rank;
  c->base.ranks = ranks;
  c->number = number;
  c->timeout_ns = timeout_ns;
  c->places = calloc(n, sizeof *c->places);
  c->headers = calloc(n + 2, sizeof *c->headers);
  c->requests = calloc(2 * n, sizeof *c->requests);
  c->statuses = calloc(2 * n, sizeof *c->statuses);
  c->sizes = calloc(n, sizeof *c->sizes);
  if (c->places && c->headers && c->requests && c->statuses && c->sizes)
    return c;
  free_memory(c);
  return NULL;
}

static void count_ring(void) {
  pthread_mutex_lock(&mpi.lock);
  mpi.rings++;
  pthread_mutex_unlock(&mpi.lock);
}

// The place of a rank among the ranks of its color, and how many these are.
static int32_t place_of_rank(const mpi_comm *c, int32_t rank, int32_t *out_ranks) {
  const header *all = c->headers, *mine = &all[rank];
  int32_t place = 0;
  *out_ranks = 0;
  for (int32_t r = 0; r < c->base.ranks; r++) {
    bool before = all[r].key < mine->key || (all[r].key == mine->key && r < rank);
    *out_ranks += all[r].color == mine->color;
    place += all[r].color == mine->color && before;
  }
  return place;
}

// The number of the rings of a split: the greatest of the least numbers that are free on each
// rank. No rank has another ring of that number then.
static int64_t agree_on_number(const mpi_comm *c) {
  int64_t number = 0;
  for (int32_t r = 0; r < c->base.ranks; r++)
    number = c->headers[r].number > number ? c->headers[r].number : number;
  pthread_mutex_lock(&mpi.lock);
  if (mpi.next_number <= number)
    mpi.next_number = number + 1;
  pthread_mutex_unlock(&mpi.lock);
  return number;
}

static pir_status mpi_split(pir_comm *comm, const pir_comm_call *call, int32_t color,
                            int32_t key, pir_comm **out_comm) {
  mpi_comm *c = (mpi_comm *)comm;
  comm_request ask = {.kind = COMM_SPLIT, .color = color, .key = key};
  *out_comm = NULL;
  PIR_TRY(check_call(c, call, &ask));
  c->headers[comm->ranks] = header_of(&ask);
  pthread_mutex_lock(&mpi.lock);
  c->headers[comm->ranks].number = mpi.next_number;
  pthread_mutex_unlock(&mpi.lock);
  PIR_TRY(exchange_headers(c, call));
  int64_t number = agree_on_number(c);
  if (2 * number + 1 > mpi.most_number)
    return fail_ring(c, call, PIR_EXHAUSTED, "MPI has no tags for more rings");
  if (color < 0)
    return PIR_OK;
  int32_t ranks, place = place_of_rank(c, comm->rank, &ranks), unused;
  mpi_comm *made = make_ring(place, ranks, 2 * number + 1, c->timeout_ns);
  if (!made)
    return fail_memory(c, call);
  for (int32_t r = 0; r < comm->ranks; r++)
    if (c->headers[r].color == color)
      made->places[place_of_rank(c, r, &unused)] = c->places[r];
  count_ring();
  *out_comm = &made->base;
  return PIR_OK;
}

// Makes the communicator of all rings, within the time limit. With the lock held.
static pir_status open_mpi(uint64_t timeout_ns, const pir_comm_call *call) {
  int there = 0, ended = 0, level, *most = NULL, found = 0, done = 0;
  MPI_Request request;
  if (MPI_Initialized(&there) || MPI_Finalized(&ended) || ended)
    return pir_comm_fail(call, PIR_UNAVAILABLE, "MPI has ended in this process");
  if (mpi.opened)
    return PIR_OK;
  if (!there && MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level))
    return pir_comm_fail(call, PIR_UNAVAILABLE, "MPI does not start");
  mpi.finalizes = !there;
  if (MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found) ||
      MPI_Comm_idup(MPI_COMM_WORLD, &mpi.comm, &request))
    return pir_comm_fail(call, PIR_UNAVAILABLE, "MPI has no world");
  mpi.most_number = (found ? *most : 32767) / TAG_KINDS - 1;
  for (uint64_t start = pir_comm_now_ns(); !done; sched_yield()) {
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE))
      return pir_comm_fail(call, PIR_UNAVAILABLE, "MPI has no world");
    if (done || pir_comm_now_ns() - start < timeout_ns)
      continue;
    atomic_store(&mpi.broken, true);
    return pir_comm_fail(call, PIR_IO, "the processes of MPI did not all come within %.3g s",
                         (double)timeout_ns / 1e9);
  }
  MPI_Comm_set_errhandler(mpi.comm, MPI_ERRORS_RETURN);
  mpi.opened = true;
  return PIR_OK;
}

// Worlds have even numbers, in the order in which every process opens them; other rings odd
// ones. With the lock held.
static pir_status make_world(uint64_t timeout_ns, const pir_comm_call *call, mpi_comm **out) {
  int rank = 0, ranks = 0;
  if (MPI_Comm_rank(mpi.comm, &rank) || MPI_Comm_size(mpi.comm, &ranks))
    return pir_comm_fail(call, PIR_UNAVAILABLE, "MPI has no world");
  if (2 * mpi.worlds > mpi.most_number)
    return pir_comm_fail(call, PIR_EXHAUSTED, "MPI has no tags for more rings");
  *out = make_ring(rank, ranks, 2 * mpi.worlds++, timeout_ns);
  if (!*out)
    return pir_comm_fail(call, PIR_EXHAUSTED, "out of memory");
  for (int r = 0; r < ranks; r++)
    (*out)->places[r] = r;
  mpi.rings++;
  return PIR_OK;
}

pir_status pir_mpi_open(uint64_t timeout_ns, const pir_comm_call *call, pir_comm **out_comm) {
  mpi_comm *made = NULL;
  *out_comm = NULL;
  pthread_mutex_lock(&mpi.lock);
  pir_status status = open_mpi(timeout_ns, call);
  if (!status)
    status = make_world(timeout_ns, call, &made);
  pthread_mutex_unlock(&mpi.lock);
  if (!status)
    *out_comm = &made->base;
  return status;
}
