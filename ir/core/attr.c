// Attributes are uniqued blobs like types: a 16-byte head, then elements, integers, reals or
// bytes. Short ones are assembled on the stack.

#include <pir/compiler/attr.h>

#include <context_impl.h>
#include <type_impl.h>

#include <assert.h>
#include <math.h>
#include <string.h>

enum { HEAD = offsetof(struct pir_attr, payload), INLINE_PAYLOAD = 256 };

typedef struct draft {
  struct pir_attr *attr;
  size_t size;
  union {
    struct pir_attr head;
    char room[HEAD + INLINE_PAYLOAD];
  } small;
} draft;

static void begin_attr(draft *d, pir_context *ctx, pir_attr_kind kind, size_t payload) {
  d->size = HEAD + payload;
  d->attr = payload <= INLINE_PAYLOAD ? &d->small.head : pir_arena_alloc(&ctx->arena, d->size);
  memset(d->attr, 0, HEAD);
  d->attr->kind = (uint8_t)kind;
}

static const pir_attr *unique_attr(draft *d, pir_context *ctx) {
  const pir_attr *attr = pir_unique_get(ctx, PIR_FAMILY_ATTR, d->attr, d->size);
  if (d->attr != &d->small.head)
    pir_arena_free(&ctx->arena, d->attr, d->size);
  return attr;
}

// An attribute whose value fits the head.
static const pir_attr *unique_head(pir_context *ctx, const struct pir_attr *head) {
  return pir_unique_get(ctx, PIR_FAMILY_ATTR, head, HEAD);
}

const pir_attr *pir_attr_none(pir_context *ctx) {
  if (!ctx->none)
    ctx->none = unique_head(ctx, &(struct pir_attr){.kind = PIR_ATTR_NONE});
  return ctx->none;
}

const pir_attr *pir_attr_bool(pir_context *ctx, bool value) {
  if (!ctx->bools[value])
    ctx->bools[value] =
        unique_head(ctx, &(struct pir_attr){.kind = PIR_ATTR_BOOL, .code = value});
  return ctx->bools[value];
}

const pir_attr *pir_attr_int(pir_context *ctx, pir_attr_kind kind, int64_t value) {
  assert(pir_attr_kind_is_int(kind));
  return unique_head(ctx, &(struct pir_attr){.kind = (uint8_t)kind, .i = value});
}

const pir_attr *pir_attr_float(pir_context *ctx, pir_attr_kind kind, double value) {
  assert(pir_attr_kind_is_float(kind));
  if (kind == PIR_ATTR_F32)
    value = (double)(float)value;
  struct pir_attr head = {.kind = (uint8_t)kind};
  memcpy(&head.bits, &value, sizeof value);
  return unique_head(ctx, &head);
}

const pir_attr *pir_attr_complex(pir_context *ctx, pir_attr_kind kind, double re, double im) {
  assert(kind == PIR_ATTR_C64 || kind == PIR_ATTR_C128);
  bool single = kind == PIR_ATTR_C64;
  double parts[2] = {single ? (double)(float)re : re, single ? (double)(float)im : im};
  draft d;
  begin_attr(&d, ctx, kind, sizeof parts);
  memcpy(d.attr->payload, parts, sizeof parts);
  return unique_attr(&d, ctx);
}

// A NUL follows the bytes, for callers that want a C string.
const pir_attr *pir_attr_str(pir_context *ctx, pir_attr_kind kind, pir_str value) {
  assert(kind == PIR_ATTR_STR || kind == PIR_ATTR_TENSOR_NAME || kind == PIR_ATTR_OPAQUE);
  draft d;
  begin_attr(&d, ctx, kind, value.size + 1);
  d.attr->count = value.size;
  char *text = d.attr->payload->text;
  if (value.size)
    memcpy(text, value.data, value.size);
  text[value.size] = 0;
  return unique_attr(&d, ctx);
}

const pir_attr *pir_attr_pointer(pir_context *ctx, uint64_t address) {
  return unique_head(ctx, &(struct pir_attr){.kind = PIR_ATTR_POINTER, .i = (int64_t)address});
}

