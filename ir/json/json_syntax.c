// Checks whether a text is JSON, in one walk without allocation. Needed because jansson reports
// exhausted memory as a syntax error. As strict as jansson, except for the encoding of strings
// and the range of numbers, which jansson reports correctly.

#include <serialize_impl.h>

#include <string.h>

enum { DEPTH = 2048 };  // jansson's

typedef enum expected {
  VALUE,
  VALUE_OR_END,
  KEY,
  KEY_OR_END,
  COLON,
  COMMA_OR_END,
  END
} expected;

typedef struct syntax {
  const char *at, *end;
  size_t depth;
  bool is_object[DEPTH];
} syntax;

static void skip_json_space(syntax *s) {
  while (s->at < s->end &&
         (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
    s->at++;
}

static bool take_char(syntax *s, char c) {
  bool found = s->at < s->end && *s->at == c;
  s->at += found;
  return found;
}

static bool is_digit(const syntax *s) {
  return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

static bool take_digits(syntax *s) {
  bool any = is_digit(s);
  while (is_digit(s))
    s->at++;
  return any;
}

static bool take_number(syntax *s) {
  take_char(s, '-');
  bool zero = take_char(s, '0');
  if (zero ? is_digit(s) : !take_digits(s))
    return false;
  if (take_char(s, '.') && !take_digits(s))
    return false;
  if (!take_char(s, 'e') && !take_char(s, 'E'))
    return true;
  if (!take_char(s, '+'))
    take_char(s, '-');
  return take_digits(s);
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Reads the four digits after "\u"; -1 if they are missing.
static int take_unit(syntax *s) {
  int unit = 0;
  if (s->end - s->at < 4)
    return -1;
  for (int i = 0; i < 4; i++) {
    int digit = hex_digit(*s->at++);
    if (digit < 0)
      return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

static bool take_code_point(syntax *s) {
  int unit = take_unit(s);
  if (unit < 0xD800 || unit > 0xDFFF)
    return unit >= 0;
  if (unit >= 0xDC00 || !take_char(s, '\\') || !take_char(s, 'u'))
    return false;
  int low = take_unit(s);
  return low >= 0xDC00 && low <= 0xDFFF;
}

static bool take_escape(syntax *s) {
  if (take_char(s, 'u'))
    return take_code_point(s);
  if (s->at == s->end || !*s->at || !strchr("\"\\/bfnrt", *s->at))
    return false;
  s->at++;
  return true;
}

// Reads a string from after its opening quote.
static bool take_string(syntax *s) {
  while (s->at < s->end) {
    unsigned char c = (unsigned char)*s->at++;
    if (c == '"')
      return true;
    if (c < 0x20 || (c == '\\' && !take_escape(s)))
      return false;
  }
  return false;
}

static bool take_word(syntax *s, const char *word) {
  size_t size = strlen(word);
  if ((size_t)(s->end - s->at) < size || memcmp(s->at, word, size) != 0)
    return false;
  s->at += size;
  return true;
}

static expected after_value(const syntax *s) {
  return s->depth ? COMMA_OR_END : END;
}

static bool enter_bracket(syntax *s, bool is_object, expected *io_next) {
  if (s->depth == DEPTH)
    return false;
  s->is_object[s->depth++] = is_object;
  *io_next = is_object ? KEY_OR_END : VALUE_OR_END;
  return true;
}

static bool take_value(syntax *s, expected *io_next) {
  if (take_char(s, '{'))
    return enter_bracket(s, true, io_next);
  if (take_char(s, '['))
    return enter_bracket(s, false, io_next);
  *io_next = after_value(s);
  if (take_char(s, '"'))
    return take_string(s);
  if (take_word(s, "true") || take_word(s, "false") || take_word(s, "null"))
    return true;
  return take_number(s);
}

static bool take_key(syntax *s, expected *io_next) {
  *io_next = COLON;
  return take_char(s, '"') && take_string(s);
}

static bool take_close_bracket(syntax *s, expected *io_next) {
  bool closed = take_char(s, s->is_object[s->depth - 1] ? '}' : ']');
  if (!closed)
    return false;
  s->depth--;
  *io_next = after_value(s);
  return true;
}

static bool take_next(syntax *s, expected *io_next) {
  switch (*io_next) {
    case VALUE: return take_value(s, io_next);
    case VALUE_OR_END: return take_close_bracket(s, io_next) || take_value(s, io_next);
    case KEY: return take_key(s, io_next);
    case KEY_OR_END: return take_close_bracket(s, io_next) || take_key(s, io_next);
    case COLON: *io_next = VALUE; return take_char(s, ':');
    case COMMA_OR_END: break;
    case END: return false;
  }
  if (take_close_bracket(s, io_next))
    return true;
  *io_next = s->is_object[s->depth - 1] ? KEY : VALUE;
  return take_char(s, ',');
}

bool pir_json_is_well_formed(pir_str text) {
  syntax s = {.at = text.data, .end = text.data + text.size};
  expected next = VALUE;
  for (skip_json_space(&s); next != END; skip_json_space(&s))
    if (!take_next(&s, &next))
      return false;
  return s.at == s.end;
}
