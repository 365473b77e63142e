// --fit, from the command line to a training program: options, passes, variables.
#include "fit.h"

#include <inttypes.h>
#include <pir/compiler/op.h>
#include <pir/compiler/params.h>
#include <pir/compiler/text.h>
#include <pir/layer/named_values.h>
#include <pir/layer/training.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

// ---- options

typedef struct fit_option {
  int id;
  const char *name;
} fit_option;

static const fit_option of_fit[] = {
    {OPT_LOSS, "loss"},     {OPT_AMP, "amp"},     {OPT_OPTIMIZER, "optimizer"},
    {OPT_RATE, "rate"},     {OPT_DECAY, "decay"}, {OPT_BATCH, "batch"},
    {OPT_EPOCHS, "epochs"}, {OPT_INIT, "init"},   {OPT_SHUFFLE, "shuffle"},
    {OPT_SAVE, "save"},     {OPT_NAN, "nan"},     {OPT_SAVE_EVERY, "save-every"},
    {OPT_RESUME, "resume"}, {OPT_CURVE, "curve"}};

// Runs that are no training, and outputs that a training does not hand out.
static const fit_option not_fitting[] = {{OPT_TRAIN, "train"},
                                         {OPT_CASE, "case"},
                                         {OPT_CASES, "cases"},
                                         {OPT_SHAPES, "shapes"},
                                         {OPT_COMPILE_ONLY, "compile-only"},
                                         {OPT_OUTPUT, "output"},
                                         {OPT_OUTPUT_DIR, "output-dir"},
                                         {OPT_PRINT, "print"},
                                         {OPT_TOP, "top"},
                                         {OPT_SHOW, "show"},
                                         {OPT_DUMP, "dump"},
                                         {OPT_COMPARE, "compare"},
                                         {OPT_EXPECT, "expect"},
                                         {OPT_EXPECT_DIR, "expect-dir"},
                                         {OPT_BENCHMARK, "benchmark"},
                                         {OPT_TUNE, "tune"},
                                         {OPT_CORES, "cores"},
                                         {OPT_OVERLAP, "overlap"},
                                         {OPT_SCHEDULES, "schedules"},
                                         {OPT_GENERATE, "generate"},
                                         {OPT_PROFILE, "profile"},
                                         {OPT_GUARD_PAGES, "guard-pages"},
                                         {OPT_LOD, "lod"},
                                         {OPT_VIEW, "view"}};

bool fit_exposes_state(const cli_run *cli) {
  return cli_has(cli, OPT_TRAIN) || cli_has(cli, OPT_FIT);
}

int fit_check_options(const run *r) {
  bool fits = cli_has(r->cli, OPT_FIT);
  for (size_t i = 0; !fits && i < sizeof of_fit / sizeof *of_fit; i++)
    if (cli_has(r->cli, of_fit[i].id))
      return cli_fail(r->cli, CLI_USAGE, "--%s needs --fit", of_fit[i].name);
  for (size_t i = 0; fits && i < sizeof not_fitting / sizeof *not_fitting; i++)
    if (cli_has(r->cli, not_fitting[i].id))
      return cli_fail(r->cli, CLI_USAGE, "--fit excludes --%s", not_fitting[i].name);
  if (!cli_has(r->cli, OPT_SAVE) && cli_has(r->cli, OPT_RESUME))
    return cli_fail(r->cli, CLI_USAGE, "--resume needs --save, the folder of the checkpoint");
  if (!cli_has(r->cli, OPT_SAVE) && cli_has(r->cli, OPT_SAVE_EVERY))
    return cli_fail(r->cli, CLI_USAGE, "--save-every needs --save");
  const char *curve = cli_value(r->cli, OPT_CURVE, NULL),
             *amp = cli_value(r->cli, OPT_AMP, NULL);
  if (amp && strcmp(amp, "f16") != 0 && strcmp(amp, "bf16") != 0)
    return cli_bad_value(r->cli, "amp", amp, "f16 or bf16");
  return curve ? fit_check_curve(r->cli, curve) : 0;
}

// ---- the passes

static pir_status run_pipeline(run *r, pir_program *program, const char *pipeline) {
  pir_pass_options options = {.size = sizeof options,
                              .any_float = cli_has(r->cli, OPT_ANY_FLOAT)};
  return cli_run_passes(program, pir_str_from(pipeline), &options);
}

