// Arrays of tensors: changed in place and shared by the slots that refer to them. Reads and
// writes copy, so an array shares no tensor with the program; the copies have the offsets of
// sequences, which live as long as the run. A write past the end extends the array.
#include "frame.h"
#include <string.h>

static size_t item_bytes(const pir_tensor *item) {
  size_t bytes;
  if (item->data && item->dtype == PIR_UNDEFINED)
    return ARRAY_BYTES;
  if (!item->data || pir_shape_bytes(item->shape, item->rank, item->dtype, &bytes))
    return 0;
  return bytes ? bytes : 1;
}

static void give_item(frame *f, pir_tensor *item) {
  pir_frame_give(f, &(frame_buffer){item->data, item_bytes(item), false});
  *item = (pir_tensor){0};
}

void pir_array_release(frame *f, tensor_array *array) {
  if (--array->holders)
    return;
  for (size_t i = 0; i < array->count; i++)
    give_item(f, &array->items[i]);
  pir_mem_give(&f->allocator, array->items, array->capacity * sizeof *array->items);
  pir_mem_give(&f->allocator, array, sizeof *array);
}

pir_status pir_frame_duplicate(frame *f, const pir_tensor *from, bool is_array, carried *to) {
  *to = (carried){.tensor = *from};
  if (is_array) {
    ((tensor_array *)from->data)->holders++;
    to->own = (frame_buffer){from->data, ARRAY_BYTES, false};
    return PIR_OK;
  }
  size_t bytes;
  pir_tensor_set_dense(&to->tensor, from->dtype, from->shape, from->rank);
  PIR_TRY(pir_shape_bytes(from->shape, from->rank, from->dtype, &bytes));
  PIR_TRY(pir_frame_take(f, bytes, &to->own));
  to->tensor.data = to->own.data;
  pir_status status = pir_tensor_copy(from, &to->tensor);
  if (status)
    pir_frame_give(f, &to->own);
  return status;
}

// ---- the instructions

static pir_tensor *operand(frame *f, const plan_instr *instr, uint32_t i) {
  return &f->tensors[f->plan->words[instr->in + i]];
}

static void put_at(frame *f, const plan_instr *instr, uint32_t i, const carried *from) {
  uint32_t slot = f->plan->words[instr->out + i];
  f->tensors[slot] = from->tensor;
  f->buffers[f->plan->slots[slot].buffer] = from->own;
}

static void put_output(frame *f, const plan_instr *instr, const carried *from) {
  put_at(f, instr, 0, from);
}

static pir_status create_array(frame *f, const plan_instr *instr) {
  tensor_array *array = pir_mem_get(&f->allocator, sizeof *array);
  if (!array)
    return PIR_EXHAUSTED;
  *array = (tensor_array){.holders = 1};
  put_output(f, instr,
             &(carried){{.data = array, .dtype = PIR_UNDEFINED}, {array, ARRAY_BYTES, false}});
  return PIR_OK;
}

// Returns the array of an operand, or NULL with a message. A stack, whose items may be arrays,
// is one only to the instructions of stacks.
static tensor_array *array_operand(frame *f, const plan_instr *instr, uint32_t i) {
  const pir_tensor *array = operand(f, instr, i);
  if (array->data && array->dtype == PIR_UNDEFINED &&
      ((tensor_array *)array->data)->is_stack == (instr->kind >= PLAN_STACK_PUSH))
    return array->data;
  pir_ignore(pir_exec_fail(&f->message, PIR_INVALID, "\"%s\" is given no array", instr->label));
  return NULL;
}

