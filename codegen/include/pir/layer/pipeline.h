// The pipeline that makes the groups of a model.
#ifndef PIR_LAYER_PIPELINE_H
#define PIR_LAYER_PIPELINE_H

#include <pir/layer/codegen.h>

PIR_BEGIN

// Writes the name of the pipeline that compiles models for the target ("compile-cuda"): groups
// depend on the target, rounding to bf16 pays only where instructions multiply bf16, and
// weights that can be replaced are no constants.
PIR_API void pir_codegen_pipeline(const pir_target *target, pir_math math, bool replaceable,
                                  pir_message *out_name);

PIR_END

#endif
