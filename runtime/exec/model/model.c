// Creates models: runs the pipeline over a clone of the program, compiles its groups, builds
// the plan, loads the weights. The finished model needs neither the program nor its context.
#include "prepared.h"
#include <pir/custom.h>
#include <pir/dialects.h>
#include <pir/load.h>
#include <pir/pass.h>
#include <pir/verify.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pir_model_options read_model_options(const pir_model_options *given) {
  pir_model_options options = {0};
  if (given)
    memcpy(&options, given,
           given->size && given->size < sizeof options ? given->size : sizeof options);
  if (!options.pipeline)
    options.pipeline = "compile";
  if (!options.math)
    options.math = "strict";
  if (options.compile_threads <= 0)
    options.compile_threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (options.compile_threads < 1)
    options.compile_threads = 1;
  return options;
}

// Chooses the named pipeline: groups depend on the target, and rounding pays only if the
// target's instructions multiply bf16.
static const char *pipeline_for(const pir_model_options *options, pir_message *room) {
  pir_math math = PIR_MATH_STRICT;
  pir_target target;
  if (strcmp(options->pipeline, "compile") != 0)
    return options->pipeline;
  if (pir_device_is_kind(options->target)) {
    pir_text_format(room->text, sizeof room->text, "compile-%s", options->target);
    return room->text;
  }
  pir_ignore(pir_math_named(options->math, &math));  // check_math reports an unknown name
  bool rounds = math == PIR_MATH_BF16 && !pir_target_describe(options->target, &target) &&
                target.avx512_bf16;
  return rounds ? "compile-bf16" : "compile";
}

static pir_status run_pipeline(pir_context *ctx, pir_program *program,
                               const pir_model_options *options) {
  pir_message room;
  pir_str name = pir_str_from(pipeline_for(options, &room));
  pir_pass_options how = {.any_float = options->any_float};
  const char *text = pir_pipeline_text(name);
  pir_pass_manager *manager = pir_pass_manager_create(ctx, &how);
  pir_status status = pir_pass_manager_parse(manager, text ? pir_str_from(text) : name);
  if (!status)
    status = pir_pass_manager_parse(
        manager, PIR_STR("bind_kernels"));  // changes nothing the second time
  if (!status)
    status = pir_pass_manager_run(manager, program);
  pir_pass_manager_destroy(manager);
  return status;
}

// ---- groups

static size_t count_groups(const pir_program *program) {
  size_t count = 0;
  for (const pir_op *op = pir_group_next(program, NULL); op; op = pir_group_next(program, op))
    count++;
  return count;
}

static pir_status device_target(const pir_device *device, pir_target *out) {
  PIR_TRY(pir_target_get(pir_device_target(device), out));
  out->device_driver = pir_device_driver(device);
  return PIR_OK;
}

// Finds the target. Code compiled ahead may be for any target, because it never runs here.
static pir_status find_target(const pir_device *device, const char *name, bool ahead,
                              pir_target *out) {
  if (device)
    return device_target(device, out);
  return ahead ? pir_target_describe(name, out) : pir_target_get(name, out);
}

static pir_status create_compiler(const pir_model *model, pir_context *ctx,
                                  const pir_model_options *options, bool ahead,
                                  pir_compiler **out_compiler) {
  pir_compiler_options how = {
      .cache = options->cache, .threads = options->compile_threads, .ahead = ahead};
  pir_ignore(pir_math_named(options->math, &how.math));  // check_math reports an unknown name
  pir_status status = find_target(model->device, options->target, ahead, &how.target);
  if (!status && ahead && how.target.device)
    return pir_report(
        ctx, PIR_UNSUPPORTED, PIR_ERROR, PIR_LOC_UNKNOWN,
        "unsupported: code of a device compiled ahead, since it depends on the driver there");
  if (!status && how.target.device && !model->device)
    status = PIR_UNSUPPORTED;
  if (status)
    return pir_report(
        ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "target \"%s\" %s; known: %s", options->target,
        status == PIR_UNAVAILABLE ? "needs instructions this processor does not have"
                                  : "is not known",
        pir_target_names());
  return pir_compiler_create(ctx, &how, out_compiler);
}

