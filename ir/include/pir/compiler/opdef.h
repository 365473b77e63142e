// Definitions of operators: what a dialect tells of an op, as constant tables that opsc makes
// from `.ops` files (docs/reference/ops.md). Verifier, printers, readers, writers, inference,
// folder and code generators read these tables and know no op by name.
//
// Tables are immutable, live as long as their dialect's library (or the custom set), and may be
// read by any thread. "Number of an operand" and the like is its declared position.
#ifndef PIR_OPDEF_H
#define PIR_OPDEF_H

#include <pir/compiler/attr.h>
#include <pir/base.h>
#include <pir/compiler/clause.h>

PIR_BEGIN

typedef struct pir_infer pir_infer;    // pir/compiler/infer.h (dialects)
typedef struct pir_lower pir_lower;    // pir/layer/lower.h (dialects): a compiled `lower` block
typedef struct pir_expand pir_expand;  // pir/layer/lower.h: the argument of an expand hook
typedef struct pir_legacy_op
    pir_legacy_op;                     // pir/layer/legacy_table.h (dialects): names in .pdmodel
typedef struct pir_kernel pir_kernel;  // pir/layer/kernel.h (runtime)

// Traits, one bit each.
enum {
  // A dialect declares the op.
  PIR_REGISTERED = 1u << 0,
  // It has no effect besides its results: it may be removed, merged and moved.
  PIR_PURE = 1u << 1,
  // It ends its block.
  PIR_TERMINATOR = 1u << 2,
  // The first two operands may be swapped.
  PIR_COMMUTATIVE = 1u << 3,
  // Its value is in its attributes.
  PIR_CONSTANT = 1u << 4,
  // It reads a named parameter.
  PIR_PARAMETER = 1u << 5,
  // It reads a feed (data, feed).
  PIR_INPUT = 1u << 6,
  // It hands a value out of the program (fetch, shadow_output).
  PIR_OUTPUT = 1u << 7,
  // It draws random numbers.
  PIR_RANDOM = 1u << 8,
  // The in-place twin: results share memory with operands (see `inplace`).
  PIR_INPLACE = 1u << 9,
  // f(f(x)) = f(x).
  PIR_IDEMPOTENT = 1u << 10,
  // f(f(x)) = x.
  PIR_INVOLUTION = 1u << 11,
  // Its regions are control flow.
  PIR_CONTROL = 1u << 12,
  // Its regions see no values from outside.
  PIR_ISOLATED = 1u << 13,
  // Combine, split and slice of vec values: nothing is computed.
  PIR_STRUCTURAL = 1u << 14,
  // It computes in f32 where mixed precision gives other ops 16-bit floats.
  PIR_PRECISE = 1u << 15,
  // It carries the attributes of another op besides its own.
  PIR_OPEN = 1u << 16,
  // Its results stay the same when the numbers of its operands change a little: no gradient.
  PIR_FLAT = 1u << 17,
  // Its result is computed behind all of its operands, and is not taken for one of them.
  PIR_ORDERED = 1u << 18
};

// Properties of an operand, one bit each.
typedef enum pir_operand_flag {
  // It may be NULL.
  PIR_OPERAND_OPTIONAL = 1,
  // It is a vec: one operand of the op. Structural ops have several operands in its place.
  PIR_OPERAND_VARIADIC = 2,
  // An attribute operand: a 1-D integer tensor, or a vec of 0-D ones.
  PIR_OPERAND_INTARRAY = 4,
  // An attribute operand with one element.
  PIR_OPERAND_SCALAR = 8,
  // `same_as` holds literally: no f32 beside a 16-bit float.
  PIR_OPERAND_EXACT = 16,
  // `same_as`, or a type that meets it: another float, or a complex one.
  PIR_OPERAND_PROMOTED = 32,
  // It stays f32 beside 16-bit floats: statistics, weights of norms, scales.
  PIR_OPERAND_PRECISE = 64,
  // Its shape and element type are read, its elements are not.
  PIR_OPERAND_SHAPE_ONLY = 128
} pir_operand_flag;

// Properties of a result, one bit each.
typedef enum pir_result_flag {
  // It may be absent: a null type, and no use.
  PIR_RESULT_OPTIONAL = 1,
  // It is kept only for the gradient op.
  PIR_RESULT_INTERMEDIATE = 2,
  // It is a vec.
  PIR_RESULT_VARIADIC = 4,
  // It has the type of `same_as`, or the complex type that meets it if another operand is
  // complex.
  PIR_RESULT_PROMOTED = 8
} pir_result_flag;

// A set of element types: bit i is pir_dtype i. 0 means any.
typedef uint32_t pir_dtype_set;

// A declared attribute. The fields i, f, text, ints and floats hold its default.
typedef struct pir_attr_def {
  const char *name;
  // A pir_attr_kind.
  uint8_t kind;
  // Of an ARRAY, the kind of its elements.
  uint8_t element_kind;
  // Whether there is no default.
  bool required;
  // Whether the default is the list `ints`, which may be empty.
  bool has_ints;
  // Of a bool, integer, element type, layout, or kind of a place.
  int64_t i;
  // Of a float.
  double f;
  // Of a string.
  const char *text;
  // Of a list of integers or an INT_ARRAY.
  const int64_t *ints;
  // Of a list of floats.
  const double *floats;
  // Number of elements of `ints` or `floats`.
  size_t int_count;
} pir_attr_def;

