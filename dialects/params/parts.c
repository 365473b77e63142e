// Parts of parameters.
#include "parts.h"

#include "mapping.h"

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/walk.h>

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

pir_status params_part(const pir_op *op, pir_param_part *out) {
  const pir_attr *whole = pir_op_attr_str(op, "whole_shape"),
                 *first = pir_op_attr_str(op, "part_first");
  pir_shape local = pir_type_shape(pir_value_type(pir_op_result(op, 0)));
  if (!whole || !first || pir_attr_kind_of(whole) != PIR_ATTR_INT_ARRAY ||
      pir_attr_kind_of(first) != PIR_ATTR_INT_ARRAY || pir_attr_elements(whole) != local.rank ||
      pir_attr_elements(first) != local.rank)
    return refuse_part(op);
  *out = (pir_param_part){.whole = {pir_attr_int_array_data(whole), local.rank},
                          .local = local,
                          .first = pir_attr_int_array_data(first)};
  for (size_t i = 0; i < local.rank; i++)
    if (local.dims[i] < 0 || out->first[i] < 0 || out->whole.dims[i] < local.dims[i] ||
        out->first[i] > out->whole.dims[i] - local.dims[i])
      return refuse_part(op);
  const pir_attr *file = pir_op_attr_str(op, "file_shape");
  bool stated = file && pir_attr_kind_of(file) == PIR_ATTR_INT_ARRAY;
  return !stated || pir_param_part_hold(out, (pir_shape){pir_attr_int_array_data(file),
                                                         pir_attr_elements(file)})
             ? PIR_OK
             : refuse_part(op);
}

static bool count_elements(pir_shape shape, int64_t *out) {
  *out = 1;
  for (size_t i = 0; i < shape.rank; i++)
    if (__builtin_mul_overflow(*out, shape.dims[i], out))
      return false;
  return true;
}

// The dimension along which an array of extents `held` ends sooner than `whole`; the rank of
// both if there is none, or several.
static size_t shorter_dim(pir_shape whole, pir_shape held) {
  size_t dim = whole.rank;
  for (size_t i = 0; i < whole.rank && held.rank == whole.rank; i++) {
    if (held.dims[i] == whole.dims[i])
      continue;
    if (held.dims[i] < 0 || held.dims[i] > whole.dims[i] || dim != whole.rank)
      return whole.rank;
    dim = i;
  }
  return dim;
}

bool pir_param_part_hold(pir_param_part *part, pir_shape held) {
  size_t dim = shorter_dim(part->whole, held);
  part->held = 0;
  if (dim == part->whole.rank)
    return true;
  for (size_t i = 0; i < part->whole.rank; i++)
    if (i != dim && part->local.dims[i] != part->whole.dims[i])
      return false;
  part->held = held.dims[dim];
  return part->whole.dims[dim] - part->held <= part->held &&
         part->local.dims[dim] != part->whole.dims[dim];
}

// Whether zeros, fewer than what a file has, may follow that: they do where a part is taken. So
// they may be of a part, or of a parameter that ranks will have parts of.
static bool ends_in_zeros(const pir_op *op, pir_shape whole, pir_shape stated) {
  size_t dim = shorter_dim(whole, stated);
  return dim < whole.rank && whole.dims[dim] - stated.dims[dim] <= stated.dims[dim] &&
         pir_op_attr_str(op, "whole_shape") &&
         (params_is_part(op) || pir_type_dist_attr(pir_value_type(pir_op_result(op, 0))));
}

bool pir_param_is_whole(const pir_op *op, pir_shape whole, pir_shape held) {
  const pir_attr *file = pir_op_attr_str(op, "file_shape");
  pir_shape stated = whole;
  if (file) {
    int64_t elements, count;
    if (pir_attr_kind_of(file) != PIR_ATTR_INT_ARRAY)
      return false;
    stated = (pir_shape){pir_attr_int_array_data(file), pir_attr_elements(file)};
    if (!count_elements(whole, &elements) || !count_elements(stated, &count) ||
        (count != elements && !ends_in_zeros(op, whole, stated)))
      return false;
  }
  bool same = stated.rank == held.rank;
  for (size_t i = 0; i < held.rank && same; i++)
    same = stated.dims[i] == held.dims[i];
  return same;
}

// ---- the parts of a program

// Whether two ops of one name take the same elements of the record.
static bool is_same_part(const pir_op *a, const pir_op *b) {
  if (!params_is_part(a) && !params_is_part(b))
    return true;
  pir_shape x = pir_type_shape(pir_value_type(pir_op_result(a, 0))),
            y = pir_type_shape(pir_value_type(pir_op_result(b, 0)));
  return pir_op_attr_str(a, "part_first") == pir_op_attr_str(b, "part_first") &&
         pir_op_attr_str(a, "whole_shape") == pir_op_attr_str(b, "whole_shape") &&
         x.rank == y.rank && (!x.rank || !memcmp(x.dims, y.dims, x.rank * sizeof *x.dims));
}

static param_ops *new_ops(pir_arena *arena, param_ops value) {
  param_ops *ops = pir_arena_alloc(arena, sizeof *ops);
  *ops = value;
  return ops;
}

static void list_op(pir_arena *arena, param_ops *ops, pir_op *op) {
  if (pir_op_is(op, BUILTIN_SET_PARAMETER))
    ops->is_set = true;
  else if (ops->op)
    ops->next = new_ops(arena, (param_ops){.op = op, .next = ops->next});
  else
    ops->op = op;
}

