// Writes a generic op: applies the reader's table row backwards. A constant attribute operand
// becomes an attribute if the legacy op has one, else it is passed to the slot that takes a
// tensor or a list of tensors. A constant is written as an op only if some use needs a
// variable.
#include <string.h>

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>

#include "export.h"
#include "mapping.h"

enum { LITERAL_MAX = 4096 };  // elements of a constant that may become an attribute

const pir_legacy_op *row_of(const pir_op *op) {
  return pir_op_def(op)->legacy;
}

static const char *name_at(const char *const *names, size_t i) {
  return names ? names[i] : NULL;
}

// ---- constants

static int64_t *int_list(exporter *x, size_t n) {
  return pir_arena_alloc(&x->arena, pir_arena_size(&x->arena, n, sizeof(int64_t)));
}

static bool is_whole(double f) {
  return f >= -0x1p53 && f <= 0x1p53 && f == (double)(int64_t)f;
}

// pd_op.full: one number, or a list of equal ones.
static bool full_literal(exporter *x, const pir_op *op, bool list, literal *out) {
  const pir_attr *value = pir_op_attr_at(op, PD_FULL_ATTR_VALUE),
                 *shape = pir_op_attr_at(op, PD_FULL_ATTR_SHAPE);
  const pir_attr *place = pir_op_attr_at(op, PD_FULL_ATTR_PLACE);
  size_t rank = shape && pir_attr_kind_of(shape) == PIR_ATTR_INT_ARRAY
                    ? pir_attr_elements(shape)
                    : SIZE_MAX;
  int64_t count = 1;
  if (!value || rank > 1 ||
      (rank == 1 && (!pir_attr_int_at(shape, 0, &count) || count < 0 || count > LITERAL_MAX)))
    return false;
  if (pir_attr_kind_of(value) == PIR_ATTR_SCALAR)
    value = pir_attr_element(value, 0);
  if (!pir_attr_as_float(value, &out->f) || (!list && count != 1))
    return false;
  pir_attr_kind kind = pir_attr_kind_of(value);
  out->is_int = kind != PIR_ATTR_F32 && kind != PIR_ATTR_F64 && pir_attr_as_int(value, &out->i);
  out->on_host = place && pir_attr_as_place(place).kind == 1;
  out->count = (size_t)count;
  if (!list)
    return true;
  if (!out->is_int && !is_whole(out->f))
    return false;
  int64_t *ints = int_list(x, out->count);
  for (size_t i = 0; i < out->count; i++)
    ints[i] = out->is_int ? out->i : (int64_t)out->f;
  out->ints = ints;
  return true;
}

static bool array_literal(exporter *x, const pir_op *op, bool list, literal *out) {
  const pir_attr *value = pir_op_attr_at(op, PD_FULL_INT_ARRAY_ATTR_VALUE);
  size_t n = value ? pir_attr_elements(value) : 0;
  int64_t *ints;
  if (!value || n > LITERAL_MAX || (!list && n != 1))
    return false;
  ints = int_list(x, n);
  for (size_t i = 0; i < n; i++)
    if (!pir_attr_int_at(value, i, &ints[i]))
      return false;
  *out = (literal){.ints = list ? ints : NULL, .count = n, .is_int = true, .on_host = true};
  if (!list) {
    out->i = ints[0];
    out->f = (double)ints[0];
  }
  return true;
}

static void set_real(literal *out, double value) {
  *out = (literal){.f = value};
}
static void set_int(literal *out, int64_t value) {
  *out = (literal){.f = (double)value, .i = value, .is_int = true};
}

// Reads element `i` of a parameter whose element type attributes support.
static bool element_at(const pir_param *param, size_t i, literal *out) {
  union {
    uint8_t u8;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
  } bits;
  size_t size = pir_dtype_size(param->dtype);
  if (!size || size > sizeof bits)
    return false;
  memcpy(&bits, (const char *)param->data + i * size, size);
  switch (param->dtype) {
    case PIR_BOOL: set_int(out, bits.u8 != 0); return true;
    case PIR_I32: set_int(out, bits.i32); return true;
    case PIR_I64: set_int(out, bits.i64); return true;
    case PIR_F32: set_real(out, (double)bits.f32); return true;
    case PIR_F64: set_real(out, bits.f64); return true;
    default: return false;
  }
}

