// Memory while a model is loaded whose weights are folded and packed: each weight goes when its
// last reader has read it, so that the process never holds all of them in several forms.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>
#include <pir/compiler/params.h>
#include <pir/compiler/pass.h>
#include <pir/compiler/text.h>
#include <pir/engine/model.h>

enum { CHANNELS = 1024, LAYERS = 16, NORMS = 4 };
#define WEIGHT_BYTES ((size_t)CHANNELS * CHANNELS * sizeof(float))
#define ALL_BYTES (LAYERS * WEIGHT_BYTES)
// Code, tables, the program, and the largest weight.
#define OTHERS ((size_t)32 << 20)

typedef struct fixture {
  char folder[64], program[96], params[96];
} fixture;

static const char *const norms[NORMS] = {"mean", "variance", "scale", "bias"};

static void put_parameter(FILE *out, int layer, const char *name, const char *type) {
  fprintf(out,
          "(%%%s%d) = \"builtin.parameter\" () {parameter_name:\"%s%d\"} : () -> tensor<%s>\n",
          name, layer, name, layer, type);
}

#define FEATURES "tensor<1x1024x4x4xf32>"
#define COLUMN "tensor<1024xf32>"

static void put_layer(FILE *out, int layer, bool normalised) {
  fprintf(
      out,
      "(%%c%d) = \"pd_op.conv2d\" (%%%c%d, %%filter%d) {data_format:\"NCHW\",dilations:[1,1],"
      "groups:1,padding_algorithm:\"EXPLICIT\",paddings:[0,0],strides:[1,1]} : (" FEATURES
      ", tensor<1024x1024x1x1xf32>) -> " FEATURES "\n",
      layer, normalised || !layer ? 'x' : 'c', normalised || !layer ? layer : layer - 1, layer);
  if (normalised)
    fprintf(out,
            "(%%x%d, %%m%d, %%v%d, %%sm%d, %%sv%d, %%r%d) = \"pd_op.batch_norm_\" (%%c%d, "
            "%%mean%d, %%variance%d, %%scale%d, %%bias%d) {data_format:\"NCHW\",epsilon:1e-05,"
            "is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:true} : "
            "(" FEATURES ", " COLUMN ", " COLUMN ", " COLUMN ", " COLUMN ") -> " FEATURES
            ", " COLUMN ", " COLUMN ", " COLUMN ", " COLUMN ", tensor<-1xu8>\n",
            layer + 1, layer, layer, layer, layer, layer, layer, layer, layer, layer, layer);
}

// Convolutions in a row, each of them followed by a batch norm or not.
static char *write_text(bool normalised) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  fprintf(out, "{\n");
  for (int layer = 0; layer < LAYERS; layer++) {
    put_parameter(out, layer, "filter", "1024x1024x1x1xf32");
    for (int k = 0; normalised && k < NORMS; k++)
      put_parameter(out, layer, norms[k], "1024xf32");
  }
  fprintf(out, "(%%x0) = \"pd_op.data\" () {dtype:float32,name:\"x\","
               "place:Place(undefined:0),shape:[1,1024,4,4]} : () -> " FEATURES "\n");
  for (int layer = 0; layer < LAYERS; layer++)
    put_layer(out, layer, normalised);
  fprintf(out,
          "(%%out) = \"pd_op.fetch\" (%%%c%d) {col:0,name:\"out\"} : (" FEATURES
          ") -> " FEATURES "\n}\n",
          normalised ? 'x' : 'c', normalised ? LAYERS : LAYERS - 1);
  assert_int_equal(fclose(out), 0);
  return text;
}

static void adopt(pir_program *program, int layer, const char *name, const pir_shape *shape,
                  const float *data) {
  char full[64];
  int64_t elements = 1;
  snprintf(full, sizeof full, "%s%d", name, layer);
  for (size_t i = 0; i < shape->rank; i++)
    elements *= shape->dims[i];
  pir_param param = {.name = pir_str_from(full),
                     .dtype = PIR_F32,
                     .shape = *shape,
                     .data = data,
                     .size = (size_t)elements * sizeof *data};
  pir_program_adopt_param(program, &param);
}

static bool put_file(void *user, const char *data, size_t size) {
  return fwrite(data, 1, size, user) == size;
}

// Writes the program, and its parameters beside it.
static void write_model(const fixture *f, const char *text, const float *data) {
  const pir_shape filter = {(const int64_t[]){CHANNELS, CHANNELS, 1, 1}, 4},
                  column = {(const int64_t[]){CHANNELS}, 1};
  pir_parse_options how = {.size = sizeof how};
  pir_program *program = NULL;
  const pir_param **params = NULL;
  size_t count = 0;
  FILE *out = fopen(f->program, "w");
  assert_non_null(out);
  assert_true(fputs(text, out) >= 0 && !fclose(out));
  pir_context *ctx = pir_context_create(NULL);
  assert_non_null(ctx);
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  assert_int_equal(pir_program_parse(ctx, pir_str_from(text), &how, &program), PIR_OK);
  for (int layer = 0; layer < LAYERS; layer++) {
    adopt(program, layer, "filter", &filter, data);
    for (int k = 0; k < NORMS; k++)
      adopt(program, layer, norms[k], &column, data);
  }
  assert_int_equal(pir_program_saved_params(program, PIR_FORMAT_TEXT, &params, &count), PIR_OK);
  out = fopen(f->params, "w");
  assert_non_null(out);
  for (size_t i = 0; i < count; i++)
    assert_int_equal(pir_param_write(params[i], (pir_writer){put_file, out}), PIR_OK);
  assert_int_equal(fclose(out), 0);
  free(params);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
}

