// Runs a pipeline. Each pass gets its own rewriter. After each pass the program is verified and
// printed, if requested. The first failure ends the run.

#include <manager_impl.h>
#include <pass_list.h>

#include <rewriter_impl.h>
#include <report_progress.h>
#include <sized.h>

#include <pir/layer/pass_options.h>
#include <pir/compiler/rules.h>

#include <pir/compiler/text.h>
#include <pir/compiler/verify.h>
#include <pir/compiler/walk.h>

#include <string.h>
#include <time.h>

typedef struct create_call {
  pir_context *ctx;
  const pir_pass_options *options;
  pir_pass_manager *manager;
} create_call;

static pir_status create_manager(void *user) {
  create_call *call = user;
  pir_arena *arena = pir_context_arena(call->ctx);
  call->manager = pir_arena_zalloc(arena, sizeof *call->manager);
  call->manager->ctx = call->ctx;
  call->manager->arena = arena;
  return PIR_TAKE(call->ctx, pir_pass_options, &call->manager->options, call->options);
}

pir_pass_manager *pir_pass_manager_create(pir_context *ctx, const pir_pass_options *options) {
  create_call call = {ctx, options, NULL};
  if (!ctx)
    return NULL;
  return pir_context_enter(ctx, create_manager, &call) ? NULL : call.manager;
}

void pir_pass_manager_destroy(pir_pass_manager *manager) {
  if (!manager)
    return;
  for (size_t i = 0; i < manager->entries.count; i++) {
    manager_entry *entry = &manager->entries.items[i];
    pir_arena_free(manager->arena, entry->options,
                   entry->option_count * sizeof *entry->options);
  }
  pir_vec_free(manager->arena, &manager->entries);
  pir_vec_free(manager->arena, &manager->statistics);
  pir_vec_free(manager->arena, &manager->known);
  pir_arena_free(manager->arena, manager, sizeof *manager);
}

void pir_pass_manager_know(pir_pass_manager *manager, const pir_pass *pass) {
  pir_vec_push(manager->arena, &manager->known, pass);
}

bool pir_pass_manager_has(const pir_pass_manager *manager, const pir_pass *pass) {
  for (size_t i = 0; i < manager->entries.count; i++)
    if (manager->entries.items[i].pass == pass)
      return true;
  return false;
}

size_t pir_pass_manager_count(const pir_pass_manager *manager) {
  return manager->entries.count;
}

static pir_str keep_text(pir_context *ctx, pir_str text) {
  return pir_name_str(pir_name_get(ctx, text));
}

typedef struct add_call {
  pir_pass_manager *manager;
  const pir_pass *pass;
  const pir_pass_option *options;
  size_t count;
} add_call;

static pir_status add_entry(void *user) {
  const add_call *call = user;
  pir_pass_manager *manager = call->manager;
  PIR_TRY(manager_check_options(manager, call->pass, call->options, call->count));
  const pir_pass_option *options = call->options;
  manager_entry entry = {.pass = call->pass, .option_count = call->count};
  if (call->count)
    entry.options = pir_arena_alloc(manager->arena, call->count * sizeof *options);
  for (size_t i = 0; i < call->count; i++)
    entry.options[i] = (pir_pass_option){keep_text(manager->ctx, options[i].key),
                                         keep_text(manager->ctx, options[i].value)};
  pir_vec_push(manager->arena, &manager->entries, entry);
  return PIR_OK;
}

pir_status pir_pass_manager_add(pir_pass_manager *manager, const pir_pass *pass,
                                const pir_pass_option *options, size_t count) {
  if (!manager || !pass || (count && !options))
    return pir_refuse_null(manager ? manager->ctx : NULL, __func__);
  add_call call = {manager, pass, options, count};
  return pir_context_enter(manager->ctx, add_entry, &call);
}

// ---- what passes ask

void pir_run_count(pir_pass_run *run, const char *what, uint64_t n) {
  pir_pass_manager *manager = run->manager;
  statistic row = {manager->current, what, n, NULL};
  pir_vec_push(manager->arena, &manager->statistics, row);
}

bool pir_run_any_float(const pir_pass_run *run) {
  return ((const pir_pass_manager *)run->manager)->options.any_float;
}

const char *pir_run_target(const pir_pass_run *run) {
  const char *target = ((const pir_pass_manager *)run->manager)->options.target;
  return target ? target : "native";
}

enum { MOST_THREADS = 64 };

int pir_run_threads(const pir_pass_run *run) {
  size_t threads = ((const pir_pass_manager *)run->manager)->options.threads;
  return threads < MOST_THREADS ? (int)threads : MOST_THREADS;
}

