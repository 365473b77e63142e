// The tiles of the panel kernel, and its ways beside the plain one: groups, tile registers,
// copies and widened elements; and the kernels of devices.
#ifndef PIR_CONTRACT_WAYS_H
#define PIR_CONTRACT_WAYS_H

#include "contract_impl.h"

// ---- the tiles of a panel and their taps: contract_taps.c

enum { MAX_BORDER_TAPS = 16 };  // longer axes of taps are walked by border pixels

typedef enum contract_border { BORDER_NONE, BORDER_ROWS, BORDER_TAPS } contract_border;

typedef struct panel_tile {
  contract_panel *p;
  int rows;
  int parts, part;      // sets of partial sums that consecutive steps add to; the current one
  bool whole;           // in the loop over the steps that remain after the last full set
  bool chunked;         // inside of a chunk
  loop_buffer *totals;  // scratch: the sums of the chunks so far; NULL: there is one chunk
  loop_buffer *chunks;  // register: how many have begun
  loop_expr *place;     // strips: where the totals of the point in hand begin
  loop_expr *at[CONTRACT_MAX_VARS];  // strips: the step of each axis whose loop is open
  contract_border border;
  int tap;                       // the axis that slides along the tile, or -1
  int order[CONTRACT_MAX_VARS];  // levels of the taps, outermost first
  // BORDER_ROWS: rows for which each tap lies inside.
  int low[MAX_BORDER_TAPS], high[MAX_BORDER_TAPS];
  // BORDER_TAPS: taps that lie inside.
  loop_expr *begin, *end;
  // Of each vector of the panel: a register a row and part.
  loop_buffer *sums[CONTRACT_MOST_VECTORS];
  loop_expr *row_step;
} panel_tile;

// The state of a walk over the taps: offsets in a and b, and the rows for which its taps are
// inside.
typedef struct contract_walk {
  loop_expr *a, *b;
  loop_expr *fetch;  // position from which a step fetches; NULL: none
  int low, high;
} contract_walk;

// Returns the index of the row's sum in the register buffer of each vector.
loop_expr *contract_sum_place(const panel_tile *t, int row);
// Loads the sum of a row and a vector.
loop_expr *contract_load_sum(const panel_tile *t, int row, int v);
// Stores it; adds a product to it.
void contract_store_sum(const panel_tile *t, loop_block *block, int row, int v, loop_expr *sum);
void contract_add_product(const panel_tile *t, loop_block *block, int row, int v, loop_expr *a,
                          loop_expr *b);
// Orders the reduced axes and emits the loops over them, which add all products to the sums.
void contract_add_taps(panel_tile *t, loop_block *block, contract_walk from);
// Strips: opens loops over the points, which are the values of their axes in the emission until
// contract_close_strip.
loop_block *contract_open_strip(panel_tile *t, loop_block *block);
void contract_close_strip(panel_tile *t);
// The totals become the sums, which are floats then.
void contract_take_totals(panel_tile *t, loop_block *block);

// ---- groups of small elements: contract_dots.c

// Whether packed dot products (bf16, words or bytes) apply; sets form->group.
void contract_choose_group(contract_form *form, const contract_env *env);
// Whether groups are multiplied faster than their elements: pairs of bf16 in tile registers, or
// where an instruction multiplies them in less time than it takes to multiply two floats.
bool contract_gains_by_group(const contract_form *f, const pir_target *target);
// How many bytes one instruction multiplies in a lane: fours of bytes, or pairs as words; 1:
// none.
int contract_bytes_at_once(const pir_target *target);
// Widens lanes of packed b that are held in a narrower type.
loop_expr *contract_widen_line(const contract_emission *e, loop_expr *lanes);
// Whole numbers, a group in each lane. Returns the i-th one of each lane as a float.
loop_expr *contract_number(const contract_emission *e, loop_expr *lanes, int i);
// Every other one of eight numbers in each lane, from number `half` on, as bytes without a
// sign: the numbers raised by 8.
loop_expr *contract_number_bytes(const contract_emission *e, loop_expr *lanes, int half);
// Emits one step of whole numbers: a lane of each vector of the line holds a group of them,
// which add to the partial sums in turn.
void contract_add_numbers(const panel_tile *t, loop_block *block, const contract_walk *w);

// ---- tile registers (AMX): contract_amx.c

// Returns the number of groups in a row of a tile; 0: the reduced axis does not divide into
// such rows, or the processor has no tiles.
int contract_tile_groups(const contract_form *f, const pir_target *target);
void contract_choose_tile_groups(contract_form *f, const pir_target *target);
void contract_schedule_tiles(contract_form *f, const pir_target *target, int64_t lanes,
                             bool panel_inner);
