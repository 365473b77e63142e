// A process for one piece of work: what crashes or hangs there costs no other.
#ifndef PIR_TEST_DRAWS_CHILD_H
#define PIR_TEST_DRAWS_CHILD_H

// Calls `work` in a process of its own, which ends with the code that it returns and frees
// nothing. Returns how the process ended, as waitpid tells it; 0: well.
int child_run(int (*work)(void *user), void *user);
// Returns in words how a process ended that did not end well.
const char *child_end(int status);

#endif
