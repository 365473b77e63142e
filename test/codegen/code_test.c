// Objects, their loader and the cache: stored objects are found again, damaged ones are
// refused.
#include "backend_sources.h"
#include "cache.h"
#include "code.h"
#include "contract/contraction_cases.h"
#include "image.h"
#include "machine.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct fixture {
  pir_context *ctx;
  pir_target target;
  char folder[64];
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  if (pir_target_get("x86-64", &f->target))
    return 1;
  f->ctx = pir_context_create(NULL);
  strcpy(f->folder, "/tmp/pir-cache-XXXXXX");
  *state = f;
  return mkdtemp(f->folder) ? 0 : 1;
}

static int tear_down(void **state) {
  fixture *f = *state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
  int failed = system(command);
  pir_context_destroy(f->ctx);
  free(f);
  return failed;
}

// A function that doubles units [begin, end) of buffer 0 and calls libm for the odd ones.
static loop_module *make_module(double factor) {
  loop_module *m = pir_loop_module_create();
  loop_fn *fn = pir_loop_fn_create(m, "stage");
  loop_buffer *x = pir_loop_arg(fn, "x", PIR_F32, 0, 4, false);
  loop_var *i = pir_loop_var_create(fn, "i", LOOP_INDEX, 1);
  loop_block *body = pir_loop_for(fn, &fn->body, LOOP_PARALLEL, i, pir_loop_use(m, fn->begin),
                                  pir_loop_use(m, fn->end), NULL);
  loop_expr *at = pir_loop_use(m, i), *value = pir_loop_load(m, x, at, 1, NULL);
  value = pir_loop_op(m, PIR_V_MUL, value, pir_loop_const_float(m, PIR_F32, factor), NULL);
  pir_loop_store(fn, body, x, at,
                 pir_loop_op(m, PIR_V_FMOD, value, pir_loop_const_float(m, PIR_F32, 7), NULL),
                 NULL);
  return m;
}

static pir_code_stats build_once(const fixture *f, double factor, float *out) {
  pir_code_store *store = NULL;
  const pir_image *image = NULL;
  loop_module *m = make_module(factor);
  const loop_module *modules[] = {m};
  assert_int_equal(pir_code_store_create(f->ctx, &f->target, f->folder, &store), PIR_OK);
  assert_int_equal(pir_code_store_build(store, modules, NULL, 1, 1, &image), PIR_OK);
  pir_stage_fn stage;
  void *symbol = pir_image_symbol(image, "stage");
  assert_non_null(symbol);
  memcpy(&stage, &symbol, sizeof stage);
  void *buffers[] = {out};
  for (int i = 0; i < 4; i++)
    out[i] = (float)(i + 2);
  stage(&(pir_group_args){.buffers = buffers, .dims = NULL}, 1, 3, NULL);
  pir_code_stats stats = pir_code_store_stats(store);
  pir_code_store_destroy(store);
  pir_loop_module_destroy(m);
  return stats;
}

static void check_result(const float *x) {
  assert_true(x[0] == 2 && x[1] == 6 && x[2] == 1 && x[3] == 5);
}

static void test_second_start_compiles_nothing(void **state) {
  fixture *f = *state;
  float x[4];
  pir_code_stats first = build_once(f, 2, x);
  check_result(x);
  pir_code_stats second = build_once(f, 2, x);
  check_result(x);
  pir_code_stats other = build_once(f, 3, x);
  assert_int_equal(first.compiled, 1);
  assert_int_equal(second.compiled, 0);
  assert_int_equal(second.from_disk, 1);
  assert_int_equal(other.compiled, 1);
}

static void test_equal_modules_are_one(void **state) {
  fixture *f = *state;
  pir_code_store *store = NULL;
  loop_module *a = make_module(2), *b = make_module(5), *c = make_module(2);
  const loop_module *modules[] = {a, b, c};
  const pir_image *images[3];
  assert_int_equal(pir_code_store_create(f->ctx, &f->target, NULL, &store), PIR_OK);
  assert_int_equal(pir_code_store_build(store, modules, NULL, 3, 2, images), PIR_OK);
  assert_ptr_equal(images[0], images[2]);
  assert_ptr_not_equal(images[0], images[1]);
  assert_int_equal(pir_code_store_stats(store).compiled, 2);
  pir_code_store_destroy(store);
  pir_loop_module_destroy(a);
  pir_loop_module_destroy(b);
  pir_loop_module_destroy(c);
}

// Finds the only object of the folder.
static void find_object(const fixture *f, char path[128]) {
  char command[160];
  snprintf(command, sizeof command, "ls '%s'/*.pirobj", f->folder);
  FILE *list = popen(command, "r");
  assert_non_null(list);
  assert_non_null(fgets(path, 128, list));
  pclose(list);
  path[strcspn(path, "\n")] = 0;
}

