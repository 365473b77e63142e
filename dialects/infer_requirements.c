// What an op requires of its operands and attributes (`require` in `.ops`). A condition that is known to be false is an
// error, which shows the condition as it is declared and what stands for the names in it. O(nodes of the conditions).
#include "infer_impl.h"

typedef struct named {
  uint64_t operands, attrs;  // bits
} named;

static void find_names(const pir_clause *c, int16_t at, named *out) {
  if (at < 0) return;
  const pir_node *n = &c->nodes[at];
  switch (n->op) {
    case PIR_I_ATTR:
    case PIR_I_ATTR_AT:
    case PIR_I_ATTR_COUNT:
    case PIR_I_ATTR_DTYPE:
    case PIR_I_ATTR_IS:
    case PIR_V_ATTR: out->attrs |= (uint64_t)1 << (n->k & 63); break;
    case PIR_I_DIM:
    case PIR_I_RANK:
    case PIR_I_NUMEL:
    case PIR_I_MEMBERS:
    case PIR_I_PRESENT:
    case PIR_I_DTYPE:
    case PIR_I_OPERAND_AT:
    case PIR_I_OPERAND_COUNT: out->operands |= (uint64_t)1 << (n->k & 63); break;
    default: break;
  }
  find_names(c, n->a, out), find_names(c, n->b, out), find_names(c, n->c, out);
}

static size_t put_operand(const pir_infer *infer, size_t k, char *out, size_t capacity) {
  const pir_fact *fact = infer->operands[k];
  const char *name = infer->def->operands[k].name;
  if (!fact || !fact->known) return pir_text_format(out, capacity, " no %s,", name);
  if (fact->members) return pir_text_format(out, capacity, " %zu of %s,", fact->member_count, name);
  size_t used = pir_text_format(out, capacity, " %s [", name);
  for (int32_t i = 0; i < fact->rank && used + 32 < capacity; i++) {
    int64_t extent;
    bool is_const = pir_dim_is_const(infer->dims, fact->shape[i], &extent);
    used += pir_text_format(out + used, capacity - used, is_const ? "%s%lld" : "%s?", i ? "," : "", (long long)extent);
  }
  return used + pir_text_format(out + used, capacity - used, "],");
}

static size_t put_attr(const pir_infer *infer, size_t k, char *out, size_t capacity) {
  const pir_attr_value *attr = &infer->attrs[k];
  const char *name = infer->def->attrs[k].name;
  size_t used = pir_text_format(out, capacity, " %s ", name);
  if (attr->kind == PIR_VALUE_INT) used += pir_text_format(out + used, capacity - used, "%lld", (long long)attr->i);
  if (attr->kind == PIR_VALUE_FLOAT) used += pir_text_format(out + used, capacity - used, "%g", attr->f);
  if (attr->kind == PIR_VALUE_TEXT)
    used += pir_text_format(out + used, capacity - used, "\"%.*s\"", (int)(attr->text.size < 40 ? attr->text.size : 40),
                            attr->text.data);
  if (attr->kind == PIR_VALUE_DTYPE)
    used += pir_text_format(out + used, capacity - used, "%s", pir_dtype_name((pir_dtype)attr->i));
  if (attr->kind == PIR_VALUE_INTS)
    for (size_t i = 0; i < attr->count && used + 32 < capacity; i++)
      used += pir_text_format(out + used, capacity - used, "%s%lld", i ? "," : "", (long long)attr->ints[i]);
  return used + pir_text_format(out + used, capacity - used, ",");
}

static pir_status fail(pir_infer *infer, const pir_clause *c) {
  char found[160] = "";
  size_t used = 0;
  named names = {0};
  find_names(c, c->guard, &names);
  for (size_t k = 0; k < infer->operand_count && k < 64 && used + 48 < sizeof found; k++)
    if (names.operands >> k & 1) used += put_operand(infer, k, found + used, sizeof found - used);
  for (size_t k = 0; k < infer->def->attr_count && k < 64 && used + 48 < sizeof found; k++)
    if (names.attrs >> k & 1) used += put_attr(infer, k, found + used, sizeof found - used);
  if (used) found[used - 1] = 0;
  return pir_infer_fail(infer, "expects %s, found%s", c->text[c->trap_text], found);
}

pir_status infer_requirements(pir_infer *infer) {
  for (const pir_clause *c = infer->def->require; c; c = c->next) {
    symbolic s = {.infer = infer, .nodes = c->nodes, .pool = c->pool, .text = c->text};
    int64_t holds;
    if (pir_dim_is_const(infer->dims, symbolic_index(&s, c->guard), &holds) && !holds) return fail(infer, c);
  }
  return PIR_OK;
}
