// Stores and reads plans. A plan has indices in place of pointers almost everywhere, so most of
// it is arrays of plain structs. Pointers out of the plan are stored by name (definitions of
// ops, kernels) or by number (groups). O(size).
#include "stored_plan.h"

#include "stored_def.h"

// The fields of each struct that is no plain row. PLAIN fields are stored as they are in
// memory; TEXT and STR by characters; ROWS as counted arrays of plain rows; EACH by one_<name>;
// OWN by the struct's own function, or not at all if running a plan does not need them. A list
// names all fields: their sizes must add up to the struct's size, which has no gaps. Plain rows
// are expressions, symbols, slots, buffers, scans, words and
// handovers.
// clang-format off
#define PLAN_FIELDS(F, T)                                                                      \
  F(T, OWN, memory) F(T, ROWS, expr) F(T, ROWS, symbol) F(T, ROWS, late_symbol)                \
  F(T, ROWS, slot) F(T, ROWS, buffer) F(T, ROWS, word) F(T, ROWS, scan)                        \
  F(T, ROWS, handover) F(T, EACH, origin) F(T, EACH, const) F(T, EACH, instr)                  \
  F(T, EACH, call) F(T, EACH, group) F(T, EACH, control) F(T, EACH, check) F(T, EACH, pack)    \
  F(T, OWN, inputs) F(T, OWN, input_count) F(T, OWN, outputs) F(T, OWN, output_count)          \
  F(T, OWN, by_first) F(T, OWN, by_last) F(T, OWN, arena_count) F(T, PLAIN, scratch_bytes)     \
  F(T, PLAIN, most_buffers) F(T, PLAIN, most_dims) F(T, PLAIN, most_slots)                     \
  F(T, PLAIN, kernel_count) F(T, PLAIN, segment_count)
#define CALL_FIELDS(F, T)                                                                      \
  F(T, OWN, def) F(T, OWN, kernel) F(T, OWN, attrs) F(T, OWN, in_members)       \
  F(T, OWN, in_first) F(T, OWN, out_members) F(T, OWN, out_first) F(T, OWN, shapes_results)    \
  F(T, OWN, unused)
#define GROUP_FIELDS(F, T)                                                                     \
  F(T, OWN, code) F(T, PLAIN, number) F(T, PLAIN, packs) F(T, PLAIN, units) F(T, PLAIN, dims)  \
  F(T, PLAIN, equal) F(T, PLAIN, temporaries) F(T, PLAIN, kernels) F(T, PLAIN, bounds)
#define INSTR_FIELDS(F, T)                                                                     \
  F(T, TEXT, label) F(T, TEXT, place) F(T, PLAIN, kind) F(T, PLAIN, late) F(T, PLAIN, once)    \
  F(T, PLAIN, unused)                                                                          \
  F(T, PLAIN, work) F(T, PLAIN, in) F(T, PLAIN, in_count) F(T, PLAIN, out)                     \
  F(T, PLAIN, out_count) F(T, PLAIN, detail) F(T, PLAIN, frees) F(T, PLAIN, free_count)        \
  F(T, PLAIN, symbols) F(T, PLAIN, symbol_count) F(T, PLAIN, exprs) F(T, PLAIN, expr_count)    \
  F(T, PLAIN, segment) F(T, PLAIN, segment_end)
#define REGION_FIELDS(F, T)                                                                    \
  F(T, OWN, plan) F(T, OWN, captures) F(T, OWN, imports) F(T, OWN, args) F(T, OWN, yields)     \
  F(T, OWN, repeats) F(T, OWN, capture_count) F(T, OWN, arg_count) F(T, OWN, yield_count)      \
  F(T, PLAIN, import_count) F(T, PLAIN, first_in) F(T, PLAIN, unused)
#define PORT_FIELDS(F, T)                                                                      \
  F(T, OWN, port) F(T, PLAIN, dims) F(T, PLAIN, slot) F(T, PLAIN, unused)
