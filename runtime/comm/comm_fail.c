// Messages of failures of communicators.
#include "comm_fail.h"

#include <stdarg.h>

pir_status pir_comm_fail(const pir_comm_call *call, pir_status status, const char *format,
                         ...) {
  if (!call || !call->message)
    return status;
  va_list args;
  va_start(args, format);
  pir_text_vformat(call->message->text, sizeof call->message->text, format, args);
  va_end(args);
  return status;
}