// Every byte of a stored object is changed in turn (in steps): it is compiled anew.
static void test_damaged_file_is_not_used(void **state) {
  fixture *f = *state;
  float x[4];
  char path[128];
  build_once(f, 2, x);
  find_object(f, path);
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);
  for (off_t at = 0; at < st.st_size; at += 97) {
    int fd = open(path, O_RDWR);
    char byte;
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 0x20;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
    assert_int_equal(build_once(f, 2, x).compiled, 1);
    check_result(x);
  }
}

static void test_open_folder_is_not_used(void **state) {
  fixture *f = *state;
  float x[4];
  assert_int_equal(chmod(f->folder, 0777), 0);
  build_once(f, 2, x);
  assert_int_equal(build_once(f, 2, x).from_disk, 0);
}

// An object that another user could have written, or put in its place, is compiled anew.
static void test_file_of_others_is_not_used(void **state) {
  fixture *f = *state;
  float x[4];
  char path[128], other[160];
  build_once(f, 2, x);
  find_object(f, path);
  assert_int_equal(build_once(f, 2, x).from_disk, 1);
  static const mode_t modes[] = {0620, 0602, 0666};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    assert_int_equal(chmod(path, modes[i]), 0);
    assert_int_equal(build_once(f, 2, x).compiled, 1);
    assert_int_equal(build_once(f, 2, x).from_disk, 1);
  }
  snprintf(other, sizeof other, "%s.moved", path);
  assert_int_equal(rename(path, other), 0);
  assert_int_equal(symlink(other, path), 0);
  assert_int_equal(build_once(f, 2, x).compiled, 1);
  assert_int_equal(build_once(f, 2, x).from_disk, 1);
  if (!geteuid()) {  // only root can give a file away
    assert_int_equal(chown(path, 1, (gid_t)-1), 0);
    assert_int_equal(build_once(f, 2, x).compiled, 1);
    assert_int_equal(chown(f->folder, 1, (gid_t)-1), 0);
    assert_int_equal(build_once(f, 2, x).compiled, 1);
  }
}

// An object says where it comes from; one of another origin is not used, even under this key.
static void test_object_of_another_origin_is_not_used(void **state) {
  fixture *f = *state;
  pir_cache_key key = {1, 2};
  pir_emitted found;
  assert_true(pir_cache_save(f->folder, key, PIR_STR("libpir 1, znver4"), PIR_STR("bytes")));
  assert_true(pir_cache_load(f->folder, key, PIR_STR("libpir 1, znver4"), &found));
  assert_string_equal(found.data, "bytes");
  free(found.data);
  assert_false(pir_cache_load(f->folder, key, PIR_STR("libpir 1, znver5"), &found));
  assert_false(pir_cache_load(f->folder, key, PIR_STR("libpir 1"), &found));
  assert_false(
      pir_cache_load(f->folder, (pir_cache_key){1, 3}, PIR_STR("libpir 1, znver4"), &found));
}

// No page of the process is writable and executable at once.
static void assert_no_writable_code(size_t *out_executable) {
  char line[512], rights[8];
  unsigned long begin, end;
  FILE *maps = fopen("/proc/self/maps", "r");
  assert_non_null(maps);
  *out_executable = 0;
  while (fgets(line, sizeof line, maps)) {
    assert_int_equal(sscanf(line, "%lx-%lx %7s", &begin, &end, rights), 3);
    assert_false(rights[1] == 'w' && rights[2] == 'x');
    *out_executable += rights[2] == 'x';
  }
  fclose(maps);
}

static void test_code_is_never_writable(void **state) {
  fixture *f = *state;
  pir_code_store *store = NULL;
  const pir_image *image = NULL;
  loop_module *m = make_module(2);
  const loop_module *modules[] = {m};
  size_t before, after;
  for (int from_disk = 0; from_disk < 2; from_disk++) {
    assert_no_writable_code(&before);
    assert_int_equal(pir_code_store_create(f->ctx, &f->target, f->folder, &store), PIR_OK);
    assert_int_equal(pir_code_store_build(store, modules, NULL, 1, 1, &image), PIR_OK);
    assert_int_equal(pir_code_store_stats(store).from_disk, from_disk);
    assert_no_writable_code(&after);
    assert_true(after > before);
    pir_code_store_destroy(store);
  }
  pir_loop_module_destroy(m);
}

