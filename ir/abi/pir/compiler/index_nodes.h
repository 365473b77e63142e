// Evaluates index nodes (PIR_I_*): their arithmetic, their questions about lists, and the walk
// over index trees that all readers of clauses share. A reader evaluates its own nodes (to a
// number, an affine form in the variables of a clause, a symbolic extent) and combines its
// values. Constants, attributes, logic and arithmetic of numbers are evaluated here. Needs only
// libc. Callable from any thread.
#ifndef PIR_INDEX_NODES_H
#define PIR_INDEX_NODES_H

#include <pir/compiler/clause.h>

PIR_BEGIN

// ---- arithmetic wraps, so that no input makes it undefined

// Returns the wrapped sum of two numbers.
static inline int64_t pir_index_add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}
// Returns the wrapped difference of two numbers.
static inline int64_t pir_index_sub(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a - (uint64_t)b);
}
// Returns the wrapped product of two numbers.
static inline int64_t pir_index_mul(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}
// Returns the quotient of two numbers, rounded towards -inf; 0 when the divisor is 0.
static inline int64_t pir_index_floordiv(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  if (b == -1)
    return pir_index_sub(0, a);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

// Whether a kind of node is arithmetic, a comparison or logic of two numbers.
static inline bool pir_index_is_binary(int op) {
  return op >= PIR_I_ADD && op <= PIR_I_OR;
}
// Returns the number that a node of kind `op` (pir_index_is_binary) gives for a and b. A
// quotient by 0 is 0, and its remainder a.
PIR_API int64_t pir_index_apply(int op, int64_t a, int64_t b);

// ---- lists of integers

// A list that nodes read: an attribute's, or an integer operand's.
typedef struct pir_index_list {
  // Number of elements.
  int64_t count;
  // Gives element i, 0 <= i < count; false when it is not known.
  bool (*element)(const void *user, int64_t i, int64_t *out);
  // Handed to `element`.
  const void *user;
} pir_index_list;

// Returns the list that an attribute holds, which it borrows. A scalar is a list of one
// element; an absent attribute is empty.
PIR_API pir_index_list pir_index_attr_list(const pir_attr_value *attr);
// Reads element i of that list. Returns false when it has none, or one that is no integer.
PIR_API bool pir_index_attr_at(const pir_attr_value *attr, int64_t i, int64_t *out);
// Evaluates a node of kind `op` (PIR_I_ATTR_AT to PIR_I_ATTR_KEPT, PIR_I_OPERAND_AT to
// PIR_I_OPERAND_KEPT) on its list; `a` and `rank` are the values of nodes a and b, 0 where they
// are absent. False when an element is beyond the list or not known. Takes quadratic time in
// the number of elements for the KEPT ones, linear time for others.
PIR_API bool pir_index_ask(int op, const pir_index_list *list, int64_t a, int64_t rank,
                           int64_t *out);

// ---- walks

// Limits of a walk.
enum {
  // Bytes of a reader's value, at most.
  PIR_INDEX_VALUE = 512,
  // Levels of a tree, at most.
  PIR_INDEX_DEPTH = 64
};

// The outcome of a reader's `read` for one node.
typedef enum pir_index_step {
  // The node is left to the rules that all readers share.
  PIR_INDEX_SHARED,
  // The value is given.
  PIR_INDEX_DONE,
  // The node has no value for this reader.
  PIR_INDEX_FAILED
} pir_index_step;

// A reader of index trees. If `put`, `get` and `combine` are NULL, values are int64_t.
typedef struct pir_index_reader pir_index_reader;
struct pir_index_reader {
  // Nodes of the clause.
  const pir_node *nodes;
  // Texts of the clause; NULL when no node names one.
  const char *const *text;
  // Attributes of the op by position; NULL: nodes that read one are the reader's own.
  const pir_attr_value *attrs;
  // The caller's.
  void *user;
  // Levels that the walk is inside of now; 0 at the start.
  int depth;
  // Reads a node of the reader's own; asked before anything else is done with a node, and may
  // read other nodes. NULL: there are none.
  pir_index_step (*own)(pir_index_reader *reader, int node, void *out);
  // Makes a value of a number.
  void (*put)(pir_index_reader *reader, int64_t number, void *out);
  // Tells whether a value is a number, and which.
  bool (*get)(pir_index_reader *reader, const void *value, int64_t *out);
  // Combines two values, not both numbers, by a node of kind `op` (PIR_I_ADD to PIR_I_LE);
  // false when that has no value.
  bool (*combine)(pir_index_reader *reader, int op, const void *a, const void *b, void *out);
};

// Reads the tree below `node`. Logic that one side decides needs no value of the other, and a
// conditional reads the side that it takes. False when the tree has no value: the reader says
// so, arithmetic overflows, a divisor is 0, or the node is absent or too deep.
PIR_API bool pir_index_read(pir_index_reader *reader, int node, void *out);
// Reads the tree below `node`, whose value must be a number.
PIR_API bool pir_index_number(pir_index_reader *reader, int node, int64_t *out);

PIR_END
#endif
