// Compiles loop IR to an object: emits LLVM IR, optimises it, generates code. Each call has its
// own LLVM context and target machine, so calls may run in parallel. The pass list is short on
// purpose. The input already has its final loops, explicit vectors and explicit tiles; it needs
// promotion to registers, common subexpression elimination and loop-invariant code motion.
// Unrollers and vectorisers would undo the schedule.
#include "backend_sources.h"
#include "llvm_emit.h"

#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

// Numbering of values over the whole function (gvn) and a second round of combining found
// nothing that made code faster, and took half of the time of the passes.
#define PASSES                                                                                 \
  "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(licm),"       \
  "early-cse<memssa>)"

static pir_status say(char *message, size_t capacity, pir_status status, const char *what,
                      const char *detail) {
  pir_text_format(message, capacity, "%s: %s", what, detail ? detail : "no reason given");
  return status;
}

static void add_text_attribute(LLVMContextRef context, LLVMValueRef fn, const char *key,
                               const char *value) {
  LLVMAttributeRef a = LLVMCreateStringAttribute(context, key, (unsigned)strlen(key), value,
                                                 (unsigned)strlen(value));
  LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, a);
}

static void add_target_attributes(LLVMContextRef context, LLVMModuleRef module,
                                  const pir_target *target) {
  char bits[16];
  pir_text_format(bits, sizeof bits, "%d", target->vector_bytes * 8);
  for (LLVMValueRef fn = LLVMGetFirstFunction(module); fn; fn = LLVMGetNextFunction(fn)) {
    if (LLVMIsDeclaration(fn))
      continue;
    add_text_attribute(context, fn, "target-features", target->features);
    add_text_attribute(context, fn, "tune-cpu", target->cpu);
    add_text_attribute(context, fn, "prefer-vector-width", bits);
    add_text_attribute(context, fn, "min-legal-vector-width", bits);
  }
}

// Registers LLVM's targets in a constructor: it runs once, under the loader's lock, before any
// thread can compile.
__attribute__((constructor)) static void register_targets(void) {
#define REGISTER(target)                                                                       \
  LLVMInitialize##target##TargetInfo();                                                        \
  LLVMInitialize##target##Target();                                                            \
  LLVMInitialize##target##TargetMC();                                                          \
  LLVMInitialize##target##AsmPrinter();
  REGISTER(X86)
  REGISTER(AArch64)
#undef REGISTER
}

static LLVMTargetMachineRef create_machine(const pir_target *target, char *message,
                                           size_t capacity) {
  LLVMTargetRef llvm = NULL;
  char *error = NULL;
  if (LLVMGetTargetFromTriple(target->triple, &llvm, &error)) {
    say(message, capacity, PIR_UNAVAILABLE, "this LLVM has no such target", error);
    LLVMDisposeMessage(error);
    return NULL;
  }
  const char *least = strncmp(target->triple, "x86_64", 6) ? "generic" : "x86-64";
  // Less than the default: it leaves out passes over whole functions that find nothing to do in
  // vectors and tiles that are explicit.
  return LLVMCreateTargetMachine(llvm, target->triple, least, target->features,
                                 LLVMCodeGenLevelLess, LLVMRelocPIC, LLVMCodeModelSmall);
}

static pir_status optimise(LLVMModuleRef module, LLVMTargetMachineRef machine, char *message,
                           size_t capacity) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(module, PASSES, machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return PIR_OK;
  char *text = LLVMGetErrorMessage(error);
  pir_status status = say(message, capacity, PIR_INTERNAL, "LLVM passes", text);
  LLVMDisposeErrorMessage(text);
  return status;
}

// The value by which a count grows in a loop; NULL where `phi` is no count.
static LLVMValueRef next_count(LLVMValueRef phi) {
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef next = LLVMGetIncomingValue(phi, i);
    if (LLVMIsAInstruction(next) && LLVMGetInstructionOpcode(next) == LLVMAdd &&
        (LLVMGetOperand(next, 0) == phi || LLVMGetOperand(next, 1) == phi))
      return next;
  }
  return NULL;
}

// Puts an empty instruction behind the value, whose result nobody can tell.
static void hide_value(LLVMBuilderRef b, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value), like = LLVMFunctionType(type, &type, 1, false);
  LLVMValueRef nothing =
      LLVMGetInlineAsm(like, "", 0, "=r,0", 4, false, false, LLVMInlineAsmDialectATT, false);
  LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(value));
  LLVMValueRef hidden = LLVMBuildCall2(b, like, nothing, &value, 1, "");
  LLVMReplaceAllUsesWith(value, hidden);
  LLVMSetOperand(hidden, 0, value);
}

// The constant by which `user` multiplies the count; 0 if it does something else.
static uint64_t factor_of(LLVMValueRef user, LLVMValueRef count) {
  LLVMOpcode op = LLVMGetInstructionOpcode(user);
  if ((op != LLVMMul && op != LLVMShl) || LLVMGetOperand(user, 0) != count ||
      !LLVMIsAConstantInt(LLVMGetOperand(user, 1)))
    return 0;
  uint64_t constant = LLVMConstIntGetZExtValue(LLVMGetOperand(user, 1));
  if (op == LLVMMul)
    return constant;
  return constant < 64 ? (uint64_t)1 << constant : 0;
}

