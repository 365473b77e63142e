// Chains: two to five ops in single precision or in integers of one type, each reading the
// first result of the previous one. So fused code is compared with kernels that are called one
// by one.
#include "draws.h"

#include <string.h>

enum { CHOICES = 40, STEP_ATTEMPTS = 60, MAX_NUMEL = 4000 };

bool draw_chains(const pir_opdef *def) {
  if (def->result_count != 1 || def->results[0].flags || !def->operand_count ||
      !(def->clause || def->lower_count))
    return false;
  const pir_operand_def *x = &def->operands[0];
  bool tensor = !x->flags && (!x->dtypes || x->dtypes >> PIR_F32 & 1);
  return tensor && def->traits & PIR_PURE && !draw_is_index(def, 0);
}

// Gradients and ops of other dialects do not declare that they are of floats.
static bool takes(const pir_opdef *def, pir_dtype element) {
  if (element != PIR_F32 && (draw_is_of_floats(def) || strncmp(def->name, "pd_op.", 6)))
    return false;
  return !def->operands[0].dtypes || def->operands[0].dtypes >> element & 1;
}

// The type that the op of a draw gives; false when the next one cannot read it.
static bool result_of(const draw *d, bool is_last, draw_tensor *out) {
  char text[DRAW_TEXT];
  pir_program *program = draw_program(d, DRAW_AS_IS, text);
  pir_op *op = program ? pir_block_last(pir_program_block(program)) : NULL;
  while (op && pir_op_def(op) != d->def)
    op = pir_op_prev(op);
  bool taken = op && draw_take_type(out, pir_value_type(pir_op_result(op, 0)));
  pir_program_destroy(program);
  int64_t numel = 1;
  for (int32_t i = 0; taken && i < out->rank; i++)
    numel *= out->shape[i];
  bool fits = out->dtype == d->element || (is_last && out->dtype == PIR_BOOL);
  return taken && fits && out->rank < DRAW_RANK && numel <= MAX_NUMEL;
}

static bool runs(const draw *d) {
  draw_run run;
  bool does = !draw_start(d, DRAW_AS_IS, "kernels", NULL, &run) && !draw_feed(d, &run, 0, 0);
  draw_stop(&run);
  return does;
}

static bool draw_step(draw *steps, size_t i, bool is_last, draw *from,
                      const pir_opdef *const *ops, size_t count) {
  draw_tensor linked = {0};
  for (int k = 0; k < CHOICES; k++) {
    const pir_opdef *def = ops[draw_below(from, (uint32_t)count)];
    for (size_t n = 0; n < count && !takes(def, from->element); n++)
      def = ops[draw_below(from, (uint32_t)count)];
    draw_start_op(&steps[i], from->ctx, from->noise, def, draw_random(&from->random));
    steps[i].step = (int)i;
    steps[i].single = true;
    steps[i].element = from->element;
    steps[i].attempts = DRAW_ATTEMPTS - STEP_ATTEMPTS;
    if (i && !result_of(&steps[i - 1], false, &steps[i].linked))
      return false;
    if (i)
      steps[i].before = &steps[i - 1];
    if (draw_op(&steps[i]) && result_of(&steps[i], is_last, &linked) && runs(&steps[i]))
      return true;
  }
  return false;
}

draw *draw_chain(draw *steps, pir_context *ctx, draw_noise *noise, const pir_opdef *const *ops,
                 size_t count, uint64_t seed) {
  static const pir_dtype elements[] = {PIR_F32, PIR_F32, PIR_F32, PIR_F32, PIR_F32,
                                       PIR_I64, PIR_I64, PIR_I32, PIR_I8};
  draw from = {.ctx = ctx, .noise = noise, .random = seed * 0x9E3779B97F4A7C15u + 7};
  size_t length = 2 + draw_below(&from, DRAW_STEPS - 1), i = 0;
  from.element = elements[draw_below(&from, sizeof elements / sizeof *elements)];
  while (i < length && draw_step(steps, i, i + 1 == length, &from, ops, count))
    i++;
  if (i < 2)
    return NULL;
  draw *last = &steps[i - 1];
  uint32_t dynamic = draw_below(&from, 100) < 25 ? draw_below(&from, 1u << DRAW_RANK) : 0;
  char text[DRAW_TEXT];
  for (size_t k = 0; k < i; k++)
    steps[k].dynamic = dynamic;
  pir_program *program = draw_program(last, DRAW_AS_IS, text);
  for (size_t k = 0; k < i && !program; k++)
    steps[k].dynamic = 0;
  pir_program_destroy(program);
  return last;
}
