// Parses an expression into nodes, in order of increasing precedence:
//
//   a ? b : c    ||    &&    == != < <= > >= in    + -    * / %    ! -    a[i]  a[i:j]
//
// A name of `def` is replaced by its expression, parsed again with its parameters substituted.

#include "front.h"

#include <pir/layer/nearest.h>
#include <string.h>

enum { MAX_ARGS = 8, MAX_LIST = 64, MAX_NESTING = 12 };

int32_t drr_node(drr *d, rule_node node) {
  pir_vec_push(d->arena, &d->nodes, node);
  return (int32_t)d->nodes.count - 1;
}

static int32_t pool_of(drr *d, const int32_t *items, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    pir_vec_push(d->arena, &d->pool, items[i]);
  return (int32_t)d->pool.count - count;
}

static int32_t refuse_token(drr *d, const char *format, const char *text) {
  drr_error(d, &d->token.at, format, text);
  return -1;
}

bool drr_is_literal(const drr *d, int32_t at) {
  const rule_node *n = &d->nodes.items[at];
  if (n->op == RULE_NEG)
    return drr_is_literal(d, n->a);
  for (int32_t i = 0; n->op == RULE_LIST && i < n->b; i++)
    if (!drr_is_literal(d, d->pool.items[n->a + i]))
      return false;
  return n->op <= RULE_PLACE || n->op == RULE_LIST;
}

// ---- names

static int32_t word_node(drr *d, const char *word) {
  static const char *const places[] = {"undefined", "cpu", "gpu", "gpu_pinned"};
  bool yes = strcmp(word, "true") == 0;
  if (yes || strcmp(word, "false") == 0)
    return drr_node(d, (rule_node){.op = RULE_BOOL, .i = yes});
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (strcmp(word, places[i]) == 0)
      return drr_node(d, (rule_node){.op = RULE_PLACE, .i = (int64_t)i});
  pir_dtype dtype = pir_dtype_from_text(pir_str_from(word));
  if (dtype == PIR_DTYPE_NONE)
    dtype = pir_dtype_from_name(pir_str_from(word));
  if (dtype == PIR_DTYPE_NONE)
    return -1;
  return drr_node(d, (rule_node){.op = RULE_DTYPE, .i = dtype});
}

// An argument that is a value: `%x` alone.
static int32_t read_argument(drr *d, char kind) {
  if (kind == 'e')
    return drr_expression(d);
  drr_token name = d->token;
  if (!drr_expect(d, TOK_VALUE, "a value (%x)"))
    return -1;
  int32_t slot = drr_read_value(d, &name, false);
  return slot < 0 ? -1 : drr_node(d, (rule_node){.op = RULE_VALUE, .a = slot});
}

// Parses arguments of the given kinds in parentheses; returns their position in the pool, or
// -1.
static int32_t arguments(drr *d, const char *kinds) {
  int32_t items[MAX_ARGS], n = 0;
  if (!drr_expect(d, '(', "'('"))
    return -1;
  for (; kinds[n]; n++) {
    if (n && !drr_expect(d, ',', "',' and another argument"))
      return -1;
    items[n] = read_argument(d, kinds[n]);
    if (items[n] < 0)
      return -1;
  }
  return drr_expect(d, ')', "')'") ? pool_of(d, items, n) : -1;
}

static int32_t function_call(drr *d, const drr_token *called) {
  static const struct {
    const char *name, *args;
  } functions[] = {
#define FUNCTION(name, args) {#name, args},
      RULE_FUNCTIONS(FUNCTION)
#undef FUNCTION
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (strcmp(functions[i].name, called->text) != 0)
      continue;
    int32_t first = arguments(d, functions[i].args);
    rule_node n = {
        .op = RULE_CALL, .fn = (uint8_t)i, .a = first, .b = (int32_t)strlen(functions[i].args)};
    return first < 0 ? -1 : drr_node(d, n);
  }
  pir_nearest near = pir_nearest_begin(pir_str_from(called->text));
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    pir_nearest_try(&near, functions[i].name);
  drr_error(d, &called->at, "unknown function '%s'%s", called->text,
            pir_nearest_hint(&near).text);
  return -1;
}

