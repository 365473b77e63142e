// Attributes of ops: slots for declared ones, a uniqued dictionary for the others, defaults
// from the definition.

#include <pir/compiler/op.h>

#include <op_impl.h>

#include <assert.h>
#include <string.h>

const pir_attr *pir_op_attr_at(const pir_op *op, size_t i) {
  assert(i < op_attr_slots(op));
  return op->attrs[i];
}

void pir_op_set_attr_at(pir_op *op, size_t i, const pir_attr *value) {
  assert(i < op_attr_slots(op));
  op->attrs[i] = value;
}

static int find_slot(const pir_op *op, pir_name *name) {
  for (size_t i = 0; i < op_attr_slots(op); i++)
    if (op->info->attr_names[i] == name)
      return (int)i;
  return -1;
}

const pir_attr *pir_op_attr(const pir_op *op, pir_name *name) {
  int slot = find_slot(op, name);
  return slot >= 0 ? op->attrs[slot] : pir_dict_find(op->extra, name);
}

const pir_attr *pir_op_attr_str(const pir_op *op, const char *name) {
  pir_name *known = pir_name_find(op_context(op), pir_str_from(name));
  return known ? pir_op_attr(op, known) : NULL;
}

void pir_op_set_attr(pir_op *op, pir_name *name, const pir_attr *value) {
  int slot = find_slot(op, name);
  if (slot >= 0)
    op->attrs[slot] = value;
  else
    op->extra = pir_dict_set(op_context(op), op->extra, name, value);
}

size_t pir_op_extra_attrs(const pir_op *op) {
  return op->extra ? op->extra->count : 0;
}

pir_named_attr pir_op_extra_attr(const pir_op *op, size_t i) {
  assert(i < pir_op_extra_attrs(op));
  return op->extra->entries[i];
}

size_t pir_op_attrs(const pir_op *op) {
  size_t n = pir_op_extra_attrs(op);
  for (size_t i = 0; i < op_attr_slots(op); i++)
    n += op->attrs[i] != NULL;
  return n;
}

// Merges two sorted lists.
size_t pir_op_attrs_sorted(const pir_op *op, pir_named_attr *out_entries, size_t capacity) {
  const pir_opdef *def = op->info->def;
  size_t n = 0, extra = 0, extra_count = pir_op_extra_attrs(op);
  for (size_t i = 0; i <= def->attr_count; i++) {
    bool end = i == def->attr_count;
    size_t slot = end ? 0 : def->attr_order[i];
    if (!end && !op->attrs[slot])
      continue;
    pir_name *name = end ? NULL : op->info->attr_names[slot];
    for (; extra < extra_count &&
           (end || pir_name_compare(op->extra->entries[extra].name, name) < 0);
         extra++, n++)
      if (n < capacity)
        out_entries[n] = op->extra->entries[extra];
    if (end)
      break;
    if (n < capacity)
      out_entries[n] = (pir_named_attr){name, op->attrs[slot]};
    n++;
  }
  return n;
}

// ---- kinds

static bool is_complex_kind(pir_attr_kind kind) {
  return kind == PIR_ATTR_C64 || kind == PIR_ATTR_C128;
}
static bool is_text_kind(pir_attr_kind kind) {
  return kind == PIR_ATTR_STR || kind == PIR_ATTR_TENSOR_NAME;
}
static bool is_list_kind(pir_attr_kind kind) {
  return kind == PIR_ATTR_ARRAY || kind == PIR_ATTR_INT_ARRAY;
}

static bool integer_fits(int64_t value, pir_attr_kind want) {
  return want != PIR_ATTR_I32 || (value >= INT32_MIN && value <= INT32_MAX);
}

// A scalar is a number with the element type that was stated for it.
static pir_attr_kind number_kind(const pir_attr *attr) {
  pir_attr_kind kind = pir_attr_kind_of(attr);
  return kind == PIR_ATTR_SCALAR ? pir_attr_kind_of(pir_attr_element(attr, 0)) : kind;
}

