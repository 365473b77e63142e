// Compiled rules: constant tables that drrc writes as C and pir_rules_load builds in memory.
// All positions are indices into the arrays of the set. Private to passes/ and drrc.
#ifndef PIR_RULE_TABLES_H
#define PIR_RULE_TABLES_H

#include <pir/compiler/rules.h>

enum {
  RULE_MAX_OPS = 96,      // ops of a match or an emit
  RULE_MAX_VALUES = 256,  // %names of a rule
  RULE_MAX_HOLES = 160,   // $names of a rule
  RULE_MAX_OPERANDS = 64,
  RULE_MAX_DEPTH = 48  // of expressions
};

// ---- values

static inline pir_rule_value rule_bool(bool b) {
  return (pir_rule_value){.kind = PIR_RULE_BOOL, .i = b};
}
static inline pir_rule_value rule_int(int64_t i) {
  return (pir_rule_value){.kind = PIR_RULE_INT, .i = i};
}

// ---- expressions

typedef enum rule_node_op {
  RULE_INT,
  RULE_FLOAT,
  RULE_TEXT,
  RULE_BOOL,
  RULE_DTYPE,
  RULE_PLACE,
  RULE_HOLE,   // a: hole
  RULE_VALUE,  // a: value, argument of a function
  RULE_NOT,
  RULE_NEG,
  RULE_ADD,
  RULE_SUB,
  RULE_MUL,
  RULE_DIV,
  RULE_MOD,
  RULE_EQ,
  RULE_NE,
  RULE_LT,
  RULE_LE,
  RULE_GT,
  RULE_GE,
  RULE_AND,
  RULE_OR,
  RULE_IN,
  RULE_COND,        // a ? b : c
  RULE_INDEX,       // a[b]
  RULE_SLICE,       // a[b:c]; -1: left out
  RULE_LIST,        // pool[a .. a + b)
  RULE_EACH_BELOW,  // [c for $a < b]
  RULE_EACH_IN,     // [c for $a in b]
  RULE_EACH_VALUE,  // [c for %a in %b]
  RULE_CALL,        // fn, arguments pool[a .. a + b)
  RULE_HELPER       // helper, arguments pool[a .. a + b)
} rule_node_op;

// Functions of expressions: name, arguments (v: a value, e: an expression).
#define RULE_FUNCTIONS(X)                                                                      \
  X(rank, "v")                                                                                 \
  X(dim, "ve")                                                                                 \
  X(shape, "v")                                                                                \
  X(dtype, "v")                                                                                \
  X(numel, "v")                                                                                \
  X(contents, "v")                                                                             \
  X(members, "v")                                                                              \
  X(present, "v")                                                                              \
  X(unused, "v")                                                                               \
  X(uses, "v")                                                                                 \
  X(constant, "v")                                                                             \
  X(persistable, "v")                                                                          \
  X(input, "v")                                                                                \
  X(same_shape, "vv")                                                                          \
  X(same_type, "vv")                                                                           \
  X(broadcasts, "vv")                                                                          \
  X(defined_by, "ve")                                                                          \
  X(attr, "ve")                                                                                \
  X(len, "e")                                                                                  \
  X(sum, "e")                                                                                  \
  X(prod, "e")                                                                                 \
  X(all, "e")                                                                                  \
  X(any, "e")                                                                                  \
  X(count, "ee")                                                                               \
  X(range, "e")                                                                                \
  X(reverse, "e")                                                                              \
  X(compose, "ee")                                                                             \
  X(inverse, "e")                                                                              \
  X(is_permutation, "e")                                                                       \
  X(min, "ee")                                                                                 \
  X(max, "ee")                                                                                 \
  X(abs, "e")                                                                                  \
  X(sqrt, "e")                                                                                 \
  X(int, "e")                                                                                  \
  X(float, "e")                                                                                \
  X(is_float, "e")                                                                             \
  X(is_integer, "e")

typedef enum rule_fn {
#define RULE_FN_ENUM(name, args) RULE_FN_##name,
  RULE_FUNCTIONS(RULE_FN_ENUM)
#undef RULE_FN_ENUM
      RULE_FN_COUNT
} rule_fn;

typedef struct rule_node {
  uint8_t op;  // rule_node_op
  uint8_t fn;  // rule_fn
  int32_t a, b, c;
  union {
    int64_t i;
    double f;
    const char *text;
    pir_rule_helper_fn helper;
  };
} rule_node;

// ---- ops

typedef enum rule_operand_kind {
  RULE_OPERAND_VALUE,   // at: value
  RULE_OPERAND_VALUES,  // at: value that stands for any number of operands
  RULE_OPERAND_MAYBE,   // match: at: value, which may be absent
  RULE_OPERAND_NONE,    // absent
  RULE_OPERAND_ANY,     // match: not looked at
  RULE_OPERAND_HOLE,    // match: at: hole that the operand's constant is bound to
  RULE_OPERAND_NODE  // at: node; match: the constant must equal it; emit: a constant op is made
} rule_operand_kind;

typedef struct rule_operand {
  uint8_t kind;  // rule_operand_kind
  int32_t at;
} rule_operand;

typedef struct rule_attr {
  int16_t position;  // index in the definition; -1: an undeclared attribute
  const char *name;
  int32_t node;  // -1: bound to `hole`
  int32_t hole;
} rule_attr;

typedef struct rule_op {
  uint32_t id;
  int32_t operands, results, attrs;  // the first of each
  int16_t operand_count, result_count, attr_count;
  int16_t splice;  // emit: the matched op whose attributes are copied; -1: none
  bool shared;     // match: the op is not erased
  bool each;       // stands for one op for every member of its lists
} rule_op;

typedef enum rule_step_kind {
  RULE_STEP_DEF,    // match `op` with the definer of value `at`
  RULE_STEP_USER,   // match `op` with some user of value `at`
  RULE_STEP_WHERE,  // node `at` is true
  RULE_STEP_LET     // hole `op` becomes node `at`
} rule_step_kind;

typedef struct rule_step {
  uint8_t kind;  // rule_step_kind
  int32_t op, at;
  uint32_t line;  // for a condition: its line in the rule's file or an imported file
} rule_step;

// A result of the match that the emit redefines.
typedef struct rule_output {
  int32_t old_value, new_value;
} rule_output;

typedef struct rule {
  const char *name, *origin;  // "conv_bn", "conv_bn.drr:8"
  uint32_t root;              // op id
  uint32_t benefit;
  int32_t match, emit, steps, outputs;  // the first of each
  int16_t match_count, emit_count, step_count, output_count;
  int16_t root_op;  // index of the root among the ops of the match
  int16_t value_count, hole_count;
  const char *skip_check;  // why --check-rules does not try it; or NULL
  uint32_t within;         // percent of the largest number by which results may differ
} rule;

typedef struct rule_tables {
  const rule_op *ops;
  const rule_operand *operands;
  const int16_t *results;  // values; -1: `_`; -2 - value: a list
  const rule_attr *attrs;
  const rule_step *steps;
  const rule_node *nodes;
  const int32_t *pool;
  const rule_output *outputs;
  const rule *rules;
  size_t node_count;
} rule_tables;

// Whether several names for the one result that is declared stand for the members of a list.
static inline bool rule_names_members(const pir_opdef *def, int16_t names) {
  return names > 1 && def->traits & PIR_STRUCTURAL && def->result_count == 1 &&
         def->results[0].flags & PIR_RESULT_VARIADIC;
}

struct pir_rule_pass {
  const rule_tables *tables;
  int32_t first, count;  // rules, by falling benefit
};

#endif