// Whether no in-place op, loop or assignment writes the parameter's variable.
static bool stays_as_loaded(const exporter *x, const pir_op *parameter) {
  PIR_EACH_USE(use, pir_op_result(parameter, 0)) {
    const pir_op *user = pir_use_owner(use);
    if (twin_result(user, pir_use_operand_index(use)) || pir_op_has(user, PIR_CONTROL))
      return false;
  }
  return !pir_map_find(&x->updated, pir_name_get(x->ctx, params_name(parameter)));
}

// Whether the op is a builtin.constant or a loaded builtin.parameter, as folding leaves them.
static bool loaded_literal(exporter *x, const pir_op *op, bool list, literal *out) {
  const pir_param *param = pir_program_param(x->program, params_name(op));
  size_t count =
      param && pir_dtype_size(param->dtype) ? param->size / pir_dtype_size(param->dtype) : 0;
  literal element = {0};
  if (!param || param->shape.rank > 1 || count > LITERAL_MAX || !stays_as_loaded(x, op))
    return false;
  if (!list && (count != 1 || !element_at(param, 0, out)))
    return false;
  int64_t *ints = list ? int_list(x, count) : NULL;
  for (size_t i = 0; list && i < count; i++) {
    if (!element_at(param, i, &element) || (!element.is_int && !is_whole(element.f)))
      return false;
    ints[i] = element.is_int ? element.i : (int64_t)element.f;
  }
  out->ints = ints;
  out->count = count;
  out->on_host = pir_op_is(op, BUILTIN_CONSTANT);
  out->is_parameter = !out->on_host;
  return true;
}

bool literal_of(exporter *x, const pir_value *value, bool list, literal *out) {
  const pir_op *op = value ? pir_value_op(value) : NULL;
  *out = (literal){0};
  if (!op)
    return false;
  if (pir_op_is(op, PD_FULL_INT_ARRAY))
    return array_literal(x, op, list, out);
  if (pir_op_has(op, PIR_PARAMETER) && pir_op_results(op) == 1)
    return loaded_literal(x, op, list, out);
  return pir_op_is(op, PD_FULL) && full_literal(x, op, list, out);
}

// Returns the attribute kind of an attribute operand.
static uint8_t operand_kind(const pir_legacy_op *row, const pir_operand_def *def, size_t i) {
  const pir_legacy_kind *kind = row->operand_kinds ? &row->operand_kinds[i] : NULL;
  if (kind && kind->kind)
    return kind->kind == PIR_ATTR_ARRAY ? kind->element_kind : kind->kind;
  if (def->flags & PIR_OPERAND_INTARRAY)
    return PIR_ATTR_I32;
  return def->literal ? def->literal->kind : PIR_ATTR_F32;
}

static bool number_fits(const literal *v, uint8_t kind, bool tensor_too) {
  int64_t i = v->is_int ? v->i : 0;
  if (!v->is_int && is_whole(v->f))
    i = (int64_t)v->f;
  else if (!v->is_int && (kind == PIR_ATTR_I32 || kind == PIR_ATTR_I64))
    return false;
  if (kind == PIR_ATTR_I32)
    return i >= INT32_MIN && i <= INT32_MAX;
  if (kind == PIR_ATTR_F32 && v->is_int && tensor_too)
    return (float)v->i < 0x1p63f && (int64_t)(float)v->i == v->i;
  return true;
}

// Whether pd_op.full made the value.
static bool is_filled(const pir_value *value) {
  const pir_op *op = value ? pir_value_op(value) : NULL;
  return op && pir_op_is(op, PD_FULL);
}

// Operands that the legacy op has as an attribute, or not at all.
static bool special_folds(exporter *x, const pir_op *op, size_t i) {
  literal v;
  if (pir_op_is(op, PD_ARANGE))  // there, the attributes have the result's type
    return is_filled(pir_op_operand(op, i)) &&
           literal_of(x, pir_op_operand(op, i), false, &v) &&
           pir_type_dtype(pir_value_type(pir_op_operand(op, i))) !=
               (pir_dtype)pir_op_int(op, PD_ARANGE_ATTR_DTYPE);
  if (pir_op_is(op, PD_RNN))
    return i == PD_RNN_IN_DROPOUT_STATE_IN;
  return pir_op_is(op, PD_FULL_WITH_TENSOR) && i == PD_FULL_WITH_TENSOR_IN_VALUE &&
         is_filled(pir_op_operand(op, i)) && literal_of(x, pir_op_operand(op, i), false, &v) &&
         v.on_host && !operand_folds(x, op, PD_FULL_WITH_TENSOR_IN_SHAPE);
}