// Everything but lists.
static bool single_fits(const pir_attr *attr, pir_attr_kind want) {
  pir_attr_kind has = number_kind(attr);
  bool integer = pir_attr_kind_is_int(has), real = integer || pir_attr_kind_is_float(has);
  int64_t value;
  switch (want) {
    case PIR_ATTR_NONE: return true;
    case PIR_ATTR_BOOL: return has == PIR_ATTR_BOOL;
    case PIR_ATTR_I32:
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX:
      return integer && pir_attr_as_int(attr, &value) && integer_fits(value, want);
    case PIR_ATTR_F32:
    case PIR_ATTR_F64: return real;
    case PIR_ATTR_C64:
    case PIR_ATTR_C128: return is_complex_kind(has);
    case PIR_ATTR_SCALAR: return real || has == PIR_ATTR_BOOL || is_complex_kind(has);
    case PIR_ATTR_STR:
    case PIR_ATTR_TENSOR_NAME: return is_text_kind(has);
    default: return has == want;
  }
}

// Returns the index of the first element of another kind, or the number of elements.
static size_t first_unfit(const pir_attr *list, pir_attr_kind want) {
  size_t i = 0, n = pir_attr_elements(list);
  if (pir_attr_kind_of(list) == PIR_ATTR_INT_ARRAY) {
    bool integers = pir_attr_kind_is_int(want) || pir_attr_kind_is_float(want) ||
                    want == PIR_ATTR_SCALAR || want == PIR_ATTR_NONE;
    while (integers && i < n && integer_fits(pir_attr_int_array_data(list)[i], want))
      i++;
    return i;
  }
  while (i < n && single_fits(pir_attr_element(list, i), want))
    i++;
  return i;
}

static pir_attr_kind element_kind(const pir_attr_def *def) {
  return def->kind == PIR_ATTR_INT_ARRAY ? PIR_ATTR_I64 : (pir_attr_kind)def->element_kind;
}

bool pir_attr_fits(const pir_attr *attr, const pir_attr_def *def) {
  if (!is_list_kind((pir_attr_kind)def->kind))
    return single_fits(attr, (pir_attr_kind)def->kind);
  return is_list_kind(pir_attr_kind_of(attr)) &&
         first_unfit(attr, element_kind(def)) == pir_attr_elements(attr);
}

static const char *attr_kind_name(pir_attr_kind kind) {
#define NAME_OF(id, json, tag) #id,
  static const char *const names[] = {PIR_ATTR_KINDS(NAME_OF)};
#undef NAME_OF
  return names[kind];
}

// `where` is empty, or names the element that is meant.
static pir_status unfit(const pir_op *op, const char *where, const char *name,
                        pir_attr_kind has, pir_attr_kind want) {
  if (pir_attr_kind_is_int(has) && want == PIR_ATTR_I32)
    return pir_error(op, "%sattribute %s does not fit its kind I32", where, name);
  return pir_error(op, "%sattribute %s has kind %s, expected %s", where, name,
                   attr_kind_name(has), attr_kind_name(want));
}

pir_status pir_op_check_attr(const pir_op *op, const pir_attr *attr, const pir_attr_def *def) {
  pir_attr_kind has = pir_attr_kind_of(attr), want = (pir_attr_kind)def->kind;
  if (pir_attr_fits(attr, def))
    return PIR_OK;
  if (!is_list_kind(want) || !is_list_kind(has))
    return unfit(op, "", def->name, has, want);
  char where[48];
  size_t at = first_unfit(attr, element_kind(def));
  pir_text_format(where, sizeof where, "element %zu of ", at);
  has = has == PIR_ATTR_INT_ARRAY ? PIR_ATTR_I64 : pir_attr_kind_of(pir_attr_element(attr, at));
  return unfit(op, where, def->name, has, element_kind(def));
}

// ---- values with defaults

bool pir_op_bool(const pir_op *op, size_t i) {
  return pir_op_int(op, i) != 0;
}

int64_t pir_op_int(const pir_op *op, size_t i) {
  int64_t value;
  if (pir_attr_as_int(pir_op_attr_at(op, i), &value))
    return value;
  const pir_attr_def *def = &op->info->def->attrs[i];
  return pir_attr_kind_is_float((pir_attr_kind)def->kind) ? (int64_t)def->f : def->i;
}

pir_str pir_op_text(const pir_op *op, size_t i) {
  const pir_attr *attr = pir_op_attr_at(op, i);
  if (attr)
    return pir_attr_as_str(attr);
  const char *text = op->info->def->attrs[i].text;
  return text ? pir_str_from(text) : (pir_str){"", 0};
}
