// Ops that were declared before a text, as the checks of steps see them: the model that the
// front end makes of declarations, made of their tables.
#include "dialect_tables.h"
#include "user_ops_impl.h"

#include <pir/layer/user_ops.h>

#include <string.h>

static const pir_opdef *find_among(const pir_dialect *table, const char *name) {
  size_t prefix = strlen(table->name);
  if (strncmp(name, table->name, prefix) || name[prefix] != '.')
    return NULL;
  for (size_t i = 0; i < table->op_count; i++)
    if (!strcmp(table->ops[i].name, name))
      return &table->ops[i];
  return NULL;
}

const pir_opdef *user_known_def(ops_reading *in, const char *name) {
  const pir_user_ops_text *text = in->user;
  const pir_opdef *found = NULL;
#define PIR_FIND(table)                                                                        \
  if (!found)                                                                                  \
    found = find_among(&pir_##table##_dialect, name);
  PIR_EACH_DIALECT(PIR_FIND)
#undef PIR_FIND
  return found || !text->find ? found : text->find(text->owner, name);
}

// Only whether there is a literal counts.
static expr *stated(ops_reading *in, bool is_stated) {
  return is_stated ? ops_take(in, sizeof(expr)) : NULL;
}

static operand *operands_of(ops_reading *in, const pir_opdef *def) {
  operand *to = ops_take(in, def->operand_count * sizeof *to);
  for (size_t i = 0; i < def->operand_count; i++) {
    const pir_operand_def *x = &def->operands[i];
    to[i] = (operand){.name = x->name,
                      .flags = x->flags,
                      .dtypes = x->dtypes,
                      .same_as = x->same_as,
                      .literal = stated(in, x->literal && !x->literal->required)};
  }
  return to;
}

static attr *attrs_of(ops_reading *in, const pir_opdef *def) {
  attr *to = ops_take(in, def->attr_count * sizeof *to);
  for (size_t i = 0; i < def->attr_count; i++) {
    const pir_attr_def *a = &def->attrs[i];
    to[i] = (attr){.name = a->name,
                   .kind = a->kind,
                   .element_kind = a->element_kind,
                   .literal = stated(in, !a->required)};
  }
  return to;
}

static result *results_of(ops_reading *in, const pir_opdef *def) {
  result *to = ops_take(in, def->result_count * sizeof *to);
  for (size_t i = 0; i < def->result_count; i++) {
    const pir_result_def *r = &def->results[i];
    to[i] = (result){.name = r->name,
                     .flags = r->flags,
                     .dtypes = r->dtypes,
                     .dtype = r->dtype,
                     .same_as = r->same_as,
                     .from_attr = r->from_attr,
                     .from = r->from_attr >= 0 ? r->name : NULL};
  }
  return to;
}

const op *user_known_op(ops_reading *in, const char *name) {
  const pir_opdef *def = user_known_def(in, name);
  if (!def)
    return NULL;
  op *to = ops_take(in, sizeof *to);
  *to = (op){.name = def->name,
             .traits = def->traits,
             .effect = !(def->traits & PIR_PURE),
             .regions = def->region_count,
             .operands = operands_of(in, def),
             .operand_count = def->operand_count,
             .attrs = attrs_of(in, def),
             .attr_count = def->attr_count,
             .results = results_of(in, def),
             .result_count = def->result_count};
  return to;
}
