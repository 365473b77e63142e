// Translates whole programs. A first scan of block 0 finds the variables that are read before
// an op defines them. Persistable ones become builtin.parameter ops in that order; the others
// become pd_op.data ops at the very beginning. Then every op is translated in order; a second
// definition of a name replaces the first for later readers. At the end each definition in
// block 0 copies its variable's stop_gradient and persistable to its op.
#include "special.h"

#include <report_progress.h>
#include <stdlib.h>
#include <string.h>

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/legacy.h>
#include <pir/compiler/params.h>

#include "read.h"
#include <sized.h>
#include <pir/layer/origin.h>
#include <pir/layer/value_names.h>

// ---- names

static const void *name_key(const translator *t, const char *name) {
  return pir_name_get(t->ctx, pir_str_from(name));
}

binding *find_binding(const translator *t, const char *name) {
  const void *key = name_key(t, name);
  for (scope *s = t->scope; s; s = s->parent) {
    binding *b = pir_map_get(&s->names, key);
    if (b)
      return b;
  }
  return NULL;
}

void bind(translator *t, const char *name, pir_value *value, int32_t element) {
  binding *b = pir_arena_alloc(&t->arena, sizeof *b);
  const var_desc *var = t->scope->parent ? NULL : desc_var(t->desc, 0, name);
  *b = (binding){value, element};
  pir_map_put(&t->arena, &t->scope->names, name_key(t, name), (uint64_t)(uintptr_t)b);
  if (var)
    pir_vec_push(&t->arena, &t->recorded, ((recorded){var, value}));
}

// Extracts an element of a vec value; the name then means the element.
static pir_value *slice_element(translator *t, const char *name, const binding *b) {
  const pir_type *type = pir_type_element(pir_value_type(b->value), (size_t)b->element);
  pir_named_attr index = named(t, "index", pir_attr_int(t->ctx, PIR_ATTR_I32, b->element));
  pir_value *element =
      pir_op_result(emit(t, "builtin.slice", &b->value, 1, &type, 1, &index, 1), 0);
  bind(t, name, element, -1);
  return element;
}

pir_value *read_var(translator *t, const char *name) {
  const binding *b = find_binding(t, name);
  if (b)
    return b->element < 0 ? b->value : slice_element(t, name, b);
  if (name_type(t, name))
    (void)FAIL(t, "variable '%s' is read before anything defines it", name);
  return NULL;
}

void push_scope(translator *t, scope *s) {
  *s = (scope){.parent = t->scope};
  t->scope = s;
}

void pop_scope(translator *t) {
  t->scope = t->scope->parent;
}

// ---- what block 0 reads from outside

static bool is_holder(const char *name) {
  return !strcmp(name, "feed") || !strcmp(name, "fetch");
}

static void add_parameter_op(translator *t, const var_desc *var, const pir_type *type) {
  pir_named_attr attr =
      named(t, "parameter_name", pir_attr_str(t->ctx, PIR_ATTR_STR, pir_str_from(var->name)));
  bind(t, var->name,
       pir_op_result(emit(t, "builtin.parameter", NULL, 0, &type, 1, &attr, 1), 0), -1);
}

static void add_input_op(translator *t, const var_desc *var, const pir_type *type) {
  pir_shape shape = pir_type_shape(type);
  pir_named_attr attrs[] = {
      named(t, "name", pir_attr_str(t->ctx, PIR_ATTR_STR, pir_str_from(var->name))),
      named(t, "shape", pir_attr_int_array(t->ctx, shape.dims, shape.rank)),
      named(t, "dtype", pir_attr_dtype(t->ctx, pir_type_dtype(type))),
      named(t, "place", pir_attr_place(t->ctx, (pir_place){0}))};
  t->builder.before = pir_block_first(pir_program_block(t->program));
  if (pir_type_kind_of(type) == PIR_TYPE_TENSOR_ARRAY)
    bind(t, var->name, emit_array(t, type), -1);
  else
    bind(t, var->name, pir_op_result(emit(t, "pd_op.data", NULL, 0, &type, 1, attrs, 4), 0),
         -1);
  t->builder.before = NULL;
}

typedef void (*add_fn)(translator *t, const var_desc *var, const pir_type *type);

