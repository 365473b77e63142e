// Parses lines of match and emit: an op with its operands and attributes, the use of a pattern,
// or another name for a value. A pattern is parsed again at each use. Its names are fresh
// except for its parameters, so the finished rule is flat.

#include "front.h"
#include <pir/layer/nearest.h>

#include <string.h>

enum { MAX_NESTING = 12 };

// ---- names

static drr_name *find_name(drr *d, const char *name, bool is_value) {
  for (size_t i = d->names.count; i-- > 0;) {
    drr_name *n = &d->names.items[i];
    if (n->scope == d->scope && n->is_value == is_value && n->name == name)
      return n;
  }
  return NULL;
}

void drr_add_name(drr *d, const char *name, int32_t slot, bool is_value, bool is_list) {
  drr_name n = {name, d->scope, slot, is_value, d->in_emit, is_list, false, -1};
  pir_vec_push(d->arena, &d->names, n);
}

int32_t drr_named_node(drr *d, const drr_token *name) {
  const drr_name *n = find_name(d, name->text, false);
  return n ? n->node : -1;
}

int32_t drr_new_value(drr *d, const drr_token *name, bool is_list) {
  if (d->rule.value_count == RULE_MAX_VALUES) {
    drr_error(d, &name->at, "a rule has too many values");
    return -1;
  }
  d->values[d->rule.value_count] = (drr_value){
      .at = name->at, .name = name->text, .def = -1, .is_list = is_list, .emitted = d->in_emit};
  return d->rule.value_count++;
}

int32_t drr_new_hole(drr *d, const drr_place *at, const char *name) {
  if (d->rule.hole_count == RULE_MAX_HOLES) {
    drr_error(d, at, "a rule has too many attributes");
    return -1;
  }
  d->holes[d->rule.hole_count] = (drr_hole){.at = *at, .name = name};
  return d->rule.hole_count++;
}

int32_t drr_read_hole(drr *d, const drr_token *name) {
  drr_name *n = find_name(d, name->text, false);
  if (n)
    return n->slot;
  int32_t slot = drr_new_hole(d, &name->at, name->text);
  if (slot >= 0)
    drr_add_name(d, name->text, slot, false, false);
  return slot;
}

int32_t drr_read_value(drr *d, const drr_token *name, bool is_list) {
  drr_name *n = find_name(d, name->text, true);
  if (!n) {
    drr_error(d, &name->at, "unbound value %%%s", name->text);
    return -1;
  }
  if (is_list && !n->is_list) {
    drr_error(d, &name->at, "%%%s is one value, not a list", name->text);
    return -1;
  }
  return n->slot;
}

// An operand of a match may be the first to mention a value.
static int32_t operand_value(drr *d, const drr_token *name, bool is_list) {
  drr_name *n = find_name(d, name->text, true);
  if (!n && !d->in_emit) {
    int32_t slot = drr_new_value(d, name, is_list);
    if (slot < 0)
      return -1;
    drr_add_name(d, name->text, slot, true, is_list);
    n = find_name(d, name->text, true);
  }
  if (n && n->is_list != is_list) {
    drr_error(d, &name->at,
              n->is_list ? "%%%s is a list: write %%%s..."
                         : "%%%s is one value, not a list%.0s",
              name->text, name->text);
    return -1;
  }
  return drr_read_value(d, name, is_list);
}

// Returns the slot of a result: a new one, or the one that a pattern's use reserved for it.
static int32_t define_value(drr *d, const drr_token *name, bool is_list) {
  drr_name *n = find_name(d, name->text, true);
  if (n && n->pending) {
    n->pending = false;
    if (n->is_list == is_list)
      return n->slot;
    drr_error(d, &name->at, "%%%s is %s where the pattern is used", name->text,
              n->is_list ? "a list" : "one value");
    return -1;
  }
  if (n && n->in_emit == d->in_emit) {
    bool later = !d->in_emit && d->values[n->slot].def < 0;
    drr_error(d, &name->at,
              later ? "%%%s is read above the line that defines it" : "%%%s is defined twice",
              name->text);
    return -1;
  }
  if (n && n->is_list != is_list) {
    drr_error(d, &name->at, "%%%s was %s in the match", name->text,
              n->is_list ? "a list" : "one value");
    return -1;
  }
  int32_t old = n ? n->slot : -1, slot = drr_new_value(d, name, is_list);
  if (slot < 0)
    return -1;
  drr_add_name(d, name->text, slot, true, is_list);
  if (old >= 0) {
    pir_vec_push(d->arena, &d->outputs, ((rule_output){old, slot}));
    d->rule.output_count++;
  }
  return slot;
}

