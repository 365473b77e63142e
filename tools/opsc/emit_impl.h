// Functions that the emitters share: text for defaults and for kinds of attributes, and the
// rows of old names that the tables of emit_c.c point to.
#ifndef OPS_EMIT_IMPL_H
#define OPS_EMIT_IMPL_H

#include "ops_stages.h"

#include <stdio.h>

// ---- source.c: the one reading of a run
void opsc_start(void);
ops_reading *opsc_reading(void);
const ops_file *opsc_file(int number);
const char *opsc_family(const ops_file *file);  // its name without folder and ending
void opsc_report(void);                         // prints the messages
void opsc_release(void);                        // all memory, at the end of the run

// ---- stages
// Gives numbers by the list at `path` and appends missing rows to it; NULL: in order. Returns
// whether that worked. op_numbers.c
bool ops_number(dialect *d, const char *path);
void emit_tables(const dialect *d, FILE *out);  // emit_c.c
void emit_header(const dialect *d, FILE *out);
void emit_hooks(const dialect *d, FILE *out);
void emit_spmd(FILE *out, const op *o);  // emit_spmd.c: an op's placement rule
void emit_spmd_table(FILE *out, const dialect *d);
void emit_spmd_functions(FILE *out, const dialect *d);
void emit_list(const dialect *d, FILE *out);   // emit_list.c
void emit_index(const dialect *d, FILE *out);  // emit_doc.c: the families of a dialect
void emit_family(const dialect *d, int file, FILE *out);
int family_size(const dialect *d, int file);         // ops that a file declares
void emit_build_index(const dialect *d, FILE *out);  // emit_build.c: functions that build ops
void emit_build_family(const dialect *d, int file, FILE *out);
int build_size(const dialect *d, int file);  // functions of a family, twins not counted

// ---- text

void put_literal(FILE *out, const expr *e);
void put_attr_type(FILE *out, const attr *a);
void put_c_text(FILE *out, const char *text);  // writes a C string literal
unsigned op_id(const dialect *d, const op *o, bool twin);
const char *upper(const char *a, const char *b, const char *c);  // "A_BC"

// One old name of an op. `n` is the number of the declaration `l` among the op's.
typedef struct legacy_row {
  const char *name;
  const op *o;
  int n;
  const legacy *l;
  bool first;  // the name it is written with
} legacy_row;

// The rows of a dialect, sorted by name; writes the arrays they point to.
legacy_row *legacy_rows(FILE *out, const dialect *d, int *out_count);
// Writes the rows themselves.
void emit_legacy(FILE *out, const dialect *d, const legacy_row *rows, int count);

#endif
