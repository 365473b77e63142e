// Recorded cases. A case is a folder with in_<name>.npy (the LoD offsets in lod_<name>.json)
// and out_<i>.npy, or with the same arrays in its tensors.npz (also as in/<name>, out/<i>,
// param/<name>), or with both. Gradients have their own names: gout_<result> is fed to the
// input of that name; grad_<name> or grad/<i>, in file order, are the expected values of the
// outputs after the numbered ones. Many cases run in one process, sorted by program, so a
// program with several cases is compiled once.
#include "run.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_PATH 4096
#define MAX_DEPTH 16

// ---- the arrays of a case

static bool is_array_file(const char *name) {
  size_t size = strlen(name);
  bool prefixed = !strncmp(name, "in_", 3) || !strncmp(name, "out_", 4);
  return prefixed && size > 4 && !strcmp(name + size - 4, ".npy");
}

static int append_file(const run *r, const char *path, npy_set *set) {
  npy_set one;
  int code = run_read_arrays(r->cli, path, &one);
  if (code)
    return code;
  npy_array *grown =
      one.count ? realloc(set->arrays, (set->count + one.count) * sizeof *grown) : NULL;
  if (!grown) {
    npy_set_release(&one);
    return cli_fail(r->cli, CLI_LIMIT, "out of memory for %s", path);
  }
  memcpy(grown + set->count, one.arrays, one.count * sizeof *grown);
  set->arrays = grown;
  set->count += one.count;
  free(one.arrays);
  return 0;
}

static int read_case(const run *r, const char *folder, npy_set *set) {
  char path[MAX_PATH];
  *set = (npy_set){0};
  snprintf(path, sizeof path, "%s/tensors.npz", folder);
  int code = access(path, R_OK) ? 0 : run_read_arrays(r->cli, path, set);
  DIR *dir = code ? NULL : opendir(folder);
  if (!dir)
    return code ? code : cli_fail(r->cli, CLI_INVALID, "cannot open the folder %s", folder);
  for (struct dirent *entry; !code && (entry = readdir(dir));) {
    if (!is_array_file(entry->d_name))
      continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    code = append_file(r, path, set);
  }
  closedir(dir);
  return code;
}

static const npy_array *find_array(const npy_set *set, const char *kind, const char *name) {
  char text[1024];
  snprintf(text, sizeof text, "%s_%s", kind, name);
  const npy_array *found = npy_find(set, text);
  if (found)
    return found;
  snprintf(text, sizeof text, "%s/%s", kind, name);
  return npy_find(set, text);
}

// A fed gradient has exactly its input's name.
const npy_array *run_find_input(const npy_set *set, const char *name) {
  const npy_array *found = find_array(set, "in", name);
  return found ? found : npy_find(set, name);
}

// Returns the expected value of output i: out_<i>; after those, the gradients in order.
static const npy_array *find_expected(const npy_set *set, size_t i) {
  char name[32];
  snprintf(name, sizeof name, "%zu", i);
  const npy_array *found = find_array(set, "out", name);
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

// NumPy has no bfloat16: its bits are kept as integers.
static pir_tensor read_as(pir_tensor tensor, pir_dtype wanted) {
  if (wanted == PIR_BF16 && tensor.dtype == PIR_U16)
    tensor.dtype = PIR_BF16;
  return tensor;
}

static int feed(run *r, npy_set *set, const char *folder) {
  for (size_t i = 0; i < pir_model_inputs(r->model); i++) {
    pir_port port = input_port(r->model, i);
    npy_array *array = (npy_array *)run_find_input(set, port.name.data);
    if (!array)
      return cli_fail(r->cli, CLI_INVALID, "%s has no input \"%s\"", folder, port.name.data);
    run_drop_input(&r->inputs[i]);
    r->inputs[i].tensor = read_as(array->tensor, port.dtype);
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

static int compare_case(run *r, const npy_set *set, const char *folder, bool quiet) {
  size_t compared = 0, different = 0;
  for (size_t i = 0; i < pir_model_outputs(r->model); i++) {
    const npy_array *expected = find_expected(set, i);
    if (!expected || run_ignores(r, i))
      continue;
    compared++;
    pir_tensor tensor = read_as(expected->tensor, output_port(r->model, i).dtype);
    different += !run_compare(r, i, &tensor, quiet ? "  " : "", quiet);
  }
  if (different)
    return cli_fail(r->cli, CLI_DIFFERENT, "%s: %zu of %zu outputs differ", folder, different,
                    compared);
  if (!compared && !cli_has(r->cli, OPT_IGNORE))
    return cli_fail(r->cli, CLI_INVALID, "%s has no expected output", folder);
  return 0;
}

// Runs the case again with outputs in the memory of inputs.
static int run_case_overlapping(run *r, const npy_set *set, const char *folder, bool quiet) {
  int code = 0;
  for (size_t turn = 0; turn < run_overlap_turns(r) && !code; turn++) {
    code = run_overlap(r, turn);
    if (!code)
      code = compare_case(r, set, folder, quiet);
    run_drop_overlaps(r);
  }
  return code;
}

int run_case(run *r, const char *folder, bool quiet) {
  npy_set set;
  int code = read_case(r, folder, &set);
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
  npy_set_release(&set);
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

static bool find_cases(job_list *list, const char *folder, const char *model, int depth) {
  struct dirent **entries;
  bool is_case = false, ok = true;
  int count = depth > MAX_DEPTH ? -1 : scandir(folder, &entries, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name;
    char path[MAX_PATH];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!strcmp(name, "tensors.npz") || is_array_file(name))
      is_case = true;
    else if (name[0] != '.' && !stat(path, &info) && S_ISDIR(info.st_mode))
      ok &= find_cases(list, path, model, depth + 1);
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
  if (is_case)
    ok &= model ? add_job(list, model, folder) : add_programs(list, folder);
  return ok;
}

static int by_program(const void *x, const void *y) {
  const job *a = x, *b = y;
  int order = strcmp(a->program, b->program);
  return order ? order : strcmp(a->folder, b->folder);
}

// A model whose parameters are in the case's file is opened for that case only.
static int open_job(run *r, const job *j, const char *params) {
  npy_set set = {0};
  char npz[MAX_PATH];
  int code = 0;
  run_close(r);
  snprintf(npz, sizeof npz, "%s/tensors.npz", j->folder);
  if (!access(npz, R_OK))
    code = run_read_arrays(r->cli, npz, &set);
  if (!code)
    code = run_open(r, j->program, params, &set);
  npy_set_release(&set);
  return code;
}

int run_cases(run *r, const char *folder, const char *model, const char *params) {
  job_list list = {0};
  size_t passed = 0, failed = 0, skipped = 0;
  if (!find_cases(&list, folder, model, 0))
    return cli_fail(r->cli, CLI_LIMIT, "out of memory");
  if (list.count)
    qsort(list.jobs, list.count, sizeof *list.jobs, by_program);
  int opened = CLI_INVALID;
  for (size_t i = 0; i < list.count; i++) {
    const job *j = &list.jobs[i];
    bool another = i == 0 || strcmp(j->program, list.jobs[i - 1].program) != 0;
    if (another)
      opened = open_job(r, j, params);
    int code =
        opened || cli_has(r->cli, OPT_COMPILE_ONLY) ? opened : run_case(r, j->folder, true);
    passed += code == 0;
    skipped += code == CLI_UNSUPPORTED;
    failed += code && code != CLI_UNSUPPORTED;
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
