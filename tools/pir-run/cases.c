// Recorded cases (pir/layer/case_arrays.h), whose tensors.npz may have param/<name> too.
// Gradients have their own names: gout_<result> is fed to the input of that name; grad_<name>
// or grad/<i>, in file order, are the expected values of the outputs after the numbered ones.
// Many cases run in one process, sorted by program, so a program with several cases is compiled
// once.
#include "faults/faults.h"
#include "run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PATH 4096

// ---- the arrays of a case

// Returns the expected value of output i: out_<i>; after those, the gradients in order.
static const pir_npy_array *find_expected(const pir_npy_set *set, size_t i) {
  char name[32];
  snprintf(name, sizeof name, "%zu", i);
  const pir_npy_array *found = pir_case_find(set, "out", name);
  size_t at = 0;
  for (size_t k = 0; k < set->count; k++)
    at += !strncmp(set->arrays[k].name, "out", 3);
  for (size_t k = 0; k < set->count && !found; k++) {
    const char *text = set->arrays[k].name;
    if (!strncmp(text, "grad_", 5) || !strncmp(text, "grad/", 5))
      found = at++ == i ? &set->arrays[k] : NULL;
  }
  return found;
}

// ---- one case

static int feed(run *r, pir_npy_set *set, const char *folder) {
  if (!set->count && pir_model_inputs(r->model))
    return cli_fail(r->cli, CLI_INVALID,
                    "%s is no case: it has neither in_NAME.npy nor tensors.npz; --cases=DIR "
                    "runs all cases below DIR",
                    folder);
  for (size_t i = 0; i < pir_model_inputs(r->model); i++) {
    pir_port port = input_port(r->model, i);
    pir_npy_array *array = (pir_npy_array *)pir_case_input(set, port.name.data);
    if (!array)
      return cli_fail(r->cli, CLI_INVALID, "%s has no input \"%s\"", folder, port.name.data);
    run_drop_input(&r->inputs[i]);
    r->inputs[i].tensor = array->tensor;
    pir_npy_view_as(&r->inputs[i].tensor, port.dtype);
    array->tensor.data = NULL;
  }
  return 0;
}

bool run_ignores(const run *r, size_t i) {
  for (size_t k = 0; k < r->cli->match_count; k++) {
    const cli_match *match = &r->cli->matches[k];
    if (match->id == OPT_IGNORE && strtoul(match->value, NULL, 10) == i)
      return true;
  }
  return false;
}

int run_check_ignored(const run *r) {
  uint64_t unused;
  for (size_t k = 0; k < r->cli->match_count; k++) {
    const cli_match *match = &r->cli->matches[k];
    if (match->id == OPT_IGNORE && !cli_parse_u64(match->value, &unused))
      return cli_bad_value(r->cli, "ignore-output", match->value, "a number");
  }
  return 0;
}

static int compare_case(run *r, const pir_npy_set *set, const char *folder, bool quiet) {
  size_t compared = 0, different = 0;
  size_t outputs = pir_model_outputs(r->model);
  for (size_t k = 0, i; (i = run_own_output(r, k)) < outputs; k++) {
    const pir_npy_array *expected = find_expected(set, k);
    if (!expected || run_ignores(r, k))
      continue;
    compared++;
    pir_tensor tensor = expected->tensor;
    pir_npy_view_as(&tensor, output_port(r->model, i).dtype);
    different += !run_compare(r, i, &tensor, quiet ? "  " : "", quiet);
  }
  if (different)
    return cli_fail(r->cli, CLI_DIFFERENT, "%s: %zu of %zu outputs differ", folder, different,
                    compared);
  bool gives_any = run_own_output(r, 0) < pir_model_outputs(r->model);
  if (!compared && gives_any && !cli_has(r->cli, OPT_IGNORE))
    return cli_fail(r->cli, CLI_INVALID, "%s has no expected output", folder);
  return 0;
}

// Runs the case again with outputs in the memory of inputs.
static int run_case_overlapping(run *r, const pir_npy_set *set, const char *folder,
                                bool quiet) {
  int code = 0;
  for (size_t turn = 0; turn < run_overlap_turns(r) && !code; turn++) {
    code = run_overlap(r, turn);
    if (!code)
      code = compare_case(r, set, folder, quiet);
    run_drop_overlaps(r);
  }
  return code;
}

int run_feed_case(run *r, const char *folder) {
  pir_npy_set set;
  char message[256];
  pir_status status = pir_case_read(folder, false, &set, message);
  int code = status ? cli_fail(r->cli, cli_exit_code(status), "%s", message) : 0;
  if (!code)
    code = feed(r, &set, folder);
  pir_npy_set_release(&set);
  return code;
}

