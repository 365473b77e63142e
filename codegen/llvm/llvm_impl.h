// What the files of the LLVM library share. Only this folder sees LLVM, and only its C API.
#ifndef PIR_LLVM_IMPL_H
#define PIR_LLVM_IMPL_H

#include <llvm-c/Core.h>
#include <pir/codegen.h>

#include "loop.h"

// Emits every function of a module as an exported `void name(const pir_group_args *, i64, i64, ptr)` with the
// target's attributes. Vector code is final: the pipeline that follows must not vectorise again, needs SROA
// and mem2reg (registers are allocas), and may unroll. PIR_UNSUPPORTED when a function holds something that
// cannot be emitted; `out_what` then says what (static text).
pir_status pir_llvm_emit(const loop_module *m, const pir_target *target, LLVMContextRef ctx, const char *module_name,
                         LLVMModuleRef *out_module, const char **out_what);

// ---- inside the emitter

typedef struct emitter {
  LLVMContextRef ctx;
  LLVMModuleRef module;
  LLVMBuilderRef b;
  const pir_target *target;
  const loop_fn *fn;
  LLVMValueRef function;      // the one with the body
  LLVMBasicBlockRef entry;    // allocas go here
  LLVMValueRef *vars;         // by loop_var id
  LLVMValueRef *bases;        // memory buffers: pointer, by buffer id
  LLVMValueRef **registers;   // register buffers: allocas, by buffer id
  LLVMValueRef dims;          // pointer to the run-time extents
  LLVMValueRef *dim_values;
  int64_t dim_count;
  uint64_t statement;         // number of the statement that is being emitted, for shared expressions
  const char *unsupported;    // the first thing that could not be emitted
} emitter;

LLVMTypeRef pir_llvm_type(emitter *e, pir_dtype dtype, unsigned lanes);
LLVMValueRef pir_llvm_expr(emitter *e, loop_expr *x);
LLVMValueRef pir_llvm_splat(emitter *e, LLVMValueRef scalar, unsigned lanes);
LLVMValueRef pir_llvm_const_float(emitter *e, pir_dtype dtype, unsigned lanes, double f);
LLVMValueRef pir_llvm_const_int(emitter *e, pir_dtype dtype, unsigned lanes, int64_t i);
// Calls an intrinsic overloaded on `types`.
LLVMValueRef pir_llvm_intrinsic(emitter *e, const char *name, LLVMTypeRef *types, unsigned type_count, LLVMValueRef *args,
                                unsigned arg_count);
// A function of the math library on floats of `lanes` lanes: polynomials inline where a model spends time,
// else one call a lane. b is NULL for unary ones.
LLVMValueRef pir_llvm_math(emitter *e, pir_node_op fn, pir_dtype dtype, unsigned lanes, LLVMValueRef a, LLVMValueRef b);
// f32 to 16-bit floats and back, as i16 bits.
LLVMValueRef pir_llvm_widen(emitter *e, pir_dtype from, LLVMValueRef bits, unsigned lanes);
LLVMValueRef pir_llvm_narrow(emitter *e, pir_dtype to, LLVMValueRef value, unsigned lanes);

#endif
