// schedule_pass: the learning rate of a training program, an input, is computed from the number
// of steps taken, in f64, by the definitions of paddle.optimizer.lr. The number is a variable
// of the program, RATE_step, which begins with 0 and which each step increases.
//   decay=NAME   the schedule (`decays` below)
//   rate=X       the rate that it begins with
//   warmup=N     before it, N steps from warmup-start to warmup-end (LinearWarmup)
//   every=N      N steps of training are one step of the schedule
//   of=NAME      the input
// The text of a program has six digits of a number. So numbers that follow from the options are
// computed by ops, pi too, and only the options themselves are constants.
#include "training_steps.h"

#include <effects.h>
#include <math.h>
#include <pir/compiler/build/pd_op.h>
#include <pir/layer/named_values.h>
#include <pir/layer/nearest.h>
#include <strbuf.h>
#include <string.h>

typedef struct schedule {
  const pir_pass_run *run;
  pir_op_builder *b;
  const struct decay *decay;
  pir_shape shape;  // of the rate
  pir_status status;
  pir_value *t;  // steps of the schedule so far, f64
} schedule;

typedef struct decay {
  const char *name;
  pir_value *(*rate)(schedule *s);
  const char *needs, *takes;  // options, with spaces between
} decay;

// ---- terms

static pir_value *constant(schedule *s, double x) {
  return pir_pd_full(s->b, pir_ints_of(s->shape.dims, s->shape.rank), x,
                     &(pir_pd_full_options){.dtype = {true, PIR_F64}, .place = {true, 0}});
}

static double read_option(schedule *s, const char *key) {
  double x;
  if (!steps_number(s->run, "schedule", key, s->decay->name, &x) && !s->status)
    s->status = pir_run_bad_option(s->run, key, "a number that is not negative");
  return x;
}

static pir_value *option(schedule *s, const char *key) {
  return constant(s, read_option(s, key));
}

// A count, at least 1.
static pir_value *count_option(schedule *s, const char *key) {
  double n = read_option(s, key);
  if ((n < 1 || n > 1e15 || n != floor(n)) && !s->status)
    s->status = pir_run_bad_option(s->run, key, "a whole number, at least 1");
  return constant(s, n);
}

// `x` where a < b, else `y`.
static pir_value *pick(schedule *s, pir_value *a, pir_value *b, pir_value *x, pir_value *y) {
  return pir_pd_where(s->b, pir_pd_less_than(s->b, a, b), x, y);
}

static pir_value *negative(schedule *s, pir_value *x) {
  return pir_pd_subtract(s->b, constant(s, 0), x);
}

static pir_value *rate_of(schedule *s) {
  return option(s, "rate");
}

// ---- schedules

static pir_value *decay_constant(schedule *s) {
  return rate_of(s);
}

static pir_value *decay_step(schedule *s) {
  pir_value *past = pir_pd_floor(s->b, pir_pd_divide(s->b, s->t, count_option(s, "steps")));
  pir_value *gamma = option(s, "gamma");
  return pir_pd_multiply(s->b, rate_of(s), pir_pd_elementwise_pow(s->b, gamma, past));
}

// Reads the next number of a list; false: there is none.
static bool next_number(schedule *s, const char *key, pir_str *list, double *out) {
  pir_str text;
  if (!pass_next_name(list, &text))
    return false;
  if ((!text.size || !steps_read_number(text, out)) && !s->status)
    s->status =
        pir_run_bad_option(s->run, key, "numbers that are not negative, with | between");
  return true;
}

// Before each of `boundaries` the value beside it, then the last one.
static pir_value *decay_piecewise(schedule *s) {
  pir_str boundaries = pir_run_option(s->run, "boundaries"),
          values = pir_run_option(s->run, "values");
  double bound = 0, last = -1, value = 0;
  pir_value *rate = NULL;
  bool more = next_number(s, "values", &values, &value);
  rate = constant(s, value);
  while (next_number(s, "boundaries", &boundaries, &bound)) {
    more = more && next_number(s, "values", &values, &value);
    if (bound <= last && !s->status)
      s->status = pir_run_bad_option(s->run, "boundaries", "numbers that grow");
    pir_value *change = constant(s, bound);
    last = bound;
    rate = pick(s, s->t, change, rate, constant(s, value));
  }
  if ((!more || values.size) && !s->status)
    s->status =
        pir_run_bad_option(s->run, "values", "one number more than there are boundaries");
  return rate;
}

static pir_value *decay_exponential(schedule *s) {
  pir_value *factor = pir_pd_elementwise_pow(s->b, option(s, "gamma"), s->t);
  return pir_pd_multiply(s->b, rate_of(s), factor);
}

static pir_value *decay_natural_exp(schedule *s) {
  pir_value *power = pir_pd_multiply(s->b, negative(s, option(s, "gamma")), s->t);
  return pir_pd_multiply(s->b, rate_of(s), pir_pd_exp(s->b, power));
}

static pir_value *decay_inverse_time(schedule *s) {
  pir_value *grown = pir_pd_multiply(s->b, option(s, "gamma"), s->t);
  return pir_pd_divide(s->b, rate_of(s), pir_pd_add(s->b, constant(s, 1), grown));
}

