// From one program over meshes of processes to the program of one rank
// (docs/explain/distributed.md): the state of a run, and its steps, each of which is a pass
// too. The steps, their order and the ops that they make are as in the passes of Paddle's
// static engine for automatic parallelism. Private to passes/dist.
#ifndef PIR_DIST_H
#define PIR_DIST_H

#include "dist_tensor.h"

#include <map.h>
#include <pass_list.h>
#include <pir/compiler/pass.h>
#include <vec.h>

// The processes of a ring, in its order.
typedef struct dist_ring {
  const int64_t *ids;
  size_t count;
} dist_ring;

typedef struct dist_write {
  uint64_t at, made;  // positions: of the op in place, of the op that made its operand
} dist_write;
// Memory that ops write in place, or that has several names: the writes in the order of the
// text, and the names, the first of which made it.
typedef struct dist_memory {
  PIR_VEC(dist_write) writes;
  PIR_VEC(const pir_value *) names;
} dist_memory;
// The writes of a program. Ops that are made later write nothing that is asked for.
typedef struct dist_writes {
  pir_arena *arena;
  pir_map positions;  // of an op
  pir_map numbers;    // of a value: its memory
  PIR_VEC(dist_memory) memories;
  PIR_VEC(dist_write) all;
} dist_writes;

typedef struct dist_state {
  pir_pass_run *run;
  pir_context *ctx;
  pir_arena *arena;
  pir_rewriter *rewriter;
  pir_name *op_dist, *stop_gradient, *persistable;
  int64_t rank;     // the process whose program is wanted
  pir_map checked;  // attributes and meshes without a fault
  pir_map holders;  // of a mesh: 1, or 2 if it has the rank
  PIR_VEC(dist_ring) rings;
  pir_map ring_numbers;  // of an attribute of ids: the place in `rings`
  dist_writes writes;    // of the program as the step found it
} dist_state;

typedef PIR_VEC(pir_op *) dist_ops;
typedef PIR_VEC(const pir_attr *) dist_attrs;

// ---- dist_state.c
typedef pir_status dist_step(dist_state *d);
// Runs steps, one after the other, up to the first that fails. Meshes and distributions of the
// whole program are checked before, so that steps may rely on them. `ranked`: the pass has the
// option `rank`, which has to be a process of a mesh.
pir_status dist_run(pir_pass_run *run, bool ranked, dist_step *const *steps, size_t count);
// Whether the rank is one of a mesh's processes.
bool dist_holds(dist_state *d, const pir_attr *mesh);
// Whether steps leave an op alone: how its results lie follows from its operands.
bool dist_is_skipped(const pir_op *op);
// Collects the ops of all blocks; the ops of regions come before the op that has the regions.
void dist_all_ops(dist_state *d, dist_ops *out);
// Gives ops without op_dist_attr one, from the types of their operands and results.
pir_status dist_complete(dist_state *d);
// Returns the merged mesh of two, which may be NULL.
const pir_attr *dist_join(dist_state *d, const pir_attr *a, const pir_attr *b);
// Makes an op that gives a tensor `to` of this type from a value, which lies as `from` says, in
// front of `at`.
pir_op *dist_make_op(dist_state *d, pir_op *at, uint32_t id, pir_value *value,
                     const pir_type *type, const pir_attr *mesh, const pir_attr *from,
                     const pir_attr *to);
// Makes dist_op.reshard of a value in front of `at`.
pir_op *dist_make_reshard(dist_state *d, pir_op *at, pir_value *value, const pir_attr *to);
// Moves the uses of a value to `by`, but those by the op that defines it.
void dist_move_uses(dist_state *d, pir_value *value, pir_value *by);

// ---- writes.c
#define DIST_END UINT64_MAX  // a position behind all ops
// Collects the writes of all ops, which dist_all_ops gave.
void dist_writes_begin(dist_state *d, const dist_ops *ops);
void dist_writes_end(dist_state *d);
// Has to be called before an op that the step found is erased.
void dist_writes_forget(dist_writes *w, const pir_op *op);
uint64_t dist_position(const dist_writes *w, const pir_op *op);
// Whether an op between two positions may write over the value.
bool dist_written_between(const dist_writes *w, const pir_value *value, uint64_t from,
                          uint64_t to);
// Whether `to`, which `from` dominates, reads of the value what `from` read.
bool dist_holds_still(const dist_writes *w, const pir_value *value, const pir_op *from,
                      const pir_op *to);
// Returns NULL of a value that no op writes or names again, or that may be any memory.
const dist_memory *dist_memory_of(const dist_writes *w, const pir_value *value);

// ---- ring_numbers.c
// Returns the id of the ring of these processes in this order; a new ring gets the next one.
int64_t dist_ring_id(dist_state *d, const int64_t *ids, size_t count);
// Returns the id of the ring of a line of a mesh through `place`. All lines along that
// dimension get rings, so that every rank gives the same ids.
int64_t dist_ring_of_line(dist_state *d, const dist_mesh *mesh, size_t dim, size_t place);
// Writes the rings to the file that the option `rings` names, if it is given.
pir_status dist_write_rings(dist_state *d);

// ---- parameters.c
// Cuts the value of a parameter to the rank's part, if the program has the value of the whole
// one. If it has none, and shard split it (`whole_shape`), the op names the part.
pir_status dist_cut_parameter(dist_state *d, pir_op *op);

// ---- tables.c
// Replaces an embedding in a table whose rows are split by one in the rank's rows.
pir_status dist_localize_table(dist_state *d, pir_op **op);

// ---- read_extents.c
// Lets ops that read the extents of a tensor read the whole ones, though the rank has a part.
void dist_restore_extents(dist_state *d, pir_op *op);

// ---- the steps
pir_status dist_mix_to_dist(dist_state *d);
pir_status dist_partition(dist_state *d);
pir_status dist_reshard_all(dist_state *d);
pir_status dist_remove_others(dist_state *d);
pir_status dist_to_dense(dist_state *d);

#endif
