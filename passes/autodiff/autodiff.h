// Reverse-mode differentiation of a program (docs/steps/gradients.md): the state of one run,
// shared by the files of this folder. Ops, and the terms of sums, have the order of
// Paddle's `append_backward`, so that programs with gradients come out alike.
#ifndef PIR_AUTODIFF_H
#define PIR_AUTODIFF_H

#include <map.h>
#include <pass_list.h>
#include <pir/compiler/pass.h>
#include <vec.h>

typedef PIR_VEC(pir_value *) value_list;
typedef PIR_VEC(pir_op *) op_list;

typedef struct diff_memory diff_memory;

typedef struct diff {
  pir_pass_run *run;
  pir_context *ctx;
  pir_arena *arena;
  pir_facts *facts;
  pir_name *stop_gradient;
  bool primitive;     // gradients in primitive ops, where declared
  bool states_stops;  // some op of the program states stop_gradient
  bool early;         // steps stand as early as they can, so that gradients end early
  bool closed;        // gradients are not differentiated again: all of them stop
  pir_map stopped;    // values that the caller excludes
  pir_map flowing;  // values in and of loops that have a gradient, although they say they stop
  pir_map arrays;   // of each name of an array: what all its names share (array_gradients.c)
  pir_map nested;   // loops inside of loops, that diff_widen_loops made
  diff_memory *memory;     // NULL: no op writes in place
  op_list made;            // ops of the backward program, in order
  value_list terms;        // that were added for the present op
  const pir_attr *origin;  // the gradient that new ops say they are part of; NULL: none
  pir_value *scale;        // that the losses were multiplied by; NULL: none
  pir_status status;       // of the first failure inside a callback
} diff;

// One block and the block that gets its gradients: the same for the program, another one for
// the region of a loop or a branch. A question that the maps of a block do not answer goes to
// the block around it.
typedef struct diff_block {
  diff *d;
  const struct diff_block *up;
  pir_op *at;         // new ops go in front of it
  pir_map gradients;  // of a value: its value_list of terms, not yet added
  pir_map copies;     // of a forward value: what stands for it in the backward block
  int depth;          // of nested regions
} diff_block;

// ---- array_gradients.c
// Notes which values are names of one array of tensors, before gradients are added.
void diff_note_arrays(diff *d);
bool diff_is_array(const pir_value *value);
// Whether a tensor or an array of tensors is declared with a type that has gradients: real or
// complex numbers.
bool diff_has_numbers(const pir_type *type);
// Returns the first name of an array, which has the terms of its gradient; other values stand
// for themselves.
pir_value *diff_array(const diff *d, const pir_value *value);
// Returns PIR_UNSUPPORTED, reported at `op`, for an array that has no gradient.
PIR_NODISCARD pir_status diff_check_array(const diff *d, const pir_op *op,
                                          const pir_value *array);
// Whether the regions of an op see an array that has a gradient: they may write it.
bool diff_reaches_array(const diff_block *b, const pir_op *op);
// Whether an op reads an element of an array, or writes one.
bool diff_is_array_step(const pir_op *op);
// Adds the gradient of a read or a write, if its result or its array has one.
PIR_NODISCARD pir_status diff_array_step(diff_block *b, pir_op *op);
// Undoes the increment of an index of an array.
void diff_count_back(diff_block *b, const pir_op *op);

