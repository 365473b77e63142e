// Describes models as bytes, and makes them of descriptions. The plan points to constants by
// number, so only their places have to be stored. O(size of the description).
#include "stored_model.h"

#include "stored_plan.h"

static void store_stats(pir_archive *a, pir_model_stats *s) {
  PIR_ARCHIVE(a, s->ops);
  PIR_ARCHIVE(a, s->instructions);
  PIR_ARCHIVE(a, s->kernels_called);
  PIR_ARCHIVE(a, s->weight_bytes);
  PIR_ARCHIVE(a, s->packed_bytes);
}

static void store_code(pir_archive *a, pir_model *model, pir_str *code) {
  bool present = code->data;
  PIR_ARCHIVE(a, present);
  if (!present || a->failed)
    return;
  pir_archive_str(a, code);
  if (a->writing || a->failed)
    return;
  pir_status status = pir_executable_load(code->data, code->size, &model->allocator,
                                          model->code_listener, &model->executable);
  if (status == PIR_EXHAUSTED)
    pir_heap_fail(&model->heap);
  a->failed |= status != PIR_OK;
}

void pir_stored_describe(pir_archive *a, pir_model *model, pir_str *code, uint64_t **places) {
  plan *p = &model->plan;
  if (!a->writing) {
    a->take = pir_arena_take;
    a->user = &p->memory;
  }
  store_stats(a, &model->stats);
  PIR_ARCHIVE(a, model->unpacked);
  pir_metadata_store(a, &model->metadata);
  store_code(a, model, code);
  if (!a->failed)
    pir_plan_store(a, p, model->executable);
  a->user = &p->memory;
  if (!a->failed)
    pir_weights_store(a, model);
  pir_archive_array(a, places, (size_t)p->const_count + p->pack_count, sizeof **places);
}

// Points constants and packed weights into the data.
static bool point_constants(pir_model *model, const uint64_t *places, const char *data,
                            uint64_t data_bytes) {
  const plan *p = &model->plan;
  size_t count = (size_t)p->const_count + p->pack_count;
  pir_weights_arrays(model);
  for (size_t i = 0; i < count; i++) {
    const char *at = places[i] == STORED_ABSENT ? NULL : data + places[i];
    if (at && places[i] > data_bytes)
      return false;
    if (i < p->const_count)
      model->constants[i] = at;
    else
      model->packed[i - p->const_count] = (void *)(uintptr_t)at;
  }
  return true;
}

bool pir_stored_restore(pir_model *model, pir_str description, const char *data,
                        uint64_t data_bytes, const char **out_missing) {
  pir_archive a = {.data = (char *)(uintptr_t)description.data, .size = description.size};
  pir_str code = {0};
  uint64_t *places = NULL;
  pir_stored_describe(&a, model, &code, &places);
  if (out_missing)
    *out_missing = a.missing;
  if (a.failed || !point_constants(model, places, data, data_bytes))
    return false;
  if (model->executable) {
    model->stats.cache_hits = pir_executable_groups(model->executable);
    model->stats.code_bytes = pir_executable_bytes(model->executable);
  }
  return true;
}
