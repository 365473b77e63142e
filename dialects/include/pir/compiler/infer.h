// Inference: facts about values (element type, symbolic shape, contents of small tensors), and
// the functions by which hooks derive them. Facts start from feeds and parameters, not from
// stated types. The same hooks serve compile time, over symbols, and run time, where all
// extents are numbers: the shape rule of an op is written once.
//
// One thread at a time uses an analysis, and the program and dims behind it.
#ifndef PIR_INFER_H
#define PIR_INFER_H

#include <pir/compiler/clause.h>
#include <pir/compiler/dims.h>
#include <pir/compiler/ir.h>

PIR_BEGIN

// Contents are kept for tensors of at most this many elements.
#define PIR_FACT_CONTENTS 64

// ---- facts

// The knowledge about one value.
typedef struct pir_fact pir_fact;
struct pir_fact {
  // Whether anything is known; else no field below counts but `unstated`.
  bool known;
  // Only the run shows the type and shape: the stated type says nothing either.
  bool unstated;
  // Element type.
  pir_dtype dtype;
  // Number of axes; -1: unknown.
  int32_t rank;
  // Extents of the first `rank` axes.
  pir_dim shape[PIR_MAX_RANK];
  // Elements of a small integer tensor in row-major order, PIR_DIM_UNKNOWN where one is not
  // known; NULL: no contents.
  const pir_dim *contents;
  // Number of elements in `contents`.
  size_t content_count;
  // Elements of a small float tensor: of a constant, or in a run. NULL: none are known.
  const double *numbers;
  // Number of elements in `numbers`.
  size_t number_count;
  // Of a vec, the facts of its members; else NULL.
  const pir_fact *const *members;
  // Number of members.
  size_t member_count;
};

// A condition on two extents that must hold for the program to run.
typedef enum pir_constraint_kind {
  PIR_EQUAL = 0,         // both are the same
  PIR_BROADCASTABLE = 1  // both are the same, or one is 1
} pir_constraint_kind;

// ---- one question: the facts of an op's results, from the facts of its operands

// The argument of an inference hook. Arrays are in declared order.
struct pir_infer {
  // The op's meaning (pir_op_meaning).
  const pir_opdef *def;
  // For messages; NULL at run time.
  const pir_op *op;
  // The table of all dims in this question.
  pir_dims *dims;
  // Facts of the operands; NULL for an absent one. Variadic operands of structural ops are
  // gathered into one fact with members.
  const pir_fact *const *operands;
  size_t operand_count;
  // Attributes, defaults filled in.
  const pir_attr_value *attrs;
  // Filled by the hook; unknown at first.
  pir_fact *results;
  size_t result_count;
  // Returns zeroed memory for contents and members, which lives as long as the analysis (at run
  // time, as long as the question). NULL when there is none.
  void *(*alloc)(void *user, size_t size);
  // Handed to `alloc`.
  void *user;
  // Depth of the lower blocks that are being derived.
  int nesting;
  // Whether `message` holds the reason of a failure.
  bool has_message;
  // NUL-terminated.
  char message[400];
  // Called for every constraint that numbers do not already satisfy; NULL: nobody collects
  // them.
  void (*require)(struct pir_infer *infer, pir_constraint_kind kind, pir_dim a, pir_dim b);
};

// Fails a question: writes `message`, which should name the operand, the expected and the found
// value, behind the op's name, and returns PIR_INVALID. The caller of pir_infer_run reports the
// message.
PIR_API PIR_NODISCARD pir_status pir_infer_fail(pir_infer *infer, const char *format, ...)
    PIR_PRINTF(2, 3);
// Appends a description of operands and attributes to a message that names none of them;
// `capacity` is the size of the message's memory.
PIR_API void pir_infer_complete(const pir_infer *infer, char *message, size_t capacity);
// Answers a question: runs the op's hook, or derives the facts from its meaning. Results about
// which nothing is said stay unknown. Extents that only the run shows become new symbols.
// Returns PIR_INVALID with `message` when operands or attributes contradict the op.
PIR_API PIR_NODISCARD pir_status pir_infer_run(pir_infer *infer);
// Calls `require` for every two extents that the op's requirements take as equal and that
// numbers do not decide. Of the question only operands and attributes are read.
PIR_API void pir_infer_equalities(pir_infer *infer);

// Whether the number of axes of a value is known.
static inline bool pir_fact_has_rank(const pir_fact *fact) {
  return fact->known && fact->rank >= 0;
}

// ---- about ops

