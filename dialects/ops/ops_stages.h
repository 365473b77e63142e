// The stages of opsc, in the order in which they run, and questions that several of them ask.
#ifndef OPS_STAGES_H
#define OPS_STAGES_H

#include "ops_model.h"

bool ops_parse(const char *path, dialect *d);  // parse_ops.c
void ops_check(dialect *d);                    // check_ops.c: names, kinds, defaults, positions
// Gives numbers by the list at `path` and appends missing rows to it; NULL: in order. Returns
// whether that worked. op_numbers.c
bool ops_number(dialect *d, const char *path);
void ops_compile(dialect *d, op *o);  // compile_ops.c: clauses and lower blocks to nodes
int op_operand(const op *o, const char *name);  // positions, or -1
int op_result(const op *o, const char *name);
int op_attr(const op *o, const char *name);
bool op_declared_only(const op *o);             // no part of the declaration defines it
void emit_tables(const dialect *d, FILE *out);  // emit_c.c
void emit_header(const dialect *d, FILE *out);
void emit_hooks(const dialect *d, FILE *out);
void emit_list(const dialect *d, FILE *out);   // emit_list.c
void emit_index(const dialect *d, FILE *out);  // emit_doc.c: the families of a dialect
void emit_family(const dialect *d, int file, FILE *out);
int family_size(const dialect *d, int file);         // ops that a file declares
void emit_build_index(const dialect *d, FILE *out);  // emit_build.c: functions that build ops
void emit_build_family(const dialect *d, int file, FILE *out);
int build_size(const dialect *d, int file);  // functions of a family, twins not counted

#endif
