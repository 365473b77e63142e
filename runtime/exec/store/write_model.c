// The bytes of a made model. Packed weights come first and in one piece, so that a file has
// them in large pages if the system supports that; constants follow.
#include "stored_model.h"

#include <stdlib.h>

enum { LARGE_PAGE = 2 << 20 };

uint64_t pir_stored_round(uint64_t size, uint64_t align) {
  return (size + align - 1) / align * align;
}

// Computes the place of each piece in the data, and their total size.
static uint64_t lay_out(const pir_model *model, uint64_t *places) {
  const plan *p = &model->plan;
  const char *packs = model->packs.data;
  uint64_t at = pir_stored_round(model->packs.bytes, STORED_ALIGN);
  for (uint32_t i = 0; i < p->pack_count; i++)
    places[p->const_count + i] =
        model->packed[i] ? (uint64_t)((const char *)model->packed[i] - packs) : STORED_ABSENT;
  for (uint32_t i = 0; i < p->const_count; i++) {
    places[i] = model->constants[i] ? at : STORED_ABSENT;
    if (model->constants[i])
      at += pir_stored_round(p->consts[i].bytes, STORED_ALIGN);
  }
  return at;
}

pir_status pir_stored_image(const pir_model *model, stored_image *out) {
  const plan *p = &model->plan;
  size_t count = (size_t)p->const_count + p->pack_count;
  uint64_t *places = calloc(count + 1, sizeof *places);
  void *code = NULL;
  size_t code_bytes = 0;
  bool large = model->packs.bytes >= LARGE_PAGE;
  *out =
      (stored_image){.text = {.writing = true}, .alignment = large ? LARGE_PAGE : STORED_PAGE};
  pir_status status = places ? PIR_OK : PIR_EXHAUSTED;
  if (model->executable)
    status = PIR_UNSUPPORTED;
  if (!status && model->compiler)
    status = pir_compiler_save(model->compiler, &code, &code_bytes);
  if (!status) {
    out->data_bytes = lay_out(model, places);
    pir_str bytes = {code, code_bytes};
    // Writing only reads the model.
    pir_stored_describe(&out->text, (pir_model *)(uintptr_t)model, &bytes, &places);
    status = pir_archive_status(&out->text, PIR_UNSUPPORTED);
  }
  free(code);
  free(places);
  return status == PIR_NOT_FOUND ? PIR_UNSUPPORTED : status;
}

void pir_stored_image_drop(stored_image *image) {
  free(image->text.data);
  *image = (stored_image){0};
}

bool pir_stored_pad(uint64_t size, uint64_t align, stored_put put, void *user) {
  static const char zeros[STORED_PAGE];
  uint64_t left = pir_stored_round(size, align) - size;
  bool good = true;
  for (uint64_t piece; good && left; left -= piece) {
    piece = left < STORED_PAGE ? left : STORED_PAGE;
    good = put(user, zeros, piece);
  }
  return good;
}

bool pir_stored_put_data(const pir_model *model, stored_put put, void *user) {
  const plan *p = &model->plan;
  bool good = put(user, model->packs.data, model->packs.bytes) &&
              pir_stored_pad(model->packs.bytes, STORED_ALIGN, put, user);
  for (uint32_t i = 0; i < p->const_count && good; i++)
    if (model->constants[i])
      good = put(user, model->constants[i], p->consts[i].bytes) &&
             pir_stored_pad(p->consts[i].bytes, STORED_ALIGN, put, user);
  return good;
}
