// Emits LLVM IR for the statements and functions of loop IR, in one pass over the tree. Every
// stage becomes two functions: an exported one, which reads pointers and extents from its
// arguments, and an internal one with `noalias` pointer parameters, which tells LLVM that
// buffers do not overlap. Loops are emitted rotated, with a guard. Unrolled loops are expanded
// here, so register indices are constants and each register is its own alloca, which SROA turns
// into SSA values.
#include <stdlib.h>
#include <string.h>

#include "llvm_impl.h"

static void emit_block(emitter *e, const loop_block *block);

static LLVMBasicBlockRef new_block(emitter *e, const char *name) {
  return LLVMAppendBasicBlockInContext(e->ctx, e->function, name);
}

static LLVMTypeRef i64_type(emitter *e) {
  return LLVMInt64TypeInContext(e->ctx);
}

// Emits an expression at the start of a statement; values of earlier statements are not reused.
static LLVMValueRef emit_value(emitter *e, loop_expr *x) {
  e->fn->module->emitted++;
  return pir_llvm_expr(e, x);
}

static void emit_counted_loop(emitter *e, const loop_stmt *s, LLVMValueRef begin,
                              LLVMValueRef end, LLVMValueRef step) {
  LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b);
  LLVMBasicBlockRef body = new_block(e, s->loop.var->name), after = new_block(e, "after");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, begin, end, ""), body, after);
  LLVMPositionBuilderAtEnd(e->b, body);
  LLVMValueRef i = LLVMBuildPhi(e->b, LLVMTypeOf(begin), s->loop.var->name);
  e->vars[s->loop.var->id] = i;
  emit_block(e, &s->loop.body);
  LLVMValueRef next = LLVMBuildNSWAdd(e->b, i, step, "");
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->b);
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, next, end, ""), body, after);
  LLVMValueRef values[] = {begin, next};
  LLVMBasicBlockRef blocks[] = {before, latch};
  LLVMAddIncoming(i, values, blocks, 2);
  LLVMPositionBuilderAtEnd(e->b, after);
}

static void emit_for(emitter *e, const loop_stmt *s) {
  LLVMValueRef begin = emit_value(e, s->loop.begin), end = pir_llvm_expr(e, s->loop.end),
               step = pir_llvm_expr(e, s->loop.step);
  if (s->loop.kind == LOOP_VECTORISED || s->loop.kind == LOOP_THREADS) {
    e->unsupported = "a loop that was not vectorised";
    return;
  }
  if (s->loop.kind != LOOP_UNROLLED) {
    emit_counted_loop(e, s, begin, end, step);
    return;
  }
  if (!LLVMIsAConstantInt(begin) || !LLVMIsAConstantInt(end) || !LLVMIsAConstantInt(step)) {
    e->unsupported = "an unrolled loop with bounds that vary";
    return;
  }
  int64_t last = LLVMConstIntGetSExtValue(end), by = LLVMConstIntGetSExtValue(step);
  for (int64_t i = LLVMConstIntGetSExtValue(begin); i < last; i += by) {
    e->vars[s->loop.var->id] = LLVMConstInt(LLVMTypeOf(begin), (uint64_t)i, true);
    emit_block(e, &s->loop.body);
  }
}

static void emit_if(emitter *e, const loop_stmt *s) {
  LLVMValueRef cond = emit_value(e, s->branch.condition);
  LLVMBasicBlockRef then = new_block(e, "then"),
                    other = s->branch.other.first ? new_block(e, "else") : NULL;
  LLVMBasicBlockRef after = new_block(e, "after");
  LLVMBuildCondBr(e->b, cond, then, other ? other : after);
  LLVMPositionBuilderAtEnd(e->b, then);
  emit_block(e, &s->branch.body);
  LLVMBuildBr(e->b, after);
  if (other) {
    LLVMPositionBuilderAtEnd(e->b, other);
    emit_block(e, &s->branch.other);
    LLVMBuildBr(e->b, after);
  }
  LLVMPositionBuilderAtEnd(e->b, after);
}

// Converts a value to its form in memory, where bool is a byte.
static LLVMValueRef to_memory(emitter *e, const loop_buffer *buffer, LLVMValueRef value,
                              unsigned lanes) {
  if (buffer->dtype != PIR_BOOL)
    return value;
  LLVMTypeRef byte = LLVMInt8TypeInContext(e->ctx);
  return LLVMBuildZExt(e->b, value, lanes > 1 ? LLVMVectorType(byte, lanes) : byte, "");
}

static unsigned alignment(const loop_buffer *buffer) {
  unsigned size = (unsigned)pir_dtype_size(buffer->dtype);
  return buffer->align < size ? buffer->align : size;
}