// Compiles all groups; `codes` receives their numbers in program order.
static pir_status compile_groups(pir_model *model, const pir_program *program,
                                 const pir_facts *facts, size_t *codes) {
  pir_status status = PIR_OK;
  for (const pir_op *op = pir_group_next(program, NULL); op && !status;
       op = pir_group_next(program, op))
    status = pir_compiler_add(model->compiler, op, facts, codes++);
  return status ? status : pir_compiler_finish(model->compiler);
}

// ---- making

static void count_work(pir_model *model, const pir_program *program) {
  const plan *p = &model->plan;
  model->stats.ops = pir_block_count(pir_program_block(program));
  for (uint32_t i = 0; i < p->instr_count; i++) {
    model->stats.instructions += !p->instrs[i].once;
    model->stats.kernels_called += !p->instrs[i].once && p->instrs[i].kind == PLAN_CALL;
  }
  if (!model->compiler)
    return;
  model->stats.kernels_compiled = pir_compiler_kernels(model->compiler);
  model->stats.cache_hits = pir_compiler_cache_hits(model->compiler);
}

static pir_status lower(pir_model *model, pir_program *program, const pir_facts *facts,
                        const pir_model_options *options) {
  pir_context *ctx = pir_program_context(program);
  size_t groups = count_groups(program);
  pir_arena scratch = {.source = model->allocator};
  size_t *codes = pir_arena_zalloc(&scratch, groups * sizeof *codes);
  pir_status status = codes ? PIR_OK : PIR_EXHAUSTED;
  if (!status && groups)
    status = create_compiler(model, ctx, options, false, &model->compiler);
  if (!status && groups)
    status = compile_groups(model, program, facts, codes);
  if (!status)
    status =
        pir_plan_build(program, facts, model->compiler, codes, &model->allocator, &model->plan);
  pir_arena_destroy(&scratch);
  return status;
}

static pir_status check_math(pir_context *ctx, const pir_model_options *options) {
  pir_math math;
  pir_status status = pir_math_named(options->math, &math);
  if (!status)
    return PIR_OK;
  return pir_report(ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN,
                    "unsupported: math \"%s\"; known: %s", options->math, pir_math_names());
}

// `program` belongs to the model and may be changed.
static pir_status compile_model(pir_model *model, pir_program *program,
                                const pir_model_options *options) {
  pir_context *ctx = pir_program_context(program);
  pir_facts *facts = NULL;
  pir_message message = {{0}};
  pir_status status = check_math(ctx, options);
  if (status)
    return status;
  if (pir_device_is_kind(options->target))
    status = pir_model_open_device(model, options, &message);
  if (status)
    return pir_report(ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "%s", message.text);
  status = run_pipeline(ctx, program, options);
  if (!status)
    status = pir_facts_create(program, &facts);
  if (!status)
    status = lower(model, program, facts, options);
  if (!status) {
    count_work(model, program);
    if (model->device)
      status = pir_model_load_kernels(model, &message);
    if (!status)
      status = pir_weights_load(model, options->compile_threads, &message);
    if (message.text[0])
      status = pir_report(ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "%s", message.text);
  }
  pir_facts_destroy(facts);
  return status;
}

pir_model *pir_model_new(const pir_allocator *allocator) {
  pir_model *model = pir_mem_get(allocator, sizeof *model);
  if (!model)
    return NULL;
  *model = (pir_model){.allocator = *allocator, .plan.memory.source = *allocator};
  atomic_init(&model->holders, 1);
  return model;
}