void pir_run_allow_any_float(pir_pass_run *run) {
  ((pir_pass_manager *)run->manager)->options.any_float = true;
}

pir_facts *pir_run_facts(pir_pass_run *run) {
  return pir_rewriter_facts(run->rewriter);
}

pir_status pir_run_facts_status(const pir_pass_run *run) {
  return pir_rewriter_facts_status(run->rewriter);
}

// ---- the log

static bool has_log(const pir_pass_manager *manager) {
  return manager->options.log.write != NULL;
}

static void log_line(pir_pass_manager *manager, const char *format, ...) PIR_PRINTF(2, 3);

static void log_line(pir_pass_manager *manager, const char *format, ...) {
  if (!has_log(manager))
    return;
  char room[256];
  pir_strbuf buf;
  va_list args;
  va_start(args, format);
  pir_strbuf_init_writer(&buf, manager->options.log, room, sizeof room);
  pir_strbuf_vformat(&buf, format, args);
  pir_strbuf_char(&buf, '\n');
  va_end(args);
  pir_strbuf_flush(&buf);
}

static pir_status print_program(pir_pass_manager *manager, const pir_program *program,
                                const char *when, const char *pass) {
  if (!has_log(manager))
    return PIR_OK;
  log_line(manager, "// ----- %s %s", when, pass);
  return pir_program_print(program, NULL, manager->options.log);
}

static bool is_listed(const pir_pass_manager *manager, const char *const *names, size_t count,
                      const pir_pass *pass) {
  for (size_t i = 0; i < count; i++)
    if (pass_find_known(manager, pir_str_from(names[i])) == pass)
      return true;
  return false;
}

static pir_status check_listed(const pir_pass_manager *manager, const char *const *names,
                               size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!pass_find_known(manager, pir_str_from(names[i])))
      return pir_report(manager->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                        "unknown pass '%s' to print the program at%s", names[i],
                        pass_hint(manager, pir_str_from(names[i])).text);
  return PIR_OK;
}

pir_status pir_pass_manager_check_prints(const pir_pass_manager *manager) {
  const pir_pass_options *options = &manager->options;
  PIR_TRY(check_listed(manager, options->print_before, options->print_before_count));
  return check_listed(manager, options->print_after, options->print_after_count);
}

// ---- print-changed: what went is printed when it goes, what came is printed after the pass

typedef struct change_log {
  pir_pass_manager *manager;
  PIR_VEC(pir_op *) inserted;
  bool started;
  const char *pass;
} change_log;

static void print_change(change_log *log, const char *sign, const pir_op *op) {
  if (!log->started)
    log_line(log->manager, "// ----- changes of %s", log->pass);
  log->started = true;
  log->manager->options.log.write(log->manager->options.log.user, sign, 2);
  // The log is for people, so a writer that fails only truncates it.
  pir_status status = pir_op_print(op, NULL, log->manager->options.log);
  (void)status;
}

static void log_inserted(void *user, pir_op *op) {
  change_log *log = user;
  pir_vec_push(log->manager->arena, &log->inserted, op);
}

static void log_erased(void *user, pir_op *op) {
  change_log *log = user;
  for (size_t i = log->inserted.count; i-- > 0;)
    if (log->inserted.items[i] == op) {
      log->inserted.items[i] = pir_vec_pop(&log->inserted);
      return;
    }
  print_change(log, "- ", op);
}

static void finish_changes(change_log *log) {
  for (size_t i = 0; i < log->inserted.count; i++)
    print_change(log, "+ ", log->inserted.items[i]);
  pir_vec_free(log->manager->arena, &log->inserted);
}

// ---- rewrites

static void on_fired(void *user, const pir_pattern *pattern, pir_str op, pir_loc loc) {
  pir_pass_manager *manager = user;
  pir_loc_parts at = pir_loc_unpack(manager->ctx, loc);
  log_line(manager, "// %s%s%s: \"%.*s\" at %.*s:%u:%u", pattern->origin ? pattern->origin : "",
           pattern->origin ? " " : "", pattern->name, (int)op.size, op.data, (int)at.file.size,
           at.file.data, at.line, at.column);
}

static void on_refused(void *user, const char *rule, const char *origin, const pir_op *op,
                       const char *why) {
  pir_pass_manager *manager = user;
  pir_loc_parts at = pir_loc_unpack(manager->ctx, pir_op_loc(op));
  pir_str name = pir_op_name(op);
  log_line(manager, "// %s %s: not \"%.*s\" at %.*s:%u:%u: %s", origin, rule, (int)name.size,
           name.data, (int)at.file.size, at.file.data, at.line, at.column, why);
}

