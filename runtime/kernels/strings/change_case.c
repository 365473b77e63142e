// Tensors of strings: empty ones, and copies in lower or upper case. O(bytes), and a bisection
// of the table for each letter outside of ASCII.
#include <string.h>

#include "kernels.h"
#include "letter_case.h"

// A block is a whole number of alignments long: memory that ends with its page begins aligned.
enum { BLOCK_ALIGNMENT = 16 };

char *pir_kernel_new_text(const pir_kernel_call *call, size_t size) {
  pir_text_block *block = NULL;
  size_t bytes, most = sizeof *block + BLOCK_ALIGNMENT - 1;
  if (call->texts && !__builtin_add_overflow(size, most, &bytes)) {
    bytes -= bytes % BLOCK_ALIGNMENT;
    block = pir_kernel_alloc_kept(call, bytes);
  }
  if (!block) {
    pir_ignore(pir_kernel_fail(call, PIR_EXHAUSTED, "%s: no room for strings of %zu bytes",
                               call->op, size));
    return NULL;
  }
  *block = (pir_text_block){.next = *call->texts, .bytes = bytes};
  *call->texts = block;
  return block->text;
}

// ---- letters

typedef struct letter_cases {
  const case_run *runs;
  size_t count;
  char first;  // of the 26 letters of ASCII that change
  bool utf8;   // letters outside of ASCII change too
} letter_cases;

static uint32_t other_case(const letter_cases *cases, uint32_t letter) {
  size_t low = 0, high = cases->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const case_run *run = &cases->runs[middle];
    if (letter < run->first)
      high = middle;
    else if (letter > run->last)
      low = middle + 1;
    else
      return (letter - run->first) % (uint32_t)run->step ? letter
                                                         : letter + (uint32_t)run->change;
  }
  return letter;
}

// Decodes the code point of several bytes at `at`, and returns their number. 1 for bytes that
// are no UTF-8: too few, overlong, a surrogate, or beyond U+10FFFF.
static size_t decode_letter(const uint8_t *at, size_t left, uint32_t *out_letter) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t n = 1 + (*at >= 0xc2) + (*at >= 0xe0) + (*at >= 0xf0);
  uint32_t letter = *at & (0xffu >> (n + 1));
  if (n == 1 || *at > 0xf4 || n > left)
    return 1;
  for (size_t i = 1; i < n; i++) {
    if ((at[i] & 0xc0) != 0x80)
      return 1;
    letter = letter << 6 | (at[i] & 0x3f);
  }
  if (letter < least[n] || letter > 0x10ffff || (letter >= 0xd800 && letter < 0xe000))
    return 1;
  *out_letter = letter;
  return n;
}

static size_t encode_letter(uint32_t letter, uint8_t out[4]) {
  size_t n = 1 + (letter >= 0x80) + (letter >= 0x800) + (letter >= 0x10000);
  for (size_t i = n; i-- > 1; letter >>= 6)
    out[i] = (uint8_t)(0x80 | (letter & 0x3f));
  out[0] = (uint8_t)(n == 1 ? letter : (0xff00u >> n) | letter);
  return n;
}

// Writes a string in the other case and returns its size. Where `to` is NULL, nothing is
// written.
static size_t change_string(const letter_cases *cases, pir_str from, char *to) {
  const uint8_t *at = (const uint8_t *)from.data, *end = from.size ? at + from.size : at;
  size_t size = 0;
  for (size_t taken; at < end; at += taken) {
    uint32_t letter = *at;
    uint8_t out[4] = {*at};
    size_t n = 1;
    taken = 1;
    if (*at < 0x80)
      out[0] ^= (uint8_t)((unsigned)(*at - cases->first) < 26 ? 0x20 : 0);
    else if (cases->utf8)
      taken = decode_letter(at, (size_t)(end - at), &letter);
    if (taken > 1)
      n = encode_letter(other_case(cases, letter), out);
    if (to)
      memcpy(to + size, out, n);
    size += n;
  }
  return size;
}

// ---- kernels

static pir_str *string_of(const pir_tensor *t, int64_t i) {
  return pir_tensor_element(t, i);
}

// operands: x; attributes: use_utf8_encoding
static pir_status change_strings(const pir_kernel_call *call, letter_cases cases) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  pir_tensor *out = pir_kernel_out(call, 0);
  size_t total = 0;
  if (!x || !out)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  if (x->dtype != PIR_PSTRING || out->dtype != PIR_PSTRING ||
      pir_tensor_numel(x) != pir_tensor_numel(out))
    return pir_kernel_fail(call, PIR_INVALID, "%s: expects as many strings as x has", call->op);
  cases.utf8 = pir_kernel_int(call, 0) != 0;
  int64_t n = pir_tensor_numel(x);
  for (int64_t i = 0; i < n; i++)
    if (__builtin_add_overflow(total, change_string(&cases, *string_of(x, i), NULL), &total))
      return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: the strings are too long", call->op);
  char *text = total ? pir_kernel_new_text(call, total) : NULL;
  if (total && !text)
    return PIR_EXHAUSTED;
  for (int64_t i = 0; i < n; i++) {
    size_t size = change_string(&cases, *string_of(x, i), text);
    *string_of(out, i) = (pir_str){size ? text : NULL, size};
    text = size ? text + size : text;
  }
  return PIR_OK;
}

pir_status pir_kernel_strings_lower(const pir_kernel_call *call) {
  return change_strings(call, (letter_cases){.runs = to_lower,
                                             .count = sizeof to_lower / sizeof *to_lower,
                                             .first = 'A'});
}

pir_status pir_kernel_strings_upper(const pir_kernel_call *call) {
  return change_strings(call, (letter_cases){.runs = to_upper,
                                             .count = sizeof to_upper / sizeof *to_upper,
                                             .first = 'a'});
}

pir_status pir_kernel_strings_empty(const pir_kernel_call *call) {
  pir_tensor *out = pir_kernel_out(call, 0);
  if (!out || out->dtype != PIR_PSTRING)
    return pir_kernel_fail(call, PIR_INVALID, "%s: expects a result of strings", call->op);
  for (int64_t i = 0, n = pir_tensor_numel(out); i < n; i++)
    *string_of(out, i) = (pir_str){0};
  return PIR_OK;
}
