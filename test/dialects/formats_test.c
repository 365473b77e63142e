// Parts of formats that the tools cannot test alone: recognition of the first bytes, and types
// and attributes read on their own.

#include <pir/compiler/ir.h>
#include <pir/compiler/formats.h>
#include <pir/compiler/text.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>
#include <serialize_impl.h>

#include <cmocka.h>

#define BYTES(literal) ((pir_str){(literal), sizeof(literal) - 1})

static void heads_are_told_apart(void **state) {
  const struct {
    pir_str head;
    pir_format format;
  } cases[] = {
      {BYTES(""), PIR_FORMAT_UNKNOWN},
      {BYTES(" \n"), PIR_FORMAT_UNKNOWN},
      {BYTES("prose"), PIR_FORMAT_UNKNOWN},
      {BYTES("// only a comment"), PIR_FORMAT_UNKNOWN},
      {BYTES("[1]"), PIR_FORMAT_UNKNOWN},
      {BYTES("{\"base_code\":{"), PIR_FORMAT_JSON},
      {BYTES("// kept\n // twice\n\t{ \n\"program\""), PIR_FORMAT_JSON},
      {BYTES("{"), PIR_FORMAT_TEXT},
      {BYTES("{ // remark\n (%0) = \"a.b\""), PIR_FORMAT_TEXT},
      {BYTES("{\n    () = \"a.b\" () {}"), PIR_FORMAT_TEXT},
      {BYTES("program {format:\"json\"}"), PIR_FORMAT_TEXT},
      {BYTES("(%0) = \"a.b\" ()"), PIR_FORMAT_TEXT},
      {BYTES("() = \"a.b\" ()"), PIR_FORMAT_TEXT},
      {BYTES("\n\n{ }"), PIR_FORMAT_TEXT},
      {BYTES("\x0a\x10\x08\x00\x10\x00"), PIR_FORMAT_PDMODEL},
      {BYTES("\x22\x02\x08\x00"), PIR_FORMAT_PDMODEL},
      {BYTES("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x06\0\0\0\x08\x05\x10\x02"), PIR_FORMAT_PARAMS},
      {BYTES("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x06\0\0\0"), PIR_FORMAT_UNKNOWN},
      {BYTES("\0\0\0\0"), PIR_FORMAT_UNKNOWN},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    // Nothing is read beyond the size given.
    char copy[64];
    assert_true(cases[i].head.size <= sizeof copy);
    memcpy(copy, cases[i].head.data, cases[i].head.size);
    memset(copy + cases[i].head.size, '{', sizeof copy - cases[i].head.size);
    pir_format found = pir_detect_format((pir_str){copy, cases[i].head.size});
    if (found != cases[i].format)
      print_error("case %zu: %d\n", i, (int)found);
    assert_int_equal(found, cases[i].format);
  }
}

// Whether the words of `list`, which commas and " or " separate, are the names of the rows that
// can be read (or written), in any order.
static bool lists_names(const char *list, bool written) {
  size_t rows, named = 0, words = 1;
  const pir_format_def *defs = pir_format_defs(&rows);
  for (const char *at = list; *at; at++)
    words += *at == ',' || strncmp(at, " or ", 4) == 0;
  for (size_t i = 0; i < rows; i++) {
    if (!defs[i].name || !(written ? defs[i].write != NULL : defs[i].read != NULL))
      continue;
    named++;
    if (!strstr(list, defs[i].name))
      return false;
  }
  return named == words;
}

static void messages_name_the_rows(void **state) {
  (void)state;
  assert_true(lists_names(PIR_FORMATS_READ, false));
  assert_true(lists_names(PIR_FORMATS_WRITTEN, true));
  assert_false(lists_names("json or text", false));
}

// ---- types and attributes alone

typedef struct text {
  char data[512];
  size_t size;
} text;

static bool append(void *user, const char *data, size_t size) {
  text *t = user;
  if (t->size + size >= sizeof t->data)
    return false;
  memcpy(t->data + t->size, data, size);
  t->size += size;
  t->data[t->size] = 0;
  return true;
}

static void count(void *user, const pir_diag *diag) {
  ++*(size_t *)user;
}

