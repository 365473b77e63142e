// Upgrades ops of an older text to their present declarations, by the tables alone. An operand
// that was an attribute becomes a constant. An attribute that was renamed since gets its
// present name (the former one is the name in .pdmodel). Results that no longer exist are
// dropped if nothing uses them. One walk; an op that changes is created again.
#include <pir/compiler/load.h>

#include <arena.h>
#include <pir/compiler/build.h>
#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/legacy_table.h>
#include <pir/layer/lower.h>
#include <pir/compiler/walk.h>

#include <stdlib.h>
#include <string.h>

static pir_value *build_constant(pir_builder *b, uint32_t id, const pir_type *type,
                                 const pir_attr *const *declared) {
  const pir_opdef *def = pir_context_op(b->ctx, id);
  pir_op_spec spec = {.def = def, .result_types = &type, .result_count = 1};
  pir_op *op = pir_build(b, &spec);
  for (size_t i = 0; i < def->attr_count; i++)
    pir_op_set_attr_at(op, i, declared[i]);
  pir_op_set_attr(op, pir_name_get(b->ctx, PIR_STR("stop_gradient")),
                  pir_attr_flag(b->ctx, true));
  return pir_op_result(op, 0);
}

// Reads the integers of a list attribute into `items`; false if it holds something else.
static bool list_items(pir_context *ctx, const pir_attr *attr, const pir_attr **items) {
  bool packed = pir_attr_kind_of(attr) == PIR_ATTR_INT_ARRAY;
  for (size_t i = 0; i < pir_attr_elements(attr); i++) {
    int64_t value = packed ? pir_attr_int_array_data(attr)[i] : 0;
    if (!packed && !pir_attr_as_int(pir_attr_element(attr, i), &value))
      return false;
    items[i] = pir_attr_int(ctx, PIR_ATTR_I64, value);
  }
  return true;
}

static pir_value *constant_list(pir_builder *b, const pir_attr *attr) {
  pir_attr_kind kind = pir_attr_kind_of(attr);
  if (kind != PIR_ATTR_INT_ARRAY && kind != PIR_ATTR_ARRAY)
    return NULL;
  size_t n = pir_attr_elements(attr);
  int64_t count = (int64_t)n;
  pir_arena *arena = pir_context_arena(b->ctx);
  size_t bytes = pir_arena_size(arena, n + 1, sizeof(pir_attr *));
  const pir_attr **items = pir_arena_zalloc(arena, bytes);
  pir_value *made = NULL;
  if (list_items(b->ctx, attr, items)) {
    const pir_attr *declared[] = {pir_attr_array(b->ctx, items, n),
                                  pir_attr_dtype(b->ctx, PIR_I64),
                                  pir_attr_place(b->ctx, (pir_place){.kind = 1})};
    made = build_constant(b, PD_FULL_INT_ARRAY,
                          pir_type_tensor(b->ctx, PIR_I64, (pir_shape){&count, 1}), declared);
  }
  pir_arena_free(arena, items, bytes);
  return made;
}

static pir_value *constant_number(pir_builder *b, const pir_attr *attr,
                                  const pir_operand_def *def) {
  static const int64_t one = 1;
  double value;
  if (!pir_attr_as_float(attr, &value))
    return NULL;
  pir_dtype dtype = pir_operand_dtype(def);
  const pir_attr *declared[] = {
      pir_attr_int_array(b->ctx, &one, 1), pir_attr_float(b->ctx, PIR_ATTR_F64, value),
      pir_attr_dtype(b->ctx, dtype), pir_attr_place(b->ctx, (pir_place){.kind = 1})};
  return build_constant(b, PD_FULL, pir_type_tensor(b->ctx, dtype, (pir_shape){&one, 1}),
                        declared);
}

// Returns the attribute that holds operand `i`, by its present or former name.
static const pir_attr *attr_of_operand(const pir_op *op, size_t i, pir_name **out_name) {
  const pir_opdef *def = pir_op_def(op);
  const char *old =
      def->legacy && def->legacy->operand_attrs ? def->legacy->operand_attrs[i] : NULL;
  const char *names[] = {def->operands[i].name, old};
  for (size_t n = 0; n < 2; n++) {
    const pir_attr *attr = names[n] ? pir_op_attr_str(op, names[n]) : NULL;
    if (!attr)
      continue;
    *out_name = pir_name_get(pir_op_context(op), pir_str_from(names[n]));
    return attr;
  }
  return NULL;
}

// How `persistable` was spelled before.
static void respell(pir_op *op) {
  static const char *const spellings[] = {"is_persisable", "is_persistable"};
  pir_context *ctx = pir_op_context(op);
  for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
    const pir_attr *value = pir_op_attr_str(op, spellings[i]);
    if (!value)
      continue;
    pir_op_set_attr(op, pir_name_get(ctx, pir_str_from(spellings[i])), NULL);
    if (!pir_op_attr_str(op, "persistable"))
      pir_op_set_attr(op, pir_name_get(ctx, PIR_STR("persistable")), value);
  }
}

// Returns the op's present definition: under another name if the former one is gone.
static const pir_opdef *definition_now(const pir_op *op) {
  return pir_str_equal(pir_op_name(op), PIR_STR("builtin.get_parameter"))
             ? pir_context_op(pir_op_context(op), BUILTIN_PARAMETER)
             : pir_op_def(op);
}

