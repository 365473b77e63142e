// Channels-last layout for whole programs, made of two passes of rules: auto_layout_insert_pass
// puts convolutions between transposes, then auto_layout_simplify_pass cancels adjacent
// transposes.
//   transfer_layout_pass   applies both
//   auto_layout_pass       applies both to a copy of the program, and counts a convolution as
//                          worth a number of transposes; if the transposes cost more than the
//                          convolutions gain, the program stays unchanged
// Linear, as the rules are.
#include <pir/compiler/dialect/pd_op.h>
#include <pass_list.h>
#include <pir/compiler/pass.h>
#include <pir/compiler/walk.h>

// Costs in units of half a transpose.
enum { PLAIN_CREDIT = 3, FUSED_CREDIT = 6, TRANSPOSE_COST = 2 };

typedef struct balance {
  int64_t transposes, credit;
} balance;

static bool is_channels_last(const pir_op *op) {
  return pir_str_equal(pir_attr_as_str(pir_op_attr_str(op, "data_format")), PIR_STR("NHWC"));
}

// Whether the transposed value is a parameter; such transposes are folded.
static bool is_of_parameter(const pir_op *op) {
  const pir_op *source = pir_op_operand_op(op, 0);
  return source && pir_op_has(source, PIR_PARAMETER);
}

static pir_walk_result count(pir_op *op, void *user) {
  balance *b = user;
  if (pir_op_is(op, PD_TRANSPOSE))
    b->transposes += !is_of_parameter(op);
  bool plain = pir_op_is(op, PD_CONV2D) || pir_op_is(op, PD_CONV2D_TRANSPOSE);
  if (plain && is_channels_last(op))
    b->credit += PLAIN_CREDIT;
  if (pir_op_is(op, PD_FUSED_CONV2D_ADD_ACT) && is_channels_last(op))
    b->credit += FUSED_CREDIT;
  return PIR_WALK_CONTINUE;
}

static balance balance_of(const pir_program *program) {
  balance b = {0};
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, count, &b);
  return b;
}

static pir_status rearrange(pir_program *program) {
  pir_pass_manager *manager = pir_pass_manager_create(pir_program_context(program), NULL);
  pir_status status =
      pir_pass_manager_parse(manager, PIR_STR("auto_layout_insert,auto_layout_simplify"));
  if (!status)
    status = pir_pass_manager_run(manager, program);
  pir_pass_manager_destroy(manager);
  return status;
}

static void tell(pir_pass_run *run, balance before) {
  balance after = balance_of(run->program);
  pir_run_count(run, "transposes more",
                (uint64_t)(after.transposes > before.transposes
                               ? after.transposes - before.transposes
                               : 0));
}

pir_status pir_pass_transfer_layout(pir_pass_run *run) {
  balance before = balance_of(run->program);
  PIR_TRY(rearrange(run->program));
  tell(run, before);
  return PIR_OK;
}

pir_status pir_pass_auto_layout(pir_pass_run *run) {
  balance before = balance_of(run->program);
  pir_program *copy = pir_program_clone(run->program);
  pir_status status = rearrange(copy);
  balance after = balance_of(copy);
  pir_program_destroy(copy);
  if (status ||
      (after.transposes - before.transposes) * TRANSPOSE_COST > after.credit - before.credit)
    return status;
  PIR_TRY(rearrange(run->program));
  tell(run, before);
  return PIR_OK;
}
