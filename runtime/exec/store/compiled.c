// Opens compiled models. Every byte is checked against a digest before anything of it is used:
// the header first, then description and data of the part that fits this processor. The parts
// for others are left alone: the processor that takes one checks it. The bytes are trusted
// then, because only who may run code here can have written them.
#include "compiled_file.h"

#include <pir/layer/param_record.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

uint32_t pir_compiled_layout(void) {
  static const uint16_t sizes[] = {
      sizeof(plan),        sizeof(plan_expr),   sizeof(plan_symbol), sizeof(plan_slot),
      sizeof(plan_buffer), sizeof(plan_scan),   sizeof(plan_instr),  sizeof(plan_group),
      sizeof(plan_call),   sizeof(plan_region), sizeof(plan_port),   sizeof(pir_node),
      sizeof(pir_opdef),   sizeof(pir_clause),  sizeof(void *),      sizeof(plan_handover),
      PIR_NODE_OP_COUNT};
  return (uint32_t)pir_digest_of(sizes, sizeof sizes).low;
}

file_digest pir_compiled_sum(const compiled_header *h) {
  return pir_digest_of(h, offsetof(compiled_header, sum));
}

// A model on its way out of its bytes.
typedef struct opening {
  const pir_open_options *options;
  pir_code_listener listener;  // of the options, when these have one
  const char *name;            // of the file, for messages
  const char *path;            // NULL: the model comes from memory
  const char *bytes, *data;
  uint64_t size, data_size;  // of the file, and of the one that has the weights
  pir_model *model;
  pir_message message;
  char weights[4096];  // path of the file of weights; empty: they lie in the model
} opening;

// ---- files

// Maps an open file. A reason goes behind the file's name.
static pir_status map_open(const opening *o, int fd, owned_block *out, pir_message *why) {
  struct stat st;
  if (fstat(fd, &st))
    return pir_exec_fail(why, PIR_IO, ": %s", strerror(errno));
  if (!S_ISREG(st.st_mode))
    return pir_exec_fail(why, PIR_INVALID, " is no file");
  bool own = st.st_uid == geteuid() || st.st_uid == 0;
  if (!o->options->any_owner && (!own || st.st_mode & (S_IWGRP | S_IWOTH)))
    return pir_exec_fail(why, PIR_INVALID,
                         ": %s: refused (any_owner of pir_open_options admits it)",
                         own ? "its group or others may write it" : "somebody else owns it");
  size_t size = (size_t)st.st_size;
  if (!size)
    return PIR_OK;
  void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED)
    return pir_exec_fail(why, PIR_EXHAUSTED, ": %s", strerror(errno));
#ifdef MADV_HUGEPAGE
  (void)madvise(data, size, MADV_HUGEPAGE);
#endif
  *out = (owned_block){data, size};
  return PIR_OK;
}

static pir_status map_file(const opening *o, const char *path, owned_block *out,
                           pir_message *why) {
  *out = (owned_block){0};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    bool absent = errno == ENOENT || errno == ENOTDIR;
    return pir_exec_fail(why, absent ? PIR_NOT_FOUND : PIR_IO, ": %s", strerror(errno));
  }
  pir_status status = map_open(o, fd, out, why);
  close(fd);
  return status;
}

// Finds the data of the parts: in the model, or in the file of weights that the options name,
// or that lies beside the model.
static pir_status find_data(opening *o, const compiled_header *h) {
  pir_message why;
  const char *given = o->options->weights, *slash = o->path ? strrchr(o->path, '/') : NULL;
  o->data = o->bytes;
  o->data_size = o->size;
  if (!*h->weights)
    return PIR_OK;
  if (!given && !o->path)
    return pir_exec_fail(&o->message, PIR_NOT_FOUND,
                         "%s has its weights in %s: name that file by `weights` of "
                         "pir_open_options",
                         o->name, h->weights);
  pir_text_format(o->weights, sizeof o->weights, "%.*s%s",
                  given || !slash ? 0 : (int)(slash + 1 - o->path), slash ? o->path : "",
                  given ? given : h->weights);
  pir_status status = map_file(o, o->weights, &o->model->apart, &why);
  if (status)
    return pir_exec_fail(&o->message, status, "%s (the weights of %s)%s", o->weights, o->name,
                         why.text);
  if (o->model->apart.data)
    o->data = o->model->apart.data;
  o->data_size = o->model->apart.bytes;
  if (o->data_size == h->weights_size)
    return PIR_OK;
  return pir_exec_fail(&o->message, PIR_INVALID,
                       "%s (the weights of %s) has %llu bytes, and was written with %llu",
                       o->weights, o->name, (unsigned long long)o->data_size,
                       (unsigned long long)h->weights_size);
}

