// Finds the Python line that created an op. A legacy program stores the Python frames of each
// op as lines of text, outermost first; a frame is `  File "path", line N, in function`
// followed by its source line. The innermost frame outside of Paddle is the user's.
#include <string.h>

#include "desc.h"
#include "wire.h"

typedef struct frame {
  pir_str file;
  uint32_t line;
  pir_str source;
} frame;

// Removes `prefix`; false if the text does not start with it.
static bool skip_prefix(pir_str *text, pir_str prefix) {
  if (text->size < prefix.size || memcmp(text->data, prefix.data, prefix.size))
    return false;
  text->data += prefix.size;
  text->size -= prefix.size;
  return true;
}

static void trim(pir_str *text) {
  while (text->size && *text->data == ' ') {
    text->data++;
    text->size--;
  }
}

static bool read_frame(pir_str text, frame *out) {
  const char *quote;
  trim(&text);
  if (!skip_prefix(&text, PIR_STR("File \"")))
    return false;
  quote = text.size ? memchr(text.data, '"', text.size) : NULL;
  if (!quote)
    return false;
  out->file = (pir_str){text.data, (size_t)(quote - text.data)};
  text = (pir_str){quote, text.size - out->file.size};
  if (!skip_prefix(&text, PIR_STR("\", line ")))
    return false;
  out->line = 0;
  for (; text.size && *text.data >= '0' && *text.data <= '9' && out->line < 100000000;
       text.data++, text.size--)
    out->line = out->line * 10 + (uint32_t)(*text.data - '0');
  return out->line > 0;
}

// Whether a file is Paddle's own, or invented by Python ("<decorator-gen-50>").
static bool is_library(pir_str file) {
  return !file.size || *file.data == '<' || memmem(file.data, file.size, "/paddle/", 8) ||
         memmem(file.data, file.size, "/decorator.py", 13);
}

enum { LAST_LINES = 128 };  // lines kept of a stack; the user's frame is near its end

// Finds the user's innermost frame in an attribute's bytes, whose list entries are field 8;
// false if there is none. This runs for every op, so only frames after the user's are examined.
static bool user_frame(const ProtobufCBinaryData *attr, frame *out) {
  wire_reader in = {attr->data, attr->data + attr->len, NULL};
  wire_field wire;
  pir_str lines[LAST_LINES];
  size_t count = 0;
  while (wire_next(&in, &wire))
    if (wire.number == 8 && wire.kind == WIRE_BYTES)
      lines[count++ % LAST_LINES] = (pir_str){(const char *)wire.bytes, wire.size};
  for (size_t i = count, least = count > LAST_LINES ? count - LAST_LINES : 0; i-- > least;) {
    frame f = {0};
    if (!read_frame(lines[i % LAST_LINES], &f) || is_library(f.file))
      continue;
    if (i + 1 < count)
      f.source = lines[(i + 1) % LAST_LINES];
    *out = f;
    return true;
  }
  return false;
}

static bool op_frame(const op_desc *op, frame *out) {
  const attr_desc *stack = desc_attr(op, "op_callstack");
  return stack && stack->type == LEGACY__ATTR_TYPE__STRINGS && stack->s.len &&
         user_frame(&stack->s, out);
}

pir_loc desc_origin(pir_context *ctx, const op_desc *op, pir_loc otherwise) {
  frame f;
  return op_frame(op, &f) ? pir_loc_text(ctx, f.file, f.line, 0) : otherwise;
}

void desc_note_origin(pir_context *ctx, const op_desc *op) {
  frame f;
  if (!op_frame(op, &f))
    return;
  trim(&f.source);
  pir_ignore(pir_report(
      ctx, PIR_OK, PIR_NOTE, pir_loc_text(ctx, f.file, f.line, 0), "the op was made here: %.*s",
      (int)(f.source.size < 200 ? f.source.size : 200), f.source.data ? f.source.data : ""));
}
