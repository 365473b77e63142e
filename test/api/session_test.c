// The session half of the API on digits_cnn: ports, messages, zero-copy, shapes, limits,
// allocation failures, two sessions on two threads. Run from the root of the checkout.
#include "../../tools/ports.h"
#include "failing.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <cli.h>
#include <pir/layer/npy.h>
#include <pir/engine/custom.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>
#include <pir/engine/model.h>
#include <pir/engine/random_state.h>
#include <pir/compiler/text.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "test/models/digits_cnn/"
enum { IMAGES = 64, PIXELS = 64, CLASSES = 10 };

static pir_model *model;
static pir_npy_set images, scores;

static void read_array(const char *path, pir_npy_set *set) {
  char message[256];
  static char bytes[1 << 16];
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  assert_int_equal(pir_npy_read(path, (pir_str){bytes, size}, set, message), PIR_OK);
}

static int set_up(void **unused) {
  pir_model_options options = {.size = sizeof options, .pipeline = "kernels"};
  read_array(FOLDER "case0/in_image.npy", &images);
  read_array(FOLDER "case0/out_0.npy", &scores);
  return pir_model_load_file(FOLDER "model.json", NULL, &options, &model);
}

static int tear_down(void **unused) {
  pir_model_release(model);
  pir_npy_set_release(&images);
  pir_npy_set_release(&scores);
  return 0;
}

static pir_model *make_model(const char *text, const char *pipeline) {
  pir_model_options options = {.size = sizeof options, .pipeline = pipeline};
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = NULL;
  pir_model *made = NULL;
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  assert_int_equal(pir_program_parse(ctx, pir_str_from(text), NULL, &program), PIR_OK);
  assert_int_equal(pir_model_create(program, &options, &made), PIR_OK);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return made;
}

static pir_session *open_session(const pir_session_options *options) {
  pir_session *session = NULL;
  assert_int_equal(pir_session_create(model, options, &session), PIR_OK);
  return session;
}

static pir_tensor dense(void *data, pir_dtype dtype, int rank, const int64_t *shape) {
  pir_tensor tensor = {.data = data};
  pir_tensor_set_dense(&tensor, dtype, shape, rank);
  return tensor;
}

static pir_tensor first_images(int64_t count) {
  return dense(images.arrays[0].tensor.data, PIR_F32, 4, (int64_t[]){count, 1, 8, 8});
}

static void check_scores(const float *got, int64_t count) {
  const float *want = scores.arrays[0].tensor.data;
  for (int64_t i = 0; i < count * CLASSES; i++)
    assert_true(fabsf(got[i] - want[i]) <= 1e-5f + 1e-4f * fabsf(want[i]));
}

static void ports_are_described(void **unused) {
  assert_int_equal(pir_model_inputs(model), 1);
  assert_int_equal(pir_model_outputs(model), 1);
  pir_port port = input_port(model, 0);
  assert_string_equal(port.name.data, "image");
  assert_int_equal(port.dtype, PIR_F32);
  assert_int_equal(port.rank, 4);
  assert_int_equal(port.shape[0], -1);
  assert_int_equal(port.shape[3], 8);
}

static void wrong_tensors_are_named(void **unused) {
  pir_session *s = open_session(NULL);
  static float data[4096];
  pir_tensor f64 = dense(data, PIR_F64, 4, (int64_t[]){1, 1, 8, 8}),
             flat = dense(data, PIR_F32, 2, (int64_t[]){1, 64});
  pir_tensor wide = dense(data, PIR_F32, 4, (int64_t[]){2, 1, 8, 9}),
             out = dense(data, PIR_F32, 2, (int64_t[]){3, 10});
  assert_int_equal(pir_session_run(s), PIR_INVALID);
  assert_string_equal(pir_session_message(s), "input 0 \"image\" is not bound");
  assert_int_equal(pir_session_bind_input(s, 0, &f64), PIR_INVALID);
  assert_string_equal(pir_session_message(s),
                      "input 0 \"image\": expects float32, got float64");
  assert_int_equal(pir_session_bind_input(s, 0, &flat), PIR_INVALID);
  assert_string_equal(pir_session_message(s),
                      "input 0 \"image\": expects rank 4 [-1,1,8,8], got rank 2 [1,64]");
  assert_int_equal(pir_session_bind_input(s, 0, &wide), PIR_INVALID);
  assert_string_equal(pir_session_message(s),
                      "input 0 \"image\": expects shape [-1,1,8,8], got [2,1,8,9]");
  assert_int_equal(pir_session_bind_input(s, 1, &wide), PIR_NOT_FOUND);
  assert_string_equal(pir_session_message(s), "there is no input 1; the model has 1");
  pir_tensor in = first_images(2);
  assert_int_equal(pir_session_bind_input(s, 0, &in), PIR_OK);
  assert_int_equal(pir_session_bind_output(s, 0, &out), PIR_OK);
  assert_int_equal(pir_session_run(s), PIR_INVALID);
  assert_string_equal(pir_session_message(s),
                      "output 0 is [2,10] for these inputs, the bound tensor is [3,10]");
  pir_tensor result;
  assert_int_equal(pir_session_output(s, 0, &result), PIR_NOT_FOUND);
  assert_string_equal(pir_session_message(s),
                      "there are no outputs: the session has not run, or failed");
  assert_int_equal(pir_session_output(s, 7, &result), PIR_NOT_FOUND);
  assert_string_equal(pir_session_message(s), "there is no output 7; the model has 1");
  pir_session_destroy(s);
}

