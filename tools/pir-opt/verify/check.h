// --check-rules: checks rules on numbers.
#ifndef PIR_OPT_CHECK_H
#define PIR_OPT_CHECK_H

#include "../rules.h"

// Tries every rule of the files, or of the built-in passes if there are no files. Returns an
// exit code.
int check_rules(cli_run *cli, const rule_files *files, uint64_t seed);

#endif
