// Writes whole programs. Names that the program states (parameters, inputs, outputs) are
// reserved first. Then block 0 is written op by op; regions become blocks below it. All
// protobuf messages are built in one arena and packed to the writer at the end, so a program
// that the legacy format cannot express writes nothing. Linear in ops and uses.
#include "export.h"

#include <stdlib.h>
#include <string.h>

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/legacy.h>
#include <pir/compiler/verify.h>
#include <pir/compiler/walk.h>

#include <strbuf.h>

#include "mapping.h"
#include <sized.h>

enum { DEPTH_MAX = 64, CURRENT_VERSION = 3003001 };  // nesting that readers take; Paddle 3.3.1

// ---- reports

pir_status export_unsupported(exporter *x, const char *format, ...) {
  pir_strbuf text;
  va_list args;
  pir_strbuf_init(&text, &x->arena);
  va_start(args, format);
  pir_strbuf_vformat(&text, format, args);
  va_end(args);
  pir_str name = x->op ? pir_op_name(x->op) : PIR_STR("program"),
          message = pir_strbuf_view(&text);
  return pir_report(x->ctx, PIR_UNSUPPORTED, PIR_ERROR,
                    x->op ? pir_op_loc(x->op) : PIR_LOC_UNKNOWN, "'%.*s' unsupported: %.*s",
                    (int)name.size, name.data, (int)message.size, message.data);
}

static bool has_form(const pir_op *op) {
  return find_export(op) || (row_of(op) && !pir_op_regions(op));
}

typedef struct survey {
  exporter *x;
  pir_map reported;
  bool feeds, fetches;
  pir_status status;
} survey;

// Reports every op that the legacy format lacks, once for each name, and notes the program's
// features.
static pir_walk_result survey_op(pir_op *op, void *user) {
  survey *s = user;
  s->feeds |= pir_op_is(op, PD_FEED);
  s->fetches |= pir_op_is(op, PD_FETCH);
  if (pir_op_is(op, BUILTIN_SET_PARAMETER))
    pir_map_put(&s->x->arena, &s->x->updated, pir_name_get(s->x->ctx, params_name(op)), 1);
  if (pir_op_is(op, BUILTIN_MODULE) || has_form(op) ||
      pir_map_find(&s->reported, pir_op_def(op)))
    return PIR_WALK_CONTINUE;
  pir_map_put(&s->x->arena, &s->reported, pir_op_def(op), 1);
  s->x->op = op;
  s->status = export_unsupported(s->x, "no op of a .pdmodel does this");
  return PIR_WALK_CONTINUE;
}

// ---- parameters

static bool is_persistable(const pir_op *op) {
  const pir_attr *flags = pir_op_attr_str(op, "persistable");
  int64_t value = 1;
  if (flags && pir_attr_kind_of(flags) == PIR_ATTR_ARRAY)
    flags = pir_attr_elements(flags) ? pir_attr_element(flags, 0) : NULL;
  return !flags || !pir_attr_as_int(flags, &value) || value;
}

static out_var *parameter_var(exporter *x, pir_str name, const pir_type *type) {
  out_var *var = pir_map_get(&x->parameters, pir_name_get(x->ctx, name));
  if (var)
    return var;
  if (!name_take(x, name)) {
    (void)export_unsupported(x, "'%.*s' is no name of a parameter, or that of an input too",
                             (int)name.size, name.data);
    return NULL;
  }
  var = var_declare(x, copy_text(x, name), type);
  if (!var)
    return NULL;
  var->desc->persistable = true;
  pir_map_put(&x->arena, &x->parameters, pir_name_get(x->ctx, name), (uint64_t)(uintptr_t)var);
  return var;
}

// State that no file contains starts as zeros.
static pir_status zero_state(exporter *x, const pir_op *op) {
  pir_value *value = pir_op_result(op, 0);
  pir_shape shape = pir_type_shape(pir_value_type(value));
  out_op *o = op_open(x, "fill_constant");
  (void)op_set_ints(x, o, "shape", PIR_ATTR_I64, shape.dims, shape.rank);
  op_set_float(x, o, "value", 0);
  op_set_int(x, o, "dtype", pir_dtype_var_type(pir_type_dtype(pir_value_type(value))));
  PIR_TRY(export_output(x, value, NULL, o, "Out"));
  op_close(x, o);
  return PIR_OK;
}

