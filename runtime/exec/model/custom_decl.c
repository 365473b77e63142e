// Parses declarations of custom ops: lists of names with marks, kinds and defaults. One pass
// over each text.
#include "custom_impl.h"
#include <ctype.h>
#include <decimal.h>
#include <pir/compiler/attr.h>
#include <pir/layer/legacy_table.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
  pir_arena *memory;
  const char *at, *op;
  pir_message *message;
} reader;

static pir_status wrong(const reader *r, const char *what) {
  return pir_exec_fail(r->message, PIR_INVALID, "custom op \"%s\": %s at \"%.24s\"", r->op,
                       what, r->at);
}

static void skip(reader *r) {
  while (isspace((unsigned char)*r->at))
    r->at++;
}

static bool accept(reader *r, char c) {
  skip(r);
  if (*r->at != c)
    return false;
  r->at++;
  return true;
}

static pir_status name(reader *r, const char **out) {
  skip(r);
  const char *first = r->at;
  while (isalnum((unsigned char)*r->at) || *r->at == '_')
    r->at++;
  if (r->at == first || isdigit((unsigned char)*first))
    return wrong(r, "expects a name");
  *out = pir_arena_text(r->memory, (pir_str){first, (size_t)(r->at - first)}).data;
  return *out ? PIR_OK : PIR_EXHAUSTED;
}

static pir_status operands(reader *r, int most, pir_opdef *def) {
  pir_operand_def *list = pir_arena_zalloc(r->memory, (size_t)most * sizeof *list);
  if (!list)
    return PIR_EXHAUSTED;
  def->operands = list;
  for (skip(r); *r->at; skip(r)) {
    if (def->operand_count == most)
      return wrong(r, "too many operands");
    if (def->operand_count && !accept(r, ','))
      return wrong(r, "expects ','");
    pir_operand_def *to = &list[def->operand_count++];
    to->same_as = -1;
    PIR_TRY(name(r, &to->name));
    for (;;) {
      if (accept(r, '?'))
        to->flags |= PIR_OPERAND_OPTIONAL;
      else if (accept(r, '*'))
        to->flags |= PIR_OPERAND_VARIADIC;
      else
        break;
    }
  }
  return PIR_OK;
}

static pir_status results(reader *r, int most, pir_opdef *def) {
  pir_result_def *list = pir_arena_zalloc(r->memory, (size_t)most * sizeof *list);
  if (!list)
    return PIR_EXHAUSTED;
  def->results = list;
  for (skip(r); *r->at; skip(r)) {
    if (def->result_count == most)
      return wrong(r, "too many results");
    if (def->result_count && !accept(r, ','))
      return wrong(r, "expects ','");
    pir_result_def *to = &list[def->result_count++];
    to->same_as = to->from_attr = -1;
    PIR_TRY(name(r, &to->name));
  }
  return def->result_count ? PIR_OK : wrong(r, "expects a result");
}

static pir_status kind(reader *r, pir_attr_def *to) {
  static const struct {
    const char *name;
    uint8_t kind;
  } kinds[] = {{"bool", PIR_ATTR_BOOL}, {"i32", PIR_ATTR_I32}, {"i64", PIR_ATTR_I64},
               {"f32", PIR_ATTR_F32},   {"f64", PIR_ATTR_F64}, {"str", PIR_ATTR_STR}};
  const char *word;
  PIR_TRY(name(r, &word));
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(kinds[i].name, word))
      to->kind = kinds[i].kind;
  if (!to->kind)
    return wrong(r, "expects bool, i32, i64, f32, f64 or str before");
  if (!accept(r, '['))
    return PIR_OK;
  if (!accept(r, ']'))
    return wrong(r, "expects ']'");
  to->element_kind = to->kind;
  to->kind = PIR_ATTR_ARRAY;
  return PIR_OK;
}

