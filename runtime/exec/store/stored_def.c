// Stores definitions of ops. The tables that opsc makes state the lengths of few arrays, so
// writing finds the others: an array ends behind the last entry that something names. O(size).
#include "stored_def.h"

#include <pir/layer/hook_table.h>
#include <pir/layer/lower.h>

#include <stdlib.h>
#include <string.h>

// When a field is added to one of these structs, store it below, unless a run does not ask for
// it, and update the size.
_Static_assert(sizeof(pir_opdef) == 200 && sizeof(pir_operand_def) == 24 &&
                   sizeof(pir_result_def) == 16 && sizeof(pir_attr_def) == 64 &&
                   sizeof(pir_clause) == 96 && sizeof(pir_clause_var) == 16 &&
                   sizeof(pir_lower) == 72 && sizeof(pir_lower_step) == 32,
               "a new field is stored in this file");

// ---- the list

uint32_t pir_defs_find(const stored_defs *defs, const pir_opdef *def) {
  for (uint32_t i = 0; i < defs->count; i++)
    if (defs->items[i] == def)
      return i;
  return UINT32_MAX;
}

static bool append_def(stored_defs *defs, const pir_opdef *def) {
  if (defs->count == defs->capacity) {
    uint32_t capacity = 2 * defs->capacity + 32;
    const pir_opdef **grown = realloc(defs->items, capacity * sizeof *grown);
    if (!grown)
      return false;
    defs->items = grown;
    defs->capacity = capacity;
  }
  defs->items[defs->count++] = def;
  return true;
}

// Ops that a definition is made of follow it in the list, so the list is its own queue.
bool pir_defs_add(stored_defs *defs, const pir_opdef *def) {
  uint32_t at = defs->count;
  if (pir_defs_find(defs, def) != UINT32_MAX)
    return true;
  bool whole = append_def(defs, def);
  for (; whole && at < defs->count; at++) {
    const pir_opdef *from = defs->items[at];
    for (size_t i = 0; whole && i < from->lower_count; i++)
      for (size_t k = 0; whole && k < from->lower[i].step_count; k++) {
        const pir_opdef *step = pir_lower_step_def(&from->lower[i].steps[k]);
        if (step && pir_defs_find(defs, step) == UINT32_MAX)
          whole = append_def(defs, step);
      }
  }
  return whole;
}

void pir_defs_drop(stored_defs *defs) {
  free(defs->items);
  *defs = (stored_defs){0};
}

// ---- fields
//
// Tables are constant, so every function below gets a copy of a struct: writing reads it,
// reading fills it.

typedef struct def_store {
  pir_archive *a;
  const stored_defs *defs;
  pir_opdef *table;  // reading: of these definitions
  uint8_t results;   // of the definition that is stored
} def_store;

// Stores the elements of an array by `one`, each as a copy.
#define EACH(s, T, field, count, one)                                                          \
  do {                                                                                         \
    T *each = pir_archive_items((s)->a, (T *)(uintptr_t)(field), (count), sizeof *each);       \
    for (size_t i = 0; i < (size_t)(count) && !(s)->a->failed; i++) {                          \
      T item = (s)->a->writing ? each[i] : (T){0};                                             \
      one((s), &item);                                                                         \
      if (!(s)->a->writing)                                                                    \
        each[i] = item;                                                                        \
    }                                                                                          \
    (field) = each;                                                                            \
  } while (0)

#define CONSTANTS(s, field, count)                                                             \
  pir_archive_array((s)->a, (void *)(uintptr_t)&(field), (count), sizeof *(field))
#define NUMBER(s, field) PIR_ARCHIVE((s)->a, field)

static void store_text(def_store *s, const char **text) {
  bool present = *text;
  NUMBER(s, present);
  if (present)
    pir_archive_text(s->a, text);
}

static void store_attr(def_store *s, pir_attr_def *x) {
  bool ints = x->ints, floats = x->floats;
  store_text(s, &x->name);
  NUMBER(s, x->kind);
  NUMBER(s, x->element_kind);
  NUMBER(s, x->required);
  NUMBER(s, x->has_ints);
  NUMBER(s, x->i);
  NUMBER(s, x->f);
  NUMBER(s, x->int_count);
  store_text(s, &x->text);
  NUMBER(s, ints);
  NUMBER(s, floats);
  if (ints)
    CONSTANTS(s, x->ints, x->int_count);
  if (floats)
    CONSTANTS(s, x->floats, x->int_count);
}

static void store_operand(def_store *s, pir_operand_def *x) {
  bool literal = x->literal;
  store_text(s, &x->name);
  NUMBER(s, x->flags);
  NUMBER(s, x->same_as);
  NUMBER(s, x->dtypes);
  NUMBER(s, literal);
  if (literal)
    EACH(s, pir_attr_def, x->literal, 1, store_attr);
}

