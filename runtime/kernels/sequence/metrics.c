// Metrics: edit distances (dynamic programming over one row), chunks found, the area under the
// ROC curve from buckets of scores, and counts of NaN and infinities in a tensor.
#include <math.h>
#include <string.h>

#include "kernels.h"

// ---- edit distance

// The least number of insertions, deletions and replacements that turn a into b. `row` has room
// for n + 1 numbers.
static int64_t count_edits(const int64_t *a, int64_t m, const int64_t *b, int64_t n,
                           int64_t *row) {
  for (int64_t j = 0; j <= n; j++)
    row[j] = j;
  for (int64_t i = 1; i <= m; i++) {
    int64_t diagonal = row[0];
    row[0] = i;
    for (int64_t j = 1; j <= n; j++) {
      int64_t best = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      if (row[j] + 1 < best)
        best = row[j] + 1;
      if (row[j - 1] + 1 < best)
        best = row[j - 1] + 1;
      row[j] = best;
    }
  }
  return row[n];
}

static pir_status measure_distances(const pir_kernel_call *call, const pir_tensor *t,
                                    int64_t *row) {
  const int64_t *hyps = t[0].data;
  const int64_t *refs = t[1].data;
  const int64_t *m = t[2].data;
  const int64_t *n = t[3].data;
  int64_t batch = t[0].shape[0];
  int64_t wide = t[0].shape[1];
  int64_t high = t[1].shape[1];
  for (int64_t i = 0; i < batch; i++, hyps += wide, refs += high) {
    int64_t a = m ? m[i] : wide;
    int64_t b = n ? n[i] : high;
    bool fits = a >= 0 && a <= wide && b >= 0 && b <= high;
    if (!fits)
      return pir_kernel_fail(call, PIR_INVALID, "%s: lengths %lld and %lld of %lld and %lld",
                             call->op, (long long)a, (long long)b, (long long)wide,
                             (long long)high);
    if (pir_kernel_int(call, 0) && b == 0)
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: refs: a sequence of length 0 cannot be normalised by",
                             call->op);
    double distance = (double)count_edits(hyps, a, refs, b, row);
    ((double *)t[5].data)[i] = pir_kernel_int(call, 0) ? distance / (double)b : distance;
  }
  if (t[4].data)
    *(int64_t *)t[4].data = batch;
  return PIR_OK;
}

// operands: hyps [n, a], refs [n, b], their lengths; results: number of sequences, distances
// [n, 1]
pir_status pir_kernel_edit_distance(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_I64, PIR_I64, PIR_I64, PIR_I64}, out[] = {PIR_I64, PIR_F64};
  PIR_TRY(pir_kernel_expect_rank(call, 0, "hyps", 2));
  PIR_TRY(pir_kernel_expect_rank(call, 1, "refs", 2));
  int64_t batch = pir_kernel_in(call, 0)->shape[0];
  for (int k = 1; k < 4; k++) {
    const pir_tensor *t = pir_kernel_in(call, k);
    if (!t)
      continue;
    int64_t given = k == 1 ? t->shape[0] : pir_tensor_numel(t);
    if (given != batch)
      return pir_kernel_fail(call, PIR_INVALID, "%s: expects %lld sequences and lengths",
                             call->op, (long long)batch);
  }
  if (!pir_kernel_in(call, 2) != !pir_kernel_in(call, 3))
    return pir_kernel_fail(call, PIR_INVALID, "%s: expects both lengths, or none", call->op);
  pir_tensor t[6], row = {0};
  pir_status status = pir_kernel_open(call, in, 4, out, 2, t);
  int64_t places = pir_kernel_in(call, 1)->shape[1] + 1;
  if (!status)
    status = pir_kernel_zeros(call, PIR_I64, &places, 1, &row);
  if (!status)
    status = measure_distances(call, t, row.data);
  pir_kernel_drop(call, &row);
  return pir_kernel_close(call, status, 4, 2, t);
}

// ---- chunks

// A scheme of tags: their number, and the tag for each position in a chunk; -1 when it has
// none.
typedef struct scheme {
  const char *name;
  int tags, begin, inside, end, single;
} scheme;

static const scheme schemes[] = {{"IOB", 2, 0, 1, -1, -1},
                                 {"IOE", 2, -1, 0, 1, -1},
                                 {"IOBES", 4, 0, 1, 2, 3},
                                 {"plain", 1, -1, -1, -1, -1}};

typedef struct tag {
  int64_t position, type;
} tag;

// Whether a chunk ends between the tags `before` and `now`.
static bool chunk_ends(const scheme *s, int64_t outside, tag before, tag now) {
  if (before.type == outside)
    return false;
  if (now.type == outside || now.type != before.type)
    return true;
  if (before.position == s->begin || before.position == s->inside)
    return now.position == s->begin || now.position == s->single;
  return before.position == s->end || before.position == s->single;
}