// Whether the rows are, or may be, so few that one block of tiles has them all, and they take
// the time of reading b: its whole lines are fetched then, and a panel has one part. The sums
// are added as by `f`. Sets *out_few, whose `rows` are the most such rows.
bool contract_has_one_block(const contract_form *f, contract_form *out_few);
// Emits the unit of rows with this number.
bool contract_emit_tile_block(contract_panel *p, loop_block *block, loop_expr *number);
void contract_begin_tiles(contract_emission *e);
void contract_release_tiles(const contract_emission *e);

// ---- copies of a: contract_copy.c

// Whether tile registers multiply the contraction once the borders of a are written out: zeros
// where an index leaves it. Then *bordered is that contraction, except for its buffer, and
// *out_form its form.
bool contract_borders_a(const contract_form *f, const contract_env *env, contraction *bordered,
                        contract_form *out_form);
// The same for groups of few channels, behind which there are zeros, too.
bool contract_pads_channels(const contract_form *f, const contract_env *env,
                            contraction *padded, contract_form *out_form);
// Emits the stage that copies a to a new buffer, as the form of the copy wants it, and makes
// that the a of `copied`.
void contract_copy_a(const contract_form *f, const contract_env *env, const char *name,
                     const contract_form *copied_form, contraction *copied,
                     contract_stage *out_stage);

// ---- elements of a: contract_widen.c

// Whether the tensor is all of its memory.
bool contract_is_dense(pir_dims *dims, const contract_tensor *t);
// Whether a is to be widened to words by a stage of its own, before all panels.
bool contract_widens_a(const contract_form *f);
// Emits the stage that widens `a` to another type; `widened` becomes its result.
void contract_widen_a(const contract_form *f, const contract_env *env, const char *name,
                      const char *suffix, const contract_tensor *a, pir_dtype to,
                      contract_tensor *widened, contract_stage *out_stage);

// ---- elements of packed b: contract_widen.c

// Whether rows are bytes that are multiplied by whole numbers in groups, and the sums floats.
bool contract_has_rounded_rows(const contract_form *f, const pir_target *target);

// Bytes of a row of ordered bytes, in front of the sums of its groups.
int64_t contract_ordered_bytes(const contract_form *f);

// Emits the stages that multiply: for few rows, for many, or for both. `few` is the form for
// few rows, which is used for any number of rows where nothing is gained. Packed b is in this
// slot. Rounded rows: `floats` is the contraction of `few`, whose a these stages make; else
// NULL.
pir_status contract_emit_rows(const contract_form *few, contraction *floats,
                              const contraction *c, const contract_env *env, const char *name,
                              uint16_t b_slot, contract_code *code);

// Opens packed b as an argument, and the scratch that holds a widened panel as the b of the
// emission.
void contract_open_widened(contract_emission *e, uint16_t b_slot);
// Emits the widening of a panel in front of the first of the units that read it: of all, and of
// those that this call of the stage does. `values` are the parts of the unit's number behind
// the panel's.
void contract_widen_panel(const contract_emission *e, loop_block *block, loop_expr *panel,
                          loop_expr *unit, loop_expr *const *values, int count);

// ---- devices: contract_device.c, contract_tile.c

// Devices: how products are made. By threads, or on tensor cores from fragments of 16-bit
// floats, or of f32 rounded to tf32.
typedef enum contract_products {
  CONTRACT_BY_THREADS,
  CONTRACT_BY_HALVES,
  CONTRACT_BY_ROUNDED
} contract_products;
contract_products contract_choose_products(const contraction *c, const pir_target *target,
                                           pir_math math);
// Returns the product of the extents of the form's axes with these numbers.
pir_dim contract_product_of(const contract_form *f, const int *axes, int count);
// Lists the axes of a role, outermost in out first, and returns their number.
int contract_axes_of(const contract_form *f, contract_role role, int *out_axes);
// Emits the kernel for a device: tiles, or the plain one.
pir_status contract_emit_device(const contract_form *f, const contract_env *env,
                                const char *name, contract_code *out_code);
// Emits the tiled kernel for a device; false if there are too few rows, columns or reduced
// elements.
bool contract_fits_tile(const contract_form *f, const pir_machine *machine);
pir_status contract_emit_tiles(const contract_form *f, const contract_env *env,
                               const char *name, contract_code *out_code);

// Tiles whose terms are summed in parts. Each part has its sums in the order of out.
typedef struct contract_split {
  int64_t parts;    // 0: the terms are summed at once
  int64_t terms;    // of a part; the last one may have fewer
  int64_t results;  // from a part's sums to the next one's
  uint16_t slot;    // buffer of all of them
} contract_split;

// Chooses parts for tiles of `size` rows and columns and steps of `step` terms.
contract_split contract_choose_split(const contract_form *f, const pir_target *target,
                                     int64_t size, int64_t step);
// Emits the kernel that adds the sums of the parts, in their order, and runs the epilogue.
pir_status contract_emit_sum(const contract_form *f, const contract_env *env, const char *name,
                             const contract_split *split, contract_stage *out_stage);

#endif
