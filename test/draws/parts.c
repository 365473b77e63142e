// Noise in the parts of composed ops that read integers: what a part computes of shows when the
// program is expanded, where every element type is known.
#include "draws.h"
#include "noise.h"

// The element type of a tensor, or of the first one of a list; PIR_UNDEFINED: none.
static pir_dtype dtype_of(const pir_value *value) {
  const pir_type *type = value ? pir_value_type(value) : NULL;
  if (type && pir_type_kind_of(type) == PIR_TYPE_VECTOR)
    type = pir_type_elements(type) ? pir_type_element(type, 0) : NULL;
  return type && pir_type_is_tensor(type) ? pir_type_dtype(type) : PIR_UNDEFINED;
}

static bool reads_integers(const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  bool found = false;
  for (size_t k = 0; k < pir_op_operands(op); k++) {
    pir_dtype dtype = dtype_of(pir_op_operand(op, k));
    found |= dtype != PIR_UNDEFINED && draw_is_exact(dtype) && draw_computes_with(def, k) &&
             !draw_is_index(def, k);
  }
  return found;
}

// Whether every result is a float as wide as the program's.
static bool gives_floats(const pir_op *op) {
  bool all = true;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_dtype dtype = dtype_of(pir_op_result(op, i));
    all &= dtype == PIR_UNDEFINED || dtype == PIR_F64 || dtype == PIR_C128;
  }
  return all;
}

// The op with noise that fits its operands, or the op itself.
static const pir_opdef *noisy_def(const pir_op *op, const draw_noise *z, bool again) {
  const pir_opdef *def = pir_op_def(op);
  bool has_clause = def && def->clause && !def->hooks.expand && !pir_op_regions(op);
  if (!has_clause || !gives_floats(op))
    return def;
  if (reads_integers(op))
    return draw_noise_of(z, DRAW_OF_INTEGERS, def);
  return draw_noise_of(z, again ? DRAW_OF_FLOATS_AGAIN : DRAW_OF_FLOATS, def);
}

typedef struct walk {
  const draw_noise *noise;
  bool again;  // every other part has the second noise
  bool failed;
} walk;

static void replace(pir_op *op, const pir_opdef *def, walk *w) {
  pir_value *operands[DRAW_OPERANDS];
  pir_named_attr attrs[DRAW_ATTRS];
  const pir_type *types[DRAW_OUTPUTS];
  size_t reads = pir_op_operands(op), gives = pir_op_results(op), n = pir_op_attrs(op);
  w->failed |= reads > DRAW_OPERANDS || gives > DRAW_OUTPUTS || n > DRAW_ATTRS;
  if (w->failed)
    return;
  for (size_t k = 0; k < reads; k++)
    operands[k] = pir_op_operand(op, k);
  for (size_t i = 0; i < gives; i++)
    types[i] = pir_value_type(pir_op_result(op, i));
  pir_builder before = pir_builder_before(op);
  pir_op *made =
      pir_build(&before, &(pir_op_spec){.def = def,
                                        .operands = operands,
                                        .operand_count = reads,
                                        .result_types = types,
                                        .result_count = gives,
                                        .attrs = attrs,
                                        .attr_count = pir_op_attrs_sorted(op, attrs, n)});
  for (size_t i = 0; i < gives; i++)
    pir_value_replace_uses(pir_op_result(op, i), pir_op_result(made, i));
  pir_op_erase(op);
  w->again = !w->again;
}

static pir_walk_result visit(pir_op *op, void *user) {
  walk *w = user;
  const pir_opdef *def = noisy_def(op, w->noise, w->again);
  if (def != pir_op_def(op))
    replace(op, def, w);
  return PIR_WALK_CONTINUE;
}

bool draw_noise_parts(const draw_noise *z, pir_context *ctx, pir_program *program) {
  walk w = {z, false, false};
  bool expanded = draw_run_passes(ctx, program, "expand");
  if (expanded)
    pir_walk(pir_program_module(program), PIR_POST_ORDER, visit, &w);
  return expanded && !w.failed;
}
