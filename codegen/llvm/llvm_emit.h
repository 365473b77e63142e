// The entry points of the LLVM IR emitter.
#ifndef PIR_LLVM_EMIT_H
#define PIR_LLVM_EMIT_H

#include "llvm_backend.h"

#include <llvm-c/Core.h>

// One LLVM module with an exported function for each of `module`, a pir_stage_fn, or NULL with
// a reason in `message`. Vector code is final: what follows must not vectorise again, and needs
// SROA (registers are allocas). Functions get their target attributes later (jit.c).
LLVMModuleRef pir_llvm_emit(LLVMContextRef context, const loop_module *module,
                            const pir_target *target, char *message, size_t capacity);

#endif
