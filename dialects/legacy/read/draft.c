// Translates a generic op: operands, result types and attributes in declared order, each found
// through the names in the op's legacy row. An attribute operand comes from a tensor slot if
// the file has one, else from a constant made of the legacy attribute.
#include <string.h>

#include <pir/layer/lower.h>

#include <strbuf.h>

#include "translate.h"

// ---- building blocks

pir_named_attr named(translator *t, const char *name, const pir_attr *value) {
  return (pir_named_attr){pir_name_get(t->ctx, pir_str_from(name)), value};
}

pir_op *emit(translator *t, const char *name, pir_value *const *operands, size_t operand_count,
             const pir_type *const *types, size_t type_count, const pir_named_attr *attrs,
             size_t attr_count) {
  pir_op_spec spec = {.def = pir_context_opdef(t->ctx, pir_str_from(name)),
                      .operands = operands,
                      .operand_count = operand_count,
                      .result_types = types,
                      .result_count = type_count,
                      .attrs = attrs,
                      .attr_count = attr_count};
  return pir_build(&t->builder, &spec);
}

pir_value *emit_full(translator *t, pir_shape shape, double value, pir_dtype dtype) {
  const pir_type *type = pir_type_tensor(t->ctx, dtype, shape);
  pir_named_attr attrs[] = {
      named(t, "shape", pir_attr_int_array(t->ctx, shape.dims, shape.rank)),
      named(t, "value", pir_attr_float(t->ctx, PIR_ATTR_F64, value)),
      named(t, "dtype", pir_attr_dtype(t->ctx, dtype)),
      named(t, "place", pir_attr_place(t->ctx, (pir_place){.kind = 1})),
      named(t, "stop_gradient", pir_attr_flag(t->ctx, true))};
  return pir_op_result(emit(t, "pd_op.full", NULL, 0, &type, 1, attrs, 5), 0);
}

pir_value *emit_number(translator *t, double value, pir_dtype dtype) {
  static const int64_t one = 1;
  return emit_full(t, (pir_shape){&one, 1}, value, dtype);
}

pir_value *emit_ints(translator *t, const int64_t *values, size_t n) {
  int64_t count = (int64_t)n;
  const pir_type *type = pir_type_tensor(t->ctx, PIR_I64, (pir_shape){&count, 1});
  const pir_attr **items =
      pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, n, sizeof *items));
  for (size_t i = 0; i < n; i++)
    items[i] = pir_attr_int(t->ctx, PIR_ATTR_I64, values[i]);
  pir_named_attr attrs[] = {named(t, "value", pir_attr_array(t->ctx, items, n)),
                            named(t, "dtype", pir_attr_dtype(t->ctx, PIR_I64)),
                            named(t, "place", pir_attr_place(t->ctx, (pir_place){.kind = 1})),
                            named(t, "stop_gradient", pir_attr_flag(t->ctx, true))};
  return pir_op_result(emit(t, "pd_op.full_int_array", NULL, 0, &type, 1, attrs, 4), 0);
}

pir_value *emit_reshape(translator *t, pir_value *x, pir_value *shape, const int64_t *dims,
                        size_t rank) {
  const pir_type *type =
      pir_type_tensor(t->ctx, pir_type_dtype(pir_value_type(x)), (pir_shape){dims, rank});
  pir_named_attr stop = named(t, "stop_gradient", pir_attr_flag(t->ctx, true));
  return pir_op_result(
      emit(t, "pd_op.reshape", (pir_value *[]){x, shape}, 2, &type, 1, &stop, 1), 0);
}

pir_value *emit_array(translator *t, const pir_type *type) {
  static const int64_t empty = 0;
  pir_tensor_spec spec = pir_type_spec(type);
  spec.shape = (pir_shape){&empty, 1};
  type = pir_type_tensor_like(t->ctx, PIR_TYPE_TENSOR_ARRAY, &spec);
  pir_named_attr attrs[] = {named(t, "dtype", pir_attr_dtype(t->ctx, spec.dtype)),
                            named(t, "stop_gradient", pir_attr_flag(t->ctx, true))};
  return pir_op_result(emit(t, "pd_op.create_array", NULL, 0, &type, 1, attrs, 2), 0);
}

pir_value *emit_combine(translator *t, pir_value *const *values, size_t n) {
  const pir_type **types =
      pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, n, sizeof *types));
  const pir_type *vec;
  for (size_t i = 0; i < n; i++)
    types[i] = pir_value_type(values[i]);
  vec = pir_type_vector(t->ctx, types, n);
  return pir_op_result(emit(t, "builtin.combine", values, n, &vec, 1, NULL, 0), 0);
}

