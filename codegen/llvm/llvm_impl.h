// Types and functions that the files of the LLVM IR emitter share.
#ifndef PIR_LLVM_IMPL_H
#define PIR_LLVM_IMPL_H

#include "llvm_emit.h"

typedef struct emitter {
  LLVMContextRef ctx;
  LLVMModuleRef module;
  LLVMBuilderRef b;
  const pir_target *target;
  const loop_fn *fn;
  LLVMValueRef function;     // the one with the body
  LLVMBasicBlockRef entry;   // allocas go here
  LLVMValueRef *vars;        // by loop_var id
  LLVMValueRef *bases;       // memory buffers: pointer, by buffer id
  LLVMValueRef *large;       // argument buffers: whether stores pass by the caches, or NULL
  LLVMValueRef **registers;  // register buffers: allocas, by buffer id
  LLVMValueRef dims;         // pointer to the run-time extents
  LLVMValueRef trap;         // pointer to the number of the check that failed, or NULL
  const char *unsupported;   // the first thing that could not be emitted
} emitter;

LLVMTypeRef pir_llvm_type(emitter *e, pir_dtype dtype, unsigned lanes);
LLVMValueRef pir_llvm_expr(emitter *e, loop_expr *x);
// Of an element; a vector of addresses when `index` is one.
LLVMValueRef pir_llvm_address(emitter *e, const loop_buffer *buffer, loop_expr *index);
// The alloca of a register; NULL, with `unsupported` set, when its index is no constant within
// bounds.
LLVMValueRef pir_llvm_register(emitter *e, const loop_buffer *buffer, loop_expr *index);
LLVMValueRef pir_llvm_splat(emitter *e, LLVMValueRef scalar, unsigned lanes);
LLVMValueRef pir_llvm_const_float(emitter *e, pir_dtype dtype, unsigned lanes, double f);
LLVMValueRef pir_llvm_const_int(emitter *e, pir_dtype dtype, unsigned lanes, int64_t i);
// Calls an intrinsic overloaded on `types`.
LLVMValueRef pir_llvm_intrinsic(emitter *e, const char *name, LLVMTypeRef *types,
                                unsigned type_count, LLVMValueRef *args, unsigned arg_count);
// A function of the math library on floats of `lanes` lanes: polynomials inline where a model
// spends time, else one call a lane. b is NULL for unary ones.
LLVMValueRef pir_llvm_math(emitter *e, pir_node_op fn, pir_dtype dtype, unsigned lanes,
                           LLVMValueRef a, LLVMValueRef b);
// f32 to 16-bit floats and back, as i16 bits.
LLVMValueRef pir_llvm_widen(emitter *e, pir_dtype from, LLVMValueRef bits, unsigned lanes);
LLVMValueRef pir_llvm_narrow(emitter *e, pir_dtype to, LLVMValueRef value, unsigned lanes);

#endif
