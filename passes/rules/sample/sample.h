// Generating programs that a rule matches: declarations that sample.c (building) and repair.c
// (satisfying conditions) share.
#ifndef PIR_RULE_SAMPLE_H
#define PIR_RULE_SAMPLE_H

#include "match.h"

enum { SAMPLE_ITEMS = 64 };  // of a list an attribute is set to

// A value from outside the match.
typedef struct sample_value {
  bool set, parameter, constant, absent;
  pir_dtype dtype;
  int32_t rank;
  int64_t shape[PIR_MAX_RANK];
  size_t members;           // of a list
  pir_rule_value contents;  // of a constant
} sample_value;

typedef struct sample {
  pir_context *ctx;
  const rule_tables *t;
  const rule *rule;
  uint64_t random;
  int64_t extent;  // what extents are before conditions have their say
  pir_dtype dtype;
  bool wild;  // no usual draw fits: other element types too
  uint32_t
      likeness;  // how often, in a hundred, an operand has the shape of the one drawn before it
  const sample_value *last;  // drawn for the op at hand
  sample_value values[RULE_MAX_VALUES];
  pir_rule_value holes[RULE_MAX_HOLES];
  bool hole_set[RULE_MAX_HOLES];
  pir_rule_value items[RULE_MAX_HOLES][SAMPLE_ITEMS];  // of lists in holes
  bool outside[RULE_MAX_VALUES];                       // values that no op of the match defines
  bool free_hole[RULE_MAX_HOLES];                      // holes that no `let` sets
  // The furthest condition that failed, and whether something was changed to meet it.
  int32_t failed_step;
  bool repaired;
} sample;

uint32_t sample_random(sample *s, uint32_t below);
void sample_set_hole(sample *s, int32_t hole, const pir_rule_value *value);
// Changes what the sample is made of so that a failed condition may hold. Called while the
// match stands.
void sample_repair(sample *s, rule_match *m, int32_t node, bool wanted);

#endif