#define PORT_VIEW_FIELDS(F, T)                                                                 \
  F(T, PLAIN, size) F(T, STR, name) F(T, PLAIN, dtype) F(T, PLAIN, rank) F(T, PLAIN, shape) \
  F(T, OWN, dims) F(T, PLAIN, least) F(T, PLAIN, most)
#define CONST_FIELDS(F, T)                                                                     \
  F(T, PLAIN, bytes) F(T, OWN, param) F(T, PLAIN, slot) F(T, PLAIN, unused)
#define ORIGIN_FIELDS(F, T)                                                                    \
  F(T, TEXT, op) F(T, TEXT, place) F(T, PLAIN, first) F(T, PLAIN, unused)
#define CHECK_FIELDS(F, T) F(T, PLAIN, a) F(T, PLAIN, b) F(T, TEXT, op) F(T, TEXT, place)
// clang-format on

#define SIZE(T, how, field) +SIZE_##how(T, field)
#define SIZE_PLAIN(T, field) sizeof(((T *)0)->field)
#define SIZE_OWN SIZE_PLAIN
#define SIZE_TEXT SIZE_PLAIN
#define SIZE_STR SIZE_PLAIN
#define SIZE_ROWS(T, row)                                                                      \
  SIZE_PLAIN(T, row##s) + SIZE_PLAIN(T, row##_count) + SIZE_PLAIN(T, row##_capacity)
#define SIZE_EACH SIZE_ROWS
#define COMPLETE(type, FIELDS)                                                                 \
  _Static_assert(sizeof(type) == 0 FIELDS(SIZE, type), "a field of " #type " is not listed")
COMPLETE(plan, PLAN_FIELDS);
COMPLETE(plan_call, CALL_FIELDS);
COMPLETE(plan_group, GROUP_FIELDS);
COMPLETE(plan_instr, INSTR_FIELDS);
COMPLETE(plan_region, REGION_FIELDS);
COMPLETE(plan_port, PORT_FIELDS);
COMPLETE(pir_port, PORT_VIEW_FIELDS);
COMPLETE(plan_const, CONST_FIELDS);
COMPLETE(plan_origin, ORIGIN_FIELDS);
COMPLETE(plan_check, CHECK_FIELDS);
_Static_assert(sizeof(pir_attr_value) == 72, "a field of pir_attr_value is not stored");

// Stores the listed fields of `x` in `a`.
#define STORE(T, how, field) STORE_##how(field)
#define STORE_PLAIN(field) PIR_ARCHIVE(a, x->field);
#define STORE_OWN(field)
#define STORE_TEXT(field) pir_archive_text(a, &x->field);
#define STORE_STR(field) pir_archive_str(a, &x->field);
#define STORE_ROWS(row) pir_archive_list(a, &x->row##s, &x->row##_count, sizeof *x->row##s);
#define STORE_EACH(row) EACH(s, x->row##s, x->row##_count, one_##row)

typedef struct store {
  pir_archive *a;
  const pir_executable *executable;
  const plan *plan;  // of the program
  stored_defs defs;
  pir_heap *heap;
  int depth;
} store;

// ---- calls

static void store_attribute(pir_archive *a, pir_attr_value *v) {
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
  pir_str *items =
      pir_archive_items(a, (pir_str *)(uintptr_t)v->texts, v->count, sizeof *items);
  for (size_t i = 0; i < v->count && !a->failed; i++)
    pir_archive_str(a, &items[i]);
  v->texts = items;
}

static void store_attributes(pir_archive *a, plan_call *call) {
  size_t count = call->def->attr_count;
  pir_attr_value *values =
      pir_archive_items(a, (pir_attr_value *)(uintptr_t)call->attrs, count, sizeof *values);
  for (size_t i = 0; i < count && !a->failed; i++)
    store_attribute(a, &values[i]);
  call->attrs = values;
}

// Stores the kernel of a call: none for a clause, else one of the library by name.
static void kernel_of(pir_archive *a, plan_call *call) {
  bool called = call->kernel;
  PIR_ARCHIVE(a, called);
  const char *name = called && a->writing ? call->kernel->name : "";
  if (called)
    pir_archive_text(a, &name);
  const pir_kernel *kernel = called && !a->failed ? pir_kernel_find(pir_str_from(name)) : NULL;
  if (a->writing ? called && kernel != call->kernel : called && !kernel)
    a->failed = true;
  if (!a->writing && called && !kernel && *name)
    a->missing = name;
  if (a->writing || a->failed)
    return;
  call->kernel = kernel;
  call->shapes_results = kernel && kernel->shapes_results;
}

static void one_call(store *s, plan_call *call) {
  pir_archive *a = s->a;
  uint32_t def = a->writing ? pir_defs_find(&s->defs, call->def) : 0;
  PIR_ARCHIVE(a, def);
  if (def >= s->defs.count)
    a->failed = true;
  else if (!a->writing)
    call->def = s->defs.items[def];
  if (a->failed)
    return;
  kernel_of(a, call);
  if (!a->failed)
    store_attributes(a, call);
  pir_archive_array(a, &call->in_members, call->def->operand_count, sizeof *call->in_members);
  pir_archive_array(a, &call->in_first, call->def->operand_count, sizeof *call->in_first);
  pir_archive_array(a, &call->out_members, call->def->result_count, sizeof *call->out_members);
  pir_archive_array(a, &call->out_first, call->def->result_count, sizeof *call->out_first);
}

// ---- the other lists with pointers

// Reading: allocates a list whose elements are stored one by one. Writing changes nothing: the
// model is in use, also when it cannot be written.
static void *elements(pir_archive *a, void *items, uint32_t *count, size_t element) {
  PIR_ARCHIVE(a, *count);
  items = pir_archive_items(a, items, *count, element);
  if (a->failed && !a->writing)
    *count = 0;
  return items;
}

static void one_group(store *s, plan_group *x) {
  pir_archive *a = s->a;
  GROUP_FIELDS(STORE, plan_group)
  if (!a->writing)
    x->code = s->executable ? pir_executable_group(s->executable, x->number) : NULL;
  if (!x->code)
    a->failed = true;
}

static void one_instr(store *s, plan_instr *x) {
  pir_archive *a = s->a;
  INSTR_FIELDS(STORE, plan_instr)
}

static void port_view(pir_archive *a, pir_port *x) {
  PORT_VIEW_FIELDS(STORE, pir_port)
  for (int i = 0; i < PIR_MAX_RANK; i++)
    pir_archive_str(a, &x->dims[i]);
}

static void one_port(store *s, plan_port *x) {
  pir_archive *a = s->a;
  port_view(a, &x->port);
  PORT_FIELDS(STORE, plan_port)
}

static void one_const(store *s, plan_const *x) {
  pir_archive *a = s->a;
  CONST_FIELDS(STORE, plan_const)
}

static void one_origin(store *s, plan_origin *x) {
  pir_archive *a = s->a;
  ORIGIN_FIELDS(STORE, plan_origin)
}

static void one_check(store *s, plan_check *x) {
  pir_archive *a = s->a;
  CHECK_FIELDS(STORE, plan_check)
}

// The group of a plan, or of its regions, that packs so, and the number of the packing there.
static bool find_packing(const plan *p, const pir_packing *packing, int depth,
                         uint32_t *out_group, uint32_t *out_packing) {
  for (uint32_t i = 0; i < p->group_count; i++) {
    const pir_compiled_group *code = p->groups[i].code;
    for (size_t k = 0; k < code->packing_count; k++) {
      if (&code->packings[k] != packing)
        continue;
      *out_group = p->groups[i].number;
      *out_packing = (uint32_t)k;
      return true;
    }
  }
  for (uint32_t i = 0; depth < PLAN_DEEPEST && i < p->control_count; i++)
    for (int r = 0; r < 2; r++) {
      const plan *inner = p->controls[i].regions[r].plan;
      if (inner && find_packing(inner, packing, depth + 1, out_group, out_packing))
        return true;
    }
  return false;
}

static void one_pack(store *s, plan_pack *x) {
  pir_archive *a = s->a;
  uint32_t group = 0, packing = 0;
  if (a->writing && !find_packing(s->plan, x->packing, 0, &group, &packing))
    a->failed = true;
  PIR_ARCHIVE(a, x->slot);
  PIR_ARCHIVE(a, group);
  PIR_ARCHIVE(a, packing);
  if (a->writing || a->failed)
    return;
  const pir_compiled_group *code =
      s->executable ? pir_executable_group(s->executable, group) : NULL;
  x->packing = code && packing < code->packing_count ? &code->packings[packing] : NULL;
  a->failed |= !x->packing;
}

static void one_plan(store *s, plan *p);

static void one_region(store *s, plan_region *x) {
  pir_archive *a = s->a;
  bool present = x->plan;
  PIR_ARCHIVE(a, present);
  if (!present || a->failed)
    return;
  REGION_FIELDS(STORE, plan_region)
  pir_archive_list(a, &x->captures, &x->capture_count, sizeof *x->captures);
  pir_archive_list(a, &x->args, &x->arg_count, sizeof *x->args);
  pir_archive_list(a, &x->yields, &x->yield_count, sizeof *x->yields);
  pir_archive_array(a, &x->repeats, x->yield_count, sizeof *x->repeats);
  pir_archive_array(a, &x->imports, 2 * (size_t)x->import_count, sizeof *x->imports);
  if (s->depth == PLAN_DEEPEST) {
    a->failed = true;
    return;
  }
  if (!a->writing) {
    x->plan = a->take(a->user, sizeof *x->plan);
    pir_arena_init(&x->plan->memory, s->heap);
  }
  s->depth++;
  one_plan(s, x->plan);
  s->depth--;
  if (x->plan->const_count || x->plan->pack_count)
    a->failed = true;  // constants belong to the whole program
}

static void one_control(store *s, plan_control *control) {
  for (int r = 0; r < 2; r++)
    one_region(s, &control->regions[r]);
}

#define EACH(s, list, count, one)                                                              \
  do {                                                                                         \
    (list) = elements((s)->a, (list), &(count), sizeof *(list));                               \
    for (uint32_t i = 0; i < (count) && !(s)->a->failed; i++)                                  \
      one((s), &(list)[i]);                                                                    \
  } while (0);

// Each plan has its own memory, also a region's.
static void one_plan(store *s, plan *x) {
  pir_archive *a = s->a;
  void *user = a->user;
  a->user = &x->memory;
  PLAN_FIELDS(STORE, plan)
  EACH(s, x->inputs, x->input_count, one_port)
  EACH(s, x->outputs, x->output_count, one_port)
  pir_archive_list(a, &x->by_first, &x->arena_count, sizeof *x->by_first);
  pir_archive_array(a, &x->by_last, x->arena_count, sizeof *x->by_last);
  a->user = user;
}

// The definitions of the calls of a plan and of its regions.
static bool add_defs(const plan *p, stored_defs *defs, int depth) {
  for (uint32_t i = 0; i < p->call_count; i++)
    if (!pir_defs_add(defs, p->calls[i].def))
      return false;
  for (uint32_t i = 0; depth < PLAN_DEEPEST && i < p->control_count; i++)
    for (int r = 0; r < 2; r++) {
      const plan *inner = p->controls[i].regions[r].plan;
      if (inner && !add_defs(inner, defs, depth + 1))
        return false;
    }
  return true;
}

void pir_plan_store(pir_archive *a, plan *p, const pir_executable *executable) {
  store s = {.a = a, .executable = executable, .plan = p, .heap = p->memory.heap};
  if (a->writing && !add_defs(p, &s.defs, 0))
    pir_archive_exhaust(a);
  if (!a->writing)
    a->take = pir_arena_take;
  pir_defs_store(a, &s.defs);
  one_plan(&s, p);
  if (a->writing)
    pir_defs_drop(&s.defs);
}
