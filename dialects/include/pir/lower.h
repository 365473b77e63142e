// Composites in other ops: compiled `lower` blocks, and the function that expands one op. The
// passes that decompose and the tests use it; the numbers of an expansion are the meaning of
// the composite.
#ifndef PIR_LOWER_H
#define PIR_LOWER_H

#include <pir/infer.h>

PIR_BEGIN

// ---- the tables
typedef enum pir_lower_arg_kind {
  PIR_LOWER_ABSENT,  // an optional operand left out
  PIR_LOWER_VALUE,   // value `value`: the op's operands come first, then the results of the
                     // steps in order
  PIR_LOWER_INTS,    // a 1-D integer constant: `count` items from `first`
  PIR_LOWER_NUMBER,  // a scalar constant: value node `node`
  PIR_LOWER_VALUES,  // a list for a variadic operand: `count` value numbers from pool[first]
  PIR_LOWER_REST     // list `value` from member `first` on
} pir_lower_arg_kind;

typedef struct pir_lower_arg {
  uint8_t kind;
  int16_t value, node, first, count;
} pir_lower_arg;

// Entry of an integer list: one number, or `repeat` of them with PIR_I_D running from 0; or all
// of list attribute `attr`.
typedef struct pir_lower_item {
  int16_t repeat;  // index node; -1: one
  int16_t node;    // index node; -1: by `attr`
  int16_t attr;
} pir_lower_item;

typedef enum pir_lower_attr_kind {
  PIR_LOWER_COPY,   // this op's attribute k
  PIR_LOWER_INT,    // index node; also bool
  PIR_LOWER_FLOAT,  // value node of attributes and literals
  PIR_LOWER_LIST,   // `count` items from `first`
  PIR_LOWER_TEXT,
  PIR_LOWER_DTYPE  // index node that gives a pir_dtype
} pir_lower_attr_kind;

typedef struct pir_lower_attr {
  const char *name;
  uint8_t kind;
  int16_t k, node, first, count;
  const char *text;
} pir_lower_attr;

typedef struct pir_lower_step {
  const char *op;
  const pir_opdef *def;  // of the same dialect; NULL: found by name
  uint16_t first_arg, arg_count, first_attr, attr_count, result_count;
  int16_t when,
      otherwise;  // index node, and the value that is the (one) result when it is false; or -1
} pir_lower_step;

struct pir_lower {
  int16_t when;  // index node; -1: always
  uint16_t step_count;
  const pir_lower_step *steps;
  const pir_lower_arg *args;
  const pir_lower_attr *attrs;
  const pir_lower_item *items;
  const int16_t *results;  // by declared result: value number, or -1 (absent)
  const pir_node *nodes;
  const int16_t *pool;
  const char *const *text;
};

// ---- expansion
// What an expansion tells its user: ops are created through it, in order.
typedef struct pir_lower_target {
  // Inserts a new op before the expanded one; result types are set afterwards from facts.
  pir_op *(*create)(void *user, const pir_op_spec *spec);
  void *user;
} pir_lower_target;

// The alternative that says what `op` computes: its position, or -1 when its clause or kernel
// does. A condition on something not known (a dim, a rank) does not hold. -2: the expand hook.
PIR_API int pir_lower_choose(const pir_op *op, pir_facts *facts);

// Expands `op` before itself; `out_results[i]` becomes the value for result i (NULL: has none).
// The op stays; its uses are the caller's. PIR_UNSUPPORTED with a report when a number that
// must be known is not.
PIR_API pir_status pir_lower_expand(pir_op *op, int alternative, pir_facts *facts,
                                    const pir_lower_target *target, pir_value **out_results);

// ---- for expand hooks
struct pir_expand {
  pir_op *op;
  pir_facts *facts;
  const pir_lower_target *target;
  pir_value **results;  // to be filled
};
// Creates an op with declared attributes `attrs` and typed results; NULL after a report.
PIR_API pir_op *pir_expand_op(pir_expand *expand, uint32_t op_id, pir_value *const *operands,
                              size_t operand_count, const pir_named_attr *attrs,
                              size_t attr_count);
PIR_API pir_value *pir_expand_ints(pir_expand *expand, const int64_t *values, size_t count);
PIR_API pir_value *pir_expand_number(pir_expand *expand, pir_dtype dtype, double value);

// ---- for whoever makes ops
// The type that a known fact states; an extent that is not constant is -1.
PIR_API const pir_type *pir_fact_type(pir_context *ctx, const pir_dims *dims,
                                      const pir_fact *fact);
// A declared attribute's default; NULL when it has none.
PIR_API const pir_attr *pir_attr_default(pir_context *ctx, const pir_attr_def *def);
// Element type of the constant that a literal becomes for an attribute operand.
PIR_API pir_dtype pir_operand_dtype(const pir_operand_def *def);

PIR_END
#endif
