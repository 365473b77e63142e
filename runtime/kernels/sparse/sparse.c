// Sparse tensors in coordinate form, and conversions between them and dense tensors or row
// form. Entries are keyed by their row-major position over the sparse axes, so that a change of
// shape is a change of keys, and merging is sorting. O(n log n) in the number of entries.
#include "sparse.h"

#include <string.h>

int64_t pir_sparse_span(const int64_t *extents, int count) {
  int64_t n = 1;
  for (int i = 0; i < count; i++)
    if (extents[i] < 0 || __builtin_mul_overflow(n, extents[i], &n))
      return -1;
  return n;
}

static const pir_tensor *sparse_part(const pir_kernel_call *call, int k, int which) {
  return call->in[call->in_first[k] + which];
}

static pir_status fail_misfit(const pir_kernel_call *call, int k) {
  return pir_kernel_fail(call, PIR_INVALID,
                         "%s: operand %d: its values, extents and indices do not fit together",
                         call->op, k);
}

// Computes the key of every entry.
static pir_status key_entries(sparse *s) {
  const int64_t *index = s->indices.data;
  s->entry_bytes = ((size_t)s->count + 1) * sizeof *s->entries;
  s->entries = pir_kernel_alloc(s->call, s->entry_bytes);
  if (!s->entries)
    return pir_kernel_fail(s->call, PIR_EXHAUSTED, "%s: out of memory", s->call->op);
  for (int64_t i = 0; i < s->count; i++) {
    int64_t key = 0;
    for (int a = 0; a < s->axes; a++) {
      int64_t at = index[a * s->count + i];
      if (at < 0 || at >= s->extents[a])
        return pir_kernel_fail(s->call, PIR_INVALID,
                               "%s: indices: %lld along axis %d of extent %lld", s->call->op,
                               (long long)at, a, (long long)s->extents[a]);
      key = key * s->extents[a] + at;
    }
    s->entries[i] = (sparse_entry){key, i};
  }
  return PIR_OK;
}

static pir_status open_sparse_parts(sparse *s, int k, pir_dtype dtype) {
  const pir_kernel_call *call = s->call;
  const pir_tensor *values = sparse_part(call, k, SPARSE_VALUES);
  const pir_tensor *extents = sparse_part(call, k, SPARSE_EXTENTS);
  const pir_tensor *indices = sparse_part(call, k, SPARSE_INDICES);
  if (indices->rank != 2 || extents->rank != 1 || values->rank < 1)
    return fail_misfit(call, k);
  if (extents->shape[0] > PIR_MAX_RANK)
    return fail_misfit(call, k);
  s->rank = (int)extents->shape[0];
  s->axes = (int)indices->shape[0];
  s->count = indices->shape[1];
  if (s->axes > s->rank || s->axes < 1)
    return fail_misfit(call, k);
  if (values->shape[0] != s->count || values->rank != 1 + s->rank - s->axes)
    return fail_misfit(call, k);
  for (int i = 0; i < s->rank; i++) {
    s->extents[i] = pir_tensor_int_at(extents, i);
    if (s->extents[i] < 0)
      return fail_misfit(call, k);
    if (i >= s->axes && s->extents[i] != values->shape[1 + i - s->axes])
      return fail_misfit(call, k);
  }
  s->item = pir_sparse_span(s->extents + s->axes, s->rank - s->axes);
  if (pir_sparse_span(s->extents, s->rank) < 0)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  if (dtype == PIR_UNDEFINED)
    dtype = values->dtype;
  PIR_TRY(pir_kernel_dense(call, values, dtype, values->shape, values->rank, &s->values));
  PIR_TRY(pir_kernel_dense(call, indices, PIR_I64, indices->shape, 2, &s->indices));
  return key_entries(s);
}

pir_status pir_sparse_open(const pir_kernel_call *call, int k, pir_dtype dtype, sparse *out) {
  *out = (sparse){.call = call};
  if (call->in_members[k] != SPARSE_COO_PARTS)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: operand %d: expects a sparse tensor of coordinates", call->op,
                           k);
  return open_sparse_parts(out, k, dtype);
}

void pir_sparse_close(sparse *s) {
  if (!s->call)
    return;
  pir_kernel_drop(s->call, &s->values);
  pir_kernel_drop(s->call, &s->indices);
  pir_kernel_free(s->call, s->entries, s->entry_bytes);
}

