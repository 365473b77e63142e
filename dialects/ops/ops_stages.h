// The stages of a reading, in the order in which they run, and questions that several of them
// ask.
#ifndef OPS_STAGES_H
#define OPS_STAGES_H

#include "ops_model.h"

bool ops_parse(const ops_file *file, dialect *d);  // parse_ops.c
void ops_check(dialect *d);  // check_ops.c: names, kinds, defaults, positions
void ops_pair_gradient(const dialect *d, op *o);    // pair_grads.c: of an op that names none
void ops_give_reasons(dialect *d);                  // grad_reasons.c: of ops without gradients
void ops_mark_shape_only(const dialect *d, op *o);  // shape_only.c: operands of an op
void ops_check_spmd(op *o);                         // check_spmd.c: its placement rule
void ops_compile(dialect *d, op *o);  // compile_ops.c: clauses and lower blocks to nodes
int ops_operand_at(const op *o, const char *name);  // positions, or -1
int ops_result_at(const op *o, const char *name);
int ops_attr_at(const op *o, const char *name);
bool ops_declared_only(const op *o);                   // no part of the declaration defines it
int64_t ops_literal_int(uint8_t kind, const expr *e);  // literals.c: of a pir_attr_kind
bool ops_is_float_list(uint8_t kind, uint8_t element_kind);
uint8_t ops_operand_literal_kind(const operand *x);  // of the literal of an attribute operand

#endif