// (rate - end) (1 - t/steps)^power + end; with `cycle` again and again, over more steps.
static pir_value *decay_polynomial(schedule *s) {
  pir_value *steps = count_option(s, "steps"), *t = s->t, *end = option(s, "end");
  if (pir_run_option_bool(s->run, "cycle", false)) {
    pir_value *times = pir_pd_ceil(s->b, pir_pd_divide(s->b, t, steps));
    steps = pir_pd_multiply(s->b, steps, pir_pd_maximum(s->b, times, constant(s, 1)));
  } else {
    t = pir_pd_minimum(s->b, t, steps);
  }
  pir_value *left = pir_pd_subtract(s->b, constant(s, 1), pir_pd_divide(s->b, t, steps));
  pir_value *factor = pir_pd_elementwise_pow(s->b, left, option(s, "power"));
  pir_value *range = pir_pd_subtract(s->b, rate_of(s), end);
  return pir_pd_add(s->b, pir_pd_multiply(s->b, range, factor), end);
}

// end + (rate - end) (1 + cos(pi t/steps)) / 2 (Loshchilov and Hutter, SGDR, 2017, without
// restarts).
static pir_value *decay_cosine(schedule *s) {
  pir_value *end = option(s, "end"), *steps = count_option(s, "steps");
  pir_value *pi = pir_pd_acos(s->b, constant(s, -1));
  pir_value *angle = pir_pd_divide(s->b, pir_pd_multiply(s->b, pi, s->t), steps);
  pir_value *wave = pir_pd_add(s->b, constant(s, 1), pir_pd_cos(s->b, angle));
  pir_value *range = pir_pd_subtract(s->b, rate_of(s), end);
  pir_value *height = pir_pd_multiply(s->b, range, wave);
  return pir_pd_add(s->b, end, pir_pd_divide(s->b, height, constant(s, 2)));
}

// rate width^-0.5 min(t^-0.5, t steps^-1.5) (Vaswani et al., Attention Is All You Need, 2017).
static pir_value *decay_noam(schedule *s) {
  pir_value *one = constant(s, 1), *half = constant(s, -0.5);
  pir_value *down = pir_pd_elementwise_pow(s->b, pir_pd_maximum(s->b, s->t, one), half);
  pir_value *slope = pir_pd_elementwise_pow(s->b, count_option(s, "steps"), constant(s, -1.5));
  pir_value *up = pir_pd_multiply(s->b, slope, s->t);
  pir_value *width = pir_pd_elementwise_pow(s->b, count_option(s, "width"), half);
  pir_value *scale = pir_pd_multiply(s->b, rate_of(s), width);
  return pir_pd_multiply(s->b, scale, pir_pd_minimum(s->b, down, up));
}

static const decay decays[] = {
    {"constant", decay_constant, "rate", ""},
    {"step", decay_step, "rate steps", "gamma"},
    {"piecewise", decay_piecewise, "boundaries values", ""},
    {"exponential", decay_exponential, "rate gamma", ""},
    {"natural-exp", decay_natural_exp, "rate gamma", ""},
    {"inverse-time", decay_inverse_time, "rate gamma", ""},
    {"polynomial", decay_polynomial, "rate steps", "end power cycle"},
    {"cosine", decay_cosine, "rate steps", "end"},
    {"noam", decay_noam, "rate width steps", ""}};

enum { DECAYS = sizeof decays / sizeof *decays };

// ---- options

static pir_status find_decay(schedule *s) {
  pir_str name = pir_run_option(s->run, "decay");
  if (!name.size)
    name = PIR_STR("constant");
  pir_nearest near = pir_nearest_begin(name);
  for (size_t i = 0; i < DECAYS; i++) {
    pir_nearest_try(&near, decays[i].name);
    s->decay = &decays[i];
    if (pir_str_equal(name, pir_str_from(decays[i].name)))
      return PIR_OK;
  }
  return pir_report(pir_program_context(s->run->program), PIR_INVALID, PIR_ERROR,
                    PIR_LOC_UNKNOWN,
                    "schedule: decay is constant, step, piecewise, exponential, natural-exp, "
                    "inverse-time, polynomial, cosine or noam, not '%.*s'%s",
                    (int)name.size, name.data, pir_nearest_hint(&near).text);
}

static pir_status check_option_of(const schedule *s, const char *key) {
  const decay *d = s->decay;
  bool needed = steps_has_word(d->needs, key), taken = steps_has_word(d->takes, key);
  bool set = pass_option(s->run, key) != NULL;
  if (set ? needed || taken : !needed)
    return PIR_OK;
  return pir_report(pir_program_context(s->run->program), PIR_INVALID, PIR_ERROR,
                    PIR_LOC_UNKNOWN, "schedule: decay=%s %s option %s; it needs %s%s%s",
                    d->name, set ? "takes no" : "needs", key, d->needs,
                    *d->takes ? ", and takes " : "", d->takes);
}