// Adds `NAME{FIRST=VALUE,OPTIONS..}`; `text` is VALUE,OPTIONS.. of the command line.
static pir_status run_pass(run *r, pir_program *program, const char *format, const char *more,
                           const char *text) {
  size_t room = strlen(format) + strlen(more) + strlen(text) + 2;
  char *pipeline = malloc(room);
  if (!pipeline)
    return PIR_EXHAUSTED;
  snprintf(pipeline, room, "%s%s%s}", format, more, text);
  pir_status status = run_pipeline(r, program, pipeline);
  free(pipeline);
  return status;
}

// Gradients of f16 vanish where a loss is not scaled.
static pir_status add_optimizer(run *r, pir_program *program, const char *loss) {
  const char *optimizer = cli_value(r->cli, OPT_OPTIMIZER, NULL),
             *amp = cli_value(r->cli, OPT_AMP, NULL);
  if (!optimizer)
    optimizer = "sgd";
  bool half = amp && !strcmp(amp, "f16") && !strstr(optimizer, "loss-scale=");
  char first[96];
  snprintf(first, sizeof first, "minimize{fetch=false,loss=%s%s,algo=", loss,
           half ? ",loss-scale=65536" : "");
  if (amp)
    PIR_TRY(run_pass(r, program, "auto_mixed_precision{precision=", "", amp));
  return run_pass(r, program, first, "", optimizer);
}

static pir_status take_steps(run *r, pir_program *program, const char *loss) {
  const char *decay = cli_value(r->cli, OPT_DECAY, NULL),
             *rate = cli_value(r->cli, OPT_RATE, NULL);
  bool has = pir_program_takes_steps(program);
  if (has && (cli_has(r->cli, OPT_OPTIMIZER) || cli_has(r->cli, OPT_AMP)))
    return pir_report(pir_program_context(program), PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "--%s: the program takes steps already",
                      cli_has(r->cli, OPT_AMP) ? "amp" : "optimizer");
  if (!has)
    PIR_TRY(add_optimizer(r, program, loss));
  if (!decay)
    return PIR_OK;
  char more[64];
  snprintf(more, sizeof more, rate ? "rate=%.40s,decay=" : "decay=", rate);
  return run_pass(r, program, "schedule{", more, decay);
}

// ---- variables

static bool hash_text(void *user, const char *data, size_t size) {
  return XXH3_64bits_update(user, data, size) == XXH_OK;
}

// The key is a hash of the program's text; one of other ops, options or shapes has another.
static pir_status make_key(const pir_program *program, uint64_t *key) {
  XXH3_state_t text;
  XXH3_64bits_reset(&text);
  PIR_TRY(pir_program_print(program, NULL, (pir_writer){hash_text, &text}));
  *key = XXH3_64bits_digest(&text);
  return PIR_OK;
}

static pir_str variable_name(const pir_op *op) {
  if (pir_op_has(op, PIR_PARAMETER))
    return pir_attr_as_str(pir_op_attr_str(op, "parameter_name"));
  const pir_attr *name = pir_op_attr_str(op, "name");
  return name ? pir_attr_as_str(name) : (pir_str){"", 0};
}

static pir_status note_variables(fit *f, const pir_program *program) {
  size_t most = 0;
  PIR_EACH_OP(op, pir_program_block(program))
  most += pir_op_has(op, PIR_PARAMETER) || pir_op_has(op, PIR_INPUT);
  f->variables = calloc(most + 1, sizeof *f->variables);
  if (!f->variables)
    return PIR_EXHAUSTED;
  PIR_EACH_OP(op, pir_program_block(program)) {
    if (!pir_op_has(op, PIR_PARAMETER) && !pir_op_has(op, PIR_INPUT))
      continue;
    fit_variable *v = &f->variables[f->variable_count++];
    pir_str name = variable_name(op);
    const pir_param *param = pir_program_param(program, name);
    v->name = strndup(name.data, name.size);
    if (!v->name)
      return PIR_EXHAUSTED;
    v->is_param = pir_op_has(op, PIR_PARAMETER);
    v->begin = pir_variable_begin(pir_op_result(op, 0));
    if (!param)
      continue;
    pir_param_retain(param);
    v->param = param;
  }
  return PIR_OK;
}

