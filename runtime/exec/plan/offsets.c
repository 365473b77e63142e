// Offsets of buffers for known sizes. The program order is simulated on a two-level segregated
// fit allocator (Masmano et al., TLSF) whose heap is the arena: buffers are allocated at their
// first instruction, freed after their last, and free neighbours merge. So planning is
// O(buffers). The lower bound is the largest total size that is live at once. If the result
// exceeds it by more than 1 part in NEAR, the buffers are also fitted one by one (fit.c) and
// the better layout is taken.
#include "offsets.h"

enum { NEAR = 32, MOST_FITTED = 4096 };

enum { UNIT = 64, SPLIT_BITS = 3, SPLITS = 1 << SPLIT_BITS, ROWS = 58, LOOKS = 8 };

// A piece of the arena, in units. Pieces are linked in address order; free ones are also linked
// in their bin.
typedef struct piece {
  uint64_t offset, size;
  uint32_t before, after;          // NONE at the ends
  uint32_t bin_before, bin_after;  // links of a free piece within its bin; NONE at the ends
  bool is_free;
} piece;

typedef struct heap {
  piece *pieces;
  uint32_t count, spare;  // `spare` chains pieces that were joined to others, by `after`
  uint32_t last;          // the last piece in address order
  uint64_t rows;          // bit: the row has a free piece
  uint8_t splits[ROWS];
  uint32_t bins[ROWS][SPLITS];
} heap;

static uint32_t bin_of(uint64_t size) {
  if (size < SPLITS)
    return (uint32_t)size;
  uint32_t row = 63 - (uint32_t)__builtin_clzll(size);
  return (row - SPLIT_BITS + 1) * SPLITS +
         (uint32_t)(size >> (row - SPLIT_BITS) & (SPLITS - 1));
}

static void put_in_bin(heap *h, uint32_t at) {
  uint32_t bin = bin_of(h->pieces[at].size), row = bin / SPLITS, split = bin % SPLITS;
  uint32_t head = h->splits[row] >> split & 1 ? h->bins[row][split] : NONE;
  h->pieces[at].is_free = true;
  h->pieces[at].bin_before = NONE;
  h->pieces[at].bin_after = head;
  if (head != NONE)
    h->pieces[head].bin_before = at;
  h->bins[row][split] = at;
  h->splits[row] |= (uint8_t)(1u << split);
  h->rows |= 1ull << row;
}

static void take_from_bin(heap *h, uint32_t at) {
  piece *p = &h->pieces[at];
  uint32_t bin = bin_of(p->size), row = bin / SPLITS, split = bin % SPLITS;
  p->is_free = false;
  if (p->bin_after != NONE)
    h->pieces[p->bin_after].bin_before = p->bin_before;
  if (p->bin_before != NONE) {
    h->pieces[p->bin_before].bin_after = p->bin_after;
  } else if (p->bin_after != NONE) {
    h->bins[row][split] = p->bin_after;
  } else {
    h->splits[row] &= (uint8_t)~(1u << split);
    if (!h->splits[row])
      h->rows &= ~(1ull << row);
  }
}

// Finds a free piece of at least `size`: among the first few of the bin that may hold one, else
// any piece of a larger bin.
static uint32_t find_piece(const heap *h, uint64_t size) {
  uint32_t bin = bin_of(size), row = bin / SPLITS, split = bin % SPLITS;
  if (h->splits[row] >> split & 1) {
    uint32_t at = h->bins[row][split];
    for (int looks = 0; at != NONE && looks < LOOKS; at = h->pieces[at].bin_after, looks++)
      if (h->pieces[at].size >= size)
        return at;
  }
  uint32_t larger = h->splits[row] & ~((2u << split) - 1);
  if (!larger) {
    uint64_t rows = h->rows & ~((2ull << row) - 1);
    if (!rows)
      return NONE;
    row = (uint32_t)__builtin_ctzll(rows);
    larger = h->splits[row];
  }
  return h->bins[row][__builtin_ctz(larger)];
}

static uint32_t new_piece(heap *h, piece content) {
  uint32_t at = h->spare;
  if (at == NONE)
    at = h->count++;
  else
    h->spare = h->pieces[at].after;
  h->pieces[at] = content;
  return at;
}

static void link_after(heap *h, uint32_t before, uint32_t at) {
  uint32_t after = before == NONE ? NONE : h->pieces[before].after;
  h->pieces[at].before = before;
  h->pieces[at].after = after;
  if (before != NONE)
    h->pieces[before].after = at;
  if (after != NONE)
    h->pieces[after].before = at;
  else
    h->last = at;
}

static void cut(heap *h, uint32_t at, uint64_t size) {
  piece *p = &h->pieces[at];
  if (p->size == size)
    return;
  uint32_t rest = new_piece(h, (piece){.offset = p->offset + size, .size = p->size - size});
  h->pieces[at].size = size;
  link_after(h, at, rest);
  put_in_bin(h, rest);
}

