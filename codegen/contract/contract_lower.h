// Contractions of a group: which of its ops are contractions, where their operands come from,
// and their stages. A stage ends with the epilogue, which computes the group's results from the
// sums.
#ifndef PIR_CONTRACT_LOWER_H
#define PIR_CONTRACT_LOWER_H

#include "contract.h"
#include "lowering.h"

// Whether the op's clause is a contraction.
bool contract_is_op(const pir_op *op);
// Returns the last contraction of a group, or NULL. Its result determines the memory order of
// the group's results.
const pir_op *contract_last_of(const pir_op *group);

// Traces operand `v` of a contraction backwards through casts that only the contraction reads:
// a widened 16-bit float or byte, or a parameter that is rounded to one and widened again.
// Returns the number of casts (0 to 2); `casts` lists them from the contraction outwards. The
// casts belong to the contraction's group, and its kernel reads the source. out_rounded is the
// type that a parameter is rounded to, or PIR_UNDEFINED.
int contract_trace_operand(const pir_facts *facts, const pir_value *v, const pir_op *casts[2],
                           const pir_value **out_source, pir_dtype *out_rounded);

// Emits the stages of a group with one contraction. Failures are in l->why.
void contract_lower_one(lowering *l, const pir_op *op, lower_stages *stages,
                        lower_packings *packings);
// Emits the stages of a group with two contractions, the second of which reads values computed
// from the first one's sums. Failures are in l->why.
void contract_lower_pair(lowering *l, const pir_op *const ops[2], lower_stages *stages,
                         lower_packings *packings);

// Where a depthwise contraction would read its channels one by one: adds a stage that copies
// its operand a with the channels innermost, and lets it read the copy.
void contract_turn(lowering *l, contraction *c, lower_stages *stages);

// Whether minimal filtering pays for a contraction whose channels are not innermost, copies to
// and from that order included. Then out_turned is the contraction with its tensors turned.
bool contract_turns_for_filter(const lowering *l, const contraction *c, const contract_env *env,
                               contraction *out_turned);
// Adds the stage that copies a for it, and gives the turned tensors their buffers.
void contract_turn_operand(lowering *l, const contraction *c, contraction *turned,
                           lower_stages *stages);
// Adds the stage that reads the turned sums and passes them to the epilogue. Returns false and
// sets l->why on failure.
bool contract_turn_result(lowering *l, const contraction *c, const contraction *turned,
                          const pir_value *sum, lower_stages *stages);

// Passes a vector of finished sums to the group's epilogue, which stores the results. Returns
// false and sets l->why on failure.
bool contract_finish_sums(lowering *l, const pir_value *sums, loop_fn *fn, loop_block *block,
                          const contract_point *point);

#endif
