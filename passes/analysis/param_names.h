// Erases parameters of a program. Several ops may name one parameter (Paddle writes every state
// of a random generator under one name), so its data is dropped with the last of them.
#ifndef PIR_PASSES_PARAM_NAMES_H
#define PIR_PASSES_PARAM_NAMES_H

#include <pir/compiler/pass.h>

#include <map.h>

// The number of ops that name each parameter. It is counted at the first question.
typedef struct param_names {
  pir_pass_run *run;
  pir_map counts;
  bool counted;
} param_names;

// Erases an op that reads a parameter, and the parameter's data if no other op names it.
void param_names_erase(param_names *names, pir_op *op);
void param_names_free(param_names *names);

#endif
