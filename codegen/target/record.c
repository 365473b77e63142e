// Finds the record of this machine: in a folder, or by measuring. A record that cannot be kept
// is not used unless it is asked for: the next start would measure again, might find another
// one, and give other bits.
#include "record.h"

#include <extension.h>
#include <folder.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Reads a number of processors: up to four digits. Returns 0 for any other text.
static int read_processors(const char *text) {
  int n = 0, digits = 0;
  for (; *text >= '0' && *text <= '9' && digits < 4; text++, digits++)
    n = 10 * n + (*text - '0');
  return *text ? 0 : n;
}

pir_status pir_machine_use_named(const char *name, pir_machine_use *out_use) {
  *out_use = (pir_machine_use){PIR_MACHINE_KEPT, 0};
  if (!name)
    return PIR_OK;
  const char *colon = strchr(name, ':');
  pir_str when = {name, colon ? (size_t)(colon - name) : strlen(name)};
  bool table = pir_str_equal(when, PIR_STR("table"));
  out_use->when = table ? PIR_MACHINE_TABLE : PIR_MACHINE_MEASURED;
  out_use->processors = colon ? read_processors(colon + 1) : 0;
  bool known = table || pir_str_equal(when, PIR_STR("measured"));
  return known && (!colon || out_use->processors) ? PIR_OK : PIR_UNSUPPORTED;
}

// The number of processors that run, whether or not this process may use them all: otherwise
// that would decide about bits.
static int count_processors(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (int)count;
}

void pir_machine_key(const pir_target *target, machine_key *out) {
  char model[64];
  size_t l1 = target->l1_bytes, l2 = target->l2_bytes, l3 = target->l3_bytes;
  pir_processor_model(model);
  out->processors = count_processors();
  pir_text_format(out->file, sizeof out->file, "%s-%s-%d-%zu-%zu-%zu.machine", target->cpu,
                  target->name, out->processors, l1 >> 10, l2 >> 10, l3 >> 10);
  pir_text_format(out->text, sizeof out->text,
                  "%s (%s), %s, %d processors, caches of %zu, %zu and %zu KiB", target->cpu,
                  model, target->name, out->processors, l1 >> 10, l2 >> 10, l3 >> 10);
}

// ---- making

// A record with the table's numbers.
static pir_machine_record *make_record(const pir_target *target) {
  pir_machine_record *record = calloc(1, sizeof *record);
  if (!record)
    return NULL;
  atomic_init(&record->references, 1);
  record->numbers = *pir_machine_find(target->name, target->cpu);
  memcpy(record->target, target->name, sizeof record->target);
  memcpy(record->cpu, target->cpu, sizeof record->cpu);
  memcpy(record->sources, pir_machine_sources(target->name, target->cpu),
         sizeof record->sources);
  return record;
}

void pir_machine_record_retain(pir_machine_record *record) {
  atomic_fetch_add(&record->references, 1);
}

void pir_machine_record_release(pir_machine_record *record) {
  if (record && atomic_fetch_sub(&record->references, 1) == 1)
    free(record);
}

double pir_machine_memory_read(const pir_machine_record *record, bool all) {
  if (!record)
    return 0;
  return all ? record->figures.memory_read_all : record->figures.memory_read;
}

void pir_target_use_record(pir_target *target, const pir_machine_record *record) {
  if (record && !target->device && !strcmp(target->name, record->target) &&
      !strcmp(target->cpu, record->cpu))
    target->machine = &record->numbers;
}

pir_status pir_target_in(const pir_context *ctx, const char *name, pir_target *out_target) {
  PIR_TRY(pir_target_get(name, out_target));
  pir_target_use_record(out_target, pir_context_machine(ctx));
  return PIR_OK;
}

// ---- finding

typedef struct finding {
  pir_target target;
  machine_key key;
  const char *folder;
  int dir;  // -1: nothing can be read there
  pir_message *remark;
  size_t said;  // of the remark
} finding;

static void add_remark(finding *f, const char *text) {
  f->said += pir_text_format(f->remark->text + f->said, sizeof f->remark->text - f->said,
                             "%s%s", f->said ? "; " : "", text);
}

static void say_state(finding *f, kept_state state) {
  static const char *const texts[] = {[KEPT_DAMAGED] = "is damaged",
                                      [KEPT_OF_ANOTHER_VERSION] = "is of another version",
                                      [KEPT_OF_ANOTHER_MACHINE] = "is of another machine"};
  char text[256];
  if (state == KEPT || state == KEPT_NOWHERE)
    return;
  pir_text_format(text, sizeof text, "%s in the cache %s; it is measured anew", f->key.file,
                  texts[state]);
  add_remark(f, text);
}

