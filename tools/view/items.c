// Items by address. Addresses that a later step no longer has stay, and may be taken over by
// another op: `step` tells that.
#include <stdlib.h>

#include "view_data.h"

static view_item *slot_of(const view_items *items, const void *address) {
  uintptr_t bits = (uintptr_t)address;
  size_t at = (size_t)((bits >> 4) * 0x9E3779B97F4A7C15u >> 20);
  for (;; at++) {
    view_item *slot = &items->slots[at & (items->slot_count - 1)];
    if (!slot->address || slot->address == address)
      return slot;
  }
}

static bool grow(view_items *items) {
  view_items grown = {.slot_count = items->slot_count ? items->slot_count * 2 : 1024};
  grown.slots = calloc(grown.slot_count, sizeof *grown.slots);
  if (!grown.slots)
    return false;
  for (size_t i = 0; i < items->slot_count; i++)
    if (items->slots[i].address)
      *slot_of(&grown, items->slots[i].address) = items->slots[i];
  grown.taken = items->taken;
  free(items->slots);
  *items = grown;
  return true;
}

view_item *view_item_of(view_items *items, const void *address) {
  if (items->taken * 2 >= items->slot_count && !grow(items))
    return NULL;
  view_item *slot = slot_of(items, address);
  items->taken += !slot->address;
  slot->address = address;
  return slot;
}
