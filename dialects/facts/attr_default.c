// The defaults of declared attributes as plain data.
#include "infer_impl.h"

static pir_value_kind list_kind(uint8_t element_kind) {
  if (pir_attr_kind_is_float((pir_attr_kind)element_kind))
    return PIR_VALUE_FLOATS;
  return element_kind == PIR_ATTR_STR ? PIR_VALUE_TEXTS : PIR_VALUE_INTS;
}

pir_attr_value attr_default_value(const pir_attr_def *def) {
  pir_attr_value v = {0};
  switch ((pir_attr_kind)def->kind) {
    case PIR_ATTR_F32:
      v.kind = PIR_VALUE_FLOAT;
      v.f = (double)(float)def->f;
      break;
    case PIR_ATTR_F64:
    case PIR_ATTR_SCALAR:
      v.kind = PIR_VALUE_FLOAT;
      v.f = def->f;
      break;
    case PIR_ATTR_STR:
      v.kind = PIR_VALUE_TEXT;
      v.text = pir_str_from(def->text ? def->text : "");
      break;
    case PIR_ATTR_DTYPE:
      v.kind = PIR_VALUE_DTYPE;
      v.i = def->i;
      break;
    case PIR_ATTR_ARRAY:
    case PIR_ATTR_INT_ARRAY:
      v.count = def->int_count;
      v.kind = list_kind(def->element_kind);
      v.ints = def->ints;
      v.floats = def->floats;
      break;
    default: v.kind = PIR_VALUE_INT; v.i = def->i;
  }
  return v;
}
