// Programs as graphs for Graphviz.
#ifndef PIR_DOT_H
#define PIR_DOT_H

#include <pir/compiler/program.h>

PIR_BEGIN

// How a graph is drawn. Zero, but for `size`, draws everything.
typedef struct pir_dot_options {
  // sizeof(pir_dot_options) (pir/base.h).
  size_t size;
  // The number of ops that are drawn; 0 draws all.
  size_t max_nodes;
} pir_dot_options;

// Writes a graph: one node for each op, one edge for each operand, labelled with its type, one
// cluster for each region. The whole line of an op is its tooltip. With `max_nodes`, an op
// whose regions do not fit is drawn closed, with the number of ops inside, and all ops that
// remain at the end are one node. `options` may be NULL. Returns PIR_IO when the writer stops.
// Cost: linear in the output.
PIR_API PIR_NODISCARD pir_status pir_program_print_dot(const pir_program *program,
                                                       const pir_dot_options *options,
                                                       pir_writer out);

PIR_END
#endif
