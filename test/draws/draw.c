// Draws one op: element types, shapes and attributes at random until inference and the `check`
// pass accept them. Plausible values come from the declaration: element types and defaults,
// strings that clauses and conditions compare attributes with, operands that clauses read as
// indices. Extents come from a pool of three, so that some agree.
#include "draws.h"

#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/kernel.h>
#include <pir/layer/lower.h>

#include <stdlib.h>
#include <string.h>

enum {
  MAX_NUMEL = 3000,
  MAX_NUMEL_DEEP = 500,
  MAX_NUMEL_LARGE = 30000,
  MAX_TEXTS = 24,
  MADE_OF = 3
};

uint64_t draw_random(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

uint32_t draw_below(draw *d, uint32_t below) {
  return (uint32_t)(draw_random(&d->random) >> 33) % below;
}

static bool chance(draw *d, uint32_t percent) {
  return draw_below(d, 100) < percent;
}

// State of one attempt.
typedef struct pool {
  int64_t extents[3];
  int32_t rank;
  int64_t shape[DRAW_RANK];
  pir_dtype dtype;
  uint32_t likeness;  // percent of operands that are shaped like the first
} pool;

// ---- what a declaration says of an attribute

typedef struct texts {
  const char *items[MAX_TEXTS];
  uint32_t count;
} texts;

static void find_texts(const pir_node *nodes, size_t count, const char *const *text, int attr,
                       texts *out) {
  for (size_t i = 0; i < count; i++)
    if (nodes[i].op == PIR_I_ATTR_IS && nodes[i].k == attr && out->count < MAX_TEXTS)
      out->items[out->count++] = text[nodes[i].i];
}

// The nodes of a lower block are not counted; those of its conditions come before them in the
// table.
static void texts_of(const pir_opdef *def, int attr, texts *out) {
  out->count = 0;
  for (const pir_clause *c = def->clause; c; c = c->next)
    find_texts(c->nodes, c->node_count, c->text, attr, out);
  for (size_t i = 0; i < def->lower_count; i++)
    if (def->lower[i].when >= 0)
      find_texts(def->lower[i].nodes, (size_t)def->lower[i].when + 1, def->lower[i].text, attr,
                 out);
  for (const pir_clause *c = def->require; c; c = c->next)
    find_texts(c->nodes, c->node_count, c->text, attr, out);
}

// The values that other ops of the dialects compare an attribute of this name with, or have as
// its default.
static void texts_of_others(const draw *d, size_t attr, texts *out) {
  pir_str name = pir_str_from(d->def->attrs[attr].name);
  texts own;
  for (size_t k = 0; k < pir_context_dialects(d->ctx); k++) {
    const pir_dialect *dialect = pir_context_dialect(d->ctx, k);
    for (size_t i = 0; i < dialect->op_count; i++) {
      int at = pir_opdef_attr(&dialect->ops[i], name);
      if (at < 0 || dialect->ops[i].attrs[at].kind != PIR_ATTR_STR)
        continue;
      texts_of(&dialect->ops[i], at, &own);
      const char *otherwise =
          dialect->ops[i].attrs[at].required ? NULL : dialect->ops[i].attrs[at].text;
      if (otherwise && *otherwise && own.count < MAX_TEXTS)
        own.items[own.count++] = otherwise;
      for (uint32_t n = 0; n < own.count && out->count < MAX_TEXTS; n++)
        out->items[out->count++] = own.items[n];
    }
  }
}

static bool is_read_as_index(const pir_opdef *def, size_t operand) {
  for (const pir_clause *c = def->clause; c; c = c->next)
    for (size_t i = 0; i < c->node_count; i++)
      if (c->nodes[i].op == PIR_I_LOAD && c->nodes[i].k == (int16_t)operand)
        return true;
  return false;
}

bool draw_is_index(const pir_opdef *def, size_t operand) {
  static const pir_dtype_set integers = 1u << PIR_I32 | 1u << PIR_I64 | 1u << PIR_U8 |
                                        1u << PIR_I8 | 1u << PIR_I16 | 1u << PIR_BOOL;
  if (is_read_as_index(def, operand))
    return true;
  return def->operands[operand].dtypes && !(def->operands[operand].dtypes & ~integers);
}

// ---- shapes and element types

static int64_t most_elements(const draw *d, int32_t rank) {
  if (d->large)
    return MAX_NUMEL_LARGE;
  return rank > 3 ? MAX_NUMEL_DEEP : MAX_NUMEL;
}

static void limit(const draw *d, draw_tensor *t) {
  for (;;) {
    int64_t numel = 1;
    int32_t largest = 0;
    for (int32_t i = 0; i < t->rank; i++) {
      numel *= t->shape[i];
      if (t->shape[i] > t->shape[largest])
        largest = i;
    }
    if (numel <= most_elements(d, t->rank))
      return;
    t->shape[largest] = t->shape[largest] / 2;
  }
}

// Gradients, fused ops and updates of parameters are of floats, whatever is declared.
bool draw_is_of_floats(const pir_opdef *def) {
  const char *end = strstr(def->name, "_grad");
  return (end && (!end[5] || end[5] == '_')) || strstr(def->name, ".fused_") ||
         def->name[strlen(def->name) - 1] == '_';
}

static bool may_read(const draw *d, const draw_tensor *t, size_t k) {
  const pir_operand_def *def = &d->def->operands[k];
  return !def->dtypes || def->dtypes >> t->dtype & 1;
}

// One of the tensors near the draw that operand k may read, or NULL.
static const draw_tensor *pick_near(draw *d, size_t k) {
  enum { TRIES = 8 };
  bool floats = d->floats && !draw_is_index(d->def, k);
  for (int i = 0; i < TRIES && d->near && d->near->count; i++) {
    // Later ones are preferred: the larger of two places.
    uint32_t n = (uint32_t)d->near->count, at = draw_below(d, n), other = draw_below(d, n);
    const draw_tensor *t = d->near->tensors[at > other ? at : other];
    bool fits = may_read(d, t, k) && t->rank <= DRAW_RANK;
    if (fits && (!floats || pir_dtype_is_float(t->dtype) || pir_dtype_is_complex(t->dtype)))
      return t;
  }
  return NULL;
}

// Extents and type of the pool are those of a tensor near the draw.
static void start_near(draw *d, pool *p) {
  const draw_tensor *t = d->def->operand_count ? pick_near(d, 0) : NULL;
  if (!t)
    return;
  p->rank = t->rank;
  p->dtype = t->dtype;
  memcpy(p->shape, t->shape, sizeof p->shape);
  for (int i = 0; i < 3 && t->rank; i++)
    if (chance(d, 60))
      p->extents[i] = t->shape[draw_below(d, (uint32_t)t->rank)];
}

static void start_pool(draw *d, pool *p, int attempt) {
  static const int64_t extents[] = {1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 12, 16, 17, 24, 33, 64};
  static const int64_t large[] = {1, 2, 3, 16, 31, 64, 65, 100, 130, 257, 700};
  static const uint32_t likeness[] = {90, 45, 15};
  static const pir_dtype often[] = {PIR_F32, PIR_F32, PIR_F32, PIR_F32,  PIR_F32, PIR_F64,
                                    PIR_F64, PIR_I32, PIR_I64, PIR_F16,  PIR_F16, PIR_BF16,
                                    PIR_U8,  PIR_I8,  PIR_I16, PIR_BOOL, PIR_C64};
  static const pir_dtype whole[] = {PIR_I64, PIR_I64, PIR_I32, PIR_I32,
                                    PIR_I16, PIR_I8,  PIR_U8,  PIR_BOOL};
  p->rank = (int32_t)draw_below(d, 6);
  uint32_t most = p->rank <= 1 ? 18 : 11;
  if (p->rank == 2)
    most = 16;
  for (int i = 0; i < 3; i++)
    p->extents[i] = d->large ? large[draw_below(d, sizeof large / sizeof *large)]
                             : extents[draw_below(d, most)];
  if (chance(d, 40))
    p->extents[1] = p->extents[0];
  if (chance(d, 40))
    p->extents[2] = p->extents[1];
  if (chance(d, 4))
    p->extents[draw_below(d, 3)] = 0;
  for (int32_t i = 0; i < p->rank; i++)
    p->shape[i] = p->extents[draw_below(d, 3)];
  p->dtype = often[draw_below(d, sizeof often / sizeof *often)];
  if (d->floats && !pir_dtype_is_float(p->dtype) && !pir_dtype_is_complex(p->dtype))
    p->dtype = PIR_F32;
  p->likeness = likeness[attempt % 3];
  if (d->extremes)
    p->dtype = whole[draw_below(d, sizeof whole / sizeof *whole)];
  if (d->single)
    p->dtype = d->element;
  if (d->near)
    start_near(d, p);
  if (!d->before)
    return;
  p->rank = d->linked.rank;
  memcpy(p->shape, d->linked.shape, sizeof p->shape);
}

static void draw_shape(draw *d, const pool *p, draw_tensor *t) {
  uint32_t kind = draw_below(d, 100);
  t->rank = p->rank;
  memcpy(t->shape, p->shape, sizeof t->shape);
  if (kind < p->likeness) {
    limit(d, t);
    return;
  }
  kind = draw_below(d, 100);
  if (kind < 30) {  // fewer leading axes, and axes of 1: what broadcasts
    int32_t drop = (int32_t)draw_below(d, (uint32_t)p->rank + 1);
    t->rank -= drop;
    memmove(t->shape, t->shape + drop, (size_t)t->rank * sizeof *t->shape);
    for (int32_t i = 0; i < t->rank; i++)
      if (chance(d, 30))
        t->shape[i] = 1;
  } else if (kind < 50) {
    t->rank = 1;
    t->shape[0] = p->rank && chance(d, 70) ? p->shape[draw_below(d, (uint32_t)p->rank)]
                                           : p->extents[draw_below(d, 3)];
  } else if (kind < 70 && p->rank) {
    t->shape[draw_below(d, (uint32_t)p->rank)] = p->extents[draw_below(d, 3)];
  } else {
    t->rank = kind < 90 ? 2 : p->rank;
    if (kind < 75)
      t->rank = (int32_t)draw_below(d, 6);
    for (int32_t i = 0; i < t->rank; i++)
      t->shape[i] = p->extents[draw_below(d, 3)];
  }
  limit(d, t);
}

static pir_dtype pick(draw *d, pir_dtype_set set) {
  pir_dtype found[PIR_DTYPE_COUNT];
  uint32_t n = 0;
  for (int t = 0; t < PIR_DTYPE_COUNT; t++)
    if (set >> t & 1 && pir_dtype_is_number((pir_dtype)t))
      found[n++] = (pir_dtype)t;
  return n ? found[draw_below(d, n)] : PIR_F32;
}

static pir_dtype draw_dtype(draw *d, const pool *p, size_t k) {
  const pir_operand_def *def = &d->def->operands[k];
  if (def->same_as >= 0 && (size_t)def->same_as < k &&
      d->operands[def->same_as].form != DRAW_ABSENT && !chance(d, 3))
    return d->operands[def->same_as].members[0].dtype;
  if (!def->dtypes)
    return p->dtype;
  if (def->dtypes >> p->dtype & 1)
    return p->dtype;
  if (def->dtypes >> PIR_F32 & 1 && chance(d, 40))
    return PIR_F32;
  return pick(d, def->dtypes);
}

// ---- attributes and attribute operands

static size_t draw_list(draw *d, const pool *p, size_t wanted, int64_t out[DRAW_ITEMS]) {
  uint32_t rank = p->rank ? (uint32_t)p->rank : 1, kind = draw_below(d, 100);
  bool spatial =
      !wanted && rank > 2 && chance(d, 40);  // a number for each axis behind batch and channels
  size_t n = wanted;
  if (!n && spatial)
    n = rank - 2;
  else if (!n)
    n = kind < 60 ? rank : draw_below(d, rank + 1);
  if (n > DRAW_ITEMS)
    n = DRAW_ITEMS;
  if (spatial) {
    for (size_t i = 0; i < n; i++)
      out[i] = (int64_t)draw_below(d, 3) + chance(d, 80);
    return n;
  }
  if (!wanted && kind < 30) {  // a rearrangement of the axes
    for (size_t i = 0; i < n; i++)
      out[i] = (int64_t)i;
    for (size_t i = n; i-- > 1;) {
      size_t k = draw_below(d, (uint32_t)i + 1);
      int64_t swapped = out[i];
      out[i] = out[k];
      out[k] = swapped;
    }
  } else if (!wanted && kind < 45) {
    for (size_t i = 0; i < n; i++)
      out[i] = p->extents[draw_below(d, 3)];
  } else if (!wanted && kind >= 60) {  // distinct axes, some from the end
    uint32_t at = 0;
    for (size_t i = 0; i < n; i++, at++)
      out[i] = chance(d, 30) ? (int64_t)at - (int64_t)rank : (int64_t)at;
  } else {
    for (size_t i = 0; i < n; i++)
      out[i] = (int64_t)draw_below(d, 4) - (chance(d, 15) ? 2 : 0);
  }
  return n;
}

static double draw_float(draw *d) {
  static const double numbers[] = {0.5, 2, 1, 0, 0.25, -1, 1.5, 0.125, 0.75, -0.5, 3};
  return numbers[draw_below(d, sizeof numbers / sizeof *numbers)];
}

static int64_t draw_int(draw *d, const pool *p) {
  uint32_t kind = draw_below(d, 100), rank = p->rank ? (uint32_t)p->rank : 1;
  if (kind < 50)
    return (int64_t)draw_below(d, 2 * rank) - (int64_t)rank;
  return kind < 85 ? (int64_t)draw_below(d, 5) : p->extents[draw_below(d, 3)];
}

static const pir_attr *draw_texts(draw *d, size_t i, const pir_attr *otherwise) {
  texts t;
  texts_of(d->def, (int)i, &t);
  if (!t.count)
    texts_of_others(d, i, &t);
  return t.count
             ? pir_attr_str(d->ctx, PIR_ATTR_STR, pir_str_from(t.items[draw_below(d, t.count)]))
             : otherwise;
}

static const pir_attr *draw_array(draw *d, const pool *p, const pir_attr_def *def,
                                  const pir_attr *otherwise) {
  const pir_attr *items[DRAW_ITEMS];
  int64_t ints[DRAW_ITEMS];
  size_t n = draw_list(d, p, otherwise ? pir_attr_elements(otherwise) : 0, ints);
  if (def->kind == PIR_ATTR_INT_ARRAY)
    return pir_attr_int_array(d->ctx, ints, n);
  for (size_t i = 0; i < n; i++) {
    if (def->element_kind == PIR_ATTR_I32 || def->element_kind == PIR_ATTR_I64)
      items[i] = pir_attr_int(d->ctx, (pir_attr_kind)def->element_kind, ints[i]);
    else if (def->element_kind == PIR_ATTR_F32 || def->element_kind == PIR_ATTR_F64)
      items[i] = pir_attr_float(d->ctx, (pir_attr_kind)def->element_kind, draw_float(d));
    else if (def->element_kind == PIR_ATTR_BOOL)
      items[i] = pir_attr_bool(d->ctx, chance(d, 50));
    else
      return otherwise ? otherwise : pir_attr_array(d->ctx, NULL, 0);
  }
  return pir_attr_array(d->ctx, items, n);
}

static const pir_attr *draw_attr(draw *d, const pool *p, size_t i) {
  static const pir_dtype dtypes[] = {PIR_F32, PIR_F64,  PIR_I32,  PIR_I64,
                                     PIR_F16, PIR_BF16, PIR_BOOL, PIR_U8};
  const pir_attr_def *def = &d->def->attrs[i];
  const pir_attr *otherwise = pir_attr_default(d->ctx, def);
  if (otherwise && chance(d, 50))
    return otherwise;
  switch ((pir_attr_kind)def->kind) {
    case PIR_ATTR_BOOL: return pir_attr_bool(d->ctx, chance(d, 50));
    case PIR_ATTR_I32:
    case PIR_ATTR_I64: return pir_attr_int(d->ctx, (pir_attr_kind)def->kind, draw_int(d, p));
    case PIR_ATTR_F32:
    case PIR_ATTR_F64: return pir_attr_float(d->ctx, (pir_attr_kind)def->kind, draw_float(d));
    case PIR_ATTR_SCALAR:
      return pir_attr_scalar(d->ctx, PIR_F64,
                             pir_attr_float(d->ctx, PIR_ATTR_F64, draw_float(d)));
    case PIR_ATTR_ARRAY:
    case PIR_ATTR_INT_ARRAY: return draw_array(d, p, def, otherwise);
    case PIR_ATTR_DTYPE:
      return pir_attr_dtype(d->ctx, chance(d, 40) ? p->dtype : dtypes[draw_below(d, 8)]);
    case PIR_ATTR_PLACE:
      return otherwise ? otherwise : pir_attr_place(d->ctx, (pir_place){.kind = 1});
    case PIR_ATTR_STR: return draw_texts(d, i, otherwise);
    default: return otherwise;
  }
}

static void draw_constant(draw *d, const pool *p, size_t k) {
  const pir_operand_def *def = &d->def->operands[k];
  draw_operand *o = &d->operands[k];
  const pir_attr *otherwise =
      def->literal && !def->literal->required ? pir_attr_default(d->ctx, def->literal) : NULL;
  if (def->flags & PIR_OPERAND_INTARRAY) {
    o->form = DRAW_INTS;
    size_t wanted = otherwise ? pir_attr_elements(otherwise) : 0;
    o->count = draw_list(d, p, chance(d, 70) ? wanted : 0, o->ints);
    if (!otherwise || chance(d, 60))
      return;
    o->count = wanted < DRAW_ITEMS ? wanted : DRAW_ITEMS;
    for (size_t i = 0; i < o->count; i++)
      pir_attr_int_at(otherwise, i, &o->ints[i]);
    return;
  }
  o->form = DRAW_NUMBER;
  bool whole =
      pir_dtype_is_integer(pir_operand_dtype(def)) || pir_operand_dtype(def) == PIR_BOOL;
  o->number = whole ? (double)draw_int(d, p) : draw_float(d);
  if (otherwise && chance(d, 40))
    pir_attr_as_float(otherwise, &o->number);
}

// ---- one attempt

// The first operand is mostly the tensor that the pool was made of; others may be any.
static void draw_near_type(draw *d, const pool *p, size_t k, draw_tensor *t) {
  const draw_tensor *from = NULL;
  bool like_pool = !k && p->rank <= DRAW_RANK && chance(d, 85);
  if (like_pool && may_read(d, &(draw_tensor){.dtype = p->dtype}, k)) {
    *t = (draw_tensor){.dtype = p->dtype, .rank = p->rank, .pinned = true};
    memcpy(t->shape, p->shape, sizeof t->shape);
  } else if (k && chance(d, 20)) {
    from = pick_near(d, k);
  }
  if (!from || (from->dtype != t->dtype && chance(d, 90)))
    return;
  *t = (draw_tensor){.dtype = from->dtype, .rank = from->rank, .pinned = chance(d, 50)};
  memcpy(t->shape, from->shape, sizeof t->shape);
}

static void attempt(draw *d, int number) {
  pool p;
  start_pool(d, &p, number);
  for (size_t k = 0; k < d->def->operand_count; k++) {
    const pir_operand_def *def = &d->def->operands[k];
    draw_operand *o = &d->operands[k];
    *o = (draw_operand){.form = DRAW_ABSENT};
    if (def->flags & PIR_OPERAND_OPTIONAL && chance(d, 50))
      continue;
    if (def->flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR)) {
      draw_constant(d, &p, k);
      continue;
    }
    bool list = def->flags & PIR_OPERAND_VARIADIC;
    o->form = list ? DRAW_LIST : DRAW_TENSOR;
    o->count = list ? 1 + draw_below(d, DRAW_MEMBERS) : 1;
    for (size_t i = 0; i < o->count; i++) {
      o->members[i].dtype = i ? o->members[0].dtype : draw_dtype(d, &p, k);
      draw_shape(d, &p, &o->members[i]);
      if (d->near)
        draw_near_type(d, &p, k, &o->members[i]);
      o->members[i].parameter = k && !list && chance(d, 12);
    }
  }
  for (size_t i = 0; i < d->def->attr_count; i++)
    d->attrs[i] = draw_attr(d, &p, i);
  if (chance(d, 90))
    draw_meet(d);
  if (d->before)
    d->operands[0] = (draw_operand){.form = DRAW_TENSOR, .count = 1, .members = {d->linked}};
}

