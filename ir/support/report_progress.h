// Reports of long work to the receiver that the caller set.
#ifndef PIR_SUPPORT_REPORT_PROGRESS_H
#define PIR_SUPPORT_REPORT_PROGRESS_H

#include <pir/progress.h>

// Reports to the sink, if it has a receiver. `what` may be NULL.
static inline void pir_progress_report(pir_progress_sink sink, pir_progress_stage stage,
                                       const char *what, uint64_t done, uint64_t of) {
  if (!sink.report)
    return;
  pir_progress progress = {.size = sizeof progress,
                           .stage = stage,
                           .what = what ? what : "",
                           .done = done,
                           .of = of};
  sink.report(sink.user, &progress);
}

// Reports that `ops` ops were read, at the first one and at each that is a multiple of 1024.
static inline void pir_progress_read(pir_progress_sink sink, uint64_t ops) {
  if (ops % 1024 == 1)
    pir_progress_report(sink, PIR_STAGE_READ, NULL, ops - 1, 0);
}

#endif
