// The typed builder. An op is put into its block with results that have no types yet; inference
// gives them, from the facts that the builder keeps of all values, and the verifier checks the
// op. An op that fails is taken out again, with the constants that were made for it.
#include <pir/compiler/op_args.h>

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/verify.h>

#include <facts_impl.h>

#include <string.h>

struct pir_op_builder {
  pir_context *ctx;
  pir_facts *facts;
  pir_builder at;
  pir_status status;  // of the first failure
};

// ---- making and moving builders

typedef struct open_call {
  pir_program *program;
  pir_op_builder **out_builder;
} open_call;

static pir_status open_builder(void *user) {
  const open_call *call = user;
  pir_facts *facts;
  PIR_TRY(pir_facts_create(call->program, &facts));
  pir_arena *arena = &facts->arena;  // both end together
  pir_op_builder *b = pir_arena_zalloc(arena, sizeof *b);
  b->ctx = pir_program_context(call->program);
  b->facts = facts;
  b->at = pir_builder_at_end(pir_program_block(call->program));
  *call->out_builder = b;
  return PIR_OK;
}

pir_status pir_op_builder_create(pir_program *program, pir_op_builder **out_builder) {
  if (!program || !out_builder)
    return PIR_INVALID;
  *out_builder = NULL;
  open_call call = {program, out_builder};
  return pir_context_enter(pir_program_context(program), open_builder, &call);
}

void pir_op_builder_destroy(pir_op_builder *b) {
  if (b)
    pir_facts_destroy(b->facts);
}

pir_status pir_op_builder_status(const pir_op_builder *b) {
  return b->status;
}

void pir_op_builder_move(pir_op_builder *b, pir_builder at) {
  b->at = at;
}

pir_op_builder *pir_op_builder_place(pir_op_builder *b, const char *file, uint32_t line) {
  b->at.loc = pir_loc_text(b->ctx, pir_str_from(file), line, 0);
  return b;
}

// ---- attributes

// Reports a fault of an operand or attribute.
static pir_status refuse(const pir_op_builder *b, const pir_opdef *def, const char *what,
                         const char *name, const char *why) {
  return pir_report(b->ctx, PIR_INVALID, PIR_ERROR, b->at.loc, "\"%s\" %s %s%s", def->name,
                    what, name, why);
}

// The definition of an op; NULL, reported, in a context that lacks its dialect.
static pir_status find_def(const pir_op_builder *b, uint32_t op_id, const pir_opdef **out_def) {
  *out_def = pir_context_op(b->ctx, op_id);
  if (*out_def)
    return PIR_OK;
  return pir_report(b->ctx, PIR_INVALID, PIR_ERROR, b->at.loc,
                    "no dialect declares an op of number 0x%x", op_id);
}

static const pir_attr *built_int(pir_context *ctx, pir_attr_kind kind, int64_t value) {
  switch (kind) {
    case PIR_ATTR_BOOL: return pir_attr_bool(ctx, value != 0);
    case PIR_ATTR_DTYPE:
      return value >= 0 && value < PIR_DTYPE_COUNT ? pir_attr_dtype(ctx, (pir_dtype)value)
                                                   : NULL;
    case PIR_ATTR_PLACE: return pir_attr_place(ctx, (pir_place){.kind = (int)value});
    case PIR_ATTR_F32:
    case PIR_ATTR_F64: return pir_attr_float(ctx, kind, (double)value);
    case PIR_ATTR_SCALAR: return pir_attr_float(ctx, PIR_ATTR_F64, (double)value);
    default: return pir_attr_int(ctx, pir_attr_kind_is_int(kind) ? kind : PIR_ATTR_I64, value);
  }
}

static const pir_attr *built_float(pir_context *ctx, pir_attr_kind kind, double value) {
  return pir_attr_float(ctx, kind == PIR_ATTR_F32 ? kind : PIR_ATTR_F64, value);
}

