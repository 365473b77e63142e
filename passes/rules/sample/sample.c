// Generates programs that a rule matches, for numeric checks. Ops are created in the order of
// the match. Inputs, constants and attributes that the match leaves open are drawn at random
// until inference accepts the op. Then the rule is tried; a failed condition is repaired and
// the program is built again. Finally a few extents are changed while the rule still matches,
// so that not all are equal. The number of attempts is bounded; on failure the report names the
// condition that was never satisfied.

#include "sample.h"

#include <pir/dialect/builtin.h>
#include <pir/dialect/pd_op.h>
#include <pir/lower.h>

#include <stdlib.h>
#include <string.h>

enum { RESTARTS = 60, REPAIRS = 48, DRAWS = 400, MOVES = 24, MAX_LIST_MEMBERS = 4 };

uint32_t sample_random(sample *s, uint32_t below) {
  uint64_t z = s->random += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (uint32_t)((z ^ z >> 31) >> 33) % below;
}

static bool chance(sample *s, uint32_t percent) {
  return sample_random(s, 100) < percent;
}

void sample_set_hole(sample *s, int32_t hole, const pir_rule_value *value) {
  s->holes[hole] = *value;
  s->holes[hole].attr = NULL;
  s->hole_set[hole] = true;
  if (value->kind != PIR_RULE_LIST)
    return;
  size_t n = value->count < SAMPLE_ITEMS ? value->count : SAMPLE_ITEMS;
  memmove(s->items[hole], value->items, n * sizeof *value->items);
  for (size_t i = 0; i < n; i++)
    s->items[hole][i].attr = NULL;
  s->holes[hole].items = s->items[hole];
  s->holes[hole].count = n;
}

// ---- one program

typedef struct building {
  sample *s;
  rule_match *m;
  pir_program *program;
  pir_facts *facts;
  pir_value *values[RULE_MAX_VALUES];
  pir_value *lists[RULE_MAX_VALUES][RULE_MAX_OPERANDS];
  size_t counts[RULE_MAX_VALUES];  // 0: one value
  size_t members;  // of the lists of an op that is made for each member; 0: not drawn yet
  pir_named_attr each_attrs[RULE_MAX_OPERANDS];  // of the op for the first member
  size_t each_attr_count;
  pir_op *drawn[4 * RULE_MAX_OPERANDS];  // ops made for the op at hand
  int32_t drawn_for[4 * RULE_MAX_OPERANDS];
  size_t drawn_count;
} building;

static pir_op *put(building *b, uint32_t id, pir_value *const *operands, size_t n,
                   const pir_type *const *types, size_t results, const pir_named_attr *attrs,
                   size_t attr_count) {
  pir_context *ctx = b->s->ctx;
  pir_builder builder = pir_builder_at_end(pir_program_block(b->program));
  pir_op_spec spec = {.def = pir_context_op(ctx, id),
                      .operands = operands,
                      .operand_count = n,
                      .result_types = types,
                      .result_count = results,
                      .attrs = attrs,
                      .attr_count = attr_count};
  return pir_build(&builder, &spec);
}

static pir_named_attr attr_named(pir_context *ctx, const char *name, const pir_attr *value) {
  return (pir_named_attr){pir_name_get(ctx, pir_str_from(name)), value};
}

static void note_drawn(building *b, pir_op *op, int32_t slot) {
  if (b->drawn_count == sizeof b->drawn / sizeof *b->drawn)
    return;
  b->drawn_for[b->drawn_count] = slot;
  b->drawn[b->drawn_count++] = op;
}

static void free_bytes(void *user) {
  free(user);
}

