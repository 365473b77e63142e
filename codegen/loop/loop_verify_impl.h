// Types and functions that the files of the loop IR verifier share.
#ifndef PIR_LOOP_VERIFY_IMPL_H
#define PIR_LOOP_VERIFY_IMPL_H

#include "loop_impl.h"
#include "loop_names.h"
#include "loop_verify.h"

#include <map.h>
#include <vec.h>

// A variable, by its number.
typedef struct verified_var {
  const loop_var *var;  // the variable bound last with this number
  int depth;            // depth of the block that binds it; 0: out of scope
  bool fixed;           // a number once unrolled loops are expanded
} verified_var;

typedef struct verifier {
  const loop_fn *fn;
  loop_faults faults;
  size_t count;
  pir_arena arena;
  verified_var *vars;
  PIR_VEC(uint32_t) scope;  // numbers of the variables in scope, innermost last
  pir_map statements;       // statements met so far
  pir_map expressions;      // expressions met so far: the statement's number, and the result
  const loop_stmt *stmt;    // the current one, or NULL
  uint64_t number;          // of statements met so far
  int depth;                // of the current block, from 1
  int loops;                // around the statement
  bool traps;               // a LOOP_TRAP was met
} verifier;

// Each node is the innermost one that is known.
void verify_fault(verifier *v, const loop_expr *e, const char *format, ...) PIR_PRINTF(3, 4);

enum { TYPE_TEXT = 32 };
// "f32x8". Returns `out`.
const char *verify_type_text(uint8_t dtype, uint16_t lanes, char out[TYPE_TEXT]);

// An expression with all below it. False when it cannot be looked at further: it is missing, or
// a fault below it says that its type means nothing.
bool verify_expr(verifier *v, const loop_expr *e, const char *role);
// The same for one that must have the type; `role` names it: "the index".
void verify_expr_of(verifier *v, const loop_expr *e, const char *role, uint8_t dtype,
                    uint16_t lanes);
// A mask of so many lanes, or NULL.
void verify_mask(verifier *v, const loop_expr *mask, uint16_t lanes);
// Whether the value is a number once unrolled loops are expanded.
bool verify_is_fixed(const verifier *v, const loop_expr *e);
// The index of a register.
void verify_register(verifier *v, const loop_buffer *buffer, const loop_expr *index);
// A buffer of this function.
bool verify_declared(verifier *v, const loop_expr *e, const loop_buffer *buffer);
// Whether elements of memory may have the type.
bool verify_is_element(uint8_t dtype);

#endif
