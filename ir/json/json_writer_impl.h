// The state of the PIR JSON writer, and the functions that its files share. Private to ir/.
#ifndef PIR_JSON_WRITER_IMPL_H
#define PIR_JSON_WRITER_IMPL_H

#include <pir/compiler/block.h>

#include "context_impl.h"
#include "strbuf.h"

// A region being written: its block and the next op.
typedef struct pir_json_frame {
  const pir_op *op;
  size_t region;
  const pir_block *block;
  const pir_op *next;
} pir_json_frame;

typedef struct pir_json_writer {
  pir_strbuf out;
  pir_context *ctx;
  bool indent, trainable;
  uint32_t depth;  // nesting depth of brackets
  bool fresh;      // nothing yet since the last opening bracket
  pir_status status;
  const pir_op *op;  // that messages name
  pir_map ids;       // value -> id, as an integer
  int64_t next_result, next_argument;
  uint64_t next_region, next_block;
  PIR_VEC(pir_json_frame) frames;
  pir_named_attr *attrs;
  size_t attr_capacity, attr_count;
} pir_json_writer;

// Goes before each element and key.
void pir_json_next_item(pir_json_writer *w);
// Brackets, `[` and `]` or `{` and `}`.
void pir_json_open(pir_json_writer *w, char bracket);
void pir_json_close(pir_json_writer *w, char bracket);
void pir_json_key(pir_json_writer *w, const char *key);
void pir_json_string(pir_json_writer *w, pir_str text);
// A key and a string.
void pir_json_text_key(pir_json_writer *w, const char *key, const char *text);
void pir_json_int_item(pir_json_writer *w, int64_t value);
void pir_json_int_list(pir_json_writer *w, const int64_t *values, size_t count);
// Reports that a file cannot hold a part of the program; only the first such part is reported.
void pir_json_refuse(pir_json_writer *w, const char *format, ...) PIR_PRINTF(2, 3);

// Write a type or an attribute (serialize_write_parts.c); NULL is the null type, or no
// attribute.
void pir_json_write_type(pir_json_writer *w, const pir_type *type);
void pir_json_write_attr(pir_json_writer *w, const pir_attr *attr);

#endif
