// Products whose weights come from near and from far: what fetching the next panel into the L2
// cache gains while the present one is multiplied, and how much of the time of reading remains
// visible. The shape is typical of contractions that have this question, 48 rows times panels
// of 768 lines, in tiles as the generator makes them.
#include "prober.h"

#include <string.h>

enum { ROWS = 48, STEPS = 768, PANELS = 16 };

// Where the weights are when the product begins.
typedef enum place { NEAR, LAST_LEVEL, MEMORY } place;

typedef struct product {
  const prober *p;
  const float *rows;
  const char *panels, *others;
  size_t panel;         // its size
  size_t step;          // from one to the next; 0: all are the same one, which stays near
  size_t others_bytes;  // displace panels from the L2 cache
  place where;
  bool fetches;
} product;

static void place_weights(const product *q) {
  void (*read)(const char *, size_t) = q->p->widest->read;
  read(q->panels, q->step ? (PANELS + 1) * q->panel : q->panel);
  if (q->where == LAST_LEVEL)
    read(q->others, q->others_bytes);
  if (q->where == MEMORY)
    probe_flush(q->p, q->panels, (PANELS + 1) * q->panel);
  read((const char *)q->rows, sizeof(float) * ROWS * STEPS);
}

// Each tile fetches its part of each line of the next panel.
static double time_product(void *user) {
  const product *q = user;
  const probe_kernels *k = q->p->widest;
  int tiles = ROWS / k->rows;
  long part = (2L * k->bytes + tiles - 1) / tiles;
  place_weights(q);
  double start = probe_now();
  for (int panel = 0; panel < PANELS; panel++)
    for (int tile = 0; tile < tiles; tile++)
      k->multiply_tile(q->rows + (size_t)tile * k->rows * STEPS, q->panels + panel * q->step,
                       STEPS, q->fetches ? (long)q->panel + tile * part : 0);
  return probe_now() - start;
}

// A product that is no slower hides all of the reading: the least part that counts is a
// hundredth.
static double visible_part(double time, double near, double reading) {
  double part = (time - near) / reading;
  return part < 0.01 ? 0.01 : part;
}

// The cases that are compared. Without a last-level cache the last two are left out.
enum { IS_NEAR, PLAIN, FETCHED, L3_PLAIN, L3_FETCHED, CASES };

static void note_figures(prober *p, size_t bytes, const double times[CASES]) {
  pir_measured *m = p->out;
  double reading = (double)bytes / m->memory_read;
  m->fetch_gain_memory = times[PLAIN] / times[FETCHED];
  m->unhidden = visible_part(times[PLAIN], times[IS_NEAR], reading);
  m->unhidden_fetched = visible_part(times[FETCHED], times[IS_NEAR], reading);
  if (p->far_bytes)
    m->fetch_gain_l3 = times[L3_PLAIN] / times[L3_FETCHED];
}

void probe_products(prober *p) {
  product q = {.p = p, .panel = (size_t)2 * STEPS * (size_t)p->widest->bytes};
  size_t weights = (PANELS + 1) * q.panel, rows = sizeof(float) * ROWS * STEPS;
  if (p->refused || p->room_bytes < weights + rows + 2 * p->target->l2_bytes)
    return;
  memset(p->room, 0, weights + rows);  // older bytes could be numbers that take longer
  q.rows = (const float *)(p->room + weights);
  q.panels = p->room;
  q.others = p->room + weights + rows;
  q.others_bytes = (p->room_bytes - weights - rows) / 512 * 512;
  static const place places[CASES] = {NEAR, MEMORY, MEMORY, LAST_LEVEL, LAST_LEVEL};
  product cases[CASES];
  void *users[CASES];
  double times[CASES];
  for (int i = 0; i < CASES; i++) {
    cases[i] = q;
    cases[i].where = places[i];
    cases[i].step = places[i] == NEAR ? 0 : q.panel;
    cases[i].fetches = i == FETCHED || i == L3_FETCHED;
    users[i] = &cases[i];
  }
  if (probe_times(p, "fetch_gain", time_product, users, p->far_bytes ? CASES : L3_PLAIN, times))
    note_figures(p, PANELS * q.panel, times);
}