static pir_status find_array(frame *f, const plan_instr *instr, uint32_t index_at,
                             tensor_array **out_array, int64_t *out_index) {
  tensor_array *array = *out_array = array_operand(f, instr, 0);
  if (!array)
    return PIR_INVALID;
  *out_index = 0;
  if (!index_at)
    return PIR_OK;
  const pir_tensor *index = operand(f, instr, index_at);
  bool fits = index->data && pir_dtype_is_integer(index->dtype) && pir_tensor_numel(index) == 1;
  if (fits)
    *out_index = pir_tensor_int_at(index, 0);
  if (*out_index < 0 && instr->kind >= PLAN_ARRAY_SLICE)
    *out_index += (int64_t)array->count;
  if (!fits || *out_index < 0)
    return pir_exec_fail(&f->message, PIR_INVALID,
                         "\"%s\": the index must be one integer, and not negative",
                         instr->label);
  return PIR_OK;
}

static pir_status make_room(frame *f, tensor_array *array, uint64_t index) {
  if (index < array->capacity)
    return PIR_OK;
  size_t capacity = 2 * array->capacity > index ? 2 * array->capacity : (size_t)index + 8,
         bytes;
  if (index > SIZE_MAX / 4 || __builtin_mul_overflow(capacity, sizeof *array->items, &bytes))
    return PIR_EXHAUSTED;
  if (bytes > f->budget)
    return pir_exec_fail(&f->message, PIR_EXHAUSTED, "an array would be too long");
  pir_tensor *items = pir_mem_get(&f->allocator, bytes);
  if (!items)
    return PIR_EXHAUSTED;
  memset(items, 0, bytes);
  if (array->count)
    memcpy(items, array->items, array->count * sizeof *items);
  pir_mem_give(&f->allocator, array->items, array->capacity * sizeof *items);
  array->items = items;
  array->capacity = capacity;
  return PIR_OK;
}

static pir_status write_item(frame *f, const plan_instr *instr) {
  tensor_array *array = NULL;
  int64_t index = 0;
  carried copy;
  const pir_tensor *tensor = operand(f, instr, 1);
  PIR_TRY(find_array(f, instr, 2, &array, &index));
  if (!tensor->data || tensor->dtype == PIR_UNDEFINED)
    return pir_exec_fail(&f->message, PIR_UNSUPPORTED, "unsupported: an array in an array");
  PIR_TRY(make_room(f, array, (uint64_t)index));
  if (f->has_lods)
    pir_frame_take_lod(f, f->plan->words[instr->in + 1]);
  PIR_TRY(pir_frame_duplicate(f, tensor, false, &copy));
  if ((uint64_t)index >= array->count)
    array->count = (size_t)index + 1;
  give_item(f, &array->items[index]);
  array->items[index] = copy.tensor;
  return PIR_OK;
}

static pir_status read_item(frame *f, const plan_instr *instr) {
  tensor_array *array = NULL;
  int64_t index = 0;
  carried copy;
  PIR_TRY(find_array(f, instr, 1, &array, &index));
  if ((uint64_t)index >= array->count || !array->items[index].data)
    return pir_exec_fail(&f->message, PIR_INVALID, "\"%s\": the array has nothing at %lld",
                         instr->label, (long long)index);
  PIR_TRY(pir_frame_duplicate(f, &array->items[index], false, &copy));
  f->has_lods |= copy.tensor.lod_levels > 0;
  put_output(f, instr, &copy);
  return PIR_OK;
}

// Moves the memory of an item to the caller and closes the gap.
static pir_status pop_item(frame *f, const plan_instr *instr) {
  tensor_array *array = NULL;
  int64_t unused, index = (int32_t)instr->detail;
  PIR_TRY(find_array(f, instr, 0, &array, &unused));
  if (index < 0)
    index += (int64_t)array->count;
  if (index < 0 || (uint64_t)index >= array->count || !array->items[index].data)
    return pir_exec_fail(&f->message, PIR_INVALID, "\"%s\": the array has nothing at %lld",
                         instr->label, (long long)(int32_t)instr->detail);
  pir_tensor *item = &array->items[index];
  put_output(f, instr, &(carried){*item, {item->data, item_bytes(item), false}});
  memmove(item, item + 1, (--array->count - (size_t)index) * sizeof *item);
  array->items[array->count] = (pir_tensor){0};
  return PIR_OK;
}

