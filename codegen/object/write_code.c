// Writes the code of a program's groups for people and linkers: lowers every group into one
// module, and prints the module as loops or passes it to LLVM. Models do not use this:
// compile.c compiles group by group, so that equal groups share code.
#include "architecture.h"
#include "device_codegen.h"
#include "choose.h"
#include "loop_parse.h"
#include "loop_verify.h"

#include <strbuf.h>

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

// ---- groups to loops

// The names of the group's ops.
static const char *ops_of(loop_module *m, const pir_op *group) {
  pir_strbuf text;
  pir_strbuf_init(&text, &m->arena);
  for (const pir_op *op = pir_block_first(pir_region_first(pir_op_region(group, 0)));
       pir_op_next(op); op = pir_op_next(op)) {
    if (text.size)
      pir_strbuf_lit(&text, ", ");
    pir_strbuf_str(&text, pir_op_name(op));
  }
  pir_strbuf_char(&text, 0);
  return text.data;
}

// ---- traffic

enum { OPEN_EXTENT = 128 };  // what extents are taken for that a run decides

typedef struct traffic {
  pir_dims *dims;
  int64_t *symbols;  // each one OPEN_EXTENT
  bool unknown;      // something could not be evaluated
} traffic;

static int64_t known_value(traffic *t, pir_dim dim) {
  int64_t value = 0;
  t->unknown |= !pir_dim_evaluate(t->dims, dim, t->symbols, &value);
  return value;
}

static int64_t bytes_of(traffic *t, const pir_fact *fact) {
  int64_t bytes = fact->known ? (int64_t)pir_dtype_size(fact->dtype) : 0;
  for (int d = 0; d < fact->rank; d++)
    bytes *= known_value(t, fact->shape[d]);
  return bytes;
}

// The bytes of the group's buffers, by slot.
static int64_t *sizes_of(traffic *t, lowering *l, size_t *out_count) {
  size_t operands = pir_op_operands(l->group), results = pir_op_operands(lower_yield(l));
  *out_count = operands + results + l->temporaries.count;
  int64_t *sizes = pir_loop_alloc(l->m, (*out_count + 1) * sizeof *sizes);
  for (size_t i = 0; i < operands; i++)
    sizes[i] = bytes_of(t, lower_fact(l, pir_op_operand(l->group, i)));
  for (size_t i = 0; i < results; i++)
    sizes[operands + i] = bytes_of(t, lower_fact(l, pir_op_operand(lower_yield(l), i)));
  for (size_t i = 0; i < l->temporaries.count; i++)
    sizes[operands + results + i] = known_value(t, l->temporaries.items[i]);
  for (size_t i = 0; i < l->packings.count; i++) {
    const pir_device_packing *p = &l->packings.items[i];
    const pir_fact *fact = lower_fact(l, pir_op_operand(l->group, p->operand));
    int64_t extent = known_value(t, fact->shape[p->order[fact->rank - 1]]);
    int64_t elements = sizes[p->operand] / (int64_t)pir_dtype_size(fact->dtype);
    if (extent)
      sizes[p->operand] = elements / extent * p->room * (int64_t)pir_dtype_size(p->dtype);
  }
  return sizes;
}

// A quarter of a multiprocessor's shared memory and cache, which are one, for what a block
// reads: others are there, and tiles.
static loop_traffic_of traffic_of(const codes *c, traffic *t, lowering *l,
                                  const lower_stage *stage) {
  enum { SHARE = 4, KB = 1024, WARP = 32 };
  int64_t *dims = pir_loop_alloc(l->m, (l->args.count + 1) * sizeof *dims);
  for (size_t i = 0; i < l->args.count; i++)
    dims[i] = known_value(t, l->args.items[i]);
  loop_traffic_of of = {.units = known_value(t, stage->units), .block_units = 1, .dims = dims};
  if (stage->fn->threads <= WARP)
    of.block_units = c->target->machine->device.block_threads / stage->fn->threads;
  of.sizes = sizes_of(t, l, &of.buffer_count);
  of.cache_bytes = (int64_t)c->target->architecture->shared_kb * KB / SHARE;
  return of;
}

// A line for each kernel of a group: the bytes that it moves, and the operations of the group.
static bool put_traffic(const codes *c, lowering *l, const lower_stages *stages,
                        pir_writer out) {
  traffic t = {.dims = l->dims};
  size_t symbols = pir_dims_symbols(l->dims);
  t.symbols = pir_loop_alloc(l->m, (symbols + 1) * sizeof *t.symbols);
  for (size_t i = 0; i < symbols; i++)
    t.symbols[i] = OPEN_EXTENT;
  int64_t work = known_value(&t, pir_codegen_work(l->group, l->facts));
  for (size_t i = 0; i < stages->count; i++) {
    char line[256];
    double moved = 0, needed = 0;
    loop_traffic_of of = traffic_of(c, &t, l, &stages->items[i]);
    const char *name = stages->items[i].fn->name;
    if (t.unknown || !pir_loop_count_traffic(stages->items[i].fn, &of, &moved, &needed))
      pir_text_format(line, sizeof line, "%s: bytes not counted\n", name);
    else
      pir_text_format(line, sizeof line,
                      "%s: %.0f bytes moved, %.0f needed, %lld operations of the group\n", name,
                      moved, needed, (long long)work);
    if (!out.write(out.user, line, strlen(line)))
      return false;
  }
  return true;
}

