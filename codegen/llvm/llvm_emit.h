// The entry points of the LLVM IR emitter.
#ifndef PIR_LLVM_EMIT_H
#define PIR_LLVM_EMIT_H

#include "llvm_backend.h"

#include <llvm-c/Core.h>

// Emits one LLVM module with one exported function, a pir_stage_fn, for each function of
// `module`; NULL with a reason in `message` on failure. Later passes must not vectorise again
// and must run SROA, because registers are allocas. jit.c adds the target attributes of
// functions.
LLVMModuleRef pir_llvm_emit(LLVMContextRef context, const loop_module *module,
                            const pir_target *target, char *message, size_t capacity);

#endif
