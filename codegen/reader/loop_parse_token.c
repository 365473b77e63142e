// Tokens of the reader: what may stand at a place, and what to say where it does not.
#include "loop_parse_impl.h"

#include "loop_verify.h"

#include <string.h>

static pir_loc place_of_token(const loop_reader *r, const loop_token *token) {
  return pir_loc_text(r->ctx, r->source->file, token->line, token->column);
}

pir_loc loop_here(const loop_reader *r) {
  return place_of_token(r, &r->token);
}

void loop_set_place(loop_reader *r, const void *node, pir_loc place) {
  pir_map_put(&r->m->arena, r->places, node, place);
}

static void fail_reading(loop_reader *r, const loop_token *token, const char *format,
                         va_list args) {
  char message[200];
  if (r->failed)
    return;
  r->failed = true;
  pir_text_vformat(message, sizeof message, format, args);
  pir_ignore(
      pir_report(r->ctx, PIR_INVALID, PIR_ERROR, place_of_token(r, token), "%s", message));
}

void loop_read_fail(loop_reader *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail_reading(r, &r->token, format, args);
  va_end(args);
}

void loop_read_fail_at(loop_reader *r, const loop_token *token, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail_reading(r, token, format, args);
  va_end(args);
}

void loop_read_next(loop_reader *r) {
  r->token = loop_next_token(&r->lexer);
  if (r->token.kind == LOOP_TOKEN_UNKNOWN)
    loop_read_fail(r, "a character that loop IR has not");
}

static bool is_token(const loop_reader *r, loop_token_kind kind, const char *text) {
  return !r->failed && r->token.kind == kind &&
         pir_str_equal(r->token.text, pir_str_from(text));
}

bool loop_at_word(const loop_reader *r, const char *word) {
  return is_token(r, LOOP_TOKEN_WORD, word);
}

bool loop_at_sign(const loop_reader *r, const char *sign) {
  return is_token(r, LOOP_TOKEN_SIGN, sign);
}

bool loop_take_word(loop_reader *r, const char *word) {
  bool there = loop_at_word(r, word);
  if (there)
    loop_read_next(r);
  return there;
}

bool loop_take_sign(loop_reader *r, const char *sign) {
  bool there = loop_at_sign(r, sign);
  if (there)
    loop_read_next(r);
  return there;
}

void loop_expect_word(loop_reader *r, const char *word) {
  if (!loop_take_word(r, word))
    loop_read_fail(r, "'%s' is expected", word);
}

void loop_expect_sign(loop_reader *r, const char *sign) {
  if (!loop_take_sign(r, sign))
    loop_read_fail(r, "'%s' is expected", sign);
}

int64_t loop_int_of(loop_reader *r, const loop_token *number) {
  pir_str digits = number->text;
  bool negative = digits.size && *digits.data == '-', fits = digits.size > negative;
  int64_t value = 0;
  for (size_t i = negative; i < digits.size; i++) {
    int digit = digits.data[i] - '0';
    fits &= digit >= 0 && digit <= 9 && !__builtin_mul_overflow(value, 10, &value) &&
            !__builtin_add_overflow(value, negative ? -digit : digit, &value);
  }
  if (!fits)
    loop_read_fail_at(r, number, "an integer of 64 bits is expected");
  return value;
}

int64_t loop_expect_int(loop_reader *r, int64_t low, int64_t high) {
  if (r->token.kind != LOOP_TOKEN_NUMBER) {
    loop_read_fail(r, "a number is expected");
    return low;
  }
  int64_t value = loop_int_of(r, &r->token);
  if (!r->failed && (value < low || value > high))
    loop_read_fail(r, "a number from %lld to %lld is expected", (long long)low,
                   (long long)high);
  loop_read_next(r);
  return r->failed ? low : value;
}

int64_t loop_number_behind(pir_str word, size_t stem) {
  enum { MOST = 9 };
  int64_t number = 0;
  size_t digits = word.size - stem;
  if (!digits || digits > MOST || (digits > 1 && word.data[stem] == '0'))
    return -1;
  for (size_t i = stem; i < word.size; i++) {
    if (word.data[i] < '0' || word.data[i] > '9')
      return -1;
    number = number * 10 + (word.data[i] - '0');
  }
  return number;
}

int64_t loop_numbered(const loop_reader *r, const char *stem) {
  size_t size = strlen(stem);
  if (r->failed || r->token.kind != LOOP_TOKEN_WORD || r->token.text.size <= size ||
      memcmp(r->token.text.data, stem, size) != 0)
    return -1;
  return loop_number_behind(r->token.text, size);
}

uint16_t loop_lanes_of(loop_reader *r, int64_t lanes) {
  if (lanes >= 1 && lanes <= LOOP_MOST_LANES)
    return (uint16_t)lanes;
  loop_read_fail(r, "a vector has 1 to %d lanes", LOOP_MOST_LANES);
  return 1;
}

static uint8_t element_type_named(pir_str name) {
  if (pir_str_equal(name, PIR_STR("index")))
    return LOOP_INDEX;
  return (uint8_t)pir_dtype_from_text(name);
}

loop_type loop_expect_type(loop_reader *r) {
  pir_str word = r->token.text;
  loop_type type = {LOOP_INDEX, 1};
  size_t stem = word.size;
  while (stem && word.data[stem - 1] >= '0' && word.data[stem - 1] <= '9')
    stem--;
  bool vector = stem > 1 && stem < word.size && word.data[stem - 1] == 'x';
  pir_str name = {word.data, vector ? stem - 1 : word.size};
  type.dtype = element_type_named(name);
  bool known = type.dtype == LOOP_INDEX ? pir_str_equal(name, PIR_STR("index"))
                                        : type.dtype < PIR_DTYPE_COUNT;
  if (r->token.kind != LOOP_TOKEN_WORD || !known)
    loop_read_fail(r, "a type is expected");
  else if (vector)
    type.lanes = loop_lanes_of(r, loop_number_behind(word, stem));
  loop_read_next(r);
  return type;
}

bool loop_enter(loop_reader *r) {
  if (r->nested >= LOOP_MOST_NESTED)
    loop_read_fail(r, "statements and expressions stand in more than %d others",
                   LOOP_MOST_NESTED);
  if (r->failed)
    return false;
  r->nested++;
  return true;
}

void loop_leave(loop_reader *r) {
  r->nested--;
}
