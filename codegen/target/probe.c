// Measures a machine: repeats each probe until the least time is confirmed, within a limit of
// time for all of them. A machine that does other work at the same time stretches some
// repetitions, hardly all; where no two of them agree there is no figure, and no record is made
// of the others.
#include "prober.h"

#include <decimal.h>

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static double read_clock(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double probe_now(void) {
  return read_clock(CLOCK_MONOTONIC);
}

typedef struct least_times {
  double first, second;
} least_times;

static void note_time(least_times *least, double time) {
  if (time < least->first) {
    least->second = least->first;
    least->first = time;
  } else if (time < least->second) {
    least->second = time;
  }
}

static bool times_agree(const least_times *least, int count, double within) {
  for (int i = 0; i < count; i++)
    if (!isfinite(least[i].second) || least[i].second > within * least[i].first)
      return false;
  return true;
}

// Does all the work again and again, in turn; ends early when the least times agree closely.
static void repeat(prober *p, probe_work work, void *const users[], int count, int fewest,
                   least_times *least) {
  enum { MOST = 8 };
  for (int i = 0; i < MOST && probe_now() < p->deadline; i++) {
    for (int k = 0; k < count; k++)
      note_time(&least[k], work(users[k]));
    if (i + 1 >= fewest && times_agree(least, count, 1.01))
      return;
  }
}

bool probe_times(prober *p, const char *figure, probe_work work, void *const users[], int count,
                 double out[]) {
  enum { FEWEST = 3, FEWEST_IN_TURN = 5 };
  if (p->refused)
    return false;
  for (int tries = 0; tries < 2; tries++) {
    least_times least[PROBE_MOST];
    for (int k = 0; k < count; k++)
      least[k] = (least_times){HUGE_VAL, HUGE_VAL};
    repeat(p, work, users, count, count > 1 ? FEWEST_IN_TURN : FEWEST, least);
    for (int k = 0; k < count; k++)
      out[k] = least[k].first;
    if (times_agree(least, count, 1.1))
      return true;
  }
  p->refused = figure;
  return false;
}

double probe_time(prober *p, const char *figure, probe_work work, void *user) {
  double time;
  return probe_times(p, figure, work, &user, 1, &time) ? time : 0;
}

// ---- memory

static bool take_room(prober *p) {
  size_t l2 = p->target->l2_bytes, l3 = p->target->l3_bytes;
  // The part that is read from the last-level cache exceeds the L2 cache so far that little of
  // it stays there, and leaves most of the last-level cache to others.
  bool known = p->target->l1_ways > 0;  // otherwise sizes are guesses
  p->far_bytes = known && l3 >= 8 * l2 ? 4 * l2 : 0;
  p->room_bytes = (4 * l2 + (4 << 20)) / 512 * 512;
  void *room =
      mmap(NULL, p->room_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED)
    return false;
#ifdef MADV_HUGEPAGE
  (void)madvise(room, p->room_bytes, MADV_HUGEPAGE);
#endif
  memset(room, 0, p->room_bytes);
  p->room = room;
  return true;
}

// ---- all probes

// Figures of which a record is made do not depend on whether they were just found or read from
// a file, which holds this many digits.
static void round_figures(pir_measured *m) {
  char text[32];
  for (size_t i = 0; pir_measured_figure(i); i++) {
    double *value = (double *)((char *)m + pir_measured_figure(i)->at);
    pir_text_format(text, sizeof text, "%.4g", *value);
    *value = pir_decimal_read(text, NULL);
  }
}

pir_status pir_machine_measure(const pir_target *target, pir_measured *out,
                               pir_message *message) {
  double start = probe_now(), worked = read_clock(CLOCK_THREAD_CPUTIME_ID);
  prober p = {.target = target,
              .out = out,
              .deadline = start + MEASURE_NS,
              .flushes_unordered = probe_flushes_unordered()};
  *out = (pir_measured){0};
  p.widest = probe_kernels_of(target->vector_bytes, target->fma);
  if (target->device || !p.widest) {
    pir_text_format(message->text, sizeof message->text,
                    "unsupported: no probes measure the target %s", target->name);
    return PIR_UNSUPPORTED;
  }
  if (!take_room(&p))
    return PIR_EXHAUSTED;
  probe_arithmetic(&p);
  probe_memory(&p);
  probe_products(&p);
  // Where other programs have the processors, two threads do not run at once, and each waits
  // for the other until its turn comes.
  worked = read_clock(CLOCK_THREAD_CPUTIME_ID) - worked;
  if (!p.refused && probe_now() - start < 1.2 * worked)
    probe_threads(&p);
  munmap(p.room, p.room_bytes);
  round_figures(out);
  if (!p.refused)
    return PIR_OK;
  const char *how =
      probe_now() < p.deadline ? "differed from one repetition to the next" : "took too long";
  pir_text_format(message->text, sizeof message->text,
                  "the processor was not measured: %s %s, as on a busy machine", p.refused,
                  how);
  return PIR_UNAVAILABLE;
}