static pir_status write_length(frame *f, const plan_instr *instr) {
  tensor_array *array = NULL;
  int64_t unused;
  carried out = {0};
  PIR_TRY(find_array(f, instr, 0, &array, &unused));
  PIR_TRY(pir_frame_take(f, sizeof(int64_t), &out.own));
  *(int64_t *)out.own.data = (int64_t)array->count;
  pir_tensor_set_dense(&out.tensor, PIR_I64, (int64_t[]){1}, 1);
  out.tensor.data = out.own.data;
  put_output(f, instr, &out);
  return PIR_OK;
}

static pir_status slice_items(frame *f, const plan_instr *instr) {
  tensor_array *array = NULL, *part;
  int64_t first = 0, end = 0;
  PIR_TRY(find_array(f, instr, 1, &array, &first));
  PIR_TRY(find_array(f, instr, 2, &array, &end));
  PIR_TRY(create_array(f, instr));
  part = f->tensors[f->plan->words[instr->out]].data;
  if ((uint64_t)end > array->count)
    end = (int64_t)array->count;
  for (int64_t i = first; i < end; i++) {
    carried copy;
    PIR_TRY(make_room(f, part, part->count));
    if (!array->items[i].data)
      return pir_exec_fail(&f->message, PIR_INVALID, "\"%s\": the array has nothing at %lld",
                           instr->label, (long long)i);
    PIR_TRY(pir_frame_duplicate(f, &array->items[i], false, &copy));
    part->items[part->count++] = copy.tensor;
  }
  return PIR_OK;
}

// Computes the shape of the joined tensor; all items must agree except along the axis of a
// concatenation.
static pir_status joined_shape(frame *f, const plan_instr *instr, const tensor_array *array,
                               int axis, bool stack, pir_tensor *out) {
  const pir_tensor *first = array->count ? &array->items[0] : NULL;
  *out = first ? *first : (pir_tensor){0};
  bool fits =
      first && axis >= 0 && axis < first->rank + stack && first->rank + stack <= PIR_MAX_RANK;
  int64_t along = 0;
  for (size_t i = 0; i < array->count && fits; i++) {
    const pir_tensor *item = &array->items[i];
    fits = item->data && item->rank == first->rank && item->dtype == first->dtype;
    for (int d = 0; fits && d < item->rank; d++)
      fits = (!stack && d == axis) || item->shape[d] == first->shape[d];
    if (fits && !stack)
      fits = !__builtin_add_overflow(along, item->shape[axis], &along);
  }
  if (!fits)
    return pir_exec_fail(&f->message, PIR_INVALID,
                         "\"%s\": the tensors of the array cannot be joined along axis %d",
                         instr->label, axis);
  if (stack)
    memmove(out->shape + axis + 1, out->shape + axis,
            (size_t)(out->rank - axis) * sizeof *out->shape);
  out->shape[axis] = stack ? (int64_t)array->count : along;
  out->rank += stack;
  return PIR_OK;
}

static pir_status take_array_result(frame *f, pir_dtype dtype, const int64_t *shape, int rank,
                                    carried *out) {
  size_t bytes;
  *out = (carried){0};
  pir_tensor_set_dense(&out->tensor, dtype, shape, rank);
  PIR_TRY(pir_shape_bytes(shape, rank, dtype, &bytes));
  PIR_TRY(pir_frame_take(f, bytes, &out->own));
  out->tensor.data = out->own.data;
  return PIR_OK;
}

static int joined_axis(const plan_instr *instr, const tensor_array *array, bool *out_stack) {
  *out_stack = instr->detail & 1;
  int axis = (int)((int32_t)(instr->detail - *out_stack) / 2);
  return axis < 0 && array->count ? axis + array->items[0].rank + *out_stack : axis;
}

