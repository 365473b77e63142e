// Parameters that are parts of the ones that a file holds (whole_shape and part_first of
// builtin.parameter): a rank's program names its parts of one file.
#ifndef PIR_PARAMS_PARTS_H
#define PIR_PARAMS_PARTS_H

#include <map.h>
#include <pir/compiler/params.h>
#include <pir/layer/param_part.h>

// The ops that have one name.
typedef struct param_ops {
  pir_op *op;              // has the parameter as its result; NULL if the program only sets it
  struct param_ops *next;  // further ones
  bool is_set;             // of the first: by builtin.set_parameter
} param_ops;

// The ops of a program's parameters by name, as an attribute of the context.
typedef struct param_parts {
  pir_arena *arena;  // of the map and the lists
  pir_context *ctx;
  pir_map ops;
  pir_status status;
} param_parts;

// Finds them, and refuses parts that are none, and different parts of one name. `out` has the
// arena, and is empty but for it.
pir_status params_find_parts(pir_program *program, param_parts *out);
// Returns the ops of the name, or NULL.
const param_ops *params_ops_of(const param_parts *parts, pir_str name);
// Returns the first one that has the parameter as its result, or NULL.
const pir_op *params_op_of(const param_parts *parts, pir_str name);
// Whether the op's parameter is a part.
bool params_is_part(const pir_op *op);
// Returns the part that builtin.parameter states. Reports one that is no part at the op.
pir_status params_part(const pir_op *op, pir_param_part *out);
// Takes a part of a record, `whole`, whose bytes it consumes. Elements that lie together are a
// view; others are copied row by row, and the pages of a mapped file that were read are let go,
// so that the whole is never in memory. Returns PIR_EXHAUSTED without memory.
pir_status params_take_part(const pir_param_part *part, bool mapped, pir_param *whole);

// Takes records as pir_program_adopt_records, for a caller that has found the parts
// (records.c). Inside of a call that entered the context.
pir_status records_adopt(pir_program *program, const param_parts *parts,
                         const pir_param_decl *decls, size_t count, pir_borrowed bytes,
                         pir_str file);

#endif
