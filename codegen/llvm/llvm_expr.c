// Emits LLVM IR for the expressions of loop IR. Trees may share nodes: the value of a node is
// kept for the current statement, so a shared node is emitted once. Rounding follows the
// source: products are fused with sums only in LOOP_FMA, and the vectoriser makes every
// reordering of sums explicit.
#include <string.h>

#include "llvm_impl.h"

static LLVMTypeRef vector_of(LLVMTypeRef element, unsigned lanes) {
  return lanes > 1 ? LLVMVectorType(element, lanes) : element;
}

static unsigned lanes_of(LLVMValueRef v) {
  LLVMTypeRef t = LLVMTypeOf(v);
  return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1;
}

LLVMTypeRef pir_llvm_type(emitter *e, pir_dtype dtype, unsigned lanes) {
  LLVMTypeRef t;
  switch (dtype) {
    case PIR_BOOL: t = LLVMInt1TypeInContext(e->ctx); break;
    case PIR_F32: t = LLVMFloatTypeInContext(e->ctx); break;
    case PIR_F64: t = LLVMDoubleTypeInContext(e->ctx); break;
    default: t = LLVMIntTypeInContext(e->ctx, (unsigned)pir_loop_type_size(dtype) * 8); break;
  }
  return vector_of(t, lanes);
}

static bool is_signed_dtype(pir_dtype dtype) {
  return dtype != PIR_BOOL && dtype != PIR_U8 && dtype != PIR_U16 && dtype != PIR_U32 &&
         dtype != PIR_U64;
}

LLVMValueRef pir_llvm_splat(emitter *e, LLVMValueRef scalar, unsigned lanes) {
  if (lanes == 1)
    return scalar;
  LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), lanes),
              i32 = LLVMInt32TypeInContext(e->ctx);
  LLVMValueRef one = LLVMBuildInsertElement(e->b, LLVMGetPoison(type), scalar,
                                            LLVMConstInt(i32, 0, false), "");
  return LLVMBuildShuffleVector(e->b, one, LLVMGetPoison(type),
                                LLVMConstNull(LLVMVectorType(i32, lanes)), "");
}

static LLVMValueRef constant_splat(LLVMValueRef scalar, unsigned lanes) {
  LLVMValueRef all[256];
  if (lanes == 1)
    return scalar;
  for (unsigned i = 0; i < lanes; i++)
    all[i] = scalar;
  return LLVMConstVector(all, lanes);
}

LLVMValueRef pir_llvm_const_float(emitter *e, pir_dtype dtype, unsigned lanes, double f) {
  return constant_splat(
      LLVMConstReal(pir_llvm_type(e, dtype, 1), dtype == PIR_F32 ? (float)f : f), lanes);
}

LLVMValueRef pir_llvm_const_int(emitter *e, pir_dtype dtype, unsigned lanes, int64_t i) {
  return constant_splat(LLVMConstInt(pir_llvm_type(e, dtype, 1), (uint64_t)i, true), lanes);
}

LLVMValueRef pir_llvm_intrinsic(emitter *e, const char *name, LLVMTypeRef *types,
                                unsigned type_count, LLVMValueRef *args, unsigned arg_count) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(e->module, id, types, type_count);
  return LLVMBuildCall2(e->b, LLVMGlobalGetValueType(fn), fn, args, arg_count, "");
}

// ---- memory

// Takes the constants at the end of a sum off it; returns their sum.
static int64_t split_constants(loop_expr **index) {
  int64_t sum = 0;
  loop_expr *x = *index;
  while (x->kind == LOOP_OP && x->op == PIR_V_ADD && x->lanes == 1 && x->dtype == LOOP_INDEX &&
         !x->given && x->b->kind == LOOP_CONST &&
         !__builtin_add_overflow(sum, x->b->constant.i, &sum))
    x = x->a;
  *index = x;
  return sum;
}

// Elements whose indices differ by constants have one address in common, which need not lie in
// the buffer, and constants behind it, which the processor adds.
LLVMValueRef pir_llvm_address(emitter *e, const loop_buffer *buffer, loop_expr *index) {
  LLVMTypeRef element =
      LLVMIntTypeInContext(e->ctx, (unsigned)pir_dtype_size(buffer->dtype) * 8);
  loop_expr *rest = index;
  int64_t constant = split_constants(&rest);
  LLVMValueRef at = pir_llvm_expr(e, rest), base = e->bases[buffer->id];
  if (!constant)
    return LLVMBuildInBoundsGEP2(e->b, element, base, &at, 1, "");
  LLVMValueRef shift = LLVMConstInt(LLVMInt64TypeInContext(e->ctx), (uint64_t)constant, true);
  base = LLVMBuildGEP2(e->b, element, base, &at, 1, "");
  return LLVMBuildGEP2(e->b, element, base, &shift, 1, "");
}

LLVMValueRef pir_llvm_register(emitter *e, const loop_buffer *buffer, loop_expr *index) {
  LLVMValueRef at = pir_llvm_expr(e, index);
  int64_t i = LLVMIsAConstantInt(at) ? LLVMConstIntGetSExtValue(at) : -1;
  if (i >= 0 && i < buffer->count)
    return e->registers[buffer->id][i];
  e->unsupported = "a register whose number is not known";
  return NULL;
}

enum { MAX_HALVED = 64 };  // lanes

// Loads one element, or gives 0 without a memory access if the guard is false. Address and
// guard are computed before the branch, because code after it may share them.
static LLVMValueRef guarded_load(emitter *e, LLVMTypeRef type, LLVMValueRef address,
                                 LLVMValueRef guard, unsigned align) {
  LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b);
  LLVMBasicBlockRef then = LLVMAppendBasicBlockInContext(e->ctx, e->function, "in");
  LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(e->ctx, e->function, "after");
  LLVMBuildCondBr(e->b, guard, then, after);
  LLVMPositionBuilderAtEnd(e->b, then);
  LLVMValueRef values[] = {LLVMConstNull(type), LLVMBuildLoad2(e->b, type, address, "")};
  LLVMSetAlignment(values[1], align);
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, after);
  LLVMValueRef phi = LLVMBuildPhi(e->b, type, "");
  LLVMBasicBlockRef blocks[] = {before, then};
  LLVMAddIncoming(phi, values, blocks, 2);
  return phi;
}

