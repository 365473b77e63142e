// Softmax and cross entropy where each rank has a part of the classes, as Megatron's
// vocabulary-parallel loss: the largest logit, the sum of exponentials and the logit of the
// label are combined over the ring; in f32, and in f64 for doubles. Three exchanges of one
// number a row.
#include <math.h>

#include "on_ring.h"

enum { IGNORE_INDEX, RING_ID, RANK, NRANKS };

typedef struct rows {
  on_ring *ring;
  pir_tensor logits, softmax, loss;  // dense, of type `dtype`
  pir_dtype dtype;
  pir_tensor label;  // i64
  int64_t count, width;
  pir_tensor top, sum, chosen;  // one number a row
} rows;

static double class_number(const pir_tensor *t, int64_t i) {
  return t->dtype == PIR_F64 ? ((const double *)t->data)[i]
                             : (double)((const float *)t->data)[i];
}

static void set_class_number(pir_tensor *t, int64_t i, double x) {
  if (t->dtype == PIR_F64)
    ((double *)t->data)[i] = x;
  else
    ((float *)t->data)[i] = (float)x;
}

static pir_status combine_numbers(rows *w, pir_tensor *t, pir_reduction how) {
  on_ring *r = w->ring;
  return r->comm->all_reduce(r->comm, &r->how, t->data, t->data, (size_t)w->count, t->dtype,
                             how);
}

static pir_status find_tops(rows *w) {
  for (int64_t i = 0; i < w->count; i++) {
    double top = -INFINITY;
    for (int64_t j = 0; j < w->width; j++) {
      double x = class_number(&w->logits, i * w->width + j);
      top = x > top || x != x ? x : top;
    }
    set_class_number(&w->top, i, top);
  }
  return combine_numbers(w, &w->top, PIR_REDUCE_MAX);
}

// Exponentials relative to the largest logit go into `softmax`, their sums into `sum`.
static pir_status add_exponentials(rows *w) {
  int64_t first = w->ring->comm->rank * w->width;
  for (int64_t i = 0; i < w->count; i++) {
    double top = class_number(&w->top, i), sum = 0, chosen = 0;
    int64_t label = ((const int64_t *)w->label.data)[i] - first;
    for (int64_t j = 0; j < w->width; j++) {
      double x = class_number(&w->logits, i * w->width + j) - top;
      double e = w->dtype == PIR_F64 ? exp(x) : (double)expf((float)x);
      set_class_number(&w->softmax, i * w->width + j, e);
      sum += e;
      chosen = j == label ? x : chosen;
    }
    set_class_number(&w->sum, i, sum);
    set_class_number(&w->chosen, i, chosen);
  }
  PIR_TRY(combine_numbers(w, &w->sum, PIR_REDUCE_SUM));
  return combine_numbers(w, &w->chosen, PIR_REDUCE_SUM);
}

static void write_class_rows(rows *w, int64_t ignored) {
  for (int64_t i = 0; i < w->count; i++) {
    double sum = class_number(&w->sum, i);
    for (int64_t j = 0; j < w->width; j++)
      set_class_number(&w->softmax, i * w->width + j,
                       class_number(&w->softmax, i * w->width + j) / sum);
    bool left_out = ((const int64_t *)w->label.data)[i] == ignored;
    set_class_number(&w->loss, i, left_out ? 0 : log(sum) - class_number(&w->chosen, i));
  }
}

static pir_status check_class_rows(const pir_kernel_call *call, rows *w) {
  int64_t n = pir_tensor_numel(&w->logits);
  if (w->logits.rank < 1)
    return pir_ring_fail(w->ring, PIR_INVALID, "logits of rank 0");
  w->width = w->logits.shape[w->logits.rank - 1];
  w->count = w->width ? n / w->width : 0;
  if (pir_tensor_numel(&w->label) != w->count || pir_tensor_numel(&w->loss) != w->count)
    return pir_ring_fail(w->ring, PIR_INVALID, "expects one label for each row of logits");
  pir_tensor *numbers[] = {&w->top, &w->sum, &w->chosen};
  for (int i = 0; i < 3; i++)
    PIR_TRY(pir_kernel_zeros(call, w->dtype, &w->count, 1, numbers[i]));
  return PIR_OK;
}

static pir_status run_class_rows(const pir_kernel_call *call, rows *w) {
  PIR_TRY(pir_ring_expect_ranks(w->ring, NRANKS));
  PIR_TRY(check_class_rows(call, w));
  PIR_TRY(find_tops(w));
  PIR_TRY(add_exponentials(w));
  write_class_rows(w, pir_kernel_int(call, IGNORE_INDEX));
  return PIR_OK;
}

// attributes: ignore_index, ring_id, rank, nranks
pir_status pir_kernel_c_softmax_with_cross_entropy(const pir_kernel_call *call) {
  on_ring ring;
  pir_tensor room[4];
  const pir_tensor *logits = pir_kernel_in(call, 0);
  uint8_t number = logits && logits->dtype == PIR_F64 ? PIR_F64 : PIR_F32;
  const uint8_t in[2] = {number, PIR_I64}, out[2] = {number, number};
  pir_status status = pir_ring_open(call, RING_ID, true, &ring);
  pir_status opened = pir_kernel_open(call, in, 2, out, 2, room);
  rows w = {.ring = &ring,
            .logits = room[0],
            .softmax = room[2],
            .loss = room[3],
            .dtype = number,
            .label = room[1]};
  bool whole = room[0].data && room[1].data && room[2].data && room[3].data;
  status = status ? status : opened;
  if (!status && !whole)
    status = pir_ring_fail(&ring, PIR_INVALID, "an operand or result is absent");
  if (!status)
    status = run_class_rows(call, &w);
  pir_kernel_drop(call, &w.top);
  pir_kernel_drop(call, &w.sum);
  pir_kernel_drop(call, &w.chosen);
  ring.given_out = NULL;
  status = pir_kernel_close(call, status, 2, 2, room);
  return pir_ring_close(&ring, status);
}
