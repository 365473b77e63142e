// Parses a file of rules: imports, externs, defs, patterns, passes, rules. A rule with `for` is
// parsed once for each choice. After an error the rest of that rule is skipped, so each rule
// reports at most one error.

#include "front.h"

#include <pir/layer/nearest.h>
#include <string.h>

enum { MAX_IMPORTS = 8, MAX_CHOICES = 64, MAX_ERRORS = 64 };

// ---- tokens

const char *drr_keep(drr *d, const char *text, size_t size) {
  return pir_name_str(pir_name_get(d->ctx, (pir_str){text, size})).data;
}

static pir_str line_of(const drr_place *at) {
  const char *c = at->text.data, *end = c + at->text.size;
  for (uint32_t line = 1; line < at->line; line++)
    c = (const char *)memchr(c, '\n', (size_t)(end - c)) + 1;
  if (c >= end)
    return (pir_str){"", 0};
  const char *stop = memchr(c, '\n', (size_t)(end - c));
  return (pir_str){c, (size_t)((stop ? stop : end) - c)};
}

bool drr_error(drr *d, const drr_place *at, const char *format, ...) {
  char message[512];
  va_list args;
  va_start(args, format);
  size_t size = pir_text_vformat(message, sizeof message, format, args);
  va_end(args);
  if (size >= sizeof message)
    size = sizeof message - 1;
  d->failed = true;
  if (d->errors++ >= MAX_ERRORS)
    return false;
  pir_diag diag = {.size = sizeof diag,
                   .severity = PIR_ERROR,
                   .place = {.file = at->file, .line = at->line, .column = at->column},
                   .message = {message, size},
                   .source_line = line_of(at)};
  pir_diag_emit(d->ctx, &diag);
  return false;
}

void drr_advance(drr *d) {
  d->lexer.variables = d->variables.items;
  d->lexer.variable_count = d->variables.count;
  d->token = drr_next(&d->lexer);
}

bool drr_take(drr *d, int kind) {
  if (d->token.kind != kind)
    return false;
  drr_advance(d);
  return true;
}

bool drr_is_word(const drr *d, const char *word) {
  return d->token.kind == TOK_WORD && strcmp(d->token.text, word) == 0;
}

bool drr_take_word(drr *d, const char *word) {
  if (!drr_is_word(d, word))
    return false;
  drr_advance(d);
  return true;
}

bool drr_expect(drr *d, int kind, const char *what) {
  if (drr_take(d, kind))
    return true;
  return drr_error(d, &d->token.at, "expected %s, found '%s'", what, d->token.text);
}

static const char *take_name(drr *d, const char *what) {
  const char *name = d->token.text;
  return drr_expect(d, TOK_WORD, what) ? name : NULL;
}

// Skips the block that starts at or after the next token.
static bool skip_block(drr *d) {
  int nesting = 0;
  for (; d->token.kind != TOK_END; drr_advance(d)) {
    nesting += d->token.kind == '{';
    nesting -= d->token.kind == '}';
    if (d->token.kind == '}' && nesting <= 0) {
      drr_advance(d);
      return true;
    }
  }
  return drr_error(d, &d->token.at, "expected '}', found the end");
}

// ---- rules

static bool read_block(drr *d) {
  if (!drr_expect(d, '{', "'{'"))
    return false;
  while (!drr_take(d, '}'))
    if (!drr_statement(d))
      return false;
  return true;
}

static bool read_match(drr *d, const drr_place *at) {
  if (d->rule.match_count)
    return drr_error(d, at, "a rule has one match");
  d->rule.match = (int32_t)d->ops.count;
  if (!read_block(d))
    return false;
  if (!d->rule.match_count)
    return drr_error(d, at, "the match is empty");
  d->rule.emit = (int32_t)d->ops.count;
  return true;
}

static bool read_emit(drr *d, const drr_place *at) {
  if (!d->rule.match_count)
    return drr_error(d, at, "expected 'match' before 'emit'");
  if (d->in_emit)
    return drr_error(d, at, "a rule has one emit");
  d->in_emit = true;
  d->rule.outputs = (int32_t)d->outputs.count;
  return read_block(d);
}