// ---- gradients: what belongs to the op they are of is shaped by it

enum { FORWARD_ATTEMPTS = 60 };

static const pir_opdef *forward_of(pir_context *ctx, const pir_opdef *def) {
  size_t size = strlen(def->name), cut = strlen("_grad");
  if (size <= cut || strcmp(def->name + size - cut, "_grad") != 0)
    return NULL;
  const pir_opdef *forward = pir_context_opdef(ctx, (pir_str){def->name, size - cut});
  return forward->traits & PIR_REGISTERED && !draw_refusal(forward) ? forward : NULL;
}

bool draw_take_type(draw_tensor *t, const pir_type *type) {
  if (!type || !pir_type_is_tensor(type))
    return false;
  pir_shape shape = pir_type_shape(type);
  if (shape.rank > DRAW_RANK)
    return false;
  *t = (draw_tensor){.dtype = pir_type_dtype(type), .rank = (int32_t)shape.rank};
  for (size_t i = 0; i < shape.rank; i++) {
    if (shape.dims[i] < 0)
      return false;
    t->shape[i] = shape.dims[i];
  }
  return true;
}

// An operand that is a result of the op, or the gradient of one, has its shape and type.
static void take_result(draw_operand *o, const pir_op *op, int result) {
  const pir_type *type = pir_value_type(pir_op_result(op, (size_t)result));
  draw_operand taken = {.form = DRAW_TENSOR, .count = 1};
  if (type && pir_type_kind_of(type) == PIR_TYPE_VECTOR) {
    taken.form = DRAW_LIST;
    taken.count = pir_type_elements(type);
    if (taken.count > DRAW_MEMBERS)
      return;
    for (size_t i = 0; i < taken.count; i++)
      if (!draw_take_type(&taken.members[i], pir_type_element(type, i)))
        return;
  } else if (!draw_take_type(&taken.members[0], type)) {
    return;
  }
  *o = taken;
}

