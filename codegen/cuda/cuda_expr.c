// Prints loop IR as CUDA C: expressions, lane by lane. A subexpression that a statement uses
// twice gets a variable in front of the statement, so the text is linear in the tree. Aligned
// vectors are loaded as one struct. Rounding follows the source: products are fused with sums
// only in LOOP_FMA, and NVRTC's own fusing is off.
#include <math.h>

#include "cuda_impl.h"

// State of a node while its statement is printed.
typedef struct note {
  uint32_t uses, name;  // name 0: printed where it is used
  bool settled, wide;   // wide: one variable for all lanes
} note;

const char *cuda_type(pir_dtype dtype) {
  switch (dtype) {
    case PIR_BOOL: return "bool";
    case PIR_F16:
    case PIR_BF16: return "u16";
    case LOOP_INDEX: return "i64";
    default: return pir_dtype_text(dtype);
  }
}

const char *cuda_memory_type(pir_dtype dtype) {
  return dtype == PIR_BOOL ? "u8" : cuda_type(dtype);
}

void cuda_text(cuda_emitter *e, const char *text) {
  pir_strbuf_put(&e->text, text, strlen(text));
}

void cuda_indent(cuda_emitter *e) {
  pir_strbuf_fill(&e->text, ' ', 2 * (size_t)e->depth);
}

static bool is_half(pir_dtype dtype) {
  return dtype == PIR_F16 || dtype == PIR_BF16;
}

static bool is_signed(pir_dtype dtype) {
  return dtype != PIR_BOOL && dtype != PIR_U8 && dtype != PIR_U16 && dtype != PIR_U32 &&
         dtype != PIR_U64;
}

// ---- notes

static note *note_of(const cuda_emitter *e, const loop_expr *x) {
  return x->emitted_in == e->m->emitted ? x->emitted : NULL;
}

void cuda_begin(cuda_emitter *e) {
  e->m->emitted++;
}

void cuda_count(cuda_emitter *e, loop_expr *x) {
  if (!x)
    return;
  note *n = note_of(e, x);
  if (n) {
    n->uses++;
    return;
  }
  n = pir_arena_zalloc(&e->arena, sizeof *n);
  n->uses = 1;
  x->emitted = n;
  x->emitted_in = e->m->emitted;
  cuda_count(e, x->a);
  cuda_count(e, x->b);
  cuda_count(e, x->c);
  cuda_count(e, x->mask);
}

bool cuda_is_wide(const loop_buffer *buffer, const loop_expr *index, unsigned lanes) {
  bool memory = buffer->space == LOOP_ARG || buffer->space == LOOP_SHARED;
  return lanes > 1 && lanes * pir_dtype_size(buffer->dtype) <= 16 && memory &&
         pir_loop_multiple(index) % lanes == 0;
}

static bool is_wide_load(const loop_expr *x) {
  return x->kind == LOOP_LOAD && (!x->mask || x->mask->lanes == 1) &&
         cuda_is_wide(x->buffer, x->a, x->lanes);
}

static bool wants_name(const loop_expr *x, const note *n) {
  if (x->kind == LOOP_CONST || x->kind == LOOP_VAR || x->kind == LOOP_DIM ||
      x->kind == LOOP_BROADCAST)
    return false;
  return x->kind == LOOP_TEAM || x->kind == LOOP_FOLD || is_wide_load(x) || n->uses > 1;
}

static const char *combine_name(pir_combine c) {
  static const char *const names[] = {
      [PIR_COMBINE_ADD] = "add", [PIR_COMBINE_MUL] = "mul", [PIR_COMBINE_MAX] = "max",
      [PIR_COMBINE_MIN] = "min", [PIR_COMBINE_AND] = "and", [PIR_COMBINE_OR] = "or"};
  return c <= PIR_COMBINE_OR && names[c] ? names[c] : "add";
}

static void put_name(cuda_emitter *e, const note *n, unsigned lanes, unsigned lane) {
  pir_strbuf_format(&e->text, "m%u", n->name);
  if (n->wide)
    pir_strbuf_format(&e->text, ".v[%u]", lane);
  else if (lanes > 1)
    pir_strbuf_format(&e->text, "_%u", lane);
}

