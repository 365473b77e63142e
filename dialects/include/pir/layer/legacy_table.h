// Names of ops in `.pdmodel` files: constant rows that opsc makes from `legacy` clauses. There
// is one row for each old name; several may lead to one op. Immutable; from any thread.
#ifndef PIR_LEGACY_TABLE_H
#define PIR_LEGACY_TABLE_H

#include <pir/compiler/opdef.h>

PIR_BEGIN

// The kind of an old attribute.
typedef struct pir_legacy_kind {
  // A pir_attr_kind; 0: the new attribute's kind.
  uint8_t kind;
  // Of an ARRAY, the kind of its elements.
  uint8_t element_kind;
} pir_legacy_kind;

// An attribute that only the old op has, with the value for which it does the same as the new
// op.
typedef struct pir_legacy_fixed {
  const char *name;
  // BOOL, I32, F32 or STR.
  uint8_t kind;
  // Of a BOOL, I32 or F32.
  double value;
  // Of a STR.
  const char *text;
} pir_legacy_fixed;

// A row. Arrays named after operands, results and attributes are in declared order.
struct pir_legacy_op {
  // The type of the op in the file: "matmul_v2".
  const char *name;
  // The op without `_`. Its twin's pir_opdef.base leads back here.
  const pir_opdef *def;
  // The in-place twin, or NULL.
  const pir_opdef *twin;
  // Input slots; NULL for an attribute operand.
  const char *const *operands;
  // Output slots.
  const char *const *results;
  // Old attribute names.
  const char *const *attrs;
  // Of attribute operands, else NULL: the old attribute that becomes a constant when no slot is
  // fed and the file has it (else the operand's literal does). NULL for an attribute operand
  // that only comes as a tensor.
  const char *const *operand_attrs;
  // The slot for one tensor in place of the attribute ("AxisTensor"), or NULL.
  const char *const *tensor_slots;
  // The slot for a list of 1-element tensors ("StartsTensorList"), or NULL.
  const char *const *tensors_slots;
  // For writing, the kinds of old attributes. NULL: a scalar has the kind of its literal, a
  // list has i32 elements, other attributes keep the declared kind.
  const pir_legacy_kind *operand_kinds, *attr_kinds;
  // For writing, attributes that only the old op has.
  const pir_legacy_fixed *fixed;
  size_t fixed_count;
};

// The rows of a dialect, sorted bytewise by old name.
typedef struct pir_legacy_table {
  // `count` rows.
  const pir_legacy_op *ops;
  size_t count;
} pir_legacy_table;

// Returns the row of an old op name; NULL when no dialect claims it. O(log rows).
PIR_API const pir_legacy_op *pir_legacy_find(pir_str name);

PIR_END
#endif
