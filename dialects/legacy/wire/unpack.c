// Fills protobuf-c's structs according to its descriptors. protobuf_c_message_unpack would copy
// every byte of a file, most of which are the Python frames of ops. This file copies names
// only; frames stay in the file until a message needs them. The scan (scan.c) has checked
// well-formedness, so fields are not checked again: one walk over a message's fields counts its
// lists, a second fills them. The schema has no recursive message.
#include "unpack.h"

#include <string.h>

#include "framework.pb-c.h"
#include "scan.h"
#include "wire.h"

enum { FIELDS_MAX = 32 };  // the most fields of a message of the schema

typedef struct unpacker {
  pir_arena *arena;
  const ProtobufCMessageDescriptor *plain;  // the last one seen whose fields have no defaults
} unpacker;

static void *alloc_array(unpacker *u, size_t count, size_t size) {
  return pir_arena_alloc(u->arena, pir_arena_size(u->arena, count, size));
}

static size_t element_size(ProtobufCType type) {
  switch (type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE: return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_BOOL: return sizeof(protobuf_c_boolean);
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_DOUBLE: return 8;
    default: return 4;
  }
}

static bool is_packed(const ProtobufCFieldDescriptor *field, const wire_field *wire) {
  bool bytes = field->type == PROTOBUF_C_TYPE_STRING || field->type == PROTOBUF_C_TYPE_BYTES ||
               field->type == PROTOBUF_C_TYPE_MESSAGE;
  return wire->kind == WIRE_BYTES && !bytes;
}

static bool is_fixed(ProtobufCType type) {
  return type == PROTOBUF_C_TYPE_FLOAT || type == PROTOBUF_C_TYPE_DOUBLE;
}

static size_t packed_count(const ProtobufCFieldDescriptor *field, const wire_field *wire) {
  size_t count = 0;
  if (is_fixed(field->type))
    return wire->size / element_size(field->type);
  for (size_t i = 0; i < wire->size; i++)
    count += wire->bytes[i] < 0x80;
  return count;
}

static void *unpack(unpacker *u, const uint8_t *at, const uint8_t *end,
                    const ProtobufCMessageDescriptor *message);

// Stores one value in its field.
static void store(unpacker *u, const ProtobufCFieldDescriptor *field, const wire_field *wire,
                  void *to) {
  char *name;
  switch (field->type) {
    case PROTOBUF_C_TYPE_BOOL: *(protobuf_c_boolean *)to = wire->value != 0; return;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_UINT64: *(uint64_t *)to = wire->value; return;
    case PROTOBUF_C_TYPE_FLOAT: memcpy(to, wire->bytes, 4); return;
    case PROTOBUF_C_TYPE_DOUBLE: memcpy(to, wire->bytes, 8); return;
    case PROTOBUF_C_TYPE_BYTES:
      *(ProtobufCBinaryData *)to = (ProtobufCBinaryData){wire->size, (uint8_t *)wire->bytes};
      return;
    case PROTOBUF_C_TYPE_STRING:
      name = alloc_array(u, wire->size + 1, 1);
      *(char **)to = name;
      memcpy(name, wire->bytes, wire->size);
      name[wire->size] = 0;
      return;
    case PROTOBUF_C_TYPE_MESSAGE:
      *(void **)to = unpack(u, wire->bytes, wire->bytes + wire->size, field->descriptor);
      return;
    default: *(uint32_t *)to = (uint32_t)wire->value; return;
  }
}

static void store_packed(unpacker *u, const ProtobufCFieldDescriptor *field,
                         const wire_field *wire, char *list, size_t *io_count) {
  size_t size = element_size(field->type);
  wire_reader in = {wire->bytes, wire->bytes + wire->size, NULL};
  while (in.at < in.end) {
    wire_field item = {.bytes = in.at};
    if (is_fixed(field->type))
      in.at += size;
    else if (!wire_varint(&in, &item.value))
      break;
    store(u, field, &item, list + size * (*io_count)++);
  }
}

