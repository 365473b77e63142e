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

// Whether the op can be compiled inside a group, and that is profitable. `target` may be NULL.
bool choose_can(const pir_op *op, const pir_facts *facts, const pir_target *target);
// Returns the reason why choose_can says no, for "is not compiled: ", or NULL if it says yes.
// The text is constant, or lies in the arena.
const char *choose_refusal(const pir_op *op, const pir_facts *facts, const pir_target *target,
                           pir_arena *arena);
// Whether a generator of contractions makes the contraction `op`; on a device, others are made
// element by element.
bool choose_has_generator(const pir_op *op, const pir_facts *facts, const pir_target *target);
// Returns the clause of the op's first result, or NULL.
const pir_clause *choose_clause(const pir_op *op, const pir_facts *facts);
// Whether the op computes elements of its result from elements, one by one, as the sum of a
// residual does, and has no effect.
bool choose_reads_elements(const pir_op *op, const pir_facts *facts);
// Computes the iteration space of the op's reduction; false if loop IR cannot express it.
bool choose_row_space(const pir_op *op, const pir_facts *facts, lower_space *out_space);
// Whether the op, alone in `group` (NULL: in none), only moves elements and reads them with a
// stride where it writes them adjacently. The runtime copies these faster, by squares or
// tables, than a compiled gather.
bool choose_is_copy(const pir_op *op, const pir_op *group, const pir_facts *facts);
// Returns the axis along which the op joins the members of an operand (PIR_CLAUSE_JOIN) or
// splits an operand (PIR_CLAUSE_SPLIT), and that operand's index. -1 if it does neither, or
// stacks.
int choose_joined_operand(const pir_op *op, pir_clause_kind kind, const pir_facts *facts,
                          int *out_axis);
// Does the same for any split, whose parts may lack the axis.
int choose_divided_operand(const pir_op *op, const pir_facts *facts, int *out_axis);

// Matches attention whose second product is `op` (attention.h). Returns the op that permutes
// the result's axes, or NULL; if there is one, from[d] is the source axis of axis d.
typedef struct choose_attention {
  attention found;
  const pir_op *turn;
  uint8_t from[PIR_MAX_RANK];
} choose_attention;
bool choose_find_attention(const pir_op *op, const pir_facts *facts, const pir_target *target,
                           choose_attention *out);

// ---- a group

// The kinds of groups. build_cinn_pass writes the name of the kind into the group's attribute
// `kind`.
typedef enum group_kind {
  GROUP_ELEMENTS,     // "elements": ops over one shape, element by element
  GROUP_SCAN,         // "scan": one, on a device
  GROUP_UPDATES,      // "updates": a scatter, on a device
  GROUP_KERNEL,       // "kernel": an op that no clause describes, on a device
  GROUP_STEPS,        // "steps": a scan of a region, on a device
  GROUP_ROWS,         // "rows": reductions over one space, and ops along with them
  GROUP_SUMS,         // "sums": a contraction that has no generator, on a device
  GROUP_CONTRACTION,  // "contraction": one, and the ops on its sums
  GROUP_PAIR,         // "pair": a contraction that reads values computed from another's sums
  GROUP_ATTENTION,    // "attention": two contractions and the rows between them
  GROUP_KINDS
} group_kind;

const char *choose_kind_name(group_kind kind);
// Returns the kind that the group states; without a stated kind, the last one in the table that
// fits.
group_kind choose_kind_of(const pir_op *group, const pir_facts *facts,
                          const pir_target *target);

// Emits all stages of the group, vectorised, after the functions that the module already has.
// Returns false and sets l->why and l->where if the group cannot be compiled.
bool choose_emit(lowering *l, lower_stages *stages, lower_packings *packings);
// Whether choose_emit would succeed; reports a remark if not.
bool choose_can_emit(const pir_op *group, const pir_facts *facts, const pir_target *target);
// Reports a remark that describes how the group was compiled.
void choose_explain(const lowering *l, const lower_stages *stages);

// ---- a lowering into a temporary loop module, which shows what lowering accepts

typedef struct probe {
  lowering l;
} probe;

// `target` and `group` may be NULL.
static inline void probe_open(probe *p, const pir_facts *facts, const pir_target *target,
                              const pir_op *group) {
  lower_init(&p->l, pir_loop_module_create_in(pir_facts_heap(facts)), target, facts, group);
}

static inline void probe_close(probe *p) {
  pir_loop_module_destroy(p->l.m);
}

#endif
