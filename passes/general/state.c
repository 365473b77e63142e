// expose_state_pass: turns a training program into a function of its state. A parameter (or
// input) that an in-place op or builtin.set_parameter writes becomes an input of its name, and
// its final value becomes an output of that name. Readers after the write read the new value
// (forward_writes.h). The caller passes the outputs back as inputs of the next run.
#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include "forward_writes.h"
#include "program_ports.h"
#include <pass_list.h>
#include <effects.h>
#include <map.h>
#include <vec.h>

typedef struct state {
  pir_value *source, *last;  // the initial value, and the value after all writes
} state;

typedef struct exposing {
  pir_pass_run *run;
  pir_context *ctx;
  PIR_VEC(state) states;
  int64_t columns;  // outputs the program has
} exposing;

static void note_state(void *user, pir_value *first, pir_value *last) {
  exposing *e = user;
  const pir_op *source = pir_value_op(first);
  if (source && pir_op_def(source)->traits & (PIR_PARAMETER | PIR_INPUT))
    pir_vec_push(pir_context_arena(e->ctx), &e->states, ((state){first, last}));
}

static pir_str name_of(const pir_op *source) {
  if (pir_op_has(source, PIR_PARAMETER))
    return pir_op_parameter_name(source);
  return pir_attr_as_str(pir_op_attr_str(source, "name"));
}

// A parameter that is read and set is a state, whose last value is the one that is set. O(ops).
static void take_settings(exposing *e) {
  pir_block *block = pir_program_block(e->run->program);
  pir_arena *arena = pir_context_arena(e->ctx);
  pir_map parameters = {0};  // name -> op
  pir_map places = {0};      // op -> number of its state, from 1
  for (size_t i = 0; i < e->states.count; i++)
    pir_map_put(arena, &places, pir_value_op(e->states.items[i].source), i + 1);
  PIR_EACH_OP(op, block)
  if (pir_op_is(op, BUILTIN_PARAMETER))
    pir_map_put(arena, &parameters, pir_op_attr_at(op, BUILTIN_PARAMETER_ATTR_PARAMETER_NAME),
                (uint64_t)(uintptr_t)op);
  PIR_EACH_OP(op, block) {
    if (!pir_op_is(op, BUILTIN_SET_PARAMETER) || !pir_op_operand(op, 0))
      continue;
    pir_op *source =
        pir_map_get(&parameters, pir_op_attr_at(op, BUILTIN_SET_PARAMETER_ATTR_PARAMETER_NAME));
    if (!source)
      continue;
    uint64_t *place = pir_map_place(arena, &places, source, e->states.count + 1);
    state set = {pir_op_result(source, 0), pir_op_operand(op, 0)};
    if (*place > e->states.count)
      pir_vec_push(arena, &e->states, set);
    else
      e->states.items[*place - 1].last = set.last;
    pir_rewriter_erase(e->run->rewriter, op);
  }
  pir_map_free(arena, &parameters);
  pir_map_free(arena, &places);
}

// Outputs are at the end of the block: before its terminator, or after its last op.
static void make_fetch(exposing *e, const state *s, pir_str name) {
  const pir_opdef *def = pir_context_op(e->ctx, PD_FETCH);
  pir_block *block = pir_program_block(e->run->program);
  pir_op *last = pir_block_last(block);
  const pir_type *type = pir_value_type(s->last);
  pir_named_attr attrs[] = {
      pir_declared_attr(e->ctx, def, PD_FETCH_ATTR_NAME,
                        pir_attr_str(e->ctx, PIR_ATTR_STR, name)),
      pir_declared_attr(e->ctx, def, PD_FETCH_ATTR_COL,
                        pir_attr_int(e->ctx, PIR_ATTR_I32, e->columns++)),
  };
  pir_op_spec spec = {.def = def,
                      .loc = pir_op_loc(last),
                      .operands = &s->last,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = sizeof attrs / sizeof *attrs};
  pir_op *output = pir_rewriter_create(e->run->rewriter, last, &spec);
  if (!pir_op_has(last, PIR_TERMINATOR))
    pir_op_move_before(last, output);
}

static void expose(exposing *e, const state *s) {
  pir_op *source = pir_value_op(s->source);
  make_fetch(e, s, name_of(source));
  if (!pir_op_has(source, PIR_PARAMETER))
    return;
  pir_rewriter_replace_value(
      e->run->rewriter, s->source,
      program_add_input(e->run, source, name_of(source), pir_value_type(s->source)));
  pir_program_drop_param(e->run->program, name_of(source));
  pir_rewriter_erase(e->run->rewriter, source);
}

pir_status pir_pass_expose_state(pir_pass_run *run) {
  exposing e = {.run = run, .ctx = pir_program_context(run->program)};
  PIR_TRY(pir_forward_writes(run, true, note_state, &e));
  take_settings(&e);
  PIR_EACH_OP(op, pir_program_block(run->program)) e.columns += pir_op_has(op, PIR_OUTPUT);
  for (size_t i = 0; i < e.states.count; i++)
    expose(&e, &e.states.items[i]);
  pir_run_count(run, "states exposed", e.states.count);
  return PIR_OK;
}
