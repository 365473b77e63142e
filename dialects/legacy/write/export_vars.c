// Names and variables. A value keeps the name that a feed, a fetch or a parameter gives it;
// other values are named after their op. Values that share memory share a variable: results of
// in-place ops, and the values that a region writes to a variable of an enclosing block. Each
// look-ahead visits the uses of one value.
#include <string.h>

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/cf.h>
#include <pir/compiler/dialect/pd_op.h>

#include <strbuf.h>

#include "export.h"

// ---- blocks

out_block *block_open(exporter *x) {
  out_block *b = pir_arena_zalloc(&x->arena, sizeof *b);
  b->parent = x->block;
  b->index = (int32_t)x->blocks.count;
  b->forward = -1;
  pir_vec_push(&x->arena, &x->blocks, b);
  x->block = b;
  return b;
}

void block_close(exporter *x) {
  x->block = x->block->parent;
}

// ---- names

const char *copy_text(exporter *x, pir_str text) {
  char *copy = pir_arena_zalloc(&x->arena, text.size + 1);
  if (text.size)
    memcpy(copy, text.data, text.size);
  return copy;
}

enum { NAME_RESERVED = 1, NAME_TAKEN };

void name_reserve(exporter *x, pir_str name) {
  (void)pir_map_place(&x->arena, &x->names, pir_name_get(x->ctx, name), NAME_RESERVED);
}

static bool name_is_taken(const exporter *x, pir_str name) {
  const uint64_t *state = pir_map_find(&x->names, pir_name_get(x->ctx, name));
  return state && *state == NAME_TAKEN;
}

bool name_take(exporter *x, pir_str name) {
  uint64_t *state;
  if (!name.size || memchr(name.data, 0, name.size))
    return false;
  state = pir_map_place(&x->arena, &x->names, pir_name_get(x->ctx, name), NAME_RESERVED);
  if (*state == NAME_TAKEN)
    return false;
  *state = NAME_TAKEN;
  return true;
}

const char *name_stem(exporter *x, const pir_op *op) {
  pir_str name = pir_op_name(op);
  const char *dot = memchr(name.data, '.', name.size);
  if (dot) {
    name.size -= (size_t)(dot + 1 - name.data);
    name.data = dot + 1;
  }
  while (name.size > 1 && name.data[name.size - 1] == '_')
    name.size--;
  return copy_text(x, name);
}

const char *name_make(exporter *x, const char *stem, size_t result) {
  uint64_t *next =
      pir_map_place(&x->arena, &x->counters, pir_name_get(x->ctx, pir_str_from(stem)), 0);
  pir_strbuf text;
  pir_strbuf_init(&text, &x->arena);
  do {
    text.size = 0;
    pir_strbuf_format(&text, "%s_%llu.tmp_%zu", stem, (unsigned long long)(*next)++, result);
  } while (pir_map_find(&x->names, pir_name_get(x->ctx, pir_strbuf_view(&text))));
  (void)name_take(x, pir_strbuf_view(&text));
  return copy_text(x, pir_strbuf_view(&text));
}

// ---- variables

static Legacy__VarType__TensorDesc *tensor_new(exporter *x, const pir_type *type) {
  pir_shape shape = pir_type_shape(type);
  Legacy__VarType__TensorDesc *t = pir_arena_alloc(&x->arena, sizeof *t);
  legacy__var_type__tensor_desc__init(t);
  t->data_type = (Legacy__VarType__Type)pir_dtype_var_type(pir_type_dtype(type));
  t->n_dims = shape.rank;
  t->dims = pir_arena_copy(&x->arena, shape.rank ? shape.dims : (const int64_t[]){0},
                           shape.rank * sizeof *t->dims);
  return t;
}

static Legacy__VarType *type_new(exporter *x, const pir_type *type) {
  Legacy__VarType *out = pir_arena_alloc(&x->arena, sizeof *out);
  legacy__var_type__init(out);
  switch (pir_type_kind_of(type)) {
    case PIR_TYPE_TENSOR:
      out->type = LEGACY__VAR_TYPE__TYPE__DENSE_TENSOR;
      out->dense_tensor = pir_arena_alloc(&x->arena, sizeof *out->dense_tensor);
      legacy__var_type__dense_tensor_desc__init(out->dense_tensor);
      out->dense_tensor->tensor = tensor_new(x, type);
      out->dense_tensor->has_legacy_lod_level = true;
      out->dense_tensor->legacy_lod_level = (int32_t)pir_type_spec(type).lod_levels;
      return out;
    case PIR_TYPE_TENSOR_ARRAY:
      out->type = LEGACY__VAR_TYPE__TYPE__DENSE_TENSOR_ARRAY;
      out->tensor_array = pir_arena_alloc(&x->arena, sizeof *out->tensor_array);
      legacy__var_type__dense_tensor_array_desc__init(out->tensor_array);
      out->tensor_array->tensor = tensor_new(x, type);
      out->tensor_array->has_legacy_lod_level = true;
      return out;
    case PIR_TYPE_SELECTED_ROWS:
      out->type = LEGACY__VAR_TYPE__TYPE__SELECTED_ROWS;
      out->selected_rows = tensor_new(x, type);
      return out;
    case PIR_TYPE_SPARSE_COO:
      out->type = LEGACY__VAR_TYPE__TYPE__SPARSE_COO;
      out->sparse_coo = tensor_new(x, type);
      return out;
    case PIR_TYPE_SPARSE_CSR:
      out->type = LEGACY__VAR_TYPE__TYPE__SPARSE_CSR;
      out->sparse_csr = tensor_new(x, type);
      return out;
    default: return NULL;
  }
}

