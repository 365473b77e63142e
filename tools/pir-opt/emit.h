// --emit: the forms in which a program, or the code of its groups, is written.
#ifndef PIR_OPT_EMIT_H
#define PIR_OPT_EMIT_H

#include <pir/loops.h>
#include <pir/program.h>
#include <pir/serialize.h>
#include <pir/text.h>

#include "../cli.h"

#define EMIT_FORMS                                                                             \
  "text, t2, typed, json, pdmodel, dot, loops, llvm, asm, obj, cuda, ptx or resources"

typedef struct emit_form emit_form;

// Finds the form `name` (NULL: text). Returns an exit code; *out_form is set in any case.
int emit_find(const cli_run *cli, const char *name, const emit_form **out_form);
bool emit_is_text(const emit_form *form);
bool emit_is_json(const emit_form *form);
bool emit_is_code(const emit_form *form);  // code of groups, which a pipeline has to make
// Returns the format of a program in this form; UNKNOWN if it cannot be read back.
pir_format emit_format(const emit_form *form);
// Returns the text form: T3 unless the form is another text form.
pir_text_form emit_text_form(const emit_form *form);

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
