// A value: a result of an op or an argument of a block. It lives as long as what defines it.
// Uses are an intrusive doubly linked list; replacing all uses costs O(uses).
#ifndef PIR_VALUE_H
#define PIR_VALUE_H

#include <pir/attr.h>
#include <pir/base.h>

PIR_BEGIN

typedef struct pir_value pir_value;
typedef struct pir_use pir_use;  // one operand slot of one op
typedef struct pir_block pir_block;
typedef struct pir_region pir_region;

// The stated type: what the file says. It is printed and kept; facts come from inference
// (pir/infer.h).
PIR_API const pir_type *pir_value_type(const pir_value *value);
PIR_API void pir_value_set_type(pir_value *value, const pir_type *type);

PIR_API pir_op *pir_value_op(const pir_value *value);  // NULL for a block argument
PIR_API pir_block *
pir_value_block(const pir_value *value);  // of the argument, or of the defining op
PIR_API size_t pir_value_index(const pir_value *value);  // result or argument number
PIR_API bool pir_value_is_argument(const pir_value *value);

PIR_API bool pir_value_unused(const pir_value *value);
PIR_API bool pir_value_single_use(const pir_value *value);
PIR_API pir_use *pir_value_first_use(const pir_value *value);
PIR_API void pir_value_replace_uses(pir_value *value, pir_value *by);

PIR_API pir_use *pir_use_next(const pir_use *use);
PIR_API pir_op *pir_use_owner(const pir_use *use);
PIR_API size_t pir_use_operand_index(const pir_use *use);
PIR_API pir_value *pir_use_value(const pir_use *use);
PIR_API void pir_use_set(pir_use *use, pir_value *value);  // `value` may be NULL

// The next use is read before the body runs, so the body may change this one.
#define PIR_EACH_USE(u, value)                                                                 \
  for (pir_use *u = pir_value_first_use(value), *pir_next_##u = u ? pir_use_next(u) : NULL; u; \
       u = pir_next_##u, pir_next_##u = u ? pir_use_next(u) : NULL)

PIR_END
#endif