static const pir_attr *built_text(pir_context *ctx, pir_attr_kind kind, const char *text) {
  pir_str str = pir_str_from(text);
  if (kind == PIR_ATTR_LAYOUT) {
    pir_layout layout = pir_layout_from_name(str);
    return layout == PIR_LAYOUT_NONE ? NULL : pir_attr_layout(ctx, layout);
  }
  return pir_attr_str(ctx, kind == PIR_ATTR_TENSOR_NAME ? kind : PIR_ATTR_STR, str);
}

static const pir_attr *built_element(pir_context *ctx, pir_attr_kind kind,
                                     const pir_op_arg *arg, size_t i) {
  if (arg->kind == PIR_ARG_INTS)
    return built_int(ctx, kind, arg->of.ints[i]);
  if (arg->kind == PIR_ARG_FLOATS)
    return built_float(ctx, kind, arg->of.floats[i]);
  return built_text(ctx, kind, arg->of.texts[i]);
}

static const pir_attr *built_array(pir_op_builder *b, const pir_attr_def *def,
                                   const pir_op_arg *arg) {
  pir_arena *arena = pir_context_arena(b->ctx);
  size_t size = pir_arena_size(arena, arg->count, sizeof(pir_attr *));
  const pir_attr **elements = pir_arena_alloc(arena, size);
  for (size_t i = 0; i < arg->count; i++)
    elements[i] = built_element(b->ctx, (pir_attr_kind)def->element_kind, arg, i);
  const pir_attr *list = pir_attr_array(b->ctx, elements, arg->count);
  pir_arena_free(arena, elements, size);
  return list;
}

// Makes the attribute that `arg` gives; NULL when its kind has no such value. The verifier
// checks the kind.
static const pir_attr *given_attr(pir_op_builder *b, const pir_attr_def *def,
                                  const pir_op_arg *arg) {
  pir_attr_kind kind = (pir_attr_kind)def->kind;
  switch ((pir_op_arg_kind)arg->kind) {
    case PIR_ARG_INT: return built_int(b->ctx, kind, arg->i);
    case PIR_ARG_FLOAT: return built_float(b->ctx, kind, arg->f);
    case PIR_ARG_TEXT: return built_text(b->ctx, kind, arg->of.text);
    case PIR_ARG_ATTR: return arg->of.attr;
    case PIR_ARG_INTS:
      if (arg->value)
        return NULL;
      if (kind == PIR_ATTR_INT_ARRAY)
        return pir_attr_int_array(b->ctx, arg->of.ints, arg->count);
      return built_array(b, def, arg);
    case PIR_ARG_FLOATS:
    case PIR_ARG_TEXTS: return built_array(b, def, arg);
    default: return NULL;
  }
}

// ---- one op

typedef struct new_op {
  const pir_opdef *def;
  const pir_type *type;  // of the only result; NULL: inferred
  pir_value *operands[UINT8_MAX];
  const pir_attr *attrs[UINT8_MAX];
} new_op;

static const pir_attr *attr_named(const new_op *n, const char *name) {
  int at = pir_opdef_attr(n->def, pir_str_from(name));
  return at < 0 ? NULL : n->attrs[at];
}

// The type of a feed whose attributes say it.
static const pir_type *stated_type(const pir_op_builder *b, const new_op *n) {
  const pir_attr *shape = attr_named(n, "shape"), *dtype = attr_named(n, "dtype");
  if (n->type || !(n->def->traits & PIR_INPUT) || !shape || !dtype ||
      pir_attr_kind_of(shape) != PIR_ATTR_INT_ARRAY || pir_attr_elements(shape) > PIR_MAX_RANK)
    return n->type;
  pir_shape dims = {pir_attr_int_array_data(shape), pir_attr_elements(shape)};
  return pir_type_tensor(b->ctx, pir_attr_as_dtype(dtype), dims);
}

// Whether result `i` may have no type: it is optional, or the gradient of an absent operand.
static bool lacks_type(const pir_op *op, size_t i) {
  const pir_opdef *def = pir_op_def(op);
  if (i >= def->result_count)
    return false;
  if (def->results[i].flags & (PIR_RESULT_OPTIONAL | PIR_RESULT_INTERMEDIATE))
    return true;
  int operand = pir_opdef_gradient_of(def, i);
  return operand >= 0 && !pir_op_operand(op, (size_t)operand);
}

