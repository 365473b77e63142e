// --emit: the forms in which a program, or the code of its groups, is written.
#ifndef PIR_OPT_EMIT_H
#define PIR_OPT_EMIT_H

#include <pir/layer/codegen.h>
#include <pir/layer/loops.h>
#include <pir/compiler/program.h>
#include <pir/compiler/formats.h>
#include <pir/compiler/text.h>

#include "../cli.h"

#define EMIT_FORMS                                                                             \
  PIR_FORMATS_WRITTEN ", dot, loops, llvm, asm, obj, cuda, ptx, cubin or resources"

// A form: a format of programs, a graph, or code of groups, which a pipeline has to make.
typedef struct emit_form {
  const pir_format_def *def;  // of programs, else NULL
  bool dot;
  pir_code_form code;  // unless it is one of the others
} emit_form;

// Finds the form `name` (NULL: by the ending of the output, else text). Returns an exit code.
int emit_find(const cli_run *cli, const char *name, emit_form *out_form);
bool emit_is_code(const emit_form *form);
// Returns the name of the target that --target gives (NULL: none), or else that the form means.
const char *emit_target(const emit_form *form, const char *given);

typedef struct emit_options {
  const char *target;  // target of code; NULL: this processor
  const char *math;    // math mode of code; NULL: strict
  bool strip_debug;
  bool verify;  // for code: verify the loops after every rewrite
} emit_options;

// Writes the program. Returns an exit code.
int emit_program(const cli_run *cli, const emit_form *form, const emit_options *how,
                 const pir_program *program, pir_writer out);

// Writes loop IR that is read from text. Returns an exit code.
int emit_loops(const cli_run *cli, pir_context *ctx, const emit_form *form,
               const emit_options *how, const pir_loops_source *loops, pir_writer out);

#endif
