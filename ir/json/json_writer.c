// Writes JSON text byte for byte in the layout of Paddle's writer: no spaces, or 4-space
// indentation.
#include "json_writer_impl.h"

#include <string.h>

static void new_line(pir_json_writer *w) {
  if (!w->indent)
    return;
  pir_strbuf_char(&w->out, '\n');
  pir_strbuf_fill(&w->out, ' ', (size_t)w->depth * 4);
}

void pir_json_next_item(pir_json_writer *w) {
  if (!w->fresh)
    pir_strbuf_char(&w->out, ',');
  if (w->depth)
    new_line(w);
  w->fresh = false;
}

void pir_json_open(pir_json_writer *w, char bracket) {
  pir_strbuf_char(&w->out, bracket);
  w->depth++;
  w->fresh = true;
}

void pir_json_close(pir_json_writer *w, char bracket) {
  w->depth--;
  if (!w->fresh)
    new_line(w);
  w->fresh = false;
  pir_strbuf_char(&w->out, bracket);
}

void pir_json_refuse(pir_json_writer *w, const char *format, ...) {
  if (w->status)
    return;
  pir_strbuf message;
  pir_strbuf_init(&message, &w->ctx->arena);
  va_list args;
  va_start(args, format);
  pir_strbuf_vformat(&message, format, args);
  va_end(args);
  pir_str name = w->op ? pir_op_name(w->op) : PIR_STR("program");
  w->status = pir_report(w->ctx, PIR_UNSUPPORTED, PIR_ERROR,
                         w->op ? pir_op_loc(w->op) : PIR_LOC_UNKNOWN,
                         "unsupported: \"%.*s\": PIR JSON cannot hold %.*s", (int)name.size,
                         name.data, (int)message.size, message.data);
  pir_strbuf_free(&message);
}

// Returns the size of the UTF-8 sequence at `at`; 0 if it is invalid: overlong, a surrogate,
// truncated, or NUL.
static size_t sequence_size(const unsigned char *at, size_t left) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  static const uint8_t sizes[16] = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 3, 4};
  size_t size = sizes[*at >> 4];
  if (*at < 0x80)
    return *at != 0;
  if (size == 0 || size > left || *at >= 0xf8)
    return 0;
  uint32_t code = *at & (0x7fu >> size);
  for (size_t i = 1; i < size; i++) {
    if ((at[i] & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (at[i] & 0x3f);
  }
  return code >= least[size] && code < 0x110000 && code - 0xd800 >= 0x800 ? size : 0;
}

static bool is_utf8(pir_str text) {
  for (size_t i = 0, size; i < text.size; i += size) {
    size = sequence_size((const unsigned char *)text.data + i, text.size - i);
    if (!size)
      return false;
  }
  return true;
}

void pir_json_string(pir_json_writer *w, pir_str text) {
  static const char hex[] = "0123456789abcdef";
  if (!is_utf8(text))
    pir_json_refuse(w, "text that is not UTF-8 or has a NUL");
  pir_strbuf_char(&w->out, '"');
  for (size_t i = 0, from = 0; i <= text.size; i++) {
    unsigned char c = i < text.size ? (unsigned char)text.data[i] : 0;
    if (i < text.size && c >= 0x20 && c != '"' && c != '\\')
      continue;
    if (i > from)
      pir_strbuf_put(&w->out, text.data + from, i - from);
    from = i + 1;
    if (i == text.size)
      break;
    const char *letter = c ? strchr("\"\"\\\\\bb\ff\nn\rr\tt", c) : NULL;
    pir_strbuf_char(&w->out, '\\');
    if (letter)
      pir_strbuf_char(&w->out, letter[1]);
    else
      pir_strbuf_format(&w->out, "u00%c%c", hex[c >> 4], hex[c & 15]);
  }
  pir_strbuf_char(&w->out, '"');
}

void pir_json_key(pir_json_writer *w, const char *key) {
  pir_json_next_item(w);
  pir_strbuf_char(&w->out, '"');
  pir_strbuf_put(&w->out, key, strlen(key));
  pir_strbuf_char(&w->out, '"');
  pir_strbuf_char(&w->out, ':');
  if (w->indent)
    pir_strbuf_char(&w->out, ' ');
}

void pir_json_text_key(pir_json_writer *w, const char *key, const char *text) {
  pir_json_key(w, key);
  pir_json_string(w, pir_str_from(text));
}

void pir_json_int_item(pir_json_writer *w, int64_t value) {
  pir_json_next_item(w);
  pir_strbuf_int(&w->out, value);
}

void pir_json_int_list(pir_json_writer *w, const int64_t *values, size_t count) {
  pir_json_open(w, '[');
  for (size_t i = 0; i < count; i++)
    pir_json_int_item(w, values[i]);
  pir_json_close(w, ']');
}