// Whether a chunk begins with the tag `now`.
static bool chunk_begins(const scheme *s, int64_t outside, tag before, tag now) {
  if (before.type == outside)
    return now.type != outside;
  if (now.type == outside)
    return false;
  if (now.type != before.type || now.position == s->begin || now.position == s->single)
    return true;
  bool closed = before.position == s->end || before.position == s->single;
  return closed && (now.position == s->inside || now.position == s->end);
}

typedef struct chunk {
  int64_t begin, end, type;
} chunk;

// Lists the chunks of a sequence. Returns how many there are.
static int64_t list_chunks(const scheme *s, int64_t types, const int64_t *label, int64_t length,
                           chunk *to) {
  tag before, now = {-1, types};
  int64_t count = 0, start = -1;
  for (int64_t i = 0; i < length; i++) {
    before = now;
    now = (tag){label[i] % s->tags, label[i] / s->tags};
    if (start >= 0 && chunk_ends(s, types, before, now)) {
      to[count++] = (chunk){start, i - 1, before.type};
      start = -1;
    }
    if (chunk_begins(s, types, before, now))
      start = i;
  }
  if (start >= 0)
    to[count++] = (chunk){start, length - 1, now.type};
  return count;
}

static bool is_excluded_type(pir_int_list list, int64_t type) {
  for (size_t i = 0; i < list.count; i++)
    if (list.ints[i] == type)
      return true;
  return false;
}

// Adds the numbers of chunks to `counts`: inferred, labelled, and equal in both.
static void count_chunks(pir_int_list skip, const chunk *a, int64_t n, const chunk *b,
                         int64_t m, int64_t *counts) {
  for (int64_t i = 0; i < n; i++)
    counts[0] += !is_excluded_type(skip, a[i].type);
  for (int64_t j = 0; j < m; j++)
    counts[1] += !is_excluded_type(skip, b[j].type);
  for (int64_t i = 0, j = 0; i < n && j < m;) {
    if (!memcmp(&a[i], &b[j], sizeof *a) && !is_excluded_type(skip, a[i].type))
      counts[2]++;
    if (a[i].end < b[j].end)
      i++;
    else if (a[i].end > b[j].end)
      j++;
    else {
      i++;
      j++;
    }
  }
}

// Fails unless all tags of a row are valid.
static pir_status check_tags(const pir_kernel_call *call, const char *name, const int64_t *row,
                             int64_t length, int64_t most) {
  for (int64_t k = 0; k < length; k++)
    if (row[k] < 0 || row[k] > most)
      return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects 0 to %lld, found %lld",
                             call->op, name, (long long)most, (long long)row[k]);
  return PIR_OK;
}

// Counts the chunks of all sequences. `room` has space for the chunks of two sequences.
static pir_status count_batch_chunks(const pir_kernel_call *call, const scheme *s,
                                     const pir_tensor *t, chunk *room, int64_t *counts) {
  int64_t n = t[0].shape[0];
  int64_t wide = t[0].shape[1];
  int64_t types = pir_kernel_int(call, 0);
  pir_int_list skip = pir_kernel_ints(call, 2);
  for (int64_t i = 0; i < n; i++) {
    int64_t length = ((const int64_t *)t[2].data)[i];
    if (length < 0 || length > wide)
      return pir_kernel_fail(call, PIR_INVALID, "%s: seq_length: %lld of %lld", call->op,
                             (long long)length, (long long)wide);
    const int64_t *inferred = (const int64_t *)t[0].data + i * wide;
    const int64_t *labelled = (const int64_t *)t[1].data + i * wide;
    PIR_TRY(check_tags(call, "inference", inferred, length, types * s->tags));
    PIR_TRY(check_tags(call, "label", labelled, length, types * s->tags));
    int64_t a = list_chunks(s, types, inferred, length, room);
    int64_t b = list_chunks(s, types, labelled, length, room + wide);
    count_chunks(skip, room, a, room + wide, b, counts);
  }
  return PIR_OK;
}

