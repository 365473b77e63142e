// Assigns offsets when all lifetimes are known. Buffers are placed one at a time, in a few
// different orders, each into the tightest gap between the placed buffers that are live at the
// same time. Placed buffers stay sorted by offset, so each placement costs one walk:
// O(buffers^2) in all.
#include "offsets.h"
#include <stdlib.h>
#include <string.h>

enum { UNIT = 64, ORDERS = 3 };

typedef struct item {
  uint32_t buffer, first, last;
  uint64_t size, offset;  // in bytes, multiples of UNIT
  double weight;          // the heaviest is placed first
} item;

static int heaviest_first(const void *x, const void *y) {
  const item *a = x, *b = y;
  if (a->weight != b->weight)
    return a->weight > b->weight ? -1 : 1;
  if (a->first != b->first)
    return a->first < b->first ? -1 : 1;
  return a->buffer < b->buffer ? -1 : a->buffer > b->buffer;
}

// Weights of the placement orders: large buffers leave awkward gaps, long-lived ones obstruct
// all others; which is worse depends on the program.
static double weight_of(const item *it, int order) {
  double size = (double)it->size, length = (double)(it->last - it->first) + 1;
  if (order == 0)
    return size;
  return order == 1 ? size * length : length;
}

static uint64_t find_gap(const item *placed, uint32_t count, const item *it) {
  uint64_t end = 0, best = 0, tightest = UINT64_MAX;
  for (uint32_t i = 0; i < count; i++) {
    const item *other = &placed[i];
    if (other->last < it->first || it->last < other->first)
      continue;
    if (other->offset >= end + it->size && other->offset - end < tightest) {
      tightest = other->offset - end;
      best = end;
    }
    if (other->offset + other->size > end)
      end = other->offset + other->size;
  }
  return tightest == UINT64_MAX ? end : best;
}

static void place_item(item *placed, uint32_t count, item it) {
  uint32_t at = count;
  while (at && placed[at - 1].offset > it.offset)
    at--;
  memmove(placed + at + 1, placed + at, (count - at) * sizeof *placed);
  placed[at] = it;
}

static uint64_t fit(item *items, item *placed, uint32_t count, int order) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < count; i++)
    items[i].weight = weight_of(&items[i], order);
  if (count)
    qsort(items, count, sizeof *items, heaviest_first);
  for (uint32_t i = 0; i < count; i++) {
    items[i].offset = find_gap(placed, i, &items[i]);
    place_item(placed, i, items[i]);
    if (items[i].offset + items[i].size > total)
      total = items[i].offset + items[i].size;
  }
  return total;
}

bool pir_plan_fit(const plan *p, bool device, const size_t *sizes, size_t enough,
                  pir_arena *scratch, size_t *out_offsets, size_t *out_total) {
  item *items = pir_arena_zalloc(scratch, (p->arena_count + (size_t)1) * sizeof *items);
  item *placed = pir_arena_zalloc(scratch, (p->arena_count + (size_t)1) * sizeof *placed);
  uint32_t count = 0;
  if (!items || !placed)
    return false;
  for (uint32_t i = 0; i < p->arena_count; i++) {
    const plan_buffer *b = &p->buffers[p->by_first[i]];
    uint64_t size = (sizes[p->by_first[i]] + (uint64_t)UNIT - 1) / UNIT * UNIT;
    if (b->device == device)
      items[count++] = (item){p->by_first[i], b->first, b->last, size ? size : UNIT, 0, 0};
  }
  *out_total = SIZE_MAX;
  for (int order = 0; order < ORDERS && *out_total > enough; order++) {
    uint64_t total = fit(items, placed, count, order);
    if (total >= *out_total)
      continue;
    *out_total = total;
    for (uint32_t i = 0; i < count; i++)
      out_offsets[items[i].buffer] = items[i].offset;
  }
  return true;
}
