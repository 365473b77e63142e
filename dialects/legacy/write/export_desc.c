// Ops as protobuf messages. When an op is complete, its slots and attributes are sorted by
// name, because Paddle keeps them in ordered maps. A number is written with the type that the
// legacy op declares; a number that does not fit is refused.
#include "export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <strbuf.h>

#define NEW(x, type) ((type *)pir_arena_alloc(&(x)->arena, sizeof(type)))

out_op *op_open(exporter *x, const char *type) {
  out_op *o = pir_arena_zalloc(&x->arena, sizeof *o);
  o->desc = NEW(x, Legacy__OpDesc);
  legacy__op_desc__init(o->desc);
  o->desc->type = (char *)copy_text(x, pir_str_from(type));
  return o;
}

// ---- slots

static Legacy__OpDesc__Var *slot_new(exporter *x, const char *name, out_var *const *vars,
                                     size_t n) {
  static const char empty[] = "@EMPTY@";
  Legacy__OpDesc__Var *slot = NEW(x, Legacy__OpDesc__Var);
  legacy__op_desc__var__init(slot);
  slot->parameter = (char *)copy_text(x, pir_str_from(name));
  slot->n_arguments = n;
  slot->arguments =
      pir_arena_alloc(&x->arena, pir_arena_size(&x->arena, n, sizeof *slot->arguments));
  for (size_t i = 0; i < n; i++)
    slot->arguments[i] = vars[i] ? vars[i]->name : (char *)empty;
  return slot;
}

void op_input(exporter *x, out_op *o, const char *slot, out_var *const *vars, size_t n) {
  pir_vec_push(&x->arena, &o->inputs, slot_new(x, slot, vars, n));
  for (size_t i = 0; i < n; i++)
    if (vars[i])
      pir_vec_push(&x->arena, &o->read, vars[i]);
}

bool op_has_input(const out_op *o, const char *slot) {
  for (size_t i = 0; i < o->inputs.count; i++)
    if (!strcmp(o->inputs.items[i]->parameter, slot))
      return true;
  return false;
}

void op_output(exporter *x, out_op *o, const char *slot, out_var *const *vars, size_t n) {
  pir_vec_push(&x->arena, &o->outputs, slot_new(x, slot, vars, n));
  for (size_t i = 0; i < n; i++)
    if (vars[i])
      pir_vec_push(&x->arena, &o->written, vars[i]);
}

// ---- attributes

static Legacy__OpDesc__Attr *attr_new(exporter *x, out_op *o, const char *name,
                                      Legacy__AttrType type) {
  Legacy__OpDesc__Attr *a = NEW(x, Legacy__OpDesc__Attr);
  legacy__op_desc__attr__init(a);
  a->name = (char *)copy_text(x, pir_str_from(name));
  a->type = type;
  for (size_t i = 0; i < o->attrs.count; i++)
    if (!strcmp(o->attrs.items[i]->name, name)) {
      o->attrs.items[i] = a;
      return a;
    }
  pir_vec_push(&x->arena, &o->attrs, a);
  return a;
}

bool op_has_attr(const out_op *o, const char *name) {
  for (size_t i = 0; i < o->attrs.count; i++)
    if (!strcmp(o->attrs.items[i]->name, name))
      return true;
  return false;
}

void op_set_bool(exporter *x, out_op *o, const char *name, bool value) {
  Legacy__OpDesc__Attr *a = attr_new(x, o, name, LEGACY__ATTR_TYPE__BOOLEAN);
  a->has_b = true;
  a->b = value;
}

void op_set_int(exporter *x, out_op *o, const char *name, int32_t value) {
  Legacy__OpDesc__Attr *a = attr_new(x, o, name, LEGACY__ATTR_TYPE__INT);
  a->has_i = true;
  a->i = value;
}

void op_set_float(exporter *x, out_op *o, const char *name, double value) {
  Legacy__OpDesc__Attr *a = attr_new(x, o, name, LEGACY__ATTR_TYPE__FLOAT);
  a->has_f = true;
  a->f = (float)value;
}