static LLVMValueRef shuffle(emitter *e, LLVMValueRef a, LLVMValueRef b, const unsigned *from,
                            unsigned lanes) {
  LLVMValueRef index[MAX_HALVED];
  for (unsigned i = 0; i < lanes; i++)
    index[i] = LLVMConstInt(LLVMInt32TypeInContext(e->ctx), from[i], false);
  return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(index, lanes), "");
}

// Loads every second element from two contiguous runs. The first run begins with the first
// element and the second ends with the last one, so nothing outside is read. The mask is
// widened to both runs.
static LLVMValueRef load_halved(emitter *e, const loop_expr *x, LLVMTypeRef type,
                                unsigned align) {
  unsigned n = x->lanes, from[MAX_HALVED];
  LLVMTypeRef element = LLVMGetElementType(type), i64 = LLVMInt64TypeInContext(e->ctx),
              i32 = LLVMInt32TypeInContext(e->ctx);
  LLVMValueRef start = pir_llvm_address(e, x->buffer, x->a->a),
               shift = LLVMConstInt(i64, n - 1, false), runs[2];
  LLVMValueRef mask = x->mask ? pir_llvm_expr(e, x->mask) : NULL;
  for (unsigned k = 0; k < 2; k++) {
    LLVMValueRef address = k ? LLVMBuildGEP2(e->b, element, start, &shift, 1, "") : start;
    if (!mask) {
      runs[k] = LLVMBuildLoad2(e->b, type, address, "");
      LLVMSetAlignment(runs[k], align);
      continue;
    }
    for (unsigned i = 0; i < n; i++) {
      unsigned at = k ? n - 1 + i : i;
      from[i] = at % 2 ? n : at / 2;
    }
    LLVMTypeRef types[] = {type, LLVMTypeOf(address)};
    LLVMValueRef args[] = {address, LLVMConstInt(i32, align, false),
                           shuffle(e, mask, LLVMConstNull(LLVMTypeOf(mask)), from, n),
                           LLVMConstNull(type)};
    runs[k] = pir_llvm_intrinsic(e, "llvm.masked.load", types, 2, args, 4);
  }
  for (unsigned i = 0; i < n; i++)
    from[i] = 2 * i < n ? 2 * i : 2 * i + 1;
  return shuffle(e, runs[0], runs[1], from, n);
}

static bool is_halved(const loop_expr *x) {
  return x->kind == LOOP_GATHER && x->lanes >= 4 && x->lanes <= MAX_HALVED &&
         x->lanes % 2 == 0 && x->a->kind == LOOP_RAMP && x->a->b->kind == LOOP_CONST &&
         x->a->b->constant.i == 2;
}

static LLVMValueRef emit_load(emitter *e, const loop_expr *x) {
  const loop_buffer *buffer = x->buffer;
  if (buffer->space == LOOP_REGISTER) {
    LLVMValueRef cell = pir_llvm_register(e, buffer, x->a);
    LLVMTypeRef type = pir_llvm_type(e, x->dtype, x->lanes);
    return cell ? LLVMBuildLoad2(e->b, type, cell, "") : LLVMGetPoison(type);
  }
  bool is_bool = x->dtype == PIR_BOOL;
  LLVMTypeRef type = is_bool ? vector_of(LLVMInt8TypeInContext(e->ctx), x->lanes)
                             : pir_llvm_type(e, x->dtype, x->lanes);
  unsigned size = (unsigned)pir_dtype_size(buffer->dtype),
           align = buffer->align < size ? buffer->align : size;
  bool halved = is_halved(x);
  LLVMValueRef address = halved ? NULL : pir_llvm_address(e, buffer, x->a), value;
  if (halved) {
    value = load_halved(e, x, type, align);
  } else if (x->mask && x->lanes == 1) {
    value = guarded_load(e, type, address, pir_llvm_expr(e, x->mask), align);
  } else if (x->mask || (x->kind == LOOP_GATHER && x->lanes > 1)) {
    LLVMTypeRef types[] = {type, LLVMTypeOf(address)};
    LLVMValueRef mask =
        x->mask ? pir_llvm_expr(e, x->mask)
                : LLVMConstAllOnes(vector_of(LLVMInt1TypeInContext(e->ctx), x->lanes));
    LLVMValueRef args[] = {address, LLVMConstInt(LLVMInt32TypeInContext(e->ctx), align, false),
                           mask, LLVMConstNull(type)};
    value = pir_llvm_intrinsic(
        e, x->kind == LOOP_GATHER ? "llvm.masked.gather" : "llvm.masked.load", types, 2, args,
        4);
  } else {
    value = LLVMBuildLoad2(e->b, type, address, "");
    LLVMSetAlignment(value, align);
    LLVMSetVolatile(value, buffer->stays);
  }
  return is_bool ? LLVMBuildICmp(e->b, LLVMIntNE, value, LLVMConstNull(type), "") : value;
}

// ---- casts

