// Reads the options of models.
#include "model_impl.h"

#include <pir/diag.h>

#include <unistd.h>

pir_status pir_model_options_read(const pir_model_options *given, pir_model_options *out,
                                  sized_text *why) {
  PIR_TRY(pir_sized_read("pir_model_options", out, sizeof *out, given, why));
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

pir_status pir_model_tell(const pir_model_options *options, pir_severity severity,
                          pir_status status, const char *text) {
  pir_diag diag = {.size = sizeof diag, .severity = severity, .message = pir_str_from(text)};
  if (options && options->sink.report)
    options->sink.report(options->sink.user, &diag);
  return status;
}