static pir_value *make_source(building *b, const sample_value *v, int32_t slot, size_t member) {
  pir_context *ctx = b->s->ctx;
  char name[32];
  size_t n = pir_text_format(name, sizeof name, "v%d.%zu", slot, member), bytes;
  pir_shape shape = {v->shape, (size_t)v->rank};
  const pir_type *type = pir_type_tensor(ctx, v->dtype, shape);
  const pir_attr *text = pir_attr_str(ctx, PIR_ATTR_STR, (pir_str){name, n});
  pir_op *op;
  if (v->parameter && !pir_shape_bytes(v->shape, v->rank, v->dtype, &bytes)) {
    void *data = calloc(1, bytes + 1);
    if (!data)
      pir_heap_fail(pir_context_heap(ctx));
    pir_param param = {{name, n}, v->dtype, shape, data, bytes, free_bytes, data};
    pir_program_adopt_param(b->program, &param);
    pir_named_attr attrs[] = {attr_named(ctx, "parameter_name", text)};
    op = put(b, BUILTIN_PARAMETER, NULL, 0, &type, 1, attrs, 1);
  } else {
    pir_named_attr attrs[] = {
        attr_named(ctx, "name", text),
        attr_named(ctx, "shape", pir_attr_int_array(ctx, v->shape, shape.rank)),
        attr_named(ctx, "dtype", pir_attr_dtype(ctx, v->dtype)),
        attr_named(ctx, "place", pir_attr_place(ctx, (pir_place){.kind = 1}))};
    op = put(b, PD_DATA, NULL, 0, &type, 1, attrs, 4);
  }
  note_drawn(b, op, slot);
  return pir_facts_update(b->facts, op) ? NULL : pir_op_result(op, 0);
}

// A constant of a literal: a list of integers, or one number.
static pir_value *make_literal_op(building *b, const pir_rule_value *v, pir_dtype dtype,
                                  int32_t slot) {
  pir_context *ctx = b->s->ctx;
  pir_op *op;
  if (v->kind == PIR_RULE_LIST) {
    const pir_attr *items[SAMPLE_ITEMS];
    int64_t count = (int64_t)v->count;
    for (size_t i = 0; i < v->count && i < SAMPLE_ITEMS; i++)
      items[i] = pir_attr_int(ctx, PIR_ATTR_I64,
                              v->items[i].kind == PIR_RULE_FLOAT ? (int64_t)v->items[i].f
                                                                 : v->items[i].i);
    const pir_type *type = pir_type_tensor(ctx, PIR_I64, (pir_shape){&count, 1});
    pir_named_attr attrs[] = {
        attr_named(ctx, "value", pir_attr_array(ctx, items, v->count)),
        attr_named(ctx, "dtype", pir_attr_dtype(ctx, PIR_I64)),
        attr_named(ctx, "place", pir_attr_place(ctx, (pir_place){.kind = 1}))};
    op = put(b, PD_FULL_INT_ARRAY, NULL, 0, &type, 1, attrs, 3);
  } else {
    int64_t one = 1;
    const pir_type *type = pir_type_tensor(ctx, dtype, (pir_shape){&one, 1});
    double f = v->kind == PIR_RULE_FLOAT ? v->f : (double)v->i;
    pir_named_attr attrs[] = {
        attr_named(ctx, "shape", pir_attr_int_array(ctx, &one, 1)),
        attr_named(ctx, "value", pir_attr_float(ctx, PIR_ATTR_F64, f)),
        attr_named(ctx, "dtype", pir_attr_dtype(ctx, dtype)),
        attr_named(ctx, "place", pir_attr_place(ctx, (pir_place){.kind = 1}))};
    op = put(b, PD_FULL, NULL, 0, &type, 1, attrs, 4);
  }
  note_drawn(b, op, slot);
  return pir_facts_update(b->facts, op) ? NULL : pir_op_result(op, 0);
}

// ---- drawing

static void fill_shape(sample_value *v, int32_t rank, int64_t extent) {
  v->rank = rank;
  for (int32_t i = 0; i < rank; i++)
    v->shape[i] = extent;
}

