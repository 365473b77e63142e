// Decides which ops are compiled, and by which generator. build_cinn_pass asks about single ops
// and about the groups it has made; lowering a group starts here. Some questions are answered
// by lowering into a temporary loop module; no other folder does so.
#ifndef PIR_CHOOSE_H
#define PIR_CHOOSE_H

#include "attention.h"
#include "contract_lower.h"
#include "lowering.h"
#include "machine.h"

// ---- one op

// Whether the generator can compile the op within a group, and that pays. `target` may be NULL.
bool choose_can(const pir_op *op, const pir_facts *facts, const pir_target *target);
// The clause of the op's first result; NULL when it has none.
const pir_clause *choose_clause(const pir_op *op, const pir_facts *facts);
// The space that the op reduces over; false when its reduction has no form in loops.
bool choose_row_space(const pir_op *op, const pir_facts *facts, lower_space *out_space);
// Whether the op, alone in `group` (NULL: in none), only moves elements, and elements that are
// adjacent in its result lie apart in its operand: the runtime copies those in squares or by tables,
// which is faster than gathering.
bool choose_is_copy(const pir_op *op, const pir_op *group, const pir_facts *facts);
// The axis along which the op joins the members of an operand (PIR_CLAUSE_JOIN), or takes an operand
// apart (PIR_CLAUSE_SPLIT), and that operand's index; -1 when it does neither, or stacks.
int choose_joined_operand(const pir_op *op, pir_clause_kind kind, const pir_facts *facts,
                          int *out_axis);

// Attention whose second product is `op` (attention.h), and the op that turns the axes of its result:
// NULL when none does, else `from` says which axis each of its own is.
typedef struct choose_attention {
  attention found;
  const pir_op *turn;
  uint8_t from[PIR_MAX_RANK];
} choose_attention;
bool choose_find_attention(const pir_op *op, const pir_facts *facts, const pir_target *target,
                           choose_attention *out);

// ---- a group

// The ways to compile a group. The pass that makes groups writes the name of one into the group's
// attribute `kind`.
typedef enum group_kind {
  GROUP_ELEMENTS,     // "elements": ops over one shape, element by element
  GROUP_ROWS,         // "rows": reductions over one space, and ops along with them
  GROUP_CONTRACTION,  // "contraction": one, and what is computed from its sums
  GROUP_PAIR,         // "pair": a contraction that reads what is computed from another's sums
  GROUP_ATTENTION,    // "attention": two contractions and the rows between them
  GROUP_KINDS
} group_kind;

const char *choose_kind_name(group_kind kind);
// The kind that the group states, or the one it is found to have where it states none.
group_kind choose_kind_of(const pir_op *group, const pir_facts *facts,
                          const pir_target *target);

// Emits all stages of the group, vectorised, behind the functions that the module has. False, with
// l->why and l->where set, when the group cannot be compiled.
bool choose_emit(lowering *l, lower_stages *stages, lower_packings *packings);
// Whether choose_emit can; reports a remark where it cannot.
bool choose_can_emit(const pir_op *group, const pir_facts *facts, const pir_target *target);
// Reports a remark on what became of the group.
void choose_explain(const lowering *l, const lower_stages *stages);

#endif