static pir_str named_part(const char *name) {
  size_t size = strlen(name), cut = strlen("_grad");
  if (size > cut && !strcmp(name + size - cut, "_grad"))
    size -= cut;
  return (pir_str){name, size};
}

// A list that is an operand of the op may be an attribute of its gradient.
static const pir_attr *attr_of_operand(pir_context *ctx, const pir_attr_def *def,
                                       const draw_operand *o) {
  const pir_attr *items[DRAW_ITEMS];
  bool whole = def->element_kind == PIR_ATTR_I32 || def->element_kind == PIR_ATTR_I64;
  if (o->form == DRAW_INTS && def->kind == PIR_ATTR_INT_ARRAY)
    return pir_attr_int_array(ctx, o->ints, o->count);
  if (o->form == DRAW_INTS && def->kind == PIR_ATTR_ARRAY && whole) {
    for (size_t i = 0; i < o->count; i++)
      items[i] = pir_attr_int(ctx, (pir_attr_kind)def->element_kind, o->ints[i]);
    return pir_attr_array(ctx, items, o->count);
  }
  if (o->form == DRAW_NUMBER && (def->kind == PIR_ATTR_I32 || def->kind == PIR_ATTR_I64))
    return pir_attr_int(ctx, (pir_attr_kind)def->kind, (int64_t)o->number);
  return NULL;
}

