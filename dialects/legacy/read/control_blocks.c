// Translates control flow. A conditional_block becomes an `if` with an added false branch: a
// variable that existed before keeps its value; other results are constants of the results'
// types, which the matching select_input never reads. A `while` carries its outputs except the
// condition; the body captures all other variables that it reads.
#include <string.h>

#include "translate.h"

static const slot_desc *outputs_of(const op_desc *op) {
  const slot_desc *out = desc_output(op, "Out");
  return out && out->n_arguments ? out : NULL;
}

static size_t sub_block(const op_desc *op) {
  const attr_desc *a = desc_attr(op, "sub_block");
  return a && a->type == LEGACY__ATTR_TYPE__BLOCK ? (size_t)a->block_idx : 0;
}

static pir_status slot_value(translator *t, const op_desc *op, const char *name,
                             pir_value **out_value) {
  const slot_desc *slot = desc_input(op, name);
  if (!slot || slot->n_arguments != 1)
    return FAIL(t, "input slot '%s' wants one variable", name);
  *out_value = read_var(t, slot->arguments[0]);
  return *out_value ? PIR_OK : PIR_INVALID;
}

static void emit_yield(translator *t, pir_value *const *values, size_t n) {
  emit(t, "cf.yield", values, n, NULL, 0, NULL, 0);
}

// ---- if

// An `if` under construction: the variables that it defines, and their names inside its block.
typedef struct branch {
  size_t block, count;
  const char **names, **inner;
  const pir_type **types;
  kept_values *kept;
} branch;

static pir_status true_branch(translator *t, const branch *b, pir_block *into) {
  pir_value **values =
      pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, b->count, sizeof *values));
  pir_builder outer = t->builder;
  pir_status status;
  t->builder = pir_builder_at_end(into);
  t->builder.loc = outer.loc;
  pop_kept_values(t, b->block);
  status = translate_block(t, b->block, into);
  if (!status && b->kept)
    status = push_kept_values(t, b->kept);
  for (size_t i = 0; i < b->count && !status; i++) {
    values[i] = read_var(t, b->inner[i]);
    if (!values[i])
      status = PIR_INVALID;
  }
  if (!status)
    emit_yield(t, values, b->count);
  t->builder = outer;
  return status;
}

static pir_value *placeholder(translator *t, const pir_type *type) {
  int64_t dims[PIR_MAX_RANK];
  pir_shape shape = pir_type_shape(type);
  if (pir_type_kind_of(type) == PIR_TYPE_TENSOR_ARRAY)
    return emit_array(t, type);
  for (size_t i = 0; i < shape.rank; i++)
    dims[i] = shape.dims[i] < 0 ? 1 : shape.dims[i];
  return emit_full(t, (pir_shape){dims, shape.rank}, 0, pir_type_dtype(type));
}

static void false_branch(translator *t, const branch *b, pir_block *into) {
  pir_value **values =
      pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, b->count, sizeof *values));
  pir_builder outer = t->builder;
  t->builder = pir_builder_at_end(into);
  t->builder.loc = outer.loc;
  for (size_t i = b->count; i--;)
    values[i] =
        find_binding(t, b->names[i]) ? read_var(t, b->names[i]) : placeholder(t, b->types[i]);
  emit_yield(t, values, b->count);
  t->builder = outer;
}

static pir_status build_if(translator *t, const op_desc *op, branch *b) {
  pir_named_attr fake = named(t, "fake_false_branch", pir_attr_bool(t->ctx, true));
  pir_value *cond;
  scope inner;
  pir_status status;
  PIR_TRY(slot_value(t, op, "Cond", &cond));
  pir_op_spec spec = {.def = pir_context_opdef(t->ctx, PIR_STR("pd_op.if")),
                      .operands = &cond,
                      .operand_count = 1,
                      .result_types = b->types,
                      .result_count = b->count,
                      .attrs = &fake,
                      .attr_count = 1,
                      .region_count = 2};
  pir_op *result = pir_build(&t->builder, &spec);
  push_scope(t, &inner);
  status = true_branch(t, b, pir_region_append_block(pir_op_region(result, 0)));
  pop_scope(t);
  if (status)
    return status;
  false_branch(t, b, pir_region_append_block(pir_op_region(result, 1)));
  for (size_t i = 0; i < b->count; i++)
    bind(t, b->names[i], pir_op_result(result, i), -1);
  return PIR_OK;
}

