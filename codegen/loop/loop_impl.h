// Functions that the files which build and rewrite loop IR share.
#ifndef PIR_LOOP_IMPL_H
#define PIR_LOOP_IMPL_H

#include "loop.h"

// The largest number whose sums and products with a few others fit an index; extents are far
// below.
#define LOOP_MODERATE ((int64_t)1 << 48)

loop_expr *pir_loop_node(loop_module *m, loop_kind kind, pir_dtype dtype, uint16_t lanes);
// Returns the simplified form of fn(a, b, c); NULL if the operation must be built. simplify.c
loop_expr *pir_loop_simplify(loop_module *m, pir_node_op fn, loop_expr *a, loop_expr *b,
                             loop_expr *c);
// Returns a copy of e with other operands.
loop_expr *pir_loop_rebuild(loop_module *m, const loop_expr *e, loop_expr *a, loop_expr *b,
                            loop_expr *c, loop_expr *mask);
// Whether an index is made of a number that a tensor holds: of any size, so that sums may wrap.
bool pir_loop_may_wrap(const loop_expr *e);
int64_t pir_loop_wrap(uint8_t type, int64_t i);  // the bits that the type keeps, with its sign
// Constants of all types but f64 are held as f32, which emitters make of them.
double pir_loop_round(uint8_t type, double f);
bool pir_loop_equal(const loop_expr *a, const loop_expr *b);  // the same tree

#endif
