// The decisions of auto_mixed_precision_pass (precision.c), as precision_casts.c reads them.
// Private to passes/.
#ifndef PIR_PRECISION_H
#define PIR_PRECISION_H

#include <pir/compiler/pass.h>

#include <map.h>
#include <vec.h>

// The mark of an op.
enum {
  PRECISION_STAYS,   // reads and gives f32
  PRECISION_LOW,     // computes in 16-bit floats
  PRECISION_MOVES,   // undecided: it only moves elements and follows its neighbours
  PRECISION_FOLLOWS  // results are not floats: reads 16-bit floats if all its operands are
};

typedef struct precision {
  pir_pass_run *run;
  pir_facts *facts;
  pir_arena *arena;
  pir_dtype low;
  bool io;                // inputs and outputs are 16-bit floats too
  PIR_VEC(pir_op *) ops;  // ops in program order
  pir_map lowered;        // values that were f32 and are now 16-bit floats
  pir_map casts;          // value -> it in the other precision
  uint64_t low_ops, cast_count;
} precision;

// Returns the element type of a value, or of every member of a list; PIR_UNDEFINED if unknown
// or mixed.
pir_dtype precision_dtype(const precision *p, const pir_value *value);
bool precision_is_list(const pir_value *value);
// Whether operand `i` keeps f32 while the op computes in 16-bit floats, or is read as an
// attribute.
bool precision_keeps_operand(const pir_op *op, size_t i);

pir_status precision_apply(precision *p);

#endif