// `beside` is a value the op reads already, or NULL.
static void draw_shape(building *b, sample_value *v, const pir_value *beside) {
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

static pir_dtype draw_dtype(sample *s, const pir_operand_def *def) {
  static const pir_dtype often[] = {PIR_F32, PIR_I64, PIR_I32, PIR_BOOL, PIR_F64, PIR_F16};
  if (!def || !def->dtypes) {
    if (!s->wild || chance(s, 50))
      return s->dtype;
    return chance(s, 50) ? PIR_I64 : PIR_I32;
  }
  if (def->dtypes >> s->dtype & 1 && chance(s, 85))
    return s->dtype;
  for (size_t i = sample_random(s, 3); i < sizeof often / sizeof *often; i++)
    if (def->dtypes >> often[i] & 1)
      return often[i];
  return s->dtype;
}

// A list of small integers, a rearrangement, or the shape of what the op reads.
static pir_rule_value draw_ints(building *b, const pir_value *beside, size_t length) {
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

static pir_rule_value draw_number(sample *s, bool whole) {
  static const double numbers[] = {0.5, 2, 1, 0, 0.25, -1, 1e-5};
  double f = numbers[sample_random(s, 7)];
  if (whole)
    return rule_int((int64_t)sample_random(s, 4));
  return (pir_rule_value){.kind = PIR_RULE_FLOAT, .f = f};
}

// One of the texts that the rule itself mentions.
static bool draw_text(sample *s, pir_rule_value *out) {
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
  if (!n)
    return false;
  *out =
      (pir_rule_value){.kind = PIR_RULE_TEXT, .text = pir_str_from(texts[sample_random(s, n)])};
  return true;
}

static pir_rule_value draw_attr(building *b, const pir_attr_def *def, const pir_value *beside,
                                bool named) {
  static const pir_dtype dtypes[] = {PIR_F32, PIR_F64, PIR_I32, PIR_I64, PIR_F16};
  sample *s = b->s;
  const pir_attr *otherwise = pir_attr_default(s->ctx, def);
  pir_rule_value v = {.kind = PIR_RULE_UNKNOWN};
  if (otherwise)
    v = rule_value_of_attr(b->m, otherwise);
  if (otherwise && chance(s, named ? 40 : 85))
    return v;
  switch ((pir_attr_kind)def->kind) {
    case PIR_ATTR_BOOL: return rule_bool(sample_random(s, 2));
    case PIR_ATTR_I32:
    case PIR_ATTR_I64: return draw_number(s, true);
    case PIR_ATTR_F32:
    case PIR_ATTR_F64:
    case PIR_ATTR_SCALAR: return draw_number(s, false);
    case PIR_ATTR_ARRAY:
    case PIR_ATTR_INT_ARRAY:
      if (def->kind == PIR_ATTR_ARRAY && def->element_kind != PIR_ATTR_I32 &&
          def->element_kind != PIR_ATTR_I64)
        return v;
      return draw_ints(b, beside, otherwise ? v.count : 0);
    case PIR_ATTR_DTYPE:
      return (pir_rule_value){.kind = PIR_RULE_DTYPE,
                              .i = chance(s, 50) ? s->dtype : dtypes[sample_random(s, 5)]};
    case PIR_ATTR_PLACE: return (pir_rule_value){.kind = PIR_RULE_PLACE, .i = 1};
    case PIR_ATTR_STR: return named ? (draw_text(s, &v), v) : v;
    default: return v;
  }
}

// ---- one op

static const pir_value *first_read(const building *b, pir_value *const *operands, size_t n) {
  (void)b;
  for (size_t i = 0; i < n; i++)
    if (operands[i])
      return operands[i];
  return NULL;
}

static pir_rule_value draw_contents(building *b, const pir_operand_def *def,
                                    const pir_value *beside) {
  if (def->flags & PIR_OPERAND_INTARRAY)
    return draw_ints(b, beside, 0);
  return draw_number(b->s, pir_dtype_is_integer(pir_operand_dtype(def)));
}

static void keep_contents(sample *s, sample_value *v, int32_t slot,
                          const pir_rule_value *from) {
  // Values and holes are numbered apart; a list of a value is kept behind that of a hole that
  // is not used.
  v->contents = *from;
  if (from->kind != PIR_RULE_LIST)
    return;
  pir_rule_value *items = s->items[RULE_MAX_HOLES - 1 - slot % 32];
  size_t n = from->count < SAMPLE_ITEMS ? from->count : SAMPLE_ITEMS;
  memmove(items, from->items, n * sizeof *items);
  v->contents.items = items;
  v->contents.count = n;
}

static pir_value *outside_value(building *b, int32_t slot, const pir_operand_def *def,
                                const pir_value *beside) {
  sample *s = b->s;
  sample_value *v = &s->values[slot];
  bool constant = def && def->flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR);
  if (!v->set) {
    v->set = true;
    v->constant = constant;
    v->dtype = draw_dtype(s, def);
    v->members = 2 + sample_random(s, 2);
    draw_shape(b, v, beside);
    s->last = v;
    if (constant) {
      pir_rule_value contents = draw_contents(b, def, beside);
      keep_contents(s, v, slot, &contents);
    }
  }
  if (v->absent)
    return NULL;
  if (v->constant)
    return make_literal_op(b, &v->contents, def ? pir_operand_dtype(def) : PIR_F32, slot);
  return make_source(b, v, slot, 0);
}

static bool draw_list(building *b, int32_t slot, const pir_operand_def *def,
                      const pir_value *beside) {
  sample_value *v = &b->s->values[slot];
  if (!v->set) {
    *v = (sample_value){
        .set = true, .dtype = draw_dtype(b->s, def), .members = 2 + sample_random(b->s, 2)};
    if (b->members)
      v->members = b->members;
    draw_shape(b, v, beside);
    b->s->last = v;
  }
  for (size_t i = 0; i < v->members && i < MAX_LIST_MEMBERS; i++)
    if (!(b->lists[slot][i] = make_source(b, v, slot, i)))
      return false;
  b->counts[slot] = v->members < MAX_LIST_MEMBERS ? v->members : MAX_LIST_MEMBERS;
  return true;
}

static bool put_literal(building *b, const pir_rule_value *v, const pir_operand_def *def,
                        pir_value **out) {
  bool list = def && def->flags & PIR_OPERAND_INTARRAY && v->kind != PIR_RULE_LIST;
  pir_rule_value one = {.kind = PIR_RULE_LIST, .items = v, .count = 1};
  pir_dtype dtype =
      def && def->flags & PIR_OPERAND_SCALAR ? pir_operand_dtype(def) : b->s->dtype;
  return (*out = make_literal_op(b, list ? &one : v, dtype, -1)) != NULL;
}

// An operand that the rule does not look at.
static bool put_anything(building *b, const pir_operand_def *def, const pir_value *beside,
                         pir_value **out) {
  sample_value v = {.set = true};
  if (!def || def->flags & PIR_OPERAND_OPTIONAL)
    return true;
  if (def->flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR)) {
    pir_rule_value literal = draw_contents(b, def, beside);
    return put_literal(b, &literal, def, out);
  }
  v.dtype = draw_dtype(b->s, def);
  draw_shape(b, &v, beside);
  return (*out = make_source(b, &v, RULE_MAX_VALUES, b->drawn_count)) != NULL;
}