// Gives each result the type that its fact states.
static pir_status take_types(const pir_op_builder *b, const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_value *value = pir_op_result(op, i);
    const pir_fact *fact = pir_facts_of(b->facts, value);
    const pir_result_def *result = &def->results[i < def->result_count ? i : 0];
    if (pir_value_type(value))
      continue;
    if (fact->known && (fact->members || (fact->rank >= 0 && fact->dtype != PIR_UNDEFINED)))
      pir_value_set_type(value, pir_fact_type(b->ctx, b->facts->dims, fact));
    else if (!lacks_type(op, i))
      return pir_report(b->ctx, PIR_UNSUPPORTED, PIR_ERROR, b->at.loc,
                        "unsupported: \"%s\": the type of result %s is not inferred", def->name,
                        result->name);
  }
  return PIR_OK;
}

static pir_status check_built(const pir_op_builder *b, const pir_op *op) {
  facts_take_stated(b->facts, op);
  PIR_TRY(pir_facts_update(b->facts, op));
  PIR_TRY(take_types(b, op));
  return pir_verify_op(op, NULL);
}

// Puts an op into the block; takes it out again when it fails.
static pir_status insert_op(pir_op_builder *b, const pir_op_spec *spec, pir_op **out_op) {
  pir_builder quiet = b->at;
  quiet.inserted = NULL;
  pir_op *op = pir_build(&quiet, spec);
  pir_status status = check_built(b, op);
  *out_op = status ? NULL : op;
  if (status)
    pir_op_erase(op);
  else if (b->at.inserted)
    b->at.inserted(b->at.user, op);
  return status;
}

static pir_status insert_new(pir_op_builder *b, const new_op *n, pir_op **out_op) {
  const pir_type *types[UINT8_MAX] = {stated_type(b, n)};
  pir_named_attr attrs[UINT8_MAX];
  size_t attr_count = 0;
  for (size_t i = 0; i < n->def->attr_count; i++)
    if (n->attrs[i])
      attrs[attr_count++] = (pir_named_attr){
          pir_name_get(b->ctx, pir_str_from(n->def->attrs[i].name)), n->attrs[i]};
  pir_op_spec spec = {.def = n->def,
                      .operands = n->operands,
                      .operand_count = n->def->operand_count,
                      .result_types = types,
                      .result_count = n->def->result_count,
                      .attrs = attrs,
                      .attr_count = attr_count};
  return insert_op(b, &spec, out_op);
}

// Gives the other attributes their defaults.
static pir_status take_defaults(pir_op_builder *b, new_op *n) {
  for (size_t i = 0; i < n->def->attr_count; i++) {
    const pir_attr_def *def = &n->def->attrs[i];
    if (!n->attrs[i] && def->kind == PIR_ATTR_PLACE && def->required)
      n->attrs[i] = pir_attr_place(b->ctx, (pir_place){.kind = 0});
    if (!n->attrs[i])
      n->attrs[i] = pir_attr_default(b->ctx, def);
    if (!n->attrs[i] && def->required)
      return refuse(b, n->def, "needs attribute", def->name, "");
  }
  return PIR_OK;
}

// ---- operands that are made: constants and lists

static pir_status put_constant(pir_op_builder *b, uint32_t op_id, pir_dtype dtype,
                               const pir_attr *shape, const pir_attr *value,
                               pir_value **out_value) {
  new_op n = {0};
  bool list = op_id == PD_FULL_INT_ARRAY;
  pir_op *op;
  PIR_TRY(find_def(b, op_id, &n.def));
  n.attrs[list ? PD_FULL_INT_ARRAY_ATTR_VALUE : PD_FULL_ATTR_VALUE] = value;
  n.attrs[list ? PD_FULL_INT_ARRAY_ATTR_DTYPE : PD_FULL_ATTR_DTYPE] =
      pir_attr_dtype(b->ctx, dtype);
  if (!list)
    n.attrs[PD_FULL_ATTR_SHAPE] = shape;
  PIR_TRY(take_defaults(b, &n));
  PIR_TRY(insert_new(b, &n, &op));
  *out_value = pir_op_result(op, 0);
  return PIR_OK;
}