bool operand_folds(exporter *x, const pir_op *op, size_t i) {
  const pir_opdef *def = pir_op_def(op);
  const pir_legacy_op *row = row_of(op);
  bool list, tensor_too;
  literal v;
  if (special_folds(x, op, i))
    return true;
  if (!row || i >= def->operand_count || !name_at(row->operand_attrs, i))
    return false;
  list = def->operands[i].flags & PIR_OPERAND_INTARRAY;
  tensor_too = name_at(row->tensor_slots, i) || name_at(row->tensors_slots, i);
  uint8_t kind = operand_kind(row, &def->operands[i], i);
  if (!literal_of(x, pir_op_operand(op, i), list, &v))
    return false;
  if (v.is_parameter && tensor_too)
    return false;  // trained values stay variables if possible
  if (!list)
    return number_fits(&v, kind, tensor_too) && (v.on_host || !tensor_too);
  for (size_t k = 0; k < v.count && kind != PIR_ATTR_I64; k++)
    if (v.ints[k] < INT32_MIN || v.ints[k] > INT32_MAX)
      return false;
  return true;
}

bool constant_needed(exporter *x, const pir_value *value) {
  bool used = pir_value_first_use(value);
  PIR_EACH_USE(u, (pir_value *)(uintptr_t)value) {
    if (is_swallowed(x, pir_use_owner(u)))
      continue;
    if (!operand_folds(x, pir_use_owner(u), pir_use_operand_index(u)))
      return true;
  }
  return !used;
}

// ---- operands

pir_status export_input(exporter *x, const pir_value *value, out_op *o, const char *slot) {
  out_var *var = value_var(x, value);
  if (!var)
    return PIR_UNSUPPORTED;
  op_input(x, o, slot, &var, 1);
  return PIR_OK;
}

// Paddle writes empty slots too, and its readers require them.
static void leave_empty(exporter *x, out_op *o, const char *slot) {
  if (slot && !op_has_input(o, slot))
    op_input(x, o, slot, NULL, 0);
}

static pir_status write_value_operand(exporter *x, const pir_op *op, size_t i, out_op *o) {
  const char *slot = name_at(row_of(op)->operands, i);
  const pir_value *value = pir_op_operand(op, i);
  holder *h = value ? holder_of(x, value) : NULL;
  if (!value) {
    leave_empty(x, o, slot);
    return PIR_OK;
  }
  if (!h || !slot)
    return export_unsupported(x, "operand '%s' has no slot", pir_op_def(op)->operands[i].name);
  op_input(x, o, slot, h->vars, h->count);
  return PIR_OK;
}

// Joins the members of a list into one tensor by an added op.
static out_var *joined(exporter *x, const holder *h, const pir_type *list) {
  const pir_type *first = pir_type_element(list, 0);
  int64_t n = (int64_t)h->count;
  out_op *o = op_open(x, pir_type_shape(first).rank ? "concat" : "stack");
  out_var *var =
      var_declare(x, name_make(x, "stack", 0),
                  pir_type_tensor(x->ctx, pir_type_dtype(first), (pir_shape){&n, 1}));
  op_input(x, o, "X", h->vars, h->count);
  op_set_int(x, o, "axis", 0);
  op_output(x, o, pir_type_shape(first).rank ? "Out" : "Y", &var, 1);
  op_close(x, o);
  return var;
}

// Splits a 1-D tensor into members of one element each.
static bool taken_apart(exporter *x, out_var *from, out_var **out_vars, size_t n) {
  const int64_t one = 1;
  const pir_type *type =
      pir_type_tensor(x->ctx, pir_type_dtype(from->type), (pir_shape){&one, 1});
  out_op *o = op_open(x, "split");
  op_input(x, o, "X", &from, 1);
  for (size_t i = 0; i < n; i++)
    if (!(out_vars[i] = var_declare(x, name_make(x, "split", i), type)))
      return false;
  op_set_int(x, o, "axis", 0);
  op_set_int(x, o, "num", (int32_t)n);
  op_output(x, o, "Out", out_vars, n);
  op_close(x, o);
  return true;
}

