// The placement rule of an op or form, as `.ops` declares it.
#ifndef OPS_SPMD_H
#define OPS_SPMD_H

#include "ops_source.h"

#include <pir/layer/spmd_rule.h>

// A word behind the terms of a placement rule, as `whole a` or `at a = $axis`.
typedef struct spmd_option {
  const char *word;
  const char *name;  // a letter or another word, or NULL
  const char *attr;  // $attr, or NULL
  source_loc loc;
} spmd_option;

// How the tensors of an op may be split over a mesh. The table's fields are filled by check.
typedef struct spmd {
  source_loc loc;
  const char *function;  // the symbol of a C function, or NULL
  const char **names;    // of the operand or result that each term describes
  source_loc *places;
  pir_spmd_term *terms;
  int name_count, place_count, term_count, operand_terms;
  spmd_option *options;
  int option_count;
  pir_spmd_rule rule;
} spmd;

#endif
