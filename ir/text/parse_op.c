// Reads the phrases of an op: results, name, operands, attributes, types, location. One
// function for each phrase; the phrases fill the reader's scratch, from which parse.c makes the
// op.
#include "parse_op_impl.h"

bool pir_parse_mention(pir_op_reader *r, const char *what, pir_mention *out_name) {
  pir_parser *p = &r->p;
  *out_name = (pir_mention){p->text, pir_parse_here(p)};
  if (p->token != PIR_TOK_VALUE)
    return pir_parse_expected(p, what);
  pir_parse_next(p);
  return true;
}

// (%0, %1)
static bool parse_results(pir_op_reader *r) {
  pir_parser *p = &r->p;
  if (!pir_parse_take(p, '('))
    return false;
  while (p->token != ')') {
    pir_mention name;
    if (!pir_parse_mention(r, "a result", &name))
      return false;
    pir_vec_push(p->arena, &r->results, name);
    if (p->token != ')' && !pir_parse_take(p, ','))
      return false;
  }
  pir_parse_next(p);
  return true;
}

// One operand; the first mention of a block argument carries its attributes.
static bool parse_use(pir_op_reader *r) {
  pir_parser *p = &r->p;
  pir_mention use = {{0}, pir_parse_here(p)};
  if (p->token == PIR_TOK_NULL_VALUE)
    pir_parse_next(p);
  else if (!pir_parse_mention(r, "an operand", &use))
    return false;
  pir_vec_push(p->arena, &r->uses, use);
  if (p->token != '{')
    return true;
  pir_value *value = pir_parse_names_find(p, &r->names, use.name);
  return pir_parse_argument_attrs(r, value && pir_value_is_argument(value) ? value : NULL);
}

// %0, %1 up to the closing bracket, which is taken
static bool parse_uses(pir_op_reader *r, int close) {
  pir_parser *p = &r->p;
  while (p->token != close) {
    if (!parse_use(r))
      return false;
    if (p->token != close && !pir_parse_take(p, ','))
      return false;
  }
  pir_parse_next(p);
  return true;
}

// cond=%0, inputs=%1, %2) behind the opening bracket
static bool parse_while_uses(pir_op_reader *r) {
  pir_parser *p = &r->p;
  pir_parse_next(p);
  if (!pir_parse_take(p, '=') || !parse_use(r) || !pir_parse_take(p, ','))
    return false;
  if (!pir_parse_is_word(p, "inputs"))
    return pir_parse_expected(p, "inputs");
  pir_parse_next(p);
  return pir_parse_take(p, '=') && parse_uses(r, ')');
}

static bool parse_attr_name(pir_parser *p, pir_name **out_name) {
  if (p->token != PIR_TOK_WORD && p->token != PIR_TOK_SPECIAL)
    return pir_parse_expected(p, "an attribute name");
  *out_name = pir_parse_name(p, p->text);
  pir_parse_next(p);
  return pir_parse_take(p, ':');
}

// Returns the position of a declared attribute in its definition, or -1. Names are sorted in
// printed text and in `attr_order`, so the search continues where the last one ended.
static int find_declared(const pir_op_info *info, pir_name *name, size_t *cursor) {
  size_t count = info->def->attr_count;
  for (size_t n = 0; n < count; n++) {
    size_t at = *cursor + n < count ? *cursor + n : *cursor + n - count;
    size_t position = info->def->attr_order ? info->def->attr_order[at] : at;
    if (info->attr_names[position] != name)
      continue;
    *cursor = at + 1 < count ? at + 1 : 0;
    return (int)position;
  }
  return -1;
}

// Text of 2023 writes booleans as numbers; only the declaration distinguishes them.
static void check_ambiguous(pir_op_reader *r, pir_parse_place place,
                            const pir_named_attr *attr) {
  int64_t value;
  pir_attr_kind kind = pir_attr_kind_of(attr->value);
  if (kind != PIR_ATTR_I32 || !pir_attr_as_int(attr->value, &value) ||
      (value != 0 && value != 1))
    return;
  pir_parse_warn_at(
      &r->p, place,
      "'%s:%d' of 2023 may be a boolean or a number, and no definition says which: a number",
      pir_name_str(attr->name).data, (int)value);
}