static int32_t helper_call(drr *d, const char *name) {
  for (size_t i = 0; i < d->externs.count; i++) {
    drr_extern e = d->externs.items[i];
    if (strcmp(e.name, name) != 0)
      continue;
    int32_t first = arguments(d, e.args);
    // Option names must be literals: the manager finds a pass's options by their names in its
    // rules.
    bool option = first >= 0 && strcmp(name, "option") == 0;
    if (option && d->nodes.items[d->pool.items[first]].op != RULE_TEXT)
      return refuse_token(d, "the first argument of '@%s' is the name of an option", name);
    rule_node n = {.op = RULE_HELPER, .a = first, .b = (int32_t)strlen(e.args), .helper = e.fn};
    return first < 0 ? -1 : drr_node(d, n);
  }
  return refuse_token(d, "no 'extern @%s' before this line", name);
}

// Reads one parameter of a def and its argument, from two places in turn.
static bool bind_parameter(drr *d, drr_lexer *parameters, int32_t scope) {
  drr_token name = drr_next(parameters);
  int32_t slot, node = -1;
  if (name.kind == TOK_VALUE) {
    drr_token value = d->token;
    if (!drr_expect(d, TOK_VALUE, "a value (%x)"))
      return false;
    slot = drr_read_value(d, &value, false);
  } else {
    node = slot = drr_expression(d);
  }
  if (slot < 0)
    return false;
  int32_t outer = d->scope;
  d->scope = scope;
  drr_add_name(d, name.text, slot, name.kind == TOK_VALUE, false);
  d->names.items[d->names.count - 1].node = node;
  d->scope = outer;
  return true;
}

static int32_t def_call(drr *d, const drr_def *def) {
  drr_lexer body = def->start;
  int32_t scope = d->next_scope++, outer = d->scope;
  size_t names = d->names.count;
  if (d->nesting++ > MAX_NESTING)
    return refuse_token(d, "'%s' leads to itself", def->name);
  if (!drr_expect(d, '(', "'('"))
    return -1;
  drr_next(&body);  // '('
  for (int sign = ','; sign == ',';) {
    if (!bind_parameter(d, &body, scope))
      return -1;
    sign = drr_next(&body).kind;
    if (!drr_expect(d, sign, sign == ',' ? "',' and another argument" : "')'"))
      return -1;
  }
  drr_next(&body);  // '='
  drr_lexer here = d->lexer;
  drr_token next = d->token;
  d->lexer = body;
  d->scope = scope;
  drr_advance(d);
  int32_t node = drr_expression(d);
  d->lexer = here;
  d->token = next;
  d->scope = outer;
  d->names.count = names;
  d->nesting--;
  return node;
}

static int32_t read_word(drr *d) {
  drr_token name = d->token;
  drr_advance(d);
  if (d->token.kind != '(') {
    int32_t node = word_node(d, name.text);
    if (node < 0)
      drr_error(d, &name.at, "'%s' is neither a constant nor a type", name.text);
    return node;
  }
  for (size_t i = 0; i < d->defs.count; i++) {
    drr_def def = d->defs.items[i];
    if (strcmp(def.name, name.text) == 0)
      return def_call(d, &def);
  }
  return function_call(d, &name);
}

// ---- lists

// The body was skipped to reach `for`; it is parsed now that the variable is known.
static int32_t read_body(drr *d, const drr_lexer *start, const drr_token *first) {
  drr_lexer here = d->lexer;
  drr_token next = d->token;
  d->lexer = *start;
  d->token = *first;
  int32_t body = drr_expression(d);
  if (body >= 0 && !(d->token.kind == TOK_WORD && strcmp(d->token.text, "for") == 0))
    body = refuse_token(d, "expected 'for', found '%s'", d->token.text);
  d->lexer = here;
  d->token = next;
  return body;
}