// A rank that is not known takes any that there is.
// A program may state a rank that only the run knows: without axes every extent of 1 goes.
static void a_stated_rank_that_the_run_changes_is_bound(void **unused) {
  static const char text[] =
      "{\n(%0) = \"pd_op.data\" () "
      "{dtype:float32,name:\"x\",place:Place(undefined:0),shape:[-1,3]} : () -> "
      "tensor<-1x3xf32>\n"
      "(%1) = \"pd_op.full_int_array\" () {dtype:int64,place:Place(cpu),value:[]} : () -> "
      "tensor<0xi64>\n"
      "(%2) = \"pd_op.squeeze\" (%0, %1) {} : (tensor<-1x3xf32>, tensor<0xi64>) -> "
      "tensor<-1x3xf32>\n"
      "(%3) = \"pd_op.fetch\" (%2) {col:0,name:\"y\"} : (tensor<-1x3xf32>) -> "
      "tensor<-1x3xf32>\n}\n";
  static float data[3] = {1, 2, 3}, own[6];
  pir_model *kept = model;
  model = make_model(text, "kernels");
  pir_session *s = open_session(NULL);
  pir_tensor x = dense(data, PIR_F32, 2, (int64_t[]){1, 3}),
             y = dense(own, PIR_F32, 1, (int64_t[]){3});
  assert_int_equal(pir_session_bind_input(s, 0, &x), PIR_OK);
  assert_int_equal(pir_session_bind_output(s, 0, &y), PIR_OK);
  assert_int_equal(pir_session_run(s), PIR_OK);
  assert_memory_equal(own, data, sizeof data);
  y = dense(own, PIR_F32, 2, (int64_t[]){2, 3});
  assert_int_equal(pir_session_bind_output(s, 0, &y), PIR_OK);
  assert_int_equal(pir_session_run(s), PIR_INVALID);
  assert_string_equal(pir_session_message(s),
                      "output 0 is [3] for these inputs, the bound tensor is [2,3]");
  pir_session_destroy(s);
  pir_model_release(model);
  model = kept;
}

static void tensors_of_unknown_rank_are_checked(void **unused) {
  static const char text[] =
      "{\n(%0) = \"pd_op.data\" () "
      "{dtype:float32,name:\"x\",place:Place(undefined:0),shape:[-1,-1]} : () -> "
      "tensor<-1x-1xf32>\n"
      "(%1) = \"pd_op.data\" () "
      "{dtype:int64,name:\"i\",place:Place(undefined:0),shape:[-1,-1]} : () -> "
      "tensor<-1x-1xi64>\n"
      "(%2) = \"pd_op.gather_nd\" (%0, %1) {} : (tensor<-1x-1xf32>, tensor<-1x-1xi64>) -> "
      "tensor<-1xf32>\n"
      "(%3) = \"pd_op.fetch\" (%2) {col:0,name:\"y\"} : (tensor<-1xf32>) -> "
      "tensor<-1xf32>\n}\n";
  static float data[6] = {1, 2, 3, 4, 5, 6}, own[6];
  pir_model *kept = model;
  model = make_model(text, "kernels");
  pir_session *s = open_session(NULL);
  assert_int_equal(output_port(model, 0).rank, -1);
  pir_tensor x = dense(data, PIR_F32, 2, (int64_t[]){3, 2}),
             y = dense(own, PIR_F32, 2, (int64_t[]){3, 2});
  pir_tensor rows = dense((int64_t[]){0, 1, 2}, PIR_I64, 2, (int64_t[]){3, 1}), wrong = y;
  wrong.rank = 1 << 20;
  assert_int_equal(pir_session_bind_output(s, 0, &wrong), PIR_INVALID);
  assert_non_null(strstr(pir_session_message(s), "output 0 \"y\": expects a rank from 0 to "));
  wrong.rank = -1;
  assert_int_equal(pir_session_bind_output(s, 0, &wrong), PIR_INVALID);
  wrong = y;
  wrong.shape[1] = -2;
  assert_int_equal(pir_session_bind_output(s, 0, &wrong), PIR_INVALID);
  assert_string_equal(pir_session_message(s), "output 0 \"y\": a negative extent in [3,-2]");
  wrong.shape[1] = wrong.shape[0] = INT64_MAX;
  assert_int_equal(pir_session_bind_output(s, 0, &wrong), PIR_EXHAUSTED);
  assert_int_equal(pir_session_bind_input(s, 0, &x), PIR_OK);
  assert_int_equal(pir_session_bind_input(s, 1, &rows), PIR_OK);
  assert_int_equal(pir_session_bind_output(s, 0, &y), PIR_OK);
  assert_int_equal(pir_session_run(s), PIR_OK);
  assert_memory_equal(own, data, sizeof own);
  pir_session_destroy(s);
  pir_model_release(model);
  model = kept;
}

