// What a dialect tells of an op: constant tables, made by opsc from `.ops` files. Verifier,
// printer, readers, writers, builder, folder and code generators read these and know no op by
// name.
#ifndef PIR_OPDEF_H
#define PIR_OPDEF_H

#include <pir/attr.h>
#include <pir/base.h>
#include <pir/clause.h>

PIR_BEGIN

typedef struct pir_infer pir_infer;          // pir/infer.h (dialects)
typedef struct pir_lower pir_lower;          // pir/lower.h (dialects): a compiled `lower` block
typedef struct pir_legacy_op pir_legacy_op;  // pir/legacy_table.h (dialects): names in .pdmodel
typedef struct pir_kernel pir_kernel;        // pir/kernel.h (runtime)
typedef struct pir_expand pir_expand;  // pir/lower.h: what a C hook builds an expansion with

// Traits, one bit each.
enum {
  PIR_REGISTERED = 1u << 0,  // a dialect declares it
  PIR_PURE = 1u << 1,        // no effect: may be removed, merged, moved
  PIR_TERMINATOR = 1u << 2,
  PIR_COMMUTATIVE = 1u << 3,  // the first two operands may be swapped
  PIR_CONSTANT = 1u << 4,     // its value is in its attributes
  PIR_PARAMETER = 1u << 5,    // reads a named parameter
  PIR_INPUT = 1u << 6,        // reads a feed (data, feed)
  PIR_OUTPUT = 1u << 7,       // hands a value out (fetch, shadow_output)
  PIR_RANDOM = 1u << 8,
  PIR_INPLACE = 1u << 9,  // the `_` twin: results share memory with operands (see `inplace`)
  PIR_IDEMPOTENT = 1u << 10,  // f(f(x)) = f(x)
  PIR_INVOLUTION = 1u << 11,  // f(f(x)) = x
  PIR_CONTROL = 1u << 12,     // its regions are control flow
  PIR_ISOLATED = 1u << 13,    // regions see no outer values
  PIR_STRUCTURAL = 1u << 14,  // combine, split, slice of vec values: no computation
  PIR_PRECISE =
      1u << 15,        // halves are too coarse for it: it stays f32 where others become halves
  PIR_OPEN = 1u << 16  // carries the attributes of another op beside its own
};

typedef enum pir_operand_flag {
  PIR_OPERAND_OPTIONAL = 1,  // may be NULL
  PIR_OPERAND_VARIADIC =
      2,  // a vec (one operand); several SSA operands only for structural ops
  PIR_OPERAND_INTARRAY = 4,  // an attribute operand: 1-D integer tensor, or a vec of 0-D ones
  PIR_OPERAND_SCALAR = 8,    // an attribute operand: one element
  PIR_OPERAND_EXACT = 16,    // `same_as` to the letter: no f32 beside a half
  PIR_OPERAND_PROMOTED =
      32,  // `same_as`, or a type that meets it: another float, or a complex one
  PIR_OPERAND_PRECISE = 64  // stays f32 beside halves: statistics, weights of norms, scales
} pir_operand_flag;

typedef enum pir_result_flag {
  PIR_RESULT_OPTIONAL = 1,
  PIR_RESULT_INTERMEDIATE = 2,  // kept for the backward op
  PIR_RESULT_VARIADIC = 4
} pir_result_flag;

// A set of element types: bit i is pir_dtype i. 0 means any.
typedef uint32_t pir_dtype_set;

typedef struct pir_attr_def {
  const char *name;
  uint8_t kind;          // pir_attr_kind
  uint8_t element_kind;  // of an ARRAY
  bool required;         // no default
  bool has_ints;         // the default is `ints`
  int64_t i;             // default of bool, ints, dtype, layout, place kind
  double f;              // default of floats
  const char *text;      // default of strings
  const int64_t *ints;   // default of arrays and INT_ARRAY
  const double *floats;  // default of arrays of floats
  size_t int_count;
} pir_attr_def;