pir_value *combine_vars(translator *t, const slot_desc *slot) {
  size_t n = slot->n_arguments;
  pir_value **values = pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, n, sizeof *values));
  for (size_t i = 0; i < n; i++) {
    values[i] = read_var(t, slot->arguments[i]);
    if (!values[i])
      return NULL;
  }
  if (n == 1 && pir_type_kind_of(pir_value_type(values[0])) == PIR_TYPE_TENSOR_ARRAY)
    return values[0];
  return emit_combine(t, values, n);
}

// ---- which op

pir_map input_names(translator *t, const op_desc *op) {
  pir_map names = {0};
  for (size_t i = 0; i < op->n_inputs; i++)
    for (size_t k = 0; k < op->inputs[i]->n_arguments; k++)
      pir_map_put(&t->arena, &names,
                  pir_name_get(t->ctx, pir_str_from(op->inputs[i]->arguments[k])), 1);
  return names;
}

bool is_inplace(translator *t, const op_desc *op) {
  pir_map inputs = input_names(t, op);
  bool found = false;
  for (size_t i = 0; i < op->n_outputs && !found; i++)
    for (size_t k = 0; k < op->outputs[i]->n_arguments && !found; k++) {
      const char *name = op->outputs[i]->arguments[k];
      found = strcmp(name, "@EMPTY@") &&
              pir_map_find(&inputs, pir_name_get(t->ctx, pir_str_from(name)));
    }
  pir_map_free(&t->arena, &inputs);
  return found;
}

static pir_status start(draft *d, translator *t, const op_desc *op, const pir_legacy_op *row,
                        const pir_opdef *def) {
  memset(d, 0, sizeof *d);
  *d = (draft){.t = t, .op = op, .row = row, .def = def};
  if (def->operand_count > DRAFT_MAX || def->result_count > DRAFT_MAX ||
      def->attr_count >= DRAFT_MAX)
    return UNSUPPORTED(t, "an op of more than %d operands or attributes", DRAFT_MAX);
  return PIR_OK;
}

const pir_opdef *registered_def(translator *t, const char *dialect, const char *name) {
  pir_strbuf text;
  pir_strbuf_init(&text, &t->arena);
  pir_strbuf_format(&text, "%s%s", dialect, name);
  const pir_opdef *def = pir_context_opdef(t->ctx, pir_strbuf_view(&text));
  pir_strbuf_free(&text);
  return def->traits & PIR_REGISTERED ? def : NULL;
}

bool is_known(translator *t, const char *type) {
  return find_special(type) || pir_legacy_find(pir_str_from(type)) ||
         registered_def(t, "custom_op.", type);
}

// An op with use_mkldnn becomes the op of the same name in onednn_op, if there is one.
static const pir_opdef *choose_def(translator *t, const op_desc *op, const pir_legacy_op *row) {
  const pir_opdef *def = row->twin && is_inplace(t, op) ? row->twin : row->def, *other = NULL;
  if (op_bool(op, "use_mkldnn", false) || op_bool(op, "use_onednn", false))
    other = registered_def(t, "onednn_op", strchr(def->name, '.'));
  return other ? other : def;
}

pir_status draft_start(draft *d, translator *t, const op_desc *op) {
  const pir_legacy_op *row = pir_legacy_find(pir_str_from(op->type));
  const pir_opdef *custom = row ? NULL : registered_def(t, "custom_op.", op->type);
  if (!row && !custom)
    return UNSUPPORTED(t, "op '%s'", op->type);
  return start(d, t, op, row, row ? choose_def(t, op, row) : custom);
}

pir_status draft_start_as(draft *d, translator *t, const op_desc *op, const char *declared) {
  const pir_opdef *def = pir_context_opdef(t->ctx, pir_str_from(declared));
  if (!(def->traits & PIR_REGISTERED))
    return UNSUPPORTED(t, "op '%s', which becomes %s", op->type, declared);
  return start(d, t, op, NULL, def);
}

// Returns the row's entry for `name`: the one at `position`, unless the op is of another
// dialect than the row.
typedef int (*find_fn)(const pir_opdef *def, pir_str name);
static int row_position(const draft *d, find_fn find, size_t position, const char *name) {
  if (!d->row)
    return -1;
  bool same = d->def == d->row->def || d->def == d->row->twin;
  return same ? (int)position : find(d->row->def, pir_str_from(name));
}

// Returns the legacy name at a position of the row; the default for a slot is the operand's
// name with a capital.
static const char *slot_name(draft *d, const char *const *names, int i, const char *declared) {
  char *name;
  if (names && i >= 0)
    return names[i] ? names[i] : declared;
  name = pir_arena_copy(&d->t->arena, declared, strlen(declared) + 1);
  if (*name >= 'a' && *name <= 'z')
    *name = (char)(*name - 'a' + 'A');
  return name;
}

