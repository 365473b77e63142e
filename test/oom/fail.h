// Allocations that fail on request, for a whole process: fail.c replaces malloc and its like. A
// process started with PIR_FAIL_AT=N (and PIR_FAIL_IN=NAME, if it has this name) fails its N-th
// allocation by itself.
#ifndef PIR_TEST_FAIL_H
#define PIR_TEST_FAIL_H

#include <stdbool.h>
#include <stddef.h>

// The n-th allocation from now on fails (0: none), and with `sticky` all that follow.
void fail_arm(size_t n, bool sticky);
size_t fail_disarm(void);  // how many there were since
// Blocks, mappings and threads there are now.
long fail_live(void);

#endif
