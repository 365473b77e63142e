// minimize_pass: backward_pass, then one step of an optimizer for each parameter, as Paddle's
// Optimizer.minimize appends it. What a step carries to the next one becomes inputs of the
// program that say `persistable`: learning_rate_0, and for a parameter w w_moment1_0 and the
// like. The update is written over the input or parameter in place (`writes` in .ops).
//   algo=NAME       sgd, momentum, adam, adamw, lamb, adagrad or rmsprop
//   clip-norm=X     all gradients together have at most this norm (Pascanu et al. 2013)
//   clip-value=X    each element of a gradient lies between -X and X
//   loss-scale=X    the loss is scaled (loss_scaling.c)
// and the numbers of the algorithm; Paddle's defaults. Gradients of parameters whose
// `need_clip` is false are not clipped.
#include "autodiff.h"

#include <pir/compiler/build/pd_op.h>
#include <pir/layer/nearest.h>
#include <stdlib.h>
#include <strbuf.h>
#include <string.h>

#include "loss_scaling.h"
#include "op_cost.h"
#include "training_steps.h"

typedef struct optimizer optimizer;

typedef struct minimizing {
  diff *d;
  pir_op_builder *builder;
  const optimizer *algo;
  pir_value *rate;
  size_t count;  // of parameters that have a gradient
  pir_value **params, **gradients;
  pir_map names;    // that variables cannot have
  pir_value *skip;  // whether this step is none, because gradients are not finite; NULL: never
} minimizing;

// One parameter.
typedef struct update {
  pir_value *param, *gradient;
  pir_str name;
} update;

struct optimizer {
  const char *name;
  void (*step)(minimizing *m, const update *u);
  const char *options;  // that it reads, with spaces between
};

// ---- options

// Options that are numbers, and up to where; `below`: less than that, else any number.
static const struct {
  const char *key;
  double below;
} number_keys[] = {{"momentum", 0}, {"beta1", 1},        {"beta2", 1},     {"epsilon", 0},
                   {"decay", 0},    {"weight-decay", 0}, {"clip-norm", 0}, {"clip-value", 0}};

static pir_status check_numbers(const pir_pass_run *run) {
  for (size_t i = 0; i < sizeof number_keys / sizeof *number_keys; i++) {
    double value, below = number_keys[i].below;
    if (!steps_number(run, "minimize", number_keys[i].key, "", &value))
      return pir_run_bad_option(run, number_keys[i].key, "a number that is not negative");
    if (below > 0 && value >= below)
      return pir_run_bad_option(run, number_keys[i].key, "a number from 0 to less than 1");
  }
  return PIR_OK;
}

static double number(const minimizing *m, const char *key) {
  double value;
  (void)steps_number(m->d->run, "minimize", key, m->algo->name, &value);  // checked before
  return value;
}

static pir_opt_float opt_number(const minimizing *m, const char *key) {
  return (pir_opt_float){true, number(m, key)};
}

static pir_number operand_number(const minimizing *m, const char *key) {
  return (pir_number){.set = true, .value = number(m, key)};
}

static bool given(const minimizing *m, const char *key) {
  return pir_run_option(m->d->run, key).size > 0;
}

// ---- variables

static pir_value *add_variable(minimizing *m, pir_str name, pir_shape shape) {
  const pir_type *type = pir_type_tensor(m->d->ctx, PIR_F32, shape);
  pir_value *value = NULL;
  pir_status status = steps_add_variable(m->d->run, &m->names, "minimize", name, type, &value);
  if (!m->d->status)
    m->d->status = status;
  return value;
}

static pir_value *add_state(minimizing *m, const update *u, const char *what, pir_shape shape) {
  pir_strbuf name;
  pir_strbuf_init(&name, m->d->arena);
  pir_strbuf_format(&name, "%.*s_%s_0", (int)u->name.size, u->name.data, what);
  return add_variable(m, (pir_str){name.data, name.size}, shape);
}

static pir_value *state_like(minimizing *m, const update *u, const char *what) {
  return add_state(m, u, what, pir_type_shape(pir_value_type(u->param)));
}

static pir_value *state_of_one(minimizing *m, const update *u, const char *what) {
  static const int64_t one = 1;
  return add_state(m, u, what, (pir_shape){&one, 1});
}

// ---- the algorithms

static void step_sgd(minimizing *m, const update *u) {
  pir_pd_sgd_(m->builder, u->param, m->rate, u->gradient, NULL);
}