static bool read_shared(drr *d) {
  do {
    drr_token name = d->token;
    if (!drr_expect(d, TOK_VALUE, "a value (%x)"))
      return false;
    int32_t slot = drr_read_value(d, &name, false);
    if (slot < 0)
      return false;
    const drr_value *v = &d->values[slot];
    if (v->def < 0 || v->emitted)
      return drr_error(d, &name.at, "no op of the match defines %%%s", name.text);
    if (v->def == d->rule.match_count - 1)
      return drr_error(d, &name.at, "%%%s is a result of the root, which goes", name.text);
    d->ops.items[d->rule.match + v->def].shared = true;
  } while (drr_take(d, ','));
  return true;
}

// The known word that is most similar to the one that is there.
static pir_hint hint_word(const drr *d, const char *const *words) {
  pir_nearest near = pir_nearest_begin(pir_str_from(d->token.text ? d->token.text : ""));
  for (; *words; words++)
    pir_nearest_try(&near, *words);
  return pir_nearest_hint(&near);
}

static bool read_number(drr *d, uint32_t limit, uint32_t *out) {
  drr_token t = d->token;
  if (!drr_expect(d, TOK_INT, "a number"))
    return false;
  *out = (uint32_t)t.i;
  if (t.i < 0 || t.i >= limit)
    return drr_error(d, &t.at, "expected a number below %u, found %s", limit, t.text);
  return true;
}

static bool read_clause(drr *d) {
  drr_place at = d->token.at;
  drr_token text;
  if (drr_take_word(d, "match"))
    return read_match(d, &at);
  if (drr_take_word(d, "emit"))
    return read_emit(d, &at);
  if (drr_take_word(d, "shared"))
    return read_shared(d);
  if (drr_take_word(d, "benefit")) {
    d->info.has_benefit = true;
    return read_number(d, 1000, &d->rule.benefit);
  }
  if (drr_take_word(d, "recursive"))
    return d->info.recursive = true;
  if (drr_is_word(d, "where") || drr_is_word(d, "let")) {
    if (d->rule.match_count)
      return drr_statement(d);
    return drr_error(d, &at, "expected 'match' before '%s'", d->token.text);
  }
  if (drr_take_word(d, "unchecked")) {
    text = d->token;
    d->rule.skip_check = text.text;
    return drr_expect(d, TOK_TEXT, "the reason in quotes");
  }
  if (drr_take_word(d, "within"))
    return read_number(d, 1000, &d->rule.within);
  static const char *const words[] = {"match",   "where",     "let",    "shared",    "emit",
                                      "benefit", "recursive", "within", "unchecked", NULL};
  return drr_error(d, &at,
                   "expected match, where, let, shared, emit, benefit, recursive, within or "
                   "unchecked, found '%s'%s",
                   d->token.text, hint_word(d, words).text);
}

static void begin_rule(drr *d, const char *name, const drr_place *at) {
  d->rule = (rule){.name = name};
  d->info = (drr_rule_info){.at = *at};
  d->names.count = d->op_places.count = d->conditions.count = 0;
  d->scope = 0;
  d->next_scope = 1;
  d->depth = d->nesting = 0;
  d->in_emit = d->failed = false;
}

static const char *origin_of(drr *d, const drr_place *at) {
  char text[512];
  pir_str file = at->file;
  for (size_t i = file.size; i-- > 0;)
    if (file.data[i] == '/') {
      file = (pir_str){file.data + i + 1, file.size - i - 1};
      break;
    }
  size_t n = pir_text_format(text, sizeof text, "%.*s:%u",
                             (int)(file.size < 400 ? file.size : 400), file.data, at->line);
  return drr_keep(d, text, n);
}

