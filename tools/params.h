#ifndef PIR_TOOLS_PARAMS_H
#define PIR_TOOLS_PARAMS_H

#include <pir/params.h>
#include <pir/formats.h>

struct cli_run;

// Records the parameters that a program names, for comparison with a later state.
typedef struct named_params {
  pir_param_decl *items;
  size_t count;
} named_params;

// Returns an exit code. Free with params_free.
int params_list(const struct cli_run *cli, const pir_program *program,
                named_params *out_params);
void params_free(named_params *params);
// Warns about values that passes created since `before` and that no file will contain. Returns
// an exit code.
int params_warn_lost(const struct cli_run *cli, const pir_program *program, const char *file,
                     const named_params *before);

// Writes the parameters that belong beside a file of `format`: into the folder `path` when it
// is one or ends with '/', else into that one file. Returns an exit code.
int params_write(const struct cli_run *cli, const pir_program *program, pir_format format,
                 const char *path);

#endif
