// Judges the gradient of an op by a drawn program in float64, in each of its inputs,
// beside the derivative by differences (tools/slopes.h). Each program is drawn until its
// numbers have a derivative: an op that compares or rounds has none everywhere, and some draws
// give no floats.
#include "../../tools/slopes.h"
#include "gradients.h"

#include <pir/compiler/text.h>
#include <pir/layer/lower.h>

#include <math.h>
#include <string.h>

enum { ATTEMPTS = 1500, POINTS = 6, MANNERS = 4 };

// What an operand must be, so that the op, and its gradient, are defined; the directions in
// which it moves keep it so.
typedef enum fit {
  SYMMETRIC,  // or Hermitian
  DEFINITE,   // and positive definite
  DOMINANT,   // with a large diagonal: far from singular
  TRIANGLE,   // DOMINANT, and 0 outside of the triangle that `upper` names
  SHARES      // of 1, along the axis that `axis` names
} fit;

typedef struct fitted {
  const char *op, *operand;
  fit how;
} fitted;

static const fitted fits[] = {
#include "tables/fitted.inc"
};

// Attributes, and operands that are one number, which have this value in every draw: with
// others the gradient is none, for the reason given.
typedef struct kept {
  const char *op, *name;
  double value;
  const char *reason;
} kept;

static const kept keeps[] = {
#include "tables/kept.inc"
};

// Inputs whose gradient is not compared, with the reason.
typedef enum condition { ALWAYS, COMPLEX, PRIMITIVE } condition;

typedef struct excuse {
  const char *op, *name;  // NULL: the whole op
  condition when;
  const char *reason;
} excuse;

static const excuse excuses[] = {
#include "tables/not_differentiated.inc"
};

// Results through which nothing flows, although a gradient reads theirs.
typedef struct uncounted {
  const char *op, *result;
  condition when;
  const char *reason;
} uncounted;

static const uncounted uncounteds[] = {
#include "tables/not_counted.inc"
};

typedef struct judging {
  draw *d;
  const pir_opdef *def;  // whose gradient is judged
  bool primitive;
  int order;  // it is made of the drawn op so many times less one
  draw_report *r;
  int agree, beyond;
} judging;

static bool is_row(const pir_opdef *def, const char *op, const char *operand, pir_str name) {
  size_t size = operand ? strlen(operand) : 0;
  return !strcmp(def->name, op) &&
         (!operand || (name.size >= size && !memcmp(name.data, operand, size) &&
                       (name.size == size || name.data[size] == '_')));
}

static bool is_complex(const draw *d) {
  for (size_t k = 0; k < d->def->operand_count; k++)
    for (size_t i = 0; i < d->operands[k].count && d->operands[k].form <= DRAW_LIST; i++)
      if (pir_dtype_is_complex(d->operands[k].members[i].dtype))
        return true;
  return false;
}

const char *draw_excuse(const pir_opdef *def) {
  for (size_t i = 0; i < sizeof excuses / sizeof *excuses; i++)
    if (!excuses[i].name && excuses[i].when == ALWAYS && !strcmp(excuses[i].op, def->name))
      return excuses[i].reason;
  return NULL;
}

static bool holds(const judging *j, condition when) {
  return when == ALWAYS || (when == COMPLEX ? is_complex(j->d) : j->primitive);
}

static bool is_excused(const judging *j, pir_str name) {
  for (size_t i = 0; i < sizeof excuses / sizeof *excuses; i++)
    if (is_row(j->def, excuses[i].op, excuses[i].name, name) && holds(j, excuses[i].when))
      return true;
  return false;
}

static bool is_counted_result(void *user, pir_str output) {
  const judging *j = user;
  for (size_t i = 0; i < sizeof uncounteds / sizeof *uncounteds; i++) {
    pir_str result = pir_str_from(uncounteds[i].result);
    if (!strcmp(j->d->def->name, uncounteds[i].op) && output.size > result.size &&
        !memcmp(output.data, result.data, result.size) && output.data[result.size] == '.' &&
        holds(j, uncounteds[i].when))
      return false;
  }
  return true;
}

// A matrix of n rows; of a complex one an element is two numbers.
typedef struct matrix {
  double *at;
  int64_t n, parts;
} matrix;

static void mirror(const matrix *m, int64_t i, int64_t k) {
  double *a = m->at + (i * m->n + k) * m->parts, *b = m->at + (k * m->n + i) * m->parts;
  a[0] = b[0] = (a[0] + b[0]) / 2;
  if (m->parts == 2) {
    a[1] = (a[1] - b[1]) / 2;
    b[1] = -a[1];
  }
}

