// Finds built-in kernels, in lists in name order, by binary search.
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "rare.h"
#include <pir/layer/watched_loops.h>

#define ENTRY(name, shapes) {#name, pir_kernel_##name, shapes},
static const pir_kernel of_models[] = {PIR_KERNELS_OF_MODELS(ENTRY)};
#undef ENTRY

static int compare_kernel_name(const void *key, const void *entry) {
  const pir_str *name = key;
  const char *other = ((const pir_kernel *)entry)->name;
  int order = strncmp(name->data, other, name->size);
  if (order)
    return order;
  return other[name->size] ? -1 : 0;
}

static const pir_kernel *find_in(pir_str name, const pir_kernel *list, size_t count) {
  return bsearch(&name, list, count, sizeof *list, compare_kernel_name);
}

const pir_kernel *pir_kernel_find(pir_str name) {
  const pir_kernel *found = find_in(name, of_models, sizeof of_models / sizeof *of_models);
  if (found)
    return found;
  size_t count;
  const pir_kernel *rare = rare_kernels(&count);
  return rare ? find_in(name, rare, count) : NULL;
}

static bool is_listed(const pir_kernel *kernel, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(kernel->name, names[i]))
      return true;
  return false;
}

#define NAME(name) #name,
bool pir_kernel_in_place(const pir_kernel *kernel) {
  static const char *const names[] = {PIR_KERNELS_IN_PLACE(NAME)};
  return is_listed(kernel, names, sizeof names / sizeof *names);
}

bool pir_kernel_takes_apart(const pir_kernel *kernel) {
  static const char *const names[] = {PIR_KERNELS_APART(NAME)};
  return is_listed(kernel, names, sizeof names / sizeof *names);
}

bool pir_kernel_takes_arrays(const pir_kernel *kernel) {
  static const char *const names[] = {PIR_KERNELS_OF_ARRAYS(NAME)};
  return is_listed(kernel, names, sizeof names / sizeof *names);
}
#undef NAME

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
