// Failures of communicators.
#ifndef PIR_COMM_FAIL_H
#define PIR_COMM_FAIL_H

#include <pir/comm.h>

// Writes the call's message, if it has one, and returns `status`.
pir_status pir_comm_fail(const pir_comm_call *call, pir_status status, const char *format, ...)
    PIR_PRINTF(3, 4);

#endif