// Widens a 16-bit float to f32. bf16 is the upper half of an f32. f16 is decomposed, unless the
// target has a conversion.
LLVMValueRef pir_llvm_widen(emitter *e, pir_dtype from, LLVMValueRef bits, unsigned lanes) {
  LLVMTypeRef f32 = pir_llvm_type(e, PIR_F32, lanes), i32 = pir_llvm_type(e, PIR_I32, lanes);
  if (from == PIR_F16 && strstr(e->target->features, "+f16c"))
    return LLVMBuildFPExt(
        e->b, LLVMBuildBitCast(e->b, bits, vector_of(LLVMHalfTypeInContext(e->ctx), lanes), ""),
        f32, "");
  LLVMValueRef wide = LLVMBuildZExt(e->b, bits, i32, "");
  if (from == PIR_BF16)
    return LLVMBuildBitCast(
        e->b, LLVMBuildShl(e->b, wide, pir_llvm_const_int(e, PIR_I32, lanes, 16), ""), f32, "");
  // Moves exponent and fraction into place and scales by 2^112, which is exact for subnormals
  // too.
  LLVMValueRef sign = LLVMBuildShl(
      e->b, LLVMBuildAnd(e->b, wide, pir_llvm_const_int(e, PIR_I32, lanes, 0x8000), ""),
      pir_llvm_const_int(e, PIR_I32, lanes, 16), "");
  LLVMValueRef rest =
      LLVMBuildAnd(e->b, wide, pir_llvm_const_int(e, PIR_I32, lanes, 0x7fff), "");
  LLVMValueRef placed = LLVMBuildShl(e->b, rest, pir_llvm_const_int(e, PIR_I32, lanes, 13), "");
  LLVMValueRef scaled = LLVMBuildFMul(e->b, LLVMBuildBitCast(e->b, placed, f32, ""),
                                      pir_llvm_const_float(e, PIR_F32, lanes, 0x1p112), "");
  LLVMValueRef special =
      LLVMBuildOr(e->b, placed, pir_llvm_const_int(e, PIR_I32, lanes, 0x7f800000), "");
  LLVMValueRef is_special =
      LLVMBuildICmp(e->b, LLVMIntUGE, rest, pir_llvm_const_int(e, PIR_I32, lanes, 0x7c00), "");
  LLVMValueRef magnitude =
      LLVMBuildSelect(e->b, is_special, special, LLVMBuildBitCast(e->b, scaled, i32, ""), "");
  return LLVMBuildBitCast(e->b, LLVMBuildOr(e->b, magnitude, sign, ""), f32, "");
}

static LLVMValueRef narrow_to_bf16(emitter *e, LLVMValueRef value, unsigned lanes) {
  LLVMTypeRef i32 = pir_llvm_type(e, PIR_I32, lanes);
  LLVMValueRef bits = LLVMBuildBitCast(e->b, value, i32, ""),
               sixteen = pir_llvm_const_int(e, PIR_I32, lanes, 16);
  LLVMValueRef high = LLVMBuildLShr(e->b, bits, sixteen, "");
  LLVMValueRef odd = LLVMBuildAnd(e->b, high, pir_llvm_const_int(e, PIR_I32, lanes, 1), "");
  LLVMValueRef half =
      LLVMBuildAdd(e->b, odd, pir_llvm_const_int(e, PIR_I32, lanes, 0x7fff), "");
  LLVMValueRef rounded = LLVMBuildLShr(e->b, LLVMBuildAdd(e->b, bits, half, ""), sixteen, "");
  LLVMValueRef quiet = LLVMBuildOr(e->b, high, pir_llvm_const_int(e, PIR_I32, lanes, 0x40), "");
  LLVMValueRef is_nan = LLVMBuildFCmp(e->b, LLVMRealUNO, value, value, "");
  return LLVMBuildTrunc(e->b, LLVMBuildSelect(e->b, is_nan, quiet, rounded, ""),
                        pir_llvm_type(e, PIR_I16, lanes), "");
}

// Converts f32 to f16 without the instruction. Small results are rounded by adding a constant
// whose last bit has the weight of a subnormal's last bit; others by adding half of the dropped
// part.
static LLVMValueRef narrow_to_f16(emitter *e, LLVMValueRef value, unsigned lanes) {
  LLVMTypeRef f32 = pir_llvm_type(e, PIR_F32, lanes), i32 = pir_llvm_type(e, PIR_I32, lanes);
#define I32(x) pir_llvm_const_int(e, PIR_I32, lanes, x)
  LLVMValueRef bits = LLVMBuildBitCast(e->b, value, i32, "");
  LLVMValueRef magnitude = LLVMBuildAnd(e->b, bits, I32(0x7fffffff), "");
  LLVMValueRef sign =
      LLVMBuildLShr(e->b, LLVMBuildAnd(e->b, bits, I32(0x80000000), ""), I32(16), "");
  LLVMValueRef magic = pir_llvm_const_float(e, PIR_F32, lanes, 0.5);
  LLVMValueRef tiny =
      LLVMBuildFAdd(e->b, LLVMBuildBitCast(e->b, magnitude, f32, ""), magic, "");
  tiny = LLVMBuildSub(e->b, LLVMBuildBitCast(e->b, tiny, i32, ""), I32(0x3f000000), "");
  LLVMValueRef odd =
      LLVMBuildAnd(e->b, LLVMBuildLShr(e->b, magnitude, I32(13), ""), I32(1), "");
  LLVMValueRef normal =
      LLVMBuildAdd(e->b, LLVMBuildAdd(e->b, magnitude, I32((int32_t)0xc8000fff), ""), odd, "");
  normal = LLVMBuildLShr(e->b, normal, I32(13), "");
  LLVMValueRef large =
      LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntUGT, magnitude, I32(0x7f800000), ""),
                      I32(0x7e00), I32(0x7c00), "");
  LLVMValueRef r = LLVMBuildSelect(
      e->b, LLVMBuildICmp(e->b, LLVMIntULT, magnitude, I32(0x38800000), ""), tiny, normal, "");
  r = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntUGE, magnitude, I32(0x47800000), ""),
                      large, r, "");
#undef I32
  return LLVMBuildTrunc(e->b, LLVMBuildOr(e->b, r, sign, ""), pir_llvm_type(e, PIR_I16, lanes),
                        "");
}

LLVMValueRef pir_llvm_narrow(emitter *e, pir_dtype to, LLVMValueRef value, unsigned lanes) {
  if (to == PIR_BF16)
    return narrow_to_bf16(e, value, lanes);
  if (!strstr(e->target->features, "+f16c"))
    return narrow_to_f16(e, value, lanes);
  LLVMValueRef half =
      LLVMBuildFPTrunc(e->b, value, vector_of(LLVMHalfTypeInContext(e->ctx), lanes), "");
  return LLVMBuildBitCast(e->b, half, pir_llvm_type(e, PIR_I16, lanes), "");
}

static bool is_16_bit_float(pir_dtype dtype) {
  return dtype == PIR_F16 || dtype == PIR_BF16;
}

