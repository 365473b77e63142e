// Clauses made by a program, as opsc makes them: what a builder starts from.
#ifndef PIR_CLAUSE_BUILDER_H
#define PIR_CLAUSE_BUILDER_H

#include <pir/clause.h>
#include <string.h>

PIR_BEGIN

// Every reference is absent.
static inline pir_node pir_node_blank(int op) {
  pir_node n;
  memset(&n, 0, sizeof n);
  n.op = (uint8_t)op;
  n.k = n.a = n.b = n.c = n.map = -1;
  return n;
}

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
