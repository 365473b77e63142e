// A plan has numbers in place of pointers almost everywhere, so most of it is arrays of plain
// structs. What points outside is stored by name: definitions of ops, kernels; groups by their
// number in the compiler. Read in O(size).
#include "stored_plan.h"

#include <pir/context.h>

// Who adds a field to these stores it below, unless running a plan needs it not, and then
// states the new size.
#define STORED(type, size)                                                                     \
  _Static_assert(sizeof(type) == (size), "a new field of " #type " is stored in this file")
STORED(plan, 352);
STORED(plan_scan, 28);
STORED(plan_call, 72);
STORED(plan_group, 32);
STORED(plan_instr, 80);
STORED(plan_region, 64);
STORED(plan_port, 224);
STORED(plan_const, 24);
STORED(plan_check, 16);
STORED(pir_attr_value, 72);

typedef struct store {
  pir_archive *a;
  const pir_compiler *compiler;
  pir_context *ctx;
  pir_allocator allocator;
  int depth;
} store;

static void *from_plan(void *user, size_t size) {
  return pir_bump_get(user, size);
}

// ---- calls

static void attribute(pir_archive *a, pir_attr_value *v) {
  PIR_ARCHIVE(a, v->kind);
  PIR_ARCHIVE(a, v->i);
  PIR_ARCHIVE(a, v->f);
  PIR_ARCHIVE(a, v->count);
  pir_archive_str(a, &v->text);
  bool ints = v->ints, floats = v->floats, texts = v->texts;
  PIR_ARCHIVE(a, ints);
  PIR_ARCHIVE(a, floats);
  PIR_ARCHIVE(a, texts);
  if (ints)
    pir_archive_array(a, &v->ints, v->count, sizeof *v->ints);
  if (floats)
    pir_archive_array(a, &v->floats, v->count, sizeof *v->floats);
  if (!texts)
    return;
  pir_str *items = (pir_str *)(uintptr_t)v->texts;
  if (!a->writing)
    items = v->count < a->size ? a->take(a->user, (v->count + 1) * sizeof *items) : NULL;
  if (!items)
    a->failed = true;
  for (size_t i = 0; i < v->count && !a->failed; i++)
    pir_archive_str(a, &items[i]);
  v->texts = items;
}

static void attributes(pir_archive *a, plan_call *call) {
  size_t count = call->def->attr_count;
  pir_attr_value *values = (pir_attr_value *)(uintptr_t)call->attrs;
  if (!a->writing)
    values = a->take(a->user, (count + 1) * sizeof *values);
  if (!values && count)
    a->failed = true;
  for (size_t i = 0; i < count && !a->failed; i++)
    attribute(a, &values[i]);
  call->attrs = values;
}

// Its kernel: none for a clause, else one of the library.
static void kernel_of(pir_archive *a, plan_call *call) {
  bool called = call->kernel;
  PIR_ARCHIVE(a, called);
  const char *name = called && a->writing ? call->kernel->name : "";
  if (called)
    pir_archive_text(a, &name);
  const pir_kernel *kernel = called && !a->failed ? pir_kernel_find(pir_str_from(name)) : NULL;
  if (a->writing ? called && kernel != call->kernel : called && !kernel)
    a->failed = true;
  if (a->writing || a->failed)
    return;
  call->kernel = kernel;
  call->run = kernel ? kernel->run : pir_clause_run;
  call->shapes_results = kernel && kernel->shapes_results;
}

static void one_call(store *s, plan_call *call) {
  pir_archive *a = s->a;
  const char *name = a->writing ? call->def->name : NULL;
  pir_archive_text(a, &name);
  if (!a->writing && !a->failed)
    call->def = pir_context_opdef(s->ctx, pir_str_from(name));
  if (!a->failed && (!(call->def->traits & PIR_REGISTERED) || call->def->own))
    a->failed = true;
  if (a->failed)
    return;
  kernel_of(a, call);
  if (!a->failed)
    attributes(a, call);
  pir_archive_array(a, &call->in_members, call->def->operand_count, sizeof *call->in_members);
  pir_archive_array(a, &call->in_first, call->def->operand_count, sizeof *call->in_first);
  pir_archive_array(a, &call->out_members, call->def->result_count, sizeof *call->out_members);
  pir_archive_array(a, &call->out_first, call->def->result_count, sizeof *call->out_first);
}

// ---- the other lists with pointers

// Room for a list whose elements are stored one by one.
static void *elements(pir_archive *a, void *items, uint32_t *count, size_t element) {
  PIR_ARCHIVE(a, *count);
  if (!a->writing && !a->failed)
    items = *count < a->size ? a->take(a->user, (*count + (size_t)1) * element) : NULL;
  if (a->failed || (!items && *count))
    a->failed = true, *count = 0;
  return items;
}

static void one_group(store *s, plan_group *group) {
  pir_archive *a = s->a;
  uint32_t number = 0;
  while (a->writing && pir_compiler_group(s->compiler, number) != group->code)
    number++;
  PIR_ARCHIVE(a, number);
  PIR_ARCHIVE(a, group->packs);
  PIR_ARCHIVE(a, group->units);
  PIR_ARCHIVE(a, group->dims);
  PIR_ARCHIVE(a, group->equal);
  PIR_ARCHIVE(a, group->temporaries);
  PIR_ARCHIVE(a, group->kernels);
  if (!a->writing)
    group->code = s->compiler ? pir_compiler_group(s->compiler, number) : NULL;
  if (!group->code)
    a->failed = true;
}

static void one_instr(store *s, plan_instr *instr) {
  const char *label = instr->label;
  instr->label = NULL;
  pir_archive_bytes(s->a, instr, sizeof *instr);
  pir_archive_text(s->a, &label);
  instr->label = label;
}

static void one_port(store *s, plan_port *port) {
  pir_str name = port->port.name;
  port->port.name = (pir_str){0};
  pir_archive_bytes(s->a, port, sizeof *port);
  pir_archive_str(s->a, &name);
  port->port.name = name;
}

static void one_const(store *s, plan_const *constant) {
  PIR_ARCHIVE(s->a, constant->bytes);
  PIR_ARCHIVE(s->a, constant->slot);
}

static void one_check(store *s, plan_check *check) {
  PIR_ARCHIVE(s->a, check->a);
  PIR_ARCHIVE(s->a, check->b);
  pir_archive_text(s->a, &check->op);
}

static void one_plan(store *s, plan *p);

static void one_region(store *s, plan_region *r) {
  pir_archive *a = s->a;
  bool present = r->plan;
  PIR_ARCHIVE(a, present);
  if (!present || a->failed)
    return;
  PIR_ARCHIVE(a, r->first_in);
  pir_archive_list(a, &r->captures, &r->capture_count, sizeof *r->captures);
  pir_archive_list(a, &r->args, &r->arg_count, sizeof *r->args);
  pir_archive_list(a, &r->yields, &r->yield_count, sizeof *r->yields);
  pir_archive_array(a, &r->repeats, r->yield_count, sizeof *r->repeats);
  plan *inner = r->plan;
  if (!a->writing && (inner = a->take(a->user, sizeof *inner)))
    inner->memory.allocator = s->allocator;
  if (inner && s->depth < PLAN_DEEPEST) {
    r->plan = inner;
    s->depth++;
    one_plan(s, inner);
    s->depth--;
    if (inner->const_count || inner->pack_count)
      a->failed = true;  // constants are those of the whole program
  } else {
    a->failed = true;
  }
}

static void one_control(store *s, plan_control *control) {
  for (int r = 0; r < 2; r++)
    one_region(s, &control->regions[r]);
}

static void plain_lists(pir_archive *a, plan *p) {
  pir_archive_list(a, &p->exprs, &p->expr_count, sizeof *p->exprs);
  pir_archive_list(a, &p->symbols, &p->symbol_count, sizeof *p->symbols);
  pir_archive_list(a, &p->late_symbols, &p->late_symbol_count, sizeof *p->late_symbols);
  pir_archive_list(a, &p->slots, &p->slot_count, sizeof *p->slots);
  pir_archive_list(a, &p->buffers, &p->buffer_count, sizeof *p->buffers);
  pir_archive_list(a, &p->words, &p->word_count, sizeof *p->words);
  pir_archive_list(a, &p->scans, &p->scan_count, sizeof *p->scans);
  pir_archive_list(a, &p->by_first, &p->arena_count, sizeof *p->by_first);
  pir_archive_array(a, &p->by_last, p->arena_count, sizeof *p->by_last);
  PIR_ARCHIVE(a, p->pack_count);
  PIR_ARCHIVE(a, p->scratch_bytes);
  PIR_ARCHIVE(a, p->most_buffers);
  PIR_ARCHIVE(a, p->most_dims);
  PIR_ARCHIVE(a, p->most_slots);
  PIR_ARCHIVE(a, p->kernel_count);
  PIR_ARCHIVE(a, p->segment_count);
}

#define EACH(s, list, count, one)                                                              \
  do {                                                                                         \
    (list) = elements((s)->a, (list), &(count), sizeof *(list));                               \
    for (uint32_t i = 0; i < (count) && !(s)->a->failed; i++)                                  \
      one((s), &(list)[i]);                                                                    \
  } while (0)

// Each plan has memory of its own, that of a region too.
static void one_plan(store *s, plan *p) {
  void *user = s->a->user;
  s->a->user = &p->memory;
  plain_lists(s->a, p);
  EACH(s, p->consts, p->const_count, one_const);
  EACH(s, p->instrs, p->instr_count, one_instr);
  EACH(s, p->calls, p->call_count, one_call);
  EACH(s, p->groups, p->group_count, one_group);
  EACH(s, p->controls, p->control_count, one_control);
  EACH(s, p->checks, p->check_count, one_check);
  EACH(s, p->inputs, p->input_count, one_port);
  EACH(s, p->outputs, p->output_count, one_port);
  if (p->memory.failed)
    s->a->failed = true;
  s->a->user = user;
}

void pir_plan_store(pir_archive *a, plan *p, const pir_compiler *compiler, pir_context *ctx) {
  if (!a->writing)
    a->take = from_plan;
  store s = {a, compiler, ctx, p->memory.allocator, 0};
  one_plan(&s, p);
}
