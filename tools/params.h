#ifndef PIR_TOOLS_PARAMS_H
#define PIR_TOOLS_PARAMS_H

#include <pir/serialize.h>

struct cli;

// Writes the parameters that belong beside a file of `format`: into the folder `path` when it
// is one or ends with '/', else into that one file. Returns an exit code.
int params_write(const struct cli *cli, const pir_program *program, pir_format format,
                 const char *path);

#endif
