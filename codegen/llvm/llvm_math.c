// Vectorised math functions. exp, expm1, log1p, tanh and erf on f32 are polynomials after a
// range reduction: within 2 ulp on the whole range, with libm's results for NaN, infinities,
// zeros and subnormals. All other functions, and all of f64, call libm once for each lane; so
// does log, because recordings compare its last bit and models take few logarithms. The
// coefficients are minimax fits in f32 that account for the rounding of fma.
// test/codegen/loop/loop_test.c compares them with libm in f64.
#include <string.h>

#include "llvm_impl.h"

// State for one vector: the emitter, and the shape of the values.
typedef struct maths {
  emitter *e;
  LLVMBuilderRef b;
  unsigned lanes;
  LLVMTypeRef f32, i32;
} maths;

static LLVMValueRef real(const maths *v, double f) {
  return pir_llvm_const_float(v->e, PIR_F32, v->lanes, f);
}
static LLVMValueRef integer(const maths *v, int64_t i) {
  return pir_llvm_const_int(v->e, PIR_I32, v->lanes, i);
}
static LLVMValueRef mul(const maths *v, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildFMul(v->b, a, b, "");
}
static LLVMValueRef add(const maths *v, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildFAdd(v->b, a, b, "");
}
static LLVMValueRef sub(const maths *v, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildFSub(v->b, a, b, "");
}
static LLVMValueRef bits_of(const maths *v, LLVMValueRef a) {
  return LLVMBuildBitCast(v->b, a, v->i32, "");
}
static LLVMValueRef from_bits(const maths *v, LLVMValueRef a) {
  return LLVMBuildBitCast(v->b, a, v->f32, "");
}

static LLVMValueRef fma3(const maths *v, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
  if (!v->e->target->fma)
    return add(v, mul(v, a, b), c);
  LLVMTypeRef type = v->f32;
  LLVMValueRef args[] = {a, b, c};
  return pir_llvm_intrinsic(v->e, "llvm.fma", &type, 1, args, 3);
}

static LLVMValueRef emit_unary(const maths *v, const char *name, LLVMValueRef a) {
  LLVMTypeRef type = LLVMTypeOf(a);
  return pir_llvm_intrinsic(v->e, name, &type, 1, &a, 1);
}

static LLVMValueRef select_if(const maths *v, LLVMRealPredicate p, LLVMValueRef a,
                              LLVMValueRef b, LLVMValueRef then, LLVMValueRef other) {
  return LLVMBuildSelect(v->b, LLVMBuildFCmp(v->b, p, a, b, ""), then, other, "");
}

// Evaluates c[0] + c[1] x + ... by Horner's rule; the argument list has `count` coefficients,
// the highest first.
static LLVMValueRef horner(const maths *v, LLVMValueRef x, const double *highest_first,
                           int count) {
  LLVMValueRef r = real(v, highest_first[0]);
  for (int i = 1; i < count; i++)
    r = fma3(v, r, x, real(v, highest_first[i]));
  return r;
}

static LLVMValueRef copy_sign(const maths *v, LLVMValueRef magnitude, LLVMValueRef sign) {
  LLVMTypeRef type = v->f32;
  LLVMValueRef args[] = {magnitude, sign};
  return pir_llvm_intrinsic(v->e, "llvm.copysign", &type, 1, args, 2);
}

// Clamps x to [low, high]; a NaN stays.
static LLVMValueRef clamp(const maths *v, LLVMValueRef x, double low, double high) {
  x = select_if(v, LLVMRealOLT, real(v, high), x, real(v, high), x);
  return select_if(v, LLVMRealOGT, real(v, low), x, real(v, low), x);
}

// Rounds x to an integer, for |x| < 2^22. Targets without FMA may lack the rounding instruction
// too; there, adding and subtracting a large number rounds.
static LLVMValueRef nearest(const maths *v, LLVMValueRef x) {
  if (v->e->target->fma)
    return emit_unary(v, "llvm.rint", x);
  LLVMValueRef large = real(v, 0x1.8p23);
  return sub(v, add(v, x, large), large);
}

// Splits x = n ln 2 + r with |r| <= ln 2 / 2. ln 2 is subtracted in two parts, the first of
// which has few bits, so its product with n is exact.
static LLVMValueRef reduce_exp(const maths *v, LLVMValueRef x, LLVMValueRef *out_n) {
  LLVMValueRef n = nearest(v, mul(v, x, real(v, 1.44269504088896341)));
  *out_n = n;
  return fma3(v, n, real(v, 2.12194440054690583e-4), fma3(v, n, real(v, -0.693359375), x));
}

