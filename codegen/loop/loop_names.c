// The table of operations, one row each; a look-up scans the rows.
#include "loop_names.h"

enum {
  NUMBERS = LOOP_TAKES_BOOL | LOOP_TAKES_INTEGERS | LOOP_TAKES_REALS | LOOP_TAKES_INDEX,
  BITS = LOOP_TAKES_BOOL | LOOP_TAKES_INTEGERS,
  ANYTHING = NUMBERS | LOOP_TAKES_HALVES
};

static const loop_operation operations[PIR_NODE_OP_COUNT] = {
    // name, infix, operands, takes, compares
    [PIR_V_ADD] = {"+", true, 2, NUMBERS, false},
    [PIR_V_SUB] = {"-", true, 2, NUMBERS, false},
    [PIR_V_MUL] = {"*", true, 2, NUMBERS, false},
    [PIR_V_DIV] = {"/", true, 2, NUMBERS, false},
    [PIR_V_FLOORDIV] = {"floordiv", false, 2, NUMBERS, false},
    [PIR_V_FLOORMOD] = {"mod", false, 2, NUMBERS, false},
    [PIR_V_FMOD] = {"fmod", false, 2, NUMBERS, false},
    [PIR_V_MIN] = {"min", false, 2, NUMBERS, false},
    [PIR_V_MAX] = {"max", false, 2, NUMBERS, false},
    [PIR_V_FMIN] = {"fmin", false, 2, NUMBERS, false},
    [PIR_V_FMAX] = {"fmax", false, 2, NUMBERS, false},
    [PIR_V_POW] = {"pow", false, 2, LOOP_TAKES_REALS, false},
    [PIR_V_ATAN2] = {"atan2", false, 2, LOOP_TAKES_REALS, false},
    [PIR_V_COPYSIGN] = {"copysign", false, 2, LOOP_TAKES_REALS, false},
    [PIR_V_NEXTAFTER] = {"nextafter", false, 2, LOOP_TAKES_REALS, false},
    [PIR_V_EQ] = {"==", true, 2, NUMBERS, true},
    [PIR_V_NE] = {"!=", true, 2, NUMBERS, true},
    [PIR_V_LT] = {"<", true, 2, NUMBERS, true},
    [PIR_V_LE] = {"<=", true, 2, NUMBERS, true},
    [PIR_V_AND] = {"and", false, 2, BITS, false},
    [PIR_V_OR] = {"or", false, 2, BITS, false},
    [PIR_V_XOR] = {"xor", false, 2, BITS, false},
    [PIR_V_NOT] = {"not", false, 1, BITS, false},
    [PIR_V_SHL] = {"shl", false, 2, LOOP_TAKES_INTEGERS, false},
    [PIR_V_SHR] = {"shr", false, 2, LOOP_TAKES_INTEGERS, false},
    [PIR_V_SELECT] = {"select", false, 3, ANYTHING, false},
    [PIR_V_NEG] = {"neg", false, 1, NUMBERS, false},
    [PIR_V_ABS] = {"abs", false, 1, NUMBERS, false},
    [PIR_V_SIGN] = {"sign", false, 1, NUMBERS, false},
    [PIR_V_FLOOR] = {"floor", false, 1, NUMBERS, false},
    [PIR_V_CEIL] = {"ceil", false, 1, NUMBERS, false},
    [PIR_V_TRUNC] = {"trunc", false, 1, NUMBERS, false},
    [PIR_V_ROUND] = {"round", false, 1, NUMBERS, false},
    [PIR_V_RINT] = {"rint", false, 1, NUMBERS, false},
    [PIR_V_RECIP] = {"recip", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_SQRT] = {"sqrt", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_RSQRT] = {"rsqrt", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_EXP] = {"exp", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_EXP2] = {"exp2", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_EXPM1] = {"expm1", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_LOG] = {"log", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_LOG2] = {"log2", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_LOG10] = {"log10", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_LOG1P] = {"log1p", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_SIN] = {"sin", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_COS] = {"cos", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_TAN] = {"tan", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_ASIN] = {"asin", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_ACOS] = {"acos", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_ATAN] = {"atan", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_SINH] = {"sinh", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_COSH] = {"cosh", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_TANH] = {"tanh", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_ASINH] = {"asinh", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_ACOSH] = {"acosh", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_ATANH] = {"atanh", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_ERF] = {"erf", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_ERFINV] = {"erfinv", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_LGAMMA] = {"lgamma", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_DIGAMMA] = {"digamma", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_I0] = {"i0", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_I0E] = {"i0e", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_I1] = {"i1", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_I1E] = {"i1e", false, 1, LOOP_TAKES_REALS, false},
    [PIR_V_ISNAN] = {"isnan", false, 1, NUMBERS, true},
    [PIR_V_ISINF] = {"isinf", false, 1, NUMBERS, true},
    [PIR_V_ISFINITE] = {"isfinite", false, 1, NUMBERS, true},
};

const loop_operation *loop_operation_of(pir_node_op op) {
  return op < PIR_NODE_OP_COUNT && operations[op].name ? &operations[op] : NULL;
}

pir_node_op loop_operation_named(pir_str name, bool infix) {
  int op = 0;
  while (op < PIR_NODE_OP_COUNT && (!operations[op].name || operations[op].infix != infix ||
                                    !pir_str_equal(pir_str_from(operations[op].name), name)))
    op++;
  return (pir_node_op)op;
}

static const char *const combines[] = {
    [PIR_COMBINE_ADD] = "add", [PIR_COMBINE_MUL] = "mul", [PIR_COMBINE_MAX] = "max",
    [PIR_COMBINE_MIN] = "min", [PIR_COMBINE_AND] = "and", [PIR_COMBINE_OR] = "or"};

const char *loop_combine_text(pir_combine combine) {
  return combine < sizeof combines / sizeof *combines ? combines[combine] : NULL;
}

pir_combine loop_combine_named(pir_str name) {
  for (pir_combine c = PIR_COMBINE_ADD; c <= PIR_COMBINE_OR; c++)
    if (pir_str_equal(pir_str_from(combines[c]), name))
      return c;
  return PIR_COMBINE_NONE;
}

const char *loop_for_text(loop_for_kind kind) {
  static const char *const names[] = {"for", "parallel", "unrolled", "vectorised", "threads"};
  return kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

const char *loop_space_text(loop_space space) {
  static const char *const names[] = {"arg", "scratch", "registers", "local", "shared"};
  return space < sizeof names / sizeof *names ? names[space] : NULL;
}

const char *loop_tile_text(loop_tile_op op) {
  static const char *const names[] = {"shapes", "release", "zero", "load",
                                      "store",  "bf16",    "u8s8", "s8s8"};
  return op < sizeof names / sizeof *names ? names[op] : NULL;
}

const char *loop_dot_text(loop_dot dot) {
  static const char *const names[] = {"dot2", "dot2_words", "dot4"};
  return dot < sizeof names / sizeof *names ? names[dot] : NULL;
}

int loop_tile_registers(loop_tile_op op) {
  return op >= LOOP_TILE_BF16 ? 3 : op >= LOOP_TILE_ZERO;
}

bool loop_tile_has_rows(loop_tile_op op) {
  return op == LOOP_TILE_LOAD || op == LOOP_TILE_STORE;
}

bool loop_tile_has_place(loop_tile_op op) {
  return op == LOOP_TILE_SHAPES || loop_tile_has_rows(op);
}
