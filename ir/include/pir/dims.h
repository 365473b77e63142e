// Symbolic dimensions. A pir_dim is a number when it is not negative, else a handle of an
// expression in a table: symbols, sums, products, quotients, minima. Expressions are
// hash-consed and simplified when made (canonical sums of products), so equal forms are equal
// handles.
#ifndef PIR_DIMS_H
#define PIR_DIMS_H

#include <pir/base.h>

PIR_BEGIN

typedef int64_t pir_dim;

// Not known, and not even nameable (rank unknown, say). Never combined with others.
#define PIR_DIM_UNKNOWN INT64_MIN

typedef struct pir_dims pir_dims;  // the table

typedef enum pir_dim_kind {
  PIR_DIM_CONST,
  PIR_DIM_SYMBOL,
  PIR_DIM_ADD,
  PIR_DIM_MUL,
  PIR_DIM_FLOORDIV,
  PIR_DIM_CEILDIV,
  PIR_DIM_MOD,
  PIR_DIM_MIN,
  PIR_DIM_MAX,
  PIR_DIM_BROADCAST,  // a if b is 1, else b (a and b agree or one is 1)
  PIR_DIM_NEGATIVE    // a constant below 0 (handles are negative, so it is boxed)
} pir_dim_kind;

// NULL when there is no memory.
PIR_API pir_dims *pir_dims_create(const pir_allocator *allocator);
// The same; `out_of_memory` is called when memory is gone later and must not return (a jump out
// leaves a table that can be destroyed).
PIR_API pir_dims *pir_dims_create_hooked(const pir_allocator *allocator,
                                         void (*out_of_memory)(void *user), void *user);
PIR_API void pir_dims_destroy(pir_dims *dims);

PIR_API pir_dim pir_dim_const(pir_dims *dims, int64_t value);
// A new symbol. `min` is a known lower bound (usually 1; 0 when it may be empty).
PIR_API pir_dim pir_dim_symbol(pir_dims *dims, int64_t min);
PIR_API size_t pir_dims_symbols(const pir_dims *dims);

PIR_API pir_dim pir_dim_add(pir_dims *dims, pir_dim a, pir_dim b);
PIR_API pir_dim pir_dim_sub(pir_dims *dims, pir_dim a, pir_dim b);
PIR_API pir_dim pir_dim_mul(pir_dims *dims, pir_dim a, pir_dim b);
PIR_API pir_dim pir_dim_floordiv(pir_dims *dims, pir_dim a, pir_dim b);
PIR_API pir_dim pir_dim_ceildiv(pir_dims *dims, pir_dim a, pir_dim b);
PIR_API pir_dim pir_dim_mod(pir_dims *dims, pir_dim a, pir_dim b);
PIR_API pir_dim pir_dim_min(pir_dims *dims, pir_dim a, pir_dim b);
PIR_API pir_dim pir_dim_max(pir_dims *dims, pir_dim a, pir_dim b);
PIR_API pir_dim pir_dim_broadcast(pir_dims *dims, pir_dim a, pir_dim b);

PIR_API bool pir_dim_is_const(const pir_dims *dims, pir_dim dim, int64_t *out_value);
PIR_API pir_dim_kind pir_dim_kind_of(const pir_dims *dims, pir_dim dim);
PIR_API size_t pir_dim_operands(const pir_dims *dims, pir_dim dim);
PIR_API pir_dim pir_dim_operand(const pir_dims *dims, pir_dim dim, size_t i);
PIR_API size_t pir_dim_symbol_index(const pir_dims *dims, pir_dim dim);
PIR_API int64_t pir_dim_lower_bound(const pir_dims *dims, pir_dim dim);

// Makes two dims equal from now on (a constraint that must hold when the program runs).
PIR_API void pir_dims_unify(pir_dims *dims, pir_dim a, pir_dim b);
PIR_API pir_dim pir_dim_canonical(const pir_dims *dims, pir_dim dim);

// Value for given symbol values; false on overflow or division by zero.
PIR_API bool pir_dim_evaluate(const pir_dims *dims, pir_dim dim, const int64_t *symbols,
                              int64_t *out_value);

PIR_API pir_status pir_dim_print(const pir_dims *dims, pir_dim dim, pir_writer out);

PIR_END
#endif
