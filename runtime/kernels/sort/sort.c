// Sorting along an axis: argsort, topk, kthvalue, mode, medians, and running extremes with
// their positions. A line is copied into 64-bit keys with positions and merge-sorted, so that
// equal keys stay in order; or its first elements are selected. NaN counts as the largest
// number. Cost: n log n for a line, n when few elements are selected. Lines run in parallel.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "kernels.h"
#include "partial.h"

typedef pir_entry entry;

// A job over the lines of x along one axis, which writes lines of two results.
typedef struct line_job {
  const pir_kernel_call *call;
  const pir_tensor *x;
  pir_tensor *out, *positions;
  int axis;
  int64_t length, kept;  // elements of a line of x, and of the results
  int64_t first;         // the first of the sorted elements that the results take
  bool floats, descending;
  bool skips_nan, lower;  // for medians
  int64_t selected;       // elements of a line to sort; 0: all that are needed
  entry *room;            // 2 * length for each thread
  void (*line)(const struct line_job *job, entry *room, const int64_t *at);
} line_job;

static pir_order key_order(const line_job *job) {
  return (pir_order){job->floats, job->descending};
}

static bool entry_before(const line_job *job, const entry *a, const entry *b) {
  return pir_entry_before(key_order(job), a, b);
}

// Bottom-up merge sort. `room` holds the line and has space for a second one; the result is in
// either, and returned.
static entry *sort_line(const line_job *job, entry *room) {
  int64_t n = job->length;
  entry *from = room, *to = room + n;
  for (int64_t width = 1; width < n; width *= 2) {
    for (int64_t lo = 0; lo < n; lo += 2 * width) {
      int64_t mid = lo + width < n ? lo + width : n;
      int64_t hi = lo + 2 * width < n ? lo + 2 * width : n;
      int64_t a = lo;
      int64_t b = mid;
      for (int64_t k = lo; k < hi; k++) {
        bool takes_a = a < mid && (b == hi || !entry_before(job, &from[b], &from[a]));
        to[k] = takes_a ? from[a++] : from[b++];
      }
    }
    entry *swap = from;
    from = to;
    to = swap;
  }
  return from;
}

static const char *line_start(const pir_tensor *t, const int64_t *at) {
  int64_t offset = 0;
  for (int d = 0; d < t->rank; d++)
    offset += at[d] * t->strides[d];
  return (const char *)t->data + offset * (int64_t)pir_dtype_size(t->dtype);
}

// The stride of a tensor along the axis of the job.
static int64_t line_stride(const line_job *job, const pir_tensor *t) {
  return job->x->rank ? t->strides[job->axis] : 1;
}

// Writes n entries to the lines at `at` of both results.
static void store_line(const line_job *job, const entry *sorted, int64_t n, const int64_t *at) {
  const int64_t step = sizeof(entry) / sizeof(int64_t);
  pir_dtype key = job->floats ? PIR_F64 : PIR_I64;
  const pir_tensor *out = job->out, *positions = job->positions;
  if (out)
    pir_convert(out->dtype, (void *)(uintptr_t)line_start(out, at), line_stride(job, out), key,
                &sorted->key, step, n);
  if (positions)
    pir_convert(positions->dtype, (void *)(uintptr_t)line_start(positions, at),
                line_stride(job, positions), PIR_I64, &sorted->at, step, n);
}

static void load_line(const line_job *job, entry *room, const int64_t *at) {
  const int64_t step = sizeof(entry) / sizeof(int64_t);
  pir_dtype key = job->floats ? PIR_F64 : PIR_I64;
  const pir_tensor *x = job->x;
  pir_convert(key, &room->key, step, x->dtype, line_start(x, at), line_stride(job, x),
              job->length);
  for (int64_t i = 0; i < job->length; i++)
    room[i].at = i;
}

