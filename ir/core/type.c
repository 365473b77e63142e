// Types are uniqued blobs: a 16-byte head and 8-byte words. A type is assembled on the stack
// (or in the arena if it is long) and looked up once.

#include <pir/compiler/type.h>

#include <context_impl.h>
#include <type_impl.h>

#include <assert.h>
#include <string.h>

// Large enough for a tensor of the largest rank.
enum { INLINE_WORDS = 2 * PIR_MAX_RANK + 8 };

typedef struct draft {
  pir_context *ctx;
  struct pir_type *type;
  size_t words, capacity;
  union {
    struct pir_type head;
    uint64_t room[2 + INLINE_WORDS];
  } small;
} draft;

static void begin_type(draft *d, pir_context *ctx, pir_type_kind kind, size_t words) {
  d->ctx = ctx;
  d->words = 0;
  d->capacity = words;
  d->type = words <= INLINE_WORDS
                ? &d->small.head
                : pir_arena_alloc(&ctx->arena, sizeof(struct pir_type) +
                                                   pir_arena_size(&ctx->arena, words, 8));
  *d->type = (struct pir_type){.kind = (uint8_t)kind};
}

static void draft_word(draft *d, uint64_t word) {
  d->type->words[d->words++] = word;
}
static void draft_pointer(draft *d, const void *pointer) {
  draft_word(d, (uintptr_t)pointer);
}

static void draft_dims(draft *d, pir_shape shape) {
  assert(shape.rank <= PIR_MAX_RANK);
  for (size_t i = 0; i < shape.rank; i++)
    draft_word(d, (uint64_t)shape.dims[i]);
}

static const pir_type *unique_type(draft *d) {
  size_t size = sizeof(struct pir_type) + d->words * 8;
  const pir_type *type = pir_unique_get(d->ctx, PIR_FAMILY_TYPE, d->type, size);
  if (d->capacity > INLINE_WORDS)
    pir_arena_free(&d->ctx->arena, d->type, sizeof(struct pir_type) + d->capacity * 8);
  return type;
}

const pir_type *pir_type_scalar(pir_context *ctx, pir_dtype dtype) {
  if (!ctx->scalars[dtype]) {
    draft d;
    begin_type(&d, ctx, PIR_TYPE_SCALAR, 0);
    d.type->dtype = (uint8_t)dtype;
    ctx->scalars[dtype] = unique_type(&d);
  }
  return ctx->scalars[dtype];
}

const pir_type *pir_type_vector(pir_context *ctx, const pir_type *const *elements, size_t n) {
  draft d;
  begin_type(&d, ctx, PIR_TYPE_VECTOR, n);
  d.type->count = n;
  for (size_t i = 0; i < n; i++)
    draft_pointer(&d, elements[i]);
  return unique_type(&d);
}

const pir_type *pir_type_tensor(pir_context *ctx, pir_dtype dtype, pir_shape shape) {
  draft d;
  begin_type(&d, ctx, PIR_TYPE_TENSOR, shape.rank);
  d.type->dtype = (uint8_t)dtype;
  d.type->layout = PIR_LAYOUT_NCHW;
  d.type->rank = (uint8_t)shape.rank;
  draft_dims(&d, shape);
  return unique_type(&d);
}

static bool is_extended(const pir_tensor_spec *spec) {
  return spec->lod_levels || spec->offset;
}

static size_t extension_words(const pir_tensor_spec *spec) {
  return is_extended(spec) ? 2 + 2 * spec->lod_levels : 0;
}

// Level-of-detail arrays are unique themselves, so the type holds pointers to them.
static void draft_extension(draft *d, const pir_tensor_spec *spec) {
  if (!is_extended(spec))
    return;
  d->type->extended = 1;
  draft_word(d, spec->offset);
  draft_word(d, spec->lod_levels);
  for (size_t i = 0; i < spec->lod_levels; i++)
    draft_word(d, spec->lod_sizes[i]);
  for (size_t i = 0; i < spec->lod_levels; i++)
    draft_pointer(d, pir_unique_get(d->ctx, PIR_FAMILY_WORDS, spec->lod[i],
                                    spec->lod_sizes[i] * sizeof(uint64_t)));
}

static void draft_tensor_head(draft *d, const pir_tensor_spec *spec) {
  d->type->dtype = (uint8_t)spec->dtype;
  d->type->layout = (uint8_t)spec->layout;
  d->type->rank = (uint8_t)spec->shape.rank;
  draft_dims(d, spec->shape);
}

const pir_type *pir_type_tensor_like(pir_context *ctx, pir_type_kind kind,
                                     const pir_tensor_spec *spec) {
  draft d;
  begin_type(&d, ctx, kind, spec->shape.rank + extension_words(spec));
  draft_tensor_head(&d, spec);
  draft_extension(&d, spec);
  return unique_type(&d);
}

const pir_type *pir_type_sparse(pir_context *ctx, pir_type_kind kind,
                                const pir_tensor_spec *spec, pir_shape nonzero,
                                const pir_type *const *parts, size_t n) {
  draft d;
  begin_type(&d, ctx, kind, spec->shape.rank + nonzero.rank + n + extension_words(spec));
  draft_tensor_head(&d, spec);
  d.type->nonzero_rank = (uint8_t)nonzero.rank;
  draft_dims(&d, nonzero);
  d.type->count = n;
  for (size_t i = 0; i < n; i++)
    draft_pointer(&d, parts[i]);
  draft_extension(&d, spec);
  return unique_type(&d);
}