static uint32_t take_piece(heap *h, uint64_t size) {
  uint32_t at = find_piece(h, size);
  if (at != NONE) {
    take_from_bin(h, at);
    cut(h, at, size);
    return at;
  }
  if (h->last != NONE && h->pieces[h->last].is_free) {  // the arena grows under its last piece
    take_from_bin(h, h->last);
    h->pieces[h->last].size = size;
    return h->last;
  }
  uint64_t top = h->last == NONE ? 0 : h->pieces[h->last].offset + h->pieces[h->last].size;
  at = new_piece(h, (piece){.offset = top, .size = size});
  link_after(h, h->last, at);
  return at;
}

// Joins `after` to the piece before it.
static void join_pieces(heap *h, uint32_t at, uint32_t after) {
  h->pieces[at].size += h->pieces[after].size;
  uint32_t next = h->pieces[after].after;
  h->pieces[at].after = next;
  if (next != NONE)
    h->pieces[next].before = at;
  else
    h->last = at;
  h->pieces[after].after = h->spare;
  h->spare = after;
}

static void give_piece(heap *h, uint32_t at) {
  uint32_t before = h->pieces[at].before, after = h->pieces[at].after;
  if (after != NONE && h->pieces[after].is_free) {
    take_from_bin(h, after);
    join_pieces(h, at, after);
  }
  if (before != NONE && h->pieces[before].is_free) {
    take_from_bin(h, before);
    join_pieces(h, before, at);
    at = before;
  }
  put_in_bin(h, at);
}

static uint64_t units_of(size_t size) {
  uint64_t units = size / UNIT + (size % UNIT != 0);
  return units ? units : 1;
}

// Plans in program order, without knowledge of later buffers.
static bool play(const plan *p, bool device, const size_t *sizes, pir_arena *scratch,
                 size_t *out_offsets, size_t *out_total) {
  heap *h = pir_arena_zalloc(scratch, sizeof *h);
  uint32_t *pieces = pir_arena_zalloc(scratch, (p->buffer_count + 1) * sizeof *pieces);
  if (!h || !pieces)
    return false;
  h->pieces = pir_arena_zalloc(scratch, (2 * (size_t)p->arena_count + 2) * sizeof *h->pieces);
  if (!h->pieces)
    return false;
  h->spare = h->last = NONE;
  uint64_t most = 0;
  for (uint32_t i = 0, given = 0; i < p->arena_count; i++) {
    uint32_t buffer = p->by_first[i];
    if (p->buffers[buffer].device != device)
      continue;
    for (; p->buffers[p->by_last[given]].last < p->buffers[buffer].first; given++)
      if (p->buffers[p->by_last[given]].device == device)
        give_piece(h, pieces[p->by_last[given]]);
    uint32_t at = pieces[buffer] = take_piece(h, units_of(sizes[buffer]));
    out_offsets[buffer] = h->pieces[at].offset * UNIT;
    uint64_t end = h->pieces[at].offset + h->pieces[at].size;
    if (end > most)
      most = end;
  }
  *out_total = most * UNIT;
  return true;
}

// Computes the largest total size that is live at once, and the number of buffers.
static size_t most_alive(const plan *p, bool device, const size_t *sizes, uint32_t *out_count) {
  uint64_t alive = 0, most = 0;
  *out_count = 0;
  for (uint32_t i = 0, given = 0; i < p->arena_count; i++) {
    uint32_t buffer = p->by_first[i];
    if (p->buffers[buffer].device != device)
      continue;
    for (; p->buffers[p->by_last[given]].last < p->buffers[buffer].first; given++)
      if (p->buffers[p->by_last[given]].device == device)
        alive -= units_of(sizes[p->by_last[given]]);
    alive += units_of(sizes[buffer]);
    if (alive > most)
      most = alive;
    ++*out_count;
  }
  return most * UNIT;
}

bool pir_plan_offsets(const plan *p, bool device, const size_t *sizes, pir_arena *scratch,
                      size_t *out_offsets, size_t *out_total, size_t *out_alive) {
  uint32_t count;
  *out_alive = most_alive(p, device, sizes, &count);
  if (!play(p, device, sizes, scratch, out_offsets, out_total))
    return false;
  size_t enough = *out_alive + *out_alive / NEAR;
  if (*out_total <= enough || count > MOST_FITTED)
    return true;
  size_t *offsets = pir_arena_zalloc(scratch, p->buffer_count * sizeof *offsets), total;
  if (!offsets || !pir_plan_fit(p, device, sizes, enough, scratch, offsets, &total))
    return false;
  if (total >= *out_total)
    return true;
  *out_total = total;
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (p->buffers[p->by_first[i]].device == device)
      out_offsets[p->by_first[i]] = offsets[p->by_first[i]];
  return true;
}