static pir_status list_slot(exporter *x, const pir_value *value, const holder *h, out_op *o,
                            const char *slot) {
  pir_shape shape = pir_type_shape(pir_value_type(value));
  if (pir_type_kind_of(pir_value_type(value)) == PIR_TYPE_VECTOR || shape.rank == 0 ||
      (shape.rank == 1 && shape.dims[0] == 1)) {
    op_input(x, o, slot, h->vars, h->count);
    return PIR_OK;
  }
  if (shape.rank != 1 || shape.dims[0] < 1 || shape.dims[0] > LITERAL_MAX)
    return export_unsupported(
        x, "slot '%s' takes a list of tensors, their number must be known", slot);
  out_var **vars = holder_new(x, (size_t)shape.dims[0])->vars;
  if (!taken_apart(x, h->vars[0], vars, (size_t)shape.dims[0]))
    return PIR_UNSUPPORTED;
  op_input(x, o, slot, vars, (size_t)shape.dims[0]);
  return PIR_OK;
}

// If numbers come as tensors, the attribute holds the same number of entries, all -1 (unknown).
static void note_unknown(exporter *x, const char *name, uint8_t kind, const pir_value *value,
                         out_op *o) {
  const pir_type *type = pir_value_type(value);
  pir_shape shape = pir_type_shape(type);
  int64_t n = shape.rank ? shape.dims[0] : 1;
  if (pir_type_kind_of(type) == PIR_TYPE_VECTOR)
    n = (int64_t)pir_type_elements(type);
  if (!name || n < 0 || n > LITERAL_MAX || op_has_attr(o, name))
    return;
  int64_t *unknown = int_list(x, (size_t)n);
  for (int64_t i = 0; i < n; i++)
    unknown[i] = -1;
  (void)op_set_ints(x, o, name, kind, unknown, (size_t)n);
}

static bool unread_parameter(const exporter *x, const pir_op *op) {
  return pir_op_has(op, PIR_PARAMETER) && !pir_program_param(x->program, params_name(op));
}

// Whether the value is a parameter that the program was read without, or a list with one.
static bool is_unread(const exporter *x, const pir_value *value) {
  const pir_op *op = pir_value_op(value);
  if (op && pir_op_is(op, BUILTIN_COMBINE)) {
    for (size_t i = 0; i < pir_op_operands(op); i++) {
      const pir_value *member = pir_op_operand(op, i);
      const pir_op *parameter = member ? pir_value_op(member) : NULL;
      if (parameter && unread_parameter(x, parameter))
        return true;
    }
    return false;
  }
  return op && unread_parameter(x, op);
}

// If a number comes as a tensor, its attribute keeps a default that nobody reads.
static void note_default(exporter *x, const char *name, uint8_t kind, out_op *o) {
  if (name && !op_has_attr(o, name))
    (void)op_set_number(x, o, name, kind, 0, 0, true);
}

// Whether a tensor may give an attribute of that kind: one number, or a row of them.
static bool gives_numbers(const pir_type *type, uint8_t kind, bool row) {
  pir_dtype dtype = pir_type_dtype(type);
  bool integer = kind == PIR_ATTR_I32 || kind == PIR_ATTR_I64;
  if (!pir_type_is_tensor(type) || (integer && dtype != PIR_I32 && dtype != PIR_I64))
    return false;
  pir_shape shape = pir_type_shape(type);
  return shape.rank == 0 || (shape.rank == 1 && (row || shape.dims[0] == 1));
}

// Whether the attribute of operand `i` may name the variables of the value. Paddle takes one
// number for a scalar, and for a list a row of them or variables of one number each. A constant
// that is left does not fit the attribute, and would not fit at the run either.
static bool names_variables(exporter *x, const pir_op *op, size_t i, const pir_value *value) {
  const pir_operand_def *def = &pir_op_def(op)->operands[i];
  const pir_type *type = pir_value_type(value);
  uint8_t kind = operand_kind(row_of(op), def, i);
  bool row = def->flags & PIR_OPERAND_INTARRAY;
  literal constant;
  if (is_unread(x, value) || literal_of(x, value, row, &constant))
    return false;
  if (pir_type_kind_of(type) != PIR_TYPE_VECTOR)
    return gives_numbers(type, kind, row);
  size_t n = row ? pir_type_elements(type) : 0;
  for (size_t k = 0; k < n; k++)
    if (!gives_numbers(pir_type_element(type, k), kind, false))
      return false;
  return n > 0;
}

