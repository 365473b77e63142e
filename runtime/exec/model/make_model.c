// Makes models of programs: runs the pipeline over a clone of the program, compiles its groups,
// builds the plan, loads the weights. The finished model needs neither the program nor its
// context.
#include "prepared.h"
#include "custom_impl.h"
#include <pir/compiler/code_listener.h>
#include <extension.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>
#include <pir/compiler/pass.h>
#include <pir/compiler/pass_library.h>
#include <pir/compiler/verify.h>
#include <pir/layer/machine_record.h>
#include <pir/layer/pipeline.h>
#include <pir/layer/tuning.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A model takes minutes at most; one that takes an hour will take for ever.
#define MOST_LOAD_NS ((uint64_t)3600 * 1000000000)

// Tells the sink of the options, or else the sink of the context, which may be NULL.
static pir_status refuse_model(pir_status status, const pir_model_options *given,
                               pir_context *ctx, const char *why) {
  if ((given && given->sink.report) || !ctx)
    return given ? pir_exec_tell(given->sink, PIR_ERROR, status, why) : status;
  return pir_report(ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "%s", why);
}

static pir_status read_model_options(const pir_model_options *given, pir_context *ctx,
                                     pir_model_options *out) {
  sized_text why;
  pir_status status = pir_model_options_read(given, out, &why);
  return status ? refuse_model(status, given, ctx, why.text) : PIR_OK;
}

