// The table of built-in kernels, in name order, found by binary search.
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include <pir/layer/watched_loops.h>

#define ENTRY(name, shapes) {#name, pir_kernel_##name, shapes},
static const pir_kernel kernels[] = {PIR_KERNELS(ENTRY)};
#undef ENTRY

static int compare_kernel_name(const void *key, const void *entry) {
  const pir_str *name = key;
  const char *other = ((const pir_kernel *)entry)->name;
  int order = strncmp(name->data, other, name->size);
  if (order)
    return order;
  return other[name->size] ? -1 : 0;
}

const pir_kernel *pir_kernel_find(pir_str name) {
  return bsearch(&name, kernels, sizeof kernels / sizeof *kernels, sizeof *kernels,
                 compare_kernel_name);
}

bool pir_kernel_cancelled(const pir_kernel_call *call) {
  bool flagged = call->cancel && atomic_load_explicit(call->cancel, memory_order_relaxed);
  return flagged || pir_parallel_has_ended(&call->parallel);
}

pir_status pir_kernel_fail(const pir_kernel_call *call, pir_status status, const char *format,
                           ...) {
  if (!call->message)
    return status;
  va_list args;
  va_start(args, format);
  pir_text_vformat(call->message->text, sizeof call->message->text, format, args);
  va_end(args);
  return status;
}