// Fills missing declared attributes from their former names.
static void rename_attrs(pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  pir_context *ctx = pir_op_context(op);
  for (size_t i = 0; def->legacy && def->legacy->attrs && i < def->attr_count; i++) {
    const char *old = def->legacy->attrs[i];
    if (!old || pir_op_attr_at(op, i) || pir_opdef_attr(def, pir_str_from(old)) >= 0)
      continue;
    const pir_attr *value = pir_op_attr_str(op, old);
    if (!value)
      continue;
    pir_op_set_attr_at(op, i, value);
    pir_op_set_attr(op, pir_name_get(ctx, pir_str_from(old)), NULL);
  }
}

// Appends constants for operands that were attributes; returns the number of operands.
static size_t append_constant_operands(pir_op *op, pir_value **operands) {
  const pir_opdef *def = pir_op_def(op);
  pir_builder b = pir_builder_before(op);
  size_t count = pir_op_operands(op);
  b.loc = pir_op_loc(op);
  for (size_t i = 0; i < count; i++)
    operands[i] = pir_op_operand(op, i);
  for (; count < def->operand_count; count++) {
    const pir_operand_def *want = &def->operands[count];
    pir_name *name = NULL;
    const pir_attr *attr = attr_of_operand(op, count, &name);
    if (!attr)
      break;
    operands[count] = NULL;
    if (want->flags & PIR_OPERAND_INTARRAY)
      operands[count] = constant_list(&b, attr);
    else if (want->flags & PIR_OPERAND_SCALAR)
      operands[count] = constant_number(&b, attr, want);
    if (!operands[count])
      break;
    pir_op_set_attr(op, name, NULL);
  }
  return count;
}

// Returns the number of results to keep: the declared ones, if nothing uses the others.
static size_t kept_results(const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  size_t n = pir_op_results(op), most = def->result_count;
  if (n <= most || (most && def->results[most - 1].flags & PIR_RESULT_VARIADIC))
    return n;
  for (size_t i = most; i < n; i++)
    if (!pir_value_unused(pir_op_result(op, i)))
      return n;
  return most;
}

static void make_anew(pir_op *op, const pir_opdef *def, pir_value *const *operands,
                      size_t operand_count, size_t result_count) {
  size_t attr_count = pir_op_attrs(op);
  pir_arena *arena = pir_context_arena(pir_op_context(op));
  size_t attr_bytes = pir_arena_size(arena, attr_count + 1, sizeof(pir_named_attr));
  size_t type_bytes = pir_arena_size(arena, result_count + 1, sizeof(pir_type *));
  pir_named_attr *attrs = pir_arena_zalloc(arena, attr_bytes);
  const pir_type **types = pir_arena_zalloc(arena, type_bytes);
  pir_op_attrs_sorted(op, attrs, attr_count);
  for (size_t i = 0; i < result_count; i++)
    types[i] = pir_value_type(pir_op_result(op, i));
  pir_op_spec spec = {.def = def,
                      .loc = pir_op_loc(op),
                      .operands = operands,
                      .operand_count = operand_count,
                      .result_types = types,
                      .result_count = result_count,
                      .attrs = attrs,
                      .attr_count = attr_count};
  pir_builder b = pir_builder_before(op);
  pir_op *made = pir_build(&b, &spec);
  for (size_t i = 0; i < result_count; i++)
    pir_value_replace_uses(pir_op_result(op, i), pir_op_result(made, i));
  pir_op_erase(op);
  pir_arena_free(arena, attrs, attr_bytes);
  pir_arena_free(arena, types, type_bytes);
}

static pir_walk_result upgrade_op(pir_op *op, void *user) {
  const pir_opdef *def = definition_now(op);
  respell(op);
  if (!(def->traits & PIR_REGISTERED) || pir_op_regions(op))
    return PIR_WALK_CONTINUE;
  rename_attrs(op);
  bool renamed = def != pir_op_def(op);
  size_t results = renamed ? pir_op_results(op) : kept_results(op),
         operands = pir_op_operands(op);
  if (!renamed && operands >= def->operand_count && results == pir_op_results(op))
    return PIR_WALK_CONTINUE;
  pir_arena *arena = pir_context_arena(pir_op_context(op));
  size_t most = operands > def->operand_count ? operands : def->operand_count;
  size_t bytes = pir_arena_size(arena, most + 1, sizeof(pir_value *));
  pir_value **values = pir_arena_zalloc(arena, bytes);
  size_t now = append_constant_operands(op, values);
  if (renamed || now != operands || results != pir_op_results(op))
    make_anew(op, def, values, now, results);
  pir_arena_free(arena, values, bytes);
  return PIR_WALK_CONTINUE;
}

static pir_status upgrade_program(void *user) {
  pir_program *program = user;
  (void)pir_walk(pir_program_module(program), PIR_POST_ORDER, upgrade_op, NULL);  // never stops
  pir_program_info info = pir_program_info_of(program);
  info.version = 0;
  pir_program_set_info(program, info);
  return PIR_OK;
}

pir_status pir_program_upgrade(pir_program *program) {
  if (!program)
    return PIR_INVALID;
  return pir_context_enter(pir_program_context(program), upgrade_program, program);
}

bool pir_program_is_older(const pir_program *program) {
  pir_program_info info = pir_program_info_of(program);
  return info.version && pir_str_equal(info.format, PIR_STR("text"));
}
