// Variables of training programs.
#include <pir/layer/training.h>

#include <effects.h>
#include <string.h>

// Variables that begin with the factor of a decaying mean, whose powers they hold.
static const char *const factors[][2] = {{"beta1_pow", "beta1"}, {"beta2_pow", "beta2"}};

// Reads a number that an op is given as an operand, or as an attribute.
static bool given_number(const pir_op *op, const char *name, double *out) {
  const pir_opdef *def = pir_op_def(op);
  const pir_attr *attr = pir_op_attr_str(op, name);
  for (size_t i = 0; i < def->operand_count; i++) {
    if (strcmp(def->operands[i].name, name))
      continue;
    const pir_value *value = pir_op_optional(op, i);
    const pir_op *source = value ? pir_value_op(value) : NULL;
    if (source && pir_op_has(source, PIR_CONSTANT))
      attr = pir_op_attr_str(source, "value");
  }
  return attr && pir_attr_as_float(attr, out);
}

// The first scale of paddle.amp.GradScaler.
static const double first_scale = 65536;

double pir_variable_begin(const pir_value *variable) {
  double begin = 0;
  PIR_EACH_USE(use, variable) {
    const pir_op *op = pir_use_owner(use);
    const pir_opdef *def = pir_op_def(op);
    size_t at = pir_use_operand_index(use);
    if (at >= def->operand_count)
      continue;
    if (!strcmp(def->operands[at].name, "prev_loss_scaling"))
      return first_scale;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
      if (!strcmp(def->operands[at].name, factors[i][0]) &&
          given_number(op, factors[i][1], &begin))
        return begin;
  }
  return begin;
}

static bool is_trained_param(const pir_op *op) {
  const pir_attr *trains = pir_op_attr_str(op, "trainable");
  const pir_attr *stops = pir_op_attr_str(op, "stop_gradient");
  int64_t trainable = 1, stopped = 0;
  if (trains)
    (void)pir_attr_int_at(trains, 0, &trainable);
  if (stops)
    (void)pir_attr_int_at(stops, 0, &stopped);
  return pir_op_has(op, PIR_PARAMETER) && trainable && !stopped;
}

bool pir_program_takes_steps(const pir_program *program) {
  PIR_EACH_OP(op, pir_program_block(program))
  if (is_trained_param(op) && pir_value_is_overwritten(pir_op_result(op, 0)))
    return true;
  return false;
}
