// Prepared models: a later start maps exactly the file that an earlier one made; a changed,
// truncated or damaged file is detected. Sessions of a model share everything except their own
// writes. Run from the root of the checkout.
#include "../../../tools/ports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <pir/compiler/dialects.h>
#include <pir/engine/model.h>
#include <pir/compiler/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FROM "test/models/digits_cnn/"
enum { IMAGES = 3, CLASSES = 10 };

typedef struct fixture {
  char folder[64], program[96], params[96], cache[96], model[256];  // model: the prepared one
  float scores[IMAGES * CLASSES];
} fixture;

static void shell(const char *format, const char *a, const char *b) {
  char command[1024];
  snprintf(command, sizeof command, format, a, b);
  assert_int_equal(system(command), 0);
}

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  strcpy(f->folder, "/tmp/pir-prepared-XXXXXX");
  if (!mkdtemp(f->folder))
    return 1;
  snprintf(f->program, sizeof f->program, "%s/model.json", f->folder);
  snprintf(f->params, sizeof f->params, "%s/model.pdiparams", f->folder);
  snprintf(f->cache, sizeof f->cache, "%s/cache", f->folder);
  shell("cp " FROM "model.json %s && cp " FROM "model.pdiparams %s", f->program, f->params);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  shell("chmod -R u+rwx %s && rm -rf %s", f->folder, f->folder);
  free(f);
  return 0;
}

static void count_note(void *user, const pir_diag *diag) {
  *(int *)user += diag->severity == PIR_NOTE;
}

// One start and one run; `notes` may be NULL.
static pir_model_stats start_logged(const fixture *f, const char *cache, float *scores,
                                    int *notes, pir_log_level level) {
  int said = 0;
  pir_model_options how = {.size = sizeof how,
                           .target = "x86-64",
                           .cache = cache,
                           .sink = {count_note, &said},
                           .log_level = level};
  pir_model *model = NULL;
  pir_session *session = NULL;
  float images[IMAGES * 64];
  for (int i = 0; i < IMAGES * 64; i++)
    images[i] = (float)(i * 37 % 16) / 16;
  pir_tensor in = {.data = images}, out = {.data = scores};
  pir_tensor_set_dense(&in, PIR_F32, (int64_t[]){IMAGES, 1, 8, 8}, 4);
  pir_tensor_set_dense(&out, PIR_F32, (int64_t[]){IMAGES, CLASSES}, 2);
  assert_int_equal(pir_model_load_file(f->program, NULL, &how, &model), PIR_OK);
  assert_int_equal(pir_session_create(model, NULL, &session), PIR_OK);
  assert_int_equal(pir_session_bind_input(session, 0, &in), PIR_OK);
  assert_int_equal(pir_session_bind_output(session, 0, &out), PIR_OK);
  assert_int_equal(pir_session_run(session), PIR_OK);
  pir_model_stats stats = model_stats(model);
  pir_session_destroy(session);
  pir_model_release(model);
  if (notes)
    *notes = said;
  return stats;
}

static pir_model_stats start(const fixture *f, const char *cache, float *scores, int *notes) {
  return start_logged(f, cache, scores, notes, PIR_LOG_DEFAULT);
}

static bool same_scores(const float *a, const float *b) {
  return !memcmp(a, b, sizeof(float) * IMAGES * CLASSES);
}

// The first start with an empty cache; finds the file it left.
static void start_cold(fixture *f) {
  pir_model_stats stats = start(f, f->cache, f->scores, NULL);
  assert_int_equal(stats.prepared_bytes, 0);
  assert_true(stats.kernels_compiled > 0);
  char pattern[128];
  snprintf(pattern, sizeof pattern, "ls %s/*.pirmodel", f->cache);
  FILE *list = popen(pattern, "r");
  assert_non_null(fgets(f->model, sizeof f->model, list));
  pclose(list);
  f->model[strcspn(f->model, "\n")] = 0;
}

static bool starts_prepared(const fixture *f, int *notes) {
  float scores[IMAGES * CLASSES];
  pir_model_stats stats = start(f, f->cache, scores, notes);
  assert_true(same_scores(scores, f->scores));
  if (stats.prepared_bytes)
    assert_int_equal(stats.kernels_compiled, 0);
  return stats.prepared_bytes > 0;
}