// The newest ops use PIR names for slots, "x" and "x@GRAD"; these are tried last.
static const char *new_slot_name(draft *d, const char *declared) {
  static const char suffix[] = "_grad", mark[] = "@GRAD";
  size_t size = strlen(declared), kept = size - (sizeof suffix - 1);
  if (size < sizeof suffix || strcmp(declared + kept, suffix))
    return declared;
  char *name = pir_arena_copy(&d->t->arena, declared, size + 1);
  memcpy(name + kept, mark, sizeof mark);
  return name;
}

// ---- operands

static const slot_desc *fed(const op_desc *op, const char *slot) {
  const slot_desc *s = slot ? desc_input(op, slot) : NULL;
  return s && s->n_arguments ? s : NULL;
}

static bool read_value_operand(draft *d, size_t i) {
  const pir_operand_def *def = &d->def->operands[i];
  int position = row_position(d, pir_opdef_operand, i, def->name);
  const char *name = slot_name(d, d->row ? d->row->operands : NULL, position, def->name);
  const slot_desc *slot = fed(d->op, name);
  if (!slot)
    slot = fed(d->op, new_slot_name(d, def->name));
  if (!slot) {
    if (def->flags & PIR_OPERAND_OPTIONAL)
      return true;
    (void)FAIL(d->t, "input slot '%s' is empty", name);
    return false;
  }
  if (!(def->flags & PIR_OPERAND_VARIADIC) && slot->n_arguments > 1) {
    (void)FAIL(d->t, "input slot '%s' has %zu variables, expected one", name,
               slot->n_arguments);
    return false;
  }
  d->operands[i] = def->flags & PIR_OPERAND_VARIADIC ? combine_vars(d->t, slot)
                                                     : read_var(d->t, slot->arguments[0]);
  return d->operands[i] != NULL;
}

static bool list_operand(draft *d, size_t i, const attr_desc *a) {
  const pir_attr_def *literal = d->def->operands[i].literal;
  int64_t *values;
  size_t n;
  if (a && !attr_ints(d->t, a, &values, &n)) {
    (void)FAIL(d->t, "attribute '%s' is no list of integers", a->name);
    return false;
  }
  d->operands[i] =
      a ? emit_ints(d->t, values, n) : emit_ints(d->t, literal->ints, literal->int_count);
  return true;
}

static bool number_operand(draft *d, size_t i, const attr_desc *a) {
  const pir_attr_def *literal = d->def->operands[i].literal;
  number n;
  bool text = a && attr_decimal(d->t, a, &n);
  if (text)
    n.dtype = PIR_F64;
  if (a && !text && !attr_number(a, &n)) {
    (void)FAIL(d->t, "attribute '%s' is no number", a->name);
    return false;
  }
  if (!a) {
    n.dtype = pir_operand_dtype(&d->def->operands[i]);
    n.f = pir_dtype_is_float(n.dtype) ? literal->f : (double)literal->i;
  }
  d->operands[i] = emit_number(d->t, n.f, n.dtype);
  return true;
}

static const char *optional_name(const char *const *names, int i) {
  return names && i >= 0 ? names[i] : NULL;
}

static bool attr_operand(draft *d, size_t i) {
  static const pir_legacy_op no_row;
  const pir_legacy_op *row = d->row ? d->row : &no_row;
  const pir_operand_def *def = &d->def->operands[i];
  bool list = def->flags & PIR_OPERAND_INTARRAY;
  int position = row_position(d, pir_opdef_operand, i, def->name);
  const slot_desc *slot = fed(d->op, optional_name(row->tensors_slots, position));
  const char *attr = optional_name(row->operand_attrs, position);
  if (!attr)
    attr = def->name;
  const attr_desc *a = desc_attr(d->op, attr);
  if (!slot)
    slot = fed(d->op, optional_name(row->tensor_slots, position));
  if (!slot && a && desc_attr_is_variable(a)) {
    slot = fed(d->op, attr);
    list = list && a->type == LEGACY__ATTR_TYPE__VARS;
  }
  if (slot) {
    d->operands[i] = list ? combine_vars(d->t, slot) : read_var(d->t, slot->arguments[0]);
    return d->operands[i] != NULL;
  }
  if (!a && (!def->literal || def->literal->required)) {
    if (def->flags & PIR_OPERAND_OPTIONAL)
      return true;
    (void)FAIL(d->t, "attribute '%s' is missing", attr);
    return false;
  }
  return list ? list_operand(d, i, a) : number_operand(d, i, a);
}

pir_status draft_operand(draft *d, size_t i) {
  bool is_attr = d->def->operands[i].flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR);
  bool good = is_attr ? attr_operand(d, i) : read_value_operand(d, i);
  return good ? PIR_OK : PIR_INVALID;
}