// ---- checks

static pir_status check_origin(opening *o, const compiled_header *h) {
  if (o->size < COMPILED_HEADER || memcmp(h->magic, COMPILED_MAGIC, sizeof h->magic) != 0)
    return pir_exec_fail(&o->message, PIR_INVALID, "%s is no compiled model", o->name);
  if (h->format != COMPILED_FORMAT || h->version != pir_version() ||
      h->layout != pir_compiled_layout())
    return pir_exec_fail(
        &o->message, PIR_UNSUPPORTED,
        "unsupported: %s was compiled by libpir %u.%u.%u, and this is %d.%d.%d", o->name,
        h->version >> 16, h->version >> 8 & 255, h->version & 255, PIR_VERSION_MAJOR,
        PIR_VERSION_MINOR, PIR_VERSION_PATCH);
  if (h->size != o->size || h->count > COMPILED_TARGETS ||
      !pir_digest_same(h->sum, pir_compiled_sum(h)))
    return pir_exec_fail(&o->message, PIR_INVALID, "%s is damaged: its header", o->name);
  return PIR_OK;
}

static bool lies_inside(uint64_t size, uint64_t at, uint64_t bytes) {
  return at <= size && bytes <= size - at;
}

static bool part_is_whole(const char *bytes, uint64_t at, uint64_t size, file_digest sum) {
#ifdef MADV_POPULATE_READ
  if (size)
    (void)madvise((void *)(uintptr_t)(bytes + at), size, MADV_POPULATE_READ);
#endif
  return pir_digest_same(sum, pir_digest_of(bytes + at, size));
}

static pir_status check_part(opening *o, const compiled_part *part) {
  const char *wrong = NULL;
  if (!lies_inside(o->size, part->text_at, part->text_bytes) ||
      !lies_inside(o->data_size, part->data_at, part->data_bytes))
    wrong = "its extents";
  else if (!part_is_whole(o->bytes, part->text_at, part->text_bytes, part->text_sum))
    wrong = "plan and code";
  else if (part_is_whole(o->data, part->data_at, part->data_bytes, part->data_sum))
    return PIR_OK;
  else if (*o->weights)
    return pir_exec_fail(&o->message, PIR_INVALID,
                         "%s (the weights of %s) was changed, or has other weights", o->weights,
                         o->name);
  return pir_exec_fail(&o->message, PIR_INVALID, "%s is damaged: %s for %s", o->name,
                       wrong ? wrong : "weights", part->target);
}

// ---- the choice of a target

// Whether a list of LLVM's features ("+avx,+fma") has this one.
static bool has_feature(const char *list, const char *feature, size_t size) {
  for (const char *at = strstr(list, feature); at; at = strstr(at + 1, feature)) {
    bool begins = at == list || at[-1] == ',';
    if (begins && !strncmp(at, feature, size) && (at[size] == ',' || !at[size]))
      return true;
  }
  return false;
}

// Returns how many features a part asks for; -1 if this processor lacks one of them.
static int fit_of(const compiled_part *part, const pir_target *here) {
  int count = 0;
  if (strcmp(part->triple, here->triple) != 0)
    return -1;
  for (const char *at = part->features; *at; count++) {
    char feature[64];
    size_t size = strcspn(at, ",");
    if (!size || size >= sizeof feature)
      return -1;
    memcpy(feature, at, size);
    feature[size] = 0;
    if (!has_feature(here->features, feature, size))
      return -1;
    at += size + (at[size] == ',');
  }
  return count;
}