static void on_counted(void *user, const pir_pattern *pattern, uint64_t n) {
  pir_pass_manager *manager = user;
  statistic row = {manager->current, pattern->name, n, pattern->origin};
  if (pattern->origin)
    pir_vec_push(manager->arena, &manager->statistics, row);
}

// ---- running

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void drop_facts(pir_pass_manager *manager) {
  if (manager->facts)
    pir_facts_destroy(manager->facts);
  manager->facts = NULL;
}

static pir_status run_pass(pir_pass_manager *manager, manager_entry *entry,
                           pir_program *program) {
  pir_rewriter rewriter;
  pir_rewriter_init(&rewriter, program);
  bool by_rules = entry->pass->rules && !entry->pass->run;
  if (!by_rules)
    drop_facts(manager);
  rewriter.facts = manager->facts;
  manager->facts = NULL;
  rewriter.observer = manager;
  rewriter.counted = on_counted;
  if (manager->options.trace_rewrites)
    rewriter.fired = on_fired;
  if (manager->options.trace_refused)
    rewriter.refused = on_refused;
  change_log changes = {.manager = manager, .pass = entry->pass->name};
  pir_rewrite_listener listener = {
      .inserted = log_inserted, .erasing = log_erased, .user = &changes};
  bool show = manager->options.print_changed && has_log(manager);
  if (show)
    pir_rewriter_listen(&rewriter, &listener);
  pir_pass_run run = {.program = program,
                      .rewriter = &rewriter,
                      .options = entry->options,
                      .option_count = entry->option_count,
                      .manager = manager};
  double start = now();
  pir_status status =
      by_rules ? pir_rules_run(&run, entry->pass->rules, NULL, 0) : entry->pass->run(&run);
  entry->seconds += now() - start;
  if (!status)
    status = rewriter.failed;
  if (show)
    finish_changes(&changes);
  if (by_rules && !status)
    manager->facts = rewriter.facts;
  else
    pir_rewriter_drop_facts(&rewriter);
  return status;
}

static pir_status tell_instruments(const pir_pass_manager *manager, const pir_pass *pass,
                                   pir_program *program, bool before) {
  for (size_t i = 0; i < manager->options.instrument_count; i++) {
    const pir_pass_instrument *instrument = &manager->options.instruments[i];
    pir_status (*tell)(void *user, const pir_pass *pass, pir_program *program) =
        before ? instrument->before : instrument->after;
    if (tell)
      PIR_TRY(tell(instrument->user, pass, program));
  }
  return PIR_OK;
}

// Whether the pass takes an option `target` that the entry does not state.
static bool lacks_target(const manager_entry *entry) {
  bool takes = false;
  for (const pir_option_def *o = entry->pass->options; o && o->key; o++)
    takes |= !strcmp(o->key, "target");
  for (size_t k = 0; k < entry->option_count; k++)
    takes &= !pir_str_equal(entry->options[k].key, PIR_STR("target"));
  return takes;
}

// Writes the options of an entry; the target of the run, too, where it is the one that counts.
static void print_options(pir_strbuf *buf, const manager_entry *entry, const char *target) {
  size_t count = 0;
  for (size_t k = 0; k < entry->option_count; k++) {
    const pir_pass_option *o = &entry->options[k];
    pir_strbuf_format(buf, "%s%.*s", count++ ? "," : "{", (int)o->key.size, o->key.data);
    if (o->value.size)
      pir_strbuf_format(buf, "=%.*s", (int)o->value.size, o->value.data);
  }
  if (target && lacks_target(entry))
    pir_strbuf_format(buf, "%starget=%s", count++ ? "," : "{", target);
  if (count)
    pir_strbuf_char(buf, '}');
}

pir_status pir_pass_manager_print_rest(const pir_pass_manager *manager, pir_writer out) {
  if (!manager || !out.write)
    return pir_refuse_null(manager ? manager->ctx : NULL, __func__);
  char room[512];
  pir_strbuf buf;
  pir_strbuf_init_writer(&buf, out, room, sizeof room);
  for (size_t i = manager->current; i < manager->entries.count; i++) {
    const manager_entry *entry = &manager->entries.items[i];
    pir_strbuf_format(&buf, "%s%s", i > manager->current ? "," : "", entry->pass->name);
    print_options(&buf, entry, manager->options.target);
  }
  return pir_strbuf_flush(&buf) ? PIR_OK
                                : pir_report(manager->ctx, PIR_IO, PIR_ERROR, PIR_LOC_UNKNOWN,
                                             "the rest of the pipeline cannot be written");
}

