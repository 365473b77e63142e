// Builds a program in memory, y = tanh(relu(x)), changes it by a pass of its own, and runs it.
//   cc build.c $(pkg-config --cflags --libs pir)
#include <pir/compiler/build/pd_op.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/ir.h>
#include <pir/engine/model.h>
#include <pir/compiler/pass.h>
#include <pir/compiler/text.h>
#include <pir/compiler/verify.h>
#include <pir/compiler/walk.h>
#include <stdio.h>

static void report(void *user, const pir_diag *diag) {
  (void)user;
  fprintf(stderr, "%.*s\n", (int)diag->message.size, diag->message.data);
}

static bool print(void *user, const char *data, size_t size) {
  return fwrite(data, 1, size, (FILE *)user) == size;
}

// Each op has a function. The first failure is reported, and kept
// until the end.
static pir_status build(pir_program *program) {
  pir_op_builder *b;
  pir_status status = pir_op_builder_create(program, &b);
  if (status)
    return status;
  pir_value *x = pir_pd_data(PIR_HERE(b), "x", PIR_INTS(2, 3), PIR_F32, NULL);
  pir_value *y = pir_pd_tanh(PIR_HERE(b), pir_pd_relu(b, x));
  pir_pd_fetch(PIR_HERE(b), y, "y", 0);
  status = pir_op_builder_status(b);
  pir_op_builder_destroy(b);
  return status;
}

static pir_walk_result find_tanh(pir_op *op, void *user) {
  if (pir_op_def(op)->id != PD_TANH)
    return PIR_WALK_CONTINUE;
  *(pir_op **)user = op;
  return PIR_WALK_STOP;
}

// Replaces tanh by sigmoid.
static pir_status exchange(pir_pass_run *run) {
  pir_op *tanh = NULL;
  pir_walk(pir_program_module(run->program), PIR_PRE_ORDER, find_tanh, &tanh);
  if (!tanh)
    return PIR_OK;
  pir_value *x = pir_op_operand(tanh, 0);
  const pir_type *type = pir_value_type(x);
  pir_op_spec spec = {.def = pir_context_op(pir_program_context(run->program), PD_SIGMOID),
                      .operands = &x,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1};
  pir_value *y = pir_op_result(pir_rewriter_create(run->rewriter, tanh, &spec), 0);
  pir_rewriter_replace(run->rewriter, tanh, &y);
  pir_run_count(run, "exchanged", 1);
  return PIR_OK;
}

static pir_status change(pir_context *ctx, pir_program *program) {
  static const pir_pass pass = {
      .name = "exchange_pass", .summary = "Replaces tanh by sigmoid", .run = exchange};
  pir_pass_options options = {.size = sizeof options, .verify_each = true};
  pir_pass_manager *manager = pir_pass_manager_create(ctx, &options);
  if (!manager)
    return PIR_EXHAUSTED;
  pir_status status = pir_pass_manager_add(manager, &pass, NULL, 0);
  if (!status)
    status = pir_pass_manager_run(manager, program);
  pir_pass_manager_destroy(manager);
  return status;
}

static pir_status run(const pir_program *program) {
  pir_model_options options = {.size = sizeof options, .pipeline = "kernels"};
  pir_model *model;
  pir_session *session = NULL;
  float data[] = {-1, 0, 1, 2, 3, 4};
  pir_tensor x = {.data = data}, y;
  pir_tensor_set_dense(&x, PIR_F32, (const int64_t[]){2, 3}, 2);
  pir_status status = pir_model_create(program, &options, &model);
  if (!status)
    status = pir_session_create(model, NULL, &session);
  if (!status)
    status = pir_session_bind_input(session, 0, &x);
  if (!status)
    status = pir_session_run(session);
  if (!status)
    status = pir_session_output(session, 0, &y);
  for (int64_t i = 0; !status && i < pir_tensor_numel(&y); i++)
    printf("%.4f%s", pir_tensor_float_at(&y, i), i < 5 ? " " : "\n");
  pir_session_destroy(session);
  pir_model_release(model);
  return status;
}

int main(void) {
  pir_context_options options = {.size = sizeof options, .sink = {report, NULL}};
  pir_context *ctx = pir_context_create(&options);
  pir_status status = ctx ? pir_dialects_load_all(ctx) : PIR_EXHAUSTED;
  pir_program *program = status ? NULL : pir_program_create(ctx);
  if (!program)
    return 1;
  status = build(program);
  if (!status)
    status = pir_verify(pir_program_module(program), NULL);
  if (!status)
    status = change(ctx, program);
  if (!status)
    status = pir_program_print(program, NULL, (pir_writer){print, stdout});
  if (!status)
    status = run(program);
  if (status)
    fprintf(stderr, "%s\n", pir_status_name(status));
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return (int)status;
}
