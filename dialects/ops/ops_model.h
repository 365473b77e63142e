// A dialect as its `.ops` files declare it. The grammar fills it, check_ops.c completes it. It
// lives in one arena until the end.
#ifndef OPS_MODEL_H
#define OPS_MODEL_H

#include "ops_spmd.h"

#include <pir/layer/lower.h>
#include <pir/compiler/opdef.h>

// ---- expressions
typedef enum expr_kind {
  EXPR_INT,
  EXPR_FLOAT,
  EXPR_TEXT,
  EXPR_NAME,
  EXPR_ATTR,    // $name
  EXPR_VALUE,   // %name, in `lower`
  EXPR_MEMBER,  // %name[i]: member i of a list
  EXPR_REST,    // %name[i..]: the list of the members from i on
  EXPR_CALL,    // name(args)
  EXPR_AT,      // name[map] or $name[index]; `b` is the fill
  EXPR_UNARY,   // op, a
  EXPR_BINARY,  // op, a, b
  EXPR_COND,    // a ? b : c
  EXPR_PACK,    // name.. as an entry of a map or a variable
  EXPR_LIST,    // [items]
  EXPR_REPEAT,  // `for name < a : b` as an item of a list
  EXPR_NULL     // null
} expr_kind;

typedef enum expr_op {
  OP_ADD,
  OP_SUB,
  OP_MUL,
  OP_DIV,
  OP_MOD,
  OP_EQ,
  OP_NE,
  OP_LT,
  OP_LE,
  OP_GT,
  OP_GE,
  OP_AND,
  OP_OR,
  OP_BIT_AND,
  OP_BIT_OR,
  OP_BIT_XOR,
  OP_SHL,
  OP_SHR,
  OP_NEG,
  OP_NOT,
  OP_BIT_NOT
} expr_op;

typedef struct expr expr;
struct expr {
  uint8_t kind;      // expr_kind
  uint8_t op;        // expr_op
  uint8_t map_kind;  // EXPR_AT: pir_map_kind
  source_loc loc;
  const char *name;  // also the text; the index variable of `each`
  int64_t i;
  double f;
  expr *a, *b, *c;  // AT, CALL, LIST: `a` is the first of the entries
  expr *next;       // sibling
  expr *last;       // of the first sibling: the last one, or NULL if there are no others
  int depth;        // of the tree; leaves have 0
  int chain_depth;  // of the first sibling: the largest depth of the others
};

// ---- declarations
typedef struct operand {
  const char *name, *summary;
  source_loc loc;
  uint8_t flags;  // pir_operand_flag
  pir_dtype_set dtypes;
  const char *same;      // same(x), or NULL
  uint8_t scalar_dtype;  // element type of a scalar literal
  expr *literal;         // default of an attribute operand
  int same_as;           // filled by check
} operand;

typedef struct attr {
  const char *name;
  source_loc loc;
  uint8_t kind, element_kind;
  expr *literal;
} attr;

typedef struct result {
  const char *name;
  source_loc loc;
  uint8_t flags;
  pir_dtype_set dtypes;
  const char *same, *from;  // same(x); from($dtype)
  uint8_t dtype;
  int same_as, from_attr;
} result;

typedef struct let {
  const char *name;
  source_loc loc;
  const char *params[6];
  int param_count;
  expr *body;
} let;

typedef struct variable {
  const char *name;
  source_loc loc;
  expr *extent;  // NULL: a pack
  bool reduced;
} variable;

typedef struct clause {
  uint8_t kind;  // pir_clause_kind
  source_loc loc;
  const char *result;
  expr *out;         // entries of out[...], or NULL
  const char *each;  // out[each d < rank : extent]
  expr *rank, *extent;
  expr *body;
  const char *axes;  // $name of over and along
  const char *like;  // operand whose dims a reduction leaves
  bool over_all;
  expr *when, *keep, *flat, *reverse, *exclusive, *init, *then, *guard, *trap;
  const char *trap_text;
  variable *vars;
  int var_count;
} clause;

typedef struct step {
  source_loc loc;
  const char **results;
  int result_count;
  const char *op;
  expr *args;
  struct named_expr *attrs;
  expr *when;
  const char *otherwise;
} step;

typedef struct named_expr {
  const char *name;
  source_loc loc;
  expr *value;
  struct named_expr *next;
} named_expr;

typedef struct lower {
  source_loc loc;
  bool primitive;  // a gradient in primitive ops
  expr *when;
  step *steps;
  int step_count;
} lower;

