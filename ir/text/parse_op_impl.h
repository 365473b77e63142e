// The phrases of an op, and the reader's state beyond tokens. Private to ir/.
#ifndef PIR_PARSE_OP_H
#define PIR_PARSE_OP_H

#include "parse_values_impl.h"

// How the regions of an op are delimited.
typedef enum pir_region_style {
  STYLE_MODULE,
  STYLE_BROKEN,   // the op could not be read: any of the styles below
  STYLE_GENERAL,  // { .. } after the op, each a region
  STYLE_IF,       // { .. } else { .. }
  STYLE_ONE,      // { .. }
  STYLE_WHILE,    // { ^%arg_0 {}, .. <ops> }
  STYLE_TYPED     // ({ .. }, { .. })
} pir_region_style;

// Mark of an op while a typed region of it is read: the block's header was there.
enum { SAW_HEADER = 1 };

// A name with its place.
typedef struct pir_mention {
  pir_str name;
  pir_parse_place place;
} pir_mention;

// An op whose regions are being read.
typedef struct pir_region_frame {
  pir_op *op;
  size_t region;
  pir_block *block;
  pir_region_style style;
  pir_mention *results;  // names of the op's results, defined when it is complete
  size_t result_count;
  pir_parse_place place;
} pir_region_frame;

typedef struct pir_op_reader {
  pir_parser p;
  pir_program *program;
  pir_parse_names names;
  bool fragment;
  uint64_t ops;
  PIR_VEC(pir_region_frame) frames;
  // Scratch of the op being read.
  PIR_VEC(pir_mention) results;
  PIR_VEC(pir_mention) uses;
  PIR_VEC(pir_value *) operands;
  PIR_VEC(const pir_type *) operand_types;
  PIR_VEC(const pir_type *) result_types;
  PIR_VEC(pir_named_attr) attrs;
  bool has_operand_types;
  bool has_info;  // the text begins with its kind, which its types do not change
  bool of_2023;   // its name is of the first dialect, whose text has neither tags nor booleans
  pir_loc loc;
} pir_op_reader;

// (%0) = "name" (%1) {..} : (T) -> T: everything of an op but its regions, into the scratch.
bool pir_parse_header(pir_op_reader *r, const pir_opdef **out_def, pir_region_style *out_style);
// Reads past the shapes that an analysis printed behind an op.
void pir_parse_skip_shapes(pir_op_reader *r);
// {name:value,..} into the scratch; `def` may declare some of them.
bool pir_parse_attrs(pir_op_reader *r, const pir_opdef *def);
// The attributes of a block argument; `argument` NULL reads past them.
bool pir_parse_argument_attrs(pir_op_reader *r, pir_value *argument);
// A value's name, which `what` calls it in the message.
bool pir_parse_mention(pir_op_reader *r, const char *what, pir_mention *out_name);

#endif
