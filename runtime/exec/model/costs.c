// The costs of this processor that a model is made with, as its options ask.
#include "model_impl.h"

#include <pir/compiler/context.h>
#include <pir/diag.h>
#include <pir/layer/machine_record.h>

#include <string.h>

// A remark, to the sink of the context or else of the options.
static void tell_remark(const pir_model_options *options, pir_context *ctx, const char *text) {
  if (ctx)
    pir_ignore(pir_report(ctx, PIR_OK, PIR_NOTE, PIR_LOC_UNKNOWN, "%s", text));
  else if (options->log_level != PIR_LOG_ERRORS)
    pir_ignore(pir_exec_tell(options->sink, PIR_NOTE, PIR_OK, text));
}

static pir_status refuse_costs(const pir_model_options *options, pir_context *ctx,
                               pir_status status, const char *text) {
  if (ctx)
    return pir_report(ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "%s", text);
  return pir_exec_tell(options->sink, PIR_ERROR, status, text);
}

pir_status pir_model_find_costs(const pir_model_options *options, pir_context *ctx,
                                struct pir_machine_record **out_machine) {
  pir_machine_use use;
  pir_message text;
  *out_machine = NULL;
  pir_status status = pir_machine_use_named(options->machine, &use);
  if (status) {
    pir_text_format(text.text, sizeof text.text,
                    "machine \"%s\" is not known; known: table, measured, table:N, measured:N",
                    options->machine);
    return refuse_costs(options, ctx, PIR_INVALID, text.text);
  }
  if (!strcmp(options->pipeline, "kernels"))
    return PIR_OK;  // compiles nothing
  status = pir_machine_record_find(options->target, options->cache, use, &text, out_machine);
  if (status)
    return refuse_costs(options, ctx, status, *text.text ? text.text : "out of memory");
  if (*text.text)
    tell_remark(options, ctx, text.text);
  return PIR_OK;
}
