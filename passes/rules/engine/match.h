// The state of one attempt to match a rule, shared by match_rule.c, emit_rule.c and eval.c.
// Private to passes/.
#ifndef PIR_RULE_MATCH_H
#define PIR_RULE_MATCH_H

#include <evaluate.h>
#include <rewriter_impl.h>
#include "tables.h"

enum { RULE_HEAP = 4096 };  // items of lists made while a rule is tried

// The binding of a %name: one value (NULL: absent), or several.
typedef struct rule_bound {
  bool set, many;
  pir_value *one;
  pir_value **list;
  size_t count;
} rule_bound;

// A list of ops, for a statement with `each`.
typedef struct rule_op_bound {
  pir_op *one;  // NULL: not matched
  pir_op **list;
  size_t count;
} rule_op_bound;

typedef struct rule_match {
  pir_rewriter *rewriter;
  const pir_pass_run *run;
  pir_context *ctx;
  const rule_tables *t;
  const rule *rule;
  evaluator *eval;  // evaluates constants
  bool eval_ready, has_inplace;
  const struct rules_mode *mode;  // NULL: plain
  rule_op_bound ops[RULE_MAX_OPS];
  rule_bound values[RULE_MAX_VALUES];
  pir_rule_value holes[RULE_MAX_HOLES];
  bool hole_set[RULE_MAX_HOLES];
  // The bindings made, to undo them: numbers of values, then of holes, of ops, and of pointers
  // that are members of lists.
  int32_t trail[RULE_MAX_VALUES + RULE_MAX_HOLES + RULE_MAX_OPS + RULE_HEAP];
  size_t trail_count;
  pir_rule_value heap[RULE_HEAP];
  size_t heap_used;
  void *pointers[RULE_HEAP];  // members of lists of values and ops
  size_t pointers_used;
  uint32_t tries;  // steps tried in this attempt; bounded
  // Called for every condition that fails, while its holes are bound. NULL: not wanted.
  void (*failed)(void *user, struct rule_match *m, int32_t step, int32_t node);
  void *failed_user;
  int32_t reached;  // the furthest step that did not hold; step_count: the ops are there, but
                    // read elsewhere too
  const char *hindrance;  // why a match could not be rewritten
} rule_match;

// ---- eval.c
pir_rule_value rule_eval(rule_match *m, int32_t node);
// Returns 1, 0, or -1 if unknown.
int rule_equal(rule_match *m, const pir_rule_value *a, const pir_rule_value *b);
bool rule_holds(rule_match *m, int32_t node);
pir_facts *rule_facts(rule_match *m);  // made on first use; NULL after a report

// ---- rule_values.c
pir_rule_value rule_value_of_attr(rule_match *m, const pir_attr *attr);
// An op's declared attribute, or its default.
pir_rule_value rule_value_of_slot(rule_match *m, const pir_op *op, size_t position);
// Converts the value to an attribute of the declared kind; NULL if it cannot be one.
const pir_attr *rule_attr_of_value(rule_match *m, const pir_rule_value *value,
                                   const pir_attr_def *def);
// Returns the contents of a value that a constant op makes or that shapes determine; a tensor
// with one element is a number if `scalar`.
pir_rule_value rule_constant(rule_match *m, const pir_value *value, bool scalar);
pir_rule_value *rule_list(rule_match *m, size_t count);  // NULL: too long
pir_rule_value rule_dim(rule_match *m, pir_dim dim);

// ---- match_rule.c
bool rule_match_op(rule_match *m, pir_op *root);

// ---- emit_rule.c
bool rule_rewrite(rule_match *m, pir_op *root);

// For helpers in C; `user` is the match.
pir_rule_value rule_option(void *user, pir_str name, const pir_rule_value *otherwise);

#endif