const pir_attr *pir_attr_array(pir_context *ctx, const pir_attr *const *elements, size_t n) {
  return pir_attr_tuple(ctx, PIR_ATTR_ARRAY, elements, n);
}

const pir_attr *pir_attr_flag(pir_context *ctx, bool value) {
  const pir_attr *element = pir_attr_bool(ctx, value);
  return pir_attr_array(ctx, &element, 1);
}

const pir_attr *pir_attr_tuple(pir_context *ctx, pir_attr_kind kind,
                               const pir_attr *const *elements, size_t n) {
  draft d;
  begin_attr(&d, ctx, kind, pir_arena_size(&ctx->arena, n, 8));
  d.attr->count = n;
  if (kind != PIR_ATTR_INT_ARRAY) {
    if (n)
      memcpy(d.attr->payload, elements, n * sizeof *elements);
    return unique_attr(&d, ctx);
  }
  int64_t *ints = d.attr->payload->ints;
  for (size_t i = 0; i < n; i++)
    if (!pir_attr_as_int(elements[i], &ints[i]))
      ints[i] = 0;
  return unique_attr(&d, ctx);
}

const pir_attr *pir_attr_int_array(pir_context *ctx, const int64_t *values, size_t n) {
  draft d;
  begin_attr(&d, ctx, PIR_ATTR_INT_ARRAY, pir_arena_size(&ctx->arena, n, 8));
  d.attr->count = n;
  if (n)
    memcpy(d.attr->payload, values, n * sizeof *values);
  return unique_attr(&d, ctx);
}

const pir_attr *pir_attr_type(pir_context *ctx, const pir_type *type) {
  return unique_head(ctx, &(struct pir_attr){.kind = PIR_ATTR_TYPE, .type = type});
}

const pir_attr *pir_attr_dtype(pir_context *ctx, pir_dtype dtype) {
  return unique_head(ctx, &(struct pir_attr){.kind = PIR_ATTR_DTYPE, .dtype = (uint8_t)dtype});
}

const pir_attr *pir_attr_layout(pir_context *ctx, pir_layout layout) {
  return unique_head(ctx,
                     &(struct pir_attr){.kind = PIR_ATTR_LAYOUT, .code = (uint32_t)layout});
}

const pir_attr *pir_attr_place(pir_context *ctx, pir_place place) {
  draft d;
  begin_attr(&d, ctx, PIR_ATTR_PLACE, 16);
  d.attr->code = (uint32_t)place.kind;
  d.attr->i = place.device;
  uint64_t name[2] = {place.custom.size,
                      place.custom.size ? (uintptr_t)pir_name_get(ctx, place.custom) : 0};
  memcpy(d.attr->payload, name, sizeof name);
  return unique_attr(&d, ctx);
}

const pir_attr *pir_attr_scalar(pir_context *ctx, pir_dtype dtype, const pir_attr *value) {
  draft d;
  begin_attr(&d, ctx, PIR_ATTR_SCALAR, sizeof value);
  d.attr->dtype = (uint8_t)dtype;
  d.attr->count = 1;
  d.attr->payload->elements[0] = value;
  return unique_attr(&d, ctx);
}

// ---- queries

static double real_of(const pir_attr *attr) {
  double value;
  memcpy(&value, &attr->bits, sizeof value);
  return value;
}

pir_attr_kind pir_attr_kind_of(const pir_attr *attr) {
  return attr->kind;
}

// A float becomes an integer by truncation when it fits.
static bool truncate_real(double value, int64_t *out_value) {
  if (!(value >= -0x1p63 && value < 0x1p63))
    return false;
  *out_value = (int64_t)value;
  return true;
}

bool pir_attr_as_int(const pir_attr *attr, int64_t *out_value) {
  if (!attr)
    return false;
  switch (attr->kind) {
    case PIR_ATTR_BOOL: *out_value = attr->code; return true;
    case PIR_ATTR_I32:
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX: *out_value = attr->i; return true;
    case PIR_ATTR_F32:
    case PIR_ATTR_F64: return truncate_real(real_of(attr), out_value);
    case PIR_ATTR_DTYPE: *out_value = attr->dtype; return true;
    case PIR_ATTR_SCALAR: return pir_attr_as_int(attr->payload->elements[0], out_value);
    default: return false;
  }
}