// ---- terms.c
// Whether no gradient flows into a value: it says stop_gradient, or the caller excludes it.
bool diff_stops(const diff *d, const pir_value *value);
// Whether a value says stop_gradient, or is as one that does; or, where the program says so of
// others, does not say that it does not stop.
bool diff_states_stop(const diff *d, const pir_value *value);
// Returns the value that stands for a forward value in the backward block.
pir_value *diff_copy(const diff_block *b, pir_value *value);
// Adds a term to the gradient of a value.
void diff_add(diff_block *b, pir_value *value, pir_value *term);
// Forgets the terms of a value.
void diff_clear(diff_block *b, const pir_value *value);
bool diff_has_terms(const diff_block *b, const pir_value *value);
// Returns the gradient of a value: its only term, or the sum of all, which replaces them. NULL:
// it has no term.
pir_value *diff_sum(diff_block *b, pir_value *value);
// Creates an op at the end of the backward block. It stops gradients if all its operands do.
pir_op *diff_create(diff_block *b, const pir_op_spec *spec);
// Makes a list of tensors.
pir_value *diff_combine(diff_block *b, const value_list *members);
// Returns a tensor of that number, shaped like the value; for an array, one with a tensor
// like each of its own. NULL for a value without a type.
pir_value *diff_full_like(diff_block *b, pir_value *value, double number);
// Describes the op that makes one number on the host, of shape [1]; `out` holds what its
// description points to.
typedef struct diff_number {
  const pir_type *type;
  pir_named_attr attrs[4];
  pir_op_spec spec;
} diff_number;
void diff_describe_number(diff *d, pir_dtype dtype, double number, diff_number *out);
// Erases the ops made since there were `from` of them whose results nobody reads; `kept` are
// values that are needed all the same.
void diff_erase_unused(diff *d, size_t from, const value_list *kept);
// Lists what the ops that read the inputs read, before gradients are added.
void diff_list_beside(const diff *d, const value_list *inputs, value_list *out);
// Erases all that these gradients do not need. As in Paddle, the gradients of the values
// `beside` the inputs stay, too.
void diff_erase_unneeded(diff_block *b, const value_list *gradients, const value_list *beside);

// ---- op_order.c
// Lists what an op reads, with the values from outside that its regions read.
void diff_inputs(const diff *d, const pir_op *op, value_list *out);
// Lists the ops of a block through which the outputs depend on the inputs (all values if there
// are no inputs), and in inverse order: each op behind those that read its results.
void diff_effective_ops(const diff *d, const pir_block *block, const value_list *inputs,
                        const value_list *outputs, op_list *out);
void diff_inverse_order(const diff *d, const op_list *ops, op_list *out);
// Whether an op writes over a tensor or an array in a way that its operands do not show.
bool diff_writes_over(const pir_op *op);

// ---- overwrites.c
// Notes the ops in place of the program, before gradients are added to it.
void diff_note_overwrites(diff *d);
// Whether elements of an operand or result of an op may be lost when gradients are computed,
// because an op in place writes over them.
bool diff_is_overwritten(const diff *d, const pir_op *op, const pir_value *value);
// Whether an op reads an operand behind an op in place that wrote over it: the new elements,
// under the name of the old ones.
bool diff_reads_stale(const diff *d, const pir_op *op, const pir_value *operand);
// Returns the value to which gradients count back, where an op reads it or its increment as an
// index: it holds the same number again then. The index itself, if no op writes over it; NULL:
// others do.
pir_value *diff_counter(const diff *d, const pir_op *op, pir_value *index);
// Returns this value for a number that an increment changes, if it is an index of an array;
// else NULL.
pir_value *diff_counted(const diff *d, const pir_value *number);
// Whether an op in place leaves it with another shape, at the op or behind it.
bool diff_is_reshaped(const diff *d, const pir_op *op, const pir_value *value);

// ---- vjp.c
// Adds the ops that compute the gradients of an op's operands, if it has any.
PIR_NODISCARD pir_status diff_op(diff_block *b, pir_op *op);
// Reports that the gradient of an op reads elements that are lost: PIR_UNSUPPORTED.
PIR_NODISCARD pir_status diff_refuse_lost(const pir_op *op, const char *what);
// Does so for all ops of a list that is in inverse order.
PIR_NODISCARD pir_status diff_ops(diff_block *b, const op_list *ops);

// ---- control.c
// Does so for a branch or a loop.
PIR_NODISCARD pir_status diff_control(diff_block *b, pir_op *op);
// Gives each loop inside of a loop, in the regions of these ops, one more variable: it is false
// in the first step of a run, and true in the others.
PIR_NODISCARD pir_status diff_widen_loops(diff *d, const op_list *ops);

// ---- minimize.c
// Adds a step of the optimizer that the options name for each parameter that has a gradient;
// `gradients` has NULL for the others.
PIR_NODISCARD pir_status diff_minimize(diff_block *b, const value_list *params,
                                       const value_list *gradients);

#endif
