// A prepared model is one file: a page with a header, the plan with the code of its groups,
// and, page-aligned, the constants and packed weights that a run reads. A start maps the file:
// nothing is read, folded, packed or compiled, and processes share the pages. The file name is
// a hash of all inputs: the program's bytes, the digest of the parameter file, target, costs,
// options, and the libraries' own files. The header holds them as text too. So a changed
// parameter leads to another name, never to wrong numbers. Header and plan are always checked
// against their checksums. The weights are checked too, unless the file is unchanged since it
// was written: same device, inode, size, and modification time. That time is set to a moment in
// the past, which no write can produce.
#include "prepared.h"
#include "stored_model.h"

#include <fcntl.h>
#include <folder.h>
#include <grown_text.h>
#include <pir/compiler/load.h>
#include <pir/compiler/params.h>
#include <pir/layer/machine_record.h>
#include <pir/layer/tuning.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x3364656c65646f6d)
#define SUFFIX ".pirmodel"

enum { PAGE = STORED_PAGE, MOST_MODELS = 256 };
static const uint64_t MOST_BYTES = UINT64_C(4) << 30, MOST_OF_ALL = UINT64_C(8) << 30;

typedef struct header {
  uint64_t magic;
  file_digest key;
  uint64_t device, inode, size;
  int64_t modified;
  uint64_t plan_bytes, data_at;
  file_digest plan_sum, data_sum;
  char origin[ORIGIN_BYTES];
  file_digest sum;
} header;

_Static_assert(sizeof(header) <= PAGE, "the header has a page");

static file_digest sum_of(const header *h) {
  return pir_digest_of(h, offsetof(header, sum));
}

// ---- the name

// The digest of the record of tuned choices by which the model is made; false: memory ran out.
static bool digest_tuning(const char *folder, const pir_target *target, file_digest *out) {
  pir_tuning *tuning = pir_tuning_create();
  pir_grown_text text = {0};
  bool written = tuning && (!pir_tuning_load(tuning, folder, target) ||
                            pir_tuning_write(tuning, (pir_writer){pir_grow_text, &text}));
  if (written)
    *out = pir_digest_of(text.data, text.size);
  free(text.data);
  pir_tuning_destroy(tuning);
  return written;
}

static bool make_key(const pir_model_options *options, const pir_machine_record *machine,
                     file_digest program, file_digest params, prepared *out) {
  pir_target t;
  pir_message costs;
  file_digest tuning;
  char libraries[512];
  if (pir_target_get(options->target, &t) || t.device ||
      !digest_tuning(options->cache, &t, &tuning))
    return false;
  pir_compiler_identity(libraries, sizeof libraries);
  pir_target_use_record(&t, machine);
  pir_target_name_costs(&t, &costs);
  size_t n = pir_text_format(
      out->origin, sizeof out->origin,
      "%s\n%s %s %s %s %d %d %llu %llu %llu\n%s\n%llx %llx\n%s\n%s %d\n%llx %llx %llx %llx",
      libraries, t.name, t.triple, t.cpu, t.features, t.vector_bytes, t.vector_registers,
      (unsigned long long)t.l1_bytes, (unsigned long long)t.l2_bytes,
      (unsigned long long)t.l3_bytes, costs.text, (unsigned long long)tuning.low,
      (unsigned long long)tuning.high, options->pipeline, options->math, options->any_float,
      (unsigned long long)program.low, (unsigned long long)program.high,
      (unsigned long long)params.low, (unsigned long long)params.high);
  out->key = pir_digest_of(out->origin, n);
  return n + 1 < sizeof out->origin;
}

// Whether a pass of the pipeline reads files, which its option `data` names (quantise_pass): no
// key holds their contents.
static bool reads_data(const char *pipeline) {
  return strstr(pipeline, "data=") != NULL;
}

static bool can_be_kept(const pir_model_options *options) {
  bool is_special = options->show_count || options->replaceable || options->custom_ops ||
                    options->passes || reads_data(options->pipeline);
  return options->cache && !is_special && !pir_device_is_kind(options->target);
}

// Finds the combined parameter file: the given one, or the one beside the program. False if
// parameters are separate files.
static bool find_params(const char *program, const char *given, char **out) {
  file_identity identity;
  *out = NULL;
  if (given)
    *out = strdup(given);
  else if (pir_params_find(program, out))
    *out = NULL;
  if (!*out || pir_file_identify(*out, &identity))
    return !given || *out;
  free(*out);
  *out = NULL;
  return !given;  // found a folder: a program with parameters is not kept, one without may be
}

