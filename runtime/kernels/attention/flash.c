// Attention of whole batches: sequences of equal lengths, padded ones, and sequences that
// follow each other in one tensor. Dropout in training and 8-bit scales are refused.
#include <math.h>
#include <string.h>

#include "attend.h"

enum { BLOCK = 128 };  // rows and columns of a block mask's block

// Lengths and starts of the sequences of an operand.
typedef struct lengths {
  const pir_tensor *starts;  // count + 1 offsets, or NULL
  const pir_tensor *used;    // count lengths, or NULL: all
  int64_t room;              // rows of the operand, or of each sequence without starts
  int64_t count;
} lengths;

// Finds the rows of sequence i: of the operand, or of its own part if there are no starts.
static pir_status find_sequence(const pir_kernel_call *call, const lengths *l, int64_t i,
                                int64_t *out_first, int64_t *out_rows) {
  int64_t first = l->starts ? pir_tensor_int_at(l->starts, i) : 0;
  int64_t end = l->starts ? pir_tensor_int_at(l->starts, i + 1) : l->room;
  int64_t rows = end - first;
  if (first < 0 || end < first || end > l->room)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: offsets of sequences: expects numbers from 0 to %lld that rise",
                           call->op, (long long)l->room);
  int64_t used = l->used ? pir_tensor_int_at(l->used, i) : rows;
  if (used < 0 || used > rows)
    return pir_kernel_fail(call, PIR_INVALID, "%s: expects at most %lld rows of a sequence",
                           call->op, (long long)rows);
  *out_first = first;
  *out_rows = used;
  return PIR_OK;
}

static pir_status set_zero(const pir_kernel_call *call, pir_tensor *out) {
  double zero = 0;
  pir_tensor from = {.data = &zero, .dtype = PIR_F64, .rank = out ? out->rank : 0};
  if (!out)
    return PIR_OK;
  memcpy(from.shape, out->shape, sizeof from.shape);
  return pir_tensor_copy(&from, out);
}

// The results of a gradient, views of rank 4. The forward op's call has the gradient of its
// result in the place of the result.
typedef struct grad_results {
  pir_tensor query, key, value;
  pir_tensor bias;  // sums in doubles; no data without a bias
} grad_results;

// Attends, or finds the gradients: of entry `entry` of the batch, from these rows on.
static pir_status attend_or_derive(const attend_job *job, const grad_results *to, int64_t entry,
                                   int64_t query, int64_t key) {
  if (!to)
    return pir_attend(job);
  attend_grads grads = {.query = pir_attend_rows(&to->query, entry, 1),
                        .key = pir_attend_rows(&to->key, entry, 1),
                        .value = pir_attend_rows(&to->value, entry, 1),
                        .bias = job->bias};
  grads.query.start += query * grads.query.step;
  grads.key.start += key * grads.key.step;
  grads.value.start += key * grads.value.step;
  grads.bias.tensor = to->bias.data ? &to->bias : NULL;
  return pir_attend_grad(job, &grads);
}

static pir_status refuse(const pir_kernel_call *call, bool condition, const char *what) {
  if (!condition)
    return PIR_OK;
  return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s with %s", call->op, what);
}

// Checks q, k and v of rank 4 [batch, length, heads, width] or [batch, heads, length, width].
static pir_status expect_batches(const pir_kernel_call *call, int place_axis) {
  const char *const names[] = {"q", "k", "v"};
  for (int i = 0; i < 3; i++)
    PIR_TRY(pir_kernel_expect_rank(call, i, names[i], 4));
  const pir_tensor *q = pir_kernel_in(call, 0);
  const pir_tensor *k = pir_kernel_in(call, 1);
  const pir_tensor *v = pir_kernel_in(call, 2);
  int heads = 3 - place_axis;
  bool fits = k->shape[0] == q->shape[0] && v->shape[0] == q->shape[0] &&
              k->shape[3] == q->shape[3] && v->shape[place_axis] == k->shape[place_axis] &&
              v->shape[heads] == k->shape[heads];
  bool packed = q->strides[3] == 1 && k->strides[3] == 1 && v->strides[3] == 1;
  if (!fits || (!packed && pir_tensor_numel(q) > 0))
    return pir_kernel_fail(call, PIR_INVALID, "%s: q, k and v do not fit together", call->op);
  return PIR_OK;
}

