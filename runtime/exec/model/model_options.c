// Reads the options of models.
#include "model_impl.h"

#include <unistd.h>

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
  if (out->compile_threads <= 0)
    out->compile_threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (out->compile_threads < 1)
    out->compile_threads = 1;
  return PIR_OK;
}
