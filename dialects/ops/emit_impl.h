// Functions that the emitters share: text for defaults and for kinds of attributes, and the
// rows of old names that the tables of emit_c.c point to.
#ifndef OPS_EMIT_IMPL_H
#define OPS_EMIT_IMPL_H

#include "ops_stages.h"

void put_literal(FILE *out, const expr *e);
void put_attr_type(FILE *out, const attr *a);
void put_text(FILE *out, const char *text);  // writes a C string literal
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
