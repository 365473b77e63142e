// Checks the placement rule of an op, and fills its table: finds operands, results, attributes
// and letters by name.
#include "ops_stages.h"

#include <string.h>

// The operand or attribute that `$name` reads.
static pir_spmd_ref find_ref(const op *o, const spmd_option *x) {
  int at = ops_attr_at(o, x->attr);
  if (at >= 0)
    return (pir_spmd_ref)at;
  at = ops_operand_at(o, x->attr);
  if (at >= 0 && (o->operands[at].flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR)))
    return (pir_spmd_ref)(-1 - at);
  ops_error(x->loc, "'%s' has no attribute '%s'", o->name, x->attr);
  return PIR_SPMD_NONE;
}

static bool is_letter(const spmd *s, const char *name) {
  if (!name || !name[0] || name[1])
    return false;
  for (int i = 0; i < s->term_count; i++)
    if (name[0] != '1' && strchr(s->terms[i].axes, name[0]))
      return true;
  return false;
}

// `swap x = $b`, `follow x`, `summand x`: an operand of the rule.
static void take_operand(const op *o, spmd *s, const spmd_option *x) {
  for (int i = 0; i < s->operand_terms; i++)
    if (!strcmp(s->names[i], x->name)) {
      if (!strcmp(x->word, "swap"))
        s->terms[i].swap = find_ref(o, x);
      else if (!strcmp(x->word, "follow"))
        s->terms[i].flags |= PIR_SPMD_FOLLOWS;
      else
        s->terms[i].flags |= PIR_SPMD_SUMMAND;
      return;
    }
  ops_error(x->loc, "the rule has no operand '%s'", x->name);
}

// `same out`: a result.
static void take_result(const op *o, spmd *s, const spmd_option *x) {
  int at = x->name && !x->attr ? ops_result_at(o, x->name) : -1;
  if (at < 0)
    ops_error(x->loc, "'%s' is followed by a result", x->word);
  s->rule.same = (int8_t)at;
}

static int find_word(const char *const *words, int count, const char *word) {
  for (int i = 0; i < count; i++)
    if (!strcmp(words[i], word))
      return i;
  return -1;
}

// `leaves max`, `clash unite`: a word of a list.
static void take_choice(const spmd_option *x, uint8_t *out, const char *const *words,
                        int count) {
  int at = x->name && !x->attr ? find_word(words, count, x->name) : -1;
  if (at < 0)
    ops_error(x->loc, "'%s' is followed by one of: %s .. %s", x->word, words[0],
              words[count - 1]);
  else
    *out = (uint8_t)at;
}

// `over $axis`: an attribute alone.
static void take_ref(const op *o, const spmd_option *x, pir_spmd_ref *out) {
  if (x->name || !x->attr)
    ops_error(x->loc, "'%s' is followed by an attribute", x->word);
  else
    *out = find_ref(o, x);
}

static void take_letter(spmd *s, const spmd_option *x) {
  if (!is_letter(s, x->name))
    ops_error(x->loc, "the rule has no letter '%s'", x->name ? x->name : "");
  else if (!strcmp(x->word, "at"))
    s->rule.at_letter = x->name[0];
  else if (!strcmp(x->word, "late"))
    s->rule.late_whole = ops_format(x->loc.file->in, "%s%s", s->rule.late_whole, x->name);
  else if (!strcmp(x->word, "static"))
    s->rule.static_whole = ops_format(x->loc.file->in, "%s%s", s->rule.static_whole, x->name);
  else
    s->rule.whole = ops_format(x->loc.file->in, "%s%s", s->rule.whole, x->name);
}