// Collects the present variables of `out`.
static pir_status start_branch(translator *t, const op_desc *op, const slot_desc *out,
                               branch *b) {
  size_t n = out ? out->n_arguments : 0;
  *b = (branch){
      .block = sub_block(op),
      .names = pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, n, sizeof *b->names)),
      .inner = pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, n, sizeof *b->inner)),
      .types = pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, n, sizeof *b->types))};
  if (!b->block)
    return FAIL(t, "attribute 'sub_block' is missing");
  for (size_t i = 0; i < n; i++) {
    if (!strcmp(out->arguments[i], "@EMPTY@"))
      continue;
    b->names[b->count] = b->inner[b->count] = out->arguments[i];
    b->types[b->count] = name_type(t, out->arguments[i]);
    if (!b->types[b->count++])
      return PIR_INVALID;
  }
  return PIR_OK;
}

pir_status translate_if(translator *t, const op_desc *op) {
  branch b;
  PIR_TRY(start_branch(t, op, outputs_of(op), &b));
  b.kept = plan_kept_values(t, b.block, outputs_of(op));
  return build_if(t, op, &b);
}

// Outside, the summands of a gradient have names of their own ("x@GRAD@RENAME@block0@0").
pir_status translate_if_grad(translator *t, const op_desc *op) {
  branch b;
  PIR_TRY(start_branch(t, op, desc_output(op, "Input@GRAD"), &b));
  for (size_t i = 0; i < b.count; i++) {
    const char *mark = strstr(b.names[i], "@RENAME@block");
    char *inner = pir_arena_copy(&t->arena, b.names[i], strlen(b.names[i]) + 1);
    if (mark)
      inner[mark - b.names[i]] = 0;
    b.inner[i] = inner;
  }
  return build_if(t, op, &b);
}

// ---- while

// The loop's variables: its outputs without the condition.
typedef struct loop {
  const char *condition;
  const char **names;
  pir_value **values;
  const pir_type **types;
  size_t count;
} loop;

// Returns the initial value of a loop variable; an array that only the loop writes starts
// empty.
static pir_value *initial_value(translator *t, const char *name) {
  const pir_type *type;
  if (find_binding(t, name))
    return read_var(t, name);
  type = name_type(t, name);
  if (type && pir_type_kind_of(type) == PIR_TYPE_TENSOR_ARRAY)
    return emit_array(t, type);
  return type ? read_var(t, name) : NULL;
}

static pir_status find_loop(translator *t, const op_desc *op, loop *l) {
  const slot_desc *out = outputs_of(op), *condition = desc_input(op, "Condition");
  size_t n = out ? out->n_arguments : 0;
  if (!condition || condition->n_arguments != 1)
    return FAIL(t, "input slot 'Condition' wants one variable");
  *l = (loop){
      .condition = condition->arguments[0],
      .names = pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, n, sizeof *l->names)),
      .values = pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, n + 1, sizeof *l->values)),
      .types = pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, n, sizeof *l->types))};
  for (size_t i = 0; i < n; i++) {
    if (!strcmp(out->arguments[i], l->condition))
      continue;
    l->names[l->count] = out->arguments[i];
    l->values[l->count + 1] = initial_value(t, out->arguments[i]);
    if (!l->values[l->count + 1])
      return PIR_INVALID;
    l->types[l->count] = pir_value_type(l->values[l->count + 1]);
    l->count++;
  }
  l->values[0] = read_var(t, l->condition);
  return l->values[0] ? PIR_OK : PIR_INVALID;
}

static pir_status translate_loop_body(translator *t, size_t block, loop *l, pir_block *into) {
  pir_builder outer = t->builder;
  pir_status status;
  for (size_t i = 0; i < l->count; i++)
    bind(t, l->names[i], pir_block_add_argument(into, l->types[i]), -1);
  status = translate_block(t, block, into);
  t->builder = pir_builder_at_end(into);
  t->builder.loc = outer.loc;
  for (size_t i = 0; i <= l->count && !status; i++) {
    l->values[i] = read_var(t, i ? l->names[i - 1] : l->condition);
    if (!l->values[i])
      status = PIR_INVALID;
  }
  if (!status)
    emit_yield(t, l->values, l->count + 1);
  t->builder = outer;
  return status;
}

pir_status translate_while(translator *t, const op_desc *op) {
  size_t block = sub_block(op);
  scope inner;
  pir_status status;
  loop l = {0};
  if (!block)
    return FAIL(t, "attribute 'sub_block' is missing");
  PIR_TRY(find_loop(t, op, &l));
  pir_op_spec spec = {.def = pir_context_opdef(t->ctx, PIR_STR("pd_op.while")),
                      .operands = l.values,
                      .operand_count = l.count + 1,
                      .result_types = l.types,
                      .result_count = l.count,
                      .region_count = 1};
  pir_op *result = pir_build(&t->builder, &spec);
  push_scope(t, &inner);
  status = translate_loop_body(t, block, &l, pir_region_append_block(pir_op_region(result, 0)));
  pop_scope(t);
  for (size_t i = 0; i < l.count && !status; i++)
    bind(t, l.names[i], pir_op_result(result, i), -1);
  return status;
}