static bool put_drawn_operand(building *b, const rule_operand *p, const pir_operand_def *def,
                              size_t member, bool each, pir_value **operands, size_t *n) {
  sample *s = b->s;
  const pir_value *beside = first_read(b, operands, *n);
  pir_value **out = &operands[*n];
  pir_rule_value literal;
  *out = NULL;
  switch ((rule_operand_kind)p->kind) {
    case RULE_OPERAND_NONE: break;
    case RULE_OPERAND_ANY:
    case RULE_OPERAND_MAYBE:
      if (p->kind == RULE_OPERAND_MAYBE && !s->values[p->at].set)
        s->values[p->at].absent = chance(s, 50);
      if (p->kind == RULE_OPERAND_ANY) {
        if (!put_anything(b, def, beside, out))
          return false;
        break;
      }
      // fall through
    case RULE_OPERAND_VALUE:
      if (!b->values[p->at] && !(b->values[p->at] = outside_value(b, p->at, def, beside)) &&
          !s->values[p->at].absent)
        return false;
      *out = b->values[p->at];
      break;
    case RULE_OPERAND_VALUES:
      if (!b->counts[p->at] && !draw_list(b, p->at, def, beside))
        return false;
      if (each) {
        *out = b->lists[p->at][member];
        break;
      }
      for (size_t i = 0; i < b->counts[p->at]; i++)
        operands[(*n)++] = b->lists[p->at][i];
      return true;
    case RULE_OPERAND_HOLE:
      if (!s->hole_set[p->at]) {
        literal = def ? draw_contents(b, def, beside) : draw_number(s, false);
        sample_set_hole(s, p->at, &literal);
      }
      if (!put_literal(b, &s->holes[p->at], def, out))
        return false;
      break;
    case RULE_OPERAND_NODE:
      literal = rule_eval(b->m, p->at);
      if (!put_literal(b, &literal, def, out))
        return false;
      break;
  }
  ++*n;
  return true;
}

static const rule_attr *mentioned(const sample *s, const rule_op *p, size_t position) {
  for (int16_t i = 0; i < p->attr_count; i++)
    if (s->t->attrs[p->attrs + i].position == (int16_t)position)
      return &s->t->attrs[p->attrs + i];
  return NULL;
}

