// Placement of a whole program by the rules of its operators.
#ifndef PIR_PASSES_INFER_SPMD_H
#define PIR_PASSES_INFER_SPMD_H

#include <pir/compiler/ir.h>
#include <pir/compiler/program.h>

typedef struct spmd_how {
  bool backward, wide;  // as in pir_spmd
  // Ops that keep such splits when others do not, and 0 behind them; NULL: none.
  const uint32_t *wide_ops;
  // Called before an op is placed, in the order of the program, to say how its operands lie;
  // NULL: nobody is asked.
  void (*before)(pir_op *op, void *user);
  void *user;
} spmd_how;

// States how every op that reads a distributed tensor takes and gives its tensors, and gives
// the results their types. *out_placed counts these ops. Faults are reported at their op.
pir_status spmd_place_program(pir_program *program, spmd_how how, uint64_t *out_placed);

#endif
