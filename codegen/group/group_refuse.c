// Marks groups that a later stage must refuse, as the options `refuse`, `every` and `at` ask.
// A test compiles with these options. It proves that a refused group is called and gives the
// numbers that the compiled group gives.
#include "group.h"

#include <pir/compiler/dialect/cinn.h>

pir_status group_read_refusal(grouping *g) {
  static const char *const stages[] = {"", "choose", "lower", "emit", "plan"};
  bool known = false;
  g->refuse = pir_run_option(g->run, "refuse");
  for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
    known |= pir_str_equal(g->refuse, pir_str_from(stages[i]));
  if (!known)
    return pir_run_bad_option(g->run, "refuse", "choose, lower, emit or plan");
  g->every = pir_run_option_int(g->run, "every", 1);
  g->refuse_at = pir_run_option_int(g->run, "at", 1);
  if (g->every <= 0)
    return pir_run_bad_option(g->run, "every", "a number above 0");
  return g->refuse_at > 0 ? PIR_OK : pir_run_bad_option(g->run, "at", "a number above 0");
}

static bool refuses_choice(const grouping *g) {
  return pir_str_equal(g->refuse, PIR_STR("choose"));
}

static void count_refused(grouping *g, pir_op *group) {
  if (++g->numbered % g->every)
    return;
  pir_op_set_attr(group, pir_name_get(g->ctx, PIR_STR("refused_by")),
                  pir_attr_str(g->ctx, PIR_ATTR_STR, g->refuse));
  pir_op_set_attr(group, pir_name_get(g->ctx, PIR_STR("refused_at")),
                  pir_attr_int(g->ctx, PIR_ATTR_I64, g->refuse_at));
}

void group_refuse_choice(grouping *g, pir_op *group) {
  if (refuses_choice(g))
    count_refused(g, group);
}

void group_refuse_made(grouping *g) {
  if (!g->refuse.size || refuses_choice(g))
    return;
  for (pir_op *op = pir_block_first(g->block); op; op = pir_op_next(op))
    if (pir_op_is(op, CINN_GROUP))
      count_refused(g, op);
}
