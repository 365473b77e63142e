// Names of values while text is read. Numbers (%12) index an array; other names are interned
// and mapped. The whole text is one name space, because Paddle numbers values program-wide.
// Private to ir/.
#ifndef PIR_PARSE_VALUES_H
#define PIR_PARSE_VALUES_H

#include "parse_impl.h"

typedef struct pir_parse_names {
  PIR_VEC(pir_value *) numbered;
  pir_map named;  // name, or a number too far from the others, -> value
} pir_parse_names;

// The value called so, or NULL. `name` is a whole token, with its '%'.
pir_value *pir_parse_names_find(pir_parser *p, const pir_parse_names *names, pir_str name);
// Defines a name; returns the value it had before, which it keeps unless `replace`.
pir_value *pir_parse_names_define(pir_parser *p, pir_parse_names *names, pir_str name,
                                  pir_value *value, bool replace);
void pir_parse_names_free(pir_parser *p, pir_parse_names *names);

#endif
