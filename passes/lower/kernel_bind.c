// bind_kernels_pass: the last pass before a program runs. Every remaining op becomes a call of
// a kernel (kernel_call.c), which still names the original op and so its meaning
// (pir_op_meaning). Groups keep their regions, because they are compiled. Control flow and
// arrays of tensors stay, because the executor handles them. An op without clause, lower block
// or kernel is an error. Two walks, O(ops + attributes).
#include "kernel_call.h"
#include <pass_list.h>

#include <pir/compiler/dialect/cf.h>
#include <pir/compiler/dialect/cinn.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/kernel.h>
#include <pir/layer/nearest.h>

// Whether the executor handles the op itself: control flow and arrays of tensors.
static bool is_control(const pir_opdef *def) {
  switch (def->id) {
    case PD_IF:
    case PD_WHILE:
    case CINN_SCAN:
    case PD_SELECT_INPUT:
    case PD_CREATE_ARRAY:
    case PD_ARRAY_LENGTH:
    case PD_ARRAY_POP:
    case PD_ARRAY_READ:
    case PD_SLICE_ARRAY:
    case PD_SLICE_ARRAY_DENSE:
    case PD_ARRAY_TO_TENSOR:
    case PD_TENSOR_TO_ARRAY:
    case PD_CREATE_ARRAY_LIKE:
    case PD_ASSIGN_ARRAY:
    case PD_ASSIGN_ARRAY_:
    case PD_MEMCPY_D2H_MULTI_IO:
    case PD_ADD_N_ARRAY:
    case PD_ARRAY_WRITE_: return true;
    default: return false;
  }
}

// Stacks have no kernels, and hold no tensors that need a place.
static bool is_stack(const pir_opdef *def) {
  return def->id == CF_STACK_CREATE || def->id == CF_TUPLE_PUSH || def->id == CF_TUPLE_POP ||
         def->id == CF_HAS_ELEMENTS;
}

// Whether the op stays: parameters, lists, outputs of the builtin dialect, compiled groups,
// control flow and its terminators, stacks, and ops that an earlier run has bound.
static bool stays_unbound(const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  if (def->traits & (PIR_PARAMETER | PIR_STRUCTURAL | PIR_TERMINATOR))
    return true;
  if (((def->traits & PIR_OUTPUT) && !def->result_count) || is_stack(def))
    return true;
  return pir_op_meaning(op) != def ||
         (pir_op_regions(op) && (is_control(def) || !(def->traits & PIR_CONTROL)));
}

static pir_status check(const kernel_calls *c, const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  const char *what = NULL;
  if (!(def->traits & PIR_REGISTERED))
    what = "no dialect declares it";
  else if (is_control(def))
    return PIR_OK;
  else if (pir_op_regions(op))
    what = "control flow";
  else if (def->traits & (PIR_INPUT | PIR_OUTPUT))
    return PIR_OK;
  else if (!def->clause && !def->own &&
           !(def->kernel && pir_kernel_find(pir_str_from(def->kernel))))
    what = "no kernel computes it";
  if (!what)
    return PIR_OK;
  char text[400];
  pir_hint hint = {""};
  const char *reason = def->traits & PIR_REGISTERED ? def->declared : NULL;
  if (!(def->traits & PIR_REGISTERED))
    hint = pir_hint_op(pir_op_context(op), pir_str_from(def->name));
  pir_text_format(text, sizeof text, "unsupported: \"%s\": %s%s%s%s", def->name, what,
                  reason ? ", because " : "", reason ? reason : "", hint.text);
  if (def->traits & PIR_REGISTERED)
    pir_facts_complete(c->facts, op, text, sizeof text);
  return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR, "%s", text);
}

enum { DEEPEST = 64 };

// Checks the ops of a block and of the regions of its control flow. Every unsupported op is
// reported.
static pir_status check_block(const kernel_calls *c, pir_block *block, int depth) {
  pir_status status = PIR_OK;
  PIR_EACH_OP(op, block) {
    size_t regions = is_control(pir_op_def(op)) ? pir_op_regions(op) : 0;
    if (regions && depth == DEEPEST)
      return pir_error(op, "is nested deeper than %d regions", DEEPEST);
    pir_status found = stays_unbound(op) ? PIR_OK : check(c, op);
    status = status ? status : found;
    for (size_t r = 0; r < regions; r++) {
      found = check_block(c, pir_region_first(pir_op_region(op, r)), depth + 1);
      status = status ? status : found;
    }
  }
  return status;
}

static void bind_block(kernel_calls *c, pir_block *block) {
  PIR_EACH_OP(op, block) {
    size_t regions = is_control(pir_op_def(op)) ? pir_op_regions(op) : 0;
    for (size_t r = 0; r < regions; r++)
      bind_block(c, pir_region_first(pir_op_region(op, r)));
    if (!stays_unbound(op))
      kernel_call_replace(c, op, NULL);
  }
}

pir_status pir_pass_bind_kernels(pir_pass_run *run) {
  kernel_calls calls = {
      .run = run, .ctx = pir_program_context(run->program), .facts = pir_run_facts(run)};
  if (!calls.facts)
    return pir_run_facts_status(run);
  PIR_TRY(check_block(&calls, pir_program_block(run->program), 0));
  bind_block(&calls, pir_program_block(run->program));
  kernel_calls_free(&calls);
  return PIR_OK;
}
