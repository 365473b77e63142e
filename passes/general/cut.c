// cut_pass: keeps a part of a program.
//   outputs=A|B  its results are these values; ops without use for them are erased
//   inputs=A|B   these values are inputs, of the types that they have
// A value is named by the number that the program's text prints (%12), by the name of an
// output, input or parameter, or by its name in the file that was translated. Names are looked
// up before anything is changed. Ops with an effect besides memory, as assertions and pushes on
// a stack, stay with their operands; memory that is written in place is no hindrance, since
// readers, the new outputs among them, first get the written value (forward_writes.h).
#include "forward_writes.h"
#include "program_ports.h"
#include <effects.h>
#include <map.h>
#include <pass_list.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/named_values.h>
#include <vec.h>

typedef struct cut_value {
  pir_str name;
  pir_value *value;
} cut_value;

typedef PIR_VEC(cut_value) cut_values;

// An output of the program, and the value that it read.
typedef struct old_output {
  pir_op *op;
  pir_value *value;
} old_output;

typedef struct cutting {
  pir_pass_run *run;
  pir_context *ctx;
  cut_values inputs, outputs;
  PIR_VEC(old_output) old;
  PIR_VEC(pir_op *) made;  // new outputs
} cutting;

static pir_status refuse(const cutting *c, pir_status status, const char *what, pir_str name) {
  return pir_report(c->ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "cut: %s \"%.*s\"", what,
                    (int)name.size, name.data);
}

static pir_status find_value(const cutting *c, pir_str name, pir_value **out_value) {
  pir_status status = pir_find_named_value(c->run->program, name, out_value, NULL);
  if (status == PIR_NOT_FOUND)
    return pir_report(c->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "cut: the program has no value \"%.*s\"%s", (int)name.size, name.data,
                      pir_named_value_hint(c->run->program, name).text);
  PIR_TRY(status);
  // A fetch is erased, so its operand stands for its result.
  for (pir_op *op = pir_value_op(*out_value); op && pir_op_has(op, PIR_OUTPUT);
       op = pir_value_op(*out_value))
    *out_value = pir_op_operand(op, 0);
  if (!pir_value_op(*out_value) ||
      pir_value_block(*out_value) != pir_program_block(c->run->program))
    return refuse(c, PIR_UNSUPPORTED, "unsupported: a value inside of a region,", name);
  const pir_type *type = pir_value_type(*out_value);
  if (!type || !pir_type_is_tensor(type))
    return refuse(c, PIR_UNSUPPORTED, "unsupported: a value that is not one tensor,", name);
  return PIR_OK;
}

// Finds the values of an option's names, with `|` between.
static pir_status find_values(cutting *c, const char *key, cut_values *out) {
  pir_str list = pir_run_option(c->run, key), name;
  while (pass_next_name(&list, &name)) {
    cut_value found = {.name = name};
    PIR_TRY(find_value(c, name, &found.value));
    for (size_t i = 0; i < out->count; i++)
      if (pir_str_equal(out->items[i].name, name))
        return refuse(c, PIR_INVALID, "twice the same name,", name);
    pir_vec_push(pir_context_arena(c->ctx), out, found);
  }
  return PIR_OK;
}

// ---- the ops that the outputs need

// Values that needed ops read, as a set, and for a value with the memory of another one this
// holder. Questions are about the first holder.
typedef struct reads {
  pir_arena *arena;
  pir_map values, holders;
} reads;

static const pir_value *first_holder(const reads *r, const pir_value *value) {
  for (uint64_t *holder; (holder = pir_map_find(&r->holders, value));) {
    uint64_t *next = pir_map_find(&r->holders, (const void *)(uintptr_t)*holder);
    if (next)
      *holder = *next;
    value = (const pir_value *)(uintptr_t)*holder;
  }
  return value;
}

static void note_holder(reads *r, const pir_value *value, const pir_value *other) {
  const pir_value *a = value ? first_holder(r, value) : NULL,
                  *b = other ? first_holder(r, other) : NULL;
  if (a && b && a != b)
    pir_map_put(r->arena, &r->holders, a, (uint64_t)(uintptr_t)b);
}

