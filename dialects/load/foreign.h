// Telling what a file holds that holds no program.
#ifndef PIR_FOREIGN_H
#define PIR_FOREIGN_H

#include <pir/compiler/ir.h>

// Returns what a file holds that begins with these bytes, and what to do instead, for a
// message; NULL if the bytes tell nothing. The text is constant.
const char *foreign_file_text(pir_str head);

#endif
