// The contraction generator: sums of products with affine index maps (matrix products,
// convolutions, their batched, grouped, strided and transposed forms) as register-tiled loop
// nests.
//
// A contraction is out[..] = sum over reduced variables of a[..] * b[..], where every index is
// an integer combination of variables. Which operand mentions a variable decides its role, and
// roles decide the code; no operator is known by name.
#ifndef PIR_CONTRACT_H
#define PIR_CONTRACT_H

#include "loop.h"
#include <pir/layer/codegen.h>
#include <pir/layer/tuning.h>

#define CONTRACT_MAX_VARS 16

// The index along one axis: offset + sum of factor[v] * variable v. A point whose index is
// outside the axis contributes nothing (padding).
typedef struct contract_map {
  int64_t offset;
  int64_t factor[CONTRACT_MAX_VARS];
  bool unsure;  // whether only the run shows if the axis has the variable's extent, or 1 and is
                // broadcast
} contract_map;

typedef struct contract_tensor {
  pir_dtype dtype;
  pir_dtype rounded;  // type to which elements of a parameter are rounded before they are
                      // multiplied; PIR_UNDEFINED: none. Processors: b, and a whose elements
                      // have been widened
  int rank;
  pir_dim shape[PIR_MAX_RANK];
  contract_map map[PIR_MAX_RANK];
  uint8_t order[PIR_MAX_RANK];  // axes from outermost to innermost in memory
  pir_dim room[PIR_MAX_RANK];   // extents of the memory: as `shape`, unless the tensor is part
                                // of a larger one
  uint16_t slot;                // its buffer
  uint32_t align;               // alignment of the buffer in bytes
  bool inside;                  // no index leaves its axis, whatever the extents are
  bool padded;  // devices: lines of the innermost axis fill accesses of 16 bytes; elements
                // behind their extent may be read
} contract_tensor;

typedef struct contract_var {
  const char *name;
  pir_dim extent;
  bool reduced;
} contract_var;

typedef struct contraction {
  pir_dims *dims;
  contract_var vars[CONTRACT_MAX_VARS];
  int var_count;
  contract_tensor a, b, out;  // b is the packed operand: a constant one if there is any
  bool b_constant;
  bool scaled;            // elements of b are multiplied by scales,
  contract_tensor scale;  // one for each run of b along a reduced axis,
  int scale_operand;      // which are this operand of the op
  int bits;               // of b's elements, which are whole numbers; 0: all of their type
  pir_dim equal[2 * CONTRACT_MAX_VARS];  // pairs of extents that are assumed equal and not
                                         // proved
  int equal_count;
} contraction;

// A vector of finished sums.
typedef struct contract_point {
  loop_expr *value;                // f32 (f64 where out is), `lanes` lanes
  loop_expr *index[PIR_MAX_RANK];  // index in out of the first lane
  loop_buffer *out;                // destination of the point, or NULL: the epilogue decides
  loop_expr *position;  // offset of the first lane in `out`, or in a buffer of out's shape and
                        // order
  int lane_axis;        // axis of out along which the lanes run (if there are several)
  loop_expr *lane_stride;  // distance in memory from lane to lane
  uint16_t lanes;
  loop_expr *mask;  // lanes that exist, or NULL
} contract_point;

// A vector of an argument.
typedef struct contract_place {
  loop_buffer *buffer;
  loop_expr *index;  // of its first element
} contract_place;

enum { CONTRACT_MOST_READS = 4 };

// Functions that the caller provides.
typedef struct contract_env {
  loop_module *module;
  const pir_target *target;
  pir_math math;
  void *user;
  // Returns an extent that is valid in every function of the module: a constant or a run-time
  // argument.
  loop_expr *(*extent)(void *user, pir_dim dim);
  // Adds a buffer that is shared by the stages; returns its slot.
  uint16_t (*temporary)(void *user, pir_dim bytes);
  // The epilogue: consumes a vector of sums, computes on it and stores the results. NULL: the
  // sums are stored to out.slot.
  bool (*epilogue)(void *user, loop_fn *fn, loop_block *block, const contract_point *point);
  // Lists the vectors of tensors that the epilogue will read at a point, as far as their places
  // depend on nothing that it computes; returns their number. NULL: nobody asks.
  int (*reads)(void *user, loop_fn *fn, const contract_point *point,
               contract_place places[CONTRACT_MOST_READS]);
} contract_env;