// Returns the view of an item inside the joined tensor, from `at` along the axis; advances
// `at`.
static pir_tensor place_of_item(const pir_tensor *item, const pir_tensor *whole, int axis,
                                bool stack, int64_t *at) {
  pir_tensor place = *whole;
  place.data =
      (char *)place.data + *at * whole->strides[axis] * (int64_t)pir_dtype_size(whole->dtype);
  *at += stack ? 1 : item->shape[axis];
  if (!stack) {
    place.shape[axis] = item->shape[axis];
    return place;
  }
  memmove(place.shape + axis, place.shape + axis + 1,
          (size_t)(place.rank - axis - 1) * sizeof *place.shape);
  memmove(place.strides + axis, place.strides + axis + 1,
          (size_t)(place.rank - axis - 1) * sizeof *place.strides);
  place.rank--;
  return place;
}

static pir_status join_items(frame *f, const plan_instr *instr) {
  tensor_array *array = NULL;
  int64_t unused, at = 0;
  bool stack;
  carried whole, extents;
  pir_tensor shape;
  PIR_TRY(find_array(f, instr, 0, &array, &unused));
  int axis = joined_axis(instr, array, &stack);
  PIR_TRY(joined_shape(f, instr, array, axis, stack, &shape));
  PIR_TRY(take_array_result(f, shape.dtype, shape.shape, shape.rank, &whole));
  put_at(f, instr, 0, &whole);
  PIR_TRY(take_array_result(f, PIR_I32, (int64_t[]){(int64_t)array->count}, 1, &extents));
  put_at(f, instr, 1, &extents);
  for (size_t i = 0; i < array->count; i++) {
    pir_tensor from = array->items[i],
               to = place_of_item(&from, &whole.tensor, axis, stack, &at);
    ((int32_t *)extents.own.data)[i] = axis < from.rank ? (int32_t)from.shape[axis] : 1;
    PIR_TRY(pir_tensor_copy(&from, &to));
  }
  return PIR_OK;
}

// Splits a tensor into pieces with the lengths of another array's tensors.
static pir_status part_items(frame *f, const plan_instr *instr) {
  tensor_array *like = NULL, *pieces;
  const pir_tensor *whole = operand(f, instr, 1);
  int64_t unused, at = 0;
  bool stack;
  pir_tensor shape;
  PIR_TRY(find_array(f, instr, 0, &like, &unused));
  int axis = joined_axis(instr, like, &stack);
  PIR_TRY(joined_shape(f, instr, like, axis, stack, &shape));
  if (whole->rank != shape.rank ||
      memcmp(whole->shape, shape.shape, (size_t)shape.rank * sizeof *shape.shape) != 0)
    return pir_exec_fail(&f->message, PIR_INVALID,
                         "\"%s\": the tensor is not what the array joins to", instr->label);
  PIR_TRY(create_array(f, instr));
  pieces = f->tensors[f->plan->words[instr->out]].data;
  for (size_t i = 0; i < like->count; i++) {
    carried copy;
    pir_tensor from = place_of_item(&like->items[i], whole, axis, stack, &at);
    PIR_TRY(make_room(f, pieces, i));
    PIR_TRY(pir_frame_duplicate(f, &from, false, &copy));
    pieces->items[pieces->count++] = copy.tensor;
  }
  return PIR_OK;
}

// Makes an array of tensors of the same types and shapes, filled with one number.
static pir_status fill_like(frame *f, const plan_instr *instr) {
  tensor_array *like = NULL, *full;
  int64_t unused;
  float number;
  memcpy(&number, &instr->detail, sizeof number);
  pir_tensor one = {.dtype = PIR_F32, .data = &number};
  PIR_TRY(find_array(f, instr, 0, &like, &unused));
  PIR_TRY(create_array(f, instr));
  full = f->tensors[f->plan->words[instr->out]].data;
  for (size_t i = 0; i < like->count; i++) {
    carried item = {0};
    const pir_tensor *model = &like->items[i];
    PIR_TRY(make_room(f, full, i));
    full->count = i + 1;
    if (!model->data)
      continue;
    PIR_TRY(take_array_result(f, model->dtype, model->shape, model->rank, &item));
    pir_tensor same = one;  // the number again at every place: strides of 0
    same.rank = model->rank;
    memcpy(same.shape, model->shape, sizeof same.shape);
    pir_status status = pir_tensor_copy(&same, &item.tensor);
    if (status) {
      pir_frame_give(f, &item.own);
      return status;
    }
    full->items[i] = item.tensor;
  }
  return PIR_OK;
}