pir_status draft_operands(draft *d) {
  for (size_t i = 0; i < d->def->operand_count; i++)
    PIR_TRY(draft_operand(d, i));
  return PIR_OK;
}

// ---- results

static const slot_desc *result_slot(draft *d, size_t i) {
  const char *declared = d->def->results[i].name;
  int position = row_position(d, pir_opdef_result, i, declared);
  const slot_desc *s =
      desc_output(d->op, slot_name(d, d->row ? d->row->results : NULL, position, declared));
  if (!s)
    s = desc_output(d->op, new_slot_name(d, declared));
  return s && s->n_arguments ? s : NULL;
}

static bool is_empty(const char *name) {
  return !strcmp(name, "@EMPTY@");
}

static const pir_type *vector_type(draft *d, const slot_desc *slot) {
  size_t n = slot->n_arguments;
  const pir_type **types =
      pir_arena_alloc(&d->t->arena, pir_arena_size(&d->t->arena, n, sizeof *types));
  for (size_t i = 0; i < n; i++) {
    types[i] = is_empty(slot->arguments[i]) ? NULL : name_type(d->t, slot->arguments[i]);
    if (!types[i] && !is_empty(slot->arguments[i]))
      return NULL;
  }
  return pir_type_vector(d->t->ctx, types, n);
}

pir_status draft_types(draft *d) {
  for (size_t i = 0; i < d->def->result_count; i++) {
    const slot_desc *slot = result_slot(d, i);
    bool list = d->def->results[i].flags & PIR_RESULT_VARIADIC;
    if (!slot || (!list && is_empty(slot->arguments[0])))
      continue;
    if (!list && slot->n_arguments > 1)
      return FAIL(d->t, "output slot '%s' has %zu variables, expected one", slot->parameter,
                  slot->n_arguments);
    d->types[i] = list ? vector_type(d, slot) : name_type(d->t, slot->arguments[0]);
    if (!d->types[i])
      return PIR_INVALID;
  }
  return PIR_OK;
}

// ---- attributes

void draft_set(draft *d, const char *name, const pir_attr *value) {
  pir_named_attr entry = named(d->t, name, value);
  for (size_t i = 0; i < d->attr_count; i++)
    if (d->attrs[i].name == entry.name) {
      d->attrs[i] = entry;
      return;
    }
  if (d->attr_count < DRAFT_MAX)
    d->attrs[d->attr_count++] = entry;
}

pir_status draft_attrs(draft *d) {
  return draft_attrs_but(d, "");
}

pir_status draft_attrs_but(draft *d, const char *skipped) {
  for (size_t i = 0; i < d->def->attr_count; i++) {
    const pir_attr_def *def = &d->def->attrs[i];
    if (!strcmp(def->name, skipped))
      continue;
    const char *old =
        d->row ? optional_name(d->row->attrs, row_position(d, pir_opdef_attr, i, def->name))
               : NULL;
    const char *name = old ? old : def->name;
    const attr_desc *a = desc_attr(d->op, name);
    if (a && desc_attr_is_variable(a))
      return UNSUPPORTED(d->t, "attribute '%s' given by a variable", name);
    const pir_attr *value = a ? convert_attr(d->t, a, def) : absent_attr(d->t, def);
    if (!value)
      return a ? FAIL(d->t, "attribute '%s' does not fit its declared kind", name)
               : FAIL(d->t, "attribute '%s' is missing", name);
    draft_set(d, def->name, value);
  }
  return PIR_OK;
}

// ---- the op

static void bind_result(draft *d, size_t i, pir_value *value) {
  const slot_desc *slot = result_slot(d, i);
  bool list = d->def->results[i].flags & PIR_RESULT_VARIADIC;
  if (!slot || !d->types[i])
    return;
  for (size_t k = 0; k < slot->n_arguments; k++)
    if (!is_empty(slot->arguments[k]))
      bind(d->t, slot->arguments[k], value, list ? (int32_t)k : -1);
}

pir_op *draft_create(draft *d) {
  pir_op_spec spec = {.def = d->def,
                      .operands = d->operands,
                      .operand_count = d->def->operand_count,
                      .result_types = d->types,
                      .result_count = d->def->result_count,
                      .attrs = d->attrs,
                      .attr_count = d->attr_count};
  pir_op *op = pir_build(&d->t->builder, &spec);
  for (size_t i = 0; i < d->def->result_count; i++)
    bind_result(d, i, pir_op_result(op, i));
  return op;
}

pir_status draft_finish(draft *d) {
  PIR_TRY(draft_operands(d));
  PIR_TRY(draft_types(d));
  PIR_TRY(draft_attrs(d));
  draft_create(d);
  return PIR_OK;
}

pir_status translate_generic(translator *t, const op_desc *op) {
  draft d;
  PIR_TRY(draft_start(&d, t, op));
  return draft_finish(&d);
}
