// Caches and memory: how fast one thread reads from each, and how long a load waits for
// it. A buffer is in memory after its lines were flushed: no buffer need exceed the last-level
// cache, of which a guest sees the size but not its part.
#include "prober.h"

enum { LINE = 64, PASS_BYTES = 4 << 20, JUMPS = 10000, FAR_JUMPS = 1000 };

typedef struct reading {
  const prober *p;
  const char *from;
  size_t bytes;
  int passes;
  bool flushes;
} reading;

static double time_reading(void *user) {
  const reading *r = user;
  if (r->flushes)
    probe_flush(r->p, r->from, r->bytes);
  else
    r->p->widest->read(r->from, r->bytes);
  double start = probe_now();
  for (int i = 0; i < r->passes; i++)
    r->p->widest->read(r->from, r->bytes);
  return probe_now() - start;
}

// In GB/s.
static double read_rate(prober *p, const char *figure, size_t bytes, bool flushes) {
  int passes = flushes || bytes > PASS_BYTES / 4 ? 1 : (int)(PASS_BYTES / 4 / bytes);
  reading r = {p, p->room, bytes, passes, flushes};
  double time = probe_time(p, figure, time_reading, &r);
  return time > 0 ? (double)bytes * passes / time : 0;
}

// ---- waiting

typedef struct chase {
  const prober *p;
  char *from;
  size_t bytes;
  long jumps;
  bool flushes;
} chase;

// Makes the lines of the buffer one ring in random order (Sattolo, 1986): each holds the
// address of the next.
PROBE_BARE static void link_lines(char *from, size_t bytes) {
  size_t count = bytes / LINE;
  uint64_t seed = 1;
  for (size_t i = 0; i < count; i++)
    *(size_t *)(from + i * LINE) = i;
  for (size_t i = count - 1; i > 0; i--) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    size_t k = (size_t)(seed >> 33) % i;
    size_t *a = (size_t *)(from + i * LINE), *b = (size_t *)(from + k * LINE), before = *a;
    *a = *b;
    *b = before;
  }
  for (size_t i = 0; i < count; i++) {
    size_t *line = (size_t *)(from + i * LINE);
    *(char **)line = from + *line * LINE;
  }
}

// Flushes the lines that jumps will visit, and no others.
PROBE_BARE static void flush_chased(const chase *c) {
  char *at = c->from;
  for (long i = 0; i < c->jumps; i++) {
    char *next = *(char **)at;
    probe_flush(c->p, at, LINE);
    at = next;
  }
}

PROBE_BARE static double time_chase(void *user) {
  const chase *c = user;
  if (c->flushes)
    flush_chased(c);
  char *at = c->from;
  double start = probe_now();
  for (long i = 0; i < c->jumps; i++)
    at = *(char **)at;
  __asm__ volatile("" : : "r"(at));
  return probe_now() - start;
}

static double wait_time(prober *p, const char *figure, size_t bytes, bool flushes) {
  chase c = {p, p->room, bytes, flushes ? FAR_JUMPS : JUMPS, flushes};
  if (p->refused)
    return 0;
  link_lines(c.from, bytes);
  return probe_time(p, figure, time_chase, &c) / (double)c.jumps;
}

void probe_memory(prober *p) {
  pir_measured *m = p->out;
  size_t l1 = p->target->l1_bytes / 2, l2 = p->target->l2_bytes / 2, far = p->far_bytes;
  m->l1_read = read_rate(p, "l1_read", l1, false);
  m->l2_read = read_rate(p, "l2_read", l2, false);
  if (far)
    m->l3_read = read_rate(p, "l3_read", far, false);
  m->memory_read = read_rate(p, "memory_read", p->room_bytes, true);
  m->l1_wait = wait_time(p, "l1_wait", l1, false);
  m->l2_wait = wait_time(p, "l2_wait", l2, false);
  if (far)
    m->l3_wait = wait_time(p, "l3_wait", far, false);
  m->memory_wait = wait_time(p, "memory_wait", p->room_bytes, true);
}
