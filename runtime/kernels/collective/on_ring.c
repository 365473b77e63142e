// What kernels that communicate share.
#include "on_ring.h"

#include <string.h>

pir_status pir_ring_fail(on_ring *r, pir_status status, const char *why) {
  pir_text_format(r->why.text, sizeof r->why.text, "%s", why);
  return status;
}

static pir_status find_ring(on_ring *r) {
  if (!r->call->rings) {
    PIR_TRY(pir_comm_create_self(&r->own));
    r->comm = r->own;
    return PIR_OK;
  }
  r->comm = pir_rings_get(r->call->rings, r->id);
  return r->comm ? PIR_OK
                 : pir_ring_fail(r, PIR_INVALID, "there is no such ring that has this rank");
}

// Memory beside the result's own, where that is not dense or the operand lies in it.
static pir_status make_room(on_ring *r, const pir_tensor *out) {
  PIR_TRY(pir_shape_bytes(out->shape, out->rank, out->dtype, &r->room_bytes));
  r->room_bytes += !r->room_bytes;
  r->room = pir_kernel_alloc(r->call, r->room_bytes);
  if (!r->room)
    return PIR_EXHAUSTED;
  pir_tensor_set_dense(&r->out, out->dtype, out->shape, out->rank);
  r->out.data = r->room;
  return PIR_OK;
}

static bool share_bytes(const pir_tensor *a, const pir_tensor *b) {
  size_t bytes_a, bytes_b;
  const char *x = a->data, *y = b->data;
  if (!x || !y || pir_shape_bytes(a->shape, a->rank, a->dtype, &bytes_a) ||
      pir_shape_bytes(b->shape, b->rank, b->dtype, &bytes_b))
    return false;
  return x < y + bytes_b && y < x + bytes_a;
}

static pir_status make_dense(on_ring *r, bool apart) {
  const pir_tensor *in = pir_kernel_in(r->call, 0);
  pir_tensor *out = pir_kernel_out(r->call, 0);
  if (in && !pir_tensor_is_dense(in)) {
    PIR_TRY(pir_kernel_dense(r->call, in, in->dtype, in->shape, in->rank, &r->copied));
    r->in = r->copied;
  } else if (in) {
    r->in = *in;
  }
  r->given_out = out;
  if (!out)
    return PIR_OK;
  r->out = *out;
  bool same = in && in->data == out->data && !apart;
  if (!pir_tensor_is_dense(out) || (in && !same && share_bytes(in, out)))
    return make_room(r, out);
  return PIR_OK;
}

pir_status pir_ring_open(const pir_kernel_call *call, int id_attr, bool apart, on_ring *out) {
  *out = (on_ring){.call = call, .id = pir_kernel_int(call, id_attr)};
  out->how = (pir_comm_call){.size = sizeof out->how,
                             .message = &out->why,
                             .cancel = call->cancel,
                             .deadline_ns = call->deadline_ns};
  PIR_TRY(find_ring(out));
  return make_dense(out, apart);
}

pir_status pir_ring_close(on_ring *r, pir_status status) {
  if (!status && r->room)
    status = pir_tensor_copy(&r->out, r->given_out);
  pir_kernel_free(r->call, r->room, r->room_bytes);
  pir_kernel_drop(r->call, &r->copied);
  if (r->own)
    r->own->free(r->own);
  if (!status || status == PIR_CANCELLED)
    return status;
  return pir_kernel_fail(r->call, status, "%s: ring %lld: %s", r->call->op, (long long)r->id,
                         r->why.text[0] ? r->why.text : pir_status_text(status));
}

pir_status pir_ring_expect_ranks(on_ring *r, int attr) {
  int64_t stated = pir_kernel_int(r->call, attr);
  if (stated == r->comm->ranks)
    return PIR_OK;
  pir_text_format(r->why.text, sizeof r->why.text, "nranks is %lld, and the ring has %d",
                  (long long)stated, (int)r->comm->ranks);
  return PIR_INVALID;
}

pir_status pir_ring_part(on_ring *r, const pir_tensor *whole, int64_t parts,
                         size_t *out_count) {
  int64_t n = pir_tensor_numel(whole);
  if (parts > 0 && n % parts == 0) {
    *out_count = (size_t)(n / parts);
    return PIR_OK;
  }
  pir_text_format(r->why.text, sizeof r->why.text, "%lld elements do not make %lld equal parts",
                  (long long)n, (long long)parts);
  return PIR_INVALID;
}
