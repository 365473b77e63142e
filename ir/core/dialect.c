// Dialects and op definitions. A definition is found by its interned name (readers) or by its
// number (builders). In both cases the context's view of it, with interned attribute names, is
// made once.

#include <context_impl.h>
#include <pir/layer/nearest.h>
#include <sized.h>

#include <string.h>

enum { MAX_DIALECTS = 1 << 10 };

static pir_op_info *create_info(pir_context *ctx, const pir_opdef *def, pir_name *name) {
  pir_op_info *info =
      pir_arena_zalloc(&ctx->arena, def ? offsetof(pir_op_info, unregistered) : sizeof *info);
  info->ctx = ctx;
  info->name = name;
  if (!def) {
    info->unregistered.name = name->text;
    info->unregistered.summary = "";
    info->def = &info->unregistered;
    return info;
  }
  info->def = def;
  info->attr_names = pir_arena_alloc(&ctx->arena, def->attr_count * sizeof(pir_name *));
  for (size_t i = 0; i < def->attr_count; i++)
    info->attr_names[i] = pir_name_get(ctx, pir_str_from(def->attrs[i].name));
  return info;
}

const pir_op_info *pir_context_info_of_name(pir_context *ctx, pir_name *name) {
  struct pir_name_entry *entry = (struct pir_name_entry *)name;
  if (!entry->op || (entry->def && entry->op->def != entry->def))
    entry->op = create_info(ctx, entry->def, name);
  return entry->op;
}

const pir_opdef *pir_context_opdef(pir_context *ctx, pir_str name) {
  return pir_context_info_of_name(ctx, pir_name_get(ctx, name))->def;
}

// Views by number, created when ops are built: the table of a dialect grows to the largest
// number used.
static const pir_op_info **info_slot(pir_context *ctx, uint32_t id) {
  size_t dialect = id >> 16;
  uint32_t number = id & 0xffff;
  pir_vec_reserve(&ctx->arena, &ctx->infos, dialect + 1);
  pir_vec_reserve(&ctx->arena, &ctx->info_counts, dialect + 1);
  while (ctx->infos.count <= dialect) {
    ctx->infos.items[ctx->infos.count++] = NULL;
    ctx->info_counts.items[ctx->info_counts.count++] = 0;
  }
  uint32_t have = ctx->info_counts.items[dialect];
  const pir_op_info ***infos = &ctx->infos.items[dialect];
  if (number >= have) {
    uint32_t want = number + 1 > have * 2 ? number + 1 : have * 2;
    *infos =
        pir_arena_resize(&ctx->arena, *infos, have * sizeof **infos, want * sizeof **infos);
    memset(*infos + have, 0, (want - have) * sizeof **infos);
    ctx->info_counts.items[dialect] = want;
  }
  return &(*infos)[number];
}

const pir_op_info *pir_context_info(pir_context *ctx, const pir_opdef *def) {
  if (!(def->traits & PIR_REGISTERED))
    return (const pir_op_info *)((const char *)def - offsetof(pir_op_info, unregistered));
  const pir_op_info **slot = def->id ? info_slot(ctx, def->id) : NULL;
  if (slot && *slot && (*slot)->def == def)
    return *slot;
  struct pir_name_entry *name =
      (struct pir_name_entry *)pir_name_get(ctx, pir_str_from(def->name));
  name->def = def;
  const pir_op_info *info = pir_context_info_of_name(ctx, name);
  if (slot)
    *slot = info;
  return info;
}