static void put_plain(cuda_emitter *e, const loop_expr *x, unsigned lane);

// Combines the lanes one after another; the compiler turns this into a tree if the order does
// not matter.
static void name_fold(cuda_emitter *e, const loop_expr *x, const note *n) {
  pir_strbuf_format(&e->text, "%s m%u = ", cuda_type(x->dtype), n->name);
  cuda_put(e, x->a, 0);
  cuda_text(e, ";\n");
  for (unsigned i = 1; i < x->a->lanes; i++) {
    cuda_indent(e);
    pir_strbuf_format(&e->text, "m%u = pir_op_%s::of<%s>(m%u, ", n->name,
                      combine_name(x->combine), cuda_type(x->dtype), n->name);
    cuda_put(e, x->a, i);
    cuda_text(e, ");\n");
  }
}

static void name_node(cuda_emitter *e, const loop_expr *x, note *n) {
  n->name = ++e->temps;
  cuda_indent(e);
  if (x->kind == LOOP_FOLD) {
    name_fold(e, x, n);
  } else if (is_wide_load(x)) {
    const char *type = cuda_memory_type(x->dtype);
    n->wide = true;
    pir_strbuf_format(&e->text, "const pir_vec<%s, %u> m%u = ", type, x->lanes, n->name);
    if (x->mask) {
      cuda_put(e, x->mask, 0);
      cuda_text(e, " ? ");
    }
    pir_strbuf_format(&e->text, "*(const pir_vec<%s, %u> *)&", type, x->lanes);
    cuda_put_place(e, x->buffer, x->a, 0);
    if (x->mask)
      pir_strbuf_format(&e->text, " : pir_vec<%s, %u>{}", type, x->lanes);
    cuda_text(e, ";\n");
  } else {
    pir_strbuf_format(&e->text, "const %s ", cuda_type(x->dtype));
    for (unsigned lane = 0; lane < x->lanes; lane++) {
      if (lane)
        cuda_text(e, ", ");
      pir_strbuf_format(&e->text, x->lanes > 1 ? "m%u_%u = " : "m%u = ", n->name, lane);
      put_plain(e, x, lane);
    }
    cuda_text(e, ";\n");
  }
}

void cuda_settle(cuda_emitter *e, loop_expr *x) {
  note *n = x ? note_of(e, x) : NULL;
  if (!n || n->settled)
    return;
  n->settled = true;
  cuda_settle(e, x->a);
  cuda_settle(e, x->b);
  cuda_settle(e, x->c);
  cuda_settle(e, x->mask);
  if (wants_name(x, n))
    name_node(e, x, n);
}

// ---- constants

static void put_float(cuda_emitter *e, pir_dtype dtype, double f) {
  if (isfinite(f)) {
    cuda_text(e, signbit(f) ? "(" : "");
    pir_strbuf_float(&e->text, "%a", dtype == PIR_F32 ? (double)(float)f : f);
    cuda_text(e, dtype == PIR_F32 ? "f" : "");
    cuda_text(e, signbit(f) ? ")" : "");
    return;
  }
  uint64_t bits;
  float narrow = (float)f;
  uint32_t half;
  memcpy(&bits, &f, sizeof bits);
  memcpy(&half, &narrow, sizeof half);
  if (dtype == PIR_F32)
    pir_strbuf_format(&e->text, "pir_bits<f32>(0x%xu)", half);
  else
    pir_strbuf_format(&e->text, "pir_bits<f64>(0x%llxull)", (unsigned long long)bits);
}

static void put_const(cuda_emitter *e, const loop_expr *x) {
  if (is_half(x->dtype)) {
    cuda_text(e, x->dtype == PIR_F16 ? "pir_to_f16(" : "pir_to_bf16(");
    put_float(e, PIR_F32, x->constant.f);
    cuda_text(e, ")");
  } else if (pir_dtype_is_float(x->dtype)) {
    put_float(e, x->dtype, x->constant.f);
  } else if (x->dtype == PIR_BOOL) {
    cuda_text(e, x->constant.i ? "true" : "false");
  } else if (x->constant.i == INT64_MIN) {
    cuda_text(e, "(-9223372036854775807ll - 1)");
  } else {
    if (x->dtype != PIR_I64 && x->dtype != LOOP_INDEX)
      pir_strbuf_format(&e->text, "(%s)", cuda_type(x->dtype));
    pir_strbuf_format(&e->text, x->constant.i < 0 ? "(%lldll)" : "%lldll",
                      (long long)x->constant.i);
  }
}