static void sort_whole_line(const line_job *job, entry *room, const int64_t *at) {
  load_line(job, room, at);
  store_line(job, sort_line(job, room) + job->first, job->kept, at);
}

// ---- the first elements of a line

enum { FEW = 32 };

// Selects the first k of a line by insertion, without copying the line. Returns false when the
// result depends on the order of equal elements or of NaN; pir_entries_select decides then.
#define SELECT_FEW(name, T, field)                                                             \
  static bool name(const char *data, int64_t step, int64_t n, int64_t k, bool descending,      \
                   entry *out) {                                                               \
    const T *x = (const T *)data;                                                              \
    T first[FEW + 1];                                                                          \
    int64_t places[FEW + 1], count = 0;                                                        \
    bool tied = false;                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                          \
      T v = x[i * step];                                                                       \
      if (count == k && (descending ? v < first[k - 1] : v > first[k - 1]))                    \
        continue;                                                                              \
      if (v != v)                                                                              \
        return false;                                                                          \
      if (count == k && v == first[k - 1]) {                                                   \
        tied = true;                                                                           \
        continue;                                                                              \
      }                                                                                        \
      int64_t j = count < k ? count++ : k;                                                     \
      for (; j > 0 && (descending ? v > first[j - 1] : v < first[j - 1]); j--) {               \
        first[j] = first[j - 1];                                                               \
        places[j] = places[j - 1];                                                             \
      }                                                                                        \
      if (j > 0 && v == first[j - 1])                                                          \
        return false;                                                                          \
      first[j] = v;                                                                            \
      places[j] = i;                                                                           \
      tied = false;                                                                            \
    }                                                                                          \
    for (int64_t j = 0; j < k; j++) {                                                          \
      out[j].key.field = first[j];                                                             \
      out[j].at = places[j];                                                                   \
    }                                                                                          \
    return !tied;                                                                              \
  }
SELECT_FEW(select_few_f32, float, f)
SELECT_FEW(select_few_f64, double, f)
SELECT_FEW(select_few_i32, int32_t, i)
SELECT_FEW(select_few_i64, int64_t, i)
#undef SELECT_FEW

static bool select_few(const line_job *job, entry *room, const int64_t *at) {
  const char *data = line_start(job->x, at);
  int64_t step = line_stride(job, job->x);
  int64_t n = job->length, k = job->kept;
  bool aligned = (uintptr_t)data % pir_dtype_size(job->x->dtype) == 0;
  if (k < 1 || k > FEW || !aligned)
    return false;
  switch (job->x->dtype) {
    case PIR_F32: return select_few_f32(data, step, n, k, job->descending, room);
    case PIR_F64: return select_few_f64(data, step, n, k, job->descending, room);
    case PIR_I32: return select_few_i32(data, step, n, k, job->descending, room);
    case PIR_I64: return select_few_i64(data, step, n, k, job->descending, room);
    default: return false;
  }
}

static void select_line_sorted(const line_job *job, entry *room, const int64_t *at) {
  if (select_few(job, room, at)) {
    store_line(job, room, job->kept, at);
    return;
  }
  load_line(job, room, at);
  pir_entries_select(key_order(job), room, job->length, job->kept);
  store_line(job, room, job->kept, at);
}

// Selects the same elements, in the order that the selection leaves them. Few of many are
// sorted all the same, as in Paddle.
static void select_line_unsorted(const line_job *job, entry *room, const int64_t *at) {
  load_line(job, room, at);
  bool few = job->kept <= job->length / 64;
  if (few)
    pir_entries_select(key_order(job), room, job->length, job->kept);
  else if (job->kept > 0)
    pir_entries_nth(key_order(job), room, job->length, job->kept - 1);
  store_line(job, room, job->kept, at);
}

static void select_kth_element(const line_job *job, entry *room, const int64_t *at) {
  load_line(job, room, at);
  pir_entries_nth(key_order(job), room, job->length, job->first);
  store_line(job, room + job->first, 1, at);
}