static void take_forward(draw *d, const draw *f, const pir_op *op) {
  for (size_t k = 0; k < d->def->operand_count; k++) {
    pir_str name = pir_str_from(d->def->operands[k].name),
            part = named_part(d->def->operands[k].name);
    int operand = pir_opdef_operand(f->def, name), result = pir_opdef_result(f->def, part);
    bool constant = d->def->operands[k].flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR);
    if (operand >= 0 && (f->operands[operand].form >= DRAW_INTS) == constant)
      d->operands[k] = f->operands[operand];
    else if (result >= 0 && !constant && d->operands[k].form != DRAW_ABSENT)
      take_result(&d->operands[k], op, result);
  }
  for (size_t i = 0; i < d->def->attr_count; i++) {
    const pir_attr_def *def = &d->def->attrs[i];
    pir_str name = pir_str_from(def->name);
    int attr = pir_opdef_attr(f->def, name), operand = pir_opdef_operand(f->def, name);
    const pir_attr *taken =
        attr >= 0 && f->def->attrs[attr].kind == def->kind ? f->attrs[attr] : NULL;
    if (!taken && operand >= 0)
      taken = attr_of_operand(d->ctx, def, &f->operands[operand]);
    if (taken)
      d->attrs[i] = taken;
  }
}

// Dims that the op's conditions and results may have created.
static bool is_large(const draw *d) {
  for (size_t k = 0; k < d->def->operand_count; k++)
    for (size_t i = 0; i < d->operands[k].count && d->operands[k].form <= DRAW_LIST; i++) {
      const draw_tensor *t = &d->operands[k].members[i];
      int64_t numel = 1;
      for (int32_t a = 0; a < t->rank; a++)
        numel *= t->shape[a];
      if (numel > 2 * most_elements(d, 0))
        return true;
    }
  return false;
}

