// Ops, passes and programs of the engine's own.
#include "engine.h"

#include <pir/compiler/build/pd_op.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/pass_library.h>
#include <pir/engine/custom.h>
#include <pir/engine/loaded_code.h>

#include <math.h>
#include <stdatomic.h>

// ---- running a small program

// Runs a model with one input and one output of six numbers.
static pir_status run_six(pir_model *model, const float *in, float *out) {
  pir_session *session;
  pir_tensor x = tensor_over((void *)(uintptr_t)in, PIR_F32, 2, (const int64_t[]){2, 3});
  pir_tensor y = tensor_over(out, PIR_F32, 2, (const int64_t[]){2, 3});
  pir_status status = pir_session_create(model, NULL, &session);
  if (!status)
    status = pir_session_bind_input(session, 0, &x);
  if (!status)
    status = pir_session_bind_output(session, 0, &y);
  if (!status)
    status = pir_session_run(session);
  pir_session_destroy(session);
  return status;
}

// Loads y = op(x) over tensors [2, 3].
static pir_status load_op(const char *op, const pir_model_options *how, pir_model **out_model) {
  char text[1024];
  int size = snprintf(
      text, sizeof text,
      "{\n(%%0) = \"pd_op.data\" () {dtype:float32,name:\"x\",place:Place(undefined:0),"
      "shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>\n"
      "(%%1) = \"%s\" (%%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
      "(%%2) = \"pd_op.fetch\" (%%1) {col:0,name:\"y\",stop_gradient:[true]} : "
      "(tensor<2x3xf32>) -> tensor<2x3xf32>\n}\n",
      op);
  pir_borrowed bytes = {.data = text, .size = (size_t)size};
  return pir_model_load(bytes, (pir_borrowed){0}, how, out_model);
}

static const float six[] = {-2, -1, 0, 1, 2, 3};

// ---- ops

static int negate(const pir_tensor *x, pir_tensor *out) {
  if (((const float *)x->data)[0] > 100)
    return 17;
  for (int64_t i = 0; i < pir_tensor_numel(out); i++)
    ((float *)out->data)[i] = -((const float *)x->data)[i];
  return 0;
}

void use_custom_ops(engine *e) {
  static const pir_custom_op declaration = {
      .name = "negate", .operands = "X", .attrs = "", .results = "Out", .kernel = "negate"};
  float got[6], large[6] = {1000};
  pir_custom_set *set;
  pir_message message = {{0}};
  pir_model *model;
  heard h;
  if (!EXPECT(pir_custom_set_create(NULL, &set) == PIR_OK))
    return;
  EXPECT(pir_custom_set_add(set, &declaration, (pir_custom_fn)negate, NULL, &message) ==
         PIR_OK);
  EXPECT(pir_custom_set_add(set, &declaration, (pir_custom_fn)negate, NULL, &message) ==
             PIR_INVALID &&
         message.text[0]);
  EXPECT(pir_custom_set_load(set, e->ops, &message) == PIR_OK);
  EXPECT(pir_custom_set_load(set, "/nowhere/ops.so", &message) == PIR_INVALID);
  pir_model_options how = {.size = sizeof how, .custom_ops = set, .sink = sink_of(&h)};
  EXPECT(load_op("custom_op.negate", &how, &model) == PIR_OK);
  EXPECT(run_six(model, six, got) == PIR_OK && got[0] == 2 && got[5] == -3);
  EXPECT(run_six(model, large, got) == PIR_INVALID);  // the kernel returned 17
  pir_model_release(model);
  EXPECT(load_op("custom_op.nothing", &how, &model) != PIR_OK && !model && h.errors > 0);
  pir_custom_set_destroy(set);
}

// ---- ops that a text declares

static pir_status give_text(void *user, pir_str path, pir_str *out_text) {
  if (!pir_str_equal(path, PIR_STR("twice.ops")))
    return PIR_NOT_FOUND;
  *out_text = pir_str_from(user);
  return PIR_OK;
}

#define UNARY(name, meaning)                                                                   \
  "op " name " \"" name " of x\" {\n  operand x : tensor<f32>\n"                               \
  "  result out : tensor<same(x)>\n  trait pure\n  compute out = " meaning "\n}\n"