// The attention of entry `i` of a batch, all rows seen.
static attend_job batch_job(const pir_kernel_call *call, int64_t i, int place_axis) {
  const pir_tensor *q = pir_kernel_in(call, 0);
  const pir_tensor *k = pir_kernel_in(call, 1);
  const pir_tensor *v = pir_kernel_in(call, 2);
  return (attend_job){.call = call,
                      .query = pir_attend_rows(q, i, place_axis),
                      .key = pir_attend_rows(k, i, place_axis),
                      .value = pir_attend_rows(v, i, place_axis),
                      .out = pir_attend_rows(pir_kernel_out(call, 0), i, place_axis),
                      .heads = q->shape[3 - place_axis],
                      .key_heads = k->shape[3 - place_axis],
                      .queries = q->shape[place_axis],
                      .keys = k->shape[place_axis],
                      .width = q->shape[3],
                      .value_width = v->shape[3],
                      .scale = 1,
                      .before = -1,
                      .after = -1};
}

// Moves the rows of a job to a sequence.
static void move_rows(attend_job *job, int64_t query, int64_t queries, int64_t key,
                      int64_t keys) {
  job->query.start += query * job->query.step;
  job->out.start += query * job->out.step;
  job->key.start += key * job->key.step;
  job->value.start += key * job->value.step;
  job->queries = queries;
  job->keys = keys;
}

// ---- windows

// Attributes: softmax_scale, causal, window_size_left, window_size_right, softcap, ..
static void take_window(attend_job *job, const pir_kernel_call *call) {
  bool causal = pir_kernel_int(call, 1);
  job->scale = pir_kernel_float(call, 0);
  job->cap = pir_kernel_float(call, 4);
  job->before = pir_kernel_int(call, 2);
  job->after = causal ? 0 : pir_kernel_int(call, 3);
  job->shift = job->keys - job->queries;
}

// operands: q, k, v [batch, length, heads, width], q_v_, q_descale_, k_descale_, v_descale_;
// attributes: softmax_scale, is_causal, window_size_left, window_size_right, softcap,
// num_splits, manual_set_pack_gqa, pack_gqa_, sm_margin
static pir_status attend_windows(const pir_kernel_call *call, const grad_results *to) {
  const pir_tensor *q = pir_kernel_in(call, 0);
  pir_tensor *lse = pir_kernel_out(call, 1), sums = {0};
  bool extra = false;
  for (int i = 3; i < 7; i++)
    extra |= pir_kernel_in(call, i) != NULL;
  PIR_TRY(refuse(call, extra, "q_v or scales"));
  PIR_TRY(expect_batches(call, 1));
  PIR_TRY(pir_kernel_zeros(call, PIR_F64, (int64_t[]){q->shape[0], q->shape[2], q->shape[1]}, 3,
                           &sums));
  pir_status status = PIR_OK;
  for (int64_t i = 0; i < q->shape[0] && !status; i++) {
    attend_job job = batch_job(call, i, 1);
    take_window(&job, call);
    job.sums = (double *)sums.data + i * sums.strides[0];
    job.sums_head_step = sums.strides[1];
    status = attend_or_derive(&job, to, i, 0, 0);
  }
  if (!status && lse)
    status = pir_tensor_copy(&sums, lse);
  pir_kernel_drop(call, &sums);
  return status;
}

pir_status pir_kernel_flash_attn_v3(const pir_kernel_call *call) {
  return attend_windows(call, NULL);
}

// A view of rank 4 whose only batch is the tensor of rank 3.
static pir_tensor one_batch(const pir_tensor *from) {
  pir_tensor view = *from;
  view.rank = 4;
  memcpy(view.shape + 1, from->shape, 3 * sizeof *view.shape);
  memcpy(view.strides + 1, from->strides, 3 * sizeof *view.strides);
  view.shape[0] = 1;
  view.strides[0] = 0;
  return view;
}