static void attempt_gradient(draw *d, const pir_opdef *forward, int number) {
  char text[DRAW_TEXT];
  draw *f = calloc(1, sizeof *f);
  if (!f)
    return;
  *f = (draw){.ctx = d->ctx, .def = forward, .floats = true, .random = draw_random(&d->random)};
  for (int i = 0; i < FORWARD_ATTEMPTS; i++) {
    attempt(f, number + i);
    pir_program *program = is_large(f) ? NULL : draw_program(f, DRAW_AS_IS, text);
    pir_op *op = program ? pir_block_first(pir_program_block(program)) : NULL;
    while (op && pir_op_def(op) != forward)
      op = pir_op_next(op);
    if (op)
      take_forward(d, f, op);
    pir_program_destroy(program);
    if (program)
      break;
  }
  free(f);
}

// ---- numbers

static int64_t least_extent(const draw *d) {
  int64_t least = INT64_MAX;
  for (size_t k = 0; k < d->def->operand_count; k++)
    for (size_t i = 0; i < d->operands[k].count && d->operands[k].form <= DRAW_LIST; i++)
      for (int32_t a = 0; a < d->operands[k].members[i].rank; a++)
        if (d->operands[k].members[i].shape[a] < least)
          least = d->operands[k].members[i].shape[a];
  return least == INT64_MAX || least < 1 ? 1 : least;
}