static pir_walk_result find_part(pir_op *op, void *user) {
  param_parts *parts = user;
  pir_param_part part;
  pir_str name = params_name(op);
  bool takes = pir_op_has(op, PIR_PARAMETER) && pir_op_results(op) == 1;
  if ((!takes && !pir_op_is(op, BUILTIN_SET_PARAMETER)) || !name.size)
    return PIR_WALK_CONTINUE;
  const pir_attr *key = pir_attr_str(pir_op_context(op), PIR_ATTR_STR, name);
  param_ops *ops = pir_map_get(&parts->ops, key);
  const pir_op *first = ops ? ops->op : NULL;
  if (takes && first && !is_same_part(first, op))
    parts->status = pir_error(op,
                              "another op takes a different part of parameter '%.*s'; all "
                              "ops of one name have to take the same",
                              (int)name.size, name.data);
  else if (params_is_part(op))
    parts->status = params_part(op, &part);
  if (parts->status)
    return PIR_WALK_STOP;
  if (!ops) {
    ops = new_ops(parts->arena, (param_ops){0});
    pir_map_put(parts->arena, &parts->ops, key, (uintptr_t)ops);
  }
  list_op(parts->arena, ops, op);
  return PIR_WALK_CONTINUE;
}

pir_status params_find_parts(pir_program *program, param_parts *out) {
  out->ctx = pir_program_context(program);
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, find_part, out);
  return out->status;
}

const param_ops *params_ops_of(const param_parts *parts, pir_str name) {
  return pir_map_get(&parts->ops, pir_attr_str(parts->ctx, PIR_ATTR_STR, name));
}

const pir_op *params_op_of(const param_parts *parts, pir_str name) {
  const param_ops *ops = params_ops_of(parts, name);
  return ops ? ops->op : NULL;
}

// ---- bytes

// The elements from `outer` dimensions on are rows, of which `run` bytes that lie together are
// taken; all rows are `stride` bytes apart. Where the array ends sooner, it has the first
// `taken` of them, and the others are zeros.
typedef struct part_rows {
  size_t outer;
  size_t stride, skip, run, taken, count;
} part_rows;

// The last dimension that is cut, with all behind it, is a row.
static part_rows cut_rows(const pir_param_part *part, size_t element) {
  part_rows rows = {.outer = part->whole.rank,
                    .stride = element,
                    .run = element,
                    .taken = element,
                    .count = 1};
  bool cut = false;
  while (rows.outer && !cut) {
    size_t i = --rows.outer;
    int64_t local = part->local.dims[i], first = part->first[i], extent = part->whole.dims[i];
    cut = extent != local;
    if (cut && part->held)
      extent = part->held;
    int64_t taken = extent - first < local ? extent - first : local;
    rows.skip = taken > 0 ? rows.stride * (size_t)first : 0;
    rows.taken = taken > 0 ? rows.stride * (size_t)taken : 0;
    rows.run = rows.stride * (size_t)local;
    rows.stride *= (size_t)extent;
  }
  for (size_t i = 0; i < rows.outer; i++)
    rows.count *= (size_t)part->local.dims[i];
  return rows;
}

// Where row `i` of the part begins in the whole.
static size_t offset_of(const pir_param_part *part, const part_rows *rows, size_t i) {
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

static void copy_rows(const pir_param_part *part, const part_rows *rows, bool mapped,
                      const char *from, char *to) {
  enum { MOST = 1 << 22 };  // bytes of the file that stay in memory meanwhile
  const char *kept = from, *row = from;
  for (size_t i = 0; i < rows->count; i++, to += rows->run) {
    row = from + offset_of(part, rows, i);
    for (size_t done = 0, size; done < rows->taken; done += size) {
      size = rows->taken - done < MOST ? rows->taken - done : MOST;
      memcpy(to + done, row + done, size);
      if (mapped && row + done - kept >= MOST) {
        let_pages_go(kept, row + done);
        kept = row + done;
      }
    }
    memset(to + rows->taken, 0, rows->run - rows->taken);
  }
  if (mapped)
    let_pages_go(kept, row + rows->taken);
}

size_t pir_param_part_bytes(const pir_param_part *part, size_t element) {
  part_rows rows = cut_rows(part, element);
  return rows.run * rows.count;
}

bool pir_param_part_is_run(const pir_param_part *part, size_t element, size_t *out_offset) {
  part_rows rows = cut_rows(part, element);
  if (rows.count != 1 || rows.taken != rows.run)  // no rows at all have no offset either
    return false;
  *out_offset = offset_of(part, &rows, 0);
  return true;
}

void pir_param_part_copy(const pir_param_part *part, size_t element, bool mapped,
                         const char *from, char *to) {
  part_rows rows = cut_rows(part, element);
  if (rows.run)
    copy_rows(part, &rows, mapped, from, to);
}

// Zeros are no more than what the file has, so the part has at most twice the bytes of the
// whole, whose size was checked.
pir_status params_take_part(const pir_param_part *part, bool mapped, pir_param *whole) {
  size_t element = pir_dtype_size(whole->dtype), offset;
  whole->shape = part->local;
  whole->size = pir_param_part_bytes(part, element);
  if (pir_param_part_is_run(part, element, &offset)) {
    whole->data = (const char *)whole->data + offset;
    return PIR_OK;
  }
  char *data = malloc(whole->size ? whole->size : 1);
  if (data)
    pir_param_part_copy(part, element, mapped, whole->data, data);
  if (whole->release)
    whole->release(whole->user);
  whole->data = whole->user = data;
  whole->release = free;
  return data ? PIR_OK : PIR_EXHAUSTED;
}
