// cut_pass: keeps a part of a program.
//   outputs=A|B  its results are these values; ops without use for them are erased
//   inputs=A|B   these values are inputs, of the types that they have
// A value is named by the number that the program's text prints (%12), by the name of an
// output, input or parameter, or by its name in the file that was translated. Names are looked
// up before anything is changed.
#include "program_ports.h"
#include <effects.h>
#include <map.h>
#include <pass_list.h>
#include <pir/layer/named_values.h>
#include <vec.h>

#include <string.h>

typedef struct cut_value {
  pir_str name;
  pir_value *value;
} cut_value;

typedef PIR_VEC(cut_value) cut_values;

typedef struct cutting {
  pir_pass_run *run;
  pir_context *ctx;
  cut_values inputs, outputs;
} cutting;

static pir_status refuse(const cutting *c, pir_status status, const char *what, pir_str name) {
  return pir_report(c->ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "cut: %s \"%.*s\"", what,
                    (int)name.size, name.data);
}

static pir_status find_value(const cutting *c, pir_str name, pir_value **out_value) {
  pir_status status = pir_find_named_value(c->run->program, name, out_value, NULL);
  if (status == PIR_NOT_FOUND)
    return refuse(c, PIR_INVALID, "the program has no value", name);
  PIR_TRY(status);
  if (pir_value_block(*out_value) != pir_program_block(c->run->program))
    return refuse(c, PIR_UNSUPPORTED, "unsupported: a value inside of a region,", name);
  const pir_type *type = pir_value_type(*out_value);
  if (!type || !pir_type_is_tensor(type))
    return refuse(c, PIR_UNSUPPORTED, "unsupported: a value that is not one tensor,", name);
  return PIR_OK;
}

// Finds the values of an option's names, with `|` between.
static pir_status find_values(cutting *c, const char *key, cut_values *out) {
  pir_str list = pir_run_option(c->run, key);
  while (list.size) {
    const char *bar = memchr(list.data, '|', list.size);
    pir_str name = {list.data, bar ? (size_t)(bar - list.data) : list.size};
    size_t past = name.size + (bar != NULL);
    list = (pir_str){list.data + past, list.size - past};
    cut_value found = {.name = name};
    PIR_TRY(find_value(c, name, &found.value));
    pir_vec_push(pir_context_arena(c->ctx), out, found);
  }
  return PIR_OK;
}

// ---- the ops that the outputs need

// Values that needed ops read, as a set; of values that share memory by in-place ops, the first
// one stands for all.
typedef struct reads {
  pir_arena *arena;
  pir_map first;  // value -> the value whose memory it is
  pir_map read;   // first values, each with 1
} reads;

static pir_value *first_of(const reads *r, pir_value *value) {
  pir_value *first = pir_map_get(&r->first, value);
  return first ? first : value;
}

static pir_walk_result note_memory(pir_op *op, void *user) {
  reads *r = user;
  const pir_opdef *def = pir_op_def(op);
  for (size_t i = 0; i < def->inplace_count && def->traits & PIR_INPLACE; i++) {
    pir_value *from = pir_op_optional(op, def->inplace[i].operand);
    if (from && def->inplace[i].result < pir_op_results(op))
      pir_map_put(r->arena, &r->first, pir_op_result(op, def->inplace[i].result),
                  (uintptr_t)first_of(r, from));
  }
  return PIR_WALK_CONTINUE;
}

static pir_walk_result note_reads(pir_op *op, void *user) {
  reads *r = user;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    pir_value *value = pir_op_operand(op, i);
    if (value)
      pir_map_put(r->arena, &r->read, first_of(r, value), 1);
  }
  return PIR_WALK_CONTINUE;
}

static bool later_reads(const reads *r, pir_value *value) {
  return value && pir_map_find(&r->read, first_of(r, value));
}

// Stops at an op that writes a value that is read, or that may.
static pir_walk_result find_write(pir_op *op, void *user) {
  const reads *r = user;
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (pir_op_overwrites(op, i) && later_reads(r, pir_op_operand(op, i)))
      return PIR_WALK_STOP;
  return pir_op_has(op, PIR_REGISTERED) ? PIR_WALK_CONTINUE : PIR_WALK_STOP;
}

static bool cut_needs(reads *r, pir_op *op) {
  if (pir_op_has_any(op, PIR_OUTPUT | PIR_TERMINATOR))
    return true;
  for (size_t i = 0; i < pir_op_results(op); i++)
    if (later_reads(r, pir_op_result(op, i)))
      return true;
  return pir_walk(op, PIR_PRE_ORDER, find_write, r) == PIR_WALK_STOP;
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
  pir_map_free(r.arena, &r.first);
  pir_map_free(r.arena, &r.read);
  pir_run_count(c->run, "ops erased", erased);
}

// ---- ports

static void erase_outputs(const cutting *c) {
  for (pir_op *op = pir_block_first(pir_program_block(c->run->program)), *next; op; op = next) {
    next = pir_op_next(op);
    if (pir_op_has(op, PIR_OUTPUT) && pir_op_unused(op))
      pir_rewriter_erase(c->run->rewriter, op);
  }
}

// Replaces the outputs that the program has. The last op may be a terminator.
static void replace_outputs(cutting *c) {
  pir_block *block = pir_program_block(c->run->program);
  if (!c->outputs.count)
    return;
  erase_outputs(c);
  for (size_t i = 0; i < c->outputs.count; i++) {
    pir_op *last = pir_block_last(block);
    pir_op *output =
        program_add_output(c->run, last, c->outputs.items[i].value, c->outputs.items[i].name);
    if (!pir_op_has(last, PIR_TERMINATOR))
      pir_op_move_before(last, output);
  }
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

pir_status pir_pass_cut(pir_pass_run *run) {
  cutting c = {.run = run, .ctx = pir_program_context(run->program)};
  pir_status status = find_values(&c, "outputs", &c.outputs);
  if (!status)
    status = find_values(&c, "inputs", &c.inputs);
  if (!status) {
    replace_outputs(&c);
    replace_inputs(&c);
    erase_unneeded(&c);
  }
  pir_vec_free(pir_context_arena(c.ctx), &c.inputs);
  pir_vec_free(pir_context_arena(c.ctx), &c.outputs);
  return status;
}