// Whether the op, or an op of its lower block, sums products over a padded operand: whether
// infinity meets the zeros of the padding is undefined.
static bool is_padded(pir_context *ctx, const pir_opdef *def, int depth) {
  for (const pir_clause *c = def->clause; c; c = c->next)
    for (size_t i = 0; c->kind == PIR_CLAUSE_CONTRACT && i < c->node_count; i++)
      if (c->nodes[i].op == PIR_V_LOAD && c->nodes[i].a >= 0)
        return true;
  for (size_t i = 0; depth && i < def->lower_count; i++)
    for (size_t k = 0; k < def->lower[i].step_count; k++) {
      const pir_opdef *made = pir_context_opdef(ctx, pir_str_from(def->lower[i].steps[k].op));
      if (made != def && is_padded(ctx, made, depth - 1))
        return true;
    }
  return false;
}

// Returns how many kinds of numbers may be drawn. Extreme numbers are excluded if infinity
// could meet the zeros of a padding, which no declaration defines, and if several ops compute
// in 16-bit floats, whose range an intermediate result could leave.
static uint32_t manners_of(const draw *d) {
  bool half = false;
  for (size_t k = 0; k < d->def->operand_count; k++)
    half |= d->operands[k].form <= DRAW_LIST && d->operands[k].members[0].dtype == PIR_F16;
  if (d->single)
    return 5;
  if (d->manners)
    return d->manners;
  if (half && (!d->def->clause || d->def->lower_count))
    return 3;
  return is_padded(d->ctx, d->def, MADE_OF) ? 6 : 7;
}