static size_t put_drawn_attrs(building *b, const rule_op *p, const pir_opdef *def,
                              const pir_value *beside, pir_named_attr *attrs) {
  sample *s = b->s;
  size_t n = 0;
  for (size_t i = 0; i < def->attr_count && i < RULE_MAX_OPERANDS; i++) {
    const rule_attr *a = mentioned(s, p, i);
    pir_rule_value v;
    if (a && a->node >= 0) {
      v = rule_eval(b->m, a->node);
    } else if (a) {
      if (!s->hole_set[a->hole]) {
        v = draw_attr(b, &def->attrs[i], beside, true);
        sample_set_hole(s, a->hole, &v);
      }
      v = s->holes[a->hole];
    } else {
      v = draw_attr(b, &def->attrs[i], beside, false);
    }
    const pir_attr *attr =
        v.kind == PIR_RULE_UNKNOWN ? NULL : rule_attr_of_value(b->m, &v, &def->attrs[i]);
    if (!attr)
      attr = pir_attr_default(s->ctx, &def->attrs[i]);
    if (attr)
      attrs[n++] = attr_named(s->ctx, def->attrs[i].name, attr);
  }
  return n;
}

static size_t result_count(const building *b, const rule_op *p, const pir_opdef *def,
                           pir_value *const *operands) {
  if (p->each || !p->result_count)
    return def->result_count;
  bool list = rule_names_members(def, p->result_count) ||
              b->s->t->results[p->results + p->result_count - 1] <= -2;
  if (!list)
    return def->result_count;
  const pir_fact *fact = operands[0] ? pir_facts_of(b->facts, operands[0]) : NULL;
  return fact && fact->member_count ? fact->member_count : def->result_count;
}

static void bind_made_results(building *b, const rule_op *p, pir_op *op, size_t member,
                              size_t count) {
  for (int16_t i = 0; i < p->result_count; i++) {
    int16_t at = b->s->t->results[p->results + i];
    if (at >= 0)
      b->values[at] = pir_op_result(op, (size_t)i);
    if (at > -2)
      continue;
    if (p->each) {
      b->lists[-2 - at][member] = pir_op_result(op, (size_t)i);
      b->counts[-2 - at] = count;
    }
    for (size_t k = (size_t)i;
         !p->each && k < pir_op_results(op) && k - (size_t)i < RULE_MAX_OPERANDS; k++) {
      b->lists[-2 - at][k - (size_t)i] = pir_op_result(op, k);
      b->counts[-2 - at] = k - (size_t)i + 1;
    }
  }
}

static bool is_settled_one(const building *b, const pir_fact *fact) {
  int64_t extent;
  for (int32_t i = 0; i < fact->rank; i++)
    if (!pir_dim_is_const(pir_facts_dims(b->facts), fact->shape[i], &extent) || extent < 1)
      return false;
  return fact->rank >= 0;
}

// Every extent is a number above 0: what is read is, so an op that fits gives no other.
static bool is_settled(const building *b, const pir_fact *fact) {
  for (size_t i = 0; i < fact->member_count; i++)
    if (!is_settled_one(b, fact->members[i]))
      return false;
  return fact->members || is_settled_one(b, fact);
}

