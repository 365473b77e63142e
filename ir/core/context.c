// A context is a heap with an arena on it, a set of interned names and a set of uniqued blobs.
// Both sets use xxHash3; a hit allocates nothing.

#include <context_impl.h>

#include <extension.h>
#include <hash.h>
#include <pir/layer/machine_memory.h>
#include <sized.h>

#include <string.h>

static uint64_t limit_or(uint64_t value, uint64_t otherwise) {
  return value ? value : otherwise;
}

// Tells the sink why there is no context.
static pir_context *refuse_context(pir_diag_sink sink, const char *why) {
  pir_diag diag = {.size = sizeof diag, .severity = PIR_ERROR, .message = pir_str_from(why)};
  if (sink.report)
    sink.report(sink.user, &diag);
  return NULL;
}

pir_context *pir_context_create(const pir_context_options *options) {
  pir_context_options given;
  sized_text why;
  if (pir_sized_read("pir_context_options", &given, sizeof given, options, &why))
    return refuse_context(options->sink, why.text);
  for (size_t i = 0; i < sizeof given.limits.reserved / sizeof *given.limits.reserved; i++)
    if (given.limits.reserved[i])
      return refuse_context(given.sink,
                            "unsupported: pir_limits sets a field of a later version");
  pir_heap heap;
  pir_heap_init(&heap, &given.allocator);
  pir_context *ctx = heap.source.alloc(heap.source.user, sizeof *ctx, _Alignof(max_align_t));
  if (!ctx)
    return refuse_context(given.sink, "out of memory");
  *ctx = (pir_context){.heap = heap, .sink = given.sink};
  pir_context_set_log_level(ctx, given.log_level);
  ctx->limits = (pir_limits){
      .max_ops = limit_or(given.limits.max_ops, (uint64_t)16 << 20),
      .max_depth = limit_or(given.limits.max_depth, (uint64_t)256 << 10),
      .max_attr_items = limit_or(given.limits.max_attr_items, (uint64_t)64 << 20),
      .max_bytes = given.limits.max_bytes ? given.limits.max_bytes : pir_memory_to_use(),
  };
  ctx->heap.limit = ctx->limits.max_bytes;
  ctx->heap.out_of_memory = given.out_of_memory;
  ctx->heap.out_of_memory_user = given.out_of_memory_user;
  pir_arena_init(&ctx->arena, &ctx->heap);
  return ctx;
}

void pir_context_destroy(pir_context *ctx) {
  if (!ctx)
    return;
  pir_allocator source = ctx->heap.source;
  pir_heap_release(&ctx->heap);
  if (source.release)
    source.release(source.user, ctx, sizeof *ctx);
}

void pir_context_set_progress(pir_context *ctx, pir_progress_sink sink) {
  ctx->progress = sink;
}
pir_progress_sink pir_context_progress(const pir_context *ctx) {
  return ctx->progress;
}

const pir_limits *pir_context_limits(const pir_context *ctx) {
  return &ctx->limits;
}
size_t pir_context_bytes(const pir_context *ctx) {
  return ctx->heap.held;
}

pir_arena *pir_context_arena(pir_context *ctx) {
  return &ctx->arena;
}
pir_heap *pir_context_heap(pir_context *ctx) {
  return &ctx->heap;
}

// ---- running out

// Reports what ended the task, also if memory ran out: the text is put together on the stack.
static void report_end(pir_context *ctx, pir_status status, bool jumped) {
  char text[256];
  size_t n;
  if (!jumped)
    n = pir_text_format(text, sizeof text, "%s", pir_status_text(status));
  else if (status == PIR_CANCELLED)
    n = pir_text_format(text, sizeof text, "%s", pir_watch_reason(&ctx->heap.watch));
  else if (ctx->heap.limited)
    n = pir_text_format(text, sizeof text, "out of memory: the limit of %zu bytes was hit",
                        ctx->heap.limit);
  else
    n = pir_text_format(text, sizeof text, "out of memory");
  if (ctx->task[0])
    pir_text_format(text + n, sizeof text - n, ", %s", ctx->task);
  pir_diag_emit(ctx, &(pir_diag){.size = sizeof(pir_diag),
                                 .severity = PIR_ERROR,
                                 .place = pir_loc_unpack(ctx, ctx->at),
                                 .message = pir_str_from(text)});
}