static ProtobufCBinaryData bytes_of(exporter *x, pir_str text) {
  return (ProtobufCBinaryData){
      text.size, pir_arena_copy(&x->arena, text.size ? text.data : "", text.size)};
}

void op_set_text(exporter *x, out_op *o, const char *name, pir_str value) {
  Legacy__OpDesc__Attr *a = attr_new(x, o, name, LEGACY__ATTR_TYPE__STRING);
  a->has_s = true;
  a->s = bytes_of(x, value);
}

void op_set_block(exporter *x, out_op *o, const char *name, int32_t block) {
  Legacy__OpDesc__Attr *a = attr_new(x, o, name, LEGACY__ATTR_TYPE__BLOCK);
  a->has_block_idx = true;
  a->block_idx = block;
}

void op_set_names(exporter *x, out_op *o, const char *name, const var_list *vars) {
  Legacy__OpDesc__Attr *a = attr_new(x, o, name, LEGACY__ATTR_TYPE__STRINGS);
  a->n_strings = vars->count;
  a->strings =
      pir_arena_alloc(&x->arena, pir_arena_size(&x->arena, vars->count, sizeof *a->strings));
  for (size_t i = 0; i < vars->count; i++)
    a->strings[i] = bytes_of(x, pir_str_from(vars->items[i]->name));
}

void op_set_vars(exporter *x, out_op *o, const char *name, const holder *from, bool list) {
  Legacy__OpDesc__Attr *a =
      attr_new(x, o, name, list ? LEGACY__ATTR_TYPE__VARS : LEGACY__ATTR_TYPE__VAR);
  char **names =
      pir_arena_alloc(&x->arena, pir_arena_size(&x->arena, from->count, sizeof *names));
  for (size_t i = 0; i < from->count; i++) {
    names[i] = from->vars[i]->name;
    pir_vec_push(&x->arena, &o->read, from->vars[i]);
  }
  if (list) {
    a->n_vars_name = from->count;
    a->vars_name = names;
  } else {
    a->var_name = names[0];
  }
}

// ---- attributes of a declared kind

static bool fits_i32(int64_t v) {
  return v >= INT32_MIN && v <= INT32_MAX;
}

static const char *number_text(exporter *x, double f, int64_t i, bool is_int) {
  pir_strbuf text;
  pir_strbuf_init(&text, &x->arena);
  if (is_int)
    pir_strbuf_int(&text, i);
  else if (isinf(f))
    pir_strbuf_str(&text, pir_str_from(f < 0 ? "-inf" : "inf"));
  else if (isnan(f))
    pir_strbuf_lit(&text, "nan");
  else
    pir_strbuf_float(&text, (double)(float)f == f ? "%.9g" : "%.17g", f);
  pir_strbuf_char(&text, 0);
  return text.data;
}

static void set_scalar(Legacy__Scalar *s, double f, int64_t i, uint8_t kind) {
  legacy__scalar__init(s);
  s->type = LEGACY__SCALAR__TYPE__FLOAT64;
  if (kind == PIR_ATTR_BOOL)
    s->type = LEGACY__SCALAR__TYPE__BOOLEAN;
  else if (kind == PIR_ATTR_I32 || kind == PIR_ATTR_I64)
    s->type = LEGACY__SCALAR__TYPE__LONG;
  s->has_b = s->type == LEGACY__SCALAR__TYPE__BOOLEAN;
  s->b = i != 0;
  s->has_i = s->type == LEGACY__SCALAR__TYPE__LONG;
  s->i = i;
  s->has_r = s->type == LEGACY__SCALAR__TYPE__FLOAT64;
  s->r = f;
}

