// Judges a draw: compares kernels, compiled code and the float64 evaluation of the same
// program, element by element.
//
//   |got - want| <= N ulp(want) + M S
//
// ulp is the ulp of the result's type, or of f32 with one rounding on top if a clause computes
// 16-bit floats in f32; for a complex number of its magnitude, at least 1 if functions are
// formulas of exp and log, as in the original. N comes from the declaration: 0 for ops that
// only move elements; arithmetic that rounds once is exact to the last bit; other clauses have
// 1 for each rounding, 4 to 16 for each function, 8 for a sum, 32 for a sum of products;
// composed and called ops have 32. S measures the condition: how far the float64 result moves
// when every input, and the result of every rounding node, moves by an ulp (noise.c), the
// largest of four tries, and before a difference is stated, of 64. In graphs the results of
// scans, and floats that ops without noise make of integers, move as well (graph.c). M is 8
// for a clause, 128 for composed ops and 4096 for called kernels, whose roundings are unknown.
// A called kernel may also differ by 32 ulp of the largest element of its result, because
// factorisations are stable in norm and not by element.
// Integers and booleans are equal unless S shows that they depend on an ulp.
#include "../../tools/ports.h"
#include "draws.h"
#include "noise.h"

#include <pir/layer/lower.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 4, MORE_TRIES = 64, REDRAWS = 4, RESTARTS = 200, COMPOSED = 32, MADE_OF = 3 };

#define LEAST_MOVE 0x1p-50
static const double plain_spread = 8, composed_spread = DRAW_SPREAD, called_spread = 4096;

// ---- what may differ

static int cost_of(const pir_clause *c, const pir_node *n) {
  switch ((pir_node_op)n->op) {
    case PIR_V_CONST: return (double)(float)n->f != n->f;
    case PIR_V_ATTR:
    case PIR_V_ATTR_AT:
    case PIR_V_ADD:
    case PIR_V_SUB:
    case PIR_V_MUL:
    case PIR_V_DIV:
    case PIR_V_RECIP:
    case PIR_V_SQRT: return 1;
    case PIR_V_FLOORDIV:
    case PIR_V_FLOORMOD:
    case PIR_V_FMOD: return 2;
    case PIR_V_MEMBERS: return 3;
    case PIR_V_SIGN:  // of complex numbers
    case PIR_V_RSQRT: return 2;
    case PIR_V_POW:
    case PIR_V_LGAMMA:
    case PIR_V_DIGAMMA:
    case PIR_V_ERFINV:
    case PIR_V_I0:
    case PIR_V_I0E:
    case PIR_V_I1:
    case PIR_V_I1E: return 16;
    case PIR_V_ATAN2:
    case PIR_V_ANGLE: return 4;
    default: return n->op >= PIR_V_EXP && n->op <= PIR_V_ERF ? 4 : 0;
  }
  (void)c;
}

// Counts the roundings of a clause; each node counts once, nodes of its index maps included.
static int clause_cost(const pir_clause *c) {
  bool sums = c->combine == PIR_COMBINE_ADD || c->combine == PIR_COMBINE_MUL;
  int cost = sums ? 8 : 0;
  if (c->kind == PIR_CLAUSE_CONTRACT)
    cost = COMPOSED;
  for (size_t i = 0; i < c->node_count; i++)
    cost += cost_of(c, &c->nodes[i]);
  return cost;
}

// Elements are rounded to the result's type before they are combined.
static bool narrows_first(const pir_clause *c) {
  for (; c; c = c->next) {
    if (c->kind == PIR_CLAUSE_SCATTER)
      return true;
    for (size_t i = 0; i < c->node_count; i++)
      if (c->nodes[i].op == PIR_V_CAST && c->combine != PIR_COMBINE_NONE)
        return true;
  }
  return false;
}

static bool is_called(const pir_opdef *def) {
  return !def->clause && !def->lower_count && !def->hooks.expand;
}

static bool calls_within(const pir_opdef *def, int depth) {
  bool found = is_called(def);
  for (size_t i = 0; depth && !found && i < def->lower_count; i++)
    for (size_t k = 0; !found && k < def->lower[i].step_count; k++) {
      const pir_opdef *made = def->lower[i].steps[k].def;
      found = made && made != def && calls_within(made, depth - 1);
    }
  return found;
}

bool draw_calls(const pir_opdef *def) {
  return calls_within(def, MADE_OF);
}