static void step_momentum(minimizing *m, const update *u) {
  pir_value *velocity = state_like(m, u, "velocity");
  pir_pd_momentum__options how = {
      .use_nesterov = {true, pir_run_option_bool(m->d->run, "nesterov", false)},
      .regularization_method = given(m, "weight-decay") ? "l2_decay" : "",
      .regularization_coeff = opt_number(m, "weight-decay")};
  pir_pd_momentum_(m->builder, u->param, u->gradient, velocity, m->rate, number(m, "momentum"),
                   &how);
}

// The decaying means of adam, and the powers of their factors.
typedef struct moments {
  pir_value *moment1, *moment2, *beta1_pow, *beta2_pow;
} moments;

static moments add_moments(minimizing *m, const update *u) {
  moments s;
  s.moment1 = state_like(m, u, "moment1");
  s.moment2 = state_like(m, u, "moment2");
  s.beta1_pow = state_of_one(m, u, "beta1_pow_acc");
  s.beta2_pow = state_of_one(m, u, "beta2_pow_acc");
  return s;
}

static void step_adam(minimizing *m, const update *u) {
  moments s = add_moments(m, u);
  pir_pd_adam__options how = {.skip_update = m->skip,
                              .beta1 = operand_number(m, "beta1"),
                              .beta2 = operand_number(m, "beta2"),
                              .epsilon = operand_number(m, "epsilon")};
  pir_pd_adam_(m->builder, u->param, u->gradient, m->rate, s.moment1, s.moment2, s.beta1_pow,
               s.beta2_pow, &how);
}

static void step_adamw(minimizing *m, const update *u) {
  moments s = add_moments(m, u);
  pir_pd_adamw__options how = {.skip_update = m->skip,
                               .beta1 = operand_number(m, "beta1"),
                               .beta2 = operand_number(m, "beta2"),
                               .epsilon = operand_number(m, "epsilon"),
                               .coeff = opt_number(m, "weight-decay"),
                               .with_decay = {true, true}};
  pir_pd_adamw_(m->builder, u->param, u->gradient, m->rate, s.moment1, s.moment2, s.beta1_pow,
                s.beta2_pow, &how);
}

static void step_lamb(minimizing *m, const update *u) {
  moments s = add_moments(m, u);
  pir_pd_lamb__options how = {.skip_update = m->skip,
                              .beta1 = opt_number(m, "beta1"),
                              .beta2 = opt_number(m, "beta2"),
                              .epsilon = opt_number(m, "epsilon")};
  pir_pd_lamb_(m->builder, u->param, u->gradient, m->rate, s.moment1, s.moment2, s.beta1_pow,
               s.beta2_pow, number(m, "weight-decay"), &how);
}

static void step_adagrad(minimizing *m, const update *u) {
  pir_value *moment = state_like(m, u, "moment");
  pir_pd_adagrad__options how = {.epsilon = opt_number(m, "epsilon")};
  pir_pd_adagrad_(m->builder, u->param, u->gradient, moment, m->rate, &how);
}

static void step_rmsprop(minimizing *m, const update *u) {
  pir_value *moment = state_like(m, u, "momentum"), *square = state_like(m, u, "mean_square");
  pir_pd_rmsprop__options how = {
      .mean_grad = state_like(m, u, "mean_grad"),
      .epsilon = opt_number(m, "epsilon"),
      .decay = opt_number(m, "decay"),
      .momentum = opt_number(m, "momentum"),
      .centered = {true, pir_run_option_bool(m->d->run, "centered", false)}};
  pir_pd_rmsprop_(m->builder, u->param, square, u->gradient, moment, m->rate, &how);
}

static const optimizer optimizers[] = {
    {"sgd", step_sgd, ""},
    {"momentum", step_momentum, "momentum nesterov weight-decay"},
    {"adam", step_adam, "beta1 beta2 epsilon"},
    {"adamw", step_adamw, "beta1 beta2 epsilon weight-decay"},
    {"lamb", step_lamb, "beta1 beta2 epsilon weight-decay"},
    {"adagrad", step_adagrad, "epsilon"},
    {"rmsprop", step_rmsprop, "epsilon decay momentum centered"}};

// ---- clipping

static bool may_be_clipped(const pir_value *param) {
  const pir_attr *attr = pir_op_attr_str(pir_value_op(param), "need_clip");
  int64_t clips = 1;
  return !attr || !pir_attr_int_at(attr, 0, &clips) || clips;
}

// The sum of a list of numbers, as Paddle adds them.
static pir_value *sum_of(const minimizing *m, pir_value *const *terms, size_t count) {
  static const int64_t nothing = 0;
  pir_value *row = pir_pd_stack(m->builder, (pir_values){.data = terms, .count = count}, NULL);
  return pir_pd_sum(m->builder, row,
                    &(pir_pd_sum_options){.axis = {.data = &nothing, .count = 0}});
}

