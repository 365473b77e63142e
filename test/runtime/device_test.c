// Devices and queues through the driver API: on a device if there is one, on the stand-ins of
// test/cuda/shim if LD_LIBRARY_PATH names them (test/cuda/cuda.py does), else skipped.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pir/engine/device.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
  pir_device *device;
  pir_queue *queue;
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  pir_message message = {{0}};
  pir_status status = pir_device_open("cuda", 0, NULL, &f->device, &message);
  if (status) {
    assert_int_equal(status, PIR_UNAVAILABLE);
    assert_non_null(strchr(message.text, ':'));
  } else {
    assert_int_equal(pir_queue_create(f->device, NULL, &f->queue, &message), PIR_OK);
  }
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  pir_queue_destroy(f->queue);
  pir_device_close(f->device);
  free(f);
  return 0;
}

static fixture *device_or_skip(void **state) {
  fixture *f = *state;
  if (!f->device)
    skip();
  return f;
}

static void describes_itself(void **state) {
  fixture *f = device_or_skip(state);
  pir_device *other = NULL;
  pir_message message = {{0}};
  assert_int_equal(strncmp(pir_device_target(f->device), "sm_", 3), 0);
  assert_true(atoi(pir_device_target(f->device) + 3) >= 50);
  assert_true(pir_device_driver(f->device) >= 12000);
  assert_true(strlen(pir_device_name(f->device)) > 0);
  assert_int_equal(pir_device_open("cuda", 1 << 20, NULL, &other, &message), PIR_UNAVAILABLE);
  assert_null(other);
  assert_non_null(strstr(message.text, "opening the device failed"));
}

static void unknown_kinds_are_refused(void **state) {
  pir_device *device = NULL;
  pir_message message = {{0}};
  assert_true(pir_device_is_kind("cuda"));
  assert_false(pir_device_is_kind("sm_90"));
  assert_false(pir_device_is_kind("native"));
  assert_false(pir_device_is_kind(NULL));
  assert_int_equal(pir_device_open("abacus", 0, NULL, &device, &message), PIR_INVALID);
  assert_null(device);
  assert_non_null(strstr(message.text, "\"abacus\""));
}

// Sizes around the size of a staging slice, and more bytes at once than all slices have.
static void copies_come_back(void **state) {
  fixture *f = device_or_skip(state);
  static const size_t sizes[] = {1, 255, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 11 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    size_t n = sizes[i];
    unsigned char *from = malloc(n), *to = calloc(n, 1);
    void *memory = NULL;
    for (size_t k = 0; k < n; k++)
      from[k] = (unsigned char)(k * 131 + i);
    assert_int_equal(pir_queue_take(f->queue, n, &memory), PIR_OK);
    assert_int_equal((uintptr_t)memory % 256, 0);
    assert_int_equal(pir_queue_upload(f->queue, memory, from, n), PIR_OK);
    unsigned char first = from[0];
    from[0] ^= 0xff;  // the source may change at once
    assert_int_equal(pir_queue_download(f->queue, to, memory, n), PIR_OK);
    assert_int_equal(pir_queue_wait(f->queue), PIR_OK);
    from[0] = first;
    assert_memory_equal(from, to, n);
    pir_queue_give(f->queue, memory, n);
    free(to);
    free(from);
  }
}

static void memory_is_taken_again(void **state) {
  fixture *f = device_or_skip(state);
  void *first = NULL, *second = NULL, *third = NULL;
  assert_int_equal(pir_queue_take(f->queue, 1000, &first), PIR_OK);
  assert_int_equal(pir_queue_take(f->queue, 1000, &second), PIR_OK);
  assert_ptr_not_equal(first, second);
  pir_queue_give(f->queue, first, 1000);
  assert_int_equal(pir_queue_take(f->queue, 990, &third), PIR_OK);  // of the same size class
  assert_ptr_equal(first, third);
  pir_queue_give(f->queue, second, 1000);
  pir_queue_give(f->queue, third, 990);
  assert_true(pir_queue_trim(f->queue) >= 2000);
  assert_int_equal(pir_queue_trim(f->queue), 0);
}

static void too_much_is_refused(void **state) {
  fixture *f = device_or_skip(state);
  void *memory = &memory;
  assert_int_equal(pir_queue_take(f->queue, (size_t)1 << 62, &memory), PIR_EXHAUSTED);
  assert_null(memory);
  assert_string_equal(pir_queue_message(f->queue), "taking memory failed: out of memory");
}

// Other failures are not reported as a missing device.
static void failures_are_told_apart(void **state) {
  fixture *f = device_or_skip(state);
  static const char no_code[4096];
  pir_device_code *code = NULL;
  pir_message message = {{0}};
  assert_int_equal(pir_device_load(f->device, no_code, &code, &message), PIR_INTERNAL);
  assert_null(code);
  assert_non_null(strstr(message.text, "loading code failed"));
}

static void graphs_begin_and_end(void **state) {
  fixture *f = device_or_skip(state);
  pir_device_graph *graph = NULL;
  assert_int_equal(pir_queue_begin_graph(f->queue), PIR_OK);
  assert_int_equal(pir_queue_end_graph(f->queue, &graph), PIR_OK);
  assert_int_equal(pir_queue_run_graph(f->queue, graph), PIR_OK);
  assert_int_equal(pir_queue_wait(f->queue), PIR_OK);
  pir_queue_drop_graph(f->queue, graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(describes_itself, set_up, tear_down),
      cmocka_unit_test(unknown_kinds_are_refused),
      cmocka_unit_test_setup_teardown(copies_come_back, set_up, tear_down),
      cmocka_unit_test_setup_teardown(memory_is_taken_again, set_up, tear_down),
      cmocka_unit_test_setup_teardown(too_much_is_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(failures_are_told_apart, set_up, tear_down),
      cmocka_unit_test_setup_teardown(graphs_begin_and_end, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
