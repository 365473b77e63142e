// From figures to costs: which numbers of a machine record follow from what probes find, by
// which formula, and why. All else in a record stays as the table has it.
//
// Numbers are coarse on purpose: code is chosen by them, and sums are ordered by that choice,
// so two probes of one machine should give one record. A number of the table stays where the
// measured one is near; otherwise the measured one is rounded to a power of two, unless it
// counts something.
#include "measured.h"

#include <math.h>

static const measured_figure figures[] = {
#define FIGURE(name, unit, meaning) {#name, unit, meaning, offsetof(pir_measured, name)},
#include "measured_figures.def"
#undef FIGURE
};

const measured_figure *pir_measured_figure(size_t i) {
  return i < sizeof figures / sizeof *figures ? &figures[i] : NULL;
}

double pir_measured_get(const pir_measured *m, const measured_figure *figure) {
  return *(const double *)((const char *)m + figure->at);
}

// A record that is being made.
typedef struct deriving {
  const pir_measured *m;
  const pir_target *target;
  pir_machine *out;
  uint8_t *sources;
  double widest;        // products of the widest vectors in a nanosecond
  double widest_loads;  // loads of them in a cycle
} deriving;

static void note_measured(const deriving *d, machine_field field) {
  d->sources[field] = MACHINE_MEASURED;
}

static double clipped(double value, double least, double most) {
  return fmin(fmax(value, least), most);
}

static int64_t nearest_power(double value) {
  return (int64_t)exp2(round(log2(value)));
}

// The row's number where the measured one differs by less than the factor `same`, else a power
// of two near that.
static int64_t coarse(int64_t row, double value, double same, int64_t least, int64_t most) {
  if (row > 0 && value < same * (double)row && value > (double)row / same)
    return row;
  return nearest_power(clipped(value, (double)least, (double)most));
}

static double products_of(const pir_measured *m, int bytes) {
  const double all[] = {m->products_16, m->products_32, m->products_64};
  return all[bytes / 32];
}

static double latency_of(const pir_measured *m, int bytes) {
  const double all[] = {m->latency_16, m->latency_32, m->latency_64};
  return all[bytes / 32];
}

// ---- arithmetic

// chains: a sum waits for its product's latency, and meanwhile others start at the rate of the
// widest vectors. On a core whose units are half a register wide that is half the rate of the
// units, so half as many sums keep them busy. Both are whole numbers, the rate at least one: a
// probe that is disturbed finds somewhat less, and their product would be another count.
//
// products: how many units multiply. That is the most products of any width that start in a
// cycle.
//
// loads: in the same measure, so that loads / products is the number of vectors that are loaded
// while one is multiplied.
static void derive_arithmetic(const deriving *d) {
  const pir_measured *m = d->m;
  double most = fmax(m->products_16, fmax(m->products_32, m->products_64)) / m->clock;
  double units = clipped(round(most), 1, 8);
  double rate = fmax(round(d->widest / m->clock), 1);
  double chains = round(latency_of(m, d->target->vector_bytes)) * rate;
  if (d->sources[MACHINE_core_chains] != MACHINE_FITTED) {
    d->out->core.chains = (int)clipped(chains, 1, 64);
    note_measured(d, MACHINE_core_chains);
  }
  d->out->core.products = (int)units;
  note_measured(d, MACHINE_core_products);
  double loads = units * d->widest_loads / (d->widest / m->clock);
  d->out->core.loads = (int)clipped(round(loads), 1, 16);
  note_measured(d, MACHINE_core_loads);
}

// narrowest_bytes: the narrowest vectors of which clearly more than of the widest are
// multiplied in the same time. A core on which all cost alike has none that are cheaper than
// the widest.
static void derive_narrowest(const deriving *d) {
  int bytes = 16;
  while (bytes < d->target->vector_bytes && products_of(d->m, bytes) < 1.5 * d->widest)
    bytes *= 2;
  d->out->core.narrowest_bytes = bytes;
  note_measured(d, MACHINE_core_narrowest_bytes);
}

// ---- memory

// GB/s are bytes a nanosecond: divided by products a nanosecond they are the bytes that are
// read in the time of one product of the widest vectors.
static void derive_feed(const deriving *d, machine_field field, double read, int *out) {
  if (read <= 0)
    return;
  *out = (int)coarse(*out, read / d->widest, 1.5, 1, 256);
  note_measured(d, field);
}

// fetches_panels: whether a product of 48 rows becomes faster by a twentieth at least, be its
// weights in the last-level cache or in memory, if each panel fetches the next one. Less is
// what repetitions differ by, and fetching costs an instruction for each line. Whole networks
// on this processor say more, where they were timed.
static void derive_fetching(const deriving *d) {
  double gain = fmax(d->m->fetch_gain_l3, d->m->fetch_gain_memory);
  if (gain <= 0 || d->sources[MACHINE_cache_fetches_panels] == MACHINE_FITTED)
    return;
  d->out->cache.fetches_panels = gain > 1.05;
  note_measured(d, MACHINE_cache_fetches_panels);
}

