// Walks the wire format along protobuf-c's own descriptors, so the schema is written once.
// protobuf-c reports only that unpacking failed; the scan reports the fault and its offset,
// before any allocation trusts the file. Nesting is bounded, because the schema has no
// recursive message. One pass over the bytes.
#include "scan.h"

#include <string.h>

#include <strbuf.h>

#include "framework.pb-c.h"
#include "wire.h"

typedef struct scanner {
  const uint8_t *start;
  uint64_t max_items;
  pir_arena *arena;
  scan_result *out;
} scanner;

static pir_status fail_scan(scanner *s, const uint8_t *at, const char *format, ...) {
  pir_strbuf text;
  va_list args;
  pir_strbuf_init(&text, s->arena);
  va_start(args, format);
  pir_strbuf_vformat(&text, format, args);
  va_end(args);
  s->out->error = pir_strbuf_view(&text);
  s->out->error_offset = (uint64_t)(at - s->start);
  return PIR_INVALID;
}

static pir_status note(scanner *s, offset_list *list, const uint8_t *at) {
  if (s->max_items && list->count >= s->max_items) {
    (void)fail_scan(s, at, "more than %llu ops or variables", (unsigned long long)s->max_items);
    return PIR_EXHAUSTED;
  }
  pir_vec_push(s->arena, list, (uint64_t)(at - s->start));
  return PIR_OK;
}

static wire_kind kind_of(ProtobufCType type) {
  switch (type) {
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FLOAT: return WIRE_FIXED32;
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: return WIRE_FIXED64;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE: return WIRE_BYTES;
    default: return WIRE_VARINT;
  }
}

// Scans a packed list, which must consist of whole elements.
static pir_status check_packed(scanner *s, const ProtobufCFieldDescriptor *field,
                               const wire_field *wire) {
  wire_kind kind = kind_of(field->type);
  wire_reader in = {wire->bytes, wire->bytes + wire->size, NULL};
  uint64_t ignored;
  if (kind == WIRE_FIXED32 && wire->size % 4 == 0)
    return PIR_OK;
  if (kind == WIRE_FIXED64 && wire->size % 8 == 0)
    return PIR_OK;
  if (kind != WIRE_VARINT)
    return fail_scan(s, wire->bytes, "field '%s': a packed list cut short", field->name);
  while (in.at < in.end)
    if (!wire_varint(&in, &ignored))
      return fail_scan(s, in.at, "field '%s': %s", field->name, in.error);
  return PIR_OK;
}

static pir_status scan(scanner *s, const uint8_t *at, const uint8_t *end,
                       const ProtobufCMessageDescriptor *message);

// Returns the list of offsets for a kind of message; NULL if none is kept.
static offset_list *list_of_message(scanner *s, const ProtobufCMessageDescriptor *message) {
  if (message == &legacy__block_desc__descriptor)
    return &s->out->blocks;
  if (message == &legacy__op_desc__descriptor)
    return &s->out->ops;
  return message == &legacy__var_desc__descriptor ? &s->out->vars : NULL;
}

static pir_status check_submessage(scanner *s, const ProtobufCFieldDescriptor *field,
                                   const wire_field *wire) {
  const ProtobufCMessageDescriptor *message = field->descriptor;
  offset_list *list = list_of_message(s, message);
  if (list)
    PIR_TRY(note(s, list, wire->bytes));
  return scan(s, wire->bytes, wire->bytes + wire->size, message);
}

static pir_status check_field(scanner *s, const ProtobufCFieldDescriptor *field,
                              const wire_field *wire) {
  if (field->label == PROTOBUF_C_LABEL_REPEATED && wire->kind == WIRE_BYTES &&
      kind_of(field->type) != WIRE_BYTES)
    return check_packed(s, field, wire);
  if (wire->kind != kind_of(field->type))
    return fail_scan(s, wire->bytes, "field '%s' has the wrong wire type", field->name);
  if (field->type == PROTOBUF_C_TYPE_STRING && memchr(wire->bytes, 0, wire->size))
    return fail_scan(s, wire->bytes, "field '%s': a name with a zero byte", field->name);
  return field->type == PROTOBUF_C_TYPE_MESSAGE ? check_submessage(s, field, wire) : PIR_OK;
}

static pir_status scan(scanner *s, const uint8_t *at, const uint8_t *end,
                       const ProtobufCMessageDescriptor *message) {
  wire_reader in = {at, end, NULL};
  wire_field wire;
  uint64_t seen = 0;
  unsigned hint = 0;
  while (wire_next(&in, &wire)) {
    const ProtobufCFieldDescriptor *field = find_field(message, wire.number, &hint);
    if (!field)
      continue;
    seen |= UINT64_C(1) << (field - message->fields);
    PIR_TRY(check_field(s, field, &wire));
  }
  if (in.error)
    return fail_scan(s, in.at, "%s: %s", message->short_name, in.error);
  for (unsigned i = 0; i < message->n_fields; i++)
    if (message->fields[i].label == PROTOBUF_C_LABEL_REQUIRED && !(seen >> i & 1))
      return fail_scan(s, at, "%s without its field '%s'", message->short_name,
                       message->fields[i].name);
  return PIR_OK;
}

pir_status scan_message(pir_str bytes, const ProtobufCMessageDescriptor *root,
                        uint64_t max_items, pir_arena *arena, scan_result *out) {
  scanner s = {(const uint8_t *)bytes.data, max_items, arena, out};
  return scan(&s, s.start, s.start + bytes.size, root);
}
