// The translators of special ops, and the functions that they share.
#ifndef PIR_LEGACY_SPECIAL_H
#define PIR_LEGACY_SPECIAL_H

#include "translate.h"

// ---- slots; those that give NULL have reported
const char *slot_var(translator *t, const slot_desc *slot, const char *name);
const char *input_var(translator *t, const op_desc *op, const char *slot);
const char *output_var(translator *t, const op_desc *op, const char *slot);
pir_value *input_value(translator *t, const op_desc *op, const char *slot);
const slot_desc *fed_input(const op_desc *op, const char *slot);  // NULL when absent or empty

// Creates an op of one result and binds it to `var`.
pir_status emit_bound(translator *t, const char *name, pir_value *const *operands, size_t n,
                      const char *var, const pir_type *type, const pir_named_attr *attrs,
                      size_t attr_count);
// pd_op.stack on axis 0 of the `n` members of a vec value.
pir_value *emit_stack(translator *t, pir_value *parts, size_t n);
// Reshapes `x` to a matrix whose rows are its first `rows` dims.
pir_value *emit_matrix(translator *t, pir_value *x, int64_t rows, int64_t dims[2]);

// Returns the list of numbers that an op holds, whatever its kind; NULL if there is none.
const pir_attr *value_list(translator *t, const op_desc *op);

// special.c
pir_status translate_feed(translator *t, const op_desc *op);
pir_status translate_fetch(translator *t, const op_desc *op);
pir_status translate_shadow_output(translator *t, const op_desc *op);
pir_status translate_fill_constant(translator *t, const op_desc *op);
pir_status translate_assign_value(translator *t, const op_desc *op);
pir_status translate_assign(translator *t, const op_desc *op);
pir_status translate_array_write(translator *t, const op_desc *op);
pir_status translate_array_read(translator *t, const op_desc *op);
pir_status translate_array_length(translator *t, const op_desc *op);
pir_status translate_select_input(translator *t, const op_desc *op);
pir_status translate_select_output(translator *t, const op_desc *op);
pir_status translate_share_buffer(translator *t, const op_desc *op);
pir_status translate_data(translator *t, const op_desc *op);
pir_status translate_fill_any(translator *t, const op_desc *op);
pir_status translate_onednn(translator *t, const op_desc *op);
pir_status translate_in_place(translator *t, const op_desc *op);

// special_math.c
pir_status translate_elementwise(translator *t, const op_desc *op);
pir_status translate_mul(translator *t, const op_desc *op);
pir_status translate_matmul(translator *t, const op_desc *op);
pir_status translate_lookup_table(translator *t, const op_desc *op);
pir_status translate_cast(translator *t, const op_desc *op);
pir_status translate_split(translator *t, const op_desc *op);
pir_status translate_slice(translator *t, const op_desc *op);
pir_status translate_softmax(translator *t, const op_desc *op);
pir_status translate_gather(translator *t, const op_desc *op);
pir_status translate_range(translator *t, const op_desc *op);
pir_status translate_randint(translator *t, const op_desc *op);
pir_status translate_tril_triu(translator *t, const op_desc *op);
pir_status translate_reduce(translator *t, const op_desc *op);
pir_status translate_repeat_interleave(translator *t, const op_desc *op);
pir_status translate_matrix_rank(translator *t, const op_desc *op);
pir_status translate_set_value(translator *t, const op_desc *op);
pir_status translate_rnn(translator *t, const op_desc *op);

// special_collective.c
pir_status translate_collective(translator *t, const op_desc *op);
pir_status translate_setup(translator *t, const op_desc *op);
pir_status translate_stream_wait(translator *t, const op_desc *op);

// special_first.c
pir_status translate_flatten(translator *t, const op_desc *op);
pir_status translate_interp(translator *t, const op_desc *op);

// special_grad.c
pir_status translate_xshape_grad(translator *t, const op_desc *op);
pir_status translate_tril_triu_grad(translator *t, const op_desc *op);
pir_status translate_repeat_interleave_grad(translator *t, const op_desc *op);
pir_status translate_mul_grad(translator *t, const op_desc *op);
pir_status translate_set_value_grad(translator *t, const op_desc *op);

#endif
