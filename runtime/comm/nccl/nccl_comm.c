// Communicators over NCCL. A tensor goes up to the device, through NCCL, and back down.
//
// Ranks agree on every call by the communicator that they had before (`host`), so that ranks
// which disagree, have failed or do not come are noticed before NCCL, which would wait for
// ever. It also carries what NCCL has no types or reductions for, and the messages between two
// ranks: NCCL's wait for the receiver, which no message of a communicator may.
#include <stdlib.h>
#include <string.h>

#include "comm_fail.h"
#include "nccl_ring.h"

// ---- what NCCL can carry

// How many of NCCL's elements an element is: 0: NCCL cannot combine it so.
typedef struct wire {
  size_t parts;
  int type, op;
} wire;

static int nccl_type(pir_dtype dtype) {
  switch (dtype) {
    case PIR_I8: return NCCL_I8;
    case PIR_U8: return NCCL_U8;
    case PIR_I32: return NCCL_I32;
    case PIR_U32: return NCCL_U32;
    case PIR_I64: return NCCL_I64;
    case PIR_U64: return NCCL_U64;
    case PIR_F16: return NCCL_F16;
    case PIR_BF16: return NCCL_BF16;
    case PIR_F32:
    case PIR_C64: return NCCL_F32;
    case PIR_F64:
    case PIR_C128: return NCCL_F64;
    default: return -1;
  }
}

static int nccl_op(pir_reduction how) {
  switch (how) {
    case PIR_REDUCE_SUM: return NCCL_SUM;
    case PIR_REDUCE_MAX: return NCCL_MAX;
    case PIR_REDUCE_MIN: return NCCL_MIN;
    case PIR_REDUCE_PRODUCT: return NCCL_PRODUCT;
    case PIR_REDUCE_AVERAGE: return NCCL_AVERAGE;
    default: return -1;
  }
}

// Elements that are only moved are bytes. Versions of NCCL differ in averages of integers.
static wire wire_of(const comm_request *ask) {
  if (!pir_comm_reduces(ask->kind))
    return (wire){pir_dtype_size(ask->dtype), NCCL_U8, 0};
  wire w = {1, nccl_type(ask->dtype), nccl_op(ask->how)};
  if (ask->dtype == PIR_C64 || ask->dtype == PIR_C128)
    w.parts = 2;
  bool whole = w.type < NCCL_F16 && w.op == NCCL_AVERAGE;
  return w.type < 0 || w.op < 0 || whole ? (wire){0} : w;
}

// ---- a call

// The tensors of a call, on the host and on the device.
typedef struct tensors {
  const void *in;
  void *out;
  size_t in_bytes, out_bytes;
  void *up, *down;
} tensors;

static pir_status check_ask(nccl_ring *g, const pir_comm_call *call, const comm_request *ask) {
  PIR_TRY(pir_comm_check_request(call, ask, g->base.ranks));
  return g->broken ? nccl_ring_fail(g, call, g->broken, "") : PIR_OK;
}

// Every rank hears every request.
static pir_status agree_on_call(nccl_ring *g, const pir_comm_call *call,
                                const comm_request *ask) {
  pir_message why;
  pir_comm_call heard = nccl_ring_ask_host(call, &why);
  pir_status status = g->host->all_gather(g->host, &heard, ask, g->asks, sizeof *ask, PIR_U8);
  PIR_TRY(nccl_ring_check_host(g, call, status, &why));
  for (int32_t r = 1; r < g->base.ranks; r++) {
    if (pir_comm_same_request(&g->asks[0], &g->asks[r]))
      continue;
    pir_comm_describe_difference(&g->asks[0], &g->asks[r], r, why.text, sizeof why.text);
    return nccl_ring_fail(g, call, PIR_INVALID, why.text);
  }
  return PIR_OK;
}

static pir_status send_up(nccl_ring *g, tensors *t) {
  PIR_TRY(pir_queue_take(g->queue, t->in_bytes, &t->up));
  PIR_TRY(pir_queue_take(g->queue, t->out_bytes, &t->down));
  return t->in_bytes ? pir_queue_upload(g->queue, t->up, t->in, t->in_bytes) : PIR_OK;
}

