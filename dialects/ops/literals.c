// Defaults as numbers: the one reading that the tables in C and the tables in memory share.
#include "ops_stages.h"

#include <string.h>

int64_t ops_literal_int(uint8_t kind, const expr *e) {
  if (kind == PIR_ATTR_BOOL)
    return !strcmp(e->name, "true");
  if (kind == PIR_ATTR_DTYPE)
    return !strcmp(e->name, "bool") ? PIR_BOOL : pir_dtype_from_text(pir_str_from(e->name));
  if (kind == PIR_ATTR_PLACE)
    return !strcmp(e->name, "cpu");
  if (kind == PIR_ATTR_LAYOUT)
    return pir_layout_from_name(pir_str_from(e->name));
  return ops_int_of(e);
}

bool ops_is_float_list(uint8_t kind, uint8_t element_kind) {
  return kind == PIR_ATTR_ARRAY &&
         (element_kind == PIR_ATTR_F32 || element_kind == PIR_ATTR_F64);
}

uint8_t ops_operand_literal_kind(const operand *x) {
  if (x->flags & PIR_OPERAND_INTARRAY)
    return PIR_ATTR_INT_ARRAY;
  switch (x->scalar_dtype) {
    case PIR_BOOL: return PIR_ATTR_BOOL;
    case PIR_I32: return PIR_ATTR_I32;
    case PIR_I64: return PIR_ATTR_I64;
    case PIR_F64: return PIR_ATTR_F64;
    default: return PIR_ATTR_F32;
  }
}
