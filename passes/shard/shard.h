// Tensor parallelism (docs/explain/distributed.md): a program without distribution is laid over
// a mesh. Every product with a weight may be cut by its columns, and every table of an
// embedding by its rows; the placement rules of the operators say the rest, and parameters
// take the parts that their readers ask for, so that the product behind is cut by its rows. The
// pass begins with all cuts and takes those back that lead nowhere. Private to passes/shard.
#ifndef PIR_SHARD_H
#define PIR_SHARD_H

#include "../dist/dist.h"

enum { SHARD_MESH_RANK = 2, SHARD_MOST_RANKS = 65536 };

// A parameter that may be cut where nothing else is yet.
typedef struct shard_cut {
  pir_op *param, *reader;
  size_t dim;       // the dimension that would be split
  bool open;        // it may still be
  bool only_table;  // no product reads it, only embeddings
  int64_t held;     // what the file has of the dimension, if zeros follow (padded.c); 0: all
  size_t group;     // a cut whose tensors meet these; itself: it stands for its group
  bool split;       // it is in the last layout: its other factor was whole
  // What the last layout cost and saved, of the whole group if the cut stands for one.
  size_t products;  // products behind, whose sums close the group
  size_t gathers;   // tensors of this cut alone that every rank needs whole again
  size_t met;       // such tensors in which several cuts of the group met
  double moved;     // seconds that collective operators take
  double saved;     // seconds and memory of arithmetic and weights that a rank is spared
  bool gathered;    // the parameter itself would be made whole in every run
  // A reshape into heads that the ranks cannot share; kept when the cut is closed.
  const pir_op *lost;
  const pir_op *behind;  // such a reshape near a tensor that is whole again for other reasons
} shard_cut;

// A product that makes several tensors, whose columns are in the order of ranks (fused.c).
typedef struct shard_fused {
  size_t cut;             // of its weight
  int64_t groups, width;  // tensors, and the columns of each
  pir_op *sum, *bias;     // the addition of a bias, and the parameter; NULL: none
  pir_op *grouped;        // gives [.., groups, width]
  bool closed;            // the columns are in their own order again
} shard_fused;

// An input that has a dimension.
typedef struct shard_input {
  pir_op *op;
  bool split;  // along the batch, its first dimension
} shard_input;

// An input or an output that may be a cache (caches.c).
typedef struct shard_port {
  pir_op *op;
  size_t group;  // a port that is split if this one is; itself: it stands for its group
  size_t from;   // of an output: the input that it goes on from; itself: none is known
  int64_t dim;   // of an input: the dimension that the last layout split; -1: none
  bool closed;   // whole, since an op needs it so
} shard_port;

typedef struct shard_state {
  pir_pass_run *run;
  pir_context *ctx;
  pir_arena *arena;
  dist_mesh mesh;
  int64_t extents[SHARD_MESH_RANK];
  int model, batch;  // dimensions of the mesh; -1: it has none
  PIR_VEC(shard_input) inputs;
  pir_map input_of;       // of an op: 1 + its input
  const pir_op *leading;  // the input whose first extent is the batch
  bool batch_named;       // the option says which inputs have it
  bool parts;             // inputs and outputs of a rank are its parts of the batch
  PIR_VEC(shard_port) ports;
  pir_map port_of;      // of an op: 1 + its port
  pir_str cache_names;  // of inputs and outputs that are caches; empty: all that may be
  pir_name *op_dist, *whole_shape, *file_shape;
  PIR_VEC(shard_cut) cuts;
  PIR_VEC(shard_fused) fused;
  pir_map fused_of;                   // of the op of a weight or a bias: 1 + its fused product
  uint64_t split, bytes, rank_bytes;  // parameters that are split; bytes of all, and of a rank
  pir_map cut_of;                     // of a parameter op: 1 + its cut
  pir_map taken;    // of a parameter op: 1 + the dimension that its readers asked for
  pir_map changed;  // of a value: how it was last wanted, as 1 + the dimension that is split
  pir_map origins;  // of a value: the cut that its split or its sum comes from, SHARD_MIXED too
} shard_state;

// An origin is 1 + a cut of its group, with this bit if several cuts met in it.
#define SHARD_MIXED (UINT64_C(1) << 32)