static bool keys_are_equal(const line_job *job, const entry *a, const entry *b) {
  return !entry_before(job, a, b) && !entry_before(job, b, a);
}

// The most frequent value (of several the smallest) at its last position.
static void find_line_mode(const line_job *job, entry *room, const int64_t *at) {
  load_line(job, room, at);
  const entry *sorted = sort_line(job, room), *best = sorted;
  int64_t most = 0;
  for (int64_t i = 0, first = 0; i < job->length; i++) {
    if (i && !keys_are_equal(job, &sorted[i - 1], &sorted[i]))
      first = i;
    if (i - first + 1 > most) {
      most = i - first + 1;
      best = &sorted[i];
    }
  }
  store_line(job, best, 1, at);
}

// Whether the extreme so far stays, rather than the next element. NaN replaces any number.
static bool extreme_stays(const line_job *job, const entry *so_far, const entry *next) {
  if (job->floats && isnan(so_far->key.f))
    return !isnan(next->key.f);
  if (job->floats && isnan(next->key.f))
    return false;
  return entry_before(job, so_far, next);
}

// Replaces each element by the extreme so far. Of equal elements the last one counts.
static void run_line_extreme(const line_job *job, entry *room, const int64_t *at) {
  load_line(job, room, at);
  for (int64_t i = 1; i < job->length; i++)
    if (extreme_stays(job, &room[i - 1], &room[i]))
      room[i] = room[i - 1];
  store_line(job, room, job->length, at);
}

static void run_job_lines(void *user, int64_t begin, int64_t end, int thread) {
  const line_job *job = user;
  for (int64_t line = begin; line < end; line++) {
    int64_t at[PIR_MAX_RANK] = {0}, rest = line;
    for (int d = job->x->rank - 1; d >= 0; d--) {
      if (d == job->axis)
        continue;
      at[d] = rest % job->x->shape[d];
      rest /= job->x->shape[d];
    }
    job->line(job, job->room + (size_t)thread * 2 * (size_t)job->length, at);
  }
}

// Checks the axis, and runs the job over all lines along it.
static pir_status run_line_job(line_job *job, int64_t axis) {
  const pir_kernel_call *call = job->call;
  const pir_tensor *x = job->x;
  if (!x || !job->out)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  if (pir_dtype_is_complex(x->dtype))
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s of complex numbers",
                           call->op);
  if (axis < 0)
    axis += x->rank;
  if ((axis < 0 || axis >= x->rank) && x->rank > 0)
    return pir_kernel_fail(call, PIR_INVALID, "%s: axis %lld of a tensor of rank %d", call->op,
                           (long long)axis, x->rank);
  job->axis = (int)axis;
  job->floats = pir_dtype_is_float(x->dtype);
  job->length = x->rank ? x->shape[axis] : 1;
  job->kept = job->out->rank && x->rank ? job->out->shape[axis] : 1;
  if (job->first < 0 || job->kept > job->length - job->first)
    return pir_kernel_fail(call, PIR_INVALID, "%s: asks for %lld of %lld elements", call->op,
                           (long long)job->kept, (long long)job->length);
  int64_t numel = pir_tensor_numel(x);
  int64_t lines = job->length > 0 ? numel / job->length : 0;
  int threads = call->parallel.threads > 1 ? call->parallel.threads : 1;
  size_t size = (size_t)threads * 2 * (size_t)job->length * sizeof(entry);
  if (lines <= 0)
    return PIR_OK;
  job->room = pir_kernel_alloc(call, size);
  if (!job->room)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  if (threads > 1 && numel > 4096)
    call->parallel.parallel_for(call->parallel.pool, lines, run_job_lines, job);
  else
    run_job_lines(job, 0, lines, 0);
  pir_kernel_free(call, job->room, size);
  return PIR_OK;
}