typedef struct legacy_item {
  const char *name;
  source_loc loc;
  const char *old;  // NULL: an attribute operand that only comes as a tensor
  const char *tensor, *tensors;
  uint8_t kind, element_kind;  // kinds of the old attribute, if they differ from the new one's
} legacy_item;

typedef struct legacy_fixed {
  const char *name;  // a legacy attribute without a new one; `value` is implied by the new op
  source_loc loc;
  uint8_t kind;
  const expr *value;
} legacy_fixed;

typedef struct legacy {
  const char **names;
  int name_count;
  legacy_item *items;
  int item_count;
  bool plain;   // slots have the new names as they are
  bool higher;  // for a second or third gradient: slots of first gradients have the new names
                // ("grad_x")
  legacy_fixed *fixed;
  int fixed_count;
} legacy;

typedef struct pair {
  const char *operand, *result;
  source_loc loc;
  int operand_at, result_at;
} pair;

typedef struct op {
  const char *name, *summary;
  source_loc loc;
  bool is_form, effect;
  bool no_legacy;  // the old format never had it
  bool used;       // for a form: some op uses it
  uint32_t traits;
  operand *operands;
  int operand_count;
  attr *attrs;
  int attr_count;
  result *results;
  int result_count;
  let *lets;
  int let_count;
  clause *clauses, *shapes, *requirements;
  int clause_count, shape_count, requirement_count;
  lower *lowers;
  lower *grads;  // blocks that compute the gradients of operands
  int lower_count, inherited_lowers, grad_count, inherited_grads;
  const char *no_grad, *declared;  // why the op has no gradient, or no meaning
  const char *no_grad_here;        // why ops of its part of the file have no gradient
  pair *pairs;
  int pair_count;
  legacy *legacies;
  int legacy_count;
  const char *hook_infer, *hook_verify, *hook_expand, *hook_demand, *kernel;
  spmd *spmd;  // NULL: none is declared
  int regions;
  int form;                 // pir_op_form
  int number, twin_number;  // by the list of numbers
  int at, twin_at;          // positions in the table
  bool has_twin;
  struct code *code;  // filled by check
} op;

typedef struct typeset {
  const char *name;
  pir_dtype_set set;
} typeset;

// An attribute that ops may carry without declaring it: ops of the dialect, or `all`.
typedef struct carried_attr {
  attr attr;
  bool all;
} carried_attr;

// An op, or its twin, in the order of numbers.
typedef struct table_row {
  op *o;
  int number;
  bool twin;
} table_row;

typedef struct dialect {
  ops_reading *in;
  source_loc loc;  // of the header, if there is one
  const char *name, *prefix, *summary, *json_name;
  int id, json_id;
  bool has_legacy;
  op *ops;
  int op_count;
  table_row *table;  // filled by ops_number
  int table_count;
  typeset *typesets;
  int typeset_count;
  let *lets;
  int let_count;
  carried_attr *carried;
  int carried_count;
} dialect;

// ---- compiled clauses and lower blocks of one op; the tables share one array of nodes
typedef struct lower_code {
  int16_t when, primitive;
  pir_lower_step *steps;
  pir_lower_arg *args;
  pir_lower_attr *attrs;
  pir_lower_item *items;
  int16_t *results;  // of a gradient: an entry for every operand
  int step_count, arg_count, attr_count, item_count;
} lower_code;

typedef struct code {
  pir_node *nodes;
  int16_t *pool;
  const char **text;
  pir_clause *clauses;  // `vars` of each are in the array below
  pir_clause *shapes;
  pir_clause *requirements;
  pir_clause_var *vars;
  int *first_var;
  lower_code *lowers, *grads;
  int node_count, pool_count, text_count, clause_count, shape_count, requirement_count,
      var_count, lower_count, grad_count;
} code;

// ---- expressions: values and lists

// Returns a literal as an integer; a float is truncated to the nearest one in range.
int64_t ops_int_of(const expr *e);
expr *ops_expr(expr_kind kind, source_loc loc);
// Ends a list by an item.
expr *ops_chain(expr *list, expr *item);
// Returns a node whose children are set; a literal, after reporting an error, if the tree is
// deeper than OPS_MOST_DEPTH: the functions that walk expressions recurse.
expr *ops_finished(expr *e);
expr *ops_parent(expr_kind kind, source_loc loc, const char *name, expr *a);
#endif
