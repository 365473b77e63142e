// Which pipeline makes the groups of a model that is compiled for a target.
#include "machine.h"

#include <pir/layer/pipeline.h>

void pir_codegen_pipeline(const pir_target *target, pir_math math, bool replaceable,
                          pir_message *out_name) {
  bool pays = target->device ? target->architecture->tiles : target->avx512_bf16;
  bool rounds = math == PIR_MATH_BF16 && pays;
  if (target->device)
    pir_text_format(out_name->text, sizeof out_name->text, "compile-%s%s", target->device,
                    rounds ? "-bf16" : "");
  else
    pir_text_format(out_name->text, sizeof out_name->text, "compile%s%s", rounds ? "-bf16" : "",
                    replaceable ? "-replaceable" : "");
}
