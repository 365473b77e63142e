// The communicator of a ring of one rank. It receives the elements that it has sent to itself.
#include <stdlib.h>

#include "combine.h"
#include "comm_fail.h"
#include "comm_request.h"
#include "mail.h"

typedef struct self_comm {
  pir_comm base;
  comm_mail *mail;
} self_comm;

static pir_status check(const pir_comm_call *call, pir_dtype dtype, size_t count,
                        int32_t root) {
  comm_request ask = {.kind = COMM_BROADCAST, .count = count, .dtype = dtype, .root = root};
  return pir_comm_check_request(call, &ask, 1);
}

static pir_status self_split(pir_comm *comm, const pir_comm_call *call, int32_t color,
                             int32_t key, pir_comm **out_comm) {
  *out_comm = NULL;
  return color < 0 ? PIR_OK : pir_comm_create_self(out_comm);
}

static pir_status self_reduce(pir_comm *comm, const pir_comm_call *call, const void *in,
                              void *out, size_t count, pir_dtype dtype, pir_reduction how,
                              int32_t root) {
  comm_request ask = {
      .kind = COMM_REDUCE, .count = count, .dtype = dtype, .how = how, .root = root};
  PIR_TRY(pir_comm_check_request(call, &ask, 1));
  pir_comm_combine(&in, 1, count, dtype, how, out);
  return PIR_OK;
}

static pir_status self_all_reduce(pir_comm *comm, const pir_comm_call *call, const void *in,
                                  void *out, size_t count, pir_dtype dtype, pir_reduction how) {
  return self_reduce(comm, call, in, out, count, dtype, how, 0);
}

static pir_status self_broadcast(pir_comm *comm, const pir_comm_call *call, const void *in,
                                 void *out, size_t count, pir_dtype dtype, int32_t root) {
  PIR_TRY(check(call, dtype, count, root));
  pir_comm_move(out, in, count * pir_dtype_size(dtype));
  return PIR_OK;
}

static pir_status self_move(pir_comm *comm, const pir_comm_call *call, const void *in,
                            void *out, size_t count, pir_dtype dtype) {
  return self_broadcast(comm, call, in, out, count, dtype, 0);
}

static pir_status self_send(pir_comm *comm, const pir_comm_call *call, const void *in,
                            size_t count, pir_dtype dtype, int32_t peer) {
  PIR_TRY(check(call, dtype, count, peer));
  return pir_comm_post(&((self_comm *)comm)->mail, call, (comm_address){0, 0}, in, count,
                       dtype);
}

static pir_status self_recv(pir_comm *comm, const pir_comm_call *call, void *out, size_t count,
                            pir_dtype dtype, int32_t peer) {
  PIR_TRY(check(call, dtype, count, peer));
  comm_mail *found = pir_comm_take_mail(&((self_comm *)comm)->mail, (comm_address){0, 0});
  if (!found)
    return pir_comm_fail(call, PIR_IO, "nothing was sent by the only rank");
  return pir_comm_open_mail(found, call, out, count, dtype);
}

static pir_status self_barrier(pir_comm *comm, const pir_comm_call *call) {
  return PIR_OK;
}

static void self_fail(pir_comm *comm, const char *reason) {
  pir_comm_drop_mail(&((self_comm *)comm)->mail);
}

static void self_free(pir_comm *comm) {
  pir_comm_drop_mail(&((self_comm *)comm)->mail);
  free(comm);
}

pir_status pir_comm_create_self(pir_comm **out_comm) {
  if (!out_comm)
    return PIR_INVALID;
  *out_comm = NULL;
  self_comm *c = calloc(1, sizeof *c);
  if (!c)
    return PIR_EXHAUSTED;
  c->base = (pir_comm){.size = sizeof(pir_comm),
                       .ranks = 1,
                       .split = self_split,
                       .all_reduce = self_all_reduce,
                       .all_gather = self_move,
                       .reduce_scatter = self_all_reduce,
                       .all_to_all = self_move,
                       .broadcast = self_broadcast,
                       .reduce = self_reduce,
                       .send = self_send,
                       .recv = self_recv,
                       .barrier = self_barrier,
                       .fail = self_fail,
                       .free = self_free};
  *out_comm = &c->base;
  return PIR_OK;
}