void drr_add_condition(drr *d, const drr_place *at, bool is_let, int32_t hole, int32_t node) {
  drr_condition c = {*at, is_let, false, hole, node};
  pir_vec_push(d->arena, &d->conditions, c);
}

// ---- results

typedef struct name_list {
  drr_token names[RULE_MAX_OPERANDS];
  bool ignored[RULE_MAX_OPERANDS], lists[RULE_MAX_OPERANDS];
  int16_t count;
} name_list;

static bool read_results(drr *d, name_list *out) {
  out->count = 0;
  if (!drr_expect(d, '(', "'('"))
    return false;
  if (drr_take(d, ')'))
    return true;
  do {
    drr_token t = d->token;
    if (out->count == RULE_MAX_OPERANDS)
      return drr_error(d, &t.at, "too many results");
    int16_t i = out->count;
    out->names[i] = t;
    out->ignored[i] = drr_take_word(d, "_");
    if (!out->ignored[i] && !drr_expect(d, TOK_VALUE, "a result (%x) or '_'"))
      return false;
    out->lists[i] = drr_take(d, TOK_ELLIPSIS);
    // Results after the named ones are ignored.
    if (!(out->ignored[i] && out->lists[i]))
      out->count++;
  } while (drr_take(d, ','));
  return drr_expect(d, ')', "')'");
}

static bool put_results(drr *d, const name_list *list, rule_op *op, int32_t index) {
  op->results = (int32_t)d->results.count;
  for (int16_t i = 0; i < list->count; i++) {
    int16_t at = -1;
    if (!list->ignored[i]) {
      int32_t slot = define_value(d, &list->names[i], list->lists[i]);
      if (slot < 0)
        return false;
      d->values[slot].def = index;
      at = (int16_t)(list->lists[i] ? -2 - slot : slot);
    }
    pir_vec_push(d->arena, &d->results, at);
  }
  op->result_count = list->count;
  return true;
}

// ---- operands

static bool stands_alone(const drr *d) {
  drr_lexer ahead = d->lexer;
  int next = drr_next(&ahead).kind;
  return next == ',' || next == ')' || next == '}';
}

// An expression in a match is a comparison: direct if it is a literal, else a condition on a
// new hole.
static bool match_expression(drr *d, int32_t *out_node, int32_t *out_hole) {
  drr_token t = d->token;
  *out_node = *out_hole = -1;
  if (t.kind == TOK_HOLE && stands_alone(d)) {
    drr_advance(d);
    *out_hole = drr_read_hole(d, &t);
    if (*out_hole >= 0)
      d->holes[*out_hole].given = true;
    return *out_hole >= 0;
  }
  int32_t node = drr_expression(d);
  if (node < 0)
    return false;
  if (drr_is_literal(d, node)) {
    *out_node = node;
    return true;
  }
  int32_t hole = *out_hole = drr_new_hole(d, &t.at, "");
  if (hole < 0)
    return false;
  int32_t found = drr_node(d, (rule_node){.op = RULE_HOLE, .a = hole});
  drr_add_condition(d, &t.at, false, -1,
                    drr_node(d, (rule_node){.op = RULE_EQ, .a = found, .b = node}));
  return true;
}

static bool constant_operand(drr *d, const pir_opdef *def, int16_t at, rule_operand *out) {
  drr_place place = d->token.at;
  int32_t hole;
  uint8_t flags = at < def->operand_count ? def->operands[at].flags : 0;
  if (!d->in_emit) {
    if (!match_expression(d, &out->at, &hole))
      return false;
    out->kind = out->at >= 0 ? RULE_OPERAND_NODE : RULE_OPERAND_HOLE;
    if (out->at < 0)
      out->at = hole;
    return true;
  }
  if (!(flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR)))
    return drr_error(d, &place, "operand %d of '%s' is a tensor: make it by an op of its own",
                     at, def->name);
  *out = (rule_operand){RULE_OPERAND_NODE, drr_expression(d)};
  return out->at >= 0;
}

