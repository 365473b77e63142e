// Symbolic dims: extents as expressions over symbols. Expressions are unique in their table and
// simplified when they are made (canonical sums of products), so that equal forms are equal
// handles. An expression that overflows 64 bits or grows beyond a fixed size is
// PIR_DIM_UNKNOWN; so is every expression with an unknown operand.
//
// One thread uses a table at a time, for queries too: they cache canonical forms.
#ifndef PIR_DIMS_H
#define PIR_DIMS_H

#include <pir/base.h>

PIR_BEGIN

// An extent: a number when it is not negative, else a handle of an expression in a table.
typedef int64_t pir_dim;

// Not known and without a name, for instance an extent of a tensor of unknown rank.
#define PIR_DIM_UNKNOWN INT64_MIN

// A table of expressions.
typedef struct pir_dims pir_dims;

// The kinds of expressions.
typedef enum pir_dim_kind {
  PIR_DIM_CONST = 0,      // a number
  PIR_DIM_SYMBOL = 1,     // a named extent
  PIR_DIM_ADD = 2,        // of two or more operands, as MUL
  PIR_DIM_MUL = 3,        // a constant factor comes first
  PIR_DIM_FLOORDIV = 4,   // rounds towards -inf
  PIR_DIM_CEILDIV = 5,    // rounds towards +inf
  PIR_DIM_MOD = 6,        // has the sign of the divisor
  PIR_DIM_MIN = 7,        // the smaller of two
  PIR_DIM_MAX = 8,        // the larger of two
  PIR_DIM_BROADCAST = 9,  // a if b is 1, else b; a and b agree or one of them is 1
  PIR_DIM_NEGATIVE = 10   // a constant below 0, which needs a handle of its own
} pir_dim_kind;

// ---- the table

// Creates a table without symbols. `allocator` may be NULL and is called on the thread that
// uses the table; running out of memory later traps. The caller destroys the table. NULL when
// there is no memory.
PIR_API pir_dims *pir_dims_create(const pir_allocator *allocator);
// Creates a table that calls `out_of_memory` when memory runs out later. The function must not
// return; after a jump out of it the table can only be destroyed.
PIR_API pir_dims *pir_dims_create_hooked(const pir_allocator *allocator,
                                         void (*out_of_memory)(void *user), void *user);
// Destroys a table; its handles mean nothing then. NULL does nothing.
PIR_API void pir_dims_destroy(pir_dims *dims);

// ---- making expressions

// Returns the dim of a number, which may be negative.
PIR_API pir_dim pir_dim_const(pir_dims *dims, int64_t value);
// Returns a new symbol. `min` is a lower bound of its value: 1, or 0 where the axis may be
// empty.
PIR_API pir_dim pir_dim_symbol(pir_dims *dims, int64_t min);
// Returns the number of symbols made so far.
PIR_API size_t pir_dims_symbols(const pir_dims *dims);

// Returns the sum a + b in canonical form.
PIR_API pir_dim pir_dim_add(pir_dims *dims, pir_dim a, pir_dim b);
// Returns the difference a - b in canonical form.
PIR_API pir_dim pir_dim_sub(pir_dims *dims, pir_dim a, pir_dim b);
// Returns the product a * b, multiplied out.
PIR_API pir_dim pir_dim_mul(pir_dims *dims, pir_dim a, pir_dim b);
// Returns a / b, rounded towards -inf. Division by 0 is PIR_DIM_UNKNOWN, here and below.
PIR_API pir_dim pir_dim_floordiv(pir_dims *dims, pir_dim a, pir_dim b);
// Returns a / b, rounded towards +inf.
PIR_API pir_dim pir_dim_ceildiv(pir_dims *dims, pir_dim a, pir_dim b);
// Returns the remainder a - b * floor(a / b).
PIR_API pir_dim pir_dim_mod(pir_dims *dims, pir_dim a, pir_dim b);
// Returns the smaller of both; one of the operands where the bounds decide.
PIR_API pir_dim pir_dim_min(pir_dims *dims, pir_dim a, pir_dim b);
// Returns the larger of both; one of the operands where the bounds decide.
PIR_API pir_dim pir_dim_max(pir_dims *dims, pir_dim a, pir_dim b);
// Returns the extent of two axes that broadcast together. That they do is not checked.
PIR_API pir_dim pir_dim_broadcast(pir_dims *dims, pir_dim a, pir_dim b);

// ---- reading expressions

// Whether a dim is a number, which is then written.
PIR_API bool pir_dim_is_const(const pir_dims *dims, pir_dim dim, int64_t *out_value);
// Returns the outermost operation of a known dim.
PIR_API pir_dim_kind pir_dim_kind_of(const pir_dims *dims, pir_dim dim);
// Returns the number of operands of an expression; 0 for numbers, symbols and the unknown dim.
PIR_API size_t pir_dim_operands(const pir_dims *dims, pir_dim dim);
// Returns operand i of an expression, which must exist.
PIR_API pir_dim pir_dim_operand(const pir_dims *dims, pir_dim dim, size_t i);
// Returns the number of a symbol, which `dim` must be: symbols count from 0 as they are made.
PIR_API size_t pir_dim_symbol_index(const pir_dims *dims, pir_dim dim);
// Returns a number that the dim's value is never below; INT64_MIN when none is known.
PIR_API int64_t pir_dim_lower_bound(const pir_dims *dims, pir_dim dim);

// ---- equalities

// States that two dims are equal in every run; canonical forms respect it from now on.
// Different numbers change nothing: the run will report them.
PIR_API void pir_dims_unify(pir_dims *dims, pir_dim a, pir_dim b);
// Returns the form of a dim under all equalities stated so far: two dims that are known to be
// equal have one form.
PIR_API pir_dim pir_dim_canonical(const pir_dims *dims, pir_dim dim);
// Returns whether two dims are known and known to be equal in every run.
PIR_API bool pir_dim_equal(const pir_dims *dims, pir_dim a, pir_dim b);
// Returns whether two shapes have one rank and equal extents. A rank below 0 is unknown and
// equals no other.
PIR_API bool pir_dims_equal(const pir_dims *dims, const pir_dim *a, int rank_a,
                            const pir_dim *b, int rank_b);

// Computes the value for given symbol values (pir_dims_symbols of them). Returns false on
// overflow, division by zero, or an unknown dim.
PIR_API bool pir_dim_evaluate(const pir_dims *dims, pir_dim dim, const int64_t *symbols,
                              int64_t *out_value);

// Writes a dim for people: "S0*2 + 1", "?" for the unknown one. PIR_IO when the writer stops.
PIR_API PIR_NODISCARD pir_status pir_dim_print(const pir_dims *dims, pir_dim dim,
                                               pir_writer out);
// Does the same with names of the caller's: one for each symbol, by pir_dim_symbol_index.
PIR_API PIR_NODISCARD pir_status pir_dim_print_named(const pir_dims *dims, pir_dim dim,
                                                     const pir_str *names, pir_writer out);

PIR_END
#endif
