// The numbers of a record one by one: their digest, and the text of a machine for people and
// programs.
#include "record.h"

#include <strbuf.h>

#include <xxhash.h>

typedef enum number_kind { INT, INT64, SIZE, DOUBLE, BOOL } number_kind;

typedef struct field {
  const char *name;
  size_t at, item;  // place; size of an item
  number_kind kind;
  int count;
} field;

#define KIND_OF(x)                                                                             \
  _Generic((x), int: INT, int64_t: INT64, size_t: SIZE, double: DOUBLE, bool: BOOL)
#define ITEM(group, name, item, count)                                                         \
  {#group "." #name, offsetof(pir_machine, group.name),                                        \
   sizeof(((pir_machine *)0)->group.item), KIND_OF(((pir_machine *)0)->group.item), count},
static const field fields[MACHINE_FIELDS] = {
#define FIELD(group, name) ITEM(group, name, name, 1)
#define FIELDS(group, name, count) ITEM(group, name, name[0], count)
#include "machine_fields.def"
#undef FIELD
#undef FIELDS
};

static void put_item(pir_strbuf *out, const field *f, const pir_machine *m, int i) {
  const char *at = (const char *)m + f->at + (size_t)i * f->item;
  switch (f->kind) {
    case INT: pir_strbuf_int(out, *(const int *)at); break;
    case INT64: pir_strbuf_int(out, *(const int64_t *)at); break;
    case SIZE: pir_strbuf_uint(out, *(const size_t *)at); break;
    case DOUBLE: pir_strbuf_float(out, "%.6g", *(const double *)at); break;
    case BOOL: pir_strbuf_str(out, *(const bool *)at ? PIR_STR("true") : PIR_STR("false"));
  }
}

// The numbers of a field, with `between` them.
static void put_field(pir_strbuf *out, const field *f, const pir_machine *m,
                      const char *between) {
  for (int i = 0; i < f->count; i++) {
    if (i)
      pir_strbuf_str(out, pir_str_from(between));
    put_item(out, f, m, i);
  }
}

static bool add_to_hash(void *user, const char *data, size_t size) {
  uint64_t *hash = user;
  *hash = XXH3_64bits_withSeed(data, size, *hash);
  return true;
}

uint64_t pir_machine_digest(const pir_machine *machine) {
  char buffer[256];
  pir_strbuf text;
  uint64_t hash = 0;
  pir_strbuf_init_writer(&text, (pir_writer){add_to_hash, &hash}, buffer, sizeof buffer);
  for (int i = 0; i < MACHINE_FIELDS; i++) {
    put_field(&text, &fields[i], machine, " ");
    pir_strbuf_char(&text, '\n');
  }
  pir_strbuf_flush(&text);
  return hash;
}

static bool is_of_table(const pir_target *target) {
  return pir_machine_of(target) == pir_machine_find(target->name, target->cpu);
}

void pir_target_name_costs(const pir_target *target, pir_message *out) {
  pir_text_format(out->text, sizeof out->text, "%s %s, %s, %llx", target->cpu, target->name,
                  is_of_table(target) ? "table" : "measured",
                  (unsigned long long)pir_machine_digest(pir_machine_of(target)));
}

// ---- for people and programs

static const char *const SOURCES[] = {"guess", "fitted", "vendor", "measured"};

typedef struct report {
  pir_strbuf *out;
  const pir_target *target;
  const pir_machine_record *record;  // NULL: of the table
  const pir_machine *numbers;
  const uint8_t *sources;
  char machine[256];
} report;

// Where the costs come from.
typedef enum origin { OF_TABLE, OF_CACHE, MEASURED_NOW } origin;

static origin origin_of(const report *r) {
  if (!r->record || !r->record->measured)
    return OF_TABLE;
  return r->record->was_kept ? OF_CACHE : MEASURED_NOW;
}

