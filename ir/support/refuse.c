// Arguments that are refused, with a report to the context.
#include <sized.h>

pir_status pir_sized_take(pir_context *ctx, const char *name, void *to, size_t size,
                          const void *from) {
  sized_text why;
  pir_status status = pir_sized_read(name, to, size, from, &why);
  return status ? pir_report(ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "%s", why.text) : PIR_OK;
}

pir_status pir_refuse_null(pir_context *ctx, const char *function) {
  return ctx ? pir_report(ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                          "%s: an argument is NULL", function)
             : PIR_INVALID;
}