static pir_status run_entry(pir_pass_manager *manager, size_t i, pir_program *program) {
  manager_entry *entry = &manager->entries.items[i];
  const pir_pass_options *options = &manager->options;
  const char *name = entry->pass->name;
  manager->current = i;
  pir_context_note_task(manager->ctx, "in pass ", pir_str_from(name));
  if (options->level_limit && entry->pass->level >= options->level_limit)
    return PIR_OK;
  if (is_listed(manager, options->print_before, options->print_before_count, entry->pass))
    PIR_TRY(print_program(manager, program, "before", name));
  PIR_TRY(tell_instruments(manager, entry->pass, program, true));
  PIR_TRY(run_pass(manager, entry, program));
  PIR_TRY(tell_instruments(manager, entry->pass, program, false));
  if (options->print_after_all ||
      is_listed(manager, options->print_after, options->print_after_count, entry->pass))
    PIR_TRY(print_program(manager, program, "after", name));
  if (!options->verify_each)
    return PIR_OK;
  pir_status status = pir_verify(
      pir_program_module(program),
      &(pir_verify_options){.size = sizeof(pir_verify_options), .errors_only = true});
  if (status)
    return pir_report(manager->ctx, status, PIR_NOTE, PIR_LOC_UNKNOWN,
                      "the program does not verify after %s", name);
  return PIR_OK;
}

static void log_timing(pir_pass_manager *manager) {
  double total = 0;
  log_line(manager, "// ----- timing");
  for (size_t i = 0; i < manager->entries.count; i++) {
    log_line(manager, "%.3f ms  %s", manager->entries.items[i].seconds * 1e3,
             manager->entries.items[i].pass->name);
    total += manager->entries.items[i].seconds;
  }
  log_line(manager, "%.3f ms  total", total * 1e3);
}

static void log_timing_json(pir_pass_manager *manager) {
  pir_strbuf line;
  double total = 0;
  pir_strbuf_init(&line, pir_context_arena(manager->ctx));
  pir_strbuf_lit(&line, "{\"passes\":[");
  for (size_t i = 0; i < manager->entries.count; i++) {
    double ms = manager->entries.items[i].seconds * 1e3;
    pir_strbuf_format(&line, "%s{\"name\":\"%s\",\"ms\":%.3f}", i ? "," : "",
                      manager->entries.items[i].pass->name, ms);
    total += ms;
  }
  pir_strbuf_format(&line, "],\"total_ms\":%.3f}", total);
  pir_str text = pir_strbuf_view(&line);
  log_line(manager, "%.*s", (int)text.size, text.data);
  pir_strbuf_free(&line);
}

static void log_statistics(pir_pass_manager *manager) {
  log_line(manager, "// ----- statistics");
  for (size_t i = 0; i < manager->statistics.count; i++) {
    statistic *row = &manager->statistics.items[i];
    log_line(manager, "%s: %llu %s%s%s%s", manager->entries.items[row->entry].pass->name,
             (unsigned long long)row->n, row->what, row->origin ? " (" : "",
             row->origin ? row->origin : "", row->origin ? ")" : "");
  }
}

typedef struct run_call {
  pir_pass_manager *manager;
  pir_program *program;
} run_call;

static pir_status run_all(void *user) {
  pir_pass_manager *manager = ((const run_call *)user)->manager;
  pir_program *program = ((const run_call *)user)->program;
  const pir_pass_options *options = &manager->options;
  pir_status status = PIR_OK;
  PIR_TRY(pir_pass_manager_check_prints(manager));
  manager->statistics.count = 0;
  drop_facts(manager);  // the facts of a run that ended early
  size_t count = manager->entries.count;
  pir_progress_sink watcher = pir_context_progress(manager->ctx);
  for (size_t i = 0; i < count && !status; i++) {
    pir_progress_report(watcher, PIR_STAGE_PASSES, manager->entries.items[i].pass->name, i,
                        count);
    manager->entries.items[i].seconds = 0;
    status = run_entry(manager, i, program);
  }
  if (count && !status)
    pir_progress_report(watcher, PIR_STAGE_PASSES, NULL, count, count);
  drop_facts(manager);
  if (options->timing)
    log_timing(manager);
  if (options->timing_json)
    log_timing_json(manager);
  if (options->stats)
    log_statistics(manager);
  return status;
}

// Tells the context of the argument that is there.
static pir_status refuse_absent(const pir_pass_manager *manager, const pir_program *program) {
  if (program)
    return pir_refuse_null(pir_program_context(program), "pir_pass_manager_run");
  return pir_refuse_null(manager ? manager->ctx : NULL, "pir_pass_manager_run");
}

pir_status pir_pass_manager_run(pir_pass_manager *manager, pir_program *program) {
  if (!manager || !program)
    return refuse_absent(manager, program);
  run_call call = {manager, program};
  return pir_context_enter(manager->ctx, run_all, &call);
}
