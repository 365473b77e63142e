// Convolution and pooling over the stored positions of a sparse tensor [batch, space..,
// channels], whose space has two or three axes. A rule book [3, pairs] names for each filter
// tap, in order, the entries of x that it reads and the entries of the result that it reaches;
// `counter` says how many pairs each tap has. O(pairs), and for each the products of its
// channels.
#include <math.h>
#include <string.h>

#include "sparse.h"

enum { MOST_SPACE = 3, BOOK_ROWS = 3 };

// The space of a convolution, and how windows lie in it.
typedef struct window {
  int space;  // number of axes
  int64_t in[MOST_SPACE], out[MOST_SPACE], taps[MOST_SPACE];
  int64_t pads[MOST_SPACE], dilations[MOST_SPACE], strides[MOST_SPACE];
  int64_t tap_count;
} window;

// Entries of x and of the result for every tap. `out` first holds keys of positions, then the
// numbers of entries.
typedef struct rule_book {
  int64_t *tap, *in, *out;
  int64_t pairs, capacity;
  size_t bytes;
  int64_t *keys;  // of the entries of the result, in order
  int64_t key_count;
  size_t key_bytes;
} rule_book;

// Reads paddings, dilations and strides, which are the attributes from `first` on.
static pir_status read_window(const pir_kernel_call *call, const sparse *x, int first,
                              bool same_positions, window *w) {
  pir_int_list pads = pir_kernel_ints(call, first);
  pir_int_list dilations = pir_kernel_ints(call, first + 1);
  pir_int_list strides = pir_kernel_ints(call, first + 2);
  size_t space = (size_t)w->space;
  if (pads.count < space || dilations.count < space || strides.count < space)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: expects paddings, dilations and strides of %d axes", call->op,
                           w->space);
  w->tap_count = 1;
  for (int a = 0; a < w->space; a++) {
    w->in[a] = x->extents[1 + a];
    w->pads[a] = same_positions ? w->taps[a] / 2 : pads.ints[a];
    w->strides[a] = same_positions ? 1 : strides.ints[a];
    w->dilations[a] = dilations.ints[a];
    bool sound = w->taps[a] > 0 && w->strides[a] > 0 && w->dilations[a] > 0 &&
                 w->pads[a] >= 0 && w->pads[a] < INT32_MAX && w->dilations[a] < INT32_MAX;
    if (!sound || w->taps[a] > INT16_MAX)
      return pir_kernel_fail(call, PIR_INVALID, "%s: expects positive extents and strides",
                             call->op);
    if (same_positions && (w->taps[a] % 2 == 0 || w->dilations[a] != 1))
      return pir_kernel_fail(call, PIR_UNSUPPORTED,
                             "unsupported: %s with `subm` of even extents or dilations",
                             call->op);
    int64_t reach = w->in[a] + 2 * w->pads[a] - w->dilations[a] * (w->taps[a] - 1) - 1;
    w->out[a] = reach < 0 ? 0 : reach / w->strides[a] + 1;
    if (__builtin_mul_overflow(w->tap_count, w->taps[a], &w->tap_count))
      return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  }
  return PIR_OK;
}

// Computes the key of the position of the result that a tap of entry `i` reaches; -1 if there
// is none.
static int64_t reached_key(const sparse *x, const window *w, const int64_t *tap, int64_t i) {
  const int64_t *index = x->indices.data;
  int64_t key = index[i];
  for (int a = 0; a < w->space; a++) {
    int64_t at = index[(1 + a) * x->count + i] + w->pads[a] - tap[a] * w->dilations[a];
    if (at < 0 || at % w->strides[a] || at / w->strides[a] >= w->out[a])
      return -1;
    key = key * w->out[a] + at / w->strides[a];
  }
  return key;
}

