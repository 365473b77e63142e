// What a test remembers of the errors that it is told.
#ifndef TEST_API_REPORT_H
#define TEST_API_REPORT_H

#include <pir/diag.h>
#include <stdio.h>

typedef struct report {
  char message[256], file[256];  // of the last error
  uint32_t line;
  int errors;
} report;

// The function of a pir_diag_sink whose user is a report.
static inline void keep_report(void *user, const pir_diag *diag) {
  report *r = user;
  if (diag->severity != PIR_ERROR)
    return;
  r->errors++;
  r->line = diag->place.line;
  snprintf(r->message, sizeof r->message, "%.*s", (int)diag->message.size, diag->message.data);
  snprintf(r->file, sizeof r->file, "%.*s", (int)diag->place.file.size, diag->place.file.data);
}

#endif
