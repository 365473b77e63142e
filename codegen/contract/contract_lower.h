// Contractions of a group: which of its ops are contractions, where their operands come from,
// and their stages. A stage ends with the epilogue, which computes the group's results from the
// sums.
#ifndef PIR_CONTRACT_LOWER_H
#define PIR_CONTRACT_LOWER_H

#include "contract.h"
#include "lowering.h"

// Whether the op's clause is a contraction.
bool contract_is_op(const pir_op *op);
// The last contraction of a group, whose result says how the group's results lie in memory; NULL
// when the group has none.
const pir_op *contract_last_of(const pir_op *group);

// Traces operand `v` of a contraction through casts that only the contraction reads: a 16-bit float
// or a byte that is widened, or a parameter that is rounded to one and widened again. Returns the
// number of these casts (0 to 2; `casts` holds them from the contraction outwards); they are part of
// the contraction's group, and its kernel reads the source. out_rounded: the type that a parameter is
// rounded to, PIR_UNDEFINED for none.
int contract_trace_operand(const pir_facts *facts, const pir_value *v, const pir_op *casts[2],
                           const pir_value **out_source, pir_dtype *out_rounded);

// The stages of a group with one contraction. Failures are in l->why.
void contract_lower_one(lowering *l, const pir_op *op, lower_stages *stages,
                        lower_packings *packings);
// The stages of a group with two contractions, of which the second reads what is made of the sums of
// the first. Failures are in l->why.
void contract_lower_pair(lowering *l, const pir_op *const ops[2], lower_stages *stages,
                         lower_packings *packings);

// Hands a vector of finished sums to the epilogue of the group, which stores the results. False, with
// l->why set, on failure.
bool contract_finish_sums(lowering *l, const pir_value *sums, loop_fn *fn, loop_block *block,
                          const contract_point *point);

#endif
