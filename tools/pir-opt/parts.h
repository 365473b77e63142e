// The parts of a file that is processed part by part (--split-input-file).
#ifndef PIR_OPT_PARTS_H
#define PIR_OPT_PARTS_H

#include <pir/compiler/text.h>

#include "../cli.h"

typedef enum part_kind { PART_PROGRAM, PART_TYPE, PART_ATTRIBUTE } part_kind;

typedef struct program_part {
  part_kind kind;
  pir_str text;
  uint32_t line;      // its first
  const char *begin;  // printed before and after the result
  const char *end;
} program_part;

// A walk over the parts of a text: between lines of `// -----`, or, if the text has `//CHECK
// kind` lines, from such a line to `//END`. The tests of Paddle's reader keep types, attributes
// and programs in the second form.
typedef struct part_walk {
  pir_str text;
  const char *at;
  uint32_t line;
  bool cases, first, done;
} part_walk;

part_walk parts_of(pir_str text);
bool next_part(part_walk *walk, program_part *out_part);

// Reads a type or attribute alone and prints it in the form. Returns an exit code.
int process_value(cli_run *cli, const program_part *part, const char *file, pir_text_form form,
                  pir_writer out);

#endif