// A place in the stream of random numbers goes from session to session, if one was ever there.
static void random_places_are_set(void **unused) {
  pir_session *from = open_session(
                  &(pir_session_options){.size = sizeof(pir_session_options), .seed = 5}),
              *to = open_session(&(pir_session_options){.size = sizeof(pir_session_options)});
  pir_random_state a, b, none;
  pir_session_random_state(from, &a);
  pir_session_random_state(to, &b);
  assert_memory_not_equal(&a, &b, sizeof a);
  none = a;
  none.words[312] = 313;
  assert_int_equal(pir_session_set_random_state(to, &none), PIR_INVALID);
  assert_int_equal(pir_session_set_random_state(NULL, &a), PIR_INVALID);
  pir_session_random_state(to, &none);
  assert_memory_equal(&none, &b, sizeof b);
  assert_int_equal(pir_session_set_random_state(to, &a), PIR_OK);
  pir_session_random_state(to, &b);
  assert_memory_equal(&a, &b, sizeof a);
  pir_session_destroy(from);
  pir_session_destroy(to);
}

static void nothing_given_is_refused(void **unused) {
  pir_session *none = NULL;
  pir_model *unmade = model;
  pir_tensor tensor;
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = (pir_program *)ctx;
  assert_int_equal(pir_session_create(NULL, NULL, &none), PIR_INVALID);
  assert_null(none);
  assert_int_equal(pir_session_bind_input(NULL, 0, NULL), PIR_INVALID);
  assert_int_equal(pir_session_bind_output(NULL, 0, NULL), PIR_INVALID);
  assert_int_equal(pir_session_run(NULL), PIR_INVALID);
  assert_int_equal(pir_session_prepare(NULL), PIR_INVALID);
  assert_int_equal(pir_session_output(NULL, 0, &tensor), PIR_INVALID);
  assert_int_equal(pir_session_trim(NULL), 0);
  assert_int_equal(session_stats(NULL).runs, 0);
  assert_true(*pir_session_message(NULL));
  assert_int_equal(pir_model_create(NULL, NULL, &unmade), PIR_INVALID);
  assert_null(unmade);
  assert_int_equal(pir_model_load_file(NULL, NULL, NULL, &unmade), PIR_INVALID);
  assert_int_equal(pir_model_load((pir_borrowed){0}, (pir_borrowed){0}, NULL, &unmade),
                   PIR_INVALID);
  assert_int_equal(pir_model_inputs(NULL), 0);
  assert_int_equal(pir_model_outputs(NULL), 0);
  pir_model_retain(NULL);
  assert_int_equal(input_port(model, 1).rank, -1);
  assert_int_equal(output_port(model, SIZE_MAX).rank, -1);
  assert_string_equal(input_port(NULL, 0).name.data, "");
  pir_session *s = open_session(NULL);
  assert_int_equal(pir_session_bind_input(s, 0, NULL), PIR_INVALID);
  assert_string_equal(pir_session_message(s), "input 0: no tensor is given");
  pir_session_destroy(s);
  assert_int_equal(pir_program_parse(ctx, PIR_STR("{ nonsense"), NULL, &program), PIR_INVALID);
  assert_null(program);
  pir_context_destroy(ctx);
}