static bool keep_figures(const finding *f, pir_new_file *file, const pir_measured *m) {
  char text[KEPT_BYTES];
  pir_str bytes = pir_measured_write(&f->key, m, text);
  pir_new_file_write(file, bytes.data, bytes.size);
  return pir_new_file_publish(file);  // fails if writing failed
}

// The file is begun first: a machine whose figures cannot be kept is not measured for nothing.
static pir_status measure(finding *f, bool asked, pir_measured *out) {
  pir_new_file file;
  pir_message why = {{0}};
  bool begun = f->dir >= 0 && pir_folder_begin(f->dir, f->key.file, &file);
  if (!begun && f->folder)
    add_remark(f, "figures of this machine cannot be kept in the cache");
  if (!begun && !asked)
    return PIR_IO;
  pir_status status = pir_machine_measure(&f->target, out, &why);
  if (status && (asked || status != PIR_UNSUPPORTED))
    add_remark(f, *why.text ? why.text : "the processor was not measured: out of memory");
  if (begun && status)
    pir_new_file_discard(&file);
  else if (begun && !keep_figures(f, &file, out)) {
    add_remark(f, "figures of this machine cannot be written to the cache");
    return asked ? PIR_OK : PIR_IO;
  }
  return status;
}

static pir_status find_figures(finding *f, bool asked, pir_machine_record **out_record) {
  pir_measured figures;
  kept_state state = f->dir >= 0 ? pir_measured_load(f->dir, &f->key, &figures) : KEPT_NOWHERE;
  say_state(f, state);
  if (state != KEPT) {
    pir_status status = measure(f, asked, &figures);
    if (status && status != PIR_UNSUPPORTED && !asked)
      add_remark(f, "costs are those of the library's table");
    if (status)
      return asked ? status : PIR_OK;
  }
  pir_machine_record *record = *out_record = make_record(&f->target);
  if (!record)
    return PIR_EXHAUSTED;
  pir_machine_derive(pir_machine_of(&f->target), &f->target, &figures, f->key.processors,
                     &record->numbers, record->sources);
  record->figures = figures;
  record->measured = true;
  record->was_kept = state == KEPT;
  return PIR_OK;
}

// The note, a file without figures.
static const char TABLE_NOTE[] = "costs-of-the-table";

static bool keeps_table(int folder) {
  int fd = folder >= 0 ? pir_folder_find(folder, TABLE_NOTE) : -1;
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

bool pir_machine_keep_table(const char *folder) {
  pir_new_file file;
  int dir = pir_folder_open(folder);
  bool kept =
      dir >= 0 && pir_folder_begin(dir, TABLE_NOTE, &file) && pir_new_file_publish(&file);
  if (dir >= 0)
    close(dir);
  return kept;
}

// Has work divided for so many processors: by the record, or by one of the table's numbers.
static pir_status divide_for(const finding *f, int processors,
                             pir_machine_record **out_record) {
  if (!*out_record)
    *out_record = make_record(&f->target);
  if (*out_record)
    pir_machine_set_teams(&(*out_record)->numbers, (*out_record)->sources, processors);
  return *out_record ? PIR_OK : PIR_EXHAUSTED;
}

pir_status pir_machine_record_find(const char *target, const char *folder, pir_machine_use use,
                                   pir_message *remark, pir_machine_record **out_record) {
  finding f = {.folder = folder, .dir = -1, .remark = remark};
  remark->text[0] = 0;
  *out_record = NULL;
  bool native = !target || !*target || !strcmp(target, "native");
  bool table = use.when == PIR_MACHINE_TABLE || (use.when == PIR_MACHINE_KEPT && !folder);
  if ((table && !use.processors) || !native)
    return PIR_OK;
  PIR_TRY(pir_target_get(NULL, &f.target));
  if (table)
    return divide_for(&f, use.processors, out_record);
  pir_machine_key(&f.target, &f.key);
  if (folder)
    f.dir = pir_folder_open(folder);
  bool asked = use.when == PIR_MACHINE_MEASURED;
  pir_status status =
      !asked && keeps_table(f.dir) ? PIR_OK : find_figures(&f, asked, out_record);
  if (f.dir >= 0)
    close(f.dir);
  return status || !use.processors ? status : divide_for(&f, use.processors, out_record);
}
