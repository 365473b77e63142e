// Functions that the files of the attribute reader share. Private to ir/. Each function reads
// from the current token on and returns NULL after reporting an error.
#ifndef PIR_PARSE_ATTR_H
#define PIR_PARSE_ATTR_H

#include "parse_impl.h"

typedef PIR_VEC(const pir_attr *) pir_attr_list;

// Whether a number has neither a point nor an exponent.
bool pir_text_is_integral(pir_str text);
// Reads a number with the wanted kind if its text allows it.
const pir_attr *pir_parse_number(pir_parser *p, pir_attr_kind kind);
const pir_attr *pir_parse_complex(pir_parser *p, pir_attr_kind kind);
const pir_attr *pir_parse_pointer(pir_parser *p);
const pir_attr *pir_parse_string(pir_parser *p, pir_attr_kind kind);
const pir_attr *pir_parse_escaped(pir_parser *p);
// Makes an opaque attribute of the text from `start`, which pir_parse_raw skips.
const pir_attr *pir_parse_opaque_from(pir_parser *p, const char *start);
const pir_attr *pir_parse_int_array(pir_parser *p);

// mesh_shape:[..],process_ids:[..] and, when more follows, a whole distribution.
const pir_attr *pir_parse_mesh(pir_parser *p);
// {mesh:{..},operand(0):{..},result(0):{..},chunk_id:0}
const pir_attr *pir_parse_op_dist(pir_parser *p);

#endif
