// Expressions. Each begins with a parenthesis, a number or a word that tells its kind. Results
// of operations get the types of their operands; the verifier says whether they fit.
#include "loop_parse_impl.h"

#include <decimal.h>
#include <string.h>

enum { MOST_DIGITS = 60 };  // of a number; "%.17g" has 24

static loop_expr *add_node(loop_reader *r, loop_kind kind, uint8_t dtype, uint16_t lanes) {
  return pir_loop_node(r->m, kind, dtype, lanes);
}

// ---- constants

static double decimal_of(loop_reader *r, const loop_token *number) {
  char digits[MOST_DIGITS + 1], *end;
  pir_str text = number->text;
  if (text.size > MOST_DIGITS) {
    loop_read_fail_at(r, number, "a number of more than %d digits", MOST_DIGITS);
    return 0;
  }
  memcpy(digits, text.data, text.size);
  digits[text.size] = 0;
  double value = pir_decimal_read(digits, &end);
  if (*end)
    loop_read_fail_at(r, number, "'%s' is no number", digits);
  return value;
}

static bool is_integer_text(pir_str text) {
  for (size_t i = 0; i < text.size; i++)
    if (memchr(".ein", text.data[i], 4))
      return false;
  return true;
}

// Behind a number of this text stands its type; an index has none.
static loop_expr *read_number(loop_reader *r) {
  loop_token number = r->token;
  loop_type type = {LOOP_INDEX, 1};
  loop_read_next(r);
  if (loop_take_sign(r, ":"))
    type = loop_expect_type(r);
  loop_expr *e = add_node(r, LOOP_CONST, type.dtype, type.lanes);
  if (r->failed)
    return e;
  if (pir_dtype_is_float(type.dtype))
    e->constant.f = pir_loop_round(type.dtype, decimal_of(r, &number));
  else if (!is_integer_text(number.text))
    loop_read_fail_at(r, &number, "%.*s is no integer", (int)number.text.size,
                      number.text.data);
  else
    e->constant.i = loop_int_of(r, &number);
  return e;
}

// inf:f32 and nan_7ff8000000000000:f32, which have no digits.
static loop_expr *read_special(loop_reader *r) {
  loop_token special = r->token;
  pir_str word = special.text;
  uint64_t bits = 0x7ff0000000000000;
  double value;
  if (word.size > 4) {
    bits = 0;
    for (size_t i = 4; i < word.size; i++) {
      const char *digits = "0123456789abcdef", *digit = strchr(digits, word.data[i]);
      if (!digit || word.size > 4 + 16)
        loop_read_fail(r, "the bits of a NaN are up to 16 digits of 0 to f");
      bits = bits << 4 | (uint64_t)(digit ? digit - digits : 0);
    }
  }
  memcpy(&value, &bits, sizeof value);
  loop_read_next(r);
  loop_expect_sign(r, ":");
  loop_type type = loop_expect_type(r);
  if (!r->failed && !pir_dtype_is_float(type.dtype))
    loop_read_fail_at(r, &special, "a type of floats is expected");
  loop_expr *e = add_node(r, LOOP_CONST, type.dtype, type.lanes);
  e->constant.f = value;
  return e;
}

// ---- leaves

static loop_expr *read_use(loop_reader *r, int64_t number) {
  loop_var *var = (size_t)number < r->vars.count ? r->vars.items[number] : NULL;
  if (!var) {
    loop_read_fail(r, "v%lld is not defined before", (long long)number);
    return add_node(r, LOOP_CONST, LOOP_INDEX, 1);
  }
  loop_read_next(r);
  return pir_loop_use(r->m, var);
}

// dim3, dim3.signed, dim3.given, dim3.signed.given
static loop_expr *read_dim(loop_reader *r, int64_t number) {
  loop_expr *e = pir_loop_dim(r->m, number);
  loop_read_next(r);
  while (loop_take_sign(r, ".")) {
    if (loop_take_word(r, "given"))
      e->given = true;
    else if (loop_take_word(r, "signed"))
      e->dim.is_signed = true;
    else
      loop_read_fail(r, "'signed' or 'given' is expected");
  }
  return e;
}

// ---- nodes with operands

// (a, b, c): so many.
static void read_operands(loop_reader *r, int count, loop_expr **out) {
  for (int i = 0; i < count; i++) {
    loop_expect_sign(r, i ? "," : "(");
    out[i] = loop_read_expr(r);
  }
  loop_expect_sign(r, ")");
}

