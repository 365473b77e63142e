// Introselect, introsort and heap selection with the pivots and the moves of libstdc++, so that
// equal keys end up in the same places. Recursion is bounded by twice the logarithm of the
// length.
#include "partial.h"

#include <math.h>
#include <string.h>

typedef pir_entry entry;

bool pir_entry_before(pir_order order, const entry *a, const entry *b) {
  if (!order.floats)
    return order.descending ? a->key.i > b->key.i : a->key.i < b->key.i;
  bool na = isnan(a->key.f);
  bool nb = isnan(b->key.f);
  if (na || nb)
    return order.descending ? na && !nb : !na && nb;
  return order.descending ? a->key.f > b->key.f : a->key.f < b->key.f;
}

static void swap_entries(entry *a, entry *b) {
  entry held = *a;
  *a = *b;
  *b = held;
}

static int floor_log2(int64_t n) {
  return n > 0 ? 63 - __builtin_clzll((unsigned long long)n) : 0;
}

// ---- heaps, whose top is the last element in order

static void push_entry_heap(pir_order order, entry *first, int64_t hole, int64_t top,
                            entry value) {
  while (hole > top) {
    int64_t parent = (hole - 1) / 2;
    if (!pir_entry_before(order, &first[parent], &value))
      break;
    first[hole] = first[parent];
    hole = parent;
  }
  first[hole] = value;
}

static void adjust_entry_heap(pir_order order, entry *first, int64_t hole, int64_t n,
                              entry value) {
  int64_t top = hole, child = hole;
  while (child < (n - 1) / 2) {
    child = 2 * (child + 1);
    if (pir_entry_before(order, &first[child], &first[child - 1]))
      child--;
    first[hole] = first[child];
    hole = child;
  }
  if (n % 2 == 0 && child == (n - 2) / 2) {
    child = 2 * (child + 1);
    first[hole] = first[child - 1];
    hole = child - 1;
  }
  push_entry_heap(order, first, hole, top, value);
}

static void pop_entry_heap(pir_order order, entry *first, int64_t n, entry *result) {
  entry value = *result;
  *result = *first;
  adjust_entry_heap(order, first, 0, n, value);
}

static void select_by_heap(pir_order order, entry *first, int64_t k, int64_t n) {
  for (int64_t parent = (k - 2) / 2; k > 1 && parent >= 0; parent--)
    adjust_entry_heap(order, first, parent, k, first[parent]);
  for (int64_t i = k; i < n; i++)
    if (pir_entry_before(order, &first[i], first))
      pop_entry_heap(order, first, k, &first[i]);
}

static void sort_first_by_heap(pir_order order, entry *first, int64_t k, int64_t n) {
  select_by_heap(order, first, k, n);
  for (int64_t last = k - 1; last > 0; last--)
    pop_entry_heap(order, first, last, &first[last]);
}

// ---- partitions

// Moves an entry back to its place among the sorted ones before it, of which one is not
// greater.
static void insert_entry_back(pir_order order, entry *at) {
  entry value = *at;
  for (; pir_entry_before(order, &value, at - 1); at--)
    *at = at[-1];
  *at = value;
}

static void insertion_sort(pir_order order, entry *first, entry *last) {
  for (entry *i = first + 1; first != last && i < last; i++) {
    if (!pir_entry_before(order, i, first)) {
      insert_entry_back(order, i);
      continue;
    }
    entry value = *i;
    memmove(first + 1, first, (size_t)(i - first) * sizeof *first);
    *first = value;
  }
}

// The median of three entries.
static entry *median_of(pir_order order, entry *a, entry *b, entry *c) {
  if (pir_entry_before(order, a, b)) {
    if (pir_entry_before(order, b, c))
      return b;
    return pir_entry_before(order, a, c) ? c : a;
  }
  if (pir_entry_before(order, a, c))
    return a;
  return pir_entry_before(order, b, c) ? c : b;
}

// Partitions by the median of three, which goes to the front. Returns the first entry of the
// upper part.
static entry *partition_entries(pir_order order, entry *first, entry *last) {
  entry *pivot = first;
  entry *middle = first + (last - first) / 2;
  swap_entries(first, median_of(order, first + 1, middle, last - 1));
  for (first++;; first++) {
    while (pir_entry_before(order, first, pivot))
      first++;
    last--;
    while (pir_entry_before(order, pivot, last))
      last--;
    if (first >= last)
      return first;
    swap_entries(first, last);
  }
}

void pir_entries_nth(pir_order order, entry *first, int64_t n, int64_t k) {
  entry *nth = first + k, *last = first + n;
  if (k >= n)
    return;
  for (int depth = 2 * floor_log2(n); last - first > 3; depth--) {
    if (depth == 0) {
      select_by_heap(order, first, nth - first + 1, last - first);
      swap_entries(first, nth);
      return;
    }
    entry *cut = partition_entries(order, first, last);
    if (cut <= nth)
      first = cut;
    else
      last = cut;
  }
  insertion_sort(order, first, last);
}

static const int64_t SHORT = 16;

static void introsort_loop(pir_order order, entry *first, entry *last, int depth) {
  for (; last - first > SHORT; depth--) {
    if (depth == 0) {
      sort_first_by_heap(order, first, last - first, last - first);
      return;
    }
    entry *cut = partition_entries(order, first, last);
    introsort_loop(order, cut, last, depth - 1);
    last = cut;
  }
}

static void introsort_entries(pir_order order, entry *first, int64_t n) {
  entry *last = first + n;
  if (n < 1)
    return;
  introsort_loop(order, first, last, 2 * floor_log2(n));
  insertion_sort(order, first, n > SHORT ? first + SHORT : last);
  for (entry *i = first + SHORT; n > SHORT && i < last; i++)
    insert_entry_back(order, i);
}

void pir_entries_select(pir_order order, entry *first, int64_t n, int64_t k) {
  if (k <= 0)
    return;
  if (k * 64 < n) {
    sort_first_by_heap(order, first, k, n);
    return;
  }
  pir_entries_nth(order, first, n, k - 1);
  introsort_entries(order, first, k - 1);
}