static bool holds_key(const sparse_entry *sorted, int64_t n, int64_t key) {
  int64_t lo = 0;
  int64_t hi = n;
  while (lo < hi) {
    int64_t mid = lo + (hi - lo) / 2;
    if (sorted[mid].key < key)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < n && sorted[lo].key == key;
}

static pir_status reserve_pairs(const pir_kernel_call *call, const sparse *x, const window *w,
                                rule_book *book) {
  size_t words;
  if (__builtin_mul_overflow(x->count, w->tap_count, &book->capacity) ||
      __builtin_mul_overflow((size_t)book->capacity, (size_t)4, &words) ||
      __builtin_mul_overflow(words + 1, sizeof(int64_t), &book->bytes))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  book->tap = pir_kernel_alloc(call, book->bytes);
  if (!book->tap)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  book->in = book->tap + book->capacity;
  book->out = book->in + book->capacity;
  book->keys = book->out + book->capacity;
  return PIR_OK;
}

// Replaces the keys of the pairs by the numbers of the entries of the result, in the order of
// keys.
static pir_status number_results(const pir_kernel_call *call, rule_book *book) {
  size_t bytes = ((size_t)book->pairs + 1) * sizeof(sparse_entry);
  sparse_entry *entries = pir_kernel_alloc(call, bytes);
  if (!entries)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  for (int64_t i = 0; i < book->pairs; i++)
    entries[i] = (sparse_entry){book->out[i], i};
  pir_status status = pir_sparse_sort(call, entries, book->pairs);
  for (int64_t i = 0; i < book->pairs && !status; i++) {
    if (i == 0 || entries[i].key != entries[i - 1].key)
      book->keys[book->key_count++] = entries[i].key;
    book->out[entries[i].at] = book->key_count - 1;
  }
  pir_kernel_free(call, entries, bytes);
  return status;
}

// Finds all pairs. `sorted` holds the positions of x in order, if the result keeps them.
static pir_status make_rule_book(const pir_kernel_call *call, const sparse *x, const window *w,
                                 const sparse_entry *sorted, rule_book *book) {
  PIR_TRY(reserve_pairs(call, x, w, book));
  for (int64_t t = 0; t < w->tap_count; t++) {
    int64_t tap[MOST_SPACE];
    int64_t rest = t;
    for (int a = w->space - 1; a >= 0; a--) {
      tap[a] = rest % w->taps[a];
      rest /= w->taps[a];
    }
    for (int64_t i = 0; i < x->count; i++) {
      int64_t key = reached_key(x, w, tap, i);
      if (key < 0 || (sorted && !holds_key(sorted, x->count, key)))
        continue;
      book->tap[book->pairs] = t;
      book->in[book->pairs] = i;
      book->out[book->pairs++] = key;
    }
  }
  return number_results(call, book);
}

static void drop_rule_book(const pir_kernel_call *call, rule_book *book) {
  pir_kernel_free(call, book->tap, book->bytes);
}

// Writes results 1 and 2: the rule book, and the number of pairs of each tap.
static pir_status write_rule_book(const pir_kernel_call *call, const window *w,
                                  const rule_book *book) {
  pir_tensor *out = pir_kernel_out(call, 1), *counter = pir_kernel_out(call, 2);
  if (out) {
    const int64_t *rows[BOOK_ROWS] = {book->tap, book->in, book->out};
    const int64_t shape[2] = {BOOK_ROWS, book->pairs};
    PIR_TRY(pir_kernel_shape_result(call, out, PIR_I32, shape, 2));
    for (int64_t i = 0; i < BOOK_ROWS * book->pairs; i++)
      ((int32_t *)out->data)[i] = (int32_t)rows[i / book->pairs][i % book->pairs];
  }
  if (counter) {
    PIR_TRY(pir_kernel_shape_result(call, counter, PIR_I32, (int64_t[]){w->tap_count}, 1));
    memset(counter->data, 0, (size_t)w->tap_count * sizeof(int32_t));
    for (int64_t i = 0; i < book->pairs; i++)
      ((int32_t *)counter->data)[book->tap[i]]++;
  }
  return PIR_OK;
}

// Writes result 0: an entry for each key, with these values.
static pir_status write_entries(const pir_kernel_call *call, const sparse *x, const window *w,
                                const rule_book *book, int64_t channels,
                                const pir_tensor *values) {
  int64_t extents[PIR_MAX_RANK] = {x->extents[0]};
  size_t bytes = ((size_t)book->key_count + 1) * sizeof(sparse_entry);
  sparse_entry *entries = pir_kernel_alloc(call, bytes);
  if (!entries)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  memcpy(extents + 1, w->out, (size_t)w->space * sizeof *extents);
  extents[1 + w->space] = channels;
  for (int64_t i = 0; i < book->key_count; i++)
    entries[i] = (sparse_entry){book->keys[i], i};
  pir_status status =
      pir_sparse_write(call, 0, call->in[call->in_first[0]]->dtype, extents, w->space + 2,
                       w->space + 1, entries, book->key_count, values);
  pir_kernel_free(call, entries, bytes);
  return status;
}

// ---- forward

static void convolve_pairs(const rule_book *book, const double *x, const double *filter,
                           int64_t ins, int64_t outs, double *to) {
  for (int64_t p = 0; p < book->pairs; p++) {
    const double *weights = filter + book->tap[p] * ins * outs;
    for (int64_t c = 0; c < ins; c++)
      for (int64_t o = 0; o < outs; o++)
        to[book->out[p] * outs + o] += x[book->in[p] * ins + c] * weights[c * outs + o];
  }
}

static void take_greatest(const rule_book *book, const double *x, int64_t channels,
                          double *to) {
  for (int64_t i = 0; i < book->key_count * channels; i++)
    to[i] = -INFINITY;
  for (int64_t p = 0; p < book->pairs; p++)
    for (int64_t c = 0; c < channels; c++) {
      double v = x[book->in[p] * channels + c];
      double *most = &to[book->out[p] * channels + c];
      *most = v > *most ? v : *most;
    }
}

static pir_status open_space(const pir_kernel_call *call, sparse *x, window *w) {
  PIR_TRY(pir_sparse_open(call, 0, PIR_F64, x));
  w->space = x->axes - 1;
  if (x->rank != x->axes + 1 || w->space < 2 || w->space > MOST_SPACE)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: x: expects two or three axes of space, and channels", call->op);
  return PIR_OK;
}

// operands: x, kernel [taps.., ins, outs]; attributes: paddings, dilations, strides, groups,
// subm, key
pir_status pir_kernel_sparse_conv(const pir_kernel_call *call) {
  const pir_tensor *kernel = pir_kernel_in(call, 1);
  bool same_positions = pir_kernel_int(call, 4);
  pir_tensor filter = {0}, values = {0};
  window w = {0};
  rule_book book = {0};
  sparse x;
  pir_status status = open_space(call, &x, &w);
  if (!status)
    status = pir_kernel_expect_rank(call, 1, "kernel", w.space + 2);
  if (!status && (pir_kernel_int(call, 3) > 1 || kernel->shape[w.space] != x.item))
    status =
        pir_kernel_fail(call, PIR_INVALID, "%s: kernel: expects %lld channels in one group",
                        call->op, (long long)x.item);
  for (int a = 0; a < w.space && !status; a++)
    w.taps[a] = kernel->shape[a];
  if (!status)
    status = read_window(call, &x, 0, same_positions, &w);
  if (!status)
    status = pir_kernel_dense(call, kernel, PIR_F64, kernel->shape, kernel->rank, &filter);
  if (!status && same_positions)
    status = pir_sparse_sort(call, x.entries, x.count);
  if (!status)
    status = make_rule_book(call, &x, &w, same_positions ? x.entries : NULL, &book);
  int64_t outs = status ? 0 : kernel->shape[w.space + 1];
  if (!status)
    status = pir_kernel_zeros(call, PIR_F64, (int64_t[]){book.key_count, outs}, 2, &values);
  if (!status) {
    convolve_pairs(&book, x.values.data, filter.data, x.item, outs, values.data);
    status = write_entries(call, &x, &w, &book, outs, &values);
  }
  if (!status)
    status = write_rule_book(call, &w, &book);
  pir_kernel_drop(call, &filter);
  pir_kernel_drop(call, &values);
  drop_rule_book(call, &book);
  pir_sparse_close(&x);
  return status;
}

// operand: x; attributes: kernel_sizes, paddings, dilations, strides
pir_status pir_kernel_sparse_maxpool(const pir_kernel_call *call) {
  pir_tensor values = {0};
  window w = {0};
  rule_book book = {0};
  sparse x;
  pir_status status = open_space(call, &x, &w);
  if (!status && pir_kernel_ints(call, 0).count < (size_t)w.space)
    status = pir_kernel_fail(call, PIR_INVALID, "%s: kernel_sizes: expects %d extents",
                             call->op, w.space);
  for (int a = 0; a < w.space && !status; a++)
    w.taps[a] = pir_kernel_ints(call, 0).ints[a];
  if (!status)
    status = read_window(call, &x, 1, false, &w);
  if (!status)
    status = make_rule_book(call, &x, &w, NULL, &book);
  if (!status)
    status = pir_kernel_zeros(call, PIR_F64, (int64_t[]){book.key_count, x.item}, 2, &values);
  if (!status) {
    take_greatest(&book, x.values.data, x.item, values.data);
    status = write_entries(call, &x, &w, &book, x.item, &values);
  }
  if (!status)
    status = write_rule_book(call, &w, &book);
  pir_kernel_drop(call, &values);
  drop_rule_book(call, &book);
  pir_sparse_close(&x);
  return status;
}

// ---- gradients

// Loads the rule book of operand k. The numbers of entries must lie below `ins` and `outs`, the
// taps below `taps`.
static pir_status read_rule_book(const pir_kernel_call *call, int k, int64_t taps, int64_t ins,
                                 int64_t outs, pir_tensor *room, rule_book *book) {
  const pir_tensor *from = pir_kernel_in(call, k);
  PIR_TRY(pir_kernel_expect_rank(call, k, "rulebook", 2));
  if (from->shape[0] != BOOK_ROWS)
    return pir_kernel_fail(call, PIR_INVALID, "%s: rulebook: expects %d rows", call->op,
                           BOOK_ROWS);
  PIR_TRY(pir_kernel_dense(call, from, PIR_I64, from->shape, 2, room));
  book->pairs = from->shape[1];
  book->tap = room->data;
  book->in = book->tap + book->pairs;
  book->out = book->in + book->pairs;
  for (int64_t i = 0; i < book->pairs; i++) {
    bool inside = book->tap[i] >= 0 && book->tap[i] < taps && book->in[i] >= 0 &&
                  book->in[i] < ins && book->out[i] >= 0 && book->out[i] < outs;
    if (!inside)
      return pir_kernel_fail(call, PIR_INVALID, "%s: rulebook: names no entry", call->op);
  }
  return PIR_OK;
}

// Writes result 0: the positions of x with these values.
static pir_status write_like(const pir_kernel_call *call, const sparse *x,
                             const pir_tensor *values) {
  return pir_sparse_write(call, 0, call->in[call->in_first[0]]->dtype, x->extents, x->rank,
                          x->axes, x->entries, x->count, values);
}

static void convolve_pairs_back(const rule_book *book, const double *x, const double *filter,
                                const double *grad, int64_t ins, int64_t outs, double *x_grad,
                                double *filter_grad) {
  for (int64_t p = 0; p < book->pairs; p++) {
    int64_t tap = book->tap[p] * ins * outs;
    const double *away = grad + book->out[p] * outs;
    for (int64_t c = 0; c < ins; c++)
      for (int64_t o = 0; o < outs; o++) {
        x_grad[book->in[p] * ins + c] += away[o] * filter[tap + c * outs + o];
        filter_grad[tap + c * outs + o] += away[o] * x[book->in[p] * ins + c];
      }
  }
}

// operands: x, kernel, out, rulebook, counter, out_grad
pir_status pir_kernel_sparse_conv_grad(const pir_kernel_call *call) {
  const pir_tensor *kernel = pir_kernel_in(call, 1);
  pir_tensor filter = {0}, x_grad = {0}, filter_grad = {0}, pairs = {0};
  rule_book book = {0};
  window w = {0};
  sparse x, grad = {0};
  pir_status status = open_space(call, &x, &w);
  if (!status)
    status = pir_sparse_open(call, 5, PIR_F64, &grad);
  if (!status)
    status = pir_kernel_expect_rank(call, 1, "kernel", w.space + 2);
  bool fits =
      !status && kernel->shape[w.space] == x.item && kernel->shape[w.space + 1] == grad.item;
  if (!status && !fits)
    status = pir_kernel_fail(call, PIR_INVALID, "%s: kernel: expects %lld to %lld channels",
                             call->op, (long long)x.item, (long long)grad.item);
  int64_t taps = status ? 0 : pir_sparse_span(kernel->shape, w.space);
  if (!status)
    status = pir_kernel_dense(call, kernel, PIR_F64, kernel->shape, kernel->rank, &filter);
  if (!status)
    status = read_rule_book(call, 3, taps, x.count, grad.count, &pairs, &book);
  if (!status)
    status = pir_kernel_zeros(call, PIR_F64, x.values.shape, 2, &x_grad);
  if (!status)
    status = pir_kernel_zeros(call, PIR_F64, kernel->shape, kernel->rank, &filter_grad);
  if (!status) {
    convolve_pairs_back(&book, x.values.data, filter.data, grad.values.data, x.item, grad.item,
                        x_grad.data, filter_grad.data);
    status = write_like(call, &x, &x_grad);
  }
  pir_tensor *out = pir_kernel_out(call, 1);
  if (!status && out)
    status = pir_kernel_shape_result(call, out, kernel->dtype, kernel->shape, kernel->rank);
  if (!status && out)
    status = pir_tensor_copy(&filter_grad, out);
  pir_kernel_drop(call, &filter);
  pir_kernel_drop(call, &x_grad);
  pir_kernel_drop(call, &filter_grad);
  pir_kernel_drop(call, &pairs);
  pir_sparse_close(&grad);
  pir_sparse_close(&x);
  return status;
}

// operands: x, rulebook, counter, out, out_grad
pir_status pir_kernel_sparse_maxpool_grad(const pir_kernel_call *call) {
  pir_tensor x_grad = {0}, pairs = {0};
  rule_book book = {0};
  window w = {0};
  sparse x, out = {0}, grad = {0};
  pir_status status = open_space(call, &x, &w);
  if (!status)
    status = pir_sparse_open(call, 3, PIR_F64, &out);
  if (!status)
    status = pir_sparse_open(call, 4, PIR_F64, &grad);
  bool fits = !status && out.item == x.item && grad.item == x.item && grad.count == out.count;
  if (!status && !fits)
    status = pir_kernel_fail(call, PIR_INVALID, "%s: x, out and out_grad do not fit together",
                             call->op);
  if (!status)
    status = read_rule_book(call, 1, INT64_MAX, x.count, out.count, &pairs, &book);
  if (!status)
    status = pir_kernel_zeros(call, PIR_F64, x.values.shape, 2, &x_grad);
  for (int64_t p = 0; p < book.pairs && !status; p++)
    for (int64_t c = 0; c < x.item; c++) {
      int64_t from = book.in[p] * x.item + c;
      int64_t to = book.out[p] * x.item + c;
      if (((double *)x.values.data)[from] == ((double *)out.values.data)[to])
        ((double *)x_grad.data)[from] += ((double *)grad.values.data)[to];
    }
  if (!status)
    status = write_like(call, &x, &x_grad);
  pir_kernel_drop(call, &x_grad);
  pir_kernel_drop(call, &pairs);
  pir_sparse_close(&grad);
  pir_sparse_close(&out);
  pir_sparse_close(&x);
  return status;
}
