// Makes outputs of the values that the options name: numbers as the program's text prints them,
// and names of inputs, parameters and variables. Each becomes a builtin.shadow_output at the
// end of the program, before passes change it.
#include "model_impl.h"

#include <pir/layer/named_values.h>

static pir_status show_value(pir_program *program, const char *text) {
  pir_context *ctx = pir_program_context(program);
  pir_str name = pir_str_from(text);
  pir_value *value = NULL;
  bool is_output;
  pir_status status = pir_find_named_value(program, name, &value, &is_output);
  if (is_output)
    return PIR_OK;
  if (status == PIR_NOT_FOUND)
    return pir_report(ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "the program has no value \"%s\" to show%s", text,
                      pir_named_value_hint(program, name).text);
  PIR_TRY(status);
  const pir_op *op = pir_value_op(value);
  if (!op || pir_value_block(value) != pir_program_block(program))
    return pir_report(ctx, PIR_UNSUPPORTED, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "unsupported: to show \"%s\", a value inside of a region", text);
  if (!pir_value_type(value) || !pir_type_is_tensor(pir_value_type(value)))
    return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                         "unsupported: to show \"%s\", a value that is not one tensor", text);
  pir_append_output(program, name, value);
  return PIR_OK;
}

pir_status pir_model_show(pir_program *program, const pir_model_options *options) {
  for (size_t i = 0; i < options->show_count; i++) {
    if (!options->show || !options->show[i])
      return pir_report(pir_program_context(program), PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                        "name %zu of the values to show is NULL", i);
    PIR_TRY(show_value(program, options->show[i]));
  }
  return PIR_OK;
}