bool op_set_number(exporter *x, out_op *o, const char *name, uint8_t kind, double f, int64_t i,
                   bool is_int) {
  Legacy__OpDesc__Attr *a;
  bool whole = is_int || (f == floor(f) && fabs(f) < 0x1p53);
  if (!is_int && whole)
    i = (int64_t)f;
  switch (kind) {
    case PIR_ATTR_BOOL: op_set_bool(x, o, name, is_int ? i != 0 : f != 0); return true;
    case PIR_ATTR_I32:
      if (!whole || !fits_i32(i))
        return false;
      op_set_int(x, o, name, (int32_t)i);
      return true;
    case PIR_ATTR_I64:
      if (!whole)
        return false;
      a = attr_new(x, o, name, LEGACY__ATTR_TYPE__LONG);
      a->has_l = true;
      a->l = i;
      return true;
    case PIR_ATTR_F32: op_set_float(x, o, name, f); return true;
    case PIR_ATTR_F64:
      a = attr_new(x, o, name, LEGACY__ATTR_TYPE__FLOAT64);
      a->has_float64 = true;
      a->float64 = f;
      return true;
    case PIR_ATTR_STR:
      op_set_text(x, o, name, pir_str_from(number_text(x, f, i, is_int)));
      return true;
    case PIR_ATTR_SCALAR:
      a = attr_new(x, o, name, LEGACY__ATTR_TYPE__SCALAR);
      a->scalar = NEW(x, Legacy__Scalar);
      set_scalar(a->scalar, f, i, is_int ? PIR_ATTR_I64 : PIR_ATTR_F64);
      return true;
    default: return false;
  }
}

bool op_set_ints(exporter *x, out_op *o, const char *name, uint8_t element_kind,
                 const int64_t *values, size_t n) {
  Legacy__OpDesc__Attr *a;
  if (element_kind != PIR_ATTR_I64)
    for (size_t i = 0; i < n; i++)
      if (!fits_i32(values[i]))
        return false;
  a = attr_new(x, o, name,
               element_kind == PIR_ATTR_I64 ? LEGACY__ATTR_TYPE__LONGS
                                            : LEGACY__ATTR_TYPE__INTS);
  if (element_kind == PIR_ATTR_I64) {
    a->n_longs = n;
    a->longs = pir_arena_copy(&x->arena, values, pir_arena_size(&x->arena, n, sizeof *values));
    return true;
  }
  a->n_ints = n;
  a->ints = pir_arena_alloc(&x->arena, pir_arena_size(&x->arena, n, sizeof *a->ints));
  for (size_t i = 0; i < n; i++)
    a->ints[i] = (int32_t)values[i];
  return true;
}

static bool set_int_list(exporter *x, out_op *o, const char *name, uint8_t element_kind,
                         const pir_attr *list) {
  size_t n = pir_attr_elements(list);
  int64_t *values = pir_arena_alloc(&x->arena, pir_arena_size(&x->arena, n, sizeof *values));
  for (size_t i = 0; i < n; i++)
    if (!pir_attr_int_at(list, i, &values[i]))
      return false;
  return op_set_ints(x, o, name, element_kind, values, n);
}

static bool set_float_list(exporter *x, out_op *o, const char *name, uint8_t element_kind,
                           const pir_attr *list) {
  bool wide = element_kind == PIR_ATTR_F64;
  size_t n = pir_attr_elements(list);
  Legacy__OpDesc__Attr *a =
      attr_new(x, o, name, wide ? LEGACY__ATTR_TYPE__FLOAT64S : LEGACY__ATTR_TYPE__FLOATS);
  if (pir_attr_kind_of(list) == PIR_ATTR_INT_ARRAY)
    return false;
  a->floats =
      wide ? NULL : pir_arena_alloc(&x->arena, pir_arena_size(&x->arena, n, sizeof *a->floats));
  a->float64s =
      wide ? pir_arena_alloc(&x->arena, pir_arena_size(&x->arena, n, sizeof *a->float64s))
           : NULL;
  a->n_floats = wide ? 0 : n;
  a->n_float64s = wide ? n : 0;
  for (size_t i = 0; i < n; i++) {
    double value;
    if (!pir_attr_as_float(pir_attr_element(list, i), &value))
      return false;
    if (wide)
      a->float64s[i] = value;
    else
      a->floats[i] = (float)value;
  }
  return true;
}

static bool set_text_list(exporter *x, out_op *o, const char *name, const pir_attr *list) {
  size_t n = pir_attr_elements(list);
  Legacy__OpDesc__Attr *a = attr_new(x, o, name, LEGACY__ATTR_TYPE__STRINGS);
  a->n_strings = n;
  a->strings = pir_arena_alloc(&x->arena, pir_arena_size(&x->arena, n, sizeof *a->strings));
  for (size_t i = 0; i < n; i++) {
    const pir_attr *item = pir_attr_element(list, i);
    if (pir_attr_kind_of(item) != PIR_ATTR_STR)
      return false;
    a->strings[i] = bytes_of(x, pir_attr_as_str(item));
  }
  return true;
}