// ---- memory

void cuda_put_place(cuda_emitter *e, const loop_buffer *buffer, const loop_expr *index,
                    unsigned lane) {
  static const char names[] = {[LOOP_ARG] = 'b',
                               [LOOP_SCRATCH] = 'x',
                               [LOOP_REGISTER] = 'r',
                               [LOOP_LOCAL] = 'l',
                               [LOOP_SHARED] = 's'};
  if (buffer->space == LOOP_SCRATCH)
    e->why = "scratch memory";
  pir_strbuf_format(&e->text, "%c%u[", names[buffer->space], buffer->id);
  if (index->lanes > 1) {
    cuda_put(e, index, lane);
  } else if (buffer->space == LOOP_REGISTER && buffer->lanes > 1) {
    cuda_put(e, index, 0);
    pir_strbuf_format(&e->text, " * %u + %u", buffer->lanes, lane);
  } else {
    cuda_put(e, index, 0);
    if (lane)
      pir_strbuf_format(&e->text, " + %u", lane);
  }
  cuda_text(e, "]");
}

static void put_load(cuda_emitter *e, const loop_expr *x, unsigned lane) {
  bool is_bool = x->dtype == PIR_BOOL && x->buffer->space != LOOP_REGISTER;
  cuda_text(e, is_bool ? "(" : "");
  if (x->mask) {
    cuda_text(e, "(");
    cuda_put(e, x->mask, x->mask->lanes > 1 ? lane : 0);
    cuda_text(e, " ? ");
  }
  cuda_put_place(e, x->buffer, x->a, x->lanes > 1 ? lane : 0);
  if (x->mask)
    pir_strbuf_format(&e->text, " : (%s)0)", cuda_memory_type(x->dtype));
  cuda_text(e, is_bool ? " != 0)" : "");
}

// ---- casts

// Converts floats to integers as the runtime does (runtime/base/convert.c): through 32 or 64
// bits; a number out of range becomes the smallest integer.
static void open_cast(cuda_emitter *e, uint8_t from, uint8_t to) {
  bool truncates = pir_dtype_is_float(from) && !pir_dtype_is_float(to);
  bool wide = truncates && (pir_loop_type_size(to) == 8 || to == PIR_U32);
  pir_strbuf_format(&e->text, "(%s)", cuda_type(to));
  if (truncates && to == PIR_U64)
    cuda_text(e, "pir_to_u64");
  else if (truncates)
    cuda_text(e, wide ? "pir_to_i64" : "pir_to_i32");
  cuda_text(e, "(");
}

static void put_half_cast(cuda_emitter *e, const loop_expr *x, unsigned lane) {
  pir_dtype from = x->a->dtype, to = x->dtype;
  if (is_half(to))
    cuda_text(e, to == PIR_F16 ? "pir_to_f16(" : "pir_to_bf16(");
  else if (to == PIR_BOOL)
    cuda_text(e, "(0.0f != ");
  else
    open_cast(e, from, to);
  if (is_half(from))
    cuda_text(e, from == PIR_F16 ? "pir_from_f16(" : "pir_from_bf16(");
  else
    cuda_text(e, "(f32)(");
  cuda_put(e, x->a, lane);
  cuda_text(e, "))");
}

static void put_cast(cuda_emitter *e, const loop_expr *x, unsigned lane) {
  if (is_half(x->dtype) || is_half(x->a->dtype)) {
    put_half_cast(e, x, lane);
    return;
  }
  bool is_bool = x->dtype == PIR_BOOL;
  if (is_bool)
    cuda_text(e, "(bool)(");
  else
    open_cast(e, x->a->dtype, x->dtype);
  cuda_put(e, x->a, lane);
  cuda_text(e, is_bool ? " != 0)" : ")");
}

