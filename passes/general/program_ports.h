// Inputs and outputs that passes add to a program.
#ifndef PIR_PROGRAM_PORTS_H
#define PIR_PROGRAM_PORTS_H

#include <pir/compiler/pass.h>

// Creates a pd_op.data in front of `at`, and returns its value of type `type`, a tensor.
pir_value *program_add_input(const pir_pass_run *run, pir_op *at, pir_str name,
                             const pir_type *type);
// Creates a builtin.shadow_output in front of `at`.
pir_op *program_add_output(const pir_pass_run *run, pir_op *at, pir_value *value, pir_str name);
// Does the same at the end of the program, in front of a terminator.
pir_op *program_append_output(const pir_pass_run *run, pir_value *value, pir_str name);

#endif