static pir_status put_lengths(pir_op_builder *b, const int64_t *values, size_t count,
                              pir_value **out_value) {
  pir_attr_def def = {.kind = PIR_ATTR_ARRAY, .element_kind = PIR_ATTR_I64};
  pir_op_arg arg = {.kind = PIR_ARG_INTS, .count = count, .of = {.ints = values}};
  return put_constant(b, PD_FULL_INT_ARRAY, PIR_I64, NULL, built_array(b, &def, &arg),
                      out_value);
}

static pir_status put_number_op(pir_op_builder *b, const pir_operand_def *def, double number,
                                pir_value **out_value) {
  int64_t one = 1;
  return put_constant(b, PD_FULL, pir_operand_dtype(def), pir_attr_int_array(b->ctx, &one, 1),
                      pir_attr_float(b->ctx, PIR_ATTR_F64, number), out_value);
}

static pir_status put_list(pir_op_builder *b, pir_value *const *values, size_t count,
                           pir_value **out_value) {
  const pir_type *type = NULL;
  pir_op_spec spec = {
      .operands = values, .operand_count = count, .result_types = &type, .result_count = 1};
  pir_op *op;
  PIR_TRY(find_def(b, BUILTIN_COMBINE, &spec.def));
  PIR_TRY(insert_op(b, &spec, &op));
  *out_value = pir_op_result(op, 0);
  return PIR_OK;
}

// The constant that counts when nothing is given.
static pir_status put_default(pir_op_builder *b, const pir_operand_def *def,
                              pir_value **out_value) {
  const pir_attr_def *literal = def->literal;
  if (literal->kind == PIR_ATTR_INT_ARRAY)
    return put_lengths(b, literal->ints, literal->int_count, out_value);
  bool is_float = pir_attr_kind_is_float((pir_attr_kind)literal->kind);
  return put_number_op(b, def, is_float ? literal->f : (double)literal->i, out_value);
}

static pir_status put_operand(pir_op_builder *b, new_op *n, const pir_op_arg *arg) {
  const pir_operand_def *def = &n->def->operands[arg->at];
  pir_value **out = &n->operands[arg->at];
  *out = arg->value;
  if (arg->kind == PIR_ARG_VALUE || arg->value)
    return PIR_OK;
  if (arg->kind == PIR_ARG_VALUES)
    return put_list(b, arg->of.values, arg->count, out);
  if (arg->kind == PIR_ARG_LENGTHS && def->flags & PIR_OPERAND_INTARRAY)
    return put_lengths(b, arg->of.ints, arg->count, out);
  if (arg->kind == PIR_ARG_NUMBER && def->flags & PIR_OPERAND_SCALAR)
    return put_number_op(b, def, arg->f, out);
  return refuse(b, n->def, "operand", def->name, " takes no such constant");
}

static pir_status take_arg(pir_op_builder *b, new_op *n, const pir_op_arg *arg) {
  bool is_operand = arg->kind < PIR_ARG_INT;
  if (arg->kind == PIR_ARG_NONE)
    return PIR_OK;
  if (arg->at >= (is_operand ? n->def->operand_count : n->def->attr_count))
    return pir_report(b->ctx, PIR_INVALID, PIR_ERROR, b->at.loc, "\"%s\" has no %s %d",
                      n->def->name, is_operand ? "operand" : "attribute", arg->at);
  if (is_operand)
    return put_operand(b, n, arg);
  n->attrs[arg->at] = given_attr(b, &n->def->attrs[arg->at], arg);
  return n->attrs[arg->at] ? PIR_OK
                           : refuse(b, n->def, "attribute", n->def->attrs[arg->at].name,
                                    " takes no such value");
}