// The parameters of the program before passes change it, as a file lists them.
static pir_status note_saved(fit *f, const pir_param **params, size_t count) {
  f->saved = calloc(count + 1, sizeof *f->saved);
  if (!f->saved)
    return PIR_EXHAUSTED;
  for (size_t i = 0; i < count; i++)
    for (size_t v = 0; v < f->variable_count; v++)
      if (f->variables[v].is_param &&
          pir_str_equal(params[i]->name, pir_str_from(f->variables[v].name))) {
        f->saved[f->saved_count++] = v;
        break;
      }
  return PIR_OK;
}

// The array of --init of a parameter becomes its bytes.
static pir_status adopt_array(const fit *f, pir_program *program, const pir_op *op,
                              pir_npy_array *array) {
  const pir_type *type = pir_value_type(pir_op_result(op, 0));
  const pir_tensor *t = &array->tensor;
  char why[512];
  if (!pir_type_is_tensor(type))
    return pir_report_op(op, PIR_INVALID, PIR_ERROR, "--init: the parameter is no tensor");
  pir_shape shape = pir_type_shape(type);
  if (!fit_array_is(array, pir_type_dtype(type), shape.dims, (int)shape.rank, why))
    return pir_report_op(op, PIR_INVALID, PIR_ERROR, "parameter '%s': %s", array->name, why);
  pir_param param = {.name = variable_name(op), .dtype = t->dtype};
  if (fit_make_dense(f, array) || pir_shape_bytes(t->shape, t->rank, t->dtype, &param.size))
    return PIR_EXHAUSTED;
  param.shape = (pir_shape){t->shape, (size_t)t->rank};
  param.data = t->data;
  pir_program_adopt_param(program, &param);
  return PIR_OK;
}

// Other variables take their arrays later.
static pir_status adopt_init(const fit *f, pir_program *program) {
  PIR_EACH_OP(op, pir_program_block(program)) {
    if (!pir_op_has(op, PIR_PARAMETER))
      continue;
    pir_str name = variable_name(op);
    for (size_t i = 0; i < f->init.count; i++)
      if (pir_str_equal(name, pir_str_from(f->init.arrays[i].name)))
        PIR_TRY(adopt_array(f, program, op, &f->init.arrays[i]));
  }
  return PIR_OK;
}

static pir_status prepare_named(run *r, pir_program *program, const pir_param **params,
                                size_t count) {
  fit *f = r->fit;
  const char *loss;
  PIR_TRY(fit_find_loss(r, program, &loss));
  PIR_TRY(take_steps(r, program, loss));
  PIR_TRY(note_variables(f, program));
  PIR_TRY(note_saved(f, params, count));
  PIR_EACH_OP(op, pir_program_block(program)) f->own_outputs += pir_op_has(op, PIR_OUTPUT);
  return make_key(program, &f->key);
}

pir_status fit_prepare(run *r, pir_program *program) {
  const char *init = cli_value(r->cli, OPT_INIT, NULL);
  const pir_param **params;
  size_t count;
  fit *f = calloc(1, sizeof *f);
  r->fit = f;
  if (!f)
    return PIR_EXHAUSTED;
  f->r = r;
  if (init && fit_read_folder(r->cli, init, &f->init))
    return PIR_INVALID;
  PIR_TRY(adopt_init(f, program));
  PIR_TRY(pir_program_saved_params(program, PIR_FORMAT_JSON, &params, &count));
  pir_status status = prepare_named(r, program, params, count);
  free(params);
  return status;
}

void fit_drop(run *r) {
  fit *f = r->fit;
  if (!f)
    return;
  fit_drop_states(f);
  for (size_t i = 0; i < f->variable_count; i++) {
    if (f->variables[i].param)
      pir_param_release(f->variables[i].param);
    free(f->variables[i].name);
  }
  free(f->variables);
  free(f->saved);
  free(f->feeds);
  free(f->order);
  free(f->losses);
  pir_npy_set_release(&f->data);
  pir_npy_set_release(&f->init);
  free(f);
  r->fit = NULL;
}