// Numbers ascend; mostly by one from the first op's.
static const pir_opdef *find_opdef(const pir_dialect *dialect, uint32_t op_id) {
  size_t guess = dialect->op_count ? op_id - dialect->ops[0].id : 0;
  if (guess < dialect->op_count && dialect->ops[guess].id == op_id)
    return &dialect->ops[guess];
  size_t low = 0, high = dialect->op_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (dialect->ops[middle].id < op_id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < dialect->op_count && dialect->ops[low].id == op_id ? &dialect->ops[low] : NULL;
}

const pir_opdef *pir_context_op(const pir_context *ctx, uint32_t op_id) {
  for (size_t i = 0; i < ctx->dialects.count; i++) {
    const pir_dialect *dialect = ctx->dialects.items[i];
    bool same = dialect->op_count && dialect->ops[0].id >> 16 == op_id >> 16;
    const pir_opdef *def = same ? find_opdef(dialect, op_id) : NULL;
    if (def)
      return def;
  }
  return NULL;
}

pir_hint pir_hint_op(const pir_context *ctx, pir_str name) {
  pir_nearest near = pir_nearest_begin(name);
  for (size_t i = 0; i < ctx->dialects.count; i++) {
    const pir_dialect *dialect = ctx->dialects.items[i];
    for (size_t k = 0; k < dialect->op_count; k++)
      pir_nearest_try(&near, dialect->ops[k].name);
  }
  return pir_nearest_hint(&near);
}

typedef struct registration {
  pir_context *ctx;
  const pir_dialect *dialect;
} registration;

// Tables may share a name if their ops have numbers of their own: ops of a user join a dialect
// of the library.
static bool is_same_dialect(const pir_dialect *a, const pir_dialect *b) {
  if (a->op_count && b->op_count)
    return a->ops[0].id >> 16 == b->ops[0].id >> 16;
  return !strcmp(a->name, b->name);
}

static pir_status register_dialect(void *user) {
  pir_context *ctx = ((const registration *)user)->ctx;
  const pir_dialect *dialect = ((const registration *)user)->dialect;
  for (size_t i = 0; i < ctx->dialects.count; i++) {
    if (ctx->dialects.items[i] == dialect)
      return PIR_OK;
    if (is_same_dialect(ctx->dialects.items[i], dialect))
      return pir_report(ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                        "dialect %s is registered already", dialect->name);
  }
  for (size_t i = 0; i < dialect->op_count; i++) {
    const pir_opdef *def = &dialect->ops[i];
    if (!(def->traits & PIR_REGISTERED) || def->id >> 16 >= MAX_DIALECTS)
      return pir_report(ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                        "\"%s\" needs the trait registered and a dialect number below %d",
                        def->name, MAX_DIALECTS);
    if (((struct pir_name_entry *)pir_name_get(ctx, pir_str_from(def->name)))->def)
      return pir_report(ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                        "\"%s\" is declared already", def->name);
  }
  for (size_t i = 0; i < dialect->op_count; i++) {
    const pir_opdef *def = &dialect->ops[i];
    ((struct pir_name_entry *)pir_name_get(ctx, pir_str_from(def->name)))->def = def;
  }
  for (size_t i = 0; i < dialect->carried_by_all; i++) {
    const pir_attr_def *def = &dialect->carried[i];
    ((struct pir_name_entry *)pir_name_get(ctx, pir_str_from(def->name)))->carried = def;
  }
  pir_vec_push(&ctx->arena, &ctx->dialects, dialect);
  return PIR_OK;
}

static const pir_dialect *dialect_of(const pir_context *ctx, const pir_opdef *def) {
  for (size_t i = 0; i < ctx->dialects.count; i++) {
    const pir_dialect *dialect = ctx->dialects.items[i];
    if (dialect->op_count && dialect->ops[0].id >> 16 == def->id >> 16)
      return dialect;
  }
  return NULL;
}

const pir_attr_def *pir_context_carried(const pir_op_info *op, pir_name *name) {
  if (name->carried)
    return name->carried;
  const pir_dialect *dialect = dialect_of(op->ctx, op->def);
  for (size_t i = dialect ? dialect->carried_by_all : 0; dialect && i < dialect->carried_count;
       i++)
    if (pir_str_equal(pir_str_from(dialect->carried[i].name), pir_name_str(name)))
      return &dialect->carried[i];
  return NULL;
}

pir_status pir_context_register(pir_context *ctx, const pir_dialect *dialect) {
  registration r = {ctx, dialect};
  if (!ctx || !dialect)
    return pir_refuse_null(ctx, __func__);
  return pir_context_enter(ctx, register_dialect, &r);
}

size_t pir_context_dialects(const pir_context *ctx) {
  return ctx->dialects.count;
}

const pir_dialect *pir_context_dialect(const pir_context *ctx, size_t i) {
  return i < ctx->dialects.count ? ctx->dialects.items[i] : NULL;
}