static void write_figures(const report *r) {
  for (size_t i = 0; pir_measured_figure(i); i++) {
    const measured_figure *f = pir_measured_figure(i);
    char number[48];
    double value = pir_measured_get(&r->record->figures, f);
    if (value > 0)
      pir_text_format(number, sizeof number, "%.4g %s", value, f->unit);
    else
      pir_text_format(number, sizeof number, "-");
    pir_strbuf_format(r->out, "  %s", f->name);
    pir_strbuf_fill(r->out, ' ', 20 - strlen(f->name));
    pir_strbuf_format(r->out, "%s", number);
    pir_strbuf_fill(r->out, ' ', strlen(number) < 16 ? 16 - strlen(number) : 1);
    pir_strbuf_format(r->out, "%s\n", f->meaning);
  }
}

static void write_text(const report *r) {
  static const char *const origins[] = {"of the library's table", "of figures from the cache",
                                        "of figures measured now"};
  pir_strbuf_format(r->out, "%s\n", r->machine);
  if (origin_of(r) != OF_TABLE) {
    pir_strbuf_lit(r->out, "figures:\n");
    write_figures(r);
  }
  pir_strbuf_format(r->out, "record %llx, %s:\n",
                    (unsigned long long)pir_machine_digest(r->numbers), origins[origin_of(r)]);
  for (int i = 0; i < MACHINE_FIELDS; i++) {
    size_t name = strlen(fields[i].name);
    pir_strbuf_format(r->out, "  %s", fields[i].name);
    pir_strbuf_fill(r->out, ' ', name < 32 ? 32 - name : 1);
    pir_strbuf_format(r->out, "%s", SOURCES[r->sources[i]]);
    pir_strbuf_fill(r->out, ' ', 10 - strlen(SOURCES[r->sources[i]]));
    put_field(r->out, &fields[i], r->numbers, " ");
    pir_strbuf_char(r->out, '\n');
  }
}

static void write_json_figures(const report *r) {
  pir_strbuf_lit(r->out, ", \"figures\": {");
  for (size_t i = 0; pir_measured_figure(i); i++) {
    const measured_figure *f = pir_measured_figure(i);
    pir_strbuf_format(r->out, "%s\"%s\": {\"value\": ", i ? ", " : "", f->name);
    pir_strbuf_float(r->out, "%.4g", pir_measured_get(&r->record->figures, f));
    pir_strbuf_format(r->out, ", \"unit\": \"%s\"}", f->unit);
  }
  pir_strbuf_char(r->out, '}');
}

// Names of processors are without quotes and backslashes (pir_processor_model).
static void write_json(const report *r) {
  static const char *const names[] = {"table", "kept", "measured"};
  pir_strbuf_format(
      r->out,
      "{\"machine\": \"%s\", \"target\": \"%s\", \"from\": \"%s\", \"record\": \"%llx\"",
      r->machine, r->target->name, names[origin_of(r)],
      (unsigned long long)pir_machine_digest(r->numbers));
  if (origin_of(r) != OF_TABLE)
    write_json_figures(r);
  pir_strbuf_lit(r->out, ", \"costs\": {");
  for (int i = 0; i < MACHINE_FIELDS; i++) {
    bool list = fields[i].count > 1;
    pir_strbuf_format(r->out, "%s\"%s\": {\"value\": %s", i ? ", " : "", fields[i].name,
                      list ? "[" : "");
    put_field(r->out, &fields[i], r->numbers, ", ");
    pir_strbuf_format(r->out, "%s, \"source\": \"%s\"}", list ? "]" : "",
                      SOURCES[r->sources[i]]);
  }
  pir_strbuf_lit(r->out, "}}\n");
}

pir_status pir_machine_write(const pir_target *target, const pir_machine_record *record,
                             bool json, pir_writer out) {
  char buffer[4096];
  pir_strbuf text;
  pir_strbuf_init_writer(&text, out, buffer, sizeof buffer);
  report r = {.out = &text, .target = target, .record = record};
  r.numbers = record ? &record->numbers : pir_machine_of(target);
  r.sources = record ? record->sources : pir_machine_sources(target->name, target->cpu);
  machine_key key;
  pir_machine_key(target, &key);
  if (record)
    pir_text_format(r.machine, sizeof r.machine, "%s", key.text);
  else  // perhaps of another machine
    pir_text_format(r.machine, sizeof r.machine, "%s, %s", target->cpu, target->name);
  if (json)
    write_json(&r);
  else
    write_text(&r);
  return pir_strbuf_flush(&text) ? PIR_OK : PIR_IO;
}
