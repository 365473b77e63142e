// Records of costs: of the table, of made-up figures, of files, of this machine.
#include <record.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <folder.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// ---- made-up figures

static const pir_measured ZEN4 = {.clock = 3.69,
                                  .wide_clock = 3.69,
                                  .products_16 = 7.38,
                                  .products_32 = 7.38,
                                  .products_64 = 3.69,
                                  .latency_16 = 4,
                                  .latency_32 = 4,
                                  .latency_64 = 4.01,
                                  .loads = 0.98,
                                  .l2_read = 118,
                                  .l3_read = 59,
                                  .memory_read = 30,
                                  .fetch_gain_l3 = 1.01,
                                  .fetch_gain_memory = 1.02,
                                  .unhidden = 0.2,
                                  .unhidden_fetched = 0.05,
                                  .handoff = 32,
                                  .wake = 12000};

// The bandwidths and gains that docs/explain/contractions.md and the record itself state.
static const pir_measured EMERALD_RAPIDS = {.clock = 2.8,
                                            .wide_clock = 2.8,
                                            .products_16 = 5.6,
                                            .products_32 = 5.6,
                                            .products_64 = 5.6,
                                            .latency_16 = 4,
                                            .latency_32 = 4,
                                            .latency_64 = 4,
                                            .loads = 1.93,
                                            .l2_read = 140,
                                            .l3_read = 30,
                                            .memory_read = 16,
                                            .fetch_gain_l3 = 97.0 / 86,
                                            .fetch_gain_memory = 94.0 / 64,
                                            .unhidden = 0.5,
                                            .unhidden_fetched = 0.06,
                                            .handoff = 40};

// What the probe found on an EPYC of the first generation.
static const pir_measured ZEN1 = {.clock = 2.545,
                                  .wide_clock = 2.535,
                                  .products_16 = 5.084,
                                  .products_32 = 2.543,
                                  .latency_16 = 5,
                                  .latency_32 = 5,
                                  .loads = 0.999,
                                  .l2_read = 75.35,
                                  .l3_read = 44.8,
                                  .memory_read = 15.68,
                                  .fetch_gain_l3 = 1.016,
                                  .fetch_gain_memory = 1.009,
                                  .unhidden = 0.3437,
                                  .unhidden_fetched = 0.2353,
                                  .handoff = 234.7};

// A small core: one unit of 16 bytes, no cache behind the second.
static const pir_measured NARROW = {.clock = 1.8,
                                    .wide_clock = 1.8,
                                    .products_16 = 1.8,
                                    .latency_16 = 7.1,
                                    .loads = 1,
                                    .l2_read = 14,
                                    .memory_read = 4,
                                    .fetch_gain_memory = 1.2,
                                    .unhidden = 1.4,
                                    .unhidden_fetched = 1.1,
                                    .handoff = 90};

typedef struct derived {
  pir_target target;
  pir_machine machine;
  uint8_t sources[MACHINE_FIELDS];
} derived;

static derived derive(const char *level, const char *processor, const pir_measured *m,
                      int vector_bytes, int ways, int processors) {
  derived d = {.target = {.vector_bytes = vector_bytes, .l1_ways = ways, .fma = true}};
  const pir_machine *row = pir_machine_find(level, processor);
  d.target.l1_bytes = row->cache.l1_bytes;
  memcpy(d.sources, pir_machine_sources(level, processor), sizeof d.sources);
  pir_machine_derive(row, &d.target, m, processors, &d.machine, d.sources);
  return d;
}

// Without the numbers that stand for the count of processors.
static uint64_t digest_as(pir_machine machine, const pir_machine *row) {
  memcpy(machine.core.teams, row->core.teams, sizeof machine.core.teams);
  return pir_machine_digest(&machine);
}

// The formulas give what was fitted, where the figures are those that the table states.
static void test_fitted_records_follow(void **state) {
  (void)state;
  const pir_machine *row = pir_machine_find("x86-64-v4", "znver4");
  derived d = derive("x86-64-v4", "znver4", &ZEN4, 64, 8, 2);
  pir_machine expected = *row;
  expected.cache.overlap = 16;  // the table's is a guess
  assert_int_equal(digest_as(d.machine, row), pir_machine_digest(&expected));
  assert_int_equal(d.sources[MACHINE_cache_fetches_panels], MACHINE_FITTED);
  assert_int_equal(d.sources[MACHINE_cache_memory_bytes], MACHINE_MEASURED);
  assert_int_equal(d.sources[MACHINE_cache_set_bytes], MACHINE_VENDOR);
  assert_int_equal(d.sources[MACHINE_tile_rows], MACHINE_FITTED);
  row = pir_machine_find("x86-64-v4", "sapphirerapids");
  d = derive("x86-64-v4", "sapphirerapids", &EMERALD_RAPIDS, 64, 12, 4);
  assert_int_equal(digest_as(d.machine, row), pir_machine_digest(row));
  assert_int_equal(d.machine.core.teams[0], 2);
  assert_int_equal(d.machine.core.teams[1], 4);
}