// Calls `add` for variables that are read before an op defines them: the persistable ones, or
// the others.
static void add_reads(translator *t, bool persistable, add_fn add) {
  const block_desc *block = desc_program(t->desc)->blocks[0];
  pir_map defined = {0};
  for (t->op = 0; t->op < block->n_ops; t->op++) {
    const op_desc *op = block->ops[t->op];
    for (size_t i = 0; i < op->n_inputs; i++)
      for (size_t k = 0; k < op->inputs[i]->n_arguments; k++) {
        const char *name = op->inputs[i]->arguments[k];
        const var_desc *var = desc_var(t->desc, 0, name);
        const pir_type *type = var && !is_holder(name) ? var_type(t, var) : NULL;
        if (!type || (var->persistable != 0) != persistable ||
            pir_map_find(&defined, name_key(t, name)))
          continue;
        pir_map_put(&t->arena, &defined, name_key(t, name), 1);
        t->builder.loc = desc_op_loc(t->desc, 0, t->op);
        add(t, var, type);
      }
    for (size_t i = 0; i < op->n_outputs; i++)
      for (size_t k = 0; k < op->outputs[i]->n_arguments; k++)
        pir_map_put(&t->arena, &defined, name_key(t, op->outputs[i]->arguments[k]), 1);
  }
}

// ---- ops

// Refuses variables as attributes, because special translators read attributes as constants.
static pir_status check_constant_attrs(translator *t, const op_desc *op) {
  for (size_t i = 0; i < op->n_attrs; i++)
    if (desc_attr_is_variable(op->attrs[i]))
      return UNSUPPORTED(t, "attribute '%s' given by a variable", op->attrs[i]->name);
  return PIR_OK;
}

// The only variable of a slot; NULL if there is not one.
static const char *only_variable(const slot_desc *slot) {
  return slot && slot->n_arguments == 1 ? slot->arguments[0] : NULL;
}

// Notes whose shape the op's XShape keeps. If the op writes its result over its operand, no
// value with that shape is left.
static void note_shaped(translator *t, const op_desc *op) {
  const char *kept = only_variable(desc_output(op, "XShape"));
  const char *from = only_variable(desc_input(op, "X"));
  const char *to = only_variable(desc_output(op, "Out"));
  const binding *b = kept && from && to && strcmp(from, to) ? find_binding(t, from) : NULL;
  if (b && b->element < 0)
    pir_map_put(&t->arena, &t->shaped, name_key(t, kept), (uint64_t)(uintptr_t)b->value);
}

static pir_status translate_op(translator *t, const op_desc *op) {
  special_fn special = find_special(op->type);
  if (!special)
    return translate_generic(t, op);
  if (special != translate_reduce)  // its axes are an operand
    PIR_TRY(check_constant_attrs(t, op));
  return special(t, op);
}

// Messages behind passes name the ops of the file.
static void note_op(translator *t, const op_desc *op) {
  const char *parameter = desc_parameter(t->desc, t->block, op);
  pir_origin_note(t->ctx, &(pir_origin){.loc = t->builder.loc,
                                        .name = pir_str_from(op->type),
                                        .parameter = pir_str_from(parameter),
                                        .block = (uint32_t)t->block,
                                        .position = (uint32_t)t->op});
}

pir_status translate_block(translator *t, size_t block, pir_block *into) {
  const block_desc *b = desc_program(t->desc)->blocks[block];
  pir_builder outer = t->builder;
  size_t outer_block = t->block, outer_op = t->op;
  pir_status status = PIR_OK;
  t->builder = pir_builder_at_end(into);
  t->block = block;
  for (t->op = 0; t->op < b->n_ops && !status; t->op++) {
    t->builder.loc = desc_origin(t->ctx, b->ops[t->op], desc_op_loc(t->desc, block, t->op));
    note_op(t, b->ops[t->op]);
    note_shaped(t, b->ops[t->op]);
    if (block == 0)
      pir_progress_read(pir_context_progress(t->ctx), t->op + 1);
    status = translate_op(t, b->ops[t->op]);
    if (status)
      break;
  }
  t->builder = outer;
  t->block = outer_block;
  t->op = outer_op;
  return status;
}

// Reports every op type without a translation, once each.
static pir_status check_known(translator *t) {
  const Legacy__ProgramDesc *program = desc_program(t->desc);
  pir_map reported = {0};
  pir_status status = PIR_OK;
  for (t->block = 0; t->block < program->n_blocks; t->block++)
    for (t->op = 0; t->op < program->blocks[t->block]->n_ops; t->op++) {
      const char *type = program->blocks[t->block]->ops[t->op]->type;
      if (is_known(t, type))
        continue;
      if (pir_map_find(&reported, name_key(t, type)))
        continue;
      pir_map_put(&t->arena, &reported, name_key(t, type), 1);
      status = UNSUPPORTED(t, "op '%s' has no translation", type);
    }
  t->block = t->op = 0;
  return status;
}

// ---- after block 0

