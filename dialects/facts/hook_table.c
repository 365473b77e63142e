// The hooks of inference by name, for definitions of ops that are stored in files.
#include "builtin_hooks.h"
#include "onednn_hooks.h"
#include "pd_op_hooks.h"
#include <pir/layer/hook_table.h>

#include <string.h>

typedef struct named_hook {
  const char *name;
  pir_infer_hook infer;
} named_hook;

static const named_hook HOOKS[] = {
#define ENTRY(hook) {#hook, hook},
    PIR_BUILTIN_INFER_HOOKS(ENTRY) PIR_PD_OP_INFER_HOOKS(ENTRY) PIR_ONEDNN_INFER_HOOKS(ENTRY)
#undef ENTRY
};

enum { HOOK_COUNT = sizeof HOOKS / sizeof *HOOKS };

const char *pir_infer_hook_name(pir_infer_hook hook) {
  for (size_t i = 0; i < HOOK_COUNT; i++)
    if (HOOKS[i].infer == hook)
      return HOOKS[i].name;
  return NULL;
}

pir_infer_hook pir_infer_hook_find(const char *name) {
  for (size_t i = 0; i < HOOK_COUNT; i++)
    if (!strcmp(HOOKS[i].name, name))
      return HOOKS[i].infer;
  return NULL;
}