static pir_status choose_part(opening *o, const compiled_header *h,
                              const compiled_part **out_part) {
  pir_target here;
  int best = -1;
  const char *asked = o->options->target;
  *out_part = NULL;
  if (pir_target_get(NULL, &here))
    return pir_exec_fail(&o->message, PIR_UNAVAILABLE, "this processor is not known");
  for (uint32_t i = 0; i < h->count; i++) {
    int fit = fit_of(&h->parts[i], &here);
    if ((asked && strcmp(h->parts[i].target, asked) != 0) || fit <= best)
      continue;
    best = fit;
    *out_part = &h->parts[i];
  }
  if (*out_part)
    return PIR_OK;
  size_t n = pir_text_format(o->message.text, sizeof o->message.text,
                             "%s has no code for %s on this processor; it has", o->name,
                             asked ? asked : here.name);
  for (uint32_t i = 0; i < h->count && n < sizeof o->message.text; i++)
    n += pir_text_format(o->message.text + n, sizeof o->message.text - n, "%s %s", i ? "," : "",
                         h->parts[i].target);
  return PIR_UNAVAILABLE;
}

// ---- making the model

// Constants as parameters, while they are loaded.
typedef struct lent_params {
  const pir_param **items;
  uint32_t count;
} lent_params;

static void drop_params(void *user) {
  lent_params *lent = user;
  for (uint32_t i = 0; i < lent->count; i++)
    if (lent->items[i])
      pir_param_release(lent->items[i]);
}

// Has the instructions that run once run, and the weights packed, where they could not be when
// the file was written. Its constants are parameters then.
static pir_status load_unpacked(opening *o) {
  static const pir_watch forever;
  pir_model *model = o->model;
  plan *p = &model->plan;
  lent_params lent = {.items =
                          pir_arena_zalloc(&p->memory, p->const_count * sizeof *lent.items),
                      .count = p->const_count};
  pir_guard guard;
  model->watch = &forever;
  model->max_bytes = UINT64_MAX;
  model->weights.threads = pir_model_threads(o->options->threads);
  pir_guard_open(&model->heap, &guard, drop_params, &lent);
  pir_status status = pir_weights_adopt(model, lent.items);
  if (!status)
    status = pir_weights_take(model, &o->message);
  if (!status)
    status = pir_weights_load(model, model->weights.threads, &o->message);
  pir_guard_close(&guard);
  drop_params(&lent);
  return status;
}

static pir_status restore_model(void *user) {
  opening *o = user;
  const compiled_header *h = (const compiled_header *)o->bytes;
  const compiled_part *part;
  PIR_TRY(check_origin(o, h));
  PIR_TRY(choose_part(o, h, &part));
  PIR_TRY(find_data(o, h));
  PIR_TRY(check_part(o, part));
  pir_str text = {o->bytes + part->text_at, part->text_bytes};
  const char *missing = NULL;
  if (!pir_stored_restore(o->model, text, o->data + part->data_at, part->data_bytes, &missing))
    return missing ? pir_exec_fail(&o->message, PIR_UNAVAILABLE,
                                   "%s calls the kernel %s, and libpir_rt_kernels, which has "
                                   "it, is not installed",
                                   o->name, missing)
                   : pir_exec_fail(&o->message, PIR_INVALID,
                                   "%s cannot be read: its code cannot be mapped", o->name);
  o->model->stats.prepared_bytes = part->text_bytes + part->data_bytes;
  return o->model->unpacked ? load_unpacked(o) : PIR_OK;
}

// Completes the model, which owns its bytes already.
static pir_status open_bytes(opening *o, pir_model **out_model) {
  uint64_t start = pir_exec_now_ns();
  o->model->code_listener = o->options->code_listener ? &o->listener : NULL;
  pir_status status = pir_heap_catch(&o->model->heap, restore_model, o, NULL);
  if (status) {
    pir_model_release(o->model);
    return status;
  }
  pir_model_finish(o->model);
  o->model->stats.load_ns = pir_exec_now_ns() - start;
  *out_model = o->model;
  return PIR_OK;
}