// An array is handed into regions and out of them as it is; a tensor is a new one there.
static void note_handed(reads *r, const pir_value *value, const pir_value *other) {
  const pir_type *type = value ? pir_value_type(value) : NULL;
  if (type && pir_type_kind_of(type) == PIR_TYPE_TENSOR_ARRAY)
    note_holder(r, value, other);
}

static pir_walk_result note_memory(pir_op *op, void *user) {
  reads *r = user;
  const pir_opdef *def = pir_op_def(op);
  for (size_t i = 0; i < def->inplace_count && def->traits & PIR_INPLACE; i++)
    if (def->inplace[i].result < pir_op_results(op))
      note_holder(r, pir_op_result(op, def->inplace[i].result),
                  pir_op_optional(op, def->inplace[i].operand));
  pir_block *body = pir_loop_body(op);
  for (size_t i = 0; body && i < pir_block_arguments(body); i++)
    note_handed(r, pir_block_argument(body, i), pir_op_optional(op, i + 1));
  for (size_t k = 0; pir_op_has(op, PIR_CONTROL) && k < pir_op_regions(op); k++) {
    const pir_block *block = pir_op_body(op, k);
    const pir_op *end = block ? pir_block_last(block) : NULL;
    for (size_t i = 0; end && i < pir_op_results(op); i++)
      note_handed(r, pir_op_result(op, i), pir_op_optional(end, i + (body != NULL)));
  }
  return PIR_WALK_CONTINUE;
}

static void note_read(reads *r, const pir_value *value) {
  if (!value)
    return;
  pir_map_put(r->arena, &r->values, value, 1);
  pir_map_put(r->arena, &r->values, first_holder(r, value), 1);
}

static pir_walk_result note_reads(pir_op *op, void *user) {
  for (size_t i = 0; i < pir_op_operands(op); i++)
    note_read(user, pir_op_operand(op, i));
  return PIR_WALK_CONTINUE;
}

// Whether an op makes an array or reads one. It stays where it is, since arrays are written in
// place, but it does no more.
static bool looks_at_array(const pir_op *op) {
  switch (pir_op_def(op)->id) {
    case PD_CREATE_ARRAY:
    case PD_CREATE_ARRAY_LIKE:
    case PD_TENSOR_TO_ARRAY:
    case PD_ARRAY_LENGTH:
    case PD_ARRAY_READ: return true;
    default: return false;
  }
}

// Stops at an op that does more than computing its results, or that may.
static pir_walk_result find_effect(pir_op *op, void *user) {
  enum {
    HARMLESS = PIR_PURE | PIR_INPUT | PIR_PARAMETER | PIR_RANDOM | PIR_INPLACE | PIR_CONTROL |
               PIR_TERMINATOR
  };
  (void)user;
  bool harmless =
      pir_op_has(op, PIR_REGISTERED) && (pir_op_has_any(op, HARMLESS) || looks_at_array(op));
  return harmless ? PIR_WALK_CONTINUE : PIR_WALK_STOP;
}

// Stops at an op that writes over memory which is read later.
static pir_walk_result find_overwritten(pir_op *op, void *user) {
  const reads *r = user;
  const pir_opdef *def = pir_op_def(op);
  for (size_t i = 0; i < def->inplace_count && def->traits & PIR_INPLACE; i++) {
    const pir_value *operand = pir_op_optional(op, def->inplace[i].operand);
    if (operand && pir_map_find(&r->values, first_holder(r, operand)))
      return PIR_WALK_STOP;
  }
  return PIR_WALK_CONTINUE;
}

static bool cut_needs(reads *r, pir_op *op) {
  if (pir_op_has_any(op, PIR_OUTPUT | PIR_TERMINATOR))
    return true;
  for (size_t i = 0; i < pir_op_results(op); i++)
    if (pir_map_find(&r->values, pir_op_result(op, i)))
      return true;
  return pir_walk(op, PIR_PRE_ORDER, find_effect, NULL) == PIR_WALK_STOP ||
         pir_walk(op, PIR_PRE_ORDER, find_overwritten, r) == PIR_WALK_STOP;
}