static bool put_one(building *b, const rule_op *p, size_t member, size_t count) {
  const pir_opdef *def = pir_context_op(b->s->ctx, p->id);
  pir_value *operands[RULE_MAX_OPERANDS + MAX_LIST_MEMBERS];
  const pir_type *types[RULE_MAX_OPERANDS];
  pir_named_attr attrs[RULE_MAX_OPERANDS];
  size_t n = 0;
  for (int16_t i = 0; i < p->operand_count; i++) {
    const pir_operand_def *o = n < def->operand_count ? &def->operands[n] : NULL;
    if (n >= RULE_MAX_OPERANDS || !put_drawn_operand(b, &b->s->t->operands[p->operands + i], o,
                                                     member, p->each, operands, &n))
      return false;
  }
  // Ops that stand side by side mostly have the same attributes.
  bool alike = p->each && member && chance(b->s, 80);
  size_t attr_count =
      alike ? b->each_attr_count
            : put_drawn_attrs(b, p, def, first_read(b, operands, n), b->each_attrs);
  memcpy(attrs, b->each_attrs, attr_count * sizeof *attrs);
  b->each_attr_count = attr_count;
  size_t results = result_count(b, p, def, operands);
  if (results > RULE_MAX_OPERANDS)
    return false;
  // What inference does not tell is read off the stated type: an extent that is not settled.
  int64_t open = -1;
  for (size_t i = 0; i < results; i++)
    types[i] = pir_type_tensor(b->s->ctx, PIR_F32, (pir_shape){&open, 1});
  pir_op *op = put(b, p->id, operands, n, types, results, attrs, attr_count);
  note_drawn(b, op, -1);
  if (pir_facts_update(b->facts, op))
    return false;
  for (size_t i = 0; i < results; i++) {
    const pir_fact *fact = pir_facts_of(b->facts, pir_op_result(op, i));
    bool read = i < (size_t)p->result_count && b->s->t->results[p->results + (int32_t)i] != -1;
    if (read && !(fact->known && is_settled(b, fact)))
      return false;
    if (!fact->known)
      continue;
    pir_value_set_type(pir_op_result(op, i),
                       pir_fact_type(b->s->ctx, pir_facts_dims(b->facts), fact));
  }
  bind_made_results(b, p, op, member, count);
  return true;
}

// What was made for an op that inference refused goes, and what was drawn for it is drawn anew.
static void erase_drawn(building *b, const bool *values_before, const bool *holes_before) {
  while (b->drawn_count) {
    pir_op *op = b->drawn[--b->drawn_count];
    pir_op_erase(op);
  }
  for (int32_t i = 0; i < b->s->rule->value_count; i++) {
    if (values_before[i])
      continue;
    b->s->values[i] = (sample_value){0};
    b->values[i] = NULL;
    b->counts[i] = 0;
  }
  for (int32_t i = 0; i < b->s->rule->hole_count; i++)
    if (!holes_before[i])
      b->s->hole_set[i] = false;
}

static bool make_op(building *b, const rule_op *p) {
  size_t count = 1;
  b->members = 0;
  for (int16_t i = 0; p->each && i < p->operand_count; i++) {
    const rule_operand *o = &b->s->t->operands[p->operands + i];
    if (o->kind != RULE_OPERAND_VALUES)
      continue;
    if (!b->counts[o->at] && !draw_list(b, o->at, NULL, NULL))
      return false;
    b->members = count = b->counts[o->at];
  }
  for (size_t k = 0; k < count; k++)
    if (!put_one(b, p, k, count))
      return false;
  return true;
}

// Values made for earlier ops stay; a value that was set but not made yet (a repair) is made
// anew each time.
static bool put_op(building *b, const rule_op *p) {
  bool values[RULE_MAX_VALUES], made[RULE_MAX_VALUES], holes[RULE_MAX_HOLES];
  for (int32_t i = 0; i < b->s->rule->value_count; i++) {
    made[i] = b->values[i] || b->counts[i];
    values[i] = b->s->values[i].set || made[i];
  }
  memcpy(holes, b->s->hole_set, sizeof holes);
  static const uint32_t likeness[] = {90, 40, 15};
  // An op whose operands are all settled has only attributes to draw.
  bool settled = true;
  for (int16_t i = 0; i < p->operand_count; i++) {
    const rule_operand *o = &b->s->t->operands[p->operands + i];
    bool value = o->kind == RULE_OPERAND_VALUE || o->kind == RULE_OPERAND_VALUES;
    settled &= value ? values[o->at] : o->kind != RULE_OPERAND_HOLE || holes[o->at];
  }
  for (int draw = 0; draw < (settled ? DRAWS / 20 : DRAWS); draw++) {
    b->drawn_count = 0;
    b->m->heap_used = 0;
    b->s->last = NULL;
    b->s->likeness = likeness[draw % 3];
    b->s->wild = draw > DRAWS / 2;
    if (make_op(b, p))
      return true;
    erase_drawn(b, values, holes);
    for (int32_t i = 0; i < b->s->rule->value_count; i++)
      if (!made[i]) {
        b->values[i] = NULL;
        b->counts[i] = 0;
      }
  }
  return false;
}