pir_status pir_sparse_sort(const pir_kernel_call *call, sparse_entry *entries, int64_t n) {
  size_t size = ((size_t)n + 1) * sizeof *entries;
  sparse_entry *room = pir_kernel_alloc(call, size);
  sparse_entry *from = entries;
  sparse_entry *to = room;
  if (!room)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  for (int64_t width = 1; width < n; width *= 2) {
    for (int64_t lo = 0; lo < n; lo += 2 * width) {
      int64_t mid = lo + width < n ? lo + width : n;
      int64_t hi = lo + 2 * width < n ? lo + 2 * width : n;
      int64_t a = lo;
      int64_t b = mid;
      for (int64_t k = lo; k < hi; k++) {
        bool takes_a = a < mid && (b == hi || from[a].key <= from[b].key);
        to[k] = takes_a ? from[a++] : from[b++];
      }
    }
    sparse_entry *swap = from;
    from = to;
    to = swap;
  }
  if (from != entries)
    memcpy(entries, from, (size_t)n * sizeof *entries);
  pir_kernel_free(call, room, size);
  return PIR_OK;
}

pir_status pir_sparse_sum_type(const pir_kernel_call *call, pir_dtype dtype, pir_dtype *out) {
  *out = pir_dtype_is_float(dtype) ? PIR_F64 : PIR_I64;
  if (pir_dtype_is_float(dtype) || pir_dtype_is_integer(dtype))
    return PIR_OK;
  return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s of %s", call->op,
                         pir_dtype_name(dtype));
}

pir_status pir_sparse_write(const pir_kernel_call *call, int r, pir_dtype dtype,
                            const int64_t *extents, int rank, int axes,
                            const sparse_entry *entries, int64_t count,
                            const pir_tensor *values) {
  if (call->out_members[r] != SPARSE_COO_PARTS)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: its result is no sparse tensor of coordinates", call->op);
  pir_tensor *const *parts = &call->out[call->out_first[r]];
  int64_t shape[PIR_MAX_RANK] = {count}, *index;
  memcpy(shape + 1, extents + axes, (size_t)(rank - axes) * sizeof *extents);
  PIR_TRY(pir_kernel_shape_result(call, parts[SPARSE_VALUES], dtype, shape, 1 + rank - axes));
  pir_tensor from = *values;
  pir_tensor_set_dense(&from, values->dtype, shape, 1 + rank - axes);
  PIR_TRY(pir_tensor_copy(&from, parts[SPARSE_VALUES]));
  PIR_TRY(pir_kernel_shape_result(call, parts[SPARSE_EXTENTS], PIR_I64, (int64_t[]){rank}, 1));
  memcpy(parts[SPARSE_EXTENTS]->data, extents, (size_t)rank * sizeof *extents);
  const int64_t index_shape[2] = {axes, count};
  PIR_TRY(pir_kernel_shape_result(call, parts[SPARSE_INDICES], PIR_I64, index_shape, 2));
  index = parts[SPARSE_INDICES]->data;
  for (int64_t i = 0; i < count; i++) {
    int64_t key = entries[i].key;
    for (int a = axes - 1; a >= 0; a--) {
      index[a * count + i] = key % extents[a];
      key /= extents[a];
    }
  }
  return PIR_OK;
}

// ---- dense tensors

// Copies entries in order: of two at one place the last one counts.
pir_status pir_kernel_sparse_to_dense(const pir_kernel_call *call) {
  pir_tensor *out = pir_kernel_out(call, 0), dense = {0};
  sparse s;
  pir_status status = pir_sparse_open(call, 0, PIR_UNDEFINED, &s);
  size_t shape_bytes = (size_t)s.rank * sizeof *s.extents;
  bool same = out->rank == s.rank && memcmp(out->shape, s.extents, shape_bytes) == 0;
  if (!status && !same)
    status = pir_kernel_fail(call, PIR_INVALID,
                             "%s: out: its shape is not that of the sparse tensor", call->op);
  if (!status)
    status = pir_kernel_zeros(call, s.values.dtype, s.extents, s.rank, &dense);
  size_t size = status ? 0 : (size_t)s.item * pir_dtype_size(s.values.dtype);
  for (int64_t i = 0; i < s.count && !status && size; i++) {
    const char *from = (const char *)s.values.data + (size_t)i * size;
    memcpy((char *)dense.data + (size_t)s.entries[i].key * size, from, size);
  }
  if (!status)
    status = pir_tensor_copy(&dense, out);
  pir_kernel_drop(call, &dense);
  pir_sparse_close(&s);
  return status;
}

static bool is_all_zero(const char *p, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (p[i])
      return false;
  return true;
}

