// Composites in terms of other ops: compiled `lower` blocks (docs/reference/ops.md), and the
// function that expands one op by its block. The numbers that an expansion computes are the
// meaning of the composite. Tables are constant; expanding follows the context's rule of one
// thread at a time.
#ifndef PIR_LOWER_H
#define PIR_LOWER_H

#include <pir/compiler/infer.h>

PIR_BEGIN

// ---- the tables that opsc makes
//
// "Value number" counts the op's operands first, then the results of the steps in order. "Index
// node" and "value node" are positions in `nodes` of the block, -1 when absent.

// The forms of an argument.
typedef enum pir_lower_arg_kind {
  PIR_LOWER_ABSENT,  // an optional operand left out
  PIR_LOWER_VALUE,   // value number `value`
  PIR_LOWER_INTS,    // a 1-D integer constant: `count` items from `first`
  PIR_LOWER_NUMBER,  // a scalar constant: value node `node`
  PIR_LOWER_VALUES,  // a list for a variadic operand: `count` value numbers from pool[first]
  PIR_LOWER_REST     // the members of list `value` from number `first` on
} pir_lower_arg_kind;

// One argument of a step.
typedef struct pir_lower_arg {
  // A pir_lower_arg_kind.
  uint8_t kind;
  // As the kind says.
  int16_t value, node, first, count;
} pir_lower_arg;

// An entry of an integer list.
typedef struct pir_lower_item {
  // Index node: the number of repetitions, with PIR_I_D counting from 0; -1: one entry.
  int16_t repeat;
  // Index node of the entry; -1: all elements of list attribute `attr`.
  int16_t node;
  // Number of the attribute, or -1.
  int16_t attr;
} pir_lower_item;

// The forms of an attribute.
typedef enum pir_lower_attr_kind {
  PIR_LOWER_COPY,   // attribute k of the expanded op
  PIR_LOWER_INT,    // an index node; also of a bool
  PIR_LOWER_FLOAT,  // a value node over attributes and literals
  PIR_LOWER_LIST,   // `count` items from `first`
  PIR_LOWER_TEXT,   // `text`
  PIR_LOWER_DTYPE   // an index node that gives a pir_dtype
} pir_lower_attr_kind;

// One attribute of a step.
typedef struct pir_lower_attr {
  // The name in the step's op.
  const char *name;
  // A pir_lower_attr_kind.
  uint8_t kind;
  // As the kind says.
  int16_t k, node, first, count;
  // Of PIR_LOWER_TEXT.
  const char *text;
} pir_lower_attr;

// One op of an expansion.
typedef struct pir_lower_step {
  // Full name of the op.
  const char *op;
  // Its definition when it is in the same dialect; NULL: found by name.
  const pir_opdef *def;
  // Ranges in `args` and `attrs` of the block, and the number of results.
  uint16_t first_arg, arg_count, first_attr, attr_count, result_count;
  // Index node; when it is false the step is left out and its only result is value number
  // `otherwise`. -1: always.
  int16_t when, otherwise;
} pir_lower_step;

// Most values that a block names: the operands of its op, and the results of its steps.
enum { PIR_LOWER_VALUES_MOST = 160 };

// Returns the definition of the op that a step makes; NULL when no dialect of libpir has it.
PIR_API const pir_opdef *pir_lower_step_def(const pir_lower_step *step);

// A lower block: one alternative of an op's meaning.
struct pir_lower {
  // Index node: whether the alternative holds; -1: always.
  int16_t when;
  uint16_t step_count;
  // Of a gradient: whether it consists of primitive ops.
  bool primitive;
  // The ops that the block makes, in order.
  const pir_lower_step *steps;
  // Arguments of all steps.
  const pir_lower_arg *args;
  // Attributes of all steps.
  const pir_lower_attr *attrs;
  // Entries of all integer lists.
  const pir_lower_item *items;
  // The value number of each declared result, or -1 when it is absent. Of a gradient: of the
  // gradient of each declared operand.
  const int16_t *results;
  // The nodes of all expressions, as in pir_clause.
  const pir_node *nodes;
  // Value numbers of lists, and entries of list maps.
  const int16_t *pool;
  // Texts, by the number that nodes hold.
  const char *const *text;
};

// ---- expansion

// How an expansion creates ops.
typedef struct pir_lower_target {
  // Inserts a new op in front of the expanded one and returns it; never NULL. Result types are
  // set afterwards from facts.
  pir_op *(*create)(void *user, const pir_op_spec *spec);
  // Handed to `create`.
  void *user;
} pir_lower_target;

