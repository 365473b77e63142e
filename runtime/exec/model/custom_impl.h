// Types and functions that the files of custom ops share.
#ifndef PIR_CUSTOM_IMPL_H
#define PIR_CUSTOM_IMPL_H

#include "frame.h"
#include <pir/engine/custom.h>
#include <pir/compiler/opdef.h>

// Builds an op's table from its declaration (custom_decl.c): names, operands, attributes and
// results, at most `most` of each. The other fields of `out` are unchanged. All memory comes
// from `memory`.
pir_status pir_custom_declare(pir_arena *memory, const pir_custom_op *from, int most,
                              pir_opdef *out, pir_message *message);

#endif
