// Protobuf wire format: tags, varints and lengths, checked against the end of the enclosing
// message before any access. Groups (wire types 3 and 4) do not occur in framework.proto and
// are refused.
#include "wire.h"

static bool fail_wire(wire_reader *reader, const char *why) {
  reader->error = why;
  return false;
}

bool wire_long_varint(wire_reader *reader, uint64_t *out_value) {
  uint64_t value = 0;
  const uint8_t *p = reader->at;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (p == reader->end)
      return fail_wire(reader, "truncated varint");
    uint8_t byte = *p++;
    if (shift == 63 && byte > 1)
      return fail_wire(reader, "varint of more than 64 bits");
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte & 0x80)
      continue;
    reader->at = p;
    *out_value = value;
    return true;
  }
  return fail_wire(reader, "varint of more than ten bytes");
}

static bool payload(wire_reader *reader, wire_field *field) {
  size_t left;
  field->value = 0;
  switch (field->kind) {
    case WIRE_VARINT:
      field->bytes = reader->at;
      if (!wire_varint(reader, &field->value))
        return false;
      field->size = (size_t)(reader->at - field->bytes);
      return true;
    case WIRE_BYTES:
      if (!wire_varint(reader, &field->value))
        return false;
      break;
    case WIRE_FIXED32: field->value = 4; break;
    case WIRE_FIXED64: field->value = 8; break;
    default: return fail_wire(reader, "unknown wire type");
  }
  left = (size_t)(reader->end - reader->at);
  if (field->value > left)
    return fail_wire(reader, "length reaches beyond the enclosing message");
  field->bytes = reader->at;
  field->size = (size_t)field->value;
  reader->at += field->size;
  return true;
}

bool wire_any_next(wire_reader *reader, wire_field *out_field) {
  const uint8_t *start = reader->at;
  uint64_t tag;
  reader->error = NULL;
  if (reader->at == reader->end)
    return false;
  if (!wire_varint(reader, &tag))
    return false;
  if (tag >> 3 == 0 || tag >> 3 >= 1u << 29) {
    reader->at = start;
    return fail_wire(reader, "field number out of range");
  }
  out_field->number = (uint32_t)(tag >> 3);
  out_field->kind = (wire_kind)(tag & 7);
  if (payload(reader, out_field))
    return true;
  reader->at = start;
  return false;
}
