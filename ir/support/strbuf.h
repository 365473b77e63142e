// Text under construction, in an arena or on its way to a writer. It has its own formatter,
// because libraries do not use the printf family.
#ifndef PIR_SUPPORT_STRBUF_H
#define PIR_SUPPORT_STRBUF_H

#include <arena.h>

#include <stdarg.h>
#include <string.h>

typedef struct pir_strbuf {
  char *data;
  size_t size, capacity;
  pir_arena *arena;  // memory: where `data` grows. NULL: `data` is the caller's buffer, emptied
                     // into `writer`
  pir_writer writer;
  bool failed;  // the writer stopped; later text is dropped
} pir_strbuf;

// Collects text in memory, which pir_strbuf_free releases.
void pir_strbuf_init(pir_strbuf *buf, pir_arena *arena);
// Writes to `writer` through `buffer` (a few KiB of the caller's); pir_strbuf_flush completes
// the output.
void pir_strbuf_init_writer(pir_strbuf *buf, pir_writer writer, char *buffer, size_t size);
void pir_strbuf_free(pir_strbuf *buf);
bool pir_strbuf_flush(pir_strbuf *buf);  // false when the writer stopped at any time

void pir_strbuf_grow(pir_strbuf *buf, const char *data,
                     size_t size);  // slow path of pir_strbuf_put

static inline void pir_strbuf_put(pir_strbuf *buf, const char *data, size_t size) {
  if (!size)
    return;
  if (size <= buf->capacity - buf->size) {
    memcpy(buf->data + buf->size, data, size);
    buf->size += size;
  } else {
    pir_strbuf_grow(buf, data, size);
  }
}

static inline void pir_strbuf_char(pir_strbuf *buf, char c) {
  if (buf->size < buf->capacity)
    buf->data[buf->size++] = c;
  else
    pir_strbuf_grow(buf, &c, 1);
}

static inline void pir_strbuf_str(pir_strbuf *buf, pir_str text) {
  pir_strbuf_put(buf, text.data, text.size);
}
#define pir_strbuf_lit(buf, literal) pir_strbuf_put((buf), (literal), sizeof(literal) - 1)

void pir_strbuf_fill(pir_strbuf *buf, char c, size_t n);
void pir_strbuf_int(pir_strbuf *buf, int64_t value);
void pir_strbuf_uint(pir_strbuf *buf, uint64_t value);
// `format` is one conversion of strfromd: "%.6g".
void pir_strbuf_float(pir_strbuf *buf, const char *format, double value);
// Supports %s %.*s %c %d %i %u %x with h, l, ll, z, j, and %g %f %e with a precision, %%.
void pir_strbuf_format(pir_strbuf *buf, const char *format, ...) PIR_PRINTF(2, 3);
void pir_strbuf_vformat(pir_strbuf *buf, const char *format, va_list args);

static inline pir_str pir_strbuf_view(const pir_strbuf *buf) {
  return (pir_str){buf->data, buf->size};
}

#endif