// A NaN has no integer: any will do, since the NaN is in the other factor, too. Without freeze
// all that follows from a constant NaN would be poison, and LLVM would drop its store.
static LLVMValueRef to_integer(const maths *v, LLVMValueRef n) {
  return LLVMBuildFreeze(v->b, LLVMBuildFPToSI(v->b, n, v->i32, ""), "");
}

// p * 2^n in one instruction and one rounding; NULL if the target has none.
static LLVMValueRef scaled(const maths *v, LLVMValueRef p, LLVMValueRef n) {
  if (v->e->target->vector_bytes < 64 || (v->lanes != 4 && v->lanes != 8 && v->lanes != 16))
    return NULL;
  char name[64];
  pir_text_format(name, sizeof name, "llvm.x86.avx512.mask.scalef.ps.%u", 32 * v->lanes);
  LLVMTypeRef mask =
      v->lanes == 16 ? LLVMInt16TypeInContext(v->e->ctx) : LLVMInt8TypeInContext(v->e->ctx);
  LLVMValueRef nearest = LLVMConstInt(LLVMInt32TypeInContext(v->e->ctx), 4, false);
  LLVMValueRef args[] = {p, n, p, LLVMConstAllOnes(mask), nearest};
  return pir_llvm_intrinsic(v->e, name, NULL, 0, args, v->lanes == 16 ? 5 : 4);
}

static LLVMValueRef power_of_two(const maths *v, LLVMValueRef n) {
  return from_bits(
      v, LLVMBuildShl(v->b, LLVMBuildAdd(v->b, n, integer(v, 127), ""), integer(v, 23), ""));
}

static LLVMValueRef exp_f32(const maths *v, LLVMValueRef x) {
  static const double c[] = {
      0x1.694000p-10, 0x1.125edcp-7, 0x1.555b5ap-5, 0x1.555450p-3, 0x1.fffff6p-2, 1, 1};
  // Below -104 the result is 0. That is selected rather than computed: a result that underflows
  // takes over a hundred cycles on Intel's processors, and the masks of attention are such x.
  LLVMValueRef none = LLVMBuildFCmp(v->b, LLVMRealOLT, x, real(v, -104), "");
  x = select_if(v, LLVMRealOLT, real(v, 89), x, real(v, 89), x);
  x = LLVMBuildSelect(v->b, none, real(v, 0), x, "");
  LLVMValueRef n, r = reduce_exp(v, x, &n), p = horner(v, r, c, 7), y = scaled(v, p, n);
  if (!y) {
    n = to_integer(v, n);
    // Scales in two steps, because 2^n alone may be out of range when the result is not.
    LLVMValueRef half = LLVMBuildAShr(v->b, n, integer(v, 1), "");
    y = mul(v, mul(v, p, power_of_two(v, half)),
            power_of_two(v, LLVMBuildSub(v->b, n, half, "")));
  }
  return LLVMBuildSelect(v->b, none, real(v, 0), y, "");
}

// 2^n (e^r - 1) + (2^n - 1), with one power of two held back so that n = 128 fits.
static LLVMValueRef expm1_f32(const maths *v, LLVMValueRef x) {
  static const double c[] = {0x1.694000p-10, 0x1.125edcp-7, 0x1.555b5ap-5, 0x1.555450p-3,
                             0x1.fffff6p-2};
  LLVMValueRef n, r = reduce_exp(v, clamp(v, x, -18, 89), &n);
  LLVMValueRef q = fma3(v, mul(v, r, r), horner(v, r, c, 5), r);
  LLVMValueRef scale = power_of_two(v, LLVMBuildSub(v->b, to_integer(v, n), integer(v, 1), ""));
  LLVMValueRef y = fma3(v, scale, q, sub(v, scale, real(v, 0.5)));
  y = add(v, y, y);
  return select_if(v, LLVMRealOEQ, x, real(v, 0), x, y);
}

