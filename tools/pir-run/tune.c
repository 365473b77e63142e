// pir-run --tune: times choices of code on this machine (docs/explain/contractions.md#tuning).
#include "run.h"
#include "samples.h"
#include <pir/engine/tune.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tune_report {
  run_samples
      ratios;  // for each class: time of the choice before, over the time of the fastest
  bool prints;
} tune_report;

static void take_outcome(void *user, const pir_tuned_class *outcome) {
  tune_report *t = user;
  double before = (double)outcome->before_ns, after = (double)outcome->after_ns;
  if (after > 0)
    (void)run_add_sample(&t->ratios, before / after);
  if (t->prints && strcmp(outcome->before, outcome->after))
    printf("%s\n  %9.1f us  %s\n  %9.1f us  %s\n", outcome->of_class, before * 1e-3,
           outcome->before, after * 1e-3, outcome->after);
}

static void print_json(const pir_tune_report *all, double median, double most) {
  printf("{\"classes\":%zu,\"changed\":%zu,\"rounds\":%zu,\"before_ms\":%.4f,"
         "\"after_ms\":%.4f,\"median\":%.3f,\"p90\":%.3f,\"cut\":%s}\n",
         all->classes, all->changed, all->rounds, (double)all->before_ns * 1e-6,
         (double)all->after_ns * 1e-6, median, most, all->is_cut ? "true" : "false");
}

static void print_report(const pir_tune_report *all, double median, double most) {
  printf("%zu classes of contractions, %zu with another choice, %zu rounds\n", all->classes,
         all->changed, all->rounds);
  printf("a run: %.3f ms before, %.3f ms after\n", (double)all->before_ns * 1e-6,
         (double)all->after_ns * 1e-6);
  printf("time of the choice before over that of the fastest: median %.3f, 90 %% within %.3f\n",
         median, most);
  if (all->is_cut)
    printf("not all candidates were tried in this time\n");
}

static pir_tensor *collect_inputs(const run *r, size_t count) {
  pir_tensor *inputs = calloc(count + 1, sizeof *inputs);
  for (size_t i = 0; inputs && i < count; i++)
    inputs[i] = r->inputs[i].tensor;
  return inputs;
}

int run_tune(run *r, const char *path, const char *params, const pir_model_options *how) {
  const char *text = cli_value(r->cli, OPT_TUNE, NULL);
  size_t count = pir_model_inputs(r->model);
  tune_report t = {.prints = !r->json};
  pir_tune_options options = {.size = sizeof options,
                              .threads = r->threads,
                              .found = take_outcome,
                              .user = &t,
                              .progress = cli_progress(r->cli)};
  pir_tune_report report = {.size = sizeof report};
  double seconds = text && *text ? strtod(text, NULL) : 0;
  options.max_ns = (uint64_t)(seconds * 1e9);
  pir_tensor *inputs = collect_inputs(r, count);
  if (!inputs)
    return CLI_LIMIT;
  pir_model_options quiet = *how;
  quiet.progress = (pir_progress_sink){0};  // of each of many models
  pir_status status = pir_model_tune(path, params, &quiet, inputs, count, &options, &report);
  cli_progress_erase();
  run_sort_samples(&t.ratios);
  if (!status)
    (r->json ? print_json : print_report)(&report, run_quantile(&t.ratios, 0.5),
                                          run_quantile(&t.ratios, 0.9));
  free(inputs);
  free(t.ratios.values);
  return cli_exit_code(status);
}