static void store_field(unpacker *u, const ProtobufCFieldDescriptor *field,
                        const wire_field *wire, char *base) {
  char *to = base + field->offset;
  if (field->label != PROTOBUF_C_LABEL_REPEATED) {
    if (field->label == PROTOBUF_C_LABEL_OPTIONAL && field->quantifier_offset)
      *(protobuf_c_boolean *)(base + field->quantifier_offset) = true;
    store(u, field, wire, to);
    return;
  }
  size_t *count = (size_t *)(base + field->quantifier_offset);
  char *list = *(char **)to;
  if (is_packed(field, wire))
    store_packed(u, field, wire, list, count);
  else
    store(u, field, wire, list + element_size(field->type) * (*count)++);
}

// Allocates every list of the message.
static void make_lists(unpacker *u, const uint8_t *at, const uint8_t *end,
                       const ProtobufCMessageDescriptor *message, char *base) {
  size_t counts[FIELDS_MAX] = {0};
  wire_reader in = {at, end, NULL};
  wire_field wire;
  unsigned hint = 0;
  while (wire_next(&in, &wire)) {
    const ProtobufCFieldDescriptor *field = find_field(message, wire.number, &hint);
    if (field && field->label == PROTOBUF_C_LABEL_REPEATED)
      counts[field - message->fields] +=
          is_packed(field, &wire) ? packed_count(field, &wire) : 1;
  }
  for (unsigned i = 0; i < message->n_fields; i++) {
    if (counts[i])
      *(void **)(base + message->fields[i].offset) =
          alloc_array(u, counts[i], element_size(message->fields[i].type));
  }
}

// Initialises an empty message. (The descriptors' message_init has a wrong declared type.)
static void init_message(unpacker *u, void *base, const ProtobufCMessageDescriptor *message) {
  bool plain = true;
  memset(base, 0, message->sizeof_message);
  ((ProtobufCMessage *)base)->descriptor = message;
  for (unsigned i = 0; i < message->n_fields && message != u->plain; i++) {
    const ProtobufCFieldDescriptor *field = &message->fields[i];
    if (!field->default_value || field->type == PROTOBUF_C_TYPE_STRING)
      continue;
    memcpy((char *)base + field->offset, field->default_value, element_size(field->type));
    plain = false;
  }
  if (plain)
    u->plain = message;
}

static bool is_frames(const uint8_t *at, const uint8_t *end,
                      const ProtobufCMessageDescriptor *message) {
  static const char head[] = "\x0a\x0cop_callstack";  // field 1, the name
  return message == &legacy__op_desc__attr__descriptor &&
         (size_t)(end - at) >= sizeof head - 1 && !memcmp(at, head, sizeof head - 1);
}

// Keeps only the name, type and offset of the frames' attribute.
static void *unpack_frames(unpacker *u, const uint8_t *at, const uint8_t *end,
                           Legacy__OpDesc__Attr *attr) {
  wire_reader in = {at, end, NULL};
  wire_field wire;
  attr->name = (char *)"op_callstack";
  attr->type = LEGACY__ATTR_TYPE__STRINGS;
  for (int i = 0; i < 2 && wire_next(&in, &wire); i++)
    if (wire.number == 2)
      attr->type = (Legacy__AttrType)wire.value;
  if (attr->type != LEGACY__ATTR_TYPE__STRINGS)
    return NULL;
  attr->s = (ProtobufCBinaryData){(size_t)(end - at), (uint8_t *)at};
  return attr;
}

static void *unpack(unpacker *u, const uint8_t *at, const uint8_t *end,
                    const ProtobufCMessageDescriptor *message) {
  char *base = alloc_array(u, 1, message->sizeof_message);
  wire_reader in = {at, end, NULL};
  wire_field wire;
  unsigned hint = 0;
  init_message(u, base, message);
  if (is_frames(at, end, message) && unpack_frames(u, at, end, (Legacy__OpDesc__Attr *)base))
    return base;
  make_lists(u, at, end, message, base);
  while (wire_next(&in, &wire)) {
    const ProtobufCFieldDescriptor *field = find_field(message, wire.number, &hint);
    if (field)
      store_field(u, field, &wire, base);
  }
  return base;
}

void *unpack_message(pir_str bytes, const ProtobufCMessageDescriptor *root, pir_arena *arena) {
  unpacker u = {arena, NULL};
  const uint8_t *start = (const uint8_t *)bytes.data;
  return unpack(&u, start, start + bytes.size, root);
}
