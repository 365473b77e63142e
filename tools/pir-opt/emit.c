// The table of output forms: the formats of programs, graphs, and the forms of code.
#include "emit.h"

#include <pir/compiler/dot.h>
#include <string.h>

static const struct {
  const char *name;
  const char *ending;  // of files; NULL: of none
  emit_form form;
} forms[] = {
    {"dot", ".dot", {.dot = true}},
    {"loops", ".loops", {.code = PIR_CODE_LOOPS}},
    {"llvm", ".ll", {.code = PIR_CODE_LLVM}},
    {"asm", ".s", {.code = PIR_CODE_ASSEMBLY}},
    {"obj", ".o", {.code = PIR_CODE_OBJECT}},
    {"cuda", ".cu", {.code = PIR_CODE_DEVICE_SOURCE}},
    {"ptx", ".ptx", {.code = PIR_CODE_DEVICE_ASSEMBLY}},
    {"cubin", ".cubin", {.code = PIR_CODE_DEVICE_OBJECT}},
    {"resources", NULL, {.code = PIR_CODE_DEVICE_RESOURCES}},
};

// The form that the name of the output asks for: text, unless it has another one's ending.
static const char *name_by_output(const cli_run *cli) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (forms[i].ending && cli_output_ends(cli, forms[i].ending))
      return forms[i].name;
  return cli_format_by_output(cli);
}

int emit_find(const cli_run *cli, const char *name, emit_form *out_form) {
  if (!name)
    name = name_by_output(cli);
  *out_form = (emit_form){.def = pir_format_named(name)};
  if (out_form->def && out_form->def->write)
    return 0;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (strcmp(name, forms[i].name) != 0)
      continue;
    *out_form = forms[i].form;
    return 0;
  }
  return cli_bad_value(cli, "emit", name, EMIT_FORMS);
}

bool emit_is_code(const emit_form *form) {
  return !form->def && !form->dot;
}

const char *emit_target(const emit_form *form, const char *given) {
  bool of_device = emit_is_code(form) && form->code >= PIR_CODE_DEVICE_SOURCE;
  if (given)
    return given;
  return of_device ? "cuda" : "native";
}

static int target_of(const cli_run *cli, pir_code_form form, const emit_options *how,
                     pir_target *out_target) {
  const char *name = emit_target(&(emit_form){.code = form}, how->target);
  return pir_target_describe(name, out_target)
             ? cli_bad_value(cli, "target", name, pir_target_names())
             : 0;
}

static int emit_code(const cli_run *cli, pir_code_form form, const emit_options *how,
                     const pir_program *program, pir_writer out) {
  pir_target target;
  pir_math math;
  int code = target_of(cli, form, how, &target);
  if (code)
    return code;
  if (pir_math_named(how->math ? how->math : "strict", &math))
    return cli_bad_value(cli, "math", how->math, pir_math_names());
  return cli_exit_code(pir_codegen_write(program, &target, math, form, how->verify, out));
}

int emit_program(const cli_run *cli, const emit_form *form, const emit_options *how,
                 const pir_program *program, pir_writer out) {
  pir_write_options options = {.size = sizeof options, .strip_debug = how->strip_debug};
  if (form->dot)
    return cli_exit_code(pir_program_print_dot(program, NULL, out));
  if (form->def)
    return cli_exit_code(form->def->write(form->def, program, &options, out));
  return emit_code(cli, form->code, how, program, out);
}

int emit_loops(const cli_run *cli, pir_context *ctx, const emit_form *form,
               const emit_options *how, const pir_loops_source *loops, pir_writer out) {
  pir_target target;
  if (!emit_is_code(form))
    return cli_fail(cli, CLI_USAGE, "loop IR is written as code: --emit=loops, llvm, asm, ..");
  int code = target_of(cli, form->code, how, &target);
  return code ? code : cli_exit_code(pir_loops_write(ctx, loops, &target, form->code, out));
}