// Emits a non-temporal store if the data exceeds the caches and the vector is aligned, as such
// stores require. Only the run knows both, so two versions are emitted.
static void emit_large_store(emitter *e, const loop_buffer *buffer, LLVMValueRef value,
                             LLVMValueRef address) {
  unsigned bytes =
      (unsigned)(pir_dtype_size(buffer->dtype) * LLVMGetVectorSize(LLVMTypeOf(value)));
  LLVMBasicBlockRef past = new_block(e, "past"), plain = new_block(e, "plain"),
                    after = new_block(e, "after");
  LLVMValueRef at = LLVMBuildPtrToInt(e->b, address, i64_type(e), "");
  at = LLVMBuildAnd(e->b, at, LLVMConstInt(i64_type(e), bytes - 1, false), "");
  LLVMValueRef aligned =
      LLVMBuildICmp(e->b, LLVMIntEQ, at, LLVMConstInt(i64_type(e), 0, false), "");
  LLVMBuildCondBr(e->b, LLVMBuildAnd(e->b, aligned, e->large[buffer->id], ""), past, plain);
  LLVMPositionBuilderAtEnd(e->b, past);
  LLVMValueRef store = LLVMBuildStore(e->b, value, address);
  LLVMMetadataRef one =
      LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(e->ctx), 1, false));
  LLVMSetAlignment(store, bytes);
  LLVMSetMetadata(store, LLVMGetMDKindIDInContext(e->ctx, "nontemporal", 11),
                  LLVMMetadataAsValue(e->ctx, LLVMMDNodeInContext2(e->ctx, &one, 1)));
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, plain);
  LLVMSetAlignment(LLVMBuildStore(e->b, value, address), alignment(buffer));
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, after);
}

// Non-temporal stores become visible to other threads only after a fence.
static void emit_fence(emitter *e) {
  bool any = false;
  for (unsigned i = 0; i < e->fn->buffer_count; i++)
    any |= e->large[i] != NULL;
  if (any && !strncmp(e->target->triple, "x86_64", 6))
    pir_llvm_intrinsic(e, "llvm.x86.sse.sfence", NULL, 0, NULL, 0);
}

static void emit_memory_store(emitter *e, const loop_stmt *s) {
  unsigned lanes = s->store.value->lanes;
  LLVMValueRef value = to_memory(e, s->store.buffer, emit_value(e, s->store.value), lanes);
  LLVMValueRef address = pir_llvm_address(e, s->store.buffer, s->store.index);
  if (s->store.mask) {
    LLVMValueRef mask = pir_llvm_expr(e, s->store.mask);
    LLVMValueRef args[] = {
        value, address,
        LLVMConstInt(LLVMInt32TypeInContext(e->ctx), alignment(s->store.buffer), false), mask};
    LLVMTypeRef types[] = {LLVMTypeOf(value), LLVMTypeOf(address)};
    pir_llvm_intrinsic(e, s->kind == LOOP_SCATTER ? "llvm.masked.scatter" : "llvm.masked.store",
                       types, 2, args, 4);
    return;
  }
  if (s->kind == LOOP_SCATTER && lanes > 1) {
    LLVMValueRef all = LLVMConstAllOnes(LLVMVectorType(LLVMInt1TypeInContext(e->ctx), lanes));
    LLVMValueRef args[] = {
        value, address,
        LLVMConstInt(LLVMInt32TypeInContext(e->ctx), alignment(s->store.buffer), false), all};
    LLVMTypeRef types[] = {LLVMTypeOf(value), LLVMTypeOf(address)};
    pir_llvm_intrinsic(e, "llvm.masked.scatter", types, 2, args, 4);
    return;
  }
  if (s->store.nontemporal && lanes > 1 && e->large[s->store.buffer->id])
    emit_large_store(e, s->store.buffer, value, address);
  else {
    LLVMValueRef store = LLVMBuildStore(e->b, value, address);
    LLVMSetAlignment(store, alignment(s->store.buffer));
    LLVMSetVolatile(store, s->store.buffer->stays);
  }
}

static void emit_register_store(emitter *e, const loop_buffer *buffer, loop_expr *index,
                                loop_expr *stored) {
  LLVMValueRef value = emit_value(e, stored);
  if (buffer->lanes > stored->lanes)
    value = pir_llvm_splat(e, value, buffer->lanes);
  LLVMValueRef cell = pir_llvm_register(e, buffer, index);
  if (cell)
    LLVMBuildStore(e->b, value, cell);
}