// Operands of a shared op are shared too.
static void spread_shared(drr *d) {
  for (int i = d->rule.match_count; i-- > 0;) {
    const rule_op *op = &d->ops.items[d->rule.match + i];
    for (int16_t k = 0; k < op->operand_count && op->shared; k++) {
      const rule_operand *o = &d->operands.items[op->operands + k];
      bool value = o->kind == RULE_OPERAND_VALUE || o->kind == RULE_OPERAND_VALUES ||
                   o->kind == RULE_OPERAND_MAYBE;
      if (value && d->values[o->at].def >= 0)
        d->ops.items[d->rule.match + d->values[o->at].def].shared = true;
    }
  }
}

static bool finish_rule(drr *d) {
  if (!d->rule.match_count)
    return drr_error(d, &d->info.at, "the rule has no match");
  if (!d->in_emit)
    return drr_error(d, &d->info.at, "the rule has no emit");
  d->rule.root = d->ops.items[d->rule.match + d->rule.match_count - 1].id;
  d->rule.origin = origin_of(d, &d->info.at);
  if (!d->info.has_benefit)
    d->rule.benefit = (uint32_t)d->rule.match_count;
  spread_shared(d);
  if (!drr_order(d) || !drr_check_rule(d))
    return false;
  pir_vec_push(d->arena, &d->rules, d->rule);
  pir_vec_push(d->arena, &d->infos, d->info);
  return true;
}

// ---- for

typedef struct choice {
  size_t first, count;  // variables set by one round
} choice;

static void negate(drr *d, drr_token *number) {
  char text[64];
  size_t n = pir_text_format(text, sizeof text, "-%.60s", number->text);
  number->text = drr_keep(d, text, n);
  number->i = -number->i;
  number->f = -number->f;
}

// One value of a list of choices: a word, text or number, or a tuple of them.
static bool read_choice(drr *d, const char *const *names, size_t count) {
  if (count > 1 && !drr_expect(d, '(', "'(' and a value for each name"))
    return false;
  for (size_t i = 0; i < count; i++) {
    if (i && !drr_expect(d, ',', "','"))
      return false;
    bool negative = drr_take(d, '-');
    drr_token t = d->token;
    bool number = t.kind == TOK_INT || t.kind == TOK_FLOAT;
    if (!number && (negative || (t.kind != TOK_WORD && t.kind != TOK_TEXT)))
      return drr_error(d, &t.at, "expected %s, found '%s'",
                       negative ? "a number" : "a word, text or number", t.text);
    if (negative)
      negate(d, &t);
    drr_advance(d);
    pir_vec_push(d->arena, &d->variables, ((drr_variable){names[i], t}));
  }
  return count == 1 || drr_expect(d, ')', "')'");
}

static bool read_rule_body(drr *d, const char *name, const drr_place *at);

// Appends the choices to the rule's name, for traces: act[relu].
static const char *chosen_name(drr *d, const char *name, size_t first) {
  pir_strbuf text;
  pir_strbuf_init(&text, d->arena);
  pir_strbuf_format(&text, "%s[", name);
  for (size_t i = first; i < d->variables.count; i++)
    pir_strbuf_format(&text, "%s%s", i > first ? "," : "", d->variables.items[i].token.text);
  pir_strbuf_char(&text, ']');
  const char *kept = drr_keep(d, text.data, text.size);
  pir_strbuf_free(&text);
  return kept;
}

static bool read_list_of_choices(drr *d, const char *const *names, size_t count,
                                 size_t *rounds) {
  if (!drr_expect(d, '[', "'[' or the name of choices"))
    return false;
  do {
    if (++*rounds > MAX_CHOICES)
      return drr_error(d, &d->token.at, "more than %d choices", MAX_CHOICES);
    if (!read_choice(d, names, count))
      return false;
  } while (drr_take(d, ','));
  if (d->token.kind != ']')
    return drr_error(d, &d->token.at, "expected ',' or ']', found '%s'", d->token.text);
  return true;
}

