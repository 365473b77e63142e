// Parts of parameters.
#include "parts.h"

#include <pir/compiler/dialect/builtin.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool params_is_part(const pir_op *op) {
  return pir_op_is(op, BUILTIN_PARAMETER) && pir_op_attr_str(op, "part_first");
}

static pir_status refuse_part(const pir_op *op) {
  return pir_error(op,
                   "whole_shape and part_first are no part of a tensor that has the extents "
                   "of the result");
}

pir_status params_part(const pir_op *op, param_part *out) {
  const pir_attr *whole = pir_op_attr_str(op, "whole_shape"),
                 *first = pir_op_attr_str(op, "part_first");
  pir_shape local = pir_type_shape(pir_value_type(pir_op_result(op, 0)));
  if (!whole || !first || pir_attr_kind_of(whole) != PIR_ATTR_INT_ARRAY ||
      pir_attr_kind_of(first) != PIR_ATTR_INT_ARRAY || pir_attr_elements(whole) != local.rank ||
      pir_attr_elements(first) != local.rank)
    return refuse_part(op);
  *out = (param_part){.whole = {pir_attr_int_array_data(whole), local.rank},
                      .local = local,
                      .first = pir_attr_int_array_data(first)};
  for (size_t i = 0; i < local.rank; i++)
    if (local.dims[i] < 0 || out->first[i] < 0 || out->whole.dims[i] < local.dims[i] ||
        out->first[i] > out->whole.dims[i] - local.dims[i])
      return refuse_part(op);
  return PIR_OK;
}

// ---- bytes

// The elements from `outer` dimensions on are rows, of which `run` bytes that lie together are
// taken; all rows are `stride` bytes apart.
typedef struct part_rows {
  size_t outer;
  size_t stride, skip, run, count;
} part_rows;

// The last dimension that is cut, with all behind it, is a row.
static part_rows cut_rows(const param_part *part, size_t element) {
  part_rows rows = {.outer = part->whole.rank, .stride = element, .run = element, .count = 1};
  bool cut = false;
  while (rows.outer && !cut) {
    size_t i = --rows.outer;
    cut = part->whole.dims[i] != part->local.dims[i];
    rows.skip = rows.stride * (size_t)part->first[i];
    rows.run = rows.stride * (size_t)part->local.dims[i];
    rows.stride *= (size_t)part->whole.dims[i];
  }
  for (size_t i = 0; i < rows.outer; i++)
    rows.count *= (size_t)part->local.dims[i];
  return rows;
}

// Where row `i` of the part begins in the whole.
static size_t offset_of(const param_part *part, const part_rows *rows, size_t i) {
  size_t offset = 0, unit = 1;
  for (size_t d = rows->outer; d--;) {
    size_t extent = (size_t)part->local.dims[d];
    offset += ((size_t)part->first[d] + i % extent) * unit;
    unit *= (size_t)part->whole.dims[d];
    i /= extent;
  }
  return offset * rows->stride + rows->skip;
}

// Gives pages up that lie between two addresses as a whole.
static void let_pages_go(const char *from, const char *to) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
            first = ((uintptr_t)from + page - 1) / page * page,
            last = (uintptr_t)to / page * page;
  if (last > first)
    (void)madvise((void *)first, last - first, MADV_DONTNEED);
}

static void copy_rows(const param_part *part, const part_rows *rows, bool mapped,
                      const char *from, char *to) {
  enum { MOST = 1 << 22 };  // bytes of the file that stay in memory meanwhile
  const char *kept = from;
  for (size_t i = 0; i < rows->count; i++) {
    const char *row = from + offset_of(part, rows, i);
    memcpy(to + i * rows->run, row, rows->run);
    if (mapped && row - kept > MOST) {
      let_pages_go(kept, row);
      kept = row;
    }
  }
  if (mapped && rows->count)
    let_pages_go(kept, from + offset_of(part, rows, rows->count - 1) + rows->run);
}

// The part has no more bytes than the whole, whose size was checked.
pir_status params_take_part(const param_part *part, bool mapped, pir_param *whole) {
  part_rows rows = cut_rows(part, pir_dtype_size(whole->dtype));
  whole->shape = part->local;
  whole->size = rows.run * rows.count;
  if (rows.count == 1) {
    whole->data = (const char *)whole->data + offset_of(part, &rows, 0);
    return PIR_OK;
  }
  char *data = malloc(whole->size ? whole->size : 1);
  if (data && whole->size)
    copy_rows(part, &rows, mapped, whole->data, data);
  if (whole->release)
    whole->release(whole->user);
  whole->data = whole->user = data;
  whole->release = free;
  return data ? PIR_OK : PIR_EXHAUSTED;
}
