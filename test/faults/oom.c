// Fails the n-th allocation of a process, for every n until nothing fails. Texts are parsed,
// printed, changed and written; a program is quantised; models are loaded, compiled, stored,
// opened, given other weights, and run, also asynchronously and with tensors of DLPack. Each
// call must end with success, or PIR_EXHAUSTED and a message; exactly the objects that existed
// before exist afterwards; and without a failure the numbers equal the first run's.
//   oom [--calls] [--every=N | --dense=N] [--only=SCENARIO] [--at=N] FOLDER
// --every=N: every N-th n, and the last ones; --dense=N: every n up to N, then N of the others,
// evenly. FOLDER has the models. Each n is a separate process, so a signal is one finding and
// not the end. With --calls system calls fail instead, and any failure may be their status.
#include "oom.h"

#include "fail.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool calls;  // system calls fail, not allocations

// ---- one failure

// What a child found, as its exit code.
enum { SUCCESS, EXHAUSTED, OTHER_STATUS, LEAK, OTHER_RESULT, LATER_FAILS, SILENT, OUTCOMES };
static const char *const outcomes[] = {"success",
                                       "exhausted",
                                       "another status",
                                       "leak",
                                       "other results",
                                       "the run after it fails",
                                       "a status and no message"};

static size_t count_open(void) {
  size_t count = 0;
  DIR *dir = opendir("/proc/self/fd");
  while (dir && readdir(dir))
    count++;
  if (dir)
    closedir(dir);
  return count;
}

static const unsigned all_kinds = (1u << FAIL_KIND_COUNT) - 1;

static void arm(size_t n, bool sticky) {
  if (calls)
    fail_arm_calls(all_kinds, n, sticky ? FAIL_ALWAYS : FAIL_ONCE);
  else
    fail_arm(n, sticky);
}

static size_t disarm(void) {
  return calls ? fail_disarm_calls() : fail_disarm();
}

static bool may_be(pir_status status) {
  return status == PIR_OK || status == PIR_EXHAUSTED || (calls && status != PIR_INTERNAL);
}

static int judge(const scenario *s, size_t n, bool sticky, bool again, uint64_t wanted) {
  uint64_t digest = 0;
  if (s->emptied)
    empty_cache();
  size_t files = count_open();
  long before = fail_live();
  last_error[0] = 0;
  arm(n, sticky);
  pir_status status = s->run(s, &digest);
  disarm();
  long after = fail_live();
  if (!may_be(status)) {
    fprintf(stderr, "status %d: %s\n", (int)status, last_error);
    return OTHER_STATUS;
  }
  if (after != before || count_open() != files) {
    fprintf(stderr, "%ld blocks, %zu files more\n", after - before, count_open() - files);
    return LEAK;
  }
  if (!status && digest != wanted)
    return OTHER_RESULT;
  if (status && !last_error[0])
    return SILENT;
  digest = 0;
  if (again && (s->run(s, &digest) || digest != wanted))
    return LATER_FAILS;
  return status ? EXHAUSTED : SUCCESS;
}

typedef struct tally {
  size_t points, counts[OUTCOMES], signals;
} tally;

static void take_outcome(const scenario *s, size_t n, int how, tally *t) {
  t->points++;
  if (WIFEXITED(how) && WEXITSTATUS(how) < OUTCOMES) {
    t->counts[WEXITSTATUS(how)]++;
    if (WEXITSTATUS(how) > EXHAUSTED)
      printf("FAIL %s at %zu: %s\n", s->name, n, outcomes[WEXITSTATUS(how)]);
    return;
  }
  t->signals++;
  printf("FAIL %s at %zu: signal %d\n", s->name, n,
         WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how));
}

static void try_one(const scenario *s, size_t n, bool sticky, uint64_t wanted, tally *t) {
  enum { AGAIN_EVERY = 8 };
  bool again = t->points % AGAIN_EVERY == 0;
  int how = 0;
  fflush(stdout);
#ifdef PIR_INSTRUMENTED  // the counts of a child would be written 20,000 times
  how = judge(s, n, sticky, again, wanted) << 8;
#else
  pid_t child = fork();
  if (!child)
    _exit(judge(s, n, sticky, again, wanted));
  waitpid(child, &how, 0);
#endif
  take_outcome(s, n, how, t);
}