static draw_allowance allowed(const pir_opdef *def) {
  draw_allowance a = {COMPOSED, false, true, draw_calls(def), 0};
  int most = 0;
  if (!def->clause || def->lower_count || def->hooks.expand)
    return a;
  for (const pir_clause *c = def->clause; c; c = c->next)
    if (clause_cost(c) > most)
      most = clause_cost(c);
  return (draw_allowance){most, !narrows_first(def->clause), false, false, 0};
}

void draw_bound_text(const pir_opdef *def, char *out, size_t size) {
  draw_allowance a = allowed(def);
  if (!a.composed && !a.ulps)
    snprintf(out, size, "exact");
  else
    snprintf(out, size, a.composed ? "%d ulp, composed or called" : "%d ulp", a.ulps);
}

// Numbers of an element type: bits of the significand, the exponent (of frexp) of the least
// normal number, the largest number, and the number below which nothing is stated of functions.
typedef struct format {
  int digits, least_exponent;
  double most, least;
} format;

static format format_of(pir_dtype dtype) {
  static const format half = {11, -13, 65504, 0x1p-24};
  static const format brain = {8, -125, 0x1.fffffep127, 0x1p-126};
  static const format single = {24, -125, 0x1.fffffep127, 0x1p-126};
  static const format wide = {53, -1021, 0x1.fffffffffffffp1023, 0x1p-1022};
  switch (dtype) {
    case PIR_F16: return half;
    case PIR_BF16: return brain;
    case PIR_F64:
    case PIR_C128: return wide;
    default: return single;
  }
}

double draw_unit(pir_dtype dtype) {
  return ldexp(1, -format_of(dtype).digits);
}

static double ulp(pir_dtype dtype, double v) {
  format f = format_of(dtype);
  int exponent;
  if (!isfinite(v))
    return 0;
  frexp(v, &exponent);
  if (exponent < f.least_exponent || v == 0)
    exponent = f.least_exponent;
  return ldexp(1, exponent - f.digits);
}

static double bound(draw_allowance a, pir_dtype dtype, double want, double moved) {
  bool half = dtype == PIR_F16 || dtype == PIR_BF16;
  if (a.ulps > 1)
    moved = fmax(moved, format_of(dtype).least);
  double own = ulp(dtype, pir_dtype_is_complex(dtype) && a.ulps > 1 ? fmax(want, 1) : want);
  if (a.ulps > 1 && !a.once)
    own = fmax(own, 2 * a.unit * fabs(want));
  double spread = a.composed ? composed_spread : plain_spread;
  if (a.called)
    spread = called_spread;
  if (a.once && half)
    return (a.ulps ? 1 : 0.5) * own + a.ulps * ulp(PIR_F32, want) + spread * moved;
  return (a.ulps <= 1 ? 0.5 : a.ulps) * own + spread * moved;
}

// ---- elements

bool draw_is_exact(pir_dtype dtype) {
  return !pir_dtype_is_float(dtype) && !pir_dtype_is_complex(dtype);
}

// Of a complex number the larger part counts for both.
static double size_at(const pir_tensor *t, int64_t i) {
  double v = fabs(tensor_part(t, i));
  return pir_dtype_is_complex(t->dtype) ? fmax(v, fabs(tensor_part(t, i ^ 1))) : v;
}

// Results without elements may differ in rank: whether there are some shows only in a run when
// extents are unknown.
static bool same_shape(const pir_tensor *a, const pir_tensor *b) {
  bool same = a->rank == b->rank;
  for (int32_t i = 0; same && i < a->rank; i++)
    same = a->shape[i] == b->shape[i];
  return same || (pir_tensor_numel(a) == 0 && pir_tensor_numel(b) == 0);
}

// ---- condition

static double unit_of_draw(const draw *d, bool once) {
  double u = d->before ? unit_of_draw(d->before, once) : 0;
  for (size_t k = 0; k < d->def->operand_count; k++) {
    const draw_operand *o = &d->operands[k];
    if ((o->form != DRAW_TENSOR && o->form != DRAW_LIST) || draw_is_exact(o->members[0].dtype))
      continue;
    double own = draw_unit(o->members[0].dtype);
    u = fmax(u, once && own > 0x1p-24 ? 0x1p-24 : own);
  }
  for (size_t i = 0; i < d->def->attr_count && !once; i++) {
    pir_dtype dtype = d->attrs[i] ? pir_attr_as_dtype(d->attrs[i]) : PIR_UNDEFINED;
    if (pir_dtype_is_float(dtype))
      u = fmax(u, draw_unit(dtype));
  }
  return u;
}