static bool read_operand(drr *d, const pir_opdef *def, int16_t at, rule_operand *out) {
  drr_token t = d->token;
  if (t.kind == TOK_VALUE) {
    drr_advance(d);
    bool list = drr_take(d, TOK_ELLIPSIS), maybe = !list && drr_take(d, '?');
    out->kind = maybe && !d->in_emit ? RULE_OPERAND_MAYBE : RULE_OPERAND_VALUE;
    if (list)
      out->kind = RULE_OPERAND_VALUES;
    return (out->at = operand_value(d, &t, list)) >= 0;
  }
  if (drr_take_word(d, "none")) {
    *out = (rule_operand){RULE_OPERAND_NONE, 0};
    return true;
  }
  if (!d->in_emit && drr_take_word(d, "_")) {
    *out = (rule_operand){RULE_OPERAND_ANY, 0};
    return true;
  }
  return constant_operand(d, def, at, out);
}

static int32_t default_node(drr *d, const pir_attr_def *literal) {
  if (literal->kind == PIR_ATTR_BOOL)
    return drr_node(d, (rule_node){.op = RULE_BOOL, .i = literal->i});
  if (literal->kind == PIR_ATTR_I32 || literal->kind == PIR_ATTR_I64)
    return drr_node(d, (rule_node){.op = RULE_INT, .i = literal->i});
  if (literal->kind != PIR_ATTR_INT_ARRAY)
    return drr_node(d, (rule_node){.op = RULE_FLOAT, .f = literal->f});
  int32_t first = (int32_t)d->pool.count;
  for (size_t i = 0; i < literal->int_count; i++) {
    int32_t item = drr_node(d, (rule_node){.op = RULE_INT, .i = literal->ints[i]});
    pir_vec_push(d->arena, &d->pool, item);
  }
  return drr_node(d,
                  (rule_node){.op = RULE_LIST, .a = first, .b = (int32_t)literal->int_count});
}

static bool takes_any_number(const pir_opdef *def) {
  uint8_t last = def->operand_count ? def->operands[def->operand_count - 1].flags : 0;
  return def->traits & PIR_STRUCTURAL && last & PIR_OPERAND_VARIADIC;
}

// Trailing operands or attributes that an emit omits are absent or have their default.
static bool fill_operands(drr *d, const pir_opdef *def, const drr_place *at,
                          rule_operand *operands, int16_t *count) {
  for (; *count < def->operand_count; ++*count) {
    const pir_operand_def *o = &def->operands[*count];
    bool literal = o->literal && !o->literal->required;
    if (literal)
      operands[*count] = (rule_operand){RULE_OPERAND_NODE, default_node(d, o->literal)};
    else if (o->flags & PIR_OPERAND_OPTIONAL)
      operands[*count] = (rule_operand){RULE_OPERAND_NONE, 0};
    else
      return drr_error(d, at, "'%s' needs operand '%s'", def->name, o->name);
  }
  return true;
}

static bool read_operands(drr *d, const pir_opdef *def, const drr_place *at, rule_op *op) {
  rule_operand operands[RULE_MAX_OPERANDS];
  int16_t n = 0;
  bool any_number = takes_any_number(def);
  if (!drr_expect(d, '(', "'(' and the operands"))
    return false;
  if (!drr_take(d, ')')) {
    do {
      drr_place place = d->token.at;
      if (n == RULE_MAX_OPERANDS)
        return drr_error(d, &place, "too many operands");
      if (n >= def->operand_count && !any_number)
        return drr_error(d, &place, "'%s' has %d operands", def->name, def->operand_count);
      if (!read_operand(d, def, n, &operands[n]))
        return false;
      if (operands[n].kind == RULE_OPERAND_VALUES && !op->each && !any_number)
        return drr_error(d, &place, "'%s' takes no list of operands here", def->name);
      n++;
    } while (drr_take(d, ','));
    if (!drr_expect(d, ')', "',' or ')'"))
      return false;
  }
  if (d->in_emit && !any_number && !fill_operands(d, def, at, operands, &n))
    return false;
  if (!any_number && n != def->operand_count)
    return drr_error(d, at,
                     "'%s' has %d operands, not %d; write _ or none for those that do not "
                     "matter or are absent",
                     def->name, def->operand_count, n);
  op->operands = (int32_t)d->operands.count;
  op->operand_count = n;
  for (int16_t i = 0; i < n; i++)
    pir_vec_push(d->arena, &d->operands, operands[i]);
  return true;
}

// ---- attributes

static bool read_splice(drr *d, rule_op *op) {
  drr_token t = d->token;
  if (!d->in_emit)
    return drr_error(d, &t.at, "attributes are copied in an emit only");
  if (!drr_expect(d, TOK_VALUE, "a value of the match (%x)"))
    return false;
  int32_t slot = drr_read_value(d, &t, false);
  if (slot < 0)
    return false;
  if (d->values[slot].def < 0 || d->values[slot].emitted)
    return drr_error(d, &t.at, "no op of the match defines %%%s", t.text);
  op->splice = (int16_t)d->values[slot].def;
  return true;
}

