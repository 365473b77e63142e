// Many rows times weights that packed b holds in a narrower type. A kernel for few rows widens
// each line of b in registers, again for each tile of rows. With many rows it is cheaper to
// widen a panel once, into scratch, where all tiles of the ordinary kernel read it. Both
// kernels read the same packed b; the number of rows of a run decides between them.
#ifndef PIR_WIDENED_PANEL_H
#define PIR_WIDENED_PANEL_H

#include "contract_impl.h"

// Where the number of rows is open and weights are held in a narrower type, adds a stage for
// many rows behind the last one, which then runs for few rows only. The stages read packed b
// from this slot.
pir_status contract_add_many_rows(const contract_form *few, const contract_env *env,
                                  const char *name, uint16_t b_slot, contract_code *code);

// Opens packed b as an argument, and the scratch that holds a widened panel as the b of the
// emission.
void contract_open_widened(contract_emission *e, uint16_t b_slot);
// Emits the widening of a panel in front of the first of the units that read it: of all, and of
// those that this call of the stage does. `values` are the parts of the unit's number behind
// the panel's.
void contract_widen_panel(const contract_emission *e, loop_block *block, loop_expr *panel,
                          loop_expr *unit, loop_expr *const *values, int count);

#endif