static void results_land_where_bound(void **unused) {
  pir_session *s = open_session(NULL);
  static float own[IMAGES * CLASSES];
  pir_tensor in = first_images(IMAGES),
             out = dense(own, PIR_F32, 2, (int64_t[]){IMAGES, CLASSES}), result;
  assert_int_equal(pir_session_bind_input(s, 0, &in), PIR_OK);
  assert_int_equal(pir_session_bind_output(s, 0, &out), PIR_OK);
  assert_int_equal(pir_session_run(s), PIR_OK);
  check_scores(own, IMAGES);
  assert_int_equal(pir_session_output(s, 0, &result), PIR_OK);
  assert_ptr_equal(result.data, own);
  assert_int_equal(pir_session_bind_output(s, 0, NULL), PIR_OK);
  assert_int_equal(pir_session_run(s), PIR_OK);
  assert_int_equal(pir_session_output(s, 0, &result), PIR_OK);
  assert_ptr_not_equal(result.data, own);
  check_scores(result.data, IMAGES);
  pir_session_destroy(s);
}

// Bindings and preparations after a run affect only the next run; the outputs stay the last
// run's.
static void outputs_are_those_of_the_last_run(void **unused) {
  pir_session *s = open_session(NULL);
  static float own[IMAGES * CLASSES], other[2 * CLASSES];
  pir_tensor in = first_images(IMAGES), few = first_images(2), result;
  pir_tensor out = dense(own, PIR_F32, 2, (int64_t[]){IMAGES, CLASSES});
  pir_tensor next = dense(other, PIR_F32, 2, (int64_t[]){2, CLASSES});
  assert_int_equal(pir_session_bind_input(s, 0, &in), PIR_OK);
  assert_int_equal(pir_session_bind_output(s, 0, &out), PIR_OK);
  assert_int_equal(pir_session_run(s), PIR_OK);
  assert_int_equal(pir_session_bind_output(s, 0, &next), PIR_OK);
  assert_int_equal(pir_session_bind_input(s, 0, &few), PIR_OK);
  assert_int_equal(pir_session_prepare(s), PIR_OK);
  assert_int_equal(pir_session_output(s, 0, &result), PIR_OK);
  assert_ptr_equal(result.data, own);
  assert_int_equal(result.shape[0], IMAGES);
  assert_int_equal(pir_session_run(s), PIR_OK);
  assert_int_equal(pir_session_bind_output(s, 0, NULL), PIR_OK);
  assert_int_equal(pir_session_output(s, 0, &result), PIR_OK);
  assert_ptr_equal(result.data, other);
  check_scores(result.data, 2);
  pir_session_destroy(s);
}

// A tensor with gaps and one off its alignment are copied, not refused.
static void strided_and_unaligned_inputs_run(void **unused) {
  pir_session *s = open_session(NULL);
  static float gaps[4 * PIXELS * 2];
  static char off[4 * PIXELS * sizeof(float) + 1];
  const float *from = images.arrays[0].tensor.data;
  for (int i = 0; i < 4 * PIXELS; i++)
    gaps[2 * i] = from[i];
  memcpy(off + 1, from, 4 * PIXELS * sizeof(float));
  pir_tensor in = first_images(4), result;
  in.data = gaps;
  for (int d = 0; d < 4; d++)
    in.strides[d] *= 2;
  for (int round = 0; round < 2; round++) {
    assert_int_equal(pir_session_bind_input(s, 0, &in), PIR_OK);
    assert_int_equal(pir_session_run(s), PIR_OK);
    assert_int_equal(pir_session_output(s, 0, &result), PIR_OK);
    check_scores(result.data, 4);
    in = first_images(4);
    in.data = off + 1;
  }
  pir_session_destroy(s);
}

static void shapes_are_planned_once(void **unused) {
  pir_session *s = open_session(NULL);
  pir_tensor result;
  for (int i = 0; i < 40; i++) {
    pir_tensor in = first_images(1 + i % 8);
    assert_int_equal(pir_session_bind_input(s, 0, &in), PIR_OK);
    assert_int_equal(pir_session_run(s), PIR_OK);
    assert_int_equal(pir_session_output(s, 0, &result), PIR_OK);
    assert_int_equal(result.shape[0], 1 + i % 8);
    check_scores(result.data, 1 + i % 8);
  }
  pir_session_stats stats = session_stats(s);
  assert_int_equal(stats.runs, 40);
  assert_int_equal(stats.plans, 8);
  assert_int_equal(stats.recompiles, 0);
  uint64_t arena = stats.arena_bytes;
  pir_tensor one = first_images(1);
  assert_int_equal(pir_session_bind_input(s, 0, &one), PIR_OK);
  assert_int_equal(pir_session_prepare(s), PIR_OK);
  assert_true(pir_session_trim(s) > arena / 2);
  assert_int_equal(pir_session_run(s), PIR_OK);
  assert_true(session_stats(s).arena_bytes < arena / 2);
  assert_int_equal(pir_session_output(s, 0, &result), PIR_OK);
  check_scores(result.data, 1);
  pir_session_destroy(s);
}