static void fetch(building *b, pir_value *value, int32_t column) {
  pir_context *ctx = b->s->ctx;
  char name[24];
  size_t n = pir_text_format(name, sizeof name, "out%d", column);
  const pir_type *type = value ? pir_value_type(value) : NULL;
  if (!type)
    return;
  pir_named_attr attrs[] = {
      attr_named(ctx, "name", pir_attr_str(ctx, PIR_ATTR_STR, (pir_str){name, n})),
      attr_named(ctx, "col", pir_attr_int(ctx, PIR_ATTR_I32, column))};
  put(b, PD_FETCH, &value, 1, &type, 1, attrs, 2);
}

static void fetch_outputs(building *b) {
  int32_t column = 0;
  for (int16_t i = 0; i < b->s->rule->output_count; i++) {
    int32_t at = b->s->t->outputs[b->s->rule->outputs + i].old_value;
    fetch(b, b->values[at], column++);
    for (size_t k = 0; k < b->counts[at]; k++)
      fetch(b, b->lists[at][k], column++);
  }
}

// ---- trying the rule

typedef struct attempt {
  pir_program *program;
  bool matched;
  int16_t stuck_at;  // an op that no draw fits; -1: none
} attempt;

static void on_failed(void *user, rule_match *m, int32_t step, int32_t node) {
  sample *s = user;
  if (step < s->failed_step)
    return;
  s->failed_step = step;
  s->repaired = false;
  size_t heap = m->heap_used;
  sample_repair(s, m, node, true);
  m->heap_used = heap;
}

static bool match_root(building *b, pir_rewriter *rewriter, pir_op *root) {
  b->m->rewriter = rewriter;
  b->s->failed_step = -1;
  b->m->failed = on_failed;
  b->m->failed_user = b->s;
  bool matched = root && rule_match_op(b->m, root);
  b->m->failed = NULL;
  if (b->m->eval_ready)
    evaluator_free(b->m->eval);
  b->m->eval_ready = false;
  return matched;
}

static attempt build_sample(sample *s, rule_match *m) {
  pir_heap *heap = pir_context_heap(s->ctx);
  building *b = pir_heap_take_zeroed(heap, sizeof *b);
  attempt a = {.program = pir_program_create(s->ctx), .stuck_at = -1};
  pir_rewriter rewriter;
  pir_guard guard;
  pir_program_guard(a.program, &guard);
  b->s = s;
  b->m = m;
  b->program = a.program;
  pir_rewriter_init(&rewriter, a.program);
  m->rewriter = &rewriter;
  if (!pir_facts_create(a.program, &b->facts)) {
    rewriter.facts = b->facts;
    for (int16_t i = 0; i < s->rule->match_count && a.stuck_at < 0; i++)
      if (!put_op(b, &s->t->ops[s->rule->match + i]))
        a.stuck_at = i;
    if (a.stuck_at < 0) {
      pir_op *root = pir_block_last(pir_program_block(a.program));
      fetch_outputs(b);
      a.matched = match_root(b, &rewriter, root);
    }
    pir_facts_destroy(b->facts);
  }
  pir_heap_give(heap, b);
  pir_guard_close(&guard);
  return a;
}

static void start(sample *s) {
  static const int64_t extents[] = {2, 3, 4, 6};
  memset(s->values, 0, sizeof s->values);
  memset(s->hole_set, 0, sizeof s->hole_set);
  s->extent = extents[sample_random(s, 4)];
  s->dtype = chance(s, 85) ? PIR_F32 : PIR_F64;
}

// Moves one extent, and keeps the move when the rule still matches.
static pir_program *move_extents(sample *s, rule_match *m, pir_program *program) {
  sample kept;
  pir_guard guard;
  pir_program_guard(program, &guard);
  for (int i = 0; i < MOVES; i++) {
    int32_t slot = (int32_t)sample_random(s, (uint32_t)s->rule->value_count);
    sample_value *v = &s->values[slot];
    if (!s->outside[slot] || !v->set || v->constant || v->rank < 1)
      continue;
    kept = *s;
    v->shape[sample_random(s, (uint32_t)v->rank)] = 1 + sample_random(s, 7);
    attempt a = build_sample(s, m);
    if (a.matched) {
      pir_guard_close(&guard);
      pir_program_destroy(program);
      program = a.program;
      pir_program_guard(program, &guard);
      continue;
    }
    pir_program_destroy(a.program);
    uint64_t random = s->random;
    *s = kept;
    s->random = random;
  }
  pir_guard_close(&guard);
  return program;
}