// {name:value,..}
bool pir_parse_attrs(pir_op_reader *r, const pir_opdef *def) {
  pir_parser *p = &r->p;
  const pir_op_info *info = pir_context_info(p->ctx, def);
  size_t cursor = 0;
  if (!pir_parse_take(p, '{'))
    return false;
  while (p->token != '}') {
    pir_named_attr attr;
    pir_parse_place place = pir_parse_here(p);
    if (!parse_attr_name(p, &attr.name))
      return false;
    int at = find_declared(info, attr.name, &cursor);
    attr.value = pir_parse_attr(p, at < 0 ? NULL : &def->attrs[at]);
    if (!attr.value)
      return false;
    if (r->of_2023 && at < 0)
      check_ambiguous(r, place, &attr);
    for (size_t i = 0; i < r->attrs.count; i++)
      if (r->attrs.items[i].name == attr.name)
        return pir_parse_fail_at(p, place, PIR_INVALID, "the attribute '%s' is given twice",
                                 pir_name_str(attr.name).data);
    pir_vec_push(p->arena, &r->attrs, attr);
    if (p->token != '}' && !pir_parse_take(p, ','))
      return false;
  }
  pir_parse_next(p);
  return true;
}

// The attributes of a block argument; `argument` NULL reads past them.
bool pir_parse_argument_attrs(pir_op_reader *r, pir_value *argument) {
  pir_parser *p = &r->p;
  if (!pir_parse_take(p, '{'))
    return false;
  while (p->token != '}') {
    pir_name *name;
    if (!parse_attr_name(p, &name))
      return false;
    const pir_attr *value = pir_parse_attr(p, NULL);
    if (!value)
      return false;
    if (argument)
      pir_block_argument_set_attr(argument, name, value);
    if (p->token != '}' && !pir_parse_take(p, ','))
      return false;
  }
  pir_parse_next(p);
  return true;
}

static bool parse_operand_types(pir_op_reader *r) {
  pir_parser *p = &r->p;
  r->has_operand_types = true;
  pir_parse_place place = pir_parse_here(p);
  if (!pir_parse_take(p, '('))
    return false;
  while (p->token != ')') {
    const pir_type *type;
    if (!pir_parse_type(p, &type))
      return false;
    pir_vec_push(p->arena, &r->operand_types, type);
    if (p->token != ')' && !pir_parse_take(p, ','))
      return false;
  }
  pir_parse_next(p);
  if (r->operand_types.count == r->uses.count)
    return true;
  return pir_parse_fail_at(p, place, PIR_INVALID, "%zu operands, but %zu operand types",
                           r->uses.count, r->operand_types.count);
}

static bool parse_result_types(pir_op_reader *r, pir_parse_place arrow) {
  pir_parser *p = &r->p;
  while (pir_parse_at_type(p)) {
    const pir_type *type;
    if (!pir_parse_type(p, &type))
      return false;
    pir_vec_push(p->arena, &r->result_types, type);
    if (p->token != ',')
      break;
    pir_parse_next(p);
  }
  if (r->result_types.count == r->results.count)
    return true;
  return pir_parse_fail_at(p, arrow, PIR_INVALID, "%zu results, but %zu result types",
                           r->results.count, r->result_types.count);
}

// loc("file":1:2) or loc("file":+0x10)
static bool parse_loc(pir_op_reader *r) {
  pir_parser *p = &r->p;
  const char *end = p->text.data + p->text.size, *quote = end;
  while (*--quote != '"')
    continue;
  const char *first = p->text.data + 4;
  char *file;
  size_t size;
  if (!pir_parse_unescape(p, (pir_str){first, (size_t)(quote + 1 - first)}, &file, &size))
    return false;
  uint64_t numbers[2] = {0};
  bool offset = quote[2] == '+';
  const char *at = quote + (offset ? 5 : 2);
  for (int i = 0; at < end - 1; at++) {
    if (*at == ':')
      i++;
    else if (offset)
      numbers[0] = numbers[0] << 4 | pir_text_hex(*at);
    else
      numbers[i] = numbers[i] * 10 + (uint64_t)(*at - '0');
  }
  pir_str name = {file, size};
  r->loc = offset ? pir_loc_offset(p->ctx, name, numbers[0])
                  : pir_loc_text(p->ctx, name, (uint32_t)numbers[0], (uint32_t)numbers[1]);
  pir_arena_free(p->arena, file, size);
  pir_parse_next(p);
  return true;
}

// { (shape[S0, 3], data[NULL]) } at the end of a line: what an analysis found of the results.
// Read past, as it follows from the rest.
void pir_parse_skip_shapes(pir_op_reader *r) {
  pir_parser *p = &r->p;
  if (p->token != '{' || p->fresh)
    return;
  pir_str rest = pir_parse_rest(p);
  if (rest.size < 4 || (memcmp(rest.data, "{ (", 3) != 0 && memcmp(rest.data, "{  }", 4) != 0))
    return;
  const char *line = memchr(rest.data, '\n', rest.size),
             *end = line ? line : rest.data + rest.size;
  while (end > rest.data && (end[-1] == ' ' || end[-1] == '\r'))
    end--;
  if (end[-1] != '}')
    return;
  pir_lex_skip(p->scanner, (size_t)(end - rest.data));
  pir_parse_next(p);
}