// operands: inference and label [n, steps], seq_length; attributes: num_chunk_types,
// chunk_scheme, excluded types
pir_status pir_kernel_chunk_eval(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_I64, PIR_I64, PIR_I64};
  static const uint8_t out[] = {PIR_F64, PIR_F64, PIR_F64, PIR_I64, PIR_I64, PIR_I64};
  const scheme *s = NULL;
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
    if (pir_str_equal(pir_kernel_text(call, 1), pir_str_from(schemes[i].name)))
      s = &schemes[i];
  if (!s)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: chunk_scheme: expects IOB, IOE, IOBES or plain", call->op);
  const pir_tensor *lengths = pir_kernel_in(call, 2);
  if (!lengths)
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s without seq_length",
                           call->op);
  PIR_TRY(pir_kernel_expect_rank(call, 0, "inference", 2));
  PIR_TRY(pir_kernel_expect_rank(call, 1, "label", 2));
  const int64_t *shape = pir_kernel_in(call, 0)->shape;
  const int64_t *label_shape = pir_kernel_in(call, 1)->shape;
  bool differ = memcmp(shape, label_shape, 2 * sizeof *shape) != 0;
  if (differ || pir_tensor_numel(lengths) != shape[0])
    return pir_kernel_fail(call, PIR_INVALID, "%s: inference, label and seq_length do not fit",
                           call->op);
  pir_tensor t[9], room = {0};
  int64_t counts[3] = {0};
  pir_status status = pir_kernel_open(call, in, 3, out, 6, t);
  if (!status)
    status = pir_kernel_zeros(call, PIR_I64, (int64_t[]){2, shape[1], 3}, 3, &room);
  if (!status)
    status = count_batch_chunks(call, s, t, room.data, counts);
  double found = (double)counts[0];
  double wanted = (double)counts[1];
  double right = (double)counts[2];
  double precision = found > 0 ? right / found : 0;
  double recall = wanted > 0 ? right / wanted : 0;
  double f1 = right > 0 ? 2 * precision * recall / (precision + recall) : 0;
  const double rates[3] = {precision, recall, f1};
  for (int i = 0; i < 3 && !status; i++) {
    if (t[3 + i].data)
      *(double *)t[3 + i].data = rates[i];
    if (t[6 + i].data)
      *(int64_t *)t[6 + i].data = counts[i];
  }
  pir_kernel_drop(call, &room);
  return pir_kernel_close(call, status, 3, 6, t);
}

// ---- area under the curve

enum {
  AUC_X,
  AUC_LABEL,
  AUC_POSITIVE,
  AUC_NEGATIVE,
  AUC_WEIGHT,
  AUC_OUT,
  AUC_POSITIVE_OUT,
  AUC_NEGATIVE_OUT,
  AUC_ALL
};

// Counts every score in the bucket of its value, by label.
static pir_status fill_buckets(const pir_kernel_call *call, const pir_tensor *t,
                               int64_t *positive, int64_t *negative) {
  const double *x = t[AUC_X].data;
  const int64_t *label = t[AUC_LABEL].data;
  int64_t rows = t[AUC_X].shape[0];
  int64_t wide = t[AUC_X].shape[1];
  int64_t thresholds = pir_kernel_int(call, 1);
  for (int64_t i = 0; i < rows; i++) {
    double p = x[i * wide + wide - 1];
    if (!(p >= 0 && p <= 1))
      return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects probabilities, found %g",
                             call->op, p);
    int64_t bucket = (int64_t)((float)p * (float)thresholds);
    if (label[i] > 0)
      positive[bucket]++;
    else if (label[i] == 0)
      negative[bucket]++;
  }
  return PIR_OK;
}

static double area_under_curve(const int64_t *positive, const int64_t *negative,
                               int64_t thresholds) {
  double sum = 0, p = 0, n = 0;
  for (int64_t i = thresholds; i >= 0; i--) {
    double p_before = p, n_before = n;
    p += (double)positive[i];
    n += (double)negative[i];
    sum += (n - n_before) * (p + p_before) / 2;
  }
  return p > 0 && n > 0 ? sum / p / n : sum;
}

// A batch whose first weight is 0 only takes its turn: it counts nowhere. Other weights say
// nothing.
static bool is_made_up(const pir_tensor *weight) {
  return weight->data && pir_tensor_numel(weight) && *(double *)weight->data == 0;
}