// Converts floats to integers as runtime/base/convert.c does: through the signed 32 or 64 bits
// of the processor's instruction, which gives the smallest integer for inputs out of range. In
// LLVM IR an out-of-range fptosi is poison, so the result is frozen.
static LLVMValueRef float_to_int(emitter *e, LLVMValueRef v, pir_dtype from, pir_dtype to) {
  unsigned lanes = lanes_of(v);
  bool wide = pir_dtype_size(to) == 8 || to == PIR_U32;
  LLVMTypeRef type = pir_llvm_type(e, to, lanes),
              through = pir_llvm_type(e, wide ? PIR_I64 : PIR_I32, lanes);
  LLVMValueRef n = LLVMBuildFreeze(e->b, LLVMBuildFPToSI(e->b, v, through, ""), "");
  if (to != PIR_U64)
    return LLVMBuildIntCast2(e->b, n, type, true, "");
  LLVMValueRef half = pir_llvm_const_float(e, from, lanes, 0x1p63),
               all = pir_llvm_const_float(e, from, lanes, 0x1p64);
  LLVMValueRef large = LLVMBuildFreeze(e->b, LLVMBuildFPToUI(e->b, v, type, ""), "");
  LLVMValueRef fits = LLVMBuildFCmp(e->b, LLVMRealOLT, v, all, "");
  large = LLVMBuildSelect(e->b, fits, large, LLVMConstNull(type), "");
  return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGE, v, half, ""), large, n, "");
}

static LLVMValueRef emit_cast(emitter *e, LLVMValueRef v, pir_dtype from, pir_dtype to) {
  unsigned lanes = lanes_of(v);
  if (is_16_bit_float(from)) {
    v = pir_llvm_widen(e, from, v, lanes);
    from = PIR_F32;
  }
  if (is_16_bit_float(to))
    return pir_llvm_narrow(e, to, emit_cast(e, v, from, PIR_F32), lanes);
  if (from == to)
    return v;
  LLVMTypeRef type = pir_llvm_type(e, to, lanes);
  bool from_float = pir_dtype_is_float(from), to_float = pir_dtype_is_float(to);
  if (to == PIR_BOOL)
    return from_float ? LLVMBuildFCmp(e->b, LLVMRealUNE, v, LLVMConstNull(LLVMTypeOf(v)), "")
                      : LLVMBuildICmp(e->b, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
  if (from_float && to_float)
    return LLVMBuildFPCast(e->b, v, type, "");
  if (from_float)
    return float_to_int(e, v, from, to);
  if (to_float)
    return is_signed_dtype(from) ? LLVMBuildSIToFP(e->b, v, type, "")
                                 : LLVMBuildUIToFP(e->b, v, type, "");
  return LLVMBuildIntCast2(e->b, v, type, is_signed_dtype(from), "");
}

// ---- operations

static LLVMValueRef call_unary(emitter *e, const char *name, LLVMValueRef a) {
  LLVMTypeRef type = LLVMTypeOf(a);
  return pir_llvm_intrinsic(e, name, &type, 1, &a, 1);
}

// Maximum (minimum) in one instruction that returns b if either is a NaN; NULL if the target
// has none for this vector size.
static LLVMValueRef machine_extremum(emitter *e, bool larger, LLVMValueRef a, LLVMValueRef b) {
  LLVMTypeRef type = LLVMTypeOf(a);
  char name[48];
  if (strncmp(e->target->triple, "x86_64", 6) != 0 ||
      LLVMGetTypeKind(type) != LLVMVectorTypeKind)
    return NULL;
  bool is_double = LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMDoubleTypeKind;
  unsigned bits = LLVMGetVectorSize(type) * (is_double ? 64 : 32);
  if ((int)bits > 8 * e->target->vector_bytes || (bits != 128 && bits != 256 && bits != 512))
    return NULL;
  const char *level = is_double ? "sse2" : "sse", *width = "";
  if (bits > 128) {
    level = bits == 512 ? "avx512" : "avx";
    width = bits == 512 ? ".512" : ".256";
  }
  pir_text_format(name, sizeof name, "llvm.x86.%s.%s.p%s%s", level, larger ? "max" : "min",
                  is_double ? "d" : "s", width);
  LLVMValueRef args[] = {a, b, LLVMConstInt(LLVMInt32TypeInContext(e->ctx), 4, false)};
  return pir_llvm_intrinsic(e, name, NULL, 0, args, bits == 512 ? 3 : 2);
}

// Returns v where it is a NaN, else r. The test of a constant folds away.
static LLVMValueRef keep_nan(emitter *e, LLVMValueRef v, LLVMValueRef r) {
  return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealUNO, v, v, ""), v, r, "");
}

// Maximum (minimum) that propagates NaN. If one side is a constant, one instruction suffices:
// it returns its second operand if the first is a NaN or does not win.
static LLVMValueRef float_extremum(emitter *e, bool larger, LLVMValueRef a, LLVMValueRef b) {
  LLVMRealPredicate beats = larger ? LLVMRealOGT : LLVMRealOLT;
  if (LLVMIsConstant(b))
    return keep_nan(e, b,
                    LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, beats, b, a, ""), b, a, ""));
  LLVMValueRef r = LLVMIsConstant(a) ? NULL : machine_extremum(e, larger, b, a);
  // Tests only b for NaN. If a is a running maximum, this keeps the dependence between loop
  // steps short.
  if (r)
    return keep_nan(e, b, r);
  r = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, beats, a, b, ""), a, b, "");
  return keep_nan(e, a, r);
}

static LLVMValueRef float_floor(emitter *e, LLVMValueRef a) {
  return call_unary(e, "llvm.floor", a);
}

// a - floor(a / b) * b, from the exact remainder; the result has the divisor's sign.
static LLVMValueRef float_mod(emitter *e, LLVMValueRef a, LLVMValueRef b) {
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(a)), r = LLVMBuildFRem(e->b, a, b, "");
  LLVMValueRef differ = LLVMBuildXor(e->b, LLVMBuildFCmp(e->b, LLVMRealOLT, r, zero, ""),
                                     LLVMBuildFCmp(e->b, LLVMRealOLT, b, zero, ""), "");
  LLVMValueRef off =
      LLVMBuildAnd(e->b, differ, LLVMBuildFCmp(e->b, LLVMRealONE, r, zero, ""), "");
  return LLVMBuildSelect(e->b, off, LLVMBuildFAdd(e->b, r, b, ""), r, "");
}

