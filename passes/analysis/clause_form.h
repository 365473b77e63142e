// The effect of a clause for one op: its operand unchanged, a permutation of axes, or a
// reinterpretation of the same elements. Private to passes/.
#ifndef PIR_CLAUSE_FORM_H
#define PIR_CLAUSE_FORM_H

#include <evaluate.h>

typedef enum form_kind {
  FORM_OTHER,
  FORM_OPERAND,  // the result is operand `operand`
  FORM_PERMUTE,  // axis d of operand `operand` is axis axes[d] of the result
  FORM_LINEAR    // the elements of operand `operand` in row-major order
} form_kind;

typedef struct clause_form {
  form_kind kind;
  int operand;
  int32_t rank;
  int32_t axes[PIR_MAX_RANK];
  int perm_attr;  // PERMUTE: the attribute that lists the axes (result axis i is operand axis
                  // perm[i]), or -1
} clause_form;

// The form of an op with one clause-defined result. `e` gives constants and facts.
clause_form clause_form_of(evaluator *e, const pir_op *op);
// Whether the op's first result keeps its element type and shape when operand `i` has `fact`
// instead of its own.
bool keeps_shape(evaluator *e, const pir_op *op, size_t i, const pir_fact *fact);

#endif
