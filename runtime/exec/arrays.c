// Arrays of tensors: shared by the slots that show them and changed in place. What is written is copied in, what is
// read is copied out, so no tensor is shared with the program. A write past the end makes the array longer.
#include "frame.h"
#include <string.h>

static size_t item_bytes(const pir_tensor *item) {
  size_t bytes;
  if (!item->data || pir_shape_bytes(item->shape, item->rank, item->dtype, &bytes)) return 0;
  return bytes ? bytes : 1;
}

static void give_item(frame *f, pir_tensor *item) {
  pir_frame_give(f, &(frame_buffer){item->data, item_bytes(item)});
  *item = (pir_tensor){0};
}

void pir_array_release(frame *f, tensor_array *array) {
  if (--array->holders) return;
  for (size_t i = 0; i < array->count; i++) give_item(f, &array->items[i]);
  pir_mem_give(&f->allocator, array->items, array->capacity * sizeof *array->items);
  pir_mem_give(&f->allocator, array, sizeof *array);
}

pir_status pir_frame_duplicate(frame *f, const pir_tensor *from, bool is_array, carried *to) {
  *to = (carried){.tensor = *from};
  if (is_array) {
    ((tensor_array *)from->data)->holders++;
    to->own = (frame_buffer){from->data, ARRAY_BYTES};
    return PIR_OK;
  }
  size_t bytes;
  pir_tensor_set_dense(&to->tensor, from->dtype, from->shape, from->rank);
  PIR_TRY(pir_shape_bytes(from->shape, from->rank, from->dtype, &bytes));
  PIR_TRY(pir_frame_take(f, bytes, &to->own));
  to->tensor.data = to->own.data;
  pir_status status = pir_tensor_copy(from, &to->tensor);
  if (status) pir_frame_give(f, &to->own);
  return status;
}

// ---- the instructions

static pir_tensor *operand(frame *f, const plan_instr *instr, uint32_t i) {
  return &f->tensors[f->plan->words[instr->in + i]];
}

static void put(frame *f, const plan_instr *instr, const carried *from) {
  uint32_t slot = f->plan->words[instr->out];
  f->tensors[slot] = from->tensor;
  f->buffers[f->plan->slots[slot].buffer] = from->own;
}

static pir_status create(frame *f, const plan_instr *instr) {
  tensor_array *array = pir_mem_get(&f->allocator, sizeof *array);
  if (!array) return PIR_EXHAUSTED;
  *array = (tensor_array){.holders = 1};
  put(f, instr, &(carried){{.data = array, .dtype = PIR_UNDEFINED}, {array, ARRAY_BYTES}});
  return PIR_OK;
}

static pir_status find(frame *f, const plan_instr *instr, uint32_t index_at, tensor_array **out_array,
                       int64_t *out_index) {
  const pir_tensor *array = operand(f, instr, 0);
  if (!array->data || array->dtype != PIR_UNDEFINED)
    return pir_exec_fail(&f->message, PIR_INVALID, "\"%s\" is given no array", instr->label);
  *out_array = array->data;
  *out_index = 0;
  if (!index_at) return PIR_OK;
  const pir_tensor *index = operand(f, instr, index_at);
  bool fits = index->data && pir_dtype_is_integer(index->dtype) && pir_tensor_numel(index) == 1;
  if (fits) *out_index = pir_tensor_int_at(index, 0);
  if (!fits || *out_index < 0)
    return pir_exec_fail(&f->message, PIR_INVALID, "\"%s\": the index must be one integer, and not negative",
                         instr->label);
  return PIR_OK;
}

static pir_status make_room(frame *f, tensor_array *array, uint64_t index) {
  if (index < array->capacity) return PIR_OK;
  size_t capacity = 2 * array->capacity > index ? 2 * array->capacity : (size_t)index + 8, bytes;
  if (index > SIZE_MAX / 4 || __builtin_mul_overflow(capacity, sizeof *array->items, &bytes)) return PIR_EXHAUSTED;
  if (bytes > f->budget) return pir_exec_fail(&f->message, PIR_EXHAUSTED, "an array would be too long");
  pir_tensor *items = pir_mem_get(&f->allocator, bytes);
  if (!items) return PIR_EXHAUSTED;
  memset(items, 0, bytes);
  if (array->count) memcpy(items, array->items, array->count * sizeof *items);
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
  PIR_TRY(find(f, instr, 2, &array, &index));
  if (!tensor->data || tensor->dtype == PIR_UNDEFINED)
    return pir_exec_fail(&f->message, PIR_UNSUPPORTED, "unsupported: an array in an array");
  PIR_TRY(make_room(f, array, (uint64_t)index));
  PIR_TRY(pir_frame_duplicate(f, tensor, false, &copy));
  if ((uint64_t)index >= array->count) array->count = (size_t)index + 1;
  give_item(f, &array->items[index]);
  array->items[index] = copy.tensor;
  return PIR_OK;
}

static pir_status read_item(frame *f, const plan_instr *instr) {
  tensor_array *array = NULL;
  int64_t index = 0;
  carried copy;
  PIR_TRY(find(f, instr, 1, &array, &index));
  if ((uint64_t)index >= array->count || !array->items[index].data)
    return pir_exec_fail(&f->message, PIR_INVALID, "\"%s\": the array has nothing at %lld", instr->label,
                         (long long)index);
  PIR_TRY(pir_frame_duplicate(f, &array->items[index], false, &copy));
  put(f, instr, &copy);
  return PIR_OK;
}

static pir_status length(frame *f, const plan_instr *instr) {
  tensor_array *array = NULL;
  int64_t unused;
  carried out = {0};
  PIR_TRY(find(f, instr, 0, &array, &unused));
  PIR_TRY(pir_frame_take(f, sizeof(int64_t), &out.own));
  *(int64_t *)out.own.data = (int64_t)array->count;
  pir_tensor_set_dense(&out.tensor, PIR_I64, (int64_t[]){1}, 1);
  out.tensor.data = out.own.data;
  put(f, instr, &out);
  return PIR_OK;
}

pir_status pir_frame_run_array(frame *f, const plan_instr *instr) {
  switch (instr->kind) {
    case PLAN_ARRAY_NEW: return create(f, instr);
    case PLAN_ARRAY_WRITE: return write_item(f, instr);
    case PLAN_ARRAY_READ: return read_item(f, instr);
    default: return length(f, instr);
  }
}
