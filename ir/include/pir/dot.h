// Programs as graphs for Graphviz.
#ifndef PIR_DOT_H
#define PIR_DOT_H

#include <pir/program.h>

PIR_BEGIN

typedef struct pir_dot_options {
  size_t max_nodes;  // ops that are drawn; 0 draws all
} pir_dot_options;

// One node an op, one edge an operand with its type, one cluster a region; the whole line of an
// op is its tooltip. With `max_nodes`, an op whose regions do not fit any more is drawn closed,
// with the number of ops inside, and what is left at the end is one node. `options` may be
// NULL. PIR_IO when the writer stops.
PIR_API pir_status pir_program_print_dot(const pir_program *program,
                                         const pir_dot_options *options, pir_writer out);

PIR_END
#endif
