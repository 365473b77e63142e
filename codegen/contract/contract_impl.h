// Types and functions that the files of the contraction generator share.
#ifndef PIR_CONTRACT_IMPL_H
#define PIR_CONTRACT_IMPL_H

#include "contract.h"
#include "machine.h"

// A variable after analysis: the tensors that it indexes, and its stride in each buffer.
typedef enum contract_role {
  ROLE_BATCH,  // a, b, out
  ROLE_M,      // a, out
  ROLE_N,      // b, out
  ROLE_K       // a, b: summed
} contract_role;

typedef struct contract_axis {
  contract_role role;
  pir_dim extent;
  pir_dim step_a, step_b, step_out;  // strides in elements; 0 if the tensor does not have the
                                     // axis
  int place_a, place_out;            // how far inside in memory, by axis of the buffer
  int window;                        // that it slides in (M) or over (K), or -1
  int parts[CONTRACT_MAX_VARS];      // the variables it was merged of, outermost first
  int part_count;
} contract_axis;

// An axis of `a` whose index must be checked: 0 <= offset + stride * position + dilation * tap
// < extent.
typedef struct contract_window {
  int position, tap;  // axes of the form, or -1 (then 0)
  int64_t offset, stride, dilation;
  pir_dim extent;
} contract_window;

// The part of an operand that is fetched ahead.
typedef enum contract_fetching { FETCH_NOTHING, FETCH_PANEL, FETCH_ROWS } contract_fetching;

typedef enum contract_kind { CONTRACT_PANEL, CONTRACT_DEPTHWISE } contract_kind;

enum { CONTRACT_MOST_VECTORS = 4 };  // the most vectors of a panel
enum { PACKED_ALIGN = 64 };          // bytes to which packed b is aligned
enum { CACHE_LINE = 64 };            // bytes that one prefetch fetches

// The normal form, from which code is emitted.
typedef struct contract_form {
  const contraction *c;
  contract_kind kind;
  contract_axis axes[CONTRACT_MAX_VARS];
  int axis_count;
  contract_window windows[PIR_MAX_RANK];
  int window_count;
  pir_dim offset_a, offset_b;  // of the point at which all variables are 0
  int outer[CONTRACT_MAX_VARS],
      outer_count;  // axes of the units, outermost first: batch, M and N beside tile and lane
  int taps[CONTRACT_MAX_VARS], tap_count;  // K axes, outermost first
  int tile;   // M axis whose points are the rows of a tile; -1: one row
  int above;  // M axis whose points have their rows of tile registers behind each other, with
              // rows between them that no point has; -1: none
  pir_dim rows_above;  // from a point of that axis to the next
  int lines;           // points of that axis in a block of tiles, each in rows of tiles of its
                       // own, whatever lies between them in a; 0: rows follow each other there
  int lane;            // axis of the vector lanes: N, or batch for depthwise; -1: one lane
  int scaled;  // outermost K axis, where each of its steps has scales of its own; -1: none
  pir_dim step_scale;  // stride of that axis in the scales, whose lanes are adjacent
  // A copy of few channels (contract_copy.c): the last tap has `pixel` neighbours for each
  // pixel, of which b has the first `filled`, and the pixels of the K axis `joined` (-1: of one
  // tap). pixel 0: there is no such copy.
  int64_t pixel, filled;
  int joined;
  pir_dtype compute;
  // the schedule
  int vector;    // lanes of a register
  int vectors;   // of a panel
  int rows;      // rows of a tile
  int group;     // neighbours along the last tap that one 32-bit lane holds and one instruction
                 // multiplies; 1: none
  bool numbers;  // the neighbours are whole numbers of 4 bits, which are widened in
                 // registers and multiplied one by one
  bool rounded_rows;  // where there are many rows, these are bytes (contract_ways.h)
  int tile_groups;  // such groups in a row of a tile register; 0: sums are in vector registers
  bool one_block;   // the rows are so few that one block of tiles has them
  int part_level;   // the taps from which on a reduction in tile registers is done in parts
  int64_t part_steps;  // of so many steps at that level; 0: at once
  bool b_packed;       // if false, b is read in place and its lanes are adjacent
  pir_dtype held;      // packed b keeps this narrower type and is widened in registers; or
                       // PIR_UNDEFINED
  bool panel_inner;    // unit order: the panel changes fastest
  contract_fetching fetches;  // into the L2 cache while a panel and a tile are in use
  int64_t block;  // tiles whose rows stay in the L2 cache while all panels pass; 0: all tiles
  // Outer M axes: a unit does all their points, each chunk of the reduction for every point
  // before the next chunk, so that the chunk's lines of b stay in the cache.
  int strip[CONTRACT_MAX_VARS], strip_count;
  // The form by which b is packed, each panel of which is widened to scratch before tiles read
  // it; NULL: b is read as it is packed.
  const struct contract_form *narrow;
} contract_form;