// Code may call the functions of the loader's own table, not whatever the process holds.
static void test_unknown_functions_are_refused(void **state) {
  fixture *f = *state;
  pir_llvm_library llvm;
  char message[256];
  pir_emitted object;
  size_t renamed = 0;
  loop_module *m = make_module(2);
  assert_int_equal(pir_llvm_load(&llvm, message, sizeof message), PIR_OK);
  assert_int_equal(
      llvm.backend->emit(m, &f->target, PIR_CODE_OBJECT, &object, message, sizeof message),
      PIR_OK);
  for (size_t i = 0; i + 6 < object.size; i++)
    if (!memcmp(object.data + i, "\0fmodf", 7)) {
      memcpy(object.data + i, "\0popen", 7);  // libc has this one
      renamed++;
    }
  assert_int_equal(renamed, 1);
  pir_image *image = NULL;
  const char *why = NULL;
  assert_int_not_equal(pir_image_load(object.data, object.size, &image, &why), PIR_OK);
  assert_string_equal(why, "calls an unknown function");
  free(object.data);
  pir_loop_module_destroy(m);
  pir_llvm_close(&llvm);
}

// The loader meets objects that were cut or changed: it refuses or loads, and touches nothing
// outside.
static void test_loader_survives_damage(void **state) {
  fixture *f = *state;
  pir_llvm_library llvm;
  char message[256];
  assert_int_equal(pir_llvm_load(&llvm, message, sizeof message), PIR_OK);
  loop_module *m = make_module(2);
  pir_emitted object;
  assert_int_equal(
      llvm.backend->emit(m, &f->target, PIR_CODE_OBJECT, &object, message, sizeof message),
      PIR_OK);
  for (size_t size = 0; size < object.size; size += 7) {
    char *cut = malloc(size + 1);
    memcpy(cut, object.data, size);
    pir_image *image = NULL;
    const char *why = NULL;
    assert_int_not_equal(pir_image_load(cut, size, &image, &why), PIR_OK);
    assert_non_null(why);
    free(cut);
  }
  for (size_t at = 0; at < object.size; at++)
    for (int bit = 0; bit < 8; bit += 3) {
      object.data[at] ^= (char)(1 << bit);
      pir_image *image = NULL;
      if (!pir_image_load(object.data, object.size, &image, NULL))
        pir_image_unload(image);
      object.data[at] ^= (char)(1 << bit);
    }
  free(object.data);
  pir_loop_module_destroy(m);
  pir_llvm_close(&llvm);
}

// A library that another build left behind is not asked to compile.
static void test_library_of_other_sources_is_refused(void **state) {
  pir_llvm_library llvm;
  char message[256];
  (void)state;
  assert_int_equal(pir_llvm_load(&llvm, message, sizeof message), PIR_OK);
  const pir_llvm_backend *(*of)(const char *) = NULL;
  void *symbol = dlsym(llvm.handle, PIR_LLVM_BACKEND_SYMBOL);
  assert_non_null(symbol);
  memcpy(&of, &symbol, sizeof of);
  assert_ptr_equal(of(BACKEND_SOURCES), llvm.backend);
  assert_null(of("0123456789abcdef0123456789abcdef"));
  pir_llvm_close(&llvm);
}

static void test_targets(void **state) {
  pir_target t;
  (void)state;
  assert_int_equal(pir_target_get(NULL, &t), PIR_OK);
  assert_true(t.vector_bytes >= 16 && t.vector_registers >= 16 && t.l1_bytes && t.l2_bytes);
  assert_int_equal(pir_target_get("x86-64", &t), PIR_OK);
  assert_string_equal(t.features, "+sse2");
  assert_false(t.fma);
  assert_int_equal(pir_target_get("pdp-11", &t), PIR_UNSUPPORTED);
}

// Every target has numbers that generators may divide by, whatever the processor is called.
static void test_targets_have_a_machine(void **state) {
  static const char *const names[] = {
      "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "znver4", "aarch64", "sapphirerapids",
#define DEVICE(name, ...) #name,
#include <pir/layer/devices.def>
#undef DEVICE
  };
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    pir_target t;
    assert_int_equal(pir_target_describe(names[i], &t), PIR_OK);
    assert_non_null(t.machine);
    assert_true(t.machine->nest.row_elements > 0);
    if (t.device)
      assert_true(t.machine->device.block_threads >= t.machine->device.threads);
    else
      assert_true(t.machine->core.loads > 0 && t.machine->cache.set_bytes > 0 &&
                  t.machine->group.few_elements > 0);
  }
  assert_non_null(pir_machine_find("x86-64-v3", "a processor of tomorrow"));
  assert_ptr_equal(pir_machine_of(NULL), pir_machine_of(&(pir_target){.name = "by hand"}));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_targets),
      cmocka_unit_test(test_targets_have_a_machine),
      cmocka_unit_test(test_library_of_other_sources_is_refused),
      cmocka_unit_test_setup_teardown(test_second_start_compiles_nothing, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_equal_modules_are_one, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_damaged_file_is_not_used, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_open_folder_is_not_used, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_file_of_others_is_not_used, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_object_of_another_origin_is_not_used, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_code_is_never_writable, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_unknown_functions_are_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_loader_survives_damage, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