// ---- operations

// Returns the template of an operation: %1, %2 and %3 are its operands; %f expands to the `f`
// suffix of float functions; %t is the type; %u is an unsigned type of at least the width in
// which C computes.
static const char *real_form(pir_node_op fn) {
  switch (fn) {
    case PIR_V_ADD: return "(%1 + %2)";
    case PIR_V_SUB: return "(%1 - %2)";
    case PIR_V_MUL: return "(%1 * %2)";
    case PIR_V_DIV: return "(%1 / %2)";
    case PIR_V_FLOORDIV: return "pir_real_floordiv(%1, %2)";
    case PIR_V_FLOORMOD: return "pir_real_mod(%1, %2)";
    case PIR_V_FMOD: return "fmod%f(%1, %2)";
    case PIR_V_POW: return "pow%f(%1, %2)";
    case PIR_V_ATAN2: return "atan2%f(%1, %2)";
    case PIR_V_MAX: return "pir_max(%1, %2)";
    case PIR_V_MIN: return "pir_min(%1, %2)";
    case PIR_V_FMAX: return "fmax%f(%1, %2)";
    case PIR_V_FMIN: return "fmin%f(%1, %2)";
    case PIR_V_EQ: return "(%1 == %2)";
    case PIR_V_NE: return "(%1 != %2)";
    case PIR_V_LT: return "(%1 < %2)";
    case PIR_V_LE: return "(%1 <= %2)";
    case PIR_V_NEG: return "(-%1)";
    case PIR_V_ABS: return "fabs%f(%1)";
    case PIR_V_SIGN: return "pir_sign(%1)";
    case PIR_V_RECIP: return "((%t)1 / %1)";
    case PIR_V_FLOOR: return "floor%f(%1)";
    case PIR_V_CEIL: return "ceil%f(%1)";
    case PIR_V_TRUNC: return "trunc%f(%1)";
    case PIR_V_ROUND: return "round%f(%1)";
    case PIR_V_RINT: return "rint%f(%1)";
    case PIR_V_SQRT: return "sqrt%f(%1)";
    case PIR_V_RSQRT: return "((%t)1 / sqrt%f(%1))";
    case PIR_V_EXP: return "exp%f(%1)";
    case PIR_V_EXP2: return "exp2%f(%1)";
    case PIR_V_EXPM1: return "expm1%f(%1)";
    case PIR_V_LOG: return "log%f(%1)";
    case PIR_V_LOG2: return "log2%f(%1)";
    case PIR_V_LOG10: return "log10%f(%1)";
    case PIR_V_LOG1P: return "log1p%f(%1)";
    case PIR_V_SIN: return "sin%f(%1)";
    case PIR_V_COS: return "cos%f(%1)";
    case PIR_V_TAN: return "tan%f(%1)";
    case PIR_V_ASIN: return "asin%f(%1)";
    case PIR_V_ACOS: return "acos%f(%1)";
    case PIR_V_ATAN: return "atan%f(%1)";
    case PIR_V_SINH: return "sinh%f(%1)";
    case PIR_V_COSH: return "cosh%f(%1)";
    case PIR_V_TANH: return "tanh%f(%1)";
    case PIR_V_ASINH: return "asinh%f(%1)";
    case PIR_V_ACOSH: return "acosh%f(%1)";
    case PIR_V_ATANH: return "atanh%f(%1)";
    case PIR_V_ERF: return "erf%f(%1)";
    case PIR_V_LGAMMA: return "lgamma%f(%1)";
    case PIR_V_DIGAMMA: return "(%t)pir_digamma(%1)";
    case PIR_V_ISNAN: return "(%1 != %1)";
    case PIR_V_ISINF:
      return "(fabs%f(%1) > (%t)3.4028234663852886e38 && fabs%f(%1) == 2 * fabs%f(%1))";
    case PIR_V_ISFINITE: return "(%1 - %1 == 0)";
    default: return NULL;
  }
}