void pir_context_note_task(pir_context *ctx, const char *what, pir_str name) {
  pir_text_format(ctx->task, sizeof ctx->task, "%s%.*s", what, (int)name.size, name.data);
  pir_context_note_place(ctx, PIR_LOC_UNKNOWN);
}

void pir_context_note_place(pir_context *ctx, pir_loc at) {
  ctx->at = at;
  pir_heap_poll(&ctx->heap);
}

void pir_context_set_stop(pir_context *ctx, const pir_stop *stop) {
  pir_watch watch = pir_watch_begin(stop, 0);
  pir_heap_watch(&ctx->heap, stop ? &watch : NULL);
}

typedef pir_status catch_function(pir_heap *heap, pir_status (*body)(void *user), void *user,
                                  bool *out_jumped);

// The outermost function with a status ends its task. If it fails, there is a message: where
// nothing within could give one, the status is named.
static pir_status end_by_jump(pir_context *ctx, catch_function *catch,
                              pir_status (*body)(void *user), void *user) {
  bool jumped, outermost = !ctx->heap.catch;
  size_t errors = ctx->errors;
  pir_status status = catch (&ctx->heap, body, user, &jumped);
  if (jumped || (outermost && status && ctx->errors == errors))
    report_end(ctx, status, jumped);
  if (outermost) {
    ctx->task[0] = 0;
    ctx->at = PIR_LOC_UNKNOWN;
  }
  return status;
}

// A context with an out-of-memory hook calls it instead of returning a status.
pir_status pir_context_enter(pir_context *ctx, pir_status (*body)(void *user), void *user) {
  if (ctx->heap.catch || (ctx->heap.out_of_memory && !ctx->heap.watched))
    return body(user);
  if (!ctx->heap.out_of_memory)
    return pir_context_protect(ctx, body, user);
  return end_by_jump(ctx, pir_heap_catch_end, body, user);
}

pir_status pir_context_protect(pir_context *ctx, pir_status (*body)(void *user), void *user) {
  return end_by_jump(ctx, pir_heap_catch, body, user);
}

// ---- names

static bool same_name(const void *item, const void *key) {
  const struct pir_name_entry *entry = item;
  const pir_str *text = key;
  return entry->size == text->size && memcmp(entry->text, text->data, text->size) == 0;
}

pir_name *pir_name_find(const pir_context *ctx, pir_str text) {
  if (!text.data)
    text = PIR_STR("");
  return pir_set_find(&ctx->names, pir_hash_bytes(text.data, text.size), same_name, &text);
}

pir_name *pir_name_get(pir_context *ctx, pir_str text) {
  if (!text.data)
    text = PIR_STR("");
  uint64_t hash = pir_hash_bytes(text.data, text.size);
  struct pir_name_entry *entry = pir_set_find(&ctx->names, hash, same_name, &text);
  if (entry)
    return entry;
  entry = pir_arena_alloc(&ctx->arena, sizeof *entry + text.size + 1);
  entry->op = NULL;
  entry->def = NULL;
  entry->carried = NULL;
  entry->size = text.size;
  if (text.size)
    memcpy(entry->text, text.data, text.size);
  entry->text[text.size] = 0;
  pir_set_add(&ctx->arena, &ctx->names, hash, entry);
  return entry;
}

pir_str pir_name_str(pir_name *name) {
  return (pir_str){name->text, name->size};
}

// Most names differ in the first byte (texts end in a NUL byte).
int pir_name_compare(pir_name *a, pir_name *b) {
  int first = (unsigned char)*a->text - (unsigned char)*b->text;
  return first ? first : pir_str_compare(pir_name_str(a), pir_name_str(b));
}