static pir_status tensor_operand(exporter *x, const pir_op *op, size_t i,
                                 const pir_value *value, out_op *o) {
  const pir_legacy_op *row = row_of(op);
  const char *one = name_at(row->tensor_slots, i), *several = name_at(row->tensors_slots, i);
  holder *h = holder_of(x, value);
  const char *attr = name_at(row->operand_attrs, i);
  if (h && h->count && attr && !one && !several && names_variables(x, op, i, value)) {
    op_set_vars(x, o, attr, h, pir_type_kind_of(pir_value_type(value)) == PIR_TYPE_VECTOR);
    return PIR_OK;
  }
  if (!h || (!one && !several))
    return export_unsupported(
        x, "operand '%s' must be a constant for '%s'%s", pir_op_def(op)->operands[i].name,
        row->name, is_unread(x, value) ? "; a parameter that it needs was not read" : "");
  bool list = pir_type_kind_of(pir_value_type(value)) == PIR_TYPE_VECTOR;
  if (pir_op_def(op)->operands[i].flags & PIR_OPERAND_INTARRAY)
    note_unknown(x, name_at(row->operand_attrs, i),
                 operand_kind(row, &pir_op_def(op)->operands[i], i), value, o);
  else
    note_default(x, name_at(row->operand_attrs, i),
                 operand_kind(row, &pir_op_def(op)->operands[i], i), o);
  bool joined_here = list && value != pir_op_operand(op, i);  // the op wants the members joined
  if (several && (!one || (list && h->count > 1) || joined_here))
    return list_slot(x, value, h, o, several);
  out_var *var = h->count ? h->vars[0] : NULL;
  if (list && h->count > 1)
    var = joined(x, h, pir_value_type(value));
  if (!var)
    return export_unsupported(x, "operand '%s' is an empty list",
                              pir_op_def(op)->operands[i].name);
  op_input(x, o, one, &var, 1);
  return PIR_OK;
}

static pir_status folded_operand(exporter *x, const pir_op *op, size_t i, out_op *o) {
  const pir_legacy_op *row = row_of(op);
  const pir_operand_def *def = &pir_op_def(op)->operands[i];
  bool list = def->flags & PIR_OPERAND_INTARRAY;
  uint8_t kind = operand_kind(row, def, i);
  literal v;
  if (!literal_of(x, pir_op_operand(op, i), list, &v))
    return PIR_INTERNAL;
  bool good = list ? op_set_ints(x, o, row->operand_attrs[i], kind, v.ints, v.count)
                   : op_set_number(x, o, row->operand_attrs[i], kind, v.f, v.i, v.is_int);
  return good ? PIR_OK
              : export_unsupported(x, "operand '%s' does not fit its attribute", def->name);
}

pir_status export_operand(exporter *x, const pir_op *op, size_t i, out_op *o) {
  bool is_attr =
      pir_op_def(op)->operands[i].flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR);
  if (!is_attr)
    return write_value_operand(x, op, i, o);
  if (!pir_op_operand(op, i))
    return PIR_OK;
  const fold *f = pir_map_get(&x->folds, op);
  if (f)
    return tensor_operand(x, op, i, f->y, o);
  return operand_folds(x, op, i) ? folded_operand(x, op, i, o)
                                 : tensor_operand(x, op, i, pir_op_operand(op, i), o);
}

// Writes the tensor slots that replace attributes.
static void leave_tensor_slots(exporter *x, const pir_op *op, out_op *o) {
  const pir_legacy_op *row = row_of(op);
  for (size_t i = 0; i < pir_op_def(op)->operand_count; i++) {
    leave_empty(x, o, name_at(row->tensor_slots, i));
    leave_empty(x, o, name_at(row->tensors_slots, i));
  }
}

// ---- results

pir_status export_output(exporter *x, pir_value *value, holder *shared, out_op *o,
                         const char *slot) {
  holder *h = define(x, value, shared);
  if (!h)
    return PIR_UNSUPPORTED;
  op_output(x, o, slot, h->vars, h->count);
  return PIR_OK;
}

static holder *shared_with(exporter *x, const pir_op *op, size_t result) {
  const pir_opdef *def = pir_op_def(op);
  if (pir_op_is(op, PD_TRANSPOSE_))
    return NULL;  // a view of the same bytes in another order; the old op moves them
  for (size_t k = 0; k < def->inplace_count; k++)
    if (def->inplace[k].result == result && pir_op_operand(op, def->inplace[k].operand))
      return holder_of(x, pir_op_operand(op, def->inplace[k].operand));
  return NULL;
}