static bool set_bool_list(exporter *x, out_op *o, const char *name, const pir_attr *list) {
  size_t n = pir_attr_elements(list);
  Legacy__OpDesc__Attr *a = attr_new(x, o, name, LEGACY__ATTR_TYPE__BOOLEANS);
  a->n_bools = n;
  a->bools = pir_arena_alloc(&x->arena, pir_arena_size(&x->arena, n, sizeof *a->bools));
  for (size_t i = 0; i < n; i++) {
    int64_t value;
    if (!pir_attr_int_at(list, i, &value))
      return false;
    a->bools[i] = value != 0;
  }
  return true;
}

// Writes a list of numbers with their own kinds.
static bool set_scalar_list(exporter *x, out_op *o, const char *name, const pir_attr *list) {
  size_t n = pir_attr_elements(list);
  Legacy__OpDesc__Attr *a = attr_new(x, o, name, LEGACY__ATTR_TYPE__SCALARS);
  a->n_scalars = n;
  a->scalars = pir_arena_alloc(&x->arena, pir_arena_size(&x->arena, n, sizeof *a->scalars));
  for (size_t i = 0; i < n; i++) {
    const pir_attr *item = pir_attr_element(list, i);
    double f = 0;
    int64_t v = 0;
    if (pir_attr_kind_of(item) == PIR_ATTR_SCALAR)
      item = pir_attr_element(item, 0);
    if (!pir_attr_as_float(item, &f))
      return false;
    if (pir_attr_kind_of(item) != PIR_ATTR_F32 && pir_attr_kind_of(item) != PIR_ATTR_F64 &&
        !pir_attr_as_int(item, &v))
      return false;
    a->scalars[i] = NEW(x, Legacy__Scalar);
    set_scalar(a->scalars[i], f, v, (uint8_t)pir_attr_kind_of(item));
  }
  return true;
}

static bool set_list(exporter *x, out_op *o, const char *name, uint8_t element_kind,
                     const pir_attr *list) {
  pir_attr_kind kind = pir_attr_kind_of(list);
  if (kind != PIR_ATTR_ARRAY && kind != PIR_ATTR_INT_ARRAY)
    return false;
  if (element_kind == PIR_ATTR_NONE && kind == PIR_ATTR_ARRAY && pir_attr_elements(list))
    element_kind = (uint8_t)pir_attr_kind_of(pir_attr_element(list, 0));
  bool of_attrs = element_kind == PIR_ATTR_STR || element_kind == PIR_ATTR_SCALAR;
  if (of_attrs && kind != PIR_ATTR_ARRAY)
    return false;
  switch (element_kind) {
    case PIR_ATTR_STR: return set_text_list(x, o, name, list);
    case PIR_ATTR_BOOL: return set_bool_list(x, o, name, list);
    case PIR_ATTR_F32:
    case PIR_ATTR_F64: return set_float_list(x, o, name, element_kind, list);
    case PIR_ATTR_SCALAR: return set_scalar_list(x, o, name, list);
    default: return set_int_list(x, o, name, element_kind, list);
  }
}

bool op_set_attr(exporter *x, out_op *o, const char *name, pir_legacy_kind kind,
                 const pir_attr *value) {
  pir_attr_kind from = pir_attr_kind_of(value);
  double f = 0;
  int64_t i = 0;
  switch (kind.kind) {
    case PIR_ATTR_STR:
      if (from != PIR_ATTR_STR && from != PIR_ATTR_TENSOR_NAME)
        break;
      op_set_text(x, o, name, pir_attr_as_str(value));
      return true;
    case PIR_ATTR_ARRAY: return set_list(x, o, name, kind.element_kind, value);
    case PIR_ATTR_INT_ARRAY: return set_list(x, o, name, PIR_ATTR_I32, value);
    case PIR_ATTR_DTYPE:
      if (from != PIR_ATTR_DTYPE)
        return false;
      op_set_int(x, o, name, pir_dtype_var_type(pir_attr_as_dtype(value)));
      return true;
    default: break;
  }
  if (from == PIR_ATTR_SCALAR)
    value = pir_attr_element(value, 0);
  if (!value || !pir_attr_as_float(value, &f))
    return false;
  from = pir_attr_kind_of(value);
  bool is_int = from != PIR_ATTR_F32 && from != PIR_ATTR_F64 && pir_attr_as_int(value, &i);
  return op_set_number(x, o, name, kind.kind, f, i, is_int);
}