typedef struct contract_stage {
  loop_fn *fn;
  pir_dim units;
} contract_stage;

typedef struct contract_code {
  contract_stage packing;    // fn NULL when b is not packed at load; buffers {b, packed}
  int64_t packed_bytes;      // then b.slot holds the packed form
  contract_stage stages[4];  // in order
  int stage_count;
  char how[256];    // description of the choice, for remarks
  pir_tuned tuned;  // where the target has a record of tuned choices
} contract_code;

// Whether bytes are multiplied faster than floats, as dot products of bytes or words.
bool pir_contract_multiplies_bytes(const pir_target *target);

// Reads the contraction from an op's clause, and the operands that are its a and b; false if
// the op is none. Memory orders are set to row-major without gaps. The caller fills in slots,
// alignments and b_constant.
bool pir_contract_match(const pir_op *op, const pir_facts *facts, contraction *out, int *out_a,
                        int *out_b);
// The same for those who handle more than factors of two operands: b may be of few bits, and
// may have scales.
bool pir_contract_match_levels(const pir_op *op, const pir_facts *facts, contraction *out,
                               int *out_a, int *out_b);

// Whether so many neighbours along a reduced axis, as far as its extent is known, can be
// multiplied at once: a reduced variable alone indexes an axis of `a` that is or will be
// innermost: the last one, or the channels if b are weights.
bool pir_contract_has_neighbours(const contraction *c, int64_t fewest, bool weights);
// Returns the axis of `a` that is the channels of an image, if they are few, two up to
// CONTRACT_PIXEL, and a line of the filter has at least so many taps; -1: there is none. A copy
// (contract_copy.c) has pixels of CONTRACT_PIXEL elements, with zeros behind the channels.
enum { CONTRACT_PIXEL = 4 };
int contract_axis_of_few_channels(const contraction *c, int64_t fewest_taps);

// Returns how many rows a tile of `vectors` vectors may have within the register file.
int contract_most_rows(const pir_target *target, int vectors);
// Whether an index of the tensor contains the variable; -1 is no variable.
bool contract_mentions(const contract_tensor *t, int var);
// Makes the axis the innermost one in memory.
void contract_move_innermost(contract_tensor *t, int axis);

// Computes the preferred memory order of the result if b is constant: axes that only b
// determines are innermost (channels last).
void pir_contract_order(const contraction *c, uint8_t out_order[PIR_MAX_RANK]);

// Whether a kernel exists for the contraction.
bool pir_contract_can(const contraction *c);
// Whether neither the lanes of a vector of sums nor the rows of a tile are adjacent in out.
bool pir_contract_scatters(const contraction *c);
// Whether minimal filtering of a contraction whose a and result are channels-last is so much
// faster than plain products that it pays to copy both from and to another memory order.
bool pir_contract_filters_turned(const contraction *c, const contract_env *env);
// Emits the functions; their names begin with `name`. Returns PIR_UNSUPPORTED exactly if
// pir_contract_can returns false.
pir_status pir_contract_emit(const contraction *c, const contract_env *env, const char *name,
                             contract_code *out_code);

// Devices: reorders a constant b such that tiles fetch it in accesses of 16 bytes, of the type
// that is multiplied. Returns false if it stays as it is.
bool pir_contract_pack_for_device(contraction *c, const pir_target *target, pir_math math);

// Whether two contractions should be computed together, some points at a time. The second must
// read, for each point of its sums, the first one's results at one point only. The contractions
// state the memory orders.
bool pir_contract_pairs(const contraction *first, const contraction *second,
                        const pir_target *target);

typedef struct contract_pair_code {
  contract_stage packings[2];
  int64_t packed_bytes[2];  // then b.slot of each holds the packed form
  contract_stage stage;
  char how[256];  // description of the choice, for remarks
} contract_pair_code;

// Emits both contractions as one stage. The epilogue of `first` stores into
// `contract_point.out`, from which `second` reads its operand a.
pir_status pir_contract_emit_pair(const contraction *first, const contract_env *first_env,
                                  const contraction *second, const contract_env *second_env,
                                  const char *name, contract_pair_code *out_code);

#endif
