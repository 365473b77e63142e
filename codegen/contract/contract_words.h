// Short names for building loop IR in contraction kernels. Each takes the emission in place of
// the loop module or function.
#ifndef PIR_CONTRACT_WORDS_H
#define PIR_CONTRACT_WORDS_H

#include "contract_impl.h"

static inline loop_expr *contract_int(const contract_emission *e, int64_t n) {
  return pir_loop_int(e->m, n);
}
static inline loop_expr *contract_add(const contract_emission *e, loop_expr *a, loop_expr *b) {
  return pir_loop_add(e->m, a, b);
}
static inline loop_expr *contract_sub(const contract_emission *e, loop_expr *a, loop_expr *b) {
  return pir_loop_sub(e->m, a, b);
}
static inline loop_expr *contract_mul(const contract_emission *e, loop_expr *a, loop_expr *b) {
  return pir_loop_mul(e->m, a, b);
}
static inline loop_expr *contract_plus(const contract_emission *e, loop_expr *a, int64_t n) {
  return pir_loop_add(e->m, a, pir_loop_int(e->m, n));
}
static inline loop_expr *contract_times(const contract_emission *e, loop_expr *a, int64_t n) {
  return pir_loop_mul(e->m, a, pir_loop_int(e->m, n));
}
static inline loop_expr *contract_div(const contract_emission *e, loop_expr *a, loop_expr *b) {
  return pir_loop_floordiv(e->m, a, b);
}
static inline loop_expr *contract_mod(const contract_emission *e, loop_expr *a, loop_expr *b) {
  return pir_loop_mod(e->m, a, b);
}
static inline loop_expr *contract_min(const contract_emission *e, loop_expr *a, loop_expr *b) {
  return pir_loop_min(e->m, a, b);
}
static inline loop_expr *contract_max(const contract_emission *e, loop_expr *a, loop_expr *b) {
  return pir_loop_max(e->m, a, b);
}
static inline loop_expr *contract_lt(const contract_emission *e, loop_expr *a, loop_expr *b) {
  return pir_loop_lt(e->m, a, b);
}
static inline loop_block *contract_if(const contract_emission *e, loop_block *block,
                                      loop_expr *condition, loop_block **out_else) {
  return pir_loop_if(e->fn, block, condition, out_else);
}
static inline loop_expr *contract_load(const contract_emission *e, loop_buffer *from,
                                       loop_expr *at, int lanes, loop_expr *mask) {
  return pir_loop_load(e->m, from, at, (uint16_t)lanes, mask);
}
static inline void contract_store(const contract_emission *e, loop_block *block,
                                  loop_buffer *to, loop_expr *at, loop_expr *value) {
  pir_loop_store(e->fn, block, to, at, value, NULL);
}
static inline loop_expr *contract_broadcast(const contract_emission *e, loop_expr *x,
                                            int lanes) {
  return pir_loop_broadcast(e->m, x, (uint16_t)lanes);
}
// Returns the offset of element `at` of a line, for lines of `width` elements.
static inline loop_expr *contract_in_line(const contract_emission *e, loop_expr *line,
                                          int64_t width, loop_expr *at) {
  return contract_add(e, contract_times(e, line, width), at);
}
// Binds the value to a new variable in `block`; `stem` names it in printed loops.
static inline loop_expr *contract_let(const contract_emission *e, loop_block *block,
                                      const char *stem, loop_expr *value) {
  return pir_loop_let(e->fn, block, stem, value);
}
// Returns the mask of the first `left` lanes.
loop_expr *contract_mask(const contract_emission *e, loop_block *block, loop_expr *left,
                         int lanes);
// Returns the conjunction of two conditions; NULL stands for true.
loop_expr *contract_both(const contract_emission *e, loop_expr *a, loop_expr *b);
// Opens a serial loop from `begin` to `end` by `step` (NULL: 1); sets *out_at to its variable.
loop_block *contract_loop(const contract_emission *e, loop_block *block, const char *stem,
                          loop_expr *begin, loop_expr *end, loop_expr *step,
                          loop_expr **out_at);
// Returns how many of so many steps an iteration of a loop of products has: the loop's own
// instructions then cost less. 1 where their number is open, which 0 says.
int contract_repeated_steps(const contract_emission *e, int64_t steps);
// Opens a serial loop from 0 to `end` by a constant step.
loop_block *contract_count(const contract_emission *e, loop_block *block, const char *stem,
                           loop_expr *end, int64_t step, loop_expr **out_at);
// Devices: threads of a warp, and the rows and columns of one mma.m16n8 (PTX ISA).
enum { WARP = 32, FRAGMENT_ROWS = 16, FRAGMENT_COLUMNS = 8 };
// Opens a loop from 0 to `count` in *block that is unrolled; returns its variable.
loop_expr *contract_unrolled(const contract_emission *e, loop_block **block, int64_t count);
// Opens an operand as a read-only argument, and the result as an argument where no epilogue
// stores it.
loop_buffer *contract_arg(const contract_emission *e, const char *stem,
                          const contract_tensor *tensor);
void contract_open_out(contract_emission *e);
// Devices: states the number of units, so that the parts of a unit's number are found by narrow
// divisions.
void contract_bound_unit(const contract_emission *e, loop_expr *unit, pir_dim units);
// Opens the loop over the units of a stage; sets *out_unit to the unit's number.
loop_block *contract_open_units(const contract_emission *e, const char *stem,
                                loop_expr **out_unit);

#endif
