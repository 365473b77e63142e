// What the files of ops that users declare share.
#ifndef USER_OPS_IMPL_H
#define USER_OPS_IMPL_H

#include <ops_stages.h>

#include <pir/compiler/dialect.h>

// The definitions of the ops of a checked dialect, as opsc would write them in C: `*out_count`
// of them, twins behind their ops. All memory is the reading's. known_ops.c: `in->user` is the
// pir_user_ops_text.
pir_opdef *user_op_table(const dialect *d, uint32_t number, size_t *out_count);
// The attributes that the ops of the dialect may carry; NULL if there are none.
const pir_attr_def *user_carried_attrs(const dialect *d);

// Finds an op by its full name: of libpir, or declared before the text.
const pir_opdef *user_known_def(ops_reading *in, const char *name);
// The same as the checks of steps see it; NULL for an op that no step makes. For ops_reading.
const op *user_known_op(ops_reading *in, const char *name);

#endif
