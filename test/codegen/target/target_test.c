// Names of targets: devices by architecture, processors by level and model, and what is none.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "machine.h"

static void names_of_devices(void **unused) {
  static const struct {
    const char *name;
    int arch;  // 0: it names no device
  } cases[] = {{"cuda", 80},   {"sm_75", 75},   {"sm_80", 80}, {"sm_90", 90},
               {"sm_90a", 90}, {"sm_100", 100}, {"sm_70", 0},  {"sm_77", 0},
               {"sm_90b", 0},  {"sm_", 0},      {"sm_8x", 0},  {"sm_1", 0},
               {"sm_9999", 0}, {"sm80", 0},     {"sm_-80", 0}, {"abacus", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pir_target target;
    pir_status status = pir_target_describe(cases[i].name, &target);
    int found = status || !target.device ? 0 : target.architecture->number;
    if (found != cases[i].arch)
      fail_msg("%s: expected %d, found %d", cases[i].name, cases[i].arch, found);
  }
}

// What a driver may state of a device: a later minor version runs code of the version before.
static void devices_of_drivers(void **unused) {
  static const struct {
    const char *stated, *target;  // NULL: none
  } cases[] = {{"sm_80", "sm_80"}, {"sm_85", "sm_80"},   {"sm_91", "sm_90"},
               {"sm_99", "sm_90"}, {"sm_105", "sm_103"}, {"sm_129", "sm_121"},
               {"sm_74", NULL},    {"sm_70", NULL},      {"sm_130", NULL},
               {"sm_", NULL},      {"sm_91x", NULL},     {"gfx91", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pir_target target;
    pir_status status = pir_target_of_device(cases[i].stated, &target);
    assert_int_equal(status, cases[i].target ? PIR_OK : PIR_UNSUPPORTED);
    if (!status)
      assert_string_equal(target.name, cases[i].target);
  }
}

// Levels and models describe the same on every machine; this one runs some of them.
static void names_of_processors(void **unused) {
  static const struct {
    const char *name;
    int vector_bytes;
    bool bf16;
  } cases[] = {
      {"x86-64", 16, false},    {"x86-64-v2", 16, false},      {"x86-64-v3", 32, false},
      {"x86-64-v4", 64, false}, {"sapphirerapids", 64, true},  {"znver4", 64, true},
      {"znver3", 32, false},    {"icelake-server", 64, false}, {"znver5", 64, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pir_target described, here;
    assert_int_equal(pir_target_describe(cases[i].name, &described), PIR_OK);
    assert_int_equal(described.vector_bytes, cases[i].vector_bytes);
    assert_int_equal(described.avx512_bf16, cases[i].bf16);
    pir_status status = pir_target_get(cases[i].name, &here);
    assert_true(status == PIR_OK || status == PIR_UNAVAILABLE);
    if (!status)
      assert_string_equal(here.name, described.name);
  }
}

// The machine of this process, by each of its names.
static void native_is_this_machine(void **unused) {
  static const char *const names[] = {NULL, "", "native"};
  pir_target first, target;
  assert_int_equal(pir_target_get("native", &first), PIR_OK);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    assert_int_equal(pir_target_get(names[i], &target), PIR_OK);
    assert_string_equal(target.name, first.name);
    assert_true(target.l1_bytes > 0 && target.l2_bytes > 0 && target.l3_bytes > 0);
    // Whatever model a guest states; others than Intel's and AMD's have no names.
    char model[64];
    pir_processor_model(model);
    bool named = strstr(model, "Intel") || strstr(model, "AMD");
    if (named && target.vector_bytes >= 32)
      assert_string_not_equal(target.cpu, "generic");
  }
  assert_int_equal(pir_target_get("pdp11", &target), PIR_UNSUPPORTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_of_devices), cmocka_unit_test(devices_of_drivers),
      cmocka_unit_test(names_of_processors), cmocka_unit_test(native_is_this_machine)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