bool pir_attr_as_float(const pir_attr *attr, double *out_value) {
  if (!attr)
    return false;
  switch (attr->kind) {
    case PIR_ATTR_F32:
    case PIR_ATTR_F64: *out_value = real_of(attr); return true;
    case PIR_ATTR_SCALAR: return pir_attr_as_float(attr->payload->elements[0], out_value);
    default: {
      int64_t value;
      if (!pir_attr_as_int(attr, &value))
        return false;
      *out_value = (double)value;
      return true;
    }
  }
}

bool pir_attr_as_complex(const pir_attr *attr, double *out_re, double *out_im) {
  if (attr && attr->kind == PIR_ATTR_SCALAR)
    attr = attr->payload->elements[0];
  if (attr && (attr->kind == PIR_ATTR_C64 || attr->kind == PIR_ATTR_C128)) {
    memcpy(out_re, attr->payload->reals, sizeof *out_re);
    memcpy(out_im, attr->payload->reals + 1, sizeof *out_im);
    return true;
  }
  *out_im = 0;
  return pir_attr_as_float(attr, out_re);
}

static bool is_text(const pir_attr *attr) {
  return attr && (attr->kind == PIR_ATTR_STR || attr->kind == PIR_ATTR_TENSOR_NAME ||
                  attr->kind == PIR_ATTR_OPAQUE);
}

pir_str pir_attr_as_str(const pir_attr *attr) {
  return is_text(attr) ? (pir_str){attr->payload->text, attr->count} : (pir_str){"", 0};
}

const pir_type *pir_attr_as_type(const pir_attr *attr) {
  return attr && attr->kind == PIR_ATTR_TYPE ? attr->type : NULL;
}

pir_dtype pir_attr_as_dtype(const pir_attr *attr) {
  return attr && (attr->kind == PIR_ATTR_DTYPE || attr->kind == PIR_ATTR_SCALAR)
             ? attr->dtype
             : PIR_UNDEFINED;
}

pir_layout pir_attr_as_layout(const pir_attr *attr) {
  return attr && attr->kind == PIR_ATTR_LAYOUT ? (pir_layout)attr->code : PIR_LAYOUT_ANY;
}

pir_place pir_attr_as_place(const pir_attr *attr) {
  if (!attr || attr->kind != PIR_ATTR_PLACE)
    return (pir_place){0};
  uint64_t name[2];
  memcpy(name, attr->payload, sizeof name);
  pir_place place = {.kind = (int)attr->code, .device = (int)attr->i};
  if (name[0])
    place.custom = pir_name_str((pir_name *)(uintptr_t)name[1]);
  return place;
}

uint64_t pir_attr_as_pointer(const pir_attr *attr) {
  return attr && attr->kind == PIR_ATTR_POINTER ? (uint64_t)attr->i : 0;
}

static bool attr_has_elements(const pir_attr *attr) {
  switch (attr->kind) {
    case PIR_ATTR_ARRAY:
    case PIR_ATTR_SCALAR:
    case PIR_ATTR_PROCESS_MESH:
    case PIR_ATTR_TENSOR_DIST:
    case PIR_ATTR_OP_DIST:
    case PIR_ATTR_KERNEL_KEY: return true;
    default: return false;
  }
}

size_t pir_attr_elements(const pir_attr *attr) {
  return attr && (attr_has_elements(attr) || attr->kind == PIR_ATTR_INT_ARRAY) ? attr->count
                                                                               : 0;
}

const pir_attr *pir_attr_element(const pir_attr *attr, size_t i) {
  assert(attr_has_elements(attr) && i < attr->count);
  return attr->payload[i].elements[0];
}

const int64_t *pir_attr_int_array_data(const pir_attr *attr) {
  assert(attr->kind == PIR_ATTR_INT_ARRAY);
  return attr->payload->ints;
}

bool pir_attr_int_at(const pir_attr *attr, size_t i, int64_t *out_value) {
  if (i >= pir_attr_elements(attr))
    return false;
  if (attr->kind == PIR_ATTR_INT_ARRAY) {
    *out_value = attr->payload[i].ints[0];
    return true;
  }
  return pir_attr_as_int(attr->payload[i].elements[0], out_value);
}