// operands: q, k, v [rows, heads, width], cu_seqlens_q, cu_seqlens_k, seqused_q, seqused_k, qv,
// q_descale, k_descale, v_descale, max_seqlen_q, max_seqlen_k; attributes: the same ones. Rows
// of no sequence become zeros.
static pir_status attend_sequences(const pir_kernel_call *call, const grad_results *to) {
  const char *const names[] = {"q", "k", "v"};
  pir_tensor *out = pir_kernel_out(call, 0), *lse = pir_kernel_out(call, 1);
  pir_tensor views[4], sums = {0};
  bool extra = false;
  for (int i = 7; i < 11; i++)
    extra |= pir_kernel_in(call, i) != NULL;
  PIR_TRY(refuse(call, extra, "qv or scales"));
  for (int i = 0; i < 3; i++) {
    PIR_TRY(pir_kernel_expect_rank(call, i, names[i], 3));
    views[i] = one_batch(pir_kernel_in(call, i));
  }
  PIR_TRY(pir_kernel_expect_rank(call, 3, "cu_seqlens_q", 1));
  const pir_tensor *starts = pir_kernel_in(call, 3);
  PIR_TRY(pir_kernel_expect_shape(call, 4, "cu_seqlens_k", starts->shape, 1));
  int64_t count = starts->shape[0] - 1;
  lengths queries = {starts, pir_kernel_in(call, 5), views[0].shape[1], count};
  lengths keys = {pir_kernel_in(call, 4), pir_kernel_in(call, 6), views[1].shape[1], count};
  for (int i = 5; i < 7; i++)
    if (pir_kernel_in(call, i))
      PIR_TRY(pir_kernel_expect_shape(call, i, "seqused", &count, 1));
  views[3] = one_batch(out);
  pir_kernel_call batches = *call;
  const pir_tensor *const in[] = {&views[0], &views[1], &views[2]};
  pir_tensor *const outs[] = {&views[3]};
  batches.in = in;
  batches.out = outs;
  PIR_TRY(expect_batches(&batches, 1));
  if (!to)
    PIR_TRY(set_zero(call, out));
  const int64_t shape[2] = {views[0].shape[2], views[0].shape[1]};
  PIR_TRY(pir_kernel_zeros(call, PIR_F64, shape, 2, &sums));
  pir_status status = PIR_OK;
  for (int64_t i = 0; i < count && !status; i++) {
    int64_t query = 0, rows = 0, key = 0, key_rows = 0;
    status = find_sequence(call, &queries, i, &query, &rows);
    if (!status)
      status = find_sequence(call, &keys, i, &key, &key_rows);
    attend_job job = batch_job(&batches, 0, 1);
    move_rows(&job, query, rows, key, key_rows);
    take_window(&job, call);
    job.sums = (double *)sums.data + query;
    job.sums_head_step = sums.strides[0];
    if (!status)
      status = attend_or_derive(&job, to, 0, query, key);
  }
  if (!status && lse)
    status = pir_tensor_copy(&sums, lse);
  pir_kernel_drop(call, &sums);
  return status;
}

pir_status pir_kernel_flash_attn_v3_varlen(const pir_kernel_call *call) {
  return attend_sequences(call, NULL);
}

// ---- masks by rows

// Which rows of a column are hidden: its bounds, and the blocks that a block mask hides.
typedef struct column_mask {
  const int32_t *bounds;  // [heads, keys, count]
  int64_t heads_of_mask, heads, keys, count;
  const int32_t *blocks;  // [heads, rows of blocks, columns of blocks], or NULL
  int64_t block_heads, block_rows, block_columns;
  bool causal;
} column_mask;