// Integer sums of elements wrap, which C defines for unsigned types only. Sums of indices never
// overflow.
static const char *wrapping_form(pir_node_op fn) {
  switch (fn) {
    case PIR_V_ADD: return "(%t)((%u)%1 + (%u)%2)";
    case PIR_V_SUB: return "(%t)((%u)%1 - (%u)%2)";
    case PIR_V_MUL: return "(%t)((%u)%1 * (%u)%2)";
    default: return NULL;
  }
}

static const char *integer_form(const loop_expr *x) {
  const char *wrapping = x->dtype == LOOP_INDEX && !x->given ? NULL : wrapping_form(x->op);
  bool plain = pir_loop_nonnegative(x->a) && x->b && pir_loop_nonnegative(x->b);
  bool small = plain && pir_loop_small(x->a) && pir_loop_small(x->b);
  if (wrapping)
    return wrapping;
  switch (x->op) {
    case PIR_V_ADD: return "(%t)(%1 + %2)";
    case PIR_V_SUB: return "(%t)(%1 - %2)";
    case PIR_V_MUL: return "(%t)(%1 * %2)";
    case PIR_V_FLOORDIV:
      if (small)
        return "(i64)((u32)%1 / (u32)%2)";
      return plain ? "(%1 / %2)" : "pir_floordiv<%t>(%1, %2)";
    case PIR_V_FLOORMOD:
      if (small)
        return "(i64)((u32)%1 % (u32)%2)";
      return plain ? "(%1 % %2)" : "pir_floormod<%t>(%1, %2)";
    case PIR_V_DIV: return "pir_div<%t>(%1, %2)";
    case PIR_V_FMOD: return "pir_mod<%t>(%1, %2)";
    case PIR_V_MAX:
    case PIR_V_FMAX: return "pir_max<%t>(%1, %2)";
    case PIR_V_MIN:
    case PIR_V_FMIN: return "pir_min<%t>(%1, %2)";
    case PIR_V_EQ: return "(%1 == %2)";
    case PIR_V_NE: return "(%1 != %2)";
    case PIR_V_LT: return "(%1 < %2)";
    case PIR_V_LE: return "(%1 <= %2)";
    case PIR_V_AND: return "(%t)(%1 & %2)";
    case PIR_V_OR: return "(%t)(%1 | %2)";
    case PIR_V_XOR: return "(%t)(%1 ^ %2)";
    case PIR_V_NOT: return x->dtype == PIR_BOOL ? "(!%1)" : "(%t)(~%1)";
    case PIR_V_SHL: return "pir_shl<%t>(%1, %2)";
    case PIR_V_SHR: return "pir_shr<%t>(%1, %2)";
    case PIR_V_NEG: return "(%t)(0 - (%u)%1)";
    case PIR_V_SIGN: return is_signed(x->dtype) ? "(%t)((%1 > 0) - (%1 < 0))" : "(%t)(%1 != 0)";
    case PIR_V_ABS: return is_signed(x->dtype) ? "(%t)(%1 < 0 ? 0 - (%u)%1 : (%u)%1)" : "%1";
    case PIR_V_FLOOR:
    case PIR_V_CEIL:
    case PIR_V_TRUNC:
    case PIR_V_ROUND:
    case PIR_V_RINT: return "%1";
    case PIR_V_ISNAN:
    case PIR_V_ISINF: return "false";
    case PIR_V_ISFINITE: return "true";
    default: return NULL;
  }
}

static void put_operation(cuda_emitter *e, const loop_expr *x, unsigned lane) {
  pir_dtype dtype = x->a->dtype;
  bool real = pir_dtype_is_float(dtype);
  const char *form = "(%1 ? %2 : %3)";
  if (x->op != PIR_V_SELECT)
    form = real ? real_form(x->op) : integer_form(x);
  if (!form || (is_half(dtype) && x->op != PIR_V_SELECT)) {
    e->why = form ? "arithmetic on 16-bit floats" : "an operation without CUDA code";
    return;
  }
  const loop_expr *operands[] = {x->a, x->b, x->c};
  for (const char *c = form; *c; c++) {
    char next = *c == '%' ? c[1] : 0;
    if (next >= '1' && next <= '3') {
      cuda_put(e, operands[next - '1'], lane);
      c++;
    } else if (next == 't') {
      cuda_text(e, cuda_type(x->op == PIR_V_SELECT ? x->dtype : dtype));
      c++;
    } else if (next == 'u') {
      cuda_text(e, pir_loop_type_size(dtype) == 8 ? "u64" : "u32");
      c++;
    } else if (next == 'f') {
      cuda_text(e, dtype == PIR_F32 ? "f" : "");
      c++;
    } else
      pir_strbuf_char(&e->text, *c);
  }
}

