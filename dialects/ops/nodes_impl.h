// Compiles expressions to nodes: the code that clauses and lower blocks share.
#ifndef OPS_NODES_IMPL_H
#define OPS_NODES_IMPL_H

#include "ops_stages.h"
#include <pir/layer/clause_builder.h>

// A name in scope in addition to operands and lets: a parameter of a let, or the variable of
// `each` or of a list's `for`.
typedef struct scope {
  const struct scope *up;
  const char *name;
  const expr *value;  // value of a parameter; NULL: a running index
  const struct scope *value_scope;
  int level;  // of a running index: nesting depth of its map
} scope;

typedef struct compiler {
  const dialect *d;
  const op *o;
  code *out;
  const clause *c;    // the clause being compiled, or NULL
  int16_t body;       // its reduced node, in `then`
  bool in_grad;       // the ops of a gradient may be declared behind this one
  bool states_shape;  // `any` is an extent that only the run shows
  int level;          // nesting depth of `each`
  int lets;           // nesting depth of lets
  int depth;          // of the calls below ops_index and ops_value
} compiler;

int16_t ops_node(compiler *co, pir_node n);
int16_t ops_pool(compiler *co, const int16_t *entries, int count);
int16_t ops_text_number(compiler *co, const char *text);
int16_t ops_index_const(compiler *co, int64_t i);

// Returns the node of an expression, or -1 after reporting an error. NULL gives -1 without an
// error.
int16_t ops_index(compiler *co, const expr *e, const scope *s);
int16_t ops_value(compiler *co, const expr *e, const scope *s);
bool ops_is_index(const compiler *co, const expr *e);
// Fills the map fields of a load.
bool ops_fill_map(compiler *co, pir_node *load, const expr *at, const scope *s);
int ops_dtype_word(const char *name);  // a pir_dtype, or -1

// ---- kinds (check_kinds.c)
// The values that an attribute of a kind holds.
typedef enum value_class {
  CLASS_ANY,
  CLASS_NUMBER,
  CLASS_TEXT,
  CLASS_DTYPE,
  CLASS_LIST
} value_class;

value_class ops_class_of(uint8_t kind);  // a pir_attr_kind
bool ops_is_integer_kind(uint8_t kind);
bool ops_is_float_kind(uint8_t kind);
bool ops_holds_number(const attr *a);   // may stand in arithmetic
bool ops_lists_numbers(const attr *a);  // so may its elements
bool ops_lists_integers(const attr *a);
bool ops_holds_axes(const attr *a);  // one integer, or a list of them

// ---- steps of lower blocks (check_steps.c)
// Whether a value of a lower block is a list of tensors. The results of ops of other dialects
// are not known.
typedef enum value_sort { SORT_UNKNOWN, SORT_TENSOR, SORT_LIST } value_sort;

// Reports what a step of a lower block of `o` leaves out or gives wrongly. `sorts` has an entry
// for every argument.
void ops_check_step(const op *o, const op *target, const step *s, const value_sort *sorts);

#endif
