// Which inputs have the batch as their first dimension: those that the option names, or all
// that have its extent there. An extent may be equal by chance, as the extent of numbers for
// features. Such an input is split at first, too, and taken back when an op needs it whole
// beside tensors of the batch.
#include "shard.h"

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/walk.h>

// An origin of several inputs.
static const uint64_t MIXED = UINT64_MAX;

static bool is_input(const pir_op *op) {
  return pir_op_has(op, PIR_INPUT) && pir_op_results(op) == 1 &&
         pir_type_is_tensor(pir_value_type(pir_op_result(op, 0))) &&
         pir_type_shape(pir_value_type(pir_op_result(op, 0))).rank;
}

static int64_t first_extent(const pir_op *input) {
  return pir_type_shape(pir_value_type(pir_op_result(input, 0))).dims[0];
}

static size_t input_rank(const pir_op *input) {
  return pir_type_shape(pir_value_type(pir_op_result(input, 0))).rank;
}

static pir_walk_result collect_input(pir_op *op, void *user) {
  shard_state *s = user;
  if (!is_input(op))
    return PIR_WALK_CONTINUE;
  pir_vec_push(s->arena, &s->inputs, ((shard_input){.op = op}));
  pir_map_put(s->arena, &s->input_of, op, s->inputs.count);
  return PIR_WALK_CONTINUE;
}

// ---- named inputs
static pir_status take_named(shard_state *s, pir_str name) {
  for (size_t i = 0; i < s->inputs.count; i++) {
    shard_input *input = &s->inputs.items[i];
    const pir_attr *given = pir_op_attr_str(input->op, "name");
    if (!given || pir_attr_kind_of(given) != PIR_ATTR_STR ||
        !pir_str_equal(pir_attr_as_str(given), name))
      continue;
    if (s->leading && first_extent(s->leading) != first_extent(input->op))
      return pir_error(input->op,
                       "its first extent is not that of the first input of option batch");
    s->leading = s->leading ? s->leading : input->op;
    input->split = true;
    return PIR_OK;
  }
  return pir_run_bad_option(s->run, "batch",
                            "names of inputs that have a dimension, with | between");
}

static pir_status take_all_named(shard_state *s, pir_str names) {
  size_t from = 0;
  for (size_t i = 0; i <= names.size; i++)
    if (i == names.size || names.data[i] == '|') {
      PIR_TRY(take_named(s, (pir_str){names.data + from, i - from}));
      from = i + 1;
    }
  return PIR_OK;
}

// ---- inputs of the batch's extent
// The first input of two dimensions or more, or else the first: a vector may be numbers for
// features, wherever it is declared.
static const pir_op *find_leading(const shard_state *s) {
  for (size_t i = 0; i < s->inputs.count; i++)
    if (input_rank(s->inputs.items[i].op) > 1)
      return s->inputs.items[i].op;
  return s->inputs.items[0].op;
}

// Unknown extents do not say whether they are the batch: a rank that got a part of another one
// would compute wrong numbers.
static pir_status take_like_first(shard_state *s) {
  s->leading = find_leading(s);
  for (size_t i = 0; i < s->inputs.count; i++) {
    shard_input *input = &s->inputs.items[i];
    input->split = first_extent(input->op) == first_extent(s->leading);
    if (input->op != s->leading && input->split && first_extent(input->op) < 0)
      return pir_report_op(input->op, PIR_UNSUPPORTED, PIR_ERROR,
                           "unsupported: a second input of unknown first extent beside the "
                           "batch; option batch names the inputs that have it");
  }
  return PIR_OK;
}

pir_status shard_find_batch(shard_state *s) {
  pir_str names = pir_run_option(s->run, "batch");
  if (s->batch < 0 || s->extents[s->batch] == 1)
    return names.size ? pir_run_bad_option(s->run, "batch",
                                           "a mesh of two ranks or more along axis batch")
                      : PIR_OK;
  pir_walk(pir_program_module(s->run->program), PIR_PRE_ORDER, collect_input, s);
  if (!s->inputs.count)
    return pir_report(s->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "nothing to shard along axis batch: no input has a dimension");
  s->batch_named = names.size;
  PIR_TRY(names.size ? take_all_named(s, names) : take_like_first(s));
  int64_t batch = first_extent(s->leading);
  if (batch < 0 && !s->parts)
    return pir_report_op(s->leading, PIR_UNSUPPORTED, PIR_ERROR,
                         "unsupported: a batch of unknown extent is cut; with option parts "
                         "ranks take their parts of it");
  if (batch >= 0 && batch % s->extents[s->batch])
    return pir_error(s->leading,
                     "a batch of %lld does not divide among the %lld ranks of axis batch",
                     (long long)batch, (long long)s->extents[s->batch]);
  return PIR_OK;
}

