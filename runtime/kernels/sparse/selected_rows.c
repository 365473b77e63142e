// Selected rows: a table of which some rows are kept, in the form of a sparse tensor of
// coordinates with one sparse axis.
#include <string.h>

#include "sparse.h"

// Returns the position of the last entry with this number, or -1. The entries are sorted.
static int64_t find_row(const sparse *table, int64_t number) {
  int64_t lo = 0;
  int64_t hi = table->count;
  while (lo < hi) {
    int64_t mid = lo + (hi - lo) / 2;
    if (table->entries[mid].key <= number)
      lo = mid + 1;
    else
      hi = mid;
  }
  bool found = lo > 0 && table->entries[lo - 1].key == number;
  return found ? table->entries[lo - 1].at : -1;
}

// Copies the row of every number in `ids`; `absent_rows_are_zero` says how a number without a
// kept row is taken.
static pir_status copy_rows(const pir_kernel_call *call, const sparse *table,
                            const pir_tensor *ids, int64_t padding, bool absent_rows_are_zero,
                            pir_tensor *out) {
  size_t size = (size_t)table->item * pir_dtype_size(table->values.dtype);
  int64_t n = pir_tensor_numel(ids);
  for (int64_t i = 0; i < n; i++) {
    int64_t number = pir_tensor_int_at(ids, i);
    char *to = (char *)out->data + (size_t)i * size;
    bool skipped = padding != -1 && number == padding;
    int64_t at = skipped ? -1 : find_row(table, number);
    if (at < 0 && !skipped && (number < 0 || !absent_rows_are_zero))
      return pir_kernel_fail(call, PIR_INVALID, "%s: the table keeps no row %lld", call->op,
                             (long long)number);
    if (at < 0)
      memset(to, 0, size);
    else
      memcpy(to, (const char *)table->values.data + (size_t)at * size, size);
  }
  return PIR_OK;
}

// operands: table, numbers [.., 1]; or numbers [..], table. Attributes begin with is_sparse,
// is_distributed, padding_idx, remote_prefetch, entry_config, is_test; or with padding_idx.
pir_status pir_kernel_rows_by_number(const pir_kernel_call *call) {
  int at = call->in_members[0] == SPARSE_COO_PARTS ? 0 : 1;
  const pir_tensor *ids = pir_kernel_in(call, 1 - at);
  pir_tensor *out = pir_kernel_out(call, 0), rows = {0};
  int64_t padding = pir_kernel_int(call, at ? 0 : 2);
  bool absent_rows_are_zero = !at && pir_kernel_int(call, 5);
  sparse table;
  pir_status status = pir_sparse_open(call, at, PIR_UNDEFINED, &table);
  if (!status && table.axes != 1)
    status = pir_kernel_fail(call, PIR_INVALID, "%s: expects a table of rows", call->op);
  if (!status)
    status = pir_sparse_sort(call, table.entries, table.count);
  if (!status)
    status = pir_kernel_zeros(call, table.values.dtype, out->shape, out->rank, &rows);
  if (!status && pir_tensor_numel(out) != pir_tensor_numel(ids) * table.item)
    status = pir_kernel_fail(call, PIR_INVALID, "%s: expects a row for each number", call->op);
  if (!status)
    status = copy_rows(call, &table, ids, padding, absent_rows_are_zero, &rows);
  if (!status)
    status = pir_tensor_copy(&rows, out);
  pir_kernel_drop(call, &rows);
  pir_sparse_close(&table);
  return status;
}
