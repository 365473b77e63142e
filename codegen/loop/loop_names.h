// The names of operations in the text of loop IR, and the operand types of each: one table for
// the printer, the reader and the verifier.
#ifndef PIR_LOOP_NAMES_H
#define PIR_LOOP_NAMES_H

#include "loop.h"

// The types of operands that an operation takes.
enum {
  LOOP_TAKES_BOOL = 1,
  LOOP_TAKES_INTEGERS = 2,
  LOOP_TAKES_REALS = 4,   // f32, f64
  LOOP_TAKES_HALVES = 8,  // f16, bf16: what moves elements alone
  LOOP_TAKES_INDEX = 16
};

typedef struct loop_operation {
  const char *name;  // "min", or the sign between two operands: "+"
  bool infix;
  uint8_t operands;  // 1 to 3
  uint8_t takes;     // type of the operands except the condition of a select
  bool compares;     // the result is bool
} loop_operation;

// NULL for a node of clauses that is no operation of loop IR.
const loop_operation *loop_operation_of(pir_node_op op);
// PIR_NODE_OP_COUNT when there is none of that name.
pir_node_op loop_operation_named(pir_str name, bool infix);

// "add"; NULL for what combines no elements.
const char *loop_combine_text(pir_combine combine);
pir_combine loop_combine_named(pir_str name);  // PIR_COMBINE_NONE when there is none

const char *loop_for_text(loop_for_kind kind);
const char *loop_space_text(loop_space space);
const char *loop_tile_text(loop_tile_op op);
const char *loop_dot_text(loop_dot dot);

// How many tile registers the operation names: 0, 1 or 3.
int loop_tile_registers(loop_tile_op op);
// Whether it has a place in memory, and a distance of rows there.
bool loop_tile_has_place(loop_tile_op op);
bool loop_tile_has_rows(loop_tile_op op);

#endif