// A declared operand.
typedef struct pir_operand_def {
  const char *name;
  // pir_operand_flag bits.
  uint8_t flags;
  // Number of the operand whose element type this one must have; -1: free.
  int8_t same_as;
  // The element types it may have.
  pir_dtype_set dtypes;
  // Of attribute operands, the constant that counts when nothing is given: its kind is
  // INT_ARRAY, or F32, F64, I32, I64, BOOL of a scalar; `required` when there is no default.
  // NULL for other operands.
  const pir_attr_def *literal;
} pir_operand_def;

// A declared result.
typedef struct pir_result_def {
  const char *name;
  // pir_result_flag bits.
  uint8_t flags;
  // Number of the operand whose element type the result has; -1: `dtype`, clause or hook
  // decide.
  int8_t same_as;
  // Number of the attribute that holds the element type (dtype of a cast); -1: none does.
  int8_t from_attr;
  // A fixed pir_dtype, or PIR_UNDEFINED.
  uint8_t dtype;
  // The element types it may have.
  pir_dtype_set dtypes;
} pir_result_def;

// Result number `result` shares memory with operand number `operand`.
typedef struct pir_inplace_pair {
  // Declared positions.
  uint8_t operand, result;
} pir_inplace_pair;

// The C functions of an op; NULL where it needs none.
typedef struct pir_op_hooks {
  // Derives the facts of the results from those the operands have. Without it they are derived
  // from the meaning, or the stated types are taken.
  pir_status (*infer)(pir_infer *infer);
  // Checks conditions that the tables cannot say; reports with pir_error.
  pir_status (*verify)(const pir_op *op);
  // Builds the expansion of a composite whose arity depends on attributes, which no `lower`
  // text can say.
  pir_status (*expand)(pir_expand *expand);
  // States which extents of the operands must agree, where neither clause nor `infer` tells.
  // Only symbolic analysis asks.
  void (*demand)(pir_infer *infer);
} pir_op_hooks;

// How an op with regions is written in T3 and T2 text (`regions 2 : if` in .ops). The typed
// form has one way for all.
typedef enum pir_op_form {
  PIR_FORM_GENERAL = 0,  // "x" (%0) {attrs} : (T) -> T, then its regions
  PIR_FORM_IF = 1,       // "x" (%0) {attrs} -> T { .. } else { .. }: no operand types
  PIR_FORM_WHILE =
      2,  // "x" (cond=%0, inputs=%1, ..) { ^%arg_0 {}, .. }: no attributes, no types
  PIR_FORM_BODY = 3,  // "x" (%0) {attrs} -> T { .. }
  PIR_FORM_GROUP = 4  // "x" (%0) -> T { .. }: no attributes
} pir_op_form;

// The definition of an operator.
struct pir_opdef {
  // "pd_op.matmul".
  const char *name;
  // One line for people.
  const char *summary;
  // dialect << 16 | number in the dialect; 0 when unregistered.
  uint32_t id;
  // PIR_REGISTERED | ..
  uint32_t traits;
  // Lengths of the tables below; `region_count` is the number of regions an op has.
  uint8_t operand_count, result_count, attr_count, region_count;
  // Lengths of `inplace` and `lower`.
  uint8_t inplace_count, lower_count;
  // A pir_op_form.
  uint8_t form;
  // Tensors first, then attribute operands, each in declared order.
  const pir_operand_def *operands;
  // In declared order.
  const pir_result_def *results;
  // In declared order, which is the order in JSON.
  const pir_attr_def *attrs;
  // Positions in `attrs`, in bytewise order of names.
  const uint8_t *attr_order;
  // Results that share memory with operands.
  const pir_inplace_pair *inplace;

  // The meaning. The first alternative of `lower` whose condition holds defines the op
  const pir_clause *clause;
  // Alternatives in the order in which they are tried.
  const pir_lower *lower;
  // Shapes of results that neither `hooks.infer` nor the meaning gives: the shape of operand
  // `like`, the extents that `out_map` lists, or `out_extent` for each of `out_rank` axes.
  const pir_clause *shape;
  // Conditions on operands and attributes, checked as far as facts are known: `guard`, and in
  // `trap_text` the condition as it is written.
  const pir_clause *require;
  // The kernel's name, the third source of the meaning.
  const char *kernel;
  // Why the op has no meaning: the rest of a sentence "it is declared only, because ..". NULL
  // if it has one, or if no reason is stated.
  const char *declared;
  // The op's C functions.
  pir_op_hooks hooks;

  // The row by which the op is written to .pdmodel files; NULL when it has no legacy form.
  const pir_legacy_op *legacy;
  // The kernel of a custom op; else NULL.
  const pir_kernel *own;
  // Of an in-place twin, the op without `_`; else NULL.
  const pir_opdef *base;

  // The gradient: `grad_count` blocks that compute the gradients of operands from the operands,
  // the results and the gradients of the results. The first whose condition holds.
  const pir_lower *grad;
  // Why the op has no gradient: the rest of a sentence "not differentiable, because ..". NULL
  // if it has one, or if no reason is stated.
  const char *no_grad;
  uint8_t grad_count;
};

// Returns the number of the operand with this name, or -1. O(operands).
PIR_API int pir_opdef_operand(const pir_opdef *def, pir_str name);
// Returns the number of the result with this name, or -1. O(results).
PIR_API int pir_opdef_result(const pir_opdef *def, pir_str name);
// Returns the number of the operand x whose gradient, x_grad, is the result; -1 if it is none.
// O(operands).
PIR_API int pir_opdef_gradient_of(const pir_opdef *def, size_t result);
// Returns the number of the attribute with this name, or -1. O(attributes).
PIR_API int pir_opdef_attr(const pir_opdef *def, pir_str name);

PIR_END
#endif
