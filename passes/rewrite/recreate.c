// Making ops again with other operands and results, as passes over control flow do.
#include <rewriter_impl.h>

pir_op *pir_rewriter_recreate(pir_rewriter *rewriter, pir_op *op, const pir_op_spec *spec) {
  pir_op_spec full = *spec;
  full.def = pir_op_def(op);
  full.loc = pir_op_loc(op);
  full.region_count = pir_op_regions(op);
  pir_op *made = pir_rewriter_create(rewriter, op, &full);
  for (size_t i = 0; i < full.def->attr_count; i++)
    pir_op_set_attr_at(made, i, pir_op_attr_at(op, i));
  bool same = pir_op_results(made) == pir_op_results(op);
  for (size_t i = 0; i < pir_op_extra_attrs(op); i++) {
    pir_named_attr extra = pir_op_extra_attr(op, i);
    if (same || extra.name != rewriter->stop_gradient)
      pir_op_set_attr(made, extra.name, extra.value);
  }
  return made;
}

static void move_argument(pir_block *to, pir_value *argument) {
  pir_value *made = pir_block_add_argument(to, pir_value_type(argument));
  for (size_t i = 0; i < pir_block_argument_attrs(argument); i++) {
    pir_named_attr attr = pir_block_argument_attr(argument, i);
    pir_block_argument_set_attr(made, attr.name, attr.value);
  }
  pir_value_replace_uses(argument, made);
}

pir_block *pir_region_move_block(pir_region *to, pir_block *from, const bool *keep) {
  pir_block *made = pir_region_append_block(to);
  for (size_t i = 0; i < pir_block_arguments(from); i++)
    if (!keep || keep[i])
      move_argument(made, pir_block_argument(from, i));
  pir_block_splice(made, NULL, from);
  return made;
}
