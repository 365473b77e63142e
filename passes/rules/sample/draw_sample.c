// The random choices of a sample: shapes, element types, numbers, lists and texts that are
// likely to fit an op or the conditions of the rule.

#include "sample.h"

#include <pir/layer/lower.h>

#include <string.h>

// Of 100 operands or attributes that a rule names, so many have their defaults.
enum { LIKELY_DEFAULT = 40 };

uint32_t sample_random(sample *s, uint32_t below) {
  uint64_t z = s->random += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (uint32_t)((z ^ z >> 31) >> 33) % below;
}

static void fill_shape(sample_value *v, int32_t rank, int64_t extent) {
  v->rank = rank;
  for (int32_t i = 0; i < rank; i++)
    v->shape[i] = extent;
}

// `beside` is a value the op reads already, or NULL.
void sample_draw_shape(sample_build *b, sample_value *v, const pir_value *beside) {
  sample *s = b->s;
  const pir_fact *fact = beside ? pir_facts_of(b->facts, beside) : NULL;
  uint32_t kind = sample_random(s, 100);
  bool like = fact && fact->known && fact->rank >= 0;
  if (s->last && sample_random(s, 100) < s->likeness) {
    v->rank = s->last->rank;
    memcpy(v->shape, s->last->shape, sizeof v->shape);
  } else if (like && kind < 30) {
    v->rank = fact->rank;
    for (int32_t i = 0; i < v->rank; i++)
      if (!pir_dim_is_const(pir_facts_dims(b->facts), fact->shape[i], &v->shape[i]))
        v->shape[i] = s->extent;
  } else if (kind < 50) {
    fill_shape(v, 4, s->extent);
  } else if (kind < 65) {
    fill_shape(v, 2, s->extent);
  } else if (kind < 85) {
    fill_shape(v, 1, s->extent);
  } else if (kind < 95) {
    fill_shape(v, 3, s->extent);
  } else {
    fill_shape(v, (int32_t)sample_random(s, 6), s->extent);
  }
}

pir_dtype sample_draw_dtype(sample *s, const pir_operand_def *def) {
  static const pir_dtype often[] = {PIR_F32, PIR_I64, PIR_I32, PIR_BOOL, PIR_F64, PIR_F16};
  if (!def || !def->dtypes) {
    if (!s->wild || sample_chance(s, 50))
      return s->dtype;
    return sample_chance(s, 50) ? PIR_I64 : PIR_I32;
  }
  if (def->dtypes >> s->dtype & 1 && sample_chance(s, 85))
    return s->dtype;
  for (size_t i = sample_random(s, 3); i < sizeof often / sizeof *often; i++)
    if (def->dtypes >> often[i] & 1)
      return often[i];
  return s->dtype;
}

// Draws a list of small integers, a permutation, or the shape of an operand.
static pir_rule_value draw_ints(sample_build *b, const pir_value *beside, size_t length) {
  sample *s = b->s;
  pir_rule_value *items = rule_list(b->m, SAMPLE_ITEMS);
  const pir_fact *fact = beside ? pir_facts_of(b->facts, beside) : NULL;
  size_t rank = fact && fact->known && fact->rank > 0 ? (size_t)fact->rank : 2,
         n = length ? length : 1;
  uint32_t kind = length ? 90 : sample_random(s, 100);
  if (!items)
    return (pir_rule_value){.kind = PIR_RULE_UNKNOWN};
  for (size_t i = 0; i < rank; i++)
    items[i] = rule_int((int64_t)i);
  if (kind < 50) {
    n = rank;
    for (size_t i = n; i-- > 1;) {
      size_t k = sample_random(s, (uint32_t)i + 1);
      pir_rule_value swapped = items[i];
      items[i] = items[k];
      items[k] = swapped;
    }
  } else if (kind < 70) {
    n = rank;
    for (size_t i = 0; i < n; i++)
      items[i].i = s->extent;
  } else {
    for (size_t i = 0; i < n; i++)
      items[i] = (pir_rule_value){.kind = PIR_RULE_INT,
                                  .i = (int64_t)sample_random(s, (uint32_t)rank + 1) - !length};
  }
  return (pir_rule_value){.kind = PIR_RULE_LIST, .items = items, .count = n};
}