// overlap: a product whose weights come from memory takes 1/n of the time of reading them
// longer than one whose weights are near, with or without fetching ahead, as the code will do
// it. That is a small difference of two times, so n is a power of four only. The first panel is
// fetched by none, and repetitions differ: with fetching up to a quarter of the time of reading
// says no more than that the rest is hidden. Whole convolutions on this processor say more,
// where they were timed.
static void derive_overlap(const deriving *d) {
  bool fetches = d->out->cache.fetches_panels;
  double added = fetches ? d->m->unhidden_fetched : d->m->unhidden;
  double hidden = fetches ? 1.0 / 4 : 1.0 / 16;
  if (added <= 0 || d->sources[MACHINE_cache_overlap] == MACHINE_FITTED)
    return;
  d->out->cache.overlap = added <= hidden ? 16 : 4;
  if (added > 0.5)
    d->out->cache.overlap = 1;
  note_measured(d, MACHINE_cache_overlap);
}

// l2_feed: reading alone shows the most that the L2 cache gives. A tile whose panel comes from
// there may get less, as on the first Zen, so what products of this processor were fitted to
// counts.
static void derive_l2_feed(const deriving *d) {
  if (d->sources[MACHINE_cache_l2_feed] != MACHINE_FITTED)
    derive_feed(d, MACHINE_cache_l2_feed, d->m->l2_read, &d->out->cache.l2_feed);
}

static void derive_memory(const deriving *d) {
  const pir_measured *m = d->m;
  derive_feed(d, MACHINE_cache_memory_bytes, m->memory_read, &d->out->cache.memory_bytes);
  derive_feed(d, MACHINE_cache_l3_feed, m->l3_read, &d->out->cache.l3_feed);
  derive_l2_feed(d);
  derive_fetching(d);
  derive_overlap(d);
}

// set_bytes: a way of the L1 cache, as the processor states its size and ways. Addresses at
// that distance meet in one set.
static void derive_sets(const deriving *d) {
  int ways = d->target->l1_ways;
  if (ways <= 0 || d->target->l1_bytes % (size_t)ways)
    return;
  d->out->cache.set_bytes = (int64_t)d->target->l1_bytes / ways;
  d->sources[MACHINE_cache_set_bytes] = MACHINE_VENDOR;
}

// colliding_rows: rows that meet in one set leave ways for the panel: a quarter, but one of
// eight and fewer, as on the processors that were fitted.
static void derive_collisions(const deriving *d) {
  int ways = d->target->l1_ways;
  if (ways <= 1 || d->sources[MACHINE_tile_colliding_rows] == MACHINE_FITTED)
    return;
  d->out->tile.colliding_rows = ways <= 8 ? ways - 1 : ways * 3 / 4;
  d->sources[MACHINE_tile_colliding_rows] = MACHINE_VENDOR;
}

// ---- threads

// unit_elements: a thread takes a unit by a change that it sees and that others see, a round
// trip between two processors. A unit takes four times as long, so that a loop of units loses a
// quarter at most. Elementwise code over the L2 cache reads and writes four bytes for each
// element, at the speed of reading. How long a thread sleeps on when it is called plays no
// part: others take its units meanwhile, and threads watch for the next loop before they sleep.
// A change is seen after a time that is five times as long while other programs run, so the
// row's number stays within a factor of six.
static void derive_unit(const deriving *d) {
  enum { ELEMENT = 8, FEWEST = 1024, MOST = 1 << 16 };
  if (d->m->handoff <= 0 || d->m->l2_read <= 0)
    return;
  double elements = 4 * 2 * d->m->handoff * d->m->l2_read / ELEMENT;
  d->out->nest.unit_elements = coarse(d->out->nest.unit_elements, elements, 6, FEWEST, MOST);
  note_measured(d, MACHINE_nest_unit_elements);
}

void pir_machine_set_teams(pir_machine *machine, uint8_t sources[MACHINE_FIELDS],
                           int processors) {
  int most = (int)clipped(processors, 1, 64);
  machine->core.teams[0] = most < 4 ? most : most / 2;
  machine->core.teams[1] = most;
  sources[MACHINE_core_teams] = MACHINE_VENDOR;
}

void pir_machine_derive(const pir_machine *row, const pir_target *target,
                        const pir_measured *measured, int processors, pir_machine *out,
                        uint8_t sources[MACHINE_FIELDS]) {
  deriving d = {.m = measured, .target = target, .out = out, .sources = sources};
  *out = *row;
  d.widest = products_of(measured, target->vector_bytes);
  d.widest_loads = measured->loads;
  derive_sets(&d);
  derive_collisions(&d);
  pir_machine_set_teams(out, sources, processors);
  if (d.widest <= 0 || measured->clock <= 0)
    return;
  derive_arithmetic(&d);
  derive_narrowest(&d);
  derive_memory(&d);
  derive_unit(&d);
}
