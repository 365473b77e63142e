// The state behind pir_facts, and its interface for hooks of ops that read a program's
// parameters.
#ifndef PIR_DIALECTS_FACTS_IMPL_H
#define PIR_DIALECTS_FACTS_IMPL_H

#include "infer_impl.h"
#include <arena.h>
#include <map.h>

struct pir_facts {
  pir_arena arena;
  pir_dims *dims;
  const pir_program *program;
  pir_map values;              // pir_value -> pir_fact
  pir_symbol_source *sources;  // source of each symbol
  size_t source_count, source_capacity;
  size_t rounds;        // rounds over all loops so far
  bool symbolic;        // for reading: contents are named, constraints collected
  pir_map constrained;  // op -> its first pir_constraint
};

// Allocates memory that lives as long as the facts; `user` is the facts.
void *facts_alloc(void *facts, size_t size);
// Builds the inference question for an op: facts of its operands by declared position, its
// attributes, and the `count` facts to be filled.
pir_status facts_question(pir_facts *facts, const pir_op *op, pir_fact *results, size_t count,
                          pir_infer *out);
// A hook for pir_infer.require: `user` is the facts.
void facts_require(pir_infer *infer, pir_constraint_kind kind, pir_dim a, pir_dim b);
// Creates symbols for the elements of a small integer tensor of known shape.
void facts_name_contents(pir_facts *facts, pir_fact *fact);
// Gives operands of an op without facts those that their stated types are: values that were
// made by others since.
void facts_take_stated(pir_facts *facts, const pir_op *op);

// Makes a fact of a stated type.
pir_fact *fact_of_type(pir_infer *infer, const pir_type *type);

#endif