static pir_status complete_operands(pir_op_builder *b, new_op *n) {
  for (size_t i = 0; i < n->def->operand_count; i++) {
    const pir_operand_def *def = &n->def->operands[i];
    if (n->operands[i] || def->flags & PIR_OPERAND_OPTIONAL)
      continue;
    if (!def->literal || def->literal->required)
      return refuse(b, n->def, "needs operand", def->name, "");
    PIR_TRY(put_default(b, def, &n->operands[i]));
  }
  return PIR_OK;
}

// ---- calls: each keeps its first failure

typedef struct put_call {
  pir_op_builder *b;
  uint32_t op_id;
  const pir_type *type;
  const pir_op_arg *args;
  pir_value *const *values;
  size_t count;
  pir_op *op;
  pir_value *list;
} put_call;

static pir_status put_parts(put_call *call) {
  pir_op_builder *b = call->b;
  new_op n = {.type = call->type};
  PIR_TRY(find_def(b, call->op_id, &n.def));
  for (size_t i = 0; i < call->count; i++)
    PIR_TRY(take_arg(b, &n, &call->args[i]));
  PIR_TRY(take_defaults(b, &n));
  PIR_TRY(complete_operands(b, &n));
  return insert_new(b, &n, &call->op);
}

static pir_op *op_in_front(const pir_op_builder *b) {
  return b->at.before ? pir_op_prev(b->at.before) : pir_block_last(b->at.block);
}

static pir_status run_put(void *user) {
  put_call *call = user;
  pir_op *first = op_in_front(call->b);
  pir_status status = put_parts(call);
  while (status && op_in_front(call->b) != first)
    pir_op_erase(op_in_front(call->b));
  return status;
}

static pir_status put_list_call(void *user) {
  put_call *call = user;
  return put_list(call->b, call->values, call->count, &call->list);
}

static pir_status put_members(void *user) {
  put_call *call = user;
  const pir_type *type = call->list ? pir_value_type(call->list) : NULL;
  if (!type || pir_type_kind_of(type) != PIR_TYPE_VECTOR ||
      pir_type_elements(type) != call->count)
    return pir_report(call->b->ctx, PIR_INVALID, PIR_ERROR, call->b->at.loc,
                      "the value is no list of %zu members", call->count);
  pir_arena *arena = pir_context_arena(call->b->ctx);
  size_t size = pir_arena_size(arena, call->count, sizeof type);
  const pir_type **types = pir_arena_zalloc(arena, size);
  pir_op_spec spec = {.operands = &call->list,
                      .operand_count = 1,
                      .result_types = types,
                      .result_count = call->count};
  pir_status status = find_def(call->b, BUILTIN_SPLIT, &spec.def);
  if (!status)
    status = insert_op(call->b, &spec, &call->op);
  pir_arena_free(arena, types, size);
  return status;
}

static bool run(put_call *call, pir_status (*body)(void *user)) {
  if (!call->b->status)
    call->b->status = pir_context_enter(call->b->ctx, body, call);
  return !call->b->status;
}

pir_op *pir_op_builder_put(pir_op_builder *b, uint32_t op_id, const pir_type *type,
                           const pir_op_arg *args, size_t count) {
  put_call call = {.b = b, .op_id = op_id, .type = type, .args = args, .count = count};
  return run(&call, run_put) ? call.op : NULL;
}

pir_value *pir_op_builder_list(pir_op_builder *b, pir_value *const *values, size_t count) {
  put_call call = {.b = b, .values = values, .count = count};
  return run(&call, put_list_call) ? call.list : NULL;
}

bool pir_op_builder_members(pir_op_builder *b, pir_value *list, pir_value **out_values,
                            size_t count) {
  put_call call = {.b = b, .list = list, .count = count};
  bool done = run(&call, put_members);
  for (size_t i = 0; i < count; i++)
    out_values[i] = done ? pir_op_result(call.op, i) : NULL;
  return done;
}
