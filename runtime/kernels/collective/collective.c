// Collective operators: a tensor over the ranks of a ring (pir/comm.h). What the ops expect of
// shapes is checked here against the ring of the run, which the program only states.
#include <string.h>

#include "on_ring.h"

static size_t numel(const pir_tensor *t) {
  return (size_t)pir_tensor_numel(t);
}

// The operand and the result must have as many elements as the ring moves.
static pir_status expect_elements(on_ring *r, const pir_tensor *t, size_t wanted) {
  if (numel(t) == wanted)
    return PIR_OK;
  pir_text_format(r->why.text, sizeof r->why.text, "%zu elements, and the ring moves %zu",
                  numel(t), wanted);
  return PIR_INVALID;
}

// Sums and the like where the op has no attribute for it.
static pir_status combine_all(const pir_kernel_call *call, pir_reduction how) {
  on_ring r;
  pir_status status = pir_ring_open(call, 0, false, &r);
  if (!status)
    status = expect_elements(&r, &r.out, numel(&r.in));
  if (!status)
    status = r.comm->all_reduce(r.comm, &r.how, r.in.data, r.out.data, numel(&r.in), r.in.dtype,
                                how);
  return pir_ring_close(&r, status);
}

// attributes: ring_id, reduce_type
pir_status pir_kernel_all_reduce(const pir_kernel_call *call) {
  return combine_all(call, (pir_reduction)pir_kernel_int(call, 1));
}

// attributes: ring_id
pir_status pir_kernel_ring_sum(const pir_kernel_call *call) {
  return combine_all(call, PIR_REDUCE_SUM);
}

// attributes: ring_id, root_id, reduce_type. Ranks that are not the root keep their tensor.
pir_status pir_kernel_ring_reduce(const pir_kernel_call *call) {
  on_ring r;
  int32_t root = (int32_t)pir_kernel_int(call, 1);
  pir_status status = pir_ring_open(call, 0, false, &r);
  if (!status)
    status = expect_elements(&r, &r.out, numel(&r.in));
  if (!status)
    status = r.comm->reduce(r.comm, &r.how, r.in.data, r.out.data, numel(&r.in), r.in.dtype,
                            (pir_reduction)pir_kernel_int(call, 2), root);
  if (!status && r.comm->rank != root && r.in.data != r.out.data)
    status = pir_tensor_copy(&r.in, &r.out);
  return pir_ring_close(&r, status);
}

// attributes: ring_id, root
pir_status pir_kernel_ring_broadcast(const pir_kernel_call *call) {
  on_ring r;
  pir_status status = pir_ring_open(call, 0, false, &r);
  if (!status)
    status = expect_elements(&r, &r.out, numel(&r.in));
  if (!status)
    status = r.comm->broadcast(r.comm, &r.how, r.in.data, r.out.data, numel(&r.in), r.in.dtype,
                               (int32_t)pir_kernel_int(call, 1));
  return pir_ring_close(&r, status);
}

// attributes: ring_id, nranks
pir_status pir_kernel_all_gather(const pir_kernel_call *call) {
  on_ring r;
  pir_status status = pir_ring_open(call, 0, true, &r);
  if (!status)
    status = pir_ring_expect_ranks(&r, 1);
  if (!status)
    status = expect_elements(&r, &r.out, numel(&r.in) * (size_t)r.comm->ranks);
  if (!status)
    status =
        r.comm->all_gather(r.comm, &r.how, r.in.data, r.out.data, numel(&r.in), r.in.dtype);
  return pir_ring_close(&r, status);
}

// The first axis is cut into as many parts as there are ranks.
static pir_status cut_rows(on_ring *r, size_t *out_count) {
  if (r->in.rank < 1 || r->in.shape[0] % r->comm->ranks)
    return pir_ring_fail(r, PIR_INVALID, "the ranks do not divide the first axis");
  return pir_ring_part(r, &r->in, r->comm->ranks, out_count);
}