static void fit_matrix(const matrix *m, fit how, bool upper, bool direction) {
  for (int64_t i = 0; i < m->n; i++)
    for (int64_t k = 0; k < m->n; k++) {
      double *x = m->at + (i * m->n + k) * m->parts;
      if (how == TRIANGLE && i != k && (i < k) != upper)
        memset(x, 0, (size_t)m->parts * sizeof *x);
      if (how <= DEFINITE && k <= i)
        mirror(m, i, k);
      // Numbers are at most 8: those beside a diagonal of 1 to 2 add up to at most 1/2.
      for (int64_t p = 0; p < m->parts && how != SYMMETRIC && !direction; p++)
        x[p] = x[p] / (16 * (double)m->n) + (i == k && !p ? 1.5 : 0);
    }
}

static int64_t stated_number(const draw *d, pir_str name, int64_t otherwise) {
  int at = pir_opdef_attr(d->def, name);
  if (at >= 0 && d->attrs[at])
    pir_attr_as_int(d->attrs[at], &otherwise);
  return otherwise;
}

static void fit_shares(const draw *d, pir_tensor *t) {
  int64_t axis = stated_number(d, PIR_STR("axis"), -1), inner = 1;
  axis += axis < 0 ? t->rank : 0;
  if (!t->rank)
    *(double *)t->data = 1;
  if (axis < 0 || axis >= t->rank)
    return;
  for (int32_t i = (int32_t)axis + 1; i < t->rank; i++)
    inner *= t->shape[i];
  int64_t n = t->shape[axis], numel = pir_tensor_numel(t);
  for (int64_t at = 0; at < numel;
       at += at % (n * inner) == inner - 1 ? (n - 1) * inner + 1 : 1) {
    double *x = (double *)t->data + at, sum = 0;
    for (int64_t i = 0; i < n; i++)
      sum += fabs(x[i * inner]);
    for (int64_t i = 0; i < n && sum > 0; i++)
      x[i * inner] = fabs(x[i * inner]) / sum;
  }
}

static void fit_numbers(const draw *d, pir_str name, pir_tensor *t, bool direction) {
  bool wide = t->dtype == PIR_F64 || t->dtype == PIR_C128;
  for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
    if (!is_row(d->def, fits[i].op, fits[i].operand, name) || !wide)
      continue;
    if (fits[i].how == SHARES && t->dtype == PIR_F64 && !direction)
      fit_shares(d, t);
    if (fits[i].how == SHARES || t->rank < 2)
      continue;
    int64_t n = t->shape[t->rank - 1], numel = pir_tensor_numel(t);
    matrix m = {t->data, n, t->dtype == PIR_C128 ? 2 : 1};
    for (int64_t at = 0; n && n == t->shape[t->rank - 2] && at < numel; at += n * n) {
      fit_matrix(&m, fits[i].how, stated_number(d, PIR_STR("upper"), 0), direction);
      m.at += n * n * m.parts;
    }
  }
}

static const pir_attr *attr_of(pir_context *ctx, pir_attr_kind kind, double value) {
  switch (kind) {
    case PIR_ATTR_BOOL: return pir_attr_bool(ctx, value != 0);
    case PIR_ATTR_I32:
    case PIR_ATTR_I64: return pir_attr_int(ctx, kind, (int64_t)value);
    default: return pir_attr_float(ctx, kind, value);
  }
}

static void keep_values(draw *d) {
  for (size_t i = 0; i < sizeof keeps / sizeof *keeps; i++) {
    pir_str name = pir_str_from(keeps[i].name);
    int attr = pir_opdef_attr(d->def, name), operand = pir_opdef_operand(d->def, name);
    if (strcmp(keeps[i].op, d->def->name) != 0)
      continue;
    if (attr >= 0)
      d->attrs[attr] = attr_of(d->ctx, (pir_attr_kind)d->def->attrs[attr].kind, keeps[i].value);
    else if (operand >= 0)
      d->operands[operand].number = keeps[i].value;
  }
}

static void feed_point(void *user, int point, pir_str name, pir_tensor *tensor) {
  const judging *j = user;
  const draw_tensor *found = draw_find_tensor(j->d, name);
  // A result may have more axes than draws do; filling asks for the number of elements alone.
  draw_tensor t = {.dtype = tensor->dtype, .rank = 1, .shape = {1}};
  for (int32_t i = 0; i < tensor->rank; i++)
    t.shape[0] *= tensor->shape[i];
  if (found)
    t = *found;
  t.dtype = tensor->dtype;  // rounding to fewer digits would make equal numbers
  t.seed += (uint64_t)point * 0x9E3779B97F4A7C15u;
  draw_fill(&t, tensor->dtype, 0, 0, tensor->data);
  fit_numbers(j->d, name, tensor, false);
}