pir_rule_value sample_draw_number(sample *s, bool whole) {
  static const double numbers[] = {0.5, 2, 1, 0, 0.25, -1, 1e-5};
  double f = numbers[sample_random(s, 7)];
  if (whole)
    return rule_int((int64_t)sample_random(s, 4));
  return (pir_rule_value){.kind = PIR_RULE_FLOAT, .f = f};
}

// One of the texts that the rule itself mentions.
static void draw_text(sample *s, pir_rule_value *out) {
  const char *texts[64];
  uint32_t n = 0;
  for (int16_t i = 0; i < s->rule->step_count; i++) {
    const rule_step *step = &s->t->steps[s->rule->steps + i];
    // The texts of a condition stand in the nodes before its own.
    for (int32_t k = step->at;
         step->kind >= RULE_STEP_WHERE && k >= 0 && k > step->at - 40 && n < 64; k--)
      if (s->t->nodes[k].op == RULE_TEXT)
        texts[n++] = s->t->nodes[k].text;
  }
  if (n)
    *out = (pir_rule_value){.kind = PIR_RULE_TEXT,
                            .text = pir_str_from(texts[sample_random(s, n)])};
}

pir_rule_value sample_draw_attr(sample_build *b, const pir_attr_def *def,
                                const pir_value *beside, bool named) {
  static const pir_dtype dtypes[] = {PIR_F32, PIR_F64, PIR_I32, PIR_I64, PIR_F16};
  sample *s = b->s;
  const pir_attr *otherwise = pir_attr_default(s->ctx, def);
  pir_rule_value v = {.kind = PIR_RULE_UNKNOWN};
  if (otherwise)
    v = rule_value_of_attr(b->m, otherwise);
  if (otherwise && sample_chance(s, named ? LIKELY_DEFAULT : 85))
    return v;
  switch ((pir_attr_kind)def->kind) {
    case PIR_ATTR_BOOL: return rule_bool(sample_random(s, 2));
    case PIR_ATTR_I32:
    case PIR_ATTR_I64: return sample_draw_number(s, true);
    case PIR_ATTR_F32:
    case PIR_ATTR_F64:
    case PIR_ATTR_SCALAR: return sample_draw_number(s, false);
    case PIR_ATTR_ARRAY:
    case PIR_ATTR_INT_ARRAY:
      if (def->kind == PIR_ATTR_ARRAY && def->element_kind != PIR_ATTR_I32 &&
          def->element_kind != PIR_ATTR_I64)
        return v;
      return draw_ints(b, beside, otherwise ? v.count : 0);
    case PIR_ATTR_DTYPE:
      return (pir_rule_value){.kind = PIR_RULE_DTYPE,
                              .i = sample_chance(s, 50) ? s->dtype
                                                        : dtypes[sample_random(s, 5)]};
    case PIR_ATTR_PLACE: return (pir_rule_value){.kind = PIR_RULE_PLACE, .i = 1};
    case PIR_ATTR_STR:
      if (named)
        draw_text(s, &v);
      return v;
    default: return v;
  }
}

pir_rule_value sample_draw_contents(sample_build *b, const pir_operand_def *def,
                                    const pir_value *beside) {
  const pir_attr *otherwise = def->literal ? pir_attr_default(b->s->ctx, def->literal) : NULL;
  if (otherwise && sample_chance(b->s, LIKELY_DEFAULT))
    return rule_value_of_attr(b->m, otherwise);
  if (def->flags & PIR_OPERAND_INTARRAY)
    return draw_ints(b, beside, 0);
  return sample_draw_number(b->s, pir_dtype_is_integer(pir_operand_dtype(def)));
}