// The place is an interned name: two pointers.
const pir_type *pir_type_allocated(pir_context *ctx, pir_str place, const pir_type *inner) {
  draft d;
  begin_type(&d, ctx, PIR_TYPE_ALLOCATED, 2);
  d.type->count = 2;
  draft_pointer(&d, inner);
  draft_pointer(&d, pir_name_get(ctx, place));
  return unique_type(&d);
}

const pir_type *pir_type_dist(pir_context *ctx, const pir_type *global, const pir_attr *dist,
                              pir_shape local) {
  draft d;
  begin_type(&d, ctx, PIR_TYPE_DIST_TENSOR, local.rank + 2);
  d.type->rank = (uint8_t)local.rank;
  draft_dims(&d, local);
  d.type->count = 2;
  draft_pointer(&d, global);
  draft_pointer(&d, dist);
  return unique_type(&d);
}

const pir_type *pir_type_marker(pir_context *ctx, pir_type_kind kind) {
  assert(kind >= PIR_TYPE_STACK && kind <= PIR_TYPE_OUTLET);
  const pir_type **marker = &ctx->markers[kind - PIR_TYPE_STACK];
  if (!*marker) {
    draft d;
    begin_type(&d, ctx, kind, 0);
    *marker = unique_type(&d);
  }
  return *marker;
}

const pir_type *pir_type_opaque(pir_context *ctx, pir_str text) {
  draft d;
  begin_type(&d, ctx, PIR_TYPE_OPAQUE, 1);
  d.type->count = 1;
  draft_pointer(&d, pir_name_get(ctx, text));
  return unique_type(&d);
}

// ---- queries

static const void *pointer_at(const pir_type *type, size_t i) {
  return (const void *)(uintptr_t)type->words[type->rank + type->nonzero_rank + i];
}

pir_type_kind pir_type_kind_of(const pir_type *type) {
  return type ? type->kind : PIR_TYPE_OPAQUE;
}
bool pir_type_is_tensor(const pir_type *type) {
  return type && type->kind == PIR_TYPE_TENSOR;
}

static bool is_tensor_like(const pir_type *type) {
  return type && type->kind >= PIR_TYPE_TENSOR && type->kind <= PIR_TYPE_SPARSE_CSR;
}

// Queries of allocated and distributed types are answered by the tensor type inside.
static const pir_type *unbound(const pir_type *type) {
  while (type && (type->kind == PIR_TYPE_ALLOCATED || type->kind == PIR_TYPE_DIST_TENSOR))
    type = pointer_at(type, 0);
  return type;
}

pir_dtype pir_type_dtype(const pir_type *type) {
  type = unbound(type);
  return is_tensor_like(type) || (type && type->kind == PIR_TYPE_SCALAR) ? type->dtype
                                                                         : PIR_UNDEFINED;
}

pir_shape pir_type_shape(const pir_type *type) {
  type = unbound(type);
  return is_tensor_like(type) ? (pir_shape){(const int64_t *)type->words, type->rank}
                              : (pir_shape){NULL, 0};
}

pir_tensor_spec pir_type_spec(const pir_type *type) {
  type = unbound(type);
  pir_tensor_spec spec = {.dtype = PIR_UNDEFINED, .layout = PIR_LAYOUT_NCHW};
  if (!is_tensor_like(type))
    return spec;
  spec = (pir_tensor_spec){
      .dtype = type->dtype, .layout = type->layout, .shape = pir_type_shape(type)};
  if (type->extended) {
    const uint64_t *extension = type->words + type->rank + type->nonzero_rank + type->count;
    spec.offset = extension[0];
    spec.lod_levels = extension[1];
    spec.lod_sizes = (const size_t *)(extension + 2);
    spec.lod = (const uint64_t *const *)(extension + 2 + spec.lod_levels);
  }
  return spec;
}

static bool type_has_elements(const pir_type *type) {
  return type->kind == PIR_TYPE_VECTOR || type->kind == PIR_TYPE_SPARSE_COO ||
         type->kind == PIR_TYPE_SPARSE_CSR;
}

size_t pir_type_elements(const pir_type *type) {
  return type && type_has_elements(type) ? type->count : 0;
}

const pir_type *pir_type_element(const pir_type *type, size_t i) {
  assert(i < pir_type_elements(type));
  return pointer_at(type, i);
}

const pir_type *pir_type_inner(const pir_type *type) {
  bool binds = type && (type->kind == PIR_TYPE_ALLOCATED || type->kind == PIR_TYPE_DIST_TENSOR);
  return binds ? pointer_at(type, 0) : NULL;
}

pir_str pir_type_text_of(const pir_type *type) {
  if (type && type->kind == PIR_TYPE_ALLOCATED)
    return pir_name_str(pointer_at(type, 1));
  if (type && type->kind == PIR_TYPE_OPAQUE)
    return pir_name_str(pointer_at(type, 0));
  return (pir_str){"", 0};
}

pir_shape pir_type_nonzero_shape(const pir_type *type) {
  return type ? (pir_shape){(const int64_t *)type->words + type->rank, type->nonzero_rank}
              : (pir_shape){NULL, 0};
}

const pir_attr *pir_type_dist_attr(const pir_type *type) {
  return type && type->kind == PIR_TYPE_DIST_TENSOR ? pointer_at(type, 1) : NULL;
}

pir_shape pir_type_local_shape(const pir_type *type) {
  bool dist = type && type->kind == PIR_TYPE_DIST_TENSOR;
  return dist ? (pir_shape){(const int64_t *)type->words, type->rank} : (pir_shape){NULL, 0};
}

const pir_type *pir_type_with_dtype(pir_context *ctx, const pir_type *type, pir_dtype dtype) {
  pir_tensor_spec spec = pir_type_spec(type);
  spec.dtype = dtype;
  return pir_type_tensor_like(ctx, PIR_TYPE_TENSOR, &spec);
}
