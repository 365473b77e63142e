// Values by the names of ports. An output's name goes before an input's.
#include <pir/layer/named_values.h>

#include <pir/compiler/build.h>
#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/infer.h>
#include <pir/layer/value_names.h>

static bool has_text(const pir_op *op, const char *attr, pir_str text) {
  const pir_attr *found = pir_op_attr_str(op, attr);
  return found && pir_str_equal(pir_attr_as_str(found), text);
}

pir_status pir_find_named_value(const pir_program *program, pir_str name, pir_value **out_value,
                                bool *out_is_output) {
  pir_value *value = NULL;
  bool is_output = false;
  for (const pir_op *op = pir_block_first(pir_program_block(program)); op && !is_output;
       op = pir_op_next(op)) {
    uint32_t traits = pir_op_meaning(op)->traits;
    is_output = traits & PIR_OUTPUT &&
                (has_text(op, "name", name) || has_text(op, "output_name", name));
    if (is_output)
      value = pir_op_operand(op, 0);
    else if ((traits & PIR_INPUT && has_text(op, "name", name)) ||
             (traits & PIR_PARAMETER && has_text(op, "parameter_name", name)))
      value = pir_op_result(op, 0);
  }
  *out_value = value;
  if (out_is_output)
    *out_is_output = is_output;
  return value ? PIR_OK : pir_program_find_value(program, name, out_value);
}

void pir_each_port_name(const pir_program *program,
                        void (*visit)(void *user, const pir_op *op, pir_str name), void *user) {
  static const char *const attrs[] = {"name", "output_name", "parameter_name"};
  for (const pir_op *op = pir_block_first(pir_program_block(program)); op; op = pir_op_next(op))
    for (size_t i = 0; i < sizeof attrs / sizeof *attrs; i++) {
      bool port = pir_op_meaning(op)->traits & (PIR_OUTPUT | PIR_INPUT | PIR_PARAMETER);
      const pir_attr *found = port ? pir_op_attr_str(op, attrs[i]) : NULL;
      if (found)
        visit(user, op, pir_attr_as_str(found));
    }
}

static void try_name(void *near, const pir_op *op, pir_str name) {
  (void)op;
  pir_nearest_try(near, name.data);
}

pir_hint pir_named_value_hint(const pir_program *program, pir_str name) {
  pir_nearest near = pir_nearest_begin(name);
  pir_each_port_name(program, try_name, &near);
  if (near.best)
    return pir_nearest_hint(&near);
  return (pir_hint){"; names are those of the file, or numbers as pir-opt prints them: %12"};
}

pir_op *pir_append_output(pir_program *program, pir_str name, pir_value *value) {
  pir_context *ctx = pir_program_context(program);
  pir_named_attr attr = {pir_name_get(ctx, PIR_STR("output_name")),
                         pir_attr_str(ctx, PIR_ATTR_STR, name)};
  pir_op_spec spec = {.def = pir_context_op(ctx, BUILTIN_SHADOW_OUTPUT),
                      .loc = pir_op_loc(pir_value_op(value)),
                      .operands = &value,
                      .operand_count = 1,
                      .attrs = &attr,
                      .attr_count = 1};
  pir_op *output = pir_op_create(ctx, &spec);
  pir_block_append(pir_program_block(program), output);
  return output;
}
