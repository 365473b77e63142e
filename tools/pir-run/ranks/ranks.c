// --ranks: every rank is a thread, and opens, runs and reports its model as a process would.
// The tool's own work is done for one rank at a time.
#include "ranks.h"

#include "../fit/fit.h"

#include <pthread.h>
#include <stdlib.h>

enum { MAX_RANKS = 1024 };

typedef struct one_rank {
  run run;
  cli_run cli;
  cli_tool tool;  // whose name tells the rank in messages
  char name[48];
  char **texts;  // values of options and the model, with the rank's number
  size_t text_count;
  struct run_ranks *group;
  pir_comm *world;
  pir_rings *rings;
  pthread_t thread;
  int number, index, code;  // the rank, and its place among the ranks of this process
  bool opened, done;
} one_rank;

typedef struct run_ranks {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int (*run_one)(run *r, const char *path);
  one_rank *ranks;
  int count, failed;  // `failed`: the rank whose run failed first; -1: none
  cli_file file;      // of --rings
  bool has_file, by_nccl;
  uint64_t timeout_ns;  // of communicators; 0: as they choose
} run_ranks_group;

// The MPI whose launcher started this process, by the variables that it sets; NULL: none did.
static const char *launcher(void) {
  if (getenv("OMPI_COMM_WORLD_SIZE"))
    return "openmpi";
  return getenv("PMI_SIZE") ? "mpich" : NULL;
}

// The MPI of the run; NULL: it has none.
static const char *mpi_of(const cli_run *cli) {
  const char *named = cli_value(cli, OPT_MPI, NULL);
  if (named)
    return strcmp(named, "none") ? named : NULL;
  return cli_has(cli, OPT_RANKS) ? NULL : launcher();
}

bool run_has_ranks(const cli_run *cli) {
  return cli_has(cli, OPT_RANKS) || mpi_of(cli);
}

// ---- the number in texts

// Returns the text with every %r replaced, for the caller to free; NULL without memory.
static char *with_rank(const char *text, int number) {
  char digits[16];
  size_t width = (size_t)snprintf(digits, sizeof digits, "%d", number), size = 1;
  for (const char *c = text; *c; c++)
    size += width;
  char *made = malloc(size), *to = made;
  while (made && *text) {
    bool here = text[0] == '%' && text[1] == 'r';
    memcpy(to, here ? digits : text, here ? width : 1);
    to += here ? width : 1;
    text += here ? 2 : 1;
  }
  if (made)
    *to = 0;
  return made;
}

static const char *keep_text(one_rank *one, const char *text) {
  return one->texts[one->text_count++] = with_rank(text, one->number);
}

static bool take_texts(one_rank *one, const cli_run *given) {
  size_t n = given->match_count + given->file_count;
  one->texts = calloc(n + 1, sizeof *one->texts);
  one->cli.matches = calloc(given->match_count + 1, sizeof *one->cli.matches);
  one->cli.files = calloc(given->file_count + 1, sizeof *one->cli.files);
  if (!one->texts || !one->cli.matches || !one->cli.files)
    return false;
  for (size_t i = 0; i < given->match_count; i++) {
    const cli_match *match = &given->matches[i];
    one->cli.matches[i] = *match;
    if (match->value && !(one->cli.matches[i].value = keep_text(one, match->value)))
      return false;
  }
  for (size_t i = 0; i < given->file_count; i++)
    if (!(one->cli.files[i] = keep_text(one, given->files[i])))
      return false;
  return true;
}

static void drop_rank(one_rank *one) {
  for (size_t i = 0; i < one->text_count; i++)
    free(one->texts[i]);
  free(one->texts);
  free(one->cli.matches);
  free(one->cli.files);
}

