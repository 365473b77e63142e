// Creates the ops of a sample in the order of the match: the open operands and attributes of
// each op are drawn until inference accepts the op. Draws for a refused op are erased.

#include "sample.h"

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>

#include <pir/layer/lower.h>

#include <stdlib.h>
#include <string.h>

enum { DRAWS = 400, MAX_LIST_MEMBERS = 4 };

static pir_op *put(sample_build *b, uint32_t id, pir_value *const *operands, size_t n,
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

// Returns the result of an op without operands; NULL if its extents are too large.
static pir_value *settled_result(sample_build *b, pir_op *op) {
  return pir_facts_update(b->facts, op) ? NULL : pir_op_result(op, 0);
}

static void free_bytes(void *user) {
  free(user);
}

static pir_value *make_source(sample_build *b, const sample_value *v, int32_t slot,
                              size_t member) {
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
  return settled_result(b, op);
}

static pir_value *make_list_op(sample_build *b, const pir_rule_value *items, size_t count) {
  pir_context *ctx = b->s->ctx;
  pir_arena *arena = pir_context_arena(ctx);
  size_t bytes = (count + 1) * sizeof(pir_attr *);
  const pir_attr **entries = pir_arena_zalloc(arena, bytes);
  int64_t extent = (int64_t)count;
  for (size_t i = 0; i < count; i++)
    entries[i] = pir_attr_int(
        ctx, PIR_ATTR_I64, items[i].kind == PIR_RULE_FLOAT ? (int64_t)items[i].f : items[i].i);
  const pir_type *type = pir_type_tensor(ctx, PIR_I64, (pir_shape){&extent, 1});
  pir_named_attr attrs[] = {
      attr_named(ctx, "value", pir_attr_array(ctx, entries, count)),
      attr_named(ctx, "dtype", pir_attr_dtype(ctx, PIR_I64)),
      attr_named(ctx, "place", pir_attr_place(ctx, (pir_place){.kind = 1}))};
  pir_arena_free(arena, entries, bytes);
  return settled_result(b, put(b, PD_FULL_INT_ARRAY, NULL, 0, &type, 1, attrs, 3));
}

// A constant of a literal: a list of integers, or one number.
static pir_value *make_literal_op(sample_build *b, const pir_rule_value *v, pir_dtype dtype) {
  if (v->kind == PIR_RULE_LIST)
    return make_list_op(b, v->items, v->count);
  pir_context *ctx = b->s->ctx;
  int64_t one = 1;
  const pir_type *type = pir_type_tensor(ctx, dtype, (pir_shape){&one, 1});
  double f = v->kind == PIR_RULE_FLOAT ? v->f : (double)v->i;
  pir_named_attr attrs[] = {
      attr_named(ctx, "shape", pir_attr_int_array(ctx, &one, 1)),
      attr_named(ctx, "value", pir_attr_float(ctx, PIR_ATTR_F64, f)),
      attr_named(ctx, "dtype", pir_attr_dtype(ctx, dtype)),
      attr_named(ctx, "place", pir_attr_place(ctx, (pir_place){.kind = 1}))};
  return settled_result(b, put(b, PD_FULL, NULL, 0, &type, 1, attrs, 4));
}

// ---- operands

static const pir_value *first_read(pir_value *const *operands, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (operands[i])
      return operands[i];
  return NULL;
}

static void keep_contents(sample *s, sample_value *v, int32_t slot,
                          const pir_rule_value *from) {
  // Values and holes have separate numbers; the list of a value is stored in the slot of an
  // unused hole.
  v->contents = *from;
  if (from->kind != PIR_RULE_LIST)
    return;
  pir_rule_value *items = s->items[RULE_MAX_HOLES - 1 - slot % 32];
  size_t n = from->count < SAMPLE_ITEMS ? from->count : SAMPLE_ITEMS;
  memmove(items, from->items, n * sizeof *items);
  v->contents.items = items;
  v->contents.count = n;
}

static pir_value *outside_value(sample_build *b, int32_t slot, const pir_operand_def *def,
                                const pir_value *beside) {
  sample *s = b->s;
  sample_value *v = &s->values[slot];
  bool constant = def && def->flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR);
  if (!v->set) {
    v->set = true;
    v->constant = constant;
    v->dtype = sample_draw_dtype(s, def);
    v->members = 2 + sample_random(s, 2);
    sample_draw_shape(b, v, beside);
    s->last = v;
    if (constant) {
      pir_rule_value contents = sample_draw_contents(b, def, beside);
      keep_contents(s, v, slot, &contents);
    }
  }
  if (v->absent)
    return NULL;
  if (v->constant)
    return make_literal_op(b, &v->contents, def ? pir_operand_dtype(def) : PIR_F32);
  return make_source(b, v, slot, 0);
}