// Writes the entries of a dense tensor that are not all zero.
static pir_status keep_nonzero_entries(const pir_kernel_call *call, const pir_tensor *x,
                                       int axes) {
  int64_t places = pir_sparse_span(x->shape, axes);
  int64_t item = pir_sparse_span(x->shape + axes, x->rank - axes);
  int64_t n = 0;
  size_t size = (size_t)item * pir_dtype_size(x->dtype);
  size_t bytes = ((size_t)places + 1) * sizeof(sparse_entry);
  sparse_entry *entries = pir_kernel_alloc(call, bytes);
  pir_tensor values = {0};
  if (!entries)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  pir_status status = pir_kernel_zeros(call, x->dtype, x->shape, x->rank, &values);
  for (int64_t i = 0; i < places && !status; i++) {
    const char *from = (const char *)x->data + (size_t)i * size;
    if (is_all_zero(from, size))
      continue;
    memcpy((char *)values.data + (size_t)n * size, from, size);
    entries[n++] = (sparse_entry){i, i};
  }
  if (!status)
    status = pir_sparse_write(call, 0, x->dtype, x->shape, x->rank, axes, entries, n, &values);
  pir_kernel_drop(call, &values);
  pir_kernel_free(call, entries, bytes);
  return status;
}

// attribute: number of sparse axes
pir_status pir_kernel_sparse_from_dense(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  int64_t axes = pir_kernel_int(call, 0);
  pir_tensor dense;
  if (!x || axes < 1 || axes > x->rank)
    return pir_kernel_fail(call, PIR_INVALID, "%s: sparse_dim: %lld of a tensor of rank %d",
                           call->op, (long long)axes, x ? x->rank : 0);
  PIR_TRY(pir_kernel_dense(call, x, x->dtype, x->shape, x->rank, &dense));
  pir_status status = keep_nonzero_entries(call, &dense, (int)axes);
  pir_kernel_drop(call, &dense);
  return status;
}

// ---- row form

// The extents of a matrix, or of equal matrices. Each matrix has the starts of its rows, from
// 0.
typedef struct csr_extents {
  int64_t matrices, rows, columns;
} csr_extents;

static csr_extents csr_extents_of(const int64_t *shape, int rank) {
  return (csr_extents){rank == 3 ? shape[0] : 1, shape[rank - 2], shape[rank - 1]};
}

// Returns the number of starts, or -1 if it overflows.
static int64_t csr_start_count(const csr_extents *e) {
  int64_t starts;
  if (e->rows < 0 || __builtin_add_overflow(e->rows, 1, &starts) ||
      __builtin_mul_overflow(starts, e->matrices, &starts))
    return -1;
  return starts;
}

// Writes sorted entries of matrices as result 0, in row form.
static pir_status write_csr_rows(const pir_kernel_call *call, const sparse *s) {
  pir_tensor *const *parts = &call->out[call->out_first[0]];
  csr_extents e = csr_extents_of(s->extents, s->rank);
  const int64_t start_count[1] = {csr_start_count(&e)}, rank[1] = {s->rank};
  size_t size = pir_dtype_size(s->values.dtype);
  if (call->out_members[0] != SPARSE_CSR_PARTS)
    return pir_kernel_fail(call, PIR_INVALID, "%s: its result is no sparse tensor of rows",
                           call->op);
  PIR_TRY(pir_kernel_shape_result(call, parts[SPARSE_VALUES], s->values.dtype, &s->count, 1));
  PIR_TRY(pir_kernel_shape_result(call, parts[SPARSE_EXTENTS], PIR_I64, rank, 1));
  PIR_TRY(pir_kernel_shape_result(call, parts[SPARSE_ROWS], PIR_I64, start_count, 1));
  PIR_TRY(pir_kernel_shape_result(call, parts[SPARSE_COLUMNS], PIR_I64, &s->count, 1));
  int64_t *starts = parts[SPARSE_ROWS]->data;
  int64_t *column = parts[SPARSE_COLUMNS]->data;
  memcpy(parts[SPARSE_EXTENTS]->data, s->extents, (size_t)s->rank * sizeof *s->extents);
  memset(starts, 0, (size_t)start_count[0] * sizeof *starts);
  for (int64_t i = 0; i < s->count; i++) {
    const char *from = (const char *)s->values.data + (size_t)s->entries[i].at * size;
    memcpy((char *)parts[SPARSE_VALUES]->data + (size_t)i * size, from, size);
    int64_t row = s->entries[i].key / e.columns;
    column[i] = s->entries[i].key % e.columns;
    starts[row / e.rows * (e.rows + 1) + row % e.rows + 1]++;
  }
  for (int64_t m = 0; m < e.matrices; m++)
    for (int64_t r = 0; r < e.rows; r++)
      starts[m * (e.rows + 1) + r + 1] += starts[m * (e.rows + 1) + r];
  return PIR_OK;
}