// gradient * limit / max(norm of all, limit).
static void clip_by_norm(const minimizing *m) {
  pir_value **squares = pir_arena_alloc(m->d->arena, m->count * sizeof *squares);
  size_t count = 0;
  for (size_t i = 0; i < m->count; i++)
    if (may_be_clipped(m->params[i]))
      squares[count++] = pir_pd_squared_l2_norm(m->builder, m->gradients[i]);
  if (!count)
    return;
  pir_value *sum = sum_of(m, squares, count), *all = sum_of(m, &sum, 1);
  pir_value *norm = pir_pd_sqrt(m->builder, all);
  pir_value *limit =
      pir_pd_full(m->builder, PIR_INTS(1), number(m, "clip-norm"),
                  &(pir_pd_full_options){.dtype = {true, PIR_F32}, .place = {true, 0}});
  pir_value *larger = pir_pd_maximum(m->builder, norm, limit);
  pir_value *factor = pir_pd_divide(m->builder, limit, larger);
  for (size_t i = 0; i < m->count; i++)
    if (may_be_clipped(m->params[i]))
      m->gradients[i] = pir_pd_multiply(m->builder, m->gradients[i], factor);
}

static void clip_by_value(const minimizing *m) {
  double most = number(m, "clip-value");
  for (size_t i = 0; i < m->count; i++)
    if (may_be_clipped(m->params[i]))
      m->gradients[i] =
          pir_pd_clip(m->builder, m->gradients[i], (pir_number){.set = true, .value = -most},
                      (pir_number){.set = true, .value = most});
}

// ---- all parameters

static pir_status find_optimizer(const diff *d, const optimizer **out) {
  pir_str name = pir_run_option(d->run, "algo");
  if (!name.size)
    name = PIR_STR("sgd");
  for (size_t i = 0; i < sizeof optimizers / sizeof *optimizers; i++)
    if (pir_str_equal(name, pir_str_from(optimizers[i].name))) {
      *out = &optimizers[i];
      return PIR_OK;
    }
  pir_nearest near = pir_nearest_begin(name);
  for (size_t i = 0; i < sizeof optimizers / sizeof *optimizers; i++)
    pir_nearest_try(&near, optimizers[i].name);
  return pir_report(d->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                    "minimize: algo is sgd, momentum, adam, adamw, lamb, adagrad or rmsprop, "
                    "not '%.*s'%s",
                    (int)name.size, name.data, pir_nearest_hint(&near).text);
}

// An option that the algorithm does not read is an error.
static pir_status check_options(const diff *d, const optimizer *algo) {
  static const char *const keys[] = {"momentum", "nesterov", "beta1",    "beta2",
                                     "epsilon",  "decay",    "centered", "weight-decay"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (pass_option(d->run, keys[i]) && !steps_has_word(algo->options, keys[i]))
      return pir_report(d->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                        "minimize: algo=%s takes no option %s; it takes %s", algo->name,
                        keys[i], *algo->options ? algo->options : "none");
  return PIR_OK;
}

// The steps are taken in f32; of narrower types, by a copy of the parameter.
static pir_status check_param(const pir_value *param) {
  const pir_op *op = pir_value_op(param);
  pir_dtype dtype = pir_type_dtype(pir_value_type(param));
  if (!pir_op_has(op, PIR_PARAMETER))
    return pir_report_op(op, PIR_INVALID, PIR_ERROR, "minimize: only parameters take steps");
  if (dtype == PIR_F32 || dtype == PIR_F16 || dtype == PIR_BF16)
    return PIR_OK;
  return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                       "unsupported: minimize: a parameter of %s", pir_dtype_name(dtype));
}

static pir_status collect(minimizing *m, const value_list *params,
                          const value_list *gradients) {
  m->params = pir_arena_alloc(m->d->arena, (params->count + 1) * sizeof *m->params);
  m->gradients = pir_arena_alloc(m->d->arena, (params->count + 1) * sizeof *m->gradients);
  for (size_t i = 0; i < params->count; i++) {
    PIR_TRY(check_param(params->items[i]));
    bool again = false;
    for (size_t k = 0; k < m->count; k++)
      again |= m->params[k] == params->items[i];
    if (again || !gradients->items[i])
      continue;
    m->params[m->count] = params->items[i];
    m->gradients[m->count++] = gradients->items[i];
  }
  if (m->count)
    return PIR_OK;
  return pir_report(m->d->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                    "minimize: the loss depends on no parameter that may be trained");
}

