// Values by a name that people use: of a port, or of a value.
#ifndef PIR_NAMED_VALUES_H
#define PIR_NAMED_VALUES_H

#include <pir/compiler/program.h>
#include <pir/layer/nearest.h>

PIR_BEGIN

// Finds a value by the name of an output (its operand), an input or a parameter, or else as
// pir_program_find_value does. *out_is_output (NULL: not asked) tells an output's name.
// PIR_NOT_FOUND, not reported: there is none.
PIR_API PIR_NODISCARD pir_status pir_find_named_value(const pir_program *program, pir_str name,
                                                      pir_value **out_value,
                                                      bool *out_is_output);
// Returns the hint for a name that no value has: the most similar name of an output, an input
// or a parameter; else how values are named.
PIR_API pir_hint pir_named_value_hint(const pir_program *program, pir_str name);
// Calls `visit` with each name of an output, an input or a parameter, and its op.
PIR_API void pir_each_port_name(const pir_program *program,
                                void (*visit)(void *user, const pir_op *op, pir_str name),
                                void *user);
// Makes the value, of an op, an output of that name at the end of the program.
PIR_API pir_op *pir_append_output(pir_program *program, pir_str name, pir_value *value);

PIR_END
#endif