static void no_image_gives_no_scores(void **unused) {
  pir_session *s = open_session(NULL);
  pir_tensor none = first_images(0), result;
  assert_int_equal(pir_session_bind_input(s, 0, &none), PIR_OK);
  assert_int_equal(pir_session_run(s), PIR_OK);
  assert_int_equal(pir_session_output(s, 0, &result), PIR_OK);
  assert_int_equal(result.shape[0], 0);
  pir_session_destroy(s);
}

static void limits_and_cancelling_stop_a_run(void **unused) {
  pir_atomic_int cancel = 1;
  pir_session_options options = {.size = sizeof options, .cancel = &cancel};
  pir_session *s = open_session(&options);
  pir_tensor in = first_images(IMAGES);
  assert_int_equal(pir_session_bind_input(s, 0, &in), PIR_OK);
  assert_int_equal(pir_session_run(s), PIR_CANCELLED);
  cancel = 0;
  assert_int_equal(pir_session_run(s), PIR_OK);
  pir_session_destroy(s);
  options = (pir_session_options){.size = sizeof options, .max_bytes = 1000};
  s = open_session(&options);
  assert_int_equal(pir_session_bind_input(s, 0, &in), PIR_OK);
  assert_int_equal(pir_session_run(s), PIR_EXHAUSTED);
  assert_non_null(strstr(pir_session_message(s), "max_bytes"));
  pir_session_destroy(s);
}

// ---- memory that is bound twice

// y = x + the elements of x in reverse, z = x in reverse: of the elements of each, which are
// read when is anyone's guess.
static const char reversing[] =
    "{\n(%0) = \"pd_op.data\" () "
    "{dtype:float32,name:\"x\",place:Place(undefined:0),shape:[-1]} : () -> "
    "tensor<-1xf32>\n"
    "(%1) = \"pd_op.flip\" (%0) {axis:[0]} : (tensor<-1xf32>) -> tensor<-1xf32>\n"
    "(%2) = \"pd_op.add\" (%0, %1) {} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xf32>\n"
    "(%3) = \"pd_op.fetch\" (%2) {col:0,name:\"y\"} : (tensor<-1xf32>) -> tensor<-1xf32>\n"
    "(%4) = \"pd_op.fetch\" (%1) {col:1,name:\"z\"} : (tensor<-1xf32>) -> tensor<-1xf32>\n}\n";

enum { LENGTH = 500, ROOM = 4 * LENGTH };

typedef struct layout {
  int64_t x, step, y, z;  // offsets in elements, and the strides of x
} layout;

static void run_in_one_block(pir_session *s, layout at) {
  static float block[ROOM];
  pir_tensor x = dense(block + at.x, PIR_F32, 1, (int64_t[]){LENGTH}), y = x, z = x, result;
  x.strides[0] = at.step;
  y.data = block + at.y;
  z.data = block + at.z;
  for (int i = 0; i < ROOM; i++)
    block[i] = -1;
  for (int i = 0; i < LENGTH; i++)
    block[at.x + i * at.step] = (float)(i * i % 1013);
  assert_int_equal(pir_session_bind_input(s, 0, &x), PIR_OK);
  assert_int_equal(pir_session_bind_output(s, 0, &y), PIR_OK);
  assert_int_equal(pir_session_bind_output(s, 1, &z), PIR_OK);
  assert_int_equal(pir_session_run(s), PIR_OK);
  for (int i = 0; i < LENGTH; i++) {
    int k = LENGTH - 1 - i, there = i * i % 1013, back = k * k % 1013;
    assert_true(block[at.y + i] == (float)(there + back));
    assert_true(block[at.z + i] == (float)back);
  }
  assert_int_equal(pir_session_output(s, 1, &result), PIR_OK);
  assert_ptr_equal(result.data, block + at.z);
}