static pir_status bring_down(nccl_ring *g, const tensors *t) {
  if (t->out_bytes)
    PIR_TRY(pir_queue_download(g->queue, t->out, t->down, t->out_bytes));
  return pir_queue_wait(g->queue);
}

// Part q to rank q, and part q from it.
static int enqueue_parts(nccl_ring *g, const tensors *t, size_t bytes) {
  const nccl *n = &g->library;
  int result = n->group_start();
  for (int32_t r = 0; r < g->base.ranks && !nccl_failed(result); r++) {
    size_t at = (size_t)r * bytes;
    result = n->send((const char *)t->up + at, bytes, NCCL_U8, r, g->handle, g->stream);
    if (!nccl_failed(result))
      result = n->recv((char *)t->down + at, bytes, NCCL_U8, r, g->handle, g->stream);
  }
  int ended = n->group_end();
  return nccl_failed(result) ? result : ended;
}

static int enqueue(nccl_ring *g, const comm_request *ask, const wire *w, const tensors *t) {
  const nccl *n = &g->library;
  size_t count = ask->count * w->parts;
  switch (ask->kind) {
    case COMM_ALL_REDUCE:
      return n->all_reduce(t->up, t->down, count, w->type, w->op, g->handle, g->stream);
    case COMM_REDUCE_SCATTER:
      return n->reduce_scatter(t->up, t->down, count, w->type, w->op, g->handle, g->stream);
    case COMM_REDUCE:
      return n->reduce(t->up, t->down, count, w->type, w->op, ask->root, g->handle, g->stream);
    case COMM_ALL_GATHER:
      return n->all_gather(t->up, t->down, count, w->type, g->handle, g->stream);
    case COMM_BROADCAST:
      return n->broadcast(t->up, t->down, count, w->type, ask->root, g->handle, g->stream);
    default: return enqueue_parts(g, t, count);
  }
}

static pir_status move_tensors(nccl_ring *g, const pir_comm_call *call, const comm_request *ask,
                               const wire *w, const tensors *t) {
  PIR_TRY(nccl_ring_enter(g, call));
  int result = enqueue(g, ask, w, t);
  (void)g->device->ops->leave(g->device);
  PIR_TRY(nccl_ring_check(g, call, result, "an exchange"));
  return nccl_ring_settle(g, call, "an exchange");
}

// Takes all memory before the others hear that this rank has come.
static pir_status run_on_device(nccl_ring *g, const pir_comm_call *call,
                                const comm_request *ask, const wire *w, tensors *t) {
  pir_status status = nccl_ring_check_queue(g, call, send_up(g, t));
  if (!status)
    status = agree_on_call(g, call, ask);
  if (!status)
    status = move_tensors(g, call, ask, w, t);
  if (!status)
    status = nccl_ring_check_queue(g, call, bring_down(g, t));
  pir_queue_give(g->queue, t->up, t->in_bytes);
  pir_queue_give(g->queue, t->down, t->out_bytes);
  return status;
}

static pir_status run_on_host(nccl_ring *g, const pir_comm_call *call, const comm_request *ask,
                              const tensors *t) {
  pir_comm *h = g->host;
  pir_message why;
  pir_comm_call heard = nccl_ring_ask_host(call, &why);
  pir_status status;
  PIR_TRY(agree_on_call(g, call, ask));
  switch (ask->kind) {
    case COMM_ALL_REDUCE:
      status = h->all_reduce(h, &heard, t->in, t->out, ask->count, ask->dtype, ask->how);
      break;
    case COMM_REDUCE_SCATTER:
      status = h->reduce_scatter(h, &heard, t->in, t->out, ask->count, ask->dtype, ask->how);
      break;
    default:
      status = h->reduce(h, &heard, t->in, t->out, ask->count, ask->dtype, ask->how, ask->root);
      break;
  }
  return nccl_ring_check_host(g, call, status, &why);
}

