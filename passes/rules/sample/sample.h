// Generating programs that a rule matches: declarations that sample.c (the search),
// draw_sample.c (random choices), build_sample.c (ops) and repair.c (satisfying conditions)
// share.
#ifndef PIR_RULE_SAMPLE_H
#define PIR_RULE_SAMPLE_H

#include "match.h"

enum { SAMPLE_ITEMS = 64 };  // the most elements of a list attribute

// A value from outside the match.
typedef struct sample_value {
  bool set, parameter, constant, absent;
  pir_dtype dtype;
  int32_t rank;
  int64_t shape[PIR_MAX_RANK];
  size_t members;           // for a list: number of members
  pir_rule_value contents;  // for a constant: its value
} sample_value;

typedef struct sample {
  pir_context *ctx;
  const rule_tables *t;
  const rule *rule;
  uint64_t random;
  int64_t extent;  // initial extents, before conditions apply
  pir_dtype dtype;
  bool wild;          // no usual draw fits: other element types too
  uint32_t likeness;  // percentage of operands with the shape of the operand drawn before
  const sample_value *last;  // drawn for the current op
  sample_value values[RULE_MAX_VALUES];
  pir_rule_value holes[RULE_MAX_HOLES];
  bool hole_set[RULE_MAX_HOLES];
  pir_rule_value items[RULE_MAX_HOLES][SAMPLE_ITEMS];  // elements of lists bound to holes
  bool outside[RULE_MAX_VALUES];                       // values that no op of the match defines
  bool free_hole[RULE_MAX_HOLES];                      // holes that no `let` sets
  // The furthest condition that failed, and whether a repair changed something.
  int32_t failed_step;
  bool repaired;
} sample;

// A program that is made of a sample.
typedef struct sample_build {
  sample *s;
  rule_match *m;
  pir_program *program;
  pir_facts *facts;
  pir_value *values[RULE_MAX_VALUES];
  pir_value *lists[RULE_MAX_VALUES][RULE_MAX_OPERANDS];
  size_t counts[RULE_MAX_VALUES];  // 0: one value
  size_t members;  // for an op made for each member: length of its lists; 0: not drawn yet
  pir_named_attr each_attrs[RULE_MAX_OPERANDS];  // attributes of the op for the first member
  size_t each_attr_count;
  size_t unnamed;  // inputs that the rule does not name
} sample_build;

// ---- draw_sample.c
uint32_t sample_random(sample *s, uint32_t below);
static inline bool sample_chance(sample *s, uint32_t percent) {
  return sample_random(s, 100) < percent;
}
// `beside` is a value that the op reads already, or NULL.
void sample_draw_shape(sample_build *b, sample_value *v, const pir_value *beside);
pir_dtype sample_draw_dtype(sample *s, const pir_operand_def *def);
pir_rule_value sample_draw_number(sample *s, bool whole);
// Of an operand that stands for an attribute.
pir_rule_value sample_draw_contents(sample_build *b, const pir_operand_def *def,
                                    const pir_value *beside);
// `named`: the rule mentions the attribute.
pir_rule_value sample_draw_attr(sample_build *b, const pir_attr_def *def,
                                const pir_value *beside, bool named);

// ---- build_sample.c
// Makes an op of the match; false when no draw fits.
bool sample_put_op(sample_build *b, const rule_op *p);
void sample_fetch_outputs(sample_build *b);

// ---- sample.c
void sample_set_hole(sample *s, int32_t hole, const pir_rule_value *value);

// ---- repair.c
// Changes what the sample is made of so that a failed condition may hold. Called while the
// match stands.
void sample_repair(sample *s, rule_match *m, int32_t node, bool wanted);

#endif
