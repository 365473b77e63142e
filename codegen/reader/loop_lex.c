// A scanner by hand: one look ahead decides every token. Cost: one pass.
#include "loop_lex.h"

#include <string.h>

loop_lexer loop_lexer_of(pir_str text, uint32_t first_line) {
  return (loop_lexer){.at = text.data,
                      .end = text.data + text.size,
                      .line_start = text.data,
                      .line = first_line};
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static char ahead(const loop_lexer *l, size_t n) {
  return (size_t)(l->end - l->at) > n ? l->at[n] : 0;
}

static void skip_space(loop_lexer *l) {
  while (l->at < l->end) {
    char c = *l->at;
    if (c == '\n') {
      l->line++;
      l->line_start = l->at + 1;
    } else if (c == '/' && ahead(l, 1) == '/') {
      while (l->at + 1 < l->end && l->at[1] != '\n')
        l->at++;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
    l->at++;
  }
}

static void scan_number(loop_lexer *l) {
  l->at += ahead(l, 0) == '-';
  while (is_digit(ahead(l, 0)) || ahead(l, 0) == '.')
    l->at++;
  if (ahead(l, 0) != 'e')
    return;
  l->at++;
  l->at += ahead(l, 0) == '+' || ahead(l, 0) == '-';
  while (is_digit(ahead(l, 0)))
    l->at++;
}

static bool scan_sign(loop_lexer *l) {
  bool twice = ahead(l, 1) == '=' && memchr("=!<", *l->at, 3);
  if (!twice && !memchr("()[]{},:.=+-*/<", *l->at, 15))
    return false;
  l->at += twice ? 2 : 1;
  return true;
}

loop_token loop_next_token(loop_lexer *l) {
  skip_space(l);
  const char *start = l->at;
  loop_token t = {.line = l->line, .column = (uint32_t)(start - l->line_start) + 1};
  char first = ahead(l, 0), next = ahead(l, 1);
  if (l->at == l->end) {
    t.kind = LOOP_TOKEN_END;
  } else if (is_letter(first)) {
    t.kind = LOOP_TOKEN_WORD;
    while (is_letter(ahead(l, 0)) || is_digit(ahead(l, 0)))
      l->at++;
  } else if (is_digit(first) || (first == '-' && is_digit(next))) {
    t.kind = LOOP_TOKEN_NUMBER;
    scan_number(l);
  } else if (l->end - l->at >= 4 && memcmp(l->at, "-inf", 4) == 0) {
    t.kind = LOOP_TOKEN_NUMBER;
    l->at += 4;
  } else {
    t.kind = scan_sign(l) ? LOOP_TOKEN_SIGN : LOOP_TOKEN_UNKNOWN;
    l->at += t.kind == LOOP_TOKEN_UNKNOWN;
  }
  t.text = (pir_str){start, (size_t)(l->at - start)};
  return t;
}

pir_str loop_rest_of_line(loop_lexer *l) {
  const char *start = l->at;
  while (l->at < l->end && *l->at != '\n')
    l->at++;
  const char *stop = l->at;
  while (start < stop && *start == ' ')
    start++;
  while (stop > start && (stop[-1] == ' ' || stop[-1] == '\r'))
    stop--;
  return (pir_str){start, (size_t)(stop - start)};
}
