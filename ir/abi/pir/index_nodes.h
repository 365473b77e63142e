// Index nodes (PIR_I_*) over plain integers: the arithmetic that all readers of clauses share.
// Needs libc only. Callable from any thread.
#ifndef PIR_INDEX_NODES_H
#define PIR_INDEX_NODES_H

#include <pir/clause.h>

PIR_BEGIN

// ---- arithmetic wraps, so that no input makes it undefined

// Returns a + b modulo 2^64.
static inline int64_t pir_index_add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}
// Returns a - b modulo 2^64.
static inline int64_t pir_index_sub(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a - (uint64_t)b);
}
// Returns a * b modulo 2^64.
static inline int64_t pir_index_mul(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}
// Returns the quotient rounded towards -inf; 0 when b is 0.
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

PIR_END
#endif