// Where every operand is whole, floats begin inside a composed op: their type is the result's.
static double unit_of_results(const draw_run *run) {
  double u = 0;
  for (size_t i = 0; i < run->output_count; i++)
    if (!draw_is_exact(run->outputs[i].dtype))
      u = fmax(u, draw_unit(run->outputs[i].dtype));
  return u;
}

bool draw_moves_create(const draw_run *base, draw_moves *out) {
  for (; out->count < base->output_count; out->count++)
    if (!(out->of[out->count] =
              calloc((size_t)tensor_parts(&base->outputs[out->count]) + 1, sizeof(double))))
      return false;
  return true;
}

void draw_moves_note(const draw_run *base, const draw_run *run, double scale, draw_moves *m) {
  for (size_t i = 0; i < base->output_count; i++) {
    const pir_tensor *a = &base->outputs[i], *b = &run->outputs[i];
    bool same = !run->status && same_shape(a, b);
    for (int64_t k = 0; k < tensor_parts(a); k++) {
      double x = tensor_part(a, k), y = same ? tensor_part(b, k) : NAN,
             off = scale * fabs(x - y);
      if (same && (x == y || (isnan(x) && isnan(y))))
        continue;
      m->of[i][k] = isnan(off) ? INFINITY : fmax(m->of[i][k], off);
    }
  }
}

// Notes the moves of the tries from `first` to `last`; u = 0: nothing can move.
static bool measure(const draw *d, const draw_run *wide, double u, uint64_t first,
                    uint64_t last, draw_moves *out) {
  draw_run run;
  if (u == 0)
    return true;
  // Less than the evaluation itself rounds would show nothing: some results are f32 even there.
  double far = fmax(u, fmax(LEAST_MOVE, 8 * unit_of_results(wide)));
  for (uint64_t t = first; t <= last; t++) {
    draw_noise_set(d->noise, far, t);
    bool ran = !draw_start(d, DRAW_NOISY, "kernels", NULL, &run) && !draw_feed(d, &run, far, t);
    if (ran)
      draw_moves_note(wide, &run, u / far, out);
    draw_stop(&run);
    if (!ran)
      return false;
  }
  return true;
}

void draw_moves_destroy(draw_moves *m) {
  for (size_t i = 0; i < m->count; i++)
    free(m->of[i]);
  *m = (draw_moves){0};
}

// ---- comparison

// The largest finite magnitude of a result.
static double norm_of(const pir_tensor *t) {
  double most = 0;
  for (int64_t i = 0; i < tensor_parts(t); i++)
    if (isfinite(tensor_part(t, i)))
      most = fmax(most, fabs(tensor_part(t, i)));
  return most;
}

static bool agrees(const draw_comparison *c, size_t output, int64_t i, double norm,
                   double *out_bound) {
  const pir_tensor *got = &c->got->outputs[output], *want = &c->want->outputs[output];
  double x = tensor_part(got, i), y = tensor_part(want, i),
         moved = c->moves ? c->moves->of[output][i] : 0;
  *out_bound = 0;
  if (draw_is_exact(got->dtype) && draw_is_exact(want->dtype))
    return pir_tensor_int_at(got, i) == pir_tensor_int_at(want, i) || moved > 0;
  if (x == y || (isnan(x) && isnan(y)) || isinf(moved))
    return true;
  if (draw_is_exact(got->dtype))
    return false;
  if (c->allowance.composed && !c->moves)
    moved = 0x1p-2 * ldexp(size_at(want, i), -format_of(got->dtype).digits + 8);
  *out_bound = bound(c->allowance, got->dtype, size_at(want, i), moved);
  if (c->allowance.called)
    *out_bound += c->allowance.ulps * ulp(got->dtype, norm);
  // Between two ops, and where elements are rounded before they are combined, numbers may
  // leave the range of f16, and in a chain even the range of f32. Kernels leave it where
  // compiled code does.
  bool single = got->dtype == PIR_F32 || got->dtype == PIR_C64;
  bool narrow = got->dtype == PIR_F16 || (c->linked && single);
  bool between = c->allowance.composed || !c->allowance.once;
  if (between && narrow && !isfinite(x) &&
      !isfinite(tensor_part(&c->kernels->outputs[output], i)))
    return true;
  if (isinf(x) && fabs(y) + *out_bound > format_of(got->dtype).most)
    return signbit(x) == signbit(y);
  return fabs(x - y) <= *out_bound;
}