static bool make_rank(run_ranks_group *group, const run *r, int index, pir_comm *world) {
  one_rank *one = &group->ranks[index];
  one->group = group;
  one->index = index;
  one->number = world->rank;
  one->world = world;
  one->run = *r;
  one->cli = *r->cli;
  one->tool = *r->cli->tool;
  snprintf(one->name, sizeof one->name, "%s: rank %d", one->tool.name, one->number);
  one->tool.name = one->name;
  one->cli.tool = &one->tool;
  one->run.cli = &one->cli;
  one->run.rank = one;
  return take_texts(one, r->cli);
}

// ---- turns

// Ends them without the group's lock: a rank that leaves may wait for others, which need it.
static void end_rings(one_rank *one) {
  pthread_mutex_unlock(&one->group->lock);
  pir_rings_destroy(one->rings);
  pthread_mutex_lock(&one->group->lock);
  one->rings = one->run.rings = NULL;
}

static bool all_opened(const run_ranks_group *group) {
  for (int i = 0; i < group->count; i++)
    if (!group->ranks[i].opened)
      return false;
  return true;
}

// Whether the session runs several times.
static bool takes_steps(const run *r) {
  return cli_has(r->cli, OPT_TRAIN) || cli_has(r->cli, OPT_FIT);
}

void run_leave_turn(run *r) {
  if (!r->rank)
    return;
  run_ranks_group *group = r->rank->group;
  r->rank->opened = true;
  pthread_cond_broadcast(&group->changed);
  // What the others still need to open does not count against the time limit of rings.
  while (!all_opened(group))
    pthread_cond_wait(&group->changed, &group->lock);
  pthread_mutex_unlock(&group->lock);
}

static void wait_for_turn(one_rank *one) {
  run_ranks_group *group = one->group;
  while (one->index && !group->ranks[one->index - 1].done)
    pthread_cond_wait(&group->changed, &group->lock);
}

void run_take_turn(run *r, pir_status ran) {
  one_rank *one = r->rank;
  if (!one)
    return;
  pthread_mutex_lock(&one->group->lock);
  if (ran && one->group->failed < 0)
    one->group->failed = one->index;
  if (!ran && takes_steps(r))
    return;
  end_rings(one);
  wait_for_turn(one);
}

// ---- a rank

// The number of the rank's device: its place among the ranks of its machine.
static int device_of(const one_rank *one) {
  const char *place = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  if (!place)
    place = getenv("MPI_LOCALRANKID");
  uint64_t n;
  bool told = mpi_of(&one->cli) && place && cli_parse_u64(place, &n) && n < MAX_RANKS;
  return told ? (int)n : one->number;
}

// Lets NCCL move the tensors of the world, if it should. All ranks do so at the same time. The
// world is freed on failure.
static pir_status open_world(one_rank *one, pir_message *why) {
  run_ranks_group *group = one->group;
  pir_comm_call call = {.size = sizeof call, .message = why};
  pir_nccl_options how = {.size = sizeof how, .timeout_ns = group->timeout_ns};
  pir_comm *host = one->world;
  if (!group->by_nccl)
    return PIR_OK;
  how.device_number = one->run.device_number = device_of(one);
  pthread_mutex_unlock(&group->lock);
  pir_status status = pir_comm_create_nccl(host, &how, &call, &one->world);
  if (status)
    host->free(host);
  pthread_mutex_lock(&group->lock);
  return status;
}

// All ranks split the world at the same time.
static pir_status open_rings(one_rank *one, pir_message *why) {
  pir_comm_call call = {.size = sizeof call, .message = why};
  pir_comm *world = one->world;
  pir_status status = pir_rings_create(world, &one->rings);
  if (status)
    world->free(world);
  if (status || !one->group->has_file)
    return status;
  pthread_mutex_unlock(&one->group->lock);
  status = pir_rings_read(one->rings, one->group->file.bytes, &call);
  pthread_mutex_lock(&one->group->lock);
  return status;
}

// Opens what connects the rank to the others.
static pir_status connect_rank(one_rank *one, pir_message *why) {
  PIR_TRY(open_world(one, why));
  pir_status status = open_rings(one, why);
  one->run.rings = one->rings;
  return status;
}