// ---- shard_mesh.c
// Reads the mesh and its axes.
pir_status shard_read_mesh(shard_state *s);

// ---- cuts.c
// Refuses programs that are distributed, or that write parameters, and finds all cuts.
pir_status shard_find_cuts(shard_state *s);
bool shard_is_parameter(const pir_value *value);

// ---- fused.c
// Brings the columns of fused products into the order of ranks.
void shard_open_fused(shard_state *s);
// Takes that back where the cut of the weight was closed, or, of a layout that is settled, was
// not made; the weight may be cut once more then, as any other. Returns whether there was one.
bool shard_close_fused(shard_state *s, bool settled);
// The number of equal pieces along an axis that an op makes of a tensor; 0: it makes none.
int64_t shard_count_pieces(const pir_op *op, const pir_type *of, size_t axis);
// Returns the product of a weight or a bias whose columns are in the order of ranks, or NULL.
const shard_fused *shard_fused_of(const shard_state *s, const pir_op *op);

// ---- padded.c
// Lets dimensions that do not divide end in zeros, so that they do.
void shard_open_padded(shard_state *s);
// Takes that back where the cut was closed, or, of a layout that is settled, was not made.
// Returns whether there was one.
bool shard_close_padded(shard_state *s, bool settled);

// ---- batch.c
// Finds the inputs that are split along the batch.
pir_status shard_find_batch(shard_state *s);
bool shard_splits_input(const shard_state *s, const pir_op *op);
// Takes inputs back that the last layout shows to have no batch; returns whether it did.
bool shard_reject_inputs(shard_state *s);

// ---- caches.c
// Finds inputs and outputs that may be caches, if the option asks for it.
pir_status shard_find_caches(shard_state *s);
// The dimension of an input, or of the output that goes on from one, that is split along the
// axis `model` as a cache; -1: it is whole.
int64_t shard_cache_dim(const shard_state *s, const pir_op *op);
// Whether an output whose operand is split along this dimension stays so.
bool shard_keeps_output(const shard_state *s, const pir_op *op, int64_t dim);
// Lets caches be split as tensors of the last layout ask for; returns whether there are more.
bool shard_follow_caches(shard_state *s);
// All caches are whole again, until tensors ask.
void shard_forget_caches(shard_state *s);
// Takes caches back that the last layout needs whole; returns whether it did.
bool shard_reject_caches(shard_state *s);
// Counts the caches that are split, and reports a named one that is not.
pir_status shard_check_caches(const shard_state *s);

// ---- shard_layout.c
// Lays the program over the mesh with the cuts that are open.
pir_status shard_lay_out(shard_state *s);
// The dimension of a tensor that is split along this axis of the mesh (-1: it has none); -1:
// none is.
int64_t shard_split_of(const pir_attr *dist, int axis);
// Inputs come whole, and are cut behind.
void shard_take_whole_inputs(shard_state *s);

// ---- movements.c
// Where ops are put.
typedef struct shard_mover {
  const shard_state *s;
  pir_builder at;
} shard_mover;

pir_named_attr shard_named(const shard_mover *m, const char *name, const pir_attr *attr);
// Puts an op of one result, which is returned.
pir_value *shard_put_op(shard_mover *m, uint32_t id, pir_value *const *operands,
                        size_t operand_count, const pir_type *type, const pir_named_attr *attrs,
                        size_t attr_count);
// The type of a tensor of the value's elements.
const pir_type *shard_type_like(const shard_mover *m, const pir_value *value,
                                const int64_t *dims, size_t rank);
pir_value *shard_put_list(shard_mover *m, const int64_t *values, size_t count);
// Elements from `first` to `end` along an axis, which goes if `type` has one dim less.
pir_value *shard_put_slice(shard_mover *m, pir_value *value, size_t axis, int64_t first,
                           int64_t end, const pir_type *type);

// ---- judge.c
// Charges collective operators and savings of the layout to the cuts.
void shard_judge(shard_state *s);
// The heads of a tensor that a reshape makes of a row of them; 0: the op is another one.
int64_t shard_heads_of(const shard_state *s, const pir_op *op);

#endif
