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
  LLVMValueRef *vars;        // values by loop_var id
  loop_expr **lets;          // what a LOOP_LET bound to it, by loop_var id; else NULL
  LLVMValueRef *bases;       // memory buffers: pointer, by buffer id
  LLVMValueRef *large;       // argument buffers: whether stores pass by the caches, or NULL
  LLVMValueRef **registers;  // register buffers: allocas, by buffer id
  LLVMValueRef dims;         // pointer to the run-time extents
  LLVMValueRef trap;         // pointer to the number of the check that failed, or NULL
  const char *unsupported;   // the first thing that could not be emitted
} emitter;

LLVMTypeRef pir_llvm_type(emitter *e, pir_dtype dtype, unsigned lanes);
LLVMValueRef pir_llvm_expr(emitter *e, loop_expr *x);
// Returns the address of an element; a vector of addresses if `index` is a vector.
LLVMValueRef pir_llvm_address(emitter *e, const loop_buffer *buffer, loop_expr *index);
// Returns the alloca of a register; NULL with `unsupported` set if its index is not a constant
// within bounds.
LLVMValueRef pir_llvm_register(emitter *e, const loop_buffer *buffer, loop_expr *index);
LLVMValueRef pir_llvm_splat(emitter *e, LLVMValueRef scalar, unsigned lanes);
LLVMValueRef pir_llvm_const_float(emitter *e, pir_dtype dtype, unsigned lanes, double f);
LLVMValueRef pir_llvm_const_int(emitter *e, pir_dtype dtype, unsigned lanes, int64_t i);
// Calls an intrinsic overloaded on `types`.
LLVMValueRef pir_llvm_intrinsic(emitter *e, const char *name, LLVMTypeRef *types,
                                unsigned type_count, LLVMValueRef *args, unsigned arg_count);
// Emits a math function on floats of `lanes` lanes: an inline polynomial for the functions that
// matter to models, else one call for each lane. b is NULL for unary functions.
LLVMValueRef pir_llvm_math(emitter *e, pir_node_op fn, pir_dtype dtype, unsigned lanes,
                           LLVMValueRef a, LLVMValueRef b);
// Emits a cast of rounded floats, which the expression holds between the ends of i8, to i8: by
// the instructions that round and that narrow with saturation. NULL: the expression is another
// one, or the target lacks them.
LLVMValueRef pir_llvm_rounded_byte(emitter *e, const loop_expr *cast);
// Converts f32 to 16-bit floats (as i16 bits) and back.
LLVMValueRef pir_llvm_widen(emitter *e, pir_dtype from, LLVMValueRef bits, unsigned lanes);
LLVMValueRef pir_llvm_narrow(emitter *e, pir_dtype to, LLVMValueRef value, unsigned lanes);

#endif
