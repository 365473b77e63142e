// Requests of ranks: checks, comparison, and text.
#include "comm_request.h"

#include "combine.h"
#include "comm_fail.h"

bool pir_comm_reduces(comm_kind kind) {
  return kind == COMM_ALL_REDUCE || kind == COMM_REDUCE_SCATTER || kind == COMM_REDUCE;
}

static bool has_data(comm_kind kind) {
  return kind != COMM_SPLIT && kind != COMM_BARRIER;
}

pir_status pir_comm_check_request(const pir_comm_call *call, const comm_request *ask,
                                  int32_t ranks) {
  if (!has_data(ask->kind))
    return PIR_OK;
  size_t size = pir_dtype_size(ask->dtype);
  if (!size || ask->dtype == PIR_PSTRING)
    return pir_comm_fail(call, PIR_UNSUPPORTED, "unsupported: elements of type %s",
                         pir_dtype_text(ask->dtype));
  if (pir_comm_reduces(ask->kind) && !pir_comm_combines(ask->dtype, ask->how))
    return pir_comm_fail(call, PIR_UNSUPPORTED, "unsupported: the %s (%d) of %s",
                         pir_comm_reduction_name(ask->how), (int)ask->how,
                         pir_dtype_text(ask->dtype));
  if (ask->count > SIZE_MAX / size / (size_t)ranks)
    return pir_comm_fail(call, PIR_EXHAUSTED, "%zu elements of %d ranks are too many",
                         ask->count, (int)ranks);
  if (ask->root < 0 || ask->root >= ranks)
    return pir_comm_fail(call, PIR_INVALID, "there is no rank %d among %d", (int)ask->root,
                         (int)ranks);
  return PIR_OK;
}

bool pir_comm_same_request(const comm_request *a, const comm_request *b) {
  return a->kind == b->kind && a->count == b->count && a->dtype == b->dtype &&
         a->how == b->how && a->root == b->root;
}

void pir_comm_describe_request(const comm_request *ask, char *out, size_t size) {
  static const char *const names[] = {"split",          "all_reduce", "all_gather",
                                      "reduce_scatter", "all_to_all", "broadcast",
                                      "reduce",         "barrier"};
  char how[32] = "", root[32] = "";
  if (!has_data(ask->kind)) {
    pir_text_format(out, size, "%s", names[ask->kind]);
    return;
  }
  if (pir_comm_reduces(ask->kind))
    pir_text_format(how, sizeof how, " (%s)", pir_comm_reduction_name(ask->how));
  if (ask->kind == COMM_BROADCAST || ask->kind == COMM_REDUCE)
    pir_text_format(root, sizeof root, " with root %d", (int)ask->root);
  pir_text_format(out, size, "%s%s%s of %zu x %s", names[ask->kind], how, root, ask->count,
                  pir_dtype_text(ask->dtype));
}

void pir_comm_describe_difference(const comm_request *first, const comm_request *other,
                                  int32_t rank, char *out, size_t size) {
  char texts[2][100];
  pir_comm_describe_request(first, texts[0], sizeof texts[0]);
  pir_comm_describe_request(other, texts[1], sizeof texts[1]);
  pir_text_format(out, size, "ranks disagree: rank 0 calls %s, and rank %d calls %s", texts[0],
                  (int)rank, texts[1]);
}
