// Recorded training: a folder with init/<state>.npy, step<k>/<input>.npy, losses.npy and
// final/<state>.npy. expose_state_pass turns each state of the program into an input and an
// output of one name; after every step the outputs are fed back. Losses are the outputs that
// are not states, step by step.
#include "fit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PATH 4096

// The names are the program's: one that leads out of the folder is refused.
static int name_file(const run *r, const char *folder, pir_str name, char path[MAX_PATH]) {
  if (!pir_is_file_name(name))
    return cli_fail(r->cli, CLI_INVALID, "\"%.*s\" is no file name inside a folder",
                    (int)name.size, name.data);
  int n = snprintf(path, MAX_PATH, "%s/%s.npy", folder, name.data);
  return n < MAX_PATH ? 0 : cli_fail(r->cli, CLI_INVALID, "%s: the path is too long", folder);
}

static int read_single_array(const run *r, const char *path, pir_npy_array *out) {
  pir_npy_set set;
  int code = run_read_arrays(r->cli, path, &set);
  if (code)
    return code;
  if (set.count != 1) {
    pir_npy_set_release(&set);
    return cli_fail(r->cli, CLI_INVALID, "%s has not one array", path);
  }
  *out = set.arrays[0];
  free(set.arrays);
  return 0;
}

// Reads the inputs that the folder contains.
static int feed_from(run *r, const char *folder) {
  char path[MAX_PATH];
  int code = 0;
  for (size_t i = 0; i < pir_model_inputs(r->model) && !code; i++) {
    code = name_file(r, folder, input_port(r->model, i).name, path);
    if (code || access(path, R_OK))
      continue;
    run_drop_input(&r->inputs[i]);
    code = read_single_array(r, path, &r->inputs[i]);
  }
  return code;
}

static long state_of(const run *r, size_t output) {
  pir_str name = output_port(r->model, output).name;
  return run_input_index(r, name.data, name.size);
}

// Feeds the state outputs back as inputs.
static int carry_state(run *r) {
  for (size_t i = 0; i < pir_model_outputs(r->model); i++) {
    long input = state_of(r, i);
    pir_tensor now;
    if (input < 0 || pir_session_output(r->session, i, &now))
      continue;
    if (pir_tensor_copy(&now, &r->inputs[input].tensor))
      return cli_fail(r->cli, CLI_INVALID, "state \"%s\" changed its shape",
                      output_port(r->model, i).name.data);
  }
  return 0;
}

static int compare_losses(run *r, const pir_tensor *losses, int64_t step) {
  int code = 0;
  for (size_t i = 0; i < pir_model_outputs(r->model); i++) {
    if (state_of(r, i) >= 0 || run_ignores(r, i))
      continue;
    char label[64];
    snprintf(label, sizeof label, "step %lld: ", (long long)step);
    pir_tensor want = *losses;
    want.rank = output_port(r->model, i).rank;
    if (want.rank > 1)
      return cli_fail(r->cli, CLI_INVALID, "the loss is not one number");
    want.shape[0] = 1;
    want.data = (char *)losses->data +
                step * losses->strides[0] * (int64_t)pir_dtype_size(losses->dtype);
    if (!run_compare(r, i, &want, label, false))
      code = CLI_DIFFERENT;
  }
  return code;
}

static int compare_final(run *r, const char *folder) {
  char path[MAX_PATH], label[300];
  int code = 0;
  for (size_t i = 0; i < pir_model_outputs(r->model); i++) {
    pir_npy_array want;
    pir_str name = output_port(r->model, i).name;
    if (state_of(r, i) < 0 || run_ignores(r, i))
      continue;
    snprintf(label, sizeof label, "%.256s: ", name.data);
    int one = name_file(r, folder, name, path);
    if (!one)
      one = read_single_array(r, path, &want);
    if (one)
      return one;
    if (!run_compare(r, i, &want.tensor, label, true))
      code = CLI_DIFFERENT;
    run_drop_input(&want);
  }
  return code;
}

int run_train(run *r, const char *folder) {
  char path[MAX_PATH];
  pir_npy_array losses = {0};
  snprintf(path, sizeof path, "%s/init", folder);
  int code = feed_from(r, path);
  if (!code)
    code = name_file(r, folder, PIR_STR("losses"), path);
  if (!code)
    code = read_single_array(r, path, &losses);
  if (!code && losses.tensor.rank != 1)
    code = cli_fail(r->cli, CLI_INVALID, "%s/losses.npy has not one axis", folder);
  int64_t steps = code ? 0 : losses.tensor.shape[0];
  bool differs = false;
  for (int64_t step = 0; step < steps && !code; step++) {
    snprintf(path, sizeof path, "%s/step%lld", folder, (long long)step);
    cli_stage(r->cli, "steps", NULL, (uint64_t)step, (uint64_t)steps);
    code = feed_from(r, path);
    if (!code)
      code = run_bind(r, NULL);
    if (!code)
      code = run_once(r);
    cli_progress_erase();
    if (!code)
      differs |= compare_losses(r, &losses.tensor, step) != 0;
    if (!code)
      code = carry_state(r);
  }
  snprintf(path, sizeof path, "%s/final", folder);
  if (!code && steps)
    code = compare_final(r, path);
  run_drop_input(&losses);
  if (code)
    return code;
  return differs ? CLI_DIFFERENT : CLI_OK;
}
