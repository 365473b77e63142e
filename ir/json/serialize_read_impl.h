// The state of the PIR JSON reader, and the functions that its two files share. Private to ir/.
#ifndef PIR_SERIALIZE_READ_IMPL_H
#define PIR_SERIALIZE_READ_IMPL_H

#include <pir/compiler/block.h>

#include <jansson.h>

#include "context_impl.h"
#include "serialize_impl.h"
#include "text_impl.h"

typedef struct pir_json_reader {
  pir_context *ctx;
  pir_arena *arena;
  pir_str file, text;
  size_t begin;         // offset of the JSON in the text, after leading comments
  uint32_t first_line;  // the line it begins in
  pir_program *program;
  int64_t version;
  pir_map values;                 // id -> value
  PIR_VEC(pir_loc) locations;     // locations of the ops, in file order
  uint64_t ops, depth, regions;   // ops so far; nesting of types and attributes, and of regions
  pir_loc loc;                    // location of the op being read
  const char *op;                 // its id in the file, or NULL
  PIR_VEC(pir_value *) operands;  // scratch of the op being read
  PIR_VEC(const pir_type *) result_types;
  PIR_VEC(pir_named_attr) attrs;
} pir_json_reader;

// Reports at the op being read, naming it.
#define pir_json_fail(r, ...) pir_json_fail_with((r), PIR_INVALID, __VA_ARGS__)
pir_status pir_json_fail_with(pir_json_reader *r, pir_status status, const char *format, ...)
    PIR_PRINTF(3, 4);

// Members that must be of a kind. `what` names them in the message.
pir_status pir_json_want_list(pir_json_reader *r, const json_t *json, const char *what);
pir_status pir_json_want_string(pir_json_reader *r, const json_t *json, const char *what,
                                pir_str *out_text);
pir_status pir_json_want_int(pir_json_reader *r, const json_t *json, const char *what,
                             int64_t *out_value);

pir_status pir_json_read_type(pir_json_reader *r, const json_t *json,
                              const pir_type **out_type);
pir_status pir_json_read_attr(pir_json_reader *r, const json_t *json,
                              const pir_attr **out_attr);

#endif
