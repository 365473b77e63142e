// Types of a clause's value nodes: what the evaluator computes in and the code generator emits.
// The rules are stated in pir/clause.h; this is the one place that applies them.
#ifndef PIR_CLAUSE_TYPES_H
#define PIR_CLAUSE_TYPES_H

#include <pir/clause.h>

PIR_BEGIN

// A node's type is a pir_dtype, or weak: literals, attributes and indices take the type of what
// they meet.
enum { PIR_WEAK_INT = PIR_DTYPE_COUNT, PIR_WEAK_FLOAT };

// What the types depend on beside the clause.
typedef struct pir_clause_typing {
  const pir_clause *clause;
  const pir_attr_value *attrs;
  pir_dtype out;  // element type of the result
  int (*operand)(const void *user,
                 int k);  // element type of operand k (of its members); PIR_DTYPE_COUNT: absent
  const void *user;
} pir_clause_typing;

// Fills the types of the value nodes; `out_types` has an entry for every node of the clause.
PIR_API void pir_clause_type_nodes(const pir_clause_typing *typing, uint8_t *out_types);
// The dtype that PIR_V_CAST's `k` names; PIR_DTYPE_COUNT: the child's own.
PIR_API int pir_clause_cast_type(const pir_clause_typing *typing, int k);
// Type that a reduction accumulates in.
PIR_API int pir_clause_acc_type(const pir_clause *clause, const uint8_t *types);

PIR_API bool pir_node_type_is_weak(int type);
PIR_API int pir_node_type_strong(int type);  // of a weak one that meets nothing: i64, f64
PIR_API int pir_node_type_arithmetic(
    int type);  // what elements of a type are computed in: f16, bf16 and f8 as f32
PIR_API int pir_node_type_meet(int a, int b);  // of an operation on both
PIR_API int pir_node_type_real(int type);      // of the parts of a complex one

PIR_END

#endif