// Returns the definition of an op's meaning: its own, or for an op of the kernel dialect the
// definition of the op it was lowered from (attribute op_name), whose operands, results and
// attributes it has.
PIR_API const pir_opdef *pir_op_meaning(const pir_op *op);

// Whether a clause reads elements of operand number `operand` as indices.
PIR_API bool pir_clause_indexes(const pir_clause *clause, size_t operand);

// Gives the attributes of an op as plain data, in the order of its meaning, defaults filled in.
// Each has the kind that the declaration states: PIR_INVALID, reported, when the op's has
// another. Memory comes from `alloc` and is the caller's; texts live as long as the context.
// PIR_EXHAUSTED when `alloc` returns NULL for the array; a list without memory has no elements.
// *out_values is NULL on failure.
PIR_API PIR_NODISCARD pir_status pir_op_attr_values(const pir_op *op,
                                                    void *(*alloc)(void *user, size_t size),
                                                    void *user,
                                                    const pir_attr_value **out_values);

// ---- the analysis of a program: facts of all its values

typedef struct pir_facts pir_facts;

// Derives the facts of all values, in one walk. Each unknown extent of a feed becomes a symbol,
// one for each (name, axis). On success the caller destroys *out_facts, before the program.
// Errors are reported: PIR_INVALID for contradictions, PIR_EXHAUSTED when memory runs out or
// regions nest too deeply. Cost: O(ops), and a few rounds for each loop.
PIR_API PIR_NODISCARD pir_status pir_facts_create(const pir_program *program,
                                                  pir_facts **out_facts);
// Does the same for people, not for planning: elements of small integer inputs and of loop
// variables are symbols too, and constraints are collected. Extents that a PIR_EQUAL names are
// taken as equal (pir_dim_canonical), so the facts do not hold for inputs that break one.
PIR_API PIR_NODISCARD pir_status pir_facts_create_symbolic(const pir_program *program,
                                                           pir_facts **out_facts);
// Destroys an analysis with all its facts and dims. NULL does nothing.
PIR_API void pir_facts_destroy(pir_facts *facts);
// Returns the fact of a value; one that is not known for NULL and for new values. Never NULL.
// It stays valid until the value's op is updated or the analysis destroyed.
PIR_API const pir_fact *pir_facts_of(const pir_facts *facts, const pir_value *value);
// Appends a description of the op's operands and attributes to a message that names none of
// them; `capacity` is the size of the message's memory.
PIR_API void pir_facts_complete(pir_facts *facts, const pir_op *op, char *message,
                                size_t capacity);
// Returns the table of the analysis' dims, which the analysis owns.
PIR_API pir_dims *pir_facts_dims(const pir_facts *facts);
// Derives the facts of one op's results again, after a pass changed or made the op. Its users
// keep their facts. Fails as pir_facts_create does.
PIR_API PIR_NODISCARD pir_status pir_facts_update(pir_facts *facts, const pir_op *op);
// Takes the stated type of a value in a block for its facts: of an argument that a pass added.
// PIR_EXHAUSTED: memory runs out.
PIR_API PIR_NODISCARD pir_status pir_facts_state_type(pir_facts *facts, pir_value *value);
// Gives a value in a block the facts of another, whose place it takes: of an argument that a
// pass moved to another block. PIR_EXHAUSTED: memory runs out.
PIR_API PIR_NODISCARD pir_status pir_facts_copy(pir_facts *facts, pir_value *value,
                                                const pir_value *from);

// The origin of a symbol.
typedef struct pir_symbol_source {
  // The feed, or the result whose extent or element the run shows; NULL: unknown.
  const pir_value *value;
  // The axis of an extent; -1: the symbol is an element of the contents.
  int32_t axis;
  // Number of the element when `axis` is -1.
  int32_t element;
  // Number of the member of a vec; 0 for other values.
  int32_t member;
} pir_symbol_source;

// Returns the origin of symbol number i (pir_dim_symbol_index).
PIR_API pir_symbol_source pir_facts_symbol(const pir_facts *facts, size_t i);

// A constraint of one op, in a list without duplicates.
typedef struct pir_constraint pir_constraint;
struct pir_constraint {
  // The condition.
  pir_constraint_kind kind;
  // The two extents.
  pir_dim a, b;
  // The next constraint of the same op, or NULL.
  const pir_constraint *next;
};

// Returns the constraints of an op, or NULL; always NULL unless the analysis is symbolic. They
// live as long as the analysis.
PIR_API const pir_constraint *pir_facts_constraints(const pir_facts *facts, const pir_op *op);

PIR_END
#endif