static void emit_store(emitter *e, const loop_stmt *s) {
  if (s->store.buffer->space == LOOP_REGISTER)
    emit_register_store(e, s->store.buffer, s->store.index, s->store.value);
  else
    emit_memory_store(e, s);
}

static void emit_accumulate(emitter *e, const loop_stmt *s) {
  loop_module *m = e->fn->module;
  loop_buffer *b = s->accumulate.buffer;
  loop_expr *index = s->accumulate.index, *old = pir_loop_load(m, b, index, b->lanes, NULL);
  emit_register_store(e, b, index,
                      pir_loop_combine(m, s->accumulate.combine, old, s->accumulate.value));
}

static void emit_prefetch(emitter *e, const loop_stmt *s) {
  e->fn->module->emitted++;
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->ctx);
  LLVMValueRef address = pir_llvm_address(e, s->prefetch.buffer, s->prefetch.index);
  unsigned locality = s->prefetch.far ? 2 : 3;
  LLVMValueRef args[] = {address, LLVMConstInt(i32, 0, false),
                         LLVMConstInt(i32, locality, false), LLVMConstInt(i32, 1, false)};
  LLVMTypeRef types[] = {LLVMTypeOf(address)};
  pir_llvm_intrinsic(e, "llvm.prefetch", types, 1, args, 4);
}

// Out of the way: few runs fail. Threads may store different numbers, of which one stays.
static void emit_trap(emitter *e, const loop_stmt *s) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->ctx);
  LLVMValueRef any = emit_value(e, s->trap.where);
  LLVMTypeRef type = LLVMTypeOf(any);
  if (s->trap.where->lanes > 1)
    any = pir_llvm_intrinsic(e, "llvm.vector.reduce.or", &type, 1, &any, 1);
  LLVMBasicBlockRef trap = new_block(e, "trap"), after = new_block(e, "after");
  LLVMValueRef branch = LLVMBuildCondBr(e->b, any, trap, after);
  LLVMMetadataRef weights[] = {
      LLVMMDStringInContext2(e->ctx, "branch_weights", 14),
      LLVMValueAsMetadata(LLVMConstInt(i32, 1, false)),
      LLVMValueAsMetadata(LLVMConstInt(i32, 1 << 20, false)),
  };
  LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(e->ctx, "prof", 4),
                  LLVMMetadataAsValue(e->ctx, LLVMMDNodeInContext2(e->ctx, weights, 3)));
  LLVMPositionBuilderAtEnd(e->b, trap);
  LLVMValueRef number = LLVMConstInt(i32, s->trap.number, false);
  LLVMValueRef store = LLVMBuildStore(e->b, number, e->trap);
  LLVMSetOrdering(store, LLVMAtomicOrderingMonotonic);
  LLVMSetAlignment(store, 4);
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, after);
}

// AMX intrinsics for code that manages tile registers itself: registers are named by constants.
static void emit_tile(emitter *e, const loop_stmt *s) {
  static const char *const names[] = {
      [LOOP_TILE_SHAPES] = "llvm.x86.ldtilecfg",   [LOOP_TILE_RELEASE] = "llvm.x86.tilerelease",
      [LOOP_TILE_ZERO] = "llvm.x86.tilezero",      [LOOP_TILE_LOAD] = "llvm.x86.tileloadd64",
      [LOOP_TILE_STORE] = "llvm.x86.tilestored64", [LOOP_TILE_BF16] = "llvm.x86.tdpbf16ps",
      [LOOP_TILE_U8S8] = "llvm.x86.tdpbusd",       [LOOP_TILE_S8S8] = "llvm.x86.tdpbssd"};
  unsigned count = 0, tiles = s->tile.op >= LOOP_TILE_BF16 ? 3 : s->tile.op >= LOOP_TILE_ZERO;
  LLVMValueRef args[3];
  e->fn->module->emitted++;
  for (; count < tiles; count++)
    args[count] = LLVMConstInt(LLVMInt8TypeInContext(e->ctx), s->tile.tiles[count], false);
  if (s->tile.buffer)
    args[count++] = pir_llvm_address(e, s->tile.buffer, s->tile.index);
  if (s->tile.stride)
    args[count++] = pir_llvm_expr(e, s->tile.stride);
  pir_llvm_intrinsic(e, names[s->tile.op], NULL, 0, args, count);
}