bool shard_splits_input(const shard_state *s, const pir_op *op) {
  uint64_t *input = pir_map_find(&s->input_of, op);
  return input && s->inputs.items[*input - 1].split;
}

// ---- taking inputs back
typedef struct batch_check {
  shard_state *s;
  pir_map origins;  // of a value that is split along the batch: 1 + its input; MIXED
  bool rejected;
} batch_check;

static uint64_t input_of(const batch_check *c, const pir_value *value) {
  uint64_t *origin = value ? pir_map_find(&c->origins, value) : NULL;
  return origin ? *origin : 0;
}

static shard_input *lone_input(const batch_check *c, uint64_t origin) {
  shard_input *input = origin && origin != MIXED ? &c->s->inputs.items[origin - 1] : NULL;
  return input && input->op != c->s->leading ? input : NULL;
}

// Whether the op takes operand `i` without a change along the batch.
static bool keeps_batch(const batch_check *c, const pir_op *op, const dist_of_op *of,
                        size_t i) {
  const pir_value *value = pir_op_operand(op, i);
  return i >= pir_attr_elements(of->operands) ||
         shard_split_of(pir_type_dist_attr(pir_value_type(value)), c->s->batch) ==
             shard_split_of(pir_attr_element(of->operands, i), c->s->batch);
}

// How surely a value has the batch: the leading input and what several inputs made before all,
// then inputs of higher rank.
static size_t certainty(const batch_check *c, uint64_t origin) {
  const shard_input *input = lone_input(c, origin);
  return input ? input_rank(input->op) : SIZE_MAX;
}

// An op that lets one of its operands change, although both come from split inputs, holds one
// that has no batch.
static void check_operands(batch_check *c, const pir_op *op, const dist_of_op *of) {
  bool changed = false;
  uint64_t surest = 0;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    uint64_t origin = input_of(c, pir_op_operand(op, i));
    changed |= origin && !keeps_batch(c, op, of, i);
    if (origin && (!surest || certainty(c, origin) > certainty(c, surest)))
      surest = origin;
  }
  for (size_t i = 0; i < pir_op_operands(op) && changed; i++) {
    uint64_t origin = input_of(c, pir_op_operand(op, i));
    shard_input *input = lone_input(c, origin);
    if (input && input->split && origin != surest) {
      input->split = false;
      c->rejected = true;
      pir_ignore(pir_report_op(input->op, PIR_OK, PIR_NOTE,
                               "the input has the first extent of the batch, but is needed "
                               "whole beside it: each rank takes all"));
    }
  }
}

static pir_walk_result follow_batch(pir_op *op, void *user) {
  batch_check *c = user;
  dist_of_op of;
  if (pir_op_has(op, PIR_OUTPUT))
    return PIR_WALK_CONTINUE;
  uint64_t origin =
      shard_splits_input(c->s, op) ? *(uint64_t *)pir_map_find(&c->s->input_of, op) : 0;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    uint64_t other = input_of(c, pir_op_operand(op, i));
    origin = !origin || origin == other || !other ? origin | other : MIXED;
  }
  if (dist_of(op, &of) && pir_op_operands(op))
    check_operands(c, op, &of);
  for (size_t i = 0; i < pir_op_results(op) && origin; i++) {
    const pir_type *type = pir_value_type(pir_op_result(op, i));
    const pir_attr *dist = pir_type_dist_attr(type);
    if (!dist || shard_split_of(dist, c->s->batch) >= 0)
      pir_map_put(c->s->arena, &c->origins, pir_op_result(op, i), origin);
  }
  return PIR_WALK_CONTINUE;
}

bool shard_reject_inputs(shard_state *s) {
  batch_check c = {.s = s};
  if (!s->inputs.count || s->batch_named)
    return false;
  pir_walk(pir_program_module(s->run->program), PIR_PRE_ORDER, follow_batch, &c);
  pir_map_free(s->arena, &c.origins);
  return c.rejected;
}
