// The declaration of an operator as its .ops file has it.
#ifndef PIR_TOOLS_VIEW_MEANING_H
#define PIR_TOOLS_VIEW_MEANING_H

#include <pir/base.h>

// Finds the entry of "dialect.name". Empty: no file of the library declares it. The text is
// constant.
pir_str view_meaning(pir_str op_name);
// Finds form i that the head of `entry` starts from ("op relu like unary"), if it is of the
// same dialect; empty: there is no such form.
pir_str view_meaning_form(pir_str op_name, pir_str entry, size_t i);

#endif