static void flip(const char *path, off_t at) {
  int fd = open(path, O_RDWR);
  char byte;
  assert_int_equal(pread(fd, &byte, 1, at), 1);
  byte ^= 0x10;
  assert_int_equal(pwrite(fd, &byte, 1, at), 1);
  close(fd);
}

// ---- tests

static void second_start_computes_nothing(void **state) {
  fixture *f = *state;
  int notes;
  start_cold(f);
  float expected[IMAGES * CLASSES];
  start(f, NULL, expected, NULL);
  assert_true(same_scores(expected, f->scores));
  assert_true(starts_prepared(f, &notes));
  assert_int_equal(notes, 0);
  shell("mv %s %s.other", f->params,
        f->params);  // the same bytes under another name are the same model
  shell("cp %s.other %s", f->params, f->params);
  assert_true(starts_prepared(f, NULL));
}

// Same size, same time of modification: neither a file just written nor one that is remembered
// hides a change.
static void changed_parameters_are_seen(void **state) {
  fixture *f = *state;
  start_cold(f);
  for (int settled = 0; settled < 2; settled++) {
    if (settled)
      sleep(5);
    assert_true(starts_prepared(f, NULL));
    struct stat st;
    assert_int_equal(stat(f->params, &st), 0);
    flip(f->params, st.st_size / 2 | 2);
    assert_int_equal(
        utimensat(AT_FDCWD, f->params, (struct timespec[]){st.st_atim, st.st_mtim}, 0), 0);
    float scores[IMAGES * CLASSES], expected[IMAGES * CLASSES];
    start(f, f->cache, scores, NULL);
    start(f, NULL, expected, NULL);
    assert_true(same_scores(scores, expected));
    assert_false(same_scores(scores, f->scores));
    flip(f->params, st.st_size / 2 | 2);
  }
}

static void changed_program_is_seen(void **state) {
  fixture *f = *state;
  start_cold(f);
  shell("sed -i 's/relu/tanh/' %s", f->program, "");
  float scores[IMAGES * CLASSES];
  assert_int_equal(start(f, f->cache, scores, NULL).prepared_bytes, 0);
  assert_false(same_scores(scores, f->scores));
}

