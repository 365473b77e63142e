// Names of ops in the old .pdmodel format: constant rows made by opsc from `legacy` clauses.
// One row for each old name; several may lead to one op.
#ifndef PIR_LEGACY_TABLE_H
#define PIR_LEGACY_TABLE_H

#include <pir/opdef.h>

PIR_BEGIN

// The kind of an old attribute (pir_attr_kind, and of its elements); 0: that of the new one.
typedef struct pir_legacy_kind {
  uint8_t kind, element_kind;
} pir_legacy_kind;

// An attribute of the old op alone, with the value that means what the new op does. `kind` is
// BOOL, I32, F32 or STR.
typedef struct pir_legacy_fixed {
  const char *name;
  uint8_t kind;
  double value;
  const char *text;  // of a STR
} pir_legacy_fixed;

struct pir_legacy_op {
  const char *name;  // op type in the file: "matmul_v2"
  const pir_opdef
      *def;  // the op without `_`; its twin is def with "_" (pir_opdef.base of that one)
  const pir_opdef *twin;  // the `_` twin, or NULL
  // By declared position. Operands: the input slot; an attribute operand has NULL here.
  const char *const *operands;
  const char *const *results;  // output slots
  const char *const *attrs;    // old attribute names
  // By declared operand position; NULL unless it is an attribute operand. When none of the
  // slots is fed, the attribute `operand_attrs[i]` (if the file has it), else the operand's
  // literal, becomes a constant. An operand without such an attribute only comes as a tensor.
  const char *const *operand_attrs;
  const char *const
      *tensor_slots;  // a tensor in place of the attribute ("AxisTensor"); or NULL
  const char *const
      *tensors_slots;  // a list of 1-element tensors ("StartsTensorList"); or NULL
  // For writing; NULL: all by rule (a scalar and its literal alike, lists of i32, others as
  // declared).
  const pir_legacy_kind *operand_kinds, *attr_kinds;
  const pir_legacy_fixed *fixed;
  size_t fixed_count;
};

// The rows of a dialect, sorted bytewise by old name.
typedef struct pir_legacy_table {
  const pir_legacy_op *ops;
  size_t count;
} pir_legacy_table;

// The row of an old op name; NULL when no dialect claims it. O(log n).
PIR_API const pir_legacy_op *pir_legacy_find(pir_str name);

PIR_END
#endif
