// Typed access to the attributes of a call. A kernel that reads an attribute as another kind
// reads 0 or an empty list; the call remembers that, and fails when the kernel returns.
#include <string.h>

#include "kernels.h"

// The first misread attribute: its number, and the kind that was wanted.
enum { KINDS = 16 };

static void note_misread(const pir_kernel_call *call, int k, pir_value_kind wanted) {
  if (call->misread)
    __atomic_store_n(call->misread, k * KINDS + (int)wanted + 1, __ATOMIC_RELAXED);
}

static const pir_attr_value *attribute_at(const pir_kernel_call *call, int k) {
  static const pir_attr_value none = {.kind = PIR_VALUE_NONE};
  return k >= 0 && k < call->attr_count ? &call->attrs[k] : &none;
}

int64_t pir_kernel_int(const pir_kernel_call *call, int k) {
  int64_t value;
  if (pir_attr_value_int(attribute_at(call, k), &value))
    return value;
  note_misread(call, k, PIR_VALUE_INT);
  return 0;
}

double pir_kernel_float(const pir_kernel_call *call, int k) {
  double value;
  if (pir_attr_value_float(attribute_at(call, k), &value))
    return value;
  note_misread(call, k, PIR_VALUE_FLOAT);
  return 0;
}

pir_dtype pir_kernel_dtype(const pir_kernel_call *call, int k) {
  const pir_attr_value *value = attribute_at(call, k);
  if (value->kind != PIR_VALUE_DTYPE)
    note_misread(call, k, PIR_VALUE_DTYPE);
  return pir_attr_value_dtype(value);
}

pir_str pir_kernel_text(const pir_kernel_call *call, int k) {
  const pir_attr_value *value = attribute_at(call, k);
  if (value->kind == PIR_VALUE_TEXT)
    return value->text;
  note_misread(call, k, PIR_VALUE_TEXT);
  return PIR_STR("");
}

bool pir_kernel_text_is(const pir_kernel_call *call, int k, const char *text) {
  return pir_str_equal(pir_kernel_text(call, k), pir_str_from(text));
}

static bool is_empty_list(const pir_attr_value *value) {
  bool list = value->kind == PIR_VALUE_INTS || value->kind == PIR_VALUE_FLOATS ||
              value->kind == PIR_VALUE_TEXTS;
  return list && !value->count;
}

pir_int_list pir_kernel_ints(const pir_kernel_call *call, int k) {
  const pir_attr_value *value = attribute_at(call, k);
  if (value->kind == PIR_VALUE_INTS)
    return (pir_int_list){value->ints, value->count};
  if (!is_empty_list(value))
    note_misread(call, k, PIR_VALUE_INTS);
  return (pir_int_list){NULL, 0};
}

pir_float_list pir_kernel_floats(const pir_kernel_call *call, int k) {
  const pir_attr_value *value = attribute_at(call, k);
  if (value->kind == PIR_VALUE_FLOATS)
    return (pir_float_list){value->floats, value->count};
  if (!is_empty_list(value))
    note_misread(call, k, PIR_VALUE_FLOATS);
  return (pir_float_list){NULL, 0};
}

size_t pir_kernel_numbers(const pir_kernel_call *call, int k, pir_tensor *out) {
  bool floats = attribute_at(call, k)->kind == PIR_VALUE_FLOATS;
  pir_float_list reals = {NULL, 0};
  pir_int_list ints = {NULL, 0};
  if (floats)
    reals = pir_kernel_floats(call, k);
  else
    ints = pir_kernel_ints(call, k);
  const void *items = floats ? (const void *)reals.floats : ints.ints;
  out->dtype = floats ? PIR_F64 : PIR_I64;
  out->data = (void *)(uintptr_t)items;
  return floats ? reals.count : ints.count;
}

static pir_status fail_for_kind(const pir_kernel_call *call, int misread) {
  static const char *const names[] = {"nothing",  "an integer", "a number", "a text",
                                      "integers", "numbers",    "texts",    "a dtype"};
  int k = (misread - 1) / KINDS;
  return pir_kernel_fail(call, PIR_INVALID, "%s: attribute %d is not %s", call->op, k,
                         names[(misread - 1) % KINDS]);
}

pir_status pir_kernel_run(const pir_kernel_call *call) {
  if (!call->kernel)
    return pir_clause_run(call);
  int misread = 0;
  pir_kernel_call watched = *call;
  watched.misread = &misread;
  pir_status status = call->kernel->run(&watched);
  misread = __atomic_load_n(&misread, __ATOMIC_RELAXED);
  return misread ? fail_for_kind(call, misread) : status;
}