// An option that the schedule does not read is an error, and so is one that it misses.
static pir_status check_options_of(const schedule *s) {
  static const char *const keys[] = {"rate",  "steps", "gamma",      "end",   "power",
                                     "cycle", "width", "boundaries", "values"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    PIR_TRY(check_option_of(s, keys[i]));
  bool warms = pass_option(s->run, "warmup");
  if (!warms && pass_option(s->run, "warmup-start"))
    return pir_run_bad_option(s->run, "warmup-start", "option warmup beside it");
  if (!warms && pass_option(s->run, "warmup-end"))
    return pir_run_bad_option(s->run, "warmup-end", "option warmup beside it");
  if (warms && !pass_option(s->run, "rate") && !pass_option(s->run, "warmup-end"))
    return pir_run_bad_option(s->run, "warmup", "option warmup-end beside it, without a rate");
  return PIR_OK;
}

// ---- the pass

// Adds the number of steps, and returns it as f64 before this step adds one.
static pir_value *count_steps(schedule *s, pir_str name) {
  pir_context *ctx = pir_program_context(s->run->program);
  pir_value *counter = NULL;
  pir_map names = {0};
  pir_strbuf text;
  pir_strbuf_init(&text, pir_context_arena(ctx));
  pir_strbuf_format(&text, "%.*s_step", (int)name.size, name.data);
  s->status = steps_add_variable(s->run, &names, "schedule", (pir_str){text.data, text.size},
                                 pir_type_tensor(ctx, PIR_I64, s->shape), &counter);
  pir_value *t = pir_pd_cast(s->b, counter, PIR_F64);
  pir_pd_increment_(s->b, counter, NULL);
  if (pass_option(s->run, "every"))
    t = pir_pd_floor(s->b, pir_pd_divide(s->b, t, count_option(s, "every")));
  return t;
}

// The schedule, with the steps before it.
static pir_value *warmed_up(schedule *s) {
  if (!pass_option(s->run, "warmup"))
    return s->decay->rate(s);
  pir_value *warmup = count_option(s, "warmup"), *t = s->t;
  pir_value *start = option(s, "warmup-start");
  pir_value *end = option(s, pass_option(s->run, "warmup-end") ? "warmup-end" : "rate");
  pir_value *way = pir_pd_multiply(s->b, pir_pd_subtract(s->b, end, start), t);
  pir_value *up = pir_pd_add(s->b, pir_pd_divide(s->b, way, warmup), start);
  s->t = pir_pd_maximum(s->b, pir_pd_subtract(s->b, t, warmup), constant(s, 0));
  return pick(s, t, warmup, up, s->decay->rate(s));
}

static pir_status find_rate(const schedule *s, pir_str name, pir_value **out) {
  pir_context *ctx = pir_program_context(s->run->program);
  pir_status status = pir_find_named_value(s->run->program, name, out, NULL);
  const pir_op *op = status ? NULL : pir_value_op(*out);
  if (status == PIR_NOT_FOUND || !op || !pir_op_has(op, PIR_INPUT))
    return pir_report(ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "schedule: the program has no input \"%.*s\"", (int)name.size, name.data);
  const pir_type *type = pir_value_type(*out);
  pir_dtype dtype = pir_type_dtype(type);
  pir_shape shape = pir_type_shape(type);
  bool one = dtype == PIR_F32 || dtype == PIR_F64;
  for (size_t i = 0; i < shape.rank; i++)
    one &= shape.dims[i] == 1;
  return one ? PIR_OK
             : pir_report_op(op, PIR_INVALID, PIR_ERROR,
                             "schedule: a learning rate is one number of f32 or f64");
}

static pir_status compute_rate(schedule *s, pir_str name, pir_value *input) {
  const pir_type *type = pir_value_type(input);
  s->shape = pir_type_shape(type);
  pir_op *source = pir_value_op(input);
  pir_op_builder_move(s->b, steps_builder(pir_op_next(source)));
  s->t = count_steps(s, name);
  pir_value *rate = warmed_up(s);
  if (pir_type_dtype(type) != PIR_F64)
    rate = pir_pd_cast(s->b, rate, pir_type_dtype(type));
  PIR_TRY(s->status);
  PIR_TRY(pir_op_builder_status(s->b));
  pir_rewriter_replace_value(s->run->rewriter, input, rate);
  pir_rewriter_erase(s->run->rewriter, source);
  return PIR_OK;
}

pir_status pir_pass_schedule(pir_pass_run *run) {
  schedule s = {.run = run};
  pir_value *input;
  pir_str name = pir_run_option(run, "of");
  if (!name.size)
    name = PIR_STR("learning_rate_0");
  if (!run->option_count && pir_find_named_value(run->program, name, &input, NULL))
    return PIR_OK;  // no rate, and no wish
  PIR_TRY(find_decay(&s));
  PIR_TRY(check_options_of(&s));
  PIR_TRY(find_rate(&s, name, &input));
  PIR_TRY(pir_op_builder_create(run->program, &s.b));
  pir_status status = compute_rate(&s, name, input);
  pir_op_builder_destroy(s.b);
  return status;
}