static pir_status run_pipeline(pir_context *ctx, pir_program *program, const pir_target *target,
                               const pir_model_options *options) {
  // Groups for processors are chosen for this one, whichever the code is for.
  pir_pass_options how = {.size = sizeof how,
                          .any_float = options->any_float,
                          .target = target->device ? target->name : NULL,
                          .threads = (size_t)options->compile_threads};
  const char *text =
      pir_codegen_pipeline(options->pipeline, target, options->math, options->replaceable);
  pir_pass_manager *manager = pir_pass_manager_create(ctx, &how);
  pir_status status = pir_pass_manager_parse(manager, pir_str_from(text));
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
  PIR_TRY(pir_target_of_device(pir_device_target(device), out));
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

// Compiles all groups; `codes` receives their numbers in program order.
static pir_status compile_groups(pir_model *model, const pir_program *program,
                                 const pir_facts *facts, size_t *codes) {
  pir_status status = PIR_OK;
  for (const pir_op *op = pir_group_next(program, NULL); op && !status;
       op = pir_group_next(program, op)) {
    pir_context_note_place(pir_op_context(op), pir_op_loc(op));
    status = pir_compiler_add(model->compiler, op, facts, codes++);
  }
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
  model->stats.code_bytes = pir_compiler_code_bytes(model->compiler);
}

// A model that is being made, and the objects to release if that ends early.
typedef struct making {
  pir_model *model;
  pir_program *program;  // the model's own, which passes change
  const pir_model_options *options;
  bool keep;                // the objects of compiled code
  bool elsewhere;           // the model is for another processor
  const pir_tuning *trial;  // of tuning: instead of the record of the cache folder; or NULL
  pir_tuning *tuning;       // the record of the cache folder; or NULL
  pir_target target;        // of all code; empty: none can be made for this processor
  pir_facts *facts;
  pir_arena scratch;
} making;

static void drop_program(making *m) {
  pir_facts_destroy(m->facts);
  pir_program_destroy(m->program);
  m->facts = NULL;
  m->program = NULL;
}

static void drop_making(void *user) {
  making *m = user;
  pir_arena_destroy(&m->scratch);
  pir_model_release(m->model);
  drop_program(m);
  pir_tuning_destroy(m->tuning);
}

// The record of tuned choices that the compiler goes by; NULL: there is none.
static const pir_tuning *find_tuning(making *m, const pir_target *target) {
  if (m->trial)
    return m->trial;
  m->tuning = m->options->cache ? pir_tuning_create() : NULL;
  if (m->tuning && pir_tuning_load(m->tuning, m->options->cache, target))
    return m->tuning;
  return NULL;
}

// The costs of the target, which live as long as the compiler.
static void use_costs(pir_model *model, pir_target *target, pir_machine_record *machine) {
  pir_message name;
  pir_arena memory;
  pir_target_use_record(target, machine);
  if (machine) {
    pir_machine_record_retain(machine);
    model->machine = machine;
    model->drop_machine = pir_machine_record_release;
  }
  pir_arena_init(&memory, &model->heap);
  pir_target_name_costs(target, &name);
  model->metadata.info.machine = pir_arena_text(&memory, pir_str_from(name.text));
}

static pir_status refuse_target(pir_context *ctx, const char *name, pir_status why) {
  return pir_report(ctx, why, PIR_ERROR, PIR_LOC_UNKNOWN, "target \"%s\" %s; known: %s", name,
                    why == PIR_UNAVAILABLE ? "needs instructions this processor does not have"
                                           : "is not known",
                    pir_target_names());
}

// Finds the target of the model.
static pir_status choose_target(making *m, pir_context *ctx, bool ahead) {
  const pir_model_options *options = m->options;
  pir_model *model = m->model;
  pir_target *target = &m->target;
  pir_status status = find_target(model->device, options->target, ahead, target);
  if (status == PIR_UNSUPPORTED && model->device)
    return pir_report(ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "unsupported: the device is of architecture %s; known: %s",
                      pir_device_target(model->device), pir_target_names());
  if (!status && ahead && target->device)
    return pir_report(
        ctx, PIR_UNSUPPORTED, PIR_ERROR, PIR_LOC_UNKNOWN,
        "unsupported: code of a device compiled ahead, since it depends on the driver there");
  if (!status && target->device && !model->device)
    return pir_report(ctx, PIR_UNSUPPORTED, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "target \"%s\" is an architecture, for which code can only be written; "
                      "to run on such a device, name its kind: %s",
                      options->target, target->device);
  // Kernels run on every processor, also on those for which no code is made.
  if (status == PIR_UNAVAILABLE && !strcmp(options->target, "native"))
    return PIR_OK;
  return status ? refuse_target(ctx, options->target, status) : PIR_OK;
}

static pir_status create_compiler(making *m, pir_context *ctx, bool ahead) {
  const pir_model_options *options = m->options;
  pir_model *model = m->model;
  pir_compiler_options how = {.cache = options->cache,
                              .threads = options->compile_threads,
                              .ahead = ahead,
                              .keep = m->keep};
  how.in_process = options->compiler && !strcmp(options->compiler, "process");
  pir_ignore(pir_math_named(options->math, &how.math));  // check_math reports an unknown name
  how.target = m->target;
  if (!how.target.machine)
    return refuse_target(ctx, options->target, PIR_UNAVAILABLE);
  use_costs(model, &how.target, pir_context_machine(ctx));
  how.target.tuning = find_tuning(m, &how.target);
  model->drop_compiler = pir_compiler_destroy;
  return pir_compiler_create(ctx, &how, &model->compiler);
}

static size_t *allocate_codes(making *m, size_t groups) {
  return pir_arena_zalloc(&m->scratch, pir_arena_size(&m->scratch, groups, sizeof(size_t)));
}

static pir_status lower(making *m) {
  pir_model *model = m->model;
  size_t groups = count_groups(m->program);
  size_t *codes = allocate_codes(m, groups);
  if (groups) {
    pir_context *ctx = pir_program_context(m->program);
    PIR_TRY(create_compiler(m, ctx, m->elsewhere));
    PIR_TRY(compile_groups(model, m->program, m->facts, codes));
  }
  PIR_TRY(pir_refit_resume(model, m->program));
  return pir_plan_build(m->program, m->facts, model->compiler, codes, &model->heap,
                        &model->plan);
}

static pir_status check_math(pir_context *ctx, const pir_model_options *options) {
  pir_math math;
  pir_status status = pir_math_named(options->math, &math);
  if (!status)
    return PIR_OK;
  return pir_report(ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN,
                    "unsupported: math \"%s\"; known: %s", options->math, pir_math_names());
}

static pir_status check_compiler_place(pir_context *ctx, const pir_model_options *options) {
  const char *place = options->compiler;
  if (!place || !strcmp(place, "server") || !strcmp(place, "process"))
    return PIR_OK;
  return pir_report(ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                    "compiler \"%s\" is not known; known: server, process", place);
}

static pir_status load_constants(making *m, pir_message *message) {
  pir_refit_note(m->model);
  if (m->elsewhere) {
    pir_weights_lend(m->model);
    return PIR_OK;
  }
  if (m->model->device)
    PIR_TRY(pir_model_load_kernels(m->model, message));
  PIR_TRY(pir_weights_take(m->model, message));
  drop_program(m);
  return pir_weights_load(m->model, m->options->compile_threads, message);
}

static pir_status compile_model(void *user) {
  making *m = user;
  pir_context *ctx = pir_program_context(m->program);
  pir_message message = {{0}};
  pir_status status = PIR_OK;
  PIR_TRY(check_math(ctx, m->options));
  PIR_TRY(check_compiler_place(ctx, m->options));
  if (pir_device_is_kind(m->options->target))
    status = pir_model_open_device(m->model, m->options, &message);
  if (status)
    return pir_report(ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "%s", message.text);
  PIR_TRY(choose_target(m, ctx, m->elsewhere));
  pir_model_describe(m->model, m->program);
  PIR_TRY(pir_model_show(m->program, m->options));
  PIR_TRY(pir_refit_begin(m->model, m->program, m->options));
  PIR_TRY(run_pipeline(ctx, m->program, &m->target, m->options));
  pir_context_note_task(ctx, "compiling", PIR_STR(""));
  PIR_TRY(pir_facts_create(m->program, &m->facts));
  PIR_TRY(lower(m));
  pir_context_note_task(ctx, "loading weights", PIR_STR(""));
  count_work(m->model, m->program);
  status = load_constants(m, &message);
  if (message.text[0])
    status = pir_report(ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "%s", message.text);
  return status;
}

// Creates an empty model that runs out of memory, ends and reports as the context does.
static pir_model *model_in(const pir_allocator *allocator, pir_context *ctx) {
  pir_model *model = pir_model_new(allocator);
  if (!model)
    return NULL;
  pir_heap *heap = pir_context_heap(ctx);
  model->watch = &heap->watch;
  model->heap.outer = heap;
  model->max_bytes = pir_context_limits(ctx)->max_bytes;
  model->progress = pir_context_progress(ctx);
  return model;
}

// Makes a model by `body`, with memory that may run out. Destroys the program.
static pir_status create_model(pir_program *program, const pir_model_options *options,
                               const pir_tuning *trial, pir_status (*body)(void *making),
                               pir_model **out_model) {
  uint64_t start = pir_exec_now_ns();
  pir_context *ctx = pir_program_context(program);
  making m = {.model = model_in(&options->allocator, ctx),
              .program = program,
              .options = options,
              .trial = trial};
  pir_heap *heap = pir_context_heap(ctx);
  pir_guard guard;
  pir_arena_init(&m.scratch, heap);
  pir_guard_open(heap, &guard, drop_making, &m);
  pir_status status =
      m.model ? pir_context_enter(ctx, body, &m)
              : pir_report(ctx, PIR_EXHAUSTED, PIR_ERROR, PIR_LOC_UNKNOWN, "out of memory");
  pir_guard_close(&guard);
  if (!status) {
    pir_model_finish(m.model);
    m.model->stats.compile_ns = pir_exec_now_ns() - start;
    if (options->custom_ops) {
      pir_custom_set_hold(options->custom_ops);
      m.model->custom = options->custom_ops;
      m.model->drop_custom = pir_custom_set_destroy;
    }
    *out_model = m.model;
    m.model = NULL;
  }
  drop_making(&m);
  return status;
}

static void watch_load(pir_context *ctx, const pir_stop *stop) {
  pir_watch watch = pir_watch_begin(stop, MOST_LOAD_NS);
  pir_heap_watch(pir_context_heap(ctx), &watch);
}

// Makes a model of a clone of the program, in the caller's context. The context's own stop
// and receiver of progress hold where the options state none, and again afterwards.
static pir_status create_of_clone(const pir_program *program, const pir_model_options *options,
                                  pir_status (*body)(void *making), pir_model **out_model) {
  pir_context *ctx = pir_program_context(program);
  pir_heap *heap = pir_context_heap(ctx);
  pir_watch before = heap->watch;
  bool watched = heap->watched;
  pir_progress_sink progress = pir_context_progress(ctx);
  if (!watched || options->stop.cancel || options->stop.max_ns)
    watch_load(ctx, &options->stop);
  if (options->progress.report)
    pir_context_set_progress(ctx, options->progress);
  pir_machine_record *machine;
  pir_status status = pir_model_find_costs(options, ctx, &machine);
  pir_context_keep_machine(ctx, machine);
  pir_program *clone = status ? NULL : pir_program_clone(program);
  if (!status)
    status = clone ? create_model(clone, options, NULL, body, out_model) : heap->failure;
  pir_context_keep_machine(ctx, NULL);
  pir_machine_record_release(machine);
  pir_context_set_progress(ctx, progress);
  pir_heap_watch(heap, watched ? &before : NULL);
  return status;
}

// A program that was built, not loaded, has not been verified yet.
static pir_status check_given(const pir_program *program) {
  return pir_verify(pir_program_module(program),
                    &(pir_verify_options){.size = sizeof(pir_verify_options), .untyped = true});
}

pir_status pir_model_create(const pir_program *program, const pir_model_options *given,
                            pir_model **out_model) {
  pir_model_options options;
  if (out_model)
    *out_model = NULL;
  if (!program || !out_model)
    return refuse_model(PIR_INVALID, given, program ? pir_program_context(program) : NULL,
                        "pir_model_create: an argument is NULL");
  PIR_TRY(read_model_options(given, pir_program_context(program), &options));
  PIR_TRY(check_given(program));
  return create_of_clone(program, &options, compile_model, out_model);
}

static pir_status compile_kept(void *user) {
  making *m = user;
  m->keep = true;
  return compile_model(user);
}

static pir_status compile_elsewhere(void *user) {
  making *m = user;
  m->elsewhere = true;
  return compile_kept(user);
}

pir_status pir_model_make_kept(const pir_program *program, const pir_model_options *options,
                               bool elsewhere, pir_model **out_model) {
  PIR_TRY(check_given(program));
  return create_of_clone(program, options, elsewhere ? compile_elsewhere : compile_kept,
                         out_model);
}

static pir_status compile_ahead(void *user) {
  making *m = user;
  pir_context *ctx = pir_program_context(m->program);
  PIR_TRY(check_math(ctx, m->options));
  PIR_TRY(check_compiler_place(ctx, m->options));
  PIR_TRY(choose_target(m, ctx, true));
  PIR_TRY(run_pipeline(ctx, m->program, &m->target, m->options));
  PIR_TRY(create_compiler(m, ctx, true));
  PIR_TRY(pir_facts_create(m->program, &m->facts));
  return compile_groups(m->model, m->program, m->facts,
                        allocate_codes(m, count_groups(m->program)));
}

pir_status pir_model_compile_ahead(const pir_program *program, const pir_model_options *given) {
  pir_model_options options;
  if (!program)
    return refuse_model(PIR_INVALID, given, NULL,
                        "pir_model_compile_ahead: an argument is NULL");
  PIR_TRY(read_model_options(given, pir_program_context(program), &options));
  if (!options.cache)
    return pir_report(pir_program_context(program), PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "code that is compiled ahead needs a cache to be put in");
  PIR_TRY(check_given(program));
  // The machine that runs the code has to make the same loops to find it.
  options.machine = "table";
  (void)pir_machine_keep_table(options.cache);  // else no code is kept there, either
  pir_model *model = NULL;
  pir_status status = create_of_clone(program, &options, compile_ahead, &model);
  pir_model_release(model);
  return status;
}

// A context with the ops of libpir and of the options; NULL with a status when there is none.
typedef struct own_context {
  pir_context *ctx;
  const pir_model_options *options;
} own_context;

static pir_status load_dialects(void *user) {
  const own_context *own = user;
  const pir_model_options *options = own->options;
  if (options->passes)
    pir_pass_set_register(options->passes, own->ctx);
  if (options->code_listener)
    PIR_TRY(pir_context_listen_code(own->ctx, options->code_listener));
  PIR_TRY(pir_dialects_load_all(own->ctx));
  return options->custom_ops ? pir_custom_set_register(options->custom_ops, own->ctx) : PIR_OK;
}

static pir_status create_context(const pir_model_options *options, pir_machine_record *machine,
                                 pir_context **out_ctx) {
  pir_context_options how = {.size = sizeof how,
                             .allocator = options->allocator,
                             .sink = options->sink,
                             .limits = options->limits,
                             .log_level = options->log_level};
  own_context own = {pir_context_create(&how), options};
  *out_ctx = NULL;
  if (!own.ctx)
    return PIR_EXHAUSTED;
  pir_context_keep_machine(own.ctx, machine);
  watch_load(own.ctx, &options->stop);
  pir_context_set_progress(own.ctx, options->progress);
  pir_status status = pir_context_enter(own.ctx, load_dialects, &own);
  if (status)
    pir_context_destroy(own.ctx);
  else
    *out_ctx = own.ctx;
  return status;
}

// These functions read a program with its parameters in their own context and compile it.

// Compiles the program that was read since `start`, and ends its context.
static pir_status create_loaded(pir_context *ctx, pir_program *program, uint64_t start,
                                const pir_model_options *options, const pir_tuning *trial,
                                pir_model **out_model) {
  uint64_t loaded = pir_exec_now_ns();
  pir_status status = create_model(program, options, trial, compile_model, out_model);
  if (!status)
    (*out_model)->stats.load_ns = loaded - start;
  pir_context_destroy(ctx);
  return status;
}

static pir_status load_bytes(pir_borrowed bytes, pir_borrowed params,
                             const pir_model_options *options, pir_machine_record *machine,
                             pir_model **out_model) {
  pir_context *ctx;
  pir_program *program = NULL;
  uint64_t start = pir_exec_now_ns();
  pir_status status = create_context(options, machine, &ctx);
  if (status) {
    pir_borrowed_release(bytes);
    pir_borrowed_release(params);
    return status;
  }
  status = pir_program_load(ctx, bytes, params, PIR_STR("memory"), &program);
  if (!status)
    return create_loaded(ctx, program, start, options, NULL, out_model);
  pir_context_destroy(ctx);
  return status;
}

static pir_status load_file(const char *path, const char *params,
                            const pir_model_options *options, pir_machine_record *machine,
                            const pir_tuning *trial, char **out_params, pir_model **out_model) {
  pir_context *ctx;
  pir_program *program = NULL;
  uint64_t start = pir_exec_now_ns();
  PIR_TRY(create_context(options, machine, &ctx));
  pir_status status = pir_program_load_found(ctx, path, params, &program, out_params);
  if (!status)
    return create_loaded(ctx, program, start, options, trial, out_model);
  pir_context_destroy(ctx);
  return status;
}

pir_status pir_model_load_trial(const char *path, const char *params,
                                const pir_model_options *options, const pir_tuning *trial,
                                pir_model **out_model) {
  char *found = NULL;
  pir_machine_record *machine;
  *out_model = NULL;
  PIR_TRY(pir_model_find_costs(options, NULL, &machine));
  pir_status status = load_file(path, params, options, machine, trial, &found, out_model);
  pir_machine_record_release(machine);
  free(found);
  return status;
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
  uint64_t start = pir_exec_now_ns();
  pir_model_options options;
  pir_machine_record *machine = NULL;
  pir_status status = PIR_INVALID;
  if (out_model)
    *out_model = NULL;
  if (bytes.data && out_model) {
    status = read_model_options(given, NULL, &options);
    if (!status)
      status = pir_model_find_costs(&options, NULL, &machine);
  } else
    status = refuse_model(status, given, NULL, "pir_model_load: an argument is NULL");
  if (status) {
    pir_borrowed_release(bytes);
    pir_borrowed_release(params);
    return status;
  }
  prepared kept;
  pir_prepared_begin_bytes(&options, machine, bytes, params, &kept);
  status = load_prepared(&kept, &options, start, out_model);
  if (status) {
    status = load_bytes(bytes, params, &options, machine, out_model);
    if (!status)
      pir_prepared_save(&kept, *out_model, NULL);
  } else {
    pir_borrowed_release(bytes);
    pir_borrowed_release(params);
  }
  pir_prepared_release(&kept);
  pir_machine_record_release(machine);
  return status;
}

pir_status pir_model_load_file(const char *path, const char *params,
                               const pir_model_options *given, pir_model **out_model) {
  uint64_t start = pir_exec_now_ns();
  pir_model_options options;
  if (out_model)
    *out_model = NULL;
  if (!path || !out_model)
    return refuse_model(PIR_INVALID, given, NULL, "pir_model_load_file: an argument is NULL");
  PIR_TRY(read_model_options(given, NULL, &options));
  pir_machine_record *machine;
  PIR_TRY(pir_model_find_costs(&options, NULL, &machine));
  prepared kept;
  char *found = NULL;
  pir_prepared_begin(&options, machine, path, params, &kept);
  pir_status status = load_prepared(&kept, &options, start, out_model);
  if (status)
    status = load_file(path, params, &options, machine, NULL, &found, out_model);
  if (!status && !(*out_model)->mapped.data)
    pir_prepared_save(&kept, *out_model, found);
  pir_prepared_release(&kept);
  pir_machine_record_release(machine);
  free(found);
  return status;
}
