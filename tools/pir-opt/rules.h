// --rules: reads rewrite rules at run time.
#ifndef PIR_OPT_RULES_H
#define PIR_OPT_RULES_H

#include <pir/compiler/rules.h>

#include "../cli.h"

typedef struct rule_files {
  pir_rules **items;
  size_t count;
} rule_files;

// Loads every file given by option `id`, with imports from the same folder. Returns an exit
// code, or 0.
int rule_files_load(cli_run *cli, int id, pir_context *ctx, rule_files *out_files);
void rule_files_destroy(rule_files *files);

#endif
