// Tokens of `.drr`. Tokens with the same meaning as in IR text have the same form (%x, "..",
// words, numbers, punctuation); $holes, @helpers and operators are added. Variables of `for`
// are replaced here, in words, names and strings alike ($x or ${x}), so the parser never sees
// them.

#include <decimal.h>
#include "front.h"

#include <string.h>

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
static bool is_part(char c) {
  return is_letter(c) || is_digit(c);
}

static char peek(const drr_lexer *l, size_t ahead) {
  return l->at + ahead < l->text.size ? l->text.data[l->at + ahead] : 0;
}

static void skip_blank(drr_lexer *l) {
  for (; l->at < l->text.size; l->at++) {
    char c = peek(l, 0);
    if (c == '/' && peek(l, 1) == '/') {
      while (l->at < l->text.size && peek(l, 0) != '\n')
        l->at++;
      c = peek(l, 0);
    }
    if (c == '\n') {
      l->line++;
      l->line_start = l->at + 1;
    } else if (c != ' ' && c != '\t' && c != '\r')
      return;
  }
}

static const char *keep(drr_lexer *l, const char *text, size_t size) {
  return pir_name_str(pir_name_get(l->ctx, (pir_str){text, size})).data;
}

static const drr_token *variable(const drr_lexer *l, const char *name, size_t size) {
  for (size_t i = l->variable_count; i-- > 0;)
    if (strlen(l->variables[i].name) == size && memcmp(l->variables[i].name, name, size) == 0)
      return &l->variables[i].token;
  return NULL;
}

// Finds the variable mentioned at `text` ("$x" or "${x}"), and the length of the mention; NULL
// if there is none.
static const drr_token *mention(const drr_lexer *l, const char *text, const char *end,
                                size_t *out_size) {
  bool braces = text + 1 < end && text[1] == '{';
  const char *name = text + 1 + braces, *stop = name;
  while (stop < end && is_part(*stop))
    stop++;
  if (stop == name || (braces && (stop == end || *stop != '}')))
    return NULL;
  *out_size = (size_t)(stop - text) + braces;
  return variable(l, name, (size_t)(stop - name));
}

// Returns a text with its mentions of variables replaced.
static const char *replace_mentions(drr_lexer *l, const char *text, size_t size, bool escapes) {
  pir_strbuf out;
  size_t length;
  pir_strbuf_init(&out, pir_context_arena(l->ctx));
  for (const char *c = text, *end = text + size; c < end; c++) {
    const drr_token *t = *c == '$' ? mention(l, c, end, &length) : NULL;
    if (t) {
      pir_strbuf_put(&out, t->text, strlen(t->text));
      c += length - 1;
    } else {
      if (escapes && *c == '\\' && c + 1 < end)
        c++;
      pir_strbuf_char(&out, *c);
    }
  }
  const char *kept = keep(l, out.size ? out.data : text, out.size);
  pir_strbuf_free(&out);
  return kept;
}

// Reads a name, in which variables may be mentioned.
static drr_token name_token(drr_lexer *l, drr_token t, int kind, bool filled) {
  size_t start = l->at;
  for (;;) {
    size_t length;
    if (is_part(peek(l, 0)))
      l->at++;
    else if (filled && peek(l, 0) == '$' &&
             mention(l, l->text.data + l->at, l->text.data + l->text.size, &length))
      l->at += length;
    else
      break;
  }
  t.kind = l->at > start ? kind : TOK_BAD;
  const char *text = l->text.data + start;
  t.text =
      filled ? replace_mentions(l, text, l->at - start, false) : keep(l, text, l->at - start);
  return t;
}

static drr_token hole_token(drr_lexer *l, drr_token t) {
  size_t length;
  const drr_token *stands =
      mention(l, l->text.data + l->at - 1, l->text.data + l->text.size, &length);
  if (!stands)
    return name_token(l, t, TOK_HOLE, false);
  l->at += length - 1;
  drr_place at = t.at;
  t = *stands;
  t.at = at;
  return t;
}