// Whether in-place ops alone made the value out of the parameter of this name: then it lies in
// the parameter's memory.
static bool lies_in_parameter(const pir_value *value, const char *name) {
  const pir_op *op = pir_value_op(value);
  while (op && pir_op_has(op, PIR_INPLACE)) {
    const pir_opdef *def = pir_op_def(op);
    const pir_value *from = NULL;
    for (size_t i = 0; i < def->inplace_count && !from; i++)
      if (def->inplace[i].result == pir_value_index(value) &&
          def->inplace[i].operand < pir_op_operands(op))
        from = pir_op_operand(op, def->inplace[i].operand);
    if (!from)
      return false;
    value = from;
    op = pir_value_op(value);
  }
  return op && pir_op_is(op, BUILTIN_PARAMETER) &&
         pir_str_equal(
             pir_attr_as_str(pir_op_attr_at(op, BUILTIN_PARAMETER_ATTR_PARAMETER_NAME)),
             pir_str_from(name));
}

// `reads`: the op that writes it reads it too.
static void set_parameter(translator *t, const char *name, bool reads) {
  const binding *b = find_binding(t, name);
  pir_named_attr attr =
      named(t, "parameter_name", pir_attr_str(t->ctx, PIR_ATTR_STR, pir_str_from(name)));
  pir_value *value;
  if (!b || !pir_value_op(b->value) || (reads && lies_in_parameter(b->value, name)))
    return;
  t->builder = pir_builder_after(pir_value_op(b->value));
  value = read_var(t, name);
  emit(t, "builtin.set_parameter", &value, 1, NULL, 0, &attr, 1);
}

// Persistable variables that the program writes, but for those that ops read and write in
// place.
static void set_parameters(translator *t) {
  const block_desc *block = desc_program(t->desc)->blocks[0];
  pir_map done = {0};
  for (size_t n = block->n_ops; n--;) {
    const op_desc *op = block->ops[n];
    pir_map inputs = input_names(t, op);
    for (size_t i = 0; i < op->n_outputs; i++)
      for (size_t k = 0; k < op->outputs[i]->n_arguments; k++) {
        const char *name = op->outputs[i]->arguments[k];
        const void *key = name_key(t, name);
        const var_desc *var = desc_var(t->desc, 0, name);
        if (!var || !var->persistable || is_holder(name) || pir_map_find(&done, key))
          continue;
        pir_map_put(&t->arena, &done, key, 1);
        set_parameter(t, name, pir_map_find(&inputs, key) != NULL);
      }
    pir_map_free(&t->arena, &inputs);
  }
}

// Returns an op's array of one bool for each result, for changing; false in a new one.
static const pir_attr **read_flags(translator *t, const pir_op *op, pir_name *name) {
  size_t n = pir_op_results(op);
  const pir_attr *old = pir_op_attr(op, name);
  const pir_attr **items =
      pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, n, sizeof *items));
  bool keep = old && pir_attr_kind_of(old) == PIR_ATTR_ARRAY && pir_attr_elements(old) == n;
  for (size_t i = 0; i < n; i++)
    items[i] = keep ? pir_attr_element(old, i) : pir_attr_bool(t->ctx, false);
  return items;
}

static void write_flags(translator *t, pir_op *op, pir_name *name, const pir_attr **items) {
  size_t n = pir_op_results(op);
  pir_op_set_attr(op, name, pir_attr_array(t->ctx, items, n));
  pir_arena_free(&t->arena, items, n * sizeof *items);
}

// Sets the flags of one op from definitions [first, end), which are all of its results.
static void mark_op(translator *t, pir_op *op, size_t first, size_t end) {
  pir_name *stop_name = pir_name_get(t->ctx, PIR_STR("stop_gradient"));
  pir_name *persistable_name = pir_name_get(t->ctx, PIR_STR("persistable"));
  const pir_attr **stop = read_flags(t, op, stop_name),
                 **persistable = read_flags(t, op, persistable_name);
  for (size_t i = first; i < end; i++) {
    const recorded *r = &t->recorded.items[i];
    stop[pir_value_index(r->value)] = pir_attr_bool(t->ctx, r->var->stop_gradient);
    persistable[pir_value_index(r->value)] = pir_attr_bool(t->ctx, r->var->persistable);
  }
  write_flags(t, op, persistable_name, persistable);
  write_flags(t, op, stop_name, stop);
}

// Definitions by one op follow one another.
static void mark_results(translator *t) {
  for (size_t first = 0, end; first < t->recorded.count; first = end) {
    pir_op *op = pir_value_op(t->recorded.items[first].value);
    for (end = first + 1; end < t->recorded.count; end++)
      if (pir_value_op(t->recorded.items[end].value) != op)
        break;
    if (op)
      mark_op(t, op, first, end);
  }
}

// ---- the parameter file