// Shuffles move 4 or 8 bytes.
static void put_team(cuda_emitter *e, const loop_expr *x) {
  bool narrow = pir_loop_type_size(x->dtype) < 4;
  if (narrow)
    pir_strbuf_format(&e->text, "(%s)", cuda_type(x->dtype));
  pir_strbuf_format(&e->text, "pir_%s<%d, pir_op_%s>(", x->prefix ? "prefix" : "team",
                    x->group ? x->group : e->fn->threads, combine_name(x->combine));
  if (narrow)
    cuda_text(e, "(i32)");
  cuda_put(e, x->a, 0);
  cuda_text(e, ")");
}

static void put_plain(cuda_emitter *e, const loop_expr *x, unsigned lane) {
  if (lane >= x->lanes)
    lane = 0;
  switch ((loop_kind)x->kind) {
    case LOOP_CONST: put_const(e, x); return;
    case LOOP_VAR:
      pir_strbuf_format(&e->text, e->narrow[x->var->id] ? "(i64)%s_%u" : "%s_%u", x->var->name,
                        x->var->id);
      if (x->lanes > 1)
        pir_strbuf_format(&e->text, "_%u", lane);
      return;
    case LOOP_DIM:
      if (x->dim.number >= (int64_t)sizeof e->dims * 8)
        e->why = "so many run-time extents";
      else
        e->dims[x->dim.number / 64] |= (uint64_t)1 << x->dim.number % 64;
      pir_strbuf_format(&e->text, "n%lld", (long long)x->dim.number);
      return;
    case LOOP_OP: put_operation(e, x, lane); return;
    case LOOP_FMA:
      cuda_text(e, x->dtype == PIR_F32 ? "fmaf(" : "fma(");
      cuda_put(e, x->a, lane);
      cuda_text(e, ", ");
      cuda_put(e, x->b, lane);
      cuda_text(e, ", ");
      cuda_put(e, x->c, lane);
      cuda_text(e, ")");
      return;
    case LOOP_DOT: e->why = "products of pairs"; return;
    case LOOP_CAST: put_cast(e, x, lane); return;
    case LOOP_BITCAST:
      pir_strbuf_format(&e->text, "pir_bits<%s>(", cuda_type(x->dtype));
      cuda_put(e, x->a, lane);
      cuda_text(e, ")");
      return;
    case LOOP_BROADCAST: cuda_put(e, x->a, 0); return;
    case LOOP_RAMP:
      cuda_text(e, "(");
      cuda_put(e, x->a, 0);
      pir_strbuf_format(&e->text, " + %u * ", lane);
      cuda_put(e, x->b, 0);
      cuda_text(e, ")");
      return;
    case LOOP_LOAD:
    case LOOP_GATHER: put_load(e, x, lane); return;
    case LOOP_TEAM: put_team(e, x); return;
    case LOOP_ZIP:
    case LOOP_LOOKUP:
    case LOOP_FOLD: e->why = "lanes combined in the middle of an expression"; return;
  }
}

void cuda_put(cuda_emitter *e, const loop_expr *x, unsigned lane) {
  const note *n = note_of(e, x);
  if (lane >= x->lanes)
    lane = 0;
  if (!n || !n->name) {
    put_plain(e, x, lane);
    return;
  }
  bool is_bool = n->wide && x->dtype == PIR_BOOL;
  cuda_text(e, is_bool ? "(" : "");
  put_name(e, n, x->lanes, lane);
  cuda_text(e, is_bool ? " != 0)" : "");
}