// Copies the tensors of an array into a new one, whose places past them stay as they are.
static pir_status copy_items(frame *f, const tensor_array *from, tensor_array *to) {
  for (size_t i = 0; i < from->count; i++) {
    carried copy;
    PIR_TRY(make_room(f, to, i));
    to->count = i + 1;
    if (!from->items[i].data)
      continue;
    PIR_TRY(pir_frame_duplicate(f, &from->items[i], false, &copy));
    to->items[i] = copy.tensor;
  }
  return PIR_OK;
}

static pir_status copy_array(frame *f, const plan_instr *instr) {
  const tensor_array *from = array_operand(f, instr, 0);
  if (!from)
    return PIR_INVALID;
  PIR_TRY(create_array(f, instr));
  return copy_items(f, from, f->tensors[f->plan->words[instr->out]].data);
}

// Adds a tensor to another of its shape and type, whose elements are dense.
static pir_status add_item(frame *f, const plan_instr *instr, const pir_tensor *from,
                           pir_tensor *to) {
  bool fits = from->dtype == to->dtype && from->rank == to->rank &&
              !memcmp(from->shape, to->shape, (size_t)to->rank * sizeof *to->shape);
  bool whole = pir_dtype_is_integer(to->dtype);
  if (!fits || !(whole || pir_dtype_is_float(to->dtype)))
    return pir_exec_fail(&f->message, PIR_INVALID,
                         "\"%s\": the arrays have tensors of different shapes or types",
                         instr->label);
  pir_tensor place = *to;
  place.rank = 0;
  int64_t n = pir_tensor_numel(to);
  for (int64_t i = 0; i < n; i++) {
    double sum = 0;
    int64_t wrapped = 0;
    if (whole)
      wrapped =
          (int64_t)((uint64_t)pir_tensor_int_at(from, i) + (uint64_t)pir_tensor_int_at(to, i));
    else
      sum = pir_tensor_float_at(from, i) + pir_tensor_float_at(to, i);
    pir_tensor value = {.data = &sum, .dtype = PIR_F64};
    if (whole)
      value = (pir_tensor){.data = &wrapped, .dtype = PIR_I64};
    place.data = (char *)to->data + (size_t)i * pir_dtype_size(to->dtype);
    PIR_TRY(pir_tensor_copy(&value, &place));
  }
  return PIR_OK;
}

// Adds up the tensors of each number. An array may be shorter than the others, or hold nothing
// at a place.
static pir_status add_arrays(frame *f, const plan_instr *instr) {
  PIR_TRY(create_array(f, instr));
  tensor_array *sums = f->tensors[f->plan->words[instr->out]].data;
  for (uint32_t k = 0; k < instr->in_count; k++) {
    const tensor_array *from = array_operand(f, instr, k);
    if (!from)
      return PIR_INVALID;
    for (size_t i = 0; i < from->count; i++) {
      carried copy;
      PIR_TRY(make_room(f, sums, i));
      sums->count = sums->count > i + 1 ? sums->count : i + 1;
      if (!from->items[i].data)
        continue;
      if (sums->items[i].data) {
        PIR_TRY(add_item(f, instr, &from->items[i], &sums->items[i]));
        continue;
      }
      PIR_TRY(pir_frame_duplicate(f, &from->items[i], false, &copy));
      sums->items[i] = copy.tensor;
    }
  }
  return PIR_OK;
}

// ---- stacks
// The end of an array: a push copies a tensor in, a pop hands the memory out. Both name as many
// tensors, which are checked. An array on a stack is another reference to it, as in Paddle.