// Returns the type of the elements that are multiplied.
static inline pir_dtype contract_factor(const contract_tensor *t) {
  return t->rounded ? t->rounded : t->dtype;
}

bool contract_normalise(const contraction *c, contract_form *form);
// Whether the index along this axis of the tensor is always in bounds.
bool contract_stays_inside(const contraction *c, const contract_tensor *t, int axis);
// Builds the normal form without merging axes.
bool contract_normalise_apart(const contraction *c, contract_form *form);
// Chooses the schedule by the cost model.
void contract_schedule(contract_form *form, const pir_target *target);

// Returns the rows of the largest tile that does the rest of an open number of rows, which are
// fewer than `most`.
int contract_rest_tile(const pir_machine *machine, int most, int vectors);

bool contract_const(const contract_form *f, pir_dim d, int64_t *out_value);
int64_t contract_known_factor(const contract_form *f, pir_dim d);
int64_t contract_panel_lanes(const contract_form *f);
pir_dim contract_panels(const contract_form *f);
// The rows that tiles divide: the points of the tile axis, or rows across two axes.
pir_dim contract_rows(const contract_form *f);
// Whether axis i selects a part of b other than a panel: a batch axis, or an N axis that is not
// the lanes'.
bool contract_in_b(const contract_form *f, int axis);

typedef enum contract_which { OF_A, OF_B, OF_OUT } contract_which;

// The state while one function is emitted.
typedef struct contract_emission {
  const contract_form *form;
  const contract_env *env;
  loop_module *m;
  loop_fn *fn;
  loop_buffer *a, *b, *out, *scale;
  loop_buffer *packed;  // where each panel is widened: b is in scratch, and this is packed
  // Scratch, where there are tile registers; totals of scaled sums, or NULL.
  loop_buffer *tile_shapes, *tile_sums, *tile_totals;
  loop_expr
      *value[CONTRACT_MAX_VARS];  // index along each axis at the point being emitted; NULL: 0
  loop_expr *from,
      *to;               // positions of the tile axis that a panel covers; NULL: its tile's
  int rows;              // the number of rows from `from` on, as one tile; 0: up to `to`
  loop_expr *origin[3];  // offset of the contents of each buffer; NULL: 0
  // The next panel or rows are fetched into the L2 cache: the part of this unit.
  struct {
    loop_buffer *of;  // a or b
    loop_expr *from;  // position there; NULL: nothing
    loop_expr *step;  // elements for each line of the panel in use
  } fetch;
} contract_emission;

// One panel of a unit, and the known ranges of taps.
typedef struct contract_panel {
  contract_emission e;
  loop_expr *number;  // which panel
  int vectors;
  int lanes[CONTRACT_MOST_VECTORS];  // lanes of each vector: all, or fewer in the last one
  loop_expr *masks[CONTRACT_MOST_VECTORS];  // mask of each vector, or NULL
  loop_expr *tap_begin[CONTRACT_MAX_VARS],
      *tap_end[CONTRACT_MAX_VARS];  // taps that are inside, by axis; NULL: all
} contract_panel;

contract_emission contract_begin(const contract_form *f, const contract_env *env,
                                 const char *name, const char *suffix);
loop_expr *contract_dim(const contract_emission *e, pir_dim d);
loop_expr *contract_extent(const contract_emission *e, int axis);
loop_expr *contract_step(const contract_emission *e, contract_which which, int axis);
// Returns the offset in the buffer: the sum of step * value over the axes whose value is set.
loop_expr *contract_position(const contract_emission *e, contract_which which);
// Returns the offset at which panel `panel` of the packed b begins, for the axis values in e.
loop_expr *contract_panel_base(const contract_emission *e, loop_expr *panel);
// Splits a unit's number into one value for each extent, outermost first.
void contract_split_unit(const contract_emission *e, loop_block *block, loop_expr *unit,
                         loop_expr *const *extents, int count, loop_expr **out_values);
// Passes one vector of sums, at the axis values in e, to the epilogue.
bool contract_finish(const contract_emission *e, loop_block *block, loop_expr *sums,
                     loop_expr *mask);
// Lists what the epilogue will read there for a vector of sums (contract_env.reads).
int contract_finish_reads(const contract_emission *e, int lanes,
                          contract_place places[CONTRACT_MOST_READS]);

// Returns the number of steps of the reduced axis at `level`, rounded up to whole groups. The
// other functions return the lines of packed b, as an extent and as code: one for each step,
// plus the correction line.
loop_expr *contract_steps(const contract_emission *e, int level);
pir_dim contract_lines_dim(const contract_form *f, int level);
loop_expr *contract_lines(const contract_emission *e, int level);
// Returns the lines of packed b that one step at this level passes (-1: of a panel), times
// `width`.
loop_expr *contract_lines_below(const contract_emission *e, int level, loop_expr *width);
// Returns the number of elements in one step of that axis.
int contract_step_size(const contract_form *f, int level);