// [body for $i < n], [body for $x in list], [body for %x in %xs]
static int32_t comprehension(drr *d, const drr_lexer *start, const drr_token *first) {
  drr_token name = d->token;
  bool over_values = name.kind == TOK_VALUE;
  if (!over_values && name.kind != TOK_HOLE)
    return refuse_token(d, "expected $i or %%x behind 'for', found '%s'", name.text);
  drr_advance(d);
  bool below = !over_values && drr_take(d, '<');
  if (!below && !drr_take_word(d, "in"))
    return refuse_token(d, "expected 'in', found '%s'", d->token.text);
  drr_token source = d->token;
  int32_t from, slot;
  if (over_values) {
    if (!drr_expect(d, TOK_VALUE, "a list of values (%xs)"))
      return -1;
    from = drr_read_value(d, &source, true);
    slot = drr_new_value(d, &name, false);
    if (slot >= 0)
      d->values[slot].local = true;
  } else {
    from = drr_expression(d);
    slot = drr_new_hole(d, &name.at, name.text);
    if (slot >= 0)
      d->holes[slot].local = true;
  }
  if (from < 0 || slot < 0 || !drr_expect(d, ']', "']'"))
    return -1;
  size_t names = d->names.count;
  drr_add_name(d, name.text, slot, over_values, false);
  int32_t body = read_body(d, start, first);
  d->names.count = names;
  uint8_t op = below ? RULE_EACH_BELOW : RULE_EACH_IN;
  if (over_values)
    op = RULE_EACH_VALUE;
  return body < 0 ? -1 : drr_node(d, (rule_node){.op = op, .a = slot, .b = from, .c = body});
}

// Skips to the `for` of a comprehension; false if the list has none.
static bool skip_to_for(drr *d) {
  for (int nesting = 0; d->token.kind != TOK_END && d->token.kind != TOK_BAD; drr_advance(d)) {
    int kind = d->token.kind;
    if (!nesting && kind == TOK_WORD && strcmp(d->token.text, "for") == 0) {
      drr_advance(d);
      return true;
    }
    if (!nesting && kind == ']')
      return false;
    nesting += kind == '[' || kind == '(';
    nesting -= kind == ']' || kind == ')';
  }
  return false;
}

static int32_t list(drr *d) {
  int32_t items[MAX_LIST], n = 0;
  drr_lexer start = d->lexer;
  drr_token first = d->token;
  if (skip_to_for(d))
    return comprehension(d, &start, &first);
  d->lexer = start;
  d->token = first;
  if (!drr_take(d, ']')) {
    do {
      if (n == MAX_LIST)
        return refuse_token(d, "a list has at most %s items", "64");
      if ((items[n++] = drr_expression(d)) < 0)
        return -1;
    } while (drr_take(d, ','));
    if (!drr_expect(d, ']', "',' or ']'"))
      return -1;
  }
  return drr_node(d, (rule_node){.op = RULE_LIST, .a = pool_of(d, items, n), .b = n});
}

// ---- precedence

static int32_t primary(drr *d) {
  drr_token t = d->token;
  int32_t inner;
  switch (t.kind) {
    case TOK_INT: drr_advance(d); return drr_node(d, (rule_node){.op = RULE_INT, .i = t.i});
    case TOK_FLOAT: drr_advance(d); return drr_node(d, (rule_node){.op = RULE_FLOAT, .f = t.f});
    case TOK_TEXT:
      drr_advance(d);
      return drr_node(d, (rule_node){.op = RULE_TEXT, .text = t.text});
    case TOK_HOLE:
      drr_advance(d);
      if ((inner = drr_named_node(d, &t)) >= 0)
        return inner;
      inner = drr_read_hole(d, &t);
      return inner < 0 ? -1 : drr_node(d, (rule_node){.op = RULE_HOLE, .a = inner});
    case TOK_HELPER: drr_advance(d); return helper_call(d, t.text);
    case TOK_WORD: return read_word(d);
    case '[': drr_advance(d); return list(d);
    case '(':
      drr_advance(d);
      inner = drr_expression(d);
      return inner >= 0 && drr_expect(d, ')', "')'") ? inner : -1;
    default: return refuse_token(d, "expected an expression, found '%s'", t.text);
  }
}

