// The pipeline that makes the groups of a model.
#ifndef PIR_LAYER_PIPELINE_H
#define PIR_LAYER_PIPELINE_H

#include <pir/layer/codegen.h>

PIR_BEGIN

// Returns the text of the pipeline `name`, or `name` itself if there is none: the text of one.
// "compile" is the pipeline that compiles models for the target: groups depend on the target,
// rounding to bf16 pays only where instructions multiply bf16, and weights that can be replaced
// are no constants. `target` may be NULL if its name is unknown, and `math` NULL or unknown:
// such names are reported when code is made.
PIR_API const char *pir_codegen_pipeline(const char *name, const pir_target *target,
                                         const char *math, bool replaceable);

PIR_END

#endif
