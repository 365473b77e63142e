// expose_state_pass: turns a training program into a function of its state. A parameter (or
// input) that an in-place op writes becomes an input of its name, and its final value becomes
// an output of that name. Readers after the write read the new value. The caller passes the
// outputs back as inputs of the next run. One pass over the top block; regions may read state
// but not write it.
#include <pir/compiler/dialect/pd_op.h>
#include <pass_list.h>
#include <pir/compiler/pass.h>
#include <effects.h>
#include <vec.h>

typedef struct state {
  pir_value *source, *now;  // the initial value, and the value after the writes so far
} state;

typedef struct exposing {
  pir_pass_run *run;
  pir_context *ctx;
  PIR_VEC(state) states;
  int64_t columns;  // outputs the program has
} exposing;

static state *find_state(exposing *e, const pir_value *value) {
  for (size_t i = 0; i < e->states.count; i++)
    if (e->states.items[i].source == value || e->states.items[i].now == value)
      return &e->states.items[i];
  return NULL;
}

static bool holds_state(const pir_value *value) {
  const pir_op *source = pir_value_op(value);
  return source && (pir_op_def(source)->traits & (PIR_PARAMETER | PIR_INPUT));
}

// Readers after a write get the written value.
static void read_newest(exposing *e, pir_op *op) {
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    pir_value *value = pir_op_operand(op, i);
    state *s = value ? find_state(e, value) : NULL;
    if (s && s->source == value && s->now != value)
      pir_rewriter_set_operand(e->run->rewriter, op, i, s->now);
  }
}

static void note_writes(exposing *e, pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  for (int i = 0; (def->traits & PIR_INPLACE) && i < def->inplace_count; i++) {
    size_t from = def->inplace[i].operand, to = def->inplace[i].result;
    pir_value *value = pir_op_optional(op, from);
    pir_value *written = to < pir_op_results(op) ? pir_op_result(op, to) : NULL;
    if (!value || !written || !pir_value_type(written))
      continue;
    state *s = find_state(e, value);
    if (s)
      s->now = written;
    else if (holds_state(value))
      pir_vec_push(pir_context_arena(e->ctx), &e->states, ((state){value, written}));
  }
}

static pir_str name_of(const pir_op *source) {
  if (pir_op_has(source, PIR_PARAMETER))
    return pir_op_parameter_name(source);
  return pir_attr_as_str(pir_op_attr_str(source, "name"));
}

static pir_value *make_data(exposing *e, pir_op *parameter) {
  const pir_opdef *def = pir_context_op(e->ctx, PD_DATA);
  const pir_type *type = pir_value_type(pir_op_result(parameter, 0));
  pir_shape shape = pir_type_shape(type);
  pir_named_attr attrs[] = {
      pir_declared_attr(e->ctx, def, PD_DATA_ATTR_NAME,
                        pir_attr_str(e->ctx, PIR_ATTR_STR, name_of(parameter))),
      pir_declared_attr(e->ctx, def, PD_DATA_ATTR_SHAPE,
                        pir_attr_int_array(e->ctx, shape.dims, shape.rank)),
      pir_declared_attr(e->ctx, def, PD_DATA_ATTR_DTYPE,
                        pir_attr_dtype(e->ctx, pir_type_dtype(type))),
      pir_declared_attr(e->ctx, def, PD_DATA_ATTR_PLACE,
                        pir_attr_place(e->ctx, (pir_place){0})),
  };
  pir_op_spec spec = {.def = def,
                      .loc = pir_op_loc(parameter),
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = sizeof attrs / sizeof *attrs};
  return pir_op_result(pir_rewriter_create(e->run->rewriter, parameter, &spec), 0);
}

// Outputs are at the end of the block: before its terminator, or after its last op.
static void make_fetch(exposing *e, const state *s, pir_str name) {
  const pir_opdef *def = pir_context_op(e->ctx, PD_FETCH);
  pir_block *block = pir_program_block(e->run->program);
  pir_op *last = pir_block_last(block);
  const pir_type *type = pir_value_type(s->now);
  pir_named_attr attrs[] = {
      pir_declared_attr(e->ctx, def, PD_FETCH_ATTR_NAME,
                        pir_attr_str(e->ctx, PIR_ATTR_STR, name)),
      pir_declared_attr(e->ctx, def, PD_FETCH_ATTR_COL,
                        pir_attr_int(e->ctx, PIR_ATTR_I32, e->columns++)),
  };
  pir_op_spec spec = {.def = def,
                      .loc = pir_op_loc(last),
                      .operands = &s->now,
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
  pir_rewriter_replace_value(e->run->rewriter, s->source, make_data(e, source));
  pir_program_drop_param(e->run->program, name_of(source));
  pir_rewriter_erase(e->run->rewriter, source);
}

pir_status pir_pass_expose_state(pir_pass_run *run) {
  exposing e = {.run = run, .ctx = pir_program_context(run->program)};
  for (pir_op *op = pir_block_first(pir_program_block(run->program)); op;
       op = pir_op_next(op)) {
    e.columns += pir_op_has(op, PIR_OUTPUT);
    read_newest(&e, op);
    note_writes(&e, op);
  }
  for (size_t i = 0; i < e.states.count; i++)
    expose(&e, &e.states.items[i]);
  pir_run_count(run, "states exposed", e.states.count);
  return PIR_OK;
}