static loop_expr *operation_over(loop_reader *r, pir_node_op op, loop_expr *const *operands) {
  const loop_operation *info = loop_operation_of(op);
  const loop_expr *typed = op == PIR_V_SELECT ? operands[1] : operands[0];
  loop_expr *e = add_node(r, LOOP_OP, info->compares ? PIR_BOOL : typed->dtype, typed->lanes);
  e->op = op;
  e->a = operands[0];
  e->b = operands[1];
  e->c = operands[2];
  return e;
}

// (a + b)
static loop_expr *read_infix(loop_reader *r) {
  loop_expr *operands[3] = {0};
  loop_expect_sign(r, "(");
  operands[0] = loop_read_expr(r);
  pir_node_op op = r->token.kind == LOOP_TOKEN_SIGN ? loop_operation_named(r->token.text, true)
                                                    : PIR_NODE_OP_COUNT;
  if (op == PIR_NODE_OP_COUNT) {
    loop_read_fail(r, "a sign between two operands is expected");
    return operands[0];
  }
  loop_read_next(r);
  operands[1] = loop_read_expr(r);
  loop_expect_sign(r, ")");
  return operation_over(r, op, operands);
}

// b3.f32x8(index where mask), b3.gather8(indices)
static loop_expr *read_load(loop_reader *r) {
  loop_buffer *buffer = loop_read_buffer(r);
  loop_expect_sign(r, ".");
  int64_t lanes = loop_numbered(r, "gather");
  loop_expr *e;
  if (r->failed)
    return add_node(r, LOOP_CONST, LOOP_INDEX, 1);
  if (lanes >= 0) {
    e = add_node(r, LOOP_GATHER, buffer->dtype, loop_lanes_of(r, lanes));
    loop_read_next(r);
  } else {
    loop_type type = loop_expect_type(r);
    e = add_node(r, LOOP_LOAD, type.dtype, type.lanes);
  }
  e->buffer = buffer;
  loop_expect_sign(r, "(");
  e->a = loop_read_expr(r);
  e->mask = loop_read_mask(r);
  loop_expect_sign(r, ")");
  return e;
}

static loop_expr *with_operands(loop_reader *r, loop_expr *e, int count) {
  loop_expr *operands[3] = {0};
  read_operands(r, count, operands);
  e->a = operands[0];
  e->b = operands[1];
  e->c = operands[2];
  return e;
}

// f32x8(a), flushed:bf16x8(a), bits:i32(a)
static loop_expr *read_conversion(loop_reader *r, loop_kind kind, bool flushes) {
  if (flushes || kind == LOOP_BITCAST)
    loop_expect_sign(r, ":");
  loop_type type = loop_expect_type(r);
  loop_expr *e = with_operands(r, add_node(r, kind, type.dtype, type.lanes), 1);
  if (kind == LOOP_CAST)
    e->flushes = flushes;
  return e;
}

// x8(a), ramp8(a, b)
static loop_expr *read_vector(loop_reader *r, loop_kind kind, int64_t lanes) {
  loop_expr *e = add_node(r, kind, LOOP_INDEX, loop_lanes_of(r, lanes));
  loop_read_next(r);
  with_operands(r, e, kind == LOOP_RAMP ? 2 : 1);
  if (e->a)
    e->dtype = e->a->dtype;
  return e;
}

// fused(a, b, c) and dot4(a, b, c): of the type of the sum. zip_lower(a, b), lookup(a, b),
// fold_add(a): of the type of the first.
static loop_expr *read_like(loop_reader *r, loop_kind kind, int operands) {
  loop_expr *e = add_node(r, kind, LOOP_INDEX, 1);
  loop_read_next(r);
  with_operands(r, e, operands);
  const loop_expr *typed = operands == 3 ? e->c : e->a;
  bool combines = kind == LOOP_FOLD || kind == LOOP_TEAM;
  if (!typed)
    return e;
  e->dtype = typed->dtype;
  e->lanes = combines ? 1 : typed->lanes;
  return e;
}

// fold_add(a), team_max(a), team16_max(a); prefix_add(a) likewise
static loop_expr *read_combination(loop_reader *r, loop_kind kind, int group,
                                   pir_combine combine) {
  loop_expr *e = read_like(r, kind, 1);
  e->combine = combine;
  e->group = group;
  return e;
}

// Reads the number behind "team", if there is one. Returns where the combination begins, or 0
// if the word is no team's.
static size_t read_neighbours(pir_str word, int *out_group) {
  size_t stem = strlen("team"), at = stem;
  while (at < word.size && word.data[at] != '_')
    at++;
  *out_group = 0;
  if (at == stem || at == word.size)
    return at < word.size ? at + 1 : 0;
  int64_t group = loop_number_behind((pir_str){word.data, at}, stem);  // of 9 digits at most
  *out_group = (int)group;
  return group > 0 ? at + 1 : 0;
}