static void outputs_may_overlap_inputs(void **unused) {
  static const layout layouts[] = {
      {0, 1, 0, LENGTH},         {LENGTH, 1, 0, LENGTH},
      {10, 1, 0, LENGTH + 10},   {LENGTH, 1, LENGTH / 2, 2 * LENGTH},
      {0, 2, 0, LENGTH},         {1, 3, LENGTH, 0},
      {0, 1, LENGTH, 2 * LENGTH}};
  for (int compiled = 0; compiled < 2; compiled++) {
    pir_model *kept = model;
    model = make_model(reversing, compiled ? "compile" : "kernels");
    pir_session *s = open_session(NULL);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
      run_in_one_block(s, layouts[i]);
    pir_session_destroy(s);
    pir_model_release(model);
    model = kept;
  }
}

static void outputs_may_not_overlap_each_other(void **unused) {
  static float block[2 * LENGTH];
  pir_model *kept = model;
  model = make_model(reversing, "kernels");
  pir_session_options options = {.size = sizeof options, .max_bytes = LENGTH * sizeof *block};
  pir_session *s = open_session(&options);
  pir_tensor x = dense(block, PIR_F32, 1, (int64_t[]){LENGTH}), y = x, z = x;
  z.data = block + LENGTH - 1;
  assert_int_equal(pir_session_bind_input(s, 0, &x), PIR_OK);
  assert_int_equal(pir_session_bind_output(s, 0, &y), PIR_OK);
  assert_int_equal(pir_session_bind_output(s, 1, &z), PIR_OK);
  assert_int_equal(pir_session_run(s), PIR_INVALID);
  assert_string_equal(pir_session_message(s),
                      "outputs 0 \"y\" and 1 \"z\" are bound to memory that overlaps");
  y.shape[0] = z.shape[0] = x.shape[0] = LENGTH / 2;
  y.data = block + LENGTH / 2;
  z.data = block;
  assert_int_equal(pir_session_bind_input(s, 0, &x), PIR_OK);
  assert_int_equal(pir_session_bind_output(s, 0, &y), PIR_OK);
  assert_int_equal(pir_session_bind_output(s, 1, &z), PIR_OK);
  assert_int_equal(pir_session_run(s), PIR_OK);
  pir_session_destroy(s);
  pir_model_release(model);
  model = kept;
}

// ---- cancelling in the middle of a loop, and ops of the user's own on two threads

// Runs the first half of each loop, is cancelled, and runs the second.
static void run_cancelled(void *pool, int64_t n, pir_range_fn fn, void *user) {
  fn(user, 0, n / 2, 0);
  atomic_store((pir_atomic_int *)pool, 1);
  fn(user, n / 2, n, 1);
}

static void long_loops_are_cancelled(void **unused) {
  enum { LONG = 1 << 20 };
  float *x = calloc(LONG, sizeof *x), *z = malloc(LONG * sizeof *z);
  pir_atomic_int cancel;
  pir_model *kept = model;
  for (int compiled = 0; compiled < 2; compiled++) {
    pir_session_options options = {
        .size = sizeof options, .parallel = {run_cancelled, &cancel, 2}, .cancel = &cancel};
    atomic_init(&cancel, 0);
    model = make_model(reversing, compiled ? "compile" : "kernels");
    pir_session *s = open_session(&options);
    pir_tensor in = dense(x, PIR_F32, 1, (int64_t[]){LONG}), out = in;
    out.data = z;
    for (int i = 0; i < LONG; i++)
      z[i] = -1;
    assert_int_equal(pir_session_bind_input(s, 0, &in), PIR_OK);
    assert_int_equal(pir_session_bind_output(s, 1, &out), PIR_OK);
    assert_int_equal(pir_session_run(s), PIR_CANCELLED);
    assert_non_null(strstr(pir_session_message(s), "cancelled in "));
    assert_true(z[0] == 0 && z[LONG - 1] == -1);
    pir_session_destroy(s);
    pir_model_release(model);
  }
  model = kept;
  free(x);
  free(z);
}

// Counts the loops, and runs each in order.
static void run_counted(void *pool, int64_t n, pir_range_fn fn, void *user) {
  ++*(int *)pool;
  fn(user, 0, n, 0);
}

