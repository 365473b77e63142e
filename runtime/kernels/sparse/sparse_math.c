// Arithmetic and changes of shape on sparse tensors: sums of entries with equal keys, merges of
// two lists in the order of their keys, and new keys for the entries of one. Computes in f64 or
// i64.
#include <string.h>

#include "sparse.h"

typedef enum operation { OP_ADD, OP_SUBTRACT, OP_MULTIPLY, OP_DIVIDE } operation;

static double apply_float(operation op, double a, double b) {
  switch (op) {
    case OP_ADD: return a + b;
    case OP_SUBTRACT: return a - b;
    case OP_MULTIPLY: return a * b;
    default: return a / b;
  }
}

// Integer arithmetic wraps; a quotient that does not exist is 0.
static int64_t apply_int(operation op, int64_t a, int64_t b) {
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  switch (op) {
    case OP_ADD: return (int64_t)(x + y);
    case OP_SUBTRACT: return (int64_t)(x - y);
    case OP_MULTIPLY: return (int64_t)(x * y);
    default: return b == 0 || (b == -1 && a == INT64_MIN) ? 0 : a / b;
  }
}

// to[i] = a[i] op b[i] for the n elements of one entry; NULL stands for zeros.
static void apply_to_entries(operation op, pir_dtype type, const void *a, const void *b,
                             void *to, int64_t n) {
  const double *fa = a;
  const double *fb = b;
  const int64_t *ia = a;
  const int64_t *ib = b;
  for (int64_t i = 0; i < n; i++)
    if (type == PIR_F64)
      ((double *)to)[i] = apply_float(op, fa ? fa[i] : 0, fb ? fb[i] : 0);
    else
      ((int64_t *)to)[i] = apply_int(op, ia ? ia[i] : 0, ib ? ib[i] : 0);
}

// The elements of entry i. Both types in which sums are computed have 8 bytes.
static void *entry_values(const pir_tensor *values, int64_t i, int64_t size) {
  return (char *)values->data + i * size * 8;
}

// Sorts the entries and sums the entries of equal keys. `values` becomes the sums, in the order
// of the keys.
static pir_status sum_equal_keys(sparse *s) {
  const pir_kernel_call *call = s->call;
  pir_tensor sums;
  int64_t n = 0;
  PIR_TRY(pir_sparse_sort(call, s->entries, s->count));
  PIR_TRY(pir_kernel_zeros(call, s->values.dtype, s->values.shape, s->values.rank, &sums));
  for (int64_t i = 0; i < s->count; i++) {
    if (!n || s->entries[n - 1].key != s->entries[i].key)
      s->entries[n++].key = s->entries[i].key;
    void *to = entry_values(&sums, n - 1, s->item);
    const void *from = entry_values(&s->values, s->entries[i].at, s->item);
    apply_to_entries(OP_ADD, sums.dtype, to, from, to, s->item);
  }
  pir_kernel_drop(call, &s->values);
  s->values = sums;
  s->count = n;
  for (int64_t i = 0; i < n; i++)
    s->entries[i].at = i;
  return PIR_OK;
}

