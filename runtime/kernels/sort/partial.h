// The first elements of a line in order, without sorting the rest.
#ifndef PIR_PARTIAL_H
#define PIR_PARTIAL_H

#include <pir/base.h>

// A key, a number or an integer, and where it was.
typedef struct pir_entry {
  union {
    double f;
    int64_t i;
  } key;
  int64_t at;
} pir_entry;

// NaN counts as the largest number.
typedef struct pir_order {
  bool floats, descending;
} pir_order;

bool pir_entry_before(pir_order order, const pir_entry *a, const pir_entry *b);
// The first k of n elements come to the front, in order. Which of equal keys come, and in what
// order, is what std::nth_element, std::sort and std::partial_sort of libstdc++ make of it:
// Paddle's positions come from there. Cost: n + k log k.
void pir_entries_select(pir_order order, pir_entry *entries, int64_t n, int64_t k);
// Element k counted from 0 comes to its place, smaller ones before it: n.
void pir_entries_nth(pir_order order, pir_entry *entries, int64_t n, int64_t k);

#endif
