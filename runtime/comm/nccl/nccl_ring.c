// NCCL's calls do not block here: a rank asks for the state of the ring while it waits, looks
// at the time and at flags of cancellation, and aborts NCCL's ring when it gives up.
#include "nccl_ring.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "comm_fail.h"

// How long a rank that leaves waits for NCCL to end its work for the ring.
static const uint64_t LEAVING_NS = 2 * (uint64_t)1000000000;

// ---- failures

// Ends NCCL's ring at once, with calls that are under way: the stream would wait for them for
// ever. So it ends too where the device cannot be entered.
static void abort_ring(nccl_ring *g) {
  if (!g->handle)
    return;
  const pir_device_ops *ops = g->device->ops;
  bool entered = !ops->enter(g->device);
  (void)g->library.give_up(g->handle);
  if (entered)
    (void)ops->leave(g->device);
  g->handle = NULL;
}

void nccl_ring_break(nccl_ring *g, pir_status status, const char *why) {
  g->broken = status;
  pir_text_format(g->why.text, sizeof g->why.text, "%s", why);
  abort_ring(g);
}

pir_status nccl_ring_fail(nccl_ring *g, const pir_comm_call *call, pir_status status,
                          const char *why) {
  if (!g->broken) {
    nccl_ring_break(g, status, why);
    g->host->fail(g->host, why);
  }
  return pir_comm_fail(call, g->broken, "%s", g->why.text);
}

static pir_status check_result(const nccl_ring *g, int result, const char *action,
                               pir_message *why) {
  if (!nccl_failed(result))
    return PIR_OK;
  pir_text_format(why->text, sizeof why->text, "NCCL: %s failed: %s (%d)", action,
                  g->library.error_text(result), result);
  return PIR_IO;
}

pir_status nccl_ring_check(nccl_ring *g, const pir_comm_call *call, int result,
                           const char *action) {
  pir_message why;
  pir_status status = check_result(g, result, action, &why);
  return status ? nccl_ring_fail(g, call, status, why.text) : PIR_OK;
}

pir_status nccl_ring_enter(nccl_ring *g, const pir_comm_call *call) {
  pir_message why;
  pir_status status =
      device_check(g->device, g->device->ops->enter(g->device), "entering", &why);
  return status ? nccl_ring_fail(g, call, status, why.text) : PIR_OK;
}

pir_status nccl_ring_check_queue(nccl_ring *g, const pir_comm_call *call, pir_status status) {
  return status ? nccl_ring_fail(g, call, status, pir_queue_message(g->queue)) : PIR_OK;
}

pir_comm_call nccl_ring_ask_host(const pir_comm_call *call, pir_message *why) {
  pir_comm_call heard = call ? *call : (pir_comm_call){.size = sizeof heard};
  why->text[0] = 0;
  heard.message = why;
  return heard;
}

pir_status nccl_ring_check_host(nccl_ring *g, const pir_comm_call *call, pir_status status,
                                const pir_message *why) {
  const char *text = why->text[0] ? why->text : pir_status_text(status);
  return status ? nccl_ring_fail(g, call, status, text) : PIR_OK;
}

// ---- waiting

// Whether NCCL and the stream have done all of their work, `action`.
static pir_status look(const nccl_ring *g, const char *action, bool *out_done,
                       pir_message *why) {
  const pir_device *d = g->device;
  int state = NCCL_SUCCESS;
  *out_done = false;
  PIR_TRY(check_result(g, g->library.state(g->handle, &state), "asking for its state", why));
  PIR_TRY(check_result(g, state, action, why));
  if (state == NCCL_IN_PROGRESS)
    return PIR_OK;
  return device_check(d, d->ops->stream_ask(d, g->stream, out_done), action, why);
}

// Lets others have the processor: a short wait goes on at once, a long one looks every 50 us.
static void pause_since(uint64_t start) {
  static const uint64_t SHORT_NS = 200 * 1000;
  if (pir_comm_now_ns() - start < SHORT_NS)
    sched_yield();
  else
    nanosleep(&(struct timespec){.tv_nsec = 50 * 1000}, NULL);
}

pir_status nccl_ring_settle(nccl_ring *g, const pir_comm_call *call, const char *action) {
  pir_message why;
  uint64_t start = pir_comm_now_ns();
  for (bool done;; pause_since(start)) {
    pir_status status = look(g, action, &done, &why);
    if (status)
      return nccl_ring_fail(g, call, status, why.text);
    if (done)
      return PIR_OK;
    if (pir_comm_is_cancelled(call))
      return nccl_ring_fail(g, call, PIR_CANCELLED, "cancelled");
    if (pir_comm_now_ns() - start < g->timeout_ns)
      continue;
    pir_text_format(why.text, sizeof why.text, "NCCL: %s did not end within %.3g s", action,
                    (double)g->timeout_ns / 1e9);
    return nccl_ring_fail(g, call, PIR_IO, why.text);
  }
}

// ---- beginning

// What a rank tells the others before they make NCCL's ring: whether it can, and the ring's
// name, which counts from rank 0.
typedef struct greeting {
  pir_status status;
  nccl_id id;
  pir_message why;
} greeting;