// attributes: ring_id, nranks
pir_status pir_kernel_reduce_scatter(const pir_kernel_call *call) {
  on_ring r;
  size_t count = 0;
  pir_status status = pir_ring_open(call, 0, true, &r);
  if (!status)
    status = pir_ring_expect_ranks(&r, 1);
  if (!status)
    status = cut_rows(&r, &count);
  if (!status)
    status = expect_elements(&r, &r.out, count);
  if (!status)
    status = r.comm->reduce_scatter(r.comm, &r.how, r.in.data, r.out.data, count, r.in.dtype,
                                    PIR_REDUCE_SUM);
  return pir_ring_close(&r, status);
}

// attributes: ring_id
pir_status pir_kernel_all_to_all(const pir_kernel_call *call) {
  on_ring r;
  size_t count = 0;
  pir_status status = pir_ring_open(call, 0, true, &r);
  if (!status)
    status = cut_rows(&r, &count);
  if (!status)
    status = expect_elements(&r, &r.out, numel(&r.in));
  if (!status)
    status = r.comm->all_to_all(r.comm, &r.how, r.in.data, r.out.data, count, r.in.dtype);
  return pir_ring_close(&r, status);
}

// attributes: ring_id
pir_status pir_kernel_ring_barrier(const pir_kernel_call *call) {
  on_ring r;
  pir_status status = pir_ring_open(call, 0, false, &r);
  if (!status)
    status = r.comm->barrier(r.comm, &r.how);
  if (!status && r.in.data != r.out.data)
    status = pir_tensor_copy(&r.in, &r.out);
  return pir_ring_close(&r, status);
}

// ---- parts of the last axis, and of one rank

// Joins the parts of all ranks, which lie one after the other, along the last axis.
static void join_parts(const pir_tensor *out, const char *parts, int32_t ranks) {
  int64_t width = out->shape[out->rank - 1];
  size_t row = (size_t)width * pir_dtype_size(out->dtype), piece = row / (size_t)ranks;
  int64_t rows = width ? pir_tensor_numel(out) / width : 0;
  for (int64_t i = 0; i < rows; i++)
    for (int32_t q = 0; q < ranks; q++)
      memcpy((char *)out->data + (size_t)i * row + (size_t)q * piece,
             parts + ((size_t)q * (size_t)rows + (size_t)i) * piece, piece);
}

// attributes: rank, nranks, ring_id, ..
pir_status pir_kernel_c_concat(const pir_kernel_call *call) {
  on_ring r;
  char *parts = NULL;
  size_t bytes = 0;
  pir_status status = pir_ring_open(call, 2, true, &r);
  if (!status)
    status = pir_ring_expect_ranks(&r, 1);
  if (!status && r.in.rank < 1)
    status = pir_ring_fail(&r, PIR_INVALID, "a tensor of rank 0");
  if (!status)
    status = expect_elements(&r, &r.out, numel(&r.in) * (size_t)r.comm->ranks);
  if (!status)
    status = pir_shape_bytes(r.out.shape, r.out.rank, r.out.dtype, &bytes);
  if (!status && !(parts = pir_kernel_alloc(call, bytes)))
    status = PIR_EXHAUSTED;
  if (!status)
    status = r.comm->all_gather(r.comm, &r.how, r.in.data, parts, numel(&r.in), r.in.dtype);
  if (!status)
    join_parts(&r.out, parts, r.comm->ranks);
  pir_kernel_free(call, parts, bytes);
  return pir_ring_close(&r, status);
}

// attributes: ring_id, root, nranks, .. The root sends each rank its part of the first axis.
pir_status pir_kernel_c_scatter(const pir_kernel_call *call) {
  on_ring r;
  size_t count = 0;
  int32_t root = (int32_t)pir_kernel_int(call, 1);
  pir_status status = pir_ring_open(call, 0, true, &r);
  if (!status)
    status = pir_ring_expect_ranks(&r, 2);
  if (!status)
    status = cut_rows(&r, &count);
  if (!status)
    status = expect_elements(&r, &r.out, count);
  size_t bytes = count * pir_dtype_size(r.in.dtype);
  for (int32_t q = 0; !status && r.comm->rank == root && q < r.comm->ranks; q++)
    status = r.comm->send(r.comm, &r.how, (const char *)r.in.data + (size_t)q * bytes, count,
                          r.in.dtype, q);
  if (!status)
    status = r.comm->recv(r.comm, &r.how, r.out.data, count, r.out.dtype, root);
  return pir_ring_close(&r, status);
}

