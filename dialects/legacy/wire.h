// Protobuf's wire format, bounded: every read stays inside [at, end).
#ifndef PIR_LEGACY_WIRE_H
#define PIR_LEGACY_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum wire_kind { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 } wire_kind;

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
  if (reader->at == reader->end || *reader->at >= 0x80) return wire_long_varint(reader, out_value);
  *out_value = *reader->at++;
  return true;
}
// Reads one field. False at the end (`error` NULL) and on malformed input (`error` set, `at` unmoved).
bool wire_next(wire_reader *reader, wire_field *out_field);

#endif