// Floor division as in Python and Paddle: exact if the quotient is.
static LLVMValueRef float_floordiv(emitter *e, pir_dtype dtype, LLVMValueRef a,
                                   LLVMValueRef b) {
  LLVMBuilderRef ir = e->b;
  unsigned lanes = lanes_of(a);
  LLVMTypeRef type = LLVMTypeOf(a);
  LLVMValueRef zero = LLVMConstNull(type), one = pir_llvm_const_float(e, dtype, lanes, 1),
               plain = LLVMBuildFDiv(ir, a, b, "");
  LLVMValueRef r = LLVMBuildFRem(ir, a, b, ""),
               q = LLVMBuildFDiv(ir, LLVMBuildFSub(ir, a, r, ""), b, "");
  LLVMValueRef differ = LLVMBuildXor(ir, LLVMBuildFCmp(ir, LLVMRealOLT, r, zero, ""),
                                     LLVMBuildFCmp(ir, LLVMRealOLT, b, zero, ""), "");
  LLVMValueRef off = LLVMBuildAnd(ir, differ, LLVMBuildFCmp(ir, LLVMRealUNE, r, zero, ""), "");
  q = LLVMBuildSelect(ir, off, LLVMBuildFSub(ir, q, one, ""), q, "");
  LLVMValueRef down = float_floor(e, q),
               over = LLVMBuildFCmp(ir, LLVMRealOGT, LLVMBuildFSub(ir, q, down, ""),
                                    pir_llvm_const_float(e, dtype, lanes, 0.5), "");
  LLVMValueRef whole = LLVMBuildSelect(ir, over, LLVMBuildFAdd(ir, down, one, ""), down, "");
  LLVMValueRef args[] = {zero, plain};
  LLVMValueRef signed_zero = pir_llvm_intrinsic(e, "llvm.copysign", &type, 1, args, 2);
  whole =
      LLVMBuildSelect(ir, LLVMBuildFCmp(ir, LLVMRealOEQ, q, zero, ""), signed_zero, whole, "");
  return LLVMBuildSelect(ir, LLVMBuildFCmp(ir, LLVMRealOEQ, b, zero, ""), plain, whole, "");
}

static LLVMValueRef float_sign(emitter *e, pir_dtype dtype, LLVMValueRef a) {
  unsigned lanes = lanes_of(a);
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(a));
  LLVMValueRef r = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, a, zero, ""),
                                   pir_llvm_const_float(e, dtype, lanes, 1), a, "");
  return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOLT, a, zero, ""),
                         pir_llvm_const_float(e, dtype, lanes, -1), r, "");
}

static LLVMValueRef float_op(emitter *e, const loop_expr *x, LLVMValueRef a, LLVMValueRef b) {
  pir_dtype dtype = x->a->dtype;
  unsigned lanes = x->lanes;
  LLVMBuilderRef ir = e->b;
  switch (x->op) {
    case PIR_V_ADD: return LLVMBuildFAdd(ir, a, b, "");
    case PIR_V_SUB: return LLVMBuildFSub(ir, a, b, "");
    case PIR_V_MUL: return LLVMBuildFMul(ir, a, b, "");
    case PIR_V_DIV: return LLVMBuildFDiv(ir, a, b, "");
    case PIR_V_FLOORDIV: return float_floordiv(e, dtype, a, b);
    case PIR_V_FLOORMOD: return float_mod(e, a, b);
    case PIR_V_FMOD: return LLVMBuildFRem(ir, a, b, "");
    case PIR_V_MAX: return float_extremum(e, true, a, b);
    case PIR_V_MIN: return float_extremum(e, false, a, b);
    case PIR_V_FMAX:
    case PIR_V_FMIN: {
      LLVMTypeRef type = LLVMTypeOf(a);
      LLVMValueRef args[] = {a, b};
      return pir_llvm_intrinsic(e, x->op == PIR_V_FMAX ? "llvm.maxnum" : "llvm.minnum", &type,
                                1, args, 2);
    }
    case PIR_V_EQ: return LLVMBuildFCmp(ir, LLVMRealOEQ, a, b, "");
    case PIR_V_NE: return LLVMBuildFCmp(ir, LLVMRealUNE, a, b, "");
    case PIR_V_LT: return LLVMBuildFCmp(ir, LLVMRealOLT, a, b, "");
    case PIR_V_LE: return LLVMBuildFCmp(ir, LLVMRealOLE, a, b, "");
    case PIR_V_NEG: return LLVMBuildFNeg(ir, a, "");
    case PIR_V_RECIP: return LLVMBuildFDiv(ir, pir_llvm_const_float(e, dtype, lanes, 1), a, "");
    case PIR_V_SIGN: return float_sign(e, dtype, a);
    case PIR_V_ABS: return call_unary(e, "llvm.fabs", a);
    case PIR_V_FLOOR: return float_floor(e, a);
    case PIR_V_CEIL: return call_unary(e, "llvm.ceil", a);
    case PIR_V_TRUNC: return call_unary(e, "llvm.trunc", a);
    case PIR_V_RINT: return call_unary(e, "llvm.rint", a);
    case PIR_V_SQRT: return call_unary(e, "llvm.sqrt", a);
    case PIR_V_RSQRT:
      return LLVMBuildFDiv(ir, pir_llvm_const_float(e, dtype, lanes, 1),
                           call_unary(e, "llvm.sqrt", a), "");
    case PIR_V_ISNAN: return LLVMBuildFCmp(ir, LLVMRealUNO, a, a, "");
    case PIR_V_ISINF:
      return LLVMBuildFCmp(ir, LLVMRealOEQ, call_unary(e, "llvm.fabs", a),
                           pir_llvm_const_float(e, dtype, lanes, __builtin_inf()), "");
    case PIR_V_ISFINITE:
      return LLVMBuildFCmp(ir, LLVMRealONE, call_unary(e, "llvm.fabs", a),
                           pir_llvm_const_float(e, dtype, lanes, __builtin_inf()), "");
    default: return pir_llvm_math(e, x->op, dtype, lanes, a, b);
  }
}