// Loads the elements of a for one row: a single one, or a group of which the first `count`
// exist.
loop_expr *contract_load_a(const contract_emission *e, loop_expr *at, int count);
// Whether each run of groups of b ends with a correction line, which is added to the sums; and
// the correction for these lanes of b.
bool contract_is_corrected(const contract_form *f);
loop_expr *contract_correction(const contract_emission *e, loop_expr *lanes, loop_expr *sum);
// Loads lanes of b in the form that the kernel multiplies: of step k of the last reduced axis
// if that is grouped.
loop_expr *contract_pack_lanes(contract_emission *e, loop_block *block, loop_expr *k,
                               loop_expr *at, loop_expr *mask);
// Returns the element type of packed b, and of the factors in a step.
pir_dtype contract_lane_dtype(const contract_form *f);

// Returns a * b + sum, fused if the target has FMA.
loop_expr *contract_product(const contract_emission *e, loop_expr *a, loop_expr *b,
                            loop_expr *sum);
// Fetches e->fetch.step elements, from `at` on, into the L2 cache; where their number is open,
// `otherwise` of them.
void contract_fetch(const contract_emission *e, loop_block *block, loop_expr *at,
                    int64_t otherwise);
// Loads one vector of b, starting at lane `at`, at the axis values in e; lanes excluded by
// `mask` are zero.
loop_expr *contract_load_lanes(contract_emission *e, loop_expr *at, loop_expr *mask);

pir_dim contract_packed_bytes(const contract_form *f);
pir_status contract_emit_packing(const contract_form *f, const contract_env *env,
                                 const char *name, uint16_t from, uint16_t to,
                                 contract_stage *out_stage);
pir_status contract_emit_panels(const contract_form *f, const contract_env *env,
                                const char *name, uint16_t b_slot, contract_stage *out_stage);
// Returns the stride of one step of the reduced axis at `level` in a (in b).
loop_expr *contract_tap_step_a(const contract_emission *e, int level);
loop_expr *contract_tap_step_b(const contract_emission *e, int level);

// Sets the range of taps that are inside at `position` (NULL: 0).
void contract_tap_range(const contract_emission *e, const contract_window *w,
                        loop_expr *position, loop_expr **out_begin, loop_expr **out_end);
// Whether the axis is one of the form's strip; and the number of points of a strip.
bool contract_in_strip(const contract_form *f, int axis);
int64_t contract_strip_points(const contract_form *f);

// Emits one panel at the outer axis values in e: the tile with this number, or the positions
// that e->from, e->to and e->rows state.
bool contract_emit_panel(contract_emission *e, loop_block *block, loop_expr *panel,
                         loop_expr *tile_number);
// ---- minimal filtering

enum { CONTRACT_MAX_POINTS = 7 };

typedef struct contract_matrix {
  int rows, columns;
  double at[CONTRACT_MAX_POINTS][CONTRACT_MAX_POINTS];
} contract_matrix;

// A minimal filter along one axis: out = outward [ (kernel taps) * (inward inputs) ].
// contract_filter.c
typedef struct contract_filter {
  int taps, stride, outputs, inputs, points;
  contract_matrix inward, kernel, outward;
} contract_filter;

// Returns false if no such filter exists, or `math` permits none.
bool contract_filter_make(int outputs, int taps, int stride, pir_math math,
                          contract_filter *out);

// out = m in n^T, for row-major matrices of vectors. contract_filter.c
void contract_transform(const contract_emission *e, loop_block *block, const contract_matrix *m,
                        const contract_matrix *n, loop_expr *const *in, loop_expr **out);

// A spatial axis of the image, which is divided into patches.
typedef struct contract_slide {
  int position, tap;  // axes of the form; tap -1: a single one
  int64_t stride;     // inputs from position to position
  int64_t offset;     // offset of the first input of position 0
  pir_dim extent;     // extent of the image, if there are taps
  contract_filter filter;
} contract_slide;

// The choice of minimal filtering: the sliding axes, the filters and the sizes.
// contract_winograd.c
typedef struct contract_winograd {
  contract_slide slide[2];  // rows and columns
  int image;                // axis of the images, or -1
  int channel;              // axis of the input channels
  int64_t channels;
  int wide;          // lanes of the transform of inputs
  int vector;        // lanes of a vector of sums
  int vectors;       // of a panel
  int tiles;         // patches of a unit
  int rows_of_tile;  // patches whose sums are in registers at once, at most
  int panels;        // panels of a unit
  bool fetches;      // the next taps are fetched into the L2 cache
} contract_winograd;

void contract_winograd_describe(const contract_winograd *how, char *out, size_t size);
pir_status contract_emit_winograd(const contract_form *f, const contract_winograd *how,
                                  const contract_env *env, const char *name,
                                  contract_code *out_code);

#endif