static int refuse(const one_rank *one, pir_status status, const pir_message *why) {
  const char *file = one->group->has_file ? one->group->file.name : "";
  return cli_fail(&one->cli, cli_exit_code(status), "--%s=%s: %s",
                  one->rings ? "rings" : "comm", one->rings ? file : "nccl",
                  why->text[0] ? why->text : pir_status_text(status));
}

// Ranks open their models in their order, so that their messages have it too.
static void *run_rank(void *user) {
  one_rank *one = user;
  run_ranks_group *group = one->group;
  pir_message why = {""};
  pthread_mutex_lock(&group->lock);
  pir_status status = connect_rank(one, &why);
  while (one->index && !group->ranks[one->index - 1].opened)
    pthread_cond_wait(&group->changed, &group->lock);
  one->code = status ? refuse(one, status, &why) : group->run_one(&one->run, one->cli.files[0]);
  if (one->code && group->failed < 0)
    group->failed = one->index;
  end_rings(one);
  one->opened = one->done = true;
  pthread_cond_broadcast(&group->changed);
  pthread_mutex_unlock(&group->lock);
  return NULL;
}

// The only rank of a process stays on its thread, which MPI may ask for.
static int start_ranks(run *r, run_ranks_group *group) {
  int started = 0, code = 0;
  if (group->count == 1) {
    run_rank(group->ranks);
    return group->ranks->code;
  }
  pthread_mutex_lock(&group->lock);
  while (started < group->count &&
         !pthread_create(&group->ranks[started].thread, NULL, run_rank, &group->ranks[started]))
    started++;
  if (started < group->count)
    code = cli_fail(r->cli, CLI_LIMIT, "no thread for rank %d", started);
  for (int i = started; i < group->count; i++) {
    group->ranks[i].opened = true;
    group->ranks[i].world->free(group->ranks[i].world);
  }
  pthread_cond_broadcast(&group->changed);
  pthread_mutex_unlock(&group->lock);
  for (int i = 0; i < started; i++)
    pthread_join(group->ranks[i].thread, NULL);
  if (!code && group->failed >= 0)
    code = group->ranks[group->failed].code;
  for (int i = 0; i < started && !code; i++)
    code = group->ranks[i].code;
  return code;
}

// The communicators of the ranks of this process.
static int make_comms(const run *r, run_ranks_group *group, pir_comm **comms) {
  pir_comm_options how = {.size = sizeof how, .timeout_ns = group->timeout_ns};
  pir_message why = {""};
  pir_comm_call call = {.size = sizeof call, .message = &why};
  const char *mpi = mpi_of(r->cli);
  pir_status status = mpi ? pir_comm_create_mpi(mpi, &how, &call, comms)
                          : pir_comm_create_threads(group->count, &how, comms);
  if (!status)
    return 0;
  return cli_fail(r->cli, cli_exit_code(status), "%s",
                  why.text[0] ? why.text : pir_status_text(status));
}

static int make_world(run *r, run_ranks_group *group) {
  pir_comm *comms[MAX_RANKS];
  int made = 0;
  group->ranks = calloc((size_t)group->count, sizeof *group->ranks);
  if (!group->ranks)
    return cli_fail(r->cli, CLI_LIMIT, "no memory for %d ranks", group->count);
  int code = make_comms(r, group, comms);
  if (code)
    return code;
  while (made < group->count && make_rank(group, r, made, comms[made]))
    made++;
  if (made == group->count)
    return start_ranks(r, group);
  for (int i = 0; i < group->count; i++)
    comms[i]->free(comms[i]);
  return cli_fail(r->cli, CLI_LIMIT, "no memory for %d ranks", group->count);
}

// ---- options