pir_status export_results(exporter *x, const pir_op *op, out_op *o) {
  for (size_t i = 0; i < pir_op_results(op); i++) {
    const char *slot = name_at(row_of(op)->results, i);
    pir_value *value = pir_op_result(op, i);
    if (!pir_value_type(value))
      continue;
    if (!slot)
      return export_unsupported(x, "result '%s' has no slot", pir_op_def(op)->results[i].name);
    PIR_TRY(export_output(x, value, shared_with(x, op, i), o, slot));
  }
  return PIR_OK;
}

// ---- attributes

static pir_legacy_kind legacy_attr_kind(const pir_legacy_op *row, const pir_attr_def *def,
                                        size_t i) {
  if (row->attr_kinds && row->attr_kinds[i].kind)
    return row->attr_kinds[i];
  return (pir_legacy_kind){def->kind, def->element_kind};
}

// Returns the value that the op implies for an attribute that it lacks; NULL leaves the legacy
// default.
static const pir_attr *default_of(exporter *x, const pir_attr_def *def) {
  if (def->required)
    return NULL;
  switch (def->kind) {
    case PIR_ATTR_BOOL: return pir_attr_bool(x->ctx, def->i);
    case PIR_ATTR_I32:
    case PIR_ATTR_I64: return pir_attr_int(x->ctx, def->kind, def->i);
    case PIR_ATTR_F32:
    case PIR_ATTR_F64: return pir_attr_float(x->ctx, def->kind, def->f);
    case PIR_ATTR_STR:
      return pir_attr_str(x->ctx, PIR_ATTR_STR, pir_str_from(def->text ? def->text : ""));
    case PIR_ATTR_INT_ARRAY:
      return def->has_ints ? pir_attr_int_array(x->ctx, def->ints, def->int_count) : NULL;
    default: return NULL;
  }
}

// Skips places: the legacy executor decides them.
static bool is_written(const pir_attr_def *def) {
  return def->kind != PIR_ATTR_PLACE && def->kind != PIR_ATTR_LAYOUT;
}

pir_status export_attrs(exporter *x, const pir_op *op, out_op *o) {
  const pir_opdef *def = pir_op_def(op);
  const pir_legacy_op *row = row_of(op);
  for (size_t i = 0; i < row->fixed_count; i++) {
    const pir_legacy_fixed *f = &row->fixed[i];
    if (f->text)
      op_set_text(x, o, f->name, pir_str_from(f->text));
    else
      (void)op_set_number(x, o, f->name, f->kind, f->value, 0, false);
  }
  for (size_t i = 0; i < def->attr_count; i++) {
    const pir_attr *value = pir_op_attr_at(op, i);
    if (!is_written(&def->attrs[i]))
      continue;
    if (!value || pir_attr_kind_of(value) == PIR_ATTR_NONE)
      value = default_of(x, &def->attrs[i]);
    if (value &&
        !op_set_attr(x, o, row->attrs[i], legacy_attr_kind(row, &def->attrs[i], i), value))
      return export_unsupported(x, "attribute '%s' does not fit '%s' of '%s'",
                                def->attrs[i].name, row->attrs[i], row->name);
  }
  return PIR_OK;
}

// ---- the op

pir_status export_as(exporter *x, const pir_op *op, const char *type, out_op **out_made) {
  const pir_opdef *def = pir_op_def(op);
  *out_made = op_open(x, type);
  if (pir_op_operands(op) != def->operand_count || pir_op_results(op) != def->result_count ||
      pir_op_regions(op))
    return export_unsupported(x, "an op of another arity than its declaration");
  for (size_t i = 0; i < def->operand_count; i++)
    PIR_TRY(export_operand(x, op, i, *out_made));
  leave_tensor_slots(x, op, *out_made);
  PIR_TRY(export_results(x, op, *out_made));
  return export_attrs(x, op, *out_made);
}

pir_status export_generic(exporter *x, const pir_op *op) {
  const pir_legacy_op *row = row_of(op);
  out_op *o;
  if (!row)
    return export_unsupported(x, "no op of a .pdmodel does this");
  PIR_TRY(export_as(x, op, row->name, &o));
  op_close(x, o);
  return PIR_OK;
}
