// Collective ops before Paddle 3.0, whose translator does not know them any more: the way to
// combine was in the name. Ops that only set up communication, or wait for streams, go: the
// communicators are there before a program runs, and each op is done before the next begins.
#include <string.h>

#include "special.h"

// By Paddle's numbers of ways to combine; NONE where the op has no such attribute.
enum { SUM, MAX, MIN, PRODUCT, AVERAGE, NONE };

static const struct later_form {
  const char *type, *op;
  int reduce_type;
} later_forms[] = {
    {"alltoall", "pd_op.all_to_all", NONE},
    {"c_allgather", "pd_op.all_gather", NONE},
    {"c_allreduce_avg", "pd_op.all_reduce", AVERAGE},
    {"c_allreduce_max", "pd_op.all_reduce", MAX},
    {"c_allreduce_min", "pd_op.all_reduce", MIN},
    {"c_allreduce_prod", "pd_op.all_reduce", PRODUCT},
    {"c_allreduce_sum", "pd_op.all_reduce", SUM},
    {"c_broadcast", "pd_op.broadcast", NONE},
    {"c_reduce_avg", "pd_op.reduce", AVERAGE},
    {"c_reduce_max", "pd_op.reduce", MAX},
    {"c_reduce_min", "pd_op.reduce", MIN},
    {"c_reduce_prod", "pd_op.reduce", PRODUCT},
    {"c_reduce_sum", "pd_op.reduce", SUM},
    {"c_reducescatter", "pd_op.reduce_scatter", NONE},
};

static const struct later_form *later_form_of(const char *type) {
  for (size_t i = 0; i < sizeof later_forms / sizeof *later_forms; i++)
    if (!strcmp(later_forms[i].type, type))
      return &later_forms[i];
  return NULL;
}

// The in-place twin, where a variable is both operand and result and there is one.
static const char *twin_of(translator *t, const op_desc *op, const char *name, char room[40]) {
  pir_text_format(room, 40, "%s_", name);
  bool registered = pir_context_opdef(t->ctx, pir_str_from(room))->traits & PIR_REGISTERED;
  return registered && is_inplace(t, op) ? room : name;
}

pir_status translate_collective(translator *t, const op_desc *op) {
  const struct later_form *form = later_form_of(op->type);
  draft d;
  char room[40];
  PIR_TRY(draft_start_as(&d, t, op, twin_of(t, op, form->op, room)));
  d.operands[0] = input_value(t, op, "X");
  if (!d.operands[0])
    return PIR_INVALID;
  PIR_TRY(draft_types(&d));
  for (size_t i = 0; i < d.def->attr_count; i++) {
    const char *name = d.def->attrs[i].name;
    int64_t value = op_int(op, name, strcmp(name, "nranks") ? 0 : 1);
    if (!strcmp(name, "reduce_type"))
      value = form->reduce_type;
    draft_set(&d, name, pir_attr_int(t->ctx, PIR_ATTR_I32, value));
  }
  draft_create(&d);
  return PIR_OK;
}

pir_status translate_setup(translator *t, const op_desc *op) {
  return PIR_OK;
}

// X and Out have equally many variables.
pir_status translate_stream_wait(translator *t, const op_desc *op) {
  const slot_desc *from = fed_input(op, "X"), *to = NULL;
  for (size_t i = 0; i < op->n_outputs; i++)
    if (!strcmp(op->outputs[i]->parameter, "Out"))
      to = op->outputs[i];
  for (size_t i = 0; from && to && i < from->n_arguments && i < to->n_arguments; i++) {
    pir_value *value = read_var(t, from->arguments[i]);
    if (!value)
      return PIR_INVALID;
    bind(t, to->arguments[i], value, -1);
  }
  return PIR_OK;
}