// Units of half a register: the widest products start at half of the units' rate.
static void test_halved_registers(void **state) {
  (void)state;
  const pir_machine *row = pir_machine_find("x86-64-v3", "znver1");
  derived d = derive("x86-64-v3", "znver1", &ZEN1, 32, 8, 2);
  assert_int_equal(d.machine.core.chains, 5);
  assert_int_equal(digest_as(d.machine, row), pir_machine_digest(row));
}

// What whole networks or convolutions were timed for stays, whatever one product says.
static void test_fitted_numbers_stay(void **state) {
  (void)state;
  pir_measured m = ZEN1;
  m.unhidden = 0.7;
  m.unhidden_fetched = 0.6;
  m.fetch_gain_l3 = 0.9;
  m.l2_read /= 4;
  const pir_machine *row = pir_machine_find("x86-64-v3", "znver1");
  derived d = derive("x86-64-v3", "znver1", &m, 32, 8, 2);
  assert_int_equal(d.machine.cache.overlap, row->cache.overlap);
  assert_int_equal(d.machine.cache.fetches_panels, row->cache.fetches_panels);
  assert_int_equal(d.machine.cache.l2_feed, row->cache.l2_feed);
  assert_int_equal(d.sources[MACHINE_cache_overlap], MACHINE_FITTED);
}

// A disturbed probe finds fewer products; as many sums keep the units busy.
static void test_disturbed_rate(void **state) {
  (void)state;
  pir_measured wide = EMERALD_RAPIDS, halved = ZEN1;
  wide.products_16 *= 0.92;
  wide.products_32 *= 0.92;
  wide.products_64 *= 0.92;
  halved.products_16 *= 0.88;
  halved.products_32 *= 0.88;
  derived d = derive("x86-64-v4", "of tomorrow", &wide, 64, 12, 4);
  assert_int_equal(d.machine.core.chains, 8);
  d = derive("x86-64-v3", "znver1", &halved, 32, 8, 2);
  assert_int_equal(d.machine.core.chains, 5);
}

// The same, from the row of another processor: rounded to powers of two.
static void test_unknown_processor(void **state) {
  (void)state;
  derived d = derive("x86-64-v4", "of tomorrow", &EMERALD_RAPIDS, 64, 12, 96);
  assert_int_equal(d.machine.core.chains, 8);
  assert_int_equal(d.machine.core.products, 2);
  assert_int_equal(d.machine.core.loads, 2);
  assert_int_equal(d.machine.core.narrowest_bytes, 64);
  assert_int_equal(d.machine.core.teams[0], 32);
  assert_int_equal(d.machine.core.teams[1], 64);
  assert_int_equal(d.machine.cache.memory_bytes, 4);  // 2.9
  assert_int_equal(d.machine.cache.l3_feed, 4);       // 5.4
  assert_int_equal(d.machine.cache.l2_feed, 32);      // 25, near the row's
  assert_int_equal(d.machine.cache.overlap, 16);
  assert_true(d.machine.cache.fetches_panels);
  assert_int_equal(d.machine.tile.colliding_rows, 9);
  assert_int_equal(d.sources[MACHINE_tile_colliding_rows], MACHINE_VENDOR);
  assert_int_equal(d.sources[MACHINE_tile_rows], MACHINE_GUESS);
}

