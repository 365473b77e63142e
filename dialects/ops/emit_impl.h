// Functions that the emitters share: text for defaults and for kinds of attributes.
#ifndef OPS_EMIT_IMPL_H
#define OPS_EMIT_IMPL_H

#include "ops_model.h"

void put_literal(FILE *out, const expr *e);
void put_attr_type(FILE *out, const attr *a);
bool declared_only(const op *o);  // nothing says what it computes

#endif
