// Failures of communicators, and their clock.
#ifndef PIR_COMM_FAIL_H
#define PIR_COMM_FAIL_H

#include <pir/comm.h>

// Writes the call's message, if it has one, and returns `status`.
pir_status pir_comm_fail(const pir_comm_call *call, pir_status status, const char *format, ...)
    PIR_PRINTF(3, 4);

// The time of CLOCK_MONOTONIC in nanoseconds.
uint64_t pir_comm_now_ns(void);
// Whether the caller wants the call to end.
bool pir_comm_is_cancelled(const pir_comm_call *call);

#endif