static void store_result(def_store *s, pir_result_def *x) {
  store_text(s, &x->name);
  NUMBER(s, x->flags);
  NUMBER(s, x->same_as);
  NUMBER(s, x->from_attr);
  NUMBER(s, x->dtype);
  NUMBER(s, x->dtypes);
}

// ---- expressions

// The lengths of the arrays of an expression.
typedef struct reach {
  uint32_t nodes, pool, texts;
} reach;

static void extend(uint32_t *length, int first, int count) {
  uint32_t end = first >= 0 && count > 0 ? (uint32_t)first + (uint32_t)count : 0;
  if (*length < end)
    *length = end;
}

// Of what the nodes name.
static void extend_by_nodes(reach *r, const pir_node *nodes) {
  for (uint32_t i = 0; i < r->nodes; i++) {
    const pir_node *n = &nodes[i];
    bool loads = n->op == PIR_V_LOAD || n->op == PIR_I_LOAD;
    if (loads && n->map_kind == PIR_MAP_LIST)
      extend(&r->pool, n->map, n->map_count);
    if (n->op == PIR_I_ATTR_IS)
      extend(&r->texts, (int)n->i, 1);
  }
}

static void store_expressions(def_store *s, reach *r, const pir_node **nodes,
                              const int16_t **pool, const char *const **texts) {
  NUMBER(s, *r);
  CONSTANTS(s, *nodes, r->nodes);
  CONSTANTS(s, *pool, r->pool);
  EACH(s, const char *, *texts, r->texts, store_text);
}

// ---- clauses

static void store_var(def_store *s, pir_clause_var *x) {
  store_text(s, &x->name);
  NUMBER(s, x->extent);
  NUMBER(s, x->reduced);
  NUMBER(s, x->pack);
}

// clang-format off
#define CLAUSE_NUMBERS(F)                                                                      \
  F(kind) F(combine) F(result) F(compute) F(var_count) F(out_map_kind) F(out_map)              \
  F(out_map_count) F(when) F(body) F(then) F(init) F(guard) F(trap) F(trap_text)               \
  F(axes_attr) F(axes_operand) F(like) F(all) F(out_rank) F(out_extent) F(keep) F(reverse)     \
  F(exclusive) F(stack) F(node_count)
// clang-format on

static void store_clause(def_store *s, pir_clause *x) {
  reach r = {.nodes = x->node_count};
  if (s->a->writing) {
    extend_by_nodes(&r, x->nodes);
    extend(&r.pool, x->out_map, x->out_map_kind == PIR_MAP_LIST ? x->out_map_count : 0);
    extend(&r.texts, x->trap_text, 1);
  }
#define FIELD(name) NUMBER(s, x->name);
  CLAUSE_NUMBERS(FIELD)
#undef FIELD
  EACH(s, pir_clause_var, x->vars, x->var_count, store_var);
  store_expressions(s, &r, &x->nodes, &x->pool, &x->text);
}

// The clauses of a list become an array.
static void store_clauses(def_store *s, const pir_clause **list) {
  bool writing = s->a->writing;
  uint32_t count = 0;
  const pir_clause *from = *list;
  for (const pir_clause *c = from; writing && c; c = c->next)
    count++;
  NUMBER(s, count);
  pir_clause *made = pir_archive_items(s->a, NULL, count, sizeof *made);
  for (uint32_t i = 0; i < count && !s->a->failed; i++) {
    pir_clause x = writing ? *from : (pir_clause){0};
    store_clause(s, &x);
    if (writing) {
      from = from->next;
    } else {
      x.next = i + 1 < count ? &made[i + 1] : NULL;
      made[i] = x;
    }
  }
  if (!writing)
    *list = count && !s->a->failed ? made : NULL;
}

// ---- lower blocks

static void store_arg(def_store *s, pir_lower_arg *x) {
  NUMBER(s, x->kind);
  NUMBER(s, x->value);
  NUMBER(s, x->node);
  NUMBER(s, x->first);
  NUMBER(s, x->count);
}

static void store_lower_attr(def_store *s, pir_lower_attr *x) {
  store_text(s, &x->name);
  NUMBER(s, x->kind);
  NUMBER(s, x->k);
  NUMBER(s, x->node);
  NUMBER(s, x->first);
  NUMBER(s, x->count);
  store_text(s, &x->text);
}

static void store_step(def_store *s, pir_lower_step *x) {
  uint32_t def = s->a->writing ? pir_defs_find(s->defs, pir_lower_step_def(x)) : 0;
  store_text(s, &x->op);
  NUMBER(s, def);
  NUMBER(s, x->first_arg);
  NUMBER(s, x->arg_count);
  NUMBER(s, x->first_attr);
  NUMBER(s, x->attr_count);
  NUMBER(s, x->result_count);
  NUMBER(s, x->when);
  NUMBER(s, x->otherwise);
  if (!s->a->writing)
    x->def = def < s->defs->count ? &s->table[def] : NULL;
}

