// Reads a ProgramDesc in three steps: scan the bytes (scan.h), unpack them (unpack.h), check
// the conditions that a schema cannot express. The description lives in an arena, which is
// freed as a whole and bounded by the context's limit. One hash table of (block, name) finds
// names. Linear in the size of the file.
#include "desc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <hash.h>
#include <strbuf.h>

#include "scan.h"
#include "unpack.h"

typedef struct var_entry {
  const var_desc *var;
  size_t block;
} var_entry;

struct desc {
  pir_context *ctx;
  pir_str file;
  scan_result scan;
  Legacy__ProgramDesc *program;
  size_t *first_op, *first_var;  // first op and variable of each block, in the scan's lists
  uint32_t *depth;
  var_entry *vars;  // open addressing; a power of two, at most half full
  size_t var_mask;
  pir_arena arena;
};

// ---- reports

static pir_loc place(const desc *d, uint64_t offset) {
  return pir_loc_offset(d->ctx, d->file, offset);
}

pir_loc desc_op_loc(const desc *d, size_t block, size_t op) {
  return place(d, d->scan.ops.items[d->first_op[block] + op]);
}

pir_loc desc_var_loc(const desc *d, size_t block, size_t var) {
  return place(d, d->scan.vars.items[d->first_var[block] + var]);
}

pir_status desc_fail(desc *d, size_t block, size_t op, pir_status status, const char *format,
                     ...) {
  pir_strbuf message, path;
  va_list args;
  pir_strbuf_init(&message, &d->arena);
  pir_strbuf_init(&path, &d->arena);
  va_start(args, format);
  pir_strbuf_vformat(&message, format, args);
  va_end(args);
  const op_desc *at = d->program->blocks[block]->ops[op];
  const char *parameter = d->var_mask ? desc_parameter(d, block, at) : NULL;
  pir_strbuf_format(&path, "block %zu, op %zu %s%s%s", block, op, at->type,
                    parameter ? " of " : "", parameter ? parameter : "");
  pir_diag diag = {.size = sizeof diag,
                   .severity = PIR_ERROR,
                   .place = pir_loc_unpack(d->ctx, desc_op_loc(d, block, op)),
                   .message = pir_strbuf_view(&message),
                   .op_path = pir_strbuf_view(&path)};
  pir_diag_emit(d->ctx, &diag);
  desc_note_origin(d->ctx, d->program->blocks[block]->ops[op]);
  pir_strbuf_free(&message);
  pir_strbuf_free(&path);
  return status;
}

static pir_status fail_var(const desc *d, size_t block, size_t var, const char *why) {
  return pir_report(d->ctx, PIR_INVALID, PIR_ERROR, desc_var_loc(d, block, var),
                    "block %zu, variable '%s': %s", block,
                    d->program->blocks[block]->vars[var]->name, why);
}

static pir_status fail_block(const desc *d, size_t block, const char *format, int value) {
  return pir_report(d->ctx, PIR_INVALID, PIR_ERROR, place(d, d->scan.blocks.items[block]),
                    format, block, value);
}

// ---- variables

static uint64_t hash(size_t block, const char *name) {
  return pir_hash_join(pir_hash_bytes(name, strlen(name)), block);
}

static var_entry *find_slot(const desc *d, size_t block, const char *name) {
  size_t i = (size_t)hash(block, name) & d->var_mask;
  while (d->vars[i].var && (d->vars[i].block != block || strcmp(d->vars[i].var->name, name)))
    i = (i + 1) & d->var_mask;
  return &d->vars[i];
}

const var_desc *desc_var(const desc *d, size_t block, const char *name) {
  for (;;) {
    const var_entry *entry = find_slot(d, block, name);
    if (entry->var || !block)
      return entry->var;
    block = (size_t)d->program->blocks[block]->parent_idx;
  }
}

