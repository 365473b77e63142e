// What a confined command may touch.
#ifndef PIR_TEST_SANDBOX_H
#define PIR_TEST_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_RULES = 64 };

typedef struct rule {
  const char *path;  // a file, or a folder with all that is in it
  bool writes;
} rule;

typedef struct rules {
  rule items[MOST_RULES];
  size_t count;
} rules;

// Refuses the calling process, and its children, everything on disk but what the rules name
// (what does not exist is left out), and all TCP. False, with errno, where the kernel cannot.
bool sandbox_confine(const rules *allowed);

#endif