static line_job make_line_job(const pir_kernel_call *call) {
  return (line_job){.call = call,
                    .x = pir_kernel_in(call, 0),
                    .out = pir_kernel_out(call, 0),
                    .positions = pir_kernel_out(call, 1),
                    .line = sort_whole_line};
}

// attributes: axis, descending, stable
pir_status pir_kernel_argsort(const pir_kernel_call *call) {
  line_job job = make_line_job(call);
  job.descending = pir_kernel_int(call, 1) != 0;
  return run_line_job(&job, pir_kernel_int(call, 0));
}

// attributes: axis, largest, sorted. The shape of the result states k.
pir_status pir_kernel_topk(const pir_kernel_call *call) {
  line_job job = make_line_job(call);
  job.line = pir_kernel_int(call, 2) ? select_line_sorted : select_line_unsorted;
  job.descending = pir_kernel_int(call, 1) != 0;
  return run_line_job(&job, pir_kernel_int(call, 0));
}

// Views a result with the axis that was reduced, which has extent 1, whether the result has it
// or not.
static pir_tensor view_with_axis(const pir_tensor *t, const pir_tensor *x, int axis) {
  pir_tensor view = *t;
  if (t->rank == x->rank)
    return view;
  view.rank = x->rank;
  for (int d = x->rank - 1; d > axis; d--) {
    view.shape[d] = t->shape[d - 1];
    view.strides[d] = t->strides[d - 1];
  }
  view.shape[axis] = 1;
  view.strides[axis] = 0;
  return view;
}

// Runs a job that gives one result for each line.
static pir_status run_reducing_job(line_job *job, int64_t axis) {
  const pir_kernel_call *call = job->call;
  if (!job->x || !job->out || !job->positions)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  if (axis < 0)
    axis += job->x->rank;
  if (job->x->rank && (axis < 0 || axis >= job->x->rank))
    return pir_kernel_fail(call, PIR_INVALID, "%s: axis %lld of a tensor of rank %d", call->op,
                           (long long)axis, job->x->rank);
  pir_tensor out = view_with_axis(job->out, job->x, (int)axis);
  pir_tensor positions = view_with_axis(job->positions, job->x, (int)axis);
  job->out = &out;
  job->positions = &positions;
  return run_line_job(job, axis);
}

// attributes: k, axis, keepdim
pir_status pir_kernel_kthvalue(const pir_kernel_call *call) {
  line_job job = make_line_job(call);
  job.line = select_kth_element;
  int64_t k = pir_kernel_int(call, 0);
  job.first = k > 0 ? k - 1 : -1;
  return run_reducing_job(&job, pir_kernel_int(call, 1));
}

// attributes: axis, keepdim
pir_status pir_kernel_mode(const pir_kernel_call *call) {
  line_job job = make_line_job(call);
  job.line = find_line_mode;
  return run_reducing_job(&job, pir_kernel_int(call, 0));
}

// ---- medians

// The median of a line: of an even number of elements the mean of the middle two, or the lower
// one. The median of a line with NaN is NaN, unless NaN are skipped.
static void find_line_median(const line_job *job, entry *room, const int64_t *at) {
  load_line(job, room, at);
  int64_t n = job->length, nans = 0, first_nan = -1;
  for (int64_t i = 0; job->floats && i < n; i++)
    if (isnan(room[i].key.f) && !nans++)
      first_nan = i;
  entry pair[2] = {{{.f = NAN}, first_nan}, {{.f = NAN}, first_nan}};
  int64_t counted = n - nans, upper = counted / 2;
  if (job->skips_nan)
    pair[0].at = pair[1].at = -1;
  if (counted && (job->skips_nan || !nans)) {
    pir_entries_select(key_order(job), room, n, job->selected ? job->selected : upper + 1);
    bool even = counted % 2 == 0;
    pair[0] = room[upper - even];
    pair[1] = job->lower ? pair[0] : room[upper];
    int64_t a = pair[0].key.i;
    int64_t b = pair[1].key.i;
    if (job->floats && even && !job->lower)
      pair[0].key.f = pair[0].key.f / 2 + pair[1].key.f / 2;
    if (!job->floats && even && !job->lower)
      pair[0].key.i = (int64_t)(((__int128)a + b) / 2);
  }
  line_job values = *job, places = *job;
  values.positions = NULL;
  places.out = NULL;
  store_line(&values, pair, 1, at);
  store_line(&places, pair, job->lower ? 1 : 2, at);
}