// ---- headers

// The op's definition. In text of 2023 the dialect "pd" is what "pd_op" is now.
static const pir_opdef *resolve_opdef(pir_op_reader *r, pir_str name) {
  pir_parser *p = &r->p;
  const pir_opdef *def = pir_parse_opdef(p, name);
  r->of_2023 =
      name.size > 3 && memcmp(name.data, "pd.", 3) == 0 && !(def->traits & PIR_REGISTERED);
  if (!r->of_2023)
    return def;
  pir_strbuf today;
  pir_strbuf_init(&today, p->arena);
  pir_strbuf_lit(&today, "pd_op");
  pir_strbuf_put(&today, name.data + 2, name.size - 2);
  const pir_opdef *found = pir_context_opdef(p->ctx, pir_strbuf_view(&today));
  pir_strbuf_free(&today);
  p->generation = 1;
  return found->traits & PIR_REGISTERED ? found : def;
}

// [id:N] is skipped. Ops with regions print it after their operands or attributes.
static bool skip_id(pir_parser *p) {
  if (p->token != '[')
    return true;
  pir_str rest = pir_parse_rest(p);
  if (rest.size < 4 || memcmp(rest.data, "[id:", 4) != 0)
    return true;
  pir_parse_next(p);
  pir_parse_next(p);
  if (!pir_parse_take(p, ':'))
    return false;
  if (p->token != PIR_TOK_NUMBER)
    return pir_parse_expected(p, "a number");
  pir_parse_next(p);
  return pir_parse_take(p, ']');
}

// The quoted or, in the oldest prints, bare name.
static bool parse_op_name(pir_op_reader *r, const pir_opdef **out_def) {
  pir_parser *p = &r->p;
  pir_str name = p->text;
  if (p->token == PIR_TOK_STRING)
    name = (pir_str){name.data + 1, name.size - 2};
  else if (p->token != PIR_TOK_WORD)
    return pir_parse_expected(p, "the name of an op");
  if (!pir_text_is_op_name(name))
    return pir_parse_fail(p, "a backslash or quote in the name of an op");
  *out_def = resolve_opdef(r, name);
  pir_parse_next(p);
  return skip_id(p);
}

// Reads the rest after the operands of a while: only its body.
static bool parse_while_tail(pir_op_reader *r, pir_region_style *out_style) {
  size_t inputs = r->uses.count - 1;
  if (r->results.count != inputs)
    return pir_parse_fail(&r->p, "%zu results, but %zu inputs", r->results.count, inputs);
  *out_style = STYLE_WHILE;
  return true;
}

// Reads the rest after operands and attributes: types, a location, the opening of regions.
static bool parse_tail(pir_op_reader *r, const pir_opdef *def, pir_region_style *out_style) {
  pir_parser *p = &r->p;
  bool general = pir_parse_try(p, ':');
  if (general && !parse_operand_types(r))
    return false;
  pir_parse_place arrow = pir_parse_here(p);
  if (!pir_parse_take(p, PIR_TOK_ARROW) || !parse_result_types(r, arrow))
    return false;
  if (p->token == PIR_TOK_LOC && !parse_loc(r))
    return false;
  if (general)
    pir_parse_skip_shapes(r);
  if (general)
    *out_style = p->token == '(' && !p->fresh ? STYLE_TYPED : STYLE_GENERAL;
  else
    *out_style =
        def->form == PIR_FORM_BODY || def->form == PIR_FORM_GROUP ? STYLE_ONE : STYLE_IF;
  if (!general && p->token != '{')
    return pir_parse_expected(p, "'{'");
  return true;
}

// Reads an op except its regions.
bool pir_parse_header(pir_op_reader *r, const pir_opdef **out_def,
                      pir_region_style *out_style) {
  pir_parser *p = &r->p;
  if (!parse_results(r) || !pir_parse_take(p, '=') || !parse_op_name(r, out_def) ||
      !pir_parse_take(p, '('))
    return false;
  if (pir_parse_is_word(p, "cond"))
    return parse_while_uses(r) && skip_id(p) && parse_while_tail(r, out_style);
  if (!parse_uses(r, ')') || !skip_id(p))
    return false;
  if (p->token == '[') {  // the oldest while: (%c) [%a, %b]
    pir_parse_next(p);
    return parse_uses(r, ']') && parse_while_tail(r, out_style);
  }
  if (p->token == '{' && (!pir_parse_attrs(r, *out_def) || !skip_id(p)))
    return false;
  return parse_tail(r, *out_def, out_style);
}