static pir_status declare_parameter(exporter *x, const pir_op *op) {
  pir_value *value = pir_op_result(op, 0);
  bool trainable = pir_op_is(op, BUILTIN_PARAMETER);
  out_var *var;
  x->op = op;
  if (trainable && !is_persistable(op))
    return constant_needed(x, value) ? zero_state(x, op) : PIR_OK;
  var = parameter_var(x, params_name(op), pir_value_type(value));
  if (!var)
    return PIR_UNSUPPORTED;
  var->desc->has_is_parameter = true;
  var->desc->is_parameter = trainable;
  var_set_stop(var, op, 0);
  pir_vec_push(&x->arena, &var->loads, value);
  holder_set_var(x, value, var);
  return PIR_OK;
}

static pir_walk_result reserve(pir_op *op, void *user) {
  exporter *x = user;
  const pir_attr *name = NULL;
  if (pir_op_is(op, PD_DATA))
    name = pir_op_attr_at(op, PD_DATA_ATTR_NAME);
  else if (pir_op_is(op, PD_FEED))
    name = pir_op_attr_at(op, PD_FEED_ATTR_NAME);
  if (!name)
    name_reserve(x, output_name(op));
  else if (name_take(x, pir_attr_as_str(name)))
    pir_map_put(&x->arena, &x->inputs, pir_name_get(x->ctx, pir_attr_as_str(name)), 0);
  return PIR_WALK_CONTINUE;
}

static pir_status declare_parameters(exporter *x) {
  pir_op *module = pir_program_module(x->program);
  pir_block *block = pir_program_block(x->program);
  (void)pir_walk(module, PIR_PRE_ORDER, reserve, x);
  PIR_EACH_OP(op, block)
  if (pir_op_has(op, PIR_PARAMETER) && pir_op_results(op) == 1)
    PIR_TRY(declare_parameter(x, op));
  PIR_EACH_OP(op, block) {
    if (!pir_op_is(op, BUILTIN_SET_PARAMETER) || !pir_op_operand(op, 0))
      continue;
    x->op = op;
    if (!parameter_var(x, params_name(op), pir_value_type(pir_op_operand(op, 0))))
      return PIR_UNSUPPORTED;
  }
  return PIR_OK;
}

// ---- blocks

static size_t depth_of(const out_block *b) {
  size_t depth = 0;
  for (; b; b = b->parent)
    depth++;
  return depth;
}

pir_status export_block(exporter *x, const pir_block *block) {
  const pir_op *outer = x->op;
  if (depth_of(x->block) > DEPTH_MAX)
    return export_unsupported(x, "regions nested more than %d deep", DEPTH_MAX);
  PIR_EACH_OP(op, (pir_block *)(uintptr_t)block) {
    export_fn special = find_export(op);
    const fold *f = pir_map_get(&x->folds, op);
    x->op = op;
    if (is_swallowed(x, op))
      continue;
    if (f && !special) {
      PIR_TRY(export_folded(x, op, f));
      continue;
    }
    PIR_TRY(special ? special(x, op) : export_generic(x, op));
  }
  x->op = outer;
  return PIR_OK;
}

// Declares the variable of feeds or fetches.
static out_var *add_holder(exporter *x, const char *name, Legacy__VarType__Type type) {
  out_var *var = var_special(x, name, type);
  (void)name_take(x, pir_str_from(name));
  var->desc->has_persistable = true;
  var->desc->persistable = true;
  return var;
}

static pir_status export_program(exporter *x) {
  survey s = {.x = x};
  pir_program_info info = pir_program_info_of(x->program);
  PIR_TRY(pir_verify(
      pir_program_module(x->program),
      &(pir_verify_options){.size = sizeof(pir_verify_options), .errors_only = true}));
  (void)pir_walk(pir_program_module(x->program), PIR_PRE_ORDER, survey_op, &s);
  if (s.status)
    return s.status;
  x->plain_inputs = s.feeds || !s.fetches || pir_str_equal(info.format, PIR_STR("pdmodel"));
  find_folds(x);
  find_kept_shapes(x);
  block_open(x);
  x->feed = add_holder(x, "feed", LEGACY__VAR_TYPE__TYPE__FEED_MINIBATCH);
  x->fetch = add_holder(x, "fetch", LEGACY__VAR_TYPE__TYPE__FETCH_LIST);
  if (s.feeds || !x->plain_inputs)
    pir_vec_push(&x->arena, &x->block->vars, x->feed->desc);
  if (s.fetches)
    pir_vec_push(&x->arena, &x->block->vars, x->fetch->desc);
  PIR_TRY(declare_parameters(x));
  return export_block(x, pir_program_block(x->program));
}

