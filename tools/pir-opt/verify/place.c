// The op whose gradient is wrong (place.h): a program of one op has its operands as inputs.
#include "place.h"

#include "numbers.h"

#include <pir/compiler/build.h>
#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/named_values.h>

#include <stdio.h>
#include <string.h>

enum { NAME = 32, MOST_OPERANDS = 64 };

typedef struct placing {
  const slopes_request *request;
  pir_context *ctx;
  const pir_program *program;
  numbers values;      // of all tensors, by the names of their outputs
  uint64_t first;      // mark of the first value
  pir_value_map *map;  // of the program of one op
  slope beyond;        // of the op that is judged
} placing;

static pir_str value_name(char text[NAME], uint64_t number) {
  return (pir_str){text, pir_text_format(text, NAME, "place.%llu", (unsigned long long)number)};
}

// Every tensor becomes an output, named by the mark of its op and its position.
static void name_values(pir_program *program) {
  uint64_t number = 1;
  pir_op *last = pir_block_last(pir_program_block(program));
  for (pir_op *op = pir_block_first(pir_program_block(program)); op;
       op = op == last ? NULL : pir_op_next(op)) {
    pir_op_set_mark(op, number);
    for (size_t i = 0; i < pir_op_results(op); i++, number++) {
      char name[NAME];
      const pir_type *type = pir_value_type(pir_op_result(op, i));
      if (type && pir_type_is_tensor(type))
        pir_append_output(program, value_name(name, number), pir_op_result(op, i));
    }
  }
}

static const pir_tensor *tensor_of(const placing *p, const pir_value *value) {
  char name[NAME];
  const pir_op *op = pir_value_op(value);
  if (!op)
    return NULL;
  value_name(name, pir_op_mark(op) + pir_value_index(value));
  return numbers_find(&p->values, name);
}

// ---- the program of one op

static pir_value *put_operand_input(const placing *p, pir_block *block,
                                    const pir_value *value) {
  const pir_tensor *t = tensor_of(p, value);
  char name[NAME];
  if (!t)
    return NULL;
  pir_shape shape = {t->shape, (size_t)t->rank};
  const pir_type *type = pir_type_tensor(p->ctx, t->dtype, shape);
  pir_str text = value_name(name, pir_op_mark(pir_value_op(value)) + pir_value_index(value));
  pir_named_attr attrs[] = {
      {pir_name_get(p->ctx, PIR_STR("name")), pir_attr_str(p->ctx, PIR_ATTR_STR, text)},
      {pir_name_get(p->ctx, PIR_STR("shape")),
       pir_attr_int_array(p->ctx, shape.dims, shape.rank)},
      {pir_name_get(p->ctx, PIR_STR("dtype")), pir_attr_dtype(p->ctx, t->dtype)},
      {pir_name_get(p->ctx, PIR_STR("place")), pir_attr_place(p->ctx, (pir_place){0})},
      {pir_name_get(p->ctx, PIR_STR("stop_gradient")), pir_attr_flag(p->ctx, false)}};
  pir_builder b = pir_builder_at_end(block);
  pir_op *op = pir_build(&b, &(pir_op_spec){.def = pir_context_op(p->ctx, PD_DATA),
                                            .result_types = &type,
                                            .result_count = 1,
                                            .attrs = attrs,
                                            .attr_count = sizeof attrs / sizeof *attrs});
  return pir_op_result(op, 0);
}

// Makes what an op reads: constants as they are, lists of their members, inputs of the others.
static bool put_value(const placing *p, pir_block *block, const pir_value *value) {
  const pir_op *op = value ? pir_value_op(value) : NULL;
  if (!value || pir_value_map_find(p->map, value))
    return true;
  if (!op)
    return false;
  bool list = pir_op_is(op, BUILTIN_COMBINE);
  for (size_t i = 0; list && i < pir_op_operands(op); i++) {
    const pir_value *member = pir_op_operand(op, i);
    pir_value *input =
        pir_value_map_find(p->map, member) ? NULL : put_operand_input(p, block, member);
    if (input)
      pir_value_map_set(p->map, member, input);
  }
  if (list || (pir_op_has(op, PIR_CONSTANT) && !pir_op_operands(op))) {
    pir_block_append(block, pir_op_clone(op, p->map));
    return true;
  }
  pir_value *input = put_operand_input(p, block, value);
  if (input)
    pir_value_map_set(p->map, value, input);
  return input;
}

