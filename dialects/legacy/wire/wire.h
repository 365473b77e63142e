// Bounded reads of protobuf's wire format: every read stays inside [at, end).
#ifndef PIR_LEGACY_WIRE_H
#define PIR_LEGACY_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum wire_kind {
  WIRE_VARINT = 0,
  WIRE_FIXED64 = 1,
  WIRE_BYTES = 2,
  WIRE_FIXED32 = 5
} wire_kind;

typedef struct wire_reader {
  const uint8_t *at, *end;
  const char *error;  // why the last read failed
} wire_reader;

typedef struct wire_field {
  uint32_t number;
  wire_kind kind;
  uint64_t value;        // WIRE_VARINT
  const uint8_t *bytes;  // start of the payload, of any kind
  size_t size;
} wire_field;

// Reads one varint of at most ten bytes.
bool wire_long_varint(wire_reader *reader, uint64_t *out_value);
static inline bool wire_varint(wire_reader *reader, uint64_t *out_value) {
  if (reader->at == reader->end || *reader->at >= 0x80)
    return wire_long_varint(reader, out_value);
  *out_value = *reader->at++;
  return true;
}
// Reads one field. False at the end (`error` NULL) and on malformed input (`error` set, `at`
// unmoved).
bool wire_any_next(wire_reader *reader, wire_field *out_field);
static inline bool wire_next(wire_reader *reader, wire_field *out_field) {
  const uint8_t *p = reader->at;
  // The fast path: a tag and a value or length of one byte each.
  if (reader->end - p >= 2 && p[0] >= 8 && p[0] < 0x80 && p[1] < 0x80) {
    uint32_t kind = p[0] & 7;
    if (kind == WIRE_VARINT || (kind == WIRE_BYTES && p[1] <= reader->end - p - 2)) {
      size_t size = kind == WIRE_VARINT ? 1 : p[1];
      const uint8_t *bytes = kind == WIRE_VARINT ? p + 1 : p + 2;
      *out_field = (wire_field){p[0] >> 3, (wire_kind)kind, p[1], bytes, size};
      reader->at = bytes + size;
      reader->error = NULL;
      return true;
    }
  }
  return wire_any_next(reader, out_field);
}

#endif
