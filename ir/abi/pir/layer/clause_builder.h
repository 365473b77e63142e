// Clauses that a program makes, as opsc and the code generator do: blank structs to start from.
// Safe from any thread.
#ifndef PIR_CLAUSE_BUILDER_H
#define PIR_CLAUSE_BUILDER_H

#include <pir/compiler/clause.h>
#include <string.h>

PIR_BEGIN

// Returns a node of kind `kind` (a pir_node_op) whose children, map, operand and attribute are
// all absent and whose constants are 0.
static inline pir_node pir_node_blank(int kind) {
  pir_node n;
  memset(&n, 0, sizeof n);
  n.op = (uint8_t)kind;
  n.k = n.a = n.b = n.c = n.map = -1;
  return n;
}

// Returns a clause of kind `kind` (a pir_clause_kind) for result 0 without nodes or variables:
// every reference is absent, and arithmetic uses PIR_CAST_COMPUTE.
static inline pir_clause pir_clause_blank(int kind) {
  pir_clause c;
  memset(&c, 0, sizeof c);
  c.kind = (uint8_t)kind;
  c.compute = PIR_CAST_COMPUTE;
  c.out_map = c.when = c.body = c.then = c.init = c.guard = c.trap = c.trap_text = -1;
  c.axes_attr = c.axes_operand = c.like = c.all = c.out_rank = c.out_extent = c.keep =
      c.reverse = c.exclusive = -1;
  return c;
}

PIR_END
#endif