// ---- all of them

// `total` allocations of a run without failures, after one that has warmed up what libraries
// keep.
static bool measure(const scenario *s, size_t *out_total, uint64_t *out_digest) {
  uint64_t digest = 0;
  pir_status status = s->run(s, &digest);
  *out_digest = 0;
  if (s->emptied)
    empty_cache();
  arm(0, false);
  if (!status)
    status = s->run(s, out_digest);
  *out_total = disarm();
  if (status || digest != *out_digest)
    printf("FAIL %s: status %d, or numbers that change\n", s->name, (int)status);
  return !status && digest == *out_digest;
}

// Which n are tried: each `every`-th and the last ones, by which models are written; those up
// to `dense` without a gap; or one.
enum { TAIL = 16 };
typedef struct selection {
  size_t every, dense, at;
} selection;

static size_t next_point(const selection *which, size_t n, size_t total) {
  size_t dense = which->dense, rest = total > dense ? total - dense : 0;
  if (!dense) {
    size_t tail = total > TAIL ? total - TAIL : 0, next = n + which->every;
    if (n >= tail)
      return n + 1;
    return next < tail ? next : tail;
  }
  if (n < dense || rest <= dense)
    return n + 1;
  size_t tried = (n - dense) * dense / rest;  // of the others
  return dense + (rest * (tried + 1) + dense - 1) / dense;
}

static bool sweep(const scenario *s, const selection *which) {
  tally t = {0};
  size_t total;
  uint64_t digest;
  if (!measure(s, &total, &digest))
    return false;
  size_t last = which->at ? which->at : total;
  for (size_t n = which->at ? which->at : 1; n <= last; n = next_point(which, n, total)) {
    try_one(s, n, false, digest, &t);
    if (n % 4 == 0)
      try_one(s, n, true, digest, &t);
  }
  size_t bad = t.points - t.counts[SUCCESS] - t.counts[EXHAUSTED];
  printf("%s: %zu %s, %zu failures tried: %zu refused, %zu successes, %zu signals, %zu "
         "others\n",
         s->name, total, calls ? "system calls" : "allocations", t.points, t.counts[EXHAUSTED],
         t.counts[SUCCESS], t.signals, bad - t.signals);
  return !bad;
}

static const char *value_of(const char *argument, const char *option) {
  size_t size = strlen(option);
  return strncmp(argument, option, size) == 0 ? argument + size : NULL;
}

int main(int argc, char **argv) {
  selection which = {0};
  size_t every = 0, bad = 0, good = 0;
  const char *only = NULL, *value;
  for (int i = 1; i < argc; i++) {
    if ((value = value_of(argv[i], "--every=")))
      every = strtoul(value, NULL, 10);
    else if ((value = value_of(argv[i], "--dense=")))
      which.dense = strtoul(value, NULL, 10);
    else if ((value = value_of(argv[i], "--at=")))
      which.at = strtoul(value, NULL, 10);
    else if ((value = value_of(argv[i], "--only=")))
      only = value;
    else if (!strcmp(argv[i], "--calls"))
      calls = true;
    else
      folder = argv[i];
  }
  if (!folder || !mkdtemp(cache))
    return 2;
  for (size_t i = 0; i < scenario_count; i++) {
    const scenario *s = &scenarios[i];
    if ((only && strcmp(only, s->name) != 0) || !scenario_exists(s))
      continue;
    which.every = every ? every : s->every;
    bool passed = sweep(s, &which);
    good += passed;
    bad += !passed;
  }
  printf("%zu passed, %zu failed, 0 skipped\n", good, bad);
  if (!good && !bad)
    fprintf(stderr, "no scenario has this name, or no model is in %s\n", folder);
  return bad || !good;
}