// `ins` and `outs`: how many times `count` elements are read and written on this rank.
static pir_status run(pir_comm *comm, const pir_comm_call *call, comm_request ask,
                      const void *in, void *out, int32_t ins, int32_t outs) {
  nccl_ring *g = (nccl_ring *)comm;
  PIR_TRY(check_ask(g, call, &ask));
  size_t bytes = ask.count * pir_dtype_size(ask.dtype);
  tensors t = {in, out, bytes * (size_t)ins, bytes * (size_t)outs, NULL, NULL};
  wire w = wire_of(&ask);
  if (!bytes)
    return agree_on_call(g, call, &ask);
  return w.parts ? run_on_device(g, call, &ask, &w, &t) : run_on_host(g, call, &ask, &t);
}

// ---- the functions of the record

static pir_status nccl_all_reduce(pir_comm *comm, const pir_comm_call *call, const void *in,
                                  void *out, size_t count, pir_dtype dtype, pir_reduction how) {
  comm_request ask = {.kind = COMM_ALL_REDUCE, .count = count, .dtype = dtype, .how = how};
  return run(comm, call, ask, in, out, 1, 1);
}

static pir_status nccl_reduce_scatter(pir_comm *comm, const pir_comm_call *call, const void *in,
                                      void *out, size_t count, pir_dtype dtype,
                                      pir_reduction how) {
  comm_request ask = {.kind = COMM_REDUCE_SCATTER, .count = count, .dtype = dtype, .how = how};
  return run(comm, call, ask, in, out, comm->ranks, 1);
}

static pir_status nccl_reduce(pir_comm *comm, const pir_comm_call *call, const void *in,
                              void *out, size_t count, pir_dtype dtype, pir_reduction how,
                              int32_t root) {
  comm_request ask = {
      .kind = COMM_REDUCE, .count = count, .dtype = dtype, .how = how, .root = root};
  return run(comm, call, ask, in, out, 1, comm->rank == root);
}

static pir_status nccl_all_gather(pir_comm *comm, const pir_comm_call *call, const void *in,
                                  void *out, size_t count, pir_dtype dtype) {
  comm_request ask = {.kind = COMM_ALL_GATHER, .count = count, .dtype = dtype};
  return run(comm, call, ask, in, out, 1, comm->ranks);
}

static pir_status nccl_all_to_all(pir_comm *comm, const pir_comm_call *call, const void *in,
                                  void *out, size_t count, pir_dtype dtype) {
  comm_request ask = {.kind = COMM_ALL_TO_ALL, .count = count, .dtype = dtype};
  return run(comm, call, ask, in, out, comm->ranks, comm->ranks);
}

static pir_status nccl_broadcast(pir_comm *comm, const pir_comm_call *call, const void *in,
                                 void *out, size_t count, pir_dtype dtype, int32_t root) {
  comm_request ask = {.kind = COMM_BROADCAST, .count = count, .dtype = dtype, .root = root};
  return run(comm, call, ask, in, out, comm->rank == root, 1);
}

static pir_status nccl_barrier(pir_comm *comm, const pir_comm_call *call) {
  nccl_ring *g = (nccl_ring *)comm;
  comm_request ask = {.kind = COMM_BARRIER};
  PIR_TRY(check_ask(g, call, &ask));
  return agree_on_call(g, call, &ask);
}

static pir_status check_message(nccl_ring *g, const pir_comm_call *call, size_t count,
                                pir_dtype dtype, int32_t peer) {
  comm_request ask = {.kind = COMM_BROADCAST, .count = count, .dtype = dtype, .root = peer};
  return check_ask(g, call, &ask);
}

static pir_status nccl_send(pir_comm *comm, const pir_comm_call *call, const void *in,
                            size_t count, pir_dtype dtype, int32_t peer) {
  nccl_ring *g = (nccl_ring *)comm;
  pir_message why;
  pir_comm_call heard = nccl_ring_ask_host(call, &why);
  PIR_TRY(check_message(g, call, count, dtype, peer));
  pir_status status = g->host->send(g->host, &heard, in, count, dtype, peer);
  return nccl_ring_check_host(g, call, status, &why);
}

static pir_status nccl_recv(pir_comm *comm, const pir_comm_call *call, void *out, size_t count,
                            pir_dtype dtype, int32_t peer) {
  nccl_ring *g = (nccl_ring *)comm;
  pir_message why;
  pir_comm_call heard = nccl_ring_ask_host(call, &why);
  PIR_TRY(check_message(g, call, count, dtype, peer));
  pir_status status = g->host->recv(g->host, &heard, out, count, dtype, peer);
  return nccl_ring_check_host(g, call, status, &why);
}

