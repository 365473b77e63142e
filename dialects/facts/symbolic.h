// Evaluates index expressions over symbolic dims: the shape rules, conditions and literals of
// `.ops`.
#ifndef PIR_DIALECTS_SYMBOLIC_H
#define PIR_DIALECTS_SYMBOLIC_H

#include <pir/compiler/infer.h>

typedef struct symbolic {
  const pir_infer *infer;  // dims, operands, attributes
  const pir_node *nodes;
  const int16_t *pool;
  const char *const *text;
  const pir_dim
      *vars;  // extents of named variables, less one where the last index is wanted; or NULL
  pir_dim d;  // PIR_I_D
  const pir_fact *out;  // the result, and the element of it that is asked for; or NULL
  const int64_t *at;
} symbolic;

// Evaluates an index node; PIR_DIM_UNKNOWN if the value is unknown.
pir_dim symbolic_index(const symbolic *s, int16_t node);
// Evaluates a value expression over literals, attributes and known scalars.
bool symbolic_number(const symbolic *s, int16_t node, double *out_value);

// Evaluates one element as an integer or a dim.
pir_dim symbolic_element(const symbolic *s, int16_t node);
pir_dim symbolic_combine(const symbolic *s, pir_node_op op, pir_dim a, pir_dim b);

// Queries of an operand that stands for a list of integers: by its contents, or one member for
// each.
bool fact_count(const pir_fact *fact, pir_dim *out_count);
pir_dim fact_element(const pir_fact *fact, int64_t i);
// Returns element i if it is a number.
bool fact_number(const pir_dims *dims, const pir_fact *fact, int64_t i, double *out);
pir_dim fact_numel(pir_dims *dims, const pir_fact *fact);

#endif
