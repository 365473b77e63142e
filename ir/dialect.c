// Dialects and op definitions. A definition is found by its interned name (readers) or by its number
// (builders); either way the context's view of it, with interned attribute names, is made once.

#include <context_impl.h>

#include <string.h>

enum { MAX_DIALECTS = 1 << 10 };

static pir_op_info *create_info(pir_context *ctx, const pir_opdef *def, pir_name *name) {
  pir_op_info *info = pir_arena_zalloc(&ctx->arena, sizeof *info);
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

static pir_op_info **info_slot(const pir_context *ctx, uint32_t id) {
  size_t dialect = id >> 16, number = id & 0xffff;
  if (!id || dialect >= ctx->infos.count || number >= ctx->info_counts.items[dialect]) return NULL;
  return &ctx->infos.items[dialect][number];
}

static const pir_op_info *info_by_name(pir_context *ctx, const pir_opdef *def) {
  struct pir_name_entry *name = (struct pir_name_entry *)pir_name_get(ctx, pir_str_from(def->name));
  if (!name->op || name->op->def != def) name->op = create_info(ctx, def, name);
  pir_op_info **slot = info_slot(ctx, def->id);
  if (slot) *slot = (pir_op_info *)name->op;
  return name->op;
}

const pir_op_info *pir_context_info(pir_context *ctx, const pir_opdef *def) {
  if (!(def->traits & PIR_REGISTERED))
    return (const pir_op_info *)((const char *)def - offsetof(pir_op_info, unregistered));
  pir_op_info **slot = info_slot(ctx, def->id);
  return slot && *slot && (*slot)->def == def ? *slot : info_by_name(ctx, def);
}

const pir_op_info *pir_context_info_of_name(pir_context *ctx, pir_name *name) {
  struct pir_name_entry *entry = (struct pir_name_entry *)name;
  if (!entry->op) entry->op = create_info(ctx, NULL, name);
  return entry->op;
}

const pir_opdef *pir_context_opdef(pir_context *ctx, pir_str name) {
  return pir_context_info_of_name(ctx, pir_name_get(ctx, name))->def;
}

const pir_opdef *pir_context_op(const pir_context *ctx, uint32_t op_id) {
  pir_op_info **slot = info_slot(ctx, op_id);
  return slot && *slot ? (*slot)->def : NULL;
}

static void reserve_numbers(pir_context *ctx, const pir_opdef *def) {
  size_t dialect = def->id >> 16;
  uint32_t number = def->id & 0xffff;
  while (ctx->infos.count <= dialect) {
    pir_vec_push(&ctx->arena, &ctx->infos, NULL);
    pir_vec_push(&ctx->arena, &ctx->info_counts, 0);
  }
  uint32_t have = ctx->info_counts.items[dialect];
  if (number < have) return;
  uint32_t want = number + 1 > have * 2 ? number + 1 : have * 2;
  pir_op_info ***infos = &ctx->infos.items[dialect];
  *infos = pir_arena_resize(&ctx->arena, *infos, have * sizeof **infos, want * sizeof **infos);
  memset(*infos + have, 0, (want - have) * sizeof **infos);
  ctx->info_counts.items[dialect] = want;
}

pir_status pir_context_register(pir_context *ctx, const pir_dialect *dialect) {
  for (size_t i = 0; i < ctx->dialects.count; i++) {
    if (ctx->dialects.items[i] == dialect) return PIR_OK;
    if (strcmp(ctx->dialects.items[i]->name, dialect->name) == 0)
      return pir_report(ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN, "dialect %s is registered already", dialect->name);
  }
  for (size_t i = 0; i < dialect->op_count; i++) {
    const pir_opdef *def = &dialect->ops[i];
    if (!(def->traits & PIR_REGISTERED) || def->id >> 16 >= MAX_DIALECTS)
      return pir_report(ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                        "\"%s\" needs the trait registered and a dialect number below %d", def->name, MAX_DIALECTS);
  }
  pir_vec_push(&ctx->arena, &ctx->dialects, dialect);
  // From the end, so that the table of numbers grows once.
  for (size_t i = dialect->op_count; i-- > 0;) {
    const pir_opdef *def = &dialect->ops[i];
    if (def->id) reserve_numbers(ctx, def);
    info_by_name(ctx, def);
  }
  return PIR_OK;
}

size_t pir_context_dialects(const pir_context *ctx) { return ctx->dialects.count; }

const pir_dialect *pir_context_dialect(const pir_context *ctx, size_t i) {
  return i < ctx->dialects.count ? ctx->dialects.items[i] : NULL;
}

static bool is_called(const char *name, pir_str wanted) {
  return name && strncmp(name, wanted.data, wanted.size) == 0 && name[wanted.size] == 0;
}

int pir_opdef_operand(const pir_opdef *def, pir_str name) {
  for (int i = 0; i < def->operand_count; i++)
    if (is_called(def->operands[i].name, name)) return i;
  return -1;
}

int pir_opdef_result(const pir_opdef *def, pir_str name) {
  for (int i = 0; i < def->result_count; i++)
    if (is_called(def->results[i].name, name)) return i;
  return -1;
}

int pir_opdef_attr(const pir_opdef *def, pir_str name) {
  for (int i = 0; i < def->attr_count; i++)
    if (is_called(def->attrs[i].name, name)) return i;
  return -1;
}