// The ops need no function: libpir compiles what their texts say.
void declare_ops(engine *e) {
  static char included[] = UNARY("twice", "x * 2");
  float got[6];
  pir_custom_set *set;
  pir_message message = {{0}};
  pir_model *model;
  heard h;
  (void)e;
  if (!EXPECT(pir_custom_set_create(NULL, &set) == PIR_OK))
    return;
  pir_ops_options how = {.size = sizeof how,
                         .file = PIR_STR("my.ops"),
                         .read = give_text,
                         .user = included,
                         .sink = sink_of(&h)};
  EXPECT(pir_custom_set_declare(set, PIR_STR(UNARY("wrong", "x + z")), &how, &message) ==
         PIR_INVALID);
  EXPECT(!strcmp(message.text, "my.ops:5:21: no operand 'z'"));
  EXPECT(h.errors == 1 && !strcmp(h.message, "no operand 'z'") && !strcmp(h.file, "my.ops"));
  EXPECT(pir_custom_set_declare(
             set, PIR_STR("include \"twice.ops\"\n" UNARY("bent", "max(min(x, 1), -1) * 3")),
             &how, &message) == PIR_OK);
  pir_model_options loading = {.size = sizeof loading, .custom_ops = set, .sink = sink_of(&h)};
  EXPECT(load_op("custom_op.bent", &loading, &model) == PIR_OK);
  EXPECT(run_six(model, six, got) == PIR_OK && got[0] == -3 && got[2] == 0 && got[5] == 3);
  pir_model_release(model);
  EXPECT(load_op("custom_op.twice", &loading, &model) == PIR_OK);
  EXPECT(pir_custom_set_declare(set, PIR_STR(UNARY("late", "x")), NULL, &message) ==
         PIR_INVALID);

  // A context of the engine's own knows them too; the set outlives it.
  pir_context *ctx = pir_context_create(NULL);
  EXPECT(ctx && pir_dialects_load_all(ctx) == PIR_OK);
  EXPECT(pir_custom_set_register(set, ctx) == PIR_OK);
  pir_context_destroy(ctx);
  pir_custom_set_destroy(set);  // the model keeps it
  EXPECT(run_six(model, six, got) == PIR_OK && got[0] == -4 && got[5] == 6);
  pir_model_release(model);
}

// ---- passes

void use_passes(engine *e) {
  float got[6];
  pir_pass_set *set;
  pir_message message = {{0}};
  pir_model *model;
  heard h;
  if (!EXPECT(pir_pass_set_create(NULL, &set) == PIR_OK))
    return;
  pir_model_options how = {
      .size = sizeof how, .pipeline = "exchange,compile", .sink = sink_of(&h)};
  EXPECT(load_op("pd_op.tanh", &how, &model) == PIR_INVALID);
  EXPECT(!strcmp(h.message, "unknown pass 'exchange'"));
  EXPECT(pir_pass_set_load(set, e->passes, &message) == PIR_OK);
  EXPECT(pir_pass_set_count(set) == 1);
  how.passes = set;
  EXPECT(load_op("pd_op.tanh", &how, &model) == PIR_OK);  // it becomes a sigmoid
  EXPECT(run_six(model, six, got) == PIR_OK);
  for (int i = 0; i < 6; i++)
    EXPECT(fabsf(got[i] - 1 / (1 + expf(-six[i]))) < 1e-6f);
  pir_model_release(model);
  pir_pass_set_destroy(set);
}

// ---- programs

// relu(x) * 2 + 1, and a sum over shapes that do not fit, which is refused with its place.
static pir_status build(pir_program *program, bool wrong) {
  pir_op_builder *b;
  pir_pd_scale_options twice = {.scale = pir_number_of(2), .bias = PIR_SET(1)};
  pir_status status = pir_op_builder_create(program, &b);
  if (status)
    return status;
  pir_value *x = pir_pd_data(PIR_HERE(b), "x", PIR_INTS(2, 3), PIR_F32, NULL);
  pir_value *y = pir_pd_scale(PIR_HERE(b), pir_pd_relu(b, x), &twice);
  if (wrong)
    y = pir_pd_add(PIR_HERE(b), y, pir_pd_data(b, "z", PIR_INTS(5), PIR_F32, NULL));
  pir_pd_fetch(PIR_HERE(b), y, "y", 0);
  status = pir_op_builder_status(b);
  pir_op_builder_destroy(b);
  return status;
}

void build_programs(engine *e) {
  float got[6];
  heard h;
  pir_model *model = NULL;
  pir_context_options making = {.size = sizeof making, .sink = sink_of(&h)};
  pir_context *ctx = pir_context_create(&making);
  (void)e;
  if (!EXPECT(ctx && pir_dialects_load_all(ctx) == PIR_OK))
    return;
  pir_program *program = pir_program_create(ctx), *bad = pir_program_create(ctx);
  EXPECT(build(program, false) == PIR_OK && h.count == 0);
  EXPECT(pir_model_create(program, NULL, &model) == PIR_OK);
  EXPECT(run_six(model, six, got) == PIR_OK);
  for (int i = 0; i < 6; i++)
    EXPECT(got[i] == 2 * (six[i] > 0 ? six[i] : 0) + 1);
  EXPECT(build(bad, true) == PIR_INVALID && h.errors == 1 && strstr(h.message, "pd_op.add"));
  pir_program_destroy(bad);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  EXPECT(run_six(model, six, got) == PIR_OK);  // the model needs neither
  pir_model_release(model);
}

// ---- code

static void count_loaded(void *user, const pir_code_image *image) {
  EXPECT(image->code_bytes && image->symbol_count && image->symbols[0].name[0]);
  atomic_fetch_add((atomic_int *)user, 1);
}

static void count_unloaded(void *user, const pir_code_image *image) {
  (void)image;
  atomic_fetch_sub((atomic_int *)user, 1);
}

void hear_of_code(engine *e) {
  atomic_int images = 0;
  pir_code_listener listener = {.size = sizeof listener,
                                .loaded = count_loaded,
                                .unloaded = count_unloaded,
                                .user = &images};
  pir_model_options how = {.size = sizeof how, .code_listener = &listener};
  pir_model *model;
  EXPECT(load_again(e, &how, &model) == PIR_OK && images > 0);
  pir_model_release(model);
  EXPECT(images == 0);
}