static void damaged_file_is_made_anew(void **state) {
  fixture *f = *state;
  struct stat st;
  int notes;
  start_cold(f);
  assert_int_equal(stat(f->model, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);
  for (off_t at = 0; at < st.st_size; at += 997) {
    flip(f->model, at);
    bool padding = at >= 2176 && at < 4096;  // of the header's page
    assert_int_equal(starts_prepared(f, &notes), padding);
    assert_int_equal(notes, !padding);
    assert_true(starts_prepared(f, &notes));
    assert_int_equal(notes, 0);
  }
  for (off_t size = 0; size < st.st_size; size += size < 8192 ? 1111 : 15000) {
    assert_int_equal(truncate(f->model, size), 0);
    assert_false(starts_prepared(f, &notes));
    assert_int_equal(notes, 1);
  }
  float scores[IMAGES * CLASSES];
  flip(f->model, 0);
  assert_int_equal(start_logged(f, f->cache, scores, &notes, PIR_LOG_ERRORS).prepared_bytes, 0);
  assert_int_equal(notes, 0);
  assert_true(starts_prepared(f, NULL));
}

// A copy is no longer the file that was written: its weights are checked, and used when they
// are right.
static void copied_file_is_checked(void **state) {
  fixture *f = *state;
  struct stat st;
  start_cold(f);
  shell("cp -p %s %s.copy", f->model, f->model);
  assert_int_equal(stat(f->model, &st), 0);
  shell("mv %s.copy %s", f->model, f->model);
  assert_true(starts_prepared(f, NULL));
  flip(f->model, st.st_size - 100);
  assert_int_equal(
      utimensat(AT_FDCWD, f->model, (struct timespec[]){st.st_atim, st.st_mtim}, 0), 0);
  assert_false(starts_prepared(f, NULL));
}

static void folder_that_others_write_to_is_not_used(void **state) {
  fixture *f = *state;
  start_cold(f);
  assert_int_equal(chmod(f->cache, 0777), 0);
  assert_false(starts_prepared(f, NULL));
  assert_int_equal(chmod(f->cache, 0500), 0);
  assert_true(starts_prepared(f, NULL));
}

static void file_that_others_could_write_is_made_anew(void **state) {
  fixture *f = *state;
  start_cold(f);
  assert_int_equal(chmod(f->model, 0620), 0);
  assert_false(starts_prepared(f, NULL));
  assert_true(starts_prepared(f, NULL));
  assert_int_equal(chmod(f->model, 0602), 0);
  assert_false(starts_prepared(f, NULL));
  assert_true(starts_prepared(f, NULL));
}

static void another_target_is_another_model(void **state) {
  fixture *f = *state;
  start_cold(f);
  pir_model_options how = {.size = sizeof how, .target = "x86-64-v2", .cache = f->cache};
  pir_model *model = NULL;
  pir_status status = pir_model_load_file(f->program, NULL, &how, &model);
  if (status == PIR_UNAVAILABLE)
    skip();
  assert_int_equal(status, PIR_OK);
  assert_int_equal(model_stats(model).prepared_bytes, 0);
  pir_model_release(model);
}

static void writers_do_not_disturb_each_other(void **state) {
  fixture *f = *state;
  pid_t children[4];
  start(f, NULL, f->scores, NULL);
  for (int i = 0; i < 4; i++) {
    children[i] = fork();
    if (children[i])
      continue;
    float scores[IMAGES * CLASSES];
    for (int n = 0; n < 3; n++) {
      start(f, f->cache, scores, NULL);
      if (!same_scores(scores, f->scores))
        _exit(1);
    }
    _exit(0);
  }
  for (int i = 0; i < 4; i++) {
    int status;
    assert_int_equal(waitpid(children[i], &status, 0), children[i]);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  assert_true(starts_prepared(f, NULL));
  DIR *folder = opendir(f->cache);
  for (struct dirent *e; (e = readdir(folder));)
    assert_true(e->d_name[0] != '.' || !strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."));
  closedir(folder);
}

static void bytes_are_found_like_files(void **state) {
  fixture *f = *state;
  static char program[1 << 16], params[1 << 16];
  for (int turn = 0; turn < 2; turn++) {
    pir_borrowed bytes[2] = {{.data = program}, {.data = params}};
    for (int i = 0; i < 2; i++) {
      FILE *file = fopen(i ? f->params : f->program, "rb");
      bytes[i].size = fread((void *)(uintptr_t)bytes[i].data, 1, sizeof program, file);
      fclose(file);
    }
    pir_model_options how = {.size = sizeof how, .target = "x86-64", .cache = f->cache};
    pir_model *model = NULL;
    assert_int_equal(pir_model_load(bytes[0], bytes[1], &how, &model), PIR_OK);
    assert_int_equal(model_stats(model).prepared_bytes > 0, turn);
    pir_model_release(model);
  }
}

// ---- sessions

// The bytes that malloc has given out. Resident memory would also show what the system does
// with pages of its own accord, such as joining them to huge ones.
static size_t held_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

#define WIDE "2048"
enum { WIDTH = 2048 };

static const char product[] =
    "{\n(%0) = \"builtin.parameter\" () "
    "{is_distributed:[false],is_parameter:[true],need_clip:[true],"
    "parameter_name:\"w\",persistable:[true],stop_gradient:[true],trainable:[true]} : () -> "
    "tensor<" WIDE "x" WIDE "xf32>\n(%1) = \"pd_op.data\" () "
    "{dtype:float32,name:\"x\",place:Place(undefined:0),shape:[1," WIDE
    "],stop_gradient:[true]} : () -> tensor<1x" WIDE "xf32>\n(%2) = \"pd_op.matmul\" (%1, %0) "
    "{stop_gradient:[true],transpose_x:false,transpose_y:false} : "
    "(tensor<1x" WIDE "xf32>, tensor<" WIDE "x" WIDE "xf32>) -> tensor<1x" WIDE
    "xf32>\n(%3) = \"pd_op.fetch\" (%2) "
    "{col:0,name:\"y\",persistable:[true],stop_gradient:[true]} : (tensor<1x" WIDE
    "xf32>) -> tensor<1x" WIDE "xf32>\n}\n";

// 16 MB of weights: a second session adds less than 1 MB.
static void sessions_share_weights_and_code(void **state) {
  (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip();  // their own memory grows
#endif
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = NULL;
  pir_model *model = NULL;
  pir_session *sessions[3];
  static float x[WIDTH], y[3][WIDTH];
  float *w = malloc(sizeof(float) * WIDTH * WIDTH);
  for (size_t i = 0; i < (size_t)WIDTH * WIDTH; i++)
    w[i] = (float)(i % 3);
  for (int i = 0; i < WIDTH; i++)
    x[i] = 1;
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  pir_parse_options parsing = {.size = sizeof parsing, .file = PIR_STR("product")};
  assert_int_equal(pir_program_parse(ctx, pir_str_from(product), &parsing, &program), PIR_OK);
  pir_param param = {.name = PIR_STR("w"),
                     .dtype = PIR_F32,
                     .shape = {(int64_t[]){WIDTH, WIDTH}, 2},
                     .data = w,
                     .size = sizeof(float) * WIDTH * WIDTH};
  pir_program_adopt_param(program, &param);
  assert_int_equal(pir_model_create(program, NULL, &model), PIR_OK);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  size_t before = 0;
  for (int i = 0; i < 3; i++) {
    pir_tensor in = {.data = x}, out = {.data = y[i]};
    pir_tensor_set_dense(&in, PIR_F32, (int64_t[]){1, WIDTH}, 2);
    pir_tensor_set_dense(&out, PIR_F32, (int64_t[]){1, WIDTH}, 2);
    assert_int_equal(pir_session_create(model, NULL, &sessions[i]), PIR_OK);
    assert_int_equal(pir_session_bind_input(sessions[i], 0, &in), PIR_OK);
    assert_int_equal(pir_session_bind_output(sessions[i], 0, &out), PIR_OK);
    assert_int_equal(pir_session_run(sessions[i]), PIR_OK);
    if (!i)
      before = held_bytes();
  }
  assert_in_range(held_bytes() - before, 1, 1 << 20);
  assert_memory_equal(y[0], y[2], sizeof y[0]);
  assert_true(y[0][0] > 1000);
  for (int i = 0; i < 3; i++)
    pir_session_destroy(sessions[i]);
  pir_model_release(model);
  free(w);
}

// A separate session copies constants and packed weights, from a model that was made and from
// one that was read; memory that grows with the shapes is its own, too.
static void separate_sessions_copy(void **state) {
  fixture *f = *state;
  start_cold(f);
  for (int prepared = 0; prepared < 2; prepared++) {
    pir_model_options how = {
        .size = sizeof how, .target = "x86-64", .cache = prepared ? f->cache : NULL};
    pir_session_options own = {.size = sizeof own, .separate = true};
    pir_model *model = NULL;
    pir_session *sessions[2] = {NULL, NULL};
    float images[IMAGES * 64];
    for (int i = 0; i < IMAGES * 64; i++)
      images[i] = (float)(i * 37 % 16) / 16;
    assert_int_equal(pir_model_load_file(f->program, NULL, &how, &model), PIR_OK);
    assert_int_equal(model_stats(model).prepared_bytes > 0, prepared);
    for (int s = 0; s < 2; s++)
      assert_int_equal(pir_session_create(model, &own, &sessions[s]), PIR_OK);
    for (int count = 1; count <= IMAGES; count += IMAGES - 1)
      for (int s = 0; s < 2; s++) {
        pir_tensor in = {.data = images}, out = {0};
        pir_tensor_set_dense(&in, PIR_F32, (int64_t[]){count, 1, 8, 8}, 4);
        assert_int_equal(pir_session_bind_input(sessions[s], 0, &in), PIR_OK);
        assert_int_equal(pir_session_run(sessions[s]), PIR_OK);
        assert_int_equal(pir_session_output(sessions[s], 0, &out), PIR_OK);
        for (int i = 0; i < count * CLASSES; i++)
          assert_float_equal(((const float *)out.data)[i], f->scores[i], 1e-6);
        if (count == IMAGES)
          assert_true(same_scores(out.data, f->scores));
      }
    for (int s = 0; s < 2; s++)
      pir_session_destroy(sessions[s]);
    pir_model_release(model);
  }
}

#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(separate_sessions_copy),
      IN_FOLDER(second_start_computes_nothing),
      IN_FOLDER(changed_parameters_are_seen),
      IN_FOLDER(changed_program_is_seen),
      IN_FOLDER(damaged_file_is_made_anew),
      IN_FOLDER(copied_file_is_checked),
      IN_FOLDER(folder_that_others_write_to_is_not_used),
      IN_FOLDER(file_that_others_could_write_is_made_anew),
      IN_FOLDER(another_target_is_another_model),
      IN_FOLDER(writers_do_not_disturb_each_other),
      IN_FOLDER(bytes_are_found_like_files),
      cmocka_unit_test(sessions_share_weights_and_code),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
