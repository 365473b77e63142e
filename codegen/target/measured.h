// A machine description that is measured: probes find physical figures of this processor, and
// measured.c makes a record of costs (machine.h) of them.
#ifndef PIR_MEASURED_H
#define PIR_MEASURED_H

#include "machine.h"

// The figures (measured_figures.def).
typedef struct pir_measured {
#define FIGURE(name, unit, meaning) double name;
#include "measured_figures.def"
#undef FIGURE
} pir_measured;

// A figure's name, unit ("" where it is a ratio), meaning, and place.
typedef struct measured_figure {
  const char *name, *unit, *meaning;
  size_t at;
} measured_figure;

// Returns figure `i`; NULL beyond the last.
const measured_figure *pir_measured_figure(size_t i);
double pir_measured_get(const pir_measured *m, const measured_figure *figure);

// Measures this processor, with the vectors of `target`, in at most 150 ms; no repetition
// begins after MEASURE_NS. Figures have four digits, which is what a file keeps of them.
// PIR_UNAVAILABLE, with the reason in `message`: repetitions of a probe disagreed, also when
// they were tried again, as on a machine that is busy. PIR_UNSUPPORTED: probes of this
// architecture are missing. PIR_EXHAUSTED: there is no memory.
enum { MEASURE_NS = 120000000 };
pir_status pir_machine_measure(const pir_target *target, pir_measured *out,
                               pir_message *message);

// Makes the record of a machine: numbers that follow from the figures replace the row's.
// `target` has the caches, `processors` counts the machine's. `sources` holds the row's
// sources, and receives the new record's.
void pir_machine_derive(const pir_machine *row, const pir_target *target,
                        const pir_measured *measured, int processors, pir_machine *out,
                        uint8_t sources[MACHINE_FIELDS]);
// Has work divided for all of so many processors, and for half of them, two threads at least.
// Which processors a process may use, and how many threads a run has, plays no part.
void pir_machine_set_teams(pir_machine *machine, uint8_t sources[MACHINE_FIELDS],
                           int processors);

#endif