// Parses the domain of a `for`: a list, or names of lists joined by '+'. The token after it is
// not read yet, because it may mention the variable.
static bool read_choices(drr *d, const char *const *names, size_t count, size_t *rounds) {
  if (d->token.kind != TOK_WORD)
    return read_list_of_choices(d, names, count, rounds);
  for (;;) {
    const drr_choices *found = NULL;
    for (size_t i = 0; i < d->choices.count; i++)
      if (d->choices.items[i].name == d->token.text)
        found = &d->choices.items[i];
    if (!found)
      return drr_error(d, &d->token.at, "no 'choices %s' before this line", d->token.text);
    drr_lexer behind = d->lexer, ahead = behind;
    d->lexer = found->start;
    drr_advance(d);
    if (!read_list_of_choices(d, names, count, rounds))
      return false;
    d->lexer = behind;
    if (drr_next(&ahead).kind != '+')
      return true;
    d->lexer = ahead;
    drr_advance(d);
  }
}

// for $a in [x, y] or for ($a, $b) in [(x, 1), (y, 2)], then the rest of the rule once for
// each.
static bool read_for(drr *d, const char *name, const drr_place *at) {
  const char *names[8];
  size_t count = 0, mark = d->variables.count;
  bool tuple = drr_take(d, '(');
  do {
    if (count == 8)
      return drr_error(d, &d->token.at, "too many names");
    names[count++] = d->token.text;
    if (!drr_expect(d, TOK_HOLE, "a name ($x) not in use by another 'for'"))
      return false;
  } while (tuple && drr_take(d, ','));
  if (tuple && !drr_expect(d, ')', "')'"))
    return false;
  if (!drr_take_word(d, "in"))
    return drr_error(d, &d->token.at, "expected 'in'");
  size_t rounds = 0;
  bool fine = read_choices(d, names, count, &rounds);
  // The token after the list is kept unread, so that each iteration may replace its variables.
  size_t end = d->variables.count;
  drr_lexer body = d->lexer;
  drr_variable chosen[8];
  for (size_t round = 0; round < rounds && fine; round++) {
    memcpy(chosen, &d->variables.items[mark + round * count], count * sizeof *chosen);
    // Only this iteration's variables are visible: they are copied to the end of the list.
    for (size_t i = 0; i < count; i++)
      pir_vec_push(d->arena, &d->variables, chosen[i]);
    d->lexer = body;
    drr_advance(d);
    begin_rule(d, name, at);
    fine = read_rule_body(d, chosen_name(d, name, end), at);
    d->variables.count = end;
  }
  d->variables.count = mark;
  return fine;
}

// Parses the clauses of a rule up to its closing brace, which is not consumed.
static bool read_rule_body(drr *d, const char *name, const drr_place *at) {
  if (drr_take_word(d, "for"))
    return read_for(d, name, at);
  d->rule.name = name;
  while (d->token.kind != '}')
    if (!read_clause(d))
      return false;
  return finish_rule(d);
}

static bool read_rule(drr *d) {
  drr_place at = d->token.at;
  drr_lexer start = d->lexer;
  drr_advance(d);
  const char *name = take_name(d, "the name of the rule");
  if (d->token.kind == TOK_TEXT)
    drr_advance(d);
  begin_rule(d, name ? name : "", &at);
  size_t variables = d->variables.count;
  bool fine = name && drr_expect(d, '{', "'{'") && read_rule_body(d, name, &at);
  d->variables.count = variables;
  if (fine)
    return drr_expect(d, '}', "'}'");
  d->lexer = start;
  drr_advance(d);
  return skip_block(d);
}

// ---- passes

static void add_pass(drr *d, drr_pass pass) {
  pass.count = (int32_t)d->rules.count - pass.first;
  if (pass.count)
    drr_check_pass(d, &pass);
  pir_vec_push(d->arena, &d->passes, pass);
}

// pass NAME [short NAME] [level N] "summary" { rules }
static bool read_pass(drr *d) {
  drr_pass pass = {
      .level = 2, .first = (int32_t)d->rules.count, .at = d->token.at, .short_name = ""};
  uint32_t level = 2;
  pass.name = take_name(d, "the name of the pass");
  if (!pass.name)
    return false;
  if (drr_take_word(d, "short") && !(pass.short_name = take_name(d, "the short name")))
    return false;
  if (drr_take_word(d, "level") && !read_number(d, UINT8_MAX + 1, &level))
    return false;
  drr_token summary = d->token;
  if (!drr_expect(d, TOK_TEXT, "a summary in quotes") || !drr_expect(d, '{', "'{'"))
    return false;
  pass.summary = summary.text;
  pass.level = (uint8_t)level;
  while (drr_is_word(d, "rule"))
    if (!read_rule(d))
      return false;
  add_pass(d, pass);
  return drr_expect(d, '}', "'rule' or '}'");
}