static pir_status create_stack(frame *f, const plan_instr *instr) {
  PIR_TRY(create_array(f, instr));
  carried first = {.tensor = f->tensors[f->plan->words[instr->out]],
                   .own = {.late_bytes = ARRAY_BYTES}};
  first.own.data = first.tensor.data;
  tensor_array *stack = first.tensor.data;
  stack->holders = instr->out_count;
  stack->is_stack = true;
  for (uint32_t i = 1; i < instr->out_count; i++)
    put_at(f, instr, i, &first);
  return PIR_OK;
}

static pir_status push_items(frame *f, const plan_instr *instr) {
  tensor_array *stack = NULL;
  int64_t unused;
  PIR_TRY(find_array(f, instr, 0, &stack, &unused));
  if (instr->in_count > 1)
    PIR_TRY(make_room(f, stack, stack->count + instr->in_count - 2));
  for (uint32_t i = 1; i < instr->in_count; i++) {
    const pir_tensor *tensor = operand(f, instr, i);
    carried copy;
    bool is_array = tensor->dtype == PIR_UNDEFINED;
    if (!tensor->data)
      return pir_exec_fail(&f->message, PIR_INVALID, "\"%s\": operand %d has no data",
                           instr->label, (int)i);
    if (is_array && ((tensor_array *)tensor->data)->is_stack)
      return pir_exec_fail(&f->message, PIR_UNSUPPORTED,
                           "unsupported: \"%s\": a stack on a stack", instr->label);
    PIR_TRY(pir_frame_duplicate(f, tensor, is_array, &copy));
    stack->items[stack->count++] = copy.tensor;
  }
  return PIR_OK;
}

static pir_status pop_items(frame *f, const plan_instr *instr) {
  tensor_array *stack = NULL;
  int64_t unused;
  PIR_TRY(find_array(f, instr, 0, &stack, &unused));
  if (stack->count < instr->out_count)
    return pir_exec_fail(&f->message, PIR_INVALID,
                         "\"%s\": expects %d tensors on the stack, found %zu", instr->label,
                         (int)instr->out_count, stack->count);
  for (uint32_t i = 0; i < instr->out_count; i++) {
    pir_tensor *item = &stack->items[stack->count - instr->out_count + i];
    put_at(f, instr, i, &(carried){*item, {item->data, item_bytes(item), false}});
    *item = (pir_tensor){0};
  }
  stack->count -= instr->out_count;
  return PIR_OK;
}

static pir_status write_holds(frame *f, const plan_instr *instr) {
  tensor_array *stack = NULL;
  int64_t unused;
  carried out;
  PIR_TRY(find_array(f, instr, 0, &stack, &unused));
  PIR_TRY(take_array_result(f, PIR_BOOL, (int64_t[]){1}, 1, &out));
  *(bool *)out.own.data = stack->count != 0;
  put_output(f, instr, &out);
  return PIR_OK;
}

pir_status pir_frame_run_array(frame *f, const plan_instr *instr) {
  switch (instr->kind) {
    case PLAN_ARRAY_NEW: return create_array(f, instr);
    case PLAN_ARRAY_WRITE: return write_item(f, instr);
    case PLAN_ARRAY_READ:
    case PLAN_ARRAY_AT: return read_item(f, instr);
    case PLAN_ARRAY_POP: return pop_item(f, instr);
    case PLAN_ARRAY_SLICE: return slice_items(f, instr);
    case PLAN_ARRAY_JOIN: return join_items(f, instr);
    case PLAN_ARRAY_PART: return part_items(f, instr);
    case PLAN_ARRAY_LIKE: return fill_like(f, instr);
    case PLAN_ARRAY_COPY: return copy_array(f, instr);
    case PLAN_ARRAY_ADD: return add_arrays(f, instr);
    case PLAN_STACK_NEW: return create_stack(f, instr);
    case PLAN_STACK_PUSH: return push_items(f, instr);
    case PLAN_STACK_POP: return pop_items(f, instr);
    case PLAN_STACK_HOLDS: return write_holds(f, instr);
    default: return write_length(f, instr);
  }
}