// The caller's loops get small ones too, which the session's own threads do not share.
static void callers_get_small_loops(void **unused) {
  static const char text[] =
      "{\n(%0) = \"pd_op.data\" () {dtype:float32,name:\"x\",place:Place(undefined:0),"
      "shape:[24,16]} : () -> tensor<24x16xf32>\n"
      "(%1) = \"pd_op.matmul\" (%0, %0) {transpose_x:false,transpose_y:true} : "
      "(tensor<24x16xf32>, tensor<24x16xf32>) -> tensor<24x24xf32>\n"
      "(%2) = \"pd_op.fetch\" (%1) {name:\"y\",col:0} : (tensor<24x24xf32>) -> "
      "tensor<24x24xf32>\n}\n";
  static float x[24 * 16];
  int loops = 0;
  pir_model *kept = model;
  pir_session_options options = {.size = sizeof options, .parallel = {run_counted, &loops, 2}};
  model = make_model(text, "compile");
  pir_session *s = open_session(&options);
  pir_tensor in = dense(x, PIR_F32, 2, (int64_t[]){24, 16});
  assert_int_equal(pir_session_bind_input(s, 0, &in), PIR_OK);
  assert_int_equal(pir_session_run(s), PIR_OK);
  assert_true(loops > 0);
  pir_session_destroy(s);
  pir_model_release(model);
  model = kept;
}

static int twice(const pir_tensor *x, pir_tensor *out) {
  for (int64_t i = 0; i < pir_tensor_numel(x); i++)
    ((float *)out->data)[i] = 2 * ((float *)x->data)[i];
  return 0;
}

static void *load_own(void *set) {
  static const char text[] =
      "{\n(%0) = \"pd_op.data\" () "
      "{dtype:float32,name:\"x\",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>\n"
      "(%1) = \"custom_op.twice\" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>\n"
      "(%2) = \"pd_op.fetch\" (%1) {col:0,name:\"y\"} : (tensor<2xf32>) -> tensor<2xf32>\n}\n";
  pir_model_options options = {
      .size = sizeof options, .pipeline = "kernels", .custom_ops = set};
  pir_model *made = NULL;
  pir_session *s = NULL;
  float data[2] = {3, 4};
  pir_tensor x = dense(data, PIR_F32, 1, (int64_t[]){2}), y = {0};
  pir_borrowed program = {.data = text, .size = sizeof text - 1};
  pir_status status = pir_model_load(program, (pir_borrowed){0}, &options, &made);
  if (!status)
    status = pir_session_create(made, NULL, &s);
  if (!status)
    status = pir_session_bind_input(s, 0, &x);
  if (!status)
    status = pir_session_run(s);
  if (!status)
    status = pir_session_output(s, 0, &y);
  bool right = !status && ((float *)y.data)[0] == 6 && ((float *)y.data)[1] == 8;
  pir_session_destroy(s);
  pir_model_release(made);
  return right ? set : NULL;
}

static void own_ops_are_loaded_side_by_side(void **unused) {
  pir_custom_op op = {.name = "twice", .operands = "X", .results = "Out"};
  pir_custom_set *set = NULL;
  pir_message message;
  pthread_t threads[2];
  void *done;
  assert_int_equal(pir_custom_set_create(NULL, &set), PIR_OK);
  assert_int_equal(pir_custom_set_add(set, &op, (pir_custom_fn)twice, NULL, &message), PIR_OK);
  for (int i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, load_own, set), 0);
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], &done);
    assert_ptr_equal(done, set);
  }
  assert_int_equal(pir_custom_set_add(set, &op, (pir_custom_fn)twice, NULL, &message),
                   PIR_INVALID);
  pir_custom_set_destroy(set);
}

// ---- allocation failures: the n-th request fails, for every n until none does

static pir_status use_session(const pir_session_options *options) {
  pir_session *s = NULL;
  pir_tensor in = first_images(3), result;
  pir_status status = pir_session_create(model, options, &s);
  if (!status)
    status = pir_session_bind_input(s, 0, &in);
  if (!status)
    status = pir_session_run(s);
  if (!status)
    status = pir_session_output(s, 0, &result);
  if (!status)
    check_scores(result.data, 3);
  pir_session_destroy(s);
  return status;
}

static void every_failed_allocation_is_a_status(void **unused) {
  for (int threads = 1; threads <= 2; threads++) {
    pir_status status = PIR_EXHAUSTED;
    for (long n = 0; status && n < 1000; n++) {
      failing f = {n, 0, 0};
      pir_session_options options = {
          .size = sizeof options, .threads = threads, .allocator = failing_allocator(&f)};
      status = use_session(&options);
      assert_true(status == PIR_OK || status == PIR_EXHAUSTED);
      assert_int_equal(f.held, 0);
    }
    assert_int_equal(status, PIR_OK);
  }
}

