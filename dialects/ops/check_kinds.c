// Kinds of attributes and of operands, as expressions and steps may use them.
#include "nodes_impl.h"

value_class ops_class_of(uint8_t kind) {
  switch (kind) {
    case PIR_ATTR_BOOL:
    case PIR_ATTR_I32:
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX:
    case PIR_ATTR_F32:
    case PIR_ATTR_F64: return CLASS_NUMBER;
    case PIR_ATTR_STR: return CLASS_TEXT;
    case PIR_ATTR_DTYPE: return CLASS_DTYPE;
    case PIR_ATTR_ARRAY:
    case PIR_ATTR_INT_ARRAY: return CLASS_LIST;
    default: return CLASS_ANY;
  }
}

bool ops_is_integer_kind(uint8_t kind) {
  return kind == PIR_ATTR_BOOL || kind == PIR_ATTR_I32 || kind == PIR_ATTR_I64 ||
         kind == PIR_ATTR_INDEX;
}

bool ops_is_float_kind(uint8_t kind) {
  return kind == PIR_ATTR_F32 || kind == PIR_ATTR_F64;
}

bool ops_holds_number(const attr *a) {
  value_class held = ops_class_of(a->kind);
  return held == CLASS_NUMBER || held == CLASS_ANY;
}

bool ops_lists_numbers(const attr *a) {
  value_class held = ops_class_of(a->kind), element = ops_class_of(a->element_kind);
  return a->kind == PIR_ATTR_INT_ARRAY || held == CLASS_ANY ||
         (held == CLASS_LIST && (element == CLASS_NUMBER || element == CLASS_ANY));
}

bool ops_lists_integers(const attr *a) {
  return ops_lists_numbers(a) &&
         !(a->kind == PIR_ATTR_ARRAY && ops_is_float_kind(a->element_kind));
}

bool ops_holds_axes(const attr *a) {
  return a->kind == PIR_ATTR_ARRAY || a->kind == PIR_ATTR_INT_ARRAY
             ? ops_lists_integers(a)
             : ops_is_integer_kind(a->kind);
}