static void emit_block(emitter *e, const loop_block *block) {
  for (const loop_stmt *s = block->first; s && !e->unsupported; s = s->next) {
    switch ((loop_stmt_kind)s->kind) {
      case LOOP_FOR: emit_for(e, s); break;
      case LOOP_IF: emit_if(e, s); break;
      case LOOP_LET:
        e->vars[s->let.var->id] = emit_value(e, s->let.value);
        e->lets[s->let.var->id] = s->let.value;
        break;
      case LOOP_STORE:
      case LOOP_SCATTER: emit_store(e, s); break;
      case LOOP_ACCUMULATE: emit_accumulate(e, s); break;
      case LOOP_PREFETCH: emit_prefetch(e, s); break;
      case LOOP_TRAP: emit_trap(e, s); break;
      case LOOP_TILE: emit_tile(e, s); break;
      case LOOP_MMA:
      case LOOP_TAKE:
      case LOOP_COPY:
      case LOOP_COMMIT:
      case LOOP_WAIT:
      case LOOP_BARRIER: e->unsupported = "a team of threads"; break;
    }
  }
}

// ---- functions

static void add_flag(emitter *e, LLVMValueRef fn, unsigned index, const char *name,
                     uint64_t value) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAddAttributeAtIndex(fn, index, LLVMCreateEnumAttribute(e->ctx, kind, value));
}

// Declares the internal function: its parameters are begin, end, scratch, dims, and one pointer
// for each argument buffer.
enum { BEGIN, END, SCRATCH, DIMS, FIRST_BUFFER };

static LLVMValueRef declare_body(emitter *e, unsigned pointers, char *name, size_t capacity) {
  LLVMTypeRef pointer = LLVMPointerTypeInContext(e->ctx, 0);
  LLVMTypeRef *types = malloc((FIRST_BUFFER + pointers) * sizeof *types);
  if (!types)
    return NULL;
  types[BEGIN] = types[END] = i64_type(e);
  for (unsigned i = SCRATCH; i < FIRST_BUFFER + pointers; i++)
    types[i] = pointer;
  LLVMTypeRef type =
      LLVMFunctionType(LLVMVoidTypeInContext(e->ctx), types, FIRST_BUFFER + pointers, false);
  free(types);
  pir_text_format(name, capacity, "%s.body", e->fn->name);
  LLVMValueRef fn = LLVMAddFunction(e->module, name, type);
  LLVMSetLinkage(fn, LLVMInternalLinkage);
  add_flag(e, fn, LLVMAttributeFunctionIndex, "nounwind", 0);
  add_flag(e, fn, LLVMAttributeFunctionIndex, "noinline", 0);
  add_flag(e, fn, SCRATCH + 1, "noalias", 0);
  add_flag(e, fn, DIMS + 1, "noalias", 0);
  add_flag(e, fn, DIMS + 1, "readonly", 0);
  return fn;
}

static void bind_trap(emitter *e, unsigned at) {
  e->trap = NULL;
  if (!e->fn->traps)
    return;
  e->trap = LLVMGetParam(e->function, at);
  LLVMSetValueName2(e->trap, "trap", 5);
  add_flag(e, e->function, at + 1, "noalias", 0);
}

static void bind_buffers(emitter *e) {
  unsigned at = FIRST_BUFFER;
  for (unsigned i = 0; i < e->fn->buffer_count; i++) {
    const loop_buffer *b = e->fn->buffers[i];
    if (b->space == LOOP_ARG) {
      e->bases[i] = LLVMGetParam(e->function, at++);
      LLVMSetValueName2(e->bases[i], b->name, strlen(b->name));
      add_flag(e, e->function, at, "noalias", 0);
      if (b->read_only)
        add_flag(e, e->function, at, "readonly", 0);
      if (b->align > 1)
        add_flag(e, e->function, at, "align", b->align);
      if (b->large)
        e->large[i] = emit_value(e, b->large);
    } else if (b->space == LOOP_SCRATCH) {
      LLVMValueRef offset = LLVMConstInt(i64_type(e), (uint64_t)b->offset, false);
      e->bases[i] =
          LLVMBuildInBoundsGEP2(e->b, LLVMInt8TypeInContext(e->ctx),
                                LLVMGetParam(e->function, SCRATCH), &offset, 1, b->name);
    } else if (b->space == LOOP_REGISTER) {
      e->registers[i] = calloc((size_t)b->count, sizeof **e->registers);
      for (int64_t r = 0; e->registers[i] && r < b->count; r++)
        e->registers[i][r] =
            LLVMBuildAlloca(e->b, pir_llvm_type(e, b->dtype, b->lanes), b->name);
    } else {
      e->unsupported = "memory of a device";
    }
  }
  bind_trap(e, at);
}