static const struct {
  int id;
  const char *name;
} not_on_ranks[] = {
    {OPT_CASES, "cases"},     {OPT_BENCHMARK, "benchmark"}, {OPT_SHAPES, "shapes"},
    {OPT_TUNE, "tune"},       {OPT_COMPARE, "compare"},     {OPT_SCHEDULES, "schedules"},
    {OPT_OVERLAP, "overlap"}, {OPT_MACHINE, "machine"},     {OPT_CORES, "cores"}};

int run_check_ranks(const run *r) {
  static const struct {
    int id;
    const char *name;
  } of_ranks[] = {{OPT_RINGS, "rings"}, {OPT_COMM_TIMEOUT, "comm-timeout"}, {OPT_COMM, "comm"}};
  for (size_t i = 0; i < sizeof of_ranks / sizeof *of_ranks && !run_has_ranks(r->cli); i++)
    if (cli_has(r->cli, of_ranks[i].id))
      return cli_fail(r->cli, CLI_USAGE, "--%s needs --ranks or MPI", of_ranks[i].name);
  return 0;
}

static int read_seconds(const run *r, uint64_t *out_ns) {
  const char *text = cli_value(r->cli, OPT_COMM_TIMEOUT, NULL);
  char *end = NULL;
  double seconds = text ? strtod(text, &end) : 0;
  if (text && (*end || end == text || !(seconds > 0 && seconds < 1e6)))
    return cli_bad_value(r->cli, "comm-timeout", text, "a number of seconds");
  *out_ns = (uint64_t)(seconds * 1e9);
  return 0;
}

static int read_comm(const run *r, bool *out_by_nccl) {
  const char *name = cli_value(r->cli, OPT_COMM, NULL);
  *out_by_nccl = name && !strcmp(name, "nccl");
  if (!name || *out_by_nccl || !strcmp(name, "host"))
    return 0;
  return cli_bad_value(r->cli, "comm", name, "host or nccl");
}

static int read_rank_options(const run *r, run_ranks_group *group) {
  const char *count = cli_value(r->cli, OPT_RANKS, NULL),
             *file = cli_value(r->cli, OPT_RINGS, NULL),
             *folder = cli_value(r->cli, OPT_SAVE, NULL);
  uint64_t n = 1;
  if (count && cli_has(r->cli, OPT_MPI) && mpi_of(r->cli))
    return cli_fail(r->cli, CLI_USAGE, "--ranks excludes --mpi");
  for (size_t i = 0; i < sizeof not_on_ranks / sizeof *not_on_ranks; i++)
    if (cli_has(r->cli, not_on_ranks[i].id))
      return cli_fail(r->cli, CLI_USAGE, "%s excludes --%s", count ? "--ranks" : "MPI",
                      not_on_ranks[i].name);
  if (folder && !strstr(folder, "%r"))
    return cli_fail(r->cli, CLI_USAGE, "--save=%s: every rank needs a folder of its own (%%r)",
                    folder);
  if (count && (!cli_parse_u64(count, &n) || n < 1 || n > MAX_RANKS))
    return cli_bad_value(r->cli, "ranks", count, "a number from 1 to 1024");
  group->count = (int)n;
  int code = read_seconds(r, &group->timeout_ns);
  if (!code)
    code = read_comm(r, &group->by_nccl);
  if (!code && file) {
    code = cli_file_read_named(r->cli, file, &group->file);
    group->has_file = !code;
  }
  return code;
}

int run_ranks(run *r, const char *path, int (*run_one)(run *r, const char *path)) {
  run_ranks_group group = {.lock = PTHREAD_MUTEX_INITIALIZER,
                           .changed = PTHREAD_COND_INITIALIZER,
                           .run_one = run_one,
                           .failed = -1};
  if (cli_is_stream(path))
    return cli_fail(r->cli, CLI_USAGE, "every rank reads the model: give a file");
  int code = read_rank_options(r, &group);
  if (!code)
    code = make_world(r, &group);
  for (int i = 0; group.ranks && i < group.count; i++)
    drop_rank(&group.ranks[i]);
  free(group.ranks);
  if (group.has_file)
    cli_file_release(&group.file);
  return code;
}