size_t draw_name(const draw *d, size_t operand, size_t member, char *out, size_t size) {
  const char *name = d->def->operands[operand].name;
  size_t n = d->step ? pir_text_format(out, size, "%d_%s", d->step, name)
                     : pir_text_format(out, size, "%s", name);
  if (d->operands[operand].form == DRAW_LIST)
    n += pir_text_format(out + n, size - n, "_%zu", member);
  return n;
}

void draw_numbers(draw *d) {
  if (d->before)
    draw_numbers(d->before);
  static const int64_t ranges[][2] = {{-20, 20}, {0, 7}, {1, 9}, {-100, 100}, {0, 1}};
  int64_t least = least_extent(d);
  uint32_t manners = manners_of(d), common = draw_below(d, manners);
  for (size_t k = 0; k < d->def->operand_count; k++) {
    draw_operand *o = &d->operands[k];
    bool index = draw_is_index(d->def, k);
    if (o->form != DRAW_TENSOR && o->form != DRAW_LIST)
      continue;
    uint32_t manner = chance(d, 75) ? common : draw_below(d, manners), range = draw_below(d, 5);
    bool ends = !is_read_as_index(d->def, k) && (d->extremes || chance(d, d->near ? 10 : 30));
    for (size_t i = 0; i < o->count; i++) {
      draw_tensor *t = &o->members[i];
      t->manner = (uint8_t)manner;
      t->from = index ? 0 : ranges[range][0];
      t->to = index ? least - 1 : ranges[range][1];
      if (t->from < 0 && (t->dtype == PIR_U8 || t->dtype == PIR_U16 || t->dtype == PIR_U32 ||
                          t->dtype == PIR_U64))
        t->from = 0;
      t->ends = ends;
      t->seed = draw_random(&d->random);
    }
  }
}