// A model outlives the program and context it was made from; its memory is all the allocator's.
static void making_a_model_survives_failures(void **unused) {
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = NULL;
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  assert_int_equal(pir_program_load_file(ctx, FOLDER "model.json", NULL, &program), PIR_OK);
  pir_model *made = NULL;
  failing f = {0, 0, 0};
  for (long n = 0; !made && n < 1000; n++) {
    f = (failing){n, 0, 0};
    pir_model_options options = {
        .size = sizeof options, .pipeline = "kernels", .allocator = failing_allocator(&f)};
    pir_status status = pir_model_create(program, &options, &made);
    assert_true(status == (made ? PIR_OK : PIR_EXHAUSTED));
    if (!made)
      assert_int_equal(f.held, 0);
  }
  assert_non_null(made);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  pir_model *kept = model;
  model = made;
  assert_int_equal(use_session(NULL), PIR_OK);
  model = kept;
  pir_model_release(made);
  assert_int_equal(f.held, 0);
}

// ---- verifying

static void hear(void *user, const pir_diag *diag) {
  snprintf(user, 128, "%u:%u: %.*s", diag->place.line, diag->place.column,
           (int)diag->message.size, diag->message.data);
}

static const char misspelt[] =
    "{\n"
    "  (%0) = \"pd_op.data\" () {dtype:float32,name:\"x\",place:Place(cpu),shape:[2,3]} : () "
    "-> tensor<2x3xf32>\n"
    "  (%1) = \"pd_op.softmax\" (%0) {wrong:1} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
    "  (%2) = \"pd_op.fetch\" (%1) {col:0,name:\"y\"} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
    "}\n";

// A program whose ops are not as they are declared is refused by all that loads or takes one.
static void programs_are_verified(void **unused) {
  char message[128] = "";
  pir_model_options options = {
      .size = sizeof options, .pipeline = "kernels", .sink = {hear, message}};
  pir_model *made = NULL;
  pir_borrowed bytes = {.data = misspelt, .size = sizeof misspelt - 1};
  assert_int_equal(pir_model_load(bytes, (pir_borrowed){0}, &options, &made), PIR_INVALID);
  assert_null(made);

  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = NULL;
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  pir_context_set_sink(ctx, options.sink);
  pir_str text = {misspelt, sizeof misspelt - 1};
  assert_int_equal(pir_program_read(ctx, text, PIR_STR("memory"), &program), PIR_INVALID);
  assert_null(program);
  message[0] = 0;
  assert_int_equal(pir_program_parse(ctx, text, NULL, &program), PIR_OK);
  assert_int_equal(pir_model_create(program, &options, &made), PIR_INVALID);
  assert_string_equal(message, "3:3: \"pd_op.softmax\" needs attribute axis");
  pir_program_destroy(program);
  pir_context_destroy(ctx);
}

// ---- threads

static void *run_many(void *user) {
  pir_session_options options = {.size = sizeof options, .threads = 2};
  for (int i = 0; i < 5; i++)
    if (use_session(&options))
      return NULL;
  return user;
}

static void sessions_run_side_by_side(void **unused) {
  pthread_t threads[2];
  void *done;
  for (int i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, run_many, model), 0);
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], &done);
    assert_ptr_equal(done, model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ports_are_described),
      cmocka_unit_test(wrong_tensors_are_named),
      cmocka_unit_test(tensors_of_unknown_rank_are_checked),
      cmocka_unit_test(a_stated_rank_that_the_run_changes_is_bound),
      cmocka_unit_test(random_places_are_set),
      cmocka_unit_test(nothing_given_is_refused),
      cmocka_unit_test(results_land_where_bound),
      cmocka_unit_test(outputs_are_those_of_the_last_run),
      cmocka_unit_test(strided_and_unaligned_inputs_run),
      cmocka_unit_test(shapes_are_planned_once),
      cmocka_unit_test(no_image_gives_no_scores),
      cmocka_unit_test(limits_and_cancelling_stop_a_run),
      cmocka_unit_test(outputs_may_overlap_inputs),
      cmocka_unit_test(outputs_may_not_overlap_each_other),
      cmocka_unit_test(long_loops_are_cancelled),
      cmocka_unit_test(callers_get_small_loops),
      cmocka_unit_test(own_ops_are_loaded_side_by_side),
      cmocka_unit_test(every_failed_allocation_is_a_status),
      cmocka_unit_test(making_a_model_survives_failures),
      cmocka_unit_test(programs_are_verified),
      cmocka_unit_test(sessions_run_side_by_side)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
