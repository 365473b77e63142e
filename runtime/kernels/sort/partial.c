// Introselect, introsort and heap selection with the pivots and the moves of libstdc++: equal
// keys end up where they do there. Recursion is bounded by twice the logarithm of the length.
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

static void swap(entry *a, entry *b) {
  entry held = *a;
  *a = *b;
  *b = held;
}

static int log2_of(int64_t n) {
  return n > 0 ? 63 - __builtin_clzll((unsigned long long)n) : 0;
}

// ---- heaps: the last element in order on top

static void push_heap(pir_order order, entry *first, int64_t hole, int64_t top, entry value) {
  for (int64_t parent = (hole - 1) / 2;
       hole > top && pir_entry_before(order, &first[parent], &value); parent = (hole - 1) / 2) {
    first[hole] = first[parent];
    hole = parent;
  }
  first[hole] = value;
}

static void adjust_heap(pir_order order, entry *first, int64_t hole, int64_t n, entry value) {
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
  push_heap(order, first, hole, top, value);
}

static void pop_heap(pir_order order, entry *first, int64_t n, entry *result) {
  entry value = *result;
  *result = *first;
  adjust_heap(order, first, 0, n, value);
}

static void heap_select(pir_order order, entry *first, int64_t k, int64_t n) {
  for (int64_t parent = (k - 2) / 2; k > 1 && parent >= 0; parent--)
    adjust_heap(order, first, parent, k, first[parent]);
  for (int64_t i = k; i < n; i++)
    if (pir_entry_before(order, &first[i], first))
      pop_heap(order, first, k, &first[i]);
}

static void partial_sort(pir_order order, entry *first, int64_t k, int64_t n) {
  heap_select(order, first, k, n);
  for (int64_t last = k - 1; last > 0; last--)
    pop_heap(order, first, last, &first[last]);
}

// ---- partitions

static void insert_back(pir_order order, entry *at) {
  entry value = *at;
  for (; pir_entry_before(order, &value, at - 1); at--)
    *at = at[-1];
  *at = value;
}

static void insertion_sort(pir_order order, entry *first, entry *last) {
  for (entry *i = first + 1; first != last && i < last; i++) {
    if (!pir_entry_before(order, i, first)) {
      insert_back(order, i);
      continue;
    }
    entry value = *i;
    memmove(first + 1, first, (size_t)(i - first) * sizeof *first);
    *first = value;
  }
}

static void median_to_first(pir_order order, entry *to, entry *a, entry *b, entry *c) {
  if (pir_entry_before(order, a, b))
    swap(to, pir_entry_before(order, b, c) ? b : pir_entry_before(order, a, c) ? c : a);
  else
    swap(to, pir_entry_before(order, a, c) ? a : pir_entry_before(order, b, c) ? c : b);
}

static entry *partition(pir_order order, entry *first, entry *last) {
  entry *pivot = first;
  median_to_first(order, first, first + 1, first + (last - first) / 2, last - 1);
  for (first++;; first++) {
    while (pir_entry_before(order, first, pivot))
      first++;
    last--;
    while (pir_entry_before(order, pivot, last))
      last--;
    if (first >= last)
      return first;
    swap(first, last);
  }
}

void pir_entries_nth(pir_order order, entry *first, int64_t n, int64_t k) {
  entry *nth = first + k, *last = first + n;
  if (k >= n)
    return;
  for (int depth = 2 * log2_of(n); last - first > 3; depth--) {
    if (depth == 0) {
      heap_select(order, first, nth - first + 1, last - first);
      swap(first, nth);
      return;
    }
    entry *cut = partition(order, first, last);
    if (cut <= nth)
      first = cut;
    else
      last = cut;
  }
  insertion_sort(order, first, last);
}

static const int64_t SHORT = 16;

static void sort_loop(pir_order order, entry *first, entry *last, int depth) {
  for (; last - first > SHORT; depth--) {
    if (depth == 0) {
      partial_sort(order, first, last - first, last - first);
      return;
    }
    entry *cut = partition(order, first, last);
    sort_loop(order, cut, last, depth - 1);
    last = cut;
  }
}

static void sort(pir_order order, entry *first, int64_t n) {
  entry *last = first + n;
  if (n < 1)
    return;
  sort_loop(order, first, last, 2 * log2_of(n));
  insertion_sort(order, first, n > SHORT ? first + SHORT : last);
  for (entry *i = first + SHORT; n > SHORT && i < last; i++)
    insert_back(order, i);
}

void pir_entries_select(pir_order order, entry *first, int64_t n, int64_t k) {
  if (k <= 0)
    return;
  if (k * 64 < n) {
    partial_sort(order, first, k, n);
    return;
  }
  pir_entries_nth(order, first, n, k - 1);
  sort(order, first, k - 1);
}