// Updates the statistics and computes the area. With `steps`, the statistics hold the buckets
// of the last `steps` batches one after the other, then their sum, then the number of the next
// batch; else only the sum.
static pir_status update_buckets(const pir_kernel_call *call, const pir_tensor *t) {
  int64_t *sides[2] = {t[AUC_POSITIVE_OUT].data, t[AUC_NEGATIVE_OUT].data};
  int64_t steps = pir_kernel_int(call, 2);
  int64_t size = pir_kernel_int(call, 1) + 1;
  int64_t now = 0;
  int64_t total = steps * size;
  for (int s = 0; s < 2; s++) {
    const pir_tensor *from = &t[AUC_POSITIVE + s];
    memcpy(sides[s], from->data, (size_t)pir_tensor_numel(from) * sizeof(int64_t));
    if (!steps)
      continue;
    int64_t turn = s ? now : sides[s][total + size];
    if (turn < 0)
      return pir_kernel_fail(call, PIR_INVALID, "%s: stat_pos: its last element is negative",
                             call->op);
    if (!s)
      now = turn % steps;
    for (int64_t i = 0; i < size; i++) {
      sides[s][total + i] -= sides[s][now * size + i];
      sides[s][now * size + i] = 0;
    }
  }
  bool counts = !is_made_up(&t[AUC_WEIGHT]);
  if (steps || counts)
    PIR_TRY(fill_buckets(call, t, sides[0] + now * size, sides[1] + now * size));
  for (int s = 0; s < 2 && steps; s++) {
    for (int64_t i = 0; i < size && counts; i++)
      sides[s][total + i] += sides[s][now * size + i];
    sides[s][total + size]++;
  }
  *(double *)t[AUC_OUT].data = area_under_curve(sides[0] + total, sides[1] + total, size - 1);
  return PIR_OK;
}

// operands: x [n, 1 or 2], label, stat_pos, stat_neg, ins_tag_weight; attributes: curve,
// num_thresholds, slide_steps
pir_status pir_kernel_auc(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64, PIR_I64, PIR_I64, PIR_I64, PIR_F64},
                       out[] = {PIR_F64, PIR_I64, PIR_I64};
  int64_t thresholds = pir_kernel_int(call, 1);
  int64_t steps = pir_kernel_int(call, 2);
  int64_t size;
  PIR_TRY(pir_kernel_expect_rank(call, AUC_X, "x", 2));
  const pir_tensor *x = pir_kernel_in(call, AUC_X);
  if (!pir_str_equal(pir_kernel_text(call, 0), PIR_STR("ROC")))
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s of another curve than ROC",
                           call->op);
  bool large = __builtin_mul_overflow(steps + 1, thresholds + 1, &size);
  if (thresholds < 1 || steps < 0 || large || x->shape[1] < 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: num_thresholds %lld, slide_steps %lld",
                           call->op, (long long)thresholds, (long long)steps);
  if (steps)
    size++;
  for (int k = AUC_LABEL; k <= AUC_NEGATIVE; k++) {
    const pir_tensor *t = pir_kernel_in(call, k);
    int64_t wanted = k == AUC_LABEL ? x->shape[0] : size;
    if (!t || pir_tensor_numel(t) != wanted)
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: expects %lld labels and %lld numbers of statistics", call->op,
                             (long long)x->shape[0], (long long)size);
  }
  pir_tensor t[AUC_ALL];
  pir_status status = pir_kernel_open(call, in, 5, out, 3, t);
  if (!status)
    status = update_buckets(call, t);
  return pir_kernel_close(call, status, 5, 3, t);
}

// ---- NaN and infinities

// attribute 2 is the level: 0 fails on NaN and infinity. Results: numbers of NaN, infinities
// and zeros; max, min, mean.
pir_status pir_kernel_check_numerics(const pir_kernel_call *call) {
  static const uint8_t out[] = {PIR_I64, PIR_F64};
  const pir_tensor *x = pir_kernel_in(call, 0);
  if (!x)
    return pir_kernel_fail(call, PIR_INVALID, "%s: tensor: expects a tensor, found none",
                           call->op);
  bool complex = pir_dtype_is_complex(x->dtype);
  const uint8_t in[] = {complex ? PIR_C128 : PIR_F64};
  pir_tensor t[3];
  pir_status status = pir_kernel_open(call, in, 1, out, 2, t);
  const double *v = t[0].data;
  int64_t n = status ? 0 : pir_tensor_numel(x);
  int64_t counts[3] = {0};
  double top = -INFINITY, least = INFINITY, sum = 0;
  for (int64_t i = 0; i < n; i++) {
    double a = complex ? hypot(v[2 * i], v[2 * i + 1]) : v[i];
    counts[0] += isnan(a) != 0;
    counts[1] += isinf(a) != 0;
    counts[2] += a == 0;
    top = fmax(top, a);
    least = fmin(least, a);
    sum += a;
  }
  if (!status && pir_kernel_int(call, 2) == 0 && counts[0] + counts[1] > 0)
    status = pir_kernel_fail(call, PIR_INVALID, "%s: %lld NaN and %lld infinite elements",
                             call->op, (long long)counts[0], (long long)counts[1]);
  const double values[3] = {top, least, n ? sum / (double)n : 0};
  const double none[3] = {0};  // complex numbers have no order
  if (!status && t[1].data)
    memcpy(t[1].data, counts, sizeof counts);
  if (!status && t[2].data)
    memcpy(t[2].data, complex ? none : values, sizeof values);
  return pir_kernel_close(call, status, 1, 2, t);
}
