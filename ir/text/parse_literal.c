// Numbers, strings and opaque texts, as attributes in text.
#include "parse_attr_impl.h"

#include <math.h>

// ---- numbers

bool pir_text_is_integral(pir_str text) {
  return !memchr(text.data, '.', text.size) && !memchr(text.data, 'e', text.size) &&
         !memchr(text.data, 'E', text.size);
}

static const pir_attr *make_int(pir_parser *p, pir_attr_kind kind) {
  int64_t value = 0;
  if (!pir_text_read_int(p->text, &value)) {
    pir_parse_fail(p, "%.*s does not fit 64 bits", (int)p->text.size, p->text.data);
    return NULL;
  }
  if (kind == PIR_ATTR_NONE)
    kind = value >= INT32_MIN && value <= INT32_MAX ? PIR_ATTR_I32 : PIR_ATTR_I64;
  if (kind == PIR_ATTR_I32 && (value < INT32_MIN || value > INT32_MAX)) {
    pir_parse_fail(p, "%.*s does not fit an int32", (int)p->text.size, p->text.data);
    return NULL;
  }
  return kind == PIR_ATTR_BOOL ? pir_attr_bool(p->ctx, value != 0)
                               : pir_attr_int(p->ctx, kind, value);
}

static double special_value(pir_str text) {
  bool negative = text.data[0] == '-';
  const char *at = text.data + negative, *paren = memchr(text.data, '(', text.size);
  double value = *at == 'i' ? (double)INFINITY : (double)NAN;
  if (paren) {  // nan(0x7ff8000000000001)
    uint64_t bits = 0;
    for (const char *c = paren + 3; c < text.data + text.size - 1; c++)
      bits = bits << 4 | pir_text_hex(*c);
    memcpy(&value, &bits, sizeof value);
  }
  return negative ? -value : value;
}

static bool read_real(pir_parser *p, pir_str text, double *out_value) {
  char first = text.data[text.data[0] == '-'];
  if (first == 'i' || first == 'n')
    *out_value = special_value(text);
  else if (!pir_text_read_float(text, out_value))
    return pir_parse_fail(p, "%.*s is out of range", (int)text.size, text.data);
  return true;
}

static const pir_attr *make_float(pir_parser *p, pir_attr_kind kind) {
  double value;
  if (p->token == PIR_TOK_HEX || !read_real(p, p->text, &value))
    return NULL;
  // Without a stated kind, f32 is used unless it would overflow or underflow.
  bool lost = isfinite(value) && (isinf((float)value) || ((float)value == 0 && value != 0));
  if (!pir_attr_kind_is_float(kind))
    kind = lost ? PIR_ATTR_F64 : PIR_ATTR_F32;
  return pir_attr_float(p->ctx, kind, value);
}

// Reads the current number with the wanted kind if its text allows it.
const pir_attr *pir_parse_number(pir_parser *p, pir_attr_kind kind) {
  bool integral = p->token == PIR_TOK_NUMBER && pir_text_is_integral(p->text);
  // Scalars are plain numbers. In this text a float has at most six digits, so more digits mean
  // an integer.
  if (kind == PIR_ATTR_SCALAR)
    kind =
        integral && p->text.size > 6u + (p->text.data[0] == '-') ? PIR_ATTR_I64 : PIR_ATTR_F64;
  // Without a stated kind "-0" is a float, because no integer prints so.
  if (kind == PIR_ATTR_NONE && pir_str_equal(p->text, PIR_STR("-0")))
    integral = false;
  const pir_attr *attr;
  if (kind == PIR_ATTR_C64 || kind == PIR_ATTR_C128) {
    double value;
    if (!read_real(p, p->text, &value))
      return NULL;
    attr = pir_attr_complex(p->ctx, kind, value, 0);
  } else if (pir_attr_kind_is_float(kind) || !integral) {
    attr = make_float(p, kind);
  } else {
    bool declared = pir_attr_kind_is_int(kind) || kind == PIR_ATTR_BOOL;
    attr = make_int(p, declared ? kind : PIR_ATTR_NONE);
  }
  if (attr)
    pir_parse_next(p);
  return attr;
}

// real:1.5 imag:-2
const pir_attr *pir_parse_complex(pir_parser *p, pir_attr_kind kind) {
  double re, im;
  const char *space = memchr(p->text.data, ' ', p->text.size),
             *end = p->text.data + p->text.size;
  pir_str real = {p->text.data + 5, (size_t)(space - p->text.data) - 5},
          imaginary = {space + 6, (size_t)(end - space) - 6};
  if (!read_real(p, real, &re) || !read_real(p, imaginary, &im))
    return NULL;
  pir_parse_next(p);
  return pir_attr_complex(p->ctx, kind == PIR_ATTR_C128 ? kind : PIR_ATTR_C64, re, im);
}