static bool name_files(const pir_model_options *options, const pir_machine_record *machine,
                       const char *path, const char *params, prepared *out) {
  file_digest program, weights = {0};
  return !pir_program_find(path, &out->program) &&
         find_params(out->program, params, &out->params) &&
         pir_file_digest(-1, out->program, &out->program_identity, &program) &&
         (!out->params ||
          pir_file_digest(out->folder, out->params, &out->params_identity, &weights)) &&
         make_key(options, machine, program, weights, out);
}

void pir_prepared_begin(const pir_model_options *options, const pir_machine_record *machine,
                        const char *path, const char *params, prepared *out) {
  *out = (prepared){.folder = can_be_kept(options) ? pir_folder_open(options->cache) : -1};
  if (out->folder >= 0 && !name_files(options, machine, path, params, out))
    pir_prepared_release(out);
}

void pir_prepared_begin_bytes(const pir_model_options *options,
                              const pir_machine_record *machine, pir_borrowed program,
                              pir_borrowed params, prepared *out) {
  *out = (prepared){.folder = can_be_kept(options) ? pir_folder_open(options->cache) : -1};
  if (out->folder < 0)
    return;
  file_digest weights =
      params.data ? pir_digest_of(params.data, params.size) : (file_digest){0};
  if (!make_key(options, machine, pir_digest_of(program.data, program.size), weights, out))
    pir_prepared_release(out);
}

void pir_prepared_release(prepared *p) {
  if (p->folder >= 0)
    close(p->folder);
  free(p->program);
  free(p->params);
  *p = (prepared){.folder = -1};
}

static void name_prepared(file_digest key, char out[64]) {
  pir_text_format(out, 64, "%llx-%llx" SUFFIX, (unsigned long long)key.high,
                  (unsigned long long)key.low);
}

// ---- writing

typedef struct writing {
  pir_new_file file;
  digest_stream digest;  // of the current piece
  uint64_t size;         // so far
} writing;

static bool put_bytes(void *user, const void *data, size_t size) {
  writing *w = user;
  w->size += size;
  return pir_new_file_write(&w->file, data, size) && pir_digest_add(&w->digest, data, size);
}

// Up to the page where data begins.
static bool put_plan(writing *w, const stored_image *image, file_digest *out_digest) {
  if (!pir_digest_begin(&w->digest))
    return false;
  bool good = put_bytes(w, image->text.data, image->text.size) &&
              pir_stored_pad(w->size, image->alignment, put_bytes, w);
  *out_digest = pir_digest_end(&w->digest);
  return good;
}

static bool put_data(writing *w, const pir_model *model, file_digest *out_digest) {
  if (!pir_digest_begin(&w->digest))
    return false;
  bool good = pir_stored_put_data(model, put_bytes, w);
  *out_digest = pir_digest_end(&w->digest);
  return good;
}

static bool put_header(writing *w, header *h) {
  struct stat st;
  if (fstat(w->file.fd, &st))
    return false;
  h->device = (uint64_t)st.st_dev;
  h->inode = (uint64_t)st.st_ino;
  h->size = w->size;
  h->modified = st.st_mtim.tv_sec - 2;
  h->sum = sum_of(h);
  struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_sec = h->modified}};
  return pwrite(w->file.fd, h, sizeof *h, 0) == sizeof *h && !futimens(w->file.fd, times);
}

static bool room_for(int folder, uint64_t bytes) {
  struct statvfs fs;
  return bytes <= MOST_BYTES && !fstatvfs(folder, &fs) && bytes / fs.f_frsize < fs.f_bavail / 2;
}

static void write_file(const prepared *p, const pir_model *model, const stored_image *image) {
  static const char no_header[PAGE];
  writing w = {.size = 0};
  header h = {MAGIC, .key = p->key, .plan_bytes = image->text.size};
  memcpy(h.origin, p->origin, sizeof h.origin);
  uint64_t page = image->alignment;
  char name[64];
  h.data_at = (PAGE + image->text.size + page - 1) / page * page;
  name_prepared(p->key, name);
  if (room_for(p->folder, h.data_at + image->data_bytes) &&
      pir_folder_begin(p->folder, name, &w.file)) {
    bool good = put_bytes(&w, no_header, PAGE) && put_plan(&w, image, &h.plan_sum) &&
                put_data(&w, model, &h.data_sum) && put_header(&w, &h);
    if (!good)
      pir_new_file_discard(&w.file);
    else if (pir_new_file_publish(&w.file))
      pir_folder_trim(p->folder, SUFFIX, MOST_OF_ALL, MOST_MODELS);
  }
}