// ---- an op

static bool ends_with(const char *name, const char *end) {
  size_t size = strlen(name), cut = strlen(end);
  return size > cut && !strcmp(name + size - cut, end);
}

const char *draw_refusal(const pir_opdef *def) {
  bool rows = ends_with(def->name, "_sr") || ends_with(def->name, "_sr_") ||
              ends_with(def->name, "_selected_rows") || ends_with(def->name, "_sparse_grad") ||
              ends_with(def->name, "_sparse_grad_") || strstr(def->name, "sparse_weight");
  if (ends_with(def->name, "_sp") || rows)
    return "sparse tensors or rows";
  if (def->base)
    return "the twin in place of another";
  if (def->region_count || def->traits & (PIR_CONTROL | PIR_TERMINATOR))
    return "has regions or control flow";
  if (def->traits & PIR_STRUCTURAL)
    return "computes nothing";
  if (def->traits & (PIR_INPUT | PIR_OUTPUT | PIR_PARAMETER))
    return "the interface of a program";
  if (def->traits & PIR_RANDOM)
    return "random numbers";
  bool kernel = def->kernel && pir_kernel_find(pir_str_from(def->kernel));
  if (!def->clause && !def->lower_count && !kernel && !def->hooks.expand)
    return "no kernel";
  if (!def->result_count)
    return "no result";
  if (def->operand_count > DRAW_OPERANDS || def->attr_count > DRAW_ATTRS)
    return "more operands than are drawn";
  return NULL;
}

static void give_up_unknown(draw *d) {
  char text[DRAW_TEXT];
  pir_program *program = draw_program(d, DRAW_AS_IS, text);
  if (!program)
    d->dynamic = 0;
  pir_program_destroy(program);
}

void draw_start_op(draw *d, pir_context *ctx, draw_noise *noise, const pir_opdef *def,
                   uint64_t seed) {
  *d = (draw){.ctx = ctx,
              .def = def,
              .noise = noise,
              .floats = draw_is_of_floats(def),
              .random = seed * 0xD1342543DE82EF95u + 1};
}

bool draw_op(draw *d) {
  char text[DRAW_TEXT];
  while (d->attempts < DRAW_ATTEMPTS) {
    d->dynamic = 0;
    const pir_opdef *forward = d->single ? NULL : forward_of(d->ctx, d->def);
    attempt(d, d->attempts++);
    if (forward && chance(d, 80))
      attempt_gradient(d, forward, d->attempts);
    pir_program *program = is_large(d) ? NULL : draw_program(d, DRAW_AS_IS, text);
    if (!program)
      continue;
    pir_program_destroy(program);
    draw_numbers(d);
    if (chance(d, 25) && !d->single)
      d->dynamic = draw_below(d, 1u << DRAW_RANK);
    if (d->dynamic)
      give_up_unknown(d);
    return true;
  }
  return false;
}