// The count of numbers in the line with the fewest NaN. Paddle sorts so many elements in every
// line, which decides the order of equal ones.
static int64_t most_numbers_in_line(const pir_tensor *lines) {
  int64_t most = 0;
  int64_t length = lines->shape[lines->rank - 1];
  int64_t n = pir_tensor_numel(lines);
  if (!pir_dtype_is_float(lines->dtype))
    return length;
  for (int64_t at = 0; at < n; at += length) {
    int64_t numbers = 0;
    for (int64_t i = at; i < at + length; i++)
      numbers += !isnan(pir_tensor_float_at(lines, i));
    most = numbers > most ? numbers : most;
  }
  return most;
}

// Views x with the listed axes (none: all axes) behind the others, and counts the others.
static pir_status view_reduced_last(const pir_kernel_call *call, const pir_tensor *x,
                                    pir_int_list axes, pir_tensor *out, int *kept) {
  uint32_t gone = axes.count ? 0 : UINT32_MAX;
  for (size_t i = 0; i < axes.count; i++) {
    int64_t d = axes.ints[i] < 0 ? axes.ints[i] + x->rank : axes.ints[i];
    if (d < 0 || d >= x->rank)
      return pir_kernel_fail(call, PIR_INVALID, "%s: axis: expects axes of rank %d, found %lld",
                             call->op, x->rank, (long long)axes.ints[i]);
    gone |= 1u << d;
  }
  *out = *x;
  int at = 0;
  for (int last = 0; last < 2; last++) {
    for (int d = 0; d < x->rank; d++)
      if ((int)(gone >> d & 1) == last) {
        out->shape[at] = x->shape[d];
        out->strides[at++] = x->strides[d];
      }
    if (!last)
      *kept = at;
  }
  return PIR_OK;
}

// Fills a result with one value.
static pir_status fill_with_value(pir_tensor *out, double value) {
  pir_tensor from = *out;
  memset(from.strides, 0, sizeof from.strides);
  from.data = &value;
  from.dtype = PIR_F64;
  return pir_tensor_copy(&from, out);
}

// attributes: axis, keepdim, mode (avg or min)
static pir_status run_median(const pir_kernel_call *call, bool skips_nan) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  pir_tensor moved, lines;
  pir_tensor *out = pir_kernel_out(call, 0);
  pir_tensor *places = pir_kernel_out(call, 1);
  pir_tensor values, positions;
  pir_str mode = pir_kernel_text(call, 2);
  line_job job = make_line_job(call);
  int kept = 0;
  job.skips_nan = skips_nan;
  job.lower = pir_str_equal(mode, PIR_STR("min"));
  if (!x || !out)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  if (!job.lower && !pir_str_equal(mode, PIR_STR("avg")))
    return pir_kernel_fail(call, PIR_INVALID, "%s: mode: expects avg or min, found '%.*s'",
                           call->op, (int)mode.size, mode.data);
  PIR_TRY(view_reduced_last(call, x, pir_kernel_ints(call, 0), &moved, &kept));
  PIR_TRY(pir_kernel_dense(call, &moved, x->dtype, moved.shape, moved.rank, &lines));
  pir_tensor view = lines;
  int64_t length = 1, shape[PIR_MAX_RANK];
  for (int d = kept; d < lines.rank; d++)
    length *= lines.shape[d];
  for (int d = 0; d < kept; d++)
    shape[d] = lines.shape[d];
  shape[kept] = length;
  pir_tensor_set_dense(&view, x->dtype, shape, kept + 1);
  view.data = lines.data;
  shape[kept] = 1;
  pir_tensor_set_dense(&values, out->dtype, shape, kept + 1);
  values.data = out->data;
  shape[kept] = job.lower ? 1 : 2;
  if (places) {
    pir_tensor_set_dense(&positions, places->dtype, shape, kept + 1);
    positions.data = places->data;
  }
  job.x = &view;
  job.out = &values;
  job.positions = places ? &positions : NULL;
  job.line = find_line_median;
  if (skips_nan && length)
    job.selected = most_numbers_in_line(&view);
  pir_status status = length ? run_line_job(&job, kept) : fill_with_value(out, NAN);
  if (!status && !length && places)
    status = fill_with_value(places, 0);
  pir_kernel_drop(call, &lines);
  return status;
}

