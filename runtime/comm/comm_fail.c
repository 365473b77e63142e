// Messages of failures of communicators, and their clock.
#include "comm_fail.h"

#include <stdarg.h>
#include <time.h>

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

uint64_t pir_comm_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool pir_comm_is_cancelled(const pir_comm_call *call) {
  if (!call)
    return false;
  bool flagged = call->cancel && atomic_load(call->cancel);
  return flagged || (call->deadline_ns && pir_comm_now_ns() >= call->deadline_ns);
}