static bool column_shows(const void *user, int64_t head, int64_t query, int64_t key) {
  const column_mask *m = user;
  int64_t mask_head = head / (m->heads / m->heads_of_mask);
  const int32_t *at = m->bounds + (mask_head * m->keys + key) * m->count;
  bool ends = m->causal ? m->count == 2 : m->count == 4;
  bool hidden = query >= at[0] && (!ends || query < at[1]);
  if (m->causal)
    hidden |= query < key;
  else if (ends)
    hidden |= query >= at[2] && query < at[3];
  else
    hidden |= query < at[1];
  if (hidden || !m->blocks)
    return !hidden;
  int64_t block_head = head / (m->heads / m->block_heads);
  int64_t row = block_head * m->block_rows + query / BLOCK;
  return m->blocks[row * m->block_columns + key / BLOCK] != 0;
}

static pir_status read_column_mask(const pir_kernel_call *call, const pir_tensor *bounds,
                                   const pir_tensor *blocks, column_mask *out) {
  const pir_tensor *q = pir_kernel_in(call, 0);
  const pir_tensor *k = pir_kernel_in(call, 1);
  bool causal = pir_kernel_int(call, 1);
  int64_t count = bounds->shape[3];
  bool known = causal ? count == 1 || count == 2 : count == 2 || count == 4;
  bool fits = bounds->shape[0] == q->shape[0] && bounds->shape[2] == k->shape[1] &&
              bounds->shape[1] > 0 && q->shape[2] % bounds->shape[1] == 0;
  if (!known || !fits)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: startend_row_indices: expects the bounds of each key",
                           call->op);
  *out = (column_mask){.bounds = bounds->data,
                       .heads_of_mask = bounds->shape[1],
                       .heads = q->shape[2],
                       .keys = k->shape[1],
                       .count = count,
                       .causal = causal};
  if (!blocks->data)
    return PIR_OK;
  bool covers = blocks->shape[0] == q->shape[0] && blocks->shape[1] > 0 &&
                q->shape[2] % blocks->shape[1] == 0 &&
                blocks->shape[2] * BLOCK >= q->shape[1] &&
                blocks->shape[3] * BLOCK >= k->shape[1];
  if (!covers)
    return pir_kernel_fail(call, PIR_INVALID, "%s: block_mask: expects blocks of %d by %d",
                           call->op, BLOCK, BLOCK);
  out->blocks = blocks->data;
  out->block_heads = blocks->shape[1];
  out->block_rows = blocks->shape[2];
  out->block_columns = blocks->shape[3];
  return PIR_OK;
}

// operands: q, k, v [batch, length, heads, width], startend_row_indices [batch, heads, keys,
// bounds], block_mask; attributes: softmax_scale, is_causal
static pir_status attend_columns(const pir_kernel_call *call, const grad_results *to) {
  const pir_tensor *q = pir_kernel_in(call, 0);
  pir_tensor *lse = pir_kernel_out(call, 1);
  pir_tensor bounds = {0}, blocks = {0}, sums = {0};
  column_mask mask;
  PIR_TRY(expect_batches(call, 1));
  PIR_TRY(pir_kernel_expect_rank(call, 3, "startend_row_indices", 4));
  const pir_tensor *given = pir_kernel_in(call, 3);
  pir_status status = pir_kernel_dense(call, given, PIR_I32, given->shape, 4, &bounds);
  given = pir_kernel_in(call, 4);
  if (!status && given)
    status = pir_kernel_expect_rank(call, 4, "block_mask", 4);
  if (!status && given)
    status = pir_kernel_dense(call, given, PIR_I32, given->shape, 4, &blocks);
  if (!status)
    status = read_column_mask(call, &bounds, &blocks, &mask);
  const int64_t shape[3] = {q->shape[0], q->shape[2], q->shape[1]};
  if (!status)
    status = pir_kernel_zeros(call, PIR_F64, shape, 3, &sums);
  for (int64_t i = 0; i < q->shape[0] && !status; i++) {
    column_mask own = mask;
    own.bounds += i * bounds.strides[0];
    if (own.blocks)
      own.blocks += i * blocks.strides[0];
    attend_job job = batch_job(call, i, 1);
    job.scale = pir_kernel_float(call, 0);
    job.sees = column_shows;
    job.user = &own;
    job.sums = (double *)sums.data + i * sums.strides[0];
    job.sums_head_step = sums.strides[1];
    status = attend_or_derive(&job, to, i, 0, 0);
  }
  if (!status && lse)
    status = pir_tensor_copy(&sums, lse);
  pir_kernel_drop(call, &bounds);
  pir_kernel_drop(call, &blocks);
  pir_kernel_drop(call, &sums);
  return status;
}