// A number, true, false, a text in quotes, or [] for a list.
static pir_status literal(reader *r, pir_attr_def *to) {
  char *end;
  skip(r);
  if (to->kind == PIR_ATTR_ARRAY) {
    if (!accept(r, '[') || !accept(r, ']'))
      return wrong(r, "a list's default is []");
    return PIR_OK;
  }
  if (to->kind == PIR_ATTR_STR) {
    if (!accept(r, '"'))
      return wrong(r, "expects a text");
    const char *first = r->at;
    while (*r->at && *r->at != '"')
      r->at++;
    to->text = pir_arena_text(r->memory, (pir_str){first, (size_t)(r->at - first)}).data;
    if (!accept(r, '"'))
      return wrong(r, "expects '\"'");
    return to->text ? PIR_OK : PIR_EXHAUSTED;
  }
  if (to->kind == PIR_ATTR_BOOL) {
    to->i = *r->at == 't';
    const char *word;
    PIR_TRY(name(r, &word));
    return !strcmp(word, "true") || !strcmp(word, "false")
               ? PIR_OK
               : wrong(r, "expects true or false before");
  }
  to->f = pir_decimal_read(r->at, &end);
  if (to->kind == PIR_ATTR_I32 || to->kind == PIR_ATTR_I64)
    to->i = strtoll(r->at, &end, 10);
  if (end == r->at)
    return wrong(r, "expects a number");
  r->at = end;
  return PIR_OK;
}

static pir_status read_attributes(reader *r, int most, pir_opdef *def) {
  pir_attr_def *list = pir_arena_zalloc(r->memory, (size_t)most * sizeof *list);
  uint8_t *order = pir_arena_zalloc(r->memory, (size_t)most);
  if (!list || !order)
    return PIR_EXHAUSTED;
  def->attrs = list;
  def->attr_order = order;
  for (skip(r); *r->at; skip(r)) {
    if (def->attr_count == most)
      return wrong(r, "too many attributes");
    if (def->attr_count && !accept(r, ','))
      return wrong(r, "expects ','");
    int i = def->attr_count++, at = i;
    PIR_TRY(name(r, &list[i].name));
    if (!accept(r, ':'))
      return wrong(r, "expects ':' and a kind");
    PIR_TRY(kind(r, &list[i]));
    list[i].required = !accept(r, '=');
    if (!list[i].required)
      PIR_TRY(literal(r, &list[i]));
    for (; at > 0 && strcmp(list[order[at - 1]].name, list[i].name) > 0; at--)
      order[at] = order[at - 1];
    order[at] = (uint8_t)i;
  }
  return PIR_OK;
}

// In .pdmodel files all names equal the declared ones.
static pir_status legacy_row(pir_arena *memory, const char *type, pir_opdef *def) {
  pir_legacy_op *row = pir_arena_zalloc(memory, sizeof *row);
  size_t count = (size_t)def->operand_count + def->result_count + def->attr_count;
  const char **names = pir_arena_zalloc(memory, count * sizeof *names);
  if (!row || !names)
    return PIR_EXHAUSTED;
  *row = (pir_legacy_op){.name = type, .def = def, .operands = names};
  for (size_t i = 0; i < def->operand_count; i++)
    *names++ = def->operands[i].name;
  row->results = names;
  for (size_t i = 0; i < def->result_count; i++)
    *names++ = def->results[i].name;
  row->attrs = names;
  for (size_t i = 0; i < def->attr_count; i++)
    *names++ = def->attrs[i].name;
  def->legacy = row;
  return PIR_OK;
}

pir_status pir_custom_declare(pir_arena *memory, const pir_custom_op *from, int most,
                              pir_opdef *out, pir_message *message) {
  static const char prefix[] = "custom_op.";
  reader r = {.memory = memory,
              .at = from->name ? from->name : "",
              .op = from->name ? from->name : "",
              .message = message};
  const char *own;
  PIR_TRY(name(&r, &own));
  if (*r.at)
    return wrong(&r, "a name has letters, digits and '_'");
  char *full = pir_arena_zalloc(memory, sizeof prefix + strlen(own));
  if (!full)
    return PIR_EXHAUSTED;
  memcpy(full, prefix, sizeof prefix);
  memcpy(full + sizeof prefix - 1, own, strlen(own) + 1);
  out->name = full;
  out->summary = "An op of the user";
  r.at = from->operands ? from->operands : "";
  PIR_TRY(operands(&r, most, out));
  r.at = from->attrs ? from->attrs : "";
  PIR_TRY(read_attributes(&r, most, out));
  r.at = from->results ? from->results : "";
  PIR_TRY(results(&r, most, out));
  return legacy_row(memory, own, out);
}