// A count of its own for a multiple of the count: a processor adds in more places than it
// multiplies, and one of these is where it multiplies vectors.
static LLVMValueRef create_multiple(LLVMBuilderRef b, LLVMValueRef count, LLVMValueRef next,
                                    LLVMValueRef step, uint64_t factor) {
  LLVMTypeRef type = LLVMTypeOf(count);
  unsigned before = LLVMGetIncomingValue(count, 0) == next;
  LLVMBasicBlockRef blocks[] = {LLVMGetIncomingBlock(count, before),
                                LLVMGetIncomingBlock(count, !before)};
  LLVMValueRef by = LLVMConstInt(type, factor, false), values[2];
  LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(blocks[0]));
  values[0] = LLVMBuildMul(b, LLVMGetIncomingValue(count, before), by, "");
  LLVMPositionBuilderBefore(b, count);
  LLVMValueRef multiple = LLVMBuildPhi(b, type, "");
  LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(next));
  values[1] = LLVMBuildAdd(
      b, multiple, LLVMConstInt(type, factor * LLVMConstIntGetZExtValue(step), false), "");
  LLVMAddIncoming(multiple, values, blocks, 2);
  hide_value(b, values[1]);
  return multiple;
}

// Only where the loop adds a constant to a count of 64 bits, as all counts of indices are.
static void add_instead_of_multiplying(LLVMBuilderRef b, LLVMValueRef count,
                                       LLVMValueRef next) {
  LLVMValueRef step = LLVMGetOperand(next, LLVMGetOperand(next, 0) == count);
  if (LLVMCountIncoming(count) != 2 || !LLVMIsAConstantInt(step) ||
      LLVMGetIntTypeWidth(LLVMTypeOf(count)) != 64)
    return;
  for (LLVMUseRef use = LLVMGetFirstUse(count), after; use; use = after) {
    LLVMValueRef user = LLVMGetUser(use);
    after = LLVMGetNextUse(use);
    uint64_t factor = factor_of(user, count);
    if (!factor)
      continue;
    LLVMReplaceAllUsesWith(user, create_multiple(b, count, next, step, factor));
    LLVMInstructionEraseFromParent(user);
  }
}

// LLVM's strength reduction takes as long as all other passes together, mostly to find that
// addresses at constant distances are one address, as they are already (pir_llvm_address). It
// looks for counts that grow by the same number in every step, and there is no other way to
// keep it from a module than to show it none. The rest of its work is that multiples are
// counted.
static void hide_counts(LLVMContextRef context, LLVMModuleRef module) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
  for (LLVMValueRef fn = LLVMGetFirstFunction(module); fn; fn = LLVMGetNextFunction(fn))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block;
         block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef phi = LLVMGetFirstInstruction(block); phi && LLVMIsAPHINode(phi);
           phi = LLVMGetNextInstruction(phi)) {
        bool is_integer = LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMIntegerTypeKind;
        LLVMValueRef next = is_integer ? next_count(phi) : NULL;
        if (!next)
          continue;
        add_instead_of_multiplying(b, phi, next);
        hide_value(b, next);
      }
  LLVMDisposeBuilder(b);
}

static pir_status copy_out(const char *data, size_t size, pir_emitted *out) {
  out->data = malloc(size + 1);
  if (!out->data)
    return PIR_EXHAUSTED;
  memcpy(out->data, data, size);
  out->data[size] = 0;
  out->size = size;
  return PIR_OK;
}

static pir_status print_module(LLVMModuleRef module, pir_emitted *out) {
  char *text = LLVMPrintModuleToString(module);
  pir_status status = copy_out(text, strlen(text), out);
  LLVMDisposeMessage(text);
  return status;
}

static pir_status generate(LLVMModuleRef module, LLVMTargetMachineRef machine,
                           pir_code_form form, pir_emitted *out, char *message,
                           size_t capacity) {
  LLVMMemoryBufferRef buffer = NULL;
  char *error = NULL;
  LLVMCodeGenFileType type = form == PIR_CODE_ASSEMBLY ? LLVMAssemblyFile : LLVMObjectFile;
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, type, &error, &buffer)) {
    pir_status status = say(message, capacity, PIR_INTERNAL, "LLVM code generation", error);
    LLVMDisposeMessage(error);
    return status;
  }
  pir_status status = copy_out(LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer), out);
  LLVMDisposeMemoryBuffer(buffer);
  return status;
}

static pir_status finish(LLVMContextRef context, LLVMModuleRef module, const pir_target *target,
                         pir_code_form form, pir_emitted *out, char *message, size_t capacity) {
  if (form == PIR_CODE_RAW_LLVM)
    return print_module(module, out);
  LLVMTargetMachineRef machine = create_machine(target, message, capacity);
  if (!machine)
    return PIR_UNAVAILABLE;
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetModuleDataLayout(module, layout);
  LLVMSetTarget(module, target->triple);
  LLVMDisposeTargetData(layout);
  add_target_attributes(context, module, target);
  pir_status status = optimise(module, machine, message, capacity);
  if (!status && form == PIR_CODE_LLVM)
    status = print_module(module, out);
  else if (!status) {
    hide_counts(context, module);
    status = generate(module, machine, form, out, message, capacity);
  }
  LLVMDisposeTargetMachine(machine);
  return status;
}

static pir_status emit_module(const loop_module *module, const pir_target *target,
                              pir_code_form form, pir_emitted *out, char *message,
                              size_t capacity) {
  *out = (pir_emitted){0};
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef llvm = pir_llvm_emit(context, module, target, message, capacity);
  pir_status status =
      llvm ? finish(context, llvm, target, form, out, message, capacity) : PIR_UNSUPPORTED;
  if (llvm)
    LLVMDisposeModule(llvm);
  LLVMContextDispose(context);
  return status;
}

static const pir_llvm_backend backend = {
    .llvm_version = "19",
    .emit = emit_module,
};

const pir_llvm_backend *pir_llvm_backend_of(const char *sources) {
  return strcmp(sources, BACKEND_SOURCES) == 0 ? &backend : NULL;
}