// ---- the end

static int compare_slots(const void *a, const void *b) {
  return strcmp((*(Legacy__OpDesc__Var *const *)a)->parameter,
                (*(Legacy__OpDesc__Var *const *)b)->parameter);
}

static int compare_attrs(const void *a, const void *b) {
  return strcmp((*(Legacy__OpDesc__Attr *const *)a)->name,
                (*(Legacy__OpDesc__Attr *const *)b)->name);
}

// Notes the variables of enclosing blocks that an op reads.
static void capture(exporter *x, const var_list *read) {
  for (size_t i = 0; i < read->count; i++) {
    out_var *var = read->items[i];
    for (out_block *b = x->block; b && b != var->home; b = b->parent) {
      if (pir_map_find(&b->written, var))
        break;
      if (pir_map_find(&b->seen, var))
        continue;
      pir_map_put(&x->arena, &b->seen, var, 1);
      pir_vec_push(&x->arena, &b->captured, var);
    }
  }
}

static bool is_python(pir_str file) {
  return file.size > 3 && !memcmp(file.data + file.size - 3, ".py", 3);
}

// Writes the op's Python frames if it has them, else the Python line of its location.
static void add_callstack(exporter *x, out_op *o) {
  static const char name[] = "op_callstack";
  const pir_attr *frames = x->op ? pir_op_attr_str(x->op, name) : NULL;
  pir_loc_parts at = pir_loc_unpack(x->ctx, x->op ? pir_op_loc(x->op) : PIR_LOC_UNKNOWN);
  if (frames && pir_attr_kind_of(frames) == PIR_ATTR_ARRAY && set_text_list(x, o, name, frames))
    return;
  if (at.is_offset || !at.line || !is_python(at.file))
    return;
  pir_strbuf text;
  pir_strbuf_init(&text, &x->arena);
  pir_strbuf_format(&text, "  File \"%.*s\", line %u, in <module>", (int)at.file.size,
                    at.file.data, at.line);
  Legacy__OpDesc__Attr *a = attr_new(x, o, name, LEGACY__ATTR_TYPE__STRINGS);
  a->n_strings = 1;
  a->strings = pir_arena_alloc(&x->arena, sizeof *a->strings);
  a->strings[0] = bytes_of(x, pir_strbuf_view(&text));
}

void op_close(exporter *x, out_op *o) {
  add_callstack(x, o);
  if (o->inputs.count)
    qsort(o->inputs.items, o->inputs.count, sizeof *o->inputs.items, compare_slots);
  if (o->outputs.count)
    qsort(o->outputs.items, o->outputs.count, sizeof *o->outputs.items, compare_slots);
  if (o->attrs.count)
    qsort(o->attrs.items, o->attrs.count, sizeof *o->attrs.items, compare_attrs);
  o->desc->n_inputs = o->inputs.count;
  o->desc->inputs = o->inputs.items;
  o->desc->n_outputs = o->outputs.count;
  o->desc->outputs = o->outputs.items;
  o->desc->n_attrs = o->attrs.count;
  o->desc->attrs = o->attrs.items;
  capture(x, &o->read);
  for (size_t i = 0; i < o->written.count; i++)
    pir_map_put(&x->arena, &x->block->written, o->written.items[i], 1);
  pir_vec_push(&x->arena, &x->block->ops, o->desc);
}

void op_assign(exporter *x, out_var *from, out_var *to) {
  out_op *o = op_open(x, "assign");
  op_input(x, o, "X", &from, 1);
  op_output(x, o, "Out", &to, 1);
  op_close(x, o);
}
