// Memory of tensors that are known before the program runs. Large tensors become weights and go
// when they are packed; their pages then return to the system, which malloc does not promise.
#ifndef PIR_KNOWN_MEMORY_H
#define PIR_KNOWN_MEMORY_H

#include <stddef.h>

// Takes memory that is aligned to 64 bytes; NULL if there is none.
void *known_memory_take(size_t bytes);
// Gives it back, on any thread; NULL does nothing.
void known_memory_give(void *memory);

#endif
