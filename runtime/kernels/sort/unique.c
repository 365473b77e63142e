// unique: the distinct elements, or the distinct slices along an axis, in ascending order, with
// the first position and the count of each, and the place of every element among them.
// unique_consecutive: the elements or slices that differ from the one before. Slices are
// gathered into rows, and the row numbers are merge-sorted, so that equal rows stay in order.
// Cost: n log n comparisons of rows. Single elements are radix-sorted: n for each byte in which
// they differ.
#include <string.h>

#include "convert.h"
#include "kernels.h"

typedef struct rows {
  const char *data;  // dense; 64-bit integers or floats
  int64_t count, width;
  bool floats;
} rows;

static int compare_rows(const rows *r, int64_t a, int64_t b) {
  const double *f = (const double *)r->data;
  const int64_t *n = (const int64_t *)r->data;
  for (int64_t i = 0; i < r->width; i++) {
    int64_t p = a * r->width + i;
    int64_t q = b * r->width + i;
    int order = (n[p] > n[q]) - (n[p] < n[q]);
    if (r->floats)
      order = (f[p] > f[q]) - (f[p] < f[q]);
    if (order)
      return order;
  }
  return 0;
}

// A number as an unsigned integer of the same order. -0 counts as 0.
static uint64_t sortable_bits(const rows *r, int64_t i) {
  uint64_t sign = (uint64_t)1 << 63, bits;
  if (!r->floats)
    return (uint64_t)((const int64_t *)r->data)[i] ^ sign;
  double f = ((const double *)r->data)[i] + 0.0;
  memcpy(&bits, &f, sizeof bits);
  return bits & sign ? ~bits : bits | sign;
}

static bool rows_have_nan(const rows *r) {
  const double *f = (const double *)r->data;
  bool found = false;
  for (int64_t i = 0; r->floats && i < r->count; i++)
    found |= f[i] != f[i];
  return found;
}

// Sorts the element numbers in `order` byte by byte, the lowest first; bytes that all elements
// have in common are skipped. `order` and `keys` have room for twice the elements. Returns the
// sorted numbers.
static int64_t *radix_sort_elements(const rows *r, int64_t *order, uint64_t *keys) {
  int64_t n = r->count, *from = order, *to = order + n;
  uint64_t *here = keys, *there = keys + n, differ = 0;
  for (int64_t i = 0; i < n; i++) {
    here[i] = sortable_bits(r, i);
    differ |= here[i] ^ here[0];
  }
  for (int shift = 0; shift < 64; shift += 8) {
    int64_t starts[256] = {0}, sum = 0;
    if (!(differ >> shift & 255))
      continue;
    for (int64_t i = 0; i < n; i++)
      starts[here[i] >> shift & 255]++;
    for (int k = 0; k < 256; k++) {
      int64_t count = starts[k];
      starts[k] = sum;
      sum += count;
    }
    for (int64_t i = 0; i < n; i++) {
      int64_t at = starts[here[i] >> shift & 255]++;
      there[at] = here[i];
      to[at] = from[i];
    }
    int64_t *swap = from;
    uint64_t *other = here;
    from = to;
    to = swap;
    here = there;
    there = other;
  }
  return from;
}

// Merge-sorts the row numbers in `order`, which has room for twice as many. Returns the sorted
// numbers.
static int64_t *sort_row_numbers(const rows *r, int64_t *order) {
  int64_t *from = order, *to = order + r->count;
  for (int64_t width = 1; width < r->count; width *= 2) {
    for (int64_t lo = 0; lo < r->count; lo += 2 * width) {
      int64_t mid = lo + width < r->count ? lo + width : r->count;
      int64_t hi = lo + 2 * width < r->count ? lo + 2 * width : r->count;
      for (int64_t k = lo, a = lo, b = mid; k < hi; k++) {
        bool takes_a = a < mid && (b == hi || compare_rows(r, from[a], from[b]) <= 0);
        to[k] = takes_a ? from[a++] : from[b++];
      }
    }
    int64_t *swap = from;
    from = to;
    to = swap;
  }
  return from;
}

// Makes a dense copy of x with the axis in front, in the type `wide`.
static pir_status gather_rows(const pir_kernel_call *call, const pir_tensor *x, int axis,
                              pir_dtype wide, pir_tensor *out) {
  pir_tensor view = *x;
  for (int d = axis; d > 0; d--) {
    view.shape[d] = x->shape[d - 1];
    view.strides[d] = x->strides[d - 1];
  }
  if (axis > 0) {
    view.shape[0] = x->shape[axis];
    view.strides[0] = x->strides[axis];
  }
  return pir_kernel_dense(call, &view, wide, view.shape, view.rank, out);
}

// Writes a list as result k, unless that is absent.
static pir_status write_number_list(const pir_kernel_call *call, int k, pir_dtype asked,
                                    const int64_t *values, int64_t n) {
  pir_tensor *out = pir_kernel_out(call, k);
  pir_tensor list = {.data = (void *)(uintptr_t)values};
  if (!out)
    return PIR_OK;
  PIR_TRY(pir_kernel_shape_result(call, out, asked == PIR_I32 ? PIR_I32 : PIR_I64, &n, 1));
  pir_tensor_set_dense(&list, PIR_I64, &n, 1);
  return pir_tensor_copy(&list, out);
}