// ---- files

static bool read_extern(drr *d) {
  char kinds[16];
  size_t n = 0;
  drr_token name = d->token;
  if (!drr_expect(d, TOK_HELPER, "a helper (@name)") || !drr_expect(d, '(', "'('"))
    return false;
  do {
    if (n == 8)
      return drr_error(d, &d->token.at, "a helper has at most 8 arguments");
    kinds[n++] = d->token.kind == TOK_VALUE ? 'v' : 'e';
    if (d->token.kind != TOK_VALUE && d->token.kind != TOK_HOLE)
      return drr_error(d, &d->token.at, "expected %%x or $x, found '%s'", d->token.text);
    drr_advance(d);
  } while (drr_take(d, ','));
  const pir_rule_helper *found = NULL;
  for (size_t i = 0; i < pir_rule_helper_count; i++)
    if (strcmp(pir_rule_helpers[i].name, name.text) == 0)
      found = &pir_rule_helpers[i];
  for (size_t i = 0; d->options && i < d->options->helper_count; i++)
    if (strcmp(d->options->helpers[i].name, name.text) == 0)
      found = &d->options->helpers[i];
  if (!found)
    return drr_error(d, &name.at, "no helper in C is called '%s'", name.text);
  if (found->arg_count != n)
    return drr_error(d, &name.at, "'@%s' has %d arguments", name.text, found->arg_count);
  drr_extern e = {name.text, drr_keep(d, kinds, n), found->fn};
  pir_vec_push(d->arena, &d->externs, e);
  return drr_expect(d, ')', "')'");
}

// ( %a, $b, .. ): what a use replaces.
static bool skip_parameters(drr *d, bool values_only) {
  if (!drr_expect(d, '(', "'('"))
    return false;
  do {
    bool hole = !values_only && drr_take(d, TOK_HOLE);
    if (!hole && !drr_expect(d, TOK_VALUE, "a parameter (%x or $x)"))
      return false;
    drr_take(d, TOK_ELLIPSIS);
  } while (drr_take(d, ','));
  return drr_expect(d, ')', "',' or ')'");
}

// pattern @name(%a, $b) -> (%c) { lines }
static bool read_pattern(drr *d) {
  drr_pattern pattern = {.name = d->token.text, .start = d->lexer, .at = d->token.at};
  if (!drr_expect(d, TOK_HELPER, "a pattern (@name)") || !skip_parameters(d, false))
    return false;
  if (!drr_expect(d, TOK_ARROW, "'->' and the results") || !skip_parameters(d, true) ||
      !skip_block(d))
    return false;
  pir_vec_push(d->arena, &d->patterns, pattern);
  return true;
}

// The expression ends where the next item of the file starts; it is parsed at each use.
static bool read_def(drr *d) {
  drr_def def = {.name = d->token.text, .start = d->lexer};
  if (!take_name(d, "the name of the def"))
    return false;
  if (!skip_parameters(d, false) || !drr_expect(d, '=', "'=' and an expression"))
    return false;
  pir_vec_push(d->arena, &d->defs, def);
  static const char *const items[] = {"rule",    "pass",   "def",   "choices",
                                      "pattern", "extern", "import"};
  for (; d->token.kind != TOK_END; drr_advance(d))
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
      if (drr_is_word(d, items[i]))
        return true;
  return true;
}

