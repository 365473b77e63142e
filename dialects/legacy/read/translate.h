// The translator from legacy programs to PIR. Its parts: translate.c (programs, blocks, names),
// draft.c (generic ops, driven by the tables), convert_attrs.c (types and attributes),
// special*.c (ops that need more than a table row), control*.c (sub-blocks).
#ifndef PIR_LEGACY_TRANSLATE_H
#define PIR_LEGACY_TRANSLATE_H

#include <pir/compiler/ir.h>
#include <pir/layer/legacy_table.h>

#include <map.h>
#include <vec.h>

#include "desc.h"

// The current binding of a variable name: a value, or one element of a vec value (a
// `builtin.slice` extracts it at the first read).
typedef struct binding {
  pir_value *value;
  int32_t element;  // -1: the value itself
} binding;

typedef struct scope scope;
struct scope {
  scope *parent;
  pir_map names;  // pir_name -> binding
};

typedef struct recorded {
  const var_desc *var;
  pir_value *value;
} recorded;

typedef PIR_VEC(const char *) name_list;

// Values that a conditional block saves for its gradient (control_grad.c).
typedef struct kept_values {
  name_list names;
  const pir_type **types;  // NULL until pushed
  pir_value *inlet, *outlet;
} kept_values;

typedef struct translator {
  pir_context *ctx;
  desc *desc;
  pir_arena arena;
  pir_program *program;
  pir_builder builder;
  scope *scope;
  size_t block, op;  // being translated
  PIR_VEC(recorded)
  recorded;            // every definition of block 0; gives stop_gradient and persistable
  kept_values **kept;  // values kept for each backward block, or NULL
  size_t *backward;    // the gradient of each block, or 0
  pir_map shaped;      // name of an XShape -> the value whose shape it keeps
} translator;

// ---- names
binding *find_binding(const translator *t, const char *name);
void bind(translator *t, const char *name, pir_value *value, int32_t element);
// Returns the value of a variable; NULL after reporting that nothing defines it.
pir_value *read_var(translator *t, const char *name);
void push_scope(translator *t, scope *s);
void pop_scope(translator *t);

// ---- reports, at the current op
#define FAIL(t, ...) desc_fail((t)->desc, (t)->block, (t)->op, PIR_INVALID, __VA_ARGS__)
#define UNSUPPORTED(t, ...)                                                                    \
  desc_fail((t)->desc, (t)->block, (t)->op, PIR_UNSUPPORTED, "unsupported: " __VA_ARGS__)

// ---- types and attributes (convert_attrs.c)
// NULL when the variable is no kind of tensor, or its element type is invalid.
const pir_type *var_type(translator *t, const var_desc *var);
// The type of the variable `name` in the current block; reports when there is none.
const pir_type *name_type(translator *t, const char *name);
// A number in an attribute; false when it is no number.
typedef struct number {
  pir_dtype dtype;  // BOOL, I32, I64, F32 or F64, as the file has it
  int64_t i;
  double f;
} number;
bool attr_number(const attr_desc *a, number *out);
bool attr_decimal(translator *t, const attr_desc *a,
                  number *out);  // of text: "1e-05" (F64), "3" (I64)
bool attr_ints(translator *t, const attr_desc *a, int64_t **out_values, size_t *out_count);
// Converts a legacy attribute to the declared kind; NULL if it does not fit.
const pir_attr *convert_attr(translator *t, const attr_desc *a, const pir_attr_def *def);
// Returns a replacement for a declared attribute that the file lacks; NULL if there is none.
const pir_attr *absent_attr(translator *t, const pir_attr_def *def);
// Attributes of the current op with a default.
int64_t op_int(const op_desc *op, const char *name, int64_t absent);
bool op_bool(const op_desc *op, const char *name, bool absent);

// ---- building
pir_named_attr named(translator *t, const char *name, const pir_attr *value);
// Creates an op by its PIR name.
pir_op *emit(translator *t, const char *name, pir_value *const *operands, size_t operand_count,
             const pir_type *const *types, size_t type_count, const pir_named_attr *attrs,
             size_t attr_count);
// Constants in the form of Paddle's translator: on the host, with stop_gradient.
pir_value *emit_full(translator *t, pir_shape shape, double value, pir_dtype dtype);
pir_value *emit_number(translator *t, double value, pir_dtype dtype);  // of shape [1]
pir_value *emit_ints(translator *t, const int64_t *values, size_t n);
pir_value *emit_reshape(translator *t, pir_value *x, pir_value *shape, const int64_t *dims,
                        size_t rank);
pir_value *emit_array(translator *t, const pir_type *type);  // an empty tensor array
pir_value *emit_combine(translator *t, pir_value *const *values, size_t n);
// Creates a builtin.combine of variables; NULL after reporting an error.
pir_value *combine_vars(translator *t, const slot_desc *slot);

// ---- the generic op (draft.c)
enum { DRAFT_MAX = 96 };

// An op under construction.
typedef struct draft {
  translator *t;
  const op_desc *op;
  const pir_legacy_op
      *row;  // slot and attribute names; NULL: the PIR names, slots with a capital
  const pir_opdef *def;
  pir_value *operands[DRAFT_MAX];
  const pir_type *types[DRAFT_MAX];
  pir_named_attr attrs[DRAFT_MAX];
  size_t attr_count;
} draft;

// Starts an op: the one of the table's row, or its in-place twin if a variable is both input
// and output.
pir_status draft_start(draft *d, translator *t, const op_desc *op);
// The definition of the op `dialect` followed by `name`; NULL when no dialect declares it.
const pir_opdef *registered_def(translator *t, const char *dialect, const char *name);
// Starts a given PIR op without a row (the caller may set one).
pir_status draft_start_as(draft *d, translator *t, const op_desc *op, const char *pir_name);
pir_status draft_operands(draft *d);
pir_status draft_operand(draft *d, size_t i);
pir_status draft_types(draft *d);
pir_status draft_attrs(draft *d);
pir_status draft_attrs_but(draft *d, const char *skipped);
// Sets or replaces an attribute.
void draft_set(draft *d, const char *name, const pir_attr *value);
// Creates the op and binds its results to the variables of their slots.
pir_op *draft_create(draft *d);
// Completes the op: operands, types, attributes, creation.
pir_status draft_finish(draft *d);
// Translates one op from start to end.
pir_status translate_generic(translator *t, const op_desc *op);

// ---- ops with rules of their own
typedef pir_status (*special_fn)(translator *t, const op_desc *op);
special_fn find_special(const char *type);
// Whether ops of this type have a translation. A custom op has one if a dialect "custom_op"
// declares it.
bool is_known(translator *t, const char *type);
// Collects the names that an op reads, as pir_name keys; free with pir_map_free.
pir_map input_names(translator *t, const op_desc *op);
// Whether a variable is both input and output.
bool is_inplace(translator *t, const op_desc *op);

pir_status translate_block(translator *t, size_t block, pir_block *into);
pir_status translate_if(translator *t, const op_desc *op);
pir_status translate_if_grad(translator *t, const op_desc *op);
pir_status translate_while(translator *t, const op_desc *op);

// Finds the gradient of each block.
void find_backward_blocks(translator *t);
// Creates the stack for the values that `block` must save; NULL if no gradient reads values
// inside it. `out` are the variables that the block's op defines anyway.
kept_values *plan_kept_values(translator *t, size_t block, const slot_desc *out);
pir_status push_kept_values(translator *t,
                            kept_values *kept);        // at the end of the forward block
void pop_kept_values(translator *t, size_t backward);  // at the start of the backward block

#endif