static LLVMValueRef log_f32(const maths *v, LLVMValueRef x) {
  static const double even[] = {-0x1.0aa000p-3, 0x1.208ab8p-3},
                      odd[] = {-0x1.f19f10p-4, 0x1.1e5476p-3};
  static const double rest[] = {-0x1.55b2d8p-3, 0x1.99d91ep-3, -0x1.fffe18p-3, 0x1.5554f8p-2,
                                -0.5};
  LLVMValueRef tiny = LLVMBuildFCmp(v->b, LLVMRealOLT, x, real(v, 0x1p-126), "");
  LLVMValueRef a = LLVMBuildSelect(v->b, tiny, mul(v, x, real(v, 0x1p23)), x, "");
  LLVMValueRef bits = bits_of(v, a);
  LLVMValueRef e = LLVMBuildAnd(v->b, LLVMBuildSub(v->b, bits, integer(v, 0x3f2aaaab), ""),
                                integer(v, 0xff800000), "");
  LLVMValueRef m = from_bits(v, LLVMBuildSub(v->b, bits, e, ""));
  LLVMValueRef i = fma3(v, LLVMBuildSIToFP(v->b, e, v->f32, ""), real(v, 0x1p-23),
                        LLVMBuildSelect(v->b, tiny, real(v, -23), real(v, 0), ""));
  LLVMValueRef f = sub(v, m, real(v, 1)), s = mul(v, f, f);
  LLVMValueRef r = fma3(v, horner(v, f, even, 2), s, horner(v, f, odd, 2));
  for (int k = 0; k < 5; k++)
    r = fma3(v, r, f, real(v, rest[k]));
  r = fma3(v, i, real(v, 0.693147182464599609), fma3(v, r, s, f));
  r = select_if(v, LLVMRealOEQ, x, real(v, 0), real(v, -__builtin_inf()), r);
  r = select_if(v, LLVMRealULT, x, real(v, 0), real(v, __builtin_nan("")), r);
  return select_if(v, LLVMRealOEQ, x, real(v, __builtin_inf()), x, r);
}

// log(u) with u = 1 + x, corrected by the rounding error of u.
static LLVMValueRef log1p_f32(const maths *v, LLVMValueRef x) {
  LLVMValueRef one = real(v, 1), u = add(v, one, x), lost = sub(v, x, sub(v, u, one));
  LLVMValueRef r = add(v, log_f32(v, u), LLVMBuildFDiv(v->b, lost, u, ""));
  LLVMValueRef plain = select_if(v, LLVMRealOEQ, u, real(v, 0), real(v, -__builtin_inf()), r);
  plain = select_if(v, LLVMRealOEQ, u, real(v, __builtin_inf()), u, plain);
  return select_if(v, LLVMRealOEQ, u, one, x, plain);
}

static LLVMValueRef tanh_f32(const maths *v, LLVMValueRef x) {
  static const double c[] = {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                             1.33314422036e-1, -3.33332819422e-1};
  LLVMValueRef s = mul(v, x, x), t = emit_unary(v, "llvm.fabs", x), one = real(v, 1);
  LLVMValueRef small = fma3(v, mul(v, horner(v, s, c, 5), s), x, x);
  LLVMValueRef e = exp_f32(v, add(v, t, t));
  LLVMValueRef large =
      copy_sign(v, sub(v, one, LLVMBuildFDiv(v->b, real(v, 2), add(v, e, one), "")), x);
  return select_if(v, LLVMRealOLT, t, real(v, 0.625), small, large);
}

// 2^x for results between 2^-30 and 1, within 3 ulp.
static LLVMValueRef exp2_small(const maths *v, LLVMValueRef x) {
  static const double c[] = {0x1.5c08e4p-10, 0x1.3d0c52p-7, 0x1.c6b6e4p-5,
                             0x1.ebf918p-3,  0x1.62e428p-1, 1};
  LLVMValueRef n = nearest(v, x), p = horner(v, sub(v, x, n), c, 6), at_once = scaled(v, p, n);
  return at_once ? at_once : mul(v, p, power_of_two(v, to_integer(v, n)));
}