// choices name = [..]: a list that several `for` go through.
static bool read_named_choices(drr *d) {
  const char *name = take_name(d, "the name of the choices");
  drr_choices choices = {.name = name, .start = d->lexer};
  if (!name || !drr_expect(d, '=', "'='"))
    return false;
  if (d->token.kind != '[')
    return drr_error(d, &d->token.at, "expected '[', found '%s'", d->token.text);
  pir_vec_push(d->arena, &d->choices, choices);
  while (d->token.kind != ']' && d->token.kind != TOK_END)
    drr_advance(d);
  return drr_expect(d, ']', "']'");
}

static bool read_items(drr *d);

static bool read_import(drr *d) {
  drr_token path = d->token;
  pir_str text;
  if (!drr_expect(d, TOK_TEXT, "a file in quotes"))
    return false;
  for (size_t i = 0; i < d->imported.count; i++)
    if (d->imported.items[i] == path.text)
      return true;
  if (d->import_depth == MAX_IMPORTS)
    return drr_error(d, &path.at, "imports nest too deep");
  if (!d->options || !d->options->read ||
      d->options->read(d->options->user, pir_str_from(path.text), &text))
    return drr_error(d, &path.at, "cannot read '%s'", path.text);
  pir_vec_push(d->arena, &d->imported, path.text);
  drr_lexer here = d->lexer;
  drr_token next = d->token;
  d->lexer =
      (drr_lexer){.ctx = d->ctx, .file = pir_str_from(path.text), .text = text, .line = 1};
  d->import_depth++;
  drr_advance(d);
  bool read = read_items(d);
  d->import_depth--;
  d->lexer = here;
  d->token = next;
  return read;
}

// Imported files give patterns, defs and externs.
static bool read_item(drr *d) {
  drr_place at = d->token.at;
  if (d->import_depth && (drr_is_word(d, "rule") || drr_is_word(d, "pass")))
    return drr_error(d, &at, "an imported file has no rules and no passes");
  if (drr_is_word(d, "rule"))
    return read_rule(d);
  if (drr_take_word(d, "pass"))
    return read_pass(d);
  if (drr_take_word(d, "pattern"))
    return read_pattern(d);
  if (drr_take_word(d, "def"))
    return read_def(d);
  if (drr_take_word(d, "choices"))
    return read_named_choices(d);
  if (drr_take_word(d, "extern"))
    return read_extern(d);
  if (drr_take_word(d, "import"))
    return read_import(d);
  static const char *const words[] = {"pass",    "rule",   "pattern", "def",
                                      "choices", "extern", "import",  NULL};
  return drr_error(d, &at,
                   "expected pass, rule, pattern, def, choices, extern or import, found '%s'%s",
                   d->token.text, hint_word(d, words).text);
}

static bool read_items(drr *d) {
  while (d->token.kind != TOK_END)
    if (!read_item(d))
      return false;
  return true;
}

// Rules outside a pass form a pass with the file's name.
static const char *pass_name_of(drr *d, pir_str file) {
  size_t start = 0, end = file.size;
  for (size_t i = 0; i < file.size; i++)
    if (file.data[i] == '/')
      start = i + 1;
  for (size_t i = start; i < file.size; i++)
    if (file.data[i] == '.' && i > start)
      end = end == file.size ? i : end;
  return drr_keep(d, file.data + start, end - start);
}

bool drr_read(drr *d, pir_str file, pir_str text) {
  d->lexer = (drr_lexer){.ctx = d->ctx, .file = file, .text = text, .line = 1};
  drr_advance(d);
  drr_pass loose = {.name = pass_name_of(d, file),
                    .short_name = "",
                    .summary = "rules of a file",
                    .level = 2};
  loose.at = d->token.at;
  while (d->token.kind != TOK_END) {
    bool in_pass = drr_is_word(d, "pass");
    drr_place at = d->token.at;
    int32_t before = (int32_t)d->rules.count;
    bool mixed = (in_pass && loose.count) || (drr_is_word(d, "rule") && d->passes.count);
    if (mixed)
      return drr_error(d, &at, "rules outside a pass and passes do not mix");
    if (!read_item(d))
      return false;
    if (!in_pass)
      loose.count += (int32_t)d->rules.count - before;
  }
  if (loose.count)
    add_pass(d, loose);
  return !d->errors;
}