// Gradients of narrow types are cast before anything is computed with them.
static void widen_gradients(minimizing *m) {
  for (size_t i = 0; i < m->count; i++)
    if (pir_type_dtype(pir_value_type(m->gradients[i])) != PIR_F32)
      m->gradients[i] = pir_pd_cast(m->builder, m->gradients[i], PIR_F32);
}

// A parameter of a narrow type has a copy in f32 that takes the step, under Paddle's name, and
// gets its numbers afterwards.
static void step_parameter(minimizing *m, size_t i) {
  pir_value *param = m->params[i];
  const pir_attr *name = pir_op_attr_str(pir_value_op(param), "parameter_name");
  update u = {param, m->gradients[i], pir_attr_as_str(name)};
  pir_dtype dtype = pir_type_dtype(pir_value_type(param));
  if (dtype != PIR_F32) {
    u.param = state_like(m, &u, "fp32_master");
    u.name = pir_attr_as_str(pir_op_attr_str(pir_value_op(u.param), "name"));
  }
  m->algo->step(m, &u);
  if (dtype != PIR_F32)
    pir_pd_assign_out_(m->builder, pir_pd_cast(m->builder, u.param, dtype), param);
}

// ---- where a step stands

static pir_op *later(pir_op *a, pir_op *b) {
  return !a || (b && pir_op_is_before(a, b)) ? b : a;
}

// Returns the op of the program's block that an op is, or stands in.
static pir_op *outermost(const minimizing *m, pir_op *op) {
  const pir_block *block = pir_program_block(m->d->run->program);
  while (op && pir_op_block(op) != block)
    op = pir_op_parent(op);
  return op;
}

// Returns the last op that reads a value, or one that shares its memory.
static pir_op *last_reader(const minimizing *m, pir_value *value) {
  value_list same = {0};
  pir_map seen = {0};
  pir_op *last = NULL;
  pir_vec_push(m->d->arena, &same, value);
  for (size_t i = 0; i < same.count; i++)
    PIR_EACH_USE(use, same.items[i]) {
      pir_op *user = pir_use_owner(use);
      last = later(last, outermost(m, user));
      bool shares = cost_renames(user) && !pir_use_operand_index(use);
      if (!shares && !pir_op_has(user, PIR_STRUCTURAL))
        continue;
      for (size_t k = 0; k < pir_op_results(user); k++) {
        if (pir_map_find(&seen, pir_op_result(user, k)))
          continue;
        pir_map_put(m->d->arena, &seen, pir_op_result(user, k), 1);
        pir_vec_push(m->d->arena, &same, pir_op_result(user, k));
      }
    }
  pir_vec_free(m->d->arena, &same);
  pir_map_free(m->d->arena, &seen);
  return last;
}

// Lets the step of a parameter stand directly behind its gradient, all that scales it in place,
// and all that reads the parameter, which the step writes over.
static void move_early(const minimizing *m, size_t i) {
  pir_op *behind = last_reader(m, m->params[i]);
  behind = later(behind, pir_value_op(m->gradients[i]));
  behind = later(behind, last_reader(m, m->gradients[i]));
  if (m->skip)
    behind = later(behind, pir_value_op(m->skip));
  pir_op_builder_move(m->builder, steps_builder(pir_op_next(behind)));
}

static void add_steps(minimizing *m) {
  widen_gradients(m);
  pir_values gradients = {.data = m->gradients, .count = m->count};
  if (m->d->scale)
    m->d->status = loss_scaling_end(m->d->run, m->builder, m->d->scale, gradients, &m->skip);
  if (m->d->status)
    return;
  m->rate = add_variable(m, PIR_STR("learning_rate_0"), (pir_shape){NULL, 0});
  if (given(m, "clip-norm"))
    clip_by_norm(m);
  if (given(m, "clip-value"))
    clip_by_value(m);
  for (size_t i = 0; i < m->count; i++) {
    if (m->d->early)
      move_early(m, i);
    step_parameter(m, i);
  }
}

pir_status diff_minimize(diff_block *b, const value_list *params, const value_list *gradients) {
  minimizing m = {.d = b->d};
  PIR_TRY(check_numbers(b->d->run));
  PIR_TRY(find_optimizer(b->d, &m.algo));
  PIR_TRY(check_options(b->d, m.algo));
  PIR_TRY(collect(&m, params, gradients));
  PIR_TRY(pir_op_builder_create(b->d->run->program, &m.builder));
  pir_op_builder_move(m.builder, steps_builder(b->at));
  add_steps(&m);
  pir_status status = pir_op_builder_status(m.builder);
  pir_op_builder_destroy(m.builder);
  return status ? status : b->d->status;
}