static out_var *var_new(exporter *x, const char *name, Legacy__VarType *kind) {
  out_var *var = pir_arena_zalloc(&x->arena, sizeof *var);
  var->name = (char *)name;
  var->home = x->block;
  var->desc = pir_arena_alloc(&x->arena, sizeof *var->desc);
  legacy__var_desc__init(var->desc);
  var->desc->name = var->name;
  var->desc->type = kind;
  return var;
}

out_var *var_special(exporter *x, const char *name, Legacy__VarType__Type type) {
  Legacy__VarType *kind = pir_arena_alloc(&x->arena, sizeof *kind);
  legacy__var_type__init(kind);
  kind->type = type;
  return var_new(x, name, kind);
}

out_var *var_declare(exporter *x, const char *name, const pir_type *type) {
  Legacy__VarType *kind =
      type && pir_dtype_var_type(pir_type_dtype(type)) >= 0 ? type_new(x, type) : NULL;
  if (!kind) {
    (void)export_unsupported(x, "a value of element type %s is no variable of a .pdmodel",
                             pir_dtype_text(pir_type_dtype(type)));
    return NULL;
  }
  out_var *var = var_new(x, name, kind);
  var->type = type;
  var->desc->has_persistable = true;
  pir_vec_push(&x->arena, &x->block->vars, var->desc);
  return var;
}

static Legacy__VarType__TensorDesc *tensor_of(const out_var *var) {
  const Legacy__VarType *t = var->desc->type;
  if (t->dense_tensor)
    return t->dense_tensor->tensor;
  return t->tensor_array ? t->tensor_array->tensor : NULL;
}

// Merges the shape of a variable with a new value's: differing extents become unknown. An array
// takes the shape that is written to it; until then its extent is 0.
static void widen(exporter *x, out_var *var, const pir_type *type) {
  Legacy__VarType__TensorDesc *t = tensor_of(var);
  pir_shape shape = pir_type_shape(type);
  if (t && var->desc->type->tensor_array && t->n_dims == 1 && !t->dims[0]) {
    var->desc->type->tensor_array->tensor = tensor_new(x, type);
    return;
  }
  if (!t || var->desc->persistable || t->n_dims != shape.rank)
    return;
  for (size_t i = 0; i < shape.rank; i++)
    if (t->dims[i] != shape.dims[i])
      t->dims[i] = -1;
}

// ---- values

holder *holder_of(const exporter *x, const pir_value *value) {
  return pir_map_get(&x->holders, value);
}

holder *holder_new(exporter *x, size_t count) {
  holder *h = pir_arena_alloc(&x->arena, sizeof *h);
  *h = (holder){pir_arena_zalloc(&x->arena, pir_arena_size(&x->arena, count, sizeof *h->vars)),
                count};
  return h;
}

void holder_set(exporter *x, const pir_value *value, holder *h) {
  pir_map_put(&x->arena, &x->holders, value, (uint64_t)(uintptr_t)h);
}

void holder_set_var(exporter *x, const pir_value *value, out_var *var) {
  holder *h = holder_new(x, 1);
  h->vars[0] = var;
  widen(x, var, pir_value_type(value));
  holder_set(x, value, h);
}

out_var *value_var(exporter *x, const pir_value *value) {
  holder *h = value ? holder_of(x, value) : NULL;
  if (h && h->count == 1 && h->vars[0])
    return h->vars[0];
  (void)export_unsupported(x, h ? "a list where a .pdmodel has one variable"
                                : "an operand that no variable holds");
  return NULL;
}

pir_value *twin_result(const pir_op *op, size_t i) {
  const pir_opdef *def = pir_op_def(op);
  for (size_t k = 0; k < def->inplace_count; k++)
    if (def->inplace[k].operand == i && def->inplace[k].result < pir_op_results(op))
      return pir_op_result(op, def->inplace[k].result);
  return NULL;
}

