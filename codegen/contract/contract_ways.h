// Ways of the panel kernel beside the plain one: tile registers, and widened elements.
#ifndef PIR_CONTRACT_WAYS_H
#define PIR_CONTRACT_WAYS_H

#include "contract_impl.h"

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

// ---- tile registers (AMX): contract_amx.c

// Returns the number of groups in a row of a tile; 0: the reduced axis does not divide into
// such rows, or the processor has no tiles.
int contract_tile_groups(const contract_form *f, const pir_target *target);
void contract_choose_tile_groups(contract_form *f, const pir_target *target);
void contract_schedule_tiles(contract_form *f, const pir_target *target, int64_t lanes,
                             bool panel_inner);
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

#endif