static void take_option(const op *o, spmd *s, const spmd_option *x) {
  static const char *const reductions[] = {"sum", "max", "min", "product", "avg", "any", "all"};
  static const char *const clashes[] = {"first", "refuse", "unite", "align"};
  static const char *const refs[] = {"over", "keep", "flat", "drop", "order"};
  pir_spmd_rule *r = &s->rule;
  pir_spmd_ref *const places[] = {&r->over, &r->keep, &r->flat, &r->drop, &r->order};
  int ref = find_word(refs, 5, x->word);
  bool both = x->name && x->attr;
  if (ref >= 0) {
    take_ref(o, x, places[ref]);
  } else if (!strcmp(x->word, "leaves")) {
    take_choice(x, &r->leaves, reductions, 7);
  } else if (!strcmp(x->word, "clash")) {
    take_choice(x, &r->clash, clashes, 4);
  } else if (!strcmp(x->word, "partial")) {
    const char *first = s->name_count ? s->names[0] : o->operands[0].name;
    if (!x->name || x->attr || strcmp(x->name, first) != 0)
      ops_error(x->loc, "'partial' is followed by the first operand of the rule");
    r->keeps_partial = true;
  } else if (!x->attr && (!strcmp(x->word, "static") || !strcmp(x->word, "late"))) {
    take_letter(s, x);
  } else if (!strcmp(x->word, "whole")) {
    if (x->attr)
      take_ref(o, x, &r->whole_axes);
    else
      take_letter(s, x);
  } else if (both && !strcmp(x->word, "swap")) {
    take_operand(o, s, x);
  } else if (x->name && !x->attr &&
             (!strcmp(x->word, "follow") || !strcmp(x->word, "summand"))) {
    take_operand(o, s, x);
  } else if (!strcmp(x->word, "same")) {
    take_result(o, s, x);
  } else if (both && !strcmp(x->word, "at")) {
    take_letter(s, x);
    r->at = find_ref(o, x);
  } else {
    ops_error(x->loc,
              "unexpected '%s'; there are whole, late, static, at a = $n, over, keep, flat, "
              "drop, order, "
              "leaves, clash, swap x = $b, follow x, summand x, same out and partial",
              x->word);
  }
}

static int capitals(const char *axes) {
  int count = 0;
  for (; *axes; axes++)
    count += *axes >= 'A' && *axes <= 'Z';
  return count;
}

static void check_term(const op *o, spmd *s, int i) {
  bool is_operand = i < s->operand_terms;
  int at = is_operand ? ops_operand_at(o, s->names[i]) : ops_result_at(o, s->names[i]);
  if (at < 0)
    ops_error(s->places[i], "'%s' has no %s '%s'", o->name, is_operand ? "operand" : "result",
              s->names[i]);
  else if (is_operand && (o->operands[at].flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR)))
    ops_error(s->places[i], "'%s' is an attribute operand, which is never split", s->names[i]);
  int runs = capitals(s->terms[i].axes);
  if (is_operand && runs > 2)
    ops_error(s->places[i], "more than two runs of dims");
  s->terms[i].place = (uint8_t)(at < 0 ? 0 : at);
}

void ops_check_spmd(op *o) {
  spmd *s = o->spmd;
  if (!s)
    return;
  s->rule = (pir_spmd_rule){.whole = "",
                            .static_whole = "",
                            .late_whole = "",
                            .same = -1,
                            .whole_axes = PIR_SPMD_NONE,
                            .at = PIR_SPMD_NONE,
                            .over = PIR_SPMD_NONE,
                            .keep = PIR_SPMD_NONE,
                            .flat = PIR_SPMD_NONE,
                            .drop = PIR_SPMD_NONE,
                            .order = PIR_SPMD_NONE};
  for (int i = 0; i < s->option_count; i++)
    take_option(o, s, &s->options[i]);
  for (int i = 0; i < s->term_count; i++)
    check_term(o, s, i);
  s->rule.terms = s->terms;
  s->rule.operand_terms = (uint8_t)(s->operand_terms < 0 ? 0 : s->operand_terms);
  s->rule.result_terms = (uint8_t)(s->term_count - s->rule.operand_terms);
}