pir_status pir_kernel_flashmask_attention(const pir_kernel_call *call) {
  return attend_columns(call, NULL);
}

// ---- a bias

// Views a bias of at most 4 axes for entry `entry` of the batch; axes of extent 1 are repeated.
static pir_status take_bias(const pir_kernel_call *call, const pir_tensor *bias, int64_t entry,
                            attend_job *job) {
  int64_t steps[4] = {0};
  const int64_t extents[4] = {entry + 1, job->heads, job->queries, job->keys};
  if (!bias)
    return PIR_OK;
  for (int i = 0; i < bias->rank; i++) {
    int axis = 4 - bias->rank + i;
    if (axis < 0 || (bias->shape[i] != 1 && bias->shape[i] < extents[axis]))
      return pir_kernel_fail(call, PIR_INVALID, "%s: its mask does not fit the scores",
                             call->op);
    steps[axis] = bias->shape[i] == 1 ? 0 : bias->strides[i];
  }
  job->bias = (attend_bias){bias, entry * steps[0], steps[1], steps[2], steps[3]};
  return PIR_OK;
}

// operands: query, key, value [batch, length, heads, width], bias, cu_seqlens_q, cu_seqlens_k,
// causal_diagonal, seqlen_k, max_seqlen_q, max_seqlen_k; attributes: causal, dropout_p, scale,
// is_test. The gradient computes the logarithms of the sums again: result 1 is zeros.
static pir_status attend_biased(const pir_kernel_call *call, const grad_results *to) {
  const pir_tensor *q = pir_kernel_in(call, 0);
  const pir_tensor *k = pir_kernel_in(call, 1);
  const pir_tensor *starts = pir_kernel_in(call, 4);
  const pir_tensor *diagonal = pir_kernel_in(call, 6);
  const pir_tensor *used = pir_kernel_in(call, 7);
  PIR_TRY(expect_batches(call, 1));
  if (starts) {
    PIR_TRY(pir_kernel_expect_rank(call, 4, "cu_seqlens_q", 1));
    PIR_TRY(pir_kernel_expect_shape(call, 5, "cu_seqlens_k", starts->shape, 1));
  } else if (pir_kernel_in(call, 5)) {
    return pir_kernel_fail(call, PIR_INVALID, "%s: cu_seqlens_k stands without cu_seqlens_q",
                           call->op);
  }
  int64_t count = starts ? starts->shape[0] - 1 : q->shape[0];
  bool short_list = (diagonal && pir_tensor_numel(diagonal) < count) ||
                    (used && pir_tensor_numel(used) < count) || (starts && q->shape[0] != 1);
  if (short_list)
    return pir_kernel_fail(call, PIR_INVALID, "%s: expects a number for each of %lld sequences",
                           call->op, (long long)count);
  lengths queries = {starts, NULL, q->shape[1], count};
  lengths keys = {pir_kernel_in(call, 5), used, k->shape[1], count};
  for (int r = 0; r < 3 && !to; r++)
    PIR_TRY(set_zero(call, pir_kernel_out(call, r)));
  for (int64_t i = 0; i < count; i++) {
    int64_t query, rows, key, key_rows;
    PIR_TRY(find_sequence(call, &queries, i, &query, &rows));
    PIR_TRY(find_sequence(call, &keys, i, &key, &key_rows));
    attend_job job = batch_job(call, starts ? 0 : i, 1);
    move_rows(&job, query, rows, key, key_rows);
    job.scale =
        pir_kernel_float(call, 2) < 0 ? 1 / sqrt((double)job.width) : pir_kernel_float(call, 2);
    job.after = pir_kernel_int(call, 0) ? 0 : -1;
    job.shift = diagonal ? pir_tensor_int_at(diagonal, i) : 0;
    PIR_TRY(take_bias(call, pir_kernel_in(call, 3), i, &job));
    PIR_TRY(attend_or_derive(&job, to, starts ? 0 : i, query, key));
  }
  return PIR_OK;
}

