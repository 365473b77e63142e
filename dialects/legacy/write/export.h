// The writer of legacy programs. Its parts: export.c (programs, parameters, feeds),
// export_vars.c (names, variables, blocks), export_desc.c (ops and attributes as protobuf),
// export_op.c (generic ops, driven by the reader's tables), export_special.c (ops that need
// more than a row), export_control.c (regions).
#ifndef PIR_LEGACY_EXPORT_H
#define PIR_LEGACY_EXPORT_H

#include <pir/compiler/ir.h>
#include <pir/layer/legacy_table.h>

#include <map.h>
#include <vec.h>

#include "framework.pb-c.h"

typedef struct out_block out_block;

typedef struct out_var {
  char *name;
  out_block *home;
  Legacy__VarDesc *desc;
  const pir_type *type;
  PIR_VEC(pir_value *)
  loads;  // for a parameter: the values that hold its content before the
          // run
} out_var;

typedef PIR_VEC(out_var *) var_list;

struct out_block {
  out_block *parent;
  int32_t index, forward;  // the block it is the gradient of, or -1
  PIR_VEC(Legacy__VarDesc *) vars;
  PIR_VEC(Legacy__OpDesc *) ops;
  var_list captured;  // variables of enclosing blocks that its ops read
  pir_map seen,
      written;  // out_var -> 1: captured variables, and those that its ops have set
};

// The variables of a value: one, or one for each member of a vec. Members may be NULL (absent).
typedef struct holder {
  out_var **vars;
  size_t count;
} holder;

// The values that a stack carries from a forward to a backward block.
typedef struct carried {
  holder **values;
  size_t count;
  int32_t block;
} carried;

// A group of ops that is written as one legacy op (export_fold.c).
typedef struct fold {
  int64_t axis;        // attribute of an elementwise op
  const pir_value *y;  // second operand of an elementwise op; for a constant, the members of
                       // its shape
  const pir_value *operands[3];  // operands of a product or its gradient, before flattening
  int64_t rows[3];               // number of dims that are flattened into rows
  const pir_op *last[2];         // ops that define the results
} fold;

typedef struct exporter {
  pir_context *ctx;
  const pir_program *program;
  pir_arena arena;
  PIR_VEC(out_block *) blocks;
  out_block *block;       // being written
  pir_map names;          // taken or reserved: pir_name -> its state
  pir_map counters;       // made names: pir_name of the stem -> next number
  pir_map holders;        // pir_value -> holder
  pir_map inputs;         // pir_name -> out_var of an input; 0 until it is declared
  pir_map parameters;     // pir_name -> out_var of a parameter
  pir_map updated;        // pir_name -> 1: parameters that the program sets
  pir_map targets;        // pir_value -> out_var that it must be in, where that is possible
  pir_map folds;          // pir_op -> fold: the last op of a group that is one old op
  pir_map swallowed;      // pir_op -> 1: the other ops of the group
  pir_map claims;         // pir_op -> the pir_value that stands for its XShape
  pir_map kept_shapes;    // pir_value -> out_var that keeps its shape (XShape)
  pir_map stacks;         // pir_op that creates a stack -> carried
  const pir_op *op;       // being written
  out_var *feed, *fetch;  // the holders
  bool plain_inputs;      // pd_op.data stay variables that nothing defines
  int64_t feeds;          // written so far
} exporter;

// ---- reports, at the current op
pir_status export_unsupported(exporter *x, const char *format, ...) PIR_PRINTF(2, 3);

// ---- variables (export_vars.c)
out_block *block_open(exporter *x);  // below the current one; it becomes the current one
void block_close(exporter *x);
// Declares a variable of the current block; `name` must be free. NULL after reporting a type
// that the format lacks.
out_var *var_declare(exporter *x, const char *name, const pir_type *type);
// Declares a variable of the current block for no value of the program; it is not in the
// block's list yet.
out_var *var_special(exporter *x, const char *name, Legacy__VarType__Type type);
// Returns the name under which an op outputs its operand; empty if the op is no output.
pir_str output_name(const pir_op *op);
// Makes an unused name, "stem_3.tmp_0".
const char *name_make(exporter *x, const char *stem, size_t result);
void name_reserve(exporter *x, pir_str name);  // name_make leaves it to name_take
bool name_take(exporter *x, pir_str name);     // false when it is taken
const char *copy_text(exporter *x, pir_str text);
// Returns the stem for names of an op's results: "conv2d".
const char *name_stem(exporter *x, const pir_op *op);

holder *holder_of(const exporter *x, const pir_value *value);  // NULL when there is none
// Copies the stop_gradient flag of a result.
void var_set_stop(out_var *var, const pir_op *op, size_t result);
void holder_set(exporter *x, const pir_value *value, holder *h);
void holder_set_var(exporter *x, const pir_value *value, out_var *var);
holder *holder_new(exporter *x, size_t count);
// Returns the only variable of a value; NULL after reporting an error.
out_var *value_var(exporter *x, const pir_value *value);
// Assigns variables to a result: the variables of `shared` if the types allow it (an in-place
// op), those that a later op requires, else new ones. NULL after reporting an error.
holder *define(exporter *x, pir_value *value, holder *shared);
// Takes a free name that later ops give a value; NULL if there is none.
const char *wanted_name(exporter *x, const pir_value *value);
// The result of `op` that shares memory with its operand `i`, or NULL.
pir_value *twin_result(const pir_op *op, size_t i);
// Whether a loop may update the variable of its initial value `operand`: no later op reads that
// value, or the values it shares memory with.
bool loop_may_change(exporter *x, pir_value *value, const pir_op *loop, size_t operand);
// Counts the uses of a value by written ops; with `later_contents`, also the uses of in-place
// results in its variable.
typedef PIR_VEC(const pir_use *) use_list;
use_list reads_of(exporter *x, const pir_value *value, bool later_contents);
// Whether all readers of `value`'s variable inside `block` come before `op`, so that `op` may
// write it.
bool read_before(exporter *x, const pir_value *value, const pir_block *block, const pir_op *op);
// Returns the first value of an in-place chain inside `block`.
pir_value *chain_root(pir_value *value, const pir_block *block);

