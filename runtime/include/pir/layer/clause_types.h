// Types of a clause's value nodes: the evaluator computes in them and the code generator emits
// them. pir/compiler/clause_nodes.h states the rules; this is the one place that applies them.
// From any thread.
//
// A node's type is a pir_dtype or one of the weak types below.
#ifndef PIR_CLAUSE_TYPES_H
#define PIR_CLAUSE_TYPES_H

#include <pir/compiler/clause.h>

PIR_BEGIN

// Types of literals, attributes and indices, which take the type of the node they meet.
enum { PIR_WEAK_INT = PIR_DTYPE_COUNT, PIR_WEAK_FLOAT };

// Everything that the types depend on.
typedef struct pir_clause_typing {
  // The clause whose nodes are typed.
  const pir_clause *clause;
  // Attributes of the op by position.
  const pir_attr_value *attrs;
  // Element type of the result.
  pir_dtype out;
  // Returns the element type of operand k (of a list's members); PIR_DTYPE_COUNT when absent.
  int (*operand)(const void *user, int k);
  // Handed to `operand`.
  const void *user;
} pir_clause_typing;

// Fills the types of all value nodes; `out_types` has an entry for every node of the clause.
// O(nodes).
PIR_API void pir_clause_type_nodes(const pir_clause_typing *typing, uint8_t *out_types);
// Returns the element type that `k` of a PIR_V_CAST names; PIR_DTYPE_COUNT: the child's own.
PIR_API int pir_clause_cast_type(const pir_clause_typing *typing, int k);
// Returns the type that a reduction accumulates in, from the types of the nodes.
PIR_API int pir_clause_acc_type(const pir_clause *clause, const uint8_t *types);

// Whether a type is one of the two weak ones.
PIR_API bool pir_node_type_is_weak(int type);
// Returns i64 or f64 for a weak type that meets nothing; other types unchanged.
PIR_API int pir_node_type_strong(int type);
// Returns the type that arithmetic on elements uses: f32 for f16, bf16 and f8, i64 for index.
PIR_API int pir_node_type_arithmetic(int type);
// Returns the type of an operation on two types.
PIR_API int pir_node_type_meet(int a, int b);
// Returns the type of the parts of a complex type; other types unchanged.
PIR_API int pir_node_type_real(int type);

PIR_END

#endif
