// Finds the Python line that created an op. A legacy program stores the Python frames of each
// op as lines of text, outermost first; a frame is `  File "path", line N, in function`
// followed by its source line. The innermost frame outside of Paddle is the user's.
#include <pir/layer/origin.h>
#include <string.h>

#include "desc.h"
#include "wire.h"

typedef struct frame {
  pir_str file;
  uint32_t line;
  pir_str source;
} frame;

static void trim(pir_str *text) {
  while (text->size && *text->data == ' ') {
    text->data++;
    text->size--;
  }
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
    if (!pir_python_frame(lines[i % LAST_LINES], &f.file, &f.line))
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
