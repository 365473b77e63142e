// The analysis behind pir_facts, and what hooks of ops that read a program's parameters see of it.
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
  pir_symbol_source *sources;  // by symbol
  size_t source_count, source_capacity;
  size_t rounds;  // of all loops, so far
};

// A fact that says what a stated type says.
pir_fact *fact_of_type(pir_infer *infer, const pir_type *type);

#endif