static bool read_attr(drr *d, const pir_opdef *def, rule_attr *out) {
  drr_token name = d->token;
  if (d->token.kind == TOK_TEXT)
    drr_advance(d);
  else if (!drr_expect(d, TOK_WORD, "an attribute"))
    return false;
  *out = (rule_attr){(int16_t)pir_opdef_attr(def, pir_str_from(name.text)), name.text, -1, -1};
  pir_nearest near = pir_nearest_begin(pir_str_from(name.text));
  for (size_t i = 0; out->position < 0 && i < def->attr_count; i++)
    pir_nearest_try(&near, def->attrs[i].name);
  if (out->position < 0 && name.text[0] != '_')
    return drr_error(d, &name.at, "'%s' has no attribute '%s'%s", def->name, name.text,
                     pir_nearest_hint(&near).text);
  if (!drr_expect(d, ':', "':' and a value"))
    return false;
  drr_place at = d->token.at;
  if (d->in_emit)
    out->node = drr_expression(d);
  else if (!match_expression(d, &out->node, &out->hole))
    return false;
  if (d->in_emit && out->node < 0)
    return false;
  return out->position < 0 || out->node < 0 ||
         drr_check_attr(d, &at, &def->attrs[out->position], out->node);
}

static bool check_given(drr *d, const pir_opdef *def, const drr_place *at, const rule_op *op) {
  const pir_opdef *from = NULL;
  if (op->splice >= 0)
    from = pir_context_op(d->ctx, d->ops.items[d->rule.match + op->splice].id);
  for (size_t i = 0; i < def->attr_count; i++) {
    bool given = !def->attrs[i].required ||
                 (from && pir_opdef_attr(from, pir_str_from(def->attrs[i].name)) >= 0);
    for (int16_t k = 0; k < op->attr_count && !given; k++)
      given = d->attrs.items[op->attrs + k].position == (int16_t)i;
    if (!given)
      return drr_error(d, at, "'%s' needs attribute '%s'", def->name, def->attrs[i].name);
  }
  return true;
}

static bool read_attrs(drr *d, const pir_opdef *def, const drr_place *at, rule_op *op) {
  rule_attr attrs[RULE_MAX_OPERANDS];
  int16_t n = 0;
  if (drr_take(d, '{') && !drr_take(d, '}')) {
    do {
      if (drr_take(d, TOK_ELLIPSIS)) {
        if (!read_splice(d, op))
          return false;
        continue;
      }
      if (n == RULE_MAX_OPERANDS)
        return drr_error(d, &d->token.at, "too many attributes");
      drr_place place = d->token.at;
      if (!read_attr(d, def, &attrs[n]))
        return false;
      for (int16_t i = 0; i < n; i++)
        if (attrs[i].name == attrs[n].name)
          return drr_error(d, &place, "'%s' is given twice", attrs[n].name);
      n++;
    } while (drr_take(d, ','));
    if (!drr_expect(d, '}', "',' or '}'"))
      return false;
  }
  op->attrs = (int32_t)d->attrs.count;
  op->attr_count = n;
  for (int16_t i = 0; i < n; i++)
    pir_vec_push(d->arena, &d->attrs, attrs[i]);
  return !d->in_emit || check_given(d, def, at, op);
}

// ---- statements

static bool check_each(drr *d, const rule_op *op, const name_list *results,
                       const drr_place *at) {
  bool listed = false;
  for (int16_t i = 0; i < op->operand_count && d->in_emit; i++)
    listed |= d->operands.items[op->operands + i].kind == RULE_OPERAND_VALUES;
  for (int16_t i = 0; i < results->count && !d->in_emit; i++)
    listed |= results->lists[i];
  if (op->each && !listed)
    return drr_error(d, at, "'each' needs a list (%%xs...) among the %s",
                     d->in_emit ? "operands" : "results");
  return true;
}