// Quotient and remainder rounded towards minus infinity; plain division if nothing is negative.
// A divisor of 0, or the one overflowing quotient, must not trap, so the divisor is replaced by
// 1.
static LLVMValueRef int_division(emitter *e, const loop_expr *x, LLVMValueRef a,
                                 LLVMValueRef b) {
  LLVMBuilderRef ir = e->b;
  bool quotient = x->op == PIR_V_FLOORDIV || x->op == PIR_V_DIV,
       floored = x->op == PIR_V_FLOORDIV || x->op == PIR_V_FLOORMOD;
  LLVMTypeRef type = LLVMTypeOf(a);
  LLVMValueRef zero = LLVMConstNull(type), one = pir_llvm_const_int(e, x->dtype, x->lanes, 1);
  if (!is_signed_dtype(x->dtype) ||
      (pir_loop_nonnegative(x->a) && pir_loop_nonnegative(x->b))) {
    if (!pir_loop_nonnegative(x->b))
      b = LLVMBuildSelect(ir, LLVMBuildICmp(ir, LLVMIntEQ, b, zero, ""), one, b, "");
    return quotient ? LLVMBuildUDiv(ir, a, b, "") : LLVMBuildURem(ir, a, b, "");
  }
  LLVMValueRef minus = LLVMConstAllOnes(type),
               is_minus = LLVMBuildICmp(ir, LLVMIntEQ, b, minus, "");
  LLVMValueRef bad = LLVMBuildOr(ir, LLVMBuildICmp(ir, LLVMIntEQ, b, zero, ""), is_minus, "");
  LLVMValueRef safe = LLVMIsConstant(b) && !LLVMIsNull(b) && b != minus
                          ? b
                          : LLVMBuildSelect(ir, bad, one, b, "");
  LLVMValueRef r = LLVMBuildSRem(ir, a, safe, "");
  LLVMValueRef off =
      LLVMBuildAnd(ir, LLVMBuildICmp(ir, LLVMIntNE, r, zero, ""),
                   LLVMBuildICmp(ir, LLVMIntSLT, LLVMBuildXor(ir, r, safe, ""), zero, ""), "");
  if (!quotient)
    return floored ? LLVMBuildSelect(ir, off, LLVMBuildAdd(ir, r, safe, ""), r, "") : r;
  LLVMValueRef q = LLVMBuildSelect(ir, is_minus, LLVMBuildNeg(ir, a, ""),
                                   LLVMBuildSDiv(ir, a, safe, ""), "");
  return floored ? LLVMBuildSelect(ir, off, LLVMBuildSub(ir, q, one, ""), q, "") : q;
}

static LLVMValueRef compare_ints(emitter *e, const loop_expr *x, LLVMValueRef a,
                                 LLVMValueRef b) {
  bool s = is_signed_dtype(x->a->dtype);
  LLVMIntPredicate p;
  switch (x->op) {
    case PIR_V_EQ: p = LLVMIntEQ; break;
    case PIR_V_NE: p = LLVMIntNE; break;
    case PIR_V_LT: p = s ? LLVMIntSLT : LLVMIntULT; break;
    default: p = s ? LLVMIntSLE : LLVMIntULE; break;
  }
  return LLVMBuildICmp(e->b, p, a, b, "");
}

static LLVMValueRef int_sign(emitter *e, const loop_expr *x, LLVMValueRef a) {
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(a)),
               one = pir_llvm_const_int(e, x->dtype, x->lanes, 1);
  LLVMValueRef r =
      LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSGT, a, zero, ""), one, zero, "");
  return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, a, zero, ""),
                         LLVMConstAllOnes(LLVMTypeOf(a)), r, "");
}

// Shifts by the width or more give 0 (or the sign); in C they are undefined.
static LLVMValueRef shift(emitter *e, const loop_expr *x, LLVMValueRef a, LLVMValueRef b) {
  int64_t width = (int64_t)pir_loop_type_size(x->dtype) * 8;
  LLVMValueRef most = pir_llvm_const_int(e, x->dtype, x->lanes, width - 1);
  LLVMValueRef over = LLVMBuildICmp(e->b, LLVMIntUGT, b, most, ""),
               by = LLVMBuildSelect(e->b, over, most, b, "");
  if (x->op == PIR_V_SHR && is_signed_dtype(x->dtype))
    return LLVMBuildAShr(e->b, a, by, "");
  LLVMValueRef r =
      x->op == PIR_V_SHL ? LLVMBuildShl(e->b, a, by, "") : LLVMBuildLShr(e->b, a, by, "");
  return LLVMBuildSelect(e->b, over, LLVMConstNull(LLVMTypeOf(a)), r, "");
}

