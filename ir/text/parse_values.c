// Names of values, ops and attributes. Printed programs number values densely from 0, so nearly
// every look-up is one load. A number may exceed the largest one seen by a bounded gap, so a
// huge number cannot make the array huge.
#include "parse_values_impl.h"

pir_name *pir_parse_name(pir_parser *p, pir_str text) {
  if (!text.size)
    return pir_name_get(p->ctx, text);
  unsigned char first = (unsigned char)text.data[0],
                middle = (unsigned char)text.data[text.size / 2],
                last = (unsigned char)text.data[text.size - 1];
  pir_name **slot =
      &p->names[(text.size * 31 + first * 7u + middle * 5u + last) % PIR_PARSE_CACHE];
  if (*slot && (*slot)->size == text.size && memcmp((*slot)->text, text.data, text.size) == 0)
    return *slot;
  return *slot = pir_name_get(p->ctx, text);
}

const pir_opdef *pir_parse_opdef(pir_parser *p, pir_str text) {
  pir_name *name = pir_parse_name(p, text);
  size_t slot = (size_t)((uintptr_t)name >> 3) % PIR_PARSE_CACHE;
  if (p->ops[slot].name != name) {
    p->ops[slot].name = name;
    p->ops[slot].def = pir_context_opdef(p->ctx, text);
  }
  return p->ops[slot].def;
}

enum { MAX_GAP = 1 << 16 };

// The number in "%12"; false for other names and for numbers of more than 9 digits.
static bool number_of(pir_str name, size_t *out_number) {
  size_t number = 0;
  if (name.size < 2 || name.size > 10)
    return false;
  for (size_t i = 1; i < name.size; i++) {
    unsigned digit = (unsigned)(name.data[i] - '0');
    if (digit > 9)
      return false;
    number = number * 10 + digit;
  }
  *out_number = number;
  return name.data[1] != '0' || name.size == 2;
}

pir_value *pir_parse_names_find(pir_parser *p, const pir_parse_names *names, pir_str name) {
  size_t number;
  if (number_of(name, &number) && number < names->numbered.count &&
      names->numbered.items[number])
    return names->numbered.items[number];
  return names->named.count ? pir_map_get(&names->named, pir_name_get(p->ctx, name)) : NULL;
}

static pir_value *define_named(pir_parser *p, pir_parse_names *names, pir_str name,
                               pir_value *value, bool replace) {
  uint64_t *place = pir_map_place(p->arena, &names->named, pir_name_get(p->ctx, name), 0);
  pir_value *before = (pir_value *)(uintptr_t)*place;
  if (!before || replace)
    *place = (uint64_t)(uintptr_t)value;
  return before;
}

pir_value *pir_parse_names_define(pir_parser *p, pir_parse_names *names, pir_str name,
                                  pir_value *value, bool replace) {
  size_t number;
  if (!number_of(name, &number) || number > names->numbered.count + MAX_GAP)
    return define_named(p, names, name, value, replace);
  while (names->numbered.count <= number)
    pir_vec_push(p->arena, &names->numbered, NULL);
  pir_value **place = &names->numbered.items[number], *before = *place;
  if (!before && names->named.count)
    before = pir_map_get(&names->named, pir_name_get(p->ctx, name));
  if (!before || replace)
    *place = value;
  return before;
}

void pir_parse_names_free(pir_parser *p, pir_parse_names *names) {
  pir_vec_free(p->arena, &names->numbered);
  pir_map_free(p->arena, &names->named);
}