pir_status pir_kernel_median(const pir_kernel_call *call) {
  return run_median(call, false);
}

pir_status pir_kernel_nanmedian(const pir_kernel_call *call) {
  return run_median(call, true);
}

// attributes: out_int32, right. Finds the place of each value in the row of sorted numbers at
// the same position.
pir_status pir_kernel_searchsorted(const pir_kernel_call *call) {
  const pir_tensor *rows = pir_kernel_in(call, 0);
  const pir_tensor *values = pir_kernel_in(call, 1);
  pir_tensor *out = pir_kernel_out(call, 0);
  pir_tensor r, v;
  pir_tensor places = {0};
  if (!rows || !values || rows->rank < 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  int64_t length = rows->shape[rows->rank - 1];
  int64_t n = pir_tensor_numel(values);
  int64_t width = values->rank ? values->shape[values->rank - 1] : 1;
  bool right = pir_kernel_int(call, 1) != 0;
  bool shared = rows->rank == 1;
  int64_t row_count = pir_tensor_numel(rows) / (length ? length : 1);
  if (!shared && (width == 0 || row_count != n / width)) {
    if (n == 0)
      return PIR_OK;
    return pir_kernel_fail(call, PIR_INVALID, "%s: rows and values do not stand side by side",
                           call->op);
  }
  PIR_TRY(pir_kernel_dense(call, rows, PIR_F64, rows->shape, rows->rank, &r));
  pir_status status = pir_kernel_dense(call, values, PIR_F64, values->shape, values->rank, &v);
  if (!status)
    status = pir_kernel_dense(call, values, PIR_I64, values->shape, values->rank, &places);
  for (int64_t i = 0; !status && i < n; i++) {
    const double *row = (const double *)r.data + (shared ? 0 : i / width * length);
    double x = ((double *)v.data)[i];
    int64_t lo = 0, hi = length;
    while (lo < hi) {
      int64_t mid = lo + (hi - lo) / 2;
      bool below = row[mid] < x || (isnan(x) && !isnan(row[mid]));
      if (right)
        below = !(row[mid] > x);
      if (below)
        lo = mid + 1;
      else
        hi = mid;
    }
    ((int64_t *)places.data)[i] = lo;
  }
  if (!status)
    status = pir_tensor_copy(&places, out);
  pir_kernel_drop(call, &places);
  pir_kernel_drop(call, &v);
  pir_kernel_drop(call, &r);
  return status;
}

// attributes: axis, dtype
pir_status pir_kernel_cummax(const pir_kernel_call *call) {
  line_job job = make_line_job(call);
  job.descending = true;
  job.line = run_line_extreme;
  return run_line_job(&job, pir_kernel_int(call, 0));
}

pir_status pir_kernel_cummin(const pir_kernel_call *call) {
  line_job job = make_line_job(call);
  job.line = run_line_extreme;
  return run_line_job(&job, pir_kernel_int(call, 0));
}
