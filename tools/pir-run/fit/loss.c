// The loss of a program: the value that --loss names, or the only output of one number.
#include "fit.h"

#include <pir/compiler/op.h>
#include <pir/compiler/type.h>
#include <pir/layer/named_values.h>
#include <string.h>

static bool is_one_number(const pir_value *value) {
  const pir_type *type = pir_value_type(value);
  if (!type || !pir_type_is_tensor(type))
    return false;
  pir_shape shape = pir_type_shape(type);
  pir_dtype dtype = pir_type_dtype(type);
  bool one = dtype == PIR_F32 || dtype == PIR_F64 || dtype == PIR_F16 || dtype == PIR_BF16;
  for (size_t i = 0; i < shape.rank; i++)
    one &= shape.dims[i] == 1;
  return one;
}

static pir_status refuse_loss(const pir_program *program, const char *what) {
  return pir_report(pir_program_context(program), PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                    "--fit: %s", what);
}

static pir_status only_number(const pir_program *program, pir_value **out) {
  size_t found = 0;
  PIR_EACH_OP(op, pir_program_block(program))
  if (pir_op_has(op, PIR_OUTPUT) && is_one_number(pir_op_operand(op, 0))) {
    found += !found || *out != pir_op_operand(op, 0);
    *out = pir_op_operand(op, 0);
  }
  if (found == 1)
    return PIR_OK;
  return refuse_loss(program,
                     found ? "several outputs are one number: --loss=NAME tells the loss"
                           : "no output is one number: --loss=NAME tells the loss, as %12 "
                             "or a name");
}

static pir_status named_loss(const pir_program *program, const char *name, pir_value **out) {
  pir_context *ctx = pir_program_context(program);
  pir_status status = pir_find_named_value(program, pir_str_from(name), out, NULL);
  if (status == PIR_NOT_FOUND)
    return pir_report(ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "--loss: the program has no value \"%s\"%s", name,
                      pir_named_value_hint(program, pir_str_from(name)).text);
  PIR_TRY(status);
  const pir_op *op = pir_value_op(*out);
  if (op && is_one_number(*out) && pir_value_block(*out) == pir_program_block(program))
    return PIR_OK;
  if (!op)
    return refuse_loss(program, "--loss names a value inside of a region");
  return pir_report_op(op, PIR_INVALID, PIR_ERROR,
                       "--loss=%s is not one number of a floating-point type; a mean is", name);
}

pir_status fit_find_loss(run *r, pir_program *program, const char **out_name) {
  const char *name = cli_value(r->cli, OPT_LOSS, NULL);
  pir_value *loss = NULL, *taken;
  *out_name = "loss";
  PIR_TRY(name ? named_loss(program, name, &loss) : only_number(program, &loss));
  if (pir_find_named_value(program, PIR_STR("loss"), &taken, NULL) != PIR_NOT_FOUND)
    *out_name = "loss of --fit";
  pir_append_output(program, pir_str_from(*out_name), loss);
  return PIR_OK;
}
