// Formats the values of an op's names for messages, such as " x [2,3], axis 1,". O(operands and
// attributes).
#include "infer_impl.h"

#include <ctype.h>
#include <string.h>

// Writes the known elements of an attribute operand.
static size_t put_elements(const pir_infer *infer, const pir_fact *fact, const char *name,
                           char *out, size_t capacity) {
  size_t used = pir_text_format(out, capacity, " %s ", name);
  pir_dim count = 0;
  int64_t n = 0;
  if (!fact_count(fact, &count) || !pir_dim_is_const(infer->dims, count, &n))
    n = 0;
  for (int64_t i = 0; i < n && used + 32 < capacity; i++) {
    double number;
    bool is_known = fact_number(infer->dims, fact, i, &number);
    used += pir_text_format(out + used, capacity - used, is_known ? "%s%.9g" : "%s?",
                            i ? "," : "", number);
  }
  return used + pir_text_format(out + used, capacity - used, ",");
}

size_t infer_put_operand(const pir_infer *infer, size_t k, char *out, size_t capacity) {
  const pir_fact *fact = infer->operands[k];
  const char *name = infer->def->operands[k].name;
  if (!fact || !fact->known)
    return pir_text_format(out, capacity, " no %s,", name);
  if (infer->def->operands[k].flags & (PIR_OPERAND_SCALAR | PIR_OPERAND_INTARRAY))
    return put_elements(infer, fact, name, out, capacity);
  if (fact->members)
    return pir_text_format(out, capacity, " %zu of %s,", fact->member_count, name);
  size_t used = pir_text_format(out, capacity, " %s [", name);
  for (int32_t i = 0; i < fact->rank && used + 32 < capacity; i++) {
    int64_t extent;
    bool is_const = pir_dim_is_const(infer->dims, fact->shape[i], &extent);
    used += pir_text_format(out + used, capacity - used, is_const ? "%s%lld" : "%s?",
                            i ? "," : "", (long long)extent);
  }
  return used + pir_text_format(out + used, capacity - used, "],");
}

size_t infer_put_attr(const pir_infer *infer, size_t k, char *out, size_t capacity) {
  const pir_attr_value *attr = &infer->attrs[k];
  const char *name = infer->def->attrs[k].name;
  size_t used = pir_text_format(out, capacity, " %s ", name);
  if (attr->kind == PIR_VALUE_INT)
    used += pir_text_format(out + used, capacity - used, "%lld", (long long)attr->i);
  if (attr->kind == PIR_VALUE_FLOAT)
    used += pir_text_format(out + used, capacity - used, "%g", attr->f);
  if (attr->kind == PIR_VALUE_TEXT)
    used +=
        pir_text_format(out + used, capacity - used, "\"%.*s\"",
                        (int)(attr->text.size < 40 ? attr->text.size : 40), attr->text.data);
  if (attr->kind == PIR_VALUE_DTYPE)
    used +=
        pir_text_format(out + used, capacity - used, "%s", pir_dtype_name((pir_dtype)attr->i));
  if (attr->kind == PIR_VALUE_INTS)
    for (size_t i = 0; i < attr->count && used + 32 < capacity; i++)
      used += pir_text_format(out + used, capacity - used, "%s%lld", i ? "," : "",
                              (long long)attr->ints[i]);
  return used + pir_text_format(out + used, capacity - used, ",");
}

// ---- whole messages
static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static bool mentions(const char *text, const char *name) {
  size_t size = strlen(name);
  for (const char *at = strstr(text, name); size && at; at = strstr(at + 1, name))
    if ((at == text || (!is_word(at[-1]) && at[-1] != '.')) && !is_word(at[size]))
      return true;
  return false;
}

static bool names_any(const pir_opdef *def, const char *text) {
  for (size_t i = 0; i < def->operand_count; i++)
    if (mentions(text, def->operands[i].name))
      return true;
  for (size_t i = 0; i < def->attr_count; i++)
    if (mentions(text, def->attrs[i].name))
      return true;
  return false;
}

void pir_infer_complete(const pir_infer *infer, char *message, size_t capacity) {
  const pir_opdef *def = infer->def;
  size_t used = strlen(message), start = used;
  if (names_any(def, message) || used + 64 > capacity)
    return;
  used += pir_text_format(message + used, capacity - used, "; given");
  for (size_t k = 0; k < def->operand_count && k < infer->operand_count && used + 96 < capacity;
       k++)
    used += infer_put_operand(infer, k, message + used, capacity - used);
  for (size_t k = 0; infer->attrs && k < def->attr_count && used + 96 < capacity; k++)
    used += infer_put_attr(infer, k, message + used, capacity - used);
  message[message[used - 1] == ',' ? used - 1 : start] = 0;
}
