// Attributes of ops: slots for the declared ones, a unique dictionary for the rest, defaults
// from the definition.

#include <pir/op.h>

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
  return pir_op_attr(op, pir_name_get(op_context(op), pir_str_from(name)));
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

// ---- values with defaults

bool pir_op_bool(const pir_op *op, size_t i) {
  return pir_op_int(op, i) != 0;
}

int64_t pir_op_int(const pir_op *op, size_t i) {
  int64_t value;
  if (pir_attr_as_int(pir_op_attr_at(op, i), &value))
    return value;
  const pir_attr_def *def = &op->info->def->attrs[i];
  return def->kind == PIR_ATTR_F32 || def->kind == PIR_ATTR_F64 ? (int64_t)def->f : def->i;
}

double pir_op_float(const pir_op *op, size_t i) {
  double value;
  if (pir_attr_as_float(pir_op_attr_at(op, i), &value))
    return value;
  const pir_attr_def *def = &op->info->def->attrs[i];
  return def->f != 0 ? def->f : (double)def->i;
}

pir_str pir_op_text(const pir_op *op, size_t i) {
  const pir_attr *attr = pir_op_attr_at(op, i);
  if (attr)
    return pir_attr_as_str(attr);
  const char *text = op->info->def->attrs[i].text;
  return text ? pir_str_from(text) : (pir_str){"", 0};
}

size_t pir_op_ints(const pir_op *op, size_t i, int64_t *out_values, size_t capacity) {
  const pir_attr *attr = pir_op_attr_at(op, i);
  const pir_attr_def *def = &op->info->def->attrs[i];
  size_t n = attr ? pir_attr_elements(attr) : def->int_count;
  for (size_t k = 0; k < n && k < capacity; k++)
    if (!attr)
      out_values[k] = def->ints[k];
    else if (!pir_attr_int_at(attr, k, &out_values[k]))
      out_values[k] = 0;
  return n;
}
