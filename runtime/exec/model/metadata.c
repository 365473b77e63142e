// Answers to where a model comes from.
#include "model_impl.h"

#include <archive.h>
#include <sized.h>

pir_status pir_model_info_of(const pir_model *model, pir_model_info *out_info) {
  return model ? pir_sized_write(out_info, &model->metadata.info, sizeof *out_info)
               : PIR_INVALID;
}

// Beyond the last name an empty one is written, so that no caller reads an earlier answer.
pir_status pir_model_op_count(const pir_model *model, size_t i, pir_op_count *out_count) {
  static const pir_op_count none = {.name = {"", 0}};
  bool found = model && i < model->metadata.info.op_names;
  PIR_TRY(pir_sized_write(out_count, found ? &model->metadata.counts[i] : &none, sizeof none));
  return found ? PIR_OK : PIR_NOT_FOUND;
}

void pir_metadata_store(pir_archive *a, model_metadata *metadata) {
  pir_model_info *info = &metadata->info;
  pir_archive_str(a, &info->format);
  PIR_ARCHIVE(a, info->format_version);
  pir_archive_str(a, &info->framework_version);
  pir_archive_str(a, &info->library_version);
  PIR_ARCHIVE(a, info->ops);
  PIR_ARCHIVE(a, info->op_names);
  PIR_ARCHIVE(a, info->params);
  PIR_ARCHIVE(a, info->param_bytes);
  pir_archive_str(a, &info->machine);
  metadata->counts =
      pir_archive_items(a, metadata->counts, info->op_names, sizeof *metadata->counts);
  for (uint64_t i = 0; i < info->op_names && !a->failed; i++) {
    pir_archive_str(a, &metadata->counts[i].name);
    PIR_ARCHIVE(a, metadata->counts[i].count);
  }
  if (a->failed)
    info->op_names = 0;
}
