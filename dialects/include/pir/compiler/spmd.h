// Placement of tensors over a mesh of processes: from how an op's operands lie, how they should
// lie and how the results will lie (SPMD inference, forward), or from how the results should
// lie, how the operands should (backward). `.ops` files declare rules (docs/reference/ops.md);
// an op without one has its tensors whole on every process. The answers agree with Paddle's
// SPMD rules.
//
// A question is plain data of the caller; nothing is kept, and any thread may ask.
#ifndef PIR_SPMD_H
#define PIR_SPMD_H

#include <pir/compiler/clause.h>
#include <pir/compiler/ir.h>

PIR_BEGIN

// Most dims of a mesh.
#define PIR_MESH_RANK 8

// The mesh dims over which one dim of a tensor is split, the outermost first; a mesh dim stands
// at most once in all dims of a tensor.
typedef struct pir_split {
  // Number of entries; 0: the dim is whole.
  uint8_t count;
  // The entries.
  uint8_t mesh[PIR_MESH_RANK];
} pir_split;

// How a tensor lies.
typedef struct pir_placement {
  // Number of dims.
  int32_t rank;
  // Extents of the whole tensor; -1: unknown.
  int64_t shape[PIR_MAX_RANK];
  // By dim.
  pir_split split[PIR_MAX_RANK];
  // By mesh dim: 0, or 1 + the code of the reduction (pir_spmd_rule.leaves) that would combine
  // the processes' tensors to the tensor.
  uint8_t partial[PIR_MESH_RANK];
} pir_placement;

// An operand or result: one tensor, the members of a list, or none if it is absent.
typedef struct pir_placements {
  // The tensors, `count` of them.
  pir_placement *items;
  size_t count;
} pir_placements;

// A question, and its answer in place of it.
typedef struct pir_spmd {
  // The op's definition.
  const pir_opdef *def;
  // Extents of the mesh, all positive.
  int64_t mesh[PIR_MESH_RANK];
  // Number of dims of the mesh.
  size_t mesh_rank;
  // Attributes by declared position, defaults filled in; the contents of attribute operands by
  // declared position of the operand, PIR_VALUE_NONE where they are not known.
  const pir_attr_value *attrs, *contents;
  // By declared position. Before: how the operands lie (forward) or the results should lie
  // (backward); of all of them, rank and shape. After: how all should lie.
  pir_placements *operands, *results;
  // Keep splits that the op can take and that programs as Paddle builds them do not.
  bool wide;
  // From the results to the operands.
  bool backward;
  // The reason of a failure, NUL-terminated.
  char message[200];
} pir_spmd;

// Answers a question. An attribute that the rule reads and that is not known leaves all tensors
// whole. Returns PIR_INVALID with `message` where splits contradict each other or the op, and
// where a mesh dim is out of range or splits a tensor twice; PIR_UNSUPPORTED for a mesh of more
// than PIR_MESH_RANK dims. Cost: linear in the dims of all tensors.
PIR_API PIR_NODISCARD pir_status pir_spmd_infer(pir_spmd *spmd);

// Makes a tensor whole on every process.
PIR_API void pir_placement_replicate(pir_placement *placement);

PIR_END
#endif
