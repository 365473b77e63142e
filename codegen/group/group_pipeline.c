// Which pipeline makes the groups of a model that is compiled for a target.
#include "contract.h"
#include "machine.h"

#include <pir/compiler/pass_library.h>
#include <pir/layer/pipeline.h>
#include <string.h>

// Returns the part of a pipeline's name that tells how contractions round ("-bf16").
static const char *rounding(const pir_target *target, const char *mode) {
  pir_math math = PIR_MATH_STRICT;
  if (mode)
    pir_ignore(pir_math_named(mode, &math));
  bool pays = target->device ? target->architecture->tiles : target->avx512_bf16;
  if (math == PIR_MATH_INT8)
    return pir_contract_multiplies_bytes(target) ? "-int8" : "";
  return math == PIR_MATH_BF16 && pays ? "-bf16" : "";
}

// Writes the name of the pipeline that compiles models for the target ("compile-cuda").
static void name_compiling(const pir_target *target, const char *mode, bool replaceable,
                           pir_message *out_name) {
  const char *rounds = rounding(target, mode);
  if (target->device)
    pir_text_format(out_name->text, sizeof out_name->text, "compile-%s%s", target->device,
                    rounds);
  else
    pir_text_format(out_name->text, sizeof out_name->text, "compile%s%s", rounds,
                    replaceable ? "-replaceable" : "");
}

const char *pir_codegen_pipeline(const char *name, const pir_target *target, const char *math,
                                 bool replaceable) {
  pir_message compiling;
  const char *found = name;
  if (!strcmp(name, "compile") && target) {
    name_compiling(target, math, replaceable, &compiling);
    found = compiling.text;
  }
  const char *text = pir_pipeline_text(pir_str_from(found));
  return text ? text : name;
}