static pir_status create_model(pir_program *program, const pir_model_options *options,
                               pir_model **out_model) {
  uint64_t start = pir_exec_now_ns();
  pir_model *model = pir_model_new(&options->allocator);
  if (!model)
    return PIR_EXHAUSTED;
  pir_status status = compile_model(model, program, options);
  model->stats.compile_ns = pir_exec_now_ns() - start;
  if (status)
    pir_model_release(model);
  else
    *out_model = model;
  return status;
}

// A program that was built, not loaded, has not been verified yet.
static pir_status check_given(const pir_program *program) {
  return pir_verify(pir_program_module(program), &(pir_verify_options){.untyped = true});
}

pir_status pir_model_create(const pir_program *program, const pir_model_options *given,
                            pir_model **out_model) {
  *out_model = NULL;
  if (!program)
    return PIR_INVALID;
  pir_model_options options = read_model_options(given);
  PIR_TRY(check_given(program));
  pir_program *clone = pir_program_clone(program);
  pir_status status = create_model(clone, &options, out_model);
  pir_program_destroy(clone);
  return status;
}

static pir_status compile_ahead(pir_model *model, pir_program *program,
                                const pir_model_options *options) {
  pir_facts *facts = NULL;
  pir_arena scratch = {.source = options->allocator};
  pir_status status = check_math(pir_program_context(program), options);
  if (!status)
    status = run_pipeline(pir_program_context(program), program, options);
  size_t *codes = pir_arena_zalloc(&scratch, count_groups(program) * sizeof *codes);
  if (!status && !codes)
    status = PIR_EXHAUSTED;
  if (!status)
    status =
        create_compiler(model, pir_program_context(program), options, true, &model->compiler);
  if (!status)
    status = pir_facts_create(program, &facts);
  if (!status)
    status = compile_groups(model, program, facts, codes);
  pir_compiler_destroy(model->compiler);
  pir_facts_destroy(facts);
  pir_arena_destroy(&scratch);
  return status;
}

pir_status pir_model_compile_ahead(const pir_program *program, const pir_model_options *given) {
  if (!program)
    return PIR_INVALID;
  pir_model_options options = read_model_options(given);
  if (!options.cache)
    return pir_report(pir_program_context(program), PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "code that is compiled ahead needs a cache to be put in");
  PIR_TRY(check_given(program));
  pir_program *clone = pir_program_clone(program);
  pir_status status =
      compile_ahead(&(pir_model){.allocator = options.allocator}, clone, &options);
  pir_program_destroy(clone);
  return status;
}

static pir_context *own_context(const pir_model_options *options) {
  pir_context_options how = {.size = sizeof how, .allocator = options->allocator};
  pir_context *ctx = pir_context_create(&how);
  pir_context_set_sink(ctx, options->sink);
  return ctx;
}

static pir_status load_dialects(pir_context *ctx, const pir_model_options *options) {
  PIR_TRY(pir_dialects_load_all(ctx));
  return options->custom_ops ? pir_custom_set_register(options->custom_ops, ctx) : PIR_OK;
}

static void give_back(pir_borrowed bytes) {
  if (bytes.release)
    bytes.release(bytes.user);
}

// These functions read a program with its parameters in their own context and compile it.

// Compiles the program that was read since `start` if `status` is PIR_OK, and releases it.
static pir_status create_loaded(pir_context *ctx, pir_program *program, pir_status status,
                                uint64_t start, const pir_model_options *options,
                                pir_model **out_model) {
  uint64_t loaded = pir_exec_now_ns();
  if (!status)
    status = create_model(program, options, out_model);
  if (!status)
    (*out_model)->stats.load_ns = loaded - start;
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return status;
}

static pir_status load_bytes(pir_borrowed bytes, pir_borrowed params,
                             const pir_model_options *options, pir_model **out_model) {
  pir_context *ctx = own_context(options);
  pir_program *program = NULL;
  uint64_t start = pir_exec_now_ns();
  pir_status status = load_dialects(ctx, options);
  if (status) {
    give_back(bytes);
    give_back(params);
  } else {
    status = pir_program_load(ctx, bytes, params, PIR_STR("memory"), &program);
  }
  return create_loaded(ctx, program, status, start, options, out_model);
}