pir_status pir_kernel_memory_efficient_attention(const pir_kernel_call *call) {
  PIR_TRY(refuse(call, pir_kernel_float(call, 1) > 0 && !pir_kernel_int(call, 3),
                 "dropout in training"));
  return attend_biased(call, NULL);
}

// Refuses lengths of sequences that are negative or above `most`.
static pir_status check_lengths(const pir_kernel_call *call, int operand, const char *name,
                                int64_t sequences, int64_t most) {
  const pir_tensor *given = pir_kernel_in(call, operand);
  if (pir_tensor_numel(given) != sequences)
    return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects %lld numbers, found %lld",
                           call->op, name, (long long)sequences,
                           (long long)pir_tensor_numel(given));
  for (int64_t i = 0; i < sequences; i++) {
    int64_t n = pir_tensor_int_at(given, i);
    if (n < 0 || n > most)
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: %s: sequence %lld has length %lld, there is room for %lld",
                             call->op, name, (long long)i, (long long)n, (long long)most);
  }
  return PIR_OK;
}

// operands: query, key, value [batch, heads, length, width], seq_lens, kv_seq_lens, mask;
// attributes: scale, causal, pre_cache_length. `pre_cache_length` keys come before the
// sequence. Rows past the end of a sequence become zeros.
pir_status pir_kernel_variable_length_attention(const pir_kernel_call *call) {
  const pir_tensor *q = pir_kernel_in(call, 0);
  const pir_tensor *k = pir_kernel_in(call, 1);
  const pir_tensor *rows = pir_kernel_in(call, 3);
  const pir_tensor *key_rows = pir_kernel_in(call, 4);
  int64_t before = pir_kernel_int(call, 2);
  PIR_TRY(expect_batches(call, 2));
  PIR_TRY(check_lengths(call, 3, "seq_lens", q->shape[0], q->shape[2]));
  PIR_TRY(check_lengths(call, 4, "kv_seq_lens", q->shape[0], k->shape[2] - before));
  PIR_TRY(set_zero(call, pir_kernel_out(call, 0)));
  for (int64_t i = 0; i < q->shape[0]; i++) {
    int64_t queries = pir_tensor_int_at(rows, i);
    int64_t keys = pir_tensor_int_at(key_rows, i);
    attend_job job = batch_job(call, i, 2);
    move_rows(&job, 0, queries, 0, keys + before);
    job.scale = pir_kernel_float(call, 0);
    job.after = pir_kernel_int(call, 1) ? 0 : -1;
    job.shift = before;
    PIR_TRY(take_bias(call, pir_kernel_in(call, 5), i, &job));
    PIR_TRY(pir_attend(&job));
  }
  return PIR_OK;
}

// ---- gradients: they find the weights again, so the kept results and logarithms are not read

enum { MOST_OPERANDS = 13 };

typedef pir_status attend_kind(const pir_kernel_call *call, const grad_results *to);

// A call of the forward op, made of the operands of its gradient.
typedef struct forward_call {
  pir_kernel_call call;
  const pir_tensor *in[MOST_OPERANDS];
  int32_t members[MOST_OPERANDS], first[MOST_OPERANDS];
  pir_tensor out_grad;
  pir_tensor *out;
  int32_t out_members, out_first;
} forward_call;