// Writes the slices (elements, when axis is -1) whose numbers are in `firsts` as result 0.
static pir_status write_distinct_slices(const pir_kernel_call *call, const pir_tensor *x,
                                        int axis, const int64_t *firsts, int64_t n) {
  pir_tensor *out = pir_kernel_out(call, 0), from = *x, to;
  int64_t shape[PIR_MAX_RANK], size = (int64_t)pir_dtype_size(x->dtype);
  memcpy(shape, x->shape, sizeof shape);
  if (axis < 0) {
    PIR_TRY(pir_kernel_shape_result(call, out, x->dtype, &n, 1));
    for (int64_t i = 0; i < n; i++) {
      int64_t offset = 0, rest = firsts[i];
      for (int d = x->rank - 1; d >= 0; d--) {
        offset += rest % x->shape[d] * x->strides[d];
        rest /= x->shape[d];
      }
      const char *element = (const char *)x->data + offset * size;
      memcpy((char *)out->data + i * size, element, (size_t)size);
    }
    return PIR_OK;
  }
  shape[axis] = n;
  PIR_TRY(pir_kernel_shape_result(call, out, x->dtype, shape, x->rank));
  to = *out;
  from.shape[axis] = to.shape[axis] = 1;
  for (int64_t i = 0; i < n; i++) {
    from.data = (char *)x->data + firsts[i] * x->strides[axis] * size;
    to.data = (char *)out->data + i * out->strides[axis] * size;
    PIR_TRY(pir_tensor_copy(&from, &to));
  }
  return PIR_OK;
}

// The rows of x along `axis` (-1: its elements), and room for five numbers for each row.
typedef struct table {
  rows r;
  int64_t axis, *room;
  pir_tensor dense;
  size_t size;
} table;

static pir_status open_row_table(const pir_kernel_call *call, pir_int_list axes, table *t) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  *t = (table){.axis = -1};
  if (!x || !pir_kernel_out(call, 0))
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  bool given = axes.count > 0;
  if (given)
    t->axis = axes.ints[0] < 0 ? axes.ints[0] + x->rank : axes.ints[0];
  if (t->axis >= x->rank || (given && t->axis < 0))
    return pir_kernel_fail(call, PIR_INVALID, "%s: axis: expects one of rank %d, found %lld",
                           call->op, x->rank, (long long)axes.ints[0]);
  t->r.floats = pir_dtype_is_float(x->dtype);
  pir_dtype wide = t->r.floats ? PIR_F64 : PIR_I64;
  PIR_TRY(gather_rows(call, x, t->axis < 0 ? 0 : (int)t->axis, wide, &t->dense));
  t->r.data = t->dense.data;
  t->r.count = t->axis < 0 ? pir_tensor_numel(x) : x->shape[t->axis];
  t->r.width = t->axis < 0 || !t->r.count ? 1 : pir_tensor_numel(x) / t->r.count;
  t->size = (size_t)(t->r.count + 1) * 5 * sizeof(int64_t);
  t->room = pir_kernel_alloc(call, t->size);
  if (!t->room)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  return PIR_OK;
}

static void close_row_table(const pir_kernel_call *call, table *t) {
  pir_kernel_free(call, t->room, t->size);
  pir_kernel_drop(call, &t->dense);
}

// attributes: return_index, return_inverse, return_counts, axis, dtype, is_sorted. results:
// out, indices, inverse, counts
pir_status pir_kernel_unique(const pir_kernel_call *call) {
  pir_dtype dtype = pir_kernel_dtype(call, 4);
  table t;
  pir_status status = open_row_table(call, pir_kernel_ints(call, 3), &t);
  if (!status) {
    int64_t n = t.r.count;
    int64_t *inverse = t.room + 2 * n;
    int64_t *firsts = inverse + n;
    int64_t *counts = firsts + n;
    int64_t distinct = 0;
    for (int64_t i = 0; i < n; i++)
      t.room[i] = i;
    bool elements = t.r.width == 1 && !rows_have_nan(&t.r);
    uint64_t *keys = (uint64_t *)(t.room + 2 * n);  // the lists there are filled after the sort
    const int64_t *sorted = NULL;
    if (elements)
      sorted = radix_sort_elements(&t.r, t.room, keys);
    else
      sorted = sort_row_numbers(&t.r, t.room);
    for (int64_t i = 0; i < n; i++) {
      if (i == 0 || compare_rows(&t.r, sorted[i - 1], sorted[i])) {
        firsts[distinct] = sorted[i];
        counts[distinct++] = 0;
      }
      counts[distinct - 1]++;
      inverse[sorted[i]] = distinct - 1;
    }
    status = write_distinct_slices(call, pir_kernel_in(call, 0), (int)t.axis, firsts, distinct);
    if (!status)
      status = write_number_list(call, 1, dtype, firsts, distinct);
    if (!status)
      status = write_number_list(call, 2, dtype, inverse, n);
    if (!status)
      status = write_number_list(call, 3, dtype, counts, distinct);
  }
  close_row_table(call, &t);
  return status;
}

// attributes: return_inverse, return_counts, axis, dtype. results: out, inverse, counts
pir_status pir_kernel_unique_consecutive(const pir_kernel_call *call) {
  pir_dtype dtype = pir_kernel_dtype(call, 3);
  table t;
  pir_status status = open_row_table(call, pir_kernel_ints(call, 2), &t);
  if (!status) {
    int64_t n = t.r.count;
    int64_t *inverse = t.room;
    int64_t *firsts = inverse + n;
    int64_t *counts = firsts + n;
    int64_t distinct = 0;
    for (int64_t i = 0; i < n; i++) {
      if (i == 0 || compare_rows(&t.r, i - 1, i)) {
        firsts[distinct] = i;
        counts[distinct++] = 0;
      }
      counts[distinct - 1]++;
      inverse[i] = distinct - 1;
    }
    status = write_distinct_slices(call, pir_kernel_in(call, 0), (int)t.axis, firsts, distinct);
    if (!status)
      status = write_number_list(call, 1, dtype, inverse, n);
    if (!status)
      status = write_number_list(call, 2, dtype, counts, distinct);
  }
  close_row_table(call, &t);
  return status;
}