static void test_narrow_core(void **state) {
  (void)state;
  derived d = derive("aarch64", "generic", &NARROW, 16, 0, 1);
  const pir_machine *row = pir_machine_find("aarch64", "generic");
  assert_int_equal(d.machine.core.chains, 7);
  assert_int_equal(d.machine.core.products, 1);
  assert_int_equal(d.machine.core.loads, 1);
  assert_int_equal(d.machine.core.narrowest_bytes, 16);
  assert_int_equal(d.machine.core.teams[0], 1);
  assert_int_equal(d.machine.core.teams[1], 1);
  assert_int_equal(d.machine.cache.memory_bytes, 2);
  assert_int_equal(d.machine.cache.l2_feed, 8);
  assert_int_equal(d.machine.cache.overlap, 1);
  assert_true(d.machine.cache.fetches_panels);
  assert_int_equal(d.machine.nest.unit_elements, row->nest.unit_elements);  // 1260
  // Nothing was found of these.
  assert_int_equal(d.machine.cache.l3_feed, row->cache.l3_feed);
  assert_int_equal(d.sources[MACHINE_cache_l3_feed], MACHINE_GUESS);
  assert_int_equal(d.machine.cache.set_bytes, row->cache.set_bytes);
}

// Without any figure the row stays, but for the count of processors.
static void test_no_figures(void **state) {
  (void)state;
  static const pir_measured none;
  const pir_machine *row = pir_machine_find("x86-64-v3", "haswell");
  derived d = derive("x86-64-v3", "haswell", &none, 32, 8, 8);
  assert_int_equal(digest_as(d.machine, row), pir_machine_digest(row));
}

// Figures a quarter off give the same record: so much may a probe err.
static void test_numbers_are_coarse(void **state) {
  (void)state;
  derived d = derive("x86-64-v4", "znver4", &ZEN4, 64, 8, 2);
  static const double errors[] = {0.8, 0.9, 1.1, 1.25};
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    pir_measured m = ZEN4;
    m.memory_read *= errors[i];
    m.l3_read *= errors[i];
    m.l2_read *= errors[i];
    m.unhidden *= errors[i];
    m.loads *= errors[i];
    derived other = derive("x86-64-v4", "znver4", &m, 64, 8, 2);
    assert_int_equal(pir_machine_digest(&other.machine), pir_machine_digest(&d.machine));
  }
}

// ---- the fields

// Every byte of a record that is no padding belongs to a field: a change of any changes the
// digest.
static void test_digest_covers_the_record(void **state) {
  (void)state;
  pir_machine machine = *pir_machine_find("x86-64-v4", "znver4");
  uint64_t before = pir_machine_digest(&machine);
  size_t padding = 0;
  for (size_t i = 0; i < sizeof machine; i++) {
    char *byte = (char *)&machine + i;
    *byte ^= 1;
    padding += pir_machine_digest(&machine) == before;
    *byte ^= 1;
  }
  // A bool has three bytes behind it, six numbers of four bytes stand before one of eight, and
  // five bytes of a double lie behind the digits that count.
  assert_in_range(padding, 0, 3 + 6 * 4 + 5);
}

// ---- files

typedef struct kept {
  char folder[64], path[256];
  pir_target target;
  machine_key key;
} kept;

static int set_up(void **state) {
  kept *k = calloc(1, sizeof *k);
  strcpy(k->folder, "/tmp/pir-machine-XXXXXX");
  if (!k || !mkdtemp(k->folder) || pir_target_get(NULL, &k->target))
    return -1;
  pir_machine_key(&k->target, &k->key);
  snprintf(k->path, sizeof k->path, "%s/%s", k->folder, k->key.file);
  *state = k;
  return 0;
}

static int tear_down(void **state) {
  kept *k = *state;
  chmod(k->folder, 0700);
  unlink(k->path);
  rmdir(k->folder);
  free(k);
  return 0;
}

static void write_file(const kept *k, pir_str text) {
  int fd = open(k->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text.data, text.size), text.size);
  close(fd);
}

static pir_machine_record *find(const kept *k, pir_machine_when when, pir_message *remark) {
  pir_machine_use use = {.when = when};
  pir_machine_record *record;
  assert_int_equal(pir_machine_record_find(NULL, k->folder, use, remark, &record), PIR_OK);
  return record;
}

// A file that was written before decides: nothing is measured.
static void test_kept_figures_are_used(void **state) {
  kept *k = *state;
  char text[KEPT_BYTES];
  pir_message remark;
  write_file(k, pir_measured_write(&k->key, &NARROW, text));
  pir_machine_record *record = find(k, PIR_MACHINE_KEPT, &remark);
  assert_non_null(record);
  assert_string_equal(remark.text, "");
  assert_true(record->was_kept);
  assert_memory_equal(&record->figures, &NARROW, sizeof NARROW);
  pir_target target = k->target;
  pir_target_use_record(&target, record);
  assert_ptr_equal(target.machine, &record->numbers);
  pir_machine_record_release(record);
  assert_null(find(k, PIR_MACHINE_TABLE, &remark));
}

