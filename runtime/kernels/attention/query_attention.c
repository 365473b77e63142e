// Attention of one query of each head over keys and values that lie as rows: [batch, length,
// heads, width], as a cache that grows by a join. They are read in place.
#include "one_query.h"

enum { QUERY, KEYS, VALUES, OPERANDS };
enum { OUT = OPERANDS, TENSORS };
enum { BATCH, LENGTH, HEADS, WIDTH, RANK };

typedef struct rows_entry {
  const pir_tensor *keys, *values;
  int64_t entry;
} rows_entry;

static const char *first_row(const pir_tensor *t, int64_t entry, int64_t head, int64_t place) {
  int64_t at =
      entry * t->strides[BATCH] + head * t->strides[HEADS] + place * t->strides[LENGTH];
  return (const char *)t->data + at * (int64_t)sizeof(float);
}

static void find_cached(const void *user, int64_t head, int64_t place, cache_rows *out) {
  const rows_entry *e = user;
  *out = (cache_rows){.keys = first_row(e->keys, e->entry, head, place),
                      .values = first_row(e->values, e->entry, head, place),
                      .places = e->keys->shape[LENGTH] - place,
                      .chunk = e->keys->shape[WIDTH],
                      .key_step = e->keys->strides[LENGTH],
                      .value_step = e->values->strides[LENGTH]};
}

static pir_status check_shapes(const pir_kernel_call *call) {
  PIR_TRY(pir_kernel_expect_rank(call, QUERY, "q", RANK));
  PIR_TRY(pir_kernel_expect_rank(call, KEYS, "keys", RANK));
  const int64_t *q = pir_kernel_in(call, QUERY)->shape, *k = pir_kernel_in(call, KEYS)->shape;
  int64_t of_query[RANK] = {k[BATCH], 1, q[HEADS], k[WIDTH]};
  PIR_TRY(pir_kernel_expect_shape(call, VALUES, "values", k, RANK));
  PIR_TRY(pir_kernel_expect_shape(call, QUERY, "q", of_query, RANK));
  if (k[HEADS] < 1 || q[HEADS] % k[HEADS])
    return pir_kernel_fail(call, PIR_INVALID, "%s: %lld heads cannot share the keys of %lld",
                           call->op, (long long)q[HEADS], (long long)k[HEADS]);
  return PIR_OK;
}

// Elements of a row must be neighbours.
static pir_status take_rows(const pir_kernel_call *call, int k, pir_tensor *copy,
                            const pir_tensor **out) {
  const pir_tensor *t = pir_kernel_in(call, k);
  *out = t;
  if (t->strides[WIDTH] == 1 || t->shape[WIDTH] < 2)
    return PIR_OK;
  *out = copy;
  return pir_kernel_dense(call, t, PIR_F32, t->shape, RANK, copy);
}

static pir_status attend_entries(const pir_kernel_call *call, rows_entry *rows,
                                 pir_tensor *room) {
  const int64_t *q = pir_kernel_in(call, QUERY)->shape;
  for (int64_t entry = 0; entry < q[BATCH]; entry++) {
    rows->entry = entry;
    one_query_job job = {.call = call,
                         .query =
                             (const double *)room[QUERY].data + entry * q[HEADS] * q[WIDTH],
                         .out = (double *)room[OUT].data + entry * q[HEADS] * q[WIDTH],
                         .dtype = PIR_F32,
                         .heads = q[HEADS],
                         .key_heads = rows->keys->shape[HEADS],
                         .width = q[WIDTH],
                         .keys = rows->keys->shape[LENGTH],
                         .scale = pir_kernel_float(call, 0),
                         .hides_nothing = true,
                         .find = find_cached,
                         .user = rows};
    PIR_TRY(pir_attend_one(&job));
  }
  return PIR_OK;
}

pir_status pir_kernel_query_attention(const pir_kernel_call *call) {
  static const uint8_t in[OPERANDS] = {PIR_F64, PIR_UNDEFINED, PIR_UNDEFINED};
  static const uint8_t out[] = {PIR_F64};
  pir_tensor room[TENSORS] = {{0}}, copies[2] = {{0}};
  rows_entry rows = {0};
  PIR_TRY(check_shapes(call));
  pir_status status = pir_kernel_open(call, in, OPERANDS, out, 1, room);
  if (!status)
    status = take_rows(call, KEYS, &copies[0], &rows.keys);
  if (!status)
    status = take_rows(call, VALUES, &copies[1], &rows.values);
  if (!status)
    status = attend_entries(call, &rows, room);
  pir_kernel_drop(call, &copies[0]);
  pir_kernel_drop(call, &copies[1]);
  return pir_kernel_close(call, status, OPERANDS, 1, room);
}