static bool put_one_op(const placing *p, pir_program *one, const pir_op *op) {
  pir_block *block = pir_program_block(one);
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (!put_value(p, block, pir_op_operand(op, i)))
      return false;
  pir_op *copy = pir_op_clone(op, p->map);
  pir_block_append(block, copy);
  for (size_t i = 0; i < pir_op_results(copy); i++) {
    char name[NAME];
    const pir_type *type = pir_value_type(pir_op_result(copy, i));
    if (type && pir_type_is_tensor(type))
      pir_append_output(one, value_name(name, i), pir_op_result(copy, i));
  }
  return true;
}

// ---- judging it

static void feed_value(void *user, int point, pir_str name, pir_tensor *tensor) {
  const placing *p = user;
  char text[NAME];
  (void)point;
  snprintf(text, sizeof text, "%.*s", (int)name.size, name.data);
  const pir_tensor *t = numbers_find(&p->values, text);
  if (t)
    pir_ignore(pir_tensor_copy(t, tensor));  // the input has the type of the tensor
}

static void keep_beyond(void *user, const slope *s) {
  placing *p = user;
  if (s->verdict == SLOPE_BEYOND && p->beyond.verdict != SLOPE_BEYOND)
    p->beyond = *s;
}

static bool is_wrong(placing *p, const pir_op *op) {
  slopes_request request = *p->request;
  pir_program *one = pir_program_create(p->ctx);
  p->map = pir_value_map_create(p->ctx);
  p->beyond = (slope){.verdict = SLOPE_AGREES};
  request.points = 1;
  request.sink = (pir_diag_sink){0};
  request.feed = feed_value;
  request.found = keep_beyond;
  request.user = p;
  // What one op alone cannot do is no news: the whole program did it.
  if (one && p->map && put_one_op(p, one, op))
    pir_ignore(slopes_check(one, &request));
  pir_value_map_destroy(p->map);
  pir_program_destroy(one);
  return p->beyond.verdict == SLOPE_BEYOND;
}

static const pir_op *find_wrong(placing *p) {
  PIR_EACH_OP(op, pir_program_block(p->program))
  if (!pir_op_has_any(op,
                      PIR_INPUT | PIR_OUTPUT | PIR_PARAMETER | PIR_CONSTANT | PIR_STRUCTURAL) &&
      !pir_op_regions(op) && pir_op_operands(op) && is_wrong(p, op))
    return op;
  return NULL;
}

pir_status place_gradients(pir_program *program, const slopes_request *request) {
  pir_context *ctx = pir_program_context(program);
  placing p = {.request = request, .ctx = ctx, .program = program};
  name_values(program);
  pir_status status = numbers_run_fed(program, request->feed, request->user, request->unknown,
                                      request->sink, &p.values);
  pir_context_set_sink(ctx, (pir_diag_sink){0});
  const pir_op *op = status ? NULL : find_wrong(&p);
  pir_context_set_sink(ctx, request->sink);
  if (op) {
    pir_str name = pir_op_name(op);
    pir_ignore(
        pir_report_op(op, PIR_INVALID, PIR_ERROR,
                      "the gradient of \"%.*s\" is none: the derivative is %.12g, by the "
                      "gradient %.12g",
                      (int)name.size, name.data, p.beyond.numeric, p.beyond.adjoint));
  } else {
    pir_ignore(pir_report(ctx, PIR_OK, PIR_NOTE, PIR_LOC_UNKNOWN,
                          "no op alone has a gradient beyond the bound"));
  }
  numbers_free(&p.values);
  return status == PIR_EXHAUSTED ? status : PIR_OK;
}