// ---- ops (export_desc.c)
typedef struct out_op {
  Legacy__OpDesc *desc;
  PIR_VEC(Legacy__OpDesc__Var *) inputs;
  PIR_VEC(Legacy__OpDesc__Var *) outputs;
  PIR_VEC(Legacy__OpDesc__Attr *) attrs;
  var_list read, written;
} out_op;

out_op *op_open(exporter *x, const char *type);
void op_input(exporter *x, out_op *o, const char *slot, out_var *const *vars,
              size_t n);  // NULL is @EMPTY@
void op_output(exporter *x, out_op *o, const char *slot, out_var *const *vars, size_t n);
void op_set_bool(exporter *x, out_op *o, const char *name, bool value);
void op_set_int(exporter *x, out_op *o, const char *name, int32_t value);
void op_set_float(exporter *x, out_op *o, const char *name, double value);
void op_set_text(exporter *x, out_op *o, const char *name, pir_str value);
void op_set_block(exporter *x, out_op *o, const char *name, int32_t block);
void op_set_names(exporter *x, out_op *o, const char *name, const var_list *vars);
// The attribute names the variable that holds its value in the run, or one for each member of
// a list.
void op_set_vars(exporter *x, out_op *o, const char *name, const holder *from, bool list);
// false when a value does not fit the kind.
bool op_set_ints(exporter *x, out_op *o, const char *name, uint8_t element_kind,
                 const int64_t *values, size_t n);
bool op_set_attr(exporter *x, out_op *o, const char *name, pir_legacy_kind kind,
                 const pir_attr *value);
bool op_set_number(exporter *x, out_op *o, const char *name, uint8_t kind, double f, int64_t i,
                   bool is_int);
bool op_has_attr(const out_op *o, const char *name);
bool op_has_input(const out_op *o, const char *slot);
void op_close(exporter *x, out_op *o);  // appends it to the current block
// Writes `assign`, which copies tensors and arrays.
void op_assign(exporter *x, out_var *from, out_var *to);

// ---- constants
// A constant as its operand would be as an attribute.
typedef struct literal {
  const int64_t *ints;  // a list; NULL: a number
  size_t count;
  double f;
  int64_t i;
  bool is_int, on_host;
  bool is_parameter;  // a builtin.parameter, of which the program has the value
} literal;

bool literal_of(exporter *x, const pir_value *value, bool list, literal *out);
// Whether operand `i` is written as an attribute.
bool operand_folds(exporter *x, const pir_op *op, size_t i);
// Whether a constant has a use that needs a variable.
bool constant_needed(exporter *x, const pir_value *value);

// ---- groups of ops that are one old op (export_fold.c)
void find_folds(exporter *x);
bool is_swallowed(const exporter *x, const pir_op *op);
pir_status export_folded(exporter *x, const pir_op *op, const fold *f);

// ---- the generic op (export_op.c)
const pir_legacy_op *row_of(const pir_op *op);
pir_status export_as(exporter *x, const pir_op *op, const char *type,
                     out_op **out_op);  // all but the end
pir_status export_generic(exporter *x, const pir_op *op);
pir_status export_operand(exporter *x, const pir_op *op, size_t i, out_op *o);
pir_status export_results(exporter *x, const pir_op *op, out_op *o);
pir_status export_attrs(exporter *x, const pir_op *op, out_op *o);
// Adds an input with one variable; adds an output and defines it.
pir_status export_input(exporter *x, const pir_value *value, out_op *o, const char *slot);
pir_status export_output(exporter *x, pir_value *value, holder *shared, out_op *o,
                         const char *slot);

typedef pir_status (*export_fn)(exporter *x, const pir_op *op);
export_fn find_export(const pir_op *op);  // export_special.c; NULL: the generic one
pir_status export_block(exporter *x, const pir_block *block);

// Returns the type of an input's variable; an input that stands for a shape has XShape's type.
const pir_type *input_type(exporter *x, const pir_value *value);  // export_shape.c
void find_kept_shapes(exporter *x);
pir_status export_reshaping(exporter *x, const pir_op *op);
pir_status export_reshaping_grad(exporter *x, const pir_op *op);

pir_status export_if(exporter *x, const pir_op *op);
pir_status export_while(exporter *x, const pir_op *op);
pir_status export_push(exporter *x, const pir_op *op);
pir_status export_pop(exporter *x, const pir_op *op);

// op type -> version, as Paddle 3.3.1 writes it (versions.c).
typedef struct op_version {
  const char *name;
  int32_t version;
} op_version;
extern const op_version legacy_op_versions[];
extern const size_t legacy_op_version_count;

#endif
