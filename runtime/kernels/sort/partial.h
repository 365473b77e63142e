// Selection of the first elements of a line in order, without sorting the rest.
#ifndef PIR_PARTIAL_H
#define PIR_PARTIAL_H

#include <pir/base.h>

// A key (a float or an integer) and its position in the line.
typedef struct pir_entry {
  union {
    double f;
    int64_t i;
  } key;
  int64_t at;
} pir_entry;

// The order of keys. NaN counts as the largest number.
typedef struct pir_order {
  bool floats, descending;
} pir_order;

// Whether a comes before b.
bool pir_entry_before(pir_order order, const pir_entry *a, const pir_entry *b);
// Moves the first k of n elements to the front, in order. Equal keys are chosen and ordered as
// by libstdc++'s std::nth_element, std::sort and std::partial_sort, which decide Paddle's
// positions. Cost: n + k log k.
void pir_entries_select(pir_order order, pir_entry *entries, int64_t n, int64_t k);
// Moves element k, counted from 0, to its place, with the elements before it in front. Cost: n.
void pir_entries_nth(pir_order order, pir_entry *entries, int64_t n, int64_t k);

#endif
