// Names of PIR JSON, shared by its reader and its writer. Private to ir/.
#ifndef PIR_SERIALIZE_IMPL_H
#define PIR_SERIALIZE_IMPL_H

#include <jansson.h>

#include <pir/compiler/dialect.h>
#include <pir/compiler/serialize.h>
#include <pir/layer/watch.h>

// The version that is written.
#define PIR_JSON_VERSION 4

// Tags of types; scalars are "0." and the dtype's tag.
#define PIR_JSON_VECTOR "0.t_vec"
#define PIR_JSON_TENSOR "0.t_dtensor"
#define PIR_JSON_SELECTED_ROWS "1.t_selected_rows"
#define PIR_JSON_TENSOR_ARRAY "1.t_dense_tensor_array"
#define PIR_JSON_SPARSE_COO "1.t_sparse_coo_tensor"
#define PIR_JSON_SPARSE_CSR "1.t_sparse_csr_tensor"
#define PIR_JSON_STACK "2.t_stack"
#define PIR_JSON_INLET "2.t_inlet"
#define PIR_JSON_OUTLET "2.t_outlet"
#define PIR_JSON_DIST_TENSOR "4.t_dist_dtensor"
#define PIR_JSON_NULL "NULL"

// Name of the undefined element type in attributes.
#define PIR_JSON_ANY_DTYPE "Undefined(ALL_DTYPE)"

// The op that is written as "p".
#define PIR_JSON_PARAMETER "builtin.parameter"

// Names of its fixed attributes, in file order.
extern const char *const pir_json_parameter_flags[3];    // A, before the name
extern const char *const pir_json_parameter_outputs[3];  // OA
#define PIR_JSON_PARAMETER_NAME "parameter_name"

// Attributes that are written with the outputs (OA) and never with the op.
bool pir_json_is_output_attr(pir_str name);
// Whether files hold the declared attributes of ops of this definition alone, in that order.
bool pir_json_describes(const pir_opdef *def);

// The parts that files state for a sparse tensor type without parts: Paddle's default dense
// tensor type.
const pir_type *pir_json_absent_part(pir_context *ctx);
static inline size_t pir_json_sparse_parts(pir_type_kind kind) {
  return kind == PIR_TYPE_SPARSE_COO ? 2 : 3;
}

// Returns the dialect of a number in an op's id; empty if there is none.
pir_str pir_json_dialect_name(pir_context *ctx, int number);
// Returns the number of a dialect; false if the dialect is written by name.
bool pir_json_dialect_number(pir_context *ctx, pir_str name, int *out_number);

// Reads a JSON value; NULL with an error, whose places are in `text`, or with *out_starved set:
// memory ran out; or because the watched work has to end.
json_t *pir_json_load(pir_str text, const pir_watch *watch, json_error_t *error,
                      bool *out_starved);

// Whether the text is one JSON value.
bool pir_json_is_well_formed(pir_str text);

#endif
