// State that the lexer and the grammar share.
#ifndef OPS_PARSE_IMPL_H
#define OPS_PARSE_IMPL_H

#include "ops_stages.h"

enum { MARK_OPTIONAL = 1, MARK_VARIADIC = 2, MARK_INTERMEDIATE = 4, MARK_PRECISE = 8 };

typedef struct marked_name {
  const char *name;
  source_loc loc;
  uint8_t marks;
} marked_name;

typedef struct names {
  marked_name *items;
  int count;
} names;

// The part after the colon of a declaration.
typedef struct type_spec {
  source_loc loc;
  pir_dtype_set dtypes;
  uint8_t flags;               // flags of an attribute operand
  uint8_t dtype;               // one element type, or UNDEFINED
  uint8_t kind, element_kind;  // kinds of an attribute
  const char *name;            // the one name that was written
  const char *same, *from;
} type_spec;

typedef struct parser {
  dialect *d;
  op *current;  // the op or form being read; NULL between them
  names alike;  // names of all ops that this declaration declares
  names like, values;
  const char *word;     // of the option of a placement rule that is being read
  bool reduced;         // `over` variables are being read
  bool in_grad;         // the steps being read belong to a gradient
  const char *no_grad;  // of the ops below that declare no gradient: why
  int depth;
  const ops_file *file;
  int line, column;
  const char *line_text;  // of line `line_number`: the last that was sought, or NULL
  int line_number;
} parser;

#endif