static bool op_statement(drr *d, const name_list *results, bool each) {
  drr_token name = d->token;
  rule_op op = {.splice = -1, .each = each};
  if (!drr_expect(d, TOK_TEXT, "an op (\"dialect.name\")"))
    return false;
  const pir_opdef *def = pir_context_opdef(d->ctx, pir_str_from(name.text));
  int16_t *count = d->in_emit ? &d->rule.emit_count : &d->rule.match_count;
  if (!(def->traits & PIR_REGISTERED))
    return drr_error(d, &name.at, "unknown op '%s'%s", name.text,
                     pir_hint_op(d->ctx, pir_str_from(name.text)).text);
  if (def->region_count)
    return drr_error(d, &name.at, "'%s' has regions, which rules cannot look into", name.text);
  if (*count == RULE_MAX_OPS)
    return drr_error(d, &name.at, "a rule has too many ops");
  bool list = !each && results->count &&
              (results->lists[results->count - 1] || rule_names_members(def, results->count));
  if (results->count > def->result_count && !list)
    return drr_error(d, &name.at, "'%s' has %d results, not %d", name.text, def->result_count,
                     results->count);
  op.id = def->id;
  if (!read_operands(d, def, &name.at, &op) || !read_attrs(d, def, &name.at, &op))
    return false;
  if (!check_each(d, &op, results, &name.at) || !put_results(d, results, &op, *count))
    return false;
  pir_vec_push(d->arena, &d->ops, op);
  pir_vec_push(d->arena, &d->op_places, name.at);
  ++*count;
  return true;
}

static const drr_pattern *find_pattern(drr *d, const drr_token *name) {
  for (size_t i = 0; i < d->patterns.count; i++)
    if (d->patterns.items[i].name == name->text)
      return &d->patterns.items[i];
  drr_error(d, &name->at, "no 'pattern @%s' before this line", name->text);
  return NULL;
}

// Binds one parameter of a pattern to its argument. `parameters` is the pattern's lexer.
static bool bind_argument(drr *d, drr_lexer *parameters, int32_t scope) {
  drr_token name = drr_next(parameters), given = d->token;
  int32_t outer = d->scope, slot, hole = -1, node = -1;
  bool is_value = name.kind == TOK_VALUE, list = false;
  if (is_value) {
    drr_lexer behind = *parameters;
    list = drr_next(&behind).kind == TOK_ELLIPSIS;
    if (list)
      *parameters = behind;
    if (!drr_expect(d, TOK_VALUE, "a value (%x)"))
      return false;
    if (drr_take(d, TOK_ELLIPSIS) != list)
      return drr_error(d, &given.at, "%%%s of the pattern is %s", name.text,
                       list ? "a list" : "one value");
    slot = operand_value(d, &given, list);
  } else if (given.kind == TOK_HOLE && stands_alone(d)) {
    drr_advance(d);
    slot = drr_read_hole(d, &given);
  } else {
    node = drr_expression(d);
    slot = hole = node < 0 ? -1 : drr_new_hole(d, &given.at, name.text);
    if (slot >= 0)
      drr_add_condition(d, &given.at, true, hole, node);
  }
  if (slot < 0)
    return false;
  d->scope = scope;
  drr_add_name(d, name.text, slot, is_value, list);
  d->scope = outer;
  return true;
}

static bool bind_arguments(drr *d, drr_lexer *parameters, int32_t scope) {
  drr_next(parameters);  // '('
  if (!drr_expect(d, '(', "'(' and the arguments"))
    return false;
  for (int sign = ','; sign == ',';) {
    if (!bind_argument(d, parameters, scope))
      return false;
    sign = drr_next(parameters).kind;
    if (!drr_expect(d, sign, sign == ',' ? "',' and another argument" : "')'"))
      return false;
  }
  return true;
}

static bool bind_outcomes(drr *d, drr_lexer *parameters, const name_list *results,
                          int32_t scope, const drr_place *at) {
  int32_t outer = d->scope;
  drr_next(parameters);  // '->'
  drr_next(parameters);  // '('
  int16_t i = 0;
  for (int sign = ','; sign == ','; i++) {
    drr_token name = drr_next(parameters);
    if (i == results->count || results->ignored[i])
      return drr_error(d, at, "the pattern has another result, %%%s, that needs a name",
                       name.text);
    int32_t slot = define_value(d, &results->names[i], results->lists[i]);
    if (slot < 0)
      return false;
    d->scope = scope;
    drr_add_name(d, name.text, slot, true, results->lists[i]);
    d->names.items[d->names.count - 1].pending = true;
    d->scope = outer;
    sign = drr_next(parameters).kind;
    if (sign == TOK_ELLIPSIS)
      sign = drr_next(parameters).kind;
  }
  if (i != results->count)
    return drr_error(d, at, "the pattern has %d results, not %d", i, results->count);
  return true;
}