int run_case(run *r, const char *folder, bool quiet) {
  pir_npy_set set;
  char message[256];
  pir_status status = pir_case_read(folder, false, &set, message);
  int code = status ? cli_fail(r->cli, cli_exit_code(status), "%s", message) : 0;
  if (!code)
    code = feed(r, &set, folder);
  if (!code)
    code = run_bind(r, folder);
  if (!code)
    code = run_once(r);
  if (!code)
    code = cli_has(r->cli, OPT_RECORD) ? run_write_outputs(r, NULL, folder, -1)
                                       : compare_case(r, &set, folder, quiet);
  if (!code)
    code = run_case_overlapping(r, &set, folder, quiet);
  if (!code)
    code = run_schedules(r);
  pir_npy_set_release(&set);
  return code;
}

// ---- many

typedef struct job {
  char *program, *folder;
} job;

typedef struct job_list {
  job *jobs;
  size_t count, capacity;
} job_list;

static bool add_job(job_list *list, const char *program, const char *folder) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? list->capacity * 2 : 64;
    job *grown = realloc(list->jobs, capacity * sizeof *grown);
    if (!grown)
      return false;
    list->jobs = grown;
    list->capacity = capacity;
  }
  job made = {strdup(program), strdup(folder)};
  list->jobs[list->count++] = made;
  return made.program && made.folder;
}

// Programs are looked for in the case's folder, then in the one above.
static bool add_programs(job_list *list, const char *folder) {
  static const char *const names[] = {"program.json",      "program.pir",   "model.json",
                                      "model.pdmodel",     "v2_6.pdmodel",  "inference.json",
                                      "inference.pdmodel", "converted.json"};
  size_t before = list->count;
  for (int up = 0; up < 2 && list->count == before; up++)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      char path[MAX_PATH];
      snprintf(path, sizeof path, "%s%s/%s", folder, up ? "/.." : "", names[i]);
      if (access(path, R_OK))
        continue;
      if (!add_job(list, path, folder))
        return false;
      if (i < 2)
        break;  // program.pir is program.json once more
    }
  return true;
}

typedef struct case_search {
  job_list *list;
  const char *model;  // NULL: programs are looked for
} case_search;

static bool add_case(void *user, const char *folder, bool is_case) {
  const case_search *search = user;
  if (!is_case)
    return true;
  return search->model ? add_job(search->list, search->model, folder)
                       : add_programs(search->list, folder);
}

static int by_program(const void *x, const void *y) {
  const job *a = x, *b = y;
  int order = strcmp(a->program, b->program);
  return order ? order : strcmp(a->folder, b->folder);
}

// A model whose parameters are in the case's file is opened for that case only.
static int open_job(run *r, const job *j, const char *params) {
  pir_npy_set set = {0};
  char npz[MAX_PATH];
  int code = 0;
  run_close(r);
  snprintf(npz, sizeof npz, "%s/tensors.npz", j->folder);
  if (!access(npz, R_OK))
    code = run_read_arrays(r->cli, npz, &set);
  if (!code)
    code = run_open(r, j->program, params, &set);
  pir_npy_set_release(&set);
  return code;
}

int run_cases(run *r, const char *folder, const char *model, const char *params) {
  job_list list = {0};
  size_t passed = 0, failed = 0, skipped = 0;
  if (!pir_case_walk(folder, add_case, &(case_search){&list, model}))
    return cli_fail(r->cli, CLI_LIMIT, "out of memory");
  if (list.count)
    qsort(list.jobs, list.count, sizeof *list.jobs, by_program);
  int opened = CLI_INVALID;
  for (size_t i = 0; i < list.count; i++) {
    const job *j = &list.jobs[i];
    bool another = i == 0 || strcmp(j->program, list.jobs[i - 1].program) != 0;
    cli_stage(r->cli, "cases", j->folder, i, list.count);
    if (another)
      opened = open_job(r, j, params);
    int code =
        opened || cli_has(r->cli, OPT_COMPILE_ONLY) ? opened : run_case(r, j->folder, true);
    passed += code == 0;
    skipped += code == CLI_UNSUPPORTED;
    failed += code && code != CLI_UNSUPPORTED;
    cli_progress_erase();
    if (code)
      printf("%s %s with %s\n", code == CLI_UNSUPPORTED ? "SKIP" : "FAIL", j->folder,
             j->program);
    fflush(stdout);  // behind its messages
  }
  run_close(r);
  for (size_t i = 0; i < list.count; i++) {
    free(list.jobs[i].program);
    free(list.jobs[i].folder);
  }
  free(list.jobs);
  printf("%zu passed, %zu failed, %zu skipped\n", passed, failed, skipped);
  if (!list.count)
    return cli_fail(r->cli, CLI_INVALID, "no case below %s", folder);
  return failed ? CLI_DIFFERENT : 0;
}
