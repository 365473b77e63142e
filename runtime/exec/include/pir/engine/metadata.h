// The origin of a model: its file's format and versions, and the ops and parameters of the
// program as it was loaded (docs/explain/execution.md). Any number of threads may ask. NULL for
// a model or an `out_` pointer returns PIR_INVALID.
#ifndef PIR_METADATA_H
#define PIR_METADATA_H

#include <pir/engine/model.h>

PIR_BEGIN

// Where a model comes from. Texts live as long as the model.
typedef struct pir_model_info {
  // sizeof(pir_model_info), set by the caller (pir/base.h).
  size_t size;
  // Format of the program's file: "json", "pdmodel" or "text"; empty when it was built in
  // memory.
  pir_str format;
  // Version of the format, as the file states it: of JSON base_code.version, of .pdmodel the
  // number of Paddle's version (3003001); else 0.
  int64_t format_version;
  // Version of Paddle that wrote the file, "3.3.1"; empty when the file states none.
  pir_str framework_version;
  // Version of the libpir that compiled the model, "0.1.0".
  pir_str library_version;
  // Ops of the program as it was loaded, before passes and with ops of regions, and the
  // number of their names (pir_model_op_count); parameters and their bytes.
  uint64_t ops, op_names, params, param_bytes;
  // Costs by which code was chosen: processor, level, "table" or "measured", and a number of
  // their own, as "znver4 x86-64-v4, measured, 1d2f04a7c8b9e365"; empty without compiled code.
  pir_str machine;
} pir_model_info;

// Sets *out_info. PIR_INVALID: *out_info has no size.
PIR_API PIR_NODISCARD pir_status pir_model_info_of(const pir_model *model,
                                                   pir_model_info *out_info);

// The ops of one name in the program as it was loaded.
typedef struct pir_op_count {
  // sizeof(pir_op_count), set by the caller (pir/base.h).
  size_t size;
  // "pd_op.conv2d"; lives as long as the model.
  pir_str name;
  // Their number, with ops of regions.
  uint64_t count;
} pir_op_count;

// Sets *out_count to name i, in bytewise order of names. PIR_NOT_FOUND: there is no such name.
// PIR_INVALID: *out_count has no size.
PIR_API PIR_NODISCARD pir_status pir_model_op_count(const pir_model *model, size_t i,
                                                    pir_op_count *out_count);

PIR_END
#endif