static LLVMValueRef erf_f32(const maths *v, LLVMValueRef x) {
  static const double near[] = {-0x1.38e000p-11, 0x1.471a58p-8,  -0x1.b691b2p-6,
                                0x1.ce1c44p-4,   -0x1.812700p-2, 0x1.06eba8p-3};
  static const double far_even[] = {-0x1.a261aep-16, 0x1.21d878p-11},
                      far_odd[] = {-0x1.6f390ep-8, 0x1.1ea798p-5};
  static const double far_rest[] = {-0x1.3b7d78p-3, -0x1.d4ef8ep-1, -0x1.a0de82p+0};
  LLVMValueRef t = emit_unary(v, "llvm.fabs", x), s = mul(v, x, x), one = real(v, 1);
  LLVMValueRef small = fma3(v, horner(v, s, near, 6), x, x);
  LLVMValueRef bound = select_if(v, LLVMRealOGT, t, real(v, 4), real(v, 4), t),
               square = mul(v, bound, bound);
  LLVMValueRef r = fma3(v, horner(v, bound, far_even, 2), square, horner(v, bound, far_odd, 2));
  for (int k = 0; k < 3; k++)
    r = fma3(v, r, bound, real(v, far_rest[k]));
  // For large |x|, 1 - erf is at most 0.2, so a shorter power of two than in exp suffices.
  LLVMValueRef large = copy_sign(v, sub(v, one, exp2_small(v, mul(v, r, bound))), x);
  return select_if(v, LLVMRealOGT, t, real(v, 0.927734375), large, small);
}

// ---- the library

static const char *libm_name(pir_node_op fn, bool is_double) {
  // clang-format off
#define NAME(op, name) case op: return is_double ? name : name "f";
  switch (fn) {
    NAME(PIR_V_POW, "pow") NAME(PIR_V_ATAN2, "atan2") NAME(PIR_V_EXP, "exp")
    NAME(PIR_V_EXP2, "exp2") NAME(PIR_V_EXPM1, "expm1") NAME(PIR_V_LOG, "log")
    NAME(PIR_V_LOG2, "log2") NAME(PIR_V_LOG10, "log10") NAME(PIR_V_LOG1P, "log1p")
    NAME(PIR_V_SIN, "sin") NAME(PIR_V_COS, "cos") NAME(PIR_V_TAN, "tan")
    NAME(PIR_V_ASIN, "asin") NAME(PIR_V_ACOS, "acos") NAME(PIR_V_ATAN, "atan")
    NAME(PIR_V_SINH, "sinh") NAME(PIR_V_COSH, "cosh") NAME(PIR_V_TANH, "tanh")
    NAME(PIR_V_ASINH, "asinh") NAME(PIR_V_ACOSH, "acosh") NAME(PIR_V_ATANH, "atanh")
    NAME(PIR_V_ERF, "erf") NAME(PIR_V_LGAMMA, "lgamma") NAME(PIR_V_ROUND, "round")
    default: return NULL;
  }
#undef NAME
  // clang-format on
}

static void add_attribute(emitter *e, LLVMValueRef fn, const char *name, uint64_t value) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          LLVMCreateEnumAttribute(e->ctx, kind, value));
}

static LLVMValueRef call_lanes(emitter *e, const char *name, pir_dtype dtype, unsigned lanes,
                               LLVMValueRef a, LLVMValueRef b) {
  LLVMTypeRef scalar = pir_llvm_type(e, dtype, 1), types[] = {scalar, scalar};
  LLVMTypeRef type = LLVMFunctionType(scalar, types, b ? 2 : 1, false);
  LLVMValueRef fn = LLVMGetNamedFunction(e->module, name);
  if (!fn) {
    static const char *const pure[] = {"nounwind", "willreturn", "speculatable"};
    fn = LLVMAddFunction(e->module, name, type);
    for (int i = 0; i < 3; i++)
      add_attribute(e, fn, pure[i], 0);
    add_attribute(e, fn, "memory",
                  0);  // reads and writes none: one call serves all rounds of a loop
  }
  LLVMValueRef result = LLVMGetPoison(pir_llvm_type(e, dtype, lanes));
  for (unsigned i = 0; i < lanes; i++) {
    LLVMValueRef at = LLVMConstInt(LLVMInt32TypeInContext(e->ctx), i, false);
    LLVMValueRef args[] = {lanes > 1 ? LLVMBuildExtractElement(e->b, a, at, "") : a,
                           b && lanes > 1 ? LLVMBuildExtractElement(e->b, b, at, "") : b};
    LLVMValueRef one = LLVMBuildCall2(e->b, type, fn, args, b ? 2 : 1, "");
    result = lanes > 1 ? LLVMBuildInsertElement(e->b, result, one, at, "") : one;
  }
  return result;
}

static LLVMValueRef inlined(const maths *v, pir_node_op fn, LLVMValueRef a) {
  switch (fn) {
    case PIR_V_EXP: return exp_f32(v, a);
    case PIR_V_EXPM1: return expm1_f32(v, a);
    case PIR_V_LOG1P: return log1p_f32(v, a);
    case PIR_V_TANH: return tanh_f32(v, a);
    case PIR_V_ERF: return erf_f32(v, a);
    default: return NULL;
  }
}

