// Ops that look at a tensor and pass it on: print, assert, and the choice of a result.
#include <stdio.h>
#include <string.h>

#include "kernels.h"

enum { TEXT_BYTES = 4096, ROOM_FOR_ELEMENT = 32 };

typedef struct text {
  char bytes[TEXT_BYTES];
  size_t size;
} text;

static void add_text(text *t, const char *s, size_t size) {
  size_t room = sizeof t->bytes - 1 - t->size;
  if (size > room)
    size = room;
  memcpy(t->bytes + t->size, s, size);
  t->size += size;
}

static void add_word(text *t, const char *s) {
  add_text(t, s, strlen(s));
}

static void add_element(text *t, const pir_tensor *x, int64_t i) {
  char number[ROOM_FOR_ELEMENT];
  if (pir_dtype_is_float(x->dtype))
    (void)pir_text_format(number, sizeof number, "%s%.8g", i ? " " : "",
                          pir_tensor_float_at(x, i));
  else
    (void)pir_text_format(number, sizeof number, "%s%lld", i ? " " : "",
                          (long long)pir_tensor_int_at(x, i));
  add_word(t, number);
}

static void add_shape(text *t, const pir_tensor *x) {
  char number[ROOM_FOR_ELEMENT];
  add_word(t, "  - shape: [");
  for (int d = 0; d < x->rank; d++) {
    (void)pir_text_format(number, sizeof number, "%s%lld", d ? ", " : "",
                          (long long)x->shape[d]);
    add_word(t, number);
  }
  add_word(t, "]\n");
}

// Adds the first elements: all if `most` is negative, as far as the text has room.
static void add_elements(text *t, const pir_tensor *x, int64_t most) {
  int64_t n = pir_tensor_numel(x);
  if (most >= 0 && n > most)
    n = most;
  for (int64_t i = 0; i < n && t->size + 2 * ROOM_FOR_ELEMENT < sizeof t->bytes; i++)
    add_element(t, x, i);
}

// operand: in; attributes: first_n, message, summarize, print_tensor_name, print_tensor_type,
// print_tensor_shape, print_tensor_layout, print_tensor_lod, print_phase, is_forward. Writes to
// the standard error stream; a kernel counts no calls, so `first_n` has no effect.
pir_status pir_kernel_print(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  pir_str message = pir_kernel_text(call, 1);
  bool forward = pir_kernel_int(call, 9);
  bool silent = pir_kernel_text_is(call, 8, forward ? "BACKWARD" : "FORWARD") ||
                pir_kernel_text_is(call, 8, forward ? "backward" : "forward");
  text t = {.size = 0};
  if (!silent) {
    add_word(&t, "Variable:\n  - message: ");
    add_text(&t, message.data, message.size);
    add_word(&t, "\n");
    if (pir_kernel_int(call, 5))
      add_shape(&t, x);
    if (pir_kernel_int(call, 4)) {
      add_word(&t, "  - dtype: ");
      add_word(&t, pir_dtype_name(x->dtype));
      add_word(&t, "\n");
    }
    add_word(&t, "  - data: [");
    add_elements(&t, x, pir_kernel_int(call, 2));
    add_word(&t, "]\n");
    fwrite(t.bytes, 1, t.size, stderr);
  }
  return pir_tensor_copy(x, pir_kernel_out(call, 0));
}

// operands: cond, data..; attribute: summarize, the number of elements that the message shows
pir_status pir_kernel_assert(const pir_kernel_call *call) {
  const pir_tensor *cond = pir_kernel_in(call, 0);
  const pir_tensor *shown = pir_kernel_in(call, 1);
  text t = {.size = 0};
  int64_t n = pir_tensor_numel(cond);
  for (int64_t i = 0; i < n; i++) {
    if (pir_tensor_int_at(cond, i))
      continue;
    if (shown) {
      add_word(&t, "; data: ");
      add_elements(&t, shown, pir_kernel_int(call, 0));
    }
    return pir_kernel_fail(call, PIR_INVALID, "%s: cond: expects true, found false%.*s",
                           call->op, (int)t.size, t.bytes);
  }
  return PIR_OK;
}

// operands: mask, the number of the result that is x; x. The other result has no elements.
pir_status pir_kernel_select_output(const pir_kernel_call *call) {
  const pir_tensor *mask = pir_kernel_in(call, 0);
  const pir_tensor *x = pir_kernel_in(call, 1);
  int64_t chosen = pir_tensor_numel(mask) == 1 ? pir_tensor_int_at(mask, 0) : -1;
  if (chosen < 0 || chosen >= call->result_count)
    return pir_kernel_fail(call, PIR_INVALID, "%s: mask: expects a number below %d", call->op,
                           (int)call->result_count);
  for (int i = 0; i < call->result_count; i++) {
    pir_tensor *out = pir_kernel_out(call, i);
    const int64_t empty[1] = {0};
    const int64_t *shape = i == chosen ? x->shape : empty;
    PIR_TRY(pir_kernel_shape_result(call, out, x->dtype, shape, i == chosen ? x->rank : 1));
    if (i == chosen)
      PIR_TRY(pir_tensor_copy(x, out));
  }
  return PIR_OK;
}
