// In memory the buffer doubles when full. With a writer it is flushed when full, and large
// pieces bypass it.

#include <strbuf.h>

#include <stdlib.h>

void pir_strbuf_init(pir_strbuf *buf, pir_arena *arena) {
  *buf = (pir_strbuf){.arena = arena};
}

void pir_strbuf_init_writer(pir_strbuf *buf, pir_writer writer, char *buffer, size_t size) {
  *buf = (pir_strbuf){.data = buffer, .capacity = size, .writer = writer};
}

void pir_strbuf_free(pir_strbuf *buf) {
  if (buf->arena)
    pir_arena_free(buf->arena, buf->data, buf->capacity);
  *buf = (pir_strbuf){.arena = buf->arena};
}

static void send(pir_strbuf *buf, const char *data, size_t size) {
  if (size && !buf->failed)
    buf->failed = !buf->writer.write(buf->writer.user, data, size);
}

bool pir_strbuf_flush(pir_strbuf *buf) {
  if (!buf->arena) {
    send(buf, buf->data, buf->size);
    buf->size = 0;
  }
  return !buf->failed;
}

void pir_strbuf_grow(pir_strbuf *buf, const char *data, size_t size) {
  if (!buf->arena) {
    pir_strbuf_flush(buf);
    if (size > buf->capacity) {
      send(buf, data, size);
      return;
    }
  } else {
    size_t capacity = buf->capacity ? buf->capacity * 2 : 256;
    while (capacity - buf->size < size)
      capacity = pir_arena_size(buf->arena, capacity, 2);
    buf->data = pir_arena_resize(buf->arena, buf->data, buf->capacity, capacity);
    buf->capacity = capacity;
  }
  memcpy(buf->data + buf->size, data, size);
  buf->size += size;
}

void pir_strbuf_fill(pir_strbuf *buf, char c, size_t n) {
  char run[64];
  memset(run, c, sizeof run);
  for (; n > sizeof run; n -= sizeof run)
    pir_strbuf_put(buf, run, sizeof run);
  pir_strbuf_put(buf, run, n);
}

static void put_digits(pir_strbuf *buf, uint64_t value, unsigned base) {
  char digits[24];
  size_t at = sizeof digits;
  do
    digits[--at] = "0123456789abcdef"[value % base];
  while (value /= base);
  pir_strbuf_put(buf, digits + at, sizeof digits - at);
}

void pir_strbuf_uint(pir_strbuf *buf, uint64_t value) {
  if (value < 10)
    pir_strbuf_char(buf, (char)('0' + value));
  else
    put_digits(buf, value, 10);
}

void pir_strbuf_int(pir_strbuf *buf, int64_t value) {
  if (value < 0)
    pir_strbuf_char(buf, '-');
  pir_strbuf_uint(buf, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void pir_strbuf_float(pir_strbuf *buf, const char *format, double value) {
  char text[400];  // %f of the largest double has 309 digits
  int n = strfromd(text, sizeof text, format, value);
  if (n < 0)
    return;
  pir_strbuf_put(buf, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

// One conversion after its '%'.
typedef struct conversion {
  int precision;  // -1: none
  int longs;      // 'l' seen; 2 for ll, z, j
  char type;
} conversion;

// The arguments are in a struct, so that helpers share one va_list on every ABI.
typedef struct arguments {
  va_list list;
} arguments;

static const char *read_conversion(const char *p, arguments *args, conversion *out) {
  *out = (conversion){.precision = -1};
  if (*p == '.') {
    out->precision = 0;
    if (*++p == '*') {
      out->precision = va_arg(args->list, int);
      p++;
    } else
      while (*p >= '0' && *p <= '9')
        out->precision = out->precision * 10 + (*p++ - '0');
  }
  for (;; p++) {
    if (*p == 'l')
      out->longs++;
    else if (*p == 'z' || *p == 'j' || *p == 't')
      out->longs = 2;
    else if (*p != 'h')
      break;
  }
  out->type = *p;
  return *p ? p + 1 : p;
}

static void put_string(pir_strbuf *buf, const char *text, int precision) {
  if (!text)
    text = "(null)";
  size_t size = precision >= 0 ? strnlen(text, (size_t)precision) : strlen(text);
  pir_strbuf_put(buf, text, size);
}

static void put_float(pir_strbuf *buf, conversion c, double value) {
  char format[16] = "%.";
  int precision = c.precision < 0 ? 6 : c.precision;
  if (precision > 300)
    precision = 300;
  size_t at = 2;
  if (precision >= 100)
    format[at++] = (char)('0' + precision / 100);
  if (precision >= 10)
    format[at++] = (char)('0' + precision / 10 % 10);
  format[at++] = (char)('0' + precision % 10);
  format[at++] = c.type;
  pir_strbuf_float(buf, format, value);
}

static void put_conversion(pir_strbuf *buf, conversion c, arguments *args) {
  switch (c.type) {
    case 's': put_string(buf, va_arg(args->list, const char *), c.precision); break;
    case 'c': pir_strbuf_char(buf, (char)va_arg(args->list, int)); break;
    case 'd':
    case 'i':
      pir_strbuf_int(buf, c.longs ? va_arg(args->list, int64_t) : va_arg(args->list, int));
      break;
    case 'u':
    case 'x':
      put_digits(buf, c.longs ? va_arg(args->list, uint64_t) : va_arg(args->list, unsigned),
                 c.type == 'x' ? 16 : 10);
      break;
    case 'g':
    case 'f':
    case 'e': put_float(buf, c, va_arg(args->list, double)); break;
    case '%': pir_strbuf_char(buf, '%'); break;
    default: break;
  }
}

void pir_strbuf_vformat(pir_strbuf *buf, const char *format, va_list list) {
  arguments args;
  va_copy(args.list, list);
  for (const char *p = format; *p;) {
    size_t plain = strcspn(p, "%");
    pir_strbuf_put(buf, p, plain);
    p += plain;
    if (!*p)
      break;
    conversion c;
    p = read_conversion(p + 1, &args, &c);
    put_conversion(buf, c, &args);
  }
  va_end(args.list);
}

void pir_strbuf_format(pir_strbuf *buf, const char *format, ...) {
  va_list args;
  va_start(args, format);
  pir_strbuf_vformat(buf, format, args);
  va_end(args);
}