// Also while the description is checked, when nothing is known of parents yet: parameters are
// variables of block 0.
const char *desc_parameter(const desc *d, size_t block, const op_desc *op) {
  for (size_t i = 0; i < op->n_inputs; i++)
    for (size_t k = 0; k < op->inputs[i]->n_arguments; k++) {
      const char *name = op->inputs[i]->arguments[k];
      const var_desc *own = find_slot(d, block, name)->var,
                     *var = own ? own : find_slot(d, 0, name)->var;
      bool dense = var && var->type && var->type->type == LEGACY__VAR_TYPE__TYPE__DENSE_TENSOR;
      if (dense && var->persistable)
        return name;
    }
  return NULL;
}

const tensor_desc *desc_tensor(const var_desc *var) {
  const Legacy__VarType *type = var->type;
  switch (type->type) {
    case LEGACY__VAR_TYPE__TYPE__DENSE_TENSOR:
      return type->dense_tensor ? type->dense_tensor->tensor : NULL;
    case LEGACY__VAR_TYPE__TYPE__DENSE_TENSOR_ARRAY:
      return type->tensor_array ? type->tensor_array->tensor : NULL;
    case LEGACY__VAR_TYPE__TYPE__SELECTED_ROWS: return type->selected_rows;
    case LEGACY__VAR_TYPE__TYPE__SPARSE_COO: return type->sparse_coo;
    case LEGACY__VAR_TYPE__TYPE__SPARSE_CSR: return type->sparse_csr;
    default: return NULL;
  }
}

static pir_status check_var(desc *d, size_t block, size_t i) {
  const var_desc *var = d->program->blocks[block]->vars[i];
  const tensor_desc *tensor = desc_tensor(var);
  var_entry *entry = find_slot(d, block, var->name);
  if (entry->var)
    return fail_var(d, block, i, "declared twice");
  *entry = (var_entry){var, block};
  if (!tensor)
    return PIR_OK;
  if (tensor->n_dims > PIR_MAX_RANK)
    return fail_var(d, block, i, "more than 16 dimensions");
  return PIR_OK;
}

// ---- ops

static const slot_desc *find_slot_desc(slot_desc *const *slots, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (!strcmp(slots[i]->parameter, name))
      return slots[i];
  return NULL;
}

const slot_desc *desc_input(const op_desc *op, const char *slot) {
  return find_slot_desc(op->inputs, op->n_inputs, slot);
}
const slot_desc *desc_output(const op_desc *op, const char *slot) {
  return find_slot_desc(op->outputs, op->n_outputs, slot);
}

const attr_desc *desc_attr(const op_desc *op, const char *name) {
  for (size_t i = op->n_attrs; i--;)
    if (!strcmp(op->attrs[i]->name, name))
      return op->attrs[i];
  return NULL;
}

bool desc_attr_is_variable(const attr_desc *a) {
  return a->type == LEGACY__ATTR_TYPE__VAR || a->type == LEGACY__ATTR_TYPE__VARS;
}

// Whether the field for the stated type is present. Lists may be empty; an absent string is an
// empty one.
static bool has_value(const attr_desc *a) {
  switch (a->type) {
    case LEGACY__ATTR_TYPE__INT: return a->has_i;
    case LEGACY__ATTR_TYPE__FLOAT: return a->has_f;
    case LEGACY__ATTR_TYPE__BOOLEAN: return a->has_b;
    case LEGACY__ATTR_TYPE__LONG: return a->has_l;
    case LEGACY__ATTR_TYPE__FLOAT64: return a->has_float64;
    case LEGACY__ATTR_TYPE__BLOCK: return a->has_block_idx;
    case LEGACY__ATTR_TYPE__SCALAR: return a->scalar != NULL;
    case LEGACY__ATTR_TYPE__VAR: return a->var_name != NULL;
    default: return a->type >= LEGACY__ATTR_TYPE__INT && a->type <= LEGACY__ATTR_TYPE__SCALARS;
  }
}