static pir_status load_file(const char *path, const char *params,
                            const pir_model_options *options, char **out_params,
                            pir_model **out_model) {
  pir_context *ctx = own_context(options);
  pir_program *program = NULL;
  uint64_t start = pir_exec_now_ns();
  pir_status status = load_dialects(ctx, options);
  if (!status)
    status = pir_program_load_found(ctx, path, params, &program, out_params);
  return create_loaded(ctx, program, status, start, options, out_model);
}

// If no usable prepared model exists, the model is made from its files.
static pir_status load_prepared(const prepared *kept, const pir_model_options *options,
                                uint64_t start, pir_model **out_model) {
  pir_status status = pir_prepared_load(kept, options, out_model);
  if (!status)
    (*out_model)->stats.compile_ns = pir_exec_now_ns() - start;
  return status;
}

pir_status pir_model_load(pir_borrowed bytes, pir_borrowed params,
                          const pir_model_options *given, pir_model **out_model) {
  *out_model = NULL;
  uint64_t start = pir_exec_now_ns();
  pir_model_options options = read_model_options(given);
  prepared kept;
  pir_prepared_begin_bytes(&options, bytes, params, &kept);
  pir_status status = load_prepared(&kept, &options, start, out_model);
  if (status) {
    status = load_bytes(bytes, params, &options, out_model);
    if (!status)
      pir_prepared_save(&kept, *out_model, NULL);
  } else {
    give_back(bytes);
    give_back(params);
  }
  pir_prepared_release(&kept);
  return status;
}

pir_status pir_model_load_file(const char *path, const char *params,
                               const pir_model_options *given, pir_model **out_model) {
  *out_model = NULL;
  if (!path)
    return PIR_INVALID;
  uint64_t start = pir_exec_now_ns();
  pir_model_options options = read_model_options(given);
  prepared kept;
  char *found = NULL;
  pir_prepared_begin(&options, path, params, &kept);
  pir_status status = load_prepared(&kept, &options, start, out_model);
  if (status)
    status = load_file(path, params, &options, &found, out_model);
  if (!status && !(*out_model)->mapped.data)
    pir_prepared_save(&kept, *out_model, found);
  pir_prepared_release(&kept);
  free(found);
  return status;
}

void pir_model_retain(pir_model *model) {
  if (model)
    atomic_fetch_add(&model->holders, 1);
}

void pir_model_release(pir_model *model) {
  if (!model || atomic_fetch_sub(&model->holders, 1) != 1)
    return;
  pir_weights_release(model);
  pir_model_close_device(model);
  if (model->compiler)
    pir_compiler_destroy(model->compiler);
  pir_plan_release(&model->plan);
  if (model->mapped.data)
    munmap(model->mapped.data, model->mapped.bytes);
  pir_allocator allocator = model->allocator;
  pir_mem_give(&allocator, model, sizeof *model);
}

// ---- questions

static const pir_port no_port = {.name = {"", 0}, .dtype = PIR_UNDEFINED, .rank = -1};

size_t pir_model_inputs(const pir_model *model) {
  return model ? model->plan.input_count : 0;
}

pir_port pir_model_input(const pir_model *model, size_t i) {
  return i < pir_model_inputs(model) ? model->plan.inputs[i].port : no_port;
}

size_t pir_model_outputs(const pir_model *model) {
  return model ? model->plan.output_count : 0;
}

pir_port pir_model_output(const pir_model *model, size_t i) {
  return i < pir_model_outputs(model) ? model->plan.outputs[i].port : no_port;
}

pir_model_stats pir_model_stats_of(const pir_model *model) {
  return model ? model->stats : (pir_model_stats){0};
}
