// The first look at a .pdmodel: is it well-formed, is it within limits, and where do things start.
#ifndef PIR_LEGACY_SCAN_H
#define PIR_LEGACY_SCAN_H

#include <pir/base.h>
#include <protobuf-c/protobuf-c.h>

// Byte offsets of the elements of one repeated field, in file order.
typedef struct offset_list {
  uint64_t *items;
  size_t count, capacity;
} offset_list;

// Everything in a program that an error may be about. `blocks`, `ops` and `vars` run over the whole file:
// those of a block follow one another.
typedef struct scan_result {
  offset_list blocks, ops, vars;
  uint64_t error_offset;
  char error[160];  // when scanning failed
} scan_result;

// Checks the bytes of a message of type `root` against its descriptor: wire types, lengths, required fields,
// strings without NUL. PIR_INVALID with `error` set, PIR_EXHAUSTED (also when there are more than `max_items`
// ops or variables).
pir_status scan_message(pir_str bytes, const ProtobufCMessageDescriptor *root, uint64_t max_items, scan_result *out);
void scan_free(scan_result *scan);

#endif