static int compare_decls(const void *a, const void *b) {
  return strcmp(((const pir_param_decl *)a)->name.data, ((const pir_param_decl *)b)->name.data);
}

// Every persistable tensor is a record, whether an op reads it or not.
static pir_status list_params(translator *t, pir_param_decl **out_decls, size_t *out_count) {
  const Legacy__ProgramDesc *program = desc_program(t->desc);
  PIR_VEC(pir_param_decl) list = {0};
  for (size_t b = 0; b < program->n_blocks; b++)
    for (size_t i = 0; i < program->blocks[b]->n_vars; i++) {
      const var_desc *var = program->blocks[b]->vars[i];
      const pir_type *type =
          var->persistable && !is_holder(var->name) ? var_type(t, var) : NULL;
      if (!pir_type_is_tensor(type))
        continue;
      pir_str name = pir_name_str(pir_name_get(t->ctx, pir_str_from(var->name)));
      pir_vec_push(&t->arena, &list,
                   ((pir_param_decl){name, pir_type_dtype(type), pir_type_shape(type),
                                     desc_var_loc(t->desc, b, i)}));
    }
  *out_count = 0;
  *out_decls = calloc(list.count ? list.count : 1, sizeof **out_decls);
  if (!*out_decls)
    return PIR_EXHAUSTED;
  if (list.count)
    qsort(list.items, list.count, sizeof *list.items, compare_decls);
  for (size_t i = 0; i < list.count; i++)
    if (!i || compare_decls(&list.items[i - 1], &list.items[i]))
      (*out_decls)[(*out_count)++] = list.items[i];
  return PIR_OK;
}

// ---- reading

// The names of variables, by which a caller may ask for values (elements of lists have none).
static void note_names(translator *t, const scope *globals) {
  for (size_t i = 0; i < globals->names.capacity; i++) {
    const pir_map_entry *entry = &globals->names.entries[i];
    const binding *b = (const binding *)(uintptr_t)entry->value;
    if (entry->key && b && b->element < 0)
      pir_program_name_value(t->program, entry->key, b->value);
  }
}

static pir_status translate_program(translator *t) {
  pir_block *block = pir_program_block(t->program);
  scope globals = {0};
  t->scope = &globals;
  t->builder = pir_builder_at_end(block);
  PIR_TRY(check_known(t));
  find_backward_blocks(t);
  add_reads(t, true, add_parameter_op);
  add_reads(t, false, add_input_op);
  pir_origins_begin(t->ctx);
  PIR_TRY(translate_block(t, 0, block));
  set_parameters(t);
  mark_results(t);
  note_names(t, &globals);
  t->scope = NULL;
  return PIR_OK;
}

static void set_info(translator *t) {
  const Legacy__Version *version = desc_program(t->desc)->version;
  pir_program_set_info(t->program, (pir_program_info){.format = PIR_STR("pdmodel"),
                                                      .version = version ? version->version : 0,
                                                      .trainable = true});
}

typedef struct read_call {
  pir_context *ctx;
  pir_str bytes, file;
  pir_program **out_program;
  pir_param_decl **out_decls;
  size_t *out_count;
} read_call;

static pir_status read_pdmodel(void *user) {
  const read_call *call = user;
  translator t = {.ctx = call->ctx};
  pir_guard guard;
  pir_context_note_task(t.ctx, "reading ", call->file);
  PIR_TRY(desc_read(t.ctx, call->bytes, call->file, &t.desc));
  pir_arena_init(&t.arena, pir_context_heap(t.ctx));
  t.program = pir_program_create(t.ctx);
  pir_program_guard(t.program, &guard);
  set_info(&t);
  pir_status status = translate_program(&t);
  if (!status && call->out_decls)
    status = list_params(&t, call->out_decls, call->out_count);
  pir_guard_close(&guard);
  if (status)
    pir_program_destroy(t.program);
  else
    *call->out_program = t.program;
  pir_arena_destroy(&t.arena);
  desc_destroy(t.desc);
  return status;
}

pir_status legacy_read(pir_context *ctx, pir_str bytes, pir_str file, pir_program **out_program,
                       pir_param_decl **out_decls, size_t *out_count) {
  read_call call = {ctx, bytes, file, out_program, out_decls, out_count};
  *out_program = NULL;
  if (out_decls)
    *out_decls = NULL;
  return pir_context_enter(ctx, read_pdmodel, &call);
}

pir_status pir_program_read_pdmodel(pir_context *ctx, pir_str bytes, pir_str file,
                                    pir_program **out_program) {
  if (!ctx || !out_program)
    return pir_refuse_null(ctx, __func__);
  return legacy_read(ctx, bytes, file, out_program, NULL, NULL);
}