// Loads operand k in the type of sums, with the entries of equal keys summed.
static pir_status open_with_sums(const pir_kernel_call *call, int k, sparse *out) {
  pir_dtype type;
  *out = (sparse){0};
  if (call->in_members[k] < 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  PIR_TRY(pir_sparse_sum_type(call, call->in[call->in_first[k]]->dtype, &type));
  PIR_TRY(pir_sparse_open(call, k, type, out));
  return sum_equal_keys(out);
}

pir_status pir_kernel_sparse_coalesce(const pir_kernel_call *call) {
  sparse s;
  pir_status status = open_with_sums(call, 0, &s);
  if (!status)
    status = pir_sparse_write(call, 0, call->in[call->in_first[0]]->dtype, s.extents, s.rank,
                              s.axes, s.entries, s.count, &s.values);
  pir_sparse_close(&s);
  return status;
}

// ---- two operands

// Writes a op b, entry by entry of two sorted lists, at every key of either. Quotients have an
// entry at every place, as Paddle's do.
static pir_status merge_sparse(operation op, const sparse *a, const sparse *b) {
  const pir_kernel_call *call = a->call;
  int64_t places = pir_sparse_span(a->extents, a->axes);
  int64_t most = op == OP_DIVIDE ? places : a->count + b->count;
  int64_t n = 0;
  size_t bytes;
  pir_tensor values = {0};
  int64_t shape[2] = {most, a->item};
  const int64_t list[2] = {most, (int64_t)sizeof(sparse_entry)};
  if (pir_shape_bytes(list, 2, PIR_I8, &bytes))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  sparse_entry *entries = pir_kernel_alloc(call, bytes);
  if (!entries)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  pir_status status = pir_kernel_zeros(call, a->values.dtype, shape, 2, &values);
  int64_t i = 0, j = 0;
  while (!status) {
    bool more = i < a->count || j < b->count;
    if (op == OP_DIVIDE)
      more = n < places;
    if (!more)
      break;
    int64_t next_a = i < a->count ? a->entries[i].key : INT64_MAX;
    int64_t next_b = j < b->count ? b->entries[j].key : INT64_MAX;
    int64_t key = next_a < next_b ? next_a : next_b;
    if (op == OP_DIVIDE)
      key = n;
    const void *x = next_a == key ? entry_values(&a->values, i++, a->item) : NULL;
    const void *y = next_b == key ? entry_values(&b->values, j++, b->item) : NULL;
    entries[n] = (sparse_entry){key, n};
    apply_to_entries(op, values.dtype, x, y, entry_values(&values, n, a->item), a->item);
    n++;
  }
  if (!status)
    status = pir_sparse_write(call, 0, call->in[call->in_first[0]]->dtype, a->extents, a->rank,
                              a->axes, entries, n, &values);
  pir_kernel_drop(call, &values);
  pir_kernel_free(call, entries, bytes);
  return status;
}

static pir_status combine_sparse(const pir_kernel_call *call, operation op) {
  sparse a, b = {0};
  pir_status status = open_with_sums(call, 0, &a);
  if (!status)
    status = open_with_sums(call, 1, &b);
  bool same = a.rank == b.rank && a.axes == b.axes && a.values.dtype == b.values.dtype;
  same = same && memcmp(a.extents, b.extents, (size_t)a.rank * sizeof *a.extents) == 0;
  if (!status && !same)
    status = pir_kernel_fail(
        call, PIR_INVALID, "%s: x and y differ in shape, in sparse axes or in type", call->op);
  if (!status)
    status = merge_sparse(op, &a, &b);
  pir_sparse_close(&a);
  pir_sparse_close(&b);
  return status;
}

pir_status pir_kernel_sparse_add(const pir_kernel_call *call) {
  return combine_sparse(call, OP_ADD);
}
pir_status pir_kernel_sparse_subtract(const pir_kernel_call *call) {
  return combine_sparse(call, OP_SUBTRACT);
}
pir_status pir_kernel_sparse_multiply(const pir_kernel_call *call) {
  return combine_sparse(call, OP_MULTIPLY);
}
pir_status pir_kernel_sparse_divide(const pir_kernel_call *call) {
  return combine_sparse(call, OP_DIVIDE);
}

// ---- other keys

static pir_status write_entries_with_shape(const sparse *s, const int64_t *extents, int rank,
                                           int axes) {
  return pir_sparse_write(s->call, 0, s->values.dtype, extents, rank, axes, s->entries,
                          s->count, &s->values);
}

// Splits a key into an index for each axis.
static void split_key(int64_t key, const int64_t *extents, int axes, int64_t *index) {
  for (int a = axes - 1; a >= 0; a--) {
    index[a] = key % extents[a];
    key /= extents[a];
  }
}

// attribute: perm
pir_status pir_kernel_sparse_transpose(const pir_kernel_call *call) {
  pir_int_list perm = pir_kernel_ints(call, 0);
  int64_t extents[PIR_MAX_RANK], index[PIR_MAX_RANK];
  sparse s;
  pir_status status = pir_sparse_open(call, 0, PIR_UNDEFINED, &s);
  if (!status && perm.count != (size_t)s.rank)
    status = pir_kernel_fail(call, PIR_INVALID, "%s: perm: expects %d axes, found %zu",
                             call->op, s.rank, perm.count);
  unsigned seen = 0;
  for (int i = 0; !status && i < s.rank; i++) {
    int64_t axis = perm.ints[i] < 0 ? perm.ints[i] + s.rank : perm.ints[i];
    if (axis < 0 || axis >= s.rank || seen >> axis & 1)
      status = pir_kernel_fail(call, PIR_INVALID, "%s: perm: %lld of rank %d", call->op,
                               (long long)axis, s.rank);
    else if (i >= s.axes && axis != i)
      status =
          pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s of dense axes", call->op);
    else {
      extents[i] = s.extents[axis];
      seen |= 1u << axis;
    }
  }
  for (int64_t k = 0; !status && k < s.count; k++) {
    split_key(s.entries[k].key, s.extents, s.axes, index);
    int64_t key = 0;
    for (int i = 0; i < s.axes; i++) {
      int64_t axis = perm.ints[i] < 0 ? perm.ints[i] + s.rank : perm.ints[i];
      key = key * extents[i] + index[axis];
    }
    s.entries[k].key = key;
  }
  if (!status)
    status = write_entries_with_shape(&s, extents, s.rank, s.axes);
  pir_sparse_close(&s);
  return status;
}

// operand: shape, where -1 stands for the remaining extent and 0 for x's extent at that axis
pir_status pir_kernel_sparse_reshape(const pir_kernel_call *call) {
  const pir_tensor *shape = pir_kernel_in(call, 1);
  int64_t extents[PIR_MAX_RANK], rest = 1;
  int rank = shape ? (int)pir_tensor_numel(shape) : -1;
  int open = -1;
  sparse s;
  if (rank < 1 || rank > PIR_MAX_RANK)
    return pir_kernel_fail(call, PIR_INVALID, "%s: shape: no list", call->op);
  pir_status status = pir_sparse_open(call, 0, PIR_UNDEFINED, &s);
  if (!status && s.axes != s.rank)
    status =
        pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s with dense axes", call->op);
  for (int i = 0; !status && i < rank; i++) {
    extents[i] = pir_tensor_int_at(shape, i);
    if (extents[i] == 0 && i < s.rank)
      extents[i] = s.extents[i];
    if (extents[i] == -1 && open < 0)
      open = i;
    else if (extents[i] < 0 || __builtin_mul_overflow(rest, extents[i], &rest))
      status = pir_kernel_fail(call, PIR_INVALID, "%s: shape: %lld", call->op,
                               (long long)extents[i]);
  }
  int64_t all = status ? 0 : pir_sparse_span(s.extents, s.rank);
  if (!status && open >= 0) {
    extents[open] = rest ? all / rest : 0;
    rest *= extents[open];
  }
  if (!status && rest != all)
    status = pir_kernel_fail(call, PIR_INVALID, "%s: shape: %lld elements, x has %lld",
                             call->op, (long long)rest, (long long)all);
  if (!status)
    status = write_entries_with_shape(&s, extents, rank, rank);
  pir_sparse_close(&s);
  return status;
}

// A bound of a slice of n elements; below 0 it counts from the end.
static int64_t clamp_slice_bound(int64_t v, int64_t n) {
  if (v < 0)
    v += n;
  return pir_clamp_index(v, 0, n);
}

// Keeps and writes the entries inside a slice. `from` and `extents` have a number for each
// sparse axis.
static pir_status keep_entries_in_slice(sparse *s, const int64_t *from,
                                        const int64_t *extents) {
  pir_tensor kept;
  int64_t n = 0, index[PIR_MAX_RANK];
  size_t size = (size_t)s->item * pir_dtype_size(s->values.dtype);
  PIR_TRY(pir_kernel_zeros(s->call, s->values.dtype, s->values.shape, s->values.rank, &kept));
  for (int64_t k = 0; k < s->count; k++) {
    bool in = true;
    int64_t key = 0;
    split_key(s->entries[k].key, s->extents, s->axes, index);
    for (int a = 0; a < s->axes && in; a++) {
      in = index[a] >= from[a] && index[a] - from[a] < extents[a];
      key = key * extents[a] + index[a] - from[a];
    }
    if (!in)
      continue;
    const char *values = (const char *)s->values.data + (size_t)s->entries[k].at * size;
    memcpy((char *)kept.data + (size_t)n * size, values, size);
    s->entries[n] = (sparse_entry){key, n};
    n++;
  }
  pir_kernel_drop(s->call, &s->values);
  s->values = kept;
  s->count = n;
  return write_entries_with_shape(s, extents, s->rank, s->axes);
}

// operands: starts, ends; attribute: axes
pir_status pir_kernel_sparse_slice(const pir_kernel_call *call) {
  const pir_tensor *starts = pir_kernel_in(call, 1);
  const pir_tensor *ends = pir_kernel_in(call, 2);
  pir_int_list axes = pir_kernel_ints(call, 0);
  int64_t from[PIR_MAX_RANK] = {0}, extents[PIR_MAX_RANK];
  sparse s;
  pir_status status = pir_sparse_open(call, 0, PIR_UNDEFINED, &s);
  if (!status)
    memcpy(extents, s.extents, sizeof extents);
  int64_t count = (int64_t)axes.count;
  bool fits = starts && ends && pir_tensor_numel(starts) == count;
  if (!status && (!fits || pir_tensor_numel(ends) != count))
    status = pir_kernel_fail(call, PIR_INVALID, "%s: starts, ends and axes differ in number",
                             call->op);
  for (size_t i = 0; !status && i < axes.count; i++) {
    int64_t axis = axes.ints[i] < 0 ? axes.ints[i] + s.rank : axes.ints[i];
    if (axis < 0 || axis >= s.rank) {
      status = pir_kernel_fail(call, PIR_INVALID, "%s: axes: %lld of rank %d", call->op,
                               (long long)axis, s.rank);
    } else if (axis >= s.axes) {
      status =
          pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s of dense axes", call->op);
    } else {
      from[axis] = clamp_slice_bound(pir_tensor_int_at(starts, (int64_t)i), s.extents[axis]);
      int64_t end = clamp_slice_bound(pir_tensor_int_at(ends, (int64_t)i), s.extents[axis]);
      extents[axis] = end > from[axis] ? end - from[axis] : 0;
    }
  }
  if (!status)
    status = keep_entries_in_slice(&s, from, extents);
  pir_sparse_close(&s);
  return status;
}

// Sums of integers are i64 unless the attribute states another type.
static pir_dtype dtype_of_sum(const pir_kernel_call *call) {
  pir_dtype own = call->in[call->in_first[0]]->dtype;
  pir_dtype asked = pir_kernel_dtype(call, 0);
  if (asked != PIR_UNDEFINED)
    return asked;
  return pir_dtype_is_float(own) ? own : PIR_I64;
}

// Sums the entries that differ only along `axis` (-1: all entries), and writes the sums.
static pir_status sum_along_axis(sparse *s, int64_t axis, bool keep) {
  int64_t extents[PIR_MAX_RANK], index[PIR_MAX_RANK];
  int rank = 0, axes = 0;
  for (int i = 0; i < s->rank; i++) {
    bool gone = axis < 0 || i == axis;
    if (gone && !keep)
      continue;
    extents[rank++] = gone ? 1 : s->extents[i];
    axes += i < s->axes;
  }
  if (!rank) {
    extents[rank++] = 1;
    axes = 1;
  }
  for (int64_t k = 0; k < s->count; k++) {
    split_key(s->entries[k].key, s->extents, s->axes, index);
    int64_t key = 0;
    for (int i = 0; i < s->axes; i++)
      if (axis >= 0 && i != axis)
        key = key * s->extents[i] + index[i];
    s->entries[k].key = key;
  }
  PIR_TRY(sum_equal_keys(s));
  return pir_sparse_write(s->call, 0, dtype_of_sum(s->call), extents, rank, axes, s->entries,
                          s->count, &s->values);
}

// operand: axis; attributes: dtype, keepdim
pir_status pir_kernel_sparse_sum(const pir_kernel_call *call) {
  const pir_tensor *list = pir_kernel_in(call, 1);
  int64_t n = list ? pir_tensor_numel(list) : 0;
  int64_t axis = n == 1 ? pir_tensor_int_at(list, 0) : -1;
  sparse s;
  if (n > 1)
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s over several axes",
                           call->op);
  pir_status status = open_with_sums(call, 0, &s);
  if (!status && n == 1) {
    if (axis < 0)
      axis += s.rank;
    if (axis < 0 || axis >= s.rank)
      status = pir_kernel_fail(call, PIR_INVALID, "%s: axis: %lld of rank %d", call->op,
                               (long long)axis, s.rank);
  }
  if (!status && s.axes != s.rank)
    status =
        pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s with dense axes", call->op);
  if (!status)
    status = sum_along_axis(&s, axis, pir_kernel_int(call, 1) != 0);
  pir_sparse_close(&s);
  return status;
}