static pir_status check_child(desc *d, size_t block, size_t op, const attr_desc *a,
                              bool *claimed) {
  int64_t child = a->block_idx;
  if (child <= (int64_t)block || child >= (int64_t)d->program->n_blocks)
    return desc_fail(d, block, op, PIR_INVALID,
                     "attribute '%s' names block %" PRId64
                     ", expected one after %zu and before %zu",
                     a->name, child, block, d->program->n_blocks);
  if (strcmp(a->name, "sub_block"))
    return PIR_OK;
  if (d->program->blocks[child]->parent_idx != (int64_t)block)
    return desc_fail(d, block, op, PIR_INVALID,
                     "attribute 'sub_block' names block %" PRId64 ", whose parent is block %d",
                     child, (int)d->program->blocks[child]->parent_idx);
  if (claimed[child])
    return desc_fail(d, block, op, PIR_INVALID,
                     "block %" PRId64 " is the body of another op already", child);
  claimed[child] = true;
  return PIR_OK;
}

static pir_status check_slots(desc *d, size_t block, size_t op, slot_desc *const *slots,
                              size_t n) {
  for (size_t i = 1; i < n; i++)
    if (find_slot_desc(slots, i, slots[i]->parameter))
      return desc_fail(d, block, op, PIR_INVALID, "slot '%s' is given twice",
                       slots[i]->parameter);
  return PIR_OK;
}

// Adds an input slot for each attribute that variables give, so that they are read like inputs.
static void add_attr_slots(desc *d, op_desc *op) {
  size_t n = op->n_inputs;
  slot_desc **inputs =
      pir_arena_alloc(&d->arena, (op->n_inputs + op->n_attrs) * sizeof *inputs);
  for (size_t i = 0; i < op->n_inputs; i++)
    inputs[i] = op->inputs[i];
  for (size_t i = 0; i < op->n_attrs; i++) {
    attr_desc *a = op->attrs[i];
    if (!desc_attr_is_variable(a) || desc_attr(op, a->name) != a)
      continue;
    bool one = a->type == LEGACY__ATTR_TYPE__VAR;
    inputs[n] = pir_arena_zalloc(&d->arena, sizeof **inputs);
    legacy__op_desc__var__init(inputs[n]);
    inputs[n]->parameter = a->name;
    inputs[n]->n_arguments = one ? 1 : a->n_vars_name;
    inputs[n++]->arguments = one ? &a->var_name : a->vars_name;
  }
  op->inputs = inputs;
  op->n_inputs = n;
}

static pir_status check_op(desc *d, size_t block, size_t i, bool *claimed) {
  op_desc *op = d->program->blocks[block]->ops[i];
  if (op->n_inputs > DESC_NAMES || op->n_outputs > DESC_NAMES || op->n_attrs > DESC_NAMES)
    return desc_fail(d, block, i, PIR_INVALID, "more than %d slots or attributes", DESC_NAMES);
  PIR_TRY(check_slots(d, block, i, op->outputs, op->n_outputs));
  for (size_t k = 0; k < op->n_attrs; k++) {
    const attr_desc *a = op->attrs[k];
    if (desc_attr(op, a->name)->type != a->type)
      return desc_fail(d, block, i, PIR_INVALID,
                       "attribute '%s' is given twice, with two types", a->name);
    if (!has_value(a))
      return desc_fail(d, block, i, PIR_INVALID, "attribute '%s' has no value of its type %d",
                       a->name, (int)a->type);
    if (a->type == LEGACY__ATTR_TYPE__BLOCK)
      PIR_TRY(check_child(d, block, i, a, claimed));
  }
  add_attr_slots(d, op);
  return check_slots(d, block, i, op->inputs, op->n_inputs);
}

// ---- blocks