static void test_damage_is_noticed(void **state) {
  kept *k = *state;
  char text[KEPT_BYTES];
  pir_measured m;
  pir_str whole = pir_measured_write(&k->key, &ZEN4, text);
  assert_int_equal(pir_measured_read(&k->key, whole, &m), KEPT);
  for (size_t i = 0; i < whole.size; i++) {
    text[i] ^= 4;
    assert_int_not_equal(pir_measured_read(&k->key, whole, &m), KEPT);
    text[i] ^= 4;
    assert_int_not_equal(pir_measured_read(&k->key, (pir_str){text, i}, &m), KEPT);
  }
}

// Files of the cache's owner are trusted as little as others: figures must be numbers.
static void test_forged_figures(void **state) {
  kept *k = *state;
  static const double numbers[] = {-1, 1e300};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    char text[KEPT_BYTES];
    pir_measured m = ZEN4;
    m.l2_read = numbers[i];
    pir_str whole = pir_measured_write(&k->key, &m, text);
    assert_int_equal(pir_measured_read(&k->key, whole, &m), KEPT_DAMAGED);
  }
}

static void test_another_machine(void **state) {
  kept *k = *state;
  char text[KEPT_BYTES];
  pir_measured m;
  machine_key other = k->key;
  strcat(other.text, " more");
  assert_int_equal(pir_measured_read(&k->key, pir_measured_write(&other, &ZEN4, text), &m),
                   KEPT_OF_ANOTHER_MACHINE);
}

// Other targets have the table's numbers, whatever is kept.
static void test_other_targets(void **state) {
  kept *k = *state;
  char text[KEPT_BYTES];
  pir_machine_record *record;
  pir_message remark;
  write_file(k, pir_measured_write(&k->key, &NARROW, text));
  assert_int_equal(pir_machine_record_find("x86-64-v3", k->folder,
                                           (pir_machine_use){.when = PIR_MACHINE_KEPT}, &remark,
                                           &record),
                   PIR_OK);
  assert_null(record);
  record = find(k, PIR_MACHINE_KEPT, &remark);
  pir_target target;
  assert_int_equal(pir_target_describe("x86-64-v2", &target), PIR_OK);
  const pir_machine *row = target.machine;
  pir_target_use_record(&target, record);
  assert_ptr_equal(target.machine, row);
  pir_machine_record_release(record);
}

// ---- this machine

// Two measurements of a machine give the same record, but for a number or two that lie at the
// border of a step or in the noise of a busy machine.
static void test_measured_figures(void **state) {
  (void)state;
  enum { TIMES = 20 };
  uint64_t digests[TIMES];
  int measured = 0, most = 0;
  pir_target target;
  assert_int_equal(pir_target_get(NULL, &target), PIR_OK);
  for (int i = 0; i < TIMES; i++) {
    pir_measured m;
    pir_message why;
    pir_machine machine;
    uint8_t sources[MACHINE_FIELDS];
    pir_status status = pir_machine_measure(&target, &m, &why);
    if (status == PIR_UNSUPPORTED)
      skip();
    assert_true(!status || status == PIR_UNAVAILABLE);
    if (status)
      continue;
    assert_true(m.clock > 0.1 && m.clock < 20 && m.products_16 > 0 && m.memory_read > 0);
    pir_machine_derive(target.machine, &target, &m, 2, &machine, sources);
    digests[measured++] = pir_machine_digest(&machine);
  }
  for (int i = 0; i < measured; i++) {
    int same = 0;
    for (int k = 0; k < measured; k++)
      same += digests[k] == digests[i];
    most = same > most ? same : most;
  }
  // How many agree depends on the other work of the machine, so it is told and not asserted.
  print_message("%d of %d measurements: %d give one record\n", measured, TIMES, most);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fitted_records_follow),
      cmocka_unit_test(test_halved_registers),
      cmocka_unit_test(test_fitted_numbers_stay),
      cmocka_unit_test(test_disturbed_rate),
      cmocka_unit_test(test_unknown_processor),
      cmocka_unit_test(test_narrow_core),
      cmocka_unit_test(test_no_figures),
      cmocka_unit_test(test_numbers_are_coarse),
      cmocka_unit_test(test_digest_covers_the_record),
      cmocka_unit_test_setup_teardown(test_kept_figures_are_used, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_damage_is_noticed, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_forged_figures, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_another_machine, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_other_targets, set_up, tear_down),
      cmocka_unit_test(test_measured_figures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
