// Inputs of strings. The session copies elements and bytes when a run begins: results are views
// of these bytes, which live until the next run whatever the caller does with its own.
#include "session_impl.h"

#include <string.h>

// Adds up the bytes of all strings, which must have some where they have a size.
static pir_status count_bytes(pir_session *s, uint32_t input, int64_t n, size_t *out_bytes) {
  const pir_tensor *t = &s->inputs[input].tensor;
  size_t bytes = 0;
  for (int64_t i = 0; i < n; i++) {
    const pir_str *text = pir_tensor_element(t, i);
    if (text->size && !text->data)
      return pir_exec_fail(&s->frame.message, PIR_INVALID,
                           "input %u: string %lld has a size of %zu bytes, and no data", input,
                           (long long)i, text->size);
    if (__builtin_add_overflow(bytes, text->size, &bytes))
      return pir_exec_fail(&s->frame.message, PIR_EXHAUSTED,
                           "input %u: the strings are too long", input);
  }
  *out_bytes = bytes;
  return PIR_OK;
}

pir_status pir_session_copy_strings(pir_session *s, uint32_t input, void **out_data) {
  const pir_tensor *from = &s->inputs[input].tensor;
  owned_block *block = &s->inputs[input].dense;
  int64_t n = pir_tensor_numel(from);
  size_t all, bytes = 0, room = s->max_bytes - s->current->arena_bytes - s->string_bytes;
  PIR_TRY(count_bytes(s, input, n, &bytes));
  // The size is a multiple of an element's: a block that ends where its memory does is aligned.
  size_t gap = -bytes % sizeof(pir_str);
  if (__builtin_add_overflow(bytes, (size_t)n * sizeof(pir_str) + gap, &all) || all > room)
    return pir_exec_fail(&s->frame.message, PIR_EXHAUSTED,
                         "input %u: strings of %zu bytes, more than max_bytes allows", input,
                         bytes);
  PIR_TRY(pir_session_grow(s, block, all));
  s->string_bytes += all;
  pir_str *to = block->data;
  char *text = (char *)(to + n);
  for (int64_t i = 0; i < n; i++) {
    pir_str at = *(const pir_str *)pir_tensor_element(from, i);
    to[i] = (pir_str){at.size ? text : NULL, at.size};
    if (at.size)
      memcpy(text, at.data, at.size);
    text += at.size;
  }
  *out_data = block->data;
  return PIR_OK;
}
