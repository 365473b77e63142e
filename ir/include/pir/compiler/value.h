// Values: a result of an op or an argument of a block. A value lives as long as the op or block
// that defines it. Its uses are a doubly linked list inside the ops that read it. One thread at
// a time, as for the context.
#ifndef PIR_VALUE_H
#define PIR_VALUE_H

#include <pir/compiler/attr.h>
#include <pir/base.h>

PIR_BEGIN

typedef struct pir_value pir_value;
// One operand slot of one op; it lives as long as the op.
typedef struct pir_use pir_use;
typedef struct pir_block pir_block;
typedef struct pir_region pir_region;

// ---- the value itself

// Returns the stated type: the one that the file gives, which is printed and kept. NULL is the
// null type. Computed shapes and element types are facts (pir/compiler/infer.h).
PIR_API const pir_type *pir_value_type(const pir_value *value);
// Changes the stated type. Users of the value are not looked at.
PIR_API void pir_value_set_type(pir_value *value, const pir_type *type);

// Returns the op that defines the value; NULL for a block argument.
PIR_API pir_op *pir_value_op(const pir_value *value);
// Returns the block of the argument, or of the defining op; NULL while that op is detached.
PIR_API pir_block *pir_value_block(const pir_value *value);
// Returns the position among the op's results or the block's arguments.
PIR_API size_t pir_value_index(const pir_value *value);
// Whether the value is an argument of a block rather than a result of an op.
PIR_API bool pir_value_is_argument(const pir_value *value);

// ---- uses

// Whether no operand reads the value. O(1).
PIR_API bool pir_value_unused(const pir_value *value);
// Whether exactly one operand reads the value. O(1).
PIR_API bool pir_value_single_use(const pir_value *value);
// Returns the newest use, or NULL. The others follow with pir_use_next.
PIR_API pir_use *pir_value_first_use(const pir_value *value);
// Makes all uses read `by` instead. NULL makes these operands absent. O(uses).
PIR_API void pir_value_replace_uses(pir_value *value, pir_value *by);

// Returns the next use of the same value, an older one, or NULL.
PIR_API pir_use *pir_use_next(const pir_use *use);
// Returns the op that reads the value through this use.
PIR_API pir_op *pir_use_owner(const pir_use *use);
// Returns the position of the use among the operands of its op.
PIR_API size_t pir_use_operand_index(const pir_use *use);
// Makes this operand read `value`; NULL makes it absent. O(1).
PIR_API void pir_use_set(pir_use *use, pir_value *value);

// Runs the statement behind it for each use of `value`. The next use is read before the
// statement runs, so the statement may change or erase the current one.
#define PIR_EACH_USE(u, value)                                                                 \
  for (pir_use *u = pir_value_first_use(value), *pir_next_##u = u ? pir_use_next(u) : NULL; u; \
       u = pir_next_##u, pir_next_##u = u ? pir_use_next(u) : NULL)

PIR_END
#endif
