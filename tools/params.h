#ifndef PIR_TOOLS_PARAMS_H
#define PIR_TOOLS_PARAMS_H

#include <pir/compiler/params.h>
#include <pir/compiler/formats.h>

#include "cli.h"

// Records the parameters that a program names, for comparison with a later state.
typedef struct named_params {
  pir_param_decl *items;
  size_t count;
} named_params;

// Returns an exit code. Free with params_free.
int params_list(const cli_run *cli, const pir_program *program, named_params *out_params);
void params_free(named_params *params);
// Warns about values that passes created since `before` and that no file will contain. Returns
// an exit code.
int params_warn_lost(const cli_run *cli, const pir_program *program, const char *file,
                     const named_params *before);

// Writes the parameters that belong beside a file of `format`: into the folder `path` when it
// is one or ends with '/', else into that one file. `program_output` already holds the program;
// it is flushed first, so that parameters are replaced only when the program can be, too.
// Returns an exit code.
int params_write_beside(const cli_run *cli, const pir_program *program, pir_format format,
                        const char *path, cli_output *program_output);

#endif