static loop_expr *read_dot(loop_reader *r, loop_dot dot) {
  loop_expr *e = read_like(r, LOOP_DOT, 3);
  e->dot = dot;
  return e;
}

static loop_expr *read_zip(loop_reader *r, bool upper) {
  loop_expr *e = read_like(r, LOOP_ZIP, 2);
  e->upper = upper;
  return e;
}

static bool has_stem(pir_str word, const char *stem) {
  return word.size > strlen(stem) && memcmp(word.data, stem, strlen(stem)) == 0;
}

static pir_combine combine_behind(pir_str word, size_t stem) {
  return loop_combine_named((pir_str){word.data + stem, word.size - stem});
}

static int dot_named(pir_str word) {
  for (int dot = 0; loop_dot_text((loop_dot)dot); dot++)
    if (pir_str_equal(pir_str_from(loop_dot_text((loop_dot)dot)), word))
      return dot;
  return -1;
}

static loop_expr *read_call(loop_reader *r) {
  pir_str word = r->token.text;
  pir_node_op op = loop_operation_named(word, false);
  int dot = dot_named(word), group;
  if (op != PIR_NODE_OP_COUNT) {
    loop_expr *operands[3] = {0};
    loop_read_next(r);
    read_operands(r, loop_operation_of(op)->operands, operands);
    return r->failed ? add_node(r, LOOP_CONST, LOOP_INDEX, 1) : operation_over(r, op, operands);
  }
  if (dot >= 0)
    return read_dot(r, (loop_dot)dot);
  if (loop_at_word(r, "fused"))
    return read_like(r, LOOP_FMA, 3);
  if (loop_at_word(r, "lookup"))
    return read_like(r, LOOP_LOOKUP, 2);
  if (loop_at_word(r, "zip_lower") || loop_at_word(r, "zip_upper"))
    return read_zip(r, loop_at_word(r, "zip_upper"));
  if (has_stem(word, "fold_") && combine_behind(word, 5))
    return read_combination(r, LOOP_FOLD, 0, combine_behind(word, 5));
  size_t team = has_stem(word, "team") ? read_neighbours(word, &group) : 0;
  if (team && combine_behind(word, team))
    return read_combination(r, LOOP_TEAM, group, combine_behind(word, team));
  if (has_stem(word, "prefix_") && combine_behind(word, 7)) {
    loop_expr *e = read_combination(r, LOOP_TEAM, 0, combine_behind(word, 7));
    e->prefix = true;
    return e;
  }
  if (loop_take_word(r, "bits"))
    return read_conversion(r, LOOP_BITCAST, false);
  bool flushes = loop_take_word(r, "flushed");
  return read_conversion(r, LOOP_CAST, flushes);
}

static loop_expr *read_word(loop_reader *r) {
  int64_t number;
  if ((number = loop_numbered(r, "v")) >= 0)
    return read_use(r, number);
  if (loop_numbered(r, "b") >= 0)
    return read_load(r);
  if ((number = loop_numbered(r, "dim")) >= 0)
    return read_dim(r, number);
  if ((number = loop_numbered(r, "x")) >= 0)
    return read_vector(r, LOOP_BROADCAST, number);
  if ((number = loop_numbered(r, "ramp")) >= 0)
    return read_vector(r, LOOP_RAMP, number);
  if (loop_at_word(r, "inf") || has_stem(r->token.text, "nan_"))
    return read_special(r);
  return read_call(r);
}

loop_expr *loop_read_expr(loop_reader *r) {
  pir_loc place = loop_here(r);
  loop_expr *e = NULL;
  if (!loop_enter(r))
    return add_node(r, LOOP_CONST, LOOP_INDEX, 1);
  if (loop_at_sign(r, "("))
    e = read_infix(r);
  else if (r->token.kind == LOOP_TOKEN_NUMBER)
    e = read_number(r);
  else if (r->token.kind == LOOP_TOKEN_WORD)
    e = read_word(r);
  else
    loop_read_fail(r, "an expression is expected");
  loop_leave(r);
  if (r->failed)
    return add_node(r, LOOP_CONST, LOOP_INDEX, 1);
  if (e->kind != LOOP_DIM)
    e->given = pir_loop_may_wrap(e);
  loop_set_place(r, e, place);
  return e;
}