static pir_status check_block(desc *d, size_t i) {
  const block_desc *block = d->program->blocks[i];
  if (block->idx < 0 || (size_t)block->idx != i)
    return fail_block(d, i, "block %zu says that it is block %d", block->idx);
  if (!i)
    return PIR_OK;
  if (block->parent_idx < 0 || (size_t)block->parent_idx >= i)
    return fail_block(d, i, "block %zu: its parent is block %d, expected one before it",
                      block->parent_idx);
  d->depth[i] = d->depth[block->parent_idx] + 1;
  if (d->depth[i] > DESC_DEPTH)
    return fail_block(d, i, "block %zu is nested more than %d deep", DESC_DEPTH);
  return PIR_OK;
}

// Reports every invalid variable and op; stops at an invalid block, because the remaining
// checks depend on it.
static pir_status check(desc *d) {
  const Legacy__ProgramDesc *program = d->program;
  bool *claimed = pir_arena_zalloc(&d->arena, program->n_blocks);
  pir_status status = PIR_OK;
  for (size_t b = 0; b < program->n_blocks; b++)
    PIR_TRY(check_block(d, b));
  for (size_t b = 0; b < program->n_blocks; b++) {
    for (size_t i = 0; i < program->blocks[b]->n_vars; i++)
      if (check_var(d, b, i))
        status = PIR_INVALID;
    for (size_t i = 0; i < program->blocks[b]->n_ops; i++)
      if (check_op(d, b, i, claimed))
        status = PIR_INVALID;
  }
  return status;
}

// ---- reading

static void make_tables(desc *d) {
  size_t n = d->program->n_blocks, ops = 0, vars = 0, capacity = 16;
  while (capacity < 2 * d->scan.vars.count)
    capacity *= 2;
  d->first_op = pir_arena_zalloc(&d->arena, n * sizeof *d->first_op);
  d->first_var = pir_arena_zalloc(&d->arena, n * sizeof *d->first_var);
  d->depth = pir_arena_zalloc(&d->arena, n * sizeof *d->depth);
  d->vars = pir_arena_zalloc(&d->arena, capacity * sizeof *d->vars);
  d->var_mask = capacity - 1;
  for (size_t b = 0; b < n; b++) {
    d->first_op[b] = ops;
    d->first_var[b] = vars;
    ops += d->program->blocks[b]->n_ops;
    vars += d->program->blocks[b]->n_vars;
  }
}

static pir_status unpack_program(desc *d, pir_str bytes) {
  d->program = unpack_message(bytes, &legacy__program_desc__descriptor, &d->arena);
  if (!d->program->n_blocks)
    return pir_report(d->ctx, PIR_INVALID, PIR_ERROR, place(d, 0), "a program without blocks");
  make_tables(d);
  return PIR_OK;
}

static pir_status read_desc(desc *d, pir_str bytes, const pir_limits *limits) {
  pir_status status = scan_message(bytes, &legacy__program_desc__descriptor, limits->max_ops,
                                   &d->arena, &d->scan);
  if (status)
    return pir_report(d->ctx, status, PIR_ERROR, place(d, d->scan.error_offset),
                      "not a .pdmodel: %.*s", (int)d->scan.error.size, d->scan.error.data);
  status = unpack_program(d, bytes);
  return status ? status : check(d);
}

pir_status desc_read(pir_context *ctx, pir_str bytes, pir_str file, desc **out_desc) {
  const pir_limits *limits = pir_context_limits(ctx);
  desc *d = pir_heap_take_zeroed(pir_context_heap(ctx), sizeof *d);
  pir_status status;
  *out_desc = NULL;
  d->ctx = ctx;
  d->file = file;
  pir_arena_init(&d->arena, pir_context_heap(ctx));
  status = read_desc(d, bytes, limits);
  if (status)
    desc_destroy(d);
  else
    *out_desc = d;
  return status;
}

void desc_destroy(desc *d) {
  if (!d)
    return;
  pir_arena_destroy(&d->arena);
  pir_heap_give(pir_context_heap(d->ctx), d);
}

const Legacy__ProgramDesc *desc_program(const desc *d) {
  return d->program;
}