static void fit_direction(void *user, pir_str name, pir_tensor *direction) {
  fit_numbers(((const judging *)user)->d, name, direction, true);
}

static void take_answer(void *user, const slope *s) {
  judging *j = user;
  j->agree += s->has_gradient && s->verdict == SLOPE_AGREES;
  if (s->verdict != SLOPE_BEYOND || is_excused(j, s->name))
    return;
  if (!j->beyond++)
    snprintf(
        j->r->text, sizeof j->r->text,
        "%s%s%.*s: the derivative is %.15g, by the gradient%s %.15g (scale %.3g, error %.1g)",
        is_complex(j->d) ? "complex " : "", j->primitive ? "primitive " : "", (int)s->name.size,
        s->name.data, s->numeric, s->has_gradient ? "" : ", which there is none of,",
        s->adjoint, s->scale, s->error);
}

static void keep_reason(void *user, const pir_diag *diag) {
  draw_report *r = user;
  if (diag->severity == PIR_ERROR)
    snprintf(r->text, sizeof r->text, "%.*s", (int)diag->message.size, diag->message.data);
}

static bool makes_op(const pir_program *program, const pir_opdef *def) {
  PIR_EACH_OP(op, pir_program_block(program))
  if (pir_op_def(op) == def)
    return true;
  return false;
}

// Whether a program of the draw was compared in some input.
static bool compare_gradients(judging *j) {
  draw *d = j->d;
  pir_diag_sink sink = {keep_reason, j->r};
  slopes_request request = {.seed = draw_random(&d->random),
                            .points = POINTS,
                            .order = j->order,
                            .primitive = draw_below(d, 4) == 0 && !is_complex(d),
                            .feed = feed_point,
                            .fit = fit_direction,
                            .found = take_answer,
                            .counts = is_counted_result,
                            .user = j,
                            .sink = sink,
                            .unknown = 0};
  j->primitive = request.primitive;
  keep_values(d);
  // Paddle's gradients of gradients have no conjugates: of complex numbers they are others.
  if (j->order > 1 && is_complex(d))
    return false;
  pir_program *program = draw_program(d, DRAW_WIDE, j->r->text);
  if (!program)
    return false;
  pir_context_set_sink(d->ctx, sink);
  pir_status status = slopes_check(program, &request);
  pir_context_set_sink(d->ctx, (pir_diag_sink){0});
  bool made = makes_op(program, j->def);
  pir_program_destroy(program);
  return !status && made && (j->agree || j->beyond);
}

// The op of which `def` is a gradient, of whatever order; itself if it is none.
static const pir_opdef *find_root(pir_context *ctx, const pir_opdef *def, int *out_order) {
  static const char *const ends[][2] = {
      {"_triple_grad", "_double_grad"}, {"_double_grad", "_grad"}, {"_grad", ""}};
  enum { ENDS = sizeof ends / sizeof *ends };
  const pir_opdef *root = def;
  *out_order = 1;
  for (size_t i = 0; i < ENDS; i++) {
    char name[128];
    size_t size = strlen(root->name), cut = strlen(ends[i][0]);
    if (size <= cut || strcmp(root->name + size - cut, ends[i][0]) != 0)
      continue;
    size_t n =
        pir_text_format(name, sizeof name, "%.*s%s", (int)(size - cut), root->name, ends[i][1]);
    const pir_opdef *forward = pir_context_opdef(ctx, (pir_str){name, n});
    if (!(forward->traits & PIR_REGISTERED))
      break;
    root = forward;
    ++*out_order;
  }
  if (!draw_refusal(root))
    return root;
  *out_order = 1;
  return def;
}

// The gradient of a gradient is judged in the program that gives the gradients of its op: what
// the op keeps for it is a function of the inputs there.
draw_verdict draw_judge_gradients(draw *d, draw_report *out_report) {
  draw_report *r = out_report;
  judging first = {.d = d, .r = r, .def = d->def};
  *r = (draw_report){.found = r->found, .user = r->user};
  d->def = find_root(d->ctx, d->def, &first.order);
  d->floats = true;
  d->manners = MANNERS;
  for (int i = 0; i < ATTEMPTS && draw_op(d); i++) {
    judging j = first;
    bool compared = compare_gradients(&j);
    if (compared && r->found)
      r->found(r->user, d);
    if (compared)
      return j.beyond ? DRAW_DIFFERENT : DRAW_AGREES;
    r->refused++;
  }
  return DRAW_UNFIT;
}
