// Values by name: by the number that the text form prints, or by the name of the variable in
// the file that a reader translated.
#ifndef PIR_VALUE_NAMES_H
#define PIR_VALUE_NAMES_H

#include <pir/compiler/context.h>
#include <pir/compiler/program.h>

PIR_BEGIN

// Notes the name that a value had in its file; a later value of the name replaces it. Names
// hold until the program is changed, and a clone has none.
PIR_API void pir_program_name_value(pir_program *program, pir_name *name, pir_value *value);
// Finds the value of a name: "%12" as pir_program_print prints it, or a name that was noted.
// PIR_NOT_FOUND, not reported: there is none. Cost of a number: the cost of printing.
PIR_API PIR_NODISCARD pir_status pir_program_find_value(const pir_program *program,
                                                        pir_str name, pir_value **out_value);
// Calls `visit` with each value that the program's text numbers, in no order.
PIR_API PIR_NODISCARD pir_status pir_program_each_number(
    const pir_program *program, void (*visit)(void *user, uint64_t number, pir_value *value),
    void *user);

PIR_END
#endif
