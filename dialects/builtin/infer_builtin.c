// Facts of lists: the facts of a list's members are its operands' facts.
#include "infer_impl.h"
#include <builtin_hooks.h>

pir_status builtin_infer_combine(pir_infer *infer) {
  if (infer->operand_count && infer->operands[0])
    infer->results[0] = *infer->operands[0];
  return PIR_OK;
}

pir_status builtin_infer_split(pir_infer *infer) {
  const pir_fact *list = infer->operand_count ? infer->operands[0] : NULL;
  for (size_t i = 0; list && list->members && i < infer->result_count && i < list->member_count;
       i++)
    infer->results[i] = *list->members[i];
  return PIR_OK;
}

pir_status builtin_infer_slice(pir_infer *infer) {
  const pir_fact *list = infer->operand_count ? infer->operands[0] : NULL;
  int64_t i = infer->attrs[0].i;
  if (!list || !list->members)
    return PIR_OK;
  if (i < 0 || (size_t)i >= list->member_count)
    return pir_infer_fail(infer, "index %lld of a list of %zu", (long long)i,
                          list->member_count);
  infer->results[0] = *list->members[i];
  return PIR_OK;
}
