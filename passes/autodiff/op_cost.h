// What values take and what ops cost, as far as that is known before the program runs. Private
// to passes/.
#ifndef PIR_AUTODIFF_OP_COST_H
#define PIR_AUTODIFF_OP_COST_H

#include <arena.h>
#include <pir/compiler/infer.h>

// The number that stands for an extent that only the run shows.
#define COST_OPEN_EXTENT 16

// Bytes of the elements of a value: of a tensor, or of all members of a list. 0 where neither
// facts nor the stated type tell.
int64_t cost_bytes(const pir_facts *facts, const pir_value *value);
// Floating-point operations of an op: two for each point of a contraction's space, else one for
// each element of its largest tensor.
double cost_flops(pir_arena *arena, const pir_facts *facts, const pir_op *op);
// Whether result 0 of an op has the elements of operand 0 in their order, so that a plan gives
// both one place.
bool cost_renames(const pir_op *op);

#endif