// A line of /proc/self/status, in bytes.
static size_t memory_of(const char *field) {
  char line[128];
  size_t kilobytes = 0, length = strlen(field);
  FILE *in = fopen("/proc/self/status", "r");
  while (in && fgets(line, sizeof line, in))
    if (!strncmp(line, field, length) && line[length] == ':')
      kilobytes = strtoul(line + length + 1, NULL, 10);
  if (in)
    fclose(in);
  return kilobytes << 10;
}

// Folds the batch norms; the result has the parameters afterwards.
static pir_program *fold(const fixture *f, pir_context *ctx, int threads) {
  pir_pass_options how = {.size = sizeof how, .threads = threads};
  pir_program *program = NULL;
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  assert_int_equal(pir_program_load_file(ctx, f->program, f->params, &program), PIR_OK);
  pir_pass_manager *manager = pir_pass_manager_create(ctx, &how);
  assert_int_equal(pir_pass_manager_parse(manager, PIR_STR("prepare")), PIR_OK);
  assert_int_equal(pir_pass_manager_run(manager, program), PIR_OK);
  pir_pass_manager_destroy(manager);
  return program;
}

static void check_same_params(const pir_program *a, const pir_program *b) {
  size_t folded = 0;
  assert_int_equal(pir_program_params(a), pir_program_params(b));
  for (size_t i = 0; i < pir_program_params(a); i++) {
    const pir_param *x = pir_program_param_at(a, i), *y = pir_program_param_at(b, i);
    assert_true(pir_str_equal(x->name, y->name));
    assert_int_equal(x->size, y->size);
    assert_memory_equal(x->data, y->data, x->size);
    folded += !strncmp(x->name.data, "constant_folding", 16) && x->size == WEIGHT_BYTES;
  }
  assert_int_equal(folded, LAYERS);
}

// Loads the model in a process of its own; returns how far its memory rose, in megabytes.
static int rise_of_load(const fixture *f) {
  fflush(NULL);
  pid_t child = fork();
  if (!child) {
    pir_model_options how = {.size = sizeof how, .target = "x86-64-v3", .compile_threads = 2};
    pir_model *model = NULL;
    size_t before = memory_of("VmRSS");
    if (pir_model_load_file(f->program, f->params, &how, &model))
      _exit(255);
    size_t rise = (memory_of("VmHWM") - before) >> 20;
    _exit(rise < 255 ? (int)rise : 254);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 255);
  return WEXITSTATUS(status);
}

static void write_files(const fixture *f, bool normalised) {
  char *text = write_text(normalised);
  float *data = malloc(WEIGHT_BYTES);
  assert_non_null(data);
  for (size_t i = 0; i < WEIGHT_BYTES / sizeof *data; i++)
    data[i] = (float)(i % 17 + 1) / 4096;
  write_model(f, text, data);
  free(data);
  free(text);
}

static void check_rise(const fixture *f, bool normalised) {
  write_files(f, normalised);
  int rise = rise_of_load(f);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  size_t most = 254;  // the sanitizers have memory of their own
#else
  size_t most = (ALL_BYTES + OTHERS) >> 20;
#endif
  assert_in_range(rise, ALL_BYTES >> 20, most);
}

static void packed_weights_replace_mapped_ones(void **state) {
  check_rise(*state, false);
}

static void packed_weights_replace_folded_ones(void **state) {
  check_rise(*state, true);
}

static void threads_do_not_change_folded_weights(void **state) {
  pir_context *one = pir_context_create(NULL), *many = pir_context_create(NULL);
  write_files(*state, true);
  pir_program *by_one = fold(*state, one, 0), *by_many = fold(*state, many, 5);
  check_same_params(by_one, by_many);
  pir_program_destroy(by_one);
  pir_program_destroy(by_many);
  pir_context_destroy(one);
  pir_context_destroy(many);
}

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  if (!f)
    return 1;
  strcpy(f->folder, "/tmp/pir-weights-XXXXXX");
  if (!mkdtemp(f->folder))
    return 1;
  snprintf(f->program, sizeof f->program, "%s/model.pir", f->folder);
  snprintf(f->params, sizeof f->params, "%s/model.pdiparams", f->folder);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  unlink(f->program);
  unlink(f->params);
  rmdir(f->folder);
  free(f);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(packed_weights_replace_mapped_ones, set_up, tear_down),
      cmocka_unit_test_setup_teardown(packed_weights_replace_folded_ones, set_up, tear_down),
      cmocka_unit_test_setup_teardown(threads_do_not_change_folded_weights, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