static bool compare_output(const draw_comparison *c, size_t i, char *text, size_t size) {
  const pir_tensor *got = &c->got->outputs[i], *want = &c->want->outputs[i];
  pir_port port = output_port(c->got->model, i);
  // A result of a fixed type keeps it.
  bool typed =
      want->dtype == got->dtype || (c->wide && want->dtype == draw_widened(got->dtype));
  if (!same_shape(got, want) || !typed) {
    snprintf(text, size, "%s: %.*s: ranks %d and %d, %s and %s, or their extents", c->name,
             (int)port.name.size, port.name.data, got->rank, want->rank,
             pir_dtype_name(got->dtype), pir_dtype_name(want->dtype));
    return false;
  }
  int64_t differ = 0;
  double norm = c->allowance.called && !draw_is_exact(want->dtype) ? norm_of(want) : 0;
  for (int64_t k = 0; k < tensor_parts(got); k++) {
    double most;
    if (agrees(c, i, k, norm, &most) || differ++)
      continue;
    double x = tensor_part(got, k), y = tensor_part(want, k);
    snprintf(text, size, "%s: %.*s[%lld]: %.17g and %.17g (%s, %.3g ulp apart, %.3g allowed)",
             c->name, (int)port.name.size, port.name.data, (long long)k, x, y,
             pir_dtype_name(got->dtype), fabs(x - y) / ulp(got->dtype, y),
             most / ulp(got->dtype, y));
  }
  size_t n = strlen(text);
  if (differ)
    snprintf(text + n, size - n, "; %lld of %lld", (long long)differ,
             (long long)tensor_parts(got));
  return !differ;
}

bool draw_compare(const draw_comparison *c, char *text, size_t size) {
  text[0] = 0;
  if (c->got->output_count != c->want->output_count) {
    snprintf(text, size, "%s: %zu and %zu outputs", c->name, c->got->output_count,
             c->want->output_count);
    return false;
  }
  for (size_t i = 0; i < c->got->output_count; i++)
    if (!compare_output(c, i, text, size))
      return false;
  return true;
}

// ---- the verdict

typedef struct trial {
  draw *d;
  draw_run kernels, compiled, wide;
  draw_moves moves;
  draw_allowance allowance;
  const char *target;
} trial;

static bool agree(const trial *t, const char *name, const draw_run *got, const draw_run *want,
                  draw_report *r) {
  draw_comparison c = {.name = name,
                       .got = got,
                       .want = want,
                       .kernels = &t->kernels,
                       .moves = t->moves.count ? &t->moves : NULL,
                       .allowance = t->allowance,
                       .wide = want == &t->wide,
                       .linked = t->d->before};
  return draw_compare(&c, r->text, sizeof r->text);
}

static const char both[] = "compiled code and kernels";

static bool all_agree(const trial *t, draw_report *r) {
  bool same = agree(t, "kernels and float64", &t->kernels, &t->wide, r) &&
              agree(t, "compiled code and float64", &t->compiled, &t->wide, r);
  if (same && !t->allowance.once)
    same = agree(t, both, &t->compiled, &t->kernels, r);
  return same;
}

// Notes how far a called kernel moves its results in its own precision: a remainder that is
// exactly 0 may decide on a sign, and in float64 it hardly ever is.
static bool measure_called(trial *t, double u) {
  draw_run run;
  bool ran = true;
  for (uint64_t i = 1; i <= TRIES && ran; i++) {
    ran = !draw_start(t->d, DRAW_AS_IS, "kernels", NULL, &run) && !draw_feed(t->d, &run, u, i);
    if (ran)
      draw_moves_note(&t->kernels, &run, 1, &t->moves);
    draw_stop(&run);
  }
  return ran;
}