// A ring of one rank goes on: it has nobody to be at other calls with.
static void nccl_fail(pir_comm *comm, const char *reason) {
  nccl_ring *g = (nccl_ring *)comm;
  char why[300];
  if (g->broken)
    return;
  pir_text_format(why, sizeof why, "rank %d failed: %s", (int)comm->rank, reason ? reason : "");
  if (comm->ranks > 1)
    nccl_ring_break(g, PIR_IO, why);
  g->host->fail(g->host, reason);
}

// `host` first, so that no other rank waits for this one while NCCL's ring ends.
static void nccl_free(pir_comm *comm) {
  nccl_ring *g = (nccl_ring *)comm;
  g->host->free(g->host);
  nccl_ring_close(g);
}

static pir_status nccl_split(pir_comm *comm, const pir_comm_call *call, int32_t color,
                             int32_t key, pir_comm **out_comm);

static const pir_comm functions = {.size = sizeof(pir_comm),
                                   .split = nccl_split,
                                   .all_reduce = nccl_all_reduce,
                                   .all_gather = nccl_all_gather,
                                   .reduce_scatter = nccl_reduce_scatter,
                                   .all_to_all = nccl_all_to_all,
                                   .broadcast = nccl_broadcast,
                                   .reduce = nccl_reduce,
                                   .send = nccl_send,
                                   .recv = nccl_recv,
                                   .barrier = nccl_barrier,
                                   .fail = nccl_fail,
                                   .free = nccl_free};

// A ring of the ranks that `host` connects; it owns `host` on success.
static pir_status ring_over(pir_comm *host, const pir_comm_call *call, int32_t device_number,
                            uint64_t timeout_ns, pir_comm **out_comm) {
  nccl_ring *g = calloc(1, sizeof *g);
  if (!g)
    return pir_comm_fail(call, PIR_EXHAUSTED, "out of memory");
  g->base = functions;
  g->base.rank = host->rank;
  g->base.ranks = host->ranks;
  g->host = host;
  g->device_number = device_number;
  g->timeout_ns = timeout_ns;
  pir_status status = nccl_ring_open(g, call);
  if (status)
    nccl_ring_close(g);
  else
    *out_comm = &g->base;
  return status;
}

static pir_status nccl_split(pir_comm *comm, const pir_comm_call *call, int32_t color,
                             int32_t key, pir_comm **out_comm) {
  nccl_ring *g = (nccl_ring *)comm;
  comm_request ask = {.kind = COMM_SPLIT, .color = color, .key = key};
  pir_comm *part = NULL;
  pir_message why;
  pir_comm_call heard = nccl_ring_ask_host(call, &why);
  *out_comm = NULL;
  PIR_TRY(check_ask(g, call, &ask));
  PIR_TRY(agree_on_call(g, call, &ask));
  pir_status status = g->host->split(g->host, &heard, color, key, &part);
  PIR_TRY(nccl_ring_check_host(g, call, status, &why));
  if (!part)
    return PIR_OK;
  status = ring_over(part, call, g->device_number, g->timeout_ns, out_comm);
  if (status)
    part->free(part);
  return status;
}

pir_status pir_comm_create_nccl(pir_comm *host, const pir_nccl_options *options,
                                const pir_comm_call *call, pir_comm **out_comm) {
  static const uint64_t USUAL_NS = 60 * (uint64_t)1000000000;
  if (!host || !out_comm)
    return PIR_INVALID;
  *out_comm = NULL;
  pir_nccl_options how = {0};
  if (options)  // as much as the caller's version has
    memcpy(&how, options, options->size < sizeof how ? options->size : sizeof how);
  if ((options && !options->size) || how.device_number < 0)
    return pir_comm_fail(call, PIR_INVALID, "no such options of NCCL");
  return ring_over(host, call, how.device_number, how.timeout_ns ? how.timeout_ns : USUAL_NS,
                   out_comm);
}
