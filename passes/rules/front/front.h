// The front end of `.drr`: one reader for drrc and for rules loaded at run time. It turns text
// into tables, and checks every name and count against the op tables of the context. Private to
// passes/rules and drrc.
#ifndef PIR_RULE_FRONT_H
#define PIR_RULE_FRONT_H

#include "tables.h"

#include <strbuf.h>
#include <vec.h>

#include <pir/compiler/ir.h>

// ---- tokens: a token of one character is that character

enum {
  TOK_END,
  TOK_WORD = 256,
  TOK_VALUE,   // %x
  TOK_HOLE,    // $x
  TOK_HELPER,  // @x
  TOK_TEXT,    // ".."
  TOK_INT,
  TOK_FLOAT,
  TOK_EQ,
  TOK_NE,
  TOK_LE,
  TOK_GE,
  TOK_AND,
  TOK_OR,
  TOK_ARROW,     // ->
  TOK_ELLIPSIS,  // ...
  TOK_BAD
};

typedef struct drr_place {
  pir_str file, text;
  uint32_t line, column;
} drr_place;

typedef struct drr_token {
  int kind;
  const char *text;  // for words, names and texts: the text without its mark
  int64_t i;
  double f;
  drr_place at;
} drr_token;

// A variable of `for`, which stands for a token.
typedef struct drr_variable {
  const char *name;
  drr_token token;
} drr_variable;

typedef struct drr_lexer {
  pir_context *ctx;
  pir_str file, text;
  size_t at, line_start;
  uint32_t line;
  const drr_variable *variables;
  size_t variable_count;
} drr_lexer;

drr_token drr_next(drr_lexer *lexer);

// ---- what a rule is made of

typedef struct drr_name {
  const char *name;
  int32_t scope;  // number of the use of a pattern that declared it
  int32_t slot;
  bool is_value, in_emit;
  bool is_list, pending;  // pending: a pattern's result that its body has to define
  int32_t node;           // for a parameter of a def: its expression; -1: none
} drr_name;

typedef struct drr_value {
  drr_place at;
  const char *name;
  int32_t def;  // op of the match that defines it; -1: it comes from outside
  bool is_list, emitted, local;
} drr_value;

typedef struct drr_hole {
  drr_place at;
  const char *name;
  bool bound, local;
  bool given;  // by an attribute, an operand or a `let`, as far as the rule has been read
} drr_hole;

typedef struct drr_condition {
  drr_place at;
  bool is_let, done;
  int32_t hole, node;
} drr_condition;

typedef struct drr_pattern {  // `pattern @name(..) -> (..) { .. }`, read again at each use
  const char *name;
  drr_lexer start;  // position after the name
  drr_place at;
} drr_pattern;

typedef struct drr_def {  // `def name($a, %b) = expression`, likewise
  const char *name;
  drr_lexer start;
} drr_def;

typedef struct drr_choices {  // `choices name = [..]`, read again by each `for` that names it
  const char *name;
  drr_lexer start;  // position of its '['
} drr_choices;

typedef struct drr_extern {
  const char *name;
  const char *args;  // v and e
  pir_rule_helper_fn fn;
} drr_extern;

typedef struct drr_pass {
  const char *name, *short_name, *summary;
  uint8_t level;
  int32_t first, count;
  drr_place at;
} drr_pass;

typedef struct drr_rule_info {  // beside each rule, for checks
  drr_place at;
  bool recursive, has_benefit;
} drr_rule_info;

typedef struct drr {
  pir_context *ctx;
  pir_arena *arena;
  const pir_rules_options *options;
  drr_lexer lexer;
  drr_token token;  // the next one
  bool failed;
  int depth, nesting, errors, import_depth;

  PIR_VEC(drr_variable) variables;
  PIR_VEC(drr_pattern) patterns;
  PIR_VEC(drr_def) defs;
  PIR_VEC(drr_choices) choices;
  PIR_VEC(drr_extern) externs;
  PIR_VEC(drr_pass) passes;
  PIR_VEC(const char *) imported;

  PIR_VEC(rule_op) ops;
  PIR_VEC(rule_operand) operands;
  PIR_VEC(int16_t) results;
  PIR_VEC(rule_attr) attrs;
  PIR_VEC(rule_step) steps;
  PIR_VEC(rule_node) nodes;
  PIR_VEC(int32_t) pool;
  PIR_VEC(rule_output) outputs;
  PIR_VEC(rule) rules;
  PIR_VEC(drr_rule_info) infos;  // one for each rule

  // The rule being read.
  rule rule;
  drr_rule_info info;
  PIR_VEC(drr_name) names;
  PIR_VEC(drr_place) op_places;  // places of the ops of match and emit, in order
  drr_value values[RULE_MAX_VALUES];
  drr_hole holes[RULE_MAX_HOLES];
  PIR_VEC(drr_condition) conditions;
  int32_t scope, next_scope;
  bool in_emit;
} drr;

// ---- errors: false, so that a check is one line
bool drr_error(drr *d, const drr_place *at, const char *format, ...) PIR_PRINTF(3, 4);

// ---- parse_rules.c: files, passes, rules
bool drr_read(drr *d, pir_str file, pir_str text);
void drr_advance(drr *d);
bool drr_take(drr *d, int kind);
bool drr_expect(drr *d, int kind, const char *what);
bool drr_is_word(const drr *d, const char *word);  // the next token, which stays
bool drr_take_word(drr *d, const char *word);
const char *drr_keep(drr *d, const char *text, size_t size);

// ---- parse_statement.c: lines of match and emit
bool drr_statement(drr *d);
// Return the slot of a name, creating it if it is new; -1 after an error.
int32_t drr_read_value(drr *d, const drr_token *name, bool is_list);
int32_t drr_read_hole(drr *d, const drr_token *name);
int32_t drr_new_value(drr *d, const drr_token *name, bool is_list);
int32_t drr_new_hole(drr *d, const drr_place *at, const char *name);
void drr_add_name(drr *d, const char *name, int32_t slot, bool is_value, bool is_list);
// The expression that the parameter of a def stands for; -1: the name is none.
int32_t drr_named_node(drr *d, const drr_token *name);
void drr_add_condition(drr *d, const drr_place *at, bool is_let, int32_t hole, int32_t node);

// ---- parse_expr.c: -1 after an error
int32_t drr_expression(drr *d);
int32_t drr_node(drr *d, rule_node node);
bool drr_is_literal(const drr *d, int32_t node);

// ---- steps.c: the order of matching
bool drr_order(drr *d);

// ---- check_rule.c
bool drr_check_attr(drr *d, const drr_place *at, const pir_attr_def *def, int32_t node);
bool drr_check_rule(drr *d);
void drr_check_pass(drr *d, const drr_pass *pass);

// ---- load_rules.c
void drr_init(drr *d, pir_context *ctx, const pir_rules_options *options);
void drr_free(drr *d);
rule_tables drr_tables(const drr *d);

// ---- helpers.c
extern const pir_rule_helper pir_rule_helpers[];
extern const size_t pir_rule_helper_count;

#endif