static pir_status tell(opening *o, pir_status status) {
  if (status && !o->message.text[0])
    pir_exec_fail(&o->message, status, "%s: %s", o->name, pir_status_text(status));
  return status ? pir_exec_tell(o->options->sink, PIR_ERROR, status, o->message.text) : PIR_OK;
}

static pir_status read_open_options(const pir_open_options *given, pir_open_options *out,
                                    opening *o) {
  sized_text why;
  pir_status status = pir_sized_read("pir_open_options", out, sizeof *out, given, &why);
  *o = (opening){.options = out};
  if (!status)
    status = pir_sized_read("pir_code_listener", &o->listener, sizeof o->listener,
                            out->code_listener, &why);
  if (!status)
    return PIR_OK;
  if (given && given->size >= offsetof(pir_open_options, sink) + sizeof given->sink)
    out->sink = given->sink;
  return pir_exec_fail(&o->message, status, "%s", why.text);
}

// ---- from a file

static pir_status open_mapped(opening *o, owned_block mapped, pir_model **out_model) {
  o->model = pir_model_new(&o->options->allocator);
  if (!o->model) {
    if (mapped.data)
      munmap(mapped.data, mapped.bytes);
    return pir_exec_fail(&o->message, PIR_EXHAUSTED, "out of memory");
  }
  o->model->mapped = mapped;
  o->bytes = mapped.data;
  o->size = mapped.bytes;
  return open_bytes(o, out_model);
}

pir_status pir_model_open_file(const char *path, const pir_open_options *given,
                               pir_model **out_model) {
  pir_open_options options;
  opening o;
  owned_block mapped;
  pir_message why;
  pir_status status = read_open_options(given, &options, &o);
  if (out_model)
    *out_model = NULL;
  if (!status && (!path || !out_model))
    status = pir_exec_fail(&o.message, PIR_INVALID, "pir_model_open_file: an argument is NULL");
  if (status)
    return tell(&o, status);
  o.name = o.path = path;
  status = map_file(&o, path, &mapped, &why);
  status = status ? pir_exec_fail(&o.message, status, "%s%s", path, why.text)
                  : open_mapped(&o, mapped, out_model);
  return tell(&o, status);
}

// ---- from memory

// Copies bytes that do not begin at a page, since weights are read in place.
static pir_status take_bytes(opening *o, pir_borrowed file) {
  o->model = pir_model_new(&o->options->allocator);
  if (!o->model)
    return PIR_EXHAUSTED;
  o->bytes = file.data;
  o->size = file.size;
  if ((uintptr_t)file.data % STORED_PAGE == 0) {
    o->model->file = file;
    return PIR_OK;
  }
  void *copy = file.size ? mmap(NULL, file.size, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                         : MAP_FAILED;
  if (copy == MAP_FAILED)
    return PIR_EXHAUSTED;
  memcpy(copy, file.data, file.size);
  o->model->mapped = (owned_block){copy, file.size};
  o->bytes = copy;
  pir_borrowed_release(file);
  return PIR_OK;
}

pir_status pir_model_open(pir_borrowed file, const pir_open_options *given,
                          pir_model **out_model) {
  pir_open_options options;
  opening o;
  pir_status status = read_open_options(given, &options, &o);
  if (out_model)
    *out_model = NULL;
  if (!status && (!file.data || !out_model))
    status = pir_exec_fail(&o.message, PIR_INVALID, "pir_model_open: an argument is NULL");
  o.name = "the model in memory";
  if (!status && file.size < COMPILED_HEADER)
    status = pir_exec_fail(&o.message, PIR_INVALID, "%s is no compiled model", o.name);
  if (!status)
    status = take_bytes(&o, file);
  if (status) {
    pir_model_release(o.model);
    pir_borrowed_release(file);
    return tell(&o, status);
  }
  return tell(&o, open_bytes(&o, out_model));
}
