// The table of output forms.
#include "emit.h"

#include <pir/dot.h>
#include <pir/legacy.h>
#include <string.h>

typedef enum emit_kind { EMIT_TEXT, EMIT_JSON, EMIT_PDMODEL, EMIT_DOT, EMIT_CODE } emit_kind;

struct emit_form {
  const char *name;
  emit_kind kind;
  pir_text_form text;
  pir_code_form code;
};

static const emit_form forms[] = {
    {"text", EMIT_TEXT, PIR_TEXT_T3, 0},
    {"t2", EMIT_TEXT, PIR_TEXT_T2, 0},
    {"typed", EMIT_TEXT, PIR_TEXT_TYPED, 0},
    {"json", EMIT_JSON, PIR_TEXT_T3, 0},
    {"pdmodel", EMIT_PDMODEL, PIR_TEXT_T3, 0},
    {"dot", EMIT_DOT, PIR_TEXT_T3, 0},
    {"loops", EMIT_CODE, PIR_TEXT_T3, PIR_CODE_LOOPS},
    {"llvm", EMIT_CODE, PIR_TEXT_T3, PIR_CODE_LLVM},
    {"asm", EMIT_CODE, PIR_TEXT_T3, PIR_CODE_ASSEMBLY},
    {"obj", EMIT_CODE, PIR_TEXT_T3, PIR_CODE_OBJECT},
    {"cuda", EMIT_CODE, PIR_TEXT_T3, PIR_CODE_DEVICE_SOURCE},
    {"ptx", EMIT_CODE, PIR_TEXT_T3, PIR_CODE_DEVICE_ASSEMBLY},
    {"resources", EMIT_CODE, PIR_TEXT_T3, PIR_CODE_DEVICE_RESOURCES},
};

int emit_find(const cli_run *cli, const char *name, const emit_form **out_form) {
  *out_form = &forms[0];
  if (!name)
    return 0;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (strcmp(name, forms[i].name) != 0)
      continue;
    *out_form = &forms[i];
    return 0;
  }
  return cli_bad_value(cli, "emit", name, EMIT_FORMS);
}

bool emit_is_text(const emit_form *form) {
  return form->kind == EMIT_TEXT;
}
bool emit_is_json(const emit_form *form) {
  return form->kind == EMIT_JSON;
}
bool emit_is_code(const emit_form *form) {
  return form->kind == EMIT_CODE;
}

pir_format emit_format(const emit_form *form) {
  switch (form->kind) {
    case EMIT_TEXT: return PIR_FORMAT_TEXT;
    case EMIT_JSON: return PIR_FORMAT_JSON;
    case EMIT_PDMODEL: return PIR_FORMAT_PDMODEL;
    default: return PIR_FORMAT_UNKNOWN;
  }
}

pir_text_form emit_text_form(const emit_form *form) {
  return form->text;
}

static int target_of(const cli_run *cli, pir_code_form form, const emit_options *how,
                     pir_target *out_target) {
  const char *name = form >= PIR_CODE_DEVICE_SOURCE ? "cuda" : "native";
  if (how->target)
    name = how->target;
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
  pir_print_options print = {.form = form->text, .strip_debug = how->strip_debug};
  switch (form->kind) {
    case EMIT_JSON: return cli_exit_code(pir_program_write_json(program, NULL, out));
    case EMIT_PDMODEL: return cli_exit_code(pir_program_write_pdmodel(program, out));
    case EMIT_DOT: return cli_exit_code(pir_program_print_dot(program, NULL, out));
    case EMIT_CODE: return emit_code(cli, form->code, how, program, out);
    default: return cli_exit_code(pir_program_print(program, &print, out));
  }
}

int emit_loops(const cli_run *cli, pir_context *ctx, const emit_form *form,
               const emit_options *how, const pir_loops_source *loops, pir_writer out) {
  pir_target target;
  if (form->kind != EMIT_CODE)
    return cli_fail(cli, CLI_USAGE, "loop IR is written as code: --emit=loops, llvm, asm, ..");
  int code = target_of(cli, form->code, how, &target);
  return code ? code : cli_exit_code(pir_loops_write(ctx, loops, &target, form->code, out));
}
