// Random programs of many ops: draws over shared values, some of them in branches and loops.
#ifndef PIR_TEST_GRAPH_H
#define PIR_TEST_GRAPH_H

#include "../draws.h"

enum {
  GRAPH_OPS = 128,
  GRAPH_VALUES = 1024,
  GRAPH_BLOCKS = 24,
  GRAPH_CARRIED = 3,  // values that a branch or an iteration yields
  GRAPH_READS = DRAW_OPERANDS * DRAW_MEMBERS,
  GRAPH_NONE = -1,
  GRAPH_MOST_FETCHED = 40
};

// ---- a graph

typedef enum graph_source { GRAPH_INPUT, GRAPH_ARGUMENT, GRAPH_RESULT } graph_source;

typedef struct graph_value {
  draw_tensor type;  // of an input also its numbers
  uint8_t source;
  int16_t op;      // GRAPH_RESULT: that gives it
  int16_t block;   // where it is defined: it may be read there and in blocks inside
  int16_t result;  // or number of the argument
  int16_t member;  // of a list, GRAPH_NONE: of none
  bool fetched;
  bool written;  // by an op in place: nothing reads it later
  void *data;    // owned numbers of an input that was a result
} graph_value;

typedef enum graph_kind { GRAPH_GONE, GRAPH_CALL, GRAPH_IF, GRAPH_WHILE } graph_kind;

typedef struct graph_op {
  uint8_t kind;
  int16_t block;
  bool narrow;  // makes f32 of integers, in float64, too
  draw *call;
  // GRAPH_CALL: the value of operand k, member m at k * DRAW_MEMBERS + m. Else the condition,
  // then the initial values of a loop's arguments.
  int16_t reads[GRAPH_READS];
  int16_t regions[2];
  uint8_t carried;
  int16_t yields[2][GRAPH_CARRIED + 1];  // of a loop the next condition first
} graph_op;

typedef struct graph {
  pir_context *ctx;
  draw_noise *noise;
  graph_op *ops;
  size_t op_count;
  graph_value *values;
  size_t value_count;
  int16_t parents[GRAPH_BLOCKS];  // the op that holds a block
  size_t block_count;
} graph;

bool graph_create(graph *g, pir_context *ctx, draw_noise *noise);
void graph_destroy(graph *g);
// A copy that shares nothing with `from`; false when memory runs out.
bool graph_copy(const graph *from, graph *out);
// The number of a new value, GRAPH_NONE when there is no room.
int graph_add_value(graph *g, const graph_value *value);
int graph_add_op(graph *g, graph_kind kind, int block);
int graph_add_block(graph *g, int op);
// Whether values of a block may be read in another one.
bool graph_sees(const graph *g, int block, int from);
// Copies type and numbers; false when memory runs out.
bool graph_take_tensor(graph_value *v, const pir_tensor *from);
size_t graph_live_ops(const graph *g);
// Removes an op with all that reads its results; results that are yielded are replaced.
void graph_remove_op(graph *g, int op);
// Removes ops whose results nobody reads or fetches.
void graph_sweep(graph *g);
// Fetches results that nobody reads.
void graph_fetch_ends(graph *g);
void graph_mark_read(const graph *g, bool *read);

// The values that a program puts out.
typedef enum graph_outputs { GRAPH_FETCHED, GRAPH_ALL, GRAPH_OF_OP } graph_outputs;

// NULL: checks refuse it, and `text` (of DRAW_TEXT) says why.
pir_program *graph_program(const graph *g, draw_width width, graph_outputs outputs, int of_op,
                           char *text);
// The value of an input or output by its name, GRAPH_NONE where there is none.
int graph_value_of(const graph *g, pir_str name);
const draw_tensor *graph_find(const void *g, pir_str name);

// ---- drawing one

typedef struct graph_menu graph_menu;
graph_menu *graph_menu_create(const pir_opdef *const *ops, size_t count);

typedef struct graph_wish {
  uint64_t seed;
  uint32_t least, most;  // ops
} graph_wish;

// False when no graph was found, and `text` (of DRAW_TEXT) says why.
bool graph_grow(graph *g, const graph_menu *menu, const graph_wish *wish, char *text);

// States all extents of inputs.
void graph_forget_unknown(graph *g);

// Runs a graph for the results of an op of the outermost block. The caller stops the run.
bool graph_run_op(const graph *g, int op, draw_run *out_run);

// ---- judging one

typedef struct graph_report {
  draw_verdict verdict;
  size_t setup;  // that fails
  bool compiled;
  char text[4 * DRAW_TEXT];
} graph_report;

// The setups that are drawn; the first one compiles the most.
size_t graph_setups(const draw_setup **out_setups);
// Compares the graph as compiled under each setup with kernels and float64.
void graph_judge(const graph *g, const draw_setup *setups, size_t count,
                 graph_report *out_report);
// Removes what is not fit for a comparison: values that are no numbers, or that noise moves too
// far. False when too little is left, and `text` says why.
bool graph_settle(graph *g, size_t least, char *text);

// ---- reducing one that fails

// A value that the op of `value` reads and that has its type, or GRAPH_NONE.
int graph_first_alike(const graph *g, int value);
// Lets the readers of one value read another.
void graph_replace(graph *g, int from, int to);
bool graph_has_extent(const graph *g, int64_t extent);
// Changes an extent wherever it occurs, in attributes, too.
void graph_set_extent(graph *g, int64_t extent, int64_t to);
// Derives types and numbers of results again; false when kernels refuse the graph.
bool graph_refresh(graph *g);
// Makes graph and setup smaller; false when the graph does not fail.
bool graph_reduce(graph *g, draw_setup *setup);
void graph_print(const graph *g);
// Prints it as a text test.
void graph_print_test(const graph *g, const draw_setup *setup);

#endif