static bool draw_list(sample_build *b, int32_t slot, const pir_operand_def *def,
                      const pir_value *beside) {
  sample_value *v = &b->s->values[slot];
  if (!v->set) {
    *v = (sample_value){.set = true,
                        .dtype = sample_draw_dtype(b->s, def),
                        .members = 2 + sample_random(b->s, 2)};
    if (b->members)
      v->members = b->members;
    sample_draw_shape(b, v, beside);
    b->s->last = v;
  }
  for (size_t i = 0; i < v->members && i < MAX_LIST_MEMBERS; i++)
    if (!(b->lists[slot][i] = make_source(b, v, slot, i)))
      return false;
  b->counts[slot] = v->members < MAX_LIST_MEMBERS ? v->members : MAX_LIST_MEMBERS;
  return true;
}

static bool put_literal(sample_build *b, const pir_rule_value *v, const pir_operand_def *def,
                        pir_value **out) {
  bool list = def && def->flags & PIR_OPERAND_INTARRAY && v->kind != PIR_RULE_LIST;
  pir_rule_value one = {.kind = PIR_RULE_LIST, .items = v, .count = 1};
  pir_dtype dtype =
      def && def->flags & PIR_OPERAND_SCALAR ? pir_operand_dtype(def) : b->s->dtype;
  return (*out = make_literal_op(b, list ? &one : v, dtype)) != NULL;
}

// An operand that the rule does not look at.
static bool put_anything(sample_build *b, const pir_operand_def *def, const pir_value *beside,
                         pir_value **out) {
  sample_value v = {.set = true};
  if (!def || def->flags & PIR_OPERAND_OPTIONAL)
    return true;
  if (def->flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR)) {
    pir_rule_value literal = sample_draw_contents(b, def, beside);
    return put_literal(b, &literal, def, out);
  }
  v.dtype = sample_draw_dtype(b->s, def);
  sample_draw_shape(b, &v, beside);
  return (*out = make_source(b, &v, RULE_MAX_VALUES, b->unnamed++)) != NULL;
}