static pir_status open_nccl(nccl_ring *g, pir_message *why) {
  const char *missing = nccl_open(&g->library);
  int version = 0;
  if (missing) {
    pir_text_format(why->text, sizeof why->text,
                    "communication by NCCL needs its library, of version 2.14 or newer: %s is "
                    "missing; install it (Debian's package libnccl2), or communicate otherwise",
                    missing);
    return PIR_UNAVAILABLE;
  }
  if (!g->library.version(&version) && version >= NCCL_OLDEST)
    return PIR_OK;
  pir_text_format(why->text, sizeof why->text, "NCCL of version %d is too old: 2.14 is needed",
                  version);
  return PIR_UNAVAILABLE;
}

static pir_status open_device(nccl_ring *g, pir_message *why) {
  PIR_TRY(pir_device_open("cuda", g->device_number, NULL, &g->device, why));
  const pir_device *d = g->device;
  PIR_TRY(device_check(d, d->ops->stream_create(d, &g->stream), "making a stream", why));
  return pir_queue_create(g->device, g->stream, &g->queue, why);
}

static pir_status name_ring(nccl_ring *g, nccl_id *out_id, pir_message *why) {
  if (g->base.rank)
    return PIR_OK;
  return check_result(g, g->library.make_id(out_id), "naming a ring", why);
}

static void prepare(nccl_ring *g, greeting *own) {
  memset(own, 0, sizeof *own);
  own->status = open_nccl(g, &own->why);
  if (!own->status)
    own->status = open_device(g, &own->why);
  if (!own->status)
    own->status = name_ring(g, &own->id, &own->why);
}

// A rank's own failure tells it most; of others, the first one counts.
static pir_status compare_greetings(const nccl_ring *g, const pir_comm_call *call,
                                    const greeting *all) {
  const greeting *own = &all[g->base.rank];
  if (own->status)
    return pir_comm_fail(call, own->status, "%s", own->why.text);
  for (int32_t r = 0; r < g->base.ranks; r++)
    if (all[r].status)
      return pir_comm_fail(call, all[r].status, "rank %d: %s", (int)r, all[r].why.text);
  return PIR_OK;
}

static pir_status join(nccl_ring *g, const pir_comm_call *call, nccl_id id) {
  nccl_config config = {
      .size = sizeof config, .magic = NCCL_MAGIC, .version = NCCL_OLDEST, .blocking = 0};
  PIR_TRY(nccl_ring_enter(g, call));
  int result = g->library.join(&g->handle, g->base.ranks, id, g->base.rank, &config);
  (void)g->device->ops->leave(g->device);
  PIR_TRY(nccl_ring_check(g, call, result, "making a ring"));
  return nccl_ring_settle(g, call, "making a ring");
}

pir_status nccl_ring_open(nccl_ring *g, const pir_comm_call *call) {
  size_t ranks = (size_t)g->base.ranks;
  greeting own, *all = calloc(ranks, sizeof *all);
  g->asks = calloc(ranks, sizeof *g->asks);
  prepare(g, &own);
  pir_status status = all && g->asks ? PIR_OK : PIR_EXHAUSTED;
  if (status)
    g->host->fail(g->host, "out of memory");
  else
    status = g->host->all_gather(g->host, call, &own, all, sizeof own, PIR_U8);
  if (!status)
    status = compare_greetings(g, call, all);
  if (!status)
    status = join(g, call, all[0].id);
  free(all);
  return status;
}

// ---- ending

// Whether NCCL has done so in time.
static bool wait_for_leaving(const nccl_ring *g) {
  uint64_t limit = g->timeout_ns < LEAVING_NS ? g->timeout_ns : LEAVING_NS;
  uint64_t start = pir_comm_now_ns();
  pir_message why;
  for (bool done; !look(g, "leaving", &done, &why); pause_since(start))
    if (done || pir_comm_now_ns() - start >= limit)
      return done;
  return false;
}

static bool left_in_order(const nccl_ring *g) {
  const pir_device_ops *ops = g->device->ops;
  if (ops->enter(g->device))
    return false;
  bool leaves = !nccl_failed(g->library.finalize(g->handle));
  (void)ops->leave(g->device);
  return leaves && wait_for_leaving(g);
}

// NCCL ends its part of the ring in an orderly way, or at once where that takes too long.
static void end_ring(nccl_ring *g) {
  const pir_device_ops *ops = g->device->ops;
  if (left_in_order(g) && !ops->enter(g->device)) {
    (void)g->library.destroy(g->handle);
    (void)ops->leave(g->device);
    g->handle = NULL;
  }
  abort_ring(g);
}

void nccl_ring_close(nccl_ring *g) {
  if (g->handle)
    end_ring(g);
  pir_queue_destroy(g->queue);
  if (g->stream)
    (void)g->device->ops->stream_destroy(g->device, g->stream);
  pir_device_close(g->device);
  nccl_close(&g->library);
  free(g->asks);
  free(g);
}
