// The scenarios of oom.c, and what they share with it.
#ifndef PIR_TEST_OOM_H
#define PIR_TEST_OOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pir/base.h>

typedef struct scenario {
  const char *name;
  pir_status (*run)(const struct scenario *s, uint64_t *out_digest);
  const char *model;     // in the folder
  const char *pipeline;  // of passes, or the model's
  int threads;           // that compile and run; 0: one
  bool cached;           // with a folder of compiled code, filled before
  bool emptied;          // the folder is emptied before each run
  size_t every;          // of the sample: each n-th failure
  bool apart;            // a compiled model has its weights in a file, and is one
  bool replaceable;      // its weights are
} scenario;

extern const scenario scenarios[];
extern const size_t scenario_count;
bool scenario_exists(const scenario *s);  // its model is in the folder

extern const char *folder;  // of the models
extern char cache[64];      // a folder of the process
extern char last_error[];   // of the last run; empty: none
void empty_cache(void);

#endif