pir_status pir_kernel_sparse_to_rows(const pir_kernel_call *call) {
  sparse s;
  pir_status status = pir_sparse_open(call, 0, PIR_UNDEFINED, &s);
  if (!status && ((s.rank != 2 && s.rank != 3) || s.axes != s.rank))
    status =
        pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s of rank %d with %d sparse axes",
                        call->op, s.rank, s.axes);
  if (!status)
    status = pir_sparse_sort(call, s.entries, s.count);
  if (!status)
    status = write_csr_rows(call, &s);
  pir_sparse_close(&s);
  return status;
}

// Computes the keys of the entries of one matrix in row form, and checks its rows and columns.
// `row` is the first row's number among all matrices.
static pir_status key_csr_matrix(const pir_kernel_call *call, const int64_t *start,
                                 const int64_t *column, const csr_extents *e, int64_t row,
                                 sparse_entry *entries, int64_t first, int64_t count) {
  for (int64_t r = 0; r < e->rows; r++) {
    bool ascends = start[r] >= 0 && start[r] <= start[r + 1];
    if (!ascends || start[r + 1] > count - first || (r == 0 && start[0] != 0))
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: the starts of its rows do not ascend from 0 to %lld",
                             call->op, (long long)count);
    for (int64_t i = first + start[r]; i < first + start[r + 1]; i++) {
      if (column[i] < 0 || column[i] >= e->columns)
        return pir_kernel_fail(call, PIR_INVALID, "%s: column %lld of %lld", call->op,
                               (long long)column[i], (long long)e->columns);
      entries[i] = (sparse_entry){(row + r) * e->columns + column[i], i};
    }
  }
  return PIR_OK;
}

static pir_status key_csr_entries(const pir_kernel_call *call, const pir_tensor *starts,
                                  const pir_tensor *columns, const csr_extents *e,
                                  sparse_entry *entries, int64_t count) {
  int64_t first = 0;
  for (int64_t m = 0; m < e->matrices; m++) {
    const int64_t *start = (const int64_t *)starts->data + m * (e->rows + 1);
    PIR_TRY(key_csr_matrix(call, start, columns->data, e, m * e->rows, entries, first, count));
    first += start[e->rows];
  }
  if (first != count)
    return pir_kernel_fail(call, PIR_INVALID, "%s: its rows have %lld entries of %lld",
                           call->op, (long long)first, (long long)count);
  return PIR_OK;
}

pir_status pir_kernel_sparse_from_rows(const pir_kernel_call *call) {
  if (call->in_members[0] != SPARSE_CSR_PARTS)
    return pir_kernel_fail(call, PIR_INVALID, "%s: expects a sparse tensor of rows", call->op);
  const pir_tensor *values = sparse_part(call, 0, SPARSE_VALUES);
  const pir_tensor *extents = sparse_part(call, 0, SPARSE_EXTENTS);
  const pir_tensor *rows = sparse_part(call, 0, SPARSE_ROWS);
  const pir_tensor *columns = sparse_part(call, 0, SPARSE_COLUMNS);
  bool matrices = extents->rank == 1 && (extents->shape[0] == 2 || extents->shape[0] == 3) &&
                  rows->rank == 1 && columns->rank == 1 && values->rank == 1 &&
                  values->shape[0] == columns->shape[0];
  if (!matrices)
    return pir_kernel_fail(call, PIR_UNSUPPORTED,
                           "unsupported: %s of another rank than 2 and 3", call->op);
  int rank = (int)extents->shape[0];
  int64_t shape[3] = {0};
  for (int i = 0; i < rank; i++)
    shape[i] = pir_tensor_int_at(extents, i);
  csr_extents e = csr_extents_of(shape, rank);
  int64_t count = values->shape[0];
  if (pir_sparse_span(shape, rank) < 0 || csr_start_count(&e) != rows->shape[0])
    return fail_misfit(call, 0);
  pir_tensor t[3] = {{0}};
  size_t bytes = ((size_t)count + 1) * sizeof(sparse_entry);
  sparse_entry *entries = pir_kernel_alloc(call, bytes);
  pir_status status = PIR_OK;
  if (!entries)
    status = pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  if (!status)
    status = pir_kernel_dense(call, values, values->dtype, values->shape, 1, &t[0]);
  if (!status)
    status = pir_kernel_dense(call, rows, PIR_I64, rows->shape, 1, &t[1]);
  if (!status)
    status = pir_kernel_dense(call, columns, PIR_I64, columns->shape, 1, &t[2]);
  if (!status)
    status = key_csr_entries(call, &t[1], &t[2], &e, entries, count);
  if (!status)
    status = pir_sparse_write(call, 0, values->dtype, shape, rank, rank, entries, count, &t[0]);
  for (int i = 0; i < 3; i++)
    pir_kernel_drop(call, &t[i]);
  pir_kernel_free(call, entries, bytes);
  return status;
}