// `places` holds the operands of the gradient: one for each operand of the forward op, or -1,
// and then the gradient of the result.
static pir_status make_forward_call(const pir_kernel_call *call, const int *places, int count,
                                    forward_call *made) {
  *made = (forward_call){.call = *call, .out_members = 1};
  for (int i = 0; i < count; i++) {
    made->in[i] = places[i] < 0 ? NULL : pir_kernel_in(call, places[i]);
    made->members[i] = made->in[i] != NULL;
    made->first[i] = i;
  }
  const pir_tensor *grad = pir_kernel_in(call, places[count]);
  const pir_tensor *q = made->in[0], *v = made->in[2];
  bool fits = q && v && q->rank > 0 && q->rank == v->rank && grad && grad->rank == q->rank &&
              grad->shape[grad->rank - 1] == v->shape[v->rank - 1];
  for (int d = 0; fits && d < q->rank - 1; d++)
    fits = grad->shape[d] == q->shape[d];
  if (!fits || (grad->strides[grad->rank - 1] != 1 && pir_tensor_numel(grad) > 0))
    return pir_kernel_fail(call, PIR_INVALID, "%s: the gradient does not fit the result",
                           call->op);
  made->out_grad = *grad;
  made->out = &made->out_grad;
  made->call.in = made->in;
  made->call.in_members = made->members;
  made->call.in_first = made->first;
  made->call.operand_count = count;
  made->call.out = &made->out;
  made->call.out_members = &made->out_members;
  made->call.out_first = &made->out_first;
  made->call.result_count = 1;
  return PIR_OK;
}

// Finds the gradients of q, k and v, and of the bias at operand `bias` unless it is -1.
static pir_status find_grads(const pir_kernel_call *call, const int *places, int count,
                             int bias, attend_kind *kind) {
  forward_call made;
  grad_results to = {0};
  pir_tensor *const results[] = {&to.query, &to.key, &to.value};
  PIR_TRY(make_forward_call(call, places, count, &made));
  for (int i = 0; i < 3; i++) {
    pir_tensor *result = pir_kernel_out(call, i);
    PIR_TRY(set_zero(call, result));
    *results[i] = result->rank == 3 ? one_batch(result) : *result;
  }
  const pir_tensor *given = bias < 0 ? NULL : pir_kernel_in(call, bias);
  pir_tensor *bias_grad = bias < 0 ? NULL : pir_kernel_out(call, 3);
  PIR_TRY(set_zero(call, bias_grad));
  if (given && bias_grad)
    PIR_TRY(pir_kernel_zeros(call, PIR_F64, given->shape, given->rank, &to.bias));
  pir_status status = kind(&made.call, &to);
  if (!status && to.bias.data)
    status = pir_tensor_copy(&to.bias, bias_grad);
  pir_kernel_drop(call, &to.bias);
  return status;
}

// operands: q, k, v, out, softmax_lse, out_grad; attributes: softmax_scale, is_causal,
// window_size_left, window_size_right, softcap, sm_margin
pir_status pir_kernel_flash_attn_v3_grad(const pir_kernel_call *call) {
  return find_grads(call, (int[]){0, 1, 2, -1, -1, -1, -1, 5}, 7, -1, attend_windows);
}

// operands: q, k, v, out, softmax_lse, cu_seqlens_q, cu_seqlens_k, seqused_q, seqused_k,
// out_grad, max_seqlen_q, max_seqlen_k; attributes: the same ones
pir_status pir_kernel_flash_attn_v3_varlen_grad(const pir_kernel_call *call) {
  return find_grads(call, (int[]){0, 1, 2, 5, 6, 7, 8, -1, -1, -1, -1, 9}, 11, -1,
                    attend_sequences);
}

// operands: q, k, v, out, softmax_lse, startend_row_indices, block_mask, out_grad; attributes:
// softmax_scale, is_causal
pir_status pir_kernel_flashmask_attention_grad(const pir_kernel_call *call) {
  return find_grads(call, (int[]){0, 1, 2, 5, 6, 7}, 5, -1, attend_columns);
}

// operands: query, key, value, bias, cu_seqlens_q, cu_seqlens_k, output, logsumexp,
// seed_and_offset, output_grad, max_seqlen_q, max_seqlen_k; attributes: causal, dropout_p,
// scale
pir_status pir_kernel_memory_efficient_attention_grad(const pir_kernel_call *call) {
  PIR_TRY(refuse(call, pir_kernel_float(call, 1) > 0, "dropout in training"));
  return find_grads(call, (int[]){0, 1, 2, 3, 4, 5, -1, -1, 9}, 8, 3, attend_biased);
}