static pir_value *twin_operand(const pir_value *value) {
  const pir_op *op = pir_value_op(value);
  const pir_opdef *def = op ? pir_op_def(op) : NULL;
  for (size_t k = 0; def && k < def->inplace_count; k++)
    if (def->inplace[k].result == pir_value_index(value) &&
        def->inplace[k].operand < pir_op_operands(op))
      return pir_op_operand(op, def->inplace[k].operand);
  return NULL;
}

pir_value *chain_root(pir_value *value, const pir_block *block) {
  for (pir_value *from; pir_value_op(value) && (from = twin_operand(value)); value = from)
    if (pir_value_block(from) != block)
      break;
  return value;
}

// Returns the value that a reader leaves in the variable: the result of an in-place op, or of a
// loop.
static const pir_value *next_content(const pir_use *use) {
  const pir_op *user = pir_use_owner(use);
  size_t i = pir_use_operand_index(use);
  bool carries = pir_op_is(user, PD_WHILE) && i && i <= pir_op_results(user);
  return carries ? pir_op_result(user, i - 1) : twin_result(user, i);
}

// A list is no op in a .pdmodel: its readers read the members.
use_list reads_of(exporter *x, const pir_value *value, bool later_contents) {
  PIR_VEC(const pir_value *) work = {0};
  use_list reads = {0};
  pir_vec_push(&x->arena, &work, value);
  while (work.count) {
    const pir_value *next = pir_vec_pop(&work);
    PIR_EACH_USE(u, (pir_value *)(uintptr_t)next) {
      const pir_op *user = pir_use_owner(u);
      const pir_value *later = later_contents ? next_content(u) : NULL;
      bool is_list = pir_op_has(user, PIR_STRUCTURAL);
      if (later)
        pir_vec_push(&x->arena, &work, later);
      if (!is_list)
        pir_vec_push(&x->arena, &reads, u);
      for (size_t i = 0; is_list && i < pir_op_results(user); i++)
        pir_vec_push(&x->arena, &work, pir_op_result(user, i));
    }
  }
  pir_vec_free(&x->arena, &work);
  return reads;
}

bool read_before(exporter *x, const pir_value *value, const pir_block *block,
                 const pir_op *op) {
  use_list reads = reads_of(x, value, true);
  bool before = true;
  for (size_t i = 0; i < reads.count && before; i++) {
    const pir_op *user = pir_block_ancestor(block, pir_use_owner(reads.items[i]));
    before = !user || pir_op_is_before(user, op);
  }
  pir_vec_free(&x->arena, &reads);
  return before;
}

// Whether the old value of a parameter is read at or after `op` defines its new one.
static bool parameter_read_later(exporter *x, const out_var *var, const pir_op *op) {
  for (size_t i = 0; i < var->loads.count; i++)
    if (!read_before(x, var->loads.items[i], pir_program_block(x->program), op))
      return true;
  return false;
}

pir_str output_name(const pir_op *user) {
  if (pir_op_is(user, PD_FETCH))
    return pir_attr_as_str(pir_op_attr_at(user, PD_FETCH_ATTR_NAME));
  if (pir_op_is(user, BUILTIN_SHADOW_OUTPUT))
    return pir_attr_as_str(pir_op_attr_at(user, BUILTIN_SHADOW_OUTPUT_ATTR_OUTPUT_NAME));
  return PIR_STR("");
}

static out_var *existing_parameter(exporter *x, const pir_value *value, pir_str name) {
  const pir_op *op = pir_value_op(value);
  out_var *var = pir_map_get(&x->parameters, pir_name_get(x->ctx, name));
  if (!var || !op || pir_op_block(op) != pir_program_block(x->program) ||
      parameter_read_later(x, var, op))
    return NULL;
  return var;
}

// Returns the value that replaces `value` in its variable: the result of an in-place op, or of
// a loop.
static const pir_value *next_in_chain(exporter *x, const pir_value *value) {
  PIR_EACH_USE(u, (pir_value *)(uintptr_t)value) {
    const pir_op *user = pir_use_owner(u);
    size_t i = pir_use_operand_index(u);
    const pir_value *next = twin_result(user, i);
    if (next)
      return next;
    if (pir_op_is(user, PD_WHILE) && i && i <= pir_op_results(user) &&
        loop_may_change(x, (pir_value *)(uintptr_t)value, user, i))
      return pir_op_result(user, i - 1);
  }
  return NULL;
}

enum { CHAIN_MAX = 64 };  // in-place ops a name is looked for behind