static LLVMValueRef int_op(emitter *e, const loop_expr *x, LLVMValueRef a, LLVMValueRef b) {
  LLVMBuilderRef ir = e->b;
  bool s = is_signed_dtype(x->dtype), wraps = x->dtype != LOOP_INDEX || x->given;
  switch (x->op) {
    case PIR_V_ADD:
      if (x->dtype == PIR_BOOL)
        return LLVMBuildOr(ir, a, b, "");  // a sum that is not 0
      return wraps ? LLVMBuildAdd(ir, a, b, "") : LLVMBuildNSWAdd(ir, a, b, "");
    case PIR_V_SUB: return wraps ? LLVMBuildSub(ir, a, b, "") : LLVMBuildNSWSub(ir, a, b, "");
    case PIR_V_MUL: return wraps ? LLVMBuildMul(ir, a, b, "") : LLVMBuildNSWMul(ir, a, b, "");
    case PIR_V_DIV:
    case PIR_V_FLOORDIV:
    case PIR_V_FLOORMOD:
    case PIR_V_FMOD: return int_division(e, x, a, b);
    case PIR_V_MAX:
    case PIR_V_FMAX:
      return LLVMBuildSelect(ir, LLVMBuildICmp(ir, s ? LLVMIntSGT : LLVMIntUGT, a, b, ""), a, b,
                             "");
    case PIR_V_MIN:
    case PIR_V_FMIN:
      return LLVMBuildSelect(ir, LLVMBuildICmp(ir, s ? LLVMIntSLT : LLVMIntULT, a, b, ""), a, b,
                             "");
    case PIR_V_EQ:
    case PIR_V_NE:
    case PIR_V_LT:
    case PIR_V_LE: return compare_ints(e, x, a, b);
    case PIR_V_AND: return LLVMBuildAnd(ir, a, b, "");
    case PIR_V_OR: return LLVMBuildOr(ir, a, b, "");
    case PIR_V_XOR: return LLVMBuildXor(ir, a, b, "");
    case PIR_V_NOT: return LLVMBuildNot(ir, a, "");
    case PIR_V_SHL:
    case PIR_V_SHR: return shift(e, x, a, b);
    case PIR_V_NEG: return LLVMBuildNeg(ir, a, "");
    case PIR_V_SIGN:
      return s ? int_sign(e, x, a)
               : LLVMBuildZExt(
                     ir, LLVMBuildICmp(ir, LLVMIntNE, a, LLVMConstNull(LLVMTypeOf(a)), ""),
                     LLVMTypeOf(a), "");
    case PIR_V_ABS:
      return s ? LLVMBuildSelect(
                     ir, LLVMBuildICmp(ir, LLVMIntSLT, a, LLVMConstNull(LLVMTypeOf(a)), ""),
                     LLVMBuildNeg(ir, a, ""), a, "")
               : a;
    case PIR_V_FLOOR:
    case PIR_V_CEIL:
    case PIR_V_TRUNC:
    case PIR_V_ROUND:
    case PIR_V_RINT: return a;
    case PIR_V_ISNAN:
    case PIR_V_ISINF: return pir_llvm_const_int(e, PIR_BOOL, x->lanes, 0);
    case PIR_V_ISFINITE: return pir_llvm_const_int(e, PIR_BOOL, x->lanes, 1);
    default:
      e->unsupported = "an operation on integers";
      return LLVMGetPoison(pir_llvm_type(e, x->dtype, x->lanes));
  }
}

static LLVMValueRef operation(emitter *e, const loop_expr *x) {
  LLVMValueRef a = pir_llvm_expr(e, x->a), b = x->b ? pir_llvm_expr(e, x->b) : NULL;
  if (x->op == PIR_V_SELECT)
    return LLVMBuildSelect(e->b, a, b, pir_llvm_expr(e, x->c), "");
  if (is_16_bit_float(x->a->dtype)) {
    e->unsupported = "arithmetic on 16-bit floats";
    return a;
  }
  return pir_dtype_is_float(x->a->dtype) ? float_op(e, x, a, b) : int_op(e, x, a, b);
}

static LLVMValueRef fold_lanes(emitter *e, const loop_expr *x) {
  LLVMValueRef v = pir_llvm_expr(e, x->a);
  LLVMTypeRef type = LLVMTypeOf(v);
  if (x->combine == PIR_COMBINE_AND)
    return pir_llvm_intrinsic(e, "llvm.vector.reduce.and", &type, 1, &v, 1);
  if (x->combine == PIR_COMBINE_OR)
    return pir_llvm_intrinsic(e, "llvm.vector.reduce.or", &type, 1, &v, 1);
  // Folds the vector: combines its lower and upper half until one lane remains.
  loop_module *m = e->fn->module;
  for (unsigned lanes = x->a->lanes; lanes > 1; lanes /= 2) {
    LLVMValueRef low[128], high[128];
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->ctx);
    for (unsigned i = 0; i < lanes / 2; i++) {
      low[i] = LLVMConstInt(i32, i, false);
      high[i] = LLVMConstInt(i32, i + lanes / 2, false);
    }
    loop_var vars[2] = {{.name = "low"}, {.name = "high"}};
    loop_expr shape = {
        .kind = LOOP_VAR, .dtype = x->dtype, .lanes = (uint16_t)(lanes / 2), .var = &vars[0]};
    loop_expr halves[2] = {shape, shape};
    halves[1].var = &vars[1];
    LLVMValueRef poison = LLVMGetPoison(LLVMTypeOf(v));
    halves[0].emitted =
        LLVMBuildShuffleVector(e->b, v, poison, LLVMConstVector(low, lanes / 2), "");
    halves[1].emitted =
        LLVMBuildShuffleVector(e->b, v, poison, LLVMConstVector(high, lanes / 2), "");
    halves[0].emitted_in = halves[1].emitted_in = m->emitted;
    v = pir_llvm_expr(e, pir_loop_combine(m, x->combine, &halves[0], &halves[1]));
  }
  return LLVMBuildExtractElement(e->b, v,
                                 LLVMConstInt(LLVMInt32TypeInContext(e->ctx), 0, false), "");
}

static LLVMValueRef ramp(emitter *e, const loop_expr *x) {
  LLVMValueRef steps[256], base = pir_llvm_expr(e, x->a), stride = pir_llvm_expr(e, x->b);
  for (unsigned i = 0; i < x->lanes; i++)
    steps[i] = LLVMConstInt(pir_llvm_type(e, x->dtype, 1), i, false);
  LLVMValueRef by = LLVMBuildMul(e->b, LLVMConstVector(steps, x->lanes),
                                 pir_llvm_splat(e, stride, x->lanes), "");
  return LLVMBuildAdd(e->b, by, pir_llvm_splat(e, base, x->lanes), "");
}

static LLVMValueRef fused_multiply_add(emitter *e, const loop_expr *x) {
  LLVMValueRef args[] = {pir_llvm_expr(e, x->a), pir_llvm_expr(e, x->b),
                         pir_llvm_expr(e, x->c)};
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  if (e->target->fma)
    return pir_llvm_intrinsic(e, "llvm.fma", &type, 1, args, 3);
  // Without FMA in the target, a fused multiply-add would be a libm call for each lane.
  return LLVMBuildFAdd(e->b, LLVMBuildFMul(e->b, args[0], args[1], ""), args[2], "");
}

static LLVMValueRef narrow_by_instruction(emitter *e, const loop_expr *x) {
  LLVMTypeRef half = vector_of(LLVMBFloatTypeInContext(e->ctx), x->lanes);
  LLVMValueRef rounded = LLVMBuildFPTrunc(e->b, pir_llvm_expr(e, x->a), half, "");
  return LLVMBuildBitCast(e->b, rounded, pir_llvm_type(e, PIR_BF16, x->lanes), "");
}