const pir_attr *pir_parse_pointer(pir_parser *p) {
  uint64_t value = 0;
  if (p->token != PIR_TOK_HEX || p->text.size > 18) {
    pir_parse_expected(p, "an address");
    return NULL;
  }
  for (size_t i = 2; i < p->text.size; i++)
    value = value << 4 | pir_text_hex(p->text.data[i]);
  pir_parse_next(p);
  return pir_attr_pointer(p->ctx, value);
}

// ---- strings

static bool is_hex_digit(char c) {
  char letter = (char)(c | 0x20);
  return (c >= '0' && c <= '9') || (letter >= 'a' && letter <= 'f');
}

bool pir_parse_unescape(pir_parser *p, pir_str quoted, char **out_text, size_t *out_size) {
  char *text = pir_arena_alloc(p->arena, quoted.size), *to = text;
  const char *at = quoted.data + 1, *end = quoted.data + quoted.size - 1;
  bool good = true;
  while (at < end && good) {
    if (*at != '\\') {
      *to++ = *at++;
      continue;
    }
    char c = at[1];
    at += 2;
    if (c == 'n')
      *to++ = '\n';
    else if (c == 't')
      *to++ = '\t';
    else if (c == '"' || c == '\\')
      *to++ = c;
    else if (c == 'x' && end - at >= 2) {
      good = is_hex_digit(at[0]) && is_hex_digit(at[1]);
      *to++ = (char)(pir_text_hex(at[0]) << 4 | pir_text_hex(at[1]));
      at += 2;
    } else {
      good = false;
    }
  }
  size_t size = (size_t)(to - text);
  // The block is shrunk to the text, because the caller frees it by the text's size.
  *out_text = pir_arena_copy(p->arena, text, size);
  *out_size = size;
  pir_arena_free(p->arena, text, quoted.size);
  return good || pir_parse_fail(
                     p, "unknown escape in a string; \\\" \\\\ \\n \\t \\xHH are understood");
}

// ".." of Paddle's text: only the quote is escaped.
const pir_attr *pir_parse_string(pir_parser *p, pir_attr_kind kind) {
  pir_str body = {p->text.data + 1, p->text.size - 2};
  if (kind != PIR_ATTR_TENSOR_NAME)
    kind = PIR_ATTR_STR;
  const pir_attr *attr;
  if (!memchr(body.data, '\\', body.size)) {
    attr = pir_attr_str(p->ctx, kind, body);
  } else {
    char *text = pir_arena_alloc(p->arena, body.size);
    size_t size = 0;
    for (size_t i = 0; i < body.size; i++) {
      if (body.data[i] == '\\' && i + 1 < body.size && body.data[i + 1] == '"')
        i++;
      text[size++] = body.data[i];
    }
    attr = pir_attr_str(p->ctx, kind, (pir_str){text, size});
    pir_arena_free(p->arena, text, body.size);
  }
  pir_parse_next(p);
  return attr;
}

// (str)"..", (name)"..", (opaque)".."
const pir_attr *pir_parse_escaped(pir_parser *p) {
  const char *quote = memchr(p->text.data, '"', p->text.size);
  pir_str quoted = {quote, (size_t)(p->text.data + p->text.size - quote)};
  char *text;
  size_t size;
  if (!pir_parse_unescape(p, quoted, &text, &size))
    return NULL;
  pir_attr_kind kind = PIR_ATTR_OPAQUE;
  if (p->text.data[1] == 's')
    kind = PIR_ATTR_STR;
  else if (p->text.data[1] == 'n')
    kind = PIR_ATTR_TENSOR_NAME;
  const pir_attr *attr = pir_attr_str(p->ctx, kind, (pir_str){text, size});
  pir_arena_free(p->arena, text, size);
  pir_parse_next(p);
  return attr;
}

static bool is_one_of(int token, const char *characters) {
  return token > 0 && token < 128 && strchr(characters, token);
}

pir_str pir_parse_raw(pir_parser *p) {
  const char *start = p->text.data, *end = start;
  for (int depth = 0; p->token != PIR_TOK_END; pir_parse_next(p)) {
    bool opens = is_one_of(p->token, "([{<"), closes = is_one_of(p->token, ")]}>");
    if (depth == 0 && (closes || p->token == ','))
      break;
    depth += opens - closes;
    end = p->text.data + p->text.size;
  }
  return (pir_str){p->source.data + (start - p->copy), (size_t)(end - start)};
}

const pir_attr *pir_parse_opaque_from(pir_parser *p, const char *start) {
  pir_str rest = pir_parse_raw(p);
  const char *from = p->source.data + (start - p->copy);
  return pir_attr_str(p->ctx, PIR_ATTR_OPAQUE,
                      (pir_str){from, (size_t)(rest.data + rest.size - from)});
}
