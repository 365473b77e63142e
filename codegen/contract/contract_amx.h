// The kernel for tile registers (AMX).
#ifndef PIR_CONTRACT_AMX_H
#define PIR_CONTRACT_AMX_H

#include "contract_impl.h"

void contract_choose_tile_groups(contract_form *f, const pir_target *target);
// Whether tile registers multiply the contraction once the borders of a are written out: zeros
// where an index leaves it. Then *bordered is that contraction, except for its buffer, and
// *out_form its form.
bool contract_borders_a(const contract_form *f, const contract_env *env, contraction *bordered,
                        contract_form *out_form);
// Emits the stage that copies a with its borders to a new buffer, and makes that the a of
// `bordered`.
void contract_border_a(const contract_form *f, const contract_env *env, const char *name,
                       contraction *bordered, contract_stage *out_stage);
void contract_schedule_tiles(contract_form *f, const pir_target *target, int64_t lanes,
                             bool panel_inner);
// Whether so few units read a panel that each may fetch the next one.
bool contract_meets_panel_few_times(const contract_form *f);
// Emits the unit of rows with this number.
bool contract_emit_tile_block(contract_panel *p, loop_block *block, loop_expr *number);
void contract_begin_tiles(contract_emission *e);
void contract_release_tiles(const contract_emission *e);

#endif