LLVMValueRef pir_llvm_math(emitter *e, pir_node_op fn, pir_dtype dtype, unsigned lanes,
                           LLVMValueRef a, LLVMValueRef b) {
  maths v = {e, e->b, lanes, pir_llvm_type(e, PIR_F32, lanes),
             pir_llvm_type(e, PIR_I32, lanes)};
  LLVMValueRef r = dtype == PIR_F32 ? inlined(&v, fn, a) : NULL;
  if (r)
    return r;
  const char *name = libm_name(fn, dtype == PIR_F64);
  if (name)
    return call_lanes(e, name, dtype, lanes, a, b);
  e->unsupported = "a function that neither the emitter nor libm has";
  return LLVMGetPoison(pir_llvm_type(e, dtype, lanes));
}

// ---- rounded bytes

// The expression behind variables that are bound once.
static const loop_expr *behind(const emitter *e, const loop_expr *x) {
  while (x->kind == LOOP_VAR && e->lets[x->var->id])
    x = e->lets[x->var->id];
  return x;
}

// Returns the operation `x` is, if it is this one; else NULL.
static const loop_expr *as_op(const emitter *e, const loop_expr *x, pir_node_op op) {
  x = behind(e, x);
  return x->kind == LOOP_OP && x->op == op ? x : NULL;
}

// Whether the expression is a constant, of a few operations as clauses write one.
static bool is_constant(const emitter *e, const loop_expr *x, double *out) {
  double b = 0;
  x = behind(e, x);
  if (x->kind == LOOP_BROADCAST)
    return is_constant(e, x->a, out);
  if (x->kind == LOOP_CONST && x->dtype == PIR_F32) {
    *out = x->constant.f;
    return true;
  }
  if (x->kind != LOOP_OP || !is_constant(e, x->a, out))
    return false;
  if (x->op == PIR_V_NEG)
    *out = -*out;
  else if (x->op == PIR_V_SUB && is_constant(e, x->b, &b))
    *out -= b;
  else
    return false;
  return true;
}

// max(min(rint(y), 127), -128), or 255 and -256, is how numbers are quantised. Numbers are
// held below 128 (256) before they are rounded, because a large one would become the smallest
// integer; that holds the others itself. A NaN becomes 0, as by the plain cast.
LLVMValueRef pir_llvm_rounded_byte(emitter *e, const loop_expr *cast) {
  double low = 0, high = 0;
  const loop_expr *max = as_op(e, cast->a, PIR_V_MAX);
  const loop_expr *min = max ? as_op(e, max->a, PIR_V_MIN) : NULL;
  const loop_expr *rounded = min ? as_op(e, min->a, PIR_V_RINT) : NULL;
  if (!rounded || cast->lanes != 16 || cast->a->dtype != PIR_F32 ||
      e->target->vector_bytes < 64 || !is_constant(e, min->b, &high) ||
      !is_constant(e, max->b, &low) || low != -high - 1 ||
      high != (cast->dtype == PIR_I8 ? INT8_MAX : UINT8_MAX))
    return NULL;
  maths v = {e, e->b, 16, pir_llvm_type(e, PIR_F32, 16), pir_llvm_type(e, PIR_I32, 16)};
  LLVMValueRef y = pir_llvm_expr(e, rounded->a), zero = LLVMConstNull(v.i32);
  LLVMValueRef held = select_if(&v, LLVMRealOLT, y, real(&v, high), y, real(&v, high));
  LLVMTypeRef types[] = {v.i32, v.f32};
  LLVMValueRef n = pir_llvm_intrinsic(e, "llvm.lrint", types, 2, &held, 1);
  n = select_if(&v, LLVMRealORD, y, y, n, zero);
  LLVMValueRef above[] = {n, pir_llvm_const_int(e, PIR_I32, 16, (int64_t)low)};
  LLVMValueRef below[] = {pir_llvm_intrinsic(e, "llvm.smax", &v.i32, 1, above, 2),
                          pir_llvm_const_int(e, PIR_I32, 16, (int64_t)high)};
  n = pir_llvm_intrinsic(e, "llvm.smin", &v.i32, 1, below, 2);
  return LLVMBuildTrunc(e->b, n, pir_llvm_type(e, PIR_I8, 16), "");
}
