// What the files of this folder share: a page while it is gathered.
#ifndef PIR_TOOLS_VIEW_DATA_H
#define PIR_TOOLS_VIEW_DATA_H

#include "json.h"
#include "strings.h"
#include "view.h"

// An op, or a block for the sake of its arguments, as the last step had it.
typedef struct view_item {
  const void *address;  // of a pir_op or pir_block
  const char *name;     // of the operator, a constant of the context; NULL: a block
  uint32_t step;        // the last one that had it
  uint32_t number;      // the same for one op in all steps
  uint32_t values;      // number of its first result or argument
  uint32_t value_count;
  size_t record;      // number of its record
  uint64_t contents;  // hash of that record
} view_item;

// Open addressing by address; a power of two of slots.
typedef struct view_items {
  view_item *slots;
  size_t slot_count, taken;
} view_items;

struct view {
  char *title, *source;
  size_t source_size;
  view_strings strings;
  view_strings names;    // of operators
  view_strings weights;  // names whose statistics are written
  view_items items;
  uint32_t step_count, item_count, value_count;
  size_t record_count;
  json records, steps, statistics, code, diags, extra;
  json scratch;    // one record
  double pass_ms;  // when the pass that runs began
  bool failed;
};

// Finds the item of an address, or a free slot for it; NULL when memory ran out.
view_item *view_item_of(view_items *items, const void *address);

#endif