// ---- unique blobs

// The tag combines size and family, so one set serves all families.
typedef struct blob {
  size_t tag;
  char bytes[];
} blob;

typedef struct blob_key {
  size_t tag, size;
  const void *bytes;
} blob_key;

static bool same_blob(const void *item, const void *key) {
  const blob *have = item;
  const blob_key *want = key;
  return have->tag == want->tag && memcmp(have->bytes, want->bytes, want->size) == 0;
}

const void *pir_unique_get(pir_context *ctx, enum pir_family family, const void *bytes,
                           size_t size) {
  blob_key key = {size << 2 | family, size, bytes};
  uint64_t hash = pir_hash_bytes(bytes, size) + family;
  blob *have = pir_set_find(&ctx->uniques, hash, same_blob, &key);
  if (!have) {
    have = pir_arena_alloc(&ctx->arena, sizeof *have + size);
    have->tag = key.tag;
    memcpy(have->bytes, bytes, size);
    pir_set_add(&ctx->arena, &ctx->uniques, hash, have);
  }
  return have->bytes;
}

// ---- dictionaries

const pir_dict *pir_dict_get(pir_context *ctx, const pir_named_attr *entries, size_t count) {
  if (!count)
    return NULL;
  enum { INLINE = 8 };
  struct {
    size_t count;
    pir_named_attr entries[INLINE];
  } small;
  size_t size = sizeof(pir_dict) + count * sizeof *entries;
  pir_dict *dict = count <= INLINE ? (pir_dict *)&small : pir_arena_alloc(&ctx->arena, size);
  dict->count = count;
  memcpy(dict->entries, entries, count * sizeof *entries);
  const pir_dict *unique = pir_unique_get(ctx, PIR_FAMILY_DICT, dict, size);
  if (count > INLINE)
    pir_arena_free(&ctx->arena, dict, size);
  return unique;
}

const pir_attr *pir_dict_find(const pir_dict *dict, pir_name *name) {
  for (size_t i = 0; dict && i < dict->count; i++)
    if (dict->entries[i].name == name)
      return dict->entries[i].value;
  return NULL;
}

const pir_dict *pir_dict_set(pir_context *ctx, const pir_dict *dict, pir_name *name,
                             const pir_attr *value) {
  size_t count = dict ? dict->count : 0, at = 0;
  while (at < count && pir_name_compare(dict->entries[at].name, name) < 0)
    at++;
  bool found = at < count && dict->entries[at].name == name;
  if (found ? dict->entries[at].value == value : !value)
    return dict;
  size_t bytes = pir_arena_size(&ctx->arena, count + 1, sizeof(pir_named_attr));
  pir_named_attr *entries = pir_arena_alloc(&ctx->arena, bytes);
  size_t n = at;
  if (at)
    memcpy(entries, dict->entries, at * sizeof *entries);
  if (value)
    entries[n++] = (pir_named_attr){name, value};
  size_t from = at + found;
  if (from < count)
    memcpy(entries + n, dict->entries + from, (count - from) * sizeof *entries);
  const pir_dict *unique = pir_dict_get(ctx, entries, n + count - from);
  pir_arena_free(&ctx->arena, entries, bytes);
  return unique;
}

// ---- for the layers above

const struct pir_pass_set *pir_context_pass_set(const pir_context *ctx) {
  return ctx->passes;
}

void pir_context_keep_pass_set(pir_context *ctx, const struct pir_pass_set *set) {
  ctx->passes = set;
}

const struct pir_code_listener *pir_context_code_listener(const pir_context *ctx) {
  return ctx->code_listener;
}

void pir_context_keep_code_listener(pir_context *ctx,
                                    const struct pir_code_listener *listener) {
  ctx->code_listener = listener;
}

struct pir_machine_record *pir_context_machine(const pir_context *ctx) {
  return ctx->machine;
}

void pir_context_keep_machine(pir_context *ctx, struct pir_machine_record *record) {
  ctx->machine = record;
}
