// Functions that the printer and the reader of IR text share. Private to ir/.
#ifndef PIR_TEXT_IMPL_H
#define PIR_TEXT_IMPL_H

#include <pir/compiler/text.h>

#include <strbuf.h>

// Writers of parts. All forms; nesting of types and attributes is bounded by what readers let
// in.
void pir_text_type(pir_strbuf *out, const pir_type *type, pir_text_form form);
void pir_text_attr(pir_strbuf *out, const pir_attr *attr, pir_text_form form);
void pir_text_ints(pir_strbuf *out, const int64_t *values, size_t count);  // [1,2]
// A string in double quotes as Paddle writes it: only the quote is escaped.
void pir_text_quoted(pir_strbuf *out, pir_str text);
// A string with C escapes, which can be read back whatever it holds.
void pir_text_escaped(pir_strbuf *out, pir_str text);

// Whether text can hold `name` without quotes: a letter or _, then letters, digits, _ . $ and
// @.
bool pir_text_is_word(pir_str name);
// Whether text can hold `name` in quotes as the name of an op: no quote, backslash or control
// character.
bool pir_text_is_op_name(pir_str name);

// Finds the result that a program's text calls "%12"; PIR_NOT_FOUND.
pir_status pir_text_find_value(const pir_program *program, pir_str name, pir_value **out_value);

// The first line of an op as T3, with numbers of its own, without the line end.
void pir_text_op_line(pir_strbuf *out, const pir_op *op);

// Names of tensor-like types in text.
#define PIR_TEXT_SELECTED_ROWS "pd_op.selectedrows"
#define PIR_TEXT_TENSOR_ARRAY "pd_op.tensor_array"
#define PIR_TEXT_SPARSE_COO "pd_op.sparsecootensor"
#define PIR_TEXT_SPARSE_CSR "pd_op.sparsecsrtensor"
#define PIR_TEXT_CSR_CUT "pd_op."          // all that Paddle prints of it
#define PIR_TEXT_TENSOR_T1 "pd_op.tensor"  // older names of dense tensors
#define PIR_TEXT_TENSOR_T2 "builtin.tensor"
#define PIR_TEXT_TENSOR_T0 "pd.tensor"

// Tags of the typed form that Paddle's tagged form lacks.
#define PIR_TAG_STR "str"  // an escaped string
#define PIR_TAG_TENSOR_NAME "name"
#define PIR_TAG_OPAQUE "opaque"
#define PIR_TAG_TYPE "Type"
#define PIR_TAG_ARRAY "Array"  // where the op declares an IntArray
#define PIR_TAG_MESH "pd_dist.ProcessMesh"
#define PIR_TAG_TENSOR_DIST "pd_dist.TensorDist"
#define PIR_TAG_OP_DIST "pd_dist.OpDist"
#define PIR_TAG_KERNEL_KEY "pd_kernel.KernelKey"

// Place kinds by JSON code; NULL where there is none.
const char *pir_place_kind_name(int kind);
int pir_place_kind_from_name(pir_str name);  // -1 when unknown

// Reduce types of partial tensors by code; "" when out of range.
const char *pir_reduce_type_name(int64_t code);
int64_t pir_reduce_type_from_name(pir_str name);  // -1 when unknown

// Writes numbers. `exact` uses the fewest digits that read back as the same value of that
// precision (`single`: as a float), in JSON's layout if `json`, else in the layout of printf's
// %g.
void pir_text_exact_float(pir_strbuf *out, double value, bool single, bool json);
// Reads a decimal floating number of the given length. False if the text is no number or
// overflows.
bool pir_text_read_float(pir_str text, double *out_value);
// Reads a decimal integer with optional sign. False if the text is no integer or does not fit.
bool pir_text_read_int(pir_str text, int64_t *out_value);
// The value of a hexadecimal digit, which `digit` must be.
static inline uint64_t pir_text_hex(char digit) {
  return (uint64_t)(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
}

#endif
