// The first pass over a .pdmodel: checks that it is well-formed and within limits, and records
// offsets for messages.
#ifndef PIR_LEGACY_SCAN_H
#define PIR_LEGACY_SCAN_H

#include <protobuf-c/protobuf-c.h>

#include <vec.h>

// Byte offsets of the elements of one repeated field, in file order.
typedef PIR_VEC(uint64_t) offset_list;

// The offsets of everything in a program that errors refer to. `blocks`, `ops` and `vars` run
// over the whole file; the entries of a block are consecutive.
typedef struct scan_result {
  offset_list blocks, ops, vars;
  uint64_t error_offset;
  pir_str error;  // when scanning failed
} scan_result;

// Returns the field with this number; NULL if the schema has none. `io_hint` is the position of
// the last field found (initially 0), because fields come in order.
static inline const ProtobufCFieldDescriptor *
find_field(const ProtobufCMessageDescriptor *message, uint32_t number, unsigned *io_hint) {
  const ProtobufCFieldDescriptor *field = &message->fields[*io_hint];
  if (message->n_fields && field->id == number)
    return field;
  field = protobuf_c_message_descriptor_get_field(message, number);
  if (field)
    *io_hint = (unsigned)(field - message->fields);
  return field;
}

// Checks the bytes of a message of type `root` against its descriptor: wire types, lengths,
// required fields, strings without NUL. Otherwise `error` is set: PIR_INVALID, or PIR_EXHAUSTED
// when there are more than `max_items` ops or variables. Lists and text are in `arena`.
pir_status scan_message(pir_str bytes, const ProtobufCMessageDescriptor *root,
                        uint64_t max_items, pir_arena *arena, scan_result *out);

#endif