// ---- the message

static int compare_vars(const void *a, const void *b) {
  return strcmp((*(Legacy__VarDesc *const *)a)->name, (*(Legacy__VarDesc *const *)b)->name);
}

static Legacy__BlockDesc *pack_block(exporter *x, out_block *b) {
  Legacy__BlockDesc *out = pir_arena_alloc(&x->arena, sizeof *out);
  legacy__block_desc__init(out);
  out->idx = b->index;
  out->parent_idx = b->parent ? b->parent->index : -1;
  out->has_forward_block_idx = true;
  out->forward_block_idx = b->forward;
  if (b->vars.count)
    qsort(b->vars.items, b->vars.count, sizeof *b->vars.items, compare_vars);
  out->n_vars = b->vars.count;
  out->vars = b->vars.items;
  out->n_ops = b->ops.count;
  out->ops = b->ops.items;
  return out;
}

static Legacy__OpVersionMap *pack_versions(exporter *x) {
  size_t n = legacy_op_version_count;
  Legacy__OpVersionMap *map = pir_arena_alloc(&x->arena, sizeof *map);
  legacy__op_version_map__init(map);
  map->n_pair = n;
  map->pair = pir_arena_alloc(&x->arena, n * sizeof *map->pair);
  for (size_t i = 0; i < n; i++) {
    map->pair[i] = pir_arena_alloc(&x->arena, sizeof **map->pair);
    legacy__op_version_map__op_version_pair__init(map->pair[i]);
    map->pair[i]->op_name = (char *)copy_text(x, pir_str_from(legacy_op_versions[i].name));
    map->pair[i]->op_version = pir_arena_alloc(&x->arena, sizeof *map->pair[i]->op_version);
    legacy__op_version__init(map->pair[i]->op_version);
    map->pair[i]->op_version->version = legacy_op_versions[i].version;
  }
  return map;
}

typedef struct sink {
  ProtobufCBuffer base;
  pir_writer out;
  bool failed;
} sink;

static void write_packed(ProtobufCBuffer *buffer, size_t size, const uint8_t *data) {
  sink *s = (sink *)buffer;
  s->failed = s->failed || !s->out.write(s->out.user, (const char *)data, size);
}

static pir_status pack(exporter *x, pir_writer out) {
  Legacy__ProgramDesc program;
  Legacy__Version version;
  sink s = {{write_packed}, out, false};
  legacy__program_desc__init(&program);
  legacy__version__init(&version);
  version.has_version = true;
  version.version = CURRENT_VERSION;
  program.version = &version;
  program.op_version_map = pack_versions(x);
  program.n_blocks = x->blocks.count;
  program.blocks = pir_arena_alloc(
      &x->arena, pir_arena_size(&x->arena, x->blocks.count, sizeof *program.blocks));
  for (size_t i = 0; i < x->blocks.count; i++)
    program.blocks[i] = pack_block(x, x->blocks.items[i]);
  (void)legacy__program_desc__pack_to_buffer(&program, &s.base);
  return s.failed ? PIR_IO : PIR_OK;
}

typedef struct write_call {
  const pir_program *program;
  pir_writer out;
} write_call;

static pir_status write_pdmodel(void *user) {
  const write_call *call = user;
  exporter x = {.ctx = pir_program_context(call->program), .program = call->program};
  pir_arena_init(&x.arena, pir_context_heap(x.ctx));
  pir_status status = export_program(&x);
  if (!status)
    status = pack(&x, call->out);
  pir_arena_destroy(&x.arena);
  return status;
}

pir_status pir_program_write_pdmodel(const pir_program *program, pir_writer out) {
  if (!program || !out.write)
    return pir_refuse_null(program ? pir_program_context(program) : NULL, __func__);
  write_call call = {program, out};
  return pir_context_enter(pir_program_context(program), write_pdmodel, &call);
}