static bool put_drawn_operand(sample_build *b, const rule_operand *p,
                              const pir_operand_def *def, size_t member, bool each,
                              pir_value **operands, size_t *n) {
  sample *s = b->s;
  const pir_value *beside = first_read(operands, *n);
  pir_value **out = &operands[*n];
  pir_rule_value literal;
  *out = NULL;
  switch ((rule_operand_kind)p->kind) {
    case RULE_OPERAND_NONE: break;
    case RULE_OPERAND_ANY:
    case RULE_OPERAND_MAYBE:
      if (p->kind == RULE_OPERAND_MAYBE && !s->values[p->at].set)
        s->values[p->at].absent = sample_chance(s, 50);
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
        literal = def ? sample_draw_contents(b, def, beside) : sample_draw_number(s, false);
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

// ---- attributes

static const rule_attr *mentioned(const sample *s, const rule_op *p, size_t position) {
  for (int16_t i = 0; i < p->attr_count; i++)
    if (s->t->attrs[p->attrs + i].position == (int16_t)position)
      return &s->t->attrs[p->attrs + i];
  return NULL;
}

static size_t put_drawn_attrs(sample_build *b, const rule_op *p, const pir_opdef *def,
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
        v = sample_draw_attr(b, &def->attrs[i], beside, true);
        sample_set_hole(s, a->hole, &v);
      }
      v = s->holes[a->hole];
    } else {
      v = sample_draw_attr(b, &def->attrs[i], beside, false);
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

// ---- ops

static size_t result_count(const sample_build *b, const rule_op *p, const pir_opdef *def,
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

static void bind_made_results(sample_build *b, const rule_op *p, pir_op *op, size_t member,
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

static bool is_settled_one(const sample_build *b, const pir_fact *fact) {
  int64_t extent;
  for (int32_t i = 0; i < fact->rank; i++)
    if (!pir_dim_is_const(pir_facts_dims(b->facts), fact->shape[i], &extent) || extent < 1)
      return false;
  return fact->rank >= 0;
}

// Whether every extent is a positive constant. Operands have such extents, so a valid op yields
// them too.
static bool is_settled(const sample_build *b, const pir_fact *fact) {
  for (size_t i = 0; i < fact->member_count; i++)
    if (!is_settled_one(b, fact->members[i]))
      return false;
  return fact->members || is_settled_one(b, fact);
}

static bool put_one(sample_build *b, const rule_op *p, size_t member, size_t count) {
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
  // Sibling ops usually have equal attributes.
  bool alike = p->each && member && sample_chance(b->s, 80);
  size_t attr_count = alike
                          ? b->each_attr_count
                          : put_drawn_attrs(b, p, def, first_read(operands, n), b->each_attrs);
  memcpy(attrs, b->each_attrs, attr_count * sizeof *attrs);
  b->each_attr_count = attr_count;
  size_t results = result_count(b, p, def, operands);
  if (results > RULE_MAX_OPERANDS)
    return false;
  // If inference leaves an extent open, the stated type decides.
  int64_t open = -1;
  for (size_t i = 0; i < results; i++)
    types[i] = pir_type_tensor(b->s->ctx, PIR_F32, (pir_shape){&open, 1});
  pir_op *op = put(b, p->id, operands, n, types, results, attrs, attr_count);
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

// Erases a refused op with all others behind `last`, and forgets its draws.
static void erase_drawn(sample_build *b, const pir_op *last, const bool *values_before,
                        const bool *holes_before) {
  pir_op *op;
  while ((op = pir_block_last(pir_program_block(b->program))) != last)
    pir_op_erase(op);
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

static bool make_op(sample_build *b, const rule_op *p) {
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

// Values of earlier ops stay. A value that a repair has set but that is not created yet is
// created again each time.
bool sample_put_op(sample_build *b, const rule_op *p) {
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
  const pir_op *last = pir_block_last(pir_program_block(b->program));
  for (int draw = 0; draw < (settled ? DRAWS / 20 : DRAWS); draw++) {
    b->m->heap_used = 0;
    b->s->last = NULL;
    b->s->likeness = likeness[draw % 3];
    b->s->wild = draw > DRAWS / 2;
    if (make_op(b, p))
      return true;
    erase_drawn(b, last, values, holes);
    for (int32_t i = 0; i < b->s->rule->value_count; i++)
      if (!made[i]) {
        b->values[i] = NULL;
        b->counts[i] = 0;
      }
  }
  return false;
}

// ---- outputs

static void fetch(sample_build *b, pir_value *value, int32_t column) {
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

void sample_fetch_outputs(sample_build *b) {
  int32_t column = 0;
  for (int16_t i = 0; i < b->s->rule->output_count; i++) {
    int32_t at = b->s->t->outputs[b->s->rule->outputs + i].old_value;
    fetch(b, b->values[at], column++);
    for (size_t k = 0; k < b->counts[at]; k++)
      fetch(b, b->lists[at][k], column++);
  }
}