// Chooses the alternative that defines `op`: its position, -2 for the expand hook, or -1 if the
// op is defined by a clause or kernel. A condition on an extent or rank that is not known does
// not hold.
PIR_API int pir_lower_choose(const pir_op *op, pir_facts *facts);

// Expands `op` in front of itself by the chosen alternative. `out_results` has an entry for
// each result of the op: the value that replaces it, or NULL when the expansion has none. The
// op stays, and moving its uses is up to the caller. Returns PIR_UNSUPPORTED, reported, when a
// number is needed that only the run shows. After a failure the ops made so far stay too.
PIR_API PIR_NODISCARD pir_status pir_lower_expand(pir_op *op, int alternative, pir_facts *facts,
                                                  const pir_lower_target *target,
                                                  pir_value **out_results);

// ---- gradients
//
// A gradient block computes the gradients of operands. Its values are numbered: the operands of
// the op, its results, the gradients of its results, then the results of the steps.

// Chooses the gradient block of `op`: its position, or -1 if it has none that holds. A block in
// primitive ops is chosen only if `primitive`, and then if one holds whose numbers are known
// before the run. `given` has the values that stand for the op's own, as pir_grad_expand takes
// them.
PIR_API int pir_grad_choose(const pir_op *op, pir_facts *facts, bool primitive,
                            pir_value *const *given);

// Makes the ops of a gradient block of `op` by `target`. `given` has the block's values in
// front of the steps, NULL for those that are absent. `out_gradients` has an entry for each
// declared operand: its gradient, or NULL where the block gives none. Returns PIR_UNSUPPORTED,
// reported, when a number is needed that only the run shows. After a failure the ops made so
// far stay.
PIR_API PIR_NODISCARD pir_status pir_grad_expand(pir_op *op, int alternative, pir_facts *facts,
                                                 const pir_lower_target *target,
                                                 pir_value *const *given,
                                                 pir_value **out_gradients);

// ---- for expand hooks

// The argument of an expand hook.
struct pir_expand {
  // The op to expand.
  pir_op *op;
  // The facts of its program.
  pir_facts *facts;
  // How ops are created; hooks use the functions below instead.
  const pir_lower_target *target;
  // To be filled by the hook, an entry for each result of `op`; NULL at first.
  pir_value **results;
};

// Creates a pd_op (or builtin.combine) with these attributes and returns it; its results have
// the types that facts give. NULL after a failure, which is reported.
PIR_API pir_op *pir_expand_op(pir_expand *expand, uint32_t op_id, pir_value *const *operands,
                              size_t operand_count, const pir_named_attr *attrs,
                              size_t attr_count);
// Does the same, and gives attributes that are not listed their defaults.
PIR_API pir_op *pir_expand_defaulted(pir_expand *expand, uint32_t op_id,
                                     pir_value *const *operands, size_t operand_count,
                                     const pir_named_attr *attrs, size_t attr_count);
// Creates an op and returns its first result. NULL if an operand is NULL, or after a failure,
// which is reported: so a chain of values is checked at its end.
PIR_API pir_value *pir_expand_value(pir_expand *expand, uint32_t op_id,
                                    pir_value *const *operands, size_t operand_count,
                                    const pir_named_attr *attrs, size_t attr_count);
// Creates a 1-D i64 constant of at most PIR_FACT_CONTENTS elements; NULL when there are more or
// after a failure, which is reported.
PIR_API pir_value *pir_expand_ints(pir_expand *expand, const int64_t *values, size_t count);
// Creates a constant of shape [1]; NULL after a failure, which is reported.
PIR_API pir_value *pir_expand_number(pir_expand *expand, pir_dtype dtype, double value);

// ---- types and defaults for new ops

// Returns the type that a known fact states: a dense tensor, in which an extent that is no
// number is -1, or a vec.
PIR_API const pir_type *pir_fact_type(pir_context *ctx, const pir_dims *dims,
                                      const pir_fact *fact);
// Returns the default of a declared attribute; NULL when it has none.
PIR_API const pir_attr *pir_attr_default(pir_context *ctx, const pir_attr_def *def);
// Returns the element type of the constant that stands for an attribute operand's literal.
PIR_API pir_dtype pir_operand_dtype(const pir_operand_def *def);

PIR_END
#endif