// Pointer number `k` of pir_group_args.
static LLVMValueRef load_argument(emitter *e, LLVMValueRef fn, unsigned k, const char *name) {
  LLVMTypeRef pointer = LLVMPointerTypeInContext(e->ctx, 0);
  LLVMValueRef at = LLVMConstInt(i64_type(e), k, false);
  LLVMValueRef place = LLVMBuildInBoundsGEP2(e->b, pointer, LLVMGetParam(fn, 0), &at, 1, "");
  return LLVMBuildLoad2(e->b, pointer, place, name);
}

// Emits the exported function fn(args, begin, end, scratch): loads the parameters of the
// internal function and calls it.
static void emit_entry(emitter *e, unsigned pointers) {
  LLVMTypeRef pointer = LLVMPointerTypeInContext(e->ctx, 0);
  LLVMTypeRef types[] = {pointer, i64_type(e), i64_type(e), pointer};
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->ctx), types, 4, false);
  LLVMValueRef fn = LLVMAddFunction(e->module, e->fn->name, type);
  add_flag(e, fn, LLVMAttributeFunctionIndex, "nounwind", 0);
  LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->ctx, fn, "entry"));
  LLVMValueRef *args = calloc(FIRST_BUFFER + pointers, sizeof *args);
  if (!args)
    return;
  args[BEGIN] = LLVMGetParam(fn, 1);
  args[END] = LLVMGetParam(fn, 2);
  args[SCRATCH] = LLVMGetParam(fn, 3);
  LLVMValueRef buffers = LLVMBuildLoad2(e->b, pointer, LLVMGetParam(fn, 0), "buffers");
  args[DIMS] = load_argument(e, fn, 1, "dims");
  unsigned at = FIRST_BUFFER;
  for (unsigned i = 0; i < e->fn->buffer_count; i++) {
    if (e->fn->buffers[i]->space != LOOP_ARG)
      continue;
    LLVMValueRef slot = LLVMConstInt(i64_type(e), e->fn->buffers[i]->slot, false);
    args[at++] = LLVMBuildLoad2(
        e->b, pointer, LLVMBuildInBoundsGEP2(e->b, pointer, buffers, &slot, 1, ""), "");
  }
  if (e->trap)
    args[at++] = load_argument(e, fn, 2, "trap");
  LLVMBuildCall2(e->b, LLVMGlobalGetValueType(e->function), e->function, args, at, "");
  LLVMBuildRetVoid(e->b);
  free(args);
}

static void emit_fn(emitter *e, const loop_fn *fn) {
  unsigned pointers = 0;
  char name[160];
  for (unsigned i = 0; i < fn->buffer_count; i++)
    pointers += fn->buffers[i]->space == LOOP_ARG;
  pointers += fn->traps;
  e->fn = fn;
  e->vars = calloc(fn->var_count, sizeof *e->vars);
  e->lets = calloc(fn->var_count, sizeof *e->lets);
  e->bases = calloc(fn->buffer_count + 1u, sizeof *e->bases);
  e->large = calloc(fn->buffer_count + 1u, sizeof *e->large);
  e->registers = calloc(fn->buffer_count + 1u, sizeof *e->registers);
  e->function = declare_body(e, pointers, name, sizeof name);
  if (e->vars && e->lets && e->bases && e->large && e->registers && e->function) {
    e->entry = new_block(e, "entry");
    LLVMPositionBuilderAtEnd(e->b, e->entry);
    e->dims = LLVMGetParam(e->function, DIMS);
    e->vars[fn->begin->id] = LLVMGetParam(e->function, BEGIN);
    e->vars[fn->end->id] = LLVMGetParam(e->function, END);
    bind_buffers(e);
    emit_block(e, &fn->body);
    emit_fence(e);
    LLVMBuildRetVoid(e->b);
    emit_entry(e, pointers);
  } else {
    e->unsupported = "a function for which memory did not suffice";
  }
  for (unsigned i = 0; e->registers && i < fn->buffer_count; i++)
    free(e->registers[i]);
  free(e->registers);
  free(e->large);
  free(e->bases);
  free(e->lets);
  free(e->vars);
}

LLVMModuleRef pir_llvm_emit(LLVMContextRef context, const loop_module *module,
                            const pir_target *target, char *message, size_t capacity) {
  emitter e = {.ctx = context, .target = target};
  e.module = LLVMModuleCreateWithNameInContext("pir", context);
  e.b = LLVMCreateBuilderInContext(context);
  for (const loop_fn *fn = module->first; fn && !e.unsupported; fn = fn->next)
    emit_fn(&e, fn);
  LLVMDisposeBuilder(e.b);
  if (!e.unsupported)
    return e.module;
  pir_text_format(message, capacity, "unsupported: %s, in %s", e.unsupported, e.fn->name);
  LLVMDisposeModule(e.module);
  return NULL;
}