typedef struct lower_lengths {
  uint32_t args, attrs, items;
} lower_lengths;

static lower_lengths measure_lower(const pir_lower *x, reach *r) {
  lower_lengths n = {0};
  extend(&r->nodes, x->when, 1);
  for (size_t i = 0; i < x->step_count; i++) {
    const pir_lower_step *step = &x->steps[i];
    extend(&r->nodes, step->when, 1);
    extend(&n.args, step->first_arg, step->arg_count);
    extend(&n.attrs, step->first_attr, step->attr_count);
  }
  for (uint32_t i = 0; i < n.args; i++) {
    const pir_lower_arg *arg = &x->args[i];
    extend(&r->nodes, arg->node, arg->kind == PIR_LOWER_NUMBER);
    extend(&n.items, arg->first, arg->kind == PIR_LOWER_INTS ? arg->count : 0);
    extend(&r->pool, arg->first, arg->kind == PIR_LOWER_VALUES ? arg->count : 0);
  }
  for (uint32_t i = 0; i < n.attrs; i++) {
    const pir_lower_attr *attr = &x->attrs[i];
    bool list = attr->kind == PIR_LOWER_LIST, copy = attr->kind == PIR_LOWER_COPY;
    extend(&r->nodes, attr->node, !list && !copy && attr->kind != PIR_LOWER_TEXT);
    extend(&n.items, attr->first, list ? attr->count : 0);
  }
  for (uint32_t i = 0; i < n.items; i++) {
    extend(&r->nodes, x->items[i].repeat, 1);
    extend(&r->nodes, x->items[i].node, 1);
  }
  extend_by_nodes(r, x->nodes);
  return n;
}

static void store_lower(def_store *s, pir_lower *x) {
  reach r = {0};
  lower_lengths n = s->a->writing ? measure_lower(x, &r) : (lower_lengths){0};
  NUMBER(s, x->when);
  NUMBER(s, x->step_count);
  NUMBER(s, n);
  EACH(s, pir_lower_step, x->steps, x->step_count, store_step);
  EACH(s, pir_lower_arg, x->args, n.args, store_arg);
  EACH(s, pir_lower_attr, x->attrs, n.attrs, store_lower_attr);
  CONSTANTS(s, x->items, n.items);
  CONSTANTS(s, x->results, s->results);
  store_expressions(s, &r, &x->nodes, &x->pool, &x->text);
}

// ---- definitions

static void store_hook(def_store *s, pir_op_hooks *x) {
  const char *name = s->a->writing && x->infer ? pir_infer_hook_name(x->infer) : NULL;
  s->a->failed |= s->a->writing && x->infer && !name;
  store_text(s, &name);
  if (s->a->writing)
    return;
  *x = (pir_op_hooks){.infer = name ? pir_infer_hook_find(name) : NULL};
  s->a->failed |= name && !x->infer;
}

static void store_def(def_store *s, pir_opdef *x) {
  s->a->failed |= s->a->writing && (!(x->traits & PIR_REGISTERED) || x->own);
  store_text(s, &x->name);
  NUMBER(s, x->id);
  NUMBER(s, x->traits);
  NUMBER(s, x->operand_count);
  NUMBER(s, x->result_count);
  NUMBER(s, x->attr_count);
  NUMBER(s, x->lower_count);
  s->results = x->result_count;
  EACH(s, pir_operand_def, x->operands, x->operand_count, store_operand);
  EACH(s, pir_result_def, x->results, x->result_count, store_result);
  EACH(s, pir_attr_def, x->attrs, x->attr_count, store_attr);
  store_clauses(s, &x->clause);
  store_clauses(s, &x->shape);
  store_clauses(s, &x->require);
  EACH(s, pir_lower, x->lower, x->lower_count, store_lower);
  store_hook(s, &x->hooks);
}

void pir_defs_store(pir_archive *a, stored_defs *defs) {
  def_store s = {.a = a, .defs = defs};
  NUMBER(&s, defs->count);
  s.table = a->writing ? NULL : pir_archive_items(a, NULL, defs->count, sizeof *s.table);
  const pir_opdef **items = pir_archive_items(a, defs->items, defs->count, sizeof *defs->items);
  if (!a->failed)
    defs->items = items;
  for (uint32_t i = 0; i < defs->count && !a->failed; i++) {
    pir_opdef x = a->writing ? *defs->items[i] : (pir_opdef){0};
    store_def(&s, &x);
    if (a->writing)
      continue;
    s.table[i] = x;
    defs->items[i] = &s.table[i];
  }
}
