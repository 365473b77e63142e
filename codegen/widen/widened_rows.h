// Stages that widen the elements of a before they are multiplied: bytes to words or floats.
#ifndef PIR_WIDENED_ROWS_H
#define PIR_WIDENED_ROWS_H

#include "contract_impl.h"

// Whether the tensor is all of its memory.
bool contract_is_dense(pir_dims *dims, const contract_tensor *t);
// Whether a is to be widened to words by a stage of its own, before all panels.
bool contract_widens_a(const contract_form *f);
// Emits the stage that widens `a` to another type, and makes `widened` what it writes.
void contract_widen_a(const contract_form *f, const contract_env *env, const char *name,
                      const char *suffix, const contract_tensor *a, pir_dtype to,
                      contract_tensor *widened, contract_stage *out_stage);

#endif
