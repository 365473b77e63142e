// Weights that packed b holds in a narrower type, times few rows and times many. A kernel for
// few rows widens each line of b in registers, again for each tile of rows. With many rows it is
// cheaper to widen a panel once, into scratch, where all tiles of the ordinary kernel read it.
// Both kernels read the same packed b; the number of rows of a run decides between them.
//
// Rows of bytes (--math=int8) are multiplied by whole numbers in groups, as dot products of
// bytes or words, where there are many rows: the sums of integers, each of a group of rows of
// weights that has its scales, become floats. For few rows, which take the time of reading b,
// the bytes become floats first.
#ifndef PIR_WIDENED_PANEL_H
#define PIR_WIDENED_PANEL_H

#include "contract_impl.h"

// Whether rows are bytes that are multiplied by whole numbers in groups, and the sums floats.
bool contract_has_rounded_rows(const contract_form *f, const pir_target *target);

// Emits the stages that multiply: for few rows, for many, or for both. `few` is the form for few
// rows, which is used for any number of rows where nothing is gained. Packed b is in this slot.
// Rounded rows: `floats` is the contraction of `few`, whose a these stages make; else NULL.
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

// ---- for the files of this folder

// Whether the kernel for many rows multiplies groups of whole numbers, where the one for few
// rows multiplies floats.
static inline bool contract_makes_groups(const contract_form *many) {
  return many->compute != many->narrow->compute;
}
// Lines of a panel, whose number is known, because b is packed at load.
int64_t contract_known_lines(const contract_form *f);

#endif
