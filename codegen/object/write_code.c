// Writes the code of a program's groups for people and linkers: lowers every group into one
// module, and prints the module as loops or passes it to LLVM. Models do not use this:
// compile.c compiles group by group, so that equal groups share code.
#include "device_codegen.h"
#include "choose.h"
#include "loop_verify.h"

#include <stdlib.h>
#include <string.h>

typedef struct codes {
  pir_context *ctx;
  const pir_facts *facts;
  const pir_target *target;
  pir_math math;
  loop_module *module;
  int64_t groups;
} codes;

static pir_status take_group(codes *c, const pir_op *group, loop_fn **out_first) {
  lowering l;
  lower_stages stages = {0};
  lower_packings packings = {0};
  loop_fn *before = c->module->last;
  lower_init(&l, c->module, c->target, c->facts, group);
  l.math = c->math;
  l.prefix = pir_loop_name(c->module, "g", c->groups++);
  if (!choose_emit(&l, &stages, &packings))
    return pir_report(c->ctx, PIR_UNSUPPORTED, PIR_ERROR, pir_op_loc(l.where),
                      "unsupported: %s, in \"%.*s\"", l.why, (int)pir_op_name(l.where).size,
                      pir_op_name(l.where).data);
  choose_explain(&l, &stages);
  *out_first = before ? before->next : c->module->first;
  for (loop_fn *fn = *out_first; fn; fn = fn->next)
    pir_loop_verify_after(fn, "lowering");
  if (!c->module->fault)
    return PIR_OK;
  return pir_report(c->ctx, PIR_INTERNAL, PIR_ERROR, pir_op_loc(group),
                    "the loops of a group have a fault: %s", c->module->fault);
}

// ---- loops

static bool put(pir_writer out, const char *data, size_t size) {
  return out.write(out.user, data, size);
}
static bool put_text(pir_writer out, const char *text) {
  return put(out, text, strlen(text));
}

static bool put_ops(pir_writer out, const pir_op *group) {
  const char *between = "// ";
  for (const pir_op *op = pir_block_first(pir_region_first(pir_op_region(group, 0)));
       pir_op_next(op); op = pir_op_next(op)) {
    pir_str name = pir_op_name(op);
    if (!put_text(out, between) || !put(out, name.data, name.size))
      return false;
    between = ", ";
  }
  return put_text(out, "\n");
}

static pir_status print_group(const pir_op *group, const loop_fn *fn, pir_writer out) {
  if (!put_ops(out, group))
    return PIR_IO;
  for (; fn; fn = fn->next) {
    if (!put_text(out, fn->name) || !put_text(out, ": "))
      return PIR_IO;
    PIR_TRY(pir_loop_print_fn(fn, out));
  }
  return put_text(out, "\n") ? PIR_OK : PIR_IO;
}

// ---- by LLVM

static pir_status emit_llvm(codes *c, pir_code_form form, pir_writer out) {
  pir_llvm_library llvm;
  pir_emitted code;
  char message[1024];
  pir_status status = pir_llvm_open(&llvm, message, sizeof message);
  if (!status) {
    status = llvm.backend->emit(c->module, c->target, form, &code, message, sizeof message);
    pir_llvm_close(&llvm);
    if (!status) {
      status = put(out, code.data, code.size) ? PIR_OK : PIR_IO;
      free(code.data);
      return status;
    }
  }
  return pir_report(c->ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "%s", message);
}

static pir_status emit(codes *c, pir_code_form form, pir_writer out) {
  char message[1024];
  const device_codegen *device = device_codegen_of(c->target);
  if (!device)
    return emit_llvm(c, form, out);
  pir_status status = device->write(c->module, c->target, form, out, message, sizeof message);
  return status ? pir_report(c->ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "%s", message)
                : PIR_OK;
}

static pir_status write_groups(codes *c, const pir_program *program, pir_code_form form,
                               pir_writer out) {
  for (const pir_op *op = pir_group_next(program, NULL); op; op = pir_group_next(program, op)) {
    loop_fn *first = NULL;
    PIR_TRY(take_group(c, op, &first));
    if (form == PIR_CODE_LOOPS)
      PIR_TRY(print_group(op, first, out));
    else if (form == PIR_CODE_DEVICE_SOURCE || form == PIR_CODE_DEVICE_RESOURCES)
      PIR_TRY(put_ops(out, op) ? PIR_OK : PIR_IO);
  }
  if (!c->groups)
    return pir_report(
        c->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
        "nothing to compile: the program has no group that build_cinn_pass makes");
  return form == PIR_CODE_LOOPS ? PIR_OK : emit(c, form, out);
}

static pir_status check_form(pir_context *ctx, const pir_target *target, pir_code_form form) {
  bool of_device = form >= PIR_CODE_DEVICE_SOURCE;
  if (form == PIR_CODE_LOOPS || of_device == (target->device != NULL))
    return PIR_OK;
  if (target->device)
    return pir_report(ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "the target is a device, the form of code is a processor's");
  return pir_report(ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                    "the form of code is a device's: name its target; known: %s",
                    pir_target_names());
}

pir_status pir_codegen_write(const pir_program *program, const pir_target *target,
                             pir_math math, pir_code_form form, bool verify, pir_writer out) {
  pir_facts *facts = NULL;
  PIR_TRY(check_form(pir_program_context(program), target, form));
  PIR_TRY(pir_facts_create(program, &facts));
  codes c = {.ctx = pir_program_context(program),
             .facts = facts,
             .target = target,
             .math = math,
             .module = pir_loop_module_create_in(pir_facts_heap(facts))};
  c.module->verify = verify;
  pir_status status = write_groups(&c, program, form, out);
  pir_loop_module_destroy(c.module);
  pir_facts_destroy(facts);
  return status;
}