static drr_token text_token(drr_lexer *l, drr_token t) {
  size_t start = l->at;
  while (l->at < l->text.size && peek(l, 0) != '"' && peek(l, 0) != '\n')
    l->at += peek(l, 0) == '\\' ? 2 : 1;
  t.kind = peek(l, 0) == '"' ? TOK_TEXT : TOK_BAD;
  size_t end = l->at < l->text.size ? l->at : l->text.size;
  t.text = replace_mentions(l, l->text.data + start, end - start, true);
  l->at = end + (t.kind == TOK_TEXT);
  return t;
}

static drr_token number_token(drr_lexer *l, drr_token t) {
  size_t start = l->at;
  t.kind = TOK_INT;
  while (is_digit(peek(l, 0)))
    l->at++;
  if (peek(l, 0) == '.' && is_digit(peek(l, 1))) {
    t.kind = TOK_FLOAT;
    l->at++;
    while (is_digit(peek(l, 0)))
      l->at++;
  }
  bool sign = peek(l, 1) == '-' || peek(l, 1) == '+';
  if ((peek(l, 0) | 32) == 'e' && is_digit(peek(l, 1 + sign))) {
    t.kind = TOK_FLOAT;
    l->at += 1 + sign;
    while (is_digit(peek(l, 0)))
      l->at++;
  }
  const char *text = keep(l, l->text.data + start, l->at - start);
  t.text = text;
  t.f = pir_decimal_read(text, NULL);
  for (const char *c = text; t.kind == TOK_INT && *c; c++)
    if (__builtin_mul_overflow(t.i, 10, &t.i) || __builtin_add_overflow(t.i, *c - '0', &t.i))
      t.kind = TOK_BAD;
  return t;
}

static drr_token symbol_token(drr_lexer *l, drr_token t) {
  static const struct {
    const char text[4];
    int kind;
  } symbols[] = {{"...", TOK_ELLIPSIS}, {"==", TOK_EQ},  {"!=", TOK_NE}, {"<=", TOK_LE},
                 {">=", TOK_GE},        {"&&", TOK_AND}, {"||", TOK_OR}, {"->", TOK_ARROW}};
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    size_t size = strlen(symbols[i].text);
    if (l->text.size - l->at < size || memcmp(l->text.data + l->at, symbols[i].text, size) != 0)
      continue;
    l->at += size;
    t.kind = symbols[i].kind;
    t.text = symbols[i].text;
    return t;
  }
  char c = peek(l, 0);
  t.kind = strchr("(){}[],:=<>+-*/%!?;", c) ? c : TOK_BAD;
  t.text = keep(l, l->text.data + l->at, 1);
  l->at++;
  return t;
}

drr_token drr_next(drr_lexer *l) {
  skip_blank(l);
  drr_token t = {.kind = TOK_END, .text = "the end"};
  t.at = (drr_place){l->file, l->text, l->line, (uint32_t)(l->at - l->line_start + 1)};
  if (l->at >= l->text.size)
    return t;
  char c = peek(l, 0), next = peek(l, 1);
  if (is_letter(c))
    return name_token(l, t, TOK_WORD, true);
  if (is_digit(c))
    return number_token(l, t);
  // A percent sign starts a name only directly before one; so "a %b" is not a remainder.
  if (c == '%' && is_part(next)) {
    l->at++;
    return name_token(l, t, TOK_VALUE, false);
  }
  if (c == '$' && (is_letter(next) || next == '{')) {
    l->at++;
    return hole_token(l, t);
  }
  if (c == '@' && is_letter(next)) {
    l->at++;
    return name_token(l, t, TOK_HELPER, true);
  }
  if (c == '"') {
    l->at++;
    return text_token(l, t);
  }
  return symbol_token(l, t);
}