static bool unchanged(const char *path, const file_identity *before) {
  file_identity now;
  return !path || (pir_file_identify(path, &now) && !memcmp(&now, before, sizeof now));
}

void pir_prepared_save(const prepared *p, const pir_model *model, const char *params) {
  if (p->folder < 0)
    return;
  // The file name was derived from these files, so they must be unchanged.
  if (params && (!p->params || strcmp(params, p->params) != 0))
    return;
  if (!unchanged(p->program, &p->program_identity) ||
      !unchanged(p->params, &p->params_identity))
    return;
  stored_image image;
  if (!pir_stored_image(model, &image))
    write_file(p, model, &image);
  pir_stored_image_drop(&image);
}

// ---- reading

static bool was_written_so(const header *h, const struct stat *st) {
  return h->device == (uint64_t)st->st_dev && h->inode == (uint64_t)st->st_ino &&
         h->modified == st->st_mtim.tv_sec && st->st_mtim.tv_nsec == 0;
}

static bool is_whole(const header *h, const char *data, const prepared *p,
                     const struct stat *st) {
  if (h->magic != MAGIC || !pir_digest_same(h->sum, sum_of(h)) ||
      !pir_digest_same(h->key, p->key) || memcmp(h->origin, p->origin, sizeof h->origin) != 0 ||
      h->size != (uint64_t)st->st_size || h->data_at > h->size || h->data_at < PAGE ||
      h->plan_bytes > h->data_at - PAGE)
    return false;
  if (!pir_digest_same(h->plan_sum, pir_digest_of(data + PAGE, h->data_at - PAGE)))
    return false;
  return was_written_so(h, st) ||
         pir_digest_same(h->data_sum, pir_digest_of(data + h->data_at, h->size - h->data_at));
}

static bool map(int fd, struct stat *st, owned_block *out) {
  if (fstat(fd, st) || (uint64_t)st->st_size < sizeof(header))
    return false;
  void *data = mmap(NULL, (size_t)st->st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED)
    return false;
#ifdef MADV_HUGEPAGE
  (void)madvise(data, (size_t)st->st_size, MADV_HUGEPAGE);  // how it is read after a boot
#endif
  *out = (owned_block){data, (size_t)st->st_size};
  return true;
}

static bool restore(pir_model *model) {
  const header *h = model->mapped.data;
  const char *file = model->mapped.data;
  model->stats.prepared_bytes = h->size;
  return pir_stored_restore(model, (pir_str){file + PAGE, h->plan_bytes}, file + h->data_at,
                            h->size - h->data_at, NULL);
}

// A model on its way out of its file.
typedef struct mapping_call {
  const prepared *kept;
  int fd;
  pir_model *model;
} mapping_call;

static pir_status map_model(void *user) {
  const mapping_call *call = user;
  pir_model *model = call->model;
  struct stat st;
  bool whole = map(call->fd, &st, &model->mapped) &&
               is_whole(model->mapped.data, model->mapped.data, call->kept, &st) &&
               restore(model);
  return whole ? PIR_OK : PIR_NOT_FOUND;
}

static pir_status tell_damage(const prepared *p, const pir_model_options *options) {
  char name[64];
  pir_message text;
  if (options->log_level == PIR_LOG_ERRORS)
    return PIR_NOT_FOUND;
  name_prepared(p->key, name);
  pir_text_format(text.text, sizeof text.text, "%s in the cache is damaged; it is made anew",
                  name);
  return pir_exec_tell(options->sink, PIR_NOTE, PIR_NOT_FOUND, text.text);
}

pir_status pir_prepared_load(const prepared *p, const pir_model_options *options,
                             pir_model **out_model) {
  *out_model = NULL;
  char name[64];
  name_prepared(p->key, name);
  int fd = p->folder >= 0 ? pir_folder_find(p->folder, name) : -1;
  if (fd < 0)
    return PIR_NOT_FOUND;
  mapping_call call = {.kept = p, .fd = fd, .model = pir_model_new(&options->allocator)};
  pir_status status = PIR_EXHAUSTED;
  pir_code_listener listener;
  sized_text why;
  // The options were read: their listener is a good one.
  pir_ignore(pir_sized_read("pir_code_listener", &listener, sizeof listener,
                            options->code_listener, &why));
  if (call.model) {
    call.model->code_listener = options->code_listener ? &listener : NULL;
    status = pir_heap_catch(&call.model->heap, map_model, &call, NULL);
  }
  if (status == PIR_NOT_FOUND)
    status = tell_damage(p, options);
  if (status) {
    pir_model_release(call.model);
  } else {
    pir_model_finish(call.model);
    *out_model = call.model;
  }
  close(fd);
  return status;
}