// attributes: nranks, rank, ring_id. Part q of the first axis is rank q's.
pir_status pir_kernel_partial_allgather(const pir_kernel_call *call) {
  on_ring r;
  size_t count = 0;
  pir_status status = pir_ring_open(call, 2, true, &r);
  if (!status)
    status = pir_ring_expect_ranks(&r, 0);
  if (!status)
    status = cut_rows(&r, &count);
  if (!status)
    status = expect_elements(&r, &r.out, numel(&r.in));
  if (!status) {
    const char *own =
        (const char *)r.in.data + (size_t)r.comm->rank * count * pir_dtype_size(r.in.dtype);
    status = r.comm->all_gather(r.comm, &r.how, own, r.out.data, count, r.in.dtype);
  }
  return pir_ring_close(&r, status);
}

// ---- between two ranks

// attributes: ring_id, peer, ..
pir_status pir_kernel_ring_send(const pir_kernel_call *call) {
  on_ring r;
  pir_status status = pir_ring_open(call, 0, false, &r);
  if (!status)
    status = r.comm->send(r.comm, &r.how, r.in.data, numel(&r.in), r.in.dtype,
                          (int32_t)pir_kernel_int(call, 1));
  return pir_ring_close(&r, status);
}

// attributes: out_shape, dtype, peer, ring_id, ..
pir_status pir_kernel_ring_recv(const pir_kernel_call *call) {
  on_ring r;
  pir_status status = pir_ring_open(call, 3, false, &r);
  if (!status)
    status = r.comm->recv(r.comm, &r.how, r.out.data, numel(&r.out), r.out.dtype,
                          (int32_t)pir_kernel_int(call, 2));
  return pir_ring_close(&r, status);
}

static pir_status find_piece(on_ring *r, const pir_tensor *whole, int64_t num, int64_t id,
                             size_t *out_count) {
  if (id < 0 || id >= num)
    return pir_ring_fail(r, PIR_INVALID, "there is no such part");
  return pir_ring_part(r, whole, num, out_count);
}

// attributes: ring_id, peer, num, id
pir_status pir_kernel_partial_send(const pir_kernel_call *call) {
  on_ring r;
  size_t count = 0;
  int64_t id = pir_kernel_int(call, 3);
  pir_status status = pir_ring_open(call, 0, false, &r);
  if (!status)
    status = find_piece(&r, &r.in, pir_kernel_int(call, 2), id, &count);
  if (!status) {
    const char *piece =
        (const char *)r.in.data + (size_t)id * count * pir_dtype_size(r.in.dtype);
    status = r.comm->send(r.comm, &r.how, piece, count, r.in.dtype,
                          (int32_t)pir_kernel_int(call, 1));
  }
  return pir_ring_close(&r, status);
}

// attributes: ring_id, peer, dtype, out_shape, num, id. The other parts are zeros.
pir_status pir_kernel_partial_recv(const pir_kernel_call *call) {
  on_ring r;
  size_t count = 0;
  int64_t id = pir_kernel_int(call, 5);
  pir_status status = pir_ring_open(call, 0, false, &r);
  if (!status)
    status = find_piece(&r, &r.out, pir_kernel_int(call, 4), id, &count);
  if (!status) {
    size_t size = pir_dtype_size(r.out.dtype);
    if (numel(&r.out))
      memset(r.out.data, 0, numel(&r.out) * size);
    status = r.comm->recv(r.comm, &r.how, (char *)r.out.data + (size_t)id * count * size, count,
                          r.out.dtype, (int32_t)pir_kernel_int(call, 1));
  }
  return pir_ring_close(&r, status);
}