// Packed dot products of bf16, s16 or u8. Callers have checked that the target supports them.
static LLVMValueRef dot(emitter *e, const loop_expr *x) {
  char name[48];
  bool is_bf16 = x->dot == LOOP_DOT_BF16;
  LLVMValueRef args[] = {pir_llvm_expr(e, x->c), pir_llvm_expr(e, x->a),
                         pir_llvm_expr(e, x->b)};
  if (x->lanes != 4 && x->lanes != 8 && x->lanes != 16) {
    e->unsupported = "products of small numbers that fill no vector";
    return args[0];
  }
  bool is_words = x->dot == LOOP_DOT_S16;
  LLVMTypeRef word =
      is_words ? LLVMInt16TypeInContext(e->ctx) : LLVMBFloatTypeInContext(e->ctx);
  LLVMTypeRef pairs = LLVMVectorType(word, 2u * x->lanes);
  for (int i = 1; i < 3 && (is_bf16 || is_words); i++)
    args[i] = LLVMBuildBitCast(e->b, args[i], pairs, "");
  if (is_words) {
    const char *by_words = "llvm.x86.avx512.pmaddw.d.512";
    if (x->lanes < 16)
      by_words = x->lanes == 4 ? "llvm.x86.sse2.pmadd.wd" : "llvm.x86.avx2.pmadd.wd";
    return LLVMBuildAdd(e->b, args[0], pir_llvm_intrinsic(e, by_words, NULL, 0, args + 1, 2),
                        "");
  }
  pir_text_format(name, sizeof name, "llvm.x86.%s.%d",
                  is_bf16 ? "avx512bf16.dpbf16ps" : "avx512.vpdpbusd", x->lanes * 32);
  return pir_llvm_intrinsic(e, name, NULL, 0, args, 3);
}

static LLVMValueRef zip_lanes(emitter *e, const loop_expr *x) {
  LLVMValueRef a = pir_llvm_expr(e, x->a), b = pir_llvm_expr(e, x->b), order[64];
  unsigned lanes = x->lanes, first = x->upper ? lanes / 2 : 0;
  if (lanes > sizeof order / sizeof *order) {
    e->unsupported = "vectors of so many lanes";
    return a;
  }
  for (unsigned i = 0; i < lanes; i++)
    order[i] = LLVMConstInt(LLVMInt32TypeInContext(e->ctx), first + i / 2 + (i % 2 ? lanes : 0),
                            false);
  return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(order, lanes), "");
}

// Callers have checked that the target has the instruction.
static LLVMValueRef look_up(emitter *e, const loop_expr *x) {
  LLVMValueRef args[] = {pir_llvm_expr(e, x->a), pir_llvm_expr(e, x->b)};
  bool wide = x->lanes == 16 && strstr(e->target->features, "+avx512f");
  bool half = x->lanes == 8 && strstr(e->target->features, "+avx2");
  if (x->dtype != PIR_F32 || (!wide && !half)) {
    e->unsupported = "a table of this size in a register";
    return args[0];
  }
  const char *name = wide ? "llvm.x86.avx512.permvar.sf.512" : "llvm.x86.avx2.permps";
  return pir_llvm_intrinsic(e, name, NULL, 0, args, 2);
}

static LLVMValueRef emit_expr(emitter *e, loop_expr *x) {
  switch ((loop_kind)x->kind) {
    case LOOP_CONST:
      if (!pir_dtype_is_float(x->dtype))
        return pir_llvm_const_int(e, x->dtype, x->lanes, x->constant.i);
      if (!is_16_bit_float(x->dtype))
        return pir_llvm_const_float(e, x->dtype, x->lanes, x->constant.f);
      return pir_llvm_narrow(
          e, x->dtype, pir_llvm_const_float(e, PIR_F32, x->lanes, x->constant.f), x->lanes);
    case LOOP_VAR: return e->vars[x->var->id];
    case LOOP_DIM: {
      LLVMTypeRef i64 = LLVMInt64TypeInContext(e->ctx);
      LLVMValueRef k = LLVMConstInt(i64, (uint64_t)x->dim.number, false);
      return LLVMBuildLoad2(e->b, i64, LLVMBuildInBoundsGEP2(e->b, i64, e->dims, &k, 1, ""),
                            "dim");
    }
    case LOOP_OP: return operation(e, x);
    case LOOP_FMA: return fused_multiply_add(e, x);
    case LOOP_DOT: return dot(e, x);
    case LOOP_CAST:
      if (x->dtype == PIR_I8 || x->dtype == PIR_U8) {
        LLVMValueRef byte = pir_llvm_rounded_byte(e, x);
        if (byte)
          return byte;
      }
      if (x->flushes && e->target->avx512_bf16)
        return narrow_by_instruction(e, x);
      return emit_cast(e, pir_llvm_expr(e, x->a), x->a->dtype, x->dtype);
    case LOOP_BITCAST:
      return LLVMBuildBitCast(e->b, pir_llvm_expr(e, x->a),
                              pir_llvm_type(e, x->dtype, x->lanes), "");
    case LOOP_BROADCAST: return pir_llvm_splat(e, pir_llvm_expr(e, x->a), x->lanes);
    case LOOP_RAMP: return ramp(e, x);
    case LOOP_LOAD:
    case LOOP_GATHER: return emit_load(e, x);
    case LOOP_FOLD: return fold_lanes(e, x);
    case LOOP_ZIP: return zip_lanes(e, x);
    case LOOP_LOOKUP: return look_up(e, x);
    case LOOP_TEAM: e->unsupported = "a team of threads"; return pir_llvm_expr(e, x->a);
  }
  return NULL;
}

LLVMValueRef pir_llvm_expr(emitter *e, loop_expr *x) {
  uint64_t statement = e->fn->module->emitted;
  if (x->emitted_in == statement)
    return x->emitted;
  LLVMValueRef v = emit_expr(e, x);
  x->emitted = v;
  x->emitted_in = statement;
  return v;
}
