// Rows that ranks exchange by counts: tokens to the experts of all ranks, and back. Entry
// i + q * experts of a count is about expert i of rank q. Rows that a rank sends are in the
// order of the entries; rows that an expert has are in the order of experts, and of ranks
// within one.
#include "on_ring.h"

enum { X, LOCAL_COUNT, GLOBAL_COUNT };

typedef struct exchange {
  on_ring *ring;
  const int64_t *sent, *received;  // by entry
  int64_t experts, entries;
  bool gathers;  // back from the experts
  size_t row;    // elements of a row
  pir_dtype dtype;
} exchange;

static int64_t sum_counts(const int64_t *counts, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++)
    if (counts[i] < 0 || __builtin_add_overflow(sum, counts[i], &sum))
      return -1;
  return sum;
}

// Where the rows of expert `i` and rank `q` begin, in an order by experts or by entries.
static int64_t begin_of(const exchange *e, const int64_t *counts, int64_t i, int64_t q,
                        bool by_expert) {
  int64_t at = 0;
  for (int64_t entry = 0; entry < e->entries; entry++) {
    int64_t expert = entry % e->experts, rank = entry / e->experts;
    bool before =
        by_expert ? expert < i || (expert == i && rank < q) : entry < i + q * e->experts;
    at += before ? counts[entry] : 0;
  }
  return at;
}

static pir_status send_expert_rows(const exchange *e, const char *x) {
  on_ring *r = e->ring;
  size_t bytes = e->row * pir_dtype_size(e->dtype);
  for (int64_t i = 0; i < e->experts; i++)
    for (int64_t q = 0; q < r->comm->ranks; q++) {
      int64_t n = e->sent[i + q * e->experts];
      const char *from = x + (size_t)begin_of(e, e->sent, i, q, e->gathers) * bytes;
      if (n)
        PIR_TRY(
            r->comm->send(r->comm, &r->how, from, (size_t)n * e->row, e->dtype, (int32_t)q));
    }
  return PIR_OK;
}

static pir_status receive_expert_rows(const exchange *e, char *out) {
  on_ring *r = e->ring;
  size_t bytes = e->row * pir_dtype_size(e->dtype);
  for (int64_t i = 0; i < e->experts; i++)
    for (int64_t q = 0; q < r->comm->ranks; q++) {
      int64_t n = e->received[i + q * e->experts];
      char *to = out + (size_t)begin_of(e, e->received, i, q, !e->gathers) * bytes;
      if (n)
        PIR_TRY(r->comm->recv(r->comm, &r->how, to, (size_t)n * e->row, e->dtype, (int32_t)q));
    }
  return PIR_OK;
}

static pir_status run_exchange(const pir_kernel_call *call, exchange *e) {
  on_ring *r = e->ring;
  pir_tensor *out = pir_kernel_out(call, 0);
  int64_t sent = sum_counts(e->sent, e->entries), rows = sum_counts(e->received, e->entries);
  if (!e->entries || e->entries % r->comm->ranks || sent < 0 || rows < 0 || r->in.rank < 1 ||
      sent != r->in.shape[0])
    return pir_ring_fail(r, PIR_INVALID, "the counts do not fit the rows and the ranks");
  int64_t shape[PIR_MAX_RANK] = {rows};
  e->experts = e->entries / r->comm->ranks;
  e->row = 1;
  e->dtype = r->in.dtype;
  for (int d = 1; d < r->in.rank; d++)
    e->row *= (size_t)(shape[d] = r->in.shape[d]);
  PIR_TRY(pir_kernel_shape_result(call, out, r->in.dtype, shape, r->in.rank));
  PIR_TRY(send_expert_rows(e, r->in.data));
  return receive_expert_rows(e, out->data);
}

static pir_status exchange_rows(const pir_kernel_call *call, bool gathers) {
  on_ring ring;
  pir_tensor local = {0}, global = {0};
  const pir_tensor *counts[2] = {pir_kernel_in(call, LOCAL_COUNT),
                                 pir_kernel_in(call, GLOBAL_COUNT)};
  pir_kernel_call shaping = *call;
  shaping.result_count = 0;  // its memory is not there yet
  pir_status status = pir_ring_open(&shaping, 0, true, &ring);
  if (!status &&
      (!counts[0] || !counts[1] || pir_tensor_numel(counts[0]) != pir_tensor_numel(counts[1])))
    status = pir_ring_fail(&ring, PIR_INVALID, "expects two equally long tensors of counts");
  if (!status)
    status =
        pir_kernel_dense(call, counts[0], PIR_I64, counts[0]->shape, counts[0]->rank, &local);
  if (!status)
    status =
        pir_kernel_dense(call, counts[1], PIR_I64, counts[1]->shape, counts[1]->rank, &global);
  if (!status) {
    exchange e = {.ring = &ring,
                  .sent = gathers ? global.data : local.data,
                  .received = gathers ? local.data : global.data,
                  .entries = pir_tensor_numel(&local),
                  .gathers = gathers};
    status = run_exchange(call, &e);
  }
  pir_kernel_drop(call, &local);
  pir_kernel_drop(call, &global);
  return pir_ring_close(&ring, status);
}

// attributes: ring_id
pir_status pir_kernel_global_scatter(const pir_kernel_call *call) {
  return exchange_rows(call, false);
}

pir_status pir_kernel_global_gather(const pir_kernel_call *call) {
  return exchange_rows(call, true);
}