static void find_free(sample *s) {
  for (int32_t i = 0; i < s->rule->value_count; i++)
    s->outside[i] = true;
  for (int32_t i = 0; i < s->rule->hole_count; i++)
    s->free_hole[i] = true;
  for (int16_t i = 0; i < s->rule->match_count; i++) {
    const rule_op *p = &s->t->ops[s->rule->match + i];
    for (int16_t k = 0; k < p->result_count; k++) {
      int16_t at = s->t->results[p->results + k];
      if (at != -1)
        s->outside[at < -1 ? -2 - at : at] = false;
    }
  }
  for (int16_t i = 0; i < s->rule->step_count; i++) {
    const rule_step *step = &s->t->steps[s->rule->steps + i];
    if (step->kind == RULE_STEP_LET)
      s->free_hole[step->op] = false;
  }
}

static pir_program *search(sample *s, rule_match *m, int32_t *out_failed, int16_t *out_stuck) {
  *out_failed = -1;
  *out_stuck = -1;
  for (int restart = 0; restart < RESTARTS; restart++) {
    start(s);
    for (int repair = 0; repair < REPAIRS; repair++) {
      attempt a = build_sample(s, m);
      if (a.matched)
        return move_extents(s, m, a.program);
      pir_program_destroy(a.program);
      if (a.stuck_at > *out_stuck)
        *out_stuck = a.stuck_at;
      if (a.stuck_at >= 0)
        break;
      if (s->failed_step > *out_failed)
        *out_failed = s->failed_step;
      if (!s->repaired)
        break;
    }
  }
  return NULL;
}

static void explain_failure(const sample *s, pir_context *ctx, int32_t failed, int16_t stuck,
                            char *out, size_t size) {
  if (failed >= 0)
    pir_text_format(out, size, "no sample meets the condition on line %u",
                    s->t->steps[s->rule->steps + failed].line);
  else if (stuck >= 0)
    pir_text_format(out, size, "no operands and attributes were found for \"%s\"",
                    pir_context_op(ctx, s->t->ops[s->rule->match + stuck].id)->name);
  else
    pir_text_format(out, size, "the samples do not match");
}

size_t pir_rule_pass_rules(const pir_rule_pass *rules) {
  return (size_t)rules->count;
}

pir_rule_info pir_rule_pass_rule(const pir_rule_pass *rules, size_t i) {
  const rule *r = &rules->tables->rules[rules->first + (int32_t)i];
  return (pir_rule_info){r->name, r->origin, r->skip_check, r->within};
}

typedef struct sample_call {
  pir_context *ctx;
  const pir_rule_pass *rules;
  size_t i;
  uint64_t seed;
  pir_program *program;
  char *out_why;
  size_t why_size;
} sample_call;

static pir_status make_sample(void *user) {
  sample_call *call = user;
  pir_context *ctx = call->ctx;
  const rule_tables *tables = call->rules->tables;
  pir_heap *heap = pir_context_heap(ctx);
  sample *s = pir_heap_take_zeroed(heap, sizeof *s);
  rule_match *m = pir_heap_take_zeroed(heap, sizeof *m);
  evaluator *eval = pir_heap_take_zeroed(heap, sizeof *eval);
  int32_t failed;
  int16_t stuck;
  s->ctx = ctx;
  s->t = tables;
  s->rule = &tables->rules[call->rules->first + (int32_t)call->i];
  s->random = call->seed;
  m->ctx = ctx;
  m->t = tables;
  m->rule = s->rule;
  m->eval = eval;
  find_free(s);
  call->program = search(s, m, &failed, &stuck);
  if (!call->program)
    explain_failure(s, ctx, failed, stuck, call->out_why, call->why_size);
  pir_heap_give(heap, eval);
  pir_heap_give(heap, m);
  pir_heap_give(heap, s);
  return call->program ? PIR_OK : PIR_NOT_FOUND;
}

pir_status pir_rule_sample(pir_context *ctx, const pir_rule_pass *rules, size_t i,
                           uint64_t seed, pir_program **out_program, char *out_why,
                           size_t why_size) {
  sample_call call = {.ctx = ctx,
                      .rules = rules,
                      .i = i,
                      .seed = seed,
                      .out_why = out_why,
                      .why_size = why_size};
  pir_status status = pir_context_enter(ctx, make_sample, &call);
  *out_program = status ? NULL : call.program;
  return status;
}