static int32_t postfix(drr *d) {
  int32_t a = primary(d), b, c = -1;
  while (a >= 0 && drr_take(d, '[')) {
    b = d->token.kind == ':' ? -1 : drr_expression(d);
    bool slice = drr_take(d, ':');
    if (slice)
      c = d->token.kind == ']' ? -1 : drr_expression(d);
    if (d->failed || !drr_expect(d, ']', "']'"))
      return -1;
    a = drr_node(d, (rule_node){.op = slice ? RULE_SLICE : RULE_INDEX, .a = a, .b = b, .c = c});
  }
  return a;
}

static int32_t read_unary(drr *d) {
  int kind = d->token.kind;
  if (kind != '!' && kind != '-')
    return postfix(d);
  if (d->depth >= RULE_MAX_DEPTH)
    return refuse_token(d, "an expression nests too deep at '%s'", d->token.text);
  drr_advance(d);
  d->depth++;
  int32_t a = read_unary(d);
  d->depth--;
  if (a < 0)
    return -1;
  return drr_node(d, (rule_node){.op = kind == '!' ? RULE_NOT : RULE_NEG, .a = a});
}

typedef struct operator{
  int kind, level;
  uint8_t op;
}
operator;

static const operator* operator_of(const drr_token *t, int level) {
  static const operator operators[] = {
    {TOK_OR, 0, RULE_OR},
    {TOK_AND, 1, RULE_AND},
    {TOK_EQ, 2, RULE_EQ},
    {TOK_NE, 2, RULE_NE},
    {'<', 2, RULE_LT},
    {TOK_LE, 2, RULE_LE},
    {'>', 2, RULE_GT},
    {TOK_GE, 2, RULE_GE},
    {'+', 3, RULE_ADD},
    {'-', 3, RULE_SUB},
    {'*', 4, RULE_MUL},
    {'/', 4, RULE_DIV},
    {'%', 4, RULE_MOD},
  };
  static const operator in = { TOK_WORD, 2, RULE_IN };
  if (t->kind == TOK_WORD)
    return level == 2 && strcmp(t->text, "in") == 0 ? &in : NULL;
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
    if (operators[i].kind == t->kind && operators[i].level == level)
      return &operators[i];
  return NULL;
}

// Operators of one level associate to the left; a chain counts as nesting, because it is
// evaluated so.
static int32_t read_binary(drr *d, int level) {
  const operator* o;
  int chained = 0;
  int32_t a = level == 5 ? read_unary(d) : read_binary(d, level + 1);
  while (a >= 0 && level < 5 && (o = operator_of(&d->token, level))) {
    if (++chained > RULE_MAX_DEPTH)
      return refuse_token(d, "an expression is too long at '%s'", d->token.text);
    drr_advance(d);
    int32_t b = read_binary(d, level + 1);
    if (b < 0)
      return -1;
    a = drr_node(d, (rule_node){.op = o->op, .a = a, .b = b});
  }
  return a;
}

int32_t drr_expression(drr *d) {
  if (d->depth >= RULE_MAX_DEPTH)
    return refuse_token(d, "an expression nests too deep at '%s'", d->token.text);
  d->depth++;
  int32_t a = read_binary(d, 0);
  if (a >= 0 && drr_take(d, '?')) {
    int32_t b = drr_expression(d);
    int32_t c = b >= 0 && drr_expect(d, ':', "':'") ? drr_expression(d) : -1;
    a = c < 0 ? -1 : drr_node(d, (rule_node){.op = RULE_COND, .a = a, .b = b, .c = c});
  }
  d->depth--;
  return a;
}
