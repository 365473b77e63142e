// Formats into a caller's buffer, for code that has neither arena nor sink. Uses the string
// buffer's formatter over a writer that drops the characters that do not fit.
#include <strbuf.h>

typedef struct cut {
  char *out;
  size_t left;  // without the NUL
} cut;

static bool write_cut(void *user, const char *data, size_t size) {
  cut *c = user;
  size_t n = size < c->left ? size : c->left;
  memcpy(c->out, data, n);
  c->out += n;
  c->left -= n;
  return true;
}

size_t pir_text_vformat(char *out, size_t size, const char *format, va_list args) {
  if (!size)
    return 0;
  char buffer[128];
  cut c = {out, size - 1};
  pir_strbuf buf;
  pir_strbuf_init_writer(&buf, (pir_writer){write_cut, &c}, buffer, sizeof buffer);
  pir_strbuf_vformat(&buf, format, args);
  pir_strbuf_flush(&buf);
  *c.out = 0;
  return (size_t)(c.out - out);
}

size_t pir_text_format(char *out, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  size_t n = pir_text_vformat(out, size, format, args);
  va_end(args);
  return n;
}
