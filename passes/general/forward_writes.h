// Reads of memory that was written in place. Private to passes/.
#ifndef PIR_FORWARD_WRITES_H
#define PIR_FORWARD_WRITES_H

#include <pir/compiler/pass.h>

// Called for each value that in-place ops write, in the order of the first writes: the value
// itself, and the value that holds its elements at the end of its block.
typedef void (*pir_written_fn)(void *user, pir_value *first, pir_value *last);

// Lets every later reader of a written value read the result of the last write. `parameters`:
// also of parameters whose elements stay the same. `each` may be NULL. PIR_UNSUPPORTED,
// reported, and nothing is changed: a region writes a value from outside that no result can
// have.
pir_status pir_forward_writes(pir_pass_run *run, bool parameters, pir_written_fn each,
                              void *user);

#endif
