// Arguments of the typed builder, one for each operand and attribute: what the generated
// functions of pir/compiler/build hand over. Programs call those.
#ifndef PIR_OP_ARGS_H
#define PIR_OP_ARGS_H

#include <pir/compiler/build_op.h>

PIR_BEGIN

// The fields of a pir_op_arg that count.
typedef enum pir_op_arg_kind {
  PIR_ARG_NONE,     // nothing is given
  PIR_ARG_VALUE,    // operand: `value`
  PIR_ARG_VALUES,   // operand: `count` values from `values`, or `value`
  PIR_ARG_LENGTHS,  // operand: `count` integers from `ints`, or `value`
  PIR_ARG_NUMBER,   // operand: the number `f`, or `value`
  PIR_ARG_INT,      // attribute, as the ones below: `i`
  PIR_ARG_FLOAT,    // `f`
  PIR_ARG_TEXT,     // `text`
  PIR_ARG_INTS,     // `count` from `ints`
  PIR_ARG_FLOATS,   // `count` from `floats`
  PIR_ARG_TEXTS,    // `count` from `texts`
  PIR_ARG_ATTR      // `attr`
} pir_op_arg_kind;

// One operand or attribute.
typedef struct pir_op_arg {
  // A pir_op_arg_kind.
  uint8_t kind;
  // Its declared position among the operands, or among the attributes.
  uint8_t at;
  // Length of a list.
  size_t count;
  // Of INT.
  int64_t i;
  // Of NUMBER and FLOAT.
  double f;
  // Of VALUE; of the other operands a value that counts instead of a list or number, or NULL.
  pir_value *value;
  // The pointer that `kind` needs.
  union {
    // Of VALUES.
    pir_value *const *values;
    // Of LENGTHS and INTS.
    const int64_t *ints;
    // Of FLOATS.
    const double *floats;
    // Of TEXTS.
    const char *const *texts;
    // Of TEXT.
    const char *text;
    // Of ATTR.
    const pir_attr *attr;
  } of;
} pir_op_arg;

// Makes an op, with defaults for everything that is not given, and returns it; NULL after a
// failure: the report names the operand or attribute. `type` is the result's, for an op that
// reads a feed or a parameter; else NULL. The op is checked as pir_verify_op does. Results
// whose types cannot be inferred are PIR_UNSUPPORTED.
PIR_API pir_op *pir_op_builder_put(pir_op_builder *builder, uint32_t op_id,
                                   const pir_type *type, const pir_op_arg *args, size_t count);

// Returns result i; NULL for no op, and for a result that is absent.
static inline pir_value *pir_op_result_of(const pir_op *op, size_t i) {
  pir_value *value = op ? pir_op_result(op, i) : NULL;
  return value && pir_value_type(value) ? value : NULL;
}

// ---- arguments from what the generated functions take; `at` is the declared position

// Returns the argument that gives nothing.
static inline pir_op_arg pir_arg_none(uint8_t at) {
  pir_op_arg arg = {PIR_ARG_NONE, at, 0, 0, 0, NULL, {NULL}};
  return arg;
}
// Returns an operand that is one value; NULL is absent.
static inline pir_op_arg pir_arg_value(uint8_t at, pir_value *given) {
  pir_op_arg arg = pir_arg_none(at);
  arg.kind = PIR_ARG_VALUE;
  arg.value = given;
  return arg;
}
// Returns a variadic operand.
static inline pir_op_arg pir_arg_values(uint8_t at, pir_values given) {
  pir_op_arg arg = pir_arg_none(at);
  if (given.data || given.list)
    arg.kind = PIR_ARG_VALUES;
  arg.of.values = given.data;
  arg.count = given.count;
  arg.value = given.list;
  return arg;
}
// Returns an operand that is a list of integers.
static inline pir_op_arg pir_arg_lengths(uint8_t at, pir_ints given) {
  pir_op_arg arg = pir_arg_none(at);
  if (given.data || given.tensor)
    arg.kind = PIR_ARG_LENGTHS;
  arg.of.ints = given.data;
  arg.count = given.count;
  arg.value = given.tensor;
  return arg;
}
// Returns an operand of one element.
static inline pir_op_arg pir_arg_number(uint8_t at, pir_number given) {
  pir_op_arg arg = pir_arg_none(at);
  if (given.set || given.tensor)
    arg.kind = PIR_ARG_NUMBER;
  arg.f = given.value;
  arg.value = given.tensor;
  return arg;
}
// Returns a truth value, an integer, an element type or a kind of place.
static inline pir_op_arg pir_arg_int(uint8_t at, int64_t given) {
  pir_op_arg arg = pir_arg_none(at);
  arg.kind = PIR_ARG_INT;
  arg.i = given;
  return arg;
}
// Returns a floating-point number.
static inline pir_op_arg pir_arg_float(uint8_t at, double given) {
  pir_op_arg arg = pir_arg_none(at);
  arg.kind = PIR_ARG_FLOAT;
  arg.f = given;
  return arg;
}
// Returns a text; NULL gives nothing.
static inline pir_op_arg pir_arg_text(uint8_t at, const char *given) {
  pir_op_arg arg = pir_arg_none(at);
  if (given)
    arg.kind = PIR_ARG_TEXT;
  arg.of.text = given;
  return arg;
}
// Returns an attribute that the caller made; NULL gives nothing.
static inline pir_op_arg pir_arg_attr(uint8_t at, const pir_attr *given) {
  pir_op_arg arg = pir_arg_none(at);
  if (given)
    arg.kind = PIR_ARG_ATTR;
  arg.of.attr = given;
  return arg;
}
// Returns a truth value that may not be given.
static inline pir_op_arg pir_arg_opt_bool(uint8_t at, pir_opt_bool given) {
  pir_op_arg arg = pir_arg_none(at);
  if (given.set)
    arg.kind = PIR_ARG_INT;
  arg.i = given.value;
  return arg;
}
// Returns an integer that may not be given.
static inline pir_op_arg pir_arg_opt_int(uint8_t at, pir_opt_int given) {
  pir_op_arg arg = pir_arg_none(at);
  if (given.set)
    arg.kind = PIR_ARG_INT;
  arg.i = given.value;
  return arg;
}
// Returns a number that may not be given.
static inline pir_op_arg pir_arg_opt_float(uint8_t at, pir_opt_float given) {
  pir_op_arg arg = pir_arg_none(at);
  if (given.set)
    arg.kind = PIR_ARG_FLOAT;
  arg.f = given.value;
  return arg;
}
// Returns a list of integers as an attribute.
static inline pir_op_arg pir_arg_ints(uint8_t at, pir_ints given) {
  pir_op_arg arg = pir_arg_none(at);
  if (given.data || given.tensor)
    arg.kind = PIR_ARG_INTS;
  arg.of.ints = given.data;
  arg.count = given.count;
  arg.value = given.tensor;
  return arg;
}
// Returns a list of numbers.
static inline pir_op_arg pir_arg_floats(uint8_t at, pir_floats given) {
  pir_op_arg arg = pir_arg_none(at);
  if (given.data)
    arg.kind = PIR_ARG_FLOATS;
  arg.of.floats = given.data;
  arg.count = given.count;
  return arg;
}
// Returns a list of strings as an attribute.
static inline pir_op_arg pir_arg_texts(uint8_t at, pir_texts given) {
  pir_op_arg arg = pir_arg_none(at);
  if (given.data)
    arg.kind = PIR_ARG_TEXTS;
  arg.of.texts = given.data;
  arg.count = given.count;
  return arg;
}

PIR_END
#endif