typedef struct pir_operand_def {
  const char *name;
  uint8_t flags;
  int8_t same_as;  // element type must equal that operand's; -1: free
  pir_dtype_set dtypes;
  // Attribute operands: the constant that stands in when nothing is given. `kind` is INT_ARRAY,
  // or F32, F64, I32, I64, BOOL of a scalar; `required` when there is no default. NULL for
  // other operands.
  const pir_attr_def *literal;
} pir_operand_def;

typedef struct pir_result_def {
  const char *name;
  uint8_t flags;
  int8_t same_as;    // element type is that operand's; -1: by `dtype`, clause or hook
  int8_t from_attr;  // element type is in that attribute (cast's dtype); -1: none
  uint8_t dtype;     // a fixed pir_dtype, or PIR_UNDEFINED
  pir_dtype_set dtypes;
} pir_result_def;

// Result `result` shares memory with operand `operand`.
typedef struct pir_inplace_pair {
  uint8_t operand, result;
} pir_inplace_pair;

typedef struct pir_op_hooks {
  // Result facts from operand facts. NULL: derived from the clause, or stated types are taken.
  pir_status (*infer)(pir_infer *infer);
  // Conditions the tables cannot say. Reports with pir_error.
  pir_status (*verify)(const pir_op *op);
  // Builds the expansion of a composite that no `lower` text can say (an arity read from
  // attributes).
  pir_status (*expand)(pir_expand *expand);
  // Extents of the operands that must agree, where neither clause nor `infer` tells; asked by
  // symbolic analysis alone.
  void (*demand)(pir_infer *infer);
} pir_op_hooks;

// How an op with regions is written in T3 and T2 text (`regions 2 : if` in .ops). The typed
// form has one way.
typedef enum pir_op_form {
  PIR_FORM_GENERAL,  // "x" (%0) {attrs} : (T) -> T, then its regions
  PIR_FORM_IF,       // "x" (%0) {attrs} -> T { .. } else { .. }: no operand types
  PIR_FORM_WHILE,    // "x" (cond=%0, inputs=%1, ..) { ^%arg_0 {}, .. }: no attributes, no types
  PIR_FORM_BODY,     // "x" (%0) {attrs} -> T { .. }
  PIR_FORM_GROUP     // "x" (%0) -> T { .. }: no attributes
} pir_op_form;

struct pir_opdef {
  const char *name;  // "pd_op.matmul"
  const char *summary;
  uint32_t id;  // dialect << 16 | number; 0 when unregistered
  uint32_t traits;
  uint8_t operand_count, result_count, attr_count, region_count;
  uint8_t inplace_count, lower_count;
  uint8_t form;                     // pir_op_form
  const pir_operand_def *operands;  // tensors first, then attribute operands, in declared order
  const pir_result_def *results;
  const pir_attr_def *attrs;  // in declared order (the order of JSON)
  const uint8_t *attr_order;  // positions in bytewise name order
  const pir_inplace_pair *inplace;
  // What it computes. The first `lower` alternative whose condition holds says it; else the
  // clause (of each result: pir_clause.next); else the kernel.
  const pir_clause *clause;
  const pir_lower *lower;
  // Shapes of results that neither `hooks.infer` nor the above says: `like` names an operand,
  // else `out_map` lists the extents, or `out_extent` is one for each of `out_rank` axes.
  const pir_clause *shape;
  // What must hold of operands and attributes, as far as it is known: `guard`, and in
  // `trap_text` how it is written.
  const pir_clause *require;
  const char *kernel;  // name of a C kernel; NULL when clause or lower says it all
  pir_op_hooks hooks;
  const pir_legacy_op *legacy;  // the row it is written by; NULL when it has no legacy form
  const pir_kernel *own;        // the kernel of an op that the user declared
  const pir_opdef *base;        // of a `_` twin: the op it is a twin of
};

// Position of a name in the tables, or -1.
PIR_API int pir_opdef_operand(const pir_opdef *def, pir_str name);
PIR_API int pir_opdef_result(const pir_opdef *def, pir_str name);
PIR_API int pir_opdef_attr(const pir_opdef *def, pir_str name);

PIR_END
#endif
