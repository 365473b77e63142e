// Reads the options of models.
#include "model_impl.h"

pir_status pir_model_options_read(const pir_model_options *given, pir_model_options *out,
                                  sized_text *why) {
  PIR_TRY(pir_sized_read("pir_model_options", out, sizeof *out, given, why));
  pir_code_listener listener;
  PIR_TRY(
      pir_sized_read("pir_code_listener", &listener, sizeof listener, out->code_listener, why));
  if (!out->pipeline)
    out->pipeline = "compile";
  if (!out->math)
    out->math = "strict";
  out->compile_threads = pir_model_threads(out->compile_threads);
  return PIR_OK;
}