// One sweep from the last op to the first, so that later readers are known.
static void erase_unneeded(const cutting *c) {
  pir_block *block = pir_program_block(c->run->program);
  reads r = {.arena = pir_context_arena(c->ctx)};
  uint64_t erased = 0;
  pir_walk(pir_program_module(c->run->program), PIR_PRE_ORDER, note_memory, &r);
  for (pir_op *op = pir_block_last(block), *before; op; op = before) {
    before = pir_op_prev(op);
    if (cut_needs(&r, op)) {
      pir_walk(op, PIR_PRE_ORDER, note_reads, &r);
      continue;
    }
    if (pir_op_has(op, PIR_PARAMETER))
      pir_program_drop_param(c->run->program, pir_op_parameter_name(op));
    pir_rewriter_erase(c->run->rewriter, op);
    erased++;
  }
  pir_map_free(r.arena, &r.values);
  pir_map_free(r.arena, &r.holders);
  pir_run_count(c->run, "ops erased", erased);
}

// ---- ports

// Lets the outputs that the program has read nothing, and adds the new ones. From the last one
// on: an output may read the result of another one.
static void replace_outputs(cutting *c) {
  pir_op *op = c->outputs.count ? pir_block_last(pir_program_block(c->run->program)) : NULL;
  for (; op; op = pir_op_prev(op)) {
    if (!pir_op_has(op, PIR_OUTPUT) || !pir_op_unused(op))
      continue;
    old_output old = {op, pir_op_operand(op, 0)};
    pir_vec_push(pir_context_arena(c->ctx), &c->old, old);
    pir_rewriter_set_operand(c->run->rewriter, op, 0, NULL);
  }
  for (size_t i = 0; i < c->outputs.count; i++)
    pir_vec_push(
        pir_context_arena(c->ctx), &c->made,
        program_append_output(c->run, c->outputs.items[i].value, c->outputs.items[i].name));
}

static void restore_outputs(cutting *c) {
  for (size_t i = c->made.count; i-- > 0;)
    pir_rewriter_erase(c->run->rewriter, c->made.items[i]);
  for (size_t i = c->old.count; i-- > 0;)
    pir_rewriter_set_operand(c->run->rewriter, c->old.items[i].op, 0, c->old.items[i].value);
}

static void erase_old_outputs(cutting *c) {
  for (size_t i = 0; i < c->old.count; i++)
    pir_rewriter_erase(c->run->rewriter, c->old.items[i].op);
}

static void replace_inputs(cutting *c) {
  for (size_t i = 0; i < c->inputs.count; i++) {
    pir_value *value = c->inputs.items[i].value;
    pir_op *op = pir_value_op(value);
    if (pir_op_has(op, PIR_INPUT))
      continue;
    pir_rewriter_replace_value(
        c->run->rewriter, value,
        program_add_input(c->run, op, c->inputs.items[i].name, pir_value_type(value)));
  }
}

// Follows inputs that are results of an op which is made again.
static void follow_inputs(void *user, pir_op *op, pir_value *const *by) {
  cutting *c = user;
  for (size_t i = 0; i < c->inputs.count; i++)
    for (size_t k = 0; k < pir_op_results(op); k++)
      if (c->inputs.items[i].value == pir_op_result(op, k) && by[k])
        c->inputs.items[i].value = by[k];
}

// The outputs come first, so that they read a value written in place as other readers do; the
// inputs stand for the values that readers get. A failure leaves the program as it was.
static pir_status change_ports(cutting *c) {
  pir_rewrite_listener listener = {.replaced = follow_inputs, .user = c};
  replace_outputs(c);
  pir_rewriter_listen(c->run->rewriter, &listener);
  pir_status status = pir_forward_writes(c->run, false, NULL, NULL);
  pir_rewriter_unlisten(c->run->rewriter, &listener);
  if (status) {
    restore_outputs(c);
    return status;
  }
  erase_old_outputs(c);
  replace_inputs(c);
  return PIR_OK;
}

pir_status pir_pass_cut(pir_pass_run *run) {
  cutting c = {.run = run, .ctx = pir_program_context(run->program)};
  pir_status status = find_values(&c, "outputs", &c.outputs);
  if (!status)
    status = find_values(&c, "inputs", &c.inputs);
  if (!status)
    status = change_ports(&c);
  if (!status)
    erase_unneeded(&c);
  pir_vec_free(pir_context_arena(c.ctx), &c.made);
  pir_vec_free(pir_context_arena(c.ctx), &c.old);
  pir_vec_free(pir_context_arena(c.ctx), &c.inputs);
  pir_vec_free(pir_context_arena(c.ctx), &c.outputs);
  return status;
}