static pir_status take_group(codes *c, const pir_op *group, pir_code_form form,
                             pir_writer out) {
  lowering l;
  lower_stages stages = {0};
  lower_packings packings = {0};
  lower_init(&l, c->module, c->target, c->facts, group);
  l.math = c->math;
  l.prefix = pir_loop_name(c->module, "g", c->groups++);
  const loop_group *taken = pir_loop_group(c->module, l.prefix, ops_of(c->module, group));
  if (!choose_emit(&l, &stages, &packings))
    return pir_report_op(l.where, PIR_UNSUPPORTED, PIR_ERROR, "unsupported: %s, in \"%.*s\"",
                         l.why, (int)pir_op_name(l.where).size, pir_op_name(l.where).data);
  choose_explain(&l, &stages);
  for (loop_fn *fn = taken->first; fn; fn = fn->next)
    pir_loop_verify_after(fn, "lowering");
  if (c->module->fault)
    return pir_report_op(group, PIR_INTERNAL, PIR_ERROR,
                         "the loops of a group have a fault: %s", c->module->fault);
  bool counts = form == PIR_CODE_DEVICE_RESOURCES;
  return !counts || put_traffic(c, &l, &stages, out) ? PIR_OK : PIR_IO;
}

// ---- by LLVM

static pir_status emit_llvm(codes *c, pir_code_form form, pir_writer out) {
  pir_llvm_library llvm;
  pir_emitted code;
  char message[1024];
  pir_status status = pir_llvm_open(false, &llvm, message, sizeof message);
  if (!status) {
    status =
        pir_llvm_emit_code(&llvm, c->module, c->target, form, &code, message, sizeof message);
    pir_llvm_close(&llvm);
    if (!status) {
      status = out.write(out.user, code.data, code.size) ? PIR_OK : PIR_IO;
      free(code.data);
      return status;
    }
  }
  return pir_report(c->ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "%s", message);
}

static pir_status write_form(codes *c, pir_code_form form, pir_writer out) {
  char message[1024];
  const device_codegen *device = device_codegen_of(c->target);
  if (!device)
    return emit_llvm(c, form, out);
  pir_status status = device->write(c->module, c->target, form, out, message, sizeof message);
  return status ? pir_report(c->ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "%s", message)
                : PIR_OK;
}

static bool put_text(pir_writer out, const char *text) {
  return out.write(out.user, text, strlen(text));
}

static pir_status write_group(const codes *c, pir_code_form form, pir_writer out) {
  const loop_group *group = c->module->last_group;
  if (form == PIR_CODE_LOOPS)
    return pir_loop_print_group(group, out);
  bool named = form == PIR_CODE_DEVICE_SOURCE || form == PIR_CODE_DEVICE_RESOURCES;
  bool written =
      !named || (put_text(out, "// ") && put_text(out, group->ops) && put_text(out, "\n"));
  return written ? PIR_OK : PIR_IO;
}

static pir_status write_groups(codes *c, const pir_program *program, pir_code_form form,
                               pir_writer out) {
  for (const pir_op *op = pir_group_next(program, NULL); op; op = pir_group_next(program, op)) {
    PIR_TRY(take_group(c, op, form, out));
    PIR_TRY(write_group(c, form, out));
  }
  if (!c->groups)
    return pir_report(
        c->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
        "nothing to compile: the program has no group that build_cinn_pass makes");
  return form == PIR_CODE_LOOPS ? PIR_OK : write_form(c, form, out);
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

// ---- loops that were read

typedef struct reading {
  pir_context *ctx;
  const pir_loops_source *source;
  const pir_target *target;  // NULL: verify alone
  pir_code_form form;
  pir_writer out;
} reading;

static void report_fault(void *user, pir_loc place, const char *message) {
  const reading *r = user;
  pir_ignore(pir_report(r->ctx, PIR_INVALID, PIR_ERROR, place, "%s", message));
}

static pir_status write_module(const reading *r, loop_module *m) {
  codes c = {.ctx = r->ctx, .target = r->target, .module = m};
  if (pir_loop_verify(m, (loop_faults){report_fault, (void *)r}))
    return PIR_INVALID;
  if (!r->target)
    return PIR_OK;
  return r->form == PIR_CODE_LOOPS ? pir_loop_print(m, r->out)
                                   : write_form(&c, r->form, r->out);
}

static pir_status read_loops(void *user) {
  const reading *r = user;
  loop_module *m = NULL;
  PIR_TRY(pir_loop_parse(r->ctx, r->source, &m));
  pir_status status = write_module(r, m);
  pir_loop_module_destroy(m);
  return status;
}

bool pir_loops_recognised(pir_str text) {
  return pir_loop_is_text(text);
}

pir_status pir_loops_verify(pir_context *ctx, const pir_loops_source *source) {
  reading r = {.ctx = ctx, .source = source};
  return pir_context_enter(ctx, read_loops, &r);
}

pir_status pir_loops_write(pir_context *ctx, const pir_loops_source *source,
                           const pir_target *target, pir_code_form form, pir_writer out) {
  reading r = {.ctx = ctx, .source = source, .target = target, .form = form, .out = out};
  PIR_TRY(check_form(ctx, target, form));
  return pir_context_enter(ctx, read_loops, &r);
}