static bool pattern_body(drr *d, const drr_pattern *pattern, const drr_place *at,
                         int32_t scope) {
  if (!drr_expect(d, '{', "'{'"))
    return false;
  while (!drr_take(d, '}'))
    if (!drr_statement(d))
      return false;
  for (size_t i = 0; i < d->names.count; i++) {
    const drr_name *n = &d->names.items[i];
    if (n->scope == scope && n->pending)
      return drr_error(d, at, "'@%s' does not define its result %%%s", pattern->name, n->name);
  }
  return true;
}

static bool pattern_statement(drr *d, const name_list *results) {
  drr_token name = d->token;
  drr_advance(d);
  const drr_pattern *found = find_pattern(d, &name);
  if (!found)
    return false;
  drr_pattern pattern = *found;
  if (d->nesting >= MAX_NESTING)
    return drr_error(d, &name.at, "'@%s' leads to itself", name.text);
  int32_t scope = d->next_scope++, outer = d->scope;
  drr_lexer body = pattern.start;
  if (!bind_arguments(d, &body, scope) || !bind_outcomes(d, &body, results, scope, &name.at))
    return false;
  drr_lexer here = d->lexer;
  drr_token next = d->token;
  d->nesting++;
  d->lexer = body;
  d->scope = scope;
  drr_advance(d);
  bool read = pattern_body(d, &pattern, &name.at, scope);
  d->lexer = here;
  d->token = next;
  d->scope = outer;
  d->nesting--;
  return read;
}

// (%a) = %b in an emit: %b replaces the value %a.
static bool alias_statement(drr *d, const name_list *results) {
  drr_token t = d->token;
  bool absent = drr_take_word(d, "none");
  if (!absent && !drr_expect(d, TOK_VALUE, "an op, a pattern or a value"))
    return false;
  bool list = !absent && drr_take(d, TOK_ELLIPSIS);
  if (!d->in_emit)
    return drr_error(d, &t.at, "a match names the results of ops only");
  if (results->count != 1 || results->ignored[0])
    return drr_error(d, &t.at, "one name can stand for one value");
  drr_name *old = find_name(d, results->names[0].text, true);
  if (!old || old->in_emit)
    return drr_error(d, &results->names[0].at, "%%%s is not defined in the match",
                     results->names[0].text);
  if (results->lists[0] != old->is_list)
    return drr_error(d, &results->names[0].at, "%%%s was %s in the match",
                     results->names[0].text, old->is_list ? "a list" : "one value");
  if (!absent && list != old->is_list)
    return drr_error(d, &t.at, "%%%s is %s in the match", results->names[0].text,
                     old->is_list ? "a list" : "one value");
  int32_t from = old->slot,
          to = absent ? drr_new_value(d, &t, false) : operand_value(d, &t, list);
  if (to < 0)
    return false;
  pir_vec_push(d->arena, &d->outputs, ((rule_output){from, to}));
  d->rule.output_count++;
  drr_add_name(d, results->names[0].text, to, true, list);
  return true;
}

static bool rule_condition(drr *d) {
  drr_place at = d->token.at;
  if (drr_take_word(d, "where")) {
    int32_t node = drr_expression(d);
    if (node >= 0)
      drr_add_condition(d, &at, false, -1, node);
    return node >= 0;
  }
  drr_take_word(d, "let");
  drr_token name = d->token;
  if (!drr_expect(d, TOK_HOLE, "a name ($x)"))
    return false;
  drr_name *known = find_name(d, name.text, false);
  if (known && d->holes[known->slot].given)
    return drr_error(d, &name.at, "$%s has a value already", name.text);
  if (!drr_expect(d, '=', "'='"))
    return false;
  int32_t node = drr_expression(d), hole = node < 0 ? -1 : drr_read_hole(d, &name);
  if (hole < 0)
    return false;
  d->holes[hole].given = true;
  drr_add_condition(d, &name.at, true, hole, node);
  return true;
}

bool drr_statement(drr *d) {
  name_list results;
  if (drr_is_word(d, "where") || drr_is_word(d, "let"))
    return rule_condition(d);
  if (!read_results(d, &results) || !drr_expect(d, '=', "'='"))
    return false;
  if (d->token.kind == TOK_HELPER)
    return pattern_statement(d, &results);
  bool each = drr_take_word(d, "each");
  if (d->token.kind == TOK_TEXT || each)
    return op_statement(d, &results, each);
  return alias_statement(d, &results);
}