// Four tries may miss how far an element moves: errors of equal size cancel out in some.
static draw_verdict judge_wide(trial *t, draw_report *r) {
  bool once = t->allowance.once;
  t->allowance.unit = unit_of_draw(t->d, once);
  if (t->allowance.composed && t->allowance.unit == 0)
    t->allowance.unit = unit_of_results(&t->kernels);
  pir_status status =
      t->d->alone ? PIR_UNSUPPORTED : draw_start(t->d, DRAW_WIDE, "kernels", NULL, &t->wide);
  if (!status)
    status = draw_feed(t->d, &t->wide, 0, 0);
  double unit = t->allowance.unit;
  if (status || !draw_moves_create(&t->wide, &t->moves) ||
      !measure(t->d, &t->wide, unit, 1, TRIES, &t->moves)) {
    draw_moves_destroy(&t->moves);
    return agree(t, both, &t->compiled, &t->kernels, r) ? DRAW_ALONE : DRAW_DIFFERENT;
  }
  bool same = all_agree(t, r);
  if (!same)
    same = measure(t->d, &t->wide, unit, TRIES + 1, MORE_TRIES, &t->moves) && all_agree(t, r);
  if (!same && t->allowance.called)
    same = measure_called(t, unit) && all_agree(t, r);
  return same ? DRAW_AGREES : DRAW_DIFFERENT;
}

// A program that the kernels refuse is drawn again: the contents decide, or a condition that
// the checks do not know.
bool draw_find_program(draw *d, draw_run *kernels, draw_report *r) {
  bool chain = d->before;
  for (int i = 0; i < (chain ? 1 : RESTARTS) && (chain || draw_op(d)); i++) {
    for (int k = 0; k < REDRAWS; k++) {
      if (k)
        draw_numbers(d);
      draw_stop(kernels);
      if (draw_start(d, DRAW_AS_IS, "kernels", NULL, kernels))
        break;
      if (!draw_feed(d, kernels, 0, 0))
        return true;
      if (kernels->status != PIR_INVALID)
        break;
    }
    snprintf(r->text, sizeof r->text, "%s", kernels->text);
    if (kernels->status == PIR_INTERNAL)
      return true;
    r->refused++;
  }
  return false;
}

// Whether integers of a run are not those of 128-bit arithmetic.
static bool is_inexact(const trial *t, const char *name, const draw_run *run, draw_report *r) {
  draw_exactness found = draw_compare_exact(t->d, run, name, r->text, sizeof r->text);
  r->exact |= found == DRAW_EXACT;
  return found == DRAW_INEXACT;
}

// Whether an operand holds integers at the ends of their type.
static bool reads_extremes(const draw *d) {
  for (size_t k = 0; k < d->def->operand_count; k++) {
    const draw_operand *o = &d->operands[k];
    for (size_t i = 0; i < o->count && (o->form == DRAW_TENSOR || o->form == DRAW_LIST); i++)
      if (o->members[i].ends && draw_is_exact(o->members[i].dtype))
        return true;
  }
  return false;
}

static draw_verdict judge(trial *t, draw_report *r) {
  if (!draw_find_program(t->d, &t->kernels, r))
    return DRAW_UNFIT;
  if (r->found)
    r->found(r->user, t->d);
  draw_start(t->d, DRAW_AS_IS, DRAW_COMPILE, t->target, &t->compiled);
  if (!t->compiled.status)
    draw_feed(t->d, &t->compiled, 0, 0);
  if (t->kernels.status || t->compiled.status) {
    snprintf(r->text, sizeof r->text, "kernels: %s; compiled code: %s",
             t->kernels.status ? t->kernels.text : "runs",
             t->compiled.status ? t->compiled.text : "runs");
    return DRAW_FAILED;
  }
  r->compiled = model_stats(t->compiled.model).kernels_compiled > 0;
  r->extreme = reads_extremes(t->d);
  return is_inexact(t, "kernels", &t->kernels, r) ||
                 is_inexact(t, "compiled code", &t->compiled, r)
             ? DRAW_DIFFERENT
             : judge_wide(t, r);
}

draw_verdict draw_judge(draw *d, draw_report *out_report) {
  static const char *const targets[] = {NULL, NULL, "x86-64", "x86-64-v3"};
  trial *t = calloc(1, sizeof *t);
  *out_report = (draw_report){.found = out_report->found, .user = out_report->user};
  if (!t)
    return DRAW_FAILED;
  t->d = d;
  t->allowance =
      d->before ? (draw_allowance){COMPOSED, false, true, false, 0} : allowed(d->def);
  t->target = targets[draw_below(d, 4)];
  draw_verdict verdict = judge(t, out_report);
  draw_stop(&t->kernels);
  draw_stop(&t->compiled);
  draw_stop(&t->wide);
  draw_moves_destroy(&t->moves);
  free(t);
  return verdict;
}
