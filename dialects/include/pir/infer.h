// Inference: facts about values (dtype, symbolic shape, small integer contents), and the
// algebra hooks use to derive them. Facts start from feeds and parameters, not from stated
// types. The same hooks serve compile time (symbolic) and run time (all constants), so an op's
// shape rule is written once.
#ifndef PIR_INFER_H
#define PIR_INFER_H

#include <pir/clause.h>
#include <pir/dims.h>
#include <pir/ir.h>

PIR_BEGIN

// Contents are kept for integer tensors of at most this many elements.
#define PIR_FACT_CONTENTS 64

typedef struct pir_fact pir_fact;
struct pir_fact {
  bool known;     // false: nothing is known (then nothing below counts)
  bool unstated;  // and what the program states of it is no fact: only the run shows it
  pir_dtype dtype;
  int32_t rank;  // -1: unknown rank
  pir_dim shape[PIR_MAX_RANK];
  const pir_dim *contents;  // elements of a small integer tensor (PIR_DIM_UNKNOWN where not
                            // known), or NULL
  size_t content_count;
  const double
      *numbers;  // elements of a small float tensor: of a constant, or during a run. Or NULL
  size_t number_count;
  const pir_fact *const *members;  // of a vec value
  size_t member_count;
};

// What two extents have to satisfy for the program to run.
typedef enum pir_constraint_kind {
  PIR_EQUAL,         // both are the same
  PIR_BROADCASTABLE  // both are the same, or one is 1
} pir_constraint_kind;

// One question: facts of an op's results from those of its operands.
struct pir_infer {
  const pir_opdef *def;
  const pir_op *op;  // for messages; NULL at run time
  pir_dims *dims;
  const pir_fact *const *operands;  // by declared position; NULL when absent
  size_t operand_count;
  const pir_attr_value *attrs;  // by declared position; defaults filled in
  pir_fact *results;            // to be filled, by declared position
  size_t result_count;
  void *(*alloc)(void *user, size_t size);  // for contents and members; freed with the analysis
  void *user;
  int nesting;  // of lower blocks being run
  bool has_message;
  char message[400];  // of a failure
  // Told of every constraint that is not plain from the numbers; NULL when nobody asks.
  void (*require)(struct pir_infer *infer, pir_constraint_kind kind, pir_dim a, pir_dim b);
};

// Fails with a message that names op, operand, expected and found.
PIR_API pir_status pir_infer_fail(pir_infer *infer, const char *format, ...) PIR_PRINTF(2, 3);
// Appends what the operands and attributes are to a message that names none of them.
PIR_API void pir_infer_complete(const pir_infer *infer, char *message, size_t capacity);
// Runs the op's hook, or derives the facts from its clause; results that nothing says are left
// unknown. Dims that only the run will show become new symbols.
PIR_API pir_status pir_infer_run(pir_infer *infer);

// The definition that says what an op means: its own, or for an op of the kernel dialect that
// of the op it was lowered from (attribute op_name), whose operands, results and attributes it
// has.
PIR_API const pir_opdef *pir_op_meaning(const pir_op *op);

// Whether a clause reads elements of the operand as indices.
PIR_API bool pir_clause_indexes(const pir_clause *clause, size_t operand);

// Attributes of an op as plain data, by position in its meaning, defaults filled in; memory
// from `alloc`. An `alloc` that returns NULL gives NULL, or empty lists.
PIR_API pir_attr_value *pir_op_attr_values(const pir_op *op,
                                           void *(*alloc)(void *user, size_t size), void *user);

// The analysis of a program: facts of all its values.
typedef struct pir_facts pir_facts;

// A feed's unknown extents become symbols, one for each (input name, axis).
PIR_API pir_status pir_facts_create(const pir_program *program, pir_facts **out_facts);
// The same for reading, not for planning: elements of small integer inputs and of loop
// variables are symbols too, and constraints are collected. A PIR_EQUAL is taken for granted
// (pir_dim_canonical tells), so what is derived does not hold for inputs that break one.
PIR_API pir_status pir_facts_create_symbolic(const pir_program *program, pir_facts **out_facts);
PIR_API void pir_facts_destroy(pir_facts *facts);
PIR_API const pir_fact *pir_facts_of(const pir_facts *facts,
                                     const pir_value *value);  // never NULL
// Appends what the operands and attributes of the op are to a message that names none of them.
PIR_API void pir_facts_complete(pir_facts *facts, const pir_op *op, char *message,
                                size_t capacity);
PIR_API pir_dims *pir_facts_dims(const pir_facts *facts);
// Re-derives the facts of one op's results (a pass changed or made it).
PIR_API pir_status pir_facts_update(pir_facts *facts, const pir_op *op);

// What symbol `i` stands for.
typedef struct pir_symbol_source {
  const pir_value *value;  // the feed, or the result whose extent the run shows
  int32_t axis;            // -1: an element of `contents`
  int32_t element;
  int32_t member;  // of a vec; 0 else
} pir_symbol_source;
PIR_API pir_symbol_source pir_facts_symbol(const pir_facts *facts, size_t i);

// What an op demands of the extents, each once. None unless the facts were created symbolic.
typedef struct pir_constraint pir_constraint;
struct pir_constraint {
  pir_constraint_kind kind;
  pir_dim a, b;
  const pir_constraint *next;  // of the same op
};
PIR_API const pir_constraint *pir_facts_constraints(const pir_facts *facts,
                                                    const pir_op *op);  // NULL: none

PIR_END
#endif