static void types_alone(void **state) {
  pir_context *ctx = pir_context_create(NULL);
  const pir_type *a, *b;
  assert_int_equal(pir_type_parse(ctx, BYTES("pd_op.tensor<2x-1xf32>"), NULL, &a), PIR_OK);
  assert_int_equal(pir_type_parse(ctx, BYTES(" tensor<2x-1xf32> "), NULL, &b), PIR_OK);
  assert_ptr_equal(a, b);
  text out = {0};
  assert_int_equal(pir_type_print_as(a, PIR_TEXT_T2, (pir_writer){append, &out}), PIR_OK);
  assert_string_equal(out.data, "builtin.tensor<2x-1xf32>");
  assert_int_equal(pir_type_parse(ctx, BYTES("<<NULL TYPE>>"), NULL, &a), PIR_OK);
  assert_null(a);
  pir_context_destroy(ctx);
}

static void attributes_alone(void **state) {
  pir_context *ctx = pir_context_create(NULL);
  const char *const texts[] = {"[(Int32)1,(Double)0.5]", "\"a\\\"b\"",
                               "(pd_op.Place)Place(gpu:1)", "true"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const pir_attr *attr;
    text out = {0};
    assert_int_equal(pir_attr_parse(ctx, pir_str_from(texts[i]), NULL, &attr), PIR_OK);
    assert_int_equal(pir_attr_print_as(attr, PIR_TEXT_T2, (pir_writer){append, &out}), PIR_OK);
    assert_string_equal(out.data, texts[i]);
  }
  pir_context_destroy(ctx);
}

static void what_is_no_type_or_attribute(void **state) {
  size_t reports = 0;
  pir_context *ctx = pir_context_create(NULL);
  pir_context_set_sink(ctx, (pir_diag_sink){count, &reports});
  const pir_type *type;
  const pir_attr *attr;
  const char *const types[] = {"", "tensor<2x", "tensor<2xf99>", "f32 f32", "12", "\"x"};
  const char *const attrs[] = {"", "[1", "[1]]", "(Int32)1.5", "\"open", "1 2"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    assert_int_equal(pir_type_parse(ctx, pir_str_from(types[i]), NULL, &type), PIR_INVALID);
    assert_int_equal(pir_attr_parse(ctx, pir_str_from(attrs[i]), NULL, &attr), PIR_INVALID);
    assert_int_equal(reports, 2 * (i + 1));
  }
  pir_context_destroy(ctx);
}

// jansson says the same of all that it calls a syntax error.
static void json_is_told_from_what_is_none(void **state) {
  const char *const good[] = {"{}",
                              " [ ] ",
                              "[1,-0,0.5e+3,1E9,-12.25]",
                              "{\"a\":{\"b\":[true,false,null]},\"c\":\"\"}",
                              "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"]",
                              "[[[[]]],{}]"};
  const char *const bad[] = {"",
                             "[",
                             "]",
                             "{",
                             "[1,]",
                             "[,1]",
                             "{\"a\"}",
                             "{\"a\":}",
                             "{\"a\":1,}",
                             "{1:2}",
                             "[1 2]",
                             "[01]",
                             "[1.]",
                             "[.5]",
                             "[1e]",
                             "[+1]",
                             "[--1]",
                             "[tru]",
                             "[nulll]",
                             "[\"a]",
                             "[\"\\q\"]",
                             "[\"\\u12g4\"]",
                             "[\"\\ud83d\"]",
                             "[\"\\ude00\"]",
                             "[\"\n\"]",
                             "{} {}",
                             "[}",
                             "{]",
                             "{\"a\":1 \"b\":2}",
                             "[1}",
                             "{\"a\" 1}"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    json_t *read = json_loads(good[i], 0, NULL);
    assert_non_null(read);
    assert_true(pir_json_is_well_formed(pir_str_from(good[i])));
    json_decref(read);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_null(json_loads(bad[i], 0, NULL));
    assert_false(pir_json_is_well_formed(pir_str_from(bad[i])));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heads_are_told_apart),
      cmocka_unit_test(messages_name_the_rows),
      cmocka_unit_test(types_alone),
      cmocka_unit_test(attributes_alone),
      cmocka_unit_test(what_is_no_type_or_attribute),
      cmocka_unit_test(json_is_told_from_what_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