// Returns the parameter that a value replaces.
static out_var *wanted_parameter(exporter *x, const pir_value *value) {
  for (int steps = 0; value && steps < CHAIN_MAX; steps++, value = next_in_chain(x, value))
    PIR_EACH_USE(u, (pir_value *)(uintptr_t)value) {
      const pir_op *user = pir_use_owner(u);
      if (!pir_op_is(user, BUILTIN_SET_PARAMETER))
        continue;
      pir_str name =
          pir_attr_as_str(pir_op_attr_at(user, BUILTIN_SET_PARAMETER_ATTR_PARAMETER_NAME));
      out_var *var = existing_parameter(x, value, name);
      if (var)
        return var;
    }
  return NULL;
}

const char *wanted_name(exporter *x, const pir_value *value) {
  for (int steps = 0; value && steps < CHAIN_MAX; steps++, value = next_in_chain(x, value)) {
    pir_str wanted = {0};
    PIR_EACH_USE(u, (pir_value *)(uintptr_t)value) {
      pir_str name = output_name(pir_use_owner(u));
      if (name.size && !name_is_taken(x, name))
        wanted = name;  // uses come last first
    }
    if (wanted.size && name_take(x, wanted))
      return copy_text(x, wanted);
  }
  return NULL;
}

// Returns the first value that extracts member `i` of a list; the list's name derives from it.
static const pir_value *member_value(const pir_value *list, size_t i) {
  PIR_EACH_USE(u, (pir_value *)(uintptr_t)list) {
    const pir_op *user = pir_use_owner(u);
    if (pir_op_is(user, BUILTIN_SPLIT) && i < pir_op_results(user))
      return pir_op_result(user, i);
    if (pir_op_is(user, BUILTIN_SLICE) &&
        pir_op_int(user, BUILTIN_SLICE_ATTR_INDEX) == (int64_t)i)
      return pir_op_result(user, 0);
  }
  return NULL;
}

static bool stops_gradient(const pir_op *op, size_t result) {
  const pir_attr *flags = op ? pir_op_attr_str(op, "stop_gradient") : NULL;
  int64_t stop = 0;
  if (!flags || pir_attr_kind_of(flags) != PIR_ATTR_ARRAY || result >= pir_attr_elements(flags))
    return false;
  return pir_attr_as_int(pir_attr_element(flags, result), &stop) && stop;
}

void var_set_stop(out_var *var, const pir_op *op, size_t result) {
  var->desc->has_stop_gradient = true;
  var->desc->stop_gradient = stops_gradient(op, result);
}

static out_var *define_one(exporter *x, const pir_value *result, const pir_value *value,
                           const pir_type *type) {
  const pir_op *op = pir_value_op(result);
  out_var *var = value ? pir_map_get(&x->targets, value) : NULL;
  if (!var && value)
    var = wanted_parameter(x, value);
  if (!var) {
    const char *name = value ? wanted_name(x, value) : NULL;
    if (!name)
      name = name_make(x, op ? name_stem(x, op) : "arg", pir_value_index(result));
    var = var_declare(x, name, type);
    if (!var)
      return NULL;
    var_set_stop(var, op, pir_value_index(result));
  } else {
    widen(x, var, type);
  }
  return var;
}

static bool extents_agree(pir_shape a, pir_shape b) {
  for (size_t i = 0; i < a.rank && a.rank == b.rank; i++)
    if (a.dims[i] != b.dims[i] && a.dims[i] >= 0 && b.dims[i] >= 0)
      return false;
  return a.rank == b.rank;
}

// Whether an in-place op may leave its result in `var`, given that others may read the operand
// with its old shape.
static bool can_share(const out_var *var, const pir_type *type) {
  if (!var || var->desc->persistable || !pir_type_is_tensor(type))
    return var;
  return pir_type_dtype(var->type) == pir_type_dtype(type) &&
         extents_agree(pir_type_shape(var->type), pir_type_shape(type));
}

holder *define(exporter *x, pir_value *value, holder *shared) {
  const pir_type *type = pir_value_type(value);
  bool list = pir_type_kind_of(type) == PIR_TYPE_VECTOR;
  size_t n = list ? pir_type_elements(type) : 1;
  holder *h = holder_new(x, n);
  for (size_t i = 0; i < n; i++) {
    const pir_type *member = list ? pir_type_element(type, i) : type;
    if (!member)
      continue;
    if (shared && i < shared->count && can_share(shared->vars[i], member)) {
      h->vars[i] = shared->vars[i];
      widen(x, h->vars[i], member);
      if (pir_op_attr_str(pir_value_op(value), "stop_gradient"))
        var_set_stop(h->vars[i], pir_value_op(value), pir_value_index(value));
    } else
      h->vars[i] = define_one(x, value, list ? member_value(value, i) : value, member);
    if (!h->vars[i])
      return NULL;
  }
  holder_set(x, value, h);
  return h;
}
