// The run over many graphs.
#ifndef PIR_TEST_GRAPHS_H
#define PIR_TEST_GRAPHS_H

#include "graph.h"

typedef struct graphs_options {
  uint64_t seed;
  long graphs;
  uint32_t least, most;  // ops of a graph
  int setup;             // -1: drawn
  bool all;              // every setup for each graph
  bool print, verbose;
  bool reduce;  // what fails
  pir_context *(*context_create)(void);
} graphs_options;

// The exit code.
int graphs_main(const graphs_options *o, const pir_opdef *const *ops, size_t count,
                draw_noise *noise);

#endif
